//! `slotwright undo`: takes back what was written last.

use super::exit::ExitCode;
use super::failure::{Failure, exit_code, journaled_failure, print_shown, workspace_failure};
use super::recovery;
use super::terminal::say;
use crate::text::visible;
use crate::workspace::Workspace;
use crate::workspace::journal::{Entry, Journal, State};
use clap::Args;
use schemars::JsonSchema;
use serde::Serialize;
use std::fmt;
use std::path::PathBuf;
use std::time::{SystemTime, UNIX_EPOCH};

pub(super) const ABOUT: &str = "\
Take back what was written last in a folder, if its files were not changed since.

Every edit is kept in a journal outside the folder, with the bytes before and after, for 30 days \
and 100 edits at most. `undo` again takes back the edit before. If a file was changed since, nothing \
of that edit is undone.

`undo N` takes back edit N of --list if it is the last one, and names the later edits if it is not.";

pub(super) const EXAMPLES: &str = "Examples:
  slotwright undo
  slotwright undo --list
  slotwright undo 17";

/// What `slotwright undo` is told.
#[derive(Debug, Args)]
pub(super) struct UndoArguments {
    /// The number in --list that the last edit must have
    #[arg(value_name = "N", conflicts_with = "list")]
    number: Option<u64>,
    /// The folder that was edited
    #[arg(long, value_name = "DIR", default_value = ".")]
    root: PathBuf,
    /// Show what was written, the newest first; undo nothing
    #[arg(long)]
    list: bool,
}

pub(super) fn run(arguments: &UndoArguments) -> ExitCode {
    exit_code(undo(arguments))
}

fn undo(arguments: &UndoArguments) -> Result<(), Failure> {
    let workspace = Workspace::open(&arguments.root).map_err(workspace_failure)?;
    let journal = recovery::open_journal(&workspace)?;
    if arguments.list {
        let list: String = written(&journal)?
            .iter()
            .map(|edit| format!("{edit}\n"))
            .collect();
        if list.is_empty() {
            say(&format!(
                "slotwright: nothing was written in {} yet",
                workspace.root().display()
            ));
        }
        return print_shown(&list);
    }
    let undone = take_back(&journal, &workspace, arguments.number)?;
    say(&format!("slotwright: undone: {}", undone.what));
    print_shown(
        &undone
            .files
            .iter()
            .map(|path| format!("{}\n", visible(path)))
            .collect::<String>(),
    )
}

/// What was taken back.
pub(super) struct Undone {
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
pub(super) fn take_back(
    journal: &Journal,
    workspace: &Workspace,
    number: Option<u64>,
) -> Result<Undone, Failure> {
    let undone = journal.undo(workspace, number);
    undone.map(Undone::from).map_err(journaled_failure)
}

/// An edit that was written.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct WrittenEdit {
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
pub(super) enum WrittenState {
    Done,
    Undone,
    /// It could not be written whole, and what had been written was taken back.
    TakenBack,
    Interrupted,
}

/// What was written in a folder, the newest first.
pub(super) fn written(journal: &Journal) -> Result<Vec<WrittenEdit>, Failure> {
    let entries = journal
        .entries()
        .map_err(|error| journaled_failure(error.into()))?;
    let now = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default()
        .as_secs();
    let edit = |(number, entry): &(u64, Entry)| WrittenEdit {
        number: *number,
        seconds_ago: now.saturating_sub(entry.at),
        state: match entry.state {
            State::Done => WrittenState::Done,
            State::Undone => WrittenState::Undone,
            State::RolledBack => WrittenState::TakenBack,
            State::Prepared | State::Undoing => WrittenState::Interrupted,
        },
        what: entry.what.clone(),
        files: entry.files.iter().map(|file| file.path.clone()).collect(),
    };
    Ok(entries.iter().rev().map(edit).collect())
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

impl fmt::Display for WrittenEdit {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let WrittenEdit {
            number,
            what,
            files,
            ..
        } = self;
        let ago = match self.seconds_ago {
            s @ 0..60 => format!("{s} s"),
            s @ 60..3_600 => format!("{} min", s / 60),
            s @ 3_600..86_400 => format!("{} h", s / 3_600),
            s => format!("{} days", s / 86_400),
        };
        let state = match self.state {
            WrittenState::Done => String::new(),
            state => format!(" ({})", state.word()),
        };
        let (what, files) = (visible(what), visible(&files.join(", ")).into_owned());
        write!(f, "{number}  {ago} ago{state}: {what} [{files}]")
    }
}
