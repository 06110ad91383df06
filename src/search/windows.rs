//! Which parts of a long file matter most for a task.

use super::bm25;
use super::terms::Terms;
use crate::text::{self, Block, BlockSize, Outline};
use std::ops::Range;

/// More blocks than this never fit a prompt.
const MOST_BLOCKS: usize = 64;

/// Weight of a block at an end of the file, where imports and the like are: less than a word of the
/// task.
const AT_ENDS: f64 = 0.1;

/// The blocks of a file that matter most for a task, best first, without empty ones. Those that meet
/// the ranges `first` come before all others, and those that meet the last of them before these.
pub fn best_blocks(
    task: &str,
    (text, outline): (&str, &Outline),
    size: BlockSize,
    first: &[Range<usize>],
) -> Vec<Block> {
    let terms = Terms::of(task);
    let blocks = text::blocks(text, outline, size);
    let mut counts = Vec::with_capacity(blocks.len());
    for block in &blocks {
        let definition = outline.enclosing(block.first_line - 1).unwrap_or_default();
        let mut of_block = terms.counts(&text[block.range.clone()]);
        of_block.add(&terms.counts(definition));
        counts.push(of_block);
    }
    let weights = bm25::weigh(&counts.iter().collect::<Vec<_>>());

    let last = blocks.len() - 1;
    let mut weighed: Vec<(f64, Block)> = Vec::new();
    for (i, (block, of_terms)) in blocks.into_iter().zip(weights).enumerate() {
        let at_end = if i == 0 || i == last { AT_ENDS } else { 0.0 };
        if !text[block.range.clone()].trim().is_empty() {
            weighed.push((of_terms.iter().sum::<f64>() + at_end, block));
        }
    }
    weighed.sort_by(|a, b| b.0.total_cmp(&a.0));
    for first in first {
        weighed.sort_by_key(|(_, Block { range, .. })| {
            range.end <= first.start || first.end <= range.start
        });
    }
    weighed.truncate(MOST_BLOCKS);
    weighed.into_iter().map(|(_, block)| block).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_with_the_words_of_the_task_come_first() {
        let function = |name: &str, line: &str| {
            format!(
                "def {name}(x):\n{}    {line}\n\n",
                "    x += 1\n".repeat(12)
            )
        };
        let text = [
            ("load", "a = 1"),
            ("save", "a = 1"),
            ("send", "timeout = 3"),
            ("end", "a = 1"),
        ]
        .map(|(name, line)| function(name, line))
        .concat();
        let outline = Outline::of(&text);
        let ranked = |task: &str| -> Vec<String> {
            best_blocks(task, (&text, &outline), BlockSize::SMALL, &[])
                .into_iter()
                .map(|block| text[block.range].to_owned())
                .collect()
        };
        assert!(ranked("raise the timeouts")[0].contains("timeout = 3"));
        // The second block of a function does not have its name, and belongs to it nevertheless.
        let saving = ranked("when saving")[..2].concat();
        assert!(
            saving.contains("def save") && saving.contains("a = 1"),
            "{saving}"
        );
        let ends = ranked("what is this?");
        assert!(
            ends[0].starts_with("def load") && text.ends_with(&ends[1]),
            "{ends:?}"
        );
    }
}
