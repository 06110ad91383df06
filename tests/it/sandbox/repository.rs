//! What is copied of a git repository.

use super::case::{Case, has, limits, run};
use crate::support::folder;
use slotwright::sandbox::SandboxOptions;
use std::fs;
use std::path::Path;

fn git(folder: &Path, arguments: &[&str]) {
    let mut command = std::process::Command::new("git");
    command.arg("-C").arg(folder);
    command.args(["-c", "user.name=A", "-c", "user.email=a@b.c"]);
    let output = command.args(arguments).output().unwrap();
    assert!(output.status.success(), "{arguments:?}: {output:?}");
}

#[test]
fn the_copy_has_what_git_shows() {
    if !has("git") {
        return;
    }
    let root = folder(&[
        ("a.txt", b"a\n"),
        ("gone.txt", b"gone\n"),
        ("kept.log", b"log\n"),
        (".gitignore", b"*.log\n"),
    ]);
    let at = |name: &str| root.path().join(name);
    git(root.path(), &["init", "-q"]);
    git(root.path(), &["add", "-f", "."]);
    git(root.path(), &["commit", "-q", "-m", "first"]);
    fs::write(at("a.txt"), "changed\n").unwrap();
    fs::write(at("new.txt"), "new\n").unwrap();
    fs::write(at("ignored.log"), "ignored\n").unwrap();
    fs::remove_file(at("gone.txt")).unwrap();
    // A stranger's repository may name a program here.
    let trace = tempfile::tempdir().unwrap();
    let monitor = format!("touch {}; false", trace.path().join("started").display());
    git(root.path(), &["config", "core.fsmonitor", &monitor]);

    let case = Case::of(root);
    let sandbox = case.sandbox(&SandboxOptions::default());
    let ran = run(&sandbox, "ls -A; cat a.txt", &limits());
    let expected = ".gitignore\na.txt\nkept.log\nnew.txt\nchanged\n";
    assert_eq!(ran.output.text(), expected);
    drop(sandbox);
    case.check();
    assert_eq!(fs::read_dir(trace.path()).unwrap().count(), 0);
}
