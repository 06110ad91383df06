//! Writing a change: through the gate, or in the editor where a file is not saved.

use super::buffer::{decoded, is_same, lacks_characters, with_last_newline};
use super::session::Made;
use super::turn::{Turn, save_first, unsettled};
use crate::app::project::{Buffers, EditorChange};
use crate::app::proposed::Proposed;
use crate::failure::{Failure, FailureKind};
use crate::review::gate::Policy;
use crate::text::Text;
use crate::workspace::Change;
use agent_client_protocol::v1::schema::ToolCallStatus;
use std::path::Path;

impl Turn {
    /// Writes a change that the person has allowed.
    pub(super) async fn write(&self, made: Made) -> Result<(), Failure> {
        let Made {
            mut proposed,
            mut buffers,
            ..
        } = made;
        // Others were only shown to the model.
        buffers.retain(|path, _| proposed.changes().any(|change| change.path == *path));
        // Whoever said yes has seen the warnings, and the remarks were said.
        for warning in &mut proposed.warnings {
            warning.accepted = true;
        }
        proposed.remarks.clear();
        let files = proposed.paths().join(", ");
        let fields = self.all_of(&proposed);
        let at_work = fields.clone().status(ToolCallStatus::InProgress);
        self.client
            .change(&self.id, at_work.title(format!("Writing {files}")));
        let done = done_to(&proposed);

        let unsaved: Vec<&str> = buffers.keys().map(String::as_str).collect();
        if unsaved.is_empty() {
            // The person may have typed while the question was open.
            if self.finds_unsaved(&proposed, &mut Buffers::new()).await? {
                return Err(unsettled());
            }
            self.begins_to_write();
            self.write_by_gate(proposed).await?;
        } else {
            self.write_by_editor(&proposed, &unsaved).await?;
        }
        let fields = fields.status(ToolCallStatus::Completed);
        self.client
            .change(&self.id, fields.title(format!("{done} {files}")));
        let done = if done == DELETED { DELETED } else { "Wrote" };
        self.client
            .say(&format!("{done} {files}. /undo takes it back."));
        Ok(())
    }

    async fn write_by_gate(&self, proposed: Proposed) -> Result<(), Failure> {
        let (_, lines) = self
            .at_desk(async move |_, project| project.write(&proposed, Policy::Yes).await)
            .await?;
        for line in lines {
            self.client.say(&line);
        }
        Ok(())
    }

    /// Gives a file that is not saved a new text in the editor, which has the only copy of the old.
    async fn write_by_editor(&self, proposed: &Proposed, unsaved: &[&str]) -> Result<(), Failure> {
        let changes: Vec<&Change> = proposed.changes().collect();
        let [
            Change {
                path,
                before: Some(before),
                after: Some(after),
                chmod: None,
                ..
            },
        ] = changes.as_slice()
        else {
            return Err(save_first(unsaved));
        };
        let absolute = self.root.join(path);
        let on_disk = self.on_disk(&absolute).await?;
        let Some((_, on_disk)) = on_disk.filter(|_| self.client.fs.write_text_file) else {
            return Err(save_first(unsaved));
        };
        let before = decoded(before);
        let after = decoded(after);
        if lacks_characters(&before, on_disk.shown()) {
            let failure = save_first(unsaved);
            return Err(failure.hint("the editor does not give all characters that the file has"));
        }
        if self.is_outdated(path, &before).await? {
            let message = format!(
                "{path} is in the editor as it was before the last edit; nothing was written"
            );
            return Err(Failure::new(FailureKind::Unsaved, message)
                .hint("reload it there (or save it, if that is meant), and ask again"));
        }

        self.exchange(&absolute, &before, &after).await?;
        let what = proposed.description.clone();
        let change = EditorChange {
            path: path.clone(),
            before,
            after,
            on_disk,
        };
        if let Err(failure) = self
            .at_desk(async move |_, project| project.record(&change, &what))
            .await
        {
            let message = failure.message;
            self.client
                .say(&format!("This edit cannot be undone: {message}"));
        }
        Ok(())
    }

    /// Whether an editor has not noticed the last edit of a file. Written from there, the file would
    /// lose that edit.
    async fn is_outdated(&self, path: &str, in_editor: &str) -> Result<bool, Failure> {
        let path = path.to_owned();
        // Without a journal nothing was written by this program.
        let before = self
            .at_desk(async move |_, project| Ok(project.before_last_edit(&path).ok().flatten()))
            .await?;
        Ok(before.is_some_and(|before| is_same(&before, in_editor)))
    }

    /// Gives a file a new text in the editor if it still has the old one there. The editor's own
    /// line endings stay.
    async fn exchange(&self, path: &Path, before: &str, after: &str) -> Result<(), Failure> {
        let there = self.client.read(path).await;
        let new = there
            .filter(|there| is_same(there, before))
            .and_then(|there| rewritten(there, after));
        match new {
            Some(new) => {
                self.begins_to_write();
                self.client.write(path, &new).await
            }
            None => {
                let message = format!("{} has changed since; nothing was written", path.display());
                Err(Failure::new(FailureKind::Stale, message).hint("ask again"))
            }
        }
    }

    /// Takes an edit that was made in the editor back there, if its text is still the one after that
    /// edit. Returns its number.
    pub(super) async fn undone_in_editor(
        &self,
        number: Option<u64>,
    ) -> Result<Option<u64>, Failure> {
        if !self.client.fs.write_text_file {
            return Ok(None);
        }
        let Some(edit) = self
            .at_desk(async move |_, project| project.made_in_editor(number))
            .await?
        else {
            return Ok(None);
        };
        let absolute = self.root.join(&edit.path);
        match self.exchange(&absolute, &edit.after, &edit.before).await {
            Ok(()) => Ok(Some(edit.number)),
            // It may be closed, or saved and changed since: the disk tells.
            Err(failure) if failure.kind == FailureKind::Stale => Ok(None),
            Err(failure) => Err(failure),
        }
    }

    /// Reads a file from the editor. If it is not saved there, its text is added to the buffers.
    /// Returns whether it was new there.
    ///
    /// A file that is not UTF-8 is not asked for: what an editor makes of it is not what it has.
    pub(super) async fn read_unsaved(
        &self,
        path: &Path,
        buffers: &mut Buffers,
    ) -> Result<bool, Failure> {
        let absolute = self.root.join(path);
        let Some((path, on_disk)) = self.on_disk(&absolute).await? else {
            return Ok(false);
        };
        if std::str::from_utf8(on_disk.bytes()).is_err() {
            return Ok(false);
        }
        let Some(text) = self.client.read(&absolute).await else {
            return Ok(false);
        };
        if buffers.contains_key(&path) || is_same(&text, on_disk.shown()) {
            return Ok(false);
        }
        buffers.insert(path, with_last_newline(text, on_disk.shown()).into_bytes());
        Ok(true)
    }

    /// A file's path relative to the root, and its text on disk. `None` for one that cannot be
    /// edited: it is refused with its reason when the edit is made.
    async fn on_disk(&self, absolute: &Path) -> Result<Option<(String, Text)>, Failure> {
        let named = absolute.to_string_lossy().into_owned();
        self.at_desk(async move |_, project| {
            let workspace = project.workspace;
            let Ok(path) = workspace.resolve_named(&named) else {
                return Ok(None);
            };
            let text = workspace.read(&path).ok();
            Ok(text.map(|text| (path, text)))
        })
        .await
    }

    /// Whether a change is of files that are not saved in the editor and were read from disk.
    pub(super) async fn finds_unsaved(
        &self,
        proposed: &Proposed,
        buffers: &mut Buffers,
    ) -> Result<bool, Failure> {
        let mut found = false;
        for change in proposed.changes().filter(|change| change.before.is_some()) {
            found |= self.read_unsaved(Path::new(&change.path), buffers).await?;
        }
        Ok(found)
    }
}

/// A new text with the line endings of the old one.
fn rewritten(old: String, new: &str) -> Option<String> {
    let bytes = Text::decode(old.into_bytes()).ok()?.rewritten(new).ok()?;
    String::from_utf8(bytes).ok()
}

const DELETED: &str = "Deleted";

/// What was done to the files of a change, in a word.
fn done_to(proposed: &Proposed) -> &'static str {
    let changes: Vec<&Change> = proposed.changes().collect();
    if changes.iter().all(|change| change.before.is_none()) {
        "Created"
    } else if changes.iter().all(|change| change.after.is_none()) {
        DELETED
    } else {
        "Changed"
    }
}
