//! The segments that an answer is a chain of. See the table in [`crate::constrain`].

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
    /// None in keys and brackets.
    pub slot: Option<Slot>,
    pub kind: SegmentKind,
}

/// What a segment lets through, and the segments that may follow it.
#[derive(Debug)]
pub(super) enum SegmentKind {
    Literal {
        bytes: Vec<u8>,
        next: u32,
    },
    Choice(ChoiceList),
    /// A stretch of what was shown. `once` follows one that occurs once, `several` any other.
    Excerpt {
        index: ExcerptIndex,
        once: u32,
        several: u32,
    },
    /// The key and name of a place. `none` is the rest of the answer if no place is meant.
    Place {
        key: Vec<u8>,
        among: Places,
        next: u32,
        none: Vec<u8>,
    },
    /// The key and the last line of the block that an excerpt begins, or nothing.
    Through {
        key: Vec<u8>,
        /// The first bytes of `key` that the segment `next`, a literal, begins with too.
        n_common: u32,
        excerpt: u32,
        shown: Rc<Shown>,
        next: u32,
    },
    Text {
        controls: Controls,
        next: u32,
    },
    NewPath {
        existing: ExistingPaths,
        next: u32,
    },
}

/// What a place chooses among.
#[derive(Debug)]
pub(super) enum Places {
    /// The occurrences of the excerpt that this segment let through.
    Excerpt { segment: u32, shown: Rc<Shown> },
    /// The names of the occurrences of each line, by its index in the list of lines.
    Lines(Vec<Vec<String>>),
}

/// A word of a choice, up to and with its closing quote.
pub(super) fn item(word: &str, next: u32) -> Item {
    let mut bytes = escaped(word);
    bytes.push(b'"');
    Item { bytes, next, nth: 0 }
}
