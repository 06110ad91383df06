//! The program's own two stages, forced to fit the files or into the mere shape of an answer.

use super::attempt::{Attempt, Made, MechanicsKind, declined, not_asked};
use crate::constrain::Spec;
use crate::edit::SlotsError;
use crate::engine::{Answer, Engine, EngineError, ModelInfo, Progress, Request};
use crate::eval::tree::Tree;
use crate::flow::steps::{FailedStep, edit_in_steps};
use crate::flow::{MechanicsError, Session, Verdict};
use crate::locate::free_slots::FreeSlotsError;
use crate::slots;
use crate::slots::Slot;
use crate::slots::shape::Presence;
use crate::task::Task;
use std::collections::BTreeMap;

/// An engine whose answers are forced less than they were to be.
#[derive(Debug)]
pub struct Loosened<'e, E> {
    engine: &'e mut E,
}

impl<'e, E: Engine> Loosened<'e, E> {
    /// Only the shape is forced: JSON with the right keys, any text in it.
    pub fn to_shape(engine: &'e mut E) -> Loosened<'e, E> {
        Loosened { engine }
    }
}

impl<E: Engine> Engine for Loosened<'_, E> {
    fn model(&self) -> &ModelInfo {
        self.engine.model()
    }

    /// What comes of its answers is held against the files, as those of other models are.
    fn forces_answers(&self) -> bool {
        false
    }

    async fn count_tokens(&mut self, texts: &[&str]) -> Result<Vec<usize>, EngineError> {
        self.engine.count_tokens(texts).await
    }

    async fn complete(
        &mut self,
        request: &Request,
        progress: &mut dyn FnMut(Progress),
    ) -> Result<Answer, EngineError> {
        let spec = shape(&request.spec);
        self.engine
            .complete(
                &Request {
                    spec,
                    ..request.clone()
                },
                progress,
            )
            .await
    }
}

/// The JSON Schema of the slots alone.
fn shape(spec: &Spec) -> Spec {
    let Spec::Slots(spec) = spec else {
        return spec.clone();
    };
    let mut schema = slots::answer_schema(spec.operation());
    // A field that not every answer has may be left out; null is no value of it.
    let optional = spec
        .fields()
        .iter()
        .filter(|field| field.presence != Presence::Always);
    for field in optional {
        if let Some(property) = schema.pointer_mut(&format!("/properties/{}", field.slot.key())) {
            *property = serde_json::json!({ "type": "string" });
        }
    }
    Spec::Schema(schema)
}

pub(super) async fn attempt<E: Engine>(
    task: &Task,
    before: &Tree,
    session: &mut Session<'_, E>,
) -> Result<Attempt, EngineError> {
    let mut attempt = Attempt::new();
    let steps = edit_in_steps(task, session).await;
    session.workspace.forget_pending();
    let steps = match steps {
        Ok(steps) => steps,
        Err(error) => {
            attempt.made = not_asked(error)?;
            return Ok(attempt);
        }
    };
    let mut after = before.clone();
    after.extend(
        steps
            .changes()
            .into_iter()
            .map(|change| (change.path, change.after)),
    );
    for stage in steps.stages {
        attempt.count(&stage.stats);
        attempt.answers.push(stage.answer);
    }
    if !steps.edits.is_empty() {
        attempt.certainty = least(steps.edits.iter().map(|edit| &edit.certainty));
    }
    let Some(FailedStep { verdict, .. }) = steps.failed else {
        attempt.made = Made::Edited(after);
        return Ok(attempt);
    };
    attempt.made = match verdict {
        Verdict::Proposed(_) => unreachable!("an edit is no failure"),
        Verdict::AlreadyDone(_) => Made::Edited(before.clone()),
        Verdict::Declined(reason) => declined(reason),
        Verdict::Truncated(_) => Made::Truncated,
        Verdict::Refused(error) => Made::Mechanics(MechanicsKind::CannotApply, error.to_string()),
        Verdict::Mechanics(error) => Made::Mechanics(kind(&error), error.to_string()),
    };
    Ok(attempt)
}

/// The least certainty of each slot. That an answer has no further edit is no part of an edit.
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
