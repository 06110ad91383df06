//! From a hunk and its place to replacements: the other half of every rung of the ladder.
//!
//! Lines that stay are left to the file as they are, with their blanks, quotes and endings. Only
//! between them is anything replaced, and every line of the file that goes was searched for, or is
//! blank. New lines are indented as the searched lines turned out to be indented in the file.

use super::haystack::{Fold, Folded, Haystack, folded_line, indentation, is_blank, keyboard};
use super::hunk::{Count, Extent, FinalNewline, Hunk, HunkLine, Tag};
use super::indents::{Indents, Tie};
use super::{Finding, Fit, Located, Place, Rung};
use crate::edit::opens_block;
use crate::edit::{Replacement, without_blank_lines};
use similar::DiffTag;
use std::ops::Range;

/// Why a place that was found is not changed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unfit {
    /// The new text's indentation has no counterpart in the file.
    #[error("the indentation of the new line {line:?} has no counterpart in the file")]
    Indentation {
        /// The first such line.
        line: String,
    },
    /// The file has lines where the edit has none, and it does not say what becomes of them.
    #[error("the file has lines there that the edit does not mention")]
    Unmentioned {
        /// Those lines, counted from 0.
        lines: Range<usize>,
    },
    /// The file has blank lines where the edit has none, and it may mean before or after them; or
    /// it is about nothing but blank lines.
    #[error("it does not say what becomes of the blank lines there")]
    BlankLines,
    /// The file's line ends with another comma or semicolon, and what the new lines are to end with
    /// would be a guess.
    #[error("the file's line {line:?} ends otherwise, and so might the new ones")]
    LineEnd {
        /// The first such line.
        line: String,
    },
    /// The heading of the hunk stands below the place.
    #[error("{heading:?}, which should stand above it, stands below")]
    Heading {
        /// What follows `@@`.
        heading: String,
    },
    /// Lines are to be added, and nothing says where.
    #[error("it adds lines and nothing says where")]
    Nowhere,
}

/// A stretch of lines that are exchanged, between two that stay.
#[derive(Default)]
struct Run<'h> {
    /// The searched line before it, as an index of the spans.
    before: Option<usize>,
    deleted: Vec<usize>,
    inserted: Vec<&'h str>,
    after: Option<usize>,
    /// Whether a blank line beside it was searched that the file does not have.
    lacks_blank: bool,
    /// Blank lines that were searched to go and that the file does not have.
    n_gone: usize,
}

/// What is to be done at a place.
pub(super) fn replacements(
    haystack: &Haystack,
    hunk: &Hunk,
    place: &Place,
    rung: Rung,
) -> Fit<Vec<Replacement>> {
    let spans = place.spans(haystack, hunk);
    if matches!(rung, Rung::BlankLines | Rung::Fuzzy)
        && hunk.lines.iter().all(|line| line.tag == Tag::Keep || is_blank(&line.text))
    {
        return Err(Unfit::BlankLines);
    }
    if rung == Rung::Fuzzy {
        // With lines left out, which of two equal lines stays and which goes is not told.
        let stays = |text: &str| {
            hunk.lines.iter().any(|line| line.tag == Tag::Keep && line.text.trim() == text.trim())
        };
        if hunk.lines.iter().any(|line| line.tag == Tag::Delete && stays(&line.text)) {
            return Err(Unfit::Unmentioned { lines: place.lines(haystack, hunk) });
        }
    }
    let indents = indents(haystack, hunk, place, &spans)?;
    let old: Vec<&str> = hunk.old().collect();
    let mut replacements = Vec::new();
    for run in runs(hunk, &spans) {
        let mut inserted: Vec<String> = Vec::with_capacity(run.inserted.len());
        let is_first = |i: usize| run.before.is_none() && i == 0;
        for (i, line) in run.inserted.iter().enumerate() {
            let replaced = run.deleted.get(i).filter(|_| run.deleted.len() == run.inserted.len());
            let depths = |&nth: &usize| {
                Some((indentation(old[nth]), indentation(&haystack.shown[spans[nth].clone()?])))
            };
            let fitted = indents.fitted(line, is_first(i), replaced.and_then(depths));
            inserted
                .push(fitted.ok_or_else(|| Unfit::Indentation { line: line.trim().to_owned() })?);
        }
        if rung >= Rung::Unicode {
            keep_spelling(haystack, &run, &old, &spans, &mut inserted);
            keep_to_keyboard(haystack, &run, &old, &spans, &mut inserted);
        }
        if rung == Rung::Fuzzy {
            keep_line_ends(haystack, &run, &old, &spans, &mut inserted)?;
        }
        let exchange = Exchange { haystack, hunk, spans: &spans, indents: &indents };
        exchange.of_run(&run, inserted, &mut replacements)?;
    }
    if let Some(newline) = hunk.final_newline {
        set_final_newline(haystack, &spans, newline, &mut replacements);
    }
    if !haystack.keeps_blanks {
        for replacement in &mut replacements {
            let Range { start, end } = replacement.range;
            let starts_line =
                start == 0 || matches!(haystack.shown.as_bytes()[start - 1], b'\n' | b'\r');
            let ends_line =
                haystack.shown.as_bytes().get(end).is_none_or(|&b| matches!(b, b'\n' | b'\r'));
            replacement.new = without_blank_lines(
                &replacement.new,
                starts_line,
                ends_line || replacement.new.ends_with('\n'),
            );
        }
    }
    Ok(replacements)
}

/// Whether the place is indented as the searched lines are, but for all of them (or for the first)
/// alike.
pub(super) fn is_shifted(haystack: &Haystack, hunk: &Hunk, place: &Place) -> bool {
    let indents = Indents::of(haystack, &pairs(haystack, hunk, &place.spans(haystack, hunk)));
    !matches!(indents, None | Some(Indents::Respelled(_)))
}

/// Whether the place is indented as the searched lines are, or as regularly, or new lines only take
/// the places of others: then they can be indented, too.
pub(super) fn is_regular(haystack: &Haystack, hunk: &Hunk, place: &Place) -> bool {
    indents_of(haystack, hunk, &place.spans(haystack, hunk)).is_some()
}

fn indents_of(haystack: &Haystack, hunk: &Hunk, spans: &[Option<Range<usize>>]) -> Option<Indents> {
    let pairs = pairs(haystack, hunk, spans);
    // Indented irregularly is another structure; not indented at all is a text that lost its
    // indentation.
    let is_flat = pairs.windows(2).all(|two| two[0].0 == two[1].0);
    Indents::of(haystack, &pairs).or_else(|| {
        if !is_flat {
            return None;
        }
        let old: Vec<&str> = hunk.old().collect();
        let is_line_for_line = |run: &Run| {
            let as_deep = |(&nth, new): (&usize, &&str)| {
                is_blank(new) || indentation(old[nth]) == indentation(new)
            };
            run.inserted.is_empty()
                || (run.deleted.len() == run.inserted.len()
                    && run.deleted.iter().zip(&run.inserted).all(as_deep))
        };
        runs(hunk, spans).iter().all(is_line_for_line).then_some(Indents::LineForLine)
    })
}

fn indents(
    haystack: &Haystack,
    hunk: &Hunk,
    place: &Place,
    spans: &[Option<Range<usize>>],
) -> Fit<Indents> {
    if let Place::Text(range) = place {
        return Ok(after_indentation(haystack, hunk, range).unwrap_or(Indents::Same));
    }
    let unfit =
        || Unfit::Indentation { line: hunk.new().next().unwrap_or_default().trim().to_owned() };
    let indents = indents_of(haystack, hunk, spans).ok_or_else(unfit)?;
    let is_text = |line: &&HunkLine| !is_blank(&line.text);
    let tie = match hunk.lines.iter().filter(is_text).find(|line| line.tag == Tag::Keep) {
        // One line may have lost its indentation where the others have theirs; they tell, unless it
        // opens a block.
        Some(only) if hunk.old().filter(|line| !is_blank(line)).count() == 1 => {
            match opens_block(&only.text) {
                true => Tie::OneOpening,
                false => Tie::One,
            }
        }
        Some(_) => Tie::Several,
        None => Tie::None,
    };
    let inserted = hunk.lines.iter().filter(|line| line.tag == Tag::Insert).filter(is_text);
    indents.for_new_lines(inserted.map(|line| indentation(&line.text)), tie).ok_or_else(unfit)
}

/// A text that begins at the first letter of an indented line: its other lines are indented either
/// as the file is or as if that line were not.
fn after_indentation(haystack: &Haystack, hunk: &Hunk, range: &Range<usize>) -> Option<Indents> {
    let line = haystack.lines.get(haystack.line_at(range.start))?;
    let indent = haystack
        .shown
        .get(line.start..range.start)
        .filter(|indent| !indent.is_empty() && is_blank(indent))?;
    let last = haystack.lines[haystack.line_at(range.end.max(range.start + 1) - 1)];
    let ends_line = is_blank(&haystack.shown[range.end.min(last.end)..last.end]);
    if !ends_line
        || hunk.old().next().is_some_and(|first| is_blank(first) || first.starts_with([' ', '\t']))
    {
        return None;
    }
    let is_text = |line: &&str| !is_blank(line);
    let searched_more = hunk.old().skip(1).any(|line| is_text(&line));
    let is_dedented =
        !searched_more && !hunk.new().skip(1).filter(is_text).all(|line| line.starts_with(indent));
    Some(Indents::After { indent: indent.to_owned(), is_dedented })
}

/// The indentation of each searched line that is not blank, and what the file has there.
fn pairs<'a>(
    haystack: &'a Haystack,
    hunk: &'a Hunk,
    spans: &[Option<Range<usize>>],
) -> Vec<(&'a str, &'a str)> {
    let found = hunk
        .old()
        .zip(spans)
        .filter_map(|(line, span)| Some((line, &haystack.shown[span.clone()?])));
    found
        .filter(|(line, _)| !is_blank(line))
        .map(|(line, found)| (indentation(line), indentation(found)))
        .collect()
}

fn runs<'h>(hunk: &'h Hunk, spans: &[Option<Range<usize>>]) -> Vec<Run<'h>> {
    let mut runs = Vec::new();
    let mut run = Run::default();
    let mut nth = 0;
    for line in &hunk.lines {
        if line.tag == Tag::Insert {
            run.inserted.push(&line.text);
            continue;
        }
        let here = nth;
        nth += 1;
        if spans[here].is_none() {
            // A blank line that the file does not have: nothing to keep and nothing to delete, nor
            // to make anew.
            run.lacks_blank = true;
            run.n_gone += usize::from(line.tag == Tag::Delete);
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
    for run in &mut runs {
        // Blank lines in a row are one gap: which of them the file lacks is not told.
        let from = run.before.map_or(0, |before| before + 1);
        let to = run.after.unwrap_or(old.len());
        let above = (0..from).rev().take_while(|&k| is_blank(old[k]));
        let below = (to..old.len()).take_while(|&k| is_blank(old[k]));
        run.lacks_blank |= above.chain(below).any(|k| spans[k].is_none());
        for _ in 0..run.n_gone {
            if let Some(blank) = run.inserted.iter().rposition(|line| is_blank(line)) {
                run.inserted.remove(blank);
            }
        }
    }
    runs.retain(|run| !run.deleted.is_empty() || !run.inserted.is_empty());
    runs
}

struct Exchange<'a, 't> {
    haystack: &'a Haystack<'t>,
    hunk: &'a Hunk,
    spans: &'a [Option<Range<usize>>],
    indents: &'a Indents,
}

impl Exchange<'_, '_> {
    fn span(&self, nth: usize) -> Range<usize> {
        self.spans[nth].clone().expect("runs have no others")
    }

    /// Where the line ends in which the searched line stands, line ending included.
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

    fn of_run(
        &self,
        run: &Run,
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
            // Line for line, so that what stands between stays.
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
            self.drop_doubled_blanks(run, first, last, &mut inserted);
        }
        let ending = self.haystack.ending_at(self.haystack.line_at(range.start));
        replacements.push(Replacement { range, new: inserted.join(ending) });
        Ok(())
    }

    fn is_loose(&self, run: &Run) -> bool {
        let gap = |a: Option<usize>, b: Option<usize>| {
            a.zip(b).is_some_and(|(a, b)| !self.between(a, b).is_empty())
        };
        gap(run.before, run.deleted.first().copied()) || gap(run.deleted.last().copied(), run.after)
    }

    /// Blank lines that the file has between the run and the lines around it, and that the new text
    /// brings again.
    fn drop_doubled_blanks(
        &self,
        run: &Run,
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

    /// Lines that go take one line ending with them: their own, and at the end of a file without a
    /// final newline the one before.
    fn emptied(&self, run: &Run, range: Range<usize>) -> Range<usize> {
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

    fn insertion(&self, run: &Run, mut inserted: Vec<String>) -> Fit<Replacement> {
        let at_line = |nth: usize| self.haystack.line_at(self.span(nth).start);
        let is_blank_line = |nth: Option<usize>| {
            nth.is_some_and(|nth| is_blank(&self.haystack.shown[self.span(nth)]))
        };
        // Of two blank lines around the new ones the file has one, or there is none at the edge of
        // what was searched: above or below is a guess.
        let is_at_edge = run.before.is_none() || run.after.is_none();
        if run.lacks_blank && (is_at_edge || is_blank_line(run.before) || is_blank_line(run.after))
        {
            return Err(Unfit::BlankLines);
        }
        // Blank lines that the searched text lacks may stand between: the new lines that are blank
        // are those.
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
                // Blanks at the end of the line stay at its end.
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

fn insert(at: usize, new: String) -> Replacement {
    Replacement { range: at..at, new }
}

/// Where a hunk has no line to look for, its hints say where it goes, or the file is empty.
/// `drift`: by how many lines the hunks around it are off.
pub(super) fn insertion_without_context(
    haystack: &Haystack,
    hunk: &Hunk,
    drift: Option<isize>,
) -> Fit<Finding> {
    let n_lines = haystack.lines.len();
    let hinted =
        hunk.hints.line.zip(drift).and_then(|(line, drift)| line.checked_add_signed(drift));
    let line = match (&hunk.hints, n_lines) {
        (_, 0) => 0,
        (hints, _) if hints.at_end => n_lines,
        _ => hinted.filter(|&line| line <= n_lines + 1).ok_or(Unfit::Nowhere)?.saturating_sub(1),
    };
    let ending = haystack.ending_at(line);
    let text = hunk.new().collect::<Vec<_>>().join(ending);
    let ends_without = hunk.final_newline.is_some_and(|newline| !newline.after);
    let lacks_final_newline = haystack.lines.last().is_some_and(|line| line.next == line.end);
    let replacement = match haystack.lines.get(line) {
        Some(line) => insert(line.start, format!("{text}{ending}")),
        None if hunk.extent == Extent::Text => insert(haystack.shown.len(), text),
        // A file without a final newline keeps having none.
        None if lacks_final_newline => insert(haystack.shown.len(), format!("{ending}{text}")),
        None if ends_without => insert(haystack.shown.len(), text),
        None => insert(haystack.shown.len(), format!("{text}{ending}")),
    };
    debug_assert!(hunk.count == Count::One);
    let place = line..line;
    Ok(Finding::Here(Located {
        rung: Rung::Exact,
        replacements: vec![replacement],
        lines: vec![place],
    }))
}

/// New lines that differ from a searched one keep what the file has in place of what they have in
/// common: quotes and dashes stay as the file spells them.
fn keep_spelling(
    haystack: &Haystack,
    run: &Run,
    old: &[&str],
    spans: &[Option<Range<usize>>],
    inserted: &mut [String],
) {
    if run.deleted.len() != inserted.len() {
        return;
    }
    for (&nth, new) in run.deleted.iter().zip(inserted) {
        let Some(span) = spans[nth].clone() else { continue };
        let (found, searched) = (&haystack.shown[span], old[nth]);
        if found == searched
            || folded_line(Fold::Indentation, found) != folded_line(Fold::Indentation, searched)
        {
            continue;
        }
        // The indentation is another rung's.
        let (indent, new_text) = new.split_at(indentation(new).len());
        let (found, searched) =
            (&found[indentation(found).len()..], &searched[indentation(searched).len()..]);
        let plain = |text| Folded::new(Fold::Unicode, text);
        let (found_plain, old_plain, new_plain) = (plain(found), plain(searched), plain(new_text));
        let (a, b): (Vec<char>, Vec<char>) =
            (old_plain.text.chars().collect(), new_plain.text.chars().collect());
        let byte_offsets = |text: &str| {
            text.char_indices().map(|(i, _)| i).chain([text.len()]).collect::<Vec<usize>>()
        };
        let (a_at, b_at) = (byte_offsets(&old_plain.text), byte_offsets(&new_plain.text));
        let mut spelled = indent.to_owned();
        for op in crate::text::line_diff::diff(&a, &b) {
            let (tag, from, to) = op.as_tag_tuple();
            let (source, plain, range) = match tag {
                DiffTag::Equal => (found, &found_plain, a_at[from.start]..a_at[from.end]),
                _ => (new_text, &new_plain, b_at[to.start]..b_at[to.end]),
            };
            let (Some(&start), Some(&end)) =
                (plain.offsets.get(range.start), plain.offsets.get(range.end))
            else {
                return;
            };
            spelled.push_str(&source[start..end]);
        }
        *new = spelled;
    }
}

/// A searched quote or dash of a word processor for which the file has none like it is a keyboard's
/// in new lines, too.
fn keep_to_keyboard(
    haystack: &Haystack,
    run: &Run,
    old: &[&str],
    spans: &[Option<Range<usize>>],
    inserted: &mut [String],
) {
    if inserted.iter().all(|line| line.is_ascii()) {
        return;
    }
    // The lines that go tell best; where none goes, all of them.
    let looked_at =
        || (0..old.len()).filter(|nth| run.deleted.is_empty() || run.deleted.contains(nth));
    let is_in_file = |c: char| {
        looked_at()
            .filter_map(|nth| spans[nth].clone())
            .any(|span| haystack.shown[span].contains(c))
    };
    let is_searched = |c: char| looked_at().any(|nth| old[nth].contains(c));
    for line in inserted {
        if !line.is_ascii() {
            let plain =
                |c: char| keyboard(c).filter(|_| is_searched(c) && !is_in_file(c)).unwrap_or(c);
            *line = line.chars().map(plain).collect();
        }
    }
}

/// The commas and semicolons at the end of a line.
fn line_end(line: &str) -> &str {
    let line = line.trim_end();
    &line[line.trim_end_matches([',', ';']).len()..]
}

/// A comma or semicolon that was set aside is the file's in the line that takes the place of the
/// searched one. Where none does, a list might lose the comma between two of its elements.
fn keep_line_ends(
    haystack: &Haystack,
    run: &Run,
    old: &[&str],
    spans: &[Option<Range<usize>>],
    inserted: &mut [String],
) -> Fit<()> {
    let ends = |nth: usize| {
        let found = &haystack.shown[spans[nth].clone()?];
        let (file, searched) = (line_end(found), line_end(old[nth]));
        (file != searched).then_some((found.trim(), file, searched))
    };
    if inserted.is_empty() {
        return Ok(());
    }
    let kept = run
        .before
        .and_then(ends)
        .filter(|(_, file, searched)| file.contains(',') || searched.contains(','));
    if let Some((line, ..)) = kept {
        return Err(Unfit::LineEnd { line: line.to_owned() });
    }
    if run.deleted.len() != inserted.len() {
        return match run.deleted.iter().find_map(|&nth| ends(nth)) {
            Some((line, ..)) => Err(Unfit::LineEnd { line: line.to_owned() }),
            None => Ok(()),
        };
    }
    for (&nth, new) in run.deleted.iter().zip(inserted) {
        let Some((_, file, searched)) = ends(nth) else { continue };
        let (len, end) = (new.trim_end().len(), line_end(new));
        let body = &new[..len - end.len()];
        if end == searched && !is_blank(body) && !body.ends_with(['{', '(', '[', ':']) {
            *new = format!("{body}{file}{}", &new[len..]);
        }
    }
    Ok(())
}

/// `\ No newline at end of file`, where the hunk reaches the end and says that it changes there.
fn set_final_newline(
    haystack: &Haystack,
    spans: &[Option<Range<usize>>],
    newline: FinalNewline,
    replacements: &mut Vec<Replacement>,
) {
    let len = haystack.shown.len();
    let Some(last) = haystack.lines.last() else { return };
    let reaches_end = spans.iter().flatten().any(|span| span.end == last.end);
    let has_newline = last.next > last.end;
    if !reaches_end || newline.before == newline.after || has_newline == newline.after {
        return;
    }
    let at = if has_newline { last.end } else { len };
    let new = if newline.after { "\n" } else { "" };
    match replacements.last_mut().filter(|replacement| replacement.range.end >= at) {
        Some(replacement) => {
            replacement.range.end = len;
            if newline.after {
                replacement.new.push('\n');
            } else if replacement.new.ends_with('\n') {
                replacement.new.pop();
            }
        }
        None => replacements.push(Replacement { range: at..len, new: new.to_owned() }),
    }
}
