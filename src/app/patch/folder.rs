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
    let path = &file.path;
    let before = file.before.as_ref().map(Text::bytes);
    let Some(after) = &file.after else {
        let removed = before.map(|before| Change::remove(path, before));
        return removed.into_iter().collect();
    };
    let Some(before) = before else {
        let mode = (file.is_executable == Some(true)).then(new_executable);
        return vec![created(path, mode, after)];
    };

    if let Some(from) = &file.copied_from {
        return vec![created(path, mode(workspace, file, from), after)];
    }
    if let Some(to) = &file.moved_to {
        let moved = created(to, mode(workspace, file, path), after);
        return vec![moved, Change::remove(path, before)];
    }
    let from = workspace.mode(path);
    let to = mode(workspace, file, path);
    let chmod = from.zip(to).filter(|(from, to)| from != to);
    vec![Change {
        chmod: chmod.map(|(from, to)| Chmod { from, to }),
        ..Change::replace(path, before, after)
    }]
}

fn created(path: &str, mode: Option<u32>, after: &[u8]) -> Change {
    Change {
        mode,
        ..Change::create(path, after)
    }
}

/// The permissions that a planned file gets, which has those of the file at `path` before.
fn mode(workspace: &Workspace, file: &PlannedFile, path: &str) -> Option<u32> {
    let mode = workspace.mode(path)?;
    Some(file.is_executable.map_or(mode, |is| runnable(mode, is)))
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
