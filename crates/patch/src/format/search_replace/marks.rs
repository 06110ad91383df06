//! The marks of a block, and the backslash before a line that only looks like one.

use crate::text::without_stop_tokens;
use std::borrow::Cow;

/// The first line of a block.
pub(super) struct Opening {
    /// The length of its mark, in characters.
    pub length: usize,
    /// The width of its indentation, in bytes.
    pub indent: usize,
    /// Whether no unexpected text follows the mark.
    pub is_whole: bool,
}

impl Opening {
    pub fn of(line: &str) -> Option<Opening> {
        let indent = line.len() - line.trim_start().len();
        let (mark, length, word) = mark(line)?;
        let tail = match mark {
            '<' => word
                .strip_prefix("SEARCH")
                .or_else(|| word.strip_prefix("ORIGINAL")),
            // `------- SEARCH RESULTS -------` is a heading.
            '-' => word
                .strip_prefix("SEARCH")
                .filter(|tail| tail.is_empty() || *tail == ">"),
            _ => None,
        }?;
        let is_whole = tail.is_empty() || tail == ">";
        (is_whole || tail.starts_with([' ', '\t', '>'])).then_some(Opening {
            length,
            indent,
            is_whole,
        })
    }
}

/// The possible mark at the start of a line: its character, its length, and the text after it.
fn mark(line: &str) -> Option<(char, usize, &str)> {
    let body = without_stop_tokens(line.trim());
    let mark = body.chars().next().filter(|mark| "<=>-+".contains(*mark))?;
    let rest = body.trim_start_matches(mark);
    let length = body.len() - rest.len();
    (5..=9)
        .contains(&length)
        .then_some((mark, length, rest.trim_start()))
}

/// Whether a line is the beginning of a block's first mark.
pub(super) fn begins_opening(line: &str) -> bool {
    mark(line).is_some_and(|(mark, length, word)| {
        mark == '<'
            && length >= 7
            && ["SEARCH", "ORIGINAL"]
                .iter()
                .any(|all| all.starts_with(word))
    })
}

pub(super) fn is_closing(line: &str) -> bool {
    mark(line).is_some_and(|(mark, _, word)| {
        let word = word.strip_suffix('>').unwrap_or(word);
        (mark == '>' && matches!(word, "REPLACE" | "UPDATED")) || (mark == '+' && word == "REPLACE")
    })
}

pub(super) fn is_separator(line: &str) -> bool {
    mark(line).is_some_and(|(mark, _, rest)| mark == '=' && rest.is_empty())
}

pub(super) fn is_number(line: &str) -> bool {
    let line = line.trim_start();
    line.starts_with(":start_line:") || line.starts_with(":end_line:")
}

/// The length of a line's indentation, and the text after its backslashes.
fn behind_backslashes(line: &str) -> (usize, &str) {
    let body = line.trim_start();
    (line.len() - body.len(), body.trim_start_matches('\\'))
}

/// Whether a backslash before this text escapes a mark. Roo checks only these beginnings.
fn is_hidable(rest: &str) -> bool {
    let starts = [
        "<<<<<",
        "=====",
        ">>>>>",
        "-----",
        "+++++",
        ":start_line:",
        ":end_line:",
    ];
    starts.iter().any(|start| rest.starts_with(start))
}

pub(super) fn unescaped(line: &str) -> Cow<'_, str> {
    let (indent, rest) = behind_backslashes(line);
    let is_hidden = line[indent..].starts_with('\\') && is_hidable(rest);
    if is_hidden {
        Cow::Owned([&line[..indent], &line[indent + 1..]].concat())
    } else {
        Cow::Borrowed(line)
    }
}
