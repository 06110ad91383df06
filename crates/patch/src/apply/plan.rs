//! The result of a patch, as a value: the files that change, and the result of each edit.

use crate::diff::FileDiff;
use crate::edit::Replacement;
use crate::format::Format;
use crate::locate::Rung;
use crate::locate::miss::{LineRange, Miss};
use crate::locate::stretch;
use crate::text::Text;
use schemars::JsonSchema;
use serde::Serialize;

/// Read access to the files that a patch may change.
pub trait Files {
    /// The listed files, sorted. A path that is not listed may still mean one of them.
    fn listing(&self) -> &[String];

    /// A file's text; `None` if there is no such file.
    ///
    /// # Errors
    /// A sentence, if the file exists but cannot be edited.
    fn read(&self, path: &str) -> Result<Option<Text>, String>;

    /// Whether a file can be run as a program.
    fn is_executable(&self, _path: &str) -> bool {
        false
    }
}

/// The result of a patch.
#[derive(Debug, Default)]
pub struct Plan {
    /// The files that change, in the order in which the patch names them.
    pub files: Vec<PlannedFile>,
    /// The result of each edit, in the patch's order.
    pub outcomes: Vec<EditOutcome>,
}

/// A file that changes.
#[derive(Clone, Debug)]
pub struct PlannedFile {
    /// The path of the file, also if it is new.
    pub path: String,
    /// Its new path, if it is moved.
    pub moved_to: Option<String>,
    /// The path of the file that it is a copy of, if it is one.
    pub copied_from: Option<String>,
    /// Whether it can be run as a program afterwards, if that changes.
    pub is_executable: Option<bool>,
    /// Its text before the patch, or that of the file that it is a copy of; `None` if it is new.
    pub before: Option<Text>,
    /// Its bytes after the patch; `None` if it is deleted.
    pub after: Option<Vec<u8>>,
}

impl<'a> From<&'a PlannedFile> for FileDiff<'a> {
    fn from(file: &'a PlannedFile) -> FileDiff<'a> {
        FileDiff {
            path: &file.path,
            moved_to: file.moved_to.as_deref(),
            copied_from: file.copied_from.as_deref(),
            is_executable: file.is_executable,
            before: file.before.as_ref(),
            after: file.after.as_deref(),
        }
    }
}

/// What became of one edit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct EditOutcome {
    /// The line of the patch on which it begins, counted from 1.
    pub patch_line: usize,
    /// How it is written.
    pub format: Format,
    /// The file, relative to the root; as the patch names it where it is none.
    pub path: Option<String>,
    /// What became of it.
    #[serde(flatten)]
    pub result: EditResult,
}

/// What became of one edit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(tag = "result", rename_all = "snake_case")]
pub enum EditResult {
    /// It can be done.
    Applies(Applied),
    /// It is done already.
    AlreadyApplied {
        /// Where.
        lines: Option<LineRange>,
    },
    /// It cannot be done.
    Failed(Failed),
}

/// An edit that can be done.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Applied {
    /// How its place was found; none where there was nothing to find.
    pub rung: Option<Rung>,
    /// Its places in the file as it was.
    pub lines: Vec<LineRange>,
    /// What is exchanged, in the file's own spelling.
    pub replacements: Vec<Exchanged>,
    /// Parts of a sketch whose place only likeness tells.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub placed: Vec<PlacedPart>,
    /// Lines that a sketch removes: five or more in a row, without new ones in their place or with a
    /// definition that the sketch lacks. A marker may be missing.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub removed: Vec<LineRange>,
    /// Tags and tokens at the end of the new text that belong to the answer, and were left out.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<String>,
}

/// A part of a sketch that goes where the file has lines that it is a version of.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct PlacedPart {
    /// Its first line.
    pub line: String,
    /// The lines that it replaces.
    pub lines: LineRange,
    /// The names of the definitions in them that the sketch lacks.
    pub removes: Vec<String>,
}

/// A stretch of a file and what it becomes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Exchanged {
    /// The line it begins on, counted from 1.
    pub line: usize,
    /// What stood there, with line feeds only; empty for an insertion.
    pub old: String,
    /// What stands there now, likewise.
    pub new: String,
}

/// An edit that cannot be done.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Failed {
    /// A word for programs.
    pub kind: FailedKind,
    /// A sentence for people.
    pub message: String,
    /// What to do next.
    pub next: String,
    /// What was searched and what is there.
    pub miss: Option<Box<Miss>>,
}

/// Why an edit cannot be done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FailedKind {
    /// It begins as an edit, and cannot be read to its end.
    Malformed,
    /// The patch does not say which file.
    NoPath,
    /// There is no such file.
    NoFile,
    /// The name may mean several files.
    AmbiguousPath,
    /// The file is there, and the patch would make it.
    Exists,
    /// The file cannot be read or edited.
    Unreadable,
    /// The text to change was not found, or in several places.
    Place,
    /// It changes what another edit of the patch changes.
    Overlaps,
    /// It leaves out parts of the file, and which ones cannot be told.
    LeftOut,
    /// The file's encoding has no such character.
    Encoding,
    /// Line numbers that the file does not have.
    Lines,
    /// A binary patch, a symbolic link, a submodule, or another mode than that a file can be run.
    Unsupported,
}

impl Failed {
    pub(super) fn new(
        kind: FailedKind,
        message: impl Into<String>,
        next: impl Into<String>,
    ) -> Failed {
        let message = stretch::message(message.into());
        Failed {
            kind,
            message,
            next: next.into(),
            miss: None,
        }
    }

    pub(super) fn of(miss: Miss) -> Failed {
        let (message, next) = (miss.headline(), miss.next.clone());
        Failed {
            kind: FailedKind::Place,
            message,
            next,
            miss: Some(Box::new(miss)),
        }
    }
}

impl Plan {
    /// The edits that failed.
    pub fn failed(&self) -> impl Iterator<Item = (&EditOutcome, &Failed)> {
        self.outcomes
            .iter()
            .filter_map(|outcome| match &outcome.result {
                EditResult::Failed(failed) => Some((outcome, failed)),
                _ => None,
            })
    }

    /// The edits that can be done, with their files.
    pub fn applied(&self) -> impl Iterator<Item = (&str, &Applied)> {
        self.outcomes
            .iter()
            .filter_map(|EditOutcome { path, result, .. }| match result {
                EditResult::Applies(applied) => {
                    Some((path.as_deref().unwrap_or_default(), applied))
                }
                _ => None,
            })
    }
}

impl Exchanged {
    pub(super) fn of(shown: &str, replacement: &Replacement) -> Exchanged {
        Exchanged {
            line: shown[..replacement.range.start].matches('\n').count() + 1,
            old: shown[replacement.range.clone()].to_owned(),
            new: replacement.new.clone(),
        }
    }
}
