//! A sandbox's own folder, which only its owner may look into. It never outlives its holder for
//! long.
//!
//! The program and the process that watches its command both hold a shared lock on the file `lock`
//! in it. A folder whose lock is free was left by a killed program, and is removed.

use super::layout::Space;
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
    space: Space,
    _lock: File,
    within: PathBuf,
}

impl SandboxFolder {
    /// Makes one in `within`, and removes those that are not in use.
    pub(super) fn make(within: &Path) -> io::Result<SandboxFolder> {
        make_private_folder(within)?;
        let within = within.canonicalize()?;
        // One at a time, so that no folder is taken for abandoned before its lock is held.
        let gate = File::create(within.join("lock"))?;
        flock(&gate, FlockOperation::LockExclusive)?;
        remove_abandoned(&within);

        let space = Space(new_name(&within));
        make_private_folder(space.path())?;
        let made = SandboxFolder {
            _lock: hold(&space)?,
            space,
            within,
        };
        let space = &made.space;
        for part in [
            space.home(),
            space.temporary(),
            space.dependencies(),
            space.view(),
        ] {
            make_private_folder(&part)?;
        }
        Ok(made)
    }

    pub(super) fn space(&self) -> &Space {
        &self.space
    }

    /// The folder with all sandboxes, with all links followed.
    pub(super) fn within(&self) -> &Path {
        &self.within
    }
}

impl Drop for SandboxFolder {
    fn drop(&mut self) {
        // The next program removes what is left.
        let _ = remove_tree(self.space.path());
    }
}

/// A path that no sandbox of this process has had: another thread may still be removing an earlier
/// one, and would remove this too.
fn new_name(within: &Path) -> PathBuf {
    loop {
        let n = NEXT.fetch_add(1, Ordering::Relaxed);
        let folder = within.join(format!("{}-{n}", std::process::id()));
        if !folder.exists() {
            return folder;
        }
    }
}

/// Marks a sandbox as in use for as long as the file is open.
pub(super) fn hold(space: &Space) -> io::Result<File> {
    let lock = File::options()
        .create(true)
        .truncate(false)
        .write(true)
        .open(space.lock())?;
    flock(&lock, FlockOperation::NonBlockingLockShared)?;
    Ok(lock)
}

fn remove_abandoned(within: &Path) {
    for entry in fs::read_dir(within).into_iter().flatten().flatten() {
        if entry.file_type().is_ok_and(|t| t.is_dir()) && !is_held(&Space(entry.path())) {
            let _ = remove_tree(&entry.path()); // the next program tries again
        }
    }
}

fn is_held(space: &Space) -> bool {
    let lock = File::options().write(true).open(space.lock());
    lock.is_ok_and(|lock| flock(&lock, FlockOperation::NonBlockingLockExclusive).is_err())
}

/// Removes a folder with all that is in it, also where a command took the permission to.
fn remove_tree(folder: &Path) -> io::Result<()> {
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
    fn what_is_not_held_is_removed() {
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
        assert!(
            held.space().path().exists()
                && other.space().path().exists()
                && held.space().path() != other.space().path()
        );
        let mode = fs::metadata(held.space().path())
            .unwrap()
            .permissions()
            .mode();
        assert_eq!(mode & 0o777, 0o700);
        let folder = held.space().path().to_path_buf();
        drop(held);
        assert!(!folder.exists());
    }

    #[test]
    fn a_name_is_never_used_again() {
        let within = tempfile::tempdir().unwrap();
        let mut names = std::collections::BTreeSet::new();
        for _ in 0..3 {
            let made = SandboxFolder::make(within.path()).unwrap();
            assert!(names.insert(made.space().path().to_path_buf()), "{names:?}");
        }
    }
}
