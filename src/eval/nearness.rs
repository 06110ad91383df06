//! How near a wrong edit comes to a right one: the file, the place in it, the text.
//!
//! A place is told by lines of the file before. Two changes are at the same place if they change a
//! line that both have. An insertion changes none: its place is between two lines. It meets another
//! insertion there, and a change of either line.

use super::tree::{Tree, changed};
use similar::{DiffTag, TextDiff};

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
    let to = |right: &Tree| nearness_to(before, right, after);
    accepted.iter().map(to).max().unwrap_or(Nearness::WrongFile)
}

fn nearness_to(before: &Tree, right: &Tree, after: &Tree) -> Nearness {
    let meant = changed(before, right);
    let mut paths = changed(before, after);
    paths.retain(|path| meant.contains(path));
    if paths.is_empty() {
        Nearness::WrongFile
    } else if without_whitespace(right) == without_whitespace(after) {
        Nearness::Whitespace
    } else if paths
        .iter()
        .any(|path| is_same_place(path, before, right, after))
    {
        Nearness::WrongText
    } else {
        Nearness::WrongPlace
    }
}

fn without_whitespace(tree: &Tree) -> Vec<(&str, Vec<u8>)> {
    let stripped = |bytes: &Vec<u8>| {
        bytes
            .iter()
            .copied()
            .filter(|byte| !byte.is_ascii_whitespace())
            .collect()
    };
    tree.iter()
        .map(|(path, bytes)| (path.as_str(), stripped(bytes)))
        .collect()
}

/// Whether two versions of a file change it in a place that both have.
fn is_same_place(path: &str, before: &Tree, right: &Tree, after: &Tree) -> bool {
    let text = |tree: &Tree| {
        tree.get(path).map_or_else(String::new, |bytes| {
            String::from_utf8_lossy(bytes).into_owned()
        })
    };
    let before = text(before);
    let (meant, made) = (
        changes(&before, &text(right)),
        changes(&before, &text(after)),
    );
    made.iter()
        .any(|one| meant.iter().any(|other| one.meets(other)))
}

/// A change of a file, by lines of the file before, counted from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Change {
    /// The lines from `start` to before `end` are replaced or removed.
    Lines { start: usize, end: usize },
    /// Lines are inserted. The same text comes of it before every line from `first` to `last`, but
    /// for empty lines.
    Insertion { first: usize, last: usize },
}

impl Change {
    fn meets(&self, other: &Change) -> bool {
        match (*self, *other) {
            (
                Change::Lines { start, end },
                Change::Lines {
                    start: other_start,
                    end: other_end,
                },
            ) => start < other_end && other_start < end,
            (
                Change::Insertion {
                    first: start,
                    last: end,
                }
                | Change::Lines { start, end },
                Change::Insertion { first, last }
                | Change::Lines {
                    start: first,
                    end: last,
                },
            ) => start <= last && first <= end,
        }
    }
}

fn changes(before: &str, after: &str) -> Vec<Change> {
    let [old, new] = [before, after].map(|text| text.split_inclusive('\n').collect::<Vec<_>>());
    let diff = TextDiff::from_slices(&old, &new);
    let change = |op: &similar::DiffOp| match op.tag() {
        DiffTag::Equal => None,
        DiffTag::Insert => Some(insertion(&old, &new[op.new_range()], op.old_range().start)),
        DiffTag::Delete | DiffTag::Replace => Some(Change::Lines {
            start: op.old_range().start,
            end: op.old_range().end,
        }),
    };
    diff.ops().iter().filter_map(change).collect()
}

/// An insertion before the line `at`. A diff may find it some lines away: a block inserted after a
/// closing brace, which ends in one itself, is as well one inserted before that brace.
fn insertion(old: &[&str], new: &[&str], at: usize) -> Change {
    let (mut first, mut last) = (at, at);
    let mut block = new.to_vec();
    while first > 0 && block.last() == Some(&old[first - 1]) {
        block.rotate_right(1);
        first -= 1;
    }
    let mut block = new.to_vec();
    while last < old.len() && block.first() == Some(&old[last]) {
        block.rotate_left(1);
        last += 1;
    }
    let is_empty = |line: &str| line.trim().is_empty();
    while first > 0 && is_empty(old[first - 1]) {
        first -= 1;
    }
    while last < old.len() && is_empty(old[last]) {
        last += 1;
    }
    Change::Insertion { first, last }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BEFORE: &str = "a = 1\nb = 2\n\nfn c {\n}\nfn d {\n}\n";

    fn tree(text: &str) -> Tree {
        Tree::from([("a.c".to_owned(), text.as_bytes().to_vec())])
    }

    /// How near `after` comes to the nearest of `right`.
    #[track_caller]
    fn check(right: &[&str], after: &str, expected: Nearness) {
        let right: Vec<Tree> = right.iter().map(|text| tree(text)).collect();
        assert_eq!(
            nearness(&tree(BEFORE), &right, &tree(after)),
            expected,
            "{after}"
        );
    }

    /// [`BEFORE`] with one text in place of another.
    fn with(old: &str, new: &str) -> String {
        assert!(BEFORE.contains(old));
        BEFORE.replacen(old, new, 1)
    }

    #[test]
    fn a_place_is_the_lines_that_change() {
        let right = with("b = 2", "b = 3");
        check(&[&right], &with("b = 2", "b = 4"), Nearness::WrongText);
        check(&[&right], &with("b = 2", "b =  3"), Nearness::Whitespace);
        check(&[&right], &with("a = 1", "a = 3"), Nearness::WrongPlace);
        check(
            &[&right],
            &with("a = 1\nb = 2", "a = 3\nb = 3"),
            Nearness::WrongText,
        );
        // A line beside it that was to replace it.
        check(
            &[&right],
            &with("b = 2\n", "b = 2\nb = 3\n"),
            Nearness::WrongText,
        );
    }

    #[test]
    fn an_insertion_is_between_two_lines() {
        let right = with("b = 2", "x = 0\nb = 2");
        check(
            &[&right],
            &with("b = 2", "y = 0\nb = 2"),
            Nearness::WrongText,
        );
        // The wrong side of the anchor.
        check(
            &[&right],
            &with("b = 2", "b = 2\nx = 0"),
            Nearness::WrongPlace,
        );
        check(&[&right], &with("a = 1", "x = 0"), Nearness::WrongText);
        check(&[&right], &with("fn d", "fn e"), Nearness::WrongPlace);
    }

    #[test]
    fn neither_empty_lines_nor_equal_ones_move_an_insertion() {
        let right = with("b = 2\n", "b = 2\nx = 0\n");
        check(
            &[&right],
            &with("fn c {", "y = 0\nfn c {"),
            Nearness::WrongText,
        );
        // What is inserted ends as the lines above it do.
        let right = with("fn d", "fn e {\n}\nfn d");
        check(&[&right], &with("fn d", "let e\nfn d"), Nearness::WrongText);
        check(
            &[&right],
            &with("fn d {\n}", "fn d {\n}\nlet e"),
            Nearness::WrongPlace,
        );
    }

    #[test]
    fn the_nearest_right_edit_counts() {
        let [first, second] = [with("a = 1", "a = 2"), with("b = 2", "b = 1")];
        check(
            &[&first, &second],
            &with("b = 2", "b = 9"),
            Nearness::WrongText,
        );
        check(
            &[&second, &first],
            &with("b = 2", "b = 9"),
            Nearness::WrongText,
        );
        check(
            &[&first, &second],
            &with("fn c", "fn e"),
            Nearness::WrongPlace,
        );
    }

    #[test]
    fn another_file_is_the_wrong_one() {
        let mut right = tree(BEFORE);
        right.insert("new.c".to_owned(), b"x\n".to_vec());
        let made = tree(&with("a = 1", "a = 2"));
        let nearest = |after: &Tree| nearness(&tree(BEFORE), std::slice::from_ref(&right), after);
        assert_eq!(nearest(&made), Nearness::WrongFile);
        let mut other = tree(BEFORE);
        other.insert("new.c".to_owned(), b"y\n".to_vec());
        assert_eq!(nearest(&other), Nearness::WrongText);
    }
}
