//! One file from a hub: from its first byte, or from where it broke off.
//!
//! Until the file is whole it is a hidden file beside its place, `.NAME.SUM.part`, locked by the
//! program that fetches it. SUM is the beginning of the publisher's SHA-256, so that a part of an
//! older file is never continued.

use super::error::{StoreError, StoreErrorKind};
use super::hub::{Hub, RemoteFile};
use super::keep::{check_model, check_room, sync_folder};
use reqwest::header::CONTENT_RANGE;
use reqwest::{Response, StatusCode};
use sha2::{Digest, Sha256};
use std::fmt::Write as _;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, Write as _};
use std::path::{Path, PathBuf};

/// Tries in a row that bring nothing, after which it is given up.
const TRIES: u32 = 5;

/// Hexadecimal digits of a sum that name a part. They only tell a handful of files apart.
const DIGITS: usize = 12;

/// How far it has come.
#[derive(Debug)]
pub enum Step<'s> {
    /// What an earlier attempt left is read again: bytes so far, and in all.
    Checking(u64, u64),
    /// Bytes that are here, and of the whole file.
    Fetching(u64, u64),
    /// The connection broke off, and is made again.
    Again(&'s StoreError),
}

/// Fetches a file of a repository to a place that has none.
///
/// # Errors
/// Any [`StoreError`]. What came stays beside the place, and the next call continues it, unless it
/// is not the publisher's.
pub async fn fetch(
    hub: &Hub,
    repository: &str,
    file: &RemoteFile,
    to: &Path,
    on_step: &mut dyn FnMut(Step),
) -> Result<(), StoreError> {
    let folder = to.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(folder).map_err(|error| StoreError::disk("write", folder, error))?;
    let mut part = Part::open(file, to)?;
    part.check(on_step).await?;
    check_room(folder, file.bytes - part.n_bytes)?;

    let mut n_failed = 0;
    while part.n_bytes < file.bytes {
        let before = part.n_bytes;
        let Err(error) = read_once(hub, repository, &mut part, on_step).await else {
            continue;
        };
        n_failed = if part.n_bytes > before {
            1
        } else {
            n_failed + 1
        };
        if !error.may_pass() || n_failed >= TRIES {
            return Err(part.cut_by(hub, error));
        }
        on_step(Step::Again(&error));
        tokio::time::sleep(hub.limits.pause * 2u32.pow(n_failed - 1)).await;
    }

    part.finish(to)
}

/// Where a file is until it is whole.
pub fn part_path(file: &RemoteFile, to: &Path) -> PathBuf {
    let sum = file.sha256.get(..DIGITS).unwrap_or(&file.sha256);
    to.with_file_name(format!(".{}.{sum}.part", file.name()))
}

/// Reads to the end of one answer.
async fn read_once(
    hub: &Hub,
    repository: &str,
    part: &mut Part<'_>,
    on_step: &mut dyn FnMut(Step),
) -> Result<(), StoreError> {
    let total = part.of.bytes;
    let mut response = hub.file(repository, part.of.path(), part.n_bytes).await?;

    if part.n_bytes > 0 && first_byte(&response) != Some(part.n_bytes) {
        part.begin_again()?;
        if response.status() != StatusCode::OK {
            // Asked without a range, the server says what it has.
            return Ok(());
        }
    }
    if let Some(n_bytes) = response.content_length()
        && part.n_bytes + n_bytes != total
    {
        return Err(part.has_wrong_size(part.n_bytes + n_bytes));
    }

    while let Some(piece) = hub.piece(&mut response).await? {
        let n_bytes = part.n_bytes + piece.len() as u64;
        if n_bytes > total {
            return Err(part.has_wrong_size(n_bytes));
        }
        part.add(&piece)?;
        on_step(Step::Fetching(n_bytes, total));
    }
    if part.n_bytes < total {
        let message = format!("{} ended its answer early", hub.address());
        return Err(StoreError::new(StoreErrorKind::Unreachable, message));
    }
    Ok(())
}

/// The byte with which an answer to a request for a range begins.
fn first_byte(response: &Response) -> Option<u64> {
    if response.status() != StatusCode::PARTIAL_CONTENT {
        return None;
    }
    let range = response.headers().get(CONTENT_RANGE)?.to_str().ok()?;
    let (first, _) = range.strip_prefix("bytes ")?.split_once('-')?;
    first.parse().ok()
}

/// A file on its way. The next byte is written at its end.
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
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(false);
        let file = options
            .open(&path)
            .map_err(|error| StoreError::disk("write", &path, error))?;

        match file.try_lock() {
            Ok(()) => Ok(Part {
                of,
                path,
                file,
                n_bytes: 0,
                sum: Sha256::new(),
            }),
            Err(TryLockError::WouldBlock) => {
                let message = format!("{} is being fetched by another slotwright", to.display());
                Err(StoreError::new(StoreErrorKind::Busy, message))
            }
            Err(TryLockError::Error(error)) => Err(StoreError::disk("write", &path, error)),
        }
    }

    /// Reads what is here of the file, for its sum.
    async fn check(&mut self, on_step: &mut dyn FnMut(Step<'_>)) -> Result<(), StoreError> {
        let n_there = match self.file.metadata() {
            Ok(metadata) => metadata.len(),
            Err(error) => return Err(StoreError::disk("read", &self.path, error)),
        };
        if n_there > self.of.bytes {
            return self.begin_again();
        }

        let mut buffer = vec![0; 4 << 20];
        while self.n_bytes < n_there {
            let n = match self.file.read(&mut buffer) {
                Ok(0) => break,
                Ok(n) => n,
                Err(error) => return Err(StoreError::disk("read", &self.path, error)),
            };
            self.sum.update(&buffer[..n]);
            self.n_bytes += n as u64;
            on_step(Step::Checking(self.n_bytes, n_there));
            // The person may interrupt it.
            tokio::task::yield_now().await;
        }
        Ok(())
    }

    fn begin_again(&mut self) -> Result<(), StoreError> {
        self.n_bytes = 0;
        self.sum = Sha256::new();
        self.file
            .set_len(0)
            .and_then(|()| self.file.rewind())
            .map_err(|error| StoreError::disk("write", &self.path, error))
    }

    fn add(&mut self, piece: &[u8]) -> Result<(), StoreError> {
        if let Err(error) = self.file.write_all(piece) {
            let error = StoreError::disk("write", &self.path, error);
            return Err(StoreError::new(StoreErrorKind::Stuck, error));
        }
        self.sum.update(piece);
        self.n_bytes += piece.len() as u64;
        Ok(())
    }

    /// The error that ends a transfer, which says what is here if anything is.
    fn cut_by(&self, hub: &Hub, error: StoreError) -> StoreError {
        if self.n_bytes == 0 || !error.may_pass() {
            return error;
        }
        let (address, n_bytes, total) = (hub.address(), self.n_bytes, self.of.bytes);
        StoreError::new(
            StoreErrorKind::Cut,
            format!("{address} broke off at {n_bytes} of {total} bytes: {error}"),
        )
    }

    fn has_wrong_size(&self, n_bytes: u64) -> StoreError {
        let expected = self.of.bytes;
        self.differs(&format!("it has {n_bytes} bytes instead of {expected}"))
    }

    fn differs(&self, difference: &str) -> StoreError {
        let name = self.of.name();
        StoreError::new(
            StoreErrorKind::Differs,
            format!("what came as {name} is not the publisher's file: {difference}"),
        )
    }

    /// Gives the file its name, if it is the publisher's and a model.
    fn finish(self, to: &Path) -> Result<(), StoreError> {
        let checked = self
            .check_sum()
            .and_then(|()| check_model(&self.path, self.of.name()));
        if checked.is_err() {
            // The next attempt must not continue it.
            let _ = fs::remove_file(&self.path);
            return checked;
        }
        if to.exists() {
            return Err(StoreError::taken(to));
        }
        self.name_it(to)
            .map_err(|error| StoreError::disk("write", to, error))
    }

    fn check_sum(&self) -> Result<(), StoreError> {
        let mut sum = String::new();
        for byte in self.sum.clone().finalize() {
            write!(sum, "{byte:02x}").expect("a string takes any text");
        }
        let expected = &self.of.sha256;
        if sum == *expected {
            return Ok(());
        }
        Err(self.differs(&format!("its SHA-256 is {sum} instead of {expected}")))
    }

    fn name_it(&self, to: &Path) -> io::Result<()> {
        self.file.sync_all()?;
        fs::rename(&self.path, to)?;
        sync_folder(to);
        Ok(())
    }
}
