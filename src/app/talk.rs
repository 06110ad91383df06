//! What a conversation has beside tasks: greetings and questions. No edit is made for them.
//!
//! Only words that cannot be a task count, so the list is short: a greeting that is the whole message,
//! and a single question that asks for knowledge ("What does load() do?"). "Can you rename it?" is a
//! task.

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

/// The answer to a message that asks for no edit. `None`: it may be a task.
pub(crate) fn answer(message: &str) -> Option<&'static str> {
    let words = message.trim().to_lowercase().replace('\u{2019}', "'");
    let bare = words.trim_end_matches(['.', '!', ',', ' ']);
    if GREETINGS.contains(&bare) {
        return Some(
            "I make edits. Say what is to change, as in: In config.py, change max_retries from 3 to 5.",
        );
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
            "What it prints should be returned",
            "",
        ] {
            assert!(answer(message).is_none(), "{message}");
        }
    }
}
