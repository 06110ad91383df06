//! What a text asks for, whatever its format: the types that all formats share.

use crate::locate::hunk::Hunk;
use crate::slots::Insert;

/// The formats.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Format {
    /// Search/replace blocks, as Aider, Cline and Roo Code ask for.
    SearchReplace,
    /// `*** Begin Patch`, as Codex asks for.
    Codex,
    /// Unified diff, of git too.
    Unified,
    /// Objects with `old_string` and `new_string`, and our own slots.
    Json,
    /// Context diff.
    Context,
    /// Normal diff, what `diff` prints.
    Normal,
    /// RCS diff, what `diff -n` prints.
    Rcs,
    /// ed script, what `diff -e` prints.
    Ed,
    /// Whole files in fences, also with parts left out (`... existing code ...`).
    WholeFile,
}

impl Format {
    /// All of them, in the order in which they are looked for: the ones with the plainest marks
    /// first.
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

/// What a text asks for, before any file is looked at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Patch {
    /// How it is written.
    pub format: Format,
    /// In the order of the text; at least one.
    pub file_edits: Vec<FileEdit>,
}

impl Patch {
    /// The patch that takes this one back; none where it does not say what was there before.
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
        // Edits of a file that was moved are to be found under its new name.
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

/// One thing that is asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileEdit {
    /// The file as the text names it; none where it names none.
    pub path: Option<String>,
    /// The line of the text on which it begins, counted from 1.
    pub line: usize,
    /// What is to be done.
    pub action: Action,
}

/// What is to be done to a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Action {
    /// A place is found and changed.
    Edit(Hunk),
    /// Lines are changed by their numbers in the file as it was: nothing says what stood there.
    Lines(LineEdit),
    /// Lines come before or after a line that stays.
    Insert(Insert),
    /// All of the file.
    Write {
        /// What it is to hold, without a byte order mark.
        text: String,
        /// What may be there before.
        over: Over,
    },
    /// The file is removed.
    Delete {
        /// Its lines, where the text says what it holds.
        holds: Option<Vec<String>>,
    },
    /// The file gets another name; edits of it are named after the old one.
    Move {
        /// Its new path.
        to: String,
    },
}

/// What may be there where a file is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Over {
    /// Nothing: it is a new file.
    Nothing,
    /// Anything: it is made or replaced.
    Anything,
    /// The file: it is replaced, and parts that the text leaves out (`... existing code ...`) stay.
    File,
}

/// Lines that are changed by number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LineEdit {
    /// The first line that goes, counted from 1; where none goes, the one after which the new ones
    /// come, 0 for the start of the file.
    pub line: usize,
    /// How many go.
    pub n_deleted: usize,
    /// What comes there, without line endings.
    pub new: Vec<String>,
}

/// Why a text is no patch.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FormatError {
    /// Nothing in it asks for an edit.
    #[error("there is no edit in it")]
    NoEdit,
    /// It begins like one and goes on otherwise.
    #[error("line {line}: {message}")]
    Malformed {
        /// The line, counted from 1.
        line: usize,
        /// What is wrong, and what was expected.
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
