//! How a model is asked for an edit: our slots, and what others do.
//!
//! All see the same: the files that the program's own search takes the task to be about, as much of
//! them as fits. What an answer comes to is worked out in memory; nothing is written.

mod blocks;
mod repair;
mod two_stages;
mod whole_file;

pub use repair::repair;
pub use two_stages::Loosened;

use super::suite::Tree;
use crate::constrain::Spec;
use crate::engine::{Answer, End, Engine, EngineError, Limits, Request};
use crate::flow::overview::{self, Overview};
use crate::flow::{FlowError, Session};
use crate::locate::miss::{self, Miss};
use crate::search::SearchError;
use crate::slots::Reason;
use crate::task::Task;

/// A way to ask for an edit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Strategy {
    /// One free answer: a tool call with the whole new text of a file, as agents do it.
    Naive,
    /// One free answer: search/replace blocks, which are located and applied as `slotwright apply`
    /// does it.
    SearchReplace,
    /// Two stages, each forced into a plain JSON Schema that knows no file, as servers offer it.
    Schema,
    /// Two stages, each forced to fit the files: what `slotwright edit` does.
    Slots,
    /// The slots again and again, until the task's check passes: what `slotwright repair` does.
    /// Only for tasks that have a check.
    Repair,
}

impl Strategy {
    /// All of them, ours first: what comes first is compared with the others.
    pub const ALL: [Strategy; 5] = [
        Strategy::Slots,
        Strategy::Schema,
        Strategy::SearchReplace,
        Strategy::Naive,
        Strategy::Repair,
    ];

    /// As the command line and reports have it.
    pub fn name(self) -> &'static str {
        match self {
            Strategy::Naive => "naive",
            Strategy::SearchReplace => "search_replace",
            Strategy::Schema => "schema",
            Strategy::Slots => "slots",
            Strategy::Repair => "repair",
        }
    }

    /// The one of this name.
    pub fn of_name(name: &str) -> Option<Strategy> {
        Strategy::ALL.into_iter().find(|strategy| strategy.name() == name)
    }
}

/// What came of a question, or of two.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attempt {
    /// What it comes to.
    pub made: Made,
    /// What the model wrote, question by question.
    pub answers: Vec<String>,
    /// Tokens of all prompts.
    pub prompt_tokens: usize,
    /// Tokens of all answers, forced ones too.
    pub answer_tokens: usize,
    /// Evaluations of the model after those that read the prompts.
    pub evaluations: usize,
    /// How many edits were tried, where the tests decide which is the last.
    pub n_tried: Option<usize>,
}

/// What an answer comes to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Made {
    /// The whole folder as it would be.
    Edited(Tree),
    /// No edit, and why: the model said so, or the program did for it.
    Declined(String),
    /// It did not end within its budget.
    Truncated,
    /// It is no edit.
    Mechanics(MechanicsKind, String),
    /// No edit that the tests agree with: the status of the repair, and why.
    NotRepaired(&'static str, String),
}

/// Why an answer is no edit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum MechanicsKind {
    /// It is not JSON, or not what was asked for in another format.
    NoJson,
    /// JSON with other keys than those that were asked for.
    UnknownKey,
    /// It names a file that is not there, or that might be several.
    PathNotReal,
    /// The text to be changed is not in the file.
    TextNotFound,
    /// The text to be changed stands in several places.
    Ambiguous,
    /// It is an edit, and cannot be made for another reason.
    CannotApply,
    /// There was no answer.
    NoAnswer,
}

impl MechanicsKind {
    /// Why a text was not found.
    fn of_miss(miss: &Miss) -> MechanicsKind {
        match miss.reason {
            miss::Reason::NotFound { .. } => MechanicsKind::TextNotFound,
            miss::Reason::Ambiguous { .. } => MechanicsKind::Ambiguous,
            miss::Reason::Miscounted { .. } | miss::Reason::Unfit { .. } => {
                MechanicsKind::CannotApply
            }
        }
    }

    /// As reports have it.
    pub const fn name(self) -> &'static str {
        match self {
            MechanicsKind::NoJson => "no_json",
            MechanicsKind::UnknownKey => "unknown_key",
            MechanicsKind::PathNotReal => "path_not_real",
            MechanicsKind::TextNotFound => "text_not_found",
            MechanicsKind::Ambiguous => "ambiguous",
            MechanicsKind::CannotApply => "cannot_apply",
            MechanicsKind::NoAnswer => "no_answer",
        }
    }
}

/// Asks for an edit in a folder that holds `before`, once. A repair asks more often and runs
/// commands, for which a task must have a check ([`repair()`]): here it makes nothing.
///
/// # Errors
/// If the engine failed; it may not answer again.
pub async fn attempt<E: Engine>(
    strategy: Strategy,
    task: &Task,
    before: &Tree,
    session: &mut Session<'_, E>,
) -> Result<Attempt, EngineError> {
    match strategy {
        Strategy::Repair => {
            let made = Made::NotRepaired(
                "not_run",
                "the task has no check that a repair could be judged by".to_owned(),
            );
            Ok(Attempt { made, ..Attempt::new() })
        }
        Strategy::Naive => {
            one_answer(task, session, &whole_file::ask, |answer, overview| {
                whole_file::read(answer, &overview.listing, before)
            })
            .await
        }
        Strategy::SearchReplace => {
            one_answer(task, session, &blocks::ask, |answer, _| blocks::read(answer, before)).await
        }
        Strategy::Schema => {
            let Session { workspace, engine, options, progress } = session;
            let engine = &mut Loosened::to_shape(*engine);
            let options = options.clone();
            two_stages::attempt(
                task,
                before,
                &mut Session { workspace, engine, options, progress: *progress },
            )
            .await
        }
        Strategy::Slots => two_stages::attempt(task, before, session).await,
    }
}

/// A question in words: who the model is to be, and what it is asked.
struct Question {
    system: &'static str,
    question: String,
}

/// One question, one free answer.
async fn one_answer<E: Engine>(
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

impl Attempt {
    /// Nothing was asked yet.
    fn new() -> Attempt {
        let answers = Vec::new();
        Attempt {
            made: Made::Truncated,
            answers,
            prompt_tokens: 0,
            answer_tokens: 0,
            evaluations: 0,
            n_tried: None,
        }
    }

    fn add(&mut self, answer: &Answer) {
        self.answers.push(answer.text.clone());
        self.prompt_tokens += answer.stats.prompt_tokens;
        self.answer_tokens += answer.stats.forced_tokens + answer.stats.sampled_tokens;
        self.evaluations += answer.stats.evaluations;
    }
}

/// What it comes to that no question was asked or answered.
///
/// # Errors
/// If it was the engine that failed, and not the question that does not fit it.
fn not_asked(error: FlowError) -> Result<Made, EngineError> {
    Ok(match error {
        FlowError::Engine(
            error @ (EngineError::PromptTooLong { .. } | EngineError::Schema { .. }),
        ) => Made::Mechanics(MechanicsKind::NoAnswer, error.to_string()),
        FlowError::Engine(error) => return Err(error),
        // The program says no before a model is asked: nothing there could be meant.
        FlowError::Search(SearchError::NoFiles { .. } | SearchError::NotListed { .. }) => {
            Made::Declined(error.to_string())
        }
        FlowError::Search(SearchError::Workspace(error)) | FlowError::Workspace(error) => {
            Made::Mechanics(MechanicsKind::PathNotReal, error.to_string())
        }
        FlowError::ContextTooShort { .. }
        | FlowError::TaskTooLong { .. }
        | FlowError::FileTooLong { .. }
        | FlowError::Emptied { .. } => Made::Mechanics(MechanicsKind::NoAnswer, error.to_string()),
    })
}

/// Why the model says that it makes no edit.
fn declined(reason: Reason) -> Made {
    Made::Declined(reason.word().to_owned())
}
