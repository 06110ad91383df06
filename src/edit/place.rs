//! Where the text of slots occurs in what was shown.

use crate::slots::{Insert, NO_PLACE, Position, Replace, Slots};
use crate::text::{Occurrence, Shown, place_labels};
use std::ops::Range;

/// An edit with its place found, in offsets of [`Text::shown`](crate::text::Text::shown).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Edit {
    /// One range becomes `new`.
    Replace {
        /// Where the old text stands.
        at: Range<usize>,
        /// What stands there instead.
        new: String,
    },
    /// Every occurrence of `old` between boundaries becomes `new`.
    ReplaceAll {
        /// At least one whole token.
        old: String,
        /// What stands there instead.
        new: String,
    },
    /// Lines before or after the line around an offset.
    Insert {
        /// An offset in the anchor line.
        anchor: usize,
        /// On which side of it.
        position: Position,
        /// The lines.
        text: String,
    },
    /// A file that does not exist yet.
    Create {
        /// All of it.
        text: String,
    },
}

/// Why slots are not an edit: a *mechanics* failure. Under our constraint this cannot happen.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SlotsError {
    /// The text is not in what was shown.
    #[error("the text to edit is not in the file as it was shown")]
    NotShown,
    /// It stands more than once and no place was named.
    #[error("the text to edit occurs in {} places", candidates.len())]
    Ambiguous {
        /// Their names.
        candidates: Vec<String>,
    },
    /// The named place is none of them.
    #[error("there is no place {place:?}")]
    NoSuchPlace {
        /// As the answer has it.
        place: String,
        /// The names there are.
        candidates: Vec<String>,
    },
    /// The line that a block should end with does not occur after its beginning.
    #[error("the line that the block should end with does not occur after its beginning")]
    NoSuchEnd,
    /// It is to be replaced everywhere, and is no word of the file but a part of longer ones.
    #[error("the text to replace everywhere occurs only inside longer words")]
    InsideWords,
}

/// Finds what the slots name in what was shown. `None`: the model chose the place `none`.
pub fn place(slots: &Slots, shown: &Shown) -> Result<Option<Edit>, SlotsError> {
    Ok(Some(match slots {
        Slots::Replace(Replace { old, place, through, new }) => {
            let Some(at) = choose(shown, &shown.occurrences(old), place.as_deref())? else {
                return Ok(None);
            };
            let mut end = Occurrence { offset: at.offset + old.len(), ..at };
            if let Some(through) = through {
                let lines = shown.lines_behind(at, old);
                (_, end) = lines
                    .into_iter()
                    .find(|(line, _)| line == through)
                    .ok_or(SlotsError::NoSuchEnd)?;
            }
            Edit::Replace { at: shown.file_offset(at)..shown.file_offset(end), new: new.clone() }
        }
        Slots::ReplaceAll(slots) => {
            if shown.occurrences(&slots.old).is_empty() {
                return Err(SlotsError::NotShown);
            }
            Edit::ReplaceAll { old: slots.old.clone(), new: slots.new.clone() }
        }
        Slots::Insert(Insert { anchor, place, position, text }) => {
            let lines = shown.anchor_lines();
            let (_, occurrences) =
                lines.iter().find(|(line, _)| line == anchor).ok_or(SlotsError::NotShown)?;
            let Some(at) = choose(shown, occurrences, place.as_deref())? else { return Ok(None) };
            Edit::Insert { anchor: shown.file_offset(at), position: *position, text: text.clone() }
        }
        Slots::Create(slots) => Edit::Create { text: slots.text.clone() },
    }))
}

fn choose(
    shown: &Shown,
    occurrences: &[Occurrence],
    place: Option<&str>,
) -> Result<Option<Occurrence>, SlotsError> {
    match (occurrences, place) {
        ([], _) => Err(SlotsError::NotShown),
        (_, Some(NO_PLACE)) => Ok(None),
        (&[only], None) => Ok(Some(only)),
        (several, place) => {
            let candidates = place_labels(shown, several);
            let Some(place) = place else { return Err(SlotsError::Ambiguous { candidates }) };
            match candidates.iter().position(|label| label == place) {
                Some(i) => Ok(Some(several[i])),
                None => Err(SlotsError::NoSuchPlace { place: place.to_owned(), candidates }),
            }
        }
    }
}

/// The name of the place at an offset of the file, among all that have the same text, as slots name
/// it for [`place`]: none where there is only one. None at all if it is not shown.
pub fn place_name(
    shown: &Shown,
    occurrences: &[Occurrence],
    offset: usize,
) -> Option<Option<String>> {
    let i = occurrences.iter().position(|&at| shown.file_offset(at) == offset)?;
    Some((occurrences.len() > 1).then(|| place_labels(shown, occurrences).swap_remove(i)))
}
