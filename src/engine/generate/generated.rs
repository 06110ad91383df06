//! What generation gives.

use crate::constrain::mask::MatchError;
use crate::engine::answer::{AnswerStats, End, Likelihood};

/// Why there is no answer.
#[derive(Debug, PartialEq, Eq)]
pub enum GenerateError<E> {
    /// The decoder's own.
    Decode(E),
    /// The constraint's own.
    Match(MatchError),
    /// The logits are no numbers, or none of those allowed is.
    NotANumber,
}

/// How far an answer has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GenerateProgress {
    /// Tokens of the prompt read.
    Read(usize),
    /// Tokens of the answer written.
    Written(usize),
}

/// An answer as bytes: cut off in the middle of a character if it was cut off.
#[derive(Debug)]
pub struct Generated {
    /// The answer.
    pub bytes: Vec<u8>,
    /// Why it ended.
    pub end: End,
    /// What it took.
    pub stats: AnswerStats,
    /// How likely it was, and what else was.
    pub likelihood: Likelihood,
}
