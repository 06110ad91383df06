//! Edits in several places, until the model says that it is done.
//!
//! A model with one of our adapters writes them as one answer (`further`). Another is asked
//! again and again: each step sees the files as the steps before it left them, though nothing is
//! written. All edits together are one edit set over several files, complete before the first file is
//! written.

use super::edit;
use super::further;
use super::outcome::{FlowError, OtherWay, Outcome, Stage, Verdict};
use super::rewrite;
use super::session::Session;
use super::so_far::SoFar;
use crate::engine::Engine;
use crate::patched::{FileChange, Patched};
use crate::review::change_breaks;
use crate::slots::{Operation, Reason, Slot, overall_certainty};
use crate::task::{Context, Task};
use std::collections::BTreeMap;
use std::ops::Range;

/// After so many edits in a row that change nothing a model may end in any case.
const MOST_IDLE: usize = 2;

/// Why there are fewer edits than wanted.
const NO_FURTHER: &str = "the model makes no further edit";

/// The most edits of one answer, where an answer may have several.
pub const MOST_EDITS: usize = 8;

/// What a task came to, step by step.
#[derive(Debug, Default)]
pub struct Steps {
    /// The edits in their order. Those of one answer are all of the file as it was, with the earlier
    /// ones in what comes afterwards; else each is of the file as the one before left it.
    pub edits: Vec<StepEdit>,
    /// Why there is no edit, or why the last step failed: then the edits before it are not used
    /// either. None: the edits are complete.
    pub failed: Option<FailedStep>,
    /// Why the model made no further edit, if it said so.
    pub ended: Option<Reason>,
    /// Why an answer has no further edit, though the model did not say that it is done.
    pub cut: Option<String>,
    /// The questions and answers of all steps.
    pub stages: Vec<Stage>,
    /// What [`go_on`] goes on from.
    ended_at: Option<Box<SoFar>>,
    /// The edits in slots that a block written anew came instead of.
    pub set_aside: Option<Box<Steps>>,
}

/// A step without an edit.
#[derive(Debug)]
pub struct FailedStep {
    /// Never [`Verdict::Proposed`].
    pub verdict: Verdict,
    /// The certainty of the whole answer: see [`overall_certainty`].
    pub certainty: f64,
}

/// The edit of one step.
#[derive(Debug)]
pub struct StepEdit {
    /// The file before and after the step.
    pub patched: Patched,
    /// See [`Outcome::certainty`].
    pub certainty: BTreeMap<Slot, f64>,
}

/// Makes the edits that a task asks for, up to the gate, at most as many as the session's options say.
/// Afterwards the session's workspace has them pending.
pub async fn edit_in_steps<E: Engine>(
    task: &Task,
    session: &mut Session<'_, E>,
) -> Result<Steps, FlowError> {
    let first = edit(task, session).await?;
    steps_after(task, first, session).await
}

/// The same, where the first answer is there. Slots that the model is not certain of, or that break
/// their file, are doubted: then a block is written anew (`flow::rewrite`), and the better of the
/// two is taken.
pub async fn steps_after<E: Engine>(
    task: &Task,
    mut first: Outcome,
    session: &mut Session<'_, E>,
) -> Result<Steps, FlowError> {
    let other_way = first.other_way.take();
    let steps = in_slots(task, first, session).await?;
    match other_way {
        Some(other_way) if steps.is_doubted(&other_way.target.path, session) => {
            steps.or_anew(task, *other_way, session).await
        }
        _ => Ok(steps),
    }
}

async fn in_slots<E: Engine>(
    task: &Task,
    first: Outcome,
    session: &mut Session<'_, E>,
) -> Result<Steps, FlowError> {
    let mut steps = Steps::default();
    let least = session.options.least_edits;
    steps.take(task, first, least, session).await?;
    if steps.failed.is_none() && steps.cut.is_none() && steps.edits.len() < least {
        steps.cut = Some(NO_FURTHER.to_owned());
    }
    if steps.failed.is_none() && steps.changes().is_empty() {
        // One step took back what another did.
        steps.failed = Some(FailedStep {
            verdict: Verdict::AlreadyDone(None),
            certainty: 0.0,
        });
    }
    Ok(steps)
}

/// Has the model make a further edit, where it ended an answer that may have several: see
/// [`Steps::can_go_on`]. If none comes of it, [`Steps::cut`] says why.
pub async fn go_on<E: Engine>(
    task: &Task,
    steps: &mut Steps,
    session: &mut Session<'_, E>,
) -> Result<(), FlowError> {
    let Some(so_far) = steps.ended_at.take() else {
        return Ok(());
    };
    (steps.ended, steps.cut) = (None, None);
    let n_before = steps.edits.len();
    if let Some(outcome) = steps.further(&must_edit(task), *so_far, session).await? {
        steps.take(task, outcome, n_before + 1, session).await?;
    }
    if steps.edits.len() == n_before && steps.cut.is_none() {
        steps.cut = Some(NO_FURTHER.to_owned());
    }
    Ok(())
}

/// The same task, where the model cannot decline.
fn must_edit(task: &Task) -> Task {
    task.clone().within(Context {
        must_edit: true,
        ..task.context().clone()
    })
}

/// Why a further edit of an answer came to nothing.
fn why(verdict: &Verdict) -> String {
    match verdict {
        Verdict::Truncated(_) => "its next edit does not end".to_owned(),
        Verdict::Mechanics(error) => format!("its next edit cannot be made: {error}"),
        Verdict::Refused(error) => format!("its next edit cannot be written: {error}"),
        Verdict::Proposed(_) | Verdict::AlreadyDone(_) | Verdict::Declined(_) => {
            unreachable!("no failures")
        }
    }
}

impl Steps {
    /// Whether a block of this file should be written anew instead. What the model declined is not.
    fn is_doubted<E>(&self, path: &str, session: &Session<'_, E>) -> bool {
        let Some(least) = session.options.doubted_below else {
            return false;
        };
        if self.edits.iter().any(|edit| edit.patched.path != path) {
            return false;
        }
        match &self.failed {
            Some(failed) => !matches!(failed.verdict, Verdict::Declined(_) | Verdict::Refused(_)),
            None => {
                let mut edits = self.edits.iter();
                edits.any(|edit| overall_certainty(&edit.certainty) < least) || self.breaks()
            }
        }
    }

    /// Asks for a block written anew that has all of these edits in it, and takes the better of the
    /// two. Where that cannot be asked, these edits stay.
    async fn or_anew<E: Engine>(
        self,
        task: &Task,
        other_way: OtherWay,
        session: &mut Session<'_, E>,
    ) -> Result<Steps, FlowError> {
        let anew = rewrite::instead_of(&other_way.target, task, session).await?;
        let changes = self
            .edits
            .iter()
            .flat_map(|edit| &edit.patched.replacements);
        let changes: Vec<Range<usize>> = changes.map(|it| it.range.clone()).collect();
        let anew = anew.and_then(|target| rewrite::around(&target, &changes));
        let Some(target) = anew else { return Ok(self) };
        for edit in &self.edits {
            // As before the first of them.
            session
                .workspace
                .pend(&edit.patched.path, edit.patched.before.bytes().to_vec());
        }
        let mut anew = Steps::default();
        match rewrite::ask(
            task,
            &OtherWay {
                target,
                ..other_way
            },
            session,
        )
        .await
        {
            Ok(outcome) => anew.take(task, outcome, 1, session).await?,
            Err(error) if self.failed.is_some() => return Err(error),
            Err(_) => {}
        }

        let stages = [self.stages.as_slice(), &anew.stages].concat();
        let is_better = anew.failed.is_none() && !anew.edits.is_empty() && !anew.breaks();
        let (mut better, other) = if is_better {
            (anew, self)
        } else {
            (self, anew)
        };
        for edit in &better.edits {
            session
                .workspace
                .pend(&edit.patched.path, edit.patched.after.clone());
        }
        better.stages = stages;
        let is_edit = other.failed.is_none() && !other.edits.is_empty();
        better.set_aside = is_edit.then(|| Box::new(other));
        Ok(better)
    }

    /// Whether a file no longer parses.
    fn breaks(&self) -> bool {
        let changes = self.changes();
        changes.iter().any(|it| change_breaks(it).is_some())
    }

    /// Whether the model could be made to go on.
    pub fn can_go_on(&self) -> bool {
        self.ended_at.is_some()
    }

    /// Takes an answer, and asks on until there is no further edit. `least`: the edits before which
    /// the model cannot say that it is done.
    async fn take<E: Engine>(
        &mut self,
        task: &Task,
        mut outcome: Outcome,
        least: usize,
        session: &mut Session<'_, E>,
    ) -> Result<(), FlowError> {
        let most = session.options.most_edits;
        // Whether the outcome is of a further edit in the same answer.
        let mut is_further = !self.edits.is_empty();
        let mut n_idle = 0;
        for n_asked in self.edits.len() + 1.. {
            let certainty = outcome.certainty();
            let Outcome {
                verdict,
                stages,
                so_far,
                ..
            } = outcome;
            self.stages.extend(stages);
            let is_first = self.edits.is_empty();
            match verdict {
                Verdict::Proposed(patched) => {
                    session.workspace.pend(&patched.path, patched.after.clone());
                    self.edits.push(StepEdit { patched, certainty });
                    n_idle = 0;
                }
                // One edit of an answer that changes nothing does not end it.
                Verdict::AlreadyDone(_) if !is_first && so_far.is_some() => n_idle += 1,
                // Whatever its reason is, there is nothing more to do.
                Verdict::Declined(reason) if !is_first => {
                    (self.ended, self.ended_at) = (Some(reason), so_far);
                    break;
                }
                Verdict::AlreadyDone(_) if !is_first => {
                    self.ended = Some(Reason::AlreadyDone);
                    break;
                }
                // The edits before it in the same answer do not depend on it.
                verdict if is_further => {
                    self.cut = Some(why(&verdict));
                    break;
                }
                verdict => {
                    let certainty = overall_certainty(&certainty);
                    self.failed = Some(FailedStep { verdict, certainty });
                    break;
                }
            }
            is_further = so_far.is_some();
            let is_forced = self.edits.len() < least && n_idle < MOST_IDLE;
            outcome = match (so_far, most) {
                (_, Some(most)) if n_asked >= most => break,
                (Some(_), None) if n_asked >= MOST_EDITS => {
                    self.cut = Some(format!("it may have {MOST_EDITS} edits at most"));
                    break;
                }
                (Some(so_far), _) => {
                    let task = if is_forced { &must_edit(task) } else { task };
                    match self.further(task, *so_far, session).await? {
                        Some(outcome) => outcome,
                        None => break,
                    }
                }
                (None, Some(_)) => edit(&self.next_task(task, is_forced), session).await?,
                (None, None) => break,
            };
        }
        Ok(())
    }

    /// Asks for a further edit in the same answer. None: there cannot be one.
    async fn further<E: Engine>(
        &mut self,
        task: &Task,
        so_far: SoFar,
        session: &mut Session<'_, E>,
    ) -> Result<Option<Outcome>, FlowError> {
        match further::edit(task, so_far, session).await {
            Ok(Some(outcome)) => return Ok(Some(outcome)),
            Ok(None) => self.cut = Some("it is as long as an answer may be".to_owned()),
            Err(FlowError::Engine(error)) => return Err(error.into()),
            Err(error) => self.cut = Some(error.to_string()),
        }
        Ok(None)
    }

    /// The task with a note on what was done, for a question of its own. Files that were created may
    /// be edited too.
    fn next_task(&self, task: &Task, must_edit: bool) -> Task {
        let context = task.context();
        let diff: String = self.changes().iter().map(FileChange::diff).collect();
        let done = Reason::AlreadyDone.word();
        let then = match must_edit {
            true => "Make the next change.".to_owned(),
            false => format!(
                "If nothing else is to be changed, choose none (\"{done}\"). Else make the next \
                 change."
            ),
        };
        let notes = format!(
            "{}\n\nThis part of the task is done, and is in the files already:\n{diff}\n{then}",
            context.notes
        );
        let editable = context.editable.clone().map(|mut editable| {
            editable.extend(self.edits.iter().map(|edit| edit.patched.path.clone()));
            editable
        });
        let notes = notes.trim_start().to_owned();
        // The lines of a file that was edited have other numbers: edits of given lines are of one
        // step.
        task.clone().within(Context {
            notes,
            editable,
            must_edit,
            ..context.clone()
        })
    }

    /// The files that change, by path.
    pub fn changes(&self) -> Vec<FileChange> {
        let mut changes: BTreeMap<&str, FileChange> = BTreeMap::new();
        for StepEdit { patched, .. } in &self.edits {
            let before = (patched.operation != Operation::Create).then(|| patched.before.clone());
            let change = FileChange {
                path: patched.path.clone(),
                before,
                after: Vec::new(),
            };
            changes
                .entry(&patched.path)
                .or_insert(change)
                .after
                .clone_from(&patched.after);
        }
        changes
            .into_values()
            .filter(|change| {
                change
                    .before
                    .as_ref()
                    .is_none_or(|text| text.bytes() != change.after)
            })
            .collect()
    }
}
