//! The types of a complete answer.

use super::names::{Operation, Position, Reason, Slot};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// The answer of stage 1: a file and an operation, or why no edit is made.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Pick {
    /// An existing file, and the operation on it.
    File(FilePick),
    /// A new file. Its path is part of the answer of stage 2.
    Create(CreatePick),
    /// No edit.
    None(NonePick),
}

/// An existing file, and the operation on it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FilePick {
    /// One of the paths listed.
    pub path: String,
    /// Any operation except `create`.
    pub operation: Operation,
}

/// A new file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CreatePick {
    /// The word `create`.
    pub operation: CreateWord,
}

/// No edit, with the reason.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NonePick {
    /// The word `none`.
    pub operation: NoneWord,
    /// Why no edit is made.
    pub reason: Reason,
}

/// The word `create`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CreateWord {
    /// `create`.
    Create,
}

/// The word `none`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum NoneWord {
    /// `none`.
    None,
}

/// Replaces text in one place.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Replace {
    /// The text to replace: an excerpt of the text shown.
    pub old: String,
    /// The name of the place meant, or `none`. Only present if `old` occurs more than once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<String>,
    /// The last line of a block that begins with `old`. The block ends with the nearest line after
    /// `old` that is equal to this one. The whole block is replaced.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub through: Option<String>,
    /// The replacement for `old`, or for the whole block.
    pub new: String,
}

/// Replaces every occurrence of a text in the file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReplaceAll {
    /// The text to replace: an excerpt of the text shown, at least one whole token long.
    pub old: String,
    /// The replacement.
    pub new: String,
}

/// Inserts lines before or after a line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Insert {
    /// One of the lines shown. It stays as it is.
    pub anchor: String,
    /// The name of the place meant, or `none`. Only present if the line occurs more than once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<String>,
    /// The side of the line on which the text is inserted.
    pub position: Position,
    /// The lines to insert.
    pub text: String,
}

/// Makes a new file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Create {
    /// A path that does not exist.
    pub path: String,
    /// The file's text.
    pub text: String,
}

/// Writes a block of the file anew.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Rewrite {
    /// The name of the block: see [`crate::edit::NamedBlock`].
    pub block: String,
    /// All of its lines as they should be.
    pub text: String,
}

/// The answer of stage 2.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum Slots {
    /// The slots of [`Operation::Replace`].
    Replace(Replace),
    /// The slots of [`Operation::ReplaceAll`].
    ReplaceAll(ReplaceAll),
    /// The slots of [`Operation::Insert`].
    Insert(Insert),
    /// The slots of [`Operation::Create`].
    Create(Create),
    /// The slots of [`Operation::Rewrite`].
    Rewrite(Rewrite),
}

impl Slots {
    /// Parses the answer to an operation.
    ///
    /// # Errors
    /// If the answer is not JSON, or not the JSON of this operation.
    pub fn parse(operation: Operation, answer: &str) -> Result<Slots, serde_json::Error> {
        Ok(match operation {
            Operation::Replace => Slots::Replace(serde_json::from_str(answer)?),
            Operation::ReplaceAll => Slots::ReplaceAll(serde_json::from_str(answer)?),
            Operation::Insert => Slots::Insert(serde_json::from_str(answer)?),
            Operation::Create => Slots::Create(serde_json::from_str(answer)?),
            Operation::Rewrite => Slots::Rewrite(serde_json::from_str(answer)?),
        })
    }

    /// Parses an answer that says only where a text goes: see [`super::shape::without_text`]. The
    /// text is empty.
    ///
    /// # Errors
    /// As [`Slots::parse`].
    pub fn parse_place(operation: Operation, answer: &str) -> Result<Slots, serde_json::Error> {
        let mut slots: Map<String, Value> = serde_json::from_str(answer)?;
        let text = if operation == Operation::Insert {
            Slot::Text
        } else {
            Slot::New
        };
        slots.insert(text.key().to_owned(), String::new().into());
        Slots::parse(operation, &Value::Object(slots).to_string())
    }
}

/// The JSON Schema of an operation's answer in stage 2; for `None` that of stage 1.
pub fn answer_schema(operation: Option<Operation>) -> Value {
    let schema = match operation {
        None => schemars::schema_for!(Pick),
        Some(Operation::Replace) => schemars::schema_for!(Replace),
        Some(Operation::ReplaceAll) => schemars::schema_for!(ReplaceAll),
        Some(Operation::Insert) => schemars::schema_for!(Insert),
        Some(Operation::Create) => schemars::schema_for!(Create),
        Some(Operation::Rewrite) => schemars::schema_for!(Rewrite),
    };
    schema.to_value()
}
