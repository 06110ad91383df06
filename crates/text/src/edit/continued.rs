//! Keeps lines that are continued with a backslash at their end, as strings and commands are.
//!
//! Such a line end is `\\\n` in a JSON string. Models that repeat it in new text write `\\n`, which
//! is a literal `\n` in the file. Nobody sees it in a diff that changes something else beside it.

use super::replacement::Replacement;
use crate::text::{indentation, line_end, line_start};

/// The replacements, with the old text's continued lines where the new text has a literal `\n`
/// instead. If nothing else would change, the `\n` is meant, and stays.
pub fn keep_continued_lines(shown: &str, replacements: Vec<Replacement>) -> Vec<Replacement> {
    let mut kept = replacements.clone();
    for replacement in &mut kept {
        replacement.new = with_continued_lines(shown, replacement);
    }
    if kept == replacements {
        return replacements;
    }

    kept.retain(|replacement| shown[replacement.range.clone()] != replacement.new);
    if kept.is_empty() { replacements } else { kept }
}

fn with_continued_lines(shown: &str, Replacement { range, new }: &Replacement) -> String {
    // Most new text has none, and a line may be a megabyte long.
    if !new.contains("\\n") {
        return new.clone();
    }
    let start = line_start(shown, range.start);
    let end = line_end(shown, range.end);
    let lines: Vec<&str> = shown[start..end].split('\n').collect();
    let pairs: Vec<&[&str]> = lines
        .windows(2)
        .filter(|pair| pair[0].ends_with('\\'))
        .collect();

    // Whole lines are compared, so the text begins with what stays above it on its first line.
    let above = &shown[start..range.start];
    let below = &shown[range.end..end];
    let mut text = above.to_owned();
    let mut rest = new.as_str();
    while let Some((head, tail)) = rest.split_once("\\n") {
        let plain_head = head.strip_suffix('\\').unwrap_or(head);
        let plain_tail = tail.strip_prefix('\n').unwrap_or(tail);
        let first = [&text, plain_head].concat();
        let first = first.rsplit('\n').next().unwrap_or_default();
        let second = [plain_tail, below].concat();
        let second = second.split('\n').next().unwrap_or_default();

        if pairs.iter().any(|pair| is_pair(pair, first, second)) {
            text += &[plain_head, "\\\n"].concat();
            rest = plain_tail;
        } else {
            text += &[head, "\\n"].concat();
            rest = tail;
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
    let is_second = second == pair[1] || is_begun(second, pair[1]);

    let indent = indentation(second);
    let is_indented = !indent.is_empty() && indent.len() == indentation(pair[1]).len();
    (is_first && is_second) || (is_indented && (is_first || is_second))
}

/// Whether new text goes on with an old line that is continued itself, again with a literal `\n`.
fn is_begun(new: &str, old: &str) -> bool {
    old.strip_suffix('\\')
        .and_then(|line| new.strip_prefix(line))
        .is_some_and(|rest| rest.starts_with("\\n") || rest.starts_with("\\\\n"))
}
