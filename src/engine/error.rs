//! The errors of engines.

use super::openai::server_error::ServerError;
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[serde(rename_all = "snake_case")]
pub enum EngineError {
    /// The model could not be loaded.
    #[error("cannot load the model {path}: {reason}")]
    Load {
        /// The path of the GGUF file.
        path: String,
        /// What is wrong with the file.
        reason: String,
    },
    /// The device that was named is not there.
    #[error("{reason}")]
    Device {
        /// Which devices there are, and why not others.
        reason: String,
    },
    /// The adapter cannot be used with the model.
    #[error("cannot use the adapter {path}: {reason}")]
    Adapter {
        /// The path of the GGUF file.
        path: String,
        /// What is wrong with it, or why it does not fit.
        reason: String,
    },
    /// The prompt does not fit into the model's context window.
    #[error("the prompt has {n_tokens} tokens, and the model reads {max} at most")]
    PromptTooLong {
        /// Tokens of the prompt.
        n_tokens: usize,
        /// The most tokens a prompt may have: the context window less room for an answer.
        max: usize,
    },
    /// The model does not fit into memory.
    #[error(
        "not enough memory: the model needs about {}, and {} are free",
        gib(*needed), gib(*available)
    )]
    Memory {
        /// Bytes for the weights, the context and the computation.
        needed: u64,
        /// Bytes that the system, the container and the process's own limit leave.
        available: u64,
    },
    /// The model process sent nothing for too long.
    #[error("the model process has said nothing for {} seconds; it was ended", silence.as_secs())]
    Hangs {
        /// How long it was silent.
        silence: Duration,
    },
    /// The model process ended before it answered.
    #[error("the model process ended unexpectedly ({how}){}", last_words(log))]
    Crashed {
        /// The exit code or signal.
        how: String,
        /// The last lines of its log.
        log: Vec<String>,
    },
    /// The model cannot compute, or its logits are not numbers.
    #[error("the model cannot compute: {reason}")]
    Compute {
        /// llama.cpp's error.
        reason: String,
    },
    /// The JSON Schema is refused, or became too costly in the middle of an answer.
    #[error("the answer cannot be forced to fit the JSON Schema: {reason}")]
    Schema {
        /// What is wrong with the schema, or which part cannot be forced.
        reason: String,
    },
    /// The model process cannot be started, or the connection to it failed.
    #[error("cannot run the model process: {0}")]
    Process(String),
    /// A server gave no answer.
    #[error(transparent)]
    #[serde(skip)]
    Server(#[from] ServerError),
}

fn last_words(log: &[String]) -> String {
    log.last()
        .map_or_else(String::new, |line| format!("; its last words: {line}"))
}

fn gib(bytes: u64) -> String {
    format!("{:.2} GiB", bytes as f64 / f64::from(1 << 30))
}
