//! The folder being edited, held open: reads files and resolves the paths that a person names.

use super::editor_config::EditorConfigs;
use super::listing::{IgnoredPaths, Listing, MAX_FILE_BYTES};
use crate::text::{DecodeError, Encoding, Text};
use crate::text::{PathError, check_path, is_repository_data, slashed};
use cap_std::ambient_authority;
use cap_std::fs::Dir;
use std::collections::BTreeMap;
use std::io;
use std::path::{Component, Path, PathBuf};
use std::sync::{Mutex, MutexGuard};

/// A folder whose files are edited.
#[derive(Debug)]
pub struct Workspace {
    root: PathBuf,
    pub(super) dir: Dir,
    /// Bytes that [`Workspace::read`] returns instead of a file's own: see [`Workspace::pend`].
    pending: Mutex<BTreeMap<String, Vec<u8>>>,
    ignored: IgnoredPaths,
    editor_configs: EditorConfigs,
}

/// Why a folder or a file cannot be edited.
#[derive(Debug, thiserror::Error)]
pub enum WorkspaceError {
    /// The root is not a folder that can be read.
    #[error("cannot use {} as the folder to edit: {source}", root.display())]
    Root {
        /// The root, as given.
        root: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// A file cannot be read.
    #[error("cannot read {path}: {source}")]
    Read {
        /// The path, as given.
        path: String,
        /// The system's error.
        source: io::Error,
    },
    /// A named file does not exist.
    #[error("there is no file {path:?} in {}", root.display())]
    Missing {
        /// The path, as given.
        path: String,
        /// The root.
        root: PathBuf,
    },
    /// A path leads out of the root, directly or through a link.
    #[error("{path} leads out of {}", root.display())]
    Outside {
        /// The path, as given.
        path: String,
        /// The root.
        root: PathBuf,
    },
    /// The path is a folder, a device or a socket.
    #[error("{path} is not a file")]
    NotAFile {
        /// The path, as given.
        path: String,
    },
    /// The file is larger than [`MAX_FILE_BYTES`].
    #[error("{path} has {n_bytes} bytes; files above {MAX_FILE_BYTES} bytes are not edited")]
    TooLarge {
        /// The path, as given.
        path: String,
        /// Its size in bytes.
        n_bytes: u64,
    },
    /// The file is not text.
    #[error("{path} cannot be edited: {source}")]
    NotText {
        /// The path, as given.
        path: String,
        /// Why the file is not text.
        source: DecodeError,
    },
    /// The path is one that is never written.
    #[error(transparent)]
    Path(#[from] PathError),
}

impl WorkspaceError {
    /// The reason alone, without the path.
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
    ///
    /// # Errors
    /// [`WorkspaceError::Root`] if it cannot be read.
    pub fn open(root: &Path) -> Result<Workspace, WorkspaceError> {
        let opened = root.canonicalize().and_then(|canonical| {
            check_root(&canonical)?;
            let dir = Dir::open_ambient_dir(&canonical, ambient_authority())?;
            Ok((canonical, dir))
        });
        let (canonical, dir) = opened.map_err(|source| WorkspaceError::Root {
            root: root.to_path_buf(),
            source,
        })?;
        Ok(Workspace {
            root: canonical,
            dir,
            pending: Mutex::default(),
            ignored: IgnoredPaths::none(),
            editor_configs: EditorConfigs::default(),
        })
    }

    /// The same folder, without files that match one of these lines of a `.gitignore`. They are not
    /// listed, but can still be named.
    ///
    /// # Errors
    /// If a line is not a pattern.
    pub fn ignoring(mut self, patterns: &[String]) -> Result<Workspace, ignore::Error> {
        self.ignored = IgnoredPaths::new(&self.root, patterns)?;
        Ok(self)
    }

    /// The files that are not listed.
    pub fn ignored(&self) -> &IgnoredPaths {
        &self.ignored
    }

    /// The files that can be edited, without the ignored ones.
    pub fn list(&self) -> Listing {
        Listing::without(self.ignored.clone(), &self.root)
    }

    /// The absolute path of the folder, with all links followed.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Makes [`Workspace::read`] return these bytes, as if they were already written. So an edit of
    /// several steps is complete before any file is written. [`Workspace::write`] ignores pending
    /// bytes.
    pub fn pend(&self, path: &str, bytes: Vec<u8>) {
        self.pending().insert(path.to_owned(), bytes);
    }

    /// Takes back all that is pending.
    pub fn forget_pending(&self) {
        self.pending().clear();
    }

    fn pending(&self) -> MutexGuard<'_, BTreeMap<String, Vec<u8>>> {
        self.pending
            .lock()
            .expect("nothing panics while it holds the lock")
    }

    /// Adds the pending files to a listing.
    pub fn with_pending(&self, mut listing: Listing) -> Listing {
        listing.paths.extend(self.pending().keys().cloned());
        listing.paths.sort_unstable();
        listing.paths.dedup();
        listing
    }

    /// The path under the root, with all links followed, of a file that the person named. `named`
    /// is absolute or relative to the root. Hidden and ignored files may be named.
    pub fn resolve_named(&self, named: &str) -> Result<String, WorkspaceError> {
        let Some(relative) = self.relative(Path::new(named)) else {
            return Err(self.outside(named));
        };
        let resolved = self.dir.canonicalize(&relative);
        let resolved = resolved.map_err(|error| match error.kind() {
            io::ErrorKind::NotADirectory => not_a_file(named),
            io::ErrorKind::NotFound => WorkspaceError::Missing {
                path: named.to_owned(),
                root: self.root.clone(),
            },
            io::ErrorKind::PermissionDenied if self.leads_out(&relative) => self.outside(named),
            _ => read_failed(named, error),
        })?;

        let path = slashed(&resolved).ok_or_else(|| not_a_file(named))?;
        check_path(&path)?;
        if !self.dir.metadata(&path).is_ok_and(|m| m.is_file()) {
            return Err(not_a_file(named));
        }
        Ok(path)
    }

    /// A path relative to the root; `None` if it is absolute and leads elsewhere.
    fn relative(&self, path: &Path) -> Option<PathBuf> {
        if !path.is_absolute() {
            return Some(path.to_path_buf());
        }
        if let Ok(relative) = path.strip_prefix(&self.root) {
            return Some(relative.to_path_buf());
        }
        // An absolute path may reach the root through links outside it.
        let real = path.canonicalize().ok()?;
        Some(real.strip_prefix(&self.root).ok()?.to_path_buf())
    }

    fn outside(&self, path: &str) -> WorkspaceError {
        WorkspaceError::Outside {
            path: path.to_owned(),
            root: self.root.clone(),
        }
    }

    /// Reads a file under the root; pending bytes come first.
    pub fn read(&self, path: &str) -> Result<Text, WorkspaceError> {
        let pending = self.pending().get(path).cloned();
        if let Some(bytes) = pending {
            return self.decoded(path, bytes);
        }

        let metadata = self.dir.metadata(path);
        let metadata = metadata.map_err(|source| match source.kind() {
            io::ErrorKind::PermissionDenied if self.leads_out(Path::new(path)) => {
                self.outside(path)
            }
            _ => read_failed(path, source),
        })?;
        if !metadata.is_file() {
            // Reading a pipe would wait until something writes to it.
            return Err(not_a_file(path));
        }
        let n_bytes = metadata.len();
        if n_bytes > MAX_FILE_BYTES {
            return Err(WorkspaceError::TooLarge {
                path: path.to_owned(),
                n_bytes,
            });
        }

        let bytes = self.dir.read(path);
        self.decoded(path, bytes.map_err(|source| read_failed(path, source))?)
    }

    /// Decodes a file's bytes. An encoding that the file declares goes before that of its folder.
    fn decoded(&self, path: &str, bytes: Vec<u8>) -> Result<Text, WorkspaceError> {
        let encoding =
            Encoding::declared(&bytes).or_else(|| self.editor_configs.encoding(&self.dir, path));
        Text::decode_as(bytes, encoding).map_err(|source| WorkspaceError::NotText {
            path: path.to_owned(),
            source,
        })
    }

    /// Whether the capability refused a path because it leads out, rather than for its permissions.
    fn leads_out(&self, relative: &Path) -> bool {
        self.root
            .join(relative)
            .canonicalize()
            .is_ok_and(|real| !real.starts_with(&self.root))
            || relative.components().any(|c| c == Component::ParentDir)
    }
}

/// Checks that a folder can be edited: its path is UTF-8, so that it can be journalled, and leads into
/// no repository's own data.
fn check_root(root: &Path) -> io::Result<()> {
    let Some(path) = root.to_str() else {
        let reason = "its path is not UTF-8, so it cannot be journalled";
        return Err(io::Error::other(reason));
    };
    if path.split(std::path::is_separator).any(is_repository_data) {
        return Err(io::Error::other("it is inside a repository's own data"));
    }
    Ok(())
}

fn not_a_file(path: &str) -> WorkspaceError {
    WorkspaceError::NotAFile {
        path: path.to_owned(),
    }
}

fn read_failed(path: &str, source: io::Error) -> WorkspaceError {
    WorkspaceError::Read {
        path: path.to_owned(),
        source,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workspace::testing::folder;
    use std::fs;

    #[cfg(unix)]
    #[test]
    fn links_do_not_lead_out() {
        use std::os::unix::fs::symlink;
        let outside = folder(&[("secret.txt", b"secret\n")]);
        let dir = folder(&[("in/a.txt", b"a\n")]);
        symlink(outside.path(), dir.path().join("out")).unwrap();
        symlink(
            outside.path().join("secret.txt"),
            dir.path().join("link.txt"),
        )
        .unwrap();
        symlink("in/a.txt", dir.path().join("inner.txt")).unwrap();
        let workspace = Workspace::open(dir.path()).unwrap();
        assert_eq!(Listing::of(workspace.root()).paths, ["in/a.txt"]);
        for path in [
            "link.txt",
            "out/secret.txt",
            "../x",
            "in/../../x",
            "/etc/passwd",
        ] {
            let refused = workspace.resolve_named(path);
            assert!(
                matches!(refused, Err(WorkspaceError::Outside { .. })),
                "{path}: {refused:?}"
            );
        }
        assert!(matches!(
            workspace.read("out/secret.txt"),
            Err(WorkspaceError::Outside { .. })
        ));
        let linked = tempfile::tempdir().unwrap();
        symlink(dir.path(), linked.path().join("root")).unwrap();
        let through = linked.path().join("root/in/a.txt");
        assert_eq!(
            workspace.resolve_named(through.to_str().unwrap()).unwrap(),
            "in/a.txt"
        );
        assert_eq!(workspace.resolve_named("inner.txt").unwrap(), "in/a.txt");
        assert_eq!(
            workspace.resolve_named("in/../in/a.txt").unwrap(),
            "in/a.txt"
        );
        let absolute = dir.path().canonicalize().unwrap().join("in/a.txt");
        assert_eq!(
            workspace.resolve_named(absolute.to_str().unwrap()).unwrap(),
            "in/a.txt"
        );
    }

    #[test]
    fn a_folder_names_the_encoding_of_its_files() {
        let dir = folder(&[
            (
                ".editorconfig",
                b"[*]\ncharset = utf-8\n[*.{c,h}]\ncharset = gbk\n",
            ),
            (
                "in/.editorconfig",
                b"root = true\n[b.*]\ncharset = latin1\n",
            ),
            ("a.c", b"x\n"),
            ("a.py", b"# coding: big5\n"),
            ("a.txt", b"x\n"),
            ("in/b.c", b"caf\xe9\n"),
            ("in/c.c", b"x\n"),
            ("sub/deep/d.h", b"\xb2\xe2\n"),
        ]);
        let workspace = Workspace::open(dir.path()).unwrap();
        let name = |path: &str| workspace.read(path).unwrap().encoding().name();
        assert_eq!(
            [name("a.c"), name("a.py"), name("a.txt")],
            ["GBK", "Big5", "UTF-8"]
        );
        assert_eq!([name("in/b.c"), name("in/c.c")], ["ISO-8859-1", "UTF-8"]);
        let text = workspace.read("sub/deep/d.h").unwrap();
        assert_eq!(text.shown(), "\u{6d4b}\n");
        assert_eq!(
            text.splice([(0..0, "\u{2014}")]).unwrap(),
            b"\xa1\xaa\xb2\xe2\n"
        );
    }

    #[test]
    fn what_was_named_wrongly_is_said() {
        let dir = folder(&[("a.txt", b"a\n"), ("b/c.txt", b""), ("bin", b"\0\0")]);
        let workspace = Workspace::open(dir.path()).unwrap();
        let missing = workspace.resolve_named("x.txt");
        assert!(matches!(missing, Err(WorkspaceError::Missing { .. })));
        for path in ["b", ".", "a.txt/"] {
            let refused = workspace.resolve_named(path);
            assert!(
                matches!(refused, Err(WorkspaceError::NotAFile { .. })),
                "{path}: {refused:?}"
            );
        }
        assert!(workspace.resolve_named("").is_err());
        let binary = workspace.read("bin");
        assert!(matches!(binary, Err(WorkspaceError::NotText { .. })));
        fs::create_dir_all(dir.path().join(".git/hooks")).unwrap();
        for root in [".git/hooks", "none", "a.txt"] {
            let refused = Workspace::open(&dir.path().join(root));
            assert!(
                matches!(refused, Err(WorkspaceError::Root { .. })),
                "{root}: {refused:?}"
            );
        }
    }
}
