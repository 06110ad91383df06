//! What can be seen of a change that a sentence may mean: of what is named, of the spot in the line, and of both together.
//!
//! A feature is a name that a change has or has not. Which of them tell anything is not decided here but by the weights.

use super::change::Change;
use super::named::{How, Named, named};
use super::spots::{Kind, Spot, spots};
use crate::edit::whole_token_ranges;
use crate::prompt::stems::parts;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::rc::Rc;

/// The features of one way in which a sentence can mean a change.
#[derive(Clone, Debug)]
pub struct Features {
    of: [Rc<Vec<String>>; 3],
    /// The logarithm of the probability that the search gives to the line.
    pub search: f64,
}

impl Features {
    /// The names, in three lists that other changes share.
    pub fn lists(&self) -> &[Rc<Vec<String>>; 3] {
        &self.of
    }

    /// The names of all.
    pub fn marks(&self) -> impl Iterator<Item = &str> {
        self.of.iter().flat_map(|names| names.iter()).map(String::as_str)
    }
}

/// A task's sentence, and what it names.
pub struct Sentence<'t> {
    task: &'t str,
    /// The file's text.
    text: &'t str,
    /// In lower case, each once.
    words: BTreeSet<String>,
    stems: BTreeSet<String>,
    values: Vec<Value>,
    none: Rc<Vec<String>>,
}

struct Value {
    named: Named,
    class: &'static str,
    features: Rc<Vec<String>>,
}

/// A line of the file.
pub struct Line<'t> {
    text: &'t str,
    search: f64,
    spots: Vec<SpotSeen<'t>>,
    whole: Rc<Vec<String>>,
}

struct SpotSeen<'t> {
    spot: Spot,
    text: &'t str,
    class: &'static str,
    /// Where the sentence has its text too.
    in_sentence: Option<Range<usize>>,
    /// How often the file has this word: 0 if it is no name, or none that the sentence has.
    n_in_file: usize,
    features: Rc<Vec<String>>,
}

/// Words and operators that often become each other.
#[rustfmt::skip]
const OPPOSITES: [(&str, &str); 48] = [
    ("true", "false"), ("True", "False"), ("TRUE", "FALSE"), ("yes", "no"), ("on", "off"), ("0", "1"), ("&&", "||"), ("||", "??"),
    ("and", "or"), ("<", "<="), (">", ">="), ("<", ">"), ("<=", ">="), ("==", "!="), ("===", "!=="), ("==", "==="), ("!=", "!=="),
    ("+", "-"), ("*", "/"), ("+=", "-="), ("++", "--"), ("min", "max"), ("Min", "Max"), ("MIN", "MAX"), ("asc", "desc"),
    ("ASC", "DESC"), ("left", "right"), ("top", "bottom"), ("let", "const"), ("var", "let"), ("var", "val"),
    ("private", "public"), ("http", "https"), ("floor", "ceil"), ("first", "last"), ("any", "all"), ("some", "every"),
    ("if", "unless"), ("INNER", "LEFT"), ("row", "column"), ("hidden", "visible"), ("println", "eprintln"),
    ("printf", "fprintf"), ("GET", "POST"), ("show", "hide"), ("debug", "info"), ("warn", "error"), ("push", "unshift"),
];

impl<'t> Sentence<'t> {
    /// Of a task about a text.
    pub fn new(task: &'t str, text: &'t str) -> Sentence<'t> {
        let words: Vec<String> = words(task).map(str::to_lowercase).collect();
        let values = named(task);
        let mut n_of_class: BTreeMap<&str, usize> = BTreeMap::new();
        values.iter().for_each(|named| *n_of_class.entry(class(&named.text)).or_default() += 1);
        let n_quoted = values.iter().filter(|named| named.how == How::Quoted).count();
        let mut none = vec!["none".to_owned(), format!("none quoted:{n_quoted}"), format!("none values:{}", values.len().min(6))];
        none.push(format!("none length:{}", (task.len() / 30).min(5)));
        none.extend(words.iter().collect::<BTreeSet<_>>().iter().map(|word| format!("none word:{word}")));
        none.extend(words.windows(2).map(|pair| format!("none words:{} {}", pair[0], pair[1])));
        let values = values.into_iter().map(|named| Value::new(task, text, named, &n_of_class)).collect();
        Sentence { task, text, stems: stems(task).collect(), words: words.into_iter().collect(), values, none: Rc::new(none) }
    }

    /// Of no change at all.
    pub fn none(&self) -> Features {
        Features { of: [self.none.clone(), Rc::default(), Rc::default()], search: 0.0 }
    }

    /// Whether a word has a stem with the sentence in common.
    fn speaks_of(&self, word: &str) -> bool {
        stems(word).any(|stem| self.stems.contains(&stem))
    }

    /// A feature for each word of the sentence.
    fn with_each_word<'a>(&'a self, name: &'a str) -> impl Iterator<Item = String> + 'a {
        self.words.iter().map(move |word| format!("{name} word:{word}"))
    }
}

impl Value {
    fn new(task: &str, text: &str, named: Named, n_of_class: &BTreeMap<&str, usize>) -> Value {
        let class = class(&named.text);
        let (before, after) = (&task[..named.at.start], &task[named.at.end..]);
        let last = words(before).last().map_or_else(|| "^".to_owned(), str::to_lowercase);
        let last_two = words(before).rev().take(2).collect::<Vec<_>>().join(" ").to_lowercase();
        let next = words(after).next().map_or_else(|| "$".to_owned(), str::to_lowercase);
        let how = format!("{:?}", named.how);
        let features = vec![
            format!("how:{how} {class}"),
            format!("how:{how}"),
            format!("class:{class}"),
            format!("of its class:{}", n_of_class[class].min(3)),
            format!("behind:{last}"),
            format!("last two:{last_two}"),
            format!("before:{next}"),
            format!("in file:{} {class}", text.matches(&named.text).count().min(2)),
        ];
        Value { named, class, features: Rc::new(features) }
    }
}

impl<'t> Line<'t> {
    /// The line that the search has in this place, with the logarithm of the probability it gives it.
    pub fn new(sentence: &Sentence, text: &'t str, rank: usize, search: f64) -> Line<'t> {
        let found = spots(text);
        let mut n_of_class: BTreeMap<&str, usize> = BTreeMap::new();
        found.iter().for_each(|spot| *n_of_class.entry(class(&text[spot.at.clone()])).or_default() += 1);
        let spots = found.into_iter().map(|spot| SpotSeen::new(sentence, text, spot, rank, &n_of_class)).collect();
        let first = text.trim_start().split(|c: char| c.is_whitespace() || c == '(').next().unwrap_or_default();
        let whole = vec![
            format!("line first:{first}"),
            format!("line rank:{rank}"),
            format!("line spoken of:{}", sentence.speaks_of(text)),
        ];
        Line { text, search, spots, whole: Rc::new(whole) }
    }
}

impl<'t> SpotSeen<'t> {
    fn new(sentence: &Sentence, line: &'t str, spot: Spot, rank: usize, n_of_class: &BTreeMap<&str, usize>) -> SpotSeen<'t> {
        let text = &line[spot.at.clone()];
        let (class, kind) = (class(text), format!("{:?}", spot.kind));
        let in_sentence = (spot.kind != Kind::Operator).then(|| stands_in(text, sentence.task)).flatten();
        let n_in_file = if spot.kind == Kind::Word && is_name(text) && in_sentence.is_some() {
            whole_token_ranges(sentence.text, text).len()
        } else {
            0
        };
        let key = words(&line[..spot.at.start]).last().is_some_and(|key| sentence.speaks_of(key));
        let mark = line[..spot.at.start].trim_end().chars().next_back().unwrap_or('^');
        let is_last = !line[spot.at.end..].contains(|c: char| c.is_alphanumeric() || c == '_');
        let mut features = vec![
            format!("rank:{rank}"),
            format!("kind:{kind}"),
            format!("kind:{kind} {class}"),
            format!("was:{class}"),
            format!("said:{} {class}", in_sentence.is_some()),
            format!("spoken of:{} {class}", sentence.speaks_of(text)),
            format!("key spoken of:{key} {class}"),
            format!("mark:{mark}"),
            format!("last:{is_last}"),
            format!("like it:{} {class}", n_of_class[class].min(3)),
        ];
        if let Some(at) = &in_sentence {
            features.push(format!("said:{}", in_sentence.is_some()));
            features.push(format!("often:{} {class}", n_in_file.min(3)));
            let last = words(&sentence.task[..at.start]).last().map_or_else(|| "^".to_owned(), str::to_lowercase);
            let next = words(&sentence.task[at.end..]).next().map_or_else(|| "$".to_owned(), str::to_lowercase);
            features.push(format!("said behind:{last}"));
            features.push(format!("said before:{next}"));
        }
        SpotSeen { spot, text, class, in_sentence, n_in_file, features: Rc::new(features) }
    }
}

/// What a line may become, and why.
pub fn changes(sentence: &Sentence, line: &Line) -> Vec<(Change, Features)> {
    let mut found = Vec::new();
    for seen in line.spots.iter().filter(|seen| seen.n_in_file > 1) {
        for value in sentence.values.iter().filter(|value| is_name(&value.named.text) && value.named.text != seen.text) {
            let change = Change::Everywhere { old: seen.text.to_owned(), new: value.named.text.clone() };
            let (old, new) = (seen.class, value.class);
            let mut features = vec!["everywhere".to_owned(), format!("everywhere {old} {new}")];
            features.push(format!("everywhere {}", seen.n_in_file.min(4)));
            features.extend(sentence.with_each_word("everywhere"));
            features.extend(of_both(sentence, line, seen, value));
            let of = [value.features.clone(), seen.features.clone(), Rc::new(features)];
            found.push((change, Features { of, search: line.search }));
        }
    }
    for seen in &line.spots {
        let mut put = |new: &str, value: Rc<Vec<String>>, features: Vec<String>| {
            let text = format!("{}{new}{}", &line.text[..seen.spot.at.start], &line.text[seen.spot.at.end..]);
            let of = [value, seen.features.clone(), Rc::new(features)];
            found.push((Change::Replace(text), Features { of, search: line.search }));
        };
        for value in &sentence.values {
            if fits(value, seen) {
                put(&value.named.text, value.features.clone(), of_both(sentence, line, seen, value));
            }
        }
        let is_named = |text: &str| sentence.values.iter().any(|value| value.named.text == text);
        if matches!(seen.spot.kind, Kind::Word | Kind::Operator) {
            for opposite in opposites(seen.text).filter(|opposite| !is_named(opposite)) {
                let mut features = vec!["opposite".to_owned(), format!("opposite:{} {opposite}", seen.text)];
                if sentence.words.contains(&opposite.to_lowercase()) {
                    features.push("opposite said".to_owned());
                }
                features.extend(sentence.with_each_word(opposite));
                put(opposite, Rc::default(), features);
            }
        }
        if matches!(seen.spot.kind, Kind::Word | Kind::Digits)
            && let Ok(number) = seen.text.parse::<u32>()
        {
            for (new, name) in [(number.checked_add(1), "one more"), (number.checked_sub(1), "one less")] {
                if let Some(new) = new.map(|new| new.to_string()).filter(|new| !is_named(new)) {
                    let names = [name.to_owned()].into_iter().chain(sentence.with_each_word(name)).collect();
                    put(&new, Rc::default(), names);
                }
            }
        }
    }
    let mut add = |change: Change, value: Rc<Vec<String>>, features: Vec<String>| {
        found.push((change, Features { of: [value, line.whole.clone(), Rc::new(features)], search: line.search }));
    };
    add(Change::Delete, Rc::default(), ["delete".to_owned()].into_iter().chain(sentence.with_each_word("delete")).collect());
    for value in &sentence.values {
        let Named { text, how, .. } = &value.named;
        if !matches!(how, How::Quoted | How::Phrase) && value.class != "mixed" || text == line.text.trim() {
            continue;
        }
        for (name, change) in [("insert before", Change::Before(text.clone())), ("insert after", Change::After(text.clone()))] {
            let mut features =
                vec![name.to_owned(), format!("{name} {how:?}"), format!("insert like it:{}", alike(text, line.text))];
            features.push(format!("insert {}", value.class));
            features.push(format!("insert code:{}", text.contains(['(', '=', '{', ';', ':', '<', '@', '#'])));
            features.extend(sentence.with_each_word(name));
            add(change, value.features.clone(), features);
        }
    }
    found
}

/// Whether a value can stand where this stands.
fn fits(value: &Value, seen: &SpotSeen) -> bool {
    let kind = seen.spot.kind;
    value.named.text != seen.text
        && (value.class == "operator") == (kind == Kind::Operator)
        && (kind != Kind::Line || value.class == "phrase")
        && !(value.class == "phrase" && matches!(kind, Kind::Word | Kind::Digits))
        && !(seen.class == "phrase" && matches!(value.class, "whole" | "decimal"))
}

fn of_both(sentence: &Sentence, line: &Line, seen: &SpotSeen, value: &Value) -> Vec<String> {
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
        let between = sentence.task.get(said.end.min(at.end)..said.start.max(at.start)).unwrap_or_default().trim();
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

/// Whether it can be the name of something in code.
fn is_name(text: &str) -> bool {
    text.starts_with(|c: char| c.is_alphabetic() || c == '_') && text.chars().all(|c| c.is_alphanumeric() || c == '_')
}

/// What something often becomes.
fn opposites(text: &str) -> impl Iterator<Item = &'static str> {
    OPPOSITES.iter().flat_map(move |&(a, b)| [(a, b), (b, a)]).filter(move |(a, _)| *a == text).map(|(_, b)| b)
}

/// What kind of text it is.
fn class(text: &str) -> &'static str {
    let is = |test: fn(char) -> bool| text.chars().all(test);
    let has = |test: fn(char) -> bool| text.chars().any(test);
    let first_is_digit = text.starts_with(|c: char| c.is_ascii_digit());
    let is_hex = |digits: &str| (3..=8).contains(&digits.len()) && digits.chars().all(|c| c.is_ascii_hexdigit());
    if has(char::is_whitespace) {
        "phrase"
    } else if first_is_digit && is(|c| c.is_ascii_digit() || c == '_') {
        "whole"
    } else if first_is_digit && is(|c| c.is_ascii_digit() || c == '.') {
        if text.matches('.').count() == 1 { "decimal" } else { "version" }
    } else if first_is_digit && is(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '%')) {
        "measure"
    } else if text.strip_prefix('#').is_some_and(is_hex) {
        "color"
    } else if !has(|c| c.is_alphanumeric() || c == '_') {
        "operator"
    } else if text.len() > 1 && is(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_') {
        "capitals"
    } else if is(|c| c.is_ascii_lowercase()) {
        "small"
    } else if is(|c| c.is_alphanumeric() || c == '_') {
        if text.contains('_') {
            "snake"
        } else if text.starts_with(|c: char| c.is_ascii_uppercase()) && text[1..].chars().all(|c| c.is_ascii_lowercase()) {
            "capital"
        } else if has(|c| c.is_ascii_lowercase()) && has(|c| c.is_ascii_uppercase()) {
            "camel"
        } else {
            "word"
        }
    } else if text.contains('/') {
        "path"
    } else {
        "mixed"
    }
}

/// Words and numbers.
fn words(text: &str) -> impl DoubleEndedIterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric() && !matches!(c, '_' | '\'')).filter(|word| !word.is_empty())
}

/// The beginnings of the words of three letters or more, and of the parts of names.
fn stems(text: &str) -> impl Iterator<Item = String> {
    parts(text).filter(|part| part.len() > 2 && part.starts_with(|c: char| c.is_ascii_alphabetic())).map(|part| {
        let mut stem = part.to_ascii_lowercase();
        stem.truncate(5);
        stem
    })
}

/// Where a sentence has a text, not as a part of a longer word.
fn stands_in(text: &str, sentence: &str) -> Option<Range<usize>> {
    let is_of_word = |c: char| c.is_alphanumeric() || c == '_';
    let is_whole = |at: usize| !sentence[..at].ends_with(is_of_word) && !sentence[at + text.len()..].starts_with(is_of_word);
    sentence.match_indices(text).map(|(at, _)| at).find(|&at| is_whole(at)).map(|at| at..at + text.len())
}

/// How much a line to be inserted looks like this one: 0 to 4.
fn alike(new: &str, line: &str) -> usize {
    let line = line.trim();
    let same_start = new.chars().zip(line.chars()).take_while(|(a, b)| a == b).count().min(3);
    same_start + usize::from(new.chars().next_back() == line.chars().next_back())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_have_classes() {
        for (text, wanted) in [
            ("a b", "phrase"),
            ("1_000", "whole"),
            ("0.5", "decimal"),
            ("1.4.16", "version"),
            ("90s", "measure"),
            ("#e67e22", "color"),
            ("<=", "operator"),
            ("MAX_N", "capitals"),
            ("load", "small"),
            ("Load", "capital"),
            ("loadAll", "camel"),
            ("load_all", "snake"),
            ("x2y", "word"),
            ("a/b.c", "path"),
            ("a-b", "mixed"),
            ("\u{e9}", "word"),
            ("", "operator"),
        ] {
            assert_eq!(class(text), wanted, "{text}");
        }
    }

    #[test]
    fn a_text_stands_in_a_sentence_as_a_whole() {
        assert_eq!(stands_in("max", "the maximum, max"), Some(13..16));
        assert_eq!(stands_in("max", "the maximum"), None);
    }
}
