//! The files of a folder that can be edited.

use crate::text::{check_path, slashed};
use ignore::gitignore::{Gitignore, GitignoreBuilder};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

/// The largest file that is edited, in bytes. Larger ones are not written by hand, and reading them
/// would take longer than the edit.
pub const MAX_FILE_BYTES: u64 = 8 << 20;

/// The files under a root that can be edited.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Listing {
    /// Paths relative to the root, with `/`, sorted.
    pub paths: Vec<String>,
    /// Files left out for a reason that the person may want to know: path and reason.
    pub left_out: Vec<(String, String)>,
}

/// Files that a person or a project leaves out, apart from those that a `.gitignore` names.
#[derive(Clone, Debug)]
pub struct IgnoredPaths(Gitignore);

impl IgnoredPaths {
    /// No files.
    pub fn none() -> IgnoredPaths {
        IgnoredPaths(Gitignore::empty())
    }

    /// Files under a root that match one of these lines of a `.gitignore`.
    ///
    /// # Errors
    /// If a line is not a pattern.
    pub fn new(root: &Path, patterns: &[String]) -> Result<IgnoredPaths, ignore::Error> {
        let mut builder = GitignoreBuilder::new(root);
        for pattern in patterns {
            builder.add_line(None, pattern)?;
        }
        Ok(IgnoredPaths(builder.build()?))
    }

    /// Whether a path relative to the root is one of them, or below a folder that is.
    pub fn has_path(&self, path: &str) -> bool {
        self.0.matched_path_or_any_parents(path, false).is_ignore()
    }

    fn has(&self, entry: &ignore::DirEntry) -> bool {
        let is_dir = entry.file_type().is_some_and(|t| t.is_dir());
        entry.depth() > 0 && self.0.matched(entry.path(), is_dir).is_ignore()
    }
}

impl Listing {
    /// Lists the files under a root, much as ripgrep would. It leaves out hidden and ignored files
    /// (in a repository or not), links, huge files, and names that are never written. The file that
    /// a link inside the root leads to is listed itself.
    pub fn of(root: &Path) -> Listing {
        Listing::without(IgnoredPaths::none(), root)
    }

    /// The same without these files.
    pub fn without(ignored: IgnoredPaths, root: &Path) -> Listing {
        let mut walk = ignore::WalkBuilder::new(root);
        Listing::walked(root, walk.filter_entry(move |entry| !ignored.has(entry)))
    }

    /// The folders that such files are in or may be made in, the root too.
    pub fn folders(ignored: IgnoredPaths, root: &Path) -> Vec<PathBuf> {
        let mut walk = ignore::WalkBuilder::new(root);
        walk.require_git(false)
            .filter_entry(move |entry| !ignored.has(entry));
        let mut folders = Vec::new();
        for entry in walk.build().flatten() {
            if entry.file_type().is_some_and(|t| t.is_dir()) {
                folders.push(entry.into_path());
            }
        }
        folders
    }

    /// Lists the hidden files directly in the root that are not ignored.
    pub fn of_hidden(ignored: IgnoredPaths, root: &Path) -> Listing {
        let mut walk = ignore::WalkBuilder::new(root);
        walk.hidden(false)
            .max_depth(Some(1))
            .filter_entry(move |entry| !ignored.has(entry));
        Listing::walked(root, &walk)
    }

    fn walked(root: &Path, walk: &ignore::WalkBuilder) -> Listing {
        let listing = Mutex::new(Listing::default());
        // The ignore rules of a repository around the root also hold inside it. Nothing else
        // outside the root is read.
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

/// The path of an entry if it is a file that can be edited. Otherwise its path and the reason if
/// the person may want to know them, else `Ok(None)`.
fn listed(
    root: &Path,
    entry: Result<ignore::DirEntry, ignore::Error>,
) -> Result<Option<String>, (String, String)> {
    let entry = entry.map_err(|error| (String::new(), error.to_string()))?;
    if !entry.file_type().is_some_and(|t| t.is_file()) {
        return Ok(None);
    }
    let Some(path) = entry.path().strip_prefix(root).ok().and_then(slashed) else {
        return Err((
            entry.path().display().to_string(),
            "its name is not UTF-8".to_owned(),
        ));
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workspace::testing::folder;
    use std::fs;

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
        let left_out: Vec<&str> = listing
            .left_out
            .iter()
            .map(|(path, _)| path.as_str())
            .collect();
        assert_eq!(left_out.len(), 2);
        let mut folders = Listing::folders(IgnoredPaths::none(), dir.path());
        folders.sort();
        assert_eq!(folders, [dir.path().to_owned(), dir.path().join("src")]);
        assert!(left_out.contains(&"huge") && left_out.contains(&"con"));
    }

    #[test]
    fn files_are_ignored_as_in_a_gitignore() {
        let dir = folder(&[
            ("a.txt", b""),
            ("a.min.js", b""),
            ("gen/deep/x.py", b""),
            ("src/gen/y.py", b""),
            ("src/top.py", b""),
            (".hidden", b""),
            (".secret", b""),
        ]);
        let patterns = ["/gen", "*.min.js", "top.py", ".secret"].map(str::to_owned);
        let ignored = IgnoredPaths::new(dir.path(), &patterns).unwrap();
        let listing = Listing::without(ignored.clone(), dir.path());
        assert_eq!(listing.paths, ["a.txt", "src/gen/y.py"]);
        let hidden = Listing::of_hidden(ignored, dir.path()).paths;
        assert_eq!(hidden, [".hidden", "a.txt"]);
        let all = Listing::without(IgnoredPaths::none(), dir.path());
        assert_eq!(all, Listing::of(dir.path()));
    }
}
