//! A complete edit of one file, before anything is written.

use super::continued::with_continued_lines;
use super::indent;
use super::place::{Edit, SlotsError};
use super::removal::removed;
use super::whitespace::{keeps_blank_lines, without_blank_lines};
use crate::slots::Position;
use crate::text::{EncodeError, Text, boundaries, closes, line_diff};
use std::ops::Range;

/// One range of a file's shown text, and its new text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Replacement {
    /// Byte range in [`Text::shown`].
    pub range: Range<usize>,
    /// The text that replaces the range.
    pub new: String,
}

/// All replacements in one file. Invariant: disjoint and sorted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EditSet {
    replacements: Vec<Replacement>,
}

impl EditSet {
    /// Completes an edit. `path` decides whether lines may end in whitespace (in Markdown they
    /// may).
    ///
    /// # Errors
    /// [`SlotsError::NotShown`] if a text that is to be replaced everywhere does not occur as whole
    /// tokens.
    pub fn of(edit: &Edit, path: &str, text: &Text) -> Result<EditSet, SlotsError> {
        let shown = text.shown();
        let keeps_whitespace = keeps_blank_lines(path, shown);
        let replacements = match edit {
            Edit::Replace { at, new } if new.is_empty() => removals(shown, vec![at.clone()], path),
            Edit::Replace { at, new } => {
                let new = indent::continued(shown, at, without_line_end(shown, at, new));
                vec![replacement(shown, at.clone(), &new, keeps_whitespace)]
            }
            Edit::ReplaceAll { old, new } => {
                let ranges = whole_token_ranges(shown, old);
                if ranges.is_empty() {
                    return Err(SlotsError::NotShown);
                }
                match new.is_empty() {
                    true => removals(shown, ranges, path),
                    false => ranges
                        .into_iter()
                        .map(|at| replacement(shown, at, new, keeps_whitespace))
                        .collect(),
                }
            }
            Edit::Insert {
                anchor,
                position,
                text,
            } => {
                vec![insertion(shown, *anchor, *position, text, keeps_whitespace)]
            }
            Edit::Create { text } => {
                let mut new = if keeps_whitespace {
                    text.clone()
                } else {
                    without_blank_lines(text, true, true)
                };
                if !new.is_empty() && !new.ends_with('\n') {
                    new.push('\n');
                }
                vec![Replacement {
                    range: 0..shown.len(),
                    new,
                }]
            }
        };
        let mut set = EditSet::of_sorted(keep_continued_lines(shown, replacements));
        set.replacements.retain(|r| shown[r.range.clone()] != r.new);
        Ok(set)
    }

    /// Makes a set of replacements that are already disjoint and sorted.
    pub fn of_sorted(replacements: Vec<Replacement>) -> EditSet {
        let is_sorted = replacements.is_sorted_by(|a, b| a.range.end <= b.range.start);
        debug_assert!(is_sorted, "disjoint and sorted");
        EditSet { replacements }
    }

    /// The replacements, in file order.
    pub fn replacements(&self) -> &[Replacement] {
        &self.replacements
    }

    /// The same without what reaches out of a range of the file's shown text. A deletion that does is
    /// made within the range: it may have taken an empty line beside it along.
    pub fn within(&self, range: &Range<usize>) -> EditSet {
        let part = |r: &Replacement| {
            let (start, end) = (r.range.start.max(range.start), r.range.end.min(range.end));
            let is_within = (start..end) == r.range;
            let is_shorter = r.new.is_empty() && start < end;
            (is_within || is_shorter).then(|| Replacement {
                range: start..end,
                new: r.new.clone(),
            })
        };
        EditSet {
            replacements: self.replacements.iter().filter_map(part).collect(),
        }
    }

    /// Whether it changes nothing, because the file already is as requested.
    pub fn is_empty(&self) -> bool {
        self.replacements.is_empty()
    }

    /// The file's bytes after the edit.
    pub fn apply(&self, text: &Text) -> Result<Vec<u8>, EncodeError> {
        text.splice(
            self.replacements
                .iter()
                .map(|r| (r.range.clone(), r.new.as_str())),
        )
    }
}

/// New text for whole lines that are named without the end of the last one: that line has its end in
/// the file, and models write it once more. Where the end is all that is new, an empty line is meant.
fn without_line_end<'n>(shown: &str, at: &Range<usize>, new: &'n str) -> &'n str {
    let (old, rest) = (&shown[at.clone()], &shown[at.end..]);
    let is_line_end = !old.ends_with('\n') && (rest.is_empty() || rest.starts_with('\n'));
    match new.strip_suffix('\n') {
        Some(text) if is_line_end && !text.trim().is_empty() && text != old => text,
        _ => new,
    }
}

/// The replacements that turn a file's text into another, by lines. Unchanged lines keep their
/// bytes.
pub fn rewritten(path: &str, shown: &str, text: &str) -> Vec<Replacement> {
    let text = if keeps_blank_lines(path, shown) {
        text.to_owned()
    } else {
        without_blank_lines(text, true, true)
    };
    let (old, new): (Vec<&str>, Vec<&str>) = (
        shown.split_inclusive('\n').collect(),
        text.split_inclusive('\n').collect(),
    );
    let replaced = line_diff::replaced(&line_diff::diff(&old, &new), &old).into_iter();
    let replaced = replaced.map(|(range, lines)| Replacement {
        range,
        new: new[lines].concat(),
    });
    keep_continued_lines(shown, replaced.collect())
}

/// The same replacements, with the old text's continued lines where the new text has a literal `\n`
/// instead: see [`with_continued_lines`]. If nothing else would change, the `\n` is meant, and stays.
pub fn keep_continued_lines(shown: &str, replacements: Vec<Replacement>) -> Vec<Replacement> {
    let mut kept = replacements.clone();
    for replacement in &mut kept {
        replacement.new = with_continued_lines(shown, &replacement.range, &replacement.new);
    }
    if kept == replacements {
        return replacements;
    }
    kept.retain(|replacement| shown[replacement.range.clone()] != replacement.new);
    if kept.is_empty() { replacements } else { kept }
}

/// Occurrences from left to right, without overlaps. `old` must not be empty.
pub fn whole_token_ranges(shown: &str, old: &str) -> Vec<Range<usize>> {
    let boundaries = boundaries(shown);
    let mut ranges = Vec::new();
    let mut from = 0;
    while let Some(start) = shown[from..].find(old).map(|i| i + from) {
        let end = start + old.len();
        if boundaries.contains(start) && boundaries.contains(end) {
            ranges.push(start..end);
            from = end;
        } else {
            from = start + shown[start..].chars().next().map_or(1, char::len_utf8);
        }
    }
    ranges
}

/// The removal of some ranges, which are disjoint and sorted.
fn removals(shown: &str, ranges: Vec<Range<usize>>, path: &str) -> Vec<Replacement> {
    let removed = removed(shown, ranges, path).into_iter();
    removed
        .map(|range| Replacement {
            range,
            new: String::new(),
        })
        .collect()
}

fn replacement(shown: &str, at: Range<usize>, new: &str, keeps_whitespace: bool) -> Replacement {
    let starts_line = at.start == 0 || shown.as_bytes()[at.start - 1] == b'\n';
    let ends_line = shown.as_bytes().get(at.end).is_none_or(|&b| b == b'\n');
    let new = if keeps_whitespace {
        new.to_owned()
    } else {
        without_blank_lines(new, starts_line, ends_line)
    };
    Replacement { range: at, new }
}

/// New lines without the anchor line, where the model repeated it next to them. A single line is
/// never dropped: a person may want the same line twice. Nor is one that closes what the new lines
/// open, such as a `}` above another one.
fn without_anchor<'t>(lines: &'t str, anchor: &str, position: Position) -> &'t str {
    let split = match position {
        Position::Before => lines.rsplit_once('\n'),
        Position::After => lines.split_once('\n').map(|(first, rest)| (rest, first)),
    };
    match split {
        Some((rest, repeated))
            if repeated.trim() == anchor.trim()
                && !rest.trim().is_empty()
                && !(position == Position::Before && closes_one_of(repeated, rest)) =>
        {
            rest
        }
        _ => lines,
    }
}

/// Whether a line closes a block of the lines above it.
fn closes_one_of(line: &str, above: &str) -> bool {
    let n = |brackets: &[char]| above.matches(brackets).count();
    match line.trim_start().starts_with(['}', ')', ']']) {
        true => n(&['{', '(', '[']) > n(&['}', ')', ']']),
        false => closes(line),
    }
}

fn insertion(
    shown: &str,
    anchor: usize,
    position: Position,
    text: &str,
    keeps_whitespace: bool,
) -> Replacement {
    let line_start = shown[..anchor].rfind('\n').map_or(0, |i| i + 1);
    let line_end = shown[anchor..]
        .find('\n')
        .map_or(shown.len(), |i| anchor + i);
    let lines = text.strip_suffix('\n').unwrap_or(text);
    let lines = without_anchor(lines, &shown[line_start..line_end], position);
    let fitted = indent::fit(lines, shown, line_start..line_end, position);
    let mut new = if keeps_whitespace {
        fitted
    } else {
        without_blank_lines(&fitted, true, true)
    };
    let at = match position {
        _ if shown.is_empty() => 0,
        Position::Before => line_start,
        Position::After if line_end < shown.len() => line_end + 1,
        Position::After => {
            new.insert(0, '\n'); // the file has no final newline, and keeps having none
            return Replacement {
                range: line_end..line_end,
                new,
            };
        }
    };
    new.push('\n');
    Replacement { range: at..at, new }
}
