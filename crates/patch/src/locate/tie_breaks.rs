//! Chooses among several places by what the patch says: a line, a heading above, the end of the
//! file, the order of the hunks, or as many equal edits as places. A hint decides only if it leaves
//! exactly one place.

use super::fold::{Fold, folded_line, indentation, is_blank};
use super::found::keep_if_one;
use super::haystack::Haystack;
use super::hunk_search::HunkSearch;
use super::ladder::Matches;
use crate::hunk::{Count, Hunk};
use std::ops::Range;

/// Keeps only the place that a hint fits, if it fits exactly one.
pub(super) fn heed_hints(haystack: &Haystack, search: &mut HunkSearch, drift: isize) {
    if search.hunk.count != Count::One {
        return;
    }
    let Some((_, Matches { hunk, places })) = search.found.as_mut() else {
        return;
    };
    let n_lines = haystack.lines.len();
    let hints = hunk.hints.clone();
    let hunk: &Hunk = hunk;
    if hints.at_end {
        keep_if_one(places, |place| place.lines(haystack, hunk).end == n_lines);
    }
    let mut by_line = places.clone();
    if let Some(line) = hints.line {
        // If an earlier hunk was found lower than its line number, later hunks move down too.
        let expected = (line as isize + drift).max(1) as usize;
        keep_if_one(&mut by_line, |place| {
            place.lines(haystack, hunk).start + 1 == expected
        });
    }
    let mut by_heading = places.clone();
    // The search goes upwards from each place.
    let n_looks = places
        .len()
        .saturating_add(hints.above.len())
        .saturating_mul(n_lines);
    if !hints.above.is_empty() && places.len() > 1 && n_looks <= MAX_LOOKS {
        let above: Vec<Vec<bool>> = hints
            .above
            .iter()
            .map(|header| lines_like(haystack, header))
            .collect();
        keep_if_one(&mut by_heading, |place| {
            is_below(haystack, place.lines(haystack, hunk).start, &above, true)
        });
        keep_if_one(&mut by_heading, |place| {
            is_below(haystack, place.lines(haystack, hunk).start, &above, false)
        });
    }
    // If the two hints disagree, neither is used.
    match (by_line.len(), by_heading.len()) {
        (1, 1) if by_line != by_heading => {}
        (1, _) => *places = by_line,
        (_, 1) => *places = by_heading,
        _ => {}
    }
}

/// The hunk's heading, if the file has it only below the place, whose last line is `last`. Then the
/// hunk means another place.
pub(super) fn contradicting_heading<'h>(
    haystack: &Haystack,
    hunk: &'h Hunk,
    last: usize,
) -> Option<&'h str> {
    let heading = hunk.hints.above.last()?;
    let lines = lines_like(haystack, heading);
    (lines.contains(&true) && !lines[..=last.min(lines.len() - 1)].contains(&true))
        .then_some(heading.as_str())
}

/// The most lines that are checked for headings above places.
const MAX_LOOKS: usize = 20_000_000;

/// For each line of the file, whether a hunk's heading names it.
fn lines_like(haystack: &Haystack, header: &str) -> Vec<bool> {
    let header = folded_line(Fold::Whitespace, header);
    let is_it = |i: usize| {
        let text = folded_line(Fold::Whitespace, haystack.line_text(i));
        // git truncates headings.
        !header.is_empty() && (text == header || (header.len() >= 10 && text.starts_with(&*header)))
    };
    (0..haystack.lines.len()).map(is_it).collect()
}

/// Whether all of `above`, which [`lines_like`] found, are above a line. With `enclosing`, they
/// must enclose it by indentation. Without, no other definition may be between.
fn is_below(haystack: &Haystack, line: usize, above: &[Vec<bool>], enclosing: bool) -> bool {
    let mut wanted = above.iter().rev().peekable();
    let mut depth = usize::MAX;
    for i in (0..line).rev() {
        let Some(header) = wanted.peek() else { break };
        let text = haystack.line_text(i);
        if is_blank(text) {
            continue;
        }
        let indent = indentation(text).len();
        if enclosing && indent >= depth.min(indentation(haystack.line_text(line)).len()) {
            continue;
        }
        depth = indent;
        if header[i] {
            wanted.next();
        } else if !enclosing && crate::text::is_definition(text) && above.len() == 1 {
            return false;
        }
    }
    wanted.peek().is_none()
}

/// Uses that hunks of a diff are in file order. Drops places that cannot lie between those of the
/// neighbouring hunks.
pub(super) fn heed_order(haystack: &Haystack, searches: &mut [HunkSearch]) {
    let is_ordered = searches
        .iter()
        .skip(1)
        .all(|search| search.hunk.hints.is_ordered)
        && searches
            .iter()
            .all(|search| search.hunk.count == Count::One);
    let is_complete = searches.iter().all(|search| search.n_dropped == 0);
    if searches.len() < 2 || !is_ordered || !is_complete {
        return;
    }
    if !searches.iter().any(|search| {
        search
            .found
            .as_ref()
            .is_some_and(|(_, found)| found.places.len() > 1)
    }) {
        return;
    }
    // First downwards, then upwards: no place starts before the earliest end of the hunk above.
    let mut from = 0;
    for search in searches.iter_mut() {
        let Some((_, Matches { hunk, places })) = search.found.as_mut() else {
            continue;
        };
        let hunk: &Hunk = hunk;
        if places.len() > 1 {
            places.retain(|place| place.lines(haystack, hunk).start >= from);
        }
        from = places
            .iter()
            .map(|place| place.lines(haystack, hunk).end)
            .min()
            .unwrap_or(from);
    }
    let mut to = usize::MAX;
    for search in searches.iter_mut().rev() {
        let Some((_, Matches { hunk, places })) = search.found.as_mut() else {
            continue;
        };
        let hunk: &Hunk = hunk;
        if places.len() > 1 {
            places.retain(|place| place.lines(haystack, hunk).end <= to);
        }
        to = places
            .iter()
            .map(|place| place.lines(haystack, hunk).start)
            .max()
            .unwrap_or(to);
    }
    for search in searches.iter_mut() {
        // No place left means not found.
        if search
            .found
            .as_ref()
            .is_some_and(|(_, found)| found.places.is_empty())
        {
            search.found = None;
        }
    }
}

/// If the same edit is requested as often as its text occurs, each request gets one of the places.
pub(super) fn heed_repetition(haystack: &Haystack, searches: &mut [HunkSearch]) {
    for i in 0..searches.len() {
        let n_places = searches[i].places().map_or(0, |places| places.len());
        if n_places < 2 || searches[i].n_dropped > 0 {
            continue;
        }
        let same: Vec<usize> = (i..searches.len())
            .filter(|&j| searches[j].hunk.lines == searches[i].hunk.lines)
            .collect();
        let Some((_, found)) = searches[i].found.as_ref() else {
            continue;
        };
        let lines: Vec<Range<usize>> = found
            .places
            .iter()
            .map(|place| place.lines(haystack, &found.hunk))
            .collect();
        if same.len() == n_places && lines.is_sorted_by(|a, b| a.end <= b.start) {
            for (nth, &j) in same.iter().enumerate() {
                if let Some(places) = searches[j].places() {
                    *places = places.get(nth).cloned().into_iter().collect();
                }
            }
        }
    }
}
