//! The segments of an answer. See the table in [`crate`].

use super::choice::{ChoiceList, Item};
use super::escape::escaped;
use super::excerpt::ExcerptIndex;
use super::free_text::Controls;
use super::new_path::ExistingPaths;
use crate::slots::Slot;
use crate::text::Shown;
use std::rc::Rc;

/// The index of a segment that does not exist: the answer is complete.
pub(super) const DONE: u32 = u32::MAX;

/// A part of an answer. Segments name each other by their index.
#[derive(Debug)]
pub(super) struct Segment {
    /// The slot that this segment belongs to; none for brackets and the keys of other slots.
    pub slot: Option<Slot>,
    pub kind: SegmentKind,
}

/// The kinds of segments, with the segments that may follow.
#[derive(Debug)]
pub(super) enum SegmentKind {
    Literal {
        bytes: Vec<u8>,
        next: u32,
    },
    Choice(ChoiceList),
    /// A stretch of the text shown. The segment `once` follows if the stretch occurs once, else
    /// `several`.
    Excerpt {
        index: ExcerptIndex,
        once: u32,
        several: u32,
    },
    /// The key and name of a place. `none` is the rest of the answer if no place is chosen.
    Place {
        key: Vec<u8>,
        among: PlaceNames,
        next: u32,
        none: Vec<u8>,
    },
    /// The key and the last line of a block that begins with an excerpt; or nothing.
    Through {
        key: Vec<u8>,
        /// The number of first bytes that `key` has in common with `next`, which is a literal.
        n_common: u32,
        excerpt: u32,
        shown: Rc<Shown>,
        next: u32,
    },
    Text {
        controls: Controls,
        next: u32,
    },
    /// Lines of any text up to one that begins with so many backticks.
    Fenced {
        controls: Controls,
        fence_length: u8,
    },
    NewPath {
        existing: ExistingPaths,
        next: u32,
    },
}

/// The names that a place chooses among.
#[derive(Debug)]
pub(super) enum PlaceNames {
    /// The places of the excerpt that this segment accepted.
    Excerpt { segment: u32, shown: Rc<Shown> },
    /// For each line, by its index in the list of lines: the names of its places.
    Lines(Vec<Vec<String>>),
}

/// A word of a choice, up to and including its closing quote.
pub(super) fn item(word: &str, next: u32) -> Item {
    let mut bytes = escaped(word);
    bytes.push(b'"');
    Item {
        bytes,
        next,
        nth: 0,
    }
}
