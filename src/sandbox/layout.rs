//! The paths in a sandbox's own folder.

use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// A sandbox's own folder, by its path.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(transparent)]
pub(super) struct Space(pub PathBuf);

impl Space {
    pub(super) fn path(&self) -> &Path {
        &self.0
    }

    /// The copy, in whose root commands start.
    pub(super) fn copy(&self) -> PathBuf {
        self.0.join("copy")
    }

    /// The home that commands are given: empty at first.
    pub(super) fn home(&self) -> PathBuf {
        self.0.join("home")
    }

    /// Temporary files of commands.
    pub(super) fn temporary(&self) -> PathBuf {
        self.0.join("tmp")
    }

    /// All that commands may write to.
    pub(super) fn writable(&self) -> [PathBuf; 3] {
        [self.copy(), self.home(), self.temporary()]
    }

    /// Links to the original's dependencies.
    pub(super) fn dependencies(&self) -> PathBuf {
        self.0.join("dependencies")
    }

    /// Where a command's own view of the files is put together.
    pub(super) fn view(&self) -> PathBuf {
        self.0.join("view")
    }

    /// The file whose lock says that the sandbox is in use.
    pub(super) fn lock(&self) -> PathBuf {
        self.0.join("lock")
    }
}
