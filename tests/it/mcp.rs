//! `slotwright mcp` as another agent meets it: messages in, messages out, and what is in the files
//! afterwards.

use crate::support::folder;
use crate::support::processes::{MARKER, children, left_behind, signal};
use crate::support::random::Random;
use crate::support::rpc::RpcProgram;
use crate::support::script::{Script, Turn, answer, cut_off};
use serde_json::{Value, json};
use slotwright::engine::{End, Part};
use slotwright::slots::Slot;
use slotwright::workspace::{Change, Workspace};
use std::fs;
use std::path::Path;
use std::time::Duration;

const TASK: &str = "Rename process_item to handle_item everywhere";
const BEFORE: &str = "def process_item(item):\n    return len(item)\n";
const AFTER: &str = "def handle_item(item):\n    return len(item)\n";
const PICK: &str = r#"{"path":"tool.py","operation":"replace_all"}"#;
const RENAME: &str = r#"{"old":"process_item","new":"handle_item"}"#;

/// A server in a folder, whose client has said hello.
fn server(root: &Path, script: &Script, arguments: &[&str]) -> RpcProgram {
    let arguments = [&["mcp"], arguments].concat();
    let mut server = RpcProgram::start(root, &arguments, |command| {
        command.envs(script.environment());
    });
    hello(&mut server, "2025-11-25");
    server
}

/// The handshake of a client.
pub fn hello(server: &mut RpcProgram, revision: &str) -> Value {
    hello_of(server, revision, json!({}))
}

/// The handshake of a client that can do something.
fn hello_of(server: &mut RpcProgram, revision: &str, capabilities: Value) -> Value {
    let client = json!({"name": "test", "version": "1"});
    let hello = server.ask(
        "initialize",
        json!({"protocolVersion": revision, "capabilities": capabilities, "clientInfo": client}),
    );
    server.notify("notifications/initialized", json!({}));
    hello
}

fn call(server: &mut RpcProgram, tool: &str, arguments: Value) -> Value {
    server.ask("tools/call", json!({"name": tool, "arguments": arguments}))
}

/// What a tool gave that did what it was asked for.
#[track_caller]
fn done(result: &Value) -> &Value {
    assert_eq!(result["isError"], false, "{result:#}");
    &result["structuredContent"]
}

/// What a tool said that did not.
#[track_caller]
fn refused<'a>(result: &'a Value, kind: &str) -> &'a str {
    assert_eq!(result["isError"], true, "{result:#}");
    if let Some(content) = result.get("structuredContent") {
        assert_eq!(content["error"]["kind"], kind, "{result:#}");
    }
    let text = result["content"][0]["text"].as_str().unwrap();
    assert!(text.contains("next: "), "{text}");
    text
}

fn tool() -> tempfile::TempDir {
    folder(&[("tool.py", BEFORE.as_bytes())])
}

fn text(dir: &Path) -> String {
    fs::read_to_string(dir.join("tool.py")).unwrap()
}

fn renames() -> Script {
    Script::of(&[PICK, RENAME])
}

#[test]
fn both_revisions_are_spoken_and_seven_tools_offered() {
    let dir = tool();
    let mut started = RpcProgram::start(dir.path(), &["mcp"], |_| {});
    let hello = hello(&mut started, "2025-11-25");
    assert_eq!(hello["protocolVersion"], "2025-11-25");
    assert_eq!(hello["serverInfo"]["name"], "slotwright");
    let listed = started.ask("tools/list", json!({}));
    let tools = listed["tools"].as_array().unwrap();
    let names: Vec<&str> = tools
        .iter()
        .map(|tool| tool["name"].as_str().unwrap())
        .collect();
    assert_eq!(
        names,
        [
            "edit",
            "amend",
            "write",
            "apply_patch",
            "undo",
            "list_edits",
            "find"
        ]
    );
    for tool in tools {
        let description = tool["description"].as_str().unwrap();
        let n_sentences = description.split_terminator(['.', ';']).count();
        assert!((2..=5).contains(&n_sentences), "{description}");
        assert_eq!(
            tool["inputSchema"]["additionalProperties"], false,
            "{tool:#}"
        );
        assert!(tool["annotations"]["title"].is_string(), "{tool:#}");
        let is_read_only = tool["annotations"]["readOnlyHint"] == true;
        let name = tool["name"].as_str().unwrap();
        assert_eq!(
            is_read_only,
            ["edit", "amend", "list_edits", "find"].contains(&name)
        );
        let properties = tool["inputSchema"]["properties"].as_object().unwrap();
        for property in properties.values() {
            assert!(property["type"].is_string(), "{property:#}");
            assert!(property["description"].is_string(), "{property:#}");
        }
        for waste in ["$ref", "$schema", "outputSchema", "Parameters"] {
            assert!(!tool.to_string().contains(waste), "{tool:#}");
        }
    }
    // Qwen's vocabulary has a token for some 4.2 bytes of it, and so at most 1,100 tokens.
    let n_bytes = listed["tools"].to_string().len();
    assert!(
        n_bytes <= 4_600,
        "{n_bytes} bytes are put into every prompt"
    );
    let (status, said) = started.end();
    assert!(status.success() && said.is_empty(), "{said}");

    let mut started = RpcProgram::start(dir.path(), &["mcp"], |_| {});
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let found = started.ask("server/discover", json!({"_meta": meta}));
    assert!(
        found["supportedVersions"]
            .to_string()
            .contains("2026-07-28"),
        "{found:#}"
    );
    let listed = started.ask("tools/list", json!({"_meta": meta}));
    assert_eq!(listed["tools"].as_array().unwrap().len(), 7);
}

#[test]
fn what_tools_give_fits_their_schemas() {
    let dir = tool();
    let script = renames();
    let mut server = server(dir.path(), &script, &[]);
    let schemas = slotwright::mcp::result_schemas();
    let patch = format!("tool.py\n```python\n{BEFORE}```\n");
    let edited = call(&mut server, "edit", json!({"task": TASK}));
    let token = edited["structuredContent"]["token"].clone();
    let results = [
        ("edit", edited),
        (
            "edit",
            call(&mut server, "edit", json!({"task": "x", "file": "none.py"})),
        ),
        ("write", call(&mut server, "write", json!({"token": "x"}))),
        ("write", call(&mut server, "write", json!({"token": token}))),
        (
            "apply_patch",
            call(&mut server, "apply_patch", json!({"patch": patch})),
        ),
        (
            "apply_patch",
            call(&mut server, "apply_patch", json!({"patch": "no patch"})),
        ),
        ("undo", call(&mut server, "undo", json!({}))),
        ("find", call(&mut server, "find", json!({"task": TASK}))),
        ("list_edits", call(&mut server, "list_edits", json!({}))),
    ];
    for (tool, result) in results {
        let content = &result["structuredContent"];
        let errors: Vec<String> = jsonschema::validator_for(schemas[tool].as_value())
            .unwrap()
            .iter_errors(content)
            .map(|error| error.to_string())
            .collect();
        assert!(
            errors.is_empty() && content.is_object(),
            "{tool}: {errors:?} {content:#}"
        );
    }
}

#[test]
fn an_edit_is_shown_then_written_then_undone() {
    let dir = tool();
    let script = renames();
    let mut server = server(dir.path(), &script, &[]);
    let edited = call(&mut server, "edit", json!({"task": TASK}));
    let shown = done(&edited);
    assert_eq!(shown["status"], "would_be_done");
    assert_eq!(shown["files"], json!(["tool.py"]));
    assert_eq!(shown["certainty"], 1.0);
    assert!(
        shown["diff"].as_str().unwrap().contains("+def handle_item"),
        "{shown:#}"
    );
    let said = edited["content"][0]["text"].as_str().unwrap();
    let token = shown["token"].as_str().unwrap();
    assert!(
        said.starts_with("Not written yet.") && said.contains(token),
        "{said}"
    );
    assert!(said.contains("+def handle_item"), "{said}");
    assert_eq!(text(dir.path()), BEFORE);

    done(&call(&mut server, "write", json!({"token": token})));
    assert_eq!(text(dir.path()), AFTER);
    let again = call(&mut server, "write", json!({"token": token}));
    refused(&again, "token");

    let undone = call(&mut server, "undo", json!({}));
    assert_eq!(done(&undone)["what"], TASK);
    assert_eq!(text(dir.path()), BEFORE);
    refused(&call(&mut server, "undo", json!({})), "nothing_to_undo");
}

#[test]
fn an_older_edit_is_undone_after_the_later_ones() {
    let dir = folder(&[("a.txt", b"one\n2\n3\n4\n5\n6\nlast\n")]);
    let mut server = server(dir.path(), &renames(), &[]);
    let empty = call(&mut server, "list_edits", json!({}));
    assert_eq!(done(&empty)["edits"], json!([]));
    for (old, new) in [("one", "ONE"), ("last", "LAST")] {
        let patch = format!("a.txt\n<<<<<<< SEARCH\n{old}\n=======\n{new}\n>>>>>>> REPLACE\n");
        done(&call(&mut server, "apply_patch", json!({"patch": patch})));
    }
    let list = call(&mut server, "list_edits", json!({"max_edits": 2}));
    let numbers: Vec<u64> = done(&list)["edits"]
        .as_array()
        .unwrap()
        .iter()
        .map(|edit| edit["number"].as_u64().unwrap())
        .collect();
    assert_eq!(numbers, [2, 1]);
    let older = call(&mut server, "undo", json!({"number": 1}));
    refused(&older, "not_the_last");
    for number in [2, 1] {
        let undone = call(&mut server, "undo", json!({"number": number}));
        assert_eq!(done(&undone)["files"], json!(["a.txt"]));
    }
    assert_eq!(
        fs::read_to_string(dir.path().join("a.txt")).unwrap(),
        "one\n2\n3\n4\n5\n6\nlast\n"
    );
    let list = call(&mut server, "list_edits", json!({}));
    let states: Vec<&str> = done(&list)["edits"]
        .as_array()
        .unwrap()
        .iter()
        .map(|edit| edit["state"].as_str().unwrap())
        .collect();
    assert_eq!(states, ["undone", "undone"]);
    refused(
        &call(&mut server, "undo", json!({"number": 1})),
        "nothing_to_undo",
    );
    refused(
        &call(&mut server, "undo", json!({"number": 9})),
        "no_such_edit",
    );
}

#[test]
fn uses_in_other_files_are_named() {
    let uses = "from tool import process_item\nprint(process_item('x'))\n";
    let dir = folder(&[
        ("tool.py", BEFORE.as_bytes()),
        ("other.py", uses.as_bytes()),
    ]);
    let script = renames();
    let mut server = server(dir.path(), &script, &[]);
    let edited = call(
        &mut server,
        "edit",
        json!({"task": TASK, "file": "tool.py"}),
    );
    let warning = &done(&edited)["warnings"][0];
    assert_eq!(warning["kind"], "leftover");
    let said = "1 other file still has the old name (other.py)";
    assert!(
        warning["message"].as_str().unwrap().contains(said),
        "{warning}"
    );
}

#[test]
fn the_model_stays_loaded_between_edits() {
    let dir = tool();
    let back = [PICK, r#"{"old":"handle_item","new":"process_item"}"#];
    let script = Script::of(&[&[PICK, RENAME], &back[..]].concat());
    let mut server = server(dir.path(), &script, &[]);
    let mut loads = Vec::new();
    for task in [TASK, "Rename handle_item to process_item everywhere"] {
        let edited = call(
            &mut server,
            "edit",
            json!({"task": task, "file": "tool.py"}),
        );
        loads.push(done(&edited)["took"]["load_seconds"].as_f64().unwrap());
        done(&call(
            &mut server,
            "write",
            json!({"token": done(&edited)["token"]}),
        ));
    }
    assert!(loads[0] > 0.0 && loads[1] == 0.0, "{loads:?}");
    assert_eq!(text(dir.path()), BEFORE);
    assert_eq!(script.requests().len(), 4, "one process answered all");
}

#[test]
fn a_file_that_changed_since_is_left_alone() {
    let dir = tool();
    let script = renames();
    let mut server = server(dir.path(), &script, &[]);
    let edited = call(&mut server, "edit", json!({"task": TASK}));
    fs::write(dir.path().join("tool.py"), "theirs\n").unwrap();
    let token = &done(&edited)["token"];
    refused(
        &call(&mut server, "write", json!({"token": token})),
        "stale",
    );
    refused(
        &call(&mut server, "write", json!({"token": token})),
        "token",
    );
    assert_eq!(text(dir.path()), "theirs\n");
}

#[test]
fn an_edit_with_a_warning_is_written_only_if_it_is_accepted() {
    let dir = tool();
    let unsure = Script::new(vec![answer(PICK), answer(RENAME).sure(Slot::New, 0.01)]);
    let mut server = server(dir.path(), &unsure, &[]);
    let edited = call(&mut server, "edit", json!({"task": TASK}));
    assert_eq!(done(&edited)["warnings"][0]["kind"], "unsure");
    assert!(
        edited["content"][0]["text"]
            .as_str()
            .unwrap()
            .contains("warning unsure: ")
    );
    let token = done(&edited)["token"].clone();
    let said = call(&mut server, "write", json!({"token": token}));
    assert!(
        refused(&said, "warned").contains(r#"accept: ["unsure"]"#),
        "{said:#}"
    );
    assert_eq!(text(dir.path()), BEFORE);
    done(&call(
        &mut server,
        "write",
        json!({"token": token, "accept": ["unsure"]}),
    ));
    assert_eq!(text(dir.path()), AFTER);
}

#[test]
fn what_a_model_declines_is_said_with_the_next_step() {
    let dir = tool();
    let script = Script::of(&[r#"{"operation":"none","reason":"unclear"}"#]);
    let mut server = server(dir.path(), &script, &[]);
    let said = call(&mut server, "edit", json!({"task": "Make it nice"}));
    assert!(
        refused(&said, "declined").contains("unclear to it"),
        "{said:#}"
    );
}

#[test]
fn of_a_patch_only_what_failed_needs_to_be_sent_again() {
    let dir = tool();
    let mut server = server(dir.path(), &renames(), &[]);
    let block = |old: &str, new: &str| {
        format!("tool.py\n<<<<<<< SEARCH\n{old}\n=======\n{new}\n>>>>>>> REPLACE\n")
    };
    let right = block("def process_item(item):", "def handle_item(item):");
    let wrong = block("    return size(item)", "    return 0");
    let both = call(
        &mut server,
        "apply_patch",
        json!({"patch": format!("{right}\n{wrong}")}),
    );
    assert!(
        refused(&both, "not_applied").contains("return len(item)"),
        "what is there instead"
    );
    let results = |report: &Value| {
        let edits = report["structuredContent"]["edits"]
            .as_array()
            .unwrap()
            .iter();
        edits
            .map(|edit| edit["result"].as_str().unwrap().to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(results(&both), ["applies", "failed"]);
    assert_eq!(text(dir.path()), BEFORE);

    let dry = call(
        &mut server,
        "apply_patch",
        json!({"patch": right, "dry_run": true}),
    );
    assert_eq!(done(&dry)["status"], "would_be_done");
    assert_eq!(text(dir.path()), BEFORE);

    let partly = json!({"patch": format!("{right}\n{wrong}"), "partial": true});
    let partly = call(&mut server, "apply_patch", partly);
    assert_eq!(done(&partly)["status"], "partly_done");
    assert_eq!(text(dir.path()), AFTER);
    let mended = block("    return len(item)", "    return 0");
    done(&call(&mut server, "apply_patch", json!({"patch": mended})));
    assert_eq!(text(dir.path()), AFTER.replace("len(item)", "0"));
    done(&call(&mut server, "undo", json!({})));
    done(&call(&mut server, "undo", json!({})));
    assert_eq!(text(dir.path()), BEFORE);
}

#[test]
fn find_gives_files_and_their_lines_without_a_model() {
    let dir = folder(&[("tool.py", BEFORE.as_bytes()), ("other.py", b"x = 1\n")]);
    let mut server = server(dir.path(), &renames(), &[]);
    let found = call(&mut server, "find", json!({"task": TASK, "max_files": 1}));
    let files = done(&found)["files"].as_array().unwrap();
    assert_eq!((files.len(), &files[0]["path"]), (1, &json!("tool.py")));
    let said = found["content"][0]["text"].as_str().unwrap();
    assert!(said.contains("1: def process_item(item):"), "{said}");
    assert!(children(server.pid()).is_empty(), "no model was started");
}

#[test]
fn hostile_calls_change_nothing_and_are_told_why() {
    let outside = folder(&[("secret.py", BEFORE.as_bytes())]);
    let dir = tool();
    std::os::unix::fs::symlink(outside.path(), dir.path().join("out")).unwrap();
    let secret = outside.path().join("secret.py");
    std::os::unix::fs::symlink(&secret, dir.path().join("link.py")).unwrap();
    let script = renames();
    let mut server = server(dir.path(), &script, &[]);
    let absolute = secret.to_str().unwrap();
    for path in ["../secret.py", "out/secret.py", "link.py", absolute] {
        let edited = call(&mut server, "edit", json!({"task": TASK, "file": path}));
        assert_eq!(edited["isError"], true, "{path}: {edited:#}");
        let kind = &edited["structuredContent"]["error"]["kind"];
        assert!(
            kind == "outside" || kind == "not_found",
            "{path}: {edited:#}"
        );
        for patch in [
            format!("{path}\n```\nhacked\n```\n"),
            format!("--- a/{path}\n+++ b/{path}\n@@ -1 +1 @@\n-def process_item(item):\n+x\n"),
            format!("*** Begin Patch\n*** Add File: {path}\n+hacked\n*** End Patch\n"),
        ] {
            let applied = call(&mut server, "apply_patch", json!({"patch": patch}));
            assert_eq!(applied["isError"], true, "{patch}: {applied:#}");
            let named = json!({"patch": format!("```\nhacked\n```\n"), "file": path});
            assert_eq!(call(&mut server, "apply_patch", named)["isError"], true);
        }
    }
    for (tool, arguments) in [
        ("edit", json!({"task": TASK, "yes": true})),
        ("edit", json!({"task": 7})),
        ("edit", json!({})),
        ("edit", json!({"task": TASK, "steps": 0})),
        ("edit", json!({"task": TASK, "steps": 1e9})),
        ("write", json!({"token": ["a"]})),
        ("apply_patch", json!({"patch": null})),
        ("undo", json!({"all": true})),
        ("find", json!({"task": TASK, "root": "/"})),
    ] {
        refused(&call(&mut server, tool, arguments), "arguments");
    }
    let big = "x".repeat(10 << 20);
    refused(
        &call(&mut server, "edit", json!({"task": big})),
        "task_too_long",
    );
    refused(
        &call(&mut server, "find", json!({"task": big})),
        "task_too_long",
    );
    refused(
        &call(&mut server, "apply_patch", json!({"patch": big})),
        "no_edit",
    );
    refused(&call(&mut server, "write", json!({"token": big})), "token");
    let unknown = server.request("tools/call", json!({"name": "shell", "arguments": {}}));
    assert!(
        server.answer(unknown)["error"]["message"]
            .as_str()
            .unwrap()
            .contains("shell")
    );
    assert_eq!(text(dir.path()), BEFORE);
    assert_eq!(fs::read_to_string(&secret).unwrap(), BEFORE);
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 3);
    assert_eq!(fs::read_dir(outside.path()).unwrap().count(), 1);
    done(&call(&mut server, "edit", json!({"task": TASK})));
}

/// Clients that must send every property send null for those that they leave out, and small models
/// write texts for everything.
#[test]
fn arguments_are_read_as_clients_send_them() {
    let dir = tool();
    let script = Script::of(&[PICK, RENAME, PICK, RENAME]);
    let mut server = server(dir.path(), &script, &[]);
    let nothing = json!({"task": TASK, "file": null, "steps": null});
    let shown = call(&mut server, "edit", nothing);
    let token = &done(&shown)["token"];
    done(&call(
        &mut server,
        "write",
        json!({"token": token, "accept": null}),
    ));
    assert_eq!(text(dir.path()), AFTER);
    done(&call(&mut server, "undo", json!({"number": 0})));
    let shown = call(&mut server, "edit", json!({"task": TASK, "steps": "1"}));
    let token = &done(&shown)["token"];
    done(&call(
        &mut server,
        "write",
        json!({"token": token, "accept": "unsure"}),
    ));
    done(&call(&mut server, "undo", json!({"number": "2"})));
    let listed = call(&mut server, "list_edits", json!({"max_edits": null}));
    assert_eq!(done(&listed)["edits"].as_array().unwrap().len(), 2);
    let listed = call(&mut server, "list_edits", json!({"max_edits": "1"}));
    assert_eq!(done(&listed)["edits"].as_array().unwrap().len(), 1);
    done(&call(
        &mut server,
        "find",
        json!({"task": TASK, "max_files": null}),
    ));
    let block =
        "tool.py\n<<<<<<< SEARCH\n    return len(item)\n=======\n    pass\n>>>>>>> REPLACE\n";
    let patch = json!({"patch": block, "file": null, "partial": null, "accept": null});
    let mut dry = patch.clone();
    dry["dry_run"] = json!("true");
    assert_eq!(
        done(&call(&mut server, "apply_patch", dry))["status"],
        "would_be_done"
    );
    assert_eq!(text(dir.path()), BEFORE);
    done(&call(&mut server, "apply_patch", patch));
    assert_eq!(text(dir.path()), BEFORE.replace("return len(item)", "pass"));

    let wrong = call(&mut server, "list_edits", json!({"max_edits": "all"}));
    let said = refused(&wrong, "arguments");
    assert!(
        said.contains("max_edits must be a whole number from 1 to 100"),
        "{said}"
    );
    assert!(!said.contains("usize"), "{said}");
}

#[test]
fn arguments_that_are_no_object_are_invalid_and_a_text_of_one_is_read() {
    let dir = tool();
    let mut server = server(dir.path(), &Script::of(&[]), &[]);
    for arguments in [
        json!("[]"),
        json!([]),
        json!(""),
        json!("task"),
        json!(7),
        json!(true),
    ] {
        let called = json!({"name": "find", "arguments": arguments});
        let id = server.request("tools/call", called);
        let error = &server.answer(id)["error"];
        assert_eq!(error["code"], -32602, "{arguments}: {error:#}");
        assert!(
            error["message"]
                .as_str()
                .unwrap()
                .contains("must be an object"),
            "{error:#}"
        );
    }
    for called in [
        json!({"arguments": {}}),
        json!([]),
        json!({"name": 7}),
        json!("find"),
    ] {
        let id = server.request("tools/call", called);
        assert!(server.answer(id)["error"].is_object());
    }
    let found = call(&mut server, "find", json!("{\"task\": \"process_item\"}"));
    assert_eq!(done(&found)["files"][0]["path"], "tool.py");
    let refused = call(&mut server, "find", json!("{\"tasks\": \"process_item\"}"));
    assert_eq!(refused["isError"], true, "{refused:#}");
}

#[test]
fn a_line_that_is_no_message_is_answered() {
    let dir = tool();
    let mut server = server(dir.path(), &Script::of(&[]), &[]);
    let lines: [&[u8]; 5] = [
        b"garbage",
        b"{\"jsonrpc\": \"2.0\", \"id\": 5, ",
        b"{\"jsonrpc\": \"2.0\", \"id\": 6, \"method\": \"tools/list\", \"params\": {\"x\": \"\xff\"}}",
        b"\xff\xfe",
        b"{} {}",
    ];
    for line in lines {
        server.send_line(line);
        let answer = server.wait_for(|message| message.get("error").is_some());
        assert_eq!(answer["error"]["code"], -32700, "{answer:#}");
        assert!(answer.as_object().unwrap().contains_key("id") && answer["id"].is_null());
    }
    // Blank lines and unknown notifications are none.
    server.send_line(b"");
    server.send_line(b"\r");
    server.send(&json!({"jsonrpc": "2.0", "method": "textDocument/didOpen", "params": {}}));
    server.send_line(
        &[
            b"\xef\xbb\xbf",
            json!({"jsonrpc": "2.0", "id": 7, "method": "ping"})
                .to_string()
                .as_bytes(),
        ]
        .concat(),
    );
    let answer = server.wait_for(|_| true);
    assert_eq!(answer["id"], 7, "{answer:#}");
    // The last one, when the client has closed its end.
    server.send_line(b"garbage");
    let (status, _) = server.end();
    assert!(status.success(), "{status}");
}

#[test]
fn no_reply_is_longer_than_a_model_reads() {
    let line = format!("!function(){{var a=1,b=2;{}}}()", "call(x);".repeat(50_000));
    let many: String = (0..3_000).map(|n| format!("value_{n} = {n}\n")).collect();
    let dir = folder(&[
        ("m.min.js", line.as_bytes()),
        ("many.py", many.as_bytes()),
        ("same.py", "x = 1\n\n".repeat(2_000).as_bytes()),
    ]);
    let mut server = server(dir.path(), &Script::of(&[]), &[]);
    let block = |path: &str, old: &str, new: &str| {
        format!("{path}\n<<<<<<< SEARCH\n{old}\n=======\n{new}\n>>>>>>> REPLACE\n")
    };
    let text_edit = |old: &str, new: &str| {
        json!({"path": "m.min.js", "old_string": old, "new_string": new}).to_string()
    };
    let missed = many.replace("value_7 ", "value_x ");
    let misses: String = (0..60)
        .map(|n| block("many.py", &format!("wert_{n} = {n}"), ""))
        .collect();
    let all_new = format!("many.py\n```\n{}```\n", many.replace("value", "wert"));
    for (patch, dry_run, expected) in [
        (
            text_edit("var a = 1, b = 2;", "var a = 1, b = 3;"),
            false,
            "var a=1,b=2;",
        ),
        (
            text_edit(&line.replace("var a=1", "var a=7"), "x"),
            false,
            "var a=1",
        ),
        (block("many.py", &missed, "x"), false, "value_"),
        (misses, false, "value_"),
        (block("same.py", "x = 1", "x = 2"), false, "2000 places"),
        (
            text_edit("var a=1,b=2;", "var a=1,b=3;"),
            true,
            "Not written: dry_run.",
        ),
        (all_new, true, "Not written"),
    ] {
        let id = server.request(
            "tools/call",
            json!({"name": "apply_patch", "arguments": {"patch": patch, "dry_run": dry_run}}),
        );
        let reply = server.answer(id);
        let text = reply["result"]["content"][0]["text"].as_str().unwrap();
        assert!(text.contains(expected), "{expected}: {text}");
        assert!(
            reply.to_string().len() < 16 << 10,
            "{} bytes: {text}",
            reply.to_string().len()
        );
    }
}

#[test]
fn two_calls_at_once_take_turns() {
    let dir = tool();
    let script = Script::of(&[PICK, RENAME, PICK, RENAME]);
    let mut server = server(dir.path(), &script, &[]);
    let edit = json!({"name": "edit", "arguments": {"task": TASK}});
    let ids = [(); 2].map(|()| server.request("tools/call", edit.clone()));
    let results = ids.map(|id| server.answer(id)["result"].clone());
    let tokens = results
        .each_ref()
        .map(|result| done(result)["token"].clone());
    assert_ne!(tokens[0], tokens[1]);
    let write = tokens.map(|token| json!({"name": "write", "arguments": {"token": token}}));
    let ids = write.map(|write| server.request("tools/call", write));
    let results = ids.map(|id| server.answer(id)["result"].clone());
    let n_errors = results
        .iter()
        .filter(|result| result["isError"] == true)
        .count();
    assert_eq!(n_errors, 1, "the second edit is stale: {results:#?}");
    assert_eq!(text(dir.path()), AFTER);
}

/// Waits until the server has no model process, or has one.
fn wait_for_model(server: &RpcProgram, is_there: bool) {
    if !Path::new("/proc/self/task").exists() {
        println!("without /proc the test cannot see the model process");
        return;
    }
    while children(server.pid()).is_empty() == is_there {
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn a_cancelled_edit_ends_its_model_and_the_server_goes_on() {
    let dir = tool();
    let script = Script::new(vec![answer(PICK), Turn::Silence]);
    let mut server = server(dir.path(), &script, &[]);
    let edit = json!({
        "name": "edit", "arguments": {"task": TASK}, "_meta": {"progressToken": "p"}
    });
    let id = server.request("tools/call", edit);
    let progress = server.wait_for_method("notifications/progress");
    assert!(progress["params"]["message"].is_string(), "{progress:#}");
    server.notify(
        "notifications/cancelled",
        json!({"requestId": id, "reason": "enough"}),
    );
    let found = call(&mut server, "find", json!({"task": TASK}));
    assert_eq!(done(&found)["files"][0]["path"], "tool.py");
    wait_for_model(&server, false);
    assert_eq!(text(dir.path()), BEFORE);
}

#[test]
fn a_model_that_is_killed_between_edits_is_started_again() {
    let dir = tool();
    let script = renames();
    let mut server = server(dir.path(), &script, &[]);
    done(&call(&mut server, "edit", json!({"task": TASK})));
    for model in children(server.pid()) {
        signal(model, "KILL");
    }
    done(&call(&mut server, "edit", json!({"task": TASK})));
    assert_eq!(text(dir.path()), BEFORE);
}

#[test]
fn a_model_that_crashes_is_said_and_the_next_edit_starts_another() {
    let dir = tool();
    let script = Script::new(vec![Turn::Crash]);
    let mut server = server(dir.path(), &script, &[]);
    for _ in 0..2 {
        let said = call(&mut server, "edit", json!({"task": TASK}));
        assert!(
            refused(&said, "model_crashed").contains("signal 6"),
            "{said:#}"
        );
    }
    done(&call(&mut server, "find", json!({"task": TASK})));
}

#[test]
fn a_model_that_nobody_asks_is_unloaded_and_comes_back() {
    let dir = tool();
    let script = renames();
    let mut server = server(dir.path(), &script, &["--idle", "1"]);
    for _ in 0..2 {
        let edited = call(&mut server, "edit", json!({"task": TASK}));
        assert!(done(&edited)["took"]["load_seconds"].as_f64().unwrap() > 0.0);
        wait_for_model(&server, false);
    }
}

#[test]
fn ten_thousand_malformed_messages_write_nothing() {
    let dir = tool();
    let mut server = server(dir.path(), &renames(), &[]);
    let mut random = Random(7);
    let patch = "tool.py\n```\nhacked\n```\n";
    let whole = json!({
        "jsonrpc": "2.0", "id": 5, "method": "tools/call",
        "params": {"name": "apply_patch", "arguments": {"patch": patch, "dry_run": true}}
    })
    .to_string();
    // With a byte changed it may still be a call. Nothing else of it is one.
    let writes = whole.replace(r#""dry_run":true"#, r#""dry_run":false"#);
    assert_ne!(whole, writes);
    for _ in 0..10_000 {
        let mut line = writes.clone().into_bytes();
        match random.below(4) {
            0 => line.truncate(random.below(line.len())),
            1 => {
                line = whole.clone().into_bytes();
                let at = random.below(line.len());
                line[at] = b' ' + random.below(90) as u8;
            }
            2 => {
                line = (0..random.below(40))
                    .map(|_| b' ' + random.below(90) as u8)
                    .collect();
            }
            _ => line.swap(1 + random.below(29), 0),
        }
        server.send_line(&line);
    }
    // Numbers above those of the lines.
    let id = 1_000_000;
    let find = json!({"name": "find", "arguments": {"task": TASK}});
    server.send(&json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": find}));
    assert_eq!(server.answer(id)["result"]["isError"], false);
    assert_eq!(text(dir.path()), BEFORE);
    let (status, _) = server.end();
    assert!(status.success(), "{status}");
}

#[test]
fn a_killed_server_leaves_files_whole_and_nothing_running() {
    let mut random = Random(3);
    for i in 0..50 {
        let dir = tool();
        let marker = format!("mcp-{i}-{}", std::process::id());
        let script = renames();
        let mut server = RpcProgram::start(dir.path(), &["mcp"], |command| {
            command.envs(script.environment()).env(MARKER, &marker);
        });
        hello(&mut server, "2025-11-25");
        let edit = json!({"name": "edit", "arguments": {"task": TASK}});
        if i % 2 == 0 {
            let edited = server.ask("tools/call", edit);
            let write = json!({"name": "write", "arguments": {"token": done(&edited)["token"]}});
            server.request("tools/call", write);
        } else {
            server.request("tools/call", edit);
        }
        std::thread::sleep(Duration::from_micros(random.below(20_000) as u64));
        signal(server.pid(), "KILL");
        drop(server);
        let text = text(dir.path());
        assert!(text == BEFORE || text == AFTER, "{text}");
        assert_eq!(left_behind(&marker), [""; 0]);
        // In the last moment before it takes its name a new file has one of its own. The next one
        // that writes there removes what was left.
        let workspace = Workspace::open(dir.path()).unwrap();
        workspace
            .write(&Change::replace("tool.py", text.as_bytes(), b"next\n"))
            .unwrap();
        assert_eq!(
            fs::read_dir(dir.path()).unwrap().count(),
            1,
            "a temporary file is left"
        );
    }
}

#[test]
fn a_wrong_start_is_said_at_once() {
    let dir = tool();
    let start = |arguments: &[&str]| RpcProgram::start(dir.path(), arguments, |_| {}).end();
    let (status, said) = start(&["mcp", "--root", "none"]);
    assert_eq!(status.code(), Some(2), "{said}");
    assert!(said.contains("as the folder to edit"), "{said}");
    for client in [
        "claude-code",
        "codex",
        "gemini",
        "qwen",
        "vscode",
        "mcp-json",
    ] {
        let mut command = std::process::Command::new(crate::support::PROGRAM);
        let options = ["mcp", "--root", "a b", "--print-config", client, "--yes"];
        let run = crate::support::run(command.args(options));
        assert!(
            run.code == Some(0) && run.stdout.contains("/a b"),
            "{run:#?}"
        );
        assert!(run.stdout.contains("--yes") && !run.stdout.contains("print"));
    }
}

#[test]
fn an_edit_that_is_not_written_can_be_amended_and_one_that_is_is_known() {
    let dir = tool();
    let again = r#"{"old":"handle_item","new":"take_item"}"#;
    let last = r#"{"old":"take_item","new":"drop_item"}"#;
    let done_already = r#"{"operation":"none","reason":"already_done"}"#;
    let script = Script::of(&[PICK, RENAME, PICK, again, done_already, PICK, last]);
    let mut server = server(dir.path(), &script, &[]);
    let first = call(&mut server, "edit", json!({"task": TASK}));
    let token = done(&first)["token"].clone();
    let amended = json!({"task": "no, take_item", "token": token});
    let second = call(&mut server, "amend", amended);
    let second = done(&second);
    assert!(
        second["diff"]
            .as_str()
            .unwrap()
            .contains("-def process_item"),
        "{second}"
    );
    assert!(
        second["diff"].as_str().unwrap().contains("+def take_item"),
        "{second}"
    );
    refused(
        &call(&mut server, "write", json!({"token": token})),
        "token",
    );

    // If nothing comes of it, the edit is still there.
    let token = &second["token"];
    let vain = json!({"task": "is that all?", "token": token});
    refused(&call(&mut server, "amend", vain), "declined");
    let written = call(&mut server, "write", json!({"token": token}));
    assert_eq!(done(&written)["what"], format!("{TASK}; no, take_item"));
    assert_eq!(
        text(dir.path()),
        BEFORE.replace("process_item", "take_item")
    );

    let next = call(&mut server, "edit", json!({"task": "rather drop_item"}));
    done(&next);
    let request = script.requests().pop().unwrap();
    let told: String = request.prompt.iter().map(Part::as_str).collect();
    assert!(told.contains("Just before, this was done for"), "{told}");
    let unknown = json!({"task": "a", "token": "x"});
    refused(&call(&mut server, "amend", unknown), "token");
}

#[test]
fn a_task_may_point_at_a_line() {
    let dir = folder(&[("tool.py", BEFORE.as_bytes()), ("b.py", BEFORE.as_bytes())]);
    let script = renames();
    let mut server = server(dir.path(), &script, &[]);
    for (file, kind) in [
        ("tool.py:9", "lines"),
        ("none.py:1", "not_found"),
        ("tool.py:0", "not_found"),
    ] {
        let parameters = json!({"task": TASK, "file": file});
        refused(&call(&mut server, "edit", parameters), kind);
    }
    let parameters = json!({"task": TASK, "file": "tool.py:1"});
    assert_eq!(
        done(&call(&mut server, "edit", parameters))["files"],
        json!(["tool.py"])
    );
    assert_eq!(script.offered(), ["tool.py"]);
}

#[test]
fn a_caller_names_a_check_only_where_it_may() {
    let dir = tool();
    let script = renames();
    let asked = json!({"task": TASK, "check": "grep -q handle_item tool.py"});
    let mut closed = server(dir.path(), &script, &["--no-sandbox"]);
    let listed = |server: &mut RpcProgram| server.ask("tools/list", json!({})).to_string();
    assert!(!listed(&mut closed).contains(r#""check""#));
    let said = call(&mut closed, "edit", asked.clone());
    assert!(
        refused(&said, "denied").contains("--allow-check"),
        "{said:#}"
    );

    let mut open = server(dir.path(), &script, &["--no-sandbox", "--allow-check"]);
    assert!(listed(&mut open).contains(r#""check""#));
    let edited = call(&mut open, "edit", asked);
    assert_eq!(done(&edited)["check"]["result"], "passed");

    let fixed = ["--no-sandbox", "--check", "no-such-program"];
    let mut fixed = server(dir.path(), &script, &fixed);
    let edited = call(&mut fixed, "edit", json!({"task": TASK}));
    assert_eq!(done(&edited)["check"]["result"], "not_run");
    let token = &edited["structuredContent"]["token"];
    let written = call(&mut fixed, "write", json!({"token": token}));
    assert!(refused(&written, "warned").contains("fails"), "{written:#}");
    assert_eq!(text(dir.path()), BEFORE);
}

#[test]
fn find_says_when_no_file_has_a_word() {
    let dir = folder(&[("README.md", b"# Nothing\n"), ("a.py", b"x = 1\n")]);
    let mut server = server(dir.path(), &renames(), &[]);
    let found = call(&mut server, "find", json!({"task": "zzz qqq"}));
    assert_eq!(done(&found)["files"], json!([]));
    let said = found["content"][0]["text"].as_str().unwrap();
    assert!(said.starts_with("No file has a word of this."), "{said}");
    let none = json!({"task": "nothing", "max_files": 0});
    let said = call(&mut server, "find", none);
    assert!(
        refused(&said, "arguments").contains("from 1 to 20"),
        "{said:#}"
    );
}

#[test]
fn what_needs_no_model_does_not_wait_for_one() {
    let dir = tool();
    let script = Script::new(vec![answer(PICK), Turn::Silence]);
    let mut server = server(dir.path(), &script, &[]);
    let edit = json!({"name": "edit", "arguments": {"task": TASK}, "_meta": {"progressToken": 1}});
    let edit = server.request("tools/call", edit);
    server.wait_for_method("notifications/progress");
    let found = call(&mut server, "find", json!({"task": TASK}));
    assert_eq!(done(&found)["files"][0]["path"], "tool.py");
    let listed = call(&mut server, "list_edits", json!({}));
    assert_eq!(done(&listed)["edits"], json!([]));
    server.notify("notifications/cancelled", json!({"requestId": edit}));
}

#[test]
fn a_patch_comes_as_json_and_does_not_come_back() {
    let dir = folder(&[("a.py", b"x = 1\ny = 2\n"), ("b.py", b"z = 3\n")]);
    let mut server = server(dir.path(), &renames(), &[]);
    let edit = |old: &str, new: &str| json!({"path": "a.py", "old_string": old, "new_string": new});
    let said = |result: &Value| result["content"][0]["text"].as_str().unwrap().to_owned();
    let one = json!({"patch": edit("x = 1", "x = 10")});
    let written = call(&mut server, "apply_patch", one);
    assert_eq!(said(&written), "Wrote a.py\n");
    assert_eq!(done(&written)["diff"], "");
    let list = json!({"patch": [edit("x = 10", "x = 11"), edit("y = 2", "y = 3")]});
    done(&call(&mut server, "apply_patch", list));
    let text = fs::read_to_string(dir.path().join("a.py")).unwrap();
    assert_eq!(text, "x = 11\ny = 3\n");

    let lines = json!({"patch": ["--- a/b.py", "+++ /dev/null", "@@ -1 +0,0 @@", "-z = 3"]});
    let removed = call(&mut server, "apply_patch", lines);
    assert_eq!(said(&removed), "Removed b.py\n");
    let listed = call(&mut server, "list_edits", json!({}));
    let rows = said(&listed);
    for row in [
        "apply (1 edit): removed b.py",
        "in a.py: apply (1 edit): `x = 1` to `x = 10`",
    ] {
        assert!(rows.contains(row), "{rows}");
    }
    for patch in [json!({}), json!([]), json!([1]), json!(7), json!([{}])] {
        refused(
            &call(&mut server, "apply_patch", json!({"patch": patch})),
            "arguments",
        );
    }
    // The place of a text that is not there exactly is shown.
    let loose = json!({"patch": edit("  x = 11", "  x = 12")});
    let written = call(&mut server, "apply_patch", loose);
    assert!(
        done(&written)["diff"].as_str().unwrap().contains("+x = 12"),
        "{written:#}"
    );
}

#[test]
fn a_message_has_the_words_of_the_tools() {
    let dir = tool();
    let mut server = server(dir.path(), &renames(), &[]);
    let nameless = "<<<<<<< SEARCH\nx\n=======\ny\n>>>>>>> REPLACE\n";
    for (tool, arguments) in [
        ("apply_patch", json!({"patch": nameless})),
        ("apply_patch", json!({"patch": "nothing"})),
        (
            "apply_patch",
            json!({"patch": "*** Begin Patch\n*** Add File: tool.py\n+x\n*** End Patch"}),
        ),
        ("edit", json!({"task": TASK, "file": "none.py"})),
        ("edit", json!({"task": TASK, "file": "../x.py"})),
        ("edit", json!({"task": TASK, "steps": "many"})),
        ("undo", json!({"number": 7})),
        ("undo", json!({"number": 1.5})),
    ] {
        let result = call(&mut server, tool, arguments);
        assert_eq!(result["isError"], true, "{result:#}");
        let said = result["content"][0]["text"].as_str().unwrap();
        assert!(said.contains("next: "), "{said}");
        for foreign in ["--", "usize", "u64", "expected", "slotwright"] {
            assert!(!said.contains(foreign), "{said}");
        }
    }
}

#[test]
fn what_only_the_person_can_do_is_said_to_be_theirs() {
    let dir = tool();
    let mut server = RpcProgram::start(dir.path(), &["mcp", "--model", "none.gguf"], |_| {});
    hello(&mut server, "2025-11-25");
    let said = call(&mut server, "edit", json!({"task": TASK}));
    assert_eq!(said["isError"], true, "{said:#}");
    let said = said["content"][0]["text"].as_str().unwrap();
    assert!(said.contains("next: tell the person: "), "{said}");
}

#[test]
fn an_edit_that_lacks_a_part_says_so_when_it_is_written() {
    let dir = tool();
    let cut = cut_off(r#"{"path":"tool.py","#, End::Budget);
    let script = Script::new(vec![answer(PICK), answer(RENAME), cut]);
    let mut server = server(dir.path(), &script, &[]);
    let edited = call(&mut server, "edit", json!({"task": TASK, "steps": 2}));
    let shown = done(&edited);
    assert_eq!(shown["warnings"][0]["kind"], "partial", "{shown:#}");
    let write = json!({"token": shown["token"], "accept": "partial"});
    let written = call(&mut server, "write", write);
    assert_eq!(done(&written)["status"], "partly_done");
    let said = written["content"][0]["text"].as_str().unwrap();
    assert!(
        said.starts_with("Wrote tool.py, and only a part of it: "),
        "{said}"
    );
    assert!(said.contains("an edit may be missing"), "{said}");
    assert_eq!(text(dir.path()), AFTER);
}

/// A client of 2025-11-25 that can ask its person.
fn asking_server(root: &Path, script: &Script, arguments: &[&str]) -> RpcProgram {
    let arguments = [&["mcp"], arguments].concat();
    let mut server = RpcProgram::start(root, &arguments, |command| {
        command.envs(script.environment());
    });
    hello_of(&mut server, "2025-11-25", json!({"elicitation": {}}));
    server
}

const PATCH: &str = "tool.py\n<<<<<<< SEARCH\n    return len(item)\n=======\n    return 0\n\
                     >>>>>>> REPLACE\n";

/// Calls a tool that asks, answers the question, and gives the question and the result.
fn ask_and_answer(
    server: &mut RpcProgram,
    (tool, arguments): (&str, Value),
    answer: Value,
) -> (String, Value) {
    let id = server.request("tools/call", json!({"name": tool, "arguments": arguments}));
    let asked = server.wait_for_method("elicitation/create");
    let schema = &asked["params"]["requestedSchema"];
    assert_eq!(
        schema,
        &json!({"type": "object", "properties": {}}),
        "{asked:#}"
    );
    server.respond(&asked, answer);
    let question = asked["params"]["message"].as_str().unwrap().to_owned();
    (question, server.answer(id)["result"].clone())
}

#[test]
fn the_person_is_asked_before_an_edit_is_written() {
    let dir = tool();
    let unsure = Script::new(vec![answer(PICK), answer(RENAME).sure(Slot::New, 0.01)]);
    let mut server = asking_server(dir.path(), &unsure, &[]);
    let edited = call(&mut server, "edit", json!({"task": TASK}));
    let token = &done(&edited)["token"];
    let write = || ("write", json!({"token": token}));

    for (answer, said) in [("decline", "said no"), ("cancel", "closed the question")] {
        let answer = json!({"action": answer});
        let (question, result) = ask_and_answer(&mut server, write(), answer);
        assert!(question.starts_with("Change tool.py?\n"), "{question}");
        assert!(question.contains("Look twice: "), "{question}");
        assert!(question.contains("+def handle_item"), "{question}");
        assert!(
            refused(&result, "not_confirmed").contains(said),
            "{result:#}"
        );
        assert_eq!(result["structuredContent"]["status"], "not_confirmed");
        assert_eq!(text(dir.path()), BEFORE);
    }
    for strange in [json!({}), json!({"action": "perhaps"}), json!([])] {
        let (_, result) = ask_and_answer(&mut server, write(), strange);
        refused(&result, "client");
        assert_eq!(text(dir.path()), BEFORE);
    }
    let yes = json!({"action": "accept", "content": {}});
    let (_, result) = ask_and_answer(&mut server, write(), yes);
    assert_eq!(done(&result)["status"], "done");
    assert_eq!(text(dir.path()), AFTER);
    let again = call(&mut server, "write", json!({"token": token}));
    refused(&again, "token");
}

#[test]
fn the_person_is_asked_before_a_patch_is_written() {
    let dir = tool();
    let mut server = asking_server(dir.path(), &renames(), &[]);
    let patch = || ("apply_patch", json!({"patch": PATCH}));
    let no = json!({"action": "decline"});
    let (question, result) = ask_and_answer(&mut server, patch(), no);
    assert!(
        question.contains("-    return len(item)\n+    return 0"),
        "{question}"
    );
    refused(&result, "not_confirmed");
    assert_eq!(text(dir.path()), BEFORE);

    // A file that changes while the person reads is left alone.
    let id = server.request(
        "tools/call",
        json!({"name": "apply_patch", "arguments": patch().1}),
    );
    let asked = server.wait_for_method("elicitation/create");
    fs::write(dir.path().join("tool.py"), "theirs\n").unwrap();
    let found = call(&mut server, "find", json!({"task": "theirs"}));
    done(&found);
    server.respond(&asked, json!({"action": "accept", "content": {}}));
    refused(&server.answer(id)["result"], "stale");
    assert_eq!(text(dir.path()), "theirs\n");

    fs::write(dir.path().join("tool.py"), BEFORE).unwrap();
    let yes = json!({"action": "accept"});
    let (_, result) = ask_and_answer(&mut server, patch(), yes);
    assert_eq!(done(&result)["done"], json!(["wrote tool.py"]));
    assert_eq!(text(dir.path()), BEFORE.replace("len(item)", "0"));
    // Nothing in a file reaches the person's screen as it is.
    let hostile = PATCH
        .replace("return len(item)", "return 0")
        .replace("return 0\n>", "\x1b[2J\u{202e}\n>");
    let no = json!({"action": "decline"});
    let hostile = ("apply_patch", json!({"patch": hostile}));
    let (question, _) = ask_and_answer(&mut server, hostile, no);
    assert!(question.contains("+    ^[[2J<U+202E>\n"), "{question}");

    // What changes nothing needs no yes.
    let same = format!("tool.py\n```python\n{}```\n", text(dir.path()));
    let same = call(&mut server, "apply_patch", json!({"patch": same}));
    assert_eq!(done(&same)["status"], "already_done");
    let dry = format!("tool.py\n```python\n{BEFORE}```\n");
    let dry = json!({"patch": dry, "dry_run": true});
    let dry = call(&mut server, "apply_patch", dry);
    assert_eq!(done(&dry)["status"], "would_be_done");
}

#[test]
fn nobody_is_asked_with_yes_or_by_a_client_that_cannot() {
    for (capabilities, arguments) in [
        (json!({"elicitation": {}}), &["mcp", "--yes"][..]),
        (json!({"elicitation": {"url": {}}}), &["mcp"]),
        (json!({}), &["mcp"]),
    ] {
        let dir = tool();
        let mut server = RpcProgram::start(dir.path(), arguments, |_| {});
        hello_of(&mut server, "2025-11-25", capabilities);
        done(&call(&mut server, "apply_patch", json!({"patch": PATCH})));
        assert_ne!(text(dir.path()), BEFORE);
    }
}

/// A call of a client of 2026-07-28, which has no handshake.
fn modern_call(server: &mut RpcProgram, mut params: Value) -> Value {
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {"elicitation": {"form": {}}},
    });
    server.ask("tools/call", params)
}

#[test]
fn the_newest_revision_asks_by_its_result() {
    let dir = tool();
    let script = renames();
    let mut server = RpcProgram::start(dir.path(), &["mcp"], |command| {
        command.envs(script.environment());
    });
    let edit = json!({"name": "edit", "arguments": {"task": TASK}});
    let edited = modern_call(&mut server, edit);
    let token = done(&edited)["token"].clone();
    let write = json!({"name": "write", "arguments": {"token": token}});
    // As a text, the arguments take another way through the server.
    let arguments = json!({"patch": PATCH}).to_string();
    let patch = json!({"name": "apply_patch", "arguments": arguments});
    let answered = |call: &Value, state: &Value, action: &str| {
        let mut call = call.clone();
        call["requestState"] = state.clone();
        call["inputResponses"] = json!({"write": {"action": action, "content": {}}});
        call
    };
    for (call, expected) in [
        (write, AFTER.to_owned()),
        (patch, AFTER.replace("len(item)", "0")),
    ] {
        let before = text(dir.path());
        let forged = answered(&call, &json!("0123456789abcdef0123456789abcdef"), "accept");
        refused(&modern_call(&mut server, forged), "token");
        for action in ["decline", "cancel", "else"] {
            let asked = modern_call(&mut server, call.clone());
            assert_eq!(asked["resultType"], "input_required", "{asked:#}");
            let question = &asked["inputRequests"]["write"];
            assert_eq!(question["method"], "elicitation/create", "{asked:#}");
            let message = question["params"]["message"].as_str().unwrap();
            assert!(message.starts_with("Change tool.py?"), "{message}");
            let state = &asked["requestState"];
            let no = answered(&call, state, action);
            assert_eq!(modern_call(&mut server, no)["isError"], true);
            // An answer counts once.
            let yes = answered(&call, state, "accept");
            refused(&modern_call(&mut server, yes), "token");
            assert_eq!(text(dir.path()), before);
        }
        let asked = modern_call(&mut server, call.clone());
        let mut silent = answered(&call, &asked["requestState"], "accept");
        silent["inputResponses"] = json!({});
        refused(&modern_call(&mut server, silent), "client");
        let asked = modern_call(&mut server, call.clone());
        let yes = answered(&call, &asked["requestState"], "accept");
        done(&modern_call(&mut server, yes));
        assert_eq!(text(dir.path()), expected);
    }
}

#[test]
fn nobody_is_asked_about_what_is_too_long_to_be_shown() {
    let long = "line\n".repeat(20_000);
    let dir = folder(&[("a.txt", long.as_bytes()), ("z.txt", b"secret = 1\n")]);
    let script = Script::of(&[]);
    let mut server = asking_server(dir.path(), &script, &[]);
    let rewritten = long.replace("line", "other");
    let patch = format!("a.txt\n```\n{rewritten}```\n\nz.txt\n```\nsecret = 666\n```\n");
    let refused_call = call(&mut server, "apply_patch", json!({"patch": patch}));
    let said = refused(&refused_call, "too_large");
    assert!(said.contains("too long for a question"), "{said}");
    let z = || fs::read_to_string(dir.path().join("z.txt")).unwrap();
    assert_eq!(z(), "secret = 1\n");

    // Of several files all are named, and the caller's own words come last.
    let patch = "a.txt\n```\nshort\n```\n\nz.txt\n```\nsecret = 2\n```\n";
    fs::write(dir.path().join("a.txt"), "old\n").unwrap();
    let write = ("apply_patch", json!({"patch": patch}));
    let (question, _) = ask_and_answer(&mut server, write, json!({"action": "accept"}));
    assert!(question.contains("a.txt, z.txt"), "{question}");
    assert!(question.contains("+secret = 2"), "{question}");
    assert_eq!(z(), "secret = 2\n");
}
