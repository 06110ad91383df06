//! Writing an answer: mask, choose, take; what is forced is never chosen, and what is likely is
//! drafted.
//!
//! Tokens that are sure are collected and computed in one batch, and only then are logits asked
//! for. A token just chosen waits for what is forced after it: the two are spelled together, and
//! computed together. Behind them in the same batch goes a [`super::draft`], with logits
//! after each of its tokens: as far as the model chooses the same, each saves an evaluation; the
//! rest is forgotten. What is written is what the model would have written without, but for
//! rounding: logits of a batch differ a little from those of single tokens.

mod answer_loop;
mod decoder;
mod generated;
mod token_request;
mod writing;

pub use answer_loop::generate;
pub use decoder::{Decoder, TokenModel};
pub use generated::{GenerateError, GenerateProgress, Generated};
pub use token_request::{Drafter, TokenRequest};

#[cfg(test)]
pub(super) mod tests;
