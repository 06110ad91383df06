//! What a task asks for, and how often a text has it.

use super::words::{is_of_code, parts, quoted, stem, task_words};
use crate::text::ident::is_ident_char;
use fixedbitset::FixedBitSet;
use memchr::memmem::Finder;
use rustc_hash::FxHashMap;

/// The terms of a task: its words, which every form of them matches, and its names of code
/// (`max_rows`) and quoted texts, which only the same text matches.
pub struct Terms<'t> {
    /// As the task spells them, the words first.
    spelled: Vec<&'t str>,
    /// The words, by stem.
    words: FxHashMap<String, usize>,
    /// The first two bytes of the stems. Most words of a text need no look-up, and no stemming.
    beginnings: FixedBitSet,
    /// The names and quoted texts, in the order of their terms.
    verbatim: Vec<Finder<'t>>,
}

/// How often a text has each term of a task.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// By term.
    pub of_terms: Vec<usize>,
    /// The words of the text.
    pub n_words: usize,
}

impl<'t> Terms<'t> {
    /// The terms of a task, each once.
    pub fn of(task: &'t str) -> Terms<'t> {
        let mut spelled = Vec::new();
        let mut words = FxHashMap::default();
        let mut beginnings = FixedBitSet::with_capacity(1 << 16);
        for word in task_words(task) {
            let stem = stem(word);
            beginnings.insert(beginning(&stem));
            words.entry(stem).or_insert_with(|| {
                spelled.push(word);
                spelled.len() - 1
            });
        }

        let mut verbatim = quoted(task);
        let names = task.split(|c: char| !is_ident_char(c));
        verbatim.extend(names.filter(|word| is_of_code(word)));
        verbatim.sort_unstable();
        verbatim.dedup();
        spelled.extend(&verbatim);
        Terms {
            spelled,
            words,
            beginnings,
            verbatim: verbatim.into_iter().map(Finder::new).collect(),
        }
    }

    /// As the task spells them.
    pub fn spelled(&self) -> &[&'t str] {
        &self.spelled
    }

    /// Whether a term is a name or a quoted text, and not a word.
    pub fn is_verbatim(&self, term: usize) -> bool {
        term >= self.words.len()
    }

    /// Time: linear in the text.
    pub fn counts(&self, text: &str) -> Counts {
        let mut counts = Counts {
            of_terms: vec![0; self.spelled.len()],
            n_words: 0,
        };
        for part in parts(text) {
            counts.n_words += 1;
            if self.beginnings.contains(beginning(part))
                && let Some(&term) = self.words.get(&stem(part))
            {
                counts.of_terms[term] += 1;
            }
        }

        let of_verbatim = &mut counts.of_terms[self.words.len()..];
        for (wanted, count) in self.verbatim.iter().zip(of_verbatim) {
            let length = wanted.needle().len();
            for at in wanted.find_iter(text.as_bytes()) {
                *count += usize::from(is_cut(text, at) && is_cut(text, at + length));
            }
        }
        counts
    }
}

impl Counts {
    /// Adds those of another text.
    pub fn add(&mut self, other: &Counts) {
        self.n_words += other.n_words;
        for (sum, count) in self.of_terms.iter_mut().zip(&other.of_terms) {
            *sum += count;
        }
    }

    /// The terms that the text has.
    pub fn terms(&self) -> impl Iterator<Item = usize> {
        (0..self.of_terms.len()).filter(|&term| self.of_terms[term] > 0)
    }
}

/// Whether no name goes on from one side of an offset to the other.
fn is_cut(text: &str, at: usize) -> bool {
    !(text[..at].ends_with(is_ident_char) && text[at..].starts_with(is_ident_char))
}

/// The first two bytes, in lower case, as a number.
fn beginning(part: &str) -> usize {
    let mut bytes = part.bytes().map(|byte| byte.to_ascii_lowercase());
    let first = usize::from(bytes.next().unwrap_or(0));
    let second = usize::from(bytes.next().unwrap_or(0));
    (first << 8) | second
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terms_of_a_task_in_a_text() {
        let terms = Terms::of("Raise the timeouts: max_retries from 10 to 25, then a retry");
        assert_eq!(
            terms.spelled(),
            [
                "Raise",
                "timeouts",
                "max",
                "retries",
                "10",
                "25",
                "max_retries"
            ]
        );
        let found = |text: &str| terms.counts(text).of_terms;
        assert_eq!(found("readTimeout = 10"), [0, 1, 0, 0, 1, 0, 0]);
        assert_eq!(found("max_retries, MAX_RETRY"), [0, 0, 2, 2, 0, 0, 1]);
        assert_eq!(found("max_retries2 untimeout 100"), [0, 0, 1, 1, 0, 0, 0]);
        assert_eq!(terms.counts("a b, cD").n_words, 4);
        assert_eq!(
            terms.counts("a timeout of 10").terms().collect::<Vec<_>>(),
            [1, 4]
        );
        let quoted = Terms::of("say 'of the' here");
        assert_eq!(quoted.spelled(), ["say", "of the"]);
        assert_eq!(quoted.counts("of the, of then, OF THE").of_terms, [0, 1]);
        assert_eq!(Terms::of("what is this?").spelled(), [""; 0]);
    }
}
