//! The published tasks, asked through the real program.

use super::published::{Task, tasks};
use super::{edit, folder};

/// How many tasks of a kind come out right in a language: of five wordings in Swift, of one in
/// Python. `arguments` name the model.
pub fn n_right(kind: &str, file: &str, arguments: &[&str]) -> usize {
    let tasks = tasks();
    let those = tasks
        .iter()
        .filter(|task| task.kind == kind && task.file == file);
    let n_right = those.filter(|task| is_right(task, arguments)).count();
    println!("{kind} in {file}: {n_right} right");
    n_right
}

/// Whether the file is as wanted, without any warning taken for a no.
fn is_right(task: &Task, arguments: &[&str]) -> bool {
    let dir = folder(&[(task.file, task.before.as_bytes())]);
    let always = ["--yes", "--min-certainty", "0", "--json", task.sentence];
    let run = edit(dir.path(), &[arguments, &always].concat());
    let report: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
    let after = std::fs::read_to_string(dir.path().join(task.file)).unwrap();
    let is_right = after == task.wanted;
    let answers: Vec<&str> = report["stats"]["stages"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|s| s["answer"].as_str())
        .collect();
    println!(
        "{} {} {}",
        if is_right { "right" } else { "     " },
        task.sentence,
        answers.last().unwrap_or(&"")
    );
    is_right
}
