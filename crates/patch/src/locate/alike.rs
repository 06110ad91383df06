//! Finds the lines of a file that a part of a sketch is a version of. All of the part is aligned with
//! a stretch of the file, line by line (Needleman and Wunsch, 1970, with free ends in the file), and
//! leaving out many lines at once costs little more than a few (Gotoh, 1982).
//!
//! The numbers below were chosen on half of some 680 drafts of this project's own diffs, of which the
//! exact rules can place none. Of the other half, with a line or more around each change, 139 of 201
//! were clear in all their parts, and 2 of these were wrong.

use std::collections::HashSet;
use std::ops::Range;

// What alignments are worth. The unit is what the length of a long line adds to its worth, what each
// end of a part adds if it is a line of the file or both end together, and what it costs to lose
// lines of the file, however many.

/// Worth of a line that both sides have, apart from its length.
const EQUAL: f64 = 0.4;
/// The same for a blank line.
const BLANK: f64 = 0.1;
/// A line of so many characters is long.
const LONG_FROM: usize = 12;
/// Lines that are less alike, 0 to 1, are not a pair.
const ALIKE: f64 = 0.6;
/// As many lines at each end of a part are mostly copied, to say the place.
const CONTEXT: usize = 2;
/// The lines between those changed, and count so much of their worth.
const BETWEEN: f64 = 0.2;
/// Cost of each line that only one side has.
const UNPAIRED: f64 = 0.05;

// Which places are reported, and when the first of them is clear.

/// A place is left out if it is worth less than this part of what equal lines would be worth.
const LEAST: f64 = 0.1;
/// A place is left out if it is worth less than this part of the best one.
const OF_BEST: f64 = 0.5;
/// A place apart from the best one is a doubt if it is worth more than this part of it.
const DOUBT: f64 = 0.8;
/// The same for any place that begins and ends as the part does.
const DOUBT_OF_SAME_ENDS: f64 = 0.9;
/// If lines would be lost, one of so many characters must say that it is the place: two closing
/// brackets do not.
const TELLING: usize = 8;
/// The most places.
const MOST: usize = 4;

/// What is known of the place beforehand.
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

/// About how many steps it takes to align these lines.
pub(super) fn n_steps(new: &[Line], file: &[Line]) -> usize {
    let new_len: usize = new.iter().map(|line| 1 + line.bigrams.len()).sum();
    let file_len: usize = file.iter().map(|line| 1 + line.bigrams.len()).sum();
    let by_file = new.len().saturating_mul(file_len);
    by_file.saturating_add(file.len().saturating_mul(new_len))
}

/// The stretches of a file's lines that some new lines may be a version of.
pub(super) fn alike(new: &[Line], file: &[Line], known: Known) -> Places {
    if new.is_empty() {
        return Places::default();
    }
    let alignment = Alignment { new, file, known };
    let candidates = alignment.candidates();
    let least = LEAST * (new.iter().map(Line::worth).sum::<f64>() + 2.0);
    let Some(best) = candidates.first().filter(|best| best.worth >= least) else {
        return Places::default();
    };

    let rivals = &candidates[1..];
    let is_clear = alignment.has_ends(&best.lines)
        && alignment.is_telling(best)
        && !rivals.iter().any(|other| alignment.is_rival(other, best));
    let mut lines: Vec<Range<usize>> = Vec::new();
    for candidate in &candidates {
        let is_good = candidate.worth >= least.max(OF_BEST * best.worth);
        let is_apart = lines.iter().all(|other| are_apart(other, &candidate.lines));
        if is_good && is_apart && lines.len() < MOST {
            lines.push(candidate.lines.clone());
        }
    }
    Places { lines, is_clear }
}

fn are_apart(a: &Range<usize>, b: &Range<usize>) -> bool {
    a.end <= b.start || b.end <= a.start
}

/// The best alignment that ends at some lines of both sides.
#[derive(Clone, Copy, Debug)]
struct End {
    worth: f64,
    /// The line of the file that it begins with.
    start: usize,
    /// The length of its longest line that both sides have, or one like it.
    longest: usize,
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

/// A place and its worth.
struct Candidate {
    worth: f64,
    lines: Range<usize>,
    /// See [`End::longest`].
    longest: usize,
}

/// New lines and the lines of a file, to be aligned.
#[derive(Clone, Copy)]
struct Alignment<'a> {
    new: &'a [Line],
    file: &'a [Line],
    known: Known,
}

impl Alignment<'_> {
    /// The best place for each line of the file that it may end before, best first.
    fn candidates(self) -> Vec<Candidate> {
        let last = self.file.iter().rposition(|line| !line.is_blank());
        let n_lines = last.map_or(0, |last| last + 1);
        let mut candidates = Vec::new();
        for (at, end) in self.ends().into_iter().enumerate() {
            if let Some(end) = end.filter(|end| end.start < at) {
                let ends_together = self.known.is_last && at >= n_lines;
                candidates.push(Candidate {
                    worth: end.worth + f64::from(ends_together),
                    lines: end.start..at,
                    longest: end.longest,
                });
            }
        }
        candidates.sort_by(|a, b| b.worth.total_cmp(&a.worth));
        candidates
    }

    /// By the number of the file's lines before its end: the best alignment of all new lines.
    fn ends(self) -> Vec<Option<End>> {
        let mut ends = Vec::with_capacity(self.file.len() + 1);
        for start in 0..=self.file.len() {
            let may_begin = start == 0 || !self.known.start;
            ends.push(may_begin.then_some(End {
                worth: 0.0,
                start,
                longest: 0,
            }));
        }
        for i in 0..self.new.len() {
            ends = self.extended(i, &ends);
        }
        ends
    }

    /// The best alignments of the new lines up to line `i`, from those without it.
    fn extended(self, i: usize, ends: &[Option<End>]) -> Vec<Option<End>> {
        let cost = if self.new[i].is_blank() {
            0.0
        } else {
            UNPAIRED
        };
        let mut extended: Vec<Option<End>> = Vec::with_capacity(ends.len());
        // The best alignment after which the last line of the file is lost.
        let mut with_loss: Option<End> = None;
        for at in 0..ends.len() {
            let mut best = ends[at].map(|end| end.less(cost));
            if let Some(before) = at.checked_sub(1) {
                let is_blank = self.file[before].is_blank();
                let lost = if is_blank { UNPAIRED / 2.0 } else { UNPAIRED };
                let begun = extended[before].map(|end| end.less(1.0 + lost));
                with_loss = better(begun, with_loss.map(|end| end.less(lost)));
                best = better(best, with_loss);
                best = better(
                    best,
                    ends[before].and_then(|end| self.paired(end, i, before)),
                );
            }
            extended.push(best);
        }
        extended
    }

    /// The alignment with a pair of lines more; `None` if they are not alike.
    fn paired(self, end: End, i: usize, at: usize) -> Option<End> {
        let line = &self.new[i];
        let (mut worth, is_equal) = line.pair(&self.file[at])?;
        let is_context = i < CONTEXT || i + CONTEXT >= self.new.len();
        if !is_context {
            worth *= BETWEEN;
        }
        let is_first = i == 0;
        let is_last = i + 1 == self.new.len();
        if is_equal {
            worth += f64::from(is_first) + f64::from(is_last);
        }
        Some(End {
            worth: end.worth + worth,
            longest: end.longest.max(line.n_chars()),
            ..end
        })
    }

    /// Whether some lines of the file begin and end as the new lines do.
    fn has_ends(self, lines: &Range<usize>) -> bool {
        let starts = self.known.start || self.file[lines.start].text == self.new[0].text;
        starts && self.file[lines.end - 1].text == self.new[self.new.len() - 1].text
    }

    /// Whether a long line says that it is the place, or no line would be lost there.
    fn is_telling(self, place: &Candidate) -> bool {
        let texts: HashSet<&str> = self.new.iter().map(|line| line.text.as_str()).collect();
        let mut replaced = self.file[place.lines.clone()].iter();
        place.longest >= TELLING
            || replaced.all(|line| line.is_blank() || texts.contains(line.text.as_str()))
    }

    fn is_rival(self, other: &Candidate, best: &Candidate) -> bool {
        (other.worth > DOUBT * best.worth && are_apart(&other.lines, &best.lines))
            || (other.worth > DOUBT_OF_SAME_ENDS * best.worth && self.has_ends(&other.lines))
    }
}

/// A line as it is compared.
#[derive(Clone, Debug)]
pub(super) struct Line {
    /// The line as equal ones are found.
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
            EQUAL + self.weight()
        }
    }

    /// What it is worth that the other side has this line, and whether both are equal; `None` if
    /// they are not alike.
    fn pair(&self, other: &Line) -> Option<(f64, bool)> {
        if self.text == other.text {
            let is_moved = !self.is_blank() && self.depth != other.depth;
            let worth = self.worth();
            return Some((if is_moved { worth / 2.0 } else { worth }, true));
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
        let mut these = self.bigrams.as_slice();
        let mut those = other.bigrams.as_slice();
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
        let new: Vec<Line> = new.lines().map(|line| Line::of(line, line)).collect();
        let file: Vec<Line> = file.lines().map(|line| Line::of(line, line)).collect();
        let Places { lines, is_clear } = alike(&new, &file, known);
        let lines = lines.into_iter().map(|lines| (lines.start, lines.end));
        (lines.collect(), is_clear)
    }

    #[test]
    fn a_version_of_some_lines_is_found() {
        for (new, expected) in [
            ("use a::{b, c, d};", &[(0, 1)][..]),
            ("    two(x, 1);\n    three(x, 1)", &[(7, 9)]),
            ("    two(x, 1);\n    let y = x;\n    three(x, 1)", &[(7, 9)]),
            ("    zero(&[]);\n    three(x);", &[(8, 9)]),
            ("fn h() -> String {\n    format!(\"nothing\")", &[]),
            ("", &[]),
            // Equally alike.
            ("fn k(x: u8) {", &[(2, 3), (6, 7)]),
        ] {
            assert_eq!(places(new, FILE, Known::default()).0, expected, "{new}");
        }
        let known = Known {
            start: true,
            is_last: false,
        };
        for (new, expected) in [
            ("use a::{b, c};\n\nfn f(x: u16) {", &[(0, 3)][..]),
            ("use x;", &[]),
        ] {
            assert_eq!(places(new, FILE, known).0, expected, "{new}");
        }
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
