//! jest. Of several files it names only those tests that failed.
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

use super::lines::{number, regex};
use super::results::{Counts, Results, TestEnd};
use regex::Regex;
use std::sync::LazyLock;

static TEST: LazyLock<Regex> =
    LazyLock::new(|| regex(r"^( +)(✓|✕|○|✎) (?:skipped )?(.*?)(?: \([\d.]+ m?s\))?$"));
static GROUP: LazyLock<Regex> = LazyLock::new(|| regex(r"^( {2,})([^\s●].*)$"));
static BLOCK: LazyLock<Regex> = LazyLock::new(|| regex(r"^  ● (.+)$"));
static COUNT: LazyLock<Regex> = LazyLock::new(|| regex(r"(\d+) (passed|failed|skipped|todo)"));

pub(super) fn read(lines: &[&str], results: &mut Results) {
    let Some(counted) = lines.iter().rev().find(|line| line.starts_with("Tests: ")) else {
        return;
    };
    let mut counts = Counts::default();
    for found in COUNT.captures_iter(counted) {
        match &found[2] {
            "passed" => counts.passed += number(&found[1]),
            "failed" => counts.failed += number(&found[1]),
            _ => counts.skipped += number(&found[1]),
        }
    }
    results.add(counts);
    let mut within: Vec<&str> = Vec::new();
    let mut failing: Option<String> = None;
    for line in lines {
        if let Some(found) = BLOCK.captures(line) {
            let name = found[1].to_owned();
            if name != "Test suite failed to run" && !name.contains("Console") {
                results.note(&name, TestEnd::Failed);
            }
            failing = Some(name);
        } else if ["PASS ", "FAIL ", "Test Suites:"]
            .iter()
            .any(|start| line.starts_with(start))
        {
            within.clear();
            failing = None;
        } else if let Some(name) = &failing {
            if name == "Test suite failed to run" && !line.is_empty() {
                results
                    .not_built
                    .get_or_insert_with(|| line.trim().to_owned());
            } else if !line.contains("node_modules/") {
                results.add_failure(
                    name,
                    &format!("{}\n", line.strip_prefix("    ").unwrap_or(line)),
                );
            }
        } else if let Some(found) = TEST.captures(line) {
            within.truncate((found[1].len() / 2).saturating_sub(1));
            let name = within
                .iter()
                .copied()
                .chain([&found[3]])
                .collect::<Vec<_>>()
                .join(" › ");
            let end = match &found[2] {
                "✓" => TestEnd::Passed,
                "✕" => TestEnd::Failed,
                _ => TestEnd::Skipped,
            };
            results.note(&name, end);
        } else if let Some(found) = GROUP.captures(line) {
            within.truncate((found[1].len() / 2).saturating_sub(1));
            within.push(found.get(2).map_or("", |name| name.as_str()));
        }
    }
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
