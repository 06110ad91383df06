//! Parts of a line that marks separate: arguments, what a list has, conditions.

use super::features::{Line, Sentence};
use super::spots::is_of_word;
use std::ops::Range;

/// One of several things that a mark separates.
pub struct Element {
    pub at: Range<usize>,
    pub separator: &'static str,
    pub is_first: bool,
    pub is_last: bool,
}

/// Those between brackets and, if there are several, of the whole line.
pub fn elements(line: &str) -> Vec<Element> {
    let mut groups: Vec<(usize, Vec<usize>)> = vec![(line.len() - line.trim_start().len(), Vec::new())];
    let mut found = Vec::new();
    let mut quote: Option<char> = None;
    let mut close = |group: (usize, Vec<usize>), end: usize, is_bracket: bool| {
        let (start, commas) = group;
        if commas.is_empty() && !is_bracket {
            return;
        }
        let bounds: Vec<usize> = [start].into_iter().chain(commas.iter().copied()).chain([end]).collect();
        let n = bounds.len() - 1;
        for i in 0..n {
            let (from, to) = (bounds[i] + usize::from(i > 0), bounds[i + 1]);
            let piece = &line[from..to];
            let (from, to) = (from + piece.len() - piece.trim_start().len(), from + piece.trim_end().len());
            if from < to {
                let tight = commas.first().is_some_and(|&comma| !line[comma + 1..].starts_with(' '));
                let separator = match line[*commas.first().unwrap_or(&end)..].chars().next() {
                    Some('|') if tight => "|",
                    Some('|') => " | ",
                    _ if tight => ",",
                    _ => ", ",
                };
                found.push(Element { at: from..to, separator, is_first: i == 0, is_last: i + 1 == n });
            }
        }
    };
    for (at, c) in line.char_indices() {
        match (quote, c) {
            (Some(mark), c) if mark == c => quote = None,
            (Some(_), _) => {}
            (None, '"' | '`') => quote = Some(c),
            (None, '\'') if line[at + 1..].contains('\'') && !line[..at].ends_with(is_of_word) => quote = Some(c),
            (None, '(' | '[' | '{') => groups.push((at + 1, Vec::new())),
            (None, ')' | ']' | '}') if groups.len() > 1 => {
                let group = groups.pop().expect("there are two");
                close(group, at, true);
            }
            (None, ',') | (None, '|')
                if c == ',' || !line[at + 1..].starts_with(['|', '>', '=']) && !line[..at].ends_with('|') =>
            {
                groups.last_mut().expect("the line's own is never closed").1.push(at);
            }
            _ => {}
        }
    }
    let end = line.trim_end_matches([' ', ';', ',']).len();
    if let Some((start, mut commas)) = groups.into_iter().next() {
        commas.retain(|&comma| comma < end);
        if start < end {
            close((start, commas), end, false);
        }
    }
    found
}

/// What joins conditions, with the blanks around it.
const JOINING: [&str; 4] = [" || ", " && ", " or ", " and "];

/// Words behind which a condition comes.
const BEFORE_CONDITION: [&str; 11] =
    ["if ", "guard ", "elseif ", "while ", "until ", "unless ", "elif ", "elsif ", "return ", "WHERE ", "where "];

/// What comes behind one.
const BEHIND_CONDITION: [&str; 8] = [" {", ":", " then", " do", ";", "; then", " else", ","];

/// The conditions of a line, each with what may join another one to it: what joins those that are there, or both of what the file
/// joins them with.
pub fn conditions(sentence: &Sentence, line: &Line) -> Vec<Element> {
    let Some(region) = region(line.text) else { return Vec::new() };
    let text = &line.text[region.clone()];
    let mut found = Vec::new();
    for separator in JOINING {
        let pieces: Vec<&str> = text.split(separator).collect();
        if pieces.len() == 1 {
            continue;
        }
        let mut from = region.start;
        for (i, piece) in pieces.iter().enumerate() {
            found.push(Element { at: from..from + piece.len(), separator, is_first: i == 0, is_last: i + 1 == pieces.len() });
            from += piece.len() + separator.len();
        }
    }
    if found.is_empty() {
        let may = if sentence.habits.joins_by_words { &JOINING[2..] } else { &JOINING[..2] };
        found.extend(may.iter().map(|separator| Element { at: region.clone(), separator, is_first: true, is_last: true }));
    }
    found
}

/// Where a line has a condition: behind a word like `if` and within the brackets there, or all that is behind `=`.
fn region(line: &str) -> Option<Range<usize>> {
    let behind = |word: &&str| {
        let at = line.find(*word)?;
        (!line[..at].ends_with(is_of_word)).then_some(at + word.len())
    };
    let start = BEFORE_CONDITION
        .iter()
        .filter_map(behind)
        .min()
        .or_else(|| line.find(" = ").map(|at| at + 3))
        .or_else(|| line.find(": ").map(|at| at + 2))?;
    let mut end = line[start..].find(" ? ").map_or(line.trim_end().len(), |at| start + at);
    while let Some(shorter) = BEHIND_CONDITION.iter().find_map(|mark| line[..end].strip_suffix(mark)) {
        end = shorter.len();
    }
    let text = line.get(start..end)?;
    let Some(inner) = text.strip_prefix('(') else { return (start < end).then_some(start..end) };
    let mut depth = 1;
    let close = inner.char_indices().find_map(|(at, c)| {
        depth += i32::from(c == '(') - i32::from(c == ')');
        (depth == 0).then_some(at)
    })?;
    (close > 0).then_some(start + 1..start + 1 + close)
}
