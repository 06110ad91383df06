//! Models that are no models, broken ones, and model processes that misbehave: each is one clear
//! line, exit code 4, and files as they were.

use crate::support::models::{self, Recipe};
use crate::support::random::Random;
use crate::support::vocabularies::Vocabulary;
use crate::support::zoo;
use crate::support::{Run, edit, folder};
use slotwright::constrain::{SlotSpec, Spec};
use slotwright::engine::process::ModelProcess;
use slotwright::engine::protocol::Load;
use slotwright::engine::{Engine, EngineError, Limits, Part, Request, Sampling};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

const BEFORE: &[u8] = b"def process_item(item):\n    return len(item)\n";

fn bundled() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("models/bundled.gguf")
}

/// An edit with this model; the file must be as it was.
fn edit_with(model: &Path) -> Run {
    let dir = folder(&[("tool.py", BEFORE)]);
    let run = edit(
        dir.path(),
        &[
            "--yes",
            "--model",
            model.to_str().unwrap(),
            "Rename process_item to handle_item everywhere",
        ],
    );
    assert_eq!(fs::read(dir.path().join("tool.py")).unwrap(), BEFORE);
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
    run
}

#[test]
fn what_is_no_model_is_said() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("model.gguf");
    edit_with(&path).fails("No such file or directory");
    edit_with(dir.path()).fails("it is a folder; name a GGUF file");
    edit_with(Path::new("/dev/null")).fails("it is not a regular file");
    for foreign in [
        &b""[..],
        b"GG",
        b"PK\x03\x04 a zip file",
        b"just text, and more of it than a header has\n",
    ] {
        fs::write(&path, foreign).unwrap();
        edit_with(&path).fails("it is not a GGUF file");
    }
    fs::write(&path, b"GGUF").unwrap();
    edit_with(&path).fails("cannot load the model");
}

#[test]
fn a_model_that_is_cut_off_is_said() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("model.gguf");
    let whole = fs::read(bundled()).unwrap();
    for n in [24, 100, 5_000, 100_000, whole.len() / 2, whole.len() - 1] {
        fs::write(&path, &whole[..n]).unwrap();
        edit_with(&path).fails("cannot load the model");
    }
}

#[test]
fn a_model_that_cannot_write_is_said() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("model.gguf");
    let fails = |recipe: &Recipe, message: &str| {
        models::write(&path, recipe);
        edit_with(&path).fails(message);
    };
    fails(
        &Recipe {
            has_weights: false,
            ..Recipe::default()
        },
        "cannot load the model",
    );
    fails(
        &Recipe {
            embeds: true,
            ..Recipe::default()
        },
        "it is a model for embeddings (llama), which writes no text",
    );
    fails(
        &Recipe {
            weights: f32::NAN,
            ..Recipe::default()
        },
        "its weights give no numbers; the file is probably damaged",
    );
    fails(
        &Recipe {
            context: 300,
            ..Recipe::default()
        },
        "the model's context of 300 tokens is too short",
    );
    fails(
        &Recipe {
            profile: Some("compact-99"),
            ..Recipe::default()
        },
        "the prompt profile \"compact-99\"",
    );
    // llama.cpp aborts on a vocabulary with the same token twice.
    fails(
        &Recipe {
            control_tokens: &["<|end|>", "<|end|>"],
            ..Recipe::default()
        },
        "the model process ended unexpectedly (signal 6",
    );
}

#[test]
fn the_vocabulary_of_a_real_model_alone_is_no_model() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/vocabs");
    let path = folder.join("ggml-vocab-qwen2.gguf");
    if !path.exists() {
        println!("skipped: there is no folder of vocabularies beside the project");
        return;
    }
    edit_with(&path).fails("cannot load the model");
}

fn request() -> Request {
    Request {
        prompt: vec![
            Part::Control("<|pick|>".to_owned()),
            Part::Text("a.py".to_owned()),
        ],
        spec: Spec::Slots(SlotSpec::Create {
            existing: vec![],
            spelled: vec![],
        }),
        limits: Limits { answer_tokens: 12 },
        sampling: Sampling::Greedy,
        fixed_parts: 0,
        file_bytes: 0,
        weights: slotwright::engine::Weights::Adapted,
        likely: None,
        given: None,
        branches: 0,
    }
}

async fn ask(program: &Path, model: &Path, silence: Duration) -> Result<(), EngineError> {
    ask_with(
        program,
        Load {
            model: model.to_path_buf(),
            threads: 1,
            check_memory: true,
            ..Load::default()
        },
        silence,
    )
    .await
}

async fn ask_with(program: &Path, load: Load, silence: Duration) -> Result<(), EngineError> {
    let mut engine = ModelProcess::start_within(program, load, silence, &mut |_| {}).await?;
    engine.count_tokens(&["some text"]).await?;
    engine.complete(&request(), &mut |_| {}).await.map(|_| ())
}

/// Hundreds of models with one bit wrong: each loads, or says why not. None hangs, and none takes
/// the program with it.
#[tokio::test]
async fn a_wrong_bit_is_an_answer_or_an_error() {
    const FLIPS: usize = 300;
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("model.gguf");
    let recipes = [
        Recipe::default(),
        Recipe {
            architecture: zoo::named("gemma"),
            vocabulary: Vocabulary::SentencePiece(true),
            ..Recipe::default()
        },
        Recipe {
            architecture: zoo::named("phi3"),
            vocabulary: Vocabulary::CutBpe,
            ..Recipe::default()
        },
    ];
    let mut random = Random(11);
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for recipe in recipes {
        models::write(&path, &recipe);
        let whole = fs::read(&path).unwrap();
        // Most in what says how the rest is to be read: the weights of a model forgive much.
        let n_metadata = whole
            .windows(18)
            .position(|w| w == b"output_norm.weight")
            .unwrap()
            + 2_000;
        for i in 0..FLIPS / 3 {
            let at = if i % 4 == 0 {
                random.below(whole.len())
            } else {
                random.below(n_metadata)
            };
            let mut broken = whole.clone();
            broken[at] ^= 1 << random.below(8);
            fs::write(&path, &broken).unwrap();
            let what = match ask(
                Path::new(crate::support::PROGRAM),
                &path,
                Duration::from_secs(30),
            )
            .await
            {
                Ok(()) => "answered".to_owned(),
                Err(EngineError::Hangs { .. }) => panic!("byte {at} of {recipe:?} makes it hang"),
                Err(error) => {
                    assert_eq!(error.to_string().lines().count(), 1, "{error}");
                    let name = format!("{error:?}");
                    name[..name.find([' ', '(']).unwrap()].to_owned()
                }
            };
            *counts.entry(what).or_default() += 1;
        }
    }
    println!("{FLIPS} models with one bit flipped: {counts:?}");
    assert!(counts["answered"] > 0 && counts["Load"] > 0);
}

/// A program that does this instead of being a model process.
fn program(dir: &Path, script: &str) -> PathBuf {
    let path = dir.join("program");
    fs::write(path.with_extension("sh"), format!("{script}\n")).unwrap();
    // What is started must not be open for writing anywhere, not even in a process that another
    // test starts at this moment. So it is a link to a file that nobody writes.
    let _ = fs::remove_file(&path); // there is none the first time
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/support/beside");
    std::os::unix::fs::symlink(beside, &path).unwrap();
    path
}

/// Under ever tighter limits it works, or fails with one line: somewhere in between memory ends in
/// the middle of computing.
#[tokio::test]
async fn a_model_process_whose_memory_ends_anywhere_is_an_error() {
    let dir = tempfile::tempdir().unwrap();
    let (mut n_done, mut n_failed) = (0, 0);
    for mib in (10..200).step_by(6).chain([300, 500, 1_000, 4_000]) {
        let program = program(
            dir.path(),
            &format!(
                "ulimit -v {} && exec '{}' \"$@\"",
                mib << 10,
                crate::support::PROGRAM
            ),
        );
        for check_memory in [true, false] {
            let load = Load {
                model: bundled(),
                threads: 1,
                check_memory,
                ..Load::default()
            };
            match ask_with(&program, load, Duration::from_secs(30)).await {
                Ok(()) => n_done += 1,
                Err(EngineError::Hangs { .. }) => panic!("it hangs with {mib} MiB"),
                Err(error) => {
                    assert_eq!(error.to_string().lines().count(), 1, "{error}");
                    n_failed += 1;
                }
            }
        }
    }
    println!("{n_done} model processes had enough memory, {n_failed} had not");
    assert!(n_done > 0 && n_failed > 0);
}

const LOADED: &str = r#"echo '{"loaded":{"name":"","context_tokens":4096,"profile":null,'\
'"chat_template":null,"bos":"","eos":"","computes_on":""}}'"#;

#[tokio::test]
async fn a_model_process_that_talks_nonsense_is_an_error() {
    let dir = tempfile::tempdir().unwrap();
    let no_counts =
        format!("{LOADED}; read load; read count; echo '{{\"counts\":[1,2,3]}}'; sleep 60");
    let answers_early = format!("{LOADED}; {LOADED}; sleep 60");
    for (script, expected) in [
        (
            "echo hello; sleep 60",
            "it does not speak our protocol: \"hello\"",
        ),
        (
            "echo '{\"loaded\":7}'; sleep 60",
            "it does not speak our protocol",
        ),
        (
            "printf '\\377\\000\\376\\n'; sleep 60",
            "it does not speak our protocol",
        ),
        (
            "printf '[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[\\n'; sleep 60",
            "it does not speak our protocol",
        ),
        (
            "tr '\\000' 'x' < /dev/zero",
            "it does not speak our protocol: \"xxxxxxxx",
        ),
        (
            "echo '{\"counts\":[1]}'; sleep 60",
            "it answered something else",
        ),
        (&no_counts, "it answered something else"),
        (&answers_early, "it answered something else"),
        (
            "exit 0",
            "the model process ended unexpectedly (exit status: 0)",
        ),
        (
            "echo 'no such library' >&2; exit 3",
            "(exit status: 3); its last words: no such library",
        ),
        (
            "tr '\\000' 'x' < /dev/zero | head -c 3000000 >&2; exit 3",
            "(exit status: 3); its last words: xxxx",
        ),
        (
            "printf '{\"loaded\":{\"na'; exit 1",
            "the model process ended unexpectedly (exit status: 1)",
        ),
        (
            "kill -SEGV $$",
            "the model process ended unexpectedly (signal 11",
        ),
    ] {
        let program = program(dir.path(), script);
        let error = ask(&program, &bundled(), Duration::from_secs(20))
            .await
            .unwrap_err()
            .to_string();
        assert!(error.contains(expected), "{script}: {error}");
        assert!(
            error.lines().count() == 1 && error.len() < 1_500,
            "{script}: {error}"
        );
    }
}

#[tokio::test]
async fn a_model_process_that_says_nothing_is_ended() {
    let dir = tempfile::tempdir().unwrap();
    let own = dir.path().join("pid");
    let says_own = format!("echo $$ > '{}'", own.display());
    for script in [
        "exec sleep 600".to_owned(),
        "printf '{\"loaded\":{\"na'; exec sleep 600".to_owned(),
        "exec >&-; exec sleep 600".to_owned(),
        format!("{LOADED}; exec sleep 600"),
        format!("{LOADED}; read load; echo '{{\"progress\":{{\"writing\":1}}}}'; exec sleep 600"),
    ] {
        let program = program(dir.path(), &format!("{says_own}; {script}"));
        let error = ask(&program, &bundled(), Duration::from_millis(400))
            .await
            .unwrap_err();
        assert!(
            matches!(error, EngineError::Hangs { .. }),
            "{script}: {error:?}"
        );
        let pid = fs::read_to_string(&own).unwrap();
        let gone = || {
            !Path::new("/proc").join(pid.trim()).join("environ").exists()
                || fs::read(format!("/proc/{}/environ", pid.trim()))
                    .unwrap_or_default()
                    .is_empty()
        };
        for _ in 0..200 {
            if gone() {
                break;
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        assert!(gone(), "{script}: the process lives on");
    }
}

/// It is written to, and never reads.
#[tokio::test]
async fn a_model_process_that_does_not_listen_is_ended() {
    let dir = tempfile::tempdir().unwrap();
    let program = program(dir.path(), &format!("{LOADED}; exec sleep 600"));
    let load = Load {
        model: bundled(),
        threads: 1,
        check_memory: true,
        ..Load::default()
    };
    let mut engine =
        ModelProcess::start_within(&program, load, Duration::from_secs(4), &mut |_| {})
            .await
            .unwrap();
    let error = engine
        .count_tokens(&[&"x".repeat(1 << 20)])
        .await
        .unwrap_err();
    assert!(matches!(error, EngineError::Hangs { .. }), "{error:?}");
}
