//! Reads the files of a patch, one after the other.

use super::marks::{END, END_OF_FILE, MOVE, plain};
use crate::format::patch::{Action, FileEdit, FormatError, Over, quoted};
use crate::hunk::{Count, Extent, Hints, Hunk, HunkLine, Tag};
use std::collections::HashSet;

/// The state of reading, from below `*** Begin Patch` to above `*** End Patch`.
pub(super) struct Reader<'a> {
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

impl Reader<'_> {
    pub fn error(&self, message: impl Into<String>) -> FormatError {
        FormatError::at(self.n_above + self.line_idx + 1, message)
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
        self.file_edits.push(FileEdit {
            path: Some(path.to_owned()),
            line: self.n_above + line_idx + 1,
            action,
        });
    }

    pub fn add(&mut self, path: &str) -> Result<(), FormatError> {
        let start = self.line_idx;
        self.begin(path)?;
        let mut text = String::new();
        while let Some(line) = self
            .lines
            .get(self.line_idx)
            .and_then(|line| line.strip_prefix('+'))
        {
            text += line;
            text.push('\n');
            self.line_idx += 1;
        }
        self.expect_next_file("every line of a new file begins with `+`, an empty one too")?;
        self.push(
            path,
            start,
            Action::Write {
                text,
                over: Over::Nothing,
            },
        );
        Ok(())
    }

    pub fn delete(&mut self, path: &str) -> Result<(), FormatError> {
        self.push(path, self.line_idx, Action::Delete { holds: None });
        self.begin(path)?;
        self.expect_next_file("a file that is deleted has no lines")
    }

    /// Checks that another file, or nothing, follows an added or deleted file.
    fn expect_next_file(&mut self, rule: &str) -> Result<(), FormatError> {
        while self
            .lines
            .get(self.line_idx)
            .is_some_and(|line| line.trim().is_empty())
        {
            self.line_idx += 1;
        }
        match self.lines.get(self.line_idx) {
            Some(line) if !line.trim().starts_with("*** ") => Err(self.error(format!(
                "found {}, expected the next file or `{END}`; {rule}",
                quoted(line)
            ))),
            _ => Ok(()),
        }
    }

    pub fn update(&mut self, path: &str) -> Result<(), FormatError> {
        let start = self.line_idx;
        let n_before = self.file_edits.len();
        self.begin(path)?;
        let mut has_lines = false;
        if let Some(to) = self
            .lines
            .get(self.line_idx)
            .and_then(|line| line.trim().strip_prefix(MOVE))
        {
            if to.trim().is_empty() {
                return Err(self.error(format!("found `{MOVE}` without a path; put one after it")));
            }
            self.push(
                path,
                self.line_idx,
                Action::Move {
                    to: to.trim().to_owned(),
                },
            );
            self.line_idx += 1;
        }
        let mut hunk = OpenHunk::default();
        while let Some(line) = self.lines.get(self.line_idx).copied() {
            if let Some(header) = line.strip_prefix("@@") {
                if !hunk.lines.is_empty() {
                    hunk = self.close(path, hunk, false)?;
                }
                let header = header.strip_prefix(' ').unwrap_or(header);
                if header.trim().is_empty() && hunk.has_bare_header {
                    return Err(
                        self.error("found `@@` twice without a line between; leave one out")
                    );
                }
                hunk.has_bare_header |= header.trim().is_empty();
                hunk.has_header = true;
                // Models quote it as they do in prose. No line of code is all in backticks.
                let is_quoted =
                    header.len() > 2 && header.starts_with('`') && header.ends_with('`');
                let header = if is_quoted {
                    header.trim_matches('`')
                } else {
                    header
                };
                hunk.above
                    .extend((!header.trim().is_empty()).then(|| header.to_owned()));
            } else if line.trim_end() == END_OF_FILE {
                hunk = self.close(path, hunk, true)?;
            } else if line.starts_with("***") {
                break;
            } else if line.is_empty() && hunk.lines.is_empty() && !hunk.has_header {
                // An empty line between a file's name or `*** End of File` and the next hunk.
            } else if has_lines && hunk.lines.is_empty() && !hunk.has_header {
                return Err(self.error(format!(
                    "found {} after `{END_OF_FILE}`, expected `@@` or the next file",
                    quoted(line)
                )));
            } else if let Some(hunk_line) = hunk_line(line) {
                if hunk.lines.is_empty() {
                    hunk.line_idx = self.line_idx;
                }
                hunk.n_empty = if line.is_empty() { hunk.n_empty + 1 } else { 0 };
                hunk.lines.push(hunk_line);
                has_lines = true;
            } else {
                return Err(self.error(format!(
                    "found {}, expected a line that begins with ` `, `-`, `+` or `@@`",
                    quoted(line)
                )));
            }
            self.line_idx += 1;
        }
        if hunk.has_header || !hunk.lines.is_empty() {
            self.close(path, hunk, false)?;
        }
        if !has_lines {
            return Err(FormatError::at(
                self.n_above + start + 1,
                format!(
                    "nothing is to be changed in {}; put a hunk under it",
                    quoted(path)
                ),
            ));
        }
        if self.file_edits.len() == n_before {
            let message = format!(
                "no line of {} is changed; begin a line with `-` or `+`",
                quoted(path)
            );
            return Err(FormatError::at(self.n_above + start + 1, message));
        }
        Ok(())
    }

    /// Ends a hunk and begins the next one.
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
        if hunk.lines.iter().all(|line| line.tag == Tag::Keep) {
            hunk.above
                .extend(hunk.lines.into_iter().map(|line| line.text));
            return Ok(OpenHunk {
                above: hunk.above,
                ..OpenHunk::default()
            });
        }
        deletes_first(&mut hunk.lines);
        // Inserted lines without any hint of their place: Codex itself appends them.
        let says_nothing =
            hunk.above.is_empty() && hunk.lines.iter().all(|line| line.tag == Tag::Insert);
        let hunk_hints = Hints {
            line: None,
            above: hunk.above,
            at_end: at_end || says_nothing,
            is_ordered: true,
        };
        let edit = Hunk {
            lines: hunk.lines,
            extent: Extent::Lines,
            count: Count::One,
            hints: hunk_hints,
            final_newline: None,
        };
        self.push(path, hunk.line_idx, Action::Edit(edit));
        Ok(OpenHunk::default())
    }
}

fn hunk_line(line: &str) -> Option<HunkLine> {
    let mut chars = line.chars();
    let tag = match chars.next() {
        None | Some(' ') => Tag::Keep,
        Some('-') => Tag::Delete,
        Some('+') => Tag::Insert,
        Some(_) => return None,
    };
    Some(HunkLine {
        tag,
        text: chars.as_str().to_owned(),
    })
}

/// Puts deleted lines before inserted ones, between lines that stay.
pub(super) fn deletes_first(lines: &mut [HunkLine]) {
    for changed in
        lines.chunk_by_mut(|line, next| (line.tag == Tag::Keep) == (next.tag == Tag::Keep))
    {
        changed.sort_by_key(|line| line.tag == Tag::Insert);
    }
}
