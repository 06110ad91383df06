//! Codex's patches, which GPT models write for its `apply_patch` tool. [`frame`] says what may be
//! around one.
//!
//! ```text
//! patch   = "*** Begin Patch" file* "*** End Patch"
//! file    = "*** Add File: " path ("+" text)*
//!         | "*** Delete File: " path
//!         | "*** Update File: " path ["*** Move to: " path] hunk+
//! hunk    = header* line+ ["*** End of File"]   the first may lack a header
//! header  = "@@" | "@@ " text                   text: a line above the hunk, outermost first
//! line    = (" " | "-" | "+") text | ""         the last: an empty line that stays
//! ```
//!
//! Whitespace may surround the lines that name a file. Empty lines at a hunk's end mean nothing:
//! models put them before `*** End Patch`. A hunk with only kept lines says where the next hunk is.

mod frame;
mod marks;
mod reader;
#[cfg(test)]
mod tests;

pub(super) use frame::frame_at;
use frame::has_mismatched_quotes;

use super::patch::{FileEdit, FormatError, quoted};
use marks::{ADD, BEGIN, DELETE, END, UPDATE};
use reader::CodexReader;
use std::collections::HashSet;

pub(super) fn is_in(text: &str) -> bool {
    let lines: Vec<&str> = text.lines().collect();
    (0..lines.len()).any(|line_idx| frame_at(&lines, line_idx).is_some())
}

/// Whether a line belongs to a patch, whatever is around it.
pub(super) fn is_mark(line: &str) -> bool {
    [BEGIN, END, ADD, DELETE, UPDATE]
        .iter()
        .any(|mark| line.trim_start().starts_with(mark))
}

/// Reads the first patch of a text.
pub(super) fn parse(text: &str) -> Result<Vec<FileEdit>, FormatError> {
    let lines: Vec<&str> = text.lines().collect();
    let frame = (0..lines.len()).find_map(|at| Some((at, frame_at(&lines, at)?.lines)));
    let Some((n_above, frame)) = frame else {
        return Ok(Vec::new());
    };
    let mut above = lines[..n_above].iter();
    if let Some(command) = above.rposition(|line| !line.trim().is_empty())
        && has_mismatched_quotes(lines[command])
    {
        let message = format!(
            "found {}, whose quotes do not match; write `<<'EOF'`",
            quoted(lines[command].trim())
        );
        return Err(FormatError::at(command + 1, message));
    }

    let lines: Vec<&str> = frame.iter().map(String::as_str).collect();
    let begin = lines.iter().position(|line| *line == BEGIN);
    let begin = begin.unwrap_or_default();
    let Some(end) = lines.iter().rposition(|line| *line == END) else {
        let last = lines.iter().rposition(|line| !line.trim().is_empty());
        let message = format!("the patch ends without `{END}`; the answer may have been cut off");
        return Err(FormatError::at(
            n_above + last.unwrap_or(begin) + 1,
            message,
        ));
    };
    let mut reader = CodexReader {
        lines: &lines[..end],
        n_above,
        line_idx: begin + 1,
        paths: HashSet::new(),
        file_edits: Vec::new(),
    };
    while let Some(line) = reader.line() {
        let header = line.trim();
        if header.is_empty() {
            reader.line_idx += 1;
        } else if let Some(path) = header.strip_prefix(ADD) {
            reader.add(path.trim())?;
        } else if let Some(path) = header.strip_prefix(DELETE) {
            reader.delete(path.trim())?;
        } else if let Some(path) = header.strip_prefix(UPDATE) {
            reader.update(path.trim())?;
        } else {
            let message = format!(
                "found {}, expected `{ADD}`, `{DELETE}` or `{UPDATE}` and a path",
                quoted(header)
            );
            return Err(reader.error(message));
        }
    }
    Ok(reader.file_edits)
}
