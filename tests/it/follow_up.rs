//! Follow-ups: a further sentence at the question amends the edits that are not written, or adds to
//! them; after a write, the next task knows the edit.

use crate::support::script::{Script, Turn, answer};
use crate::support::terminal::Terminal;
use crate::support::{PROGRAM, Run, folder, quiet};
use slotwright::constrain::{SlotSpec, Spec};
use slotwright::engine::{Part, Request};
use slotwright::slots::Slot;
use std::fs;
use std::path::Path;
use std::process::Command;
use tempfile::TempDir;

const STORE: &str = "def load(path):\n    return open(path)\n\n\n\
                     def save(path, text):\n    write(path, text)\n";
const README: &str = "# Store\n\nload opens a path.\n";
const PICK: &str = r#"{"path":"store.py","operation":"replace"}"#;
const PICK_README: &str = r#"{"path":"README.md","operation":"replace"}"#;
const DONE: &str = r#"{"operation":"none","reason":"already_done"}"#;
const LOAD: &str = r#"{"old":"open(path)","new":"open(path, timeout=10)"}"#;
const SAVE: &str = r#"{"old":"write(path, text)","new":"write(path, text, timeout=10)"}"#;

fn store() -> TempDir {
    folder(&[
        ("store.py", STORE.as_bytes()),
        ("README.md", README.as_bytes()),
    ])
}

fn text(dir: &TempDir, path: &str) -> String {
    fs::read_to_string(dir.path().join(path)).unwrap()
}

/// A task at a terminal.
fn edit(dir: &TempDir, script: &Script, arguments: &str) -> Option<Terminal> {
    Terminal::edit(
        script,
        dir.path(),
        &format!("{arguments} 'Give up after 10 seconds.'"),
    )
}

/// Slots that replace a text.
fn replace(old: &str, new: &str) -> String {
    format!(r#"{{"old":"{old}","new":"{new}"}}"#)
}

fn prompt(request: &Request) -> String {
    request.prompt.iter().map(Part::as_str).collect()
}

fn undo(root: &Path, arguments: &[&str]) -> Run {
    let mut command = Command::new(PROGRAM);
    command.arg("undo").arg("--root").arg(root).args(arguments);
    Run::from(quiet(&mut command).output().unwrap())
}

#[test]
fn a_part_is_undone_by_a_sentence_that_is_typed_at_the_question() {
    let dir = store();
    let back = replace("open(path, timeout=10)", "open(path)");
    let script = Script::adapted(&[PICK, LOAD, PICK, SAVE, DONE, PICK, &back, DONE]);
    let Some(mut terminal) = edit(&dir, &script, "") else {
        return;
    };
    terminal.answer("Change store.py? [y/N/s/m/f/o/r/?] ", "No, only in save\n");
    terminal.answer("Change store.py? [y/N/e/m/f/o/r/?] ", "y\n");
    terminal.wait_for("wrote store.py");
    assert_eq!(terminal.exit_code(), Some(0), "{}", terminal.screen);
    let saved = STORE.replace("write(path, text)", "write(path, text, timeout=10)");
    assert_eq!(text(&dir, "store.py"), saved);

    // The model sees the files as they would be, and is told how they came to be so.
    let told = prompt(&script.requests()[5]);
    assert!(
        told.contains("    return open(path, timeout=10)\n\n\ndef save"),
        "{told}"
    );
    let form = "Task: Give up after 10 seconds.\n\nDone so far:\nstore.py\n\
                -    return open(path)\n+    return open(path, timeout=10)\n\
                -    write(path, text)\n+    write(path, text, timeout=10)\n\n\
                Now: No, only in save";
    assert!(told.contains(form), "{told}");
    let listed = undo(dir.path(), &["--list"]).says(0, "").stdout;
    let what = "Give up after 10 seconds; No, only in save";
    assert!(listed.contains(what), "{listed}");
}

#[test]
fn what_is_added_is_one_change_with_what_was_there() {
    let dir = store();
    let readme = replace("load opens a path.", "load opens a path within 10 seconds.");
    let script = Script::of(&[PICK, LOAD, PICK_README, &readme]);
    let Some(mut terminal) = edit(&dir, &script, "") else {
        return;
    };
    let question = "Change store.py? [y/N/e/f/o/r/?] ";
    terminal.answer(question, "?\n");
    terminal.wait_for("f  a follow-up");
    terminal.answer(question, "f\n");
    terminal.answer("What else: ", "also in the README\n");
    terminal.answer("Change 2 files? [y/N/s/f/o/r/?] ", "y\n");
    terminal.wait_for("wrote store.py, README.md");
    assert_eq!(terminal.exit_code(), Some(0), "{}", terminal.screen);
    assert!(text(&dir, "README.md").contains("within 10 seconds"));
    assert!(text(&dir, "store.py").contains("timeout=10"));
    undo(dir.path(), &[]).says(0, "");
    assert_eq!(text(&dir, "README.md"), README);
    assert_eq!(text(&dir, "store.py"), STORE);
}

#[test]
fn edits_are_amended_again_and_again_and_words_are_of_the_first_task() {
    let dir = store();
    let ten = replace("timeout=10", "timeout=20");
    let twenty = replace("timeout=20", "timeout=30");
    let other = replace("timeout=20", "timeout=40");
    let anew = replace("open(path)", "open(path, None)");
    let script = Script::of(&[
        PICK, LOAD, PICK, &ten, PICK, &twenty, PICK, &other, PICK, &anew,
    ]);
    let Some(mut terminal) = edit(&dir, &script, "") else {
        return;
    };
    let question = "Change store.py? [y/N/e/f/o/r/?] ";
    terminal.answer(question, "use 20\n");
    terminal.wait_for("+    return open(path, timeout=20)");
    terminal.answer(question, "rather 30\n");
    terminal.wait_for("+    return open(path, timeout=30)");
    // Another answer to the last sentence.
    terminal.answer(question, "o\n");
    terminal.wait_for("+    return open(path, timeout=40)");
    // Other words are about the file as it is.
    terminal.answer(question, "r\n");
    terminal.answer("In other words: ", "Open it with None\n");
    terminal.wait_for("+    return open(path, None)");
    terminal.answer(question, "y\n");
    assert_eq!(terminal.exit_code(), Some(0), "{}", terminal.screen);
    let expected = STORE.replace("open(path)", "open(path, None)");
    assert_eq!(text(&dir, "store.py"), expected);

    let requests = script.requests();
    let second = prompt(&requests[4]);
    let form = "Give up after 10 seconds; use 20\n\nDone so far:\nstore.py\n\
                -    return open(path)\n+    return open(path, timeout=20)\n\nNow: rather 30";
    assert!(second.contains(form), "{second}");
    assert!(prompt(&requests[8]).contains("Task: Open it with None<|im_end|>"));
}

#[test]
fn a_follow_up_that_changes_nothing_leaves_the_edits() {
    let dir = store();
    let back = replace("open(path, timeout=10)", "open(path)");
    let script = Script::of(&[PICK, LOAD, DONE, PICK, &back]);
    let Some(mut terminal) = edit(&dir, &script, "") else {
        return;
    };
    let question = "Change store.py? [y/N/e/f/o/r/?] ";
    terminal.answer(question, "is that all?\n");
    terminal.wait_for("the model says that it is done already");
    terminal.wait_for("this is the edit from before");
    terminal.answer(question, "leave load alone\n");
    terminal.wait_for("nothing would be left of the edits");
    // No sentence is said, or none that is one.
    terminal.answer(question, "f\n");
    terminal.answer("What else: ", "\n");
    for keys in ["y y\n", "sure\n"] {
        terminal.answer(question, keys);
        terminal.wait_for("r  say the task again in other words");
    }
    terminal.answer(question, "y\n");
    terminal.wait_for("wrote store.py");
    assert_eq!(terminal.exit_code(), Some(0), "{}", terminal.screen);
    assert_eq!(
        text(&dir, "store.py"),
        STORE.replace("(path)\n\n", "(path, timeout=10)\n\n")
    );
}

#[test]
fn the_end_of_the_input_writes_nothing() {
    let dir = store();
    let script = Script::of(&[PICK, LOAD]);
    let Some(mut terminal) = edit(&dir, &script, "") else {
        return;
    };
    terminal.answer("Change store.py? [y/N/e/f/o/r/?] ", "f\n");
    terminal.answer("What else: ", "\x04");
    terminal.answer("Change store.py? [y/N/e/f/o/r/?] ", "\x04");
    assert_eq!(terminal.exit_code(), Some(3), "{}", terminal.screen);
    assert_eq!(text(&dir, "store.py"), STORE);
}

#[test]
fn what_was_typed_is_given_up_only_if_the_person_says_so() {
    let dir = store();
    let script = Script::of(&[PICK, LOAD, PICK, &replace("timeout=10", "timeout=20")]);
    let editor = dir.path().join("editor.sh");
    fs::write(&editor, "sed -i 's/timeout/wait/' \"$1\"\n").unwrap();
    let line = format!(
        "EDITOR='sh {}' '{PROGRAM}' edit --root '{}' --file store.py 'Give up'",
        editor.display(),
        dir.path().display()
    );
    let Some(mut terminal) = Terminal::run_scripted(&script, &line) else {
        return;
    };
    let question = "Change store.py? [y/N/e/f/o/r/?] ";
    let lost = "What you typed or left out here will be lost. Go on? [y/N] ";
    terminal.answer(question, "e\n");
    terminal.wait_for("+    return open(path, wait=10)");
    terminal.answer(question, "use 20\n");
    terminal.answer(lost, "n\n");
    terminal.answer(question, "use 20\n");
    terminal.answer(lost, "y\n");
    terminal.wait_for("+    return open(path, timeout=20)");
    terminal.answer(question, "y\n");
    assert_eq!(terminal.exit_code(), Some(0), "{}", terminal.screen);
    assert!(text(&dir, "store.py").contains("timeout=20"));
}

#[test]
fn a_follow_up_that_breaks_the_code_is_proposed_with_a_warning() {
    if !cfg!(feature = "grammars") {
        return;
    }
    let dir = store();
    let script = Script::of(&[PICK, LOAD, PICK, &replace("timeout=10)", "timeout=")]);
    let Some(mut terminal) = edit(&dir, &script, "") else {
        return;
    };
    let question = "Change store.py? [y/N/e/f/o/r/?] ";
    terminal.answer(question, "use the default\n");
    terminal.wait_for("warning: ");
    terminal.answer(question, "n\n");
    assert_eq!(terminal.exit_code(), Some(3), "{}", terminal.screen);
    assert_eq!(text(&dir, "store.py"), STORE);
}

#[test]
fn an_unsure_follow_up_is_not_written_anew() {
    let dir = store();
    let slots = replace("timeout=10", "timeout=20");
    let unsure = answer(&slots).sure(Slot::New, 0.4);
    let mut turns: Vec<Turn> = [PICK, LOAD, DONE, PICK].map(answer).to_vec();
    turns.extend([unsure, answer(DONE)]);
    let script = Script::adapted_turns(turns);
    let Some(mut terminal) = edit(&dir, &script, "") else {
        return;
    };
    let question = "Change store.py? [y/N/e/m/f/o/r/?] ";
    terminal.answer(question, "use 20\n");
    terminal.wait_for("+    return open(path, timeout=20)");
    terminal.answer(question, "n\n");
    assert_eq!(terminal.exit_code(), Some(3), "{}", terminal.screen);
}

#[test]
fn given_lines_grow_with_the_edits_in_them() {
    let dir = store();
    let longer = replace("open(path)", "open(\\n        path, timeout=10\\n    )");
    let script = Script::of(&[PICK, &longer, PICK, &replace("timeout=10", "timeout=20")]);
    let Some(mut terminal) = edit(&dir, &script, "--file store.py --lines 1-2") else {
        return;
    };
    let question = "Change store.py? [y/N/e/f/o/r/?] ";
    terminal.answer(question, "use 20\n");
    terminal.answer(question, "y\n");
    terminal.wait_for("wrote store.py");
    assert_eq!(terminal.exit_code(), Some(0), "{}", terminal.screen);
    assert!(text(&dir, "store.py").contains("        path, timeout=20\n    )\n\n\ndef"));
    let requests = script.requests();
    let Spec::Slots(SlotSpec::Replace { shown, .. }) = &requests[3].spec else {
        panic!("{:?}", requests[3].spec)
    };
    assert!(
        shown.prompt_text().ends_with("timeout=10\n    )"),
        "{shown:?}"
    );
}
