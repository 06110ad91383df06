//! What an interrupted program left half done is finished by the next one.

use super::failure::{Failure, open_failure};
use super::folders;
use super::terminal::say;
use crate::workspace::Workspace;
use crate::workspace::journal::{Journal, Recovered};

/// Opens the journal of a folder, finishes what was interrupted, and says so.
pub(super) fn open_journal(workspace: &Workspace) -> Result<Journal, Failure> {
    let (journal, recovered) =
        Journal::open_and_recover(&folders::state(), workspace).map_err(open_failure)?;
    recovered.iter().for_each(say_recovered);
    Ok(journal)
}

pub(super) fn say_recovered(recovered: &Recovered) {
    let Recovered {
        entry,
        changed,
        kept_in,
    } = recovered;
    let what = &entry.what;
    if changed.is_empty() {
        say(&format!(
            "slotwright: an interrupted change was finished: {what}"
        ));
        return;
    }
    say(&format!(
        "slotwright: an interrupted change was taken back: {what}"
    ));
    say(&format!(
        "  {} changed meanwhile and stays as it is; both versions of every file are in {}",
        changed.join(", "),
        kept_in.display()
    ));
}
