//! The model as generation sees it: it reads tokens and returns logits.

use crate::constrain::mask::{TokenId, Tokenize};

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
