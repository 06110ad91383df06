//! Why an edit cannot be made: the searched text, the text in the file, and the next step. People
//! and models read the same explanation.

use super::fit::Unfit;
use super::fold::{Fold, folded_line, indentation, is_blank, words};
use super::found::Rung;
use super::fuzzy;
use super::haystack::Haystack;
use super::stretch;
use crate::hunk::Hunk;
use schemars::JsonSchema;
use serde::Serialize;
use similar::DiffTag;
use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt;
use std::ops::Range;

/// The most places that are listed.
pub(super) const MAX_CANDIDATES: usize = 10;
/// The most lines of a text that are shown, and their bytes.
const MAX_LINES: usize = 30;
const MAX_BYTES: usize = 3_000;
/// The most differing words that are named.
const MAX_WORDS: usize = 6;
/// What is named of a word, in bytes.
const MAX_WORD: usize = 60;
/// A word that is on more lines than this says nothing about a place.
const MAX_WORD_LINES: usize = 200;

/// An edit that cannot be made.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Miss {
    /// Why, in a word for programs and with what belongs to it.
    #[serde(flatten)]
    pub reason: Reason,
    /// What was looked for.
    pub searched: String,
    /// What to do next, in a sentence.
    pub next: String,
}

/// Why.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(tag = "reason", rename_all = "snake_case")]
pub enum Reason {
    /// It is not in the file.
    NotFound {
        /// What comes nearest, if anything does.
        nearest: Option<Box<Nearest>>,
    },
    /// It stands in several places, and nothing says which is meant.
    Ambiguous {
        /// How it was found.
        rung: Rung,
        /// In how many places.
        n_places: usize,
        /// The first of them.
        candidates: Vec<Candidate>,
    },
    /// It does not stand there as often as the edit says.
    Miscounted {
        /// As the edit says.
        expected: usize,
        /// As it is.
        found: usize,
    },
    /// All words that are this text are meant, and it stands inside longer words only.
    InsideWords {
        /// How often.
        n_places: usize,
    },
    /// It was found, but what is to come there would have to be guessed.
    Unfit {
        /// Where it was found.
        lines: Option<LineRange>,
        /// What would have to be guessed.
        why: String,
    },
}

/// Lines of a file, counted from 1, both included.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct LineRange {
    /// The first one.
    pub first: usize,
    /// The last one.
    pub last: usize,
}

/// The place that is most like what was searched.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Nearest {
    /// Where it is.
    pub lines: LineRange,
    /// What stands there.
    pub text: String,
    /// The lines of both: ` ` in both, `-` searched only, `+` in the file only. In lines that
    /// differ, what cannot be seen is spelled out: `·` a blank at the end or in an indentation, `→`
    /// a tab, `<U+00A0>`.
    pub differences: Vec<String>,
    /// What makes them differ.
    pub causes: Vec<Cause>,
}

/// What makes the searched text differ from what the file has.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(tag = "cause", rename_all = "snake_case")]
pub enum Cause {
    /// Whitespace at the ends of lines.
    #[serde(rename = "trailing_blanks")]
    TrailingWhitespace,
    /// Quotes, dashes, spaces or accents that look alike.
    Unicode,
    /// Indentation, and not of all lines alike.
    Indentation,
    /// Whitespace between words.
    #[serde(rename = "blanks")]
    Whitespace,
    /// Commas, semicolons, kinds of quotes.
    Punctuation,
    /// Words or numbers.
    Words {
        /// What was searched and is not there.
        searched: Vec<String>,
        /// What is there.
        found: Vec<String>,
    },
    /// Signs and operators between the same words.
    Signs,
    /// Searched lines that the file does not have there.
    LinesNotThere,
    /// Lines of the file that were not searched.
    LinesLeftOut,
}

/// One of several places.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Candidate {
    /// Where it is.
    pub lines: LineRange,
    /// The definition around it.
    pub within: Option<String>,
    /// The line above it that is not blank.
    pub above: Option<String>,
    /// The line below it that is not blank.
    pub below: Option<String>,
}

impl LineRange {
    /// Converts lines counted from 0.
    pub fn of(lines: &Range<usize>) -> LineRange {
        LineRange {
            first: lines.start + 1,
            last: lines.end.max(lines.start + 1),
        }
    }
}

impl fmt::Display for LineRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.first == self.last {
            true => write!(f, "line {}", self.first),
            false => write!(f, "lines {}-{}", self.first, self.last),
        }
    }
}

impl Candidate {
    pub(super) fn of(haystack: &Haystack, lines: Range<usize>) -> Candidate {
        let shown = |text: &str| stretch::beginning(text).into_owned();
        let text = |i: usize| shown(haystack.line_text(i).trim());
        let is_text = |i: &usize| !is_blank(haystack.line_text(*i));
        Candidate {
            within: haystack.outline().enclosing(lines.start).map(shown),
            above: (0..lines.start).rev().find(is_text).map(text),
            below: (lines.end..haystack.lines.len()).find(is_text).map(text),
            lines: LineRange::of(&lines),
        }
    }
}

pub(super) fn ambiguous(
    hunk: &Hunk,
    rung: Rung,
    n_places: usize,
    candidates: Vec<Candidate>,
) -> Miss {
    let next = "add lines from around the place that is meant to the searched text, until it \
        stands there only once"
        .to_owned();
    Miss {
        reason: Reason::Ambiguous {
            rung,
            n_places,
            candidates,
        },
        searched: searched(hunk),
        next,
    }
}

pub(super) fn miscounted(hunk: &Hunk, expected: usize, found: usize) -> Miss {
    let next = format!("if all {found} are meant, say so; if one is, add lines from around it");
    Miss {
        reason: Reason::Miscounted { expected, found },
        searched: searched(hunk),
        next,
    }
}

pub(super) fn inside_words(hunk: &Hunk, n_places: usize) -> Miss {
    let next = "write the whole word, or change one place with lines from around it".to_owned();
    Miss {
        reason: Reason::InsideWords { n_places },
        searched: searched(hunk),
        next,
    }
}

pub(super) fn unfit(hunk: &Hunk, lines: Option<Range<usize>>, unfit: Unfit) -> Miss {
    let next = match &unfit {
        Unfit::Indentation { .. } => {
            "write the searched and the new lines with the indentation that the file has"
        }
        Unfit::BlankLines => {
            "write the searched and the new lines with the blank lines that the file has"
        }
        Unfit::Unmentioned { .. } => "write the searched lines without leaving any out",
        Unfit::LineEnd { .. } => {
            "write the searched and the new lines with the commas and semicolons that the file has"
        }
        Unfit::Spelling { .. } => {
            "write the searched and the new lines with the quotes, dashes and accents that the \
                file has"
        }
        Unfit::Heading { .. } => "name what the lines are in after @@, or leave it out",
        Unfit::Nowhere => "add a line of the file before or after the new ones",
    };
    let why = stretch::beginning(&unfit.to_string()).into_owned();
    let reason = Reason::Unfit {
        lines: lines.as_ref().map(LineRange::of),
        why,
    };
    Miss {
        reason,
        searched: searched(hunk),
        next: next.to_owned(),
    }
}

pub(super) fn not_found(haystack: &Haystack, hunk: &Hunk) -> Miss {
    let old: Vec<&str> = hunk.old().collect();
    let nearest = nearest(haystack, &old).map(Box::new);
    let next = match &nearest {
        Some(nearest) if nearest.lines.first == nearest.lines.last => {
            format!(
                "copy the searched text from {} as it is, or look elsewhere",
                nearest.lines
            )
        }
        Some(nearest) => {
            format!(
                "copy the searched text from {} as they are, or look elsewhere",
                nearest.lines
            )
        }
        None => {
            "nothing in the file is like it: read the file again, or name another file".to_owned()
        }
    };
    Miss {
        reason: Reason::NotFound { nearest },
        searched: searched(hunk),
        next,
    }
}

fn searched(hunk: &Hunk) -> String {
    bounded(hunk.old().map(|line| stretch::beginning(line).into_owned())).join("\n")
}

/// As many lines as are shown, and how many there are beside them.
fn bounded(lines: impl Iterator<Item = String>) -> Vec<String> {
    let mut shown: Vec<String> = lines.collect();
    let mut n_bytes = 0;
    let is_shown = |line: &&String| {
        n_bytes += line.len();
        n_bytes <= MAX_BYTES
    };
    let n_shown = shown.iter().take(MAX_LINES).take_while(is_shown).count();
    let n_more = shown.len() - n_shown;
    if n_more > 0 {
        shown.truncate(n_shown);
        shown.push(format!(" … and {n_more} lines more"));
    }
    shown
}

fn nearest(haystack: &Haystack, old: &[&str]) -> Option<Nearest> {
    let lines = nearest_lines(haystack, old)?;
    let found: Vec<&str> = lines.clone().map(|i| haystack.line_text(i)).collect();
    let (old, found) = stretches(old, &found);
    let (differences, causes) = differences(&borrowed(&old), &borrowed(&found));
    let text = bounded(found.iter().map(|line| line.clone().into_owned())).join("\n");
    Some(Nearest {
        lines: LineRange::of(&lines),
        text,
        differences,
        causes,
    })
}

/// The lines of both, the long ones cut to what matters of them.
fn stretches<'l>(old: &[&'l str], found: &[&'l str]) -> (Vec<Cow<'l, str>>, Vec<Cow<'l, str>>) {
    let n_both = old.len().min(found.len());
    let (mut old_lines, mut found_lines): (Vec<_>, Vec<_>) = old
        .iter()
        .zip(found)
        .map(|(old, found)| stretch::of_pair(old, found))
        .unzip();
    old_lines.extend(old[n_both..].iter().map(|line| stretch::beginning(line)));
    found_lines.extend(found[n_both..].iter().map(|line| stretch::beginning(line)));
    (old_lines, found_lines)
}

fn borrowed<'l>(lines: &'l [Cow<'_, str>]) -> Vec<&'l str> {
    lines.iter().map(AsRef::as_ref).collect()
}

/// The part of the file that shares the most lines, else the most rare words, with the searched
/// text, in the same order.
pub(super) fn nearest_lines(haystack: &Haystack, old: &[&str]) -> Option<Range<usize>> {
    let mut votes = fuzzy::votes(haystack, old);
    if votes.is_empty() {
        votes = word_votes(haystack, old);
    }
    let best = votes
        .into_iter()
        .max_by(|a, b| a.1.total_cmp(&b.1).then(b.0.cmp(&a.0)))?;
    let n_lines = haystack.lines.len();
    let start = usize::try_from(best.0)
        .unwrap_or(0)
        .min(n_lines.checked_sub(1)?);
    let end = (best.0 + old.len() as isize).clamp(start as isize + 1, n_lines as isize) as usize;
    Some(start..end)
}

fn word_votes(haystack: &Haystack, old: &[&str]) -> HashMap<isize, f64> {
    let by_word = haystack.by_word();
    let mut votes: HashMap<isize, f64> = HashMap::new();
    for (i, line) in old.iter().enumerate() {
        for word in words(line) {
            let Some(lines) = by_word
                .get(word)
                .filter(|lines| lines.len() <= MAX_WORD_LINES)
            else {
                continue;
            };
            for &at in lines {
                *votes.entry(at as isize - i as isize).or_default() += 1.0 / lines.len() as f64;
            }
        }
    }
    votes
}

fn differences(old: &[&str], found: &[&str]) -> (Vec<String>, Vec<Cause>) {
    let plain = |lines: &[&str]| -> Vec<String> {
        lines
            .iter()
            .map(|l| folded_line(Fold::Whitespace, l).into_owned())
            .collect()
    };
    let (old_plain, found_plain) = (plain(old), plain(found));
    let mut shown = Vec::new();
    let mut causes = Vec::new();
    let mut differ = |a: &str, b: &str, shown: &mut Vec<String>| match cause(a, b) {
        None => shown.push(format!(" {b}")),
        Some(cause) => {
            causes.push(cause);
            shown.extend([format!("-{}", visible(a)), format!("+{}", visible(b))]);
        }
    };
    let mut extra = Vec::new();
    for op in crate::text::line_diff::diff(&old_plain, &found_plain) {
        let (tag, from, to) = op.as_tag_tuple();
        let (from, to) = (&old[from], &found[to]);
        if tag == DiffTag::Equal || from.len() == to.len() {
            from.iter()
                .zip(to)
                .for_each(|(a, b)| differ(a, b, &mut shown));
            continue;
        }
        shown.extend(from.iter().map(|line| format!("-{}", visible(line))));
        shown.extend(to.iter().map(|line| format!("+{}", visible(line))));
        let is_text = |lines: &[&str]| lines.iter().any(|line| !is_blank(line));
        extra.extend(is_text(from).then_some(Cause::LinesNotThere));
        extra.extend(is_text(to).then_some(Cause::LinesLeftOut));
    }
    causes.extend(extra);
    causes.sort();
    causes.dedup();
    (bounded(shown.into_iter()), causes)
}

fn cause(searched: &str, found: &str) -> Option<Cause> {
    let same = |fold| folded_line(fold, searched) == folded_line(fold, found);
    let by_fold = [
        (Fold::TrailingWhitespace, Cause::TrailingWhitespace),
        (Fold::Unicode, Cause::Unicode),
        (Fold::Indentation, Cause::Indentation),
        (Fold::Whitespace, Cause::Whitespace),
        (Fold::Punctuation, Cause::Punctuation),
    ];
    if searched == found {
        return None;
    }
    if let Some((_, cause)) = by_fold.into_iter().find(|(fold, _)| same(*fold)) {
        return Some(cause);
    }
    let beginning = |word: &str| word[..word.floor_char_boundary(MAX_WORD)].to_owned();
    let only_in = |a: &str, b: &str| -> Vec<String> {
        let other: Vec<&str> = words(b).collect();
        let mut only: Vec<String> = words(a)
            .filter(|word| !other.contains(word))
            .map(beginning)
            .collect();
        only.dedup();
        only.truncate(MAX_WORDS);
        only
    };
    let (searched, found) = (only_in(searched, found), only_in(found, searched));
    Some(if searched.is_empty() && found.is_empty() {
        Cause::Signs
    } else {
        Cause::Words { searched, found }
    })
}

/// A line with its invisible characters spelled out.
fn visible(line: &str) -> String {
    let indent_end = indentation(line).len();
    let text_end = line.trim_end().len();
    let spell = |(i, c): (usize, char)| match c {
        '\t' => "→".to_owned(),
        ' ' if i < indent_end || i >= text_end => "·".to_owned(),
        '\r' => "<CR>".to_owned(),
        c if c == ' ' || c.is_ascii_graphic() => c.to_string(),
        c if c.is_control()
            || c.is_whitespace()
            || folded_line(Fold::Unicode, c.encode_utf8(&mut [0; 4])).is_ascii() =>
        {
            format!("<U+{:04X}>", u32::from(c))
        }
        c => c.to_string(),
    };
    line.char_indices().map(spell).collect()
}

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let listed = |words: &[String]| {
            words
                .iter()
                .map(|w| format!("{w:?}"))
                .collect::<Vec<_>>()
                .join(", ")
        };
        match self {
            Cause::TrailingWhitespace => f.write_str("whitespace at the ends of lines"),
            Cause::Unicode => {
                f.write_str("quotes, dashes, spaces or accents that look alike but differ")
            }
            Cause::Indentation => f.write_str("the indentation, and not of all lines alike"),
            Cause::Whitespace => f.write_str("whitespace between words"),
            Cause::Punctuation => f.write_str("commas, semicolons or the kind of quotes"),
            Cause::Signs => f.write_str("signs or operators between the same words"),
            Cause::LinesNotThere => f.write_str("lines that the file does not have there"),
            Cause::LinesLeftOut => f.write_str("lines of the file that the edit leaves out"),
            Cause::Words { searched, found } => match (searched.as_slice(), found.as_slice()) {
                (searched, []) => write!(f, "the file does not have {} there", listed(searched)),
                ([], found) => write!(f, "the file has {} there, too", listed(found)),
                (searched, found) => write!(
                    f,
                    "the file has {} where the edit has {}",
                    listed(found),
                    listed(searched)
                ),
            },
        }
    }
}

impl Miss {
    /// The reason in one sentence.
    pub fn headline(&self) -> String {
        match &self.reason {
            Reason::NotFound { .. } => "the text to change is not in the file".to_owned(),
            Reason::Ambiguous { n_places, .. } => {
                format!(
                    "the text to change occurs in {n_places} places, and nothing says which is \
                        meant"
                )
            }
            Reason::Miscounted { expected, found } => {
                format!(
                    "the text to change stands there {found} times, not {expected} times as the \
                        edit says"
                )
            }
            Reason::InsideWords { n_places: 1 } => {
                "the text to replace everywhere occurs once, inside a longer word".to_owned()
            }
            Reason::InsideWords { n_places } => {
                format!(
                    "the text to replace everywhere occurs {n_places} times, only inside longer \
                        words"
                )
            }
            Reason::Unfit {
                lines: Some(lines),
                why,
            } => {
                format!("the text to change was found in {lines}, but {why}")
            }
            Reason::Unfit { lines: None, why } => why.clone(),
        }
    }

    /// The full explanation for people, line by line.
    pub fn explained(&self) -> Vec<String> {
        let mut lines = vec![self.headline()];
        match &self.reason {
            Reason::NotFound {
                nearest: Some(nearest),
            } => {
                lines.push(format!(
                    "nearest is {} (- searched, + in the file):",
                    nearest.lines
                ));
                lines.extend(nearest.differences.iter().map(|line| format!("  {line}")));
                lines.extend(
                    nearest
                        .causes
                        .iter()
                        .map(|cause| format!("differs: {cause}")),
                );
            }
            Reason::Ambiguous {
                candidates,
                n_places,
                ..
            } => {
                for candidate in candidates {
                    let within = candidate
                        .within
                        .as_ref()
                        .map(|name| format!(" in {name}"))
                        .unwrap_or_default();
                    let beside = |word: &str, line: &Option<String>| {
                        line.as_ref()
                            .map(|line| format!(", {word} {line:?}"))
                            .unwrap_or_default()
                    };
                    let (above, below) = (
                        beside("after", &candidate.above),
                        beside("before", &candidate.below),
                    );
                    lines.push(format!("  {}{within}{above}{below}", candidate.lines));
                }
                if *n_places > candidates.len() {
                    lines.push(format!("  and {} more", n_places - candidates.len()));
                }
            }
            _ => {}
        }
        lines.push(format!("next: {}", self.next));
        lines
    }
}
