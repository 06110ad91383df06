//! A model on any server that speaks OpenAI's chat API: llama.cpp's, vLLM's, Ollama's, LM Studio's,
//! OpenAI's own.
//!
//! Such a server cannot take our constraint. It is asked to force a schema with the paths, operations
//! and lines as choices (`strict_schema`), or nothing if it takes none (`habits`).
//! `read_answer` reads its answer, and [`crate::flow`] checks it against the files, as it does with
//! patches of other models. So [`super::Engine::forces_answers`] is false. What a server accepts is
//! learned from its answers, once for all clones of an engine.
//!
//! The key comes from the environment and is in no message. Requests go only to the address that
//! the person named.

mod address;
mod habits;
mod http;
mod ollama;
mod read_answer;
mod reply;
mod server;
pub(super) mod server_error;
mod server_words;
mod sse;
mod strict_schema;

pub use address::{Address, ApiKey};
pub use http::Patience;
pub use server::OpenAi;
pub use server_error::ServerError;
