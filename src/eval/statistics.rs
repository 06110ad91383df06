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

/// Below this, a difference is said to be shown.
pub const SIGNIFICANT: f64 = 0.05;

/// Some of so many.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Share {
    /// Those that passed.
    pub passed: usize,
    /// All.
    pub of: usize,
}

impl Share {
    /// From 0 to 1; 0 of nothing.
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
    /// is less than 1.96 standard deviations away. From 0 to 1 if there is nothing to go by.
    pub fn interval(self) -> (f64, f64) {
        if self.of == 0 {
            return (0.0, 1.0);
        }
        let (n, rate) = (self.of as f64, self.rate());
        let center = rate + Z * Z / (2.0 * n);
        let radius = Z * (rate * (1.0 - rate) / n + Z * Z / (4.0 * n * n)).sqrt();
        let scale = 1.0 + Z * Z / n;
        // At the ends the formula is exact, and its rounding is not.
        let low = if self.passed == 0 {
            0.0
        } else {
            (center - radius) / scale
        };
        let high = if self.passed == self.of {
            1.0
        } else {
            (center + radius) / scale
        };
        (low, high)
    }
}

impl FromIterator<bool> for Share {
    fn from_iter<I: IntoIterator<Item = bool>>(passed: I) -> Share {
        passed
            .into_iter()
            .fold(Share::default(), |share, passed| Share {
                passed: share.passed + usize::from(passed),
                of: share.of + 1,
            })
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

    /// How probable so uneven a result (or a more uneven one, either way) would be if neither were
    /// better: the two-sided binomial test on the tasks that only one of them passed.
    pub fn p(self) -> f64 {
        two_sided_binomial(self.only_first, self.only_second)
    }

    /// What it shows, in words.
    pub fn sentence(self, first: &str, second: &str) -> String {
        let Paired {
            both,
            only_first,
            only_second,
            ..
        } = self;
        let (n, p) = (self.tasks(), self.p());
        let tasks = if n == 1 {
            "1 task"
        } else {
            &format!("{n} tasks")
        };
        if n == 0 {
            return format!("{first} and {second} have no task in common");
        }
        if only_first + only_second == 0 {
            return format!(
                "no difference shown between {first} and {second}: \
                 of {tasks} both got the same {both} right"
            );
        }
        let counts = |first: &str, n_first: u64, second: &str, n_second: u64| {
            format!(
                "of {tasks} {n_first} only {first} got right, {n_second} only {second} ({})",
                p_in_words(p)
            )
        };
        if p >= SIGNIFICANT {
            format!(
                "no difference shown between {first} and {second}: {}",
                counts(first, only_first, second, only_second)
            )
        } else if only_first > only_second {
            format!(
                "{first} is better than {second}: {}",
                counts(first, only_first, second, only_second)
            )
        } else {
            format!(
                "{second} is better than {first}: {}",
                counts(second, only_second, first, only_first)
            )
        }
    }
}

/// The probability that of a + b fair coins at most min(a, b) or at least max(a, b) show heads.
fn two_sided_binomial(a: u64, b: u64) -> f64 {
    let (n, fewer) = (a + b, a.min(b));
    if a == b {
        return 1.0;
    }
    // The logarithm of C(n, k) / 2^n from one k to the next: of thousands of tasks the numbers
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

/// The value in the middle of a list; none of an empty one.
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
    use proptest::prelude::*;

    /// C(n, k) by Pascal's triangle.
    fn ways(n: u64, k: u64) -> u128 {
        (1..=u128::from(k)).fold(1, |ways, i| ways * (u128::from(n) - u128::from(k) + i) / i)
    }

    proptest! {
        #[test]
        fn the_test_counts_outcomes_that_are_as_uneven(a in 0u64..50, b in 0u64..50) {
            let n = a + b;
            let uneven = |k: u64| (2 * k).abs_diff(n) >= a.abs_diff(b);
            let outcomes: u128 = (0..=n).filter(|&k| uneven(k)).map(|k| ways(n, k)).sum();
            let expected = outcomes as f64 / 2f64.powi(n as i32);
            let error = (two_sided_binomial(a, b) - expected).abs();
            prop_assert!(error < 1e-9 * expected, "{a} {b}: {expected}");
        }

        #[test]
        fn the_interval_holds_the_rates_that_are_near(
            of in 1usize..400,
            passed in 0usize..400,
            rate in 0.0..1.0f64,
        ) {
            let share = Share { passed: passed.min(of), of };
            let (low, high) = share.interval();
            let away = (share.rate() - rate).abs() / (rate * (1.0 - rate) / of as f64).sqrt();
            // At the very edge, rounding decides.
            prop_assume!((away - Z).abs() > 1e-6);
            let holds = low < rate && rate < high;
            prop_assert_eq!(holds, away < Z, "{}..{} of {:?}", low, high, share);
        }

        #[test]
        fn a_median_has_as_many_below_as_above(
            values in prop::collection::vec(-1e6..1e6f64, 1..30)
        ) {
            let middle = median(values.iter().copied()).unwrap();
            let below = values.iter().filter(|&&value| value < middle).count();
            let above = values.iter().filter(|&&value| value > middle).count();
            prop_assert!(below <= values.len() / 2 && above <= values.len() / 2);
        }

        #[test]
        fn pairs_are_counted_on_common_tasks(first in columns(), second in columns()) {
            let paired = Paired::of(&by_name(&first), &by_name(&second));
            let mut expected = Paired::default();
            for (runs, others) in first.iter().zip(&second) {
                let (Some(runs), Some(others)) = (runs, others) else { continue };
                let n = |runs: &[bool], passed| runs.iter().filter(|&&run| run == passed).count();
                let passes = |runs: &[bool]| n(runs, true) > n(runs, false);
                match (passes(runs), passes(others)) {
                    (true, true) => expected.both += 1,
                    (true, false) => expected.only_first += 1,
                    (false, true) => expected.only_second += 1,
                    (false, false) => expected.neither += 1,
                }
            }
            prop_assert_eq!(paired, expected);
        }
    }

    const NAMES: [&str; 8] = ["a", "b", "c", "d", "e", "f", "g", "h"];

    /// The runs of each task; none for a task that the column does not have.
    fn columns() -> impl Strategy<Value = Vec<Option<Vec<bool>>>> {
        let runs = prop::collection::vec(any::<bool>(), 1..5);
        prop::collection::vec(prop::option::of(runs), NAMES.len())
    }

    fn by_name(column: &[Option<Vec<bool>>]) -> BTreeMap<&str, Share> {
        let shares = column
            .iter()
            .map(|runs| runs.as_ref().map(|runs| runs.iter().copied().collect()));
        NAMES
            .into_iter()
            .zip(shares)
            .filter_map(|(name, share)| Some((name, share?)))
            .collect()
    }

    #[test]
    fn known_values() {
        // Wilson's interval of 15 of 30 and of 0 of 6, as published tables have them.
        let (low, high) = Share { passed: 15, of: 30 }.interval();
        assert!(
            (low - 0.3315).abs() < 5e-5 && (high - 0.6685).abs() < 5e-5,
            "{low} {high}"
        );
        let (low, high) = Share { passed: 0, of: 6 }.interval();
        assert!(low == 0.0 && (high - 0.3903).abs() < 5e-5, "{low} {high}");
        assert_eq!(Share::default().interval(), (0.0, 1.0));
        assert!(
            !Share { passed: 1, of: 2 }.is_majority() && Share { passed: 2, of: 3 }.is_majority()
        );
        // Far from where the numbers fit; by the normal distribution, z = (200 - 1) / 100.
        assert!(
            (two_sided_binomial(5100, 4900) - 0.0466).abs() < 1e-4,
            "{}",
            two_sided_binomial(5100, 4900)
        );
        assert_eq!(median([]), None);
    }

    #[test]
    fn differences_in_words() {
        let check = |both, only_first, only_second, neither, expected: &str| {
            assert_eq!(
                Paired {
                    both,
                    only_first,
                    only_second,
                    neither
                }
                .sentence("slots", "naive"),
                expected
            );
        };
        check(
            90,
            31,
            4,
            49,
            "slots is better than naive: of 174 tasks 31 only slots got right, \
             4 only naive (p = 0.000003)",
        );
        check(
            90,
            4,
            31,
            49,
            "naive is better than slots: of 174 tasks 31 only naive got right, \
             4 only slots (p = 0.000003)",
        );
        check(
            90,
            12,
            9,
            63,
            "no difference shown between slots and naive: of 174 tasks 12 only slots got right, \
             9 only naive (p = 0.66)",
        );
        check(
            0,
            5,
            0,
            1,
            "no difference shown between slots and naive: of 6 tasks 5 only slots got right, \
             0 only naive (p = 0.062)",
        );
        check(
            0,
            6,
            0,
            1,
            "slots is better than naive: of 7 tasks 6 only slots got right, \
             0 only naive (p = 0.031)",
        );
        check(
            0,
            40,
            0,
            0,
            "slots is better than naive: of 40 tasks 40 only slots got right, \
             0 only naive (p < 0.000001)",
        );
        check(
            3,
            0,
            0,
            1,
            "no difference shown between slots and naive: of 4 tasks both got the same 3 right",
        );
        check(
            0,
            1,
            1,
            0,
            "no difference shown between slots and naive: of 2 tasks 1 only slots got right, \
             1 only naive (p = 1)",
        );
        check(0, 0, 0, 0, "slots and naive have no task in common");
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
