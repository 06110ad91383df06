//! Edits in several places, until the model says that it is done.
//!
//! A model with one of our adapters writes them as one answer (`further`). Another is asked
//! again and again: each step sees the files as the steps before it left them, though nothing is
//! written. All edits together are one edit set over several files, complete before the first file is
//! written.

use super::answers::edit;
use super::continuation::{Continuation, EndedBy};
use super::further;
use super::outcome::{FlowError, OtherWay, Outcome, Stage, Verdict};
use super::places::Place;
use super::rewrite;
use super::session::Session;
use super::so_far::SoFar;
use crate::edit::Swap;
use crate::engine::Engine;
use crate::patched::{FileChange, Patched};
use crate::review::{KeptName, change_breaks};
use crate::slots::{Operation, Reason, Slot, overall_certainty};
use crate::task::{Context, Task};
use crate::workspace::Workspace;
use std::collections::BTreeMap;
use std::ops::Range;

/// A model may end after so many edits in a row that change nothing, even if there are too few.
const MOST_IDLE: usize = 2;

/// Why there are fewer edits than wanted.
const NO_FURTHER: &str = "the model makes no further edit";

/// The most edits of one answer, where an answer may have several.
pub const MOST_EDITS: usize = 8;

/// The edits that a model made for a task, step by step.
#[derive(Debug, Default)]
pub struct Steps {
    /// The edits in their order. Those of one answer all refer to the original file, and what comes
    /// afterwards includes the earlier ones; else each is of the file as the one before left it.
    pub edits: Vec<StepEdit>,
    /// Why there is no edit; `None` if there is one. A later edit that cannot be made is in
    /// [`Steps::left_out`].
    pub failed: Option<FailedStep>,
    /// Whether the model could make a further edit.
    pub continuation: Continuation,
    /// What became of other places that have a text which was replaced.
    pub elsewhere: Vec<Elsewhere>,
    /// What became of the uses of a changed name in other files; `None` if there are none.
    pub uses: Option<Uses>,
    /// How many of the edits are the model's answer. Those after them follow from it.
    n_answered: usize,
    /// The questions and answers of all steps.
    pub stages: Vec<Stage>,
    /// The edits in slots that were replaced by a block written anew.
    pub set_aside: Option<Box<Steps>>,
    /// The places that may have to follow these edits and stay as they are, best first.
    pub places: Vec<Place>,
}

/// What became of the other places of a text that was replaced.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Elsewhere {
    /// What was replaced, and by what.
    pub swap: Swap,
    /// The places that got the new text too: files, and lines counted from 1.
    pub replaced: Vec<(String, usize)>,
    /// The places that keep the old text.
    pub kept: Vec<(String, usize)>,
}

/// What became of the uses of a changed name in other files.
#[derive(Clone, Debug)]
pub struct Uses {
    /// The files that have the new name.
    pub renamed: Vec<String>,
    /// The name, and the files that keep it.
    pub kept: KeptName,
}

/// Edits that follow from those of an answer.
struct Followed {
    edits: Vec<StepEdit>,
    elsewhere: Vec<Elsewhere>,
    uses: Option<Uses>,
}

/// A first step without an edit.
#[derive(Debug)]
pub struct FailedStep {
    /// Never [`Verdict::Proposed`].
    pub verdict: Verdict,
    /// The certainty of the whole answer: see [`overall_certainty`].
    pub certainty: f64,
}

/// The edit of one step.
#[derive(Clone, Debug)]
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
    let mut steps = in_slots(task, first, session).await?;
    if let Some(other_way) = other_way
        && steps.is_doubted(&other_way.target.path, session)
    {
        steps = steps.or_anew(task, *other_way, session).await?;
    }
    steps.leave_out_what_breaks(session.workspace);
    steps.n_answered = steps.edits.len();
    Ok(steps)
}

async fn in_slots<E: Engine>(
    task: &Task,
    first: Outcome,
    session: &mut Session<'_, E>,
) -> Result<Steps, FlowError> {
    let mut steps = Steps::default();
    let least = session.options.least_edits;
    steps.take(task, first, least, session).await?;
    if steps.failed.is_some() {
        return Ok(steps);
    }

    if steps.cut().is_none() && steps.edits.len() < least {
        steps.continuation.stop(NO_FURTHER);
    }
    if steps.changes().is_empty() {
        // One step took back what another did.
        steps.failed = Some(FailedStep {
            verdict: Verdict::AlreadyDone(None),
            certainty: 0.0,
        });
    }
    Ok(steps)
}

/// Has the model make a further edit, where it ended an answer that may have several: see
/// [`Steps::can_go_on`]. If it makes none, returns why. The answer then ends as it did before: nothing is
/// left out of the edits that it had.
///
/// # Errors
/// [`FlowError`] if it could not be asked. The steps are then as they were.
pub async fn go_on<E: Engine>(
    task: &Task,
    steps: &mut Steps,
    session: &mut Session<'_, E>,
) -> Result<Option<String>, FlowError> {
    let followed = steps.take_back_followed(session);
    let before = steps.continuation.clone();
    let Continuation::Ended {
        so_far: Some(so_far),
        ..
    } = before.clone()
    else {
        steps.restore(followed, session);
        return Ok(None);
    };
    let n_before = steps.edits.len();
    if let Err(error) = steps.go_on_after(*so_far, task, session).await {
        steps.edits.truncate(n_before);
        steps.continuation = before;
        steps.restore(followed, session);
        return Err(error);
    }
    steps.leave_out_what_breaks(session.workspace);
    steps.n_answered = steps.edits.len();
    if steps.edits.len() != n_before {
        return Ok(None);
    }
    let why = steps.cut().map(str::to_owned);
    steps.continuation.end_as(&before);
    Ok(why)
}

/// The same task, where the model cannot decline.
fn must_edit(task: &Task) -> Task {
    task.clone().within(Context {
        must_edit: true,
        ..task.context().clone()
    })
}

/// Why a further edit of an answer cannot be made.
fn why(verdict: &Verdict) -> String {
    match verdict {
        Verdict::Truncated(_) => "the model's next edit does not end".to_owned(),
        Verdict::Mechanics(error) => format!("the model's next edit cannot be made: {error}"),
        Verdict::Refused(error) => format!("the model's next edit cannot be written: {error}"),
        Verdict::Proposed(_) | Verdict::AlreadyDone(_) | Verdict::Declined(_) => {
            unreachable!("no failures")
        }
    }
}

impl Steps {
    /// Takes back the edits that follow from those of the answer, so that it can go on. Returns them.
    fn take_back_followed<E>(&mut self, session: &Session<'_, E>) -> Followed {
        let edits = self.edits.split_off(self.n_answered.min(self.edits.len()));
        for StepEdit { patched, .. } in edits.iter().rev() {
            let before = patched.before.bytes().to_vec();
            session.workspace.pend(&patched.path, before);
        }
        Followed {
            edits,
            elsewhere: std::mem::take(&mut self.elsewhere),
            uses: self.uses.take(),
        }
    }

    /// Makes edits again that were taken back.
    fn restore<E>(&mut self, followed: Followed, session: &Session<'_, E>) {
        for StepEdit { patched, .. } in &followed.edits {
            session.workspace.pend(&patched.path, patched.after.clone());
        }
        self.edits.extend(followed.edits);
        self.elsewhere = followed.elsewhere;
        self.uses = followed.uses;
    }

    /// The uses of a changed name that stay.
    pub fn kept_name(&self) -> Option<&KeptName> {
        let kept = &self.uses.as_ref()?.kept;
        (!kept.paths.is_empty()).then_some(kept)
    }

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

    /// A copy. Why there is no edit is not copied.
    pub fn copied(&self) -> Steps {
        Steps {
            edits: self.edits.clone(),
            failed: None,
            continuation: self.continuation.clone(),
            elsewhere: self.elsewhere.clone(),
            uses: self.uses.clone(),
            n_answered: self.n_answered,
            stages: self.stages.clone(),
            set_aside: self.set_aside.as_ref().map(|it| Box::new(it.copied())),
            places: self.places.clone(),
        }
    }

    /// The same steps, with the edits before them, after which their files were as they saw them.
    pub fn preceded_by(mut self, edits: &[StepEdit]) -> Steps {
        self.edits.splice(0..0, edits.iter().cloned());
        self.n_answered += edits.len();
        let set_aside = self.set_aside.take();
        self.set_aside = set_aside.map(|steps| Box::new(steps.preceded_by(edits)));
        self
    }

    /// Whether a file no longer parses.
    fn breaks(&self) -> bool {
        let changes = self.changes();
        changes.iter().any(|it| change_breaks(it).is_some())
    }

    /// Whether the model could be made to go on.
    pub fn can_go_on(&self) -> bool {
        matches!(
            self.continuation,
            Continuation::Ended {
                so_far: Some(_),
                ..
            }
        )
    }

    /// The model's reason for making no further edit, if it gave one.
    pub fn ended(&self) -> Option<Reason> {
        match &self.continuation {
            Continuation::Ended {
                by: EndedBy::Model(reason),
                ..
            } => Some(*reason),
            _ => None,
        }
    }

    /// The certainty of the least certain edit, 0 to 1; 0 if the first one cannot be made.
    pub fn certainty(&self) -> f64 {
        if self.failed.is_some() {
            return 0.0;
        }
        let certainties = self.edits.iter().map(|it| overall_certainty(&it.certainty));
        certainties.fold(1.0, f64::min)
    }

    /// Why an answer has no further edit, though the model did not say that it is done.
    pub fn cut(&self) -> Option<&str> {
        match &self.continuation {
            Continuation::Ended {
                by: EndedBy::Program(why) | EndedBy::Failed(why),
                ..
            } => Some(why),
            _ => None,
        }
    }

    /// Why a further edit is missing that the model would have made; `None` if none is.
    pub fn left_out(&self) -> Option<&str> {
        match &self.continuation {
            Continuation::Ended {
                by: EndedBy::Failed(why),
                ..
            } => Some(why),
            _ => None,
        }
    }

    /// Leaves out the later edits of a file that parses without them and not with them. The first of all
    /// edits stays: what follows it may be worth nothing without it.
    fn leave_out_what_breaks(&mut self, workspace: &Workspace) {
        for change in self.changes() {
            let Some(warning) = change_breaks(&change) else {
                continue;
            };
            let Some(n_kept) = self.n_with_which_it_parses(&change) else {
                continue;
            };
            let n_before = self.edits.len();
            let mut kept = change.before.map_or(Vec::new(), |it| it.bytes().to_vec());
            let mut n_of_file = 0;
            self.edits.retain(|StepEdit { patched, .. }| {
                n_of_file += usize::from(patched.path == change.path);
                let is_kept = patched.path != change.path || n_of_file <= n_kept;
                if is_kept && patched.path == change.path {
                    kept.clone_from(&patched.after);
                }
                is_kept
            });

            workspace.pend(&change.path, kept);
            let edits = match n_before - self.edits.len() {
                1 => "the model's next edit".to_owned(),
                n => format!("the model's next {n} edits"),
            };
            let by = EndedBy::Failed(format!("with {edits} {}", warning.message));
            // The answer so far has them in it.
            self.continuation = Continuation::ended(by);
        }
    }

    /// How many of the first edits of a file can be kept so that it parses; `None` if it never does.
    fn n_with_which_it_parses(&self, change: &FileChange) -> Option<usize> {
        let mut afters = Vec::new();
        for StepEdit { patched, .. } in &self.edits {
            if patched.path == change.path {
                afters.push(&patched.after);
            }
        }
        let last = afters.into_iter().rposition(|after| {
            let after = FileChange {
                after: after.clone(),
                ..change.clone()
            };
            after.is_change() && change_breaks(&after).is_none()
        });
        let is_first = self.edits[0].patched.path == change.path;
        match last {
            Some(last) => Some(last + 1),
            None => (!is_first).then_some(0),
        }
    }

    async fn go_on_after<E: Engine>(
        &mut self,
        so_far: SoFar,
        task: &Task,
        session: &mut Session<'_, E>,
    ) -> Result<(), FlowError> {
        let n_before = self.edits.len();
        if let Some(outcome) = self.further(&must_edit(task), so_far, session).await? {
            self.take(task, outcome, n_before + 1, session).await?;
        }
        if self.edits.len() == n_before && self.cut().is_none() {
            self.continuation.stop(NO_FURTHER);
        }
        Ok(())
    }

    /// Adds the edit of an answer, and asks for further ones until there are none. `least`: the edits
    /// before which the model cannot say that it is done.
    async fn take<E: Engine>(
        &mut self,
        task: &Task,
        mut outcome: Outcome,
        least: usize,
        session: &mut Session<'_, E>,
    ) -> Result<(), FlowError> {
        let most = session.options.most_edits;
        let mut n_idle = 0;
        for n_asked in self.edits.len() + 1.. {
            let n_before = self.edits.len();
            self.add(outcome, session);
            if self.failed.is_some() {
                break;
            }

            if self.edits.len() > n_before {
                n_idle = 0;
            } else {
                n_idle += 1;
            }
            let must_go_on = self.edits.len() < least && n_idle < MOST_IDLE;
            let has_enough = most.is_some_and(|most| n_asked >= most);
            let next = match std::mem::take(&mut self.continuation) {
                ended @ Continuation::Ended { .. } => {
                    self.continuation = ended;
                    break;
                }
                _ if has_enough => break,
                Continuation::Open(_) if most.is_none() && n_asked >= MOST_EDITS => {
                    let why = format!("an answer may have {MOST_EDITS} edits at most");
                    self.continuation.stop(&why);
                    break;
                }
                Continuation::Open(so_far) => {
                    let task = if must_go_on { &must_edit(task) } else { task };
                    self.further(task, *so_far, session).await
                }
                Continuation::Complete if most.is_some() => {
                    let next = self.next_task(task, must_go_on);
                    edit(&next, session).await.map(Some)
                }
                Continuation::Complete => break,
            };
            outcome = match next {
                Ok(Some(outcome)) => outcome,
                Ok(None) => break,
                Err(error) if self.edits.is_empty() => return Err(error),
                // The edits before stay, whatever happens to the model.
                Err(error) => {
                    let why = format!("the model's next edit cannot be asked for: {error}");
                    self.continuation.fail(&why);
                    break;
                }
            };
        }
        Ok(())
    }

    /// Adds the edit of one answer, or says why there is none. The edits before it stay.
    fn add<E>(&mut self, outcome: Outcome, session: &Session<'_, E>) {
        let certainty = outcome.certainty();
        let is_first = self.edits.is_empty();
        self.stages.extend(outcome.stages);
        self.continuation = outcome.continuation;
        match outcome.verdict {
            Verdict::Proposed(patched) => {
                session.workspace.pend(&patched.path, patched.after.clone());
                self.edits.push(StepEdit { patched, certainty });
            }
            verdict if is_first => {
                let certainty = overall_certainty(&certainty);
                self.failed = Some(FailedStep { verdict, certainty });
            }
            // Whatever its reason is, there is nothing more to do.
            Verdict::Declined(reason) => {
                if !matches!(self.continuation, Continuation::Ended { .. }) {
                    self.continuation = Continuation::ended(EndedBy::Model(reason));
                }
            }
            Verdict::AlreadyDone(_) => {
                // One edit of an answer that changes nothing does not end it.
                if !matches!(self.continuation, Continuation::Open(_)) {
                    let by = EndedBy::Model(Reason::AlreadyDone);
                    self.continuation = Continuation::ended(by);
                }
            }
            verdict => self.continuation = Continuation::ended(EndedBy::Failed(why(&verdict))),
        }
    }

    /// Asks for a further edit in the same answer. `None` if there cannot be one.
    async fn further<E: Engine>(
        &mut self,
        task: &Task,
        so_far: SoFar,
        session: &mut Session<'_, E>,
    ) -> Result<Option<Outcome>, FlowError> {
        match further::edit(task, so_far, session).await {
            Ok(Some(outcome)) => return Ok(Some(outcome)),
            Ok(None) => self.continuation.stop("the answer is as long as it may be"),
            Err(FlowError::Engine(error)) => return Err(error.into()),
            Err(error) => self.continuation.fail(&error.to_string()),
        }
        Ok(None)
    }

    /// The task with a note on what was done, for a question of its own. Files that were created may
    /// be edited too.
    fn next_task(&self, task: &Task, must_edit: bool) -> Task {
        let context = task.context();
        let done = Reason::AlreadyDone.word();
        let then = match must_edit {
            true => "Make the next change.".to_owned(),
            false => format!(
                "If nothing else is to be changed, choose none (\"{done}\"). Else make the next \
                 change."
            ),
        };
        let notes = format!("{}\n{then}", self.notes(task));
        let editable = context.editable.clone().map(|mut editable| {
            editable.extend(self.edits.iter().map(|edit| edit.patched.path.clone()));
            editable
        });
        // The lines of a file that was edited have other numbers: edits of given lines are of one
        // step, and the line that the person pointed at is where the first one was.
        task.clone().within(Context {
            notes,
            editable,
            points_at: None,
            must_edit,
            ..context.clone()
        })
    }

    /// The notes of a task, with what was done.
    pub(super) fn notes(&self, task: &Task) -> String {
        let diff: String = self.changes().iter().map(FileChange::diff).collect();
        let notes = format!(
            "{}\n\nThis part of the task is done, and is in the files already:\n{diff}",
            task.context().notes
        );
        notes.trim_start().to_owned()
    }

    /// The files that change, in the order of their first edits.
    pub fn changes(&self) -> Vec<FileChange> {
        let mut changes: Vec<FileChange> = Vec::new();
        for StepEdit { patched, .. } in &self.edits {
            let mut others = changes.iter_mut();
            if let Some(change) = others.find(|change| change.path == patched.path) {
                change.after.clone_from(&patched.after);
                continue;
            }
            changes.push(FileChange {
                path: patched.path.clone(),
                before: (patched.operation != Operation::Create).then(|| patched.before.clone()),
                after: patched.after.clone(),
            });
        }
        changes.into_iter().filter(FileChange::is_change).collect()
    }
}
