//! One conversation with an instruct model: worked examples, then the question.
//!
//! ```text
//! system      what an answer is
//! examples    questions and answers about other files: see `examples`
//! user        File PATH:⏎FILE⏎Files:⏎PATH (WORD, WORD)⏎…⏎Task: TASK
//! assistant   {"path":PATH,"operation":OPERATION}⏎{"old":…,"new":…}
//! ```
//!
//! The likeliest file is shown before the model chooses an operation, since it cannot choose well
//! without having seen the text. Both stages are lines of one answer, so nothing is read twice.
//! What stays the same comes first, for the KV cache. The task comes last: a model forgets it
//! if a list or a file follows. Measured with Qwen2.5-Coder-0.5B on 64 development tasks: 16 are right
//! this way, and 8 if a second question without the task comes between the two lines.

use super::question::{Question, Row};
use crate::text::Shown;

/// The words in which a model may answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wording {
    /// Our constraint takes several words for one thing: those that models use by themselves. The
    /// side of an insertion comes first, and blocks are copied whole.
    Natural,
    /// One of our adapters has learned what to write, and needs no explanation.
    Trained,
    /// A JSON Schema has one word for each thing. Blocks are copied whole.
    Schema,
}

/// The system text.
pub(super) fn system(wording: Wording) -> String {
    let (everywhere, sides) = match wording {
        Wording::Natural => ("replace_all or rename", "above or below"),
        Wording::Schema => ("replace_all", "before or after"),
        // Without a system text some chat templates write their own.
        Wording::Trained => {
            return "You edit files. You answer a task in two lines of JSON.".to_owned();
        }
    };
    format!(
        "You edit files. You answer a task in two lines of JSON. \
         The first has the path and the operation: \
         replace changes or removes text in one place, \
         {everywhere} changes a name wherever it occurs, \
         insert puts new lines {sides} a line, create makes a new file, \
         rewrite writes a function or a short file anew, where more than a few lines change, \
         none changes nothing and says why. \
         The second is the edit, except after rewrite. It copies text from the file exactly."
    )
}

/// The user's message.
pub(super) fn question(question: &Question) -> String {
    let Question {
        task, rows, file, ..
    } = question;
    question_on(task, rows, file.as_slice())
}

/// The user's message with `files` shown, the likeliest first: also to a model that is asked one
/// question in another format.
pub fn question_on(task: &str, rows: &[Row], files: &[(&str, &Shown)]) -> String {
    let mut text: String = files
        .iter()
        .map(|(path, shown)| beginning(path, shown))
        .collect();
    // A list of the file that is shown says nothing.
    if rows.len() > 1 || files.is_empty() {
        text += "Files:\n";
        for Row { path, words } in rows {
            text += path;
            if !words.is_empty() {
                text += &format!(" ({})", words.join(", "));
            }
            text.push('\n');
        }
    }
    text + &format!("Task: {task}")
}

/// The beginning of every question that shows this file.
pub(super) fn beginning(path: &str, shown: &Shown) -> String {
    format!("File {path}:\n{}\n\n", shown.prompt_text())
}

/// The question between the two lines of an answer, where a model cannot go on with its first
/// line.
pub(super) fn second_question(task: &str) -> String {
    format!("Now the second line. Task: {task}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_comes_first_and_the_task_last() {
        let shown = Shown::whole("x = 1\n");
        let row = |path: &str, words: &[&str]| Row {
            path: path.to_owned(),
            words: words.iter().map(|&word| word.to_owned()).collect(),
        };
        let rows = [row("a.py", &["load", "3"]), row("b.py", &[])];
        let ask = |rows: &[Row], file| {
            question(&Question {
                task: "Fix it",
                rows,
                file,
                so_far: &[],
            })
        };
        assert_eq!(
            ask(&rows, Some(("a.py", &shown))),
            "File a.py:\nx = 1\n\nFiles:\na.py (load, 3)\nb.py\nTask: Fix it"
        );
        assert_eq!(
            ask(&rows[..1], Some(("a.py", &shown))),
            "File a.py:\nx = 1\n\nTask: Fix it"
        );
        assert_eq!(
            ask(&rows[..1], None),
            "Files:\na.py (load, 3)\nTask: Fix it"
        );
    }
}
