//! One free answer of search/replace blocks, located and applied as `slotwright apply` does it.

use super::attempt::{Made, MechanicsKind};
use super::free_answer::Question;
use crate::apply::{self, Failed, FailedKind, Files};
use crate::eval::tree::Tree;
use crate::format::{Format, FormatError};
use crate::text::Text;

const SYSTEM: &str = "You edit text files. You answer with search/replace blocks and nothing else. \
    You copy the lines to search for exactly.";

const BLOCKS: &str = "Answer with one or several blocks like this: \
the file's path on a line of its own, the lines to search for, \
copied exactly from the file, and the lines that stand there afterwards.

lib/cart.rb
<<<<<<< SEARCH
  total = 0
=======
  total = 1
>>>>>>> REPLACE

To make a new file leave the lines to search for out. To change nothing answer: NO EDIT, and why.";

pub(super) fn ask(task: &str, files: &str) -> Question {
    Question { system: SYSTEM, question: format!("{files}{BLOCKS}\n\nTask: {task}") }
}

pub(super) fn read(answer: &str, before: &Tree) -> Made {
    let patch = match Format::SearchReplace.parse(answer) {
        Ok(patch) if !patch.file_edits.is_empty() => patch,
        Ok(_) | Err(FormatError::NoEdit) if answer.contains("NO EDIT") => {
            return Made::Declined(answer.trim().to_owned());
        }
        Ok(_) => {
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
        &InTree { tree: before, listing: before.keys().cloned().collect() },
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
            .map_or(MechanicsKind::CannotApply, |miss| MechanicsKind::of_miss(miss)),
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

    #[test]
    fn blocks_are_applied_or_say_what_kind_of_failure_it_is() {
        let before = Tree::from([("a.py".to_owned(), b"x = 1\ny = 2\nx = 1\n".to_vec())]);
        let block = |path: &str, old: &str, new: &str| {
            format!("{path}\n<<<<<<< SEARCH\n{old}\n=======\n{new}\n>>>>>>> REPLACE\n")
        };
        let after = Tree::from([("a.py".to_owned(), b"x = 1\ny = 3\nx = 1\n".to_vec())]);
        assert_eq!(read(&block("a.py", "y = 2", "y = 3"), &before), Made::Edited(after));
        let mechanics = |answer: &str| match read(answer, &before) {
            Made::Mechanics(kind, _) => kind.name(),
            other => panic!("{answer}: {other:?}"),
        };
        assert_eq!(mechanics(&block("a.py", "x = 1", "x = 3")), "ambiguous");
        assert_eq!(mechanics(&block("a.py", "z = 1", "x = 3")), "text_not_found");
        assert_eq!(mechanics(&block("b.py", "z = 1", "x = 3")), "path_not_real");
        assert_eq!(mechanics("It is done."), "no_json");
        assert!(matches!(read("NO EDIT: it is there already", &before), Made::Declined(_)));
    }
}
