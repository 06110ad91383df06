//! The question after an answer without an edit: the same task in other words, or another answer.

use super::dialogue::{is_sentence, reworded};
use crate::app::editor::Wish;
use crate::cli::terminal::AnswersFrom;
use crate::console::say_more;

const QUESTION: &str = "There is no edit. Try again? [N/o/r/?]";

const HELP: &str = "  n  no: end here; nothing was written (q too)
  o  another answer of the model
  r  say the task again in other words (or type them here)
  ?  this help";

/// What the person wants of the model now; `None` if nothing.
pub(in crate::cli) async fn ask_again(answers: AnswersFrom) -> Option<Wish> {
    loop {
        let answer = answers.ask(QUESTION).await?;
        match answer.to_lowercase().as_str() {
            "" | "n" | "no" | "q" => return None,
            "o" => return Some(Wish::Another),
            "r" => {
                if let Some(wish) = reworded(answers).await {
                    return Some(wish);
                }
            }
            _ if is_sentence(&answer) => return Some(Wish::Reworded(answer)),
            _ => say_more(HELP),
        }
    }
}
