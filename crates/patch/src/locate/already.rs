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

/// The lines of the new text, counted from 0. It must occur in one place (or in the hinted one),
/// and be long enough to be no coincidence.
pub(super) fn already_there(haystack: &Haystack, hunk: &Hunk) -> Option<Range<usize>> {
    let inserted = || hunk.lines.iter().filter(|line| line.tag == Tag::Insert);
    let n_letters: usize = inserted()
        .map(|line| line.text.chars().filter(|c| c.is_alphanumeric()).count())
        .sum();
    let is_kept_text = |line: Option<&HunkLine>| {
        line.is_some_and(|line| line.tag == Tag::Keep && words(&line.text).next().is_some())
    };
    let says_enough = match inserted().next() {
        Some(_) => n_letters >= 3,
        // Deleted text is gone, so only the lines around it can show that it was there.
        None => is_kept_text(hunk.lines.first()) && is_kept_text(hunk.lines.last()),
    };
    if !says_enough {
        return None;
    }
    let left: HashSet<Cow<str>> = hunk
        .new()
        .map(|line| folded_line(Fold::Whitespace, line))
        .collect();
    let mut deleted = hunk
        .lines
        .iter()
        .filter(|line| line.tag == Tag::Delete && !is_blank(&line.text));
    if deleted.any(|gone| left.contains(&folded_line(Fold::Whitespace, &gone.text))) {
        return None; // lost in folding
    }
    let done = done(hunk);
    let mut search = HunkSearch::new(haystack, &done);
    heed_hints(haystack, &mut search, 0);
    let (rung, found) = search.found?;
    let ([place], true) = (found.places.as_slice(), rung <= Rung::Whitespace) else {
        return None;
    };
    let lines = place.lines(haystack, &found.hunk);
    if let Place::Text(range) = place
        && lines.len() > 1
        && (range.end != haystack.lines[lines.end - 1].end
            && range.end != haystack.lines[lines.end - 1].next
            || !is_blank(&haystack.shown[haystack.lines[lines.start].start..range.start]))
    {
        return None; // parts of lines, which may be the beginnings of others
    }
    // Text that is deleted at an edge of the hunk must not be there any more.
    let deleted_until_kept = |line: &&HunkLine| line.tag != Tag::Keep || is_blank(&line.text);
    let is_there = |at: Option<usize>, line: &HunkLine| {
        let is_it = |at| {
            folded_line(Fold::Whitespace, haystack.line_text(at))
                == folded_line(Fold::Whitespace, &line.text)
        };
        line.tag == Tag::Delete && at.is_some_and(is_it)
    };
    let is_text = |i: &usize| !is_blank(haystack.line_text(*i));
    let n_lines = haystack.lines.len();
    let above = [
        lines.start.checked_sub(1),
        (0..lines.start).rev().find(is_text),
    ];
    let below = [
        Some(lines.end).filter(|&end| end < n_lines),
        (lines.end..n_lines).find(is_text),
    ];
    let is_left = hunk
        .lines
        .iter()
        .take_while(deleted_until_kept)
        .any(|line| above.iter().any(|&at| is_there(at, line)))
        || hunk
            .lines
            .iter()
            .rev()
            .take_while(deleted_until_kept)
            .any(|line| below.iter().any(|&at| is_there(at, line)));
    // And no other text of the file is more like the searched text.
    let is_nearest = || {
        miss::nearest_lines(haystack, &hunk.old().collect::<Vec<_>>())
            .is_none_or(|near| near.start < lines.end && lines.start < near.end)
    };
    (!is_left && is_nearest()).then_some(lines)
}

/// The lines of the edit's result, if the found text is already a part of it. Applying an edit that
/// keeps its searched text again would insert the new text twice.
pub(super) fn applied_here(
    haystack: &Haystack,
    hunk: &Hunk,
    place: &Place,
) -> Option<Range<usize>> {
    let inserted: usize = hunk
        .lines
        .iter()
        .filter(|l| l.tag == Tag::Insert)
        .map(|l| l.text.trim().len())
        .sum();
    if inserted < 3 {
        return None;
    }
    if let (Place::Text(at), Extent::Text) = (place, hunk.extent) {
        let (old, new) = (text_of(hunk.old()), text_of(hunk.new()));
        let made = new.match_indices(&old).find_map(|(offset, _)| {
            let start = at.start.checked_sub(offset)?;
            haystack
                .shown
                .get(start..start + new.len())
                .filter(|made| *made == new)
                .map(|_| start..start + new.len())
        });
        return made.map(|made| Place::Text(made).lines(haystack, hunk));
    }
    if hunk.lines.iter().any(|line| line.tag == Tag::Delete) || hunk.extent == Extent::Text {
        return None;
    }
    let found = place.lines(haystack, hunk);
    let done = done(hunk);
    let made = in_lines(haystack, Fold::Whitespace, &done);
    let mut made = made
        .places
        .iter()
        .map(|place| place.lines(haystack, &made.hunk));
    made.find(|made| made.start <= found.start && found.end <= made.end)
}

/// The edit whose searched text is the result of this one.
fn done(hunk: &Hunk) -> Hunk {
    let kept = hunk.lines.iter().filter(|line| line.tag != Tag::Delete);
    let lines = kept
        .map(|line| HunkLine {
            tag: Tag::Keep,
            text: line.text.clone(),
        })
        .collect();
    Hunk {
        lines,
        final_newline: None,
        count: Count::One,
        ..hunk.clone()
    }
}
