//! Extends a removal to its emptied line and to empty lines that would be too many.

use super::whitespace::is_literal;
use crate::text::{line_end, line_start};
use std::ops::Range;

/// Extends disjoint, sorted ranges that are removed from a file. The number of ranges stays the
/// same.
pub(super) fn removed(shown: &str, ranges: Vec<Range<usize>>, path: &str) -> Vec<Range<usize>> {
    let mut removed: Vec<Range<usize>> = Vec::new();
    for at in ranges {
        let mut next = emptied(shown, at);
        // Two emptied lines at the end of a file share the newline between them.
        next.start = next.start.max(removed.last().map_or(0, |last| last.end));
        removed.push(next);
    }

    if is_literal(path) {
        removed
    } else {
        with_empty_lines(shown, &removed)
    }
}

/// Extends a removal to whole lines, with one newline, if only whitespace would be left of them. A
/// person who deletes a line leaves no empty one.
fn emptied(shown: &str, at: Range<usize>) -> Range<usize> {
    let start = line_start(shown, at.start);
    if !shown[start..at.start].trim().is_empty() {
        return at;
    }
    if shown[..at.end].ends_with('\n') {
        // The newline is already in the range, but the indentation may not be.
        return start..at.end;
    }

    let end = line_end(shown, at.end);
    if !shown[at.end..end].trim().is_empty() {
        at
    } else if end < shown.len() {
        start..end + 1
    } else {
        start.saturating_sub(1)..end
    }
}

/// Extends the removal of whole lines between empty lines. Of the empty lines above, between and
/// below, only the longest row stays; none stay at the top and at the end of a file.
fn with_empty_lines(shown: &str, removed: &[Range<usize>]) -> Vec<Range<usize>> {
    let mut tidied = Vec::with_capacity(removed.len());
    for group in removed.chunk_by(|a, b| are_neighbours(shown, a, b)) {
        if is_whole_lines(shown, &group[0]) {
            tidied.extend(with_surplus_rows(shown, group));
        } else {
            tidied.extend_from_slice(group);
        }
    }

    // Removed parts of lines may lie inside the removal of a neighbouring line.
    let mut removed_to = 0;
    for range in &mut tidied {
        range.start = range.start.max(removed_to);
        range.end = range.end.max(range.start);
        removed_to = range.end;
    }
    tidied
}

/// Whether two removals are of whole lines, with nothing but empty lines between them.
fn are_neighbours(shown: &str, a: &Range<usize>, b: &Range<usize>) -> bool {
    is_whole_lines(shown, a)
        && is_whole_lines(shown, b)
        && shown[a.end..removed_lines(shown, b).start]
            .trim()
            .is_empty()
}

fn is_whole_lines(shown: &str, removal: &Range<usize>) -> bool {
    let lines = removed_lines(shown, removal);
    let starts_line = line_start(shown, lines.start) == lines.start;
    let ends_line = lines.end == shown.len() || shown[..lines.end].ends_with('\n');
    !lines.is_empty() && starts_line && ends_line
}

/// The lines of a removal. A last line without a newline is removed with the newline of the line
/// before, which is not one of its bytes.
fn removed_lines(shown: &str, removal: &Range<usize>) -> Range<usize> {
    let ends_open = removal.end == shown.len() && !shown.ends_with('\n');
    if ends_open && shown[removal.clone()].starts_with('\n') {
        removal.start + 1..removal.end
    } else {
        removal.clone()
    }
}

/// The removals of neighbouring lines, with all rows of empty lines around them but the longest. A
/// row joins the removal above it, and the first row the removal below it.
fn with_surplus_rows(shown: &str, group: &[Range<usize>]) -> Vec<Range<usize>> {
    let rows = rows_of_empty_lines(shown, group);
    let top = rows[0].start;
    let end = rows[rows.len() - 1].end;
    let stays = if top == 0 || end == shown.len() {
        None
    } else {
        longest(shown, &rows)
    };

    let mut removals = Vec::with_capacity(group.len());
    for (i, removal) in group.iter().enumerate() {
        let lines = removed_lines(shown, removal);
        if stays == Some(i + 1) {
            removals.push(lines);
        } else {
            removals.push(lines.start..rows[i + 1].end);
        }
    }

    if stays != Some(0) {
        // If the file had no final newline, its new last line has none either.
        let ends_open = end == shown.len() && !shown.ends_with('\n');
        removals[0].start = top.saturating_sub(usize::from(ends_open));
    }
    removals
}

/// The empty lines above, between and below some removals: one row more than there are removals.
fn rows_of_empty_lines(shown: &str, group: &[Range<usize>]) -> Vec<Range<usize>> {
    let first = removed_lines(shown, &group[0]).start;
    let above = shown[..first].split_inclusive('\n').rev();
    let mut start = first - empty_lines_len(above);

    let mut rows = Vec::with_capacity(group.len() + 1);
    for removal in group {
        rows.push(start..removed_lines(shown, removal).start);
        start = removal.end;
    }
    let below = shown[start..].split_inclusive('\n');
    rows.push(start..start + empty_lines_len(below));
    rows
}

/// How many bytes the empty lines at the beginning of some lines have.
fn empty_lines_len<'t>(lines: impl Iterator<Item = &'t str>) -> usize {
    lines
        .take_while(|line| line.trim().is_empty())
        .map(str::len)
        .sum()
}

/// The index of the first of the rows that have the most lines.
fn longest(shown: &str, rows: &[Range<usize>]) -> Option<usize> {
    (0..rows.len())
        .rev()
        .max_by_key(|&i| shown[rows[i].clone()].split_inclusive('\n').count())
}
