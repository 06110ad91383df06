//! Edits that the program makes out of a task's own words, with how likely each is: what the sentence names (`90`, `"POST"`, a
//! name) put where something of that kind stands, joined to it, or in a copy of it, in the lines that the search finds first.
//!
//! A small model finds many a place and then copies its line; what to put there stands in the sentence. So the program makes the
//! few thousand edits that could be meant and weighs them by a log-linear model over features of sentence, line and change, as
//! semantic parsers rank what a grammar generates (Zettlemoyer & Collins, 2005). Its weights are a table that is read by people
//! too, `models/suggestions.tsv`, fitted to hand-written edits by `models/recipe/suggestions.py`. A suggestion is no edit yet: the
//! model is asked how likely it finds it ([`crate::flow`]).
//!
//! | module | what it makes or sees |
//! |---|---|
//! | `named` | what a sentence names |
//! | `spots` | what of a line can give way |
//! | `features` | what can be seen of both |
//! | `replaced`, `aligned`, `added`, `rows` | ways in which a sentence can mean a change: in the place of a stretch, over what it repeats, beside what stands there, as a line of its own |
//! | `change` | what becomes of a line, as slots |
//! | `weights` | how likely that is |

mod added;
mod aligned;
mod change;
mod features;
mod named;
mod replaced;
mod rows;
mod spots;
mod weights;

pub use change::Change;

use crate::prompt::relevance::weigh_with_thesaurus;
use crate::text::Shown;
pub use features::Features;
use features::{Line, Sentence};
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
    /// The logarithm of how likely it is, compared with the others and with none of them.
    pub weight: f64,
}

/// All changes that a task may mean.
#[derive(Clone, Debug)]
pub struct Candidates {
    /// None of them.
    pub none: Features,
    /// Compares with those of candidates.
    pub weight_of_none: f64,
    /// In the order of their lines' weights.
    pub all: Vec<Candidate>,
}

/// Lines to which something is added: those the search finds first.
const MOST_LINES: usize = 4;

/// Lines in which things are replaced, which can be done in fewer ways.
const MOST_REPLACED: usize = 16;

/// Lines in which numbers are: the sentence has seldom a word of these in common with them ("twenty hits per page").
const MOST_NUMBERS: usize = 150;

/// Longer lines are left alone: a model would have to copy them. In bytes.
const LONGEST_LINE: usize = 160;

/// The likeliest edits of some texts, each with the logarithm of how likely the task is about it: best first, with which of the
/// texts.
pub fn suggest(task: &str, texts: &[(f64, &str)]) -> Vec<(usize, Suggestion)> {
    let all: Vec<Candidates> = texts.iter().map(|(_, text)| candidates(task, text)).collect();
    let weight_of_none = all.first().map_or(0.0, |candidates| candidates.weight_of_none);
    let weighed = texts.iter().zip(&all).flat_map(|((log, _), of)| of.all.iter().map(move |candidate| log + candidate.weight));
    let total = log_sum(weighed.chain([weight_of_none]));
    let mut suggestions: Vec<(usize, Suggestion)> = Vec::new();
    for (i, ((log, _), of)) in texts.iter().zip(all).enumerate() {
        suggestions.extend(of.all.into_iter().map(|Candidate { line, change, weight, .. }| {
            (i, Suggestion { line, change, probability: (log + weight - total).exp() })
        }));
    }
    suggestions.sort_by(|(_, a), (_, b)| b.probability.total_cmp(&a.probability));
    suggestions
}

/// Every edit that could be meant.
pub fn candidates(task: &str, text: &str) -> Candidates {
    let sentence = Sentence::new(task, text);
    let lines: Vec<&str> = text.split('\n').collect();
    let shown = Shown::whole(text);
    let scope = |line_idx| shown.windows.first().and_then(|window| window.scope(line_idx));
    let weights = weigh_with_thesaurus(task, &lines, &(0..lines.len()).map(scope).collect::<Vec<_>>());
    let total = log_sum(weights.iter().copied());
    let mut order: Vec<usize> =
        (0..lines.len()).filter(|&i| !lines[i].trim().is_empty() && lines[i].len() <= LONGEST_LINE).collect();
    order.sort_by(|&a, &b| weights[b].total_cmp(&weights[a]).then(a.cmp(&b)));
    let mut all: Vec<Candidate> = Vec::new();
    let mut numbers: HashMap<(usize, Change), usize> = HashMap::new();
    for (rank, line_idx) in order.into_iter().take(MOST_NUMBERS).enumerate() {
        let line = Line::new(&sentence, &lines, line_idx, rank, weights[line_idx] - total);
        for Way { line, change, features } in ways(&sentence, &line, rank) {
            // What is changed everywhere is the same from whichever line it is seen.
            let at = if matches!(change, Change::Everywhere { .. }) { 0 } else { line };
            let i = *numbers.entry((at, change.clone())).or_insert(all.len());
            if i == all.len() {
                all.push(Candidate { line, change, ways: Vec::new(), weight: 0.0 });
            }
            all[i].ways.push(features);
        }
    }
    let mut weights = Weights::get().scorer();
    for candidate in &mut all {
        let ways: Vec<f64> = candidate.ways.iter().map(|way| weights.score(way)).collect();
        candidate.weight = log_sum(ways.into_iter());
    }
    let none = sentence.none();
    Candidates { weight_of_none: weights.score(&none), none, all }
}

/// A change, and one way in which the sentence can mean it.
struct Way {
    line: usize,
    change: Change,
    features: Features,
}

/// All that a line lets think of.
fn ways(sentence: &Sentence, line: &Line, rank: usize) -> Vec<Way> {
    let mut found = if rank < MOST_REPLACED { replaced::ways(sentence, line) } else { replaced::numbers(sentence, line) };
    if rank < MOST_LINES {
        found.extend(aligned::ways(sentence, line));
        found.extend(added::ways(sentence, line));
        found.extend(rows::ways(sentence, line));
    }
    found
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
        let (_, best) = &suggest(task, &[(0.0, CODE)])[0];
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
            let probabilities: Vec<f64> =
                suggest(task, &[(0.0, CODE)]).iter().map(|(_, suggestion)| suggestion.probability).collect();
            assert!(probabilities.is_sorted_by(|a, b| a >= b), "{task}");
            assert!((0.0..=1.0).contains(&probabilities.iter().sum::<f64>()), "{task}");
        }
        for text in ["", "\n \n", &"3".repeat(LONGEST_LINE + 1)] {
            assert_eq!(suggest("change 3 to 5", &[(0.0, text)]), []);
        }
        assert_eq!(suggest("change 3 to 5", &[]), []);
    }

    #[test]
    fn what_a_task_says_may_be_about_another_text() {
        let texts = [(-1.2, "limit = 3\n"), (-0.4, CODE), (-9.0, "retries = 3\n")];
        let (which, best) = &suggest("change retries from 3 to 5", &texts)[0];
        assert_eq!((*which, changed(&best.change, best.line)), (1, CODE.replace("retries=3", "retries=5")));
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
        for task in [
            "timeout 60",
            "above the timeout of save, add the line \"x = 1\"",
            "path is name everywhere",
            "and or \u{e9} 'a b' é(“ü”)",
        ] {
            for (_, Suggestion { line, change, .. }) in suggest(task, &[(0.0, CODE)]) {
                assert_ne!(changed(&change, line), CODE, "{task}: {change:?}");
            }
        }
    }

    #[test]
    fn what_a_sentence_can_mean_is_among_the_candidates() {
        let can_mean = |task: &str, before: &str, after: &str| {
            let text = Text::decode(before.as_bytes().to_vec()).unwrap();
            let shown = Shown::whole(before);
            candidates(task, before).all.iter().any(|candidate| {
                let slots = candidate.change.slots(candidate.line, before, &shown).expect("all is shown");
                let edit = place(&slots, &shown).unwrap().expect("its place is named");
                EditSet::of(&edit, "", &text).unwrap().apply(&text).unwrap() == after.as_bytes()
            })
        };
        for (task, before, after) in [
            ("give the request a timeout: timeout=30", "get(url)\n", "get(url, timeout=30)\n"),
            ("read() must strip the name", "name = read()\n", "name = read().strip()\n"),
            ("stop if it is late, too (|| isLate)", "if (done) {\n}\n", "if (done || isLate) {\n}\n"),
            ("FM is a mode, too", "MODES = (\"AM\", \"CW\")\n", "MODES = (\"AM\", \"CW\", \"FM\")\n"),
            ("the metavar is COMMAND", "parse(dest=\"program\")\n", "parse(dest=\"program\", metavar=\"COMMAND\")\n"),
            ("wait only if not ready", "if ready:\n    wait()\n", "if not ready:\n    wait()\n"),
            ("break ties by name: order(age: :desc, name: :asc)", "order(age: :desc)\n", "order(age: :desc, name: :asc)\n"),
            ("a REFUND of 0.8 below the hours", "HOURS = 24\n", "HOURS = 24\nREFUND = 0.8\n"),
            ("max-width: 100% after the color", ".a {\n  color: red;\n}\n", ".a {\n  color: red;\n  max-width: 100%;\n}\n"),
            ("\"c\" is 3", "{\n  \"a\": 1,\n  \"b\": 2\n}\n", "{\n  \"a\": 1,\n  \"b\": 2,\n  \"c\": 3\n}\n"),
        ] {
            assert!(can_mean(task, before, after), "{task}");
        }
    }

    #[test]
    fn what_is_not_shown_is_not_suggested() {
        let shown = Shown::whole("def other():\n    pass\n");
        let all = candidates("change retries from 3 to 5, above it \"x = 1\", no path", CODE).all;
        assert!(all.len() > 10 && all.iter().all(|candidate| candidate.change.slots(candidate.line, CODE, &shown).is_none()));
    }
}
