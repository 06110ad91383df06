//! A test that shows the bug: given, failing already, or written by the model. It must fail, and
//! not because it cannot be compiled or imported, unless that is the bug.

use super::attempt::{Tried, Wish, propose};
use super::guard::Purpose;
use super::judge::{Expected, Finding, RunEnd, judge};
use super::notes::{Known, notes};
use super::output::{Results, TestEnd, cannot_run};
use super::record::{AttemptEnd, AttemptRecord, ShownBy};
use super::trial::{TestRun, Trial};
use super::{Asked, Event, RepairError};
use crate::engine::Engine;
use crate::flow::FlowError;
use crate::flow::steps::FileChange;
use crate::search::SearchError;
use crate::search::words::{Searched, task_words};
use std::collections::BTreeSet;

/// Tests that the model may write until it is given up.
const MAX_TESTS: usize = 3;

/// A bug that a test shows.
pub(super) struct Shown {
    pub by: ShownBy,
    /// The test, if the model wrote it.
    pub test: Vec<FileChange>,
    pub expected: Expected,
    /// The run that shows it.
    pub run: TestRun,
}

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
            Some(format!("the tests do not compile or import as they are: {line}"))
        }
        _ => None,
    }
}

/// Finds the test that shows the bug, or has the model write one, which stays in the copy then;
/// what it wrote is in `attempts`. An error within: why there is none.
pub(super) async fn show_bug<E: Engine>(
    asked: &Asked<'_>,
    baseline: TestRun,
    trial: &mut Trial,
    attempts: &mut Vec<AttemptRecord>,
    engine: &mut E,
    tell: &mut dyn FnMut(Event),
) -> Result<Result<Shown, String>, RepairError> {
    let fails = baseline.end != RunEnd::Exited(0) && !has_no_tests(&baseline);
    let failed: BTreeSet<String> = baseline.results.of(TestEnd::Failed).cloned().collect();
    let shown = |by, targets, run: TestRun| Shown {
        by,
        test: Vec::new(),
        expected: Expected::after(&run.results, targets),
        run,
    };
    if let Some(test_file) = &asked.options.test_file {
        if !fails && failed.is_empty() {
            return Ok(Err(format!("the tests pass, those in {test_file} too: they show no bug")));
        }
        let targets: BTreeSet<String> = failed
            .iter()
            .filter(|name| is_in_file(name, &baseline.results, test_file))
            .cloned()
            .collect();
        if targets.is_empty() && !failed.is_empty() && baseline.results.not_built.is_none() {
            return Ok(Err(format!("tests fail, but none in {test_file}")));
        }
        return Ok(Ok(shown(ShownBy::Given, targets, baseline)));
    }
    if fails || !failed.is_empty() {
        let targets = about_issue(&failed, &baseline.results, asked.issue);
        return Ok(Ok(shown(ShownBy::Failing, targets, baseline)));
    }
    write_test(asked, &baseline.results, trial, attempts, engine, tell).await
}

async fn write_test<E: Engine>(
    asked: &Asked<'_>,
    baseline: &Results,
    trial: &mut Trial,
    attempts: &mut Vec<AttemptRecord>,
    engine: &mut E,
    tell: &mut dyn FnMut(Event),
) -> Result<Result<Shown, String>, RepairError> {
    let mut tried = Tried::new();
    for n in 1..=MAX_TESTS {
        tell(Event::WritingTest(n, MAX_TESTS));
        let known = Known {
            purpose: Purpose::Test,
            command: &asked.options.command,
            targets: &[],
            output: "",
            diff: "",
            tried: attempts,
        };
        let notes = notes(&known, engine.model().context_tokens);
        let wish = Wish { purpose: Purpose::Test, n, notes, made: Vec::new() };
        let mut proposal = match propose(asked, wish, trial, &mut tried, engine, tell).await {
            Err(RepairError::Flow(FlowError::Search(SearchError::NoFiles { .. }))) => {
                return Ok(Err(
                    "no test fails, and there is no file of tests to add one to: name one that fails with --test-file".into(),
                ));
            }
            proposal => proposal?,
        };
        let mut came = |attempt: AttemptRecord| {
            tell(Event::Came(&attempt));
            attempts.push(attempt);
        };
        let changes = match std::mem::replace(&mut proposal.outcome, Ok(Vec::new())) {
            Ok(changes) => changes,
            Err((end, message)) => {
                came(proposal.record(end, message, None));
                continue;
            }
        };
        trial.put(&changes)?;
        let run = trial.run_tests().await?;
        let ms = Some(run.time.as_millis() as u64);
        match red(asked.issue, baseline, &run) {
            Ok(expected) => {
                for change in changes.iter().filter(|change| asked.judges.is_test(&change.path)) {
                    trial.keep_watch(&change.path)?;
                }
                let finding = judge(&expected, &run.end, &run.results, None);
                let message = "it fails, as it should".to_owned();
                let attempt = AttemptRecord {
                    kept: true,
                    ..proposal.record(AttemptEnd::Tested { finding }, message, ms)
                };
                tell(Event::Came(&attempt));
                attempts.push(attempt);
                return Ok(Ok(Shown { by: ShownBy::Written, test: changes, expected, run }));
            }
            Err((end, message)) => {
                trial.take_back(&changes)?;
                came(proposal.record(end, message, ms));
            }
        }
    }
    Ok(Err(format!(
        "no test fails, and none of the {MAX_TESTS} that the model was asked for shows the bug"
    )))
}

/// What is expected after a run with a new test in it, if that fails for the right reason.
fn red(issue: &str, baseline: &Results, run: &TestRun) -> Result<Expected, (AttemptEnd, String)> {
    let end_of = |finding: Finding| {
        let message = finding.sentence();
        Err((AttemptEnd::Tested { finding }, message))
    };
    let wrong_reason = |line: &str| {
        Err((AttemptEnd::WrongReason, format!("it fails because it cannot be run: {line}")))
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
    let not_built = run.results.not_built.as_deref().filter(|line| !is_about_building(issue, line));
    if let Some(line) = not_built {
        return wrong_reason(line);
    }
    let failed: BTreeSet<String> = run.results.of(TestEnd::Failed).cloned().collect();
    let passed_before: BTreeSet<String> = baseline.of(TestEnd::Passed).cloned().collect();
    let mut broken: Vec<String> = failed.intersection(&passed_before).cloned().collect();
    // Where the names of those that passed are not known: each test that fails must be one more.
    if baseline.is_known()
        && !baseline.names_passed()
        && run.results.n_run() < baseline.n_run() + failed.len()
    {
        broken = failed.iter().cloned().collect();
    }
    if !broken.is_empty() {
        return end_of(Finding::Broke { failing: broken });
    }
    let failures =
        failed.iter().filter_map(|name| run.results.failures.get(name)).map(String::as_str);
    let said: Vec<&str> = if failed.is_empty() { vec![&run.output] } else { failures.collect() };
    if let Some(line) =
        said.into_iter().find_map(cannot_run).filter(|line| !is_about_building(issue, line))
    {
        return wrong_reason(line);
    }
    let mut expected = Expected::after(&run.results, failed);
    expected.add(baseline);
    Ok(expected)
}

/// Whether an issue is that something cannot be compiled, loaded or imported: it says so, or it
/// names what the error is about.
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
                && issue.split(|c: char| !c.is_alphanumeric() && c != '_').any(|word| word == name)
        })
}

/// Whether a runner found no tests, which some take for a failure.
fn has_no_tests(run: &TestRun) -> bool {
    let says = |line: &str| {
        line.contains("no tests ran")
            || line.starts_with("Ran 0 tests")
            || line.contains("NO TESTS RAN")
    };
    !run.results.is_known() && run.results.not_built.is_none() && run.output.lines().any(says)
}

/// Whether a test is in a file, by its name or by what it prints.
fn is_in_file(name: &str, results: &Results, path: &str) -> bool {
    let file = path.rsplit('/').next().unwrap_or(path);
    let stem = file.split('.').next().unwrap_or(file);
    let by_name = name.split_once("::").is_some_and(|(of, _)| of == path || of == file)
        || name.split('.').any(|part| part == stem)
        || name == path;
    by_name || results.failures.get(name).is_some_and(|failure| failure.contains(file))
}

/// Of the tests that fail those that an issue is about: a part of whose name is one of its words,
/// else those that print some of its words, else all.
fn about_issue(failed: &BTreeSet<String>, results: &Results, issue: &str) -> BTreeSet<String> {
    let issue_words: BTreeSet<String> =
        issue.split(|c: char| !c.is_alphanumeric()).map(str::to_lowercase).collect();
    let by_name = |name: &&String| {
        let own_name = name.rsplit([':', '.', '>', '/']).next().unwrap_or(name).to_lowercase();
        let mut parts = own_name
            .split(|c: char| !c.is_alphanumeric())
            .filter(|part| part.len() > 2 && !part.starts_with("test"));
        parts.any(|part| issue_words.contains(part))
    };
    let words = task_words(issue);
    let by_output = |name: &&String| {
        results.failures.get(*name).is_some_and(|failure| Searched::new(failure).score(&words) > 0)
    };
    let named: BTreeSet<String> = failed.iter().filter(by_name).cloned().collect();
    let told = || failed.iter().filter(by_output).cloned().collect::<BTreeSet<String>>();
    [named, told(), failed.clone()].into_iter().find(|some| !some.is_empty()).unwrap_or_default()
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
            (1, "/usr/bin/python3: No module named pytest\n", "the sum is wrong", true),
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
            assert_eq!(broken(&run(code, output), issue).is_some(), expected, "{output} {issue}");
        }
    }

    #[test]
    fn a_new_test_must_fail_for_the_right_reason() {
        let baseline =
            run(0, "test a ... ok\ntest result: ok. 1 passed; 0 failed; 0 ignored;\n").results;
        let cargo = |a: &str, b: &str, said: &str| {
            format!(
                "test a ... {a}\ntest b ... {b}\n---- b stdout ----\n{said}\n\ntest result: FAILED. 1 passed; 1 failed; 0 ignored;\n"
            )
        };
        let check = |code, output: &str, issue: &str, expected: Option<AttemptEnd>| {
            let end = red(issue, &baseline, &run(code, output)).err().map(|(end, _)| end);
            assert_eq!(end, expected, "{output}");
        };
        check(101, &cargo("ok", "FAILED", "left: 1"), "x", None);
        check(0, &cargo("ok", "ok", ""), "x", Some(AttemptEnd::DoesNotFail));
        let broke = Finding::Broke { failing: vec!["a".to_owned()] };
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
        let results =
            run(1, "test tests::parses_dates ... FAILED\ntest tests::sums ... FAILED\n").results;
        let failed: BTreeSet<String> = results.of(TestEnd::Failed).cloned().collect();
        let about =
            |issue: &str| about_issue(&failed, &results, issue).into_iter().collect::<Vec<_>>();
        assert_eq!(about("Dates with one digit are refused"), ["tests::parses_dates"]);
        assert_eq!(about("It crashes"), ["tests::parses_dates", "tests::sums"]);
    }
}
