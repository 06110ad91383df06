//! The model as generation sees it: tokens in, logits out.

use crate::constrain::mask::{TokenId, Tokenize};

/// A model that reads tokens and says what it thinks comes next.
pub trait Decoder {
    /// Why it could not.
    type Error;

    /// Prepares for a prompt: what it has read that is no beginning of it is forgotten. Gives the
    /// number of the prompt's tokens that are read already, one less than all at most.
    fn begin(&mut self, prompt: &[TokenId]) -> usize;

    /// How many more tokens it can read.
    fn room(&self) -> usize;

    /// Appends tokens to what it has read, and keeps the logits after those whose indices `wanted`
    /// has, in order. `progress` hears how many of these tokens are read.
    fn decode(
        &mut self,
        tokens: &[TokenId],
        wanted: &[usize],
        progress: &mut dyn FnMut(usize),
    ) -> Result<(), Self::Error>;

    /// The logits after the i-th token wanted of the last call: one for each token of the
    /// vocabulary.
    fn logits(&self, i: usize) -> &[f32];

    /// Forgets the last tokens, which it can if [`Decoder::can_forget`].
    fn forget(&mut self, n_tokens: usize) -> Result<(), Self::Error>;

    /// Whether the last tokens can be forgotten: not where a model's memory is one state that all
    /// tokens went into.
    fn can_forget(&self) -> bool;
}

/// A model and its tokenizer.
pub struct TokenModel<'a, D> {
    /// What computes it.
    pub decoder: &'a mut D,
    /// What turns forced text into its tokens.
    pub tokenizer: &'a dyn Tokenize,
}
