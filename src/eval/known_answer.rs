//! Stage 1's right answer, where the right edit tells it. A model that is given this answer can only
//! fail in writing, not in choosing.

use super::task::EvalTask;
use crate::edit::whole_token_ranges;
use crate::slots::{CreatePick, CreateWord, FilePick, Operation, Pick};
use similar::{DiffTag, TextDiff};

/// The right answer; `None` if only a check decides, or no edit is right.
pub fn pick(task: &EvalTask) -> Option<Pick> {
    let accepted = task.accepted.first()?;
    let (path, after) = accepted
        .iter()
        .find(|(path, bytes)| task.before.get(*path) != Some(bytes))?;
    let Some(before) = task.before.get(path) else {
        return Some(Pick::Create(CreatePick {
            operation: CreateWord::Create,
        }));
    };

    let [before, after] = [before, after].map(|bytes| String::from_utf8_lossy(bytes));
    Some(Pick::File(FilePick {
        path: path.clone(),
        operation: operation(&before, &after),
    }))
}

/// The operation that makes this change in one go.
pub fn operation(before: &str, after: &str) -> Operation {
    let diff = TextDiff::from_lines(before, after);
    let mut changes = diff.ops().iter().map(|op| op.tag()).collect::<Vec<_>>();
    changes.retain(|tag| *tag != DiffTag::Equal);
    if changes == [DiffTag::Insert] {
        Operation::Insert
    } else if rename(before, after).is_some() {
        Operation::ReplaceAll
    } else {
        Operation::Replace
    }
}

/// The old and the new name, if the change is that all of several occurrences of one are replaced
/// by the other.
pub fn rename(before: &str, after: &str) -> Option<(String, String)> {
    // Both names are around the first difference.
    let same = before.chars().zip(after.chars());
    let same = same.take_while(|(a, b)| a == b);
    let n_same: usize = same.map(|(c, _)| c.len_utf8()).sum();
    let start = before[..n_same].trim_end_matches(is_of_name).len();
    let [old, new] = [before, after].map(|text| {
        let name = text[start..].chars().take_while(|c| is_of_name(*c));
        name.collect::<String>()
    });
    if old.is_empty() || new.is_empty() {
        return None;
    }

    let ranges = whole_token_ranges(before, &old);
    let mut renamed = before.to_owned();
    for range in ranges.iter().rev() {
        renamed.replace_range(range.clone(), &new);
    }
    (ranges.len() > 1 && renamed == after).then_some((old, new))
}

fn is_of_name(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_operation_is_the_one_that_makes_the_change_in_one_go() {
        let check = |before, after, expected| assert_eq!(operation(before, after), expected);
        check("a\nb\n", "a\nnew\nb\n", Operation::Insert);
        let calls = "load(1)\nload(2)\n";
        check(calls, "fetch(1)\nfetch(2)\n", Operation::ReplaceAll);
        check(calls, "fetch(1)\nload(2)\n", Operation::Replace);
        check("a = 1\nb = 1\n", "a = 2\nb = 1\n", Operation::Replace);
        check("a\nb\n", "b\n", Operation::Replace);
    }
}
