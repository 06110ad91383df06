//! `slotwright purge`: removes what the program keeps on this machine.

use super::exit::ExitCode;
use super::failure::{Failure, exit_code};
use super::folders;
use super::terminal::say;
use std::path::Path;

pub(super) fn run() -> ExitCode {
    exit_code(purge())
}

fn purge() -> Result<(), Failure> {
    let mut is_empty = true;
    for (folder, what) in [
        (
            folders::state().join("journal"),
            "the journal: what was written so far cannot be undone any more",
        ),
        (folders::cache(), "the cache"),
    ] {
        match remove(&folder) {
            Ok(true) => {
                is_empty = false;
                say(&format!("slotwright: removed {what} ({})", folder.display()));
            }
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
    if is_empty {
        say("slotwright: there is nothing to remove");
    }
    Ok(())
}

/// Removes a folder. True if it was there.
fn remove(folder: &Path) -> std::io::Result<bool> {
    match std::fs::remove_dir_all(folder) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}
