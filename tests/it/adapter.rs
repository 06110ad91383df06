//! Adapters in the model process, and on the command line.

use crate::support::models::{self, Recipe};
use crate::support::quantizer::{Q4_0, Q8_0, quantize};
use crate::support::zoo::{self, Architecture};
use crate::support::{edit, folder, real_models};
use slotwright::constrain::{SlotSpec, Spec};
use slotwright::engine::adapter::AdapterChoice;
use slotwright::engine::process::ModelProcess;
use slotwright::engine::protocol::Load;
use slotwright::engine::{Answer, Engine, EngineError, Limits, Part, Request, Weights};
use slotwright::prompt::Profile;
use slotwright::text::Shown;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

struct Files {
    dir: TempDir,
    model: PathBuf,
}

impl Files {
    fn new() -> Files {
        let dir = tempfile::tempdir().unwrap();
        let model = dir.path().join("random.gguf");
        models::write(
            &model,
            &Recipe {
                seed: 5,
                ..Recipe::default()
            },
        );
        Files { dir, model }
    }

    fn adapter(&self, name: &str, architecture: &Architecture, weights: f32) -> PathBuf {
        let path = self.dir.path().join(name);
        models::write_adapter(&path, architecture, None, weights);
        path
    }

    async fn start(&self, adapter: AdapterChoice) -> Result<ModelProcess, EngineError> {
        let load = Load {
            model: self.model.clone(),
            adapter,
            threads: 1,
            check_memory: true,
            prefixes: Some(self.dir.path().join("prefixes")),
            ..Load::default()
        };
        ModelProcess::start(Path::new(crate::support::PROGRAM), load, &mut |_| {}).await
    }
}

/// The answer to a question of more tokens than are worth keeping.
async fn answer(engine: &mut ModelProcess) -> Answer {
    answer_of(engine, Weights::Adapted).await
}

async fn answer_of(engine: &mut ModelProcess, weights: Weights) -> Answer {
    let text = (0..100).map(|i| format!("line {i}\n")).collect::<String>();
    let shown = Shown::whole(&text);
    let spec = Spec::Slots(SlotSpec::Insert {
        shown,
        side_first: false,
    });
    let limits = Limits { answer_tokens: 40 };
    let request = Request {
        weights,
        ..Request::new(vec![Part::Text(text)], spec, limits)
    };
    let answer = engine.complete(&request, &mut |_| {}).await.unwrap();
    engine.keep_read().await.unwrap();
    answer
}

#[tokio::test]
async fn an_adapter_changes_what_a_model_writes_and_how_it_is_asked() {
    let files = Files::new();
    let mut bare = files.start(AdapterChoice::None).await.unwrap();
    let without = answer(&mut bare).await;
    assert!(matches!(
        Profile::of(bare.model()),
        Ok((Profile::Compact, _))
    ));
    let path = files.adapter("loud.gguf", zoo::named("llama"), 1.0);
    let mut adapted = files.start(AdapterChoice::File(path)).await.unwrap();
    assert_eq!(adapted.model().adapter.as_deref(), Some("loud.gguf"));
    assert_eq!(Profile::of(adapted.model()).unwrap().0.name(), "adapted-2");
    let with = answer(&mut adapted).await;
    assert_ne!(without.text, with.text);
    // What one has read is of no use to the other.
    assert_eq!(with.stats.reused_tokens, 0);
    // For one question it is switched off, and then on again.
    let base = answer_of(&mut adapted, Weights::Base).await;
    assert_eq!(
        (base.text, base.stats.reused_tokens),
        (without.text.clone(), 0)
    );
    assert_eq!(answer(&mut adapted).await.text, with.text);
    let mut again = files.start(AdapterChoice::None).await.unwrap();
    let again = answer(&mut again).await;
    assert!(again.stats.reused_tokens > 0);
    assert_eq!(again.text, without.text);
}

#[tokio::test]
async fn an_adapter_of_zeros_changes_nothing() {
    let files = Files::new();
    let without = answer(&mut files.start(AdapterChoice::None).await.unwrap()).await;
    let path = files.adapter("silent.gguf", zoo::named("llama"), 0.0);
    let with = answer(&mut files.start(AdapterChoice::File(path)).await.unwrap()).await;
    assert_eq!(with.text, without.text);
}

#[tokio::test]
async fn an_adapter_fits_every_quantization_of_its_model() {
    for quantization in [Q8_0, Q4_0] {
        let mut files = Files::new();
        let quantized = files.dir.path().join("quantized.gguf");
        quantize(&files.model, &quantized, quantization);
        let n_bytes = |path: &Path| std::fs::metadata(path).unwrap().len();
        assert!(n_bytes(&quantized) < n_bytes(&files.model));
        files.model = quantized;
        let without = answer(&mut files.start(AdapterChoice::None).await.unwrap()).await;
        for (name, weights) in [("silent.gguf", 0.0), ("loud.gguf", 1.0)] {
            let path = files.adapter(name, zoo::named("llama"), weights);
            let with = answer(&mut files.start(AdapterChoice::File(path)).await.unwrap()).await;
            assert_eq!(
                with.text == without.text,
                weights == 0.0,
                "{name}, {quantization}"
            );
        }
    }
}

/// Ours with a real model, of which llama.cpp makes another quantization.
#[test]
fn our_own_fits_another_quantization_of_its_model() {
    let Some(model) = real_models::with_adapter() else {
        return;
    };
    let before = "import os\n\nMAX_RETRIES = 3\nTIMEOUT = 30\n";
    let dir = folder(&[("config.py", before.as_bytes())]);
    let models = tempfile::tempdir().unwrap();
    let other = models.path().join("other.gguf");
    quantize(&model, &other, Q8_0);
    let task = "In config.py, change MAX_RETRIES from 3 to 5";
    let run = edit(
        dir.path(),
        &[
            "--model",
            other.to_str().unwrap(),
            "--yes",
            "--json",
            "--stats",
            task,
        ],
    );
    let report: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(report["stats"]["profile"], "adapted-2", "{run:#?}");
    let after = std::fs::read_to_string(dir.path().join("config.py")).unwrap();
    assert_eq!(after, before.replace("RIES = 3", "RIES = 5"), "{run:#?}");
}

#[tokio::test]
async fn a_model_without_an_adapter_of_ours_goes_without() {
    let files = Files::new();
    let folder = files.dir.path().join("adapters");
    let engine = files
        .start(AdapterChoice::Own {
            folder: folder.clone(),
        })
        .await
        .unwrap();
    assert_eq!(engine.model().adapter, None);
    assert!(!folder.exists(), "nothing is unpacked");
}

#[tokio::test]
async fn our_own_go_with_the_models_that_they_are_for() {
    // A model of the right name, but of other sizes: llama.cpp compares the shapes.
    for base in [
        "Qwen2.5-Coder-0.5B-Instruct",
        "Qwen2.5 Coder 1.5B Instruct Q8",
    ] {
        let files = Files::new();
        let recipe = Recipe {
            name: base,
            architecture: zoo::named("qwen2"),
            ..Recipe::default()
        };
        models::write(&files.model, &recipe);
        let folder = files.dir.path().join("adapters");
        let Err(error) = files
            .start(AdapterChoice::Own {
                folder: folder.clone(),
            })
            .await
        else {
            panic!("{base}: no adapter was loaded");
        };
        assert!(matches!(error, EngineError::Adapter { .. }), "{error}");
        assert!(
            error.to_string().contains(folder.to_str().unwrap()),
            "{error}"
        );
        files.start(AdapterChoice::None).await.unwrap();
    }
}

#[tokio::test]
async fn an_adapter_that_does_not_fit_is_refused_with_the_reason() {
    let files = Files::new();
    let other = files.adapter("other.gguf", zoo::named("qwen2"), 1.0);
    let text = files.dir.path().join("notes.gguf");
    std::fs::write(&text, "hello").unwrap();
    let missing = files.dir.path().join("missing.gguf");
    let of_another = files.dir.path().join("of_another.gguf");
    models::write_adapter(&of_another, zoo::named("llama"), Some("TinyCoder 1B"), 1.0);
    for (path, reason) in [
        (other, "arch"),
        (text, "no GGUF file"),
        (missing, "No such file"),
        (
            of_another,
            "it is for TinyCoder 1B, and the model is random",
        ),
    ] {
        let Err(error) = files.start(AdapterChoice::File(path.clone())).await else {
            panic!("{} is accepted", path.display());
        };
        let message = error.to_string();
        assert!(message.contains(path.to_str().unwrap()), "{message}");
        assert!(message.contains(reason), "{message}");
    }
}
