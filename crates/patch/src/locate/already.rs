//! Whether an edit was made before: then nothing is written, and it is no failure.

use super::fold::{Fold, folded_line, is_blank, words};
use super::found::{Place, Rung};
use super::haystack::Haystack;
use super::hunk_search::HunkSearch;
use super::ladder::{in_lines, text_of};
use super::miss;
use super::tie_breaks::heed_hints;
use crate::hunk::{Count, Extent, Hunk, HunkLine, Tag};
use std::borrow::Cow;
use std::collections::HashSet;
use std::ops::Range;

/// Fewer letters of new text may be there by coincidence.
const MIN_LETTERS: usize = 3;

/// The lines of the new text, counted from 0. It must occur in one place (or in the hinted one),
/// and be long enough to be no coincidence.
pub(super) fn already_there(haystack: &Haystack, hunk: &Hunk) -> Option<Range<usize>> {
    if !says_enough(hunk) || is_lost_in_folding(hunk) {
        return None;
    }
    let done = done(hunk);
    let mut search = HunkSearch::new(haystack, &done);
    heed_hints(haystack, &mut search, 0);
    let (rung, found) = search.found?;
    let [place] = found.places.as_slice() else {
        return None;
    };
    let lines = place.lines(haystack, &found.hunk);
    let is_there = rung <= Rung::Whitespace
        && covers_lines(haystack, place, &lines)
        && !is_deleted_text_beside(haystack, hunk, &lines);
    if !is_there {
        return None;
    }

    // No other text of the file is more like the searched text.
    let nearest = miss::nearest_lines(haystack, &hunk.old().collect::<Vec<_>>());
    let is_nearest = nearest.is_none_or(|near| near.start < lines.end && lines.start < near.end);
    is_nearest.then_some(lines)
}

/// Whether the hunk has enough text to see in the file that the edit was made.
fn says_enough(hunk: &Hunk) -> bool {
    let mut n_letters = 0;
    for line in hunk.lines.iter().filter(|line| line.tag == Tag::Insert) {
        n_letters += line.text.chars().filter(|c| c.is_alphanumeric()).count();
    }
    if hunk.lines.iter().any(|line| line.tag == Tag::Insert) {
        return n_letters >= MIN_LETTERS;
    }
    // Deleted text is gone, so only the lines around it can show that it was there.
    let edges = [hunk.lines.first(), hunk.lines.last()];
    edges
        .into_iter()
        .flatten()
        .all(|line| line.tag == Tag::Keep && words(&line.text).next().is_some())
}

/// Whether a deleted line differs from the lines that are left only in what is ignored.
fn is_lost_in_folding(hunk: &Hunk) -> bool {
    let left: HashSet<Cow<str>> = hunk
        .new()
        .map(|line| folded_line(Fold::Whitespace, line))
        .collect();
    hunk.lines.iter().any(|line| {
        line.tag == Tag::Delete
            && !is_blank(&line.text)
            && left.contains(&folded_line(Fold::Whitespace, &line.text))
    })
}

/// Whether a place of several lines has them whole. Parts of lines may be the beginnings of others.
fn covers_lines(haystack: &Haystack, place: &Place, lines: &Range<usize>) -> bool {
    let Place::Text(range) = place else {
        return true;
    };
    let first = haystack.lines[lines.start];
    let last = haystack.lines[lines.end - 1];
    let starts_line = is_blank(&haystack.shown[first.start..range.start]);
    let ends_line = range.end == last.end || range.end == last.next;
    lines.len() == 1 || (starts_line && ends_line)
}

/// Whether the file still has text beside some lines that the hunk deletes at its edges.
fn is_deleted_text_beside(haystack: &Haystack, hunk: &Hunk, lines: &Range<usize>) -> bool {
    let n_lines = haystack.lines.len();
    let text_above = (0..lines.start).rev().find(|&i| !haystack.is_blank(i));
    let text_below = (lines.end..n_lines).find(|&i| !haystack.is_blank(i));
    let above = [lines.start.checked_sub(1), text_above];
    let below = [Some(lines.end).filter(|&end| end < n_lines), text_below];
    deletes_one_of(haystack, hunk.lines.iter(), above)
        || deletes_one_of(haystack, hunk.lines.iter().rev(), below)
}

/// Whether one of the lines that are deleted before the first that is kept is one of the file's.
fn deletes_one_of<'h>(
    haystack: &Haystack,
    hunk_lines: impl Iterator<Item = &'h HunkLine>,
    file_lines: [Option<usize>; 2],
) -> bool {
    let mut file_texts = HashSet::new();
    for i in file_lines.into_iter().flatten() {
        file_texts.insert(folded_line(Fold::Whitespace, haystack.line_text(i)));
    }
    hunk_lines
        .take_while(|line| line.tag != Tag::Keep || is_blank(&line.text))
        .filter(|line| line.tag == Tag::Delete)
        .any(|line| file_texts.contains(&folded_line(Fold::Whitespace, &line.text)))
}

/// The lines of the edit's result, if the found text is already a part of it. Applying an edit that
/// keeps its searched text again would insert the new text twice.
pub(super) fn applied_here(
    haystack: &Haystack,
    hunk: &Hunk,
    place: &Place,
) -> Option<Range<usize>> {
    let inserted = hunk.lines.iter().filter(|line| line.tag == Tag::Insert);
    let n_inserted: usize = inserted.map(|line| line.text.trim().len()).sum();
    if n_inserted < MIN_LETTERS {
        return None;
    }
    if let (Place::Text(at), Extent::Text) = (place, hunk.extent) {
        let made = result_around(haystack.shown, hunk, at)?;
        return Some(Place::Text(made).lines(haystack, hunk));
    }
    if hunk.extent == Extent::Text || hunk.lines.iter().any(|line| line.tag == Tag::Delete) {
        return None;
    }

    let found = place.lines(haystack, hunk);
    let done = done(hunk);
    let made = in_lines(haystack, Fold::Whitespace, &done);
    made.places
        .iter()
        .map(|place| place.lines(haystack, &made.hunk))
        .find(|made| made.start <= found.start && found.end <= made.end)
}

/// The range of the new text in the file, if the searched text at a place is a part of it.
fn result_around(shown: &str, hunk: &Hunk, at: &Range<usize>) -> Option<Range<usize>> {
    let new = text_of(hunk.new());
    for (offset, _) in new.match_indices(&text_of(hunk.old())) {
        if let Some(start) = at.start.checked_sub(offset)
            && shown.get(start..start + new.len()) == Some(new.as_str())
        {
            return Some(start..start + new.len());
        }
    }
    None
}

/// The edit whose searched text is the result of this one.
fn done(hunk: &Hunk) -> Hunk {
    let mut lines = Vec::with_capacity(hunk.lines.len());
    for text in hunk.new() {
        lines.push(HunkLine {
            tag: Tag::Keep,
            text: text.to_owned(),
        });
    }
    Hunk {
        lines,
        final_newline: None,
        count: Count::One,
        ..hunk.clone()
    }
}
