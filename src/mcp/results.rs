//! What the tools give: the structured content beside the text. The caller is not told these schemas
//! with the tools: they would cost more than the tools themselves, and every result says the same in
//! words.

use crate::app::find::FoundFile;
use crate::app::report::{ApplyReport, CheckReport, ErrorReport, Status, WarningReport};
use crate::app::undo::WrittenEdit;
use schemars::{JsonSchema, Schema, schema_for};
use serde::Serialize;
use std::collections::BTreeMap;

/// What `edit` and `amend` give.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub(super) struct EditResult {
    /// `would_be_done`: call `write` with the token. `already_done`: there is nothing to do.
    /// `not_made`: `error` says why.
    pub status: Status,
    /// What `write` takes; none if there is no edit.
    pub token: Option<String>,
    /// The files that would change.
    pub files: Vec<String>,
    /// The change as a unified diff.
    pub diff: String,
    /// The probability, 0 to 1, that the model gave to what it wrote.
    pub certainty: Option<f64>,
    /// What asks for a second look. `write` refuses such an edit unless `accept` names the kind, or
    /// the person says yes to it.
    pub warnings: Vec<WarningReport>,
    /// What the check says of the change.
    pub check: Option<CheckReport>,
    /// What else is worth knowing.
    pub remarks: Vec<String>,
    /// Why there is no edit, and what to do next.
    pub error: Option<ErrorReport>,
    /// What it took.
    pub took: Took,
}

/// What an edit took.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub(super) struct Took {
    /// The model's own name.
    pub model: String,
    /// Tokens of the prompts.
    pub prompt_tokens: usize,
    /// Tokens of the prompts that had been read before.
    pub reused_tokens: usize,
    /// Seconds to load the model; 0 if it was loaded.
    pub load_seconds: f64,
    /// Seconds in all.
    pub seconds: f64,
}

/// What `write` and `undo` give.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub(super) struct WriteResult {
    /// `done`; `partly_done` if a further edit of the task is missing, as `remarks` say;
    /// `not_confirmed` if the person did not say yes; or `not_made`. With the last two no file was
    /// changed, and `error` says why.
    pub status: Status,
    /// What was written or taken back, in a sentence.
    pub what: String,
    /// The files that changed.
    pub files: Vec<String>,
    /// What else is worth knowing.
    pub remarks: Vec<String>,
    /// Why nothing changed, and what to do next.
    pub error: Option<ErrorReport>,
}

/// What `apply_patch` gives. The texts that the caller wrote do not come back: the diff is there only
/// if nothing was written, or if a place was not found exactly as the patch has it.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub(super) struct PatchResult {
    #[serde(flatten)]
    pub report: ApplyReport,
    /// What was done to each file, in words.
    pub done: Vec<String>,
    /// What else is worth knowing.
    pub remarks: Vec<String>,
    /// What the file has where an edit failed, for the text: `edits` has it too.
    #[serde(skip)]
    pub misses: Vec<String>,
}

/// What `list_edits` gives.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub(super) struct ListEditsResult {
    /// The newest first.
    pub edits: Vec<WrittenEdit>,
    /// Why they are not known, and what to do next.
    pub error: Option<ErrorReport>,
}

/// What `find` gives.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub(super) struct FindResult {
    /// Best first; empty if no file has a word of the sentence.
    pub files: Vec<FoundFile>,
    /// Why there are none, and what to do next.
    pub error: Option<ErrorReport>,
}

/// The schema of each tool's structured content.
pub(super) fn schemas() -> BTreeMap<&'static str, Schema> {
    BTreeMap::from([
        ("edit", schema_for!(EditResult)),
        ("amend", schema_for!(EditResult)),
        ("write", schema_for!(WriteResult)),
        ("apply_patch", schema_for!(PatchResult)),
        ("undo", schema_for!(WriteResult)),
        ("list_edits", schema_for!(ListEditsResult)),
        ("find", schema_for!(FindResult)),
    ])
}
