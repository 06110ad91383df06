//! Whether tests fail for the right reason: because of the bug, and not because they cannot be
//! compiled, imported or found.

use super::judge::{Expected, Finding, RunEnd};
use super::output::{Results, TestEnd, cannot_run};
use super::record::AttemptEnd;
use super::trial::TestRun;
use crate::search::terms::Terms;
use std::collections::BTreeSet;

/// Why the tests cannot be run as they are, if they cannot: then nobody can say what an edit does
/// to them.
pub(super) fn broken(baseline: &TestRun, issue: &str) -> Option<String> {
    // The shell's own: the command was not found, or cannot be run.
    const NO_COMMAND: [i32; 2] = [126, 127];
    match (&baseline.end, &baseline.results.not_built) {
        (RunEnd::Stopped(how), _) => Some(format!("the tests do not come to their end: {how}")),
        (RunEnd::Exited(code), _) if NO_COMMAND.contains(code) && !baseline.results.is_known() => {
            let line = baseline
                .output
                .lines()
                .rev()
                .find(|line| !line.trim().is_empty())
                .unwrap_or("no such command");
            Some(format!("the test command cannot be run: {}", line.trim()))
        }
        (RunEnd::Exited(code), Some(line)) if *code != 0 && !is_about_building(issue, line) => {
            Some(format!(
                "the tests do not compile or import as they are: {line}"
            ))
        }
        _ => None,
    }
}

/// Expectations after a run with a new test, if the test fails for the right reason.
pub(super) fn expected_after(
    issue: &str,
    baseline: &Results,
    run: &TestRun,
) -> Result<Expected, (AttemptEnd, String)> {
    let end_of = |finding: Finding| {
        let message = finding.sentence();
        Err((AttemptEnd::Tested { finding }, message))
    };
    let wrong_reason = |line: &str| {
        Err((
            AttemptEnd::WrongReason,
            format!("it fails because it cannot be run: {line}"),
        ))
    };
    match &run.end {
        RunEnd::Stopped(how) => return end_of(Finding::Stopped { how: how.clone() }),
        RunEnd::Exited(0) => {
            return Err((
                AttemptEnd::DoesNotFail,
                "it passes, and so does not show the bug".to_owned(),
            ));
        }
        RunEnd::Exited(_) => {}
    }
    if let Some(path) = &run.changed_tests {
        return end_of(Finding::ChangedTests { path: path.clone() });
    }
    let not_built = run
        .results
        .not_built
        .as_deref()
        .filter(|line| !is_about_building(issue, line));
    if let Some(line) = not_built {
        return wrong_reason(line);
    }
    let failed: BTreeSet<String> = run.results.of(TestEnd::Failed).cloned().collect();
    let passed_before: BTreeSet<String> = baseline.of(TestEnd::Passed).cloned().collect();
    let mut broken: Vec<String> = failed.intersection(&passed_before).cloned().collect();
    // If the names of passed tests are not known, each failing test must be an additional one.
    if baseline.is_known()
        && !baseline.names_passed()
        && run.results.n_run() < baseline.n_run() + failed.len()
    {
        broken = failed.iter().cloned().collect();
    }
    if !broken.is_empty() {
        return end_of(Finding::Broke { failing: broken });
    }
    let failures = failed
        .iter()
        .filter_map(|name| run.results.failures.get(name))
        .map(String::as_str);
    let said: Vec<&str> = if failed.is_empty() {
        vec![&run.output]
    } else {
        failures.collect()
    };
    if let Some(line) = said
        .into_iter()
        .find_map(cannot_run)
        .filter(|line| !is_about_building(issue, line))
    {
        return wrong_reason(line);
    }
    let mut expected = Expected::after(&run.results, failed);
    expected.add(baseline);
    Ok(expected)
}

/// Whether an issue is about a failure to compile, load or import. Such an issue says so, or names
/// the thing that the error names.
fn is_about_building(issue: &str, error: &str) -> bool {
    const WORDS: [&str; 11] = [
        "compil",
        "build",
        "import",
        "syntax",
        "linker",
        "undefined",
        "undeclared",
        "no module",
        "parse error",
        "nameerror",
        "not defined",
    ];
    let lower = issue.to_lowercase();
    let mut names = error.split(['\'', '`', '"', '‘', '’']).skip(1).step_by(2);
    WORDS.iter().any(|word| lower.contains(word))
        || names.any(|name| {
            name.len() > 1
                && issue
                    .split(|c: char| !c.is_alphanumeric() && c != '_')
                    .any(|word| word == name)
        })
}

/// Whether a runner found no tests. Some runners call that a failure.
pub(super) fn has_no_tests(run: &TestRun) -> bool {
    let says = |line: &str| {
        line.contains("no tests ran")
            || line.starts_with("Ran 0 tests")
            || line.contains("NO TESTS RAN")
    };
    !run.results.is_known() && run.results.not_built.is_none() && run.output.lines().any(says)
}

/// Whether a test is in a file, by its name or by what it prints.
pub(super) fn is_in_file(name: &str, results: &Results, path: &str) -> bool {
    let file = path.rsplit('/').next().unwrap_or(path);
    let stem = file.split('.').next().unwrap_or(file);
    let by_name = name
        .split_once("::")
        .is_some_and(|(of, _)| of == path || of == file)
        || name.split('.').any(|part| part == stem)
        || name == path;
    by_name
        || results
            .failures
            .get(name)
            .is_some_and(|failure| failure.contains(file))
}

/// The failing tests that an issue is about. A part of the test's name is a word of the issue. If
/// there is none, tests that print words of the issue; if there is none either, all.
pub(super) fn about_issue(
    failed: &BTreeSet<String>,
    results: &Results,
    issue: &str,
) -> BTreeSet<String> {
    let issue_words: BTreeSet<String> = issue
        .split(|c: char| !c.is_alphanumeric())
        .map(str::to_lowercase)
        .collect();
    let by_name = |name: &&String| {
        let own_name = name
            .rsplit([':', '.', '>', '/'])
            .next()
            .unwrap_or(name)
            .to_lowercase();
        let mut parts = own_name
            .split(|c: char| !c.is_alphanumeric())
            .filter(|part| part.len() > 2 && !part.starts_with("test"));
        parts.any(|part| issue_words.contains(part))
    };
    let terms = Terms::of(issue);
    let by_output = |name: &&String| {
        results
            .failures
            .get(*name)
            .is_some_and(|failure| terms.counts(failure).terms().next().is_some())
    };
    let named: BTreeSet<String> = failed.iter().filter(by_name).cloned().collect();
    let told = || {
        failed
            .iter()
            .filter(by_output)
            .cloned()
            .collect::<BTreeSet<String>>()
    };
    [named, told(), failed.clone()]
        .into_iter()
        .find(|some| !some.is_empty())
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    fn run(code: i32, output: &str) -> TestRun {
        let results = super::super::output::read(output);
        TestRun {
            end: RunEnd::Exited(code),
            results,
            output: output.to_owned(),
            time: Duration::ZERO,
            changed_tests: None,
        }
    }

    #[test]
    fn tests_that_cannot_be_run_are_no_baseline() {
        let compiler = "a.c:1:2: error: ‘total’ undeclared\n";
        for (code, output, issue, expected) in [
            (0, "fine\n", "x", false),
            (1, "assertion failed\n", "x", false),
            (
                1,
                "/usr/bin/python3: No module named pytest\n",
                "the sum is wrong",
                true,
            ),
            (127, "sh: 1: nope: not found\n", "x", true),
            (
                127,
                "test a ... FAILED\ntest result: FAILED. 0 passed; 1 failed; 0 ignored;\n",
                "x",
                false,
            ),
            (2, compiler, "the sum is wrong", true),
            (2, compiler, "it does not compile", false),
            (2, compiler, "total is missing in a.c", false),
        ] {
            assert_eq!(
                broken(&run(code, output), issue).is_some(),
                expected,
                "{output} {issue}"
            );
        }
    }

    #[test]
    fn a_new_test_must_fail_for_the_right_reason() {
        let baseline = run(
            0,
            "test a ... ok\ntest result: ok. 1 passed; 0 failed; 0 ignored;\n",
        )
        .results;
        let cargo = |a: &str, b: &str, said: &str| {
            format!(
                "test a ... {a}\ntest b ... {b}\n---- b stdout ----\n{said}\n\n\
                 test result: FAILED. 1 passed; 1 failed; 0 ignored;\n"
            )
        };
        let check = |code, output: &str, issue: &str, expected: Option<AttemptEnd>| {
            let end = expected_after(issue, &baseline, &run(code, output))
                .err()
                .map(|(end, _)| end);
            assert_eq!(end, expected, "{output}");
        };
        check(101, &cargo("ok", "FAILED", "left: 1"), "x", None);
        check(
            0,
            &cargo("ok", "ok", ""),
            "x",
            Some(AttemptEnd::DoesNotFail),
        );
        let broke = Finding::Broke {
            failing: vec!["a".to_owned()],
        };
        check(
            101,
            &cargo("FAILED", "FAILED", ""),
            "x",
            Some(AttemptEnd::Tested { finding: broke }),
        );
        check(
            1,
            "error: x\nerror: could not compile\n",
            "x is wrong",
            Some(AttemptEnd::WrongReason),
        );
        check(
            101,
            &cargo("ok", "FAILED", "NameError: name 'foo' is not defined"),
            "x",
            Some(AttemptEnd::WrongReason),
        );
        check(
            101,
            &cargo("ok", "FAILED", "NameError: name 'foo' is not defined"),
            "foo is missing",
            None,
        );
    }

    #[test]
    fn failing_tests_are_sorted_by_the_issue() {
        let results = run(
            1,
            "test tests::parses_dates ... FAILED\ntest tests::sums ... FAILED\n",
        )
        .results;
        let failed: BTreeSet<String> = results.of(TestEnd::Failed).cloned().collect();
        let about = |issue: &str| {
            about_issue(&failed, &results, issue)
                .into_iter()
                .collect::<Vec<_>>()
        };
        assert_eq!(
            about("Dates with one digit are refused"),
            ["tests::parses_dates"]
        );
        assert_eq!(about("It crashes"), ["tests::parses_dates", "tests::sums"]);
    }
}
