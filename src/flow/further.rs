//! A further edit in the same answer: the lines of an edit follow those of the edit before.
//!
//! ```text
//! {"path":"src/frame.py","operation":"replace"}⏎{"old":…,"new":…}⏎
//! {"path":"src/reader.py","operation":"replace"}⏎{"old":…,"new":…}⏎
//! {"operation":"none","reason":"already_done"}
//! ```
//!
//! Nothing is read again, so that asking whether there is more costs one evaluation. All edits are
//! of the files as they are shown, which is before the first of them. Lines that were replaced are
//! not offered again, so no two edits touch.

use super::fill::{self, Picked};
use super::outcome::{Asked, FlowError, Outcome, Verdict};
use super::patch;
use super::pick::{self, PickQuestion};
use super::room;
use super::session::Session;
use super::so_far::{Filled, SoFar};
use crate::engine::Engine;
use crate::slots::Reason;
use crate::task::Task;

/// An answer with less room than this is not begun. In tokens.
const LEAST_ANSWER: usize = 128;

/// Asks for a further edit.
pub(super) async fn edit<E: Engine>(
    task: &Task,
    mut so_far: SoFar,
    session: &mut Session<'_, E>,
) -> Result<Outcome, FlowError> {
    let mut stages = Vec::new();
    let done =
        |stages| Outcome { verdict: Verdict::Declined(Reason::AlreadyDone), stages, so_far: None };
    let lines: Vec<&str> = so_far.lines.iter().map(String::as_str).collect();
    let spent: usize = session.engine.count_tokens(&lines).await?.into_iter().sum();
    let context = session.engine.model().context_tokens;
    let most = room::answer_tokens(&session.options.profile.budget(), context);
    if spent + LEAST_ANSWER > most || so_far.choices().is_empty() {
        return Ok(done(stages));
    }
    let question = PickQuestion { task, so_far: &so_far };
    let Asked { result, .. } = pick::ask(&question, session, None, &mut stages).await?;
    let target = match result {
        Ok(target) => target,
        Err(verdict) => return Ok(Outcome { verdict: *verdict, stages, so_far: None }),
    };
    let picked = Picked { task, so_far: &so_far, target: &target, spent };
    let Asked { result, .. } = fill::ask(&picked, session, None, &mut stages).await?;
    let forces_answers = session.engine.forces_answers();
    let slots = match result {
        Ok(slots) => slots,
        Err(verdict) => return Ok(Outcome { verdict: *verdict, stages, so_far: None }),
    };
    let line = stages.last().map_or("", |stage| stage.answer.as_str());
    let filled = Filled::new(line, &slots);
    let edited = so_far.edited_mut(&target.path);
    let verdict = match (patch::patch(&slots, target.clone(), task, forces_answers), edited) {
        (Verdict::Proposed(patched), Some(edited)) => match edited.add(patched, &filled) {
            Some(Ok(patched)) => Verdict::Proposed(patched),
            Some(Err(error)) => Verdict::Refused(error),
            None => Verdict::AlreadyDone,
        },
        (verdict, _) => verdict,
    };
    let so_far = match &verdict {
        Verdict::Proposed(patched) => Some(Box::new(so_far.and(&target, &filled, patched))),
        _ => None,
    };
    Ok(Outcome { verdict, stages, so_far })
}
