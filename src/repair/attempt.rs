//! One attempt: the model is asked for edits, through the same constrained flow as ever. What it
//! must not do, or has done already, is turned away before anything is written.

use super::error::RepairError;
use super::event::RepairEvent;
use super::guard::{Judges, Purpose, has_inner_tests};
use super::judge::Finding;
use super::record::{AttemptEnd, AttemptRecord};
use super::session::RepairSession;
use super::trial::Trial;
use crate::engine::{Engine, Sampling};
use crate::flow::steps::{FailedStep, FileChange, edit_in_steps};
use crate::flow::{GenerateOptions, Session, Verdict};
use crate::risk;
use crate::slots::{Operation, Reason};
use crate::task::{Context, Task};
use crate::workspace::Workspace;
use sha2::{Digest, Sha256};
use std::collections::BTreeSet;
use std::time::Duration;

/// The most answers in one attempt that change nothing, break the code or were tried before. After that the attempt
/// is given up.
const MAX_REPEATED: usize = 3;

/// States of the files that were tried, by their hash.
pub(super) type Tried = BTreeSet<[u8; 32]>;

/// What the model is asked for.
pub(super) struct ProposalRequest<'a> {
    pub issue: &'a str,
    pub purpose: Purpose,
    /// Which attempt this is, from 1.
    pub n: usize,
    pub notes: String,
    /// Files that earlier attempts created.
    pub created: Vec<String>,
}

/// What the model proposes.
pub(super) struct Proposal {
    /// The edits, or why there is nothing to try.
    pub changes: Result<Vec<FileChange>, (AttemptEnd, String)>,
    /// The attempt so far, to be recorded when it ends.
    pub draft: AttemptDraft,
}

/// An attempt that has not ended yet.
pub(super) struct AttemptDraft {
    files: Vec<String>,
    diff: String,
    temperature: f32,
    n_repeated: usize,
    answers: Vec<String>,
    ms: Option<u64>,
}

/// Asks the model. The proposed edits are in `tried` afterwards.
pub(super) async fn propose<E: Engine>(
    request: ProposalRequest<'_>,
    trial: &Trial,
    tried: &mut Tried,
    session: &mut RepairSession<'_, E>,
) -> Result<Proposal, RepairError> {
    let (purpose, n) = (request.purpose, request.n);
    let max_steps = match purpose {
        Purpose::Fix => session.options.max_steps,
        Purpose::Test => 1,
    };
    let task = task(request, session.workspace, trial.judges())?;
    let mut answers = Vec::new();
    let mut n_repeated = 0;
    loop {
        let (sampling, temperature) = sampling(n, n_repeated);
        let shown_tokens = session.options.shown_tokens;
        let options = GenerateOptions {
            sampling,
            shown_tokens,
            ..GenerateOptions::new(session.profile.clone())
        };
        let mut flow_session = Session {
            workspace: &trial.workspace()?,
            engine: &mut *session.engine,
            options,
            progress: &mut |progress| (session.on_event)(RepairEvent::Model(progress)),
        };
        let steps = edit_in_steps(&task, &mut flow_session, max_steps).await?;
        answers.extend(steps.stages.iter().map(|stage| stage.answer.clone()));
        let changes = steps.changes();
        let was_tried = match &steps.failed {
            Some(failed) => matches!(failed.verdict, Verdict::AlreadyDone),
            None => tried.contains(&hash_of(&changes)),
        };
        let broken_by =
            |change: &FileChange| risk::breaks(&change.path, change.before.as_ref(), &change.after);
        let broken = match steps.failed {
            Some(_) => None,
            None => changes.iter().find_map(broken_by),
        };
        if (was_tried || broken.is_some()) && n_repeated < MAX_REPEATED {
            // It is red, or would be. Another answer costs no run of the tests.
            n_repeated += 1;
            continue;
        }
        let draft = AttemptDraft {
            files: changes.iter().map(|change| change.path.clone()).collect(),
            diff: changes.iter().map(FileChange::diff).collect(),
            temperature,
            n_repeated,
            answers,
            ms: None,
        };
        let refusal = |change| refusal(change, purpose, session.workspace, trial.judges());
        let changes = if let Some(failed) = steps.failed {
            Err(without_edit(failed))
        } else if let Some(refusal) = changes.iter().find_map(refusal) {
            Err((AttemptEnd::Refused, format!("refused: {refusal}")))
        } else if let Some(broken) = broken {
            Err((AttemptEnd::Breaks, broken.to_string()))
        } else if !tried.insert(hash_of(&changes)) {
            let message = "the model wrote only what was tried before".to_owned();
            Err((AttemptEnd::Repeated, message))
        } else {
            Ok(changes)
        };
        return Ok(Proposal { changes, draft });
    }
}

/// The task that the model is given.
fn task(
    request: ProposalRequest<'_>,
    workspace: &Workspace,
    judges: &Judges,
) -> Result<Task, RepairError> {
    let ProposalRequest { issue, purpose, notes, created, .. } = request;
    let mut editable = editable(purpose, workspace, judges);
    editable.extend(created);
    let operations = match purpose {
        // If all files judge, there is nothing to mend. A new file could only get round the tests.
        Purpose::Fix if editable.is_empty() => without_create(),
        Purpose::Fix => Operation::ALL.to_vec(),
        Purpose::Test => vec![Operation::Insert, Operation::Create],
    };
    let sentence = match purpose {
        Purpose::Fix => issue.to_owned(),
        Purpose::Test => format!("Add a test that fails because of this bug: {issue}"),
    };
    let context = Context { notes, editable: Some(editable), operations, lines: None };
    let task = Task::new(&sentence, Vec::new()).map_err(|_| RepairError::NoIssue)?;
    Ok(task.within(context))
}

fn without_create() -> Vec<Operation> {
    let is_other = |operation: &Operation| *operation != Operation::Create;
    Operation::ALL.into_iter().filter(is_other).collect()
}

/// The person's files that may be changed for a purpose.
fn editable(purpose: Purpose, workspace: &Workspace, judges: &Judges) -> BTreeSet<String> {
    let has_tests = |path: &String| {
        path.ends_with(".rs")
            && workspace.read(path).is_ok_and(|text| has_inner_tests(path, text.shown()))
    };
    let may_change = |path: &String| match purpose {
        Purpose::Fix => !judges.include(path),
        Purpose::Test => judges.is_test(path) || has_tests(path),
    };
    workspace.list().paths.into_iter().filter(may_change).collect()
}

/// Temperature 0 in the first attempt. Each later one is freer than the one before.
fn sampling(n: usize, n_repeated: usize) -> (Sampling, f32) {
    if n == 1 && n_repeated == 0 {
        return (Sampling::Greedy, 0.0);
    }
    const HOTTEST: f32 = 1.2;
    let temperature = (0.2 * n as f32 + 0.15 * n_repeated as f32).min(HOTTEST);
    (Sampling::Random { temperature, seed: (n * 100 + n_repeated) as u64 }, temperature)
}

/// Why an edit is not even tried.
fn refusal(
    change: &FileChange,
    purpose: Purpose,
    workspace: &Workspace,
    judges: &Judges,
) -> Option<String> {
    // Hidden and ignored files are not listed, and a new file may get the name of one.
    if change.before.is_none()
        && let Err(error) = workspace.check(&change.change())
    {
        return Some(error.to_string());
    }
    judges.check(change, purpose).err()
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

impl AttemptDraft {
    /// The same attempt, after its tests have run this long.
    pub fn with_time(self, time: Duration) -> AttemptDraft {
        AttemptDraft { ms: Some(time.as_millis() as u64), ..self }
    }

    /// The record of an attempt whose tests were run.
    pub fn tested(self, finding: Finding) -> AttemptRecord {
        let message = finding.sentence();
        self.ended(AttemptEnd::Tested { finding }, message)
    }

    /// The record of an attempt that has ended.
    pub fn ended(self, end: AttemptEnd, message: String) -> AttemptRecord {
        let AttemptDraft { files, diff, temperature, n_repeated, answers, ms } = self;
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
