//! `/more` and `/also` in an editor: the model goes on with edits that were shown and not written, or
//! changes them; and what it knows of those that were written.

use crate::support::editor::Editor;
use crate::support::folder;
use crate::support::processes::{children, signal};
use crate::support::script::Script;
use serde_json::json;
use slotwright::engine::{Part, Request};
use std::fs;
use std::path::PathBuf;
use tempfile::TempDir;

const BEFORE: &str = "def process_item(item):\n    return len(item)\n";
const PICK: &str = r#"{"path":"tool.py","operation":"replace"}"#;
const DONE: &str = r#"{"operation":"none","reason":"already_done"}"#;
const PICK_USE: &str = r#"{"path":"use.py","operation":"replace"}"#;
const IMPORT: &str = r#"{"old":"import tool","new":"from tool import *"}"#;
const RENAME_PICK: &str = r#"{"path":"tool.py","operation":"replace_all"}"#;
const RENAME: &str = r#"{"old":"process_item","new":"handle_item"}"#;

/// A folder with a file that uses the tool, and a model whose answer lacks that use until it is made to
/// go on.
fn forgotten_use(use_of: &[u8], further: &[&str]) -> (TempDir, Script) {
    let dir = folder(&[("tool.py", BEFORE.as_bytes()), ("use.py", use_of)]);
    let length = r#"{"old":"len(item)","new":"2 * len(item)"}"#;
    let first = [PICK, length, DONE];
    (dir, Script::adapted(&[&first, further].concat()))
}

fn text(dir: &TempDir) -> String {
    fs::read_to_string(dir.path().join("tool.py")).unwrap()
}

/// Where the agent sees the file: without links in its path.
fn real(dir: &TempDir) -> PathBuf {
    dir.path().canonicalize().unwrap().join("tool.py")
}

fn titles(editor: &Editor) -> Vec<&str> {
    editor
        .questions
        .iter()
        .map(|asked| asked["toolCall"]["title"].as_str().unwrap())
        .collect()
}

fn used(dir: &TempDir) -> String {
    fs::read_to_string(dir.path().join("use.py")).unwrap()
}

#[test]
fn the_model_goes_on_where_an_edit_is_missing() {
    let (dir, script) = forgotten_use(b"import tool\n", &[PICK_USE, IMPORT, DONE]);
    let mut editor = Editor::new(dir.path(), &script, &[]);
    let session = editor.session(dir.path());
    editor.choices = vec!["reject", "once"];
    editor.prompt(&session, "Count double");
    assert!(
        editor.said().contains("/more has the model go on"),
        "{}",
        editor.said()
    );
    assert_eq!(editor.prompt(&session, "/more"), "end_turn");
    let both = ["1 of 2: Change tool.py?", "2 of 2: Change use.py?"];
    assert_eq!(titles(&editor), ["Change tool.py?", both[0], both[1]]);
    assert_eq!(text(&dir), BEFORE.replace("len", "2 * len"));
    assert_eq!(used(&dir), "from tool import *\n");
    // Both are one edit.
    editor.prompt(&session, "/undo");
    assert_eq!(
        (text(&dir).as_str(), used(&dir).as_str()),
        (BEFORE, "import tool\n")
    );
    // What was written is no longer open.
    editor.prompt(&session, "/more");
    assert!(
        editor.said().contains("no edits to go on with"),
        "{}",
        editor.said()
    );
}

#[test]
fn where_the_model_cannot_go_on_the_edits_before_are_offered_again() {
    // Latin-1 has no such character.
    let (dir, script) = forgotten_use(b"caf\xe9 = 1\n", &[PICK_USE, r#"{"old":"1","new":"中"}"#]);
    let mut editor = Editor::new(dir.path(), &script, &[]);
    let session = editor.session(dir.path());
    editor.choices = vec!["reject", "once"];
    editor.prompt(&session, "Count double");
    editor.prompt(&session, "/more");
    assert!(
        editor
            .said()
            .contains("the model's next edit cannot be written"),
        "{}",
        editor.said()
    );
    assert_eq!(titles(&editor), ["Change tool.py?"; 2]);
    assert_eq!(text(&dir), BEFORE.replace("len", "2 * len"));
}

#[test]
fn a_missing_edit_of_a_file_that_is_not_saved_is_left_out() {
    let (dir, script) = forgotten_use(b"import tool\n", &[PICK_USE, IMPORT, DONE]);
    let fs = json!({"readTextFile": true, "writeTextFile": true});
    let mut editor = Editor::with(dir.path(), &script, &[], fs);
    let session = editor.session(dir.path());
    editor.choices = vec!["reject", "once"];
    editor.prompt(&session, "Count double");
    // The model has not read this.
    let typed = "import tool  # not saved\n";
    let unsaved = real(&dir).with_file_name("use.py");
    editor.buffers.insert(unsaved.clone(), typed.to_owned());
    editor.prompt(&session, "/more");
    assert!(
        editor
            .said()
            .contains("use.py has changes that are not saved"),
        "{}",
        editor.said()
    );
    assert_eq!(titles(&editor), ["Change tool.py?"; 2]);
    assert_eq!(text(&dir), BEFORE.replace("len", "2 * len"));
    assert_eq!(
        (used(&dir).as_str(), editor.buffers[&unsaved].as_str()),
        ("import tool\n", typed)
    );
}

#[test]
fn a_missing_edit_beside_a_file_that_is_not_saved_is_left_out() {
    let (dir, script) = forgotten_use(b"import tool\n", &[PICK_USE, IMPORT, DONE]);
    let fs = json!({"readTextFile": true, "writeTextFile": true});
    let mut editor = Editor::with(dir.path(), &script, &[], fs);
    let unsaved = format!("# new\n{BEFORE}");
    editor.buffers.insert(real(&dir), unsaved.clone());
    let session = editor.session(dir.path());
    editor.choices = vec!["reject", "once"];
    editor.prompt(&session, "Count double");
    editor.prompt(&session, "/more");
    // An editor is given one file, so that this one would be lost with the other.
    assert!(
        editor
            .said()
            .contains("tool.py has changes that are not saved"),
        "{}",
        editor.said()
    );
    assert_eq!(titles(&editor), ["Change tool.py?"; 2]);
    assert_eq!(
        editor.buffers[&real(&dir)],
        unsaved.replace("len", "2 * len")
    );
    assert_eq!(
        (text(&dir).as_str(), used(&dir).as_str()),
        (BEFORE, "import tool\n")
    );
}

/// The further edit takes the warning away for which the person was asked.
#[test]
fn who_wants_more_is_asked_though_always_was_said() {
    let before = format!("{BEFORE}\n\nprocess_item(1)\n");
    let dir = folder(&[("tool.py", before.as_bytes())]);
    let name = r#"{"old":"def process_item","new":"def handle_item"}"#;
    let call = r#"{"old":"process_item(1)","new":"handle_item(1)"}"#;
    let script = Script::adapted(&[PICK, name, DONE, PICK, call, DONE]);
    let mut editor = Editor::new(dir.path(), &script, &[]);
    let session = editor.session(dir.path());
    editor.choices = vec!["always", "reject", "reject"];
    let mode = "diff --git a/tool.py b/tool.py\nold mode 100644\nnew mode 100755\n";
    editor.prompt(&session, &format!("/apply {mode}"));
    editor.prompt(&session, "Give it another name");
    assert!(
        editor.said().contains("1 use of it is left"),
        "{}",
        editor.said()
    );
    editor.prompt(&session, "/more");
    let titles = titles(&editor);
    assert_eq!(titles.len(), 3, "{}", editor.said());
    assert!(
        titles
            .iter()
            .all(|title| title.starts_with("Change tool.py?")),
        "{titles:?}"
    );
    let (_, _, after) = editor.diff().unwrap();
    assert_eq!(after, before.replace("process_item", "handle_item"));
    assert_eq!(text(&dir), before);
}

/// While nobody used it, the system has taken its memory.
#[test]
fn a_model_that_has_ended_meanwhile_does_not_go_on() {
    let (dir, script) = forgotten_use(b"import tool\n", &[]);
    let mut editor = Editor::new(dir.path(), &script, &[]);
    let session = editor.session(dir.path());
    editor.choices = vec!["reject", "once"];
    editor.prompt(&session, "Count double");
    let models = children(editor.agent.pid());
    if models.is_empty() {
        println!("skipped: this system does not list a process's children");
        return;
    }
    models.into_iter().for_each(|pid| signal(pid, "KILL"));
    editor.prompt(&session, "/more");
    assert!(
        editor
            .said()
            .contains("No further edit: the model's process"),
        "{}",
        editor.said()
    );
    assert_eq!(titles(&editor), ["Change tool.py?"; 2]);
    assert_eq!(text(&dir), BEFORE.replace("len", "2 * len"));
}

#[test]
fn the_model_goes_on_with_a_task_that_is_not_its_last() {
    let other = [RENAME_PICK, RENAME, DONE];
    let further = [other, [PICK_USE, IMPORT, DONE]].concat();
    let (dir, script) = forgotten_use(b"import tool\n", &further);
    let mut editor = Editor::new(dir.path(), &script, &[]);
    let (first, second) = (editor.session(dir.path()), editor.session(dir.path()));
    editor.choices = vec!["reject", "reject", "once", "once"];
    editor.prompt(&first, "Count double");
    editor.prompt(&second, "Rename process_item to handle_item everywhere");
    editor.prompt(&first, "/more");
    assert_eq!(text(&dir), BEFORE.replace("len", "2 * len"));
    assert_eq!(used(&dir), "from tool import *\n");
}

fn prompt(request: &Request) -> String {
    request.prompt.iter().map(Part::as_str).collect()
}

#[test]
fn edits_that_are_shown_are_changed_by_a_further_sentence() {
    let dir = folder(&[("tool.py", BEFORE.as_bytes())]);
    let first = r#"{"old":"len(item)","new":"2 * len(item)"}"#;
    let thrice = r#"{"old":"2 * len","new":"3 * len"}"#;
    let script = Script::of(&[PICK, first, PICK, thrice, DONE]);
    let mut editor = Editor::new(dir.path(), &script, &[]);
    let session = editor.session(dir.path());
    editor.choices = vec!["reject", "reject", "once"];
    editor.prompt(&session, "Count double");
    assert!(
        editor.said().contains("/also changes them"),
        "{}",
        editor.said()
    );
    editor.prompt(&session, "/also no, three times");
    assert_eq!(text(&dir), BEFORE);
    // One that changes nothing leaves them.
    editor.prompt(&session, "/also in tool.py");
    assert_eq!(titles(&editor), ["Change tool.py?"; 3]);
    assert_eq!(text(&dir), BEFORE.replace("len", "3 * len"));
    editor.prompt(&session, "/undo list");
    let what = "Count double; no, three times";
    assert!(editor.said().contains(what), "{}", editor.said());
    editor.prompt(&session, "/also more");
    assert!(
        editor.said().contains("no edits to go on with"),
        "{}",
        editor.said()
    );
}

#[test]
fn the_next_prompt_knows_what_was_written() {
    let dir = folder(&[("tool.py", BEFORE.as_bytes()), ("a.py", b"x = 1\n")]);
    let first = r#"{"old":"len(item)","new":"2 * len(item)"}"#;
    let thrice = r#"{"old":"2 * len","new":"3 * len"}"#;
    let lines = "tool.py\n-    return len(item)\n+    return 2 * len(item)";
    let form = format!("Task: Count double\n\nDone so far:\n{lines}\n\nNow: use 3 instead");
    let note =
        format!("use 3 instead\n\nJust before, this was done for \"Count double\":\n{lines}");
    for (script, knows, n_asked) in [
        (
            Script::adapted(&[PICK, first, DONE, PICK, thrice, DONE]),
            form,
            3,
        ),
        (Script::of(&[PICK, first, PICK, thrice]), note, 2),
    ] {
        fs::write(dir.path().join("tool.py"), BEFORE).unwrap();
        let mut editor = Editor::new(dir.path(), &script, &[]);
        let session = editor.session(dir.path());
        editor.choices = vec!["once", "once"];
        editor.prompt(&session, "Count double");
        editor.prompt(&session, "use 3 instead");
        assert_eq!(text(&dir), BEFORE.replace("len", "3 * len"));
        let requests = script.requests();
        assert!(!prompt(&requests[0]).contains("Count double\n\n"));
        let told = prompt(&requests[n_asked]);
        assert!(told.contains(&knows), "{told}");
        // The edited file is among those to choose from, though the task has none of its words.
        assert!(told.contains("tool.py"), "{told}");
    }
}

#[test]
fn a_check_is_run_with_what_is_not_saved() {
    let (dir, _) = forgotten_use(b"import tool\n", &[]);
    let script = Script::of(&[RENAME_PICK, RENAME]);
    let fs = json!({"readTextFile": true, "writeTextFile": true});
    let check = [
        "--no-sandbox",
        "--check",
        "! grep -q process_item tool.py && grep -q new tool.py",
    ];
    let mut editor = Editor::with(dir.path(), &script, &check, fs);
    editor
        .buffers
        .insert(real(&dir), format!("# new\n{BEFORE}"));
    let session = editor.session(dir.path());
    editor.prompt(
        &session,
        "In tool.py, rename process_item to handle_item everywhere",
    );
    assert!(editor.said().contains("check: passed"), "{}", editor.said());
}
