//! `slotwright undo`: takes back what was written last, or an older edit by its number.

use super::exit::ExitCode;
use super::failure::{Failure, exit_code, journaled_failure, workspace_failure};
use super::recovery;
use super::terminal::{print, say};
use crate::text::visible;
use crate::workspace::journal::{Entry, Journal, JournaledError, State, is_in_force};
use crate::workspace::{CommitError, Workspace};
use clap::Args;
use std::path::PathBuf;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

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
        let mut list = String::new();
        let entries = journal.entries().map_err(|error| journaled_failure(error.into()))?;
        for (number, entry) in entries.iter().rev() {
            let is_undone = entry.state == State::Done && !is_in_force(&entries, *number);
            list += &line(*number, entry, is_undone);
        }
        if list.is_empty() {
            say(&format!("slotwright: nothing was written in {} yet", workspace.root().display()));
        }
        return print_result(&list);
    }
    let entry = match arguments.number {
        None => undo_last(&journal, &workspace)?,
        Some(number) => journal
            .undo_number(&workspace, number)
            .map_err(|error| undo_failure(error, &journal))?,
    };
    // It was undone by a commit of its own if other lines were changed since.
    let of_its_own = entry.undoes.filter(|_| entry.state == State::Done);
    let what =
        of_its_own.and_then(|number| entry.what.strip_prefix(&format!("undo of {number}: ")));
    say(&format!("slotwright: undone: {}", what.unwrap_or(&entry.what)));
    if of_its_own.is_some() {
        say("slotwright: the lines that were changed since stay as they are");
    }
    print_result(
        &entry.files.iter().map(|file| format!("{}\n", visible(&file.path))).collect::<String>(),
    )
}

/// Takes back what was written last in a folder. Gives what that was.
pub(super) fn undo_last(journal: &Journal, workspace: &Workspace) -> Result<Entry, Failure> {
    journal.undo(workspace).map_err(|error| undo_failure(error, journal))
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

fn line(number: u64, entry: &Entry, is_undone: bool) -> String {
    let ago = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default()
        .saturating_sub(Duration::from_secs(entry.at));
    let ago = match ago.as_secs() {
        s @ 0..60 => format!("{s} s"),
        s @ 60..3_600 => format!("{} min", s / 60),
        s @ 3_600..86_400 => format!("{} h", s / 3_600),
        s => format!("{} days", s / 86_400),
    };
    let state = match entry.state {
        State::Done if is_undone => " (undone)",
        State::Done => "",
        State::Undone => " (undone)",
        State::RolledBack => " (taken back)",
        State::Prepared | State::Undoing => " (interrupted)",
    };
    let files: Vec<&str> = entry.files.iter().map(|file| file.path.as_str()).collect();
    format!(
        "{number}  {ago} ago{state}: {} [{}]\n",
        visible(&entry.what),
        visible(&files.join(", "))
    )
}

fn print_result(text: &str) -> Result<(), Failure> {
    print(text).map_err(|error| {
        let message = format!("cannot print the result: {error}");
        Failure::new(ExitCode::Environment, "output", message)
    })
}
