//! What a model has read it does not read again: in one process, and in the next one. And
//! what is drafted changes no answer.

use crate::support::models::{self, Recipe};
use crate::support::{PROGRAM, Run, folder, quiet};
use slotwright::constrain::{NoEdit, PickFile, SlotSpec, Spec};
use slotwright::engine::process::ModelProcess;
use slotwright::engine::protocol::Load;
use slotwright::engine::{AnswerStats, Engine, Limits, Part, Progress, Request, Sampling};
use slotwright::slots::Operation;
use slotwright::text::Shown;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

async fn start(model: &Path, prefixes: Option<&Path>) -> ModelProcess {
    let prefixes = prefixes.map(Path::to_path_buf);
    let load = Load {
        model: model.to_path_buf(),
        threads: 1,
        check_memory: true,
        prefixes,
        ..Load::default()
    };
    ModelProcess::start(Path::new(PROGRAM), load, &mut |_| {})
        .await
        .unwrap()
}

fn random_model(dir: &tempfile::TempDir) -> PathBuf {
    let path = dir.path().join("random.gguf");
    models::write(
        &path,
        &Recipe {
            seed: 9,
            ..Recipe::default()
        },
    );
    path
}

const FILE: &str = "def load(path):\n    limit = 10\n    return open(path), limit\n\n\
    \ndef save(path):\n    limit = 11\n    return path\n";

/// A question of stage 2.
fn fill(file: &str, task: &str) -> Request {
    Request {
        prompt: vec![
            Part::Text(file.to_owned()),
            Part::Control("<|task|>".to_owned()),
            Part::Text(task.to_owned()),
        ],
        spec: Spec::Slots(SlotSpec::Replace {
            shown: Shown::whole(file),
            blocks: true,
        }),
        limits: Limits { answer_tokens: 60 },
        sampling: Sampling::Greedy,
        fixed_parts: 0,
        file_bytes: 0,
        weights: slotwright::engine::Weights::Adapted,
        likely: Some(vec!["    limit = 10".to_owned(), task.to_owned()]),
        given: None,
        branches: 0,
    }
}

/// A question of stage 1.
fn pick(task: &str) -> Request {
    let files = ["a.py", "b.py"].map(|path| PickFile {
        path: path.to_owned(),
        operations: Operation::ALL.to_vec(),
    });
    Request {
        prompt: vec![
            Part::Control("<|pick|>".to_owned()),
            Part::Text(format!("a.py\nb.py\n{task}")),
        ],
        spec: Spec::Slots(SlotSpec::Pick {
            files: files.to_vec(),
            may_create: false,
            goes_on: false,
            no_edit: NoEdit::ForAnyReason,
        }),
        ..fill(FILE, task)
    }
}

async fn ask(engine: &mut ModelProcess, request: &Request) -> (String, AnswerStats) {
    let answer = engine.complete(request, &mut |_| {}).await.unwrap();
    (answer.text, answer.stats)
}

#[tokio::test]
async fn one_process_reads_what_is_new() {
    let dir = tempfile::tempdir().unwrap();
    let model = random_model(&dir);
    let mut engine = start(&model, None).await;
    let (first, stats) = ask(&mut engine, &fill(FILE, "raise the limit")).await;
    assert_eq!(stats.reused_tokens, 0);
    // Stage 1 has its own.
    ask(&mut engine, &pick("raise the limit")).await;
    let (again, stats) = ask(&mut engine, &fill(FILE, "raise the limit")).await;
    assert_eq!(
        stats.reused_tokens,
        stats.prompt_tokens - 1,
        "all but the token whose logits are asked for"
    );
    assert_eq!(again, first);
    let (_, stats) = ask(&mut engine, &pick("raise the limit")).await;
    assert_eq!(stats.reused_tokens, stats.prompt_tokens - 1);
    // Another task on the same file; then the file has changed near its end.
    let (_, stats) = ask(&mut engine, &fill(FILE, "lower it")).await;
    assert!(stats.reused_tokens > stats.prompt_tokens / 2, "{stats:?}");
    let changed = FILE.replace("limit = 11", "limit = 12");
    let (text, stats) = ask(&mut engine, &fill(&changed, "lower it")).await;
    assert!(
        stats.reused_tokens > stats.prompt_tokens / 2
            && stats.reused_tokens < stats.prompt_tokens - 5,
        "{stats:?}"
    );
    let mut fresh = start(&model, None).await;
    assert_eq!(
        ask(&mut fresh, &fill(&changed, "lower it")).await.0,
        text,
        "as if it had been read whole"
    );
}

#[tokio::test]
async fn what_one_stage_has_read_the_other_has() {
    let dir = tempfile::tempdir().unwrap();
    let model = random_model(&dir);
    let file = |request: Request| Request {
        prompt: [
            Part::Control("<|file|>".to_owned()),
            Part::Text(FILE.to_owned()),
        ]
        .into_iter()
        .chain(request.prompt)
        .collect(),
        ..request
    };
    let (pick, fill) = (
        file(pick("raise the limit")),
        file(fill("", "raise the limit")),
    );
    let fill = Request {
        spec: Spec::Slots(SlotSpec::Replace {
            shown: Shown::whole(FILE),
            blocks: true,
        }),
        ..fill
    };
    let (alone, stats) = ask(&mut start(&model, None).await, &fill).await;
    assert_eq!(stats.reused_tokens, 0);

    let mut engine = start(&model, None).await;
    let (picked, stats) = ask(&mut engine, &pick).await;
    assert_eq!(stats.reused_tokens, 0);
    let (after, stats) = ask(&mut engine, &fill).await;
    assert!(stats.reused_tokens > stats.prompt_tokens / 2, "{stats:?}");
    assert_eq!(after, alone);
    // Each still has its own: neither has taken anything away from the other.
    let (again, stats) = ask(&mut engine, &pick).await;
    assert_eq!(
        (again, stats.reused_tokens),
        (picked, stats.prompt_tokens - 1)
    );
    let (again, stats) = ask(&mut engine, &fill).await;
    assert_eq!(
        (again, stats.reused_tokens),
        (after, stats.prompt_tokens - 1)
    );
}

#[tokio::test]
async fn a_longer_prompt_moves_into_a_larger_context() {
    let dir = tempfile::tempdir().unwrap();
    let mut engine = start(&random_model(&dir), None).await;
    ask(&mut engine, &pick("raise the limit")).await;
    let long = FILE.repeat(40);
    let (_, stats) = ask(&mut engine, &fill(&long, "raise the limit")).await;
    assert!(stats.prompt_tokens > 2_000);
    let (_, stats) = ask(&mut engine, &pick("raise the limit")).await;
    assert_eq!(
        stats.reused_tokens,
        stats.prompt_tokens - 1,
        "moved, not read again"
    );
    let (_, stats) = ask(&mut engine, &fill(&long, "lower it")).await;
    assert!(stats.reused_tokens > 2_000, "{stats:?}");
}

#[tokio::test]
async fn the_next_process_loads_what_was_read() {
    let dir = tempfile::tempdir().unwrap();
    let model = random_model(&dir);
    let prefixes = dir.path().join("prefixes");
    let n_entries = || fs::read_dir(&prefixes).map_or(0, Iterator::count);
    let mut engine = start(&model, Some(&prefixes)).await;
    let (first, _) = ask(&mut engine, &fill(FILE, "raise the limit")).await;
    assert_eq!(n_entries(), 0, "nothing is kept unasked");
    engine.keep_read().await.unwrap();
    assert_eq!(n_entries(), 1);
    engine.keep_read().await.unwrap();
    assert_eq!(n_entries(), 1, "once");
    drop(engine);

    let mut engine = start(&model, Some(&prefixes)).await;
    let (again, stats) = ask(&mut engine, &fill(FILE, "raise the limit")).await;
    assert_eq!(
        (again, stats.reused_tokens),
        (first.clone(), stats.prompt_tokens - 1)
    );
    let (_, stats) = ask(&mut engine, &fill("another file\n", "raise the limit")).await;
    assert_eq!(stats.reused_tokens, 0);
    drop(engine);

    // A model with other weights does not touch it, and what is damaged is read again.
    let other = dir.path().join("other.gguf");
    models::write(
        &other,
        &Recipe {
            seed: 10,
            ..Recipe::default()
        },
    );
    let (_, stats) = ask(
        &mut start(&other, Some(&prefixes)).await,
        &fill(FILE, "raise the limit"),
    )
    .await;
    assert_eq!((stats.reused_tokens, n_entries()), (0, 1));
    let entry = fs::read_dir(&prefixes)
        .unwrap()
        .next()
        .unwrap()
        .unwrap()
        .path();
    let mut bytes = fs::read(&entry).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 4;
    fs::write(&entry, bytes).unwrap();
    let mut engine = start(&model, Some(&prefixes)).await;
    let (text, stats) = ask(&mut engine, &fill(FILE, "raise the limit")).await;
    assert_eq!((text, stats.reused_tokens), (first, 0));
    engine.keep_read().await.unwrap();
    assert_eq!(n_entries(), 1, "replaced");
}

#[tokio::test]
async fn a_folder_that_cannot_be_used_costs_only_time() {
    let dir = tempfile::tempdir().unwrap();
    let model = random_model(&dir);
    let file = dir.path().join("a file");
    fs::write(&file, "").unwrap();
    let mut engine = start(&model, Some(&file.join("prefixes"))).await;
    ask(&mut engine, &fill(FILE, "raise the limit")).await;
    engine.keep_read().await.unwrap();
}

#[tokio::test]
async fn how_far_the_reading_is_can_be_followed_from_its_beginning() {
    let dir = tempfile::tempdir().unwrap();
    let mut engine = start(&random_model(&dir), None).await;
    let request = fill(FILE, "raise the limit");
    for is_known in [false, true] {
        let mut steps = Vec::new();
        let answer = engine
            .complete(&request, &mut |step| steps.push(step))
            .await
            .unwrap();
        let total = answer.stats.prompt_tokens;
        assert_eq!(
            steps[0],
            Progress::Reading { done: 0, total },
            "before anything is computed"
        );
        let done = if is_known { total - 1 } else { 0 };
        assert_eq!(
            steps[1],
            Progress::Reading { done, total },
            "what was read before"
        );
        assert!(
            steps.contains(&Progress::Reading { done: total, total }),
            "{steps:?}"
        );
    }
}

#[tokio::test]
async fn drafts_change_no_answer() {
    let dir = tempfile::tempdir().unwrap();
    let mut engine = start(&random_model(&dir), None).await;
    let (mut n_drafted, mut n_same, mut n_all) = (0, 0, 0);
    for seed in 0..30 {
        let sampling = if seed % 2 == 0 {
            Sampling::Greedy
        } else {
            Sampling::Random {
                temperature: 0.7,
                seed,
            }
        };
        let request = Request {
            sampling,
            ..fill(FILE, &format!("task {seed}"))
        };
        let (drafted, stats) = ask(&mut engine, &request).await;
        let (plain, plain_stats) = ask(
            &mut engine,
            &Request {
                likely: None,
                ..request
            },
        )
        .await;
        assert_eq!(
            (plain_stats.drafted_tokens, plain_stats.accepted_tokens),
            (0, 0)
        );
        assert!(stats.accepted_tokens <= stats.drafted_tokens);
        (n_drafted, n_same, n_all) = (
            n_drafted + stats.drafted_tokens,
            n_same + usize::from(drafted == plain),
            n_all + 1,
        );
    }
    assert!(n_drafted > 0);
    // Logits of a batch are rounded differently; random weights make near ties more common than any
    // trained ones.
    assert!(
        n_same + 1 >= n_all,
        "{n_same} of {n_all} answers are the same"
    );
}

/// A command with a cache of its own.
fn command(name: &str, root: &Path, cache: &Path, arguments: &[&str]) -> Run {
    let mut command = Command::new(PROGRAM);
    command.arg(name).arg("--root").arg(root).args(arguments);
    Run::from(
        quiet(&mut command)
            .env("XDG_CACHE_HOME", cache)
            .output()
            .unwrap(),
    )
}

/// A file that the bundled model is shown whole.
fn source() -> String {
    (0..9)
        .map(|i| format!("def f{i}(x):\n    limit_{i} = {i}\n    return x\n"))
        .collect()
}

#[test]
fn an_edit_uses_what_an_earlier_one_kept_until_it_is_purged() {
    let dir = folder(&[("a.py", source().as_bytes())]);
    let cache = tempfile::tempdir().unwrap();
    let reused = |arguments: &[&str]| -> u64 {
        let task = "In a.py, change limit_3 from 3 to 5";
        let arguments = [arguments, &["--dry-run", "--json", task]].concat();
        let run = command("edit", dir.path(), cache.path(), &arguments);
        let report: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
        report["stats"]["stages"][0]["reused_tokens"]
            .as_u64()
            .unwrap()
    };
    let prefixes = cache.path().join("slotwright/prefixes");
    let n_entries = || fs::read_dir(&prefixes).map_or(0, Iterator::count);

    assert_eq!(reused(&["--no-cache"]), 0);
    assert_eq!(n_entries(), 0, "nothing is kept");
    assert_eq!(reused(&[]), 0);
    assert!(n_entries() > 0);
    assert!(reused(&[]) > 100);
    assert_eq!(reused(&["--no-cache"]), 0);

    let mut purge = Command::new(PROGRAM);
    Run::from(
        quiet(purge.args(["purge", "cache"]))
            .env("XDG_CACHE_HOME", cache.path())
            .env("XDG_STATE_HOME", cache.path())
            .output()
            .unwrap(),
    )
    .says(0, "removed the cache");
    assert_eq!(n_entries(), 0);
}

#[test]
fn what_happens_is_shown_on_standard_error_only_if_the_variable_asks() {
    let dir = folder(&[("a.py", source().as_bytes())]);
    let cache = tempfile::tempdir().unwrap();
    let stderr = |level: &str| -> String {
        let mut command = Command::new(PROGRAM);
        command.args(["edit", "--dry-run", "--root"]);
        command.arg(dir.path());
        command.arg("In a.py, change limit_3 from 3 to 5");
        quiet(&mut command).env("XDG_CACHE_HOME", cache.path());
        let output = command.env("SLOTWRIGHT_LOG", level).output();
        Run::from(output.unwrap()).says(0, "").stderr
    };
    let check = |shown: &str, parts: &[&str]| {
        for part in parts {
            assert!(shown.contains(part), "{part:?} is not in {shown}");
        }
    };

    let first = stderr("debug");
    let of_child = ["loaded the weights", "prefix cache: miss"];
    check(&first, &["started a model process", "the model is loaded"]);
    check(&first, &of_child);
    check(&stderr("debug"), &["prefix cache: hit"]);
    let plain = stderr("");
    let others = first.lines().filter(|line| !line.contains(" DEBUG "));
    assert_eq!(
        others.collect::<Vec<_>>(),
        plain.lines().collect::<Vec<_>>()
    );
    assert_eq!(stderr("error"), plain);
}

#[test]
fn a_task_without_an_edit_keeps_what_was_read_too() {
    for task in [
        "In a.py, change limit_3 from 3 to 3",
        "In a.py, rename limit_4 to limit_4",
        "In a.py, replace return x by return x everywhere",
    ] {
        let dir = folder(&[("a.py", source().as_bytes())]);
        let cache = tempfile::tempdir().unwrap();
        let reused: Vec<u64> = (0..2)
            .map(|_| {
                let run = command(
                    "edit",
                    dir.path(),
                    cache.path(),
                    &["--dry-run", "--json", task],
                );
                let report: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
                assert_eq!(
                    report["diff"], "",
                    "{task}: it is to change nothing: {report:#}"
                );
                let stages = report["stats"]["stages"].as_array().unwrap();
                stages
                    .iter()
                    .map(|stage| stage["reused_tokens"].as_u64().unwrap())
                    .sum()
            })
            .collect();
        assert!(reused[1] > reused[0] + 100, "{task}: {reused:?}");
    }
}
