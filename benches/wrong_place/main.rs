//! How often the bundled model takes the wrong one of many near-equal places, and how well its
//! certainty tells: `./x risk`. Writes `docs/wrong-place.md` and its curve; nothing in them is
//! written by hand.

mod cases;
mod measure;
mod report;
mod score;
/// The tests' own models, made on the spot.
#[path = "../../tests/it/support"]
#[expect(dead_code, reason = "the tests use the rest")]
mod support {
    pub mod gguf;
    pub mod models;
    pub mod published;
    pub mod random;
    pub mod vocabularies;
}

use cases::{Case, Likeness};
use report::Measured;
use slotwright::engine::Sampling;
use slotwright::risk::MIN_CERTAINTY;
use std::path::{Path, PathBuf};
use support::models::{self, Recipe};
use support::published;

/// The threshold is chosen on the first, and holds or does not on the second.
const SEEDS: [u64; 2] = [1, 2];
const CASES: usize = 300;
const RANDOM_MODELS: u64 = 3;

fn main() {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .expect("a runtime");
    let measured = runtime.block_on(measure());
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs");
    std::fs::create_dir_all(&folder).expect("docs");
    for (name, text) in [
        ("wrong-place.md", report::markdown(&measured)),
        ("wrong-place.svg", report::svg(&measured)),
    ] {
        std::fs::write(folder.join(name), text).expect("a file in docs");
        println!("wrote docs/{name}");
    }
    let best = score::best_threshold(&measured.ordinary);
    println!("the threshold by the rule: {best}; the program uses {MIN_CERTAINTY} (src/risk.rs)");
}

async fn measure() -> Measured {
    let bundled = Path::new(env!("CARGO_MANIFEST_DIR")).join("models/bundled.gguf");
    let mut by_seed = [Vec::new(), Vec::new()];
    for (seed, records) in SEEDS.into_iter().zip(&mut by_seed) {
        println!("the bundled model, seed {seed}");
        *records = measure::run(&bundled, &cases::cases(seed, CASES), |_| Sampling::Greedy).await;
    }
    println!("the bundled model, ordinary tasks");
    let ordinary = measure::run(&bundled, &ordinary_cases(), |_| Sampling::Greedy).await;
    let dir = tempfile::tempdir().expect("a folder");
    let mut random = Vec::new();
    for seed in 0..RANDOM_MODELS {
        println!("random weights, model {seed}");
        let model = random_model(dir.path(), seed);
        // At random, since a model of random weights has one favourite answer, whatever it read.
        let sampling = |i| Sampling::Random {
            temperature: 1.0,
            seed: seed * CASES as u64 + i,
        };
        random.extend(measure::run(&model, &cases::cases(SEEDS[0], CASES), sampling).await);
    }
    Measured {
        bundled: by_seed,
        random,
        ordinary,
    }
}

fn random_model(folder: &Path, seed: u64) -> PathBuf {
    let path = folder.join(format!("{seed}.gguf"));
    models::write(
        &path,
        &Recipe {
            seed,
            ..Recipe::default()
        },
    );
    path
}

fn ordinary_cases() -> Vec<Case> {
    let case = |task: published::Task| Case {
        kind: Likeness::Nothing,
        path: task.file.to_owned(),
        before: task.before.to_owned(),
        task: task.sentence.to_owned(),
        wanted: task.wanted,
    };
    published::tasks().into_iter().map(case).collect()
}
