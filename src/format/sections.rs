//! Splits an answer into sections, each in one format: a diff here, a search/replace block there, a
//! whole new file elsewhere. Each is then read by its own format, with the prose above it.
//!
//! ```text
//! answer  = (prose | fence | section)*
//! section = a search/replace block, a Codex patch, a unified diff, JSON edits    in a fence or not
//!         | a context diff | a whole file                                        in a fence
//! ```
//!
//! A fence holds what its first line begins. Otherwise it is a whole file if it has a file's name,
//! and an illustration if it has none. Edits by line number (`ed`, `rcs`, `normal`) have too few
//! marks to be found between others: they are read only where they are all there is.
//!
//! If a fence could be several of these, such as a whole file with a block somewhere inside, the
//! answer is not split.

use super::patch::Format;
use super::{codex, context, file_name, json, search_replace, unified, whole_file};
use file_name::Fence;
use std::cell::Cell;
use std::ops::Range;

/// A stretch of a text that is in one format.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Section {
    pub format: Format,
    /// Its lines, counted from 0, with the fence around them and without the prose above.
    pub lines: Range<usize>,
    /// The offsets of its text, with the prose around it.
    pub text: Range<usize>,
    /// How many lines are above that text.
    pub n_above: usize,
}

/// The sections of a text, in its order; `None` if it is unclear what belongs to which.
pub(super) fn sections(text: &str) -> Option<Vec<Section>> {
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
        fence: None,
        below: 0,
        n_tried: Cell::new(0),
    };
    let mut line_idx = 0;
    while line_idx < lines.len() {
        line_idx = splitter.step(line_idx)?;
    }
    let Splitter { mut sections, starts, .. } = splitter;
    for idx in 0..sections.len() {
        let n_above = idx.checked_sub(1).map_or(0, |above| sections[above].lines.end);
        // Nothing may follow a Codex patch. In other formats, a line below may show that one was
        // cut off or lost its mark.
        let end = match sections.get(idx + 1) {
            _ if sections[idx].format == Format::Codex => sections[idx].lines.end,
            Some(below) => below.lines.start,
            None => lines.len(),
        };
        sections[idx].n_above = n_above;
        sections[idx].text = starts[n_above]..starts[end];
    }
    Some(sections)
}

struct Splitter<'a, 'b> {
    text: &'a str,
    lines: &'b [&'a str],
    /// The offset of each line.
    starts: Vec<usize>,
    sections: Vec<Section>,
    /// The fence around the sections that are being read, and its line.
    fence: Option<(usize, Fence<'a>)>,
    /// The first line below the last section or fence.
    below: usize,
    /// How many braces in a row began no edit as JSON.
    n_tried: Cell<usize>,
}

impl<'a> Splitter<'a, '_> {
    /// Reads what is at a line. Returns the first line below it; `None` if it is unclear.
    fn step(&mut self, line_idx: usize) -> Option<usize> {
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
                    Some(self.below)
                }
                Some(_) => Some(line_idx + 1),
                None => self.open(line_idx, fence),
            };
        }
        let Some((format, end)) = self.marked(line_idx) else { return Some(line_idx + 1) };
        let is_first_in = |(opening, _): &(usize, Fence)| *opening >= self.below;
        let start = self.fence.filter(is_first_in).map_or(line_idx, |(opening, _)| opening);
        self.push(format, start..end);
        Some(end)
    }

    /// Reads a fence, or goes into it if it holds marked sections.
    fn open(&mut self, line_idx: usize, fence: Fence<'a>) -> Option<usize> {
        let is_blank = |line_idx: &usize| self.lines[*line_idx].trim().is_empty();
        let mut inner = (line_idx + 1..self.lines.len()).skip_while(is_blank);
        let first = inner.next();
        let is_name = first.is_some_and(|first| {
            let line = self.lines[first];
            file_name::fence(line).is_none() && file_name::on_line(line).is_some()
        });
        let below_name = if is_name { inner.next() } else { None };
        if unified::begins(self.lines, line_idx)
            || first.into_iter().chain(below_name).any(|first| self.marked(first).is_some())
        {
            self.fence = Some((line_idx, fence));
            if !unified::begins(self.lines, line_idx) {
                return Some(line_idx + 1);
            }
            let end = unified::end(self.lines, line_idx);
            self.push(Format::Unified, line_idx..end);
            return Some(end);
        }
        let is_named = whole_file::is_named(&self.lines[self.below..line_idx], fence);
        let Some(close) = whole_file::closing_line(self.lines, line_idx) else {
            // A file that was cut off, below other sections. It is refused when it is read.
            let end = self.lines.len();
            let is_marked = (line_idx + 1..end).any(|line_idx| self.marked(line_idx).is_some());
            if !is_named || is_marked || self.sections.is_empty() {
                return None;
            }
            self.push(Format::WholeFile, line_idx..end);
            return Some(end);
        };
        let end = close + 1;
        let content = &self.text[self.starts[line_idx + 1]..self.starts[close]];
        let is_marked = (line_idx + 1..close).any(|line_idx| self.marked(line_idx).is_some());
        match (is_named, is_marked, context::is_in(content)) {
            (_, true, _) | (true, false, true) => return None,
            (false, false, true) => self.push(Format::Context, line_idx..end),
            (true, false, false) => self.push(Format::WholeFile, line_idx..end),
            (false, false, false) => {}
        }
        self.below = end;
        Some(end)
    }

    /// The format of what begins at a line outside of fences, and the first line below it.
    fn marked(&self, line_idx: usize) -> Option<(Format, usize)> {
        let lines = self.lines;
        if let Some(end) = codex::end_at(lines, line_idx) {
            return Some((Format::Codex, end));
        }
        if let Some(end) = search_replace::end_at(lines, line_idx) {
            return Some((Format::SearchReplace, end));
        }
        if unified::begins(lines, line_idx) && file_name::fence(lines[line_idx]).is_none() {
            return Some((Format::Unified, unified::end(lines, line_idx)));
        }
        // Each try reads to the object's end, so text with very many braces (code) is given up.
        const MOST_TRIED: usize = 200;
        let text = &self.text[self.starts[line_idx]..];
        if !text.starts_with(['{', '[']) || self.n_tried.get() == MOST_TRIED {
            return None;
        }
        let n_bytes = json::end_at(text);
        self.n_tried.set(if n_bytes.is_some() { 0 } else { self.n_tried.get() + 1 });
        let n_bytes = n_bytes?;
        let end = self.starts[line_idx] + n_bytes;
        Some((Format::Json, self.starts.partition_point(|start| *start < end)))
    }

    /// Adds a section. Sections of one format that follow each other are one, as a block may be for
    /// the file of the block before it; a Codex patch is always one of its own.
    fn push(&mut self, format: Format, lines: Range<usize>) {
        self.below = lines.end;
        match self.sections.last_mut() {
            Some(last) if last.format == format && format != Format::Codex => {
                last.lines.end = lines.end;
            }
            _ => self.sections.push(Section { format, lines, text: 0..0, n_above: 0 }),
        }
    }
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
        Some(sections(text)?.iter().map(shown).collect())
    }

    #[track_caller]
    fn check(text: &str, expected: &[&str]) {
        assert_eq!(shown(text), Some(expected.iter().map(|&s| s.to_owned()).collect()), "{text}");
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
        check(&format!("```\n{BLOCK}{DIFF}```\n"), &["search-replace 1-6", "unified 7-13"]);
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
    fn what_is_unclear_is_not_split() {
        for text in [
            format!("a.py\n```\nx\n{BLOCK}```\n"),
            format!("```\nx\n{DIFF}```\n"),
            format!("a.md\n````\n```diff\n{DIFF}```\n````\n"),
            format!("a.py\n```\nx\n\n{DIFF}"),
        ] {
            assert_eq!(shown(&text), None, "{text}");
        }
    }

    #[test]
    fn each_has_the_prose_around_it() {
        let text = format!("a.py\n```\n{BLOCK}```\nSo:\n{DIFF}The end.\n");
        let shown: Vec<(usize, &str)> = sections(&text)
            .unwrap()
            .into_iter()
            .map(|section| (section.n_above, &text[section.text]))
            .collect();
        let (block, diff) =
            (format!("a.py\n```\n{BLOCK}```\nSo:\n"), format!("So:\n{DIFF}The end.\n"));
        assert_eq!(shown, [(0, block.as_str()), (8, diff.as_str())]);
        let text = format!("{CODEX}The end.\n");
        assert_eq!(&text[sections(&text).unwrap().remove(0).text], CODEX);
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
            for section in sections(&text).unwrap_or_default() {
                prop_assert!(end <= section.lines.start && section.lines.start < section.lines.end);
                end = section.lines.end;
                let n_lines = text[section.text].lines().count();
                prop_assert!(section.n_above + n_lines >= end);
            }
            prop_assert!(end <= n_lines);
        }
    }
}
