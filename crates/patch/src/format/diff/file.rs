//! A file's header and its hunks, and the edits that both mean together.

use super::names::{DiffSide, path_of};
use crate::format::file_name::FileMention;
use crate::format::patch::{Action, FileEdit, FormatError, Over};
use crate::hunk::{Hunk, Tag};

/// What a diff does with the name of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::format) enum PathChange {
    /// It stays.
    Same,
    /// The file is renamed.
    Move,
    /// The file stays, and the new name is a copy of it.
    Copy,
}

/// A file's header and the hunks below it.
pub(in crate::format) struct DiffFile<'a> {
    /// The line of the patch on which it begins, counted from 1.
    pub line: usize,
    /// The file's name before the patch.
    pub old: DiffSide,
    /// The file's name after the patch.
    pub new: DiffSide,
    /// What the lines above say about the file; its name as written, if the patch has it.
    pub named: FileMention<'a>,
    /// What the diff does with the old name.
    pub way: PathChange,
    /// Whether the file becomes executable; `None` if that does not change.
    pub is_executable: Option<bool>,
    /// Whether there was a hunk, even one that changes nothing.
    pub has_hunk: bool,
    /// The hunks that change something, each with its line in the patch.
    pub hunks: Vec<(usize, Hunk)>,
}

impl<'a> DiffFile<'a> {
    pub(in crate::format) fn new(line: usize, old: DiffSide, new: DiffSide) -> DiffFile<'a> {
        DiffFile {
            line,
            old,
            new,
            named: FileMention::Not,
            way: PathChange::Same,
            is_executable: None,
            has_hunk: false,
            hunks: Vec::new(),
        }
    }

    /// A file whose hunks have no names above them.
    pub(in crate::format) fn unnamed(line: usize) -> DiffFile<'a> {
        DiffFile::new(line, DiffSide::Unnamed, DiffSide::Unnamed)
    }

    /// Its name after the patch, or else before it.
    pub(in crate::format) fn path(&self) -> Option<&str> {
        self.new.name().or(self.old.name())
    }

    /// Adds a hunk, if it changes something.
    pub(in crate::format) fn push(&mut self, line: usize, mut hunk: Hunk) {
        self.has_hunk = true;
        if hunk.lines.iter().any(|line| line.tag != Tag::Keep) {
            hunk.hints.is_ordered = !self.hunks.is_empty();
            self.hunks.push((line, hunk));
        }
    }

    /// The edits of this file. Without hunks, only the names matter.
    ///
    /// # Errors
    /// If the names and the hunks together mean no edit.
    pub(in crate::format) fn file_edits(self) -> Result<Vec<FileEdit>, FormatError> {
        let old = self.old.clone().decided(self.new_text().is_some());
        let new = self.new.clone().decided(self.is_all_deleted());
        match (old, new) {
            (DiffSide::Absent, DiffSide::Absent) => Err(FormatError::at(
                self.line,
                "both names are /dev/null, expected one file name",
            )),
            (DiffSide::Named(path), DiffSide::Absent) => Ok(vec![self.deletion(&path)]),
            (DiffSide::Absent, DiffSide::Named(new)) => {
                // With a date of 0 a new file has the name of the other side, whose root is that of
                // the edits.
                let path = match &self.old {
                    DiffSide::Dated0(old) => path_of(old.clone(), new),
                    _ => new,
                };
                self.creation(&path)
            }
            (DiffSide::Named(old), DiffSide::Named(new)) => Ok(self.changes(old, new)),
            _ => {
                let named = self.named.clone();
                Ok(self.hunks_of(&named))
            }
        }
    }

    fn deletion(&self, path: &str) -> FileEdit {
        let action = if self.has_hunk && !self.is_all_deleted() {
            Action::Refused {
                is_malformed: true,
                message: "it deletes the file, and not all of the file's lines".to_owned(),
                next: "begin each line of the file with -, or name the file behind +++, too"
                    .to_owned(),
            }
        } else {
            // Without hunks the file is an empty one.
            let lines = self.hunks.iter().flat_map(|(_, hunk)| hunk.old());
            Action::Delete {
                holds: Some(lines.map(str::to_owned).collect()),
            }
        };
        FileEdit::of(path, self.line, action)
    }

    fn creation(self, path: &str) -> Result<Vec<FileEdit>, FormatError> {
        let mut file_edits = Vec::new();
        let Some(text) = self.new_text() else {
            // A model wrote /dev/null although the file exists, as its deleted lines show.
            file_edits.extend(self.mode(path));
            file_edits.extend(self.hunks_of(&FileMention::File(path)));
            return Ok(file_edits);
        };
        if let Some((line, _)) = self.hunks.get(1) {
            let message = "a new file has more than one hunk, expected one with all of its lines";
            return Err(FormatError::at(*line, message));
        }
        let over = Over::Nothing;
        file_edits.push(FileEdit::of(path, self.line, Action::Write { text, over }));
        file_edits.extend(self.mode(path));
        Ok(file_edits)
    }

    /// The edits of a file with both names.
    fn changes(self, old: String, new: String) -> Vec<FileEdit> {
        let mut file_edits = Vec::new();
        let path = match self.way {
            PathChange::Same => path_of(old, new),
            PathChange::Move => {
                let action = Action::Move { to: new };
                file_edits.push(FileEdit::of(&old, self.line, action));
                old
            }
            PathChange::Copy => {
                let action = Action::Copy { from: old };
                file_edits.push(FileEdit::of(&new, self.line, action));
                new
            }
        };
        file_edits.extend(self.mode(&path));
        file_edits.extend(self.hunks_of(&FileMention::File(&path)));
        file_edits
    }

    fn mode(&self, path: &str) -> Option<FileEdit> {
        let is_executable = self.is_executable?;
        let action = Action::Mode { is_executable };
        Some(FileEdit::of(path, self.line, action))
    }

    fn hunks_of(self, named: &FileMention) -> Vec<FileEdit> {
        let mut file_edits = Vec::new();
        for (line, hunk) in self.hunks {
            file_edits.push(named.edit(line, Action::Edit(hunk)));
        }
        file_edits
    }

    /// Whether there are hunks, and all of their lines are deleted.
    fn is_all_deleted(&self) -> bool {
        let mut lines = self.hunks.iter().flat_map(|(_, hunk)| &hunk.lines);
        !self.hunks.is_empty() && lines.all(|line| line.tag == Tag::Delete)
    }

    /// The text of a new file; `None` if the hunks search for lines. Empty lines that lost their `+`
    /// are not searched for, since no file exists that could have them.
    fn new_text(&self) -> Option<String> {
        let mut text = String::new();
        for (_, hunk) in &self.hunks {
            for line in &hunk.lines {
                if line.tag == Tag::Delete || line.tag == Tag::Keep && !line.text.is_empty() {
                    return None;
                }
                text.push_str(&line.text);
                text.push('\n');
            }
            if hunk.final_newline.is_some_and(|newline| !newline.after) {
                text.pop();
            }
        }
        Some(text)
    }
}
