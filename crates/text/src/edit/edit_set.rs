//! A complete edit of one file, before anything is written.

use super::continued::keep_continued_lines;
use super::indent;
use super::place::{Edit, SlotsError};
use super::removal::removed;
use super::replacement::Replacement;
use super::whitespace::{keeps_blank_lines, without_blank_lines};
use crate::slots::Position;
use crate::text::{EncodeError, Text, boundaries, closes, line_diff, line_end, line_start};
use std::ops::Range;

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
        let file = EditedFile {
            path,
            shown,
            keeps_whitespace: keeps_blank_lines(path, shown),
        };
        let replacements = match edit {
            Edit::Replace { at, new } => file.replaced(at, new),
            Edit::ReplaceAll { old, new } => file.replaced_everywhere(old, new)?,
            Edit::Insert {
                anchor,
                position,
                text,
            } => vec![file.insertion(*anchor, *position, text)],
            Edit::Create { text } => vec![file.created(text)],
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

    /// The replacements that lie within a range of the file's shown text. A deletion that reaches
    /// out of it is cut: it may include an empty line beside the range.
    pub fn within(&self, range: &Range<usize>) -> EditSet {
        let mut replacements = Vec::new();
        for Replacement { range: all, new } in &self.replacements {
            let part = all.start.max(range.start)..all.end.min(range.end);
            if part == *all || (new.is_empty() && !part.is_empty()) {
                replacements.push(Replacement {
                    range: part,
                    new: new.clone(),
                });
            }
        }
        EditSet { replacements }
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

/// The file that an edit is completed for.
struct EditedFile<'a> {
    path: &'a str,
    shown: &'a str,
    /// Whether new text keeps whitespace-only lines.
    keeps_whitespace: bool,
}

impl EditedFile<'_> {
    fn replaced(&self, at: &Range<usize>, new: &str) -> Vec<Replacement> {
        if new.is_empty() {
            return self.removed(vec![at.clone()]);
        }
        let new = without_line_end(self.shown, at, new);
        vec![self.tidied(at.clone(), indent::continued(self.shown, at, new))]
    }

    fn replaced_everywhere(&self, old: &str, new: &str) -> Result<Vec<Replacement>, SlotsError> {
        let ranges = whole_token_ranges(self.shown, old);
        if ranges.is_empty() {
            return Err(SlotsError::NotShown);
        }
        if new.is_empty() {
            return Ok(self.removed(ranges));
        }
        let replacements = ranges
            .into_iter()
            .map(|at| self.tidied(at, new.to_owned()))
            .collect();
        Ok(replacements)
    }

    /// Removes disjoint, sorted ranges.
    fn removed(&self, ranges: Vec<Range<usize>>) -> Vec<Replacement> {
        removed(self.shown, ranges, self.path)
            .into_iter()
            .map(Replacement::removal)
            .collect()
    }

    fn insertion(&self, anchor: usize, position: Position, text: &str) -> Replacement {
        let shown = self.shown;
        let anchor = line_start(shown, anchor)..line_end(shown, anchor);
        let lines = text.strip_suffix('\n').unwrap_or(text);
        let lines = without_anchor(lines, &shown[anchor.clone()], position);
        let new = indent::fit(lines, shown, anchor.clone(), position);

        let at = match position {
            _ if shown.is_empty() => 0,
            Position::Before => anchor.start,
            Position::After if anchor.end < shown.len() => anchor.end + 1,
            // The file has no final newline, and keeps having none.
            Position::After => return self.tidied(anchor.end..anchor.end, format!("\n{new}")),
        };
        self.tidied(at..at, new + "\n")
    }

    fn created(&self, text: &str) -> Replacement {
        let mut new = text.to_owned();
        if !new.is_empty() && !new.ends_with('\n') {
            new.push('\n');
        }
        self.tidied(0..self.shown.len(), new)
    }

    fn tidied(&self, range: Range<usize>, new: String) -> Replacement {
        let new = if self.keeps_whitespace {
            new
        } else {
            without_blank_lines(self.shown, &range, &new)
        };
        Replacement { range, new }
    }
}

/// New text for whole lines that are named without the end of the last one: that line has its end in
/// the file, and models write it once more. Where the end is all that is new, an empty line is meant.
fn without_line_end<'n>(shown: &str, at: &Range<usize>, new: &'n str) -> &'n str {
    let old = &shown[at.clone()];
    let is_line_end = !old.ends_with('\n') && line_end(shown, at.end) == at.end;
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
        without_blank_lines(shown, &(0..shown.len()), text)
    };
    let old: Vec<&str> = shown.split_inclusive('\n').collect();
    let new: Vec<&str> = text.split_inclusive('\n').collect();

    let mut replacements = Vec::new();
    for (range, lines) in line_diff::replaced(&line_diff::diff(&old, &new), &old) {
        let new = new[lines].concat();
        replacements.push(Replacement { range, new });
    }
    keep_continued_lines(shown, replacements)
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

/// New lines without the anchor line, where the model repeated it next to them. A single line is
/// never dropped: a person may want the same line twice. Nor is one that closes what the new lines
/// open, such as a `}` above another one.
fn without_anchor<'t>(lines: &'t str, anchor: &str, position: Position) -> &'t str {
    let (rest, repeated) = match position {
        Position::Before => lines.rsplit_once('\n').unwrap_or_default(),
        Position::After => {
            let (first, rest) = lines.split_once('\n').unwrap_or_default();
            (rest, first)
        }
    };
    let is_repeated = repeated.trim() == anchor.trim() && !rest.trim().is_empty();
    let is_needed = position == Position::Before && closes_one_of(repeated, rest);
    if is_repeated && !is_needed {
        rest
    } else {
        lines
    }
}

/// Whether a line closes a block of the lines above it.
fn closes_one_of(line: &str, above: &str) -> bool {
    if line.trim_start().starts_with(['}', ')', ']']) {
        above.matches(['{', '(', '[']).count() > above.matches(['}', ')', ']']).count()
    } else {
        closes(line)
    }
}
