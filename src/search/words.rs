//! Words as the search compares them.
//!
//! A name is split into its parts (`readTimeouts` is `read` and `Timeouts`), and each part is cut
//! to its stem (`timeout`). So "cancelling" finds `cancel`, and "entries" finds `entry`.

use frostem::{Algorithm, Stemmer};
use std::collections::HashSet;
use std::sync::LazyLock;

/// Words that tell nothing: those of the Natural Language Toolkit for English.
static STOP_WORDS: LazyLock<HashSet<&str>> =
    LazyLock::new(|| stop_words::get("en").iter().copied().collect());

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
        at = match bytes.get(start)? {
            b'0'..=b'9' => run_end(bytes, start, u8::is_ascii_digit),
            b'a'..=b'z' => run_end(bytes, start, u8::is_ascii_lowercase),
            _ => {
                let capitals = run_end(bytes, start, u8::is_ascii_uppercase);
                let is_word = bytes.get(capitals).is_some_and(u8::is_ascii_lowercase);
                match capitals - start {
                    1 => run_end(bytes, capitals, u8::is_ascii_lowercase),
                    _ => capitals - usize::from(is_word), // the last one begins the next part
                }
            }
        };
        Some(&text[start..at])
    })
}

/// Where the bytes of one kind end that begin at `from`.
fn run_end(bytes: &[u8], from: usize, is_of_run: fn(&u8) -> bool) -> usize {
    let run = bytes[from..].iter().take_while(|byte| is_of_run(byte));
    from + run.count()
}

/// The stem of a part. It need not be a word; the forms of one word only need the same stem. It
/// begins with the same two letters as the part does.
pub fn stem(part: &str) -> String {
    Stemmer::new(Algorithm::English)
        .stem(&part.to_ascii_lowercase())
        .into_owned()
}

/// Whether a word tells nothing, in capitals or not.
pub fn is_stop_word(word: &str) -> bool {
    STOP_WORDS.contains(word.to_ascii_lowercase().as_str())
}

/// The words of a task that may tell a place: parts of its names, without single letters.
pub fn task_words(task: &str) -> impl Iterator<Item = &str> {
    parts(task).filter(|part| {
        let is_letter = part.len() == 1 && !part.as_bytes()[0].is_ascii_digit();
        !is_letter && !is_stop_word(part)
    })
}

/// Whether a word is a name of code rather than a word of a sentence: `max_rows`, `readAll`,
/// `ROWS`.
pub fn is_of_code(word: &str) -> bool {
    let is_constant = word.len() >= 3 && word.bytes().all(|byte| byte.is_ascii_uppercase());
    is_constant
        || word.contains('_')
        || word.as_bytes().windows(2).any(|pair| {
            (pair[0].is_ascii_lowercase() && pair[1].is_ascii_uppercase())
                || (pair[0].is_ascii_digit() && pair[1].is_ascii_lowercase())
        })
}

/// The texts that a task has between two equal quotes, of two characters or more.
pub fn quoted(task: &str) -> Vec<&str> {
    let mut found = Vec::new();
    for quote in ['`', '"', '\''] {
        let mut from = 0;
        while let Some(start) = task[from..].find(quote).map(|i| from + i + 1) {
            // An apostrophe follows a letter.
            if task[..start - 1].ends_with(char::is_alphanumeric) {
                from = start;
                continue;
            }
            let Some(end) = task[start..].find(quote).map(|i| start + i) else {
                break;
            };
            if end - start >= 2 {
                found.push(&task[start..end]);
            }
            from = end + 1;
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_task_quotes() {
        assert_eq!(
            quoted("don't say 'a b' but \"c\" or `x == y`, it's"),
            ["x == y", "a b"]
        );
        assert_eq!(quoted("an \"open one"), [""; 0]);
    }

    #[test]
    fn parts_of_names() {
        let found = |text: &'static str| parts(text).collect::<Vec<_>>();
        assert_eq!(
            found("readTimeouts(HTTPServer2, max_rows): X, aB é"),
            [
                "read", "Timeouts", "HTTP", "Server", "2", "max", "rows", "X", "a", "B"
            ]
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
    fn words_of_a_task() {
        let words: Vec<&str> = task_words("Don't let `readAll` of the HTTP2 cache a x 7").collect();
        assert_eq!(words, ["let", "read", "HTTP", "2", "cache", "7"]);
        assert!(is_stop_word("The") && !is_stop_word("cache"));
    }

    #[test]
    fn names_of_code() {
        assert!(
            ["max_rows", "readAll", "ROWS", "2x"]
                .map(is_of_code)
                .iter()
                .all(|is| *is)
        );
        assert!(
            ["Rows", "a", "I", "OK", "12"]
                .map(is_of_code)
                .iter()
                .all(|is| !*is)
        );
    }
}
