//! The journal on disk: its folder, its lock, and its entries with the files' bytes.

use super::super::commit::{Change, Chmod};
use super::super::private_folder::make_private_folder;
use super::super::temporary::{self, Temporary, sync_folder};
use cap_std::ambient_authority;
use cap_std::fs::{Dir, File};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::ffi::OsStr;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// How many of the newest entries are kept.
pub(super) const KEPT_ENTRIES: usize = 100;
/// How long an entry is kept.
const KEPT_FOR: Duration = Duration::from_secs(30 * 24 * 60 * 60);

const ENTRY: &str = "entry.json";
const LOCK: &str = "lock";
/// The extension of a journal that is being removed.
const PURGED: &str = "purged";

/// The entries of one folder. The store stays locked as long as this value lives.
#[derive(Debug)]
pub(super) struct Store {
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
    /// When the commit began, in seconds since 1970 (UTC).
    pub at: u64,
    /// The task or command that made the commit, in words.
    pub what: String,
    /// How far the commit came.
    pub state: State,
    /// The files of the commit.
    pub files: Vec<FileEntry>,
}

/// A file of a commit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileEntry {
    /// Path relative to the root.
    pub path: String,
    /// Whether the file existed before the commit.
    pub was_there: bool,
    /// Whether the file exists after the commit.
    pub is_there: bool,
    /// Its permissions, for a file that may have to be made again.
    #[serde(default)]
    pub mode: Option<u32>,
    /// Its permissions before and after the commit, if they change.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chmod: Option<Chmod>,
    /// See [`Change::new_folders`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub new_folders: Option<usize>,
    /// For a change that an editor made, in a text that was not saved: the SHA-256 of the file then.
    /// As long as the file has these bytes, the editor has not saved the change.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unsaved: Option<String>,
}

impl FileEntry {
    fn of(change: &Change) -> FileEntry {
        FileEntry {
            path: change.path.clone(),
            was_there: change.before.is_some(),
            is_there: change.after.is_some(),
            mode: change.mode,
            chmod: change.chmod,
            new_folders: change.new_folders,
            unsaved: None,
        }
    }
}

/// How far a commit came.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum State {
    /// The commit has begun: some files may be replaced, others not.
    Prepared,
    /// All files are replaced.
    Done,
    /// Undoing has begun: some files may be restored, others not.
    Undoing,
    /// The commit was done, and then undone.
    Undone,
    /// The commit was rolled back because it could not be finished.
    RolledBack,
}

/// Why the journal cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum JournalError {
    /// The journal cannot be read or written.
    #[error("cannot use the journal in {}: {source}", folder.display())]
    Io {
        /// The journal's folder.
        folder: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// Another slotwright is writing in the same folder.
    #[error("another slotwright is writing in {}", root.display())]
    Locked {
        /// The folder being edited.
        root: PathBuf,
    },
}

impl Store {
    /// Opens the store under `state` for the folder `root`. It does not wait for a lock.
    pub fn open(state: &Path, root: &Path) -> Result<Store, JournalError> {
        let folder = folder_under(state, root);
        match open_locked(&folder) {
            Ok(Some((dir, lock))) => Ok(Store {
                root: root.to_path_buf(),
                folder,
                dir,
                _lock: lock,
            }),
            Ok(None) => Err(JournalError::Locked {
                root: root.to_path_buf(),
            }),
            Err(source) => Err(JournalError::Io { folder, source }),
        }
    }

    /// The store's folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The folder with the bytes of an entry.
    pub fn folder_of(&self, number: u64) -> PathBuf {
        self.folder.join(name_of(number))
    }

    /// The folder being edited.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The entries by number, oldest first. Damaged entries are left out.
    pub fn entries(&self) -> Result<Vec<(u64, Entry)>, JournalError> {
        let mut entries = Vec::new();
        for found in self.dir.entries().map_err(|source| self.failed(source))? {
            let found = found.map_err(|source| self.failed(source))?;
            if let Some((number, entry)) = self.entry(&found.file_name())
                && entry.root == self.root
            {
                entries.push((number, entry));
            }
        }
        entries.sort_by_key(|(number, _)| *number);
        Ok(entries)
    }

    /// The entry in a folder of this name; `None` if there is none, or if it is damaged.
    fn entry(&self, name: &OsStr) -> Option<(u64, Entry)> {
        let number = name.to_str()?.parse().ok()?;
        let bytes = self.dir.read(Path::new(name).join(ENTRY)).ok()?;
        Some((number, serde_json::from_slice(&bytes).ok()?))
    }

    /// Writes all bytes and the entry to disk, before any file is touched. Returns the entry's
    /// number.
    pub fn prepare(
        &self,
        changes: &[Change],
        description: &str,
    ) -> Result<(u64, Entry), JournalError> {
        let mut entry = Entry {
            root: self.root.clone(),
            at: since_1970().as_secs(),
            what: description.to_owned(),
            state: State::Prepared,
            files: changes.iter().map(FileEntry::of).collect(),
        };
        let number = self.free_number().map_err(|source| self.failed(source))?;
        let written = self.write_bytes(number, changes);
        let prepared = written
            .map_err(|source| self.failed(source))
            .and_then(|()| self.mark(number, &mut entry, State::Prepared));
        if let Err(error) = prepared {
            self.forget(number);
            return Err(error);
        }
        Ok((number, entry))
    }

    /// A number above all others. Those of damaged entries are not reused.
    fn free_number(&self) -> io::Result<u64> {
        let mut last = 0;
        for found in self.dir.entries()? {
            let name = found?.file_name();
            let number = name.to_str().and_then(|name| name.parse::<u64>().ok());
            last = last.max(number.unwrap_or(0));
        }
        Ok(last + 1)
    }

    fn write_bytes(&self, number: u64, changes: &[Change]) -> io::Result<()> {
        let name = name_of(number);
        self.dir.create_dir(&name)?;
        let dir = self.dir.open_dir(&name)?;
        for (i, change) in changes.iter().enumerate() {
            for (bytes, side) in [(&change.before, "before"), (&change.after, "after")] {
                if let Some(bytes) = bytes {
                    let mut file = dir.create(format!("{i}.{side}"))?;
                    file.write_all(bytes)?;
                    file.sync_all()?;
                }
            }
        }
        Ok(())
    }

    /// Records how far an entry's commit has come.
    pub fn mark(&self, number: u64, entry: &mut Entry, state: State) -> Result<(), JournalError> {
        entry.state = state;
        self.write_entry(number, entry)
            .map_err(|source| self.failed(source))
    }

    fn write_entry(&self, number: u64, entry: &Entry) -> io::Result<()> {
        let dir = self.dir.open_dir(name_of(number))?;
        let mut temporary = Temporary::new(&dir)?;
        temporary
            .file()
            .write_all(&serde_json::to_vec_pretty(entry)?)?;
        temporary.file().sync_all()?;
        temporary.replace(Path::new(ENTRY))?;
        sync_folder(&dir);
        sync_folder(&self.dir);
        Ok(())
    }

    /// The changes of an entry, with the files' bytes.
    pub fn changes(&self, number: u64, entry: &Entry) -> Result<Vec<Change>, JournalError> {
        self.read_changes(number, entry)
            .map_err(|source| self.failed(source))
    }

    fn read_changes(&self, number: u64, entry: &Entry) -> io::Result<Vec<Change>> {
        let dir = self.dir.open_dir(name_of(number))?;
        let mut changes = Vec::new();
        for (i, file) in entry.files.iter().enumerate() {
            let before = file.was_there.then(|| dir.read(format!("{i}.before")));
            let after = file.is_there.then(|| dir.read(format!("{i}.after")));
            changes.push(Change {
                path: file.path.clone(),
                before: before.transpose()?,
                after: after.transpose()?,
                mode: file.mode,
                chmod: file.chmod,
                new_folders: file.new_folders,
            });
        }
        Ok(changes)
    }

    /// Removes old entries. An unfinished entry is kept, however old it is.
    pub fn forget_old(&self, newest: u64) {
        for (number, entry) in self.entries().unwrap_or_default() {
            let age = since_1970().saturating_sub(Duration::from_secs(entry.at));
            let is_old = newest - number >= KEPT_ENTRIES as u64 || age > KEPT_FOR;
            if is_old && !matches!(entry.state, State::Prepared | State::Undoing) {
                self.forget(number);
            }
        }
    }

    /// Removes an entry. If this fails, a later commit tries again.
    pub fn forget(&self, number: u64) {
        let _ = self.dir.remove_dir_all(name_of(number));
    }

    fn failed(&self, source: io::Error) -> JournalError {
        JournalError::Io {
            folder: self.folder.clone(),
            source,
        }
    }
}

/// The folder under `state` with the journals of all folders that were edited.
pub fn journals(state: &Path) -> PathBuf {
    state.join("journal")
}

/// What [`purge`] did, in folders that were edited.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Purged {
    /// Journals that were removed.
    pub n_removed: usize,
    /// Journals that were left, because another program is writing in their folder.
    pub n_in_use: usize,
}

/// Removes the journals of all folders under `state`, but those in use.
///
/// # Errors
/// If the system refuses. Some may be removed then.
pub fn purge(state: &Path) -> io::Result<Purged> {
    let journals = journals(state);
    let mut purged = Purged::default();
    let found = match std::fs::read_dir(&journals) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(purged),
        found => found?,
    };
    for found in found {
        let found = found?;
        if !found.file_type()?.is_dir() {
            std::fs::remove_file(found.path())?;
        } else if remove_unused(&found.path())? {
            purged.n_removed += 1;
        } else {
            purged.n_in_use += 1;
        }
    }
    // Another program may have begun a new one.
    let _ = std::fs::remove_dir(&journals);
    Ok(purged)
}

/// Removes a journal if no program is using it. Returns whether it was removed.
fn remove_unused(journal: &Path) -> io::Result<bool> {
    // It stays locked until it is out of the way. A program that comes meanwhile sees that its
    // folder has gone, and says that it is locked.
    let lock = std::fs::File::open(journal.join(LOCK)).map(File::from_std);
    if let Ok(lock) = &lock
        && matches!(temporary::try_lock(lock), Ok(false))
    {
        return Ok(false);
    }

    let aside = journal.with_extension(PURGED);
    if aside != journal {
        let _ = std::fs::remove_dir_all(&aside); // of a purge that was interrupted
        std::fs::rename(journal, &aside)?;
    }
    std::fs::remove_dir_all(&aside)?;
    Ok(true)
}

/// Opens a store's folder, and its lock; `None` if another program has locked it.
fn open_locked(folder: &Path) -> io::Result<Option<(Dir, File)>> {
    make_private_folder(folder)?;
    let dir = Dir::open_ambient_dir(folder, ambient_authority())?;
    let lock = dir.create(LOCK)?;
    let is_ours = temporary::try_lock(&lock)? && has_its_name(&dir, folder)?;
    Ok(is_ours.then_some((dir, lock)))
}

fn since_1970() -> Duration {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default()
}

/// Whether a folder that was opened still has its name.
#[cfg(unix)]
fn has_its_name(dir: &Dir, folder: &Path) -> io::Result<bool> {
    use cap_std::fs::MetadataExt as _;
    use std::os::unix::fs::MetadataExt as _;
    let (opened, named) = (dir.dir_metadata()?, std::fs::metadata(folder));
    Ok(named.is_ok_and(|named| (named.dev(), named.ino()) == (opened.dev(), opened.ino())))
}

#[cfg(not(unix))]
fn has_its_name(_: &Dir, _: &Path) -> io::Result<bool> {
    Ok(true)
}

fn name_of(number: u64) -> String {
    format!("{number:06}")
}

fn folder_under(state: &Path, root: &Path) -> PathBuf {
    journals(state).join(&hex(root.as_os_str().as_encoded_bytes())[..32])
}

/// The SHA-256 of bytes.
pub(in crate::workspace) fn hex(bytes: &[u8]) -> String {
    Sha256::digest(bytes)
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect()
}
