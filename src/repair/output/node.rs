//! node's runner with its `spec` reporter.
//!
//! ```text
//! ✔ adds (0.9ms)
//! ▶ group
//!   ✖ inner bad (0.1ms)
//! ✖ group (0.5ms)
//! ℹ pass 1
//! ✖ failing tests:
//!
//! test at sum.test.js:5:53
//! ✖ inner bad (0.1ms)
//!   AssertionError [ERR_ASSERTION]: no
//! ```

use super::lines::{cannot_run, number, regex, within};
use super::results::{Counts, Results, TestEnd};
use regex::Regex;
use std::sync::LazyLock;

static TEST: LazyLock<Regex> =
    LazyLock::new(|| regex(r"^( *)(✔|✖|﹣|▶) (.*?)(?: \([\d.]+ms\))?( # (?:SKIP|TODO).*)?$"));
static COUNT: LazyLock<Regex> = LazyLock::new(|| regex(r"^ℹ (pass|fail|skipped) (\d+)$"));

pub(super) fn read(lines: &[&str], results: &mut Results) {
    if !lines.iter().any(|line| line.starts_with("ℹ tests ")) {
        return;
    }

    let mut groups: Vec<&str> = Vec::new();
    let mut counts = Counts::default();
    // What the last part says again, of each failed test.
    let mut is_last_part = false;
    let mut failing: Vec<String> = Vec::new();
    for line in lines {
        if *line == "✖ failing tests:" {
            is_last_part = true;
        } else if let Some(found) = COUNT.captures(line) {
            counts.add(&found[1], number(&found[2]));
        } else if let Some(found) = TEST.captures(line) {
            let name = found.get(3).map_or("", |name| name.as_str());
            if is_last_part {
                failing = failed_called(name, results);
                continue;
            }
            groups.truncate(found[1].len() / 2);
            if &found[2] == "▶" {
                groups.push(name);
            } else {
                results.note(&within(&groups, name, " > "), TestEnd::of(&found[2]));
            }
        } else if is_last_part && !line.starts_with("test at ") && !line.contains("(node:") {
            for name in &failing {
                results.add_failure(name, &format!("{}\n", line.trim_start()));
            }
        }
    }
    results.add(counts);

    let mut tests = lines
        .iter()
        .take_while(|line| !line.starts_with("ℹ tests "));
    // A file that crashed, and not a test in it.
    if let Some(error) = tests.find(|line| !line.starts_with(' ') && cannot_run(line).is_some()) {
        results.note_not_built(error);
    }
}

/// The failed tests with this name, in whatever group.
fn failed_called(name: &str, results: &Results) -> Vec<String> {
    let failed = results.of(TestEnd::Failed);
    failed
        .filter(|full| full.rsplit(" > ").next() == Some(name))
        .cloned()
        .collect()
}

#[cfg(test)]
mod tests {
    use super::super::checked::check;

    #[test]
    fn a_run_with_the_spec_reporter() {
        let output = "\
✔ adds (0.946431ms)
✖ subtracts (8.984463ms)
  AssertionError [ERR_ASSERTION]: Expected values to be strictly equal:

﹣ later (0.161482ms) # SKIP
▶ group
  ✔ inner ok (0.112849ms)
  ✖ inner bad (0.191968ms)
    AssertionError [ERR_ASSERTION]: no

✖ group (0.5401ms)
ℹ tests 7
ℹ pass 2
ℹ fail 2
ℹ skipped 1

✖ failing tests:

test at sum.test.js:3:1
✖ subtracts (8.984463ms)
  AssertionError [ERR_ASSERTION]: Expected values to be strictly equal:
      at Test.run (node:internal/test_runner/test:796:25)

test at sum.test.js:5:53
✖ inner bad (0.191968ms)
  AssertionError [ERR_ASSERTION]: no
";
        let results = check(
            output,
            "passed [adds, group > inner ok] failed [group, group > inner bad, subtracts] skipped \
             [later]; 2 2 1; not built: no",
        );
        assert_eq!(
            results.failures["group > inner bad"].trim(),
            "AssertionError [ERR_ASSERTION]: no"
        );
    }
}
