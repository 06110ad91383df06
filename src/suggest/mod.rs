//! Edits that the program makes out of a task's own words, with how likely each is: what the sentence names (`90`, `"POST"`, a
//! name) put where something of that kind stands, in the lines that the search finds first.
//!
//! A small model finds many a place and then copies its line; what to put there stands in the sentence. So the program makes the
//! few hundred edits that could be meant and weighs them by a log-linear model over features of sentence, line and change, as
//! semantic parsers rank what a grammar generates (Zettlemoyer & Collins, 2005). Its weights are a table that is read by people
//! too, `models/suggestions.tsv`, fitted to hand-written edits by `models/recipe/suggestions.py`. A suggestion is no edit yet: the
//! model is asked how likely it finds it ([`crate::flow`]).

mod change;
mod features;
mod named;
mod spots;
mod weights;

pub use change::Change;

use crate::prompt::relevance::weigh;
use crate::text::Shown;
pub use features::Features;
use features::Sentence;
use std::collections::HashMap;
use weights::Weights;

/// An edit of one line, and how likely it is that the task means it.
#[derive(Clone, Debug, PartialEq)]
pub struct Suggestion {
    /// Which line, from 0.
    pub line: usize,
    /// What becomes of it.
    pub change: Change,
    /// 0 to 1. That of all suggestions and of none of them is 1 together.
    pub probability: f64,
}

/// A change that a task may mean, as the weights see it.
#[derive(Clone, Debug)]
pub struct Candidate {
    /// Which line, from 0.
    pub line: usize,
    /// What becomes of it.
    pub change: Change,
    /// The ways in which the sentence can mean it.
    pub ways: Vec<Features>,
}

/// All changes that a task may mean.
#[derive(Clone, Debug)]
pub struct Candidates {
    /// None of them.
    pub none: Features,
    /// In the order of their lines' weights.
    pub all: Vec<Candidate>,
}

/// Lines that are looked at: those the search finds first.
const MOST_LINES: usize = 6;

/// Longer lines are left alone: a model would have to copy them. In bytes.
const LONGEST_LINE: usize = 160;

/// The likeliest edits of a text, best first.
pub fn suggest(task: &str, text: &str) -> Vec<Suggestion> {
    let Candidates { none, all } = candidates(task, text);
    let weights = Weights::get();
    let scores: Vec<f64> = all.iter().map(|candidate| log_sum(candidate.ways.iter().map(|way| weights.score(way)))).collect();
    let total = log_sum(scores.iter().copied().chain([weights.score(&none)]));
    let mut suggestions: Vec<Suggestion> = all
        .into_iter()
        .zip(scores)
        .map(|(Candidate { line, change, .. }, score)| Suggestion { line, change, probability: (score - total).exp() })
        .collect();
    suggestions.sort_by(|a, b| b.probability.total_cmp(&a.probability));
    suggestions
}

/// Every edit that could be meant.
pub fn candidates(task: &str, text: &str) -> Candidates {
    let sentence = Sentence::new(task, text);
    let lines: Vec<&str> = text.split('\n').collect();
    let shown = Shown::whole(text);
    let scope = |line_idx| shown.windows.first().and_then(|window| window.scope(line_idx));
    let weights = weigh(task, &lines, &(0..lines.len()).map(scope).collect::<Vec<_>>());
    let total = log_sum(weights.iter().copied());
    let mut order: Vec<usize> =
        (0..lines.len()).filter(|&i| !lines[i].trim().is_empty() && lines[i].len() <= LONGEST_LINE).collect();
    order.sort_by(|&a, &b| weights[b].total_cmp(&weights[a]).then(a.cmp(&b)));
    let mut all: Vec<Candidate> = Vec::new();
    let mut numbers: HashMap<(usize, Change), usize> = HashMap::new();
    for (rank, line_idx) in order.into_iter().take(MOST_LINES).enumerate() {
        let line = features::Line::new(&sentence, lines[line_idx], rank, weights[line_idx] - total);
        for (change, way) in features::changes(&sentence, &line) {
            // What is changed everywhere is the same from whichever line it is seen.
            let at = if matches!(change, Change::Everywhere { .. }) { 0 } else { line_idx };
            let i = *numbers.entry((at, change.clone())).or_insert(all.len());
            if i == all.len() {
                all.push(Candidate { line: line_idx, change, ways: Vec::new() });
            }
            all[i].ways.push(way);
        }
    }
    Candidates { none: sentence.none(), all }
}

/// ln Σ exp(x), however small they are.
fn log_sum(values: impl Iterator<Item = f64> + Clone) -> f64 {
    let greatest = values.clone().fold(f64::NEG_INFINITY, f64::max);
    if greatest == f64::NEG_INFINITY { greatest } else { greatest + values.map(|x| (x - greatest).exp()).sum::<f64>().ln() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::edit::{EditSet, place};
    use crate::text::Text;

    const CODE: &str = "def load(path, retries=3):\n    timeout = 30\n    if ready and path:\n        return open(path)\n\n\
                        def save(path):\n    timeout = 30\n    print(\"saved\")\n    return None\n";

    /// The text after an edit that is made as any is.
    fn changed(change: &Change, line_idx: usize) -> String {
        let slots = change.slots(line_idx, CODE, &Shown::whole(CODE)).expect("all is shown");
        let edit = place(&slots, &Shown::whole(CODE)).unwrap().expect("its place is named");
        let before = Text::decode(CODE.as_bytes().to_vec()).unwrap();
        String::from_utf8(EditSet::of(&edit, "a.py", &before).unwrap().apply(&before).unwrap()).unwrap()
    }

    fn likeliest(task: &str) -> String {
        let best = &suggest(task, CODE)[0];
        changed(&best.change, best.line)
    }

    #[test]
    fn what_a_sentence_names_comes_first() {
        assert_eq!(likeliest("change retries from 3 to 5"), CODE.replace("retries=3", "retries=5"));
        assert_eq!(likeliest("print \"written\" instead of \"saved\""), CODE.replace("saved", "written"));
        assert_eq!(likeliest("rename ready to is_ready"), CODE.replace("if ready", "if is_ready"));
        assert_eq!(likeliest("rename path to file_name"), CODE.replace("path", "file_name"));
    }

    #[test]
    fn probabilities_fall_and_are_one_at_most() {
        for task in ["change retries from 3 to 5", "fix it", "", "`"] {
            let probabilities: Vec<f64> = suggest(task, CODE).iter().map(|suggestion| suggestion.probability).collect();
            assert!(probabilities.is_sorted_by(|a, b| a >= b), "{task}");
            assert!((0.0..=1.0).contains(&probabilities.iter().sum::<f64>()), "{task}");
        }
        assert_eq!(suggest("change 3 to 5", ""), []);
        assert_eq!(suggest("change 3 to 5", "\n \n"), []);
        assert_eq!(suggest("change 3 to 5", &"3".repeat(LONGEST_LINE + 1)), []);
    }

    #[test]
    fn every_change_is_an_edit_of_its_line() {
        let lines: Vec<&str> = CODE.split('\n').collect();
        let with = |line_idx: usize, new: &[&str]| [&lines[..line_idx], new, &lines[line_idx + 1..]].concat().join("\n");
        assert_eq!(changed(&Change::Replace("    timeout = 60".to_owned()), 6), with(6, &["    timeout = 60"]));
        assert_eq!(changed(&Change::Delete, 6), with(6, &[]));
        assert_eq!(changed(&Change::Before("x = 1".to_owned()), 6), with(6, &["    x = 1", "    timeout = 30"]));
        assert_eq!(changed(&Change::After("x = 1".to_owned()), 5), with(5, &["def save(path):", "    x = 1"]), "in the body");
        let everywhere = Change::Everywhere { old: "path".to_owned(), new: "name".to_owned() };
        assert_eq!(changed(&everywhere, 0), CODE.replace("path", "name"));
        for task in
            ["timeout 60", "above the timeout of save, add the line \"x = 1\"", "path is name everywhere", "and or \u{e9} 'a b'"]
        {
            for Suggestion { line, change, .. } in suggest(task, CODE) {
                assert_ne!(changed(&change, line), CODE, "{task}: {change:?}");
            }
        }
    }

    #[test]
    fn what_is_not_shown_is_not_suggested() {
        let shown = Shown::whole("def other():\n    pass\n");
        let all = suggest("change retries from 3 to 5, above it \"x = 1\", no path", CODE);
        assert!(all.len() > 10 && all.iter().all(|suggestion| suggestion.change.slots(suggestion.line, CODE, &shown).is_none()));
    }
}
