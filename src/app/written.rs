//! Why a change was not written.

use crate::failure::{Failure, FailureKind};
use crate::review::Warning;
use crate::review::gate::GateError;
use crate::workspace::journal::{JournalError, OpenError};

/// `unasked_hint`: what to do where nobody can be asked.
pub(crate) fn gate_failure(error: GateError, unasked_hint: &str) -> Failure {
    let message = error.to_string();
    match error {
        GateError::Output(error) => {
            let message = format!("cannot print the result: {error}; nothing was written");
            Failure::new(FailureKind::Output, message)
        }
        GateError::Check(error) => Failure::from(error),
        GateError::Warned(warnings) => {
            let kind = FailureKind::Warning(warnings[0].kind);
            ways_around(&warnings)
                .into_iter()
                .fold(Failure::new(kind, message), Failure::hint)
                .hint("without --yes you see the diff on a terminal, and decide")
        }
        GateError::NobodyToAsk(warnings) => {
            let failure = Failure::new(FailureKind::NotConfirmed, message);
            match ways_around(&warnings).as_slice() {
                [] => failure.hint(unasked_hint),
                ways => ways.iter().fold(failure, |failure, way| {
                    failure.hint(format!("with --yes, {way}"))
                }),
            }
        }
        GateError::NotConfirmed => Failure::new(FailureKind::NotConfirmed, message),
        GateError::Journal(error) => {
            let is_unusable = matches!(error, OpenError::Journal(JournalError::Io { .. }));
            let failure = Failure::from(error);
            if !is_unusable {
                return failure;
            }
            failure.hint("nothing was written: several files are written only with a journal")
        }
        GateError::Commit(error) => Failure::from(error),
    }
}

/// How to have a change written in spite of its warnings.
fn ways_around(warnings: &[Warning]) -> Vec<String> {
    let mut ways = Vec::new();
    for warning in warnings {
        let way = format!("--accept {} writes it all the same", warning.kind.word());
        if !ways.contains(&way) {
            ways.push(way);
        }
    }
    ways
}
