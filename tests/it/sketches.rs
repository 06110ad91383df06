//! `slotwright apply --model`: sketches whose places a model says.

use crate::support::script::{Script, answer, cut_off};
use crate::support::{PROGRAM, Run, folder};
use slotwright::constrain::{SlotSpec, Spec};
use slotwright::engine::{End, Request};
use slotwright::slots::Slot;
use std::fs;
use std::path::Path;
use std::process::Command;
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
    command.arg("apply").arg("--root").arg(root).args(arguments).arg("--model");
    command.arg(script.model()).arg(root.join("answer.md"));
    script.run(&mut command)
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
        r#"{"anchor":"    open(path, \"w\").write(text)","position":"after"}"#,
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
        "write(text)\n\ndef append(path, text):\n    open(path, \"a\").write(text)\n",
    );
    assert_eq!(text(&dir), wanted);
}

#[test]
fn a_model_says_which_lines_are_replaced() {
    let dir = project(
        "a.py\n```python\n# ... existing code ...\ndef read(path):\n    with open(path) as file:\n        \
         return file.read()\n# ... existing code ...\ndef main():\n    print(read(sys.argv[1]))\n```\n",
    );
    let script = Script::of(&[
        &pick("replace"),
        r#"{"old":"def load(path):\n    return open(path).read()"}"#,
    ]);
    apply(&script, dir.path(), &["--yes", "--accept", "placed"])
        .says(0, "it replaces lines 4-5 (100 % certain)");
    let [_, asked] = &script.requests()[..] else { panic!("two questions") };
    assert!(!offered(asked).contains("def main"), "the next part begins there: {}", offered(asked));
    assert_eq!(
        text(&dir),
        FILE.replace(
            "def load(path):\n    return open(path).read()",
            "def read(path):\n    with \
                      open(path) as file:\n        return file.read()"
        )
        .replace("print(load", "print(read")
    );
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
        answer(r#"{"anchor":"def save(path, text):","position":"before"}"#).sure(Slot::Anchor, 0.4),
        answer(&pick("insert")),
        answer(r#"{"anchor":"def main():","position":"before"}"#),
    ]);
    apply(&script, dir.path(), &["--yes", "--accept", "placed"])
        .says(0, "it goes before line 8 (40 % certain)");
    let [_, first, _, second] = &script.requests()[..] else { panic!("four questions") };
    assert!(offered(first).contains("def load") && offered(first).contains("def main"));
    assert!(!offered(second).contains("def load"), "parts are in the order of the file");
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
        vec![answer(&pick("insert")), answer(r#"{"anchor":"def main():","position":"before"}"#)]
            .into_iter()
            .take(1)
            .chain([cut_off(r#"{"anchor":"def"#, End::Budget)])
            .collect(),
    ] {
        let dir = project(NEW_FUNCTION);
        apply(&Script::new(turns), dir.path(), &["--yes", "--accept", "placed"])
            .says(1, "which the file does not have there");
        assert_eq!(text(&dir), FILE);
    }
    // Without --model no model is asked, and the message says that one can be.
    let dir = project(NEW_FUNCTION);
    let mut command = Command::new(PROGRAM);
    command.args(["apply", "--yes", "--root"]).arg(dir.path()).arg(dir.path().join("answer.md"));
    Run::from(crate::support::quiet(&mut command).output().unwrap())
        .says(1, "--model asks a model where its parts go");
}

#[test]
fn line_endings_and_the_end_of_the_file_stay() {
    let crlf = FILE.trim_end().replace('\n', "\r\n");
    let dir = folder(&[("a.py", crlf.as_bytes()), ("answer.md", NEW_FUNCTION.as_bytes())]);
    let script = Script::of(&[&pick("insert"), r#"{"anchor":"def main():","position":"before"}"#]);
    apply(&script, dir.path(), &["--yes", "--accept", "placed"]).says(0, "wrote a.py");
    let wanted = crlf.replace(
        "def main",
        "def append(path, text):\r\n    open(path, \"a\").write(text)\r\n\r\ndef main",
    );
    assert_eq!(text(&dir), wanted);
}
