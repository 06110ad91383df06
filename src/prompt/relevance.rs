//! Which lines and files a task is most likely about: which parts of a long file are shown, and what a small model is pointed to.

use super::hints::names_file;
pub use super::line_weights::{weigh, weigh_with_thesaurus};
use super::stems::{Stems, task_stems};
use crate::text::{Occurrence, Shown, place_labels};

/// A line that the task may be about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// What its place is called (see [`place_labels`]) if its text stands elsewhere too; else the definition it stands in,
    /// if any.
    pub place: String,
    /// The line, with its indentation.
    pub text: String,
}

/// How much of a file's lines is named after a task.
#[derive(Clone, Copy, Debug)]
pub struct Room {
    /// So many lines at most …
    pub lines: usize,
    /// … and so many bytes, with the names of their places.
    pub bytes: usize,
}

/// The lines of what is shown that the task is most likely about, best first, as many as there is room for. With `ends`,
/// then the first line and the last, of which no word tells ("at the top").
pub fn most_relevant(task: &str, shown: &Shown, room: Room, ends: bool) -> Vec<Line> {
    let mut all: Vec<(Occurrence, &str)> = Vec::new();
    let mut scopes: Vec<Option<&str>> = Vec::new();
    for (window_idx, window) in shown.windows.iter().enumerate() {
        let mut offset = 0;
        for (line_idx, line) in window.text.split('\n').enumerate() {
            if !line.trim().is_empty() && line.len() < room.bytes {
                all.push((Occurrence { window: window_idx, offset }, line));
                scopes.push(window.scope(line_idx));
            }
            offset += line.len() + 1;
        }
    }
    let labels = place_labels(shown, &all.iter().map(|(at, _)| *at).collect::<Vec<_>>());
    let weights = weigh(task, &all.iter().map(|(_, line)| *line).collect::<Vec<_>>(), &scopes);
    let mut chosen: Vec<usize> = (0..all.len()).filter(|&i| weights[i] > 0.0).collect();
    chosen.sort_by(|&a, &b| weights[b].total_cmp(&weights[a]).then(a.cmp(&b)));
    chosen.truncate(room.lines);
    if ends && let Some(last) = all.len().checked_sub(1) {
        for end in [0, last] {
            if !chosen.contains(&end) {
                chosen.push(end);
            }
        }
    }
    let mut spent = 0;
    chosen.retain(|&i| {
        let with_this = spent + labels[i].len() + all[i].1.len() + "\t\n".len();
        let fits = with_this <= room.bytes;
        spent = if fits { with_this } else { spent };
        fits
    });
    let place = |i: usize| {
        let several = shown.occurrences(all[i].1.trim()).len() > 1;
        if several { labels[i].clone() } else { scopes[i].unwrap_or_default().to_owned() }
    };
    chosen.into_iter().map(|i| Line { place: place(i), text: all[i].1.to_owned() }).collect()
}

/// What it counts that the task names a file: more than all else together.
const NAMED: f64 = 1_000.0;
/// Of a word of the task in a file's path, and of one in its text, divided by the number of files that have it there.
const IN_PATH: f64 = 12.0;
const IN_TEXT: f64 = 9.0;
/// Of a test: it speaks of all that the code does.
const TEST: f64 = -5.5;
/// Of the logarithm of a file's length in bytes: a long one has more words by chance.
const LENGTH: f64 = -4.0;

/// A weight for each of some files, paths with texts: its weightiest line, the task's words in its path and its text that few
/// other files have, whether it is a test, how long it is, and whether the task names it. Fitted as the weights of lines are.
pub fn weigh_files(task: &str, files: &[(&str, &str)]) -> Vec<f64> {
    let mut stems = Stems::default();
    let in_paths: Vec<Vec<usize>> = files.iter().map(|(path, _)| stems.of(path)).collect();
    let in_texts: Vec<Vec<usize>> = files.iter().map(|(_, text)| stems.of(text)).collect();
    let test_stems: Vec<usize> = TESTS.iter().filter_map(|word| stems.exact(word)).collect();
    let prior = |((path, text), in_path): (&(&str, &str), &Vec<usize>)| {
        let named = if names_file(task, path) { NAMED } else { 0.0 };
        let is_test = test_stems.iter().any(|id| in_path.contains(id));
        named + if is_test { TEST } else { 0.0 } + LENGTH * (text.len().max(1) as f64).ln()
    };
    let mut weights: Vec<f64> = files.iter().zip(&in_paths).map(prior).collect();
    for word in &task_stems(task) {
        for (of_files, weight) in [(&in_paths, IN_PATH), (&in_texts, IN_TEXT)] {
            let Some(id) = stems.exact(word) else { continue };
            let having: Vec<usize> = (0..files.len()).filter(|&i| of_files[i].binary_search(&id).is_ok()).collect();
            having.iter().for_each(|&i| weights[i] += weight / having.len() as f64);
        }
    }
    let lines: Vec<(usize, &str)> =
        files.iter().enumerate().flat_map(|(i, (_, text))| text.lines().map(move |line| (i, line))).collect();
    let by_line = weigh(task, &lines.iter().map(|(_, line)| *line).collect::<Vec<_>>(), &vec![None; lines.len()]);
    let mut best = vec![0.0_f64; files.len()];
    for ((file, _), weight) in lines.iter().zip(by_line) {
        best[*file] = best[*file].max(weight);
    }
    weights.iter().zip(best).map(|(weight, best)| weight + best).collect()
}

/// What paths of tests have.
const TESTS: [&str; 2] = ["test", "spec"];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_that_a_task_may_be_about() {
        let shown =
            Shown::whole("def load(path):\n    limit = 3\n    return path\n\ndef save(path):\n    limit = 3\n    return path\n");
        let found = |task: &str, most: usize| -> Vec<(String, String)> {
            most_relevant(task, &shown, Room { lines: most, bytes: 400 }, false)
                .into_iter()
                .map(|line| (line.place, line.text.trim().to_owned()))
                .collect()
        };
        let line = |place: &str, text: &str| (place.to_owned(), text.to_owned());
        assert_eq!(found("in save, the limit is 5", 2), [line("save", "def save(path):"), line("save, line 6", "limit = 3")]);
        assert_eq!(found("make `return path` a `return None`", 1), [line("load, line 3", "return path")]);
        assert_eq!(found("what is this?", 3), []);
        let ends: Vec<String> =
            most_relevant("at the top", &shown, Room { lines: 3, bytes: 400 }, true).into_iter().map(|line| line.place).collect();
        assert_eq!(ends, ["load", "save, line 7"]);
    }

    #[test]
    fn files_that_a_task_may_be_about() {
        let files = [
            ("src/main.py", "from config import limit\nprint(limit)\n"),
            ("src/settings.py", "limit = 3\nretry_delay = 2\n"),
            ("README.md", "The retry delay and the limit.\n"),
        ];
        let best = |task: &str| {
            let weights = weigh_files(task, &files);
            let i = (0..files.len()).max_by(|&a, &b| weights[a].total_cmp(&weights[b])).unwrap();
            files[i].0
        };
        assert_eq!(best("in README.md, the retry_delay"), "README.md", "named");
        assert_eq!(best("the retry_delay should be 5"), "src/settings.py", "a whole word that others have not");
        assert_eq!(best("the settings should have another limit"), "src/settings.py", "its path");
        assert_eq!(best("say 'and the limit' differently"), "README.md", "quoted text");
        assert_eq!(weigh_files("anything", &[]), [0.0; 0]);
        assert_eq!(best("what is this?"), "src/settings.py", "the shortest");
        let files = [("tests/limit.py", "x = f(limit)\n"), ("src/limits.py", "x = f(limit)\n")];
        let weights = weigh_files("the limit is lower", &files);
        assert!(weights[1] > weights[0], "{weights:?}");
        let weights = weigh_files("the limit in the test is lower", &files);
        assert!(weights[0] > weights[1], "{weights:?}");
    }
}
