//! Finds the JSON objects of a text, and repairs the usual mistakes of models in them.

use serde_json::{Map, Value};

/// A JSON object.
pub type Object = Map<String, Value>;

/// The offset of an object, and that of the list around it, if the object is the first in a list.
pub(super) struct Start {
    pub object: usize,
    pub list: Option<usize>,
}

/// Finds the first object at the start of a line; `from` is the start of the first line to check.
pub(super) fn first_object(text: &str, from: usize) -> Option<Start> {
    let mut at = text.len() - text[from..].trim_start().len();
    loop {
        let line = &text[at..];
        let list = line.strip_prefix('[');
        let object = list.map_or(line, str::trim_start);
        if begins_object(object) {
            return Some(Start {
                object: text.len() - object.len(),
                list: list.map(|_| at),
            });
        }
        at += line.find('\n')? + 1;
    }
}

/// Where the object, or the list of objects, of a line begins, behind labels and tags.
pub(super) fn start_on_line(text: &str) -> Option<usize> {
    // A longer label is a sentence.
    const MOST: usize = 80;
    let mut rest = text;
    while text.len() - rest.len() < MOST {
        rest = rest.trim_start_matches([' ', '\t']);
        let inner = rest.strip_prefix('[').map_or(rest, str::trim_start);
        if begins_object(inner) {
            return Some(text.len() - rest.len());
        }
        rest = without_label(rest)?;
    }
    None
}

/// The text below the label at its start: `Call 1:`, `<tool_call>`, `[TOOL_CALLS]`, `edit_file(`.
fn without_label(text: &str) -> Option<&str> {
    let closes = match text.chars().next()? {
        '<' => '>',
        '[' => ']',
        _ => {
            let (word, _) = text.split_once([':', '：', '(', '[', '<', '{', '\n'])?;
            let rest = &text[word.len()..];
            if !is_label(word) {
                return None;
            }
            return match rest.chars().next()? {
                mark @ (':' | '：' | '(') => rest.strip_prefix(mark),
                // A word between two labels.
                '[' | '<' => Some(rest),
                _ => None,
            };
        }
    };
    let (word, rest) = text[1..].split_once(closes)?;
    is_label(word).then_some(rest)
}

fn is_label(word: &str) -> bool {
    let mut chars = word.chars();
    !word.is_empty() && chars.all(|char| char.is_alphanumeric() || " _-.#*|/▁｜".contains(char))
}

/// A text without the closing tags at its start.
pub(super) fn without_closing_tags(text: &str) -> &str {
    let mut rest = text;
    while let Some((tag, below)) = rest
        .strip_prefix("</")
        .and_then(|inner| inner.split_once('>'))
    {
        if tag.contains(['\n', '<']) {
            break;
        }
        rest = below.trim_start_matches([' ', '\t']);
    }
    rest
}

/// Whether a text begins with a brace and a quoted key. Braces in code and prose have no such key.
pub(super) fn begins_object(text: &str) -> bool {
    text.strip_prefix('{')
        .is_some_and(|inner| inner.trim_start().starts_with('"'))
}

/// All objects in a text, wherever they begin, for answers that should be one object. If an object
/// cannot be read, the objects inside it are tried.
pub fn objects_in(text: &str) -> Vec<Object> {
    // Each try reads to the object's end, so text with very many braces (code) is given up.
    const MOST_TRIED: usize = 200;
    let mut objects = Vec::new();
    let mut at = 0;
    for _ in 0..MOST_TRIED {
        let Some(start) = text[at..]
            .match_indices('{')
            .find(|(i, _)| begins_object(&text[at + i..]))
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

/// Reads one value from the start of a text. Also returns its length in bytes.
pub(super) fn value(text: &str) -> Result<(Value, usize), serde_json::Error> {
    strict_value(text).or_else(|error| {
        let Some((repaired, n_bytes)) = repaired(text) else {
            return Err(error);
        };
        match strict_value(&repaired) {
            Ok((value, _)) => Ok((value, n_bytes)),
            Err(_) => Err(error),
        }
    })
}

fn strict_value(text: &str) -> Result<(Value, usize), serde_json::Error> {
    let mut values = serde_json::Deserializer::from_str(text).into_iter::<Value>();
    let value = values.next().unwrap_or(Ok(Value::Null))?;
    Ok((value, values.byte_offset()))
}

/// Repairs the value at the start of a text. Escapes newlines and tabs in strings, and removes
/// commas before closing brackets. Also returns the value's length in the original text, in bytes.
fn repaired(text: &str) -> Option<(String, usize)> {
    let mut repaired = String::new();
    let mut n_open = 0usize;
    let mut is_in_string = false;
    let mut is_escaped = false;
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

/// Converts byte offsets, given in ascending order, to line numbers.
pub(super) struct LineCounter<'a> {
    text: &'a str,
    at: usize,
    line: usize,
}

impl<'a> LineCounter<'a> {
    pub fn new(text: &'a str) -> LineCounter<'a> {
        LineCounter {
            text,
            at: 0,
            line: 1,
        }
    }

    /// The line of a byte offset, counted from 1.
    pub fn line_of(&mut self, at: usize) -> usize {
        self.line += self.text[self.at..at].matches('\n').count();
        self.at = at;
        self.line
    }
}
