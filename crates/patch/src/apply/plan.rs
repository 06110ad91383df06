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

/// An edit of a patch, and its result.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct EditOutcome {
    /// The line of the patch on which the edit begins, counted from 1.
    pub patch_line: usize,
    /// The format that the edit is written in.
    pub format: Format,
    /// The path of the file, relative to the root. If no such file is known, the path as the patch
    /// has it.
    pub path: Option<String>,
    /// Whether the edit can be done.
    #[serde(flatten)]
    pub result: EditResult,
}

/// The result of one edit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(tag = "result", rename_all = "snake_case")]
pub enum EditResult {
    /// The edit can be done.
    Applies(Applied),
    /// The file is as the edit would make it.
    AlreadyApplied {
        /// The lines that have the new text.
        lines: Option<LineRange>,
    },
    /// The edit cannot be done.
    Failed(Failed),
}

/// An edit that can be done.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Applied {
    /// The way in which its place was found; `None` if there was nothing to find.
    pub rung: Option<Rung>,
    /// Its places in the original file.
    pub lines: Vec<LineRange>,
    /// The texts that are replaced, as the file spells them.
    pub replacements: Vec<Exchanged>,
    /// Parts of a sketch whose place only likeness shows.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub placed: Vec<PlacedPart>,
    /// Lines that a sketch removes, five or more in a row: no new ones take their place, or they have
    /// a definition that the sketch lacks. The sketch may lack a marker.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub removed: Vec<LineRange>,
    /// Tags and tokens at the end of the new text that belong to the answer. They are left out.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<String>,
}

/// A part of a sketch that replaces the lines of the file that it resembles.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct PlacedPart {
    /// The first line of the part.
    pub line: String,
    /// The lines of the file that it replaces.
    pub lines: LineRange,
    /// The names of definitions in these lines that the sketch lacks.
    pub removes: Vec<String>,
}

/// A stretch of a file, and the text that replaces it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Exchanged {
    /// The line on which it begins, counted from 1.
    pub line: usize,
    /// The old text, with `\n` as line ending; empty for an insertion.
    pub old: String,
    /// The new text, with `\n` as line ending.
    pub new: String,
}

/// An edit that cannot be done.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Failed {
    /// The kind of failure.
    pub kind: FailedKind,
    /// The failure in a sentence.
    pub message: String,
    /// What to do next, in a sentence.
    pub next: String,
    /// The searched text and what the file has instead, if a text was searched and not found.
    pub miss: Option<Box<Miss>>,
}

/// Why an edit cannot be done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FailedKind {
    /// The edit begins correctly, but cannot be read to its end.
    Malformed,
    /// The patch does not name the file.
    NoPath,
    /// There is no such file.
    NoFile,
    /// The name may mean several files.
    AmbiguousPath,
    /// The file that the patch would make exists already.
    Exists,
    /// The file cannot be read or edited.
    Unreadable,
    /// The text to change was not found, or it was found in several places.
    Place,
    /// The edit changes what another edit of the patch changes.
    Overlaps,
    /// The edit leaves out parts of the file, and it is unclear which.
    LeftOut,
    /// The file's encoding cannot express a character of the new text.
    Encoding,
    /// The file does not have these line numbers.
    Lines,
    /// A binary patch, a symbolic link, a submodule, or a change of the file's mode other than its
    /// executable bit.
    Unsupported,
}

impl PlannedFile {
    /// Its path after the patch; `None` if it is deleted.
    pub fn path_after(&self) -> Option<&str> {
        self.after.as_ref()?;
        Some(self.moved_to.as_ref().unwrap_or(&self.path))
    }
}

impl Failed {
    pub(super) fn new(
        kind: FailedKind,
        message: impl Into<String>,
        next: impl Into<String>,
    ) -> Failed {
        Failed {
            kind,
            message: stretch::message(message.into()),
            next: next.into(),
            miss: None,
        }
    }

    pub(super) fn of(miss: Miss) -> Failed {
        Failed {
            kind: FailedKind::Place,
            message: miss.headline(),
            next: miss.next.clone(),
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
