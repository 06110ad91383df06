//! `slotwright repair` as a person or a script meets it: what it prints, what it writes, how it
//! ends. The model answers from a script; the bug is a name.

use crate::support::processes::{left_behind, signal};
use crate::support::script::Script;
use crate::support::terminal::Terminal;
use crate::support::tree::{Tree, has, make_repository};
use crate::support::{PROGRAM, Run, folder, quiet};
use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

const ISSUE: &str = "Rename process_item to handle_item everywhere";
const TOOL: &str = "def process_item(item):\n    return len(item)\n\n\nprint(process_item('x'))\n";
const TEST: &[u8] = b"import unittest, tool\nclass T(unittest.TestCase):\n    def test_name(self):\
                      \n        self.assertEqual(tool.handle_item('ab'), 2)\n";
const UNITTEST: &str = "python3 -m unittest";

const PICK: &str = r#"{"path":"tool.py","operation":"replace_all"}"#;
const RENAME: &str = r#"{"old":"process_item","new":"handle_item"}"#;

/// The model that mends it at the first attempt.
fn mend() -> Script {
    Script::of(&[PICK, RENAME])
}

fn project() -> tempfile::TempDir {
    let dir = folder(&[("tool.py", TOOL.as_bytes()), ("test_tool.py", TEST)]);
    if has("git") {
        make_repository(dir.path());
    }
    dir
}

fn command(root: &Path, test: &str, arguments: &[&str]) -> Command {
    let mut command = Command::new(PROGRAM);
    command
        .arg("repair")
        .arg("--root")
        .arg(root)
        .args(["--no-sandbox", "--test", test])
        .args(arguments);
    command
}

/// Runs on a project that is the same afterwards.
#[track_caller]
fn repair_without_a_trace(test: &str, arguments: &[&str]) -> Run {
    let dir = project();
    let before = Tree::of(dir.path());
    let run = mend().run(&mut command(dir.path(), test, arguments));
    assert_eq!(Tree::of(dir.path()), before, "{run:#?}");
    run
}

#[test]
fn a_success_is_written_and_can_be_undone() {
    let dir = project();
    let run = mend()
        .run(&mut command(dir.path(), UNITTEST, &["--yes", ISSUE]))
        .says(0, "wrote tool.py");
    assert!(
        run.stdout.starts_with("--- a/tool.py\n+++ b/tool.py\n@@ "),
        "{run:#?}"
    );
    for said in [
        "baseline: 0 passed, 1 failed",
        "attempt 1 of 5",
        "red without the edit",
        "green with it",
        "no attribute 'handle_item'",
    ] {
        assert!(run.stderr.contains(said), "{said}: {run:#?}");
    }
    assert_eq!(
        fs::read_to_string(dir.path().join("tool.py")).unwrap(),
        TOOL.replace("process_item", "handle_item")
    );
    assert!(!dir.path().join("__pycache__").exists());
    let mut undo = Command::new(PROGRAM);
    crate::support::run(undo.arg("undo").arg("--root").arg(dir.path()))
        .says(0, "undone: Rename process_item");
    assert_eq!(
        fs::read_to_string(dir.path().join("tool.py")).unwrap(),
        TOOL
    );
}

#[test]
fn a_success_that_nobody_confirms_is_not_written() {
    let run = repair_without_a_trace(UNITTEST, &[ISSUE]).says(3, "pass --yes to write a success");
    assert!(run.stdout.contains("+def handle_item"), "{run:#?}");
}

#[test]
fn the_gate_asks_after_it_has_shown_red_green_and_the_diff() {
    for (answer, code) in [("y\n", 0), ("n\n", 3), ("\x03", 130)] {
        let dir = project();
        let before = Tree::of(dir.path());
        let root = dir.path().display();
        let line = format!(
            "'{PROGRAM}' repair --no-sandbox --root '{root}' --test '{UNITTEST}' '{ISSUE}'"
        );
        let script = mend();
        let Some(mut terminal) = Terminal::run_scripted(&script, &line) else {
            return;
        };
        terminal.wait_for("Change tool.py? [y/N/");
        for shown in [
            "red without the edit",
            "no attribute 'handle_item'",
            "green with it",
            "+def handle_item(item):",
        ] {
            assert!(
                terminal.screen.contains(shown),
                "{shown}: {}",
                terminal.screen
            );
        }
        assert_eq!(
            Tree::of(dir.path()),
            before,
            "nothing is written before yes"
        );
        terminal.write(answer);
        assert_eq!(terminal.exit_code(), Some(code));
        assert_eq!(Tree::of(dir.path()) == before, code != 0);
    }
}

#[test]
fn json_is_the_record() {
    let run = repair_without_a_trace(UNITTEST, &["--json", ISSUE]).says(3, "nobody to ask");
    let report: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(
        (&report["status"], &report["commit"]),
        (&"success".into(), &"not_confirmed".into())
    );
    assert_eq!(report["files"], serde_json::json!(["tool.py"]));
    assert_eq!(
        report["targets"],
        serde_json::json!(["test_tool.T.test_name"])
    );
    assert_eq!(report["shown_by"], "failing");
    let attempt = &report["attempts"][0];
    assert_eq!(
        (
            &attempt["end"],
            &attempt["finding"],
            &attempt["temperature"]
        ),
        (&"tested".into(), &"green".into(), &0.0.into())
    );
    assert!(
        report["diff"]
            .as_str()
            .unwrap()
            .contains("+def handle_item")
    );
    assert_eq!(
        (&report["red"]["failed"], &report["green"]["passed"]),
        (&report["targets"], &1.into())
    );
    assert_eq!(report["error"]["kind"], "not_confirmed");
    let schema =
        fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("schemas/repair.json"))
            .unwrap();
    let schema: serde_json::Value = serde_json::from_str(&schema).unwrap();
    let check = |report: &serde_json::Value| {
        let errors: Vec<String> = jsonschema::validator_for(&schema)
            .unwrap()
            .iter_errors(report)
            .map(|e| e.to_string())
            .collect();
        assert_eq!(errors, [""; 0]);
    };
    check(&report);
    let failed = repair_without_a_trace("no-such-runner", &["--json", ISSUE])
        .says(1, "the test command cannot be run");
    let report: serde_json::Value = serde_json::from_str(&failed.stdout).unwrap();
    assert_eq!(
        (&report["status"], &report["error"]["kind"]),
        (&"baseline_broken".into(), &"baseline_broken".into())
    );
    check(&report);
    let failed = repair_without_a_trace(UNITTEST, &["--json", " "]).says(2, "the issue is empty");
    let report: serde_json::Value = serde_json::from_str(&failed.stdout).unwrap();
    assert_eq!(
        (&report["status"], &report["error"]["kind"]),
        (&serde_json::Value::Null, &"empty_issue".into())
    );
    check(&report);
}

#[test]
fn without_a_success_it_says_why() {
    let never = "python3 -m unittest; exit 1";
    let dir = project();
    let before = Tree::of(dir.path());
    let other = RENAME.replace("handle_item", "handle_items");
    let twice = Script::of(&[PICK, RENAME, PICK, &other]);
    let arguments = ["--yes", "--max-attempts", "2", ISSUE];
    twice
        .run(&mut command(dir.path(), never, &arguments))
        .says(1, "slotwright: attempt 2 of 2");
    assert_eq!(Tree::of(dir.path()), before);
    repair_without_a_trace("true", &["--yes", "--test-file", "test_tool.py", ISSUE])
        .says(1, "they show no bug; nothing was written")
        .says(1, "hint: write a test that fails because of the bug");
    repair_without_a_trace("sleep 60", &["--yes", "--test-timeout", "1", ISSUE])
        .says(1, "they took longer than 1 s");
    repair_without_a_trace(UNITTEST, &["--test-file", "none.py", ISSUE])
        .says(2, "there is no file \"none.py\"");
    repair_without_a_trace(" ", &[ISSUE]).says(2, "the test command is empty");
    repair_without_a_trace(UNITTEST, &["--max-attempts", "0", ISSUE]).says(2, "--max-attempts");
}

fn start(
    script: &Script,
    root: &Path,
    test: &str,
    marker: &str,
) -> (Child, BufReader<std::process::ChildStderr>) {
    let mut command = command(root, test, &["--yes", ISSUE]);
    quiet(&mut command)
        .envs(script.environment())
        .env(crate::support::processes::MARKER, marker)
        .stdout(Stdio::null())
        .stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let said = BufReader::new(child.stderr.take().unwrap());
    (child, said)
}

/// Reads what is said until this is.
fn wait_for(said: &mut BufReader<std::process::ChildStderr>, wanted: &str) {
    let mut line = String::new();
    while !line.contains(wanted) {
        line.clear();
        assert!(
            said.read_line(&mut line).unwrap() > 0,
            "{wanted:?} was never said"
        );
    }
}

#[test]
fn a_folder_that_changed_meanwhile_is_not_written_to() {
    let dir = project();
    let script = mend();
    let test = "sleep 1; python3 -m unittest";
    let (mut child, mut said) = start(&script, dir.path(), test, "stale");
    wait_for(&mut said, "baseline: running");
    let theirs = format!("{TOOL}# theirs\n");
    fs::write(dir.path().join("tool.py"), &theirs).unwrap();
    let before = Tree::of(dir.path());
    let mut rest = String::new();
    said.read_to_string(&mut rest).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(1), "{rest}");
    assert!(
        rest.contains("tool.py was changed since it was read; nothing was written"),
        "{rest}"
    );
    assert_eq!(Tree::of(dir.path()), before);
}

#[test]
fn signals_leave_the_folder_as_it_was_and_nothing_running() {
    for (name, code) in [("TERM", Some(130)), ("INT", Some(130)), ("KILL", None)] {
        let dir = project();
        let before = Tree::of(dir.path());
        let marker = format!("repair-{name}-{}", std::process::id());
        // A duration that no other test sleeps for.
        let test = format!("sleep 61.{}", std::process::id());
        let script = mend();
        let (mut child, mut said) = start(&script, dir.path(), &test, &marker);
        wait_for(&mut said, "baseline: running");
        std::thread::sleep(Duration::from_millis(200));
        signal(child.id(), name);
        let status = child.wait().unwrap();
        let mut rest = String::new();
        said.read_to_string(&mut rest).unwrap();
        assert_eq!(status.code(), code, "{rest}");
        if code.is_some() {
            assert!(rest.contains("interrupted; nothing was written"), "{rest}");
            assert_eq!(left_behind(&marker), [""; 0], "a process is left");
        }
        assert_eq!(Tree::of(dir.path()), before);
    }
}

#[test]
fn interrupted_at_any_moment_the_file_is_whole() {
    let after = TOOL.replace("process_item", "handle_item");
    let mut n_interrupted = 0;
    for i in 0..12 {
        let dir = project();
        let marker = format!("repair-moment-{i}-{}", std::process::id());
        let script = mend();
        let (mut child, mut said) = start(&script, dir.path(), UNITTEST, &marker);
        wait_for(&mut said, "baseline: running");
        std::thread::sleep(Duration::from_millis(i * 70));
        signal(child.id(), "TERM");
        let mut rest = String::new();
        said.read_to_string(&mut rest).unwrap();
        let status = child.wait().unwrap();
        let text = fs::read_to_string(dir.path().join("tool.py")).unwrap();
        match status.code() {
            Some(0) => assert_eq!(text, after),
            Some(130) => {
                assert_eq!(text, TOOL, "{rest}");
                n_interrupted += 1;
            }
            code => panic!("{code:?} {:?} {rest}", status.signal()),
        }
        assert_eq!(left_behind(&marker), [""; 0], "a process is left");
    }
    println!("{n_interrupted} of 12 runs were interrupted");
    assert!(n_interrupted > 0);
}
