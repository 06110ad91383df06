//! `go test`. Without `-v` it names only tests that failed.
//!
//! ```text
//! --- FAIL: TestAdd (0.00s)
//!     add_test.go:9: got -1, want 3
//! FAIL
//! FAIL    example.com/toy 0.002s
//! ```

use super::lines::regex;
use super::results::{Results, TestEnd};
use regex::Regex;
use std::sync::LazyLock;

static TEST: LazyLock<Regex> =
    LazyLock::new(|| regex(r"^( *)--- (PASS|FAIL|SKIP): (\S+) \([\d.]+s\)$"));
static PACKAGE: LazyLock<Regex> =
    LazyLock::new(|| regex(r"^(?:ok|FAIL|---|\?)\s*\t(\S+)(?:\t|\s+\[)"));
static COMPILER: LazyLock<Regex> = LazyLock::new(|| regex(r"^\S+\.go:\d+:\d+: "));

pub(super) fn read(lines: &[&str], results: &mut Results) {
    // The tests of a package, each with what was printed about it. The package's own line follows.
    let mut tests: Vec<(String, TestEnd, String)> = Vec::new();
    let mut is_failure = false;

    for line in lines {
        if let Some(found) = TEST.captures(line) {
            let end = TestEnd::of(&found[2]);
            is_failure = end == TestEnd::Failed;
            tests.push((found[3].to_owned(), end, String::new()));
        } else if let Some(found) = PACKAGE.captures(line) {
            for (name, end, failure) in std::mem::take(&mut tests) {
                let name = format!("{}.{name}", &found[1]);
                results.note(&name, end);
                if end == TestEnd::Failed {
                    results.add_failure(&name, &failure);
                }
            }
            if line.ends_with("[build failed]") || line.ends_with("[setup failed]") {
                let error = lines.iter().find(|line| COMPILER.is_match(line));
                results.note_not_built(error.unwrap_or(line));
            }
            is_failure = false;
        } else if let Some((_, _, failure)) = tests.last_mut()
            && is_failure
            && !line.starts_with("===")
        {
            *failure += line;
            *failure += "\n";
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::checked::check;

    #[test]
    fn a_run_of_go_test() {
        let output = "\
=== RUN   TestAdd
=== RUN   TestAdd/small
    add_test.go:9: got -1, want 3
--- FAIL: TestAdd (0.00s)
    --- FAIL: TestAdd/small (0.00s)
        add_test.go:9: got -1, want 3
=== RUN   TestZero
--- PASS: TestZero (0.00s)
--- SKIP: TestSlow (0.00s)
FAIL
FAIL\texample.com/toy\t0.002s
ok  \texample.com/toy/other\t0.002s
?   \texample.com/toy/none\t[no test files]
FAIL
";
        let results = check(
            output,
            "passed [example.com/toy.TestZero] failed [example.com/toy.TestAdd, \
             example.com/toy.TestAdd/small] \
             skipped [example.com/toy.TestSlow]; 0 0 0; not built: no",
        );
        assert!(results.failures["example.com/toy.TestAdd/small"].contains("got -1, want 3"));
    }

    #[test]
    fn what_does_not_compile() {
        let output = "# example.com/toy [example.com/toy.test]\n./add.go:3:39: undefined: c\n\
                      FAIL\texample.com/toy [build failed]\nFAIL\n";
        check(
            output,
            "passed [] failed [] skipped []; 0 0 0; not built: ./add.go:3:39: undefined: c",
        );
    }
}
