//! Errors of fetching and keeping models as failures.

use super::{Failure, FailureKind};
use crate::models::own::{StoreError, StoreErrorKind};

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Failure {
        let kind = match error.kind {
            StoreErrorKind::Reference | StoreErrorKind::File | StoreErrorKind::Split => {
                FailureKind::ModelName
            }
            StoreErrorKind::Variable => FailureKind::Variable,
            StoreErrorKind::Missing => FailureKind::Missing,
            StoreErrorKind::Refused(401 | 403) => FailureKind::Denied,
            StoreErrorKind::Unusable => FailureKind::Unusable,
            StoreErrorKind::Taken => FailureKind::Taken,
            StoreErrorKind::NoRoom | StoreErrorKind::Stuck | StoreErrorKind::Disk => {
                FailureKind::Disk
            }
            StoreErrorKind::Busy => FailureKind::Busy,
            _ => FailureKind::Network,
        };

        let failure = Failure::new(kind, &error);
        match hint(error.kind) {
            "" => failure,
            hint => failure.hint(hint),
        }
    }
}

/// What the person can do; empty if there is nothing to say.
fn hint(kind: StoreErrorKind) -> &'static str {
    match kind {
        StoreErrorKind::File => "name one behind a colon: PUBLISHER/REPOSITORY:FILE",
        StoreErrorKind::Split => {
            "fetch all parts into one folder yourself; slotwright models import takes the first \
             one, and the others come along"
        }
        StoreErrorKind::Unreachable => {
            "is there a network? HTTPS_PROXY names a proxy, SSL_CERT_FILE a certificate, and \
             HF_ENDPOINT a mirror; slotwright models import takes a file"
        }
        StoreErrorKind::NotAHub => "HF_ENDPOINT names another server",
        StoreErrorKind::Missing => "is the name right? A private repository also needs HF_TOKEN",
        StoreErrorKind::Refused(401 | 403) => {
            "set HF_TOKEN to a token of yours; the model's page at its publisher says who may have \
             it"
        }
        StoreErrorKind::Refused(_) => "try again later",

        StoreErrorKind::Cut | StoreErrorKind::Stuck => {
            "what was fetched is kept: the same command continues it"
        }
        StoreErrorKind::Differs => {
            "nothing of it is used; a proxy or mirror may have another file of this name"
        }
        StoreErrorKind::NoRoom => "XDG_DATA_HOME names a folder on another disk",
        StoreErrorKind::Busy => "wait for it",
        StoreErrorKind::Taken => "rename one of them, or remove the other first",
        _ => "",
    }
}
