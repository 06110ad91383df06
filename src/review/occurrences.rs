//! Edits of every occurrence in a file.

use super::warning::{Warning, WarningKind};
use crate::edit::whole_token_ranges;
use crate::patched::Patched;
use crate::slots::Operation;
use crate::text::ident::is_name;
use std::ops::Range;

/// Warns of a name that becomes one that the file already has.
pub fn merge(patched: &Patched) -> Option<Warning> {
    if patched.operation != Operation::ReplaceAll {
        return None;
    }
    let first = patched.replacements.first()?;
    let shown = patched.before.shown();
    let old = &shown[first.range.clone()];
    let new = first.new.as_str();
    if !is_name(old) || !is_name(new) {
        return None;
    }

    let lines = line_numbers(shown, &whole_token_ranges(shown, new));
    if lines.is_empty() {
        return None;
    }
    let lines = line_names(&lines);
    Some(WarningKind::Merge.says(format!(
        "{old} and {new} become one name: {new} is in the file already ({lines})"
    )))
}

/// Warns of text that is replaced in parts of the file that were not shown to the model.
pub fn unseen(patched: &Patched) -> Option<Warning> {
    let mut unseen = occurrences(patched)?;
    let n_all = unseen.len();
    unseen.retain(|range| {
        !patched
            .seen
            .iter()
            .any(|seen| seen.start <= range.start && range.end <= seen.end)
    });
    if unseen.is_empty() {
        return None;
    }

    let n_unseen = unseen.len();
    let are = if n_unseen == 1 { "is" } else { "are" };
    let lines = line_names(&line_numbers(patched.before.shown(), &unseen));
    Some(WarningKind::Unseen.says(format!(
        "{n_unseen} of {n_all} occurrences {are} in parts of the file \
         that the model did not see ({lines})"
    )))
}

/// The extent of an edit of every occurrence, as a sentence; `None` for any other edit.
pub fn reach(patched: &Patched) -> Option<String> {
    let occurrences = occurrences(patched)?;
    let n = occurrences.len();
    let s = if n == 1 { "" } else { "s" };
    let lines = line_numbers(patched.before.shown(), &occurrences);
    let on = match lines.len() {
        1 => line_names(&lines),
        n_lines => format!("{n_lines} lines: {}", first_of(&lines)),
    };
    Some(format!("replaces {n} occurrence{s} on {on}"))
}

/// The occurrences without the whitespace around them; `None` for any other edit. If the edit
/// empties and removes a line, its line ending is part of the replacement but not of the occurrence.
fn occurrences(patched: &Patched) -> Option<Vec<Range<usize>>> {
    if patched.operation != Operation::ReplaceAll {
        return None;
    }
    let mut ranges = Vec::new();
    for replacement in &patched.replacements {
        let text = &patched.before.shown()[replacement.range.clone()];
        let start = replacement.range.start + (text.len() - text.trim_start().len());
        ranges.push(start..start + text.trim().len());
    }
    Some(ranges)
}

/// The line numbers, counted from 1, on which ascending ranges begin, each line once.
pub(super) fn line_numbers(text: &str, ranges: &[Range<usize>]) -> Vec<usize> {
    let mut lines = Vec::new();
    let mut line = 1;
    let mut counted = 0;
    for range in ranges {
        line += text[counted..range.start].matches('\n').count();
        counted = range.start;
        lines.push(line);
    }
    lines.dedup();
    lines
}

/// `line 3`, or `lines 3, 5`.
pub fn line_names(lines: &[usize]) -> String {
    let s = if lines.len() == 1 { "" } else { "s" };
    format!("line{s} {}", first_of(lines))
}

/// The first ten, and how many more there are.
pub(super) fn first_of<T: ToString>(all: &[T]) -> String {
    const NAMED: usize = 10;
    let named: Vec<String> = all.iter().take(NAMED).map(T::to_string).collect();
    let mut text = named.join(", ");
    if all.len() > NAMED {
        text += &format!(" and {} more", all.len() - NAMED);
    }
    text
}
