//! One attempt: the model is asked for edits, through the same constrained flow as for `edit`. Edits
//! that it must not make, or has made already, are refused before anything is written.

use super::error::RepairError;
use super::event::RepairEvent;
use super::guard::{Judges, Purpose, has_inner_tests};
use super::record::{AttemptEnd, AttemptRecord};
use super::session::RepairSession;
use super::trial::Trial;
use crate::engine::{Engine, Sampling};
use crate::flow::steps::{Steps, steps_after};
use crate::flow::{Answers, GenerateOptions, Session, Verdict, edit};
use crate::patched::FileChange;
use crate::review;
use crate::slots::{Operation, Reason};
use crate::task::{Context, Task};
use crate::workspace::Workspace;
use sha2::{Digest, Sha256};
use std::collections::BTreeSet;

/// The first attempt whose prompt holds the output of the tests, unless the model learned from
/// sentences alone. More first answers are right without it. docs/repair.md has the figures.
pub(super) const TOLD_FROM: usize = 2;

/// The most answers in one attempt that are no edit to try: they decline, change nothing, break the
/// code or were tried before. After that the attempt is given up.
const MAX_PASSED_OVER: usize = 8;

/// The most such answers that are chosen at random. More of them seldom say anything else.
const MAX_REPEATED: usize = 3;

/// How many beginnings of other answers are kept of a question.
const BRANCHES: usize = 8;

/// What the model is asked for.
pub(super) struct ProposalRequest<'a> {
    pub issue: &'a str,
    pub purpose: Purpose,
    /// The number of the attempt, from 1.
    pub n: usize,
    /// What the prompt holds beside the issue.
    pub notes: String,
    /// Files that earlier attempts created.
    pub created: Vec<String>,
}

/// The edits that the model proposes.
pub(super) struct Proposal {
    /// The edits, or why there is nothing to try.
    pub changes: Result<Vec<FileChange>, (AttemptEnd, String)>,
    /// The record of the attempt so far: it has not ended yet.
    pub draft: AttemptRecord,
}

/// What is kept between the attempts on one state of the files.
#[derive(Default)]
pub(super) struct Asking {
    /// The likeliest answers to the last question; `None` if nothing was asked yet.
    pub answers: Option<Answers>,
    /// States of the files that were tried, by their hash.
    tried: BTreeSet<[u8; 32]>,
}

/// A question to the model.
struct Question<'a> {
    task: &'a Task,
    /// The most edits of its answer.
    max_steps: usize,
    /// How an answer is chosen once the likeliest ones are used up.
    random: Sampling,
}

/// What proposed edits are checked against.
struct Rules<'a> {
    purpose: Purpose,
    workspace: &'a Workspace,
    judges: &'a Judges,
}

/// Why an answer is no edit to try.
struct Fault {
    end: AttemptEnd,
    message: String,
    next: Next,
}

/// What follows an answer that is no edit to try.
#[derive(PartialEq)]
enum Next {
    /// The model is asked for another one, which costs no run of the tests.
    Another,
    /// The same, unless this answer was chosen at random.
    AnotherLikely,
    /// The attempt ends.
    End,
}

/// Asks the model for its next likeliest answer that is worth a run of the tests. The proposed edits
/// then count as tried.
pub(super) async fn propose<E: Engine>(
    request: ProposalRequest<'_>,
    trial: &Trial,
    asking: &mut Asking,
    session: &mut RepairSession<'_, E>,
) -> Result<Proposal, RepairError> {
    let (purpose, n) = (request.purpose, request.n);
    let rules = Rules {
        purpose,
        workspace: session.workspace,
        judges: trial.judges(),
    };
    let task = task(request, &rules)?;
    // From then on the prompt holds more, which makes another question.
    if n == TOLD_FROM
        && let Some(answers) = &asking.answers
        && session.profile.told(answers.task()) != session.profile.told(&task)
    {
        asking.answers = None;
    }

    let mut texts = Vec::new();
    let mut n_passed_over = 0;
    let mut n_repeated = 0;
    // The likeliest of the answers that were passed over, and why it is no edit to try.
    let mut likeliest = None;
    loop {
        let question = Question {
            task: &task,
            max_steps: match purpose {
                Purpose::Fix => session.options.max_steps,
                Purpose::Test => 1,
            },
            random: sampling(n, n_repeated),
        };
        let (steps, temperature) =
            next_edits(&question, trial, &mut asking.answers, session).await?;
        texts.extend(steps.stages.iter().map(|stage| stage.answer.clone()));
        let changes = steps.changes();
        let n_before = n_passed_over + n_repeated;
        let draft = AttemptRecord {
            end: AttemptEnd::NoEdit,
            message: String::new(),
            kept: false,
            files: changes.iter().map(|change| change.path.clone()).collect(),
            diff: changes.iter().map(FileChange::diff).collect(),
            temperature,
            n_repeated: n_before,
            answers: Vec::new(),
            ms: None,
        };

        let Some(fault) = fault(&steps, &changes, &rules, &mut asking.tried) else {
            return Ok(Proposal {
                changes: Ok(changes),
                draft: AttemptRecord {
                    answers: texts,
                    ..draft
                },
            });
        };

        let is_random = temperature > 0.0;
        let is_last = if is_random {
            n_repeated == MAX_REPEATED || fault.next != Next::Another
        } else {
            n_passed_over == MAX_PASSED_OVER || fault.next == Next::End
        };
        let (first_fault, first_draft) = likeliest.take().unwrap_or((fault, draft));
        if is_last {
            return Ok(Proposal {
                changes: Err((first_fault.end, first_fault.message)),
                draft: AttemptRecord {
                    n_repeated: n_before,
                    answers: texts,
                    ..first_draft
                },
            });
        }
        likeliest = Some((first_fault, first_draft));
        if is_random {
            n_repeated += 1;
        } else {
            n_passed_over += 1;
        }
    }
}

/// The edits of the model's next likeliest answer, or of a random one if it has no other; and the
/// temperature at which the answer was written.
async fn next_edits<E: Engine>(
    question: &Question<'_>,
    trial: &Trial,
    answers: &mut Option<Answers>,
    session: &mut RepairSession<'_, E>,
) -> Result<(Steps, f32), RepairError> {
    let options = GenerateOptions {
        branches: BRANCHES,
        // The tests say which answer is right, and a block written again is one of them.
        doubted_below: None,
        most_edits: Some(question.max_steps),
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
        None => {
            let first = Answers::to(question.task.clone(), &mut flow_session).await?;
            answers.insert(first)
        }
    };
    let next = answers.next(&mut flow_session).await?;
    flow_session.options.branches = 0;
    if let Some(answer) = next {
        let steps = steps_after(answers.task(), answer, &mut flow_session).await?;
        return Ok((steps, 0.0));
    }

    flow_session.options.sampling = question.random;
    let first = edit(question.task, &mut flow_session).await?;
    let steps = steps_after(question.task, first, &mut flow_session).await?;
    let temperature = match question.random {
        Sampling::Greedy => 0.0,
        Sampling::Random { temperature, .. } => temperature,
    };
    Ok((steps, temperature))
}

/// Why an answer is no edit to try, if it is none. Otherwise its edits count as tried.
fn fault(
    steps: &Steps,
    changes: &[FileChange],
    rules: &Rules,
    tried: &mut BTreeSet<[u8; 32]>,
) -> Option<Fault> {
    if let Some(failed) = &steps.failed {
        return Some(without_edit(&failed.verdict));
    }
    if let Some(refusal) = changes.iter().find_map(|change| refusal(change, rules)) {
        return Some(Fault {
            end: AttemptEnd::Refused,
            message: format!("refused: {refusal}"),
            next: Next::End,
        });
    }

    if let Some(broken) = changes.iter().find_map(review::change_breaks) {
        return Some(Fault {
            end: AttemptEnd::Breaks,
            message: broken.message,
            next: Next::Another,
        });
    }
    if !tried.insert(hash_of(changes)) {
        return Some(Fault {
            end: AttemptEnd::Repeated,
            message: "the model wrote only what was tried before".to_owned(),
            next: Next::Another,
        });
    }
    None
}

/// The task that the model is given.
fn task(request: ProposalRequest<'_>, rules: &Rules) -> Result<Task, RepairError> {
    let mut editable = editable(rules);
    editable.extend(request.created);
    let operations = match rules.purpose {
        // If all files judge, there is nothing to mend. A new file could only get round the tests.
        Purpose::Fix if editable.is_empty() => {
            let mut operations = Operation::ALL.to_vec();
            operations.retain(|operation| *operation != Operation::Create);
            operations
        }
        Purpose::Fix => Operation::ALL.to_vec(),
        Purpose::Test => vec![Operation::Insert, Operation::Create],
    };

    let sentence = match rules.purpose {
        Purpose::Fix => request.issue.to_owned(),
        Purpose::Test => format!(
            "Add a test that fails because of this bug: {}",
            request.issue
        ),
    };
    let context = Context {
        notes: request.notes,
        editable: Some(editable),
        operations,
        ..Context::default()
    };
    let task = Task::new(&sentence, Vec::new()).map_err(|_| RepairError::NoIssue)?;
    Ok(task.within(context))
}

/// The person's files that may be changed for a purpose.
fn editable(rules: &Rules) -> BTreeSet<String> {
    let mut paths = BTreeSet::new();
    for path in rules.workspace.list().paths {
        let may_change = match rules.purpose {
            Purpose::Fix => !rules.judges.include(&path),
            Purpose::Test => rules.judges.is_test(&path) || has_tests(&path, rules.workspace),
        };
        if may_change {
            paths.insert(path);
        }
    }
    paths
}

fn has_tests(path: &str, workspace: &Workspace) -> bool {
    path.ends_with(".rs")
        && workspace
            .read(path)
            .is_ok_and(|text| has_inner_tests(path, text.shown()))
}

/// How the random answers of an attempt are chosen: each is freer than the one before.
fn sampling(n: usize, n_repeated: usize) -> Sampling {
    const HOTTEST: f32 = 1.2;
    Sampling::Random {
        temperature: (0.2 * n as f32 + 0.15 * n_repeated as f32).min(HOTTEST),
        seed: (n * 100 + n_repeated) as u64,
    }
}

/// Why an edit must not be made, if it must not.
fn refusal(change: &FileChange, rules: &Rules) -> Option<String> {
    // Hidden and ignored files are not listed, and a new file may get the name of one.
    if change.before.is_none()
        && let Err(error) = rules.workspace.check(&change.change())
    {
        return Some(error.to_string());
    }
    rules.judges.check(change, rules.purpose).err()
}

/// Why there is no edit.
fn without_edit(verdict: &Verdict) -> Fault {
    let end = match verdict {
        Verdict::AlreadyDone(_) | Verdict::Declined(Reason::AlreadyDone) => AttemptEnd::ClaimedDone,
        Verdict::Declined(_) => AttemptEnd::Declined,
        _ => AttemptEnd::NoEdit,
    };
    let next = match verdict {
        Verdict::AlreadyDone(_) => Next::Another,
        Verdict::Declined(_) => Next::AnotherLikely,
        _ => Next::End,
    };

    let message = match verdict {
        Verdict::AlreadyDone(_) => "the model's edit changes nothing",
        Verdict::Declined(Reason::AlreadyDone) => {
            "the model says that it is done; the tests say that it is not"
        }
        Verdict::Declined(Reason::NotInTheseFiles) => "the model declined: not in these files",
        Verdict::Declined(Reason::Unclear) => "the model declined: unclear to it",
        Verdict::Truncated(_) => "the model's answer did not end within its budget",
        Verdict::Mechanics(error) => &error.to_string(),
        Verdict::Refused(error) => &error.to_string(),
        Verdict::Proposed(_) => "no edit",
    };
    Fault {
        end,
        message: message.to_owned(),
        next,
    }
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
