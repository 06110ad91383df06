//! Writes blocks.

use super::marks::escaped;
use crate::format::file_name::{self, Named};
use crate::format::patch::{Action, FileEdit, LineEdit, Over};
use crate::locate::hunk::{Count, Extent};

/// Writes blocks in Aider's form, with Roo's line number and backslashes where they are needed.
pub fn render(file_edits: &[FileEdit]) -> Option<String> {
    let mut text = String::new();
    let mut is_named = false;
    for file_edit in file_edits {
        match &file_edit.path {
            Some(path) if file_name::above(&[path.as_str()]) == Named::File(path) => {
                is_named = true;
                text += path;
                text.push('\n');
            }
            None if !is_named => {}
            _ => return None,
        }
        let block = render_block(&file_edit.action)?;
        let longest = block
            .lines()
            .filter_map(file_name::fence)
            .map(|fence| fence.length)
            .max();
        let fence = "`".repeat(longest.map_or(3, |length| length + 1));
        text += &format!("{fence}\n{block}{fence}\n\n");
    }
    Some(text)
}

fn render_block(action: &Action) -> Option<String> {
    let (line, old, new): (_, Vec<&str>, Vec<&str>) = match action {
        Action::Edit(hunk) => {
            let is_sayable = hunk.extent == Extent::Lines
                && hunk.count == Count::One
                && hunk.old().next().is_some();
            let keeps_newline = hunk
                .final_newline
                .is_none_or(|newline| newline.before == newline.after);
            if !is_sayable || !keeps_newline || hunk.old().eq(hunk.new()) {
                return None;
            }
            (hunk.hints.line, hunk.old().collect(), hunk.new().collect())
        }
        Action::Lines(LineEdit {
            line,
            n_deleted: 0,
            new,
        }) if !new.is_empty() => (
            Some(line.checked_add(1)?),
            Vec::new(),
            new.iter().map(String::as_str).collect(),
        ),
        Action::Write {
            text,
            over: Over::Nothing,
        } => (None, Vec::new(), text.lines().collect()),
        _ => return None,
    };
    let mut block = String::from("<<<<<<< SEARCH\n");
    if let Some(line) = line {
        block += &format!(":start_line:{line}\n-------\n");
    }
    for line in old {
        block += &escaped(line);
        block.push('\n');
    }
    block += "=======\n";
    for line in new {
        block += &escaped(line);
        block.push('\n');
    }
    block += ">>>>>>> REPLACE\n";
    Some(block)
}
