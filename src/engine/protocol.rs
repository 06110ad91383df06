//! The messages on the pipes between the program and its model process: one JSON object on each
//! line.
//!
//! The parent writes a [`ChildCommand`] and reads [`ChildEvent`]s until one that ends the command:
//! `Loaded`, `Devices`, `Counts`, `Answer`, `Kept` or `Failed`.

use super::adapter::AdapterChoice;
use super::answer::Answer;
use super::device::{DeviceChoice, Devices};
use super::error::EngineError;
use super::interface::Progress;
use super::model_info::ModelInfo;
use super::request::Request;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// A command of the parent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ChildCommand {
    /// Loads the model. It is the first command, and comes once.
    Load(Load),
    /// Lists the devices. It comes instead of a model.
    Devices,
    /// Counts the tokens of each text.
    CountTokens(Vec<String>),
    /// Answers a request.
    Complete(Box<Request>),
    /// Keeps what was read for later processes.
    Keep,
}

/// The model and how to run it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Load {
    /// The path of a GGUF file.
    pub model: PathBuf,
    /// The adapter that goes with it.
    pub adapter: AdapterChoice,
    /// What it computes on.
    pub device: DeviceChoice,
    /// The number of threads that compute.
    pub threads: usize,
    /// Whether llama.cpp's log goes to standard error.
    pub verbose: bool,
    /// Whether a model that does not fit into memory is refused.
    pub check_memory: bool,
    /// The folder in which read prompts are kept for later processes; `None` to keep none.
    pub prefixes: Option<PathBuf>,
}

/// An event of the child.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ChildEvent {
    /// A step of progress. More events follow.
    Progress(Progress),
    /// No progress to report, but the process is computing.
    Alive,
    /// What fails from now on may be the fault of this device; `None`: of none. More events follow.
    Placing(Option<String>),
    /// The model is loaded.
    Loaded(ModelInfo),
    /// The devices.
    Devices(Devices),
    /// The number of tokens of each text.
    Counts(Vec<usize>),
    /// The answer.
    Answer(Answer),
    /// What was read is kept, if possible.
    Kept,
    /// The command failed. Unless it was `Load`, the child accepts further commands.
    Failed(EngineError),
}
