//! `slotwright purge`: removes what the program keeps on this machine.

use crate::app::folders;
use crate::console::exit_code;
use crate::console::say;
use crate::failure::ExitCode;
use crate::failure::{Failure, FailureKind};
use crate::workspace::journal::{self, Purged};
use crate::workspace::kept_results;
use std::path::Path;

pub(crate) fn run() -> ExitCode {
    exit_code(purge())
}

fn purge() -> Result<(), Failure> {
    let (state, cache) = (folders::state(), folders::cache());
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
    let answers = folders::check_answers();
    let has_answers = remove(&answers).map_err(|error| failed(&answers, &error))?;
    if has_answers {
        let what = "what you said to the checks of projects";
        say(&format!("removed {what} ({})", answers.display()));
    }
    let kept = kept_results(&state);
    let has_kept = remove(&kept).map_err(|error| failed(&kept, &error))?;
    if has_kept {
        say(&format!(
            "removed edits that were not written ({})",
            kept.display()
        ));
    }
    let history = folders::history();
    let has_history = history.exists();
    if has_history {
        std::fs::remove_file(&history).map_err(|error| failed(&history, &error))?;
        let what = "what you typed in sessions";
        say(&format!("removed {what} ({})", history.display()));
    }
    let has_cache = remove(&cache).map_err(|error| failed(&cache, &error))?;
    if has_cache {
        say(&format!("removed the cache ({})", cache.display()));
    }
    if n_removed + n_in_use == 0 && !has_cache && !has_answers && !has_kept && !has_history {
        say("there is nothing to remove");
    }
    Ok(())
}

fn failed(folder: &Path, error: &std::io::Error) -> Failure {
    let message = format!("cannot remove {}: {error}", folder.display());
    Failure::new(FailureKind::Purge, message)
}

/// Removes a folder. True if it was there.
fn remove(folder: &Path) -> std::io::Result<bool> {
    match std::fs::remove_dir_all(folder) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}
