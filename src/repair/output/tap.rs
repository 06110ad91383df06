//! The Test Anything Protocol, as node's runner and other tools print it. node does so outside of a
//! terminal.
//!
//! ```text
//! # Subtest: group
//!     # Subtest: inner bad
//!     not ok 1 - inner bad
//!       ---
//!       error: 'no'
//!       ...
//!     1..1
//! not ok 1 - group
//! 1..1
//! # pass 0
//! # fail 2
//! ```

use super::lines::{cannot_run, number, regex, within};
use super::results::{Counts, Results, TestEnd};
use regex::Regex;
use std::sync::LazyLock;

static TEST: LazyLock<Regex> = LazyLock::new(|| regex(r"^( *)(not ok|ok) \d+(?: -)? ?(.*)$"));
static SUBTEST: LazyLock<Regex> = LazyLock::new(|| regex(r"^( *)# Subtest: (.*)$"));
static COUNT: LazyLock<Regex> = LazyLock::new(|| regex(r"^# (pass|fail|skipped) (\d+)$"));
static PLAN: LazyLock<Regex> = LazyLock::new(|| regex(r"^1\.\.\d+"));

pub(super) fn read(lines: &[&str], results: &mut Results) {
    if !lines
        .iter()
        .any(|line| PLAN.is_match(line) || line.starts_with("TAP version"))
    {
        return;
    }

    let mut groups: Vec<&str> = Vec::new();
    let mut comments = Comments::default();
    let mut failing: Option<String> = None;
    let mut counts = Counts::default();
    for line in lines {
        if let Some(found) = SUBTEST.captures(line) {
            groups.truncate(found[1].len() / 4);
            groups.push(found.get(2).map_or("", |name| name.as_str()));
        } else if let Some(found) = TEST.captures(line) {
            groups.truncate(found[1].len() / 4);
            let (name, directive) = found[3].split_once(" # ").unwrap_or((&found[3], ""));
            let name = within(&groups, name, " > ");
            let end = end_of(&found[2], directive);
            results.note(&name, end);

            let comments = std::mem::take(&mut comments);
            failing = None;
            if end == TestEnd::Failed {
                if let Some(error) = cannot_run(&comments.text) {
                    results.note_not_built(error);
                }
                results.add_failure(&name, &comments.text);
                failing = Some(name);
            }
        } else if let Some(found) = COUNT.captures(line) {
            counts.add(&found[1], number(&found[2]));
        } else if let Some(comment) = line.strip_prefix("# ") {
            comments.add(comment);
            failing = None;
        } else if line.trim() == "..." {
            failing = None;
        } else if let Some(name) = &failing
            && line.starts_with(' ')
            && !is_noise(line)
        {
            results.add_failure(name, &format!("{}\n", line.trim_start()));
        }
    }
    results.add(counts);
}

/// Comments before a file's line, which may say why it crashed. The first ones are kept.
#[derive(Default)]
struct Comments {
    text: String,
    n_lines: usize,
}

impl Comments {
    fn add(&mut self, comment: &str) {
        const MAX_LINES: usize = 30;
        if self.n_lines < MAX_LINES {
            self.text += comment;
            self.text += "\n";
            self.n_lines += 1;
        }
    }
}

fn end_of(result: &str, directive: &str) -> TestEnd {
    let directive = directive.to_lowercase();
    if directive.starts_with("skip") {
        TestEnd::Skipped
    } else if result == "not ok" && !directive.starts_with("todo") {
        TestEnd::Failed
    } else {
        TestEnd::Passed
    }
}

/// Whether a line about a failure says nothing of it: marks, times, and node's own stack.
fn is_noise(line: &str) -> bool {
    matches!(line.trim(), "---" | "")
        || [" duration_ms:", "  stack:", "(node:"]
            .iter()
            .any(|part| line.contains(part))
}

#[cfg(test)]
mod tests {
    use super::super::checked::check;

    #[test]
    fn a_run_of_nodes_runner() {
        let output = "\
TAP version 13
# Subtest: adds
ok 1 - adds
  ---
  duration_ms: 13.267791
  ...
# Subtest: subtracts
not ok 2 - subtracts
  ---
  duration_ms: 0.864768
  location: 'sum.test.js:3:1'
  error: |-
    Expected values to be strictly equal:
    
    2 !== 1
    
  stack: |-
    Test.run (node:internal/test_runner/test:796:25)
  ...
# Subtest: later
ok 3 - later # SKIP
  ---
  ...
# Subtest: group
    # Subtest: inner ok
    ok 1 - inner ok
      ---
      ...
    # Subtest: inner bad
    not ok 2 - inner bad
      ---
      error: 'no'
      ...
    1..2
not ok 4 - group
  ---
  error: '1 subtest failed'
  ...
1..4
# tests 5
# suites 1
# pass 2
# fail 2
# cancelled 0
# skipped 1
";
        let results = check(
            output,
            "passed [adds, group > inner ok] failed [group, group > inner bad, subtracts] skipped \
             [later]; 2 2 1; not built: no",
        );
        let failure = &results.failures["subtracts"];
        assert!(
            failure.contains("2 !== 1") && !failure.contains("test_runner"),
            "{failure}"
        );
        assert_eq!(results.failures["group > inner bad"], "error: 'no'\n");
    }

    #[test]
    fn a_file_that_cannot_be_loaded() {
        let output = "\
TAP version 13
# bad.test.js:1
# const x = ;
# SyntaxError: Unexpected token ';'
#     at wrapSafe (node:internal/modules/cjs/loader:1464:18)
# Node.js v20.20.2
# Subtest: bad.test.js
not ok 1 - bad.test.js
  ---
  error: 'test failed'
  ...
1..1
# fail 1
";
        let not_built = "SyntaxError: Unexpected token ';'";
        check(
            output,
            &format!("passed [] failed [bad.test.js] skipped []; 0 1 0; not built: {not_built}"),
        );
    }

    #[test]
    fn other_tools_print_less() {
        check(
            "1..3\nok 1 first\nnot ok 2 second # TODO later\nnot ok 3\n",
            "passed [first, second] failed [] skipped []; 0 0 0; not built: no",
        );
    }
}
