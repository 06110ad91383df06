//! What an answer of a model comes to.

use crate::engine::{Answer, AnswerStats, EngineError};
use crate::eval::tree::Tree;
use crate::flow::FlowError;
use crate::locate::miss::{self, Miss};
use crate::search::SearchError;
use crate::slots::{Reason, Slot};
use std::collections::BTreeMap;

/// What came of a question, or of two.
#[derive(Clone, Debug, PartialEq)]
pub struct Attempt {
    /// What it comes to.
    pub made: Made,
    /// What the model wrote, question by question.
    pub answers: Vec<String>,
    /// By slot: see [`AnswerStats::masked_mass`].
    pub masked_mass: BTreeMap<Slot, f64>,
    /// By slot: see [`AnswerStats::certainty`].
    pub certainty: BTreeMap<Slot, f64>,
    /// Tokens of all prompts.
    pub prompt_tokens: usize,
    /// Those of them that had been read before.
    pub reused_tokens: usize,
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
    /// The text to be changed occurs in several places.
    Ambiguous,
    /// It is an edit, and cannot be made for another reason.
    CannotApply,
    /// There was no answer.
    NoAnswer,
}

impl MechanicsKind {
    /// Why a text was not found.
    pub(super) fn of_miss(miss: &Miss) -> MechanicsKind {
        match miss.reason {
            miss::Reason::NotFound { .. } | miss::Reason::InsideWords { .. } => {
                MechanicsKind::TextNotFound
            }
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

impl Attempt {
    /// Nothing was asked yet.
    pub(super) fn new() -> Attempt {
        let answers = Vec::new();
        Attempt {
            made: Made::Truncated,
            answers,
            masked_mass: BTreeMap::new(),
            certainty: BTreeMap::new(),
            prompt_tokens: 0,
            reused_tokens: 0,
            answer_tokens: 0,
            evaluations: 0,
            n_tried: None,
        }
    }

    /// A repair of a task that has no check.
    pub(super) fn without_check() -> Attempt {
        let reason = "the task has no check that a repair could be judged by".to_owned();
        Attempt {
            made: Made::NotRepaired("not_run", reason),
            ..Attempt::new()
        }
    }

    pub(super) fn add(&mut self, answer: &Answer) {
        self.answers.push(answer.text.clone());
        self.count(&answer.stats);
    }

    /// Adds what an answer took.
    pub(super) fn count(&mut self, stats: &AnswerStats) {
        self.masked_mass.extend(&stats.masked_mass);
        self.certainty.extend(&stats.certainty);
        self.prompt_tokens += stats.prompt_tokens;
        self.reused_tokens += stats.reused_tokens;
        self.answer_tokens += stats.forced_tokens + stats.sampled_tokens;
        self.evaluations += stats.evaluations;
    }
}

/// What it comes to that no question was asked or answered.
///
/// # Errors
/// If it was the engine that failed, and not the question that does not fit it.
pub(super) fn not_asked(error: FlowError) -> Result<Made, EngineError> {
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
pub(super) fn declined(reason: Reason) -> Made {
    Made::Declined(reason.word().to_owned())
}
