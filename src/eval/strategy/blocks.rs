//! One free answer of search/replace blocks, located and applied as `slotwright apply` does it.

use super::attempt::{Made, MechanicsKind};
use super::free_answer::AnswerFormat;
use crate::apply::{self, Failed, FailedKind, Files};
use crate::eval::tree::Tree;
use crate::format::{Format, FormatError};
use crate::prompt::{WorkedEdit, WorkedExample};
use crate::text::Text;
use crate::text::line_diff;
use std::ops::Range;

pub(super) const FORMAT: AnswerFormat = AnswerFormat {
    system: "You edit files. You answer a task with one or several search/replace blocks and \
        nothing else. A block has the path of the file on a line of its own, then the lines to \
        search for, copied exactly from the file, then the lines that replace them. \
        Without lines to search for it makes a new file. \
        To change nothing, answer NO EDIT and why.",
    write,
    read,
};

fn write(example: &WorkedExample) -> String {
    match &example.edit {
        WorkedEdit::Declined(reason) => format!("NO EDIT: {}", reason.word()),
        WorkedEdit::Create { path, text } => block(path, "", text),
        WorkedEdit::Change {
            path,
            before,
            after,
        } => blocks(path, before, after).concat(),
    }
}

fn block(path: &str, old: &str, new: &str) -> String {
    format!("{path}\n<<<<<<< SEARCH\n{old}=======\n{new}>>>>>>> REPLACE\n")
}

/// A block for each place where two texts differ. It has so many lines around that place that the
/// lines to search for are unique. The blocks of an example do not overlap: a test applies them.
fn blocks(path: &str, before: &str, after: &str) -> Vec<String> {
    let old: Vec<&str> = before.split_inclusive('\n').collect();
    let new: Vec<&str> = after.split_inclusive('\n').collect();
    let mut blocks = Vec::new();
    for op in line_diff::diff(&old, &new) {
        if op.tag() == similar::DiffTag::Equal {
            continue;
        }

        let Range { start, end } = op.old_range();
        let mut searched = start..end;
        while searched.len() < old.len() && !is_unique(&old, &old[searched.clone()]) {
            // The line above tells the place best.
            if searched.start > 0 {
                searched.start -= 1;
            } else {
                searched.end += 1;
            }
        }
        let kept_above = &old[searched.start..start];
        let kept_below = &old[end..searched.end];
        let replaced = [kept_above, &new[op.new_range()], kept_below].concat();
        blocks.push(block(path, &old[searched].concat(), &replaced.concat()));
    }
    blocks
}

fn is_unique(all: &[&str], lines: &[&str]) -> bool {
    !lines.is_empty() && all.windows(lines.len()).filter(|w| *w == lines).count() == 1
}

fn read(answer: &str, before: &Tree) -> Made {
    let patch = match Format::SearchReplace.parse(answer) {
        Ok(patch) => patch,
        Err(FormatError::NoEdit) if answer.contains("NO EDIT") => {
            return Made::Declined(answer.trim().to_owned());
        }
        Err(FormatError::NoEdit) => {
            let message = "there is no block in the answer".to_owned();
            return Made::Mechanics(MechanicsKind::NoJson, message);
        }
        Err(error) => return Made::Mechanics(MechanicsKind::NoJson, error.to_string()),
    };

    let files = InTree {
        tree: before,
        listing: before.keys().cloned().collect(),
    };
    let plan = apply::apply(&patch, None, &files);
    // All or nothing, as the program writes it.
    if let Some((_, failed)) = plan.failed().next() {
        return Made::Mechanics(kind(failed), failed.message.clone());
    }

    let mut after = before.clone();
    for file in plan.files {
        after.remove(&file.path);
        if let Some(bytes) = file.after {
            after.insert(file.moved_to.unwrap_or(file.path), bytes);
        }
    }
    Made::Edited(after)
}

fn kind(failed: &Failed) -> MechanicsKind {
    match (failed.kind, &failed.miss) {
        (FailedKind::NoPath | FailedKind::NoFile | FailedKind::AmbiguousPath, _) => {
            MechanicsKind::PathNotReal
        }
        (FailedKind::Place, Some(miss)) => MechanicsKind::of_miss(miss),
        _ => MechanicsKind::CannotApply,
    }
}

struct InTree<'t> {
    tree: &'t Tree,
    listing: Vec<String>,
}

impl Files for InTree<'_> {
    fn listing(&self) -> &[String] {
        &self.listing
    }

    fn read(&self, path: &str) -> Result<Option<Text>, String> {
        let text = self.tree.get(path).map(|bytes| Text::decode(bytes.clone()));
        text.transpose().map_err(|error| error.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::tree::tree;

    #[test]
    fn blocks_are_applied_or_say_what_kind_of_failure_it_is() {
        let before = tree([("a.py", "x = 1\ny = 2\nx = 1\n")]);
        let after = tree([("a.py", "x = 1\ny = 3\nx = 1\n")]);
        let right = block("a.py", "y = 2\n", "y = 3\n");
        assert_eq!(read(&right, &before), Made::Edited(after));
        let no = read("NO EDIT: it is there already", &before);
        assert!(matches!(no, Made::Declined(_)));
        for (answer, expected) in [
            (
                block("a.py", "x = 1\n", "x = 3\n"),
                MechanicsKind::Ambiguous,
            ),
            (
                block("a.py", "z = 1\n", "x = 3\n"),
                MechanicsKind::TextNotFound,
            ),
            (
                block("b.py", "z = 1\n", "x = 3\n"),
                MechanicsKind::PathNotReal,
            ),
            ("It is done.".to_owned(), MechanicsKind::NoJson),
        ] {
            let made = read(&answer, &before);
            assert!(
                matches!(made, Made::Mechanics(kind, _) if kind == expected),
                "{answer}"
            );
        }
    }

    #[test]
    fn a_block_has_the_lines_that_make_it_unique() {
        let check = |before: &str, after: &str, expected: &[(&str, &str)]| {
            let expected = expected.iter().map(|(old, new)| block("a", old, new));
            assert_eq!(blocks("a", before, after), expected.collect::<Vec<_>>());
        };
        check("a\nb\n", "a\nc\n", &[("b\n", "c\n")]);
        check("a\nb\n", "a\nx\nb\n", &[("a\n", "a\nx\n")]);
        check("a\nb\n", "x\na\nb\n", &[("a\n", "x\na\n")]);
        check("a\nx\nb\nx\n", "a\nx\nb\ny\n", &[("b\nx\n", "b\ny\n")]);
        check("x\na\nx\n", "y\na\nx\n", &[("x\na\n", "y\na\n")]);
        check("a\nb\nc\n", "x\nb\ny\n", &[("a\n", "x\n"), ("c\n", "y\n")]);
    }
}
