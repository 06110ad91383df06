//! Changes that put a line of the file beside another one: as it is, or with something in it replaced by what the sentence names.

use super::Way;
use super::features::{Features, Line, List, Sentence, marks};
use super::replaced::{fits, of_both};
use super::rows::places_beside;
use super::spots::Kind;
use std::collections::HashSet;

/// `near` are the lines of which one may be copied with a change: those that the search finds first, and those beside. `far` are
/// others, which may only be copied as they are.
pub fn ways(sentence: &Sentence, line: &Line, near: &[&Line], far: &[Line]) -> Vec<Way> {
    let mut found = Vec::new();
    let beside: HashSet<&str> =
        line.lines[line.idx.saturating_sub(2)..(line.idx + 3).min(line.lines.len())].iter().map(|line| line.trim()).collect();
    let mut put = |new: &str, name: &str, of: Vec<List>| {
        for place in places_beside() {
            let name = place.name(name);
            let of = [of.clone(), vec![line.whole.clone(), sentence.with_each_word(&name)]].concat();
            let (idx, change) = place.change(line, new.to_owned());
            found.push(Way { line: idx, change, features: Features::new(of, line.search) });
        }
    };
    let indent = |text: &str| text.len() - text.trim_start().len();
    let all = near.iter().copied().chain(far).enumerate();
    for (rank, other) in all.filter(|(_, other)| other.idx != line.idx) {
        let text = other.text.trim();
        let is_statement = text.chars().filter(|c| c.is_alphanumeric()).count() > 2 && !text.ends_with(['{', '(', '[', ':']);
        if !is_statement {
            continue;
        }
        let n_there = line.lines.iter().filter(|other| other.trim() == text).count();
        let of_other: List = marks(vec![
            format!("source rank:{rank}"),
            format!("source apart:{}", other.idx.abs_diff(line.idx).min(3)),
            format!("source spoken of:{}", sentence.speaks_of(text)),
            format!("source times:{}", n_there.min(3)),
            format!("source indented alike:{}", indent(other.text) == indent(line.text)),
            format!("source first:{}", text.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default()),
            format!("source ends:{}", text.chars().next_back().unwrap_or('^')),
            format!("source above:{}", other.idx < line.idx),
        ]);
        if !beside.contains(text) {
            put(text, "repeat", vec![of_other.clone()]);
        }
        if rank >= near.len() {
            continue;
        }
        let start = indent(other.text);
        for seen in other.spots.iter().filter(|seen| matches!(seen.spot.kind, Kind::Word | Kind::Quoted | Kind::Value)) {
            for value in sentence.values.iter().filter(|value| fits(value, seen) && !value.is_weak()) {
                let new = other.with(&seen.spot.at, &value.named.text);
                let new = new[start..].trim_end();
                if sentence.rows().contains(new) {
                    continue;
                }
                let features =
                    of_both(sentence, other, seen, value).into_iter().map(|feature| format!("repeat {feature}")).collect();
                put(
                    new,
                    "repeat changed",
                    vec![of_other.clone(), value.features.clone(), seen.features.clone(), marks(features)],
                );
            }
        }
    }
    found
}

/// Lines that are often put beside others, whatever a sentence names.
#[rustfmt::skip]
const OFTEN: [&str; 22] = [
    "break;", "break", "return;", "return", "continue;", "continue", "#[must_use]", "cursor: pointer;", "restart: unless-stopped",
    "flex-wrap: wrap;", "workflow_dispatch:", "event.preventDefault();", "notifyListeners();", "#[non_exhaustive]", "@Override",
    "font-weight: bold;", "@MainActor", "[Authorize]", "strip = true", "readonly: true", "USER nobody", "fflush(stdout);",
];

/// What is often put beside a line.
pub fn often(sentence: &Sentence, line: &Line) -> Vec<Way> {
    let mut found = Vec::new();
    let has_semicolons = sentence.habits.has_semicolons;
    for new in OFTEN.into_iter().filter(|new| new.ends_with(';') == has_semicolons || !new.starts_with(char::is_lowercase)) {
        let what = format!("often line {new}");
        for place in places_beside() {
            let name = place.name(&what);
            let of = vec![line.whole.clone(), sentence.with_each_word(&name)];
            let (idx, change) = place.change(line, new.to_owned());
            found.push(Way { line: idx, change, features: Features::new(of, line.search) });
        }
    }
    found
}
