//! Reads the files of a patch, one after the other.

use super::marks::{END, END_OF_FILE, MOVE, plain};
use crate::format::diff::{self, NoNewline};
use crate::format::patch::{Action, FileEdit, FormatError, Over, quoted};
use crate::hunk::{HunkLine, Tag};
use std::collections::HashSet;

/// The state of reading, from below `*** Begin Patch` to above `*** End Patch`.
pub(super) struct CodexReader<'a> {
    pub lines: &'a [&'a str],
    /// How many lines of the text are above them.
    pub n_above: usize,
    pub line_idx: usize,
    /// The paths that the patch has named so far.
    pub paths: HashSet<Vec<String>>,
    /// The edits read so far.
    pub file_edits: Vec<FileEdit>,
}

/// A hunk whose end was not reached yet.
#[derive(Default)]
struct OpenHunk {
    line_idx: usize,
    above: Vec<String>,
    lines: Vec<HunkLine>,
    /// How many of the last lines are empty and lack the leading space.
    n_empty: usize,
    has_header: bool,
    has_bare_header: bool,
}

impl<'a> CodexReader<'a> {
    pub fn error(&self, message: impl Into<String>) -> FormatError {
        FormatError::at(self.n_above + self.line_idx + 1, message)
    }

    /// The line that is read next.
    pub fn line(&self) -> Option<&'a str> {
        self.lines.get(self.line_idx).copied()
    }

    /// Begins a file after the line with its name.
    fn begin(&mut self, path: &str) -> Result<(), FormatError> {
        if path.is_empty() {
            return Err(self.error("the name of the file is missing; put it after the colon"));
        }
        if !self.paths.insert(plain(path)) {
            return Err(self.error(format!(
                "{} is in the patch twice; put all that is done to it in one place",
                quoted(path)
            )));
        }
        self.line_idx += 1;
        Ok(())
    }

    fn push(&mut self, path: &str, line_idx: usize, action: Action) {
        let line = self.n_above + line_idx + 1;
        self.file_edits.push(FileEdit::of(path, line, action));
    }

    pub fn add(&mut self, path: &str) -> Result<(), FormatError> {
        let start = self.line_idx;
        self.begin(path)?;
        let mut text = String::new();
        while let Some(line) = self.line().and_then(|line| line.strip_prefix('+')) {
            text += line;
            text.push('\n');
            self.line_idx += 1;
        }
        self.expect_next_file("every line of a new file begins with `+`, an empty one too")?;
        let over = Over::Nothing;
        self.push(path, start, Action::Write { text, over });
        Ok(())
    }

    pub fn delete(&mut self, path: &str) -> Result<(), FormatError> {
        self.push(path, self.line_idx, Action::Delete { holds: None });
        self.begin(path)?;
        self.expect_next_file("a file that is deleted has no lines")
    }

    /// Checks that another file, or nothing, follows an added or deleted file.
    fn expect_next_file(&mut self, rule: &str) -> Result<(), FormatError> {
        while self.line().is_some_and(|line| line.trim().is_empty()) {
            self.line_idx += 1;
        }
        match self.line() {
            Some(line) if !line.trim().starts_with("*** ") => Err(self.error(format!(
                "found {}, expected the next file or `{END}`; {rule}",
                quoted(line)
            ))),
            _ => Ok(()),
        }
    }

    pub fn update(&mut self, path: &str) -> Result<(), FormatError> {
        let start = self.n_above + self.line_idx + 1;
        let n_before = self.file_edits.len();
        self.begin(path)?;
        self.move_to(path)?;

        let mut has_lines = false;
        let mut hunk = OpenHunk::default();
        while let Some(line) = self.line() {
            if line.trim_end() == END_OF_FILE {
                hunk = self.close(path, hunk, true)?;
            } else if line.starts_with("***") {
                break;
            } else if let Some(header) = line.strip_prefix("@@") {
                if !hunk.lines.is_empty() {
                    hunk = self.close(path, hunk, false)?;
                }
                self.read_header(&mut hunk, header)?;
            } else if hunk.lines.is_empty() && !hunk.has_header && line.is_empty() {
                // An empty line between a file's name or `*** End of File` and the next hunk.
            } else if hunk.lines.is_empty() && !hunk.has_header && has_lines {
                return Err(self.error(format!(
                    "found {} after `{END_OF_FILE}`, expected `@@` or the next file",
                    quoted(line)
                )));
            } else {
                self.read_line(&mut hunk, line)?;
                has_lines = true;
            }
            self.line_idx += 1;
        }
        if hunk.has_header || !hunk.lines.is_empty() {
            self.close(path, hunk, false)?;
        }

        let path = quoted(path);
        if !has_lines {
            let message = format!("nothing is to be changed in {path}; put a hunk under it");
            return Err(FormatError::at(start, message));
        }
        if self.file_edits.len() == n_before {
            let message = format!("no line of {path} is changed; begin a line with `-` or `+`");
            return Err(FormatError::at(start, message));
        }
        Ok(())
    }

    /// Reads the line that gives a file another name, if it comes next.
    fn move_to(&mut self, path: &str) -> Result<(), FormatError> {
        let Some(to) = self.line().and_then(|line| line.trim().strip_prefix(MOVE)) else {
            return Ok(());
        };
        let to = to.trim().to_owned();
        if to.is_empty() {
            return Err(self.error(format!("found `{MOVE}` without a path; put one after it")));
        }
        self.push(path, self.line_idx, Action::Move { to });
        self.line_idx += 1;
        Ok(())
    }

    /// Reads a line that begins a hunk, the text after `@@`.
    fn read_header(&self, hunk: &mut OpenHunk, header: &str) -> Result<(), FormatError> {
        let header = header.strip_prefix(' ').unwrap_or(header);
        hunk.has_header = true;
        if header.trim().is_empty() {
            if hunk.has_bare_header {
                let message = "found `@@` twice without a line between; leave one out";
                return Err(self.error(message));
            }
            hunk.has_bare_header = true;
            return Ok(());
        }
        // Models quote it as they do in prose. No line of code is all in backticks.
        let is_quoted = header.len() > 2 && header.starts_with('`') && header.ends_with('`');
        let header = if is_quoted {
            header.trim_matches('`')
        } else {
            header
        };
        if !header.trim().is_empty() {
            hunk.above.push(header.to_owned());
        }
        Ok(())
    }

    /// Reads a line of a hunk's body.
    fn read_line(&self, hunk: &mut OpenHunk, line: &str) -> Result<(), FormatError> {
        let tag = match line.as_bytes().first() {
            None | Some(b' ') => Tag::Keep,
            Some(b'-') => Tag::Delete,
            Some(b'+') => Tag::Insert,
            Some(_) => {
                return Err(self.error(format!(
                    "found {}, expected a line that begins with ` `, `-`, `+` or `@@`",
                    quoted(line)
                )));
            }
        };
        if hunk.lines.is_empty() {
            hunk.line_idx = self.line_idx;
        }
        hunk.n_empty = if line.is_empty() { hunk.n_empty + 1 } else { 0 };
        let text = line.get(1..).unwrap_or_default().to_owned();
        hunk.lines.push(HunkLine { tag, text });
        Ok(())
    }

    /// Ends a hunk and begins the next one. `at_end`: whether it must be at the end of the file.
    fn close(
        &mut self,
        path: &str,
        mut hunk: OpenHunk,
        at_end: bool,
    ) -> Result<OpenHunk, FormatError> {
        hunk.lines.truncate(hunk.lines.len() - hunk.n_empty);
        if hunk.lines.is_empty() {
            return Err(self.error("the hunk above has no lines; begin each with ` `, `-` or `+`"));
        }
        let mut next = OpenHunk::default();
        if hunk.lines.iter().all(|line| line.tag == Tag::Keep) {
            next.above = hunk.above;
            let lines = hunk.lines.into_iter();
            next.above.extend(lines.map(|line| line.text));
            return Ok(next);
        }

        // Inserted lines without any hint of their place: Codex itself appends them.
        let says_nothing =
            hunk.above.is_empty() && hunk.lines.iter().all(|line| line.tag == Tag::Insert);
        let mut edit = diff::hunk(hunk.lines, None, NoNewline::default());
        edit.hints.above = hunk.above;
        edit.hints.at_end = at_end || says_nothing;
        edit.hints.is_ordered = true;
        self.push(path, hunk.line_idx, Action::Edit(edit));
        Ok(next)
    }
}
