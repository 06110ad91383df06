//! How a check is run.

use crate::sandbox::SandboxOptions;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

/// How a check is run.
#[derive(Clone, Debug)]
pub struct CheckOptions {
    /// A line for the shell, in the root of a copy.
    pub command: String,
    /// The running program, which confines the command.
    pub program: PathBuf,
    /// How the copy is made.
    pub sandbox: SandboxOptions,
    /// How long the first run may take. Later ones may take three times what the first one took, and
    /// at least 10 s.
    pub time: Duration,
    /// What counts.
    pub against: Against,
    /// The folder where the run without edits is kept; `None`: it is not.
    pub kept: Option<PathBuf>,
    /// Files that the copy has besides, or with other bytes than on disk, by path.
    pub files: BTreeMap<String, Vec<u8>>,
}

/// Which complaints count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Against {
    /// Those that the folder as it is does not have.
    Before,
    /// All of them: the check is known to pass once the edits are complete.
    Nothing,
}
