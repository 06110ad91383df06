//! The part of an output that says most about a failure.

use super::lines::{both_ends, cut, without_colors};
use super::results::Results;

/// The part of an output that says most about a failure, at most this many bytes: what was printed
/// about the tests in `wanted`, then about others that failed; where nothing is known of tests, why
/// nothing was built; else both ends.
pub fn relevant<'n>(
    output: &str,
    results: &Results,
    wanted: impl IntoIterator<Item = &'n String>,
    max_bytes: usize,
) -> String {
    let wanted: Vec<&String> = wanted.into_iter().collect();
    let others = results
        .failures
        .keys()
        .filter(|name| !wanted.contains(name));
    let mut blocks: Vec<&str> = wanted
        .iter()
        .copied()
        .chain(others)
        .filter_map(|name| results.failures.get(name))
        .map(String::as_str)
        .collect();
    blocks.dedup();
    let output = without_colors(output);
    let around_error = results
        .not_built
        .as_ref()
        .and_then(|line| output.find(line.as_str()).map(|at| from_line(&output, at)));
    let chosen = match (around_error, blocks.is_empty()) {
        (Some(at), _) => cut(&output[at..], max_bytes),
        (None, true) => both_ends(&output, max_bytes),
        (None, false) => {
            let share = max_bytes / blocks.len().min(3);
            let mut text = String::new();
            for block in blocks {
                if text.len() + share.min(block.len()) + 2 > max_bytes {
                    break;
                }
                text += both_ends(block, share).trim_end();
                text += "\n\n";
            }
            text
        }
    };
    chosen.trim().to_owned()
}

fn from_line(text: &str, at: usize) -> usize {
    text[..at].rfind('\n').map_or(0, |line_feed| line_feed + 1)
}
