//! Finds the lines of a file that a part of a sketch is a version of. All of the part is aligned with
//! a stretch of the file, line by line (Needleman and Wunsch, 1970, with free ends in the file), and
//! leaving out many lines at once costs little more than a few (Gotoh, 1982).
//!
//! The numbers below were chosen on half of some 680 drafts of this project's own diffs, of which the
//! exact rules can place none. Of the other half, with a line or more around each change, 139 of 201
//! were clear in all their parts, and 2 of these were wrong.

use std::collections::HashSet;
use std::ops::Range;

/// Lines that are less alike, 0 to 1, are not a pair.
const ALIKE: f64 = 0.6;
/// What a pair of equal lines is worth: a line without letters, and what a long one has on top.
const EQUAL: f64 = 0.4;
const LONG: f64 = 1.0;
const BLANK: f64 = 0.1;
/// A line of so many characters is long.
const LONG_FROM: usize = 12;
/// As many lines at each end of a part are mostly copied, to say the place. Those between are what
/// changed, and count so much of their worth.
const CONTEXT: usize = 2;
const BETWEEN: f64 = 0.2;
/// What it is worth if an end of a part is a line of the file, or both end together.
const END: f64 = 1.0;
/// What lines cost that only one side has: the file's, which would be lost, for the first one and
/// for each, and a new one.
const LOSS: f64 = 1.0;
const LOST: f64 = 0.05;
const NEW: f64 = 0.05;
/// A place of less than this part of what equal lines would be worth is left out.
const LEAST: f64 = 0.1;
/// A place that is worth less than this part of the best one is left out.
const OF_BEST: f64 = 0.5;
/// There is a doubt if a place apart from the best one is worth more than this part of it, or one
/// that begins and ends as the part does.
const DOUBT: f64 = 0.8;
const DOUBT_OF_SAME_ENDS: f64 = 0.9;
/// If lines would be lost, one of so many characters must say that it is the place: two closing
/// brackets do not.
const TELLING: usize = 8;
/// The most places.
const MOST: usize = 4;

/// What of the place is known beforehand.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Known {
    /// It begins with the first line.
    pub start: bool,
    /// The text ends with the part, and the file with the lines that are offered.
    pub is_last: bool,
}

/// The stretches of a file's lines that some new lines may be a version of.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Places {
    /// Best first, at most four. They do not overlap.
    pub lines: Vec<Range<usize>>,
    /// Whether the first of them is the one without doubt: the new lines begin and end as it does,
    /// and no other is nearly as good.
    pub is_clear: bool,
}

/// The best alignment that ends at some lines of both sides.
#[derive(Clone, Copy, Debug)]
struct End {
    worth: f64,
    /// The line of the file that it begins with.
    start: usize,
    /// The length of its longest line that both sides have, or one like it.
    told: usize,
}

impl End {
    fn less(self, cost: f64) -> End {
        End {
            worth: self.worth - cost,
            ..self
        }
    }
}

/// The better of two; the first of two that are equally good.
fn better(a: Option<End>, b: Option<End>) -> Option<End> {
    match (a, b) {
        (Some(a), Some(b)) if b.worth > a.worth => Some(b),
        (a, b) => a.or(b),
    }
}

/// About how many steps it takes to align these lines.
pub(super) fn n_steps(new: &[Line], file: &[Line]) -> usize {
    let length = |lines: &[Line]| {
        lines
            .iter()
            .map(|line| 1 + line.bigrams.len())
            .sum::<usize>()
    };
    (new.len().saturating_mul(length(file))).saturating_add(file.len().saturating_mul(length(new)))
}

/// The stretches of a file's lines that some new lines may be a version of.
pub(super) fn alike(new: &[Line], file: &[Line], known: Known) -> Places {
    let (Some(first_new), Some(last_new)) = (new.first(), new.last()) else {
        return Places::default();
    };
    let n_lines = file
        .iter()
        .rposition(|line| !line.is_blank())
        .map_or(0, |last| last + 1);
    let at_end = |at: usize| {
        if known.is_last && at >= n_lines {
            END
        } else {
            0.0
        }
    };
    let place = |(at, end): (usize, Option<End>)| {
        let end = end.filter(|end| end.start < at)?;
        Some((end.worth + at_end(at), end.start..at, end.told))
    };
    let mut found: Vec<(f64, Range<usize>, usize)> = (0..)
        .zip(ends(new, file, known.start))
        .filter_map(place)
        .collect();
    found.sort_by(|a, b| b.0.total_cmp(&a.0));
    let most = new.iter().map(Line::worth).sum::<f64>() + 2.0 * END;
    let Some((best, first, told)) = found
        .first()
        .cloned()
        .filter(|found| found.0 >= LEAST * most)
    else {
        return Places::default();
    };
    let apart = |a: &Range<usize>, b: &Range<usize>| a.end <= b.start || b.end <= a.start;
    let has_ends = |lines: &Range<usize>| {
        (known.start || file[lines.start].text == first_new.text)
            && file[lines.end - 1].text == last_new.text
    };
    let is_rival = |(worth, lines, _): &(f64, Range<usize>, usize)| {
        (*worth > DOUBT * best && apart(lines, &first))
            || (*worth > DOUBT_OF_SAME_ENDS * best && has_ends(lines))
    };
    let texts: HashSet<&str> = new.iter().map(|line| line.text.as_str()).collect();
    let mut replaced = file[first.clone()].iter().filter(|line| !line.is_blank());
    let is_told = told >= TELLING || replaced.all(|line| texts.contains(line.text.as_str()));
    let is_clear = has_ends(&first) && is_told && !found.iter().skip(1).any(is_rival);
    let mut lines: Vec<Range<usize>> = Vec::new();
    for (worth, place, _) in found {
        let is_good = worth >= LEAST * most && worth >= OF_BEST * best;
        if is_good && lines.len() < MOST && lines.iter().all(|other| apart(other, &place)) {
            lines.push(place);
        }
    }
    Places { lines, is_clear }
}

/// By the number of the file's lines before its end: the best alignment of all new lines.
/// `from_first`: it begins with the file's first line.
fn ends(new: &[Line], file: &[Line], from_first: bool) -> Vec<Option<End>> {
    let begin = |start: usize| {
        (start == 0 || !from_first).then_some(End {
            worth: 0.0,
            start,
            told: 0,
        })
    };
    let mut ends: Vec<Option<End>> = (0..=file.len()).map(begin).collect();
    for (i, line) in new.iter().enumerate() {
        let mut next: Vec<Option<End>> = Vec::with_capacity(ends.len());
        let mut with_loss: Option<End> = None; // the last line of the file is lost
        let cost = if line.is_blank() { 0.0 } else { NEW };
        for at in 0..ends.len() {
            let mut best = ends[at].map(|end| end.less(cost));
            if let Some(before) = at.checked_sub(1) {
                let lost = if file[before].is_blank() {
                    LOST / 2.0
                } else {
                    LOST
                };
                let begun = next[before].map(|end: End| end.less(LOSS + lost));
                with_loss = better(begun, with_loss.map(|end| end.less(lost)));
                best = better(best, with_loss);
                let pair = line.pair(&file[before]).and_then(|(worth, is_equal)| {
                    let is_end = [i == 0, i + 1 == new.len()];
                    let is_context = i < CONTEXT || i + CONTEXT >= new.len();
                    let worth = if is_context { worth } else { BETWEEN * worth };
                    let n_ends = is_end.iter().filter(|&&is_end| is_end && is_equal).count();
                    let end = ends[before]?;
                    let worth = end.worth + worth + END * n_ends as f64;
                    Some(End {
                        worth,
                        told: end.told.max(line.n_chars()),
                        ..end
                    })
                });
                best = better(best, pair);
            }
            next.push(best);
        }
        ends = next;
    }
    ends
}

/// A line as it is compared.
#[derive(Clone, Debug)]
pub(super) struct Line {
    /// As all of the search compares it: see [`plain`](super::sketch).
    text: String,
    /// The bytes of its indentation.
    depth: usize,
    /// The pairs of its neighbouring characters, sorted. Whitespace between words is one space, and
    /// that around the line is nothing.
    bigrams: Vec<(char, char)>,
}

impl Line {
    /// `plain`: the line as equal ones are found.
    pub fn of(line: &str, plain: &str) -> Line {
        let words = line.split_whitespace().collect::<Vec<_>>().join(" ");
        let mut bigrams: Vec<_> = words.chars().zip(words.chars().skip(1)).collect();
        bigrams.sort_unstable();
        let depth = line.len() - line.trim_start().len();
        Line {
            text: plain.trim().to_owned(),
            depth,
            bigrams,
        }
    }

    fn is_blank(&self) -> bool {
        self.text.is_empty()
    }

    fn n_chars(&self) -> usize {
        if self.is_blank() {
            0
        } else {
            self.bigrams.len() + 1
        }
    }

    /// How much a line tells, 0 to 1.
    fn weight(&self) -> f64 {
        (self.n_chars() as f64 / LONG_FROM as f64).min(1.0)
    }

    /// What it is worth if the other side has the same line.
    fn worth(&self) -> f64 {
        if self.is_blank() {
            BLANK
        } else {
            EQUAL + LONG * self.weight()
        }
    }

    /// What it is worth that the other side has this line, and whether both are equal; none if they
    /// are not alike.
    fn pair(&self, other: &Line) -> Option<(f64, bool)> {
        if self.text == other.text {
            let is_moved = !self.is_blank() && self.depth != other.depth;
            return Some((
                if is_moved {
                    self.worth() / 2.0
                } else {
                    self.worth()
                },
                true,
            ));
        }
        let likeness = self.likeness(other);
        (likeness >= ALIKE).then(|| ((2.0 * likeness - 1.0) * self.weight(), false))
    }

    /// How much two lines have in common, 0 to 1 (Dice's coefficient).
    fn likeness(&self, other: &Line) -> f64 {
        let total = self.bigrams.len() + other.bigrams.len();
        // Blank lines are not alike, nor are lines of which one is too long.
        if total == 0 || 4 * self.bigrams.len().min(other.bigrams.len()) < total {
            return 0.0;
        }
        let (mut these, mut those) = (self.bigrams.as_slice(), other.bigrams.as_slice());
        let mut n_common = 0;
        while let ([a, these_left @ ..], [b, those_left @ ..]) = (these, those) {
            let order = a.cmp(b);
            n_common += usize::from(order.is_eq());
            these = if order.is_le() { these_left } else { these };
            those = if order.is_ge() { those_left } else { those };
        }
        2.0 * n_common as f64 / total as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = "use a::{b, c};\n\nfn f(x: u8) {\n    one(x)\n}\n\nfn g(x: u8) {\n    \
                        two(x);\n    three(x)\n}\n";

    fn places(new: &str, file: &str, known: Known) -> (Vec<(usize, usize)>, bool) {
        let of = |text: &str| {
            text.lines()
                .map(|line| Line::of(line, line))
                .collect::<Vec<_>>()
        };
        let places = alike(&of(new), &of(file), known);
        let lines = places
            .lines
            .into_iter()
            .map(|lines| (lines.start, lines.end))
            .collect();
        (lines, places.is_clear)
    }

    #[track_caller]
    fn check(new: &str, start: bool, expected: &[(usize, usize)]) {
        assert_eq!(
            places(
                new,
                FILE,
                Known {
                    start,
                    is_last: false
                }
            )
            .0,
            expected
        );
    }

    #[test]
    fn a_version_of_some_lines_is_found() {
        check("use a::{b, c, d};", false, &[(0, 1)]);
        check("    two(x, 1);\n    three(x, 1)", false, &[(7, 9)]);
        check(
            "    two(x, 1);\n    let y = x;\n    three(x, 1)",
            false,
            &[(7, 9)],
        );
        check("    zero(&[]);\n    three(x);", false, &[(8, 9)]);
        check("fn h() -> String {\n    format!(\"nothing\")", false, &[]);
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
    }

    #[track_caller]
    fn check_clear(new: &str, file: &str, expected: (usize, usize)) {
        assert_eq!(
            places(new, file, Known::default()),
            (vec![expected], true),
            "{new}"
        );
    }

    #[test]
    fn lines_around_what_changed_say_the_place() {
        // The last line stands twice: the first of them loses less.
        check_clear("fn f(x: u8) {\n    one(x, 1)\n}", FILE, (2, 5));
        // So does the first line.
        check_clear("}\n\nfn h() {}\n\nfn g(x: u8) {", FILE, (4, 7));
        // Many lines may be lost where both ends are there.
        let long = format!(
            "fn f(x: u8) {{\n{}    last(x)\n}}\n",
            "    one(x)\n".repeat(20)
        );
        check_clear("fn f(x: u8) {\n    last(x)\n}", &long, (0, 23));
    }

    #[test]
    fn two_places_that_are_nearly_as_good_are_a_doubt() {
        let twice = "a(1);\nb(1);\nc(1);\nx\na(1);\nb(1);\nc(1);\n";
        let (lines, is_clear) = places("a(1);\nb(2);\nc(1);", twice, Known::default());
        assert_eq!((lines, is_clear), (vec![(0, 3), (4, 7)], false));
        let (_, is_clear) = places("    two(x, 1);\n    three(x)", FILE, Known::default());
        assert!(!is_clear, "its first line is new");
    }

    #[test]
    fn another_place_with_the_same_ends_is_a_doubt() {
        // Both places have the same closing brace.
        let file = "fn a() {\n    one(1);\n}\n\n/// Doc of b.\nfn b(path: &Path) -> String {\n    \
                    read_to_string(path).unwrap()\n}\n\nfn c() {\n    three(3);\n}\n";
        let (_, is_clear) = places("}\n\nfn append(x: u8) {\n    x\n}", file, Known::default());
        assert!(!is_clear);
        // Two brackets do not tell that what is between them goes.
        let two = file.split_inclusive('\n').take(8).collect::<String>();
        let (_, is_clear) = places("}\n\nfn append(x: u8) {\n    x\n}", &two, Known::default());
        assert!(!is_clear);
        // The beginning is known, and the end may be either line.
        let file = "def f():\n    a()\n    save(self)\n    b()\n    save(self)\n    c()\n";
        let known = Known {
            start: true,
            is_last: false,
        };
        let (lines, is_clear) = places("def f():\n    z()\n    save(self)", file, known);
        assert_eq!((lines, is_clear), (vec![(0, 3)], false));
    }

    #[test]
    fn a_last_part_ends_where_the_file_does() {
        let file = "fn a() {\n    one(1);\n}\n\nfn b() {\n    two(2);\n}\n\n";
        let part = "fn b() {\n    two(3);\n    two(4);\n}";
        for is_last in [false, true] {
            let known = Known {
                start: false,
                is_last,
            };
            assert_eq!(places(part, file, known), (vec![(4, 7)], true));
            // A bracket alone is the last one only if the file ends with it.
            assert_eq!(
                places("}", file, known).0,
                if is_last {
                    [(6, 7), (2, 3)]
                } else {
                    [(2, 3), (6, 7)]
                }
            );
        }
    }
}
