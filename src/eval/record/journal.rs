//! The journal of an evaluation that is running: a header line that says which evaluation it is,
//! then a row a line.
//!
//! A row is on disk before the next run begins. What is torn when the machine stops is the last
//! line alone, and that run is made again.

use super::evaluation::{Evaluation, Row};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, Write};
use std::path::{Path, PathBuf};

/// The rows of an evaluation so far, on disk. Nobody else may open it while this lives.
#[derive(Debug)]
pub struct Journal {
    path: PathBuf,
    file: File,
    rows: Vec<Row>,
}

/// Why a journal cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum JournalError {
    /// The file cannot be read or written.
    #[error("the journal {path} cannot be used: {source}", path = path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// Another evaluation is writing to it.
    #[error(
        "another evaluation is writing to the journal {path}. \
         Wait for it to end, or name another journal",
        path = path.display()
    )]
    InUse {
        /// The file.
        path: PathBuf,
    },
    /// It is some other file.
    #[error(
        "{path} is not the journal of an evaluation, and is left as it is. Name another file",
        path = path.display()
    )]
    NoJournal {
        /// The file.
        path: PathBuf,
    },
    /// It is of another evaluation.
    #[error(
        "the journal {path} is of another evaluation: {difference}. \
         Ask for the same one to go on with it, or remove the journal to begin anew",
        path = path.display()
    )]
    OtherEvaluation {
        /// The file.
        path: PathBuf,
        /// What is not the same, for people.
        difference: String,
    },
    /// A line before the last is not a row.
    #[error(
        "line {line} of the journal {path} is damaged ({source}). \
         Remove that line to have its run made again",
        path = path.display()
    )]
    Damaged {
        /// The file.
        path: PathBuf,
        /// Which line, from 1.
        line: usize,
        /// What is wrong with it.
        source: serde_json::Error,
    },
}

/// The first line.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Header {
    /// The version of slotwright that writes it: rows of two versions are not mixed.
    slotwright_eval_journal: String,
    /// A hash of what was asked for: models, strategies, runs, tasks.
    evaluation: String,
}

impl Journal {
    /// The journal of an evaluation, with the rows that an interrupted one left there; a new one if
    /// there is none. Of the evaluation it matters what was asked for; its results do not.
    pub fn open(path: &Path, evaluation: &Evaluation) -> Result<Journal, JournalError> {
        let failed = |source| JournalError::Io {
            path: path.to_owned(),
            source,
        };
        let mut file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(path)
            .map_err(failed)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                return Err(JournalError::InUse {
                    path: path.to_owned(),
                });
            }
            // A file system without locks: then nobody is kept out.
            Err(TryLockError::Error(_)) => {}
        }
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).map_err(failed)?;
        let header = Header::of(evaluation);
        let (rows, good) = match contents(path, &bytes, &header)? {
            Some((rows, good)) => (rows, good),
            None => {
                let line = line(&header);
                file.rewind()
                    .and_then(|()| file.write_all(line.as_bytes()))
                    .map_err(failed)?;
                (Vec::new(), line.len())
            }
        };
        file.set_len(good as u64)
            .and_then(|()| file.seek(io::SeekFrom::End(0)))
            .map_err(failed)?;
        file.sync_data().map_err(failed)?;
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

    /// Removes it, once its rows are in a report.
    pub fn remove(self) {
        // A journal that stays is read again, and then there is nothing left to run.
        let _ = std::fs::remove_file(&self.path);
    }

    /// Adds a row. It is on disk when this returns.
    pub fn append(&mut self, row: Row) -> Result<(), JournalError> {
        let written = self
            .file
            .write_all(line(&row).as_bytes())
            .and_then(|()| self.file.sync_data());
        written.map_err(|source| JournalError::Io {
            path: self.path.clone(),
            source,
        })?;
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

impl Header {
    fn of(evaluation: &Evaluation) -> Header {
        let Evaluation {
            version,
            models,
            strategies,
            runs,
            tasks,
            ..
        } = evaluation;
        let asked = serde_json::to_vec(&(models, strategies, runs, tasks))
            .expect("text and numbers become JSON");
        let hash = Sha256::digest(asked)
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect();
        Header {
            slotwright_eval_journal: version.clone(),
            evaluation: hash,
        }
    }
}

fn line(value: &impl Serialize) -> String {
    serde_json::to_string(value).expect("text and numbers become JSON") + "\n"
}

/// The rows and the length of what is good; none if not even the header was written.
fn contents(
    path: &Path,
    bytes: &[u8],
    header: &Header,
) -> Result<Option<(Vec<Row>, usize)>, JournalError> {
    let Some(first) = bytes.iter().position(|&byte| byte == b'\n') else {
        let is_torn = line(header).as_bytes().starts_with(bytes);
        return if is_torn {
            Ok(None)
        } else {
            Err(JournalError::NoJournal {
                path: path.to_owned(),
            })
        };
    };
    let found: Header =
        serde_json::from_slice(&bytes[..first]).map_err(|_| JournalError::NoJournal {
            path: path.to_owned(),
        })?;
    if found != *header {
        let difference = if found.evaluation != header.evaluation {
            "its models, strategies, runs or tasks are not those asked for now".to_owned()
        } else {
            format!(
                "slotwright {} began it, and this is {}",
                found.slotwright_eval_journal, header.slotwright_eval_journal
            )
        };
        return Err(JournalError::OtherEvaluation {
            path: path.to_owned(),
            difference,
        });
    }
    let mut rows = Vec::new();
    let mut good = first + 1;
    for (i, line) in bytes[good..]
        .split_inclusive(|&byte| byte == b'\n')
        .enumerate()
    {
        let is_last = good + line.len() == bytes.len();
        match serde_json::from_slice(line) {
            Ok(row) if line.ends_with(b"\n") => rows.push(row),
            Err(source) if !is_last => {
                return Err(JournalError::Damaged {
                    path: path.to_owned(),
                    line: i + 2,
                    source,
                });
            }
            // Torn when the machine stopped.
            _ => break,
        }
        good += line.len();
    }
    Ok(Some((rows, good)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lock_ends_with_its_journal() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal.jsonl");
        let journal = Journal::open(&path, &Evaluation::default()).unwrap();
        // A child process between fork and exec shares the open file in the same way.
        let shared = journal.file.try_clone().unwrap();
        drop(journal);
        Journal::open(&path, &Evaluation::default()).unwrap();
        drop(shared);
    }
}
