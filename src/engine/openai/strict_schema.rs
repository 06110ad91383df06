//! Writes a spec as a JSON Schema for servers, as strong as servers accept it.
//!
//! Paths, operations, lines and places are choices (`enum`). A schema cannot force `old` to occur
//! in the file, so `old` is any text, and [`crate::locate::free_slots`] looks for it. Servers want
//! every key in every answer, so a key that does not apply has an empty value.

use crate::constrain::{PickFile, SlotSpec, Spec};
use crate::slots::shape::{Field, Presence, ValueKind};
use crate::slots::{NO_OPERATION, NO_PLACE, Operation};
use crate::text::{Occurrence, Shown, place_labels};
use serde_json::{Map, Value, json};

/// OpenAI's limits: `MAX_VALUES` for the values of all choices together; `MAX_CHARS` for the
/// characters of one choice with more than `MANY_VALUES` values.
const MAX_VALUES: usize = 1_000;
const MANY_VALUES: usize = 250;
const MAX_CHARS: usize = 15_000;

/// A schema, and what it leaves out.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct SpecSchema {
    pub schema: Value,
    /// Whether the schema may be sent with OpenAI's `strict`.
    pub is_strict: bool,
    /// The key of a choice that has too many values for servers, and is any text instead.
    pub left_out: Option<&'static str>,
}

/// The schema of a spec; `None` for a spec that has none.
pub(super) fn of(spec: &Spec) -> Option<SpecSchema> {
    let slots = match spec {
        Spec::Slots(slots) => slots,
        Spec::Schema(schema) => {
            return Some(SpecSchema {
                schema: schema.clone(),
                is_strict: false,
                left_out: None,
            });
        }
        Spec::Free => return None,
    };
    let fields = slots.fields();
    let mut properties = Map::new();
    let mut n_values = 0;
    let mut left_out = None;
    for (field_idx, field) in fields.iter().enumerate() {
        // Only a constraint made from the file can say which lines end a block.
        if field.presence == Presence::Block {
            continue;
        }
        let key = field.slot.key();
        let mut property = json!({"type": "string", "description": field.description});
        match choices(slots, &fields[..=field_idx]) {
            Some(values) if is_too_much(&values, n_values) => left_out = left_out.or(Some(key)),
            Some(values) => {
                n_values += values.len();
                property["enum"] = json!(values);
            }
            None => {}
        }
        properties.insert(key.to_owned(), property);
    }

    let required: Vec<&String> = properties.keys().collect();
    Some(SpecSchema {
        schema: json!({
            "type": "object",
            "required": required,
            "additionalProperties": false,
            "properties": properties,
        }),
        is_strict: true,
        left_out,
    })
}

/// Whether servers do not take a choice of these values beside `n_others` of other choices.
fn is_too_much(values: &[String], n_others: usize) -> bool {
    // Some values stay free for the small choices after a large one.
    const KEPT_FREE: usize = 10;
    let max = if values.len() > KEPT_FREE {
        MAX_VALUES - KEPT_FREE
    } else {
        MAX_VALUES
    };
    let n_chars: usize = values.iter().map(|value| value.chars().count()).sum();
    n_others + values.len() > max || (values.len() > MANY_VALUES && n_chars > MAX_CHARS)
}

/// The values of the last of these fields; `None` if it is any text. A field that only some answers
/// have may be empty.
fn choices(slots: &SlotSpec, fields: &[Field]) -> Option<Vec<String>> {
    let (field, before) = fields.split_last()?;
    let mut values = Vec::new();

    match (field.value, slots) {
        (ValueKind::ListedPath, SlotSpec::Pick { files, .. }) => {
            values.extend(files.iter().map(|file| file.path.clone()));
            values.push(String::new());
        }
        (
            ValueKind::OperationWord,
            SlotSpec::Pick {
                files, may_create, ..
            },
        ) => {
            values.extend(operations(files).map(|operation| operation.word().to_owned()));
            if *may_create {
                values.push(Operation::Create.word().to_owned());
            }
            values.push(NO_OPERATION.to_owned());
        }
        (ValueKind::Word(words), _) => {
            if field.presence != Presence::Always {
                values.push(String::new());
            }
            values.extend(words.iter().map(|&word| word.to_owned()));
        }
        (ValueKind::Line, _) => {
            let lines = slots.shown()?.anchor_lines();
            values.extend(lines.iter().map(|(line, _)| (*line).to_owned()));
        }
        (ValueKind::Place, _) => {
            let shown = slots.shown()?;
            values.push(String::new());
            values.extend(if before.last()?.value == ValueKind::Line {
                labels_of_repeated_lines(shown)
            } else {
                line_labels(shown)
            });
            values.push(NO_PLACE.to_owned());
        }
        _ => return None,
    }
    Some(values)
}

/// Whether an answer could come from a server that follows the schema.
pub(super) fn fits(schema: &SpecSchema, answer: &Map<String, Value>) -> bool {
    let properties = match schema.schema["properties"].as_object() {
        Some(properties) if schema.is_strict => properties,
        _ => return true,
    };
    answer.len() == properties.len()
        && properties.iter().all(|(key, property)| {
            let choices = property["enum"].as_array();
            answer.get(key).is_some_and(|value| {
                value.is_string() && choices.is_none_or(|choices| choices.contains(value))
            })
        })
}

/// The operations allowed for any of the files.
fn operations(files: &[PickFile]) -> impl Iterator<Item = Operation> {
    Operation::ALL
        .into_iter()
        .filter(|operation| files.iter().any(|file| file.operations.contains(operation)))
}

/// The names of the lines that are not only whitespace.
fn line_labels(shown: &Shown) -> Vec<String> {
    let mut starts = Vec::new();
    for (window_idx, window) in shown.windows.iter().enumerate() {
        let mut offset = 0;
        for line in window.text.split('\n') {
            if !line.trim().is_empty() {
                starts.push(Occurrence {
                    window: window_idx,
                    offset,
                });
            }
            offset += line.len() + 1;
        }
    }
    place_labels(shown, &starts)
}

/// The names of the lines that occur more than once, each name once.
fn labels_of_repeated_lines(shown: &Shown) -> Vec<String> {
    let lines = shown.anchor_lines();
    let repeated = lines.iter().filter(|(_, at)| at.len() > 1);
    let mut labels: Vec<String> = repeated
        .flat_map(|(_, at)| place_labels(shown, at))
        .collect();
    labels.sort_unstable();
    labels.dedup();
    labels
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::constrain::NoEdit;

    fn pick(n_files: usize, path: &str) -> Spec {
        let file = |i: usize| PickFile {
            path: format!("{path}{i}"),
            operations: vec![Operation::Insert],
        };
        Spec::Slots(SlotSpec::Pick {
            files: (0..n_files).map(file).collect(),
            may_create: true,
            goes_on: false,
            no_edit: NoEdit::ForAnyReason,
        })
    }

    fn insert(text: &str) -> Spec {
        Spec::Slots(SlotSpec::Insert {
            shown: Shown::whole(text),
            side_first: false,
        })
    }

    fn replace(text: &str) -> Spec {
        Spec::Slots(SlotSpec::Replace {
            shown: Shown::whole(text),
            blocks: false,
        })
    }

    #[test]
    fn choices_are_what_there_is() {
        let schema = of(&pick(2, "a")).unwrap().schema;
        assert_eq!(schema["required"], json!(["path", "operation", "reason"]));
        assert_eq!(schema["additionalProperties"], json!(false));

        let text = "def a():\n    x = 1\n\ndef b():\n    x = 1\n";
        let places = [
            "",
            "a, line 1",
            "a, line 2",
            "b, line 4",
            "b, line 5",
            "none",
        ];
        for (spec, key, choices) in [
            (pick(2, "a"), "path", json!(["a0", "a1", ""])),
            (
                pick(2, "a"),
                "operation",
                json!(["insert", "create", "none"]),
            ),
            (
                insert(text),
                "anchor",
                json!(["    x = 1", "def a():", "def b():"]),
            ),
            (
                insert(text),
                "place",
                json!(["", "a, line 2", "b, line 5", "none"]),
            ),
            (replace(text), "place", json!(places)),
            (replace(text), "old", Value::Null),
        ] {
            let schema = of(&spec).unwrap().schema;
            assert_eq!(schema["properties"][key]["enum"], choices, "{key}");
        }
        assert_eq!(of(&Spec::Free), None);
    }

    #[test]
    fn a_choice_that_servers_do_not_take_is_left_out() {
        let long = "long/".repeat(100);
        let lines = |n: usize| (0..n).map(|i| format!("{i}\n")).collect::<String>();
        for (spec, left_out) in [
            (pick(200, &long), None),
            (pick(400, "short/"), None),
            (pick(400, &long), Some("path")),
            (pick(1_000, ""), Some("path")),
            (insert(&lines(900)), None),
            (insert(&lines(1_100)), Some("anchor")),
            (replace(&lines(1_100)), Some("place")),
        ] {
            let schema = of(&spec).unwrap();
            assert_eq!(schema.left_out, left_out);
            let properties = schema.schema["properties"].as_object().unwrap();
            let choices = properties.values().filter_map(|it| it["enum"].as_array());
            assert!(choices.map(Vec::len).sum::<usize>() <= MAX_VALUES);
        }
    }

    #[test]
    fn what_a_server_forced_is_told_from_what_it_did_not() {
        let schema = of(&pick(1, "a")).unwrap();
        for (answer, expected) in [
            (r#"{"path":"a0","operation":"insert","reason":""}"#, true),
            (r#"{"path":"b","operation":"insert","reason":""}"#, false),
            // A key is missing, or there is one too many.
            (r#"{"path":"a0","operation":"insert"}"#, false),
            (
                r#"{"path":"a0","operation":"insert","reason":"","x":1}"#,
                false,
            ),
        ] {
            let object = serde_json::from_str(answer).unwrap();
            assert_eq!(fits(&schema, &object), expected, "{answer}");
        }
    }
}
