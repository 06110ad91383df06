//! The stems of some lines, and which of them are related.

use super::words::{parts, stem, task_words};
use std::collections::HashMap;

/// Whether two different stems may be of related words ("expire" and "expiry", "auth" and
/// "author").
fn are_akin(of_task: &str, of_text: &str) -> bool {
    const SHORTEST: usize = 4;
    let is_word =
        |stem: &str| stem.len() >= SHORTEST && stem.bytes().all(|byte| byte.is_ascii_alphabetic());
    if !is_word(of_task) || !is_word(of_text) {
        return false;
    }
    let beginning = &of_task[..(of_task.len() - 2).max(SHORTEST)];
    of_text.starts_with(beginning)
        || (of_task.starts_with(of_text) && of_text.len() + 3 >= of_task.len())
}

/// The stems of some texts, numbered.
#[derive(Default)]
pub struct Stems<'t> {
    ids: HashMap<String, usize>,
    /// By part, as it is spelled: most parts occur many times.
    of_parts: HashMap<&'t str, usize>,
}

impl<'t> Stems<'t> {
    /// The stems of a text, each once, in ascending order.
    pub fn of(&mut self, line: &'t str) -> Vec<usize> {
        let mut found: Vec<usize> = parts(line)
            .map(|part| {
                *self.of_parts.entry(part).or_insert_with(|| {
                    let n_stems = self.ids.len();
                    *self.ids.entry(stem(part)).or_insert(n_stems)
                })
            })
            .collect();
        found.sort_unstable();
        found.dedup();
        found
    }

    /// The number of exactly this stem, if a text has it.
    pub fn exact(&self, stem: &str) -> Option<usize> {
        self.ids.get(stem).copied()
    }

    /// The number of the stem of a word, or the numbers of all related stems if no text has it. The
    /// flag says which: true for the stem itself.
    pub fn like(&self, word: &str) -> (Vec<usize>, bool) {
        match self.exact(word) {
            Some(id) => (vec![id], true),
            None => (
                self.ids
                    .iter()
                    .filter(|(other, _)| are_akin(word, other))
                    .map(|(_, &id)| id)
                    .collect(),
                false,
            ),
        }
    }
}

/// The stems of a task that may tell a place, each once.
pub fn task_stems(task: &str) -> Vec<String> {
    let mut stems: Vec<String> = task_words(task).map(stem).collect();
    stems.sort();
    stems.dedup();
    stems
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stems_akin() {
        for [a, b] in [
            ["expir", "expiry"],
            ["member", "membership"],
            ["initializ", "initial"],
        ] {
            assert!(are_akin(a, b), "{a} and {b}");
        }
        for [a, b] in [
            ["rat", "rate"],
            ["print", "price"],
            ["1000", "10000"],
            ["log", "logo"],
        ] {
            assert!(!are_akin(a, b), "{a} and {b}");
        }
    }
}
