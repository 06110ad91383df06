//! Files of this machine into the store, and models out of it.

use super::error::StoreError;
use crate::models::file_name;
use crate::models::header::{Extent, Header};
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// Bytes that stay free on a disk.
const SPARE: u64 = 16 << 20;

/// What became of an import.
#[derive(Debug, PartialEq, Eq)]
pub enum Imported {
    /// It is in the store now, as this file.
    New(PathBuf),
    /// It was there already, as this file.
    Already(PathBuf),
}

/// Copies a model, of several parts all of them, into the store. The original stays. Where the file
/// system can, the copy shares its blocks.
///
/// # Errors
/// [`StoreError::Unusable`], [`StoreError::NoRoom`], [`StoreError::Taken`], [`StoreError::Io`]. What
/// was copied before is removed.
pub fn import(store: &Path, file: &Path) -> Result<Imported, StoreError> {
    let unreadable = |error| StoreError::io("read", file, error);
    let file = &fs::canonicalize(file).map_err(unreadable)?;
    let name = file_name::of(file).unwrap_or_default().to_owned();
    check_model(file, &name)?;
    if let Ok(store) = fs::canonicalize(store)
        && file.starts_with(store)
    {
        return Ok(Imported::Already(file.clone()));
    }
    let parts = parts(file);
    let mut wanted = Vec::new();
    let mut n_bytes = 0;
    for part in &parts {
        let size = fs::metadata(part)
            .map_err(|error| StoreError::io("read", part, error))?
            .len();
        let to = store.join(part.file_name().unwrap_or_default());
        match fs::metadata(&to) {
            Ok(there) if there.len() == size && is_same(part, &to)? => continue,
            Ok(_) => return Err(StoreError::Taken { path: to }),
            Err(_) => {}
        }
        n_bytes += size;
        wanted.push((part, to));
    }
    let first = store.join(file.file_name().unwrap_or_default());
    if wanted.is_empty() {
        return Ok(Imported::Already(first));
    }
    fs::create_dir_all(store).map_err(|error| StoreError::io("write", store, error))?;
    check_room(store, n_bytes)?;
    let mut made: Vec<&Path> = Vec::new();
    for (part, to) in &wanted {
        if let Err(error) = copy(part, to) {
            for made in made {
                let _ = fs::remove_file(made); // the first error is the one that is reported
            }
            return Err(error);
        }
        made.push(to);
    }
    Ok(Imported::New(first))
}

/// Removes a model's file, of several parts all of them, from the store, and the folders that are
/// empty then. A file in a folder that is only linked into the store stays.
///
/// # Errors
/// [`StoreError::Io`].
pub fn remove(store: &Path, file: &Path) -> Result<(), StoreError> {
    let real = |path: &Path| {
        path.canonicalize()
            .map_err(|error| StoreError::io("find", path, error))
    };
    let folder = real(file.parent().unwrap_or(file))?;
    if !folder.starts_with(real(store)?) {
        let error = io::Error::other("a link leads to it: it is another program's");
        return Err(StoreError::io("remove", file, error));
    }
    for part in parts(file) {
        match fs::remove_file(&part) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                return Err(StoreError::io("remove", &part, error));
            }
            _ => {}
        }
    }
    let mut folder = file.parent();
    while let Some(empty) = folder.filter(|folder| *folder != store && folder.starts_with(store)) {
        // A folder with something in it stays.
        if fs::remove_dir(empty).is_err() {
            break;
        }
        folder = empty.parent();
    }
    Ok(())
}

/// A model's file, or all its parts if it is the first one.
fn parts(file: &Path) -> Vec<PathBuf> {
    let part = file_name::of(file)
        .and_then(file_name::stem)
        .and_then(file_name::part);
    match part {
        Some(part) => (1..=part.n_parts)
            .map(|number| file.with_file_name(file_name::other_part(part, number)))
            .collect(),
        None => vec![file.to_owned()],
    }
}

fn copy(from: &Path, to: &Path) -> Result<(), StoreError> {
    let name = to.file_name().unwrap_or_default().to_string_lossy();
    let part = to.with_file_name(format!(".{name}.import.part"));
    let _ = fs::remove_file(&part); // of a program that was killed
    let copied = copy_file(from, &part).and_then(|()| {
        File::open(&part)?.sync_all()?;
        fs::rename(&part, to)
    });
    if let Err(error) = copied {
        let _ = fs::remove_file(&part); // it may not be there
        return Err(StoreError::io("write", to, error));
    }
    sync_folder(to);
    Ok(())
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
    let open = |path: &Path| File::open(path).map_err(|error| StoreError::io("read", path, error));
    let (mut left, mut right) = (open(a)?, open(b)?);
    let (mut one, mut other) = (vec![0; 1 << 20], vec![0; 1 << 20]);
    loop {
        let n = left
            .read(&mut one)
            .map_err(|error| StoreError::io("read", a, error))?;
        if n == 0 {
            return Ok(true);
        }
        let there = right.read_exact(&mut other[..n]);
        if there.is_err() || one[..n] != other[..n] {
            return Ok(false);
        }
    }
}

/// Whether a file is a model that can be used, by its header. Of several parts only the first one
/// has the whole of it.
pub(super) fn check_model(path: &Path, name: &str) -> Result<(), StoreError> {
    let part = file_name::stem(name).and_then(file_name::part);
    if part.is_some_and(|part| part.number > 1) {
        return Ok(());
    }
    Header::read(path, Extent::UpToVocabulary)
        .map_err(crate::models::Unusable::from)
        .and_then(|header| header.check())
        .map_err(|reason| StoreError::Unusable {
            file: name.to_owned(),
            reason,
        })
}

/// Whether so many bytes may be written to a folder.
pub(super) fn check_room(folder: &Path, n_bytes: u64) -> Result<(), StoreError> {
    let needed = n_bytes + if n_bytes > 0 { SPARE } else { 0 };
    match free(folder) {
        Some(free) if free < needed => Err(StoreError::NoRoom {
            folder: folder.to_owned(),
            needed,
            free,
        }),
        _ => Ok(()),
    }
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
/// the file itself is written all the same.
pub(super) fn sync_folder(file: &Path) {
    if cfg!(unix)
        && let Some(folder) = file.parent()
    {
        let _ = File::open(folder).and_then(|folder| folder.sync_all());
    }
}
