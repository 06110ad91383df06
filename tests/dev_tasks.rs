//! Forty of the development tasks of the bundled model's recipe (`models/recipe/dev`), through the real program.
//!
//! The whole evaluation is `models/recipe/evaluate.py`. Here it is only noticed when the model, the prompt, the
//! constraint or the search gets worse.

mod support;

use slotwright::eval::judge::write_tree;
use slotwright::eval::suite::{self, EvalTask, Tree};
use std::path::Path;
use support::edit;

/// What the bundled model must at least do of the forty. It does six; one may be a near tie.
const LEAST_RIGHT: usize = 5;

/// Whether the folder is afterwards as wanted.
fn is_right(task: &EvalTask) -> bool {
    let dir = tempfile::tempdir().unwrap();
    write_tree(dir.path(), &task.before).unwrap();
    let run = edit(
        dir.path(),
        &["--yes", "--json", "--min-certainty", "0", "--accept", "merge", "--accept", "unseen", &task.wordings[0]],
    );
    if task.declines {
        let report: serde_json::Value = serde_json::from_str(&run.stdout).unwrap_or_default();
        return report["status"] == "already_done"
            || ["declined", "unsure"].contains(&report["error"]["kind"].as_str().unwrap_or(""));
    }
    task.accepted.contains(&files(dir.path(), dir.path()))
}

/// What is in a folder.
fn files(root: &Path, folder: &Path) -> Tree {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    entries
        .flat_map(|path| {
            if path.is_dir() {
                return files(root, &path);
            }
            let name = path.strip_prefix(root).unwrap().to_str().unwrap().to_owned();
            Tree::from([(name, std::fs::read(&path).unwrap())])
        })
        .collect()
}

#[test]
fn forty_development_tasks() {
    let suites = suite::read(concat!(env!("CARGO_MANIFEST_DIR"), "/models/recipe/dev")).unwrap();
    assert_eq!(suites.broken, []);
    let tasks = suites.tasks;
    assert!(tasks.len() >= 240);
    let mut n_right = 0;
    // Evenly over all.
    for task in (0..40).map(|i| &tasks[i * tasks.len() / 40]) {
        let right = is_right(task);
        n_right += usize::from(right);
        println!("{} {}", if right { "right" } else { "     " }, task.name);
    }
    println!("{n_right} of 40");
    assert!(n_right >= LEAST_RIGHT, "{n_right} of 40 are right; {LEAST_RIGHT} should be");
}
