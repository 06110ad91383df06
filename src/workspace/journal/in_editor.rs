//! Changes that an editor made, in texts that were not saved there.

use super::store::hex;
use super::{Entry, Journal, JournalError, JournaledError, State};
use crate::text::Text;
use crate::workspace::{Change, CommitError, Workspace};

impl Journal {
    /// Records a change that an editor has made. `on_disk`: the file's bytes before it.
    ///
    /// If the editor has saved the text with other bytes, such as other line endings, the file gets
    /// those of the change.
    ///
    /// # Errors
    /// If it cannot be undone by [`Journal::undo`].
    pub fn record(
        &self,
        workspace: &Workspace,
        change: &Change,
        on_disk: &[u8],
        description: &str,
    ) -> Result<(), JournaledError> {
        let (number, mut entry) = self
            .store
            .prepare(std::slice::from_ref(change), description)?;
        for file in &mut entry.files {
            file.unsaved = Some(hex(on_disk));
        }
        self.store.mark(number, &mut entry, State::Done)?;
        self.store.forget_old(number);
        settle(workspace, &change.path, change.after.as_deref())?;
        Ok(())
    }

    /// The commit that [`Journal::undo`] would undo, if an editor has made it: its number and change.
    pub fn made_in_editor(
        &self,
        number: Option<u64>,
    ) -> Result<Option<(u64, Change)>, JournalError> {
        let (number, entry) = match self.last(number) {
            Ok(last) => last,
            Err(JournaledError::Journal(error)) => return Err(error),
            Err(_) => return Ok(None),
        };
        if !is_from_editor(&entry) {
            return Ok(None);
        }
        let change = self.store.changes(number, &entry)?.pop();
        Ok(change.map(|change| (number, change)))
    }

    /// The bytes of a file before the last commit in force that wrote it. `None` if an editor has
    /// made the last change.
    pub fn before_last_commit(&self, path: &str) -> Result<Option<Vec<u8>>, JournalError> {
        let entries = self.entries()?;
        let last = entries.iter().rfind(|(_, entry)| {
            entry.state == State::Done && entry.files.iter().any(|file| file.path == path)
        });
        match last {
            Some((number, entry)) if !is_from_editor(entry) => {
                let mut changes = self.store.changes(*number, entry)?.into_iter();
                let change = changes.find(|change| change.path == path);
                Ok(change.and_then(|change| change.before))
            }
            _ => Ok(None),
        }
    }

    /// Records that an editor has taken back the change with this number, which it had made.
    ///
    /// # Errors
    /// If there is no such change.
    pub fn undone_in_editor(
        &self,
        workspace: &Workspace,
        number: u64,
    ) -> Result<Entry, JournaledError> {
        let entries = self.entries()?;
        let Some((_, mut entry)) = entries.into_iter().find(|(other, _)| *other == number) else {
            let root = self.store.root().to_path_buf();
            return Err(JournaledError::NoSuchEntry { number, root });
        };
        self.store.mark(number, &mut entry, State::Undone)?;
        for change in self.store.changes(number, &entry)? {
            settle(workspace, &change.path, change.before.as_deref())?;
        }
        Ok(entry)
    }
}

/// Whether an editor has made a commit, in a text that was not saved.
fn is_from_editor(entry: &Entry) -> bool {
    entry.files.iter().any(|file| file.unsaved.is_some())
}

/// Checks that an editor which has made a change has saved it.
pub(super) fn check_saved(workspace: &Workspace, entry: &Entry) -> Result<(), JournaledError> {
    for file in &entry.files {
        let Some(unsaved) = &file.unsaved else {
            continue;
        };
        if workspace
            .bytes(&file.path)?
            .is_some_and(|bytes| hex(&bytes) == *unsaved)
        {
            return Err(JournaledError::NotSaved {
                path: file.path.clone(),
            });
        }
    }
    Ok(())
}

/// Gives a file its bytes if an editor has saved their text with others: it may know one kind of line
/// ending only, or no byte order mark.
fn settle(workspace: &Workspace, path: &str, wanted: Option<&[u8]>) -> Result<(), CommitError> {
    let (Some(wanted), Some(there)) = (wanted, workspace.bytes(path)?) else {
        return Ok(());
    };
    let Ok(wanted_text) = Text::decode(wanted.to_vec()) else {
        return Ok(());
    };
    let Ok(there_text) = Text::decode(there.clone()) else {
        return Ok(());
    };
    let is_same_text = without_last_newlines(&wanted_text) == without_last_newlines(&there_text);
    if there == wanted || !is_same_text {
        return Ok(());
    }
    workspace.write(&Change::replace(path, &there, wanted))
}

fn without_last_newlines(text: &Text) -> &str {
    text.shown().trim_end_matches('\n')
}
