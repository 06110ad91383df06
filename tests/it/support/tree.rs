//! A folder as it stands, to be compared with what it is later: bytes, times, permissions, and what
//! git knows of it.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

/// All of a folder that somebody could miss.
#[derive(Debug, PartialEq)]
pub struct Tree {
    files: BTreeMap<String, String>,
    git: Vec<String>,
}

impl Tree {
    pub fn of(root: &Path) -> Tree {
        let mut files = BTreeMap::new();
        walk(root, root, &mut files);
        let queries: [&[&str]; 6] = [
            &["status", "--porcelain=v2", "--branch"],
            &["stash", "list"],
            &["branch", "-a", "-v"],
            &["worktree", "list"],
            &["ls-files", "-s"],
            &["reflog"],
        ];
        let has_repository = root.join(".git").exists();
        let git = queries
            .iter()
            .filter(|_| has_repository)
            .map(|query| git(root, query))
            .collect();
        Tree { files, git }
    }
}

fn walk(root: &Path, folder: &Path, files: &mut BTreeMap<String, String>) {
    use std::os::unix::fs::MetadataExt;
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let metadata = path.symlink_metadata().unwrap();
        let name = path.strip_prefix(root).unwrap().display().to_string();
        if metadata.is_dir() {
            files.insert(name.clone(), format!("folder {:o}", metadata.mode()));
            // git's own files are compared through git: asking it may refresh the times in its
            // index.
            if name != ".git" {
                walk(root, &path, files);
            }
        } else {
            let bytes = std::fs::read(&path).unwrap();
            let kind = (metadata.mode(), metadata.mtime(), metadata.mtime_nsec());
            files.insert(name, format!("{kind:?} {}", bytes.escape_ascii()));
        }
    }
}

/// What git prints.
pub fn git(root: &Path, arguments: &[&str]) -> String {
    let output = Command::new("git")
        .args([
            "-c",
            "user.name=t",
            "-c",
            "user.email=t@example.com",
            "-c",
            "commit.gpgsign=false",
        ])
        .args(arguments)
        .current_dir(root)
        .output()
        .unwrap();
    assert!(output.status.success(), "git {arguments:?}: {output:?}");
    String::from_utf8(output.stdout).unwrap()
}

/// Whether a program is there.
pub fn has(program: &str) -> bool {
    Command::new(program).arg("--version").output().is_ok()
}

/// Makes a repository of a folder, with a stash, a second branch, and a change in its index.
pub fn make_repository(root: &Path) {
    git(root, &["init", "-q"]);
    git(root, &["add", "-A"]);
    git(root, &["commit", "-qm", "first"]);
    git(root, &["branch", "other"]);
    // Under a name that no repair changes.
    std::fs::create_dir_all(root.join("tests")).unwrap();
    std::fs::write(root.join("tests/stashed.txt"), "stashed\n").unwrap();
    git(root, &["add", "tests/stashed.txt"]);
    git(root, &["stash", "-q"]);
    std::fs::create_dir_all(root.join("tests")).unwrap();
    std::fs::write(root.join("tests/staged.txt"), "staged\n").unwrap();
    git(root, &["add", "tests/staged.txt"]);
    std::fs::write(root.join("tests/untracked.txt"), "untracked\n").unwrap();
}
