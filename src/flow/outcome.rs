//! What a task comes to: an edit that applies, or why there is none.

use super::continuation::Continuation;
use super::free_pick::PickError;
use super::so_far::SoFar;
use super::target::Target;
use crate::edit::SlotsError;
use crate::engine::{Answer, AnswerStats, End, EngineError, Likelihood};
use crate::locate::free_slots::FreeSlotsError;
use crate::patched::Patched;
use crate::search::SearchError;
use crate::slots::{Reason, Slot, Slots};
use crate::text::EncodeError;
use crate::workspace::WorkspaceError;
use std::collections::BTreeMap;

/// What a task came to, and what that took.
#[derive(Debug)]
pub struct Outcome {
    /// The result.
    pub verdict: Verdict,
    /// The questions and answers, in order.
    pub stages: Vec<Stage>,
    /// Whether the same answer can have a further edit.
    pub continuation: Continuation,
    /// The same file with a block to be written anew, where that could be asked for instead.
    pub(super) other_way: Option<Box<OtherWay>>,
}

/// What may be asked instead of slots: see [`super::rewrite`].
#[derive(Debug)]
pub(super) struct OtherWay {
    /// What the slots are of.
    pub target: Target,
    /// What the first question offered.
    pub so_far: SoFar,
}

impl Outcome {
    /// An outcome without a further edit.
    pub(super) fn last(verdict: Verdict, stages: Vec<Stage>) -> Outcome {
        Outcome {
            verdict,
            stages,
            continuation: Continuation::Complete,
            other_way: None,
        }
    }
}

/// The result of a task.
#[derive(Debug)]
pub enum Verdict {
    /// An edit that applies. Whether it is the right one, a person or a test must say.
    Proposed(Patched),
    /// The edit changes nothing. If it names a text that a file has already, this is where.
    AlreadyDone(Option<Evidence>),
    /// The model declined.
    Declined(Reason),
    /// The answer did not end within its budget, or the vocabulary could not spell the rest of it.
    Truncated(End),
    /// The answer is no edit. With our own constraint this does not happen.
    Mechanics(MechanicsError),
    /// The edit applies, but the file's encoding cannot hold its text.
    Refused(EncodeError),
}

impl Verdict {
    /// The verdict on an edit together with the earlier ones of its answer. `line`: the line of the
    /// answer with its slots.
    pub(super) fn added_to(
        self,
        so_far: SoFar,
        target: &Target,
        line: &str,
        slots: &Slots,
    ) -> (SoFar, Verdict) {
        let mut so_far = so_far.after_lines(target, line);
        let verdict = match self {
            Verdict::Proposed(patched) => match so_far.add(target, slots, patched) {
                Some(Ok(patched)) => Verdict::Proposed(patched),
                Some(Err(error)) => Verdict::Refused(error),
                None => Verdict::AlreadyDone(None),
            },
            verdict => verdict,
        };
        (so_far, verdict)
    }
}

/// A line that has already what an answer asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Evidence {
    /// The file, relative to the root.
    pub path: String,
    /// Counted from 1.
    pub line: usize,
    /// The line without the whitespace around it.
    pub text: String,
}

/// One question and its answer.
#[derive(Clone, Debug)]
pub struct Stage {
    /// `pick`, or the operation of stage 2.
    pub name: &'static str,
    /// What the model wrote.
    pub answer: String,
    /// What it took.
    pub stats: AnswerStats,
}

/// Why an answer is no edit.
#[derive(Debug, thiserror::Error)]
pub enum MechanicsError {
    /// It is not the JSON that was asked for.
    #[error("the answer does not have the slots that were asked for: {0}")]
    Slots(#[from] serde_json::Error),
    /// It names no file that was listed, or an operation that was not offered.
    #[error(transparent)]
    Pick(#[from] PickError),
    /// It has no code in a fence, or names none of the blocks.
    #[error("the answer has no new text of a block in a code fence")]
    NoFence,
    /// It changes other lines than the ones that may change.
    #[error("the answer changes other lines than the ones that may change")]
    OtherLines,
    /// Its text is not in the file, or in several places.
    #[error(transparent)]
    Locate(#[from] FreeSlotsError),
}

impl From<SlotsError> for MechanicsError {
    fn from(error: SlotsError) -> MechanicsError {
        MechanicsError::Locate(error.into())
    }
}

/// Why a question could not be asked or answered.
#[derive(Debug, thiserror::Error)]
pub enum FlowError {
    /// No file to ask about.
    #[error(transparent)]
    Search(#[from] SearchError),
    /// The context cannot hold even the shortest question and its answer.
    #[error(
        "the model's context of {context} tokens is too short: \
         a question and its answer need {needed}"
    )]
    ContextTooShort {
        /// Tokens.
        context: usize,
        /// Tokens.
        needed: usize,
    },
    /// The task alone fills the model's context.
    #[error(
        "the task has {n_tokens} tokens, which leaves no room for a file: \
         this model reads {max} at most"
    )]
    TaskTooLong {
        /// Of the task.
        n_tokens: usize,
        /// What the context has room for.
        max: usize,
    },
    /// No part of a file fits the model's context.
    #[error(
        "there is no room for any part of {path} beside the task: \
         the model reads {max} tokens at most"
    )]
    FileTooLong {
        /// Which file.
        path: String,
        /// The context, in tokens.
        max: usize,
    },
    /// A file had text when it was listed, and none when it was to be shown.
    #[error("{path} was emptied meanwhile; nothing was written")]
    Emptied {
        /// Which file.
        path: String,
    },
    /// The folder or a file cannot be read.
    #[error(transparent)]
    Workspace(#[from] WorkspaceError),
    /// The model failed.
    #[error(transparent)]
    Engine(#[from] EngineError),
}

/// What a question came to.
pub(super) struct Asked<T> {
    /// What the answer says, or what came of an answer that says nothing.
    pub result: Result<T, Box<Verdict>>,
    /// Of the answer.
    pub likelihood: Likelihood,
}

impl<T> Asked<T> {
    /// The same, with what is made of a result.
    pub fn and_then<U>(self, make: impl FnOnce(T) -> Result<U, Box<Verdict>>) -> Asked<U> {
        Asked {
            result: self.result.and_then(make),
            likelihood: self.likelihood,
        }
    }
}

impl Stage {
    /// Records an answer. Gives its text if it is complete.
    pub(super) fn record(
        stages: &mut Vec<Stage>,
        name: &'static str,
        answer: Answer,
    ) -> Asked<String> {
        let Answer {
            text,
            end,
            stats,
            likelihood,
        } = answer;
        // The newline before the answer to the next question.
        let text = text.trim_end_matches('\n').to_owned();
        stages.push(Stage {
            name,
            answer: text.clone(),
            stats,
        });
        let is_complete = end == End::Complete;
        let result = if is_complete {
            Ok(text)
        } else {
            Err(Box::new(Verdict::Truncated(end)))
        };
        Asked { result, likelihood }
    }
}

/// By slot, over some stages: see [`AnswerStats::certainty`].
pub(super) fn certainty(stages: &[Stage]) -> BTreeMap<Slot, f64> {
    stages
        .iter()
        .flat_map(|stage| stage.stats.certainty.clone())
        .collect()
}

impl Outcome {
    /// By slot, over both stages: see [`AnswerStats::certainty`].
    pub fn certainty(&self) -> BTreeMap<Slot, f64> {
        certainty(&self.stages)
    }

    /// By slot, over both stages: see [`AnswerStats::masked_mass`].
    pub fn masked_mass(&self) -> BTreeMap<Slot, f64> {
        self.stages
            .iter()
            .flat_map(|stage| stage.stats.masked_mass.clone())
            .collect()
    }
}
