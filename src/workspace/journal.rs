//! The journal: what was written, before and after, kept outside the folder being edited. With it
//! an interrupted commit of several files is finished or rolled back, and a finished one can be
//! undone.
//!
//! ```text
//! STATE/journal/ROOT/lock                 held by whoever writes in that folder
//! STATE/journal/ROOT/000017/entry.json    what, when, which files, and how far it came
//! STATE/journal/ROOT/000017/0.before …    bytes of its first file, before and after; missing where there was none
//! ```
//! STATE is `slotwright` in the XDG state folder, and readable by its owner only; ROOT is a hash of
//! the folder's path.
//!
//! A commit is *prepared*: all bytes are on disk here before the first file is touched. Then the
//! files are replaced one by one, and it is *done*. Whoever comes next and finds a prepared one
//! finishes it, if every file still holds what it held before or after: the person had said yes. If
//! somebody else has changed one meanwhile, the others are rolled back, theirs stays, and it is
//! said.

use super::private_folder::make_private_folder;
use super::temporary::{self, Temporary};
use super::{Change, CommitError, Workspace};
use cap_std::ambient_authority;
use cap_std::fs::{Dir, File};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Entries that are kept, the newest.
const KEPT_ENTRIES: usize = 100;
/// … for so long.
const KEPT_FOR: Duration = Duration::from_secs(30 * 24 * 60 * 60);

const ENTRY: &str = "entry.json";

/// The journal of one folder, locked for as long as this lives.
#[derive(Debug)]
pub struct Journal {
    folder: PathBuf,
    root: PathBuf,
    dir: Dir,
    _lock: File,
}

/// One commit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    /// The folder that was edited.
    pub root: PathBuf,
    /// When it was begun, in seconds since 1970.
    pub at: u64,
    /// What was asked for.
    pub what: String,
    /// How far it came.
    pub state: State,
    /// The files.
    pub files: Vec<FileEntry>,
}

/// A file of a commit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileEntry {
    /// Relative to the root.
    pub path: String,
    /// Whether it was there before.
    pub was_there: bool,
    /// Whether it is there afterwards.
    pub is_there: bool,
    /// Its permissions, where it may have to be made anew.
    #[serde(default)]
    pub mode: Option<u32>,
}

/// How far a commit came.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum State {
    /// Begun: some files may be replaced, others not.
    Prepared,
    /// All files are replaced.
    Done,
    /// Its undoing has begun: some files may be as they were, others not.
    Undoing,
    /// It was done, and undone.
    Undone,
    /// It was taken back because not all of it could be done.
    RolledBack,
}

/// Why the journal cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum JournalError {
    /// It cannot be read or written.
    #[error("cannot use the journal in {}: {source}", folder.display())]
    Io {
        /// Where it is.
        folder: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// Another slotwright is writing in the same folder.
    #[error("another slotwright is writing in {}", root.display())]
    Locked {
        /// The folder being edited.
        root: PathBuf,
    },
}

/// Why nothing was undone, or written.
#[derive(Debug, thiserror::Error)]
pub enum JournaledError {
    /// There is no commit that could be undone.
    #[error("there is nothing to undo in {}", root.display())]
    NothingToUndo {
        /// The folder.
        root: PathBuf,
    },
    /// A file is not what it should be, or cannot be written.
    #[error(transparent)]
    Commit(#[from] CommitError),
    /// The journal.
    #[error(transparent)]
    Journal(#[from] JournalError),
}

/// What became of an interrupted commit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recovered {
    /// The commit.
    pub entry: Entry,
    /// Files that somebody else had changed meanwhile. If there is none, all of the commit was
    /// finished (or all of its undoing); else what had been written of it was taken back.
    pub changed: Vec<String>,
    /// Where both versions of every file are.
    pub kept_in: PathBuf,
}

impl Journal {
    /// Opens the journal of a folder under `state`. It waits for nobody: that another program has
    /// it is an error.
    pub fn open(state: &Path, workspace: &Workspace) -> Result<Journal, JournalError> {
        let folder = folder_of(state, workspace.root());
        let failed = |source| JournalError::Io { folder: folder.clone(), source };
        make_private_folder(&folder).map_err(failed)?;
        let dir = Dir::open_ambient_dir(&folder, ambient_authority()).map_err(failed)?;
        let lock = dir.create("lock").map_err(failed)?;
        if !temporary::lock(&lock) {
            return Err(JournalError::Locked { root: workspace.root().to_path_buf() });
        }
        Ok(Journal { root: workspace.root().to_path_buf(), folder, dir, _lock: lock })
    }

    /// Where it is.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The commits, oldest first, by number. What is damaged is left out.
    pub fn entries(&self) -> Result<Vec<(u64, Entry)>, JournalError> {
        let mut entries = Vec::new();
        for found in self.dir.entries().map_err(|source| self.failed(source))? {
            let name = found.map_err(|source| self.failed(source))?.file_name();
            let number = name.to_str().and_then(|name| name.parse::<u64>().ok());
            let entry = number.and_then(|n| {
                self.dir.read(Path::new(&name).join(ENTRY)).ok().map(|bytes| (n, bytes))
            });
            if let Some((number, bytes)) = entry
                && let Ok(entry) = serde_json::from_slice::<Entry>(&bytes)
                && entry.root == self.root
            {
                entries.push((number, entry));
            }
        }
        entries.sort_by_key(|(number, _)| *number);
        Ok(entries)
    }

    /// Writes all of these changes or none of them. If it fails, what was written is taken back.
    pub fn commit(
        &self,
        workspace: &Workspace,
        changes: &[Change],
        what: &str,
    ) -> Result<(), JournaledError> {
        for change in changes {
            workspace.check(change)?;
        }
        // What goes must be able to come back as it was.
        let with_mode = |change: &Change| Change {
            mode: change.mode.or_else(|| workspace.mode(&change.path)),
            ..change.clone()
        };
        let changes: Vec<Change> = changes.iter().map(with_mode).collect();
        let changes = changes.as_slice();
        let (number, mut entry) =
            self.prepare(changes, what).map_err(|source| self.failed(source))?;
        if let Err(error) = write_all(workspace, changes) {
            let _ = self.mark(number, &mut entry, State::RolledBack);
            return Err(error.into());
        }
        self.mark(number, &mut entry, State::Done).map_err(|source| self.failed(source))?;
        self.forget_old(number);
        Ok(())
    }

    /// Undoes the last commit that was not undone, if its files are still as it left them.
    pub fn undo(&self, workspace: &Workspace) -> Result<Entry, JournaledError> {
        let last = self.entries()?.into_iter().rev().find(|(_, entry)| entry.state == State::Done);
        let Some((number, mut entry)) = last else {
            return Err(JournaledError::NothingToUndo { root: self.root.clone() });
        };
        let changes: Vec<Change> = self
            .changes(number, &entry)
            .map_err(|source| self.failed(source))?
            .iter()
            .map(Change::reversed)
            .collect();
        for change in &changes {
            workspace.check(change)?;
        }
        self.mark(number, &mut entry, State::Undoing).map_err(|source| self.failed(source))?;
        if let Err(error) = write_all(workspace, &changes) {
            let _ = self.mark(number, &mut entry, State::Done);
            return Err(error.into());
        }
        self.mark(number, &mut entry, State::Undone).map_err(|source| self.failed(source))?;
        Ok(entry)
    }

    /// Finishes what was interrupted, or takes it back where somebody else has changed a file of it
    /// meanwhile.
    pub fn recover(&self, workspace: &Workspace) -> Result<Vec<Recovered>, JournaledError> {
        let mut recovered = Vec::new();
        for (number, mut entry) in self.entries()? {
            let (to, back) = match entry.state {
                State::Prepared => (State::Done, State::RolledBack),
                State::Undoing => (State::Undone, State::Done),
                State::Done | State::Undone | State::RolledBack => continue,
            };
            let mut changes = self.changes(number, &entry).map_err(|source| self.failed(source))?;
            if entry.state == State::Undoing {
                changes = changes.iter().map(Change::reversed).collect();
            }
            let mut changed = Vec::new();
            for change in &changes {
                let is_ours = match workspace.bytes(&change.path) {
                    Ok(there) => there == change.before || there == change.after,
                    // Not even a file any more.
                    Err(CommitError::Stale { .. }) => false,
                    Err(error) => return Err(error.into()),
                };
                if !is_ours {
                    changed.push(change.path.clone());
                }
            }
            for change in changes.iter().filter(|change| !changed.contains(&change.path)) {
                let change = if changed.is_empty() { change.clone() } else { change.reversed() };
                if workspace.bytes(&change.path)? != change.after {
                    workspace.write(&change)?;
                }
            }
            self.mark(number, &mut entry, if changed.is_empty() { to } else { back })
                .map_err(|source| self.failed(source))?;
            recovered.push(Recovered {
                entry,
                changed,
                kept_in: self.folder.join(name_of(number)),
            });
        }
        Ok(recovered)
    }

    /// All bytes and what they are on disk, before any file is touched.
    fn prepare(&self, changes: &[Change], what: &str) -> io::Result<(u64, Entry)> {
        // Damaged ones count too: their numbers are taken.
        let taken = self
            .dir
            .entries()?
            .flatten()
            .filter_map(|entry| entry.file_name().to_str()?.parse::<u64>().ok())
            .max();
        let number = taken.unwrap_or(0) + 1;
        let name = name_of(number);
        self.dir.create_dir(&name)?;
        let dir = self.dir.open_dir(&name)?;
        let mut files = Vec::new();
        for (i, change) in changes.iter().enumerate() {
            for (bytes, side) in [(&change.before, "before"), (&change.after, "after")] {
                if let Some(bytes) = bytes {
                    let mut file = dir.create(format!("{i}.{side}"))?;
                    file.write_all(bytes)?;
                    file.sync_all()?;
                }
            }
            files.push(FileEntry {
                path: change.path.clone(),
                was_there: change.before.is_some(),
                is_there: change.after.is_some(),
                mode: change.mode,
            });
        }
        let at = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
        let mut entry = Entry {
            root: self.root.clone(),
            at,
            what: what.to_owned(),
            state: State::Prepared,
            files,
        };
        self.mark(number, &mut entry, State::Prepared)?;
        Ok((number, entry))
    }

    fn mark(&self, number: u64, entry: &mut Entry, state: State) -> io::Result<()> {
        entry.state = state;
        let dir = self.dir.open_dir(name_of(number))?;
        let mut temporary = Temporary::new(&dir)?;
        temporary
            .file()
            .write_all(&serde_json::to_vec_pretty(entry).expect("an entry is plain data"))?;
        temporary.file().sync_all()?;
        temporary.replace(Path::new(ENTRY))?;
        super::commit::sync_folder(&dir);
        super::commit::sync_folder(&self.dir);
        Ok(())
    }

    fn changes(&self, number: u64, entry: &Entry) -> io::Result<Vec<Change>> {
        let dir = self.dir.open_dir(name_of(number))?;
        let bytes = |i: usize, side: &str, is: bool| {
            is.then(|| dir.read(format!("{i}.{side}"))).transpose()
        };
        let change = |(i, file): (usize, &FileEntry)| {
            Ok(Change {
                path: file.path.clone(),
                before: bytes(i, "before", file.was_there)?,
                after: bytes(i, "after", file.is_there)?,
                mode: file.mode,
            })
        };
        entry.files.iter().enumerate().map(change).collect()
    }

    /// Removes the oldest entries. What is unfinished is kept, however old it is.
    fn forget_old(&self, newest: u64) {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        for (number, entry) in self.entries().unwrap_or_default() {
            let is_old = newest - number >= KEPT_ENTRIES as u64
                || now.saturating_sub(Duration::from_secs(entry.at)) > KEPT_FOR;
            if is_old && !matches!(entry.state, State::Prepared | State::Undoing) {
                let _ = self.dir.remove_dir_all(name_of(number)); // it is tried again after the next commit
            }
        }
    }

    fn failed(&self, source: io::Error) -> JournalError {
        JournalError::Io { folder: self.folder.clone(), source }
    }
}

/// Makes all changes, or takes back those that it has made.
fn write_all(workspace: &Workspace, changes: &[Change]) -> Result<(), CommitError> {
    for (n_done, change) in changes.iter().enumerate() {
        if let Err(error) = workspace.write(change) {
            for done in changes[..n_done].iter().rev() {
                // Whoever changed it in this moment keeps it; the journal has the rest.
                let _ = workspace.write(&done.reversed());
            }
            return Err(error);
        }
    }
    Ok(())
}

fn name_of(number: u64) -> String {
    format!("{number:06}")
}

fn folder_of(state: &Path, root: &Path) -> PathBuf {
    let hash = Sha256::digest(root.as_os_str().as_encoded_bytes());
    let hex: String = hash.iter().take(16).map(|byte| format!("{byte:02x}")).collect();
    state.join("journal").join(hex)
}

#[cfg(test)]
mod tests {
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

    /// Changes one file, makes one and removes one.
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
        assert!(
            matches!(&refused, Err(JournaledError::Commit(CommitError::Stale { path })) if path == "new/b.txt"),
            "{refused:?}"
        );
        setting.holds(&[("a.txt", Some("A")), ("new/b.txt", Some("theirs")), ("c.txt", None)]);
    }

    #[test]
    fn all_or_nothing() {
        let setting = Setting::new(&[("a.txt", "a"), ("c.txt", "theirs")]);
        let refused = setting.journal().commit(&setting.workspace, &changes(), "edit");
        assert!(
            matches!(&refused, Err(JournaledError::Commit(CommitError::Stale { path })) if path == "c.txt"),
            "{refused:?}"
        );
        setting.holds(&[("a.txt", Some("a")), ("new/b.txt", None), ("c.txt", Some("theirs"))]);
        assert_eq!(setting.journal().entries().unwrap(), [], "refused before it began");
    }

    #[test]
    fn what_fails_in_the_middle_is_taken_back() {
        let setting = Setting::new(&[("a.txt", "a"), ("c.txt", "c")]);
        let twice = [changes(), vec![Change::create("new/b.txt", b"again")]].concat();
        let failed = setting.journal().commit(&setting.workspace, &twice, "edit");
        assert!(
            matches!(&failed, Err(JournaledError::Commit(CommitError::Exists { path })) if path == "new/b.txt"),
            "{failed:?}"
        );
        setting.holds(&BEFORE);
        assert_eq!(setting.journal().entries().unwrap()[0].1.state, State::RolledBack);
    }

    /// As a program leaves it that is killed after so many files.
    fn interrupted(n_written: usize, state: State) -> Setting {
        let setting = Setting::new(&[("a.txt", "a"), ("c.txt", "c")]);
        let journal = setting.journal();
        let (number, mut entry) = journal.prepare(&changes(), "edit").unwrap();
        let mut written = changes();
        if state == State::Undoing {
            for change in changes() {
                setting.workspace.write(&change).unwrap();
            }
            journal.mark(number, &mut entry, State::Undoing).unwrap();
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
