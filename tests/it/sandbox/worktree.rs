//! Sandboxes that are git worktrees.

use super::case::{Entry, has, limits, run, snapshot};
use super::repository::{git, repository_in, without_times};
use crate::support::{PROGRAM, folder};
use slotwright::sandbox::{CopyKind, Sandbox, SandboxOptions};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

fn state_of(repository: &Path) -> Vec<String> {
    let ask = |arguments: &[&str]| {
        git(
            repository,
            &[&["-c", "core.fsmonitor=false"], arguments].concat(),
        )
    };
    vec![
        ask(&["status", "--porcelain=v2", "--branch"]),
        ask(&["stash", "list"]),
        ask(&["for-each-ref"]),
        ask(&["worktree", "list", "--porcelain"]),
        ask(&["diff", "--cached"]),
        ask(&["diff"]),
    ]
}

#[test]
fn a_worktree_is_the_repository_as_it_stands() {
    if !has("git") {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let repository = dir.path().join("repository");
    repository_in(&repository);
    let (before, state) = (snapshot(&repository), state_of(&repository));
    fs::remove_file(dir.path().join("trace")).ok();
    let place = tempfile::tempdir().unwrap();
    let options = SandboxOptions {
        copy: CopyKind::Worktree,
        ..SandboxOptions::default()
    };
    for root in [repository.clone(), repository.join("sub")] {
        let sandbox = Sandbox::within(place.path(), &root, Path::new(PROGRAM), &options).unwrap();
        let quiet = "git -c core.fsmonitor=false";
        let command = format!(
            "{quiet} status --porcelain; {quiet} diff --cached --name-only; \
             {quiet} log --format=%s -1; pwd"
        );
        let ran = run(&sandbox, &command, &limits());
        let status = git(
            &root,
            &["-c", "core.fsmonitor=false", "status", "--porcelain"],
        );
        let expected = format!("{status}a.txt\nfirst\n{}\n", sandbox.folder().display());
        assert_eq!(ran.output.text(), expected);
        assert_eq!(sandbox.folder().ends_with("sub"), root.ends_with("sub"));
        // Whatever a command does with git stays in the copy.
        let ran = run(
            &sandbox,
            &format!(
                "{quiet} commit -q -am x; {quiet} branch -D other; {quiet} stash drop; {quiet} gc; \
                 rm -rf \"$({quiet} rev-parse --git-common-dir)\"; echo end"
            ),
            &limits(),
        );
        assert!(ran.output.text().ends_with("end\n"), "{ran:?}");
        let top = if root.ends_with("sub") {
            sandbox.folder().parent().unwrap()
        } else {
            sandbox.folder()
        };
        assert_eq!(fs::read(top.join("a.txt")).unwrap(), b"changed\n");
        assert!(
            top.join("kept.log").exists()
                && !top.join("ignored.log").exists()
                && !top.join("gone.txt").exists()
        );
        drop(sandbox);
        assert!(
            state == state_of(&repository),
            "{state:#?} {:#?}",
            state_of(&repository)
        );
        let after = snapshot(&repository);
        assert!(
            without_times(&before) == without_times(&after),
            "the repository has changed"
        );
        let files = |entries: &BTreeMap<PathBuf, Entry>| -> Vec<(PathBuf, Entry)> {
            entries
                .iter()
                .filter(|(path, _)| **path != repository.join(".git"))
                .map(|(path, entry)| (path.clone(), entry.clone()))
                .collect()
        };
        assert!(files(&before) == files(&after), "times have changed");
    }
    assert!(
        !dir.path().join("trace").exists(),
        "a hook or a filter was started"
    );
    assert_eq!(fs::read_dir(place.path()).unwrap().count(), 1);
    // Without a commit, or without a repository, it is said.
    let empty = folder(&[]);
    let refused = |root: &Path| {
        Sandbox::within(place.path(), root, Path::new(PROGRAM), &options)
            .unwrap_err()
            .to_string()
    };
    assert!(
        refused(empty.path()).contains("not a git repository"),
        "{}",
        refused(empty.path())
    );
    git(empty.path(), &["init", "-q"]);
    assert!(
        refused(empty.path()).contains("cannot make a git worktree"),
        "{}",
        refused(empty.path())
    );
    assert_eq!(git(empty.path(), &["worktree", "list"]).lines().count(), 1);
}
