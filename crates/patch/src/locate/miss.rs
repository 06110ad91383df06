//! Why an edit cannot be made: the searched text, the text in the file, and the next step. People
//! and models read the same explanation.

use super::fit::Unfit;
use super::fold::{Fold, folded_line, indentation, is_blank, words};
use super::found::Rung;
use super::fuzzy;
use super::haystack::Haystack;
use super::stretch;
use crate::hunk::Hunk;
use crate::text::line_diff::diff;
use schemars::JsonSchema;
use serde::Serialize;
use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt;
use std::ops::Range;

/// The most places that are listed.
pub(super) const MAX_CANDIDATES: usize = 10;
/// The most lines of a text that are shown.
const MAX_LINES: usize = 30;
/// The most bytes of a text that are shown.
const MAX_BYTES: usize = 3_000;
/// The most differing words that are named.
const MAX_WORDS: usize = 6;
/// A longer word is cut, in bytes.
const MAX_WORD: usize = 60;
/// A word that is on more lines than this says nothing about a place.
const MAX_WORD_LINES: usize = 200;

/// An edit that cannot be made.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Miss {
    /// Why it cannot be made.
    #[serde(flatten)]
    pub reason: Reason,
    /// The text that was searched.
    pub searched: String,
    /// What to do next, in a sentence.
    pub next: String,
}

/// Why an edit cannot be made.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(tag = "reason", rename_all = "snake_case")]
pub enum Reason {
    /// The searched text is not in the file.
    NotFound {
        /// The place that is most like it, if any is.
        nearest: Option<Box<Nearest>>,
    },
    /// The searched text occurs in several places, and nothing says which is meant.
    Ambiguous {
        /// How it was found.
        rung: Rung,
        /// The number of places.
        n_places: usize,
        /// The first ten places.
        candidates: Vec<Candidate>,
    },
    /// The searched text does not occur as often as the edit says.
    Miscounted {
        /// How often it occurs according to the edit.
        expected: usize,
        /// How often it occurs in the file.
        found: usize,
    },
    /// All words that equal the searched text are meant, and it occurs inside longer words only.
    InsideWords {
        /// How often it occurs.
        n_places: usize,
    },
    /// The searched text was found, but the new text would have to be guessed.
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
    /// The number of the first line.
    pub first: usize,
    /// The number of the last line.
    pub last: usize,
}

/// The place that is most like the searched text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Nearest {
    /// Its lines.
    pub lines: LineRange,
    /// Its text.
    pub text: String,
    /// The lines of both: ` ` in both, `-` searched only, `+` in the file only. In lines that
    /// differ, invisible characters are spelled out: `·` a space at the end or in an indentation,
    /// `→` a tab, `<U+00A0>`.
    pub differences: Vec<String>,
    /// The kinds of differences.
    pub causes: Vec<Cause>,
}

/// A difference between the searched text and the file.
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
        /// Those that only the searched text has.
        searched: Vec<String>,
        /// Those that only the file has.
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
    /// Its lines.
    pub lines: LineRange,
    /// The name of the definition around it.
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
        if self.first == self.last {
            write!(f, "line {}", self.first)
        } else {
            write!(f, "lines {}-{}", self.first, self.last)
        }
    }
}

impl Candidate {
    pub(super) fn of(haystack: &Haystack, lines: Range<usize>) -> Candidate {
        let n_lines = haystack.lines.len();
        let enclosing = haystack.outline().enclosing(lines.start);
        let above = (0..lines.start).rev().find(|&i| !haystack.is_blank(i));
        let below = (lines.end..n_lines).find(|&i| !haystack.is_blank(i));
        Candidate {
            lines: LineRange::of(&lines),
            within: enclosing.map(|name| stretch::beginning(name).into_owned()),
            above: above.map(|i| shown_line(haystack, i)),
            below: below.map(|i| shown_line(haystack, i)),
        }
    }
}

fn shown_line(haystack: &Haystack, i: usize) -> String {
    stretch::beginning(haystack.line_text(i).trim()).into_owned()
}

fn miss(hunk: &Hunk, reason: Reason, next: impl Into<String>) -> Miss {
    Miss {
        reason,
        searched: searched(hunk),
        next: next.into(),
    }
}

pub(super) fn ambiguous(
    hunk: &Hunk,
    rung: Rung,
    n_places: usize,
    candidates: Vec<Candidate>,
) -> Miss {
    let reason = Reason::Ambiguous {
        rung,
        n_places,
        candidates,
    };
    let next = "add lines from around the place that is meant to the searched text, until it \
        occurs only once";
    miss(hunk, reason, next)
}

pub(super) fn miscounted(hunk: &Hunk, expected: usize, found: usize) -> Miss {
    let next = format!("if all {found} are meant, say so; if one is, add lines from around it");
    miss(hunk, Reason::Miscounted { expected, found }, next)
}

pub(super) fn inside_words(hunk: &Hunk, n_places: usize) -> Miss {
    let next = "write the whole word, or change one place with lines from around it";
    miss(hunk, Reason::InsideWords { n_places }, next)
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
    let reason = Reason::Unfit {
        lines: lines.as_ref().map(LineRange::of),
        why: stretch::beginning(&unfit.to_string()).into_owned(),
    };
    miss(hunk, reason, next)
}

pub(super) fn not_found(haystack: &Haystack, hunk: &Hunk) -> Miss {
    let old: Vec<&str> = hunk.old().collect();
    let nearest = nearest(haystack, &old).map(Box::new);
    let next = match &nearest {
        Some(nearest) => {
            let lines = nearest.lines;
            let it = if lines.first == lines.last {
                "it is"
            } else {
                "they are"
            };
            format!("copy the searched text from {lines} as {it}, or look elsewhere")
        }
        None => {
            "nothing in the file is like it: read the file again, or name another file".to_owned()
        }
    };
    miss(hunk, Reason::NotFound { nearest }, next)
}

fn searched(hunk: &Hunk) -> String {
    bounded(hunk.old().map(|line| stretch::beginning(line).into_owned())).join("\n")
}

/// As many lines as are shown, and how many there are beside them.
fn bounded(lines: impl Iterator<Item = String>) -> Vec<String> {
    let mut shown: Vec<String> = lines.collect();
    let mut n_bytes = 0;
    let is_too_long = shown.iter().position(|line| {
        n_bytes += line.len();
        n_bytes > MAX_BYTES
    });
    let n_shown = is_too_long.unwrap_or(shown.len()).min(MAX_LINES);
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

/// The lines of both. Long ones are cut to the part that differs.
fn stretches<'l>(old: &[&'l str], found: &[&'l str]) -> (Vec<Cow<'l, str>>, Vec<Cow<'l, str>>) {
    let mut old_lines = Vec::with_capacity(old.len());
    let mut found_lines = Vec::with_capacity(found.len());
    for (old, found) in old.iter().zip(found) {
        let (old, found) = stretch::of_pair(old, found);
        old_lines.push(old);
        found_lines.push(found);
    }
    let n_both = old_lines.len();
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
        for lines in words(line).filter_map(|word| by_word.get(word)) {
            if lines.len() > MAX_WORD_LINES {
                continue;
            }
            for &at in lines {
                *votes.entry(at as isize - i as isize).or_default() += 1.0 / lines.len() as f64;
            }
        }
    }
    votes
}

fn differences(old: &[&str], found: &[&str]) -> (Vec<String>, Vec<Cause>) {
    let old_plain: Vec<_> = old
        .iter()
        .map(|l| folded_line(Fold::Whitespace, l))
        .collect();
    let found_plain: Vec<_> = found
        .iter()
        .map(|l| folded_line(Fold::Whitespace, l))
        .collect();
    let mut shown = Vec::new();
    let mut causes = Vec::new();
    for op in diff(&old_plain, &found_plain) {
        let from = &old[op.old_range()];
        let to = &found[op.new_range()];
        if from.len() == to.len() {
            for (a, b) in from.iter().zip(to) {
                match cause(a, b) {
                    None => shown.push(format!(" {b}")),
                    Some(cause) => {
                        causes.push(cause);
                        shown.extend([format!("-{}", visible(a)), format!("+{}", visible(b))]);
                    }
                }
            }
            continue;
        }

        shown.extend(from.iter().map(|line| format!("-{}", visible(line))));
        shown.extend(to.iter().map(|line| format!("+{}", visible(line))));
        if from.iter().any(|line| !is_blank(line)) {
            causes.push(Cause::LinesNotThere);
        }
        if to.iter().any(|line| !is_blank(line)) {
            causes.push(Cause::LinesLeftOut);
        }
    }
    causes.sort();
    causes.dedup();
    (bounded(shown.into_iter()), causes)
}

/// The first difference between two lines that is enough to explain it; `None` if they are equal.
fn cause(searched: &str, found: &str) -> Option<Cause> {
    if searched == found {
        return None;
    }
    let by_fold = [
        (Fold::TrailingWhitespace, Cause::TrailingWhitespace),
        (Fold::Unicode, Cause::Unicode),
        (Fold::Indentation, Cause::Indentation),
        (Fold::Whitespace, Cause::Whitespace),
        (Fold::Punctuation, Cause::Punctuation),
    ];
    for (fold, cause) in by_fold {
        if folded_line(fold, searched) == folded_line(fold, found) {
            return Some(cause);
        }
    }
    let only_searched = words_only_in(searched, found);
    let only_found = words_only_in(found, searched);
    if only_searched.is_empty() && only_found.is_empty() {
        return Some(Cause::Signs);
    }
    Some(Cause::Words {
        searched: only_searched,
        found: only_found,
    })
}

/// The words of a line that another one does not have.
fn words_only_in(line: &str, other: &str) -> Vec<String> {
    let other: Vec<&str> = words(other).collect();
    let mut only = Vec::new();
    for word in words(line).filter(|word| !other.contains(word)) {
        only.push(word[..word.floor_char_boundary(MAX_WORD)].to_owned());
    }
    only.dedup();
    only.truncate(MAX_WORDS);
    only
}

/// A line with its invisible characters spelled out.
fn visible(line: &str) -> String {
    let indent_end = indentation(line).len();
    let text_end = line.trim_end().len();
    let mut visible = String::with_capacity(line.len());
    for (i, c) in line.char_indices() {
        match c {
            '\t' => visible.push('→'),
            ' ' if i < indent_end || i >= text_end => visible.push('·'),
            '\r' => visible.push_str("<CR>"),
            c if c == ' ' || c.is_ascii_graphic() => visible.push(c),
            c if c.is_control() || c.is_whitespace() || is_like_ascii(c) => {
                visible += &format!("<U+{:04X}>", u32::from(c));
            }
            c => visible.push(c),
        }
    }
    visible
}

/// Whether a character is easily taken for one of the keyboard.
fn is_like_ascii(c: char) -> bool {
    folded_line(Fold::Unicode, c.encode_utf8(&mut [0; 4])).is_ascii()
}

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Cause::TrailingWhitespace => "whitespace at the ends of lines",
            Cause::Unicode => "quotes, dashes, spaces or accents that look alike but differ",
            Cause::Indentation => "the indentation, and not of all lines alike",
            Cause::Whitespace => "whitespace between words",
            Cause::Punctuation => "commas, semicolons or the kind of quotes",
            Cause::Signs => "signs or operators between the same words",
            Cause::LinesNotThere => "lines that the file does not have there",
            Cause::LinesLeftOut => "lines of the file that the edit leaves out",
            Cause::Words { searched, found } => return write_words(f, searched, found),
        })
    }
}

fn write_words(f: &mut fmt::Formatter<'_>, searched: &[String], found: &[String]) -> fmt::Result {
    let in_edit = quoted(searched);
    let in_file = quoted(found);
    if found.is_empty() {
        write!(f, "the file does not have {in_edit} there")
    } else if searched.is_empty() {
        write!(f, "the file has {in_file} there, too")
    } else {
        write!(f, "the file has {in_file} where the edit has {in_edit}")
    }
}

fn quoted(words: &[String]) -> String {
    let quoted: Vec<String> = words.iter().map(|word| format!("{word:?}")).collect();
    quoted.join(", ")
}

impl Miss {
    /// The reason in one sentence.
    pub fn headline(&self) -> String {
        match &self.reason {
            Reason::NotFound { .. } => "the text to change is not in the file".to_owned(),
            Reason::Ambiguous { n_places, .. } => format!(
                "the text to change occurs in {n_places} places, and nothing says which is meant"
            ),
            Reason::Miscounted { expected, found } => format!(
                "the text to change occurs {found} times, not {expected} times as the edit says"
            ),
            Reason::InsideWords { n_places: 1 } => {
                "the text to replace everywhere occurs once, inside a longer word".to_owned()
            }
            Reason::InsideWords { n_places } => format!(
                "the text to replace everywhere occurs {n_places} times, only inside longer words"
            ),
            Reason::Unfit {
                lines: Some(lines),
                why,
            } => format!("the text to change was found in {lines}, but {why}"),
            Reason::Unfit { lines: None, why } => why.clone(),
        }
    }

    /// The full explanation for people, line by line.
    pub fn explained(&self) -> Vec<String> {
        let mut lines = vec![self.headline()];
        match &self.reason {
            Reason::NotFound {
                nearest: Some(nearest),
            } => nearest.explain(&mut lines),
            Reason::Ambiguous {
                candidates,
                n_places,
                ..
            } => {
                lines.extend(candidates.iter().map(Candidate::explained));
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

impl Nearest {
    fn explain(&self, explained: &mut Vec<String>) {
        explained.push(format!(
            "nearest is {} (- searched, + in the file):",
            self.lines
        ));
        for line in &self.differences {
            explained.push(format!("  {line}"));
        }
        for cause in &self.causes {
            explained.push(format!("differs: {cause}"));
        }
    }
}

impl Candidate {
    fn explained(&self) -> String {
        let mut explained = format!("  {}", self.lines);
        if let Some(name) = &self.within {
            explained += &format!(" in {name}");
        }
        if let Some(line) = &self.above {
            explained += &format!(", after {line:?}");
        }
        if let Some(line) = &self.below {
            explained += &format!(", before {line:?}");
        }
        explained
    }
}
