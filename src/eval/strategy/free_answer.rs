//! One question in words, and one free answer.
//!
//! The conversation is that of the slots: the same worked examples, with their edits written in the
//! format of the strategy; the same list of files; the same windows of the likeliest file. What room
//! these leave is used for the next files, since a free answer comes at once and no other file can
//! be shown for it.

use super::attempt::{Attempt, Made, not_asked};
use crate::constrain::Spec;
use crate::engine::{End, Engine, EngineError, Limits, Part, Request};
use crate::flow::Session;
use crate::flow::overview::{self, Overview};
use crate::prompt::{Turn, WorkedExample, question_on, worked_examples};
use crate::task::Task;
use crate::text::Shown;

/// A format of free answers.
pub(super) struct AnswerFormat {
    /// What an answer is.
    pub system: &'static str,
    /// The right answer to an example.
    pub write: fn(&WorkedExample) -> String,
}

impl AnswerFormat {
    fn turns(&self) -> Vec<Turn> {
        let turn = |example: WorkedExample| {
            let answer = (self.write)(&example);
            Turn {
                user: example.question,
                answer,
            }
        };
        worked_examples().into_iter().map(turn).collect()
    }
}

/// One question, one free answer.
pub(super) async fn one_answer<E: Engine>(
    task: &Task,
    session: &mut Session<'_, E>,
    format: &AnswerFormat,
    read: impl FnOnce(&str, &Overview) -> Made,
) -> Result<Attempt, EngineError> {
    let mut attempt = Attempt::new();
    let turns = format.turns();
    let frame = session.options.profile.words(format.system, &turns, "");
    let frame: String = frame.iter().map(Part::as_str).collect();
    let overview = match overview::overview(task, session, &frame).await {
        Ok(overview) => overview,
        Err(error) => {
            attempt.made = not_asked(error)?;
            return Ok(attempt);
        }
    };
    let files: Vec<(&str, &Shown)> = overview
        .files
        .iter()
        .map(|(path, shown)| (path.as_str(), shown))
        .collect();
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
    let answer = match session.engine.complete(&request, session.progress).await {
        Ok(answer) => answer,
        Err(error) => {
            attempt.made = not_asked(error.into())?;
            return Ok(attempt);
        }
    };
    attempt.add(&answer);
    if answer.end == End::Complete {
        attempt.made = read(&answer.text, &overview);
    }
    Ok(attempt)
}
