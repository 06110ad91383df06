//! Forty of the development tasks of the bundled model's recipe (`models/recipe/dev`), through the real program.
//!
//! The whole evaluation is `models/recipe/evaluate.py`. Here it is only noticed when the model, the prompt, the
//! constraint or the search gets worse.

mod support;

use std::path::Path;
use support::dev_tasks::{DevTask, read_all, tree};
use support::{edit, folder};

/// What the bundled model must at least do of the forty. It does five; one may be a near tie.
const LEAST_RIGHT: usize = 4;

/// Whether the folder is afterwards as wanted.
fn is_right(task: &DevTask) -> bool {
    let files: Vec<(String, &[u8])> =
        task.before.iter().map(|(path, bytes)| (path.display().to_string(), bytes.as_slice())).collect();
    let dir = folder(&files.iter().map(|(path, bytes)| (path.as_str(), *bytes)).collect::<Vec<_>>());
    let run = edit(
        dir.path(),
        &["--yes", "--json", "--max-masked-mass", "1", "--accept", "merge", "--accept", "unseen", &task.sentence],
    );
    if task.declines {
        let report: serde_json::Value = serde_json::from_str(&run.stdout).unwrap_or_default();
        return report["status"] == "already_done"
            || ["declined", "unsure"].contains(&report["error"]["kind"].as_str().unwrap_or(""));
    }
    task.wanted.contains(&tree(dir.path()).unwrap())
}

#[test]
fn forty_development_tasks() {
    let tasks = read_all(&Path::new(env!("CARGO_MANIFEST_DIR")).join("models/recipe/dev")).unwrap();
    assert!(tasks.len() >= 240);
    let mut n_right = 0;
    // Evenly over all.
    for task in (0..40).map(|i| &tasks[i * tasks.len() / 40]) {
        let right = is_right(task);
        n_right += usize::from(right);
        println!("{} {}", if right { "right" } else { "     " }, task.folder.file_name().unwrap().to_string_lossy());
    }
    println!("{n_right} of 40");
    assert!(n_right >= LEAST_RIGHT, "{n_right} of 40 are right; {LEAST_RIGHT} should be");
}
