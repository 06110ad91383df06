//! How near a wrong edit comes to a right one: the file, the place in it, the text.
//!
//! A place is told by lines of the file before. Two changes are at the same place if they change a
//! line that both have. An insertion changes none: its place is between two lines. It meets another
//! insertion there, and a change of either line.

use super::tree::{Tree, changed};
use similar::{DiffTag, TextDiff};
use std::borrow::Cow;
use std::ops::Range;

/// What is wrong with an edit. The nearer to a right one, the greater.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Nearness {
    /// No file that a right edit changes is changed.
    WrongFile,
    /// The right file, but none of the lines that a right edit changes.
    WrongPlace,
    /// At the right place, with another text.
    WrongText,
    /// Right but for whitespace.
    Whitespace,
}

impl Nearness {
    /// As reports have it: see [`super::record::Row::kind`].
    pub const fn name(self) -> &'static str {
        match self {
            Nearness::WrongFile => "wrong_file",
            Nearness::WrongPlace => "wrong_place",
            Nearness::WrongText => "wrong_text",
            Nearness::Whitespace => "white_space",
        }
    }
}

/// How near an edited folder is to the nearest of the accepted ones.
pub fn nearness(before: &Tree, accepted: &[Tree], after: &Tree) -> Nearness {
    let of_each = accepted
        .iter()
        .map(|right| nearness_to(before, right, after));
    of_each.max().unwrap_or(Nearness::WrongFile)
}

fn nearness_to(before: &Tree, right: &Tree, after: &Tree) -> Nearness {
    let mut paths = changed(before, after);
    let right_paths = changed(before, right);
    paths.retain(|path| right_paths.contains(path));
    if paths.is_empty() {
        return Nearness::WrongFile;
    }

    let is_same_place = paths.iter().any(|path| {
        let old = text_of(before, path);
        let right_changes = changes(&old, &text_of(right, path));
        changes(&old, &text_of(after, path))
            .iter()
            .any(|made| right_changes.iter().any(|right| made.meets(*right)))
    });
    if without_whitespace(right) == without_whitespace(after) {
        Nearness::Whitespace
    } else if is_same_place {
        Nearness::WrongText
    } else {
        Nearness::WrongPlace
    }
}

fn without_whitespace(tree: &Tree) -> Tree {
    let mut stripped = tree.clone();
    for bytes in stripped.values_mut() {
        bytes.retain(|byte| !byte.is_ascii_whitespace());
    }
    stripped
}

/// The text of a file; empty if there is no such file.
fn text_of<'t>(tree: &'t Tree, path: &str) -> Cow<'t, str> {
    tree.get(path)
        .map_or(Cow::Borrowed(""), |bytes| String::from_utf8_lossy(bytes))
}

/// A change of a file, by lines of the file before, counted from 0.
///
/// The lines from `start` to before `end` are replaced or removed. An insertion before any line
/// from `start` to `end` gives the same text, except for empty lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Change {
    start: usize,
    end: usize,
    is_insertion: bool,
}

impl Change {
    fn meets(self, other: Change) -> bool {
        if self.is_insertion || other.is_insertion {
            self.start <= other.end && other.start <= self.end
        } else {
            self.start < other.end && other.start < self.end
        }
    }
}

fn changes(before: &str, after: &str) -> Vec<Change> {
    let [old, new] = [before, after].map(|text| text.split_inclusive('\n').collect::<Vec<_>>());
    let mut changes = Vec::new();
    for op in TextDiff::from_slices(&old, &new).ops() {
        let Range { start, end } = op.old_range();
        match op.tag() {
            DiffTag::Equal => {}
            DiffTag::Insert => changes.push(insertion(&old, &new[op.new_range()], start)),
            DiffTag::Delete | DiffTag::Replace => changes.push(Change {
                start,
                end,
                is_insertion: false,
            }),
        }
    }
    changes
}

/// An insertion before the line `at`. A diff may find it some lines away: a block that is inserted
/// after a closing brace, and ends in one, might as well be inserted before that brace.
fn insertion(old: &[&str], new: &[&str], at: usize) -> Change {
    let mut start = at;
    let mut block = new.to_vec();
    while start > 0 && block.last() == Some(&old[start - 1]) {
        block.rotate_right(1);
        start -= 1;
    }
    while start > 0 && old[start - 1].trim().is_empty() {
        start -= 1;
    }

    let mut end = at;
    let mut block = new.to_vec();
    while end < old.len() && block.first() == Some(&old[end]) {
        block.rotate_left(1);
        end += 1;
    }
    while end < old.len() && old[end].trim().is_empty() {
        end += 1;
    }
    Change {
        start,
        end,
        is_insertion: true,
    }
}

#[cfg(test)]
mod tests {
    use super::Nearness::{Whitespace, WrongFile, WrongPlace, WrongText};
    use super::*;
    use crate::eval::tree::tree;

    const BEFORE: &str = "a = 1\nb = 2\n\nfn c {\n}\nfn d {\n}\n";

    /// How near `after` comes to the nearest of `right`.
    #[track_caller]
    fn check<const N: usize>(right: [&str; N], after: &str, expected: Nearness) {
        let right = right.map(|text| tree([("a.c", text)]));
        let [before, made] = [BEFORE, after].map(|text| tree([("a.c", text)]));
        assert_eq!(nearness(&before, &right, &made), expected, "{after}");
    }

    /// [`BEFORE`] with one text in place of another.
    fn with(old: &str, new: &str) -> String {
        assert!(BEFORE.contains(old));
        BEFORE.replacen(old, new, 1)
    }

    #[test]
    fn a_place_is_the_lines_that_change() {
        let right = with("b = 2", "b = 3");
        check([&right], &with("b = 2", "b = 4"), WrongText);
        check([&right], &with("b = 2", "b =  3"), Whitespace);
        check([&right], &with("a = 1", "a = 3"), WrongPlace);
        check([&right], &with("a = 1\nb = 2", "a = 3\nb = 3"), WrongText);
        // A line beside it that was to replace it.
        check([&right], &with("b = 2\n", "b = 2\nb = 3\n"), WrongText);
    }

    #[test]
    fn an_insertion_is_between_two_lines() {
        let right = with("b = 2", "x = 0\nb = 2");
        check([&right], &with("b = 2", "y = 0\nb = 2"), WrongText);
        // The wrong side of the anchor.
        check([&right], &with("b = 2", "b = 2\nx = 0"), WrongPlace);
        check([&right], &with("a = 1", "x = 0"), WrongText);
        check([&right], &with("fn d", "fn e"), WrongPlace);
    }

    #[test]
    fn neither_empty_lines_nor_equal_ones_move_an_insertion() {
        let right = with("b = 2\n", "b = 2\nx = 0\n");
        check([&right], &with("fn c {", "y = 0\nfn c {"), WrongText);
        // The inserted block ends as the lines above it do.
        let right = with("fn d", "fn e {\n}\nfn d");
        check([&right], &with("fn d", "let e\nfn d"), WrongText);
        check([&right], &with("fn d {\n}", "fn d {\n}\nlet e"), WrongPlace);
    }

    #[test]
    fn the_nearest_right_edit_counts() {
        let [first, second] = [with("a = 1", "a = 2"), with("b = 2", "b = 1")];
        check([&first, &second], &with("b = 2", "b = 9"), WrongText);
        check([&second, &first], &with("b = 2", "b = 9"), WrongText);
        check([&first, &second], &with("fn c", "fn e"), WrongPlace);
    }

    #[test]
    fn another_file_is_the_wrong_one() {
        let before = tree([("a.c", BEFORE)]);
        let right = [tree([("a.c", BEFORE), ("new.c", "x\n")])];
        let made = tree([("a.c", &with("a = 1", "a = 2"))]);
        assert_eq!(nearness(&before, &right, &made), WrongFile);
        let made = tree([("a.c", BEFORE), ("new.c", "y\n")]);
        assert_eq!(nearness(&before, &right, &made), WrongText);
    }
}
