//! The record of an evaluation: every run of every task, with the model's answers and the verdict.
//!
//! The schema of an [`Evaluation`] as JSON is `schemas/eval.json`. While an evaluation runs, its
//! rows go to a [`Journal`], so that an interrupted one goes on where it stopped.

mod evaluation;
mod journal;
mod read;

pub use evaluation::{Evaluation, ModelRecord, Problem, Row, TaskRecord, Verdict};
pub use journal::{Journal, JournalError};
pub use read::{MAX_RECORD_BYTES, ReadError, read};
