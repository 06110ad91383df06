//! What goes over the pipes between the program and its model process: one JSON object a line.
//!
//! The parent writes a [`ChildCommand`] and reads [`ChildEvent`]s until one that ends the command:
//! `Loaded`, `Counts`, `Answer`, `Read`, `Kept` or `Failed`.

use super::answer::Answer;
use super::interface::Progress;
use super::model_info::ModelInfo;
use super::request::{Ahead, Request};
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// From the parent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ChildCommand {
    /// First of all, and once.
    Load(Load),
    /// How many tokens is each of these?
    CountTokens(Vec<String>),
    /// Answer this.
    Complete(Box<Request>),
    /// Read this, which prompts to come begin with.
    Read(Ahead),
    /// Keep what was read for later processes.
    Keep,
}

/// The model and how to run it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Load {
    /// A GGUF file.
    pub model: PathBuf,
    /// Threads to compute with.
    pub threads: usize,
    /// Let llama.cpp's log through to standard error.
    pub verbose: bool,
    /// Whether a model that does not fit into memory is refused.
    pub check_memory: bool,
    /// Where what was read is kept for later processes, and looked for. None: nowhere.
    pub prefixes: Option<PathBuf>,
}

/// From the child.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ChildEvent {
    /// More is to come.
    Progress(Progress),
    /// Nothing new, but it has been computing.
    Alive,
    /// The model is ready.
    Loaded(ModelInfo),
    /// One for each text.
    Counts(Vec<usize>),
    /// The answer.
    Answer(Answer),
    /// It is read: this many tokens were not read already.
    Read(usize),
    /// It is kept, if it can be.
    Kept,
    /// There is none.
    Failed(ChildFailure),
}

/// Why a command has no result. The child can still take another one, unless it was `Load`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ChildFailure {
    /// The model could not be loaded.
    Load(String),
    /// See [`super::EngineError::Memory`].
    Memory {
        /// Bytes.
        needed: u64,
        /// Bytes.
        available: u64,
    },
    /// Nor could what would compute it.
    Libraries(String),
    /// See [`super::EngineError::PromptTooLong`].
    PromptTooLong {
        /// Of the prompt.
        n_tokens: usize,
        /// At most.
        max: usize,
    },
    /// llama.cpp refused or gave no numbers.
    Compute(String),
    /// See [`super::EngineError::Schema`].
    Schema(String),
    /// The command makes no sense.
    Command(String),
}
