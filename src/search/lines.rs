//! How much each line of a file matters for a task.
//!
//! A line gets a weight for every word of the task that it has. A word that few lines have counts
//! for more (inverse document frequency: Spärck Jones, 1972). A line weighs more if it has few
//! other words, if the task quotes text of it, and if it is inside a block whose heading the task
//! names. Words are compared by their stems.
//!
//! The weights are those of a softmax over the lines of a file: which of them does the edit change?
//! They were fitted to the hand-written edits in `models/training`.

use super::stems::{Stems, task_stems};
use super::words::{is_of_code, is_stop_word, quoted};
use crate::text::ident::{has_word, is_ident_char};
use crate::text::{Occurrence, Shown, place_labels};

/// Weight of a word of the task, divided by the number of lines that have it.
const FEW: f64 = 4.9;
/// Weight of the same word, multiplied by ln(1 + lines / lines that have it).
const RARE: f64 = 1.75;
/// Weight of a related word where no line has the word itself, divided by the number of lines that
/// have one.
const AKIN: f64 = 10.0;
/// Weight of a word that occurs as it is, not as a part of a name, divided by the number of lines
/// that have it.
const WHOLE: f64 = 3.4;
/// Weight of a name (`MAX_ROWS`, `readAll`) for the first line that has it: usually its definition.
const DEFINED: f64 = 4.0;
/// Weight of text that the task quotes, divided by the number of lines that have it.
const QUOTED: f64 = 4.7;
/// Weight of the words of the task that the line's headings have: see [`headings`].
const HEADED: f64 = 13.0;
/// Weight of the share of a line's words that the task has, 0 to 1.
const SHARE: f64 = 4.7;

/// A line that the task may be about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// The name of its place (see [`place_labels`]) if its text occurs more than once. Else the
    /// name of the definition it is in, if there is one.
    pub place: String,
    /// The line, with its indentation.
    pub text: String,
}

/// How many lines are wanted.
#[derive(Clone, Copy, Debug)]
pub struct Room {
    /// At most this many lines.
    pub lines: usize,
    /// At most this many bytes, with the names of their places.
    pub bytes: usize,
}

/// Whether the first and the last line of the file are wanted too. A task that says "at the top"
/// has no word of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ends {
    /// They come last.
    Include,
    /// They come only if they weigh more than 0.
    Skip,
}

/// The lines that the task is most likely about, best first, then the ends of the file if wanted.
pub fn most_relevant(task: &str, shown: &Shown, room: Room, ends: Ends) -> Vec<Line> {
    let mut places = Vec::new();
    let mut lines = Vec::new();
    let mut scopes = Vec::new();
    for (window_idx, window) in shown.windows.iter().enumerate() {
        let mut offset = 0;
        for (line_idx, line) in window.text.split('\n').enumerate() {
            if !line.trim().is_empty() && line.len() < room.bytes {
                places.push(Occurrence {
                    window: window_idx,
                    offset,
                });
                lines.push(line);
                scopes.push(window.scope(line_idx));
            }
            offset += line.len() + 1;
        }
    }

    let weights = weigh(task, &lines, &scopes);
    let mut chosen = lines_where(lines.len(), |i| weights[i] > 0.0);
    chosen.sort_by(|&a, &b| weights[b].total_cmp(&weights[a]).then(a.cmp(&b)));
    chosen.truncate(room.lines);
    if ends == Ends::Include
        && let Some(last) = lines.len().checked_sub(1)
    {
        for end in [0, last] {
            if !chosen.contains(&end) {
                chosen.push(end);
            }
        }
    }

    let labels = place_labels(shown, &places);
    let mut relevant = Vec::new();
    let mut n_left = room.bytes;
    for i in chosen {
        let n_bytes = labels[i].len() + lines[i].len() + "\t\n".len();
        if n_bytes > n_left {
            continue;
        }
        n_left -= n_bytes;
        let is_repeated = shown.occurrences(lines[i].trim()).len() > 1;
        relevant.push(Line {
            place: if is_repeated {
                labels[i].clone()
            } else {
                scopes[i].unwrap_or_default().to_owned()
            },
            text: lines[i].to_owned(),
        });
    }
    relevant
}

/// The weight of each line, 0 or more. `scopes` has the name of the definition that each line is
/// in, if there is one.
pub fn weigh(task: &str, lines: &[&str], scopes: &[Option<&str>]) -> Vec<f64> {
    let mut stems = Stems::default();
    let of_lines: Vec<Vec<usize>> = lines.iter().map(|line| stems.of(line)).collect();
    // What each line has of the task.
    let mut found = vec![Found::default(); lines.len()];
    for word in &task_stems(task) {
        let exact = stems.exact(word);
        let ids = exact.map_or_else(|| stems.akin(word), |id| vec![id]);
        let having = lines_where(lines.len(), |i| {
            ids.iter().any(|id| of_lines[i].binary_search(id).is_ok())
        });
        let few = 1.0 / having.len().max(1) as f64;
        for i in having {
            found[i].own += few;
            found[i].weight += if exact.is_some() {
                few * FEW + RARE * (1.0 + lines.len() as f64 * few).ln()
            } else {
                few * AKIN
            };
            found[i].n_words += usize::from(exact.is_some());
        }
    }
    let named = names(task);
    add_verbatim(&mut found, task, &named, lines);

    let above = headings(lines);
    let mut weights = Vec::with_capacity(lines.len());
    // By line: the most that the line or one of its headings has.
    let mut headed = vec![0.0_f64; lines.len()];
    for (i, line) in lines.iter().enumerate() {
        if line.trim().is_empty() {
            weights.push(0.0);
            continue;
        }
        let mut by_headings = above[i].map_or(0.0, |line_idx| headed[line_idx]);
        if scopes[i].is_some_and(|scope| named.contains(&scope)) {
            by_headings = by_headings.max(1.0);
        }
        headed[i] = found[i].own.max(by_headings);
        let share = found[i].n_words as f64 / of_lines[i].len().max(1) as f64;
        weights.push(found[i].weight + HEADED * by_headings + SHARE * share);
    }
    weights
}

/// What a line has of the task.
#[derive(Clone, Default)]
struct Found {
    weight: f64,
    /// The words of the task that it has, each divided by the number of lines that have it.
    own: f64,
    n_words: usize,
}

/// Adds the weights of the task's quoted texts and whole words, which are compared as they are.
fn add_verbatim(found: &mut [Found], task: &str, named: &[&str], lines: &[&str]) {
    for text in quoted(task) {
        let having = lines_where(lines.len(), |i| lines[i].contains(text));
        for i in &having {
            found[*i].weight += QUOTED / having.len() as f64;
        }
    }

    for word in named {
        let having = lines_where(lines.len(), |i| has_word(lines[i], word));
        if is_of_code(word) {
            if let Some(first) = having.first() {
                found[*first].weight += DEFINED;
            }
        } else if word.len() >= 3
            && !is_stop_word(word)
            && !word.bytes().all(|byte| byte.is_ascii_digit())
        {
            for i in &having {
                found[*i].weight += WHOLE / having.len() as f64;
            }
        }
    }
}

fn lines_where(n_lines: usize, is_wanted: impl Fn(usize) -> bool) -> Vec<usize> {
    (0..n_lines).filter(|i| is_wanted(*i)).collect()
}

/// The heading of each line, if it has one: the last line above it that is indented less.
fn headings(lines: &[&str]) -> Vec<Option<usize>> {
    // The indentation and the index of the lines that may be headings of the next one.
    let mut open: Vec<(usize, usize)> = Vec::new();
    let mut headings = Vec::with_capacity(lines.len());
    for (line_idx, line) in lines.iter().enumerate() {
        let indent = line.len() - line.trim_start().len();
        if indent == line.len() {
            headings.push(None);
            continue;
        }
        while open.last().is_some_and(|(other, _)| *other >= indent) {
            open.pop();
        }
        headings.push(open.last().map(|(_, line_idx)| *line_idx));
        open.push((indent, line_idx));
    }
    headings
}

/// The words and names of a task, each once.
fn names(task: &str) -> Vec<&str> {
    let mut names: Vec<&str> = task
        .split(|c: char| !is_ident_char(c))
        .filter(|name| !name.is_empty())
        .collect();
    names.sort_unstable();
    names.dedup();
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The lines with a weight above 0, the heaviest first.
    fn ranked<'t>(task: &str, text: &'t str) -> Vec<&'t str> {
        let lines: Vec<&str> = text.lines().collect();
        let weights = weigh(task, &lines, &vec![None; lines.len()]);
        let mut order: Vec<usize> = (0..lines.len()).filter(|&i| weights[i] > 0.0).collect();
        order.sort_by(|&a, &b| weights[b].total_cmp(&weights[a]));
        order.into_iter().map(|i| lines[i].trim()).collect()
    }

    const FILE: &str = "\
MAX_ENTRIES = 5

def load(path):
    timeout = 3
    return read(path)

def cancel(order):
    timeout = 3
    order.state = 'cancelled'
";

    #[track_caller]
    fn check(task: &str, text: &str, best: &str) {
        assert_eq!(ranked(task, text)[0], best, "{task}");
    }

    #[test]
    fn the_line_that_a_task_is_about() {
        check("an entry more: 6", FILE, "MAX_ENTRIES = 5"); // another form of the word
        check(
            "the state when it is cancelled",
            FILE,
            "order.state = 'cancelled'",
        );
        check("returning nothing", FILE, "return read(path)");
        check("say `read(path)` twice", FILE, "return read(path)"); // quoted
        check("path", "a path of many words in it\npath = 1\n", "path = 1"); // shorter
        check("band by default", "bandwidth = 1\nx = band\n", "x = band"); // a whole word
        // A name is first sought where it is defined.
        let first = "const MAX_DRIFT_MS: i64 = 1000;";
        let text = format!("{first}\nfn f(x: i64) {{\n    (x > MAX_DRIFT_MS).then_some(x)\n}}\n");
        check("MAX_DRIFT_MS: 2500", &text, first);
    }

    #[test]
    fn what_stands_below_a_line_named_weighs_more() {
        let lines: Vec<&str> = FILE.lines().collect();
        let task = "a timeout of 9 when cancelling";
        let weights = weigh(task, &lines, &vec![None; lines.len()]);
        assert!(weights[7] > weights[3], "{weights:?}");
        // Where the heading is not shown, its name is known.
        let lines = ["timeout = 3", "timeout = 3"];
        let weights = weigh(
            "timeout 9 in cancel",
            &lines,
            &[Some("load"), Some("cancel")],
        );
        assert!(weights[1] > weights[0], "{weights:?}");
    }

    #[test]
    fn lines_that_a_task_may_be_about() {
        let shown = Shown::whole(
            "def load(path):\n    limit = 3\n    return path\n\n\
             def save(path):\n    limit = 3\n    return path\n",
        );
        let found = |task: &str, lines: usize, ends: Ends| -> Vec<String> {
            let room = Room { lines, bytes: 400 };
            let found = most_relevant(task, &shown, room, ends).into_iter();
            found
                .map(|line| format!("{}: {}", line.place, line.text.trim()))
                .collect()
        };
        assert_eq!(
            found("in save, the limit is 5", 2, Ends::Skip),
            ["save: def save(path):", "save, line 6: limit = 3"]
        );
        assert_eq!(
            found("make `return path` a `return None`", 1, Ends::Skip),
            ["load, line 3: return path"]
        );
        assert_eq!(found("what is this?", 3, Ends::Skip), [""; 0]);
        assert_eq!(
            found("at the top", 3, Ends::Include),
            ["load: def load(path):", "save, line 7: return path"]
        );
    }

    #[test]
    fn nothing_known_weighs_nothing() {
        assert_eq!(ranked("what is this?", FILE), [""; 0]);
        assert_eq!(ranked("", FILE), [""; 0]);
        assert_eq!(weigh("timeout", &[], &[]), [0.0; 0]);
        assert_eq!(weigh("timeout", &["", "  "], &[None, None]), [0.0, 0.0]);
    }

    #[test]
    fn lines_that_stand_below_others() {
        let found = headings(&["a:", "  b:", "", "    c", "  d", "e"]);
        assert_eq!(found, [None, Some(0), None, Some(1), Some(0), None]);
    }
}
