//! The places that may have to follow an edit, put to the model one after the other: edit it or leave it.
//!
//! A model that ended is sure that it is done, so it is not asked whether anything is missing, but shown
//! one place ([`super::places`]) of which nothing else may change. It may decline. An edit that breaks the
//! code, or of which the model is not certain, is dropped: then the place stays, and the person is told.

use super::answers;
use super::continuation::Continuation;
use super::everywhere::everywhere;
use super::further;
use super::outcome::{FlowError, Outcome, Verdict};
use super::places::{self, Place};
use super::session::{Follow, GenerateOptions, Session};
use super::steps::{StepEdit, Steps};
use super::target::Candidates;
use super::uses::follow_rename;
use crate::constrain::PickFile;
use crate::engine::{Engine, Sampling, Weights};
use crate::patched::FileChange;
use crate::review::{breaks, min_certainty};
use crate::slots::{Operation, overall_certainty};
use crate::task::{Context, Task};
use crate::text::{Text, line_bytes, line_diff};
use similar::DiffTag;
use std::ops::RangeInclusive;
use std::sync::Arc;

/// What of a place's file is shown, in tokens: a question that costs little.
const SHOWN_TOKENS: usize = 600;

/// An edit that had to be made is taken from this certainty on: see
/// [`super::GenerateOptions::doubted_below`].
const CERTAIN: f64 = 0.75;

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
    let mut can_be_asked = way != Follow::Named;
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
    let way = session.options.follow;
    let outcome = if way == Follow::GoOn {
        gone_on(place, &before, task, steps, session).await?
    } else {
        Some(asked(place, &before, task, steps, session).await?)
    };
    let Some(outcome) = outcome else {
        return Ok(None);
    };

    let certainty = outcome.certainty();
    steps.stages.extend(outcome.stages);
    let Verdict::Proposed(patched) = outcome.verdict else {
        return Ok(None);
    };
    let least = match way {
        Follow::GoOn => CERTAIN,
        _ => min_certainty(&session.options.profile),
    };
    let is_sound = breaks(&place.path, Some(&before), &patched.after).is_none();
    let is_change = patched.after != before.bytes();
    if !is_sound || !is_change || overall_certainty(&certainty) < least {
        return Ok(None);
    }

    session.workspace.pend(&place.path, patched.after.clone());
    let after = patched.after.clone();
    steps.edits.push(StepEdit { patched, certainty });
    keep_going(steps, outcome.continuation);
    Ok(Some(Edited { before, after }))
}

/// Asks about a place as a task of its own.
async fn asked<E: Engine>(
    place: &Place,
    before: &Text,
    task: &Task,
    steps: &Steps,
    session: &mut Session<'_, E>,
) -> Result<Outcome, FlowError> {
    let Place {
        path,
        lines,
        news,
        line,
        ..
    } = place;
    let way = session.options.follow;
    let within = &before.shown()[line_bytes(before.shown(), lines)];
    let mut operations = Operation::possible_in(within);
    operations.retain(|it| *it != Operation::Rewrite && task.context().operations.contains(it));
    let notes = if way == Follow::Alone {
        task.context().notes.clone()
    } else {
        format!(
            "{}\n{news} {path} line {line}. Change nothing but these lines of {path}, or choose none \
             (\"already_done\") if they can stay:\n{within}",
            steps.notes(task)
        )
    };

    let task = Task::new(task.sentence(), vec![path.clone()]).expect("it was one before");
    let task = task.within(Context {
        notes,
        operations,
        lines: Some(lines.clone()),
        ..Context::default()
    });
    let mut session = Session {
        workspace: session.workspace,
        engine: &mut *session.engine,
        options: options(&session.options),
        progress: &mut *session.progress,
    };
    answers::edit(&task, &mut session).await
}

/// How a small question is asked.
fn options(options: &GenerateOptions) -> GenerateOptions {
    let mut profile = options.profile.clone();
    let mut weights = options.weights;
    if options.follow == Follow::Unadapted {
        profile = profile.unadapted();
        weights = Weights::Base;
    }
    let shown_tokens = profile.budget().shown_tokens.min(SHOWN_TOKENS);
    GenerateOptions {
        sampling: Sampling::Greedy,
        drafting: options.drafting,
        most_edits: Some(1),
        doubted_below: None,
        weights,
        ..GenerateOptions::new(profile.showing(Some(shown_tokens)))
    }
}

/// Has the answer go on at a place. `None` if it cannot.
async fn gone_on<E: Engine>(
    place: &Place,
    now: &Text,
    task: &Task,
    steps: &Steps,
    session: &mut Session<'_, E>,
) -> Result<Option<Outcome>, FlowError> {
    let Continuation::Ended {
        so_far: Some(so_far),
        ..
    } = &steps.continuation
    else {
        return Ok(None);
    };
    let Some(lines) = lines_before(place, now, &steps.changes()) else {
        return Ok(None);
    };

    let mut so_far = (**so_far).clone();
    let all = Arc::clone(&so_far.candidates);
    let mut operations = Operation::possible_in(now.shown());
    operations.retain(|it| *it != Operation::Rewrite);
    so_far.candidates = Arc::new(Candidates {
        rows: all.rows.clone(),
        choices: vec![PickFile {
            path: place.path.clone(),
            operations,
        }],
        existing: all.existing.clone(),
    });
    // It has just said that it is done, and would say so again.
    let task = task.clone().within(Context {
        lines: Some(lines),
        must_edit: true,
        ..task.context().clone()
    });
    let mut outcome = further::edit(&task, so_far, session).await?;
    if let Some(Outcome {
        continuation: Continuation::Open(so_far),
        ..
    }) = &mut outcome
    {
        so_far.candidates = all;
    }
    Ok(outcome)
}

/// The lines of a place in its file before all edits; `None` if an edit has changed the first or the
/// last of them.
fn lines_before(
    place: &Place,
    now: &Text,
    changes: &[FileChange],
) -> Option<RangeInclusive<usize>> {
    let change = changes.iter().find(|change| change.path == place.path);
    let Some(change) = change else {
        return Some(place.lines.clone());
    };
    let before: Vec<&str> = change.before.as_ref()?.shown().lines().collect();
    let now: Vec<&str> = now.shown().lines().collect();
    let mut first = None;
    let mut last = None;
    // What was edited between them is not offered again.
    for step in line_diff::diff(&now, &before) {
        if step.tag() != DiffTag::Equal {
            continue;
        }
        for (line, earlier) in step.old_range().zip(step.new_range()) {
            if line + 1 == *place.lines.start() {
                first = Some(earlier + 1);
            }
            if line + 1 == *place.lines.end() {
                last = Some(earlier + 1);
            }
        }
    }
    Some(first?..=last?)
}

/// Where the answer goes on after an edit at a place.
fn keep_going(steps: &mut Steps, continuation: Continuation) {
    let Continuation::Ended { so_far, .. } = &mut steps.continuation else {
        return;
    };
    *so_far = match continuation {
        Continuation::Open(so_far) => Some(so_far),
        // What the answer knows of its files has no such edit.
        _ => None,
    };
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
