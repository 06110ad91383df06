//! Edits that an answer tells of in a sentence, beside code: "Replace function `load` with:". They are not
//! read, since which lines are meant would be a guess.

use regex::Regex;
use std::sync::LazyLock;

/// What is quoted of a sentence, in characters.
const QUOTED: usize = 60;

/// A sentence that begins with what is to be done, perhaps after a list mark and a place.
static INSTRUCTION: LazyLock<Regex> = LazyLock::new(|| {
    let begins =
        r"(?i)^[\s>*#\-\d.)]*(?:(?:then|next|first|now|please|simply|just|in [^,:]{1,60}[,:])\s+)*";
    let tells = r"(?:replace|change|find|update|rename|substitute|swap)\b.*\b(?:with|to|by|into)\b";
    Regex::new(&format!("{begins}{tells}")).expect("a fixed pattern")
});

/// The first line outside of code that tells what to change: its number, and its beginning in quotes.
pub(super) fn told_in_words(text: &str) -> Option<(usize, String)> {
    let mut is_code = false;
    for (idx, line) in text.lines().enumerate() {
        let sentence = line.trim();
        if sentence.starts_with("```") || sentence.starts_with("~~~") {
            is_code = !is_code;
        } else if !is_code && INSTRUCTION.is_match(sentence) {
            let shown: String = sentence.chars().take(QUOTED).collect();
            let more = if shown.len() < sentence.len() {
                " …"
            } else {
                ""
            };
            return Some((idx + 1, format!("\"{shown}{more}\"")));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_sentences_outside_of_code_tell_what_to_change() {
        for (text, line) in [
            (
                "Sure!\n\nReplace function `load` with:\n```\nx\n```\n",
                Some(3),
            ),
            ("2. In config.py, change the timeout to 60.", Some(1)),
            ("- **Find** `a = 1` and change it to `a = 2`", Some(1)),
            ("```\nreplace(a with b)\nchange x to y\n```\n", None),
            ("This will change how it reads.", None),
            ("The function was replaced with another.", None),
        ] {
            assert_eq!(told_in_words(text).map(|(line, _)| line), line, "{text}");
        }
    }
}
