//! Edits that begin on one line: models write several calls one after the other.

use super::{objects, range_at, xml_call_at};
use serde_json::Value;

/// Edits as JSON objects, or calls as XML, that follow each other on a line.
pub(in crate::format) struct ObjectRun {
    /// Up to where they were read.
    pub n_bytes: usize,
    /// The objects, with commas between them.
    pub objects: String,
}

/// The edits at the start of a text; `None` if it begins with none.
pub(in crate::format) fn run_at(text: &str) -> Option<ObjectRun> {
    let mut objects: Vec<String> = Vec::new();
    let mut n_bytes = 0;
    while let Some((length, object)) = object_at(&text[n_bytes..]) {
        objects.push(object);
        let rest = text[n_bytes + length..].trim_start_matches([',', ';', ' ', '\t', ')']);
        let rest = objects::without_closing_tags(rest);
        n_bytes = text.len() - rest.len();
        // Other lines have runs of their own.
        if rest.is_empty() || rest.starts_with(['\r', '\n']) {
            break;
        }
    }
    (!objects.is_empty()).then(|| ObjectRun {
        n_bytes,
        objects: objects.join(", "),
    })
}

/// The length of one edit, and its object; the objects of a list without their brackets.
fn object_at(text: &str) -> Option<(usize, String)> {
    if let Some(range) = range_at(text) {
        let (n_bytes, object) = (range.end, &text[range]);
        let inner = object
            .strip_prefix('[')
            .and_then(|inner| inner.strip_suffix(']'));
        return Some((n_bytes, inner.unwrap_or(object).to_owned()));
    }
    let indent = text.len() - text.trim_start().len();
    let (n_bytes, object) = xml_call_at(&text[indent..])?;
    Some((indent + n_bytes, Value::Object(object).to_string()))
}
