//! The test that shows the bug: given, failing already, or written by the model.

use super::attempt::{Asking, Proposal, ProposalRequest, propose};
use super::error::RepairError;
use super::event::RepairEvent;
use super::guard::Purpose;
use super::judge::{Expected, RunEnd};
use super::notes::{Known, notes};
use super::output::{Results, TestEnd};
use super::record::{AttemptEnd, AttemptRecord, ShownBy};
use super::right_reason::{about_issue, expected_after, has_no_tests, is_in_file};
use super::session::RepairSession;
use super::trial::{TestRun, Trial};
use crate::engine::Engine;
use crate::patched::FileChange;
use std::collections::BTreeSet;

/// The most tests that the model is asked to write.
const MAX_TESTS: usize = 3;

/// A bug that a test shows.
pub(super) struct Reproduction {
    pub by: ShownBy,
    /// The test, if the model wrote it.
    pub test: Vec<FileChange>,
    pub expected: Expected,
    /// The run that shows it.
    pub run: TestRun,
}

/// Finds the test that shows the bug, or has the model write one, which then stays in the copy. The
/// model's tries are added to `attempts`. An inner error says why there is no such test.
pub(super) async fn reproduce<E: Engine>(
    issue: &str,
    baseline: TestRun,
    trial: &mut Trial,
    attempts: &mut Vec<AttemptRecord>,
    session: &mut RepairSession<'_, E>,
) -> Result<Result<Reproduction, String>, RepairError> {
    let results = &baseline.results;
    let fails = baseline.end != RunEnd::Exited(0) && !has_no_tests(&baseline);
    let failed: BTreeSet<String> = results.of(TestEnd::Failed).cloned().collect();
    if let Some(test_file) = &session.options.test_file {
        if !fails && failed.is_empty() {
            return Ok(Err(format!(
                "the tests pass, those in {test_file} too: they show no bug"
            )));
        }
        let mut targets = failed.clone();
        targets.retain(|name| is_in_file(name, results, test_file));
        if targets.is_empty() && !failed.is_empty() && results.not_built.is_none() {
            return Ok(Err(format!("tests fail, but none in {test_file}")));
        }
        return Ok(Ok(Reproduction::found(ShownBy::Given, targets, baseline)));
    }

    if fails || !failed.is_empty() {
        let targets = about_issue(&failed, results, issue);
        return Ok(Ok(Reproduction::found(ShownBy::Failing, targets, baseline)));
    }
    write_test(issue, results, trial, attempts, session).await
}

impl Reproduction {
    /// A bug that is shown by tests that fail already.
    fn found(by: ShownBy, targets: BTreeSet<String>, run: TestRun) -> Reproduction {
        Reproduction {
            by,
            test: Vec::new(),
            expected: Expected::after(&run.results, targets),
            run,
        }
    }
}

async fn write_test<E: Engine>(
    issue: &str,
    baseline: &Results,
    trial: &mut Trial,
    attempts: &mut Vec<AttemptRecord>,
    session: &mut RepairSession<'_, E>,
) -> Result<Result<Reproduction, String>, RepairError> {
    let mut asking = Asking::default();
    for n in 1..=MAX_TESTS {
        session.tell(RepairEvent::WritingTest(n, MAX_TESTS));
        let proposal = propose(
            request(issue, n, attempts, session),
            trial,
            &mut asking,
            session,
        );
        let Proposal { changes, mut draft } = match proposal.await {
            Err(error) if error.is_no_files() => {
                let reason = "no test fails, and there is no file of tests to add one to: \
                              name one that fails with --test-file";
                return Ok(Err(reason.to_owned()));
            }
            proposal => proposal?,
        };
        let changes = match changes {
            Ok(changes) => changes,
            Err((end, message)) => {
                session.end_attempt(draft.ended(end, message), attempts);
                continue;
            }
        };

        trial.put(&changes)?;
        let run = trial.run_tests().await?;
        draft.ms = Some(run.time.as_millis() as u64);
        match expected_after(issue, baseline, &run) {
            Ok(expected) => {
                trial.keep_watch_of_tests(&changes)?;
                let end = AttemptEnd::Tested {
                    finding: run.finding(&expected),
                };
                let mut attempt = draft.ended(end, "it fails, as it should".to_owned());
                attempt.kept = true;
                session.end_attempt(attempt, attempts);
                return Ok(Ok(Reproduction {
                    by: ShownBy::Written,
                    test: changes,
                    expected,
                    run,
                }));
            }
            Err((end, message)) => {
                trial.take_back(&changes)?;
                asking.answers = None; // the next prompt says why this test is none
                session.end_attempt(draft.ended(end, message), attempts);
            }
        }
    }
    Ok(Err(format!(
        "no test fails, and none of the {MAX_TESTS} that the model was asked for shows the bug"
    )))
}

/// The request for a test, after these tries.
fn request<'a, E: Engine>(
    issue: &'a str,
    n: usize,
    tried: &[AttemptRecord],
    session: &RepairSession<'_, E>,
) -> ProposalRequest<'a> {
    let known = Known {
        purpose: Purpose::Test,
        command: &session.options.command,
        targets: &[],
        output: "",
        diff: "",
        tried,
    };
    ProposalRequest {
        issue,
        purpose: Purpose::Test,
        n,
        notes: notes(&known, session.engine.model().context_tokens),
        created: Vec::new(),
    }
}
