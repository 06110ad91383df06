//! `slotwright undo` and `purge`, as a person meets them. The model answers from a script.

use crate::support::script::Script;
use crate::support::terminal::Terminal;
use crate::support::{PROGRAM, Run, folder, quiet, run};
use slotwright::workspace::Workspace;
use slotwright::workspace::journal::Journal;
use std::fs;
use std::path::Path;
use std::process::Command;

const BEFORE: &str = "MAX_RETRIES = 3\n\n\ndef load(path):\n    return open(path).read()\n";

const RAISE: &str = "Change MAX_RETRIES from 3 to 5";
const RENAME: &str = "Rename the function load to fetch everywhere";

/// The model that is right on [`RAISE`].
fn raise() -> Script {
    let slots = r#"{"old":"MAX_RETRIES = 3","new":"MAX_RETRIES = 5"}"#;
    Script::of(&[r#"{"path":"config.py","operation":"replace"}"#, slots])
}

/// The one that is right on [`RENAME`].
fn rename() -> Script {
    let slots = r#"{"old":"load","new":"fetch"}"#;
    Script::of(&[r#"{"path":"config.py","operation":"replace_all"}"#, slots])
}

fn command(name: &str, root: &Path, state: &Path, arguments: &[&str]) -> Run {
    let mut command = Command::new(PROGRAM);
    command.arg(name).arg("--root").arg(root).args(arguments);
    quiet(&mut command).env("XDG_STATE_HOME", state);
    Run::from(command.output().unwrap())
}

fn undo(root: &Path, arguments: &[&str]) -> Run {
    command("undo", root, &crate::support::state(), arguments)
}

#[test]
fn an_edit_is_undone_and_the_one_before_it() {
    let dir = folder(&[("config.py", BEFORE.as_bytes())]);
    let text = || fs::read_to_string(dir.path().join("config.py")).unwrap();
    raise()
        .edit(dir.path(), &["--yes", RAISE])
        .says(0, "wrote config.py");
    let first = text();
    rename()
        .edit(dir.path(), &["--yes", RENAME])
        .says(0, "wrote config.py");
    let list = undo(dir.path(), &["--list"]).says(0, "").stdout;
    let lines: Vec<&str> = list.lines().collect();
    assert_eq!(lines.len(), 2, "{list}");
    assert!(
        lines[0].contains(&format!("ago: {RENAME} [config.py]")),
        "{list}"
    );
    let undone = undo(dir.path(), &[]).says(0, &format!("undone: {RENAME}"));
    assert_eq!(undone.stdout, "config.py\n");
    assert_eq!(text(), first);
    undo(dir.path(), &[]).says(0, &format!("undone: {RAISE}"));
    assert_eq!(text(), BEFORE);
    undo(dir.path(), &[]).says(1, "there is nothing to undo in ");
    assert!(undo(dir.path(), &["--list"]).stdout.contains("(undone)"));
}

#[test]
fn what_was_changed_since_stays() {
    let dir = folder(&[("config.py", BEFORE.as_bytes())]);
    raise()
        .edit(dir.path(), &["--yes", RAISE])
        .says(0, "wrote config.py");
    fs::write(dir.path().join("config.py"), "their work\n").unwrap();
    undo(dir.path(), &[])
        .says(
            1,
            "config.py was changed since slotwright wrote it; nothing was undone",
        )
        .says(1, "both versions of every file are in ");
    assert_eq!(
        fs::read_to_string(dir.path().join("config.py")).unwrap(),
        "their work\n"
    );
}

#[test]
fn an_older_edit_is_refused_and_the_later_ones_are_named() {
    let dir = folder(&[("config.py", BEFORE.as_bytes())]);
    let text = || fs::read_to_string(dir.path().join("config.py")).unwrap();
    raise()
        .edit(dir.path(), &["--yes", RAISE])
        .says(0, "wrote config.py");
    rename()
        .edit(dir.path(), &["--yes", RENAME])
        .says(0, "wrote config.py");
    let both = text();
    undo(dir.path(), &["1"])
        .says(
            1,
            "edit 1 is not the last one: undo 2 first; nothing was undone",
        )
        .says(1, &format!("hint: edit 2 is: {RENAME}"));
    undo(dir.path(), &["9"])
        .says(1, "there is no edit 9 in the journal of ")
        .says(
            1,
            "hint: slotwright undo --list shows the edits with their numbers",
        );
    undo(dir.path(), &["9", "--list"]).says(2, "cannot be used with");
    undo(dir.path(), &["last"]).says(2, "invalid value 'last'");
    assert_eq!(text(), both);
    undo(dir.path(), &["2"]).says(0, &format!("undone: {RENAME}"));
    undo(dir.path(), &["2"]).says(1, "edit 2 is undone already; nothing was undone");
    undo(dir.path(), &["1"]).says(0, &format!("undone: {RAISE}"));
    assert_eq!(text(), BEFORE);
}

#[test]
fn a_dry_run_and_an_edit_that_is_not_confirmed_leave_nothing_to_undo() {
    let dir = folder(&[("config.py", BEFORE.as_bytes())]);
    raise().edit(dir.path(), &["--dry-run", RAISE]).says(0, "");
    raise().edit(dir.path(), &[RAISE]).says(3, "nobody to ask");
    undo(dir.path(), &[]).says(1, "there is nothing to undo in ");
    undo(dir.path(), &["--list"]).says(0, "nothing was written in ");
}

#[test]
fn purge_removes_the_journal_and_the_cache_and_nothing_else() {
    let dir = folder(&[("config.py", BEFORE.as_bytes())]);
    let own = tempfile::tempdir().unwrap();
    let (state, cache) = (own.path().join("state"), own.path().join("cache"));
    let with_own = |command: &mut Command| {
        Run::from(
            quiet(command)
                .env("XDG_STATE_HOME", &state)
                .env("XDG_CACHE_HOME", &cache)
                .output()
                .unwrap(),
        )
    };
    let editing = |arguments: &[&str]| {
        let mut editing = Command::new(PROGRAM);
        editing
            .arg("edit")
            .arg("--root")
            .arg(dir.path())
            .args(arguments)
            .arg(RAISE);
        editing
    };
    let script = raise();
    let mut scripted = editing(&["--yes"]);
    let written = quiet(&mut scripted)
        .envs(script.environment())
        .env("XDG_STATE_HOME", &state);
    Run::from(written.output().unwrap()).says(0, "wrote config.py");
    // Whatever the bundled model makes of it: the cache holds the model, and what it has read.
    with_own(&mut editing(&["--dry-run"]));
    fs::write(cache.join("somebody's"), "other").unwrap();
    // Nobody is there to be asked.
    let refused = with_own(Command::new(PROGRAM).arg("purge"));
    refused.says(2, "hint: slotwright purge history removes what undo needs");
    let cache_only = with_own(Command::new(PROGRAM).args(["purge", "cache"]));
    let cache_only = cache_only.says(0, "removed the cache");
    assert!(!cache_only.stderr.contains("journal"), "{cache_only:?}");
    with_own(&mut editing(&["--dry-run"]));
    let purge = || with_own(Command::new(PROGRAM).args(["purge", "history", "cache"]));
    // While another one writes there, its journal is needed.
    let workspace = Workspace::open(dir.path()).unwrap();
    let journal = Journal::open(&state.join("slotwright"), &workspace).unwrap();
    let kept = purge().says(0, "another slotwright is writing");
    assert!(kept.stderr.contains("removed the cache"), "{kept:?}");
    assert_eq!(journal.entries().unwrap().len(), 1);
    drop(journal);
    purge().says(0, "cannot be undone any more");
    assert_eq!(fs::read_dir(state.join("slotwright")).unwrap().count(), 0);
    assert_eq!(
        fs::read_dir(&cache).unwrap().count(),
        1,
        "what is not ours stays"
    );
    command("undo", dir.path(), &state, &[]).says(1, "there is nothing to undo in ");
    let again = purge().says(0, "");
    assert!(!again.stderr.contains("cache"), "{again:?}");
}

#[test]
fn an_edit_without_a_place_for_the_journal_is_made_and_says_so() {
    let dir = folder(&[("config.py", BEFORE.as_bytes())]);
    let own = tempfile::tempdir().unwrap();
    let no_folder = own.path().join("file");
    fs::write(&no_folder, "not a folder").unwrap();
    let mut command = Command::new(PROGRAM);
    command
        .arg("edit")
        .arg("--root")
        .arg(dir.path())
        .args(["--yes", RAISE]);
    let script = raise();
    quiet(&mut command)
        .envs(script.environment())
        .env("XDG_STATE_HOME", &no_folder);
    Run::from(command.output().unwrap())
        .says(0, "this edit cannot be undone: cannot use the journal in ");
    assert!(
        fs::read_to_string(dir.path().join("config.py"))
            .unwrap()
            .contains("MAX_RETRIES = 5")
    );
}

#[test]
fn a_patch_without_a_place_for_the_journal_is_written_only_if_it_changes_one_file() {
    let dir = folder(&[("a.txt", b"a\n"), ("b.txt", b"b\n")]);
    let own = tempfile::tempdir().unwrap();
    let (no_folder, patch) = (own.path().join("file"), own.path().join("change.diff"));
    fs::write(&no_folder, "not a folder").unwrap();
    let of_a = "--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-a\n+A\n";
    let of_b = "--- a/b.txt\n+++ b/b.txt\n@@ -1 +1 @@\n-b\n+B\n";
    let apply = |text: String| {
        fs::write(&patch, text).unwrap();
        let mut command = Command::new(PROGRAM);
        command
            .args(["apply", "--yes", "--root"])
            .arg(dir.path())
            .arg(&patch);
        Run::from(
            quiet(&mut command)
                .env("XDG_STATE_HOME", &no_folder)
                .output()
                .unwrap(),
        )
    };
    let text = |path: &str| fs::read_to_string(dir.path().join(path)).unwrap();
    apply(of_a.to_owned() + of_b)
        .says(4, "cannot use the journal in ")
        .says(
            4,
            "hint: nothing was written: several files are written only with a journal",
        )
        .says(4, "hint: XDG_STATE_HOME names another folder");
    assert_eq!(
        (text("a.txt"), text("b.txt")),
        ("a\n".to_owned(), "b\n".to_owned())
    );
    apply(of_a.to_owned()).says(0, "this edit cannot be undone: cannot use the journal in ");
    assert_eq!(
        (text("a.txt"), text("b.txt")),
        ("A\n".to_owned(), "b\n".to_owned())
    );
}

#[test]
fn mistakes_say_what_to_do() {
    let mut command = Command::new(PROGRAM);
    run(command.args(["undo", "--root", "/no/such/folder"]))
        .says(2, "cannot use /no/such/folder as the folder to edit");
}

#[test]
fn purge_asks_about_the_cache_and_the_history_apart() {
    let dir = folder(&[("config.py", BEFORE.as_bytes())]);
    let own = tempfile::tempdir().unwrap();
    let (state, cache) = (own.path().join("state"), own.path().join("cache"));
    fs::create_dir_all(cache.join("slotwright")).unwrap();
    let script = raise();
    let mut editing = Command::new(PROGRAM);
    editing.args(["edit", "--yes", RAISE, "--root"]);
    let written = quiet(editing.arg(dir.path()))
        .envs(script.environment())
        .env("XDG_STATE_HOME", &state);
    Run::from(written.output().unwrap()).says(0, "wrote config.py");

    let line = format!(
        "XDG_STATE_HOME='{}' XDG_CACHE_HOME='{}' exec '{PROGRAM}' purge",
        state.display(),
        cache.display()
    );
    let Some(mut terminal) = Terminal::run(&line) else {
        return;
    };
    let of_cache = "Remove the cache? It is made again when it is needed. [y/N] ";
    terminal.answer(of_cache, "y\n");
    terminal.answer("Remove the undo history of all folders? ", "\n");
    assert_eq!(terminal.exit_code(), Some(0), "{}", terminal.screen);
    assert!(!cache.join("slotwright").exists());
    command("undo", dir.path(), &state, &["--list"]).says(0, "");
    assert!(state.join("slotwright/journal").exists(), "it was kept");

    let mut terminal = Terminal::run(&line).unwrap();
    terminal.answer("Remove the undo history of all folders? ", "y\n");
    terminal.wait_for("cannot be undone any more");
    assert_eq!(terminal.exit_code(), Some(0), "{}", terminal.screen);
    command("undo", dir.path(), &state, &[]).says(1, "there is nothing to undo in ");
}
