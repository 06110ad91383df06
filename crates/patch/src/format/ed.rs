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
    matches!(ScriptReader::read(&diff::lines(text)), Ok(commands) if !commands.is_empty())
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
    } in ScriptReader::read(&lines)?
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
        file_edits.push(FileEdit::unnamed(at + 1, Action::Lines(edit)));
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

/// Where the last change ended, for the text of a line that is a single dot.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Dots {
    /// Not at a line `..`.
    No,
    /// The last line of the change is `..`, which `s/.//` makes a dot.
    Last,
    /// That line has lost its first dot, so that `a` without an address continues there.
    Shortened,
}

/// Reads the commands of a script, in the order in which they are written.
struct ScriptReader<'a> {
    lines: &'a [&'a str],
    at: usize,
    dots: Dots,
    commands: Vec<EdCommand>,
}

impl ScriptReader<'_> {
    fn read(lines: &[&str]) -> Result<Vec<EdCommand>, FormatError> {
        let range = diff::unfenced(lines);
        let mut reader = ScriptReader {
            lines: &lines[..range.end],
            at: range.start,
            dots: Dots::No,
            commands: Vec::new(),
        };
        while !reader.is_at_end()? {
            reader.command()?;
        }
        Ok(reader.commands)
    }

    /// Whether only blank lines, or `w` and `q`, are left.
    fn is_at_end(&self) -> Result<bool, FormatError> {
        let mut rest = self.lines[self.at..].iter();
        let Some(line) = rest.clone().next() else {
            return Ok(true);
        };
        let line = line.trim_end();
        if !matches!(line, "w" | "q" | "wq") {
            return Ok(rest.all(|line| line.trim().is_empty()));
        }
        if rest
            .skip(1)
            .all(|line| line.trim().is_empty() || *line == "q")
        {
            return Ok(true);
        }
        let message = format!("commands follow `{line}`, expected it at the end");
        Err(FormatError::at(self.at + 1, message))
    }

    fn command(&mut self) -> Result<(), FormatError> {
        let line = self.lines[self.at].trim_end();
        let dots = std::mem::replace(&mut self.dots, Dots::No);
        if line == "s/.//" && dots == Dots::Last {
            if let Some(last) = self.new_lines().last_mut() {
                last.pop();
            }
            self.dots = Dots::Shortened;
            self.at += 1;
            return Ok(());
        }
        if line == "a" && dots == Dots::Shortened {
            return self.text();
        }

        let Some((first, last, letter)) = command(line) else {
            let message = format!(
                "{} is not a command that diff -e prints, expected one as `5,7c`, `3a` or `2d`; no \
                 other is executed",
                quoted(line)
            );
            return Err(FormatError::at(self.at + 1, message));
        };
        let n_deleted = if letter == 'a' { 0 } else { last - first + 1 };
        self.commands.push(EdCommand {
            at: self.at,
            first,
            last,
            edit: LineEdit {
                line: first,
                n_deleted,
                new: Vec::new(),
            },
        });
        if letter != 'd' {
            return self.text();
        }
        self.at += 1;
        Ok(())
    }

    /// Reads the text below a command, up to a line with a single dot.
    fn text(&mut self) -> Result<(), FormatError> {
        let below = &self.lines[self.at + 1..];
        let Some(n_lines) = below.iter().position(|line| *line == ".") else {
            let message = format!(
                "the text of `{}` has no end, expected a line with a single dot",
                self.lines[self.at].trim_end()
            );
            return Err(FormatError::at(self.at + 1, message));
        };
        let text = &below[..n_lines];
        if text.last() == Some(&"..") {
            self.dots = Dots::Last;
        }
        let text = text.iter().map(|line| (*line).to_owned());
        self.new_lines().extend(text);
        self.at += n_lines + 2;
        Ok(())
    }

    /// The new lines of the last change.
    fn new_lines(&mut self) -> &mut Vec<String> {
        let last = self.commands.last_mut().expect("a change was read before");
        &mut last.edit.new
    }
}

/// The first line, the last line, and the letter of a command.
fn command(text: &str) -> Option<(usize, usize, char)> {
    let letter = text
        .chars()
        .next_back()
        .filter(|letter| matches!(letter, 'a' | 'c' | 'd'))?;
    let addresses = &text[..text.len() - 1];
    let (first, last) = diff::range(addresses)?;
    let is_too_many = letter == 'a' && addresses.contains(',');
    (!is_too_many && first <= last && (letter == 'a' || first > 0) && last < usize::MAX)
        .then_some((first, last, letter))
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
}
