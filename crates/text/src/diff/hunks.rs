//! The hunks of a change, to be taken or left one by one.

use crate::text::{EncodeError, Encoding, Text, line_diff};
use similar::{DiffOp, DiffTag, TextDiff};
use std::ops::Range;

/// Context lines around a change.
pub(super) const CONTEXT: usize = 3;

const BYTE_ORDER_MARK: char = '\u{feff}';

/// A file before and after a change, in the hunks that its unified diff shows.
#[derive(Clone, Debug)]
pub struct Hunks {
    before: String,
    after: String,
    /// The file before; `None` for a new file.
    text: Option<Text>,
    after_bytes: Vec<u8>,
    hunks: Vec<Hunk>,
}

/// Lines of a file before and after a change, with the unchanged ones that the diff shows around
/// them. The lines between two hunks are the same before and after.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hunk {
    /// Before; counted from 0.
    pub old: Range<usize>,
    /// After; counted from 0.
    pub new: Range<usize>,
    /// The first line after the change that is new, or that follows removed ones.
    pub first_changed: usize,
}

impl Hunk {
    /// The hunk of some steps of a diff; `None` if they change nothing.
    fn of(ops: &[DiffOp]) -> Option<Hunk> {
        let first = ops.first()?;
        let last = ops.last()?;
        let changed = ops.iter().find(|op| op.tag() != DiffTag::Equal)?;
        Some(Hunk {
            old: first.old_range().start..last.old_range().end,
            new: first.new_range().start..last.new_range().end,
            first_changed: changed.new_range().start,
        })
    }

    fn cut(self, seam: Seam) -> (Hunk, Hunk) {
        let above = Hunk {
            old: self.old.start..seam.old,
            new: self.new.start..seam.new,
            ..self
        };
        let below = Hunk {
            old: seam.old..self.old.end,
            new: seam.new..self.new.end,
            ..self
        };
        (above, below)
    }
}

/// A place between two edits of a file, in front of these lines; counted from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seam {
    /// Before both edits.
    pub old: usize,
    /// After both.
    pub new: usize,
}

/// What a person wants of a hunk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Choice {
    /// To make it.
    Take,
    /// To leave the file as it was there.
    Leave,
    /// To write these lines in place of the hunk's own.
    Instead(String),
}

impl Hunks {
    /// The hunks of a change. `before`: none for a new file.
    pub fn of(before: Option<&Text>, after: &[u8]) -> Hunks {
        let text = before.cloned();
        let encoding = before.map_or(Encoding::Utf8, Text::encoding);
        let after_bytes = after.to_vec();
        let before = before.map_or_else(String::new, |text| encoding.decoded(text.bytes()).into());
        let after = encoding.decoded(after).into_owned();

        let mut hunks = Vec::new();
        for ops in line_changes(&lines(&before), &lines(&after)).grouped_ops(CONTEXT) {
            hunks.extend(Hunk::of(&ops));
        }
        Hunks {
            before,
            after,
            text,
            after_bytes,
            hunks,
        }
    }

    /// The same change, with hunks that have several edits cut between these. `seams`: in file order.
    pub fn split(mut self, seams: &[Seam]) -> Hunks {
        let mut pieces = Vec::new();
        for hunk in std::mem::take(&mut self.hunks) {
            let mut rest = hunk;
            for seam in seams {
                if rest.old.contains(&seam.old) && rest.new.contains(&seam.new) {
                    let (above, below) = rest.clone().cut(*seam);
                    if self.is_change(&above) && self.is_change(&below) {
                        pieces.push(above);
                        rest = below;
                    }
                }
            }
            pieces.push(rest);
        }
        self.hunks = pieces;
        self
    }

    fn is_change(&self, hunk: &Hunk) -> bool {
        lines(&self.before)[hunk.old.clone()] != lines(&self.after)[hunk.new.clone()]
    }

    /// The hunks, in file order.
    pub fn hunks(&self) -> &[Hunk] {
        &self.hunks
    }

    /// All of the file before, as it is decoded: with its own line endings.
    pub fn before(&self) -> &str {
        &self.before
    }

    /// All of the file after.
    pub fn after(&self) -> &str {
        &self.after
    }

    /// The lines of a hunk after the change.
    pub fn new_text(&self, hunk: &Hunk) -> String {
        lines(&self.after)[hunk.new.clone()].concat()
    }

    /// The file's bytes if only some of the hunks are made. `choices`: one for each hunk.
    ///
    /// # Errors
    /// [`EncodeError`] if the file's encoding lacks a character of [`Choice::Instead`].
    pub fn chosen(&self, choices: &[Choice]) -> Result<Vec<u8>, EncodeError> {
        assert_eq!(choices.len(), self.hunks.len(), "a choice for each hunk");
        let encoding = self.text.as_ref().map_or(Encoding::Utf8, Text::encoding);
        let before = self.text.as_ref().map_or(&[][..], Text::bytes);
        let (old, new) = (encoding.lines(before), encoding.lines(&self.after_bytes));
        let mut bytes = Vec::with_capacity(before.len().max(self.after_bytes.len()));
        let mut at = 0;
        for (hunk, choice) in self.hunks.iter().zip(choices) {
            bytes.extend(old[at..hunk.old.start].concat());
            match choice {
                Choice::Take => bytes.extend(new[hunk.new.clone()].concat()),
                Choice::Leave => bytes.extend(old[hunk.old.clone()].concat()),
                Choice::Instead(text) => bytes.extend(self.encoded(text, hunk)?),
            }
            at = hunk.old.end;
        }
        bytes.extend(old[at..].concat());
        Ok(bytes)
    }

    /// The bytes of lines that stand in place of a hunk's.
    fn encoded(&self, text: &str, hunk: &Hunk) -> Result<Vec<u8>, EncodeError> {
        let Some(before) = &self.text else {
            return Ok(text.as_bytes().to_vec());
        };
        before.encoded(text, &lines(&self.before)[hunk.old.clone()].concat())
    }
}

/// Lines as a person gets them to change: without carriage returns and a byte order mark.
pub fn to_type(text: &str) -> String {
    text.strip_prefix(BYTE_ORDER_MARK)
        .unwrap_or(text)
        .replace("\r\n", "\n")
}

/// A line whose ending has no carriage returns.
fn without_returns(line: &str) -> String {
    match line.strip_suffix('\n') {
        Some(text) => format!("{}\n", text.trim_end_matches('\r')),
        None => line.to_owned(),
    }
}

/// Lines that a person typed in place of `text`: lines that stay keep their endings, new ones take
/// their neighbours', and the last line ends as it did. Editors have opinions about all of these.
pub fn typed(text: &str, typed: &str) -> String {
    let typed = typed.strip_prefix(BYTE_ORDER_MARK).unwrap_or(typed);
    let typed: String = lines(typed).into_iter().map(without_returns).collect();

    let ends = text.is_empty() || text.ends_with('\n');
    let typed = match (ends, typed.strip_suffix('\n')) {
        (true, None) if !typed.is_empty() => typed + "\n",
        (false, Some(line)) => line.to_owned(),
        _ => typed,
    };
    let Ok(text) = Text::decode_as(text.as_bytes().to_vec(), None) else {
        return typed;
    };

    let old = lines(text.shown());
    let new = lines(&typed);
    let plain_old: Vec<String> = old.iter().map(|line| without_returns(line)).collect();
    let plain_new: Vec<String> = new.iter().map(|&line| line.to_owned()).collect();
    let bytes = text
        .with_lines(&line_diff::diff(&plain_old, &plain_new), &old, &new)
        .expect("a text that was UTF-8 takes every character");
    String::from_utf8(bytes).expect("UTF-8 in, UTF-8 out")
}

/// What the unified diff and its hunks are both made of.
pub(super) fn line_changes<'a>(old: &'a [&'a str], new: &'a [&'a str]) -> TextDiff<'a, 'a, str> {
    TextDiff::configure()
        .newline_terminated(true)
        .diff_slices(old, new)
}

/// As for git, only a newline ends a line here. A lone carriage return is part of its line.
pub(super) fn lines(text: &str) -> Vec<&str> {
    text.split_inclusive('\n').collect()
}

#[cfg(test)]
mod tests {
    use super::Choice::{Leave, Take};
    use super::*;
    use proptest::prelude::*;

    const BEFORE: &str = "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n13\n14\n15\n16\n17\n18\n";

    fn hunks(before: &[u8], after: &[u8]) -> Hunks {
        Hunks::of(Some(&Text::decode(before.to_vec()).unwrap()), after)
    }

    #[track_caller]
    fn check_chosen(hunks: &Hunks, choices: &[Choice], expected: &str) {
        let bytes = hunks.chosen(choices).unwrap();
        assert_eq!(String::from_utf8(bytes).unwrap(), expected, "{choices:?}");
    }

    #[test]
    fn each_hunk_is_made_or_left() {
        let first = BEFORE.replace("2\n3\n", "two\n3\n");
        let second = BEFORE.replace("16\n", "16\nmore\n");
        let both = first.replace("16\n", "16\nmore\n");
        let hunks = hunks(BEFORE.as_bytes(), both.as_bytes());
        let places = hunks.hunks().iter().map(|hunk| hunk.first_changed);
        assert_eq!(places.collect::<Vec<_>>(), [1, 16]);
        check_chosen(&hunks, &[Take, Take], &both);
        check_chosen(&hunks, &[Leave, Leave], BEFORE);
        check_chosen(&hunks, &[Take, Leave], &first);
        check_chosen(&hunks, &[Leave, Take], &second);
        let mine = hunks.new_text(&hunks.hunks()[1]).replace("more", "less");
        let expected = second.replace("more", "less");
        check_chosen(&hunks, &[Leave, Choice::Instead(mine)], &expected);
    }

    #[test]
    fn edits_that_touch_are_made_or_left_by_themselves() {
        let after = "1\ntwo\ntwo and a half\nthree\n4\n5\nsix\n7\n";
        let before = &BEFORE[..16];
        let whole = hunks(before.as_bytes(), after.as_bytes());
        assert_eq!(whole.hunks().len(), 1);
        let seam = |(old, new)| Seam { old, new };
        let outside = whole
            .clone()
            .split(&[(0, 0), (1, 1), (8, 8), (7, 20)].map(seam));
        assert_eq!(outside.hunks(), whole.hunks());
        let split = whole.split(&[(2, 3), (5, 6)].map(seam));
        check_chosen(&split, &[Take, Take, Take], after);
        check_chosen(&split, &[Leave, Leave, Leave], before);
        let first = before.replace("2\n", "two\ntwo and a half\n");
        check_chosen(&split, &[Take, Leave, Leave], &first);
        check_chosen(&split, &[Leave, Take, Leave], &before.replace('3', "three"));
        check_chosen(&split, &[Leave, Leave, Take], "1\n2\n3\n4\n5\nsix\n7\n");
    }

    #[test]
    fn a_new_file_is_one_hunk() {
        let hunks = Hunks::of(None, b"a\nb\n");
        let [hunk] = hunks.hunks() else {
            panic!("{hunks:?}");
        };
        assert_eq!((&hunk.old, &hunk.new), (&(0..0), &(0..2)));
        assert_eq!(hunks.chosen(&[Leave]).unwrap(), b"");
        assert!(Hunks::of(None, b"").hunks().is_empty());
    }

    #[test]
    fn encodings_stay() {
        let check = |before: &[u8], after: &[u8]| {
            let hunks = hunks(before, after);
            assert_eq!(hunks.chosen(&[Take]).unwrap(), after);
            assert_eq!(hunks.chosen(&[Leave]).unwrap(), before);
        };
        check(b"\xef\xbb\xbfa\r\nb\n", b"\xef\xbb\xbfa\r\nc\n");
        check(b"caf\xe9\x81\r\n1", b"caf\xe9\x81\r\n2");
        check(b"\xff\xfea\0\n\0", b"\xff\xfeb\0\n\0");
        check(b"\xfe\xff\x0a\x0a\0\n\0b", b"\xfe\xff\x0a\x0a\0\n\0c");
        check("\u{e9}\u{e9}\n".as_bytes(), b"\xc3\xa9\n");
        check(b"\xc3\xa9\xc3\xa9 \xff\n1\n", b"\xc3\xa9\xc3\xa9 \xff\n2\n");
        // Two spellings of one character in Shift_JIS.
        let japanese = b"# coding: cp932\n\xfa\x5c\xed\x40\n";
        check(japanese, b"# coding: cp932\n\xed\x40\n");
        let latin = hunks(b"caf\xe9 1\n", b"caf\xe9 2\n");
        let chinese = Choice::Instead("\u{4e2d}\n".to_owned());
        assert_eq!(latin.chosen(&[chinese]).unwrap_err().character, '\u{4e2d}');
    }

    #[test]
    fn what_is_typed_keeps_the_endings_of_lines() {
        let check = |text: &str, by_person: &str, expected: &str| {
            assert_eq!(typed(text, by_person), expected, "{text:?} {by_person:?}");
        };
        check("a\r\nb\r\n", "a\nx\ny\n", "a\r\nx\r\ny\r\n");
        check("a\r\nb\nc\r\n", "a\nb\nx\n", "a\r\nb\nx\r\n");
        check("a\nb", "a\nx\n", "a\nx"); // an editor ends the last line; the file does not
        check("a\nb\n", "a\nx", "a\nx\n");
        check("a\r\n", "x\r\ny\r\n", "x\r\ny\r\n");
        check("a\n", "", "");
        check("x\r\r\ny\n", "x\r\nz\n", "x\r\r\nz\n");
        check("\u{feff}a\r\n", "b\n", "\u{feff}b\r\n");
        check("", "a", "a\n");
    }

    proptest! {
        #[test]
        fn any_choice_of_hunks_is_of_the_two_texts(
            before in "([a-c]\r?\n){0,40}[ab]?",
            after in "([a-c]\r?\n){0,40}[ab]?",
            leave in any::<u64>(),
        ) {
            let hunks = hunks(before.as_bytes(), after.as_bytes());
            let choose = |leave: u64| -> Vec<Choice> {
                let is_left = |i: usize| leave >> (i % 64) & 1 == 1;
                let n = hunks.hunks().len();
                (0..n).map(|i| if is_left(i) { Leave } else { Take }).collect()
            };
            prop_assert_eq!(hunks.chosen(&choose(0)).unwrap(), after.as_bytes());
            prop_assert_eq!(hunks.chosen(&choose(u64::MAX)).unwrap(), before.as_bytes());
            let some = String::from_utf8(hunks.chosen(&choose(leave)).unwrap()).unwrap();
            let n = |range: fn(&Hunk) -> usize, taken: bool| -> usize {
                let of = |(i, hunk)| ((leave >> (i % 64) & 1 == 0) == taken).then(|| range(hunk));
                hunks.hunks().iter().enumerate().filter_map(of).sum()
            };
            let new = |hunk: &Hunk| hunk.new.len();
            let old = |hunk: &Hunk| hunk.old.len();
            let n_lines = lines(&before).len() + n(new, true) - n(old, true);
            prop_assert_eq!(lines(&some).len(), n_lines);
        }

        #[test]
        fn what_is_typed_is_kept(text in "([a-c]\r{0,2}\n){0,8}", by_person in "([a-c]\n){0,8}") {
            prop_assert_eq!(typed(&text, &by_person).replace('\r', ""), by_person.clone());
            prop_assert_eq!(typed(&text, &to_type(&text)), text.clone());
            prop_assert_eq!(typed(&text, &text), text);
        }
    }
}
