//! The result of a search: the rung, the places, and the replacements to make there.

use super::haystack::Haystack;
use crate::edit::Replacement;
use crate::hunk::Hunk;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::ops::Range;

/// How a searched text was found.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Rung {
    /// As it is.
    Exact,
    /// With other line endings.
    LineEndings,
    /// With other whitespace at the ends of lines.
    #[serde(rename = "trailing_blanks")]
    TrailingWhitespace,
    /// With other quotes, dashes, spaces or accents of Unicode.
    Unicode,
    /// Indented more or less, all lines alike.
    Indentation,
    /// Indented with other characters or in other steps, or with other whitespace between words.
    #[serde(rename = "tabs_and_blanks")]
    Whitespace,
    /// With more or fewer blank lines.
    BlankLines,
    /// Once escapes (`\n`, `\"`, `&lt;`) were undone.
    Escapes,
    /// Once line numbers were taken off.
    LineNumbers,
    /// By its words, numbers and strings, in order.
    Fuzzy,
}

impl fmt::Display for Rung {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Rung::Exact => "as it is",
            Rung::LineEndings => "with other line endings",
            Rung::TrailingWhitespace => "with other whitespace at the ends of lines",
            Rung::Unicode => "with other quotes, dashes, spaces or accents",
            Rung::Indentation => "with other indentation",
            Rung::Whitespace => "with other tabs and spaces",
            Rung::BlankLines => "with more or fewer blank lines",
            Rung::Escapes => "once escapes were undone",
            Rung::LineNumbers => "once line numbers were taken off",
            Rung::Fuzzy => "by its words, numbers and strings",
        })
    }
}

/// An edit whose places are known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Located {
    /// The rung on which it was found.
    pub rung: Rung,
    /// The replacements; sorted, disjoint.
    pub replacements: Vec<Replacement>,
    /// The lines of each place, counted from 0.
    pub lines: Vec<Range<usize>>,
}

/// The result of a successful search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Lookup {
    /// The edit is to be made here.
    Here(Located),
    /// The edit was made before: the new text is on these lines, counted from 0.
    AlreadyThere(Range<usize>),
}

/// A place in the file that a hunk may mean.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// A byte range of the text.
    Text(Range<usize>),
    /// Consecutive lines, starting at this one (counted from 0).
    Lines(usize),
    /// The line of the file for each searched line; `None` for a blank line that the file lacks.
    Aligned(Vec<Option<usize>>),
}

impl Place {
    /// The lines of the place, counted from 0.
    pub(super) fn lines(&self, haystack: &Haystack, hunk: &Hunk) -> Range<usize> {
        match self {
            Place::Text(range) => {
                haystack.line_at(range.start)
                    ..haystack.line_at(range.end.max(range.start + 1) - 1) + 1
            }
            Place::Lines(first) => *first..first + hunk.old().count(),
            Place::Aligned(lines) => {
                let first = lines.iter().flatten().min();
                let last = lines.iter().flatten().max();
                first.copied().unwrap_or(0)..last.map_or(0, |last| last + 1)
            }
        }
    }

    /// The byte range of each searched line in the file, without the line ending.
    pub(super) fn spans(&self, haystack: &Haystack, hunk: &Hunk) -> Vec<Option<Range<usize>>> {
        match self {
            Place::Text(range) => {
                let mut spans = Vec::new();
                let mut start = range.start;
                for text in haystack.shown[range.clone()].split('\n') {
                    spans.push(Some(start..start + text.len()));
                    start += text.len() + 1;
                }
                spans
            }
            Place::Lines(first) => (*first..first + hunk.old().count())
                .map(|i| Some(haystack.lines[i].start..haystack.lines[i].end))
                .collect(),
            Place::Aligned(lines) => lines
                .iter()
                .map(|i| i.map(|i| haystack.lines[i].start..haystack.lines[i].end))
                .collect(),
        }
    }
}

/// The place with this line of the file for each searched line. A searched blank line without a
/// line gets the blank line beside its neighbour, if the file has one there.
pub(super) fn aligned_place(haystack: &Haystack, mut aligned: Vec<Option<usize>>) -> Place {
    for k in 1..aligned.len() {
        if let (None, Some(before)) = (aligned[k], aligned[k - 1]) {
            let is_free = before + 1 < haystack.lines.len() && haystack.is_blank(before + 1);
            aligned[k] = is_free.then_some(before + 1);
        }
    }
    // Above it, there may be lines that the searched text leaves out.
    for k in (0..aligned.len().saturating_sub(1)).rev() {
        if let (None, Some(after)) = (aligned[k], aligned[k + 1]) {
            let above = aligned[..k].iter().rev().flatten().next();
            aligned[k] = after
                .checked_sub(1)
                .filter(|&i| above.is_none_or(|&above| above < i) && haystack.is_blank(i));
        }
    }
    Place::Aligned(aligned)
}

/// The index of the only place that fits; `None` if none or several do.
pub(super) fn only_fitting(places: &[Place], fits: impl Fn(&Place) -> bool) -> Option<usize> {
    let mut fitting = (0..places.len()).filter(|&i| fits(&places[i]));
    let first = fitting.next()?;
    fitting.next().is_none().then_some(first)
}

/// Keeps only the place that fits, if exactly one does.
pub(super) fn keep_if_one(places: &mut Vec<Place>, fits: impl Fn(&Place) -> bool) {
    if let Some(only) = only_fitting(places, fits) {
        *places = vec![places.swap_remove(only)];
    }
}
