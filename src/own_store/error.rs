//! Why a model was not fetched, imported or removed.

use crate::models::Unusable;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

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
    /// `HF_HUB_OFFLINE` is set.
    #[error("nothing is fetched, because HF_HUB_OFFLINE is set")]
    Offline,
    /// `HF_ENDPOINT` is no address.
    #[error("HF_ENDPOINT is {address:?}, which is no address: it begins with https://")]
    Endpoint {
        /// Its value.
        address: String,
    },
    /// The token would be sent over plain http, readable for others on the network, or it has
    /// characters that cannot be sent.
    #[error("the token from HF_TOKEN is not sent to {address}: {reason}")]
    Token {
        /// The server.
        address: String,
        /// Why not.
        reason: &'static str,
    },
    /// The repository has no such file, or several that may be meant.
    #[error("{repository} {problem}")]
    File {
        /// The publisher's repository.
        repository: String,
        /// What is wrong.
        problem: String,
        /// Files that it has.
        files: Vec<String>,
    },
    /// No connection could be made.
    #[error("cannot reach {address}: {reason}")]
    Unreachable {
        /// The server.
        address: String,
        /// The system's reason.
        reason: String,
    },
    /// The server's certificate is not trusted.
    #[error("the certificate of {address} is not trusted: {reason}")]
    Certificate {
        /// The server.
        address: String,
        /// What is wrong with it.
        reason: String,
    },
    /// The server leads to a place that is not gone to.
    #[error("{address} leads to {to}, {reason}")]
    Redirect {
        /// The server.
        address: String,
        /// Where it leads.
        to: String,
        /// Why that is not followed.
        reason: &'static str,
    },
    /// The server says that there is none.
    #[error("{address} has no {what}")]
    Missing {
        /// The server.
        address: String,
        /// The repository, or the file in it.
        what: String,
    },
    /// The server wants to know who asks, or does not let them.
    #[error("{address} does not give {what} to {}: {message}", asker(*with_token))]
    Denied {
        /// The server.
        address: String,
        /// The repository, or the file in it.
        what: String,
        /// Whether a token was sent.
        with_token: bool,
        /// The server's words.
        message: String,
    },
    /// The server failed, or will not answer now.
    #[error("{address} answers {status}: {message}")]
    Refused {
        /// The server.
        address: String,
        /// The HTTP status.
        status: u16,
        /// The server's words.
        message: String,
    },
    /// The server was silent for too long.
    #[error("{address} has sent nothing for {} seconds", waited.as_secs())]
    Silent {
        /// The server.
        address: String,
        /// How long it was waited for.
        waited: Duration,
    },
    /// What the server says of a repository cannot be understood.
    #[error("{address} does not answer like a hub of models: {reason}")]
    NotAHub {
        /// The server.
        address: String,
        /// What is wrong.
        reason: String,
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
    /// The server sends another number of bytes than the publisher names.
    #[error("{address} sends {found} bytes for {file}, and its publisher names {expected}")]
    WrongSize {
        /// The server.
        address: String,
        /// The file.
        file: String,
        /// Bytes that the publisher names.
        expected: u64,
        /// Bytes that come.
        found: u64,
    },
    /// What came is not what the publisher has.
    #[error("what came as {file} is not the publisher's file: its SHA-256 is {found}")]
    WrongSum {
        /// The file.
        file: String,
        /// The publisher's SHA-256.
        expected: String,
        /// That of what came.
        found: String,
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
        /// The verb: `read`, `write`, `remove`, `copy`.
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
}

fn asker(with_token: bool) -> &'static str {
    if with_token {
        "the owner of this HF_TOKEN"
    } else {
        "somebody without a token"
    }
}
