//! HTTP requests to a server, and their failures. Temporary failures are tried again, everything
//! has a time limit, and no redirect is followed.

use super::address::{Address, ApiKey};
use super::reply::{Reply, Streamed};
use super::server_error::ServerError;
use super::server_words::ServerWords;
use super::sse::Events;
use crate::http::{self, cause, fraction, has_certificate_fault, safe};
use reqwest::header::{AUTHORIZATION, CONTENT_TYPE, LOCATION};
use reqwest::{Client, RequestBuilder, Response};
use serde_json::Value;
use std::time::{Duration, Instant};
use tokio::time::{sleep, timeout};
use tracing::debug;

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
    pub patience: Patience,
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
        let client = client.build().map_err(|error| ServerError::Unreachable {
            address: address.shown(),
            reason: cause(&error),
        })?;
        Ok(Connection {
            client,
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
            debug!(n_tries, error = %failed.error, "a request failed");

            // Loading a model takes a while and is no failure.
            let is_loading = failed.says_loading() && began.elapsed() < self.patience.first;
            let Some(asked) = failed.again.filter(|_| is_loading || n_tries < MAX_TRIES) else {
                return Err(failed.error);
            };
            let asked = asked.unwrap_or_default();
            if asked > MAX_WAIT
                && let ServerError::Refused {
                    address, status, ..
                } = failed.error
            {
                return Err(ServerError::Busy {
                    address,
                    status,
                    wait: asked,
                });
            }

            let doubled = self.patience.pause * 2u32.pow((n_tries - 1).min(MAX_TRIES));
            // A random factor, so that many requests refused together do not come back together.
            sleep(asked.max(doubled.mul_f64(0.5 + fraction()))).await;
        }
    }

    async fn send_once(&self, request: RequestBuilder) -> Result<Response, FailedTry> {
        let request = match &self.key {
            Some(key) => request.header(AUTHORIZATION, key.header()),
            None => request,
        };
        let response = match timeout(self.patience.first, request.send()).await {
            Ok(Ok(response)) => response,
            Ok(Err(error)) => return Err(self.failed_to_send(&error)),
            Err(_) => {
                let error = self.silent("begun to answer", self.patience.first);
                return Err(FailedTry::for_good(error));
            }
        };

        let status = response.status();
        debug!(url = %response.url(), status = status.as_u16(), "a server answers");
        if status.is_success() {
            Ok(response)
        } else if status.is_redirection() {
            let to = response
                .headers()
                .get(LOCATION)
                .map_or("nowhere".into(), |to| {
                    String::from_utf8_lossy(to.as_bytes())
                });
            Err(FailedTry::for_good(ServerError::Redirect {
                address: self.address.shown(),
                to: self.shown(&to),
            }))
        } else {
            Err(self.refused(response).await)
        }
    }

    async fn refused(&self, response: Response) -> FailedTry {
        let address = self.address.shown();
        let status = response.status();
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

        if is_html && matches!(status.as_u16(), 404 | 405) {
            return FailedTry::for_good(ServerError::NotAnApi {
                address,
                found: format!("{} and {message}", status.as_u16()),
            });
        }
        let may_pass = !words.is_final
            && matches!(
                status.as_u16(),
                408 | 425 | 429 | 500 | 502 | 503 | 504 | 529
            );
        FailedTry {
            error: ServerError::Refused {
                address,
                status: status.as_u16(),
                message,
            },
            again: may_pass.then_some(asked),
        }
    }

    fn failed_to_send(&self, error: &reqwest::Error) -> FailedTry {
        let address = self.address.shown();
        let reason = self.shown(&cause(error));
        if has_certificate_fault(error) {
            FailedTry::for_good(ServerError::Certificate { address, reason })
        } else if error.is_timeout() {
            // It is not tried again, since it has used up its time.
            FailedTry::for_good(self.silent("taken a connection", self.patience.connect))
        } else {
            FailedTry {
                error: ServerError::Unreachable { address, reason },
                again: Some(None),
            }
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
                return Err(self.too_long(max));
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
        response: Response,
        max_text: usize,
        on_piece: &mut dyn FnMut(usize),
    ) -> Result<Reply, ServerError> {
        let kind = content_type(&response);
        if kind.contains("event-stream") {
            self.streamed_reply(response, max_text, on_piece).await
        } else if kind.contains("json") {
            // Some servers do not stream.
            let body = self.body(response, MAX_BYTES).await?;
            let whole = serde_json::from_slice(&body).map_err(|_| self.not_an_api(&kind, &body))?;
            let mut streamed = Streamed::default();
            self.add(&whole, &mut streamed)?;
            streamed
                .finish()
                .ok_or_else(|| self.not_an_api(&kind, &body))
        } else {
            let body = self.body(response, MAX_REFUSAL).await.unwrap_or_default();
            Err(self.not_an_api(&kind, &body))
        }
    }

    async fn streamed_reply(
        &self,
        mut response: Response,
        max_text: usize,
        on_piece: &mut dyn FnMut(usize),
    ) -> Result<Reply, ServerError> {
        let kind = content_type(&response);
        let mut events = Events::default();
        let mut streamed = Streamed::default();
        let mut n_bytes = 0;
        let mut is_end = false;
        while !is_end {
            let piece = self.piece(&mut response).await?;
            is_end = piece.is_none();
            let found = match &piece {
                Some(piece) => events.feed(piece),
                None => events.finish().into_iter().collect(),
            };
            n_bytes += piece.map_or(0, |piece| piece.len());

            for event in found {
                if event.trim() == "[DONE]" {
                    is_end = true;
                    break;
                }
                match serde_json::from_str(&event) {
                    Ok(event) => self.add(&event, &mut streamed)?,
                    // An event cut off at the end of the stream is reported as an interruption.
                    Err(_) if is_end => break,
                    Err(_) => return Err(self.not_an_api(&kind, event.as_bytes())),
                }
            }

            on_piece(streamed.n_pieces);
            if streamed.text.len() > max_text {
                return Err(self.too_long(max_text));
            }
            if n_bytes > MAX_BYTES {
                return Err(self.too_long(MAX_BYTES));
            }
        }
        streamed
            .finish()
            .ok_or_else(|| self.cut("it ended before it was complete"))
    }

    fn add(&self, event: &Value, streamed: &mut Streamed) -> Result<(), ServerError> {
        streamed
            .add(event)
            .map_err(|error| self.refused_within(&error))
    }

    fn too_long(&self, limit: usize) -> ServerError {
        ServerError::TooLong {
            address: self.address.shown(),
            limit,
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
        let words = if kind.contains("html") {
            ServerWords::of_page(body)
        } else {
            ServerWords::of_body(body)
        };
        let kind = if kind.is_empty() {
            "text of no kind"
        } else {
            kind
        };
        ServerError::NotAnApi {
            address: self.address.shown(),
            found: self.shown(&format!("{kind}: {}", words.message)),
        }
    }

    /// A server's text as messages show it.
    pub fn shown(&self, words: &str) -> String {
        match &self.key {
            Some(key) => safe(&key.hidden_in(words)),
            None => safe(words),
        }
    }
}

impl FailedTry {
    fn for_good(error: ServerError) -> FailedTry {
        FailedTry { error, again: None }
    }

    /// Whether llama.cpp's server is still loading its model.
    fn says_loading(&self) -> bool {
        matches!(
            &self.error,
            ServerError::Refused { status: 503, message, .. } if message.contains("oading model")
        )
    }
}

fn content_type(response: &Response) -> String {
    let kind = response
        .headers()
        .get(CONTENT_TYPE)
        .map(|kind| String::from_utf8_lossy(kind.as_bytes()).to_ascii_lowercase());
    kind.unwrap_or_default()
}
