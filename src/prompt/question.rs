//! What a model is asked: the task, the list of files, and the file shown.

use crate::text::Shown;

/// What a model is asked.
#[derive(Clone, Copy, Debug)]
pub struct Question<'a> {
    /// As [`super::Profile::told`] gives it.
    pub task: &'a str,
    /// The files to choose from, best first.
    pub rows: &'a [Row],
    /// The likeliest file, or the one picked, and what is shown of it. A model cannot choose an
    /// operation without having seen the file.
    pub file: Option<(&'a str, &'a Shown)>,
    /// The lines of the edits that stand before this one in the same answer.
    pub so_far: &'a [String],
}

/// A file as stage 1 lists it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// Relative to the root.
    pub path: String,
    /// Words of the task that the file has.
    pub words: Vec<String>,
}
