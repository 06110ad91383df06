//! Unified diffs, as `diff -u`, git and language models write them.
//!
//! A library could read the diffs of tools (diffy reads git's). But models miscount, write `@@ ...
//! @@`, lose the space of an empty context line, and put prose around it all. So a lenient parser
//! is needed anyway, and it can read the diffs of tools too.
//!
//! ```text
//! patch   := (prose | fence | file | hunk)*
//! file    := "diff --git " NAME " " NAME (git header)* [names] hunk*  |  names hunk*
//! names   := "--- " NAME [TAB date] "+++ " NAME [TAB date]
//! hunk    := "@@ -" RANGE " +" RANGE " @@" [section] body
//!            |  "@@ ... @@" body  |  "@@" [section] body
//!            |  body                                    right below names or an opening ```diff
//! body    := (" " kept | "-" deleted | "+" inserted | "" an empty kept line
//!            | "\ No newline at end of file")+
//! RANGE   := LINE ["," COUNT]
//! ```
//!
//! A body ends where its counts say, unless the next line looks like a part of it. Then the counts
//! are wrong, and the body ends where the next file, hunk or fence begins.

mod git_file;
mod lines;
mod parser;
#[cfg(test)]
mod tests;

use super::diff;
use super::patch::{FileEdit, FormatError};
use lines::{hunk_header, is_body, names_at, opens_diff};
use parser::UnifiedParser;

/// Whether a text has the marks of this format.
pub(super) fn is_in(text: &str) -> bool {
    let lines = diff::lines(text);
    (0..lines.len()).any(|i| begins(&lines, i))
}

/// Whether a diff begins at a line: a file, a hunk, or a fence around the lines of one.
pub(super) fn begins(lines: &[&str], i: usize) -> bool {
    if lines[i].starts_with("diff --git ") || names_at(lines, i).is_some() {
        return true;
    }
    let mut body = lines[i + 1..]
        .iter()
        .take_while(|line| line.is_empty() || is_body(line));
    (hunk_header(lines[i]).is_some() || opens_diff(lines[i]))
        && body.any(|line| line.starts_with(['+', '-']))
}

/// Whether a line is one of the marks of a diff: git's header, a file's names, a hunk's numbers.
pub(super) fn is_mark(lines: &[&str], i: usize) -> bool {
    lines[i].starts_with("diff --git ")
        || names_at(lines, i).is_some()
        || hunk_header(lines[i]).is_some_and(|header| header.line.is_some())
}

/// The first line below the diff that begins at a line: below its last name, header or hunk.
pub(super) fn end(lines: &[&str], start: usize) -> usize {
    UnifiedParser::at(lines, start).end()
}

/// Reads unified diffs.
pub(super) fn parse(text: &str) -> Result<Vec<FileEdit>, FormatError> {
    let lines = diff::lines(text);
    let parser = UnifiedParser::run(&lines)?;
    match parser.unchanged {
        Some(line) if parser.file_edits.is_empty() => Err(FormatError::at(
            line,
            "no line of this hunk begins with + or -, expected at least one to insert or delete",
        )),
        _ => Ok(parser.file_edits),
    }
}
