//! Names of the file that a sentence speaks of without naming them: "the engine is running" of `engine.isRunning`.

use super::features::words;
use super::named::{How, Named};
use crate::prompt::stems::parts;
use regex::Regex;
use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::sync::LazyLock;

/// So many of a file.
const MOST: usize = 4;

/// Names that name nothing.
#[rustfmt::skip]
pub const KEYWORDS: [&str; 30] = [
    "and", "catch", "class", "const", "def", "else", "end", "false", "for", "from", "function", "import", "let", "new", "not", "null",
    "or", "private", "public", "return", "self", "static", "then", "this", "true", "try", "use", "var", "when", "with",
];

/// A name with what is got from it.
static CHAIN: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"[A-Za-z_$@]\w*(?:(?:\.|->|::|\?\.)[A-Za-z_]\w*)*(?:\(\))?").expect("it is well formed"));

/// Those of which the sentence has every part of what is got, the most spoken of first; none that it names itself.
pub fn named_in_file(task: &str, text: &str, stems: impl Fn(&str) -> Option<String>, known: &[Named]) -> Vec<Named> {
    let said: HashMap<String, Range<usize>> = words(task)
        .flat_map(parts)
        .filter_map(|part| {
            let at = part.as_ptr() as usize - task.as_ptr() as usize;
            Some((stems(part)?, at..at + part.len()))
        })
        .collect();
    let mut seen = HashSet::new();
    let mut found: Vec<(usize, Named)> = Vec::new();
    for (order, name) in CHAIN.find_iter(text).map(|name| name.as_str()).enumerate() {
        if !seen.insert(name) || name.len() < 3 || name.len() > 40 || known.iter().any(|other| other.text == name) {
            continue;
        }
        let last = name.trim_end_matches("()").rsplit(['.', '>', ':']).next().unwrap_or_default();
        if KEYWORDS.contains(&last) {
            continue;
        }
        let of_last: Vec<Option<&Range<usize>>> = parts(last).filter_map(&stems).map(|stem| said.get(&stem)).collect();
        let Some(at) = of_last.first().copied().flatten().filter(|_| of_last.iter().all(Option::is_some)) else { continue };
        let n_spoken = parts(name).filter_map(&stems).filter(|stem| said.contains_key(stem)).count();
        found.push((n_spoken * 1_000 + 999 - order.min(999), Named { text: name.to_owned(), how: How::InFile, at: at.clone() }));
    }
    found.sort_by_key(|(score, _)| std::cmp::Reverse(*score));
    found.into_iter().take(MOST).map(|(_, named)| named).collect()
}
