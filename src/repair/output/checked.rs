//! For the tests of the readers: what is read from an output, in one line.

use super::read;
use super::results::{Counts, Results, TestEnd};

/// What is read from an output, in one line: names that passed, failed and were skipped; how
/// many; whether it was built.
#[track_caller]
pub fn check(output: &str, expected: &str) -> Results {
    let results = read(output);
    let names = |end| {
        results
            .of(end)
            .map(String::as_str)
            .collect::<Vec<_>>()
            .join(", ")
    };
    let Counts {
        passed,
        failed,
        skipped,
    } = results.counts;
    let seen = format!(
        "passed [{}] failed [{}] skipped [{}]; {passed} {failed} {skipped}; not built: {}",
        names(TestEnd::Passed),
        names(TestEnd::Failed),
        names(TestEnd::Skipped),
        results.not_built.as_deref().unwrap_or("no")
    );
    assert_eq!(seen, expected, "{output}");
    results
}
