//! The part of an output that says most about a failure.

use super::lines::{both_ends, cut, without_colors};
use super::results::Results;

/// The part of an output that says most about a failure, at most this many bytes. That is the error
/// of the compiler; or what was printed about the tests in `wanted`, then about others that failed;
/// or both ends of the output.
pub fn relevant<'n>(
    output: &str,
    results: &Results,
    wanted: impl IntoIterator<Item = &'n String>,
    max_bytes: usize,
) -> String {
    let output = without_colors(output);
    if let Some(line) = &results.not_built
        && let Some(at) = output.find(line.as_str())
    {
        let start = output[..at].rfind('\n').map_or(0, |newline| newline + 1);
        return cut(&output[start..], max_bytes).trim().to_owned();
    }

    let wanted: Vec<&String> = wanted.into_iter().collect();
    let names = results.failures.keys();
    let others = names.filter(|name| !wanted.contains(name));
    let mut failures: Vec<&String> = wanted
        .iter()
        .copied()
        .chain(others)
        .filter_map(|name| results.failures.get(name))
        .collect();
    failures.dedup();
    if failures.is_empty() {
        return both_ends(&output, max_bytes).trim().to_owned();
    }

    // Of many failures, the first ones are shown.
    let share = max_bytes / failures.len().min(3);
    let mut text = String::new();
    for failure in failures {
        if text.len() + share.min(failure.len()) + 2 > max_bytes {
            break;
        }
        text += both_ends(failure, share).trim_end();
        text += "\n\n";
    }
    text.trim().to_owned()
}
