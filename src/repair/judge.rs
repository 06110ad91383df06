//! Whether a run of the tests is a success, and if not, why. Values in, values out: what a model
//! claims has no place here.

use super::output::{Results, TestEnd, cannot_run};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeSet;
use std::fmt;

/// What a run must come to.
#[derive(Clone, Debug, Default)]
pub struct Expected {
    /// The tests that show the bug; none where the output names no tests, and the exit code alone
    /// shows it.
    pub targets: BTreeSet<String>,
    /// Of these, what could not be loaded: it must not fail afterwards, but may be gone, and its
    /// tests be there instead.
    pub not_loaded: BTreeSet<String>,
    /// Tests that failed before, and are not about the bug.
    pub known_failing: BTreeSet<String>,
    /// Tests that passed before.
    pub passing: BTreeSet<String>,
    /// Tests that were run before.
    pub n_run: usize,
    /// Tests that were left out before.
    pub n_skipped: usize,
}

/// How a run of the tests ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RunEnd {
    /// With this exit code.
    Exited(i32),
    /// Not by itself, or by a signal: how, in words.
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

/// What a run of the tests says of an attempt.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(tag = "finding", rename_all = "snake_case")]
pub enum Finding {
    /// The tests that show the bug pass, and all others that did.
    Green,
    /// The bug is still there.
    Red {
        /// The tests that still show it; none where only the exit code does.
        failing: Vec<String>,
    },
    /// Tests fail that passed before.
    Broke {
        /// Which.
        failing: Vec<String>,
    },
    /// Tests that were run before are gone or left out: passing by not running is no success.
    Missing {
        /// In words.
        what: String,
    },
    /// The code cannot be compiled, loaded or imported.
    NotBuilt {
        /// The line that says so.
        line: String,
    },
    /// The tests did not come to their end: too long, too large, a signal.
    Stopped {
        /// How.
        how: String,
    },
    /// While they ran, files of tests were changed.
    ChangedTests {
        /// The first of them.
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
    if let Some(line) = results.not_built.as_ref().filter(|_| code != 0) {
        return Finding::NotBuilt { line: line.clone() };
    }
    let failed: BTreeSet<String> = results.of(TestEnd::Failed).cloned().collect();
    let mut broken = failed.iter().filter(|name| {
        !expected.targets.contains(*name) && !expected.known_failing.contains(*name)
    });
    if let Some(first) = broken.next() {
        return Finding::Broke {
            failing: std::iter::once(first).chain(broken).cloned().collect(),
        };
    }
    let still: Vec<String> = expected.targets.intersection(&failed).cloned().collect();
    if !still.is_empty() {
        return Finding::Red { failing: still };
    }
    if let Some(what) = missing(expected, results) {
        return Finding::Missing { what };
    }
    // Where other tests fail as they did before, the command cannot end well.
    if code == 0 || !failed.is_empty() {
        Finding::Green
    } else {
        Finding::Red {
            failing: Vec::new(),
        }
    }
}

/// What of the tests that were run before is not run any more.
fn missing(expected: &Expected, results: &Results) -> Option<String> {
    if results.names_passed() {
        let must_pass = expected.targets.union(&expected.passing);
        let passes = |name: &&String| results.tests.get(*name) == Some(&TestEnd::Passed);
        if let Some(name) = must_pass.filter(|name| !passes(name)).find(|name| {
            !expected.known_failing.contains(*name) && !expected.not_loaded.contains(*name)
        }) {
            let how = if results.tests.contains_key(name) {
                "left out"
            } else {
                "gone"
            };
            return Some(format!("{name} is {how}"));
        }
    }
    let (n_run, n_skipped) = (results.n_run(), results.n_skipped());
    if n_run < expected.n_run {
        return Some(format!(
            "{n_run} tests were run, and {} before",
            expected.n_run
        ));
    }
    (n_skipped > expected.n_skipped).then(|| {
        format!(
            "{n_skipped} tests were left out, and {} before",
            expected.n_skipped
        )
    })
}

impl Expected {
    /// What is expected after these results, in which those tests show the bug.
    pub fn after(results: &Results, targets: BTreeSet<String>) -> Expected {
        let cannot_run = |name: &&String| {
            results
                .failures
                .get(*name)
                .is_some_and(|failure| cannot_run(failure).is_some())
        };
        let not_loaded = targets.iter().filter(cannot_run).cloned().collect();
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
        self.known_failing.extend(
            results
                .of(TestEnd::Failed)
                .filter(|name| !self.targets.contains(*name))
                .cloned(),
        );
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

/// The first of some names, and how many more there are.
pub fn names(names: &[String]) -> String {
    const SHOWN: usize = 3;
    let shown = names
        .iter()
        .take(SHOWN)
        .cloned()
        .collect::<Vec<_>>()
        .join(", ");
    if names.len() > SHOWN {
        format!("{shown} and {} more", names.len() - SHOWN)
    } else {
        shown
    }
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
            let line = |name: &str, end: &str| {
                if end.is_empty() {
                    String::new()
                } else {
                    format!("test {name} ... {end}\n")
                }
            };
            let all = [line("a", a), line("b", b), line("old", old), line("s", s)].concat();
            let count = |end: &str| [a, b, old, s].iter().filter(|&&e| e == end).count();
            format!(
                "{all}test result: x. {} passed; {} failed; {} ignored; 0\n",
                count("ok"),
                count("FAILED"),
                count("ignored")
            )
        };
        check(0, &run("ok", "ok", "ok", "ignored"), "green");
        check(101, &run("ok", "ok", "FAILED", "ignored"), "green");
        check(
            101,
            &run("ok", "FAILED", "FAILED", "ignored"),
            "red: b still fails",
        );
        check(
            101,
            &run("FAILED", "ok", "FAILED", "ignored"),
            "it breaks a",
        );
        check(
            0,
            &run("ok", "ignored", "ok", "ignored"),
            "tests are missing: b is left out",
        );
        check(
            0,
            &run("ignored", "ok", "ok", "ok"),
            "tests are missing: a is left out",
        );
        check(
            0,
            &run("", "ok", "ok", "ignored"),
            "tests are missing: a is gone",
        );
        check(
            0,
            &run("ok", "ok", "", "ignored"),
            "tests are missing: 2 tests were run, and 3 before",
        );
        check(0, "", "tests are missing: 0 tests were run, and 3 before");
        check(
            1,
            &run("ok", "ok", "ok", "ignored"),
            "red: the tests still fail",
        );
        let not_built = "error: x\nerror: could not compile\n";
        check(101, not_built, "it does not compile or import: error: x");
        check(
            0,
            "test a ... ok\nall tests pass, I promise\n",
            "tests are missing: b is gone",
        );
    }

    #[test]
    fn without_names_the_numbers_and_the_exit_code_count() {
        let red = output::read("F..\nRan 3 tests in 0.1s\n\nFAILED (failures=1)\n");
        let expected = Expected::after(&red, BTreeSet::new());
        let check = |code, output: &str, sentence: &str| {
            assert_eq!(
                judge(
                    &expected,
                    &RunEnd::Exited(code),
                    &output::read(output),
                    None
                )
                .sentence(),
                sentence
            );
        };
        check(0, "Ran 3 tests in 0.1s\n\nOK\n", "green");
        check(
            0,
            "Ran 2 tests in 0.1s\n\nOK\n",
            "tests are missing: 2 tests were run, and 3 before",
        );
        check(
            0,
            "Ran 3 tests in 0.1s\n\nOK (skipped=1)\n",
            "tests are missing: 2 tests were run, and 3 before",
        );
        let unknown = Expected::default();
        for (code, sentence) in [(0, "green"), (1, "red: the tests still fail")] {
            assert_eq!(
                judge(&unknown, &RunEnd::Exited(code), &Results::default(), None).sentence(),
                sentence
            );
        }
        let not_loaded = "TAP version 13\n# SyntaxError: x\nnot ok 1 - a.test.js\n1..1\n";
        let expected = Expected::after(
            &output::read(not_loaded),
            BTreeSet::from(["a.test.js".to_owned()]),
        );
        let loaded = judge(
            &expected,
            &RunEnd::Exited(0),
            &output::read("TAP version 13\nok 1 - adds\n1..1\n"),
            None,
        );
        assert_eq!(
            loaded,
            Finding::Green,
            "a file that could not be loaded is gone, and its tests are there"
        );
        let stopped = judge(
            &unknown,
            &RunEnd::Stopped("after 10 s".to_owned()),
            &Results::default(),
            None,
        );
        assert_eq!(
            stopped.sentence(),
            "the tests did not come to their end: after 10 s"
        );
        let changed = judge(
            &unknown,
            &RunEnd::Exited(0),
            &Results::default(),
            Some("test_a.py"),
        );
        assert_eq!(
            changed.sentence(),
            "test_a.py was changed while the tests ran"
        );
    }
}
