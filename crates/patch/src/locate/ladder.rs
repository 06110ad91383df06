//! The ladder: one loop over one table of ways to compare a hunk with the file. The first rung that
//! finds a place decides.

use super::fit::PlacedHunk;
use super::fold::{Fold, Folded, is_blank, words};
use super::found::{Place, Rung, aligned_place, keep_if_one};
use super::haystack::{Haystack, LineClasses};
use super::sequences::{ranges_of, starts};
use super::{fuzzy, rewrite};
use crate::hunk::{Extent, Hunk, HunkLine, Tag};
use std::borrow::Cow;
use std::collections::HashSet;

/// Finds all places of a hunk in one way of comparing, and the hunk as the rung rewrote it.
type Find = for<'h> fn(&Haystack, &'h Hunk) -> Matches<'h>;

const LADDER: [(Rung, Find); 10] = [
    (Rung::Exact, exact),
    (Rung::LineEndings, line_endings),
    (Rung::TrailingWhitespace, trailing_whitespace),
    (Rung::Unicode, unicode),
    (Rung::Indentation, shifted),
    (Rung::Whitespace, spaced_otherwise),
    (Rung::BlankLines, between_blank_lines),
    (Rung::Escapes, escaped),
    (Rung::LineNumbers, numbered),
    (Rung::Fuzzy, by_tokens),
];

/// The number of rungs that do not rewrite the searched text.
const N_PLAIN: usize = 7;

/// The places of a hunk on one rung.
pub(super) struct Matches<'h> {
    /// The hunk, as this rung rewrote it.
    pub hunk: Cow<'h, Hunk>,
    /// The places, in file order.
    pub places: Vec<Place>,
}

impl<'h> Matches<'h> {
    fn none(hunk: Cow<'h, Hunk>) -> Matches<'h> {
        let places = Vec::new();
        Matches { hunk, places }
    }
}

/// Finds the first rung on which a hunk occurs, with its places there.
pub(super) fn climb<'h>(haystack: &Haystack, hunk: &'h Hunk) -> Option<(Rung, Matches<'h>)> {
    first_match(&LADDER, haystack, hunk)
}

fn first_match<'h>(
    ladder: &[(Rung, Find)],
    haystack: &Haystack,
    hunk: &'h Hunk,
) -> Option<(Rung, Matches<'h>)> {
    hunk.old().next()?;
    for (rung, find) in ladder {
        let matches = find(haystack, hunk);
        if !matches.places.is_empty() {
            return Some((*rung, matches));
        }
    }
    None
}

fn exact<'h>(haystack: &Haystack, hunk: &'h Hunk) -> Matches<'h> {
    let places = match hunk.extent {
        Extent::Text => {
            let ranges = ranges_of(haystack.shown, &text_of(hunk.old()));
            ranges.into_iter().map(Place::Text).collect()
        }
        Extent::Lines => line_places(haystack, Fold::Nothing, hunk),
    };
    let hunk = Cow::Borrowed(hunk);
    Matches { hunk, places }
}

fn line_endings<'h>(haystack: &Haystack, hunk: &'h Hunk) -> Matches<'h> {
    let hunk = without_carriage_returns(hunk);
    let places = match &hunk {
        Cow::Borrowed(_) => Vec::new(),
        Cow::Owned(plain) => exact(haystack, plain).places,
    };
    Matches { hunk, places }
}

fn trailing_whitespace<'h>(haystack: &Haystack, hunk: &'h Hunk) -> Matches<'h> {
    in_text(haystack, Fold::TrailingWhitespace, hunk)
}

fn unicode<'h>(haystack: &Haystack, hunk: &'h Hunk) -> Matches<'h> {
    in_text(haystack, Fold::Unicode, hunk)
}

/// Finds a hunk as a byte range of the text, else as whole lines.
fn in_text<'h>(haystack: &Haystack, fold: Fold, hunk: &'h Hunk) -> Matches<'h> {
    let plain = without_carriage_returns(hunk);
    if plain.extent == Extent::Text {
        let places = ranges_in_text(haystack, fold, &plain);
        if !places.is_empty() {
            return Matches {
                hunk: plain,
                places,
            };
        }
    }
    in_lines(haystack, fold, hunk)
}

fn ranges_in_text(haystack: &Haystack, fold: Fold, hunk: &Hunk) -> Vec<Place> {
    let searched = Folded::new(fold, &text_of(hunk.old())).text;
    let folded = haystack.folded(fold);
    let mut places = Vec::new();
    for range in ranges_of(&folded.text, &searched) {
        if !folded.is_between_chars(range.start) || !folded.is_between_chars(range.end) {
            continue;
        }
        let is_at_line_start = range.start == 0 || folded.text[..range.start].ends_with('\n');
        let starts_blank = is_at_line_start && folded.text[range.start..].starts_with('\n');

        let mut found = folded.original(haystack.shown, range);
        // The whitespace of a blank first line was ignored. It goes with that line. Otherwise it
        // would indent the next one.
        if starts_blank {
            found.start = haystack.lines[haystack.line_at(found.start)].start;
        }
        places.push(Place::Text(found));
    }
    places
}

/// Finds a hunk as consecutive whole lines.
pub(super) fn in_lines<'h>(haystack: &Haystack, fold: Fold, hunk: &'h Hunk) -> Matches<'h> {
    let mut found = lines_with_words(haystack, fold, hunk);
    keep_regular(haystack, &found.hunk, &mut found.places);
    found
}

/// Finds a hunk as consecutive whole lines, with any indentation that the fold ignores.
fn lines_with_words<'h>(haystack: &Haystack, fold: Fold, hunk: &'h Hunk) -> Matches<'h> {
    let hunk = as_lines(without_carriage_returns(hunk));
    // Brackets alone, with another indentation, are too little text for a match.
    if fold >= Fold::Indentation && !hunk.old().any(|line| words(line).next().is_some()) {
        return Matches::none(hunk);
    }
    let places = line_places(haystack, fold, &hunk);
    Matches { hunk, places }
}

/// Finds a hunk that is shifted as a whole. A shift alone does not win over other tabs and spaces:
/// if the file has the hunk in both ways, [`spaced_otherwise`] says which places it may mean.
fn shifted<'h>(haystack: &Haystack, hunk: &'h Hunk) -> Matches<'h> {
    let same_text = in_lines(haystack, Fold::Indentation, hunk);
    if same_text.places.is_empty() {
        return same_text;
    }
    let mut found = spaced_otherwise(haystack, hunk);
    if can_compare(&found.hunk, &found.places)
        && !found
            .places
            .iter()
            .any(|place| PlacedHunk::new(haystack, &found.hunk, place).is_shifted())
    {
        found.places.clear();
    }
    found
}

/// Finds a hunk in other tabs and spaces, shifted or not. A place that is indented exactly as wide
/// is closer than a shift, if it has the same text after the indentation or no place has.
fn spaced_otherwise<'h>(haystack: &Haystack, hunk: &'h Hunk) -> Matches<'h> {
    let Matches {
        hunk: found,
        places,
    } = lines_with_words(haystack, Fold::Whitespace, hunk);
    if !can_compare(&found, &places) {
        return Matches {
            hunk: found,
            places,
        };
    }
    // Tabs and spaces may be mixed there, and the edit may not fit. It is meant nevertheless.
    let mut kept = Vec::new();
    for place in places {
        let placed = PlacedHunk::new(haystack, &found, &place);
        let is_as_wide = placed.is_as_wide();
        let is_shifted = placed.is_shifted();
        if is_as_wide || placed.is_regular() {
            kept.push((place, is_as_wide, is_shifted));
        }
    }

    if kept.len() > 1 && kept.iter().any(|(_, is_as_wide, _)| *is_as_wide) {
        let mut same_text = HashSet::new();
        for place in in_lines(haystack, Fold::Indentation, hunk).places {
            same_text.insert(place.lines(haystack, &found).start);
        }
        let is_closer = same_text.is_empty()
            || kept.iter().all(|(place, is_as_wide, _)| {
                !is_as_wide || same_text.contains(&place.lines(haystack, &found).start)
            });
        if is_closer {
            kept.retain(|(_, is_as_wide, is_shifted)| *is_as_wide || !is_shifted);
        }
    }
    Matches {
        hunk: found,
        places: kept.into_iter().map(|(place, ..)| place).collect(),
    }
}

/// Whether a hunk can be compared line by line with all its places in bearable time.
fn can_compare(hunk: &Hunk, places: &[Place]) -> bool {
    places.len().saturating_mul(hunk.lines.len()) <= MAX_COMPARED
}

/// Drops places whose indentation is unrelated to that of the searched lines. If a long text occurs
/// in very many places, all of them stay, since checking each takes too long. Then the patch must
/// say in another way which is meant.
fn keep_regular(haystack: &Haystack, hunk: &Hunk, places: &mut Vec<Place>) {
    if can_compare(hunk, places) {
        places.retain(|place| PlacedHunk::new(haystack, hunk, place).is_regular());
    }
}

/// The most lines that are compared one by one for all places of a hunk: about a second's work.
pub(super) const MAX_COMPARED: usize = 5_000_000;

fn line_places(haystack: &Haystack, fold: Fold, hunk: &Hunk) -> Vec<Place> {
    let lines = haystack.lines_under(fold);
    let Some(searched) = numbers(lines, fold, hunk.old()) else {
        return Vec::new();
    };
    starts(&lines.of_line, Some(&lines.positions), &searched)
        .into_iter()
        .map(Place::Lines)
        .collect()
}

fn numbers<'a>(
    lines: &LineClasses,
    fold: Fold,
    old: impl Iterator<Item = &'a str>,
) -> Option<Vec<u32>> {
    let numbers: Option<Vec<u32>> = old.map(|line| lines.number_of(fold, line)).collect();
    numbers.filter(|numbers| !numbers.is_empty())
}

/// Finds a hunk as whole lines, ignoring the blank lines between them.
fn between_blank_lines<'h>(haystack: &Haystack, hunk: &'h Hunk) -> Matches<'h> {
    let hunk = as_lines(without_carriage_returns(hunk));
    let lines = haystack.lines_under(Fold::Whitespace);
    let has_words = hunk.old().any(|line| words(line).next().is_some());
    let searched = numbers(
        lines,
        Fold::Whitespace,
        hunk.old().filter(|line| !is_blank(line)),
    );
    let Some(searched) = searched.filter(|_| has_words) else {
        return Matches::none(hunk);
    };

    let not_blank = haystack.not_blank();
    let of_line: Vec<u32> = not_blank.iter().map(|&i| lines.of_line[i]).collect();
    let starts = starts(&of_line, None, &searched);
    if starts.len().saturating_mul(hunk.lines.len()) > MAX_COMPARED {
        // A long text that occurs nearly everywhere: nothing could say which place is meant.
        return Matches::none(hunk);
    }
    let mut places = Vec::with_capacity(starts.len());
    for first in starts {
        let mut found = not_blank[first..].iter().copied();
        let aligned = hunk
            .old()
            .map(|line| if is_blank(line) { None } else { found.next() })
            .collect();
        places.push(aligned_place(haystack, aligned));
    }
    keep_regular(haystack, &hunk, &mut places);
    Matches { hunk, places }
}

/// Finds a hunk by its tokens, if no other place is nearly as good. See [`fuzzy`].
fn by_tokens<'h>(haystack: &Haystack, hunk: &'h Hunk) -> Matches<'h> {
    let hunk = as_lines(without_carriage_returns(hunk));
    let mut places = fuzzy::places(haystack, &hunk);
    keep_regular(haystack, &hunk, &mut places);
    Matches { hunk, places }
}

/// Finds a hunk once its escapes are undone.
fn escaped<'h>(haystack: &Haystack, hunk: &'h Hunk) -> Matches<'h> {
    rewritten(haystack, hunk, rewrite::without_escapes(hunk))
}

/// Finds a hunk without its line numbers. For a single line the number must be right, since
/// anything else is a guess.
fn numbered<'h>(haystack: &Haystack, hunk: &'h Hunk) -> Matches<'h> {
    let versions = rewrite::without_line_numbers(hunk).into_iter();
    let Matches { hunk, mut places } = rewritten(haystack, hunk, versions.collect());
    if let (Some(line), 1) = (hunk.hints.line, hunk.old().count()) {
        places.retain(|place| place.lines(haystack, &hunk).start + 1 == line);
    }
    Matches { hunk, places }
}

/// Finds the first version of a rewritten hunk that occurs, on the plain rungs.
fn rewritten<'h>(haystack: &Haystack, hunk: &'h Hunk, versions: Vec<Hunk>) -> Matches<'h> {
    for version in versions {
        if let Some((_, found)) = first_match(&LADDER[..N_PLAIN], haystack, &version) {
            let hunk = found.hunk.into_owned();
            let mut places = found.places;
            // The line number was removed from the text, but still says the place.
            if let Some(line) = version.hints.line {
                keep_if_one(&mut places, |place| {
                    place.lines(haystack, &hunk).start + 1 == line
                });
            }
            let hunk = Cow::Owned(hunk);
            return Matches { hunk, places };
        }
    }
    Matches::none(Cow::Borrowed(hunk))
}

pub(super) fn text_of<'a>(lines: impl Iterator<Item = &'a str>) -> String {
    lines.collect::<Vec<_>>().join("\n")
}

/// Reads carriage returns as the patch's own line endings. At the end of a line they are removed.
/// Inside a line they end it, as in files of old Macs.
fn without_carriage_returns(hunk: &Hunk) -> Cow<'_, Hunk> {
    if !hunk.lines.iter().any(|line| line.text.contains('\r')) {
        return Cow::Borrowed(hunk);
    }
    let mut lines = Vec::with_capacity(hunk.lines.len());
    for HunkLine { tag, text } in &hunk.lines {
        for text in text.strip_suffix('\r').unwrap_or(text).split('\r') {
            lines.push(HunkLine {
                tag: *tag,
                text: text.to_owned(),
            });
        }
    }
    Cow::Owned(Hunk {
        lines,
        ..hunk.clone()
    })
}

/// Turns a text into whole lines. An empty line that stays at its edge is a newline, not a line.
fn as_lines(hunk: Cow<'_, Hunk>) -> Cow<'_, Hunk> {
    if hunk.extent == Extent::Lines {
        return hunk;
    }
    let mut hunk = hunk.into_owned();
    hunk.extent = Extent::Lines;
    if hunk.lines.len() > 1 && hunk.lines.last().is_some_and(is_kept_newline) {
        hunk.lines.pop();
    }
    if hunk.lines.len() > 1 && hunk.lines.first().is_some_and(is_kept_newline) {
        hunk.lines.remove(0);
    }
    Cow::Owned(hunk)
}

fn is_kept_newline(line: &HunkLine) -> bool {
    line.tag == Tag::Keep && line.text.is_empty()
}
