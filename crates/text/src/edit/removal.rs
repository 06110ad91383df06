//! Extends a removal to its emptied line and to empty lines that would be too many.

use super::whitespace::is_literal;
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
        with_empty_lines(shown, removed)
    }
}

/// Extends a removal to whole lines, with one newline, if only whitespace would be left of them. A
/// person who deletes a line leaves no empty one.
fn emptied(shown: &str, at: Range<usize>) -> Range<usize> {
    let line_start = shown[..at.start].rfind('\n').map_or(0, |i| i + 1);
    if !shown[line_start..at.start].trim().is_empty() {
        return at;
    }
    if shown[..at.end].ends_with('\n') {
        // The newline is already in the range, but the indentation may not be.
        return line_start..at.end;
    }
    let line_end = shown[at.end..]
        .find('\n')
        .map_or(shown.len(), |i| at.end + i);
    if !shown[at.end..line_end].trim().is_empty() {
        return at;
    }
    match line_end < shown.len() {
        true => line_start..line_end + 1,
        false => line_start.saturating_sub(1)..line_end,
    }
}

/// Extends the removal of whole lines between empty lines. Of the empty lines above, between and
/// below, only the longest row stays; none stay at the top and at the end of a file.
fn with_empty_lines(shown: &str, removed: Vec<Range<usize>>) -> Vec<Range<usize>> {
    let is_empty = |line: &&str| line.trim().is_empty();
    let length = |lines: &[&str]| lines.iter().map(|line| line.len()).sum::<usize>();
    let starts_line = |at: usize| at == 0 || shown[..at].ends_with('\n');
    // A last line without a newline was removed with the newline of the line before.
    let ends_open = !shown.ends_with('\n');
    let lines_of = |range: &Range<usize>| match ends_open
        && range.end == shown.len()
        && shown[range.clone()].starts_with('\n')
    {
        true => range.start + 1..range.end,
        false => range.clone(),
    };
    let is_whole = |range: &Range<usize>| {
        let lines = lines_of(range);
        !lines.is_empty()
            && starts_line(lines.start)
            && (lines.end == shown.len() || shown[..lines.end].ends_with('\n'))
    };
    let mut tidied = Vec::new();
    let together = |a: &Range<usize>, b: &Range<usize>| {
        is_whole(a) && is_whole(b) && shown[a.end..lines_of(b).start].trim().is_empty()
    };
    for group in removed.chunk_by(together) {
        let (first, last) = (&group[0], &group[group.len() - 1]);
        if !is_whole(first) {
            tidied.extend(group.iter().cloned());
            continue;
        }
        let above: Vec<&str> = shown[..lines_of(first).start]
            .split_inclusive('\n')
            .rev()
            .take_while(is_empty)
            .collect();
        let below: Vec<&str> = shown[last.end..]
            .split_inclusive('\n')
            .take_while(is_empty)
            .collect();
        let top = lines_of(first).start - length(&above);
        let end = last.end + length(&below);
        // The remaining text is between two of these.
        let starts = [top].into_iter().chain(group.iter().map(|range| range.end));
        let ends = group.iter().map(|range| lines_of(range).start).chain([end]);
        let stretches: Vec<Range<usize>> =
            starts.zip(ends).map(|(start, end)| start..end).collect();
        let n_lines = |stretch: &Range<usize>| shown[stretch.clone()].split_inclusive('\n').count();
        let most = stretches.iter().map(n_lines).max().unwrap_or(0);
        let stays = stretches.iter().find(|stretch| n_lines(stretch) == most);
        let stays = stays.filter(|_| top > 0 && end < shown.len());
        let goes = |stretch: &Range<usize>| stays.is_none_or(|stays| stays != stretch);
        // The number of ranges stays the same: extra ranges join the one before them, and the first
        // joins the one after.
        let from = tidied.len();
        for (removal, behind) in group.iter().zip(&stretches[1..]) {
            tidied.push(
                lines_of(removal).start..if goes(behind) {
                    behind.end
                } else {
                    removal.end
                },
            );
        }
        if goes(&stretches[0]) {
            // If the file had no final newline, its new last line has none either.
            tidied[from].start = if ends_open && end == shown.len() {
                top.saturating_sub(1)
            } else {
                top
            };
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
