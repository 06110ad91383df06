//! Errors of servers as failures.

use super::{Failure, FailureKind};
use crate::engine::openai::ServerError;

impl From<ServerError> for Failure {
    fn from(error: ServerError) -> Failure {
        let kind = match error {
            ServerError::Reference { .. } => FailureKind::ModelName,
            ServerError::KeyInTheClear { .. } | ServerError::BadKey { .. } => {
                FailureKind::ServerKey
            }
            ServerError::CannotDo(_) => FailureKind::ServerCannot,
            _ => FailureKind::Server,
        };

        let failure = Failure::new(kind, &error);
        match error {
            ServerError::Reference { .. } => failure
                .hint("a model on a server is named like this: --model http://127.0.0.1:8080/v1#NAME"),
            ServerError::KeyInTheClear { .. } => failure
                .hint("use https, or a tunnel to that machine (ssh -L)")
                .hint("if the server needs no key, set SLOTWRIGHT_API_KEY to nothing"),
            ServerError::BadKey { variable } => failure
                .hint(format!("set {variable} to the key alone")),
            ServerError::Unreachable { .. } => {
                failure.hint("is the server running, and the address right?")
            }
            ServerError::Certificate { .. } => failure
                .hint("SSL_CERT_FILE names a file of certificates to trust instead of the system's"),
            ServerError::Redirect { to, .. } => failure.hint(format!(
                "if you trust it, name that address: --model {to}#NAME"
            )),
            ServerError::Refused {
                status: 401 | 403, ..
            } => failure.hint("the key is read from SLOTWRIGHT_API_KEY, or else OPENAI_API_KEY"),
            ServerError::Refused { status: 404, .. } | ServerError::NotAnApi { .. } => {
                failure.hint("the address of the API usually ends in /v1")
            }
            ServerError::Refused {
                status: 400 | 413 | 422,
                ..
            } => failure.hint(
                "if the context is too short, name fewer files or start the server with a longer one",
            ),
            ServerError::Refused { .. } | ServerError::Busy { .. } => {
                failure.hint("try again later")
            }
            ServerError::Cut { .. } => {
                failure.hint("try again; the server's own log may say why")
            }
            ServerError::TooLong { .. } => {
                failure.hint("the server may not heed max_tokens, or its model may repeat itself")
            }
            ServerError::TimeOut { .. } => failure.hint("--model-timeout waits longer"),
            ServerError::NoSuchModel { .. } => {
                failure.hint("name one of them behind a #: --model http://HOST/v1#NAME")
            }
            ServerError::CannotDo(_) => failure,
        }
    }
}
