//! `slotwright apply` with sketches whose places the lines beside the markers do not tell: likeness
//! does, or a model (`--model`).

use crate::support::script::{Script, Turn, answer, cut_off};
use crate::support::{PROGRAM, Run, folder, quiet};
use serde_json::json;
use slotwright::constrain::{SlotSpec, Spec};
use slotwright::engine::{End, Request};
use slotwright::slots::Slot;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Duration;
use tempfile::TempDir;

const FILE: &str = "\
import sys


def load(path):
    return open(path).read()


def save(path, text):
    open(path, \"w\").write(text)


def main():
    print(load(sys.argv[1]))
";

/// A function that the file does not have, between parts that are left out.
const NEW_FUNCTION: &str = "\
a.py
```python
# ... existing code ...


def append(path, text):
    open(path, \"a\").write(text)


# ... existing code ...
```
";

fn project(patch: &str) -> TempDir {
    folder(&[("a.py", FILE.as_bytes()), ("answer.md", patch.as_bytes())])
}

#[track_caller]
fn apply(script: &Script, root: &Path, arguments: &[&str]) -> Run {
    let mut command = Command::new(PROGRAM);
    command
        .arg("apply")
        .arg("--root")
        .arg(root)
        .args(arguments)
        .arg("--model");
    command.arg(script.model()).arg(root.join("answer.md"));
    script.run(&mut command)
}

/// The same without a model.
fn apply_alone(root: &Path, arguments: &[&str]) -> Run {
    let mut command = Command::new(PROGRAM);
    command
        .args(["apply", "--root"])
        .arg(root)
        .args(arguments)
        .arg(root.join("answer.md"));
    Run::from(quiet(&mut command).output().unwrap())
}

fn pick(operation: &str) -> String {
    format!(r#"{{"path":"a.py","operation":"{operation}"}}"#)
}

fn text(dir: &TempDir) -> String {
    fs::read_to_string(dir.path().join("a.py")).unwrap()
}

/// What may be named as the place of a piece.
fn offered(request: &Request) -> String {
    match &request.spec {
        Spec::Slots(SlotSpec::Where { shown, .. }) => shown.prompt_text(),
        spec => panic!("it asks for {spec:?}"),
    }
}

#[test]
fn a_model_says_where_new_lines_go() {
    let dir = project(NEW_FUNCTION);
    let script = Script::of(&[
        &pick("insert"),
        r#"{"position":"after","anchor":"    open(path, \"w\").write(text)"}"#,
    ]);
    apply(&script, dir.path(), &["--yes"]).says(
        1,
        "a.py: a model chose the place of \"def append(path, text):\": it goes before line 10",
    );
    assert_eq!(text(&dir), FILE, "--yes alone does not believe it");
    let run = apply(&script, dir.path(), &["--yes", "--accept", "placed"]).says(0, "wrote a.py");
    assert!(run.stdout.contains("+def append(path, text):"), "{run:?}");
    let wanted = FILE.replace(
        "write(text)\n",
        "write(text)\n\n\ndef append(path, text):\n    open(path, \"a\").write(text)\n",
    );
    assert_eq!(text(&dir), wanted);
}

#[test]
fn a_model_says_which_of_the_lines_that_are_alike_are_replaced() {
    let marker = "# ... existing code ...\n";
    let read = "def read(path):\n    return open(path).read()\n";
    let dir = project(&format!("a.py\n```python\n{marker}{read}{marker}```\n"));
    // One place has lines like these: whether they are a version of them is all that is asked.
    let script = Script::of(&[&pick("replace")]);
    apply(&script, dir.path(), &["--yes", "--accept", "placed"])
        .says(0, "it replaces lines 4-5, and load is gone (100 % certain)");
    assert_eq!(text(&dir), FILE.replace("load(path)", "read(path)"));

    let two = "def load_text(path):\n    one(path)\n\n\ndef save_text(path):\n    two(path)\n";
    let moved = "def move_text(path):\n";
    let sketch = format!("a.py\n```python\n{marker}{moved}{marker}```\n");
    let dir = folder(&[("a.py", two.as_bytes()), ("answer.md", sketch.as_bytes())]);
    let script = Script::of(&[&pick("replace"), r#"{"old":"def save_text"}"#]);
    apply(&script, dir.path(), &["--yes", "--accept", "placed"])
        .says(0, "it replaces line 5, and save_text is gone (");
    let asked = offered(&script.requests()[1]);
    assert!(
        asked.contains("def load_text") && !asked.contains("one"),
        "{asked}"
    );
    assert_eq!(text(&dir), two.replace("save", "move"));
}

/// Both ends of the new part stand twice, but only one place has such lines between them.
#[test]
fn lines_that_stand_several_times_tell_the_place_together() {
    let blocks = "[a]\nname = 1\ncolour = 2\n\n[end]\nname = 1\nsize = 3\n\n[end]\n";
    let sketch = "# ... existing code ...\nname = 1\nsize = 30\n\n[end]\n# ... existing code ...\n";
    let wanted = blocks.replace("size = 3", "size = 30");
    let dir = folder(&[
        ("a.toml", blocks.as_bytes()),
        (
            "answer.md",
            format!("a.toml\n```toml\n{sketch}```\n").as_bytes(),
        ),
    ]);
    let text = || fs::read_to_string(dir.path().join("a.toml")).unwrap();
    let said = "a.toml: \"name = 1\" goes where the file has lines like it: it replaces lines 6-9";
    apply_alone(dir.path(), &["--yes"]).says(1, said);
    assert_eq!(text(), blocks, "--yes alone does not believe it");
    let run = apply_alone(dir.path(), &["--yes", "--json", "--accept", "placed"]).says(0, "");
    let report: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(report["warnings"][0]["kind"], "placed");
    assert_eq!(
        report["edits"][0]["placed"][0]["lines"],
        json!({"first": 6, "last": 9})
    );
    assert_eq!(text(), wanted);
    // With a model it is the same: there is nothing to ask it.
    fs::write(dir.path().join("a.toml"), blocks).unwrap();
    apply(&Script::of(&[]), dir.path(), &["--yes"]).says(1, said);
}

#[test]
fn what_a_sketch_removes_is_refused_by_yes() {
    // The marker at the end was forgotten.
    let patch = "a.py\n```python\n# ... existing code ...\ndef load(path):\n    return 1\n```\n";
    let dir = project(patch);
    let run = apply_alone(dir.path(), &["--yes"]);
    run.says(
        1,
        "a.py: lines 5-13 are removed: the sketch has no marker where they are",
    );
    assert_eq!(text(&dir), FILE);
    apply_alone(dir.path(), &["--yes", "--accept", "shrinks"]).says(0, "wrote a.py");
    assert_eq!(
        text(&dir),
        "import sys\n\n\ndef load(path):\n    return 1\n"
    );
}

#[test]
fn a_sketch_that_is_applied_again_changes_nothing() {
    let blocks =
        "first {\n    a\n}\nsecond_block {\n    return one_thing(b)\n}\nthird {\n    c\n}\n";
    let sketch = "// ... existing code ...\n}\nsecond_block {\n    return one_thing(b2)\n}\n// ... existing code ...\n";
    let dir = folder(&[
        ("a.txt", blocks.as_bytes()),
        ("answer.md", format!("a.txt\n```\n{sketch}```\n").as_bytes()),
    ]);
    apply_alone(dir.path(), &["--yes", "--accept", "placed"]).says(0, "it replaces lines 3-6");
    let run = apply_alone(dir.path(), &["--yes"]).says(0, "nothing to do");
    assert!(!run.stderr.contains("warning"), "{run:?}");
}

#[test]
fn each_part_is_asked_about_once() {
    let piece = |name: &str| format!("def {name}():\n    pass\n");
    let marker = "# ... existing code ...\n";
    let dir = project(&format!(
        "a.py\n```python\n{marker}{}{marker}{}{marker}```\n",
        piece("one"),
        piece("two")
    ));
    let script = Script::new(vec![
        answer(&pick("insert")),
        answer(r#"{"position":"before","anchor":"def save(path, text):"}"#).sure(Slot::Anchor, 0.4),
        answer(&pick("insert")),
        answer(r#"{"position":"before","anchor":"def main():"}"#),
    ]);
    apply(&script, dir.path(), &["--yes", "--accept", "placed"])
        .says(0, "it goes before line 8 (40 % certain)");
    let [_, first, _, second] = &script.requests()[..] else {
        panic!("four questions")
    };
    assert!(offered(first).contains("def load") && offered(first).contains("def main"));
    assert!(
        !offered(second).contains("def load"),
        "parts are in the order of the file"
    );
    let wanted = FILE
        .replace("def save", "def one():\n    pass\ndef save")
        .replace("def main", "def two():\n    pass\ndef main");
    assert_eq!(text(&dir), wanted);
}

#[test]
fn without_a_need_or_an_answer_nothing_changes() {
    // The rules place it: the model is not even loaded.
    let dir = project("a.py\n```python\n# ... existing code ...\ndef main():\n    print(1)\n```\n");
    let run = apply(&Script::of(&[]), dir.path(), &["--yes"]).says(0, "wrote a.py");
    assert!(!run.stderr.contains("a model chose"), "{run:?}");
    for turns in [
        vec![answer(r#"{"operation":"none","reason":"unclear"}"#)],
        vec![
            answer(&pick("insert")),
            cut_off(r#"{"position":"before","anchor":"def"#, End::Budget),
        ],
    ] {
        let dir = project(NEW_FUNCTION);
        apply(
            &Script::new(turns),
            dir.path(),
            &["--yes", "--accept", "placed"],
        )
        .says(
            1,
            "a.py: the model does not say where \"def append(path, text):\" goes: it",
        );
        assert_eq!(text(&dir), FILE);
    }
    let run = apply_alone(project(NEW_FUNCTION).path(), &["--yes", "--threads", "2"]);
    run.says(
        2,
        "--threads, --adapter, --device, --skip-memory-check and -v are for --model",
    );
    // Without --model no model is asked, and the message says that one can be.
    apply_alone(project(NEW_FUNCTION).path(), &["--yes"])
        .says(1, "--model asks a model where its parts go");
}

#[test]
fn line_endings_and_the_end_of_the_file_stay() {
    let crlf = FILE.trim_end().replace('\n', "\r\n");
    let dir = folder(&[
        ("a.py", crlf.as_bytes()),
        ("answer.md", NEW_FUNCTION.as_bytes()),
    ]);
    let script = Script::of(&[
        &pick("insert"),
        r#"{"position":"before","anchor":"def main():"}"#,
    ]);
    apply(&script, dir.path(), &["--yes", "--accept", "placed"]).says(0, "wrote a.py");
    let wanted = crlf.replace(
        "def main",
        "def append(path, text):\r\n    open(path, \"a\").write(text)\r\n\r\n\r\ndef main",
    );
    assert_eq!(text(&dir), wanted);
}

#[test]
fn nothing_is_lost_where_the_first_or_the_last_part_has_no_place() {
    // No marker ends this draft, and the new function is not the end of the file.
    let append = "def append(path, text):\n    pass\n";
    let dir = project(&format!(
        "a.py\n```python\n# ... existing code ...\n\n\n{append}```\n"
    ));
    let script = Script::of(&[
        &pick("insert"),
        r#"{"position":"before","anchor":"def main():"}"#,
    ]);
    apply(&script, dir.path(), &["--yes", "--accept", "placed"]).says(0, "it goes before line 12");
    assert_eq!(
        text(&dir),
        FILE.replace("def main", &format!("{append}def main"))
    );

    // And none begins this one.
    let dir = project("a.py\n```python\nimport os\nimport json\n# ... existing code ...\n```\n");
    let script = Script::of(&[
        &pick("insert"),
        r#"{"position":"after","anchor":"import sys"}"#,
    ]);
    apply(&script, dir.path(), &["--yes", "--accept", "placed"]).says(0, "it goes before line 2");
    assert_eq!(
        text(&dir),
        FILE.replace("import sys\n", "import sys\nimport os\nimport json\n")
    );
}

#[test]
fn where_a_part_begins_is_not_asked_if_the_file_says_it() {
    let dir = project(
        "a.py\n```python\n# ... existing code ...\ndef save(path, text):\n    path = full(path)\n    \
         open(path, \"w\").write(text.strip())\n# ... existing code ...\ndef main():\n    \
         print(1)\n```\n",
    );
    apply(&Script::of(&[]), dir.path(), &["--yes", "--accept", "placed"]).says(
        0,
        "a.py: \"def save(path, text):\" goes where the file has lines like it: it replaces lines 8-9",
    );
    let saved = "    path = full(path)\n    open(path, \"w\").write(text.strip())";
    let wanted = FILE
        .replace("    open(path, \"w\").write(text)", saved)
        .replace("print(load(sys.argv[1]))", "print(1)");
    assert_eq!(text(&dir), wanted);
}

#[test]
fn other_edits_of_the_patch_are_made_with_partial() {
    let others = "a.txt\n```\nnew\n```\n";
    let dir = project(&format!("{NEW_FUNCTION}\n{others}"));
    let script = Script::of(&[r#"{"operation":"none","reason":"unclear"}"#]);
    apply(&script, dir.path(), &["--yes", "--partial"]).says(5, "made a.txt");
    assert_eq!(text(&dir), FILE);
}

/// The refusal of a text that may be only a part of the file is no question of places.
#[test]
fn what_is_refused_for_another_reason_stays_refused() {
    let dir = project(
        "In `a.py`:\n\n```python\nimport sys\n\n\ndef load(path):\n    ...\n\n\ndef main():\n    \
         print(1)\n```\n",
    );
    let run = apply(
        &Script::of(&[]),
        dir.path(),
        &["--yes", "--accept", "placed"],
    );
    run.says(1, "may be only a part of it");
    assert_eq!(text(&dir), FILE);
}

#[test]
fn a_file_that_somebody_changes_meanwhile_is_not_overwritten() {
    let dir = project(NEW_FUNCTION);
    let script = Script::new(vec![
        answer(&pick("insert")),
        Turn::Wait(3_000),
        answer(r#"{"position":"before","anchor":"def main():"}"#),
    ]);
    let theirs = FILE.replace("import sys", "import sys, os");
    std::thread::scope(|scope| {
        let run = scope.spawn(|| apply(&script, dir.path(), &["--yes", "--accept", "placed"]));
        // After the first question, and long before the second answer.
        let asked = script.model().with_extension("requests");
        while !asked.exists() {
            std::thread::sleep(Duration::from_millis(20));
        }
        std::thread::sleep(Duration::from_millis(500));
        fs::write(dir.path().join("a.py"), &theirs).unwrap();
        run.join().unwrap().says(1, "a.py was changed meanwhile");
    });
    assert_eq!(text(&dir), theirs);
}
