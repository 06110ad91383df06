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

/// The same target, of which a block is to be written anew. `None` where the model cannot be asked so,
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

    let is_whole = open.is_all_of(shown);
    let mut blocks = edit::shown_definitions(path, shown, open);
    if is_whole {
        blocks.push(NamedBlock::whole_file(shown));
    }
    let texts: Vec<&str> = blocks.iter().map(|block| block.text.as_str()).collect();
    let counts = session.engine.count_tokens(&texts).await?;
    let context = session.engine.model().context_tokens;
    let budget = session.options.profile.budget();
    let most = room::answer_tokens(&budget, context) / room::GROWTH;
    let is_short = counts.last().is_some_and(|&count| count <= SHORT_FILE);
    let mut counts = counts.into_iter();
    blocks.retain(|_| counts.next().is_some_and(|count| count <= most));

    // Of a file that is neither short nor too long, what is in no definition can change, too.
    let has_choice = blocks.len() > 1;
    blocks.retain(|block| {
        if block.name == edit::WHOLE_FILE {
            is_short || !has_choice
        } else {
            !(is_short && is_whole)
        }
    });
    Ok((!blocks.is_empty()).then(|| Target {
        operation: Operation::Rewrite,
        blocks,
        ..target.clone()
    }))
}

/// The same target with only the smallest block that has all these changes in it; `None` if they are
/// in no block. The target stays as it is where all of the file is written anyway, or nothing is
/// changed.
pub(super) fn around(target: &Target, changes: &[Range<usize>]) -> Option<Target> {
    if changes.is_empty() {
        return Some(target.clone());
    }
    let mut blocks: Vec<&NamedBlock> = target.blocks.iter().collect();
    blocks.retain(|block| changes.iter().all(|change| contains(&block.range, change)));
    let smallest = blocks.into_iter().min_by_key(|block| block.range.len())?;
    if smallest.name == edit::WHOLE_FILE {
        return Some(target.clone());
    }
    let text = target.text.shown();
    let first = line_number(text, smallest.range.start);
    let last = line_number(text, smallest.range.end - 1);
    Some(Target {
        blocks: vec![smallest.clone()],
        shown: target.shown.within_lines(text, &(first..=last)),
        ..target.clone()
    })
}

fn contains(outer: &Range<usize>, inner: &Range<usize>) -> bool {
    outer.start <= inner.start && inner.end <= outer.end
}

/// The line with this byte, counted from 1.
fn line_number(text: &str, offset: usize) -> usize {
    text[..offset].matches('\n').count() + 1
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
