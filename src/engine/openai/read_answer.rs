//! Reads the answer of a server's model, and brings it into the form that our own engine would have
//! forced. Fails with a reason if that is impossible.
//!
//! Nothing forced the model to keep to that form. So the answer is read as leniently as other
//! models' patches: code fences and prose around it, a thought before it, empty keys, extra commas.
//! An ambiguous answer is refused.

use super::strict_schema::{self, SpecSchema};
use crate::constrain::{SlotSpec, Spec};
use crate::format;
use crate::slots::shape::{Field, Presence, ValueKind};
use crate::slots::{NO_OPERATION, NO_PLACE, Operation, Reason, Slot};
use serde_json::{Map, Value, json};

/// An answer that could be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ReadAnswer {
    /// The answer as [`crate::slots`] defines it.
    pub text: String,
    /// Whether the model wrote exactly what was asked for, and nothing else.
    pub is_exact: bool,
}

/// Reads an answer to a spec. `schema` is that of the spec, if the server should have followed it.
pub(super) fn read(
    spec: &Spec,
    schema: Option<&SpecSchema>,
    answer: &str,
) -> Result<ReadAnswer, String> {
    let answer = without_thought(answer);
    let is_plain = match spec {
        Spec::Free => true,
        Spec::Schema(_) => serde_json::from_str::<Value>(answer).is_ok(),
        Spec::Slots(_) => false,
    };
    if is_plain {
        return Ok(ReadAnswer {
            text: answer.to_owned(),
            is_exact: true,
        });
    }
    if let Ok(object) = serde_json::from_str::<Map<String, Value>>(answer) {
        return Ok(ReadAnswer {
            text: slots(spec, &object)?,
            is_exact: schema.is_none_or(|schema| strict_schema::fits(schema, &object)),
        });
    }

    let mut texts: Vec<String> = Vec::new();
    let mut reason = "there is no JSON object in it".to_owned();
    for object in &format::objects_in(answer) {
        match slots(spec, object) {
            Ok(text) if texts.contains(&text) => {}
            Ok(text) => texts.push(text),
            Err(why) => reason = why,
        }
    }
    match (texts.pop(), texts.len()) {
        (None, _) => Err(reason),
        (Some(text), 0) => Ok(ReadAnswer {
            text,
            is_exact: false,
        }),
        (Some(_), n) => Err(format!("there are {} different answers in it", n + 1)),
    }
}

/// Whether an answer breaks off inside its object although the server reported it as complete. That
/// happens if the model writes text that the server takes for the end of a message.
pub(super) fn is_unfinished(answer: &str) -> bool {
    let answer = without_thought(answer);
    answer.starts_with('{')
        && serde_json::from_str::<Value>(answer).is_err_and(|error| error.is_eof())
}

/// The answer without a thought before it, which some servers leave there.
fn without_thought(answer: &str) -> &str {
    let answer = answer.trim();
    if answer.starts_with('{') {
        return answer; // the answer's own text may have such a mark
    }
    for end in ["</think>", "[/THINK]"] {
        if let Some((_, rest)) = answer.rsplit_once(end) {
            return rest.trim();
        }
    }
    answer
}

/// The slots of a spec from an object, in the order of the spec.
fn slots(spec: &Spec, object: &Map<String, Value>) -> Result<String, String> {
    let spec = match spec {
        Spec::Slots(spec) => spec,
        Spec::Schema(_) => return Ok(Value::Object(object.clone()).to_string()),
        Spec::Free => return Err("no slots were asked for".to_owned()),
    };
    let slots = match spec {
        SlotSpec::Pick { .. } => pick(object)?,
        _ => filled(spec.fields(), object)?,
    };
    Ok(slots.to_string())
}

/// The slots of stage 2 from an object.
fn filled(fields: &[Field], object: &Map<String, Value>) -> Result<Value, String> {
    let mut slots = Map::new();
    for field in fields {
        let key = field.slot.key();
        let value = match (field.presence, field.value) {
            (Presence::Repeated, _) => place(object),
            (Presence::Always, ValueKind::Word(words)) => {
                let value = needed(object, key)?.trim();
                if !words.contains(&value) {
                    let words = words.join(" nor ");
                    return Err(format!("`{key}` is {value:?}, neither {words}"));
                }
                Some(value.to_owned())
            }
            (Presence::Always, _) => Some(needed(object, key)?.to_owned()),
            // The server was not asked for these fields.
            (Presence::Block | Presence::ExistingFile | Presence::Declined, _) => None,
        };
        if let Some(value) = value {
            slots.insert(key.to_owned(), Value::String(value));
        }
    }
    Ok(Value::Object(slots))
}

fn pick(object: &Map<String, Value>) -> Result<Value, String> {
    let operation = needed(object, "operation")?.trim();
    match operation {
        NO_OPERATION => {
            let reason = text(object, "reason").filter(|reason| Reason::WORDS.contains(reason));
            let reason = reason.unwrap_or(Reason::Unclear.word());
            Ok(json!({"operation": NO_OPERATION, "reason": reason}))
        }
        "create" => Ok(json!({"operation": "create"})),
        _ if Operation::ALL.iter().any(|known| known.word() == operation) => {
            let path = text(object, "path")
                .filter(|path| !path.trim().is_empty())
                .ok_or("`path` is missing")?;
            Ok(json!({"path": path, "operation": operation}))
        }
        other => Err(format!("there is no operation {other:?}")),
    }
}

/// The place, if the answer names one.
fn place(object: &Map<String, Value>) -> Option<String> {
    let place = match object.get(Slot::Place.key())? {
        Value::String(place) => place.trim().to_owned(),
        Value::Number(line) => format!("line {line}"),
        _ => String::new(),
    };
    match place.as_str() {
        "" => None,
        none if none.eq_ignore_ascii_case(NO_PLACE) => Some(NO_PLACE.to_owned()),
        _ => Some(place),
    }
}

fn text<'a>(object: &'a Map<String, Value>, key: &str) -> Option<&'a str> {
    object.get(key).and_then(Value::as_str)
}

fn needed<'a>(object: &'a Map<String, Value>, key: &str) -> Result<&'a str, String> {
    text(object, key).ok_or_else(|| {
        if object.contains_key(key) {
            format!("`{key}` is not a string")
        } else {
            format!("`{key}` is missing")
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::constrain::NoEdit;
    use crate::text::Shown;
    use proptest::prelude::*;

    fn pick_spec() -> Spec {
        Spec::Slots(SlotSpec::Pick {
            files: Vec::new(),
            may_create: true,
            goes_on: false,
            no_edit: NoEdit::ForAnyReason,
        })
    }

    fn replace_spec() -> Spec {
        Spec::Slots(SlotSpec::Replace {
            shown: Shown::whole("a\n"),
            blocks: false,
        })
    }

    const FILE: &str = r#"{"path":"a.py","operation":"replace"}"#;

    #[track_caller]
    fn check(spec: &Spec, answer: &str, expected: &str) {
        let text = read(spec, None, answer).map(|read| read.text);
        assert_eq!(text.as_deref(), Ok(expected), "{answer}");
    }

    #[test]
    fn keys_that_say_nothing_are_left_out() {
        for (answer, expected) in [
            (r#"{"path":"a.py","operation":"replace","reason":""}"#, FILE),
            (
                r#"{ "operation": "replace", "reason": null, "path": "a.py" }"#,
                FILE,
            ),
            (
                r#"{"path":"","operation":"create","reason":""}"#,
                r#"{"operation":"create"}"#,
            ),
            (
                r#"{"path":"","operation":"none","reason":""}"#,
                r#"{"operation":"none","reason":"unclear"}"#,
            ),
        ] {
            check(&pick_spec(), answer, expected);
        }
        let plain = r#"{"old":"a","new":"b"}"#;
        let placed = r#"{"old":"a","place":"line 3","new":"b"}"#;
        for (answer, expected) in [
            (r#"{"old":"a","place":"","new":"b"}"#, plain),
            (r#"{"new":"b","old":"a","why":"c"}"#, plain),
            (r#"{"old":"a","place":3,"new":"b"}"#, placed),
        ] {
            check(&replace_spec(), answer, expected);
        }
    }

    #[test]
    fn what_stands_around_an_answer_is_left_out() {
        for around in [
            "```json\n{}\n```",
            "Here it is: {} - done.",
            "<think>perhaps {\"path\":\"b.py\",\"operation\":\"insert\"}</think>\n{}",
            "{}\n\nThat is:\n\n{}",
            "I change {x} so:\n{}",
        ] {
            check(&pick_spec(), &around.replace("{}", FILE), FILE);
        }
        let with_comma = FILE.replace('}', ",\n}");
        check(&pick_spec(), &with_comma, FILE);
        let with_newline = "{\"old\":\"a\",\"new\":\"b\nc\"}";
        check(&replace_spec(), with_newline, r#"{"old":"a","new":"b\nc"}"#);
        let with_mark = r#"{"old":"a","new":"</think>"}"#;
        check(&replace_spec(), with_mark, with_mark);
    }

    #[test]
    fn what_breaks_off_is_unfinished() {
        for (answer, expected) in [
            (r#"{"old":"a","new":"b"}"#, false),
            (r#"{"old":"a","new":"b"#, true),
            ("<think>x</think>{\"old\"", true),
            (r#"{"old":"a",}"#, false),
            ("no", false),
        ] {
            assert_eq!(is_unfinished(answer), expected, "{answer}");
        }
    }

    #[test]
    fn what_is_no_answer_is_refused() {
        let two = "{\"old\":\"a\",\"new\":\"b\"}\n{\"old\":\"a\",\"new\":\"c\"}";
        for (spec, answer, part) in [
            (pick_spec(), "I cannot.", "no JSON object"),
            (
                pick_spec(),
                r#"{"operation":"replace"}"#,
                "`path` is missing",
            ),
            (
                pick_spec(),
                r#"{"path":"a","operation":"delete"}"#,
                "no operation \"delete\"",
            ),
            (
                replace_spec(),
                r#"{"old":["a"],"new":"b"}"#,
                "`old` is not a string",
            ),
            (replace_spec(), two, "2 different answers"),
        ] {
            let error = read(&spec, None, answer).unwrap_err();
            assert!(error.contains(part), "{error}");
        }
    }

    const PIECES: [&str; 14] = [
        "{",
        "}",
        "[",
        "]",
        ",",
        ":",
        "\"",
        "\\",
        "\"old\":\"a\"",
        "\"new\":\"é\"",
        "\"place\":3",
        "</think>",
        "\n",
        "x",
    ];

    proptest! {
        #[test]
        fn no_answer_is_too_strange(
            parts in prop::collection::vec(prop::sample::select(PIECES.to_vec()), 0..20)
        ) {
            let answer = parts.concat();
            let _ = is_unfinished(&answer);
            if let Ok(read) = read(&replace_spec(), None, &answer) {
                let slots = crate::slots::Slots::parse(Operation::Replace, &read.text);
                prop_assert!(slots.is_ok(), "{} {:?}", read.text, slots);
            }
        }
    }
}
