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
#[cfg(test)]
mod testing;
mod unified;
mod whole_file;

pub(crate) use json::objects_in;
pub use patch::{Action, FileEdit, Format, FormatError, LineEdit, Over, Patch};

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
            Ok(Patch { format: self, file_edits })
        }
    }
}

impl Patch {
    /// Other formats whose clear marks the text also has. Their edits were not read.
    pub fn others_in(&self, text: &str) -> Vec<Format> {
        let lines: Vec<&str> = text.lines().collect();
        // A hunk's `@@` occurs in Codex patches too.
        let names_files =
            lines.windows(2).any(|two| two[0].starts_with("--- ") && two[1].starts_with("+++ "));
        let is_there =
            |format: Format| format.is_in(text) && (format != Format::Unified || names_files);
        let plainly_marked = [Format::Codex, Format::SearchReplace, Format::Unified];
        plainly_marked
            .into_iter()
            .filter(|&format| format != self.format && is_there(format))
            .collect()
    }

    /// Detects the format of a text, and reads it.
    ///
    /// # Errors
    /// As [`Format::parse`].
    pub fn parse(text: &str) -> Result<Patch, FormatError> {
        let format =
            Format::ALL.into_iter().find(|format| format.is_in(text)).ok_or(FormatError::NoEdit)?;
        format.parse(text)
    }

    /// Writes the patch in its format. Details that the format cannot express are left out, as is
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
