//! Stage 1's right answer, where it can be told from what is right afterwards: given to a model, it
//! shows how much of what goes wrong goes wrong in choosing, and how much in writing.

use super::task::EvalTask;
use super::tree::Tree;
use crate::edit::whole_token_ranges;
use crate::slots::{CreatePick, CreateWord, FilePick, Operation, Pick};
use similar::{DiffTag, TextDiff};

/// The right answer; none where only a check decides, or no edit is right.
pub fn pick(task: &EvalTask) -> Option<Pick> {
    let accepted = task.accepted.first()?;
    let path = accepted
        .iter()
        .find(|(path, bytes)| task.before.get(*path) != Some(bytes))?
        .0;
    let text = |tree: &Tree| {
        tree.get(path)
            .map(|bytes| String::from_utf8_lossy(bytes).into_owned())
    };
    let (Some(before), Some(after)) = (text(&task.before), text(accepted)) else {
        return Some(Pick::Create(CreatePick {
            operation: CreateWord::Create,
        }));
    };
    Some(Pick::File(FilePick {
        path: path.clone(),
        operation: operation(&before, &after),
    }))
}

/// The operation that makes this change in one go.
pub fn operation(before: &str, after: &str) -> Operation {
    let diff = TextDiff::from_lines(before, after);
    let changes: Vec<_> = diff
        .ops()
        .iter()
        .filter(|op| op.tag() != DiffTag::Equal)
        .collect();
    match changes.as_slice() {
        [only] if only.tag() == DiffTag::Insert => Operation::Insert,
        _ if rename(before, after).is_some() => Operation::ReplaceAll,
        _ => Operation::Replace,
    }
}

/// The word that becomes another one wherever it occurs, in several places, and that other one.
pub fn rename(before: &str, after: &str) -> Option<(String, String)> {
    // Both names are around the first difference.
    let same: usize = before
        .chars()
        .zip(after.chars())
        .take_while(|(a, b)| a == b)
        .map(|(c, _)| c.len_utf8())
        .sum();
    let is_of_name = |c: char| c.is_alphanumeric() || c == '_';
    let start = before[..same].trim_end_matches(is_of_name).len();
    let name = |text: &str| {
        text[start..]
            .chars()
            .take_while(|&c| is_of_name(c))
            .collect::<String>()
    };
    let (old, new) = (name(before), name(after));
    if old.is_empty() || new.is_empty() {
        return None;
    }
    let ranges = whole_token_ranges(before, &old);
    let mut renamed = String::with_capacity(after.len());
    let mut from = 0;
    for range in &ranges {
        renamed.extend([&before[from..range.start], &new]);
        from = range.end;
    }
    renamed.push_str(&before[from..]);
    (ranges.len() > 1 && renamed == after).then_some((old, new))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_operation_is_the_one_that_makes_the_change_in_one_go() {
        assert_eq!(operation("a\nb\n", "a\nnew\nb\n"), Operation::Insert);
        assert_eq!(
            operation("load(1)\nload(2)\n", "fetch(1)\nfetch(2)\n"),
            Operation::ReplaceAll
        );
        assert_eq!(
            operation("load(1)\nload(2)\n", "fetch(1)\nload(2)\n"),
            Operation::Replace
        );
        assert_eq!(
            operation("a = 1\nb = 1\n", "a = 2\nb = 1\n"),
            Operation::Replace
        );
        assert_eq!(operation("a\nb\n", "b\n"), Operation::Replace);
    }
}
