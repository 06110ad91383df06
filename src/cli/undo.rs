//! `slotwright undo`: takes back what was written last, or an older edit by its number.

use super::exit::ExitCode;
use super::failure::{Failure, exit_code, journaled_failure, print_shown, workspace_failure};
use super::recovery;
use super::terminal::say;
use crate::text::visible;
use crate::workspace::journal::{Entry, Journal, JournaledError, State, is_in_force};
use crate::workspace::{CommitError, Workspace};
use clap::Args;
use schemars::JsonSchema;
use serde::Serialize;
use std::fmt;
use std::path::PathBuf;
use std::time::{SystemTime, UNIX_EPOCH};

pub(super) const ABOUT: &str = "\
Take back what was written last in a folder, if nobody has changed it since.

Every edit is kept in a journal outside the folder, with the bytes before and after, for 30 days \
and 100 edits at most. `undo` again takes back the one before. A file that was changed since is \
left as it is, and so is all of that edit.

`undo N` takes back an older edit, by its number in --list. Lines that were changed since stay as \
they are. If they are lines of that edit, or if it is unclear, nothing is undone and what is in the \
way is named.";

pub(super) const EXAMPLES: &str = "Examples:
  slotwright undo
  slotwright undo --list
  slotwright undo 17";

/// What `slotwright undo` is told.
#[derive(Debug, Args)]
pub(super) struct UndoArguments {
    /// The number of the edit, as --list shows it; by default the last one that is not undone
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
    if undone.has_later_changes {
        say(&format!("slotwright: {LATER_CHANGES}"));
    }
    print_shown(
        &undone
            .files
            .iter()
            .map(|path| format!("{}\n", visible(path)))
            .collect::<String>(),
    )
}

/// Said where other lines were changed since.
pub(super) const LATER_CHANGES: &str = "the lines that were changed since stay as they are";

/// What was taken back.
pub(super) struct Undone {
    /// The task or command that had written it.
    pub what: String,
    pub files: Vec<String>,
    /// Whether other lines were changed since, which stay.
    pub has_later_changes: bool,
}

/// Takes back the edit with a number, or what was written last.
pub(super) fn take_back(
    journal: &Journal,
    workspace: &Workspace,
    number: Option<u64>,
) -> Result<Undone, Failure> {
    let undone = match number {
        None => journal.undo(workspace),
        Some(number) => journal.undo_number(workspace, number),
    };
    let entry = undone.map_err(|error| undo_failure(error, journal))?;
    // It was undone by a commit of its own if other lines were changed since.
    let of_its_own = entry.undoes.filter(|_| entry.state == State::Done);
    let what =
        of_its_own.and_then(|number| entry.what.strip_prefix(&format!("undo of {number}: ")));
    Ok(Undone {
        what: what.unwrap_or(&entry.what).to_owned(),
        files: entry.files.into_iter().map(|file| file.path).collect(),
        has_later_changes: of_its_own.is_some(),
    })
}

fn undo_failure(error: JournaledError, journal: &Journal) -> Failure {
    match error {
        // Trying again would not help here.
        JournaledError::Commit(CommitError::Stale { path }) => {
            let message = format!(
                "{path} was changed or removed since slotwright wrote it; nothing was undone"
            );
            Failure::new(ExitCode::NotMade, "stale", message).hint(format!(
                "the bytes before and after each edit are in {}",
                journal.folder().display()
            ))
        }
        error => journaled_failure(error),
    }
}

/// An edit that was written.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct WrittenEdit {
    /// What `undo` takes.
    pub number: u64,
    /// Seconds since it was written.
    pub seconds_ago: u64,
    /// `done`: it can be undone, unless later changes are in its way.
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
            State::Done if is_in_force(&entries, *number) => WrittenState::Done,
            State::Done | State::Undone => WrittenState::Undone,
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
