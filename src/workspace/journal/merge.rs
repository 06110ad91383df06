//! Takes a change of a file back that was changed again since, if the later changes touch other
//! lines. Pure: from bytes to bytes.
//!
//! It is a merge of three texts. Their common origin is the file after the change to be taken back.
//! From there one way leads to the file before that change, the other to the file now. Where the two
//! ways change different lines, both are gone. They must not even meet where one of them inserts or
//! deletes only, since then it would be unclear which of two equal lines is meant.

use crate::text::line_diff::diff;
use similar::DiffTag;
use std::ops::Range;

/// Why a change of a file cannot be taken back: something later is in the way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Conflict {
    /// These lines of the file as it is now, counted from 0.
    Lines(Range<usize>),
    /// The whole file was made, removed or replaced by something else.
    File,
}

/// The content of a file without a change. `before` and `after` are its content on both sides of
/// the change, `now` is what it is now; `None` where there is no file.
pub(super) fn without(
    before: Option<&[u8]>,
    after: Option<&[u8]>,
    now: Option<&[u8]>,
) -> Result<Option<Vec<u8>>, Conflict> {
    if now == after || now == before {
        return Ok(before.map(<[u8]>::to_vec));
    }
    match (before, after, now) {
        (Some(before), Some(after), Some(now)) => merged(before, after, now).map(Some),
        (None, Some(after), Some(now)) => {
            // All lines of a new file are lines of the change.
            let later = hunks(&lines(after), &lines(now));
            Err(later
                .first()
                .map_or(Conflict::File, |hunk| Conflict::Lines(hunk.new.clone())))
        }
        _ => Err(Conflict::File),
    }
}

/// Lines that differ in two texts.
struct LineHunk {
    old: Range<usize>,
    new: Range<usize>,
}

impl LineHunk {
    fn exchanges(&self) -> bool {
        !self.old.is_empty() && !self.new.is_empty()
    }
}

fn lines(text: &[u8]) -> Vec<&[u8]> {
    text.split_inclusive(|byte| *byte == b'\n').collect()
}

fn hunks(old: &[&[u8]], new: &[&[u8]]) -> Vec<LineHunk> {
    let ops = diff(old, new).into_iter().map(|op| op.as_tag_tuple());
    // Changes that follow each other directly are one.
    let mut hunks: Vec<LineHunk> = Vec::new();
    for (_, old, new) in ops.filter(|(tag, ..)| *tag != DiffTag::Equal) {
        match hunks.last_mut() {
            Some(last) if last.old.end == old.start && last.new.end == new.start => {
                (last.old.end, last.new.end) = (old.end, new.end);
            }
            _ => hunks.push(LineHunk { old, new }),
        }
    }
    hunks
}

fn merged(before: &[u8], after: &[u8], now: &[u8]) -> Result<Vec<u8>, Conflict> {
    let (before, after, now) = (lines(before), lines(after), lines(now));
    let (back, later) = (hunks(&after, &before), hunks(&after, &now));
    // Which lines of `now` become which lines of `before`.
    let mut changes: Vec<(Range<usize>, Range<usize>)> = Vec::new();
    let mut n_above = 0;
    for hunk in &back {
        // The later changes above this one move it.
        n_above += later[n_above..]
            .iter()
            .take_while(|later| later.old.end < hunk.old.start)
            .count();
        let mut at = n_above;
        let moved = |at: usize| match at.checked_sub(1).map(|above| &later[above]) {
            Some(above) => above.new.end + (hunk.old.start - above.old.end),
            None => hunk.old.start,
        };
        let mut is_done = false;
        while let Some(other) = later
            .get(at)
            .filter(|other| other.old.start <= hunk.old.end)
        {
            let is_apart = hunk.old.end <= other.old.start || other.old.end <= hunk.old.start;
            if other.old == hunk.old && now[other.new.clone()] == before[hunk.new.clone()] {
                is_done = true;
            } else if !(is_apart && hunk.exchanges() && other.exchanges()) {
                return Err(Conflict::Lines(other.new.clone()));
            } else if other.old.start >= hunk.old.end {
                break;
            }
            at += 1;
        }
        if !is_done {
            let start = moved(at);
            changes.push((start..start + hunk.old.len(), hunk.new.clone()));
        }
    }
    let (mut text, mut end) = (Vec::new(), 0);
    for (old, new) in changes {
        text.extend(now[end..old.start].concat());
        text.extend(before[new].concat());
        end = old.end;
    }
    text.extend(now[end..].concat());
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[track_caller]
    fn check(before: &str, after: &str, now: &str, expected: &str) {
        let [before, after, now] = [before, after, now].map(|text| Some(text.as_bytes()));
        let found =
            without(before, after, now).map(|text| String::from_utf8(text.unwrap()).unwrap());
        assert_eq!(found, Ok(expected.to_owned()));
    }

    #[track_caller]
    fn check_conflict(before: &str, after: &str, now: &str, lines: Range<usize>) {
        let [before, after, now] = [before, after, now].map(|text| Some(text.as_bytes()));
        assert_eq!(without(before, after, now), Err(Conflict::Lines(lines)));
    }

    #[test]
    fn later_changes_of_other_lines_stay() {
        check("a\nb\nc\n", "a\nB\nc\n", "a\nB\nC\n", "a\nb\nC\n");
        check("a\nb\nc\n", "A\nb\nc\n", "A\nB\nc\n", "a\nB\nc\n");
        check(
            "a\nb\nc\nd\n",
            "a\nB\nc\nd\n",
            "x\ny\na\nB\nc\n",
            "x\ny\na\nb\nc\n",
        );
        check(
            "a\nb\nc\nd\n",
            "a\nb\nc\nX\nd\n",
            "b\nc\nX\nd\n",
            "b\nc\nd\n",
        );
        check("a\nb\nc\nd\n", "a\nd\n", "x\na\nd\ny", "x\na\nb\nc\nd\ny");
        check(
            "a\nb\nc\nd\ne\n",
            "A\nb\nc\nd\nE\n",
            "A\nb\nX\nd\nE\n",
            "a\nb\nX\nd\ne\n",
        );
        check("a\r\nb", "a\r\nB", "A\r\nB", "A\r\nb");
    }

    #[test]
    fn what_was_taken_back_already_stays_so() {
        check("a\nb\n", "a\nB\n", "a\nb\n", "a\nb\n");
        check(
            "a\nb\nc\nd\n",
            "A\nb\nc\nD\n",
            "a\nb\nc\nD\n",
            "a\nb\nc\nd\n",
        );
    }

    #[test]
    fn later_changes_of_the_same_lines_are_in_the_way() {
        check_conflict("a\nb\nc\n", "a\nB\nc\n", "a\nBB\nc\n", 1..2);
        check_conflict("a\nb\nc\n", "a\nB\nc\n", "x\na\nc\n", 2..2);
        check_conflict("a\nb\nc\nd\n", "a\nB\nC\nd\n", "a\nB\nX\nd\n", 2..3);
        // Right above or below it, and one of the two only inserts or deletes.
        check_conflict("a\nb\n", "a\nB\n", "a\nB\nc\n", 2..3);
        check_conflict("a\nb\n", "a\nX\nb\n", "a\nX\nY\nb\n", 2..3);
    }

    #[test]
    fn files_that_came_or_went() {
        let some = |text: &'static str| Some(text.as_bytes());
        let text = |text: &str| Ok(Some(text.as_bytes().to_vec()));
        assert_eq!(without(None, some("a\n"), some("a\n")), Ok(None));
        assert_eq!(without(None, some("a\n"), None), Ok(None));
        assert_eq!(without(some("a\n"), None, None), text("a\n"));
        assert_eq!(without(some("a\n"), None, some("b\n")), Err(Conflict::File));
        assert_eq!(without(some("a\n"), some("b\n"), None), Err(Conflict::File));
        assert_eq!(
            without(None, some("a\n"), some("a\nb\n")),
            Err(Conflict::Lines(1..2))
        );
    }

    /// Lines that are all different, so that each has one place.
    fn numbered(lines: &[usize]) -> String {
        lines.iter().map(|line| format!("{line}\n")).collect()
    }

    proptest! {
        /// Two changes of lines that are at least one line apart, made in either order: without the
        /// first one, only the second is left.
        #[test]
        fn apart_is_apart(
            n in 6usize..14,
            at in 1usize..4,
            gap in 1usize..4,
            first in prop::collection::vec(100usize..200, 0..4),
            second in prop::collection::vec(200usize..300, 0..4),
            is_first_above in any::<bool>(),
        ) {
            let lines: Vec<usize> = (0..n).collect();
            let other = at + 1 + gap;
            let change = |lines: &[usize], at: usize, new: &[usize]| {
                let at = lines.iter().position(|line| *line == at).unwrap_or(lines.len());
                let end = (at + 1).min(lines.len());
                [&lines[..at], new, &lines[end..]].concat()
            };
            prop_assume!(other < n);
            let (mine, theirs) = if is_first_above { (at, other) } else { (other, at) };
            let after = change(&lines, mine, &first);
            let now = change(&after, theirs, &second);
            let expected = change(&lines, theirs, &second);
            let [before, after, now] = [numbered(&lines), numbered(&after), numbered(&now)];
            let found = without(
                Some(before.as_bytes()),
                Some(after.as_bytes()),
                Some(now.as_bytes()),
            );
            prop_assert_eq!(found, Ok(Some(numbered(&expected).into_bytes())));
        }

        #[test]
        fn never_panics(
            before in "[ab\n]{0,12}",
            after in "[ab\n]{0,12}",
            now in "[ab\n]{0,12}",
        ) {
            let _ = without(
                Some(before.as_bytes()),
                Some(after.as_bytes()),
                Some(now.as_bytes()),
            );
        }
    }
}
