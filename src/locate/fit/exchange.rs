//! Turns a run of lines, with its new lines fitted, into replacements.

use super::indents::Indents;
use super::runs::ChangedRun;
use super::unfit::{Fit, Unfit};
use crate::edit::Replacement;
use crate::locate::fold::is_blank;
use crate::locate::haystack::Haystack;
use crate::locate::hunk::{Extent, Hunk};
use std::ops::Range;

/// A hunk at its place.
pub(super) struct Exchange<'a, 't> {
    pub haystack: &'a Haystack<'t>,
    pub hunk: &'a Hunk,
    /// The byte range of each searched line; `None` for a blank line that the file lacks.
    pub spans: &'a [Option<Range<usize>>],
    pub indents: &'a Indents,
}

impl Exchange<'_, '_> {
    fn span(&self, nth: usize) -> Range<usize> {
        self.spans[nth].clone().expect("runs have no others")
    }

    /// The end of the line that contains a searched line, including its line ending.
    fn next(&self, nth: usize) -> usize {
        let line = self.haystack.lines[self.haystack.line_at(self.span(nth).start)];
        line.next
    }

    /// The lines between two searched ones.
    fn between(&self, first: usize, second: usize) -> Range<usize> {
        let line = |nth: usize| self.haystack.line_at(self.span(nth).start);
        line(first) + 1..line(second)
    }

    fn all_blank(&self, mut lines: Range<usize>) -> bool {
        lines.all(|i| is_blank(self.haystack.line_text(i)))
    }

    /// Adds the run's replacements. `inserted`: its new lines, ready to be written.
    pub fn of_run(
        &self,
        run: &ChangedRun,
        mut inserted: Vec<String>,
        replacements: &mut Vec<Replacement>,
    ) -> Fit<()> {
        let Some((&first, &last)) = run.deleted.first().zip(run.deleted.last()) else {
            replacements.push(self.insertion(run, inserted)?);
            return Ok(());
        };
        let gaps: Vec<Range<usize>> =
            run.deleted.windows(2).map(|pair| self.between(pair[0], pair[1])).collect();
        let has_gaps = gaps.iter().any(|gap| !gap.is_empty());
        if has_gaps && inserted.len() == run.deleted.len() {
            // Line for line, so that the text between the lines stays.
            for (&nth, new) in run.deleted.iter().zip(inserted) {
                replacements.push(Replacement { range: self.span(nth), new });
            }
            return Ok(());
        }
        if let Some(gap) = gaps.into_iter().find(|gap| !self.all_blank(gap.clone())) {
            return Err(Unfit::Unmentioned { lines: gap });
        }
        let range = self.span(first).start..self.span(last).end;
        if inserted.is_empty() {
            replacements.push(Replacement { range: self.emptied(run, range), new: String::new() });
            return Ok(());
        }
        if has_gaps || self.is_loose(run) {
            self.drop_doubled_blank_lines(run, first, last, &mut inserted);
        }
        let ending = self.haystack.ending_at(self.haystack.line_at(range.start));
        replacements.push(Replacement { range, new: inserted.join(ending) });
        Ok(())
    }

    fn is_loose(&self, run: &ChangedRun) -> bool {
        let gap = |a: Option<usize>, b: Option<usize>| {
            a.zip(b).is_some_and(|(a, b)| !self.between(a, b).is_empty())
        };
        gap(run.before, run.deleted.first().copied()) || gap(run.deleted.last().copied(), run.after)
    }

    /// Removes blank new lines at the run's edges if the file already has blank lines there,
    /// between the run and its neighbours.
    fn drop_doubled_blank_lines(
        &self,
        run: &ChangedRun,
        first: usize,
        last: usize,
        inserted: &mut Vec<String>,
    ) {
        let n_above = run.before.map_or(0, |before| self.between(before, first).len());
        let n_below = run.after.map_or(0, |after| self.between(last, after).len());
        for _ in 0..n_above {
            if inserted.len() > 1 && is_blank(&inserted[0]) {
                inserted.remove(0);
            }
        }
        for _ in 0..n_below {
            if inserted.len() > 1 && inserted.last().is_some_and(|line| is_blank(line)) {
                inserted.pop();
            }
        }
    }

    /// Deleted lines take one line ending with them: their own, or the one before at the end of a
    /// file without a final newline.
    fn emptied(&self, run: &ChangedRun, range: Range<usize>) -> Range<usize> {
        let last = *run.deleted.last().expect("it deletes something");
        match (self.hunk.extent, run.before, run.after) {
            (Extent::Text, _, Some(after)) => range.start..self.span(after).start,
            (Extent::Text, Some(before), None) => self.span(before).end..range.end,
            (Extent::Text, None, None) => range,
            (Extent::Lines, ..) => {
                let next = self.next(last);
                let has_ending = next > range.end;
                let starts_file = range.start == 0;
                match has_ending || starts_file {
                    true => range.start..next,
                    false => self.haystack.lines[self.haystack.line_at(range.start) - 1].end..next,
                }
            }
        }
    }

    fn insertion(&self, run: &ChangedRun, mut inserted: Vec<String>) -> Fit<Replacement> {
        let at_line = |nth: usize| self.haystack.line_at(self.span(nth).start);
        let is_blank_line = |nth: Option<usize>| {
            nth.is_some_and(|nth| is_blank(&self.haystack.shown[self.span(nth)]))
        };
        // The file has only one of the two blank lines around the new ones, or none at the edge of
        // the searched text. Above or below it would be a guess.
        let is_at_edge = run.before.is_none() || run.after.is_none();
        if run.lacks_blank && (is_at_edge || is_blank_line(run.before) || is_blank_line(run.after))
        {
            return Err(Unfit::BlankLines);
        }
        // The file may have blank lines here that the searched text lacks. Blank new lines at the
        // edges stand for them, and are not inserted again.
        let mut skipped = 0;
        if let (Some(before), Some(after)) = (run.before, run.after) {
            let gap = self.between(before, after);
            if !self.all_blank(gap.clone()) {
                return Err(Unfit::Unmentioned { lines: gap });
            }
            let is_blank_at = |line: Option<&String>| line.is_some_and(|line| is_blank(line));
            if !gap.is_empty() && !is_blank_at(inserted.first()) && !is_blank_at(inserted.last()) {
                return Err(Unfit::BlankLines);
            }
            while skipped < gap.len() && inserted.len() > 1 && is_blank(&inserted[0]) {
                inserted.remove(0);
                skipped += 1;
            }
            for _ in skipped..gap.len() {
                if inserted.len() > 1 && inserted.last().is_some_and(|line| is_blank(line)) {
                    inserted.pop();
                }
            }
        }
        let ending = self.haystack.ending_at(run.before.or(run.after).map_or(0, at_line));
        let text = inserted.join(ending);
        Ok(match (self.hunk.extent, run.before, run.after) {
            (Extent::Text, Some(before), _) => {
                // Whitespace at the end of the line stays there.
                let (end, line) = (self.span(before).end, self.haystack.lines[at_line(before)]);
                let rest = self.haystack.shown.get(end..line.end).filter(|rest| is_blank(rest));
                insert(end + rest.map_or(0, str::len), format!("{ending}{text}"))
            }
            (_, Some(before), _) => {
                let line = self.haystack.lines[at_line(before) + skipped];
                match line.next > line.end {
                    true => insert(line.next, format!("{text}{ending}")),
                    false => insert(line.end, format!("{ending}{text}")),
                }
            }
            (_, None, Some(after)) => insert(
                self.span(after).start,
                format!("{text}{ending}{}", self.indents.before_first()),
            ),
            (_, None, None) => return Err(Unfit::Nowhere),
        })
    }
}

/// Inserts a text at a byte offset.
pub(super) fn insert(at: usize, new: String) -> Replacement {
    Replacement { range: at..at, new }
}
