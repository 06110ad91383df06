//! Engines: they answer requests.
//!
//! [`crate::flow`] knows only the trait [`Engine`]: a whole request in, a whole answer out. There
//! are three engines:
//!
//! - [`process`]: a GGUF model in a child process of the same binary; [`child`] is its other end.
//!   llama.cpp aborts its process on some broken files and some misuse. In a child that is only an
//!   error message. Killing the child cancels a request, and the child ends by itself when its
//!   parent is gone.
//! - [`openai`]: a model on a server, by OpenAI's chat API. A server forces less, so its answers
//!   are checked against the files.
//! - [`scripted`]: fixed answers, for tests.
//!
//! In the child, [`generate`] applies the constraint to the logits of `llama`. [`choose`] chooses a
//! token, [`draft`] guesses ahead, and [`pace`] limits the length of drafts. `memory` checks
//! beforehand that the model fits, and `instructions` that the processor has what llama.cpp uses.
//! [`adapter`] finds the adapter that goes with a model, and [`device`] says what it computes on.
//! `prefix_cache` keeps what was read for the next process. [`protocol`] defines the messages on the pipes.

pub mod adapter;
mod answer;
#[cfg(feature = "portable")]
mod backends;
pub mod child;
pub mod choose;
pub mod device;
pub mod draft;
mod error;
pub mod generate;
#[cfg(all(target_arch = "x86_64", not(feature = "portable")))]
mod instructions;
mod interface;
mod llama;
mod memory;
mod model_info;
pub mod openai;
pub mod pace;
mod prefix_cache;
pub mod process;
pub mod protocol;
mod request;
pub mod scripted;

pub use answer::{Answer, AnswerStats, Branch, End, Likelihood, Milliseconds};
pub use error::EngineError;
pub use interface::{Engine, Progress};
pub use memory::total_memory;
pub use model_info::{MESSAGES, ModelInfo};
pub use request::{Given, Limits, Part, Request, Sampling, Weights};
