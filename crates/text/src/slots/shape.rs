//! The shape of an answer: one table of the slots that each question has.
//!
//! An answer is one JSON object whose values are all strings, without whitespace between tokens:
//!
//! ```text
//! answer = "{" pair { "," pair } "}"
//! pair   = '"' key '":"' value '"'
//! ```
//!
//! [`fields`] lists the pairs in order. All code that makes, forces or reads answers uses that
//! table: the constraint, the drafts, the schema
//! and the grammar for servers, and the schemas that `eval` compares
//! with.
//!
//! `docs/design.md` lists the steps of adding an operation.

use super::names::{Operation, Position, Reason, Slot};
use ValueKind::{
    Block, BlockEnd, Excerpt, FreeText, Line, ListedPath, NewPath, OperationWord, Place, Word,
};

/// One pair of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Field {
    /// The slot. Its key is [`Slot::key`].
    pub slot: Slot,
    /// Which answers have the field.
    pub presence: Presence,
    /// The kind of value.
    pub value: ValueKind,
    /// The field's description in a JSON Schema.
    pub description: &'static str,
}

impl Field {
    const fn new(
        slot: Slot,
        presence: Presence,
        value: ValueKind,
        description: &'static str,
    ) -> Field {
        Field {
            slot,
            presence,
            value,
            description,
        }
    }
}

/// Which answers have a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Presence {
    /// All answers.
    Always,
    /// Answers whose excerpt or line (the field before) occurs more than once in the text shown.
    Repeated,
    /// Answers that replace a block. Only a constraint made from the file can offer this field, so
    /// servers are not asked for it.
    Block,
    /// Answers of stage 1 that name an existing file.
    ExistingFile,
    /// Answers of stage 1 that make no edit.
    Declined,
}

/// The kinds of values that a field may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ValueKind {
    /// The path of one of the files offered.
    ListedPath,
    /// An operation allowed for the file, `create`, or `none`.
    OperationWord,
    /// One of these words. The last word is the fixed value of answers that choose no place.
    Word(&'static [&'static str]),
    /// Any stretch of the text shown that begins and ends at a boundary.
    Excerpt,
    /// One of the lines shown.
    Line,
    /// The name of one of several equal places, or [`NO_PLACE`](super::NO_PLACE).
    Place,
    /// The last line of a block that begins with the excerpt.
    BlockEnd,
    /// Any text.
    FreeText,
    /// A path that does not exist.
    NewPath,
    /// The name of one of the blocks that may be written anew.
    Block,
}

impl ValueKind {
    /// The fixed value in answers that choose no place, and so make no edit.
    pub fn unused(self) -> &'static str {
        match self {
            Word(words) => words.last().copied().unwrap_or_default(),
            _ => "",
        }
    }
}

const fn always(slot: Slot, value: ValueKind, description: &'static str) -> Field {
    Field::new(slot, Presence::Always, value, description)
}

const PICK: &[Field] = &[
    Field::new(
        Slot::Path,
        Presence::ExistingFile,
        ListedPath,
        "the file, or empty to create one or change nothing",
    ),
    always(Slot::Operation, OperationWord, "what to do"),
    Field::new(
        Slot::Reason,
        Presence::Declined,
        Word(&Reason::WORDS),
        "why nothing is changed, else empty",
    ),
];

const REPLACE: &[Field] = &[
    always(Slot::Old, Excerpt, "the text to replace, copied exactly"),
    PLACE,
    Field::new(
        Slot::Through,
        Presence::Block,
        BlockEnd,
        "the last line of a block that begins with the old text",
    ),
    NEW,
];

const REPLACE_ALL: &[Field] = &[
    always(
        Slot::Old,
        Excerpt,
        "the text to replace everywhere, copied exactly",
    ),
    NEW,
];

const INSERT: &[Field] = &[
    always(Slot::Anchor, Line, "the line that stays"),
    PLACE,
    always(Slot::Position, Word(&Position::WORDS), "the side of it"),
    always(Slot::Text, FreeText, "the new lines"),
];

/// The same slots, the side first: `below` and then the line. Models that were not trained for the slots
/// take a side after the line for the line's own.
pub const INSERT_SIDE_FIRST: &[Field] = &[INSERT[2], INSERT[0], INSERT[1], INSERT[3]];

const CREATE: &[Field] = &[
    always(Slot::Path, NewPath, "the new file's path"),
    always(Slot::Text, FreeText, "all of its text"),
];

const REWRITE: &[Field] = &[
    always(
        Slot::Block,
        Block,
        "the definition to write anew, or the whole file",
    ),
    always(Slot::Text, FreeText, "all of its lines as they should be"),
];

const PLACE: Field = Field::new(
    Slot::Place,
    Presence::Repeated,
    Place,
    "which one is meant if it occurs in several places, else empty",
);

const NEW: Field = always(Slot::New, FreeText, "what stands there instead");

/// The fields of an operation's answer in stage 2, in order; for `None` those of stage 1.
pub const fn fields(operation: Option<Operation>) -> &'static [Field] {
    match operation {
        None => PICK,
        Some(Operation::Replace) => REPLACE,
        Some(Operation::ReplaceAll) => REPLACE_ALL,
        Some(Operation::Insert) => INSERT,
        Some(Operation::Create) => CREATE,
        Some(Operation::Rewrite) => REWRITE,
    }
}

/// The fields of an answer that says where given text goes: these, without the text.
pub fn without_text(fields: &'static [Field]) -> &'static [Field] {
    let text = fields.iter().position(|field| field.value == FreeText);
    &fields[..text.unwrap_or(fields.len())]
}

/// The beginning of an answer, up to the value of its first field: `{"old":`.
pub fn first_key(slot: Slot) -> String {
    format!("{{\"{}\":", slot.key())
}

/// The bytes between the value of a field and that of the next one: `,"new":`.
pub fn next_key(slot: Slot) -> String {
    format!(",\"{}\":", slot.key())
}

/// The end of an answer, after its last value.
pub const CLOSE: &str = "}";

/// The end of an answer to stage 1 if the slots follow on the next line.
pub const CLOSE_AND_GO_ON: &str = "}\n";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::slots::answer_schema;
    use serde_json::Value;

    /// The structs have the fields of the table, in the same order.
    #[test]
    fn the_table_has_the_fields_of_the_structs() {
        for operation in Operation::ALL {
            let schema = answer_schema(Some(operation));
            let keys: Vec<&str> = schema["properties"]
                .as_object()
                .unwrap()
                .keys()
                .map(String::as_str)
                .collect();
            let required: Vec<&str> = schema["required"]
                .as_array()
                .unwrap()
                .iter()
                .filter_map(Value::as_str)
                .collect();
            let fields = fields(Some(operation));
            let key = |field: &Field| field.slot.key();
            assert_eq!(keys, fields.iter().map(key).collect::<Vec<_>>());
            let always = fields
                .iter()
                .filter(|field| field.presence == Presence::Always);
            assert_eq!(required, always.map(key).collect::<Vec<_>>());
        }
    }

    #[test]
    fn keys_are_the_slots_as_json_has_them() {
        for operation in Operation::ALL.map(Some).into_iter().chain([None]) {
            for field in fields(operation) {
                assert_eq!(serde_json::to_value(field.slot).unwrap(), field.slot.key());
            }
        }
        assert_eq!(first_key(Slot::Old), r#"{"old":"#);
        assert_eq!(next_key(Slot::New), r#","new":"#);
    }
}
