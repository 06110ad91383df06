//! Changes that an editor made, in texts that were not saved there.

use super::store::hex;
use super::{Entry, Journal, JournalError, JournaledError, State, is_in_force};
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
        let (number, mut entry) =
            self.store
                .prepare(std::slice::from_ref(change), description, None)?;
        entry
            .files
            .iter_mut()
            .for_each(|file| file.unsaved = Some(hex(on_disk)));
        self.store.mark(number, &mut entry, State::Done)?;
        self.store.forget_old(number);
        settle(workspace, &change.path, change.after.as_deref())?;
        Ok(())
    }

    /// The commit with a number, or the last one that can be undone, if an editor has made it.
    pub fn made_in_editor(
        &self,
        number: Option<u64>,
    ) -> Result<Option<(u64, Change)>, JournalError> {
        let entries = self.entries()?;
        let is_meant = |(other, _): &&(u64, Entry)| {
            is_in_force(&entries, *other) && number.is_none_or(|number| *other == number)
        };
        let Some((number, entry)) = entries.iter().rfind(is_meant) else {
            return Ok(None);
        };
        match entry.files.as_slice() {
            [file] if file.unsaved.is_some() => Ok(self
                .store
                .changes(*number, entry)?
                .pop()
                .map(|change| (*number, change))),
            _ => Ok(None),
        }
    }

    /// The bytes of a file before the last commit in force that wrote it. None if an editor has made
    /// the last change.
    pub fn before_last_commit(&self, path: &str) -> Result<Option<Vec<u8>>, JournalError> {
        let entries = self.entries()?;
        let is_of_file = |(number, entry): &&(u64, Entry)| {
            is_in_force(&entries, *number) && entry.files.iter().any(|file| file.path == path)
        };
        let Some((number, entry)) = entries.iter().rfind(is_of_file) else {
            return Ok(None);
        };
        let is_of_editor = entry.files.iter().any(|file| file.unsaved.is_some());
        let mut changes = self.store.changes(*number, entry)?.into_iter();
        let change = changes.find(|change| change.path == path && !is_of_editor);
        Ok(change.and_then(|change| change.before))
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
    let text = |bytes: &[u8]| Text::decode(bytes.to_vec()).ok();
    let (Some(wanted_text), Some(there_text)) = (text(wanted), text(&there)) else {
        return Ok(());
    };
    let without_end = |text: &Text| text.shown().trim_end_matches('\n').to_owned();
    if there == wanted || without_end(&wanted_text) != without_end(&there_text) {
        return Ok(());
    }
    workspace.write(&Change::replace(path, &there, wanted))
}
