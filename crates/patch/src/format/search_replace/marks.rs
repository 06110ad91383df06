//! The marks of a block, and the backslash before a line that only looks like one.

use crate::text::without_stop_tokens;
use std::borrow::Cow;

/// The first line of a block.
pub(super) struct BlockOpening {
    /// The length of its mark, in characters.
    pub length: usize,
    /// The width of its indentation, in bytes.
    pub indent: usize,
    /// Whether no unexpected text follows the mark.
    pub is_whole: bool,
}

impl BlockOpening {
    pub fn of(line: &str) -> Option<BlockOpening> {
        let (mark, length, word) = mark(line)?;
        let tail = match mark {
            '<' => word
                .strip_prefix("SEARCH")
                .or_else(|| word.strip_prefix("ORIGINAL"))?,
            // `------- SEARCH RESULTS -------` is a heading.
            '-' if matches!(word, "SEARCH" | "SEARCH>") => "",
            _ => return None,
        };
        let is_whole = tail.is_empty() || tail == ">";
        (is_whole || tail.starts_with([' ', '\t', '>'])).then_some(BlockOpening {
            length,
            indent: line.len() - line.trim_start().len(),
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
    let Some(('<', 7.., word)) = mark(line) else {
        return false;
    };
    "SEARCH".starts_with(word) || "ORIGINAL".starts_with(word)
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

/// The beginnings before which a backslash escapes a mark, as Roo checks them.
const HIDABLE: [&str; 7] = [
    "<<<<<",
    "=====",
    ">>>>>",
    "-----",
    "+++++",
    ":start_line:",
    ":end_line:",
];

/// A line without the backslash that escapes its mark.
pub(super) fn unescaped(line: &str) -> Cow<'_, str> {
    let body = line.trim_start();
    let rest = body.trim_start_matches('\\');
    let is_hidden = rest.len() < body.len() && HIDABLE.iter().any(|start| rest.starts_with(start));
    if is_hidden {
        let indent = &line[..line.len() - body.len()];
        Cow::Owned([indent, &body[1..]].concat())
    } else {
        Cow::Borrowed(line)
    }
}
