//! One file from a hub: from its first byte, or from where it broke off.
//!
//! Until the file is whole it is a hidden file beside its place, `.NAME.SUM.part`, locked by
//! whoever fetches it. SUM is the beginning of the publisher's SHA-256, so that a part of an older
//! file is never gone on with. Without a SHA-256 nothing is gone on with.

use super::error::StoreError;
use super::hub::Hub;
use super::keep::{check_model, check_room, sync_folder};
use super::repository::RemoteFile;
use super::transfer::{Client, Trouble, shown};
use reqwest::header::CONTENT_RANGE;
use reqwest::{Response, StatusCode};
use sha2::{Digest, Sha256};
use std::fmt::Write as _;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{Read, Seek, SeekFrom, Write as _};
use std::path::{Path, PathBuf};

/// Hexadecimal digits of a sum that name a part. A handful of files are told apart.
const DIGITS: usize = 12;

/// How far it has come.
#[derive(Debug)]
pub enum Step<'s> {
    /// What is here of the file is read again. Bytes so far, and of what is here.
    Checking(u64, u64),
    /// Bytes that are here, and of the whole file.
    Fetching(u64, u64),
    /// The connection broke off, and is made again.
    Again(&'s StoreError),
}

/// Fetches a file of a repository to a place that has none.
///
/// # Errors
/// Any [`StoreError`]. What came stays beside the place, and the next call goes on with it, unless
/// it is not the publisher's.
pub async fn fetch(
    hub: &Hub,
    repository: &str,
    file: &RemoteFile,
    to: &Path,
    on_step: &mut dyn FnMut(Step),
) -> Result<(), StoreError> {
    let client = Client::new(hub)?;
    let folder = to.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(folder).map_err(|error| StoreError::io("write", folder, error))?;
    let mut part = Part::open(file, to)?;
    part.check(on_step).await?;
    let was_begun = part.n_bytes > 0;
    check_room(folder, file.bytes - part.n_bytes)?;
    let source = Source {
        client: &client,
        repository,
        file,
    };
    source.read_into(&mut part, on_step).await?;
    if let Err(error) = part.compare() {
        if !was_begun {
            part.remove();
            return Err(error);
        }
        // The beginning may have been damaged on this disk.
        on_step(Step::Again(&error));
        part.begin_again()?;
        source.read_into(&mut part, on_step).await?;
        part.compare().inspect_err(|_| part.remove())?;
    }
    part.finish(to)
}

/// A part that somebody began to fetch to this place, and nobody has ended.
pub fn unfinished(file: &RemoteFile, to: &Path) -> Option<PathBuf> {
    Some(part_path(file, to)).filter(|path| path.is_file())
}

fn part_path(file: &RemoteFile, to: &Path) -> PathBuf {
    let sum = file
        .sha256
        .as_deref()
        .map_or("new", |sum| sum.get(..DIGITS).unwrap_or(sum));
    to.with_file_name(format!(".{}.{sum}.part", file.name()))
}

/// A file on its way.
struct Part<'f> {
    of: &'f RemoteFile,
    path: PathBuf,
    file: File,
    n_bytes: u64,
    sum: Sha256,
}

impl<'f> Part<'f> {
    fn open(of: &'f RemoteFile, to: &Path) -> Result<Part<'f>, StoreError> {
        let path = part_path(of, to);
        let failed = |error| StoreError::io("write", &path, error);
        let mut options = OpenOptions::new();
        let file = options
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(&path);
        let file = file.map_err(failed)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                return Err(StoreError::Busy {
                    path: to.to_owned(),
                });
            }
            Err(TryLockError::Error(error)) => return Err(failed(error)),
        }
        let n_bytes = file.metadata().map_err(failed)?.len();
        let mut part = Part {
            of,
            path,
            file,
            n_bytes,
            sum: Sha256::new(),
        };
        if of.sha256.is_none() || n_bytes > of.bytes {
            part.begin_again()?;
        }
        Ok(part)
    }

    fn begin_again(&mut self) -> Result<(), StoreError> {
        self.n_bytes = 0;
        self.sum = Sha256::new();
        self.file
            .set_len(0)
            .map_err(|error| StoreError::io("write", &self.path, error))
    }

    /// Reads what is here.
    async fn check(&mut self, on_step: &mut dyn FnMut(Step)) -> Result<(), StoreError> {
        let failed = |path: &Path, error| StoreError::io("read", path, error);
        let mut buffer = vec![0; 4 << 20];
        let mut n_read = 0;
        self.file
            .seek(SeekFrom::Start(0))
            .map_err(|error| failed(&self.path, error))?;
        while n_read < self.n_bytes {
            let n = self
                .file
                .read(&mut buffer)
                .map_err(|error| failed(&self.path, error))?;
            if n == 0 {
                break;
            }
            self.sum.update(&buffer[..n]);
            n_read += n as u64;
            on_step(Step::Checking(n_read, self.n_bytes));
            // A person may interrupt it.
            tokio::task::yield_now().await;
        }
        self.n_bytes = n_read;
        Ok(())
    }

    fn add(&mut self, piece: &[u8]) -> Result<(), StoreError> {
        self.file
            .seek(SeekFrom::Start(self.n_bytes))
            .and_then(|_| self.file.write_all(piece))
            .map_err(|error| StoreError::io("write", &self.path, error))?;
        self.sum.update(piece);
        self.n_bytes += piece.len() as u64;
        Ok(())
    }

    /// Whether what is here is the publisher's.
    fn compare(&self) -> Result<(), StoreError> {
        let mut found = String::new();
        for byte in self.sum.clone().finalize() {
            write!(found, "{byte:02x}").expect("a string takes any text");
        }
        match &self.of.sha256 {
            Some(expected) if *expected != found => Err(StoreError::WrongSum {
                file: self.of.name().to_owned(),
                expected: expected.clone(),
                found,
            }),
            _ => Ok(()),
        }
    }

    fn remove(&self) {
        // The error that led here is the one that is reported.
        let _ = fs::remove_file(&self.path);
    }

    /// Gives the file its name.
    fn finish(self, to: &Path) -> Result<(), StoreError> {
        check_model(&self.path, self.of.name()).inspect_err(|_| self.remove())?;
        if to.exists() {
            return Err(StoreError::Taken {
                path: to.to_owned(),
            });
        }
        self.file
            .sync_all()
            .and_then(|()| fs::rename(&self.path, to))
            .map_err(|error| StoreError::io("write", to, error))?;
        sync_folder(to);
        Ok(())
    }
}

/// Where a file comes from.
struct Source<'s> {
    client: &'s Client<'s>,
    repository: &'s str,
    file: &'s RemoteFile,
}

/// What an answer means for the part that is here.
enum Begins {
    AtPart,
    AtStart,
}

impl Source<'_> {
    /// Reads until the file is whole, through breaks of the connection.
    async fn read_into(
        &self,
        part: &mut Part<'_>,
        on_step: &mut dyn FnMut(Step),
    ) -> Result<(), StoreError> {
        let mut n_failed = 0;
        while part.n_bytes < self.file.bytes {
            let before = part.n_bytes;
            let (error, wait) = match self.try_once(part, on_step).await {
                Ok(()) => continue,
                Err(Trouble::Fatal(error)) => return Err(error),
                Err(Trouble::Passing { error, wait }) => (error, wait),
            };
            n_failed = if part.n_bytes > before {
                0
            } else {
                n_failed + 1
            };
            if !self.client.tries_again(n_failed, wait) {
                return Err(match (part.n_bytes, error) {
                    (0, error) => error,
                    (n_bytes, error) => StoreError::Cut {
                        address: self.client.hub.shown(),
                        n_bytes,
                        total: self.file.bytes,
                        reason: error.to_string(),
                    },
                });
            }
            on_step(Step::Again(&error));
            self.client.pause(n_failed, wait).await;
        }
        Ok(())
    }

    async fn try_once(
        &self,
        part: &mut Part<'_>,
        on_step: &mut dyn FnMut(Step),
    ) -> Result<(), Trouble> {
        let url = self.client.hub.file(self.repository, self.file.path());
        let what = format!("{}/{}", self.repository, self.file.path());
        let mut response = self.client.get(&url, part.n_bytes, &what).await?;
        match begins(&response, part.n_bytes) {
            Some(Begins::AtPart) => {}
            Some(Begins::AtStart) => part.begin_again().map_err(Trouble::Fatal)?,
            None => {
                // It does not have what follows. Asked without a range, it says what it has.
                part.begin_again().map_err(Trouble::Fatal)?;
                response = self.client.get(&url, 0, &what).await?;
            }
        }
        let address = shown(response.url());
        let expected = self.file.bytes;
        let wrong = |found| {
            let file = self.file.name().to_owned();
            let address = address.clone();
            Trouble::Fatal(StoreError::WrongSize {
                address,
                file,
                expected,
                found,
            })
        };
        if let Some(found) = response.content_length().map(|n| n + part.n_bytes)
            && found != expected
        {
            return Err(wrong(found));
        }
        loop {
            let passing = |error| Trouble::Passing { error, wait: None };
            let Some(piece) = self.client.piece(&mut response).await.map_err(passing)? else {
                break;
            };
            let found = part.n_bytes + piece.len() as u64;
            if found > expected {
                return Err(wrong(found));
            }
            part.add(&piece).map_err(Trouble::Fatal)?;
            on_step(Step::Fetching(part.n_bytes, expected));
        }
        if part.n_bytes < expected {
            let reason = "it ended early".to_owned();
            return Err(Trouble::Passing {
                error: StoreError::Unreachable { address, reason },
                wait: None,
            });
        }
        Ok(())
    }
}

/// Where an answer begins; none if it is no part of the file.
fn begins(response: &Response, asked: u64) -> Option<Begins> {
    match response.status() {
        StatusCode::RANGE_NOT_SATISFIABLE => None,
        StatusCode::PARTIAL_CONTENT => {
            let range = response.headers().get(CONTENT_RANGE)?.to_str().ok()?;
            let (first, _) = range.strip_prefix("bytes ")?.split_once('-')?;
            (first.parse() == Ok(asked)).then_some(Begins::AtPart)
        }
        _ if asked == 0 => Some(Begins::AtPart),
        _ => Some(Begins::AtStart),
    }
}
