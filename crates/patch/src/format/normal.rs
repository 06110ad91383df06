//! Normal diffs, which `diff` prints without options: changed lines only. They do not name files,
//! but CVS, Subversion and `diff -r` put lines with names between the files.
//!
//! ```text
//! patch  := (name | hunk)*                  in one code fence or none, blank lines around it
//! name   := "Index: " NAME | "diff " option* NAME NAME
//!         | a line that says nothing here ("Only in", "=====")
//! hunk   := LINE "a" RANGE new              new lines come after this one
//!         | RANGE "d" LINE old              old lines go
//!         | RANGE "c" RANGE old "---" new   old lines become new ones
//! old    := ("< " line)+ [no-newline]       as many as their range says
//! new    := ("> " line)+ [no-newline]
//! RANGE  := LINE ["," LINE]
//! ```

use super::diff::{self, DiffFile, DiffSide, NoNewline};
use super::patch::{FileEdit, FormatError, quoted};
use crate::hunk::{Hunk, HunkLine, Tag};

/// Whether a text has the marks of this format. All of its lines must, and one must announce a
/// change.
pub(super) fn is_in(text: &str) -> bool {
    let lines = diff::lines(text);
    let lines = &lines[diff::unfenced(&lines)];
    let mut pairs = lines.windows(2);
    pairs.any(|pair| command(pair[0]).is_some() && is_old_or_new(pair[1]))
        && lines.iter().all(|line| is_mark(line))
}

fn is_mark(line: &str) -> bool {
    is_old_or_new(line)
        || matches!(line, "---" | "")
        || diff::is_newline_mark(line)
        || is_name(line)
        || command(line).is_some()
}

/// Reads a normal diff.
pub(super) fn parse(text: &str) -> Result<Vec<FileEdit>, FormatError> {
    let lines = diff::lines(text);
    let range = diff::unfenced(&lines);
    let mut parser = NormalParser {
        lines: &lines[..range.end],
        at: range.start,
    };
    let mut file_edits = Vec::new();
    let mut file = DiffFile::unnamed(0);
    let mut is_indexed = false;

    while let Some(&line) = parser.lines.get(parser.at) {
        if let Some(command) = command(line) {
            let line = parser.at + 1;
            let hunk = parser.hunk(&command)?;
            file.push(line, hunk);
            is_indexed = false;
        } else if is_name(line) {
            // The command below an `Index:` line names the same file again.
            let names = if is_indexed {
                None
            } else {
                names(line).map_err(|message| FormatError::at(parser.at + 1, message))?
            };
            if let Some((old, new)) = names {
                let next = DiffFile::new(parser.at + 1, old, new);
                file_edits.extend(std::mem::replace(&mut file, next).file_edits()?);
                is_indexed = line.starts_with(INDEX);
            }
            parser.at += 1;
        } else if line.trim().is_empty() {
            parser.at += 1;
        } else {
            let message = format!(
                "expected a change as `5,7c8,9`, `3a4` or `2d1` instead of {}",
                quoted(line)
            );
            return Err(FormatError::at(parser.at + 1, message));
        }
    }
    file_edits.extend(file.file_edits()?);
    Ok(file_edits)
}

const INDEX: &str = "Index: ";

/// Lines between files that have no meaning here.
const SILENT: [&str; 5] = [
    "=====",
    "Only in ",
    "Common subdirectories: ",
    "RCS file: ",
    "retrieving revision ",
];

fn is_name(line: &str) -> bool {
    line.starts_with(INDEX)
        || line.starts_with("diff ")
        || SILENT.iter().any(|mark| line.starts_with(mark))
}

/// The names in a line between files; `None` if the line has no meaning here.
fn names(line: &str) -> Result<Option<(DiffSide, DiffSide)>, String> {
    if let Some(name) = line.strip_prefix(INDEX) {
        return diff::sides(name, name, Some(false)).map(Some);
    }
    let Some(arguments) = line.strip_prefix("diff ") else {
        return Ok(None);
    };
    let words = words(arguments)?;
    let operands: Vec<&String> = words.iter().filter(|word| !word.starts_with('-')).collect();
    match (words.as_slice(), operands.as_slice()) {
        // The value of an option may come before the last two words.
        ([.., old, new], [.., a, b]) if old == *a && new == *b => {
            let (old, new) = diff::without_prefixes(old, new);
            Ok(Some((
                DiffSide::Named(old.to_owned()),
                DiffSide::Named(new.to_owned()),
            )))
        }
        _ => Err(format!(
            "cannot tell which files {} compares, expected it to end with two names",
            quoted(line)
        )),
    }
}

/// Splits a command into words. `diff -r` quotes names with spaces as for a shell, and others as in C.
///
/// # Errors
/// What is wrong with a quoted name.
fn words(text: &str) -> Result<Vec<String>, String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let (part, after) = match c {
            ' ' | '\t' => {
                words.extend(word.take());
                rest = &rest[1..];
                continue;
            }
            '"' => diff::unquoted(rest)?,
            '\'' => {
                let (quoted, after) = rest[1..].split_once('\'').unwrap_or((&rest[1..], ""));
                (quoted.to_owned(), after)
            }
            c => (c.to_string(), &rest[c.len_utf8()..]),
        };
        word.get_or_insert_default().push_str(&part);
        rest = after;
    }
    words.extend(word);
    Ok(words)
}

/// The line that announces a change: a letter between the line ranges before and after.
struct NormalCommand {
    letter: char,
    old: (usize, usize),
    new: (usize, usize),
}

fn command(line: &str) -> Option<NormalCommand> {
    let (old, new) = line.split_once(['a', 'c', 'd'])?;
    let command = NormalCommand {
        letter: line[old.len()..].chars().next()?,
        old: line_range(old)?,
        new: line_range(new)?,
    };
    let fits = match command.letter {
        'a' => command.old.0 == command.old.1 && command.new.0 > 0,
        'd' => command.new.0 == command.new.1 && command.old.0 > 0,
        _ => command.old.0 > 0 && command.new.0 > 0,
    };
    fits.then_some(command)
}

fn line_range(text: &str) -> Option<(usize, usize)> {
    diff::range(text).filter(|(first, last)| first <= last && *last < usize::MAX)
}

/// Whether a line is an old or a new line, as `sign` says.
fn is_changed(line: &str, sign: u8) -> bool {
    line.as_bytes().first() == Some(&sign) && matches!(line.as_bytes().get(1), None | Some(b' '))
}

fn is_old_or_new(line: &str) -> bool {
    is_changed(line, b'<') || is_changed(line, b'>')
}

struct NormalParser<'a> {
    lines: &'a [&'a str],
    at: usize,
}

impl NormalParser<'_> {
    fn hunk(&mut self, command: &NormalCommand) -> Result<Hunk, FormatError> {
        let start = self.at;
        self.at += 1;
        let mut lines = Vec::new();
        let mut no_newline = NoNewline::default();
        if command.letter != 'a' {
            no_newline.before = self.changed(start, command.old, Tag::Delete, &mut lines)?;
        }
        if command.letter == 'c' {
            if self.lines.get(self.at) != Some(&"---") {
                let message = format!(
                    "expected --- between the old and the new lines of {}",
                    quoted(self.lines[start])
                );
                return Err(FormatError::at(self.at + 1, message));
            }
            self.at += 1;
        }
        if command.letter != 'd' {
            no_newline.after = self.changed(start, command.new, Tag::Insert, &mut lines)?;
        }

        // For an insertion, the number is that of the line before.
        let line = command.old.0 + usize::from(command.letter == 'a');
        Ok(diff::hunk(lines, Some(line), no_newline))
    }

    /// Reads the old or the new lines. Returns whether the last one lacks a newline.
    fn changed(
        &mut self,
        start: usize,
        (first, last): (usize, usize),
        tag: Tag,
        lines: &mut Vec<HunkLine>,
    ) -> Result<bool, FormatError> {
        let sign = if tag == Tag::Delete { b'<' } else { b'>' };
        let mut n_found = 0;
        while let Some(line) = self.lines.get(self.at + n_found)
            && is_changed(line, sign)
        {
            let text = line.get(2..).unwrap_or_default().to_owned();
            lines.push(HunkLine { tag, text });
            n_found += 1;
        }
        let n_announced = last - first + 1;
        if n_found != n_announced {
            // A tool made the diff, and tools count correctly, so a part is missing.
            let message = format!(
                "{} announces {n_announced} lines that begin with {}, but {n_found} follow",
                quoted(self.lines[start]),
                char::from(sign)
            );
            return Err(FormatError::at(start + 1, message));
        }

        self.at += n_found;
        let mark = self.lines.get(self.at);
        let is_missing = mark.is_some_and(|line| diff::is_newline_mark(line));
        self.at += usize::from(is_missing);
        Ok(is_missing)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::testing::{self, real_diffs};

    fn check(text: &str, expected: &[&str]) {
        assert!(is_in(text), "{text:?}");
        testing::is_read(parse, text, expected);
    }

    fn reject(text: &str, message: &str) {
        testing::is_rejected(parse, text, message);
    }

    #[test]
    fn accepts() {
        check("2c2,3\n< a\n---\n> b\n> c\n", &["-: @2 -a +b +c"]);
        check("1,2d0\n< a\n<\n4a3\n> b\n", &["-: @1 -a -", "-: <@5 +b"]);
        check("\n```diff\n0a1\r\n> a\r\n```\n\n", &["-: @1 +a"]);
        check(
            "1c1\n< a\n\\ No newline at end of file\n---\n> ---\n",
            &["-: @1 -a +--- $"],
        );
    }

    #[test]
    fn names() {
        check(
            "Index: x y\n=====\n1d0\n< a\nIndex: z\n1d0\n< a\n",
            &["x y: @1 -a", "z: @1 -a"],
        );
        check(
            "diff -r a/x b/x\n1d0\n< a\nOnly in a: y\ndiff -r 'a/z z' 'b/z z'\n1d0\n< a\n",
            &["x: @1 -a", "z z: @1 -a"],
        );
        check("diff -x o old/x new/x\n1d0\n< a\n", &["old/x: @1 -a"]);
        check(
            "Index: x\nRCS file: x,v\nretrieving revision 1.1\ndiff -r1.1 -r1.2\n1d0\n< a\n",
            &["x: @1 -a"],
        );
        reject(
            "diff -r1.1 -r1.2\n1d0\n< a\n",
            "line 1: cannot tell which files",
        );
    }

    #[test]
    fn rejects() {
        reject(
            "1d0\n",
            "line 1: `1d0` announces 1 lines that begin with <, but 0 follow",
        );
        reject(
            "1a2,3\n> a\n",
            "line 1: `1a2,3` announces 2 lines that begin with >, but 1 follow",
        );
        reject(
            "1a2\n> a\n> b\n",
            "line 1: `1a2` announces 1 lines that begin with >, but 2 follow",
        );
        reject("1c1\n< a\n> b\n", "line 3: expected --- between");
        reject("2,1d0\n< a\n", "line 1: expected a change as");
        reject("1d0\n< a\n  and so on\n", "line 3: expected a change as");
    }

    #[test]
    fn other_text_is_not_taken_for_it() {
        for text in [
            "",
            "3d4",
            "> quoted\n> mail\n",
            "5a6\nis in the list\n",
            "see\n5a6\n> a\n",
            "5a6\n> a\nis said\n",
        ] {
            assert!(!is_in(text), "{text:?}");
        }
    }

    #[test]
    fn the_same_as_diff() {
        real_diffs("diff", &[], None, parse);
    }
}
