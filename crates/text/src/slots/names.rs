//! The words in answers: operations, slots, and fixed values.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// An operation on a file.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Operation {
    /// Replace text in one place.
    Replace,
    /// Replace every occurrence of a text in the file, as whole tokens.
    #[serde(alias = "rename")]
    ReplaceAll,
    /// Insert lines before or after a line, which stays as it is.
    Insert,
    /// Make a new file.
    Create,
    /// Write a block of the file anew: a definition, or all of a short file.
    Rewrite,
}

/// The slots by name. Statistics are kept by slot.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Slot {
    /// Stage 1: the file.
    Path,
    /// Stage 1: the operation.
    Operation,
    /// Stage 1: why no edit is made.
    Reason,
    /// The text to be replaced.
    Old,
    /// The text that replaces it.
    New,
    /// The name of one of several equal places.
    Place,
    /// The last line of a block.
    Through,
    /// The line next to which text is inserted.
    Anchor,
    /// The side of the anchor on which text is inserted.
    Position,
    /// The text of an insertion, of a new file or of a block.
    Text,
    /// The block to be written anew.
    Block,
}

impl Slot {
    /// The slot's key in an answer.
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
            Slot::Block => "block",
        }
    }
}

/// Why a model makes no edit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Reason {
    /// The files already are as the task asks.
    AlreadyDone,
    /// The task has nothing to do with the files shown.
    NotInTheseFiles,
    /// The task can be read in several ways.
    Unclear,
}

impl Operation {
    /// The operations possible on an existing file with this text. A file of only whitespace has
    /// nothing to replace.
    pub fn possible_in(text: &str) -> Vec<Operation> {
        use Operation::{Insert, Replace, ReplaceAll, Rewrite};
        if text.trim().is_empty() {
            vec![Insert]
        } else {
            vec![Replace, ReplaceAll, Insert, Rewrite]
        }
    }

    /// All operations, in the order in which they are offered.
    pub const ALL: [Operation; 5] = [
        Operation::Replace,
        Operation::ReplaceAll,
        Operation::Insert,
        Operation::Create,
        Operation::Rewrite,
    ];

    /// The words that a model may write for the operation in a conversation, the usual one first.
    /// Models that were asked for a rename rarely chose `replace_all`.
    pub const fn spellings(self) -> &'static [&'static str] {
        match self {
            Operation::Replace => &["replace"],
            Operation::ReplaceAll => &["replace_all", "rename"],
            Operation::Insert => &["insert"],
            Operation::Create => &["create"],
            Operation::Rewrite => &["rewrite"],
        }
    }

    /// The operation's word in an answer.
    pub const fn word(self) -> &'static str {
        self.spellings()[0]
    }
}

impl Reason {
    /// All reasons.
    pub const ALL: [Reason; 3] = [
        Reason::AlreadyDone,
        Reason::NotInTheseFiles,
        Reason::Unclear,
    ];

    /// The words of all reasons, in the same order.
    pub const WORDS: [&str; 3] = [
        Reason::AlreadyDone.word(),
        Reason::NotInTheseFiles.word(),
        Reason::Unclear.word(),
    ];

    /// The reason's word in an answer.
    pub const fn word(self) -> &'static str {
        match self {
            Reason::AlreadyDone => "already_done",
            Reason::NotInTheseFiles => "not_in_these_files",
            Reason::Unclear => "unclear",
        }
    }
}

/// The side of an anchor line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Position {
    /// Above the line.
    #[serde(alias = "above")]
    Before,
    /// Below the line.
    #[serde(alias = "below")]
    After,
}

impl Position {
    /// The words of both sides, those that a model may write instead among them. The last one is
    /// the usual side.
    pub const WORDS: [&str; 4] = [
        Position::Before.word(),
        "above",
        "below",
        Position::After.word(),
    ];

    /// The word in an answer.
    pub const fn word(self) -> &'static str {
        match self {
            Position::Before => "before",
            Position::After => "after",
        }
    }
}

/// The value of `operation` for no edit.
pub const NO_OPERATION: &str = "none";

/// The value of `place` for none of the places.
pub const NO_PLACE: &str = "none";

/// The certainty of a whole answer, 0 to 1: the product of its slots' certainties.
pub fn overall_certainty(by_slot: &BTreeMap<Slot, f64>) -> f64 {
    by_slot.values().product()
}
