//! What can be seen of a change that a sentence may mean: of what is named, of the spot in the line, and of both together.
//!
//! A feature is a name that a change has or has not. Which of them tell anything is not decided here but by the weights.

use super::habits::Habits;
use super::in_file::named_in_file;
use super::named::{How, Named, named};
use super::pairs::pairs;
use super::spots::{Kind, Spot, is_of_word, spots};
use super::weights::Weights;
use crate::edit::whole_token_ranges;
use crate::prompt::hints::is_common;
use crate::prompt::stems::{is_stop_word, parts, stem};
use crate::prompt::thesaurus::Associated;
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::ops::Range;
use std::rc::Rc;

/// Names in lines behind these must be said as they are to be renamed.
const MOST_SPOKEN_OF: usize = 4;

/// Words before a value and behind it that may say which key it belongs to.
const NEAR_BEFORE: usize = 4;
const NEAR_BEHIND: usize = 3;

/// A longer task names more than it wants written, and what two of its values make of a line grows with their square.
const MOST_VALUES: usize = 120;

/// Features that belong together, which ways share.
pub type List = Rc<Marks>;

/// Names of features, and what they weigh together.
#[derive(Debug)]
pub struct Marks {
    /// In no order.
    pub names: Vec<String>,
    weight: f64,
}

impl Marks {
    /// What they weigh together.
    pub(super) fn weight(&self) -> f64 {
        self.weight
    }

    /// As a list, where what they weigh together is known.
    pub(super) fn weighed(names: Vec<String>, weight: f64) -> List {
        Rc::new(Marks { names, weight })
    }
}

/// These as a list.
pub(super) fn marks(names: Vec<String>) -> List {
    let weight = Weights::get().of(&names);
    Rc::new(Marks { names, weight })
}

/// The features of one way in which a sentence can mean a change.
#[derive(Clone, Debug)]
pub struct Features {
    of: Vec<List>,
    /// What can be seen of the change as a whole.
    of_change: Option<[List; 3]>,
    /// The logarithm of the probability that the search gives to the line.
    pub search: f64,
}

impl Features {
    /// Of these lists.
    pub(super) fn new(of: Vec<List>, search: f64) -> Features {
        Features { of, of_change: None, search }
    }

    /// With what can be seen of the change as a whole.
    pub(super) fn with_change(self, of_change: [List; 3]) -> Features {
        Features { of_change: Some(of_change), ..self }
    }

    /// The names, in lists that other ways share.
    pub fn lists(&self) -> impl Iterator<Item = &List> {
        self.of.iter().chain(self.of_change.iter().flatten())
    }

    /// The logarithm of how likely it is, compared with others.
    pub(super) fn weight(&self) -> f64 {
        self.lists().map(|list| list.weight).sum::<f64>() + Weights::get().search * self.search
    }
}

/// A task's sentence, and what it names.
pub struct Sentence<'t> {
    task: &'t str,
    /// The file's text.
    text: &'t str,
    /// In lower case, each once.
    pub(super) words: BTreeSet<String>,
    stems: BTreeSet<String>,
    pub(super) values: Vec<Value>,
    /// How the file writes things.
    pub(super) habits: Habits,
    /// The file's lines without the blanks around them.
    rows: HashSet<&'t str>,
    none: List,
    associated: Option<Associated>,
    with_words: RefCell<HashMap<String, List>>,
}

/// What a sentence names, as it is seen.
pub(super) struct Value {
    pub named: Named,
    pub class: &'static str,
    pub features: List,
    /// Beginnings of the words shortly before it, and shortly behind.
    pub stems_before: Vec<String>,
    pub stems_behind: Vec<String>,
}

/// A line of the file.
pub struct Line<'t> {
    /// All of the file.
    pub(super) lines: &'t [&'t str],
    /// Which it is, from 0.
    pub(super) idx: usize,
    pub(super) text: &'t str,
    pub(super) search: f64,
    pub(super) spots: Vec<SpotSeen<'t>>,
    pub(super) whole: List,
}

/// A stretch of a line, as it is seen.
pub(super) struct SpotSeen<'t> {
    pub spot: Spot,
    pub text: &'t str,
    pub class: &'static str,
    /// Where the sentence has its text too.
    pub in_sentence: Option<Range<usize>>,
    /// How often the file has this word: 0 if it is no name, or none that the sentence has or speaks of.
    pub n_in_file: usize,
    pub features: List,
    /// Beginnings of the word before it in the line.
    pub key_stems: Vec<String>,
}

impl<'t> Sentence<'t> {
    /// Of a task about a text.
    pub fn new(task: &'t str, text: &'t str) -> Sentence<'t> {
        let words: Vec<String> = words(task).map(str::to_lowercase).collect();
        let mut values = named(task);
        values.truncate(MOST_VALUES);
        let in_file = named_in_file(task, text, |part| stems(part).next(), &values);
        values.extend(in_file);
        values.extend(pairs(task, text));
        let n_quoted = values.iter().filter(|named| named.how == How::Quoted).count();
        let is_said = |named: &&Named| !matches!(named.how, How::Plain | How::InFile | How::Noun | How::Pair);
        let n_said = values.iter().filter(is_said).count();
        let mut none = vec!["none".to_owned(), format!("none quoted:{n_quoted}"), format!("none values:{}", n_said.min(6))];
        none.push(format!("none length:{}", (task.len() / 30).min(5)));
        none.extend(words.iter().collect::<BTreeSet<_>>().iter().map(|word| format!("none word:{word}")));
        none.extend(words.windows(2).map(|pair| format!("none words:{} {}", pair[0], pair[1])));
        let of_class = numbered(values.iter().map(|named| class(&named.text)));
        let values = values.into_iter().zip(of_class).map(|(named, nth)| Value::new(task, text, named, nth)).collect();
        let stems = stems(task).collect();
        let words = words.into_iter().collect();
        let associated = Associated::with(task);
        let (habits, rows) = (Habits::new(text), text.split('\n').map(str::trim).collect());
        Sentence { task, text, stems, words, values, habits, rows, none: marks(none), associated, with_words: RefCell::default() }
    }

    /// Of no change at all.
    pub fn none(&self) -> Features {
        Features::new(vec![self.none.clone()], 0.0)
    }

    /// The sentence itself.
    pub(super) fn task(&self) -> &'t str {
        self.task
    }

    /// The file's text.
    pub(super) fn text(&self) -> &'t str {
        self.text
    }

    /// The file's lines without the blanks around them.
    pub(super) fn rows(&self) -> &HashSet<&'t str> {
        &self.rows
    }

    /// Whether a word has a stem with the sentence in common.
    pub(super) fn speaks_of(&self, word: &str) -> bool {
        stems(word).any(|stem| self.stems.contains(&stem))
    }

    /// How well words go with the sentence by the thesaurus, rounded.
    fn associated(&self, text: &str) -> i64 {
        let Some(associated) = &self.associated else { return 0 };
        let weight: f64 = parts(text).map(|part| associated.stem(&stem(part))).sum();
        (weight.round() as i64).clamp(-3, 5)
    }

    /// A feature, and it with each word of the sentence.
    pub(super) fn with_each_word(&self, name: &str) -> List {
        let mut known = self.with_words.borrow_mut();
        if let Some(list) = known.get(name) {
            return list.clone();
        }
        let with = self.words.iter().map(|word| format!("{name} word:{word}"));
        let list = marks([name.to_owned()].into_iter().chain(with).collect());
        known.insert(name.to_owned(), List::clone(&list));
        list
    }
}

impl Value {
    /// Whether the sentence writes it as it is to be written.
    pub(super) fn is_exact(&self) -> bool {
        matches!(self.named.how, How::Quoted | How::Code)
            || self.named.how == How::Word && matches!(self.class, "mixed" | "path" | "capitals" | "snake" | "camel")
    }

    /// Whether it is only meant in some ways: the sentence mostly means something else by it.
    pub(super) fn is_weak(&self) -> bool {
        matches!(self.named.how, How::Plain | How::Rest | How::Noun | How::Pair)
    }

    fn new(task: &str, text: &str, named: Named, (nth, n_of_class): (usize, usize)) -> Value {
        let class = class(&named.text);
        let (before, after) = (&task[..named.at.start], &task[named.at.end..]);
        let stems_before = words(before).rev().take(NEAR_BEFORE).flat_map(stems).collect();
        let stems_behind = words(after).take(NEAR_BEHIND).flat_map(stems).collect();
        let last = words(before).last().map_or_else(|| "^".to_owned(), str::to_lowercase);
        let last_two = words(before).rev().take(2).collect::<Vec<_>>().join(" ").to_lowercase();
        let next = words(after).next().map_or_else(|| "$".to_owned(), str::to_lowercase);
        let how = format!("{:?}", named.how);
        let features = vec![
            format!("how:{how} {class}"),
            format!("how:{how}"),
            format!("class:{class}"),
            format!("of its class:{}", n_of_class.min(3)),
            format!("behind:{last}"),
            format!("last two:{last_two}"),
            format!("before:{next}"),
            format!("in file:{} {class}", text.matches(&named.text).count().min(2)),
            format!("sides:{how} {} {}", side(words(before).last(), text), side(words(after).next(), text)),
            format!("ends:{how} {} {}", side(words(&named.text).next(), text), side(words(&named.text).last(), text)),
            format!("which of its class:{} {} {class}", nth.min(3), n_of_class.min(3)),
        ];
        Value { named, class, features: marks(features), stems_before, stems_behind }
    }
}

/// Of each class in a row: which of its kind it is, from 1, and how many of these there are.
fn numbered(classes: impl Iterator<Item = &'static str> + Clone) -> Vec<(usize, usize)> {
    let mut n_of_class: BTreeMap<&str, usize> = BTreeMap::new();
    let nth = |class| {
        let n = n_of_class.entry(class).or_default();
        *n += 1;
        *n
    };
    let nth: Vec<usize> = classes.clone().map(nth).collect();
    nth.into_iter().zip(classes.map(|class| n_of_class[class])).collect()
}

/// What kind of word stands beside a value in a sentence.
fn side(word: Option<&str>, text: &str) -> &'static str {
    match word {
        None => "edge",
        Some(word) if is_stop_word(word) => "stop",
        Some(word) if text.contains(word) => "in file",
        Some(word) if is_common(word) => "common",
        Some(_) => "other",
    }
}

impl<'t> Line<'t> {
    /// The line that the search has in this place, with the logarithm of the probability it gives it.
    pub fn new(sentence: &Sentence, lines: &'t [&'t str], idx: usize, rank: usize, search: f64) -> Line<'t> {
        let text = lines[idx];
        let found = spots(text);
        let of_class = numbered(found.iter().map(|spot| class(&text[spot.at.clone()])));
        let spots = found.into_iter().zip(of_class).map(|(spot, nth)| SpotSeen::new(sentence, text, spot, rank, nth)).collect();
        let first = text.trim_start().split(|c: char| c.is_whitespace() || c == '(').next().unwrap_or_default();
        let whole = vec![
            format!("line first:{first}"),
            format!("line rank:{rank}"),
            format!("line spoken of:{}", sentence.speaks_of(text)),
        ];
        Line { lines, idx, text, search, spots, whole: marks(whole) }
    }

    /// It with something else there.
    pub(super) fn with(&self, at: &Range<usize>, new: &str) -> String {
        format!("{}{new}{}", &self.text[..at.start], &self.text[at.end..])
    }
}

impl<'t> SpotSeen<'t> {
    fn new(sentence: &Sentence, line: &'t str, spot: Spot, rank: usize, (nth, n_of_class): (usize, usize)) -> SpotSeen<'t> {
        let text = &line[spot.at.clone()];
        let (class, kind) = (class(text), format!("{:?}", spot.kind));
        let in_sentence = (spot.kind != Kind::Operator).then(|| stands_in(text, sentence.task)).flatten();
        let is_spoken_of = in_sentence.is_some() || rank < MOST_SPOKEN_OF && sentence.speaks_of(text);
        let n_in_file = if spot.kind == Kind::Word && is_name(text) && is_spoken_of {
            whole_token_ranges(sentence.text, text).len()
        } else {
            0
        };
        let last_word = words(&line[..spot.at.start]).last();
        let key = last_word.is_some_and(|key| sentence.speaks_of(key));
        let key_stems: Vec<String> = last_word.into_iter().flat_map(stems).collect();
        let associated = |text: &str| sentence.associated(text);
        let mark = line[..spot.at.start].trim_end().chars().next_back().unwrap_or('^');
        let is_last = !line[spot.at.end..].contains(|c: char| c.is_alphanumeric() || c == '_');
        let mut features = vec![
            format!("rank:{}", rank.min(16)),
            format!("kind:{kind}"),
            format!("kind:{kind} {class}"),
            format!("was:{class}"),
            format!("said:{} {class}", in_sentence.is_some()),
            format!("spoken of:{} {class}", sentence.speaks_of(text)),
            format!("key spoken of:{key} {class}"),
            format!("mark:{mark}"),
            format!("last:{is_last}"),
            format!("like it:{} {class}", n_of_class.min(3)),
            format!("text:{text}"),
            format!("nth like it:{} {} {class}", nth.min(3), n_of_class.min(3)),
            format!("key:{}", last_word.unwrap_or("^")),
            format!("key goes with it:{} {class}", associated(last_word.unwrap_or_default())),
            format!("goes with it:{} {class}", associated(text)),
        ];
        if let Some(at) = &in_sentence {
            features.push(format!("said:{}", in_sentence.is_some()));
            features.push(format!("often:{} {class}", n_in_file.min(3)));
            let last = words(&sentence.task[..at.start]).last().map_or_else(|| "^".to_owned(), str::to_lowercase);
            let next = words(&sentence.task[at.end..]).next().map_or_else(|| "$".to_owned(), str::to_lowercase);
            features.push(format!("said behind:{last}"));
            features.push(format!("said before:{next}"));
        }
        SpotSeen { spot, text, class, in_sentence, n_in_file, features: marks(features), key_stems }
    }
}

/// Whether it can be the name of something in code.
pub(super) fn is_name(text: &str) -> bool {
    text.starts_with(|c: char| c.is_alphabetic() || c == '_') && text.chars().all(|c| c.is_alphanumeric() || c == '_')
}

/// What kind of text it is.
pub(super) fn class(text: &str) -> &'static str {
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
pub(super) fn words(text: &str) -> impl DoubleEndedIterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric() && !matches!(c, '_' | '\'')).filter(|word| !word.is_empty())
}

/// The beginnings of the words of three letters or more, and of the parts of names.
pub(super) fn stems(text: &str) -> impl Iterator<Item = String> {
    parts(text).filter(|part| part.len() > 2 && part.starts_with(|c: char| c.is_ascii_alphabetic())).map(|part| {
        let mut stem = part.to_ascii_lowercase();
        stem.truncate(5);
        stem
    })
}

/// Where a sentence has a text, not as a part of a longer word.
pub(super) fn stands_in(text: &str, sentence: &str) -> Option<Range<usize>> {
    let is_whole = |at: usize| !sentence[..at].ends_with(is_of_word) && !sentence[at + text.len()..].starts_with(is_of_word);
    sentence.match_indices(text).map(|(at, _)| at).find(|&at| is_whole(at)).map(|at| at..at + text.len())
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
