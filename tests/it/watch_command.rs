//! `slotwright watch`: comments that end in `AI!`, as a person with an editor beside it meets them. The
//! model answers from a script.

use crate::support::script::{Script, Turn, answer};
use crate::support::terminal::Terminal;
use crate::support::{PROGRAM, Run, folder, quiet, run};
use slotwright::engine::Part;
use slotwright::slots::Slot;
use std::fs;
use std::process::Command;
use tempfile::TempDir;

const A: &str = "import os\n\n# make it 5 AI!\nLIMIT = 4\n";
const A_EDITED: &str = "import os\n\nLIMIT = 5\n";
const PICK: &str = r#"{"path":"a.py","operation":"replace"}"#;
const FIVE: &str = r#"{"old":"LIMIT = 4","new":"LIMIT = 5"}"#;
const PICK_B: &str = r#"{"path":"b.py","operation":"replace"}"#;
const B_SEVEN: &str = r#"{"old":"b = 6","new":"b = 7"}"#;
const QUESTION: &str = "Change a.py? [y/N/e/f/o/r/?] ";
const QUESTION_B: &str = "Change b.py? [y/N/e/f/o/r/?] ";

/// The program watches a folder.
struct Watch {
    dir: TempDir,
    terminal: Terminal,
}

impl Watch {
    /// `None` where there is no terminal to be had, which is said.
    fn start(script: &Script, files: &[(&str, &[u8])], arguments: &str) -> Option<Watch> {
        let dir = folder(files);
        let line = format!(
            "exec '{PROGRAM}' watch --root '{}' {arguments}",
            dir.path().display()
        );
        let mut terminal = Terminal::run_scripted(script, &line)?;
        terminal.wait_past("; Ctrl-C ends");
        Some(Watch { dir, terminal })
    }

    fn put(&self, path: &str, text: &str) {
        fs::write(self.dir.path().join(path), text).unwrap();
    }

    fn text(&self, path: &str) -> String {
        fs::read_to_string(self.dir.path().join(path)).unwrap()
    }

    fn undo(&self) -> Run {
        let mut command = Command::new(PROGRAM);
        command.arg("undo").arg("--root").arg(self.dir.path());
        run(&mut command)
    }

    /// A Ctrl-C that comes when an edit was only just written may be for that.
    #[track_caller]
    fn ends(mut self) {
        let code = loop {
            self.terminal.write("\x03");
            if let Some(code) = self.terminal.exit_code_soon() {
                break code;
            }
        };
        assert_eq!(code, 130, "{}", self.terminal.screen);
    }
}

#[test]
fn a_comment_becomes_an_edit_and_goes_with_it() {
    let script = Script::of(&[PICK, FIVE, PICK_B, B_SEVEN]);
    let Some(mut watch) = Watch::start(&script, &[("a.py", A.as_bytes())], "") else {
        return;
    };
    watch.terminal.wait_past("a.py:3: make it 5");
    let shown = watch.terminal.wait_past(QUESTION);
    let diff = " import os\r\n \r\n-# make it 5 AI!\r\n-LIMIT = 4\r\n+LIMIT = 5\r\n";
    assert!(shown.contains(diff), "{shown}");
    watch.terminal.write("y\n");
    watch.terminal.wait_past("wrote a.py");
    assert_eq!(watch.text("a.py"), A_EDITED);

    // The model did not see the comment, but the place.
    let requests = script.requests();
    let told: String = requests[0].prompt.iter().map(Part::as_str).collect();
    assert!(told.contains("line 3 of a.py: `LIMIT = 4`"), "{told}");
    assert!(!told.contains("AI!"), "{told}");
    assert_eq!(script.offered(), ["a.py"]);

    // An undo takes back both, and is no new task: the next one is of another file.
    watch.undo().says(0, "undone: make it 5");
    assert_eq!(watch.text("a.py"), A);
    watch.put("b.py", "b = 6  # make it 7 AI!\n");
    let before = watch.terminal.wait_past("b.py:1: make it 7");
    assert!(!before.contains("a.py:3"), "{before}");
    watch.terminal.answer(QUESTION_B, "y\n");
    watch.terminal.wait_past("wrote b.py");
    assert_eq!(watch.text("b.py"), "b = 7\n");
    watch.ends();
}

#[test]
fn what_is_declined_is_a_task_again_when_the_file_changes() {
    let script = Script::of(&[PICK, FIVE, PICK_B, B_SEVEN, PICK, FIVE]);
    let Some(mut watch) = Watch::start(&script, &[("a.py", A.as_bytes())], "") else {
        return;
    };
    watch.terminal.answer(QUESTION, "n\n");
    watch
        .terminal
        .wait_past("it is a task again when a.py changes");
    // Saved as it was, it is none.
    watch.put("a.py", A);
    watch.put("b.py", "b = 6  # make it 7 AI!\n");
    let before = watch.terminal.wait_past("b.py:1: make it 7");
    assert!(!before.contains("a.py:3"), "{before}");
    watch.terminal.answer(QUESTION_B, "y\n");
    watch.terminal.wait_past("wrote b.py");
    watch.put("a.py", &A.replace("make it 5", "make this 5"));
    watch.terminal.wait_past("a.py:3: make this 5");
    watch.terminal.answer(QUESTION, "y\n");
    watch.terminal.wait_past("wrote a.py");
    assert_eq!(watch.text("a.py"), A_EDITED);
    watch.ends();
}

#[test]
fn several_comments_are_written_one_after_the_other() {
    let unsure = answer(r#"{"old":"c = 8","new":"c = 9"}"#).sure(Slot::New, 0.01);
    let turns = vec![
        answer(PICK),
        answer(FIVE),
        answer(PICK),
        unsure,
        answer(PICK_B),
        answer(B_SEVEN),
    ];
    let script = Script::new(turns);
    let two = format!("{A}c = 8  # make c 9 AI!\n");
    let files: [(&str, &[u8]); 2] = [
        ("a.py", two.as_bytes()),
        ("b.py", b"b = 6 # make it 7 AI!\n"),
    ];
    let Some(mut watch) = Watch::start(&script, &files, "--yes") else {
        return;
    };
    watch.terminal.wait_past("a.py:3: make it 5");
    watch.terminal.wait_past("wrote a.py");
    // The second is of the file as the first has left it.
    watch.terminal.wait_past("a.py:4: make c 9");
    watch
        .terminal
        .wait_past("--yes does not write a change with a warning");
    watch
        .terminal
        .wait_past("without --yes you see it here, and decide");
    watch.terminal.wait_past("b.py:1: make it 7");
    watch.terminal.wait_past("wrote b.py");
    assert_eq!(
        watch.text("a.py"),
        format!("{A_EDITED}c = 8  # make c 9 AI!\n")
    );
    assert_eq!(watch.text("b.py"), "b = 7\n");
    watch.ends();
}

#[test]
fn a_file_that_is_saved_meanwhile_is_read_anew() {
    let other = r#"{"old":"LIMIT = 40","new":"LIMIT = 5"}"#;
    let script = Script::of(&[PICK, FIVE, PICK, other]);
    let Some(mut watch) = Watch::start(&script, &[("a.py", A.as_bytes())], "") else {
        return;
    };
    watch.terminal.wait_past(QUESTION);
    watch.put("a.py", &A.replace('4', "40"));
    watch.terminal.write("y\n");
    watch.terminal.wait_past("a.py:3: make it 5");
    watch.terminal.answer(QUESTION, "y\n");
    watch.terminal.wait_past("wrote a.py");
    assert_eq!(watch.text("a.py"), A_EDITED);
    watch.ends();
}

#[test]
fn ctrl_c_ends_the_work_on_a_comment_and_then_the_watch() {
    let script = Script::new(vec![Turn::Silence]);
    let Some(mut watch) = Watch::start(&script, &[("a.py", A.as_bytes())], "") else {
        return;
    };
    while script.requests_so_far() == 0 {
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    watch.terminal.write("\x03");
    watch.terminal.wait_past("stopped");
    watch.terminal.wait_past("the comment stays");
    assert_eq!(watch.text("a.py"), A);
    watch.ends();
}

#[test]
fn only_files_that_a_person_edits_are_looked_at() {
    let script = Script::of(&[r#"{"path":"new/deep/z.py","operation":"replace"}"#, FIVE]);
    let files: [(&str, &[u8]); 6] = [
        (".gitignore", b"built/\n"),
        ("slotwright.toml", b"ignore = [\"vendor\"]\n"),
        ("built/a.py", A.as_bytes()),
        ("vendor/a.py", A.as_bytes()),
        (".hidden.py", A.as_bytes()),
        ("a.py~", A.as_bytes()),
    ];
    let Some(mut watch) = Watch::start(&script, &files, "") else {
        return;
    };
    let root = watch.dir.path();
    fs::write(root.join("built/b.py"), A).unwrap();
    fs::write(root.join("4913"), A).unwrap();
    // A folder that was made meanwhile, and an editor that writes beside the file.
    fs::create_dir_all(root.join("new/deep")).unwrap();
    fs::write(root.join("new/deep/.z.py.swp"), A).unwrap();
    fs::write(root.join("new/deep/z.py~"), A).unwrap();
    fs::rename(root.join("new/deep/z.py~"), root.join("new/deep/z.py")).unwrap();
    let before = watch.terminal.wait_past("new/deep/z.py:3: make it 5");
    assert_eq!(before.matches("make it 5").count(), 1, "{before}");
    watch
        .terminal
        .answer("Change new/deep/z.py? [y/N/e/f/o/r/?] ", "y\n");
    watch.terminal.wait_past("wrote new/deep/z.py");
    watch.ends();
}

#[test]
fn a_comment_of_which_nothing_comes_stays() {
    let script = Script::of(&[
        r#"{"operation":"none","reason":"unclear"}"#,
        PICK_B,
        B_SEVEN,
    ]);
    let empty = "# AI!\nb = 6\n";
    let files: [(&str, &[u8]); 2] = [("a.py", A.as_bytes()), ("b.py", empty.as_bytes())];
    let Some(mut watch) = Watch::start(&script, &files, "--dry-run") else {
        return;
    };
    watch.terminal.wait_past("the task is unclear to it");
    watch
        .terminal
        .wait_past("it is a task again when a.py changes");
    watch.terminal.wait_past("the task is empty");
    watch
        .terminal
        .wait_past("it is a task again when b.py changes");
    watch.put("b.py", "b = 6 # make it 7 AI!\n");
    watch.terminal.wait_past("+b = 7");
    assert_eq!(watch.text("a.py"), A);
    assert_eq!(watch.text("b.py"), "b = 6 # make it 7 AI!\n");
    watch.ends();
}

#[test]
fn without_a_terminal_somebody_has_to_say_yes_beforehand() {
    let dir = folder(&[("a.py", A.as_bytes())]);
    let mut command = Command::new(PROGRAM);
    command.arg("watch").arg("--root").arg(dir.path());
    let run = Run::from(quiet(&mut command).output().unwrap());
    run.says(3, "there is nobody to ask");
}
