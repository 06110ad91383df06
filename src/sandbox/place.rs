//! Where a sandbox lies: a folder that only its owner may look into, and that never outlives its
//! holder for long.
//!
//! Whoever holds a sandbox, the program and the process that watches its command, holds a shared
//! lock on the file `lock` in it. Folders whose lock nobody holds are those of killed programs.

use super::worktree;
use crate::workspace::private_folder::make_private_folder;
use rustix::fs::{FlockOperation, flock};
use std::fs::{self, File};
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// The number of this process's next sandbox.
static NEXT: AtomicU64 = AtomicU64::new(0);

/// A sandbox's own folder. It is removed when this is dropped.
#[derive(Debug)]
pub(super) struct Place {
    folder: PathBuf,
    _lock: File,
}

impl Place {
    /// Makes one in `within`, and removes those that nobody holds.
    pub(super) fn make(within: &Path) -> io::Result<Place> {
        make_private_folder(within)?;
        let within = within.canonicalize()?;
        // One at a time, so that no folder is taken for abandoned before its lock is held.
        let gate = File::create(within.join("lock"))?;
        flock(&gate, FlockOperation::LockExclusive)?;
        remove_abandoned(&within);
        // Never a name of before: another thread may still be removing what had it, and would
        // remove this too.
        let folder = std::iter::repeat_with(|| NEXT.fetch_add(1, Ordering::Relaxed))
            .map(|n| within.join(format!("{}-{n}", std::process::id())))
            .find(|folder| !folder.exists())
            .expect("numbers do not end");
        make_private_folder(&folder)?;
        let place = Place { _lock: hold(&folder)?, folder };
        for part in [place.home(), place.temporary(), place.dependencies(), place.view()] {
            make_private_folder(&part)?;
        }
        Ok(place)
    }

    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    pub(super) fn copy(&self) -> PathBuf {
        copy_in(&self.folder)
    }

    pub(super) fn home(&self) -> PathBuf {
        home_in(&self.folder)
    }

    pub(super) fn temporary(&self) -> PathBuf {
        temporary_in(&self.folder)
    }

    pub(super) fn dependencies(&self) -> PathBuf {
        self.folder.join("dependencies")
    }

    fn view(&self) -> PathBuf {
        view_in(&self.folder)
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        // Whatever is left is removed by the next program.
        let _ = remove_tree(&self.folder);
    }
}

/// Where the copy lies in a sandbox's folder.
pub(super) fn copy_in(folder: &Path) -> PathBuf {
    folder.join("copy")
}

/// What commands are told is their home: empty at first.
pub(super) fn home_in(folder: &Path) -> PathBuf {
    folder.join("home")
}

/// What commands are told is for temporary files.
pub(super) fn temporary_in(folder: &Path) -> PathBuf {
    folder.join("tmp")
}

/// Where a command's own view of the files is put together.
pub(super) fn view_in(folder: &Path) -> PathBuf {
    folder.join("view")
}

/// Says that this sandbox is in use for as long as the file is open.
pub(super) fn hold(folder: &Path) -> io::Result<File> {
    let lock =
        File::options().create(true).truncate(false).write(true).open(folder.join("lock"))?;
    flock(&lock, FlockOperation::NonBlockingLockShared)?;
    Ok(lock)
}

fn remove_abandoned(within: &Path) {
    for entry in fs::read_dir(within).into_iter().flatten().flatten() {
        let folder = entry.path();
        if !entry.file_type().is_ok_and(|t| t.is_dir()) {
            continue;
        }
        let is_held = File::options()
            .write(true)
            .open(folder.join("lock"))
            .is_ok_and(|lock| flock(&lock, FlockOperation::NonBlockingLockExclusive).is_err());
        if !is_held {
            worktree::forget(&folder);
            let _ = remove_tree(&folder); // the next program tries again
        }
    }
}

/// Removes a folder with all that is in it, also where a command took the permission to.
pub(super) fn remove_tree(folder: &Path) -> io::Result<()> {
    const TRIES: usize = 3;
    let mut result = Ok(());
    for _ in 0..TRIES {
        result = fs::remove_dir_all(folder);
        match &result {
            Err(error) if error.kind() != io::ErrorKind::NotFound => allow_removal(folder),
            _ => return Ok(()),
        }
    }
    result
}

fn allow_removal(folder: &Path) {
    let _ = fs::set_permissions(folder, fs::Permissions::from_mode(0o700));
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        if entry.file_type().is_ok_and(|t| t.is_dir()) {
            allow_removal(&entry.path());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_nobody_holds_is_removed() {
        let within = tempfile::tempdir().unwrap();
        let held = Place::make(within.path()).unwrap();
        let abandoned = within.path().join("1-0");
        fs::create_dir_all(abandoned.join("copy/closed")).unwrap();
        fs::write(abandoned.join("lock"), "").unwrap();
        fs::set_permissions(abandoned.join("copy/closed"), fs::Permissions::from_mode(0o000))
            .unwrap();
        let other = Place::make(within.path()).unwrap();
        assert!(!abandoned.exists());
        assert!(
            held.folder().exists() && other.folder().exists() && held.folder() != other.folder()
        );
        let mode = fs::metadata(held.folder()).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o700);
        let folder = held.folder().to_path_buf();
        drop(held);
        assert!(!folder.exists());
    }

    #[test]
    fn a_name_is_never_used_again() {
        let within = tempfile::tempdir().unwrap();
        let mut names = std::collections::BTreeSet::new();
        for _ in 0..3 {
            let place = Place::make(within.path()).unwrap();
            assert!(names.insert(place.folder().to_path_buf()), "{names:?}");
        }
    }
}
