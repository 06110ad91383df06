//! Why a command ends without an edit: the kind of failure, a sentence, and what to do next.
//!
//! The kinds are one table ([`FailureKind`]). Errors of other modules become failures by `From`, so
//! that `?` is enough. The hints are those for a person at a terminal; a program or an editor that
//! asks may have others for a kind.

mod causes;
mod kind;
mod server;
mod store;

pub use kind::{ExitCode, FailureKind};

/// Anything that ends a run without an edit.
#[derive(Clone, Debug)]
pub struct Failure {
    /// The kind of failure.
    pub kind: FailureKind,
    /// The failure as a sentence for people.
    pub message: String,
    /// What to do next, a line each.
    pub hints: Vec<String>,
}

impl Failure {
    /// A failure without hints.
    pub fn new(kind: FailureKind, message: impl ToString) -> Failure {
        Failure {
            kind,
            message: message.to_string(),
            hints: Vec::new(),
        }
    }

    /// Adds what to do next, if there is anything.
    pub fn hints(mut self, hints: impl IntoIterator<Item = String>) -> Failure {
        self.hints.extend(hints);
        self
    }

    /// Adds what to do next.
    pub fn hint(mut self, hint: impl Into<String>) -> Failure {
        self.hints.push(hint.into());
        self
    }
}

/// A question about the paths that a misspelt one may mean; none if there are none.
pub(crate) fn did_you_mean(nearest: &[String]) -> Option<String> {
    (!nearest.is_empty()).then(|| format!("did you mean {}?", nearest.join(" or ")))
}
