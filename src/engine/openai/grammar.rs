//! A spec as a grammar in llama.cpp's notation (GBNF), for its servers that take no JSON Schema.
//!
//! It says more than a schema can: keys only where they mean something, and for a line that stands
//! more than once the names of its own places.

use super::schema::line_labels;
use crate::constrain::{PickFile, SlotSpec, Spec};
use crate::slots::{NO_PLACE, Operation, Reason};
use crate::text::place_labels;
use std::collections::BTreeMap;

/// Values that a choice may have: a grammar with more takes long to read and slows every token.
const MAX_VALUES: usize = 1_000;

const STRING: &str = r#"string ::= "\"" char* "\""
char ::= [^"\\\x00-\x1f\x7f] | "\\" (["\\/bfnrt] | "u" [0-9a-fA-F] [0-9a-fA-F] [0-9a-fA-F] [0-9a-fA-F])
"#;

/// The grammar of a spec; none for one without slots.
pub(super) fn of(spec: &Spec) -> Option<String> {
    let Spec::Slots(slots) = spec else { return None };
    let root = match slots {
        SlotSpec::Pick { files, may_create } => pick(files, *may_create),
        SlotSpec::Replace { shown, .. } => {
            let labels = line_labels(shown);
            let place = choice(labels.iter().map(String::as_str).chain([NO_PLACE]));
            format!(
                "{} string ({} {place})? {} string {}",
                word("{\"old\":"),
                word(",\"place\":"),
                word(",\"new\":"),
                word("}")
            )
        }
        SlotSpec::ReplaceAll { .. } => {
            format!("{} string {} string {}", word("{\"old\":"), word(",\"new\":"), word("}"))
        }
        SlotSpec::Insert { shown } => {
            let lines = shown.anchor_lines();
            let anchor = if lines.len() > MAX_VALUES {
                format!("string ({} string)?", word(",\"place\":"))
            } else {
                let anchors = lines.iter().map(|(line, at)| match at.as_slice() {
                    [_] => quoted(line),
                    at => {
                        let labels = place_labels(shown, at);
                        let place = choice(labels.iter().map(String::as_str).chain([NO_PLACE]));
                        format!("{} {} {place}", quoted(line), word(",\"place\":"))
                    }
                });
                format!("({})", anchors.collect::<Vec<_>>().join(" | "))
            };
            let (position, text) = (choice(["before", "after"].into_iter()), word(",\"text\":"));
            format!(
                "{} {anchor} {} {position} {text} string {}",
                word("{\"anchor\":"),
                word(",\"position\":"),
                word("}")
            )
        }
        SlotSpec::Create { .. } => {
            format!("{} string {} string {}", word("{\"path\":"), word(",\"text\":"), word("}"))
        }
    };
    Some(format!("root ::= {root}\n{STRING}"))
}

fn pick(files: &[PickFile], may_create: bool) -> String {
    let mut by_operations: BTreeMap<&[Operation], Vec<&str>> = BTreeMap::new();
    for file in files {
        by_operations.entry(&file.operations).or_default().push(&file.path);
    }
    let mut ways: Vec<String> = Vec::new();
    for (operations, paths) in by_operations {
        let operation = choice(operations.iter().map(|operation| operation.word()));
        let path = choice(paths.into_iter());
        ways.push(format!(
            "{} {path} {} {operation} {}",
            word("{\"path\":"),
            word(",\"operation\":"),
            word("}")
        ));
    }
    if may_create {
        ways.push(word("{\"operation\":\"create\"}"));
    }
    let reason = choice(Reason::ALL.iter().map(|reason| reason.word()));
    ways.push(format!("{} {reason} {}", word("{\"operation\":\"none\",\"reason\":"), word("}")));
    ways.join(" | ")
}

/// One of some JSON strings; any, if they are too many.
fn choice<'a>(values: impl Iterator<Item = &'a str>) -> String {
    let values: Vec<String> = values.map(quoted).collect();
    if values.len() > MAX_VALUES {
        "string".to_owned()
    } else {
        format!("({})", values.join(" | "))
    }
}

/// A text as the JSON string that stands in an answer.
fn quoted(text: &str) -> String {
    word(&serde_json::Value::from(text).to_string())
}

/// What stands there as it is. JSON has escaped what is not printable.
fn word(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::Shown;

    #[track_caller]
    fn check(spec: &Spec, root: &str) {
        assert_eq!(of(spec).unwrap().lines().next().unwrap(), format!("root ::= {root}"));
    }

    #[test]
    fn a_grammar_says_what_there_is() {
        let file = |path: &str, operations| PickFile { path: path.to_owned(), operations };
        let files = vec![
            file("a\"b", vec![Operation::Insert]),
            file("c", vec![Operation::Replace, Operation::Insert]),
        ];
        check(
            &Spec::Slots(SlotSpec::Pick { files, may_create: true }),
            concat!(
                r#""{\"path\":" ("\"c\"") ",\"operation\":" ("\"replace\"" | "\"insert\"") "}" | "#,
                r#""{\"path\":" ("\"a\\\"b\"") ",\"operation\":" ("\"insert\"") "}" | "{\"operation\":\"create\"}" | "#,
                r#""{\"operation\":\"none\",\"reason\":" ("\"already_done\"" | "\"not_in_these_files\"" | "\"unclear\"") "}""#
            ),
        );
        check(
            &Spec::Slots(SlotSpec::Insert { shown: Shown::whole("a\nb\na\n") }),
            concat!(
                r#""{\"anchor\":" ("\"a\"" ",\"place\":" ("\"line 1\"" | "\"line 3\"" | "\"none\"") | "\"b\"") "#,
                r#"",\"position\":" ("\"before\"" | "\"after\"") ",\"text\":" string "}""#
            ),
        );
        check(
            &Spec::Slots(SlotSpec::Replace { shown: Shown::whole("a\n"), blocks: false }),
            r#""{\"old\":" string (",\"place\":" ("\"line 1\"" | "\"none\""))? ",\"new\":" string "}""#,
        );
        assert_eq!(of(&Spec::Free), None);
    }
}
