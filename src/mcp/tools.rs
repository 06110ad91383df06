//! The tools: what each is for, what it takes, and what it gives.

use crate::app::find::FoundFile;
use crate::app::report::{ApplyReport, CheckReport, ErrorReport, Status, WarningReport};
use crate::app::undo::WrittenEdit;
use rmcp::model::{JsonObject, Tool, ToolAnnotations};
use schemars::generate::SchemaSettings;
use schemars::transform::RecursiveTransform;
use schemars::{JsonSchema, Schema};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Files that `find` gives if it is not told how many.
const FOUND_FILES: usize = 5;

/// Edits that `list_edits` gives if it is not told how many.
const LISTED_EDITS: usize = 10;

/// What `edit` takes.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct EditParameters {
    /// What is to be changed, in one sentence: name the text and what it should become.
    pub task: String,
    /// The file to change, relative to the root; without it the best one is chosen.
    pub file: Option<String>,
    /// The line that the task is about, as path:line, counted from 1; instead of file.
    pub at: Option<String>,
    /// The token of an edit that is shown and not written: the task then changes that edit or adds to it.
    pub amend: Option<String>,
    /// The most edits that the task may need, from 1 to 20; all are shown and written together. Without
    /// it the model decides.
    #[schemars(range(min = 1, max = 20))]
    pub steps: Option<usize>,
    /// A line for the shell that checks the edit (compiler, linter, tests); what it complains of is
    /// mended where possible. Refused unless the server allows it.
    pub check: Option<String>,
}

/// What `edit` gives.
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
    /// What asks for a second look. `write` refuses such an edit unless `accept` names the kind.
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

/// What `write` takes.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct WriteParameters {
    /// The token that `edit` gave.
    pub token: String,
    /// The kinds of warnings of this edit that you have looked at and want it written in spite of.
    #[serde(default)]
    pub accept: Vec<String>,
}

/// What `write` and `undo` give.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub(super) struct WriteResult {
    /// `done`, or `not_made`: then `error` says why, and no file was changed.
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

/// What `apply_patch` takes.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct PatchParameters {
    /// The patch: search/replace blocks, a unified diff, a Codex patch, JSON with old_string and
    /// new_string, or whole files in code fences under their names.
    pub patch: String,
    /// The one file that the patch is about, if it does not name it; relative to the root.
    pub file: Option<String>,
    /// Make the edits that can be made, if others cannot.
    #[serde(default)]
    pub partial: bool,
    /// Only show the diff.
    #[serde(default)]
    pub dry_run: bool,
    /// The kinds of warnings of this patch that you have looked at and want it written in spite of.
    #[serde(default)]
    pub accept: Vec<String>,
}

/// What `undo` takes.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct UndoParameters {
    /// The number that the last edit must have, as list_edits gives it. The last edit is taken back
    /// with or without it.
    pub number: Option<u64>,
}

/// What `list_edits` takes.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ListEditsParameters {
    /// The most edits to give, from 1 to 100.
    #[serde(default = "listed_edits")]
    #[schemars(range(min = 1, max = 100))]
    pub max_edits: usize,
}

fn listed_edits() -> usize {
    LISTED_EDITS
}

/// What `list_edits` gives.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub(super) struct ListEditsResult {
    /// The newest first.
    pub edits: Vec<WrittenEdit>,
    /// Why they are not known, and what to do next.
    pub error: Option<ErrorReport>,
}

/// What `find` takes.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct FindParameters {
    /// What you look for, in a sentence.
    pub task: String,
    /// The most files to give, from 1 to 20.
    #[serde(default = "found_files")]
    #[schemars(range(min = 1, max = 20))]
    pub max_files: usize,
}

fn found_files() -> usize {
    FOUND_FILES
}

/// What `find` gives.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub(super) struct FindResult {
    /// Best first.
    pub files: Vec<FoundFile>,
    /// Why there are none, and what to do next.
    pub error: Option<ErrorReport>,
}

/// All tools.
pub(super) fn tools() -> Vec<Tool> {
    vec![
        tool::<EditParameters, EditResult>(
            "edit",
            "Makes a small edit from a sentence with a local model, and shows it as a diff; nothing \
             is written. Use it for one change that a sentence can say exactly: a rename, a value, \
             a line to insert. Look at the diff and the warnings, then call write with the token.",
            reads(),
        ),
        tool::<WriteParameters, WriteResult>(
            "write",
            "Writes an edit that the tool edit has shown, by its token. It refuses if a file has \
             changed since, and then changes nothing: call edit again. An edit with warnings is \
             written only if accept names their kinds.",
            writes(),
        ),
        tool::<PatchParameters, ApplyReport>(
            "apply_patch",
            "Applies a patch that you wrote, in any usual format, and writes it. Use it when you \
             know the new text yourself; wrong whitespace, indentation and line numbers do no harm. \
             All edits are made or none: the report says for each one that failed what the file \
             has instead, so that you mend only those and send the patch again.",
            writes(),
        ),
        tool::<UndoParameters, WriteResult>(
            "undo",
            "Takes back what was written last under the root by write, apply_patch or slotwright \
             itself. Use it when an edit was wrong; calling it again takes back the one before. It \
             refuses if a file was changed since.",
            writes(),
        ),
        tool::<ListEditsParameters, ListEditsResult>(
            "list_edits",
            "Lists what was written under the root, with the numbers that undo takes. The newest \
             comes first. Use it before you undo more than the last one.",
            reads(),
        ),
        tool::<FindParameters, FindResult>(
            "find",
            "Finds the files, and the lines in them, that a sentence is most likely about. Use it \
             before edit or apply_patch when you do not know the file. It is quick and asks no \
             model.",
            reads(),
        ),
    ]
}

fn reads() -> ToolAnnotations {
    ToolAnnotations::new().read_only(true).open_world(false)
}

fn writes() -> ToolAnnotations {
    let annotations = ToolAnnotations::new().read_only(false);
    annotations.destructive(true).open_world(false)
}

fn tool<P: JsonSchema, R: JsonSchema>(
    name: &'static str,
    description: &'static str,
    annotations: ToolAnnotations,
) -> Tool {
    Tool::new(name, description, schema::<P>(Words::Kept))
        .with_raw_output_schema(schema::<R>(Words::LeftOut))
        .with_annotations(annotations)
}

/// Whether a schema says in words what each value is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Words {
    /// The caller reads them.
    Kept,
    /// A program checks the result. Some clients put the schema into the model's prompt, and a
    /// model is told the same in the result's text.
    LeftOut,
}

/// A schema in one piece: small models and some clients do not follow references. The formats that
/// schemars adds (`uint`, `double`) are not those of JSON Schema.
fn schema<T: JsonSchema>(words: Words) -> Arc<JsonObject> {
    let plain = RecursiveTransform(move |schema: &mut Schema| {
        schema.remove("format");
        if words == Words::LeftOut {
            schema.remove("description");
        }
    });
    let settings =
        SchemaSettings::draft2020_12().with(|settings| settings.inline_subschemas = true);
    let schema = settings
        .with_transform(plain)
        .into_generator()
        .into_root_schema_for::<T>();
    match schema.to_value() {
        serde_json::Value::Object(object) => Arc::new(object),
        other => unreachable!("a struct has an object for a schema: {other}"),
    }
}
