//! `slotwright acp` and editors that give a file's text otherwise than it is on disk: decoded, with
//! other line endings, without what they do not know, or not saved.

use crate::support::editor::Editor;
use crate::support::script::Script;
use crate::support::{PROGRAM, Run, folder, run};
use serde_json::json;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use tempfile::TempDir;

/// A patch of one line.
fn patch(old: &str, new: &str) -> String {
    format!("/apply a.py\n<<<<<<< SEARCH\n{old}\n=======\n{new}\n>>>>>>> REPLACE\n")
}

/// An editor in a folder with one file, and its session.
fn editor(bytes: &[u8]) -> (TempDir, Editor, String) {
    let dir = folder(&[("a.py", bytes)]);
    let fs = json!({"readTextFile": true, "writeTextFile": true});
    let mut editor = Editor::with(dir.path(), &Script::of(&[]), &[], fs);
    let session = editor.session(dir.path());
    (dir, editor, session)
}

fn on_disk(dir: &TempDir) -> Vec<u8> {
    fs::read(dir.path().join("a.py")).unwrap()
}

/// The file as the agent names it.
fn real(dir: &TempDir) -> PathBuf {
    dir.path().canonicalize().unwrap().join("a.py")
}

fn undo(root: &Path) -> Run {
    run(Command::new(PROGRAM).args(["undo", "--root"]).arg(root))
}

fn exchanged(bytes: &[u8], old: &str, new: &str) -> Vec<u8> {
    let at = bytes
        .windows(old.len())
        .position(|window| window == old.as_bytes())
        .unwrap();
    [&bytes[..at], new.as_bytes(), &bytes[at + old.len()..]].concat()
}

/// The file is written on disk with all its bytes, and `/undo` brings them back.
#[track_caller]
fn is_written_by_the_gate(before: &[u8], reads: fn(&[u8]) -> String) -> Editor {
    let (dir, mut editor, session) = editor(before);
    editor.reads = Some(reads);
    editor.prompt(&session, &patch("limit = 30", "limit = 60"));
    let after = exchanged(before, "limit = 30", "limit = 60");
    let shown = |bytes: &[u8]| bytes.escape_ascii().to_string();
    assert_eq!(shown(&on_disk(&dir)), shown(&after), "{}", editor.said());
    assert!(editor.given.is_empty(), "{:?}", editor.given);
    editor.prompt(&session, "/undo");
    assert_eq!(shown(&on_disk(&dir)), shown(before), "{}", editor.said());
    editor
}

fn lossy(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn without_other_bytes(bytes: &[u8]) -> String {
    lossy(bytes).replace('\u{fffd}', "")
}

fn latin_1(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| char::from(*byte)).collect()
}

#[test]
fn an_editor_is_not_asked_for_a_file_that_is_not_utf_8() {
    let latin = b"# Gr\xfc\xdfe\nlimit = 30\n";
    let one_bad_byte = [
        "# Gr\u{fc}\u{df}e \u{4e2d}\nlimit = 30\n# ".as_bytes(),
        b"\xff\n",
    ]
    .concat();
    let utf_16: Vec<u8> = "\u{feff}limit = 30\n"
        .encode_utf16()
        .flat_map(u16::to_le_bytes)
        .collect();
    for reads in [lossy, without_other_bytes, latin_1] {
        for before in [latin.as_slice(), &one_bad_byte] {
            let editor = is_written_by_the_gate(before, reads);
            assert!(editor.asked_for.is_empty(), "{:?}", editor.asked_for);
        }
        let (dir, mut editor, session) = editor(&utf_16);
        editor.reads = Some(reads);
        editor.prompt(&session, &patch("limit = 30", "limit = 60"));
        let after: Vec<u8> = "\u{feff}limit = 60\n"
            .encode_utf16()
            .flat_map(u16::to_le_bytes)
            .collect();
        assert_eq!(on_disk(&dir), after, "{}", editor.said());
        assert!(editor.asked_for.is_empty(), "{:?}", editor.asked_for);
    }
}

#[test]
fn what_an_editor_changes_by_itself_is_not_unsaved() {
    let newlines = |bytes: &[u8]| lossy(bytes).replace("\r\n", "\n").replace('\r', "\n");
    let no_returns = |bytes: &[u8]| lossy(bytes).replace('\r', "");
    let no_end = |bytes: &[u8]| lossy(bytes).trim_end_matches('\n').to_owned();
    let an_end = |bytes: &[u8]| lossy(bytes).trim_end_matches('\n').to_owned() + "\n";
    let no_mark = |bytes: &[u8]| lossy(bytes).trim_start_matches('\u{feff}').to_owned();
    is_written_by_the_gate(b"x = \"a\rb\"\nlimit = 30\n", newlines);
    is_written_by_the_gate(b"x = \"a\rb\"\nlimit = 30\n", no_returns);
    is_written_by_the_gate(b"x = 1\r\nlimit = 30\r\n# end\n", newlines);
    is_written_by_the_gate(b"limit = 30\n# end\n", no_end);
    is_written_by_the_gate(b"limit = 30\n# end\n\n\n", no_end);
    is_written_by_the_gate(b"limit = 30\n# end", an_end);
    is_written_by_the_gate(b"\xef\xbb\xbflimit = 30\n", no_mark);
    is_written_by_the_gate("# a\u{2028}b\x0cc\nlimit = 30\n".as_bytes(), |bytes| {
        lossy(bytes).replace(['\u{2028}', '\x0c'], "\n")
    });
}

#[test]
fn a_patch_of_two_files_that_an_editor_gives_without_their_last_newline_is_applied() {
    let dir = folder(&[("a.py", b"a = 1\n".as_slice()), ("b.py", b"a = 1\n")]);
    let fs = json!({"readTextFile": true, "writeTextFile": true});
    let mut editor = Editor::with(dir.path(), &Script::of(&[]), &[], fs);
    editor.reads = Some(|bytes| lossy(bytes).trim_end().to_owned());
    let session = editor.session(dir.path());
    let both = patch("a = 1", "a = 2") + &patch("a = 1", "a = 2").replace("/apply a.py", "b.py");
    editor.prompt(&session, &both);
    for name in ["a.py", "b.py"] {
        assert_eq!(
            fs::read(dir.path().join(name)).unwrap(),
            b"a = 2\n",
            "{}",
            editor.said()
        );
    }
}

#[test]
fn an_edit_of_an_unsaved_file_is_in_the_journal_and_taken_back_in_the_editor() {
    let (dir, mut editor, session) = editor(b"limit = 30\n");
    editor
        .buffers
        .insert(real(&dir), "limit = 30\n# typed\n".to_owned());
    editor.prompt(&session, &patch("limit = 30", "limit = 60"));
    assert_eq!(
        editor.buffers[&real(&dir)],
        "limit = 60\n# typed\n",
        "{}",
        editor.said()
    );
    editor.prompt(&session, "/undo list");
    assert!(editor.said().contains("- 1  "), "{}", editor.said());
    // The disk has nothing of it yet.
    undo(dir.path()).says(
        1,
        "a.py was changed in an editor, which has not saved it yet",
    );
    undo(dir.path()).says(1, "save the file and undo again");
    // Another conversation, even of a later day.
    let session = editor.session(dir.path());
    editor.prompt(&session, "/undo");
    assert!(
        editor.said().contains("Took back in a.py"),
        "{}",
        editor.said()
    );
    assert_eq!(editor.buffers[&real(&dir)], "limit = 30\n# typed\n");
    assert_eq!(on_disk(&dir), b"limit = 30\n");
    undo(dir.path()).says(1, "nothing to undo");
}

#[test]
fn an_edit_that_the_editor_saves_is_taken_back_without_it() {
    let (dir, mut editor, session) = editor(b"limit = 30\n");
    editor.saves = Some(|text| text.as_bytes().to_vec());
    editor
        .buffers
        .insert(real(&dir), "limit = 30\n# typed\n".to_owned());
    editor.prompt(&session, &patch("limit = 30", "limit = 60"));
    assert_eq!(on_disk(&dir), b"limit = 60\n# typed\n", "{}", editor.said());
    undo(dir.path()).says(0, "undone");
    assert_eq!(
        on_disk(&dir),
        b"limit = 30\n# typed\n",
        "what was typed stays"
    );
}

#[test]
fn an_edit_that_was_saved_and_changed_since_is_not_taken_back() {
    let (dir, mut editor, session) = editor(b"limit = 30\n1\n2\n3\n");
    editor.saves = Some(|text| text.as_bytes().to_vec());
    editor
        .buffers
        .insert(real(&dir), "limit = 30\n1\n2\n3\n# typed\n".to_owned());
    editor.prompt(&session, &patch("limit = 30", "limit = 60"));
    let later = "limit = 60\n1\n2\n3\n# typed and more\n";
    fs::write(dir.path().join("a.py"), later).unwrap();
    editor.buffers.insert(real(&dir), later.to_owned());
    editor.prompt(&session, "/undo");
    assert!(
        editor
            .said()
            .contains("was changed since slotwright wrote it"),
        "{}",
        editor.said()
    );
    assert_eq!(on_disk(&dir), later.as_bytes());
}

/// It knows one kind of line ending, and keeps no byte order mark.
#[test]
fn what_an_editor_loses_when_it_saves_is_put_back() {
    for before in ["\u{feff}limit = 30\n1\n", "limit = 30\r\n1\r\n"] {
        let (dir, mut editor, session) = editor(before.as_bytes());
        editor.saves = Some(|text| text.as_bytes().to_vec());
        let buffer = "limit = 30\n1\n# typed\n";
        editor.buffers.insert(real(&dir), buffer.to_owned());
        editor.prompt(&session, &patch("limit = 30", "limit = 60"));
        let ending = if before.contains('\r') { "\r\n" } else { "\n" };
        let mark = if before.starts_with('\u{feff}') {
            "\u{feff}"
        } else {
            ""
        };
        let saved = |text: &str| format!("{mark}{}", text.replace('\n', ending)).into_bytes();
        assert_eq!(
            on_disk(&dir),
            saved("limit = 60\n1\n# typed\n"),
            "{}",
            editor.said()
        );
        editor.prompt(&session, "/undo");
        assert_eq!(on_disk(&dir), saved(buffer), "{}", editor.said());
    }
}

#[test]
fn the_last_newline_comes_back_with_an_unsaved_text() {
    let (dir, mut editor, session) = editor(b"limit = 30\n");
    editor.saves = Some(|text| text.as_bytes().to_vec());
    editor
        .buffers
        .insert(real(&dir), "limit = 30\n# typed".to_owned());
    editor.prompt(&session, &patch("limit = 30", "limit = 60"));
    assert_eq!(on_disk(&dir), b"limit = 60\n# typed\n", "{}", editor.said());
}

#[test]
fn an_unsaved_text_that_has_lost_characters_is_refused() {
    for (before, buffer) in [
        (
            "x = \"a\rb\"\nlimit = 30\n",
            "x = \"a\nb\"\nlimit = 30\n# typed\n",
        ),
        (
            "# Gr\u{fc}\u{df}e\nlimit = 30\n",
            "# Gr\u{c3}\u{bc}\u{c3}\u{9f}e\nlimit = 30\n",
        ),
        ("# Gr\u{fc}\u{df}e\nlimit = 30\n", "# Gre\nlimit = 30\n"),
    ] {
        let (dir, mut editor, session) = editor(before.as_bytes());
        editor.saves = Some(|text| text.as_bytes().to_vec());
        editor.buffers.insert(real(&dir), buffer.to_owned());
        editor.prompt(&session, &patch("limit = 30", "limit = 60"));
        assert!(
            editor.said().contains("not saved; nothing was written"),
            "{}",
            editor.said()
        );
        assert_eq!(on_disk(&dir), before.as_bytes());
        assert!(editor.given.is_empty(), "{:?}", editor.given);
    }
}

/// Some editors notice only when they are looked at that a file has changed on disk.
#[test]
fn an_editor_that_has_not_noticed_an_edit_does_not_take_it_back() {
    let (dir, mut editor, session) = editor(b"limit = 30\nsize = 1\n");
    editor.saves = Some(|text| text.as_bytes().to_vec());
    editor
        .buffers
        .insert(real(&dir), "limit = 30\nsize = 1\n".to_owned());
    editor.prompt(&session, &patch("limit = 30", "limit = 60"));
    assert_eq!(
        on_disk(&dir),
        b"limit = 60\nsize = 1\n",
        "{}",
        editor.said()
    );
    editor.prompt(&session, &patch("size = 1", "size = 2"));
    assert!(
        editor.said().contains("as it was before the last edit"),
        "{}",
        editor.said()
    );
    assert!(
        editor.said().contains("reload it there"),
        "{}",
        editor.said()
    );
    assert_eq!(on_disk(&dir), b"limit = 60\nsize = 1\n");
    editor.buffers.clear();
    editor.prompt(&session, &patch("size = 1", "size = 2"));
    assert_eq!(
        on_disk(&dir),
        b"limit = 60\nsize = 2\n",
        "{}",
        editor.said()
    );
}

#[test]
fn a_message_that_is_not_utf_8_costs_that_message_only() {
    let (dir, mut editor, session) = editor(b"limit = 30\n");
    let words = json!([{"type": "text", "text": "Gr@e"}]);
    let prompt = |id: &str| {
        let line = format!(
            r#"{{"jsonrpc":"2.0",{id}"method":"session/prompt","params":{{"sessionId":"{session}","prompt":{words}}}}}"#
        );
        exchanged(line.as_bytes(), "@", "\u{e9}")
            .into_iter()
            .filter(|b| *b != 0xc3)
            .collect()
    };
    let lines: [(Vec<u8>, _); 3] = [
        (prompt(r#""id":"mine","#), json!("mine")),
        (prompt(""), json!(null)),
        (b"no \xff message".to_vec(), json!(null)),
    ];
    for (line, id) in lines {
        assert!(std::str::from_utf8(&line).is_err());
        editor.agent.send_line(&line);
        let answer = editor
            .agent
            .wait_for(|message| message.get("error").is_some());
        assert_eq!(
            (&answer["id"], &answer["error"]["code"]),
            (&id, &json!(-32700)),
            "{answer:#}"
        );
    }
    // An answer of the editor is none: what is on disk counts.
    let id = editor.begin(&session, &patch("limit = 30", "limit = 60"));
    let asked = editor.agent.wait_for_method("fs/read_text_file");
    let line = format!(
        r#"{{"jsonrpc":"2.0","id":{},"result":{{"content":"@"}}}}"#,
        asked["id"]
    );
    editor.agent.send_line(
        &line
            .bytes()
            .map(|b| if b == b'@' { 0xfc } else { b })
            .collect::<Vec<_>>(),
    );
    assert_eq!(editor.finish(id), "end_turn");
    assert_eq!(on_disk(&dir), b"limit = 60\n", "{}", editor.said());
}
