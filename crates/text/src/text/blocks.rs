//! Cuts a text into blocks: lines that are shown to a model together or not at all.

use super::excerpt_bounds::boundary_offsets;
use super::outline::Outline;
use std::ops::Range;

/// Consecutive lines that are shown together or not at all.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    /// Byte range in the text, including the last newline.
    pub range: Range<usize>,
    /// The number of its first line, counted from 1.
    pub first_line: usize,
}

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
    pub const LARGE: BlockSize = BlockSize::new(40, 60, 2_400);
    /// Enough for most functions, so that a prompt has room for several.
    pub const MEDIUM: BlockSize = BlockSize::new(20, 40, 1_600);
    /// Enough for a few lines.
    pub const SMALL: BlockSize = BlockSize::new(3, 10, 400);
    /// For vocabularies that need so many tokens that no larger block fits: at most one token per
    /// byte.
    pub const TINY: BlockSize = BlockSize::new(40, 60, 240);

    const fn new(lines: usize, most_lines: usize, most_bytes: usize) -> BlockSize {
        BlockSize {
            lines,
            most_lines,
            most_bytes,
        }
    }
}

/// Cuts a text into blocks that depend only on the text, so that a block is the same for every
/// task. Together they are the whole text. None exceeds its size limits, unless a single word or
/// letter does.
pub fn blocks(text: &str, outline: &Outline, size: BlockSize) -> Vec<Block> {
    let mut blocks = Vec::new();
    let mut block = Block {
        range: 0..0,
        first_line: 1,
    };
    let mut is_after_blank = false;
    for (line_idx, line) in text.split_inclusive('\n').enumerate() {
        let n_lines = line_idx + 1 - block.first_line;
        let is_good_cut = is_after_blank || outline.opens(line_idx);
        let is_full =
            n_lines >= size.most_lines || block.range.len() + line.len() > size.most_bytes;
        if !block.range.is_empty() && (is_full || (n_lines >= size.lines && is_good_cut)) {
            let at = block.range.end;
            blocks.push(block);
            block = Block {
                range: at..at,
                first_line: line_idx + 1,
            };
        }

        let line_at = block.range.end;
        block.range.end += line.len();
        if block.range.len() > size.most_bytes {
            for cut in cuts(line, size.most_bytes) {
                let range = block.range.start..line_at + cut;
                block.range.start = range.end;
                let first_line = block.first_line;
                blocks.push(Block { range, first_line });
            }
        }
        is_after_blank = line.trim().is_empty();
    }

    if !block.range.is_empty() || blocks.is_empty() {
        blocks.push(block);
    }
    blocks
}

/// The offsets at which a long line is cut. They are where an excerpt may end. So an excerpt can end
/// at the end of a window only if it can end there in the file.
fn cuts(line: &str, most_bytes: usize) -> Vec<usize> {
    let mut cuts = Vec::new();
    let mut start = 0;
    for pair in boundary_offsets(line).windows(2) {
        if pair[1] - start > most_bytes && pair[0] > start {
            cuts.push(pair[0]);
            start = pair[0];
        }
    }
    cuts
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks that blocks are the whole text, and returns them.
    #[track_caller]
    fn blocks_of(text: &str, size: BlockSize) -> Vec<Block> {
        let blocks = blocks(text, &Outline::of(text), size);
        let joined: String = blocks.iter().map(|it| &text[it.range.clone()]).collect();
        assert_eq!(joined, text);
        for block in &blocks {
            assert_eq!(
                block.first_line,
                text[..block.range.start].matches('\n').count() + 1
            );
        }
        blocks
    }

    #[test]
    fn blocks_are_as_short_as_asked_for() {
        let text = format!("{}\n{}\nend", "word (x) ".repeat(200), "line\n".repeat(200));
        for most_bytes in [40, 100, 2_400] {
            let size = BlockSize {
                most_bytes,
                ..BlockSize::LARGE
            };
            for Block { range, .. } in blocks_of(&text, size) {
                assert!(!range.is_empty() && range.len() <= most_bytes);
            }
        }
    }

    #[test]
    fn blocks_end_before_definitions() {
        let mut text = String::new();
        for i in 1..=500 {
            if i % 50 == 0 {
                text += &format!("fn f{i}() {{\n");
            } else {
                text += &format!("    line {i}\n");
            }
        }
        for block in &blocks_of(&text, BlockSize::LARGE)[1..] {
            assert!(text[block.range.clone()].starts_with("fn "));
        }
    }

    #[test]
    fn a_line_longer_than_a_block_is_cut() {
        let text = format!("{}needle{}\nlast", "a ".repeat(3_000), "é ".repeat(3_000));
        for Block { range, .. } in blocks_of(&text, BlockSize::LARGE) {
            assert!(range.len() <= BlockSize::LARGE.most_bytes + "needle".len());
        }
    }
}
