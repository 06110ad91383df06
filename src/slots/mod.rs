//! What a model is asked to fill in: the pick of stage 1, and the slots of each operation in stage
//! 2.
//!
//! The keys stand in this order in every answer, without blanks between tokens. The structs here
//! are what an answer parses to; the constraint made from the same facts
//! ([`crate::constrain::Spec`]) lets only answers through that do. `schemas/` holds the JSON
//! Schemas made from these types, for servers that cannot take our constraint.

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
    /// What stands there instead.
    New,
    /// Which of several equal places.
    Place,
    /// The last line of a block.
    Through,
    /// The line an insertion stands at.
    Anchor,
    /// On which side of it.
    Position,
    /// The text of an insertion or a new file.
    Text,
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
    pub fn word(self) -> &'static str {
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

    /// The word in an answer.
    pub fn word(self) -> &'static str {
        match self {
            Reason::AlreadyDone => "already_done",
            Reason::NotInTheseFiles => "not_in_these_files",
            Reason::Unclear => "unclear",
        }
    }
}

/// Stage 1's answer: which file and which operation, or none and why.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Pick {
    /// An existing file and what to do to it.
    File(FilePick),
    /// A new file; stage 2 names it.
    Create(CreatePick),
    /// No edit.
    None(NonePick),
}

/// See [`Pick::File`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FilePick {
    /// One of the paths listed.
    pub path: String,
    /// Any but `create`.
    pub operation: Operation,
}

/// See [`Pick::Create`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CreatePick {
    /// The word `create`.
    pub operation: CreateWord,
}

/// See [`Pick::None`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NonePick {
    /// The word `none`.
    pub operation: NoneWord,
    /// Why.
    pub reason: Reason,
}

/// The word `create`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CreateWord {
    /// The word.
    Create,
}

/// The word `none`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum NoneWord {
    /// The word.
    None,
}

/// The `place` that says: none of them.
pub const NO_PLACE: &str = "none";

/// One place of a text, and what stands there instead.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Replace {
    /// An excerpt of what was shown.
    pub old: String,
    /// Which of several, by name, or `none`; only where `old` stands more than once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<String>,
    /// The last line of a block that `old` begins: the nearest one behind it that is equal to this.
    /// All between the two goes with them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub through: Option<String>,
    /// What stands there instead.
    pub new: String,
}

/// Every occurrence of a text in the file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReplaceAll {
    /// An excerpt of what was shown: one whole token or longer.
    pub old: String,
    /// What stands there instead.
    pub new: String,
}

/// New lines beside a line that stays.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Insert {
    /// A line that was shown.
    pub anchor: String,
    /// Which of several, by name, or `none`; only where the line stands more than once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<String>,
    /// On which side of it.
    pub position: Position,
    /// The new lines.
    pub text: String,
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

/// A new file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Create {
    /// A path that does not exist.
    pub path: String,
    /// What it holds.
    pub text: String,
}

/// Stage 2's answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum Slots {
    /// For [`Operation::Replace`].
    Replace(Replace),
    /// For [`Operation::ReplaceAll`].
    ReplaceAll(ReplaceAll),
    /// For [`Operation::Insert`].
    Insert(Insert),
    /// For [`Operation::Create`].
    Create(Create),
}

impl Slots {
    /// Reads the slots of an operation from an answer.
    pub fn parse(operation: Operation, answer: &str) -> Result<Slots, serde_json::Error> {
        Ok(match operation {
            Operation::Replace => Slots::Replace(serde_json::from_str(answer)?),
            Operation::ReplaceAll => Slots::ReplaceAll(serde_json::from_str(answer)?),
            Operation::Insert => Slots::Insert(serde_json::from_str(answer)?),
            Operation::Create => Slots::Create(serde_json::from_str(answer)?),
        })
    }
}
