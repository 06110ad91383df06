//! A task that has a right answer, and the outcome of reading tasks.

use super::tree::Tree;
use crate::task::Earlier;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// A task and its right answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EvalTask {
    /// `SUITE/TASK`.
    pub name: String,
    /// The suite's name.
    pub suite: String,
    /// The sentence in several wordings; at least one.
    pub wordings: Vec<String>,
    /// The kind of edit, in a word.
    pub category: String,
    /// How hard it is: `seed`, `everyday`, `hard`, `decline`, or a word of the suite's own.
    pub level: String,
    /// The language of the file that changes.
    pub language: String,
    /// The edit that it follows up on, if it does. Its changes are in `before`.
    pub earlier: Option<Earlier>,
    /// Whether no edit is the right answer.
    pub declines: bool,
    /// The folder before the edit.
    pub before: Tree,
    /// The whole folder after each right edit. Empty if only the check decides.
    pub accepted: Vec<Tree>,
    /// The command that decides if the folder is none of the accepted ones.
    pub check: Option<Check>,
}

/// A command that says whether an edited folder is right.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Check {
    /// The program and its arguments. It ends with exit code 0 if the folder is right.
    pub command: Vec<String>,
    /// The time limit.
    pub time: Duration,
    /// Files that overwrite those of the edited folder, so that an edit cannot weaken them.
    pub files: Tree,
}

impl Check {
    /// The command as a line for the shell.
    pub(super) fn line(&self) -> String {
        let quoted = |word: &String| format!("'{}'", word.replace('\'', r"'\''"));
        let words: Vec<String> = self.command.iter().map(quoted).collect();
        words.join(" ")
    }
}

/// A task that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{task}: {reason}")]
pub struct BrokenTask {
    /// `SUITE/TASK`.
    pub task: String,
    /// What is wrong with it.
    pub reason: String,
}

/// Tasks that were read.
#[derive(Clone, Debug, Default)]
pub struct Suites {
    /// The tasks, ordered by name.
    pub tasks: Vec<EvalTask>,
    /// Those that cannot be used.
    pub broken: Vec<BrokenTask>,
}

/// Why no tasks are read.
#[derive(Debug, thiserror::Error)]
pub enum SuiteError {
    /// The name is neither that of a bundled suite nor a path.
    #[error(
        "there is no suite {name:?}: neither a file or folder of that name, \
         nor one of the bundled ({})",
        bundled.join(", ")
    )]
    Unknown {
        /// The name.
        name: String,
        /// The names of the bundled suites.
        bundled: Vec<String>,
    },
    /// Nothing in the folder is a task.
    #[error(
        "there is no task in {}: a task is a folder with task.toml and before/",
        .0.display()
    )]
    Empty(PathBuf),
    /// A file or folder cannot be read.
    #[error("cannot read {}: {}", .0.display(), .1)]
    Read(PathBuf, #[source] io::Error),
    /// The file is no public set, for this reason.
    #[error("cannot read {}: {}", .0.display(), .1)]
    NotASet(PathBuf, String),
}

impl SuiteError {
    pub(super) fn read(path: &Path, source: io::Error) -> SuiteError {
        SuiteError::Read(path.to_owned(), source)
    }
}
