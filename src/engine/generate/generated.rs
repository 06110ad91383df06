//! The result of generation.

use crate::constrain::mask::MatchError;
use crate::engine::answer::{AnswerStats, End, Likelihood};

/// Why there is no answer.
#[derive(Debug, PartialEq, Eq)]
pub enum GenerateError<E> {
    /// The decoder failed.
    Decode(E),
    /// The constraint failed.
    Match(MatchError),
    /// The logits are not numbers, or those of all allowed tokens are not.
    NotANumber,
}

/// A step of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GenerateProgress {
    /// The number of prompt tokens read.
    Read(usize),
    /// The number of answer tokens written.
    Written(usize),
}

/// An answer as bytes. If it was cut off, it may end within a character.
#[derive(Debug)]
pub struct Generated {
    /// The answer.
    pub bytes: Vec<u8>,
    /// Why the answer ended.
    pub end: End,
    /// The statistics of this answer.
    pub stats: AnswerStats,
    /// The answer's probability, and beginnings of other likely answers.
    pub likelihood: Likelihood,
}
