//! Turns a run of lines, with its new lines fitted, into replacements.

use super::indents::Indents;
use super::runs::ChangedRun;
use super::unfit::{Fit, Unfit};
use crate::edit::Replacement;
use crate::hunk::{Extent, Hunk};
use crate::locate::fold::{is_blank, words};
use crate::locate::found::Rung;
use crate::locate::haystack::Haystack;
use std::ops::Range;

/// A hunk at its place.
pub(super) struct Exchange<'a, 't> {
    pub haystack: &'a Haystack<'t>,
    pub hunk: &'a Hunk,
    /// The byte range of each searched line; `None` for a blank line that the file lacks.
    pub spans: &'a [Option<Range<usize>>],
    pub indents: &'a Indents,
    /// How the place was found.
    pub rung: Rung,
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
        if run.is_unclear {
            return Err(Unfit::BlankLines);
        }
        self.drop_blank_lines_around(run, &mut inserted);
        let Some((&first, &last)) = run.deleted.first().zip(run.deleted.last()) else {
            replacements.extend(self.insertion(run, inserted)?);
            return Ok(());
        };
        let gaps: Vec<Range<usize>> = run
            .deleted
            .windows(2)
            .map(|pair| self.between(pair[0], pair[1]))
            .collect();
        let n_left_out: usize = gaps.iter().map(Range::len).sum();
        let is_blank_line = |&nth: &usize| is_blank(&self.haystack.shown[self.span(nth)]);
        let n_deleted_blank = run.deleted.iter().copied().filter(is_blank_line).count();
        let n_blank = inserted.iter().filter(|line| is_blank(line)).count();
        self.refuse_repeated(run, &gaps, &inserted)?;
        if n_left_out > 0 && inserted.len() == run.deleted.len() && n_blank == n_deleted_blank {
            // Line for line, so that the text between the lines stays.
            for (&nth, new) in run.deleted.iter().zip(inserted) {
                replacements.push(Replacement {
                    range: self.span(nth),
                    new,
                });
            }
            return Ok(());
        }
        if let Some(gap) = gaps.into_iter().find(|gap| !self.all_blank(gap.clone())) {
            return Err(Unfit::Unmentioned { lines: gap });
        }
        if n_blank.saturating_sub(n_deleted_blank) < n_left_out {
            return Err(Unfit::BlankLines);
        }
        let range = self.span(first).start..self.span(last).end;
        if inserted.is_empty() {
            replacements.push(Replacement {
                range: self.emptied(run, range),
                new: String::new(),
            });
            return Ok(());
        }
        if n_blank == inserted.len() && self.edges(run).iter().any(|edge| !edge.is_empty()) {
            replacements.push(self.only_blank_lines_left(run, range, n_blank)?);
            return Ok(());
        }
        self.drop_doubled_blank_lines(run, &mut inserted)?;
        let ending = self.haystack.ending_at(self.haystack.line_at(range.start));
        replacements.push(Replacement {
            range,
            new: inserted.join(ending),
        });
        Ok(())
    }

    /// The lines that the searched text leaves out above and below a run.
    fn edges(&self, run: &ChangedRun) -> [Range<usize>; 2] {
        let edge = |a: Option<usize>, b: Option<usize>| match (a, b) {
            (Some(a), Some(b)) => self.between(a, b),
            _ => 0..0,
        };
        [
            edge(run.before, run.deleted.first().copied()),
            edge(run.deleted.last().copied(), run.after),
        ]
    }

    /// Removes blank new lines before the first and after the last searched line, if the searched
    /// text leaves out blank lines elsewhere and the file has those as well.
    fn drop_blank_lines_around(&self, run: &ChangedRun, inserted: &mut Vec<String>) {
        let is_text = |line: Option<&str>| line.is_some_and(|line| !is_blank(line));
        if self.rung != Rung::BlankLines || inserted.iter().all(|line| is_blank(line)) {
            return;
        }
        let (lines, spans) = (&self.haystack.lines, self.spans);
        let is_blank_line = |&i: &usize| is_blank(self.haystack.line_text(i));
        let [n_first, n_last] = blank_edges(inserted);
        if let (None, Some(Some(first))) = (run.before, spans.first())
            && is_text(self.hunk.old().next())
        {
            let above = (0..self.haystack.line_at(first.start)).rev();
            inserted.drain(..n_first.min(above.take_while(is_blank_line).count()));
        }
        if let (None, Some(Some(last))) = (run.after, spans.last())
            && is_text(self.hunk.old().last())
        {
            let below = self.haystack.line_at(last.start) + 1..lines.len();
            inserted.truncate(inserted.len() - n_last.min(below.take_while(is_blank_line).count()));
        }
    }

    /// Fails if new lines may be those that the searched text leaves out in or beside a run. They
    /// would be there twice.
    fn refuse_repeated(
        &self,
        run: &ChangedRun,
        gaps: &[Range<usize>],
        inserted: &[String],
    ) -> Fit<()> {
        let is_new = |text: &str| inserted.iter().any(|line| line.trim() == text.trim());
        let edges = self.edges(run);
        for lines in edges.iter().chain(gaps) {
            let is_repeated = |i: usize| {
                let text = self.haystack.line_text(i);
                !is_blank(text) && is_new(text)
            };
            if lines.clone().any(is_repeated) {
                return Err(Unfit::Unmentioned {
                    lines: lines.clone(),
                });
            }
        }
        // Other lines may belong on the other side of it.
        let is_text = |lines: &Range<usize>| !self.all_blank(lines.clone());
        let is_sure = match (run.before, run.after) {
            // A line beyond it that goes: nothing on its other side confirms that it is meant.
            (None, _) if is_text(&edges[1]) => false,
            (_, None) if is_text(&edges[0]) => false,
            _ => inserted.is_empty() || self.is_line_for_line(run, inserted),
        };
        if !run.gone.is_empty() && edges.iter().any(is_text) {
            return Err(Unfit::BlankLines);
        }
        match edges.into_iter().chain(gaps.iter().cloned()).find(is_text) {
            Some(lines) if !is_sure => Err(Unfit::Unmentioned { lines }),
            _ => Ok(()),
        }
    }

    /// Whether each new line has most words of the searched line that it replaces.
    fn is_line_for_line(&self, run: &ChangedRun, inserted: &[String]) -> bool {
        let is_like = |(&nth, new): (&usize, &String)| {
            let old: Vec<&str> = words(&self.haystack.shown[self.span(nth)]).collect();
            let n_kept = words(new).filter(|word| old.contains(word)).count();
            n_kept > 0 && 2 * n_kept >= old.len().max(words(new).count())
        };
        run.deleted.len() == inserted.len() && run.deleted.iter().zip(inserted).all(is_like)
    }

    /// The deletion of a run that has only blank lines instead, beside blank lines that the searched
    /// text leaves out. Those of the file stay, as many as the new text has.
    fn only_blank_lines_left(
        &self,
        run: &ChangedRun,
        range: Range<usize>,
        n_blank: usize,
    ) -> Fit<Replacement> {
        let [n_above, n_below] = self.edges(run).map(|edge| edge.len());
        let emptied = self.emptied(run, range.clone());
        let range = match (run.before, run.after) {
            _ if n_blank == n_above + n_below => emptied,
            (_, Some(after)) if n_blank == n_above => range.start..self.span(after).start,
            (Some(before), _) if n_blank == n_below => self.next(before)..emptied.end,
            _ => return Err(Unfit::BlankLines),
        };
        Ok(Replacement {
            range,
            new: String::new(),
        })
    }

    /// Removes blank new lines at the run's edges if the file already has blank lines there,
    /// between the run and its neighbours.
    fn drop_doubled_blank_lines(&self, run: &ChangedRun, inserted: &mut Vec<String>) -> Fit<()> {
        let [n_above, n_below] = self.edges(run).map(|edge| edge.len());
        let [n_first, n_last] = blank_edges(inserted);
        let is_more = inserted.len() > run.deleted.len();
        let n_inside = inserted.iter().filter(|line| is_blank(line)).count() - n_first - n_last;
        // A blank new line farther in may be the file's, and so may be what comes before it.
        let is_unclear =
            |n_left_out, n_new| n_left_out > 0 && n_new == 0 && (is_more || n_inside > 0);
        if is_unclear(n_above, n_first) || is_unclear(n_below, n_last) {
            return Err(Unfit::BlankLines);
        }
        inserted.truncate(inserted.len() - n_last.min(n_below));
        inserted.drain(..n_first.min(n_above).min(inserted.len()));
        Ok(())
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

    /// The insertion of a run without deleted lines. `None` if all it would insert is there.
    fn insertion(&self, run: &ChangedRun, mut inserted: Vec<String>) -> Fit<Option<Replacement>> {
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
            let [n_first, n_last] = blank_edges(&inserted);
            let is_text = n_first < inserted.len();
            if is_text && n_first + n_last < gap.len() {
                return Err(Unfit::BlankLines);
            }
            skipped = n_first.min(gap.len());
            inserted.drain(..skipped);
            inserted.truncate(inserted.len() - n_last.min(gap.len() - skipped).min(inserted.len()));
            if inserted.is_empty() {
                return Ok(None);
            }
        }
        let ending = self
            .haystack
            .ending_at(run.before.or(run.after).map_or(0, at_line));
        let text = inserted.join(ending);
        Ok(Some(match (self.hunk.extent, run.before, run.after) {
            (Extent::Text, Some(before), _) => {
                // Whitespace at the end of the line stays there.
                let (end, line) = (self.span(before).end, self.haystack.lines[at_line(before)]);
                let rest = self
                    .haystack
                    .shown
                    .get(end..line.end)
                    .filter(|rest| is_blank(rest));
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
        }))
    }
}

/// How many blank lines are at the start and, without those, at the end.
fn blank_edges(lines: &[String]) -> [usize; 2] {
    let n_first = lines.iter().take_while(|line| is_blank(line)).count();
    let n_last = lines[n_first..]
        .iter()
        .rev()
        .take_while(|line| is_blank(line))
        .count();
    [n_first, n_last]
}

/// Inserts a text at a byte offset.
pub(super) fn insert(at: usize, new: String) -> Replacement {
    Replacement { range: at..at, new }
}
