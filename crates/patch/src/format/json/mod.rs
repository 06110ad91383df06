//! Edits as JSON objects: our own slots, and the arguments of other agents' edit tools, with or
//! without the call around them. An object begins a line, or follows a label or a tag on it. Prose
//! and fences may surround it. Several objects may follow each other, in a list or not.
//!
//! ```text
//! edit = {path, old_string, new_string, replace_all?, expected_replacements?}
//!      | {path, "edits": [{old_string, new_string, replace_all?}, ...]}
//!      | {path, content}                                           the whole file
//!      | {"command": "str_replace", path, old_str, new_str}
//!      | {"command": "create", path, file_text}
//!      | {"command": "insert", path, insert_line, insert_text}     below that line, 0: the top
//!      | {"operation": "replace" | "replace_all" | "insert" | "create", path, and its slots}
//!      | {"operation": "none"}
//!      | {"name": ..., "arguments": edit or a string that holds one}
//!      | {"tool_calls": [edit or a call that only reads, ...]}
//!      | {path?, "patch" | "diff" | "input" | "command": a patch in another format}
//! ```
//!
//! Each key may have any of the names in `read::PATH` and the constants below it. Other keys are
//! ignored, unless they say that `content` is not the whole file, or ask for edits a second time.
//! `edits` may be a string, strings, or one object. [`xml_call`] reads the same calls as XML. Models
//! also write a newline inside a string, and a comma before a closing bracket. Both are accepted.

mod objects;
mod read;
mod run;
#[cfg(test)]
mod tests;

pub use objects::{Object, objects_in};
pub(super) use run::run_at;

use super::patch::{FileEdit, FormatError};
use super::xml_call;
use objects::{LineCounter, Start, begins_object, first_object, value};
use read::{NEW_TEXT, Outer, TELLING, is_edit, read};
use serde_json::Value;
use std::ops::Range;

/// Whether the first object of the text is an edit, or begins like one.
#[cfg(test)]
fn is_in(text: &str) -> bool {
    let Some(start) = first_object(text, 0) else {
        return false;
    };
    let text = &text[start.object..];
    match value(text) {
        Ok((Value::Object(object), _)) => is_edit(&object, 0),
        Ok(_) => false,
        Err(_) => is_telling(text),
    }
}

/// Where the edit, or the list of edits, that a text begins with is in it, in bytes; `None` if it
/// begins with none. A label or a tag may be before it (`Call 1: {…}`, `<tool_call>{…}`). An edit
/// that cannot be read goes on to the end: it is refused.
fn range_at(text: &str) -> Option<Range<usize>> {
    let start = objects::start_on_line(text)?;
    let rest = &text[start..];
    let (is_meant, n_bytes) = match value(rest) {
        Ok((Value::Object(object), n_bytes)) => (is_edit(&object, 0), n_bytes),
        Ok((Value::Array(values), n_bytes)) => {
            let mut objects = values.iter().filter_map(Value::as_object);
            (objects.any(|object| is_edit(object, 0)), n_bytes)
        }
        Ok(_) => return None,
        Err(_) => (is_telling(rest), rest.len()),
    };
    is_meant.then_some(start..start + n_bytes)
}

/// Whether a text has a key that only edits have.
pub(super) fn is_telling(text: &str) -> bool {
    let mut keys = TELLING.split(' ');
    keys.any(|key| text.contains(&format!("\"{key}\"")))
}

/// Whether a line gives a value to a key that only edits have, as JSON or as XML.
pub(super) fn has_telling_key(line: &str) -> bool {
    // A list of "edits" is a word of other JSON, too.
    let telling = TELLING.split(' ').filter(|key| *key != "edits");
    telling
        .chain(NEW_TEXT.split(' '))
        .any(|key| gives_value(line, key))
}

fn gives_value(line: &str, key: &str) -> bool {
    line.match_indices(key).any(|(at, _)| {
        let before = &line[..at];
        let after = &line[at + key.len()..];
        let is_in_json = before.ends_with('"')
            && after
                .strip_prefix('"')
                .is_some_and(|rest| rest.trim_start().starts_with(':'));
        let is_in_xml = after.trim_start_matches(['"', '\'']).starts_with('>')
            && (before.ends_with(['<', '='])
                || before.trim_end_matches(['"', '\'']).ends_with("name="));
        is_in_json || is_in_xml
    })
}

/// A call of a tool that models write as XML, if it is an edit: its length in bytes, and the object.
pub(super) fn xml_call_at(text: &str) -> Option<(usize, Object)> {
    xml_call::call_at(text, |object| is_edit(object, 0))
}

pub(super) fn parse(text: &str) -> Result<Vec<FileEdit>, FormatError> {
    let mut file_edits = Vec::new();
    let mut lines = LineCounter::new(text);
    let mut list_line = None;
    let mut not_edit = None;
    let mut next = first_object(text, 0);
    while let Some(start) = next {
        if let Some(list) = start.list {
            list_line = Some(lines.line_of(list));
        }
        let line = lines.line_of(start.object);
        let (value, n_bytes) =
            value(&text[start.object..]).map_err(|error| unreadable(&error, line))?;
        if let Value::Object(object) = &value
            && let Err(message) = read(object, Outer::at(line), &mut file_edits)
        {
            let error = FormatError::at(line, message);
            if is_edit(object, 0) || TELLING.split(' ').any(|key| object.contains_key(key)) {
                return Err(error);
            }
            // A call that only reads may be beside others that edit.
            not_edit = not_edit.or(Some(error));
        }

        let end = start.object + n_bytes;
        let rest = text[end..].trim_start_matches([',', ' ', '\t', '\r', '\n']);
        let rest_at = text.len() - rest.len();
        next = if begins_object(rest) {
            Some(Start {
                object: rest_at,
                list: None,
            })
        } else if let Some(line) = list_line.take().filter(|_| !rest.starts_with(']')) {
            return Err(FormatError::at(
                line,
                "the list that begins here is not closed; the answer may have been cut off",
            ));
        } else if text[end..rest_at].contains('\n') {
            first_object(text, rest_at)
        } else {
            let next_line = rest.find('\n').map_or(rest.len(), |at| at + 1);
            first_object(text, rest_at + next_line)
        };
    }
    match not_edit {
        Some(error) if file_edits.is_empty() => Err(error),
        _ => Ok(file_edits),
    }
}

/// The error of an object that is no JSON. `line` is the one on which it begins.
fn unreadable(error: &serde_json::Error, line: usize) -> FormatError {
    let line = line + error.line().saturating_sub(1);
    if error.is_eof() {
        let message = "the JSON ends too early; the answer may have been cut off";
        return FormatError::at(line, message);
    }
    let message = error.to_string();
    let message = message
        .rsplit_once(" at line ")
        .map_or(message.as_str(), |(message, _)| message);
    let next = r#"write the edit as one JSON object, with `\"` and `\\` in its strings"#;
    FormatError::at(line, format!("{message}; {next}"))
}
