//! What a complete answer parses to.

use super::names::{Operation, Position, Reason};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

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

/// One place of a text, and what replaces it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Replace {
    /// An excerpt of what was shown.
    pub old: String,
    /// Which of several, by name, or `none`; only where `old` occurs more than once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<String>,
    /// The last line of a block that `old` begins: the nearest one behind it that is equal to this.
    /// All between the two goes with them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub through: Option<String>,
    /// The text that replaces it.
    pub new: String,
}

/// Every occurrence of a text in the file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReplaceAll {
    /// An excerpt of what was shown: one whole token or longer.
    pub old: String,
    /// The text that replaces it.
    pub new: String,
}

/// New lines beside a line that stays.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Insert {
    /// A line that was shown.
    pub anchor: String,
    /// Which of several, by name, or `none`; only where the line occurs more than once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<String>,
    /// On which side of it.
    pub position: Position,
    /// The new lines.
    pub text: String,
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

/// The JSON Schema of an operation's answer in stage 2; without an operation that of stage 1.
pub fn answer_schema(operation: Option<Operation>) -> serde_json::Value {
    let schema = match operation {
        None => schemars::schema_for!(Pick),
        Some(Operation::Replace) => schemars::schema_for!(Replace),
        Some(Operation::ReplaceAll) => schemars::schema_for!(ReplaceAll),
        Some(Operation::Insert) => schemars::schema_for!(Insert),
        Some(Operation::Create) => schemars::schema_for!(Create),
    };
    schema.to_value()
}
