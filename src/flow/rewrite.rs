//! A block written anew: which blocks there are, and what comes of the new text.
//!
//! Slots name what changes, and are best where that is a line or two. A change in many places of a
//! function, or code that has to be written, a model writes better as it was taught: as a whole. So
//! the block goes to the model without its adapter, and comes back in a fence. Only the lines that
//! differ are replaced, and nothing outside the block can change.

use super::fill::{self, Picked};
use super::outcome::{Asked, FlowError, OtherWay, Outcome};
use super::patch;
use super::room;
use super::session::Session;
use super::target::Target;
use crate::edit::{self, NamedBlock};
use crate::engine::Engine;
use crate::prompt::Profile;
use crate::slots::Operation;
use crate::slots::fenced::Fence;
use crate::task::Task;
use std::ops::Range;

/// A file of so many tokens is written as a whole. Of a longer one that would take a CPU long.
const SHORT_FILE: usize = 600;

/// The same target, of which a block is to be written anew. None where the model cannot be asked so,
/// or no block is shown whole that an answer has room for.
pub(super) async fn instead_of<E: Engine>(
    target: &Target,
    task: &Task,
    session: &mut Session<'_, E>,
) -> Result<Option<Target>, FlowError> {
    let Target {
        path, text, open, ..
    } = target;
    let shown = text.shown();
    let is_asked_in_words = matches!(session.options.profile, Profile::Instruct { .. });
    let is_allowed = task.context().operations.contains(&Operation::Rewrite);
    let has_file = target.operation != Operation::Create;
    if !is_asked_in_words || !is_allowed || !has_file || Fence::around(shown, "").is_none() {
        return Ok(None);
    }
    let context = session.engine.model().context_tokens;
    let most = room::answer_tokens(&session.options.profile.budget(), context) / room::GROWTH;
    let mut blocks = edit::shown_definitions(path, shown, open);
    if open.is_all_of(shown) {
        blocks.push(NamedBlock::whole_file(shown));
    }
    let texts: Vec<&str> = blocks.iter().map(|block| block.text.as_str()).collect();
    let counts = session.engine.count_tokens(&texts).await?;
    let is_short = counts
        .last()
        .is_some_and(|&n_tokens| n_tokens <= SHORT_FILE);
    let mut counts = counts.into_iter();
    blocks.retain(|_| counts.next().is_some_and(|n_tokens| n_tokens <= most));
    // Of a file that is neither short nor too long, what is in no definition can change, too.
    let has_choice = blocks.len() > 1;
    let is_offered = |block: &NamedBlock| match block.name == edit::WHOLE_FILE {
        true => is_short || !has_choice,
        false => !(is_short && open.is_all_of(shown)),
    };
    blocks.retain(is_offered);
    let operation = Operation::Rewrite;
    Ok((!blocks.is_empty()).then(|| Target {
        operation,
        blocks,
        ..target.clone()
    }))
}

/// The same, of the smallest block that has all these changes in it: only that one is shown. The same
/// where all of the file is written anyway, or nothing is changed; `None` where they are in no block.
pub(super) fn around(target: &Target, changes: &[Range<usize>]) -> Option<Target> {
    if changes.is_empty() {
        return Some(target.clone());
    }
    let has_all = |block: &&NamedBlock| {
        let Range { start, end } = block.range;
        changes
            .iter()
            .all(|change| start <= change.start && change.end <= end)
    };
    let smallest = target
        .blocks
        .iter()
        .filter(has_all)
        .min_by_key(|block| block.range.len())?;
    if smallest.name == edit::WHOLE_FILE {
        return Some(target.clone());
    }
    let text = target.text.shown();
    let line = |at: usize| text[..at].matches('\n').count();
    let lines = line(smallest.range.start) + 1..=line(smallest.range.end - 1) + 1;
    let shown = target.shown.within_lines(text, &lines);
    Some(Target {
        blocks: vec![smallest.clone()],
        shown,
        ..target.clone()
    })
}

/// Asks for a block written anew.
pub(super) async fn ask<E: Engine>(
    task: &Task,
    other_way: &OtherWay,
    session: &mut Session<'_, E>,
) -> Result<Outcome, FlowError> {
    let OtherWay { target, so_far } = other_way;
    let mut stages = Vec::new();
    let picked = Picked {
        task,
        so_far,
        target,
        spent: 0,
    };
    let Asked { result, .. } = fill::ask(&picked, session, None, &mut stages).await?;
    let verdict = match result {
        Ok(slots) => patch::patch(
            &slots,
            target.clone(),
            task,
            session.engine.forces_answers(),
        ),
        Err(verdict) => *verdict,
    };
    Ok(Outcome::last(verdict, stages))
}
