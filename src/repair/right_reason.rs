//! Whether tests fail for the right reason: because of the bug, and not because they cannot be
//! compiled, imported or found.

use super::judge::{Expected, Finding, RunEnd};
use super::output::{Results, TestEnd, cannot_run};
use super::record::AttemptEnd;
use super::trial::TestRun;
use crate::search::terms::Terms;
use std::collections::BTreeSet;

/// Why the tests cannot be run as they are; `None` if they can. If they cannot, no run tells what an
/// edit does to them.
pub(super) fn broken(baseline: &TestRun, issue: &str) -> Option<String> {
    // The shell's own: the command was not found, or cannot be run.
    const NO_COMMAND: [i32; 2] = [126, 127];
    let code = match &baseline.end {
        RunEnd::Stopped(how) => return Some(format!("the tests do not come to their end: {how}")),
        RunEnd::Exited(code) => *code,
    };

    if NO_COMMAND.contains(&code) && !baseline.results.is_known() {
        let lines = baseline.output.lines().map(str::trim);
        let last = lines.rev().find(|line| !line.is_empty());
        let line = last.unwrap_or("no such command");
        return Some(format!("the test command cannot be run: {line}"));
    }
    let line = baseline.results.not_built.as_ref()?;
    (code != 0 && !is_about_building(issue, line))
        .then(|| format!("the tests do not compile or import as they are: {line}"))
}

/// Expectations after a run with a new test, if the test fails for the right reason.
pub(super) fn expected_after(
    issue: &str,
    baseline: &Results,
    run: &TestRun,
) -> Result<Expected, (AttemptEnd, String)> {
    match &run.end {
        RunEnd::Stopped(how) => return Err(tested(Finding::Stopped { how: how.clone() })),
        RunEnd::Exited(0) => {
            let message = "it passes, and so does not show the bug";
            return Err((AttemptEnd::DoesNotFail, message.to_owned()));
        }
        RunEnd::Exited(_) => {}
    }
    if let Some(path) = &run.changed_tests {
        return Err(tested(Finding::ChangedTests { path: path.clone() }));
    }
    if let Some(line) = &run.results.not_built
        && !is_about_building(issue, line)
    {
        return Err(wrong_reason(line));
    }

    let failed: BTreeSet<String> = run.results.of(TestEnd::Failed).cloned().collect();
    let failing = broken_by_test(&failed, baseline, run);
    if !failing.is_empty() {
        return Err(tested(Finding::Broke { failing }));
    }

    let failures: Vec<&String> = if failed.is_empty() {
        vec![&run.output]
    } else {
        let failures = failed.iter().map(|name| run.results.failures.get(name));
        failures.flatten().collect()
    };
    if let Some(line) = failures.into_iter().find_map(|text| cannot_run(text))
        && !is_about_building(issue, line)
    {
        return Err(wrong_reason(line));
    }
    let mut expected = Expected::after(&run.results, failed);
    expected.add(baseline);
    Ok(expected)
}

fn tested(finding: Finding) -> (AttemptEnd, String) {
    let message = finding.sentence();
    (AttemptEnd::Tested { finding }, message)
}

fn wrong_reason(line: &str) -> (AttemptEnd, String) {
    let message = format!("it fails because it cannot be run: {line}");
    (AttemptEnd::WrongReason, message)
}

/// The failed tests that passed before a test was added.
fn broken_by_test(failed: &BTreeSet<String>, baseline: &Results, run: &TestRun) -> Vec<String> {
    // If the names of passed tests are not known, each failing test must be an additional one.
    let n_expected = baseline.n_run() + failed.len();
    if baseline.is_known() && !baseline.names_passed() && run.results.n_run() < n_expected {
        return failed.iter().cloned().collect();
    }
    let mut broken: Vec<String> = failed.iter().cloned().collect();
    broken.retain(|name| baseline.tests.get(name) == Some(&TestEnd::Passed));
    broken
}

/// Whether an issue is about a failure to compile, load or import. Such an issue says so, or names
/// the thing that the error names.
fn is_about_building(issue: &str, error: &str) -> bool {
    const WORDS: &str = "compil|build|import|syntax|linker|undefined|undeclared|no module|\
        parse error|nameerror|not defined";
    let lower = issue.to_lowercase();
    if WORDS.split('|').any(|word| lower.contains(word)) {
        return true;
    }
    let words: Vec<&str> = issue
        .split(|c: char| !c.is_alphanumeric() && c != '_')
        .collect();
    let mut names = error.split(['\'', '`', '"', '‘', '’']).skip(1).step_by(2);
    names.any(|name| name.len() > 1 && words.contains(&name))
}

/// Whether a runner found no tests. Some runners call that a failure.
pub(super) fn has_no_tests(run: &TestRun) -> bool {
    let mut lines = run.output.lines();
    !run.results.is_known()
        && run.results.not_built.is_none()
        && lines.any(|line| {
            line.contains("no tests ran")
                || line.starts_with("Ran 0 tests")
                || line.contains("NO TESTS RAN")
        })
}

/// Whether a test is in a file, by its name or by what it prints.
pub(super) fn is_in_file(name: &str, results: &Results, path: &str) -> bool {
    let file = path.rsplit('/').next().unwrap_or(path);
    let stem = file.split('.').next().unwrap_or(file);
    let module = name.split_once("::").map(|(module, _)| module);
    name == path
        || module.is_some_and(|module| module == path || module == file)
        || name.split('.').any(|part| part == stem)
        || results
            .failures
            .get(name)
            .is_some_and(|failure| failure.contains(file))
}

/// The failing tests that an issue is about: those with a word of the issue in their name. If there
/// are none, those that print words of the issue; if there are none either, all.
pub(super) fn about_issue(
    failed: &BTreeSet<String>,
    results: &Results,
    issue: &str,
) -> BTreeSet<String> {
    let words: BTreeSet<String> = issue
        .split(|c: char| !c.is_alphanumeric())
        .map(str::to_lowercase)
        .collect();
    let mut chosen = failed.clone();
    chosen.retain(|name| is_named_by(name, &words));
    if chosen.is_empty() {
        let terms = Terms::of(issue);
        chosen = failed.clone();
        chosen.retain(|name| {
            let failure = results.failures.get(name);
            failure.is_some_and(|failure| terms.counts(failure).terms().next().is_some())
        });
    }
    if chosen.is_empty() {
        return failed.clone();
    }
    chosen
}

/// Whether one of these words is a part of a test's own name.
fn is_named_by(name: &str, words: &BTreeSet<String>) -> bool {
    let own_name = name.rsplit([':', '.', '>', '/']).next().unwrap_or(name);
    let own_name = own_name.to_lowercase();
    let mut parts = own_name
        .split(|c: char| !c.is_alphanumeric())
        .filter(|part| part.len() > 2 && !part.starts_with("test"));
    parts.any(|part| words.contains(part))
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
        let no_pytest = "/usr/bin/python3: No module named pytest\n";
        let failed = "test a ... FAILED\ntest result: FAILED. 0 passed; 1 failed; 0 ignored;\n";
        for (code, output, issue, expected) in [
            (0, "fine\n", "x", false),
            (1, "assertion failed\n", "x", false),
            (1, no_pytest, "the sum is wrong", true),
            (127, "sh: 1: nope: not found\n", "x", true),
            (127, failed, "x", false),
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
            let result = expected_after(issue, &baseline, &run(code, output));
            let end = result.err().map(|(end, _)| end);
            assert_eq!(end, expected, "{output}");
        };
        let passes = cargo("ok", "ok", "");
        let breaks = cargo("FAILED", "FAILED", "");
        let not_built = "error: x\nerror: could not compile\n";
        let no_name = cargo("ok", "FAILED", "NameError: name 'foo' is not defined");
        let finding = Finding::Broke {
            failing: vec!["a".to_owned()],
        };
        let broke = AttemptEnd::Tested { finding };
        check(101, &cargo("ok", "FAILED", "left: 1"), "x", None);
        check(0, &passes, "x", Some(AttemptEnd::DoesNotFail));
        check(101, &breaks, "x", Some(broke));
        check(1, not_built, "x is wrong", Some(AttemptEnd::WrongReason));
        check(101, &no_name, "x", Some(AttemptEnd::WrongReason));
        check(101, &no_name, "foo is missing", None);
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
