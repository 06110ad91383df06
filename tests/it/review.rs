//! The review at a terminal: what can be answered apart from yes and no.

use crate::support::script::{Script, Turn, answer};
use crate::support::terminal::Terminal;
use crate::support::{PROGRAM, folder, quiet};
use std::fs;
use std::path::Path;
use std::process::Command;
use tempfile::TempDir;

const PATCH: &str = "\
config.py
<<<<<<< SEARCH
RETRIES = 3
=======
RETRIES = 5
>>>>>>> REPLACE
<<<<<<< SEARCH
    return open(path)
=======
    return open(path, \"rb\")
>>>>>>> REPLACE

notes.txt
<<<<<<< SEARCH
=======
new
>>>>>>> REPLACE
";

/// A file with room for two hunks.
fn config() -> String {
    let middle: String = (1..=9).map(|i| format!("X{i} = {i}\n")).collect();
    format!("RETRIES = 3\n{middle}\n\ndef load(path):\n    return open(path)\n")
}

fn setting() -> TempDir {
    folder(&[
        ("config.py", config().as_bytes()),
        ("p.md", PATCH.as_bytes()),
    ])
}

fn apply(dir: &Path, prefix: &str) -> Option<Terminal> {
    let dir = dir.display();
    Terminal::run(&format!(
        "{prefix} '{PROGRAM}' apply --root '{dir}' '{dir}/p.md'"
    ))
}

fn config_in(dir: &Path) -> String {
    fs::read_to_string(dir.join("config.py")).unwrap()
}

/// An editor that changes a text with sed.
fn editor(dir: &Path, sed: &str) -> String {
    let path = dir.join("editor.sh");
    fs::write(&path, format!("sed -i '{sed}' \"$1\"\n")).unwrap();
    format!("EDITOR='sh {}'", path.display())
}

#[test]
fn hunks_are_taken_one_by_one() {
    let dir = setting();
    let Some(mut terminal) = apply(dir.path(), "") else {
        return;
    };
    terminal.answer("Change 2 files? [y/N/s/?] ", "s\n");
    terminal.answer("Take this hunk (1 of 3, config.py)? [y/n/e/a/d/?] ", "n\n");
    terminal.wait_for("in load");
    terminal.answer("Take this hunk (2 of 3, config.py)? [y/n/e/a/d/?] ", "y\n");
    terminal.answer("Take this hunk (3 of 3, notes.txt)? [y/n/e/a/d/?] ", "n\n");
    terminal.wait_for("wrote config.py, without 2 hunks");
    assert_eq!(terminal.exit_code(), Some(0), "{}", terminal.screen);
    let half = config().replace("(path)\n", "(path, \"rb\")\n");
    let half = half.replace("load(path, \"rb\")", "load(path)");
    assert_eq!(config_in(dir.path()), half);
    assert!(
        !dir.path().join("notes.txt").exists(),
        "what was rejected is not written"
    );
    // The journal holds what was written, and nothing else.
    let undo = format!("'{PROGRAM}' undo --root '{}'", dir.path().display());
    let undone = quiet(&mut Command::new("sh"))
        .args(["-c", &undo])
        .output()
        .unwrap();
    assert_eq!(
        String::from_utf8_lossy(&undone.stdout),
        "config.py\n",
        "{undone:?}"
    );
    assert_eq!(config_in(dir.path()), config());
}

#[cfg(unix)]
#[test]
fn permissions_go_with_the_hunks_that_are_taken_and_a_copy_is_one_piece() {
    use std::os::unix::fs::PermissionsExt;
    let dir = setting();
    let patch = "diff --git a/config.py b/config.py\nold mode 100644\nnew mode 100755\
        \n--- a/config.py\n+++ b/config.py\n@@ -1 +1 @@\n-RETRIES = 3\n+RETRIES = 5\n@@ -13,2 +13,2 @@\
        \n def load(path):\n-    return open(path)\n+    return open(path, \"rb\")\
        \ndiff --git a/config.py b/copy.py\ncopy from config.py\ncopy to copy.py\n--- a/config.py\
        \n+++ b/copy.py\n@@ -2 +2 @@\n-X1 = 1\n+X1 = 2\n";
    fs::write(dir.path().join("p.md"), patch).unwrap();
    fs::set_permissions(
        dir.path().join("config.py"),
        fs::Permissions::from_mode(0o640),
    )
    .unwrap();
    let mode = || {
        fs::metadata(dir.path().join("config.py"))
            .unwrap()
            .permissions()
            .mode()
            & 0o777
    };
    let Some(mut terminal) = apply(dir.path(), "") else {
        return;
    };
    terminal.wait_for("copy from config.py");
    terminal.answer("Change 2 files? [y/N/s/?] ", "s\n");
    terminal.answer("Take this hunk (1 of 3, config.py)?", "y\n");
    terminal.answer("Take this hunk (2 of 3, config.py)?", "n\n");
    terminal.answer("Make the file (3 of 3, copy.py)?", "y\n");
    assert_eq!(terminal.exit_code(), Some(0), "{}", terminal.screen);
    assert_eq!(
        config_in(dir.path()),
        config().replace("= 3\nX1", "= 5\nX1")
    );
    assert_eq!(mode(), 0o750);
    let copy = fs::read_to_string(dir.path().join("copy.py")).unwrap();
    assert_eq!(copy, config().replace("X1 = 1\n", "X1 = 2\n"));
}

#[test]
fn all_that_come_and_none_that_comes() {
    let cases = [
        (
            ["y\n", "d\n"],
            Some(config().replace("= 3\nX1", "= 5\nX1")),
            false,
        ),
        (["n\n", "a\n"], None, true),
        (
            ["a\n", ""],
            Some(
                config()
                    .replace("= 3\nX1", "= 5\nX1")
                    .replace("open(path)", "open(path, \"rb\")"),
            ),
            true,
        ),
    ];
    for (answers, expected, has_notes) in cases {
        let dir = setting();
        let Some(mut terminal) = apply(dir.path(), "") else {
            return;
        };
        terminal.answer("Change 2 files? [y/N/s/?] ", "s\n");
        terminal.answer(
            "Take this hunk (1 of 3, config.py)? [y/n/e/a/d/?] ",
            answers[0],
        );
        if !answers[1].is_empty() {
            terminal.answer(
                "Take this hunk (2 of 3, config.py)? [y/n/e/a/d/?] ",
                answers[1],
            );
        }
        assert_eq!(terminal.exit_code(), Some(0), "{}", terminal.screen);
        let expected =
            expected.unwrap_or_else(|| config().replace("open(path)", "open(path, \"rb\")"));
        assert_eq!(config_in(dir.path()), expected, "{answers:?}");
        assert_eq!(
            dir.path().join("notes.txt").exists(),
            has_notes,
            "{answers:?}"
        );
    }
}

#[test]
fn taking_no_hunk_is_a_no() {
    for answer in ["d\n", "\x04"] {
        let dir = setting();
        let Some(mut terminal) = apply(dir.path(), "") else {
            return;
        };
        terminal.answer("Change 2 files? [y/N/s/?] ", "s\n");
        terminal.answer("Take this hunk (1 of 3, config.py)? [y/n/e/a/d/?] ", answer);
        terminal.wait_for("not confirmed; nothing was written");
        assert_eq!(terminal.exit_code(), Some(3));
        assert_eq!(config_in(dir.path()), config());
    }
}

#[test]
fn a_hunk_is_written_as_it_was_typed() {
    let dir = setting();
    let editor = editor(dir.path(), "s/RETRIES = 5/RETRIES = 7/");
    let Some(mut terminal) = apply(dir.path(), &editor) else {
        return;
    };
    terminal.answer("Change 2 files? [y/N/s/?] ", "s\n");
    terminal.answer("Take this hunk (1 of 3, config.py)? [y/n/e/a/d/?] ", "e\n");
    terminal.answer("Take this hunk (2 of 3, config.py)? [y/n/e/a/d/?] ", "d\n");
    terminal.wait_for("wrote config.py, without 2 hunks, with 1 hunk as you typed it");
    assert_eq!(terminal.exit_code(), Some(0), "{}", terminal.screen);
    assert_eq!(
        config_in(dir.path()),
        config().replace("RETRIES = 3", "RETRIES = 7")
    );
}

const BEFORE: &str = "def process_item(item):\r\n    return len(item)\r\n";
const PICK: &str = r#"{"path":"tool.py","operation":"replace"}"#;
const TASK: &str = "'Count twice'";

fn slots(new: &str) -> String {
    format!(r#"{{"old":"len(item)","new":"{new}"}}"#)
}

fn tool() -> TempDir {
    folder(&[("tool.py", BEFORE.as_bytes())])
}

fn tool_in(dir: &Path) -> String {
    fs::read_to_string(dir.join("tool.py")).unwrap()
}

fn edit(script: &Script, dir: &Path, prefix: &str) -> Option<Terminal> {
    let line = format!(
        "{prefix} '{PROGRAM}' edit --root '{}' {TASK}",
        dir.display()
    );
    Terminal::run_scripted(script, &line)
}

const QUESTION: &str = "Change tool.py? [y/N/e/f/o/r/?] ";

#[test]
fn what_was_typed_is_shown_again_and_keeps_its_line_endings() {
    let dir = tool();
    let script = Script::of(&[PICK, &slots("2 * len(item)")]);
    let editor = editor(dir.path(), "s/2 \\* len/3 * len/; $ a # mine");
    let Some(mut terminal) = edit(&script, dir.path(), &editor) else {
        return;
    };
    terminal.answer(QUESTION, "e\n");
    terminal.wait_for("+# mine");
    terminal.answer(QUESTION, "y\n");
    terminal.wait_for("wrote tool.py, with 1 hunk as you typed it");
    assert_eq!(terminal.exit_code(), Some(0));
    let expected = "def process_item(item):\r\n    return 3 * len(item)\r\n# mine\r\n";
    assert_eq!(tool_in(dir.path()), expected);
}

#[test]
fn what_was_typed_and_breaks_the_code_has_a_warning() {
    let dir = tool();
    let script = Script::of(&[PICK, &slots("2 * len(item)")]);
    let editor = editor(dir.path(), "s/item):/item:/");
    let Some(mut terminal) = edit(&script, dir.path(), &editor) else {
        return;
    };
    terminal.answer(QUESTION, "e\n");
    if cfg!(feature = "grammars") {
        terminal.wait_for("warning: ");
    }
    terminal.answer(QUESTION, "n\n");
    assert_eq!(terminal.exit_code(), Some(3));
    assert_eq!(tool_in(dir.path()), BEFORE);
}

#[test]
fn an_editor_that_fails_changes_nothing() {
    for (prefix, said) in [
        ("EDITOR=false", "the editor (false) failed: exit status: 1"),
        (
            "EDITOR=/no/such/editor",
            "the editor (/no/such/editor) failed: exit status: 127",
        ),
        ("EDITOR=true", "the text is as it was"),
        (
            "EDITOR='truncate -s 0'",
            "the text is empty, so it is as it was",
        ),
        ("VISUAL=true EDITOR=false", "the text is as it was"),
    ] {
        let dir = tool();
        let script = Script::of(&[PICK, &slots("2 * len(item)")]);
        let Some(mut terminal) = edit(&script, dir.path(), prefix) else {
            return;
        };
        terminal.answer(QUESTION, "e\n");
        terminal.wait_for(said);
        terminal.answer(QUESTION, "y\n");
        assert_eq!(
            terminal.exit_code(),
            Some(0),
            "{prefix}: {}",
            terminal.screen
        );
        assert_eq!(
            tool_in(dir.path()),
            BEFORE.replace("len", "2 * len"),
            "{prefix}"
        );
    }
}

#[test]
fn another_answer_is_one_that_was_not_offered_yet() {
    let dir = tool();
    let (first, second) = (slots("2 * len(item)"), slots("len(item) * 2"));
    let script = Script::of(&[PICK, &first, PICK, &first, PICK, &second]);
    let Some(mut terminal) = edit(&script, dir.path(), "") else {
        return;
    };
    terminal.answer(QUESTION, "o\n");
    terminal.wait_for("+    return len(item) * 2");
    terminal.answer(QUESTION, "y\n");
    assert_eq!(terminal.exit_code(), Some(0), "{}", terminal.screen);
    assert_eq!(
        tool_in(dir.path()),
        BEFORE.replace("len(item)", "len(item) * 2")
    );
}

#[test]
#[cfg(feature = "grammars")]
fn another_answer_that_breaks_the_code_is_passed_over_if_there_is_a_third() {
    let (first, broken) = (slots("2 * len(item)"), slots("len(item"));
    let third = slots("len(item) * 2");
    let again = [PICK, first.as_str()];
    for (turns, expected) in [
        (
            [&again[..], &[PICK, &broken], &[PICK, &third]].concat(),
            "+    return len(item) * 2",
        ),
        (
            [&again[..], &[PICK, &broken], &again, &again, &again].concat(),
            "+    return len(item\r",
        ),
    ] {
        let dir = tool();
        let script = Script::of(&turns);
        let Some(mut terminal) = edit(&script, dir.path(), "") else {
            return;
        };
        terminal.answer(QUESTION, "o\n");
        terminal.wait_for(expected);
        terminal.answer(QUESTION, "n\n");
        assert_eq!(terminal.exit_code(), Some(3), "{}", terminal.screen);
    }
}

#[test]
fn where_no_other_answer_comes_the_edit_from_before_stands() {
    let dir = tool();
    let first = slots("2 * len(item)");
    let turns: Vec<&str> = [PICK, first.as_str()].repeat(5);
    let script = Script::of(&turns);
    let Some(mut terminal) = edit(&script, dir.path(), "") else {
        return;
    };
    terminal.answer(QUESTION, "o\n");
    terminal.wait_for("the model has no other edit: 4 more answers led to none");
    terminal.answer(QUESTION, "y\n");
    assert_eq!(terminal.exit_code(), Some(0), "{}", terminal.screen);
    assert_eq!(tool_in(dir.path()), BEFORE.replace("len", "2 * len"));
}

#[test]
fn what_was_typed_is_not_given_up_without_a_word() {
    let (first, second) = (slots("2 * len(item)"), slots("len(item) * 2"));
    let lost = "What you typed or left out here will be lost. Go on? [y/N] ";
    for key in ["o\n", "r\n"] {
        let dir = tool();
        let script = Script::of(&[PICK, &first]);
        let editor = editor(dir.path(), "s/2 \\* len/3 * len/");
        let Some(mut terminal) = edit(&script, dir.path(), &editor) else {
            return;
        };
        terminal.answer(QUESTION, "e\n");
        terminal.wait_for("+    return 3 * len(item)");
        terminal.answer(QUESTION, key);
        terminal.answer(lost, "n\n");
        terminal.answer(QUESTION, "y\n");
        terminal.wait_for("wrote tool.py, with 1 hunk as you typed it");
        assert_eq!(terminal.exit_code(), Some(0), "{}", terminal.screen);
        assert_eq!(tool_in(dir.path()), BEFORE.replace("len", "3 * len"));
    }
    let dir = tool();
    let script = Script::of(&[PICK, &first, PICK, &second]);
    let editor = editor(dir.path(), "s/2 \\* len/3 * len/");
    let Some(mut terminal) = edit(&script, dir.path(), &editor) else {
        return;
    };
    terminal.answer(QUESTION, "e\n");
    terminal.answer(QUESTION, "o\n");
    terminal.answer(lost, "y\n");
    terminal.wait_for("+    return len(item) * 2");
    terminal.answer(QUESTION, "y\n");
    assert_eq!(terminal.exit_code(), Some(0), "{}", terminal.screen);
    assert_eq!(
        tool_in(dir.path()),
        BEFORE.replace("len(item)", "len(item) * 2")
    );
}

#[test]
fn edits_that_touch_are_taken_one_by_one() {
    const RENAMED: &str = r#"{"old":"process_item(item):","new":"process_item(items):"}"#;
    const COUNTED: &str = r#"{"old":"len(item)","new":"2 * len(item)"}"#;
    const NOTED: &str =
        r#"{"anchor":"def process_item(item):","position":"below","text":"    # counts"}"#;
    let insert = r#"{"path":"tool.py","operation":"insert"}"#;
    let done = r#"{"operation":"none","reason":"already_done"}"#;
    for (edits, answers, expected) in [
        (
            [PICK, RENAMED, PICK, COUNTED],
            ["y\n", "n\n"],
            "def process_item(items):\r\n    return len(item)\r\n",
        ),
        (
            [PICK, COUNTED, PICK, RENAMED],
            ["n\n", "y\n"],
            "def process_item(item):\r\n    return 2 * len(item)\r\n",
        ),
        (
            [PICK, COUNTED, insert, NOTED],
            ["y\n", "n\n"],
            "def process_item(item):\r\n    # counts\r\n    return len(item)\r\n",
        ),
        (
            [insert, NOTED, PICK, RENAMED],
            ["y\n", "n\n"],
            "def process_item(items):\r\n    return len(item)\r\n",
        ),
    ] {
        const REST: &str = "\r\n\r\nprint(process_item([]))\r\n";
        let before = BEFORE.to_owned() + REST;
        let dir = folder(&[("tool.py", before.as_bytes())]);
        let script = Script::adapted(&[&edits[..], &[done]].concat());
        let Some(mut terminal) = edit(&script, dir.path(), "") else {
            return;
        };
        terminal.answer("Change tool.py? [y/N/s/m/f/o/r/?] ", "s\n");
        terminal.answer(
            "Take this hunk (1 of 2, tool.py)? [y/n/e/a/d/?] ",
            answers[0],
        );
        terminal.wait_for("Take this hunk (2 of 2, tool.py)?");
        let shown = terminal.screen.rsplit("(answered)").next().unwrap();
        assert_eq!(
            shown.matches("\n+").count(),
            1,
            "one edit is shown: {shown}"
        );
        terminal.answer(
            "Take this hunk (2 of 2, tool.py)? [y/n/e/a/d/?] ",
            answers[1],
        );
        terminal.wait_for("wrote tool.py, without 1 hunk");
        assert_eq!(terminal.exit_code(), Some(0), "{}", terminal.screen);
        assert_eq!(tool_in(dir.path()), expected.to_owned() + REST, "{edits:?}");
    }
}

#[test]
fn an_edit_that_is_missing_is_asked_for() {
    let dir = folder(&[("tool.py", BEFORE.as_bytes()), ("use.py", b"import tool\n")]);
    let done = r#"{"operation":"none","reason":"already_done"}"#;
    let (tool, other) = (
        slots("2 * len(item)"),
        r#"{"old":"import tool","new":"from tool import *"}"#,
    );
    let pick = r#"{"path":"use.py","operation":"replace"}"#;
    let script = Script::adapted(&[PICK, &tool, done, pick, other, done]);
    let Some(mut terminal) = edit(&script, dir.path(), "") else {
        return;
    };
    let question = "Change tool.py? [y/N/e/m/f/o/r/?] ";
    terminal.answer(question, "?\n");
    terminal.wait_for("m  more: these edits are right, and one is missing");
    terminal.answer(question, "m\n");
    terminal.wait_for("+from tool import *");
    terminal.answer("Change 2 files? [y/N/s/m/f/o/r/?] ", "y\n");
    terminal.wait_for("wrote tool.py, use.py");
    assert_eq!(terminal.exit_code(), Some(0), "{}", terminal.screen);
    assert_eq!(tool_in(dir.path()), BEFORE.replace("len", "2 * len"));
}

#[test]
fn a_text_that_was_typed_is_no_answer_to_go_on_from() {
    let dir = tool();
    let done = r#"{"operation":"none","reason":"already_done"}"#;
    let script = Script::adapted(&[PICK, &slots("2 * len(item)"), done]);
    let editor = editor(dir.path(), "s/2/3/");
    let Some(mut terminal) = edit(&script, dir.path(), &editor) else {
        return;
    };
    terminal.answer("Change tool.py? [y/N/e/m/f/o/r/?] ", "e\n");
    terminal.wait_for("+    return 3 * len(item)");
    terminal.answer(QUESTION, "y\n");
    assert_eq!(terminal.exit_code(), Some(0), "{}", terminal.screen);
    assert_eq!(tool_in(dir.path()), BEFORE.replace("len", "3 * len"));
}

#[test]
fn where_the_missing_edit_cannot_be_made_the_ones_before_stand() {
    let dir = folder(&[
        ("tool.py", BEFORE.as_bytes()),
        ("latin.txt", b"caf\xe9 = 1\n"),
    ]);
    let done = r#"{"operation":"none","reason":"already_done"}"#;
    let pick = r#"{"path":"latin.txt","operation":"replace"}"#;
    let fails = r#"{"old":"1","new":"中"}"#;
    let script = Script::adapted(&[PICK, &slots("2 * len(item)"), done, pick, fails]);
    let Some(mut terminal) = edit(&script, dir.path(), "") else {
        return;
    };
    terminal.answer("Change tool.py? [y/N/e/m/f/o/r/?] ", "m\n");
    terminal.wait_for("this is the edit from before");
    terminal.wait_for("the model's next edit cannot be written");
    terminal.answer(QUESTION, "y\n"); // there is nothing to go on from any more
    // Nothing is left out of what was asked about.
    assert_eq!(terminal.exit_code(), Some(0), "{}", terminal.screen);
    assert_eq!(tool_in(dir.path()), BEFORE.replace("len", "2 * len"));
}

#[test]
fn the_task_can_be_said_in_other_words() {
    let dir = tool();
    let (first, second) = (slots("2 * len(item)"), slots("len(item) + 2"));
    let none = r#"{"operation":"none","reason":"unclear"}"#;
    let script = Script::of(&[PICK, &first, PICK, &second, none]);
    let Some(mut terminal) = edit(&script, dir.path(), "") else {
        return;
    };
    terminal.answer(QUESTION, "r\n");
    terminal.answer("In other words: ", "\n");
    terminal.answer(QUESTION, "r\n");
    terminal.answer("In other words: ", "Add\x1b[D\x1b[D two\n"); // arrows are no words
    terminal.wait_for("+    return len(item) + 2");
    let told = serde_json::to_string(&script.requests()[2].prompt).unwrap();
    assert!(told.contains("Add two") && !told.contains("[D"), "{told}");
    terminal.answer(QUESTION, "r\n");
    terminal.answer("In other words: ", "Hm\n");
    terminal.wait_for("this is the edit from before");
    // What cannot be asked at all loses nothing either.
    terminal.answer(QUESTION, "r\n");
    terminal.answer("In other words: ", "In tol.py, add two\n");
    terminal.wait_for("there is no such file");
    terminal.answer(QUESTION, "y\n");
    assert_eq!(terminal.exit_code(), Some(0), "{}", terminal.screen);
    assert_eq!(
        tool_in(dir.path()),
        BEFORE.replace("len(item)", "len(item) + 2")
    );
    let list = format!("'{PROGRAM}' undo --list --root '{}'", dir.path().display());
    let listed = quiet(&mut Command::new("sh"))
        .args(["-c", &list])
        .output()
        .unwrap();
    assert!(
        String::from_utf8_lossy(&listed.stdout).contains("Add two"),
        "{listed:?}"
    );
}

#[test]
fn anything_else_is_explained() {
    let dir = tool();
    let script = Script::of(&[PICK, &slots("2 * len(item)")]);
    let Some(mut terminal) = edit(&script, dir.path(), "") else {
        return;
    };
    terminal.answer(QUESTION, "?\n");
    terminal.wait_for("r  say the task again in other words");
    terminal.answer(QUESTION, "maybe\n");
    terminal.wait_for("y  yes: write it");
    terminal.answer(QUESTION, "n\n");
    assert_eq!(terminal.exit_code(), Some(3));
    assert_eq!(tool_in(dir.path()), BEFORE);
}

#[test]
fn a_terminal_of_lines_gets_the_plain_question() {
    let dir = tool();
    let script = Script::of(&[PICK, &slots("2 * len(item)")]);
    let Some(mut terminal) = edit(&script, dir.path(), "TERM=dumb") else {
        return;
    };
    terminal.answer("Change tool.py? [y/N] ", "e\n");
    terminal.wait_for("not confirmed; nothing was written");
    assert_eq!(terminal.exit_code(), Some(3));
}

/// A function that is used in another file, and what asks to rename it.
fn two_files() -> (TempDir, Script) {
    let other = "from tool import process_item\n# process_item is slow\nprint(process_item('x'))\n";
    let dir = folder(&[
        ("tool.py", BEFORE.as_bytes()),
        ("other.py", other.as_bytes()),
        ("notes.md", b"process_item counts\n"),
    ]);
    let slots = r#"{"old":"process_item","new":"count_item"}"#;
    (
        dir,
        Script::of(&[r#"{"path":"tool.py","operation":"replace_all"}"#, slots]),
    )
}

fn other_in(dir: &Path) -> String {
    fs::read_to_string(dir.join("other.py")).unwrap()
}

#[test]
fn uses_in_other_files_are_renamed_with_the_definition() {
    let (dir, script) = two_files();
    let Some(mut terminal) = edit(&script, dir.path(), "") else {
        return;
    };
    terminal.wait_for("process_item is used in 1 other file (other.py), where the model left it");
    terminal.answer("Change 2 files? [y/N/s/f/o/r/?] ", "y\n");
    terminal.wait_for("wrote tool.py, other.py");
    assert_eq!(terminal.exit_code(), Some(0), "{}", terminal.screen);
    let comment = if cfg!(feature = "grammars") {
        "process_item"
    } else {
        "count_item"
    };
    let expected =
        format!("from tool import count_item\n# {comment} is slow\nprint(count_item('x'))\n");
    assert_eq!(other_in(dir.path()), expected);
    assert_eq!(
        tool_in(dir.path()),
        BEFORE.replace("process_item", "count_item")
    );
    assert_eq!(
        fs::read_to_string(dir.path().join("notes.md")).unwrap(),
        "process_item counts\n"
    );
}

#[test]
fn uses_are_renamed_in_a_file_with_edits_of_its_own_too() {
    let (dir, _) = two_files();
    let done = r#"{"operation":"none","reason":"already_done"}"#;
    let script = Script::adapted(&[
        r#"{"path":"tool.py","operation":"replace_all"}"#,
        r#"{"old":"process_item","new":"count_item"}"#,
        done,
        r#"{"path":"other.py","operation":"replace"}"#,
        r#"{"old":"from tool import process_item","new":"from tool import count_item"}"#,
        done,
    ]);
    let Some(mut terminal) = edit(&script, dir.path(), "") else {
        return;
    };
    terminal.answer("Change 2 files? [y/N/s/m/f/o/r/?] ", "m\n");
    terminal.wait_for("where the model left it: the new name is put there too");
    terminal.answer("Change 2 files? [y/N/s/m/f/o/r/?] ", "y\n");
    assert_eq!(terminal.exit_code(), Some(0), "{}", terminal.screen);
    let other = other_in(dir.path());
    assert!(
        other.contains("import count_item\n") && other.contains("print(count_item("),
        "{other}"
    );
}

#[test]
fn uses_stay_renamed_where_the_model_cannot_go_on() {
    let (dir, _) = two_files();
    let script = Script::adapted_turns(vec![
        answer(r#"{"path":"tool.py","operation":"replace_all"}"#),
        answer(r#"{"old":"process_item","new":"count_item"}"#),
        answer(r#"{"operation":"none","reason":"already_done"}"#),
        Turn::Crash,
    ]);
    let Some(mut terminal) = edit(&script, dir.path(), "") else {
        return;
    };
    terminal.answer("Change 2 files? [y/N/s/m/f/o/r/?] ", "m\n");
    terminal.wait_for("this is the edit from before");
    terminal.answer("Change 2 files? ", "y\n");
    assert_eq!(terminal.exit_code(), Some(0), "{}", terminal.screen);
    assert!(other_in(dir.path()).contains("import count_item\n"));
}

#[test]
fn other_files_stay_where_files_are_named() {
    let (dir, script) = two_files();
    let before = other_in(dir.path());
    let said = "warning: process_item is now called count_item, and 1 other file still has the old \
                name (other.py)";
    script
        .edit(dir.path(), &["--dry-run", "Rename it"])
        .says(0, "the new name is put there too");
    script
        .edit(dir.path(), &["--yes", "--file", "tool.py", "Rename it"])
        .says(1, said);
    let line = format!(
        "'{PROGRAM}' edit --root '{}' --file tool.py 'Rename it'",
        dir.path().display()
    );
    let Some(mut terminal) = Terminal::run_scripted(&script, &line) else {
        return;
    };
    terminal.wait_for(said);
    terminal.answer("Change tool.py? [y/N/e/f/o/r/?] ", "y\n");
    assert_eq!(terminal.exit_code(), Some(0), "{}", terminal.screen);
    assert_eq!(other_in(dir.path()), before);
}

#[test]
fn other_files_are_offered_where_the_task_names_them_too() {
    let (dir, script) = two_files();
    let line = format!(
        "'{PROGRAM}' edit --root '{}' 'In tool.py and other.py, rename process_item'",
        dir.path().display()
    );
    let Some(mut terminal) = Terminal::run_scripted(&script, &line) else {
        return;
    };
    terminal.answer("Change 2 files? [y/N/s/f/o/r/?] ", "y\n");
    terminal.wait_for("wrote tool.py, other.py");
    assert_eq!(terminal.exit_code(), Some(0), "{}", terminal.screen);
    assert!(other_in(dir.path()).starts_with("from tool import count_item\n"));
}

#[test]
fn where_nobody_can_tell_whose_uses_they_are_nothing_is_offered() {
    for (text, said) in [
        (
            "def process_item():\n    pass\n",
            "1 other file still has the old name (other.py); third.py defines process_item too",
        ),
        (
            "count_item = process_item\n",
            "2 other files still have the old name (other.py, third.py)",
        ),
    ] {
        let (dir, script) = two_files();
        fs::write(dir.path().join("third.py"), text).unwrap();
        script
            .edit(dir.path(), &["--yes", "Rename it"])
            .says(1, said);
        let Some(mut terminal) = edit(&script, dir.path(), "") else {
            return;
        };
        terminal.wait_for(said);
        terminal.answer(QUESTION, "n\n");
        assert_eq!(terminal.exit_code(), Some(3), "{}", terminal.screen);
    }
}

#[test]
fn what_was_done_to_the_files_that_were_taken_is_said() {
    let dir = setting();
    fs::write(dir.path().join("old.py"), "x = 1\n").unwrap();
    let removal = "--- a/old.py\n+++ /dev/null\n@@ -1 +0,0 @@\n-x = 1\n";
    let change =
        "--- a/config.py\n+++ b/config.py\n@@ -1,2 +1,2 @@\n-RETRIES = 3\n+RETRIES = 5\n X1 = 1\n";
    fs::write(dir.path().join("p.md"), format!("{change}{removal}")).unwrap();
    let Some(mut terminal) = apply(dir.path(), "") else {
        return;
    };
    terminal.answer("Change config.py and delete old.py? [y/N/s/?] ", "s\n");
    terminal.answer("Take this hunk (1 of 2, config.py)? [y/n/e/a/d/?] ", "n\n");
    terminal.answer("Delete the file (2 of 2, old.py)? [y/n/a/d/?] ", "y\n");
    terminal.wait_for("removed old.py, without 1 hunk");
    assert_eq!(terminal.exit_code(), Some(0), "{}", terminal.screen);
    assert!(!dir.path().join("old.py").exists());
    assert_eq!(config_in(dir.path()), config());
}
