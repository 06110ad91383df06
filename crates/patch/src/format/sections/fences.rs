//! Tells what a fence holds: edits, the text of a file, or an illustration.

use super::{Aside, Splitter, TextSection, closes, trace_at};
use crate::format::file_name::{self, CodeFence};
use crate::format::patch::{Format, FormatError};
use crate::format::whole_file::{self, Holds};
use crate::format::{codex, context, search_replace, unified};
use std::ops::Range;

impl<'a> Splitter<'a, '_> {
    /// Reads a fence, or goes into it if it holds edits. Returns the first line below what was read.
    pub(super) fn open(
        &mut self,
        line_idx: usize,
        fence: CodeFence<'a>,
    ) -> Result<usize, FormatError> {
        if unified::begins(self.lines, line_idx) {
            self.fence = Some((line_idx, fence));
            let end = unified::end(self.lines, line_idx);
            self.push_plain(Format::Unified, line_idx..end);
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
        let content = &self.lines[line_idx + 1..close];
        if is_only_a_name(content) {
            return Ok(close + 1);
        }
        self.refuse_unclear_end(line_idx, close, fence)?;
        if holds == Holds::File {
            self.refuse_block_in_code(line_idx, close, fence)?;
        }

        let lines = line_idx..close + 1;
        let aside_path = match holds {
            _ if context::begins(&content.join("\n")) => {
                self.push_plain(Format::Context, lines);
                return Ok(close + 1);
            }
            Holds::File => {
                self.push_plain(Format::WholeFile, lines);
                return Ok(close + 1);
            }
            Holds::Mentioned(path) => Some(path.to_owned()),
            Holds::Unnamed => None,
        };
        self.asides.push(Aside {
            lines,
            path: aside_path,
        });
        self.below = close + 1;
        Ok(close + 1)
    }

    fn push_plain(&mut self, format: Format, lines: Range<usize>) {
        self.push(TextSection {
            format,
            lines,
            text: String::new(),
            n_above: 0,
            is_quoted: false,
        });
    }

    /// Whether a fence holds edits: its first line, or the one below a file's name, begins one. A
    /// command of a shell may come before a Codex patch.
    fn holds_edits(&self, line_idx: usize, fence: CodeFence) -> bool {
        let mut inner = (line_idx + 1..self.lines.len())
            .skip_while(|line_idx| self.lines[*line_idx].trim().is_empty());
        let above = &self.lines[self.below..line_idx];
        if let Some(first) = inner.next() {
            let line = self.lines[first];
            let is_name = file_name::fence(line).is_none() && file_name::on_line(line).is_some();
            let below_name = inner.next().filter(|_| is_name);
            if self.begins_edit(first, above, fence)
                || below_name.is_some_and(|below| self.begins_edit(below, above, fence))
            {
                return true;
            }
        }

        let is_shell = !whole_file::is_script(above, fence)
            && matches!(fence.info, "sh" | "bash" | "zsh" | "shell" | "console");
        let close = whole_file::closing_line(self.lines, line_idx).unwrap_or(line_idx);
        is_shell && (line_idx..close).any(|idx| codex::frame_at(self.lines, idx).is_some())
    }

    /// Whether an edit begins at a line of a fence. A file of that format is no edit, even if it
    /// looks like one.
    fn begins_edit(&self, line_idx: usize, above: &[&str], fence: CodeFence) -> bool {
        match self.marked(line_idx).map(|marked| marked.format) {
            Some(Format::Json) => !whole_file::is_json(above, fence),
            Some(Format::Codex) => !whole_file::is_script(above, fence),
            format => format.is_some(),
        }
    }

    /// Reads a fence that nothing closes. With a name it is a file that was cut off, which is refused
    /// when it is read.
    fn unclosed(&mut self, line_idx: usize, is_named: bool) -> Result<usize, FormatError> {
        // Each try reads to the end of the text.
        const MOST_UNCLOSED: usize = 50;
        self.n_unclosed += 1;
        if self.n_unclosed > MOST_UNCLOSED {
            let message = "too many fences are not closed";
            return Err(FormatError::at(line_idx + 1, message));
        }
        if self.has_trace_below(line_idx) {
            let message = "the fence that opens here is not closed, so that it is unclear what is in \
                           it; close it, or put a longer fence around it";
            return Err(FormatError::at(line_idx + 1, message));
        }
        if !is_named {
            return Ok(line_idx + 1);
        }
        let end = self.lines.len();
        self.push_plain(Format::WholeFile, line_idx..end);
        Ok(end)
    }

    /// Refuses a block in the code of a file, unless the fence is longer than it need be: it may be
    /// an edit of that file below a line that is none.
    fn refuse_block_in_code(
        &self,
        line_idx: usize,
        close: usize,
        fence: CodeFence,
    ) -> Result<(), FormatError> {
        let above = &self.lines[self.below..line_idx];
        if fence.length > 3 || fence.mark != '`' || whole_file::holds_prose(above, fence) {
            return Ok(());
        }
        let mut idx = line_idx + 1;
        while idx < close {
            // A fence in it is content of its own.
            if file_name::fence(self.lines[idx]).is_some()
                && let Some(inner) = whole_file::closing_line(self.lines, idx)
                && inner < close
            {
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
        outer: CodeFence,
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
}

/// Whether a fence has only a file's name. Some models put that of the next block into one.
fn is_only_a_name(content: &[&str]) -> bool {
    let mut lines = content.iter().filter(|line| !line.trim().is_empty());
    let first = lines.next();
    lines.next().is_none() && first.is_some_and(|line| file_name::on_line(line).is_some())
}
