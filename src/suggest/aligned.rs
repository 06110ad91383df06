//! Changes that put a longer text, which repeats something of the line, over what it repeats: "the levels should get harder:
//! Level * Level * 100" where the line has `Level * 100`.

use super::Way;
use super::change::Change;
use super::features::{Features, Line, List, Sentence, SpotSeen, Value, marks};
use super::replaced::of_both;
use super::spots::{Kind, tokens};
use std::ops::Range;

pub fn ways(sentence: &Sentence, line: &Line) -> Vec<Way> {
    let mut found = Vec::new();
    let of_line: Vec<Range<usize>> = tokens(line.text).collect();
    for value in &sentence.values {
        let new = &value.named.text;
        let of_new: Vec<&str> = tokens(new).map(|at| &new[at]).collect();
        let (Some(first), Some(last)) = (of_new.first(), of_new.last()) else { continue };
        if of_new.len() < 2 {
            continue;
        }
        let is = |at: &Range<usize>, text: &str| &line.text[at.clone()] == text;
        let shared = of_line.iter().filter(|at| of_new.contains(&&line.text[(*at).clone()])).count();
        let mut put = |at: Range<usize>, how: &str| {
            let old = &line.text[at.clone()];
            if old == new {
                return;
            }
            let text = line.with(&at, new);
            let n_kept = tokens(old).filter(|at| of_new.contains(&&old[at.clone()])).count();
            let n_old = tokens(old).count();
            let features = vec![
                how.to_owned(),
                format!("{how} kept:{} of {}", n_kept.min(5), n_old.min(6)),
                format!("{how} share:{}", n_kept * 5 / n_old.max(1)),
                format!("{how} new:{}", (of_new.len() - n_kept.min(of_new.len())).min(6)),
                format!("{how} all:{}", n_kept == shared),
                format!("{how} class:{}", value.class),
            ];
            let of = vec![value.features.clone(), line.whole.clone(), marks(features), sentence.with_each_word(how)];
            found.push(Way { line: line.idx, change: Change::Replace(text), features: Features::new(of, line.search) });
        };
        for (i, start) in of_line.iter().enumerate().filter(|(_, at)| is(at, first)) {
            for end in of_line[i + 1..].iter().filter(|at| is(at, last)) {
                put(start.start..end.end, "between same ends");
            }
            if let Some(end) = end_of_part(line.text, start.start) {
                put(start.start..end, "from same start");
            }
        }
        for end in of_line.iter().filter(|at| is(at, last)) {
            if let Some(start) = start_of_part(line.text, end.end) {
                put(start..end.end, "to same end");
            }
        }
    }
    for seen in line.spots.iter().filter(|seen| matches!(seen.spot.kind, Kind::Word) && seen.text.len() > 1) {
        for value in sentence.values.iter().filter(|value| value.class == "phrase" && holds(&value.named.text, seen.text)) {
            let new = &value.named.text;
            let text = line.with(&seen.spot.at, new);
            let of = of_held(sentence, line, seen, value);
            found.push(Way { line: line.idx, change: Change::Replace(text), features: Features::new(of, line.search) });
        }
    }
    found
}

fn of_held(sentence: &Sentence, line: &Line, seen: &SpotSeen, value: &Value) -> Vec<List> {
    let features = of_both(sentence, line, seen, value);
    vec![value.features.clone(), seen.features.clone(), marks(features), sentence.with_each_word("around a word")]
}

/// Whether a text has a word.
fn holds(text: &str, word: &str) -> bool {
    tokens(text).any(|at| &text[at] == word)
}

/// Where the argument, the value or the statement ends that has begun before here.
fn end_of_part(line: &str, from: usize) -> Option<usize> {
    let mut depth = 0;
    for (at, c) in line[from..].char_indices() {
        match c {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' if depth == 0 => return Some(from + at),
            ')' | ']' | '}' => depth -= 1,
            ',' | ';' if depth == 0 => return Some(from + at),
            _ => {}
        }
    }
    let end = line.trim_end().len();
    let end = if line[..end].ends_with([':', '{']) { line[..end - 1].trim_end().len() } else { end };
    (end > from).then_some(end)
}

/// Where the one begins that ends here.
fn start_of_part(line: &str, to: usize) -> Option<usize> {
    let mut depth = 0;
    let mut start = None;
    for (at, c) in line[..to].char_indices().rev() {
        let is_end = match c {
            ')' | ']' | '}' => {
                depth += 1;
                false
            }
            '(' | '[' | '{' if depth == 0 => true,
            '(' | '[' | '{' => {
                depth -= 1;
                false
            }
            ',' | ';' | '=' | ':' if depth == 0 => true,
            _ => false,
        };
        if is_end {
            start = Some(at + 1);
            break;
        }
    }
    let start = start.unwrap_or_default();
    let start = start + line[start..].len() - line[start..].trim_start().len();
    (start < to).then_some(start)
}
