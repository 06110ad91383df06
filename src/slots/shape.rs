//! The shape of an answer: one table that says which slots each question has.
//!
//! An answer is one JSON object whose values are all strings, without whitespace between tokens:
//!
//! ```text
//! answer = "{" pair { "," pair } "}"
//! pair   = '"' key '":"' value '"'
//! ```
//!
//! [`fields`] lists the pairs in the order in which they appear. Whatever makes, forces or reads
//! answers is made from it: the constraint ([`crate::constrain`]), the drafts
//! ([`crate::engine::draft`]), the schema and the grammar for servers ([`crate::engine::openai`]),
//! and the schemas that `eval` compares with.
//!
//! # To add an operation
//!
//! 1. Add its word to [`Operation`] and a struct with its slots to [`super::Slots`].
//! 2. Add its rows to [`fields`]. A slot that is new needs a name in [`Slot`].
//! 3. Add a variant to [`SlotSpec`](crate::constrain::SlotSpec) with the facts that its slots must
//!    fit, such as the text shown.
//! 4. If a slot holds a new kind of value, add a [`ValueKind`] and make its segments in
//!    `constrain/compile.rs`. Servers are asked for any text there, unless
//!    `engine/openai/strict_schema.rs` and `grammar.rs` list what it chooses among.
//! 5. Say in [`crate::edit::place`] which edit the slots mean.
//!
//! The compiler points to the rest: the prompts, the question of stage 2, and what is drafted.

use super::names::{Operation, Position, Reason, Slot};

/// One pair of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Field {
    /// Its name; the key is [`Slot::key`].
    pub slot: Slot,
    /// Which answers have it.
    pub presence: Presence,
    /// What its value may be.
    pub value: ValueKind,
    /// What a JSON Schema says about it.
    pub description: &'static str,
}

/// Which answers have a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Presence {
    /// All of them.
    Always,
    /// Those whose excerpt or line, the field before, occurs more than once in what was shown.
    Repeated,
    /// Those that replace a block. Only a constraint made from the file can offer it: servers are
    /// not asked for it.
    Block,
    /// Stage 1: those that name an existing file.
    ExistingFile,
    /// Stage 1: those that make no edit.
    Declined,
}

/// What the value of a field may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ValueKind {
    /// The path of one of the files offered.
    ListedPath,
    /// An operation that the file allows, `create`, or `none`.
    OperationWord,
    /// One of these words. The last one is written where the answer means no place.
    Word(&'static [&'static str]),
    /// Any stretch of what was shown that begins and ends at a boundary.
    Excerpt,
    /// One of the lines shown.
    Line,
    /// The name of one of several equal places, or [`NO_PLACE`](super::NO_PLACE).
    Place,
    /// The last line of the block that the excerpt begins.
    BlockEnd,
    /// Any text.
    FreeText,
    /// A path where no file exists.
    NewPath,
}

impl ValueKind {
    /// The value where the answer means no place, and so no edit.
    pub fn unused(self) -> &'static str {
        match self {
            ValueKind::Word(words) => words.last().copied().unwrap_or_default(),
            _ => "",
        }
    }
}

const PICK: &[Field] = &[
    Field {
        slot: Slot::Path,
        presence: Presence::ExistingFile,
        value: ValueKind::ListedPath,
        description: "the file, or empty to create one or change nothing",
    },
    Field {
        slot: Slot::Operation,
        presence: Presence::Always,
        value: ValueKind::OperationWord,
        description: "what to do",
    },
    Field {
        slot: Slot::Reason,
        presence: Presence::Declined,
        value: ValueKind::Word(&Reason::WORDS),
        description: "why nothing is changed, else empty",
    },
];

const REPLACE: &[Field] = &[
    Field {
        slot: Slot::Old,
        presence: Presence::Always,
        value: ValueKind::Excerpt,
        description: "the text to replace, copied exactly",
    },
    PLACE,
    Field {
        slot: Slot::Through,
        presence: Presence::Block,
        value: ValueKind::BlockEnd,
        description: "the last line of a block that begins with the old text",
    },
    NEW,
];

const REPLACE_ALL: &[Field] = &[
    Field {
        slot: Slot::Old,
        presence: Presence::Always,
        value: ValueKind::Excerpt,
        description: "the text to replace everywhere, copied exactly",
    },
    NEW,
];

const INSERT: &[Field] = &[
    Field {
        slot: Slot::Anchor,
        presence: Presence::Always,
        value: ValueKind::Line,
        description: "the line that stays",
    },
    PLACE,
    Field {
        slot: Slot::Position,
        presence: Presence::Always,
        value: ValueKind::Word(&Position::WORDS),
        description: "the side of it",
    },
    Field {
        slot: Slot::Text,
        presence: Presence::Always,
        value: ValueKind::FreeText,
        description: "the new lines",
    },
];

const CREATE: &[Field] = &[
    Field {
        slot: Slot::Path,
        presence: Presence::Always,
        value: ValueKind::NewPath,
        description: "the new file's path",
    },
    Field {
        slot: Slot::Text,
        presence: Presence::Always,
        value: ValueKind::FreeText,
        description: "all of its text",
    },
];

const PLACE: Field = Field {
    slot: Slot::Place,
    presence: Presence::Repeated,
    value: ValueKind::Place,
    description: "which one is meant if it occurs in several places, else empty",
};

const NEW: Field = Field {
    slot: Slot::New,
    presence: Presence::Always,
    value: ValueKind::FreeText,
    description: "what stands there instead",
};

/// The fields of an operation's answer in stage 2, in order; without an operation those of stage 1.
pub const fn fields(operation: Option<Operation>) -> &'static [Field] {
    match operation {
        None => PICK,
        Some(Operation::Replace) => REPLACE,
        Some(Operation::ReplaceAll) => REPLACE_ALL,
        Some(Operation::Insert) => INSERT,
        Some(Operation::Create) => CREATE,
    }
}

/// The beginning of an answer, up to the value of its first field: `{"old":`.
pub fn first_key(slot: Slot) -> String {
    format!("{{\"{}\":", slot.key())
}

/// What comes between the value of a field and that of the next one: `,"new":`.
pub fn next_key(slot: Slot) -> String {
    format!(",\"{}\":", slot.key())
}

/// The end of an answer, after its last value.
pub const CLOSE: &str = "}";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::slots::answer_schema;
    use serde_json::Value;

    /// The structs that answers are parsed to have the fields of the table, in its order.
    #[test]
    fn the_table_has_the_fields_of_the_structs() {
        for operation in Operation::ALL {
            let schema = answer_schema(Some(operation));
            let keys: Vec<&str> =
                schema["properties"].as_object().unwrap().keys().map(String::as_str).collect();
            let required: Vec<&str> =
                schema["required"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
            let fields = fields(Some(operation));
            let key = |field: &Field| field.slot.key();
            assert_eq!(keys, fields.iter().map(key).collect::<Vec<_>>());
            let always = fields.iter().filter(|field| field.presence == Presence::Always);
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
