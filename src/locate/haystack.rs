//! A file's text as a place to look in: its lines, and for each way of comparing them which are the
//! same.
//!
//! Each way is worked out once, when the first edit needs it, however many edits of the file there
//! are.

use crate::edit::Replacement;
use crate::edit::Style;
use crate::text::{Outline, Text};
use std::borrow::Cow;
use std::cell::OnceCell;
use std::collections::HashMap;
use std::ops::Range;
use unicode_normalization::char::decompose_canonical;

/// What is set aside when lines are compared. Each sets aside what the one before does, too.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Fold {
    /// Nothing.
    Nothing,
    /// Blanks at the end.
    TrailingBlanks,
    /// How quotes, dashes, blanks and accents are spelled in Unicode, and characters without a
    /// width.
    Unicode,
    /// Indentation.
    Indentation,
    /// How many blanks or tabs there are between words, outside quotes.
    Blanks,
    /// All blanks outside quotes, the kind of quotes, and a comma or semicolon at the end. Words,
    /// numbers, strings and operators stay.
    Punctuation,
}

const N_FOLDS: usize = Fold::Punctuation as usize + 1;

/// A line's bytes: what it says from `start` to `end`, then its ending; the next one begins at
/// `next`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Line {
    pub start: usize,
    pub end: usize,
    pub next: usize,
}

/// The lines under one way of comparing: equal numbers are equal lines.
#[derive(Debug)]
pub(super) struct Lines<'t> {
    numbers: HashMap<Cow<'t, str>, u32>,
    pub of_line: Vec<u32>,
    /// For each number where its lines stand, ascending.
    pub positions: Vec<Vec<u32>>,
}

/// A text with something set aside, and where each of its bytes came from.
#[derive(Debug, Default)]
pub(super) struct Folded {
    pub text: String,
    /// For each byte of `text` and its end: an offset in the text it was made from.
    pub offsets: Vec<usize>,
}

/// See the module.
#[derive(Debug)]
pub struct Haystack<'t> {
    pub(super) shown: &'t str,
    pub(super) lines: Vec<Line>,
    /// Whether lines of nothing but blanks are kept in new text.
    pub(super) keeps_blanks: bool,
    by_fold: [OnceCell<Lines<'t>>; N_FOLDS],
    not_blank: OnceCell<Vec<usize>>,
    folded: [OnceCell<Folded>; 3],
    by_word: OnceCell<HashMap<&'t str, Vec<u32>>>,
    outline: OnceCell<Outline>,
    style: OnceCell<Style>,
}

impl<'t> Haystack<'t> {
    /// `path` decides whether lines of nothing but blanks mean something (in Markdown they may).
    pub fn new(path: &str, text: &'t Text) -> Haystack<'t> {
        Haystack::of_shown(path, text.shown())
    }

    pub(crate) fn of_shown(path: &str, shown: &'t str) -> Haystack<'t> {
        Haystack {
            shown,
            lines: lines_of(shown),
            keeps_blanks: crate::edit::keeps_blank_lines(path, shown),
            by_fold: Default::default(),
            not_blank: OnceCell::new(),
            folded: Default::default(),
            by_word: OnceCell::new(),
            outline: OnceCell::new(),
            style: OnceCell::new(),
        }
    }

    pub(super) fn line_text(&self, line: usize) -> &'t str {
        let Line { start, end, .. } = self.lines[line];
        &self.shown[start..end]
    }

    /// The line in which an offset lies; the last one for the end of the text.
    pub(super) fn line_at(&self, offset: usize) -> usize {
        self.lines
            .partition_point(|line| line.next <= offset)
            .min(self.lines.len().saturating_sub(1))
    }

    /// What ends a line here: a line feed, or the carriage return of old Macs.
    pub(super) fn ending_at(&self, line: usize) -> &'t str {
        let ending = |line: &Line| &self.shown[line.end..line.next];
        match self.lines.get(line).map(ending) {
            Some("") | None => self.lines[..line.min(self.lines.len())]
                .last()
                .map(ending)
                .filter(|e| !e.is_empty())
                .unwrap_or("\n"),
            Some(ending) => ending,
        }
    }

    pub(super) fn lines_under(&self, fold: Fold) -> &Lines<'t> {
        self.by_fold[fold as usize].get_or_init(|| {
            let mut lines = Lines {
                numbers: HashMap::new(),
                of_line: Vec::with_capacity(self.lines.len()),
                positions: Vec::new(),
            };
            for i in 0..self.lines.len() {
                let next = lines.positions.len() as u32;
                let number =
                    *lines.numbers.entry(folded_line(fold, self.line_text(i))).or_insert(next);
                if number == next {
                    lines.positions.push(Vec::new());
                }
                lines.positions[number as usize].push(i as u32);
                lines.of_line.push(number);
            }
            lines
        })
    }

    /// The exchange of `n` lines from one on (counted from 1) for others; where `n` is 0, of what
    /// comes after that line. None if there are no such lines.
    pub(crate) fn by_number(&self, line: usize, n: usize, new: &[String]) -> Option<Replacement> {
        let first = if n == 0 { line } else { line.checked_sub(1)? };
        let last = first.checked_add(n).filter(|&last| last <= self.lines.len())?;
        let end_of = |line: usize| line.checked_sub(1).map_or(0, |line| self.lines[line].next);
        let range = end_of(first)..end_of(last);
        let ending = self.ending_at(first);
        let mut text: String = new.iter().flat_map(|line| [line.as_str(), ending]).collect();
        let lacks_ending = range.end == self.shown.len()
            && self.lines.last().is_some_and(|line| line.next == line.end);
        if lacks_ending && !text.is_empty() {
            if n == 0 {
                text.insert_str(0, ending);
            }
            text.truncate(text.len() - ending.len());
        }
        Some(Replacement { range, new: text })
    }

    /// The lines that are not blank.
    pub(super) fn not_blank(&self) -> &[usize] {
        self.not_blank.get_or_init(|| {
            (0..self.lines.len()).filter(|&i| !is_blank(self.line_text(i))).collect()
        })
    }

    /// The text with [`Fold::TrailingBlanks`] or [`Fold::Unicode`] set aside.
    pub(super) fn folded(&self, fold: Fold) -> &Folded {
        self.folded[fold as usize].get_or_init(|| Folded::new(fold, self.shown))
    }

    /// How the file indents.
    pub(super) fn style(&self) -> Style {
        *self.style.get_or_init(|| Style::of(self.shown))
    }

    /// The definitions around lines.
    pub(super) fn outline(&self) -> &Outline {
        self.outline.get_or_init(|| Outline::of(self.shown))
    }

    /// The lines on which each word stands.
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

impl Lines<'_> {
    /// The number that a line would have here; none if no line is like it.
    pub(super) fn number_of(&self, fold: Fold, line: &str) -> Option<u32> {
        self.numbers.get(&folded_line(fold, line)).copied()
    }
}

impl Folded {
    /// The stretch of `original`, which this was made from, that became these bytes.
    pub(super) fn original(&self, original: &str, range: Range<usize>) -> Range<usize> {
        let last = self.offsets[range.end - 1];
        self.offsets[range.start]..last + original[last..].chars().next().map_or(0, char::len_utf8)
    }

    pub(super) fn new(fold: Fold, text: &str) -> Folded {
        let mut folded = Folded::default();
        for (start, c) in text.char_indices() {
            if c == '\n' {
                // A carriage return before it belongs to the ending, as the blanks do.
                let kept = folded.text.trim_end_matches(is_blank_char).len();
                folded.text.truncate(kept);
                folded.offsets.truncate(kept);
            }
            let mut push = |c: char| {
                folded.text.push(c);
                folded.offsets.resize(folded.text.len(), start);
            };
            if fold == Fold::Unicode { fold_char(c, &mut push) } else { push(c) }
        }
        folded.offsets.push(text.len());
        folded
    }
}

pub(super) fn is_blank(line: &str) -> bool {
    line.chars().all(|c| is_blank_char(c) || matches!(plain(c), Plain::Char(' ') | Plain::Nothing))
}

fn is_blank_char(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\r' | '\u{b}' | '\u{c}')
}

/// The blanks and tabs at the start of a line.
pub(super) fn indentation(line: &str) -> &str {
    &line[..line.len() - line.trim_start_matches([' ', '\t']).len()]
}

/// Identifiers and numbers.
pub(super) fn words(line: &str) -> impl Iterator<Item = &str> {
    line.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty())
}

/// Lines end with a line feed or a carriage return alone; a carriage return before a line feed
/// belongs to what the line says (of CR LF only the line feed is shown).
fn lines_of(shown: &str) -> Vec<Line> {
    let bytes = shown.as_bytes();
    let mut lines = Vec::new();
    let mut start = 0;
    for (i, &byte) in bytes.iter().enumerate() {
        if byte == b'\n' || (byte == b'\r' && bytes.get(i + 1) != Some(&b'\n')) {
            lines.push(Line { start, end: i, next: i + 1 });
            start = i + 1;
        }
    }
    if start < bytes.len() {
        lines.push(Line { start, end: bytes.len(), next: bytes.len() });
    }
    lines
}

pub(super) fn folded_line(fold: Fold, line: &str) -> Cow<'_, str> {
    if fold == Fold::Nothing {
        return Cow::Borrowed(line);
    }
    let line = line.trim_end_matches(is_blank_char);
    if fold == Fold::TrailingBlanks {
        return Cow::Borrowed(line);
    }
    let line = match line.is_ascii() {
        true => Cow::Borrowed(line),
        false => {
            let mut plain = String::with_capacity(line.len());
            line.chars().for_each(|c| fold_char(c, &mut |c| plain.push(c)));
            plain.truncate(plain.trim_end_matches(is_blank_char).len());
            Cow::Owned(plain)
        }
    };
    match fold {
        Fold::Indentation => match line {
            Cow::Borrowed(line) => Cow::Borrowed(line.trim_start_matches([' ', '\t'])),
            Cow::Owned(line) => Cow::Owned(line.trim_start_matches([' ', '\t']).to_owned()),
        },
        Fold::Blanks => collapsed(line),
        Fold::Punctuation => Cow::Owned(tokens(&line)),
        _ => line,
    }
}

/// The line with one blank between its tokens. What stands between quotes is one token, whatever
/// quotes they are.
fn tokens(line: &str) -> String {
    let mut tokens = String::with_capacity(2 * line.len());
    let mut quote = None;
    let (mut was_word, mut is_escaped) = (false, false);
    for c in line.trim().trim_end_matches([',', ';']).chars() {
        let is_word = c.is_alphanumeric() || c == '_';
        match (quote, c) {
            (Some(open), _) if open == c && !is_escaped => {
                quote = None;
                tokens.push('"');
            }
            (Some(_), _) => tokens.push(c),
            (None, ' ' | '\t') => {
                was_word = false;
                continue;
            }
            (None, '"' | '\'' | '`') => {
                quote = Some(c);
                tokens.push_str(" \"");
            }
            (None, _) => {
                if !(is_word && was_word) {
                    tokens.push(' ');
                }
                tokens.push(c);
            }
        }
        was_word = is_word;
        is_escaped = c == '\\' && !is_escaped;
    }
    tokens
}

/// Without indentation, and each run of blanks outside quotes as one.
fn collapsed(line: Cow<'_, str>) -> Cow<'_, str> {
    let trimmed = line.trim_start_matches([' ', '\t']);
    if !trimmed.contains('\t') && !trimmed.contains("  ") {
        return match line {
            Cow::Borrowed(line) => Cow::Borrowed(line.trim_start_matches([' ', '\t'])),
            Cow::Owned(_) => Cow::Owned(trimmed.to_owned()),
        };
    }
    let mut collapsed = String::with_capacity(trimmed.len());
    let mut quote = None;
    let mut is_escaped = false;
    for c in trimmed.chars() {
        match (quote, c) {
            (None, ' ' | '\t') => {
                if !collapsed.ends_with(' ') {
                    collapsed.push(' ');
                }
                continue;
            }
            (None, '"' | '\'' | '`') => quote = Some(c),
            (Some(open), _) if open == c && !is_escaped => quote = None,
            _ => {}
        }
        is_escaped = c == '\\' && !is_escaped;
        collapsed.push(c);
    }
    Cow::Owned(collapsed)
}

enum Plain {
    Char(char),
    Dots,
    Nothing,
    Same,
}

/// How a keyboard spells what word processors and web pages write.
fn plain(c: char) -> Plain {
    match c {
        '\u{2018}'..='\u{201b}' | '\u{2032}' => Plain::Char('\''),
        '\u{201c}'..='\u{201f}' | '\u{2033}' => Plain::Char('"'),
        '\u{2010}'..='\u{2015}' | '\u{2212}' => Plain::Char('-'),
        '\u{a0}' | '\u{2000}'..='\u{200a}' | '\u{202f}' | '\u{205f}' | '\u{3000}' => {
            Plain::Char(' ')
        }
        '\u{200b}'..='\u{200d}' | '\u{2060}' | '\u{feff}' | '\u{ad}' => Plain::Nothing,
        '\u{2026}' => Plain::Dots,
        _ => Plain::Same,
    }
}

/// The key for a quote, dash or blank that has one.
pub(super) fn keyboard(c: char) -> Option<char> {
    if let Plain::Char(c) = plain(c) { Some(c) } else { None }
}

/// Canonical decomposition stands in for NFC: both make one spelling of an accent of two.
fn fold_char(c: char, push: &mut impl FnMut(char)) {
    match plain(c) {
        Plain::Char(c) => push(c),
        Plain::Dots => "...".chars().for_each(push),
        Plain::Nothing => {}
        Plain::Same if c.is_ascii() => push(c),
        Plain::Same => decompose_canonical(c, push),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_each_way_of_comparing_sets_aside() {
        let check = |fold, a: &str, b: &str, are_equal: bool| {
            assert_eq!(
                folded_line(fold, a) == folded_line(fold, b),
                are_equal,
                "{fold:?} {a:?} {b:?}"
            );
        };
        check(Fold::Nothing, "a", "a ", false);
        check(Fold::TrailingBlanks, "a", "a \t\r", true);
        check(Fold::TrailingBlanks, " a", "a", false);
        check(
            Fold::Unicode,
            "it\u{2019}s \u{201c}x\u{201d}\u{a0}\u{2014} caf\u{e9}",
            "it's \"x\" - cafe\u{301} ",
            true,
        );
        check(Fold::Unicode, "a\u{200b}b\u{2026}", "ab...", true);
        check(Fold::Unicode, "cafe", "caf\u{e9}", false);
        check(Fold::Indentation, "\t  a  b", "a  b", true);
        check(Fold::Indentation, "a  b", "a b", false);
        check(Fold::Blanks, "\tx  =\t1", "x = 1", true);
        check(Fold::Blanks, "x = 'a  b'", "x = 'a b'", false);
        check(Fold::Blanks, r#"x = "a\"  b""#, r#"x = "a\" b""#, false);
        check(Fold::Blanks, "f(x)", "f( x)", false);
        check(Fold::Punctuation, "f( 'x y',a )", "f(\"x y\", a);", true);
        check(Fold::Punctuation, "f('x y')", "f('xy')", false);
        check(Fold::Punctuation, "return x", "returnx", false);
        check(Fold::Punctuation, "a - b", "a + b", false);
        check(Fold::Punctuation, "f(1)", "f(2)", false);
    }

    #[test]
    fn lines_and_their_endings() {
        let haystack = Haystack::of_shown("a", "a\nb\rc\r\nd");
        let lines: Vec<&str> = (0..haystack.lines.len()).map(|i| haystack.line_text(i)).collect();
        assert_eq!(lines, ["a", "b", "c\r", "d"]);
        let endings: Vec<&str> = (0..4).map(|i| haystack.ending_at(i)).collect();
        assert_eq!(endings, ["\n", "\r", "\n", "\n"]);
        assert_eq!([0, 1, 2, 3, 7, 8].map(|offset| haystack.line_at(offset)), [0, 0, 1, 1, 3, 3]);
        assert!(Haystack::of_shown("a", "").lines.is_empty());
    }

    #[test]
    fn a_folded_text_knows_where_it_came_from() {
        let folded = Folded::new(Fold::Unicode, "a \u{2026}\u{e9} \nb");
        assert_eq!(folded.text, "a ...e\u{301}\nb");
        assert_eq!(folded.offsets, [0, 1, 2, 2, 2, 5, 5, 5, 8, 9, 10]);
    }
}
