//! The part of a file that the model is shown, and where text occurs in it.
//!
//! A short file is shown whole. A long one is shown as windows: blocks with fixed boundaries,
//! chosen for the task. The constraint runs in the child process, and its answer is resolved here.
//! Both must agree to the byte on what an excerpt is and how often it occurs, so both use this
//! module. [`boundaries`] says where an excerpt may begin and end, [`Shown::occurrences`] finds it,
//! and [`place_labels`] names the places.

use super::blocks::Block;
use super::excerpt_bounds::boundaries;
use super::indented_blocks::block_ends;
use super::lines::{indentation, line_bytes};
use super::outline::Outline;
use serde::{Deserialize, Serialize};
use std::collections::HashSet;
use std::ops::{Range, RangeInclusive};

/// Consecutive lines of a file, without the last newline. Lines are whole, unless a line is longer
/// than a block.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Window {
    /// The text of the lines.
    pub text: String,
    /// Byte offset of the window in the file's shown text.
    pub offset: usize,
    /// The number of the first line, counted from 1.
    pub first_line: usize,
    /// Number of characters of that line before the window; not 0 only where a long line was cut.
    first_column: usize,
    /// Whether its last line continues after the window.
    #[serde(default)]
    is_cut: bool,
    /// The definition around each line, as changes: `(line, name)` holds from that line of the
    /// window (counted from 0) to the next entry.
    scopes: Vec<(usize, Option<String>)>,
}

/// The shown part of one file: windows in file order, disjoint.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Shown {
    /// Empty only if not even one block fits the budget.
    pub windows: Vec<Window>,
}

/// The position of an excerpt or a line in a [`Shown`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Occurrence {
    /// Index into [`Shown::windows`].
    pub window: usize,
    /// Byte offset in that window's text.
    pub offset: usize,
}

/// The text between two windows of a prompt, where lines are left out.
pub const GAP: &str = "\n⋯\n";

impl Shown {
    /// Shows the whole file.
    pub fn whole(text: &str) -> Shown {
        Shown {
            windows: vec![Window::of(text, &Outline::of(text), 0..text.len(), 1)],
        }
    }

    /// Whether it is all of a text.
    pub fn is_all_of(&self, text: &str) -> bool {
        let end = text.strip_suffix('\n').unwrap_or(text);
        matches!(self.windows.as_slice(), [window] if window.text == end)
    }

    /// Shows some blocks of a file, with neighbours joined.
    pub fn of_blocks(text: &str, outline: &Outline, mut blocks: Vec<Block>) -> Shown {
        blocks.sort_unstable_by_key(|block| block.range.start);
        let mut windows = Vec::new();
        for run in blocks.chunk_by(|a, b| a.range.end == b.range.start) {
            let range = run[0].range.start..run[run.len() - 1].range.end;
            windows.push(Window::of(text, outline, range, run[0].first_line));
        }
        Shown { windows }
    }

    /// The part of it that lies in some lines of the file, counted from 1. `text`: the whole file.
    pub fn within_lines(&self, text: &str, lines: &RangeInclusive<usize>) -> Shown {
        let outline = Outline::of(text);
        let within = line_bytes(text, lines);
        let mut windows = Vec::new();
        for window in &self.windows {
            let start = window.offset.max(within.start);
            let end = (window.offset + window.text.len()).min(within.end);
            if start <= end && start < within.end {
                windows.push(window.part(text, &outline, start..end));
            }
        }
        Shown { windows }
    }

    /// What is shown apart from some stretches of whole lines of the file, which are sorted. Windows
    /// are cut where a stretch is empty. `text`: the whole file.
    pub fn without(&self, text: &str, removed: &[Range<usize>]) -> Shown {
        let outline = Outline::of(text);
        let mut windows = Vec::new();
        for window in &self.windows {
            let end = window.offset + window.text.len();
            let mut at = window.offset;
            for removed in removed.iter().chain([&(end..end)]) {
                let kept = at..removed.start.clamp(at, end);
                let kept = window.part(text, &outline, kept);
                if !kept.text.is_empty() {
                    windows.push(kept);
                }
                at = removed.end.clamp(at, end);
            }
        }
        Shown { windows }
    }

    /// The text for the prompt.
    pub fn prompt_text(&self) -> String {
        let texts: Vec<&str> = self.windows.iter().map(|w| w.text.as_str()).collect();
        texts.join(GAP)
    }

    /// All occurrences of `excerpt` between boundaries, including overlapping ones.
    pub fn occurrences(&self, excerpt: &str) -> Vec<Occurrence> {
        let mut found = Vec::new();
        if excerpt.trim().is_empty() {
            return found;
        }
        for (window_idx, window) in self.windows.iter().enumerate() {
            let boundaries = boundaries(&window.text);
            let mut from = 0;
            while let Some(at) = window.text[from..].find(excerpt).map(|i| i + from) {
                if boundaries.contains(at) && boundaries.contains(at + excerpt.len()) {
                    found.push(Occurrence {
                        window: window_idx,
                        offset: at,
                    });
                }
                from = at + window.text[at..].chars().next().map_or(1, char::len_utf8);
            }
        }
        found
    }

    /// The lines beside which an insertion may go, each with all its occurrences. These are the
    /// non-blank lines, or the blank ones if there are no others. A cut line counts with its shown
    /// part.
    pub fn anchor_lines(&self) -> Vec<(&str, Vec<Occurrence>)> {
        let mut lines: Vec<(&str, Occurrence)> = Vec::new();
        for (window_idx, window) in self.windows.iter().enumerate() {
            let mut at = Occurrence {
                window: window_idx,
                offset: 0,
            };
            for line in window.text.split('\n') {
                lines.push((line, at));
                at.offset += line.len() + 1;
            }
        }
        if lines.iter().any(|(line, _)| !line.trim().is_empty()) {
            lines.retain(|(line, _)| !line.trim().is_empty());
        }
        grouped(lines)
    }

    /// The lines next to which an insertion may go, by every natural spelling: as they are, and
    /// without the whitespace around them. Each spelling has all lines that it may mean.
    pub fn anchors(&self) -> Vec<(&str, Vec<Occurrence>)> {
        let mut spelled: Vec<(&str, Occurrence)> = Vec::new();
        for (line, at) in self.anchor_lines() {
            for spelling in [line, line.trim_start(), line.trim_end(), line.trim()] {
                spelled.extend(at.iter().map(|&at| (spelling, at)));
            }
        }
        grouped(spelled)
    }

    /// The lines that a spelling of an anchor may mean: see [`Shown::anchors`].
    pub fn anchor(&self, spelling: &str) -> Vec<Occurrence> {
        self.anchors()
            .into_iter()
            .find_map(|(anchor, at)| (anchor == spelling).then_some(at))
            .unwrap_or_default()
    }

    /// The lines that a block may end with that begins with `old` at a place, each with the offset
    /// of its end. They are whole, non-blank lines that begin after `old` in the same window, except
    /// the line with which `old` itself ends. Of equal lines only the nearest is returned.
    pub fn lines_after(&self, at: Occurrence, old: &str) -> Vec<(&str, Occurrence)> {
        let window = &self.windows[at.window];
        let behind = at.offset + old.len();
        let rest = &window.text[behind..];
        let own_end = own_end(old, rest.is_empty() || rest.starts_with('\n'));

        let mut known = HashSet::new();
        let mut lines = Vec::new();
        let mut start = 0;
        for line in window.whole_lines().split('\n') {
            let end = start + line.len();
            let is_after = start >= behind && !line.trim().is_empty();
            if is_after && Some(line) != own_end && known.insert(line) {
                let window = at.window;
                lines.push((
                    line,
                    Occurrence {
                        window,
                        offset: end,
                    },
                ));
            }
            start = end + 1;
        }
        lines
    }

    /// Those of [`Shown::lines_after`] that a model is offered: `old` begins the first line of a
    /// block of four lines or more (see [`super::block_ends`]), and they are lines of that block.
    pub fn block_ends(&self, at: Occurrence, old: &str) -> Vec<(&str, Occurrence)> {
        let blocks = self.windows[at.window].blocks();
        let block = blocks
            .iter()
            .find(|block| at.offset == block.start || at.offset == block.ink);
        let Some(block) = block else {
            return Vec::new();
        };
        let mut lines = self.lines_after(at, old);
        lines.retain(|(line, end)| end.offset - line.len() <= block.last_line);
        lines
    }

    /// The byte offset of an occurrence in the file's shown text.
    pub fn file_offset(&self, at: Occurrence) -> usize {
        self.windows[at.window].offset + at.offset
    }
}

/// All occurrences of each text, both in order.
fn grouped(mut texts: Vec<(&str, Occurrence)>) -> Vec<(&str, Vec<Occurrence>)> {
    texts.sort_unstable();
    texts.dedup();
    texts
        .chunk_by(|a, b| a.0 == b.0)
        .map(|equal| (equal[0].0, equal.iter().map(|&(_, at)| at).collect()))
        .collect()
}

/// Unique names for several occurrences in file order: `parse, line 12`, with the column where two
/// are on one line. The definition comes first: a model copies it from the task, and if it occurs
/// only once there, the rest is certain.
pub fn place_labels(shown: &Shown, occurrences: &[Occurrence]) -> Vec<String> {
    let positions = positions(shown, occurrences);
    let mut labels = Vec::with_capacity(positions.len());
    for (i, position) in positions.iter().enumerate() {
        let beside = [i.checked_sub(1), Some(i + 1)];
        let shares_line = beside
            .into_iter()
            .flatten()
            .filter_map(|i| positions.get(i))
            .any(|other| other.line == position.line);

        let mut label = position
            .scope
            .map_or_else(String::new, |name| format!("{name}, "));
        label += &format!("line {}", position.line);
        if shares_line {
            label += &format!(" column {}", position.column);
        }
        labels.push(label);
    }
    labels
}

/// Where an occurrence is in the file: line and column, both counted from 1, and the name of the
/// definition around it.
struct Position<'s> {
    line: usize,
    column: usize,
    scope: Option<&'s str>,
}

/// The positions of occurrences in file order, in linear time.
fn positions<'s>(shown: &'s Shown, occurrences: &[Occurrence]) -> Vec<Position<'s>> {
    let mut positions = Vec::with_capacity(occurrences.len());
    let mut window_idx = usize::MAX;
    let mut counted_to = 0;
    let mut line_idx = 0;
    let mut line_start = 0;
    for at in occurrences {
        let window = &shown.windows[at.window];
        if window_idx != at.window {
            window_idx = at.window;
            counted_to = 0;
            line_idx = 0;
            line_start = 0;
        }
        for (i, _) in window.text[counted_to..at.offset].match_indices('\n') {
            line_idx += 1;
            line_start = counted_to + i + 1;
        }
        counted_to = at.offset;

        let mut column = window.text[line_start..at.offset].chars().count() + 1;
        if line_idx == 0 {
            column += window.first_column;
        }
        positions.push(Position {
            line: window.first_line + line_idx,
            column,
            scope: window.scope(line_idx),
        });
    }
    positions
}

/// The last line of a beginning of several lines, if it is whole. A model that wrote so much of a
/// block wrote its end too. Another line like it ends another block.
pub fn own_end(old: &str, ends_line: bool) -> Option<&str> {
    let lines = old.trim_end_matches('\n');
    let (_, last) = lines
        .rsplit_once('\n')
        .filter(|_| ends_line || lines.len() < old.len())?;
    Some(last)
}

/// A block of a window. All offsets are in the window's text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlockOffsets {
    /// Where its first line starts.
    pub start: usize,
    /// Where the text of that line starts, behind its indentation.
    pub ink: usize,
    /// Where its last line starts.
    pub last_line: usize,
}

impl Window {
    /// Shows a range of a text, without its last newline. `first_line`: the line with which it
    /// begins, counted from 1.
    fn of(text: &str, outline: &Outline, range: Range<usize>, first_line: usize) -> Window {
        let shown = &text[range.clone()];
        let shown = shown.strip_suffix('\n').unwrap_or(shown);
        let mut scopes: Vec<(usize, Option<String>)> = Vec::new();
        for line_idx in 0..shown.split('\n').count() {
            let name = outline.enclosing(first_line - 1 + line_idx);
            let is_same = scopes
                .last()
                .is_some_and(|(_, last)| last.as_deref() == name);
            if !is_same {
                scopes.push((line_idx, name.map(str::to_owned)));
            }
        }

        let line_before = text[..range.start].rsplit('\n').next().unwrap_or_default();
        let rest = &text[range.start + shown.len()..];
        Window {
            text: shown.to_owned(),
            offset: range.start,
            first_line,
            first_column: line_before.chars().count(),
            is_cut: !rest.is_empty() && !rest.starts_with('\n'),
            scopes,
        }
    }

    /// A part of the window, by its range in the text.
    fn part(&self, text: &str, outline: &Outline, range: Range<usize>) -> Window {
        let n_lines_before = text[self.offset..range.start].matches('\n').count();
        Window::of(text, outline, range, self.first_line + n_lines_before)
    }

    /// The blocks that an answer may name by their ends, in the order of their first lines.
    pub fn blocks(&self) -> Vec<BlockOffsets> {
        let lines: Vec<&str> = self.whole_lines().split('\n').collect();
        let mut starts = vec![0];
        for line in &lines {
            starts.push(starts[starts.len() - 1] + line.len() + 1);
        }

        let mut blocks = Vec::new();
        for (first, last) in block_ends(&lines).into_iter().enumerate() {
            if let Some(last) = last {
                blocks.push(BlockOffsets {
                    start: starts[first],
                    ink: starts[first] + indentation(lines[first]).len(),
                    last_line: starts[last],
                });
            }
        }
        blocks
    }

    /// The text without a last line that is only partly shown.
    pub fn whole_lines(&self) -> &str {
        let text = self.text.as_str();
        if self.is_cut {
            text.rfind('\n').map_or("", |end| &text[..end])
        } else {
            text
        }
    }

    /// The definition around a line of the window, counted from 0.
    pub fn scope(&self, line_idx: usize) -> Option<&str> {
        let i = self.scopes.partition_point(|(from, _)| *from <= line_idx);
        self.scopes[..i]
            .last()
            .and_then(|(_, name)| name.as_deref())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::{BlockSize, blocks};
    use std::collections::BTreeSet;

    #[test]
    fn a_part_of_what_is_shown_by_lines() {
        let text = "a\nb\n\nd\ne\n";
        let block = |range: Range<usize>, first_line| Block { range, first_line };
        let blocks = vec![block(0..2, 1), block(5..9, 4)];
        let whole = Shown::whole(text);
        let two = Shown::of_blocks(text, &Outline::of(text), blocks);
        for (shown, lines, expected) in [
            (&whole, 1..=9, &[(0, 1, "a\nb\n\nd\ne")][..]),
            (&whole, 2..=4, &[(2, 2, "b\n\nd")]),
            (&whole, 3..=3, &[(4, 3, "")]),
            (&whole, 5..=5, &[(7, 5, "e")]),
            (&two, 1..=4, &[(0, 1, "a"), (5, 4, "d")]),
        ] {
            let part = shown.within_lines(text, &lines);
            let windows = part.windows.iter();
            let windows = windows.map(|it| (it.offset, it.first_line, it.text.as_str()));
            assert_eq!(windows.collect::<Vec<_>>(), expected, "{lines:?}");
        }
        assert_eq!(line_bytes(text, &(2..=2)), 2..4);
        assert_eq!(line_bytes(text, &(5..=9)), 7..9);
        assert_eq!(line_bytes(text, &(7..=9)), 9..9);
    }

    #[test]
    fn occurrences_stand_between_boundaries() {
        let shown = Shown::whole("foo foobar foo\nfoo(foo)\n");
        let offsets: Vec<usize> = shown.occurrences("foo").iter().map(|o| o.offset).collect();
        assert_eq!(offsets, [0, 11, 15, 19]);
        assert_eq!(shown.occurrences("fo"), []);
        assert_eq!(shown.occurrences("\n"), []);
        assert_eq!(Shown::whole("==== x").occurrences("==").len(), 3);
    }

    #[test]
    fn places_are_told_apart() {
        let shown = Shown::whole("def a():\n    x = 1\n\ndef b():\n    x = 1; x = 1\n\nx = 1\n");
        let labels = place_labels(&shown, &shown.occurrences("x = 1"));
        let expected = "a, line 2|b, line 5 column 5|b, line 5 column 12|line 7";
        assert_eq!(labels.join("|"), expected);
    }

    #[test]
    fn places_in_the_windows_of_one_long_line_are_told_apart() {
        let text = "foo = bar; ".repeat(2_000);
        let outline = Outline::of(&text);
        let all = blocks(&text, &outline, BlockSize::LARGE);
        let file_boundaries = boundaries(&text);
        assert!(
            all.iter()
                .all(|block| file_boundaries.contains(block.range.end))
        );
        let some = [0, 2, 4].map(|i| all[i].clone());
        let shown = Shown::of_blocks(&text, &outline, some.to_vec());
        assert_eq!(shown.windows.len(), 3);
        let occurrences = shown.occurrences("foo");
        let labels: BTreeSet<String> = place_labels(&shown, &occurrences).into_iter().collect();
        assert_eq!(labels.len(), occurrences.len());
        let last = shown.file_offset(occurrences[occurrences.len() - 1]);
        assert!(labels.contains(&format!("line 1 column {}", last + 1)));
    }

    #[test]
    fn naming_many_places_takes_linear_time() {
        let shown = Shown::whole(&"same\n".repeat(200_000));
        let lines = shown.anchor_lines();
        let labels = place_labels(&shown, &lines[0].1); // quadratic, this would take minutes
        assert_eq!(labels[199_999], "line 200000");
    }

    #[test]
    fn anchors_are_lines_with_something_on_them() {
        for (text, expected) in [
            ("a\n\n  b\na\n", &[("  b", 1), ("a", 2)][..]),
            ("", &[("", 1)]),
        ] {
            let shown = Shown::whole(text);
            let lines = shown.anchor_lines().into_iter();
            let lines: Vec<_> = lines.map(|(line, at)| (line, at.len())).collect();
            assert_eq!(lines, expected);
        }
    }

    #[test]
    fn chosen_blocks_are_shown_as_windows() {
        let text: String = (1..=300).map(|i| format!("line {i}\n")).collect();
        let outline = Outline::of(&text);
        let all = blocks(&text, &outline, BlockSize::LARGE);
        let some = [3, 0, 1].map(|i| all[i].clone());
        let shown = Shown::of_blocks(&text, &outline, some.to_vec());
        assert_eq!(shown.windows.len(), 2, "neighbours are joined");
        for window in &shown.windows {
            assert_eq!(text[window.offset..][..window.text.len()], window.text);
            let first = format!("line {}\n", window.first_line);
            assert!(window.text.starts_with(&first));
        }
        assert!(shown.prompt_text().contains("\n⋯\nline 181\n"));
        assert_eq!(Shown::of_blocks(&text, &outline, all), Shown::whole(&text));
    }

    #[test]
    fn a_whole_file_is_shown_without_its_last_line_feed() {
        assert_eq!(Shown::whole("a\nb\n").prompt_text(), "a\nb");
        assert_eq!(Shown::whole("a\n\n").prompt_text(), "a\n");
    }
}
