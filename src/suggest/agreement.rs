//! How well a change agrees with the whole of a sentence: whether it leaves out something that the sentence names, brings what
//! nobody spoke of, breaks a pair of brackets. Its own features are of one value or two; what becomes of the others, and of the
//! line, tells whether it is the one meant.

use super::change::Change;
use super::features::{List, Sentence, marks, stands_in, words};
use super::fluency::Fluency;
use super::in_file::KEYWORDS;
use super::spots::{is_of_word, tokens};
use super::surroundings::Surroundings;
use memchr::memmem::Finder;
use rustc_hash::{FxHashMap, FxHashSet};
use std::ops::Range;

/// Values that are hardly by chance where they are. More of them tell nothing more.
const MOST_VALUES: usize = 12;

/// What a sentence says of a line that another one comes beside.
#[rustfmt::skip]
const BESIDE: [&str; 21] = [
    "above", "below", "under", "underneath", "beneath", "after", "behind", "before", "following", "beside", "next", "between", "over",
    "ahead", "top", "bottom", "end", "start", "beginning", "first", "last",
];

/// It is one of so many words before one that the line has.
const MOST_BACK: usize = 4;

/// So many lines above and below a line may be of the same block.
const NEAR: usize = 8;

/// Sees the changes that a sentence can mean in one text.
pub struct Agreement<'s, 't> {
    sentence: &'s Sentence<'t>,
    lines: &'s [&'t str],
    /// What the sentence names exactly, and numbers.
    named: Vec<(&'s str, Finder<'s>)>,
    /// Words and marks that stand beside each other in the text.
    pairs: FxHashSet<(&'t str, &'t str)>,
    /// By line: what the sentence says of it.
    said_of: FxHashMap<usize, &'static str>,
    /// How many words of a text the sentence speaks of, and how many not.
    words_said: FxHashMap<String, [usize; 2]>,
    known: FxHashMap<Seen, List>,
    fluency: Fluency<'t>,
    surroundings: Surroundings<'s, 't>,
}

/// What there is to see of a change. Many changes look alike.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Seen {
    what: &'static str,
    values: Values,
    /// Of its words, how many the sentence speaks of, and how many not.
    new_words: [usize; 2],
    old_words: [usize; 2],
    /// Whether what it brings stands beside the same words and marks elsewhere, to its left and to its right.
    joints: [bool; 2],
    /// Whether the text has the line already.
    is_known: bool,
    /// Whether a line near it gives something to the same name.
    has_same_key: bool,
    /// What becomes of brackets and quotes.
    balance: &'static str,
    /// Whether what it takes and what it brings is what the sentence names, or a part of that.
    old_is: &'static str,
    new_is: &'static str,
    /// What the sentence says of the line.
    said_of_line: &'static str,
    is_keyword: bool,
}

/// What becomes of the values that the sentence names: how many of them the change brings, takes, leaves beside it, and has
/// nothing to do with.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
struct Values {
    brought: usize,
    taken: usize,
    kept: usize,
    left: usize,
}

/// A change as two texts.
struct Texts<'c> {
    what: &'static str,
    old: &'c str,
    new: &'c str,
    /// The line that a new one comes beside.
    beside: &'c str,
}

impl<'s, 't> Agreement<'s, 't> {
    /// Of a sentence's changes of these lines.
    pub fn new(sentence: &'s Sentence<'t>, lines: &'s [&'t str]) -> Agreement<'s, 't> {
        let is_number = |class: &str| matches!(class, "whole" | "decimal" | "measure" | "color" | "version");
        let mut named: Vec<&str> = Vec::new();
        for value in &sentence.values {
            let is_certain = value.is_exact() || is_number(value.class) && !value.is_weak();
            if is_certain && !named.iter().any(|other| other.contains(value.named.text.as_str())) {
                named.push(&value.named.text);
            }
        }
        named.truncate(MOST_VALUES);
        let named = named.into_iter().map(|value| (value, Finder::new(value))).collect();
        let all: Vec<&str> = tokens(sentence.text()).map(|at| &sentence.text()[at]).collect();
        let pairs = all.windows(2).map(|pair| (pair[0], pair[1])).collect();
        let (said_of, words_said, known) = Default::default();
        let (fluency, surroundings) = (Fluency::new(sentence.text()), Surroundings::new(sentence, lines));
        Agreement { sentence, lines, named, pairs, said_of, words_said, known, fluency, surroundings }
    }

    /// Of a change of a line: how it agrees with the sentence, reads, and is placed.
    pub fn of(&mut self, change: &Change, idx: usize) -> [List; 3] {
        let texts = Texts::of(change, self.lines[idx].trim());
        let Texts { what, old, new, beside } = texts;
        let (taken, brought) = differing(old, new);
        let seen = self.seen(&texts, idx, taken.clone(), brought.clone());
        let agrees = self.known.entry(seen).or_insert_with(|| marks(seen.features())).clone();
        let reads = self.fluency.of(what, new, &brought, if what == "replace" { old } else { beside });
        let around = self.surroundings.of(change, what, idx, &old[taken], &new[brought]);
        [agrees, reads, around]
    }

    fn seen(&mut self, texts: &Texts, idx: usize, taken: Range<usize>, brought: Range<usize>) -> Seen {
        let Texts { what, old, new, .. } = *texts;
        let joints = [(&new[..brought.start], &new[brought.start..]), (&new[..brought.end], &new[brought.end..])];
        let (sentence, lines) = (self.sentence, self.lines);
        let said_of_line = *self.said_of.entry(idx).or_insert_with(|| said_of(sentence.task(), lines[idx]));
        Seen {
            what,
            values: self.values(texts),
            new_words: self.words_said(&new[brought.clone()]),
            old_words: self.words_said(&old[taken.clone()]),
            joints: joints.map(|(left, right)| what == "replace" && self.is_joint(left, right)),
            is_known: matches!(what, "replace" | "before" | "after") && sentence.rows().contains(new),
            has_same_key: matches!(what, "before" | "after") && has_same_key(new, lines, idx),
            balance: balance(old, new),
            old_is: self.is_named(old, taken),
            new_is: self.is_named(new, brought),
            said_of_line,
            is_keyword: what == "everywhere" && KEYWORDS.contains(&old),
        }
    }

    fn values(&self, texts: &Texts) -> Values {
        let mut counts = Values::default();
        for (value, finder) in &self.named {
            let has = |text: &str| finder.find(text.as_bytes()).is_some() && stands_in(value, text).is_some();
            match (has(texts.old), has(texts.new)) {
                (false, true) => counts.brought += 1,
                (true, false) => counts.taken += 1,
                (true, true) => counts.kept += 1,
                (false, false) if has(texts.beside) => counts.kept += 1,
                (false, false) => counts.left += 1,
            }
        }
        let Values { brought, taken, kept, left } = counts;
        Values { brought: brought.min(3), taken: taken.min(3), kept: kept.min(2), left: left.min(3) }
    }

    fn words_said(&mut self, text: &str) -> [usize; 2] {
        if let Some(known) = self.words_said.get(text) {
            return *known;
        }
        let mut counts = [0, 0];
        for word in tokens(text).filter(|at| at.len() > 1).map(|at| &text[at]) {
            let is_said = self.sentence.words.contains(&word.to_lowercase()) || self.sentence.speaks_of(word);
            counts[usize::from(!is_said)] += 1;
        }
        let counts = counts.map(|n: usize| n.min(3));
        self.words_said.insert(text.to_owned(), counts);
        counts
    }

    /// Whether the text has the last of the one beside the first of the other.
    fn is_joint(&self, left: &str, right: &str) -> bool {
        let (left, right) = (left.trim_end(), right.trim_start());
        let last = left.len() - left.trim_end_matches(is_of_word).len();
        let next = right.len() - right.trim_start_matches(is_of_word).len();
        let one = |c: Option<char>| c.map_or(0, char::len_utf8);
        let last = if last > 0 { last } else { one(left.chars().next_back()) };
        let next = if next > 0 { next } else { one(right.chars().next()) };
        last == 0 || next == 0 || self.pairs.contains(&(&left[left.len() - last..], &right[..next]))
    }

    /// Whether a stretch of a text is what the sentence names.
    fn is_named(&self, text: &str, at: Range<usize>) -> &'static str {
        let part = &text[at.clone()];
        let covers = |(value, finder): &(&str, Finder)| {
            finder.find_iter(text.as_bytes()).any(|start| start <= at.start && at.end <= start + value.len())
        };
        if part.is_empty() {
            "nothing"
        } else if self.named.iter().any(|(value, _)| *value == part) {
            "whole"
        } else if self.named.iter().any(covers) {
            "part"
        } else if self.named.iter().any(|(_, finder)| finder.find(part.as_bytes()).is_some()) {
            "more"
        } else {
            "other"
        }
    }
}

impl<'c> Texts<'c> {
    fn of(change: &'c Change, line: &'c str) -> Texts<'c> {
        let (what, old, new, beside) = match change {
            Change::Replace(new) => ("replace", line, new.trim(), ""),
            Change::Before(new) => ("before", "", new.as_str(), line),
            Change::After(new) => ("after", "", new.as_str(), line),
            Change::Delete => ("delete", line, "", ""),
            Change::Everywhere { old, new } => ("everywhere", old.as_str(), new.as_str(), line),
        };
        Texts { what, old, new, beside }
    }
}

impl Seen {
    fn features(&self) -> Vec<String> {
        let Values { brought, taken, kept, left } = self.values;
        let ([new_said, new_unsaid], [old_said, old_unsaid]) = (self.new_words, self.old_words);
        [
            format!("left:{left} of {}", (brought + taken + kept + left).min(4)),
            format!("brought:{brought} taken {taken} left {left}"),
            format!("kept:{kept} brought {brought}"),
            format!("new said:{new_said} {new_unsaid}"),
            format!("old said:{old_said} {old_unsaid}"),
            format!("joint:{} {}", self.joints[0], self.joints[1]),
            format!("known:{} {}", self.is_known, self.has_same_key),
            format!("balance:{}", self.balance),
            format!("old is:{}", self.old_is),
            format!("new is:{}", self.new_is),
            format!("old and new:{} {}", self.old_is, self.new_is),
            format!("line:{}", self.said_of_line),
            format!("keyword:{}", self.is_keyword),
        ]
        .map(|feature| format!("agrees {} {feature}", self.what))
        .into()
    }
}

/// What a sentence says of a line: the nearest of the words of [`BESIDE`] to one that the line has.
fn said_of(task: &str, line: &str) -> &'static str {
    let all: Vec<String> = words(task).map(str::to_lowercase).collect();
    let of_line: Vec<String> = words(line).filter(|word| word.len() > 1).map(str::to_lowercase).collect();
    let mentions: Vec<usize> = (0..all.len()).filter(|&i| of_line.contains(&all[i])).collect();
    let beside = |&i: &usize| {
        let before = all[i.saturating_sub(MOST_BACK)..i].iter().rev().enumerate();
        before.filter_map(|(n, word)| BESIDE.into_iter().find(|other| other == word).map(|word| (n, word))).next()
    };
    let nearest = mentions.iter().filter_map(beside).min();
    nearest.map_or(if mentions.is_empty() { "unsaid" } else { "said" }, |(_, word)| word)
}

/// What of both differs, widened to whole words of both.
fn differing(old: &str, new: &str) -> (Range<usize>, Range<usize>) {
    let shorter = old.len().min(new.len());
    let start = old.bytes().zip(new.bytes()).take_while(|(a, b)| a == b).count();
    let end = old.bytes().rev().zip(new.bytes().rev()).take_while(|(a, b)| a == b).count().min(shorter - start);
    let is_within = |text: &str, at: usize| {
        !text.is_char_boundary(at) || text[..at].ends_with(is_of_word) && text[at..].starts_with(is_of_word)
    };
    let either = |at: [usize; 2]| is_within(old, at[0]) || is_within(new, at[1]);
    let start = (0..=start).rev().find(|&at| !either([at, at])).unwrap_or(0);
    let end = (0..=end.min(shorter - start)).rev().find(|&end| !either([old.len() - end, new.len() - end])).unwrap_or(0);
    (start..old.len() - end, start..new.len() - end)
}

/// Whether a line near this one gives something to the same name as a new one.
fn has_same_key(new: &str, lines: &[&str], idx: usize) -> bool {
    let near = &lines[idx.saturating_sub(NEAR)..(idx + NEAR).min(lines.len())];
    key_of(new).is_some_and(|key| near.iter().any(|other| key_of(other.trim()) == Some(key)))
}

/// What a line gives something to.
fn key_of(line: &str) -> Option<&str> {
    let key = line[..line.find([':', '='])?].trim_end();
    (!key.is_empty() && !key.contains(['(', '{', '['])).then_some(key)
}

/// Whether a text opens and closes what the other one does.
fn balance(old: &str, new: &str) -> &'static str {
    let count = |text: &str, mark: char| text.matches(mark).count() as i64;
    let is_odd = |mark: char| (count(old, mark) + count(new, mark)) % 2 != 0;
    let opened = |(open, close): (char, char)| count(new, open) - count(new, close) - count(old, open) + count(old, close);
    let opened = [('(', ')'), ('[', ']'), ('{', '}')].map(opened);
    if ['"', '`'].into_iter().any(is_odd) {
        "quotes"
    } else if opened.iter().any(|&n| n < 0) {
        "closed"
    } else if opened.iter().any(|&n| n > 0) {
        "opened"
    } else {
        "even"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(task: &str, text: &str, line: usize, change: &Change) -> Seen {
        let lines: Vec<&str> = text.split('\n').collect();
        let sentence = Sentence::new(task, text);
        let texts = Texts::of(change, lines[line].trim());
        let (taken, brought) = differing(texts.old, texts.new);
        Agreement::new(&sentence, &lines).seen(&texts, line, taken, brought)
    }

    #[test]
    fn what_becomes_of_the_values_is_seen() {
        let values = |change: &Change| {
            let Values { brought, taken, kept, left } =
                seen("`limit` is 5 instead of 3, `name` stays \"x\"", "limit = 3  # name\n", 0, change).values;
            (brought, taken, kept, left)
        };
        assert_eq!(values(&Change::Replace("limit = 5  # name".to_owned())), (1, 1, 2, 1));
        assert_eq!(values(&Change::Replace("limit = 3  # x".to_owned())), (1, 1, 2, 1));
        assert_eq!(values(&Change::After("5".to_owned())), (1, 0, 2, 1));
        assert_eq!(values(&Change::Delete), (0, 3, 0, 2));
    }

    #[test]
    fn a_part_of_what_is_named_is_told_from_the_whole() {
        let is_named = |new: &str| {
            let seen = seen("\"Go on\" should read \"Resume\"", "say(\"Go on\")", 0, &Change::Replace(new.to_owned()));
            (seen.old_is, seen.new_is)
        };
        assert_eq!(is_named("say(\"Resume\")"), ("whole", "whole"));
        assert_eq!(is_named("say(\"Resume on\")"), ("part", "whole"));
        assert_eq!(is_named("say(\"Resume\", \"Go on\")"), ("nothing", "more"));
        assert_eq!(is_named("talk(\"Go on\")"), ("other", "other"));
    }

    #[test]
    fn what_differs_is_whole_words() {
        let parts = |old: &'static str, new: &'static str| {
            let (a, b) = differing(old, new);
            (&old[a], &new[b])
        };
        assert_eq!(parts("max_n = 13;", "max_n = 15;"), ("13", "15"));
        assert_eq!(parts("f(a)", "f(a, b)"), ("", ", b"));
        assert_eq!(parts("aa", "a"), ("aa", "a"), "of both");
        assert_eq!(parts("x", ""), ("x", ""));
        assert_eq!(parts("\u{e9}", "\u{e8}"), ("\u{e9}", "\u{e8}"), "they have a byte in common");
    }

    #[test]
    fn brackets_and_quotes_are_counted() {
        for (old, new, wanted) in [
            ("f(a)", "f(a, [b])", "even"),
            ("f(a)", "f(a", "opened"),
            ("f(a)", "f(a))", "closed"),
            ("f(a)", "f(\"a)", "quotes"),
            ("\"\"\"", "\"", "even"),
            ("", "if (a) {", "opened"),
        ] {
            assert_eq!(balance(old, new), wanted, "{old} {new}");
        }
    }

    #[test]
    fn a_sentence_says_beside_which_line() {
        for (task, wanted) in [
            ("hold = 45 below label", "below"),
            ("above the line of label", "above"),
            ("the label is Court", "said"),
            ("above all that there may be, a label", "said"),
            ("something else", "unsaid"),
        ] {
            assert_eq!(said_of(task, "  label = 3"), wanted, "{task}");
        }
    }

    #[test]
    fn a_line_may_give_to_the_same_name() {
        let text = "{\n  night: 22,\n  day: 6,\n}";
        let has = |new: &str| seen("night: 23", text, 2, &Change::After(new.to_owned())).has_same_key;
        assert!(has("night: 23,"));
        assert!(!has("noon: 12,"));
        assert!(!has("night"));
    }
}
