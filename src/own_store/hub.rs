//! A hub of models, Hugging Face's or a mirror of it: its address, and who asks it.

use super::error::StoreError;
use crate::http::is_loopback;
use reqwest::Url;
use reqwest::header::HeaderValue;
use std::ffi::OsString;
use std::time::Duration;

/// Where models are fetched if nothing else is said.
const ENDPOINT: &str = "https://huggingface.co";

/// A hub, and who asks it.
#[derive(Clone)]
pub struct Hub {
    endpoint: Url,
    token: Option<HeaderValue>,
    /// How long it is waited for.
    pub limits: Limits,
}

impl std::fmt::Debug for Hub {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // Never the token.
        write!(f, "Hub({})", self.shown())
    }
}

impl Hub {
    /// The hub at an address, asked with a token if there is one.
    ///
    /// # Errors
    /// [`StoreError::Endpoint`], [`StoreError::Token`].
    pub fn new(endpoint: &str, token: Option<&str>) -> Result<Hub, StoreError> {
        let refused = || StoreError::Endpoint {
            address: endpoint.to_owned(),
        };
        let url = Url::parse(endpoint.trim_end_matches('/')).map_err(|_| refused())?;
        let has_password = !url.username().is_empty() || url.password().is_some();
        if !matches!(url.scheme(), "http" | "https") || url.host().is_none() || has_password {
            return Err(refused());
        }
        let mut hub = Hub {
            endpoint: url,
            token: None,
            limits: Limits::default(),
        };
        if let Some(token) = token.map(str::trim).filter(|token| !token.is_empty()) {
            let refused = |reason| StoreError::Token {
                address: hub.shown(),
                reason,
            };
            if hub.endpoint.scheme() == "http" && !is_loopback(&hub.endpoint) {
                return Err(refused(
                    "it is neither encrypted (https) nor on this machine",
                ));
            }
            let mut header = HeaderValue::try_from(format!("Bearer {token}"))
                .map_err(|_| refused("it has characters that no token has"))?;
            header.set_sensitive(true);
            hub.token = Some(header);
        }
        Ok(hub)
    }

    /// The hub of `HF_ENDPOINT`, or else Hugging Face's; with the token of `HF_TOKEN`.
    ///
    /// # Errors
    /// As [`Hub::new`], and [`StoreError::Offline`].
    pub fn of_environment(variable: impl Fn(&str) -> Option<OsString>) -> Result<Hub, StoreError> {
        // An empty variable is one that is not set.
        let text = |name: &str| {
            let value = variable(name)?.to_string_lossy().into_owned();
            (!value.trim().is_empty()).then_some(value)
        };
        if text("HF_HUB_OFFLINE").is_some_and(|value| value != "0") {
            return Err(StoreError::Offline);
        }
        Hub::new(
            text("HF_ENDPOINT").as_deref().unwrap_or(ENDPOINT),
            text("HF_TOKEN").as_deref(),
        )
    }

    /// Its address, as messages show it.
    pub fn shown(&self) -> String {
        self.endpoint.as_str().trim_end_matches('/').to_owned()
    }

    /// Where it says what a repository has.
    pub(super) fn description(&self, repository: &str) -> Url {
        let mut url = self.at(["api", "models"].into_iter().chain(repository.split('/')));
        url.set_query(Some("blobs=true"));
        url
    }

    /// Where a file of a repository is.
    pub(super) fn file(&self, repository: &str, path: &str) -> Url {
        self.at(repository
            .split('/')
            .chain(["resolve", "main"])
            .chain(path.split('/')))
    }

    fn at<'p>(&self, parts: impl Iterator<Item = &'p str>) -> Url {
        let mut url = self.endpoint.clone();
        url.path_segments_mut()
            .expect("it has a host")
            .pop_if_empty()
            .extend(parts);
        url
    }

    pub(super) fn endpoint(&self) -> &Url {
        &self.endpoint
    }

    pub(super) fn token(&self) -> Option<&HeaderValue> {
        self.token.as_ref()
    }
}

/// The limits of a transfer. No limit is on the whole: a slow line takes hours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// For connecting.
    pub connect: Duration,
    /// For each further piece.
    pub silence: Duration,
    /// The pause before the second try. It doubles with each further try.
    pub pause: Duration,
    /// The most tries in a row that bring nothing.
    pub tries: u32,
    /// The longest wait that a server may ask for.
    pub wait: Duration,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            connect: Duration::from_secs(15),
            silence: Duration::from_secs(30),
            pause: Duration::from_millis(500),
            tries: 5,
            wait: Duration::from_secs(60),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(variables: &[(&str, &str)]) -> Result<Hub, StoreError> {
        Hub::of_environment(|name| {
            variables
                .iter()
                .find(|(key, _)| *key == name)
                .map(|(_, value)| OsString::from(value))
        })
    }

    #[test]
    fn the_environment_names_hub_and_token() {
        let hub = of(&[("HF_ENDPOINT", ""), ("HF_TOKEN", " ")]).unwrap();
        assert_eq!(hub.shown(), ENDPOINT);
        assert_eq!(hub.token, None);
        let url = hub.file("Qwen/Q-GGUF", "a b/c#.gguf");
        assert_eq!(
            url.as_str(),
            "https://huggingface.co/Qwen/Q-GGUF/resolve/main/a%20b/c%23.gguf"
        );
        let mirror = of(&[
            ("HF_ENDPOINT", "https://hf.example/hub/"),
            ("HF_TOKEN", "t\n"),
        ])
        .unwrap();
        assert_eq!(mirror.shown(), "https://hf.example/hub");
        assert_eq!(mirror.token.as_ref().unwrap(), "Bearer t");
        assert!(!format!("{mirror:?}").contains("Bearer"));
        let url = mirror.file("a/b", "c.gguf");
        assert_eq!(
            url.as_str(),
            "https://hf.example/hub/a/b/resolve/main/c.gguf"
        );
    }

    #[test]
    fn a_token_goes_only_where_nobody_else_reads_it() {
        let token = ("HF_TOKEN", "secret");
        for address in ["http://mirror.example", "http://192.168.1.2:8080"] {
            let error = of(&[("HF_ENDPOINT", address), token])
                .unwrap_err()
                .to_string();
            assert!(
                error.contains("not sent") && !error.contains("secret"),
                "{error}"
            );
        }
        assert!(of(&[("HF_ENDPOINT", "http://localhost:8080"), token]).is_ok());
        assert!(matches!(
            of(&[("HF_TOKEN", "a\nb")]),
            Err(StoreError::Token { .. })
        ));
    }

    #[test]
    fn who_wants_no_network_has_none() {
        assert!(matches!(
            of(&[("HF_HUB_OFFLINE", "1")]),
            Err(StoreError::Offline)
        ));
        assert!(of(&[("HF_HUB_OFFLINE", "0")]).is_ok());
    }

    #[test]
    fn a_hub_has_an_address() {
        for address in [
            "hf.co",
            "ftp://hf.co",
            "https://",
            "https://me:secret@hf.co",
        ] {
            assert!(matches!(
                of(&[("HF_ENDPOINT", address)]),
                Err(StoreError::Endpoint { .. })
            ));
        }
    }
}
