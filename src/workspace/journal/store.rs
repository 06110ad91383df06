//! The journal on disk: its folder, its lock, and its entries with the files' bytes.

use super::super::commit::{Change, Chmod};
use super::super::private_folder::make_private_folder;
use super::super::temporary::{self, Temporary, sync_folder};
use cap_std::ambient_authority;
use cap_std::fs::{Dir, File};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
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
    /// The task or command, in words.
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
    /// Its permissions, for a file that may have to be made anew.
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
        let failed = |source| JournalError::Io {
            folder: folder.clone(),
            source,
        };
        make_private_folder(&folder).map_err(failed)?;
        let dir = Dir::open_ambient_dir(&folder, ambient_authority()).map_err(failed)?;
        let lock = dir.create(LOCK).map_err(failed)?;
        let is_locked = temporary::try_lock(&lock).map_err(failed)?;
        if !is_locked || !has_its_name(&dir, &folder).map_err(failed)? {
            return Err(JournalError::Locked {
                root: root.to_path_buf(),
            });
        }
        Ok(Store {
            root: root.to_path_buf(),
            folder,
            dir,
            _lock: lock,
        })
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
            let name = found.map_err(|source| self.failed(source))?.file_name();
            let number = name.to_str().and_then(|name| name.parse::<u64>().ok());
            let entry = number.and_then(|n| {
                self.dir
                    .read(Path::new(&name).join(ENTRY))
                    .ok()
                    .map(|bytes| (n, bytes))
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

    /// Writes all bytes and the entry to disk, before any file is touched. Returns the entry's
    /// number.
    pub fn prepare(
        &self,
        changes: &[Change],
        description: &str,
    ) -> Result<(u64, Entry), JournalError> {
        let (number, files) = self
            .write_bytes(changes)
            .map_err(|source| self.failed(source))?;
        let at = SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .unwrap_or_default()
            .as_secs();
        let mut entry = Entry {
            root: self.root.clone(),
            at,
            what: description.to_owned(),
            state: State::Prepared,
            files,
        };
        if let Err(error) = self.mark(number, &mut entry, State::Prepared) {
            self.forget(number);
            return Err(error);
        }
        Ok((number, entry))
    }

    fn write_bytes(&self, changes: &[Change]) -> io::Result<(u64, Vec<FileEntry>)> {
        // The numbers of damaged entries are not reused.
        let taken = self
            .dir
            .entries()?
            .flatten()
            .filter_map(|entry| entry.file_name().to_str()?.parse::<u64>().ok())
            .max();
        let number = taken.unwrap_or(0) + 1;
        let name = name_of(number);
        self.dir.create_dir(&name)?;
        match self.write_files(&name, changes) {
            Ok(files) => Ok((number, files)),
            Err(error) => {
                self.forget(number);
                Err(error)
            }
        }
    }

    fn write_files(&self, name: &str, changes: &[Change]) -> io::Result<Vec<FileEntry>> {
        let dir = self.dir.open_dir(name)?;
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
                chmod: change.chmod,
                new_folders: change.new_folders,
                unsaved: None,
            });
        }
        Ok(files)
    }

    /// Records how far an entry's commit has come.
    pub fn mark(&self, number: u64, entry: &mut Entry, state: State) -> Result<(), JournalError> {
        entry.state = state;
        let bytes = serde_json::to_vec_pretty(entry).expect("an entry is plain data");
        let write = || -> io::Result<()> {
            let dir = self.dir.open_dir(name_of(number))?;
            let mut temporary = Temporary::new(&dir)?;
            temporary.file().write_all(&bytes)?;
            temporary.file().sync_all()?;
            temporary.replace(Path::new(ENTRY))?;
            sync_folder(&dir);
            sync_folder(&self.dir);
            Ok(())
        };
        write().map_err(|source| self.failed(source))
    }

    /// The changes of an entry, with the files' bytes.
    pub fn changes(&self, number: u64, entry: &Entry) -> Result<Vec<Change>, JournalError> {
        let read = || -> io::Result<Vec<Change>> {
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
                    chmod: file.chmod,
                    new_folders: file.new_folders,
                })
            };
            entry.files.iter().enumerate().map(change).collect()
        };
        read().map_err(|source| self.failed(source))
    }

    /// Removes old entries. An unfinished entry is kept, however old it is.
    pub fn forget_old(&self, newest: u64) {
        let now = SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .unwrap_or_default();
        for (number, entry) in self.entries().unwrap_or_default() {
            let is_old = newest - number >= KEPT_ENTRIES as u64
                || now.saturating_sub(Duration::from_secs(entry.at)) > KEPT_FOR;
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
        let path = found.path();
        if !found.file_type()?.is_dir() {
            std::fs::remove_file(&path)?;
            continue;
        }
        // It stays locked until it is out of the way. A program that comes meanwhile sees that its
        // folder has gone, and says that it is locked.
        let lock = std::fs::File::open(path.join(LOCK))
            .map(File::from_std)
            .ok();
        if lock
            .as_ref()
            .is_some_and(|lock| matches!(temporary::try_lock(lock), Ok(false)))
        {
            purged.n_in_use += 1;
            continue;
        }
        let aside = path.with_extension(PURGED);
        if aside != path {
            let _ = std::fs::remove_dir_all(&aside); // of a purge that was interrupted
            std::fs::rename(&path, &aside)?;
        }
        std::fs::remove_dir_all(&aside)?;
        purged.n_removed += 1;
    }
    // Another program may have begun a new one.
    let _ = std::fs::remove_dir(&journals);
    Ok(purged)
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
pub(super) fn hex(bytes: &[u8]) -> String {
    Sha256::digest(bytes)
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect()
}
