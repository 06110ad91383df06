//! llama.cpp in this process, which is always the child.
//!
//! `loaded_model` loads a GGUF file. `tokenizer` holds its vocabulary, `context` computes with it,
//! `snapshots` are copies of what it cannot forget, `placement` chooses the device, and `log` keeps
//! llama.cpp's messages.

mod context;
mod loaded_model;
mod log;
mod placement;
mod snapshots;
mod tokenizer;

pub use context::{KeptPrompt, LlamaDecoder, Sequence};
pub use loaded_model::LoadedModel;
pub use placement::Backends;
pub use tokenizer::LlamaTokenizer;

#[cfg(test)]
mod tests;
