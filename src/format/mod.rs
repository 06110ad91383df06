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
mod unified;
mod whole_file;

pub(crate) use json::objects_in;
pub use patch::{Action, FileEdit, Format, FormatError, LineEdit, NotRead, Over, Part, Patch};

use crate::text::paths::plain_path;
use sections::{Section, sections};
use std::collections::HashSet;

impl Format {
    /// Whether a text has the marks of this format, even if it is malformed.
    fn is_in(self, text: &str) -> bool {
        match self {
            Format::SearchReplace => search_replace::is_in(text),
            Format::Codex => codex::is_in(text),
            Format::Unified => unified::is_in(text),
            Format::Json => json::is_in(text),
            Format::Context => context::is_in(text),
            Format::Normal => normal::is_in(text),
            Format::Rcs => rcs::is_in(text),
            Format::Ed => ed::is_in(text),
            Format::WholeFile => whole_file::is_in(text),
        }
    }

    /// Reads a text of this format.
    ///
    /// # Errors
    /// [`FormatError::NoEdit`] if it has no edit, [`FormatError::Malformed`] if one cannot be read.
    pub fn parse(self, text: &str) -> Result<Patch, FormatError> {
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
            Ok(Patch::of(self, file_edits))
        }
    }
}

impl Patch {
    /// Detects the formats of a text, and reads it. If several formats are in it, each part is read
    /// in its own.
    ///
    /// # Errors
    /// As [`Format::parse`].
    pub fn parse(text: &str) -> Result<Patch, FormatError> {
        let detected = || Format::ALL.into_iter().find(|format| format.is_in(text));
        let Some(sections) = sections(text) else {
            let format = detected().ok_or(FormatError::NoEdit)?;
            return Ok(Patch { not_read: others_in(text, format), ..format.parse(text)? });
        };
        match sections.first().map(|first| first.format) {
            Some(first) if sections.iter().any(|section| section.format != first) => {
                Patch::of_sections(text, &sections)
            }
            // Whole files have the fewest marks.
            Some(first) if first != Format::WholeFile => first.parse(text),
            _ => detected().ok_or(FormatError::NoEdit)?.parse(text),
        }
    }

    fn of_sections(text: &str, sections: &[Section]) -> Result<Patch, FormatError> {
        let mut parts = Vec::new();
        let mut first_error = None;
        for section in sections {
            match section.format.parse(&text[section.text.clone()]) {
                Ok(mut patch) => {
                    let lines = patch.file_edits_mut().map(|file_edit| &mut file_edit.line);
                    lines.for_each(|line| *line += section.n_above);
                    parts.extend(patch.parts);
                }
                Err(FormatError::NoEdit) => {}
                Err(FormatError::Malformed { line, message }) => {
                    // The other parts do not depend on it.
                    let line = line + section.n_above;
                    first_error.get_or_insert_with(|| FormatError::at(line, message.clone()));
                    let unread = FileEdit { path: None, line, action: Action::malformed(message) };
                    parts.push(Part { format: section.format, file_edits: vec![unread] });
                }
            }
        }
        let whole_files = parts.iter_mut().filter(|part| part.format == Format::WholeFile);
        for file_edit in whole_files.flat_map(|part| &mut part.file_edits) {
            if let Action::Write { over: over @ Over::Anything, .. } = &mut file_edit.action {
                *over = Over::NothingOrVersion;
            }
        }
        // A block of code under the name of a file that other parts edit may be what is there, a
        // part of it, or what it becomes.
        let edited: HashSet<String> = parts
            .iter()
            .filter(|part| part.format != Format::WholeFile)
            .flat_map(|part| &part.file_edits)
            .filter_map(|file_edit| file_edit.path.as_deref().map(plain_path))
            .collect();
        let mut not_read = Vec::new();
        for part in parts.iter_mut().filter(|part| part.format == Format::WholeFile) {
            let format = part.format;
            part.file_edits.retain(|FileEdit { path, line, .. }| {
                let path = path.as_deref().map(plain_path).filter(|path| edited.contains(path));
                let is_read = path.is_none();
                not_read.extend(path.map(|path| NotRead { format, line: *line, path: Some(path) }));
                is_read
            });
        }
        parts.retain(|part| !part.file_edits.is_empty());
        let is_read = |file_edit: &FileEdit| {
            !matches!(file_edit.action, Action::Refused { is_malformed: true, .. })
        };
        if !parts.iter().flat_map(|part| &part.file_edits).any(is_read) {
            return Err(first_error.unwrap_or(FormatError::NoEdit));
        }
        Ok(Patch { parts, not_read })
    }
}

/// Other formats whose clear marks are in a text that is read in one format.
fn others_in(text: &str, format: Format) -> Vec<NotRead> {
    let lines: Vec<&str> = text.lines().collect();
    // A hunk's `@@` occurs in Codex patches too.
    let names_files = |two: &[&str]| two[0].starts_with("--- ") && two[1].starts_with("+++ ");
    let first = |format: Format| match format {
        Format::Unified => lines.windows(2).position(names_files),
        _ => lines.iter().position(|line| format.is_in(line)),
    };
    [Format::Codex, Format::SearchReplace, Format::Unified]
        .into_iter()
        .filter(|other| *other != format)
        .filter_map(|format| Some(NotRead { format, line: first(format)? + 1, path: None }))
        .collect()
}

impl Part {
    /// Writes the part in its format. Details that the format cannot express are left out, as is
    /// `line` of each edit. `None` if the format cannot express an edit at all.
    pub fn render(&self) -> Option<String> {
        match self.format {
            Format::SearchReplace => search_replace::render(&self.file_edits),
            Format::Codex => codex::render(&self.file_edits),
            Format::Unified => unified::render(&self.file_edits),
            Format::Json => json::render(&self.file_edits),
            Format::Context => context::render(&self.file_edits),
            Format::Normal => normal::render(&self.file_edits),
            Format::Rcs => rcs::render(&self.file_edits),
            Format::Ed => ed::render(&self.file_edits),
            Format::WholeFile => whole_file::render(&self.file_edits),
        }
    }
}
