//! Splits a hunk into runs of changed lines, each between two lines that stay.

use crate::hunk::{Hunk, Tag};
use crate::locate::fold::is_blank;
use std::ops::Range;

/// Consecutive changed lines between two that stay.
#[derive(Default)]
pub(super) struct ChangedRun<'h> {
    /// Index in the spans of the searched line before the run.
    pub before: Option<usize>,
    /// Indices in the spans of the deleted lines.
    pub deleted: Vec<usize>,
    /// The new lines.
    pub inserted: Vec<&'h str>,
    /// Index in the spans of the searched line after the run.
    pub after: Option<usize>,
    /// Whether a searched blank line in or beside the run is missing from the file.
    pub lacks_blank: bool,
    /// Indices in the spans of the deleted blank lines that are missing from the file.
    pub gone: Vec<usize>,
    /// Whether it is unknown which of the new blank lines are meant for those.
    pub is_unclear: bool,
}

pub(super) fn runs<'h>(hunk: &'h Hunk, spans: &[Option<Range<usize>>]) -> Vec<ChangedRun<'h>> {
    let mut runs = Vec::new();
    let mut run = ChangedRun::default();
    let mut nth = 0;
    for line in &hunk.lines {
        if line.tag == Tag::Insert {
            run.inserted.push(&line.text);
            continue;
        }
        let here = nth;
        nth += 1;
        if spans[here].is_none() {
            // A blank line that the file lacks: it can be neither kept nor deleted, and is not
            // inserted.
            run.lacks_blank = true;
            if line.tag == Tag::Delete {
                run.gone.push(here);
            }
            continue;
        }
        if line.tag == Tag::Delete {
            run.deleted.push(here);
        } else {
            run.after = Some(here);
            let lacks_blank = run.lacks_blank && run.inserted.is_empty() && run.deleted.is_empty();
            runs.push(std::mem::take(&mut run));
            run.before = Some(here);
            run.lacks_blank = lacks_blank;
        }
    }
    runs.push(run);
    let old: Vec<&str> = hunk.old().collect();
    let is_beside_blank = |gone: usize| {
        let beside = [gone.checked_sub(1), Some(gone + 1)];
        let is_blank_at = |&k: &usize| old.get(k).is_some_and(|line| is_blank(line));
        beside.iter().flatten().any(is_blank_at)
    };
    for run in &mut runs {
        // Consecutive blank lines are one gap: it is unknown which of them the file lacks.
        let from = run.before.map_or(0, |before| before + 1);
        let to = run.after.unwrap_or(old.len());
        let above = (0..from).rev().take_while(|&k| is_blank(old[k]));
        let below = (to..old.len()).take_while(|&k| is_blank(old[k]));
        run.lacks_blank |= above.chain(below).any(|k| spans[k].is_none());
        let n_blank = run.inserted.iter().filter(|line| is_blank(line)).count();
        if n_blank == run.inserted.len() {
            run.inserted
                .truncate(n_blank.saturating_sub(run.gone.len()));
        } else if n_blank == run.gone.len() && !run.gone.iter().any(|&gone| is_beside_blank(gone)) {
            run.inserted.retain(|line| !is_blank(line));
        } else {
            run.is_unclear = n_blank > 0 && !run.gone.is_empty();
        }
    }
    runs.retain(|run| !run.deleted.is_empty() || !run.inserted.is_empty());
    runs
}
