//! Edits as JSON objects: our own slots, and the arguments of other agents' edit tools, with or
//! without the call around them. An object begins a line. Prose and fences may surround it. Several
//! objects may follow each other, in a list or not.
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
//! ```
//!
//! Each key may have any of the names in [`PATH`] and the constants below it; other keys are
//! ignored. Models also write a newline inside a string, and a comma before a closing bracket. Both
//! are accepted.

mod objects;
mod read;
mod render;
#[cfg(test)]
mod tests;

pub(crate) use objects::objects_in;
pub(super) use render::render;

use super::patch::{FileEdit, FormatError};
use objects::{LineCounter, Start, begins_object, first_object, value};
use read::{TELLING, is_edit, read};
use serde_json::Value;

/// Whether the first object of the text is an edit, or begins like one.
pub(super) fn is_in(text: &str) -> bool {
    let Some(start) = first_object(text, 0) else { return false };
    let text = &text[start.object..];
    match value(text) {
        Ok((Value::Object(object), _)) => is_edit(&object, 0),
        Ok(_) => false,
        Err(_) => TELLING.iter().any(|key| text.contains(&format!("\"{key}\""))),
    }
}

/// The length of the edit, or of the list of edits, that begins a text, in bytes; none if none
/// does. An edit that cannot be read goes on to the end: it is refused.
pub(super) fn end_at(text: &str) -> Option<usize> {
    let inner = text.strip_prefix('[').unwrap_or(text).trim_start();
    if !begins_object(inner) {
        return None;
    }
    match value(text) {
        Ok((Value::Object(object), n_bytes)) => is_edit(&object, 0).then_some(n_bytes),
        Ok((Value::Array(values), n_bytes)) => {
            let first = values.first().and_then(Value::as_object)?;
            is_edit(first, 0).then_some(n_bytes)
        }
        Ok(_) => None,
        Err(_) => {
            TELLING.iter().any(|key| text.contains(&format!("\"{key}\""))).then_some(text.len())
        }
    }
}

pub(super) fn parse(text: &str) -> Result<Vec<FileEdit>, FormatError> {
    let mut file_edits = Vec::new();
    let mut lines = LineCounter::new(text);
    let mut list_line = None;
    let mut next = first_object(text, 0);
    while let Some(start) = next {
        list_line = start.list.map(|list| lines.line_of(list)).or(list_line);
        let line = lines.line_of(start.object);
        let (value, n_bytes) = value(&text[start.object..]).map_err(|error| {
            let message = error.to_string();
            let message =
                message.rsplit_once(" at line ").map_or(message.as_str(), |(message, _)| message);
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
            read(object, None, line, 0, &mut file_edits)
                .map_err(|message| FormatError::at(line, message))?;
        }
        let end = start.object + n_bytes;
        let rest = text[end..].trim_start_matches([',', ' ', '\t', '\r', '\n']);
        let rest_at = text.len() - rest.len();
        next = if begins_object(rest) {
            Some(Start { object: rest_at, list: None })
        } else if let Some(line) = list_line.take().filter(|_| !rest.starts_with(']')) {
            return Err(FormatError::at(
                line,
                "the list that begins here is not closed; the answer may have been cut off",
            ));
        } else if text[end..rest_at].contains('\n') {
            first_object(text, rest_at)
        } else {
            first_object(text, rest.find('\n').map_or(text.len(), |n_bytes| rest_at + n_bytes + 1))
        };
    }
    Ok(file_edits)
}
