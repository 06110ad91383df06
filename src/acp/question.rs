//! The question about one file: what an editor shows of it. Some editors show the title alone, or the
//! first piece of the content only, so each says enough by itself.

use super::buffer::decoded;
use crate::app::proposed::Proposed;
use crate::review::gate::{ProposedFile, question_about};
use crate::workspace::{Change, can_be_run};
use agent_client_protocol::v1::schema::{
    ContentBlock, Diff, ToolCallContent, ToolCallLocation, ToolCallUpdateFields, ToolKind,
};
use std::path::Path;

/// A question about one of the files of a change.
pub(super) struct Question {
    pub fields: ToolCallUpdateFields,
    /// The answer that allows it.
    pub yes: String,
}

impl Question {
    /// About the file with this index. `root`: the folder of the session.
    pub fn about(proposed: &Proposed, idx: usize, root: &Path) -> Question {
        let file = &proposed.files[idx];
        let n_files = proposed.files.len();
        let mut title = question_about(file);
        for mode in file.changes.iter().filter_map(new_mode) {
            title += &format!(" It {mode}.");
        }
        let mut yes = "Write it".to_owned();
        if let [first, others @ ..] = proposed.warnings.as_slice() {
            title += &format!(" Look twice: {}", first.message);
            if !others.is_empty() {
                title += &format!(" (and {} more)", others.len());
            }
            yes += " in spite of the warning";
        }
        if n_files > 1 {
            title = format!("{} of {n_files}: {title}", idx + 1);
            yes += ", if the other files are accepted too";
        }

        let mut content = diffs(file, root);
        let notes = notes(proposed);
        if !notes.is_empty() {
            content.push(ContentBlock::from(notes.join("\n\n")).into());
        }
        let fields = ToolCallUpdateFields::new()
            .title(title)
            .kind(ToolKind::Edit)
            .content(content)
            .locations(locations(file, root));
        Question { fields, yes }
    }
}

/// The file before and after, as an editor shows it.
pub(super) fn diffs(file: &ProposedFile, root: &Path) -> Vec<ToolCallContent> {
    let mut diffs = Vec::new();
    for change in &file.changes {
        let after = change.after.as_deref().map_or_else(String::new, decoded);
        let before = change.before.as_deref().map(decoded);
        let diff = Diff::new(root.join(&change.path), after).old_text(before);
        diffs.push(ToolCallContent::Diff(diff));
    }
    diffs
}

pub(super) fn locations(file: &ProposedFile, root: &Path) -> Vec<ToolCallLocation> {
    let mut locations = Vec::new();
    for change in &file.changes {
        let location = ToolCallLocation::new(root.join(&change.path));
        locations.push(location.line(first_line(change)));
    }
    locations
}

/// The first line that differs, counted from 1.
fn first_line(change: &Change) -> u32 {
    let before = change.before.as_deref().unwrap_or_default();
    let after = change.after.as_deref().unwrap_or_default();
    let same = before.iter().zip(after).take_while(|(a, b)| a == b);
    let n_lines = same.filter(|(byte, _)| **byte == b'\n').count();
    u32::try_from(n_lines + 1).unwrap_or(u32::MAX)
}

/// Sentences about a change that its diffs do not show.
pub(super) fn notes(proposed: &Proposed) -> Vec<String> {
    let mut notes = Vec::new();
    for warning in &proposed.warnings {
        notes.push(format!("Look twice: {}", warning.message));
    }
    notes.extend(proposed.remarks.iter().cloned());
    for change in proposed.changes() {
        if let Some(mode) = new_mode(change) {
            notes.push(format!("{} {mode}.", change.path));
        }
    }
    notes
}

/// Says whether a file can be run afterwards, if that changes. A diff of texts does not show it.
fn new_mode(change: &Change) -> Option<&'static str> {
    match (change.chmod, change.mode) {
        (Some(mode), _) if !can_be_run(mode.to) => Some("will not be executable"),
        (Some(_), _) => Some("will be executable"),
        (None, Some(mode)) if change.before.is_none() && can_be_run(mode) => {
            Some("will be executable")
        }
        _ => None,
    }
}
