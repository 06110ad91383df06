//! Undoes a commit by its number, although others were made since.

use super::in_editor::check_saved;
use super::merge::{Conflict, without};
use super::obstacle::{Obstacle, Place};
use super::{Entry, Journal, JournaledError, State, is_in_force};
use crate::workspace::{Change, Workspace};

impl Journal {
    /// Undoes the commit with that number. Lines that were changed since stay, if they are other
    /// lines.
    ///
    /// Returns the entry of the undone commit, or that of the commit that undoes it.
    pub fn undo_number(&self, workspace: &Workspace, number: u64) -> Result<Entry, JournaledError> {
        let entries = self.entries()?;
        let Some((_, entry)) = entries.iter().find(|(other, _)| *other == number) else {
            let root = self.store.root().to_path_buf();
            return Err(JournaledError::NoSuchEntry { number, root });
        };
        if !is_in_force(&entries, number) {
            let was_done = matches!(entry.state, State::Done | State::Undone);
            return Err(JournaledError::NotInForce { number, was_done });
        }
        check_saved(workspace, entry)?;
        let changes = self.store.changes(number, entry)?;
        // A file that was made goes with its permissions, which may be those of a later commit.
        let permissions_of = |change: &Change| {
            let is_made = change.before.is_none();
            is_made
                .then(|| changed_permissions(&change.path, number, &entries))
                .flatten()
        };
        let is_untouched = |change: &Change| {
            matches!(workspace.is_as_before(&change.reversed()), Ok(true))
                && permissions_of(change).is_none()
        };
        if changes.iter().all(is_untouched) {
            return self.undo_exactly(workspace, number, entry.clone());
        }
        let mut back = Vec::new();
        let mut obstacles = Vec::new();
        for change in &changes {
            let path = change.path.clone();
            match (taken_back(workspace, change), permissions_of(change)) {
                (Ok(Some(_)), Some(by)) => {
                    obstacles.push(Obstacle {
                        path,
                        place: Place::File,
                        by: Some(by),
                    });
                }
                (Ok(change), _) => back.extend(change),
                (Err(conflict), _) => {
                    let by = self.who_changed(change, number, &entries)?;
                    obstacles.push(Obstacle {
                        path,
                        place: conflict.into(),
                        by,
                    });
                }
            }
        }
        if !obstacles.is_empty() {
            return Err(JournaledError::InTheWay { number, obstacles });
        }
        if back.is_empty() {
            return Err(JournaledError::NotInForce {
                number,
                was_done: true,
            });
        }
        let description = format!("undo of {number}: {}", entry.what);
        self.commit_as(workspace, &back, &description, Some(number))
            .map(|(entry, _)| entry)
    }

    /// The first later commit in force that is in the way of taking a change of this commit back.
    fn who_changed(
        &self,
        change: &Change,
        number: u64,
        entries: &[(u64, Entry)],
    ) -> Result<Option<(u64, Entry)>, JournaledError> {
        let Change {
            path,
            before,
            after,
            ..
        } = change;
        let is_in_the_way =
            |now: Option<&[u8]>| without(before.as_deref(), after.as_deref(), now).is_err();
        let is_later = |(other, _): &&(u64, Entry)| *other > number && is_in_force(entries, *other);
        for (other, entry) in entries.iter().filter(is_later) {
            let later = self.store.changes(*other, entry)?;
            let Some(later) = later.iter().find(|later| later.path == *path) else {
                continue;
            };
            if is_in_the_way(later.before.as_deref()) {
                // It was already there when this commit came.
                return Ok(None);
            }
            if is_in_the_way(later.after.as_deref()) {
                return Ok(Some((*other, entry.clone())));
            }
        }
        Ok(None)
    }
}

/// The first commit in force after that number that changed the permissions of a file.
fn changed_permissions(path: &str, number: u64, entries: &[(u64, Entry)]) -> Option<(u64, Entry)> {
    let changes = |entry: &Entry| {
        entry
            .files
            .iter()
            .any(|file| file.path == path && file.chmod.is_some())
    };
    let is_later = |(other, entry): &&(u64, Entry)| {
        *other > number && changes(entry) && is_in_force(entries, *other)
    };
    entries.iter().find(is_later).cloned()
}

/// The change that takes another one back now; none if the file is as it was before.
fn taken_back(workspace: &Workspace, change: &Change) -> Result<Option<Change>, Conflict> {
    let Change {
        path,
        before,
        after,
        mode,
        chmod,
        new_folders,
    } = change;
    if matches!(workspace.is_as_before(change), Ok(true)) {
        return Ok(None);
    }
    // Something that is not a file may have taken its place.
    let now = workspace.bytes(path).map_err(|_| Conflict::File)?;
    let back = without(before.as_deref(), after.as_deref(), now.as_deref())?;
    let chmod = match (chmod, workspace.mode(path)) {
        (Some(chmod), Some(there)) if there == chmod.to => change.reversed().chmod,
        (Some(chmod), Some(there)) if there != chmod.from => return Err(Conflict::File),
        _ => None,
    };
    if now == back && chmod.is_none() {
        return Ok(None);
    }
    let (path, mode, new_folders) = (path.clone(), *mode, *new_folders);
    Ok(Some(Change {
        path,
        before: now,
        after: back,
        mode,
        chmod,
        new_folders,
    }))
}
