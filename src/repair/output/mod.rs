//! Reads what test runners print: which tests passed and failed, and why nothing could be run.
//!
//! There is a file for each runner. It is not known which runner a command runs, and `make test` may
//! run several. So every reader looks at every output and takes what it knows. If no reader knows an
//! output, it names no tests, and the exit code alone counts. Everything here is text in, values
//! out.

mod cargo;
#[cfg(test)]
mod checked;
mod compiler;
mod go;
mod jest;
mod lines;
mod node;
mod pytest;
mod relevant;
mod results;
mod tap;
mod unittest;

pub use lines::{both_ends, cannot_run, without_colors};
pub use relevant::relevant;
pub use results::{Counts, Results, TestEnd};

/// Reads an output.
pub fn read(output: &str) -> Results {
    let output = without_colors(output);
    let lines: Vec<&str> = output.lines().map(str::trim_end).collect();
    let mut results = Results::default();
    for reader in [
        pytest::read,
        unittest::read,
        cargo::read,
        go::read,
        tap::read,
        node::read,
        jest::read,
        compiler::read,
    ] {
        reader(&lines, &mut results);
    }
    results
}

#[cfg(test)]
mod tests {
    use super::checked::check;
    use super::*;

    #[test]
    fn an_unknown_output_has_no_names() {
        for output in [
            "",
            "all well\n",
            "not ok\n",
            "FAIL\n",
            "error\n",
            "Ran away\n",
        ] {
            let results = check(
                output,
                "passed [] failed [] skipped []; 0 0 0; not built: no",
            );
            assert!(!results.is_known());
        }
    }

    #[test]
    fn what_is_relevant_is_short_and_about_the_failure() {
        let noise = "noise\n".repeat(1_000);
        let output = format!("{noise}first\n{noise}");
        let ends = relevant(&output, &Results::default(), [], 200);
        assert!(
            ends.len() <= 200
                && ends.starts_with("noise\n")
                && ends.contains("[…]")
                && ends.ends_with("noise"),
            "{ends}"
        );
        let mut results = Results::default();
        results.note("a", TestEnd::Failed);
        results.add_failure("a", "about a\n");
        results.note("b", TestEnd::Failed);
        results.add_failure("b", "about b\n");
        assert_eq!(
            relevant(&output, &results, [&"b".to_owned()], 200),
            "about b\n\nabout a"
        );
        results.not_built = Some("first".to_owned());
        assert!(relevant(&output, &results, [], 200).starts_with("first\nnoise"));
    }

    #[test]
    fn a_test_that_cannot_be_run_is_told_from_one_that_fails() {
        for (failure, expected) in [
            ("E   ModuleNotFoundError: No module named 'x'\n", true),
            ("NameError: name 'x' is not defined", true),
            ("  error: ReferenceError: x is not defined", false),
            ("ReferenceError: x is not defined", true),
            ("    SyntaxError: invalid syntax", true),
            ("Error: Cannot find module './x'", true),
            ("AssertionError: 1 != 2", false),
            ("AssertionError: 'NameError' != 'x'", false),
            (
                "AttributeError: module 'calc' has no attribute 'add'",
                false,
            ),
        ] {
            assert_eq!(cannot_run(failure).is_some(), expected, "{failure}");
        }
    }

    proptest::proptest! {
        #[test]
        fn nothing_that_is_printed_is_too_much(output in "(?s)(test |ok|not ok|--- FAIL: \
            |FAIL|\\S|=====|____ | |\n|●|✖|✔|# ){0,60}") {
            let results = read(&output);
            let shown = relevant(&output, &results, results.failures.keys(), 100);
            proptest::prop_assert!(shown.len() <= 110, "{} bytes", shown.len());
        }
    }
}
