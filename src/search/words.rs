//! Which words of a task a file has: the first and fastest look at every file of a folder.

use crate::text::ident::has_ascii_word;
use memchr::memmem::Finder;
use std::collections::HashSet;

/// Words too common in tasks to say anything; sorted.
#[rustfmt::skip]
const COMMON: [&str; 177] = [
    "a", "about", "above", "add", "added", "after", "again", "all", "also", "and", "any", "anything", "are", "back", "because",
    "been", "before", "below", "but", "call", "called", "can", "change", "changed", "code", "comment", "could", "current",
    "delete", "did", "does", "done", "down", "each", "else", "end", "ever", "every", "everything", "everywhere", "file", "find",
    "first", "fix", "for", "from", "function", "get", "gets", "give", "given", "goes", "going", "had", "has", "have", "here",
    "how", "insert", "instead", "into", "its", "just", "keep", "last", "leave", "let", "like", "line", "lines", "little",
    "long", "look", "made", "make", "many", "may", "mean", "more", "most", "move", "must", "name", "need", "needs", "never",
    "new", "next", "not", "nothing", "now", "number", "off", "once", "one", "only", "other", "our", "out", "over", "own",
    "part", "piece", "place", "please", "put", "really", "remove", "rename", "replace", "right", "said", "same", "say", "says",
    "see", "set", "should", "show", "simply", "small", "some", "something", "still", "string", "take", "text", "than", "thanks",
    "that", "the", "their", "them", "then", "there", "these", "they", "thing", "think", "this", "those", "time", "too", "turn",
    "two", "under", "until", "update", "use", "used", "uses", "using", "value", "very", "want", "wants", "was", "way", "well",
    "were", "what", "when", "where", "which", "while", "who", "why", "will", "with", "without", "word", "work", "works",
    "would", "wrong", "you", "your",
];

/// A row shows this many.
const MAX_HINTS: usize = 4;

/// A word of a task, ready to be looked for.
pub struct Word<'t> {
    /// As the task has it.
    pub text: &'t str,
    /// In lower case and in the singular: what every text has that has it in any form.
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

/// Whether a word is too common in tasks to say anything.
pub fn is_common(word: &str) -> bool {
    COMMON.binary_search(&word.to_ascii_lowercase().as_str()).is_ok()
}

/// The words of a task that may stand in a file: identifiers of three characters or more and
/// numbers of two digits or more (ASCII), without common words, each once, in the order of the
/// task.
pub fn task_words(task: &str) -> Vec<Word<'_>> {
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let mut seen = HashSet::new();
    let words = task.split(|c| !is_word(c)).flat_map(|run| {
        // "2x" is a number and a word, as it was for the model.
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
    /// Linear in the text.
    pub fn new(text: &'t str) -> Searched<'t> {
        Searched { text, lower: text.to_ascii_lowercase() }
    }

    /// Up to four words of a task that stand in the text: first those that stand as whole words,
    /// then those that are a part of a name (`retry` of `MAX_RETRY`, `timeouts` of `readTimeout`);
    /// of each kind the longest first.
    pub fn hints(&self, words: &[Word]) -> Vec<String> {
        let mut found: Vec<(bool, &str)> =
            words.iter().filter_map(|word| Some((self.finds(word)?, word.text))).collect();
        found.sort_by_key(|(is_whole, word)| std::cmp::Reverse((*is_whole, word.len())));
        found.into_iter().take(MAX_HINTS).map(|(_, word)| word.to_owned()).collect()
    }

    /// How much the text matters: the letters of the task's words that stand in it, twice those of
    /// whole words.
    pub fn score(&self, words: &[Word]) -> usize {
        let weight = |word: &Word| {
            self.finds(word).map_or(0, |is_whole| word.text.len() * if is_whole { 2 } else { 1 })
        };
        words.iter().map(weight).sum()
    }

    /// Whether a word stands here, and whether as a whole word.
    fn finds(&self, word: &Word) -> Option<bool> {
        // Mostly it does not, and this is fast.
        let first = word.finder.find(self.lower.as_bytes())?;
        if has_ascii_word(&self.text[floor(self.text, first)..], word.text) {
            return Some(true);
        }
        self.has_part(&word.part, first).then_some(false)
    }

    /// Whether a name has this word as a part, which begins where a part begins: in any case,
    /// singular or plural. `first` is where it stands first.
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

/// The beginning of the character before this place, or of the text: what stands there decides
/// whether a word is whole.
fn floor(text: &str, at: usize) -> usize {
    (0..at).rev().find(|&i| text.is_char_boundary(i)).unwrap_or(0)
}

/// A part of a name that says something.
const SHORTEST_PART: usize = 4;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_a_task() {
        let words = task_words(
            "Rename the function `processItem` to handle_2 everywhere, and set x to 42 or 7, then processItem",
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
