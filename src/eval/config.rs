//! How an evaluation is run.

use super::checks::Checks;
use std::time::Duration;

/// How the models of an evaluation are asked, and their answers checked.
#[derive(Clone, Debug)]
pub struct EvalConfig {
    /// 0: always the likeliest token, so that a run is the same every time.
    pub temperature: f32,
    /// From which the seed of each run is made.
    pub seed: u64,
    /// How long an answer may take.
    pub time: Duration,
    /// The most edits of a task: see [`crate::flow::GenerateOptions::most_edits`].
    pub most_edits: Option<usize>,
    /// The least: see [`crate::flow::GenerateOptions::least_edits`].
    pub least_edits: usize,
    /// Whether stage 1's right answer is given, where it can be told.
    pub gives_pick: bool,
    /// Whether the model is asked if it succeeded.
    pub asks_claim: bool,
    /// Where checks are run.
    pub checks: Checks,
}
