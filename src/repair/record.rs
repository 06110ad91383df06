//! What came of a repair, for people and programs: `schemas/repair.json` is made from it.

use super::judge::Finding;
use super::output::{TestEnd, relevant};
use super::proof::Proof;
use super::trial::TestRun;
use crate::patched::FileChange;
use schemars::JsonSchema;
use serde::Serialize;
use std::fmt;

/// Bytes of an output that are kept.
const MAX_OUTPUT: usize = 4_000;

/// What came of a repair.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// The tests that showed the bug pass, and all others that did: in a fresh copy, in which they
    /// fail without the edit.
    Success,
    /// All attempts were made, and none was a success.
    Exhausted,
    /// No test shows the bug: the one that was given passes, or the model wrote none that fails for
    /// the right reason.
    NotReproduced,
    /// The tests cannot be run as they are.
    BaselineBroken,
    /// No attempt could be tried: the model declined, or would have changed what judges it.
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

/// All that a repair came to.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct Record {
    /// What came of it; none if it came to no end of its own.
    pub status: Option<Status>,
    /// Why, in a sentence.
    pub reason: String,
    /// What kept the tests from the rest of the machine.
    pub isolation: String,
    /// The tests as they are.
    pub baseline: Option<RunRecord>,
    /// Where the test that shows the bug comes from.
    pub shown_by: Option<ShownBy>,
    /// The tests that show the bug; none where the output of the command names none, and the exit
    /// code alone shows it.
    pub targets: Vec<String>,
    /// Tests that failed before, and were left aside.
    pub known_failing: Vec<String>,
    /// What the model wrote to show the bug, try by try.
    pub test_attempts: Vec<AttemptRecord>,
    /// What the model wrote to mend it, try by try.
    pub attempts: Vec<AttemptRecord>,
    /// The tests with the bug shown, before the edit. Of a success: in a fresh copy.
    pub red: Option<RunRecord>,
    /// The tests after the edit, in the same copy.
    pub green: Option<RunRecord>,
    /// What a success changes, relative to the root.
    pub files: Vec<String>,
    /// The same as a unified diff.
    pub diff: String,
    /// The same, to be committed.
    #[serde(skip)]
    pub changes: Vec<FileChange>,
}

/// A run of the tests.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct RunRecord {
    /// How it ended, in words.
    pub ended: String,
    /// How many tests passed, as far as the output tells.
    pub passed: usize,
    /// The tests that failed, as far as the output names them.
    pub failed: Vec<String>,
    /// How many were left out.
    pub skipped: usize,
    /// By the clock, in milliseconds.
    pub ms: u64,
    /// The part of what was printed that says most, some thousand bytes at most.
    pub output: String,
}

/// One try of the model.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct AttemptRecord {
    /// What came of it.
    #[serde(flatten)]
    pub end: AttemptEnd,
    /// The same in a sentence.
    pub message: String,
    /// Whether it stays, though it is not all of it: fewer tests show the bug.
    pub kept: bool,
    /// The files that it changed, or would have.
    pub files: Vec<String>,
    /// The same as a unified diff.
    pub diff: String,
    /// At which temperature it was written; 0 takes the likeliest.
    pub temperature: f32,
    /// Answers before it in the same attempt that were passed over: they declined, changed nothing,
    /// broke the code or were tried before.
    pub n_repeated: usize,
    /// What the model wrote; of several, the one that counts.
    pub answers: Vec<String>,
    /// How long its tests took, in milliseconds, if they were run.
    pub ms: Option<u64>,
}

/// What came of a try.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(tag = "end", rename_all = "snake_case")]
pub enum AttemptEnd {
    /// The tests were run.
    Tested {
        /// What they say.
        #[serde(flatten)]
        finding: Finding,
    },
    /// They were green here, but not in a fresh copy, or there without the edit too.
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
    /// It would have changed what judges it. Nothing was written, in the copy neither.
    Refused,
    /// With it a file no longer parses. The tests were not run.
    Breaks,
    /// The answer did not end, or is no edit.
    NoEdit,
}

impl Record {
    /// The record of a loop that has come to its end.
    pub(super) fn ended(mut self, status: Status, reason: String) -> Record {
        (self.status, self.reason) = (Some(status), reason);
        self
    }

    /// Adds what a success changes, and its proof.
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
        match (self.passed, self.failed.len()) {
            (0, 0) => write!(f, "{} after {seconds:.1} s", self.ended),
            (passed, failed) => {
                write!(
                    f,
                    "{passed} passed, {failed} failed, {} left out in {seconds:.1} s ({})",
                    self.skipped, self.ended
                )
            }
        }
    }
}
