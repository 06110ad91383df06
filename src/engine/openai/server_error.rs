//! Why a server gave no answer.

use std::time::Duration;

/// What a server or the way to it did. Nothing in it holds the key, and what the server wrote is
/// short and on one line.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ServerError {
    /// The name of the server cannot be read.
    #[error("{reference:?} does not name a model on a server: {reason}")]
    Reference {
        /// As it was given, without what may be a password.
        reference: String,
        /// What is wrong with it.
        reason: &'static str,
    },
    /// A key that would be sent for everybody on the way to read.
    #[error(
        "the key from {variable} is not sent to {address}: \
         it is neither encrypted (https) nor on this machine"
    )]
    KeyInTheClear {
        /// Of the server.
        address: String,
        /// The environment variable.
        variable: &'static str,
    },
    /// A key that cannot be sent.
    #[error("the key from {variable} has characters that no key has")]
    BadKey {
        /// The environment variable.
        variable: &'static str,
    },
    /// No connection.
    #[error("cannot reach {address}: {reason}")]
    Unreachable {
        /// Of the server.
        address: String,
        /// What the system says.
        reason: String,
    },
    /// A connection that cannot be trusted.
    #[error("the certificate of {address} is not trusted: {reason}")]
    Certificate {
        /// Of the server.
        address: String,
        /// What is wrong with it.
        reason: String,
    },
    /// The server sends us elsewhere.
    #[error("{address} redirects to {to}, which is not followed")]
    Redirect {
        /// Of the server.
        address: String,
        /// Where it sends us.
        to: String,
    },
    /// The server says no, or that it has failed.
    #[error("{address} answers {status}: {message}")]
    Refused {
        /// Of the server.
        address: String,
        /// Of HTTP.
        status: u16,
        /// Its words.
        message: String,
    },
    /// The server asks to come back later than is waited for.
    #[error("{address} is busy ({status}) and asks to wait {} seconds", wait.as_secs())]
    Busy {
        /// Of the server.
        address: String,
        /// Of HTTP.
        status: u16,
        /// For how long.
        wait: Duration,
    },
    /// What answers is something else.
    #[error("{address} does not answer like an OpenAI-compatible server: {found}")]
    NotAnApi {
        /// Of the server.
        address: String,
        /// What came instead.
        found: String,
    },
    /// The answer broke off, twice.
    #[error("the answer of {address} was cut off: {reason}")]
    Cut {
        /// Of the server.
        address: String,
        /// How.
        reason: String,
    },
    /// More came than any answer has.
    #[error("{address} sends more than an answer can have (over {limit} bytes); it was cut off")]
    TooLong {
        /// Of the server.
        address: String,
        /// What is read at most, in bytes.
        limit: usize,
    },
    /// Nothing came for too long.
    #[error("{address} has not {what} for {} seconds", waited.as_secs())]
    TimeOut {
        /// Of the server.
        address: String,
        /// What was waited for.
        what: &'static str,
        /// For how long.
        waited: Duration,
    },
    /// There is no such model, or none was named and there are several.
    #[error("{address} {}; it has {}", no_model(name), listed(names))]
    NoSuchModel {
        /// Of the server.
        address: String,
        /// As it was asked for; empty if none was named.
        name: String,
        /// Those that there are.
        names: Vec<String>,
    },
    /// What only an engine of our own can do.
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
            format!("{} and {} more", names[..SHOWN].join(", "), names.len() - SHOWN)
        }
        names => names.join(", "),
    }
}

/// A server's words as a message shows them: short, on one line, without anything that a terminal
/// acts on.
pub(super) fn safe(text: &str) -> String {
    const SHOWN: usize = 300;
    let mut safe = String::new();
    for word in
        text.split(|c: char| c.is_whitespace() || c.is_control()).filter(|word| !word.is_empty())
    {
        if safe.chars().count() > SHOWN {
            break;
        }
        if !safe.is_empty() {
            safe.push(' ');
        }
        safe.push_str(word);
    }
    match safe.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{} …", &safe[..end]),
        None => safe,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_a_server_are_short_and_harmless() {
        assert_eq!(safe("a\r\n b\x1b[31m\tc"), "a b [31m c");
        assert_eq!(safe(&"x".repeat(1_000_000)), format!("{} …", "x".repeat(300)));
        assert_eq!(safe(""), "");
    }
}
