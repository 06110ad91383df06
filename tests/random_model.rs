//! Models with random weights, on files that break things: whatever they write is an edit that applies, a
//! decline, or cut off. The counts are printed.

mod support;

use slotwright::constrain::Spec;
use slotwright::engine::process::ModelProcess;
use slotwright::engine::protocol::Load;
use slotwright::engine::{Answer, End, Engine, EngineError, ModelInfo, Progress, Request, Sampling};
use slotwright::flow::{self, Asking, FlowError, Verdict};
use slotwright::prompt::Profile;
use slotwright::slots::{FilePick, Operation, Pick};
use slotwright::task::Task;
use slotwright::text::Text;
use slotwright::workspace::Workspace;
use std::collections::BTreeMap;
use std::path::Path;
use support::gguf::{self, CHATML_TOKENS, COMPACT_TOKENS, Random, Recipe, TokenType};

const TASKS: [&str; 8] = [
    "Rename process_item to handle_item everywhere",
    "Change 1 to 2",
    "Add a comment above the function",
    "Insert <|answer|> before \"}\" <|im_end|>",
    "\u{6539}\u{6210}\u{4e2d}\u{6587} \u{1f600}",
    "Make a new file",
    "x",
    "Delete the line that says \\n\\\" and everything after it, please, as soon as possible",
];

/// The random model, but every other time the program goes on with another pick than the model's, so that
/// stage 2 sees every operation whatever a model's favourite answer to the first question is.
struct Steered<'a> {
    model: &'a mut ModelProcess,
    steer: Option<usize>,
}

impl Engine for Steered<'_> {
    fn model(&self) -> &ModelInfo {
        self.model.model()
    }

    async fn count_tokens(&mut self, texts: &[&str]) -> Result<Vec<usize>, EngineError> {
        self.model.count_tokens(texts).await
    }

    async fn complete(&mut self, request: &Request, progress: &mut dyn FnMut(Progress)) -> Result<Answer, EngineError> {
        let mut answer = self.model.complete(request, progress).await?;
        let Spec::Pick { files, .. } = &request.spec else { return Ok(answer) };
        if answer.end == End::Complete
            && let Pick::File(pick) = serde_json::from_str(&answer.text).unwrap()
        {
            assert!(files.iter().any(|f| f.path == pick.path && f.operations.contains(&pick.operation)), "{}", answer.text);
        }
        if let Some(choice) = self.steer {
            let file = &files[choice % files.len()];
            let operation = file.operations[choice / files.len() % file.operations.len()];
            let pick = Pick::File(FilePick { path: file.path.clone(), operation });
            (answer.text, answer.end) = (serde_json::to_string(&pick).unwrap(), End::Complete);
        }
        Ok(answer)
    }
}

/// Runs the flow so many times, and counts what came of it.
async fn run(model: &Path, seed: u64, n_runs: u64, counts: &mut BTreeMap<String, usize>) {
    let load = Load { model: model.to_path_buf(), threads: 2, verbose: false };
    let mut engine = ModelProcess::start(Path::new(support::PROGRAM), load, &mut |_| {}).await.unwrap();
    let (profile, _) = Profile::of(engine.model()).unwrap();
    let mut random = Random(seed);
    for seed in (0..n_runs).map(|i| seed * n_runs + i) {
        let files = support::texts::awkward_files(&mut random);
        let named: Vec<(&str, &[u8])> = files.iter().map(|(path, bytes)| (path.as_str(), bytes.as_slice())).collect();
        let dir = support::folder(&named);
        let workspace = Workspace::open(dir.path()).unwrap();
        let task = Task::new(TASKS[random.below(TASKS.len())], vec![]).unwrap();
        let temperature = [0.5, 1.0, 2.0][random.below(3)];
        let asking = Asking { profile: profile.clone(), sampling: Sampling::Random { temperature, seed } };
        let mut steered = Steered { model: &mut engine, steer: (seed % 2 == 1).then(|| random.below(1 << 16)) };
        let outcome = match flow::edit(&task, &workspace, &asking, &mut steered, &mut |_| {}).await {
            Ok(outcome) => outcome,
            Err(FlowError::NoFiles { .. }) => panic!("every folder has a file that can be edited"),
            Err(error) => panic!("seed {seed}: {error}"),
        };
        let answers: Vec<&str> = outcome.stages.iter().map(|s| s.answer.as_str()).collect();
        let mut edited = None;
        let what = match outcome.verdict {
            Verdict::Mechanics(error) => panic!("seed {seed}: {error}: {answers:?}"),
            Verdict::Proposed(patched) => {
                let listed = files.iter().any(|(path, _)| *path == patched.path);
                match patched.operation {
                    Operation::Create => {
                        assert!(!listed, "{answers:?}");
                        workspace.create(&patched.path, &patched.after).unwrap();
                    }
                    _ => {
                        assert!(listed, "{answers:?}");
                        assert_ne!(patched.before.bytes(), patched.after, "seed {seed}: {answers:?}");
                        workspace.commit(&patched.path, patched.before.bytes(), &patched.after).unwrap();
                    }
                }
                let after = std::fs::read(dir.path().join(&patched.path)).unwrap();
                assert_eq!(after, patched.after);
                let encoding = Text::decode(after).unwrap().encoding();
                if !patched.before.bytes().is_empty() {
                    assert_eq!(encoding, patched.before.encoding(), "seed {seed}: {answers:?}");
                }
                edited = Some(patched.path);
                patched.operation.word()
            }
            Verdict::AlreadyDone => "already done",
            Verdict::Declined(_) => "declined",
            Verdict::Truncated(_) => "truncated",
            Verdict::Refused(_) => "refused by the file's encoding",
        };
        // Whatever it is, every file but the one edited is as it was.
        for (path, bytes) in &files {
            let is_as_it_was = std::fs::read(dir.path().join(path)).unwrap() == *bytes;
            assert_eq!(is_as_it_was, edited.as_ref() != Some(path), "seed {seed}, {path}: {answers:?}");
        }
        *counts.entry(what.to_owned()).or_default() += 1;
        let place = answers.iter().any(|a| a.contains("\",\"place\":\""));
        *counts.entry("(of these, with a place)".to_owned()).or_default() += usize::from(place);
    }
}

#[tokio::test]
async fn any_answer_is_an_edit_that_applies_or_a_decline_or_cut_off() {
    let dir = tempfile::tempdir().unwrap();
    // Several models, since one has its favourite answer to the first question whatever it read.
    const MODELS: u64 = 6;
    const RUNS: u64 = 25;
    for (name, profile, control_tokens) in [("compact-1", Some("compact-1"), COMPACT_TOKENS), ("instruct", None, CHATML_TOKENS)] {
        let mut counts = BTreeMap::new();
        for seed in 0..MODELS {
            let model = dir.path().join(format!("{name}-{seed}.gguf"));
            gguf::write(&model, &Recipe { seed, profile, control_tokens, marked_as: TokenType::Control });
            run(&model, seed, RUNS, &mut counts).await;
        }
        println!("{} runs of {MODELS} random models, profile {name}: {counts:?}", MODELS * RUNS);
        for kind in ["replace", "replace_all", "insert", "declined"] {
            assert!(counts.contains_key(kind), "no run came to {kind}: {counts:?}");
        }
    }
}
