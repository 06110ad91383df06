//! ed scripts, as `diff -e` prints them. They change lines by number, from bottom to top, so that
//! the numbers are those of the original file. They name no file, and do not give the old lines. No
//! other command of ed is read, and none is ever executed: ed's commands can run programs and write
//! any file.
//!
//! ```text
//! script := change* ["w"] ["q"] | change* ["wq"]      in one code fence or none
//! change := LINE ["," LINE] "d"                       these lines go
//!         | LINE ["," LINE] "c" text                  these lines become the text
//!         | LINE "a" text                             the text comes after this line
//! text   := line* "." (dots "a" line* ".")* [dots]    no line is a single dot:
//! dots   := "s/.//"                                   the last line, "..", loses its first dot
//! ```

use super::diff;
use super::patch::{Action, FileEdit, FormatError, LineEdit, quoted};

/// Whether a text has the marks of this format: all of it must be commands and their texts.
pub(super) fn is_in(text: &str) -> bool {
    matches!(commands(&diff::lines(text)), Ok(commands) if !commands.is_empty())
}

/// Reads an ed script. The edits are returned in file order.
pub(super) fn parse(text: &str) -> Result<Vec<FileEdit>, FormatError> {
    let lines = diff::lines(text);
    let mut file_edits: Vec<FileEdit> = Vec::new();
    let mut above = usize::MAX;
    for EdCommand {
        at,
        first,
        last,
        edit,
    } in commands(&lines)?
    {
        if last >= above {
            let message = format!(
                "{} is not above the change before it, expected them from bottom to top as diff \
                    -e prints them",
                quoted(lines[at])
            );
            return Err(FormatError::at(at + 1, message));
        }
        above = first;
        file_edits.push(FileEdit {
            path: None,
            line: at + 1,
            action: Action::Lines(edit),
        });
    }
    file_edits.reverse();
    Ok(file_edits)
}

/// One command and its text.
struct EdCommand {
    /// Its index among the lines of the script.
    at: usize,
    /// The first line that it addresses.
    first: usize,
    last: usize,
    edit: LineEdit,
}

/// Reads the commands of a script, in the order in which they are written.
fn commands(lines: &[&str]) -> Result<Vec<EdCommand>, FormatError> {
    let range = diff::unfenced(lines);
    let mut commands: Vec<EdCommand> = Vec::new();
    let mut at = range.start;
    // Whether the current line is the last one of the last change, and is `..`.
    let mut is_at_dots = false;
    // Whether that line lost its first dot, so that `a` without an address continues there.
    let mut goes_on = false;
    while at < range.end {
        let line = lines[at].trim_end();
        if line.is_empty()
            && lines[at..range.end]
                .iter()
                .all(|line| line.trim().is_empty())
        {
            break;
        }
        if matches!(line, "w" | "q" | "wq") {
            let is_end = |line: &&str| line.trim().is_empty() || *line == "q";
            if lines[at + 1..range.end].iter().all(is_end) {
                break;
            }
            return Err(FormatError::at(
                at + 1,
                format!("commands follow `{line}`, expected it at the end"),
            ));
        }
        if line == "s/.//" && is_at_dots {
            if let Some(last) = commands
                .last_mut()
                .and_then(|command| command.edit.new.last_mut())
            {
                last.pop();
            }
            (is_at_dots, goes_on) = (false, true);
            at += 1;
            continue;
        }
        let is_text = if line == "a" && goes_on {
            true
        } else {
            let Some((first, last, letter)) = command(line) else {
                let message = format!(
                    "{} is not a command that diff -e prints, expected one as `5,7c`, `3a` or \
                        `2d`; no other is executed",
                    quoted(line)
                );
                return Err(FormatError::at(at + 1, message));
            };
            let n_deleted = if letter == 'a' { 0 } else { last - first + 1 };
            commands.push(EdCommand {
                at,
                first,
                last,
                edit: LineEdit {
                    line: first,
                    n_deleted,
                    new: Vec::new(),
                },
            });
            letter != 'd'
        };
        (is_at_dots, goes_on) = (false, false);
        at += 1;
        if is_text {
            let Some(n_lines) = lines[at..range.end].iter().position(|line| *line == ".") else {
                return Err(FormatError::at(
                    at,
                    format!("the text of `{line}` has no end, expected a line with a single dot"),
                ));
            };
            let text = &lines[at..at + n_lines];
            is_at_dots = text.last() == Some(&"..");
            if let Some(command) = commands.last_mut() {
                command
                    .edit
                    .new
                    .extend(text.iter().map(|line| (*line).to_owned()));
            }
            at += n_lines + 1;
        }
    }
    Ok(commands)
}

/// The first line, the last line, and the letter of a command.
fn command(text: &str) -> Option<(usize, usize, char)> {
    let letter = text
        .chars()
        .next_back()
        .filter(|letter| matches!(letter, 'a' | 'c' | 'd'))?;
    let addresses = &text[..text.len() - 1];
    let (first, last) = match addresses.split_once(',') {
        Some((first, last)) if letter != 'a' => (diff::number(first)?, diff::number(last)?),
        Some(_) => return None,
        None => (diff::number(addresses)?, diff::number(addresses)?),
    };
    (first <= last && (letter == 'a' || first > 0) && last < usize::MAX)
        .then_some((first, last, letter))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::testing::{self, real_diffs};
    use proptest::prelude::*;

    /// Checks each change: its line, the number of deleted lines, and the new lines.
    fn check(text: &str, expected: &[(usize, usize, &[&str])]) {
        assert!(is_in(text), "{text:?}");
        let file_edits = parse(text).unwrap_or_else(|error| panic!("{text:?}: {error}"));
        let actual: Vec<(usize, usize, Vec<&str>)> = file_edits
            .iter()
            .map(|file_edit| match &file_edit.action {
                Action::Lines(edit) => (
                    edit.line,
                    edit.n_deleted,
                    edit.new.iter().map(String::as_str).collect(),
                ),
                other => panic!("{other:?}"),
            })
            .collect();
        let expected: Vec<_> = expected
            .iter()
            .map(|&(line, n_deleted, new)| (line, n_deleted, new.to_vec()))
            .collect();
        assert_eq!(actual, expected, "{text:?}");
    }

    fn reject(text: &str, message: &str) {
        let error = parse(text).expect_err(text).to_string();
        assert!(error.starts_with(message), "{text:?}: {error}");
    }

    #[test]
    fn accepts() {
        check("3d\n", &[(3, 1, &[])]);
        check(
            "9a\nx\n\n.\n4,5c\ny\n.\n1,2d\n",
            &[(1, 2, &[]), (4, 2, &["y"]), (9, 0, &["x", ""])],
        );
        check(
            "\n```ed\r\n0a\r\n3d\r\n.\r\nw\r\nq\r\n```\r\n",
            &[(0, 0, &["3d"])],
        );
        check("1d\nwq\n\n", &[(1, 1, &[])]);
        check("2c\n.\n", &[(2, 1, &[])]);
    }

    #[test]
    fn dots() {
        check("2c\n..\n.\ns/.//\n", &[(2, 1, &["."])]);
        check(
            "2c\n..\n.\ns/.//\na\nx\n..\n.\ns/.//\na\ny\n.\n1d\n",
            &[(1, 1, &[]), (2, 1, &[".", "x", ".", "y"])],
        );
        check("2c\n..\n.\n", &[(2, 1, &[".."])]);
        reject("2c\nx\n.\ns/.//\n", "line 4: `s/.//` is not a command");
        reject(
            "2c\n..\n.\ns/.//\ns/.//\n",
            "line 5: `s/.//` is not a command",
        );
        reject("2c\nx\n.\na\ny\n.\n", "line 4: `a` is not a command");
    }

    #[test]
    fn rejects() {
        reject("1d\n3d\n", "line 2: `3d` is not above");
        reject("3,5d\n3a\nx\n.\n", "line 2: `3a` is not above");
        reject("3a\nx\n.\n3a\ny\n.\n", "line 4: `3a` is not above");
        reject("3a\nx\n", "line 1: the text of `3a` has no end");
        reject("w\n1d\n", "line 1: commands follow `w`");
        for text in [
            "!ls", "1,$d", "$a", ".d", "3,1d", "0d", "0c", "1,2a", "e x", "r !ls", "w x", "g/a/d",
            "1i", "+1d", "1s/.//", "a", "hello",
        ] {
            reject(text, &format!("line 1: `{text}` is not a command"));
        }
        reject("18446744073709551615d", "line 1: ");
    }

    #[test]
    fn other_text_is_not_taken_for_it() {
        for text in [
            "",
            "w\n",
            "see\n3d\n",
            "3d\nis said\n",
            "3a\nx\n",
            "1d printer",
            "2d, 3d",
        ] {
            assert!(!is_in(text), "{text:?}");
        }
    }

    #[test]
    fn the_same_as_diff() {
        real_diffs("diff", &["-e"], None, parse);
    }

    proptest! {
        #[test]
        fn never_panics(text in testing::junk(&[
            "1a\n", "5c\n", "3d\n", "1,2d\n", "a\n", ".\n", "..\n", "s/.//\n", "w\n", "q\n",
            "x\n", "```\n",
            "18446744073709551615d\n", "1,18446744073709551614c\n", "18446744073709551614a\n",
        ])) {
            let _ = (is_in(&text), parse(&text));
        }
    }
}
