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
use crate::flow::steps::{FailedStep, Steps, steps_after};
use crate::flow::{Answers, GenerateOptions, Session, Verdict, edit};
use crate::patched::FileChange;
use crate::review;
use crate::slots::{Operation, Reason};
use crate::task::{Context, Task};
use crate::workspace::Workspace;
use sha2::{Digest, Sha256};
use std::collections::BTreeSet;
use std::time::Duration;

/// The attempt from which on a model is told what the tests print, unless it learned from sentences
/// alone. More first answers are right to the issue alone. docs/repair.md has the figures.
pub(super) const TOLD_FROM: usize = 2;

/// The most answers in one attempt that are no edit to try: they decline, change nothing, break the
/// code or were tried before. After that the attempt is given up.
const MAX_PASSED_OVER: usize = 8;

/// The same of answers that are chosen at random. More of them seldom say anything else.
const MAX_REPEATED: usize = 3;

/// Beginnings of other answers that are kept of a question.
const BRANCHES: usize = 8;

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

/// What is kept between the attempts on one state of the files.
#[derive(Default)]
pub(super) struct Asking {
    /// None: nothing was asked yet.
    pub answers: Option<Answers>,
    /// States of the files that were tried, by their hash.
    pub tried: BTreeSet<[u8; 32]>,
}

/// Asks the model for its next likeliest answer. The proposed edits are among those tried
/// afterwards.
pub(super) async fn propose<E: Engine>(
    request: ProposalRequest<'_>,
    trial: &Trial,
    Asking { answers, tried }: &mut Asking,
    session: &mut RepairSession<'_, E>,
) -> Result<Proposal, RepairError> {
    let (purpose, n) = (request.purpose, request.n);
    let max_steps = match purpose {
        Purpose::Fix => session.options.max_steps,
        Purpose::Test => 1,
    };
    let task = task(request, session.workspace, trial.judges())?;
    let is_another_question =
        |answers: &Answers| session.profile.told(answers.task()) != session.profile.told(&task);
    if n == TOLD_FROM && answers.as_ref().is_some_and(is_another_question) {
        *answers = None;
    }
    let mut texts = Vec::new();
    let (mut n_passed_over, mut n_repeated) = (0, 0);
    // The likeliest of the answers that were passed over, and why it is no edit to try.
    let mut passed_over = None;
    loop {
        let at = sampling(n, n_repeated);
        let (steps, temperature) =
            next_edits((&task, max_steps), trial, answers, at, session).await?;
        texts.extend(steps.stages.iter().map(|stage| stage.answer.clone()));
        let changes = steps.changes();
        let is_random = temperature > 0.0;
        let refusal = |change| refusal(change, purpose, session.workspace, trial.judges());
        let mut may_pass_over = true;
        let reason = if let Some(failed) = &steps.failed {
            may_pass_over = match &failed.verdict {
                Verdict::AlreadyDone(_) => true,
                Verdict::Declined(_) => !is_random,
                _ => false,
            };
            Some(without_edit(failed))
        } else if let Some(refusal) = changes.iter().find_map(refusal) {
            may_pass_over = false;
            Some((AttemptEnd::Refused, format!("refused: {refusal}")))
        } else if let Some(broken) = changes.iter().find_map(review::change_breaks) {
            Some((AttemptEnd::Breaks, broken.message))
        } else if !tried.insert(hash_of(&changes)) {
            let message = "the model wrote only what was tried before".to_owned();
            Some((AttemptEnd::Repeated, message))
        } else {
            None
        };
        let n_before = n_passed_over + n_repeated;
        let draft = AttemptDraft {
            files: changes.iter().map(|change| change.path.clone()).collect(),
            diff: changes.iter().map(FileChange::diff).collect(),
            temperature,
            n_repeated: n_before,
            answers: Vec::new(),
            ms: None,
        };
        let Some(reason) = reason else {
            let draft = AttemptDraft {
                answers: texts,
                ..draft
            };
            return Ok(Proposal {
                changes: Ok(changes),
                draft,
            });
        };
        let likeliest = passed_over.take().unwrap_or((reason, draft));
        let (n_so_far, most) = match is_random {
            true => (&mut n_repeated, MAX_REPEATED),
            false => (&mut n_passed_over, MAX_PASSED_OVER),
        };
        if !may_pass_over || *n_so_far == most {
            let (reason, draft) = likeliest;
            let draft = AttemptDraft {
                n_repeated: n_before,
                answers: texts,
                ..draft
            };
            return Ok(Proposal {
                changes: Err(reason),
                draft,
            });
        }
        passed_over = Some(likeliest);
        // Another answer costs no run of the tests.
        *n_so_far += 1;
    }
}

/// The edits of the model's next answer to a task, at most so many, or those of a random one where
/// the model tells of no other; and the temperature at which it was written.
async fn next_edits<E: Engine>(
    (task, max_steps): (&Task, usize),
    trial: &Trial,
    answers: &mut Option<Answers>,
    (random, temperature): (Sampling, f32),
    session: &mut RepairSession<'_, E>,
) -> Result<(Steps, f32), RepairError> {
    let options = GenerateOptions {
        branches: BRANCHES,
        // The tests say which answer is right, and a block written anew is one of them.
        doubted_below: None,
        most_edits: Some(max_steps),
        ..GenerateOptions::new(session.profile.clone())
    };
    let mut flow_session = Session {
        workspace: &trial.workspace()?,
        engine: &mut *session.engine,
        options,
        progress: &mut |progress| (session.on_event)(RepairEvent::Model(progress)),
    };
    let answers = match answers {
        Some(answers) => answers,
        None => answers.insert(Answers::to(task.clone(), &mut flow_session).await?),
    };
    let next = answers.next(&mut flow_session).await?;
    flow_session.options.branches = 0;
    let (task, first, temperature) = match next {
        Some(answer) => (answers.task(), answer, 0.0),
        None => {
            flow_session.options.sampling = random;
            (task, edit(task, &mut flow_session).await?, temperature)
        }
    };
    Ok((
        steps_after(task, first, &mut flow_session).await?,
        temperature,
    ))
}

/// The task that the model is given.
fn task(
    request: ProposalRequest<'_>,
    workspace: &Workspace,
    judges: &Judges,
) -> Result<Task, RepairError> {
    let ProposalRequest {
        issue,
        purpose,
        notes,
        created,
        ..
    } = request;
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
    let context = Context {
        notes,
        editable: Some(editable),
        operations,
        ..Context::default()
    };
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
            && workspace
                .read(path)
                .is_ok_and(|text| has_inner_tests(path, text.shown()))
    };
    let may_change = |path: &String| match purpose {
        Purpose::Fix => !judges.include(path),
        Purpose::Test => judges.is_test(path) || has_tests(path),
    };
    workspace
        .list()
        .paths
        .into_iter()
        .filter(may_change)
        .collect()
}

/// Each attempt is freer than the one before.
fn sampling(n: usize, n_repeated: usize) -> (Sampling, f32) {
    const HOTTEST: f32 = 1.2;
    let temperature = (0.2 * n as f32 + 0.15 * n_repeated as f32).min(HOTTEST);
    (
        Sampling::Random {
            temperature,
            seed: (n * 100 + n_repeated) as u64,
        },
        temperature,
    )
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

fn without_edit(failed: &FailedStep) -> (AttemptEnd, String) {
    let end = match &failed.verdict {
        Verdict::AlreadyDone(_) | Verdict::Declined(Reason::AlreadyDone) => AttemptEnd::ClaimedDone,
        Verdict::Declined(_) => AttemptEnd::Declined,
        _ => AttemptEnd::NoEdit,
    };
    let message = match &failed.verdict {
        Verdict::AlreadyDone(_) => "the model's edit changes nothing".to_owned(),
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
        AttemptDraft {
            ms: Some(time.as_millis() as u64),
            ..self
        }
    }

    /// The record of an attempt whose tests were run.
    pub fn tested(self, finding: Finding) -> AttemptRecord {
        let message = finding.sentence();
        self.ended(AttemptEnd::Tested { finding }, message)
    }

    /// The record of an attempt that has ended.
    pub fn ended(self, end: AttemptEnd, message: String) -> AttemptRecord {
        let AttemptDraft {
            files,
            diff,
            temperature,
            n_repeated,
            answers,
            ms,
        } = self;
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
