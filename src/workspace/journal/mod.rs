//! The journal keeps every written file before and after the change, outside the folder being
//! edited. With it an interrupted commit of several files is finished or rolled back, and a
//! finished one can be undone.
//!
//! ```text
//! STATE/journal/ROOT/lock                 locked by the program that writes in that folder
//! STATE/journal/ROOT/000017/entry.json    task, time, files and state of the commit
//! STATE/journal/ROOT/000017/0.before …    bytes of its first file, before and after;
//!                                         a version that did not exist has no file
//! ```
//! STATE is `slotwright` in the XDG state folder, and readable by its owner only; ROOT is a hash of
//! the folder's path.
//!
//! A commit is *prepared* when all bytes are on disk in the journal, before the first file is
//! touched. Then the files are replaced one by one, and the commit is *done*. The next program
//! finishes a prepared commit if every file still has its content from before or after: the person
//! had said yes. If somebody else has changed a file meanwhile, that file stays, the others are
//! rolled back, and the person is told.
//!
//! A change that an editor makes in a text that is not saved is recorded when it is made. It is taken
//! back in the editor, or by an undo here once the editor has saved it.
//!
//! A commit is undone by its number, too. If its files were changed since in other lines only, the
//! undoing is a commit of its own, whose entry says which one it undoes: so it is as atomic as any
//! other, and can be undone itself.

mod in_editor;
mod merge;
mod obstacle;
mod older;
mod store;
#[cfg(test)]
mod tests;

pub use obstacle::{Obstacle, Place};
pub use store::{Entry, FileEntry, JournalError, Purged, State, journals, purge};

use super::commit::{Change, CommitError, folders_of};
use super::folder::Workspace;
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use store::Store;

/// The journal of one folder. The folder stays locked as long as this value lives.
#[derive(Debug)]
pub struct Journal {
    store: Store,
}

/// Why nothing was undone, or nothing was written.
#[derive(Debug, thiserror::Error)]
pub enum JournaledError {
    /// No commit can be undone.
    #[error("there is nothing to undo in {}", root.display())]
    NothingToUndo {
        /// The folder being edited.
        root: PathBuf,
    },
    /// There is no commit with that number, or it was forgotten.
    #[error("there is no edit {number} in the journal of {}", root.display())]
    NoSuchEntry {
        /// The number asked for.
        number: u64,
        /// The folder being edited.
        root: PathBuf,
    },
    /// The commit with that number is not in force.
    #[error("edit {number} {}; nothing was undone", if *was_done { "is undone already" } else { "was never finished, and taken back" })]
    NotInForce {
        /// The number asked for.
        number: u64,
        /// Whether it was done once, and undone since.
        was_done: bool,
    },
    /// Later changes touch the same lines.
    #[error(
        "edit {number} cannot be undone, since later changes touch the same lines; nothing was undone"
    )]
    InTheWay {
        /// The number asked for.
        number: u64,
        /// What is in the way; at least one.
        obstacles: Vec<Obstacle>,
    },
    /// An editor has made the change, and not saved it.
    #[error("{path} was changed in an editor, which has not saved it yet; nothing was undone")]
    NotSaved {
        /// Path relative to the root.
        path: String,
    },
    /// A file has changed since, or cannot be written.
    #[error(transparent)]
    Commit(#[from] CommitError),
    /// A file cannot be written, and files that were written before it cannot be put back. The commit
    /// stays begun, so that [`Journal::recover`] finishes it or takes it back.
    #[error("{}; and a file written before it cannot be put back: {}", failed.reason(), reasons(left))]
    HalfDone {
        /// Why the file could not be written.
        failed: CommitError,
        /// Why others cannot be put back; at least one.
        left: Vec<CommitError>,
        /// The folder with both versions of every file.
        kept_in: PathBuf,
    },
    /// The journal cannot be used.
    #[error(transparent)]
    Journal(#[from] JournalError),
}

/// Why a journal cannot be opened, or cannot be used yet.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// The journal cannot be opened.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// An earlier change was interrupted, and can be neither finished nor rolled back.
    #[error("an interrupted change cannot be finished: {source}")]
    Recovery {
        /// The journal's folder. It has all bytes of that change, before and after.
        folder: PathBuf,
        /// Why the change can be neither finished nor rolled back.
        source: JournaledError,
    },
}

/// The result of recovering an interrupted commit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recovered {
    /// The commit.
    pub entry: Entry,
    /// Files that somebody else had changed meanwhile. If empty, the commit (or its undoing) was
    /// finished; else its other files were rolled back.
    pub changed: Vec<String>,
    /// The folder with both versions of every file.
    pub kept_in: PathBuf,
}

impl Journal {
    /// Opens the journal of a folder under `state`.
    ///
    /// # Errors
    /// [`JournalError::Locked`] at once if another program has it open.
    pub fn open(state: &Path, workspace: &Workspace) -> Result<Journal, JournalError> {
        Ok(Journal {
            store: Store::open(state, workspace.root())?,
        })
    }

    /// Opens the journal of a folder, and recovers interrupted changes.
    ///
    /// # Errors
    /// [`OpenError::Journal`] if the journal cannot be used; [`OpenError::Recovery`] if an
    /// interrupted change cannot be recovered.
    pub fn open_and_recover(
        state: &Path,
        workspace: &Workspace,
    ) -> Result<(Journal, Vec<Recovered>), OpenError> {
        let journal = Journal::open(state, workspace)?;
        let recovered = journal
            .recover(workspace)
            .map_err(|source| OpenError::Recovery {
                folder: journal.folder().to_path_buf(),
                source,
            })?;
        Ok((journal, recovered))
    }

    /// The journal's folder.
    pub fn folder(&self) -> &Path {
        self.store.folder()
    }

    /// The commits by number, oldest first. Damaged entries are left out.
    pub fn entries(&self) -> Result<Vec<(u64, Entry)>, JournalError> {
        self.store.entries()
    }

    /// Writes all of these changes or none. After a failure it undoes those already written. Gives
    /// why they cannot be undone, if they were written and that could not be recorded.
    pub fn commit(
        &self,
        workspace: &Workspace,
        changes: &[Change],
        description: &str,
    ) -> Result<Option<JournalError>, JournaledError> {
        self.commit_as(workspace, changes, description, None)
            .map(|(_, error)| error)
    }

    /// The same for a commit that undoes another one, if it does.
    fn commit_as(
        &self,
        workspace: &Workspace,
        changes: &[Change],
        description: &str,
        undoes: Option<u64>,
    ) -> Result<(Entry, Option<JournalError>), JournaledError> {
        for change in changes {
            workspace.check(change)?;
        }
        // A removed file must come back with its permissions, and a folder stays that was there before
        // anything was made in it.
        let makes_files = changes.iter().any(|change| change.before.is_none());
        let made = if makes_files {
            made_folders(&self.entries()?)
        } else {
            HashSet::new()
        };
        let to_be_undone = |change: &Change| Change {
            mode: change.mode.or_else(|| workspace.mode(&change.path)),
            new_folders: match change.before {
                None => Some(
                    folders_of(&change.path)
                        .take_while(|folder| made.contains(*folder) || !workspace.is_there(folder))
                        .count(),
                ),
                Some(_) => change.new_folders,
            },
            ..change.clone()
        };
        let changes: Vec<Change> = changes.iter().map(to_be_undone).collect();
        let changes = changes.as_slice();
        let (number, mut entry) = self.store.prepare(changes, description, undoes)?;
        if let Err(failed) = write_all(workspace, changes) {
            return Err(self.failed((number, entry), failed, State::RolledBack));
        }
        if let Err(error) = self.store.mark(number, &mut entry, State::Done) {
            // All is written. An entry that says otherwise might be taken back later.
            self.store.forget(number);
            return Ok((entry, Some(error)));
        }
        self.store.forget_old(number);
        Ok((entry, None))
    }

    /// Undoes the last commit not undone yet, if its files are unchanged since.
    pub fn undo(&self, workspace: &Workspace) -> Result<Entry, JournaledError> {
        let entries = self.entries()?;
        let last = entries
            .iter()
            .rev()
            .find(|(number, _)| is_in_force(&entries, *number));
        let Some((number, entry)) = last.cloned() else {
            return Err(JournaledError::NothingToUndo {
                root: self.store.root().to_path_buf(),
            });
        };
        self.undo_exactly(workspace, number, entry)
    }

    /// Undoes a commit whose files are as it left them.
    fn undo_exactly(
        &self,
        workspace: &Workspace,
        number: u64,
        mut entry: Entry,
    ) -> Result<Entry, JournaledError> {
        in_editor::check_saved(workspace, &entry)?;
        let changes: Vec<Change> = self
            .store
            .changes(number, &entry)?
            .iter()
            .map(Change::reversed)
            .collect();
        for change in &changes {
            workspace.check(change)?;
        }
        self.store.mark(number, &mut entry, State::Undoing)?;
        if let Err(failed) = write_all(workspace, &changes) {
            return Err(self.failed((number, entry), failed, State::Done));
        }
        if self.store.mark(number, &mut entry, State::Undone).is_err() {
            self.store.forget(number); // it is undone, whatever the journal says
        }
        Ok(entry)
    }

    /// Why a commit or its undoing failed. `back`: its state if nothing of it is left.
    fn failed(
        &self,
        (number, mut entry): (u64, Entry),
        HalfWritten { left, error }: HalfWritten,
        back: State,
    ) -> JournaledError {
        if left.is_empty() {
            let _ = self.store.mark(number, &mut entry, back);
            return error.into();
        }
        JournaledError::HalfDone {
            failed: error,
            left,
            kept_in: self.store.folder_of(number),
        }
    }

    /// Finishes interrupted commits. A commit is rolled back instead if somebody else has changed
    /// one of its files.
    pub fn recover(&self, workspace: &Workspace) -> Result<Vec<Recovered>, JournaledError> {
        let mut recovered = Vec::new();
        for (number, mut entry) in self.entries()? {
            let (to, back) = match entry.state {
                State::Prepared => (State::Done, State::RolledBack),
                State::Undoing => (State::Undone, State::Done),
                State::Done | State::Undone | State::RolledBack => continue,
            };
            let mut changes = self.store.changes(number, &entry)?;
            if entry.state == State::Undoing {
                changes = changes.iter().map(Change::reversed).collect();
            }
            let mut changed = Vec::new();
            for change in &changes {
                // Something that is not a file may have taken its place.
                let is_as_before = |change: &Change| match workspace.is_as_before(change) {
                    Err(CommitError::Stale { .. }) => Ok(false),
                    result => result,
                };
                if !is_as_before(change)? && !is_as_before(&change.reversed())? {
                    changed.push(change.path.clone());
                }
            }
            for change in changes
                .iter()
                .filter(|change| !changed.contains(&change.path))
            {
                let change = if changed.is_empty() {
                    change.clone()
                } else {
                    change.reversed()
                };
                if !workspace.is_as_before(&change.reversed())? {
                    workspace.write(&change)?;
                }
            }
            self.store.mark(
                number,
                &mut entry,
                if changed.is_empty() { to } else { back },
            )?;
            recovered.push(Recovered {
                entry,
                changed,
                kept_in: self.store.folder_of(number),
            });
        }
        Ok(recovered)
    }
}

/// Whether a commit was done, and is neither undone nor undone by another commit in force.
pub fn is_in_force(entries: &[(u64, Entry)], number: u64) -> bool {
    let is_done = entries
        .iter()
        .any(|(n, entry)| *n == number && entry.state == State::Done);
    // Only a later commit undoes one.
    let mut later = entries.iter().filter(|(n, _)| *n > number);
    is_done && !later.any(|(n, entry)| entry.undoes == Some(number) && is_in_force(entries, *n))
}

/// The folders that commits in force have made.
fn made_folders(entries: &[(u64, Entry)]) -> HashSet<String> {
    let in_force = entries
        .iter()
        .filter(|(number, _)| is_in_force(entries, *number));
    let files = in_force
        .flat_map(|(_, entry)| &entry.files)
        .filter(|file| !file.was_there);
    let folders = files.flat_map(|file| folders_of(&file.path).take(file.new_folders.unwrap_or(0)));
    folders.map(str::to_owned).collect()
}

/// Why not all changes were made.
struct HalfWritten {
    /// Why files that were written could not be put back.
    left: Vec<CommitError>,
    error: CommitError,
}

fn reasons(errors: &[CommitError]) -> String {
    errors
        .iter()
        .map(CommitError::reason)
        .collect::<Vec<_>>()
        .join("; ")
}

/// Makes all changes; after a failure it undoes those already made.
fn write_all(workspace: &Workspace, changes: &[Change]) -> Result<(), HalfWritten> {
    for (n_done, change) in changes.iter().enumerate() {
        if let Err(error) = workspace.write(change) {
            let mut left = Vec::new();
            for done in changes[..n_done].iter().rev() {
                match workspace.write(&done.reversed()) {
                    // If somebody changes the file in this moment, their content stays.
                    Ok(()) | Err(CommitError::Stale { .. } | CommitError::Exists { .. }) => {}
                    Err(error) => left.push(error),
                }
            }
            return Err(HalfWritten { left, error });
        }
    }
    Ok(())
}
