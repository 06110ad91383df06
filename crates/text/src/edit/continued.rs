//! Keeps lines that are continued with a backslash at their end, as strings and commands are.
//!
//! Such a line end is `\\\n` in a JSON string. Models that repeat it in new text write `\\n`, which
//! is a literal `\n` in the file. Nobody sees it in a diff that changes something else beside it.

use std::ops::Range;

/// New text for a range of a file, with the backslash and the line end of the old text wherever the
/// new text has a literal `\n` in their place.
pub(super) fn with_continued_lines(shown: &str, range: &Range<usize>, new: &str) -> String {
    // Most new text has none, and a line may be a megabyte long.
    if !new.contains("\\n") {
        return new.to_owned();
    }
    let start = shown[..range.start].rfind('\n').map_or(0, |at| at + 1);
    let end = shown[range.end..]
        .find('\n')
        .map_or(shown.len(), |at| range.end + at);
    let lines: Vec<&str> = shown[start..end].split('\n').collect();
    let pairs: Vec<&[&str]> = lines
        .windows(2)
        .filter(|pair| pair[0].ends_with('\\'))
        .collect();
    if pairs.is_empty() {
        return new.to_owned();
    }
    // Whole lines are compared.
    let (above, below) = (&shown[start..range.start], &shown[range.end..end]);
    let mut text = above.to_owned();
    let mut rest = new;
    while let Some(at) = rest.find("\\n") {
        let (head, mut tail) = (&rest[..at], &rest[at + 2..]);
        tail = tail.strip_prefix('\n').unwrap_or(tail);
        let head = head.strip_suffix('\\').unwrap_or(head);
        let first = [&text, head].concat();
        let first = first.rsplit('\n').next().unwrap_or_default();
        let second = [tail, below].concat();
        let second = second.split('\n').next().unwrap_or_default();
        if pairs.iter().any(|pair| is_pair(pair, first, second)) {
            text += &[head, "\\\n"].concat();
            rest = tail;
        } else {
            text += &rest[..at + 2];
            rest = &rest[at + 2..];
        }
    }
    text += rest;
    text.split_off(above.len())
}

/// Whether new text has these two old lines with something else between them. One of them may have
/// other words, if the second one keeps its indentation: what is written into a string on purpose
/// has none.
fn is_pair(pair: &[&str], first: &str, second: &str) -> bool {
    let is_first = pair[0].strip_suffix('\\') == Some(first);
    let goes_on = |rest: &str| rest.starts_with("\\n") || rest.starts_with("\\\\n");
    let is_second = second == pair[1]
        || pair[1]
            .strip_suffix('\\')
            .and_then(|line| second.strip_prefix(line))
            .is_some_and(goes_on);
    let indentation = |line: &str| line.len() - line.trim_start().len();
    let n_blanks = indentation(second);
    let is_indented = n_blanks > 0 && n_blanks == indentation(pair[1]);
    (is_first && is_second) || (is_indented && (is_first || is_second))
}
