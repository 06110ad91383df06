//! The common parts of the formats of `diff`: lines, code fences, file names, and `\ No newline at
//! end of file`. Also the meaning of a file's header together with its hunks.

mod file;
mod names;

pub(super) use file::{DiffFile, PathChange};
pub(super) use names::{DiffSide, NO_FILE, sides, unquoted, without_prefixes};

use crate::hunk::{Count, Extent, FinalNewline, Hints, Hunk, HunkLine, Tag};
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
    let Some(first) = lines.iter().position(|line| !line.trim().is_empty()) else {
        return lines.len()..lines.len();
    };
    let last = lines.iter().rposition(|line| !line.trim().is_empty());
    match last {
        Some(last) if last > first && is_fence(lines[first]) && is_fence(lines[last]) => {
            first + 1..last
        }
        _ => first..lines.len(),
    }
}

/// Whether a line says that the line before it has no newline. Its words depend on the language of
/// the tool that wrote it.
pub(super) fn is_newline_mark(line: &str) -> bool {
    line.starts_with("\\ ")
}

/// The sides of a hunk whose last line has no newline (`\ No newline at end of file`).
#[derive(Clone, Copy, Default)]
pub(super) struct NoNewline {
    pub before: bool,
    pub after: bool,
}

/// Makes a hunk of whole lines in one place, with deleted lines before inserted ones.
pub(super) fn hunk(mut lines: Vec<HunkLine>, line: Option<usize>, no_newline: NoNewline) -> Hunk {
    deletions_first(&mut lines);
    let has_mark = no_newline.before || no_newline.after;
    let hints = Hints {
        line,
        at_end: has_mark,
        ..Hints::default()
    };
    Hunk {
        lines,
        extent: Extent::Lines,
        count: Count::One,
        hints,
        final_newline: has_mark.then_some(FinalNewline {
            before: !no_newline.before,
            after: !no_newline.after,
        }),
    }
}

/// Puts deleted lines before inserted ones between two lines that stay. Models also write `+`
/// before `-`, or alternate them; the meaning is the same.
pub(super) fn deletions_first(lines: &mut [HunkLine]) {
    for changed in
        lines.chunk_by_mut(|line, next| (line.tag == Tag::Keep) == (next.tag == Tag::Keep))
    {
        changed.sort_by_key(|line| line.tag == Tag::Insert);
    }
}

/// Parses a number: digits only, no sign.
pub(super) fn number(digits: &str) -> Option<usize> {
    if digits.bytes().all(|byte| byte.is_ascii_digit()) {
        digits.parse().ok()
    } else {
        None
    }
}

/// Parses a range of lines, `FIRST,LAST` or `LINE`.
pub(super) fn range(text: &str) -> Option<(usize, usize)> {
    let (first, last) = text.split_once(',').unwrap_or((text, text));
    Some((number(first)?, number(last)?))
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
