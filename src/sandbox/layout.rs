//! The paths in a sandbox's own folder.

use std::path::{Path, PathBuf};

/// The copy.
pub(super) fn copy_in(folder: &Path) -> PathBuf {
    folder.join("copy")
}

/// The home that commands are given: empty at first.
pub(super) fn home_in(folder: &Path) -> PathBuf {
    folder.join("home")
}

/// Temporary files of commands.
pub(super) fn temporary_in(folder: &Path) -> PathBuf {
    folder.join("tmp")
}

/// Links to the original's dependencies.
pub(super) fn dependencies_in(folder: &Path) -> PathBuf {
    folder.join("dependencies")
}

/// Where a command's own view of the files is put together.
pub(super) fn view_in(folder: &Path) -> PathBuf {
    folder.join("view")
}

/// The file whose lock says that the sandbox is in use.
pub(super) fn lock_in(folder: &Path) -> PathBuf {
    folder.join("lock")
}

/// The file that names what the repository keeps about the worktree.
pub(super) fn worktree_record_in(folder: &Path) -> PathBuf {
    folder.join("worktree")
}
