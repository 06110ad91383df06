//! Red to green, bounded: a bug is mended when a test that showed it passes, and not when the model
//! says so.
//!
//! ```text
//! baseline ──▶ a test that fails for the right reason    given, failing already, or written
//!                 │
//!                 ▼
//!              attempt ──▶ tests ──▶ green? ──▶ proof ──▶ gate ──▶ commit
//!                 ▲          │ red
//!                 └──────────┘ the next answer; max_attempts times
//! ```
//!
//! Everything up to the gate happens in throw-away copies ([`crate::sandbox`]); the person's folder
//! is only read. A green run is not believed either, until a fresh copy is red without the edit and
//! another one is green with it. What judges is out of the model's reach ([`guard`]). A run is
//! judged by the names and numbers in its output ([`output`], [`mod@judge`]).
//!
//! This cannot rule out code that knows that it is tested, or code that prints what a test runner
//! prints. So a person sees the diff, and both outputs.

pub mod guard;
pub mod judge;
pub mod output;

mod attempt;
mod error;
mod event;
mod notes;
mod options;
mod proof;
mod record;
mod reproduce;
mod right_reason;
mod session;
mod trial;

pub use error::RepairError;
pub use event::RepairEvent;
pub use options::RepairOptions;
pub use record::{AttemptEnd, AttemptRecord, Record, RunRecord, ShownBy, Status};
pub use session::RepairSession;
pub use trial::ENVIRONMENT;

use crate::engine::Engine;
use crate::patched::FileChange;
use attempt::{Asking, Proposal, ProposalRequest, TOLD_FROM, propose};
use guard::Purpose;
use judge::{Finding, judge};
use notes::{Known, notes};
use proof::prove;
use reproduce::{Reproduction, reproduce};
use right_reason::broken;
use trial::{TestRun, Trial};

/// Mends a bug in a copy of a folder, up to the gate. Nothing is written in the folder itself: that
/// is left to the caller, with [`Record::changes`].
///
/// # Errors
/// [`RepairError`] if a copy, the folder or the model failed. A bug that is not mended is not an
/// error but a [`Status`].
pub async fn repair<E: Engine>(
    issue: &str,
    session: &mut RepairSession<'_, E>,
) -> Result<Record, RepairError> {
    let issue = issue.trim();
    if issue.is_empty() {
        return Err(RepairError::NoIssue);
    }
    let mut trial = Trial::of(session.workspace.root(), session.options)?;
    let mut record = Record {
        isolation: trial.isolation().to_string(),
        ..Record::default()
    };
    session.tell(RepairEvent::Copied(trial.isolation()));

    session.tell(RepairEvent::Baseline);
    let baseline = trial.run_tests().await?;
    trial.forgive()?;
    let baseline_record = record.baseline.insert(RunRecord::of(&baseline, []));
    session.tell(RepairEvent::BaselineRan(baseline_record));
    if let Some(reason) = broken(&baseline, issue) {
        return Ok(record.ended(Status::BaselineBroken, reason));
    }
    trial.limit_time_after(&baseline);

    let tests = &mut record.test_attempts;
    let bug = match reproduce(issue, baseline, &mut trial, tests, session).await? {
        Ok(bug) => bug,
        Err(reason) => return Ok(record.ended(Status::NotReproduced, reason)),
    };
    record.shown_by = Some(bug.by);
    record.targets = bug.expected.targets.iter().cloned().collect();
    record.known_failing = bug.expected.known_failing.iter().cloned().collect();
    record.red = Some(RunRecord::of(&bug.run, &record.targets));
    session.tell(RepairEvent::Shown(
        bug.by,
        &record.targets,
        &record.known_failing,
    ));

    let mended = mend(issue, bug, &mut trial, &mut record, session).await;
    conclude(record, mended, session.options.max_attempts)
}

/// Makes the attempts. Returns whether one of them is a success; then it is in the record.
async fn mend<E: Engine>(
    issue: &str,
    bug: Reproduction,
    trial: &mut Trial,
    record: &mut Record,
    session: &mut RepairSession<'_, E>,
) -> Result<bool, RepairError> {
    let Reproduction {
        test,
        expected,
        run: mut red,
        ..
    } = bug;
    // Edits that mend a part of the bug stay, and the next attempts go on from there.
    let mut kept: Vec<FileChange> = Vec::new();
    let mut best = judge(&expected, &red.end, &red.results, None);
    let mut asking = Asking::default();
    let max_attempts = session.options.max_attempts;
    for n in 1..=max_attempts {
        session.tell(RepairEvent::Attempt(n, max_attempts));
        let created = kept.iter().filter(|change| change.before.is_none());
        let request = ProposalRequest {
            issue,
            purpose: Purpose::Fix,
            n,
            notes: notes_for(n, &red, &kept, record, session),
            created: created.map(|change| change.path.clone()).collect(),
        };
        let Proposal { changes, mut draft } = propose(request, trial, &mut asking, session).await?;
        let changes = match changes {
            Ok(changes) => changes,
            Err((end, message)) => {
                session.end_attempt(draft.ended(end, message), &mut record.attempts);
                continue;
            }
        };

        trial.put(&changes)?;
        let run = trial.run_tests().await?;
        let finding = run.finding(&expected);
        draft.ms = Some(run.time.as_millis() as u64);
        if finding == Finding::Green {
            session.tell(RepairEvent::Proving);
            let edit = merged(&kept, &changes);
            if let Some(proof) = prove(trial, &test, &edit, &expected).await? {
                session.end_attempt(draft.tested(finding), &mut record.attempts);
                record.add_success(&proof, merged(&test, &edit));
                return Ok(true);
            }
            trial.take_back(&changes)?;
            let message = "green once, but not in a fresh copy, or in one without the edit too";
            let attempt = draft.ended(AttemptEnd::NotProven, message.to_owned());
            session.end_attempt(attempt, &mut record.attempts);
            continue;
        }

        let mut attempt = draft.tested(finding.clone());
        if finding.is_better_than(&best) {
            attempt.kept = true;
            kept = merged(&kept, &changes);
            best = finding;
            red = run;
            asking = Asking::default(); // the files are others now
        } else if run.changed_tests.is_some() {
            *trial = trial.fresh(&[&test, &kept])?;
        } else {
            trial.take_back(&changes)?;
        }
        session.end_attempt(attempt, &mut record.attempts);
    }
    Ok(false)
}

/// What the prompt of attempt `n` holds beside the issue, after this run and these edits.
fn notes_for<E: Engine>(
    n: usize,
    red: &TestRun,
    kept: &[FileChange],
    record: &Record,
    session: &RepairSession<'_, E>,
) -> String {
    if n < TOLD_FROM || session.profile.learned_from_sentences() {
        return String::new();
    }
    let known = Known {
        purpose: Purpose::Fix,
        command: &session.options.command,
        targets: &record.targets,
        output: &RunRecord::of(red, &record.targets).output,
        diff: &kept.iter().map(FileChange::diff).collect::<String>(),
        tried: &record.attempts,
    };
    notes(&known, session.engine.model().context_tokens)
}

/// Edits, and those that follow them, as one change of each file.
fn merged(earlier: &[FileChange], later: &[FileChange]) -> Vec<FileChange> {
    let mut all = earlier.to_vec();
    for change in later {
        match all.iter_mut().find(|earlier| earlier.path == change.path) {
            Some(earlier) => earlier.after.clone_from(&change.after),
            None => all.push(change.clone()),
        }
    }
    // A later edit may have taken back an earlier one.
    all.retain(|change| match &change.before {
        Some(before) => before.bytes() != change.after,
        None => true,
    });
    all
}

/// Adds to the record how the loop ended.
fn conclude(
    record: Record,
    mended: Result<bool, RepairError>,
    max_attempts: usize,
) -> Result<Record, RepairError> {
    let is_mended = match mended {
        Err(error) if error.is_no_files() => {
            let reason =
                "there is no file that may be changed: all hold tests, or say how they are run";
            return Ok(record.ended(Status::Refused, reason.to_owned()));
        }
        mended => mended?,
    };
    if is_mended {
        let reason = "the tests pass, and fail without the edit".to_owned();
        return Ok(record.ended(Status::Success, reason));
    }

    let mut attempts = record.attempts.iter();
    if attempts.any(|attempt| attempt.end.was_tried()) {
        let reason = format!("no attempt of {max_attempts} made the tests pass");
        return Ok(record.ended(Status::Exhausted, reason));
    }
    let last = record.attempts.last();
    let last = last.map_or("", |attempt| attempt.message.as_str());
    let reason =
        format!("no attempt of {max_attempts} was an edit that could be tried; the last: {last}");
    Ok(record.ended(Status::Refused, reason))
}
