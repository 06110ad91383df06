//! The folder that a patch is applied to: its files, and what a plan makes of them.

use crate::apply::{Files, PlannedFile};
use crate::diff::{self, FileDiff};
use crate::gate::ProposedFile;
use crate::text::Text;
use crate::workspace::{Change, Workspace, WorkspaceError, check_path};
use std::io::ErrorKind;

/// What a plan makes of a file. A moved one is made anew, with its permissions, and removed.
pub(super) fn proposed(workspace: &Workspace, file: &PlannedFile) -> ProposedFile {
    let PlannedFile { path, moved_to, before, after } = file;
    let before = before.as_ref().map(Text::bytes);
    let changes = match (moved_to, before, after) {
        (Some(to), Some(before), Some(after)) => {
            let mode = workspace.mode(path);
            vec![Change { mode, ..Change::create(to, after) }, Change::remove(path, before)]
        }
        (_, Some(before), Some(after)) => vec![Change::replace(path, before, after)],
        (_, None, Some(after)) => vec![Change::create(path, after)],
        (_, Some(before), None) => vec![Change::remove(path, before)],
        (_, None, None) => Vec::new(),
    };
    ProposedFile {
        path: moved_to.as_ref().unwrap_or(path).clone(),
        changes,
        diff: diff::unified(&FileDiff::from(file)),
    }
}

impl<'a> From<&'a PlannedFile> for FileDiff<'a> {
    fn from(file: &'a PlannedFile) -> FileDiff<'a> {
        FileDiff {
            path: &file.path,
            moved_to: file.moved_to.as_deref(),
            before: file.before.as_ref(),
            after: file.after.as_deref(),
        }
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
                if matches!(source.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) =>
            {
                Ok(None)
            }
            Err(error) => Err(error.to_string()),
        }
    }
}
