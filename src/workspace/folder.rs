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
        let failed = |source| WorkspaceError::Root {
            root: root.to_path_buf(),
            source,
        };
        let canonical = root.canonicalize().map_err(failed)?;
        if canonical.to_str().is_none() {
            return Err(failed(io::Error::other(
                "its path is not UTF-8, so it cannot be journalled",
            )));
        }
        let path: String = canonical
            .components()
            .filter_map(|c| {
                if let Component::Normal(c) = c {
                    c.to_str()
                } else {
                    None
                }
            })
            .collect::<Vec<_>>()
            .join("/");
        if path.split('/').any(is_repository_data) {
            return Err(failed(io::Error::other(
                "it is inside a repository's own data",
            )));
        }
        let dir = Dir::open_ambient_dir(&canonical, ambient_authority()).map_err(failed)?;
        Ok(Workspace {
            root: canonical,
            dir,
            pending: Mutex::default(),
            ignored: IgnoredPaths::none(),
            editor_configs: EditorConfigs::default(),
        })
    }

    /// The same folder, in which files are not looked for that match one of these lines of a
    /// `.gitignore`. They can still be named.
    ///
    /// # Errors
    /// If a line is not a pattern.
    pub fn ignoring(mut self, patterns: &[String]) -> Result<Workspace, ignore::Error> {
        self.ignored = IgnoredPaths::new(&self.root, patterns)?;
        Ok(self)
    }

    /// The files that are not looked for.
    pub fn ignored(&self) -> &IgnoredPaths {
        &self.ignored
    }

    /// The files that can be edited, without those that are not looked for.
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
        let outside = || WorkspaceError::Outside {
            path: named.to_owned(),
            root: self.root.clone(),
        };
        let given = Path::new(named);
        // An absolute path may reach the root through links outside it.
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
        let resolved = self
            .dir
            .canonicalize(relative)
            .map_err(|error| match error.kind() {
                io::ErrorKind::NotADirectory => WorkspaceError::NotAFile {
                    path: named.to_owned(),
                },
                io::ErrorKind::NotFound => WorkspaceError::Missing {
                    path: named.to_owned(),
                    root: self.root.clone(),
                },
                io::ErrorKind::PermissionDenied if self.leads_out(relative) => outside(),
                _ => WorkspaceError::Read {
                    path: named.to_owned(),
                    source: error,
                },
            })?;
        let path = slashed(&resolved).ok_or_else(|| WorkspaceError::NotAFile {
            path: named.to_owned(),
        })?;
        check_path(&path)?;
        if !self.dir.metadata(&path).is_ok_and(|m| m.is_file()) {
            return Err(WorkspaceError::NotAFile {
                path: named.to_owned(),
            });
        }
        Ok(path)
    }

    /// Reads a file under the root; pending bytes come first.
    pub fn read(&self, path: &str) -> Result<Text, WorkspaceError> {
        let failed = |source: io::Error| match source.kind() {
            io::ErrorKind::PermissionDenied if self.leads_out(Path::new(path)) => {
                WorkspaceError::Outside {
                    path: path.to_owned(),
                    root: self.root.clone(),
                }
            }
            _ => WorkspaceError::Read {
                path: path.to_owned(),
                source,
            },
        };
        let pending = self.pending().get(path).cloned();
        if let Some(bytes) = pending {
            return self.decoded(path, bytes);
        }
        let metadata = self.dir.metadata(path).map_err(failed)?;
        if !metadata.is_file() {
            // Reading a pipe would wait until something writes to it.
            return Err(WorkspaceError::NotAFile {
                path: path.to_owned(),
            });
        }
        let n_bytes = metadata.len();
        if n_bytes > MAX_FILE_BYTES {
            return Err(WorkspaceError::TooLarge {
                path: path.to_owned(),
                n_bytes,
            });
        }
        let bytes = self.dir.read(path).map_err(failed)?;
        self.decoded(path, bytes)
    }

    /// Decodes a file's bytes. What the file says of its encoding is nearer than what its folder says.
    fn decoded(&self, path: &str, bytes: Vec<u8>) -> Result<Text, WorkspaceError> {
        let of_folder = || self.editor_configs.encoding(&self.dir, path);
        let named = Encoding::declared(&bytes).or_else(of_folder);
        Text::decode_as(bytes, named).map_err(|source| WorkspaceError::NotText {
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
        assert_eq!(
            workspace
                .resolve_named(
                    dir.path()
                        .canonicalize()
                        .unwrap()
                        .join("in/a.txt")
                        .to_str()
                        .unwrap()
                )
                .unwrap(),
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
        assert!(matches!(
            workspace.resolve_named("x.txt"),
            Err(WorkspaceError::Missing { .. })
        ));
        assert!(matches!(
            workspace.resolve_named("b"),
            Err(WorkspaceError::NotAFile { .. })
        ));
        assert!(matches!(
            workspace.resolve_named("."),
            Err(WorkspaceError::NotAFile { .. })
        ));
        assert!(matches!(
            workspace.resolve_named("a.txt/"),
            Err(WorkspaceError::NotAFile { .. })
        ));
        assert!(workspace.resolve_named("").is_err());
        fs::create_dir_all(dir.path().join(".git/hooks")).unwrap();
        assert!(matches!(
            Workspace::open(&dir.path().join(".git/hooks")),
            Err(WorkspaceError::Root { .. })
        ));
        assert!(matches!(
            workspace.read("bin"),
            Err(WorkspaceError::NotText { .. })
        ));
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
