//! llama.cpp in this process, which is always the child.
//!
//! `loaded_model` loads a GGUF file. `tokenizer` holds its vocabulary, `context` computes with it,
//! and `log` keeps llama.cpp's messages.

mod context;
mod loaded_model;
mod log;
mod tokenizer;

pub use context::{KeptPrompt, LlamaDecoder, Sequence};
pub use loaded_model::LoadedModel;

#[cfg(test)]
mod tests;
