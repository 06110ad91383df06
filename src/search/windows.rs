//! Which parts of a long file matter most for a task.

use super::lines;
use crate::text::{self, Block, BlockSize, Outline};

/// More blocks than this never fit a prompt.
const MOST_BLOCKS: usize = 64;

/// Weight of a block at an end of the file, where imports and the like are: less than a word of the
/// task.
const AT_ENDS: f64 = 1.0;

/// The blocks of a file that matter most for a task, best first, without empty ones.
pub fn best_blocks(task: &str, text: &str, outline: &Outline, size: BlockSize) -> Vec<Block> {
    let blocks = text::blocks(text, outline, size);
    let mut lines = Vec::new();
    let mut scopes = Vec::new();
    let mut block_of_line = Vec::new();
    for (block_idx, block) in blocks.iter().enumerate() {
        for (i, line) in text[block.range.clone()].split_inclusive('\n').enumerate() {
            lines.push(line);
            scopes.push(outline.enclosing(block.first_line - 1 + i));
            block_of_line.push(block_idx);
        }
    }
    let last = blocks.len() - 1;
    let mut weighed: Vec<(f64, Block)> = blocks
        .into_iter()
        .enumerate()
        .map(|(i, block)| (if i == 0 || i == last { AT_ENDS } else { 0.0 }, block))
        .collect();
    for (block_idx, weight) in block_of_line.into_iter().zip(lines::weigh(task, &lines, &scopes)) {
        weighed[block_idx].0 += weight;
    }
    weighed.retain(|(_, block)| !text[block.range.clone()].trim().is_empty());
    weighed.sort_by(|a, b| b.0.total_cmp(&a.0));
    weighed.truncate(MOST_BLOCKS);
    weighed.into_iter().map(|(_, block)| block).collect()
}
