//! The requirements on an answer, as plain data that can be sent to the model process.

use crate::edit::NamedBlock;
use crate::slots::Operation;
use crate::slots::fenced::Fence;
use crate::slots::shape::{self, Field};
use crate::text::Shown;
use serde::{Deserialize, Serialize};

/// The requirements on an answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Spec {
    /// Slots whose values come from the files: see [`super::Constraint`].
    Slots(SlotSpec),
    /// Any JSON that a JSON Schema allows: see [`super::schema`].
    Schema(serde_json::Value),
    /// Any text, until the model ends it: see [`super::free`].
    Free,
}

impl From<SlotSpec> for Spec {
    fn from(slots: SlotSpec) -> Spec {
        Spec::Slots(slots)
    }
}

/// Whether the answer to a question for an edit may be "none".
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NoEdit {
    /// Yes, with any reason.
    #[default]
    ForAnyReason,
    /// Yes, to end an answer that has other edits already.
    AsTheEnd,
    /// No: the answer must be an edit.
    Never,
}

/// The slots of one question, and the facts that the slots must fit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SlotSpec {
    /// Stage 1.
    Pick {
        /// The files to choose from.
        files: Vec<PickFile>,
        /// Whether a new file is offered as well.
        may_create: bool,
        /// Whether the slots follow on the next line of the same answer. Then the newline belongs
        /// to this line: models write it in one token with the bracket before it.
        #[serde(default)]
        goes_on: bool,
        /// Whether the answer may be "none" instead.
        #[serde(default)]
        no_edit: NoEdit,
    },
    /// Stage 2 of [`Operation::Replace`].
    Replace {
        /// The part of the file that the model sees. It is not only whitespace.
        shown: Shown,
        /// Whether the model may name a block by its beginning and its last line.
        #[serde(default)]
        blocks: bool,
    },
    /// Stage 2 of [`Operation::ReplaceAll`].
    ReplaceAll {
        /// The part of the file that the model sees. It is not only whitespace.
        shown: Shown,
    },
    /// Stage 2 of [`Operation::Insert`].
    Insert {
        /// The part of the file that the model sees.
        shown: Shown,
        /// Whether the side is named before its line.
        #[serde(default)]
        side_first: bool,
    },
    /// Stage 2 of [`Operation::Create`].
    Create {
        /// The existing paths.
        existing: Vec<String>,
        /// Safe paths that the task spells. They are allowed even if a component begins with a dot.
        #[serde(default)]
        spelled: Vec<String>,
    },
    /// Stage 2 of [`Operation::Rewrite`]. The answer is not JSON but code in a fence: see
    /// [`crate::slots::fenced`].
    Rewrite {
        /// The blocks that may be rewritten, at least one.
        blocks: Vec<NamedBlock>,
        /// The fence around the text.
        fence: Fence,
    },
    /// One of the other variants of stage 2, with more lines after its answer. The newline belongs to
    /// the answer: models write it in one token with the bracket before it.
    GoesOn(Box<SlotSpec>),
    /// Stage 2 if the new text is known, and only its place is asked for.
    Where {
        /// [`Operation::Replace`] or [`Operation::Insert`].
        operation: Operation,
        /// The part of the file that may be named. It is not only whitespace.
        shown: Shown,
        /// As in [`SlotSpec::Replace`].
        #[serde(default)]
        blocks: bool,
        /// As in [`SlotSpec::Insert`].
        #[serde(default)]
        side_first: bool,
    },
}

/// How a model names what it edits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SlotStyle {
    /// See [`SlotSpec::Replace`].
    pub blocks: bool,
    /// See [`SlotSpec::Insert`].
    pub side_first: bool,
}

impl SlotSpec {
    /// The spec of an operation. `shown` is the part of the file that the model sees; `existing` are
    /// the existing paths.
    pub fn of(
        operation: Operation,
        shown: Shown,
        existing: Vec<String>,
        style: SlotStyle,
    ) -> SlotSpec {
        let SlotStyle { blocks, side_first } = style;
        match operation {
            Operation::Replace => SlotSpec::Replace { shown, blocks },
            Operation::ReplaceAll => SlotSpec::ReplaceAll { shown },
            Operation::Insert => SlotSpec::Insert { shown, side_first },
            Operation::Create => SlotSpec::Create {
                existing,
                spelled: Vec::new(),
            },
            Operation::Rewrite => SlotSpec::Rewrite {
                blocks: Vec::new(),
                fence: Fence::default(),
            },
        }
    }

    /// The operation of stage 2; `None` for stage 1.
    pub fn operation(&self) -> Option<Operation> {
        match self {
            SlotSpec::Pick { .. } => None,
            SlotSpec::GoesOn(spec) => spec.operation(),
            SlotSpec::Replace { .. } => Some(Operation::Replace),
            SlotSpec::ReplaceAll { .. } => Some(Operation::ReplaceAll),
            SlotSpec::Insert { .. } => Some(Operation::Insert),
            SlotSpec::Create { .. } => Some(Operation::Create),
            SlotSpec::Rewrite { .. } => Some(Operation::Rewrite),
            SlotSpec::Where { operation, .. } => Some(*operation),
        }
    }

    /// The fields of an answer, in order.
    pub fn fields(&self) -> &'static [Field] {
        match self {
            SlotSpec::GoesOn(spec) => spec.fields(),
            SlotSpec::Where {
                operation: Operation::Insert,
                side_first: true,
                ..
            } => shape::without_text(shape::INSERT_SIDE_FIRST),
            SlotSpec::Where { operation, .. } => {
                shape::without_text(shape::fields(Some(*operation)))
            }
            SlotSpec::Insert {
                side_first: true, ..
            } => shape::INSERT_SIDE_FIRST,
            _ => shape::fields(self.operation()),
        }
    }

    /// The part of the file that the model sees; `None` for stage 1 and new files.
    pub fn shown(&self) -> Option<&Shown> {
        match self {
            SlotSpec::Replace { shown, .. }
            | SlotSpec::ReplaceAll { shown }
            | SlotSpec::Insert { shown, .. }
            | SlotSpec::Where { shown, .. } => Some(shown),
            SlotSpec::GoesOn(spec) => spec.shown(),
            SlotSpec::Pick { .. } | SlotSpec::Create { .. } | SlotSpec::Rewrite { .. } => None,
        }
    }
}

/// A file of stage 1, and the operations that the model may choose for it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PickFile {
    /// The path relative to the root, with `/`.
    pub path: String,
    /// The operations allowed, at least one.
    pub operations: Vec<Operation>,
}
