//! Reads the edits that other models and tools write, in any format, as one common form. Each
//! format has a file with its grammar at the top. Pure: from text to [`Patch`], without files. A
//! parser returns only what is requested; [`crate::locate`] finds the places.
//!
//! Parsers accept errors that leave one clear meaning: prose around a block, missing spaces, wrong
//! counts. They refuse everything else, with the line that they could not read.

mod codex;
mod context;
mod diff;
mod ed;
mod file_name;
mod json;
mod normal;
mod patch;
mod rcs;
mod search_replace;
mod sections;
#[cfg(test)]
mod testing;
mod thoughts;
mod traces;
mod unified;
mod whole_file;
mod xml_call;

pub use json::objects_in;
pub use patch::{Action, FileEdit, Format, FormatError, LineEdit, NotRead, Over, Part, Patch};

use crate::text::paths::plain_path;
use sections::{Split, split};
use std::collections::HashSet;
use thoughts::{Meant, without_thoughts};
use traces::first_trace;

impl Format {
    /// Formats whose parts can be told from the prose around them.
    const MARKED: [Format; 4] = [
        Format::Codex,
        Format::SearchReplace,
        Format::Json,
        Format::Unified,
    ];

    /// Reads a text of this format, without the thoughts of a model in it.
    ///
    /// # Errors
    /// [`FormatError::NoEdit`] if it has no edit, [`FormatError::Aside`] if only thoughts have one,
    /// [`FormatError::Malformed`] if one cannot be read.
    pub fn parse(self, text: &str) -> Result<Patch, FormatError> {
        let meant = without_thoughts(text);
        match split(&meant.text) {
            Ok(split) if split.sections.iter().any(|section| section.format == self) => {
                let mut split = split;
                split.sections.retain(|section| section.format == self);
                Patch::of_sections(&split)
            }
            // What is a part of which fence matters only to formats that may be parts of a text.
            Err(error) if Format::MARKED.contains(&self) => Err(error),
            _ => self
                .file_edits(&meant.text)
                .map(|file_edits| Patch::of(self, file_edits)),
        }
        .map_err(|error| meant.explained(error))
    }

    /// The edits of a text of this format, which has no other parts.
    fn file_edits(self, text: &str) -> Result<Vec<FileEdit>, FormatError> {
        let file_edits = match self {
            Format::SearchReplace => search_replace::parse(text),
            Format::Codex => codex::parse(text),
            Format::Unified => unified::parse(text),
            Format::Json => json::parse(text),
            Format::Context => context::parse(text),
            Format::Normal => normal::parse(text),
            Format::Rcs => rcs::parse(text),
            Format::Ed => ed::parse(text),
            Format::WholeFile => whole_file::parse(text),
        }?;
        if file_edits.is_empty() {
            Err(FormatError::NoEdit)
        } else {
            Ok(file_edits)
        }
    }
}

impl Meant<'_> {
    /// Why there is no edit, if it is because of what was taken out.
    fn explained(&self, error: FormatError) -> FormatError {
        match (&error, &self.thoughts) {
            (FormatError::NoEdit, Some((line, thoughts))) => match first_trace(thoughts) {
                Some(n) => FormatError::Aside {
                    line: line + n - 1,
                    what: "the model's thoughts",
                },
                None => error,
            },
            _ => error,
        }
    }
}

impl Patch {
    /// Detects the formats of a text, and reads it. If several formats are in it, each part is read
    /// in its own. Thoughts of a model are no request.
    ///
    /// # Errors
    /// As [`Format::parse`].
    pub fn parse(text: &str) -> Result<Patch, FormatError> {
        let meant = without_thoughts(text);
        Patch::of_meant(&meant.text).map_err(|error| meant.explained(error))
    }

    fn of_meant(text: &str) -> Result<Patch, FormatError> {
        let split = split(text)?;
        if !split.sections.is_empty() {
            return Patch::of_sections(&split);
        }

        // Formats with few marks, where nothing else is. In a fence, a context diff would be a section.
        let format = if split.asides.is_empty() && context::is_in(text) {
            Format::Context
        } else if whole_file::is_in(text) {
            Format::WholeFile
        } else if normal::is_in(text) {
            Format::Normal
        } else if rcs::is_in(text) {
            Format::Rcs
        } else if ed::is_in(text) {
            Format::Ed
        } else {
            return Err(match split.traces.first() {
                Some((line_idx, _)) if !split.asides.is_empty() => FormatError::Aside {
                    line: line_idx + 1,
                    what: "a fence with other text",
                },
                _ => FormatError::NoEdit,
            });
        };
        let mut patch = Patch::of(format, format.file_edits(text)?);
        // The only fence of a text is read as it is.
        if format != Format::WholeFile {
            patch.not_read = NotRead::of_traces(&split.traces);
        }
        Ok(patch)
    }

    fn of_sections(split: &Split) -> Result<Patch, FormatError> {
        let mut parts = Vec::new();
        let mut first_error = None;
        for section in &split.sections {
            match section.format.file_edits(&section.text) {
                Ok(mut file_edits) => {
                    file_edits
                        .iter_mut()
                        .for_each(|file_edit| file_edit.line += section.n_above);
                    parts.push(Part {
                        format: section.format,
                        file_edits,
                    });
                }
                Err(FormatError::Malformed { line, message }) => {
                    // The other parts do not depend on it.
                    let line = line + section.n_above;
                    first_error.get_or_insert_with(|| FormatError::at(line, message.clone()));
                    let unread = FileEdit {
                        path: None,
                        line,
                        action: Action::malformed(message),
                    };
                    parts.push(Part {
                        format: section.format,
                        file_edits: vec![unread],
                    });
                }
                Err(_) => {}
            }
        }
        let is_mixed = parts.iter().any(|part| part.format != parts[0].format);
        let mut not_read = NotRead::of_traces(&split.traces);
        if is_mixed {
            not_read.extend(take_files_of_others(&mut parts));
        }
        for aside in &split.asides {
            let (line, path) = (aside.lines.start + 1, aside.path.clone());
            not_read.extend(path.map(|path| NotRead {
                format: Format::WholeFile,
                line,
                path: Some(path),
            }));
        }
        not_read.sort_by_key(|not_read| not_read.line);
        not_read.dedup_by_key(|not_read| not_read.line);

        let is_read = |file_edit: &FileEdit| {
            !matches!(
                file_edit.action,
                Action::Refused {
                    is_malformed: true,
                    ..
                }
            )
        };
        let has_read = parts.iter().flat_map(|part| &part.file_edits).any(is_read);
        if let Some(error) = first_error.filter(|_| !has_read) {
            return Err(error);
        }
        if parts.is_empty() {
            return Err(FormatError::NoEdit);
        }
        let unnamed = split.asides.iter().filter(|aside| aside.path.is_none());
        let asides = unnamed.map(|aside| aside.lines.start + 1).collect();
        Ok(Patch {
            parts,
            not_read,
            asides,
        })
    }
}

/// In an answer with several formats, a whole file may be an illustration: it must be new, or a
/// version of what is there. A block of code under the name of a file that other parts edit may be
/// what is there, a part of it, or what it becomes, and is taken out.
fn take_files_of_others(parts: &mut Vec<Part>) -> Vec<NotRead> {
    let edited: HashSet<String> = parts
        .iter()
        .filter(|part| part.format != Format::WholeFile)
        .flat_map(|part| &part.file_edits)
        .filter_map(|file_edit| file_edit.path.as_deref().map(plain_path))
        .collect();
    let mut not_read = Vec::new();
    for part in parts
        .iter_mut()
        .filter(|part| part.format == Format::WholeFile)
    {
        let format = part.format;
        part.file_edits.retain_mut(|file_edit| {
            if let Action::Write { over, .. } = file_edit.action.itself_mut()
                && matches!(over, Over::Anything | Over::Version)
            {
                *over = Over::NothingOrVersion;
            }
            let path = file_edit
                .names()
                .map(plain_path)
                .find(|path| edited.contains(path));
            let is_read = path.is_none();
            not_read.extend(path.map(|path| NotRead {
                format,
                line: file_edit.line,
                path: Some(path),
            }));
            is_read
        });
    }
    parts.retain(|part| !part.file_edits.is_empty());
    not_read
}

impl NotRead {
    fn of_traces(traces: &[(usize, Format)]) -> Vec<NotRead> {
        let of = |(line_idx, format): &(usize, Format)| NotRead {
            format: *format,
            line: line_idx + 1,
            path: None,
        };
        traces.iter().map(of).collect()
    }
}
