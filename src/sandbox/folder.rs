//! A sandbox's own folder, which only its owner may look into. It never outlives its holder for
//! long.
//!
//! The program and the process that watches its command both hold a shared lock on the file `lock`
//! in it. A folder whose lock nobody holds was left by a killed program, and is removed.

use super::layout::{copy_in, dependencies_in, home_in, lock_in, temporary_in, view_in};
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
pub(super) struct SandboxFolder {
    folder: PathBuf,
    _lock: File,
}

impl SandboxFolder {
    /// Makes one in `within`, and removes those that nobody holds.
    pub(super) fn make(within: &Path) -> io::Result<SandboxFolder> {
        make_private_folder(within)?;
        let within = within.canonicalize()?;
        // One at a time, so that no folder is taken for abandoned before its lock is held.
        let gate = File::create(lock_in(&within))?;
        flock(&gate, FlockOperation::LockExclusive)?;
        remove_abandoned(&within);
        // Never a name of before: another thread may still be removing what had it, and would
        // remove this too.
        let folder = std::iter::repeat_with(|| NEXT.fetch_add(1, Ordering::Relaxed))
            .map(|n| within.join(format!("{}-{n}", std::process::id())))
            .find(|folder| !folder.exists())
            .expect("numbers do not end");
        make_private_folder(&folder)?;
        let made = SandboxFolder {
            _lock: hold(&folder)?,
            folder,
        };
        let parts = [
            made.home(),
            made.temporary(),
            made.dependencies(),
            view_in(&made.folder),
        ];
        parts
            .iter()
            .try_for_each(|part| make_private_folder(part))?;
        Ok(made)
    }

    pub(super) fn path(&self) -> &Path {
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
        dependencies_in(&self.folder)
    }
}

impl Drop for SandboxFolder {
    fn drop(&mut self) {
        // The next program removes what is left.
        let _ = remove_tree(&self.folder);
    }
}

/// Says that this sandbox is in use for as long as the file is open.
pub(super) fn hold(folder: &Path) -> io::Result<File> {
    let lock = File::options()
        .create(true)
        .truncate(false)
        .write(true)
        .open(lock_in(folder))?;
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
            .open(lock_in(&folder))
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
        let held = SandboxFolder::make(within.path()).unwrap();
        let abandoned = within.path().join("1-0");
        fs::create_dir_all(abandoned.join("copy/closed")).unwrap();
        fs::write(abandoned.join("lock"), "").unwrap();
        fs::set_permissions(
            abandoned.join("copy/closed"),
            fs::Permissions::from_mode(0o000),
        )
        .unwrap();
        let other = SandboxFolder::make(within.path()).unwrap();
        assert!(!abandoned.exists());
        assert!(held.path().exists() && other.path().exists() && held.path() != other.path());
        let mode = fs::metadata(held.path()).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o700);
        let folder = held.path().to_path_buf();
        drop(held);
        assert!(!folder.exists());
    }

    #[test]
    fn a_name_is_never_used_again() {
        let within = tempfile::tempdir().unwrap();
        let mut names = std::collections::BTreeSet::new();
        for _ in 0..3 {
            let made = SandboxFolder::make(within.path()).unwrap();
            assert!(names.insert(made.path().to_path_buf()), "{names:?}");
        }
    }
}
