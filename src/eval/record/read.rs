//! Reading a record from its file.

use super::evaluation::Evaluation;
use std::io;
use std::path::{Path, PathBuf};

/// Records above this many bytes are not read: they would not fit in memory beside what is made of
/// them.
pub const MAX_RECORD_BYTES: u64 = 512 << 20;

/// Why a record cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// The file cannot be read.
    #[error("{path} cannot be read: {source}", path = path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// It is larger than [`MAX_RECORD_BYTES`].
    #[error(
        "{path} has {bytes} bytes; a record of more than {MAX_RECORD_BYTES} is not read. \
         Evaluate in parts, with fewer suites or models each",
        path = path.display()
    )]
    TooLarge {
        /// The file.
        path: PathBuf,
        /// How large it is.
        bytes: u64,
    },
    /// It is not JSON.
    #[error(
        "{path} is not JSON ({source}). \
         Name a file that slotwright eval --report FILE.json wrote",
        path = path.display()
    )]
    NotJson {
        /// The file.
        path: PathBuf,
        /// Where it stops being JSON.
        source: serde_json::Error,
    },
    /// It is JSON, but not the record of an evaluation.
    #[error(
        "{path} is not the record of an evaluation ({problem}). \
         Name a file that slotwright eval --report FILE.json wrote",
        path = path.display()
    )]
    NoEvaluation {
        /// The file.
        path: PathBuf,
        /// What it lacks.
        problem: String,
    },
    /// Another version of slotwright wrote it, and what it wrote is not understood.
    #[error(
        "{path} was written by slotwright {theirs}, and this is {ours}: {problem}. \
         Read it with that version, or evaluate again",
        path = path.display(),
        ours = env!("CARGO_PKG_VERSION")
    )]
    OtherVersion {
        /// The file.
        path: PathBuf,
        /// The version that wrote it.
        theirs: String,
        /// What is not understood.
        problem: String,
    },
}

/// Reads the record of an evaluation. What a later version adds to it is left out.
pub fn read(path: &Path) -> Result<Evaluation, ReadError> {
    let failed = |source| ReadError::Io {
        path: path.to_owned(),
        source,
    };
    let bytes = std::fs::metadata(path).map_err(failed)?.len();
    if bytes > MAX_RECORD_BYTES {
        return Err(ReadError::TooLarge {
            path: path.to_owned(),
            bytes,
        });
    }
    let bytes = std::fs::read(path).map_err(failed)?;
    // Most records are good: only of another is it asked what it is instead.
    match serde_json::from_slice::<Evaluation>(&bytes)
        .map_err(|error| error.to_string())
        .and_then(|e| e.check().map(|()| e))
    {
        Ok(evaluation) => Ok(evaluation),
        Err(problem) => Err(unreadable(path, &bytes, problem)),
    }
}

fn unreadable(path: &Path, bytes: &[u8], problem: String) -> ReadError {
    let path = path.to_owned();
    let value: serde_json::Value = match serde_json::from_slice(bytes) {
        Ok(value) => value,
        Err(source) => return ReadError::NotJson { path, source },
    };
    match value["version"].as_str() {
        Some(theirs) if theirs != env!("CARGO_PKG_VERSION") => ReadError::OtherVersion {
            path,
            theirs: theirs.to_owned(),
            problem,
        },
        _ => ReadError::NoEvaluation { path, problem },
    }
}
