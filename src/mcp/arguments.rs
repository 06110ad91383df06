//! Arguments as clients send them: null for what is left out, and texts for numbers and booleans.
//! What a tool takes is read from its schema, so that every tool takes the same.

use rmcp::model::JsonObject;
use serde_json::Value;

/// The most characters of a wrong name that come back.
pub(super) const MAX_NAME: usize = 100;

/// The most bytes of a value that a message shows.
const SHOWN: usize = 60;

/// The arguments of a call as an object. Some clients send it as a text.
///
/// # Errors
/// What they are instead.
pub(super) fn object(arguments: Value) -> Result<JsonObject, String> {
    match arguments {
        Value::Object(object) => Ok(object),
        Value::Null => Ok(JsonObject::new()),
        Value::String(text) => match serde_json::from_str(&text) {
            Ok(Value::Object(object)) => Ok(object),
            _ => Err("arguments must be an object, and is a text that holds none".to_owned()),
        },
        other => Err(format!(
            "arguments must be an object, and is {}",
            shown(&other)
        )),
    }
}

/// The arguments as the tool with this schema reads them.
///
/// # Errors
/// Which argument does not fit, and what fits.
pub(super) fn fitted(arguments: JsonObject, schema: &JsonObject) -> Result<JsonObject, String> {
    let properties = schema.get("properties").and_then(Value::as_object);
    let properties = properties.cloned().unwrap_or_default();
    let mut fitted = JsonObject::new();
    for (name, value) in arguments {
        if value.is_null() {
            continue;
        }
        let Some(property) = properties.get(&name) else {
            let names: Vec<&str> = properties.keys().map(String::as_str).collect();
            let names = names.join(", ");
            let name: String = name.chars().take(MAX_NAME).collect();
            return Err(format!("there is no argument {name}; there are {names}"));
        };
        let kind = Kind::of(&name, property);
        let read = kind.read(&value).filter(|read| is_in_range(read, property));
        let Some(read) = read else {
            let words = kind.words();
            let range = range(property);
            let shown = shown(&value);
            return Err(format!("{name} must be {words}{range}, and is {shown}"));
        };
        fitted.insert(name, read);
    }

    let required = schema.get("required").and_then(Value::as_array);
    for name in required.into_iter().flatten().filter_map(Value::as_str) {
        if !fitted.contains_key(name) {
            return Err(format!("{name} is missing"));
        }
    }
    Ok(fitted)
}

/// The kinds of arguments that the tools have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Text,
    /// A text that may be JSON, and then comes as JSON too.
    Patch,
    Number,
    Boolean,
    Texts,
}

impl Kind {
    fn of(name: &str, property: &Value) -> Kind {
        match property["type"].as_str() {
            Some("integer") => Kind::Number,
            Some("boolean") => Kind::Boolean,
            Some("array") => Kind::Texts,
            _ if name == "patch" => Kind::Patch,
            _ => Kind::Text,
        }
    }

    fn words(self) -> &'static str {
        match self {
            Kind::Text | Kind::Patch => "a text",
            Kind::Number => "a whole number",
            Kind::Boolean => "true or false",
            Kind::Texts => "a list of texts",
        }
    }

    /// The value in this kind, if it fits.
    fn read(self, value: &Value) -> Option<Value> {
        match (self, value) {
            (Kind::Text | Kind::Patch, Value::String(_)) | (Kind::Boolean, Value::Bool(_)) => {
                Some(value.clone())
            }
            (Kind::Patch, _) => patch(value),
            (Kind::Number, Value::Number(number)) => whole(number.as_f64()),
            (Kind::Number, Value::String(text)) => whole(text.trim().parse().ok()),
            (Kind::Boolean, Value::String(text)) => {
                let text = text.trim().to_ascii_lowercase();
                text.parse().ok().map(Value::Bool)
            }
            (Kind::Texts, Value::Array(_)) => is_list(value).then(|| value.clone()),
            (Kind::Texts, Value::String(text)) => Some(texts(text)),
            _ => None,
        }
    }
}

/// Whether a value is a list of texts.
fn is_list(value: &Value) -> bool {
    let items = value.as_array();
    items.is_some_and(|items| items.iter().all(Value::is_string))
}

/// A patch that came as JSON: an edit, a list of edits, or a list of lines.
fn patch(value: &Value) -> Option<Value> {
    match value {
        Value::Object(_) if is_filled(value) => Some(Value::from(value.to_string())),
        Value::Array(items) if items.is_empty() => None,
        Value::Array(items) if is_list(value) => {
            let lines: Vec<&str> = items.iter().filter_map(Value::as_str).collect();
            Some(Value::from(lines.join("\n")))
        }
        Value::Array(items) if items.iter().all(is_filled) => Some(Value::from(value.to_string())),
        _ => None,
    }
}

fn is_filled(value: &Value) -> bool {
    value.as_object().is_some_and(|object| !object.is_empty())
}

/// Whether a number is one that the property may have.
fn is_in_range(value: &Value, property: &Value) -> bool {
    let Some(number) = value.as_u64() else {
        return true;
    };
    let min = property["minimum"].as_u64();
    let max = property["maximum"].as_u64();
    min.is_none_or(|min| number >= min) && max.is_none_or(|max| number <= max)
}

fn whole(number: Option<f64>) -> Option<Value> {
    let number = number.filter(|number| number.fract() == 0.0 && *number >= 0.0)?;
    (number < 2f64.powi(53)).then(|| Value::from(number as u64))
}

/// A list that came as a text: its JSON, or its only item.
fn texts(text: &str) -> Value {
    match serde_json::from_str::<Value>(text).ok().filter(is_list) {
        Some(list) => list,
        None if text.trim().is_empty() => Value::Array(Vec::new()),
        None => Value::from(vec![text.trim()]),
    }
}

fn range(property: &Value) -> String {
    match (&property["minimum"], &property["maximum"]) {
        (Value::Number(min), Value::Number(max)) => format!(" from {min} to {max}"),
        _ => String::new(),
    }
}

/// A value as a message shows it.
fn shown(value: &Value) -> String {
    let text = value.to_string();
    if text.len() > SHOWN {
        format!("{}…", &text[..text.floor_char_boundary(SHOWN)])
    } else {
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mcp::tools::tools;
    use serde_json::json;

    #[track_caller]
    fn check(tool: &str, arguments: Value, expected: Result<Value, &str>) {
        let tools = tools();
        let tool = tools.iter().find(|other| other.name == tool).unwrap();
        let fitted = object(arguments).and_then(|object| fitted(object, &tool.input_schema));
        assert_eq!(fitted.map(Value::Object), expected.map_err(str::to_owned));
    }

    #[test]
    fn null_is_left_out_in_every_tool() {
        for tool in tools() {
            let names = tool.input_schema["properties"].as_object().unwrap().keys();
            let null: JsonObject = names.map(|name| (name.clone(), Value::Null)).collect();
            let required = tool.input_schema.get("required").map(|names| &names[0]);
            let expected = match required {
                Some(name) => Err(format!("{} is missing", name.as_str().unwrap())),
                None => Ok(JsonObject::new()),
            };
            assert_eq!(fitted(null, &tool.input_schema), expected, "{}", tool.name);
        }
        let nothing = json!({"patch": "p", "file": null, "partial": null, "accept": null});
        check("apply_patch", nothing, Ok(json!({"patch": "p"})));
        check("list_edits", Value::Null, Ok(json!({})));
    }

    #[test]
    fn texts_stand_for_numbers_booleans_and_lists() {
        check(
            "list_edits",
            json!({"max_edits": "2"}),
            Ok(json!({"max_edits": 2})),
        );
        check("undo", json!({"number": " 17 "}), Ok(json!({"number": 17})));
        check("undo", json!({"number": 17.0}), Ok(json!({"number": 17})));
        let patch = json!({"patch": "7", "dry_run": "True", "partial": "false"});
        check(
            "apply_patch",
            patch,
            Ok(json!({"patch": "7", "dry_run": true, "partial": false})),
        );
        let accept = |given: Value| json!({"token": "t", "accept": given});
        for given in [json!("breaks"), json!("[\"breaks\"]"), json!(["breaks"])] {
            check("write", accept(given), Ok(accept(json!(["breaks"]))));
        }
        check("write", accept(json!("")), Ok(accept(json!([]))));
        check("edit", json!("{\"task\": \"a\"}"), Ok(json!({"task": "a"})));
        let edit = json!({"path": "a", "old_string": "b", "new_string": "c"});
        for given in [edit.clone(), json!([edit])] {
            let text = given.to_string();
            check(
                "apply_patch",
                json!({"patch": given}),
                Ok(json!({"patch": text})),
            );
        }
        let lines = json!({"patch": ["a", "b"]});
        check("apply_patch", lines, Ok(json!({"patch": "a\nb"})));
    }

    #[test]
    fn what_does_not_fit_is_named() {
        let number = "max_edits must be a whole number from 1 to 100, and is \"two\"";
        check("list_edits", json!({"max_edits": "two"}), Err(number));
        let number = "number must be a whole number, and is -1";
        check("undo", json!({"number": -1}), Err(number));
        let boolean = "partial must be true or false, and is \"maybe\"";
        check(
            "apply_patch",
            json!({"patch": "p", "partial": "maybe"}),
            Err(boolean),
        );
        check(
            "apply_patch",
            json!({"patch": {}}),
            Err("patch must be a text, and is {}"),
        );
        let range = "max_files must be a whole number from 1 to 20, and is 0";
        check("find", json!({"task": "t", "max_files": 0}), Err(range));
        let list = "accept must be a list of texts, and is [1]";
        check("write", json!({"token": "t", "accept": [1]}), Err(list));
        let unknown = "there is no argument path; there are task, max_files";
        check("find", json!({"task": "t", "path": "a"}), Err(unknown));
        check("find", json!({}), Err("task is missing"));
        let text = "arguments must be an object, and is a text that holds none";
        check("find", json!(""), Err(text));
        check(
            "find",
            json!([]),
            Err("arguments must be an object, and is []"),
        );
    }
}
