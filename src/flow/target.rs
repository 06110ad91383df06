//! What stage 1 offers and what comes of it, as plain data.

use crate::constrain::PickFile;
use crate::edit::NamedBlock;
use crate::prompt::Row;
use crate::slots::Operation;
use crate::text::{Shown, Text};

/// The tokens that a prompt may spend on files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct PromptRoom {
    /// For the list of files.
    pub list: usize,
    /// For what is shown of one file.
    pub file: usize,
}

/// The files that stage 1 offers.
#[derive(Debug)]
pub(super) struct Candidates {
    /// As the prompt lists them, best first.
    pub rows: Vec<Row>,
    /// As the constraint offers them, in the same order.
    pub choices: Vec<PickFile>,
    /// Every path that was listed: a new file must not have one of these. Hidden and ignored files
    /// are not among them; a clash with one of those is noticed when the file is made.
    pub existing: Vec<String>,
}

/// The file that the model picked, and what it sees of it in stage 2.
#[derive(Clone, Debug)]
pub(super) struct Target {
    /// Relative to the root; empty for a new file.
    pub path: String,
    /// What is to be done to it.
    pub operation: Operation,
    /// All of the file.
    pub text: Text,
    /// What the model sees.
    pub shown: Shown,
    /// What of it may change.
    pub open: Shown,
    /// The blocks of it that may be written anew, if that is what is to be done.
    pub blocks: Vec<NamedBlock>,
    /// The answer to stage 1.
    pub pick: String,
    /// For a new file: the file that stage 1 showed.
    pub beside: Option<SeenFile>,
}

/// A file, and what the model sees of it.
#[derive(Clone, Debug)]
pub(super) struct SeenFile {
    pub path: String,
    pub text: Text,
    pub shown: Shown,
}

impl Target {
    /// A file that is to be made. `beside`: the file that question 1 showed.
    pub fn new_file(pick: String, beside: Option<SeenFile>) -> Target {
        Target {
            path: String::new(),
            operation: Operation::Create,
            text: Text::decode(Vec::new()).expect("no bytes are a text"),
            shown: Shown::whole(""),
            open: Shown::whole(""),
            blocks: Vec::new(),
            pick,
            beside,
        }
    }

    /// The file.
    pub fn file(&self) -> SeenFile {
        let Target {
            path, text, shown, ..
        } = self;
        SeenFile {
            path: path.clone(),
            text: text.clone(),
            shown: shown.clone(),
        }
    }
}
