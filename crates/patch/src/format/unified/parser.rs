//! Reads a unified diff line by line: headers, names and the bodies of hunks.

use super::lines::{
    GIT_HEADERS, HunkHeader, git_names, hunk_header, is_body, is_heading, names_at, opens_diff,
};
use crate::format::diff::{self, DiffFile, Side, Way};
use crate::format::file_name::{self, Named};
use crate::format::patch::{Action, FileEdit, FormatError, quoted};
use crate::hunk::{HunkLine, Tag};
use std::ops::Range;

/// Lines of a diff between the hunks of two files.
const MARKS: [&str; 5] = [
    "diff ",
    "Index: ",
    "=====",
    "Binary files ",
    "GIT binary patch",
];

/// Why a file of a diff is refused, and what to do instead.
type Refused = (&'static str, &'static str);

const BINARY: Refused = (
    "this is a binary patch, which cannot be applied",
    "copy the file instead",
);
const LINK: Refused = (
    "this changes a symbolic link or a submodule, which is not supported",
    "change it by hand, or leave it out of the patch",
);
const OTHER_MODE: Refused = (
    "of a file's mode only whether it can be run is changed",
    "change it with chmod, or leave it out of the patch",
);

/// The state of the parser.
pub(super) struct Parser<'a> {
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

/// A file's header, including git's lines, and its hunks.
struct GitFile<'a> {
    diff_file: DiffFile<'a>,
    /// Whether its names may still follow git's header.
    awaits_names: bool,
    /// Whether git's names have prefixes; `None` without git's names.
    has_prefixes: Option<bool>,
    is_new: bool,
    is_deleted: bool,
    /// The mode before, if it changes.
    old_mode: Option<u32>,
    /// The line that changes its mode otherwise than for running it.
    other_mode: Option<usize>,
    /// The line because of which it is refused, and why.
    refused: Option<(usize, Refused)>,
}

impl<'a> GitFile<'a> {
    fn new(diff_file: DiffFile<'a>) -> GitFile<'a> {
        GitFile {
            diff_file,
            awaits_names: false,
            has_prefixes: None,
            is_new: false,
            is_deleted: false,
            old_mode: None,
            other_mode: None,
            refused: None,
        }
    }

    fn file_edits(self) -> Result<Vec<FileEdit>, FormatError> {
        let mut diff_file = self.diff_file;
        match (self.refused, diff_file.path()) {
            // What a binary file holds is not compared.
            (Some((line, BINARY)), Some(path)) if self.is_deleted => {
                let (path, action) = (Some(path.to_owned()), Action::Delete { holds: None });
                return Ok(vec![FileEdit {
                    path,
                    line: line.min(diff_file.line),
                    action,
                }]);
            }
            (Some((line, why)), path) => return Ok(vec![refused(line, path, why)]),
            (None, _) => {}
        }
        if self.is_deleted {
            diff_file.new = Side::Absent;
        } else if self.is_new {
            diff_file.old = Side::Absent;
        }
        let says_all = self.is_new
            || self.is_deleted
            || diff_file.way != Way::Same
            || diff_file.is_executable.is_some()
            || diff_file.new == Side::Absent;
        if !diff_file.has_hunk && !says_all {
            return match self.other_mode {
                Some(line) => Ok(vec![refused(line, diff_file.path(), OTHER_MODE)]),
                None => Err(FormatError::at(
                    diff_file.line,
                    "no hunk follows the file's names, expected a line that begins with @@",
                )),
            };
        }
        let is_new = matches!(diff_file.old, Side::Absent | Side::Dated0(_));
        if diff_file.hunks.is_empty() && diff_file.has_hunk && is_new {
            return Err(FormatError::at(
                diff_file.line,
                "no line of the new file begins with +, expected all to",
            ));
        }
        diff_file.file_edits()
    }
}

/// The bits of a mode that let a file be run.
const EXECUTABLE: u32 = 0o111;

fn octal(mode: &str) -> Option<u32> {
    u32::from_str_radix(mode.trim(), 8).ok()
}

fn refused(line: usize, path: Option<&str>, (message, next): Refused) -> FileEdit {
    let action = Action::Refused {
        is_malformed: false,
        message: message.to_owned(),
        next: next.to_owned(),
    };
    FileEdit {
        path: path.map(str::to_owned),
        line,
        action,
    }
}

impl<'a> Parser<'a> {
    /// Reads all lines of a patch.
    pub fn run(lines: &'a [&'a str]) -> Result<Parser<'a>, FormatError> {
        let mut parser = Parser::at(lines, 0);
        parser.read()?;
        Ok(parser)
    }

    /// The state at a line of a patch.
    pub fn at(lines: &'a [&'a str], at: usize) -> Parser<'a> {
        Parser {
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
                self.at = if self.is_body_at(self.at) {
                    self.marked_end()
                } else {
                    self.at
                };
            } else if let Some(header) = hunk_header(line) {
                self.at += 1;
                let counted = header.counts.and_then(|counts| self.counted_end(counts));
                self.at = counted.unwrap_or_else(|| self.marked_end());
            } else if is_start && diff::is_fence(line) {
                self.at += 1;
                self.at = self.marked_end();
            } else if is_start
                || GIT_HEADERS
                    .iter()
                    .chain(&MARKS)
                    .any(|mark| line.starts_with(mark))
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

    fn read(&mut self) -> Result<(), FormatError> {
        while let Some(&line) = self.lines.get(self.at) {
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
            } else if line.starts_with("diff --cc ")
                || line.starts_with("diff --combined ")
                || line.starts_with("@@@ ")
            {
                let message = "this is the combined diff of a merge, which cannot be applied: \
                    make one with git show -m";
                return Err(FormatError::at(self.at + 1, message));
            } else if let Some((old, new)) = names_at(self.lines, self.at) {
                self.names(old, new)?;
            } else if let Some(header) = hunk_header(line) {
                self.at += 1;
                self.hunk(Some(header))?;
            } else if line == "GIT binary patch"
                || line.starts_with("Binary files ") && line.ends_with(" differ")
            {
                match &mut self.file {
                    Some(file) if file.awaits_names || file.refused.is_some() => {
                        file.refused.get_or_insert((self.at + 1, BINARY));
                    }
                    _ => {
                        self.finish()?;
                        self.file_edits.push(refused(self.at + 1, None, BINARY));
                    }
                }
                self.at += 1;
            } else {
                self.at += 1;
            }
        }
        self.finish()
    }

    /// Ends the file whose header was read last.
    fn finish(&mut self) -> Result<(), FormatError> {
        if let Some(file) = self.file.take() {
            self.file_edits.extend(file.file_edits()?);
        }
        Ok(())
    }

    fn git_header(&mut self, names: &str) -> Result<(), FormatError> {
        let start = self.at + 1;
        let names = git_names(names).map_err(|message| FormatError::at(start, message))?;
        let mut file = GitFile::new(DiffFile::new(start, Side::Unnamed, Side::Unnamed));
        file.awaits_names = true;
        if let Some((old, new)) = &names {
            let (stripped_old, stripped_new) = diff::without_prefixes(old, new);
            file.has_prefixes = Some(stripped_old != old);
            file.diff_file.old = Side::Named(stripped_old.to_owned());
            file.diff_file.new = Side::Named(stripped_new.to_owned());
        }
        self.at += 1;
        while let Some((&line, keyword)) = self
            .lines
            .get(self.at)
            .and_then(|line| Some((line, *GIT_HEADERS.iter().find(|k| line.starts_with(**k))?)))
        {
            let value = &line[keyword.len()..];
            let name = || {
                let name = if value.starts_with('"') {
                    diff::unquoted(value).map(|(name, _)| name)
                } else {
                    Ok(value.to_owned())
                };
                name.map(Side::Named)
                    .map_err(|message| FormatError::at(self.at + 1, message))
            };
            match keyword {
                "new file mode " => {
                    file.is_new = true;
                    let is_executable = octal(value).is_some_and(|mode| mode & EXECUTABLE != 0);
                    file.diff_file.is_executable = is_executable.then_some(true);
                }
                "deleted file mode " => file.is_deleted = true,
                "old mode " => file.old_mode = octal(value),
                "new mode " => match file.old_mode.zip(octal(value)) {
                    Some((old, new)) if (old & EXECUTABLE == 0) != (new & EXECUTABLE == 0) => {
                        file.diff_file.is_executable = Some(new & EXECUTABLE != 0);
                    }
                    _ => file.other_mode = Some(self.at + 1),
                },
                "rename from " | "rename old " => file.diff_file.old = name()?,
                "rename to " => {
                    file.diff_file.new = name()?;
                    file.diff_file.way = Way::Move;
                }
                "copy from " => file.diff_file.old = name()?,
                "copy to " => {
                    file.diff_file.new = name()?;
                    file.diff_file.way = Way::Copy;
                }
                _ => {}
            }
            // The content of a symbolic link or a submodule is not a file's text.
            if keyword.ends_with("mode ") && ["120000", "160000"].contains(&value.trim())
                || keyword == "index " && (value.ends_with(" 120000") || value.ends_with(" 160000"))
            {
                file.refused.get_or_insert((self.at + 1, LINK));
            }
            self.at += 1;
        }
        let has_names = file.diff_file.old != Side::Unnamed && file.diff_file.new != Side::Unnamed;
        let names_follow = names_at(self.lines, self.at).is_some();
        if !has_names && !names_follow {
            let message = "cannot tell where the first of the two names ends, expected lines --- \
                and +++ with the names below";
            return Err(FormatError::at(start, message));
        }
        self.file = Some(file);
        Ok(())
    }

    fn names(&mut self, old: &'a str, new: &'a str) -> Result<(), FormatError> {
        let line = self.at + 1;
        let without_date =
            |name: &'a str| name.split_once('\t').map_or(name, |(name, _)| name).trim();
        let (old_written, new_written) =
            diff::without_prefixes(without_date(old), without_date(new));
        let has_prefixes = self
            .file
            .as_ref()
            .filter(|file| file.awaits_names)
            .and_then(|file| file.has_prefixes);
        let (old, new) = diff::sides(old, new, has_prefixes)
            .map_err(|message| FormatError::at(line, message))?;
        let written = [new_written, old_written]
            .into_iter()
            .find(|name| *name != diff::NO_FILE);
        let named = written.map_or(Named::Not, Named::File);
        match self.file.take() {
            Some(mut file) if file.awaits_names => {
                file.diff_file.named = named;
                file.awaits_names = false;
                if file.diff_file.way == Way::Same {
                    file.diff_file.old = old;
                    file.diff_file.new = new;
                }
                self.file = Some(file);
            }
            file => {
                self.file = file;
                self.finish()?;
                let mut file = GitFile::new(DiffFile::new(line, old, new));
                file.diff_file.named = named;
                self.file = Some(file);
            }
        }
        self.at += 2;
        if self.is_body_at(self.at) {
            self.hunk(None)
        } else {
            Ok(())
        }
    }

    /// Reads the body of a hunk.
    fn hunk(&mut self, header: Option<HunkHeader>) -> Result<(), FormatError> {
        let start = self.at;
        // Without a header, the hunk begins at its first line.
        let line = if header.is_some() { start } else { start + 1 };
        let header = header.unwrap_or_default();
        let counted = header.counts.and_then(|counts| self.counted_end(counts));
        let end = match counted {
            Some(end) => end,
            None => self.marked_end(),
        };
        self.refuse_stray(end, counted.is_some())?;
        if let Some(counts) = header.counts.filter(|_| counted.is_none()) {
            self.refuse_cut_off(start..end, counts)?;
        }

        let mut lines = Vec::with_capacity(end - start);
        let mut missing = (false, false);
        for text in &self.lines[start..end] {
            let (tag, text) = match text.as_bytes().first() {
                Some(b'-') => (Tag::Delete, &text[1..]),
                Some(b'+') => (Tag::Insert, &text[1..]),
                Some(b'\\') => {
                    let tag = lines.last().map(|line: &HunkLine| line.tag);
                    missing.0 |= matches!(tag, Some(Tag::Delete | Tag::Keep));
                    missing.1 |= matches!(tag, Some(Tag::Insert | Tag::Keep));
                    continue;
                }
                first => (Tag::Keep, &text[usize::from(first.is_some())..]),
            };
            lines.push(HunkLine {
                tag,
                text: text.to_owned(),
            });
        }
        let mut hunk = diff::hunk(lines, None, missing);
        // For an insertion, the number is that of the line before.
        let is_insertion =
            header.counts.is_some_and(|(n_old, _)| n_old == 0) && hunk.old().next().is_none();
        hunk.hints.line = match (header.line, header.counts) {
            (Some(line), _) if is_insertion => Some(line.saturating_add(1)),
            (line, _) => line.filter(|line| *line > 0),
        };
        hunk.hints.above.extend(header.section);
        if hunk.lines.iter().all(|line| line.tag == Tag::Keep) {
            self.unchanged = self.unchanged.or(Some(line));
        }
        let above = &self.lines[self.below_hunk.min(line - 1)..line - 1];
        let mut named = file_name::path_above(above);
        // A heading between two hunks begins another file, although no names follow it.
        if let Some(file) = self
            .file
            .take_if(|file| file.diff_file.has_hunk && !named.is_same_or_not(&file.diff_file.named))
        {
            named = named.or(file.diff_file.named.clone());
            self.file_edits.extend(file.file_edits()?);
        }
        let unnamed = || {
            let mut file = GitFile::new(DiffFile::new(line, Side::Unnamed, Side::Unnamed));
            file.diff_file.named = named;
            file
        };
        let file = self.file.get_or_insert_with(unnamed);
        file.awaits_names = false;
        file.diff_file.push(line, hunk);
        self.at = end;
        self.below_hunk = end;
        Ok(())
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
        if self
            .lines
            .get(end)
            .is_some_and(|line| diff::is_newline_mark(line))
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
        let is_path = |name: &str| name.contains(['.', '/']) && !name.contains(' ');
        let sides = names_at(self.lines, i).map(|(old, new)| diff::sides(old, new, None));
        let is_file = match &sides {
            Some(Ok((old, new))) => match (old.name(), new.name()) {
                (Some(old), Some(new)) => old == new && is_path(old),
                (Some(path), None) | (None, Some(path)) => is_path(path),
                (None, None) => false,
            },
            _ => false,
        };
        is_file
            && self
                .lines
                .get(i + 2)
                .is_some_and(|line| line.starts_with("@@"))
    }

    /// The end of the body by its lines.
    fn marked_end(&self) -> usize {
        let is_in = |i: &usize| {
            (self.lines[*i].is_empty() || is_body(self.lines[*i])) && !self.is_boundary(*i)
        };
        let end = (self.at..self.lines.len())
            .find(|i| !is_in(i))
            .unwrap_or(self.lines.len());
        // Models leave empty lines before the closing fence.
        self.lines[self.at..end]
            .iter()
            .rposition(|line| !line.is_empty())
            .map_or(self.at, |last| self.at + last + 1)
    }

    /// Refuses a line below a hunk that might belong to it, such as a context line that lost its
    /// space. Otherwise the changes below it would be silently dropped.
    fn refuse_stray(&self, end: usize, is_counted: bool) -> Result<(), FormatError> {
        let stray = (end..self.lines.len()).find(|&i| !self.lines[i].trim().is_empty());
        let Some(stray) = stray.filter(|&i| !self.is_boundary(i)) else {
            return Ok(());
        };
        let is_change = |line: &str| line.starts_with(['+', '-']) && line.contains(|c| c != '-');
        let mut below = (stray..self.lines.len()).take_while(|&i| !self.is_boundary(i));
        if self.is_fenced || !is_counted && below.any(|i| is_change(self.lines[i])) {
            let what = quoted(self.lines[stray]);
            let message = format!(
                "{what} is in or below a hunk, expected a line that begins with a space, + or \
                    -: put a space before a line that stays"
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
        let is_last = self.lines[body.end..]
            .iter()
            .all(|line| line.trim().is_empty());
        let n_of = |mark: char| {
            let is_of = |line: &&&str| line.is_empty() || line.starts_with([' ', mark]);
            self.lines[body.clone()].iter().filter(is_of).count()
        };
        let more = |n: usize, mark: char| n.saturating_sub(n_of(mark));
        let ends = self.lines[..body.end]
            .last()
            .is_some_and(|line| line.starts_with('-'));
        if is_last && ends && more(n_new, '+') > more(n_old, '-').saturating_add(1) {
            let message = format!(
                "the hunk that begins here has {} of {n_new} new lines; the answer may have been \
                 cut off",
                n_of('+')
            );
            return Err(FormatError::at(body.start, message));
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
        let is_version = |line: &&str| line.starts_with(|c: char| c.is_ascii_digit());
        matches!(self.lines[i], "-- " | "--") && self.lines.get(i + 1).is_some_and(is_version)
    }

    fn is_body_at(&self, i: usize) -> bool {
        self.lines.get(i).is_some_and(|line| is_body(line)) && !self.is_boundary(i)
    }
}
