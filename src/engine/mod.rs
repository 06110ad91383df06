//! Engines: they answer requests.
//!
//! [`crate::flow`] knows only the trait [`Engine`]: a whole request in, a whole answer out. There
//! are three:
//!
//! - [`process`]: a GGUF model in a child process of the same binary, whose other end is [`child`].
//!   llama.cpp aborts its process on some broken files and on some misuse; in a child that is an
//!   error message. It is killed to cancel, and it ends by itself when its parent is gone.
//! - [`openai`]: a model on a server, by OpenAI's chat API. A server forces less, so its answers are
//!   checked against the files.
//! - [`scripted`]: answers given beforehand, for tests.
//!
//! In the child, [`generate`] runs the constraint beside the logits of `llama`: [`choose`] takes a
//! token, [`draft`] guesses ahead, and [`pace`] says how far that pays. `memory` asks beforehand
//! whether the model fits. `prefix_cache` keeps what was read for the next process. [`protocol`] is
//! what goes over the pipes.

mod answer;
#[cfg(feature = "portable")]
mod backends;
pub mod child;
pub mod choose;
pub mod draft;
mod error;
pub mod generate;
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
pub use model_info::{MESSAGES, ModelInfo};
pub use request::{Ahead, Given, Limits, Part, Request, Sampling};
