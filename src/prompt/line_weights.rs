//! How much each line of a file matters for a task.
//!
//! A line weighs as much as the words of the task in it that few other lines have (as inverse document frequency does for
//! documents: Sparck Jones, 1972), more if little else stands in it, if the task quotes text of it, and if it stands below a line
//! that the task is about: in a function that it names. Words are compared by their stems.
//!
//! The weights are those of a softmax over a file's lines (which of them does the edit change?), fitted to the hand-written edits of
//! `models/recipe` but for some projects; `examples/search_hits.rs` says how often the right line comes first.

use super::stems::{Stems, task_stems};

/// Of a word of the task, divided by the number of lines that have it.
const FEW: f64 = 6.3;
/// Of the same, multiplied by the logarithm of what share of the lines have it.
const RARE: f64 = 1.9;
/// Of a word that stands nowhere, for a word akin to it, divided by the number of lines that have one.
const AKIN: f64 = 11.5;
/// Of quoted text, divided by the number of lines that have it.
const QUOTED: f64 = 5.6;
/// Of what a line's heading has of the task: see [`headings`].
const HEADED: f64 = 13.0;
/// Of the share of a line's words that the task has.
const SHARE: f64 = 4.8;

/// A weight for each of some lines, 0 or more, in the order in which they stand; `scopes` are the names of the definitions they
/// stand in.
pub fn weigh(task: &str, lines: &[&str], scopes: &[Option<&str>]) -> Vec<f64> {
    let mut stems = Stems::default();
    let of_lines: Vec<Vec<usize>> = lines.iter().map(|line| stems.of(line)).collect();
    // What the lines have of the task: of each, whatever it weighs.
    let mut found = vec![Found::default(); lines.len()];
    for word in &task_stems(task) {
        let (ids, is_exact) = stems.like(word);
        let has = |line: &Vec<usize>| ids.iter().any(|id| line.binary_search(id).is_ok());
        let having: Vec<usize> = (0..lines.len()).filter(|&i| has(&of_lines[i])).collect();
        let few = 1.0 / having.len().max(1) as f64;
        for i in having.iter().copied() {
            found[i].own += few;
            found[i].weight += match is_exact {
                true => few * FEW + RARE * (1.0 + lines.len() as f64 * few).ln(),
                false => few * AKIN,
            };
            found[i].n_words += usize::from(is_exact);
        }
    }
    for text in quoted(task) {
        let having: Vec<usize> = (0..lines.len()).filter(|&i| lines[i].contains(text)).collect();
        for i in having.iter().copied() {
            found[i].weight += QUOTED / having.len() as f64;
        }
    }
    let named: Vec<&str> = task.split(|c: char| !c.is_alphanumeric() && c != '_').collect();
    let above = headings(lines);
    let weight = |i: usize| {
        if lines[i].trim().is_empty() {
            return 0.0;
        }
        let in_named = if scopes[i].is_some_and(|scope| named.contains(&scope)) { 1.0 } else { 0.0 };
        let headed = above[i].iter().map(|&line_idx| found[line_idx].own).fold(in_named, f64::max);
        let share = found[i].n_words as f64 / of_lines[i].len().max(1) as f64;
        found[i].weight + HEADED * headed + SHARE * share
    };
    (0..lines.len()).map(weight).collect()
}

/// What a line has of the task.
#[derive(Clone, Default)]
struct Found {
    weight: f64,
    /// Of its words, each divided by the number of lines that have it.
    own: f64,
    n_words: usize,
}

/// For each line the lines above it that it stands below: the last one that is indented less, the last one above that one
/// indented still less, and so on.
fn headings(lines: &[&str]) -> Vec<Vec<usize>> {
    let mut open: Vec<(usize, usize)> = Vec::new();
    let above = |(i, line): (usize, &&str)| {
        let indent = line.len() - line.trim_start().len();
        if indent == line.len() {
            return Vec::new();
        }
        while open.last().is_some_and(|(other, _)| *other >= indent) {
            open.pop();
        }
        let above = open.iter().map(|(_, line_idx)| *line_idx).collect();
        open.push((indent, i));
        above
    };
    lines.iter().enumerate().map(above).collect()
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

    /// The lines of a text from the weightiest one on, of those that weigh anything.
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

    #[test]
    fn other_forms_of_a_word_are_found() {
        assert_eq!(ranked("an entry more: 6", FILE)[0], "MAX_ENTRIES = 5");
        assert_eq!(ranked("the state when it is cancelled", FILE)[0], "order.state = 'cancelled'");
        assert_eq!(ranked("returning nothing", FILE)[..1], ["return read(path)"]);
    }

    #[test]
    fn what_stands_below_a_line_named_weighs_more() {
        let lines: Vec<&str> = FILE.lines().collect();
        let weights = weigh("a timeout of 9 when cancelling", &lines, &vec![None; lines.len()]);
        assert!(weights[7] > weights[3], "{weights:?}");
        // Where the line that says so is not shown, its name is known.
        let weights = weigh("timeout 9 in cancel", &["timeout = 3", "timeout = 3"], &[Some("load"), Some("cancel")]);
        assert!(weights[1] > weights[0], "{weights:?}");
    }

    #[test]
    fn quoted_text_and_short_lines_weigh_more() {
        assert_eq!(ranked("say `read(path)` twice", FILE)[0], "return read(path)");
        assert_eq!(ranked("path", "a path of many words in it\npath = 1\n")[0], "path = 1");
    }

    #[test]
    fn nothing_known_weighs_nothing() {
        assert_eq!(ranked("what is this?", FILE), [""; 0]);
        assert_eq!(ranked("", FILE), [""; 0]);
        assert_eq!(weigh("timeout", &[], &[]), [0.0; 0]);
        assert_eq!(weigh("timeout", &["", "  "], &[None, None]), [0.0, 0.0]);
    }

    #[test]
    fn what_a_task_quotes() {
        assert_eq!(quoted("don't say 'a b' but \"c\" or `x == y`, it's"), ["x == y", "a b"]);
        assert_eq!(quoted("an \"open one"), [""; 0]);
    }

    #[test]
    fn lines_that_stand_below_others() {
        let found = headings(&["a:", "  b:", "", "    c", "  d", "e"]);
        assert_eq!(found, [vec![], vec![0], vec![], vec![0, 1], vec![0], vec![]]);
    }
}
