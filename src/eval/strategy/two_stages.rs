//! The program's own two stages, forced to fit the files or only into the shape of an answer.

use super::attempt::{Attempt, Made, MechanicsKind, not_asked};
use crate::check::{CheckOptions, Checker, mend};
use crate::constrain::Spec;
use crate::edit::SlotsError;
use crate::engine::{Answer, Engine, EngineError, ModelInfo, Progress, Request};
use crate::eval::tree::Tree;
use crate::flow::follow::follow;
use crate::flow::steps::edit_in_steps;
use crate::flow::{MechanicsError, Session, Verdict};
use crate::locate::free_slots::FreeSlotsError;
use crate::slots::shape::Presence;
use crate::slots::{self, Slot};
use crate::task::Task;
use std::collections::BTreeMap;

/// An engine that forces only the shape of an answer: JSON with the right keys, and any text in it.
struct ShapeOnly<'e, E>(&'e mut E);

impl<E: Engine> Engine for ShapeOnly<'_, E> {
    fn model(&self) -> &ModelInfo {
        self.0.model()
    }

    /// Its answers are compared with the files, as those of a server are.
    fn forces_answers(&self) -> bool {
        false
    }

    async fn count_tokens(&mut self, texts: &[&str]) -> Result<Vec<usize>, EngineError> {
        self.0.count_tokens(texts).await
    }

    async fn complete(
        &mut self,
        request: &Request,
        progress: &mut dyn FnMut(Progress),
    ) -> Result<Answer, EngineError> {
        let request = Request {
            spec: shape(&request.spec),
            ..request.clone()
        };
        self.0.complete(&request, progress).await
    }
}

/// The JSON Schema of the slots alone.
fn shape(spec: &Spec) -> Spec {
    let Spec::Slots(spec) = spec else {
        return spec.clone();
    };
    let mut schema = slots::answer_schema(spec.operation());
    for field in spec.fields() {
        // A field that not every answer has may be left out; null is no value of it.
        let pointer = format!("/properties/{}", field.slot.key());
        if field.presence != Presence::Always
            && let Some(property) = schema.pointer_mut(&pointer)
        {
            *property = serde_json::json!({ "type": "string" });
        }
    }
    Spec::Schema(schema)
}

/// Asks for the slots in plain JSON Schemas that know no file.
pub(super) async fn attempt_in_schemas<E: Engine>(
    task: &Task,
    before: &Tree,
    session: &mut Session<'_, E>,
) -> Result<Attempt, EngineError> {
    let mut options = session.options.clone();
    options.profile = options.profile.in_schema_words();
    let mut session = Session {
        workspace: session.workspace,
        engine: &mut ShapeOnly(session.engine),
        options,
        progress: session.progress,
    };
    attempt(task, before, None, &mut session).await
}

pub(super) async fn attempt<E: Engine>(
    task: &Task,
    before: &Tree,
    check: Option<&CheckOptions>,
    session: &mut Session<'_, E>,
) -> Result<Attempt, EngineError> {
    let mut attempt = Attempt::default();
    let mut steps = edit_in_steps(task, session).await;
    if let Ok(steps) = &mut steps {
        follow(task, steps, session).await;
    }
    if let (Some(options), Ok(made)) = (check, &mut steps)
        && made.failed.is_none()
    {
        // Without its check an edit stays as it is.
        if let Ok(mut checker) = Checker::of(session.workspace.root(), options).await
            && let Ok(checked) = checker.check(made.changes()).await
        {
            let made_first = (std::mem::take(made), checked);
            *made = mend(task, made_first, &mut checker, session).await.steps;
        }
    }
    session.workspace.forget_pending();
    let steps = match steps {
        Ok(steps) => steps,
        Err(error) => {
            attempt.made = not_asked(error)?;
            return Ok(attempt);
        }
    };

    let mut after = before.clone();
    for change in steps.changes() {
        after.insert(change.path, change.after);
    }
    for stage in steps.stages {
        attempt.add(stage.answer, &stage.stats);
    }
    if !steps.edits.is_empty() {
        attempt.certainty = least(steps.edits.iter().map(|edit| &edit.certainty));
    }

    attempt.made = match steps.failed.map(|step| step.verdict) {
        None => Made::Edited(after),
        Some(Verdict::Proposed(_)) => unreachable!("an edit is no failure"),
        Some(Verdict::AlreadyDone(_)) => Made::Edited(before.clone()),
        Some(Verdict::Declined(reason)) => Made::Declined(reason.word().to_owned()),
        Some(Verdict::Truncated(_)) => Made::Truncated,
        Some(Verdict::Refused(error)) => {
            Made::Mechanics(MechanicsKind::CannotApply, error.to_string())
        }
        Some(Verdict::Mechanics(error)) => Made::Mechanics(kind(&error), error.to_string()),
    };
    Ok(attempt)
}

/// The least certainty of each slot, over the edits.
fn least<'e>(of_edits: impl Iterator<Item = &'e BTreeMap<Slot, f64>>) -> BTreeMap<Slot, f64> {
    let mut least = BTreeMap::new();
    for (&slot, &certainty) in of_edits.flatten() {
        let known: &mut f64 = least.entry(slot).or_insert(certainty);
        *known = known.min(certainty);
    }
    least
}

fn kind(error: &MechanicsError) -> MechanicsKind {
    match error {
        MechanicsError::Slots(error) if error.is_data() => MechanicsKind::UnknownKey,
        MechanicsError::Slots(_) | MechanicsError::NoFence => MechanicsKind::NoJson,
        MechanicsError::Pick(_) => MechanicsKind::PathNotReal,
        MechanicsError::OtherLines => MechanicsKind::TextNotFound,
        MechanicsError::Locate(FreeSlotsError::Miss(miss)) => MechanicsKind::of_miss(miss),
        MechanicsError::Locate(FreeSlotsError::Slots(error)) => match error {
            SlotsError::NotShown | SlotsError::NoSuchEnd => MechanicsKind::TextNotFound,
            SlotsError::Ambiguous { .. } | SlotsError::NoSuchPlace { .. } => {
                MechanicsKind::Ambiguous
            }
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_several_edits_the_least_certain_slot_counts() {
        let edits = [
            BTreeMap::from([(Slot::Operation, 0.9), (Slot::New, 0.4)]),
            BTreeMap::from([(Slot::Operation, 0.7), (Slot::Text, 0.8)]),
        ];
        let expected = [(Slot::Operation, 0.7), (Slot::New, 0.4), (Slot::Text, 0.8)];
        assert_eq!(least(edits.iter()), BTreeMap::from(expected));
    }
}
