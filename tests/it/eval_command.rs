//! `slotwright eval` as a person runs it, with the bundled model.

use crate::support::processes::signal;
use crate::support::{PROGRAM, Run, folder, quiet};
use serde_json::Value;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

const TASK: &str = "category = \"number\"\nlevel = \"seed\"\nlanguage = \"python\"\n";

/// A suite of five tasks, of which one is broken.
fn suite() -> tempfile::TempDir {
    let dir = folder(&[]);
    for i in 0..4 {
        let task = dir.path().join(format!("small/{i:03}"));
        fs::create_dir_all(task.join("before")).unwrap();
        fs::create_dir_all(task.join("after")).unwrap();
        let sentence = format!(
            "sentence = \"In config.py, change max_retries from {i} to {}\"\n",
            i + 5
        );
        fs::write(task.join("task.toml"), format!("{sentence}{TASK}")).unwrap();
        let text = |n: usize| format!("timeout = 30\nmax_retries = {n}\nverbose = True\n");
        fs::write(task.join("before/config.py"), text(i)).unwrap();
        fs::write(task.join("after/config.py"), text(i + 5)).unwrap();
    }
    let broken = dir.path().join("small/broken");
    fs::create_dir_all(broken.join("before")).unwrap();
    fs::write(broken.join("before/a.py"), "a = 1\n").unwrap();
    fs::write(
        broken.join("task.toml"),
        format!("sentence = \"a\"\n{TASK}"),
    )
    .unwrap();
    dir
}

/// `slotwright eval` with a state folder of its own.
fn eval(state: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(PROGRAM);
    command.arg("eval").args(arguments);
    quiet(&mut command).env("XDG_STATE_HOME", state);
    command
}

fn run(state: &Path, arguments: &[&str]) -> Run {
    Run::from(eval(state, arguments).output().unwrap())
}

fn report(path: &Path) -> Value {
    serde_json::from_slice(&fs::read(path).unwrap()).unwrap()
}

/// Without times, which are never the same, and without what follows from them: how much is
/// drafted, so how many evaluations there are, and the last digits of probabilities. A model that is
/// started again has read nothing.
fn without_times(mut report: Value) -> Value {
    for row in report["results"].as_array_mut().unwrap() {
        row["ms"] = Value::Null;
        for key in ["evaluations", "masked_mass", "certainty", "reused_tokens"] {
            row[key] = Value::Null;
        }
    }
    report
}

#[test]
fn all_strategies_run_with_one_command_and_slots_have_no_mechanics_failure() {
    let (suite, state) = (suite(), folder(&[]));
    let paths =
        ["a.json", "a.md", "a.html"].map(|name| state.path().join(name).display().to_string());
    let [json, md, html] = &paths;
    let suite = suite.path().display().to_string();
    let arguments = [
        "--suite", &suite, "--runs", "2", "--report", json, "--report", md, "--report", html,
    ];
    let run = run(state.path(), &arguments);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let report = report(Path::new(json));
    let results = report["results"].as_array().unwrap();
    assert_eq!(results.len(), 4 * 4 * 2);
    let slots = results
        .iter()
        .filter(|row| row["strategy"] == "slots")
        .collect::<Vec<_>>();
    assert!(
        slots.iter().all(|row| row["verdict"] != "mechanics"),
        "{slots:?}"
    );
    assert!(
        slots.iter().any(|row| row["verdict"] == "right"),
        "the bundled model can do none of these: {slots:?}"
    );
    for row in results {
        for key in ["masked_mass", "certainty"] {
            let by_slot = row[key].as_object().unwrap();
            assert_eq!(
                by_slot.contains_key("operation"),
                row["strategy"] == "slots",
                "{row}"
            );
            assert!(
                by_slot
                    .values()
                    .all(|p| (0.0..=1.0).contains(&p.as_f64().unwrap())),
                "{row}"
            );
        }
        assert!(
            row["reused_tokens"].as_u64() <= row["prompt_tokens"].as_u64(),
            "{row}"
        );
    }
    let written = fs::read_to_string(md).unwrap();
    assert!(written.contains("Masked mass by slot"), "{written}");
    let problems = report["problems"].as_array().unwrap();
    assert!(
        problems.len() == 1 && problems[0]["task"] == "small/broken",
        "{problems:?}"
    );
    assert!(
        run.stdout.contains("search_replace") && run.stdout.contains("small/broken"),
        "{}",
        run.stdout
    );
    assert!(
        fs::read_to_string(md)
            .unwrap()
            .contains("| bundled | slots |")
    );
    assert!(
        fs::read_to_string(html)
            .unwrap()
            .to_lowercase()
            .starts_with("<!doctype html>")
    );
}

#[test]
fn a_task_whose_check_tells_nothing_is_listed_and_not_run() {
    let (suite, state) = (suite(), folder(&[]));
    for (name, check, before) in [
        ("idle", "true", "a = 1\n"),
        ("refuses", "false", "a = 1\n"),
        ("tells", "grep", "a = 2\n"),
    ] {
        let task = suite.path().join("small").join(name);
        for (folder, text) in [("before", before), ("after", "a = 3\n")] {
            fs::create_dir_all(task.join(folder)).unwrap();
            fs::write(task.join(folder).join("a.py"), text).unwrap();
        }
        let check = format!("check = [\"{check}\", \"3\", \"a.py\"]\n");
        fs::write(
            task.join("task.toml"),
            format!("sentence = \"a\"\n{TASK}{check}"),
        )
        .unwrap();
    }
    let path = state.path().join("a.json").display().to_string();
    let suite = suite.path().display().to_string();
    let asked = [
        "--suite",
        &suite,
        "--strategy",
        "slots",
        "--runs",
        "1",
        "--no-sandbox",
    ];
    let first = run(state.path(), &asked);
    assert!(
        first.stderr.contains("wrong and right: 3, of which 2 "),
        "{}",
        first.stderr
    );
    // What was run is not tried again.
    let run = run(
        state.path(),
        &[asked.as_slice(), &["--report", &path]].concat(),
    );
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert!(
        run.stderr.contains("wrong and right: 2, of which 2 "),
        "{}",
        run.stderr
    );
    let report = report(Path::new(&path));
    let ran: Vec<_> = report["results"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| &row["task"])
        .collect();
    assert_eq!(
        ran,
        [
            "small/000",
            "small/001",
            "small/002",
            "small/003",
            "small/tells"
        ]
    );
    for listed in [
        "small/broken: ",
        "small/idle: its check passes before any edit",
        "small/refuses: its known right answer fails its check: it says nothing",
    ] {
        assert!(run.stdout.contains(listed), "{}", run.stdout);
    }
}

#[test]
fn an_interrupted_evaluation_goes_on_and_its_report_is_the_same() {
    let suite = suite();
    let suite = suite.path().display().to_string();
    let (whole, cut) = (folder(&[]), folder(&[]));
    let arguments = |state: &Path| -> Vec<String> {
        let report = state.join("a.json").display().to_string();
        [
            "--suite",
            &suite,
            "--strategy",
            "slots,schema",
            "--runs",
            "6",
            "--report",
            &report,
        ]
        .map(str::to_owned)
        .to_vec()
    };
    let texts = |arguments: &[String]| -> Vec<String> { arguments.to_vec() };
    let whole_arguments = arguments(whole.path());
    let run_whole = run(
        whole.path(),
        &texts(&whole_arguments)
            .iter()
            .map(String::as_str)
            .collect::<Vec<_>>(),
    );
    assert_eq!(run_whole.code, Some(0), "{}", run_whole.stderr);
    let cut_arguments = arguments(cut.path());
    let cut_arguments: Vec<&str> = cut_arguments.iter().map(String::as_str).collect();
    let mut n_interrupted = 0;
    for i in 0..3 {
        let mut command = eval(cut.path(), &cut_arguments);
        let program = command
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        // Once a few more runs are on disk.
        let journal = || {
            let folder = fs::read_dir(cut.path().join("slotwright/evals"))
                .into_iter()
                .flatten()
                .flatten()
                .next();
            folder.map_or(0, |entry| {
                fs::read_to_string(entry.path())
                    .unwrap_or_default()
                    .lines()
                    .count()
            })
        };
        let pid = program.id();
        let watch = std::thread::scope(|scope| {
            let waits = scope.spawn(move || program.wait_with_output().unwrap());
            while journal() < 4 * (i + 1) && !waits.is_finished() {
                std::thread::sleep(Duration::from_millis(5));
            }
            signal(pid, if i == 1 { "KILL" } else { "INT" });
            waits.join().unwrap()
        });
        let run = Run::from(watch);
        if run.code == Some(130) {
            assert!(
                run.stderr.contains("the same command goes on with it"),
                "{}",
                run.stderr
            );
        }
        n_interrupted += usize::from(run.code != Some(0));
    }
    println!("interrupted {n_interrupted} times");
    assert!(n_interrupted > 0);
    let last = run(cut.path(), &cut_arguments);
    assert_eq!(last.code, Some(0), "{}", last.stderr);
    assert!(
        last.stderr.contains("runs were made before"),
        "{}",
        last.stderr
    );
    let reports =
        [whole.path(), cut.path()].map(|folder| without_times(report(&folder.join("a.json"))));
    for (whole, cut) in reports[0]["results"]
        .as_array()
        .unwrap()
        .iter()
        .zip(reports[1]["results"].as_array().unwrap())
    {
        assert_eq!(whole, cut);
    }
    assert!(reports[0] == reports[1], "the reports differ");
    assert_eq!(
        fs::read_dir(cut.path().join("slotwright/evals"))
            .unwrap()
            .count(),
        0,
        "the journal is left"
    );
}

#[test]
fn reports_are_compared() {
    let (suite, state) = (suite(), folder(&[]));
    let suite = suite.path().display().to_string();
    let paths = ["a.json", "b.json"].map(|name| state.path().join(name).display().to_string());
    for path in &paths {
        let run = run(
            state.path(),
            &[
                "--suite",
                &suite,
                "--strategy",
                "slots",
                "--runs",
                "1",
                "--report",
                path,
            ],
        );
        assert_eq!(run.code, Some(0), "{}", run.stderr);
    }
    let compared = run(state.path(), &["compare", &paths[0], &paths[1]]);
    assert_eq!(compared.code, Some(0), "{}", compared.stderr);
    assert!(
        compared.stdout.contains("no difference"),
        "{}",
        compared.stdout
    );
    fs::write(&paths[1], "{}").unwrap();
    let compared = run(state.path(), &["compare", &paths[0], &paths[1]]);
    assert_eq!(compared.code, Some(2));
    assert!(compared.stderr.contains("b.json"), "{}", compared.stderr);
}

#[test]
fn mistakes_are_said_before_anything_is_run() {
    let toml = b"sentence = 'a'\ncategory = 'a'\nlevel = 'seed'\nlanguage = 'c'\n";
    let state = folder(&[
        ("empty/a.txt", b""),
        ("broken/typo/task.toml", b"sentence = 'Say hi\n"),
        ("broken/bare/task.toml", b"sentence = '\xff'\n"),
        ("broken/nothing/task.toml", toml),
    ]);
    let [empty, broken] =
        ["empty", "broken"].map(|name| state.path().join(name).display().to_string());
    for (arguments, said) in [
        (
            vec!["--suite", "everday"],
            "the bundled (decline, everyday, hard",
        ),
        (vec!["--suite", &empty], "there is no task in"),
        (vec!["--report", "a.pdf"], ".html"),
        (
            vec!["--report", "no/such/folder/a.json"],
            "there is no folder no/such/folder",
        ),
        (vec!["--strategy", "magic"], "search_replace"),
        (vec!["--task", "no-such-task"], "no task's name has"),
        (
            vec!["--suite", &broken, "--task", "typo"],
            "cannot be read: task.toml: ",
        ),
        (
            vec!["--suite", &broken, "--task", "bare"],
            "cannot be read: task.toml is not UTF-8",
        ),
        (
            vec!["--suite", &broken, "--task", "no"],
            "before/ is missing or empty",
        ),
        (vec!["--temperature", "-1"], "from 0 to 2"),
        (vec!["compare", "a.json"], "<SECOND>"),
    ] {
        let run = run(state.path(), &arguments);
        assert_eq!(run.code, Some(2), "{arguments:?}: {}", run.stderr);
        assert!(
            run.stderr.contains(said),
            "{arguments:?} should say {said:?}: {}",
            run.stderr
        );
    }
}

#[test]
fn a_model_that_cannot_be_started_is_an_error_before_anything_is_run() {
    let (suite, state) = (suite(), folder(&[("broken.gguf", b"GGUF")]));
    let suite = suite.path().display().to_string();
    let model = state.path().join("broken.gguf").display().to_string();
    let run = run(state.path(), &["--suite", &suite, "--model", &model]);
    assert_eq!(run.code, Some(4), "{}", run.stderr);
    assert!(
        run.stderr.contains("cannot load the model"),
        "{}",
        run.stderr
    );
}

#[test]
fn a_new_suite_runs_and_its_report_is_short() {
    let state = tempfile::tempdir().unwrap();
    let dir = tempfile::tempdir().unwrap();
    let suite = dir.path().join("mine").to_string_lossy().into_owned();
    run(state.path(), &["--new", &suite]).says(0, &format!("slotwright eval --suite {suite}"));
    let again = run(state.path(), &["--new", &suite]);
    again.says(2, "mine is there already; nothing was made");

    let ran = run(state.path(), &["--suite", &suite, "--runs", "1"]).says(0, "");
    assert!(
        ran.stdout.contains("\nTasks\n- mine/001-timeout: slots "),
        "{}",
        ran.stdout
    );
    let n_lines = ran.stdout.lines().count();
    assert!(n_lines < 20, "{n_lines} lines: {}", ran.stdout);
}
