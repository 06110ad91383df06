//! A file of a unified diff: git's own lines about it, its names and its hunks, and the edits that
//! all of them mean together.

use super::lines::{GIT_HEADERS, git_names};
use crate::format::diff::{self, DiffFile, DiffSide, PathChange};
use crate::format::patch::{Action, FileEdit, FormatError};

/// Why a file of a diff is refused, and what to do instead.
pub(super) type Refused = (&'static str, &'static str);

pub(super) const BINARY: Refused = (
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

/// The bits of a mode that let a file be run.
const EXECUTABLE: u32 = 0o111;

/// A file's header, including git's lines, and its hunks.
pub(super) struct GitFile<'a> {
    pub diff_file: DiffFile<'a>,
    /// Whether its names may still follow git's header.
    pub awaits_names: bool,
    /// Whether git's names have prefixes; `None` without git's names.
    pub has_prefixes: Option<bool>,
    /// The line because of which it is refused, and why.
    pub refused: Option<(usize, Refused)>,
    is_new: bool,
    is_deleted: bool,
    /// The mode before, if it changes.
    old_mode: Option<u32>,
    /// The line that changes its mode other than by its executable bits.
    other_mode: Option<usize>,
}

impl<'a> GitFile<'a> {
    pub fn new(diff_file: DiffFile<'a>) -> GitFile<'a> {
        GitFile {
            diff_file,
            awaits_names: false,
            has_prefixes: None,
            refused: None,
            is_new: false,
            is_deleted: false,
            old_mode: None,
            other_mode: None,
        }
    }

    /// A file that begins with git's names, the text after `diff --git`. `line` is counted from 1.
    pub fn of_git(names: &str, line: usize) -> Result<GitFile<'a>, FormatError> {
        let names = git_names(names).map_err(|message| FormatError::at(line, message))?;
        let mut file = GitFile::new(DiffFile::unnamed(line));
        file.awaits_names = true;
        if let Some((old, new)) = &names {
            let (stripped_old, stripped_new) = diff::without_prefixes(old, new);
            file.has_prefixes = Some(stripped_old != old);
            file.diff_file.old = DiffSide::Named(stripped_old.to_owned());
            file.diff_file.new = DiffSide::Named(stripped_new.to_owned());
        }
        Ok(file)
    }

    /// Reads a line below git's names, which is counted from 1. Returns whether it is one of git's.
    pub fn read_header(&mut self, text: &str, line: usize) -> Result<bool, FormatError> {
        let Some(header) = GIT_HEADERS.iter().find(|header| text.starts_with(**header)) else {
            return Ok(false);
        };
        let value = &text[header.len()..];
        match *header {
            "new file mode " => {
                self.is_new = true;
                let is_executable = octal(value).is_some_and(|mode| mode & EXECUTABLE != 0);
                self.diff_file.is_executable = is_executable.then_some(true);
            }
            "deleted file mode " => self.is_deleted = true,
            "old mode " => self.old_mode = octal(value),
            "new mode " => self.change_mode(value, line),
            "rename from " | "rename old " | "copy from " => {
                self.diff_file.old = header_name(value, line)?;
            }
            "rename to " => {
                self.diff_file.new = header_name(value, line)?;
                self.diff_file.way = PathChange::Move;
            }
            "copy to " => {
                self.diff_file.new = header_name(value, line)?;
                self.diff_file.way = PathChange::Copy;
            }
            _ => {}
        }

        // The content of a symbolic link or a submodule is not a file's text.
        let is_mode = header.ends_with("mode ") || *header == "index ";
        let mode = value.rsplit(' ').next().unwrap_or_default();
        if is_mode && ["120000", "160000"].contains(&mode) {
            self.refused.get_or_insert((line, LINK));
        }
        Ok(true)
    }

    fn change_mode(&mut self, mode: &str, line: usize) {
        if let (Some(old), Some(new)) = (self.old_mode, octal(mode))
            && (old & EXECUTABLE == 0) != (new & EXECUTABLE == 0)
        {
            self.diff_file.is_executable = Some(new & EXECUTABLE != 0);
        } else {
            self.other_mode = Some(line);
        }
    }

    /// Whether both names are known, or that there is none.
    pub fn has_names(&self) -> bool {
        self.diff_file.old != DiffSide::Unnamed && self.diff_file.new != DiffSide::Unnamed
    }

    pub fn file_edits(self) -> Result<Vec<FileEdit>, FormatError> {
        let mut diff_file = self.diff_file;
        if let Some((line, reason)) = self.refused {
            return Ok(vec![match diff_file.path() {
                // The bytes of a binary file are not compared.
                Some(path) if self.is_deleted && reason == BINARY => {
                    let action = Action::Delete { holds: None };
                    FileEdit::of(path, line.min(diff_file.line), action)
                }
                path => refused(line, path, reason),
            }]);
        }

        if self.is_deleted {
            diff_file.new = DiffSide::Absent;
        } else if self.is_new {
            diff_file.old = DiffSide::Absent;
        }
        let says_all = self.is_new
            || self.is_deleted
            || diff_file.way != PathChange::Same
            || diff_file.is_executable.is_some()
            || diff_file.new == DiffSide::Absent;
        if !diff_file.has_hunk && !says_all {
            if let Some(line) = self.other_mode {
                return Ok(vec![refused(line, diff_file.path(), OTHER_MODE)]);
            }
            return Err(FormatError::at(
                diff_file.line,
                "no hunk follows the file's names, expected a line that begins with @@",
            ));
        }
        let is_new = matches!(diff_file.old, DiffSide::Absent | DiffSide::Dated0(_));
        if diff_file.hunks.is_empty() && diff_file.has_hunk && is_new {
            return Err(FormatError::at(
                diff_file.line,
                "no line of the new file begins with +, expected all to",
            ));
        }
        diff_file.file_edits()
    }
}

pub(super) fn refused(line: usize, path: Option<&str>, (message, next): Refused) -> FileEdit {
    FileEdit {
        path: path.map(str::to_owned),
        line,
        action: Action::Refused {
            is_malformed: false,
            message: message.to_owned(),
            next: next.to_owned(),
        },
    }
}

/// The name in one of git's lines.
fn header_name(value: &str, line: usize) -> Result<DiffSide, FormatError> {
    if !value.starts_with('"') {
        return Ok(DiffSide::Named(value.to_owned()));
    }
    let (name, _) = diff::unquoted(value).map_err(|message| FormatError::at(line, message))?;
    Ok(DiffSide::Named(name))
}

fn octal(mode: &str) -> Option<u32> {
    u32::from_str_radix(mode.trim(), 8).ok()
}
