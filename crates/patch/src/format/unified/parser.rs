//! Reads a unified diff line by line: headers, names and the bodies of hunks.

use super::git_file::{BINARY, GitFile, refused};
use super::lines::{
    GIT_HEADERS, HunkHeader, hunk_header, is_body, is_heading, names_at, opens_diff,
};
use crate::format::diff::{self, DiffFile, NoNewline, PathChange};
use crate::format::file_name::{self, FileMention};
use crate::format::patch::{FileEdit, FormatError, quoted};
use crate::hunk::{Hunk, HunkLine, Tag};
use std::ops::Range;

/// Lines of a diff between the hunks of two files.
const MARKS: [&str; 5] = [
    "diff ",
    "Index: ",
    "=====",
    "Binary files ",
    "GIT binary patch",
];

/// The state of the parser.
pub(super) struct UnifiedParser<'a> {
    lines: &'a [&'a str],
    at: usize,
    is_fenced: bool,
    /// The first line below the last hunk.
    below_hunk: usize,
    /// The file whose header was read last.
    file: Option<GitFile<'a>>,
    /// The edits read so far.
    pub file_edits: Vec<FileEdit>,
    /// The line of the first hunk without a change.
    pub unchanged: Option<usize>,
}

impl<'a> UnifiedParser<'a> {
    /// Reads all lines of a patch.
    pub fn run(lines: &'a [&'a str]) -> Result<UnifiedParser<'a>, FormatError> {
        let mut parser = UnifiedParser::at(lines, 0);
        while parser.at < lines.len() {
            parser.read_line()?;
        }
        parser.finish()?;
        Ok(parser)
    }

    /// The state at a line of a patch.
    pub fn at(lines: &'a [&'a str], at: usize) -> UnifiedParser<'a> {
        UnifiedParser {
            lines,
            at,
            is_fenced: false,
            below_hunk: 0,
            file: None,
            file_edits: Vec::new(),
            unchanged: None,
        }
    }

    /// The first line below the diff that begins here.
    pub fn end(&mut self) -> usize {
        let start = self.at;
        let mut end = start + 1;

        while let Some(&line) = self.lines.get(self.at) {
            let is_start = self.at == start;
            if names_at(self.lines, self.at).is_some() {
                self.at += 2;
                if self.is_body_at(self.at) {
                    self.at = self.marked_end();
                }
            } else if let Some(header) = hunk_header(line) {
                self.at += 1;
                self.at = self.body_end(&header).0;
            } else if is_start && diff::is_fence(line) {
                self.at += 1;
                self.at = self.marked_end();
            } else if is_start
                || starts_with_any(line, &GIT_HEADERS)
                || starts_with_any(line, &MARKS)
            {
                self.at += 1;
            } else if line.is_empty() {
                self.at += 1;
                continue;
            } else {
                break;
            }
            end = self.at;
        }
        end
    }

    fn read_line(&mut self) -> Result<(), FormatError> {
        let line = self.lines[self.at];

        if diff::is_fence(line) {
            self.finish()?;
            let opens_diff = !self.is_fenced && opens_diff(line);
            self.is_fenced = !self.is_fenced;
            self.at += 1;
            if opens_diff && self.is_body_at(self.at) {
                self.hunk(None)?;
            }
        } else if let Some(names) = line.strip_prefix("diff --git ") {
            self.finish()?;
            self.git_header(names)?;
        } else if starts_with_any(line, &["diff --cc ", "diff --combined ", "@@@ "]) {
            let message = "this is the combined diff of a merge, which cannot be applied: make one \
                with git show -m";
            return Err(FormatError::at(self.at + 1, message));
        } else if let Some((old, new)) = names_at(self.lines, self.at) {
            self.names(old, new)?;
        } else if let Some(header) = hunk_header(line) {
            self.at += 1;
            self.hunk(Some(header))?;
        } else {
            let names_binary = line.starts_with("Binary files ") && line.ends_with(" differ");
            if line == "GIT binary patch" || names_binary {
                self.refuse_binary()?;
            }
            self.at += 1;
        }
        Ok(())
    }

    /// Ends the file whose header was read last.
    fn finish(&mut self) -> Result<(), FormatError> {
        if let Some(file) = self.file.take() {
            self.file_edits.extend(file.file_edits()?);
        }
        Ok(())
    }

    /// Refuses the binary file that this line is about.
    fn refuse_binary(&mut self) -> Result<(), FormatError> {
        let line = self.at + 1;
        if let Some(file) = &mut self.file
            && (file.awaits_names || file.refused.is_some())
        {
            file.refused.get_or_insert((line, BINARY));
            return Ok(());
        }
        self.finish()?;
        self.file_edits.push(refused(line, None, BINARY));
        Ok(())
    }

    /// Reads git's lines at the beginning of a file.
    fn git_header(&mut self, names: &str) -> Result<(), FormatError> {
        let start = self.at + 1;
        let mut file = GitFile::of_git(names, start)?;
        self.at += 1;
        while let Some(line) = self.lines.get(self.at)
            && file.read_header(line, self.at + 1)?
        {
            self.at += 1;
        }

        if !file.has_names() && names_at(self.lines, self.at).is_none() {
            let message = "cannot tell where the first of the two names ends, expected lines --- \
                and +++ with the names below";
            return Err(FormatError::at(start, message));
        }
        self.file = Some(file);
        Ok(())
    }

    /// Reads the names of a file, the text after `---` and `+++`.
    fn names(&mut self, old: &'a str, new: &'a str) -> Result<(), FormatError> {
        let line = self.at + 1;
        let git_file = self.file.take_if(|file| file.awaits_names);
        let has_prefixes = git_file.as_ref().and_then(|file| file.has_prefixes);
        let written = diff::without_prefixes(without_date(old), without_date(new));
        let (old, new) = diff::sides(old, new, has_prefixes)
            .map_err(|message| FormatError::at(line, message))?;

        let mut file = match git_file {
            // Git's lines about a move or a copy have the whole names.
            Some(mut file) if file.diff_file.way == PathChange::Same => {
                file.diff_file.old = old;
                file.diff_file.new = new;
                file
            }
            Some(file) => file,
            None => {
                self.finish()?;
                GitFile::new(DiffFile::new(line, old, new))
            }
        };
        file.awaits_names = false;
        file.diff_file.named = match written {
            (diff::NO_FILE, diff::NO_FILE) => FileMention::Not,
            (old, diff::NO_FILE) => FileMention::File(old),
            (_, new) => FileMention::File(new),
        };
        self.file = Some(file);

        self.at += 2;
        if self.is_body_at(self.at) {
            self.hunk(None)?;
        }
        Ok(())
    }

    /// Reads the body of a hunk.
    fn hunk(&mut self, header: Option<HunkHeader>) -> Result<(), FormatError> {
        // Without a header, the hunk begins at its first line.
        let line = if header.is_some() {
            self.at
        } else {
            self.at + 1
        };
        let header = header.unwrap_or_default();
        let (end, is_counted) = self.body_end(&header);
        self.refuse_stray(end, is_counted)?;
        if let Some(counts) = header.counts.filter(|_| !is_counted) {
            self.refuse_cut_off(self.at..end, counts)?;
        }
        let hunk = made_hunk(&self.lines[self.at..end], header);
        if hunk.lines.iter().all(|line| line.tag == Tag::Keep) {
            self.unchanged = self.unchanged.or(Some(line));
        }

        // A heading between two hunks begins another file, although no names follow it.
        let above = &self.lines[self.below_hunk.min(line - 1)..line - 1];
        let mut named = file_name::path_above(above);
        if let Some(file) = self
            .file
            .take_if(|file| file.diff_file.has_hunk && !named.is_same_or_not(&file.diff_file.named))
        {
            named = named.or(file.diff_file.named.clone());
            self.file_edits.extend(file.file_edits()?);
        }
        let file = self.file.get_or_insert_with(|| {
            let mut diff_file = DiffFile::unnamed(line);
            diff_file.named = named;
            GitFile::new(diff_file)
        });
        file.awaits_names = false;
        file.diff_file.push(line, hunk);
        self.at = end;
        self.below_hunk = end;
        Ok(())
    }

    /// The end of the body that begins here, and whether its counts are right.
    fn body_end(&self, header: &HunkHeader) -> (usize, bool) {
        match header.counts.and_then(|counts| self.counted_end(counts)) {
            Some(end) => (end, true),
            None => (self.marked_end(), false),
        }
    }

    /// The end of the body by its counts; `None` if they are wrong.
    fn counted_end(&self, (mut n_old, mut n_new): (usize, usize)) -> Option<usize> {
        let mut end = self.at;
        while n_old > 0 || n_new > 0 {
            let first = self.lines.get(end)?.as_bytes().first();
            if !matches!(first, None | Some(b' ' | b'-' | b'+' | b'\\')) || self.is_next_file(end) {
                return None;
            }
            n_old = n_old.checked_sub(usize::from(matches!(first, None | Some(b' ' | b'-'))))?;
            n_new = n_new.checked_sub(usize::from(matches!(first, None | Some(b' ' | b'+'))))?;
            end += 1;
        }
        if let Some(line) = self.lines.get(end)
            && diff::is_newline_mark(line)
        {
            end += 1;
        }
        let next = (end..self.lines.len()).find(|&i| !self.lines[i].is_empty());
        next.is_none_or(|i| self.is_boundary(i) || !is_body(self.lines[i]))
            .then_some(end)
    }

    /// Whether a file's names begin here, even if the counts take them for a deleted and an
    /// inserted line. A model that counts one too many is more common than a hunk that ends by
    /// changing `-- x.rs` to `++ x.rs`.
    fn is_next_file(&self, i: usize) -> bool {
        let Some((old, new)) = names_at(self.lines, i) else {
            return false;
        };
        let Ok((old, new)) = diff::sides(old, new, None) else {
            return false;
        };
        let path = match (old.name(), new.name()) {
            (Some(old), Some(new)) if old == new => old,
            (Some(path), None) | (None, Some(path)) => path,
            _ => return false,
        };
        path.contains(['.', '/'])
            && !path.contains(' ')
            && self
                .lines
                .get(i + 2)
                .is_some_and(|line| line.starts_with("@@"))
    }

    /// The end of the body by its lines.
    fn marked_end(&self) -> usize {
        let below = &self.lines[self.at..];
        let n_lines = (0..below.len())
            .take_while(|n| {
                (below[*n].is_empty() || is_body(below[*n])) && !self.is_boundary(self.at + n)
            })
            .count();
        // Models leave empty lines before the closing fence.
        let last = below[..n_lines].iter().rposition(|line| !line.is_empty());
        last.map_or(self.at, |last| self.at + last + 1)
    }

    /// Refuses a line below a hunk that might belong to it, such as a context line that lost its
    /// space. Otherwise the changes below it would be silently dropped.
    fn refuse_stray(&self, end: usize, is_counted: bool) -> Result<(), FormatError> {
        let stray = (end..self.lines.len()).find(|&i| !self.lines[i].trim().is_empty());
        let Some(stray) = stray.filter(|&i| !self.is_boundary(i)) else {
            return Ok(());
        };
        let mut below = (stray..self.lines.len()).take_while(|&i| !self.is_boundary(i));
        if self.is_fenced || !is_counted && below.any(|i| is_change(self.lines[i])) {
            let message = format!(
                "{} is in or below a hunk, expected a line that begins with a space, + or -: put a \
                 space before a line that stays",
                quoted(self.lines[stray])
            );
            return Err(FormatError::at(stray + 1, message));
        }
        Ok(())
    }

    /// Refuses the last hunk of a patch if it ends with a deletion, and its counts say that two
    /// more new lines follow than old ones: the answer was cut off before they came. A model that
    /// counts wrong mostly does so for both sides alike, or by one.
    fn refuse_cut_off(
        &self,
        body: Range<usize>,
        (n_old, n_new): (usize, usize),
    ) -> Result<(), FormatError> {
        let mut below = self.lines[body.end..].iter();
        let start = body.start;
        let body = &self.lines[body];
        let ends_with_deletion = body.last().is_some_and(|line| line.starts_with('-'));
        if !ends_with_deletion || below.any(|line| !line.trim().is_empty()) {
            return Ok(());
        }
        let n_found = n_with(body, '+');
        let n_old_missing = n_old.saturating_sub(n_with(body, '-'));
        if n_new.saturating_sub(n_found) > n_old_missing.saturating_add(1) {
            let message = format!(
                "the hunk that begins here has {n_found} of {n_new} new lines; the answer may have \
                 been cut off"
            );
            return Err(FormatError::at(start, message));
        }
        Ok(())
    }

    /// Whether a body must end before this line, even if the line looks like a part of it.
    fn is_boundary(&self, i: usize) -> bool {
        let line = self.lines[i];
        diff::is_fence(line)
            || names_at(self.lines, i).is_some()
            || line.starts_with("@@")
            || is_heading(self.lines, i)
            || self.is_signature(i)
    }

    /// Whether git's version begins here, as at the end of a mail.
    fn is_signature(&self, i: usize) -> bool {
        let next = self.lines.get(i + 1);
        matches!(self.lines[i], "-- " | "--")
            && next.is_some_and(|line| line.starts_with(|c: char| c.is_ascii_digit()))
    }

    fn is_body_at(&self, i: usize) -> bool {
        self.lines.get(i).is_some_and(|line| is_body(line)) && !self.is_boundary(i)
    }
}

fn starts_with_any(line: &str, marks: &[&str]) -> bool {
    marks.iter().any(|mark| line.starts_with(mark))
}

/// A name after `---` or `+++`, without the date behind it.
fn without_date(name: &str) -> &str {
    name.split('\t').next().unwrap_or_default().trim()
}

/// Whether a line inserts or deletes. A line of dashes is a rule of Markdown.
fn is_change(line: &str) -> bool {
    line.starts_with(['+', '-']) && line.contains(|c| c != '-')
}

/// How many lines of a body are on the side with this mark.
fn n_with(body: &[&str], mark: char) -> usize {
    let lines = body.iter();
    lines
        .filter(|line| line.is_empty() || line.starts_with([' ', mark]))
        .count()
}

fn made_hunk(body: &[&str], header: HunkHeader) -> Hunk {
    let mut lines: Vec<HunkLine> = Vec::with_capacity(body.len());
    let mut no_newline = NoNewline::default();
    for text in body {
        let (tag, text) = match text.as_bytes().first() {
            Some(b'-') => (Tag::Delete, &text[1..]),
            Some(b'+') => (Tag::Insert, &text[1..]),
            Some(b'\\') => {
                if let Some(line) = lines.last() {
                    no_newline.before |= line.tag != Tag::Insert;
                    no_newline.after |= line.tag != Tag::Delete;
                }
                continue;
            }
            first => (Tag::Keep, &text[usize::from(first.is_some())..]),
        };
        lines.push(HunkLine {
            tag,
            text: text.to_owned(),
        });
    }

    let mut hunk = diff::hunk(lines, None, no_newline);
    // For an insertion, the number is that of the line before.
    let is_insertion =
        header.counts.is_some_and(|(n_old, _)| n_old == 0) && hunk.old().next().is_none();
    hunk.hints.line = match header.line {
        Some(line) if is_insertion => Some(line.saturating_add(1)),
        line => line.filter(|line| *line > 0),
    };
    hunk.hints.above.extend(header.section);
    hunk
}
