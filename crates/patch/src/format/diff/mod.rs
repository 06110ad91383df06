//! The common parts of the formats of `diff`: lines, code fences, file names, and `\ No newline at
//! end of file`. Also the meaning of a file's header together with its hunks.

mod file;
mod names;

pub(super) use file::{DiffFile, Way};
pub(super) use names::{NO_FILE, Side, sides, unquoted, without_prefixes};

use crate::hunk::{Count, Extent, FinalNewline, Hunk, HunkLine, Tag};
use std::ops::Range;

/// The lines of a patch, without line endings.
pub(super) fn lines(text: &str) -> Vec<&str> {
    let mut lines: Vec<&str> = text
        .split('\n')
        .map(|line| line.strip_suffix('\r').unwrap_or(line))
        .collect();
    if lines.last() == Some(&"") {
        lines.pop();
    }
    lines
}

/// Whether a line opens or closes a code fence. An indented one does not: in a hunk, it is a
/// context line.
pub(super) fn is_fence(line: &str) -> bool {
    line.starts_with("```") || line.starts_with("~~~")
}

/// The lines of a text that is only a patch, or a patch in one fence, without the blank lines
/// around it. Without a closing fence, blank lines at the end stay: they may belong to the patch.
pub(super) fn unfenced(lines: &[&str]) -> Range<usize> {
    let is_blank = |line: &&str| line.trim().is_empty();
    let start = lines
        .iter()
        .position(|line| !is_blank(line))
        .unwrap_or(lines.len());
    match lines.iter().rposition(|line| !is_blank(line)) {
        Some(last) if last > start && is_fence(lines[start]) && is_fence(lines[last]) => {
            start + 1..last
        }
        _ => start..lines.len(),
    }
}

/// Whether a line says that the line before it has no newline. Its words depend on the language of
/// the tool that wrote it.
pub(super) fn is_newline_mark(line: &str) -> bool {
    line.starts_with("\\ ")
}

/// Makes a hunk of whole lines in one place, with deleted lines before inserted ones. `missing`:
/// whether `\ No newline at end of file` applies before and after.
pub(super) fn hunk(lines: Vec<HunkLine>, line: Option<usize>, missing: (bool, bool)) -> Hunk {
    let mut hunk = Hunk {
        lines: deletions_first(lines),
        extent: Extent::Lines,
        count: Count::One,
        hints: Default::default(),
        final_newline: None,
    };
    hunk.hints.line = line;
    if missing.0 || missing.1 {
        hunk.final_newline = Some(FinalNewline {
            before: !missing.0,
            after: !missing.1,
        });
        hunk.hints.at_end = true;
    }
    hunk
}

/// Puts deleted lines before inserted ones between two lines that stay. Models also write `+`
/// before `-`, or alternate them; the meaning is the same.
fn deletions_first(lines: Vec<HunkLine>) -> Vec<HunkLine> {
    let mut ordered = Vec::with_capacity(lines.len());
    let mut inserted = Vec::new();
    for line in lines {
        match line.tag {
            Tag::Insert => inserted.push(line),
            Tag::Delete => ordered.push(line),
            Tag::Keep => {
                ordered.append(&mut inserted);
                ordered.push(line);
            }
        }
    }
    ordered.append(&mut inserted);
    ordered
}

/// Parses a number: digits only, no sign.
pub(super) fn number(digits: &str) -> Option<usize> {
    digits
        .bytes()
        .all(|byte| byte.is_ascii_digit())
        .then(|| digits.parse().ok())?
}

/// Checks that changes by line number are in file order, each below the one before it.
#[derive(Default)]
pub(super) struct TopDown {
    /// The last line that no further change may touch.
    done: usize,
    /// The line of the last change, if it was an insertion. A second insertion there has no clear
    /// order.
    inserted_after: Option<usize>,
}

impl TopDown {
    /// Whether a change comes next in order. It deletes `n_deleted` lines from `line` on; if that
    /// is 0, it inserts after `line`.
    pub(super) fn takes(&mut self, line: usize, n_deleted: usize) -> bool {
        let is_below = if n_deleted > 0 {
            line > self.done
        } else {
            line >= self.done && self.inserted_after != Some(line)
        };
        self.inserted_after = (n_deleted == 0).then_some(line);
        self.done = line.saturating_add(n_deleted.saturating_sub(1));
        is_below
    }
}
