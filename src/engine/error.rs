//! Why an engine gave no answer.

use super::openai::server_error::ServerError;
use std::time::Duration;

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    /// The model could not be loaded.
    #[error("cannot load the model {path}: {reason}")]
    Load {
        /// The GGUF file.
        path: String,
        /// What is wrong with it.
        reason: String,
    },
    /// The prompt does not fit the model's context.
    #[error("the prompt has {n_tokens} tokens, and the model reads {max} at most")]
    PromptTooLong {
        /// Of the prompt.
        n_tokens: usize,
        /// Of the context, less room for an answer.
        max: usize,
    },
    /// The model does not fit into memory.
    #[error(
        "not enough memory: the model needs about {}, and {} are free",
        gib(*needed), gib(*available)
    )]
    Memory {
        /// Bytes for its weights, its context and its computation.
        needed: u64,
        /// Bytes that the system, the container or the process's own limit leaves.
        available: u64,
    },
    /// The model process said nothing for too long.
    #[error("the model process has said nothing for {} seconds; it was ended", silence.as_secs())]
    Hangs {
        /// For how long.
        silence: Duration,
    },
    /// The model process ended before it answered.
    #[error("the model process ended unexpectedly ({how}){}", last_words(log))]
    Crashed {
        /// Exit code or signal.
        how: String,
        /// The last of what it said.
        log: Vec<String>,
    },
    /// The model computes no usable numbers.
    #[error("the model cannot compute: {reason}")]
    Compute {
        /// What llama.cpp says.
        reason: String,
    },
    /// The JSON Schema that an answer must fit is refused, or became too much in the middle of it.
    #[error("the answer cannot be forced to fit the JSON Schema: {reason}")]
    Schema {
        /// What is wrong with it, or what cannot be forced.
        reason: String,
    },
    /// The model process cannot be started or spoken to.
    #[error("cannot run the model process: {0}")]
    Process(String),
    /// A server did not answer, or not with an answer.
    #[error(transparent)]
    Server(#[from] ServerError),
}

fn last_words(log: &[String]) -> String {
    log.last().map_or_else(String::new, |line| format!("; its last words: {line}"))
}

fn gib(bytes: u64) -> String {
    format!("{:.2} GiB", bytes as f64 / f64::from(1 << 30))
}
