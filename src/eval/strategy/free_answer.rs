//! One question in words, and one free answer.
//!
//! The conversation is that of the slots: the same worked examples, with their edits written in the
//! format of the strategy; the same list of files; the same windows of the likeliest file. The next
//! files fill the rest of the room, because a free answer comes at once and no other file can be
//! shown for it.

use super::attempt::{Attempt, Made, not_asked};
use crate::constrain::Spec;
use crate::engine::{End, Engine, EngineError, Limits, Part, Request};
use crate::eval::tree::Tree;
use crate::flow::Session;
use crate::flow::overview;
use crate::prompt::{Turn, WorkedExample, question_on, worked_examples};
use crate::task::Task;
use crate::text::Shown;

/// A format of free answers.
pub(super) struct AnswerFormat {
    /// The system message, which describes the format.
    pub system: &'static str,
    /// Writes the right answer to an example.
    pub write: fn(&WorkedExample) -> String,
    /// Reads an answer and makes its edit in a folder.
    pub read: fn(&str, &Tree) -> Made,
}

/// Asks one question, for one free answer.
pub(super) async fn one_answer<E: Engine>(
    task: &Task,
    before: &Tree,
    session: &mut Session<'_, E>,
    format: &AnswerFormat,
) -> Result<Attempt, EngineError> {
    let mut attempt = Attempt::default();
    let mut turns = Vec::new();
    for example in worked_examples() {
        let answer = (format.write)(&example);
        let user = example.question;
        turns.push(Turn { user, answer });
    }

    let frame = session.options.profile.words(format.system, &turns, "");
    let frame: String = frame.iter().map(Part::as_str).collect();
    let overview = match overview::overview(task, session, &frame).await {
        Ok(overview) => overview,
        Err(error) => {
            attempt.made = not_asked(error)?;
            return Ok(attempt);
        }
    };

    let files = overview.files.iter();
    let files: Vec<(&str, &Shown)> = files.map(|(path, shown)| (path.as_str(), shown)).collect();
    let profile = &session.options.profile;
    let question = question_on(&profile.told(task), &overview.rows, &files);
    let prompt = profile.words(format.system, &turns, &question);
    let limits = Limits {
        answer_tokens: profile.budget().fill_tokens,
    };
    let request = Request {
        sampling: session.options.sampling,
        ..Request::new(prompt, Spec::Free, limits)
    };
    match session.engine.complete(&request, session.progress).await {
        Ok(answer) => {
            if answer.end == End::Complete {
                attempt.made = (format.read)(&answer.text, before);
            }
            attempt.add(answer.text, &answer.stats);
        }
        Err(error) => attempt.made = not_asked(error.into())?,
    }
    Ok(attempt)
}

#[cfg(test)]
mod tests {
    use super::super::{blocks, whole_file};
    use super::*;
    use crate::eval::tree::tree;
    use crate::prompt::WorkedEdit;

    #[test]
    fn the_examples_are_answers_that_make_their_edits() {
        for example in worked_examples() {
            for format in [blocks::FORMAT, whole_file::FORMAT] {
                let answer = (format.write)(&example);
                let (before, after) = match &example.edit {
                    WorkedEdit::Declined(_) => {
                        let made = (format.read)(&answer, &Tree::new());
                        assert!(matches!(made, Made::Declined(_)), "{answer}");
                        continue;
                    }
                    WorkedEdit::Create { path, text } => (Tree::new(), tree([(path, text)])),
                    WorkedEdit::Change {
                        path,
                        before,
                        after,
                    } => (tree([(path, before)]), tree([(path, after)])),
                };
                assert_eq!(
                    (format.read)(&answer, &before),
                    Made::Edited(after),
                    "{answer}"
                );
            }
        }
    }
}
