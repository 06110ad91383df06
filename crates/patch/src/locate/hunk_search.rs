//! The search for the places of one hunk.

use super::found::{Place, Rung};
use super::haystack::Haystack;
use super::ladder::{Matches, climb};
use crate::hunk::{Count, Hunk};
use crate::text::ident::is_ident_char;
use std::ops::Range;

/// One hunk, and the places that it may mean.
pub(super) struct HunkSearch<'h> {
    pub hunk: &'h Hunk,
    /// The rung on which it was found, and its places.
    pub found: Option<(Rung, Matches<'h>)>,
    /// How many places were dropped because nothing tells so many apart.
    pub n_dropped: usize,
    /// How many places were left out because they are inside longer words.
    pub n_inside_words: usize,
}

/// The most places kept for one hunk. A hundred hunks with a hundred thousand places each would
/// fill the memory.
const MAX_PLACES: usize = 1_000;

impl<'h> HunkSearch<'h> {
    pub fn new(haystack: &Haystack, hunk: &'h Hunk) -> HunkSearch<'h> {
        let mut found = climb(haystack, hunk);
        let mut n_inside_words = 0;
        if hunk.count == Count::AllWords
            && let Some((_, matches)) = &mut found
        {
            let n_places = matches.places.len();
            matches
                .places
                .retain(|place| !is_inside_word(haystack.shown, place));
            n_inside_words = n_places - matches.places.len();
        }
        let found = found.filter(|(_, matches)| !matches.places.is_empty());
        HunkSearch {
            hunk,
            found,
            n_dropped: 0,
            n_inside_words,
        }
    }

    pub fn places(&mut self) -> Option<&mut Vec<Place>> {
        self.found.as_mut().map(|(_, found)| &mut found.places)
    }

    /// The lines of each place, counted from 0.
    pub fn lines(&self, haystack: &Haystack) -> Vec<Range<usize>> {
        let Some((_, found)) = &self.found else {
            return Vec::new();
        };
        let places = found.places.iter();
        places
            .map(|place| place.lines(haystack, &found.hunk))
            .collect()
    }

    /// Of several places, keeps those whose lines fit.
    pub fn keep_lines(&mut self, haystack: &Haystack, fits: impl Fn(Range<usize>) -> bool) {
        if let Some((_, Matches { hunk, places })) = &mut self.found
            && places.len() > 1
        {
            places.retain(|place| fits(place.lines(haystack, hunk)));
        }
    }

    /// Drops the places beyond `MAX_PLACES`.
    pub fn drop_surplus(&mut self) {
        if self.hunk.count == Count::One
            && let Some(places) = self.places()
            && places.len() > MAX_PLACES
        {
            let n_places = places.len();
            places.truncate(MAX_PLACES);
            places.shrink_to_fit();
            self.n_dropped = n_places - MAX_PLACES;
        }
    }

    /// How many lines its place is below the line that the patch names. `None` if it has several
    /// places, or the patch names no line.
    pub fn drift(&self, haystack: &Haystack) -> Option<isize> {
        let [lines] = &self.lines(haystack)[..] else {
            return None;
        };
        Some(lines.start as isize + 1 - self.hunk.hints.line? as isize)
    }
}

/// Whether a place begins or ends inside a word.
fn is_inside_word(text: &str, place: &Place) -> bool {
    let Place::Text(range) = place else {
        return false;
    };
    splits_word(text, range.start) || splits_word(text, range.end)
}

fn splits_word(text: &str, at: usize) -> bool {
    text[..at].ends_with(is_ident_char) && text[at..].starts_with(is_ident_char)
}
