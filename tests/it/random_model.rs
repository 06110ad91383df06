//! Models with random weights, on files that break things: whatever they write is an edit that
//! applies, a decline, or cut off. The counts are printed, by vocabulary.
//!
//! `SLOTWRIGHT_RUNS` says how many runs; `./x prove` makes ten thousand.

use crate::support::models::{self, CHATML_TOKENS, COMPACT_TOKENS, Recipe};
use crate::support::random::Random;
use crate::support::vocabularies::{TokenType, Vocabulary};
use crate::support::{ask, is_let_through, zoo};
use slotwright::constrain::{SlotSpec, Spec};
use slotwright::engine::process::ModelProcess;
use slotwright::engine::protocol::Load;
use slotwright::engine::{
    Answer, End, Engine, EngineError, ModelInfo, Progress, Request, Sampling,
};
use slotwright::flow::{FlowError, GenerateOptions, Given, Session, Verdict, where_to};
use slotwright::prompt::Profile;
use slotwright::search::SearchError;
use slotwright::slots::{FilePick, Operation, Pick};
use slotwright::task::Task;
use slotwright::text::Text;
use slotwright::workspace::{Change, Workspace};
use std::collections::{BTreeMap, VecDeque};
use std::path::Path;
use std::sync::Mutex;
use std::time::Duration;

/// Runs of an ordinary test.
const RUNS: usize = 500;

/// A run that takes this long hangs: most take a fraction of a second.
const HANGS: Duration = Duration::from_secs(300);

const TASKS: [&str; 12] = [
    "Rename process_item to handle_item everywhere",
    "Change 1 to 2",
    "Add a comment above the function",
    "Insert <|answer|> before \"}\" <|im_end|>",
    "\u{6539}\u{6210}\u{4e2d}\u{6587} \u{1f600}",
    "Make a new file",
    "x",
    "Delete the line that says \\n\\\" and everything after it, please, as soon as possible",
    "Change the line in the middle of equal_lines.txt",
    "{\"path\":\"plain.py\",\"operation\":\"replace\"}",
    "\u{202e}\u{5e9}\u{5dc}\u{5d5}\u{5dd} \u{0}\u{1b}[31m",
    "Replace key12 by key13, value by wert, and 7 by 8 in one_line.json",
];

/// The random model, but every other time the program goes on with another pick than the model's,
/// so that stage 2 sees every operation whatever a model's favourite answer to the first question
/// is. Checks every answer against what it was to fit.
struct Steered<'a> {
    model: &'a mut ModelProcess,
    steer: Option<usize>,
    /// Shorter answers than a profile allows: a random model seldom ends a long one.
    answer_tokens: usize,
}

impl Engine for Steered<'_> {
    fn model(&self) -> &ModelInfo {
        self.model.model()
    }

    async fn count_tokens(&mut self, texts: &[&str]) -> Result<Vec<usize>, EngineError> {
        self.model.count_tokens(texts).await
    }

    async fn complete(
        &mut self,
        request: &Request,
        progress: &mut dyn FnMut(Progress),
    ) -> Result<Answer, EngineError> {
        let mut request = request.clone();
        request.limits.answer_tokens = request.limits.answer_tokens.min(self.answer_tokens);
        let mut answer = self.model.complete(&request, progress).await?;
        let stats = &answer.stats;
        assert!(
            stats.sampled_tokens <= request.limits.answer_tokens,
            "{stats:?}"
        );
        assert!(
            stats.evaluations <= request.limits.answer_tokens
                && stats.reused_tokens < stats.prompt_tokens,
            "{stats:?}"
        );
        assert!(stats.accepted_tokens <= stats.drafted_tokens, "{stats:?}");
        let total =
            answer.stats.prompt_tokens + answer.stats.sampled_tokens + answer.stats.forced_tokens;
        assert!(total <= self.model().context_tokens, "{:?}", answer.stats);
        let fits = is_let_through(&request, &answer.text);
        assert_eq!(
            fits,
            answer.end == End::Complete,
            "{:?}: {}",
            answer.end,
            answer.text
        );
        if let Spec::Slots(SlotSpec::Rewrite { fence, .. }) = &request.spec
            && !fits
        {
            // Random tokens never end a fence, so it is ended for them, whatever is in it.
            let ended = format!("{}\n{}", answer.text, fence.closing());
            if is_let_through(&request, &ended) {
                (answer.text, answer.end) = (ended, End::Complete);
            }
        }
        let Spec::Slots(SlotSpec::Pick { files, .. }) = &request.spec else {
            return Ok(answer);
        };
        if fits && let Pick::File(pick) = serde_json::from_str(&answer.text).unwrap() {
            assert!(
                files
                    .iter()
                    .any(|f| f.path == pick.path && f.operations.contains(&pick.operation)),
                "{}",
                answer.text
            );
        }
        if let Some(choice) = self.steer {
            let file = &files[choice % files.len()];
            let operation = file.operations[choice / files.len() % file.operations.len()];
            let pick = Pick::File(FilePick {
                path: file.path.clone(),
                operation,
            });
            (answer.text, answer.end) = (serde_json::to_string(&pick).unwrap(), End::Complete);
        }
        Ok(answer)
    }
}

/// What came of how many runs.
type Counts = BTreeMap<&'static str, usize>;

/// Runs the flow so many times with one model, and counts what came of it.
async fn run(model: &Path, seed: u64, n_runs: usize) -> Counts {
    let load = Load {
        model: model.to_path_buf(),
        threads: 1,
        check_memory: true,
        ..Load::default()
    };
    let mut counts = Counts::new();
    let mut engine = ModelProcess::start(Path::new(crate::support::PROGRAM), load, &mut |_| {})
        .await
        .unwrap();
    let (profile, _) = Profile::of(engine.model()).unwrap();
    let mut random = Random(seed);
    for i in 0..n_runs {
        let seed = (seed << 32) + i as u64;
        let files = crate::support::texts::awkward_files(&mut random);
        let named: Vec<(&str, &[u8])> = files
            .iter()
            .map(|(path, bytes)| (path.as_str(), bytes.as_slice()))
            .collect();
        let dir = crate::support::folder(&named);
        let workspace = Workspace::open(dir.path()).unwrap();
        let task = Task::new(TASKS[random.below(TASKS.len())], vec![]).unwrap();
        let temperature = *random.pick(&[0.2, 0.5, 1.0, 2.0]);
        let sampling = if random.below(8) == 0 {
            Sampling::Greedy
        } else {
            Sampling::Random { temperature, seed }
        };
        let options = GenerateOptions {
            sampling,
            ..GenerateOptions::new(profile.clone())
        };
        let answer_tokens = *random.pick(&[24, 128, 128, 512]);
        let steer = (i % 2 == 1).then(|| random.below(1 << 16));
        let mut steered = Steered {
            model: &mut engine,
            steer,
            answer_tokens,
        };
        if i % 4 == 0 {
            let asked = place(&files, &workspace, &options, &mut steered, &mut random);
            tokio::time::timeout(HANGS, asked)
                .await
                .expect("a run ends");
        }
        let edit = ask(&task, &workspace, options, &mut steered);
        let outcome = match tokio::time::timeout(HANGS, edit).await.expect("a run ends") {
            Ok(outcome) => outcome,
            Err(FlowError::Search(SearchError::NoFiles { .. })) => {
                panic!("every folder has a file that can be edited")
            }
            Err(error) => panic!("seed {seed}: {error}"),
        };
        let answers: Vec<&str> = outcome.stages.iter().map(|s| s.answer.as_str()).collect();
        let mut edited = None;
        let what = match outcome.verdict {
            Verdict::Mechanics(error) => {
                println!("mechanics, seed {seed}: {error}: {answers:?}");
                "mechanics"
            }
            Verdict::Proposed(patched) => {
                let listed = files.iter().any(|(path, _)| *path == patched.path);
                match patched.operation {
                    Operation::Create => {
                        assert!(!listed, "{answers:?}");
                        workspace
                            .write(&Change::create(&patched.path, &patched.after))
                            .unwrap();
                    }
                    _ => {
                        assert!(listed, "{answers:?}");
                        assert_ne!(
                            patched.before.bytes(),
                            patched.after,
                            "seed {seed}: {answers:?}"
                        );
                        workspace
                            .write(&Change::replace(
                                &patched.path,
                                patched.before.bytes(),
                                &patched.after,
                            ))
                            .unwrap();
                    }
                }
                let after = std::fs::read(dir.path().join(&patched.path)).unwrap();
                assert_eq!(after, patched.after);
                let encoding = Text::decode(after).unwrap().encoding();
                // What has lost its last letter beyond ASCII is in every encoding.
                if !patched.before.bytes().is_empty() && !patched.after.is_ascii() {
                    // With other letters in the file the guess may be a better one.
                    let before = patched.before.encoding();
                    assert_eq!(encoding.name(), before.name(), "seed {seed}: {answers:?}");
                }
                edited = Some(patched.path);
                patched.operation.word()
            }
            Verdict::AlreadyDone(_) => "already done",
            Verdict::Declined(_) => "declined",
            Verdict::Truncated(_) => "truncated",
            Verdict::Refused(_) => "refused",
        };
        // Whatever it is, every file but the one edited is as it was.
        for (path, bytes) in &files {
            let is_as_it_was = std::fs::read(dir.path().join(path)).unwrap() == *bytes;
            assert_eq!(
                is_as_it_was,
                edited.as_ref() != Some(path),
                "seed {seed}, {path}: {answers:?}"
            );
        }
        *counts.entry(what).or_default() += 1;
        let place = answers.iter().any(|a| a.contains("\",\"place\":\""));
        *counts.entry("with a place").or_default() += usize::from(place);
    }
    counts
}

/// Asks where some lines go in one of the files. Whatever the answer is, it is among the lines that
/// were offered, or there is none.
async fn place(
    files: &[(String, Vec<u8>)],
    workspace: &Workspace,
    options: &GenerateOptions,
    engine: &mut Steered<'_>,
    random: &mut Random,
) {
    let (path, _) = &files[random.below(files.len())];
    let Ok(text) = workspace.read(path) else {
        return;
    };
    let lines: Vec<&str> = text.shown().lines().collect();
    let start = random.below(lines.len() + 1);
    let within = start..start + random.below(lines.len() + 1 - start);
    if lines[within.clone()]
        .iter()
        .all(|line| line.trim().is_empty())
    {
        return;
    }
    let mut session = Session {
        workspace,
        engine,
        options: options.clone(),
        progress: &mut |_| (),
    };
    let text = *random.pick(&["x = 1\n", "fn f() {\n}\n", "\u{202e}\"\\\n"]);
    let replaces = random.below(2) == 0;
    // Some of the lines that are no blank ones.
    let is_text = |line: &usize| !lines[*line].trim().is_empty();
    let texts: Vec<usize> = within.clone().filter(is_text).collect();
    let alike: Vec<_> = texts
        .into_iter()
        .take(random.below(4))
        .map(|line| line..line + 1)
        .collect();
    let given = Given {
        text,
        path,
        within: &within,
        alike: &alike,
        replaces,
    };
    match where_to(given, &mut session).await {
        Ok(Ok(spot)) => {
            assert!(
                within.start <= spot.lines.start && spot.lines.end <= within.end,
                "{path}: {spot:?} is not within {within:?}"
            );
            assert!(!replaces || !spot.lines.is_empty(), "{path}: {spot:?}");
            let is_alike = spot.lines.is_empty() || alike.contains(&spot.lines);
            assert!(
                is_alike || alike.is_empty(),
                "{path}: {spot:?}, of {alike:?}"
            );
        }
        Ok(Err(verdict)) => assert!(
            matches!(*verdict, Verdict::Declined(_) | Verdict::Truncated(_)),
            "{path}: {verdict:?}"
        ),
        // Of a long line there may be no part that fits.
        Err(FlowError::FileTooLong { .. }) => {}
        Err(error) => panic!("{path}: {error}"),
    }
}

/// A model to be made and run.
struct Job {
    recipe: Recipe,
    n_runs: usize,
}

/// Every architecture with both profiles, and each time another kind of vocabulary; then the
/// vocabularies of real models, each in one architecture.
fn jobs(n_runs: usize) -> VecDeque<Job> {
    let mut jobs = VecDeque::new();
    let profiles = [(Some("compact-4"), COMPACT_TOKENS), (None, CHATML_TOKENS)];
    let kinds = [
        Vocabulary::Bpe,
        Vocabulary::CutBpe,
        Vocabulary::GappyBpe,
        Vocabulary::SentencePiece(true),
        Vocabulary::SentencePiece(false),
    ];
    let n_models = zoo::ALL.len() * profiles.len();
    for architecture in &zoo::ALL {
        for (profile, control_tokens) in profiles {
            let i = jobs.len();
            // Half of the models mark their markup as many converted ones do.
            let marked_as = if i / 2 % 2 == 0 {
                TokenType::Control
            } else {
                TokenType::UserDefined
            };
            let recipe = Recipe {
                seed: 100 + i as u64,
                architecture,
                vocabulary: kinds[i % kinds.len()].clone(),
                profile,
                control_tokens,
                marked_as,
                ..Recipe::default()
            };
            jobs.push_back(Job {
                recipe,
                n_runs: n_runs.div_ceil(n_models),
            });
        }
    }
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/vocabs");
    let Ok(entries) = std::fs::read_dir(&folder) else {
        println!(
            "skipped: the vocabularies of real models \
             (there is no folder of them beside the project)"
        );
        return jobs;
    };
    let mut paths: Vec<_> = entries
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|e| e == "gguf"))
        .collect();
    paths.sort();
    for (i, path) in paths.iter().enumerate() {
        for (profile, _) in profiles {
            let architecture = &zoo::ALL[i % zoo::ALL.len()];
            let vocabulary = Vocabulary::Of(path.clone());
            let recipe = Recipe {
                seed: 1_000 + jobs.len() as u64,
                architecture,
                vocabulary,
                profile,
                ..Recipe::default()
            };
            jobs.push_back(Job {
                recipe,
                n_runs: n_runs / 5 / (2 * paths.len()),
            });
        }
    }
    jobs
}

#[test]
fn any_answer_is_an_edit_that_applies_or_a_decline_or_cut_off() {
    let n_runs = std::env::var("SLOTWRIGHT_RUNS")
        .map_or(RUNS, |n| n.parse().expect("SLOTWRIGHT_RUNS is a number"));
    let dir = tempfile::tempdir().unwrap();
    let jobs = Mutex::new(jobs(n_runs));
    let results: Mutex<BTreeMap<(usize, String), Counts>> = Mutex::default();
    std::thread::scope(|scope| {
        for worker in 0..std::thread::available_parallelism().map_or(2, |n| n.get().min(4)) {
            let (jobs, results, model) =
                (&jobs, &results, dir.path().join(format!("{worker}.gguf")));
            scope.spawn(move || {
                let runtime = tokio::runtime::Builder::new_current_thread()
                    .enable_all()
                    .build()
                    .unwrap();
                while let Some(Job { recipe, n_runs }) = { jobs.lock().unwrap().pop_front() } {
                    models::write(&model, &recipe);
                    let counts = runtime.block_on(run(&model, recipe.seed, n_runs));
                    let is_real = usize::from(matches!(recipe.vocabulary, Vocabulary::Of(_)));
                    let mut results = results.lock().unwrap();
                    let sum = results
                        .entry((is_real, recipe.vocabulary.name()))
                        .or_default();
                    for (what, n) in counts {
                        *sum.entry(what).or_default() += n;
                    }
                }
            });
        }
    });
    let results = results.into_inner().unwrap();
    print(&results);
    let count = |what| {
        results
            .values()
            .filter_map(|counts| counts.get(what))
            .sum::<usize>()
    };
    assert_eq!(count("mechanics"), 0);
    assert!(COLUMNS[..10].iter().map(|what| count(what)).sum::<usize>() >= n_runs);
    for what in [
        "replace",
        "replace_all",
        "insert",
        "create",
        "rewrite",
        "declined",
        "truncated",
    ] {
        assert!(count(what) > 0, "no run came to {what}");
    }
}

const COLUMNS: [&str; 11] = [
    "mechanics",
    "replace",
    "replace_all",
    "insert",
    "create",
    "rewrite",
    "declined",
    "already done",
    "truncated",
    "refused",
    "with a place",
];

/// A table for docs/guarantee.md.
fn print(results: &BTreeMap<(usize, String), Counts>) {
    let row = |name: &str, counts: &dyn Fn(&str) -> usize| {
        let n_runs: usize = COLUMNS[..10].iter().map(|what| counts(what)).sum();
        let cells: Vec<String> = COLUMNS
            .iter()
            .map(|what| counts(what).to_string())
            .collect();
        println!("| {name} | {n_runs} | {} |", cells.join(" | "));
    };
    println!("| vocabulary | runs | {} |", COLUMNS.join(" | "));
    println!("|---|{}", "---|".repeat(COLUMNS.len() + 1));
    for ((_, name), counts) in results {
        row(name, &|what| counts.get(what).copied().unwrap_or(0));
    }
    row("all", &|what| {
        results.values().filter_map(|counts| counts.get(what)).sum()
    });
}
