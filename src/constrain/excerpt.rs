//! Text that must be copied from what was shown: a suffix array (Manber and Myers, 1990) over it.
//!
//! The array is over the text *as it is in the answer*, JSON-escaped, so that one byte of the
//! answer is one step in it and escapes need no states of their own. It keeps only the suffixes
//! that begin where an excerpt may begin. What has been written so far is an interval of it; how
//! often the excerpt occurs in the text follows from the interval, and so does where it may end.

use super::escape::{escaped, escaped_len, is_plain, push_escaped};
use crate::text::{Shown, boundary_offsets, own_end};
use fixedbitset::FixedBitSet;

/// Stands between windows. It is in no UTF-8 text, so that no excerpt runs from one window into the
/// next.
const SEPARATOR: u8 = 0xff;

/// A newline in the text, which is escaped.
const NEW_LINE: &[u8] = br"\n";

/// Intervals up to this many suffixes are counted one by one.
const COUNT_ONE_BY_ONE: u32 = 16;

/// The index of what is shown.
#[derive(Debug)]
pub(super) struct ExcerptIndex {
    /// All windows, escaped, joined by [`SEPARATOR`].
    text: Vec<u8>,
    /// Where excerpts may begin, in the order of the suffixes that begin there.
    suffixes: Vec<u32>,
    /// `suffixes[first[b]..first[b + 1]]` begin with byte `b`.
    first: Vec<u32>,
    /// The bytes of a character (perhaps escaped) but its first.
    insides: FixedBitSet,
    /// Where an excerpt may end.
    ends: FixedBitSet,
    /// The bytes of whitespace characters.
    blanks: FixedBitSet,
    /// Where each window ends, and where its last whole line begins that has something on it.
    last_lines: Vec<(u32, u32)>,
}

/// The suffixes `lo..hi` of the array begin with the `depth` bytes written so far.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Cursor {
    pub lo: u32,
    pub hi: u32,
    pub depth: u32,
}

/// How often what has been written occurs in the text as an excerpt, ends included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stands {
    /// It may not end here.
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
            blanks: FixedBitSet::with_capacity(n_bytes),
            last_lines: Vec::with_capacity(shown.windows.len()),
        };
        for (window_idx, window) in shown.windows.iter().enumerate() {
            if window_idx > 0 {
                text.push(SEPARATOR);
            }
            // An excerpt is not only whitespace, so it cannot begin behind the last character that
            // is none.
            let n_inked = window.text.trim_end().len();
            let last_line = window.whole_lines().trim_end().rfind('\n').map_or(0, |at| at + 1);
            let mut last_line_at = text.len();
            let boundaries = boundary_offsets(&window.text);
            for stretch in boundaries.windows(2) {
                let from = text.len();
                index.ends.insert(from);
                if stretch[0] == last_line {
                    last_line_at = from; // a line's start is a boundary
                }
                if stretch[0] < n_inked {
                    starts.insert(from);
                }
                let stretch = &window.text[stretch[0]..stretch[1]];
                if stretch.bytes().all(is_plain) {
                    text.extend_from_slice(stretch.as_bytes());
                    if stretch.starts_with(' ') {
                        index.blanks.insert_range(from..text.len()); // a boundary ends them
                    }
                    continue;
                }
                for c in stretch.chars() {
                    let first = text.len();
                    push_escaped(&mut text, c);
                    index.insides.insert_range(first + 1..text.len());
                    if c.is_whitespace() {
                        index.blanks.insert_range(first..text.len());
                    }
                }
            }
            index.ends.insert(text.len());
            index.last_lines.push((text.len() as u32, last_line_at as u32));
        }
        let (_, mut sorted) = divsufsort::sort(&text).into_parts();
        // Every suffix is written and only those kept are passed over: whether one is kept cannot
        // be foreseen, and branching on it would take five times as long. All in the array's own
        // place: fresh memory costs.
        let mut n_kept = 0;
        for i in 0..sorted.len() {
            let at = sorted[i];
            sorted[n_kept] = at;
            n_kept += usize::from(starts.contains(at as usize));
        }
        sorted.truncate(n_kept);
        index.suffixes = sorted.into_iter().map(|at| at as u32).collect();
        index.suffixes.shrink_to_fit();
        let below =
            |b: u32| index.suffixes.partition_point(|&at| u32::from(text[at as usize]) < b) as u32;
        index.first = (0..=256).map(below).collect();
        index.text = text;
        index
    }

    /// Whether there is anything that an excerpt could be.
    pub fn is_empty(&self) -> bool {
        self.suffixes.is_empty()
    }

    pub fn all(&self) -> Cursor {
        Cursor { lo: 0, hi: self.suffixes.len() as u32, depth: 0 }
    }

    /// The bytes written so far, as they are in the answer.
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
        (lo < hi).then_some(Cursor { lo, hi, depth: at.depth + 1 })
    }

    /// Whether the excerpt may end here, and how often it then occurs in the text.
    pub fn stands(&self, at: Cursor) -> Stands {
        if at.depth == 0 {
            return Stands::Never;
        }
        let start = self.suffixes[at.lo as usize] as usize;
        let end = start + at.depth as usize;
        // Both are the same for every suffix of the interval: what was written is the same.
        if self.insides.contains(end) || self.blanks.contains_all_in_range(start..end) {
            return Stands::Never;
        }
        match self.count_ends(at, 0) {
            0 => Stands::Never,
            1 => Stands::Once,
            _ => Stands::Several,
        }
    }

    /// How many suffixes of the interval have an excerpt's end at its depth; exact up to 1, then
    /// "several".
    ///
    /// Whether an excerpt may end depends on it and on the character after it (see
    /// [`crate::text::boundaries`]), so one suffix speaks for all that go on with the same
    /// character: `n_looked` bytes of that are the same in the whole interval.
    fn count_ends(&self, at: Cursor, n_looked: u32) -> u32 {
        if at.hi - at.lo <= COUNT_ONE_BY_ONE {
            let ends_here = |&&start: &&u32| self.ends.contains((start + at.depth) as usize);
            return self.suffixes[at.lo as usize..at.hi as usize].iter().filter(ends_here).count()
                as u32;
        }
        let mut count = 0;
        let mut lo = at.lo;
        while lo < at.hi && count < 2 {
            let byte = self.byte_at(lo, at.depth + n_looked);
            let hi = self.partition(lo, at.hi, at.depth + n_looked, |b| b <= byte);
            let group = Cursor { lo, hi, depth: at.depth };
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

    /// Whether an excerpt that occurs once may begin a block: [`Shown::lines_behind`] has a line
    /// for it.
    pub fn has_line_behind(&self, at: Cursor) -> bool {
        let end = self.first_end(at, 0).expect("it stands once") as usize;
        let window =
            self.last_lines.partition_point(|&(window_end, _)| (window_end as usize) < end);
        let (window_end, last_line) = self.last_lines[window];
        let (window_end, last_line) = (window_end as usize, last_line as usize);
        if end > last_line {
            return false;
        }
        // Only of several lines is the last one to be told from those behind.
        let written = self.written(at);
        if self.next_line(end - written.len(), end).is_none() {
            return true;
        }
        let old: String = serde_json::from_slice(&[b"\"", written, b"\""].concat())
            .expect("an excerpt is a JSON string");
        let next_line = self.next_line(end, window_end);
        let ends_line = end == window_end || next_line == Some(end + NEW_LINE.len());
        let Some(own_end) = own_end(&old, ends_line).map(escaped) else { return true };
        let mut line = if old.ends_with('\n') { Some(end) } else { next_line };
        while let Some(start) = line.filter(|&start| start <= last_line) {
            let next = self.next_line(start, window_end);
            let line_end = next.map_or(window_end, |next| next - NEW_LINE.len());
            if !self.blanks.contains_all_in_range(start..line_end)
                && self.text[start..line_end] != own_end
            {
                return true;
            }
            line = next;
        }
        false
    }

    /// Where the next line begins, if one does before `end`.
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

    /// Where the first excerpt of the interval ends that may end at its depth; looked for as in
    /// [`Self::count_ends`].
    fn first_end(&self, at: Cursor, n_looked: u32) -> Option<u32> {
        let end_of = |i: u32| self.suffixes[i as usize] + at.depth;
        if at.hi - at.lo <= COUNT_ONE_BY_ONE {
            return (at.lo..at.hi).map(end_of).find(|&end| self.ends.contains(end as usize));
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
                false => self.first_end(Cursor { lo, hi, depth: at.depth }, n_looked + 1),
            };
            if found.is_some() {
                return found;
            }
            lo = hi;
        }
        None
    }

    /// The next byte, where there is only one; the closing quote counts as one.
    pub fn only_byte(&self, at: Cursor) -> Option<u8> {
        let (first, last) = (self.byte_at(at.lo, at.depth), self.byte_at(at.hi - 1, at.depth));
        if first == last && first.is_some_and(|b| b != SEPARATOR) {
            return first.filter(|_| self.stands(at) == Stands::Never);
        }
        // The suffix that is at the end of the whole text sorts first, those at the end of a window
        // last.
        let goes_on = self.partition(at.lo, at.hi, at.depth, |b| b.is_none());
        let at_an_end = goes_on == at.hi || self.byte_at(goes_on, at.depth) == Some(SEPARATOR);
        at_an_end.then_some(b'"')
    }

    fn byte_at(&self, suffix: u32, depth: u32) -> Option<u8> {
        self.text.get((self.suffixes[suffix as usize] + depth) as usize).copied()
    }

    fn partition(&self, lo: u32, hi: u32, depth: u32, before: impl Fn(Option<u8>) -> bool) -> u32 {
        let suffixes = &self.suffixes[lo as usize..hi as usize];
        lo + suffixes.partition_point(|&at| before(self.text.get((at + depth) as usize).copied()))
            as u32
    }
}
