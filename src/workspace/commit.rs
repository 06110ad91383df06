//! Writing files: each one wholly or not at all, and never over changes that another program made
//! meanwhile.

use super::folder::Workspace;
use super::temporary::{Temporary, sync_folder};
use crate::text::{PathError, check_path, slashed};
use cap_std::fs::Dir;
use serde::{Deserialize, Serialize};
use std::io::{self, Write};
use std::path::Path;

/// Why nothing was written. The file is unchanged.
#[derive(Debug, thiserror::Error)]
pub enum CommitError {
    /// The file has changed since it was read.
    #[error("{}; nothing was written", self.reason())]
    Stale {
        /// Path relative to the root.
        path: String,
    },
    /// A file to be made exists already; it may be hidden or ignored.
    #[error("{}; nothing was written", self.reason())]
    Exists {
        /// Path relative to the root.
        path: String,
    },
    /// The file is read-only.
    #[error("{}; nothing was written", self.reason())]
    ReadOnly {
        /// Path relative to the root.
        path: String,
    },
    /// The system refused: no space, no permission, a vanished folder.
    #[error("{}; the file is as it was", self.reason())]
    Io {
        /// Path relative to the root.
        path: String,
        /// The system's error.
        source: io::Error,
    },
    /// The path is one that is never written.
    #[error(transparent)]
    Path(#[from] PathError),
}

impl CommitError {
    /// Why the file could not be written, without saying what became of the change.
    pub fn reason(&self) -> String {
        match self {
            CommitError::Stale { path } => {
                format!("{path} was changed since it was read")
            }
            CommitError::Exists { path } => format!("there is a file {path} already"),
            CommitError::ReadOnly { path } => format!("{path} is read-only"),
            CommitError::Io { path, source } => format!("cannot write {path}: {source}"),
            CommitError::Path(error) => error.to_string(),
        }
    }
}

/// A file's content before and after a change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// Path relative to the root.
    pub path: String,
    /// The bytes that must be there before; `None` for a file to be made.
    pub before: Option<Vec<u8>>,
    /// The bytes afterwards; `None` for a file to be removed.
    pub after: Option<Vec<u8>>,
    /// The permissions, as `chmod` takes them, for a file to be made; `None` for the system's
    /// default. A replaced file keeps its own, apart from `chmod`.
    pub mode: Option<u32>,
    /// New permissions for a replaced file, if they change.
    pub chmod: Option<Chmod>,
    /// How many folders are made for a file to be made; they go with a file to be removed if nothing
    /// else is in them. `None` if that is not known: then all go that are empty without it.
    pub new_folders: Option<usize>,
}

/// A file's permissions before and after a change, as in [`Change::mode`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Chmod {
    /// Those that it must have before.
    pub from: u32,
    /// Those that it has afterwards.
    pub to: u32,
}

/// Permissions with which all who may read a file may also run it, or with which no one may.
pub fn runnable(mode: u32, is_executable: bool) -> u32 {
    if is_executable {
        mode | (mode & 0o444) >> 2
    } else {
        mode & !0o111
    }
}

fn failed(path: &str, source: io::Error) -> CommitError {
    CommitError::Io {
        path: path.to_owned(),
        source,
    }
}

fn stale(path: &str) -> CommitError {
    CommitError::Stale {
        path: path.to_owned(),
    }
}

/// The folders of a path relative to the root, the innermost first.
pub(super) fn folders_of(path: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(Some(path), |path| Some(path.rsplit_once('/')?.0)).skip(1)
}

/// Whether a file with these permissions can be run by anyone.
pub fn can_be_run(mode: u32) -> bool {
    mode & 0o111 != 0
}

/// The permissions of a new file that can be run.
pub fn new_executable() -> u32 {
    // Linux tells the mask without changing it. Elsewhere it is the usual one.
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("Umask:"));
    let mask = mask
        .and_then(|mask| u32::from_str_radix(mask.trim(), 8).ok())
        .unwrap_or(0o022);
    0o777 & !mask
}

impl Change {
    /// Gives an existing file new content.
    pub fn replace(path: &str, before: &[u8], after: &[u8]) -> Change {
        Change::of(path, Some(before), Some(after))
    }

    /// Makes a new file.
    pub fn create(path: &str, content: &[u8]) -> Change {
        Change::of(path, None, Some(content))
    }

    /// Removes a file.
    pub fn remove(path: &str, before: &[u8]) -> Change {
        Change::of(path, Some(before), None)
    }

    fn of(path: &str, before: Option<&[u8]>, after: Option<&[u8]>) -> Change {
        Change {
            path: path.to_owned(),
            before: before.map(<[u8]>::to_vec),
            after: after.map(<[u8]>::to_vec),
            mode: None,
            chmod: None,
            new_folders: None,
        }
    }

    /// The change that undoes this one.
    pub fn reversed(&self) -> Change {
        let mut reversed = self.clone();
        std::mem::swap(&mut reversed.before, &mut reversed.after);
        if let Some(chmod) = &mut reversed.chmod {
            std::mem::swap(&mut chmod.from, &mut chmod.to);
        }
        reversed
    }
}

impl Workspace {
    /// Checks that a change could be made now: the file has the bytes `before` and may be written.
    pub fn check(&self, change: &Change) -> Result<(), CommitError> {
        let path = &change.path;
        check_path(path)?;
        self.check_links(path)
            .map_err(|source| failed(path, source))??;

        let exists = change.before.is_some();
        if !self.is_as_before(change)? {
            return Err(if exists {
                stale(path)
            } else {
                CommitError::Exists { path: path.clone() }
            });
        }
        let metadata = self.dir.symlink_metadata(path);
        if exists && metadata.is_ok_and(|metadata| metadata.permissions().readonly()) {
            return Err(CommitError::ReadOnly { path: path.clone() });
        }
        Ok(())
    }

    /// Makes a change. Even after a crash the file is either unchanged or wholly changed.
    pub fn write(&self, change: &Change) -> Result<(), CommitError> {
        self.check(change)?;
        let path = &change.path;
        let written = match (&change.before, &change.after) {
            (Some(_), Some(after)) => return self.replace(change, after),
            (None, Some(content)) => self.create(path, content, change.mode),
            (Some(_), None) => self.remove(path, change.new_folders),
            (None, None) => Ok(()),
        };
        written.map_err(|source| match source.kind() {
            io::ErrorKind::AlreadyExists => CommitError::Exists { path: path.clone() },
            _ => failed(path, source),
        })
    }

    /// Writes a file whatever it holds, or removes it. For throw-away copies only.
    ///
    /// # Errors
    /// [`CommitError`] if it cannot be written.
    pub fn overwrite(&self, path: &str, after: Option<&[u8]>) -> Result<(), CommitError> {
        let before = self.read(path).ok().map(|text| text.bytes().to_vec());
        if before.as_deref() == after {
            return Ok(());
        }
        self.write(&Change {
            before,
            after: after.map(<[u8]>::to_vec),
            ..Change::create(path, &[])
        })
    }

    /// Whether a file is as it must be before a change.
    pub(super) fn is_as_before(&self, change: &Change) -> Result<bool, CommitError> {
        if self.bytes(&change.path)? != change.before {
            return Ok(false);
        }
        Ok(match change.chmod {
            Some(chmod) => self.mode(&change.path) == Some(chmod.from),
            None => true,
        })
    }

    /// A file's permissions, as in [`Change::mode`].
    pub fn mode(&self, path: &str) -> Option<u32> {
        let metadata = self.dir.symlink_metadata(path).ok()?;
        if metadata.is_file() {
            mode_of(&metadata)
        } else {
            None
        }
    }

    /// A file's bytes; `None` if it does not exist.
    pub(super) fn bytes(&self, path: &str) -> Result<Option<Vec<u8>>, CommitError> {
        match self.dir.symlink_metadata(path) {
            Ok(metadata) if metadata.is_file() => {}
            // Something that is not a file has taken its place.
            Ok(_) => return Err(stale(path)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(source) => return Err(failed(path, source)),
        }
        let bytes = self.dir.read(path).map_err(|source| failed(path, source))?;
        Ok(Some(bytes))
    }

    /// Replaces a file's bytes: a temporary file in the same folder, fsync, rename. The permissions
    /// stay if they are not to change, and so do the owner and extended attributes if the system
    /// lets us set them.
    fn replace(&self, change: &Change, after: &[u8]) -> Result<(), CommitError> {
        let path = &change.path;
        let (folder, name) = self
            .folder_of(path)
            .map_err(|source| failed(path, source))?;
        let temporary = replacement(&folder, name, change.chmod, after)
            .map_err(|source| failed(path, source))?;
        // That took a while, and another program may have saved the file meanwhile.
        if !self.is_as_before(change)? {
            return Err(stale(path));
        }
        temporary
            .replace(name)
            .map_err(|source| failed(path, source))?;
        sync_folder(&folder);
        Ok(())
    }

    /// Makes a new file: it appears with all its text, or not at all. It never replaces a file.
    fn create(&self, path: &str, content: &[u8], mode: Option<u32>) -> io::Result<()> {
        if let Some((parent, _)) = path.rsplit_once('/') {
            self.dir.create_dir_all(parent)?;
        }
        let (folder, name) = self.folder_of(path)?;
        let mut temporary = Temporary::new(&folder)?;
        temporary.file().write_all(content)?;
        if let Some(mode) = mode {
            set_mode(temporary.file(), mode)?;
        }
        temporary.file().sync_all()?;
        temporary.take_name(name)?;
        sync_folder(&folder);
        Ok(())
    }

    /// Removes a file, and at most `folders` of its folders if they are empty without it.
    fn remove(&self, path: &str, folders: Option<usize>) -> io::Result<()> {
        self.dir.remove_file(path)?;
        for folder in folders_of(path).take(folders.unwrap_or(usize::MAX)) {
            if self.dir.remove_dir(folder).is_err() {
                break; // it is not empty
            }
        }
        Ok(())
    }

    /// Whether there is something at a path.
    pub(super) fn is_there(&self, path: &str) -> bool {
        self.dir.symlink_metadata(path).is_ok()
    }

    /// A link inside the root may lead into a repository's own data. So the path is checked again
    /// after following the links of those of its folders that exist.
    fn check_links(&self, path: &str) -> io::Result<Result<(), PathError>> {
        let mut existing = path;
        while let Some((parent, _)) = existing.rsplit_once('/') {
            match self.dir.canonicalize(parent) {
                Ok(real) => {
                    let real = slashed(&real).map_or_else(String::new, |real| real + "/");
                    return Ok(check_path(&format!("{real}{}", &path[parent.len() + 1..])));
                }
                Err(error) if error.kind() == io::ErrorKind::NotFound => existing = parent,
                Err(error) => return Err(error),
            }
        }
        Ok(Ok(()))
    }

    /// The folder of a path and the name in it. The folder is held open, so that every step uses
    /// the same one.
    fn folder_of<'p>(&self, path: &'p str) -> io::Result<(Dir, &'p Path)> {
        match path.rsplit_once('/') {
            Some((parent, name)) => Ok((self.dir.open_dir(parent)?, Path::new(name))),
            None => Ok((self.dir.try_clone()?, Path::new(path))),
        }
    }
}

/// A temporary file that can replace a file of this folder.
fn replacement<'d>(
    folder: &'d Dir,
    name: &Path,
    chmod: Option<Chmod>,
    after: &[u8],
) -> io::Result<Temporary<'d>> {
    let metadata = folder.symlink_metadata(name)?;
    let mut temporary = Temporary::new(folder)?;
    let file = temporary.file();

    // The owner is set while the file is still empty, and permissions come last: they may forbid to
    // set an attribute, and setting one may change them.
    keep_owner(file, &metadata);
    keep_attributes(folder, name, file);
    file.set_permissions(metadata.permissions())?;
    if let Some(chmod) = chmod {
        set_mode(file, chmod.to)?;
    }

    file.write_all(after)?;
    file.sync_all()?;
    Ok(temporary)
}

#[cfg(unix)]
fn mode_of(metadata: &cap_std::fs::Metadata) -> Option<u32> {
    use cap_std::fs::MetadataExt;
    Some(metadata.mode() & 0o7777)
}

#[cfg(not(unix))]
fn mode_of(_: &cap_std::fs::Metadata) -> Option<u32> {
    None
}

#[cfg(unix)]
fn set_mode(file: &cap_std::fs::File, mode: u32) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    file.set_permissions(cap_std::fs::Permissions::from_std(
        std::fs::Permissions::from_mode(mode),
    ))
}

#[cfg(not(unix))]
fn set_mode(_: &cap_std::fs::File, _: u32) -> io::Result<()> {
    Ok(())
}

/// Keeps the owner of a file that root edits. Other users cannot set an owner, and need not.
#[cfg(unix)]
fn keep_owner(file: &cap_std::fs::File, metadata: &cap_std::fs::Metadata) {
    use cap_std::fs::MetadataExt;
    // In two steps: a user who may not give a file away may still keep its group.
    let _ = std::os::unix::fs::fchown(file, None, Some(metadata.gid()));
    let _ = std::os::unix::fs::fchown(file, Some(metadata.uid()), None);
}

#[cfg(not(unix))]
fn keep_owner(_: &cap_std::fs::File, _: &cap_std::fs::Metadata) {}

/// Keeps a file's extended attributes: its access control list, SELinux's label, and the person's own
/// notes (`user.*`). Some of them only root may set, and some file systems have none.
#[cfg(target_os = "linux")]
fn keep_attributes(folder: &Dir, name: &Path, new: &cap_std::fs::File) {
    use rustix::fs::{XattrFlags, fgetxattr, flistxattr, fremovexattr, fsetxattr};
    /// The most that Linux lets a file have: all names, and one value.
    const MAX_BYTES: usize = 64 << 10;
    /// A program's capabilities, which the system drops when a file is written, and what is computed
    /// from the old content.
    const LEFT_OUT: [&[u8]; 3] = [b"security.capability", b"security.ima", b"security.evm"];
    /// A new file may have one from its folder.
    const LIST: &[u8] = b"system.posix_acl_access";
    let Ok(old) = folder.open(name) else { return };
    let mut names = vec![0; MAX_BYTES];
    let Ok(n_bytes) = flistxattr(&old, names.as_mut_slice()) else {
        return;
    };
    let names: Vec<&[u8]> = names[..n_bytes].split(|&byte| byte == 0).collect();
    if !names.contains(&LIST) {
        let _ = fremovexattr(new, LIST);
    }

    let mut value = vec![0; MAX_BYTES];
    for name in names {
        if !name.is_empty()
            && !LEFT_OUT.contains(&name)
            && let Ok(n_bytes) = fgetxattr(&old, name, value.as_mut_slice())
        {
            let _ = fsetxattr(new, name, &value[..n_bytes], XattrFlags::empty());
        }
    }
}

#[cfg(not(target_os = "linux"))]
fn keep_attributes(_: &Dir, _: &Path, _: &cap_std::fs::File) {}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn workspace(content: &[u8]) -> (tempfile::TempDir, Workspace) {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir(dir.path().join("src")).unwrap();
        fs::write(dir.path().join("src/a.rs"), content).unwrap();
        let workspace = Workspace::open(dir.path()).unwrap();
        (dir, workspace)
    }

    fn write(workspace: &Workspace, before: &[u8], after: &[u8]) -> Result<(), CommitError> {
        workspace.write(&Change::replace("src/a.rs", before, after))
    }

    #[cfg(unix)]
    fn mode(path: &Path) -> u32 {
        use std::os::unix::fs::PermissionsExt;
        fs::metadata(path).unwrap().permissions().mode() & 0o7777
    }

    #[cfg(unix)]
    fn set_mode(path: &Path, mode: u32) {
        use std::os::unix::fs::PermissionsExt;
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    }

    fn names(folder: &Path) -> Vec<String> {
        let mut names: Vec<String> = fs::read_dir(folder)
            .unwrap()
            .map(|e| e.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    #[test]
    fn a_commit_replaces_the_bytes_and_leaves_nothing_behind() {
        let (dir, workspace) = workspace(b"old");
        write(&workspace, b"old", b"new").unwrap();
        assert_eq!(fs::read(dir.path().join("src/a.rs")).unwrap(), b"new");
        assert_eq!(names(&dir.path().join("src")), ["a.rs"]);
    }

    #[test]
    fn what_somebody_else_wrote_is_not_overwritten() {
        let (dir, workspace) = workspace(b"old");
        fs::write(dir.path().join("src/a.rs"), b"theirs").unwrap();
        assert!(matches!(
            write(&workspace, b"old", b"new"),
            Err(CommitError::Stale { .. })
        ));
        assert_eq!(fs::read(dir.path().join("src/a.rs")).unwrap(), b"theirs");
        fs::remove_file(dir.path().join("src/a.rs")).unwrap();
        assert!(matches!(
            write(&workspace, b"old", b"new"),
            Err(CommitError::Stale { .. })
        ));
        assert_eq!(names(&dir.path().join("src")), [""; 0]);
    }

    #[cfg(unix)]
    #[test]
    fn permissions_stay_and_read_only_files_are_refused() {
        let (dir, workspace) = workspace(b"old");
        let path = dir.path().join("src/a.rs");
        set_mode(&path, 0o751);
        write(&workspace, b"old", b"new").unwrap();
        assert_eq!(mode(&path), 0o751);
        set_mode(&path, 0o444);
        assert!(matches!(
            write(&workspace, b"new", b"newer"),
            Err(CommitError::ReadOnly { .. })
        ));
        assert_eq!(fs::read(&path).unwrap(), b"new");
    }

    /// An access control list as Linux has it: what the owner, user 1000, the group, at most, and others
    /// may do.
    #[cfg(target_os = "linux")]
    fn access_list(may: [u16; 5]) -> Vec<u8> {
        let tags = [(1u16, !0u32), (2, 1000), (4, !0), (0x10, !0), (0x20, !0)];
        let entries = tags.iter().zip(may).flat_map(|((tag, id), may)| {
            [
                &tag.to_le_bytes()[..],
                &may.to_le_bytes(),
                &id.to_le_bytes(),
            ]
            .concat()
        });
        2u32.to_le_bytes().into_iter().chain(entries).collect()
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn extended_attributes_stay() {
        use rustix::fs::{XattrFlags, getxattr, setxattr};
        const LIST: &str = "system.posix_acl_access";
        let (dir, workspace) = workspace(b"old");
        let path = dir.path().join("src/a.rs");
        let is_set = |path: &Path, name: &str, value: &[u8]| {
            let result = setxattr(path, name, value, XattrFlags::empty());
            if let Err(error) = result {
                println!("skipped: {name} cannot be set here: {error}");
            }
            result.is_ok()
        };
        let value = |name: &str| {
            let mut value = vec![0; 1 << 10];
            getxattr(&path, name, value.as_mut_slice()).map(|n_bytes| value[..n_bytes].to_vec())
        };
        // What every new file of the folder gets, and this one has not.
        let has_lists = is_set(
            &dir.path().join("src"),
            "system.posix_acl_default",
            &access_list([6, 6, 6, 6, 4]),
        );
        set_mode(&path, 0o640);
        write(&workspace, b"old", b"new").unwrap();
        assert!(value(LIST).is_err());
        assert_eq!(mode(&path), 0o640);
        let own = access_list([6, 4, 4, 4, 0]);
        let has_list = has_lists && is_set(&path, LIST, &own);
        let has_note = is_set(&path, "user.note", b"mine");
        set_mode(&path, 0o640);
        write(&workspace, b"new", b"newer").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"newer");
        assert_eq!(mode(&path), 0o640);
        assert!(!has_list || value(LIST).unwrap() == own);
        assert!(!has_note || value("user.note").unwrap() == b"mine");
    }

    #[cfg(unix)]
    #[test]
    fn permissions_change_with_the_bytes_and_back() {
        let (dir, workspace) = workspace(b"old");
        let path = dir.path().join("src/a.rs");
        let is_now = |bytes: &[u8], permissions: u32| {
            assert_eq!(fs::read(&path).unwrap(), bytes);
            assert_eq!(mode(&path), permissions);
        };
        set_mode(&path, 0o640);
        let chmod = Some(Chmod {
            from: 0o640,
            to: runnable(0o640, true),
        });
        for after in [b"new".as_slice(), b"old"] {
            let change = Change {
                chmod,
                ..Change::replace("src/a.rs", b"old", after)
            };
            workspace.write(&change).unwrap();
            is_now(after, 0o750);
            workspace.write(&change.reversed()).unwrap();
            is_now(b"old", 0o640);
        }
        set_mode(&path, 0o600);
        let theirs = Change {
            chmod,
            ..Change::replace("src/a.rs", b"old", b"new")
        };
        assert!(matches!(
            workspace.write(&theirs),
            Err(CommitError::Stale { .. })
        ));
        is_now(b"old", 0o600);
        assert_eq!(runnable(0o755, false), 0o644);
        assert_eq!(new_executable() & !0o777, 0);
    }

    #[cfg(unix)]
    #[test]
    fn a_file_swapped_for_a_link_is_not_followed() {
        let (dir, workspace) = workspace(b"old");
        let elsewhere = tempfile::NamedTempFile::new().unwrap();
        fs::write(elsewhere.path(), b"old").unwrap();
        fs::remove_file(dir.path().join("src/a.rs")).unwrap();
        std::os::unix::fs::symlink(elsewhere.path(), dir.path().join("src/a.rs")).unwrap();
        assert!(write(&workspace, b"old", b"new").is_err());
        assert_eq!(fs::read(elsewhere.path()).unwrap(), b"old");
    }

    #[cfg(unix)]
    #[test]
    fn a_link_inside_does_not_lead_into_a_repositorys_own_data() {
        let (dir, workspace) = workspace(b"old");
        fs::create_dir_all(dir.path().join(".git/hooks")).unwrap();
        fs::write(dir.path().join(".git/config"), b"old").unwrap();
        std::os::unix::fs::symlink(".git/hooks", dir.path().join("docs")).unwrap();
        std::os::unix::fs::symlink(".git", dir.path().join("data")).unwrap();
        for path in ["docs/pre-commit", "docs/new/deep"] {
            assert!(
                matches!(
                    workspace.write(&Change::create(path, b"x")),
                    Err(CommitError::Path(_))
                ),
                "{path}"
            );
        }
        assert!(matches!(
            workspace.write(&Change::replace("data/config", b"old", b"new")),
            Err(CommitError::Path(_))
        ));
        assert_eq!(names(&dir.path().join(".git/hooks")), [""; 0]);
    }

    #[test]
    fn a_new_file_takes_only_a_free_name() {
        let (dir, workspace) = workspace(b"old");
        workspace
            .write(&Change::create("docs/deep/b.md", b"text\n"))
            .unwrap();
        assert_eq!(
            fs::read(dir.path().join("docs/deep/b.md")).unwrap(),
            b"text\n"
        );
        assert!(matches!(
            workspace.write(&Change::create("src/a.rs", b"new")),
            Err(CommitError::Exists { .. })
        ));
        assert_eq!(fs::read(dir.path().join("src/a.rs")).unwrap(), b"old");
        assert!(matches!(
            workspace.write(&Change::create("../b.md", b"")),
            Err(CommitError::Path(_))
        ));
        assert!(matches!(
            workspace.write(&Change::create(".git/hooks/post-commit", b"")),
            Err(CommitError::Path(_))
        ));
    }
}
