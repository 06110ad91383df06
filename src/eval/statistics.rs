//! What the numbers of an evaluation show, and what they do not.
//!
//! The unit is the task. Runs and wordings of one task are not independent of each other, so a task
//! counts once: it is passed if more than half of its runs are. Two columns (a model with a
//! strategy) are compared on the tasks that both have, by the tasks that only one of them passed
//! (McNemar's test, exact).

use super::record::Row;
use std::collections::BTreeMap;

/// The quantile of the normal distribution for intervals of 95 %.
const Z: f64 = 1.959_963_984_540_054;

/// A difference is shown if its p is below this.
const SIGNIFICANT: f64 = 0.05;

/// How many of a number passed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Share {
    /// The number that passed.
    pub passed: usize,
    /// The whole number.
    pub of: usize,
}

impl Share {
    /// From 0 to 1; 0 if there are none.
    pub fn rate(self) -> f64 {
        if self.of == 0 {
            0.0
        } else {
            self.passed as f64 / self.of as f64
        }
    }

    /// Whether more than half passed: a tie is not passed.
    pub fn is_majority(self) -> bool {
        2 * self.passed > self.of
    }

    /// Where the true rate lies with 95 % confidence (Wilson 1927): the rates from which this one
    /// is less than 1.96 standard deviations away. From 0 to 1 if there are none.
    pub fn interval(self) -> (f64, f64) {
        if self.of == 0 {
            return (0.0, 1.0);
        }
        let n = self.of as f64;
        let rate = self.rate();
        let center = rate + Z * Z / (2.0 * n);
        let radius = Z * (rate * (1.0 - rate) / n + Z * Z / (4.0 * n * n)).sqrt();
        let scale = 1.0 + Z * Z / n;
        let mut low = (center - radius) / scale;
        let mut high = (center + radius) / scale;

        // At the ends the formula is exact, and its rounding is not.
        if self.passed == 0 {
            low = 0.0;
        }
        if self.passed == self.of {
            high = 1.0;
        }
        (low, high)
    }
}

impl FromIterator<bool> for Share {
    fn from_iter<I: IntoIterator<Item = bool>>(passed: I) -> Share {
        let mut share = Share::default();
        for passed in passed {
            share.passed += usize::from(passed);
            share.of += 1;
        }
        share
    }
}

/// How many runs of each task passed, all its wordings together.
pub fn by_task<'a>(rows: impl IntoIterator<Item = &'a Row>) -> BTreeMap<&'a str, Share> {
    let mut tasks: BTreeMap<&str, Share> = BTreeMap::new();
    for row in rows {
        let share = tasks.entry(&row.task).or_default();
        share.of += 1;
        share.passed += usize::from(row.passed);
    }
    tasks
}

/// How many tasks were passed by the majority of their runs.
pub fn majority<'a>(tasks: impl IntoIterator<Item = &'a Share>) -> Share {
    tasks.into_iter().map(|share| share.is_majority()).collect()
}

/// Two columns on the tasks that both have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Paired {
    /// Tasks that both passed.
    pub both: u64,
    /// Tasks that only the first passed.
    pub only_first: u64,
    /// Tasks that only the second passed.
    pub only_second: u64,
    /// Tasks that neither passed.
    pub neither: u64,
}

impl Paired {
    /// What each passed by the majority of its runs, on the tasks that both have.
    pub fn of(first: &BTreeMap<&str, Share>, second: &BTreeMap<&str, Share>) -> Paired {
        let mut paired = Paired::default();
        for (task, first) in first {
            let Some(second) = second.get(task) else {
                continue;
            };
            *match (first.is_majority(), second.is_majority()) {
                (true, true) => &mut paired.both,
                (true, false) => &mut paired.only_first,
                (false, true) => &mut paired.only_second,
                (false, false) => &mut paired.neither,
            } += 1;
        }
        paired
    }

    /// How many tasks both have.
    pub fn tasks(self) -> u64 {
        self.both + self.only_first + self.only_second + self.neither
    }

    /// A sentence that says which one is better, if a difference is shown.
    pub fn sentence(self, first: &str, second: &str) -> String {
        let n = self.tasks();
        if n == 0 {
            return format!("{first} and {second} have no task in common");
        }
        let tasks = if n == 1 { "task" } else { "tasks" };
        let equal = format!("no difference shown between {first} and {second}");
        if self.only_first + self.only_second == 0 {
            let both = self.both;
            return format!("{equal}: of {n} {tasks} both got the same {both} right");
        }

        let p = two_sided_binomial(self.only_first, self.only_second);
        let better = p < SIGNIFICANT;
        let mut pair = [(first, self.only_first), (second, self.only_second)];
        if better && self.only_second > self.only_first {
            pair.swap(0, 1);
        }
        let [(one, n_one), (other, n_other)] = pair;
        let claim = if better {
            format!("{one} is better than {other}")
        } else {
            equal
        };
        let p = p_in_words(p);
        format!(
            "{claim}: of {n} {tasks} {n_one} only {one} got right, {n_other} only {other} ({p})"
        )
    }
}

/// How probable so uneven a result, or a more uneven one either way, is if neither is better: the
/// probability that of a + b fair coins at most min(a, b) or at least max(a, b) show heads.
fn two_sided_binomial(a: u64, b: u64) -> f64 {
    if a == b {
        return 1.0;
    }
    let n = a + b;
    let fewer = a.min(b);

    // The logarithm of C(n, k) / 2^n from one k to the next. For thousands of tasks the numbers
    // themselves would not fit.
    let mut logarithm = -(n as f64) * std::f64::consts::LN_2;
    let mut tail = logarithm.exp();
    for k in 1..=fewer {
        logarithm += ((n - k + 1) as f64 / k as f64).ln();
        tail += logarithm.exp();
    }
    (2.0 * tail).min(1.0)
}

/// As many digits as tell it from 0, and at most two.
fn p_in_words(p: f64) -> String {
    let digits = match p {
        p if p < 0.000_001 => return "p < 0.000001".to_owned(),
        p if p >= 0.995 => return "p = 1".to_owned(),
        // One digit that is not 0: 0.00002, 0.004.
        p if p < 0.01 => (-p.log10()).ceil() as usize,
        p if p < 0.1 => 3,
        _ => 2,
    };
    format!("p = {p:.digits$}")
}

/// The value in the middle; `None` if there are no values.
pub fn median(values: impl IntoIterator<Item = f64>) -> Option<f64> {
    let mut values: Vec<f64> = values.into_iter().collect();
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    match values.len() {
        0 => None,
        n if n % 2 == 1 => Some(values[middle]),
        _ => Some((values[middle - 1] + values[middle]) / 2.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_values() {
        // Wilson's interval of 15 of 30 and of 0 of 6, as published tables have them.
        let (low, high) = Share { passed: 15, of: 30 }.interval();
        assert!((low - 0.3315).abs() < 5e-5 && (high - 0.6685).abs() < 5e-5);
        let (low, high) = Share { passed: 0, of: 6 }.interval();
        assert!(low == 0.0 && (high - 0.3903).abs() < 5e-5, "{low} {high}");
        let (low, high) = Share { passed: 6, of: 6 }.interval();
        assert!((low - 0.6097).abs() < 5e-5 && high == 1.0, "{low} {high}");
        assert_eq!(Share::default().interval(), (0.0, 1.0));
        assert!(!Share { passed: 1, of: 2 }.is_majority());
        assert!(Share { passed: 2, of: 3 }.is_majority());
        // Far from where the numbers fit; by the normal distribution, z = (200 - 1) / 100.
        let p = two_sided_binomial(5100, 4900);
        assert!((p - 0.0466).abs() < 1e-4, "{p}");
        // 1, 6 and 15 of the 64 outcomes of six coins have 0, 1 and 2 heads.
        assert!((two_sided_binomial(2, 4) - 44.0 / 64.0).abs() < 1e-12);
        assert_eq!(median([]), None);
        assert_eq!(median([3.0, -1.0, 2.0]), Some(2.0));
        assert_eq!(median([4.0, 1.0, 2.0, 3.0]), Some(2.5));
    }

    #[test]
    fn differences_in_words() {
        let counts = [
            [90, 31, 4, 49],
            [90, 4, 31, 49],
            [90, 12, 9, 63],
            [0, 5, 0, 1],
            [0, 6, 0, 1],
            [0, 40, 0, 0],
            [3, 0, 0, 1],
            [0, 1, 1, 0],
            [0, 0, 0, 0],
        ];
        let expected = "\
A is better than B: of 174 tasks 31 only A got right, 4 only B (p = 0.000003)
B is better than A: of 174 tasks 31 only B got right, 4 only A (p = 0.000003)
no difference shown between A and B: of 174 tasks 12 only A got right, 9 only B (p = 0.66)
no difference shown between A and B: of 6 tasks 5 only A got right, 0 only B (p = 0.062)
A is better than B: of 7 tasks 6 only A got right, 0 only B (p = 0.031)
A is better than B: of 40 tasks 40 only A got right, 0 only B (p < 0.000001)
no difference shown between A and B: of 4 tasks both got the same 3 right
no difference shown between A and B: of 2 tasks 1 only A got right, 1 only B (p = 1)
A and B have no task in common";
        let sentences = counts.map(|[both, only_first, only_second, neither]| {
            let paired = Paired {
                both,
                only_first,
                only_second,
                neither,
            };
            paired.sentence("A", "B")
        });
        assert_eq!(sentences.join("\n"), expected);
    }

    #[test]
    fn small_probabilities_keep_a_digit() {
        let check = |p, expected: &str| assert_eq!(p_in_words(p), expected);
        check(0.00002, "p = 0.00002");
        check(0.0099, "p = 0.010");
        check(0.004, "p = 0.004");
        check(0.000_96, "p = 0.0010");
        check(0.049_96, "p = 0.050");
        check(0.2, "p = 0.20");
        check(1.0, "p = 1");
    }
}
