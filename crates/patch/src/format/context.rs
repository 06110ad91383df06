//! Context diffs, as `diff -c` writes them.
//!
//! ```text
//! patch := (prose | fence | file)*
//! file  := "*** " NAME [TAB date] "--- " NAME [TAB date] hunk+
//! hunk  := "***************" [" " section]
//!          "*** " RANGE " ****" half        where nothing is deleted or exchanged, no lines
//!          "--- " RANGE " ----" half        where nothing is inserted or exchanged, no lines
//! half  := (("  " kept | "- " deleted | "+ " inserted | "! " exchanged) line
//!           | "" an empty kept line)* [no-newline]
//! RANGE := LINE ["," LINE]
//! ```
//!
//! A half ends where its range says, unless the next line looks like a part of it. Then the range
//! is wrong, and the half ends with its last such line.

use super::diff::{self, DiffFile, DiffSide, NoNewline};
use super::patch::{FileEdit, FormatError, quoted};
use crate::hunk::{Hunk, HunkLine, Tag};

/// Whether a text has the marks of this format.
pub(super) fn is_in(text: &str) -> bool {
    diff::lines(text)
        .windows(2)
        .any(|pair| pair[0].starts_with(STARS) && half_range(pair[1], &OLD).is_some())
}

/// Whether a text begins with a file's names, or with a hunk.
pub(super) fn begins(text: &str) -> bool {
    let lines = diff::lines(text.trim_start_matches(['\r', '\n']));
    let is_hunk = lines.first().is_some_and(|line| line.starts_with(STARS));
    (is_hunk || names_at(&lines, 0).is_some()) && is_in(text)
}

/// Reads context diffs.
pub(super) fn parse(text: &str) -> Result<Vec<FileEdit>, FormatError> {
    let lines = diff::lines(text);
    let mut parser = ContextParser {
        lines: &lines,
        at: 0,
        file: None,
        file_edits: Vec::new(),
    };
    let mut unchanged = None;
    while let Some(&line) = lines.get(parser.at) {
        let start = parser.at;
        if diff::is_fence(line) {
            parser.finish()?;
            parser.at += 1;
        } else if let Some((old, new)) = names_at(&lines, start) {
            let (old, new) = diff::sides(old, new, None)
                .map_err(|message| FormatError::at(start + 1, message))?;
            parser.finish()?;
            parser.file = Some(DiffFile::new(start + 1, old, new));
            parser.at += 2;
        } else if let Some(above) = line.strip_prefix(STARS) {
            let hunk = parser.hunk(above.trim_start_matches('*').trim())?;
            if hunk.lines.iter().all(|line| line.tag == Tag::Keep) {
                unchanged = unchanged.or(Some(start + 1));
            }
            let file = parser
                .file
                .get_or_insert_with(|| DiffFile::unnamed(start + 1));
            file.push(start + 1, hunk);
        } else {
            parser.at += 1;
        }
    }
    parser.finish()?;

    match unchanged {
        Some(line) if parser.file_edits.is_empty() => Err(FormatError::at(
            line,
            "no line of this hunk begins with +, - or !, expected at least one to insert or delete",
        )),
        _ => Ok(parser.file_edits),
    }
}

const STARS: &str = "***************";

/// The text before and after the range of a half.
type Marks = (&'static str, &'static str);
const OLD: Marks = ("*** ", " ****");
const NEW: Marks = ("--- ", " ----");

/// The first and the last line number in the header of a half.
fn half_range(line: &str, marks: &Marks) -> Option<(usize, usize)> {
    let range = line
        .trim_end()
        .strip_prefix(marks.0)?
        .strip_suffix(marks.1)?;
    diff::range(range)
}

/// The two names of a file, if they are at this line.
fn names_at<'a>(lines: &[&'a str], i: usize) -> Option<(&'a str, &'a str)> {
    let (old, new) = (lines.get(i)?, lines.get(i + 1)?);
    let is_name = half_range(old, &OLD).is_none() && half_range(new, &NEW).is_none();
    if is_name {
        old.strip_prefix("*** ").zip(new.strip_prefix("--- "))
    } else {
        None
    }
}

struct ContextParser<'a> {
    lines: &'a [&'a str],
    at: usize,
    /// The file whose names were read last.
    file: Option<DiffFile<'a>>,
    file_edits: Vec<FileEdit>,
}

/// One half of a hunk.
struct Half<'a> {
    /// Each line's mark (a space for a line that stays), its text, and its index in the patch.
    lines: Vec<(u8, &'a str, usize)>,
    /// Whether its last line has no newline.
    is_newline_missing: bool,
}

impl Half<'_> {
    /// Whether its last line stays and has no newline, which is then true of both sides.
    fn is_kept_end(&self) -> bool {
        self.is_newline_missing && self.lines.last().is_some_and(|(sign, ..)| *sign == b' ')
    }

    /// The first line with one of these marks, by its index in the patch.
    fn first_with(&self, signs: &[u8]) -> Option<usize> {
        let mut lines = self.lines.iter();
        lines
            .find(|(sign, ..)| signs.contains(sign))
            .map(|line| line.2)
    }
}

impl<'a> ContextParser<'a> {
    /// Ends the file whose names were read last.
    fn finish(&mut self) -> Result<(), FormatError> {
        let Some(file) = self.file.take() else {
            return Ok(());
        };
        if !file.has_hunk && file.new != DiffSide::Absent {
            let message = format!("no hunk follows the file's names, expected a line {STARS}");
            return Err(FormatError::at(file.line, message));
        }
        self.file_edits.extend(file.file_edits()?);
        Ok(())
    }

    fn hunk(&mut self, above: &str) -> Result<Hunk, FormatError> {
        let start = self.at;
        self.at += 1;
        let (line, old) = self.half(&OLD)?;
        let (_, new) = self.half(&NEW)?;
        self.refuse_stray()?;

        // If a half has no lines, it consists of the kept lines of the other half.
        let no_newline = NoNewline {
            before: old.is_newline_missing || old.lines.is_empty() && new.is_kept_end(),
            after: new.is_newline_missing || new.lines.is_empty() && old.is_kept_end(),
        };
        let mut hunk = diff::hunk(merged(&old, &new, start)?, None, no_newline);
        // If no line is deleted or kept, the number is that of the line before.
        let is_insertion = hunk.old().next().is_none();
        hunk.hints.line = if is_insertion {
            Some(line.saturating_add(1))
        } else {
            Some(line).filter(|line| *line > 0)
        };
        if !above.is_empty() {
            hunk.hints.above.push(above.to_owned());
        }
        Ok(hunk)
    }

    /// Reads a half. Returns the first line number of its range, and its lines.
    fn half(&mut self, marks: &Marks) -> Result<(usize, Half<'a>), FormatError> {
        let header = self.lines.get(self.at);
        let Some((first, last)) = header.and_then(|line| half_range(line, marks)) else {
            let found = header.map_or("the end".to_owned(), |line| quoted(line));
            let message = format!(
                "expected the range of a hunk's half as `{}1,4{}` instead of {found}",
                marks.0, marks.1
            );
            return Err(FormatError::at(self.at + 1, message));
        };
        self.at += 1;

        let n_announced = last.saturating_sub(first).saturating_add(1);
        let mut half = Half {
            lines: Vec::new(),
            is_newline_missing: false,
        };
        let end = self.half_end(n_announced);
        for i in self.at..end {
            let line = self.lines[i];
            let text = line.get(2..).unwrap_or_default();
            half.lines.push((sign(line).unwrap_or(b' '), text, i));
        }
        self.at = end;
        if let Some(line) = self.lines.get(self.at)
            && diff::is_newline_mark(line)
        {
            half.is_newline_missing = true;
            self.at += 1;
        }
        Ok((first, half))
    }

    /// The end of the half that begins here. Empty lines at the end may only separate the diff from
    /// a fence: the number of lines in the range tells.
    fn half_end(&self, n_announced: usize) -> usize {
        let below = &self.lines[self.at..];
        let n_lines = below
            .iter()
            .take_while(|line| line.is_empty() || sign(line).is_some())
            .count();
        let last = below[..n_lines].iter().rposition(|line| !line.is_empty());
        last.map_or(self.at, |last| {
            self.at + n_announced.clamp(last + 1, n_lines)
        })
    }

    /// Refuses a line below a hunk that might belong to it, such as a line that lost its leading
    /// spaces. Otherwise the changes below it would be silently dropped.
    fn refuse_stray(&self) -> Result<(), FormatError> {
        let Some(stray) = (self.at..self.lines.len()).find(|&i| !self.lines[i].trim().is_empty())
        else {
            return Ok(());
        };
        let mut below = (stray..self.lines.len()).take_while(|&i| !self.is_boundary(i));
        if below.any(|i| sign(self.lines[i]).is_some_and(|sign| sign != b' ')) {
            let message = format!(
                "{} is in or below a hunk, expected a line that begins with two spaces, !, + or -: \
                 put two spaces before a line that stays",
                quoted(self.lines[stray])
            );
            return Err(FormatError::at(stray + 1, message));
        }
        Ok(())
    }

    fn is_boundary(&self, i: usize) -> bool {
        let line = self.lines[i];
        line.starts_with(STARS) || diff::is_fence(line) || names_at(self.lines, i).is_some()
    }
}

/// The mark at the start of a line of a half.
fn sign(line: &str) -> Option<u8> {
    let sign = *line
        .as_bytes()
        .first()
        .filter(|sign| b" !+-".contains(sign))?;
    matches!(line.as_bytes().get(1), None | Some(b' ')).then_some(sign)
}

/// Merges the lines of both halves. `start` is the index of the hunk in the text.
fn merged(old: &Half, new: &Half, start: usize) -> Result<Vec<HunkLine>, FormatError> {
    let wrong_old: &[u8] = if new.lines.is_empty() { b"+!" } else { b"+" };
    let wrong_new: &[u8] = if old.lines.is_empty() { b"-!" } else { b"-" };
    if let Some(at) = old.first_with(wrong_old).or(new.first_with(wrong_new)) {
        let message = "this line belongs to the other half of the hunk, or the half that it is \
            exchanged with has no lines";
        return Err(FormatError::at(at + 1, message));
    }

    let mut merged = Vec::with_capacity(old.lines.len() + new.lines.len());
    let mut i = 0;
    let mut j = 0;
    loop {
        let (tag, text) = match (old.lines.get(i), new.lines.get(j)) {
            (Some((b'-' | b'!', text, _)), _) => (Tag::Delete, text),
            (_, Some((b'+' | b'!', text, _))) => (Tag::Insert, text),
            (Some((_, text, _)), Some((_, other, _))) if text == other => (Tag::Keep, text),
            (Some((_, text, _)), None) if new.lines.is_empty() => (Tag::Keep, text),
            (None, Some((_, text, _))) if old.lines.is_empty() => (Tag::Keep, text),
            (None, None) => return Ok(merged),
            (_, other) => {
                let message = "the lines that stay are not the same in both halves of the hunk, \
                    expected them to be";
                let at = other.map_or(start, |line| line.2);
                return Err(FormatError::at(at + 1, message));
            }
        };
        merged.push(HunkLine {
            tag,
            text: (*text).to_owned(),
        });
        i += usize::from(tag != Tag::Insert);
        j += usize::from(tag != Tag::Delete);
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

    /// A diff of one hunk.
    fn diff(old: &str, new: &str) -> String {
        format!(
            "*** a/x\t2020-01-01 10:00:00\n--- b/x\t2020-01-01 10:00:01\n***************\n*** \
                {old}--- {new}"
        )
    }

    #[test]
    fn accepts() {
        check(
            &diff("1,3 ****\n  a\n! b\n- c\n", "1,2 ----\n  a\n! d\n"),
            &["x: @1 =a -b -c +d"],
        );
        check(&diff("1,2 ****\n- a\n  b\n", "1 ----\n"), &["x: @1 -a =b"]);
        check(&diff("1 ****\n", "1,2 ----\n  a\n+ b\n"), &["x: @1 =a +b"]);
        check(&diff("4 ****\n", "5 ----\n+ b\n"), &["x: @5 +b"]);
        check(&diff("0 ****\n", "1 ----\n+ b\n"), &["x: @1 +b"]);
        check(
            &diff("1,3 ****\n  a\n\n- c\n", "1,2 ----\n"),
            &["x: @1 =a = -c"],
        );
        check(
            &diff("9,9 ****\n! b\n", "9,7 ----\n! c\n\n\nThe end.\n"),
            &["x: @9 -b +c"],
        );
        check(
            &diff("1,2 ****\n! b\n\n", "1,2 ----\n! c\n\n\n```\n"),
            &["x: @1 -b +c ="],
        );
        check(
            "```diff\n*************** f()\n*** 2 ****\r\n! b\r\n--- 2 ----\r\n! c\r\n```\n",
            &["-: @2 -b +c |f()"],
        );
        let two = diff("1 ****\n! b\n", "1 ----\n! c\n");
        check(
            &format!("{two}***************\n*** 7 ****\n! d\n--- 7 ----\n! e\n"),
            &["x: @1 -b +c", "x: <@7 -d +e"],
        );
        check(&format!("So:\n{two}{two}"), &["x: @1 -b +c", "x: @1 -b +c"]);
    }

    #[test]
    fn files() {
        let hunk = "***************\n*** 0 ****\n--- 1,2 ----\n+ b\n+ c\n";
        check(
            &format!("*** /dev/null\n--- b/x\n{hunk}"),
            &["x: write b\nc\n"],
        );
        check(
            &format!("*** x\t1970-01-01 01:00:00\n--- x\t2020-01-01 10:00:00\n{hunk}"),
            &["x: write b\nc\n"],
        );
        check(
            "*** a/x\n--- /dev/null\n***************\n*** 1 ****\n- b\n--- 0 ----\n",
            &["x: delete"],
        );
    }

    #[test]
    fn rejects() {
        reject(
            &diff("1 ****\n  a\n", "1 ----\n  a\n"),
            "line 3: no line of this hunk",
        );
        reject(
            &diff("1,2 ****\n  a\n! b\n", "1,2 ----\n  x\n! c\n"),
            "line 8: the lines that stay are not the same",
        );
        reject(
            &diff("1,2 ****\n  a\n! b\n", "1,2 ----\n"),
            "line 6: this line belongs to the other half",
        );
        reject(
            &diff("1,2 ****\n+ b\n", "1,2 ----\n"),
            "line 5: this line belongs to the other half",
        );
        reject(
            &diff("1,2 ****\n- a\ndef f():\n- b\n", "1,2 ----\n"),
            "line 6: expected the range of a hunk's half as `--- 1,4 ----`",
        );
        reject(
            &diff("1 ****\n", "1,2 ----\n+ a\ndef f():\n+ b\n"),
            "line 7: `def f():` is in or below a hunk",
        );
        reject(
            "***************\n",
            "line 2: expected the range of a hunk's half as `*** 1,4 ****` instead of the end",
        );
        reject("*** a/x\n--- b/x\nhello\n", "line 1: no hunk follows");
        assert_eq!(parse("no diff here\n"), Ok(Vec::new()));
    }

    #[test]
    fn other_text_is_not_taken_for_it() {
        for text in [
            "",
            "*** a\n--- b\n",
            "***************\nTitle\n***************\n",
            "*** Begin Patch\n*** End Patch\n",
            "*** 1 ****\n",
        ] {
            assert!(!is_in(text), "{text:?}");
        }
    }

    #[test]
    fn the_same_as_diff() {
        real_diffs("diff", &["-C0"], Some("old"), parse);
        real_diffs("diff", &["-c"], Some("old"), parse);
    }
}
