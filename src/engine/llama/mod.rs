//! llama.cpp in this process: only ever in the child.
//!
//! `loaded_model` loads a GGUF file, `tokenizer` is its vocabulary, `context` is what
//! computes with it, and `log` what llama.cpp says.

mod context;
mod loaded_model;
mod log;
mod tokenizer;

pub use context::{LlamaDecoder, Sequence};
pub use loaded_model::LoadedModel;

#[cfg(test)]
mod tests;
