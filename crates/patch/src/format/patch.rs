//! The types that all formats share: a patch, its edits, and the errors of reading one.

use crate::hunk::Hunk;
use crate::slots::Insert;
use schemars::JsonSchema;
use serde::Serialize;

/// A format in which models and tools write edits.
// Serialized as `name` gives it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
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
    /// All formats, those with the clearest marks first.
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
    /// The parts of the text, in its order; at least one.
    pub parts: Vec<Part>,
    /// Parts of the text that look like further edits and were not read.
    pub not_read: Vec<NotRead>,
    /// The lines, counted from 1, of code fences without a file's name. They are illustrations.
    pub asides: Vec<usize>,
}

/// A part of a text that is in one format.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// The format of the part.
    pub format: Format,
    /// The edits in the order of the text; at least one.
    pub file_edits: Vec<FileEdit>,
}

/// A part of the text that looks like an edit and was not read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotRead {
    /// The format that it seems to be in.
    pub format: Format,
    /// The line on which it begins, counted from 1.
    pub line: usize,
    /// The path of the file whose whole text it may be. Other parts of the patch edit that file, or
    /// only prose names it.
    pub path: Option<String>,
}

impl Patch {
    /// A patch in one format.
    pub fn of(format: Format, file_edits: Vec<FileEdit>) -> Patch {
        Patch {
            parts: vec![Part { format, file_edits }],
            not_read: Vec::new(),
            asides: Vec::new(),
        }
    }

    /// Its edits, in the order of the text.
    pub fn file_edits(&self) -> impl Iterator<Item = &FileEdit> {
        self.parts.iter().flat_map(|part| &part.file_edits)
    }

    /// Its edits, in the order of the text, to change them.
    pub fn file_edits_mut(&mut self) -> impl Iterator<Item = &mut FileEdit> {
        self.parts.iter_mut().flat_map(|part| &mut part.file_edits)
    }

    /// Its format; `None` if its parts are in several.
    pub fn format(&self) -> Option<Format> {
        let first = self.parts.first()?.format;
        self.parts
            .iter()
            .all(|part| part.format == first)
            .then_some(first)
    }

    /// The patch that undoes this one; `None` if it does not say what was there before.
    pub fn reversed(&self) -> Option<Patch> {
        let mut reversed = self.clone();
        let mut moves = Vec::new();
        for file_edit in reversed.file_edits_mut() {
            file_edit.action = file_edit.action.reversed(&mut file_edit.path)?;
            if let Action::Move { to } = &file_edit.action {
                moves.push((file_edit.path.clone(), Some(to.clone())));
            }
        }

        // Edits of a moved file must be searched under its new name.
        for (from, to) in moves {
            for file_edit in reversed.file_edits_mut().filter(|edit| edit.path == to) {
                file_edit.path.clone_from(&from);
            }
        }
        Some(reversed)
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

impl FileEdit {
    /// An edit of the file that the text names so.
    pub(super) fn of(path: &str, line: usize, action: Action) -> FileEdit {
        FileEdit {
            path: Some(path.to_owned()),
            line,
            action,
        }
    }

    /// An edit of a file that the text does not name.
    pub(super) fn unnamed(line: usize, action: Action) -> FileEdit {
        FileEdit {
            path: None,
            line,
            action,
        }
    }

    /// The names of the file: its own, or those in the prose above.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        let in_prose = match &self.action {
            Action::OneOf { names, .. } => names.as_slice(),
            _ => &[],
        };
        self.path.iter().chain(in_prose).map(String::as_str)
    }
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
    /// Creates the file as a copy of another one. Its edits use the new name.
    Copy {
        /// The path of the other file, which does not change.
        from: String,
    },
    /// Sets or clears the file's executable bit.
    Mode {
        /// Whether the file becomes executable.
        is_executable: bool,
    },
    /// An edit that cannot be made. Other edits of the patch can.
    Refused {
        /// Whether the edit cannot be read. If not, it is of a kind that is not supported.
        is_malformed: bool,
        /// The reason, in a sentence.
        message: String,
        /// What to do next, in a sentence.
        next: String,
    },
    /// An action on a file that only prose names. [`FileEdit::path`] is `None`.
    OneOf {
        /// Names in the prose. The file is the only one of them that exists.
        names: Vec<String>,
        /// The action, which is no `OneOf`.
        action: Box<Action>,
    },
}

impl Action {
    /// A part of the text that begins as an edit and cannot be read to its end.
    pub(super) fn malformed(message: String) -> Action {
        Action::Refused {
            is_malformed: true,
            message,
            next: "send this part again".to_owned(),
        }
    }

    pub(super) fn is_malformed(&self) -> bool {
        matches!(
            self,
            Action::Refused {
                is_malformed: true,
                ..
            }
        )
    }

    /// The action that undoes this one. That of a move finds the file under another path.
    fn reversed(&self, path: &mut Option<String>) -> Option<Action> {
        Some(match self {
            Action::Edit(hunk) => Action::Edit(hunk.reversed()),
            Action::Write {
                text,
                over: Over::Nothing,
            } => Action::Delete {
                holds: Some(text.lines().map(str::to_owned).collect()),
            },
            Action::Delete { holds: Some(holds) } => Action::Write {
                text: holds.iter().flat_map(|line| [line, "\n"]).collect(),
                over: Over::Nothing,
            },
            Action::Move { to } => Action::Move {
                to: path.replace(to.clone())?,
            },
            Action::Mode { is_executable } => Action::Mode {
                is_executable: !is_executable,
            },
            Action::Refused { .. } => self.clone(),
            Action::OneOf { names, action } => Action::OneOf {
                names: names.clone(),
                action: Box::new(action.reversed(&mut None)?),
            },
            _ => return None,
        })
    }

    /// The action itself, however its file is named.
    pub fn itself_mut(&mut self) -> &mut Action {
        match self {
            Action::OneOf { action, .. } => action,
            _ => self,
        }
    }

    /// The action itself, however its file is named.
    pub fn itself(&self) -> &Action {
        match self {
            Action::OneOf { action, .. } => action,
            _ => self,
        }
    }
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
    /// The file must exist, and the text must be a version of it: it has at least half of its lines.
    /// Only prose names the file, so that the text may be a part of it.
    Version,
    /// Either no file exists, or the text is a version of it: it has at least half of its lines.
    /// Other parts of the patch are in other formats, so that the text may be an illustration.
    NothingOrVersion,
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
    /// The only edit of the text is in a part that requests nothing.
    #[error("the only edit, on line {line}, is in {what}, and is not applied")]
    Aside {
        /// The line on which it begins, counted from 1.
        line: usize,
        /// The part of the text that it is in.
        what: &'static str,
    },
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
        FormatError::Malformed {
            line,
            message: message.into(),
        }
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
