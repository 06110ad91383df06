//! Why a model was not fetched, imported or removed.

use crate::models::Unusable;
use std::io;
use std::path::{Path, PathBuf};

/// Any failure of the store. Text from a server is short and on one line, and no message has the
/// token in it.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// It is neither a name of the catalogue nor a publisher's repository.
    #[error("{name:?} is neither in the catalogue nor PUBLISHER/REPOSITORY[:FILE]")]
    Reference {
        /// What was asked for.
        name: String,
    },
    /// A variable of the environment forbids it, or its value cannot be used.
    #[error("{variable} {reason}")]
    Variable {
        /// Its name.
        variable: &'static str,
        /// A predicate: "is set, so …".
        reason: String,
    },
    /// The repository has no such file, or several that may be meant.
    #[error("{repository} {problem}")]
    File {
        /// The publisher's repository.
        repository: String,
        /// A predicate: "has no file …".
        problem: String,
        /// Files that it has.
        files: Vec<String>,
    },
    /// The model is split.
    #[error("{file} of {repository} is one of several parts, and only whole models are fetched")]
    Split {
        /// The publisher's repository.
        repository: String,
        /// One of the parts.
        file: String,
    },
    /// No connection could be made, or it was silent for too long.
    #[error("cannot reach {address}: {reason}")]
    Unreachable {
        /// The server.
        address: String,
        /// The system's reason.
        reason: String,
    },
    /// The server's answer cannot be used: no list of files, or a redirect that is not followed.
    #[error("{address} does not answer like a hub of models: {reason}")]
    NotAHub {
        /// The server.
        address: String,
        /// What is wrong.
        reason: String,
    },
    /// The server has no such repository or file.
    #[error("{address} has no {what}")]
    Missing {
        /// The server.
        address: String,
        /// The repository, or the file in it.
        what: String,
    },
    /// The server failed, or does not let this person have it.
    #[error("{address} does not give {what}: {status}, {message}")]
    Refused {
        /// The server.
        address: String,
        /// The repository, or the file in it.
        what: String,
        /// The HTTP status.
        status: u16,
        /// The server's words.
        message: String,
    },
    /// The connection broke off again and again.
    #[error("{address} broke off at {n_bytes} of {total} bytes: {reason}")]
    Cut {
        /// The server.
        address: String,
        /// Bytes that are here.
        n_bytes: u64,
        /// Bytes of the file.
        total: u64,
        /// How it broke off the last time.
        reason: String,
    },
    /// The size or the sum of what came is not the publisher's.
    #[error("what came as {file} is not the publisher's file: {difference}")]
    Differs {
        /// The file.
        file: String,
        /// How it differs.
        difference: String,
    },
    /// The file is no model that can be used.
    #[error("{file} is of no use: {reason}")]
    Unusable {
        /// The file.
        file: String,
        /// Why.
        reason: Unusable,
    },
    /// The disk has too little room.
    #[error("{needed} bytes are needed in {}, and {free} are free", folder.display())]
    NoRoom {
        /// The folder.
        folder: PathBuf,
        /// Bytes needed.
        needed: u64,
        /// Bytes free.
        free: u64,
    },
    /// Another program fetches the same file.
    #[error("{} is being fetched by another slotwright", path.display())]
    Busy {
        /// Where the file will be.
        path: PathBuf,
    },
    /// The store has another file of this name.
    #[error("{} is there already, and is another file", path.display())]
    Taken {
        /// The file.
        path: PathBuf,
    },
    /// A file of this machine cannot be read or written.
    #[error("cannot {what} {}: {source}", path.display())]
    Io {
        /// The verb: `read`, `write`, `remove`.
        what: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
}

impl StoreError {
    pub(super) fn io(what: &'static str, path: &Path, source: io::Error) -> StoreError {
        StoreError::Io {
            what,
            path: path.to_owned(),
            source,
        }
    }

    /// Whether the same request may succeed a moment later.
    pub(super) fn may_pass(&self) -> bool {
        match self {
            StoreError::Unreachable { .. } => true,
            StoreError::Refused { status, .. } => matches!(status, 408 | 429 | 500..),
            _ => false,
        }
    }
}
