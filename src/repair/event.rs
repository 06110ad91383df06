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
    /// The model is asked for a test that shows the bug: the number of the try, and of all tries.
    WritingTest(usize, usize),
    /// These tests show the bug. If there are none, the exit code shows it. The tests of the second
    /// list failed before, and are left aside.
    Shown(ShownBy, &'a [String], &'a [String]),
    /// An attempt begins: its number, and the number of all attempts.
    Attempt(usize, usize),
    /// An attempt ended, at a test or at an edit.
    AttemptEnded(&'a AttemptRecord),
    /// Two fresh copies are being tested: one must be red without the edit, one green with it.
    Proving,
    /// The model's progress.
    Model(Progress),
}

impl fmt::Display for RepairEvent<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RepairEvent::Copied(isolation) => write!(
                f,
                "the tests run in a throw-away copy; it is confined by: {isolation}"
            ),
            RepairEvent::Baseline => write!(f, "baseline: running the tests as they are"),
            RepairEvent::BaselineRan(run) => write!(f, "baseline: {run}"),
            RepairEvent::WritingTest(n, of) => write!(
                f,
                "no test fails: the model is asked for one that shows the bug ({n} of {of})"
            ),
            RepairEvent::Shown(by, targets, known_failing) => {
                write_shown(f, *by, targets, known_failing)
            }
            RepairEvent::Attempt(n, of) => write!(f, "attempt {n} of {of}"),
            RepairEvent::AttemptEnded(attempt) => write_attempt(f, attempt),
            RepairEvent::Proving => {
                f.write_str("  green; now in fresh copies, without the edit and with it")
            }
            RepairEvent::Model(_) => Ok(()),
        }
    }
}

fn write_shown(
    f: &mut fmt::Formatter<'_>,
    by: ShownBy,
    targets: &[String],
    known_failing: &[String],
) -> fmt::Result {
    f.write_str(match by {
        ShownBy::Given => "red: the test given shows the bug",
        ShownBy::Failing => "red: failing already, and taken for the bug",
        ShownBy::Written => "red: the model's test shows the bug",
    })?;
    if !targets.is_empty() {
        write!(f, ": {}", names(targets))?;
    }
    if !known_failing.is_empty() {
        let others = names(known_failing);
        write!(f, "; failing before, and left aside: {others}")?;
    }
    Ok(())
}

fn write_attempt(f: &mut fmt::Formatter<'_>, attempt: &AttemptRecord) -> fmt::Result {
    f.write_str("  ")?;
    if !attempt.files.is_empty() {
        write!(f, "{}: ", attempt.files.join(", "))?;
    }
    f.write_str(&attempt.message)?;
    if attempt.kept {
        f.write_str("; it is kept: fewer tests fail")?;
    }
    Ok(())
}
