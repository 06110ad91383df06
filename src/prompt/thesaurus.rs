//! Which words of a task go with which words of code: who wants something `sorted` means a line with `orderBy`, and what is to be
//! `refused` is so behind an `if`.
//!
//! The table `models/thesaurus.tsv` is fitted to the hand-written edits by `models/recipe/thesaurus.py`, as the weights of
//! the search are, and in their units.

use super::stems::{parts, stem, task_stems};
use std::collections::HashMap;
use std::sync::OnceLock;

/// A line for each word of tasks: the word, then words of lines and what a line has of each, with tabs between.
const TABLE: &str = include_str!("../../models/thesaurus.tsv");

/// What stands for any number.
const NUMBER: &str = "9";

/// The table's word for what every task has.
const ALWAYS: &str = "";

/// The table's lines by the words of tasks; what stands in them is read when a task has the word.
fn table() -> &'static HashMap<&'static str, &'static str> {
    static LINES: OnceLock<HashMap<&str, &str>> = OnceLock::new();
    LINES.get_or_init(|| lines().collect())
}

fn lines() -> impl Iterator<Item = (&'static str, &'static str)> {
    TABLE.lines().map(|line| line.split_once('\t').expect("a tab"))
}

/// Words of lines, and what a line has of each.
fn pairs(rest: &'static str) -> impl Iterator<Item = (&'static str, f64)> {
    let mut cells = rest.split('\t');
    std::iter::from_fn(move || {
        let word = cells.next()?;
        Some((word, cells.next().expect("a weight for each word").parse().expect("a number")))
    })
}

/// What words of lines have for one task.
pub struct Associated {
    of_words: HashMap<&'static str, f64>,
}

impl Associated {
    /// Nothing if the table has none of its words.
    pub fn with(task: &str) -> Option<Associated> {
        let known: Vec<&str> = of_task(task).iter().filter_map(|word| table().get(word.as_str()).copied()).collect();
        if known.is_empty() {
            return None;
        }
        let mut of_words = HashMap::new();
        for (word, weight) in known.into_iter().chain(table().get(ALWAYS).copied()).flat_map(pairs) {
            *of_words.entry(word).or_insert(0.0) += weight;
        }
        Some(Associated { of_words })
    }

    /// Of a stem.
    pub fn stem(&self, stem: &str) -> f64 {
        if is_number(stem) { 0.0 } else { self.word(stem) }
    }

    /// Of all that a line has beside stems.
    pub fn marks(&self, line: &str) -> f64 {
        marks(line).map(|mark| self.word(mark)).sum()
    }

    fn word(&self, word: &str) -> f64 {
        self.of_words.get(word).copied().unwrap_or_default()
    }
}

/// The words of a task that may tell something of a line.
pub fn of_task(task: &str) -> Vec<String> {
    let mut words: Vec<String> = task_stems(task).into_iter().filter(|stem| !is_number(stem)).collect();
    words.extend(has_number(task).then(|| NUMBER.to_owned()));
    words
}

/// What a line has that words of a task may go with, each once.
pub fn of_line(line: &str) -> Vec<String> {
    let mut words: Vec<String> = parts(line).map(stem).filter(|stem| !is_number(stem)).collect();
    words.extend(marks(line).map(str::to_owned));
    words.sort();
    words.dedup();
    words
}

fn is_number(stem: &str) -> bool {
    stem.starts_with(|c: char| c.is_ascii_digit())
}

fn has_number(text: &str) -> bool {
    text.contains(|c: char| c.is_ascii_digit())
}

/// What of a line is no word: a number, a string, a comment, the beginning and the end of a block, no indentation, a call, a value
/// given, a comparison.
fn marks(line: &str) -> impl Iterator<Item = &'static str> {
    let text = line.trim();
    let begins = |marks: &[&str]| marks.iter().any(|mark| text.starts_with(mark));
    [
        (NUMBER, has_number(text)),
        ("\"", text.contains(['"', '\'', '`'])),
        ("//", begins(&["//", "#", "--", "/*", "<!--", "*"])),
        ("{", text.ends_with(['{', ':'])),
        ("}", begins(&["}", ")", "]"])),
        ("^", !text.is_empty() && !line.starts_with(char::is_whitespace)),
        ("(", text.contains('(')),
        ("=", text.contains(" = ") || text.contains(": ")),
        ("?", text.contains("==") || text.contains(['<', '>'])),
    ]
    .into_iter()
    .filter_map(|(mark, has)| has.then_some(mark))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_in_order_and_names_each_pair_once() {
        assert!(lines().is_sorted_by(|(a, _), (b, _)| a < b));
        for (word, rest) in lines() {
            let of_line: Vec<(&str, f64)> = pairs(rest).collect();
            assert!(!of_line.is_empty() && of_line.is_sorted_by(|(a, _), (b, _)| a < b), "{word}");
            assert!(of_line.iter().all(|(_, weight)| weight.is_finite()), "{word}");
        }
    }

    #[test]
    fn words_of_a_task_go_with_words_of_lines() {
        let associated = |task: &str, line: &str| {
            let associated = Associated::with(task).unwrap();
            associated.marks(line) + parts(line).map(|part| associated.stem(&stem(part))).sum::<f64>()
        };
        for (task, likely, unlikely) in [
            ("newest first, sorted", "    rows.orderBy(day)", "    rows.close()"),
            ("refuse what is empty", "    if not rows:", "    for row in rows:"),
            ("twice as many", "    many = 30", "    many = none"),
        ] {
            assert!(associated(task, likely) > associated(task, unlikely), "{task}");
        }
        assert!(Associated::with("").is_none());
    }

    #[test]
    fn what_the_words_of_a_line_are() {
        assert_eq!(of_line("  maxRows = 30 // 20"), ["9", "=", "max", "row"]);
        assert_eq!(of_line("} else {"), ["^", "els", "{", "}"]);
        assert_eq!(of_task("the 30 rows, 20"), ["row", "9"]);
        assert_eq!(of_line("  "), [""; 0]);
    }
}
