//! Words as the search compares them.
//!
//! A name is split into its parts (`readTimeouts` is `read` and `Timeouts`), and each part loses
//! its ending (`timeout`). So "cancelling" finds `cancel`, and "entries" finds `entry`. The endings
//! are English ones, as few as help (compare Porter, 1980). A stem need not be a word; the forms of
//! one word only need the same stem.

use std::collections::HashMap;

/// Endings, longest first.
const ENDINGS: [&str; 10] = ["ings", "ing", "ies", "ied", "ers", "ed", "es", "er", "ly", "s"];

/// A stem has at least this many letters.
const SHORTEST_STEM: usize = 3;

/// Words that tell no place; sorted.
#[rustfmt::skip]
const STOP_WORDS: [&str; 78] = [
    "also", "an", "and", "are", "as", "at", "be", "but", "by", "can", "could", "did", "do",
    "does", "for", "had", "has", "have", "he", "here", "how", "if", "in", "is", "it", "its",
    "just", "let", "like", "make", "may", "me", "more", "must", "my", "need", "needs", "no",
    "not", "of", "on", "only", "or", "our", "please", "should", "so", "still", "than", "that",
    "the", "their", "them", "then", "there", "these", "they", "this", "those", "to", "too",
    "us", "very", "want", "wants", "was", "we", "were", "what", "when", "which", "who", "why",
    "will", "with", "would", "you", "your",
];

/// In bytes. Longer words need no look-up.
const LONGEST_STOP_WORD: usize = 6;

/// The parts of the names and numbers of a text, in order: runs of ASCII letters and runs of
/// digits, cut before a capital that begins a part (`HTTPServer2` has `HTTP`, `Server` and `2`).
pub fn parts(text: &str) -> impl Iterator<Item = &str> {
    let bytes = text.as_bytes();
    let mut at = 0;
    std::iter::from_fn(move || {
        while at < bytes.len() && !bytes[at].is_ascii_alphanumeric() {
            at += 1;
        }
        let start = at;
        let run = |from: usize, is_of_run: fn(&u8) -> bool| {
            from + bytes[from..].iter().take_while(|byte| is_of_run(byte)).count()
        };
        at = match bytes.get(start)? {
            b'0'..=b'9' => run(start, u8::is_ascii_digit),
            b'a'..=b'z' => run(start, u8::is_ascii_lowercase),
            _ => {
                let capitals = run(start, u8::is_ascii_uppercase);
                let is_word = bytes.get(capitals).is_some_and(u8::is_ascii_lowercase);
                match capitals - start {
                    1 => run(capitals, u8::is_ascii_lowercase),
                    _ => capitals - usize::from(is_word), // the last one begins the next part
                }
            }
        };
        Some(&text[start..at])
    })
}

/// A part in lower case and without its ending.
pub fn stem(part: &str) -> String {
    let mut stem = part.to_ascii_lowercase();
    let ending = ENDINGS
        .iter()
        .find(|ending| stem.ends_with(*ending) && stem.len() - ending.len() >= SHORTEST_STEM);
    if let Some(ending) = ending {
        stem.truncate(stem.len() - ending.len());
        if ending.starts_with('i') && !ending.starts_with("in") {
            stem.push('y');
        }
    }
    let bytes = stem.as_bytes();
    if bytes.len() > SHORTEST_STEM + 1 && bytes[bytes.len() - 1] == bytes[bytes.len() - 2] {
        stem.pop(); // "stopped"
    }
    if stem.len() > SHORTEST_STEM && stem.ends_with('e') {
        stem.pop();
    }
    stem
}

/// Whether two different stems may be of related words ("expire" and "expiry", "auth" and
/// "author").
fn are_akin(of_task: &str, of_text: &str) -> bool {
    const SHORTEST: usize = 4;
    let is_word =
        |stem: &str| stem.len() >= SHORTEST && stem.bytes().all(|byte| byte.is_ascii_alphabetic());
    if !is_word(of_task) || !is_word(of_text) {
        return false;
    }
    let beginning = &of_task[..(of_task.len() - 2).max(SHORTEST)];
    of_text.starts_with(beginning)
        || (of_task.starts_with(of_text) && of_text.len() + 3 >= of_task.len())
}

/// The stems of some texts, numbered.
#[derive(Default)]
pub struct Stems<'t> {
    ids: HashMap<String, usize>,
    /// By part, as it is spelled: most parts occur many times.
    of_parts: HashMap<&'t str, usize>,
}

impl<'t> Stems<'t> {
    /// The stems of a text, each once, in ascending order.
    pub fn of(&mut self, line: &'t str) -> Vec<usize> {
        let mut found: Vec<usize> = parts(line)
            .map(|part| {
                *self.of_parts.entry(part).or_insert_with(|| {
                    let n_stems = self.ids.len();
                    *self.ids.entry(stem(part)).or_insert(n_stems)
                })
            })
            .collect();
        found.sort_unstable();
        found.dedup();
        found
    }

    /// The number of exactly this stem, if a text has it.
    pub fn exact(&self, stem: &str) -> Option<usize> {
        self.ids.get(stem).copied()
    }

    /// The number of the stem of a word, or the numbers of all related stems if no text has it. The
    /// flag says which: true for the stem itself.
    pub fn like(&self, word: &str) -> (Vec<usize>, bool) {
        match self.exact(word) {
            Some(id) => (vec![id], true),
            None => (
                self.ids
                    .iter()
                    .filter(|(other, _)| are_akin(word, other))
                    .map(|(_, &id)| id)
                    .collect(),
                false,
            ),
        }
    }
}

/// Whether a word tells no place, in capitals or not.
pub fn is_stop_word(word: &str) -> bool {
    word.len() <= LONGEST_STOP_WORD
        && STOP_WORDS.binary_search(&word.to_ascii_lowercase().as_str()).is_ok()
}

/// The stems of a task that may tell a place, each once.
pub fn task_stems(task: &str) -> Vec<String> {
    let says_something = |part: &&str| {
        let is_long = part.len() > 1 || part.bytes().all(|byte| byte.is_ascii_digit());
        is_long && !is_stop_word(part)
    };
    let mut stems: Vec<String> = parts(task).filter(says_something).map(stem).collect();
    stems.sort();
    stems.dedup();
    stems
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stop_words_are_sorted() {
        assert!(STOP_WORDS.is_sorted());
        assert_eq!(STOP_WORDS.map(str::len).into_iter().max(), Some(LONGEST_STOP_WORD));
    }

    #[test]
    fn parts_of_names() {
        let found = |text: &'static str| parts(text).collect::<Vec<_>>();
        assert_eq!(
            found("readTimeouts(HTTPServer2, max_rows): X, aB é"),
            ["read", "Timeouts", "HTTP", "Server", "2", "max", "rows", "X", "a", "B"]
        );
        assert_eq!(found("MAX_ROWS=30px"), ["MAX", "ROWS", "30", "px"]);
        assert_eq!(found(" – "), [""; 0]);
    }

    #[test]
    fn stems_of_words() {
        for [a, b] in [
            ["entries", "entry"],
            ["cancelling", "Cancel"],
            ["stopped", "stop"],
            ["caches", "cache"],
            ["dropping", "drop"],
            ["quickly", "quick"],
            ["retried", "retry"],
            ["LIMITS", "limit"],
        ] {
            assert_eq!(stem(a), stem(b), "{a} and {b}");
        }
        for same in ["bus", "red", "12", "is", "thing"] {
            assert_eq!(stem(same), same);
        }
    }

    #[test]
    fn stems_akin() {
        for [a, b] in [["expir", "expiry"], ["member", "membership"], ["initializ", "initial"]] {
            assert!(are_akin(a, b), "{a} and {b}");
        }
        for [a, b] in [["rat", "rate"], ["print", "price"], ["1000", "10000"], ["log", "logo"]] {
            assert!(!are_akin(a, b), "{a} and {b}");
        }
    }
}
