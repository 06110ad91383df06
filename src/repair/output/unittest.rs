//! Python's own unittest. Unless it is run with `-v`, it names only what failed.
//!
//! ```text
//! ======================================================================
//! FAIL: test_add (test_calc.T.test_add)
//! ----------------------------------------------------------------------
//! AssertionError: -1 != 3
//!
//! ----------------------------------------------------------------------
//! Ran 5 tests in 0.000s
//!
//! FAILED (failures=1, errors=3, skipped=1)
//! ```

use super::lines::{cannot_run, number, regex};
use super::results::{Counts, Results, TestEnd};
use regex::Regex;
use std::sync::LazyLock;

static RAN: LazyLock<Regex> = LazyLock::new(|| regex(r"^Ran (\d+) tests? in [\d.]+s$"));
static COUNT: LazyLock<Regex> = LazyLock::new(|| {
    regex(r"\b(failures|errors|skipped|expected failures|unexpected successes)=(\d+)")
});
static TITLE: LazyLock<Regex> = LazyLock::new(|| regex(r"^(?:FAIL|ERROR): (\w+) \(([\w.<>]+)\)"));
static HEADER: LazyLock<Regex> = LazyLock::new(|| regex(r"^(\w+) \(([\w.]+)\)"));
static END: LazyLock<Regex> = LazyLock::new(|| {
    regex(r"\.\.\. (ok|FAIL|ERROR|skipped .*|expected failure|unexpected success)$")
});

pub(super) fn read(lines: &[&str], results: &mut Results) {
    let mut is_unittest = false;
    for (i, line) in lines.iter().enumerate() {
        let Some(ran) = RAN.captures(line) else {
            continue;
        };
        is_unittest = true;
        let (mut failed, mut skipped) = (0, 0);
        let last = lines[i + 1..]
            .iter()
            .find(|line| !line.is_empty())
            .filter(|line| line.starts_with("FAILED") || line.starts_with("OK"));
        for found in last.into_iter().flat_map(|line| COUNT.captures_iter(line)) {
            match &found[1] {
                "failures" | "errors" | "unexpected successes" => failed += number(&found[2]),
                "skipped" => skipped += number(&found[2]),
                _ => {}
            }
        }
        // A test with subtests may fail several times.
        let n = number(&ran[1]).saturating_sub(skipped);
        results.add(Counts {
            passed: n.saturating_sub(failed),
            failed: failed.min(n),
            skipped,
        });
    }
    if !is_unittest {
        return;
    }
    let mut header = None;
    let mut failing: Option<String> = None;
    for line in lines {
        if let Some(title) = TITLE.captures(line) {
            let name = full_name(&title[1], &title[2]);
            results.note(&name, TestEnd::Failed);
            failing = Some(name);
            continue;
        }
        if line.starts_with("=====") || RAN.is_match(line) {
            failing = None;
        }
        if let Some(name) = &failing {
            if name.contains("_FailedTest") && cannot_import(line) {
                results.not_built.get_or_insert_with(|| (*line).to_owned());
            }
            if !line.starts_with("-----") {
                results.add_failure(name, &format!("{line}\n"));
            }
            continue;
        }
        if let Some(found) = HEADER.captures(line.trim_start()) {
            header = Some(full_name(&found[1], &found[2]));
        }
        if let (Some(end), Some(name)) = (END.captures(line), &header) {
            let end = match &end[1] {
                "ok" | "expected failure" => TestEnd::Passed,
                "FAIL" | "ERROR" | "unexpected success" => TestEnd::Failed,
                _ => TestEnd::Skipped,
            };
            results.note(name, end);
            header = None;
        }
    }
}

/// Older versions leave the test's name out of what stands in parentheses.
fn full_name(name: &str, within: &str) -> String {
    if within.rsplit('.').next() == Some(name) {
        within.to_owned()
    } else {
        format!("{within}.{name}")
    }
}

fn cannot_import(line: &str) -> bool {
    !line.starts_with("ImportError: Failed to import test module")
        && cannot_run(line).is_some()
        && !line.starts_with(' ')
}

#[cfg(test)]
mod tests {
    use super::super::checked::check;

    const FAILURES: &str = "\
======================================================================
ERROR: test_bad (unittest.loader._FailedTest.test_bad)
----------------------------------------------------------------------
ImportError: Failed to import test module: test_bad
Traceback (most recent call last):
  File \"/tmp/test_bad.py\", line 1, in <module>
    import nothing_here
ModuleNotFoundError: No module named 'nothing_here'


======================================================================
ERROR: test_err (test_calc.T.test_err) (i=0)
----------------------------------------------------------------------
Traceback (most recent call last):
AttributeError: module 'calc' has no attribute 'nope'

======================================================================
FAIL: test_add (test_calc.T.test_add)
Adds two numbers
----------------------------------------------------------------------
Traceback (most recent call last):
  File \"/tmp/test_calc.py\", line 5, in test_add
    self.assertEqual(calc.add(1, 2), 3)
AssertionError: -1 != 3

----------------------------------------------------------------------
Ran 5 tests in 0.000s

FAILED (failures=1, errors=2, skipped=1)
";

    #[test]
    fn it_names_what_failed() {
        let results = check(
            &format!("EFEs.\n{FAILURES}"),
            "passed [] failed [test_calc.T.test_add, test_calc.T.test_err, \
             unittest.loader._FailedTest.test_bad] skipped []; \
             1 3 1; not built: ModuleNotFoundError: No module named 'nothing_here'",
        );
        assert!(!results.names_passed() && results.is_known());
        assert!(results.failures["test_calc.T.test_add"].contains("AssertionError: -1 != 3"));
        assert!(!results.failures["test_calc.T.test_err"].contains("-1 != 3"));
    }

    #[test]
    fn verbosely_it_names_all() {
        let verbose = "\
test_add (test_calc.T.test_add)
Adds two numbers ... FAIL
test_err (test_calc.T.test_err) ... 
  test_err (test_calc.T.test_err) (i=0) ... ERROR
test_s (test_calc.T) ... skipped 'why'
test_zero (test_calc.T) ... ok

----------------------------------------------------------------------
Ran 4 tests in 0.013s

FAILED (failures=1, errors=1, skipped=1)
";
        let results = check(
            verbose,
            "passed [test_calc.T.test_zero] failed [test_calc.T.test_add, test_calc.T.test_err] \
             skipped [test_calc.T.test_s]; 1 2 1; not built: no",
        );
        assert!(results.names_passed());
        check(
            "..\n-----\nRan 2 tests in 0.001s\n\nOK\n",
            "passed [] failed [] skipped []; 2 0 0; not built: no",
        );
    }
}
