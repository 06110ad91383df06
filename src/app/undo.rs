//! What was written in a folder, and taking it back.

use crate::failure::Failure;
use crate::text::visible;
use crate::workspace::Workspace;
use crate::workspace::journal::{Entry, Journal, State};
use schemars::JsonSchema;
use serde::Serialize;
use std::fmt;
use std::time::{SystemTime, UNIX_EPOCH};

/// What was taken back.
pub(crate) struct Undone {
    /// The task or command that had written it.
    pub what: String,
    pub files: Vec<String>,
}

impl From<Entry> for Undone {
    fn from(entry: Entry) -> Undone {
        Undone {
            what: entry.what,
            files: entry.files.into_iter().map(|file| file.path).collect(),
        }
    }
}

/// Takes back what was written last. If `number` is given, the last edit must have it.
pub(crate) fn take_back(
    journal: &Journal,
    workspace: &Workspace,
    number: Option<u64>,
) -> Result<Undone, Failure> {
    let undone = journal.undo(workspace, number);
    Ok(undone.map(Undone::from)?)
}

/// An edit that was written.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct WrittenEdit {
    /// What `undo` takes.
    pub number: u64,
    /// Seconds since it was written.
    pub seconds_ago: u64,
    /// `done`: it can be undone, after the later edits.
    pub state: WrittenState,
    /// What was written, in a sentence.
    pub what: String,
    /// The files that changed.
    pub files: Vec<String>,
}

/// Whether an edit stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum WrittenState {
    Done,
    Undone,
    /// It could not be written whole, and what had been written was taken back.
    TakenBack,
    Interrupted,
}

/// What was written in a folder, the newest first.
pub(crate) fn written(journal: &Journal) -> Result<Vec<WrittenEdit>, Failure> {
    let entries = journal.entries()?;
    let now = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default()
        .as_secs();
    let mut edits = Vec::new();
    for (number, entry) in entries.into_iter().rev() {
        edits.push(WrittenEdit {
            number,
            seconds_ago: now.saturating_sub(entry.at),
            state: match entry.state {
                State::Done => WrittenState::Done,
                State::Undone => WrittenState::Undone,
                State::RolledBack => WrittenState::TakenBack,
                State::Prepared | State::Undoing => WrittenState::Interrupted,
            },
            what: entry.what,
            files: entry.files.into_iter().map(|file| file.path).collect(),
        });
    }
    Ok(edits)
}

impl WrittenState {
    /// In words.
    pub fn word(self) -> &'static str {
        match self {
            WrittenState::Done => "done",
            WrittenState::Undone => "undone",
            WrittenState::TakenBack => "taken back",
            WrittenState::Interrupted => "interrupted",
        }
    }
}

impl WrittenEdit {
    /// How long ago it was written: `5 s`, `3 min`.
    pub fn ago(&self) -> String {
        match self.seconds_ago {
            s @ 0..60 => format!("{s} s"),
            s @ 60..3_600 => format!("{} min", s / 60),
            s @ 3_600..86_400 => format!("{} h", s / 3_600),
            s => format!("{} days", s / 86_400),
        }
    }
}

impl fmt::Display for WrittenEdit {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let WrittenEdit {
            number,
            what,
            files,
            ..
        } = self;
        let ago = self.ago();
        let state = match self.state {
            WrittenState::Done => String::new(),
            state => format!(" ({})", state.word()),
        };
        let (what, files) = (visible(what), visible(&files.join(", ")).into_owned());
        write!(f, "{number}  {ago} ago{state}: {what} [{files}]")
    }
}
