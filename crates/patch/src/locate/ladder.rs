//! The ladder: one loop over one table of ways to compare a hunk with the file. The first rung that
//! finds a place decides.

use super::fold::{Fold, Folded, is_blank, words};
use super::found::{Place, Rung, aligned_place, keep_if_one};
use super::haystack::{Haystack, LineClasses};
use super::sequences::{ranges_of, starts};
use super::{fit, fuzzy, rewrite};
use crate::hunk::{Extent, Hunk, HunkLine, Tag};
use std::borrow::Cow;
use std::collections::HashSet;

/// One way of comparing.
struct Comparison {
    rung: Rung,
    /// Finds all places, and the hunk as the rung rewrote it.
    find: for<'h> fn(&Haystack, &'h Hunk) -> Matches<'h>,
}

const LADDER: [Comparison; 10] = [
    Comparison {
        rung: Rung::Exact,
        find: exact,
    },
    Comparison {
        rung: Rung::LineEndings,
        find: line_endings,
    },
    Comparison {
        rung: Rung::TrailingWhitespace,
        find: |haystack, hunk| in_text(haystack, Fold::TrailingWhitespace, hunk),
    },
    Comparison {
        rung: Rung::Unicode,
        find: |haystack, hunk| in_text(haystack, Fold::Unicode, hunk),
    },
    Comparison {
        rung: Rung::Indentation,
        find: shifted,
    },
    Comparison {
        rung: Rung::Whitespace,
        find: spaced_otherwise,
    },
    Comparison {
        rung: Rung::BlankLines,
        find: between_blank_lines,
    },
    Comparison {
        rung: Rung::Escapes,
        find: |haystack, hunk| rewritten(haystack, hunk, rewrite::without_escapes(hunk)),
    },
    Comparison {
        rung: Rung::LineNumbers,
        find: numbered,
    },
    Comparison {
        rung: Rung::Fuzzy,
        find: by_tokens,
    },
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

/// Finds the first rung on which a hunk occurs, with its places there.
pub(super) fn climb<'h>(haystack: &Haystack, hunk: &'h Hunk) -> Option<(Rung, Matches<'h>)> {
    first_match(&LADDER, haystack, hunk)
}

fn first_match<'h>(
    ladder: &[Comparison],
    haystack: &Haystack,
    hunk: &'h Hunk,
) -> Option<(Rung, Matches<'h>)> {
    hunk.old().next()?;
    for comparison in ladder {
        let matches = (comparison.find)(haystack, hunk);
        if !matches.places.is_empty() {
            return Some((comparison.rung, matches));
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
    Matches {
        hunk: Cow::Borrowed(hunk),
        places,
    }
}

fn line_endings<'h>(haystack: &Haystack, hunk: &'h Hunk) -> Matches<'h> {
    let plain = without_carriage_returns(hunk);
    match plain {
        Cow::Borrowed(_) => Matches {
            hunk: plain,
            places: Vec::new(),
        },
        Cow::Owned(plain) => {
            let places = exact(haystack, &plain).places;
            Matches {
                hunk: Cow::Owned(plain),
                places,
            }
        }
    }
}

/// Finds a hunk as a byte range of the text, else as whole lines.
fn in_text<'h>(haystack: &Haystack, fold: Fold, hunk: &'h Hunk) -> Matches<'h> {
    let plain = without_carriage_returns(hunk);
    if plain.extent == Extent::Text {
        let searched = Folded::new(fold, &text_of(plain.old())).text;
        let folded = haystack.folded(fold);
        let mut places = Vec::new();
        for range in ranges_of(&folded.text, &searched) {
            let is_whole = |at: usize| {
                at == 0 || at == folded.text.len() || folded.offsets[at] != folded.offsets[at - 1]
            };
            if is_whole(range.start) && is_whole(range.end) {
                let starts_blank = folded.text[range.start..].starts_with('\n')
                    && (range.start == 0 || folded.text[..range.start].ends_with('\n'));
                let mut found = folded.original(haystack.shown, range);
                // The whitespace of a blank first line was ignored. It goes with that line.
                // Otherwise it would indent the next one.
                if starts_blank {
                    let before = &haystack.shown[..found.start];
                    found.start = before.rfind(['\n', '\r']).map_or(0, |newline| newline + 1);
                }
                places.push(Place::Text(found));
            }
        }
        if !places.is_empty() {
            return Matches {
                hunk: plain,
                places,
            };
        }
    }
    in_lines(haystack, fold, hunk)
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
        return Matches {
            hunk,
            places: Vec::new(),
        };
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
    let is_shifted = |place| fit::is_shifted(haystack, &found.hunk, place);
    if can_compare(&found.hunk, &found.places) && !found.places.iter().any(is_shifted) {
        found.places.clear();
    }
    found
}

/// Finds a hunk in other tabs and spaces, shifted or not. A place that is indented exactly as wide
/// is closer than a shift, if it has the same text after the indentation or no place has.
fn spaced_otherwise<'h>(haystack: &Haystack, hunk: &'h Hunk) -> Matches<'h> {
    let mut found = lines_with_words(haystack, Fold::Whitespace, hunk);
    if !can_compare(&found.hunk, &found.places) {
        return found;
    }
    let as_found = &found.hunk;
    // Tabs and spaces may be mixed there, and the edit may not fit. It is meant all the same.
    found.places.retain(|place| {
        fit::is_regular(haystack, as_found, place) || fit::is_as_wide(haystack, as_found, place)
    });
    if found.places.len() < 2 {
        return found;
    }
    let is_as_wide = |place: &&Place| fit::is_as_wide(haystack, &found.hunk, place);
    let mut as_wide = found.places.iter().filter(is_as_wide).peekable();
    let first = |place: &Place| place.lines(haystack, &found.hunk).start;
    let same_text = in_lines(haystack, Fold::Indentation, hunk);
    let same_text: HashSet<usize> = same_text.places.iter().map(first).collect();
    let is_same_text = |place: &Place| same_text.contains(&first(place));
    if as_wide.peek().is_some() && (same_text.is_empty() || as_wide.all(is_same_text)) {
        let as_found = &found.hunk;
        found.places.retain(|place| {
            fit::is_as_wide(haystack, as_found, place)
                || !fit::is_shifted(haystack, as_found, place)
        });
    }
    found
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
        places.retain(|place| fit::is_regular(haystack, hunk, place));
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
    let not_blank = haystack.not_blank();
    let mut places = Vec::new();
    let searched = numbers(
        lines,
        Fold::Whitespace,
        hunk.old().filter(|line| !is_blank(line)),
    );
    if let Some(searched) = searched.filter(|_| hunk.old().any(|line| words(line).next().is_some()))
    {
        let of_line: Vec<u32> = not_blank.iter().map(|&i| lines.of_line[i]).collect();
        let mut starts = starts(&of_line, None, &searched);
        if starts.len().saturating_mul(hunk.lines.len()) > MAX_COMPARED {
            // A long text that occurs nearly everywhere: nothing could say which place is meant.
            starts.clear();
        }
        for first in starts {
            let mut found = not_blank[first..].iter().copied();
            let aligned: Vec<Option<usize>> = hunk
                .old()
                .map(|line| if is_blank(line) { None } else { found.next() })
                .collect();
            places.push(aligned_place(haystack, aligned));
        }
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

/// Finds a rewritten hunk on the plain rungs.
fn rewritten<'h>(haystack: &Haystack, hunk: &'h Hunk, versions: Vec<Hunk>) -> Matches<'h> {
    for version in versions {
        let Some((
            _,
            Matches {
                hunk: as_found,
                mut places,
            },
        )) = first_match(&LADDER[..N_PLAIN], haystack, &version)
        else {
            continue;
        };
        let as_found = as_found.into_owned();
        // The line number was removed from the text, but still says the place.
        if let Some(line) = version.hints.line {
            keep_if_one(&mut places, |place| {
                place.lines(haystack, &as_found).start + 1 == line
            });
        }
        return Matches {
            hunk: Cow::Owned(as_found),
            places,
        };
    }
    Matches {
        hunk: Cow::Borrowed(hunk),
        places: Vec::new(),
    }
}

/// Finds a hunk without its line numbers. For a single line the number must be right, since
/// anything else is a guess.
fn numbered<'h>(haystack: &Haystack, hunk: &'h Hunk) -> Matches<'h> {
    let mut found = rewritten(haystack, hunk, rewrite::without_line_numbers(hunk));
    if let (Some(line), 1) = (found.hunk.hints.line, found.hunk.old().count()) {
        let as_found: &Hunk = &found.hunk;
        found
            .places
            .retain(|place| place.lines(haystack, as_found).start + 1 == line);
    }
    found
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
    let lines = hunk.lines.iter().flat_map(|line| {
        let text = line.text.strip_suffix('\r').unwrap_or(&line.text);
        text.split('\r').map(|text| HunkLine {
            tag: line.tag,
            text: text.to_owned(),
        })
    });
    Cow::Owned(Hunk {
        lines: lines.collect(),
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
    let is_kept_line_feed = |line: &HunkLine| line.tag == Tag::Keep && line.text.is_empty();
    if hunk.lines.len() > 1 && hunk.lines.last().is_some_and(is_kept_line_feed) {
        hunk.lines.pop();
    }
    if hunk.lines.len() > 1 && hunk.lines.first().is_some_and(is_kept_line_feed) {
        hunk.lines.remove(0);
    }
    Cow::Owned(hunk)
}
