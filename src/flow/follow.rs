//! The places that may have to follow an edit, put to the model one after the other: edit it or leave it.
//!
//! A model that ended is sure that it is done, so it is not asked whether anything is missing, but shown
//! one place ([`super::places`]) of which nothing else may change. It may decline. An edit that breaks the
//! code, or of which the model is not certain, is dropped: then the place stays, and the person is told.

use super::answers;
use super::continuation::Continuation;
use super::everywhere::everywhere;
use super::outcome::{FlowError, Outcome, Verdict};
use super::places::{self, Place};
use super::session::{Follow, GenerateOptions, Session};
use super::steps::{StepEdit, Steps};
use super::uses::follow_rename;
use crate::engine::{Engine, Sampling};
use crate::review::{breaks, min_certainty};
use crate::slots::{Operation, overall_certainty};
use crate::task::{Context, Task};
use crate::text::{Text, line_bytes};

/// What of a place's file is shown, in tokens: a question that costs little.
const SHOWN_TOKENS: usize = 600;

/// Finds the places that may have to follow the edits, and asks the model about them as the session's
/// options say. Those that stay are in [`Steps::places`]. Other lines of a replaced text and other uses of
/// a renamed name are edited first.
pub async fn follow<E: Engine>(task: &Task, steps: &mut Steps, session: &mut Session<'_, E>) {
    let way = session.options.follow;
    if way == Follow::No || steps.failed.is_some() {
        return;
    }
    // Without an answer the other places of a text stay.
    let _ = everywhere(task, steps, session).await;
    follow_rename(task, steps, session.workspace);
    let mut open = places::places(&steps.changes(), session.workspace);
    open.reverse();

    let mut left = Vec::new();
    let mut can_be_asked = way == Follow::Asked;
    while let Some(place) = open.pop() {
        if !can_be_asked || !may_change(task, &place) {
            left.push(place);
            continue;
        }
        match edit_at(&place, task, steps, session).await {
            Ok(Some(edited)) => {
                moved(&mut open, &place, &edited);
                moved(&mut left, &place, &edited);
            }
            Ok(None) => left.push(place),
            Err(error) => {
                // A question that does not fit says nothing of the next one.
                can_be_asked = !matches!(error, FlowError::Engine(_));
                left.push(place);
            }
        }
    }
    steps.places = left;
}

/// Whether the person, or who asked, lets this file change.
fn may_change(task: &Task, place: &Place) -> bool {
    let context = task.context();
    let mut files = task.files().iter();
    let is_named = task.files().is_empty() || files.any(|file| *file == place.path);
    let editable = context.editable.as_ref();
    let is_editable = editable.is_none_or(|editable| editable.contains(&place.path));
    is_named && is_editable && context.lines.is_none()
}

/// What a file was and is at a place that was edited.
struct Edited {
    before: Text,
    after: Vec<u8>,
}

/// Has the model edit a place, or leave it.
async fn edit_at<E: Engine>(
    place: &Place,
    task: &Task,
    steps: &mut Steps,
    session: &mut Session<'_, E>,
) -> Result<Option<Edited>, FlowError> {
    let before = session.workspace.read(&place.path)?;
    let outcome = asked(place, &before, task, session).await?;
    let certainty = outcome.certainty();
    steps.stages.extend(outcome.stages);
    let Verdict::Proposed(patched) = outcome.verdict else {
        return Ok(None);
    };
    let least = min_certainty(&session.options.profile);
    let is_sound = breaks(&place.path, Some(&before), &patched.after).is_none();
    let is_change = patched.after != before.bytes();
    if !is_sound || !is_change || overall_certainty(&certainty) < least {
        return Ok(None);
    }

    session.workspace.pend(&place.path, patched.after.clone());
    let after = patched.after.clone();
    steps.edits.push(StepEdit { patched, certainty });
    // What the answer knows of its files has no such edit.
    if let Continuation::Ended { so_far, .. } = &mut steps.continuation {
        *so_far = None;
    }
    Ok(Some(Edited { before, after }))
}

/// Asks about a place as a task of its own, with the person's sentence: the adapters have learned that.
async fn asked<E: Engine>(
    place: &Place,
    before: &Text,
    task: &Task,
    session: &mut Session<'_, E>,
) -> Result<Outcome, FlowError> {
    let within = &before.shown()[line_bytes(before.shown(), &place.lines)];
    let mut operations = Operation::possible_in(within);
    operations.retain(|it| *it != Operation::Rewrite && task.context().operations.contains(it));

    let files = vec![place.path.clone()];
    let asking = Task::new(task.sentence(), files).expect("it was one before");
    let asking = asking.within(Context {
        notes: task.context().notes.clone(),
        operations,
        lines: Some(place.lines.clone()),
        ..Context::default()
    });
    // What is shown of the file is short: a small question is to cost little.
    let profile = session.options.profile.clone();
    let shown_tokens = profile.budget().shown_tokens.min(SHOWN_TOKENS);
    let options = GenerateOptions {
        sampling: Sampling::Greedy,
        drafting: session.options.drafting,
        most_edits: Some(1),
        doubted_below: None,
        ..GenerateOptions::new(profile.showing(Some(shown_tokens)))
    };
    let mut session = Session {
        workspace: session.workspace,
        engine: &mut *session.engine,
        options,
        progress: &mut *session.progress,
    };
    answers::edit(&asking, &mut session).await
}

/// Moves the places below an edit along. Those that it reaches are done.
fn moved(places: &mut Vec<Place>, edited: &Place, Edited { before, after }: &Edited) {
    let after = Text::decode_after(Some(before), after.clone());
    let n_before = before.shown().lines().count();
    let n_after = after.map_or(n_before, |after| after.shown().lines().count());
    places
        .retain(|place| place.path != edited.path || !places::overlap(&place.lines, &edited.lines));
    for place in places {
        if place.path == edited.path && place.lines.start() > edited.lines.end() {
            let (start, end) = (*place.lines.start(), *place.lines.end());
            place.lines = start + n_after - n_before..=end + n_after - n_before;
            place.line = place.line + n_after - n_before;
        }
    }
}
