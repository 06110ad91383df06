//! Why a model was not fetched, imported or removed.

use std::io;
use std::path::Path;

/// Any failure of the store. Text from a server is short and on one line, and no message has the
/// token in it.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub struct StoreError {
    /// What kind of failure it is.
    pub kind: StoreErrorKind,
    message: String,
}

/// The kinds of [`StoreError`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StoreErrorKind {
    /// The name is neither in the catalogue nor a publisher's repository.
    Reference,
    /// A variable of the environment forbids it, or its value cannot be used.
    Variable,
    /// The repository has no such file, or several that may be meant.
    File,
    /// The model is split into several files.
    Split,
    /// No connection could be made, or it was silent for too long.
    Unreachable,
    /// The server's answer cannot be used: no list of files, or a redirect that is not followed.
    NotAHub,
    /// The server has no such repository or file.
    Missing,
    /// The server failed, or does not let this person have it: its HTTP status.
    Refused(u16),
    /// The connection broke off again and again. What came is kept.
    Cut,
    /// The size or the sum of what came is not the publisher's.
    Differs,
    /// The file is no model that can be used.
    Unusable,
    /// The disk has too little room.
    NoRoom,
    /// Another program fetches the same file.
    Busy,
    /// The store has another file of this name.
    Taken,
    /// What comes cannot be written. What came before is kept.
    Stuck,
    /// A file of this machine cannot be read, written or removed.
    Disk,
}

impl StoreError {
    pub(super) fn new(kind: StoreErrorKind, message: impl ToString) -> StoreError {
        StoreError {
            kind,
            message: message.to_string(),
        }
    }

    /// `verb`: `read`, `write` or `remove`.
    pub(super) fn disk(verb: &str, path: &Path, error: io::Error) -> StoreError {
        let message = format!("cannot {verb} {}: {error}", path.display());
        StoreError::new(StoreErrorKind::Disk, message)
    }

    pub(super) fn taken(path: &Path) -> StoreError {
        let message = format!("{} is there already, and is another file", path.display());
        StoreError::new(StoreErrorKind::Taken, message)
    }

    /// Whether the same request may succeed a moment later.
    pub(super) fn may_pass(&self) -> bool {
        matches!(
            self.kind,
            StoreErrorKind::Unreachable | StoreErrorKind::Refused(408 | 429 | 500..)
        )
    }
}
