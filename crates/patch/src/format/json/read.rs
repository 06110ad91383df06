//! Turns one JSON object into the edits that it requests.

use super::objects::{self, Object};
use crate::format::patch::{Action, FileEdit, LineEdit, Over, Patch};
use crate::format::{codex, search_replace, unified};
use crate::hunk::{Count, Hunk};
use crate::slots::{Insert, NO_PLACE, Operation, Position};
use serde_json::Value;
use std::slice;

/// The names that a key may have, separated by blanks.
type Keys = &'static str;

const PATH: Keys = "path file_path filePath filepath file filename target_file";
const OLD: Keys = "old_string old_str oldString old_text oldText search";
const NEW: Keys = "new_string new_str newString new_text newText replace";
/// Those of them that are no words of prose.
pub(super) const NEW_TEXT: Keys = "new_string new_str newString new_text newText";
const ALL: Keys = "replace_all replaceAll";
const EXPECTED: Keys = "expected_replacements expectedReplacements";
const CONTENT: Keys = "content contents file_text";
const INSERTED: Keys = "insert_text new_str";
const EDITS: Keys = "edits changes files tool_calls";
/// Calls of tools, of which some may only read.
const TOOL_CALLS: &str = "tool_calls";
const CALL: Keys = "arguments input parameters args function";
/// Keys of an edit in another format, or of a command with one.
const PATCH: Keys = "patch patchText patch_text diff input command cmd script arguments";

/// Keys that show that an unreadable object is an edit.
pub(super) const TELLING: Keys =
    "old_string old_str oldString old_text oldText insert_text file_text edits patchText";

/// The deepest nesting of calls that is read as an edit.
const MAX_DEPTH: usize = 4;

fn get(object: &Object, keys: Keys) -> Option<(&'static str, &Value)> {
    keys.split(' ')
        .find_map(|key| Some((key, object.get(key).filter(|value| !value.is_null())?)))
}

fn string(object: &Object, keys: Keys) -> Result<Option<&str>, String> {
    let Some((key, value)) = get(object, keys) else {
        return Ok(None);
    };
    value
        .as_str()
        .map(Some)
        .ok_or_else(|| format!("`{key}` is not a string; put its text in quotes"))
}

fn needed(object: &Object, keys: Keys) -> Result<&str, String> {
    let name = keys.split(' ').next().unwrap_or_default();
    string(object, keys)?.ok_or_else(|| format!("`{name}` is missing; add it to the object"))
}

/// The arguments of a call: an object, or a string that contains one. Also returns their key.
fn call(object: &Object) -> Option<(&'static str, Result<Object, serde_json::Error>)> {
    let (key, value) = get(object, CALL)?;
    match value {
        Value::Object(inner) => Some((key, Ok(inner.clone()))),
        Value::String(text) => Some((key, as_value(text).and_then(serde_json::from_value))),
        _ => None,
    }
}

/// The value that a string holds.
fn as_value(text: &str) -> Result<Value, serde_json::Error> {
    objects::value(text.trim()).map(|(value, _)| value)
}

/// The edits of an object's list, with the list's key. A string may hold the list, or one of its
/// edits; a single edit needs no list. The error is a sentence about the list.
fn edits(object: &Object) -> Option<(&'static str, Result<Vec<Object>, String>)> {
    let (key, value) = get(object, EDITS)?;
    Some((key, listed_in(key, value)))
}

fn listed_in(key: &str, value: &Value) -> Result<Vec<Object>, String> {
    let values = match value {
        Value::String(text) => as_value(text).ok().and_then(listed),
        value => listed(value.clone()),
    };
    let Some(values) = values else {
        return Err(format!("`{key}` is not a list; put its edits in brackets"));
    };

    let mut objects = Vec::new();
    for (idx, value) in values.into_iter().enumerate() {
        let value = match value {
            Value::String(text) => as_value(&text).unwrap_or_default(),
            value => value,
        };
        let Value::Object(inner) = value else {
            return Err(format!(
                "edit {} of `{key}`: it is not an object; write one with `old_string` and \
                 `new_string`",
                idx + 1
            ));
        };
        objects.push(inner);
    }
    Ok(objects)
}

/// The values of a list, which may be inside an object once more.
fn listed(value: Value) -> Option<Vec<Value>> {
    match value {
        Value::Array(values) => Some(values),
        Value::Object(inner) => match get(&inner, EDITS) {
            Some((_, Value::Array(values))) => Some(values.clone()),
            _ => Some(vec![Value::Object(inner)]),
        },
        _ => None,
    }
}

/// Whether an object asks for edits in more than one way. Only one of them would be read.
fn asks_twice(object: &Object, depth: usize) -> bool {
    let mut n_ways = 0;
    for key in EDITS.split(' ') {
        if let Some(Ok(edits)) = object.get(key).map(|value| listed_in(key, value)) {
            n_ways += usize::from(has_edit(&edits, depth));
        }
    }
    n_ways += usize::from(has(object, OLD) && has(object, NEW));
    n_ways += usize::from(has(object, PATH) && has(object, CONTENT));
    n_ways > 1
}

fn has_edit(edits: &[Object], depth: usize) -> bool {
    depth < MAX_DEPTH && edits.iter().any(|edit| is_edit(edit, depth + 1))
}

/// The patch in another format that an object holds.
fn patch(object: &Object) -> Option<String> {
    PATCH.split(' ').find_map(|key| {
        let text = match object.get(key)? {
            Value::String(text) => text.clone(),
            // A command and its arguments. A shell gets the patch with its last one.
            Value::Array(words) => words.last()?.as_str()?.to_owned(),
            _ => return None,
        };
        is_marked(&text).then_some(text)
    })
}

fn has(object: &Object, keys: Keys) -> bool {
    get(object, keys).is_some()
}

/// Words of keys that name a place in a file.
const PLACES: &str =
    "line start end append insert prepend after before anchor position symbol offset range";

/// Words of tools that change a part of a file, or only read.
const WAYS: &str = "append insert prepend symbol grep delete remove patch";

/// Keys that name the tool, or what it does.
const SAYS_HOW: &str = "mode action operation command type name tool tool_name";

/// What says that a text is not the whole of a file, as a message shows it: a key that names a place
/// in the file, or a tool that adds to one.
fn place_or_way(object: &Object) -> Option<String> {
    for (key, value) in object {
        // `line_count` says how long the text is, and `append: false` says nothing.
        let words = words_of(key);
        let is_place = has_word(&words, PLACES) && !has_word(&words, "count");
        if is_place && !value.is_null() && *value != Value::Bool(false) {
            return Some(format!("`{key}`"));
        }

        // A tool's result names the file that it read.
        let way = value.as_str().unwrap_or_default();
        let is_result = key == "role" && way == "tool";
        if is_result || is_in(key, SAYS_HOW) && has_word(&words_of(way), WAYS) {
            return Some(format!("`{key}` ({way})"));
        }
    }
    None
}

fn is_in(word: &str, words: &str) -> bool {
    words.split(' ').any(|other| other == word)
}

fn has_word(words: &[String], among: &str) -> bool {
    words.iter().any(|word| is_in(word, among))
}

/// The words of a name in lower case: `start_line` and `startLine` have two.
fn words_of(name: &str) -> Vec<String> {
    let mut words: Vec<String> = vec![String::new()];
    let mut was_lower = false;
    for char in name.chars() {
        if !char.is_alphanumeric() || (was_lower && char.is_uppercase()) {
            words.push(String::new());
        }
        if char.is_alphanumeric() {
            words
                .last_mut()
                .expect("there is a first")
                .extend(char.to_lowercase());
        }
        was_lower = char.is_lowercase();
    }
    words
}

/// Whether a text has the clear marks of an edit in another format.
fn is_marked(text: &str) -> bool {
    codex::is_in(text) || search_replace::is_in(text) || unified::is_in(text)
}

fn is_command(object: &Object) -> bool {
    let command = object.get("command").and_then(Value::as_str);
    command.is_some_and(|command| is_in(command, "str_replace create insert view undo_edit"))
}

fn is_operation(object: &Object) -> bool {
    let word = object.get("operation").and_then(Value::as_str);
    word.is_some_and(|word| word == "none" || operation_of(word).is_some())
}

fn operation_of(word: &str) -> Option<Operation> {
    let mut operations = Operation::ALL.into_iter();
    operations.find(|operation| operation.word() == word)
}

/// Whether an object is an edit, or contains one.
pub(super) fn is_edit(object: &Object, depth: usize) -> bool {
    (has(object, OLD) && has(object, NEW))
        || (has(object, PATH) && has(object, CONTENT))
        || matches!(edits(object), Some((_, Ok(edits))) if has_edit(&edits, depth))
        || patch(object).is_some()
        || (is_command(object) && has(object, PATH))
        || is_operation(object)
        || matches!(call(object), Some((_, Ok(inner))) if has_edit(slice::from_ref(&inner), depth))
}

/// What is around an object.
#[derive(Clone, Copy)]
pub(super) struct Outer<'a> {
    /// The line of the text that it is on.
    line: usize,
    /// The path in the objects around it.
    path: Option<&'a str>,
    /// The number of objects around it.
    depth: usize,
}

impl<'a> Outer<'a> {
    /// An object on this line with none around it.
    pub fn at(line: usize) -> Outer<'a> {
        Outer {
            line,
            path: None,
            depth: 0,
        }
    }

    fn deeper(self) -> Outer<'a> {
        Outer {
            depth: self.depth + 1,
            ..self
        }
    }
}

/// Reads the edits of an object into `file_edits`.
pub(super) fn read(
    object: &Object,
    outer: Outer,
    file_edits: &mut Vec<FileEdit>,
) -> Result<(), String> {
    if asks_twice(object, outer.depth) {
        let message = "the object asks for edits under several keys; put all into one list";
        return Err(message.to_owned());
    }
    let outer = Outer {
        path: string(object, PATH)?.or(outer.path),
        ..outer
    };
    if outer.path.is_some_and(|path| path.trim().is_empty()) {
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
    } else if let Some((key, edits)) = edits(object) {
        return read_list(key, &edits?, outer, file_edits);
    } else if let Some(text) = patch(object) {
        return read_patch(&text, outer, file_edits);
    } else if has(object, CONTENT) {
        write(object)?
    } else if let Some((key, inner)) = call(object).filter(|_| outer.depth < MAX_DEPTH) {
        let mut inner = inner.map_err(|error| {
            format!("`{key}` holds no JSON object: {error}; write the edit there")
        })?;
        // The tool's name may say how its text is used.
        if let Some(name) = object.get("name").filter(|_| !inner.contains_key("name")) {
            inner.insert("name".to_owned(), name.clone());
        }
        return read(&inner, outer.deeper(), file_edits);
    } else {
        let message = "the object asks for no edit; give it `path`, `old_string` and `new_string`, \
            or `path` and `content`";
        return Err(message.to_owned());
    };
    if outer.path.is_none() && matches!(action, Action::Write { .. }) {
        return Err("`path` is missing; name the file that is to be written".to_owned());
    }
    file_edits.push(FileEdit {
        path: outer.path.map(str::to_owned),
        line: outer.line,
        action,
    });
    Ok(())
}

fn read_list(
    key: &str,
    edits: &[Object],
    outer: Outer,
    file_edits: &mut Vec<FileEdit>,
) -> Result<(), String> {
    let inner = outer.deeper();
    for (edit_idx, edit) in edits.iter().enumerate() {
        if key == TOOL_CALLS && !is_edit(edit, inner.depth) {
            continue;
        }
        let result = if outer.depth >= MAX_DEPTH {
            Err("it is nested too deeply; put it into one list".to_owned())
        } else {
            read(edit, inner, file_edits)
        };
        result.map_err(|message| format!("edit {} of `{key}`: {message}", edit_idx + 1))?;
    }
    Ok(())
}

/// Reads a patch in another format. A file that it does not name is the one of the call.
fn read_patch(text: &str, outer: Outer, file_edits: &mut Vec<FileEdit>) -> Result<(), String> {
    let patch = Patch::parse(text).map_err(|error| error.to_string())?;
    if let Some(other) = patch.not_read.first() {
        let line = other.line;
        return Err(format!(
            "line {line} of its patch looks like an edit, and was not read"
        ));
    }
    for mut file_edit in patch.parts.into_iter().flat_map(|part| part.file_edits) {
        if let (None, Some(path)) = (&file_edit.path, outer.path) {
            file_edit.path = Some(path.to_owned());
            if let Action::OneOf { action, .. } = file_edit.action {
                file_edit.action = *action;
            }
        }
        file_edit.line = outer.line;
        file_edits.push(file_edit);
    }
    Ok(())
}

/// Reads the whole text of a file.
fn write(object: &Object) -> Result<Action, String> {
    if let Some(reason) = place_or_way(object) {
        return Err(format!(
            "{reason} says that `content` is not the whole file; give the whole file, or \
             `old_string` and `new_string`"
        ));
    }
    Ok(Action::Write {
        text: needed(object, CONTENT)?.to_owned(),
        over: Over::Anything,
    })
}

fn replace(object: &Object) -> Result<Action, String> {
    let mut hunk = match exchange(needed(object, OLD)?, needed(object, NEW)?)? {
        Action::Edit(hunk) => hunk,
        write => return Ok(write),
    };
    let is_all = match get(object, ALL) {
        None => false,
        Some((_, Value::Bool(is_all))) => *is_all,
        Some((_, Value::String(word))) if word.eq_ignore_ascii_case("true") => true,
        Some((_, Value::String(word))) if word.eq_ignore_ascii_case("false") => false,
        Some((key, _)) => {
            return Err(format!(
                "`{key}` is neither true nor false; write one of them"
            ));
        }
    };
    let expected = match get(object, EXPECTED) {
        None => None,
        Some((key, value)) => Some(number(value).filter(|n| *n > 0).ok_or_else(|| {
            format!("`{key}` is not a number from 1 on; write how many places there are")
        })?),
    };
    hunk.count = match expected {
        Some(n) if n > 1 => Count::Exactly(n),
        _ if is_all => Count::All,
        _ => Count::One,
    };
    Ok(Action::Edit(hunk))
}

/// A number, which may be in quotes.
fn number(value: &Value) -> Option<usize> {
    match value {
        Value::String(digits) => digits.trim().parse().ok(),
        value => value.as_u64().and_then(|n| usize::try_from(n).ok()),
    }
}

/// Replaces a text by another; an empty old text means a new file.
fn exchange(old: &str, new: &str) -> Result<Action, String> {
    let (old, new) = (old.replace("\r\n", "\n"), new.replace("\r\n", "\n"));
    if old == new {
        return Err("old and new are the same text; say what changes".to_owned());
    }
    if old.is_empty() {
        Ok(Action::Write {
            text: new,
            over: Over::Nothing,
        })
    } else {
        Ok(Action::Edit(Hunk::of_text(&old, &new)))
    }
}

/// Reads a command of Claude's text editor.
fn command(object: &Object) -> Result<Action, String> {
    match needed(object, "command")? {
        // A deletion may omit the new text.
        "str_replace" => exchange(
            needed(object, OLD)?,
            string(object, NEW)?.unwrap_or_default(),
        ),
        "create" => Ok(Action::Write {
            text: needed(object, CONTENT)?.to_owned(),
            over: Over::Anything,
        }),
        "insert" => insert_at_line(object),
        other => Err(format!(
            "`{other}` is no edit; use `str_replace`, `create` or `insert`"
        )),
    }
}

fn insert_at_line(object: &Object) -> Result<Action, String> {
    let line = object.get("insert_line").and_then(number);
    let line =
        line.ok_or("`insert_line` is not the number of a line; write 0 for the top of the file")?;
    let text = needed(object, INSERTED)?.replace("\r\n", "\n");
    if text.is_empty() {
        let message = "there is nothing to insert; put the new lines into `insert_text`";
        return Err(message.to_owned());
    }
    let lines = text.strip_suffix('\n').unwrap_or(&text).split('\n');
    Ok(Action::Lines(LineEdit {
        line,
        n_deleted: 0,
        new: lines.map(str::to_owned).collect(),
    }))
}

/// Reads our own slots; `None` if the model says that there is nothing to do.
fn operation(object: &Object) -> Result<Option<Action>, String> {
    let Some(operation) = operation_of(needed(object, "operation")?) else {
        return Ok(None);
    };
    let place = string(object, "place")?;
    if place == Some(NO_PLACE) {
        return Err("the place is none of those offered; name the line".to_owned());
    }

    Ok(Some(match operation {
        Operation::Replace | Operation::ReplaceAll => {
            let old = needed(object, "old")?;
            let Action::Edit(mut hunk) = exchange(old, needed(object, "new")?)? else {
                return Err("`old` is empty; give the text that is replaced".to_owned());
            };
            if operation == Operation::ReplaceAll {
                hunk.count = Count::AllWords;
            } else {
                hunk.hints.line = place.and_then(line_of_place);
            }
            Action::Edit(hunk)
        }
        Operation::Insert => Action::Insert(Insert {
            anchor: needed(object, "anchor")?.to_owned(),
            place: place.map(str::to_owned),
            position: position(needed(object, "position")?)?,
            text: needed(object, "text")?.to_owned(),
        }),
        Operation::Create => Action::Write {
            text: needed(object, "text")?.to_owned(),
            over: Over::Nothing,
        },
        Operation::Rewrite => {
            return Err("`rewrite` names a block that was shown; give `old` and `new`".to_owned());
        }
    }))
}

fn position(word: &str) -> Result<Position, String> {
    match word {
        "before" | "above" => Ok(Position::Before),
        "after" | "below" => Ok(Position::After),
        other => Err(format!(
            "`position` is `{other}`; write `before` or `after`"
        )),
    }
}

/// The number in `line 12`, `main, line 12` or `line 12, in main`.
fn line_of_place(place: &str) -> Option<usize> {
    let (_, rest) = place.rsplit_once("line ")?;
    let n_digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    rest[..n_digits].parse().ok().filter(|line| *line > 0)
}
