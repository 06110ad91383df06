//! Every architecture that people run: what a model has read it does not read again, whatever its
//! memory is, and its answers are those of a model that has just read everything. The table of
//! docs/models.md is printed.

use crate::support::PROGRAM;
use crate::support::models::{self, Recipe};
use crate::support::zoo::{self, Architecture};
use slotwright::constrain::{NoEdit, PickFile, SlotSpec, Spec};
use slotwright::engine::adapter::AdapterChoice;
use slotwright::engine::process::ModelProcess;
use slotwright::engine::protocol::Load;
use slotwright::engine::{Answer, Engine, Limits, Part, Request, Weights};
use slotwright::models::Sizes;
use slotwright::models::header::{Extent, Header};
use slotwright::slots::Operation;
use slotwright::text::Shown;
use std::fs;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// A model of an architecture, and what processes keep of it.
struct Kept {
    dir: TempDir,
    model: PathBuf,
    adapter: AdapterChoice,
}

impl Kept {
    fn new(architecture: &'static Architecture) -> Kept {
        let dir = tempfile::tempdir().unwrap();
        let model = dir.path().join("model.gguf");
        let recipe = Recipe {
            seed: 3,
            architecture,
            profile: None,
            ..Recipe::default()
        };
        models::write(&model, &recipe);
        let adapter = AdapterChoice::None;
        Kept {
            dir,
            model,
            adapter,
        }
    }

    /// Compares what is kept on disk with what the memory check counts with.
    fn is_as_large_as_estimated(&self) {
        let header = Header::read(&self.model, Extent::Whole).unwrap();
        let has_windows = header.architecture.starts_with("gemma")
            || ["gpt-oss", "mellum"].contains(&header.architecture.as_str());
        for entry in fs::read_dir(self.dir.path().join("prefixes")).unwrap() {
            check_size(&entry.unwrap().path(), header.sizes, has_windows);
        }
    }

    /// A new process. It has what others kept if `is_warm`.
    async fn start(&self, is_warm: bool) -> ModelProcess {
        let load = Load {
            model: self.model.clone(),
            threads: 1,
            check_memory: true,
            adapter: self.adapter.clone(),
            prefixes: is_warm.then(|| self.dir.path().join("prefixes")),
            ..Load::default()
        };
        ModelProcess::start(Path::new(PROGRAM), load, &mut |_| {})
            .await
            .unwrap()
    }
}

/// How large the state of a sequence is, and the estimate. Of windows a copy has only the end.
fn check_size(entry: &Path, sizes: Sizes, has_windows: bool) {
    const BEFORE_N_TOKENS: usize = 40;
    let bytes = fs::read(entry).unwrap();
    let n_tokens = bytes[BEFORE_N_TOKENS..][..4].try_into().unwrap();
    let n_tokens = u64::from(u32::from_le_bytes(n_tokens));
    let n_bytes = bytes.len() as u64 - 4 * n_tokens;
    // Positions and lengths.
    let most = sizes.sequence(n_tokens) * 6 / 5 + 24 * n_tokens;
    let least = if has_windows {
        0
    } else {
        sizes.sequence(n_tokens) * 4 / 5
    };
    assert!(
        (least..most).contains(&n_bytes),
        "{n_tokens} tokens, {n_bytes} bytes, {sizes:?}"
    );
}

/// As much of a file of 300 lines as a prompt shows.
fn source() -> String {
    (0..60)
        .map(|i| format!("def f{i}(x):\n    return x + {i}\n"))
        .collect()
}

fn pick(task: &str) -> Request {
    let fixed = "You edit files. ".repeat(8);
    let file = format!("File a.py:\n{}\n\n", source());
    let files = ["a.py", "b.py"].map(|path| PickFile {
        path: path.to_owned(),
        operations: Operation::ALL.to_vec(),
    });
    let spec = Spec::Slots(SlotSpec::Pick {
        files: files.to_vec(),
        may_create: false,
        goes_on: false,
        no_edit: NoEdit::ForAnyReason,
    });
    let prompt = vec![
        Part::Text(fixed),
        Part::Control("\n".to_owned()),
        Part::Text(format!("{file}Task: {task}")),
        Part::Control("\n".to_owned()),
    ];
    Request {
        fixed_parts: 2,
        file_bytes: file.len(),
        ..Request::new(prompt, spec, Limits { answer_tokens: 40 })
    }
}

/// The second question, after the answer to the first one.
fn fill(pick: &Request, answer: &Answer) -> Request {
    let mut request = pick.clone();
    request
        .prompt
        .push(Part::Text(format!("{}\n", answer.text)));
    request.spec = Spec::Slots(SlotSpec::Replace {
        shown: Shown::whole(&source()),
        blocks: true,
    });
    request
}

async fn ask(engine: &mut ModelProcess, request: &Request) -> Answer {
    engine.complete(request, &mut |_| {}).await.unwrap()
}

/// Prompt tokens that were read for an answer.
fn n_read(answer: &Answer) -> usize {
    answer.stats.prompt_tokens - answer.stats.reused_tokens
}

/// Fails unless the answer is that of a process that has read nothing before.
async fn is_as_read_anew(kept: &Kept, request: &Request, answer: &Answer, what: &str) {
    let fresh = ask(&mut kept.start(false).await, request).await;
    assert_eq!(fresh.stats.reused_tokens, 0);
    // Where two tokens are as likely, rounding decides.
    let is_tie = fresh.stats.closest_call.is_some_and(|lead| lead < 0.02);
    assert!(
        fresh.text == answer.text || is_tie,
        "{what}: {:?} and {:?}, {:?}",
        fresh.text,
        answer.text,
        fresh.stats
    );
    if fresh.text == answer.text {
        // Batches of other lengths are rounded otherwise: by 0.02 for phi3, by less than 0.01 for all others.
        for (slot, certainty) in &fresh.stats.certainty {
            let other = answer.stats.certainty[slot];
            assert!(
                (certainty - other).abs() < 0.03,
                "{what}, {slot:?}: {certainty} and {other}"
            );
        }
    }
}

/// What was read for the second question, for a second edit, and for one in another process.
async fn go_on(kept: &Kept) -> [usize; 3] {
    let mut engine = kept.start(true).await;
    let first = pick("raise the limit");
    let picked = ask(&mut engine, &first).await;
    is_as_read_anew(kept, &first, &picked, "first question").await;

    // What was read first is seen in the answer, or nothing here would tell.
    let mut elsewhere = first.clone();
    elsewhere.prompt[0] = Part::Text("You see trees. ".repeat(9));
    let answer = ask(&mut kept.start(false).await, &elsewhere).await;
    assert_ne!(answer.stats.certainty, picked.stats.certainty);

    let second = fill(&first, &picked);
    let filled = ask(&mut engine, &second).await;
    is_as_read_anew(kept, &second, &filled, "second question").await;

    let other = pick("lower it");
    let next = ask(&mut engine, &other).await;
    is_as_read_anew(kept, &other, &next, "second edit").await;

    // What was answered in between is gone.
    let again = ask(&mut engine, &second).await;
    is_as_read_anew(kept, &second, &again, "after another answer").await;
    let drafted = Request {
        likely: Some(vec![filled.text.clone()]),
        ..second
    };
    let again = ask(&mut engine, &drafted).await;
    is_as_read_anew(kept, &drafted, &again, "with drafts").await;

    engine.keep_read().await.unwrap();
    drop(engine);
    kept.is_as_large_as_estimated();
    let third = pick("something else");
    let mut engine = kept.start(true).await;
    let later = ask(&mut engine, &third).await;
    is_as_read_anew(kept, &third, &later, "in a new process").await;
    [n_read(&filled), n_read(&next), n_read(&later)]
}

#[tokio::test]
async fn every_architecture_goes_on_where_it_was() {
    println!("| architecture | second question | second edit | in a new process |");
    println!("|---|---|---|---|");
    for architecture in &zoo::ALL {
        let kept = Kept::new(architecture);
        let [second, edit, process] = go_on(&kept).await;
        println!("| {} | {second} | {edit} | {process} |", architecture.name);
        assert!(
            second < 60 && edit < 120 && process < 120,
            "{}",
            architecture.name
        );
    }
}

#[tokio::test]
async fn adapted_and_plain_states_are_kept_apart() {
    for architecture in &zoo::ALL {
        let mut kept = Kept::new(architecture);
        let adapter = kept.dir.path().join("adapter.gguf");
        models::write_adapter(&adapter, architecture, None, 0.3);
        kept.adapter = AdapterChoice::File(adapter);
        let mut engine = kept.start(true).await;
        let request = pick("raise the limit");
        let plain = Request {
            weights: Weights::Base,
            ..request.clone()
        };
        for (request, what) in [
            (&request, "adapted"),
            (&plain, "plain"),
            (&request, "again"),
        ] {
            let answer = ask(&mut engine, request).await;
            let what = format!("{}, {what}", architecture.name);
            is_as_read_anew(&kept, request, &answer, &what).await;
        }
    }
}
