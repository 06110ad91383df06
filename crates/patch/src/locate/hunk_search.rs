//! One hunk, and the places that it may mean.

use super::found::{Place, Rung};
use super::haystack::Haystack;
use super::ladder::{Matches, climb};
use crate::hunk::{Count, Hunk};
use crate::text::ident::is_ident_char;

/// One hunk, and the places that it may mean.
pub(super) struct HunkSearch<'h> {
    pub hunk: &'h Hunk,
    /// The rung on which it was found, and its places.
    pub found: Option<(Rung, Matches<'h>)>,
    /// How many places were dropped, because nothing tells so many apart.
    pub n_dropped: usize,
    /// How many places were passed over, because they are inside longer words.
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

    /// The first line of its place, if there is only one place.
    fn only_line(&self, haystack: &Haystack) -> Option<usize> {
        match self
            .found
            .as_ref()
            .map(|(_, found)| found.places.as_slice())
        {
            Some([place]) => Some(place.lines(haystack, &self.found.as_ref()?.1.hunk).start),
            _ => None,
        }
    }

    /// Drops the places beyond `MAX_PLACES`.
    pub fn drop_surplus(&mut self) {
        if self.hunk.count == Count::One
            && let Some(places) = self.places()
            && places.len() > MAX_PLACES
        {
            let n_dropped = places.len() - MAX_PLACES;
            places.truncate(MAX_PLACES);
            places.shrink_to_fit();
            self.n_dropped = n_dropped;
        }
    }

    /// How many lines it is below the line that the patch names, if both are known.
    pub fn drift(&self, haystack: &Haystack) -> Option<isize> {
        Some(self.only_line(haystack)? as isize + 1 - self.hunk.hints.line? as isize)
    }
}

/// Whether a place begins or ends inside a word.
fn is_inside_word(text: &str, place: &Place) -> bool {
    let Place::Text(range) = place else {
        return false;
    };
    let splits = |at: usize| {
        text[..at].chars().next_back().is_some_and(is_ident_char)
            && text[at..].chars().next().is_some_and(is_ident_char)
    };
    splits(range.start) || splits(range.end)
}
