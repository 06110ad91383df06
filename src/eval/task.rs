//! A task that has a right answer, and what is read when tasks are.

use super::tree::Tree;
use std::io;
use std::path::PathBuf;
use std::time::Duration;

/// A task and what is right.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EvalTask {
    /// `SUITE/TASK`.
    pub name: String,
    /// The suite's name.
    pub suite: String,
    /// The same in several wordings; at least one.
    pub wordings: Vec<String>,
    /// What kind of edit it is, in a word.
    pub category: String,
    /// How hard it is: `seed`, `everyday`, `hard`, `decline`, or a word of the suite's own.
    pub level: String,
    /// Of the file that changes.
    pub language: String,
    /// Whether no edit is the right answer.
    pub declines: bool,
    /// The folder.
    pub before: Tree,
    /// The whole folder as it may be afterwards. Empty if only the check decides.
    pub accepted: Vec<Tree>,
    /// The command that decides where no accepted folder is met.
    pub check: Option<Check>,
}

/// A command that says whether an edited folder is right.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Check {
    /// The program and its arguments. Exit code 0: right.
    pub command: Vec<String>,
    /// How long it may take.
    pub time: Duration,
    /// Laid over the edited folder first, so that an edit cannot weaken them.
    pub files: Tree,
}

/// A task that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{task}: {reason}")]
pub struct BrokenTask {
    /// Its name.
    pub task: String,
    /// What is wrong with it.
    pub reason: String,
}

/// What was read.
#[derive(Clone, Debug, Default)]
pub struct Suites {
    /// By name, in order.
    pub tasks: Vec<EvalTask>,
    /// Those that cannot be used.
    pub broken: Vec<BrokenTask>,
}

/// Why there are no tasks.
#[derive(Debug, thiserror::Error)]
pub enum SuiteError {
    /// Neither a bundled suite nor a path.
    #[error(
        "there is no suite {name:?}: neither a file or folder of that name, \
         nor one of the bundled ({})",
        bundled.join(", ")
    )]
    Unknown {
        /// As it was named.
        name: String,
        /// Those there are.
        bundled: Vec<String>,
    },
    /// Nothing in it is a task.
    #[error(
        "there is no task in {}: a task is a folder with task.toml and before/",
        path.display()
    )]
    Empty {
        /// Which folder.
        path: PathBuf,
    },
    /// It cannot be read.
    #[error("cannot read {}: {source}", path.display())]
    Read {
        /// What of it.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// A file of a public set that is not one.
    #[error("cannot read {}: {reason}", path.display())]
    NotASet {
        /// Which file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
}
