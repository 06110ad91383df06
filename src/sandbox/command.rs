//! A command, and how it ended.

use super::output::Output;
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// What is run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Command {
    /// A line for `sh -c`.
    Shell(String),
    /// A program, found on the PATH, and its arguments.
    Program(Vec<String>),
}

/// A command that has run.
#[derive(Clone, Debug, PartialEq)]
pub struct Ran {
    /// How it ended.
    pub end: Ended,
    /// What it wrote.
    pub output: Output,
    /// How long it took.
    pub time: Duration,
}

/// How a command ended. In every case none of its processes is left.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Ended {
    /// By itself, with this exit code; 127 if there is no such program.
    Exited(i32),
    /// By this signal.
    Signal(i32),
    /// See [`super::Limits::time`].
    TimedOut,
    /// See [`super::Limits::disk`].
    TooMuchDisk,
    /// See [`super::Limits::memory`].
    TooMuchMemory,
    /// See [`super::Limits::processes`].
    TooManyProcesses,
}
