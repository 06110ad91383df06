//! `slotwright purge`: removes what the program keeps on this machine.

use super::command;
use super::terminal::AnswersFrom;
use crate::app::folders;
use crate::app::report::{CommandReport, ErrorReport, Output, Status};
use crate::console::say;
use crate::failure::ExitCode;
use crate::failure::{Failure, FailureKind};
use crate::workspace::journal::{self, Purged};
use crate::workspace::kept_results;
use clap::{Args, ValueEnum};
use serde::Serialize;
use std::path::Path;

pub(crate) const ABOUT: &str = "\
Remove the cache, or the undo history of all folders.

The cache can be made again: the unpacked model, what models have read, and runs of checks. The \
history cannot: without it nothing that was written so far can be undone, edits that --each made and \
that are not written are lost, and conversations do not come back. Models that you fetched stay; \
slotwright models remove removes one.

On a terminal you are asked about each. Elsewhere name what is removed.";

pub(crate) const EXAMPLES: &str = "Examples:
  slotwright purge
  slotwright purge cache
  slotwright purge cache history";

/// The arguments of `slotwright purge`.
#[derive(Debug, Args)]
pub(crate) struct PurgeArguments {
    /// What is removed, without a question [default: you are asked about each]
    #[arg(value_name = "WHAT")]
    what: Vec<What>,
}

/// What can be removed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum What {
    /// What can be made again: the unpacked model, what models have read, runs of checks
    Cache,
    /// The journals of all folders, edits that were not written, what you said to checks and in sessions
    History,
}

#[derive(Default, Serialize)]
struct PurgeReport {
    status: Status,
    error: Option<ErrorReport>,
}

impl CommandReport for PurgeReport {
    const INTERRUPTED: &'static str = "interrupted";

    fn end(&mut self) -> (&mut Status, &mut Option<ErrorReport>) {
        (&mut self.status, &mut self.error)
    }
}

pub(crate) fn run(arguments: &PurgeArguments) -> ExitCode {
    command::run::<PurgeReport>(Output::Text, "purge", async |_| {
        purge(arguments).await?;
        Ok(ExitCode::Done)
    })
}

async fn purge(arguments: &PurgeArguments) -> Result<(), Failure> {
    let answers = AnswersFrom::Input;
    let is_asked = arguments.what.is_empty();
    if is_asked && !answers.can_ask() {
        let message = "nobody to ask what is removed; nothing was removed";
        return Err(Failure::new(FailureKind::Arguments, message)
            .hint("slotwright purge cache removes what can be made again")
            .hint("slotwright purge history removes what undo needs, for all folders"));
    }

    let mut n_there = 0;
    let mut n_removed = 0;
    for what in [What::Cache, What::History] {
        if !what.is_there() || !(is_asked || arguments.what.contains(&what)) {
            continue;
        }
        n_there += 1;
        if is_asked && !answers.confirm(what.question()).await {
            continue;
        }
        n_removed += match what {
            What::Cache => remove_cache()?,
            What::History => remove_history()?,
        };
    }
    if n_there == 0 {
        say("there is nothing to remove");
    } else if n_removed == 0 {
        say("nothing was removed");
    }
    Ok(())
}

impl What {
    fn question(self) -> &'static str {
        match self {
            What::Cache => "Remove the cache? It is made again when it is needed.",
            What::History => {
                "Remove the undo history of all folders? Nothing written so far can be undone then."
            }
        }
    }

    fn is_there(self) -> bool {
        let state = folders::state();
        match self {
            What::Cache => folders::cache().exists(),
            What::History => [
                journal::journals(&state),
                folders::check_answers(),
                kept_results(&state),
                folders::sessions(),
                folders::history(),
            ]
            .iter()
            .any(|folder| folder.exists()),
        }
    }
}

/// Removes what can be made again. Returns how many things were there.
fn remove_cache() -> Result<usize, Failure> {
    remove(&folders::cache(), "the cache")
}

/// Removes what cannot. Returns how many things were there.
fn remove_history() -> Result<usize, Failure> {
    let state = folders::state();
    let journals = journal::journals(&state);
    let Purged {
        n_removed,
        n_in_use,
    } = journal::purge(&state).map_err(|error| failed(&journals, &error))?;
    if n_removed > 0 {
        let what = "the journal: what was written so far cannot be undone any more";
        say(&format!("removed {what} ({})", journals.display()));
    }
    if n_in_use > 0 {
        let folders = if n_in_use == 1 { "a folder" } else { "folders" };
        say(&format!(
            "kept the journal of {folders} in which another slotwright is writing ({}): run \
             purge again afterwards",
            journals.display()
        ));
    }

    let said = remove(
        &folders::check_answers(),
        "what you said to the checks of projects",
    )?;
    let kept = remove(&kept_results(&state), "edits that were not written")?;
    let sessions = remove(&folders::sessions(), "conversations in editors")?;
    let typed = remove(&folders::history(), "what you typed in sessions")?;
    Ok(n_removed + n_in_use + said + kept + sessions + typed)
}

/// Removes a folder or a file, which is said. Returns 1 if it was there.
fn remove(folder: &Path, what: &str) -> Result<usize, Failure> {
    let removed = if folder.is_file() {
        std::fs::remove_file(folder)
    } else {
        std::fs::remove_dir_all(folder)
    };
    match removed {
        Ok(()) => {
            say(&format!("removed {what} ({})", folder.display()));
            Ok(1)
        }
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(0),
        Err(error) => Err(failed(folder, &error)),
    }
}

fn failed(folder: &Path, error: &std::io::Error) -> Failure {
    let message = format!("cannot remove {}: {error}", folder.display());
    Failure::new(FailureKind::Purge, message)
}
