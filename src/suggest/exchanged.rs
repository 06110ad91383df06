//! Changes of what the sentence itself says is there into what it says beside that, however many words either has: "There are no
//! stairs here -> You see no stairs here", "-O0 -g in place of -O2".

use super::Way;
use super::change::Change;
use super::features::{Features, Line, List, Sentence, marks};
use super::named::{How, without_loose_brackets, words};
use super::spots::is_of_word;
use crate::edit::whole_token_ranges;
use crate::prompt::hints::is_common;
use crate::prompt::stems::is_stop_word;
use std::ops::Range;

/// Words of a sentence that are looked at.
const MOST_WORDS: usize = 80;

/// What stands between the old text and the new one behind it.
const OLD_FIRST: [&str; 14] =
    ["->", "→", "=>", "-->", "to", "into", "by", "with", "becomes", "is now", "should be", "must be", "has to be", "but"];

/// What stands between the new text and the old one behind it.
const NEW_FIRST: [&str; 5] = ["instead of", "in place of", "rather than", "and not", "not"];

/// Words of the new text.
const LONGEST_NEW: usize = 14;

const QUOTES: [char; 7] = ['"', '\'', '`', '“', '”', '‘', '’'];
const ENDS: [char; 6] = ['.', ',', ';', ':', '!', '?'];

pub fn ways(sentence: &Sentence, line: &Line) -> Vec<Way> {
    let task = sentence.task();
    let words = runs(task);
    let mut found = Vec::new();
    for old in there(task, &words, line.text) {
        let text = &task[old.at.clone()];
        for new in beside(task, &words, &old) {
            let written = new.text;
            if written == text || is_word(text) && sentence.values.iter().any(|value| value.named.text == written) {
                continue; // a word that a value replaces
            }
            found.extend(made(sentence, line, text, written, &features(task, &words, &old, &new)));
        }
    }
    let quoted = || sentence.values.iter().filter(|value| value.named.how == How::Quoted);
    for old in quoted().map(|value| &value.named) {
        let is_spot = line.spots.iter().any(|seen| seen.text == old.text);
        if is_spot || !has(line.text, &old.text) {
            continue;
        }
        for value in quoted().filter(|value| value.named.text != old.text) {
            let between = task.get(old.at.end..value.named.at.start).or_else(|| task.get(value.named.at.end..old.at.start));
            let is_first = old.at.start < value.named.at.start;
            let between = between.map(str::trim).filter(|between| between.len() < 25).unwrap_or("more").to_lowercase();
            let features = ["exchange quoted".to_owned(), format!("exchange quoted {is_first}:{between}")];
            found.extend(made(sentence, line, &old.text, &value.named.text, &features));
        }
    }
    found
}

/// One text of a line becomes another: there, and everywhere if it is a name that the file has more than once.
fn made(sentence: &Sentence, line: &Line, old: &str, new: &str, features: &[String]) -> Vec<Way> {
    let mut found = Vec::new();
    let mut put = |change: Change, name: &str| {
        let named = features.iter().map(|feature| format!("{name} {feature}"));
        let of: Vec<List> =
            vec![marks(features.iter().cloned().chain(named).collect()), line.whole.clone(), sentence.with_each_word(name)];
        found.push(Way { line: line.idx, change, features: Features::new(of, line.search) });
    };
    let mut text = line.text.to_owned();
    for at in whole_token_ranges(line.text, old).into_iter().rev() {
        text.replace_range(at, new);
    }
    if text != line.text {
        put(Change::Replace(text), "exchange here");
    }
    if !old.contains(char::is_whitespace) && whole_token_ranges(sentence.text(), old).len() > 1 {
        put(Change::Everywhere { old: old.to_owned(), new: new.to_owned() }, "exchange everywhere");
    }
    found
}

/// Some words of the sentence.
struct Run {
    /// Which words.
    words: Range<usize>,
    /// Their text, without the marks around it.
    at: Range<usize>,
}

/// The longest stretches of a sentence that a line has: of more than a common word.
fn there(task: &str, words: &[Range<usize>], line: &str) -> Vec<Run> {
    let mut found: Vec<Run> = Vec::new();
    let joined = |run: &Range<usize>| behind(task, words, run.end).chain(before(task, words, run.start)).next().is_some();
    for first in 0..words.len() {
        let runs = (first + 1..=words.len())
            .map(|end| Run { words: first..end, at: bare(task, words[first].start..words[end - 1].end) });
        let longest = runs.take_while(|run| has(line, &task[run.at.clone()])).last();
        let Some(run) = longest.filter(|run| !run.at.is_empty()) else { continue };
        let is_new = found.iter().all(|other| run.words.end > other.words.end);
        let says = |word: &Range<usize>| {
            let word = &task[bare(task, word.clone())];
            word.len() > 1 && !is_stop_word(word) && !is_common(word)
        };
        if is_new && joined(&run.words) && words[run.words.clone()].iter().any(says) {
            found.push(run);
        }
    }
    found
}

/// What a sentence may mean to be written instead.
struct New<'t> {
    text: &'t str,
    /// Which words.
    words: Range<usize>,
    /// What stands between it and the old text.
    between: &'static str,
    is_behind: bool,
}

/// Stretches of a sentence to both sides of one, up to where they may end.
fn beside<'t>(task: &'t str, words: &[Range<usize>], old: &Run) -> Vec<New<'t>> {
    let word = |i: usize| &task[words[i].clone()];
    let joins = |i: usize| {
        let word = word(i).trim_matches(ENDS);
        is_stop_word(word) || is_common(word) || !word.contains(char::is_alphanumeric)
    };
    let mut found = Vec::new();
    let mut put = |of: Range<usize>, between: &'static str, is_behind: bool| {
        let at = bare(task, words[of.start].start..words[of.end - 1].end);
        let text = without_loose_brackets(&task[at]);
        if !text.is_empty() {
            found.push(New { text, words: of, between, is_behind });
        }
    };
    for (between, start) in behind(task, words, old.words.end) {
        let ends = (start + 1..=words.len()).take(LONGEST_NEW);
        for end in ends.filter(|&end| end == words.len() || word(end - 1).ends_with(ENDS) || joins(end) || end == start + 1) {
            put(start..end, between, true);
        }
    }
    for (between, end) in before(task, words, old.words.start) {
        let starts = (0..end).rev().take(LONGEST_NEW);
        for start in starts.filter(|&start| start == 0 || word(start - 1).ends_with(ENDS) || joins(start - 1) || start + 1 == end)
        {
            put(start..end, between, false);
        }
    }
    found
}

/// What joins an old text that ends before this word to a new one, and with which word that begins.
fn behind(task: &str, words: &[Range<usize>], from: usize) -> impl Iterator<Item = (&'static str, usize)> {
    let found = OLD_FIRST.iter().map(move |between| (*between, from + between.split(' ').count()));
    found.filter(move |(between, to)| *to < words.len() && is_said(task, &words[from..*to], between))
}

/// What joins a new text to an old one that begins with this word, and before which word that ends.
fn before(task: &str, words: &[Range<usize>], to: usize) -> impl Iterator<Item = (&'static str, usize)> {
    let found = NEW_FIRST.iter().filter_map(move |between| Some((*between, to.checked_sub(between.split(' ').count())?)));
    found.filter(move |(between, from)| *from > 0 && is_said(task, &words[*from..to], between))
}

fn is_said(task: &str, words: &[Range<usize>], wanted: &str) -> bool {
    words.iter().zip(wanted.split(' ')).all(|(at, word)| task[at.clone()].eq_ignore_ascii_case(word))
}

fn features(task: &str, words: &[Range<usize>], old: &Run, new: &New) -> Vec<String> {
    let word = |i: Option<usize>| {
        let word = i.and_then(|i| words.get(i)).map(|at| &task[at.clone()]);
        word.map_or_else(|| "^".to_owned(), |word| word.trim_matches(QUOTES).to_lowercase())
    };
    let outer = |of: &Range<usize>, is_behind: bool| if is_behind { Some(of.end) } else { of.start.checked_sub(1) };
    let ends_part = |of: &Range<usize>, is_behind: bool| {
        let last = if is_behind { word(Some(of.end - 1)) } else { word(outer(of, false)) };
        last.chars().next_back().filter(|last| ENDS.contains(last)).map_or_else(|| "no".to_owned(), String::from)
    };
    let New { between, is_behind, .. } = new;
    let n_words = |of: &Range<usize>| of.len().min(6);
    vec![
        format!("exchange between:{is_behind} {between}"),
        format!("exchange new outer:{is_behind} {}", word(outer(&new.words, *is_behind))),
        format!("exchange new ends:{is_behind} {}", ends_part(&new.words, *is_behind)),
        format!("exchange old outer:{is_behind} {}", word(outer(&old.words, !is_behind))),
        format!("exchange words:{} {}", n_words(&old.words), n_words(&new.words)),
        format!("exchange longer:{}", (new.words.len() as isize - old.words.len() as isize).clamp(-4, 4)),
        format!("exchange marks:{} {}", marks_of(&task[old.at.clone()]), marks_of(new.text)),
    ]
}

/// Whether a text is one word, some with blanks between, or has other marks, too.
fn marks_of(text: &str) -> &'static str {
    if is_word(text) {
        "word"
    } else if text.chars().all(|c| is_of_word(c) || c == ' ') {
        "words"
    } else {
        "marks"
    }
}

fn is_word(text: &str) -> bool {
    text.chars().all(is_of_word)
}

/// Where its words stand.
fn runs(task: &str) -> Vec<Range<usize>> {
    words(task).take(MOST_WORDS).map(|(start, word)| start..start + word.len()).collect()
}

/// Without quotes around it, and marks that end a sentence.
fn bare(task: &str, at: Range<usize>) -> Range<usize> {
    let text = &task[at.clone()];
    let start = at.start + text.len() - text.trim_start_matches(QUOTES).len();
    let end = at.end - (text.len() - text.trim_end_matches(ENDS).trim_end_matches(QUOTES).len());
    start..end.max(start)
}

/// Whether a line has a text, not as a part of a longer word. Unlike in [`super::features::stands_in`], one that begins or ends with
/// a mark may have a word beside it: `.trim` in `name.trim()`.
fn has(line: &str, text: &str) -> bool {
    let ends_in_word = |text: &str| text.ends_with(is_of_word);
    let starts_in_word = |text: &str| text.starts_with(is_of_word);
    line.match_indices(text).any(|(at, _)| {
        !(starts_in_word(text) && ends_in_word(&line[..at]) || ends_in_word(text) && starts_in_word(&line[at + text.len()..]))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What lies beside what a line has of a sentence, as the old text and the new one.
    fn exchanges<'t>(task: &'t str, line: &str) -> Vec<(&'t str, &'t str)> {
        let words = runs(task);
        let found = there(task, &words, line);
        found.iter().flat_map(|old| beside(task, &words, old).into_iter().map(|new| (&task[old.at.clone()], new.text))).collect()
    }

    #[test]
    fn what_the_line_has_is_the_old_text() {
        let becomes = |task: &str, line: &str, old: &str, new: &str| {
            let found = exchanges(task, line);
            assert!(found.contains(&(old, new)), "{task}: {found:?}");
        };
        becomes("no stairs here -> there is no way down", "say(\"no stairs here.\")", "no stairs here", "there is no way down");
        becomes("-O0 -g in place of -O2", "CFLAGS ?= -O2 -Wall", "-O2", "-O0 -g");
        becomes("go.mod: example.com instead of example.org", "module example.org/cron", "example.org", "example.com");
        becomes("replace Too late. by Please call us.", "error(\"Too late.\")", "Too late", "Please call us");
        becomes("say 'all of them' rather than 'each tune', please", "// reads each tune", "each tune", "all of them");
    }

    #[test]
    fn what_nothing_joins_is_no_old_text() {
        assert_eq!(exchanges("the stairs, no stairs here", "no stairs here"), []);
        assert_eq!(exchanges("no stairs here ->", "no stairs here"), []);
        assert_eq!(exchanges("-> no stairs here", "no stairs here"), []);
        assert_eq!(exchanges("set it to 5", "set it"), [], "common words");
        assert_eq!(exchanges("stair -> step", "upstairs, stairs"), [], "parts of words");
        assert_eq!(exchanges("", ""), []);
    }
}
