//! What a sentence names that could be put into a file: quoted texts, numbers, words, and phrases behind "to", "say" and their like.

use crate::prompt::hints::is_common;
use crate::prompt::stems::is_stop_word;
use regex::Regex;
use std::ops::Range;
use std::sync::LazyLock;

/// How a sentence names a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum How {
    /// Between quotes.
    Quoted,
    /// As a word of its own.
    Word,
    /// As a word for a number: "four".
    NumberWord,
    /// As a part of a word: the `90` of `90s`.
    Part,
    /// In another unit: "2 minutes" as `120`.
    Scaled,
    /// As several words behind one that announces them.
    Phrase,
    /// As code that no marks surround: "give it a timeout, timeout=30".
    Code,
    /// As all that is behind a colon: "doc comment of load: Reads all of it."
    Rest,
    /// As a word that is common in tasks, which mostly names nothing.
    Plain,
    /// As two or three words beside each other that may be a name for something: "head torch".
    Noun,
    /// As the name and the value of an argument.
    Pair,
    /// Not at all, but it stands in the file and the sentence speaks of it.
    InFile,
}

/// A value that a sentence names.
#[derive(Clone, Debug)]
pub struct Named {
    /// What is to be written.
    pub text: String,
    pub how: How,
    /// Where it stands in the sentence.
    pub at: Range<usize>,
}

#[rustfmt::skip]
const NUMBER_WORDS: [(&str, &str); 34] = [
    ("zero", "0"), ("one", "1"), ("two", "2"), ("three", "3"), ("four", "4"), ("five", "5"), ("six", "6"), ("seven", "7"),
    ("eight", "8"), ("nine", "9"), ("ten", "10"), ("eleven", "11"), ("twelve", "12"), ("fifteen", "15"), ("twenty", "20"),
    ("thirty", "30"), ("forty", "40"), ("fifty", "50"), ("sixty", "60"), ("seventy", "70"), ("eighty", "80"), ("ninety", "90"),
    ("hundred", "100"), ("thousand", "1000"), ("once", "1"), ("twice", "2"), ("half", "30"), ("half", "0.5"), ("week", "7"),
    ("fortnight", "14"), ("year", "365"), ("hour", "60"), ("minute", "60"), ("day", "24"),
];

/// How a number's unit begins, and what the number may be multiplied by.
#[rustfmt::skip]
const UNITS: [(&str, u64); 15] = [
    ("min", 60), ("hour", 3_600), ("hour", 60), ("sec", 1_000), ("s", 1_000), ("day", 24), ("day", 86_400), ("min", 60_000),
    ("k", 1_000), ("kb", 1_024), ("mb", 1_048_576), ("week", 7), ("m", 100), ("euro", 100), ("dollar", 100),
];

const OPENING: [char; 8] = ['(', '[', '{', '"', '\'', '`', '“', '‘'];
const CLOSING: [char; 14] = ['.', ',', ';', ':', '!', '?', ')', ']', '}', '"', '\'', '`', '”', '’'];

static QUOTED: LazyLock<Regex> =
    LazyLock::new(|| Regex::new("`([^`]+)`|\"([^\"]+)\"|“([^”]+)”|‘([^’]+)’").expect("it is well formed"));
static NUMBER: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"^\d[\d_.,]*\d|^\d").expect("it is well formed"));
static ANNOUNCED: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"\b(?:to|be|is|say|says|called|named|as|read|reads|into|with)\s+|(?:[:=→]|->)\s+").expect("it is well formed")
});
static PHRASE_ENDS: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"[,;:.!?]\s|[.!?]$|$| (?:instead|not|rather|and|in|for)\b").expect("it is well formed"));
const LONGEST_PHRASE: usize = 60;

/// In bytes.
const LONGEST_CODE: usize = 100;

/// So many of a sentence.
const MOST_NOUNS: usize = 10;

/// Words before what is to be written.
const BEFORE_CODE: [&str; 18] = [
    "add", "declare", "use", "write", "put", "insert", "append", "with", "to", "be", "is", "say", "print", "needs", "set",
    "return", "call", "a",
];

/// Words behind it.
const BEHIND_CODE: [&str; 20] = [
    "under", "below", "above", "before", "after", "behind", "at", "in", "into", "on", "to", "when", "if", "as", "for", "instead",
    "first", "last", "too", "by",
];

/// What comments begin with: their words are English ones.
const COMMENTS: [&str; 5] = ["//", "#", "--", "/*", "///"];

/// Of code, so many words in a hundred must not be English ones.
const LEAST_CODE: usize = 40;

/// Each once, in the first of its ways.
pub fn named(sentence: &str) -> Vec<Named> {
    let mut found: Vec<Named> = Vec::new();
    let mut add = |text: &str, how: How, at: Range<usize>| {
        if !text.is_empty() && found.iter().all(|other| other.text != text) {
            found.push(Named { text: text.to_owned(), how, at });
        }
    };
    for quoted in QUOTED.captures_iter(sentence) {
        let text = quoted.iter().skip(1).flatten().next().map_or("", |group| group.as_str());
        add(text, How::Quoted, quoted.get_match().range());
    }
    for (text, at) in between_apostrophes(sentence) {
        add(text, How::Quoted, at);
    }
    for (start, raw) in words(sentence) {
        let opened = raw.trim_start_matches(OPENING);
        let start = start + raw.len() - opened.len();
        let word = opened.trim_end_matches(CLOSING);
        // `load()` names `load`, too.
        let called = word.strip_suffix('(').filter(|name| opened[name.len()..].starts_with("()"));
        let word = called.unwrap_or(word);
        let at = start..start + word.len();
        // In the middle of a sentence the mark is a part of the name: "use present? on it".
        if matches!(&opened[word.len()..], "?" | "!") && at.end + 1 < sentence.len() {
            add(opened, How::Word, at.start..at.end + 1);
        }
        if called.is_some() {
            add(&opened[..word.len() + 2], How::Code, at.start..at.end + 2);
        }
        let owner = ["'s", "’s"].iter().find_map(|ending| word.strip_suffix(ending)).unwrap_or(word);
        let core = word.trim_matches(|c: char| !c.is_alphanumeric() && c != '_');
        for text in [word, word.trim_start_matches('-'), owner, core] {
            let is_plain = !text.is_empty() && text.chars().all(|c| c.is_ascii_alphabetic());
            if !is_plain || !(is_common(text) || is_stop_word(text)) {
                add(text, How::Word, at.clone());
            }
        }
        for (_, number) in NUMBER_WORDS.iter().filter(|(name, _)| word.eq_ignore_ascii_case(name)) {
            add(number, How::NumberWord, at.clone());
        }
        // `""`, `[]`: a mark alone names nothing.
        if word.is_empty() && raw.len() > 1 {
            add(raw.trim_end_matches(['.', ',', ':', ';']), How::Code, at.clone());
        }
        let Some(number) = NUMBER.find(word).map(|number| number.as_str()) else { continue };
        let plain = number.replace(',', "");
        add(number, How::Part, at.start..at.start + number.len());
        add(&plain, How::Part, at.start..at.start + number.len());
        if let Some((whole, hundredths)) = plain.split_once('.')
            && hundredths.len() == 2
        {
            add(format!("{whole}{hundredths}").trim_start_matches('0'), How::Scaled, at.clone());
        }
        let behind = sentence[at.start + number.len()..].trim_start_matches([' ', '-']).to_ascii_lowercase();
        let Ok(value) = plain.parse::<u64>() else { continue };
        for (unit, factor) in UNITS {
            if behind.starts_with(unit)
                && let Some(scaled) = value.checked_mul(factor)
            {
                add(&scaled.to_string(), How::Scaled, at.clone());
            }
        }
        if behind.starts_with('%') || behind.starts_with("perc") {
            add(&format!("{}", value as f64 / 100.0), How::Scaled, at.clone());
            add(&format!("{value}%"), How::Scaled, at.clone());
        }
    }
    for announced in ANNOUNCED.find_iter(sentence) {
        let rest = &sentence[announced.end()..];
        for end in PHRASE_ENDS.find_iter(rest) {
            let text = rest[..end.start()].trim().trim_matches(['.', '!', '?', '"', '\'', '`']);
            if text.contains(' ') && text.len() <= LONGEST_PHRASE {
                add(text, How::Phrase, announced.end()..announced.end() + end.start());
            }
        }
    }
    for (text, at) in unmarked_code(sentence) {
        add(text, How::Code, at);
    }
    if let Some(at) = sentence.find(": ").map(|at| at + 2) {
        add(sentence[at..].trim(), How::Rest, at..sentence.len());
    }
    for (text, at) in nouns(sentence) {
        add(text, How::Noun, at);
    }
    for (start, raw) in words(sentence) {
        let word = raw.trim_matches(|c: char| !c.is_alphanumeric());
        let is_plain = word.len() > 1 && word.chars().all(|c| c.is_ascii_alphabetic()) && !is_stop_word(word);
        if is_plain && is_common(word) {
            let at = start + raw.find(word).unwrap_or_default();
            add(word, How::Plain, at..at + word.len());
        }
    }
    found
}

/// Two or three words in a row that say something.
fn nouns(sentence: &str) -> Vec<(&str, Range<usize>)> {
    let words: Vec<(usize, &str)> = words(sentence).collect();
    let bare = |i: usize| words[i].1.trim_matches(|c: char| !c.is_alphanumeric());
    let is_of_noun = |i: usize| {
        let word = bare(i);
        word.len() > 1 && word.chars().all(char::is_alphabetic) && !is_stop_word(word)
    };
    let mut found = Vec::new();
    for first in 0..words.len() {
        for last in first + 1..(first + 3).min(words.len()) {
            let runs = (first..last).all(|i| words[i].1.ends_with(char::is_alphabetic));
            if runs && (first..=last).all(is_of_noun) && found.len() < MOST_NOUNS {
                let start = words[first].0 + words[first].1.find(bare(first)).unwrap_or_default();
                let end = words[last].0 + words[last].1.find(bare(last)).unwrap_or_default() + bare(last).len();
                found.push((&sentence[start..end], start..end));
            }
        }
    }
    found
}

/// Stretches that look like code, from a mark (`:`, `(`, `,`) or a word of code to another one.
fn unmarked_code(sentence: &str) -> Vec<(&str, Range<usize>)> {
    let words: Vec<(usize, &str)> = words(sentence).collect();
    let is_code: Vec<bool> = words.iter().map(|(_, word)| is_code(word)).collect();
    let ends_part = |i: usize| words[i].1.ends_with([',', ':', ';', '.', ')', '!', '?']) || words[i].1 == "-";
    let is_any_of = |i: usize, known: &[&str]| known.iter().any(|word| words[i].1.eq_ignore_ascii_case(word));
    let mut found = Vec::new();
    for first in 0..words.len() {
        let opens = first == 0 || ends_part(first - 1) || words[first].1.starts_with('(') || is_any_of(first - 1, &BEFORE_CODE);
        if !(opens || is_code[first] && !is_code[first - 1]) {
            continue;
        }
        for last in first..words.len() {
            let closes = last + 1 == words.len()
                || ends_part(last)
                || words[last + 1].1.starts_with('(')
                || is_any_of(last + 1, &BEHIND_CODE);
            let n_code = is_code[first..=last].iter().filter(|&&is_code| is_code).count();
            let is_enough = n_code * 100 >= (last - first + 1) * LEAST_CODE || COMMENTS.contains(&words[first].1);
            if !(closes || is_code[last] && !is_code[last + 1]) || !is_enough {
                continue;
            }
            let (start, end) = (words[first].0, words[last].0 + words[last].1.len());
            let text = without_loose_brackets(sentence[start..end].trim_end_matches(['.', ',', ':', '!', '?']));
            if text.len() > 1 && text.len() <= LONGEST_CODE {
                let at = start + sentence[start..end].find(text).unwrap_or_default();
                found.push((text, at..at + text.len()));
            }
        }
    }
    found
}

/// Whether a word is none of English.
fn is_code(word: &str) -> bool {
    let word = word.trim_end_matches(CLOSING).trim_start_matches(OPENING);
    let within = word.char_indices().any(|(at, c)| {
        let between_letters =
            word[..at].ends_with(char::is_alphabetic) && word[at + c.len_utf8()..].starts_with(char::is_alphabetic);
        !(c.is_alphabetic() || matches!(c, '\'' | '’' | '-') && between_letters)
    });
    let camel = word.chars().skip(1).any(char::is_uppercase);
    within || camel || word.is_empty()
}

/// Without a closing bracket that nothing opens, at the end, and without an opening one that nothing closes, at the start.
pub(super) fn without_loose_brackets(text: &str) -> &str {
    let excess = |text: &str, open: char, close: char| text.matches(open).count() as isize - text.matches(close).count() as isize;
    let mut text = text;
    loop {
        let shorter =
            [('(', ')'), ('[', ']'), ('{', '}')].into_iter().find_map(|(open, close)| match excess(text, open, close) {
                0 => None,
                1.. => text.strip_prefix(open),
                _ => text.strip_suffix(close),
            });
        // `(a, b)` names `a, b`.
        let bare = text.strip_prefix('(').and_then(|text| text.strip_suffix(')')).filter(|text| !text.contains(['(', ')']));
        match shorter.or(bare) {
            Some(shorter) => text = shorter.trim(),
            None => return text,
        }
    }
}

/// Runs without blanks, with where they begin.
pub(super) fn words(sentence: &str) -> impl Iterator<Item = (usize, &str)> {
    let ends = |at: usize| sentence[at..].find(char::is_whitespace).map_or(sentence.len(), |n| at + n);
    let starts =
        sentence.char_indices().filter(|&(at, c)| !c.is_whitespace() && !sentence[..at].ends_with(|c: char| !c.is_whitespace()));
    starts.map(move |(at, _)| (at, &sentence[at..ends(at)]))
}

/// Texts between single quotes, which are none within a word.
fn between_apostrophes(sentence: &str) -> Vec<(&str, Range<usize>)> {
    let is_within =
        |at: usize| sentence[..at].ends_with(char::is_alphanumeric) && sentence[at + 1..].starts_with(char::is_alphanumeric);
    let marks: Vec<usize> = sentence.match_indices('\'').map(|(at, _)| at).filter(|&at| !is_within(at)).collect();
    let opens = |at: usize| !sentence[..at].ends_with(char::is_alphanumeric);
    let mut found = Vec::new();
    let mut i = 0;
    while i + 1 < marks.len() {
        let (start, end) = (marks[i], marks[i + 1]);
        if opens(start) && end > start + 1 {
            found.push((&sentence[start + 1..end], start..end + 1));
            i += 1;
        }
        i += 1;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(sentence: &str, how: How) -> Vec<String> {
        named(sentence).into_iter().filter(|named| named.how == how).map(|named| named.text).collect()
    }

    #[test]
    fn values_are_found_however_they_are_named() {
        assert_eq!(texts("say \"hello you\" or `x = 1`, not 'old', it's Tom's", How::Quoted), ["hello you", "x = 1", "old"]);
        assert_eq!(texts("rename tbl to table_name, please", How::Word), ["tbl", "table_name"]);
        assert_eq!(texts("three cards, not two", How::NumberWord), ["3", "2"]);
        assert_eq!(texts("wait 90s or 1,500 ms", How::Part), ["90", "1500"]);
        assert_eq!(texts("poll every 2 minutes", How::Scaled), ["120", "120000", "200"]);
        assert_eq!(texts("at most 15 %", How::Scaled), ["0.15", "15%"]);
        assert_eq!(texts("the title should be My Plants, not Plants.", How::Phrase), ["My Plants", "My Plants, not Plants"]);
        assert_eq!(texts("5.50 euros", How::Scaled), ["550"]);
        assert!(texts("give it a limit (int max = 3), please", How::Code).contains(&"int max = 3".to_owned()));
        assert!(
            texts("stop early: if (n > max_n) return 0; at the top", How::Code).contains(&"if (n > max_n) return 0;".to_owned())
        );
        assert!(texts("add // reads a file above load", How::Code).contains(&"// reads a file".to_owned()));
        assert_eq!(texts("the name is \"\" at first", How::Code)[0], "\"\"");
        assert_eq!(texts("blocked() → touches_wall()", How::Word)[..2], ["blocked", "→"]);
        assert_eq!(texts("doc comment of load: Reads all of it.", How::Rest), ["Reads all of it."]);
        assert!(texts("put a head torch on the list", How::Noun).contains(&"head torch".to_owned()));
        assert!(texts("the status should be text", How::Plain).contains(&"text".to_owned()));
        assert!(
            named("").is_empty() && named("'").is_empty() && named("\u{e9}' \u{e9}'").iter().all(|value| !value.text.is_empty())
        );
    }
}
