//! A file's header and its hunks, and the edits that both mean together.

use super::names::{Side, path_of};
use crate::format::file_name::Named;
use crate::format::patch::{Action, FileEdit, FormatError, Over};
use crate::hunk::{Hunk, Tag};

/// What a diff does with the name of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::format) enum Way {
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
    pub old: Side,
    /// The file's name after the patch.
    pub new: Side,
    /// What the lines above say about the file; its name as written, if the patch has it.
    pub named: Named<'a>,
    /// What becomes of the old name.
    pub way: Way,
    /// Whether the file becomes one that can be run, or stops being one.
    pub is_executable: Option<bool>,
    /// Whether there was a hunk, even one that changes nothing.
    pub has_hunk: bool,
    /// The hunks that change something, each with its line in the patch.
    pub hunks: Vec<(usize, Hunk)>,
}

impl<'a> DiffFile<'a> {
    pub(in crate::format) fn new(line: usize, old: Side, new: Side) -> DiffFile<'a> {
        let named = Named::Not;
        DiffFile {
            line,
            old,
            new,
            named,
            way: Way::Same,
            is_executable: None,
            has_hunk: false,
            hunks: Vec::new(),
        }
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
        let line = self.line;
        let named_edits = |named: Named, hunks: Vec<(usize, Hunk)>| -> Vec<FileEdit> {
            let file_edit = |(line, hunk)| {
                let (path, action) = named.of(Action::Edit(hunk));
                FileEdit { path, line, action }
            };
            hunks.into_iter().map(file_edit).collect()
        };
        let edits = |path: &str, hunks| named_edits(Named::File(path), hunks);
        let one = |path: String, action: Action| {
            vec![FileEdit {
                path: Some(path),
                line,
                action,
            }]
        };
        let mode = |path: &str| -> Vec<FileEdit> {
            let action = self
                .is_executable
                .map(|is_executable| Action::Mode { is_executable });
            action.map_or(Vec::new(), |action| one(path.to_owned(), action))
        };
        let is_all = |tag: Tag| {
            let mut lines = self.hunks.iter().flat_map(|(_, hunk)| &hunk.lines);
            !self.hunks.is_empty() && lines.all(|line| line.tag == tag)
        };
        // With a date of 0 a new file has the name of the other side, whose root is that of the edits.
        let dated = match &self.old {
            Side::Dated0(name) => Some(name.clone()),
            _ => None,
        };
        let old = self.old.decided(written(&self.hunks).is_some());
        let new = self.new.decided(is_all(Tag::Delete));
        Ok(match (old, new) {
            (Side::Absent, Side::Absent) => {
                return Err(FormatError::at(
                    line,
                    "both names are /dev/null, expected one file name",
                ));
            }
            (Side::Named(path), Side::Absent) if self.has_hunk && !is_all(Tag::Delete) => {
                let message = "it deletes the file, and not all of the file's lines";
                let next = "begin each line of the file with -, or name the file behind +++, too";
                let (message, next) = (message.to_owned(), next.to_owned());
                one(
                    path,
                    Action::Refused {
                        is_malformed: true,
                        message,
                        next,
                    },
                )
            }
            // Without hunks the file is an empty one.
            (Side::Named(path), Side::Absent) => {
                let lines = self.hunks.iter().flat_map(|(_, hunk)| hunk.old());
                one(
                    path,
                    Action::Delete {
                        holds: Some(lines.map(str::to_owned).collect()),
                    },
                )
            }
            (Side::Absent, Side::Named(new)) => {
                let path = dated.map_or(new.clone(), |old| path_of(old, new));
                match written(&self.hunks) {
                    // A model wrote /dev/null although the file exists, as its deleted lines show.
                    None => [mode(&path), edits(&path, self.hunks)].concat(),
                    Some(_) if self.hunks.len() > 1 => {
                        let message =
                            "a new file has more than one hunk, expected one with all of its lines";
                        return Err(FormatError::at(self.hunks[1].0, message));
                    }
                    Some(text) => {
                        let mode = mode(&path);
                        [
                            one(
                                path,
                                Action::Write {
                                    text,
                                    over: Over::Nothing,
                                },
                            ),
                            mode,
                        ]
                        .concat()
                    }
                }
            }
            (Side::Named(old), Side::Named(new)) => match self.way {
                Way::Move => {
                    let renamed = one(old.clone(), Action::Move { to: new });
                    [renamed, mode(&old), edits(&old, self.hunks)].concat()
                }
                Way::Copy => {
                    let copied = one(new.clone(), Action::Copy { from: old });
                    [copied, mode(&new), edits(&new, self.hunks)].concat()
                }
                Way::Same => {
                    let path = path_of(old, new);
                    [mode(&path), edits(&path, self.hunks)].concat()
                }
            },
            _ => named_edits(self.named, self.hunks),
        })
    }
}

/// The text of a new file; `None` if the hunks search for lines. Empty lines that lost their `+`
/// are not searched for, since no file exists that could have them.
fn written(hunks: &[(usize, Hunk)]) -> Option<String> {
    let mut text = String::new();
    for (_, hunk) in hunks {
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
