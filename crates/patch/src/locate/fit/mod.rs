//! Turns a hunk and its place into replacements: the other half of every rung of the ladder.
//!
//! Lines that stay keep their bytes, with their whitespace, quotes and line endings. Only the text
//! between them is replaced. Every deleted line of the file was searched, or is blank. New lines
//! differ in indentation from the searched lines as the file does.

mod exchange;
mod indents;
mod runs;
mod spelling;
mod unfit;
mod without_context;

pub use unfit::Unfit;
pub(super) use without_context::insertion_without_context;

use super::fold::{indentation, is_blank};
use super::found::{Place, Rung};
use super::haystack::Haystack;
use crate::edit::{Replacement, keep_continued_lines, opens_block, without_blank_lines};
use crate::hunk::{FinalNewline, Hunk, Tag};
use indents::{Indents, Tie};
use runs::{ChangedRun, runs};
use std::ops::Range;
use unfit::Fit;

/// A hunk at one of its places.
pub(super) struct PlacedHunk<'a, 't> {
    haystack: &'a Haystack<'t>,
    hunk: &'a Hunk,
    place: &'a Place,
    /// The searched lines.
    old: Vec<&'a str>,
    /// The byte range of each of them in the file; `None` for a blank line that the file lacks.
    spans: Vec<Option<Range<usize>>>,
}

impl<'a, 't> PlacedHunk<'a, 't> {
    pub fn new(haystack: &'a Haystack<'t>, hunk: &'a Hunk, place: &'a Place) -> Self {
        PlacedHunk {
            haystack,
            hunk,
            place,
            old: hunk.old().collect(),
            spans: place.spans(haystack, hunk),
        }
    }

    /// Whether the indentation of the place differs from the searched one by the same shift in all
    /// lines, or only in the first line.
    pub fn is_shifted(&self) -> bool {
        let indents = Indents::of(self.haystack, &self.indent_pairs());
        !matches!(indents, None | Some(Indents::Respelled(_)))
    }

    /// Whether the place is indented exactly as wide as the searched lines, if a tab of theirs is
    /// one step of a file that is indented with spaces. How wide a tab of the file is, nothing says.
    pub fn is_as_wide(&self) -> bool {
        let style = self.haystack.style();
        self.indent_pairs().into_iter().all(|(searched, file)| {
            searched == file || (!file.contains('\t') && style.columns(searched) == file.len())
        })
    }

    /// Whether new lines can be indented at this place. The indentation equals the searched one or
    /// differs regularly, or new lines only replace others.
    pub fn is_regular(&self) -> bool {
        self.indents_of_lines().is_some()
    }

    /// The replacements at the place. `rung`: how it was found.
    pub fn replacements(&self, rung: Rung) -> Fit<Vec<Replacement>> {
        self.refuse_guesses(rung)?;
        let indents = self.indents()?;
        let mut replacements = Vec::new();
        for run in self.runs() {
            let mut inserted = self.inserted(&run, &indents)?;
            if rung >= Rung::Unicode {
                self.keep_spelling(&run, &mut inserted)?;
                self.keep_to_keyboard(&run, &mut inserted);
            }
            if rung == Rung::Fuzzy {
                self.keep_line_ends(&run, &mut inserted)?;
            }
            replacements.extend(self.exchange(&run, inserted, &indents)?);
        }

        if let Some(newline) = self.hunk.final_newline {
            self.set_final_newline(newline, &mut replacements);
        }
        if !self.haystack.keeps_whitespace {
            for Replacement { range, new } in &mut replacements {
                *new = without_blank_lines(self.haystack.shown, range, new);
            }
        }
        Ok(keep_continued_lines(self.haystack.shown, replacements))
    }

    /// Refuses changes whose place among left-out lines is unknown.
    fn refuse_guesses(&self, rung: Rung) -> Fit<()> {
        let mut lines = self.hunk.lines.iter();
        let changes_text = lines.any(|line| line.tag != Tag::Keep && !is_blank(&line.text));
        if matches!(rung, Rung::BlankLines | Rung::Fuzzy) && !changes_text {
            return Err(Unfit::BlankLines);
        }
        if rung != Rung::Fuzzy {
            return Ok(());
        }

        // If the searched text leaves lines out, it is unknown which of two equal lines stays. And a
        // line that moves may pass them, as a setting does that gets into another section.
        let deleted = self.texts(Tag::Delete);
        let kept = self.texts(Tag::Keep);
        let inserted = self.texts(Tag::Insert);
        let stays = deleted.iter().any(|text| kept.contains(text));
        let moves = deleted
            .iter()
            .any(|text| !text.is_empty() && inserted.contains(text));
        if stays || (moves && self.leaves_out_lines()) {
            return Err(Unfit::Unmentioned {
                lines: self.place.lines(self.haystack, self.hunk),
            });
        }
        Ok(())
    }

    /// The hunk's lines of one kind, without the whitespace around them.
    fn texts(&self, tag: Tag) -> Vec<&str> {
        let lines = self.hunk.lines.iter().filter(|line| line.tag == tag);
        lines.map(|line| line.text.trim()).collect()
    }

    /// Whether the file has lines between the searched ones that are not blank.
    fn leaves_out_lines(&self) -> bool {
        let n_searched = self.old.iter().filter(|line| !is_blank(line)).count();
        let lines = self.place.lines(self.haystack, self.hunk);
        lines.filter(|&i| !self.haystack.is_blank(i)).count() > n_searched
    }

    fn runs(&self) -> Vec<ChangedRun<'a>> {
        runs(self.hunk, &self.spans)
    }

    /// The file's text in place of a searched line.
    fn found(&self, nth: usize) -> Option<&'t str> {
        self.spans[nth]
            .clone()
            .map(|span| &self.haystack.shown[span])
    }

    /// The new lines of a run, indented as the file is.
    fn inserted(&self, run: &ChangedRun, indents: &Indents) -> Fit<Vec<String>> {
        let is_line_for_line = run.deleted.len() == run.inserted.len();
        let mut inserted = Vec::with_capacity(run.inserted.len());
        for (i, line) in run.inserted.iter().enumerate() {
            let is_first = run.before.is_none() && i == 0;
            let replaced = run.deleted.get(i).filter(|_| is_line_for_line);
            let depths = replaced.and_then(|&nth| {
                let found = self.found(nth)?;
                Some((indentation(self.old[nth]), indentation(found)))
            });
            let fitted = indents.fitted(line, is_first, depths);
            inserted.push(fitted.ok_or_else(|| unfit_indentation(line))?);
        }
        Ok(inserted)
    }

    /// The indentation of each non-blank searched line, and the file's indentation there.
    fn indent_pairs(&self) -> Vec<(&str, &str)> {
        let mut pairs = Vec::with_capacity(self.old.len());
        for (nth, line) in self.old.iter().enumerate() {
            if let Some(found) = self.found(nth)
                && !is_blank(line)
            {
                pairs.push((indentation(line), indentation(found)));
            }
        }
        pairs
    }

    /// How the file's lines are indented; `None` if it is unknown how new lines are to be.
    fn indents_of_lines(&self) -> Option<Indents> {
        let pairs = self.indent_pairs();
        let regular = Indents::of(self.haystack, &pairs);
        // An irregular indentation means another structure, while no indentation at all means that
        // the text lost it.
        let is_flat = pairs.windows(2).all(|two| two[0].0 == two[1].0);
        if regular.is_none() && is_flat && self.runs().iter().all(|run| run.keeps_depths(&self.old))
        {
            return Some(Indents::LineForLine);
        }
        regular
    }

    /// How new lines are to be indented.
    fn indents(&self) -> Fit<Indents> {
        if let Place::Text(range) = self.place {
            return Ok(self.after_indentation(range).unwrap_or(Indents::Same));
        }
        let new_depths: Vec<&str> = self
            .hunk
            .lines
            .iter()
            .filter(|line| line.tag == Tag::Insert && !is_blank(&line.text))
            .map(|line| indentation(&line.text))
            .collect();
        let indents = self.indents_of_lines();
        let fitted = indents
            .clone()
            .and_then(|indents| indents.for_new_lines(&new_depths, self.tie()));

        // New lines that are as deep as one of the searched lines were not surely written with the
        // file in view.
        let shallowest = new_depths.iter().min_by_key(|indent| indent.len());
        let is_searched = self
            .old
            .iter()
            .any(|line| !is_blank(line) && Some(&indentation(line)) == shallowest);
        let is_unsure = matches!(indents, Some(Indents::Deeper { .. }))
            && fitted == Some(Indents::Same)
            && is_searched;
        fitted
            .filter(|_| !is_unsure)
            .ok_or_else(|| unfit_indentation(self.hunk.new().next().unwrap_or_default()))
    }

    /// The searched lines that tie new lines to their indentation.
    fn tie(&self) -> Tie {
        let mut lines = self.hunk.lines.iter();
        let kept = lines.find(|line| line.tag == Tag::Keep && !is_blank(&line.text));
        let n_searched = self.old.iter().filter(|line| !is_blank(line)).count();
        match kept {
            None => Tie::None,
            Some(_) if n_searched > 1 => Tie::Several,
            // A single kept line may have lost its indentation while the new lines kept theirs. Then
            // the new lines decide, unless it opens a block.
            Some(only) if opens_block(&only.text) => Tie::OneOpening,
            Some(_) => Tie::One,
        }
    }

    /// For a text that begins at the first letter of an indented line. Its other lines are indented
    /// either as in the file, or as if the first line had no indentation.
    fn after_indentation(&self, range: &Range<usize>) -> Option<Indents> {
        let haystack = self.haystack;
        let line = haystack.lines.get(haystack.line_at(range.start))?;
        let indent = haystack
            .shown
            .get(line.start..range.start)
            .filter(|indent| !indent.is_empty() && is_blank(indent))?;
        let last = haystack.lines[haystack.line_at(range.end.max(range.start + 1) - 1)];
        let ends_line = is_blank(&haystack.shown[range.end.min(last.end)..last.end]);
        let first = self.old.first().copied().unwrap_or_default();
        if !ends_line || is_blank(first) || first.starts_with([' ', '\t']) {
            return None;
        }

        let searched_more = self.old[1..].iter().any(|line| !is_blank(line));
        let is_as_deep = self
            .hunk
            .new()
            .skip(1)
            .all(|line| is_blank(line) || line.starts_with(indent));
        Some(Indents::After {
            indent: indent.to_owned(),
            is_dedented: !searched_more && !is_as_deep,
        })
    }

    /// Applies `\ No newline at end of file`, if the hunk reaches the end and changes the newline
    /// there.
    fn set_final_newline(&self, newline: FinalNewline, replacements: &mut Vec<Replacement>) {
        let len = self.haystack.shown.len();
        let Some(last) = self.haystack.lines.last() else {
            return;
        };
        let reaches_end = self.spans.iter().flatten().any(|span| span.end == last.end);
        let has_newline = last.next > last.end;
        if !reaches_end || newline.before == newline.after || has_newline == newline.after {
            return;
        }

        let at = if has_newline { last.end } else { len };
        let at_end = replacements.last_mut().filter(|last| last.range.end >= at);
        if let Some(replacement) = at_end {
            replacement.range.end = len;
            if newline.after {
                replacement.new.push('\n');
            } else if replacement.new.ends_with('\n') {
                replacement.new.pop();
            }
        } else {
            let new = if newline.after { "\n" } else { "" };
            replacements.push(Replacement {
                range: at..len,
                new: new.to_owned(),
            });
        }
    }
}

fn unfit_indentation(line: &str) -> Unfit {
    Unfit::Indentation {
        line: line.trim().to_owned(),
    }
}
