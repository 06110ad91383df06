//! What is wrong with a configuration, and in which line.

use std::path::PathBuf;

/// A configuration that cannot be used. Lines are counted from 1.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// The file is there and cannot be read.
    #[error("cannot read {}: {reason}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Why.
        reason: String,
    },
    /// The file cannot be written.
    #[error("cannot write {}: {reason}; it is as it was", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// Why.
        reason: String,
    },
    /// The file is not TOML, or has a key or value that is none.
    #[error("{}:{line}: {message}", path.display())]
    Mistake {
        /// The file.
        path: PathBuf,
        /// The line.
        line: usize,
        /// What is wrong.
        message: String,
    },
    /// The key is one that only a person may set.
    #[error(
        "{}:{line}: a project must not set {key:?}: what came with a folder must not choose your \
         model, or what is written without a question",
        path.display()
    )]
    NotForProjects {
        /// The file.
        path: PathBuf,
        /// The line.
        line: usize,
        /// The name.
        key: String,
    },
    /// A variable of the environment is not UTF-8.
    #[error("the variable {variable} is not UTF-8")]
    Environment {
        /// Its name.
        variable: &'static str,
    },
}
