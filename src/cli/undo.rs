//! `slotwright undo` and `slotwright purge`: the journal for people.

use super::failure::{Failure, journaled_failure, say_error, workspace_failure};
use super::{ExitCode, UndoArguments, folders, say};
use crate::workspace::journal::{Entry, Journal, JournaledError, Recovered, State};
use crate::workspace::{CommitError, Workspace};
use std::io::Write;
use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

pub(super) fn undo(arguments: &UndoArguments) -> ExitCode {
    finish(try_undo(arguments))
}

fn try_undo(arguments: &UndoArguments) -> Result<(), Failure> {
    let workspace = Workspace::open(&arguments.root).map_err(workspace_failure)?;
    let journal = open(&workspace)?;
    if arguments.list {
        let mut list = String::new();
        for (_, entry) in
            journal.entries().map_err(|error| journaled_failure(error.into()))?.iter().rev()
        {
            list += &line(entry);
        }
        if list.is_empty() {
            say(&format!("slotwright: nothing was written in {} yet", workspace.root().display()));
        }
        return print(&list);
    }
    let entry = journal.undo(&workspace).map_err(|error| match error {
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
    })?;
    say(&format!("slotwright: undone: {}", entry.what));
    print(
        &entry
            .files
            .iter()
            .map(|file| format!("{}\n", super::diff::visible(&file.path)))
            .collect::<String>(),
    )
}

/// Opens the journal of a folder, and finishes what was interrupted.
pub(super) fn open(workspace: &Workspace) -> Result<Journal, Failure> {
    let journal = Journal::open(&folders::state(), workspace)
        .map_err(|error| journaled_failure(error.into()))?;
    let recovered = journal.recover(workspace).map_err(|error| {
        let message = format!("an interrupted change cannot be finished: {error}");
        Failure::new(ExitCode::Environment, "recovery", message)
            .hint(format!("all its bytes, before and after, are in {}", journal.folder().display()))
            .hint("mend what is in the way and run slotwright again, or forget the change with slotwright purge")
    })?;
    for recovered in recovered {
        say(&told(&recovered));
    }
    Ok(journal)
}

fn told(recovered: &Recovered) -> String {
    let Recovered { entry, changed, kept_in } = recovered;
    if changed.is_empty() {
        return format!("slotwright: an interrupted change was finished: {}", entry.what);
    }
    format!(
        "slotwright: an interrupted change was taken back: {}\n  {} changed meanwhile and stays as it is; both versions of every file are in {}",
        entry.what,
        changed.join(", "),
        kept_in.display()
    )
}

fn line(entry: &Entry) -> String {
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
        State::Done => "",
        State::Undone => " (undone)",
        State::RolledBack => " (taken back)",
        State::Prepared | State::Undoing => " (interrupted)",
    };
    let files: Vec<&str> = entry.files.iter().map(|file| file.path.as_str()).collect();
    format!(
        "{ago} ago{state}: {} [{}]\n",
        super::diff::visible(&entry.what),
        super::diff::visible(&files.join(", "))
    )
}

pub(super) fn purge() -> ExitCode {
    finish(try_purge())
}

fn try_purge() -> Result<(), Failure> {
    for (folder, what) in [
        (
            folders::state().join("journal"),
            "the journal: what was written so far cannot be undone any more",
        ),
        (folders::cache(), "the cache"),
    ] {
        match remove(&folder) {
            Ok(true) => say(&format!("slotwright: removed {what} ({})", folder.display())),
            Ok(false) => {}
            Err(error) => {
                return Err(Failure::new(
                    ExitCode::Environment,
                    "purge",
                    format!("cannot remove {}: {error}", folder.display()),
                ));
            }
        }
    }
    Ok(())
}

/// Whether there was anything.
fn remove(folder: &Path) -> std::io::Result<bool> {
    match std::fs::remove_dir_all(folder) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

fn print(text: &str) -> Result<(), Failure> {
    let mut stdout = std::io::stdout();
    stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()).map_err(|error| {
        Failure::new(ExitCode::Environment, "output", format!("cannot print the result: {error}"))
    })
}

fn finish(result: Result<(), Failure>) -> ExitCode {
    match result {
        Ok(()) => ExitCode::Done,
        Err(failure) => {
            say_error(&failure.error);
            failure.code
        }
    }
}
