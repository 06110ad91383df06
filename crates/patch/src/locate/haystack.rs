//! A file's text, prepared for searching: its lines, and which of them are equal in each way of
//! comparing.
//!
//! Each way is computed once, when the first edit needs it, however many edits the file has.

use super::fold::{Fold, Folded, folded_line, is_blank, words};
use crate::edit::{Replacement, Style, keeps_blank_lines};
use crate::text::{Outline, Text};
use std::borrow::Cow;
use std::cell::OnceCell;
use std::collections::HashMap;

const N_FOLDS: usize = Fold::Punctuation as usize + 1;

/// Byte offsets of a line: its text is `start..end`, then comes its ending, and the next line
/// begins at `next`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct LineSpan {
    pub start: usize,
    pub end: usize,
    pub next: usize,
}

/// The lines under one way of comparing: equal numbers mean equal lines.
#[derive(Debug)]
pub(super) struct LineClasses<'t> {
    numbers: HashMap<Cow<'t, str>, u32>,
    pub of_line: Vec<u32>,
    /// For each number, the lines that have it, ascending.
    pub positions: Vec<Vec<u32>>,
}

/// A file's text, prepared for searching.
#[derive(Debug)]
pub struct Haystack<'t> {
    pub(super) shown: &'t str,
    pub(super) lines: Vec<LineSpan>,
    /// Whether new text keeps whitespace-only lines.
    pub(super) keeps_whitespace: bool,
    by_fold: [OnceCell<LineClasses<'t>>; N_FOLDS],
    not_blank: OnceCell<Vec<usize>>,
    folded: [OnceCell<Folded>; 3],
    by_word: OnceCell<HashMap<&'t str, Vec<u32>>>,
    outline: OnceCell<Outline>,
    style: OnceCell<Style>,
}

impl<'t> Haystack<'t> {
    /// Prepares a file. `path` decides whether whitespace-only lines have a meaning (in Markdown
    /// they may).
    pub fn new(path: &str, text: &'t Text) -> Haystack<'t> {
        Haystack::of_shown(path, text.shown())
    }

    /// [`Haystack::new`] for text that is decoded already.
    pub fn of_shown(path: &str, shown: &'t str) -> Haystack<'t> {
        Haystack {
            shown,
            lines: lines_of(shown),
            keeps_whitespace: keeps_blank_lines(path, shown),
            by_fold: Default::default(),
            not_blank: OnceCell::new(),
            folded: Default::default(),
            by_word: OnceCell::new(),
            outline: OnceCell::new(),
            style: OnceCell::new(),
        }
    }

    pub(super) fn line_text(&self, line: usize) -> &'t str {
        let LineSpan { start, end, .. } = self.lines[line];
        &self.shown[start..end]
    }

    /// The line that contains an offset; the last line for the end of the text.
    pub(super) fn line_at(&self, offset: usize) -> usize {
        self.lines
            .partition_point(|line| line.next <= offset)
            .min(self.lines.len().saturating_sub(1))
    }

    /// The line ending used here: a newline, or the carriage return of old Macs.
    pub(super) fn ending_at(&self, line: usize) -> &'t str {
        let above = line.min(self.lines.len()).checked_sub(1);
        [Some(line), above]
            .into_iter()
            .flatten()
            .filter_map(|i| self.lines.get(i))
            .map(|line| &self.shown[line.end..line.next])
            .find(|ending| !ending.is_empty())
            .unwrap_or("\n")
    }

    pub(super) fn lines_under(&self, fold: Fold) -> &LineClasses<'t> {
        self.by_fold[fold as usize].get_or_init(|| {
            let mut lines = LineClasses {
                numbers: HashMap::new(),
                of_line: Vec::with_capacity(self.lines.len()),
                positions: Vec::new(),
            };
            for i in 0..self.lines.len() {
                let next = lines.positions.len() as u32;
                let number = *lines
                    .numbers
                    .entry(folded_line(fold, self.line_text(i)))
                    .or_insert(next);
                if number == next {
                    lines.positions.push(Vec::new());
                }
                lines.positions[number as usize].push(i as u32);
                lines.of_line.push(number);
            }
            lines
        })
    }

    /// Replaces `n` lines, starting with `line` (counted from 1). If `n` is 0, inserts after that
    /// line. `None` if the file has no such lines.
    pub fn by_number(&self, line: usize, n: usize, new: &[String]) -> Option<Replacement> {
        let first = if n == 0 { line } else { line.checked_sub(1)? };
        let last = first.checked_add(n)?;
        let range = self.start_of(first)?..self.start_of(last)?;

        let ending = self.ending_at(first);
        let mut text = String::new();
        for line in new {
            text += line;
            text += ending;
        }
        if range.end == self.shown.len() && self.lacks_final_newline() && !text.is_empty() {
            if n == 0 {
                text.insert_str(0, ending);
            }
            text.truncate(text.len() - ending.len());
        }
        Some(Replacement { range, new: text })
    }

    /// The offset of a line, counted from 0; the end of the text for the line after the last one.
    fn start_of(&self, line: usize) -> Option<usize> {
        match line.checked_sub(1) {
            Some(above) => self.lines.get(above).map(|above| above.next),
            None => Some(0),
        }
    }

    /// Whether the file's last line has no line ending.
    pub(super) fn lacks_final_newline(&self) -> bool {
        self.lines.last().is_some_and(|line| line.next == line.end)
    }

    /// Whether a line of the file has nothing but whitespace.
    pub(super) fn is_blank(&self, line: usize) -> bool {
        is_blank(self.line_text(line))
    }

    /// The lines that are not blank.
    pub(super) fn not_blank(&self) -> &[usize] {
        self.not_blank.get_or_init(|| {
            (0..self.lines.len())
                .filter(|&i| !self.is_blank(i))
                .collect()
        })
    }

    /// The text under [`Fold::TrailingWhitespace`] or [`Fold::Unicode`].
    pub(super) fn folded(&self, fold: Fold) -> &Folded {
        self.folded[fold as usize].get_or_init(|| Folded::new(fold, self.shown))
    }

    /// The file's indentation style.
    pub(super) fn style(&self) -> Style {
        *self.style.get_or_init(|| Style::of(self.shown))
    }

    /// The outline of the file, which finds the definition around a line.
    pub(super) fn outline(&self) -> &Outline {
        self.outline.get_or_init(|| Outline::of(self.shown))
    }

    /// The lines that contain each word.
    pub(super) fn by_word(&self) -> &HashMap<&'t str, Vec<u32>> {
        self.by_word.get_or_init(|| {
            let mut by_word: HashMap<&str, Vec<u32>> = HashMap::new();
            for i in 0..self.lines.len() {
                for word in words(self.line_text(i)) {
                    let lines = by_word.entry(word).or_default();
                    if lines.last() != Some(&(i as u32)) {
                        lines.push(i as u32);
                    }
                }
            }
            by_word
        })
    }
}

impl LineClasses<'_> {
    /// The number of the lines that equal `line`; `None` if there are none.
    pub(super) fn number_of(&self, fold: Fold, line: &str) -> Option<u32> {
        self.numbers.get(&folded_line(fold, line)).copied()
    }
}

/// Splits a text into lines, at newlines and at lone carriage returns. A carriage return before a
/// newline belongs to the line's text, since a CR LF of the file is shown as a newline.
fn lines_of(shown: &str) -> Vec<LineSpan> {
    let bytes = shown.as_bytes();
    let mut lines = Vec::new();
    let mut start = 0;
    for (i, &byte) in bytes.iter().enumerate() {
        if byte == b'\n' || (byte == b'\r' && bytes.get(i + 1) != Some(&b'\n')) {
            lines.push(LineSpan {
                start,
                end: i,
                next: i + 1,
            });
            start = i + 1;
        }
    }
    if start < bytes.len() {
        lines.push(LineSpan {
            start,
            end: bytes.len(),
            next: bytes.len(),
        });
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_and_their_endings() {
        let haystack = Haystack::of_shown("a", "a\nb\rc\r\nd");
        let lines: Vec<&str> = (0..haystack.lines.len())
            .map(|i| haystack.line_text(i))
            .collect();
        assert_eq!(lines, ["a", "b", "c\r", "d"]);
        let endings: Vec<&str> = (0..4).map(|i| haystack.ending_at(i)).collect();
        assert_eq!(endings, ["\n", "\r", "\n", "\n"]);
        assert_eq!(
            [0, 1, 2, 3, 7, 8].map(|offset| haystack.line_at(offset)),
            [0, 0, 1, 1, 3, 3]
        );
        assert!(Haystack::of_shown("a", "").lines.is_empty());
    }
}
