//! Red to green, bounded: a bug is mended when a test that showed it passes, and not when the model
//! says so.
//!
//! ```text
//! baseline ──▶ a test that fails for the right reason ──▶ attempt ──▶ tests ──▶ green? ──▶ proof ──▶ gate ──▶ commit
//!                 given, failing already, or written          ▲         │ red
//!                                                             └─────────┘ what failed, what was tried; MAX times
//! ```
//!
//! Everything up to the gate happens in throw-away copies ([`crate::sandbox`]): the person's folder
//! is only read. A green run is not believed either, until a fresh copy is red without the edit and
//! another one green with it. What judges is out of the model's reach ([`guard`]), and what a run
//! says is judged by the names and numbers in its output ([`output`], [`mod@judge`]).
//!
//! What this cannot rule out: code that knows that it is tested, or that itself prints what a
//! runner prints. So a person sees the diff, and both outputs.

pub mod guard;
pub mod judge;
pub mod output;

mod attempt;
mod notes;
mod record;
mod trial;
mod with_test;

pub use record::{AttemptEnd, AttemptRecord, Record, RunRecord, ShownBy, Status};

use crate::engine::{Engine, Progress};
use crate::flow::FlowError;
use crate::flow::steps::FileChange;
use crate::prompt::Profile;
use crate::sandbox::{self, Isolation, Limits, SandboxError};
use crate::search::SearchError;
use crate::workspace::{CommitError, Workspace, WorkspaceError};
use attempt::{Tried, Wish, propose};
use guard::{Judges, Purpose};
use judge::{Expected, Finding, judge, names};
use notes::{Known, notes};
use std::fmt;
use std::path::PathBuf;
use std::time::Duration;
use trial::{TestRun, Trial};
use with_test::{Shown, show_bug};

/// How a repair is made.
#[derive(Clone, Debug)]
pub struct Options {
    /// Runs the tests, as a line for the shell, in the root of a copy.
    pub command: String,
    /// The file of the test that shows the bug, relative to the root.
    pub test_file: Option<String>,
    /// Attempts to mend it.
    pub max_attempts: usize,
    /// Edits that an attempt may be made of.
    pub max_steps: usize,
    /// How long the first run of the tests may take. Later ones may take five times what the first
    /// did, and 10 s at least.
    pub time: Duration,
    /// How the copies are made.
    pub sandbox: sandbox::Options,
    /// The running program, which confines the commands.
    pub program: PathBuf,
}

/// Why a repair came to no end of its own. The person's folder is as it was.
#[derive(Debug, thiserror::Error)]
pub enum RepairError {
    /// An issue without a word in it.
    #[error("the issue is empty")]
    NoIssue,
    /// The copy.
    #[error(transparent)]
    Sandbox(#[from] SandboxError),
    /// The folder.
    #[error(transparent)]
    Workspace(#[from] WorkspaceError),
    /// Writing in the copy.
    #[error("cannot write in the copy: {0}")]
    Write(#[from] CommitError),
    /// The model, or what it is shown.
    #[error(transparent)]
    Flow(#[from] FlowError),
}

/// What happens, as it happens; all but [`Event::Model`] in a sentence.
#[derive(Debug)]
pub enum Event<'a> {
    /// A copy was made, confined like this.
    Copied(&'a Isolation),
    /// The tests are run as they are.
    Baseline,
    /// What came of that.
    BaselineRan(&'a RunRecord),
    /// The model is to write a test that shows the bug: the n-th time of so many.
    WritingTest(usize, usize),
    /// These tests show it (none: the exit code does), and those failed before and are left aside.
    Shown(ShownBy, &'a [String], &'a [String]),
    /// The n-th attempt of so many begins.
    Attempt(usize, usize),
    /// What came of an attempt, at a test or at an edit.
    Came(&'a AttemptRecord),
    /// A fresh copy is to be red without the edit, and another one green with it.
    Proving,
    /// How far the model is.
    Model(Progress),
}

/// What is asked for, and of whom.
struct Asked<'a> {
    issue: &'a str,
    workspace: &'a Workspace,
    options: &'a Options,
    judges: Judges,
    profile: &'a Profile,
}

/// Later runs of the tests may take so many times what the first did, as in cargo-mutants.
const TIMES_BASELINE: u32 = 5;
/// … and at least so long.
const SHORTEST_LIMIT: Duration = Duration::from_secs(10);

/// Mends a bug in a copy of a folder, up to the gate. Nothing is written in the folder itself: that
/// is left to whoever gets [`Record::changes`].
pub async fn repair<E: Engine>(
    issue: &str,
    workspace: &Workspace,
    options: &Options,
    profile: &Profile,
    engine: &mut E,
    tell: &mut dyn FnMut(Event),
) -> Result<Record, RepairError> {
    let issue = issue.trim();
    if issue.is_empty() {
        return Err(RepairError::NoIssue);
    }
    let judges = Judges::new(&options.command, options.test_file.as_deref());
    let asked = Asked { issue, workspace, options, judges, profile };
    let limits = Limits { time: options.time, ..Limits::default() };
    let mut trial = Trial::of(workspace.root(), options, &asked.judges, limits)?;
    let mut record = Record { isolation: trial.isolation().to_string(), ..Record::default() };
    tell(Event::Copied(trial.isolation()));

    tell(Event::Baseline);
    let baseline = trial.run_tests().await?;
    trial.forgive()?;
    let baseline_record = record.baseline.insert(RunRecord::of(&baseline, []));
    tell(Event::BaselineRan(baseline_record));
    if let Some(reason) = with_test::broken(&baseline, issue) {
        return Ok(record.ended(Status::BaselineBroken, reason));
    }
    trial.limits.time = (baseline.time * TIMES_BASELINE).max(SHORTEST_LIMIT);

    let shown =
        match show_bug(&asked, baseline, &mut trial, &mut record.test_attempts, engine, tell)
            .await?
        {
            Ok(shown) => shown,
            Err(reason) => return Ok(record.ended(Status::NotReproduced, reason)),
        };
    record.shown_by = Some(shown.by);
    record.targets = shown.expected.targets.iter().cloned().collect();
    record.known_failing = shown.expected.known_failing.iter().cloned().collect();
    record.red = Some(RunRecord::of(&shown.run, &record.targets));
    tell(Event::Shown(shown.by, &record.targets, &record.known_failing));

    match mend(&asked, shown, &mut trial, &mut record, engine, tell).await {
        Err(RepairError::Flow(FlowError::Search(SearchError::NoFiles { .. }))) => {
            let reason =
                "there is no file that may be changed: all hold tests, or say how they are run"
                    .to_owned();
            Ok(record.ended(Status::Refused, reason))
        }
        Err(error) => Err(error),
        Ok(true) => {
            Ok(record
                .ended(Status::Success, "the tests pass, and fail without the edit".to_owned()))
        }
        Ok(false) if record.attempts.iter().any(|attempt| attempt.end.was_tried()) => {
            let reason = format!("no attempt of {} made the tests pass", options.max_attempts);
            Ok(record.ended(Status::Exhausted, reason))
        }
        Ok(false) => {
            let last = record.attempts.last().map_or("", |attempt| attempt.message.as_str());
            let reason = format!(
                "no attempt of {} was an edit that could be tried; the last: {last}",
                options.max_attempts
            );
            Ok(record.ended(Status::Refused, reason))
        }
    }
}

/// The attempts. Whether one of them is a success, which is in the record then.
async fn mend<E: Engine>(
    asked: &Asked<'_>,
    shown: Shown,
    trial: &mut Trial,
    record: &mut Record,
    engine: &mut E,
    tell: &mut dyn FnMut(Event),
) -> Result<bool, RepairError> {
    let Shown { test, expected, run: mut red, .. } = shown;
    let mut kept: Vec<FileChange> = Vec::new();
    let mut best = judge(&expected, &red.end, &red.results, None);
    let mut tried = Tried::new();
    for n in 1..=asked.options.max_attempts {
        tell(Event::Attempt(n, asked.options.max_attempts));
        let known = Known {
            purpose: Purpose::Fix,
            command: &asked.options.command,
            targets: &record.targets,
            output: &RunRecord::of(&red, &record.targets).output,
            diff: &kept.iter().map(FileChange::diff).collect::<String>(),
            tried: &record.attempts,
        };
        let notes = notes(&known, engine.model().context_tokens);
        let made = kept
            .iter()
            .filter(|change| change.before.is_none())
            .map(|change| change.path.clone())
            .collect();
        let wish = Wish { purpose: Purpose::Fix, n, notes, made };
        let mut proposal = propose(asked, wish, trial, &mut tried, engine, tell).await?;
        let changes = match std::mem::replace(&mut proposal.outcome, Ok(Vec::new())) {
            Ok(changes) => changes,
            Err((end, message)) => {
                record.came(proposal.record(end, message, None), tell);
                continue;
            }
        };
        trial.put(&changes)?;
        let run = trial.run_tests().await?;
        let finding = judge(&expected, &run.end, &run.results, run.changed_tests.as_deref());
        let ms = Some(run.time.as_millis() as u64);
        if finding == Finding::Green {
            let mut all = kept.clone();
            merge(&mut all, &changes);
            tell(Event::Proving);
            let proof = prove(asked, &test, &all, &expected, trial).await?;
            let Some((red, green)) = proof else {
                trial.take_back(&changes)?;
                let message = "green once, but not in a fresh copy, or in one without the edit too"
                    .to_owned();
                record.came(proposal.record(AttemptEnd::NotProven, message, ms), tell);
                continue;
            };
            record.came(
                proposal.record(AttemptEnd::Tested { finding }, "green".to_owned(), ms),
                tell,
            );
            record.red = Some(RunRecord::of(&red, &record.targets));
            record.green = Some(RunRecord::of(&green, &[]));
            let mut changes = test;
            merge(&mut changes, &all);
            record.files = changes.iter().map(|change| change.path.clone()).collect();
            record.diff = changes.iter().map(FileChange::diff).collect();
            record.changes = changes;
            return Ok(true);
        }
        let message = finding.sentence();
        let mut attempt =
            proposal.record(AttemptEnd::Tested { finding: finding.clone() }, message, ms);
        if finding.is_better_than(&best) {
            merge(&mut kept, &changes);
            (attempt.kept, best, red) = (true, finding, run);
        } else if run.changed_tests.is_some() {
            *trial = again(asked, trial, &[&test, &kept])?;
        } else {
            trial.take_back(&changes)?;
        }
        record.came(attempt, tell);
    }
    Ok(false)
}

/// Whether a fresh copy is red without the edit, and another one green with it: both runs, if so.
/// Whatever earlier runs have left behind proves nothing, nor does a test that fails the first time
/// only.
async fn prove(
    asked: &Asked<'_>,
    test: &[FileChange],
    edit: &[FileChange],
    expected: &Expected,
    trial: &Trial,
) -> Result<Option<(TestRun, TestRun)>, RepairError> {
    let mut runs = Vec::new();
    for (edits, is_green) in [(&[test][..], false), (&[test, edit], true)] {
        let run = again(asked, trial, edits)?.run_tests().await?;
        if (judge(expected, &run.end, &run.results, run.changed_tests.as_deref()) == Finding::Green)
            != is_green
        {
            return Ok(None);
        }
        runs.push(run);
    }
    let green = runs.pop();
    Ok(runs.pop().zip(green))
}

/// A fresh copy like the one at hand, with these edits.
fn again(asked: &Asked, trial: &Trial, edits: &[&[FileChange]]) -> Result<Trial, RepairError> {
    let mut fresh = Trial::of(asked.workspace.root(), asked.options, &asked.judges, trial.limits)?;
    for changes in edits {
        fresh.put(changes)?;
        for change in changes.iter().filter(|change| asked.judges.is_test(&change.path)) {
            fresh.keep_watch(&change.path)?;
        }
    }
    fresh.watch_as(trial);
    Ok(fresh)
}

/// Adds edits to those before them.
fn merge(all: &mut Vec<FileChange>, changes: &[FileChange]) {
    for change in changes {
        match all.iter_mut().find(|earlier| earlier.path == change.path) {
            Some(earlier) => earlier.after.clone_from(&change.after),
            None => all.push(change.clone()),
        }
    }
}

impl Record {
    fn ended(mut self, status: Status, reason: String) -> Record {
        (self.status, self.reason) = (Some(status), reason);
        self
    }

    fn came(&mut self, attempt: AttemptRecord, tell: &mut dyn FnMut(Event)) {
        tell(Event::Came(&attempt));
        self.attempts.push(attempt);
    }
}

impl fmt::Display for Event<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Event::Copied(isolation) => {
                write!(f, "the tests run in a throw-away copy; it is confined by: {isolation}")
            }
            Event::Baseline => write!(f, "baseline: running the tests as they are"),
            Event::BaselineRan(run) => write!(f, "baseline: {run}"),
            Event::WritingTest(n, of) => write!(
                f,
                "no test fails: the model is asked for one that shows the bug ({n} of {of})"
            ),
            Event::Shown(by, targets, known_failing) => {
                let how = match by {
                    ShownBy::Given => "the test given shows the bug",
                    ShownBy::Failing => "failing already, and taken for the bug",
                    ShownBy::Written => "the model's test shows the bug",
                };
                write!(f, "red: {how}")?;
                if !targets.is_empty() {
                    write!(f, ": {}", names(targets))?;
                }
                match known_failing {
                    [] => Ok(()),
                    others => write!(f, "; failing before, and left aside: {}", names(others)),
                }
            }
            Event::Attempt(n, of) => write!(f, "attempt {n} of {of}"),
            Event::Came(attempt) => {
                let kept = if attempt.kept { "; it is kept: fewer tests fail" } else { "" };
                match attempt.files.as_slice() {
                    [] => write!(f, "  {}{kept}", attempt.message),
                    files => write!(f, "  {}: {}{kept}", files.join(", "), attempt.message),
                }
            }
            Event::Proving => {
                write!(f, "  green; now in fresh copies, without the edit and with it")
            }
            Event::Model(_) => Ok(()),
        }
    }
}
