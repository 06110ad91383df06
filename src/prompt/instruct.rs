//! The two questions in words, for instruct models.
//!
//! The order of the parts matters. The task comes last, since models remember the end of a prompt
//! best. Each stage has one short instruction. It names the slots in words as well as in JSON: a
//! model answers worse if the constraint forces something on it that it does not expect. The
//! examples are from other files, so that there is nothing to copy. What stays the same comes
//! first, so that it is read once: in stage 1 the instruction, in stage 2 the file.

use super::row::Row;
use crate::constrain::SlotSpec;
use crate::text::Shown;

/// The system text.
pub(super) const SYSTEM: &str = "You edit text files. \
    You answer with one line of JSON and nothing else. \
    You copy text from the file exactly. You change only what the task asks for.";

pub(super) const PICK: &str = r#"Which one of the files below does the task change, and how?
- replace: change one place in a file
- replace_all: change every occurrence of a name or a text in one file, as in a rename
- insert: add lines before or after a line that stays
- create: make a new file that is not in the list
- none: change nothing

Answer with the file's path, copied exactly, and the operation. Example for another list:
{"path":"lib/cart.rb","operation":"replace"}
A new file has no path yet: {"operation":"create"}
To change nothing, say why ("already_done", "not_in_these_files" or "unclear"):
{"operation":"none","reason":"already_done"}"#;

const REPLACE: &str = r#"Replace text in one place of this file.
"old" is the text to replace, copied exactly from the file.
"new" is what stands there afterwards; it has all of "old" that is to stay.
Example for another file, where the greeting was to be changed:
{"old":"print('hello')","new":"print('good morning')"}
If "old" stands in several places, say which one you mean right after it,
by its line and what it is in:
{"old":"timeout = 3","place":"connect, line 12","new":"timeout = 5"}"#;

/// For a spec that lets a block be named by its first and last line.
const BLOCKS: &str = r#"To replace or remove many lines,
write only the first of them in "old" and the last of them in "through":
{"old":"def greet(name):","through":"    return greeting","new":""}"#;

const REPLACE_ALL: &str = r#"Replace every occurrence of a name or a text in this file.
"old" is the name or the text, copied exactly from the file. "new" is what stands there afterwards.
Example for another file, where a name was to be changed:
{"old":"total","new":"sum"}"#;

const INSERT: &str = r##"Insert lines into this file.
"anchor" is a whole line of the file, copied exactly; it stays as it is.
"position" says on which side of it the new lines go.
"text" is the new lines alone, indented as they should be.
Example for another file, where a comment was to be put above a function:
{"anchor":"def greet(name):","position":"before","text":"# Says hello."}
If the line stands in several places, say which one you mean right after it,
by its line and what it is in:
{"anchor":"    return None","place":"connect, line 12","position":"before","text":"    close()"}"##;

const CREATE: &str = r##"Make a new file.
"path" is its path, with "/" between folders. "text" is all of its text.
Example for another task:
{"path":"docs/usage.md","text":"# Usage\n\nRun it.\n"}"##;

/// Stage 1. The likeliest file comes first, each file with the words of the task that it has.
pub(super) fn pick(task: &str, rows: &[Row]) -> String {
    let line = |row: &Row| match row.words.as_slice() {
        [] => format!("{}\n", row.path),
        words => format!("{} ({})\n", row.path, words.join(", ")),
    };
    let list: String = rows.iter().map(line).collect();
    format!(
        "{PICK}\n\nFiles, the likeliest first, with words of the task that they have:\n{list}\n\
         Task: {task}"
    )
}

/// Stage 2.
pub(super) fn fill(task: &str, path: &str, spec: &SlotSpec) -> String {
    let (question, blocks) = match spec {
        SlotSpec::Pick { .. } => unreachable!("stage 1 has a prompt of its own"),
        SlotSpec::Replace { blocks: true, .. } => (REPLACE, format!("\n{BLOCKS}")),
        SlotSpec::Replace { .. } => (REPLACE, String::new()),
        SlotSpec::ReplaceAll { .. } => (REPLACE_ALL, String::new()),
        SlotSpec::Insert { .. } => (INSERT, String::new()),
        SlotSpec::Create { .. } => (CREATE, String::new()),
    };
    let file = spec.shown().map_or_else(String::new, |shown| fill_ahead(path, shown));
    format!("{file}{question}{blocks}\n\nTask: {task}")
}

/// The beginning of every question on this file.
pub(super) fn fill_ahead(path: &str, shown: &Shown) -> String {
    format!("File {path}:\n{}\n\n", shown.prompt_text())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::slots::{Operation, Pick, Slots};

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
                assert_eq!(
                    serde_json::to_string(&slots).unwrap(),
                    example,
                    "as the constraint writes it"
                );
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
        let shown = Shown::whole("x = 1\n");
        let prompt = |blocks| {
            let spec = SlotSpec::Replace { shown: shown.clone(), blocks };
            fill("Fix it", "src/a.py", &spec)
        };
        assert_eq!(prompt(false), format!("File src/a.py:\nx = 1\n\n{REPLACE}\n\nTask: Fix it"));
        let with_blocks = format!("File src/a.py:\nx = 1\n\n{REPLACE}\n{BLOCKS}\n\nTask: Fix it");
        assert_eq!(prompt(true), with_blocks);
        let row = |path: &str, words: &[&str]| Row {
            path: path.to_owned(),
            words: words.iter().map(|&word| word.to_owned()).collect(),
        };
        let prompt = pick("Fix it", &[row("a.py", &["load", "3"]), row("b.py", &[])]);
        assert!(prompt.starts_with(PICK));
        assert!(prompt.ends_with(":\na.py (load, 3)\nb.py\n\nTask: Fix it"), "{prompt}");
    }
}
