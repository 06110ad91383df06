//! An attempt at a task: the edit, or why there is none.

use crate::engine::{AnswerStats, EngineError};
use crate::eval::tree::Tree;
use crate::flow::FlowError;
use crate::locate::miss::{self, Miss};
use crate::search::SearchError;
use crate::slots::Slot;
use std::collections::BTreeMap;

/// The answers to one question, or to several, and their edit.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Attempt {
    /// The edit, or why there is none.
    pub made: Made,
    /// The model's answers, question by question.
    pub answers: Vec<String>,
    /// By slot: see [`AnswerStats::masked_mass`].
    pub masked_mass: BTreeMap<Slot, f64>,
    /// By slot: see [`AnswerStats::certainty`].
    pub certainty: BTreeMap<Slot, f64>,
    /// Tokens of all prompts.
    pub prompt_tokens: usize,
    /// Prompt tokens that had been read before.
    pub reused_tokens: usize,
    /// Tokens of all answers, forced ones too.
    pub answer_tokens: usize,
    /// Evaluations of the model after those that read the prompts.
    pub evaluations: usize,
    /// How many edits a repair tried; `None` for other strategies.
    pub n_tried: Option<usize>,
}

/// The edit of an attempt, or why there is none.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Made {
    /// The whole folder after the edit.
    Edited(Tree),
    /// No edit, and the reason: the model's, or the program's before a model is asked.
    Declined(String),
    /// An answer did not end within its budget.
    #[default]
    Truncated,
    /// An answer is no edit, and the reason in words.
    Mechanics(MechanicsKind, String),
    /// No edit passes the tests: the status of the repair, and the reason.
    NotRepaired(&'static str, String),
}

/// Why an answer is no edit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MechanicsKind {
    /// It is not JSON, or not the other format that was asked for.
    NoJson,
    /// Its JSON has other keys than those that were asked for.
    UnknownKey,
    /// It names a file that is not there, or that might be several.
    PathNotReal,
    /// The text to be changed is not in the file.
    TextNotFound,
    /// The text to be changed occurs in several places.
    Ambiguous,
    /// It is an edit that cannot be made for another reason.
    CannotApply,
    /// There was no answer.
    NoAnswer,
}

impl MechanicsKind {
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

    /// Its word in reports.
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
    pub(super) fn add(&mut self, answer: String, stats: &AnswerStats) {
        self.answers.push(answer);
        self.masked_mass.extend(&stats.masked_mass);
        self.certainty.extend(&stats.certainty);
        self.prompt_tokens += stats.prompt_tokens;
        self.reused_tokens += stats.reused_tokens;
        self.answer_tokens += stats.forced_tokens + stats.sampled_tokens;
        self.evaluations += stats.evaluations;
    }
}

/// The outcome if no question could be asked or answered.
///
/// # Errors
/// If the engine failed. A question that does not fit it is no failure of the engine.
pub(super) fn not_asked(error: FlowError) -> Result<Made, EngineError> {
    Ok(match error {
        FlowError::Engine(
            error @ (EngineError::PromptTooLong { .. } | EngineError::Schema { .. }),
        ) => Made::Mechanics(MechanicsKind::NoAnswer, error.to_string()),
        FlowError::Engine(error) => return Err(error),
        // The program says no before a model is asked: no file there could be meant.
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
