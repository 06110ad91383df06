//! Where the JSON objects of a text are, and what models get wrong in them.

use serde_json::{Map, Value};

/// What an object holds.
pub(crate) type Object = Map<String, Value>;

/// Where an object begins, and the list around it if it is the first one of a list.
pub(super) struct Start {
    pub object: usize,
    pub list: Option<usize>,
}

/// The first object at the start of a line, from the line that begins at `from`.
pub(super) fn first_object(text: &str, from: usize) -> Option<Start> {
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
pub(super) fn begins_object(text: &str) -> bool {
    text.strip_prefix('{').is_some_and(|inner| inner.trim_start().starts_with('"'))
}

/// The objects in a text, wherever they begin: for answers that are to be one object. Of an object
/// that cannot be read the ones inside are looked for.
pub(crate) fn objects_in(text: &str) -> Vec<Object> {
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
pub(super) fn value(text: &str) -> Result<(Value, usize), serde_json::Error> {
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
pub(super) struct LineCounter<'a> {
    text: &'a str,
    at: usize,
    line: usize,
}

impl<'a> LineCounter<'a> {
    pub fn new(text: &'a str) -> LineCounter<'a> {
        LineCounter { text, at: 0, line: 1 }
    }

    /// The line on which an offset lies, counted from 1.
    pub fn line_of(&mut self, at: usize) -> usize {
        self.line += self.text[self.at..at].matches('\n').count();
        self.at = at;
        self.line
    }
}
