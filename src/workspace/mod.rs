//! The folder being edited: what is in it, and the only way to write to it.
//!
//! The root is held open as a capability (`cap-std`): every path is resolved under it by the kernel
//! or by careful steps, so neither a link nor `..` nor a folder swapped for a link in between leads
//! out. The list is made with the `ignore` crate, as ripgrep makes it. [`Workspace::write`] writes
//! a file, [`journal::Journal::commit`] several, so that they can be undone.

mod commit;
pub mod journal;
mod path;
pub(crate) mod private_folder;
pub mod resolve;
pub(crate) mod temporary;

pub use commit::{Change, CommitError};
pub use path::{PathError, check_path};

use crate::text::{DecodeError, Text};
use cap_std::ambient_authority;
use cap_std::fs::Dir;
use std::collections::BTreeMap;
use std::io;
use std::path::{Component, Path, PathBuf};
use std::sync::Mutex;

/// Files above this many bytes are not edited: nobody writes those by hand, and reading them would
/// take longer than the edit.
pub const MAX_FILE_BYTES: u64 = 8 << 20;

/// A folder whose files are edited.
#[derive(Debug)]
pub struct Workspace {
    root: PathBuf,
    dir: Dir,
    pending: BTreeMap<String, Vec<u8>>,
}

/// What can be edited under a root.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Listing {
    /// Paths relative to the root, with `/`, sorted.
    pub paths: Vec<String>,
    /// What was left out for a reason that the person may want to know: path and reason.
    pub left_out: Vec<(String, String)>,
}

impl Listing {
    /// The files under a root, much as ripgrep would search them: nothing hidden, nothing ignored
    /// (in a repository or not), no links (what they lead to inside the root is listed itself),
    /// nothing huge, no name that is never written.
    pub fn of(root: &Path) -> Listing {
        Listing::walked(root, &ignore::WalkBuilder::new(root))
    }

    /// The hidden files in the root itself that nothing ignores.
    pub fn of_hidden(root: &Path) -> Listing {
        let mut walk = ignore::WalkBuilder::new(root);
        Listing::walked(root, walk.hidden(false).max_depth(Some(1)))
    }

    fn walked(root: &Path, walk: &ignore::WalkBuilder) -> Listing {
        let listing = Mutex::new(Listing::default());
        // The ignore rules of the repository around the root hold in it; they are all that is read
        // outside.
        walk.clone().require_git(false).build_parallel().run(|| {
            Box::new(|entry| {
                let file = listed(root, entry);
                let mut listing = listing.lock().expect("no walk panics");
                match file {
                    Ok(Some(path)) => listing.paths.push(path),
                    Ok(None) => {}
                    Err(left_out) => listing.left_out.push(left_out),
                }
                ignore::WalkState::Continue
            })
        });
        let mut listing = listing.into_inner().expect("no walk panics");
        listing.left_out.sort_unstable();
        listing.paths.sort_unstable();
        listing
    }
}

/// The path of an entry, if it is a file that can be edited; else, if the person may want to know,
/// its path and why not.
fn listed(
    root: &Path,
    entry: Result<ignore::DirEntry, ignore::Error>,
) -> Result<Option<String>, (String, String)> {
    let entry = entry.map_err(|error| (String::new(), error.to_string()))?;
    if !entry.file_type().is_some_and(|t| t.is_file()) {
        return Ok(None);
    }
    let Some(path) = entry.path().strip_prefix(root).ok().and_then(slashed) else {
        return Err((entry.path().display().to_string(), "its name is not UTF-8".to_owned()));
    };
    let reason = match entry.metadata() {
        Ok(metadata) if metadata.len() > MAX_FILE_BYTES => {
            format!("it has {} bytes", metadata.len())
        }
        Ok(_) => match check_path(&path) {
            Ok(()) => return Ok(Some(path)),
            Err(error) => error.to_string(),
        },
        Err(error) => error.to_string(),
    };
    Err((path, reason))
}

/// Why a folder or a file cannot be edited.
#[derive(Debug, thiserror::Error)]
pub enum WorkspaceError {
    /// The root is not a folder that can be read.
    #[error("cannot use {} as the folder to edit: {source}", root.display())]
    Root {
        /// As given.
        root: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// A file cannot be read.
    #[error("cannot read {path}: {source}")]
    Read {
        /// As given.
        path: String,
        /// What the system says.
        source: io::Error,
    },
    /// A named file does not exist.
    #[error("there is no file {path:?} in {}", root.display())]
    Missing {
        /// As given.
        path: String,
        /// The root.
        root: PathBuf,
    },
    /// A path that leads out of the root, by itself or through a link.
    #[error("{path} leads out of {}", root.display())]
    Outside {
        /// As given.
        path: String,
        /// The root.
        root: PathBuf,
    },
    /// A folder, a device, a socket.
    #[error("{path} is not a file")]
    NotAFile {
        /// As given.
        path: String,
    },
    /// See [`MAX_FILE_BYTES`].
    #[error("{path} has {n_bytes} bytes; files above {MAX_FILE_BYTES} bytes are not edited")]
    TooLarge {
        /// As given.
        path: String,
        /// Its size.
        n_bytes: u64,
    },
    /// Not a text.
    #[error("{path} cannot be edited: {source}")]
    NotText {
        /// As given.
        path: String,
        /// Why not.
        source: DecodeError,
    },
    /// A name that is never written.
    #[error(transparent)]
    Path(#[from] PathError),
}

impl WorkspaceError {
    /// What is wrong, without the path.
    pub fn reason(&self) -> String {
        match self {
            WorkspaceError::NotText { source, .. } => source.to_string(),
            WorkspaceError::Read { source, .. } => source.to_string(),
            other => other.to_string(),
        }
    }
}

impl Workspace {
    /// Opens a folder.
    pub fn open(root: &Path) -> Result<Workspace, WorkspaceError> {
        let failed = |source| WorkspaceError::Root { root: root.to_path_buf(), source };
        let canonical = root.canonicalize().map_err(failed)?;
        let path: String = canonical
            .components()
            .filter_map(|c| if let Component::Normal(c) = c { c.to_str() } else { None })
            .collect::<Vec<_>>()
            .join("/");
        if path.split('/').any(path::is_repository_data) {
            return Err(failed(io::Error::other("it is inside a repository's own data")));
        }
        let dir = Dir::open_ambient_dir(&canonical, ambient_authority()).map_err(failed)?;
        Ok(Workspace { root: canonical, dir, pending: BTreeMap::new() })
    }

    /// The folder, without links.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Has a file read as these bytes from now on, as if they were written already: an edit that is
    /// made in several steps is complete before any of it is written. Nothing is written, and
    /// [`Workspace::write`] knows nothing of it.
    pub fn pend(&mut self, path: &str, bytes: Vec<u8>) {
        self.pending.insert(path.to_owned(), bytes);
    }

    /// A listing with the files that are to be made.
    pub fn with_pending(&self, mut listing: Listing) -> Listing {
        listing.paths.extend(self.pending.keys().cloned());
        listing.paths.sort_unstable();
        listing.paths.dedup();
        listing
    }

    /// A file that the person named, relative to the root or absolute, as the path it has under the
    /// root once links are followed. Hidden and ignored files may be named.
    pub fn resolve_named(&self, named: &str) -> Result<String, WorkspaceError> {
        let outside =
            || WorkspaceError::Outside { path: named.to_owned(), root: self.root.clone() };
        let given = Path::new(named);
        // An absolute path may come to the root through links of its own.
        let real = if given.is_absolute() && !given.starts_with(&self.root) {
            given.canonicalize().ok()
        } else {
            None
        };
        let given = real.as_deref().unwrap_or(given);
        let relative = if given.is_absolute() {
            given.strip_prefix(&self.root).map_err(|_| outside())?
        } else {
            given
        };
        let resolved = self.dir.canonicalize(relative).map_err(|error| match error.kind() {
            io::ErrorKind::NotADirectory => WorkspaceError::NotAFile { path: named.to_owned() },
            io::ErrorKind::NotFound => {
                WorkspaceError::Missing { path: named.to_owned(), root: self.root.clone() }
            }
            io::ErrorKind::PermissionDenied if self.leads_out(relative) => outside(),
            _ => WorkspaceError::Read { path: named.to_owned(), source: error },
        })?;
        let path = slashed(&resolved)
            .ok_or_else(|| WorkspaceError::NotAFile { path: named.to_owned() })?;
        check_path(&path)?;
        if !self.dir.metadata(&path).is_ok_and(|m| m.is_file()) {
            return Err(WorkspaceError::NotAFile { path: named.to_owned() });
        }
        Ok(path)
    }

    /// Reads a file under the root.
    pub fn read(&self, path: &str) -> Result<Text, WorkspaceError> {
        let failed = |source: io::Error| match source.kind() {
            io::ErrorKind::PermissionDenied if self.leads_out(Path::new(path)) => {
                WorkspaceError::Outside { path: path.to_owned(), root: self.root.clone() }
            }
            _ => WorkspaceError::Read { path: path.to_owned(), source },
        };
        if let Some(bytes) = self.pending.get(path) {
            return Text::decode(bytes.clone())
                .map_err(|source| WorkspaceError::NotText { path: path.to_owned(), source });
        }
        let metadata = self.dir.metadata(path).map_err(failed)?;
        if !metadata.is_file() {
            return Err(WorkspaceError::NotAFile { path: path.to_owned() }); // a pipe would be waited for
        }
        let n_bytes = metadata.len();
        if n_bytes > MAX_FILE_BYTES {
            return Err(WorkspaceError::TooLarge { path: path.to_owned(), n_bytes });
        }
        let bytes = self.dir.read(path).map_err(failed)?;
        Text::decode(bytes)
            .map_err(|source| WorkspaceError::NotText { path: path.to_owned(), source })
    }

    /// Whether a path that the capability refused is refused for leading out, and not for its
    /// permissions.
    fn leads_out(&self, relative: &Path) -> bool {
        self.root.join(relative).canonicalize().is_ok_and(|real| !real.starts_with(&self.root))
            || relative.components().any(|c| c == Component::ParentDir)
    }
}

fn slashed(path: &Path) -> Option<String> {
    let components = path.components().filter(|&c| c != Component::CurDir);
    let parts: Option<Vec<&str>> = components.map(|c| c.as_os_str().to_str()).collect();
    Some(parts?.join("/")).filter(|path| !path.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn folder(files: &[(&str, &[u8])]) -> tempfile::TempDir {
        let dir = tempfile::tempdir().unwrap();
        for (path, bytes) in files {
            let path = dir.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, bytes).unwrap();
        }
        dir
    }

    #[test]
    fn the_list_is_what_ripgrep_would_search() {
        let dir = folder(&[
            ("src/main.rs", b""),
            ("a.txt", b""),
            (".env", b""),
            (".git/config", b""),
            ("target/x", b""),
            (".gitignore", b"target/\n*.log\n"),
            ("x.log", b""),
            ("con", b""),
        ]);
        let huge = fs::File::create(dir.path().join("huge")).unwrap();
        huge.set_len(MAX_FILE_BYTES + 1).unwrap();
        let listing = Listing::of(dir.path());
        assert_eq!(listing.paths, ["a.txt", "src/main.rs"]);
        let left_out: Vec<&str> = listing.left_out.iter().map(|(path, _)| path.as_str()).collect();
        assert_eq!(left_out.len(), 2);
        assert!(left_out.contains(&"huge") && left_out.contains(&"con"));
    }

    #[cfg(unix)]
    #[test]
    fn links_do_not_lead_out() {
        use std::os::unix::fs::symlink;
        let outside = folder(&[("secret.txt", b"secret\n")]);
        let dir = folder(&[("in/a.txt", b"a\n")]);
        symlink(outside.path(), dir.path().join("out")).unwrap();
        symlink(outside.path().join("secret.txt"), dir.path().join("link.txt")).unwrap();
        symlink("in/a.txt", dir.path().join("inner.txt")).unwrap();
        let workspace = Workspace::open(dir.path()).unwrap();
        assert_eq!(Listing::of(workspace.root()).paths, ["in/a.txt"]);
        for path in ["link.txt", "out/secret.txt", "../x", "in/../../x", "/etc/passwd"] {
            let refused = workspace.resolve_named(path);
            assert!(matches!(refused, Err(WorkspaceError::Outside { .. })), "{path}: {refused:?}");
        }
        assert!(matches!(workspace.read("out/secret.txt"), Err(WorkspaceError::Outside { .. })));
        let linked = tempfile::tempdir().unwrap();
        symlink(dir.path(), linked.path().join("root")).unwrap();
        let through = linked.path().join("root/in/a.txt");
        assert_eq!(workspace.resolve_named(through.to_str().unwrap()).unwrap(), "in/a.txt");
        assert_eq!(workspace.resolve_named("inner.txt").unwrap(), "in/a.txt");
        assert_eq!(workspace.resolve_named("in/../in/a.txt").unwrap(), "in/a.txt");
        assert_eq!(
            workspace
                .resolve_named(
                    dir.path().canonicalize().unwrap().join("in/a.txt").to_str().unwrap()
                )
                .unwrap(),
            "in/a.txt"
        );
    }

    #[test]
    fn what_was_named_wrongly_is_said() {
        let dir = folder(&[("a.txt", b"a\n"), ("b/c.txt", b""), ("bin", b"\0\0")]);
        let workspace = Workspace::open(dir.path()).unwrap();
        assert!(matches!(workspace.resolve_named("x.txt"), Err(WorkspaceError::Missing { .. })));
        assert!(matches!(workspace.resolve_named("b"), Err(WorkspaceError::NotAFile { .. })));
        assert!(matches!(workspace.resolve_named("."), Err(WorkspaceError::NotAFile { .. })));
        assert!(matches!(workspace.resolve_named("a.txt/"), Err(WorkspaceError::NotAFile { .. })));
        assert!(workspace.resolve_named("").is_err());
        fs::create_dir_all(dir.path().join(".git/hooks")).unwrap();
        assert!(matches!(
            Workspace::open(&dir.path().join(".git/hooks")),
            Err(WorkspaceError::Root { .. })
        ));
        assert!(matches!(workspace.read("bin"), Err(WorkspaceError::NotText { .. })));
        assert!(matches!(
            Workspace::open(&dir.path().join("none")),
            Err(WorkspaceError::Root { .. })
        ));
        assert!(matches!(
            Workspace::open(&dir.path().join("a.txt")),
            Err(WorkspaceError::Root { .. })
        ));
    }
}
