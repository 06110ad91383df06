//! `slotwright purge`: removes what the program keeps on this machine.

use super::exit::ExitCode;
use super::failure::{Failure, exit_code};
use super::folders;
use super::terminal::say;
use crate::workspace::journal::{self, Purged};
use std::path::Path;

pub(super) fn run() -> ExitCode {
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
        say(&format!(
            "slotwright: removed {what} ({})",
            journals.display()
        ));
    }
    if n_in_use > 0 {
        let folders = if n_in_use == 1 { "a folder" } else { "folders" };
        say(&format!(
            "slotwright: kept the journal of {folders} in which another slotwright is writing ({}): run \
             purge again afterwards",
            journals.display()
        ));
    }
    let has_cache = remove(&cache).map_err(|error| failed(&cache, &error))?;
    if has_cache {
        say(&format!(
            "slotwright: removed the cache ({})",
            cache.display()
        ));
    }
    if n_removed + n_in_use == 0 && !has_cache {
        say("slotwright: there is nothing to remove");
    }
    Ok(())
}

fn failed(folder: &Path, error: &std::io::Error) -> Failure {
    let message = format!("cannot remove {}: {error}", folder.display());
    Failure::new(ExitCode::Environment, "purge", message)
}

/// Removes a folder. True if it was there.
fn remove(folder: &Path) -> std::io::Result<bool> {
    match std::fs::remove_dir_all(folder) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}
