//! Writing an answer: compute the mask, choose a token, append it. Forced text is never chosen, and
//! likely text is drafted.
//!
//! Certain tokens are collected and computed in one batch before logits are needed. A token just
//! chosen waits for the text forced after it: the two are tokenized and computed together. A
//! [`super::draft`] follows in the same batch, with logits after each of its tokens. Each draft
//! token that the model chooses too saves an evaluation; the rest is forgotten. The answer is the
//! same as without drafts, except for rounding: logits from a batch differ slightly from those of
//! single tokens.

mod answer_loop;
mod interface;
mod repetition;
mod writing;

pub use answer_loop::generate;
pub use interface::{
    Decoder, Drafter, GenerateError, GenerateProgress, Generated, TokenModel, TokenRequest,
};

#[cfg(test)]
pub(super) mod tests;
