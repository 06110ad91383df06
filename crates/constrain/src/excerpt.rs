//! Text that must be copied from the text shown: a suffix array (Manber and Myers, 1990) over it.
//!
//! The array is over the JSON-escaped text, *as it appears in the answer*. So one byte of the
//! answer is one step in the array, and escapes need no states. The array has only the suffixes
//! that begin where an excerpt may begin. What has been written so far is an interval of the array.
//! The interval tells how often the excerpt occurs in the text and where it may end.

use super::escape::{escaped, escaped_len, is_plain, push_escaped};
use crate::text::{BlockOffsets, Shown, Window, boundary_offsets, own_end};
use fixedbitset::FixedBitSet;
use std::collections::HashMap;

/// Separates the windows. UTF-8 never has this byte, so no excerpt runs from one window into the
/// next.
const SEPARATOR: u8 = 0xff;

/// An escaped newline.
const NEW_LINE: &[u8] = br"\n";

/// Intervals up to this many suffixes are counted one by one.
const COUNT_ONE_BY_ONE: u32 = 16;

/// The index of the text shown.
#[derive(Debug)]
pub(super) struct ExcerptIndex {
    /// All windows, escaped, joined by [`SEPARATOR`].
    text: Vec<u8>,
    /// Where excerpts may begin, in the order of the suffixes that begin there.
    suffixes: Vec<u32>,
    /// `suffixes[first[b]..first[b + 1]]` begin with byte `b`.
    first: Vec<u32>,
    /// Every byte of a (perhaps escaped) character except its first.
    insides: FixedBitSet,
    /// Where an excerpt may end.
    ends: FixedBitSet,
    /// The bytes of whitespace characters.
    whitespace: FixedBitSet,
    /// The end of each window.
    window_ends: Vec<u32>,
    /// Where an excerpt begins a block, and the start of the block's last line; sorted.
    blocks: Vec<(u32, u32)>,
}

/// The suffixes `lo..hi` of the array begin with the `depth` bytes written so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Cursor {
    pub lo: u32,
    pub hi: u32,
    pub depth: u32,
}

/// How often what has been written occurs in the text as a complete excerpt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Occurs {
    /// The excerpt may not end here.
    Never,
    Once,
    Several,
}

impl ExcerptIndex {
    pub fn new(shown: &Shown) -> ExcerptIndex {
        let n_bytes = shown.windows.iter().map(|w| escaped_len(&w.text) + 1).sum();
        let mut starts = FixedBitSet::with_capacity(n_bytes);
        let mut index = ExcerptIndex {
            text: Vec::with_capacity(n_bytes),
            suffixes: Vec::new(),
            first: Vec::new(),
            insides: FixedBitSet::with_capacity(n_bytes),
            ends: FixedBitSet::with_capacity(n_bytes),
            whitespace: FixedBitSet::with_capacity(n_bytes),
            window_ends: Vec::with_capacity(shown.windows.len()),
            blocks: Vec::new(),
        };
        for window in &shown.windows {
            if !index.window_ends.is_empty() {
                index.text.push(SEPARATOR);
            }
            index.push_window(window, &mut starts);
        }
        index.sort(&starts);
        index
    }

    /// Adds a window. Sets in `starts` where an excerpt may begin.
    fn push_window(&mut self, window: &Window, starts: &mut FixedBitSet) {
        let blocks = window.blocks();
        // Where each of these offsets is in the escaped text, if it is a boundary.
        let mut escaped_at: HashMap<usize, Option<u32>> = blocks
            .iter()
            .flat_map(|block| [block.start, block.ink, block.last_line])
            .map(|offset| (offset, None))
            .collect();

        // An excerpt is never only whitespace, so it begins at or before the last other character.
        let n_inked = window.text.trim_end().len();
        for stretch in boundary_offsets(&window.text).windows(2) {
            let from = self.text.len();
            self.ends.insert(from);
            if let Some(at) = escaped_at.get_mut(&stretch[0]) {
                *at = Some(from as u32);
            }
            if stretch[0] < n_inked {
                starts.insert(from);
            }
            self.push_stretch(&window.text[stretch[0]..stretch[1]]);
        }
        self.ends.insert(self.text.len());
        self.window_ends.push(self.text.len() as u32);

        for BlockOffsets {
            start,
            ink,
            last_line,
        } in blocks
        {
            let Some(last_line) = escaped_at[&last_line] else {
                continue;
            };
            if let Some(at) = escaped_at[&start] {
                self.blocks.push((at, last_line));
            }
            if ink > start
                && let Some(at) = escaped_at[&ink]
            {
                self.blocks.push((at, last_line));
            }
        }
    }

    /// Adds the text between two boundaries.
    fn push_stretch(&mut self, stretch: &str) {
        if stretch.bytes().all(is_plain) {
            let from = self.text.len();
            self.text.extend_from_slice(stretch.as_bytes());
            if stretch.starts_with(' ') {
                self.whitespace.insert_range(from..self.text.len()); // a boundary ends them
            }
            return;
        }
        for c in stretch.chars() {
            let first = self.text.len();
            push_escaped(&mut self.text, c);
            self.insides.insert_range(first + 1..self.text.len());
            if c.is_whitespace() {
                self.whitespace.insert_range(first..self.text.len());
            }
        }
    }

    /// Sorts the suffixes that begin where an excerpt may begin.
    fn sort(&mut self, starts: &FixedBitSet) {
        let (_, mut sorted) = divsufsort::sort(&self.text).into_parts();
        // Every suffix is written to the slot after the last kept one, and unwanted ones are
        // overwritten. Branching would take five times as long, since nothing predicts which are
        // kept. The array is filtered in place because fresh memory costs time.
        let mut n_kept = 0;
        for i in 0..sorted.len() {
            let at = sorted[i];
            sorted[n_kept] = at;
            n_kept += usize::from(starts.contains(at as usize));
        }
        sorted.truncate(n_kept);
        self.suffixes = sorted.into_iter().map(|at| at as u32).collect();
        self.suffixes.shrink_to_fit();

        for byte in 0..=256 {
            let n_below = self
                .suffixes
                .partition_point(|&at| u32::from(self.text[at as usize]) < byte);
            self.first.push(n_below as u32);
        }
    }

    /// Whether the text has no excerpt at all.
    pub fn is_empty(&self) -> bool {
        self.suffixes.is_empty()
    }

    pub fn all(&self) -> Cursor {
        Cursor {
            lo: 0,
            hi: self.suffixes.len() as u32,
            depth: 0,
        }
    }

    /// The bytes written so far, escaped as in the answer.
    pub fn written(&self, at: Cursor) -> &[u8] {
        let start = self.suffixes[at.lo as usize] as usize;
        &self.text[start..start + at.depth as usize]
    }

    pub fn step(&self, at: Cursor, byte: u8) -> Option<Cursor> {
        if byte == SEPARATOR {
            return None;
        }
        let (lo, hi) = if at.depth == 0 {
            (self.first[byte as usize], self.first[byte as usize + 1])
        } else if at.hi - at.lo == 1 {
            if self.byte_at(at.lo, at.depth) != Some(byte) {
                return None;
            }
            (at.lo, at.hi)
        } else {
            let lo = self.partition(at, 0, |b| b < Some(byte));
            (
                lo,
                self.partition(Cursor { lo, ..at }, 0, |b| b <= Some(byte)),
            )
        };
        (lo < hi).then_some(Cursor {
            lo,
            hi,
            depth: at.depth + 1,
        })
    }

    /// How often the excerpt occurs in the text if it ends here; `Never` if it may not end here.
    pub fn occurs(&self, at: Cursor) -> Occurs {
        if at.depth == 0 {
            return Occurs::Never;
        }
        let start = self.suffixes[at.lo as usize] as usize;
        let end = start + at.depth as usize;
        // All suffixes of the interval begin with the same bytes, so these tests are the same for
        // all.
        if self.insides.contains(end) || self.whitespace.contains_all_in_range(start..end) {
            return Occurs::Never;
        }
        match self.count_ends(at, 0) {
            0 => Occurs::Never,
            1 => Occurs::Once,
            _ => Occurs::Several,
        }
    }

    /// The number of suffixes in the interval whose excerpt may end at the current depth. The
    /// number is exact up to 1; larger ones only mean "several".
    ///
    /// Whether an excerpt may end depends only on its text and the character after it (see
    /// [`crate::text::boundaries`]). So one suffix decides for all that have the same next
    /// character. The first `n_looked` bytes of that character are the same in the whole interval.
    fn count_ends(&self, at: Cursor, n_looked: u32) -> u32 {
        if at.hi - at.lo <= COUNT_ONE_BY_ONE {
            let suffixes = self.suffixes[at.lo as usize..at.hi as usize].iter();
            let ending = suffixes.filter(|start| self.ends.contains((*start + at.depth) as usize));
            return ending.count() as u32;
        }

        let mut count = 0;
        let mut lo = at.lo;
        while lo < at.hi && count < 2 {
            let group = self.group(Cursor { lo, ..at }, n_looked);
            count += match self.may_group_end(group, n_looked) {
                Some(true) => group.hi - lo,
                Some(false) => 0,
                None => self.count_ends(group, n_looked + 1),
            };
            lo = group.hi;
        }
        count
    }

    /// The first suffixes of the interval that have the same byte after `n_looked` more bytes.
    fn group(&self, at: Cursor, n_looked: u32) -> Cursor {
        let byte = self.byte_at(at.lo, at.depth + n_looked);
        let hi = self.partition(at, n_looked, |b| b <= byte);
        Cursor { hi, ..at }
    }

    /// Whether the excerpts of a group may end at its depth. `None` if more bytes of the next
    /// character must be looked at.
    fn may_group_end(&self, group: Cursor, n_looked: u32) -> Option<bool> {
        let end = (self.suffixes[group.lo as usize] + group.depth) as usize;
        let byte = self.byte_at(group.lo, group.depth + n_looked);
        let is_whole_character = byte.is_none_or(|b| b == SEPARATOR)
            || !self.insides.contains(end + n_looked as usize + 1);
        is_whole_character.then(|| self.ends.contains(end))
    }

    /// Whether an excerpt that occurs once may begin a block: whether [`Shown::block_ends`] has a
    /// line for it.
    pub fn may_begin_block(&self, at: Cursor) -> bool {
        let end = self.first_end(at, 0).expect("it occurs once") as usize;
        let written = self.written(at);
        let start = (end - written.len()) as u32;
        let block = self.blocks.binary_search_by_key(&start, |block| block.0);
        let Ok(block) = block else {
            return false;
        };
        let last_line = self.blocks[block].1 as usize;
        if end > last_line {
            return false;
        }
        let window = self
            .window_ends
            .partition_point(|&window_end| (window_end as usize) < end);
        let window_end = self.window_ends[window] as usize;

        // Only an excerpt of several lines can be confused with its own last line further down.
        if self.next_line(end - written.len(), end).is_none() {
            return true;
        }
        let old: String = serde_json::from_slice(&[b"\"", written, b"\""].concat())
            .expect("an excerpt is a JSON string");
        let next_line = self.next_line(end, window_end);
        let ends_line = end == window_end || next_line == Some(end + NEW_LINE.len());
        let Some(own_end) = own_end(&old, ends_line).map(escaped) else {
            return true;
        };
        let mut line = if old.ends_with('\n') {
            Some(end)
        } else {
            next_line
        };
        while let Some(start) = line.filter(|&start| start <= last_line) {
            line = self.next_line(start, window_end);
            let line_end = line.map_or(window_end, |next| next - NEW_LINE.len());
            if !self.whitespace.contains_all_in_range(start..line_end)
                && self.text[start..line_end] != own_end
            {
                return true;
            }
        }
        false
    }

    /// The start of the next line, if that is before `end`.
    fn next_line(&self, from: usize, end: usize) -> Option<usize> {
        let mut at = from;
        while at < end {
            match self.text[at] {
                b'\\' if self.text[at + 1] == NEW_LINE[1] => return Some(at + NEW_LINE.len()),
                b'\\' => at += 2,
                _ => at += 1,
            }
        }
        None
    }

    /// The end of the first excerpt in the interval that may end at the current depth. It searches
    /// as [`Self::count_ends`] does.
    fn first_end(&self, at: Cursor, n_looked: u32) -> Option<u32> {
        if at.hi - at.lo <= COUNT_ONE_BY_ONE {
            let mut ends = (at.lo..at.hi).map(|i| self.suffixes[i as usize] + at.depth);
            return ends.find(|&end| self.ends.contains(end as usize));
        }
        let mut lo = at.lo;
        while lo < at.hi {
            let group = self.group(Cursor { lo, ..at }, n_looked);
            match self.may_group_end(group, n_looked) {
                Some(true) => return Some(self.suffixes[lo as usize] + at.depth),
                Some(false) => {}
                None => {
                    if let Some(end) = self.first_end(group, n_looked + 1) {
                        return Some(end);
                    }
                }
            }
            lo = group.hi;
        }
        None
    }

    /// The next byte, if only one is possible. The closing quote counts as a byte.
    pub fn only_byte(&self, at: Cursor) -> Option<u8> {
        let first = self.byte_at(at.lo, at.depth);
        let last = self.byte_at(at.hi - 1, at.depth);
        if first == last && first.is_some_and(|b| b != SEPARATOR) {
            return first.filter(|_| self.occurs(at) == Occurs::Never);
        }
        // A suffix at the end of the whole text sorts first; those at the end of another window
        // sort last.
        let goes_on = self.partition(at, 0, |b| b.is_none());
        let at_an_end = goes_on == at.hi || self.byte_at(goes_on, at.depth) == Some(SEPARATOR);
        at_an_end.then_some(b'"')
    }

    fn byte_at(&self, suffix: u32, depth: u32) -> Option<u8> {
        self.text
            .get((self.suffixes[suffix as usize] + depth) as usize)
            .copied()
    }

    /// The index after the first suffixes of the interval whose byte after `n_looked` more bytes is
    /// `before` the others.
    fn partition(&self, at: Cursor, n_looked: u32, before: impl Fn(Option<u8>) -> bool) -> u32 {
        let suffixes = &self.suffixes[at.lo as usize..at.hi as usize];
        let depth = at.depth + n_looked;
        let n_before = suffixes
            .partition_point(|start| before(self.text.get((start + depth) as usize).copied()));
        at.lo + n_before as u32
    }
}
