//! The interface of everything that answers requests.

use super::answer::Answer;
use super::error::EngineError;
use super::model_info::ModelInfo;
use super::request::Request;
use serde::{Deserialize, Serialize};
use std::fmt;

/// How far a request has come.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Progress {
    /// Files are being searched. The number of files read so far.
    Searching(usize),
    /// The model is being loaded. The fraction done, 0 to 1.
    Loading(f32),
    /// A question about this file comes next.
    Showing(String),
    /// A command is running that checks the edits.
    Checking(String),
    /// The prompt is being read.
    Reading {
        /// Tokens read.
        done: usize,
        /// Tokens of the prompt.
        total: usize,
    },
    /// The answer is being written. The number of tokens so far.
    Writing(usize),
}

impl fmt::Display for Progress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Progress::Searching(0) => write!(f, "searching"),
            Progress::Searching(n_files) => write!(f, "searching, {n_files} files"),
            Progress::Loading(fraction) => {
                write!(f, "loading the model, {:.0} %", fraction * 100.0)
            }
            Progress::Showing(path) => write!(f, "asking about {path}"),
            Progress::Checking(command) => write!(f, "checking with `{command}` …"),
            Progress::Reading { done, total } => write!(f, "reading {done} of {total} tokens"),
            Progress::Writing(n_tokens) => write!(f, "writing, {n_tokens} tokens"),
        }
    }
}

/// Anything that answers requests.
pub trait Engine {
    /// Facts about the model.
    fn model(&self) -> &ModelInfo;

    /// Whether every complete answer fits the spec of its request, to the byte. If not, the caller
    /// must check it.
    fn forces_answers(&self) -> bool {
        true
    }

    /// The number of tokens of each text.
    fn count_tokens(
        &mut self,
        texts: &[&str],
    ) -> impl Future<Output = Result<Vec<usize>, EngineError>>;

    /// Answers a request. Dropping the future cancels it.
    fn complete(
        &mut self,
        request: &Request,
        progress: &mut dyn FnMut(Progress),
    ) -> impl Future<Output = Result<Answer, EngineError>>;

    /// Keeps the KV cache of the prompts read, for later processes, if a folder for it is set.
    fn keep_read(&mut self) -> impl Future<Output = Result<(), EngineError>> {
        std::future::ready(Ok(()))
    }
}
