//! Finds where the text of slots occurs in the shown text.

use crate::slots::{Insert, NO_PLACE, Position, Replace, Slots};
use crate::text::{Occurrence, Shown, place_labels};
use std::ops::Range;

/// An edit with its place, in byte offsets of [`Text::shown`](crate::text::Text::shown).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Edit {
    /// Replaces one range.
    Replace {
        /// The range of the old text.
        at: Range<usize>,
        /// The new text.
        new: String,
    },
    /// Replaces every occurrence of `old` between boundaries.
    ReplaceAll {
        /// The old text: at least one whole token.
        old: String,
        /// The new text.
        new: String,
    },
    /// Inserts lines before or after the line around an offset.
    Insert {
        /// An offset in the anchor line.
        anchor: usize,
        /// Whether before or after the anchor line.
        position: Position,
        /// The new lines.
        text: String,
    },
    /// Creates a file.
    Create {
        /// The whole text.
        text: String,
    },
}

/// Why slots do not make an edit: a *mechanics* failure. Under our constraint this cannot happen.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SlotsError {
    /// The text does not occur in the shown text.
    #[error("the text to edit is not in the file as it was shown")]
    NotShown,
    /// The text occurs more than once, and no place was named.
    #[error("the text to edit occurs in {} places", candidates.len())]
    Ambiguous {
        /// The names of its places.
        candidates: Vec<String>,
    },
    /// No place of the text has the given name.
    #[error("there is no place {place:?}")]
    NoSuchPlace {
        /// The name in the answer.
        place: String,
        /// The names of the actual places.
        candidates: Vec<String>,
    },
    /// The last line of a block does not occur after the block's beginning.
    #[error("the line that the block should end with does not occur after its beginning")]
    NoSuchEnd,
}

/// Finds the place that the slots name in the shown text. `None`: the model chose the place `none`.
pub fn place(slots: &Slots, shown: &Shown) -> Result<Option<Edit>, SlotsError> {
    match slots {
        Slots::Replace(slots) => replacement(slots, shown),
        Slots::ReplaceAll(slots) if shown.occurrences(&slots.old).is_empty() => {
            Err(SlotsError::NotShown)
        }
        Slots::ReplaceAll(slots) => Ok(Some(Edit::ReplaceAll {
            old: slots.old.clone(),
            new: slots.new.clone(),
        })),
        Slots::Insert(slots) => insertion(slots, shown),
        Slots::Create(slots) => Ok(Some(Edit::Create {
            text: slots.text.clone(),
        })),
        // The names of blocks come from the whole file: see [`super::shown_definitions`].
        Slots::Rewrite(_) => Err(SlotsError::NotShown),
    }
}

fn replacement(slots: &Replace, shown: &Shown) -> Result<Option<Edit>, SlotsError> {
    let occurrences = shown.occurrences(&slots.old);
    let Some(at) = choose(shown, &occurrences, slots.place.as_deref())? else {
        return Ok(None);
    };

    let end = match &slots.through {
        Some(through) => shown
            .lines_after(at, &slots.old)
            .into_iter()
            .find_map(|(line, end)| (line == through).then_some(end))
            .ok_or(SlotsError::NoSuchEnd)?,
        None => Occurrence {
            offset: at.offset + slots.old.len(),
            ..at
        },
    };
    Ok(Some(Edit::Replace {
        at: shown.file_offset(at)..shown.file_offset(end),
        new: slots.new.clone(),
    }))
}

fn insertion(slots: &Insert, shown: &Shown) -> Result<Option<Edit>, SlotsError> {
    let occurrences = shown.anchor(&slots.anchor);
    let Some(at) = choose(shown, &occurrences, slots.place.as_deref())? else {
        return Ok(None);
    };
    Ok(Some(Edit::Insert {
        anchor: shown.file_offset(at),
        position: slots.position,
        text: slots.text.clone(),
    }))
}

fn choose(
    shown: &Shown,
    occurrences: &[Occurrence],
    place: Option<&str>,
) -> Result<Option<Occurrence>, SlotsError> {
    match (occurrences, place) {
        ([], _) => return Err(SlotsError::NotShown),
        (_, Some(NO_PLACE)) => return Ok(None),
        (&[only], None) => return Ok(Some(only)),
        _ => {}
    }

    let candidates = place_labels(shown, occurrences);
    let Some(place) = place else {
        return Err(SlotsError::Ambiguous { candidates });
    };
    match candidates.iter().position(|label| label == place) {
        Some(i) => Ok(Some(occurrences[i])),
        None => Err(SlotsError::NoSuchPlace {
            place: place.to_owned(),
            candidates,
        }),
    }
}

/// The name by which slots select the occurrence of a text at a file offset (see [`place`]). The
/// inner `None` means that there is only one place; the outer one that it is not shown.
pub fn place_name(
    shown: &Shown,
    occurrences: &[Occurrence],
    offset: usize,
) -> Option<Option<String>> {
    let i = occurrences
        .iter()
        .position(|&at| shown.file_offset(at) == offset)?;
    Some((occurrences.len() > 1).then(|| place_labels(shown, occurrences).swap_remove(i)))
}
