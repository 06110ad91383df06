//! Runs an evaluation: every model, strategy, task and run, one after the other or several at once.
//! A failure becomes a row or a problem, and the next run begins.

use super::checks::Checks;
use super::claim::claim;
use super::judge::{self, Judgement, NOT_CHECKED};
use super::known_answer;
use super::record::{Problem, Row, Verdict};
use super::strategy::{self, Attempt, Made, MechanicsKind, Strategy, Way};
use super::task::EvalTask;
use super::tree::{Tree, difference, write_tree};
use crate::check::Against;
use crate::engine::{Engine, EngineError, Sampling};
pub use crate::flow::Follow;
use crate::flow::{GenerateOptions, Session};
use crate::prompt::Profile;
use crate::slots::{Pick, Slot};
use crate::task::{Context, Task};
use crate::workspace::Workspace;
use sha2::{Digest, Sha256};
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::future::Future;
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// The longest part of an answer that is kept, in bytes.
const KEPT_BYTES: usize = 4 << 10;

/// The kind of a row without an answer: see [`super::strategy::MechanicsKind::NoAnswer`].
const NO_ANSWER: &str = MechanicsKind::NoAnswer.name();

/// How the models of an evaluation are asked, and their answers checked.
#[derive(Clone, Debug)]
pub struct EvalConfig {
    /// The temperature of sampling. At 0 each token is the likeliest, so every run is the same.
    pub temperature: f32,
    /// The number from which the seed of each run is made.
    pub seed: u64,
    /// The time limit of an answer.
    pub time: Duration,
    /// The most edits of a task: see [`GenerateOptions::most_edits`].
    pub most_edits: Option<usize>,
    /// The fewest edits of a task: see [`GenerateOptions::least_edits`].
    pub least_edits: usize,
    /// See [`GenerateOptions::follow`]; `None`: as `slotwright edit` does.
    pub follow: Option<Follow>,
    /// Whether the model is given stage 1's right answer, if it is known.
    pub gives_pick: bool,
    /// Whether the model is asked if it succeeded.
    pub asks_claim: bool,
    /// Whether edits by slots are checked and mended, by the check of their task: see
    /// [`crate::check`].
    pub edits_against: Option<Against>,
    /// How checks are run.
    pub checks: Checks,
}

/// One run to be made.
#[derive(Clone, Copy, Debug)]
pub struct Job<'t> {
    /// How the model is asked.
    pub strategy: Strategy,
    /// The strategy's name in the record.
    pub label: &'t str,
    /// The task.
    pub task: &'t EvalTask,
    /// The number of the run, from 1. Each run asks in the task's next wording.
    pub run: u32,
}

impl Job<'_> {
    /// The index of its wording.
    fn wording(&self) -> usize {
        (self.run as usize - 1) % self.task.wordings.len()
    }

    fn seed(&self, seed: u64) -> u64 {
        let hash = Sha256::digest(format!("{seed} {} {}", self.task.name, self.run));
        // As many bits as a number in JSON has in every language.
        u64::from_be_bytes(hash[..8].try_into().expect("a hash is longer")) >> 11
    }
}

/// A model that can be started, again and again if it breaks.
pub trait Source {
    /// The model, once it is started.
    type Engine: Engine;

    /// The model's name in the record.
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

/// Runs jobs of one model. Each row goes to `sink` as soon as it is there.
///
/// # Errors
/// A sentence, if the model cannot be started: then the jobs that are left are not run.
pub async fn run<S: Source>(
    source: &S,
    jobs: &[Job<'_>],
    config: &EvalConfig,
    sink: &mut dyn FnMut(Row) -> Result<(), String>,
) -> Result<(), String> {
    let runner = Runner {
        source,
        config,
        jobs,
        next: Cell::new(0),
        folders: RefCell::default(),
        sink: RefCell::new(sink),
    };
    let n = source.jobs().clamp(1, jobs.len().max(1));
    futures_util::future::try_join_all((0..n).map(|_| runner.work())).await?;
    Ok(())
}

/// The failures outside the models' answers, by their messages: no answer came, or a check came to
/// no decision.
pub fn problems(rows: &[Row]) -> Vec<Problem> {
    let mut counts: BTreeMap<&str, (&str, usize)> = BTreeMap::new();
    for row in rows {
        if row.kind == NO_ANSWER || row.kind == NOT_CHECKED {
            counts.entry(&row.message).or_insert((&row.task, 0)).1 += 1;
        }
    }

    let mut problems = Vec::new();
    for (message, (task, n)) in counts {
        let mut message = message.to_owned();
        if n > 1 {
            message += &format!(" ({n} runs)");
        }
        let task = task.to_owned();
        problems.push(Problem { task, message });
    }
    problems
}

/// Runs the jobs of one model, one at a time or several at once.
struct Runner<'a, S> {
    source: &'a S,
    config: &'a EvalConfig,
    jobs: &'a [Job<'a>],
    next: Cell<usize>,
    /// The folders of the tasks before any edit, by the task's name. Each is made once and then
    /// only read.
    folders: RefCell<BTreeMap<String, TempDir>>,
    sink: RefCell<&'a mut dyn FnMut(Row) -> Result<(), String>>,
}

impl<S: Source> Runner<'_, S> {
    /// Takes job after job until none is left.
    async fn work(&self) -> Result<(), String> {
        let mut started = None;
        while let Some(job) = self.jobs.get(self.next.replace(self.next.get() + 1)) {
            // A model with an adapter of ours is of no use for free answers.
            let asks_for_slots = job.strategy.asks_for_slots();
            let (mut engine, profile) = match started.take() {
                Some((engine, profile, asked)) if asked == asks_for_slots => (engine, profile),
                _ => self.source.start(job.strategy).await?,
            };

            let (row, is_well) = self.run(job, &mut engine, &profile).await;
            if is_well {
                started = Some((engine, profile, asks_for_slots));
            }
            (self.sink.borrow_mut())(row)?;
        }
        Ok(())
    }

    /// Makes one run. Returns its row, and whether the engine can be used again.
    async fn run(&self, job: &Job<'_>, engine: &mut S::Engine, profile: &Profile) -> (Row, bool) {
        let mut row = Row {
            model: self.source.name().to_owned(),
            strategy: job.label.to_owned(),
            task: job.task.name.clone(),
            wording: job.wording() as u32,
            run: job.run,
            seed: job.seed(self.config.seed),
            kind: NO_ANSWER.to_owned(),
            ..Row::default()
        };
        let workspace = match self.workspace(job.task) {
            Ok(workspace) => workspace,
            Err(error) => {
                row.message = format!("the task's folder cannot be made: {error}");
                return (row, true);
            }
        };

        let started = Instant::now();
        let asked = self.ask(job, &workspace, engine, profile);
        let answered = tokio::time::timeout(self.config.time, asked).await;
        row.ms = started.elapsed().as_secs_f64() * 1e3;
        match answered {
            Ok(Ok((attempt, claim))) => {
                let judgement = judge::judge(job.task, &attempt, &self.config.checks).await;
                fill(&mut row, &job.task.before, attempt, judgement);
                row.claim = claim;
                return (row, true);
            }
            Ok(Err(error)) => row.message = error.to_string(),
            Err(_) => {
                row.verdict = Verdict::Timeout;
                row.kind.clear();
                row.message = format!("no answer within {} s", self.config.time.as_secs());
            }
        }
        (row, false)
    }

    fn workspace(&self, task: &EvalTask) -> Result<Workspace, std::io::Error> {
        let mut folders = self.folders.borrow_mut();
        if !folders.contains_key(&task.name) {
            let folder = tempfile::tempdir()?;
            write_tree(folder.path(), &task.before)?;
            folders.insert(task.name.clone(), folder);
        }
        Workspace::open(folders[&task.name].path()).map_err(std::io::Error::other)
    }

    /// Asks the model. Returns the attempt, and whether the model says that it succeeded.
    async fn ask(
        &self,
        job: &Job<'_>,
        workspace: &Workspace,
        engine: &mut S::Engine,
        profile: &Profile,
    ) -> Result<(Attempt, Option<bool>), EngineError> {
        let task = job.task;
        let config = self.config;
        let sentence = &task.wordings[job.wording()];
        if let (Strategy::Repair, Some(check)) = (job.strategy, &task.check) {
            let files = (&task.before, check);
            let attempt = strategy::repair(sentence, files, &config.checks, profile, engine);
            return Ok((attempt.await?, None));
        }

        // A free answer has no stage 1: the right file is shown to it alone.
        let mut pick = None;
        let mut shown = Vec::new();
        if config.gives_pick {
            pick = known_answer::pick(task);
            if let (false, Some(Pick::File(pick))) = (job.strategy.asks_for_slots(), &pick) {
                shown.push(pick.path.clone());
            }
        }
        let mut options = GenerateOptions {
            pick,
            most_edits: config.most_edits,
            least_edits: config.least_edits,
            follow: config.follow.unwrap_or(Follow::usual(profile)),
            ..GenerateOptions::new(profile.clone())
        };
        if config.temperature > 0.0 {
            options.sampling = Sampling::Random {
                temperature: config.temperature,
                seed: job.seed(config.seed),
            };
        }

        let asked = Task::new(sentence, shown).expect("no wording is empty");
        let asked = asked.within(Context {
            earlier: task.earlier.clone(),
            ..Context::default()
        });
        let mut session = Session {
            workspace,
            engine: &mut *engine,
            options,
            progress: &mut |_| (),
        };
        let check = config
            .edits_against
            .and_then(|against| config.checks.of_edits(task, against));
        let way = Way {
            strategy: job.strategy,
            check,
        };
        let attempt = strategy::attempt(&way, &asked, &task.before, &mut session).await?;
        let mut says_done = None;
        if config.asks_claim {
            says_done = claim(sentence, &task.before, &attempt, engine, profile).await?;
        }
        Ok((attempt, says_done))
    }
}

fn fill(row: &mut Row, before: &Tree, attempt: Attempt, judgement: Judgement) {
    row.passed = judgement.passed();
    row.verdict = judgement.verdict;
    row.kind = judgement.kind.to_owned();
    row.message = judgement.message;
    if let Some(n) = attempt.n_tried {
        let attempts = if n == 1 { "attempt" } else { "attempts" };
        let message = format!("{n} {attempts}. {}", row.message);
        row.message = message.trim_end().to_owned();
    }
    if let Made::Edited(after) = &attempt.made {
        row.diff = difference(before, after);
    }

    row.answers = attempt.answers;
    for answer in &mut row.answers {
        if answer.len() > KEPT_BYTES {
            answer.truncate(answer.floor_char_boundary(KEPT_BYTES));
            answer.push('…');
        }
    }
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
    let mut by_name = BTreeMap::new();
    for (slot, probability) in probabilities {
        by_name.insert(slot.key().to_owned(), (probability * 1e4).round() / 1e4);
    }
    by_name
}
