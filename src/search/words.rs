//! Which words of a task a file has: the first and fastest look at every file of a folder.

use crate::text::ident::has_ascii_word;
use memchr::memmem::Finder;
use std::collections::HashSet;

/// Words that are too common in tasks to tell anything; sorted.
#[rustfmt::skip]
const COMMON: [&str; 177] = [
    "a", "about", "above", "add", "added", "after", "again", "all", "also", "and", "any",
    "anything", "are", "back", "because", "been", "before", "below", "but", "call", "called",
    "can", "change", "changed", "code", "comment", "could", "current", "delete", "did", "does",
    "done", "down", "each", "else", "end", "ever", "every", "everything", "everywhere", "file",
    "find", "first", "fix", "for", "from", "function", "get", "gets", "give", "given", "goes",
    "going", "had", "has", "have", "here", "how", "insert", "instead", "into", "its", "just",
    "keep", "last", "leave", "let", "like", "line", "lines", "little", "long", "look", "made",
    "make", "many", "may", "mean", "more", "most", "move", "must", "name", "need", "needs",
    "never", "new", "next", "not", "nothing", "now", "number", "off", "once", "one", "only",
    "other", "our", "out", "over", "own", "part", "piece", "place", "please", "put", "really",
    "remove", "rename", "replace", "right", "said", "same", "say", "says", "see", "set",
    "should", "show", "simply", "small", "some", "something", "still", "string", "take", "text",
    "than", "thanks", "that", "the", "their", "them", "then", "there", "these", "they", "thing",
    "think", "this", "those", "time", "too", "turn", "two", "under", "until", "update", "use",
    "used", "uses", "using", "value", "very", "want", "wants", "was", "way", "well", "were",
    "what", "when", "where", "which", "while", "who", "why", "will", "with", "without", "word",
    "work", "works", "would", "wrong", "you", "your",
];

/// At most this many words are shown for a file.
const MAX_HINTS: usize = 4;

/// A word of a task, ready to be looked for.
pub struct Word<'t> {
    /// As the task has it.
    pub text: &'t str,
    /// In lower case and in the singular: a part of every form of the word.
    part: String,
    finder: Finder<'static>,
}

impl<'t> Word<'t> {
    fn new(text: &'t str) -> Word<'t> {
        let mut part = text.to_ascii_lowercase();
        if part.len() > SHORTEST_PART && part.ends_with('s') {
            part.pop();
        }
        let finder = Finder::new(&part).into_owned();
        Word { text, part, finder }
    }
}

/// Whether a word is too common in tasks to tell anything.
pub fn is_common(word: &str) -> bool {
    COMMON.binary_search(&word.to_ascii_lowercase().as_str()).is_ok()
}

/// The words of a task that a file may have, each once, in the order of the task: identifiers of at
/// least three characters and numbers of at least two digits (ASCII), without common words.
pub fn task_words(task: &str) -> Vec<Word<'_>> {
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let mut seen = HashSet::new();
    let words = task.split(|c| !is_word(c)).flat_map(|run| {
        // "2x" is a number and a word: the bundled model was trained with that.
        let n_digits = run.len() - run.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        [&run[..n_digits], &run[n_digits..]]
    });
    words
        .filter(|w| {
            if w.starts_with(|c: char| c.is_ascii_digit()) { w.len() >= 2 } else { w.len() >= 3 }
        })
        .filter(|w| !is_common(w))
        .filter(|w| seen.insert(*w))
        .map(Word::new)
        .collect()
}

/// A text to be searched for the words of a task.
pub struct Searched<'t> {
    text: &'t str,
    lower: String,
}

impl<'t> Searched<'t> {
    /// Time: linear in the text.
    pub fn new(text: &'t str) -> Searched<'t> {
        Searched { text, lower: text.to_ascii_lowercase() }
    }

    /// Up to four words of the task that the text has. Whole words come first, then parts of names
    /// (`retry` of `MAX_RETRY`, `timeouts` of `readTimeout`); in each group the longest come first.
    pub fn hints(&self, words: &[Word]) -> Vec<String> {
        let mut found: Vec<(bool, &str)> =
            words.iter().filter_map(|word| Some((self.finds(word)?, word.text))).collect();
        found.sort_by_key(|(is_whole, word)| std::cmp::Reverse((*is_whole, word.len())));
        found.into_iter().take(MAX_HINTS).map(|(_, word)| word.to_owned()).collect()
    }

    /// The number of letters of the task's words that the text has; whole words count twice.
    pub fn score(&self, words: &[Word]) -> usize {
        let weight = |word: &Word| {
            self.finds(word).map_or(0, |is_whole| word.text.len() * if is_whole { 2 } else { 1 })
        };
        words.iter().map(weight).sum()
    }

    /// None: the text does not have the word. Else whether it has it as a whole word.
    fn finds(&self, word: &Word) -> Option<bool> {
        // Usually it does not have it, and this finds that out fast.
        let first = word.finder.find(self.lower.as_bytes())?;
        if has_ascii_word(&self.text[floor(self.text, first)..], word.text) {
            return Some(true);
        }
        self.has_part(&word.part, first).then_some(false)
    }

    /// Whether a name has this word as a part, in upper or lower case, singular or plural. `first`
    /// is the first place of the word.
    fn has_part(&self, part: &str, first: usize) -> bool {
        if part.len() < SHORTEST_PART || !part.bytes().all(|b| b.is_ascii_alphabetic()) {
            return false;
        }
        let bytes = self.text.as_bytes();
        let mut places = self.lower[first..].match_indices(part).map(|(at, _)| at + first);
        places.any(|at| {
            let before = at.checked_sub(1).map(|i| bytes[i]);
            before.is_none_or(|b| !b.is_ascii_alphabetic())
                || (bytes[at].is_ascii_uppercase()
                    && before.is_some_and(|b| b.is_ascii_lowercase()))
        })
    }
}

/// The start of the character before this offset, or of the text. That character decides whether a
/// word is whole.
fn floor(text: &str, at: usize) -> usize {
    (0..at).rev().find(|&i| text.is_char_boundary(i)).unwrap_or(0)
}

/// A shorter part of a name tells nothing.
const SHORTEST_PART: usize = 4;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_a_task() {
        let words = task_words(
            "Rename the function `processItem` to handle_2 everywhere, \
             and set x to 42 or 7, then processItem",
        );
        assert_eq!(
            words.iter().map(|word| word.text).collect::<Vec<_>>(),
            ["processItem", "handle_2", "42"]
        );
    }

    #[test]
    fn hints_are_whole_words_longest_first() {
        let words = task_words("change max_retries from 10 to 25 in retry");
        let hints = |text: &str| Searched::new(text).hints(&words);
        assert_eq!(hints("max_retries = 10\nretry_all()\n"), ["max_retries", "10", "retry"]);
        assert_eq!(hints("max_retries2 = 100"), [""; 0]);
    }

    #[test]
    fn hints_are_parts_of_names_too() {
        let words = task_words("raise the timeouts of the HTTP retry");
        let hints = |text: &str| Searched::new(text).hints(&words);
        assert_eq!(hints("readTimeout = 1"), ["timeouts"]);
        assert_eq!(hints("MAX_RETRY: 1 // http"), ["retry", "HTTP"]);
        assert_eq!(hints("untimeout() + sentry"), [""; 0], "only where a part begins");
    }

    #[test]
    fn common_words_are_sorted() {
        assert!(COMMON.is_sorted());
    }
}
