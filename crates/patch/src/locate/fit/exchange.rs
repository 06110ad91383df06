//! Turns a run of lines, with its new lines fitted, into replacements.

use super::PlacedHunk;
use super::indents::Indents;
use super::runs::ChangedRun;
use super::unfit::{Fit, Unfit};
use crate::edit::Replacement;
use crate::hunk::Extent;
use crate::locate::fold::{is_blank, words};
use std::ops::Range;

impl PlacedHunk<'_, '_> {
    /// The replacements of a run. `inserted`: its new lines, ready to be written.
    pub(super) fn exchange(
        &self,
        run: &ChangedRun,
        inserted: Vec<String>,
        indents: &Indents,
    ) -> Fit<Vec<Replacement>> {
        if run.is_unclear {
            return Err(Unfit::BlankLines);
        }
        if run.deleted.is_empty() {
            let insertion = self.insertion(run, inserted, indents)?;
            return Ok(insertion.into_iter().collect());
        }
        self.replaced(run, inserted)
    }

    /// The replacements of a run that has deleted lines.
    fn replaced(&self, run: &ChangedRun, mut inserted: Vec<String>) -> Fit<Vec<Replacement>> {
        let gaps: Vec<Range<usize>> = run
            .deleted
            .windows(2)
            .map(|pair| self.between(pair[0], pair[1]))
            .collect();
        self.refuse_repeated(run, &gaps, &inserted)?;

        let n_left_out: usize = gaps.iter().map(Range::len).sum();
        let n_deleted_blank = run
            .deleted
            .iter()
            .filter(|&&nth| self.found(nth).is_some_and(is_blank))
            .count();
        let n_blank = inserted.iter().filter(|line| is_blank(line)).count();
        if n_left_out > 0 && inserted.len() == run.deleted.len() && n_blank == n_deleted_blank {
            // Line for line, so that the text between the lines stays.
            let mut replacements = Vec::with_capacity(inserted.len());
            for (&nth, new) in run.deleted.iter().zip(inserted) {
                let range = self.span(nth);
                replacements.push(Replacement { range, new });
            }
            return Ok(replacements);
        }
        if let Some(lines) = gaps.into_iter().find(|gap| !self.all_blank(gap)) {
            return Err(Unfit::Unmentioned { lines });
        }
        if n_blank.saturating_sub(n_deleted_blank) < n_left_out {
            return Err(Unfit::BlankLines);
        }

        let range = self.deleted_range(run);
        if inserted.is_empty() {
            return Ok(vec![Replacement::removal(self.emptied(run))]);
        }
        if n_blank == inserted.len() && self.edges(run).iter().any(|edge| !edge.is_empty()) {
            let removed = self.only_blank_lines_left(run, n_blank)?;
            return Ok(vec![Replacement::removal(removed)]);
        }
        self.drop_doubled_blank_lines(run, &mut inserted)?;
        let ending = self.haystack.ending_at(self.haystack.line_at(range.start));
        let new = inserted.join(ending);
        Ok(vec![Replacement { range, new }])
    }

    fn span(&self, nth: usize) -> Range<usize> {
        self.spans[nth].clone().expect("runs have no others")
    }

    /// The text from the first to the last deleted line of a run.
    fn deleted_range(&self, run: &ChangedRun) -> Range<usize> {
        self.span(run.deleted[0]).start..self.span(run.deleted[run.deleted.len() - 1]).end
    }

    /// The file's line that contains a searched line.
    fn line_of(&self, nth: usize) -> usize {
        self.haystack.line_at(self.span(nth).start)
    }

    /// The end of the line that contains a searched line, including its line ending.
    fn next(&self, nth: usize) -> usize {
        self.haystack.lines[self.line_of(nth)].next
    }

    /// The lines between two searched ones.
    fn between(&self, first: usize, second: usize) -> Range<usize> {
        self.line_of(first) + 1..self.line_of(second)
    }

    fn all_blank(&self, lines: &Range<usize>) -> bool {
        lines.clone().all(|i| self.haystack.is_blank(i))
    }

    /// The lines that the searched text leaves out above and below the deleted lines of a run.
    fn edges(&self, run: &ChangedRun) -> [Range<usize>; 2] {
        let above = run.before.zip(run.deleted.first().copied());
        let below = run.deleted.last().copied().zip(run.after);
        [above, below].map(|edge| edge.map_or(0..0, |(a, b)| self.between(a, b)))
    }

    /// Fails if new lines may be those that the searched text leaves out in or beside a run. They
    /// would be there twice.
    fn refuse_repeated(
        &self,
        run: &ChangedRun,
        gaps: &[Range<usize>],
        inserted: &[String],
    ) -> Fit<()> {
        let edges = self.edges(run);
        for lines in edges.iter().chain(gaps) {
            for i in lines.clone() {
                let text = self.haystack.line_text(i).trim();
                if !is_blank(text) && inserted.iter().any(|line| line.trim() == text) {
                    let lines = lines.clone();
                    return Err(Unfit::Unmentioned { lines });
                }
            }
        }

        // Other lines may belong on the other side of it.
        let [has_text_above, has_text_below] = [0, 1].map(|i| !self.all_blank(&edges[i]));
        if !run.gone.is_empty() && (has_text_above || has_text_below) {
            return Err(Unfit::BlankLines);
        }
        // Nothing on the other side of a deleted line beyond it confirms that it is meant.
        let is_confirmed =
            (run.before.is_some() || !has_text_below) && (run.after.is_some() || !has_text_above);
        let is_sure = is_confirmed && (inserted.is_empty() || self.is_line_for_line(run, inserted));
        let mut left_out = edges.iter().chain(gaps);
        match left_out.find(|lines| !self.all_blank(lines)) {
            Some(lines) if !is_sure => Err(Unfit::Unmentioned {
                lines: lines.clone(),
            }),
            _ => Ok(()),
        }
    }

    /// Whether each new line has most words of the searched line that it replaces.
    fn is_line_for_line(&self, run: &ChangedRun, inserted: &[String]) -> bool {
        if run.deleted.len() != inserted.len() {
            return false;
        }
        run.deleted.iter().zip(inserted).all(|(&nth, new)| {
            let old: Vec<&str> = words(&self.haystack.shown[self.span(nth)]).collect();
            let n_kept = words(new).filter(|word| old.contains(word)).count();
            n_kept > 0 && 2 * n_kept >= old.len().max(words(new).count())
        })
    }

    /// What is removed of a run that has only blank lines instead, beside blank lines that the
    /// searched text leaves out. Those of the file stay, as many as the new text has.
    fn only_blank_lines_left(&self, run: &ChangedRun, n_blank: usize) -> Fit<Range<usize>> {
        let [n_above, n_below] = self.edges(run).map(|edge| edge.len());
        let emptied = self.emptied(run);
        match (run.before, run.after) {
            _ if n_blank == n_above + n_below => Ok(emptied),
            (_, Some(after)) if n_blank == n_above => {
                Ok(self.deleted_range(run).start..self.span(after).start)
            }
            (Some(before), _) if n_blank == n_below => Ok(self.next(before)..emptied.end),
            _ => Err(Unfit::BlankLines),
        }
    }

    /// Removes blank new lines at the run's edges if the file already has blank lines there,
    /// between the run and its neighbours.
    fn drop_doubled_blank_lines(&self, run: &ChangedRun, inserted: &mut Vec<String>) -> Fit<()> {
        let [n_above, n_below] = self.edges(run).map(|edge| edge.len());
        let [n_first, n_last] = blank_edges(inserted);
        let n_blank = inserted.iter().filter(|line| is_blank(line)).count();
        // A blank new line farther in may be the file's, and so may be what comes before it.
        let may_be_inside = inserted.len() > run.deleted.len() || n_blank > n_first + n_last;
        let is_missing = (n_above > 0 && n_first == 0) || (n_below > 0 && n_last == 0);
        if may_be_inside && is_missing {
            return Err(Unfit::BlankLines);
        }
        inserted.truncate(inserted.len() - n_last.min(n_below));
        inserted.drain(..n_first.min(n_above).min(inserted.len()));
        Ok(())
    }

    /// The range of a run's deleted lines. They take one line ending with them: their own, or the
    /// one before at the end of a file without a final newline.
    fn emptied(&self, run: &ChangedRun) -> Range<usize> {
        let range = self.deleted_range(run);
        if self.hunk.extent == Extent::Text {
            return match (run.before, run.after) {
                (_, Some(after)) => range.start..self.span(after).start,
                (Some(before), None) => self.span(before).end..range.end,
                (None, None) => range,
            };
        }

        let next = self.next(run.deleted[run.deleted.len() - 1]);
        if next > range.end || range.start == 0 {
            range.start..next
        } else {
            let line_before = self.haystack.line_at(range.start) - 1;
            self.haystack.lines[line_before].end..next
        }
    }

    /// The insertion of a run without deleted lines. `None` if all it would insert is there.
    fn insertion(
        &self,
        run: &ChangedRun,
        mut inserted: Vec<String>,
        indents: &Indents,
    ) -> Fit<Option<Replacement>> {
        // The file has only one of the two blank lines around the new ones, or none at the edge of
        // the searched text. Above or below it would be a guess.
        let is_at_edge = run.before.is_none() || run.after.is_none();
        let mut beside = [run.before, run.after].into_iter().flatten();
        let is_beside_blank = beside.any(|nth| self.found(nth).is_some_and(is_blank));
        if run.lacks_blank && (is_at_edge || is_beside_blank) {
            return Err(Unfit::BlankLines);
        }
        let n_skipped = self.skip_blank_lines(run, &mut inserted)?;
        if inserted.is_empty() {
            return Ok(None);
        }

        let beside = run.before.or(run.after).ok_or(Unfit::Nowhere)?;
        let ending = self.haystack.ending_at(self.line_of(beside));
        let text = inserted.join(ending);
        Ok(Some(match (self.hunk.extent, run.before, run.after) {
            (Extent::Text, Some(before), _) => {
                Replacement::insertion(self.end_with_blanks(before), format!("{ending}{text}"))
            }
            (_, Some(before), _) => {
                let line = self.haystack.lines[self.line_of(before) + n_skipped];
                if line.next > line.end {
                    Replacement::insertion(line.next, format!("{text}{ending}"))
                } else {
                    Replacement::insertion(line.end, format!("{ending}{text}"))
                }
            }
            _ => Replacement::insertion(
                self.span(beside).start,
                format!("{text}{ending}{}", indents.before_first()),
            ),
        }))
    }

    /// Removes blank new lines for which the file has blank lines that the searched text lacks.
    /// Returns how many of them the new lines follow.
    fn skip_blank_lines(&self, run: &ChangedRun, inserted: &mut Vec<String>) -> Fit<usize> {
        let (Some(before), Some(after)) = (run.before, run.after) else {
            return Ok(0);
        };
        let gap = self.between(before, after);
        if !self.all_blank(&gap) {
            return Err(Unfit::Unmentioned { lines: gap });
        }
        let [n_first, n_last] = blank_edges(inserted);
        if n_first < inserted.len() && n_first + n_last < gap.len() {
            return Err(Unfit::BlankLines);
        }

        let n_skipped = n_first.min(gap.len());
        inserted.drain(..n_skipped);
        let n_dropped = n_last.min(gap.len() - n_skipped).min(inserted.len());
        inserted.truncate(inserted.len() - n_dropped);
        Ok(n_skipped)
    }

    /// The end of a searched line, with the whitespace that follows it on its line.
    fn end_with_blanks(&self, nth: usize) -> usize {
        let end = self.span(nth).end;
        let line = self.haystack.lines[self.line_of(nth)];
        match self.haystack.shown.get(end..line.end) {
            Some(rest) if is_blank(rest) => line.end,
            _ => end,
        }
    }
}

/// How many blank lines are at the start and, without those, at the end.
fn blank_edges(lines: &[String]) -> [usize; 2] {
    let n_first = lines.iter().take_while(|line| is_blank(line)).count();
    let rest = lines[n_first..].iter().rev();
    [n_first, rest.take_while(|line| is_blank(line)).count()]
}
