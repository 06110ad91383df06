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
//! had said yes. If another program has changed a file meanwhile, that file stays, the others are
//! rolled back, and a message says so.
//!
//! Commits are undone in order, the last one first. For anything else there is git.
//!
//! A change that an editor makes in a text that is not saved is recorded when it is made. It is taken
//! back in the editor, or by an undo here once the editor has saved it.

mod in_editor;
mod store;
#[cfg(test)]
mod tests;

pub use store::{Entry, FileEntry, JournalError, Purged, State, journals, purge};

use super::commit::{Change, CommitError, folders_of};
use super::folder::Workspace;
use std::path::{Path, PathBuf};
use store::Store;
pub(super) use store::hex;

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
    /// The commit with that number is not the last one.
    #[error(
        "edit {number} is not the last one: undo {} first; nothing was undone",
        numbers(later)
    )]
    NotTheLast {
        /// The number asked for.
        number: u64,
        /// The later commits that are not undone, with their numbers, oldest first; at least one.
        later: Vec<(u64, Entry)>,
    },
    /// A file is not as the commit to be undone left it.
    #[error("{path} was changed since slotwright wrote it; nothing was undone")]
    ChangedSince {
        /// Path relative to the root.
        path: String,
        /// The folder with both versions of every file of that commit.
        kept_in: PathBuf,
    },
    /// An editor has made the change, and not saved it.
    #[error("{path} was changed in an editor, which has not saved it yet; nothing was undone")]
    NotSaved {
        /// Path relative to the root.
        path: String,
    },
    /// A file has changed since it was read, or cannot be written.
    #[error(transparent)]
    Commit(#[from] CommitError),
    /// A file cannot be written, and files that were written before it cannot be put back. The commit
    /// stays begun, so that [`Journal::recover`] finishes it or rolls it back.
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
    /// Files that another program had changed meanwhile. If empty, the commit (or its undoing) was
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

    /// Writes all of these changes or none. After a failure it undoes those already written.
    ///
    /// Returns why the changes cannot be undone, if they were written and that could not be recorded.
    pub fn commit(
        &self,
        workspace: &Workspace,
        changes: &[Change],
        description: &str,
    ) -> Result<Option<JournalError>, JournaledError> {
        for change in changes {
            workspace.check(change)?;
        }

        let changes: Vec<Change> = changes
            .iter()
            .map(|change| undoable(workspace, change))
            .collect();
        let (number, mut entry) = self.store.prepare(&changes, description)?;
        if let Err(failed) = write_all(workspace, &changes) {
            return Err(self.failed((number, entry), failed, State::RolledBack));
        }

        if let Err(error) = self.store.mark(number, &mut entry, State::Done) {
            // All is written. An entry that says otherwise might be taken back later.
            self.store.forget(number);
            return Ok(Some(error));
        }
        self.store.forget_old(number);
        Ok(None)
    }

    /// Undoes the last commit not undone yet, if its files are unchanged since. If `number` is given,
    /// it must be the number of that commit.
    pub fn undo(
        &self,
        workspace: &Workspace,
        number: Option<u64>,
    ) -> Result<Entry, JournaledError> {
        let (number, mut entry) = self.last(number)?;
        in_editor::check_saved(workspace, &entry)?;

        let mut changes = self.store.changes(number, &entry)?;
        changes
            .iter_mut()
            .for_each(|change| *change = change.reversed());
        for change in &changes {
            workspace.check(change).map_err(|error| match error {
                CommitError::Stale { path } | CommitError::Exists { path } => {
                    JournaledError::ChangedSince {
                        path,
                        kept_in: self.store.folder_of(number),
                    }
                }
                error => error.into(),
            })?;
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

    /// The last commit that is not undone. If `number` is given, it must be the number of that commit.
    fn last(&self, number: Option<u64>) -> Result<(u64, Entry), JournaledError> {
        let mut entries = self.entries()?;
        let root = self.store.root().to_path_buf();

        if let Some(number) = number {
            let Some(at) = entries.iter().position(|(other, _)| *other == number) else {
                return Err(JournaledError::NoSuchEntry { number, root });
            };
            let state = entries[at].1.state;
            if state != State::Done {
                return Err(JournaledError::NotInForce {
                    number,
                    was_done: state == State::Undone,
                });
            }

            let mut later = entries.split_off(at + 1);
            later.retain(|(_, entry)| entry.state == State::Done);
            if !later.is_empty() {
                return Err(JournaledError::NotTheLast { number, later });
            }
        }

        entries.retain(|(_, entry)| entry.state == State::Done);
        entries.pop().ok_or(JournaledError::NothingToUndo { root })
    }

    /// Why a commit or its undoing failed. `back`: the commit's state if all was put back.
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

    /// Finishes interrupted commits and undoings. One is rolled back instead if another program has
    /// changed one of its files.
    pub fn recover(&self, workspace: &Workspace) -> Result<Vec<Recovered>, JournaledError> {
        let mut recovered = Vec::new();
        for (number, entry) in self.entries()? {
            if matches!(entry.state, State::Prepared | State::Undoing) {
                recovered.push(self.finish(workspace, number, entry)?);
            }
        }
        Ok(recovered)
    }

    fn finish(
        &self,
        workspace: &Workspace,
        number: u64,
        mut entry: Entry,
    ) -> Result<Recovered, JournaledError> {
        let mut changes = self.store.changes(number, &entry)?;
        if entry.state == State::Undoing {
            changes = changes.iter().map(Change::reversed).collect();
        }

        let mut changed = Vec::new();
        for change in &changes {
            if !is_on_either_side(workspace, change)? {
                changed.push(change.path.clone());
            }
        }

        let state = match (entry.state, changed.is_empty()) {
            (State::Undoing, true) => State::Undone,
            (State::Undoing, false) | (_, true) => State::Done,
            (_, false) => State::RolledBack,
        };
        for change in &changes {
            if changed.is_empty() {
                write_unless_done(workspace, change)?;
            } else if !changed.contains(&change.path) {
                write_unless_done(workspace, &change.reversed())?;
            }
        }

        self.store.mark(number, &mut entry, state)?;
        Ok(Recovered {
            entry,
            changed,
            kept_in: self.store.folder_of(number),
        })
    }
}

/// A change with all that is needed to undo it: the permissions of a file that is removed, and the
/// number of folders that are made for a new one.
fn undoable(workspace: &Workspace, change: &Change) -> Change {
    let mut change = change.clone();
    change.mode = change.mode.or_else(|| workspace.mode(&change.path));
    if change.before.is_none() {
        let new_folders = folders_of(&change.path).take_while(|folder| !workspace.is_there(folder));
        change.new_folders = Some(new_folders.count());
    }
    change
}

/// Whether a file has its content from before a change, or that from after it.
fn is_on_either_side(workspace: &Workspace, change: &Change) -> Result<bool, CommitError> {
    for side in [change, &change.reversed()] {
        match workspace.is_as_before(side) {
            Ok(true) => return Ok(true),
            // Something that is not a file may have taken its place.
            Ok(false) | Err(CommitError::Stale { .. }) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(false)
}

fn write_unless_done(workspace: &Workspace, change: &Change) -> Result<(), CommitError> {
    if workspace.is_as_before(&change.reversed())? {
        return Ok(());
    }
    workspace.write(change)
}

/// Why not all changes were made.
struct HalfWritten {
    /// Why files that were written could not be put back.
    left: Vec<CommitError>,
    error: CommitError,
}

/// Makes all changes; after a failure it undoes those already made.
fn write_all(workspace: &Workspace, changes: &[Change]) -> Result<(), HalfWritten> {
    for (n_done, change) in changes.iter().enumerate() {
        if let Err(error) = workspace.write(change) {
            let left = put_back(workspace, &changes[..n_done]);
            return Err(HalfWritten { left, error });
        }
    }
    Ok(())
}

/// Undoes changes, and returns why some cannot be undone.
fn put_back(workspace: &Workspace, changes: &[Change]) -> Vec<CommitError> {
    let mut left = Vec::new();
    for change in changes.iter().rev() {
        match workspace.write(&change.reversed()) {
            // If another program changes the file in this moment, its content stays.
            Ok(()) | Err(CommitError::Stale { .. } | CommitError::Exists { .. }) => {}
            Err(error) => left.push(error),
        }
    }
    left
}

fn reasons(errors: &[CommitError]) -> String {
    let reasons: Vec<String> = errors.iter().map(CommitError::reason).collect();
    reasons.join("; ")
}

/// The numbers of commits, the last one first.
fn numbers(entries: &[(u64, Entry)]) -> String {
    let numbers: Vec<String> = entries
        .iter()
        .rev()
        .map(|(number, _)| number.to_string())
        .collect();
    numbers.join(", ")
}
