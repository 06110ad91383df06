//! The comments of a folder that are tasks.

use super::answered::Answered;
use super::comment::Comment;
use crate::workspace::Workspace;
use std::collections::BTreeMap;
use std::path::Path;
use std::time::SystemTime;

/// How the names of files end that editors make beside the one that they save.
const TEMPORARY: [&str; 9] = [
    "~",
    ".bak",
    ".orig",
    ".part",
    ".swp",
    ".swx",
    ".tmp",
    "___jb_old___",
    "___jb_tmp___",
];

/// The comments of a folder.
#[derive(Default)]
pub(super) struct Found {
    /// All files, by path: only those are read again that have changed.
    stamps: BTreeMap<String, Stamp>,
    /// Those of the files that have any.
    comments: BTreeMap<String, Vec<Comment>>,
}

/// What changes with a file: its length, and when it was written.
type Stamp = (u64, Option<SystemTime>);

impl Found {
    /// Looks through the folder. What cannot be read has no comments.
    pub fn look(&mut self, workspace: &Workspace) {
        let mut stamps = BTreeMap::new();
        for path in workspace.list().paths {
            if !is_temporary(&path) {
                let stamp = stamp(&workspace.root().join(&path));
                stamps.insert(path, stamp);
            }
        }
        self.comments.retain(|path, _| stamps.contains_key(path));
        for (path, stamp) in &stamps {
            if self.stamps.get(path) != Some(stamp) {
                self.read(path, workspace);
            }
        }
        self.stamps = stamps;
    }

    /// Has a file read again, whatever its stamp says: some programs keep the time when they replace one.
    pub fn forget(&mut self, path: &str) {
        self.stamps.remove(path);
    }

    fn read(&mut self, path: &str, workspace: &Workspace) {
        self.comments.remove(path);
        let Ok(text) = workspace.read(path) else {
            return;
        };
        let comments = Comment::all(path, &text);
        if !comments.is_empty() {
            self.comments.insert(path.to_owned(), comments);
        }
    }

    pub fn n_comments(&self) -> usize {
        self.comments.values().map(Vec::len).sum()
    }

    /// The first comment that was not answered.
    pub fn first(&self, answered: &Answered) -> Option<&Comment> {
        let mut comments = self.comments.values().flatten();
        comments.find(|comment| !answered.has(comment))
    }
}

fn stamp(path: &Path) -> Stamp {
    let metadata = path.symlink_metadata().ok();
    let length = metadata.as_ref().map_or(0, std::fs::Metadata::len);
    (length, metadata.and_then(|it| it.modified().ok()))
}

/// Whether a file is one that an editor makes while it saves another.
fn is_temporary(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    name == "4913" || name.starts_with('#') || TEMPORARY.iter().any(|ending| name.ends_with(ending))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_an_editor_makes_while_it_saves_is_no_file() {
        for path in [
            "a.py~",
            "src/#a.py#",
            "4913",
            "a.py.swp",
            "a.py___jb_tmp___",
        ] {
            assert!(is_temporary(path), "{path}");
        }
        assert!(!is_temporary("src/a#b.py"));
    }

    #[test]
    fn comments_are_answered_for_the_file_as_it_was() {
        let dir = tempfile::tempdir().unwrap();
        let put = |text: &str| std::fs::write(dir.path().join("a.py"), text).unwrap();
        let workspace = Workspace::open(dir.path()).unwrap();
        let mut found = Found::default();
        let mut answered = Answered::default();
        let twice = "# make it 5 AI!\na = 4\n# make it 5 AI!\nb = 4\n";
        put(twice);
        std::fs::write(dir.path().join("a.py~"), twice).unwrap();
        found.look(&workspace);
        assert_eq!(found.n_comments(), 2);

        // The first is declined, the second is written.
        let first = found.first(&answered).unwrap();
        answered.add(first);
        let second = found.first(&answered).unwrap().clone();
        assert_eq!((second.instruction.line, second.nth), (3, 1));
        put("# make it 5 AI!\na = 4\nb = 5\n# and c AI!\n");
        answered.add_written(&second, &workspace);
        found.look(&workspace);
        assert_eq!(found.n_comments(), 2, "the model wrote one itself");
        assert!(found.first(&answered).is_none());

        // An undo is no new task, and a change is one.
        put(twice);
        found.look(&workspace);
        assert!(found.first(&answered).is_none());
        put(&format!("{twice}\n"));
        found.look(&workspace);
        assert_eq!(found.first(&answered).unwrap().instruction.line, 1);
        std::fs::remove_file(dir.path().join("a.py")).unwrap();
        found.look(&workspace);
        assert_eq!(found.n_comments(), 0);
    }
}
