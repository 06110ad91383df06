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

use super::patch::{Format, FormatError, quoted};
use super::traces::trace_at;
use super::{codex, context, file_name, json, search_replace, unified, whole_file};
use file_name::Fence;
use std::borrow::Cow;
use std::cell::{Cell, OnceCell};
use std::ops::Range;
use whole_file::Holds;

/// A stretch of a text that is in one format.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Section {
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

/// The parts of an answer.
#[derive(Debug, Default)]
pub(super) struct Split {
    /// In the order of the answer.
    pub sections: Vec<Section>,
    /// In the order of the answer.
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
    starts.extend(text.split_inclusive('\n').scan(0, |end, line| {
        *end += line.len();
        Some(*end)
    }));
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
        quoted: Vec::new(),
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
    sections: Vec<Section>,
    asides: Vec<Aside>,
    /// The lines that sections read.
    read: Vec<Range<usize>>,
    /// Lines that a section reads in another form.
    rewritten: Vec<Option<String>>,
    /// The fence around the sections that are being read, and its line.
    fence: Option<(usize, Fence<'a>)>,
    /// The first line below the last section or fence.
    below: usize,
    /// How many braces in a row began no edit as JSON.
    n_tried: Cell<usize>,
    /// Lines that look like an edit beside one that was read.
    more: Vec<(usize, Format)>,
    /// Lines of edits that may be examples.
    quoted: Vec<Range<usize>>,
    /// How many fences nothing closes.
    n_unclosed: usize,
    /// The last line that looks like an edit.
    last_trace: OnceCell<Option<usize>>,
}

/// What begins at a line.
struct Marked {
    format: Format,
    /// The first line below it.
    end: usize,
    /// Its lines, where it is to be read in another form.
    lines: Option<Vec<String>>,
    /// Its last line, if something else on that line looks like an edit.
    more: Option<usize>,
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
        let is_first_in = |(opening, _): &(usize, Fence)| *opening >= self.below;
        let start = self
            .fence
            .filter(is_first_in)
            .map_or(line_idx, |(opening, _)| opening);
        self.more
            .extend(marked.more.map(|line_idx| (line_idx, Format::Json)));
        for (n_above, line) in marked.lines.into_iter().flatten().enumerate() {
            self.rewritten[line_idx + n_above] = Some(line);
        }
        let is_quoted = self.fence.is_none()
            && ["    ", "\t", ">"]
                .iter()
                .any(|mark| line.starts_with(mark));
        self.push_quoted(marked.format, start..marked.end, is_quoted);
        Ok(marked.end)
    }

    /// Reads a fence, or goes into it if it holds edits.
    fn open(&mut self, line_idx: usize, fence: Fence<'a>) -> Result<usize, FormatError> {
        if unified::begins(self.lines, line_idx) {
            self.fence = Some((line_idx, fence));
            let end = unified::end(self.lines, line_idx);
            self.push(Format::Unified, line_idx..end);
            return Ok(end);
        }
        if self.holds_edits(line_idx, fence) {
            self.fence = Some((line_idx, fence));
            return Ok(line_idx + 1);
        }

        let above = &self.lines[self.below..line_idx];
        let holds = whole_file::held(above, fence);
        let Some(close) = whole_file::closing_line(self.lines, line_idx) else {
            return self.unclosed(line_idx, holds != Holds::Unnamed);
        };
        let end = close + 1;
        // Some models put the name of the next block into a fence of its own.
        let mut content = self.lines[line_idx + 1..close]
            .iter()
            .filter(|line| !line.trim().is_empty());
        let first = content.next();
        if content.next().is_none() && first.is_some_and(|line| file_name::on_line(line).is_some())
        {
            return Ok(end);
        }
        self.refuse_unclear_end(line_idx, close, fence)?;
        if holds == Holds::File {
            self.refuse_block_in_code(line_idx, close, fence)?;
        }
        let content = self.lines[line_idx + 1..close].join("\n");
        match holds {
            _ if context::begins(&content) => self.push(Format::Context, line_idx..end),
            Holds::File => self.push(Format::WholeFile, line_idx..end),
            Holds::Mentioned(path) => {
                self.asides.push(Aside {
                    lines: line_idx..end,
                    path: Some(path.to_owned()),
                });
            }
            Holds::Unnamed => self.asides.push(Aside {
                lines: line_idx..end,
                path: None,
            }),
        }
        self.below = end;
        Ok(end)
    }

    /// Whether a fence holds edits: its first line, or the one below a file's name, begins one. A
    /// command of a shell may come before a Codex patch.
    fn holds_edits(&self, line_idx: usize, fence: Fence) -> bool {
        let is_blank = |line_idx: &usize| self.lines[*line_idx].trim().is_empty();
        let mut inner = (line_idx + 1..self.lines.len()).skip_while(is_blank);
        let first = inner.next();
        let is_name = first.is_some_and(|first| {
            let line = self.lines[first];
            file_name::fence(line).is_none() && file_name::on_line(line).is_some()
        });
        let below_name = if is_name { inner.next() } else { None };
        // A file of that format is no edit, even if it looks like one.
        let above = &self.lines[self.below..line_idx];
        let is_file = |format: Format| match format {
            Format::Json => whole_file::is_json(above, fence),
            Format::Codex => whole_file::is_script(above, fence),
            _ => false,
        };
        let mut marked = first
            .into_iter()
            .chain(below_name)
            .filter_map(|first| self.marked(first));
        if marked.any(|marked| !is_file(marked.format)) {
            return true;
        }
        let is_shell = !whole_file::is_script(above, fence)
            && matches!(fence.info, "sh" | "bash" | "zsh" | "shell" | "console");
        let close = whole_file::closing_line(self.lines, line_idx).unwrap_or(line_idx);
        is_shell && (line_idx..close).any(|idx| codex::frame_at(self.lines, idx).is_some())
    }

    /// Reads a fence that nothing closes. With a name it is a file that was cut off, which is refused
    /// when it is read.
    fn unclosed(&mut self, line_idx: usize, is_named: bool) -> Result<usize, FormatError> {
        // Each try reads to the end of the text.
        const MOST_UNCLOSED: usize = 50;
        let end = self.lines.len();
        self.n_unclosed += 1;
        if self.n_unclosed > MOST_UNCLOSED {
            return Err(FormatError::at(
                line_idx + 1,
                "too many fences are not closed",
            ));
        }
        let has_trace = self.has_trace_below(line_idx);
        if is_named && !has_trace {
            self.push(Format::WholeFile, line_idx..end);
            return Ok(end);
        }
        if has_trace {
            let message = "the fence that opens here is not closed, so that it is unclear what is in \
                           it; close it, or put a longer fence around it";
            return Err(FormatError::at(line_idx + 1, message));
        }
        Ok(line_idx + 1)
    }

    /// Refuses a block in the code of a file, unless the fence is longer than it need be: it may be
    /// an edit of that file below a line that is none.
    fn refuse_block_in_code(
        &self,
        line_idx: usize,
        close: usize,
        fence: Fence,
    ) -> Result<(), FormatError> {
        let above = &self.lines[self.below..line_idx];
        if fence.length > 3 || fence.mark != '`' || whole_file::holds_prose(above, fence) {
            return Ok(());
        }
        let mut idx = line_idx + 1;
        while idx < close {
            // A fence in it is content of its own.
            let inner = file_name::fence(self.lines[idx])
                .and_then(|_| whole_file::closing_line(self.lines, idx));
            if let Some(inner) = inner.filter(|inner| *inner < close) {
                idx = inner + 1;
                continue;
            }
            if search_replace::opens(self.lines[idx]) {
                let message = "it is unclear whether this block is text of the file whose fence it is \
                               in, or an edit; put the block first, or a longer fence around the file";
                return Err(FormatError::at(idx + 1, message));
            }
            idx += 1;
        }
        Ok(())
    }

    /// Refuses a fence whose end may be the beginning of a fence in it: text follows at once, and
    /// then another bare fence. What looks like an edit below may be text of the file.
    fn refuse_unclear_end(
        &self,
        line_idx: usize,
        close: usize,
        outer: Fence,
    ) -> Result<(), FormatError> {
        let below = &self.lines[close + 1..];
        // The name of the next fence may stand there.
        let is_name = below
            .first()
            .is_some_and(|line| file_name::on_line(line).is_some());
        let is_followed = below
            .get(usize::from(is_name))
            .is_some_and(|line| !line.trim().is_empty() && file_name::fence(line).is_none());
        let next = below.iter().find_map(|line| file_name::fence(line));
        let is_bare = next.is_some_and(|next| closes(next, outer));
        if !(is_followed && is_bare && self.has_trace_below(close)) {
            return Ok(());
        }
        let message = format!(
            "it is unclear whether this fence ends the one of line {}; put a longer fence around \
             that one",
            line_idx + 1
        );
        Err(FormatError::at(close + 1, message))
    }

    fn has_trace_below(&self, line_idx: usize) -> bool {
        let last = self.last_trace.get_or_init(|| {
            (0..self.lines.len()).rfind(|idx| trace_at(self.lines, *idx).is_some())
        });
        last.is_some_and(|last| last > line_idx)
    }

    /// What begins at a line outside of fences, if it is an edit.
    fn marked(&self, line_idx: usize) -> Option<Marked> {
        let lines = self.lines;
        if let Some(frame) = codex::frame_at(lines, line_idx) {
            let lines = Some(frame.lines);
            return Some(Marked {
                format: Format::Codex,
                end: frame.end,
                lines,
                more: None,
            });
        }
        if let Some(end) = search_replace::end_at(lines, line_idx) {
            return Some(Marked {
                format: Format::SearchReplace,
                end,
                lines: None,
                more: None,
            });
        }
        if unified::begins(lines, line_idx) && file_name::fence(lines[line_idx]).is_none() {
            let end = unified::end(lines, line_idx);
            return Some(Marked {
                format: Format::Unified,
                end,
                lines: None,
                more: None,
            });
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
        let run = json::run_at(&self.text[start..]);
        self.n_tried.set(if run.is_some() {
            0
        } else {
            self.n_tried.get() + 1
        });

        let json::Run { n_bytes, objects } = run?;
        let end = self
            .starts
            .partition_point(|line_start| *line_start < start + n_bytes);
        let mut rewritten = vec![String::new(); end - line_idx];
        rewritten
            .iter_mut()
            .zip(objects.lines())
            .for_each(|(own, line)| line.clone_into(own));
        let rest = self.text[start + n_bytes..]
            .lines()
            .next()
            .unwrap_or_default();
        let more = trace_at(&[rest], 0).map(|_| end - 1);
        Some(Marked {
            format: Format::Json,
            end,
            lines: Some(rewritten),
            more,
        })
    }

    /// Adds a section. Sections of one format that follow each other are one, as a block may be for
    /// the file of the block before it; a Codex patch is always one of its own.
    fn push(&mut self, format: Format, lines: Range<usize>) {
        self.push_quoted(format, lines, false);
    }

    fn push_quoted(&mut self, format: Format, lines: Range<usize>, is_quoted: bool) {
        self.below = lines.end;
        self.read.push(lines.clone());
        match self.sections.last_mut() {
            Some(last)
                if last.format == format
                    && format != Format::Codex
                    && last.is_quoted == is_quoted =>
            {
                last.lines.end = lines.end;
            }
            _ => {
                let (text, n_above) = (String::new(), 0);
                self.sections.push(Section {
                    format,
                    lines,
                    text,
                    n_above,
                    is_quoted,
                });
            }
        }
    }

    /// Gives each section its text.
    fn finish(mut self) -> Result<Split, FormatError> {
        // Beside a plain edit, one that is indented or quoted may be an example.
        if self.sections.iter().any(|section| !section.is_quoted) {
            let quoted = self.sections.iter().filter(|section| section.is_quoted);
            self.quoted = quoted
                .clone()
                .map(|section| section.lines.clone())
                .collect();
            self.more
                .extend(quoted.map(|section| (section.lines.start, section.format)));
            self.sections.retain(|section| !section.is_quoted);
        }
        let is_aside = marked_lines(
            self.lines.len(),
            self.asides.iter().map(|aside| &aside.lines),
        );
        let is_quoted = marked_lines(self.lines.len(), self.quoted.iter());
        for idx in 0..self.sections.len() {
            let n_above = idx
                .checked_sub(1)
                .map_or(0, |above| self.sections[above].lines.end);
            // Nothing may follow a Codex patch. In other formats, a line below may show that one was
            // cut off or lost its mark.
            let end = match self.sections.get(idx + 1) {
                _ if self.sections[idx].format == Format::Codex => self.sections[idx].lines.end,
                Some(below) => below.lines.start,
                None => self.lines.len(),
            };
            // Other fences tell where a file ends. In other formats, what is in them is no edit.
            let is_whole = self.sections[idx].format == Format::WholeFile;
            let lines = (n_above..end).map(|line_idx| {
                if is_quoted[line_idx] || (!is_whole && is_aside[line_idx]) {
                    return Cow::Borrowed("\n");
                }
                let own = &self.text[self.starts[line_idx]..self.starts[line_idx + 1]];
                match &self.rewritten[line_idx] {
                    Some(line) => Cow::Owned(format!("{line}\n")),
                    None => Cow::Borrowed(own),
                }
            });
            self.sections[idx].text = lines.collect();
            self.sections[idx].n_above = n_above;
        }
        let traces = self.traces(&is_aside)?;
        Ok(Split {
            sections: self.sections,
            asides: self.asides,
            traces,
        })
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

fn closes(fence: Fence, outer: Fence) -> bool {
    fence.mark == outer.mark && fence.length >= outer.length && fence.info.is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::testing::junk;
    use proptest::prelude::*;

    /// The names of the formats, each with the first and the last line of its section, counted from
    /// 1; `None` if it is unclear.
    fn shown(text: &str) -> Option<Vec<String>> {
        let shown = |Section { format, lines, .. }: &Section| {
            format!("{} {}-{}", format.name(), lines.start + 1, lines.end)
        };
        Some(split(text).ok()?.sections.iter().map(shown).collect())
    }

    #[track_caller]
    fn check(text: &str, expected: &[&str]) {
        assert_eq!(
            shown(text),
            Some(expected.iter().map(|&s| s.to_owned()).collect()),
            "{text}"
        );
    }

    const BLOCK: &str = "<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n";
    const DIFF: &str = "--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n-a\n+b\n c\n";
    const CODEX: &str = "*** Begin Patch\n*** Delete File: x\n*** End Patch\n";
    const JSON: &str = "{\"path\": \"x\",\n \"old_string\": \"a\", \"new_string\": \"b\"}\n";

    #[test]
    fn each_has_its_lines_and_the_fence_around_them() {
        for (text, name, n_lines) in [
            (BLOCK, "search-replace", 5),
            (DIFF, "unified", 6),
            (CODEX, "codex", 3),
            (JSON, "json", 2),
        ] {
            check(text, &[&format!("{name} 1-{n_lines}")]);
            let fenced = format!("So:\n\n```\n{text}```\nThen:\n");
            check(&fenced, &[&format!("{name} 3-{}", n_lines + 4)]);
            let named = format!("```python\na.py\n{text}```\n");
            check(&named, &[&format!("{name} 1-{}", n_lines + 3)]);
        }
        check("a.py\n```\nx\n```\n", &["whole-file 2-4"]);
        check("```diff\n-a\n+b\n```\n", &["unified 1-4"]);
        check(
            "```\n*** x\n--- x\n***************\n*** 1 ****\n! a\n--- 1 ----\n! b\n```\n",
            &["context 1-9"],
        );
        check("```\nx\n```\nSee a.py.\n", &[]);
    }

    #[test]
    fn one_after_the_other() {
        let text = format!(
            "a.py\n```\n{BLOCK}```\nAnd the diff:\n{DIFF}\nb.py\n```\nx\n```\n{CODEX}{JSON}"
        );
        check(
            &text,
            &[
                "search-replace 2-8",
                "unified 10-15",
                "whole-file 18-20",
                "codex 21-23",
                "json 24-25",
            ],
        );
        check(&format!("{BLOCK}and\n{BLOCK}"), &["search-replace 1-11"]);
        let fenced = format!("```\n{BLOCK}```\n");
        check(
            &format!("{fenced}and\n{fenced}a.py\n```\nx\n```\n"),
            &["search-replace 1-15", "whole-file 17-19"],
        );
        check(&format!("{CODEX}and\n{CODEX}"), &["codex 1-3", "codex 5-7"]);
        check(
            &format!("```\n{BLOCK}{BLOCK}```\n{DIFF}"),
            &["search-replace 1-12", "unified 13-18"],
        );
        check(
            &format!("```\n{BLOCK}{DIFF}```\n"),
            &["search-replace 1-6", "unified 7-13"],
        );
    }

    #[test]
    fn marks_in_the_content_of_a_section_begin_none() {
        let in_a_diff = "--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n <<<<<<< SEARCH\n-a\n+b\n";
        check(in_a_diff, &["unified 1-6"]);
        let in_a_block = format!("<<<<<<< SEARCH\n{DIFF}```\n=======\nb\n>>>>>>> REPLACE\n");
        check(&in_a_block, &["search-replace 1-11"]);
        let in_a_codex_patch =
            "*** Begin Patch\n*** Add File: x\n+<<<<<<< SEARCH\n+*** End Patch\n*** End Patch\n";
        check(in_a_codex_patch, &["codex 1-5"]);
    }

    #[test]
    fn what_stands_in_a_fence_is_no_edit() {
        for (fence, info) in [("````", "markdown"), ("~~~", ""), ("```", "md")] {
            for inner in [BLOCK, DIFF, CODEX, JSON] {
                let page =
                    format!("{fence}{info}\n# Page\n\n```diff\n{inner}```\n\nEnd.\n{fence}\n");
                let n_lines = page.lines().count();
                check(
                    &format!("a.md\n{page}"),
                    &[&format!("whole-file 2-{}", n_lines + 1)],
                );
                check(&page, &[]);
                check(
                    &format!("{page}\n{DIFF}"),
                    &[&format!("unified {}-{}", n_lines + 2, n_lines + 7)],
                );
            }
        }
        check(&format!("a.txt\n```\nx\n{DIFF}```\n"), &["whole-file 2-10"]);
        check(
            &format!("a.json\n```json\n{JSON}```\n"),
            &["whole-file 2-5"],
        );
        check(&format!("```\nx\n{DIFF}```\n"), &[]);
    }

    #[test]
    fn what_is_unclear_is_refused() {
        for text in [
            format!("a.py\n```\nx\n\n{DIFF}"),
            format!("```\nx\n\n{DIFF}"),
            format!("a.md\n```\n# A\n```\nb.py\n{BLOCK}```\n```\n"),
            format!("{BLOCK}*** Update File: a\n"),
            format!("a.py\n```\nx\n{BLOCK}```\n"),
        ] {
            assert_eq!(shown(&text), None, "{text}");
        }
    }

    #[test]
    fn each_has_the_prose_around_it() {
        let text = format!("a.py\n```\n{BLOCK}```\nSo:\n{DIFF}The end.\n");
        let shown: Vec<(usize, String)> = split(&text)
            .unwrap()
            .sections
            .into_iter()
            .map(|section| (section.n_above, section.text))
            .collect();
        let (block, diff) = (
            format!("a.py\n```\n{BLOCK}```\nSo:\n"),
            format!("So:\n{DIFF}The end.\n"),
        );
        assert_eq!(shown, [(0, block), (8, diff)]);
        let text = format!("{CODEX}The end.\n");
        assert_eq!(split(&text).unwrap().sections.remove(0).text, CODEX);
    }

    proptest! {
        #[test]
        fn never_panics_and_sections_are_in_order(text in junk(&[
            "a.py\n", "```\n", "```diff\n", "~~~~\n", "<<<<<<< SEARCH\n", "=======\n",
            ">>>>>>> REPLACE\n", "*** Begin Patch\n", "*** End Patch\n", "--- a/x\n", "+++ b/x\n",
            "@@ -1 +1 @@\n", "-a\n", "+b\n", "{\"path\": \"x\", \"content\": \"\"}\n", "[", "]\n",
        ])) {
            let n_lines = text.lines().count();
            let mut end = 0;
            for section in split(&text).unwrap_or_default().sections {
                prop_assert!(end <= section.lines.start && section.lines.start < section.lines.end);
                end = section.lines.end;
                let n_lines = section.text.lines().count();
                prop_assert!(section.n_above + n_lines >= end);
            }
            prop_assert!(end <= n_lines);
        }
    }
}
