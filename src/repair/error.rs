//! Why a repair could not be carried through.

use crate::flow::FlowError;
use crate::sandbox::SandboxError;
use crate::search::SearchError;
use crate::workspace::{CommitError, WorkspaceError};

/// Why a repair could not be carried through. The person's folder is as it was.
#[derive(Debug, thiserror::Error)]
pub enum RepairError {
    /// An issue without a word in it.
    #[error("the issue is empty")]
    NoIssue,
    /// The copy.
    #[error(transparent)]
    Sandbox(#[from] SandboxError),
    /// The folder.
    #[error(transparent)]
    Workspace(#[from] WorkspaceError),
    /// Writing in the copy.
    #[error("cannot write in the copy: {0}")]
    Write(#[from] CommitError),
    /// The model, or what it is shown.
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
