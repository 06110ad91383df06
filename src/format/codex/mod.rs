//! Codex's patches, which GPT models write for its `apply_patch` tool. Prose, a fence or the start
//! of a heredoc may precede a patch. Only what closes these may follow it.
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
//! Whitespace may surround the first and the last line, and the lines that name a file. Empty lines
//! at a hunk's end mean nothing: models put them before `*** End Patch`. A hunk with only kept
//! lines says where the next hunk is.

mod marks;
mod reader;
mod render;
#[cfg(test)]
mod tests;

pub(super) use render::render;

use super::file_name;
use super::patch::{FileEdit, FormatError, quoted};
use crate::text::ident::is_ident_byte;
use marks::{ADD, BEGIN, DELETE, END, UPDATE};
use reader::Reader;
use std::collections::HashSet;

pub(super) fn is_in(text: &str) -> bool {
    text.lines().any(|line| line.trim() == BEGIN)
}

pub(super) fn parse(text: &str) -> Result<Vec<FileEdit>, FormatError> {
    let lines: Vec<&str> = text.lines().collect();
    let Some(begin) = lines.iter().position(|line| line.trim() == BEGIN) else {
        return Ok(Vec::new());
    };
    let end = end(&lines, begin)?;
    let mut reader = Reader {
        lines: &lines[..end],
        line_idx: begin + 1,
        paths: HashSet::new(),
        file_edits: Vec::new(),
    };
    while let Some(line) = reader.lines.get(reader.line_idx) {
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

/// The first line below the patch that begins at a line; none if none does. A patch that was cut
/// off goes on to the end.
pub(super) fn end_at(lines: &[&str], line_idx: usize) -> Option<usize> {
    let (first, body) = lines[line_idx..].split_first()?;
    let end = |line: &&str| line.trim_end() == END;
    (first.trim() == BEGIN)
        .then(|| body.iter().position(end).map_or(lines.len(), |n_lines| line_idx + n_lines + 2))
}

/// The index of the `*** End Patch` line. It is searched from the end, since a hunk may contain
/// one.
fn end(lines: &[&str], begin: usize) -> Result<usize, FormatError> {
    let delimiter = heredoc(lines, begin)?;
    let closes = |line: &str| {
        let is_fence = file_name::fence(line).is_some_and(|fence| fence.info.is_empty());
        line.trim().is_empty() || is_fence || Some(line.trim()) == delimiter
    };
    let last = begin + lines[begin..].iter().rposition(|line| !closes(line)).unwrap_or_default();
    if lines[last].trim() == END {
        return Ok(last);
    }
    let end = lines[begin..].iter().position(|line| line.trim_end() == END);
    Err(match end {
        Some(n_above) => {
            let junk = begin + n_above + 1;
            let junk =
                junk + lines[junk..].iter().position(|line| !closes(line)).unwrap_or_default();
            let found = quoted(lines[junk].trim());
            FormatError::at(
                junk + 1,
                format!(
                    "found {found} after `{END}`, expected nothing; put one patch alone at the end"
                ),
            )
        }
        None => FormatError::at(
            last + 1,
            format!("the patch ends without `{END}`; the answer may have been cut off"),
        ),
    })
}

/// The word that ends the heredoc around the patch (`cat <<'EOF'`), if there is one.
fn heredoc<'a>(lines: &[&'a str], begin: usize) -> Result<Option<&'a str>, FormatError> {
    let head = lines[..begin].iter().rposition(|line| !line.trim().is_empty());
    let Some((line_idx, (_, word))) =
        head.and_then(|line_idx| Some((line_idx, lines[line_idx].rsplit_once("<<")?)))
    else {
        return Ok(None);
    };
    let word = word.trim();
    let bare = word.trim_matches(['\'', '"']);
    if bare.is_empty() || !bare.bytes().all(is_ident_byte) {
        return Ok(None);
    }
    if ["", "'", "\""].iter().any(|quote| word == format!("{quote}{bare}{quote}")) {
        return Ok(Some(bare));
    }
    let message = format!(
        "found {}, whose quotes do not match; write `<<'{bare}'`",
        quoted(lines[line_idx].trim())
    );
    Err(FormatError::at(line_idx + 1, message))
}
