//! RCS diffs, as `diff -n` prints them. They change lines by their numbers in the original file,
//! from top to bottom. They name no file, and do not give the old lines.
//!
//! ```text
//! patch  := change*                      in one code fence or none, blank lines around it
//! change := "d" LINE " " COUNT           so many lines go, from this one on
//!         | "a" LINE " " COUNT text      so many lines come after this one
//! text   := COUNT lines, whatever they are
//! ```

use super::diff;
use super::patch::{Action, FileEdit, FormatError, LineEdit, quoted};

/// Whether a text has the marks of this format: all of it must be changes.
pub(super) fn is_in(text: &str) -> bool {
    matches!(commands(&diff::lines(text)), Ok(commands) if !commands.is_empty())
}

/// Reads an RCS diff.
pub(super) fn parse(text: &str) -> Result<Vec<FileEdit>, FormatError> {
    let lines = diff::lines(text);
    let mut edits: Vec<(usize, LineEdit)> = Vec::new();
    let mut order = diff::TopDown::default();
    for RcsCommand { at, edit } in commands(&lines)? {
        if !order.takes(edit.line, edit.n_deleted) {
            let message = format!(
                "{} is not below the change before it, expected them from top to bottom",
                quoted(lines[at])
            );
            return Err(FormatError::at(at + 1, message));
        }
        // A deletion and an insertion at the same place are one change.
        if let Some((_, before)) = edits.last_mut()
            && edit.n_deleted == 0
            && before.n_deleted > 0
            && before.line + before.n_deleted == edit.line + 1
        {
            before.new = edit.new;
        } else {
            edits.push((at + 1, edit));
        }
    }
    let edits = edits.into_iter();
    Ok(edits
        .map(|(line, edit)| FileEdit::unnamed(line, Action::Lines(edit)))
        .collect())
}

/// One command: an insertion, or a deletion without new lines.
struct RcsCommand {
    /// Its index among the lines of the text.
    at: usize,
    edit: LineEdit,
}

/// Reads the commands of a text, in the order in which they are written.
fn commands(lines: &[&str]) -> Result<Vec<RcsCommand>, FormatError> {
    let range = diff::unfenced(lines);
    let lines = &lines[..range.end];
    let mut commands = Vec::new();
    let mut at = range.start;
    while lines[at..].iter().any(|line| !line.trim().is_empty()) {
        let Some((is_addition, line, count)) = command(lines[at]) else {
            let message = format!(
                "expected a change as `d3 2` or `a5 1` instead of {}",
                quoted(lines[at])
            );
            return Err(FormatError::at(at + 1, message));
        };
        let mut edit = LineEdit {
            line,
            n_deleted: if is_addition { 0 } else { count },
            new: Vec::new(),
        };
        let below = &lines[at + 1..];
        if is_addition {
            let Some(new) = below.get(..count) else {
                let message = format!(
                    "{} is to be followed by {count} lines, but {} follow",
                    quoted(lines[at]),
                    below.len()
                );
                return Err(FormatError::at(at + 1, message));
            };
            edit.new.extend(new.iter().map(|line| (*line).to_owned()));
        }

        let n_new = edit.new.len();
        commands.push(RcsCommand { at, edit });
        at += 1 + n_new;
    }
    Ok(commands)
}

/// Whether a command inserts, its line, and its number of lines.
fn command(text: &str) -> Option<(bool, usize, usize)> {
    let is_addition = text.starts_with('a');
    let (line, count) = text.strip_prefix(['a', 'd'])?.split_once(' ')?;
    let (line, count) = (diff::number(line)?, diff::number(count)?);
    line.checked_add(count)?;
    (count > 0 && (is_addition || line > 0)).then_some((is_addition, line, count))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::testing::{self, real_diffs};

    fn check(text: &str, expected: &[(usize, usize, &[&str])]) {
        assert!(is_in(text), "{text:?}");
        testing::is_read_as_lines(parse, text, expected);
    }

    fn reject(text: &str, message: &str) {
        testing::is_rejected(parse, text, message);
    }

    #[test]
    fn accepts() {
        check("d3 2\n", &[(3, 2, &[])]);
        check("a0 1\na1 2\n", &[(0, 0, &["a1 2"])]);
        check("d4 2\na5 1\nx\n", &[(4, 2, &["x"])]);
        check("d4 2\na6 1\nx\n", &[(4, 2, &[]), (6, 0, &["x"])]);
        check("a3 1\nx\nd4 1\n", &[(3, 0, &["x"]), (4, 1, &[])]);
        check("\n```\na1 2\r\nx\r\n\r\n```\n\n", &[(1, 0, &["x", ""])]);
        check("a1 2\nx\n\n", &[(1, 0, &["x", ""])]);
    }

    #[test]
    fn rejects() {
        reject(
            "a1 2\nx\n",
            "line 1: `a1 2` is to be followed by 2 lines, but 1 follow",
        );
        reject("d1 1\nhello\n", "line 2: expected a change as");
        reject("d5 1\nd4 1\n", "line 2: `d4 1` is not below");
        reject("d5 3\na6 1\nx\n", "line 2: `a6 1` is not below");
        reject("a5 1\nx\na5 1\ny\n", "line 3: `a5 1` is not below");
        reject("d2 1\na2 1\nx\na2 1\ny\n", "line 4: `a2 1` is not below");
        reject("d18446744073709551615 2\n", "line 1: expected a change as");
        reject(
            "a1 18446744073709551614\n",
            "line 1: `a1 18446744073709551614` is to be followed",
        );
        for text in ["d0 1\n", "d1 0\n", "a+1 1\nx\n", "d1\n", "d1  2\n"] {
            reject(text, "line 1: expected a change as");
        }
    }

    #[test]
    fn other_text_is_not_taken_for_it() {
        for text in [
            "",
            "a1 2\n",
            "see\nd3 2\n",
            "d3 2\nis said\n",
            "a5 1\nx\ny\n",
            "d3 2 x",
        ] {
            assert!(!is_in(text), "{text:?}");
        }
    }

    #[test]
    fn the_same_as_diff() {
        real_diffs("diff", &["-n"], None, parse);
    }
}
