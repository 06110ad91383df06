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

mod store;

pub use store::{Entry, FileEntry, JournalError, State};

use super::commit::{Change, CommitError};
use super::folder::Workspace;
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
    /// A file has changed since, or cannot be written.
    #[error(transparent)]
    Commit(#[from] CommitError),
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
        Ok(Journal { store: Store::open(state, workspace.root())? })
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
        let recovered = journal.recover(workspace).map_err(|source| OpenError::Recovery {
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
    pub fn commit(
        &self,
        workspace: &Workspace,
        changes: &[Change],
        description: &str,
    ) -> Result<(), JournaledError> {
        for change in changes {
            workspace.check(change)?;
        }
        // A removed file must come back with its permissions.
        let with_mode = |change: &Change| Change {
            mode: change.mode.or_else(|| workspace.mode(&change.path)),
            ..change.clone()
        };
        let changes: Vec<Change> = changes.iter().map(with_mode).collect();
        let changes = changes.as_slice();
        let (number, mut entry) = self.store.prepare(changes, description)?;
        if let Err(error) = write_all(workspace, changes) {
            let _ = self.store.mark(number, &mut entry, State::RolledBack);
            return Err(error.into());
        }
        self.store.mark(number, &mut entry, State::Done)?;
        self.store.forget_old(number);
        Ok(())
    }

    /// Undoes the last commit not undone yet, if its files are unchanged since.
    pub fn undo(&self, workspace: &Workspace) -> Result<Entry, JournaledError> {
        let last = self.entries()?.into_iter().rev().find(|(_, entry)| entry.state == State::Done);
        let Some((number, mut entry)) = last else {
            return Err(JournaledError::NothingToUndo { root: self.store.root().to_path_buf() });
        };
        let changes: Vec<Change> =
            self.store.changes(number, &entry)?.iter().map(Change::reversed).collect();
        for change in &changes {
            workspace.check(change)?;
        }
        self.store.mark(number, &mut entry, State::Undoing)?;
        if let Err(error) = write_all(workspace, &changes) {
            let _ = self.store.mark(number, &mut entry, State::Done);
            return Err(error.into());
        }
        self.store.mark(number, &mut entry, State::Undone)?;
        Ok(entry)
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
            for change in changes.iter().filter(|change| !changed.contains(&change.path)) {
                let change = if changed.is_empty() { change.clone() } else { change.reversed() };
                if !workspace.is_as_before(&change.reversed())? {
                    workspace.write(&change)?;
                }
            }
            self.store.mark(number, &mut entry, if changed.is_empty() { to } else { back })?;
            recovered.push(Recovered { entry, changed, kept_in: self.store.folder_of(number) });
        }
        Ok(recovered)
    }
}

/// Makes all changes; after a failure it undoes those already made.
fn write_all(workspace: &Workspace, changes: &[Change]) -> Result<(), CommitError> {
    for (n_done, change) in changes.iter().enumerate() {
        if let Err(error) = workspace.write(change) {
            for done in changes[..n_done].iter().rev() {
                // If somebody changes the file in this moment, their content stays. The journal has
                // the other versions.
                let _ = workspace.write(&done.reversed());
            }
            return Err(error);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::store::KEPT_ENTRIES;
    use super::*;
    use std::fs;

    struct Setting {
        root: tempfile::TempDir,
        state: tempfile::TempDir,
        workspace: Workspace,
    }

    impl Setting {
        fn new(files: &[(&str, &str)]) -> Setting {
            let root = tempfile::tempdir().unwrap();
            for (path, text) in files {
                fs::create_dir_all(root.path().join(path).parent().unwrap()).unwrap();
                fs::write(root.path().join(path), text).unwrap();
            }
            let workspace = Workspace::open(root.path()).unwrap();
            Setting { root, state: tempfile::tempdir().unwrap(), workspace }
        }

        fn journal(&self) -> Journal {
            Journal::open(self.state.path(), &self.workspace).unwrap()
        }

        fn put(&self, path: &str, text: &str) {
            fs::write(self.root.path().join(path), text).unwrap();
        }

        #[track_caller]
        fn holds(&self, files: &[(&str, Option<&str>)]) {
            for (path, text) in files {
                assert_eq!(
                    fs::read_to_string(self.root.path().join(path)).ok().as_deref(),
                    *text,
                    "{path}"
                );
            }
        }
    }

    #[track_caller]
    fn is_stale(result: &Result<(), JournaledError>, expected: &str) {
        let Err(JournaledError::Commit(CommitError::Stale { path })) = result else {
            panic!("{result:?}")
        };
        assert_eq!(path, expected);
    }

    /// Changes that replace one file, make one and remove one.
    fn changes() -> Vec<Change> {
        let removed = Change::remove("c.txt", b"c");
        vec![Change::replace("a.txt", b"a", b"A"), Change::create("new/b.txt", b"B"), removed]
    }

    const BEFORE: [(&str, Option<&str>); 3] =
        [("a.txt", Some("a")), ("new/b.txt", None), ("c.txt", Some("c"))];
    const AFTER: [(&str, Option<&str>); 3] =
        [("a.txt", Some("A")), ("new/b.txt", Some("B")), ("c.txt", None)];

    #[test]
    fn what_was_written_can_be_undone_last_first() {
        let setting = Setting::new(&[("a.txt", "a"), ("c.txt", "c")]);
        setting.journal().commit(&setting.workspace, &changes(), "first").unwrap();
        setting.holds(&AFTER);
        setting
            .journal()
            .commit(&setting.workspace, &[Change::replace("a.txt", b"A", b"AA")], "second")
            .unwrap();
        assert_eq!(setting.journal().undo(&setting.workspace).unwrap().what, "second");
        setting.holds(&AFTER);
        assert_eq!(setting.journal().undo(&setting.workspace).unwrap().what, "first");
        setting.holds(&BEFORE);
        assert!(
            !setting.root.path().join("new").exists(),
            "a folder that was made for it goes with it"
        );
        let nothing = setting.journal().undo(&setting.workspace);
        assert!(matches!(nothing, Err(JournaledError::NothingToUndo { .. })), "{nothing:?}");
        let states: Vec<State> = setting
            .journal()
            .entries()
            .unwrap()
            .into_iter()
            .map(|(_, entry)| entry.state)
            .collect();
        assert_eq!(states, [State::Undone, State::Undone]);
    }

    #[cfg(unix)]
    #[test]
    fn what_comes_back_has_its_permissions() {
        use std::os::unix::fs::PermissionsExt;
        let setting = Setting::new(&[("run.sh", "x")]);
        let path = |name: &str| setting.root.path().join(name);
        fs::set_permissions(path("run.sh"), fs::Permissions::from_mode(0o750)).unwrap();
        let mode_of = |name: &str| fs::metadata(path(name)).unwrap().permissions().mode() & 0o7777;
        let moved =
            Change { mode: setting.workspace.mode("run.sh"), ..Change::create("go.sh", b"x") };
        setting
            .journal()
            .commit(&setting.workspace, &[moved, Change::remove("run.sh", b"x")], "move")
            .unwrap();
        assert_eq!(mode_of("go.sh"), 0o750);
        setting.journal().undo(&setting.workspace).unwrap();
        assert_eq!(mode_of("run.sh"), 0o750);
        setting.holds(&[("go.sh", None), ("run.sh", Some("x"))]);
    }

    #[test]
    fn a_file_changed_since_is_not_undone_nor_any_other() {
        let setting = Setting::new(&[("a.txt", "a"), ("c.txt", "c")]);
        setting.journal().commit(&setting.workspace, &changes(), "edit").unwrap();
        setting.put("new/b.txt", "theirs");
        let refused = setting.journal().undo(&setting.workspace);
        is_stale(&refused.map(|_| ()), "new/b.txt");
        setting.holds(&[("a.txt", Some("A")), ("new/b.txt", Some("theirs")), ("c.txt", None)]);
    }

    #[test]
    fn all_or_nothing() {
        let setting = Setting::new(&[("a.txt", "a"), ("c.txt", "theirs")]);
        let refused = setting.journal().commit(&setting.workspace, &changes(), "edit");
        is_stale(&refused, "c.txt");
        setting.holds(&[("a.txt", Some("a")), ("new/b.txt", None), ("c.txt", Some("theirs"))]);
        assert_eq!(setting.journal().entries().unwrap(), [], "refused before it began");
    }

    #[test]
    fn what_fails_in_the_middle_is_taken_back() {
        let setting = Setting::new(&[("a.txt", "a"), ("c.txt", "c")]);
        let twice = [changes(), vec![Change::create("new/b.txt", b"again")]].concat();
        let failed = setting.journal().commit(&setting.workspace, &twice, "edit");
        let Err(JournaledError::Commit(CommitError::Exists { path })) = &failed else {
            panic!("{failed:?}")
        };
        assert_eq!(path, "new/b.txt");
        setting.holds(&BEFORE);
        assert_eq!(setting.journal().entries().unwrap()[0].1.state, State::RolledBack);
    }

    /// The state that a program leaves if it is killed after writing this many files.
    fn interrupted(n_written: usize, state: State) -> Setting {
        let setting = Setting::new(&[("a.txt", "a"), ("c.txt", "c")]);
        let journal = setting.journal();
        let (number, mut entry) = journal.store.prepare(&changes(), "edit").unwrap();
        let mut written = changes();
        if state == State::Undoing {
            for change in changes() {
                setting.workspace.write(&change).unwrap();
            }
            journal.store.mark(number, &mut entry, State::Undoing).unwrap();
            written = changes().iter().map(Change::reversed).collect();
        }
        for change in &written[..n_written] {
            setting.workspace.write(change).unwrap();
        }
        setting
    }

    #[test]
    fn what_was_interrupted_is_finished() {
        for n_written in 0..=3 {
            for (state, expected, files) in
                [(State::Prepared, State::Done, AFTER), (State::Undoing, State::Undone, BEFORE)]
            {
                let setting = interrupted(n_written, state);
                let recovered = setting.journal().recover(&setting.workspace).unwrap();
                assert_eq!(
                    (recovered.len(), recovered[0].changed.len(), recovered[0].entry.state),
                    (1, 0, expected)
                );
                setting.holds(&files);
                assert_eq!(setting.journal().recover(&setting.workspace).unwrap(), [], "once");
            }
        }
    }

    #[test]
    fn what_somebody_changed_meanwhile_stays_and_the_rest_is_taken_back() {
        for n_written in 0..=3 {
            let setting = interrupted(n_written, State::Prepared);
            setting.put("a.txt", "theirs");
            let recovered = setting.journal().recover(&setting.workspace).unwrap();
            assert_eq!(recovered[0].changed, ["a.txt"]);
            assert_eq!(recovered[0].entry.state, State::RolledBack);
            setting.holds(&[("a.txt", Some("theirs")), ("new/b.txt", None), ("c.txt", Some("c"))]);
            assert_eq!(
                fs::read(recovered[0].kept_in.join("0.after")).unwrap(),
                b"A",
                "ours is kept"
            );
        }
        let setting = interrupted(1, State::Prepared);
        fs::remove_file(setting.root.path().join("a.txt")).unwrap();
        fs::create_dir(setting.root.path().join("a.txt")).unwrap();
        let recovered = setting.journal().recover(&setting.workspace).unwrap();
        assert_eq!(recovered[0].changed, ["a.txt"], "a folder is not ours either");
    }

    #[cfg(unix)]
    #[test]
    fn permissions_are_finished_undone_and_left_to_others() {
        use crate::workspace::Chmod;
        use std::os::unix::fs::PermissionsExt;
        for (is_written, is_theirs) in [(false, false), (true, false), (false, true), (true, true)]
        {
            let setting = Setting::new(&[("run.sh", "x")]);
            let path = setting.root.path().join("run.sh");
            let set =
                |mode: u32| fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
            let mode = || fs::metadata(&path).unwrap().permissions().mode() & 0o7777;
            set(0o644);
            let chmod = Some(Chmod { from: 0o644, to: 0o755 });
            let changes = [Change { chmod, ..Change::replace("run.sh", b"x", b"x") }];
            setting.journal().store.prepare(&changes, "edit").unwrap();
            if is_written {
                setting.workspace.write(&changes[0]).unwrap();
            }
            if is_theirs {
                set(0o600);
            }
            let recovered = setting.journal().recover(&setting.workspace).unwrap();
            assert_eq!(recovered[0].changed.len(), usize::from(is_theirs));
            assert_eq!(mode(), if is_theirs { 0o600 } else { 0o755 });
            if !is_theirs {
                setting.journal().undo(&setting.workspace).unwrap();
                assert_eq!(mode(), 0o644);
            }
        }
    }

    #[test]
    fn one_at_a_time_and_each_folder_has_its_own() {
        let setting = Setting::new(&[("a.txt", "a")]);
        let held = setting.journal();
        let second = Journal::open(setting.state.path(), &setting.workspace);
        assert!(matches!(second, Err(JournalError::Locked { .. })), "{second:?}");
        let other = Setting::new(&[]);
        assert!(Journal::open(setting.state.path(), &other.workspace).is_ok());
        drop(held);
        setting.journal();
    }

    #[test]
    fn old_entries_are_forgotten_and_unfinished_ones_are_not() {
        let setting = interrupted(0, State::Prepared);
        let journal = setting.journal();
        for i in 0..KEPT_ENTRIES + 5 {
            let (before, after) = (format!("{i}"), format!("{}", i + 1));
            let before = if i == 0 { "a" } else { &before };
            journal
                .commit(
                    &setting.workspace,
                    &[Change::replace("a.txt", before.as_bytes(), after.as_bytes())],
                    "edit",
                )
                .unwrap();
        }
        let numbers: Vec<u64> =
            journal.entries().unwrap().iter().map(|(number, _)| *number).collect();
        assert_eq!(numbers.len(), KEPT_ENTRIES + 1);
        assert_eq!(numbers[..2], [1, 7], "the unfinished one, and then the newest");
    }

    #[cfg(unix)]
    #[test]
    fn only_its_owner_reads_it() {
        use std::os::unix::fs::PermissionsExt;
        let setting = Setting::new(&[("a.txt", "a")]);
        let state = setting.state.path().join("slotwright");
        Journal::open(&state, &setting.workspace).unwrap();
        assert_eq!(fs::metadata(&state).unwrap().permissions().mode() & 0o777, 0o700);
    }
}
