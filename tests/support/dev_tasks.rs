//! Tasks as `models/recipe/dev` has them: a folder each, with `task.toml`, `before/`, and `after/` with the file that
//! changes (or several such folders, where several results are as good).

use slotwright::flow::Verdict;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Paths and bytes of a folder's files.
pub type Tree = BTreeMap<PathBuf, Vec<u8>>;

pub struct DevTask {
    pub folder: PathBuf,
    pub sentence: String,
    /// Whether no edit is the right answer.
    pub declines: bool,
    pub before: Tree,
    /// The whole folder as it may be afterwards.
    pub wanted: Vec<Tree>,
}

impl DevTask {
    /// Whether that is what should come of it.
    pub fn is_right(&self, verdict: &Verdict) -> bool {
        match verdict {
            Verdict::Proposed(patched) => {
                let mut after = self.before.clone();
                after.insert(PathBuf::from(&patched.path), patched.after.clone());
                !self.declines && self.wanted.contains(&after)
            }
            Verdict::Declined(_) | Verdict::AlreadyDone => self.declines,
            _ => false,
        }
    }
}

/// All tasks, by name.
pub fn read_all(dev: &Path) -> std::io::Result<Vec<DevTask>> {
    let mut folders = std::fs::read_dir(dev)?.map(|entry| Ok(entry?.path())).collect::<std::io::Result<Vec<_>>>()?;
    folders.sort();
    folders.into_iter().map(read).collect()
}

fn read(folder: PathBuf) -> std::io::Result<DevTask> {
    let toml = std::fs::read_to_string(folder.join("task.toml"))?;
    let value = |key: &str| {
        let line = toml.lines().find_map(|line| line.strip_prefix(key)?.trim_start().strip_prefix('='));
        // A basic string of TOML without Unicode escapes is one of JSON.
        let text = line.and_then(|line| serde_json::from_str::<String>(line.trim()).ok());
        text.ok_or_else(|| std::io::Error::other(format!("{}: no {key} on a line of its own", folder.display())))
    };
    let (sentence, declines) = (value("sentence")?, value("level")? == "decline");
    let before = tree(&folder.join("before"))?;
    let mut wanted = Vec::new();
    for entry in std::fs::read_dir(&folder)? {
        let entry = entry?;
        if entry.file_name().to_string_lossy().starts_with("after") {
            wanted.push(before.clone().into_iter().chain(tree(&entry.path())?).collect());
        }
    }
    Ok(DevTask { folder, sentence, declines, before, wanted })
}

pub fn tree(root: &Path) -> std::io::Result<Tree> {
    let mut files = Tree::new();
    let mut folders = vec![root.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder)? {
            let path = entry?.path();
            if path.is_dir() {
                folders.push(path);
            } else {
                files.insert(path.strip_prefix(root).expect("it was found there").to_path_buf(), std::fs::read(&path)?);
            }
        }
    }
    Ok(files)
}
