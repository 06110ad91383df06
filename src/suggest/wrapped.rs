//! Changes that put a part of a line into a call: `max(0, n)`, `shorten(text)`.

use super::Way;
use super::change::Change;
use super::elements::elements;
use super::features::{Features, Line, Sentence, is_name, marks};
use super::named::How;
use super::spots::Kind;
use std::collections::BTreeSet;
use std::ops::Range;

/// What things are often put into, and how the words begin with which a sentence asks for it.
#[rustfmt::skip]
const OFTEN: [(&str, &str); 34] = [
    ("sorted", "sort"), ("sorted", "order"), ("sorted", "alphabet"), ("str", "str"), ("str", "text"), ("String", "str"), ("int", "int"), ("int", "whole"),
    ("int", "number"), ("float", "float"), ("Number", "number"), ("parseInt", "number"), ("len", "len"), ("len", "number"), ("len", "count"),
    ("abs", "abs"), ("Math.abs", "abs"), ("abs", "sign"), ("round", "round"), ("Math.round", "round"), ("Math.floor", "round"), ("Math.floor", "down"),
    ("Math.ceil", "up"), ("Math.ceil", "round"), ("set", "set"), ("set", "once"), ("set", "duplic"), ("list", "list"), ("reversed", "revers"),
    ("trim", "trim"), ("trim", "blank"), ("strtolower", "case"), ("-", "negat"), ("bool", "bool"),
];

/// What cannot be in the name of a function.
const OTHER_MARKS: [char; 12] = [' ', '"', '\'', '`', ',', '=', '{', '[', '<', '/', '+', '%'];

pub fn ways(sentence: &Sentence, line: &Line) -> Vec<Way> {
    let mut found = Vec::new();
    let parts = parts_of(line);
    let mut put = |part: &(Range<usize>, &'static str), new: &str, name: &str, more: Vec<String>| {
        let old = &line.text[part.0.clone()];
        let text = line.with(&part.0, new);
        if line.text[..part.0.start].ends_with(&new[..new.find('(').map_or(0, |at| at + 1)]) {
            return;
        }
        let mut features = vec![
            format!("{name} {}", part.1),
            format!("{name} spoken of:{}", sentence.speaks_of(old)),
            format!("{name} call:{}", old.ends_with(')')),
            format!("{name} long:{}", (old.len() / 12).min(4)),
        ];
        features.extend(more);
        let of = vec![line.whole.clone(), marks(features), sentence.with_each_word(name)];
        found.push(Way { line: line.idx, change: Change::Replace(text), features: Features::new(of, line.search) });
    };
    let numbers: Vec<&str> = sentence
        .values
        .iter()
        .filter(|value| matches!(value.class, "whole" | "decimal"))
        .map(|value| value.named.text.as_str())
        .take(2)
        .collect();
    for value in &sentence.values {
        let text = value.named.text.as_str();
        let of_value = |what: &str| vec![format!("{what} {:?}", value.named.how), format!("{what} {}", value.class)];
        if let Some((before, after)) = text.split_once("...").or_else(|| text.split_once('…')) {
            if before.contains(['(', '[', '{'])
                || value.named.how != How::Phrase && (before.ends_with(' ') || after.starts_with([')', ' ']))
            {
                for part in &parts {
                    put(
                        part,
                        &format!("{before}{}{after}", &line.text[part.0.clone()]),
                        "wrapped in dots",
                        of_value("wrapped in dots"),
                    );
                }
            }
            continue;
        }
        let name = text.strip_suffix("()").unwrap_or(text);
        let last = name.rsplit(['.', ':', '>']).next().unwrap_or_default();
        let may_call = is_name(last)
            && !name.contains(OTHER_MARKS)
            && !name.contains('(')
            && name.starts_with(|c: char| c.is_alphabetic() || matches!(c, '_' | '$' | '@'));
        if !may_call || matches!(value.named.how, How::Plain | How::Phrase) {
            continue;
        }
        for part in &parts {
            let old = &line.text[part.0.clone()];
            if old == name || old.starts_with(&format!("{name}(")) {
                continue;
            }
            // As the line writes its other calls: `trim( $text )`.
            let blank = if line.text.contains("( ") { " " } else { "" };
            put(part, &format!("{name}({blank}{old}{blank})"), "wrapped", of_value("wrapped"));
            for number in &numbers {
                put(part, &format!("{name}({old}, {number})"), "wrapped before a number", of_value("wrapped before a number"));
                put(part, &format!("{name}({number}, {old})"), "wrapped behind a number", of_value("wrapped behind a number"));
            }
        }
    }
    let is_asked = |word: &str| sentence.words.iter().any(|other| other.starts_with(word));
    let usual: BTreeSet<&str> = OFTEN.into_iter().filter(|(_, word)| is_asked(word)).map(|(name, _)| name).collect();
    for name in usual.into_iter().filter(|name| sentence.values.iter().all(|value| value.named.text != **name)) {
        for part in &parts {
            let old = &line.text[part.0.clone()];
            put(part, &format!("{name}({old})"), &format!("wrapped in {name}"), vec!["wrapped in what is usual".to_owned()]);
        }
    }
    found
}

/// What can be put into a call: arguments, values, names with what is got from them.
fn parts_of(line: &Line) -> Vec<(Range<usize>, &'static str)> {
    let mut seen = BTreeSet::new();
    let mut found = Vec::new();
    let mut add = |at: Range<usize>, what: &'static str| {
        if !at.is_empty() && seen.insert((at.start, at.end)) {
            found.push((at, what));
        }
    };
    let end = line.text.trim_end().trim_end_matches([';', ',', '{', ':', ' ']).len();
    for mark in ["return ", " = ", "=> ", " in ", ": "] {
        if let Some(start) = line.text.find(mark).map(|at| at + mark.len()).filter(|&start| start < end) {
            add(start..end, "behind a mark");
        }
    }
    for element in elements(line.text) {
        add(element.at.clone(), "an element");
    }
    for seen in line.spots.iter().filter(|seen| matches!(seen.spot.kind, Kind::Word | Kind::Wide)) {
        if seen.text.starts_with(|c: char| c.is_alphabetic() || matches!(c, '_' | '$' | '@')) {
            add(seen.spot.at.clone(), "a name");
        }
    }
    found
}
