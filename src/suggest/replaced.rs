//! Changes that put something in the place of a stretch of a line.

use super::Way;
use super::change::Change;
use super::features::{Features, Line, List, Sentence, SpotSeen, Value, is_name, marks};
use super::named::{How, Named};
use super::opposites::opposites;
use super::spots::Kind;
use crate::edit::whole_token_ranges;

/// What a sentence says where a number is to be multiplied, and by what.
const FACTORS: [(&str, f64); 16] = [
    ("double", 2.0),
    ("doubled", 2.0),
    ("twice", 2.0),
    ("half", 0.5),
    ("halve", 0.5),
    ("halved", 0.5),
    ("triple", 3.0),
    ("thrice", 3.0),
    ("three", 3.0),
    ("third", 1.0 / 3.0),
    ("four", 4.0),
    ("quarter", 0.25),
    ("ten", 10.0),
    ("tenth", 0.1),
    ("hundred", 100.0),
    ("times", 10.0),
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
            features.push(format!("everywhere how:{:?} {} {new}", value.named.how, seen.in_sentence.is_some()));
            features.extend(of_both(sentence, line, seen, value));
            let of = vec![value.features.clone(), seen.features.clone(), marks(features), sentence.with_each_word("everywhere")];
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
                let verb = sentence.with_each_word(if seen.spot.kind == Kind::Operator { "put for operator" } else { "put" });
                put(&value.named.text, vec![value.features.clone(), marks(of_both(sentence, line, seen, value)), verb]);
            }
        }
        let is_named = |text: &str| sentence.values.iter().any(|value| value.named.text == text);
        if matches!(seen.spot.kind, Kind::Word | Kind::Operator | Kind::Wide) {
            for opposite in opposites(seen.text).into_iter().filter(|opposite| !is_named(opposite)) {
                let mut features = vec!["opposite".to_owned(), format!("opposite:{} {opposite}", seen.text)];
                if sentence.words.contains(&opposite.to_lowercase()) {
                    features.push("opposite said".to_owned());
                }
                put(&opposite, vec![marks(features), sentence.with_each_word(&opposite)]);
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
            for (new, name) in reckoned(sentence, number) {
                put(&new, vec![sentence.with_each_word(name)]);
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
            let of = vec![value.features.clone(), marks(of_both(sentence, line, seen, value)), seen.features.clone()];
            found.push(Way { line: line.idx, change: Change::Replace(text), features: Features::new(of, line.search) });
        }
    }
    found
}

/// Whether a value can stand where this stands.
pub fn fits(value: &Value, seen: &SpotSeen) -> bool {
    let kind = seen.spot.kind;
    value.named.text != seen.text
        && !matches!(value.named.how, How::Rest | How::Pair)
        && (value.named.how != How::Noun || kind == Kind::Quoted)
        && (value.named.how != How::Plain || matches!(kind, Kind::Word | Kind::Quoted | Kind::Between))
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
    let unit = |text: &str| text.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.').to_owned();
    if new == "measure" {
        features.push(format!("unit:{old} {}", unit(text) == unit(seen.text)));
    }
    let number = |text: &str| text.replace('_', "").parse::<f64>().ok();
    if let (Some(a), Some(b)) = (number(seen.text), number(text)) {
        features.push(format!("ratio:{}", ((((a + 1e-3) / (b + 1e-3)).ln().abs() * 1.5) as usize).min(6)));
    } else if matches!(seen.spot.kind, Kind::Word | Kind::Wide | Kind::Quoted) {
        let (a, b) = (seen.text.to_lowercase(), text.to_lowercase());
        match strsim::levenshtein(&a, &b) {
            _ if a == b => features.push("same letters".to_owned()),
            n @ 1..=2 if a.len() > 3 => features.push(format!("letters:{n}")),
            _ if text.starts_with(seen.text) => features.push("longer exactly".to_owned()),
            _ if a.len() > 1 && b.starts_with(&a) => features.push("longer".to_owned()),
            _ if b.len() > 1 && a.starts_with(&b) => features.push("shorter".to_owned()),
            _ => {}
        }
    }
    let is_key_of = |stems: &[String]| seen.key_stems.iter().any(|stem| stems.contains(stem));
    let place = match (is_key_of(&value.stems_before), is_key_of(&value.stems_behind)) {
        (true, _) => "before",
        (_, true) => "behind",
        _ => "no",
    };
    features.push(format!("key beside it:{place} {new}"));
    if line.text.contains(text.as_str()) {
        features.push(format!("in line:{:?}", seen.spot.kind));
    }
    features
}

/// What becomes of a number that is multiplied, or raised by what the sentence names, with how.
fn reckoned(sentence: &Sentence, number: u32) -> Vec<(String, &'static str)> {
    let mut found: Vec<(String, &str)> = Vec::new();
    let mut add = |new: f64, name: &'static str| {
        let new = new.to_string();
        if new.len() < 9 && found.iter().all(|(other, _)| *other != new) {
            found.push((new, name));
        }
    };
    for (_, factor) in FACTORS.iter().filter(|(word, _)| sentence.words.contains(*word)) {
        add(f64::from(number) * factor, if *factor > 1.0 { "multiplied" } else { "divided" });
        add((f64::from(number) * factor).round(), "divided and rounded");
    }
    let named =
        sentence.values.iter().filter(|value| value.class == "whole").filter_map(|value| value.named.text.parse::<u32>().ok());
    for other in named.filter(|&other| other > 1).take(4) {
        add(f64::from(number) + f64::from(other), "more by what is named");
        if other <= number {
            add(f64::from(number - other), "less by what is named");
        }
    }
    found
}

/// Two numbers of a line become two that the sentence names, in the same order; or one becomes another each time that it is there.
pub fn several(sentence: &Sentence, line: &Line) -> Vec<Way> {
    let is_number = |class: &str| matches!(class, "whole" | "decimal" | "measure");
    let spots: Vec<&SpotSeen> = line.spots.iter().filter(|seen| seen.spot.kind == Kind::Word).collect();
    let numbers: Vec<&SpotSeen> = spots.iter().copied().filter(|seen| is_number(seen.class)).collect();
    let named: Vec<&Value> = sentence.values.iter().filter(|value| is_number(value.class)).collect();
    let mut found = Vec::new();
    for pair in numbers.windows(2) {
        for (i, first) in named.iter().enumerate() {
            for second in named.iter().skip(i + 1).take(3).filter(|second| second.named.at.start >= first.named.at.end) {
                if first.named.text == pair[0].text || second.named.text == pair[1].text {
                    continue;
                }
                let text = line.with(&pair[1].spot.at, &second.named.text);
                let text = format!("{}{}{}", &text[..pair[0].spot.at.start], first.named.text, &text[pair[0].spot.at.end..]);
                let between = sentence.task().get(first.named.at.end..second.named.at.start).unwrap_or_default().trim();
                let mut features = vec!["two numbers".to_owned(), format!("two numbers of:{}", numbers.len().min(5))];
                features.push(format!("two numbers between:{}", if between.len() < 12 { between } else { "more" }));
                let of = vec![
                    first.features.clone(),
                    pair[0].features.clone(),
                    pair[1].features.clone(),
                    marks(features),
                    sentence.with_each_word("two numbers"),
                ];
                found.push(Way { line: line.idx, change: Change::Replace(text), features: Features::new(of, line.search) });
            }
        }
    }
    let mut known: Vec<&str> = Vec::new();
    for seen in spots {
        let places = whole_token_ranges(line.text, seen.text);
        if places.len() < 2 || known.contains(&seen.text) {
            continue;
        }
        known.push(seen.text);
        for value in sentence.values.iter().filter(|value| fits(value, seen) && is_number(value.class) == is_number(seen.class)) {
            let mut text = line.text.to_owned();
            for at in places.iter().rev() {
                text.replace_range(at.clone(), &value.named.text);
            }
            let each: List = marks(vec!["each time in the line".to_owned()]);
            let both: List = marks(of_both(sentence, line, seen, value));
            let of =
                vec![value.features.clone(), seen.features.clone(), both, each, sentence.with_each_word("each time in the line")];
            found.push(Way { line: line.idx, change: Change::Replace(text), features: Features::new(of, line.search) });
        }
    }
    found
}
