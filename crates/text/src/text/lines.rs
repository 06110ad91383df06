//! Lines of a text: where they begin and end.

use std::ops::{Range, RangeInclusive};

/// The offset at which the line around an offset begins.
pub fn line_start(text: &str, at: usize) -> usize {
    text[..at].rfind('\n').map_or(0, |newline| newline + 1)
}

/// The offset at which the line around an offset ends, before its newline.
pub fn line_end(text: &str, at: usize) -> usize {
    text[at..]
        .find('\n')
        .map_or(text.len(), |newline| at + newline)
}

/// The whitespace before a line's text.
pub fn indentation(line: &str) -> &str {
    &line[..line.len() - line.trim_start().len()]
}

/// The byte range of some lines of a text, counted from 1, with their line endings. Lines that the
/// text does not have are left out.
pub fn line_bytes(text: &str, lines: &RangeInclusive<usize>) -> Range<usize> {
    let start = nth_line_start(text, lines.start().saturating_sub(1));
    let end = nth_line_start(text, *lines.end());
    start..end.max(start)
}

/// The start of a line, counted from 0; the end of the text if there are not so many.
fn nth_line_start(text: &str, n: usize) -> usize {
    let mut starts = std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1));
    starts.nth(n).unwrap_or(text.len())
}

/// The byte range of the whole lines that a range touches, with their line endings.
pub fn line_bytes_around(text: &str, range: &Range<usize>) -> Range<usize> {
    let start = line_start(text, range.start);
    if range.start < range.end && text[..range.end].ends_with('\n') {
        start..range.end
    } else {
        start..text.len().min(line_end(text, range.end) + 1)
    }
}
