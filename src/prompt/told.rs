//! The text of a task as a model reads it.
//!
//! ```text
//! TASK                                      a task by itself
//! TASK⏎⏎Done so far:⏎LINES⏎⏎Now: TASK        one that follows up on another
//! ```
//! LINES are the changed lines of the edit of the first task, below the path of their file: `-` before
//! those taken out, `+` before those put in. What is asked for now comes last: a model forgets it if
//! anything follows.

use crate::task::{Earlier, Standing, Task};

/// What a model reads beside a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reads {
    /// What is known, in words.
    Notes,
    /// Tasks of the forms above, and the notes without which there is no such task.
    Forms,
}

pub(super) fn told(task: &Task, reads: Reads) -> String {
    let context = task.context();
    let mut told = task.sentence().to_owned();
    let mut notes = vec![context.notes.trim_end().to_owned()];
    match &context.earlier {
        Some(earlier) if earlier.standing == Standing::Unwritten || reads == Reads::Forms => {
            told = followed_up(earlier, task.sentence());
        }
        Some(Earlier { sentence, done, .. }) => {
            notes.push(format!(
                "Just before, this was done for \"{sentence}\":\n{done}"
            ));
        }
        None => {}
    }
    if let Some(line) = context.points_at.as_ref().filter(|_| reads == Reads::Notes) {
        notes.push(line.words.clone());
    }

    notes.retain(|note| !note.is_empty());
    notes.insert(0, told);
    notes.join("\n\n")
}

/// The one form of a task that follows up on an edit: the adapters learn it.
fn followed_up(earlier: &Earlier, sentence: &str) -> String {
    let Earlier {
        sentence: first,
        done,
        ..
    } = earlier;
    format!("{first}\n\nDone so far:\n{done}\n\nNow: {sentence}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::task::{Context, PointedLine};

    fn task(standing: Option<Standing>) -> Task {
        let earlier = standing.map(|standing| Earlier {
            sentence: "Raise the timeout".to_owned(),
            done: "a.py\n-t = 1\n+t = 10".to_owned(),
            files: vec!["a.py".to_owned()],
            standing,
        });
        let points_at = PointedLine {
            number: 1,
            words: "The person points at line 1".to_owned(),
        };
        Task::new("use 20", Vec::new()).unwrap().within(Context {
            notes: "Known.\n".to_owned(),
            points_at: Some(points_at),
            earlier,
            ..Context::default()
        })
    }

    #[test]
    fn what_was_done_comes_before_the_task_and_notes_after_it() {
        let form =
            "Raise the timeout\n\nDone so far:\na.py\n-t = 1\n+t = 10\n\nNow: use 20\n\nKnown.";
        let pointed = "The person points at line 1";
        for (standing, reads, expected) in [
            (None, Reads::Forms, "use 20\n\nKnown.".to_owned()),
            (None, Reads::Notes, format!("use 20\n\nKnown.\n\n{pointed}")),
            (Some(Standing::Unwritten), Reads::Forms, form.to_owned()),
            (Some(Standing::Written), Reads::Forms, form.to_owned()),
            (
                Some(Standing::Unwritten),
                Reads::Notes,
                format!("{form}\n\n{pointed}"),
            ),
            (
                Some(Standing::Written),
                Reads::Notes,
                format!(
                    "use 20\n\nKnown.\n\nJust before, this was done for \"Raise the timeout\":\n\
                     a.py\n-t = 1\n+t = 10\n\n{pointed}"
                ),
            ),
        ] {
            assert_eq!(told(&task(standing), reads), expected);
        }
    }
}
