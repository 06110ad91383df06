//! Finds the lines of a file that are most like some other lines: a local alignment of both, line by
//! line (Smith and Waterman, 1981).

use std::collections::BTreeMap;
use std::ops::Range;

/// Lines that are less alike, 0 to 1, are not a pair.
const ALIKE: f64 = 0.5;
/// What a pair of lines is worth: twice its likeness, less this.
const PAIR: f64 = 0.6;
/// What a line costs that only one side has: the file's, which would be lost, and a new one.
const LOST: f64 = 0.5;
const NEW: f64 = 0.15;
/// How much of the longer side must have its like, 0 to 1.
const SHARE: f64 = 0.35;
/// A place that is worth less than this part of the best one is left out.
const OF_BEST: f64 = 0.5;
/// The most places.
const MOST: usize = 4;
/// More comparisons of lines would take seconds.
const MOST_PAIRS: usize = 1 << 20;

/// The best alignment that ends at some lines of both sides.
#[derive(Clone, Copy, Debug)]
struct End {
    worth: f64,
    /// The line of the file that it begins with.
    start: usize,
    /// The sum of the likeness of its pairs.
    likeness: f64,
}

/// The stretches of a file's lines that some new lines may be a version of, best first, at most
/// four; they do not overlap. None if nothing is like them. `from_first`: they begin with the first
/// line.
pub(super) fn alike(new: &[&str], file: &[&str], from_first: bool) -> Vec<Range<usize>> {
    if new.len().saturating_mul(file.len()) > MOST_PAIRS {
        return Vec::new();
    }
    let new: Vec<Bigrams> = new.iter().map(|line| Bigrams::of(line)).collect();
    let file: Vec<Bigrams> = file.iter().map(|line| Bigrams::of(line)).collect();
    let begin = |start: usize| {
        (start == 0 || !from_first).then_some(End { worth: 0.0, start, likeness: 0.0 })
    };
    // By the number of the file's lines before the end.
    let mut ends: Vec<Option<End>> = (0..=file.len()).map(begin).collect();
    for line in &new {
        let mut next: Vec<Option<End>> = Vec::with_capacity(ends.len());
        for at in 0..ends.len() {
            let less = |end: End, cost: f64| End { worth: end.worth - cost, ..end };
            let is_new = ends[at].map(|end| less(end, NEW));
            let is_lost =
                at.checked_sub(1).and_then(|before| next[before]).map(|end| less(end, LOST));
            let is_pair = at.checked_sub(1).and_then(|before| {
                let (end, likeness) = (ends[before]?, line.likeness(&file[before]));
                let worth = end.worth + 2.0 * likeness - PAIR;
                let likeness_of_all = end.likeness + likeness;
                let pair = End { worth, start: end.start, likeness: likeness_of_all };
                (likeness >= ALIKE).then_some(pair)
            });
            let all = [is_new, is_lost, is_pair].into_iter().flatten();
            next.push(all.max_by(|a, b| a.worth.total_cmp(&b.worth)));
        }
        ends = next;
    }
    let share = |end: &End, at: usize| end.likeness / new.len().max(at - end.start) as f64;
    let mut found: Vec<(f64, Range<usize>)> = ends
        .iter()
        .enumerate()
        .filter_map(|(at, end)| end.filter(|end| end.start < at).map(|end| (at, end)))
        .filter(|(at, end)| share(end, *at) >= SHARE)
        .map(|(at, end)| (end.worth, end.start..at))
        .collect();
    found.sort_by(|a, b| b.0.total_cmp(&a.0));
    let least = found.first().map_or(0.0, |(best, _)| OF_BEST * best);
    let mut places: Vec<Range<usize>> = Vec::new();
    for (worth, lines) in found {
        let is_apart = |other: &Range<usize>| lines.end <= other.start || other.end <= lines.start;
        if worth > 0.0 && worth >= least && places.iter().all(is_apart) && places.len() < MOST {
            places.push(lines);
        }
    }
    places
}

/// How often a line has each pair of neighbouring characters. Whitespace between words is one
/// space, and that around the line is nothing.
struct Bigrams {
    counts: BTreeMap<(char, char), usize>,
    total: usize,
}

impl Bigrams {
    fn of(line: &str) -> Bigrams {
        let plain = line.split_whitespace().collect::<Vec<_>>().join(" ");
        let mut counts = BTreeMap::new();
        for pair in plain.chars().zip(plain.chars().skip(1)) {
            *counts.entry(pair).or_default() += 1;
        }
        Bigrams { total: counts.values().sum(), counts }
    }

    /// How much two lines have in common, 0 to 1 (Dice's coefficient).
    fn likeness(&self, other: &Bigrams) -> f64 {
        let total = self.total + other.total;
        // Blank lines are not alike, nor are lines of which one is too long.
        if total == 0 || 4 * self.total.min(other.total) < total {
            return 0.0;
        }
        let common: usize = self
            .counts
            .iter()
            .filter_map(|(pair, n)| other.counts.get(pair).map(|m| *n.min(m)))
            .sum();
        2.0 * common as f64 / total as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = "use a::{b, c};\n\nfn f(x: u8) {\n    one(x)\n}\n\nfn g(x: u8) {\n    \
                        two(x);\n    three(x)\n}\n";

    #[track_caller]
    fn check(new: &str, from_first: bool, expected: &[(usize, usize)]) {
        let (new, file): (Vec<&str>, Vec<&str>) = (new.lines().collect(), FILE.lines().collect());
        let found = alike(&new, &file, from_first);
        let found: Vec<_> = found.into_iter().map(|lines| (lines.start, lines.end)).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn a_version_of_some_lines_is_found() {
        check("use a::{b, c, d};", false, &[(0, 1)]);
        check("    two(x, 1);\n    three(x, 1)", false, &[(7, 9)]);
        check("    two(x, 1);\n    let y = x;\n    three(x, 1)", false, &[(7, 9)]);
        check("    zero(&[]);\n    three(x);", false, &[(8, 9)]);
        check("fn h() -> String {\n    format!(\"nothing\")\n}\n", false, &[]);
        check("", false, &[]);
    }

    #[test]
    fn places_that_are_equally_alike_are_all_given() {
        check("fn k(x: u8) {", false, &[(2, 3), (6, 7)]);
    }

    #[test]
    fn the_beginning_may_be_known() {
        check("use a::{b, c};\n\nfn f(x: u16) {", true, &[(0, 3)]);
        check("use x;", true, &[]);
        let long = "x y\n".repeat(2_000);
        let lines: Vec<&str> = long.lines().collect();
        assert!(alike(&lines, &lines, false).is_empty(), "bounded");
    }
}
