//! `slotwright apply`, as a person and a script meet it.

use crate::support::{PROGRAM, Run, folder, quiet};
use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

const CONFIG: &str = "MAX_RETRIES = 3\n\n\ndef load(path):\n    if not path:\n        return None\
    \n    return open(path).read()\n\n\ndef save(path):\n    if not path:\n        return None\
    \n    return path\n";

/// Runs `apply` with a patch on standard input.
fn apply(root: &Path, arguments: &[&str], patch: &str) -> Run {
    apply_bytes(root, arguments, patch.as_bytes())
}

fn apply_bytes(root: &Path, arguments: &[&str], patch: &[u8]) -> Run {
    let mut command = Command::new(PROGRAM);
    command.arg("apply").arg("--root").arg(root).args(arguments);
    let mut child = quiet(&mut command)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // It may end before it has read the patch.
    let written = child.stdin.take().unwrap().write_all(patch);
    assert!(
        written.is_ok()
            || written.is_err_and(|error| error.kind() == std::io::ErrorKind::BrokenPipe)
    );
    Run::from(child.wait_with_output().unwrap())
}

fn undo(root: &Path) -> Run {
    let mut command = Command::new(PROGRAM);
    command.arg("undo").arg("--root").arg(root);
    Run::from(quiet(&mut command).output().unwrap())
}

fn block(path: &str, old: &str, new: &str) -> String {
    format!("{path}\n```\n<<<<<<< SEARCH\n{old}\n=======\n{new}\n>>>>>>> REPLACE\n```\n\n")
}

/// One that fits, one whose number is wrong, one that stands twice.
fn three_blocks() -> String {
    block(
        "config.py",
        "    return open(path).read()",
        "    with open(path) as file:\n        return file.read()",
    ) + &block("config.py", "MAX_RETRIES = 4", "MAX_RETRIES = 5")
        + &block(
            "config.py",
            "if not path:\n    return None",
            "if not path:\n    raise ValueError(path)",
        )
}

#[test]
fn a_patch_is_shown_written_and_undone() {
    let dir = folder(&[("config.py", CONFIG.as_bytes())]);
    let text = || fs::read_to_string(dir.path().join("config.py")).unwrap();
    let patch = block("config.py", "MAX_RETRIES = 3", "MAX_RETRIES = 5");
    let shown = apply(dir.path(), &["--dry-run"], &patch).says(0, "");
    assert_eq!(
        shown
            .stdout
            .lines()
            .filter(|line| line.starts_with(['+', '-']))
            .count(),
        4,
        "{}",
        shown.stdout
    );
    assert_eq!(text(), CONFIG);
    apply(dir.path(), &[], &patch).says(3, "nobody to ask; nothing was written");
    assert_eq!(text(), CONFIG);
    apply(dir.path(), &["--yes"], &patch).says(0, "wrote config.py");
    assert_eq!(text(), CONFIG.replace("= 3", "= 5"));
    apply(dir.path(), &["--yes"], &patch)
        .says(0, "nothing to do: the files have all of this already");
    undo(dir.path()).says(0, "undone: apply (1 edit)");
    assert_eq!(text(), CONFIG);
}

#[test]
fn one_that_fails_keeps_all_from_being_written() {
    let dir = folder(&[("config.py", CONFIG.as_bytes())]);
    let run = apply(dir.path(), &["--yes"], &three_blocks())
        .says(1, "2 of 3 edits cannot be made; nothing was written");
    for message in [
        "edit 2 (line 13 of the patch, config.py): the text to change is not in the file",
        "the file has \"3\" where the edit has \"4\"",
        "next: copy the searched text from line 1 as it is",
        "edit 3 (line 22 of the patch, config.py): the text to change occurs in 2 places",
        "lines 5-6 in load",
        "lines 11-12 in save",
        "--partial writes the others",
    ] {
        assert!(
            run.stderr.contains(message),
            "{message:?} is not in {}",
            run.stderr
        );
    }
    assert_eq!(run.stdout, "");
    assert_eq!(
        fs::read_to_string(dir.path().join("config.py")).unwrap(),
        CONFIG
    );
}

#[test]
fn with_partial_the_others_are_written_and_the_exit_code_says_so() {
    let dir = folder(&[("config.py", CONFIG.as_bytes())]);
    let run = apply(dir.path(), &["--yes", "--partial"], &three_blocks())
        .says(5, "2 of 3 edits cannot be made, and are left out");
    assert!(run.stderr.contains("wrote config.py"), "{run:?}");
    let text = fs::read_to_string(dir.path().join("config.py")).unwrap();
    assert_eq!(
        text,
        CONFIG.replace(
            "    return open(path).read()",
            "    with open(path) as file:\n        return file.read()"
        )
    );
    let nothing = block("config.py", "NO_SUCH = 1", "x");
    apply(dir.path(), &["--yes", "--partial"], &nothing)
        .says(1, "the edit cannot be made; nothing was written");
}

#[test]
fn what_cannot_be_read_is_left_out_with_partial() {
    let whole = block("config.py", "MAX_RETRIES = 3", "MAX_RETRIES = 5");
    let cut_off = "\nconfig.py\n<<<<<<< SEARCH\ndef load(path):\n=======\ndef lo";
    let diff = "\n```diff\n--- a/config.py\n+++ b/config.py\n@@ -5 +5 @@\nwhat\n```\n";
    for (end, message) in [
        (
            cut_off.to_owned(),
            "config.py): the block that begins here has no `>>>>>>> REPLACE`",
        ),
        (
            format!("\nother.py\n```\nx\n```\n{diff}"),
            "(line 20 of the patch, unified): `what` is in or below a hunk",
        ),
    ] {
        let dir = folder(&[("config.py", CONFIG.as_bytes())]);
        let text = || fs::read_to_string(dir.path().join("config.py")).unwrap();
        let patch = format!("{whole}{end}");
        let run = apply(dir.path(), &["--yes"], &patch).says(1, message);
        assert!(run.stderr.contains("next: send this part again"), "{run:?}");
        assert_eq!(text(), CONFIG);
        let report = apply(dir.path(), &["--yes", "--partial", "--json"], &patch).says(5, "");
        assert!(
            report.stdout.contains(r#""kind":"malformed""#),
            "{report:?}"
        );
        assert_eq!(text(), CONFIG.replace("= 3", "= 5"));
        // Where nothing else is there, it is said as before.
        apply(
            dir.path(),
            &["--yes", "--partial"],
            &end.replace("other.py", ""),
        )
        .says(1, "line");
    }
}

#[test]
fn what_two_edits_have_in_common_is_made_once() {
    let dir = folder(&[("a.txt", b"a\nb\nc\n")]);
    let patch = "--- a/a.txt\n+++ b/a.txt\n@@ -1,2 +1,2 @@\n-a\n+A\n b\n@@ -1,3 +1,3 @@\n-a\n+A\n b\n-c\n+C\n";
    apply(dir.path(), &["--yes"], patch).says(0, "wrote a.txt");
    assert_eq!(
        fs::read_to_string(dir.path().join("a.txt")).unwrap(),
        "A\nb\nC\n"
    );
}

#[test]
fn carriage_returns_of_a_whole_text_are_the_files() {
    for (before, after) in [("a\r\nb\r\n", "a\r\nB\r\n"), ("a\nb\n", "a\nB\n")] {
        let dir = folder(&[("a.txt", before.as_bytes())]);
        let patch = r#"{"path":"a.txt","content":"a\r\nB\r\n"}"#;
        apply(dir.path(), &["--yes"], patch).says(0, "wrote a.txt");
        assert_eq!(fs::read_to_string(dir.path().join("a.txt")).unwrap(), after);
    }
}

#[test]
fn the_report_tells_a_model_what_to_send_again() {
    let dir = folder(&[("config.py", CONFIG.as_bytes())]);
    let run = apply(dir.path(), &["--yes", "--json"], &three_blocks()).says(1, "");
    let report: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
    let schema: serde_json::Value =
        serde_json::from_str(include_str!("../../schemas/apply.json")).unwrap();
    jsonschema::validate(&schema, &report).unwrap_or_else(|error| panic!("{error}: {report:#}"));
    assert_eq!(
        (&report["status"], &report["format"], &report["diff"]),
        (&"not_made".into(), &"search-replace".into(), &"".into())
    );
    let edits = report["edits"].as_array().unwrap();
    let results: Vec<&str> = edits
        .iter()
        .map(|edit| edit["result"].as_str().unwrap())
        .collect();
    assert_eq!(results, ["applies", "failed", "failed"]);
    assert_eq!(
        edits[0]["replacements"][0]["old"],
        "    return open(path).read()"
    );
    let nearest = &edits[1]["miss"]["nearest"];
    assert_eq!(
        (&nearest["text"], &nearest["lines"]["first"]),
        (&"MAX_RETRIES = 3".into(), &1.into())
    );
    assert_eq!(
        nearest["causes"][0],
        serde_json::json!({"cause": "words", "searched": ["4"], "found": ["3"]})
    );
    assert_eq!(edits[2]["miss"]["candidates"].as_array().unwrap().len(), 2);
    let done = apply(
        dir.path(),
        &["--yes", "--json"],
        &block("config.py", "MAX_RETRIES = 3", "MAX_RETRIES = 5"),
    )
    .says(0, "");
    let report: serde_json::Value = serde_json::from_str(&done.stdout).unwrap();
    jsonschema::validate(&schema, &report).unwrap_or_else(|error| panic!("{error}: {report:#}"));
    assert_eq!(report["status"], "done");
    assert_eq!(report["files"], serde_json::json!(["config.py"]));
    assert_eq!(report["rungs"], serde_json::json!({"exact": 1}));
}

#[test]
fn files_come_go_and_move() {
    let dir = folder(&[("a.txt", b"a\n"), ("b.txt", b"b\n"), ("old/c.sh", b"c\n")]);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        fs::set_permissions(
            dir.path().join("old/c.sh"),
            fs::Permissions::from_mode(0o755),
        )
        .unwrap();
    }
    let patch = "*** Begin Patch\n*** Add File: new/d.txt\n+d\n*** Delete File: b.txt\
        \n*** Update File: old/c.sh\n*** Move to: bin/c.sh\n@@\n-c\n+C\n*** End Patch\n";
    let run = apply(dir.path(), &["--yes"], patch).says(
        0,
        "made new/d.txt, removed b.txt, moved old/c.sh to bin/c.sh",
    );
    assert!(
        run.stdout
            .contains("rename from old/c.sh\nrename to bin/c.sh\n"),
        "{}",
        run.stdout
    );
    let read = |path: &str| fs::read_to_string(dir.path().join(path)).ok();
    let files = || ["new/d.txt", "b.txt", "old/c.sh", "bin/c.sh"].map(read);
    assert_eq!(
        files(),
        [Some("d\n".to_owned()), None, None, Some("C\n".to_owned())]
    );
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        assert_eq!(
            fs::metadata(dir.path().join("bin/c.sh"))
                .unwrap()
                .permissions()
                .mode()
                & 0o777,
            0o755
        );
    }
    undo(dir.path()).says(0, "undone: apply (4 edits)");
    assert_eq!(
        files(),
        [None, Some("b\n".to_owned()), Some("c\n".to_owned()), None]
    );
}

#[cfg(unix)]
#[test]
fn programs_and_copies_are_made_and_a_binary_patch_is_refused_alone() {
    use std::os::unix::fs::PermissionsExt;
    let files: [(&str, &[u8]); 3] = [
        ("run.sh", b"one\n"),
        ("old.sh", b"old\n"),
        ("a.txt", b"a\n"),
    ];
    let dir = folder(&files);
    let set_modes = |root: &Path| {
        for (path, mode) in [("run.sh", 0o640), ("old.sh", 0o755)] {
            fs::set_permissions(root.join(path), fs::Permissions::from_mode(mode)).unwrap();
        }
    };
    set_modes(dir.path());
    let state = |root: &Path| {
        ["run.sh", "old.sh", "a.txt", "new.sh", "copy.sh"].map(|path| {
            let metadata = fs::metadata(root.join(path)).ok()?;
            let text = fs::read_to_string(root.join(path)).unwrap();
            Some((text, metadata.permissions().mode() & 0o777))
        })
    };
    let before = state(dir.path());
    let new_mode = before[2].as_ref().unwrap().1;
    let text = |text: &str, mode: u32| Some((text.to_owned(), mode));
    let patch = "diff --git a/run.sh b/run.sh\nold mode 100644\nnew mode 100755\n--- a/run.sh\
        \n+++ b/run.sh\n@@ -1 +1 @@\n-one\n+two\ndiff --git a/old.sh b/old.sh\nold mode 100755\
        \nnew mode 100644\ndiff --git a/new.sh b/new.sh\nnew file mode 100755\n--- /dev/null\
        \n+++ b/new.sh\n@@ -0,0 +1 @@\n+new\ndiff --git a/old.sh b/copy.sh\ncopy from old.sh\
        \ncopy to copy.sh\n--- a/old.sh\n+++ b/copy.sh\n@@ -1 +1 @@\n-old\n+copied\n";
    let with_binary = format!("{patch}diff --git a/x.png b/x.png\nGIT binary patch\nliteral 0\n");
    apply(dir.path(), &["--yes"], &with_binary)
        .says(
            1,
            "edit 8 (line 27 of the patch, x.png): this is a binary patch, which cannot be applied",
        )
        .says(1, "1 of 8 edits cannot be made; nothing was written");
    assert_eq!(state(dir.path()), before);
    let shown = apply(dir.path(), &["--dry-run"], patch).says(0, "").stdout;
    apply(dir.path(), &["--yes", "--partial"], &with_binary).says(
        5,
        "wrote run.sh, made old.sh not executable, made new.sh, copied old.sh to copy.sh",
    );
    let after = [
        text("two\n", 0o750),
        text("old\n", 0o644),
        before[2].clone(),
        text("new\n", new_mode | (new_mode & 0o444) >> 2),
        text("copied\n", 0o755),
    ];
    assert_eq!(state(dir.path()), after);
    undo(dir.path()).says(0, "undone: apply (7 edits)");
    assert_eq!(state(dir.path()), before);
    // What is printed is a patch that git takes.
    let copy = folder(&files);
    set_modes(copy.path());
    let mut git = Command::new("git");
    match git
        .args(["apply", "-"])
        .current_dir(copy.path())
        .stdin(Stdio::piped())
        .spawn()
    {
        Ok(mut child) => {
            child
                .stdin
                .take()
                .unwrap()
                .write_all(shown.as_bytes())
                .unwrap();
            assert!(child.wait().unwrap().success(), "{shown}");
            for ((ours, theirs), path) in after.iter().zip(state(copy.path())).zip(0..) {
                let run = |file: &Option<(String, u32)>| {
                    file.as_ref()
                        .map(|(text, mode)| (text.clone(), mode & 0o100 != 0))
                };
                assert_eq!(run(ours), run(&theirs), "{path}: {shown}");
            }
        }
        Err(_) => println!("skipped: there is no git here"),
    }
    // A mode alone, and again.
    let mode = "diff --git a/a.txt b/a.txt\nold mode 100644\nnew mode 100755\n";
    apply(dir.path(), &["--yes"], mode).says(0, "made a.txt executable");
    apply(dir.path(), &["--yes"], mode).says(0, "nothing to do");
    apply(dir.path(), &["--yes", "--reverse"], mode).says(0, "made a.txt not executable");
    assert_eq!(state(dir.path())[2], before[2]);
}

#[test]
fn a_deletion_and_a_rename_are_done_already_the_second_time() {
    let text = "def area(width, height):\n    return width * height\n";
    let dir = folder(&[
        ("a.txt", b"a\n"),
        ("old.py", text.as_bytes()),
        ("b.txt", b"b\n"),
    ]);
    let patch = "diff --git a/a.txt b/a.txt\ndeleted file mode 100644\n--- a/a.txt\n+++ /dev/null\
        \n@@ -1 +0,0 @@\n-a\ndiff --git a/old.py b/new.py\nrename from old.py\nrename to new.py\
        \n--- a/old.py\n+++ b/new.py\n@@ -1,2 +1,2 @@\n def area(width, height):\
        \n-    return width * height\n+    return width * height / 1000\n";
    apply(dir.path(), &["--yes"], patch).says(0, "removed a.txt, moved old.py to new.py");
    apply(dir.path(), &["--yes"], patch)
        .says(0, "nothing to do: the files have all of this already");
    let more = patch.to_owned() + "--- a/b.txt\n+++ b/b.txt\n@@ -1 +1 @@\n-b\n+B\n";
    apply(dir.path(), &["--yes"], &more)
        .says(0, "3 of 4 edits were made already")
        .says(0, "wrote b.txt");
    assert_eq!(
        fs::read_to_string(dir.path().join("new.py")).unwrap(),
        text.replace("height\n", "height / 1000\n")
    );
}

#[test]
fn what_is_printed_is_a_patch_that_git_takes() {
    let dir = folder(&[
        ("a.txt", b"one\r\ntwo\r\nthree"),
        ("src/b.rs", b"fn b() {\n    1\n}\n"),
    ]);
    let patch = block("a.txt", "two", "TWO")
        + &block("src/b.rs", "fn b() {\n1\n}", "fn b() {\n2\n}")
        + &block("c.txt", "", "new");
    let shown = apply(dir.path(), &["--dry-run"], &patch).says(0, "").stdout;
    let copy = folder(&[
        ("a.txt", b"one\r\ntwo\r\nthree"),
        ("src/b.rs", b"fn b() {\n    1\n}\n"),
    ]);
    let mut git = Command::new("git");
    let Ok(mut child) = git
        .args(["apply", "-"])
        .current_dir(copy.path())
        .stdin(Stdio::piped())
        .spawn()
    else {
        println!("skipped: there is no git here");
        return;
    };
    child
        .stdin
        .take()
        .unwrap()
        .write_all(shown.as_bytes())
        .unwrap();
    assert!(child.wait().unwrap().success(), "{shown}");
    apply(dir.path(), &["--yes"], &patch).says(0, "wrote a.txt, wrote src/b.rs, made c.txt");
    for path in ["a.txt", "src/b.rs", "c.txt"] {
        assert_eq!(
            fs::read(dir.path().join(path)).unwrap(),
            fs::read(copy.path().join(path)).unwrap(),
            "{path}"
        );
    }
    apply(dir.path(), &["--yes", "--reverse"], &shown)
        .says(0, "wrote a.txt, wrote src/b.rs, removed c.txt");
    assert_eq!(
        fs::read(dir.path().join("a.txt")).unwrap(),
        b"one\r\ntwo\r\nthree"
    );
    assert_eq!(
        fs::read(dir.path().join("src/b.rs")).unwrap(),
        b"fn b() {\n    1\n}\n"
    );
    assert!(!dir.path().join("c.txt").exists());
    let whole_file = "a.txt\n```\nx\n```\n";
    apply(dir.path(), &["--yes"], whole_file).says(0, "wrote a.txt");
    apply(dir.path(), &["--yes", "-R"], whole_file).says(1, "the patch cannot be reversed");
}

#[test]
fn nothing_outside_the_root_is_read_or_written() {
    let outside = folder(&[("secret.txt", b"secret\n")]);
    let dir = folder(&[("in.txt", b"in\n")]);
    let secret = outside.path().join("secret.txt");
    let absolute = secret.to_str().unwrap();
    #[cfg(unix)]
    std::os::unix::fs::symlink(outside.path(), dir.path().join("link")).unwrap();
    for path in [
        "../x.txt",
        absolute,
        "link/secret.txt",
        ".git/hooks/post-commit",
        "a/../../x.txt",
        "con",
        "x\\..\\..\\y.txt",
    ] {
        for patch in [
            format!("*** Begin Patch\n*** Add File: {path}\n+x\n*** End Patch\n"),
            format!("*** Begin Patch\n*** Update File: {path}\n@@\n-secret\n+x\n*** End Patch\n"),
            format!("*** Begin Patch\n*** Delete File: {path}\n*** End Patch\n"),
            format!(
                "*** Begin Patch\n*** Update File: in.txt\n*** Move to: {path}\n@@\n-in\n+x\
                \n*** End Patch\n"
            ),
        ] {
            let run = apply(dir.path(), &["--yes"], &patch);
            assert_eq!(run.code, Some(1), "{patch}\n{run:?}");
            assert!(!run.stderr.contains("+secret"), "{run:?}");
        }
    }
    assert_eq!(fs::read_to_string(secret).unwrap(), "secret\n");
    assert_eq!(
        fs::read_to_string(dir.path().join("in.txt")).unwrap(),
        "in\n"
    );
    assert_eq!(fs::read_dir(outside.path()).unwrap().count(), 1);
}

#[test]
fn a_file_is_meant_by_the_end_of_its_path() {
    let dir = folder(&[
        ("a/src/lib.rs", b"one\n"),
        ("b/src/main.rs", b"one\n"),
        ("c/src/main.rs", b"one\n"),
    ]);
    apply(dir.path(), &["--yes"], &block("lib.rs", "one", "two"))
        .says(0, "\"lib.rs\" is taken for a/src/lib.rs");
    apply(dir.path(), &["--yes"], &block("src/main.rs", "one", "two"))
        .says(1, "\"src/main.rs\" may mean 2 files")
        .says(1, "b/src/main.rs, c/src/main.rs");
    apply(
        dir.path(),
        &["--yes", "--file", "c/src/main.rs"],
        &block("whatever.rs", "one", "two"),
    )
    .says(0, "wrote c/src/main.rs");
    let other = block("a/src/lib.rs", "two", "three");
    apply(dir.path(), &["--yes", "--file", "c/src/main.rs"], &other)
        .says(2, "the patch is about a/src/lib.rs, not about c/src");
    let delete = "*** Begin Patch\n*** Delete File: elsewhere.rs\n*** End Patch\n";
    apply(dir.path(), &["--yes", "--file", "c/src/main.rs"], delete)
        .says(2, "the patch is about elsewhere.rs");
    let two = block("x.rs", "two", "3") + &block("y.rs", "two", "4");
    apply(dir.path(), &["--yes", "--file", "c/src/main.rs"], &two)
        .says(2, "the patch is about 2 files (x.rs, y.rs)");
    for (named, patch) in [
        ("legacy/lib.rs", block("legacy/lib.rs", "two", "three")),
        (
            "lib.rs",
            "*** Begin Patch\n*** Delete File: lib.rs\n*** End Patch\n".to_owned(),
        ),
    ] {
        apply(dir.path(), &["--yes"], &patch).says(1, &format!("there is no file {named:?}"));
    }
    apply(
        dir.path(),
        &["--yes", "--file", "none.rs"],
        &block("a", "one", "two"),
    )
    .says(2, "there is no file \"none.rs\"");
}

#[test]
fn a_file_that_only_prose_names_is_said() {
    let dir = folder(&[("src/a.py", b"one\n"), ("b.py", b"one\n")]);
    let blocks = "<<<<<<< SEARCH\none\n=======\ntwo\n>>>>>>> REPLACE\n";
    let prose = format!("The value in a.py is too small.\n\n{blocks}");
    let both = format!("The value in a.py is too small, unlike that in b.py.\n\n{blocks}");
    apply(dir.path(), &["--yes"], &both)
        .says(1, "does not say which of 2 files is meant: b.py, src/a.py")
        .says(
            1,
            "next: write the path of the file alone on the line above the edit",
        );
    apply(dir.path(), &["--yes"], &prose).says(
        0,
        "line 3: the edit is taken for one of src/a.py, named in the text above",
    );
    let run = apply(dir.path(), &["--yes", "--file", "b.py"], &prose).says(0, "wrote b.py");
    assert!(!run.stderr.contains("taken for"), "{run:?}");
    for path in ["src/a.py", "b.py"] {
        assert_eq!(
            fs::read_to_string(dir.path().join(path)).unwrap(),
            "two\n",
            "{path}"
        );
    }
}

#[test]
fn what_is_no_patch_is_said() {
    let dir = folder(&[("a.txt", b"a\n")]);
    apply(dir.path(), &["--yes"], "Hello, how are you?\n").says(1, "there is no edit in the patch");
    apply(dir.path(), &["--yes"], "").says(1, "there is no edit in the patch");
    apply(
        dir.path(),
        &["--yes", "--format", "codex"],
        &block("a.txt", "a", "b"),
    )
    .says(1, "it was read as codex");
    apply(dir.path(), &["--yes", "--format", "word"], "x").says(2, "invalid value 'word'");
    apply(
        dir.path(),
        &["--yes"],
        "a.txt\n<<<<<<< SEARCH\na\n=======\nb\n",
    )
    .says(1, "of the patch: ");
    apply_bytes(dir.path(), &["--yes"], b"\0\0")
        .says(2, "cannot read the patch: it is a binary file");
    apply(dir.path(), &["--yes", "no_such.diff"], "")
        .says(2, "cannot read the patch: no_such.diff: ");
    assert_eq!(fs::read_to_string(dir.path().join("a.txt")).unwrap(), "a\n");
}

#[test]
fn a_patch_of_another_encoding_is_read() {
    let dir = folder(&[("a.txt", "caf\u{e9} 1\n".as_bytes())]);
    let patch = block("a.txt", "caf\u{e9} 1", "caf\u{e9} 2").replace('\n', "\r\n");
    let utf16: Vec<u8> = [0xff, 0xfe]
        .into_iter()
        .chain(patch.encode_utf16().flat_map(u16::to_le_bytes))
        .collect();
    apply_bytes(dir.path(), &["--yes"], &utf16).says(0, "wrote a.txt");
    assert_eq!(
        fs::read_to_string(dir.path().join("a.txt")).unwrap(),
        "caf\u{e9} 2\n"
    );
}

#[test]
fn what_asks_for_a_second_look_is_refused_by_yes() {
    let lines: String = (1..=20).map(|i| format!("line {i}\n")).collect();
    let dir = folder(&[
        ("a.txt", lines.as_bytes()),
        ("b.txt", b"b\n"),
        ("c.py", b"x = (1)\n"),
    ]);
    let text = || fs::read_to_string(dir.path().join("a.txt")).unwrap();
    let cases = [
        (
            "shrinks",
            "a.txt\n```\nline 1\n```\n".to_owned(),
            "all of a.txt is replaced: its 20 lines by 1",
        ),
        (
            "breaks",
            block("c.py", "x = (1)", "x = (1") + &block("a.txt", "line 1\n", "LINE 1\n"),
            "c.py no longer parses as Python: line 1, `x = (1`",
        ),
        (
            "breaks",
            block("d.py", "", "y = (2") + &block("a.txt", "line 2\n", "LINE 2\n"),
            "d.py does not parse as Python: line 1, `y = (2`",
        ),
        ("numbers", "20d\n".to_owned(), "names lines by number only"),
        (
            "mixed",
            "a.txt\n```\nline 1\n```\n".to_owned() + &block("a.txt", "line 1", "LINE 1"),
            "line 2 of the patch begins what may be all of a.txt, and was not read",
        ),
    ];
    for (kind, patch, message) in cases {
        let file = if kind == "numbers" {
            ["--file", "a.txt"].as_slice()
        } else {
            &[]
        };
        let run = apply(dir.path(), &[file, &["--yes"]].concat(), &patch).says(1, message);
        assert!(
            run.stderr.contains(&format!("--accept {kind} writes it")),
            "{run:?}"
        );
        assert_eq!(text(), lines, "{kind}");
        let run = apply(
            dir.path(),
            &[file, &["--yes", "--json", "--accept", kind]].concat(),
            &patch,
        )
        .says(0, message);
        let report: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
        assert_eq!(
            (
                &report["warnings"][0]["kind"],
                &report["warnings"][0]["accepted"]
            ),
            (&kind.into(), &true.into())
        );
        assert_ne!(text(), lines, "{kind}");
        fs::write(dir.path().join("a.txt"), &lines).unwrap();
    }
    // What was not read is said where nothing is left to do, and where nothing can be done.
    let unclear = "So it is:\n```\n# B\n--- a/b.txt\n+++ b/b.txt\n@@ -1 +1 @@\n-b\n+B\n```\n";
    let done = block("a.txt", "LINE 1", "line 1\nline 2") + unclear;
    let not_read = "the patch was read as search-replace; line 14 begins what looks like unified, \
                    and was not read";
    apply(dir.path(), &["--yes"], &done)
        .says(0, "nothing to do")
        .says(0, not_read);
    let nowhere = block("a.txt", "no such thing\n", "x") + unclear;
    apply(dir.path(), &["--yes"], &nowhere)
        .says(1, "nothing was written")
        .says(1, not_read);
}

#[test]
fn several_formats_are_read_and_reported_by_part() {
    let dir = folder(&[("config.py", CONFIG.as_bytes()), ("b.txt", b"b\n")]);
    let diff = "```diff\n--- a/b.txt\n+++ b/b.txt\n@@ -1 +1 @@\n-b\n+B\n```\n";
    let file = "\n### docs/new.md\n\n```md\n# New\n```\n";
    let patch = block("config.py", "MAX_RETRIES = 3", "MAX_RETRIES = 5") + diff + file;
    let read = |path: &str| fs::read_to_string(dir.path().join(path)).ok();
    let files = || ["config.py", "b.txt", "docs/new.md"].map(read);
    let before = files();
    let wrong = block("config.py", "MAX_RETRIES = 4", "MAX_RETRIES = 5") + diff + file;
    apply(dir.path(), &["--yes"], &wrong)
        .says(
            1,
            "edit 1 (line 3 of the patch, config.py, search-replace): the text to change is",
        )
        .says(1, "1 of 3 edits cannot be made; nothing was written");
    assert_eq!(files(), before);
    let run = apply(dir.path(), &["--yes", "--json"], &patch).says(
        0,
        "the patch has several formats: search-replace (edit 1), unified (edit 2), whole-file \
         (edit 3)",
    );
    let report: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
    let schema: serde_json::Value =
        serde_json::from_str(include_str!("../../schemas/apply.json")).unwrap();
    jsonschema::validate(&schema, &report).unwrap_or_else(|error| panic!("{error}: {report:#}"));
    assert_eq!(report["format"], "mixed");
    let of_edits = |key: &str| {
        [0, 1, 2]
            .map(|idx: usize| report["edits"][idx][key].clone())
            .to_vec()
    };
    assert_eq!(
        of_edits("format"),
        ["search-replace", "unified", "whole-file"]
    );
    assert_eq!(of_edits("patch_line"), [3, 13, 20]);
    let after = Some(CONFIG.replace("= 3", "= 5"));
    assert_eq!(
        files(),
        [after, Some("B\n".to_owned()), Some("# New\n".to_owned())]
    );
    undo(dir.path()).says(0, "undone: apply (3 edits)");
    assert_eq!(files(), before);
}

#[test]
fn colours_of_a_terminal_are_set_aside() {
    let dir = folder(&[("a.txt", b"a\n")]);
    let patch = "\x1b[1m--- a/a.txt\x1b[m\n\x1b[1m+++ b/a.txt\x1b[m\n\x1b[36m@@ -1 +1 @@\x1b[m\
        \n\x1b[31m-a\x1b[m\n\x1b[32m+\x1b[m\x1b[32mb\x1b[m\n";
    apply(dir.path(), &["--yes"], patch).says(0, "wrote a.txt");
    assert_eq!(fs::read_to_string(dir.path().join("a.txt")).unwrap(), "b\n");
}

#[cfg(unix)]
#[test]
fn what_is_no_file_is_not_waited_for_and_what_is_read_only_is_said_before_the_question() {
    use std::os::unix::fs::PermissionsExt;
    let dir = folder(&[("a.txt", b"a\n")]);
    if Command::new("mkfifo")
        .arg(dir.path().join("pipe"))
        .status()
        .is_ok_and(|status| status.success())
    {
        apply(dir.path(), &["--yes"], &block("pipe", "a", "b")).says(1, "pipe is not a file");
    } else {
        println!("skipped: there is no mkfifo here");
    }
    fs::set_permissions(dir.path().join("a.txt"), fs::Permissions::from_mode(0o444)).unwrap();
    apply(dir.path(), &["--dry-run"], &block("a.txt", "a", "b"))
        .says(1, "a.txt is read-only; nothing was written");
}

#[test]
fn an_edit_in_words_is_named_and_not_guessed() {
    let dir = folder(&[("config.py", CONFIG.as_bytes())]);
    let code = "```python\ndef load(path):\n    return path\n```\n";
    let words = "Find `MAX_RETRIES = 3` in config.py and change it to `MAX_RETRIES = 5`.\n";
    apply(dir.path(), &["--yes"], words)
        .says(
            1,
            "there is no edit in the patch: line 1 only tells of one (\"Find `MAX_RETRIES",
        )
        .says(1, "hint: ask for a search/replace block or a diff");
    let named = format!("Sure.\n\nReplace function `load` in config.py with:\n\n{code}");
    apply(dir.path(), &["--yes"], &named)
        .says(
            1,
            "line 3 tells in words what the code replaces (\"Replace function `load` in",
        )
        .says(1, "hint: ask for a search/replace block or a diff");
    let unnamed = format!("Replace function `load` with:\n\n{code}");
    apply(dir.path(), &["--yes"], &unnamed).says(1, "line 1 only tells of one");
    let text = fs::read_to_string(dir.path().join("config.py")).unwrap();
    assert_eq!(text, CONFIG);
}
