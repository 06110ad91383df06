//! What the bundled model manages of the published design's own cases, through the real program: see
//! `support/published.rs`. README.md has the same as a table.

mod support;

use support::published::{self, Expected, PYTHON, Task};
use support::{edit, folder};

/// Does every task of this kind with `--yes`, and compares the file with the one wanted.
#[track_caller]
fn check(kind: &str) {
    let tasks: Vec<Task> = published::tasks().into_iter().filter(|task| task.kind == kind).collect();
    assert!(!tasks.is_empty());
    for task in tasks {
        let found = result(&task);
        println!("{found:?}: {}", task.sentence);
        assert_eq!(found, task.expected, "{}", task.sentence);
    }
}

fn result(task: &Task) -> Expected {
    let dir = folder(&[(task.file, task.before.as_bytes())]);
    let read = || std::fs::read_to_string(dir.path().join(task.file)).unwrap();
    let report = |arguments: &[&str]| {
        let run = edit(dir.path(), &[arguments, &["--json", task.sentence]].concat());
        let report: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
        (run, report)
    };
    let (run, first) = report(&["--yes"]);
    let is_refused = first["error"]["kind"] == "unsure";
    if is_refused {
        run.says(1, "the model wanted to write something else");
        assert_eq!(read(), task.before, "what is refused is not written");
        // And written all the same if that is asked for.
        let (run, second) = report(&["--yes", "--max-masked-mass", "1"]);
        run.says(0, "");
        if second["status"] == "already_done" {
            return Expected::NoChangeRefused;
        }
    } else {
        run.says(0, "");
    }
    match (first["status"].as_str(), read() == task.wanted, is_refused) {
        (Some("already_done"), ..) => Expected::NoChange,
        (_, true, false) => Expected::Right,
        (_, true, true) => Expected::RightRefused,
        (_, false, false) => Expected::Wrong,
        (_, false, true) => Expected::WrongRefused,
    }
}

#[test]
fn rename() {
    check("rename");
}

#[test]
fn number() {
    check("number");
}

#[test]
fn string() {
    check("string");
}

#[test]
fn line_above_a_function() {
    check("line above a function");
}

#[test]
fn import_at_the_top() {
    check("import at the top");
}

#[test]
fn make_async() {
    check("async");
}

#[test]
fn the_same_task_gives_the_same_answer() {
    let dir = folder(&[("tool.py", PYTHON.as_bytes())]);
    let diff = || edit(dir.path(), &["--dry-run", "Change MAX_RETRIES from 3 to 5"]).says(0, "").stdout;
    assert_eq!(diff(), diff());
}
