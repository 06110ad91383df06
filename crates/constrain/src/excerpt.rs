//! Text that must be copied from the text shown: a suffix array (Manber and Myers, 1990) over it.
//!
//! The array is over the JSON-escaped text, *as it appears in the answer*. So one byte of the
//! answer is one step in the array, and escapes need no states. The array has only the suffixes
//! that begin where an excerpt may begin. What has been written so far is an interval of the array.
//! The interval tells how often the excerpt occurs in the text and where it may end.

use super::escape::{escaped, escaped_len, is_plain, push_escaped};
use crate::text::{BlockOffsets, Shown, boundary_offsets, own_end};
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
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
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
        let mut text = Vec::with_capacity(n_bytes);
        let mut starts = FixedBitSet::with_capacity(n_bytes);
        let mut index = ExcerptIndex {
            text: Vec::new(),
            suffixes: Vec::new(),
            first: Vec::new(),
            insides: FixedBitSet::with_capacity(n_bytes),
            ends: FixedBitSet::with_capacity(n_bytes),
            whitespace: FixedBitSet::with_capacity(n_bytes),
            window_ends: Vec::with_capacity(shown.windows.len()),
            blocks: Vec::new(),
        };
        for (window_idx, window) in shown.windows.iter().enumerate() {
            if window_idx > 0 {
                text.push(SEPARATOR);
            }
            // An excerpt is never only whitespace, so it begins at or before the last other
            // character.
            let n_inked = window.text.trim_end().len();
            let blocks = window.blocks();
            // Where each of these offsets is in the escaped text, if it is a boundary.
            let mut escaped: HashMap<usize, Option<u32>> = blocks
                .iter()
                .flat_map(|block| [block.start, block.ink, block.last_line])
                .map(|offset| (offset, None))
                .collect();
            let boundaries = boundary_offsets(&window.text);
            for stretch in boundaries.windows(2) {
                let from = text.len();
                index.ends.insert(from);
                if let Some(at) = escaped.get_mut(&stretch[0]) {
                    *at = Some(from as u32);
                }
                if stretch[0] < n_inked {
                    starts.insert(from);
                }
                let stretch = &window.text[stretch[0]..stretch[1]];
                if stretch.bytes().all(is_plain) {
                    text.extend_from_slice(stretch.as_bytes());
                    if stretch.starts_with(' ') {
                        index.whitespace.insert_range(from..text.len()); // a boundary ends them
                    }
                    continue;
                }
                for c in stretch.chars() {
                    let first = text.len();
                    push_escaped(&mut text, c);
                    index.insides.insert_range(first + 1..text.len());
                    if c.is_whitespace() {
                        index.whitespace.insert_range(first..text.len());
                    }
                }
            }
            index.ends.insert(text.len());
            index.window_ends.push(text.len() as u32);
            for BlockOffsets {
                start,
                ink,
                last_line,
            } in blocks
            {
                let Some(last_line) = escaped[&last_line] else {
                    continue;
                };
                index
                    .blocks
                    .extend(escaped[&start].map(|start| (start, last_line)));
                if ink > start {
                    index
                        .blocks
                        .extend(escaped[&ink].map(|ink| (ink, last_line)));
                }
            }
        }
        let (_, mut sorted) = divsufsort::sort(&text).into_parts();
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
        index.suffixes = sorted.into_iter().map(|at| at as u32).collect();
        index.suffixes.shrink_to_fit();
        let below = |b: u32| {
            index
                .suffixes
                .partition_point(|&at| u32::from(text[at as usize]) < b) as u32
        };
        index.first = (0..=256).map(below).collect();
        index.text = text;
        index
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
            let lo = self.partition(at.lo, at.hi, at.depth, |b| b < Some(byte));
            (lo, self.partition(lo, at.hi, at.depth, |b| b <= Some(byte)))
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
            let ends_here = |&&start: &&u32| self.ends.contains((start + at.depth) as usize);
            return self.suffixes[at.lo as usize..at.hi as usize]
                .iter()
                .filter(ends_here)
                .count() as u32;
        }
        let mut count = 0;
        let mut lo = at.lo;
        while lo < at.hi && count < 2 {
            let byte = self.byte_at(lo, at.depth + n_looked);
            let hi = self.partition(lo, at.hi, at.depth + n_looked, |b| b <= byte);
            let group = Cursor {
                lo,
                hi,
                depth: at.depth,
            };
            let end = (self.suffixes[lo as usize] + at.depth) as usize;
            let whole_character = byte.is_none_or(|b| b == SEPARATOR)
                || !self.insides.contains(end + n_looked as usize + 1);
            count += match whole_character {
                true if self.ends.contains(end) => hi - lo,
                true => 0,
                false => self.count_ends(group, n_looked + 1),
            };
            lo = hi;
        }
        count
    }

    /// Whether an excerpt that occurs once may begin a block: whether [`Shown::block_ends`] has a
    /// line for it.
    pub fn may_begin_block(&self, at: Cursor) -> bool {
        let end = self.first_end(at, 0).expect("it occurs once") as usize;
        let written = self.written(at);
        let start = (end - written.len()) as u32;
        let Ok(block) = self
            .blocks
            .binary_search_by_key(&start, |&(start, _)| start)
        else {
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
            let next = self.next_line(start, window_end);
            let line_end = next.map_or(window_end, |next| next - NEW_LINE.len());
            if !self.whitespace.contains_all_in_range(start..line_end)
                && self.text[start..line_end] != own_end
            {
                return true;
            }
            line = next;
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
        let end_of = |i: u32| self.suffixes[i as usize] + at.depth;
        if at.hi - at.lo <= COUNT_ONE_BY_ONE {
            return (at.lo..at.hi)
                .map(end_of)
                .find(|&end| self.ends.contains(end as usize));
        }
        let mut lo = at.lo;
        while lo < at.hi {
            let byte = self.byte_at(lo, at.depth + n_looked);
            let hi = self.partition(lo, at.hi, at.depth + n_looked, |b| b <= byte);
            let end = end_of(lo);
            let whole_character = byte.is_none_or(|b| b == SEPARATOR)
                || !self.insides.contains((end + n_looked + 1) as usize);
            let found = match whole_character {
                true => Some(end).filter(|&end| self.ends.contains(end as usize)),
                false => self.first_end(
                    Cursor {
                        lo,
                        hi,
                        depth: at.depth,
                    },
                    n_looked + 1,
                ),
            };
            if found.is_some() {
                return found;
            }
            lo = hi;
        }
        None
    }

    /// The next byte, if only one is possible. The closing quote counts as a byte.
    pub fn only_byte(&self, at: Cursor) -> Option<u8> {
        let (first, last) = (
            self.byte_at(at.lo, at.depth),
            self.byte_at(at.hi - 1, at.depth),
        );
        if first == last && first.is_some_and(|b| b != SEPARATOR) {
            return first.filter(|_| self.occurs(at) == Occurs::Never);
        }
        // A suffix at the end of the whole text sorts first; those at the end of another window
        // sort last.
        let goes_on = self.partition(at.lo, at.hi, at.depth, |b| b.is_none());
        let at_an_end = goes_on == at.hi || self.byte_at(goes_on, at.depth) == Some(SEPARATOR);
        at_an_end.then_some(b'"')
    }

    fn byte_at(&self, suffix: u32, depth: u32) -> Option<u8> {
        self.text
            .get((self.suffixes[suffix as usize] + depth) as usize)
            .copied()
    }

    fn partition(&self, lo: u32, hi: u32, depth: u32, before: impl Fn(Option<u8>) -> bool) -> u32 {
        let suffixes = &self.suffixes[lo as usize..hi as usize];
        lo + suffixes.partition_point(|&at| before(self.text.get((at + depth) as usize).copied()))
            as u32
    }
}
