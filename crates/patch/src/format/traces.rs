//! What looks like an edit, in any format. Whatever does and was not read is said: an answer whose
//! second half is missing must not pass for a whole one.
//!
//! ```text
//! codex           a line that begins with "*** Begin Patch", "*** Update File:", and the like
//! search-replace  the first or the last mark of a block
//! unified         "diff --git", the names of a file on two lines, "@@ -1 +1 @@"
//! json            a line with a key that only edits have (`"old_string":`), or such a parameter
//! whole-file      a fence that has a file's name
//! ```
//!
//! The last one is found where fences are read: see [`super::sections`].

use super::patch::Format;
use super::{codex, json, search_replace, unified};

/// The format of what looks like an edit, or a part of one, at a line.
pub(super) fn trace_at(lines: &[&str], line_idx: usize) -> Option<Format> {
    let line = lines[line_idx];
    if codex::is_mark(line) {
        Some(Format::Codex)
    } else if search_replace::is_in(line) {
        Some(Format::SearchReplace)
    } else if unified::is_mark(lines, line_idx) {
        Some(Format::Unified)
    } else if json::has_telling_key(line) || begins_call(line) {
        Some(Format::Json)
    } else {
        None
    }
}

/// Whether a line begins a call of a tool as XML. One that was read is no trace.
fn begins_call(line: &str) -> bool {
    let line = line.trim_start();
    [
        "<function=",
        "<invoke name=",
        "<parameter=",
        "<parameter name=",
        "<write_to_file",
        "<delete_file",
    ]
    .iter()
    .any(|mark| line.starts_with(mark))
}

/// The first line of a text that looks like an edit, counted from 1.
pub(super) fn first_trace(text: &str) -> Option<usize> {
    let lines: Vec<&str> = text.lines().collect();
    (0..lines.len())
        .find(|line_idx| trace_at(&lines, *line_idx).is_some())
        .map(|idx| idx + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_format_leaves_one() {
        for (text, format) in [
            ("*** Begin Patch", Some(Format::Codex)),
            (" *** Delete File: a", Some(Format::Codex)),
            ("<<<<<<< SEARCH", Some(Format::SearchReplace)),
            (">>>>>>> REPLACE", Some(Format::SearchReplace)),
            ("diff --git a/x b/x", Some(Format::Unified)),
            ("--- a/x\n+++ b/x", Some(Format::Unified)),
            ("@@ -1,2 +1 @@", Some(Format::Unified)),
            (
                "I call it: {\"path\": \"a\", \"old_string\": \"x\"",
                Some(Format::Json),
            ),
            ("<parameter name=\"old_string\">x", Some(Format::Json)),
            ("<new_str>", Some(Format::Json)),
            ("The marks are `<<<<<<< SEARCH` and `@@`.", None),
            ("---", None),
            ("@@count = 0", None),
            ("an `old_string` of two lines", None),
        ] {
            let lines: Vec<&str> = text.lines().collect();
            assert_eq!(trace_at(&lines, 0), format, "{text}");
        }
    }
}
