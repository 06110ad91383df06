//! Writes a spec as a grammar in llama.cpp's notation (GBNF), for its servers that take no JSON
//! Schema.
//!
//! It says more than a schema can: keys occur only where they mean something, and a line that
//! occurs more than once is followed by the names of its own places.

use super::strict_schema::line_labels;
use crate::constrain::{PickFile, SlotSpec, Spec};
use crate::slots::shape::{self, Field, Presence, ValueKind};
use crate::slots::{NO_OPERATION, NO_PLACE, Operation, Reason, Slot};
use crate::text::{Shown, place_labels};
use std::collections::BTreeMap;

/// The most values of a choice. A larger grammar takes long to read and slows every token.
const MAX_VALUES: usize = 1_000;

const STRING: &str = concat!(
    r#"string ::= "\"" char* "\"""#,
    "\n",
    r#"char ::= [^"\\\x00-\x1f\x7f] | "\\" (["\\/bfnrt] | "u""#,
    " [0-9a-fA-F] [0-9a-fA-F] [0-9a-fA-F] [0-9a-fA-F])\n",
);

/// The grammar of a spec; `None` for a spec without slots.
pub(super) fn of(spec: &Spec) -> Option<String> {
    let Spec::Slots(slots) = spec else {
        return None;
    };
    let root = match slots {
        SlotSpec::Pick {
            files, may_create, ..
        } => pick(files, *may_create),
        _ => answer(slots.fields(), slots.shown()),
    };
    Some(format!("root ::= {root}\n{STRING}"))
}

/// The rule for an answer of stage 2.
fn answer(fields: &[Field], shown: Option<&Shown>) -> String {
    let mut parts = Vec::new();
    for (field_idx, field) in fields.iter().enumerate() {
        let key = match field_idx {
            0 => word(&shape::first_key(field.slot)),
            _ => word(&shape::next_key(field.slot)),
        };
        match (field.value, shown) {
            // Only a constraint made from the file can say which lines end a block.
            _ if field.presence == Presence::Block => {}
            (ValueKind::Line, Some(shown)) => parts.push(format!("{key} {}", line(shown))),
            // The place of a line is part of the line's rule.
            (ValueKind::Place, _) if fields[field_idx - 1].value == ValueKind::Line => {}
            (ValueKind::Place, Some(shown)) => {
                parts.push(format!("({key} {})?", place(&line_labels(shown))));
            }
            (ValueKind::Word(words), _) => {
                parts.push(format!("{key} {}", choice(words.iter().copied())));
            }
            _ => parts.push(format!("{key} string")),
        }
    }
    parts.push(word(shape::CLOSE));
    parts.join(" ")
}

/// The rule for a line that was shown, with the name of its place if it occurs more than once.
fn line(shown: &Shown) -> String {
    let key = word(&shape::next_key(Slot::Place));
    let lines = shown.anchor_lines();
    if lines.len() > MAX_VALUES {
        return format!("string ({key} string)?");
    }
    let lines = lines.iter().map(|(line, at)| match at.as_slice() {
        [_] => quoted(line),
        at => format!("{} {key} {}", quoted(line), place(&place_labels(shown, at))),
    });
    format!("({})", lines.collect::<Vec<_>>().join(" | "))
}

/// The rule for one of these places, or none.
fn place(labels: &[String]) -> String {
    choice(labels.iter().map(String::as_str).chain([NO_PLACE]))
}

/// The rule for an answer of stage 1.
fn pick(files: &[PickFile], may_create: bool) -> String {
    let path_key = word(&shape::first_key(Slot::Path));
    let operation_key = word(&shape::next_key(Slot::Operation));
    let close = word(shape::CLOSE);
    let mut by_operations: BTreeMap<&[Operation], Vec<&str>> = BTreeMap::new();
    for file in files {
        by_operations
            .entry(&file.operations)
            .or_default()
            .push(&file.path);
    }
    let mut ways: Vec<String> = Vec::new();
    for (operations, paths) in by_operations {
        let operation = choice(operations.iter().map(|operation| operation.word()));
        let path = choice(paths.into_iter());
        ways.push(format!(
            "{path_key} {path} {operation_key} {operation} {close}"
        ));
    }
    let only_operation = shape::first_key(Slot::Operation);
    if may_create {
        let create = Operation::Create.word();
        ways.push(word(&format!(
            "{only_operation}\"{create}\"{}",
            shape::CLOSE
        )));
    }
    let reason_key = shape::next_key(Slot::Reason);
    let declined = word(&format!("{only_operation}\"{NO_OPERATION}\"{reason_key}"));
    ways.push(format!(
        "{declined} {} {close}",
        choice(Reason::WORDS.into_iter())
    ));
    ways.join(" | ")
}

/// The rule for one of some JSON strings. Any string if there are too many.
fn choice<'a>(values: impl Iterator<Item = &'a str>) -> String {
    let values: Vec<String> = values.map(quoted).collect();
    if values.len() > MAX_VALUES {
        "string".to_owned()
    } else {
        format!("({})", values.join(" | "))
    }
}

/// A literal for a text as a JSON string.
fn quoted(text: &str) -> String {
    word(&serde_json::Value::from(text).to_string())
}

/// A literal. JSON has already escaped everything that is not printable.
fn word(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::constrain::NoEdit;

    #[track_caller]
    fn check(spec: &Spec, root: &str) {
        assert_eq!(
            of(spec).unwrap().lines().next().unwrap(),
            format!("root ::= {root}")
        );
    }

    #[test]
    fn a_grammar_says_what_there_is() {
        let file = |path: &str, operations| PickFile {
            path: path.to_owned(),
            operations,
        };
        let files = vec![
            file("a\"b", vec![Operation::Insert]),
            file("c", vec![Operation::Replace, Operation::Insert]),
        ];
        check(
            &Spec::Slots(SlotSpec::Pick {
                files,
                may_create: true,
                goes_on: false,
                no_edit: NoEdit::ForAnyReason,
            }),
            concat!(
                r#""{\"path\":" ("\"c\"") ",\"operation\":" ("\"replace\"" | "\"insert\"") "}" | "#,
                r#""{\"path\":" ("\"a\\\"b\"") ",\"operation\":" ("\"insert\"") "}" | "#,
                r#""{\"operation\":\"create\"}" | "#,
                r#""{\"operation\":\"none\",\"reason\":" "#,
                r#"("\"already_done\"" | "\"not_in_these_files\"" | "\"unclear\"") "}""#
            ),
        );
        check(
            &Spec::Slots(SlotSpec::Insert {
                shown: Shown::whole("a\nb\na\n"),
                side_first: false,
            }),
            concat!(
                r#""{\"anchor\":" "#,
                r#"("\"a\"" ",\"place\":" ("\"line 1\"" | "\"line 3\"" | "\"none\"") | "\"b\"") "#,
                r#"",\"position\":" ("\"before\"" | "\"above\"" | "\"below\"" | "\"after\"") "#,
                r#"",\"text\":" string "}""#
            ),
        );
        check(
            &Spec::Slots(SlotSpec::Replace {
                shown: Shown::whole("a\n"),
                blocks: false,
            }),
            concat!(
                r#""{\"old\":" string (",\"place\":" ("\"line 1\"" | "\"none\""))? "#,
                r#"",\"new\":" string "}""#,
            ),
        );
        assert_eq!(of(&Spec::Free), None);
    }
}
