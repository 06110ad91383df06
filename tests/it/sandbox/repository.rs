//! A git repository with all that a worktree must not disturb.

use super::case::Entry;
use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

pub fn without_times(entries: &BTreeMap<PathBuf, Entry>) -> BTreeMap<PathBuf, (Vec<u8>, u32)> {
    entries
        .iter()
        .map(|(path, (content, mode, _))| (path.clone(), (content.clone(), *mode)))
        .collect()
}

pub fn git(folder: &Path, arguments: &[&str]) -> String {
    let mut command = std::process::Command::new("git");
    command
        .arg("-C")
        .arg(folder)
        .args([
            "-c",
            "user.name=A",
            "-c",
            "user.email=a@b.c",
            "-c",
            "init.defaultBranch=main",
        ])
        .args(arguments);
    let output = command.env("GIT_OPTIONAL_LOCKS", "0").output().unwrap();
    assert!(
        output.status.success(),
        "{arguments:?}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8(output.stdout).unwrap()
}

/// A repository with a branch, a stash, staged, unstaged and new files, hooks, and a filter that
/// would leave traces.
pub fn repository_in(folder: &Path) {
    fs::create_dir_all(folder.join("sub")).unwrap();
    for (name, text) in [
        ("a.txt", "a\n"),
        ("sub/b.txt", "b\n"),
        ("gone.txt", "gone\n"),
        ("kept.log", "log\n"),
        (".gitignore", "*.log\n"),
    ] {
        fs::write(folder.join(name), text).unwrap();
    }
    git(folder, &["init", "-q"]);
    git(folder, &["add", "-f", "."]);
    git(folder, &["commit", "-q", "-m", "first"]);
    git(folder, &["branch", "other"]);
    fs::write(folder.join("a.txt"), "stashed\n").unwrap();
    git(folder, &["stash", "-q"]);
    fs::write(folder.join("a.txt"), "staged\n").unwrap();
    git(folder, &["add", "a.txt"]);
    fs::write(folder.join("a.txt"), "changed\n").unwrap();
    fs::write(folder.join("new.txt"), "new\n").unwrap();
    fs::write(folder.join("ignored.log"), "ignored\n").unwrap();
    fs::remove_file(folder.join("gone.txt")).unwrap();
    let trace = folder.parent().unwrap().join("trace");
    fs::write(
        folder.join(".git/hooks/post-checkout"),
        format!("#!/bin/sh\ntouch {}\n", trace.display()),
    )
    .unwrap();
    fs::set_permissions(
        folder.join(".git/hooks/post-checkout"),
        fs::Permissions::from_mode(0o755),
    )
    .unwrap();
    fs::write(folder.join(".git/info/attributes"), "* filter=trace\n").unwrap();
    let smudge = format!("sh -c 'touch {}; cat'", trace.display());
    git(folder, &["config", "filter.trace.smudge", &smudge]);
    git(
        folder,
        &[
            "config",
            "core.fsmonitor",
            &format!("touch {}; false", trace.display()),
        ],
    );
}
