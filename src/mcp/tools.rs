//! The tools: what each is for, and what it takes. All of it is put into the prompt of the caller's
//! model, so that a word here costs every conversation.

use rmcp::model::{JsonObject, Tool, ToolAnnotations};
use schemars::generate::SchemaSettings;
use schemars::transform::{RecursiveTransform, Transform};
use schemars::{JsonSchema, Schema};
use serde::Deserialize;
use serde_json::Value;
use std::sync::Arc;

/// Files that `find` gives if it is not told how many.
const FOUND_FILES: usize = 5;

/// Edits that `list_edits` gives if it is not told how many.
const LISTED_EDITS: usize = 10;

/// What `edit` takes.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct EditParameters {
    /// The change, as one sentence in the person's words.
    pub task: String,
    /// File to change, relative to the root; path:line points at a line. Default: the best one is
    /// chosen.
    pub file: Option<String>,
    /// Most edits that the task may need, if several. Default: the model decides.
    #[schemars(range(min = 1, max = 20))]
    pub steps: Option<usize>,
    /// Shell command that checks the edit, with a compiler or tests. Default: none.
    pub check: Option<String>,
}

/// What `amend` takes.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct AmendParameters {
    /// Token that edit gave.
    pub token: String,
    /// What to change in that edit or add to it, as one sentence.
    pub task: String,
}

/// What `write` takes.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct WriteParameters {
    /// Token that edit gave.
    pub token: String,
    /// Kinds of warnings that you have looked at and accept, as ["unsure"]. Default: none.
    #[serde(default)]
    pub accept: Vec<String>,
}

/// What `apply_patch` takes.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct PatchParameters {
    /// The file's name and below it <<<<<<< SEARCH, old lines, =======, new lines, >>>>>>> REPLACE;
    /// or a unified diff, a Codex patch, JSON with path, old_string and new_string, or whole files in
    /// code fences under their names.
    pub patch: String,
    /// File that the patch is about, if it names none.
    pub file: Option<String>,
    /// Make the edits that can be made, if others cannot. Default: false.
    #[serde(default)]
    pub partial: bool,
    /// Only show the diff. Default: false.
    #[serde(default)]
    pub dry_run: bool,
    /// Kinds of warnings that you have looked at and accept, as ["breaks"]. Default: none.
    #[serde(default)]
    pub accept: Vec<String>,
}

/// What `undo` takes.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct UndoParameters {
    /// Number that the last edit has in list_edits. Default: whatever it is.
    pub number: Option<u64>,
}

/// What `list_edits` takes.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ListEditsParameters {
    /// Most edits to list. Default: 10.
    #[serde(default = "listed_edits")]
    #[schemars(range(min = 1, max = 100))]
    pub max_edits: usize,
}

fn listed_edits() -> usize {
    LISTED_EDITS
}

/// What `find` takes.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct FindParameters {
    /// The question or the task.
    pub task: String,
    /// Most files to give. Default: 5.
    #[serde(default = "found_files")]
    #[schemars(range(min = 1, max = 20))]
    pub max_files: usize,
}

fn found_files() -> usize {
    FOUND_FILES
}

/// All tools, as they are called.
pub(super) fn tools() -> Vec<Tool> {
    vec![
        tool::<EditParameters>(
            "edit",
            "Makes a small edit from a sentence with a local model and shows it as a diff: a rename, \
             a value, a line to insert. Writes nothing. Look at the diff and the warnings, then call \
             write with the token.",
            reads("Propose an edit"),
        ),
        tool::<AmendParameters>(
            "amend",
            "Changes an edit that edit has shown and that is not written yet, or adds to it. Gives a \
             new diff and a new token. Writes nothing.",
            reads("Change a proposed edit"),
        ),
        tool::<WriteParameters>(
            "write",
            "Writes an edit that edit has shown. The person may be asked first. An edit with \
             warnings is refused unless accept names them.",
            writes("Write a proposed edit"),
        ),
        tool::<PatchParameters>(
            "apply_patch",
            "Applies a patch that you wrote, and writes the files. Use it when you know the new text \
             yourself. Wrong whitespace and line numbers do no harm. All edits are made or none: the \
             result shows what the file has where one failed.",
            writes("Apply a patch"),
        ),
        tool::<UndoParameters>(
            "undo",
            "Takes back what was written last. Call it again for the one before. Refuses if a file \
             was changed since.",
            writes("Undo the last edit"),
        ),
        tool::<ListEditsParameters>(
            "list_edits",
            "Lists what was written, newest first, with the numbers for undo. Changes nothing.",
            reads("List written edits"),
        ),
        tool::<FindParameters>(
            "find",
            "Finds where something is: the files and lines that a question or a task is about. \
             Changes nothing.",
            reads("Find files"),
        ),
    ]
}

/// The tools as a caller is told of them: without what this server does not allow.
pub(super) fn listed_tools(allows_check: bool) -> Vec<Tool> {
    let mut tools = tools();
    if !allows_check {
        for tool in &mut tools {
            let schema = Arc::make_mut(&mut tool.input_schema);
            if let Some(Value::Object(properties)) = schema.get_mut("properties") {
                properties.shift_remove("check");
            }
        }
    }
    tools
}

fn reads(title: &str) -> ToolAnnotations {
    annotations(title).read_only(true)
}

fn writes(title: &str) -> ToolAnnotations {
    annotations(title).read_only(false).destructive(true)
}

fn annotations(title: &str) -> ToolAnnotations {
    ToolAnnotations::with_title(title).open_world(false)
}

fn tool<P: JsonSchema>(
    name: &'static str,
    description: &'static str,
    annotations: ToolAnnotations,
) -> Tool {
    Tool::new(name, description, schema::<P>()).with_annotations(annotations)
}

/// A schema in one piece and without what a caller need not know: small models and some clients do not
/// follow references, and others do not know a list of types.
fn schema<P: JsonSchema>() -> Arc<JsonObject> {
    let settings =
        SchemaSettings::draft2020_12().with(|settings| settings.inline_subschemas = true);
    let mut schema = settings.into_generator().into_root_schema_for::<P>();
    for word in ["$schema", "title", "description"] {
        schema.remove(word);
    }
    RecursiveTransform(plain).transform(&mut schema);
    match schema.to_value() {
        Value::Object(object) => Arc::new(object),
        other => unreachable!("a struct has an object for a schema: {other}"),
    }
}

/// Leaves out the formats that schemars adds (`uint`), which are not those of JSON Schema, defaults,
/// which the descriptions say, and null: what may be null may be left out. A description is one line.
fn plain(schema: &mut Schema) {
    if let Some(words) = schema.get("description").and_then(|words| words.as_str()) {
        let words = words.replace('\n', " ");
        schema.insert("description".to_owned(), words.into());
    }
    schema.remove("format");
    schema.remove("default");
    let types = schema.get("type").and_then(|types| types.as_array());
    let mut types = types.into_iter().flatten();
    if let Some(not_null) = types.find(|name| *name != "null").cloned() {
        schema.insert("type".to_owned(), not_null);
    }
}
