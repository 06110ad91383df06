//! The engine for a model on a server.

use super::address::{Address, ApiKey};
use super::habits::{Form, Habits, ServerSoftware};
use super::http::{Connection, Patience};
use super::ollama::{self, positive};
use super::reply::Reply;
use super::server_error::ServerError;
use super::{read_answer, strict_schema};
use crate::constrain::Spec;
use crate::engine::answer::{Answer, AnswerStats, End, Likelihood};
use crate::engine::error::EngineError;
use crate::engine::interface::{Engine, Progress};
use crate::engine::model_info::{MESSAGES, ModelInfo};
use crate::engine::request::Request;
use serde_json::{Value, json};
use std::sync::{Arc, Mutex, PoisonError};
use tokio::time::timeout;
use tracing::debug;

/// The context window assumed if the server does not report one, in tokens.
const DEFAULT_CONTEXT: usize = 8_192;

/// Bytes per token, if the server cannot count tokens. Code has some 3.5, other text more.
const BYTES_A_TOKEN: usize = 3;

/// The shortest text, in bytes, that a server is asked to count. Shorter texts are not worth a
/// request.
const WORTH_COUNTING: usize = 512;

/// A model on a server. Clones share what was learned about the server, and can send requests at
/// the same time.
#[derive(Clone, Debug)]
pub struct OpenAi {
    server: Arc<Server>,
}

#[derive(Debug)]
struct Server {
    connection: Connection,
    model: ModelInfo,
    /// All models that the server lists.
    names: Vec<String>,
    software: ServerSoftware,
    learned: Mutex<Learned>,
}

#[derive(Debug)]
struct Learned {
    habits: Habits,
    cannot_count: bool,
    /// Notes for the person; the first `n_taken` have been shown.
    notes: Vec<String>,
    n_taken: usize,
}

impl OpenAi {
    /// Asks a server for its models. The caller must have shown the person the address before.
    ///
    /// # Errors
    /// Any [`ServerError`]; [`ServerError::NoSuchModel`] if no model was named and the server does
    /// not have exactly one.
    pub async fn connect(
        address: Address,
        key: Option<ApiKey>,
        patience: Patience,
    ) -> Result<OpenAi, ServerError> {
        let connection = Connection::new(address, key, patience)?;
        let list = listed_models(&connection).await?;
        let names: Vec<String> = list
            .iter()
            .filter_map(|model| Some(connection.shown(model["id"].as_str()?)))
            .collect();
        let entry =
            entry_of(&connection.address.name, &list).ok_or_else(|| ServerError::NoSuchModel {
                address: connection.address.shown(),
                name: String::new(),
                names: names.clone(),
            })?;
        let name = match connection.address.name.as_str() {
            "" => entry["id"].as_str().unwrap_or_default().to_owned(),
            named => named.to_owned(),
        };

        let owner = list.iter().find_map(|model| model["owned_by"].as_str());
        let software = ServerSoftware::of(owner.unwrap_or_default());
        let mut notes = Vec::new();
        let context_tokens = if software == ServerSoftware::Ollama {
            let context = ollama::context(&name, &connection).await;
            notes.extend(ollama::note(context));
            context
        } else {
            context(entry, software, &connection).await
        };
        debug!(name, ?software, context_tokens, "a model on a server");

        let model = ModelInfo {
            name,
            context_tokens,
            profile: Some(MESSAGES.to_owned()),
            computes_on: connection.address.shown(),
            ..ModelInfo::default()
        };
        let learned = Learned {
            habits: Habits::of(software),
            cannot_count: false,
            notes,
            n_taken: 0,
        };
        Ok(OpenAi {
            server: Arc::new(Server {
                connection,
                model,
                names,
                software,
                learned: Mutex::new(learned),
            }),
        })
    }

    /// New notes for the person: ways in which this server forces answers less strongly than
    /// others.
    pub fn take_notes(&self) -> Vec<String> {
        self.server.learn(|learned| {
            let notes = learned.notes[learned.n_taken..].to_vec();
            learned.n_taken = learned.notes.len();
            notes
        })
    }
}

impl Engine for OpenAi {
    fn model(&self) -> &ModelInfo {
        &self.server.model
    }

    fn forces_answers(&self) -> bool {
        false
    }

    /// llama.cpp's server counts exactly, if the text is long enough to be worth it. Otherwise one
    /// token for every three bytes, rounded up: more than models need for code and most languages.
    async fn count_tokens(&mut self, texts: &[&str]) -> Result<Vec<usize>, EngineError> {
        let mut counts = Vec::with_capacity(texts.len());
        for text in texts {
            counts.push(match self.server.counted(text).await {
                Some(count) => count,
                None => text.len().div_ceil(BYTES_A_TOKEN),
            });
        }
        Ok(counts)
    }

    async fn complete(
        &mut self,
        request: &Request,
        progress: &mut dyn FnMut(Progress),
    ) -> Result<Answer, EngineError> {
        if request.given.is_some() {
            return Err(ServerError::CannotDo("be given an answer").into());
        }
        self.server.check_length(request)?;
        let connection = &self.server.connection;
        let answer = self.server.answer(request, progress);
        match timeout(connection.patience.whole, answer).await {
            Ok(answer) => Ok(answer?),
            Err(_) => Err(connection.endless().into()),
        }
    }
}

impl Server {
    /// Sends a request, and asks again in another way if the server refuses or ignores one.
    async fn answer(
        &self,
        request: &Request,
        progress: &mut dyn FnMut(Progress),
    ) -> Result<Answer, ServerError> {
        let mut habits = self.learn(|learned| learned.habits.clone());
        loop {
            let reply = match self.reply(&habits, request, progress).await {
                Err(ServerError::Refused {
                    status,
                    message,
                    address,
                }) => match self.after_refusal(&habits, request, status, &message) {
                    Some(other) => {
                        habits = other;
                        continue;
                    }
                    None => return Err(self.refused(address, status, message)),
                },
                other => other?,
            };
            self.remember(&habits, "does not take");

            if reply.is_cut_short && reply.has_thought && !habits.thinks {
                habits.thinks = true;
                continue;
            }
            if reply.is_cut_short || read_answer::is_unfinished(&reply.text) {
                return Ok(answer_of(reply.text, End::Budget, reply.stats));
            }

            let schema =
                strict_schema::of(&request.spec).filter(|_| habits.form == Form::JsonSchema);
            if let Some(left_out) = schema.as_ref().and_then(|schema| schema.left_out) {
                self.note(format!(
                    "too many choices for servers: {left_out:?} was any text"
                ));
            }
            let read = read_answer::read(&request.spec, schema.as_ref(), &reply.text);
            let is_heeded = read.as_ref().is_ok_and(|read| read.is_exact);
            if schema.is_some() && !is_heeded {
                habits = habits.without_schema();
                self.remember(&habits, "does not heed");
                if read.is_err() {
                    continue;
                }
            }
            // An answer that cannot be read is returned as it is. The caller says what is wrong
            // with it.
            let text = read.map_or(reply.text, |read| read.text);
            return Ok(answer_of(text, End::Complete, reply.stats));
        }
    }

    /// Another way of asking after a refusal, if that may help.
    fn after_refusal(
        &self,
        habits: &Habits,
        request: &Request,
        status: u16,
        message: &str,
    ) -> Option<Habits> {
        let other = habits.after_refusal(status, message)?;
        // A request without a schema stays the same without one.
        let is_same = request.spec == Spec::Free && other.form != habits.form;
        (!is_same && !is_no_model(status, message)).then_some(other)
    }

    async fn reply(
        &self,
        habits: &Habits,
        request: &Request,
        progress: &mut dyn FnMut(Progress),
    ) -> Result<Reply, ServerError> {
        progress(Progress::Reading {
            done: 0,
            total: self.estimate(request),
        });
        // A token is rarely longer than a word, except for one of many spaces.
        let max_text = 64 * habits.max_tokens(request) + (64 << 10);
        let body = habits.body(&self.model.name, request);
        self.connection
            .chat(&body, max_text, &mut |n_pieces| {
                progress(Progress::Writing(n_pieces));
            })
            .await
    }

    fn estimate(&self, request: &Request) -> usize {
        let n_bytes: usize = request.prompt.iter().map(|part| part.as_str().len()).sum();
        n_bytes.div_ceil(BYTES_A_TOKEN)
    }

    /// Refuses a prompt that Ollama would cut off. Other servers refuse it themselves.
    fn check_length(&self, request: &Request) -> Result<(), EngineError> {
        let n_tokens = self.estimate(request);
        let max = self
            .model
            .context_tokens
            .saturating_sub(request.limits.answer_tokens);
        if self.software == ServerSoftware::Ollama && n_tokens > max {
            return Err(EngineError::PromptTooLong { n_tokens, max });
        }
        Ok(())
    }

    fn refused(&self, address: String, status: u16, message: String) -> ServerError {
        if is_no_model(status, &message) {
            ServerError::NoSuchModel {
                address,
                name: self.model.name.clone(),
                names: self.names.clone(),
            }
        } else {
            ServerError::Refused {
                address,
                status,
                message,
            }
        }
    }

    /// Keeps what was learned, and notes it if answers become less reliable. `what` says what the
    /// server does with a schema.
    fn remember(&self, habits: &Habits, what: &str) {
        let is_lowered = self.learn(|learned| {
            let before = learned.habits.form;
            learned.habits.learn_from(habits);
            learned.habits.form > before
        });
        if is_lowered {
            self.note(format!(
                "the server {what} a JSON Schema (response_format); \
                 it is asked with the words of the prompt alone instead"
            ));
        }
    }

    fn note(&self, note: String) {
        debug!(note);
        self.learn(|learned| {
            if !learned.notes.contains(&note) {
                learned.notes.push(note);
            }
        });
    }

    async fn counted(&self, text: &str) -> Option<usize> {
        if self.software != ServerSoftware::LlamaServer
            || text.len() < WORTH_COUNTING
            || self.learn(|learned| learned.cannot_count)
        {
            return None;
        }
        let url = self.connection.address.beside("tokenize");
        let answer = self.connection.post(&url, &json!({"content": text})).await;
        let counted = answer
            .ok()
            .and_then(|answer| Some(answer["tokens"].as_array()?.len()));
        self.learn(|learned| learned.cannot_count |= counted.is_none());
        counted
    }

    fn learn<T>(&self, change: impl FnOnce(&mut Learned) -> T) -> T {
        // The value is valid even if another thread has panicked, since each change is one
        // assignment.
        change(&mut self.learned.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

fn answer_of(text: String, end: End, stats: AnswerStats) -> Answer {
    Answer {
        text,
        end,
        stats,
        likelihood: Likelihood::default(),
    }
}

/// Whether a refusal says that the model does not exist.
fn is_no_model(status: u16, message: &str) -> bool {
    let message = message.to_lowercase();
    let says_no = [
        "not found",
        "not exist",
        "no such",
        "unknown model",
        "invalid model",
        "not loaded",
    ];
    matches!(status, 400 | 404)
        && message.contains("model")
        && says_no.iter().any(|words| message.contains(words))
}

/// The models that a server lists; none if it has no list.
async fn listed_models(connection: &Connection) -> Result<Vec<Value>, ServerError> {
    let url = connection.address.endpoint("models");
    let Some(mut list) = connection.get(&url).await? else {
        return Ok(Vec::new());
    };
    match list["data"].take() {
        Value::Array(models) => Ok(models),
        _ => Err(ServerError::NotAnApi {
            address: connection.address.shown(),
            found: "its list of models is none".to_owned(),
        }),
    }
}

/// What the list says of a model. `None` if none is named and the list does not have exactly one.
fn entry_of<'l>(named: &str, list: &'l [Value]) -> Option<&'l Value> {
    match list {
        // A server with one model often accepts any name for it.
        [only] => Some(only),
        _ if named.is_empty() => None,
        // Some servers accept names that they do not list.
        several => {
            let listed = several.iter().find(|model| model["id"] == *named);
            Some(listed.unwrap_or(&Value::Null))
        }
    }
}

/// The model's context window in tokens, from whatever the server reports.
async fn context(entry: &Value, software: ServerSoftware, connection: &Connection) -> usize {
    if software == ServerSoftware::LlamaServer {
        // The server may run the model with a smaller window than it was trained for.
        let props = connection
            .get(&connection.address.beside("props"))
            .await
            .ok()
            .flatten()
            .unwrap_or_default();
        let runs_with = positive(&props["default_generation_settings"]["n_ctx"])
            .or_else(|| positive(&entry["meta"]["n_ctx"]));
        if let Some(context) = runs_with {
            return context;
        }
    }
    let keys = [
        "max_model_len",
        "context_length",
        "context_window",
        "max_context_length",
    ];
    keys.iter()
        .find_map(|key| positive(&entry[*key]))
        .or_else(|| positive(&entry["meta"]["n_ctx_train"]))
        .unwrap_or(DEFAULT_CONTEXT)
}
