//! llama.cpp in this process: only ever in the child.
//!
//! `loaded_model` loads a GGUF file, `tokenizer` is its vocabulary, `decoder` a context that
//! computes with it, and `log` what llama.cpp says.

mod decoder;
mod loaded_model;
mod log;
mod tokenizer;

pub use decoder::{LlamaDecoder, Sequence};
pub use loaded_model::LoadedModel;

#[cfg(test)]
mod tests;
