//! The stems of some lines, and which of them are related.

use super::words::{parts, stem, task_words};
use std::collections::HashMap;

/// Whether two different stems may be of related words ("expire" and "expiry", "auth" and
/// "author").
fn are_akin(of_task: &str, of_text: &str) -> bool {
    const SHORTEST: usize = 4;
    for stem in [of_task, of_text] {
        if stem.len() < SHORTEST || !stem.bytes().all(|byte| byte.is_ascii_alphabetic()) {
            return false;
        }
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
        let mut found = Vec::new();
        for part in parts(line) {
            let n_stems = self.ids.len();
            let id = self.of_parts.entry(part);
            found.push(*id.or_insert_with(|| *self.ids.entry(stem(part)).or_insert(n_stems)));
        }
        found.sort_unstable();
        found.dedup();
        found
    }

    /// The number of exactly this stem, if a text has it.
    pub fn exact(&self, stem: &str) -> Option<usize> {
        self.ids.get(stem).copied()
    }

    /// The numbers of all stems that are related to this one.
    pub fn akin(&self, stem: &str) -> Vec<usize> {
        let akin = self.ids.iter().filter(|(other, _)| are_akin(stem, other));
        akin.map(|(_, id)| *id).collect()
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
