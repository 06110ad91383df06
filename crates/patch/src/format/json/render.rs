//! Writes edits as JSON objects.

use super::objects::Object;
use crate::format::patch::{Action, FileEdit, LineEdit, Over};
use crate::locate::hunk::{Count, Extent};
use crate::slots::Operation;
use serde_json::{Value, json};

/// One object per line; several objects form a list.
pub(in crate::format) fn render(file_edits: &[FileEdit]) -> Option<String> {
    let objects: Vec<String> = file_edits
        .iter()
        .map(|file_edit| Some(object(file_edit)?.to_string()))
        .collect::<Option<_>>()?;
    Some(match &objects[..] {
        [object] => format!("{object}\n"),
        _ => format!("[\n{}\n]\n", objects.join(",\n")),
    })
}

fn object(file_edit: &FileEdit) -> Option<Value> {
    let mut object = Object::new();
    match &file_edit.path {
        Some(path) => object.extend([("path".to_owned(), json!(path))]),
        None if matches!(file_edit.action, Action::Write { .. }) => return None,
        None => {}
    }
    let keys = match &file_edit.action {
        Action::Edit(hunk) if hunk.extent == Extent::Text && !hunk.changes_nothing() => {
            let old = hunk.old().collect::<Vec<_>>().join("\n");
            let new = hunk.new().collect::<Vec<_>>().join("\n");
            match (hunk.count, hunk.hints.line) {
                _ if old.is_empty() => return None,
                (Count::One, Some(line)) => {
                    let place = format!("line {line}");
                    json!({"operation": "replace", "old": old, "place": place, "new": new})
                }
                (Count::One, None) => json!({"old_string": old, "new_string": new}),
                (Count::All, _) => {
                    json!({"old_string": old, "new_string": new, "replace_all": true})
                }
                (Count::AllWords, _) => {
                    json!({"operation": Operation::ReplaceAll.word(), "old": old, "new": new})
                }
                (Count::Exactly(n), _) => {
                    json!({"old_string": old, "new_string": new, "expected_replacements": n})
                }
            }
        }
        Action::Insert(insert) => {
            object.insert("operation".to_owned(), json!(Operation::Insert.word()));
            serde_json::to_value(insert).ok()?
        }
        Action::Write {
            text,
            over: Over::Nothing,
        } => {
            json!({"operation": Operation::Create.word(), "text": text})
        }
        Action::Write {
            text,
            over: Over::Anything,
        } => json!({"content": text}),
        Action::Lines(LineEdit {
            line,
            n_deleted: 0,
            new,
        }) if !new.is_empty() => {
            json!({"command": "insert", "insert_line": line, "insert_text": new.join("\n") + "\n"})
        }
        _ => return None,
    };
    if let Value::Object(keys) = keys {
        object.extend(keys);
    }
    Some(Value::Object(object))
}
