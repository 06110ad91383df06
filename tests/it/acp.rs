//! `slotwright acp` as an editor meets it. The model answers from a script.

use crate::support::editor::Editor;
use crate::support::folder;
use crate::support::processes::{MARKER, children, left_behind, signal};
use crate::support::random::Random;
use crate::support::rpc::RpcProgram;
use crate::support::script::{Script, Turn, answer};
use serde_json::json;
use slotwright::slots::Slot;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tempfile::TempDir;

pub const TASK: &str = "Rename process_item to handle_item everywhere";
pub const BEFORE: &str = "def process_item(item):\n    return len(item)\n";
pub const AFTER: &str = "def handle_item(item):\n    return len(item)\n";
pub const PICK: &str = r#"{"path":"tool.py","operation":"replace_all"}"#;
pub const RENAME: &str = r#"{"old":"process_item","new":"handle_item"}"#;
const BACK: &str = r#"{"old":"handle_item","new":"process_item"}"#;
const BACK_TASK: &str = "Rename handle_item to process_item everywhere";

pub fn tool() -> TempDir {
    folder(&[("tool.py", BEFORE.as_bytes())])
}

pub fn text(dir: &TempDir) -> String {
    fs::read_to_string(dir.path().join("tool.py")).unwrap()
}

pub fn renames() -> Script {
    Script::of(&[PICK, RENAME])
}

/// Where the agent sees the file: without links in its path.
fn real(dir: &TempDir) -> PathBuf {
    dir.path().canonicalize().unwrap().join("tool.py")
}

#[test]
fn an_edit_is_shown_asked_for_written_and_taken_back() {
    let (dir, script) = (tool(), renames());
    let mut editor = Editor::new(dir.path(), &script, &[]);
    let session = editor.session(dir.path());
    assert_eq!(editor.prompt(&session, TASK), "end_turn");
    let commands = editor.updates.iter();
    let commands = commands.filter(|u| u["sessionUpdate"] == "available_commands_update");
    let commands = commands.map(ToString::to_string).collect::<String>();
    for name in ["apply", "undo", "repair"] {
        assert!(
            commands.contains(&format!("\"name\":\"{name}\"")),
            "{commands}"
        );
    }
    let path = real(&dir).to_str().unwrap().to_owned();
    assert_eq!(
        editor.diff(),
        Some((path, BEFORE.to_owned(), AFTER.to_owned()))
    );
    let [question] = editor.questions.as_slice() else {
        panic!("{:#?}", editor.questions)
    };
    let kinds = question["options"].as_array().unwrap().iter();
    let kinds: Vec<&str> = kinds
        .map(|option| option["kind"].as_str().unwrap())
        .collect();
    assert_eq!(kinds, ["allow_once", "allow_always", "reject_once"]);
    assert!(editor.said().contains("Wrote tool.py"), "{}", editor.said());
    let last = editor
        .updates
        .iter()
        .rfind(|u| u["sessionUpdate"] == "tool_call_update")
        .unwrap();
    assert_eq!(last["status"], "completed");
    assert_eq!(text(&dir), AFTER);

    assert_eq!(editor.prompt(&session, "/undo"), "end_turn");
    assert_eq!(text(&dir), BEFORE);
    assert!(
        editor.said().contains("Took back in tool.py"),
        "{}",
        editor.said()
    );
    editor.prompt(&session, "/undo");
    assert!(
        editor.said().contains("nothing to undo"),
        "{}",
        editor.said()
    );

    editor.prompt(&session, "/undo list");
    assert!(
        editor.said().contains("- 1  ") && editor.said().contains("(undone)"),
        "{}",
        editor.said()
    );
    editor.prompt(&session, "/undo 7");
    assert!(editor.said().contains("/undo list"), "{}", editor.said());
    editor.prompt(&session, "/undo that");
    assert!(
        editor.said().contains("\"that\" is no number"),
        "{}",
        editor.said()
    );
}

#[test]
fn an_older_edit_is_undone_after_the_later_ones() {
    let lines = |first: &str, last: &str| format!("{first}\n2\n3\n4\n5\n6\n{last}\n");
    let dir = folder(&[("a.txt", lines("one", "last").as_bytes())]);
    let text = || fs::read_to_string(dir.path().join("a.txt")).unwrap();
    let script = renames();
    let mut editor = Editor::new(dir.path(), &script, &[]);
    let session = editor.session(dir.path());
    for (old, new) in [("one", "ONE"), ("last", "LAST")] {
        let patch = format!("a.txt\n<<<<<<< SEARCH\n{old}\n=======\n{new}\n>>>>>>> REPLACE\n");
        editor.prompt(&session, &format!("/apply {patch}"));
    }
    assert_eq!(text(), lines("ONE", "LAST"), "{}", editor.said());
    editor.prompt(&session, "/undo 1");
    assert!(editor.said().contains("undo 2 first"), "{}", editor.said());
    assert_eq!(text(), lines("ONE", "LAST"));
    editor.prompt(&session, "/undo 2");
    assert_eq!(text(), lines("ONE", "last"));
    editor.prompt(&session, "/undo 2");
    assert!(editor.said().contains("/undo list"), "{}", editor.said());
    editor.prompt(&session, "/undo");
    assert_eq!(text(), lines("one", "last"));
}

#[test]
fn a_rejected_edit_is_not_written() {
    let (dir, script) = (tool(), renames());
    let mut editor = Editor::new(dir.path(), &script, &[]);
    editor.choices = vec!["reject"];
    let session = editor.session(dir.path());
    assert_eq!(editor.prompt(&session, TASK), "end_turn");
    assert!(
        editor.said().contains("Nothing was written"),
        "{}",
        editor.said()
    );
    assert_eq!(text(&dir), BEFORE);
}

#[test]
fn always_is_for_this_session_and_edits_without_a_warning() {
    let dir = tool();
    let unsure = answer(RENAME).sure(Slot::New, 0.01);
    let turns = [PICK, RENAME, PICK, BACK, PICK]
        .map(answer)
        .into_iter()
        .chain([unsure]);
    let script = Script::new(turns.collect());
    let mut editor = Editor::new(dir.path(), &script, &[]);
    editor.choices = vec!["always"];
    let session = editor.session(dir.path());
    editor.prompt(&session, TASK);
    assert_eq!((text(&dir).as_str(), editor.questions.len()), (AFTER, 1));
    editor.prompt(&session, BACK_TASK);
    assert_eq!((text(&dir).as_str(), editor.questions.len()), (BEFORE, 1));
    let second = editor.session(dir.path());
    editor.choices = vec!["reject"];
    editor.prompt(&second, TASK);
    assert_eq!((text(&dir).as_str(), editor.questions.len()), (BEFORE, 2));
    assert!(editor.said().contains("Look twice: "), "{}", editor.said());
}

#[test]
fn an_edit_with_a_warning_is_asked_for_though_always_was_said() {
    let dir = tool();
    let unsure = answer(BACK).sure(Slot::New, 0.01);
    // The second time it is asked without the edit before.
    let mut turns = [PICK, RENAME, PICK].map(answer).to_vec();
    turns.extend([unsure.clone(), answer(PICK), unsure]);
    let script = Script::new(turns);
    let mut editor = Editor::new(dir.path(), &script, &[]);
    editor.choices = vec!["always"];
    let session = editor.session(dir.path());
    editor.prompt(&session, TASK);
    editor.choices = vec!["reject"];
    editor.prompt(&session, BACK_TASK);
    assert_eq!((text(&dir).as_str(), editor.questions.len()), (AFTER, 2));
}

#[test]
fn a_prompt_that_is_cancelled_at_the_question_writes_nothing() {
    let (dir, script) = (tool(), renames());
    let mut editor = Editor::new(dir.path(), &script, &[]);
    editor.choices = vec!["cancelled"];
    let session = editor.session(dir.path());
    assert_eq!(editor.prompt(&session, TASK), "cancelled");
    assert_eq!(text(&dir), BEFORE);
}

#[test]
fn a_prompt_that_is_cancelled_while_the_model_answers_ends_the_model() {
    let dir = tool();
    let script = Script::new(vec![answer(PICK), Turn::Silence]);
    let mut editor = Editor::new(dir.path(), &script, &[]);
    let session = editor.session(dir.path());
    let id = editor.begin(&session, TASK);
    editor
        .agent
        .wait_for(|message| message["params"]["update"]["status"] == "in_progress");
    while script.requests().len() < 2 {
        std::thread::sleep(Duration::from_millis(5));
    }
    let busy = editor.begin(&session, TASK);
    let refused = editor.agent.answer(busy);
    assert!(
        refused["error"]["message"]
            .as_str()
            .unwrap()
            .contains("is running"),
        "{refused:#}"
    );
    editor
        .agent
        .notify("session/cancel", json!({"sessionId": session}));
    assert_eq!(editor.finish(id), "cancelled");
    while Path::new("/proc/self/task").exists() && !children(editor.agent.pid()).is_empty() {
        std::thread::sleep(Duration::from_millis(5));
    }
    assert_eq!(text(&dir), BEFORE);
    editor.prompt(&session, "/undo");
    assert!(
        editor.said().contains("nothing to undo"),
        "{}",
        editor.said()
    );
}

#[test]
fn a_file_that_is_not_saved_is_read_and_changed_in_the_editor() {
    let (dir, script) = (tool(), renames());
    fs::write(dir.path().join("tool.py"), "old = 1\n# process_item\n").unwrap();
    let fs = json!({"readTextFile": true, "writeTextFile": true});
    let mut editor = Editor::with(dir.path(), &script, &[], fs);
    editor.buffers.insert(real(&dir), BEFORE.to_owned());
    let session = editor.session(dir.path());
    assert_eq!(editor.prompt(&session, TASK), "end_turn");
    assert_eq!(editor.buffers[&real(&dir)], AFTER, "{}", editor.said());
    assert_eq!(
        text(&dir),
        "old = 1\n# process_item\n",
        "the editor saves it, not the agent"
    );
    let (_, before, after) = editor.diff().unwrap();
    assert_eq!((before.as_str(), after.as_str()), (BEFORE, AFTER));
    editor.prompt(&session, "/undo");
    assert_eq!(editor.buffers[&real(&dir)], BEFORE);
}

#[test]
fn an_unsaved_file_that_only_the_model_thinks_of_is_read_in_time() {
    let uses = "process_item = 1\nprint(process_item, 'rename handle_item everywhere')\n";
    let mut files = vec![("tool.py", BEFORE.as_bytes())];
    files.extend(["a.py", "b.py", "c.py", "d.py"].map(|path| (path, uses.as_bytes())));
    let dir = folder(&files);
    let script = Script::of(&[PICK, RENAME, PICK, RENAME]);
    let fs = json!({"readTextFile": true, "writeTextFile": true});
    let mut editor = Editor::with(dir.path(), &script, &[], fs);
    editor
        .buffers
        .insert(real(&dir), format!("# not saved\n{BEFORE}"));
    let session = editor.session(dir.path());
    editor.prompt(&session, TASK);
    assert_eq!(
        editor.buffers[&real(&dir)],
        format!("# not saved\n{AFTER}"),
        "{}",
        editor.said()
    );
    assert_eq!((text(&dir).as_str(), script.requests().len()), (BEFORE, 4));
}

#[test]
fn a_saved_file_is_written_with_all_its_bytes_though_the_editor_could() {
    let script = renames();
    let before = format!("# caf\u{e9}\n{BEFORE}");
    let latin: Vec<u8> = before
        .replace('\n', "\r\n")
        .chars()
        .map(|c| c as u8)
        .collect();
    let dir = folder(&[("tool.py", &latin)]);
    let fs = json!({"readTextFile": true, "writeTextFile": true});
    let mut editor = Editor::with(dir.path(), &script, &[], fs);
    editor.buffers.insert(real(&dir), before.clone());
    let session = editor.session(dir.path());
    editor.prompt(&session, TASK);
    let after = before
        .replace("process_item", "handle_item")
        .replace('\n', "\r\n");
    let after: Vec<u8> = after.chars().map(|c| c as u8).collect();
    assert_eq!(
        fs::read(dir.path().join("tool.py")).unwrap(),
        after,
        "{}",
        editor.said()
    );
    assert_eq!(editor.buffers[&real(&dir)], before);
}

/// The model sees the other file as it is in the editor. What is written is on disk.
#[test]
fn a_saved_file_is_written_on_disk_though_another_one_is_not_saved() {
    let notes = "# process_item: rename to handle_item everywhere\n";
    let dir = folder(&[
        ("tool.py", BEFORE.as_bytes()),
        ("notes.py", notes.as_bytes()),
    ]);
    let script = renames();
    let fs = json!({"readTextFile": true, "writeTextFile": true});
    let mut editor = Editor::with(dir.path(), &script, &[], fs);
    editor.buffers.insert(real(&dir), BEFORE.to_owned());
    let unsaved = dir.path().canonicalize().unwrap().join("notes.py");
    editor
        .buffers
        .insert(unsaved.clone(), format!("{notes}# not saved\n"));
    let session = editor.session(dir.path());
    editor.prompt(&session, TASK);
    assert_eq!(text(&dir), AFTER, "{}", editor.said());
    assert_eq!(editor.buffers[&real(&dir)], BEFORE);
    assert_eq!(editor.buffers[&unsaved], format!("{notes}# not saved\n"));
    editor.prompt(&session, "/undo");
    assert_eq!(text(&dir), BEFORE, "it is in the journal");
}

#[test]
fn what_is_typed_during_the_question_is_not_written_over() {
    let (dir, script) = (tool(), renames());
    let fs = json!({"readTextFile": true, "writeTextFile": true});
    let mut editor = Editor::with(dir.path(), &script, &[], fs);
    editor.buffers.insert(real(&dir), BEFORE.to_owned());
    let session = editor.session(dir.path());
    let id = editor.begin(&session, TASK);
    let question = editor.question();
    editor.buffers.insert(real(&dir), "typed\n".to_owned());
    editor.react(&question);
    editor.finish(id);
    assert!(
        editor.said().contains("change in the editor"),
        "{}",
        editor.said()
    );
    assert_eq!(
        (text(&dir).as_str(), editor.buffers[&real(&dir)].as_str()),
        (BEFORE, "typed\n")
    );
}

#[cfg(unix)]
#[test]
fn that_a_file_will_be_executable_is_said() {
    use std::os::unix::fs::PermissionsExt;
    let (dir, script) = (tool(), Script::of(&[]));
    let mut editor = Editor::new(dir.path(), &script, &[]);
    let session = editor.session(dir.path());
    let patch = "diff --git a/tool.py b/tool.py\nold mode 100644\nnew mode 100755\n";
    editor.prompt(&session, &format!("/apply {patch}"));
    assert!(
        editor.said().contains("tool.py will be executable."),
        "{}",
        editor.said()
    );
    let mode = fs::metadata(dir.path().join("tool.py"))
        .unwrap()
        .permissions()
        .mode();
    assert_ne!(mode & 0o100, 0);
}

#[test]
fn an_unsaved_file_of_an_editor_that_cannot_write_is_refused() {
    let (dir, script) = (tool(), renames());
    let mut editor = Editor::with(dir.path(), &script, &[], json!({"readTextFile": true}));
    let unsaved = format!("# new\n{BEFORE}");
    editor.buffers.insert(real(&dir), unsaved.clone());
    let session = editor.session(dir.path());
    editor.prompt(&session, TASK);
    assert!(
        editor.said().contains("not saved; nothing was written"),
        "{}",
        editor.said()
    );
    assert_eq!(
        (text(&dir).as_str(), &editor.buffers[&real(&dir)]),
        (BEFORE, &unsaved)
    );
}

#[test]
fn a_file_that_changed_during_the_question_is_left_alone() {
    let (dir, script) = (tool(), renames());
    let mut editor = Editor::new(dir.path(), &script, &[]);
    let session = editor.session(dir.path());
    let id = editor.begin(&session, TASK);
    let question = editor.agent.wait_for_method("session/request_permission");
    fs::write(dir.path().join("tool.py"), "theirs\n").unwrap();
    editor.react(&question);
    assert_eq!(editor.finish(id), "end_turn");
    assert!(
        editor.said().contains("changed since it was read"),
        "{}",
        editor.said()
    );
    assert_eq!(text(&dir), "theirs\n");
}

#[test]
fn what_the_model_declines_is_said() {
    let dir = tool();
    let script = Script::of(&[r#"{"operation":"none","reason":"unclear"}"#]);
    let mut editor = Editor::new(dir.path(), &script, &[]);
    let session = editor.session(dir.path());
    assert_eq!(editor.prompt(&session, "Make it nice"), "end_turn");
    assert!(
        editor.said().contains("the task is unclear to it"),
        "{}",
        editor.said()
    );
    let last = editor
        .updates
        .iter()
        .rfind(|u| u["sessionUpdate"] == "tool_call_update")
        .unwrap();
    assert_eq!(last["status"], "failed");
}

/// Many editors show of a question the first file only.
#[test]
fn each_file_is_a_question_and_all_are_written_together() {
    let user = "from tool import process_item\n\nprint(process_item('x'))\n";
    let dir = folder(&[("tool.py", BEFORE.as_bytes()), ("main.py", user.as_bytes())]);
    let main = r#"{"path":"main.py","operation":"replace_all"}"#;
    let script = Script::of(&[main, RENAME, PICK, RENAME]);
    let mut editor = Editor::new(dir.path(), &script, &["--steps", "2"]);
    let session = editor.session(dir.path());
    editor.prompt(&session, TASK);
    let asked: Vec<(&str, &str, usize)> = editor
        .questions
        .iter()
        .map(|question| {
            let call = &question["toolCall"];
            let diffs = call["content"].as_array().unwrap().iter();
            let n_diffs = diffs.filter(|content| content["type"] == "diff").count();
            let path = call["content"][0]["path"].as_str().unwrap();
            assert_eq!(call["locations"], json!([{"path": path, "line": 1}]));
            assert!(Path::new(path).is_absolute());
            (
                call["title"].as_str().unwrap(),
                path.rsplit('/').next().unwrap(),
                n_diffs,
            )
        })
        .collect();
    let expected = [
        ("main.py", "1 of 2: Change main.py?"),
        ("tool.py", "2 of 2: Change tool.py?"),
    ];
    assert_eq!(asked, expected.map(|(path, title)| (title, path, 1)));
    assert_eq!(text(&dir), AFTER, "{}", editor.said());
    let written = || fs::read_to_string(dir.path().join("main.py")).unwrap();
    assert_eq!(written(), user.replace("process_item", "handle_item"));
    editor.prompt(&session, "/undo");
    assert_eq!((text(&dir).as_str(), written().as_str()), (BEFORE, user));
}

#[test]
fn a_file_that_is_rejected_leaves_all_as_they_are() {
    let files = [("a.txt", "1\n"), ("b.txt", "1\n"), ("c.txt", "1\n")];
    let block = |name| format!("{name}\n<<<<<<< SEARCH\n1\n=======\n2\n>>>>>>> REPLACE\n");
    let patch: String = files.iter().map(|(name, _)| block(name)).collect();
    for (choices, n_questions, is_written) in [
        (vec!["once", "reject"], 2, false),
        (vec!["always", "once", "reject"], 3, false),
        (vec!["always", "cancelled"], 2, false),
        (vec!["once", "always", "once"], 3, true),
    ] {
        let dir = folder(&files.map(|(name, text)| (name, text.as_bytes())));
        let script = Script::of(&[]);
        let mut editor = Editor::new(dir.path(), &script, &[]);
        editor.choices = choices;
        let session = editor.session(dir.path());
        editor.prompt(&session, &format!("/apply {patch}"));
        assert_eq!(
            editor.questions.len(),
            n_questions,
            "{:#?}",
            editor.questions
        );
        for (name, before) in files {
            let after = if is_written { "2\n" } else { before };
            assert_eq!(
                fs::read_to_string(dir.path().join(name)).unwrap(),
                after,
                "{name}"
            );
        }
    }
}

#[test]
fn a_warning_is_in_the_question() {
    let dir = tool();
    let unsure = answer(RENAME).sure(Slot::New, 0.01);
    let script = Script::new(vec![answer(PICK), unsure]);
    let mut editor = Editor::new(dir.path(), &script, &[]);
    editor.choices = vec!["reject"];
    let session = editor.session(dir.path());
    editor.prompt(&session, TASK);
    let question = &editor.questions[0];
    let call = &question["toolCall"];
    let title = call["title"].as_str().unwrap();
    assert!(title.starts_with("Change tool.py? Look twice: "), "{title}");
    assert!(title.contains("0.01"), "{title}");
    assert_eq!(call["content"][0]["type"], "diff");
    let last = call["content"].as_array().unwrap().last().unwrap();
    let note = last["content"]["text"].as_str().unwrap();
    assert!(
        note.contains("Look twice: ") && note.contains("0.01"),
        "{note}"
    );
    let names = question["options"].as_array().unwrap().iter();
    let names: Vec<&str> = names
        .map(|option| option["name"].as_str().unwrap())
        .collect();
    assert_eq!(names[0], "Write it in spite of the warning");
    assert!(
        names[1].starts_with("Write it in spite of the warning, and"),
        "{names:?}"
    );
}

#[test]
fn what_a_diff_does_not_show_is_in_the_title() {
    let (dir, script) = (tool(), Script::of(&[]));
    let mut editor = Editor::new(dir.path(), &script, &[]);
    editor.choices = vec!["reject"];
    let session = editor.session(dir.path());
    for (patch, title) in [
        (
            "old mode 100644\nnew mode 100755\n",
            "Change tool.py? It will be executable.",
        ),
        (
            "rename from tool.py\nrename to kit.py\n",
            "Move tool.py to kit.py?",
        ),
    ] {
        let patch = format!("diff --git a/tool.py b/tool.py\n{patch}");
        editor.prompt(&session, &format!("/apply {patch}"));
        let asked = editor.questions.last().unwrap();
        assert_eq!(asked["toolCall"]["title"], title);
    }
}

#[test]
fn mentioned_files_are_the_files_of_the_task() {
    let dir = folder(&[("a.py", BEFORE.as_bytes()), ("tool.py", BEFORE.as_bytes())]);
    let script = renames();
    let mut editor = Editor::new(dir.path(), &script, &[]);
    let session = editor.session(dir.path());
    let uri = format!("file://{}", real(&dir).display());
    let prompt = json!([
        {"type": "text", "text": "In "},
        {"type": "resource_link", "name": "tool.py", "uri": uri},
        {"type": "text", "text": ", rename process_item to handle_item everywhere"},
    ]);
    let prompt = json!({"sessionId": session, "prompt": prompt});
    let id = editor.agent.request("session/prompt", prompt);
    assert_eq!(editor.finish(id), "end_turn");
    assert_eq!(script.offered(), ["tool.py"]);
    assert_eq!(text(&dir), AFTER, "{}", editor.said());
}

#[test]
fn a_pasted_patch_is_applied_or_refused_with_what_is_there() {
    let (dir, script) = (tool(), renames());
    let mut editor = Editor::new(dir.path(), &script, &[]);
    let session = editor.session(dir.path());
    let block = |old: &str| {
        let new = "def handle_item(item):";
        format!("/apply tool.py\n<<<<<<< SEARCH\n{old}\n=======\n{new}\n>>>>>>> REPLACE\n")
    };
    editor.prompt(&session, &block("def process_thing(item):"));
    assert!(
        editor.said().contains("+def process_item(item):"),
        "{}",
        editor.said()
    );
    assert!(
        editor.said().contains("cannot be made"),
        "{}",
        editor.said()
    );
    assert_eq!(text(&dir), BEFORE);
    editor.prompt(&session, &block("def process_item(item):"));
    assert_eq!(text(&dir), AFTER, "{}", editor.said());
    assert!(
        children(editor.agent.pid()).is_empty(),
        "no model was started"
    );
}

#[test]
fn what_is_attached_to_a_command_is_the_patch() {
    let patch = format!("--- a/tool.py\n+++ b/tool.py\n@@ -1,2 +1,2 @@\n{}", {
        let [first, last] = [BEFORE, AFTER].map(|text| text.lines().next().unwrap());
        format!("-{first}\n+{last}\n     return len(item)\n")
    });
    let elsewhere = folder(&[("fix.patch", patch.as_bytes())]);
    let uri = format!("file://{}", elsewhere.path().join("fix.patch").display());
    let command = json!({"type": "text", "text": "/apply"});
    for attached in [
        json!({"type": "text", "text": patch}),
        json!({"type": "resource_link", "name": "fix.patch", "uri": uri}),
        json!({"type": "resource", "resource": {"uri": "file:///none/fix.patch", "text": patch}}),
        json!({"type": "resource", "resource": {"uri": "zed:///agent/selection", "text": patch}}),
    ] {
        let (dir, script) = (tool(), Script::of(&[]));
        let mut editor = Editor::new(dir.path(), &script, &[]);
        let session = editor.session(dir.path());
        let prompt = json!({"sessionId": session, "prompt": [command, attached]});
        let id = editor.agent.request("session/prompt", prompt);
        assert_eq!(editor.finish(id), "end_turn");
        assert_eq!(text(&dir), AFTER, "{attached:#}: {}", editor.said());
    }
}

#[test]
fn a_bug_is_mended_when_its_test_passes() {
    let dir = tool();
    let done = r#"{"operation":"none","reason":"already_done"}"#;
    let script = Script::of(&[PICK, RENAME, done]);
    let mut editor = Editor::new(dir.path(), &script, &["--no-sandbox"]);
    let session = editor.session(dir.path());
    editor.prompt(&session, "/repair grep -q handle_item tool.py");
    assert!(editor.said().contains("what is wrong"), "{}", editor.said());
    let issue = format!("/repair grep -q handle_item tool.py\n{TASK}: the test fails");
    assert_eq!(editor.prompt(&session, &issue), "end_turn");
    assert!(editor.said().contains("baseline: "), "{}", editor.said());
    assert_eq!(text(&dir), AFTER, "{}", editor.said());
    assert_eq!(editor.questions.len(), 1);
}

#[test]
fn a_second_session_has_its_own_folder() {
    let (first, second, script) = (tool(), tool(), Script::of(&[PICK, RENAME, PICK, RENAME]));
    let mut editor = Editor::new(first.path(), &script, &[]);
    let sessions = [&first, &second].map(|dir| editor.session(dir.path()));
    assert_ne!(sessions[0], sessions[1]);
    // The first one waits for its answer while the second one works.
    let id = editor.begin(&sessions[0], TASK);
    let question = editor.agent.wait_for_method("session/request_permission");
    assert_eq!(editor.prompt(&sessions[1], TASK), "end_turn");
    assert_eq!(
        (text(&first).as_str(), text(&second).as_str()),
        (BEFORE, AFTER)
    );
    editor.react(&question);
    assert_eq!(editor.finish(id), "end_turn");
    assert_eq!(text(&first), AFTER);

    let nowhere = first.path().join("none");
    let id = editor
        .agent
        .request("session/new", json!({"cwd": nowhere, "mcpServers": []}));
    let refused = editor.agent.answer(id);
    assert!(
        refused["error"]["message"]
            .as_str()
            .unwrap()
            .contains("as the folder"),
        "{refused:#}"
    );
    let id = editor.begin("none", TASK);
    assert!(editor.agent.answer(id)["error"].is_object());
}

#[test]
fn files_outside_the_folder_are_refused() {
    let (outside, dir, script) = (tool(), tool(), renames());
    let mut editor = Editor::new(dir.path(), &script, &[]);
    let session = editor.session(dir.path());
    let uri = format!("file://{}", real(&outside).display());
    let prompt = json!([
        {"type": "text", "text": format!("{TASK} in ")},
        {"type": "resource_link", "name": "tool.py", "uri": uri},
    ]);
    let prompt = json!({"sessionId": session, "prompt": prompt});
    let id = editor.agent.request("session/prompt", prompt);
    assert_eq!(editor.finish(id), "end_turn");
    assert!(editor.said().contains("leads out of"), "{}", editor.said());
    let patch = format!("/apply {}\n```\nhacked\n```\n", real(&outside).display());
    editor.prompt(&session, &patch);
    assert_eq!(
        (text(&outside).as_str(), text(&dir).as_str()),
        (BEFORE, BEFORE)
    );
    assert!(editor.questions.is_empty());
}

#[test]
fn malformed_messages_write_nothing() {
    let (dir, script) = (tool(), renames());
    let mut editor = Editor::new(dir.path(), &script, &[]);
    let session = editor.session(dir.path());
    let mut random = Random(11);
    let prompt = json!([{"type": "text", "text": "/apply tool.py\n```\nhacked\n```\n"}]);
    let parameters = json!({"sessionId": session, "prompt": prompt});
    let whole =
        json!({"jsonrpc": "2.0", "id": 7, "method": "session/prompt", "params": parameters});
    let whole = whole.to_string();
    for _ in 0..1_000 {
        let mut line = whole.clone().into_bytes();
        match random.below(3) {
            0 => line.truncate(random.below(line.len())),
            1 => {
                // With a byte changed it may still be a prompt, of no session.
                line = whole.replace(&session, "none").into_bytes();
                let at = random.below(line.len());
                line[at] = b' ' + random.below(90) as u8;
            }
            _ => {
                line = (0..random.below(40))
                    .map(|_| b' ' + random.below(90) as u8)
                    .collect();
            }
        }
        editor.agent.send_line(&line);
    }
    editor.prompt(&session, TASK);
    assert_eq!(text(&dir), AFTER, "{}", editor.said());
}

#[test]
fn an_editor_that_goes_away_leaves_files_whole_and_nothing_running() {
    let mut random = Random(5);
    for i in 0..50 {
        let dir = tool();
        let marker = format!("acp-{i}-{}", std::process::id());
        let script = renames();
        let mut agent = RpcProgram::start(dir.path(), &["acp"], |command| {
            command.envs(script.environment()).env(MARKER, &marker);
        });
        agent.ask(
            "initialize",
            json!({"protocolVersion": 1, "clientCapabilities": {}}),
        );
        let opened = agent.ask("session/new", json!({"cwd": dir.path(), "mcpServers": []}));
        let prompt = json!([{"type": "text", "text": TASK}]);
        let prompt = json!({"sessionId": opened["sessionId"], "prompt": prompt});
        agent.request("session/prompt", prompt);
        if i % 2 == 0 {
            let question = agent.wait_for_method("session/request_permission");
            let chosen = json!({"outcome": {"outcome": "selected", "optionId": "once"}});
            agent.respond(&question, chosen);
        }
        std::thread::sleep(Duration::from_micros(random.below(20_000) as u64));
        if i % 3 == 0 {
            let (status, said) = agent.end();
            assert!(status.success(), "{status}: {said}");
        } else {
            signal(agent.pid(), "KILL");
            drop(agent);
        }
        let text = text(&dir);
        assert!(text == BEFORE || text == AFTER, "{text}");
        assert_eq!(
            fs::read_dir(dir.path()).unwrap().count(),
            1,
            "a temporary file is left"
        );
        assert_eq!(left_behind(&marker), [""; 0]);
    }
}
