//! The errors of servers.

use std::time::Duration;

/// Why a server gave no answer. No error has the key in it, and text from the server is short and
/// on one line.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ServerError {
    /// The reference to a model on a server cannot be parsed.
    #[error("{reference:?} does not name a model on a server: {reason}")]
    Reference {
        /// The reference as given, without anything that may be a password.
        reference: String,
        /// What is wrong with the reference.
        reason: &'static str,
    },
    /// The key would be sent over plain http, readable for others on the network.
    #[error(
        "the key from {variable} is not sent to {address}: \
         it is neither encrypted (https) nor on this machine"
    )]
    KeyInTheClear {
        /// The address of the server.
        address: String,
        /// The environment variable of the key.
        variable: &'static str,
    },
    /// The key has characters that cannot be sent.
    #[error("the key from {variable} has characters that no key has")]
    BadKey {
        /// The environment variable of the key.
        variable: &'static str,
    },
    /// No connection could be made.
    #[error("cannot reach {address}: {reason}")]
    Unreachable {
        /// The address of the server.
        address: String,
        /// The system's reason.
        reason: String,
    },
    /// The server's certificate is not trusted.
    #[error("the certificate of {address} is not trusted: {reason}")]
    Certificate {
        /// The address of the server.
        address: String,
        /// What is wrong with the certificate.
        reason: String,
    },
    /// The server redirects to another address.
    #[error("{address} redirects to {to}, which is not followed")]
    Redirect {
        /// The address of the server.
        address: String,
        /// The address in the redirect.
        to: String,
    },
    /// The server refused the request, or failed.
    #[error("{address} answers {status}: {message}")]
    Refused {
        /// The address of the server.
        address: String,
        /// The HTTP status.
        status: u16,
        /// The server's message.
        message: String,
    },
    /// The server asks for a longer wait than is allowed.
    #[error("{address} is busy ({status}) and asks to wait {} seconds", wait.as_secs())]
    Busy {
        /// The address of the server.
        address: String,
        /// The HTTP status.
        status: u16,
        /// The wait that it asks for.
        wait: Duration,
    },
    /// The answer does not come from an OpenAI-compatible API.
    #[error("{address} does not answer like an OpenAI-compatible server: {found}")]
    NotAnApi {
        /// The address of the server.
        address: String,
        /// What was received instead.
        found: String,
    },
    /// The answer broke off twice.
    #[error("the answer of {address} was cut off: {reason}")]
    Cut {
        /// The address of the server.
        address: String,
        /// How it broke off.
        reason: String,
    },
    /// The server sent more than any answer has.
    #[error("{address} sends more than an answer can have (over {limit} bytes); it was cut off")]
    TooLong {
        /// The address of the server.
        address: String,
        /// The limit in bytes.
        limit: usize,
    },
    /// The server was silent for too long.
    #[error("{address} has not {what} for {} seconds", waited.as_secs())]
    TimeOut {
        /// The address of the server.
        address: String,
        /// What the server failed to do, as in "has not *begun to answer*".
        what: &'static str,
        /// How long it was waited for.
        waited: Duration,
    },
    /// The model does not exist, or none was named and the server does not have exactly one.
    #[error("{address} {}; it has {}", no_model(name), listed(names))]
    NoSuchModel {
        /// The address of the server.
        address: String,
        /// The name asked for; empty if none was named.
        name: String,
        /// The models that the server lists.
        names: Vec<String>,
    },
    /// Only an engine of our own can do this.
    #[error("a server cannot {0}")]
    CannotDo(&'static str),
}

fn no_model(name: &str) -> String {
    if name.is_empty() {
        "has not exactly one model, and none was named".to_owned()
    } else {
        format!("has no model {name:?}")
    }
}

fn listed(names: &[String]) -> String {
    const SHOWN: usize = 20;
    match names {
        [] => "none that it lists".to_owned(),
        names if names.len() > SHOWN => {
            format!(
                "{} and {} more",
                names[..SHOWN].join(", "),
                names.len() - SHOWN
            )
        }
        names => names.join(", "),
    }
}
