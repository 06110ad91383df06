//! The words of answers: operations, slots, and the values that are fixed.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What is to be done to a file.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Operation {
    /// Replace text in one place.
    Replace,
    /// Replace every occurrence of a text in the file, as whole tokens.
    ReplaceAll,
    /// Insert lines before or after a line, which stays.
    Insert,
    /// Make a new file.
    Create,
}

/// The slots by name: what figures are counted by.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    Deserialize,
    schemars::JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Slot {
    /// Stage 1: which file.
    Path,
    /// Stage 1: which operation.
    Operation,
    /// Stage 1: why none.
    Reason,
    /// The text to be replaced.
    Old,
    /// The text that replaces it.
    New,
    /// Which of several equal places.
    Place,
    /// The last line of a block.
    Through,
    /// The line that an insertion is next to.
    Anchor,
    /// On which side of it.
    Position,
    /// The text of an insertion or a new file.
    Text,
}

impl Slot {
    /// The key in an answer.
    pub const fn key(self) -> &'static str {
        match self {
            Slot::Path => "path",
            Slot::Operation => "operation",
            Slot::Reason => "reason",
            Slot::Old => "old",
            Slot::New => "new",
            Slot::Place => "place",
            Slot::Through => "through",
            Slot::Anchor => "anchor",
            Slot::Position => "position",
            Slot::Text => "text",
        }
    }
}

/// Why a model makes no edit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Reason {
    /// What is asked for is there already.
    AlreadyDone,
    /// What is asked for has nothing to do with the files shown.
    NotInTheseFiles,
    /// The task can be read in several ways.
    Unclear,
}

impl Operation {
    /// All of them, in the order in which they are offered.
    pub const ALL: [Operation; 4] =
        [Operation::Replace, Operation::ReplaceAll, Operation::Insert, Operation::Create];

    /// The word in an answer.
    pub const fn word(self) -> &'static str {
        match self {
            Operation::Replace => "replace",
            Operation::ReplaceAll => "replace_all",
            Operation::Insert => "insert",
            Operation::Create => "create",
        }
    }
}

impl Reason {
    /// All of them.
    pub const ALL: [Reason; 3] = [Reason::AlreadyDone, Reason::NotInTheseFiles, Reason::Unclear];

    /// Their words, in the same order.
    pub const WORDS: [&str; 3] =
        [Reason::AlreadyDone.word(), Reason::NotInTheseFiles.word(), Reason::Unclear.word()];

    /// The word in an answer.
    pub const fn word(self) -> &'static str {
        match self {
            Reason::AlreadyDone => "already_done",
            Reason::NotInTheseFiles => "not_in_these_files",
            Reason::Unclear => "unclear",
        }
    }
}

/// On which side of the anchor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Position {
    /// Above it.
    Before,
    /// Below it.
    After,
}

impl Position {
    /// Their words. The last one is the usual side.
    pub const WORDS: [&str; 2] = [Position::Before.word(), Position::After.word()];

    /// The word in an answer.
    pub const fn word(self) -> &'static str {
        match self {
            Position::Before => "before",
            Position::After => "after",
        }
    }
}

/// The `operation` that says: no edit.
pub const NO_OPERATION: &str = "none";

/// The `place` that says: none of them.
pub const NO_PLACE: &str = "none";
