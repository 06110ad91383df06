//! The part of a file that the model is shown, and where text occurs in it.
//!
//! A short file is shown whole. A long one is shown as windows: blocks with fixed boundaries,
//! chosen for the task. The constraint runs in the child process, and its answer is resolved here.
//! Both must agree to the byte on what an excerpt is and how often it occurs, so both use this
//! module. [`boundaries`] says where an excerpt may begin and end, [`Shown::occurrences`] finds it,
//! and [`place_labels`] names the places.

use super::excerpt_bounds::{boundaries, boundary_offsets};
use super::indented_blocks::block_ends;
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

/// The size limits of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlockSize {
    /// From this many lines on, the block ends at the next blank line or definition.
    lines: usize,
    /// The block ends at this many lines at the latest.
    most_lines: usize,
    /// The block ends at this many bytes at the latest; a longer line is cut.
    most_bytes: usize,
}

impl BlockSize {
    /// Enough for a long function.
    pub const LARGE: BlockSize = BlockSize {
        lines: 40,
        most_lines: 60,
        most_bytes: 2_400,
    };
    /// Enough for most functions, so that a prompt has room for several.
    pub const MEDIUM: BlockSize = BlockSize {
        lines: 20,
        most_lines: 40,
        most_bytes: 1_600,
    };
    /// Enough for a few lines.
    pub const SMALL: BlockSize = BlockSize {
        lines: 3,
        most_lines: 10,
        most_bytes: 400,
    };
    /// For vocabularies that need so many tokens that no larger block fits: at most one token per
    /// byte.
    pub const TINY: BlockSize = BlockSize {
        lines: 40,
        most_lines: 60,
        most_bytes: 240,
    };
}

impl Shown {
    /// Shows the whole file.
    pub fn whole(text: &str) -> Shown {
        let end = text.strip_suffix('\n').unwrap_or(text).len();
        Shown {
            windows: vec![window(text, &Outline::of(text), 0..end, 1)],
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
            let whole = run[0].range.start..run[run.len() - 1].range.end;
            let end = text[..whole.end]
                .strip_suffix('\n')
                .map_or(whole.end, str::len);
            windows.push(window(text, outline, whole.start..end, run[0].first_line));
        }
        Shown { windows }
    }

    /// The part of it that lies in some lines of the file, counted from 1. `text`: the whole file.
    pub fn within_lines(&self, text: &str, lines: &RangeInclusive<usize>) -> Shown {
        let outline = Outline::of(text);
        let within = line_bytes(text, lines);
        let part = |shown: &Window| {
            let start = shown.offset.max(within.start);
            let end = (shown.offset + shown.text.len()).min(within.end);
            if start > end || start >= within.end {
                return None;
            }
            let end = start
                + text[start..end]
                    .strip_suffix('\n')
                    .unwrap_or(&text[start..end])
                    .len();
            let n_lines_before = text[shown.offset..start].matches('\n').count();
            Some(window(
                text,
                &outline,
                start..end,
                shown.first_line + n_lines_before,
            ))
        };
        Shown {
            windows: self.windows.iter().filter_map(part).collect(),
        }
    }

    /// The same without some stretches of whole lines of the file, sorted, and cut where one is empty.
    /// `text`: the whole file.
    pub fn without(&self, text: &str, removed: &[Range<usize>]) -> Shown {
        let outline = Outline::of(text);
        let mut windows = Vec::new();
        for shown in &self.windows {
            let end = shown.offset + shown.text.len();
            let mut keep = |part: Range<usize>| {
                let lines = text[part.clone()]
                    .strip_suffix('\n')
                    .unwrap_or(&text[part.clone()]);
                if !lines.is_empty() {
                    let first_line =
                        shown.first_line + text[shown.offset..part.start].matches('\n').count();
                    let part = part.start..part.start + lines.len();
                    windows.push(window(text, &outline, part, first_line));
                }
            };
            let mut at = shown.offset;
            for removed in removed {
                keep(at..removed.start.clamp(at, end));
                at = removed.end.clamp(at, end);
            }
            keep(at..end);
        }
        Shown { windows }
    }

    /// The text for the prompt.
    pub fn prompt_text(&self) -> String {
        self.windows
            .iter()
            .map(|w| w.text.as_str())
            .collect::<Vec<_>>()
            .join(GAP)
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
            let mut offset = 0;
            for line in window.text.split('\n') {
                lines.push((
                    line,
                    Occurrence {
                        window: window_idx,
                        offset,
                    },
                ));
                offset += line.len() + 1;
            }
        }
        if lines.iter().any(|(line, _)| !line.trim().is_empty()) {
            lines.retain(|(line, _)| !line.trim().is_empty());
        }
        lines.sort_unstable();
        lines
            .chunk_by(|a, b| a.0 == b.0)
            .map(|equal| (equal[0].0, equal.iter().map(|&(_, at)| at).collect()))
            .collect()
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
        spelled.sort_unstable();
        spelled.dedup();
        spelled
            .chunk_by(|a, b| a.0 == b.0)
            .map(|equal| (equal[0].0, equal.iter().map(|&(_, at)| at).collect()))
            .collect()
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
        let mut offset = 0;
        for line in window.whole_lines().split('\n') {
            if offset >= behind
                && !line.trim().is_empty()
                && Some(line) != own_end
                && known.insert(line)
            {
                lines.push((
                    line,
                    Occurrence {
                        window: at.window,
                        offset: offset + line.len(),
                    },
                ));
            }
            offset += line.len() + 1;
        }
        lines
    }

    /// Those of [`Shown::lines_after`] that a model is offered: `old` begins the first line of a
    /// block of four lines or more (see [`super::block_ends`]), and they are lines of that block.
    pub fn block_ends(&self, at: Occurrence, old: &str) -> Vec<(&str, Occurrence)> {
        let blocks = self.windows[at.window].blocks();
        let begun = |block: &&BlockOffsets| at.offset == block.start || at.offset == block.ink;
        let Some(block) = blocks.iter().find(begun) else {
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

/// The bytes of some lines of a text, counted from 1, with their line endings; those of them that
/// there are.
pub fn line_bytes(text: &str, lines: &RangeInclusive<usize>) -> Range<usize> {
    let starts = || std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1));
    let start = starts()
        .nth(lines.start().saturating_sub(1))
        .unwrap_or(text.len());
    let end = starts().nth(*lines.end()).unwrap_or(text.len());
    start..end.max(start)
}

/// The bytes of the whole lines that a range touches, with their line endings.
pub fn line_bytes_around(text: &str, range: &Range<usize>) -> Range<usize> {
    let start = text[..range.start].rfind('\n').map_or(0, |at| at + 1);
    let ends_line = range.start < range.end && text[..range.end].ends_with('\n');
    let end = match text[range.end..].find('\n') {
        _ if ends_line => range.end,
        Some(at) => range.end + at + 1,
        None => text.len(),
    };
    start..end
}

/// Unique names for several occurrences in file order: `parse, line 12`, with the column where two
/// are on one line. The definition comes first: a model copies it from the task, and if it occurs
/// only once there, the rest is certain.
pub fn place_labels(shown: &Shown, occurrences: &[Occurrence]) -> Vec<String> {
    let mut places = Vec::with_capacity(occurrences.len());
    let mut counted = Occurrence {
        window: usize::MAX,
        offset: 0,
    };
    let (mut line_idx, mut line_start) = (0, 0);
    for &at in occurrences {
        let window = &shown.windows[at.window];
        if counted.window != at.window {
            (counted, line_idx, line_start) = (
                Occurrence {
                    window: at.window,
                    offset: 0,
                },
                0,
                0,
            );
        }
        for (i, _) in window.text[counted.offset..at.offset].match_indices('\n') {
            (line_idx, line_start) = (line_idx + 1, counted.offset + i + 1);
        }
        counted = at;
        let cut = if line_idx == 0 {
            window.first_column
        } else {
            0
        };
        let column = cut + window.text[line_start..at.offset].chars().count() + 1;
        places.push((window.first_line + line_idx, column, window.scope(line_idx)));
    }
    let mut labels = Vec::with_capacity(places.len());
    for (i, &(line, column, scope)) in places.iter().enumerate() {
        let on_this_line = |j: Option<usize>| {
            j.and_then(|j| places.get(j))
                .is_some_and(|other| other.0 == line)
        };
        let mut label = scope.map_or_else(String::new, |name| format!("{name}, "));
        label.push_str(&format!("line {line}"));
        if on_this_line(i.checked_sub(1)) || on_this_line(Some(i + 1)) {
            label.push_str(&format!(" column {column}"));
        }
        labels.push(label);
    }
    labels
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
    /// The blocks that an answer may name by their ends, in the order of their first lines.
    pub fn blocks(&self) -> Vec<BlockOffsets> {
        let lines: Vec<&str> = self.whole_lines().split('\n').collect();
        let starts: Vec<usize> = lines
            .iter()
            .scan(0, |next, line| {
                let start = *next;
                *next += line.len() + 1;
                Some(start)
            })
            .collect();
        block_ends(&lines)
            .into_iter()
            .enumerate()
            .filter_map(|(first, last)| {
                let start = starts[first];
                let ink = start + lines[first].len() - lines[first].trim_start().len();
                Some(BlockOffsets {
                    start,
                    ink,
                    last_line: starts[last?],
                })
            })
            .collect()
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

/// Consecutive lines that are shown together or not at all.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    /// Byte range in the text, including the last newline.
    pub range: Range<usize>,
    /// The number of its first line, counted from 1.
    pub first_line: usize,
}

fn window(text: &str, outline: &Outline, range: Range<usize>, first_line: usize) -> Window {
    let mut scopes: Vec<(usize, Option<String>)> = Vec::new();
    let n_lines = text[range.clone()].split('\n').count();
    for line_idx in 0..n_lines {
        let name = outline.enclosing(first_line - 1 + line_idx);
        if scopes
            .last()
            .is_none_or(|(_, last)| last.as_deref() != name)
        {
            scopes.push((line_idx, name.map(str::to_owned)));
        }
    }
    let first_column = text[..range.start]
        .chars()
        .rev()
        .take_while(|&c| c != '\n')
        .count();
    let is_cut = !text[range.end..].is_empty() && !text[range.end..].starts_with('\n');
    Window {
        text: text[range.clone()].to_owned(),
        offset: range.start,
        first_line,
        first_column,
        is_cut,
        scopes,
    }
}

/// Cuts a text into blocks that depend only on the text, so that a block is the same for every
/// task. Together they are the whole text. None exceeds its size limits, unless a single word or
/// letter does.
pub fn blocks(text: &str, outline: &Outline, size: BlockSize) -> Vec<Block> {
    let mut blocks = Vec::new();
    let (mut start, mut start_line, mut offset, mut previous_blank) = (0, 1, 0, false);
    for (line_idx, line) in text.split_inclusive('\n').enumerate() {
        let n_lines = line_idx + 1 - start_line;
        let good_cut = previous_blank || outline.opens(line_idx);
        let full = n_lines >= size.most_lines || offset + line.len() - start > size.most_bytes;
        if offset > start && (full || (n_lines >= size.lines && good_cut)) {
            blocks.push(Block {
                range: start..offset,
                first_line: start_line,
            });
            (start, start_line) = (offset, line_idx + 1);
        }
        offset += line.len();
        if offset - start > size.most_bytes {
            // Cut only where an excerpt may end. Then an excerpt can end at the end of a window
            // only if it can end there in the file.
            let line_at = start;
            let offsets = boundary_offsets(line);
            for pair in offsets.windows(2) {
                let (at, next) = (line_at + pair[0], line_at + pair[1]);
                if next - start > size.most_bytes && at > start {
                    blocks.push(Block {
                        range: start..at,
                        first_line: start_line,
                    });
                    start = at;
                }
            }
        }
        previous_blank = line.trim().is_empty();
    }
    if offset > start || blocks.is_empty() {
        blocks.push(Block {
            range: start..offset,
            first_line: start_line,
        });
    }
    blocks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_as_short_as_asked_for() {
        let text = format!("{}\n{}\nend", "word (x) ".repeat(200), "line\n".repeat(200));
        for max in [40, 100, 2_400] {
            let blocks = blocks(
                &text,
                &Outline::of(&text),
                BlockSize {
                    most_bytes: max,
                    ..BlockSize::LARGE
                },
            );
            assert!(
                blocks
                    .iter()
                    .all(|block| !block.range.is_empty() && block.range.len() <= max),
                "{max}"
            );
            assert_eq!(
                blocks
                    .iter()
                    .map(|block| &text[block.range.clone()])
                    .collect::<String>(),
                text
            );
        }
    }

    #[test]
    fn a_part_of_what_is_shown_by_lines() {
        let text = "a\nb\n\nd\ne\n";
        let parts = |shown: &Shown, lines: RangeInclusive<usize>| -> Vec<(usize, usize, String)> {
            let windows = shown.within_lines(text, &lines).windows.into_iter();
            windows
                .map(|window| (window.offset, window.first_line, window.text))
                .collect()
        };
        let whole = Shown::whole(text);
        assert_eq!(parts(&whole, 1..=9), [(0, 1, "a\nb\n\nd\ne".to_owned())]);
        assert_eq!(parts(&whole, 2..=4), [(2, 2, "b\n\nd".to_owned())]);
        assert_eq!(parts(&whole, 3..=3), [(4, 3, String::new())]);
        assert_eq!(parts(&whole, 5..=5), [(7, 5, "e".to_owned())]);
        let block = |range: Range<usize>, first_line| Block { range, first_line };
        let blocks = vec![block(0..2, 1), block(5..9, 4)];
        let two = Shown::of_blocks(text, &Outline::of(text), blocks);
        assert_eq!(
            parts(&two, 1..=4),
            [(0, 1, "a".to_owned()), (5, 4, "d".to_owned())]
        );
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
        assert_eq!(
            labels,
            [
                "a, line 2",
                "b, line 5 column 5",
                "b, line 5 column 12",
                "line 7"
            ]
        );
    }

    #[test]
    fn places_in_the_windows_of_one_long_line_are_told_apart() {
        let text = "foo = bar; ".repeat(2_000);
        let all = blocks(&text, &Outline::of(&text), BlockSize::LARGE);
        let file_boundaries = boundaries(&text);
        assert!(
            all.iter()
                .all(|block| file_boundaries.contains(block.range.end))
        );
        let shown = Shown::of_blocks(
            &text,
            &Outline::of(&text),
            vec![all[0].clone(), all[2].clone(), all[4].clone()],
        );
        assert_eq!(shown.windows.len(), 3);
        let occurrences = shown.occurrences("foo");
        let labels: std::collections::BTreeSet<String> =
            place_labels(&shown, &occurrences).into_iter().collect();
        assert_eq!(labels.len(), occurrences.len());
        let last = shown.file_offset(occurrences[occurrences.len() - 1]);
        assert!(labels.contains(&format!("line 1 column {}", last + 1)));
    }

    #[test]
    fn naming_many_places_takes_linear_time() {
        let text = "same\n".repeat(200_000);
        let shown = Shown::whole(&text);
        let lines = shown.anchor_lines();
        let labels = place_labels(&shown, &lines[0].1); // quadratic, this would take minutes
        assert_eq!(labels[199_999], "line 200000");
    }

    #[test]
    fn anchors_are_lines_with_something_on_them() {
        let shown = Shown::whole("a\n\n  b\na\n");
        let lines: Vec<(&str, usize)> = shown
            .anchor_lines()
            .iter()
            .map(|(line, at)| (*line, at.len()))
            .collect();
        assert_eq!(lines, [("  b", 1), ("a", 2)]);
        assert_eq!(
            Shown::whole("").anchor_lines(),
            [(
                "",
                vec![Occurrence {
                    window: 0,
                    offset: 0
                }]
            )]
        );
    }

    #[test]
    fn blocks_are_the_text_and_their_cuts_depend_on_it_alone() {
        let text: String = (1..=500)
            .map(|i| {
                if i % 50 == 0 {
                    format!("fn f{i}() {{\n")
                } else {
                    format!("    line {i}\n")
                }
            })
            .collect();
        let blocks = blocks(&text, &Outline::of(&text), BlockSize::LARGE);
        assert_eq!(
            blocks
                .iter()
                .map(|b| &text[b.range.clone()])
                .collect::<String>(),
            text
        );
        assert!(
            blocks
                .iter()
                .all(|b| b.first_line == text[..b.range.start].lines().count() + 1)
        );
        assert!(
            blocks[1..]
                .iter()
                .all(|b| text[b.range.clone()].starts_with("fn ")),
            "cut at definitions"
        );
    }

    #[test]
    fn chosen_blocks_are_shown_as_windows() {
        let text: String = (1..=300).map(|i| format!("line {i}\n")).collect();
        let all = blocks(&text, &Outline::of(&text), BlockSize::LARGE);
        let shown = Shown::of_blocks(
            &text,
            &Outline::of(&text),
            vec![all[3].clone(), all[0].clone(), all[1].clone()],
        );
        assert_eq!(shown.windows.len(), 2, "neighbours are joined");
        for window in &shown.windows {
            assert_eq!(text[window.offset..][..window.text.len()], window.text);
            assert!(
                window
                    .text
                    .starts_with(&format!("line {}\n", window.first_line))
            );
        }
        assert!(shown.prompt_text().contains("\n⋯\nline 181\n"));
        assert_eq!(
            Shown::of_blocks(&text, &Outline::of(&text), all).windows,
            Shown::whole(&text).windows
        );
    }

    #[test]
    fn a_line_longer_than_a_block_is_cut() {
        let text = format!("{}needle{}\nlast", "a ".repeat(3_000), "é ".repeat(3_000));
        let blocks = blocks(&text, &Outline::of(&text), BlockSize::LARGE);
        assert!(
            blocks
                .iter()
                .all(|b| b.range.len() <= BlockSize::LARGE.most_bytes + "needle".len())
        );
        assert_eq!(
            blocks
                .iter()
                .map(|b| &text[b.range.clone()])
                .collect::<String>(),
            text
        );
        assert!(
            blocks.iter().all(|b| b.first_line == 1),
            "all of them begin in the long line"
        );
    }

    #[test]
    fn a_whole_file_is_shown_without_its_last_line_feed() {
        assert_eq!(Shown::whole("a\nb\n").prompt_text(), "a\nb");
        assert_eq!(Shown::whole("a\n\n").prompt_text(), "a\n");
    }
}
