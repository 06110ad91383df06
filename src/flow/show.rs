//! Which parts of a file the model sees.

use super::outcome::FlowError;
use super::pointed;
use super::session::Session;
use crate::engine::Engine;
use crate::search::windows::best_blocks;
use crate::task::Task;
use crate::text::{BlockSize, GAP, Outline, Shown, Text, line_bytes};
use std::ops::{Range, RangeInclusive};

/// No token of text is longer than this, in bytes.
const LONGEST_TOKEN: usize = 64;

/// What the model sees of a file: all of it, or as many of the blocks that matter most for the task
/// as `room` tokens hold.
///
/// # Errors
/// [`FlowError::FileTooLong`] if not even one small block fits.
pub(super) async fn show<E: Engine>(
    task: &Task,
    path: &str,
    text: &Text,
    session: &mut Session<'_, E>,
    room: usize,
) -> Result<Shown, FlowError> {
    let text = text.shown();
    let engine = &mut *session.engine;
    // Counting takes time too.
    if text.len() <= LONGEST_TOKEN * room && engine.count_tokens(&[text]).await?[0] <= room {
        return Ok(Shown::whole(text));
    }

    let gap = engine.count_tokens(&[GAP]).await?[0];
    let outline = Outline::of(text);
    let first = shown_first(task, path, text);
    for size in [session.options.profile.budget().blocks, BlockSize::TINY] {
        let blocks = best_blocks(&task.searched_in(path), (text, &outline), size, &first);
        let mut texts = Vec::new();
        for block in &blocks {
            texts.push(&text[block.range.clone()]);
        }
        let costs = engine.count_tokens(&texts).await?;
        let mut spent = 0;
        let mut fitting = Vec::new();
        for (block, cost) in blocks.into_iter().zip(costs) {
            if spent + cost + gap <= room {
                spent += cost + gap;
                fitting.push(block);
            }
        }
        if !fitting.is_empty() {
            return Ok(Shown::of_blocks(text, &outline, fitting));
        }
    }
    Err(FlowError::FileTooLong {
        path: path.to_owned(),
        max: engine.model().context_tokens,
    })
}

/// What is shown before anything else, as byte ranges: the lines that may change, or those that the
/// person points at. The last one matters most.
fn shown_first(task: &Task, path: &str, text: &str) -> Vec<Range<usize>> {
    let context = task.context();
    let mut first: Vec<RangeInclusive<usize>> = context.lines.iter().cloned().collect();
    if let Some(line) = &context.points_at {
        first.push(pointed::around(path, text, line.number));
        first.push(line.number..=line.number);
    }
    first.iter().map(|lines| line_bytes(text, lines)).collect()
}
