//! How a repair is made.

use crate::sandbox::SandboxOptions;
use std::path::PathBuf;
use std::time::Duration;

/// How a repair is made.
#[derive(Clone, Debug)]
pub struct RepairOptions {
    /// Runs the tests: a line for the shell, in the root of a copy.
    pub command: String,
    /// The file of the test that shows the bug, relative to the root.
    pub test_file: Option<String>,
    /// The most attempts at mending it.
    pub max_attempts: usize,
    /// The most edits in one attempt.
    pub max_steps: usize,
    /// How long the first run of the tests may take. Later runs may take five times what the first
    /// one took, and at least 10 s.
    pub time: Duration,
    /// How the copies are made.
    pub sandbox: SandboxOptions,
    /// The running program, which confines the commands.
    pub program: PathBuf,
}
