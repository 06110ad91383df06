//! What was done just before a task: edits that are shown, or a change that was written.

use super::proposed::Proposed;
use crate::flow::earlier;
use crate::patched::FileChange;
use crate::task::Standing;
use crate::workspace::Change;

pub(crate) use crate::task::Earlier;

/// Edits that are shown and not written. `sentence`: what was asked for.
pub(super) fn unwritten(sentence: &str, changes: &[FileChange]) -> Earlier {
    let changes: Vec<Change> = changes.iter().map(FileChange::change).collect();
    earlier(
        sentence,
        &changes.iter().collect::<Vec<_>>(),
        Standing::Unwritten,
    )
}

/// A change that was written.
pub(crate) fn written(proposed: &Proposed) -> Earlier {
    let changes: Vec<&Change> = proposed.changes().collect();
    earlier(&proposed.description, &changes, Standing::Written)
}
