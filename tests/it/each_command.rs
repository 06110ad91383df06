//! `slotwright edit --each GLOB`: the same sentence for many files, from a script of answers.

use crate::support::processes::{MARKER, left_behind, signal};
use crate::support::script::{Script, Turn, answer, cut_off};
use crate::support::terminal::Terminal;
use crate::support::{PROGRAM, Run, folder, quiet, run};
use serde_json::{Value, json};
use slotwright::constrain::{SlotSpec, Spec};
use slotwright::engine::End;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;

const TASK: &str = "Set the limit to 5";
const LIMIT: &str = r#"{"old":"limit = 3","new":"limit = 5"}"#;
const DONE: &str = r#"{"old":"limit = 3","new":"limit = 3"}"#;
const BROKEN: &str = r#"{"old":"limit = 3","new":"limit = (5"}"#;
const NO_PLACE: &str = r#"{"operation":"none","reason":"not_in_these_files"}"#;

fn before(path: &str) -> String {
    format!("# {path}\nlimit = 3\n")
}

fn after(path: &str) -> String {
    format!("# {path}\nlimit = 5\n")
}

/// Three files that match `*.py`, and one that does not.
fn three() -> TempDir {
    folder(&[
        ("a.py", before("a.py").as_bytes()),
        ("b.py", before("b.py").as_bytes()),
        ("src/c.py", before("src/c.py").as_bytes()),
        ("notes.txt", b"limit = 3\n"),
    ])
}

fn pick(path: &str) -> Turn {
    answer(&format!(r#"{{"path":"{path}","operation":"replace"}}"#))
}

/// The answers that make the edit in these files, one after the other.
fn edits_of(paths: &[&str]) -> Vec<Turn> {
    let turns = paths.iter().map(|path| [pick(path), answer(LIMIT)]);
    turns.flatten().collect()
}

#[track_caller]
fn each(script: &Script, root: &Path, arguments: &[&str]) -> Run {
    script.edit(root, &[&["--each", "*.py"], arguments, &[TASK]].concat())
}

/// Which of the three files have the edit.
fn edited(root: &Path) -> Vec<&'static str> {
    let mut edited = Vec::new();
    for path in ["a.py", "b.py", "src/c.py"] {
        let text = fs::read_to_string(root.join(path)).unwrap();
        if text == after(path) {
            edited.push(path);
        } else {
            assert_eq!(text, before(path));
        }
    }
    assert_eq!(
        fs::read_to_string(root.join("notes.txt")).unwrap(),
        "limit = 3\n"
    );
    edited
}

#[test]
fn all_are_written_together_and_taken_back_together() {
    let dir = three();
    let script = Script::new(edits_of(&["a.py", "b.py", "src/c.py"]));
    let run_ = each(&script, dir.path(), &["--yes"]).says(0, "wrote a.py, b.py, src/c.py");
    assert_eq!(run_.stdout.matches("+++ b/").count(), 3, "{run_:#?}");
    assert_eq!(edited(dir.path()), ["a.py", "b.py", "src/c.py"]);
    let mut offered = Vec::new();
    for request in script.requests() {
        if let Spec::Slots(SlotSpec::Pick { files, .. }) = request.spec {
            assert_eq!(files.len(), 1, "nothing else may be edited: {files:?}");
            offered.push(files[0].path.clone());
        }
    }
    assert_eq!(offered, ["a.py", "b.py", "src/c.py"]);
    // The last answer is a draft of the next one.
    let likely = script.requests()[3].likely.clone().unwrap();
    assert_eq!(likely[..2], ["limit = 3", "limit = 5"]);

    let mut undo = Command::new(PROGRAM);
    run(undo.arg("undo").arg("--root").arg(dir.path())).says(0, "undone: Set the limit to 5");
    assert_eq!(edited(dir.path()), [""; 0]);
    // What was written is kept no more.
    each(&script, dir.path(), &["--dry-run"]).says(0, "");
    assert_eq!(script.requests().len(), 6);
}

#[test]
fn files_without_an_edit_are_named_with_the_reason() {
    let dir = three();
    let turns = vec![
        answer(NO_PLACE),
        pick("b.py"),
        answer(DONE),
        pick("src/c.py"),
        answer(LIMIT),
    ];
    let script = Script::new(turns);
    each(&script, dir.path(), &["--yes"])
        .says(
            0,
            "a.py: the model declined: what is asked for has no place",
        )
        .says(
            0,
            "nothing to do: b.py has it already on line 2: `limit = 3`",
        )
        .says(0, "wrote src/c.py");
    assert_eq!(edited(dir.path()), ["src/c.py"]);

    let script = Script::of(&[NO_PLACE; 3]);
    each(&script, dir.path(), &["--yes", "--no-cache"])
        .says(1, "there is no edit in any of 3 files; nothing was written");
}

#[test]
fn a_file_that_fails_does_not_stop_the_others() {
    let dir = three();
    fs::write(dir.path().join("binary.py"), b"\0\x01\x02").unwrap();
    let mut turns = edits_of(&["a.py"]);
    turns.extend([pick("b.py"), cut_off(&LIMIT[..12], End::Budget)]);
    turns.extend(edits_of(&["src/c.py"]));
    each(&Script::new(turns), dir.path(), &["--yes"])
        .says(5, "b.py: the model's answer did not end within its budget")
        .says(5, "binary.py: binary.py cannot be edited")
        .says(5, "wrote a.py, src/c.py")
        .says(5, "2 of 4 files could not be edited");
    assert_eq!(edited(dir.path()), ["a.py", "src/c.py"]);
}

#[test]
fn a_model_that_cannot_be_asked_ends_it_at_once() {
    let dir = three();
    let crash = Script::new(vec![Turn::Crash]);
    let run = each(&crash, dir.path(), &["--yes"]).fails("the model process ended unexpectedly");
    assert_eq!(run.stderr.matches("ended unexpectedly").count(), 1);
}

#[test]
fn yes_leaves_out_what_has_a_warning_and_goes_on_with_it_later() {
    let dir = three();
    let turns = [
        edits_of(&["a.py"]),
        vec![pick("b.py"), answer(BROKEN)],
        edits_of(&["src/c.py"]),
    ];
    let script = Script::new(turns.concat());
    let run = each(&script, dir.path(), &["--yes", "--json"])
        .says(5, "left out: b.py: ")
        .says(5, "1 edit with a warning is left out (b.py)")
        .says(5, "hint: --accept breaks writes it all the same");
    assert_eq!(edited(dir.path()), ["a.py", "src/c.py"]);
    let report: Value = serde_json::from_str(run.stdout.lines().last().unwrap()).unwrap();
    assert_eq!(report["status"], "partly_done");
    assert_eq!(report["files"], json!(["a.py", "src/c.py"]));

    // The model is not asked again, and what was written is not edited once more.
    each(&script, dir.path(), &["--yes", "--accept", "breaks"])
        .says(0, "a.py was written before, by the same command")
        .says(0, "wrote b.py");
    assert_eq!(script.requests(), []);
    let broken = fs::read_to_string(dir.path().join("b.py")).unwrap();
    assert_eq!(broken, "# b.py\nlimit = (5\n");
}

#[test]
fn json_is_a_line_for_each_file_and_the_report() {
    let dir = three();
    let turns = [
        vec![answer(NO_PLACE)],
        vec![pick("b.py"), answer(DONE)],
        edits_of(&["src/c.py"]),
    ];
    let script = Script::new(turns.concat());
    let run = each(&script, dir.path(), &["--dry-run", "--json"]).says(0, "");
    let lines: Vec<Value> = run
        .stdout
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let short: Vec<_> = lines[..3]
        .iter()
        .map(|line| (&line["path"], &line["status"], &line["certainty"]))
        .collect();
    assert_eq!(
        json!(short),
        json!([
            ["a.py", "not_made", null],
            ["b.py", "already_done", 1.0],
            ["src/c.py", "would_be_done", 1.0]
        ])
    );
    assert_eq!(lines[0]["error"]["kind"], "declined");
    assert!(lines[2]["diff"].as_str().unwrap().contains("+limit = 5\n"));
    assert_eq!(lines[2]["edits"][0]["new"], "limit = 5");
    assert_eq!(lines.len(), 4);
    assert_eq!(lines[3]["status"], "would_be_done");
    assert_eq!(lines[3]["diff"], lines[2]["diff"]);
    assert_eq!(lines[3]["stats"]["stages"].as_array().unwrap().len(), 5);

    // What was shown is what is written.
    each(&script, dir.path(), &["--yes"]).says(0, "wrote src/c.py");
    assert_eq!(script.requests(), []);
}

#[test]
fn a_rename_in_all_files_leaves_no_old_name() {
    let files: [(&str, &[u8]); 2] = [
        ("tool.py", b"def process_item(item):\n    return item\n"),
        (
            "user.py",
            b"from tool import process_item\n\nprint(process_item(1))\n",
        ),
    ];
    let rename = |path| {
        let pick = format!(r#"{{"path":"{path}","operation":"replace_all"}}"#);
        let slots = r#"{"old":"process_item","new":"handle_item"}"#;
        [answer(&pick), answer(slots)]
    };
    let task = "Rename process_item to handle_item everywhere";
    let dir = folder(&files);
    let script = Script::new([rename("tool.py"), rename("user.py")].concat());
    script
        .edit(dir.path(), &["--yes", "--each", "*.py", task])
        .says(0, "wrote tool.py, user.py");

    // A file that does not match keeps it, and that is a warning.
    let dir = folder(&files);
    let script = Script::new(rename("tool.py").to_vec());
    script
        .edit(dir.path(), &["--yes", "--each", "tool.py", task])
        .says(1, "left out: process_item is now called handle_item")
        .says(1, "hint: --accept leftover writes it all the same");
}

#[test]
fn what_matches_nothing_is_said() {
    let dir = three();
    let script = Script::of(&[]);
    let edit = |arguments: &[&str]| script.edit(dir.path(), arguments);
    edit(&["--each", "scr/*.py", TASK])
        .says(2, "--each \"scr/*.py\" matches none of the 4 files in /")
        .says(2, "hint: similar: src/c.py")
        .says(2, "as in a .gitignore");
    edit(&["--each", "src/{c,d", TASK]).says(2, "--each \"src/{c,d\" is no glob: ");
    edit(&["--each", "*.py", "--file", "a.py", TASK]).says(2, "cannot be used with");
    edit(&["--each", "*.py", " "]).says(2, "the task is empty");
    assert_eq!(edited(dir.path()), [""; 0]);
}

/// Where the script waits in the second file, so that something can happen meanwhile.
fn stuck() -> Script {
    let mut turns = edits_of(&["a.py"]);
    turns.extend([pick("b.py"), Turn::Silence]);
    turns.extend(edits_of(&["x.py"; 9])); // room for the answers of the next process
    Script::new(turns)
}

#[test]
fn a_program_that_is_killed_goes_on_where_it_was() {
    let dir = three();
    let mut script = stuck();
    let marker = format!("each-{}", std::process::id());
    let mut command = Command::new(PROGRAM);
    command.args(["edit", "--yes", "--each", "*.py", TASK, "--root"]);
    let mut child = quiet(command.arg(dir.path()))
        .envs(script.environment())
        .env(MARKER, &marker)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let begun = Instant::now();
    while script.requests_so_far() < 4 {
        assert!(begun.elapsed() < Duration::from_secs(60), "it asks nothing");
        std::thread::sleep(Duration::from_millis(10));
    }
    signal(child.id(), "KILL");
    child.wait().unwrap();
    assert_eq!(left_behind(&marker), [""; 0], "a model process is left");
    assert_eq!(edited(dir.path()), [""; 0]);

    script.goes_on_with(edits_of(&["b.py", "src/c.py"]));
    each(&script, dir.path(), &["--yes"]).says(0, "wrote a.py, b.py, src/c.py");
    assert_eq!(script.requests().len(), 4, "a.py is not asked about again");
    assert_eq!(edited(dir.path()), ["a.py", "b.py", "src/c.py"]);
}

#[test]
fn ctrl_c_stops_asking_and_proposes_what_there_is() {
    let dir = three();
    let mut script = stuck();
    let arguments = format!("--each '*.py' '{TASK}'");
    let Some(mut terminal) = Terminal::edit(&script, dir.path(), &arguments) else {
        return;
    };
    terminal.wait_for("2 of 3, b.py; ");
    while script.requests_so_far() < 4 {
        std::thread::sleep(Duration::from_millis(10));
    }
    terminal.write("\x03");
    terminal.wait_for("stopped after 1 of 3 files: the same command goes on with the others");
    terminal.answer("Change a.py? [y/N/e/?] ", "y\n");
    terminal.wait_for("wrote a.py");
    assert_eq!(terminal.exit_code(), Some(0));
    assert_eq!(edited(dir.path()), ["a.py"]);

    script.goes_on_with(edits_of(&["b.py", "src/c.py"]));
    each(&script, dir.path(), &["--yes"])
        .says(0, "a.py was written before")
        .says(0, "wrote b.py, src/c.py");
    assert_eq!(edited(dir.path()), ["a.py", "b.py", "src/c.py"]);
}

#[test]
fn a_second_ctrl_c_writes_nothing() {
    let dir = three();
    let script = stuck();
    let arguments = format!("--yes --each '*.py' '{TASK}'");
    let Some(mut terminal) = Terminal::edit(&script, dir.path(), &arguments) else {
        return;
    };
    terminal.wait_for("2 of 3, b.py");
    terminal.write("\x03");
    terminal.wait_for("Change a.py? "); // it is asked in spite of --yes
    terminal.write("\x03");
    terminal.wait_for("interrupted; nothing was written");
    assert_eq!(terminal.exit_code(), Some(130));
    assert_eq!(edited(dir.path()), [""; 0]);
}

#[test]
fn the_review_is_file_by_file() {
    let dir = three();
    // Two places that are far enough apart for two hunks.
    let middle = "x\n".repeat(9).replace('x', "pass");
    let text = format!("limit = 3\n{middle}limit = 3\n");
    fs::write(dir.path().join("b.py"), &text).unwrap();
    let both = r#"{"path":"b.py","operation":"replace_all"}"#;
    let all = r#"{"old":"3","new":"5"}"#;
    let turns = [
        edits_of(&["a.py"]),
        vec![answer(both), answer(all)],
        edits_of(&["src/c.py"]),
    ];
    let script = Script::new(turns.concat());
    let arguments = format!("--each '*.py' '{TASK}'");
    let Some(mut terminal) = Terminal::edit(&script, dir.path(), &arguments) else {
        return;
    };
    terminal.answer("Change 3 files? [y/N/s/?] ", "s\n");
    terminal.answer("Take this hunk (1 of 3, a.py)? [y/n/e/a/d/?] ", "n\n");
    terminal.answer("Take this file (2 of 3, b.py)? [y/n/s/a/d/?] ", "s\n");
    terminal.answer("Take this hunk (1 of 2, b.py)? [y/n/e/a/d/?] ", "n\n");
    terminal.answer("Take this hunk (2 of 2, b.py)? [y/n/e/a/d/?] ", "a\n");
    terminal.wait_for("wrote b.py, src/c.py, without 2 hunks");
    assert_eq!(terminal.exit_code(), Some(0), "{}", terminal.screen);
    let of = |path| fs::read_to_string(dir.path().join(path)).unwrap();
    assert_eq!(of("a.py"), before("a.py"));
    assert_eq!(of("b.py"), format!("limit = 3\n{middle}limit = 5\n"));
    assert_eq!(of("src/c.py"), after("src/c.py"));
}

#[test]
fn a_no_takes_nothing_back() {
    let dir = three();
    let script = Script::new(edits_of(&["a.py", "b.py", "src/c.py"]));
    each(&script, dir.path(), &[])
        .says(3, "nobody to ask; nothing was written")
        .says(
            3,
            "hint: the edits are kept: the same command shows them at once",
        );
    each(&script, dir.path(), &["--yes"]).says(0, "wrote a.py, b.py, src/c.py");
    assert_eq!(script.requests(), []);
}
