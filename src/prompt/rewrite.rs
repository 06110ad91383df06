//! The question for a block's new text. It goes to the model as its publisher made it, in the words and
//! the form that such models know best: code in a fence.

use super::question::Question;
use crate::edit::{NamedBlock, WHOLE_FILE};
use crate::slots::fenced::Fence;

/// The system text.
pub(super) const SYSTEM: &str = "You are a helpful assistant.";

/// The user's message.
pub(super) fn question(question: &Question, blocks: &[NamedBlock], fence: &Fence) -> String {
    let Some((path, shown)) = question.file else {
        return question.task.to_owned();
    };
    let code = fence.enclose(&shown.prompt_text());
    let what = match blocks {
        [block] if block.name == WHOLE_FILE => "Write the whole file with this change.",
        [_] => "Write all of it with this change.",
        _ => {
            "Write the definition that this changes: its first line in backticks, then all of it \
             with the change."
        }
    };
    format!("File {path}:\n{code}\n\nTask: {}\n\n{what}", question.task)
}
