//! Where an answer can go on.

use super::so_far::SoFar;
use crate::slots::Reason;

/// Whether an answer can have a further edit, and from where.
#[derive(Clone, Debug, Default)]
pub enum Continuation {
    /// The answer is complete, and has no further edit.
    #[default]
    Complete,
    /// A further edit may follow these.
    Open(Box<SoFar>),
    /// There was no further edit.
    Ended {
        /// Why not.
        by: EndedBy,
        /// The edits after which the model could be made to go on; `None` if it cannot.
        so_far: Option<Box<SoFar>>,
    },
}

/// Why an answer has no further edit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EndedBy {
    /// The model said so, with this reason.
    Model(Reason),
    /// The program stopped the answer, for this reason in words.
    Program(String),
    /// The next edit cannot be made, for this reason in words.
    Failed(String),
}

impl Continuation {
    /// An answer that ended after edits with which it cannot go on.
    pub(super) fn ended(by: EndedBy) -> Continuation {
        Continuation::Ended { by, so_far: None }
    }

    /// Ends the answer by the program. Whether the model could go on stays.
    pub(super) fn stop(&mut self, why: &str) {
        self.end(EndedBy::Program(why.to_owned()));
    }

    /// Ends the answer before an edit that cannot be made. Whether the model could go on stays.
    pub(super) fn fail(&mut self, why: &str) {
        self.end(EndedBy::Failed(why.to_owned()));
    }

    /// Ends the answer as it had ended before. Whether the model could go on stays.
    pub(super) fn end_as(&mut self, before: &Continuation) {
        if let Continuation::Ended { by, .. } = before {
            self.end(by.clone());
        }
    }

    fn end(&mut self, by: EndedBy) {
        let so_far = match std::mem::take(self) {
            Continuation::Ended { so_far, .. } => so_far,
            Continuation::Open(_) | Continuation::Complete => None,
        };
        *self = Continuation::Ended { by, so_far };
    }
}
