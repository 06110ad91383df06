//! For the tests of the readers.

use super::read;
use super::results::{Counts, Results, TestEnd};

/// Checks what is read from an output, in one line: the names of tests that passed, failed and were
/// skipped; the runner's counts; whether the code was built.
#[track_caller]
pub fn check(output: &str, expected: &str) -> Results {
    let results = read(output);
    let [passed, failed, skipped] = [TestEnd::Passed, TestEnd::Failed, TestEnd::Skipped]
        .map(|end| results.of(end).cloned().collect::<Vec<_>>().join(", "));
    let Counts {
        passed: n_passed,
        failed: n_failed,
        skipped: n_skipped,
    } = results.counts;
    let not_built = results.not_built.as_deref().unwrap_or("no");
    let seen = format!(
        "passed [{passed}] failed [{failed}] skipped [{skipped}]; {n_passed} {n_failed} {n_skipped}; \
         not built: {not_built}"
    );
    assert_eq!(seen, expected, "{output}");
    results
}
