//! One question in words, and one free answer.

use super::attempt::{Attempt, Made, not_asked};
use crate::constrain::Spec;
use crate::engine::{Answer, End, Engine, EngineError, Limits, Request};
use crate::flow::Session;
use crate::flow::overview::{self, Overview};
use crate::task::Task;

/// A question in words: who the model is to be, and what it is asked.
pub(super) struct Question {
    pub system: &'static str,
    pub question: String,
}

/// One question, one free answer.
pub(super) async fn one_answer<E: Engine>(
    task: &Task,
    session: &mut Session<'_, E>,
    ask: &dyn Fn(&str, &str) -> Question,
    read: impl FnOnce(&str, &Overview) -> Made,
) -> Result<Attempt, EngineError> {
    let mut attempt = Attempt::new();
    let frame = ask("", "");
    let words = format!("{}{}", frame.system, frame.question);
    let overview = match overview::overview(task, session, &words).await {
        Ok(overview) => overview,
        Err(error) => {
            attempt.made = not_asked(error)?;
            return Ok(attempt);
        }
    };
    let files: String = overview
        .files
        .iter()
        .map(|(path, shown)| format!("File {path}:\n{}\n\n", shown.prompt_text()))
        .collect();
    let Question { system, question } = ask(task.sentence(), &files);
    let answer = match words_answered(system, &question, session).await {
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

async fn words_answered<E: Engine>(
    system: &str,
    question: &str,
    session: &mut Session<'_, E>,
) -> Result<Answer, EngineError> {
    let profile = &session.options.profile;
    let limits = Limits { answer_tokens: profile.budget().fill_tokens };
    let request = Request {
        sampling: session.options.sampling,
        ..Request::new(profile.words(system, question), Spec::Free, limits)
    };
    session.engine.complete(&request, session.progress).await
}
