//! What generation needs and gives: a model that reads tokens and returns logits, a request, a result.

use crate::constrain::mask::{MatchError, TokenId, Tokenize};
use crate::engine::answer::{AnswerStats, End, Likelihood};
use crate::engine::draft::Sources;
use crate::engine::pace::Pace;
use crate::engine::request::{Given, Limits, Sampling};

/// A model that reads tokens and predicts the next one.
pub trait Decoder {
    /// Why the model could not compute.
    type Error;

    /// Prepares for a prompt. Only those read tokens are kept that the prompt begins with.
    /// Returns their number, always less than the prompt's.
    fn begin(&mut self, prompt: &[TokenId]) -> usize;

    /// How many more tokens the model can read.
    fn room(&self) -> usize;

    /// Reads further tokens. Keeps the logits after those whose indices are in `wanted`, ascending.
    /// `progress` gets the number of these tokens that are read.
    fn decode(
        &mut self,
        tokens: &[TokenId],
        wanted: &[usize],
        progress: &mut dyn FnMut(usize),
    ) -> Result<(), Self::Error>;

    /// The logits after the i-th wanted token of the last call, one for each token of the
    /// vocabulary.
    fn logits(&self, i: usize) -> &[f32];

    /// Forgets the last tokens. Only possible if [`Decoder::can_forget`].
    fn forget(&mut self, n_tokens: usize) -> Result<(), Self::Error>;

    /// Whether the last tokens can be forgotten. They cannot if the model keeps one state that
    /// every token changes.
    fn can_forget(&self) -> bool;
}

/// A model and its tokenizer.
pub struct TokenModel<'a, D> {
    /// The model.
    pub decoder: &'a mut D,
    /// The tokenizer for forced text.
    pub tokenizer: &'a dyn Tokenize,
}

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
