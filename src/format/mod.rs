//! How other models and tools write edits: a format a file, each with its grammar at the head, all
//! into one form. Pure: from text to [`Patch`], with no file in sight. What the edits look for is
//! found by [`crate::locate`], so a parser says only what is asked for.
//!
//! Parsers are lenient about what can mean one thing only (prose around a block, missing blanks,
//! wrong counts) and refuse the rest with the line that they could not read.

mod codex;
mod context;
mod diff;
mod ed;
mod file_name;
mod json;
mod normal;
mod rcs;
mod search_replace;
mod unified;
mod whole_file;

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

/// What a text asks for, before any file is looked at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Patch {
    /// How it is written.
    pub format: Format,
    /// In the order of the text; at least one.
    pub requests: Vec<Request>,
}

/// One thing that is asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
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
    fn at(line: usize, message: impl Into<String>) -> FormatError {
        FormatError::Malformed { line, message: message.into() }
    }
}

/// The JSON objects in an answer that is to be one, whatever stands around them.
pub(crate) fn objects_in(text: &str) -> Vec<serde_json::Map<String, serde_json::Value>> {
    json::objects_in(text)
}

/// A line as a message shows it: in backticks, and only the beginning of a long one.
fn quoted(line: &str) -> String {
    const N_CHARS: usize = 60;
    match line.char_indices().nth(N_CHARS) {
        Some((end, _)) => format!("`{}…`", &line[..end]),
        None => format!("`{line}`"),
    }
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

    /// Whether a text has the marks of this format. It may be malformed all the same.
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
    /// [`FormatError::NoEdit`] if it has none, [`FormatError::Malformed`] if one cannot be read.
    pub fn parse(self, text: &str) -> Result<Patch, FormatError> {
        let requests = match self {
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
        if requests.is_empty() {
            Err(FormatError::NoEdit)
        } else {
            Ok(Patch { format: self, requests })
        }
    }
}

impl Patch {
    /// Formats with plain marks, other than its own, that a text has, too: what stands in them was
    /// not read.
    pub fn others_in(&self, text: &str) -> Vec<Format> {
        let lines: Vec<&str> = text.lines().collect();
        // A hunk's `@@` is in Codex patches, too.
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

    /// Reads a text of whatever format it has.
    ///
    /// # Errors
    /// As [`Format::parse`].
    pub fn parse(text: &str) -> Result<Patch, FormatError> {
        let format =
            Format::ALL.into_iter().find(|format| format.is_in(text)).ok_or(FormatError::NoEdit)?;
        format.parse(text)
    }

    /// The patch that takes this one back; none where it does not say what was there before.
    pub fn reversed(&self) -> Option<Patch> {
        let reverse = |request: &Request| match &request.action {
            Action::Edit(hunk) => {
                Some(Request { action: Action::Edit(hunk.reversed()), ..request.clone() })
            }
            Action::Write { text, over: Over::Nothing } => {
                let holds = text.lines().map(str::to_owned).collect();
                Some(Request { action: Action::Delete { holds: Some(holds) }, ..request.clone() })
            }
            Action::Delete { holds: Some(holds) } => {
                let text = holds.iter().flat_map(|line| [line.as_str(), "\n"]).collect();
                Some(Request {
                    action: Action::Write { text, over: Over::Nothing },
                    ..request.clone()
                })
            }
            Action::Move { to } => {
                let action = Action::Move { to: request.path.clone()? };
                Some(Request { path: Some(to.clone()), action, ..request.clone() })
            }
            _ => None,
        };
        let requests: Option<Vec<Request>> = self.requests.iter().map(reverse).collect();
        // Edits of a file that was moved are to be found under its new name.
        let mut requests = requests?;
        for i in 0..requests.len() {
            if let Action::Move { to } = requests[i].action.clone() {
                let from = requests[i].path.clone();
                requests
                    .iter_mut()
                    .filter(|request| request.path.as_ref() == Some(&to))
                    .for_each(|r| r.path.clone_from(&from));
            }
        }
        Some(Patch { format: self.format, requests })
    }

    /// Writes it as its format has it. What the format cannot say is left out of what is said
    /// (`line` of a request always is); none where the format cannot say it at all.
    pub fn render(&self) -> Option<String> {
        match self.format {
            Format::SearchReplace => search_replace::render(&self.requests),
            Format::Codex => codex::render(&self.requests),
            Format::Unified => unified::render(&self.requests),
            Format::Json => json::render(&self.requests),
            Format::Context => context::render(&self.requests),
            Format::Normal => normal::render(&self.requests),
            Format::Rcs => rcs::render(&self.requests),
            Format::Ed => ed::render(&self.requests),
            Format::WholeFile => whole_file::render(&self.requests),
        }
    }
}

#[cfg(test)]
mod testing {
    use super::{FormatError, Request};
    use proptest::prelude::*;
    use proptest::test_runner::TestCaseError;

    /// A text is refused at this line, with a message that has this part.
    #[track_caller]
    pub(super) fn is_refused(parsed: &Result<Vec<Request>, FormatError>, line: usize, part: &str) {
        match parsed {
            Err(FormatError::Malformed { line: at, message }) => {
                assert!(*at == line && message.contains(part), "{at}: {message}");
            }
            other => panic!("{other:?}"),
        }
    }

    /// What is rendered is recognised, and reads as what it was.
    pub(super) fn check_round_trip(
        requests: &[Request],
        render: fn(&[Request]) -> Option<String>,
        is_in: fn(&str) -> bool,
        parse: fn(&str) -> Result<Vec<Request>, FormatError>,
    ) -> Result<(), TestCaseError> {
        let Some(text) = render(requests) else {
            return Err(TestCaseError::fail("it cannot be rendered"));
        };
        // No request is no patch: nothing is there to be recognised.
        prop_assert!(requests.is_empty() || is_in(&text), "{}", text);
        let mut parsed =
            parse(&text).map_err(|error| TestCaseError::fail(format!("{error}\n{text}")))?;
        parsed.iter_mut().for_each(|request| request.line = 0);
        prop_assert_eq!(&parsed[..], requests, "{}", text);
        Ok(())
    }
}
