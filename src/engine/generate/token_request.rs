//! What generation is given.

use crate::constrain::mask::TokenId;
use crate::engine::draft::Sources;
use crate::engine::pace::Pace;
use crate::engine::request::{Given, Limits, Sampling};

/// A request whose prompt is tokens.
#[derive(Clone, Copy, Debug)]
pub struct TokenRequest<'a> {
    /// At least one token.
    pub prompt: &'a [TokenId],
    /// How long the answer may get.
    pub limits: Limits,
    /// How a token is chosen.
    pub sampling: Sampling,
    /// See [`crate::engine::Request::given`].
    pub given: Option<&'a Given>,
    /// See [`crate::engine::Request::branches`].
    pub branches: usize,
}

/// Where drafts come from, and what is known of their worth.
pub struct Drafter<'a> {
    /// Texts to draft from.
    pub sources: &'a Sources,
    /// What has been measured.
    pub pace: &'a mut Pace,
}
