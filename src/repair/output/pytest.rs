//! pytest. The program has it name every test in its summary (see [`crate::repair::trial`]).
//!
//! ```text
//! ____________________ T.test_add ____________________      what went wrong, a block a test
//! E       AssertionError: -1 != 3
//! ============== short test summary info ==============
//! FAILED test_calc.py::T::test_add - AssertionError: -1 != 3
//! PASSED test_calc.py::T::test_zero
//! ========= 1 failed, 1 passed, 1 skipped in 0.03s =========
//! ```

use super::lines::{number, regex};
use super::results::{Counts, Results, TestEnd};
use regex::Regex;
use std::sync::LazyLock;

static SUMMARY: LazyLock<Regex> =
    LazyLock::new(|| regex(r"^(?:=+ )?(?:\d+ \w+, )*\d+ \w+ in [\d.]+s(?: \([\d:]+\))?(?: =+)?$"));
static COUNT: LazyLock<Regex> =
    LazyLock::new(|| regex(r"(\d+) (passed|failed|errors?|skipped|xfailed|xpassed|deselected)\b"));
static NAMED: LazyLock<Regex> = LazyLock::new(|| {
    regex(r"^(PASSED|FAILED|ERROR|XFAIL|XPASS|SUBFAILED\S*|SUBPASSED\S*) (\S+?::.+?)(?: - .*)?$")
});
static VERBOSE: LazyLock<Regex> = LazyLock::new(|| {
    regex(r"^(\S+?::.+?) (PASSED|FAILED|ERROR|SKIPPED|XFAIL|XPASS)(?: +\[ *\d+%\])?(?: \(.*\))?$")
});
static TITLE: LazyLock<Regex> = LazyLock::new(|| regex(r"^_{3,} (.+?) _{3,}$"));

pub(super) fn read(lines: &[&str], results: &mut Results) {
    let Some(summary) = lines.iter().rev().find(|line| SUMMARY.is_match(line)) else {
        return;
    };
    let mut counts = Counts::default();
    for found in COUNT.captures_iter(summary) {
        counts.add(&found[2], number(&found[1]));
    }

    for line in lines {
        if let Some(found) = NAMED.captures(line) {
            results.note(&found[2], TestEnd::of(&found[1]));
        } else if let Some(found) = VERBOSE.captures(line) {
            results.note(&found[1], TestEnd::of(&found[2]));
        }
    }
    // A test with subtests that fail is counted several times, and passes by itself.
    if results.of(TestEnd::Passed).next().is_some() {
        counts.passed = results.of(TestEnd::Passed).count();
        counts.failed = results.of(TestEnd::Failed).count();
    }
    results.add(counts);

    for (title, block) in blocks(lines) {
        if title.starts_with("ERROR collecting") {
            let error = block.lines().find_map(|line| line.strip_prefix("E "));
            results.note_not_built(error.unwrap_or(title));
            continue;
        }
        for name in failed_under(title, results) {
            results.add_failure(&name, &block);
        }
    }
}

/// The failed tests that a block is about: its title ends with the class and the test, and may add
/// the subtest in parentheses.
fn failed_under(title: &str, results: &Results) -> Vec<String> {
    let title = title.split(" (").next().unwrap_or(title);
    let own_name = title.rsplit(' ').next();
    let failed = results.of(TestEnd::Failed);
    failed
        .filter(|name| {
            let rest = name
                .split_once("::")
                .map(|(_, rest)| rest.replace("::", "."));
            rest.as_deref() == own_name
        })
        .cloned()
        .collect()
}

/// The titles of blocks, with the lines of each.
fn blocks<'l>(lines: &[&'l str]) -> Vec<(&'l str, String)> {
    let mut blocks: Vec<(&str, String)> = Vec::new();
    let mut is_inside = false;
    for line in lines {
        if let Some(title) = TITLE.captures(line).and_then(|found| found.get(1)) {
            blocks.push((title.as_str(), String::new()));
            is_inside = true;
        } else if line.starts_with("=====") {
            is_inside = false;
        } else if let Some((_, block)) = blocks.last_mut()
            && is_inside
        {
            *block += line;
            *block += "\n";
        }
    }
    blocks
}

#[cfg(test)]
mod tests {
    use super::super::checked::check;

    #[test]
    fn a_run_of_pytest() {
        let output = "\
============================= test session starts ==============================
platform linux -- Python 3.11.7, pytest-9.2.0, pluggy-1.7.0
collected 4 items

test_calc.py F.s.                                                      [100%]

=================================== FAILURES ===================================
__________________________________ T.test_add __________________________________

self = <test_calc.T testMethod=test_add>

>       self.assertEqual(calc.add(1, 2), 3)
E       AssertionError: -1 != 3

test_calc.py:5: AssertionError
_______________________________ T.test_err (i=0) _______________________________

E               AttributeError: module 'calc' has no attribute 'nope'

test_calc.py:13: AttributeError
=========================== short test summary info ============================
FAILED test_calc.py::T::test_add - AssertionError: -1 != 3
SUBFAILED(i=0) test_calc.py::T::test_err - AttributeError: module 'calc' has ...
SKIPPED [1] test_calc.py:8: why
PASSED test_calc.py::T::test_err
PASSED test_calc.py::T::test_zero
==================== 2 failed, 2 passed, 1 skipped in 0.03s ====================
";
        let results = check(
            output,
            "passed [test_calc.py::T::test_zero] failed [test_calc.py::T::test_add, \
             test_calc.py::T::test_err] skipped []; 1 2 1; not built: no",
        );
        assert!(results.failures["test_calc.py::T::test_add"].contains("AssertionError: -1 != 3"));
        assert!(results.failures["test_calc.py::T::test_err"].contains("no attribute 'nope'"));
    }

    #[test]
    fn a_module_that_cannot_be_imported() {
        let output = "\
==================================== ERRORS ====================================
_________________________ ERROR collecting test_bad.py _________________________
ImportError while importing test module '/tmp/test_bad.py'.
E   ModuleNotFoundError: No module named 'nothing_here'
=========================== short test summary info ============================
ERROR test_bad.py
!!!!!!!!!!!!!!!!!!!! Interrupted: 1 error during collection !!!!!!!!!!!!!!!!!!!!
1 error in 0.14s
";
        check(
            output,
            "passed [] failed [] skipped []; 0 1 0; not built: ModuleNotFoundError: No module \
             named 'nothing_here'",
        );
    }

    #[test]
    fn verbose_and_quiet() {
        let verbose = "test_a.py::test_x[a - b] PASSED                    [ 50%]\n\
                       test_a.py::test_y SKIPPED (why)        [100%]\n\
                       ====== 1 passed, 1 skipped in 1.20s ======\n";
        check(
            verbose,
            "passed [test_a.py::test_x[a - b]] failed [] skipped []; 1 0 1; not built: no",
        );
        check(
            ".....\n5 passed in 0.01s\n",
            "passed [] failed [] skipped []; 5 0 0; not built: no",
        );
    }
}
