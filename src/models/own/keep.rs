//! Files of this machine into the store, and models out of it.

use super::error::{StoreError, StoreErrorKind};
use crate::models::file_name;
use crate::models::header::{Extent, Header};
use crate::models::unusable::Unusable;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// Bytes that stay free on a disk.
const SPARE: u64 = 16 << 20;

/// The result of an import.
#[derive(Debug, PartialEq, Eq)]
pub enum Imported {
    /// It is in the store now, as this file.
    New(PathBuf),
    /// It was there already, as this file.
    Already(PathBuf),
}

/// Copies a model, with all its parts, into the store. The original stays. Where the file system
/// can, the copy shares its blocks.
///
/// # Errors
/// [`StoreErrorKind::Unusable`], [`StoreErrorKind::NoRoom`], [`StoreErrorKind::Taken`],
/// [`StoreErrorKind::Disk`]. What was copied before is removed.
pub fn import(store: &Path, file: &Path) -> Result<Imported, StoreError> {
    let file = fs::canonicalize(file).map_err(|error| StoreError::disk("read", file, error))?;
    // The first part has the header.
    let parts = parts(&file);
    check_model(&parts[0], file_name::of(&file).unwrap_or_default())?;
    if fs::canonicalize(store).is_ok_and(|store| file.starts_with(store)) {
        return Ok(Imported::Already(file));
    }

    let mut missing = Vec::new();
    let mut n_bytes = 0;
    for part in parts {
        let metadata =
            fs::metadata(&part).map_err(|error| StoreError::disk("read", &part, error))?;
        let to = in_store(store, &part);
        if !to.exists() {
            n_bytes += metadata.len();
            missing.push((part, to));
        } else if !is_same(&part, &to)? {
            return Err(StoreError::taken(&to));
        }
    }
    let first = in_store(store, &file);
    if missing.is_empty() {
        return Ok(Imported::Already(first));
    }

    fs::create_dir_all(store).map_err(|error| StoreError::disk("write", store, error))?;
    check_room(store, n_bytes)?;
    for (n_copied, (part, to)) in missing.iter().enumerate() {
        if let Err(error) = copy(part, to) {
            for (_, copied) in &missing[..n_copied] {
                let _ = fs::remove_file(copied); // the first error is the one that is reported
            }
            return Err(StoreError::disk("write", to, error));
        }
    }
    Ok(Imported::New(first))
}

fn in_store(store: &Path, file: &Path) -> PathBuf {
    store.join(file.file_name().unwrap_or_default())
}

/// Removes a model's file, with all its parts, from the store, and the folders that are empty then.
/// A file in a folder that is only linked into the store stays.
///
/// # Errors
/// [`StoreErrorKind::Disk`].
pub fn remove(store: &Path, file: &Path) -> Result<(), StoreError> {
    let in_folder = file.parent().unwrap_or(file);
    if !real(in_folder)?.starts_with(real(store)?) {
        let error = io::Error::other("a link leads to it: it is another program's");
        return Err(StoreError::disk("remove", file, error));
    }

    for part in parts(file) {
        match fs::remove_file(&part) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                return Err(StoreError::disk("remove", &part, error));
            }
            _ => {}
        }
    }

    let mut folder = in_folder;
    // A folder with something in it cannot be removed, and stays.
    while folder != store && folder.starts_with(store) && fs::remove_dir(folder).is_ok() {
        folder = folder.parent().unwrap_or(store);
    }
    Ok(())
}

fn real(path: &Path) -> Result<PathBuf, StoreError> {
    fs::canonicalize(path).map_err(|error| StoreError::disk("read", path, error))
}

/// A model's file, or all its parts if it is the first one.
fn parts(file: &Path) -> Vec<PathBuf> {
    let part = file_name::of(file)
        .and_then(file_name::stem)
        .and_then(file_name::part);
    match part {
        Some(part) => (1..=part.n_parts)
            .map(|number| file_name::part_name(part.base, number, part.n_parts))
            .map(|name| file.with_file_name(name))
            .collect(),
        None => vec![file.to_owned()],
    }
}

/// Copies to a hidden file, which gets its name when it is whole.
fn copy(from: &Path, to: &Path) -> io::Result<()> {
    let name = to.file_name().unwrap_or_default().to_string_lossy();
    let part = to.with_file_name(format!(".{name}.import.part"));
    let _ = fs::remove_file(&part); // of a program that was killed

    let copied = copy_file(from, &part)
        .and_then(|()| File::open(&part)?.sync_all())
        .and_then(|()| fs::rename(&part, to));
    if copied.is_err() {
        let _ = fs::remove_file(&part); // it may not be there
    } else {
        sync_folder(to);
    }
    copied
}

#[cfg(unix)]
fn copy_file(from: &Path, to: &Path) -> io::Result<()> {
    reflink_copy::reflink_or_copy(from, to).map(drop)
}

#[cfg(not(unix))]
fn copy_file(from: &Path, to: &Path) -> io::Result<()> {
    fs::copy(from, to).map(drop)
}

fn is_same(a: &Path, b: &Path) -> Result<bool, StoreError> {
    has_same_bytes(a, b).map_err(|error| StoreError::disk("read", b, error))
}

fn has_same_bytes(a: &Path, b: &Path) -> io::Result<bool> {
    let mut left = File::open(a)?;
    let mut right = File::open(b)?;
    if left.metadata()?.len() != right.metadata()?.len() {
        return Ok(false);
    }

    let mut of_left = vec![0; 1 << 20];
    let mut of_right = vec![0; 1 << 20];
    loop {
        let n = left.read(&mut of_left)?;
        if n == 0 {
            return Ok(true);
        }
        right.read_exact(&mut of_right[..n])?;
        if of_left[..n] != of_right[..n] {
            return Ok(false);
        }
    }
}

/// Whether a file is a model that can be used, by its header. `name` is for the message.
pub(super) fn check_model(path: &Path, name: &str) -> Result<(), StoreError> {
    Header::read(path, Extent::UpToVocabulary)
        .map_err(Unusable::from)
        .and_then(|header| header.check())
        .map_err(|reason| {
            let message = format!("{name} is of no use: {reason}");
            StoreError::new(StoreErrorKind::Unusable, message)
        })
}

/// Whether so many bytes may be written to a folder.
pub(super) fn check_room(folder: &Path, n_bytes: u64) -> Result<(), StoreError> {
    let needed = if n_bytes > 0 { n_bytes + SPARE } else { 0 };
    let Some(free) = free(folder).filter(|free| *free < needed) else {
        return Ok(());
    };
    let folder = folder.display();
    let message = format!("{needed} bytes are needed in {folder}, and {free} are free");
    Err(StoreError::new(StoreErrorKind::NoRoom, message))
}

/// Bytes that this person may still write to a folder, where the system says so.
fn free(folder: &Path) -> Option<u64> {
    #[cfg(unix)]
    {
        let stat = rustix::fs::statvfs(folder).ok()?;
        Some(stat.f_bavail.saturating_mul(stat.f_frsize))
    }
    #[cfg(not(unix))]
    {
        let _ = folder;
        None
    }
}

/// Syncs the folder of a file, so that its new name survives a power cut. Some file systems cannot;
/// the file itself is written nevertheless.
pub(super) fn sync_folder(file: &Path) {
    if cfg!(unix)
        && let Some(folder) = file.parent()
    {
        let _ = File::open(folder).and_then(|folder| folder.sync_all());
    }
}
