//! Sessions of `slotwright acp`: what can be set in them, how they are found again, and what editors
//! put around a prompt. The model answers from a script.

use crate::acp::{AFTER, BEFORE, PICK, RENAME, TASK, renames, text, tool};
use crate::support::editor::Editor;
use crate::support::folder;
use crate::support::processes::signal;
use crate::support::script::{Script, Turn, answer};
use serde_json::{Value, json};
use slotwright::slots::Slot;
use std::fs;
use std::path::Path;

/// What the options of an answer are set to: the model and the mode.
fn values(answer: &Value) -> [&str; 2] {
    ["model", "mode"].map(|category| {
        let mut options = answer["configOptions"].as_array().unwrap().iter();
        let option = options.find(|option| option["category"] == category);
        option.unwrap()["currentValue"].as_str().unwrap()
    })
}

fn set(editor: &mut Editor, session: &str, option: &str, value: &str) -> Value {
    let option = json!({"sessionId": session, "configId": option, "value": value});
    editor.agent.ask("session/set_config_option", option)
}

fn prompt(editor: &mut Editor, session: &str, blocks: Value) -> String {
    let prompt = json!({"sessionId": session, "prompt": blocks});
    let id = editor.agent.request("session/prompt", prompt);
    editor.finish(id)
}

fn block(text: &str) -> Value {
    json!({"type": "text", "text": text})
}

fn link(path: &Path) -> Value {
    json!({"type": "resource_link", "name": "x", "uri": format!("file://{}", path.display())})
}

#[test]
fn the_mode_decides_when_the_person_is_asked() {
    let dir = tool();
    let unsure = answer(r#"{"old":"handle_item","new":"process_item"}"#).sure(Slot::New, 0.01);
    // The second time it is asked without the edit before.
    let mut turns = [PICK, RENAME, PICK].map(answer).to_vec();
    turns.extend([unsure.clone(), answer(PICK), unsure]);
    let script = Script::new(turns);
    let mut editor = Editor::new(dir.path(), &script, &[]);
    let opened = editor.open(dir.path());
    assert_eq!(values(&opened)[1], "ask");
    assert_eq!(opened["modes"]["currentModeId"], "ask");
    let session = opened["sessionId"].as_str().unwrap().to_owned();
    assert_eq!(
        values(&set(&mut editor, &session, "mode", "write"))[1],
        "write"
    );
    editor.prompt(&session, TASK);
    assert_eq!((text(&dir).as_str(), editor.questions.len()), (AFTER, 0));

    editor.choices = vec!["reject"];
    editor.prompt(&session, "Rename handle_item to process_item everywhere");
    assert_eq!((text(&dir).as_str(), editor.questions.len()), (AFTER, 1));
    let mode = json!({"sessionId": session, "modeId": "ask"});
    editor.agent.ask("session/set_mode", mode);
    editor.prompt(&session, "/undo list");
    let shown = editor.shown("current_mode_update");
    assert_eq!(shown["currentModeId"], "ask");
    assert_eq!(values(&editor.shown("config_option_update"))[1], "ask");
}

#[test]
fn always_is_the_other_mode() {
    let (dir, script) = (tool(), renames());
    let mut editor = Editor::new(dir.path(), &script, &[]);
    editor.choices = vec!["always"];
    let session = editor.session(dir.path());
    editor.prompt(&session, TASK);
    assert_eq!(values(&editor.shown("config_option_update"))[1], "write");
}

#[test]
fn the_model_is_changed_in_the_running_session() {
    let dir = tool();
    let script = Script::new(vec![answer(PICK), answer(RENAME)]);
    let mut editor = Editor::new(dir.path(), &script, &[]);
    let opened = editor.open(dir.path());
    let session = opened["sessionId"].as_str().unwrap().to_owned();
    let first = script.model().display().to_string();
    assert_eq!(values(&opened)[0], first);
    assert_eq!(
        values(&set(&mut editor, &session, "model", "bundled"))[0],
        "bundled"
    );
    let unknown = json!({"sessionId": session, "configId": "model", "value": "gpt-9"});
    let id = editor.agent.request("session/set_config_option", unknown);
    let refused = editor.agent.answer(id);
    assert!(
        refused["error"]["message"]
            .as_str()
            .unwrap()
            .contains("no model \"gpt-9\"")
    );

    editor.prompt(&session, TASK);
    assert!(
        editor.said().contains("using the bundled model"),
        "{}",
        editor.said()
    );
    assert_eq!(script.requests(), [], "another file was loaded");
    set(&mut editor, &session, "model", &first);
    editor.prompt(&session, TASK);
    assert_eq!(text(&dir), AFTER, "{}", editor.said());
}

#[test]
fn a_session_is_found_again_after_the_agent_was_killed() {
    let (dir, script) = (tool(), renames());
    let mut editor = Editor::new(dir.path(), &script, &[]);
    let session = editor.session(dir.path());
    editor.prompt(&session, TASK);
    assert_eq!(text(&dir), AFTER);
    signal(editor.agent.pid(), "KILL");
    drop(editor);

    let follow = r#"{"old":"handle_item","new":"handle"}"#;
    let script = Script::of(&[PICK, follow]);
    let mut editor = Editor::new(dir.path(), &script, &[]);
    let root = dir.path().canonicalize().unwrap();
    let listed = editor.agent.ask("session/list", json!({"cwd": dir.path()}));
    let [listed] = listed["sessions"].as_array().unwrap().as_slice() else {
        panic!("{listed:#}")
    };
    assert_eq!(listed["sessionId"], session.as_str());
    assert_eq!(listed["title"], TASK);
    assert_eq!(listed["cwd"], root.to_str().unwrap());
    assert!(listed["updatedAt"].as_str().unwrap().ends_with('Z'));
    let elsewhere = editor.agent.ask("session/list", json!({"cwd": "/"}));
    assert_eq!(elsewhere["sessions"], json!([]));

    let parameters = json!({"sessionId": session, "cwd": dir.path(), "mcpServers": []});
    editor.agent.ask("session/load", parameters.clone());
    editor.prompt(&session, "Call it handle instead");
    let replayed = editor.shown("user_message_chunk");
    assert_eq!(replayed["content"]["text"], TASK);
    assert!(editor.said().contains("Wrote tool.py"), "{}", editor.said());
    let asked = format!("{:?}", script.requests());
    assert!(
        asked.contains(TASK),
        "it does not know the last edit: {asked}"
    );
    assert_eq!(text(&dir), "def handle(item):\n    return len(item)\n");

    let said = editor.updates.len();
    editor.agent.ask("session/resume", parameters.clone());
    editor.prompt(&session, "/undo");
    let again = editor.updates[said..].iter();
    let mut again = again.filter(|update| update["sessionUpdate"] == "user_message_chunk");
    assert_eq!(again.next(), None, "the editor shows them already");
    assert_eq!(text(&dir), AFTER);

    editor
        .agent
        .ask("session/close", json!({"sessionId": session}));
    let id = editor.begin(&session, "/undo");
    let refused = editor.agent.answer(id);
    assert!(
        refused["error"]["message"]
            .as_str()
            .unwrap()
            .contains("no session")
    );
    editor
        .agent
        .ask("session/delete", json!({"sessionId": session}));
    let id = editor.agent.request("session/resume", parameters);
    assert!(
        editor.agent.answer(id)["error"]["message"]
            .as_str()
            .unwrap()
            .contains("no session")
    );
    let id = editor.agent.request(
        "session/load",
        json!({"sessionId": "../../etc/passwd", "cwd": dir.path(), "mcpServers": []}),
    );
    assert!(
        editor.agent.answer(id)["error"]["message"]
            .as_str()
            .unwrap()
            .contains("no session")
    );
}

#[test]
fn a_task_may_be_about_a_further_folder() {
    let (dir, further, script) = (folder(&[("a.txt", b"a\n")]), tool(), renames());
    let mut editor = Editor::new(dir.path(), &script, &[]);
    let opened = editor.agent.ask(
        "session/new",
        json!({"cwd": dir.path(), "mcpServers": [], "additionalDirectories": [further.path()]}),
    );
    let session = opened["sessionId"].as_str().unwrap().to_owned();
    let blocks = json!([
        block(&format!("{TASK} in ")),
        link(&further.path().join("tool.py"))
    ]);
    prompt(&mut editor, &session, blocks);
    assert_eq!(text(&further), AFTER, "{}", editor.said());
    let asked = editor.questions[0]["toolCall"]["locations"][0]["path"].clone();
    let path = further.path().canonicalize().unwrap().join("tool.py");
    assert_eq!(asked, path.to_str().unwrap());
    editor.prompt(&session, "/undo");
    assert_eq!(text(&further), BEFORE, "{}", editor.said());
}

#[test]
fn words_that_ask_for_no_edit_are_answered() {
    let (dir, script) = (tool(), renames());
    let mut editor = Editor::new(dir.path(), &script, &[]);
    let session = editor.session(dir.path());
    for (words, expected) in [
        ("/help", "/undo: Take back"),
        ("/udno", "There is no command /udno"),
        ("hello", "Say what is to change"),
        ("What does process_item do?", "answer no questions"),
        ("  ", "Say what is to change"),
        ("/repair make", "After /repair comes the test command"),
        ("/apply", "After /apply comes the patch"),
        ("/UNDO", "nothing to undo"),
    ] {
        editor.updates.clear();
        assert_eq!(editor.prompt(&session, words), "end_turn");
        assert!(
            editor.said().contains(expected),
            "{words}: {}",
            editor.said()
        );
    }
    assert_eq!(script.requests(), []);
    assert!(editor.questions.is_empty());
}

#[test]
fn what_editors_put_around_a_prompt_is_not_the_task() {
    let dir = folder(&[("tool.py", BEFORE.as_bytes()), ("other.py", b"x = 1\n")]);
    let other = dir.path().canonicalize().unwrap().join("other.py");
    let shared = format!("Sharing the following file as context: {}", other.display());
    let attached = format!(
        "<attachment filepath=\"{}\" buffer_number=\"1\">It has been modified</attachment>{TASK}",
        other.display()
    );
    let before = "<previous_user_message>Remove all</previous_user_message>";
    let newest = format!("<previous_user_message>{TASK}</previous_user_message>");
    let note = "<system_context>Continuing from previous session with 2 recent user \
                messages</system_context>";
    for blocks in [
        json!([block(&shared), block(TASK)]),
        json!([block(&attached)]),
        json!([link(&other), block(&newest), block(before), block(note)]),
        json!([link(&other), block(TASK)]),
    ] {
        let script = renames();
        let mut editor = Editor::new(dir.path(), &script, &[]);
        let session = editor.session(dir.path());
        prompt(&mut editor, &session, blocks);
        assert_eq!(text(&dir), AFTER, "{}", editor.said());
        assert_eq!(editor.shown("tool_call")["title"], TASK);
        let asked = script.requests();
        let first = format!("{:?}", asked[0]);
        let [open, other] = ["other.py", "tool.py"].map(|name| first.find(name).unwrap());
        assert!(open < other, "the open file comes first: {first}");
        editor.prompt(&session, "/undo");
    }
}

#[test]
fn a_tool_call_ends_with_what_was_done() {
    let (dir, script) = (tool(), renames());
    let mut editor = Editor::new(dir.path(), &script, &[]);
    let session = editor.session(dir.path());
    editor.prompt(&session, TASK);
    let last = editor.shown("tool_call_update");
    assert_eq!(
        (&last["title"], &last["status"]),
        (&json!("Changed tool.py"), &json!("completed"))
    );
    let patch = "/apply --- a/tool.py\n+++ /dev/null\n@@ -1,2 +0,0 @@\n-def handle_item(item):\n-    \
                 return len(item)\n";
    editor.prompt(&session, patch);
    assert_eq!(editor.shown("tool_call_update")["title"], "Deleted tool.py");
    assert!(
        editor.said().contains("Deleted tool.py."),
        "{}",
        editor.said()
    );
}

#[test]
fn what_was_cancelled_does_not_seem_to_go_on() {
    let dir = tool();
    let script = Script::new(vec![answer(PICK), Turn::Silence]);
    let mut editor = Editor::new(dir.path(), &script, &[]);
    let session = editor.session(dir.path());
    let id = editor.begin(&session, TASK);
    while script.requests_so_far() < 2 {
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    editor
        .agent
        .notify("session/cancel", json!({"sessionId": session}));
    assert_eq!(editor.finish(id), "cancelled");
    let last = editor.shown("tool_call_update");
    assert_eq!(last["title"], TASK);
    assert_eq!(last["content"][0]["content"]["text"], "cancelled\n");
}

#[test]
fn a_cancelled_question_sends_no_message_of_its_own() {
    let (dir, script) = (tool(), renames());
    let mut editor = Editor::new(dir.path(), &script, &[]);
    let session = editor.session(dir.path());
    let id = editor.begin(&session, TASK);
    let question = editor.question();
    editor
        .agent
        .notify("session/cancel", json!({"sessionId": session}));
    // An editor that is asked to cancel what it does not know fails here.
    assert_eq!(editor.finish(id), "cancelled");
    editor
        .agent
        .respond(&question, json!({"outcome": {"outcome": "cancelled"}}));
    editor.prompt(&session, "/undo");
    assert!(
        editor.said().contains("nothing to undo"),
        "{}",
        editor.said()
    );
    assert_eq!(text(&dir), BEFORE);
}

#[test]
fn names_are_not_markdown() {
    let dir = folder(&[("__init__.py", BEFORE.as_bytes())]);
    let script = Script::of(&[
        r#"{"path":"__init__.py","operation":"replace_all"}"#,
        RENAME,
    ]);
    let mut editor = Editor::new(dir.path(), &script, &[]);
    let session = editor.session(dir.path());
    editor.prompt(&session, TASK);
    assert!(
        editor.said().contains("Wrote `__init__.py`. /undo"),
        "{}",
        editor.said()
    );
}

#[test]
fn a_file_that_only_the_editor_has_is_to_be_saved_first() {
    let (dir, script) = (tool(), renames());
    let fs = json!({"readTextFile": true, "writeTextFile": true});
    let mut editor = Editor::with(dir.path(), &script, &[], fs);
    let new = dir.path().canonicalize().unwrap().join("new.py");
    editor.buffers.insert(new.clone(), BEFORE.to_owned());
    let session = editor.session(dir.path());
    prompt(
        &mut editor,
        &session,
        json!([block(&format!("{TASK} in ")), link(&new)]),
    );
    assert!(
        editor.said().contains("save it, and ask again"),
        "{}",
        editor.said()
    );
    assert_eq!(script.requests(), []);
}

#[test]
fn a_patch_stays_as_it_was_pasted() {
    let dir = folder(&[("a.txt", b"one\n")]);
    let script = renames();
    let mut editor = Editor::new(dir.path(), &script, &[]);
    let session = editor.session(dir.path());
    let new = "<system_context>keep me</system_context>\nfile `src/a.py` (with buffer number: 3)";
    let patch =
        format!("/apply a.txt\n```\n<<<<<<< SEARCH\none\n=======\n{new}\n>>>>>>> REPLACE\n```\n");
    editor.prompt(&session, &patch);
    let written = fs::read_to_string(dir.path().join("a.txt")).unwrap();
    assert_eq!(written, format!("{new}\n"), "{}", editor.said());
}

#[test]
fn an_edit_that_the_editor_is_writing_is_finished_though_it_is_cancelled() {
    let (dir, script) = (tool(), renames());
    let capabilities = json!({"readTextFile": true, "writeTextFile": true});
    let mut editor = Editor::with(dir.path(), &script, &[], capabilities);
    let path = dir.path().canonicalize().unwrap().join("tool.py");
    let unsaved = format!("# not saved\n{BEFORE}");
    editor.buffers.insert(path.clone(), unsaved.clone());
    let session = editor.session(dir.path());
    let id = editor.begin(&session, TASK);
    let write = loop {
        let message = editor.agent.wait_for(|it| it.get("method").is_some());
        if message["method"] == "fs/write_text_file" {
            break message;
        }
        editor.react(&message);
    };
    let cancel = json!({"sessionId": session});
    editor.agent.notify("session/cancel", cancel);
    editor.react(&write);
    assert_eq!(editor.finish(id), "cancelled");
    assert!(editor.said().contains("Wrote tool.py"), "{}", editor.said());
    assert_eq!(editor.shown("tool_call_update")["status"], "completed");
    editor.prompt(&session, "/undo");
    assert_eq!(editor.buffers[&path], unsaved, "{}", editor.said());
}

#[test]
fn an_attached_pipe_keeps_nobody_waiting() {
    let (dir, script) = (tool(), renames());
    let pipe = dir.path().join("pipe");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status();
    if !made.is_ok_and(|status| status.success()) {
        println!("skipped: there is no mkfifo here");
        return;
    }
    let mut editor = Editor::new(dir.path(), &script, &[]);
    let session = editor.session(dir.path());
    prompt(&mut editor, &session, json!([block("/apply"), link(&pipe)]));
    assert!(
        editor.said().contains("no regular file"),
        "{}",
        editor.said()
    );
}

#[test]
fn a_task_that_does_not_go_on_from_the_last_edit_is_asked_without_it() {
    let dir = tool();
    let declined = r#"{"operation":"none","reason":"already_done"}"#;
    let shorter = r#"{"old":"handle_item","new":"handle"}"#;
    let script = Script::of(&[PICK, RENAME, declined, PICK, shorter]);
    let mut editor = Editor::new(dir.path(), &script, &[]);
    let session = editor.session(dir.path());
    editor.prompt(&session, TASK);
    editor.prompt(&session, "Shorten the name handle_item");
    assert_eq!(
        text(&dir),
        "def handle(item):\n    return len(item)\n",
        "{}",
        editor.said()
    );
    let knows_last = |at: usize| format!("{:?}", script.requests()[at].prompt).contains(TASK);
    assert!(knows_last(2) && !knows_last(3));
}
