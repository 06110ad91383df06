//! Whether a run of the tests is a success, and if not, why. Values in, values out: the model's claims
//! do not count here.

use super::output::{Results, TestEnd, cannot_run};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeSet;
use std::fmt;

/// What a run is compared with.
#[derive(Clone, Debug, Default)]
pub struct Expected {
    /// The tests that show the bug. Empty if the output names no tests, so that only the exit code
    /// shows it.
    pub targets: BTreeSet<String>,
    /// Targets that could not be loaded. They must not fail afterwards, but may be gone, since a file
    /// that is loaded has tests instead.
    pub not_loaded: BTreeSet<String>,
    /// Tests that failed before and are not about the bug.
    pub known_failing: BTreeSet<String>,
    /// Tests that passed before.
    pub passing: BTreeSet<String>,
    /// How many tests were run before.
    pub n_run: usize,
    /// How many tests were left out before.
    pub n_skipped: usize,
}

/// How a run of the tests ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RunEnd {
    /// By itself, with this exit code.
    Exited(i32),
    /// By a limit or a signal, which is named in words.
    Stopped(String),
}

impl fmt::Display for RunEnd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RunEnd::Exited(code) => write!(f, "exit code {code}"),
            RunEnd::Stopped(how) => f.write_str(how),
        }
    }
}

/// The judgement of an attempt by a run of the tests.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(tag = "finding", rename_all = "snake_case")]
pub enum Finding {
    /// The tests that show the bug pass, and so do all others that passed before.
    Green,
    /// The bug is still there.
    Red {
        /// The tests that still show it. Empty if only the exit code does.
        failing: Vec<String>,
    },
    /// Tests fail that passed before.
    Broke {
        /// Their names.
        failing: Vec<String>,
    },
    /// Tests that were run before are gone or left out: passing by not running is no success.
    Missing {
        /// A sentence about the tests.
        what: String,
    },
    /// The code cannot be compiled, loaded or imported.
    NotBuilt {
        /// The line that says so.
        line: String,
    },
    /// The tests did not come to their end: a limit was passed, or a signal came.
    Stopped {
        /// The limit or the signal, in words.
        how: String,
    },
    /// While they ran, files of tests were changed.
    ChangedTests {
        /// The first file that was changed.
        path: String,
    },
}

/// Judges a run. `changed_tests`: a file that judges and is not what it was before the run.
pub fn judge(
    expected: &Expected,
    end: &RunEnd,
    results: &Results,
    changed_tests: Option<&str>,
) -> Finding {
    if let Some(path) = changed_tests {
        return Finding::ChangedTests {
            path: path.to_owned(),
        };
    }
    let code = match end {
        RunEnd::Exited(code) => *code,
        RunEnd::Stopped(how) => return Finding::Stopped { how: how.clone() },
    };
    if let Some(line) = &results.not_built
        && code != 0
    {
        return Finding::NotBuilt { line: line.clone() };
    }

    let (failing, others): (Vec<String>, Vec<String>) = results
        .of(TestEnd::Failed)
        .cloned()
        .partition(|name| expected.targets.contains(name));
    let mut broken = others.clone();
    broken.retain(|name| !expected.known_failing.contains(name));
    if !broken.is_empty() {
        return Finding::Broke { failing: broken };
    }
    if !failing.is_empty() {
        return Finding::Red { failing };
    }
    if let Some(what) = missing(expected, results) {
        return Finding::Missing { what };
    }

    // If other tests fail as they did before, the command cannot end well.
    if code == 0 || !others.is_empty() {
        Finding::Green
    } else {
        Finding::Red { failing }
    }
}

/// A sentence about tests that were run before, and are not run any more; `None` if there are none.
fn missing(expected: &Expected, results: &Results) -> Option<String> {
    if results.names_passed() {
        for name in expected.targets.union(&expected.passing) {
            let end = results.tests.get(name);
            let may_be_missing =
                expected.known_failing.contains(name) || expected.not_loaded.contains(name);
            if end != Some(&TestEnd::Passed) && !may_be_missing {
                let how = if end.is_some() { "left out" } else { "gone" };
                return Some(format!("{name} is {how}"));
            }
        }
    }

    let (n_run, n_before) = (results.n_run(), expected.n_run);
    if n_run < n_before {
        return Some(format!("{n_run} tests were run, and {n_before} before"));
    }
    let (n_skipped, n_before) = (results.n_skipped(), expected.n_skipped);
    if n_skipped > n_before {
        return Some(format!(
            "{n_skipped} tests were left out, and {n_before} before"
        ));
    }
    None
}

impl Expected {
    /// What is expected after these results, in which those tests show the bug.
    pub fn after(results: &Results, targets: BTreeSet<String>) -> Expected {
        let mut not_loaded = targets.clone();
        not_loaded.retain(|name| {
            let failure = results.failures.get(name);
            failure.is_some_and(|failure| cannot_run(failure).is_some())
        });
        let mut expected = Expected {
            targets,
            not_loaded,
            ..Expected::default()
        };
        expected.add(results);
        expected
    }

    /// Expects what these results have, too.
    pub fn add(&mut self, results: &Results) {
        for name in results.of(TestEnd::Failed) {
            if !self.targets.contains(name) {
                self.known_failing.insert(name.clone());
            }
        }
        self.passing.extend(results.of(TestEnd::Passed).cloned());
        self.n_run = self.n_run.max(results.n_run());
        self.n_skipped = self.n_skipped.max(results.n_skipped());
    }
}

impl Finding {
    /// A sentence for the person, and for the model that is to do better.
    pub fn sentence(&self) -> String {
        match self {
            Finding::Green => "green".to_owned(),
            Finding::Red { failing } if failing.is_empty() => {
                "red: the tests still fail".to_owned()
            }
            Finding::Red { failing } => format!("red: {} still fails", names(failing)),
            Finding::Broke { failing } => format!("it breaks {}", names(failing)),
            Finding::Missing { what } => format!("tests are missing: {what}"),
            Finding::NotBuilt { line } => format!("it does not compile or import: {line}"),
            Finding::Stopped { how } => format!("the tests did not come to their end: {how}"),
            Finding::ChangedTests { path } => format!("{path} was changed while the tests ran"),
        }
    }

    /// Whether less is wrong than in another finding: fewer tests show the bug, and nothing else is
    /// wrong.
    pub fn is_better_than(&self, other: &Finding) -> bool {
        match (self, other) {
            (Finding::Green, _) => *other != Finding::Green,
            (Finding::Red { failing }, Finding::Red { failing: before }) => {
                !failing.is_empty() && failing.len() < before.len()
            }
            (Finding::Red { .. }, Finding::NotBuilt { .. }) => true,
            _ => false,
        }
    }
}

/// The first names of a list, and the number of the others.
pub fn names(names: &[String]) -> String {
    const SHOWN: usize = 3;
    if names.len() <= SHOWN {
        return names.join(", ");
    }
    let n_more = names.len() - SHOWN;
    format!("{} and {n_more} more", names[..SHOWN].join(", "))
}

#[cfg(test)]
mod tests {
    use super::super::output;
    use super::*;

    const RED: &str = "test a ... ok\ntest b ... FAILED\ntest old ... FAILED\ntest s ... ignored\n\
                       test result: FAILED. 1 passed; 2 failed; 1 ignored; 0\n";

    #[track_caller]
    fn check(code: i32, output: &str, expected: &str) {
        let expectation = Expected::after(&output::read(RED), BTreeSet::from(["b".to_owned()]));
        let finding = judge(
            &expectation,
            &RunEnd::Exited(code),
            &output::read(output),
            None,
        );
        assert_eq!(finding.sentence(), expected, "{output}");
    }

    #[test]
    fn green_is_what_was_shown_red_and_all_that_passed() {
        let run = |a: &str, b: &str, old: &str, s: &str| {
            let mut all = String::new();
            for (name, end) in [("a", a), ("b", b), ("old", old), ("s", s)] {
                if !end.is_empty() {
                    all += &format!("test {name} ... {end}\n");
                }
            }
            let count = |end: &str| [a, b, old, s].iter().filter(|&&e| e == end).count();
            format!(
                "{all}test result: x. {} passed; {} failed; {} ignored; 0\n",
                count("ok"),
                count("FAILED"),
                count("ignored")
            )
        };
        for (code, run, expected) in [
            (0, run("ok", "ok", "ok", "ignored"), "green"),
            (101, run("ok", "ok", "FAILED", "ignored"), "green"),
            (
                101,
                run("ok", "FAILED", "FAILED", "ignored"),
                "red: b still fails",
            ),
            (101, run("FAILED", "ok", "FAILED", "ignored"), "it breaks a"),
            (
                0,
                run("ok", "ignored", "ok", "ignored"),
                "tests are missing: b is left out",
            ),
            (
                0,
                run("ignored", "ok", "ok", "ok"),
                "tests are missing: a is left out",
            ),
            (
                0,
                run("", "ok", "ok", "ignored"),
                "tests are missing: a is gone",
            ),
            (
                1,
                run("ok", "ok", "ok", "ignored"),
                "red: the tests still fail",
            ),
        ] {
            check(code, &run, expected);
        }
        let fewer = |n: usize| format!("tests are missing: {n} tests were run, and 3 before");
        check(0, &run("ok", "ok", "", "ignored"), &fewer(2));
        check(0, "", &fewer(0));
        let not_built = "error: x\nerror: could not compile\n";
        check(101, not_built, "it does not compile or import: error: x");
        let promise = "test a ... ok\nall tests pass, I promise\n";
        check(0, promise, "tests are missing: b is gone");
    }

    #[test]
    fn without_names_the_numbers_and_the_exit_code_count() {
        let red = output::read("F..\nRan 3 tests in 0.1s\n\nFAILED (failures=1)\n");
        let expected = Expected::after(&red, BTreeSet::new());
        let judged = |expected: &Expected, code: i32, output: &str| {
            judge(expected, &RunEnd::Exited(code), &output::read(output), None).sentence()
        };
        let fewer = "tests are missing: 2 tests were run, and 3 before";
        for (output, sentence) in [
            ("Ran 3 tests in 0.1s\n\nOK\n", "green"),
            ("Ran 2 tests in 0.1s\n\nOK\n", fewer),
            ("Ran 3 tests in 0.1s\n\nOK (skipped=1)\n", fewer),
        ] {
            assert_eq!(judged(&expected, 0, output), sentence, "{output}");
        }
        let unknown = Expected::default();
        assert_eq!(judged(&unknown, 0, ""), "green");
        assert_eq!(judged(&unknown, 1, ""), "red: the tests still fail");

        // A file that could not be loaded is gone, and its tests are there.
        let not_loaded = "TAP version 13\n# SyntaxError: x\nnot ok 1 - a.test.js\n1..1\n";
        let targets = BTreeSet::from(["a.test.js".to_owned()]);
        let expected = Expected::after(&output::read(not_loaded), targets);
        let loaded = "TAP version 13\nok 1 - adds\n1..1\n";
        assert_eq!(judged(&expected, 0, loaded), "green");

        let results = Results::default();
        let stopped = RunEnd::Stopped("after 10 s".to_owned());
        assert_eq!(
            judge(&unknown, &stopped, &results, None).sentence(),
            "the tests did not come to their end: after 10 s"
        );
        let ended = RunEnd::Exited(0);
        assert_eq!(
            judge(&unknown, &ended, &results, Some("test_a.py")).sentence(),
            "test_a.py was changed while the tests ran"
        );
    }
}
