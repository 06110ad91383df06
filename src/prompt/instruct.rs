//! The same questions in words, for models that were taught to follow instructions.
//!
//! All the words are here. What is known of asking such models is in their order: the task comes last, since the end of a
//! prompt is remembered best; one short instruction a stage; the slots named in words as well as in JSON, because a model
//! that does not expect what the constraint forces on it answers worse; and an example that is not from the file, so that
//! there is nothing to copy from it. And whatever stays the same comes first, so that it is read once: stage 1 begins with
//! its instruction, which serves every folder, and the list of files, which serves every task in it; stage 2 with the file,
//! which serves every operation. The words have not been measured with a trained model yet.

use super::Row;
use crate::slots::Operation;
use crate::text::Shown;

/// Who the model is to be.
pub(super) const SYSTEM: &str = "You edit text files. You answer with one line of JSON and nothing else. \
    You copy text from the file exactly. You change only what the task asks for.";

const PICK: &str = r#"Which one of the files below does the task change, and how?
- replace: change one place in a file
- replace_all: change every occurrence of a name or a text in one file, as in a rename
- insert: add lines before or after a line that stays
- create: make a new file that is not in the list
- none: change nothing

Answer with the file's path, copied exactly, and the operation. Example for another list:
{"path":"lib/cart.rb","operation":"replace"}
A new file has no path yet: {"operation":"create"}
To change nothing, say why ("already_done", "not_in_these_files" or "unclear"): {"operation":"none","reason":"already_done"}"#;

const REPLACE: &str = r#"Replace text in one place of this file.
"old" is the text to replace, copied exactly from the file. "new" is what stands there afterwards; it has all of "old" that is to stay.
Example for another file, where the greeting was to be changed:
{"old":"print('hello')","new":"print('good morning')"}
If "old" stands in several places, say which one you mean right after it, by its line and what it is in:
{"old":"timeout = 3","place":"connect, line 12","new":"timeout = 5"}"#;

/// Where a block may be named by its ends ([`super::Profile::names_blocks`]).
const BLOCKS: &str = r#"To replace or remove many lines, write only the first of them in "old" and the last of them in "through":
{"old":"def greet(name):","through":"    return greeting","new":""}"#;

const REPLACE_ALL: &str = r#"Replace every occurrence of a name or a text in this file.
"old" is the name or the text, copied exactly from the file. "new" is what stands there afterwards.
Example for another file, where a name was to be changed:
{"old":"total","new":"sum"}"#;

const INSERT: &str = r##"Insert lines into this file.
"anchor" is a whole line of the file, copied exactly; it stays as it is. "position" says on which side of it the new lines go. "text" is the new lines alone, indented as they should be.
Example for another file, where a comment was to be put above a function:
{"anchor":"def greet(name):","position":"before","text":"# Says hello."}
If the line stands in several places, say which one you mean right after it, by its line and what it is in:
{"anchor":"    return None","place":"connect, line 12","position":"before","text":"    close()"}"##;

const CREATE: &str = r##"Make a new file.
"path" is its path, with "/" between folders. "text" is all of its text.
Example for another task:
{"path":"docs/usage.md","text":"# Usage\n\nRun it.\n"}"##;

/// Stage 1. The words found come after the list, which so stays the same from task to task and need not be read again.
pub(super) fn pick(task: &str, rows: &[Row]) -> String {
    let found: Vec<String> =
        rows.iter().filter(|row| !row.hints.is_empty()).map(|row| format!("{}: {}\n", row.path, row.hints.join(", "))).collect();
    let found = if found.is_empty() { String::new() } else { format!("Words of the task below are in:\n{}\n", found.concat()) };
    format!("{}{found}Task: {task}", pick_ahead(rows))
}

/// What every question on these files begins with.
pub(super) fn pick_ahead(rows: &[Row]) -> String {
    let list: String = rows.iter().map(|row| format!("{}\n", row.path)).collect();
    format!("{PICK}\n\nFiles:\n{list}\n")
}

/// Stage 2.
pub(super) fn fill(task: &str, path: &str, operation: Operation, shown: &Shown, names_blocks: bool) -> String {
    let (file, question) = match operation {
        Operation::Replace => (fill_ahead(path, shown), REPLACE),
        Operation::ReplaceAll => (fill_ahead(path, shown), REPLACE_ALL),
        Operation::Insert => (fill_ahead(path, shown), INSERT),
        Operation::Create => (String::new(), CREATE),
    };
    let blocks = if names_blocks && operation == Operation::Replace { format!("\n{BLOCKS}") } else { String::new() };
    format!("{file}{question}{blocks}\n\nTask: {task}")
}

/// What every question on this file begins with.
pub(super) fn fill_ahead(path: &str, shown: &Shown) -> String {
    format!("File {path}:\n{}\n\n", shown.prompt_text())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::slots::{Pick, Slots};

    /// The examples in an instruction: its lines of JSON.
    fn examples(question: &str) -> Vec<&str> {
        question.lines().filter_map(|line| line.find('{').map(|at| &line[at..])).collect()
    }

    #[test]
    fn the_examples_are_answers() {
        for (operation, question, n) in [
            (Operation::Replace, REPLACE, 2),
            (Operation::ReplaceAll, REPLACE_ALL, 1),
            (Operation::Insert, INSERT, 2),
            (Operation::Create, CREATE, 1),
            (Operation::Replace, BLOCKS, 1),
        ] {
            let examples = examples(question);
            assert_eq!(examples.len(), n, "{question}");
            for example in examples {
                let slots = Slots::parse(operation, example).unwrap();
                assert_eq!(serde_json::to_string(&slots).unwrap(), example, "as the constraint writes it");
            }
        }
        let picks = examples(PICK);
        assert_eq!(picks.len(), 3);
        for example in picks {
            let pick: Pick = serde_json::from_str(example).unwrap();
            assert_eq!(serde_json::to_string(&pick).unwrap(), example);
        }
    }

    #[test]
    fn what_stays_the_same_comes_first_and_the_task_last() {
        let prompt = |names_blocks| fill("Fix it", "src/a.py", Operation::Replace, &Shown::whole("x = 1\n"), names_blocks);
        assert_eq!(prompt(false), format!("File src/a.py:\nx = 1\n\n{REPLACE}\n\nTask: Fix it"));
        assert_eq!(prompt(true), format!("File src/a.py:\nx = 1\n\n{REPLACE}\n{BLOCKS}\n\nTask: Fix it"));
        let mut rows = [Row { path: "a.py".to_owned(), hints: vec!["load".to_owned()] }];
        let found = "Words of the task below are in:\na.py: load\n\n";
        assert_eq!(pick("Fix it", &rows), format!("{PICK}\n\nFiles:\na.py\n\n{found}Task: Fix it"));
        assert!(pick("Fix it", &rows).starts_with(&pick_ahead(&rows)));
        rows[0].hints.clear();
        assert_eq!(pick("Fix it", &rows), format!("{PICK}\n\nFiles:\na.py\n\nTask: Fix it"));
    }
}
