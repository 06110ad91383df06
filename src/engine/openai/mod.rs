//! A model on any server that speaks OpenAI's chat API: llama.cpp's, vLLM's, Ollama's, LM Studio's,
//! OpenAI's own.
//!
//! Such a server cannot be given our constraint. It is asked to force what it can (`habits`: a
//! schema with the paths, operations and lines as choices, a grammar, any JSON, or nothing), and
//! what it then writes is read (`read_answer`) and held against the files by [`crate::flow`] as the
//! patches of other models are: [`super::Engine::forces_answers`] is false. What a server takes is
//! learned from its answers, once for all clones of an engine.
//!
//! The key comes from the environment and is in no message; nothing is sent but to the address that
//! the person named.

mod address;
mod grammar;
mod habits;
mod http;
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
