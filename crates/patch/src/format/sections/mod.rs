//! Splits an answer into sections, each in one format: a diff here, a search/replace block there, a
//! whole new file elsewhere. Each is then read by its own format, with the prose above it.
//!
//! ```text
//! answer  = (prose | fence | section)*
//! section = a search/replace block, a Codex patch, a unified diff, JSON edits    in a fence or not
//!         | a context diff | a whole file                                        in a fence
//!         | a call of an edit tool as XML
//! ```
//!
//! A fence is one thing. If its first line, or the line below a file's name, begins an edit, it holds
//! edits. Otherwise it is a whole file if it has a file's name, and an illustration if it has none,
//! whatever formats occur in it. Its end is found first, and nothing in it edits another file. If its
//! end is unclear, the answer is refused.
//!
//! Edits by line number (`ed`, `rcs`, `normal`) have too few marks to be found between others: they
//! are read only where they are all there is.

mod fences;
#[cfg(test)]
mod tests;

use super::file_name::{self, CodeFence};
use super::patch::{Format, FormatError, quoted};
use super::traces::trace_at;
use super::{codex, json, search_replace, unified};
use std::borrow::Cow;
use std::cell::{Cell, OnceCell};
use std::ops::Range;

/// A stretch of a text that is in one format.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct TextSection {
    pub format: Format,
    /// Its lines, counted from 0, with the fence around them and without the prose above.
    pub lines: Range<usize>,
    /// Its text, with the prose around it, as its format is to read it.
    pub text: String,
    /// How many lines are above that text.
    pub n_above: usize,
    /// Whether it is indented or quoted, as examples are.
    pub is_quoted: bool,
}

/// A fence that holds no edit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Aside {
    /// Its lines, counted from 0, with the fence.
    pub lines: Range<usize>,
    /// The file that the prose above names.
    pub path: Option<String>,
}

/// The parts of an answer, each kind in the order of the answer.
#[derive(Debug, Default)]
pub(super) struct Split {
    pub sections: Vec<TextSection>,
    pub asides: Vec<Aside>,
    /// Lines outside of all sections that look like edits, counted from 0, and their formats.
    pub traces: Vec<(usize, Format)>,
}

/// Splits a text.
///
/// # Errors
/// [`FormatError::Malformed`] if it is unclear what belongs to which.
pub(super) fn split(text: &str) -> Result<Split, FormatError> {
    let lines: Vec<&str> = text.lines().collect();
    let mut starts: Vec<usize> = vec![0];
    for line in text.split_inclusive('\n') {
        starts.push(starts[starts.len() - 1] + line.len());
    }
    let mut splitter = Splitter {
        text,
        lines: &lines,
        starts,
        sections: Vec::new(),
        asides: Vec::new(),
        read: Vec::new(),
        rewritten: vec![None; lines.len()],
        fence: None,
        below: 0,
        n_tried: Cell::new(0),
        more: Vec::new(),
        n_unclosed: 0,
        last_trace: OnceCell::new(),
    };
    let mut line_idx = 0;
    while line_idx < lines.len() {
        line_idx = splitter.step(line_idx)?;
    }
    splitter.finish()
}

struct Splitter<'a, 'b> {
    text: &'a str,
    lines: &'b [&'a str],
    /// The offset of each line.
    starts: Vec<usize>,
    sections: Vec<TextSection>,
    asides: Vec<Aside>,
    /// The lines that sections read.
    read: Vec<Range<usize>>,
    /// Lines that a section reads in another form.
    rewritten: Vec<Option<String>>,
    /// The fence around the sections that are being read, and its line.
    fence: Option<(usize, CodeFence<'a>)>,
    /// The first line below the last section or fence.
    below: usize,
    /// How many braces in a row began no edit as JSON.
    n_tried: Cell<usize>,
    /// Lines that look like an edit beside one that was read.
    more: Vec<(usize, Format)>,
    /// How many fences nothing closes.
    n_unclosed: usize,
    /// The last line that looks like an edit.
    last_trace: OnceCell<Option<usize>>,
}

/// An edit that begins at a line.
struct Marked {
    format: Format,
    /// The first line below it.
    end: usize,
    /// Its lines, if it is to be read in another form.
    lines: Option<Vec<String>>,
    /// Its last line, if something else on that line looks like an edit.
    more: Option<usize>,
}

impl Marked {
    fn new(format: Format, end: usize) -> Marked {
        Marked {
            format,
            end,
            lines: None,
            more: None,
        }
    }
}

impl<'a> Splitter<'a, '_> {
    /// Reads what is at a line. Returns the first line below it.
    fn step(&mut self, line_idx: usize) -> Result<usize, FormatError> {
        let line = self.lines[line_idx];
        if let Some(fence) = file_name::fence(line) {
            return match self.fence {
                Some((opening, outer)) if closes(fence, outer) => {
                    if let Some(last) = self.sections.last_mut()
                        && last.lines.end > opening
                    {
                        last.lines.end = line_idx + 1;
                    }
                    self.fence = None;
                    self.below = line_idx + 1;
                    Ok(self.below)
                }
                Some(_) => Ok(line_idx + 1),
                None => self.open(line_idx, fence),
            };
        }
        let Some(marked) = self.marked(line_idx) else {
            return Ok(line_idx + 1);
        };

        // The first edit in a fence begins with the fence.
        let start = match self.fence {
            Some((opening, _)) if opening >= self.below => opening,
            _ => line_idx,
        };
        if let Some(line_idx) = marked.more {
            self.more.push((line_idx, Format::Json));
        }
        for (n_above, line) in marked.lines.into_iter().flatten().enumerate() {
            self.rewritten[line_idx + n_above] = Some(line);
        }
        let is_quoted = self.fence.is_none()
            && (line.starts_with("    ") || line.starts_with('\t') || line.starts_with('>'));
        self.push(TextSection {
            format: marked.format,
            lines: start..marked.end,
            text: String::new(),
            n_above: 0,
            is_quoted,
        });
        Ok(marked.end)
    }

    /// The edit that begins at a line that is no fence.
    fn marked(&self, line_idx: usize) -> Option<Marked> {
        let lines = self.lines;
        if let Some(frame) = codex::frame_at(lines, line_idx) {
            let mut marked = Marked::new(Format::Codex, frame.end);
            marked.lines = Some(frame.lines);
            return Some(marked);
        }
        if let Some(end) = search_replace::end_at(lines, line_idx) {
            return Some(Marked::new(Format::SearchReplace, end));
        }
        if unified::begins(lines, line_idx) && file_name::fence(lines[line_idx]).is_none() {
            let end = unified::end(lines, line_idx);
            return Some(Marked::new(Format::Unified, end));
        }
        self.object(line_idx)
    }

    /// The edits as JSON, or the call as XML, that begin at a line.
    fn object(&self, line_idx: usize) -> Option<Marked> {
        // Each try reads to the object's end, so text with very many braces (code) is given up.
        const MOST_TRIED: usize = 200;
        let line = self.lines[line_idx];
        if !line.contains(['{', '<', '[']) || self.n_tried.get() == MOST_TRIED {
            return None;
        }
        let start = self.starts[line_idx];
        let Some(run) = json::run_at(&self.text[start..]) else {
            self.n_tried.set(self.n_tried.get() + 1);
            return None;
        };
        self.n_tried.set(0);

        let end = start + run.n_bytes;
        let end_idx = self.starts.partition_point(|line_start| *line_start < end);
        let mut rewritten = vec![String::new(); end_idx - line_idx];
        for (own, line) in rewritten.iter_mut().zip(run.objects.lines()) {
            line.clone_into(own);
        }
        let mut marked = Marked::new(Format::Json, end_idx);
        marked.lines = Some(rewritten);
        let rest = self.text[end..].lines().next().unwrap_or_default();
        if trace_at(&[rest], 0).is_some() {
            marked.more = Some(end_idx - 1);
        }
        Some(marked)
    }

    /// Adds a section. Sections of one format that follow each other are one, as a block may be for
    /// the file of the block before it; a Codex patch is always one of its own.
    fn push(&mut self, section: TextSection) {
        self.below = section.lines.end;
        self.read.push(section.lines.clone());
        match self.sections.last_mut() {
            Some(last)
                if last.format == section.format
                    && last.format != Format::Codex
                    && last.is_quoted == section.is_quoted =>
            {
                last.lines.end = section.lines.end;
            }
            _ => self.sections.push(section),
        }
    }

    /// Gives each section its text.
    fn finish(mut self) -> Result<Split, FormatError> {
        // Beside a plain edit, one that is indented or quoted may be an example.
        let mut is_example = vec![false; self.lines.len()];
        if self.sections.iter().any(|section| !section.is_quoted) {
            self.sections.retain(|section| {
                if section.is_quoted {
                    let end = section.lines.end.min(self.lines.len());
                    is_example[section.lines.start..end].fill(true);
                    self.more.push((section.lines.start, section.format));
                }
                !section.is_quoted
            });
        }

        let asides = self.asides.iter().map(|aside| &aside.lines);
        let is_aside = marked_lines(self.lines.len(), asides);
        for idx in 0..self.sections.len() {
            let section = &self.sections[idx];
            let n_above = idx
                .checked_sub(1)
                .map_or(0, |above| self.sections[above].lines.end);
            // Nothing may follow a Codex patch. In other formats, a line below may show that one was
            // cut off or lost its mark.
            let end = match self.sections.get(idx + 1) {
                _ if section.format == Format::Codex => section.lines.end,
                Some(below) => below.lines.start,
                None => self.lines.len(),
            };
            // Other fences tell where a file ends. In other formats, what is in them is no edit.
            let reads_asides = section.format == Format::WholeFile;
            let mut text = String::new();
            for line_idx in n_above..end {
                if is_example[line_idx] || (!reads_asides && is_aside[line_idx]) {
                    text.push('\n');
                } else {
                    text += &self.line_to_read(line_idx);
                }
            }
            self.sections[idx].text = text;
            self.sections[idx].n_above = n_above;
        }
        let traces = self.traces(&is_aside)?;
        Ok(Split {
            sections: self.sections,
            asides: self.asides,
            traces,
        })
    }

    /// A line with its ending, in the form in which its section reads it.
    fn line_to_read(&self, line_idx: usize) -> Cow<'a, str> {
        match &self.rewritten[line_idx] {
            Some(line) => Cow::Owned(format!("{line}\n")),
            None => Cow::Borrowed(&self.text[self.starts[line_idx]..self.starts[line_idx + 1]]),
        }
    }

    /// What looks like an edit outside of the sections: the first line of each format.
    ///
    /// # Errors
    /// A line of a Codex patch outside of one: some operations of it were read, or none.
    fn traces(&self, is_aside: &[bool]) -> Result<Vec<(usize, Format)>, FormatError> {
        let mut traces = self.more.clone();
        let is_read = marked_lines(self.lines.len(), self.read.iter());
        for line_idx in 0..self.lines.len() {
            if is_read[line_idx] {
                continue;
            }
            let Some(format) = trace_at(self.lines, line_idx) else {
                continue;
            };
            if format == Format::Codex && !is_aside[line_idx] {
                let message = format!(
                    "found {} outside of a patch; put it between `*** Begin Patch` and `*** End \
                     Patch`, each alone on its line",
                    quoted(self.lines[line_idx].trim())
                );
                return Err(FormatError::at(line_idx + 1, message));
            }
            if !traces.iter().any(|(_, other)| *other == format) {
                traces.push((line_idx, format));
            }
        }
        Ok(traces)
    }
}

/// Which of some lines are in any of the ranges.
fn marked_lines<'r>(n_lines: usize, ranges: impl Iterator<Item = &'r Range<usize>>) -> Vec<bool> {
    let mut is_in = vec![false; n_lines];
    for range in ranges {
        is_in[range.start..range.end.min(n_lines)].fill(true);
    }
    is_in
}

fn closes(fence: CodeFence, outer: CodeFence) -> bool {
    fence.mark == outer.mark && fence.length >= outer.length && fence.info.is_empty()
}
