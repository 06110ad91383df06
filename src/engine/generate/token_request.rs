//! The input of generation.

use crate::constrain::mask::TokenId;
use crate::engine::draft::Sources;
use crate::engine::pace::Pace;
use crate::engine::request::{Given, Limits, Sampling};

/// A request whose prompt is tokens.
#[derive(Clone, Copy, Debug)]
pub struct TokenRequest<'a> {
    /// The prompt, at least one token.
    pub prompt: &'a [TokenId],
    /// The longest answer.
    pub limits: Limits,
    /// How a token is chosen among those allowed.
    pub sampling: Sampling,
    /// See [`crate::engine::Request::given`].
    pub given: Option<&'a Given>,
    /// See [`crate::engine::Request::branches`].
    pub branches: usize,
}

/// The sources of drafts, and measurements of their worth.
pub struct Drafter<'a> {
    /// The texts that drafts are copied from.
    pub sources: &'a Sources,
    /// The measurements so far.
    pub pace: &'a mut Pace,
}
