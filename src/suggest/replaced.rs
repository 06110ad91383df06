//! Changes that put something in the place of a stretch of a line.

use super::Way;
use super::change::Change;
use super::features::{Features, Line, List, Sentence, SpotSeen, Value, is_name};
use super::named::Named;
use super::spots::Kind;
use std::rc::Rc;

/// Words and operators that often become each other.
#[rustfmt::skip]
const OPPOSITES: [(&str, &str); 72] = [
    ("true", "false"), ("True", "False"), ("TRUE", "FALSE"), ("yes", "no"), ("on", "off"), ("0", "1"), ("&&", "||"), ("||", "??"),
    ("and", "or"), ("<", "<="), (">", ">="), ("<", ">"), ("<=", ">="), ("<", ">="), (">", "<="), ("<", "!="), (">", "!="),
    ("==", "!="), ("===", "!=="), ("==", "==="), ("!=", "!=="), ("==", ">="), ("==", "<="), ("=", "!="), ("=", "+="), ("=", "<"),
    ("+", "-"), ("+", "*"), ("*", "/"), ("+=", "-="), ("++", "--"), ("min", "max"), ("Min", "Max"), ("MIN", "MAX"),
    ("asc", "desc"), ("ASC", "DESC"), ("left", "right"), ("top", "bottom"), ("let", "const"), ("var", "let"), ("var", "val"),
    ("private", "public"), ("http", "https"), ("floor", "ceil"), ("first", "last"), ("any", "all"), ("some", "every"),
    ("if", "unless"), ("INNER", "LEFT"), ("row", "column"), ("hidden", "visible"), ("println", "eprintln"),
    ("printf", "fprintf"), ("GET", "POST"), ("show", "hide"), ("debug", "info"), ("info", "warning"), ("warn", "error"),
    ("warning", "error"), ("log", "error"), ("push", "unshift"), ("break", "continue"), ("Before", "After"), ("before", "after"),
    ("equals", "equalsIgnoreCase"), ("Now", "UtcNow"), ("127.0.0.1", "0.0.0.0"), ("mean", "median"), ("401", "403"),
    ("200", "201"), ("open", "closed"), ("protected", "public"),
];

pub fn ways(sentence: &Sentence, line: &Line) -> Vec<Way> {
    let mut found = Vec::new();
    let idx = line.idx;
    for seen in line.spots.iter().filter(|seen| seen.n_in_file > 1) {
        for value in sentence.values.iter().filter(|value| is_name(&value.named.text) && value.named.text != seen.text) {
            let change = Change::Everywhere { old: seen.text.to_owned(), new: value.named.text.clone() };
            let (old, new) = (seen.class, value.class);
            let mut features = vec![format!("everywhere {old} {new}")];
            features.push(format!("everywhere {}", seen.n_in_file.min(4)));
            features.extend(of_both(sentence, line, seen, value));
            let of =
                vec![value.features.clone(), seen.features.clone(), Rc::new(features), sentence.with_each_word("everywhere")];
            found.push(Way { line: idx, change, features: Features::new(of, line.search) });
        }
    }
    for seen in &line.spots {
        let mut put = |new: &str, mut of: Vec<List>| {
            let text = line.with(&seen.spot.at, new);
            of.push(seen.features.clone());
            found.push(Way { line: idx, change: Change::Replace(text), features: Features::new(of, line.search) });
        };
        for value in &sentence.values {
            if fits(value, seen) {
                put(&value.named.text, vec![value.features.clone(), Rc::new(of_both(sentence, line, seen, value))]);
            }
        }
        let is_named = |text: &str| sentence.values.iter().any(|value| value.named.text == text);
        if matches!(seen.spot.kind, Kind::Word | Kind::Operator | Kind::Wide) {
            for opposite in opposites(seen.text).filter(|opposite| !is_named(opposite)) {
                let mut features = vec!["opposite".to_owned(), format!("opposite:{} {opposite}", seen.text)];
                if sentence.words.contains(&opposite.to_lowercase()) {
                    features.push("opposite said".to_owned());
                }
                put(opposite, vec![Rc::new(features), sentence.with_each_word(opposite)]);
            }
        }
        if matches!(seen.spot.kind, Kind::Word | Kind::Digits)
            && let Ok(number) = seen.text.parse::<u32>()
        {
            for (new, name) in [(number.checked_add(1), "one more"), (number.checked_sub(1), "one less")] {
                if let Some(new) = new.map(|new| new.to_string()).filter(|new| !is_named(new)) {
                    put(&new, vec![sentence.with_each_word(name)]);
                }
            }
        }
    }
    found
}

/// A number that the sentence names in the place of one that the line has.
pub fn numbers(sentence: &Sentence, line: &Line) -> Vec<Way> {
    let is_number = |class: &str| matches!(class, "whole" | "decimal" | "measure");
    let mut found = Vec::new();
    for seen in line.spots.iter().filter(|seen| is_number(seen.class) && seen.spot.kind != Kind::Operator) {
        for value in sentence.values.iter().filter(|value| is_number(value.class) && fits(value, seen)) {
            let text = line.with(&seen.spot.at, &value.named.text);
            let of = vec![value.features.clone(), Rc::new(of_both(sentence, line, seen, value)), seen.features.clone()];
            found.push(Way { line: line.idx, change: Change::Replace(text), features: Features::new(of, line.search) });
        }
    }
    found
}

/// Whether a value can stand where this stands.
pub fn fits(value: &Value, seen: &SpotSeen) -> bool {
    let kind = seen.spot.kind;
    value.named.text != seen.text
        && (value.class == "operator") == (kind == Kind::Operator)
        && (kind != Kind::Line || value.class == "phrase")
        && !(value.class == "phrase" && matches!(kind, Kind::Word | Kind::Digits))
        && !(seen.class == "phrase" && matches!(value.class, "whole" | "decimal"))
}

/// What can be seen of a value in the place of a stretch.
pub fn of_both(sentence: &Sentence, line: &Line, seen: &SpotSeen, value: &Value) -> Vec<String> {
    let (old, new) = (seen.class, value.class);
    let Named { text, how, at } = &value.named;
    let said = seen.in_sentence.is_some();
    let mut features = vec![
        format!("becomes:{old} {new}"),
        format!("becomes:{:?} {old} {new}", seen.spot.kind),
        format!("becomes:{how:?} {said} {old} {new}"),
    ];
    if let Some(said) = &seen.in_sentence {
        features.push(format!("old first:{}", said.start < at.start));
        let between = sentence.task().get(said.end.min(at.end)..said.start.max(at.start)).unwrap_or_default().trim();
        if between.len() < 25 {
            features.push(format!("between:{}", between.to_lowercase()));
        }
    }
    let number = |text: &str| text.replace('_', "").parse::<f64>().ok();
    if let (Some(a), Some(b)) = (number(seen.text), number(text)) {
        features.push(format!("ratio:{}", ((((a + 1e-3) / (b + 1e-3)).ln().abs() * 1.5) as usize).min(6)));
    } else if matches!(seen.spot.kind, Kind::Word | Kind::Wide | Kind::Quoted) {
        let (a, b) = (seen.text.to_lowercase(), text.to_lowercase());
        match strsim::levenshtein(&a, &b) {
            _ if a == b => features.push("same letters".to_owned()),
            n @ 1..=2 if a.len() > 3 => features.push(format!("letters:{n}")),
            _ if a.len() > 1 && b.starts_with(&a) => features.push("longer".to_owned()),
            _ if b.len() > 1 && a.starts_with(&b) => features.push("shorter".to_owned()),
            _ => {}
        }
    }
    if line.text.contains(text.as_str()) {
        features.push(format!("in line:{:?}", seen.spot.kind));
    }
    features
}

/// What something often becomes.
fn opposites(text: &str) -> impl Iterator<Item = &'static str> {
    OPPOSITES.iter().flat_map(move |&(a, b)| [(a, b), (b, a)]).filter(move |(a, _)| *a == text).map(|(_, b)| b)
}
