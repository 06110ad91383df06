//! How much of the files a prompt has room for, and which parts of a file that is.

use super::outcome::FlowError;
use super::session::Session;
use super::target::PromptRoom;
use crate::constrain::{SlotSpec, SlotStyle};
use crate::engine::{Engine, Part};
use crate::prompt::{Budget, Question};
use crate::search::windows::best_blocks;
use crate::slots::Operation;
use crate::task::Task;
use crate::text::{Block, BlockSize, GAP, Outline, Shown, Text, line_bytes};

/// Tokens kept for the seams between the parts of a prompt.
const SEAMS: usize = 32;

/// A few lines. A file with less room than this is not worth asking about.
pub(super) const WORTH_ASKING: usize = 64;

/// Tokens of the markup around one file in a list.
pub(super) const FILE_OVERHEAD: usize = 8;

/// The share of the prompt's room for files that the list of files may take, as a divisor.
const LIST_SHARE: usize = 4;

/// The longest answer, as a divisor of the context: a short context still has room for a file.
const ANSWER_SHARE: usize = 4;

/// A block that is written anew may become so many times as long.
pub(super) const GROWTH: usize = 2;

/// No token of text is longer than this, in bytes.
const LONGEST_TOKEN: usize = 64;

/// The tokens that an answer to stage 2 may have.
pub(super) fn answer_tokens(budget: &Budget, context_tokens: usize) -> usize {
    budget.fill_tokens.min(context_tokens / ANSWER_SHARE)
}

/// The tokens that a prompt may spend on files: the context without the task, the answer, and the
/// prompt's own words.
///
/// # Errors
/// [`FlowError::ContextTooShort`] and [`FlowError::TaskTooLong`] if nothing is left.
pub(super) async fn for_files<E: Engine>(
    task: &Task,
    session: &mut Session<'_, E>,
) -> Result<PromptRoom, FlowError> {
    let profile = &session.options.profile;
    let budget = profile.budget();
    let frame = |operation: &Operation| -> String {
        let spec = SlotSpec::of(
            *operation,
            Shown::whole(""),
            Vec::new(),
            SlotStyle::default(),
        );
        // Markup is counted as text here, which is never less.
        let question = Question {
            task: "",
            rows: &[],
            file: None,
            so_far: &[],
        };
        profile
            .fill(&question, "", &spec)
            .iter()
            .map(Part::as_str)
            .collect()
    };
    // The question for a block written anew is shorter.
    let operations = Operation::ALL
        .iter()
        .filter(|it| **it != Operation::Rewrite);
    let longest_frame = operations
        .map(frame)
        .max_by_key(String::len)
        .unwrap_or_default();
    let counts = session
        .engine
        .count_tokens(&[&profile.told(task), &longest_frame])
        .await?;
    let [of_task, of_frame] = counts[..] else {
        unreachable!("one count for each text")
    };
    let context = session.engine.model().context_tokens;
    let of_answer = answer_tokens(&budget, context) + budget.line_tokens;
    let needed = of_answer + of_frame + SEAMS + 2 * WORTH_ASKING;
    if context < needed {
        return Err(FlowError::ContextTooShort { context, needed });
    }
    let max = context - of_answer;
    let room = max.saturating_sub(of_task + of_frame + SEAMS);
    if room < 2 * WORTH_ASKING {
        return Err(FlowError::TaskTooLong {
            n_tokens: of_task,
            max,
        });
    }
    let list = (room / LIST_SHARE)
        .max(WORTH_ASKING)
        .min(budget.shown_tokens);
    Ok(PromptRoom {
        list,
        file: (room - list).min(budget.shown_tokens),
    })
}

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
    for size in [session.options.profile.budget().blocks, BlockSize::TINY] {
        let mut blocks = best_blocks(task.sentence(), text, &outline, size);
        if let Some(lines) = &task.context().lines {
            // What may change is shown before anything else.
            let within = line_bytes(text, lines);
            let is_apart =
                |block: &Block| block.range.end <= within.start || within.end <= block.range.start;
            blocks.sort_by_key(is_apart);
        }
        let texts: Vec<&str> = blocks
            .iter()
            .map(|block| &text[block.range.clone()])
            .collect();
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
