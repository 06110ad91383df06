use std::fs;
use std::io;
use std::path::Path;
use std::collections::BTreeMap;

/// Counts how often each word was misspelt in the class.
#[derive(Debug, Default)]
pub struct Mistakes {
    counts: BTreeMap<String, usize>,
}

impl Mistakes {
    pub fn add_file(&mut self, solution: &str, path: &Path) -> io::Result<()> {
        let text = fs::read_to_string(path)?;
        self.add(solution, &text);
        Ok(())
    }

    pub fn add(&mut self, solution: &str, text: &str) {
        let written = text.split_whitespace();
        for (right, given) in solution.split_whitespace().zip(written) {
            if trim(right) != trim(given) {
                *self.counts.entry(trim(right).to_string()).or_insert(0) += 1;
            }
        }
    }

    pub fn hardest(&self, count: usize) -> Vec<(&str, usize)> {
        let mut all: Vec<_> = self.counts.iter().map(|(word, n)| (word.as_str(), *n)).collect();
        all.sort_by(|a, b| b.1.cmp(&a.1));
        all.truncate(count);
        all
    }
}

fn trim(word: &str) -> &str {
    word.trim_matches(|c: char| !c.is_alphanumeric())
}
