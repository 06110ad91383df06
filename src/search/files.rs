//! How much each of some files matters for a task.
//!
//! The first look takes all files: [`weigh`] sums BM25 over a file's text, its path and its name.
//! The second, [`look_closely`], takes the best of them: it adds the definitions of a file, and its
//! best passage. An edit concerns a few lines, so that a file with the task's words in one place is
//! likelier than one where they are far apart.

use super::bm25;
use super::terms::{Counts, Terms};
use crate::text::Outline;

/// Weights of what a file's path, its name (once more) and its definitions have of the task. What
/// its text has weighs 1.
const IN_PATH: f64 = 2.0;
const IN_NAME: f64 = 2.0;
const IN_DEFINITIONS: f64 = 0.4;
/// Weight of the terms that the best passage has.
const IN_PASSAGE: f64 = 0.8;

/// Lines of a passage above and below its middle.
const AROUND: usize = 3;

/// A longer line is data or minified code. It would be a passage of everything.
const LONGEST_LINE: usize = 400;

/// The most words that tell a file apart.
const MOST_WORDS: usize = 4;

/// What a file has of a task.
pub struct FileCounts {
    path: Counts,
    name: Counts,
    text: Counts,
}

impl FileCounts {
    /// Time: linear in the text.
    pub fn of(terms: &Terms, path: &str, text: &str) -> FileCounts {
        let name = path.rsplit('/').next().unwrap_or(path);
        FileCounts {
            path: terms.counts(path),
            name: terms.counts(name),
            text: terms.counts(text),
        }
    }
}

/// How much a file matters.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Weight {
    /// By term.
    of_terms: Vec<f64>,
    passage: f64,
    /// By term: a definition that has it.
    definitions: Vec<Option<String>>,
}

impl Weight {
    /// All of it.
    pub fn total(&self) -> f64 {
        self.of_terms.iter().sum::<f64>() + self.passage
    }

    /// What tells the file apart, at most four words: the names and quoted texts of the task that
    /// it has, then for each of the heaviest words a definition that has it, or else the word.
    pub fn words(&self, terms: &Terms) -> Vec<String> {
        let having = (0..self.of_terms.len()).filter(|&term| self.of_terms[term] > 0.0);
        let mut order: Vec<usize> = having.collect();
        order.sort_by(|&a, &b| {
            let by_kind = terms.is_verbatim(b).cmp(&terms.is_verbatim(a));
            by_kind.then_with(|| self.of_terms[b].total_cmp(&self.of_terms[a]))
        });

        let mut words: Vec<String> = Vec::new();
        for term in order {
            let definition = self.definitions.get(term).cloned().flatten();
            let word = definition.unwrap_or_else(|| terms.spelled()[term].to_owned());
            // `process` says nothing beside `processItem`.
            if words.len() < MOST_WORDS && !words.iter().any(|other| other.contains(&word)) {
                words.push(word);
            }
        }
        words
    }
}

/// The weight of each file by its path and its words.
pub fn weigh(files: &[&FileCounts]) -> Vec<Weight> {
    let texts: Vec<&Counts> = files.iter().map(|file| &file.text).collect();
    let paths: Vec<&Counts> = files.iter().map(|file| &file.path).collect();
    let names: Vec<&Counts> = files.iter().map(|file| &file.name).collect();
    let n_terms = texts.first().map_or(0, |counts| counts.of_terms.len());
    let nothing = Weight {
        of_terms: vec![0.0; n_terms],
        ..Weight::default()
    };
    let mut weights = vec![nothing; files.len()];
    let mut all: Vec<&mut Weight> = weights.iter_mut().collect();
    for (counts, factor) in [(texts, 1.0), (paths, IN_PATH), (names, IN_NAME)] {
        add(&mut all, &counts, factor);
    }
    weights
}

fn add(weights: &mut [&mut Weight], counts: &[&Counts], factor: f64) {
    for (weight, of_terms) in weights.iter_mut().zip(bm25::weigh(counts)) {
        for (sum, of_term) in weight.of_terms.iter_mut().zip(of_terms) {
            *sum += factor * of_term;
        }
    }
}

/// How rare each term is in the texts of the files.
pub fn rarities(files: &[&FileCounts]) -> Vec<f64> {
    bm25::rarities(&files.iter().map(|file| &file.text).collect::<Vec<_>>())
}

/// Adds to the weights of some files what their definitions and their best passages have.
/// `rarities` are those of the terms in the texts of all files.
pub fn look_closely(weights: &mut [&mut Weight], terms: &Terms, texts: &[&str], rarities: &[f64]) {
    let mut definitions = Vec::with_capacity(texts.len());
    for (text, weight) in texts.iter().zip(weights.iter_mut()) {
        let outline = Outline::of(text);
        let mut of_definitions = terms.counts("");
        weight.definitions = vec![None; terms.spelled().len()];
        let mut of_lines = Vec::new();
        for (line_idx, line) in text.lines().enumerate() {
            let is_code = line.len() <= LONGEST_LINE;
            let of_line = terms.counts(if is_code { line } else { "" });
            if outline.opens(line_idx) {
                of_definitions.add(&of_line);
                // A heading of several words is no name.
                let name = outline.enclosing(line_idx).unwrap_or_default();
                if !name.contains(' ') {
                    for term in terms.counts(name).terms() {
                        weight.definitions[term].get_or_insert_with(|| name.to_owned());
                    }
                }
            }
            of_lines.push(of_line.terms().collect());
        }
        weight.passage = IN_PASSAGE * best_passage(&of_lines, rarities);
        definitions.push(of_definitions);
    }

    let definitions: Vec<&Counts> = definitions.iter().collect();
    add(weights, &definitions, IN_DEFINITIONS);
}

/// The most that a passage of `2 * AROUND + 1` lines has: the sum of the rarities of its terms.
/// `of_lines` has the terms of each line.
fn best_passage(of_lines: &[Vec<usize>], rarities: &[f64]) -> f64 {
    let mut counts = vec![0; rarities.len()];
    let mut best = 0.0_f64;
    for (i, entering) in of_lines.iter().enumerate() {
        entering.iter().for_each(|&term| counts[term] += 1);
        if let Some(leaving) = i.checked_sub(2 * AROUND + 1) {
            of_lines[leaving].iter().for_each(|&term| counts[term] -= 1);
        }
        if !entering.is_empty() {
            let having = counts.iter().zip(rarities).filter(|(count, _)| **count > 0);
            best = best.max(having.map(|(_, rarity)| rarity).sum());
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The files with their words, best first.
    fn ranked<'f>(task: &str, files: &[(&'f str, &str)]) -> Vec<(&'f str, Vec<String>)> {
        let terms = Terms::of(task);
        let counts = files.iter();
        let counts = counts.map(|(path, text)| FileCounts::of(&terms, path, text));
        let counts: Vec<FileCounts> = counts.collect();
        let counts: Vec<&FileCounts> = counts.iter().collect();
        let texts: Vec<&str> = files.iter().map(|(_, text)| *text).collect();
        let mut weights = weigh(&counts);
        let mut all: Vec<&mut Weight> = weights.iter_mut().collect();
        look_closely(&mut all, &terms, &texts, &rarities(&counts));
        let mut order: Vec<usize> = (0..files.len()).collect();
        order.sort_by(|&a, &b| weights[b].total().total_cmp(&weights[a].total()));
        let order = order.into_iter();
        order
            .map(|i| (files[i].0, weights[i].words(&terms)))
            .collect()
    }

    #[track_caller]
    fn check(task: &str, files: &[(&str, &str)], best: &str) {
        assert_eq!(ranked(task, files)[0].0, best, "{task}");
    }

    #[test]
    fn files_that_a_task_may_be_about() {
        let files = [
            ("src/main.py", "from config import limit\nprint(limit)\n"),
            ("src/settings.py", "limit = 3\nretry_delay = 2\n"),
            ("README.md", "The retry delay and the limit.\n"),
        ];
        check("in README.md, the retry_delay", &files, "README.md"); // named
        check("the retry_delay should be 5", &files, "src/settings.py"); // a name only it has
        check("the settings have another limit", &files, "src/settings.py"); // its path
        check("say 'and the limit' differently", &files, "README.md"); // quoted text
        assert_eq!(ranked("anything", &[]), []);
        let files = [
            ("src/limits.py", "x = f(limit)\n"),
            ("tests/limit.py", "x = f(limit)\n"),
        ];
        check("the limit in the test is lower", &files, "tests/limit.py");
        check("the limit is lower", &files, "src/limits.py"); // the first of equals
    }

    #[test]
    fn words_in_one_place_weigh_more() {
        let apart = format!("limit = 1\n{}delay = 2\n", "x = 3\n".repeat(2 * AROUND));
        let together = format!("limit = 1\ndelay = 2\n{}", "x = 3\n".repeat(2 * AROUND));
        let files = [("a.py", &*apart), ("b.py", &*together), ("c.py", "y = 4\n")];
        check("the limit of the delay", &files, "b.py");
        let rarities = [2.0, 1.0];
        assert_eq!(best_passage(&[vec![0], vec![], vec![1, 0]], &rarities), 3.0);
        let mut far = vec![vec![]; 2 * AROUND + 2];
        far[0] = vec![0];
        far[2 * AROUND + 1] = vec![1];
        assert_eq!(best_passage(&far, &rarities), 2.0);
        assert_eq!(best_passage(&[], &rarities), 0.0);
    }

    #[test]
    fn definitions_weigh_more_and_tell_a_file_apart() {
        let files = [
            ("a.py", "def f(x):\n    return read_timeout(x)\n"),
            ("b.py", "def read_timeout(x):\n    return f(x)\n"),
            ("c.py", "def g(x):\n    return f(x)\n"),
        ];
        let found = ranked("raise the timeouts", &files);
        assert_eq!(found[0], ("b.py", vec!["read_timeout".to_owned()]));
        assert_eq!(found[1], ("a.py", vec!["timeouts".to_owned()]));
        assert_eq!(found[2].1, [""; 0]);
        let text = "item = process(item, item)\nprocess_item(item)\n";
        let found = ranked(
            "rename process_item of the item",
            &[("a.py", text), ("b.py", "")],
        );
        assert_eq!(found[0].1, ["process_item"], "the name as a whole");
    }
}
