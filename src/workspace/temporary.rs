//! A temporary file: written and synced in the folder of the file that it will replace.
//!
//! On Linux it has no name until the last moment (O_TMPFILE), so a killed program leaves nothing
//! there. On other systems, and in that last moment, it has a unique name and a lock that ends with
//! its program. The next program that writes in the folder removes such files if they are not locked.

use cap_std::fs::{Dir, File, OpenOptions};
use std::hash::{BuildHasher, Hasher, RandomState};
use std::io;
use std::path::Path;

const PREFIX: &str = ".slotwright-";
const SUFFIX: &str = ".tmp";

/// A new file without its final name. If it is dropped before it gets one, it disappears.
pub(crate) struct Temporary<'d> {
    folder: &'d Dir,
    file: File,
    name: Option<String>,
}

impl<'d> Temporary<'d> {
    /// Makes an empty file in a folder, and removes the files that killed programs left there.
    pub fn new(folder: &'d Dir) -> io::Result<Temporary<'d>> {
        remove_abandoned(folder);
        if let Some(file) = nameless(folder)? {
            return Ok(Temporary {
                folder,
                file,
                name: None,
            });
        }
        let name = free_name();
        let file = folder.open_with(&name, OpenOptions::new().write(true).create_new(true))?;
        lock(&file);
        Ok(Temporary {
            folder,
            file,
            name: Some(name),
        })
    }

    pub fn file(&mut self) -> &mut File {
        &mut self.file
    }

    /// Replaces the file of that name.
    pub fn replace(mut self, name: &Path) -> io::Result<()> {
        if self.name.is_none() {
            lock(&self.file);
            let own = free_name();
            link(&self.file, self.folder, Path::new(&own))?;
            self.name = Some(own);
        }
        let own = self.name.as_ref().expect("it was just given one");
        self.folder.rename(own, self.folder, name)?;
        self.name = None;
        Ok(())
    }

    /// Takes a free name. If it is taken, fails with [`io::ErrorKind::AlreadyExists`].
    pub fn take_name(mut self, name: &Path) -> io::Result<()> {
        match &self.name {
            None => link(&self.file, self.folder, name)?,
            Some(own) => rename_to_free(self.folder, own, name)?,
        }
        self.name = None;
        Ok(())
    }
}

impl Drop for Temporary<'_> {
    fn drop(&mut self) {
        if let Some(name) = &self.name {
            let _ = self.folder.remove_file(name); // the error reported is the one that led here
        }
    }
}

/// Syncs a folder, so that a new name in it survives a power cut. Some file systems cannot sync a
/// folder. That is no error, since the file itself is written.
pub(super) fn sync_folder(folder: &Dir) {
    if cfg!(unix) {
        let _ = folder.open(".").and_then(|folder| folder.sync_all());
    }
}

fn free_name() -> String {
    format!(
        "{PREFIX}{:016x}{SUFFIX}",
        RandomState::new().build_hasher().finish()
    )
}

fn remove_abandoned(folder: &Dir) {
    for entry in folder.entries().into_iter().flatten().flatten() {
        let name = entry.file_name();
        let is_ours = name
            .to_str()
            .is_some_and(|name| name.starts_with(PREFIX) && name.ends_with(SUFFIX));
        if is_ours
            && entry.file_type().is_ok_and(|kind| kind.is_file())
            && entry.open().is_ok_and(|file| lock(&file))
        {
            let _ = folder.remove_file(&name); // another program removed it first
        }
    }
}

/// Locks the file without waiting. Returns false if another program has locked it, or if files
/// cannot be locked here.
fn lock(file: &File) -> bool {
    try_lock(file).unwrap_or(false)
}

/// Locks the file without waiting. Returns false if another program has locked it.
///
/// # Errors
/// If files cannot be locked here.
#[cfg(unix)]
pub(super) fn try_lock(file: &File) -> io::Result<bool> {
    use rustix::fs::{FlockOperation, flock};
    match flock(file, FlockOperation::NonBlockingLockExclusive) {
        Ok(()) => Ok(true),
        Err(rustix::io::Errno::WOULDBLOCK) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

#[cfg(not(unix))]
pub(super) fn try_lock(_: &File) -> io::Result<bool> {
    Ok(false)
}

/// A file without a name; `None` if the system cannot make one or could not name it later.
#[cfg(target_os = "linux")]
fn nameless(folder: &Dir) -> io::Result<Option<File>> {
    use rustix::fs::{Mode, OFlags, openat};
    use rustix::io::Errno;
    if !Path::new("/proc/self/fd").exists() {
        return Ok(None);
    }
    match openat(
        folder,
        ".",
        OFlags::TMPFILE | OFlags::RDWR | OFlags::CLOEXEC,
        Mode::from_raw_mode(0o666),
    ) {
        Ok(file) => Ok(Some(File::from_std(file.into()))),
        // A file system without nameless files returns one of these errors.
        Err(Errno::OPNOTSUPP | Errno::ISDIR | Errno::NOENT | Errno::INVAL) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

#[cfg(not(target_os = "linux"))]
fn nameless(_: &Dir) -> io::Result<Option<File>> {
    Ok(None)
}

/// Gives a nameless file its name.
#[cfg(target_os = "linux")]
fn link(file: &File, folder: &Dir, name: &Path) -> io::Result<()> {
    use std::os::fd::AsRawFd;
    let own = format!("/proc/self/fd/{}", file.as_raw_fd());
    Ok(rustix::fs::linkat(
        rustix::fs::CWD,
        own,
        folder,
        name,
        rustix::fs::AtFlags::SYMLINK_FOLLOW,
    )?)
}

#[cfg(not(target_os = "linux"))]
fn link(_: &File, _: &Dir, _: &Path) -> io::Result<()> {
    unreachable!("only Linux has files without a name")
}

/// Renames a file, but to no name that is taken.
#[cfg(unix)]
fn rename_to_free(folder: &Dir, own: &str, name: &Path) -> io::Result<()> {
    use rustix::fs::{RenameFlags, renameat_with};
    use rustix::io::Errno;
    match renameat_with(folder, own, folder, name, RenameFlags::NOREPLACE) {
        // Network file systems do not have it.
        Err(Errno::INVAL | Errno::NOSYS | Errno::OPNOTSUPP) => link_to_free(folder, own, name),
        renamed => Ok(renamed?),
    }
}

#[cfg(not(unix))]
fn rename_to_free(folder: &Dir, own: &str, name: &Path) -> io::Result<()> {
    link_to_free(folder, own, name)
}

fn link_to_free(folder: &Dir, own: &str, name: &Path) -> io::Result<()> {
    folder.hard_link(own, folder, name)?;
    folder.remove_file(own)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    fn folder() -> (tempfile::TempDir, Dir) {
        let temp = tempfile::tempdir().unwrap();
        let dir = Dir::open_ambient_dir(temp.path(), cap_std::ambient_authority()).unwrap();
        (temp, dir)
    }

    fn names(folder: &Dir) -> Vec<String> {
        let mut names: Vec<String> = folder
            .entries()
            .unwrap()
            .map(|e| e.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    /// Both kinds: without a name if the system has that, and with one.
    fn both(folder: &Dir) -> Vec<Temporary<'_>> {
        let named = free_name();
        let file = folder
            .open_with(&named, OpenOptions::new().write(true).create_new(true))
            .unwrap();
        lock(&file);
        let named = Temporary {
            folder,
            file,
            name: Some(named),
        };
        vec![named, Temporary::new(folder).unwrap()]
    }

    #[test]
    fn a_file_takes_a_place_or_a_free_name_or_is_gone() {
        let (_temp, folder) = folder();
        for mut temporary in both(&folder) {
            folder.write("a", b"old").unwrap();
            temporary.file().write_all(b"new").unwrap();
            temporary.replace(Path::new("a")).unwrap();
            assert_eq!(folder.read("a").unwrap(), b"new");
        }
        for temporary in both(&folder) {
            let taken = temporary.take_name(Path::new("a")).unwrap_err();
            assert_eq!(taken.kind(), io::ErrorKind::AlreadyExists);
        }
        for (mut temporary, name) in both(&folder).into_iter().zip(["b", "c"]) {
            temporary.file().write_all(b"more").unwrap();
            temporary.take_name(Path::new(name)).unwrap();
            assert_eq!(folder.read(name).unwrap(), b"more");
        }
        drop(both(&folder));
        assert_eq!(names(&folder), ["a", "b", "c"]);
    }

    #[cfg(unix)]
    /// As where a file cannot be renamed to a free name only.
    #[test]
    fn a_file_takes_a_free_name_by_a_link() {
        let (_temp, folder) = folder();
        folder.write("own", b"new").unwrap();
        folder.write("taken", b"old").unwrap();
        let taken = link_to_free(&folder, "own", Path::new("taken")).unwrap_err();
        assert_eq!(taken.kind(), io::ErrorKind::AlreadyExists);
        link_to_free(&folder, "own", Path::new("free")).unwrap();
        assert_eq!(names(&folder), ["free", "taken"]);
        assert_eq!(folder.read("free").unwrap(), b"new");
    }

    #[test]
    fn what_a_killed_program_left_is_removed_and_what_is_held_is_not() {
        let (_temp, folder) = folder();
        let (left, held) = (free_name(), free_name());
        folder.write(&left, b"half").unwrap();
        let holder = folder.create(&held).unwrap();
        assert!(lock(&holder));
        folder.write(".slotwright-notes.md", b"somebody's").unwrap();
        drop(Temporary::new(&folder).unwrap());
        let mut kept = vec![held.clone(), ".slotwright-notes.md".to_owned()];
        kept.sort();
        assert_eq!(names(&folder), kept);
        drop(holder);
        drop(Temporary::new(&folder).unwrap());
        assert_eq!(names(&folder), [".slotwright-notes.md"]);
    }
}
