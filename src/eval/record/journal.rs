//! The journal of an evaluation that is running: one row a line, as JSON.
//!
//! A row is on disk before the next run begins. When the machine stops, only the last line may be
//! torn, and its run is made again. The name of the file says which evaluation it belongs to: it is
//! a hash of everything that was asked for.

use super::evaluation::Row;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, Write};
use std::path::{Path, PathBuf};

/// The rows of an evaluation so far, on disk. The file is locked while this lives.
#[derive(Debug)]
pub struct Journal {
    path: PathBuf,
    file: File,
    rows: Vec<Row>,
}

/// Why a journal cannot be used. The path is that of its file.
#[derive(Debug, thiserror::Error)]
pub enum JournalError {
    /// The file cannot be read or written.
    #[error("the journal {} cannot be used: {}", .0.display(), .1)]
    Io(PathBuf, #[source] io::Error),
    /// Another process runs the same evaluation.
    #[error(
        "another process runs the same evaluation and writes to its journal, {}. \
         Wait for it to end",
        .0.display()
    )]
    InUse(PathBuf),
    /// A line before the last is not a row. Lines are counted from 1.
    #[error(
        "line {line} of the journal {} is damaged ({source}). \
         Remove that line to have its run made again",
        path.display()
    )]
    Damaged {
        /// The path of the file.
        path: PathBuf,
        /// The number of the line, from 1.
        line: usize,
        /// Why it is not a row.
        source: serde_json::Error,
    },
}

impl Journal {
    /// Opens the journal at `path`, with the rows that an interrupted evaluation left there. Makes
    /// a new one if there is none.
    pub fn open(path: &Path) -> Result<Journal, JournalError> {
        let mut file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(path)
            .map_err(|source| JournalError::Io(path.to_owned(), source))?;
        // Some file systems have no locks: there the journal is used without one.
        if let Err(TryLockError::WouldBlock) = file.try_lock() {
            return Err(JournalError::InUse(path.to_owned()));
        }

        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes)
            .map_err(|source| JournalError::Io(path.to_owned(), source))?;
        let (rows, n_whole) = whole_rows(path, &bytes)?;

        // The next row begins where the torn line did.
        file.set_len(n_whole as u64)
            .and_then(|()| file.seek(io::SeekFrom::End(0)))
            .and_then(|_| file.sync_data())
            .map_err(|source| JournalError::Io(path.to_owned(), source))?;
        Ok(Journal {
            path: path.to_owned(),
            file,
            rows,
        })
    }

    /// The rows, in the order in which they were made.
    pub fn rows(&self) -> &[Row] {
        &self.rows
    }

    /// Removes the file, once its rows are in a report.
    pub fn remove(self) {
        // A journal that stays is read again, and then there is nothing left to run.
        let _ = std::fs::remove_file(&self.path);
    }

    /// Adds a row. It is on disk when this returns.
    pub fn append(&mut self, row: Row) -> Result<(), JournalError> {
        let line = serde_json::to_string(&row).expect("text and numbers become JSON") + "\n";
        self.file
            .write_all(line.as_bytes())
            .and_then(|()| self.file.sync_data())
            .map_err(|source| JournalError::Io(self.path.clone(), source))?;
        self.rows.push(row);
        Ok(())
    }
}

impl Drop for Journal {
    fn drop(&mut self) {
        // Closing the file is not enough. A lock belongs to the open file, which a child process
        // shares between fork and exec: it would hold the lock for that moment.
        let _ = self.file.unlock();
    }
}

/// The rows of a journal, and how many bytes they take.
fn whole_rows(path: &Path, bytes: &[u8]) -> Result<(Vec<Row>, usize), JournalError> {
    let mut rows = Vec::new();
    let mut n_whole = 0;
    for line in bytes.split_inclusive(|&byte| byte == b'\n') {
        let is_last = n_whole + line.len() == bytes.len();
        match serde_json::from_slice(line) {
            Ok(row) if line.ends_with(b"\n") => rows.push(row),
            Err(source) if !is_last => {
                return Err(JournalError::Damaged {
                    path: path.to_owned(),
                    line: rows.len() + 1,
                    source,
                });
            }
            // Torn when the machine stopped.
            _ => break,
        }
        n_whole += line.len();
    }
    Ok((rows, n_whole))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lock_ends_with_its_journal() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal.jsonl");
        let journal = Journal::open(&path).unwrap();
        // A child process between fork and exec shares the open file in the same way.
        let _shared = journal.file.try_clone().unwrap();
        drop(journal);
        Journal::open(&path).unwrap();
    }
}
