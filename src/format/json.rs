//! Edits as JSON objects: the arguments of other agents' edit tools, with or without the call
//! around them, and our own slots. An object begins a line; prose and fences may stand around it,
//! and several may follow each other, in a list or not.
//!
//! ```text
//! edit = {path, old_string, new_string, replace_all?, expected_replacements?}
//!      | {path, "edits": [{old_string, new_string, replace_all?}, ...]}
//!      | {path, content}                                                          the whole file
//!      | {"command": "str_replace", path, old_str, new_str}
//!      | {"command": "create", path, file_text}
//!      | {"command": "insert", path, insert_line, insert_text}                    below that line, 0: at the top
//!      | {"operation": "replace" | "replace_all" | "insert" | "create", path, and the slots of the operation}
//!      | {"operation": "none"}
//!      | {"name": ..., "arguments": edit or a string that holds one}
//! ```
//!
//! Each key has the names of [`PATH`] and the constants below it; other keys say nothing. A line
//! feed inside of a string and a comma before a closing bracket, which models write, are read as
//! what they mean.

use super::{Action, FormatError, LineEdit, Over, Request};
use crate::locate::hunk::{Count, Extent, Hunk};
use crate::slots::{Insert, NO_PLACE, Operation, Position};
use serde_json::{Map, Value, json};

type Object = Map<String, Value>;
type Keys = &'static [&'static str];

const PATH: Keys =
    &["path", "file_path", "filePath", "filepath", "file", "filename", "target_file"];
const OLD: Keys = &["old_string", "old_str", "oldString", "old_text", "oldText", "search"];
const NEW: Keys = &["new_string", "new_str", "newString", "new_text", "newText", "replace"];
const ALL: Keys = &["replace_all", "replaceAll"];
const EXPECTED: Keys = &["expected_replacements", "expectedReplacements"];
const CONTENT: Keys = &["content", "contents", "file_text"];
const INSERTED: Keys = &["insert_text", "new_str"];
const EDITS: Keys = &["edits", "changes", "tool_calls"];
const CALL: Keys = &["arguments", "input", "parameters", "args", "function"];

/// The keys that tell an edit where the object cannot be read.
const TELLING: Keys = &[
    "old_string",
    "old_str",
    "oldString",
    "old_text",
    "oldText",
    "insert_text",
    "file_text",
    "edits",
];

/// Calls in calls in calls are no edit.
const MAX_DEPTH: usize = 4;

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

pub(super) fn parse(text: &str) -> Result<Vec<Request>, FormatError> {
    let mut requests = Vec::new();
    let mut lines = LineCounter { text, at: 0, line: 1 };
    let mut list_line = None;
    let mut next = first_object(text, 0);
    while let Some(start) = next {
        list_line = start.list.map(|list| lines.line_of(list)).or(list_line);
        let line = lines.line_of(start.object);
        let (value, n_bytes) = value(&text[start.object..]).map_err(|error| {
            let message = error.to_string();
            let message = message.rsplit_once(" at line ").map_or(message.as_str(), |(message, _)| message);
            let line = line + error.line().saturating_sub(1);
            FormatError::at(line, format!("{message}; write the edit as one JSON object, with `\\\"` and `\\\\` in its strings"))
        })?;
        if let Value::Object(object) = &value {
            read(object, None, line, 0, &mut requests)
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
    Ok(requests)
}

/// One object a line; several of them in a list.
pub(super) fn render(requests: &[Request]) -> Option<String> {
    let objects: Vec<String> =
        requests.iter().map(|request| Some(object(request)?.to_string())).collect::<Option<_>>()?;
    Some(match &objects[..] {
        [object] => format!("{object}\n"),
        _ => format!("[\n{}\n]\n", objects.join(",\n")),
    })
}

fn object(request: &Request) -> Option<Value> {
    let mut object = Object::new();
    match &request.path {
        Some(path) => object.extend([("path".to_owned(), json!(path))]),
        None if matches!(request.action, Action::Write { .. }) => return None,
        None => {}
    }
    let keys = match &request.action {
        Action::Edit(hunk) if hunk.extent == Extent::Text && !hunk.changes_nothing() => {
            let old = hunk.old().collect::<Vec<_>>().join("\n");
            let new = hunk.new().collect::<Vec<_>>().join("\n");
            match (hunk.count, hunk.hints.line) {
                _ if old.is_empty() => return None,
                (Count::One, Some(line)) => {
                    json!({"operation": "replace", "old": old, "place": format!("line {line}"), "new": new})
                }
                (Count::One, None) => json!({"old_string": old, "new_string": new}),
                (Count::All, _) => {
                    json!({"old_string": old, "new_string": new, "replace_all": true})
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
        Action::Write { text, over: Over::Nothing } => {
            json!({"operation": Operation::Create.word(), "text": text})
        }
        Action::Write { text, over: Over::Anything } => json!({"content": text}),
        Action::Lines(LineEdit { line, n_deleted: 0, new }) if !new.is_empty() => {
            json!({"command": "insert", "insert_line": line, "insert_text": new.join("\n") + "\n"})
        }
        _ => return None,
    };
    if let Value::Object(keys) = keys {
        object.extend(keys);
    }
    Some(Value::Object(object))
}

/// Where an object begins, and the list around it if it is the first one of a list.
struct Start {
    object: usize,
    list: Option<usize>,
}

/// The first object at the start of a line, from the line that begins at `from`.
fn first_object(text: &str, from: usize) -> Option<Start> {
    let mut at = text.len() - text[from..].trim_start().len();
    loop {
        let line = &text[at..];
        let list = line.strip_prefix('[');
        let object = list.map_or(line, str::trim_start);
        if begins_object(object) {
            return Some(Start { object: text.len() - object.len(), list: list.map(|_| at) });
        }
        at += line.find('\n')? + 1;
    }
}

/// Whether a key in quotes follows a brace. The braces of code and of prose have none.
fn begins_object(text: &str) -> bool {
    text.strip_prefix('{').is_some_and(|inner| inner.trim_start().starts_with('"'))
}

/// The objects in a text, wherever they begin: for answers that are to be one object. Of an object
/// that cannot be read the ones inside are looked for.
pub(super) fn objects_in(text: &str) -> Vec<Object> {
    // Each is looked for to its end; code with very many braces is not what is looked for.
    const MOST_TRIED: usize = 200;
    let mut objects = Vec::new();
    let mut at = 0;
    for _ in 0..MOST_TRIED {
        let Some(start) =
            text[at..].match_indices('{').find(|(i, _)| begins_object(&text[at + i..]))
        else {
            break;
        };
        at += start.0;
        at += match value(&text[at..]) {
            Ok((Value::Object(object), n_bytes)) => {
                objects.push(object);
                n_bytes
            }
            _ => 1,
        };
    }
    objects
}

/// Reads one value from the start of a text; also how many bytes it has.
fn value(text: &str) -> Result<(Value, usize), serde_json::Error> {
    let strict = |text: &str| {
        let mut values = serde_json::Deserializer::from_str(text).into_iter::<Value>();
        let value = values.next().unwrap_or(Ok(Value::Null))?;
        Ok((value, values.byte_offset()))
    };
    strict(text).or_else(|error| {
        let Some((repaired, n_bytes)) = repaired(text) else { return Err(error) };
        strict(&repaired).map(|(value, _)| (value, n_bytes)).map_err(|_| error)
    })
}

/// The value at the start of a text with its line feeds and tabs in strings written as JSON has
/// them, and without commas before closing brackets; also how many bytes of the text it is made
/// from.
fn repaired(text: &str) -> Option<(String, usize)> {
    let mut repaired = String::new();
    let (mut n_open, mut is_in_string, mut is_escaped) = (0usize, false, false);
    for (at, char) in text.char_indices() {
        if is_in_string {
            match char {
                '\n' => repaired += "\\n",
                '\r' => repaired += "\\r",
                '\t' => repaired += "\\t",
                _ => repaired.push(char),
            }
            is_in_string = is_escaped || char != '"';
            is_escaped = !is_escaped && char == '\\';
            continue;
        }
        match char {
            '"' => is_in_string = true,
            '{' | '[' => n_open += 1,
            '}' | ']' => {
                n_open = n_open.checked_sub(1)?;
                let value = repaired.trim_end();
                if let Some(value) = value.strip_suffix(',') {
                    repaired.truncate(value.len());
                }
            }
            _ => {}
        }
        repaired.push(char);
        if n_open == 0 {
            return Some((repaired, at + char.len_utf8()));
        }
    }
    None
}

/// Says on which line a byte is, for bytes in ascending order.
struct LineCounter<'a> {
    text: &'a str,
    at: usize,
    line: usize,
}

impl LineCounter<'_> {
    fn line_of(&mut self, at: usize) -> usize {
        self.line += self.text[self.at..at].matches('\n').count();
        self.at = at;
        self.line
    }
}

fn get(object: &Object, keys: Keys) -> Option<(&'static str, &Value)> {
    keys.iter().find_map(|key| Some((*key, object.get(*key).filter(|value| !value.is_null())?)))
}

fn string(object: &Object, keys: Keys) -> Result<Option<&str>, String> {
    let Some((key, value)) = get(object, keys) else { return Ok(None) };
    value
        .as_str()
        .map(Some)
        .ok_or_else(|| format!("`{key}` is not a string; put its text in quotes"))
}

fn needed(object: &Object, keys: Keys) -> Result<&str, String> {
    string(object, keys)?.ok_or_else(|| format!("`{}` is missing; add it to the object", keys[0]))
}

/// What a call is for: the object in it, or the one in the string in it.
fn call(object: &Object) -> Option<(&'static str, Result<Object, serde_json::Error>)> {
    let (key, value) = get(object, CALL)?;
    match value {
        Value::Object(inner) => Some((key, Ok(inner.clone()))),
        Value::String(text) => Some((key, serde_json::from_str(text))),
        _ => None,
    }
}

fn has(object: &Object, keys: Keys) -> bool {
    get(object, keys).is_some()
}

fn is_command(object: &Object) -> bool {
    let commands = ["str_replace", "create", "insert", "view", "undo_edit"];
    object.get("command").and_then(Value::as_str).is_some_and(|command| commands.contains(&command))
}

fn is_operation(object: &Object) -> bool {
    let is_word = |word: &str| {
        word == "none" || Operation::ALL.iter().any(|operation| operation.word() == word)
    };
    object.get("operation").and_then(Value::as_str).is_some_and(is_word)
}

fn is_edit(object: &Object, depth: usize) -> bool {
    let is_plain =
        (has(object, OLD) && has(object, NEW)) || (has(object, PATH) && has(object, CONTENT));
    let is_list = get(object, EDITS).is_some_and(|(_, edits)| {
        edits.as_array().is_some_and(|edits| {
            edits
                .first()
                .and_then(Value::as_object)
                .is_some_and(|edit| depth < MAX_DEPTH && is_edit(edit, depth + 1))
        })
    });
    let is_call = || match call(object) {
        Some((_, Ok(inner))) => depth < MAX_DEPTH && is_edit(&inner, depth + 1),
        _ => false,
    };
    is_plain
        || is_list
        || (is_command(object) && has(object, PATH))
        || is_operation(object)
        || is_call()
}

/// Reads an object, which stands on a line of the text; `outer` is the path of the object around
/// it.
fn read(
    object: &Object,
    outer: Option<&str>,
    line: usize,
    depth: usize,
    requests: &mut Vec<Request>,
) -> Result<(), String> {
    let path = string(object, PATH)?.or(outer);
    if path.is_some_and(|path| path.trim().is_empty()) {
        return Err("the path is empty; name the file".to_owned());
    }
    let action = if is_operation(object) {
        match operation(object)? {
            Some(action) => action,
            None => return Ok(()),
        }
    } else if is_command(object) {
        command(object)?
    } else if has(object, OLD) || has(object, NEW) {
        replace(object)?
    } else if let Some((key, edits)) = get(object, EDITS) {
        let edits = edits
            .as_array()
            .ok_or_else(|| format!("`{key}` is not a list; put its edits in brackets"))?;
        for (edit_idx, edit) in edits.iter().enumerate() {
            let at = |message: String| format!("edit {} of `{key}`: {message}", edit_idx + 1);
            let edit = edit.as_object().ok_or_else(|| {
                at("it is not an object; write one with `old_string` and `new_string`".to_owned())
            })?;
            if depth >= MAX_DEPTH {
                return Err(at("it is nested too deeply; put it into one list".to_owned()));
            }
            read(edit, path, line, depth + 1, requests).map_err(at)?;
        }
        return Ok(());
    } else if has(object, CONTENT) {
        Action::Write { text: needed(object, CONTENT)?.to_owned(), over: Over::Anything }
    } else if let Some((key, inner)) = call(object).filter(|_| depth < MAX_DEPTH) {
        let inner = inner.map_err(|error| {
            format!("`{key}` holds no JSON object: {error}; write the edit there")
        })?;
        return read(&inner, path, line, depth + 1, requests);
    } else {
        return Err(
            "the object asks for no edit; give it `path`, `old_string` and `new_string`, or `path` and `content`".to_owned()
        );
    };
    if path.is_none() && matches!(action, Action::Write { .. }) {
        return Err("`path` is missing; name the file that is to be written".to_owned());
    }
    requests.push(Request { path: path.map(str::to_owned), line, action });
    Ok(())
}

fn replace(object: &Object) -> Result<Action, String> {
    let mut hunk = match exchange(needed(object, OLD)?, needed(object, NEW)?)? {
        Action::Edit(hunk) => hunk,
        write => return Ok(write),
    };
    let is_all = match get(object, ALL) {
        None => false,
        Some((_, Value::Bool(is_all))) => *is_all,
        Some((_, Value::String(word))) if word == "true" || word == "false" => word == "true",
        Some((key, _)) => {
            return Err(format!("`{key}` is neither true nor false; write one of them"));
        }
    };
    let expected = match get(object, EXPECTED) {
        None => None,
        Some((key, value)) => {
            let n = value.as_u64().and_then(|n| usize::try_from(n).ok()).filter(|n| *n > 0);
            Some(n.ok_or_else(|| {
                format!("`{key}` is not a number from 1 on; write how many places there are")
            })?)
        }
    };
    hunk.count = match expected {
        Some(n) if n > 1 => Count::Exactly(n),
        _ if is_all => Count::All,
        _ => Count::One,
    };
    Ok(Action::Edit(hunk))
}

/// A text for another one; a new file where there is no old one.
fn exchange(old: &str, new: &str) -> Result<Action, String> {
    let (old, new) = (old.replace("\r\n", "\n"), new.replace("\r\n", "\n"));
    if old == new {
        return Err("old and new are the same text; say what changes".to_owned());
    }
    if old.is_empty() {
        Ok(Action::Write { text: new, over: Over::Nothing })
    } else {
        Ok(Action::Edit(Hunk::of_text(&old, &new)))
    }
}

/// The commands of Claude's text editor.
fn command(object: &Object) -> Result<Action, String> {
    match needed(object, &["command"])? {
        // A deletion may leave its new text out.
        "str_replace" => exchange(needed(object, OLD)?, string(object, NEW)?.unwrap_or_default()),
        "create" => {
            Ok(Action::Write { text: needed(object, CONTENT)?.to_owned(), over: Over::Anything })
        }
        "insert" => {
            let line = object
                .get("insert_line")
                .and_then(Value::as_u64)
                .and_then(|line| usize::try_from(line).ok());
            let line = line.ok_or(
                "`insert_line` is not the number of a line; write 0 for the top of the file",
            )?;
            let text = needed(object, INSERTED)?;
            if text.is_empty() {
                return Err(
                    "there is nothing to insert; put the new lines into `insert_text`".to_owned()
                );
            }
            let text = text.replace("\r\n", "\n");
            let new =
                text.strip_suffix('\n').unwrap_or(&text).split('\n').map(str::to_owned).collect();
            Ok(Action::Lines(LineEdit { line, n_deleted: 0, new }))
        }
        other => Err(format!("`{other}` is no edit; use `str_replace`, `create` or `insert`")),
    }
}

/// Our own slots; none where the model says that there is nothing to do.
fn operation(object: &Object) -> Result<Option<Action>, String> {
    let word = needed(object, &["operation"])?;
    let Some(operation) = Operation::ALL.into_iter().find(|operation| operation.word() == word)
    else {
        return Ok(None);
    };
    let place = string(object, &["place"])?;
    if place == Some(NO_PLACE) {
        return Err("the place is none of those offered; name the line".to_owned());
    }
    Ok(Some(match operation {
        Operation::Replace | Operation::ReplaceAll => {
            let Action::Edit(mut hunk) =
                exchange(needed(object, &["old"])?, needed(object, &["new"])?)?
            else {
                return Err("`old` is empty; give the text that is replaced".to_owned());
            };
            if operation == Operation::ReplaceAll {
                hunk.count = Count::All;
            } else {
                hunk.hints.line = place.and_then(line_of_place);
            }
            Action::Edit(hunk)
        }
        Operation::Insert => Action::Insert(Insert {
            anchor: needed(object, &["anchor"])?.to_owned(),
            place: place.map(str::to_owned),
            position: match needed(object, &["position"])? {
                "before" => Position::Before,
                "after" => Position::After,
                other => return Err(format!("`position` is `{other}`; write `before` or `after`")),
            },
            text: needed(object, &["text"])?.to_owned(),
        }),
        Operation::Create => {
            Action::Write { text: needed(object, &["text"])?.to_owned(), over: Over::Nothing }
        }
    }))
}

/// The number in `line 12` or `line 12, in main`.
fn line_of_place(place: &str) -> Option<usize> {
    let rest = place.strip_prefix("line ")?;
    let n_digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    rest[..n_digits].parse().ok().filter(|line| *line > 0)
}

#[cfg(test)]
mod tests {
    use super::super::testing::{check_round_trip, is_refused};
    use super::*;
    use proptest::prelude::*;

    fn edit(old: &str, new: &str) -> Action {
        Action::Edit(Hunk::of_text(old, new))
    }

    fn counted(old: &str, new: &str, count: Count) -> Action {
        Action::Edit(Hunk { count, ..Hunk::of_text(old, new) })
    }

    fn write(text: &str, over: Over) -> Action {
        Action::Write { text: text.to_owned(), over }
    }

    #[track_caller]
    fn check(text: &str, expected: &[(&str, usize, Action)]) {
        assert!(is_in(text), "{text}");
        let requests: Vec<_> = parse(text).unwrap();
        let request = |(path, line, action): &(&str, usize, Action)| Request {
            path: Some(path.to_string()).filter(|path| !path.is_empty()),
            line: *line,
            action: action.clone(),
        };
        assert_eq!(requests, expected.iter().map(request).collect::<Vec<_>>(), "{text}");
    }

    #[track_caller]
    fn check_err(text: &str, line: usize, part: &str) {
        is_refused(&parse(text), line, part);
    }

    #[test]
    fn every_tool_has_its_keys() {
        for text in [
            r#"{"path": "a", "old_string": "x", "new_string": "y"}"#,
            r#"{"file_path": "a", "old_string": "x", "new_string": "y", "replace_all": false, "why": "it is"}"#,
            r#"{"filePath": "a", "oldString": "x", "newString": "y"}"#,
            r#"{"file": "a", "old_text": "x", "new_text": "y"}"#,
            r#"{"path": "a", "search": "x", "replace": "y", "expected_replacements": 1}"#,
            r#"{"command": "str_replace", "path": "a", "old_str": "x", "new_str": "y"}"#,
            r#"{"name": "edit", "input": {"path": "a", "old_string": "x", "new_string": "y"}}"#,
            r#"{"type": "function", "function": {"name": "edit", "arguments": "{\"path\": \"a\", \"old_string\": \"x\", \"new_string\": \"y\"}"}}"#,
            r#"{"path": "a", "operation": "replace", "old": "x", "new": "y"}"#,
            r#"{"path": "a", "edits": [{"old_string": "x", "new_string": "y"}]}"#,
        ] {
            check(text, &[("a", 1, edit("x", "y"))]);
        }
    }

    #[test]
    fn counts_and_places_are_read() {
        check(
            r#"{"path":"a","old_string":"x","new_string":"","replace_all":true}"#,
            &[("a", 1, counted("x", "", Count::All))],
        );
        check(
            r#"{"old_str":"x","new_str":"y","replaceAll":"true"}"#,
            &[("", 1, counted("x", "y", Count::All))],
        );
        check(
            r#"{"path":"a","old_string":"x","new_string":"y","expected_replacements":4}"#,
            &[("a", 1, counted("x", "y", Count::Exactly(4)))],
        );
        check(
            r#"{"path":"a","operation":"replace_all","old":"x","new":"y"}"#,
            &[("a", 1, counted("x", "y", Count::All))],
        );
        check(
            r#"{"path":"a","old_string":"x\r\n","new_string":"y\n"}"#,
            &[("a", 1, edit("x\n", "y\n"))],
        );
        let mut hunk = Hunk::of_text("x", "y");
        hunk.hints.line = Some(12);
        check(
            r#"{"path":"a","operation":"replace","old":"x","place":"line 12, in f","new":"y"}"#,
            &[("a", 1, Action::Edit(hunk))],
        );
    }

    #[test]
    fn files_are_written_and_lines_inserted() {
        check(
            r#"{"path":"a","old_string":"","new_string":"x"}"#,
            &[("a", 1, write("x", Over::Nothing))],
        );
        check(
            r#"{"path":"a","operation":"create","text":"x"}"#,
            &[("a", 1, write("x", Over::Nothing))],
        );
        check(r#"{"path":"a","content":"x"}"#, &[("a", 1, write("x", Over::Anything))]);
        check(
            r#"{"command":"create","path":"a","file_text":"x"}"#,
            &[("a", 1, write("x", Over::Anything))],
        );
        let lines = |new: &[&str]| {
            Action::Lines(LineEdit {
                line: 3,
                n_deleted: 0,
                new: new.iter().map(ToString::to_string).collect(),
            })
        };
        check(
            r#"{"command":"insert","path":"a","insert_line":3,"insert_text":"x\ny\n"}"#,
            &[("a", 1, lines(&["x", "y"]))],
        );
        check(
            r#"{"command":"insert","path":"a","insert_line":3,"new_str":"\n"}"#,
            &[("a", 1, lines(&[""]))],
        );
        let insert = Insert {
            anchor: "x".to_owned(),
            place: None,
            position: Position::After,
            text: "y".to_owned(),
        };
        check(
            r#"{"path":"a","operation":"insert","anchor":"x","position":"after","text":"y"}"#,
            &[("a", 1, Action::Insert(insert))],
        );
        check(r#"{"operation":"none","reason":"unclear"}"#, &[]);
    }

    #[test]
    fn objects_stand_in_lists_lines_fences_and_prose() {
        let (x, y) = (
            r#"{"path":"a","old_string":"x","new_string":"y"}"#,
            "{\n  \"path\": \"b\",\n  \"content\": \"\"\n}",
        );
        check(
            &format!("[{x},\n {y}]"),
            &[("a", 1, edit("x", "y")), ("b", 2, write("", Over::Anything))],
        );
        check(&format!("[\n  {x}\n]\n"), &[("a", 2, edit("x", "y"))]);
        check(
            &format!("{x}\n{y}\n"),
            &[("a", 1, edit("x", "y")), ("b", 2, write("", Over::Anything))],
        );
        check(
            &format!("Here {{it}} is:\n\n```json\n{x}\n```\n{{}} no\n\nand\n[{y}]"),
            &[("a", 4, edit("x", "y")), ("b", 9, write("", Over::Anything))],
        );
        check(&format!("{{ color: red }}\n[1, 2]\n{x}"), &[("a", 3, edit("x", "y"))]);
    }

    #[test]
    fn what_models_get_wrong_in_json_is_read_where_it_is_plain() {
        check(
            "{\"path\":\"a\",\"old_string\":\"x\n\t\\\"\",\"new_string\":\"y\",}\n",
            &[("a", 1, edit("x\n\t\"", "y"))],
        );
        check(
            "{\"path\":\"a\",\"edits\":[\n{\"old_string\":\"x\",\"new_string\":\"y\"},\n],\n}",
            &[("a", 1, edit("x", "y"))],
        );
        check_err(
            "{\"path\":\"a\",\n\"old_string\":\"say \"x\"\",\n\"new_string\":\"y\"}",
            2,
            "expected `,` or `}`",
        );
        check_err("\n{\"path\":\"a\",\n\"old_string\":\"x", 3, "EOF");
    }

    #[test]
    fn an_object_that_asks_for_nothing_clear_is_refused() {
        for (text, part) in [
            (r#"{"path":"a","old_string":"x"}"#, "`new_string` is missing"),
            (r#"{"path":"a","new_string":"x"}"#, "`old_string` is missing"),
            (r#"{"path":"a","old_string":"x","new_string":3}"#, "not a string"),
            (r#"{"path":"a","old_string":"x","new_string":"x"}"#, "same text"),
            (r#"{"path":"","old_string":"x","new_string":"y"}"#, "the path is empty"),
            (r#"{"old_string":"","new_string":"x"}"#, "`path` is missing"),
            (
                r#"{"path":"a","old_string":"x","new_string":"y","replace_all":2}"#,
                "neither true nor false",
            ),
            (
                r#"{"path":"a","old_string":"x","new_string":"y","expected_replacements":0}"#,
                "from 1 on",
            ),
            (r#"{"command":"view","path":"a"}"#, "`view` is no edit"),
            (
                r#"{"command":"insert","path":"a","insert_line":-1,"insert_text":"x"}"#,
                "`insert_line`",
            ),
            (
                r#"{"command":"insert","path":"a","insert_line":1,"insert_text":""}"#,
                "nothing to insert",
            ),
            (
                r#"{"path":"a","operation":"replace","old":"x","place":"none","new":"y"}"#,
                "none of those",
            ),
            (
                r#"{"path":"a","operation":"insert","anchor":"x","position":"on","text":"y"}"#,
                "`before` or `after`",
            ),
            (
                r#"{"path":"a","edits":[{"old_string":"x","new_string":"y"},{"old_string":"x"}]}"#,
                "edit 2 of `edits`: `new_string`",
            ),
            (r#"{"name":"edit","arguments":"{"}"#, "holds no JSON object"),
            (r#"{"name":"ls","arguments":{}}"#, "asks for no edit"),
            (r#"[{"path":"a","content":"x"}"#, "not closed"),
        ] {
            check_err(text, 1, part);
        }
    }

    #[test]
    fn other_texts_have_no_edit() {
        for text in [
            "",
            "{",
            "[1]",
            "{ \"name\": \"app\", \"version\": \"1\" }",
            "fn a() {\n}\n{\n}",
            "+{\"path\":\"a\",\"content\":\"x\"}",
            "x\n {\"path\":\"a\",\"content\":\"x\"}",
        ] {
            assert!(!is_in(text), "{text}");
        }
    }

    fn requests() -> impl Strategy<Value = Vec<Request>> {
        let text = "[ -~é\\n\\t]{1,12}";
        let count =
            prop_oneof![Just(Count::One), Just(Count::All), (2usize..9).prop_map(Count::Exactly)];
        let edit = (text, text, count, prop::option::of(1usize..99)).prop_map(
            |(old, new, count, line)| {
                let mut hunk = Hunk::of_text(&old, &format!("{new}!"));
                hunk.hints.line = line.filter(|_| count == Count::One);
                Action::Edit(Hunk { count, ..hunk })
            },
        );
        let over = prop::sample::select(vec![Over::Nothing, Over::Anything]);
        let write = (text, over).prop_map(|(text, over)| Action::Write { text, over });
        let lines = (0usize..9, prop::collection::vec("[ -~]{0,5}", 1..4));
        let lines =
            lines.prop_map(|(line, new)| Action::Lines(LineEdit { line, n_deleted: 0, new }));
        let insert =
            (text, prop::option::of("line [1-9]"), text).prop_map(|(anchor, place, text)| {
                Action::Insert(Insert { anchor, place, position: Position::Before, text })
            });
        let request = ("[ -~]{0,5}[a-z]", prop_oneof![edit, write, lines, insert]);
        let request =
            request.prop_map(|(path, action)| Request { path: Some(path), line: 0, action });
        prop::collection::vec(request, 0..4).prop_map(|mut requests| {
            requests.retain(
                |request| !matches!(&request.action, Action::Edit(hunk) if hunk.changes_nothing()),
            );
            requests
        })
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_again(requests in requests()) {
            check_round_trip(&requests, render, is_in, parse)?;
        }

        #[test]
        fn no_text_is_too_strange(text in "\\PC*", marks in prop::collection::vec(
            prop::sample::select(vec!["{", "}", "[", "]", ",", ":", "\"", "\\", "\"path\":\"é\"", "\"old_string\":\"x\"", "\"edits\":[", "{\"input\":", "3", "\r", "\n", "\n"]), 0..20)) {
            let _ = (parse(&text), is_in(&text));
            let text = marks.concat();
            let _ = (parse(&text), is_in(&text));
        }
    }
}
