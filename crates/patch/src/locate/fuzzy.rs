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
    let lines = haystack.lines_under(Fold::Punctuation);
    let old: Vec<&str> = hunk.old().collect();
    let searched: Vec<usize> = (0..old.len()).filter(|&i| !is_blank(old[i])).collect();
    let numbers: Option<Vec<u32>> = searched
        .iter()
        .map(|&i| lines.number_of(Fold::Punctuation, old[i]))
        .collect();
    let says_something = old.iter().any(|line| words(line).next().is_some());
    let Some(numbers) = numbers.filter(|_| says_something) else {
        return Vec::new();
    };
    let same = haystack.lines_under(Fold::Whitespace);
    let same_number = |&i: &usize| same.number_of(Fold::Whitespace, old[i]).unwrap_or(u32::MAX);
    let same_numbers: Vec<u32> = searched.iter().map(same_number).collect();
    let has_words = |k: usize| words(old[searched[k]]).next().is_some();
    let rarity = |k: &usize| lines.positions[numbers[*k] as usize].len();
    let anchor = (0..numbers.len())
        .min_by_key(rarity)
        .expect("it is not empty");
    if rarity(&anchor) > MAX_ANCHORS {
        return Vec::new();
    }
    let not_blank = haystack.not_blank();
    let mut found: Vec<(Vec<usize>, f64)> = Vec::new();
    for &at in &lines.positions[numbers[anchor] as usize] {
        let Ok(at) = not_blank.binary_search(&(at as usize)) else {
            continue;
        };
        // An exactly equal line wins over a similar one. Brackets must be equal, since they say too
        // little.
        let is_same = |i: usize, k: usize| same.of_line[not_blank[i]] == same_numbers[k];
        let is_like =
            |i: usize, k: usize| lines.of_line[not_blank[i]] == numbers[k] && has_words(k);
        let nearest = |range: &mut dyn Iterator<Item = usize>, k: usize| {
            let range: Vec<usize> = range.collect();
            range
                .iter()
                .find(|&&i| is_same(i, k))
                .or_else(|| range.iter().find(|&&i| is_like(i, k)))
                .copied()
        };
        // Lines beside a bracket cannot be told from lines beside another bracket.
        let max_gap = |k: usize, beside: usize| {
            if has_words(k) && has_words(beside) {
                MAX_GAP
            } else {
                0
            }
        };
        let mut aligned = vec![0; numbers.len()];
        aligned[anchor] = at;
        let above = (0..anchor).rev().all(|k| {
            let from = aligned[k + 1];
            let line = nearest(
                &mut (from.saturating_sub(max_gap(k, k + 1) + 1)..from).rev(),
                k,
            );
            line.inspect(|&i| aligned[k] = i).is_some()
        });
        let below = (anchor + 1..numbers.len()).all(|k| {
            let from = aligned[k - 1] + 1;
            let line = nearest(
                &mut (from..(from + max_gap(k, k - 1) + 1).min(not_blank.len())),
                k,
            );
            line.inspect(|&i| aligned[k] = i).is_some()
        });
        let n_lines = aligned[numbers.len() - 1].saturating_sub(aligned[0]) + 1;
        let n_left_out = n_lines.saturating_sub(numbers.len());
        if above && below && n_left_out <= numbers.len() / MIN_LINES_FOR_ONE_LEFT_OUT {
            let lines: Vec<usize> = aligned.iter().map(|&i| not_blank[i]).collect();
            let n_different = (0..lines.len())
                .filter(|&k| !is_same(aligned[k], k))
                .count();
            let score = lines.len() as f64
                - GAP_COST * n_left_out as f64
                - DIFFERENCE_COST * n_different as f64;
            found.push((lines, score));
        }
    }
    let [(lines, score)] = found.as_slice() else {
        // Several places are several candidates; the caller reports them.
        return found
            .into_iter()
            .map(|(lines, _)| place(haystack, &old, &searched, &lines))
            .collect();
    };
    if score - runner_up(haystack, &old, lines) <= MARGIN {
        return Vec::new();
    }
    vec![place(haystack, &old, &searched, lines)]
}

fn place(haystack: &Haystack, old: &[&str], searched: &[usize], lines: &[usize]) -> Place {
    let mut aligned = vec![None; old.len()];
    for (&i, &line) in searched.iter().zip(lines) {
        aligned[i] = Some(line);
    }
    aligned_place(haystack, aligned)
}

/// The most searched lines, in order and without a gap, at any other place.
fn runner_up(haystack: &Haystack, old: &[&str], taken: &[usize]) -> f64 {
    let (first, last) = (taken[0], taken[taken.len() - 1]);
    votes(haystack, old)
        .into_iter()
        .filter(|(start, _)| !(first as isize..=last as isize).contains(start))
        .map(|(_, n)| n)
        .fold(0.0, f64::max)
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
