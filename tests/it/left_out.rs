//! Code that an answer leaves out, with a comment in its place: `apply` writes it only if somebody
//! says so, in every format and whatever language the comment is in.

use crate::support::{PROGRAM, Run, folder, quiet};
use serde_json::json;
use std::fs;
use std::path::Path;
use std::process::Command;

const FILE: &str = "\
import os


def load(path):
    return open(path).read()


def save(path, text):
    with open(path, \"w\") as file:
        file.write(text)


def remove(path):
    os.remove(path)
";

/// The text from the second function on.
const TAIL: &str = "\
def save(path, text):
    with open(path, \"w\") as file:
        file.write(text)


def remove(path):
    os.remove(path)
";

#[track_caller]
fn apply(root: &Path, arguments: &[&str]) -> Run {
    let mut command = Command::new(PROGRAM);
    command
        .args(["apply", "--root"])
        .arg(root)
        .args(arguments)
        .arg(root.join("answer"));
    Run::from(quiet(&mut command).output().unwrap())
}

/// The same edit in several formats: a comment for the last two functions.
fn answers(comment: &str) -> [String; 5] {
    let whole = FILE.replace(TAIL, &format!("{comment}\n"));
    let lines = |text: &str, mark: &str| -> String {
        text.lines().map(|line| format!("{mark}{line}\n")).collect()
    };
    let removed = lines(TAIL, "-");
    let (n_old, n_new) = (1 + TAIL.lines().count(), 1 + comment.lines().count());
    [
        format!("files.py\n```python\n{whole}```\n"),
        json!({"path": "files.py", "old_string": TAIL, "new_string": comment}).to_string(),
        format!("files.py\n```\n<<<<<<< SEARCH\n{TAIL}=======\n{comment}\n>>>>>>> REPLACE\n```\n"),
        format!(
            "--- a/files.py\n+++ b/files.py\n@@ -7,{n_old} +7,{n_new} @@\n \n{removed}{}",
            lines(comment, "+")
        ),
        format!(
            "*** Begin Patch\n*** Update File: files.py\n@@\n{removed}{}*** End Patch\n",
            lines(comment, "+")
        ),
    ]
}

#[test]
fn a_comment_in_the_place_of_code_is_not_written_unseen() {
    for comment in [
        "# The rest of the code will remain the same",
        "# 其余函数保持不变",
        "# Остальные функции без изменений\n",
        "# save und remove bleiben, wie sie sind",
    ] {
        for answer in answers(comment) {
            let dir = folder(&[("files.py", FILE.as_bytes()), ("answer", answer.as_bytes())]);
            let says = format!("leaves code out where it says `{}`", comment.trim());
            let run = apply(dir.path(), &["--yes"])
                .says(1, &says)
                .says(1, "with save, remove");
            assert!(run.stderr.contains("--accept elided writes it"), "{run:?}");
            assert_eq!(
                fs::read_to_string(dir.path().join("files.py")).unwrap(),
                FILE
            );
            apply(dir.path(), &["--yes", "--accept", "elided"]).says(0, "wrote files.py");
        }
    }
}

#[test]
fn a_mark_is_completed_or_refused_in_any_language() {
    for comment in [
        "# ... (остальной код)",
        "# ……其余代码……",
        "# ... reste inchangé ...",
    ] {
        for (n, answer) in answers(comment).into_iter().enumerate() {
            let changed = answer.replace("load(path)", "load(path, how)");
            let dir = folder(&[
                ("files.py", FILE.as_bytes()),
                ("answer", changed.as_bytes()),
            ]);
            let text = || fs::read_to_string(dir.path().join("files.py")).unwrap();
            if n == 0 {
                // A whole file has all that the mark stands for.
                apply(dir.path(), &["--yes"]).says(0, "wrote files.py");
                assert_eq!(text(), FILE.replace("load(path)", "load(path, how)"));
            } else {
                apply(dir.path(), &["--yes"]).says(1, "in place of code");
                assert_eq!(text(), FILE);
            }
        }
    }
}

#[test]
fn code_that_moves_to_another_file_is_not_left_out() {
    let whole = FILE.replace(TAIL, "# The others are in other.py.\n");
    let answer = format!(
        "files.py\n```python\n{whole}```\n\nother.py\n```python\nimport os\n\n\n{TAIL}```\n"
    );
    let dir = folder(&[("files.py", FILE.as_bytes()), ("answer", answer.as_bytes())]);
    apply(dir.path(), &["--yes"]).says(0, "made other.py");
}
