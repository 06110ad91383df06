//! `slotwright edit --check` as a person or a script meets it: what counts, what is mended, what is
//! refused. The model answers from a script.

use crate::support::script::{Script, Turn, answer, cut_off};
use crate::support::terminal::Terminal;
use crate::support::{PROGRAM, Run, folder, run};
use slotwright::engine::{End, Part, Weights};
use std::fs;
use std::path::Path;
use std::process::Command;

const TASK: &str = "Give size a second parameter, unit";
const TOOL: &str = "def size(item):\n    return len(item)\n";
const USE: &str = "from tool import size\n\n\nprint(size('x'))\n";
/// It fails as long as the call in use.py does not suit the function in tool.py.
const CHECK: &str = "python3 use.py";

const PICK_TOOL: &str = r#"{"path":"tool.py","operation":"replace"}"#;
const PICK_USE: &str = r#"{"path":"use.py","operation":"replace"}"#;
/// Breaks the call.
const SIGNATURE: &str = r#"{"old":"def size(item):","new":"def size(item, unit):"}"#;
/// Mends it.
const CALL: &str = r#"{"old":"size('x')","new":"size('x', 1)"}"#;
/// Does no harm.
const BODY: &str = r#"{"old":"len(item)","new":"len(item) + 1"}"#;

fn project() -> tempfile::TempDir {
    folder(&[("tool.py", TOOL.as_bytes()), ("use.py", USE.as_bytes())])
}

#[track_caller]
fn edit(script: &Script, root: &Path, check: &str, arguments: &[&str]) -> Run {
    let checked = ["--no-sandbox", "--check", check];
    script.edit(root, &[&checked, arguments, &[TASK]].concat())
}

fn text(root: &Path, path: &str) -> String {
    fs::read_to_string(root.join(path)).unwrap()
}

fn prompt(script: &Script, idx: usize) -> String {
    let parts = &script.requests()[idx].prompt;
    parts.iter().map(Part::as_str).collect()
}

/// The answers of a model whose further edits help nothing, up to the block written anew.
fn useless() -> Vec<Turn> {
    let other = |old: &str, new: &str| format!(r#"{{"old":"{old}","new":"{new}"}}"#);
    [
        PICK_TOOL,
        SIGNATURE,
        PICK_USE,
        &other("'x'", "'y'"),
        PICK_USE,
        &other("'x'", "'z'"),
        PICK_TOOL,
        BODY,
    ]
    .map(answer)
    .to_vec()
}

fn anew(call: &str) -> Turn {
    let text = format!("```python\nfrom tool import size\n\n\nprint({call})\n```");
    cut_off(&text, End::Complete)
}

#[test]
fn an_edit_that_passes_says_so() {
    let dir = project();
    let script = Script::of(&[PICK_TOOL, BODY]);
    edit(&script, dir.path(), CHECK, &["--yes"]).says(0, "check: passed\n");
    let run = edit(
        &Script::of(&[PICK_TOOL, SIGNATURE]),
        dir.path(),
        "true",
        &["--json"],
    );
    let report: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(report["check"]["result"], "passed");
    assert_eq!(report["check"]["command"], "true");
}

#[test]
fn what_an_edit_breaks_is_mended_as_one_change() {
    let dir = project();
    let script = Script::of(&[PICK_TOOL, SIGNATURE, PICK_USE, CALL]);
    let run = edit(&script, dir.path(), CHECK, &["--yes"]);
    run.says(0, "check: passed, after a further edit");
    assert_eq!(text(dir.path(), "use.py"), USE.replace("'x'", "'x', 1"));
    let told = prompt(&script, 2);
    assert!(
        told.contains("Now `python3 use.py` fails:")
            && told.contains("missing 1 required positional argument: 'unit'")
            && told.contains("+def size(item, unit):"),
        "{told}"
    );

    let mut undo = Command::new(PROGRAM);
    run_undo(&mut undo, dir.path());
    assert_eq!(text(dir.path(), "use.py"), USE);
    assert_eq!(text(dir.path(), "tool.py"), TOOL);
}

fn run_undo(command: &mut Command, root: &Path) {
    run(command.arg("undo").arg("--root").arg(root)).says(0, "undone");
}

#[test]
fn a_model_with_an_adapter_reads_it_in_the_sentence() {
    let dir = project();
    let done = r#"{"operation":"none","reason":"already_done"}"#;
    // It leaves both places that should know of the parameter: the body, and the caller.
    let script = Script::adapted(&[PICK_TOOL, SIGNATURE, done, done, done, PICK_USE, CALL]);
    edit(&script, dir.path(), CHECK, &["--yes"]).says(0, "check: passed, after a further edit");
    let told = prompt(&script, 5);
    let sentence = format!("{TASK}. Now use.py:4 says: TypeError: size() missing 1 required");
    assert!(told.contains(&sentence), "{told}");
}

#[test]
fn of_a_traceback_the_caller_is_asked_about_before_what_was_edited() {
    let used = "from tool import size\n\n\ndef show(item):\n    print(size(item))\n";
    let files = [
        ("tool.py", "def size(item):\n    return len(item)\n"),
        ("use.py", used),
        ("run.py", "import use\n\nuse.show('x')\n"),
    ];
    let dir = folder(&files.map(|(path, text)| (path, text.as_bytes())));
    let raises = r#"{"old":"len(item)","new":"item + 1"}"#;
    let number = r#"{"old":"size(item)","new":"size(len(item))"}"#;
    let script = Script::of(&[PICK_TOOL, raises, PICK_USE, number]);
    let run = edit(&script, dir.path(), "python3 run.py", &["--yes"]);
    run.says(0, "check: passed, after a further edit");
    assert_eq!(
        text(dir.path(), "use.py"),
        used.replace("size(item)", "size(len(item))")
    );
}

#[test]
fn a_block_that_still_fails_is_written_anew() {
    let dir = project();
    let mut turns = useless();
    turns.push(anew("size('x', 1)"));
    let script = Script::new(turns);
    edit(&script, dir.path(), CHECK, &["--yes"]).says(0, "check: passed, after a further edit");
    assert_eq!(text(dir.path(), "use.py"), USE.replace("'x'", "'x', 1"));
    assert_eq!(
        text(dir.path(), "tool.py"),
        TOOL.replace("item)", "item, unit)")
            .replace("len(item, unit)", "len(item)")
    );
    assert_eq!(script.requests().last().unwrap().weights, Weights::Base);
}

#[test]
fn what_cannot_be_mended_is_a_warning_and_nothing_useless_is_kept() {
    let mut turns = useless();
    turns.push(anew("size('w')"));
    let script = Script::new(turns);
    let warned = "warning: the check fails: use.py:4: TypeError: size() missing 1 required";

    let dir = project();
    edit(&script, dir.path(), CHECK, &["--yes"]).says(1, warned);
    assert_eq!(text(dir.path(), "tool.py"), TOOL);
    let run = edit(&script, dir.path(), CHECK, &["--json"]).says(3, warned);
    let report: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(report["warnings"][0]["kind"], "fails");
    assert_eq!(report["files"], serde_json::json!(["tool.py"]));
    let complaint = &report["check"]["complaints"][0];
    let place = serde_json::json!({"path": "use.py", "line": 4, "column": null});
    assert_eq!(
        (&report["check"]["result"], &complaint["place"]),
        (&"fails".into(), &place)
    );

    edit(&script, dir.path(), CHECK, &["--yes", "--accept", "fails"]).says(0, warned);
    assert_eq!(text(dir.path(), "use.py"), USE);
    assert_eq!(
        text(dir.path(), "tool.py"),
        TOOL.replace("size(item)", "size(item, unit)")
    );
}

#[test]
fn what_failed_before_does_not_count() {
    let broken = USE.replace("'x'", "'x', 1");
    let dir = folder(&[("tool.py", TOOL.as_bytes()), ("use.py", broken.as_bytes())]);
    let script = Script::of(&[PICK_TOOL, BODY]);
    let run = edit(&script, dir.path(), CHECK, &["--yes"]);
    run.says(0, "check: fails as it does without the edit");
}

#[test]
fn a_check_that_cannot_be_run_is_refused_by_yes() {
    let dir = project();
    let script = Script::of(&[PICK_TOOL, BODY]);
    let warned = "warning: the check could not be run: the command cannot be run: ";
    let run = edit(&script, dir.path(), "no-such-program", &["--yes"]).says(1, warned);
    assert!(
        run.stderr.contains("no-such-program: not found"),
        "{run:#?}"
    );
    assert_eq!(text(dir.path(), "tool.py"), TOOL);
    edit(
        &script,
        dir.path(),
        "no-such-program",
        &["--yes", "--accept", "fails"],
    )
    .says(0, warned);
}

#[test]
fn nothing_is_checked_without_a_command() {
    let dir = project();
    let run = edit(&Script::of(&[PICK_TOOL, BODY]), dir.path(), "", &["--yes"]).says(0, "wrote");
    assert!(!run.stderr.contains("check"), "{run:#?}");
}

#[test]
fn the_folder_as_it_is_is_checked_once() {
    let dir = project();
    let script = Script::of(&[PICK_TOOL, BODY]);
    let kept = "the check of the folder as it is was run before";
    let checked = || {
        let mut command = Command::new("env");
        command.args(["SLOTWRIGHT_LOG=debug", PROGRAM, "edit", "--root"]);
        command.arg(dir.path());
        command.args(["--no-sandbox", "--dry-run", "--check", CHECK, TASK]);
        script.run(&mut command).says(0, "check: passed")
    };
    assert!(!checked().stderr.contains(kept));
    assert!(checked().stderr.contains(kept));
    fs::write(dir.path().join("use.py"), USE.replace("'x'", "'y'")).unwrap();
    assert!(!checked().stderr.contains(kept));
}

#[test]
fn a_project_offers_a_check_and_the_person_is_asked_once() {
    let dir = project();
    fs::write(
        dir.path().join("slotwright.toml"),
        format!("check = {CHECK:?}\n"),
    )
    .unwrap();
    let script = Script::of(&[PICK_TOOL, BODY]);
    let arguments = format!("--no-sandbox '{TASK}'");
    for is_asked in [true, false] {
        let Some(mut terminal) = Terminal::edit(&script, dir.path(), &arguments) else {
            return;
        };
        if is_asked {
            let question = "offers a check: run `python3 use.py` in a throw-away copy";
            terminal.answer(question, "y\n");
        }
        terminal.wait_for("check: passed");
        terminal.answer("Change tool.py?", "n\n");
        assert_eq!(terminal.exit_code(), Some(3));
    }
}

#[test]
fn a_projects_check_that_nobody_said_yes_to_is_not_run() {
    let dir = project();
    fs::write(dir.path().join("slotwright.toml"), "check = \"exit 1\"\n").unwrap();
    let script = Script::of(&[PICK_TOOL, BODY]);
    let run = script.edit(dir.path(), &["--yes", TASK]);
    let run = run.says(0, "the check of slotwright.toml is not run");
    assert!(
        run.stderr.contains("--check \"exit 1\" runs it"),
        "{run:#?}"
    );
}
