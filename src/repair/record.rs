//! The record of a repair, for people and programs. `schemas/repair.json` is made from it.

use super::judge::Finding;
use super::output::{TestEnd, relevant};
use super::proof::Proof;
use super::trial::TestRun;
use crate::patched::FileChange;
use schemars::JsonSchema;
use serde::Serialize;
use std::fmt;

/// How many bytes of an output are kept.
const MAX_OUTPUT: usize = 4_000;

/// How a repair ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// The tests that showed the bug pass, and so do all others that passed before. A fresh copy shows
    /// it, and another one that the tests fail without the edit.
    Success,
    /// All attempts were made, and none was a success.
    Exhausted,
    /// No test shows the bug: the given one passes, or the model wrote none that fails for the right
    /// reason.
    NotReproduced,
    /// The tests cannot be run as they are.
    BaselineBroken,
    /// No attempt could be tried: the model declined, or would have changed files that judge it.
    Refused,
}

/// Where the test that shows the bug comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ShownBy {
    /// The person named its file.
    Given,
    /// It failed already.
    Failing,
    /// The model wrote it.
    Written,
}

/// The record of a repair.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct Record {
    /// How it ended; `None` if it failed on the way.
    pub status: Option<Status>,
    /// Why it ended so, in a sentence.
    pub reason: String,
    /// The isolation of the tests from the rest of the machine.
    pub isolation: String,
    /// The run of the tests as they are.
    pub baseline: Option<RunRecord>,
    /// Where the test that shows the bug comes from.
    pub shown_by: Option<ShownBy>,
    /// The tests that show the bug. Empty if the output of the command names none, so that only the
    /// exit code shows it.
    pub targets: Vec<String>,
    /// Tests that failed before, and were left aside.
    pub known_failing: Vec<String>,
    /// The model's tries at a test that shows the bug.
    pub test_attempts: Vec<AttemptRecord>,
    /// The model's tries at mending the bug.
    pub attempts: Vec<AttemptRecord>,
    /// The run that shows the bug, without the edit. After a success it is one in a fresh copy.
    pub red: Option<RunRecord>,
    /// The run with the edit, in another fresh copy.
    pub green: Option<RunRecord>,
    /// The files that a success changes, relative to the root.
    pub files: Vec<String>,
    /// The changes of a success, as a unified diff.
    pub diff: String,
    /// The changes of a success, to be committed.
    #[serde(skip)]
    pub changes: Vec<FileChange>,
}

/// A run of the tests.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct RunRecord {
    /// How it ended, in words.
    pub ended: String,
    /// How many tests passed, as far as the output says.
    pub passed: usize,
    /// The tests that failed, as far as the output names them.
    pub failed: Vec<String>,
    /// How many tests were left out.
    pub skipped: usize,
    /// How long it took, in milliseconds.
    pub ms: u64,
    /// The part of the output that says most about the failures, at most 4,000 bytes.
    pub output: String,
}

/// One try of the model.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct AttemptRecord {
    /// How it ended.
    #[serde(flatten)]
    pub end: AttemptEnd,
    /// How it ended, in a sentence.
    pub message: String,
    /// Whether the edit stays, since fewer tests show the bug with it.
    pub kept: bool,
    /// The files that it changed, or would have changed.
    pub files: Vec<String>,
    /// The changes as a unified diff.
    pub diff: String,
    /// The temperature at which it was written; 0 takes the likeliest answer.
    pub temperature: f32,
    /// Answers before it in the same attempt that were passed over: they declined, changed nothing,
    /// broke the code or were tried before.
    pub n_repeated: usize,
    /// What the model wrote, question by question.
    pub answers: Vec<String>,
    /// How long its tests took, in milliseconds; `None` if they were not run.
    pub ms: Option<u64>,
}

/// How a try ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(tag = "end", rename_all = "snake_case")]
pub enum AttemptEnd {
    /// The tests were run.
    Tested {
        /// The judgement of the run.
        #[serde(flatten)]
        finding: Finding,
    },
    /// The tests were green, but not in a fresh copy, or in a fresh copy without the edit too.
    NotProven,
    /// A test that the model wrote passes: it does not show the bug.
    DoesNotFail,
    /// A test that the model wrote fails because it cannot be run.
    WrongReason,
    /// The model claimed that there is nothing to do, while tests fail.
    ClaimedDone,
    /// The model made no edit.
    Declined,
    /// It wrote only what was tried before.
    Repeated,
    /// It would have changed files that judge it. Nothing was written, not even in the copy.
    Refused,
    /// With it a file no longer parses. The tests were not run.
    Breaks,
    /// The answer did not end, or is no edit.
    NoEdit,
}

impl Record {
    /// The record of a repair that has ended.
    pub(super) fn ended(self, status: Status, reason: String) -> Record {
        Record {
            status: Some(status),
            reason,
            ..self
        }
    }

    /// Adds the changes of a success, and their proof.
    pub(super) fn add_success(&mut self, proof: &Proof, changes: Vec<FileChange>) {
        self.red = Some(RunRecord::of(&proof.red, &self.targets));
        self.green = Some(RunRecord::of(&proof.green, &[]));
        self.files = changes.iter().map(|change| change.path.clone()).collect();
        self.diff = changes.iter().map(FileChange::diff).collect();
        self.changes = changes;
    }
}

impl Status {
    /// The word in a record.
    pub fn word(self) -> &'static str {
        match self {
            Status::Success => "success",
            Status::Exhausted => "exhausted",
            Status::NotReproduced => "not_reproduced",
            Status::BaselineBroken => "baseline_broken",
            Status::Refused => "refused",
        }
    }
}

impl AttemptRecord {
    /// The record of an attempt whose tests were run.
    pub(super) fn tested(self, finding: Finding) -> AttemptRecord {
        let message = finding.sentence();
        self.ended(AttemptEnd::Tested { finding }, message)
    }

    /// The record of an attempt that has ended.
    pub(super) fn ended(self, end: AttemptEnd, message: String) -> AttemptRecord {
        AttemptRecord {
            end,
            message,
            ..self
        }
    }
}

impl AttemptEnd {
    /// Whether there was an edit to be tried.
    pub fn was_tried(&self) -> bool {
        !matches!(
            self,
            AttemptEnd::Declined | AttemptEnd::ClaimedDone | AttemptEnd::Refused
        )
    }
}

impl RunRecord {
    pub(super) fn of<'n>(run: &TestRun, wanted: impl IntoIterator<Item = &'n String>) -> RunRecord {
        RunRecord {
            ended: run.end.to_string(),
            passed: run.results.n_passed(),
            failed: run.results.of(TestEnd::Failed).cloned().collect(),
            skipped: run.results.n_skipped(),
            ms: run.time.as_millis() as u64,
            output: relevant(&run.output, &run.results, wanted, MAX_OUTPUT),
        }
    }
}

impl fmt::Display for RunRecord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let seconds = self.ms as f64 / 1e3;
        let RunRecord {
            passed,
            skipped,
            ended,
            ..
        } = self;
        let failed = self.failed.len();
        if passed + failed == 0 {
            return write!(f, "{ended} after {seconds:.1} s");
        }
        write!(
            f,
            "{passed} passed, {failed} failed, {skipped} left out in {seconds:.1} s ({ended})"
        )
    }
}
