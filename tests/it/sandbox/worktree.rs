//! Sandboxes that are git worktrees.

use super::*;

pub fn without_times(entries: &BTreeMap<PathBuf, Entry>) -> BTreeMap<PathBuf, (Vec<u8>, u32)> {
    entries
        .iter()
        .map(|(path, (content, mode, _))| (path.clone(), (content.clone(), *mode)))
        .collect()
}

fn git(folder: &Path, arguments: &[&str]) -> String {
    let mut command = std::process::Command::new("git");
    command
        .arg("-C")
        .arg(folder)
        .args(["-c", "user.name=A", "-c", "user.email=a@b.c", "-c", "init.defaultBranch=main"])
        .args(arguments);
    let output = command.env("GIT_OPTIONAL_LOCKS", "0").output().unwrap();
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
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
    fs::set_permissions(folder.join(".git/hooks/post-checkout"), fs::Permissions::from_mode(0o755))
        .unwrap();
    fs::write(folder.join(".git/info/attributes"), "* filter=trace\n").unwrap();
    let smudge = format!("sh -c 'touch {}; cat'", trace.display());
    git(folder, &["config", "filter.trace.smudge", &smudge]);
    git(folder, &["config", "core.fsmonitor", &format!("touch {}; false", trace.display())]);
}

fn state_of(repository: &Path) -> Vec<String> {
    let ask = |arguments: &[&str]| {
        git(repository, &[&["-c", "core.fsmonitor=false"], arguments].concat())
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
    let options = SandboxOptions { copy: CopyKind::Worktree, ..SandboxOptions::default() };
    for root in [repository.clone(), repository.join("sub")] {
        let sandbox = Sandbox::within(place.path(), &root, Path::new(PROGRAM), &options).unwrap();
        let quiet = "git -c core.fsmonitor=false";
        let command = format!(
            "{quiet} status --porcelain; {quiet} diff --cached --name-only; {quiet} log --format=%s -1; pwd"
        );
        let ran = run(&sandbox, &command, &limits());
        let status = git(&root, &["-c", "core.fsmonitor=false", "status", "--porcelain"]);
        let expected = format!("{status}a.txt\nfirst\n{}\n", sandbox.folder().display());
        assert_eq!(ran.output.text(), expected);
        assert_eq!(sandbox.folder().ends_with("sub"), root.ends_with("sub"));
        // Whatever a command does with git stays in the copy.
        let ran = run(
            &sandbox,
            &format!(
                "{quiet} commit -q -am x; {quiet} branch -D other; {quiet} stash drop; {quiet} gc; rm -rf \"$({quiet} rev-parse --git-common-dir)\"; echo end"
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
        assert!(state == state_of(&repository), "{state:#?} {:#?}", state_of(&repository));
        let after = snapshot(&repository);
        assert!(without_times(&before) == without_times(&after), "the repository has changed");
        let files = |entries: &BTreeMap<PathBuf, Entry>| -> Vec<(PathBuf, Entry)> {
            entries
                .iter()
                .filter(|(path, _)| **path != repository.join(".git"))
                .map(|(path, entry)| (path.clone(), entry.clone()))
                .collect()
        };
        assert!(files(&before) == files(&after), "times have changed");
    }
    assert!(!dir.path().join("trace").exists(), "a hook or a filter was started");
    assert_eq!(fs::read_dir(place.path()).unwrap().count(), 1);
    // Without a commit, or without a repository, it is said.
    let empty = folder(&[]);
    let refused = |root: &Path| {
        Sandbox::within(place.path(), root, Path::new(PROGRAM), &options).unwrap_err().to_string()
    };
    assert!(refused(empty.path()).contains("not a git repository"), "{}", refused(empty.path()));
    git(empty.path(), &["init", "-q"]);
    assert!(
        refused(empty.path()).contains("cannot make a git worktree"),
        "{}",
        refused(empty.path())
    );
    assert_eq!(git(empty.path(), &["worktree", "list"]).lines().count(), 1);
}
