//! What a repair reports while it runs.

use super::judge::names;
use super::record::{AttemptRecord, RunRecord, ShownBy};
use crate::engine::Progress;
use crate::sandbox::Isolation;
use std::fmt;

/// What a repair reports while it runs. All but [`RepairEvent::Model`] display as a sentence.
#[derive(Debug)]
pub enum RepairEvent<'a> {
    /// A copy was made, confined like this.
    Copied(&'a Isolation),
    /// The tests are being run as they are.
    Baseline,
    /// The tests were run as they are.
    BaselineRan(&'a RunRecord),
    /// The model is asked for a test that shows the bug: which try, of how many.
    WritingTest(usize, usize),
    /// These tests show the bug; none: the exit code shows it. The second list failed before, and
    /// is left aside.
    Shown(ShownBy, &'a [String], &'a [String]),
    /// An attempt begins: which one, of how many.
    Attempt(usize, usize),
    /// An attempt ended, at a test or at an edit.
    AttemptEnded(&'a AttemptRecord),
    /// Two fresh copies are being tested: one must be red without the edit, one green with it.
    Proving,
    /// How far the model is.
    Model(Progress),
}

impl fmt::Display for RepairEvent<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RepairEvent::Copied(isolation) => {
                write!(
                    f,
                    "the tests run in a throw-away copy; it is confined by: {isolation}"
                )
            }
            RepairEvent::Baseline => write!(f, "baseline: running the tests as they are"),
            RepairEvent::BaselineRan(run) => write!(f, "baseline: {run}"),
            RepairEvent::WritingTest(n, of) => write!(
                f,
                "no test fails: the model is asked for one that shows the bug ({n} of {of})"
            ),
            RepairEvent::Shown(by, targets, known_failing) => {
                let by = match by {
                    ShownBy::Given => "the test given shows the bug",
                    ShownBy::Failing => "failing already, and taken for the bug",
                    ShownBy::Written => "the model's test shows the bug",
                };
                write!(f, "red: {by}")?;
                if !targets.is_empty() {
                    write!(f, ": {}", names(targets))?;
                }
                match known_failing {
                    [] => Ok(()),
                    others => write!(f, "; failing before, and left aside: {}", names(others)),
                }
            }
            RepairEvent::Attempt(n, of) => write!(f, "attempt {n} of {of}"),
            RepairEvent::AttemptEnded(attempt) => {
                let kept = if attempt.kept {
                    "; it is kept: fewer tests fail"
                } else {
                    ""
                };
                match attempt.files.as_slice() {
                    [] => write!(f, "  {}{kept}", attempt.message),
                    files => write!(f, "  {}: {}{kept}", files.join(", "), attempt.message),
                }
            }
            RepairEvent::Proving => {
                write!(
                    f,
                    "  green; now in fresh copies, without the edit and with it"
                )
            }
            RepairEvent::Model(_) => Ok(()),
        }
    }
}
