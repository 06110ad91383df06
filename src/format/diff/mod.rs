//! What the formats of `diff` have in common: lines, code fences, file names, `\ No newline at end
//! of file`, and what the names in a file's header make of the hunks below it.

mod file;
mod names;

pub(super) use file::DiffFile;
pub(super) use names::{NO_FILE, Side, header_name, quoted, sides, unquoted, without_prefixes};

use super::patch::{Action, FileEdit, LineEdit};
use crate::locate::hunk::{Count, Extent, FinalNewline, Hunk, HunkLine, Tag};
use std::ops::Range;

/// The lines of a patch, without line endings.
pub(super) fn lines(text: &str) -> Vec<&str> {
    let mut lines: Vec<&str> =
        text.split('\n').map(|line| line.strip_suffix('\r').unwrap_or(line)).collect();
    if lines.last() == Some(&"") {
        lines.pop();
    }
    lines
}

/// Whether a line opens or closes a code fence. Not one that is indented: in a hunk, that is a
/// context line.
pub(super) fn is_fence(line: &str) -> bool {
    line.starts_with("```") || line.starts_with("~~~")
}

/// The lines of a text that is nothing but a patch, or a patch in one fence, blank lines before and
/// after it aside. Blank lines at the end stay where no fence stands behind them: they may belong
/// to it.
pub(super) fn unfenced(lines: &[&str]) -> Range<usize> {
    let is_blank = |line: &&str| line.trim().is_empty();
    let start = lines.iter().position(|line| !is_blank(line)).unwrap_or(lines.len());
    match lines.iter().rposition(|line| !is_blank(line)) {
        Some(last) if last > start && is_fence(lines[start]) && is_fence(lines[last]) => {
            start + 1..last
        }
        _ => start..lines.len(),
    }
}

/// Whether a line says that the line before it has no line feed. The words are in the language of
/// who made it.
pub(super) fn is_newline_mark(line: &str) -> bool {
    line.starts_with("\\ ")
}

/// Whether a line can be written in a patch and read back.
pub(super) fn is_one_line(text: &str) -> bool {
    !text.contains('\n') && !text.ends_with('\r')
}

/// A hunk of a diff: whole lines in one place, where they are exchanged the deleted ones first.
/// `missing` says on which sides `\ No newline at end of file` stands, before and after.
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
        hunk.final_newline = Some(FinalNewline { before: !missing.0, after: !missing.1 });
        hunk.hints.at_end = true;
    }
    hunk
}

/// Models write `+` before `-`, or one line after the other; between two lines that stay it means
/// the same.
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

/// How many lines there are before and after.
pub(super) fn counts(hunk: &Hunk) -> (usize, usize) {
    (hunk.old().count(), hunk.new().count())
}

/// A range by its first and last line. The number of an empty range is that of the line before it.
pub(super) fn first_and_last(line: usize, n: usize) -> String {
    match n {
        0 => line.saturating_sub(1).to_string(),
        1 => line.to_string(),
        n => format!("{line},{}", line.saturating_add(n - 1)),
    }
}

/// Behind which lines of a hunk `\ No newline at end of file` stands, before and after. None if a
/// diff cannot say this hunk.
pub(super) fn newline_marks(hunk: &Hunk) -> Option<(Option<usize>, Option<usize>)> {
    let is_sayable = hunk.extent == Extent::Lines
        && hunk.count == Count::One
        && hunk.lines.iter().any(|line| line.tag != Tag::Keep)
        && hunk.lines.iter().all(|line| is_one_line(&line.text));
    if !is_sayable {
        return None;
    }
    let Some(newline) = hunk.final_newline else { return Some((None, None)) };
    let last_old = hunk.lines.iter().rposition(|line| line.tag != Tag::Insert);
    let last_new = hunk.lines.iter().rposition(|line| line.tag != Tag::Delete);
    let marks = (last_old.filter(|_| !newline.before), last_new.filter(|_| !newline.after));
    // A line that stays ends the file before and after, or neither.
    let is_kept = |mark: Option<usize>| mark.is_some_and(|i| hunk.lines[i].tag == Tag::Keep);
    let is_said = (newline.before || marks.0.is_some()) && (newline.after || marks.1.is_some());
    (is_said && (marks.0 == marks.1 || !is_kept(marks.0) && !is_kept(marks.1))).then_some(marks)
}

/// Digits only, no sign.
pub(super) fn number(digits: &str) -> Option<usize> {
    digits.bytes().all(|byte| byte.is_ascii_digit()).then(|| digits.parse().ok())?
}

/// The order of changes by number in the file as it was: each below the one before it.
#[derive(Default)]
pub(super) struct TopDown {
    /// The last line that may not be touched any more.
    done: usize,
    /// Where the last lines came, if the last change was an insertion: what comes there too has no
    /// order.
    inserted_after: Option<usize>,
}

impl TopDown {
    /// Whether a change is next: of so many lines from this one on, or after it where there are
    /// none.
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

/// The edits of edits that are nothing else: in the order of the file, each with lines that can
/// be written.
pub(super) fn line_edits(file_edits: &[FileEdit]) -> Option<Vec<&LineEdit>> {
    let mut order = TopDown::default();
    let edits = file_edits.iter().map(|file_edit| {
        let Action::Lines(edit) = &file_edit.action else { return None };
        edit.line.checked_add(edit.n_deleted)?;
        let is_change = edit.n_deleted > 0 || !edit.new.is_empty();
        let is_sayable =
            file_edit.path.is_none() && is_change && edit.new.iter().all(|line| is_one_line(line));
        (is_sayable && order.takes(edit.line, edit.n_deleted)).then_some(edit)
    });
    edits.collect()
}

/// Edits file by file: runs of edits in which each after the first stands below the one before
/// it, with the path of all of them, and any other edit by itself.
pub(super) fn by_file(file_edits: &[FileEdit]) -> impl Iterator<Item = &[FileEdit]> {
    file_edits.chunk_by(|before, after| {
        let is_below = matches!(&after.action, Action::Edit(hunk) if hunk.hints.is_ordered);
        is_below && matches!(before.action, Action::Edit(_)) && before.path == after.path
    })
}

/// The hunks of a run of edits; none if there is something else.
pub(super) fn hunks(run: &[FileEdit]) -> Option<Vec<&Hunk>> {
    run.iter()
        .map(|file_edit| if let Action::Edit(hunk) = &file_edit.action { Some(hunk) } else { None })
        .collect()
}
