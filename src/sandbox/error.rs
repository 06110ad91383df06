//! Why there is no sandbox, or why a command could not be run in it.

use super::isolation::Isolation;
use std::io;
use std::path::PathBuf;

/// Why there is no sandbox, or why a command could not be run in it.
#[derive(Debug, thiserror::Error)]
pub enum SandboxError {
    /// A file or folder could not be copied or made.
    #[error("cannot copy {} into the sandbox: {source}", path.display())]
    Copy {
        /// The original.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// The sandbox's own folder could not be made.
    #[error("cannot make a sandbox in {}: {source}", folder.display())]
    Folder {
        /// The folder that holds sandboxes.
        folder: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// Nothing on this system keeps a command from the person's files and the network.
    #[error(
        "commands cannot be confined here ({isolation}); \
         --no-sandbox runs them with the permissions that you have"
    )]
    NoIsolation {
        /// What there is.
        isolation: Box<Isolation>,
    },
    /// The process that watches the command failed.
    #[error("the sandbox failed: {0}")]
    Process(String),
    /// Processes could not be killed.
    #[error("{n} processes of the command could not be killed")]
    LeftBehind {
        /// How many.
        n: usize,
    },
    /// The system is not a Unix.
    #[error("commands cannot be run in a sandbox on this system")]
    Unsupported,
}
