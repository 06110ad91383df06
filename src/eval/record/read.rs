//! Reading a record from its file.

use super::evaluation::Evaluation;
use std::io;
use std::path::{Path, PathBuf};

/// Larger files are not read: they would not fit in memory beside what is made of them.
pub const MAX_RECORD_BYTES: u64 = 512 << 20;

/// Why a record cannot be read. The path is that of its file.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// The file cannot be read.
    #[error("{} cannot be read: {}", .0.display(), .1)]
    Io(PathBuf, #[source] io::Error),
    /// It has so many bytes, more than [`MAX_RECORD_BYTES`].
    #[error(
        "{} has {} bytes; a record of more than {MAX_RECORD_BYTES} is not read. \
         Evaluate in parts, with fewer suites or models each",
        .0.display(), .1
    )]
    TooLarge(PathBuf, u64),
    /// It is not JSON.
    #[error(
        "{} is not JSON ({}). Name a file that slotwright eval --report FILE.json wrote",
        .0.display(), .1
    )]
    NotJson(PathBuf, #[source] serde_json::Error),
    /// It is JSON, but not the record of an evaluation. The text says what is wrong with it.
    #[error(
        "{} is not the record of an evaluation ({}). \
         Name a file that slotwright eval --report FILE.json wrote",
        .0.display(), .1
    )]
    NoEvaluation(PathBuf, String),
    /// Another version of slotwright wrote it, and this version does not understand it.
    #[error(
        "{} was written by slotwright {theirs}, and this is {}: {problem}. \
         Read it with that version, or evaluate again",
        path.display(),
        env!("CARGO_PKG_VERSION")
    )]
    OtherVersion {
        /// The path of the file.
        path: PathBuf,
        /// The version that wrote it.
        theirs: String,
        /// The part that this version does not understand.
        problem: String,
    },
}

/// Reads the record of an evaluation. Keys that only a later version knows are left out.
pub fn read(path: &Path) -> Result<Evaluation, ReadError> {
    let bytes = match std::fs::metadata(path).map(|metadata| metadata.len()) {
        Ok(n_bytes) if n_bytes > MAX_RECORD_BYTES => {
            return Err(ReadError::TooLarge(path.to_owned(), n_bytes));
        }
        Ok(_) => std::fs::read(path),
        Err(error) => Err(error),
    };
    let bytes = bytes.map_err(|source| ReadError::Io(path.to_owned(), source))?;

    let problem = match serde_json::from_slice::<Evaluation>(&bytes) {
        Ok(evaluation) => match evaluation.check() {
            Ok(()) => return Ok(evaluation),
            Err(problem) => problem,
        },
        Err(error) => error.to_string(),
    };
    Err(unreadable(path, &bytes, problem))
}

fn unreadable(path: &Path, bytes: &[u8], problem: String) -> ReadError {
    let path = path.to_owned();
    let value: serde_json::Value = match serde_json::from_slice(bytes) {
        Ok(value) => value,
        Err(source) => return ReadError::NotJson(path, source),
    };
    match value["version"].as_str() {
        Some(theirs) if theirs != env!("CARGO_PKG_VERSION") => ReadError::OtherVersion {
            path,
            theirs: theirs.to_owned(),
            problem,
        },
        _ => ReadError::NoEvaluation(path, problem),
    }
}
