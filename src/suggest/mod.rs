//! Edits that the program makes out of a task's own words, with how likely each is: what the sentence names (`90`, `"POST"`, a
//! name) put where something of that kind stands, joined to it, or in a copy of it, in the lines that the search finds first.
//!
//! A small model finds many a place and then copies its line; what to put there stands in the sentence. So the program makes the
//! ten thousand edits and more that could be meant and weighs them by a log-linear model over features of sentence, line and change, as
//! semantic parsers rank what a grammar generates (Zettlemoyer & Collins, 2005). What takes longest, how a change agrees, reads and is
//! placed, is seen of the likeliest of them only, and the others are dropped. Its weights are a table that is read by people
//! too, `models/suggestions.tsv`, fitted to hand-written edits by `models/recipe/suggestions.py`. A suggestion is no edit yet: the
//! model is asked how likely it finds it ([`crate::flow`]).
//!
//! | module | what it makes or sees |
//! |---|---|
//! | `named` | what a sentence names |
//! | `spots` | what of a line can give way |
//! | `features` | what can be seen of both |
//! | `agreement` | what can be seen of a change and the whole of the sentence |
//! | `fluency` | how what a change writes reads |
//! | `surroundings` | what can be seen of where a change is |
//! | `in_file`, `pairs` | names of the file that it speaks of, arguments that it gives by name and value |
//! | `habits` | how the file writes things |
//! | `elements` | parts of a line that marks separate |
//! | `opposites` | what becomes each other though no sentence names it |
//! | `replaced`, `exchanged`, `aligned`, `added`, `removed`, `swapped`, `wrapped` | ways in which a sentence can mean a change of a line: in the place of a stretch, of a text that the sentence has too, over what it repeats, beside what stands there, without it, in another order, in a call |
//! | `rows`, `repeated`, `comments`, `statements` | ways in which it can mean a line of its own: one that it has or one like another, one that the file has, a comment, a statement about what it names |
//! | `change` | what becomes of a line, as slots |
//! | `weights` | how likely that is |

mod added;
mod agreement;
mod aligned;
mod change;
mod comments;
mod elements;
mod exchanged;
mod features;
mod fluency;
mod habits;
mod in_file;
mod named;
mod opposites;
mod pairs;
mod removed;
mod repeated;
mod replaced;
mod rows;
mod spots;
mod statements;
mod surroundings;
mod swapped;
mod weights;
mod wrapped;

pub use change::Change;

use crate::prompt::relevance::weigh_with_thesaurus;
use crate::text::Shown;
use agreement::Agreement;
pub use features::{Features, Marks};
use features::{Line, Sentence};
use rustc_hash::FxHashMap;

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

/// Lines in which things are replaced, and to which what is named exactly is added, which can be done in fewer ways.
const MOST_REPLACED: usize = 16;

/// Lines in which numbers are: the sentence has seldom a word of these in common with them ("twenty hits per page").
const MOST_NUMBERS: usize = 150;

/// Longer lines are left alone: a model would have to copy them. In bytes.
const LONGEST_LINE: usize = 160;

/// Changes of a text of which all is seen: those that are likeliest by what is named and by what of a line gives way. Of 510 tasks
/// of projects kept aside that have the right one among all, it is among 3,000 of 508.
const MOST_CHANGES: usize = 5_000;

/// The likeliest edits of some texts, each with the logarithm of how likely the task is about it: best first, with which of the
/// texts.
pub fn suggest(task: &str, texts: &[(f64, &str)]) -> Vec<(usize, Suggestion)> {
    let one = |text| {
        let mut changes = Vec::new();
        let none = weighed(task, text, |line, change, weight, _| changes.push((line, change, weight)));
        (none, changes)
    };
    let all: Vec<_> = std::thread::scope(|scope| {
        let threads: Vec<_> = texts.iter().map(|(_, text)| scope.spawn(move || one(text))).collect();
        threads.into_iter().map(|thread| thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))).collect()
    });
    let weight_of_none = all.first().map_or(0.0, |(none, _)| *none);
    let weights =
        texts.iter().zip(&all).flat_map(|((log, _), (_, changes))| changes.iter().map(move |(_, _, weight)| log + weight));
    let total = log_sum(weights.chain([weight_of_none]));
    let mut suggestions: Vec<(usize, Suggestion)> = Vec::new();
    for (i, ((log, _), (_, changes))) in texts.iter().zip(all).enumerate() {
        suggestions.extend(
            changes
                .into_iter()
                .map(|(line, change, weight)| (i, Suggestion { line, change, probability: (log + weight - total).exp() })),
        );
    }
    suggestions.sort_by(|(_, a), (_, b)| b.probability.total_cmp(&a.probability));
    suggestions
}

/// Every edit that could be meant, with all that can be seen of it.
pub fn candidates(task: &str, text: &str) -> Candidates {
    let mut all = Vec::new();
    let none = weighed(task, text, |line, change, weight, ways| all.push(Candidate { line, change, ways, weight }));
    Candidates { none: Sentence::new(task, text).none(), weight_of_none: none, all }
}

/// Weighs all edits of a text that could be meant. Calls with the line, what becomes of it, the logarithm of how likely that is, and
/// the ways in which it can be meant, in the order of the lines' weights. Gives the weight of none.
fn weighed(task: &str, text: &str, mut see: impl FnMut(usize, Change, f64, Vec<Features>)) -> f64 {
    let sentence = Sentence::new(task, text);
    let lines: Vec<&str> = text.split('\n').collect();
    let shown = Shown::whole(text);
    let scope = |line_idx| shown.windows.first().and_then(|window| window.scope(line_idx));
    let weights = weigh_with_thesaurus(task, &lines, &(0..lines.len()).map(scope).collect::<Vec<_>>());
    let total = log_sum(weights.iter().copied());
    let mut order: Vec<usize> =
        (0..lines.len()).filter(|&i| !lines[i].trim().is_empty() && lines[i].len() <= LONGEST_LINE).collect();
    order.sort_by(|&a, &b| weights[b].total_cmp(&weights[a]).then(a.cmp(&b)));
    let found = order.into_iter().take(MOST_NUMBERS).enumerate();
    let found: Vec<Line> = found.map(|(rank, idx)| Line::new(&sentence, &lines, idx, rank, weights[idx] - total)).collect();
    let mut numbers: FxHashMap<(usize, Change), usize> = FxHashMap::default();
    let mut of_number: Vec<(usize, f64, Vec<Features>)> = Vec::new();
    for rank in 0..found.len() {
        for Way { line, change, features } in ways(&sentence, &found, rank) {
            // What is changed everywhere is the same from whichever line it is seen.
            let at = if matches!(change, Change::Everywhere { .. }) { 0 } else { line };
            let i = *numbers.entry((at, change)).or_insert(of_number.len());
            if i == of_number.len() {
                of_number.push((line, f64::NEG_INFINITY, Vec::new()));
            }
            let (_, weight, ways) = &mut of_number[i];
            *weight = log_sum([*weight, features.weight()].into_iter());
            ways.push(features);
        }
    }
    let mut sorted: Vec<f64> = of_number.iter().map(|(_, weight, _)| *weight).collect();
    let least = if sorted.len() > MOST_CHANGES {
        *sorted.select_nth_unstable_by(MOST_CHANGES, |a, b| b.total_cmp(a)).1
    } else {
        f64::NEG_INFINITY
    };
    let mut changes: Vec<(usize, Change)> = numbers.into_iter().map(|((_, change), i)| (i, change)).collect();
    changes.sort_by_key(|(i, _)| *i);
    let mut agreement = Agreement::new(&sentence, &lines);
    for ((_, change), (line, weight, ways)) in changes.into_iter().zip(of_number) {
        if weight >= least {
            let of_change = agreement.of(&change, line);
            let weight = weight + of_change.iter().map(|list| list.weight()).sum::<f64>();
            let ways = ways.into_iter().map(|features| features.with_change(of_change.clone())).collect();
            see(line, change, weight, ways);
        }
    }
    sentence.none().weight()
}

/// A change, and one way in which the sentence can mean it.
struct Way {
    line: usize,
    change: Change,
    features: Features,
}

/// All that one of the lines that the search finds lets think of.
fn ways(sentence: &Sentence, lines: &[Line], rank: usize) -> Vec<Way> {
    let line = &lines[rank];
    if rank >= MOST_REPLACED {
        return replaced::numbers(sentence, line);
    }
    let mut found = replaced::ways(sentence, line);
    found.extend(exchanged::ways(sentence, line));
    if rank >= MOST_LINES {
        found.extend(added::likeliest(sentence, line));
        found.extend(removed::ways(sentence, line));
        found.extend(rows::said(sentence, line));
    } else {
        found.extend(replaced::several(sentence, line));
        found.extend(aligned::ways(sentence, line));
        found.extend(added::ways(sentence, line));
        found.extend(removed::ways(sentence, line));
        found.extend(swapped::ways(sentence, line));
        found.extend(wrapped::ways(sentence, line));
        found.extend(rows::ways(sentence, line));
        let (near, far) = lines[..lines.len().min(MOST_REPLACED)].split_at(lines.len().min(MOST_LINES));
        let beside =
            lines.iter().filter(|other| other.idx.abs_diff(line.idx) <= 2 && near.iter().all(|one| one.idx != other.idx));
        found.extend(repeated::ways(sentence, line, &near.iter().chain(beside).collect::<Vec<_>>(), far));
        found.extend(repeated::often(sentence, line));
        found.extend(comments::ways(sentence, line));
        found.extend(statements::ways(sentence, line));
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
            ("a flash counts as well", "if (x !== 'top') {\n", "if (x !== 'top' && x !== 'flash') {\n"),
            ("treat red like blue", "if x == blue:\n", "if x == blue or x == red:\n"),
            ("blocked() \u{2192} touches()", "int blocked();\nint x = blocked();\n", "int touches();\nint x = touches();\n"),
            ("each part goes through trim()", "explode('-', $part);\n", "explode('-', trim($part));\n"),
            ("never negative: max(0, ...)", "return a - b\n", "return max(0, a - b)\n"),
            ("sort descending", "sort((a, b) => a.n - b.n)\n", "sort((a, b) => b.n - a.n)\n"),
            ("twice the limit", "limit = 10\n", "limit = 20\n"),
            ("No stairs. -> There are no stairs.", "say(\"No stairs.\")\n", "say(\"There are no stairs.\")\n"),
            ("is_up? becomes is_on?", "is_up?()\nx = is_up?()\n", "is_on?()\nx = is_on?()\n"),
            ("'Cash only' is wrong: 'Cash and cards'", "<p>Cash only. Or not.</p>\n", "<p>Cash and cards. Or not.</p>\n"),
            ("two longer", "gap = 4\n", "gap = 6\n"),
            ("2 to 4 springs", "springs: [1, 2]\n", "springs: [2, 4]\n"),
            ("http is no default", "default = [\"serial\", \"http\"]\n", "default = [\"serial\"]\n"),
            (
                "close saves like open does",
                "close()\n  x = 1\n\nopen()\n  save()\n",
                "close()\n  x = 1\n  save()\n\nopen()\n  save()\n",
            ),
            (
                "say what load does: reads all",
                "# Saves.\ndef save\n\ndef load\n",
                "# Saves.\ndef save\n\n# Reads all.\ndef load\n",
            ),
            ("wait a timeout of 15", "get(url, x=1)\n", "get(url, x=1, timeout=15)\n"),
            ("no more than the max score", "int maxScore;\nn = 0;\n", "int maxScore;\nn = maxScore;\n"),
            ("set the score back to 0", "self.score = 5\n\ndone()\n", "self.score = 5\n\ndone()\nself.score = 0\n"),
            ("a head torch, too", "[\"map\", \"hat\"]\n", "[\"map\", \"hat\", \"head torch\"]\n"),
            ("it's the other way round", "n.removeFirst()\n", "n.removeLast()\n"),
            ("\"c\" is 3", "{\n  \"a\": 1,\n  \"b\": 2\n}\n", "{\n  \"a\": 1,\n  \"b\": 2,\n  \"c\": 3\n}\n"),
        ] {
            assert!(can_mean(task, before, after), "{task}");
        }
    }

    proptest::proptest! {
        #[test]
        fn no_text_is_too_odd(
            task in "[a-cé… 0-9?!()\\[\"'`.,:;=<>|&→$_-]{0,30}",
            text in "[a-cé… 0-9?!()\\[\"'`.,:;=<>|&→$_\n-]{0,60}",
        ) {
            let shown = Shown::whole(&text);
            for candidate in candidates(&task, &text).all {
                if let Some(slots) = candidate.change.slots(candidate.line, &text, &shown) {
                    let _ = place(&slots, &shown).expect("the place is named");
                }
            }
        }
    }

    #[test]
    fn what_a_long_task_can_mean_is_bounded() {
        let named = |n: usize| -> String { (0..n).map(|i| format!("name_{i} ")).collect() };
        let n_candidates = |n: usize| candidates(&named(n), CODE).all.len();
        assert!(n_candidates(10) < n_candidates(100));
        assert_eq!(n_candidates(400), n_candidates(4_000));
    }

    #[test]
    fn what_is_not_shown_is_not_suggested() {
        let shown = Shown::whole("def other():\n    pass\n");
        let all = candidates("change retries from 3 to 5, above it \"x = 1\", no path", CODE).all;
        assert!(all.len() > 10 && all.iter().all(|candidate| candidate.change.slots(candidate.line, CODE, &shown).is_none()));
    }
}
