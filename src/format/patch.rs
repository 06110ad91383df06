//! The edits that a text requests, in any format: the types that all formats share.

use crate::locate::hunk::Hunk;
use crate::slots::Insert;

/// The formats of patches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Format {
    /// Search/replace blocks, as Aider, Cline and Roo Code request them.
    SearchReplace,
    /// `*** Begin Patch`, as Codex requests it.
    Codex,
    /// Unified diff, also from git.
    Unified,
    /// JSON objects with `old_string` and `new_string`, and our own slots.
    Json,
    /// Context diff.
    Context,
    /// Normal diff, as `diff` prints it.
    Normal,
    /// RCS diff, as `diff -n` prints it.
    Rcs,
    /// ed script, as `diff -e` prints it.
    Ed,
    /// Whole files in fences, possibly with parts left out (`... existing code ...`).
    WholeFile,
}

impl Format {
    /// All formats in the order in which they are tried: those with the clearest marks first.
    pub const ALL: [Format; 9] = [
        Format::Codex,
        Format::SearchReplace,
        Format::Json,
        Format::Unified,
        Format::Context,
        Format::WholeFile,
        Format::Normal,
        Format::Rcs,
        Format::Ed,
    ];

    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Format::SearchReplace => "search-replace",
            Format::Codex => "codex",
            Format::Unified => "unified",
            Format::Json => "json",
            Format::Context => "context",
            Format::Normal => "normal",
            Format::Rcs => "rcs",
            Format::Ed => "ed",
            Format::WholeFile => "whole-file",
        }
    }
}

/// The edits that a text requests, before any file is read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Patch {
    /// The format of the text.
    pub format: Format,
    /// The edits in the order of the text; at least one.
    pub file_edits: Vec<FileEdit>,
}

impl Patch {
    /// The patch that undoes this one; `None` if it does not say what was there before.
    pub fn reversed(&self) -> Option<Patch> {
        let reverse = |file_edit: &FileEdit| match &file_edit.action {
            Action::Edit(hunk) => {
                Some(FileEdit { action: Action::Edit(hunk.reversed()), ..file_edit.clone() })
            }
            Action::Write { text, over: Over::Nothing } => {
                let holds = text.lines().map(str::to_owned).collect();
                Some(FileEdit {
                    action: Action::Delete { holds: Some(holds) },
                    ..file_edit.clone()
                })
            }
            Action::Delete { holds: Some(holds) } => {
                let text = holds.iter().flat_map(|line| [line.as_str(), "\n"]).collect();
                Some(FileEdit {
                    action: Action::Write { text, over: Over::Nothing },
                    ..file_edit.clone()
                })
            }
            Action::Move { to } => {
                let action = Action::Move { to: file_edit.path.clone()? };
                Some(FileEdit { path: Some(to.clone()), action, ..file_edit.clone() })
            }
            _ => None,
        };
        let file_edits: Option<Vec<FileEdit>> = self.file_edits.iter().map(reverse).collect();
        // Edits of a moved file must be searched under its new name.
        let mut file_edits = file_edits?;
        for i in 0..file_edits.len() {
            if let Action::Move { to } = file_edits[i].action.clone() {
                let from = file_edits[i].path.clone();
                file_edits
                    .iter_mut()
                    .filter(|file_edit| file_edit.path.as_ref() == Some(&to))
                    .for_each(|r| r.path.clone_from(&from));
            }
        }
        Some(Patch { format: self.format, file_edits })
    }
}

/// One requested edit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileEdit {
    /// The path of the file as written; `None` if the text names none.
    pub path: Option<String>,
    /// The line of the text on which the edit begins, counted from 1.
    pub line: usize,
    /// The requested action.
    pub action: Action,
}

/// An action on a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Action {
    /// Finds a text and changes it.
    Edit(Hunk),
    /// Changes lines by their numbers in the original file. The old lines are not given.
    Lines(LineEdit),
    /// Inserts lines before or after a line that stays.
    Insert(Insert),
    /// Writes the whole file.
    Write {
        /// The new content, without a byte order mark.
        text: String,
        /// Whether a file may be replaced.
        over: Over,
    },
    /// Deletes the file.
    Delete {
        /// The lines of the file, if the text gives them.
        holds: Option<Vec<String>>,
    },
    /// Renames the file. Its edits use the old name.
    Move {
        /// The new path.
        to: String,
    },
}

/// Whether a written file may replace another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Over {
    /// No file may exist: it is new.
    Nothing,
    /// Any file may exist: it is created or replaced.
    Anything,
    /// The file must exist. Parts that the text leaves out (`... existing code ...`) stay.
    File,
}

/// A change of lines by number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LineEdit {
    /// The first deleted line, counted from 1. If none is deleted, the line after which the new
    /// lines are inserted; 0 is the start of the file.
    pub line: usize,
    /// The number of deleted lines.
    pub n_deleted: usize,
    /// The new lines, without line endings.
    pub new: Vec<String>,
}

/// Why a text is not a patch.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FormatError {
    /// The text requests no edit.
    #[error("there is no edit in it")]
    NoEdit,
    /// An edit begins correctly, but cannot be read to its end.
    #[error("line {line}: {message}")]
    Malformed {
        /// The line with the error, counted from 1.
        line: usize,
        /// The error, and what was expected.
        message: String,
    },
}

impl FormatError {
    pub(super) fn at(line: usize, message: impl Into<String>) -> FormatError {
        FormatError::Malformed { line, message: message.into() }
    }
}

/// A line as a message shows it: in backticks, and only the beginning of a long one.
pub(super) fn quoted(line: &str) -> String {
    const N_CHARS: usize = 60;
    match line.char_indices().nth(N_CHARS) {
        Some((end, _)) => format!("`{}…`", &line[..end]),
        None => format!("`{line}`"),
    }
}
