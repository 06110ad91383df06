//! Changes that take something out of a line: one of several things that commas separate, a mark that is often too much.

use super::Way;
use super::change::Change;
use super::elements::elements;
use super::features::{Features, Line, List, Sentence, marks};
use super::spots::is_of_word;
use std::ops::Range;

/// What often is too much, whatever a sentence names. Words have the blank beside them.
#[rustfmt::skip]
const OFTEN: [&str; 34] = [
    "!", "-", "?", " DESC", " desc", " - 1", " + 1", "-1", "+1", "not ", "NOT ", "final ", "private ", "static ", "# ", "// ", "-- ", "LEFT ",
    " checked", " disabled", " required", " hidden", "async ", "await ", "const ", "mut ", "()", ".skip", ".only", ".0", "abstract ", " NOT NULL",
    " UNIQUE", "1 - ",
];

pub fn ways(sentence: &Sentence, line: &Line) -> Vec<Way> {
    let mut found = Vec::new();
    let mut put = |at: Range<usize>, name: &str, of: List| {
        let text = line.with(&at, "");
        if text.trim().is_empty() {
            return;
        }
        let (left, right) = (&line.text[..at.start], &line.text[at.end..]);
        let of_sides: List = marks(vec![
            format!("{name} behind:{}", left.trim_end().chars().next_back().unwrap_or('^')),
            format!("{name} before:{}", right.trim_start().chars().next().unwrap_or('$')),
        ]);
        let of = vec![line.whole.clone(), of, of_sides, sentence.with_each_word(name)];
        found.push(Way { line: line.idx, change: Change::Replace(text), features: Features::new(of, line.search) });
    };
    for element in elements(line.text) {
        let text = &line.text[element.at.clone()];
        let is_named = sentence.values.iter().any(|value| text.contains(&value.named.text));
        if element.is_first && element.is_last || !is_named && !sentence.speaks_of(text) {
            continue;
        }
        let at = if element.is_first {
            let blank = line.text[element.at.end..].len() - line.text[element.at.end..].trim_start_matches([',', '|', ' ']).len();
            element.at.start..element.at.end + blank
        } else {
            let start = line.text[..element.at.start].trim_end_matches([',', '|', ' ']).len();
            start..element.at.end
        };
        let place = if element.is_last { "last" } else { "not last" };
        put(at, "without element", marks(vec![format!("without element {place}"), format!("without element named:{is_named}")]));
    }
    for mark in OFTEN {
        for (at, _) in line.text.match_indices(mark) {
            let runs_on = mark.ends_with(is_of_word) && line.text[at + mark.len()..].starts_with(is_of_word)
                || mark.starts_with(is_of_word) && line.text[..at].ends_with(is_of_word)
                || mark == "!" && line.text[at + 1..].starts_with('=')
                || mark == "-"
                    && (line.text[at + 1..].starts_with(['>', '=', '-'])
                        || line.text[..at].ends_with(|c: char| is_of_word(c) || c == '-'));
            if !runs_on {
                let name = format!("without {mark}");
                put(at..at + mark.len(), &name, marks(vec!["without".to_owned()]));
            }
        }
    }
    found
}
