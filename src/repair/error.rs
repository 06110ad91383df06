//! Why a repair could not be carried through.

use crate::flow::FlowError;
use crate::sandbox::SandboxError;
use crate::search::SearchError;
use crate::workspace::{CommitError, WorkspaceError};

/// Why a repair could not be carried through. The person's folder is as it was.
#[derive(Debug, thiserror::Error)]
pub enum RepairError {
    /// The issue has no words.
    #[error("the issue is empty")]
    NoIssue,
    /// The copy, or a command in it, failed.
    #[error(transparent)]
    Sandbox(#[from] SandboxError),
    /// A file or folder cannot be read.
    #[error(transparent)]
    Workspace(#[from] WorkspaceError),
    /// A file of the copy cannot be written.
    #[error("cannot write in the copy: {0}")]
    Write(#[from] CommitError),
    /// The model failed, or the search for files to show it.
    #[error(transparent)]
    Flow(#[from] FlowError),
}

impl RepairError {
    /// Whether the search found no file to edit. Where no file may be created either, a task that
    /// opens with an unknown file (`NotListed`) comes to the same.
    pub(super) fn is_no_files(&self) -> bool {
        matches!(
            self,
            RepairError::Flow(FlowError::Search(
                SearchError::NoFiles { .. } | SearchError::NotListed { .. }
            ))
        )
    }
}
