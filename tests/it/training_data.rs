//! The hand-written edits that an adapter is trained with are well formed, and the program makes
//! nearly all of them.

use slotwright::eval::suite;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// Edits in `models/training/scenarios` and `models/training/projects`.
const N_SCENARIOS: usize = 22_000;
const N_PROJECTS: usize = 23_000;

fn training() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("models/training")
}

/// Runs one of the Python programs there; none, with a message, where there is no Python that can.
fn python(program: &str, arguments: &[String]) -> Option<Output> {
    // 3.11 has `tomllib`.
    let version = "import sys; sys.exit(sys.version_info < (3, 11))";
    let is_there = Command::new("python3").args(["-c", version]).output();
    if !is_there.is_ok_and(|run| run.status.success()) {
        println!("skipped: no python3 of version 3.11 or later here");
        return None;
    }
    let mut command = Command::new("python3");
    // Nothing is written beside the sources.
    command
        .arg("-B")
        .arg(program)
        .args(arguments)
        .current_dir(training());
    Some(command.output().expect("python3 runs"))
}

/// Checks all files of a folder with a program; returns how many edits they hold.
fn n_edits(program: &str, folder: &str) -> Option<usize> {
    let entries = std::fs::read_dir(training().join(folder)).unwrap();
    let mut files: Vec<String> = entries
        .map(|entry| format!("{folder}/{}", entry.unwrap().file_name().to_str().unwrap()))
        .collect();
    files.sort();
    let run = python(program, &files)?;
    let said = String::from_utf8_lossy(&run.stdout).into_owned();
    let last = said.lines().last().unwrap_or_default().to_owned();
    assert!(
        run.status.success(),
        "{said}{}",
        String::from_utf8_lossy(&run.stderr)
    );
    println!("{folder}: {last}");
    last.split(' ').next().and_then(|count| count.parse().ok())
}

#[test]
fn scenarios_are_well_formed() {
    if let Some(n) = n_edits("scenarios.py", "scenarios") {
        assert!(n >= N_SCENARIOS, "{n} edits");
    }
}

#[test]
fn projects_are_well_formed() {
    if let Some(n) = n_edits("projects.py", "projects") {
        assert!(n >= N_PROJECTS, "{n} edits");
    }
}

#[test]
fn development_tasks_are_well_formed() {
    let suites = suite::read(training().join("dev").to_str().unwrap()).unwrap();
    assert_eq!(suites.broken, []);
    assert_eq!(suites.tasks.len(), 255);
    assert!(suites.tasks.iter().all(|task| task.wordings.len() == 3));
    assert_eq!(suites.tasks.iter().filter(|task| task.declines).count(), 25);
    let several = suite::read(training().join("several").to_str().unwrap()).unwrap();
    assert_eq!(
        (several.tasks.len(), several.broken.len()),
        (40, 0),
        "{:?}",
        several.broken
    );
    assert!(several.tasks.iter().all(|task| task.wordings.len() == 3));
}

/// From the hand-written edits to lessons: the program's own flow makes at least 99 of 100.
#[test]
fn tasks_become_lessons() {
    // `cargo test` builds it, but not `cargo test --test it`.
    let folder = std::env::current_exe().unwrap();
    let render = folder
        .ancestors()
        .nth(2)
        .unwrap()
        .join("examples/render_tasks");
    if !render.exists() {
        println!("skipped: {} is not built", render.display());
        return;
    }
    let arguments = ["--groups", "120", "--seed", "1"].map(str::to_owned);
    let Some(tasks) = python("tasks.py", &arguments) else {
        return;
    };
    assert!(
        tasks.status.success(),
        "{}",
        String::from_utf8_lossy(&tasks.stderr)
    );
    let mut group_files = tempfile::tempfile().unwrap();
    std::io::Write::write_all(&mut group_files, &tasks.stdout).unwrap();
    std::io::Seek::rewind(&mut group_files).unwrap();
    // Any vocabulary will do.
    let model = Path::new(env!("CARGO_MANIFEST_DIR")).join("models/bundled.gguf");
    let run = Command::new(render)
        .arg(model)
        .stdin(Stdio::from(group_files))
        .output()
        .expect("the example runs");
    let said = String::from_utf8_lossy(&run.stderr).into_owned();
    assert!(run.status.success(), "{said}");
    println!("{said}");
    let n_left_out: usize = said
        .lines()
        .skip(1)
        .filter_map(|line| line.trim().split(' ').next()?.parse::<usize>().ok())
        .sum();
    let groups = tasks
        .stdout
        .split(|&byte| byte == b'\n')
        .filter(|line| !line.is_empty());
    let n_tasks: usize = groups
        .map(|line| serde_json::from_slice::<serde_json::Value>(line).unwrap())
        .map(|group| group["tasks"].as_array().unwrap().len())
        .sum();
    assert!(n_tasks > 300, "{n_tasks} tasks");
    assert!(
        n_left_out * 100 <= n_tasks,
        "{n_left_out} of {n_tasks} left out"
    );
    let lessons = String::from_utf8(run.stdout).unwrap();
    let mut operations = BTreeMap::<String, usize>::new();
    for lesson in lessons.lines() {
        let lesson: serde_json::Value = serde_json::from_str(lesson).unwrap();
        assert!(
            lesson["prompt"]
                .as_array()
                .is_some_and(|tokens| tokens.len() > 20),
            "{lesson}"
        );
        assert!(
            lesson["answer"]
                .as_array()
                .is_some_and(|tokens| !tokens.is_empty()),
            "{lesson}"
        );
        *operations
            .entry(lesson["operation"].as_str().unwrap().to_owned())
            .or_default() += 1;
    }
    println!("{operations:?}");
    let n: usize = operations.values().sum();
    for (operation, percent) in [
        ("replace", 40),
        ("insert", 10),
        ("replace_all", 8),
        ("none", 5),
    ] {
        let count = operations.get(operation).copied().unwrap_or_default();
        assert!(100 * count >= percent * n, "{count} of {n} are {operation}");
    }
    // Rows of training teach the same tokens.
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("lessons.jsonl");
    std::fs::write(&file, lessons).unwrap();
    let packed = python("adapter/lessons.py", &[file.to_str().unwrap().to_owned()]).unwrap();
    assert!(
        packed.status.success(),
        "{}",
        String::from_utf8_lossy(&packed.stderr)
    );
    println!("{}", String::from_utf8_lossy(&packed.stdout));
}

/// Groups that share text with the tasks that models are measured with are left out of training.
#[test]
fn lessons_share_nothing_with_what_is_measured() {
    let check = "import sys; sys.path.insert(0, 'adapter'); import data\n\
                 measured = data.Measured()\n\
                 tasks = sorted(data.MEASURED[0].rglob('task.toml'))\n\
                 said = lambda t: data.tomllib.loads(t.read_text())['sentence']\n\
                 task = max(tasks, key=lambda task: len(said(task)))\n\
                 sentence = said(task)\n\
                 other = 'name the seventh violet umbrella after its maker'\n\
                 of = lambda said: {'files': {}, 'tasks': [{'task': said, 'after': None}]}\n\
                 assert measured.shared_with(of(sentence.upper() + '!')), sentence\n\
                 assert not measured.shared_with(of(other))\n\
                 text = max((f.read_text() for f in task.parent.rglob('*') \
                 if f.is_file() and f != task), key=len)\n\
                 assert measured.shared_with({'files': {'x': 'a\\n' + text}, 'tasks': []})\n\
                 print(len(measured.sentences), len(measured.passages))";
    let Some(run) = python("-c", &[check.to_owned()]) else {
        return;
    };
    assert!(
        run.status.success(),
        "{}",
        String::from_utf8_lossy(&run.stderr)
    );
}
