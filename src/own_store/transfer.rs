//! Requests to a hub: where they may be led, who learns of the token, and which failures pass.

use super::error::StoreError;
use super::hub::Hub;
use crate::http::{self, cause, fraction, has_certificate_fault, is_loopback, safe};
use reqwest::header::{AUTHORIZATION, LOCATION, RANGE};
use reqwest::{Response, StatusCode, Url};
use serde_json::Value;
use std::time::Duration;
use tokio::time::{sleep, timeout};

/// A hub leads to a store of files, and that perhaps to the nearest one.
const MAX_REDIRECTS: usize = 10;

/// The most bytes read of a refusal.
const MAX_REFUSAL: usize = 64 << 10;

/// Asks a hub.
pub(super) struct Client<'h> {
    http: reqwest::Client,
    pub hub: &'h Hub,
}

/// Why a request failed.
pub(super) enum Trouble {
    /// Another try would fail too.
    Fatal(StoreError),
    /// Another try may succeed, after the wait that the server asks for.
    Passing {
        error: StoreError,
        wait: Option<Duration>,
    },
}

impl Trouble {
    fn passing(error: StoreError) -> Trouble {
        Trouble::Passing { error, wait: None }
    }
}

impl<'h> Client<'h> {
    pub fn new(hub: &'h Hub) -> Result<Client<'h>, StoreError> {
        let mut client = http::client(hub.limits.connect);
        if is_loopback(hub.endpoint()) {
            client = client.no_proxy();
        }
        let unreachable = |error: reqwest::Error| StoreError::Unreachable {
            address: hub.shown(),
            reason: cause(&error),
        };
        Ok(Client {
            http: client.build().map_err(unreachable)?,
            hub,
        })
    }

    /// GETs `what`, from this byte on. The answer is 200, 206 or 416.
    pub async fn get(&self, url: &Url, from: u64, what: &str) -> Result<Response, Trouble> {
        let mut url = url.clone();
        for _ in 0..MAX_REDIRECTS {
            let response = self.send(&url, from).await?;
            let status = response.status();
            if status.is_success() || status == StatusCode::RANGE_NOT_SATISFIABLE {
                return Ok(response);
            }
            if !status.is_redirection() {
                return Err(self.refusal(&url, response, what).await);
            }
            let to = response
                .headers()
                .get(LOCATION)
                .map(|to| to.as_bytes().to_vec());
            let to = String::from_utf8_lossy(&to.unwrap_or_default()).into_owned();
            url = self.led(&url, &to).map_err(Trouble::Fatal)?;
        }
        let reason = "and from there to another place, again and again";
        let to = shown(&url);
        Err(Trouble::Fatal(StoreError::Redirect {
            address: self.hub.shown(),
            to,
            reason,
        }))
    }

    /// GETs something that fits into memory.
    pub async fn body(&self, url: &Url, what: &str, max: usize) -> Result<Vec<u8>, Trouble> {
        let mut response = self.get(url, 0, what).await?;
        let mut body = Vec::new();
        while let Some(piece) = self.piece(&mut response).await.map_err(Trouble::passing)? {
            body.extend_from_slice(&piece);
            if body.len() > max {
                let reason = format!("it sends more than {max} bytes");
                let address = shown(response.url());
                return Err(Trouble::Fatal(StoreError::NotAHub { address, reason }));
            }
        }
        Ok(body)
    }

    /// The next piece of an answer; none at its end.
    pub async fn piece(
        &self,
        response: &mut Response,
    ) -> Result<Option<impl std::ops::Deref<Target = [u8]> + use<>>, StoreError> {
        let address = shown(response.url());
        match timeout(self.hub.limits.silence, response.chunk()).await {
            Ok(Ok(piece)) => Ok(piece),
            Ok(Err(error)) => Err(StoreError::Unreachable {
                address,
                reason: cause(&error),
            }),
            Err(_) => Err(StoreError::Silent {
                address,
                waited: self.hub.limits.silence,
            }),
        }
    }

    /// Whether another try is made after `n_failed` have failed. It is not if the server asks for a
    /// longer wait than anybody has.
    pub fn tries_again(&self, n_failed: u32, wait: Option<Duration>) -> bool {
        n_failed < self.hub.limits.tries && wait.unwrap_or_default() <= self.hub.limits.wait
    }

    /// Waits before the next try.
    pub async fn pause(&self, n_failed: u32, wait: Option<Duration>) {
        let wait = wait.unwrap_or_default();
        let doubled = self.hub.limits.pause * 2u32.pow(n_failed.saturating_sub(1).min(8));
        sleep(wait.max(doubled.mul_f64(0.5 + fraction()))).await;
    }

    async fn send(&self, url: &Url, from: u64) -> Result<Response, Trouble> {
        let mut request = self.http.get(url.clone());
        if let Some(token) = self.hub.token().filter(|_| self.is_hub(url)) {
            request = request.header(AUTHORIZATION, token);
        }
        if from > 0 {
            request = request.header(RANGE, format!("bytes={from}-"));
        }
        let address = shown(url);
        match timeout(self.hub.limits.silence, request.send()).await {
            Ok(Ok(response)) => Ok(response),
            Ok(Err(error)) => {
                let reason = safe(&cause(&error));
                Err(if has_certificate_fault(&error) {
                    Trouble::Fatal(StoreError::Certificate { address, reason })
                } else {
                    Trouble::passing(StoreError::Unreachable { address, reason })
                })
            }
            Err(_) => Err(Trouble::passing(StoreError::Silent {
                address,
                waited: self.hub.limits.silence,
            })),
        }
    }

    /// Whether an address is the hub's own: only it learns of the token.
    fn is_hub(&self, url: &Url) -> bool {
        url.origin() == self.hub.endpoint().origin()
    }

    /// The address that a redirect leads to.
    fn led(&self, from: &Url, to: &str) -> Result<Url, StoreError> {
        let refused = |reason| StoreError::Redirect {
            address: shown(from),
            to: safe(to),
            reason,
        };
        let url = from.join(to).map_err(|_| refused("which is no address"))?;
        match url.scheme() {
            "https" => Ok(url),
            "http" if from.scheme() == "http" => Ok(url),
            "http" => Err(refused("which is not encrypted")),
            _ => Err(refused("which is no address of the web")),
        }
    }

    async fn refusal(&self, url: &Url, mut response: Response, what: &str) -> Trouble {
        let status = response.status();
        let wait = http::retry_after(&response);
        let header = |name: &str| {
            let value = response.headers().get(name)?;
            Some(safe(&String::from_utf8_lossy(value.as_bytes())))
        };
        let (code, said) = (header("x-error-code"), header("x-error-message"));
        let mut body = Vec::new();
        while let Ok(Some(piece)) = self.piece(&mut response).await {
            body.extend_from_slice(&piece);
            if body.len() > MAX_REFUSAL {
                break;
            }
        }
        let message = said.unwrap_or_else(|| words(&body));
        let (address, what) = (shown(url), what.to_owned());
        // The hub says 401 of a repository that is not there to whoever has no token.
        let is_missing = matches!(code.as_deref(), Some("RepoNotFound" | "EntryNotFound"));
        match status.as_u16() {
            401 | 403 | 404 if is_missing => Trouble::Fatal(StoreError::Missing { address, what }),
            404 | 410 => Trouble::Fatal(StoreError::Missing { address, what }),
            401 | 403 => {
                let with_token = self.hub.token().is_some() && self.is_hub(url);
                Trouble::Fatal(StoreError::Denied {
                    address,
                    what,
                    with_token,
                    message,
                })
            }
            status => {
                let error = StoreError::Refused {
                    address,
                    status,
                    message,
                };
                match status {
                    408 | 425 | 429 | 500 | 502 | 503 | 504 => Trouble::Passing { error, wait },
                    _ => Trouble::Fatal(error),
                }
            }
        }
    }
}

/// Scheme, host and port: a path may hold a signature, and is long.
pub(super) fn shown(url: &Url) -> String {
    url.origin().ascii_serialization()
}

/// A server's words in the body of a refusal.
fn words(body: &[u8]) -> String {
    let text = String::from_utf8_lossy(body);
    let said = serde_json::from_slice::<Value>(body)
        .ok()
        .and_then(|body| body.get("error").and_then(Value::as_str).map(str::to_owned));
    match said {
        Some(said) => safe(&said),
        None if text.trim_start().starts_with('<') => "a web page".to_owned(),
        None if text.trim().is_empty() => "no reason given".to_owned(),
        None => safe(&text),
    }
}
