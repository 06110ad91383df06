//! The model process by itself: what it knows of its model, what it makes of text, how it fails.

use crate::support::models::{self, COMPACT_TOKENS, Recipe};
use crate::support::vocabularies::TokenType;
use serde_json::{Value, json};
use slotwright::constrain::{SlotSpec, Spec};
use slotwright::engine::process::ModelProcess;
use slotwright::engine::protocol::Load;
use slotwright::engine::{End, Engine, EngineError, Limits, Part, Progress, Request, Sampling};
use slotwright::prompt::Profile;
use std::path::Path;

async fn start(model: &Path) -> ModelProcess {
    let load = Load {
        model: model.to_path_buf(),
        threads: 2,
        check_memory: true,
        ..Load::default()
    };
    ModelProcess::start(Path::new(crate::support::PROGRAM), load, &mut |_| {})
        .await
        .unwrap()
}

fn random_model(dir: &tempfile::TempDir) -> std::path::PathBuf {
    model_with(dir, TokenType::Control)
}

fn model_with(dir: &tempfile::TempDir, marked_as: TokenType) -> std::path::PathBuf {
    let path = dir.path().join("random.gguf");
    models::write(
        &path,
        &Recipe {
            seed: 5,
            marked_as,
            ..Recipe::default()
        },
    );
    path
}

fn request(text: &str, answer_tokens: usize) -> Request {
    Request {
        prompt: vec![
            Part::Control("<|pick|>".to_owned()),
            Part::Text(text.to_owned()),
        ],
        spec: Spec::Slots(SlotSpec::Create {
            existing: vec![],
            spelled: vec![],
        }),
        limits: Limits { answer_tokens },
        sampling: Sampling::Greedy,
        fixed_parts: 0,
        file_bytes: 0,
        weights: slotwright::engine::Weights::Adapted,
        likely: None,
        given: None,
        branches: 0,
    }
}

#[tokio::test]
async fn the_bundled_model_says_what_it_is() {
    let engine = start(&Path::new(env!("CARGO_MANIFEST_DIR")).join("models/bundled.gguf")).await;
    assert_eq!(engine.model().context_tokens, 2560);
    assert!(matches!(
        Profile::of(engine.model()),
        Ok((Profile::Compact, None))
    ));
}

#[tokio::test]
async fn text_never_becomes_a_control_token() {
    // Marked as control tokens, and as converted models mark them: llama.cpp reads the latter in
    // any text.
    for marked_as in [TokenType::Control, TokenType::UserDefined] {
        let dir = tempfile::tempdir().unwrap();
        let mut engine = start(&model_with(&dir, marked_as)).await;
        let counts = engine.count_tokens(COMPACT_TOKENS).await.unwrap();
        assert!(counts.iter().all(|&n| n > 1), "spelled out: {counts:?}");
        // As markup each is one token; the prompt of a request shows it.
        let as_markup: Vec<Part> = COMPACT_TOKENS
            .iter()
            .map(|&t| Part::Control(t.to_owned()))
            .collect();
        let as_text = COMPACT_TOKENS
            .iter()
            .map(|&t| Part::Text(t.to_owned()))
            .collect();
        for (prompt, expected) in [
            (as_markup, COMPACT_TOKENS.len()),
            (as_text, counts.iter().sum()),
        ] {
            let answer = engine
                .complete(
                    &Request {
                        prompt,
                        ..request("", 8)
                    },
                    &mut |_| {},
                )
                .await
                .unwrap();
            assert_eq!(answer.stats.prompt_tokens, expected);
        }
    }
}

#[tokio::test]
async fn an_answer_that_does_not_end_is_cut_off_not_closed() {
    let dir = tempfile::tempdir().unwrap();
    let mut engine = start(&random_model(&dir)).await;
    let answer = engine
        .complete(&request("x", 3), &mut |_| {})
        .await
        .unwrap();
    assert_eq!(answer.end, End::Budget);
    assert!(answer.stats.sampled_tokens <= 3);
    assert!(!answer.text.ends_with('}'));
}

#[tokio::test]
async fn progress_is_told_as_the_prompt_is_read() {
    let dir = tempfile::tempdir().unwrap();
    let mut engine = start(&random_model(&dir)).await;
    let mut told = Vec::new();
    engine
        .complete(&request(&"x ".repeat(2_000), 8), &mut |p| told.push(p))
        .await
        .unwrap();
    let read: Vec<(usize, usize)> = told
        .iter()
        .filter_map(|p| {
            if let Progress::Reading { done, total } = p {
                Some((*done, *total))
            } else {
                None
            }
        })
        .collect();
    assert!(
        read.len() > 3
            && read.is_sorted()
            && read
                .iter()
                .all(|(_, total)| total == &read.last().unwrap().0),
        "{told:?}"
    );
}

#[tokio::test]
async fn a_prompt_too_long_is_said_and_the_process_lives_on() {
    let dir = tempfile::tempdir().unwrap();
    let mut engine = start(&random_model(&dir)).await;
    let long = engine
        .complete(&request(&"x ".repeat(20_000), 8), &mut |_| {})
        .await;
    assert!(
        matches!(long, Err(EngineError::PromptTooLong { max: 16_376, .. })),
        "{long:?}"
    );
    assert!(engine.complete(&request("x", 8), &mut |_| {}).await.is_ok());
}

#[tokio::test]
async fn the_same_request_gives_the_same_answer() {
    let dir = tempfile::tempdir().unwrap();
    let mut engine = start(&random_model(&dir)).await;
    let random = Request {
        sampling: Sampling::Random {
            temperature: 1.0,
            seed: 7,
        },
        ..request("x", 40)
    };
    for request in [request("x", 40), random.clone()] {
        let first = engine.complete(&request, &mut |_| {}).await.unwrap();
        engine
            .complete(&self::request("something else in between", 8), &mut |_| {})
            .await
            .unwrap();
        assert_eq!(
            engine.complete(&request, &mut |_| {}).await.unwrap().text,
            first.text
        );
    }
    let other = Request {
        sampling: Sampling::Random {
            temperature: 1.0,
            seed: 8,
        },
        ..random.clone()
    };
    let answers = [
        engine.complete(&random, &mut |_| {}).await.unwrap(),
        engine.complete(&other, &mut |_| {}).await.unwrap(),
    ];
    assert_ne!(answers[0].text, answers[1].text);
}

#[tokio::test]
async fn an_answer_fits_a_json_schema() {
    let dir = tempfile::tempdir().unwrap();
    let mut engine = start(&random_model(&dir)).await;
    let schema = json!({
        "type": "object",
        "properties": {
            "kind": {"enum": ["bug", "feature"]},
            "sizes": {"type": "array", "items": {"enum": [1, 2, 3]}, "maxItems": 4}
        },
        "required": ["kind", "sizes"],
        "additionalProperties": false
    });
    for seed in 0..20 {
        let sampling = Sampling::Random {
            temperature: 1.0,
            seed,
        };
        let request = Request {
            spec: Spec::Schema(schema.clone()),
            sampling,
            ..request("x", 60)
        };
        let answer = engine.complete(&request, &mut |_| {}).await.unwrap();
        assert_eq!(answer.end, End::Complete, "{}", answer.text);
        let value: Value = serde_json::from_str(&answer.text).unwrap();
        assert!(jsonschema::is_valid(&schema, &value), "{}", answer.text);
        assert_eq!(value.to_string(), answer.text, "compact");
        assert!(
            answer.stats.forced_tokens > answer.stats.sampled_tokens,
            "{:?}",
            answer.stats
        );
    }
}

#[tokio::test]
async fn a_schema_that_cannot_be_forced_is_refused_and_the_process_lives_on() {
    let dir = tempfile::tempdir().unwrap();
    let mut engine = start(&random_model(&dir)).await;
    let schema = json!({"type": "array", "uniqueItems": true});
    let refused = engine
        .complete(
            &Request {
                spec: Spec::Schema(schema),
                ..request("x", 8)
            },
            &mut |_| {},
        )
        .await
        .unwrap_err();
    assert!(matches!(refused, EngineError::Schema { .. }), "{refused:?}");
    let message =
        "the answer cannot be forced to fit the JSON Schema: Unimplemented keys: [\"uniqueItems\"]";
    assert_eq!(refused.to_string(), message);
    assert!(engine.complete(&request("x", 8), &mut |_| {}).await.is_ok());
}
