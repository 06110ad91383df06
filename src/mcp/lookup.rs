//! What the tools look up: files, and what was written. It needs no model, and so never waits for an
//! edit.

use super::results::{FindResult, ListEditsResult};
use super::text;
use super::tools::{FindParameters, ListEditsParameters};
use crate::app::editor::Editor;
use crate::app::find::{FoundFile, find};
use crate::app::report::ErrorReport;
use crate::app::undo::WrittenEdit;
use crate::failure::{Failure, FailureKind};
use crate::serve::Desk;
use std::path::PathBuf;
use std::sync::Arc;
use tokio::sync::Mutex;

/// The longest sentence of a task, in bytes. No model here reads a longer one in time.
const MAX_SENTENCE: usize = 16 << 10;

/// Whoever opens the journal of the folder holds this: two of this process would be in each other's
/// way.
pub(super) type JournalLock = Arc<Mutex<()>>;

/// A folder in which things are looked up.
pub(super) struct LookupDesk {
    pub root: PathBuf,
    /// Opens the folder. Its model is never asked.
    pub editor: Editor,
    pub journal: JournalLock,
}

impl Desk for LookupDesk {
    fn rest(&mut self) {}
}

impl LookupDesk {
    pub async fn list_edits(&self, parameters: ListEditsParameters) -> ListEditsResult {
        let listed = self.written().await;
        let (edits, error) = or_error(listed);
        ListEditsResult {
            edits: edits.into_iter().take(parameters.max_edits).collect(),
            error,
        }
    }

    async fn written(&self) -> Result<Vec<WrittenEdit>, Failure> {
        let _journal = self.journal.lock().await;
        self.editor.open(&self.root)?.written()
    }

    pub async fn find(&self, parameters: FindParameters) -> FindResult {
        let (files, error) = or_error(self.found(&parameters).await);
        FindResult { files, error }
    }

    /// The files that have a word of the task.
    async fn found(&self, parameters: &FindParameters) -> Result<Vec<FoundFile>, Failure> {
        let FindParameters { task, max_files } = parameters;
        check_sentence(task)?;
        let mut found = find(&self.editor.open(&self.root)?, task, *max_files).await?;
        found.retain(|file| !file.words.is_empty());
        Ok(found)
    }
}

/// What was found, or nothing and why.
fn or_error<T>(found: Result<Vec<T>, Failure>) -> (Vec<T>, Option<ErrorReport>) {
    match found {
        Ok(found) => (found, None),
        Err(failure) => (Vec::new(), Some(text::for_caller(failure))),
    }
}

pub(super) fn check_sentence(sentence: &str) -> Result<(), Failure> {
    if sentence.len() <= MAX_SENTENCE {
        return Ok(());
    }
    let message = format!(
        "the task has {} bytes, and at most {MAX_SENTENCE}",
        sentence.len()
    );
    Err(Failure::new(FailureKind::TaskTooLong, message))
}
