//! Writes patches in Codex's form.

use super::marks::{ADD, BEGIN, DELETE, END, END_OF_FILE, MOVE, UPDATE, plain};
use crate::format::patch::{Action, FileEdit, Over};
use crate::locate::hunk::{Count, Extent, Hunk, Tag};
use std::collections::HashSet;

/// Renders edits. Those of one file must be consecutive, and a move must come before edits.
pub(in crate::format) fn render(file_edits: &[FileEdit]) -> Option<String> {
    let mut text = format!("{BEGIN}\n");
    let mut paths = HashSet::new();
    let mut file_edits = file_edits.iter().peekable();
    while let Some(file_edit) = file_edits.next() {
        let path = file_edit
            .path
            .as_deref()
            .filter(|path| *path == path.trim() && !path.is_empty())?;
        if !paths.insert(plain(path)) {
            return None;
        }
        match &file_edit.action {
            Action::Write {
                text: new,
                over: Over::Nothing,
            } => {
                text += &format!("{ADD} {path}\n");
                text.extend(new.lines().flat_map(|line| ["+", line, "\n"]));
                continue;
            }
            Action::Delete { .. } => {
                text += &format!("{DELETE} {path}\n");
                continue;
            }
            Action::Move { to } if *to == *to.trim() && !to.is_empty() => {
                text += &format!("{UPDATE} {path}\n{MOVE} {to}\n");
            }
            Action::Edit(hunk) => text += &format!("{UPDATE} {path}\n{}", render_hunk(hunk)?),
            _ => return None,
        }
        let mut n_hunks = usize::from(matches!(file_edit.action, Action::Edit(_)));
        while let Some(next) = file_edits.next_if(|next| next.path == file_edit.path) {
            let Action::Edit(hunk) = &next.action else {
                return None;
            };
            text += &render_hunk(hunk)?;
            n_hunks += 1;
        }
        if n_hunks == 0 {
            return None;
        }
    }
    Some(text + END + "\n")
}

fn render_hunk(hunk: &Hunk) -> Option<String> {
    let keeps_newline = hunk
        .final_newline
        .is_none_or(|newline| newline.before == newline.after);
    let has_change = hunk.lines.iter().any(|line| line.tag != Tag::Keep);
    if hunk.extent != Extent::Lines || hunk.count != Count::One || !keeps_newline || !has_change {
        return None;
    }
    let mut text = String::new();
    let headers = hunk
        .hints
        .above
        .iter()
        .filter(|above| !above.trim().is_empty());
    text.extend(headers.flat_map(|above| ["@@ ", above, "\n"]));
    if text.is_empty() {
        text += "@@\n";
    }
    for line in &hunk.lines {
        text.push(match line.tag {
            Tag::Keep => ' ',
            Tag::Delete => '-',
            Tag::Insert => '+',
        });
        text += &line.text;
        text.push('\n');
    }
    if hunk.hints.at_end {
        text += END_OF_FILE;
        text.push('\n');
    }
    Some(text)
}
