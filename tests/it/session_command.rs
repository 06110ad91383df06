//! `slotwright` alone on a terminal: one line after the other, with every key and command. The model
//! answers from a script, or is the bundled one.

use crate::support::script::{Script, Turn, answer};
use crate::support::terminal::Terminal;
use crate::support::{PROGRAM, Run, folder, quiet, run};
use slotwright::engine::Part;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::Command;
use tempfile::TempDir;

const STORE: &str = "def load(path):\n    return open(path)\n\n\n\
                     def save(path, text):\n    write(path, text)\n";
const README: &str = "# Store\n\nload opens a path.\n";
const PICK: &str = r#"{"path":"store.py","operation":"replace"}"#;
const PICK_README: &str = r#"{"path":"README.md","operation":"replace"}"#;
const LOAD: &str = r#"{"old":"open(path)","new":"open(path, timeout=10)"}"#;
const SAVE: &str = r#"{"old":"write(path, text)","new":"write(path, text, timeout=10)"}"#;
const WITHIN: &str = r#"{"old":"a path.","new":"a path within 10 seconds."}"#;
const QUESTION: &str = "Change store.py? [y/N/e/f/o/r/?] ";

/// A session in a folder with two files.
struct Session {
    dir: TempDir,
    state: TempDir,
    terminal: Terminal,
}

impl Session {
    /// `None` where there is no terminal to be had, which is said.
    fn start(script: &Script) -> Option<Session> {
        let dir = folder(&[
            ("store.py", STORE.as_bytes()),
            ("README.md", README.as_bytes()),
        ]);
        let state = tempfile::tempdir().unwrap();
        Session::again(script, dir, state)
    }

    fn again(script: &Script, dir: TempDir, state: TempDir) -> Option<Session> {
        let line = format!(
            "XDG_STATE_HOME='{}' exec '{PROGRAM}' --root '{}'",
            state.path().display(),
            dir.path().display()
        );
        let mut terminal = Terminal::run_scripted(script, &line)?;
        terminal.wait_past("/help lists the commands");
        terminal.wait_past("> ");
        Some(Session {
            dir,
            state,
            terminal,
        })
    }

    /// Types a line at the prompt, and waits for what is said to it and the next prompt. Returns what is
    /// said.
    #[track_caller]
    fn line(&mut self, line: &str, expected: &str) -> String {
        self.terminal.write(format!("{line}\r"));
        let said = self.terminal.wait_past(expected);
        said + &self.terminal.wait_past("> ")
    }

    /// Types a task, and answers its question.
    #[track_caller]
    fn task(&mut self, line: &str, reply: &str, expected: &str) -> String {
        self.terminal.write(format!("{line}\r"));
        let said = self.terminal.wait_past(QUESTION);
        self.terminal.write(format!("{reply}\n"));
        self.terminal.wait_past(expected);
        self.terminal.wait_past("> ");
        said
    }

    #[track_caller]
    fn ends(mut self) {
        self.terminal.write("/quit\r");
        assert_eq!(
            self.terminal.exit_code(),
            Some(0),
            "{}",
            self.terminal.screen
        );
    }

    fn text(&self, path: &str) -> String {
        fs::read_to_string(self.dir.path().join(path)).unwrap()
    }
}

/// What the model read at the question with this index.
fn prompt(script: &Script, idx: usize) -> String {
    let requests = script.requests();
    requests[idx].prompt.iter().map(Part::as_str).collect()
}

#[test]
fn tasks_come_one_after_the_other_with_one_model() {
    let script = Script::of(&[PICK, LOAD, PICK, SAVE]);
    let Some(mut session) = Session::start(&script) else {
        return;
    };
    let wrote = "wrote store.py";
    session.task("Give up after 10 seconds in load", "y", wrote);
    session.task("The same for save", "y", wrote);
    let changed = STORE.replace("path)\n\n", "path, timeout=10)\n\n");
    assert_eq!(
        session.text("store.py"),
        changed
            .replace("text)\n", "text, timeout=10)\n")
            .replace("def save(path, text, timeout=10)", "def save(path, text)")
    );
    // The second task knows the first: another process would have begun the script again.
    let told = prompt(&script, 2);
    assert!(told.contains("Give up after 10 seconds in load"), "{told}");
    assert!(
        told.contains("+    return open(path, timeout=10)"),
        "{told}"
    );

    let list = session.line("/undo list", "Give up after 10 seconds in load");
    assert!(list.contains("The same for save"), "{list}");
    session.line("/undo 1", "edit 1 is not the last one");
    session.line("/undo x", "is no number of an edit");
    session.line("/undo", "undone: The same for save");
    session.line("/undo", "undone: Give up after 10 seconds in load");
    session.line("/undo", "there is nothing to undo");
    assert_eq!(session.text("store.py"), STORE);
    session.ends();
}

#[test]
fn an_edit_that_was_not_written_can_be_changed() {
    let twenty = LOAD.replace("\"old\":\"open(path)\"", "\"old\":\"timeout=10\"");
    let twenty = twenty.replace("open(path, timeout=10)", "timeout=20");
    let thirty = r#"{"old":"timeout=20","new":"timeout=30"}"#;
    let script = Script::of(&[PICK, LOAD, PICK, &twenty, PICK, thirty, PICK, SAVE]);
    let Some(mut session) = Session::start(&script) else {
        return;
    };
    session.line("/also use 20", "there is no edit to go on with");
    session.line("/also", "say what else");
    session.line("/more", "there is no edit to go on with");
    session.task("Give up after 10 seconds", "n", "nothing was written");
    session.terminal.write("/also no, 20\r");
    session
        .terminal
        .wait_past("+    return open(path, timeout=20)");
    session.terminal.wait_past(QUESTION);
    session.terminal.write("n\n");
    session.terminal.wait_past("> ");
    let said = session.task("/also rather 30", "y", "wrote store.py");
    assert!(
        said.contains("+    return open(path, timeout=30)"),
        "{said}"
    );
    let list = session.line("/undo list", "[store.py]");
    assert!(
        list.contains("Give up after 10 seconds; no, 20; rather 30"),
        "{list}"
    );

    // Another sentence is another task, without the edit that was declined.
    session.line("/undo", "undone");
    session.task("Give up after 10 seconds in save", "y", "wrote store.py");
    assert!(!session.text("store.py").contains("timeout=30"));
    assert!(!prompt(&script, 6).contains("rather 30"));
    session.ends();
}

#[test]
fn mentions_and_file_limit_a_task() {
    let script = Script::of(&[PICK_README, WITHIN, PICK, LOAD]);
    let Some(mut session) = Session::start(&script) else {
        return;
    };
    session.line("/file", "any file of the folder may be edited");
    session.line("/file none.py", "there is no file \"none.py\"");
    let said = session.line("/file store.py", "only store.py; /file . ends that");
    assert!(said.contains("store.py> "), "{said:?}");
    session
        .terminal
        .write("Say in @README.md that it gives up, as @dataclass does\r");
    session
        .terminal
        .wait_past("there is no file for @dataclass");
    session
        .terminal
        .answer("Change README.md? [y/N/e/f/o/r/?] ", "y\n");
    session.terminal.wait_past("wrote README.md");
    session.terminal.wait_past("store.py> ");
    assert_eq!(script.offered(), ["README.md"]);
    let told = prompt(&script, 0);
    assert!(
        told.contains("Say in README.md that it gives up, as @dataclass does"),
        "{told}"
    );

    // Without a mention the files from before count.
    session.task("Give up after 10 seconds", "y", "wrote store.py");
    assert!(!prompt(&script, 2).contains("README.md:"));
    session.line("/file .", "any file of the folder may be edited");
    session.ends();
}

#[test]
fn a_line_of_a_file_is_pointed_at() {
    let script = Script::of(&[PICK, SAVE]);
    let Some(mut session) = Session::start(&script) else {
        return;
    };
    session.task("Give up here: @store.py:6", "y", "wrote store.py");
    let told = prompt(&script, 0);
    assert!(
        told.contains("line 6 of store.py: `write(path, text)`"),
        "{told}"
    );
    session.ends();
}

#[test]
fn ctrl_c_ends_the_work_and_not_the_session() {
    let script = Script::new(vec![Turn::Silence]);
    let Some(mut session) = Session::start(&script) else {
        return;
    };
    session.terminal.write("Give up after 10 seconds\r");
    while script.requests_so_far() == 0 {
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    session.terminal.write("\x03");
    session.terminal.wait_past("stopped");
    session.terminal.wait_past("> ");
    assert_eq!(session.text("store.py"), STORE);

    // At the prompt it takes back what was typed, and a second one ends.
    session.terminal.write("Give up");
    session.terminal.wait_past("Give up");
    session.terminal.write("\x03");
    session.terminal.wait_past("> ");
    session.line("/undo list", "nothing was written");
    session.terminal.write("\x03");
    session.terminal.wait_past("Ctrl-C again or Ctrl-D ends");
    session.terminal.wait_past("> ");
    session.terminal.write("\x03");
    assert_eq!(session.terminal.exit_code(), Some(0));
}

#[test]
fn ctrl_c_at_the_question_writes_nothing() {
    let script = Script::of(&[PICK, LOAD]);
    let Some(mut session) = Session::start(&script) else {
        return;
    };
    session.terminal.write("Give up after 10 seconds\r");
    session.terminal.wait_past(QUESTION);
    session.terminal.write("\x03");
    session.terminal.wait_past("stopped");
    session.terminal.wait_past("> ");
    // The question does not take this line any more.
    session.line("/undo list", "nothing was written");
    assert_eq!(session.text("store.py"), STORE);
    session.terminal.write("\x04");
    assert_eq!(session.terminal.exit_code(), Some(0));
}

#[test]
fn what_is_typed_meanwhile_is_there_at_the_next_prompt_and_answers_nothing() {
    let turns = vec![Turn::Wait(1_000), answer(PICK), answer(LOAD)];
    let script = Script::new(turns);
    let Some(mut session) = Session::start(&script) else {
        return;
    };
    session.terminal.write("Give up after 10 seconds\r");
    while script.requests_so_far() == 0 {
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    session.terminal.write("y\n/undo li");
    session.terminal.wait_past(QUESTION);
    session.terminal.write("n\n");
    session.terminal.wait_past("nothing was written");
    session.terminal.wait_past("> y /undo li");
    assert_eq!(session.text("store.py"), STORE);
    session.terminal.write("\x03");
    session.terminal.wait_past("> ");
    session.ends();
}

#[test]
fn what_is_no_task_is_answered_with_what_there_is() {
    let script = Script::of(&[PICK, LOAD]);
    let Some(mut session) = Session::start(&script) else {
        return;
    };
    let commands = [
        "also", "more", "apply", "undo", "file", "model", "help", "quit",
    ];
    for line in ["/undu", "/help"] {
        let said = session.line(line, "end (so does Ctrl-D)");
        for command in commands {
            assert!(said.contains(&format!("/{command}")), "{said}");
        }
    }
    session.terminal.write("\r   \r");
    session.terminal.wait_past("> ");
    session.terminal.wait_past("> ");
    session.line("/model none-such", "no model");
    session.line("/model", "/model NAME uses another one");
    // What failed has changed nothing.
    session.task("Give up after 10 seconds", "y", "wrote store.py");
    session.ends();
}

#[test]
fn another_model_is_used_from_now_on() {
    let script = Script::of(&[]);
    let Some(mut session) = Session::start(&script) else {
        return;
    };
    session.line("/model bundled", "bundled from now on");
    session.line("/model", "this session uses bundled");
    session.ends();
}

#[test]
fn a_patch_is_pasted() {
    let script = Script::of(&[]);
    let Some(mut session) = Session::start(&script) else {
        return;
    };
    let start = |session: &mut Session| {
        session.terminal.write("/apply\r");
        session.terminal.wait_past("a line with a dot ends it");
        session.terminal.wait_past("| ");
    };
    start(&mut session);
    session.terminal.write("\x03");
    session.terminal.wait_past("> ");

    start(&mut session);
    for line in [
        "store.py",
        "<<<<<<< SEARCH",
        "    return open(path)",
        "=======",
        "    return open(path, timeout=10)",
        ">>>>>>> REPLACE",
    ] {
        session.terminal.write(format!("{line}\r"));
        session.terminal.wait_past("| ");
    }
    session.terminal.write(".\r");
    session.terminal.wait_past("Change store.py? [y/N/e/?] ");
    session.terminal.write("y\n");
    session.terminal.wait_past("> ");
    assert!(session.text("store.py").contains("timeout=10"));

    start(&mut session);
    session.line("no patch\r.", "no edit");

    // A terminal may say what is pasted: then all of it is one line.
    let back = "store.py\n<<<<<<< SEARCH\n    return open(path, timeout=10)\n=======\n    \
                return open(path)\n>>>>>>> REPLACE\n";
    session
        .terminal
        .write(format!("\x1b[200~/apply\n{back}\x1b[201~\r"));
    session.terminal.wait_past("Change store.py? [y/N/e/?] ");
    session.terminal.write("y\n");
    session.terminal.wait_past("> ");
    assert_eq!(session.text("store.py"), STORE);
    session.ends();
}

#[test]
fn what_is_no_text_is_not_read() {
    let script = Script::of(&[]);
    let Some(mut session) = Session::start(&script) else {
        return;
    };
    session.terminal.write(b"caf\xe9 is no UTF-8\r");
    session.terminal.wait_past("is not UTF-8, and was not read");
    session.terminal.wait_past("> ");
    session.line("/undo list", "nothing was written");
    session.ends();
}

#[test]
fn lines_are_kept_for_the_next_session_and_for_nobody_else() {
    let script = Script::of(&[]);
    let Some(mut session) = Session::start(&script) else {
        return;
    };
    session.line("/file store.py", "only store.py");
    session.line(" /file README.md", "only README.md");
    let history = session.state.path().join("slotwright/history");
    let mode = fs::metadata(&history).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    let Session {
        dir,
        state,
        mut terminal,
    } = session;
    terminal.write("\x04");
    assert_eq!(terminal.exit_code(), Some(0));

    let Some(mut session) = Session::again(&script, dir, state) else {
        return;
    };
    session.terminal.write("\x1b[A");
    session.terminal.wait_past("/file store.py");
    session.line("", "only store.py");
    let cache = tempfile::tempdir().unwrap();
    let mut purge = Command::new(PROGRAM);
    let purge = quiet(purge.args(["purge", "history"]))
        .env("XDG_STATE_HOME", session.state.path())
        .env("XDG_CACHE_HOME", cache.path());
    Run::from(purge.output().unwrap()).says(0, "removed what you typed in sessions");
    assert!(!history.exists());
    session.ends();
}

#[test]
fn files_and_commands_are_completed() {
    let script = Script::of(&[]);
    let Some(mut session) = Session::start(&script) else {
        return;
    };
    session.terminal.write("/fi\t");
    session.terminal.wait_past("/file ");
    session.terminal.write("RE\t");
    session.terminal.wait_past("README.md");
    session.line("", "only README.md");
    session.terminal.write("In @st\t");
    session.terminal.wait_past("@store.py");
    session.terminal.write("\x03");
    session.terminal.wait_past("> ");
    session.ends();
}

#[test]
fn without_a_terminal_there_is_help_as_before() {
    let help = run(&mut Command::new(PROGRAM)).says(2, "Usage: slotwright");
    assert!(help.stderr.contains("Print help"), "{help:#?}");
    run(Command::new(PROGRAM).args(["--root", "."])).says(2, "a session, which needs a terminal");
    run(Command::new(PROGRAM).args(["watch", "--yes", "--model", "none-such"]))
        .says(2, "none-such");
    run(Command::new(PROGRAM).args(["--root", ".", "undo"])).says(2, "cannot be used with");

    let mut dumb = Command::new("script");
    let line = format!("TERM=dumb '{PROGRAM}'; echo ended $?");
    dumb.args(["-qec", &line, "/dev/null"]);
    let Ok(output) = quiet(&mut dumb).output() else {
        println!("skipped: there is no `script` here");
        return;
    };
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(
        said.contains("Usage: slotwright") && said.contains("ended 2"),
        "{said}"
    );
}
