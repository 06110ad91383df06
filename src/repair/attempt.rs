//! One attempt: the model is asked for edits, through the same constrained flow as ever, and what
//! it may not do or has done already is turned away before anything is written.

use super::guard::{Purpose, has_inner_tests};
use super::record::{AttemptEnd, AttemptRecord};
use super::trial::Trial;
use super::{Asked, Event, RepairError};
use crate::engine::{Engine, Sampling};
use crate::flow::steps::{FailedStep, FileChange, edit_in_steps};
use crate::flow::{GenerateOptions, Verdict};
use crate::slots::{Operation, Reason};
use crate::task::{Context, Task};
use crate::workspace::{Listing, Workspace};
use sha2::{Digest, Sha256};
use std::collections::BTreeSet;

/// Answers in one attempt that change nothing or were tried before, until it is given up.
const MAX_REPEATED: usize = 3;

/// States of the files that were tried, by their hash.
pub(super) type Tried = BTreeSet<[u8; 32]>;

/// What the model proposes.
pub(super) struct Proposal {
    /// The edits, or why there is nothing to try.
    pub outcome: Result<Vec<FileChange>, (AttemptEnd, String)>,
    files: Vec<String>,
    diff: String,
    temperature: f32,
    n_repeated: usize,
    answers: Vec<String>,
}

/// What the model is asked for, the n-th time, counted from 1.
pub(super) struct Wish {
    pub purpose: Purpose,
    pub n: usize,
    pub notes: String,
    /// Files that were made in earlier attempts.
    pub made: Vec<String>,
}

/// Asks. What is proposed is in `tried` afterwards.
pub(super) async fn propose<E: Engine>(
    asked: &Asked<'_>,
    wish: Wish,
    trial: &Trial,
    tried: &mut Tried,
    engine: &mut E,
    tell: &mut dyn FnMut(Event),
) -> Result<Proposal, RepairError> {
    let sentence = match wish.purpose {
        Purpose::Fix => asked.issue.to_owned(),
        Purpose::Test => format!("Add a test that fails because of this bug: {}", asked.issue),
    };
    let (operations, max_steps) = match wish.purpose {
        Purpose::Fix => (Operation::ALL.to_vec(), asked.options.max_steps),
        Purpose::Test => (vec![Operation::Insert, Operation::Create], 1),
    };
    let mut editable = editable(asked, wish.purpose);
    editable.extend(wish.made);
    let context = Context { notes: wish.notes, editable: Some(editable), operations };
    let task = Task::new(&sentence, Vec::new()).map_err(|_| RepairError::NoIssue)?.within(context);
    let mut answers = Vec::new();
    let mut n_repeated = 0;
    loop {
        let (sampling, temperature) = sampling(wish.n, n_repeated);
        let options = GenerateOptions { sampling, ..GenerateOptions::new(asked.profile.clone()) };
        let mut workspace = trial.workspace()?;
        let mut progress = |progress| tell(Event::Model(progress));
        let steps =
            edit_in_steps(&task, &mut workspace, &options, max_steps, engine, &mut progress)
                .await?;
        answers.extend(steps.stages.iter().map(|stage| stage.answer.clone()));
        let changes = steps.changes();
        let proposal = |outcome, answers| Proposal {
            outcome,
            files: changes.iter().map(|change| change.path.clone()).collect(),
            diff: changes.iter().map(FileChange::diff).collect(),
            temperature,
            n_repeated,
            answers,
        };
        // As it stands it was tried: it is red. Another answer costs no run of the tests.
        let changes_nothing = |failed: &FailedStep| matches!(failed.verdict, Verdict::AlreadyDone);
        if n_repeated < MAX_REPEATED && steps.failed.as_ref().is_some_and(changes_nothing) {
            n_repeated += 1;
            continue;
        }
        if let Some(failed) = steps.failed {
            return Ok(proposal(Err(without_edit(failed)), answers));
        }
        let refusal = changes.iter().find_map(|change| refusal(asked, change, wish.purpose));
        if let Some(refusal) = refusal {
            return Ok(proposal(
                Err((AttemptEnd::Refused, format!("refused: {refusal}"))),
                answers,
            ));
        }
        if tried.insert(hash_of(&changes)) {
            return Ok(proposal(Ok(changes.clone()), answers));
        }
        if n_repeated == MAX_REPEATED {
            let message = "the model wrote only what was tried before".to_owned();
            return Ok(proposal(Err((AttemptEnd::Repeated, message)), answers));
        }
        n_repeated += 1;
    }
}

/// Why an edit is not even tried.
fn refusal(asked: &Asked, change: &FileChange, purpose: Purpose) -> Option<String> {
    // Hidden and ignored files are not listed, and a new file may get the name of one.
    if change.before.is_none()
        && let Err(error) = asked.workspace.check(&change.change())
    {
        return Some(error.to_string());
    }
    asked.judges.check(change, purpose).err()
}

/// The first attempt takes the likeliest, each later one is freer than the one before.
fn sampling(n: usize, n_repeated: usize) -> (Sampling, f32) {
    if n == 1 && n_repeated == 0 {
        return (Sampling::Greedy, 0.0);
    }
    const HOTTEST: f32 = 1.2;
    let temperature = (0.2 * n as f32 + 0.15 * n_repeated as f32).min(HOTTEST);
    (Sampling::Random { temperature, seed: (n * 100 + n_repeated) as u64 }, temperature)
}

/// The person's files that may be changed for a purpose.
fn editable(asked: &Asked, purpose: Purpose) -> BTreeSet<String> {
    let workspace: &Workspace = asked.workspace;
    let has_tests = |path: &String| {
        path.ends_with(".rs")
            && workspace.read(path).is_ok_and(|text| has_inner_tests(path, text.shown()))
    };
    let may_change = |path: &String| match purpose {
        Purpose::Fix => !asked.judges.include(path),
        Purpose::Test => asked.judges.is_test(path) || has_tests(path),
    };
    Listing::of(workspace.root()).paths.into_iter().filter(may_change).collect()
}

fn without_edit(failed: FailedStep) -> (AttemptEnd, String) {
    let end = match &failed.verdict {
        Verdict::AlreadyDone | Verdict::Declined(Reason::AlreadyDone) => AttemptEnd::ClaimedDone,
        Verdict::Declined(_) => AttemptEnd::Declined,
        _ => AttemptEnd::NoEdit,
    };
    let message = match failed.verdict {
        Verdict::AlreadyDone => "the model's edit changes nothing".to_owned(),
        Verdict::Declined(Reason::AlreadyDone) => {
            "the model says that it is done; the tests say that it is not".to_owned()
        }
        Verdict::Declined(Reason::NotInTheseFiles) => {
            "the model declined: not in these files".to_owned()
        }
        Verdict::Declined(Reason::Unclear) => "the model declined: unclear to it".to_owned(),
        Verdict::Truncated(_) => "the model's answer did not end within its budget".to_owned(),
        Verdict::Mechanics(error) => error.to_string(),
        Verdict::Refused(error) => error.to_string(),
        Verdict::Proposed(_) => "no edit".to_owned(),
    };
    (end, message)
}

fn hash_of(changes: &[FileChange]) -> [u8; 32] {
    let mut hash = Sha256::new();
    for FileChange { path, after, .. } in changes {
        for bytes in [path.as_bytes(), after] {
            hash.update((bytes.len() as u64).to_le_bytes());
            hash.update(bytes);
        }
    }
    hash.finalize().into()
}

impl Proposal {
    /// What came of it.
    pub fn record(self, end: AttemptEnd, message: String, ms: Option<u64>) -> AttemptRecord {
        let Proposal { files, diff, temperature, n_repeated, answers, .. } = self;
        AttemptRecord {
            end,
            message,
            kept: false,
            files,
            diff,
            temperature,
            n_repeated,
            answers,
            ms,
        }
    }
}
