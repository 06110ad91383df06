//! At the question of `edit`: quitting, stopping the model, and asking again where there is no edit.

use crate::support::folder;
use crate::support::script::{Script, Turn, answer};
use crate::support::terminal::Terminal;
use std::fs;
use std::path::Path;
use std::time::Duration;
use tempfile::TempDir;

const BEFORE: &str = "TIMEOUT = 30\nRETRIES = 3\n";
const PICK: &str = r#"{"path":"config.py","operation":"replace"}"#;
const SIXTY: &str = r#"{"old":"TIMEOUT = 30","new":"TIMEOUT = 60"}"#;
const NINETY: &str = r#"{"old":"TIMEOUT = 30","new":"TIMEOUT = 90"}"#;
const SAME: &str = r#"{"old":"TIMEOUT = 30","new":"TIMEOUT = 30"}"#;
const UNCLEAR: &str = r#"{"operation":"none","reason":"unclear"}"#;
const ELSEWHERE: &str = r#"{"operation":"none","reason":"not_in_these_files"}"#;

const QUESTION: &str = "Change config.py? [y/N/e/f/o/r/?] ";
const NO_EDIT: &str = "There is no edit. Try again? [N/o/r/?] ";

fn config() -> TempDir {
    folder(&[("config.py", BEFORE.as_bytes())])
}

fn text(dir: &TempDir) -> String {
    fs::read_to_string(dir.path().join("config.py")).unwrap()
}

fn edit(script: &Script, root: &Path) -> Option<Terminal> {
    Terminal::edit(script, root, "'Give it more time'")
}

fn stuck_after(answers: &[&str]) -> Script {
    let mut turns: Vec<Turn> = answers.iter().map(|text| answer(text)).collect();
    turns.push(Turn::Silence);
    Script::new(turns)
}

/// Waits until the model has been asked so often.
fn wait_until_asked(script: &Script, n: usize) {
    while script.requests_so_far() < n {
        std::thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn q_quits_and_writes_nothing() {
    let dir = config();
    let script = Script::of(&[PICK, SIXTY]);
    let Some(mut terminal) = edit(&script, dir.path()) else {
        return;
    };
    terminal.answer(QUESTION, "?\n");
    terminal.wait_for("n  no: write nothing (q too)");
    terminal.answer(QUESTION, "q\n");
    assert_eq!(terminal.exit_code(), Some(3), "{}", terminal.screen);
    assert_eq!(text(&dir), BEFORE);
}

#[test]
fn q_among_the_hunks_takes_none_of_them() {
    let before = format!("{BEFORE}{}TIMEOUT = 30\n", "\n".repeat(12));
    let dir = folder(&[("config.py", before.as_bytes())]);
    let all = r#"{"old":"TIMEOUT","new":"WAIT"}"#;
    let script = Script::of(&[r#"{"path":"config.py","operation":"replace_all"}"#, all]);
    let Some(mut terminal) = edit(&script, dir.path()) else {
        return;
    };
    terminal.answer("Change config.py? [y/N/s/f/o/r/?] ", "s\n");
    terminal.answer("Take this hunk (1 of 2, config.py)? [y/n/e/a/d/?] ", "y\n");
    terminal.answer("Take this hunk (2 of 2, config.py)? [y/n/e/a/d/?] ", "q\n");
    assert_eq!(terminal.exit_code(), Some(3), "{}", terminal.screen);
    assert_eq!(text(&dir), before);
}

#[test]
fn a_declined_task_is_said_in_other_words() {
    let dir = config();
    let script = Script::of(&[UNCLEAR, ELSEWHERE, PICK, SIXTY]);
    let Some(mut terminal) = edit(&script, dir.path()) else {
        return;
    };
    terminal.wait_for("the model declined: the task is unclear to it");
    terminal.answer(NO_EDIT, "r\n");
    terminal.answer("In other words: ", "set it to one minute\n");
    terminal.wait_for("what is asked for has no place in these files");
    // A sentence is taken at once.
    terminal.answer(NO_EDIT, "TIMEOUT becomes 60\n");
    terminal.wait_for("+TIMEOUT = 60");
    terminal.answer(QUESTION, "y\n");
    terminal.wait_for("wrote config.py");
    assert_eq!(terminal.exit_code(), Some(0), "{}", terminal.screen);
    assert_eq!(text(&dir), BEFORE.replace("30", "60"));
}

#[test]
fn a_declined_task_may_have_another_answer() {
    let dir = config();
    let script = Script::of(&[ELSEWHERE, PICK, SIXTY]);
    let Some(mut terminal) = edit(&script, dir.path()) else {
        return;
    };
    terminal.answer(NO_EDIT, "?\n");
    terminal.wait_for("o  another answer of the model");
    terminal.answer(NO_EDIT, "o\n");
    terminal.answer(QUESTION, "y\n");
    assert_eq!(terminal.exit_code(), Some(0), "{}", terminal.screen);
    assert_eq!(text(&dir), BEFORE.replace("30", "60"));
}

#[test]
fn a_task_without_an_edit_ends_as_it_does_elsewhere() {
    for (answers, code) in [(&[UNCLEAR][..], 1), (&[PICK, SAME], 0)] {
        let dir = config();
        let script = Script::of(answers);
        let Some(mut terminal) = edit(&script, dir.path()) else {
            return;
        };
        terminal.answer(NO_EDIT, "\n");
        assert_eq!(terminal.exit_code(), Some(code), "{}", terminal.screen);
        assert_eq!(text(&dir), BEFORE);
        let elsewhere = script
            .edit(dir.path(), &["Give it more time"])
            .says(code, "");
        assert!(!elsewhere.stderr.contains("Try again"), "{elsewhere:?}");
    }
}

#[test]
fn ctrl_c_stops_the_model_and_keeps_the_edit_on_the_screen() {
    for (key, words) in [
        ("o\n", None),
        ("r\n", Some("raise it\n")),
        ("use 90\n", None),
    ] {
        let dir = config();
        let script = stuck_after(&[PICK, SIXTY]);
        let Some(mut terminal) = edit(&script, dir.path()) else {
            return;
        };
        terminal.answer(QUESTION, key);
        if let Some(words) = words {
            terminal.answer("In other words: ", words);
        }
        wait_until_asked(&script, 3);
        terminal.write("\x03");
        terminal.wait_for("stopped; Ctrl-C again ends slotwright");
        terminal.wait_for("+TIMEOUT = 60");
        terminal.answer(QUESTION, "y\n");
        terminal.wait_for("wrote config.py");
        assert_eq!(terminal.exit_code(), Some(0), "{}", terminal.screen);
        assert_eq!(text(&dir), BEFORE.replace("30", "60"));
    }
}

#[test]
fn a_second_ctrl_c_ends_without_writing() {
    let dir = config();
    let script = stuck_after(&[PICK, SIXTY]);
    let Some(mut terminal) = edit(&script, dir.path()) else {
        return;
    };
    terminal.answer(QUESTION, "o\n");
    wait_until_asked(&script, 3);
    terminal.write("\x03");
    terminal.wait_for(QUESTION);
    terminal.write("\x03");
    assert_eq!(terminal.exit_code(), Some(130), "{}", terminal.screen);
    assert_eq!(text(&dir), BEFORE);
}

#[test]
fn the_model_can_be_asked_again_after_it_was_stopped() {
    let dir = config();
    let mut script = stuck_after(&[PICK, SIXTY]);
    let Some(mut terminal) = edit(&script, dir.path()) else {
        return;
    };
    terminal.answer(QUESTION, "o\n");
    wait_until_asked(&script, 3);
    script.goes_on_with([PICK, NINETY].map(answer).to_vec());
    terminal.write("\x03");
    terminal.answer(QUESTION, "r\n");
    terminal.answer("In other words: ", "give it 90\n");
    terminal.wait_for("+TIMEOUT = 90");
    terminal.answer(QUESTION, "y\n");
    assert_eq!(terminal.exit_code(), Some(0), "{}", terminal.screen);
    assert_eq!(text(&dir), BEFORE.replace("30", "90"));
}
