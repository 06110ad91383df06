//! HTTP requests to a server, and their failures. Temporary failures are tried again, everything
//! has a time limit, and no redirect is followed.

use super::address::{Address, ApiKey};
use super::reply::{Reply, Streamed};
use super::server_error::ServerError;
use super::server_words::ServerWords;
use super::sse::Events;
use crate::http::{self, cause, fraction, has_certificate_fault, safe};
use reqwest::header::{AUTHORIZATION, CONTENT_TYPE, LOCATION};
use reqwest::{Client, RequestBuilder, Response, StatusCode};
use serde_json::Value;
use std::time::{Duration, Instant};
use tokio::time::{sleep, timeout};

/// Time limits and pauses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Patience {
    /// The limit for connecting.
    pub connect: Duration,
    /// The limit for the first byte of an answer. Until then a server may be reading the prompt or
    /// loading the model.
    pub first: Duration,
    /// The limit for each further piece of the answer.
    pub between: Duration,
    /// The limit for a whole answer, all tries included.
    pub whole: Duration,
    /// The pause before the second try. It doubles with each further try.
    pub pause: Duration,
}

impl Patience {
    /// The usual limits, if a server may be silent for `between` in the middle of an answer.
    pub fn with_silence(between: Duration) -> Patience {
        Patience {
            connect: Duration::from_secs(10),
            first: between * 5,
            between,
            whole: between * 30,
            pause: Duration::from_millis(250),
        }
    }
}

/// The most tries of one request.
const MAX_TRIES: u32 = 4;

/// The longest wait that a server may ask for. If it asks for more, the request fails.
const MAX_WAIT: Duration = Duration::from_secs(30);

/// The most bytes read of an answer: some hundred times the longest real one.
const MAX_BYTES: usize = 16 << 20;

/// The most bytes read of a refusal.
const MAX_REFUSAL: usize = 64 << 10;

/// A connection to a server.
#[derive(Debug)]
pub(super) struct Connection {
    client: Client,
    pub address: Address,
    key: Option<ApiKey>,
    patience: Patience,
}

/// Why one try of a request failed. Another try may still succeed.
struct FailedTry {
    error: ServerError,
    /// `None` if another try is pointless; else the wait that the server asks for, if any.
    again: Option<Option<Duration>>,
}

impl Connection {
    pub fn new(
        address: Address,
        key: Option<ApiKey>,
        patience: Patience,
    ) -> Result<Connection, ServerError> {
        let mut client = http::client(patience.connect);
        if address.is_loopback() {
            client = client.no_proxy();
        }
        let client = client.build();
        let unreachable = |error: reqwest::Error| ServerError::Unreachable {
            address: address.shown(),
            reason: cause(&error),
        };
        Ok(Connection {
            client: client.map_err(unreachable)?,
            address,
            key,
            patience,
        })
    }

    /// GETs something small. `None` if the server does not have it.
    pub async fn get(&self, url: &str) -> Result<Option<Value>, ServerError> {
        let response = match self.send(&|| self.client.get(url)).await {
            Err(ServerError::Refused {
                status: 404 | 405 | 501,
                ..
            }) => return Ok(None),
            other => other?,
        };
        self.json(response).await.map(Some)
    }

    /// POSTs a request that is answered in one piece.
    pub async fn post(&self, url: &str, body: &Value) -> Result<Value, ServerError> {
        let response = self.send(&|| self.posting(url, body)).await?;
        self.json(response).await
    }

    /// POSTs a chat request, and reads the answer as it arrives. If the stream breaks off, the
    /// request is sent once more.
    pub async fn chat(
        &self,
        body: &Value,
        max_text: usize,
        on_piece: &mut dyn FnMut(usize),
    ) -> Result<Reply, ServerError> {
        let url = self.address.endpoint("chat/completions");
        let mut was_cut = false;
        loop {
            let response = self.send(&|| self.posting(&url, body)).await?;
            match self.reply(response, max_text, on_piece).await {
                Err(ServerError::Cut { .. }) if !was_cut => was_cut = true,
                other => return other,
            }
        }
    }

    fn posting(&self, url: &str, body: &Value) -> RequestBuilder {
        self.client
            .post(url)
            .header(CONTENT_TYPE, "application/json")
            .body(body.to_string())
    }

    /// Sends a request, and tries again after temporary failures.
    async fn send(&self, request: &dyn Fn() -> RequestBuilder) -> Result<Response, ServerError> {
        let began = Instant::now();
        let mut n_tries = 0;
        loop {
            n_tries += 1;
            let failed = match self.send_once(request()).await {
                Ok(response) => return Ok(response),
                Err(failed) => failed,
            };
            // llama.cpp's server answers this while it loads its model. That takes a while and is
            // no failure.
            let says_loading = matches!(
                &failed.error,
                ServerError::Refused { status: 503, message, .. }
                    if message.contains("oading model")
            );
            let is_loading = says_loading && began.elapsed() < self.patience.first;
            let Some(asked) = failed.again.filter(|_| is_loading || n_tries < MAX_TRIES) else {
                return Err(failed.error);
            };
            if let (
                Some(wait),
                ServerError::Refused {
                    address, status, ..
                },
            ) = (asked, &failed.error)
                && wait > MAX_WAIT
            {
                return Err(ServerError::Busy {
                    address: address.clone(),
                    status: *status,
                    wait,
                });
            }
            let doubled = self.patience.pause * 2u32.pow((n_tries - 1).min(MAX_TRIES));
            // A random factor, so that many requests refused together do not come back together.
            sleep(
                asked
                    .unwrap_or_default()
                    .max(doubled.mul_f64(0.5 + fraction())),
            )
            .await;
        }
    }

    async fn send_once(&self, request: RequestBuilder) -> Result<Response, FailedTry> {
        let request = match &self.key {
            Some(key) => request.header(AUTHORIZATION, key.header()),
            None => request,
        };
        let address = self.address.shown();
        let response = match timeout(self.patience.first, request.send()).await {
            Ok(Ok(response)) => response,
            Ok(Err(error)) => return Err(self.failed_to_send(&error)),
            Err(_) => {
                return Err(FailedTry::for_good(
                    self.silent("begun to answer", self.patience.first),
                ));
            }
        };
        let status = response.status();
        if status.is_redirection() {
            let to = response
                .headers()
                .get(LOCATION)
                .map(|to| String::from_utf8_lossy(to.as_bytes()).into_owned());
            let to = self.shown(&to.unwrap_or_else(|| "nowhere".to_owned()));
            return Err(FailedTry::for_good(ServerError::Redirect { address, to }));
        }
        if status.is_success() {
            return Ok(response);
        }
        let asked = http::retry_after(&response);
        let is_html = content_type(&response).contains("html");
        // The message is wanted, but a refusal whose body breaks off is still a refusal.
        let body = self.body(response, MAX_REFUSAL).await.unwrap_or_default();
        let words = if is_html {
            ServerWords::of_page(&body)
        } else {
            ServerWords::of_body(&body)
        };
        let message = self.shown(&words.message);
        if is_html
            && matches!(
                status,
                StatusCode::NOT_FOUND | StatusCode::METHOD_NOT_ALLOWED
            )
        {
            return Err(FailedTry::for_good(ServerError::NotAnApi {
                address,
                found: format!("{} and {message}", status.as_u16()),
            }));
        }
        let may_pass = matches!(
            status.as_u16(),
            408 | 425 | 429 | 500 | 502 | 503 | 504 | 529
        ) && !words.is_final;
        let error = ServerError::Refused {
            address,
            status: status.as_u16(),
            message,
        };
        Err(FailedTry {
            error,
            again: may_pass.then_some(asked),
        })
    }

    fn failed_to_send(&self, error: &reqwest::Error) -> FailedTry {
        let (address, reason) = (self.address.shown(), self.shown(&cause(error)));
        match () {
            _ if has_certificate_fault(error) => {
                FailedTry::for_good(ServerError::Certificate { address, reason })
            }
            // A timeout is not tried again, since it has used up its time.
            _ if error.is_timeout() => {
                FailedTry::for_good(self.silent("taken a connection", self.patience.connect))
            }
            _ => FailedTry {
                error: ServerError::Unreachable { address, reason },
                again: Some(None),
            },
        }
    }

    async fn json(&self, response: Response) -> Result<Value, ServerError> {
        let kind = content_type(&response);
        let body = self.body(response, MAX_BYTES).await?;
        serde_json::from_slice(&body).map_err(|_| self.not_an_api(&kind, &body))
    }

    /// Reads a whole body of at most `max` bytes.
    async fn body(&self, mut response: Response, max: usize) -> Result<Vec<u8>, ServerError> {
        let mut body = Vec::new();
        while let Some(piece) = self.piece(&mut response).await? {
            if body.len() + piece.len() > max {
                return Err(ServerError::TooLong {
                    address: self.address.shown(),
                    limit: max,
                });
            }
            body.extend_from_slice(&piece);
        }
        Ok(body)
    }

    async fn piece(
        &self,
        response: &mut Response,
    ) -> Result<Option<impl AsRef<[u8]> + std::ops::Deref<Target = [u8]> + use<>>, ServerError>
    {
        match timeout(self.patience.between, response.chunk()).await {
            Ok(Ok(piece)) => Ok(piece),
            Ok(Err(error)) => Err(self.cut(&cause(&error))),
            Err(_) => Err(self.silent("gone on with its answer", self.patience.between)),
        }
    }

    async fn reply(
        &self,
        mut response: Response,
        max_text: usize,
        on_piece: &mut dyn FnMut(usize),
    ) -> Result<Reply, ServerError> {
        let kind = content_type(&response);
        if kind.contains("json") {
            // Some servers do not stream.
            let body = self.body(response, MAX_BYTES).await?;
            let whole: Value =
                serde_json::from_slice(&body).map_err(|_| self.not_an_api(&kind, &body))?;
            let mut streamed = Streamed::default();
            streamed
                .add(&whole)
                .map_err(|words| self.refused_within(&words))?;
            return streamed
                .finish()
                .ok_or_else(|| self.not_an_api(&kind, &body));
        }
        if !kind.contains("event-stream") {
            let body = self.body(response, MAX_REFUSAL).await.unwrap_or_default();
            return Err(self.not_an_api(&kind, &body));
        }
        let mut events = Events::default();
        let mut streamed = Streamed::default();
        let mut n_bytes = 0;
        loop {
            let piece = self.piece(&mut response).await?;
            let is_end = piece.is_none();
            let found = match &piece {
                Some(piece) => events.feed(piece),
                None => events.finish().into_iter().collect(),
            };
            n_bytes += piece.map_or(0, |piece| piece.len());
            for event in found {
                if event.trim() == "[DONE]" {
                    return streamed
                        .finish()
                        .ok_or_else(|| self.cut("it ended before it was complete"));
                }
                let Ok(event) = serde_json::from_str(&event) else {
                    // An event cut off at the end of the stream is reported as an interruption.
                    if is_end {
                        break;
                    }
                    return Err(self.not_an_api(&kind, event.as_bytes()));
                };
                streamed
                    .add(&event)
                    .map_err(|words| self.refused_within(&words))?;
            }
            if is_end {
                return streamed
                    .finish()
                    .ok_or_else(|| self.cut("it ended before it was complete"));
            }
            on_piece(streamed.n_pieces);
            let limit = if streamed.text.len() > max_text {
                max_text
            } else {
                MAX_BYTES
            };
            if n_bytes > MAX_BYTES || streamed.text.len() > max_text {
                return Err(ServerError::TooLong {
                    address: self.address.shown(),
                    limit,
                });
            }
        }
    }

    fn silent(&self, what: &'static str, waited: Duration) -> ServerError {
        ServerError::TimeOut {
            address: self.address.shown(),
            what,
            waited,
        }
    }

    /// The error for an answer that took longer than its whole limit.
    pub fn endless(&self) -> ServerError {
        self.silent("finished its answer", self.patience.whole)
    }

    pub fn patience(&self) -> Patience {
        self.patience
    }

    fn cut(&self, reason: &str) -> ServerError {
        ServerError::Cut {
            address: self.address.shown(),
            reason: self.shown(reason),
        }
    }

    /// The error for an error object in place of an answer.
    fn refused_within(&self, error: &Value) -> ServerError {
        let words = ServerWords::of_error(error);
        let status = error["code"]
            .as_u64()
            .and_then(|code| u16::try_from(code).ok())
            .filter(|code| (400..600).contains(code));
        let message = self.shown(&words.message);
        ServerError::Refused {
            address: self.address.shown(),
            status: status.unwrap_or(500),
            message,
        }
    }

    fn not_an_api(&self, kind: &str, body: &[u8]) -> ServerError {
        let words = match kind.contains("html") {
            true => ServerWords::of_page(body).message,
            false => ServerWords::of_body(body).message,
        };
        let kind = if kind.is_empty() {
            "text of no kind"
        } else {
            kind
        };
        ServerError::NotAnApi {
            address: self.address.shown(),
            found: self.shown(&format!("{kind}: {words}")),
        }
    }

    /// A server's text as messages show it.
    pub fn shown(&self, words: &str) -> String {
        safe(
            &self
                .key
                .as_ref()
                .map_or_else(|| words.to_owned(), |key| key.hidden_in(words)),
        )
    }
}

impl FailedTry {
    fn for_good(error: ServerError) -> FailedTry {
        FailedTry { error, again: None }
    }
}

fn content_type(response: &Response) -> String {
    let kind = response
        .headers()
        .get(CONTENT_TYPE)
        .map(|kind| String::from_utf8_lossy(kind.as_bytes()).to_ascii_lowercase());
    kind.unwrap_or_default()
}
