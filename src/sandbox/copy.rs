//! The copy: what git would show of a folder, changes and new files included, and its dependencies.

use super::error::SandboxError;
use super::git;
use crate::workspace::private_folder::make_private_folder;
use std::collections::HashSet;
use std::fs::{self, File, FileTimes, Metadata, Permissions};
use std::io;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Component, Path, PathBuf};

/// Ignored folders that hold other people's code, which commands only read. A text of words.
const DEPENDENCIES: &str = "\
    node_modules bower_components jspm_packages .yarn .venv venv env .direnv vendor .bundle Pods \
    deps elm-stuff _opam packages";

/// Ignored folders that commands write into, and create if they are missing. A text of words.
const BUILD_RESULTS: &str = "\
    target build _build dist out .next .nuxt .svelte-kit .gradle .tox .nox __pycache__ \
    .pytest_cache .mypy_cache .ruff_cache .stack-work dist-newstyle zig-cache .zig-cache \
    .dart_tool bin obj";

/// How a copy is made.
#[derive(Clone, Copy, Debug)]
pub(super) struct CopyOptions<'a> {
    pub(super) dependencies: Dependencies,
    pub(super) links_out: LinksOut,
    /// A folder that is never copied: the one of the sandboxes.
    pub(super) except: &'a Path,
}

/// What becomes of ignored folders whose names say what they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Dependencies {
    /// Dependencies are linked to, build results left out.
    Link,
    /// Both are copied.
    Copy,
}

/// What becomes of links that lead out of the root.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LinksOut {
    /// They are copied.
    Keep,
    /// They are left out. Without isolation a command might write through them.
    LeaveOut,
}

/// Copies what is under `root` to `to`. Returns the folders of dependencies that the copy only links
/// to: the original, and the name in `links` that the copy's link leads to.
pub(super) fn copy(
    root: &Path,
    to: &Path,
    links: &Path,
    options: &CopyOptions,
) -> Result<Vec<(PathBuf, PathBuf)>, SandboxError> {
    let mut copying = Copying {
        root,
        to,
        options,
        copied: HashSet::new(),
        folders: Vec::new(),
    };
    let except = options.except.to_path_buf();
    let walk = ignore::WalkBuilder::new(root)
        .require_git(false)
        .hidden(false)
        .ignore(false)
        .filter_entry(move |entry| entry.file_name() != ".git" && entry.path() != except)
        .build();
    copying.all(walk)?;
    for path in git::tracked(root) {
        copying.tracked(&path)?;
    }

    let mut linked = Vec::new();
    for (folder, name) in copying.ignored() {
        let original = root.join(&folder).join(name);
        if options.dependencies == Dependencies::Copy {
            let mut walk = ignore::WalkBuilder::new(&original);
            copying.all(walk.standard_filters(false).build())?;
        } else if is_in(DEPENDENCIES, name) {
            // The name stays: node looks for the packages beside a package by it.
            let link = links.join(linked.len().to_string()).join(name);
            let real = link_to(&original, &link, &to.join(&folder).join(name));
            let real = real.map_err(|source| SandboxError::Copy {
                path: original,
                source,
            })?;
            linked.push((real, link));
        }
    }
    copying.finish();
    Ok(linked)
}

/// Makes a link `in_copy` that leads to a folder by way of another link. Returns the folder's path
/// with all links followed.
fn link_to(original: &Path, link: &Path, in_copy: &Path) -> io::Result<PathBuf> {
    make_private_folder(link.parent().expect("it lies in the folder of links"))?;
    let real = original.canonicalize()?;
    symlink(&real, link)?;
    symlink(link, in_copy)?;
    Ok(real)
}

fn is_in(words: &str, name: &str) -> bool {
    words.split(' ').any(|word| word == name)
}

struct Copying<'a> {
    root: &'a Path,
    to: &'a Path,
    options: &'a CopyOptions<'a>,
    /// Paths relative to the root.
    copied: HashSet<PathBuf>,
    /// Folders of the copy, and what the originals have of times and permissions.
    folders: Vec<(PathBuf, Metadata)>,
}

impl Copying<'_> {
    fn all(&mut self, walk: ignore::Walk) -> Result<(), SandboxError> {
        for entry in walk {
            let entry = entry.map_err(|error| SandboxError::Copy {
                path: self.root.to_path_buf(),
                source: io::Error::other(error),
            })?;
            let relative = entry
                .path()
                .strip_prefix(self.root)
                .unwrap_or(Path::new(""))
                .to_path_buf();
            self.one(&relative)?;
        }
        Ok(())
    }

    /// A file that git knows, whether it is ignored or not.
    fn tracked(&mut self, relative: &Path) -> Result<(), SandboxError> {
        let is_below = relative
            .components()
            .all(|c| matches!(c, Component::Normal(name) if name != ".git"));
        if !is_below || self.copied.contains(relative) {
            return Ok(());
        }

        // A folder may have been replaced by a link since.
        let mut folders: Vec<&Path> = relative.ancestors().skip(1).collect();
        folders.reverse();
        for folder in folders {
            if !fs::symlink_metadata(self.root.join(folder)).is_ok_and(|m| m.is_dir()) {
                return Ok(());
            }
            if !self.copied.contains(folder) {
                self.one(folder)?;
            }
        }
        self.one(relative)
    }

    fn one(&mut self, relative: &Path) -> Result<(), SandboxError> {
        let (from, to) = (self.root.join(relative), self.to.join(relative));
        match self.copy_one(&from, &to, relative) {
            Ok(()) => {
                self.copied.insert(relative.to_path_buf());
                Ok(())
            }
            // It was removed while it was copied.
            Err(error) if error.kind() == io::ErrorKind::NotFound && !from.exists() => Ok(()),
            Err(source) => Err(SandboxError::Copy { path: from, source }),
        }
    }

    fn copy_one(&mut self, from: &Path, to: &Path, relative: &Path) -> io::Result<()> {
        let metadata = fs::symlink_metadata(from)?;
        let kind = metadata.file_type();
        if kind.is_dir() {
            make_private_folder(to)?;
            self.folders.push((to.to_path_buf(), metadata));
        } else if kind.is_symlink() {
            if let Some(target) = self.target(from, relative)? {
                symlink(target, to)?;
            }
        } else if kind.is_file() {
            reflink_copy::reflink_or_copy(from, to)?;
            fs::set_permissions(to, Permissions::from_mode(0o600))?;
            set_times(&File::options().write(true).open(to)?, &metadata)?;
            let mode = metadata.permissions().mode() & 0o777;
            fs::set_permissions(to, Permissions::from_mode(mode))?;
        }
        Ok(()) // pipes, sockets and devices are not content
    }

    /// Where the copy of a link leads; `None` if it must not be copied.
    fn target(&self, link: &Path, relative: &Path) -> io::Result<Option<PathBuf>> {
        let target = fs::read_link(link)?;
        if let Ok(inside) = target.strip_prefix(self.root) {
            return Ok(Some(self.to.join(inside)));
        }
        let leads_out = match link.canonicalize() {
            Ok(real) => !real.starts_with(self.root),
            Err(_) => target.is_absolute() || climbs_out(relative, &target),
        };
        Ok((self.options.links_out == LinksOut::Keep || !leads_out).then_some(target))
    }

    /// The ignored folders of dependencies and build results: the folder that each lies in, relative
    /// to the root, and its name.
    fn ignored(&self) -> Vec<(PathBuf, &'static str)> {
        let mut folders: Vec<&Path> = self
            .folders
            .iter()
            .filter_map(|(folder, _)| folder.strip_prefix(self.to).ok())
            .collect();
        folders.sort_unstable();

        let mut found = Vec::new();
        for folder in folders {
            for name in DEPENDENCIES.split(' ').chain(BUILD_RESULTS.split(' ')) {
                let path = folder.join(name);
                if !self.copied.contains(&path) && self.root.join(&path).is_dir() {
                    found.push((folder.to_path_buf(), name));
                }
            }
        }
        found
    }

    /// Sets the times and permissions of folders, now that nothing is put into them any more.
    fn finish(self) {
        for (folder, metadata) in self.folders.into_iter().rev() {
            // They only matter to tools that guess from them what has changed.
            let _ = File::open(&folder).and_then(|file| set_times(&file, &metadata));
            let mode = metadata.permissions().mode() & 0o777 | 0o700;
            let _ = fs::set_permissions(&folder, Permissions::from_mode(mode));
        }
    }
}

fn set_times(file: &File, metadata: &Metadata) -> io::Result<()> {
    file.set_times(
        FileTimes::new()
            .set_accessed(metadata.accessed()?)
            .set_modified(metadata.modified()?),
    )
}

/// Whether a relative link has more `..` than folders above it.
fn climbs_out(link: &Path, target: &Path) -> bool {
    let mut depth = link.components().count() - 1;
    for component in target.components() {
        match component {
            Component::ParentDir if depth == 0 => return true,
            Component::ParentDir => depth -= 1,
            Component::Normal(_) => depth += 1,
            _ => {}
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree(files: &[&str]) -> tempfile::TempDir {
        let dir = tempfile::tempdir().unwrap();
        for file in files {
            let path = dir.path().join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, file).unwrap();
        }
        dir
    }

    /// The files of the copy, sorted.
    fn listed(to: &tempfile::TempDir) -> String {
        let copy = to.path().join("copy");
        let mut walk = ignore::WalkBuilder::new(&copy);
        let walk = walk.standard_filters(false).sort_by_file_path(Ord::cmp);
        let mut listed = Vec::new();
        for entry in walk.build().flatten() {
            if !entry.file_type().unwrap().is_dir() {
                let path = entry.path().strip_prefix(&copy).unwrap();
                listed.push(path.to_str().unwrap().to_owned());
            }
        }
        listed.join(" ")
    }

    fn copied(
        root: &Path,
        dependencies: Dependencies,
        links_out: LinksOut,
    ) -> (tempfile::TempDir, Vec<(PathBuf, PathBuf)>) {
        let to = tempfile::tempdir().unwrap();
        let options = CopyOptions {
            dependencies,
            links_out,
            except: Path::new("/nowhere"),
        };
        let links = to.path().join("links");
        let linked = copy(root, &to.path().join("copy"), &links, &options);
        (to, linked.unwrap())
    }

    #[test]
    fn what_is_ignored_stays_behind_but_for_dependencies() {
        let files = ".git/config .hidden a/b.txt secret.env node_modules/x/index.js target/y \
            src/venv/bin";
        let root = tree(&files.split(' ').collect::<Vec<_>>());
        let ignored = "*.env\nnode_modules\n/target\nvenv\n";
        fs::write(root.path().join(".gitignore"), ignored).unwrap();
        let (to, linked) = copied(root.path(), Dependencies::Link, LinksOut::Keep);
        let expected = ".gitignore .hidden a/b.txt node_modules src/venv";
        assert_eq!(listed(&to), expected);
        assert_eq!(linked.len(), 2);
        assert!(linked.iter().all(|(real, link)| {
            real.starts_with(root.path().canonicalize().unwrap())
                && link.file_name() == real.file_name()
        }));
        let module = "node_modules/x/index.js";
        let through_link = to.path().join("copy").join(module);
        assert_eq!(fs::read(through_link).unwrap(), module.as_bytes());

        let (to, linked) = copied(root.path(), Dependencies::Copy, LinksOut::Keep);
        let expected = format!(".gitignore .hidden a/b.txt {module} src/venv/bin target/y");
        assert_eq!((listed(&to), linked), (expected, vec![]));
    }

    #[test]
    fn permissions_and_times_are_the_originals() {
        let root = tree(&["run.sh", "read_only"]);
        let at = |name: &str| root.path().join(name);
        fs::set_permissions(at("run.sh"), Permissions::from_mode(0o4755)).unwrap();
        fs::set_permissions(at("read_only"), Permissions::from_mode(0o444)).unwrap();
        let before = |name: &str| fs::metadata(at(name)).unwrap().modified().unwrap();
        let (to, _) = copied(root.path(), Dependencies::Link, LinksOut::Keep);
        let after = |name: &str| fs::metadata(to.path().join("copy").join(name)).unwrap();
        assert_eq!(after("run.sh").permissions().mode() & 0o7777, 0o755);
        assert_eq!(after("read_only").permissions().mode() & 0o7777, 0o444);
        for name in ["run.sh", "read_only", ""] {
            assert_eq!(after(name).modified().unwrap(), before(name), "{name:?}");
        }
    }

    #[test]
    fn links_stay_links() {
        let root = tree(&["a/b.txt"]);
        let outside = tree(&["x"]);
        let at = |name: &str| root.path().canonicalize().unwrap().join(name);
        symlink("a/b.txt", at("relative")).unwrap();
        symlink(at("a"), at("absolute")).unwrap();
        symlink(outside.path(), at("out")).unwrap();
        symlink("../../nothing", at("a/dangling_out")).unwrap();
        symlink("../nothing", at("a/dangling_in")).unwrap();
        let root = at("");
        let (to, _) = copied(&root, Dependencies::Link, LinksOut::Keep);
        let all = "a/b.txt a/dangling_in a/dangling_out absolute out relative";
        assert_eq!(listed(&to), all);
        let copy = to.path().join("copy");
        let target = |name: &str| fs::read_link(copy.join(name)).unwrap();
        assert_eq!(target("absolute"), copy.join("a"));
        assert_eq!(target("relative"), Path::new("a/b.txt"));
        let (to, _) = copied(&root, Dependencies::Link, LinksOut::LeaveOut);
        assert_eq!(listed(&to), "a/b.txt a/dangling_in absolute relative");
    }
}
