//! The folder that a patch is applied to: its files, and what a plan makes of them.

use crate::apply::{Files, PlannedFile};
use crate::diff::{self, FileDiff};
use crate::review::gate::ProposedFile;
use crate::text::Text;
use crate::workspace::{
    Change, Chmod, Workspace, WorkspaceError, can_be_run, check_path, new_executable, runnable,
};
use std::io::ErrorKind;

/// A planned file for the gate. A moved one is created with its permissions, and removed.
pub(super) fn proposed(workspace: &Workspace, file: &PlannedFile) -> ProposedFile {
    ProposedFile {
        path: file.moved_to.as_ref().unwrap_or(&file.path).clone(),
        changes: changes(workspace, file),
        diff: diff::unified(&FileDiff::from(file)),
        seams: Vec::new(),
    }
}

fn changes(workspace: &Workspace, file: &PlannedFile) -> Vec<Change> {
    let PlannedFile {
        path,
        moved_to,
        copied_from,
        is_executable,
        before,
        after,
    } = file;
    // The permissions of a file, before and after.
    let chmod = |path: &str| {
        let from = workspace.mode(path)?;
        Some(Chmod {
            from,
            to: is_executable.map_or(from, |is| runnable(from, is)),
        })
    };
    let mode = |path: &str| chmod(path).map(|chmod| chmod.to);
    let made = |path: &str, mode: Option<u32>, after: &[u8]| Change {
        mode,
        ..Change::create(path, after)
    };
    match (before.as_ref().map(Text::bytes), after) {
        (Some(before), Some(after)) => match (copied_from, moved_to) {
            (Some(from), _) => vec![made(path, mode(from), after)],
            (None, Some(to)) => {
                vec![made(to, mode(path), after), Change::remove(path, before)]
            }
            (None, None) => {
                let chmod = chmod(path).filter(|chmod| chmod.from != chmod.to);
                vec![Change {
                    chmod,
                    ..Change::replace(path, before, after)
                }]
            }
        },
        (None, Some(after)) => {
            vec![made(
                path,
                is_executable.filter(|is| *is).map(|_| new_executable()),
                after,
            )]
        }
        (Some(before), None) => vec![Change::remove(path, before)],
        (None, None) => Vec::new(),
    }
}

/// The files under the root.
pub(super) struct OnDisk<'a> {
    pub workspace: &'a Workspace,
    pub listing: Vec<String>,
}

impl Files for OnDisk<'_> {
    fn listing(&self) -> &[String] {
        &self.listing
    }

    fn read(&self, path: &str) -> Result<Option<Text>, String> {
        check_path(path).map_err(|error| error.to_string())?;
        match self.workspace.read(path) {
            Ok(text) => Ok(Some(text)),
            Err(WorkspaceError::Read { source, .. })
                if matches!(
                    source.kind(),
                    ErrorKind::NotFound | ErrorKind::NotADirectory
                ) =>
            {
                Ok(None)
            }
            Err(error) => Err(error.to_string()),
        }
    }

    fn is_executable(&self, path: &str) -> bool {
        self.workspace.mode(path).is_some_and(can_be_run)
    }
}
