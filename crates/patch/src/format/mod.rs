//! Reads the edits that models and tools write, in any format, as one common form.
//!
//! [`Patch::parse`] detects the formats of a text and reads it; [`Format::parse`] reads one format.
//! Both turn text into values and touch no file. A [`Patch`] has only what the text requests;
//! [`crate::locate`] finds the places. Each format has a file with its grammar at the top.
//!
//! Parsers accept mistakes that leave one clear meaning: prose around a block, missing spaces, wrong
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

    /// Reads a text of this format. The thoughts of a model in it are left out.
    ///
    /// # Errors
    /// [`FormatError::NoEdit`] if it has no edit, [`FormatError::Aside`] if only thoughts have one,
    /// [`FormatError::Malformed`] if one cannot be read.
    pub fn parse(self, text: &str) -> Result<Patch, FormatError> {
        let meant = without_thoughts(text);
        self.parse_meant(&meant.text)
            .map_err(|error| meant.explained(error))
    }

    fn parse_meant(self, text: &str) -> Result<Patch, FormatError> {
        match split(text) {
            Ok(mut split) if split.sections.iter().any(|section| section.format == self) => {
                split.sections.retain(|section| section.format == self);
                Patch::of_sections(&split)
            }
            // What is a part of which fence matters only to formats that may be parts of a text.
            Err(error) if Format::MARKED.contains(&self) => Err(error),
            _ => Ok(Patch::of(self, self.file_edits(text)?)),
        }
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
    /// The error of reading it. If only the thoughts have an edit, the error says so.
    fn explained(&self, error: FormatError) -> FormatError {
        if let (FormatError::NoEdit, Some((line, thoughts))) = (&error, &self.thoughts)
            && let Some(n) = first_trace(thoughts)
        {
            return FormatError::Aside {
                line: line + n - 1,
                what: "the model's thoughts",
            };
        }
        error
    }
}

impl Patch {
    /// Detects the formats of a text, and reads it. If it has several formats, each part is read in
    /// its own. The thoughts of a model are left out.
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
            let file_edits = match section.format.file_edits(&section.text) {
                Ok(mut file_edits) => {
                    for file_edit in &mut file_edits {
                        file_edit.line += section.n_above;
                    }
                    file_edits
                }
                // The other parts do not depend on it.
                Err(FormatError::Malformed { line, message }) => {
                    let line = line + section.n_above;
                    first_error.get_or_insert_with(|| FormatError::at(line, message.clone()));
                    vec![FileEdit::unnamed(line, Action::malformed(message))]
                }
                Err(_) => continue,
            };
            parts.push(Part {
                format: section.format,
                file_edits,
            });
        }

        let mut not_read = NotRead::of_traces(&split.traces);
        if parts.iter().any(|part| part.format != parts[0].format) {
            not_read.extend(take_files_of_others(&mut parts));
        }
        let mut asides = Vec::new();
        for aside in &split.asides {
            let line = aside.lines.start + 1;
            match &aside.path {
                Some(path) => not_read.push(NotRead {
                    format: Format::WholeFile,
                    line,
                    path: Some(path.clone()),
                }),
                None => asides.push(line),
            }
        }
        not_read.sort_by_key(|not_read| not_read.line);
        not_read.dedup_by_key(|not_read| not_read.line);

        let mut all = parts.iter().flat_map(|part| &part.file_edits);
        let has_read = all.any(|file_edit| !file_edit.action.is_malformed());
        match first_error {
            Some(error) if !has_read => Err(error),
            _ if parts.is_empty() => Err(FormatError::NoEdit),
            _ => Ok(Patch {
                parts,
                not_read,
                asides,
            }),
        }
    }
}

/// Takes out whole files that other parts may edit, in an answer with several formats.
///
/// A whole file there may be an illustration: it must be new, or a version of the existing file. A
/// block of code under the name of a file that other parts edit may be the old text, a part of it,
/// or the new text. It is taken out.
fn take_files_of_others(parts: &mut Vec<Part>) -> Vec<NotRead> {
    let edited: HashSet<String> = parts
        .iter()
        .filter(|part| part.format != Format::WholeFile)
        .flat_map(|part| &part.file_edits)
        .filter_map(|file_edit| file_edit.path.as_deref().map(plain_path))
        .collect();

    let mut not_read = Vec::new();
    for part in parts.iter_mut() {
        if part.format != Format::WholeFile {
            continue;
        }
        part.file_edits.retain_mut(|file_edit| {
            if let Action::Write { over, .. } = file_edit.action.itself_mut()
                && matches!(over, Over::Anything | Over::Version)
            {
                *over = Over::NothingOrVersion;
            }
            let mut names = file_edit.names().map(plain_path);
            let Some(path) = names.find(|path| edited.contains(path)) else {
                return true;
            };
            not_read.push(NotRead {
                format: Format::WholeFile,
                line: file_edit.line,
                path: Some(path),
            });
            false
        });
    }
    parts.retain(|part| !part.file_edits.is_empty());
    not_read
}

impl NotRead {
    fn of_traces(traces: &[(usize, Format)]) -> Vec<NotRead> {
        let mut not_read = Vec::new();
        for &(line_idx, format) in traces {
            not_read.push(NotRead {
                format,
                line: line_idx + 1,
                path: None,
            });
        }
        not_read
    }
}
