//! Python's own unittest. Unless it is run with `-v`, it names only tests that failed.
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
    if !lines.iter().any(|line| RAN.is_match(line)) {
        return;
    }
    for (i, line) in lines.iter().enumerate() {
        if let Some(ran) = RAN.captures(line) {
            add_counts(number(&ran[1]), &lines[i + 1..], results);
        }
    }

    // With `-v`: the last test named at the beginning of a line. Its end may be on the next one.
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
                results.note_not_built(line);
            }
            if !line.starts_with("-----") {
                results.add_failure(name, &format!("{line}\n"));
            }
            continue;
        }

        if let Some(found) = HEADER.captures(line.trim_start()) {
            header = Some(full_name(&found[1], &found[2]));
        }
        if let Some(end) = END.captures(line)
            && let Some(name) = header.take()
        {
            results.note(&name, TestEnd::of(&end[1]));
        }
    }
}

/// Adds the counts of a run of so many tests. `below`: the lines below the one that gives it.
fn add_counts(n_run: usize, below: &[&str], results: &mut Results) {
    let mut found = Counts::default();
    let last = below.iter().find(|line| !line.is_empty()).unwrap_or(&"");
    if last.starts_with("FAILED") || last.starts_with("OK") {
        for count in COUNT.captures_iter(last) {
            found.add(&count[1], number(&count[2]));
        }
    }

    // A test with subtests may fail several times.
    let n = n_run.saturating_sub(found.skipped);
    results.add(Counts {
        passed: n.saturating_sub(found.failed),
        failed: found.failed.min(n),
        skipped: found.skipped,
    });
}

/// The name of a test with its module and class. Older versions leave the test's own name out of
/// the parentheses.
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
