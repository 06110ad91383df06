//! How much of the files a prompt has room for.

use super::outcome::FlowError;
use super::session::Session;
use super::target::PromptRoom;
use crate::constrain::{SlotSpec, SlotStyle};
use crate::engine::{Engine, Part};
use crate::prompt::{Budget, Profile, Question};
use crate::slots::Operation;
use crate::task::Task;
use crate::text::Shown;

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
    let budget = session.options.profile.budget();
    let texts = [&*profile.told(task), &longest_frame(profile)];
    let counts = session.engine.count_tokens(&texts).await?;
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
        let n_tokens = of_task;
        return Err(FlowError::TaskTooLong { n_tokens, max });
    }
    let list = (room / LIST_SHARE)
        .max(WORTH_ASKING)
        .min(budget.shown_tokens);
    Ok(PromptRoom {
        list,
        file: (room - list).min(budget.shown_tokens),
    })
}

/// The words around a file in the longest question. Markup is counted as text here, which is never
/// less.
fn longest_frame(profile: &Profile) -> String {
    let question = Question {
        task: "",
        rows: &[],
        file: None,
        so_far: &[],
    };
    let mut longest = String::new();
    for operation in Operation::ALL {
        // The question for a block written anew is shorter.
        if operation == Operation::Rewrite {
            continue;
        }
        let style = SlotStyle::default();
        let spec = SlotSpec::of(operation, Shown::whole(""), Vec::new(), style);
        let prompt = profile.fill(&question, "", &spec);
        let frame: String = prompt.iter().map(Part::as_str).collect();
        if frame.len() > longest.len() {
            longest = frame;
        }
    }
    longest
}
