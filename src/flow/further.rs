//! A further edit in the same answer: the lines of an edit follow those of the edit before.
//!
//! ```text
//! {"path":"src/frame.py","operation":"replace"}⏎{"old":…,"new":…}⏎
//! {"path":"src/reader.py","operation":"replace"}⏎{"old":…,"new":…}⏎
//! {"operation":"none","reason":"already_done"}
//! ```
//!
//! Nothing is read again, so asking for one more edit costs one choice. All edits are of the files as
//! they are shown, which is before the first of them. Lines that were replaced are not offered again,
//! nor lines that have new ones above and below them for more of those. A new file can only come first.

use super::continuation::{Continuation, EndedBy};
use super::fill::{self, Picked};
use super::outcome::{Asked, FlowError, Outcome, Verdict};
use super::patch;
use super::pick::{self, PickQuestion};
use super::room;
use super::session::Session;
use super::so_far::SoFar;
use crate::engine::Engine;
use crate::slots::Reason;
use crate::task::Task;

/// Asks for a further edit. `None` if the answer is as long as it may be.
pub(super) async fn edit<E: Engine>(
    task: &Task,
    so_far: SoFar,
    session: &mut Session<'_, E>,
) -> Result<Option<Outcome>, FlowError> {
    let lines: Vec<&str> = so_far.lines.iter().map(String::as_str).collect();
    let spent: usize = session.engine.count_tokens(&lines).await?.into_iter().sum();
    let context = session.engine.model().context_tokens;
    let budget = session.options.profile.budget();
    // There must be room for both lines.
    let least = budget.pick_tokens + room::WORTH_ASKING;
    if spent + least > room::answer_tokens(&budget, context) {
        return Ok(None);
    }

    let mut stages = Vec::new();
    if so_far.choices().is_empty() {
        let nothing_left = Verdict::Declined(Reason::AlreadyDone);
        return Ok(Some(Outcome::last(nothing_left, stages)));
    }
    let question = PickQuestion {
        task,
        so_far: &so_far,
    };
    let asked = pick::ask(&question, session, None, &mut stages).await?;
    let target = match asked.result.map_err(|verdict| *verdict) {
        Ok(target) => target,
        Err(Verdict::Declined(reason)) => {
            return Ok(Some(Outcome {
                continuation: Continuation::Ended {
                    by: EndedBy::Model(reason),
                    so_far: Some(Box::new(so_far)),
                },
                ..Outcome::last(Verdict::Declined(reason), stages)
            }));
        }
        Err(verdict) => return Ok(Some(Outcome::last(verdict, stages))),
    };

    let picked = Picked {
        task,
        so_far: &so_far,
        target: &target,
        spent,
    };
    let Asked { result, .. } = fill::ask(&picked, session, None, &mut stages).await?;
    let slots = match result {
        Ok(slots) => slots,
        Err(verdict) => return Ok(Some(Outcome::last(*verdict, stages))),
    };
    let forces_answers = session.engine.forces_answers();
    let verdict = match patch::patch(&slots, target.clone(), task, forces_answers) {
        // It chose no place after all.
        declined @ Verdict::Declined(_) => return Ok(Some(Outcome::last(declined, stages))),
        verdict => verdict,
    };
    let line = stages.last().map_or("", |stage| stage.answer.as_str());
    let (so_far, verdict) = verdict.added_to(so_far, &target, line, &slots);
    Ok(Some(Outcome {
        continuation: Continuation::Open(Box::new(so_far)),
        ..Outcome::last(verdict, stages)
    }))
}
