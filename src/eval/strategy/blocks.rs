//! One free answer of search/replace blocks, located and applied as `slotwright apply` does it.

use super::attempt::{Made, MechanicsKind};
use super::free_answer::AnswerFormat;
use crate::apply::{self, Failed, FailedKind, Files};
use crate::eval::tree::Tree;
use crate::format::{Format, FormatError};
use crate::prompt::{WorkedEdit, WorkedExample};
use crate::text::Text;
use crate::text::line_diff;

pub(super) const FORMAT: AnswerFormat = AnswerFormat {
    system: "You edit files. You answer a task with one or several search/replace blocks and \
        nothing else. A block has the path of the file on a line of its own, then the lines to \
        search for, copied exactly from the file, then the lines that replace them. \
        Without lines to search for it makes a new file. \
        To change nothing, answer NO EDIT and why.",
    write,
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

/// A block for each place where two texts differ, with as many lines around it as make the lines
/// to search for unique. The blocks of an example do not overlap: a test applies them.
fn blocks(path: &str, before: &str, after: &str) -> Vec<String> {
    let old: Vec<&str> = before.split_inclusive('\n').collect();
    let new: Vec<&str> = after.split_inclusive('\n').collect();
    let is_unique = |lines: &[&str]| old.windows(lines.len()).filter(|w| *w == lines).count() == 1;
    let mut blocks = Vec::new();
    for op in line_diff::diff(&old, &new) {
        let (tag, old_range, new_range) = op.as_tag_tuple();
        if tag == similar::DiffTag::Equal {
            continue;
        }
        let (mut above, mut below) = (0, 0);
        let lines = loop {
            let lines = &old[old_range.start - above..old_range.end + below];
            let is_all = lines.len() == old.len();
            if is_all || (!lines.is_empty() && is_unique(lines)) {
                break lines;
            }
            // The line above says best where something is.
            match old_range.start > above {
                true => above += 1,
                false => below += 1,
            }
        };
        let kept_above = &old[old_range.start - above..old_range.start];
        let kept_below = &old[old_range.end..old_range.end + below];
        let replaced = [kept_above, &new[new_range], kept_below].concat().concat();
        blocks.push(block(path, &lines.concat(), &replaced));
    }
    blocks
}

pub(super) fn read(answer: &str, before: &Tree) -> Made {
    let patch = match Format::SearchReplace.parse(answer) {
        Ok(patch) => patch,
        Err(FormatError::NoEdit) if answer.contains("NO EDIT") => {
            return Made::Declined(answer.trim().to_owned());
        }
        Err(FormatError::NoEdit) => {
            return Made::Mechanics(
                MechanicsKind::NoJson,
                "there is no block in the answer".to_owned(),
            );
        }
        Err(error) => return Made::Mechanics(MechanicsKind::NoJson, error.to_string()),
    };
    let plan = apply::apply(
        &patch,
        None,
        &InTree {
            tree: before,
            listing: before.keys().cloned().collect(),
        },
    );
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
    match failed.kind {
        FailedKind::NoPath | FailedKind::NoFile | FailedKind::AmbiguousPath => {
            MechanicsKind::PathNotReal
        }
        FailedKind::Place => failed
            .miss
            .as_ref()
            .map_or(MechanicsKind::CannotApply, |miss| {
                MechanicsKind::of_miss(miss)
            }),
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
        let decode =
            |bytes: &Vec<u8>| Text::decode(bytes.clone()).map_err(|error| error.to_string());
        self.tree.get(path).map(decode).transpose()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prompt::worked_examples;

    #[test]
    fn blocks_are_applied_or_say_what_kind_of_failure_it_is() {
        let before = Tree::from([("a.py".to_owned(), b"x = 1\ny = 2\nx = 1\n".to_vec())]);
        let block = |path: &str, old: &str, new: &str| {
            format!("{path}\n<<<<<<< SEARCH\n{old}\n=======\n{new}\n>>>>>>> REPLACE\n")
        };
        let after = Tree::from([("a.py".to_owned(), b"x = 1\ny = 3\nx = 1\n".to_vec())]);
        assert_eq!(
            read(&block("a.py", "y = 2", "y = 3"), &before),
            Made::Edited(after)
        );
        let mechanics = |answer: &str| match read(answer, &before) {
            Made::Mechanics(kind, _) => kind.name(),
            other => panic!("{answer}: {other:?}"),
        };
        assert_eq!(mechanics(&block("a.py", "x = 1", "x = 3")), "ambiguous");
        assert_eq!(
            mechanics(&block("a.py", "z = 1", "x = 3")),
            "text_not_found"
        );
        assert_eq!(mechanics(&block("b.py", "z = 1", "x = 3")), "path_not_real");
        assert_eq!(mechanics("It is done."), "no_json");
        assert!(matches!(
            read("NO EDIT: it is there already", &before),
            Made::Declined(_)
        ));
    }

    #[test]
    fn the_examples_are_blocks_that_make_their_edits() {
        for example in worked_examples() {
            let answer = write(&example);
            let (before, after) = match &example.edit {
                WorkedEdit::Declined(_) => {
                    assert!(
                        matches!(read(&answer, &Tree::new()), Made::Declined(_)),
                        "{answer}"
                    );
                    continue;
                }
                WorkedEdit::Create { path, text } => (
                    Tree::new(),
                    Tree::from([(path.clone(), text.clone().into_bytes())]),
                ),
                WorkedEdit::Change {
                    path,
                    before,
                    after,
                } => {
                    let tree = |text: &str| Tree::from([(path.to_string(), text.into())]);
                    (tree(before), tree(after))
                }
            };
            assert_eq!(read(&answer, &before), Made::Edited(after), "{answer}");
        }
    }

    #[test]
    fn a_block_has_the_lines_that_make_it_unique() {
        let check = |before: &str, after: &str, expected: &[(&str, &str)]| {
            let expected: Vec<String> = expected
                .iter()
                .map(|(old, new)| block("a", old, new))
                .collect();
            assert_eq!(blocks("a", before, after), expected);
        };
        check("a\nb\n", "a\nc\n", &[("b\n", "c\n")]);
        check("a\nb\n", "a\nx\nb\n", &[("a\n", "a\nx\n")]);
        check("a\nb\n", "x\na\nb\n", &[("a\n", "x\na\n")]);
        check("a\nx\nb\nx\n", "a\nx\nb\ny\n", &[("b\nx\n", "b\ny\n")]);
        check("x\na\nx\n", "y\na\nx\n", &[("x\na\n", "y\na\n")]);
        check("a\nb\nc\n", "x\nb\ny\n", &[("a\n", "x\n"), ("c\n", "y\n")]);
    }
}
