//! `cargo test`, and what `rustc --test` makes.
//!
//! ```text
//! test tests::zero ... ok
//! test tests::adds ... FAILED
//!
//! ---- tests::adds stdout ----
//! thread 'tests::adds' panicked at src/lib.rs:8:40:
//!
//! test result: FAILED. 1 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in
//! 0.21s
//! ```

use super::lines::{number, regex};
use super::results::{Counts, Results, TestEnd};
use regex::Regex;
use std::sync::LazyLock;

static TEST: LazyLock<Regex> = LazyLock::new(|| regex(r"^test (.+?) \.\.\. (ok|FAILED|ignored)\b"));
static NOT_NAME: LazyLock<Regex> =
    LazyLock::new(|| regex(r" \(line \d+\)| - (?:should panic|compile|compile fail|ignore)$"));
static RESULT: LazyLock<Regex> =
    LazyLock::new(|| regex(r"^test result: \w+\. (\d+) passed; (\d+) failed; (\d+) ignored;"));
static BLOCK: LazyLock<Regex> = LazyLock::new(|| regex(r"^---- (.+?) stdout ----$"));

pub(super) fn read(lines: &[&str], results: &mut Results) {
    let error = lines
        .iter()
        .find(|line| line.starts_with("error[E") || line.starts_with("error: "));
    if let Some(error) = error
        && lines.iter().any(|line| gives_up(line))
    {
        results.note_not_built(error);
    }

    let mut failing: Option<String> = None;
    let mut is_backtrace = false;
    for line in lines {
        if let Some(found) = RESULT.captures(line) {
            results.add(Counts {
                passed: number(&found[1]),
                failed: number(&found[2]),
                skipped: number(&found[3]),
            });
            failing = None;
        } else if let Some(found) = BLOCK.captures(line) {
            failing = Some(name(&found[1]));
        } else if *line == "failures:" {
            failing = None;
        } else if let Some(name) = &failing {
            is_backtrace = *line == "stack backtrace:" || is_backtrace && line.starts_with(' ');
            if !is_backtrace {
                results.add_failure(name, &format!("{line}\n"));
            }
        } else if let Some(found) = TEST.captures(line) {
            results.note(&name(&found[1]), TestEnd::of(&found[2]));
        }
    }
}

fn gives_up(line: &str) -> bool {
    line.starts_with("error: could not compile") || line.starts_with("error: aborting due to")
}

/// A test's name without what an edit elsewhere changes: a doc test is named after its line.
fn name(text: &str) -> String {
    NOT_NAME.replace_all(text, "").into_owned()
}

#[cfg(test)]
mod tests {
    use super::super::checked::check;

    #[test]
    fn a_run_of_cargo_test() {
        let output = "\
   Compiling toy v0.1.0 (/tmp/rs)
     Running unittests src/lib.rs (target/debug/deps/toy-72d1228a8632fa39)

running 4 tests
test tests::boom - should panic ... ok
test tests::slow ... ignored
test tests::zero ... ok
test tests::adds ... FAILED

failures:

---- tests::adds stdout ----
x

thread 'tests::adds' (9669) panicked at src/lib.rs:8:40:
assertion `left == right` failed
  left: -1
 right: 3
stack backtrace:
   0: __rustc::rust_begin_unwind
note: Some details are omitted


failures:
    tests::adds

test result: FAILED. 2 passed; 1 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.21s

   Doc-tests toy
test src/lib.rs - add (line 1) ... ok

test result: ok. 1 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.21s
error: test failed, to rerun pass `--lib`
";
        let results = check(
            output,
            "passed [src/lib.rs - add, tests::boom, tests::zero] failed [tests::adds] skipped \
             [tests::slow]; 3 1 1; not built: no",
        );
        let failure = &results.failures["tests::adds"];
        assert!(
            failure.contains("  left: -1\n right: 3\n") && !failure.contains("rust_begin_unwind"),
            "{failure}"
        );
    }

    #[test]
    fn what_does_not_compile() {
        let output = "\
   Compiling toy v0.1.0 (/tmp/rs)
error[E0425]: cannot find value `c` in this scope
 --> src/lib.rs:4:41
error: could not compile `toy` (lib) due to 1 previous error
";
        check(
            output,
            "passed [] failed [] skipped []; 0 0 0; not built: error[E0425]: cannot find value `c` \
             in this scope",
        );
    }
}
