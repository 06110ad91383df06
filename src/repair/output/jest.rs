//! jest. If there are several files, it names only tests that failed.
//!
//! ```text
//! FAIL ./sum.test.js
//!   group
//!     ✓ adds (2 ms)
//!     ✕ subtracts (1 ms)
//!
//!   ● group › subtracts
//!
//!     expect(received).toBe(expected)
//!
//! Tests:       1 failed, 1 passed, 2 total
//! ```

use super::lines::{number, regex, within};
use super::results::{Counts, Results, TestEnd};
use regex::Regex;
use std::sync::LazyLock;

static TEST: LazyLock<Regex> =
    LazyLock::new(|| regex(r"^( +)(✓|✕|○|✎) (?:skipped )?(.*?)(?: \([\d.]+ m?s\))?$"));
static GROUP: LazyLock<Regex> = LazyLock::new(|| regex(r"^( {2,})([^\s●].*)$"));
static BLOCK: LazyLock<Regex> = LazyLock::new(|| regex(r"^  ● (.+)$"));
static COUNT: LazyLock<Regex> = LazyLock::new(|| regex(r"(\d+) (passed|failed|skipped|todo)"));

/// The title of a block about a file, and not about a test.
const NOT_LOADED: &str = "Test suite failed to run";

pub(super) fn read(lines: &[&str], results: &mut Results) {
    let Some(counted) = lines.iter().rev().find(|line| line.starts_with("Tests: ")) else {
        return;
    };
    let mut counts = Counts::default();
    for found in COUNT.captures_iter(counted) {
        counts.add(&found[2], number(&found[1]));
    }
    results.add(counts);

    let mut groups: Vec<&str> = Vec::new();
    let mut failing: Option<&str> = None;
    for line in lines {
        if let Some(found) = BLOCK.captures(line) {
            let name = found.get(1).map_or("", |name| name.as_str());
            if name != NOT_LOADED && !name.contains("Console") {
                results.note(name, TestEnd::Failed);
            }
            failing = Some(name);
        } else if begins_file(line) {
            groups.clear();
            failing = None;
        } else if let Some(name) = failing {
            if name == NOT_LOADED && !line.is_empty() {
                results.note_not_built(line);
            } else if !line.contains("node_modules/") {
                let line = line.strip_prefix("    ").unwrap_or(line);
                results.add_failure(name, &format!("{line}\n"));
            }
        } else if let Some(found) = TEST.captures(line) {
            groups.truncate((found[1].len() / 2).saturating_sub(1));
            results.note(&within(&groups, &found[3], " › "), TestEnd::of(&found[2]));
        } else if let Some(found) = GROUP.captures(line) {
            groups.truncate((found[1].len() / 2).saturating_sub(1));
            groups.push(found.get(2).map_or("", |name| name.as_str()));
        }
    }
}

/// Whether a line begins another file, or the summary.
fn begins_file(line: &str) -> bool {
    let beginnings = ["PASS ", "FAIL ", "Test Suites:"];
    beginnings
        .iter()
        .any(|beginning| line.starts_with(beginning))
}

#[cfg(test)]
mod tests {
    use super::super::checked::check;

    #[test]
    fn a_run_of_jest() {
        let output = "\
FAIL ./sum.test.js
  ✓ zero (2 ms)
  group
    ✓ adds
    ✕ subtracts (1 ms)
    ○ skipped later

  ● group › subtracts

    expect(received).toBe(expected) // Object.is equality

    Expected: 1
    Received: 2

      at Object.<anonymous> (node_modules/jest-circus/x.js:1:1)

Test Suites: 1 failed, 1 total
Tests:       1 failed, 1 skipped, 2 passed, 4 total
Snapshots:   0 total
";
        let results = check(
            output,
            "passed [group › adds, zero] failed [group › subtracts] skipped [group › later]; 2 1 \
             1; not built: no",
        );
        let failure = &results.failures["group › subtracts"];
        assert!(
            failure.contains("Expected: 1\nReceived: 2\n") && !failure.contains("jest-circus"),
            "{failure}"
        );
    }

    #[test]
    fn a_file_that_cannot_be_loaded() {
        let output = "\
FAIL ./bad.test.js
  ● Test suite failed to run

    Cannot find module './none' from 'bad.test.js'

Test Suites: 1 failed, 1 total
Tests:       0 total
";
        check(
            output,
            "passed [] failed [] skipped []; 0 0 0; not built: Cannot find module './none' from \
             'bad.test.js'",
        );
    }
}
