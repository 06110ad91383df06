//! A choice among fixed strings: file paths, operations, reasons, anchor lines, places.
//!
//! The items are sorted, and what has been written so far is an interval of them. The next byte
//! narrows the interval by binary search. Ten thousand paths cost a token no more than ten.

/// One of the strings.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Item {
    pub bytes: Vec<u8>,
    /// The segment that follows.
    pub next: u32,
    /// For a place: the index of the occurrence that it names.
    pub nth: u32,
}

/// Sorted items. None is a prefix of another, since each ends with its closing quote and has no
/// other unescaped quote.
#[derive(Clone, Debug)]
pub(super) struct ChoiceList {
    items: Vec<Item>,
}

/// The items `lo..hi` begin with the `depth` bytes written so far.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Interval {
    pub lo: u32,
    pub hi: u32,
    pub depth: u32,
}

/// The result of one more byte.
pub(super) enum Narrowed {
    To(Interval),
    /// The item with this index is complete.
    Chosen(u32),
}

impl ChoiceList {
    pub fn new(mut items: Vec<Item>) -> ChoiceList {
        items.sort_unstable();
        items.dedup();
        debug_assert!(
            items.is_sorted_by(|a, b| !b.bytes.starts_with(&a.bytes)),
            "an item is a prefix of another"
        );
        ChoiceList { items }
    }

    pub fn item(&self, index: u32) -> &Item {
        &self.items[index as usize]
    }

    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    pub fn all(&self) -> Interval {
        Interval {
            lo: 0,
            hi: self.items.len() as u32,
            depth: 0,
        }
    }

    pub fn step(&self, at: Interval, byte: u8) -> Option<Narrowed> {
        let items = &self.items[at.lo as usize..at.hi as usize];
        let depth = at.depth as usize;
        let lo = at.lo + items.partition_point(|item| item.bytes[depth] < byte) as u32;
        let hi = at.lo + items.partition_point(|item| item.bytes[depth] <= byte) as u32;
        if lo == hi {
            return None;
        }
        if self.items[lo as usize].bytes.len() == depth + 1 {
            return Some(Narrowed::Chosen(lo));
        }
        Some(Narrowed::To(Interval {
            lo,
            hi,
            depth: at.depth + 1,
        }))
    }

    /// The next byte, if only one is possible.
    pub fn only_byte(&self, at: Interval) -> Option<u8> {
        let depth = at.depth as usize;
        let first = self.items.get(at.lo as usize)?.bytes[depth];
        let last = self.items[at.hi as usize - 1].bytes[depth];
        (first == last).then_some(first)
    }
}
