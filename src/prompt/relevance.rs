//! How much each line of a file matters for a task, and each file: which parts of a long file are shown, and which
//! lines and files a small model is pointed to.
//!
//! A line weighs as much as the words of the task in it that few other lines have (as inverse document frequency does
//! for documents: Sparck Jones, 1972), more if the task quotes text of it, and a little if it stands in a definition that
//! the task names.

use super::hints::{Searched, names_file, task_words};
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

/// What text that the task quotes counts, and that a line stands in a definition that it names.
const QUOTED: f64 = 20.0;
const IN_NAMED: f64 = 3.0;

/// What of a task a line has.
struct Found {
    /// By word: whether it stands there, and whether as a whole.
    words: Vec<Option<bool>>,
    /// By quoted text.
    quoted: Vec<bool>,
}

/// A weight for each of some lines, 0 or more; `scopes` are the names of the definitions they stand in.
pub fn weigh(task: &str, lines: &[&str], scopes: &[Option<&str>]) -> Vec<f64> {
    let words = task_words(task);
    let quoted = quoted(task);
    let find = |line: &&str| {
        let searched = Searched::new(line);
        Found {
            words: words.iter().map(|word| searched.finds(word)).collect(),
            quoted: quoted.iter().map(|text| line.contains(text)).collect(),
        }
    };
    let found: Vec<Found> = lines.iter().map(find).collect();
    let of_word = |i: usize| {
        let n_lines = found.iter().filter(|line| line.words[i].is_some()).count().max(1);
        words[i].text.len().min(12) as f64 / n_lines as f64
    };
    let of_quoted = |i: usize| QUOTED / found.iter().filter(|line| line.quoted[i]).count().max(1) as f64;
    let of_words: Vec<f64> = (0..words.len()).map(of_word).collect();
    let of_quoted: Vec<f64> = (0..quoted.len()).map(of_quoted).collect();
    let weight = |(line, scope): (&Found, &Option<&str>)| {
        let by_word =
            |(found, weight): (&Option<bool>, &f64)| found.map_or(0.0, |whole| if whole { 2.0 * weight } else { *weight });
        let by_words: f64 = line.words.iter().zip(&of_words).map(by_word).sum();
        let by_quotes: f64 = line.quoted.iter().zip(&of_quoted).map(|(has, weight)| if *has { *weight } else { 0.0 }).sum();
        let by_scope = if scope.is_some_and(|name| words.iter().any(|word| word.text == name)) { IN_NAMED } else { 0.0 };
        by_words + by_quotes + by_scope
    };
    found.iter().zip(scopes).map(weight).collect()
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

/// What it counts that the task names a file, more than all words together; and a word in a file's path.
const NAMED: f64 = 1_000.0;
const IN_PATH: f64 = 1.5;

/// A weight for each of some files, paths with texts: the task's words in it that few other files have, those in its
/// path, its weightiest line, and whether the task names it.
pub fn weigh_files(task: &str, files: &[(&str, &str)]) -> Vec<f64> {
    let words = task_words(task);
    let searched: Vec<(Searched, Searched)> =
        files.iter().map(|(path, text)| (Searched::new(path), Searched::new(text))).collect();
    let mut weights: Vec<f64> = files.iter().map(|(path, _)| if names_file(task, path) { NAMED } else { 0.0 }).collect();
    for word in &words {
        let found: Vec<(Option<bool>, Option<bool>)> =
            searched.iter().map(|(path, text)| (path.finds(word), text.finds(word))).collect();
        let n_paths = found.iter().filter(|(path, _)| path.is_some()).count().max(1);
        let n_texts = found.iter().filter(|(_, text)| text.is_some()).count().max(1);
        let length = word.text.len().min(12) as f64;
        let whole = |found: Option<bool>| found.map_or(0.0, |whole| if whole { 2.0 } else { 1.0 });
        for (weight, (path, text)) in weights.iter_mut().zip(found) {
            *weight += length * (IN_PATH * whole(path) / n_paths as f64 + whole(text) / n_texts as f64);
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

/// What stands in a task between two equal quotes, two characters or more.
fn quoted(task: &str) -> Vec<&str> {
    let mut found = Vec::new();
    for quote in ['`', '"', '\''] {
        let mut from = 0;
        while let Some(start) = task[from..].find(quote).map(|i| from + i + 1) {
            // An apostrophe stands behind a letter.
            if task[..start - 1].ends_with(char::is_alphanumeric) {
                from = start;
                continue;
            }
            let Some(end) = task[start..].find(quote).map(|i| start + i) else { break };
            if end - start >= 2 {
                found.push(&task[start..end]);
            }
            from = end + 1;
        }
    }
    found
}

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
        assert_eq!(weigh_files("what is this?", &files), [0.0; 3]);
    }

    #[test]
    fn what_a_task_quotes() {
        assert_eq!(quoted("don't say 'a b' but \"c\" or `x == y`, it's"), ["x == y", "a b"]);
        assert_eq!(quoted("an \"open one"), [""; 0]);
    }
}
