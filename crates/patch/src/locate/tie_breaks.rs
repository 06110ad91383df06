//! Chooses among several places by what the patch says: a line, a heading above, the end of the
//! file, the order of the hunks, or as many equal edits as places. A hint decides only if it leaves
//! exactly one place.

use super::fold::{Fold, folded_line, indentation};
use super::found::{Place, keep_if_one, only_fitting};
use super::haystack::Haystack;
use super::hunk_search::HunkSearch;
use super::ladder::Matches;
use crate::hunk::{Count, Hunk};
use crate::text::is_definition;

/// The most lines that are checked for headings above places.
const MAX_LOOKS: usize = 20_000_000;

/// Keeps only the place that a hint fits, if it fits exactly one. `drift`: how many lines an earlier
/// hunk is below its line number. Later hunks are expected to be so too.
pub(super) fn heed_hints(haystack: &Haystack, search: &mut HunkSearch, drift: isize) {
    let Some((_, Matches { hunk, places })) = search.found.as_mut() else {
        return;
    };
    let hunk: &Hunk = hunk;
    if hunk.count != Count::One {
        return;
    }
    if hunk.hints.at_end {
        let n_lines = haystack.lines.len();
        keep_if_one(places, |place| place.lines(haystack, hunk).end == n_lines);
    }

    let by_line = by_line(haystack, hunk, places, drift);
    let by_heading = by_heading(haystack, hunk, places);
    let only = match (by_line, by_heading) {
        // If the two hints disagree, neither is used.
        (Some(by_line), Some(by_heading)) if by_line != by_heading => None,
        (by_line, by_heading) => by_line.or(by_heading),
    };
    if let Some(only) = only {
        *places = vec![places.swap_remove(only)];
    }
}

/// The index of the place that begins with the line that the hunk names.
fn by_line(haystack: &Haystack, hunk: &Hunk, places: &[Place], drift: isize) -> Option<usize> {
    let expected = (hunk.hints.line? as isize + drift).max(1) as usize;
    only_fitting(places, |place| {
        place.lines(haystack, hunk).start + 1 == expected
    })
}

/// The index of the place below the headings that the hunk names.
fn by_heading(haystack: &Haystack, hunk: &Hunk, places: &[Place]) -> Option<usize> {
    let headings = &hunk.hints.above;
    // The search goes upwards from each place.
    let n_looks = places
        .len()
        .saturating_add(headings.len())
        .saturating_mul(haystack.lines.len());
    if headings.is_empty() || places.len() < 2 || n_looks > MAX_LOOKS {
        return None;
    }

    let mut above = Vec::with_capacity(headings.len());
    for heading in headings {
        above.push(lines_like(haystack, heading));
    }
    [Headings::Enclose, Headings::Precede]
        .into_iter()
        .find_map(|relation| {
            only_fitting(places, |place| {
                let line = place.lines(haystack, hunk).start;
                is_below(haystack, line, &above, relation)
            })
        })
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
    let first = lines.iter().position(|is_like| *is_like)?;
    (first > last).then_some(heading.as_str())
}

/// For each line of the file, whether a hunk's heading names it.
fn lines_like(haystack: &Haystack, heading: &str) -> Vec<bool> {
    let heading = folded_line(Fold::Whitespace, heading);
    let mut lines = vec![false; haystack.lines.len()];
    if heading.is_empty() {
        return lines;
    }
    for (i, is_like) in lines.iter_mut().enumerate() {
        let text = folded_line(Fold::Whitespace, haystack.line_text(i));
        // git truncates headings.
        *is_like = text == heading || (heading.len() >= 10 && text.starts_with(&*heading));
    }
    lines
}

/// How headings relate to a line below them.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Headings {
    /// They enclose it by indentation.
    Enclose,
    /// No other definition is between.
    Precede,
}

/// Whether all of `above`, which [`lines_like`] found, are above a line.
fn is_below(haystack: &Haystack, line: usize, above: &[Vec<bool>], relation: Headings) -> bool {
    let own_depth = indentation(haystack.line_text(line)).len();
    let mut wanted = above.iter().rev().peekable();
    let mut depth = usize::MAX;
    for i in (0..line).rev() {
        let Some(heading) = wanted.peek() else { break };
        if haystack.is_blank(i) {
            continue;
        }
        let text = haystack.line_text(i);
        let indent = indentation(text).len();
        if relation == Headings::Enclose && indent >= depth.min(own_depth) {
            continue;
        }
        depth = indent;
        if heading[i] {
            wanted.next();
        } else if relation == Headings::Precede && above.len() == 1 && is_definition(text) {
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
        .all(|search| search.hunk.hints.is_ordered);
    let is_complete = searches
        .iter()
        .all(|search| search.hunk.count == Count::One && search.n_dropped == 0);
    let is_unclear = searches
        .iter_mut()
        .any(|search| search.places().is_some_and(|places| places.len() > 1));
    if searches.len() < 2 || !is_ordered || !is_complete || !is_unclear {
        return;
    }

    // Downwards: no place starts before the earliest end of the hunk above.
    let mut from = 0;
    for search in searches.iter_mut() {
        search.keep_lines(haystack, |lines| lines.start >= from);
        let ends = search.lines(haystack).into_iter().map(|lines| lines.end);
        from = ends.min().unwrap_or(from);
    }
    // And upwards: none ends after the latest start of the hunk below.
    let mut to = usize::MAX;
    for search in searches.iter_mut().rev() {
        search.keep_lines(haystack, |lines| lines.end <= to);
        let starts = search.lines(haystack).into_iter().map(|lines| lines.start);
        to = starts.max().unwrap_or(to);
    }
    for search in searches {
        // No place left means not found.
        search.found.take_if(|(_, found)| found.places.is_empty());
    }
}

/// If the same edit is requested as often as its text occurs, each request gets one of the places.
pub(super) fn heed_repetition(haystack: &Haystack, searches: &mut [HunkSearch]) {
    for i in 0..searches.len() {
        let Some(places) = searches[i].places().cloned() else {
            continue;
        };
        if places.len() < 2 || searches[i].n_dropped > 0 {
            continue;
        }
        let same: Vec<usize> = (i..searches.len())
            .filter(|&j| searches[j].hunk.lines == searches[i].hunk.lines)
            .collect();
        let lines = searches[i].lines(haystack);
        if same.len() == places.len() && lines.is_sorted_by(|a, b| a.end <= b.start) {
            for (&j, place) in same.iter().zip(places) {
                if let Some(places) = searches[j].places() {
                    *places = vec![place];
                }
            }
        }
    }
}
