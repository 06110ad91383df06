//! What a conversation has beside tasks: greetings and questions, for which no edit is made, and what
//! can be done about a failure.
//!
//! Only words that cannot be a task count, so the list is short: a greeting that is the whole message,
//! and a single question that asks for knowledge ("What does load() do?"). "Can you rename it?" is a
//! task.

use crate::failure::{Failure, FailureKind};
use crate::review::WarningKind;

/// Messages that are greetings, without their punctuation.
const GREETINGS: [&str; 15] = [
    "bye",
    "good afternoon",
    "good evening",
    "good morning",
    "hello",
    "hello there",
    "hey",
    "hi",
    "hi there",
    "ok",
    "okay",
    "thank you",
    "thank you very much",
    "thanks",
    "thanks a lot",
];

/// The first words of a question that asks for knowledge.
const QUESTION_WORDS: [&str; 15] = [
    "are", "did", "do", "does", "how", "is", "was", "were", "what", "what's", "when", "where",
    "which", "who", "why",
];

/// Beginnings of questions that propose something: "How about a timeout of 60?"
const PROPOSALS: [&str; 8] = [
    "do you mind",
    "how about",
    "is it possible to",
    "what about",
    "what if",
    "why don't",
    "why do not",
    "why not",
];

/// Answers to a question that nobody has asked.
const ANSWERS: [&str; 6] = ["n", "no", "q", "y", "yes", "yes please"];

/// The answer to a message that asks for no edit. `None`: it may be a task.
pub(crate) fn answer(message: &str) -> Option<&'static str> {
    let words = message.trim().to_lowercase().replace('\u{2019}', "'");
    let bare = words.trim_end_matches(['.', '!', ',', ' ']);
    if GREETINGS.contains(&bare) {
        return Some(
            "I make edits. Say what is to change, as in: In config.py, change max_retries from 3 to 5.",
        );
    }
    if ANSWERS.contains(&bare) {
        return Some("There is no question now. Say what is to change.");
    }
    is_question(&words).then_some(
        "I make edits, and answer no questions. If an edit is meant, say what is to change, as in: In \
         config.py, change max_retries from 3 to 5.",
    )
}

fn is_question(words: &str) -> bool {
    let Some(question) = words.strip_suffix('?') else {
        return false;
    };
    let is_one_sentence = !question.contains(['?', '\n', ';', '!']) && !question.contains(". ");
    let first = question.split_whitespace().next().unwrap_or_default();
    is_one_sentence
        && QUESTION_WORDS.contains(&first)
        && !PROPOSALS
            .iter()
            .any(|proposal| question.starts_with(proposal))
}

/// A failure with what can be done about it in a conversation. Hints at options of a command are of no
/// use there.
pub(crate) fn with_next_step(mut failure: Failure) -> Failure {
    if let Some(next_step) = next_step(failure.kind) {
        failure
            .hints
            .retain(|hint| hint.starts_with("did you mean"));
        failure.hints.push(next_step.to_owned());
    }
    failure
}

/// What the person can do about a failure; `None` if its own hints say it.
fn next_step(kind: FailureKind) -> Option<&'static str> {
    Some(match kind {
        FailureKind::Declined => "name the file, the text, and what it should become",
        FailureKind::Warning(WarningKind::Unsure) => {
            "say it in other words: name the text and what it should become"
        }
        FailureKind::Truncated | FailureKind::TaskTooLong => "ask for a smaller change",
        FailureKind::Mechanics => "name the file and the text to change",
        FailureKind::Stale | FailureKind::Locked => "ask again",
        FailureKind::NotFound | FailureKind::NoFiles => {
            "mention the file, or say that it is to be created"
        }
        FailureKind::Outside | FailureKind::Path => {
            "only files of this session's folder are edited"
        }
        FailureKind::NothingOpen => {
            "/also is for edits that were just shown and not written; so is /more, of a model with an \
             adapter of ours"
        }
        FailureKind::NoEdit => "put the name of the file above each block",
        FailureKind::NotApplied => "mend what failed, and apply the patch again",
        FailureKind::NothingToUndo => {
            "the editor's own undo may help; /undo list shows older edits"
        }
        FailureKind::NoSuchEdit => "/undo list shows the edits with their numbers",
        FailureKind::NotReproduced => "write a test that fails because of the bug, and ask again",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn greetings_and_questions_ask_for_no_edit() {
        for message in [
            "hello",
            "Hi!",
            "Thanks a lot.",
            "What does process_item do?",
            "Is config.py used?",
            "What\u{2019}s this?",
            "y",
            "No.",
        ] {
            assert!(answer(message).is_some(), "{message}");
        }
    }

    #[test]
    fn whatever_may_be_a_task_is_one() {
        for message in [
            "Rename hello to hi",
            "Can you rename f to g?",
            "How about a timeout of 60?",
            "Why not use 20?",
            "Why is it 3? Make it 5.",
            "Make it 5. Is that right?",
            "Is it 3; then make it 5?",
            "say hello",
            "no, use 20",
            "What it prints should be returned",
            "",
        ] {
            assert!(answer(message).is_none(), "{message}");
        }
    }
}
