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
//! Each key may have any of the names in [`PATH`] and the constants below it. Other keys are ignored,
//! unless they say that `content` is not the whole file, or ask for edits a second time. `edits` may
//! be a string, strings, or one object. [`xml_call`] reads the same calls as XML. Models also write a newline inside a string, and a comma before a closing bracket. Both
//! are accepted.

mod objects;
mod read;
mod run;
#[cfg(test)]
mod tests;

pub use objects::{Object, objects_in};
pub(super) use run::{Run, run_at};

use super::patch::{FileEdit, FormatError};
use super::xml_call;
use objects::{LineCounter, Start, begins_object, first_object, value};
use read::{NEW_TEXT, TELLING, is_edit, read};
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

/// Where the edit, or the list of edits, that a text begins with is in it, in bytes; none if it
/// begins with none. A label or a tag may be before it (`Call 1: {…}`, `<tool_call>{…}`). An edit
/// that cannot be read goes on to the end: it is refused.
fn range_at(text: &str) -> Option<Range<usize>> {
    let start = objects::start_on_line(text)?;
    let text_of_edit = &text[start..];
    let n_bytes = match value(text_of_edit) {
        Ok((Value::Object(object), n_bytes)) => is_edit(&object, 0).then_some(n_bytes),
        Ok((Value::Array(values), n_bytes)) => {
            let mut objects = values.iter().filter_map(Value::as_object);
            objects.any(|object| is_edit(object, 0)).then_some(n_bytes)
        }
        Ok(_) => None,
        Err(_) => is_telling(text_of_edit).then_some(text_of_edit.len()),
    }?;
    Some(start..start + n_bytes)
}

/// Whether a text has a key that only edits have.
pub(super) fn is_telling(text: &str) -> bool {
    TELLING
        .iter()
        .any(|key| text.contains(&format!("\"{key}\"")))
}

/// Whether a line gives a value to a key that only edits have, as JSON or as XML.
pub(super) fn has_telling_key(line: &str) -> bool {
    let is_given = |key: &&str| {
        line.match_indices(*key).any(|(at, _)| {
            let (before, after) = (&line[..at], &line[at + key.len()..]);
            let is_in_json = before.ends_with('"')
                && after
                    .strip_prefix('"')
                    .is_some_and(|rest| rest.trim_start().starts_with(':'));
            let is_in_xml = after.trim_start_matches(['"', '\'']).starts_with('>')
                && (before.ends_with(['<', '='])
                    || before.trim_end_matches(['"', '\'']).ends_with("name="));
            is_in_json || is_in_xml
        })
    };
    // A list of "edits" is a word of other JSON, too.
    TELLING.iter().filter(|key| **key != "edits").any(is_given) || NEW_TEXT.iter().any(is_given)
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
        list_line = start.list.map(|list| lines.line_of(list)).or(list_line);
        let line = lines.line_of(start.object);
        let (value, n_bytes) = value(&text[start.object..]).map_err(|error| {
            let message = error.to_string();
            let message = message
                .rsplit_once(" at line ")
                .map_or(message.as_str(), |(message, _)| message);
            let line = line + error.line().saturating_sub(1);
            if error.is_eof() {
                let message = "the JSON ends too early; the answer may have been cut off";
                return FormatError::at(line, message);
            }
            FormatError::at(
                line,
                format!(
                    "{message}; write the edit as one JSON object, with \
                    `\\\"` and `\\\\` in its strings"
                ),
            )
        })?;
        if let Value::Object(object) = &value {
            let is_known =
                is_edit(object, 0) || TELLING.iter().any(|key| object.contains_key(*key));
            let read = read(object, None, line, 0, &mut file_edits);
            match read.map_err(|message| FormatError::at(line, message)) {
                // A call that only reads may be beside others that edit.
                Err(error) if !is_known => not_edit = not_edit.or(Some(error)),
                read => read?,
            }
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
            first_object(
                text,
                rest.find('\n')
                    .map_or(text.len(), |n_bytes| rest_at + n_bytes + 1),
            )
        };
    }
    match not_edit {
        Some(error) if file_edits.is_empty() => Err(error),
        _ => Ok(file_edits),
    }
}
