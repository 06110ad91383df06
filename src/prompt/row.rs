//! The list of files in stage 1.

/// A file as stage 1 lists it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// Relative to the root.
    pub path: String,
    /// Words of the task that the file has.
    pub words: Vec<String>,
}
