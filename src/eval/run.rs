//! Runs an evaluation: every model, strategy, task and run, one after the other or several at once;
//! whatever goes wrong is a row or a problem, and the next one is run.

use super::claim::claim;
use super::config::EvalConfig;
use super::judge::{self, Judgement, NOT_CHECKED};
use super::known_answer;
use super::record::{Problem, Row, Verdict};
use super::strategy::{self, Attempt, Made, MechanicsKind, Strategy};
use super::task::EvalTask;
use super::tree::{Tree, difference, write_tree};
use crate::engine::{Engine, EngineError, Sampling};
use crate::flow::{GenerateOptions, Session};
use crate::prompt::Profile;
use crate::slots::{Pick, Slot};
use crate::task::Task;
use crate::workspace::Workspace;
use sha2::{Digest, Sha256};
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::future::Future;
use std::time::Instant;
use tempfile::TempDir;

/// The longest part of an answer that is kept, in bytes.
const KEPT_BYTES: usize = 4 << 10;

/// The kind of a row without an answer: see [`super::strategy::MechanicsKind::NoAnswer`].
const NO_ANSWER: &str = MechanicsKind::NoAnswer.name();

/// One run to be made.
#[derive(Clone, Copy, Debug)]
pub struct Job<'t> {
    /// How the model is asked.
    pub strategy: Strategy,
    /// What that is called in the record.
    pub label: &'t str,
    /// What it is asked for.
    pub task: &'t EvalTask,
    /// Which run, from 1. Each asks in the task's next wording.
    pub run: u32,
}

impl Job<'_> {
    /// Which of the task's wordings, from 0.
    pub fn wording(&self) -> u32 {
        (self.run - 1) % u32::try_from(self.task.wordings.len()).unwrap_or(1).max(1)
    }

    fn seed(&self, seed: u64) -> u64 {
        let hash = Sha256::digest(format!("{seed} {} {}", self.task.name, self.run));
        // As many bits as a number in JSON has in every language.
        u64::from_be_bytes(hash[..8].try_into().expect("a hash is longer")) >> 11
    }
}

/// A model that can be started, again and again if it breaks.
pub trait Source {
    /// What it becomes.
    type Engine: Engine;

    /// Its name in the record.
    fn name(&self) -> &str;

    /// How many answers it can give at once.
    fn jobs(&self) -> usize;

    /// Starts it, to be asked in this way.
    ///
    /// # Errors
    /// A sentence.
    fn start(
        &self,
        strategy: Strategy,
    ) -> impl Future<Output = Result<(Self::Engine, Profile), String>>;
}

/// Runs jobs of one model. Each result goes to `sink` when it is there.
///
/// # Errors
/// A sentence, if the model cannot be started: then the jobs that are left are not run.
pub async fn run<S: Source>(
    source: &S,
    jobs: &[Job<'_>],
    config: &EvalConfig,
    sink: &mut dyn FnMut(Row) -> Result<(), String>,
) -> Result<(), String> {
    let next = Cell::new(0);
    let runner = Runner {
        model: source.name(),
        config,
        folders: Folders::default(),
    };
    let sink = RefCell::new(sink);
    let work = async || -> Result<(), String> {
        let mut started = None;
        while let Some(job) = jobs.get(next.replace(next.get() + 1)) {
            let asks_for_slots = job.strategy.asks_for_slots();
            let kept = started
                .take()
                .filter(|(_, _, asked)| *asked == asks_for_slots);
            let (mut engine, profile, _) = match kept {
                Some(kept) => kept,
                None => {
                    let (engine, profile) = source.start(job.strategy).await?;
                    (engine, profile, asks_for_slots)
                }
            };
            let (row, is_well) = runner.run(job, &mut engine, &profile).await;
            if is_well {
                started = Some((engine, profile, asks_for_slots));
            }
            (sink.borrow_mut())(row)?;
        }
        Ok(())
    };
    let n = source.jobs().clamp(1, jobs.len().max(1));
    futures_util::future::try_join_all((0..n).map(|_| work()))
        .await
        .map(|_| ())
}

/// What went wrong beside the models' answers, by what is said of it: no answer came, or a check
/// came to no decision.
pub fn problems(rows: &[Row]) -> Vec<Problem> {
    let mut counts: BTreeMap<&str, (&str, usize)> = BTreeMap::new();
    for row in rows
        .iter()
        .filter(|row| row.kind == NO_ANSWER || row.kind == NOT_CHECKED)
    {
        counts.entry(&row.message).or_insert((&row.task, 0)).1 += 1;
    }
    let problem = |(message, (task, n)): (&str, (&str, usize))| {
        let message = if n == 1 {
            message.to_owned()
        } else {
            format!("{message} ({n} runs)")
        };
        Problem {
            task: task.to_owned(),
            message,
        }
    };
    counts.into_iter().map(problem).collect()
}

/// The folders of the tasks, as they are before: made once, and never written to again.
#[derive(Default)]
struct Folders(RefCell<BTreeMap<String, TempDir>>);

impl Folders {
    fn workspace(&self, task: &EvalTask) -> Result<Workspace, String> {
        let mut folders = self.0.borrow_mut();
        let failed =
            |error: &dyn std::fmt::Display| format!("the task's folder cannot be made: {error}");
        if !folders.contains_key(&task.name) {
            let folder = tempfile::tempdir().map_err(|error| failed(&error))?;
            write_tree(folder.path(), &task.before).map_err(|error| failed(&error))?;
            folders.insert(task.name.clone(), folder);
        }
        Workspace::open(folders[&task.name].path()).map_err(|error| failed(&error))
    }
}

/// Runs the jobs of one model, one at a time or several at once.
struct Runner<'a> {
    model: &'a str,
    config: &'a EvalConfig,
    folders: Folders,
}

impl Runner<'_> {
    /// One run; and whether the engine is still well.
    async fn run<E: Engine>(
        &self,
        job: &Job<'_>,
        engine: &mut E,
        profile: &Profile,
    ) -> (Row, bool) {
        let Runner {
            model,
            config,
            folders,
        } = self;
        let seed = job.seed(config.seed);
        let started = Instant::now();
        let (answered, is_well) = match folders.workspace(job.task) {
            Err(problem) => (Err(Ending::NoAnswer(problem)), true),
            Ok(workspace) => {
                let asked = self.ask(job, &workspace, engine, profile);
                match tokio::time::timeout(config.time, asked).await {
                    Ok(Ok(answered)) => (Ok(answered), true),
                    Ok(Err(error)) => (Err(Ending::NoAnswer(error.to_string())), false),
                    Err(_) => (Err(Ending::Timeout), false),
                }
            }
        };
        let ms = started.elapsed().as_secs_f64() * 1e3;
        let mut row = Row {
            model: (*model).to_owned(),
            strategy: job.label.to_owned(),
            task: job.task.name.clone(),
            wording: job.wording(),
            run: job.run,
            seed,
            verdict: Verdict::Mechanics,
            kind: NO_ANSWER.to_owned(),
            passed: false,
            message: String::new(),
            diff: String::new(),
            answers: Vec::new(),
            claim: None,
            masked_mass: BTreeMap::new(),
            certainty: BTreeMap::new(),
            prompt_tokens: 0,
            reused_tokens: 0,
            answer_tokens: 0,
            evaluations: 0,
            ms,
        };
        match answered {
            Err(Ending::NoAnswer(message)) => row.message = message,
            Err(Ending::Timeout) => {
                (row.verdict, row.kind) = (Verdict::Timeout, String::new());
                row.message = format!("no answer within {} s", config.time.as_secs());
            }
            Ok((attempt, claim)) => {
                let judgement = judge::judge(job.task, &attempt, &config.checks).await;
                fill(&mut row, &job.task.before, attempt, claim, judgement);
            }
        }
        (row, is_well)
    }

    /// The attempt, and what the model claims of it.
    async fn ask<E: Engine>(
        &self,
        job: &Job<'_>,
        workspace: &Workspace,
        engine: &mut E,
        profile: &Profile,
    ) -> Result<(Attempt, Option<bool>), EngineError> {
        let (task, config) = (job.task, self.config);
        let sentence = &task.wordings[job.wording() as usize];
        if job.strategy == Strategy::Repair && task.check.is_some() {
            let checks = &config.checks;
            let attempt = strategy::repair(sentence, task, checks, profile, engine).await?;
            return Ok((attempt, None));
        }
        let pick = if config.gives_pick {
            known_answer::pick(task)
        } else {
            None
        };
        let is_free = !job.strategy.asks_for_slots();
        // There is no stage 1 to answer: the right file is the only one that is shown.
        let files = match &pick {
            Some(Pick::File(pick)) if is_free => vec![pick.path.clone()],
            _ => Vec::new(),
        };
        let asked = Task::new(sentence, files).expect("no wording is empty");
        let sampling = match config.temperature {
            0.0 => Sampling::Greedy,
            temperature => Sampling::Random {
                temperature,
                seed: job.seed(config.seed),
            },
        };
        let EvalConfig {
            most_edits,
            least_edits,
            ..
        } = *config;
        let options = GenerateOptions {
            sampling,
            pick,
            most_edits,
            least_edits,
            ..GenerateOptions::new(profile.clone())
        };
        let mut session = Session {
            workspace,
            engine: &mut *engine,
            options,
            progress: &mut |_| (),
        };
        let attempt = strategy::attempt(job.strategy, &asked, &task.before, &mut session).await?;
        let claim = match config.asks_claim {
            true => claim(sentence, &task.before, &attempt, engine, profile).await?,
            false => None,
        };
        Ok((attempt, claim))
    }
}

enum Ending {
    NoAnswer(String),
    Timeout,
}

fn fill(row: &mut Row, before: &Tree, attempt: Attempt, claim: Option<bool>, judgement: Judgement) {
    row.passed = judgement.passed();
    row.verdict = judgement.verdict;
    row.kind = judgement.kind.to_owned();
    row.message = match attempt.n_tried {
        Some(n) => format!(
            "{n} attempt{}. {}",
            if n == 1 { "" } else { "s" },
            judgement.message
        )
        .trim_end()
        .to_owned(),
        None => judgement.message,
    };
    if let Made::Edited(after) = &attempt.made {
        row.diff = difference(before, after);
    }
    row.answers = attempt.answers.into_iter().map(kept).collect();
    row.claim = claim;
    row.masked_mass = by_name(&attempt.masked_mass);
    row.certainty = by_name(&attempt.certainty);
    row.prompt_tokens = attempt.prompt_tokens as u64;
    row.reused_tokens = attempt.reused_tokens as u64;
    row.answer_tokens = attempt.answer_tokens as u64;
    row.evaluations = attempt.evaluations as u64;
}

/// Probabilities by the slot's name. Four digits are enough: the last ones depend on how many
/// tokens the model was given at once.
fn by_name(probabilities: &BTreeMap<Slot, f64>) -> BTreeMap<String, f64> {
    let rounded = |share: f64| (share * 1e4).round() / 1e4;
    probabilities
        .iter()
        .map(|(slot, &share)| (slot.key().to_owned(), rounded(share)))
        .collect()
}

fn kept(mut answer: String) -> String {
    if answer.len() > KEPT_BYTES {
        let end = (0..=KEPT_BYTES)
            .rev()
            .find(|&end| answer.is_char_boundary(end))
            .unwrap_or(0);
        answer.truncate(end);
        answer.push('…');
    }
    answer
}
