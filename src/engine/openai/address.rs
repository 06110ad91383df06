//! The address of a model on a server, `http(s)://HOST/v1#NAME`, and the API key.

use super::server_error::ServerError;
use crate::http::is_loopback;
use reqwest::Url;
use reqwest::header::HeaderValue;

/// The environment variables for the key. The first one that is set counts; if it is empty, there
/// is no key.
const KEY_VARIABLES: [&str; 2] = ["SLOTWRIGHT_API_KEY", "OPENAI_API_KEY"];

/// A server and a model on it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Address {
    /// The URL without a slash at its end.
    base: Url,
    /// The model's name. Empty if the server's only model is meant.
    pub(super) name: String,
}

/// An API key. It is never shown, neither by `Debug` nor in a message.
#[derive(Clone)]
pub struct ApiKey {
    header: HeaderValue,
    secret: String,
    variable: &'static str,
}

impl Address {
    /// Parses `http(s)://HOST/v1#NAME`. NAME is the server's own name for the model. Without it the
    /// server's only model is meant.
    ///
    /// # Errors
    /// [`ServerError::Reference`]. Also if it has a password or a query, since messages show it.
    pub fn parse(reference: &str) -> Result<Address, ServerError> {
        let (address, name) = reference.split_once('#').unwrap_or((reference, ""));
        let base = base_url(address).map_err(|reason| ServerError::Reference {
            // Anything that may be a password or a key is not shown.
            reference: if address.contains(['@', '?']) {
                "…".to_owned()
            } else {
                address.to_owned()
            },
            reason,
        })?;
        Ok(Address {
            base,
            name: name.to_owned(),
        })
    }

    /// The server without the model, as messages show it.
    pub fn shown(&self) -> String {
        self.base.as_str().trim_end_matches('/').to_owned()
    }

    /// The URL of a part of the API, such as `chat/completions`.
    pub(super) fn endpoint(&self, path: &str) -> String {
        format!("{}/{path}", self.shown())
    }

    /// The URL of something outside the API that some servers have, such as `tokenize`.
    pub(super) fn beside(&self, path: &str) -> String {
        let shown = self.shown();
        format!("{}/{path}", shown.strip_suffix("/v1").unwrap_or(&shown))
    }

    /// Whether the server is this machine. Then nothing leaves the machine, and no proxy is used.
    pub(super) fn is_loopback(&self) -> bool {
        is_loopback(&self.base)
    }

    /// Whether others on the network could read what is sent.
    fn is_open(&self) -> bool {
        self.base.scheme() == "http" && !self.is_loopback()
    }
}

/// The URL of a server, or what is wrong with it.
fn base_url(address: &str) -> Result<Url, &'static str> {
    let mut base = Url::parse(address).map_err(|_| "it is not an address")?;
    if !matches!(base.scheme(), "http" | "https") || base.host_str().is_none_or(str::is_empty) {
        return Err("it begins with http:// or https:// and a host");
    }
    if !base.username().is_empty() || base.password().is_some() {
        return Err("a name or password has no place in it; a key comes from SLOTWRIGHT_API_KEY");
    }
    if base.query().is_some() {
        return Err("it has a query (?…); a key comes from SLOTWRIGHT_API_KEY");
    }
    let path = base.path().trim_end_matches('/').to_owned();
    base.set_path(&path);
    Ok(base)
}

impl ApiKey {
    /// The key from SLOTWRIGHT_API_KEY, else from OPENAI_API_KEY. An empty SLOTWRIGHT_API_KEY means
    /// that there is no key.
    ///
    /// # Errors
    /// [`ServerError::KeyInTheClear`] if the key would go to another machine over plain http.
    pub fn from_environment(address: &Address) -> Result<Option<ApiKey>, ServerError> {
        let found = KEY_VARIABLES
            .into_iter()
            .find_map(|variable| Some((variable, std::env::var_os(variable)?)));
        let Some((variable, secret)) = found else {
            return Ok(None);
        };
        let secret = secret
            .into_string()
            .map_err(|_| ServerError::BadKey { variable })?;
        if secret.trim().is_empty() {
            Ok(None)
        } else {
            ApiKey::new(&secret, variable, address).map(Some)
        }
    }

    /// A key for a server. Messages name it by `variable`.
    ///
    /// # Errors
    /// As [`ApiKey::from_environment`].
    pub fn new(
        secret: &str,
        variable: &'static str,
        address: &Address,
    ) -> Result<ApiKey, ServerError> {
        let secret = secret.trim().to_owned();
        let mut header = HeaderValue::try_from(format!("Bearer {secret}"))
            .map_err(|_| ServerError::BadKey { variable })?;
        header.set_sensitive(true);
        if address.is_open() {
            return Err(ServerError::KeyInTheClear {
                address: address.shown(),
                variable,
            });
        }
        Ok(ApiKey {
            header,
            secret,
            variable,
        })
    }

    /// The environment variable that the key came from.
    pub fn variable(&self) -> &'static str {
        self.variable
    }

    pub(super) fn header(&self) -> HeaderValue {
        self.header.clone()
    }

    /// A server's message without the key, which some servers repeat.
    pub(super) fn hidden_in(&self, text: &str) -> String {
        text.replace(&self.secret, "[key]")
    }
}

impl std::fmt::Debug for ApiKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Key(from {})", self.variable)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_and_a_model_are_told_apart() {
        for (reference, shown, name) in [
            (
                "http://127.0.0.1:8080/v1#qwen2.5:7b",
                "http://127.0.0.1:8080/v1",
                "qwen2.5:7b",
            ),
            (
                "https://example.com/v1/#org/model#2",
                "https://example.com/v1",
                "org/model#2",
            ),
            ("http://localhost:1234", "http://localhost:1234", ""),
        ] {
            let address = Address::parse(reference).unwrap();
            assert_eq!(
                (address.shown().as_str(), address.name.as_str()),
                (shown, name)
            );
        }
        let address = Address::parse("http://[::1]:8080/v1").unwrap();
        assert_eq!(address.endpoint("models"), "http://[::1]:8080/v1/models");
        assert_eq!(address.beside("tokenize"), "http://[::1]:8080/tokenize");
        assert!(address.is_loopback());
    }

    #[test]
    fn what_would_be_shown_holds_no_secret() {
        for (reference, part) in [
            ("http://me:secret@host/v1", "SLOTWRIGHT_API_KEY"),
            ("https://host/v1?key=secret#m", "SLOTWRIGHT_API_KEY"),
            ("http://me:secret@host:port/v1", "not an address"),
        ] {
            let error = Address::parse(reference).unwrap_err().to_string();
            assert!(!error.contains("secret"), "{error}");
            assert!(error.contains(part), "{error}");
        }
        assert!(Address::parse("http://").is_err());
        assert!(Address::parse("file:///v1").is_err());
    }

    #[test]
    fn a_key_is_not_sent_where_others_can_read_it() {
        let key = |reference: &str, secret: &str| {
            let address = Address::parse(reference).unwrap();
            ApiKey::new(secret, "SLOTWRIGHT_API_KEY", &address)
        };
        let key_for_us = key("http://127.0.0.1:1/v1", "s3cret").unwrap();
        assert!(!format!("{key_for_us:?}").contains("s3cret"));
        assert_eq!(key_for_us.hidden_in("bad key s3cret!"), "bad key [key]!");
        assert!(key("http://localhost/v1", "s3cret").is_ok());
        assert!(key("https://example.com/v1", "s3cret").is_ok());
        for elsewhere in ["http://192.168.1.2/v1", "http://localhost.example.com/v1"] {
            let error = key(elsewhere, "s3cret").unwrap_err();
            assert!(
                matches!(error, ServerError::KeyInTheClear { .. }),
                "{error}"
            );
            assert!(!error.to_string().contains("s3cret"), "{error}");
        }
        let error = key("https://example.com/v1", "a\nb").unwrap_err();
        assert!(matches!(error, ServerError::BadKey { .. }), "{error}");
    }
}
