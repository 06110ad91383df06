//! Where a change is: whether the definition around it, the lines that it stands under and beside are what the sentence speaks of,
//! and how much of what the file has of the sentence is found there or elsewhere.

use super::change::Change;
use super::features::{List, Sentence, class, marks, stands_in, stems, words};
use super::in_file::KEYWORDS;
use super::spots::tokens;
use crate::prompt::stems::is_stop_word;
use crate::text::{Shown, is_definition};
use rustc_hash::{FxHashMap, FxHashSet};

/// More words of a sentence tell nothing more; one bit each.
const MOST_WORDS: usize = 64;

/// What a sentence says of a place by number.
const ORDINALS: [&str; 11] = ["first", "second", "third", "fourth", "last", "top", "bottom", "end", "ends", "beginning", "start"];

/// Sees where the changes are that a sentence can mean in one text.
pub struct Surroundings<'s, 't> {
    lines: &'s [&'t str],
    /// The beginnings of the words of the sentence that the text has, too.
    said: Vec<String>,
    /// Words of the sentence that the text has just so.
    exact: Vec<&'s str>,
    /// The first word of [`ORDINALS`] that the sentence has.
    ordinal: &'static str,
    of_lines: Vec<OfLine>,
    /// Most of both that a line has with what it stands under.
    most: [u32; 2],
    by_text: FxHashMap<String, u64>,
    known: FxHashMap<Seen, List>,
}

/// Of a line which of these words it has, a bit each, and more.
#[derive(Clone, Copy)]
struct OfLine {
    line: u64,
    /// Those of the definition that it stands in, and of the lines that it stands under.
    above: u64,
    /// Both, of the words that it has just so.
    exact: u64,
    /// Where it is in the text and among the lines that are as deep as it is.
    position: &'static str,
    opens: bool,
    scope: &'static str,
    under: &'static str,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Seen {
    what: &'static str,
    opens: bool,
    scope: &'static str,
    under: &'static str,
    /// What it takes and brings.
    classes: [&'static str; 2],
    /// Words of the sentence that stand elsewhere in the file, of how many; that the line has; that only what is brought has; and
    /// how many more another line has.
    left: [u32; 2],
    in_line: u32,
    brought: u32,
    behind: u32,
    /// Words that it has not just so, of how many; and how many more another line has so.
    exact: [u32; 3],
    position: &'static str,
    ordinal: &'static str,
    /// Whether the lines beside it are spoken of.
    beside: [bool; 2],
    shape: Option<Shape>,
}

/// How a line of its own is like the one that it comes beside, and the next.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Shape {
    first: &'static str,
    last: &'static str,
    /// How many words and marks differ from that line; none if it has more or fewer.
    n_differing: Option<usize>,
}

impl<'s, 't> Surroundings<'s, 't> {
    /// Of a sentence's changes of these lines, which are all of the text.
    pub fn new(sentence: &'s Sentence<'t>, lines: &'s [&'t str]) -> Surroundings<'s, 't> {
        let shown = Shown::whole(sentence.text());
        let mut said: Vec<String> = words(sentence.task()).filter(|word| !is_stop_word(word)).flat_map(stems).collect();
        said.sort_unstable();
        said.dedup();
        let in_text: std::collections::HashSet<String> = stems(sentence.text()).collect();
        said.retain(|stem| in_text.contains(stem));
        said.truncate(MOST_WORDS);
        let of_text: FxHashSet<&str> = words(sentence.text()).collect();
        let mut exact: Vec<&str> = words(sentence.task()).filter(|word| word.len() > 1 && !is_stop_word(word)).collect();
        exact.retain(|word| of_text.contains(word));
        exact.sort_unstable();
        exact.dedup();
        exact.truncate(MOST_WORDS);
        let ordinal = ORDINALS.into_iter().find(|word| sentence.words.contains(*word)).unwrap_or("none");
        let scopes: Vec<Option<&str>> =
            (0..lines.len()).map(|idx| shown.windows.first().and_then(|window| window.scope(idx))).collect();
        let task = sentence.task();
        let how = |text: &str| {
            let telling = |word: &&str| word.len() > 2 && !is_stop_word(word) && !KEYWORDS.contains(word);
            if words(text).filter(telling).any(|word| stands_in(word, task).is_some()) {
                "exactly"
            } else if bits(&said, text) > 0 {
                "said"
            } else {
                "unsaid"
            }
        };
        let mut of_scopes: FxHashMap<&str, &'static str> = FxHashMap::default();
        for scope in scopes.iter().flatten() {
            of_scopes.entry(scope).or_insert_with(|| how(scope));
        }
        let is_another_meant = of_scopes.values().any(|how| *how == "exactly");
        let mut of_lines: Vec<OfLine> = Vec::with_capacity(lines.len());
        // The lines that the next one may stand under: indentation, words, how the sentence speaks of them.
        let mut open: Vec<(usize, [u64; 2], &'static str)> = Vec::new();
        let both = |text: &str| [bits(&said, text), bits_exactly(&exact, text)];
        for (idx, (line, scope)) in lines.iter().zip(&scopes).enumerate() {
            let indent = depth(line);
            let is_blank = line.trim().is_empty();
            if !is_blank {
                while open.last().is_some_and(|(other, ..)| *other >= indent) {
                    open.pop();
                }
            }
            let of_line = both(line);
            let of_scope = scope.map_or([0; 2], both);
            let above = open.iter().fold(of_scope, |[a, b], (_, [c, d], _)| [a | c, b | d]);
            let under = ["exactly", "said", "unsaid"].into_iter().find(|how| open.iter().any(|(.., other)| other == how));
            of_lines.push(OfLine {
                line: of_line[0],
                above: above[0],
                exact: of_line[1] | above[1],
                position: position(lines, idx),
                opens: is_definition(line),
                scope: match scope.map(|scope| of_scopes[scope]) {
                    None => "top",
                    Some("unsaid") if is_another_meant => "another",
                    Some(how) => how,
                },
                under: under.unwrap_or("top"),
            });
            if !is_blank {
                open.push((indent, of_line, how(line)));
            }
        }
        let most = |count: fn(&OfLine) -> u32| of_lines.iter().map(count).max().unwrap_or(0);
        let most = [most(|of| (of.line | of.above).count_ones()), most(|of| of.exact.count_ones())];
        let (by_text, known) = Default::default();
        Surroundings { lines, said, exact, ordinal, of_lines, most, by_text, known }
    }

    /// Of a change of a line that takes and brings this.
    pub fn of(&mut self, change: &Change, what: &'static str, idx: usize, taken: &str, brought: &str) -> List {
        let seen = self.seen(change, what, idx, taken, brought);
        self.known.entry(seen).or_insert_with(|| marks(seen.features())).clone()
    }

    fn seen(&mut self, change: &Change, what: &'static str, idx: usize, taken: &str, brought: &str) -> Seen {
        let OfLine { line, above, exact, position, opens, scope, under } = self.of_lines[idx];
        let new = match self.by_text.get(brought) {
            Some(known) => *known,
            None => *self.by_text.entry(brought.to_owned()).or_insert(bits(&self.said, brought)),
        };
        let is_spoken_of = |idx: Option<usize>| idx.and_then(|idx| self.of_lines.get(idx)).is_some_and(|of| of.line > 0);
        let (n_said, n_exact) = (self.said.len() as u32, self.exact.len() as u32);
        let classes = [taken, brought].map(|text| if text.is_empty() { "nothing" } else { class(text.trim()) });
        let shape = match change {
            Change::Before(new) => Some(self.shape(new, idx, idx.checked_sub(1))),
            Change::After(new) => Some(self.shape(new, idx, idx.checked_add(1))),
            _ => None,
        };
        Seen {
            what,
            opens,
            scope,
            under,
            classes,
            left: [(n_said - (line | above | new).count_ones()).min(5), n_said.min(6)],
            in_line: line.count_ones().min(4),
            brought: (new & !line & !above).count_ones().min(3),
            behind: (self.most[0] - (line | above).count_ones()).min(4),
            exact: [(n_exact - exact.count_ones()).min(4), n_exact.min(5), (self.most[1] - exact.count_ones()).min(3)],
            position,
            ordinal: self.ordinal,
            beside: [is_spoken_of(idx.checked_sub(1)), is_spoken_of(idx.checked_add(1))],
            shape,
        }
    }

    /// Of a new line that comes between two.
    fn shape(&self, new: &str, beside: usize, other: Option<usize>) -> Shape {
        let [beside, other] =
            [Some(beside), other].map(|idx| idx.and_then(|idx| self.lines.get(idx)).map_or("", |line| line.trim()));
        let which = |is_so: &dyn Fn(&str) -> bool| match (is_so(beside), is_so(other)) {
            (true, true) => "both",
            (true, false) => "this",
            (false, true) => "other",
            (false, false) => "none",
        };
        let first = |text: &str| tokens(text).next().map(|at| text[at].to_owned());
        let (of_new, of_beside): (Vec<&str>, Vec<&str>) =
            (tokens(new).map(|at| &new[at]).collect(), tokens(beside).map(|at| &beside[at]).collect());
        let differing = || of_new.iter().zip(&of_beside).filter(|(a, b)| a != b).count();
        Shape {
            first: which(&|line| first(line) == first(new)),
            last: which(&|line| line.chars().next_back() == new.chars().next_back()),
            n_differing: (of_new.len() == of_beside.len()).then(|| differing().min(4)),
        }
    }
}

impl Seen {
    fn features(&self) -> Vec<String> {
        let Seen {
            what,
            opens,
            scope,
            under,
            classes: [old, new],
            left: [left, of],
            in_line,
            brought,
            behind,
            position,
            ordinal,
            ..
        } = self;
        let [exact_left, exact_of, exact_behind] = self.exact;
        let mut features = vec![
            format!("left:{left} of {of}"),
            format!("in line:{in_line} behind {behind}"),
            format!("brought:{brought} left {left}"),
            format!("behind:{behind}"),
            format!("exact:{exact_left} of {exact_of}"),
            format!("exact behind:{exact_behind}"),
            format!("exact behind:{exact_behind} {behind} {scope}"),
            format!("position:{position} {ordinal}"),
            format!("scope:{opens} {scope}"),
            format!("under:{opens} {under}"),
            format!("scope and under:{scope} {under} {}", in_line.min(&2)),
            format!("opens:{opens} {old} {new}"),
            format!("beside:{} {} {}", self.beside[0], self.beside[1], *in_line > 0),
        ];
        if let Some(Shape { first, last, n_differing }) = self.shape {
            features.push(format!("first:{first}"));
            features.push(format!("last:{last}"));
            features.push(format!("shape:{first} {last}"));
            features.push(format!("differing:{}", n_differing.map_or("more or fewer".to_owned(), |n| n.to_string())));
        }
        features.into_iter().map(|feature| format!("around {what} {feature}")).collect()
    }
}

/// Which of these words a text has.
fn bits_exactly(exact: &[&str], text: &str) -> u64 {
    words(text).filter_map(|word| exact.binary_search(&word).ok()).fold(0, |all, bit| all | 1 << bit)
}

/// How far a line is indented.
fn depth(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

/// Whether a line is one of the first of the text or its last, or the first or last of those as deep as it is.
fn position(lines: &[&str], idx: usize) -> &'static str {
    let is_as_deep = |other: Option<usize>| {
        other
            .and_then(|other| lines.get(other))
            .is_some_and(|other| !other.trim().is_empty() && depth(other) == depth(lines[idx]))
    };
    match idx {
        0 => "first line",
        1 => "second line",
        2 => "third line",
        _ if lines[idx + 1..].iter().all(|line| line.trim().is_empty()) => "last line",
        _ => match (is_as_deep(idx.checked_sub(1)), is_as_deep(idx.checked_add(1))) {
            (false, false) => "alone",
            (false, true) => "first",
            (true, false) => "last",
            (true, true) => "between",
        },
    }
}

/// Which of these beginnings of words a text has.
fn bits(said: &[String], text: &str) -> u64 {
    stems(text).filter_map(|stem| said.binary_search(&stem).ok()).fold(0, |all, bit| all | 1 << bit)
}

#[cfg(test)]
mod tests {
    use super::*;

    const CODE: &str = "def load(path):\n    retries = 3\n    limit = 30\n\ndef save(path):\n    retries = 3\n";

    fn seen(task: &str, idx: usize, change: &Change, taken: &str, brought: &str) -> Seen {
        let lines: Vec<&str> = CODE.split('\n').collect();
        let sentence = Sentence::new(task, CODE);
        Surroundings::new(&sentence, &lines).seen(change, "what", idx, taken, brought)
    }

    #[test]
    fn the_definition_around_it_is_told_from_another() {
        let of = |idx| {
            let Seen { opens, scope, under, behind, .. } = seen("save() retries 5 times", idx, &Change::Delete, "", "");
            (opens, scope, under, behind)
        };
        assert_eq!(of(1), (false, "another", "unsaid", 1));
        assert_eq!(of(5), (false, "exactly", "exactly", 0));
        assert_eq!(of(4), (true, "exactly", "top", 1));
    }

    #[test]
    fn words_of_the_sentence_that_stand_elsewhere_are_counted() {
        let of = |idx, brought| {
            let Seen { left, in_line, brought, .. } = seen("retries up to the limit", idx, &Change::Delete, "3", brought);
            (left, in_line, brought)
        };
        assert_eq!(of(1, "5"), ([1, 2], 1, 0));
        assert_eq!(of(1, "limit"), ([0, 2], 1, 1));
        assert_eq!(of(0, ""), ([2, 2], 0, 0));
    }

    #[test]
    fn a_new_line_is_like_those_beside_it() {
        let of = |idx, change: &Change| seen("", idx, change, "", "").shape.expect("a line");
        let Shape { first, last, n_differing } = of(1, &Change::After("retries = 30".to_owned()));
        assert_eq!((first, last, n_differing), ("this", "other", Some(1)));
        assert_eq!(of(2, &Change::Before("retries".to_owned())).n_differing, None);
        assert!(seen("", 1, &Change::Delete, "", "").shape.is_none());
    }

    #[test]
    fn more_words_than_bits_do_no_harm() {
        let task: String = (0..100).map(|i| format!("w{}{} ", char::from(b'a' + i % 26), char::from(b'a' + i / 26))).collect();
        let lines = [task.as_str()];
        let sentence = Sentence::new(&task, &task);
        let mut surroundings = Surroundings::new(&sentence, &lines);
        assert_eq!(surroundings.seen(&Change::Delete, "delete", 0, &task, "").left, [0, 6]);
    }
}
