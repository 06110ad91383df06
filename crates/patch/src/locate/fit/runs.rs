//! Splits a hunk into runs of changed lines, each between two lines that stay.

use crate::hunk::{Hunk, Tag};
use crate::locate::fold::{indentation, is_blank};
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
        } else if line.tag == Tag::Delete {
            run.deleted.push(here);
        } else {
            let is_unchanged = run.inserted.is_empty() && run.deleted.is_empty();
            let next = ChangedRun {
                before: Some(here),
                lacks_blank: run.lacks_blank && is_unchanged,
                ..ChangedRun::default()
            };
            run.after = Some(here);
            runs.push(std::mem::replace(&mut run, next));
        }
    }
    runs.push(run);

    let old: Vec<&str> = hunk.old().collect();
    for run in &mut runs {
        run.settle_blank_lines(&old, spans);
    }
    runs.retain(|run| !run.deleted.is_empty() || !run.inserted.is_empty());
    runs
}

impl ChangedRun<'_> {
    /// Drops new blank lines that stand for those that the file lacks.
    fn settle_blank_lines(&mut self, old: &[&str], spans: &[Option<Range<usize>>]) {
        // Consecutive blank lines are one gap: it is unknown which of them the file lacks.
        let from = self.before.map_or(0, |before| before + 1);
        let to = self.after.unwrap_or(old.len());
        let above = (0..from).rev().take_while(|&nth| is_blank(old[nth]));
        let below = (to..old.len()).take_while(|&nth| is_blank(old[nth]));
        self.lacks_blank |= above.chain(below).any(|nth| spans[nth].is_none());

        let n_blank = self.inserted.iter().filter(|line| is_blank(line)).count();
        let are_apart = self.gone.iter().all(|&gone| is_apart(old, gone));
        if n_blank == self.inserted.len() {
            self.inserted
                .truncate(n_blank.saturating_sub(self.gone.len()));
        } else if n_blank == self.gone.len() && are_apart {
            self.inserted.retain(|line| !is_blank(line));
        } else {
            self.is_unclear = n_blank > 0 && !self.gone.is_empty();
        }
    }

    /// Whether there are no new lines, or as many as deleted ones, each as deep as the one that it
    /// replaces.
    pub fn keeps_depths(&self, old: &[&str]) -> bool {
        let is_line_for_line = self.deleted.len() == self.inserted.len();
        let mut pairs = self.deleted.iter().zip(&self.inserted);
        self.inserted.is_empty()
            || (is_line_for_line
                && pairs
                    .all(|(&nth, new)| is_blank(new) || indentation(old[nth]) == indentation(new)))
    }
}

/// Whether a blank line has no other one beside it.
fn is_apart(old: &[&str], nth: usize) -> bool {
    let above = nth.checked_sub(1).map(|above| old[above]);
    let below = old.get(nth + 1).copied();
    ![above, below].into_iter().flatten().any(is_blank)
}
