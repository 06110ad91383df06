//! The last rung: lines that differ in more than whitespace, but have the same tokens.
//!
//! The file must have every searched line, with the same words, numbers, strings and operators in
//! the same order. Only whitespace, the kind of quotes and a comma or semicolon at the end may
//! differ. The file may also have a few lines that the searched text leaves out; [`super::fit`]
//! keeps them, or refuses the edit. So a changed name or number, or an invented line, never
//! matches. The search starts at the rarest line, as merge tools anchor on unique lines. Its time
//! is linear in the size of the file.

use super::fold::{Fold, is_blank, words};
use super::found::{Place, aligned_place};
use super::haystack::Haystack;
use crate::hunk::Hunk;
use std::collections::HashMap;

/// A line in more places than this cannot be the anchor.
const MAX_ANCHORS: usize = 64;
/// The most lines that may be left out in one place.
const MAX_GAP: usize = 3;
/// The number of searched lines needed for each left-out line.
const MIN_LINES_FOR_ONE_LEFT_OUT: usize = 3;
/// The place must be better than any other by more than this, in lines. A place that lacks one of
/// the searched lines is as likely as one where a line is left out.
const MARGIN: f64 = 0.5;
/// The cost of a left-out line, in lines.
const GAP_COST: f64 = 0.5;
/// The cost of a line that is not exactly the same, in lines.
const DIFFERENCE_COST: f64 = 0.25;

/// The place, if no other comes close to it; or several candidates.
pub(super) fn places(haystack: &Haystack, hunk: &Hunk) -> Vec<Place> {
    let Some(search) = TokenSearch::new(haystack, hunk) else {
        return Vec::new();
    };
    let mut found = search.alignments();
    // Several places are several candidates; the caller reports them.
    if let [only] = found.as_slice()
        && search.score(only) - search.runner_up(only) <= MARGIN
    {
        found.clear();
    }
    found
        .iter()
        .map(|alignment| search.place(alignment))
        .collect()
}

/// A search for lines with the same tokens. Searched lines and lines of the file count without
/// blank ones.
struct TokenSearch<'a, 't> {
    haystack: &'a Haystack<'t>,
    /// All searched lines.
    old: Vec<&'a str>,
    /// Which of them are not blank.
    searched: Vec<usize>,
    /// The class of each searched line under [`Fold::Punctuation`].
    classes: Vec<u32>,
    /// The same under [`Fold::Whitespace`], where the file has such a line.
    same_classes: Vec<Option<u32>>,
}

/// The line of the file for each searched line.
type Alignment = Vec<usize>;

impl<'a, 't> TokenSearch<'a, 't> {
    /// `None` if the file lacks one of the lines, or none of them has words.
    fn new(haystack: &'a Haystack<'t>, hunk: &'a Hunk) -> Option<Self> {
        let old: Vec<&str> = hunk.old().collect();
        let searched: Vec<usize> = (0..old.len()).filter(|&i| !is_blank(old[i])).collect();
        let like = haystack.lines_under(Fold::Punctuation);
        let same = haystack.lines_under(Fold::Whitespace);
        let mut classes = Vec::with_capacity(searched.len());
        let mut same_classes = Vec::with_capacity(searched.len());
        for &i in &searched {
            classes.push(like.number_of(Fold::Punctuation, old[i])?);
            same_classes.push(same.number_of(Fold::Whitespace, old[i]));
        }

        let has_words = old.iter().any(|line| words(line).next().is_some());
        has_words.then_some(TokenSearch {
            haystack,
            old,
            searched,
            classes,
            same_classes,
        })
    }

    /// All alignments, by the lines that may be the rarest of the searched ones.
    fn alignments(&self) -> Vec<Alignment> {
        let positions = &self.haystack.lines_under(Fold::Punctuation).positions;
        let rarest = (0..self.classes.len())
            .min_by_key(|&k| positions[self.classes[k] as usize].len())
            .expect("it is not empty");
        let positions = &positions[self.classes[rarest] as usize];
        if positions.len() > MAX_ANCHORS {
            return Vec::new();
        }
        let mut alignments = Vec::new();
        for &at in positions {
            let at = self.haystack.not_blank().binary_search(&(at as usize));
            alignments.extend(at.ok().and_then(|at| self.aligned(rarest, at)));
        }
        alignments
    }

    /// The alignment in which the searched line `anchor` is the file's line `at`.
    fn aligned(&self, anchor: usize, at: usize) -> Option<Alignment> {
        let n_lines = self.haystack.not_blank().len();
        let mut aligned = vec![0; self.classes.len()];
        aligned[anchor] = at;
        for k in (0..anchor).rev() {
            let from = aligned[k + 1];
            let first = from.saturating_sub(self.max_gap(k, k + 1) + 1);
            aligned[k] = self.nearest((first..from).rev(), k)?;
        }
        for k in anchor + 1..self.classes.len() {
            let from = aligned[k - 1] + 1;
            let end = from + self.max_gap(k, k - 1) + 1;
            aligned[k] = self.nearest(from..end.min(n_lines), k)?;
        }

        let max_left_out = aligned.len() / MIN_LINES_FOR_ONE_LEFT_OUT;
        (n_left_out(&aligned) <= max_left_out).then_some(aligned)
    }

    /// The first line of the file that may be a searched one. An exactly equal line wins over a
    /// similar one. Brackets must be equal, since they say too little.
    fn nearest(&self, lines: impl Iterator<Item = usize> + Clone, k: usize) -> Option<usize> {
        let like = &self.haystack.lines_under(Fold::Punctuation).of_line;
        let not_blank = self.haystack.not_blank();
        let same = lines.clone().find(|&i| self.is_same(i, k));
        same.or_else(|| {
            let mut lines = lines.filter(|_| self.has_words(k));
            lines.find(|&i| like[not_blank[i]] == self.classes[k])
        })
    }

    fn is_same(&self, i: usize, k: usize) -> bool {
        let same = &self.haystack.lines_under(Fold::Whitespace).of_line;
        Some(same[self.haystack.not_blank()[i]]) == self.same_classes[k]
    }

    fn has_words(&self, k: usize) -> bool {
        words(self.old[self.searched[k]]).next().is_some()
    }

    /// How many lines may be left out between two searched ones. Lines beside a bracket cannot be
    /// told from lines beside another bracket.
    fn max_gap(&self, k: usize, beside: usize) -> usize {
        if self.has_words(k) && self.has_words(beside) {
            MAX_GAP
        } else {
            0
        }
    }

    /// How good an alignment is, in lines.
    fn score(&self, alignment: &[usize]) -> f64 {
        let pairs = alignment.iter().enumerate();
        let n_different = pairs.filter(|&(k, &i)| !self.is_same(i, k)).count();
        alignment.len() as f64
            - GAP_COST * n_left_out(alignment) as f64
            - DIFFERENCE_COST * n_different as f64
    }

    /// The most searched lines, in order and without a gap, at any other place.
    fn runner_up(&self, alignment: &[usize]) -> f64 {
        let not_blank = self.haystack.not_blank();
        let first = not_blank[alignment[0]] as isize;
        let last = not_blank[alignment[alignment.len() - 1]] as isize;
        votes(self.haystack, &self.old)
            .into_iter()
            .filter(|(start, _)| !(first..=last).contains(start))
            .map(|(_, n)| n)
            .fold(0.0, f64::max)
    }

    fn place(&self, alignment: &[usize]) -> Place {
        let mut aligned = vec![None; self.old.len()];
        for (&i, &at) in self.searched.iter().zip(alignment) {
            aligned[i] = Some(self.haystack.not_blank()[at]);
        }
        aligned_place(self.haystack, aligned)
    }
}

/// How many lines of the file an alignment leaves out.
fn n_left_out(alignment: &[usize]) -> usize {
    let n_lines = alignment[alignment.len() - 1].saturating_sub(alignment[0]) + 1;
    n_lines.saturating_sub(alignment.len())
}

/// For each line of the file where the searched text might begin: how many searched lines would be
/// in their places.
pub(super) fn votes(haystack: &Haystack, old: &[&str]) -> HashMap<isize, f64> {
    let lines = haystack.lines_under(Fold::Indentation);
    let mut votes: HashMap<isize, f64> = HashMap::new();
    for (i, line) in old.iter().enumerate().filter(|(_, line)| !is_blank(line)) {
        let Some(number) = lines.number_of(Fold::Indentation, line) else {
            continue;
        };
        let positions = &lines.positions[number as usize];
        if positions.len() <= MAX_ANCHORS {
            for &at in positions {
                *votes.entry(at as isize - i as isize).or_default() += 1.0;
            }
        }
    }
    votes
}
