//! Where answers come from.
//!
//! [`crate::flow`] knows only the trait [`Engine`]: a whole request in, a whole answer out. What
//! computes it:
//!
//! - [`process`]: a GGUF model in a child process of the same binary, whose other end is [`child`].
//!   llama.cpp aborts its process on some broken files and on some misuse; in a child that is an
//!   error message. It is killed to cancel, and it ends by itself when its parent is gone.
//! - [`openai`]: a model on a server, by OpenAI's chat API. It forces less, and answers are held
//!   against the files.
//! - [`scripted`]: answers given beforehand, for tests.
//!
//! In the child, [`generate`] runs the constraint beside the logits of `llama`: [`choose`] takes a
//! token, [`draft`] guesses ahead. `memory` asks beforehand whether the model fits; `prefix_cache`
//! keeps what was read for the next process; [`protocol`] is what goes over the pipes.

#[cfg(feature = "portable")]
mod backends;
pub mod child;
pub mod choose;
pub mod draft;
pub mod generate;
mod llama;
mod memory;
pub mod openai;
pub mod pace;
mod prefix_cache;
pub mod process;
pub mod protocol;
pub mod scripted;

use crate::constrain::Spec;
use crate::slots::Slot;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::time::Duration;

/// A piece of a prompt.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Part {
    /// The program's own markup: control tokens in it are read as such.
    Control(String),
    /// Text of files and tasks: whatever it spells, it never becomes a control token.
    Text(String),
}

impl Part {
    /// Its text, whichever kind it is.
    pub fn as_str(&self) -> &str {
        match self {
            Part::Control(text) | Part::Text(text) => text,
        }
    }
}

/// One question to a model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Request {
    /// In order.
    pub prompt: Vec<Part>,
    /// What the answer must fit.
    pub spec: Spec,
    /// How long the answer may get.
    pub limits: Limits,
    /// How a token is chosen among those allowed.
    pub sampling: Sampling,
    /// Texts that the answer probably has a part of, best first: see [`draft`]. None: nothing is
    /// drafted.
    pub likely: Option<Vec<String>>,
    /// What is not left to the model. It must fit the spec.
    pub given: Option<Given>,
    /// How many beginnings of other answers are wanted at most: see [`Likelihood::branches`].
    pub branches: usize,
}

impl Request {
    /// A request for the likeliest answer alone, without drafts.
    pub fn new(prompt: Vec<Part>, spec: Spec, limits: Limits) -> Request {
        let sampling = Sampling::Greedy;
        let (likely, given, branches) = (None, None, 0);
        Request { prompt, spec, limits, sampling, likely, given, branches }
    }
}

/// The part of an answer that is written whatever the model thinks of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Given {
    /// All of it, for measuring: every token that the constraint does not force is computed.
    Whole(String),
    /// What it begins with: a [`Branch`] of an earlier answer. The model goes on from there.
    Beginning(String),
}

/// The beginning of prompts to come.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ahead {
    /// In order.
    pub prompt: Vec<Part>,
    /// Whether prompts of stage 1 begin so; else those of stage 2.
    pub is_pick: bool,
}

/// How long an answer may get. An answer that is not complete by then is *truncated*, never closed
/// by force.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    /// Tokens that the model chooses. What is forced is as long as it is.
    pub answer_tokens: usize,
}

/// How a token is chosen among those allowed.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Sampling {
    /// The likeliest: what `edit` uses.
    Greedy,
    /// By probability at a temperature above 0: for trying a constraint with many different
    /// answers.
    Random {
        /// 1 is the model's own distribution.
        temperature: f32,
        /// The same seed gives the same answer.
        seed: u64,
    },
}

/// What a model wrote.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Answer {
    /// Complete JSON if `end` is [`End::Complete`], else as far as it got.
    pub text: String,
    /// Why it ended.
    pub end: End,
    /// What it took.
    pub stats: AnswerStats,
    /// How likely it was, and what else was.
    pub likelihood: Likelihood,
}

/// How likely a model under the constraint found its answer, and beginnings of others.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Likelihood {
    /// The natural logarithm of the answer's probability: 0 or less. 0 where nothing is known of
    /// it.
    pub log: f64,
    /// The likeliest beginnings of other answers, best first: each parts from this answer at one
    /// token. As many as [`Request::branches`] asks for.
    pub branches: Vec<Branch>,
}

/// How an answer could have begun.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Branch {
    /// For [`Given::Beginning`].
    pub beginning: String,
    /// The natural logarithm of its probability: no answer that begins so has a greater one.
    pub log: f64,
}

/// Why an answer ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum End {
    /// It is complete.
    Complete,
    /// It was not, when its budget was spent.
    Budget,
    /// The vocabulary has no token for anything that may come next.
    NoToken,
}

/// What an answer took. Times are of this machine at this moment; the counts are not, but for
/// drafts, whose length follows from measured times.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AnswerStats {
    /// Tokens of the prompt.
    pub prompt_tokens: usize,
    /// Of these, tokens that were read before, by this process or an earlier one.
    pub reused_tokens: usize,
    /// Tokens of the answer that nobody had to choose.
    pub forced_tokens: usize,
    /// Tokens that were guessed, to be checked by the model.
    pub drafted_tokens: usize,
    /// Of these, tokens that the model chose too.
    pub accepted_tokens: usize,
    /// Tokens of the answer that the model chose, drafted or not.
    pub sampled_tokens: usize,
    /// Evaluations of the model after the one that read the prompt.
    pub evaluations: usize,
    /// What took how long.
    pub ms: Milliseconds,
    /// By slot: the probability, 0 to 1, that the model left to itself would have written something
    /// there that the constraint does not let through. Large means that it wanted something else.
    pub masked_mass: BTreeMap<Slot, f64>,
    /// By slot: the probability, 0 to 1, that the model under the constraint gave to what it wrote
    /// there. Small means that it could as well have written something else. Of more than twelve
    /// chosen tokens it is that of twelve as likely as these on average (their geometric mean), so
    /// that a long text is not unsure for its length alone.
    pub certainty: BTreeMap<Slot, f64>,
    /// How much larger the logit of a chosen token was than that of the next best allowed, where
    /// that was least. Near 0 it was a tie, which rounding may decide otherwise another time; below
    /// 0 a less likely token was taken (sampling).
    pub closest_call: Option<f32>,
}

/// What of an answer took how long, in milliseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Milliseconds {
    /// Until the prompt was read.
    pub prompt: f64,
    /// From then on until the answer was there.
    pub answer: f64,
    /// Of both: what may come next, what is forced, and the choice.
    pub constraint: f64,
    /// Of both: guessing what comes next.
    pub draft: f64,
}

/// What is known of a model.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ModelInfo {
    /// From its metadata; may be empty.
    pub name: String,
    /// The longest context it was trained for, in tokens: prompt and answer together.
    pub context_tokens: usize,
    /// Its metadata `slotwright.profile`.
    pub profile: Option<String>,
    /// Its metadata `tokenizer.chat_template` (Jinja).
    pub chat_template: Option<String>,
    /// The spelling of its first token, for templates that write it.
    pub bos: String,
    /// The spelling of its last token, likewise.
    pub eos: String,
    /// What computes it, as llama.cpp calls it: `CPU`, and in a portable build which variant, `CPU
    /// (haswell)`; the address of a server.
    pub computes_on: String,
}

/// What [`ModelInfo::profile`] says of a model on a server, which has its own chat template. A
/// prompt is then a list of messages: a [`Part::Control`] is the role of the message that follows,
/// `system`, `user` or `assistant`.
pub const MESSAGES: &str = "messages";

/// How far a request has come.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Progress {
    /// The folder is searched for files: those read so far.
    Searching(usize),
    /// The model is being loaded: 0 to 1.
    Loading(f32),
    /// The prompt is being read.
    Reading {
        /// Tokens read.
        done: usize,
        /// Tokens of the prompt.
        total: usize,
    },
    /// The answer is being written: tokens so far.
    Writing(usize),
}

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    /// The model could not be loaded.
    #[error("cannot load the model {path}: {reason}")]
    Load {
        /// The GGUF file.
        path: String,
        /// What is wrong with it.
        reason: String,
    },
    /// The prompt does not fit the model's context.
    #[error("the prompt has {n_tokens} tokens, and the model reads {max} at most")]
    PromptTooLong {
        /// Of the prompt.
        n_tokens: usize,
        /// Of the context, less room for an answer.
        max: usize,
    },
    /// The model does not fit into memory.
    #[error("not enough memory: the model needs about {}, and {} are free", gib(*needed), gib(*available))]
    Memory {
        /// Bytes for its weights, its context and its computation.
        needed: u64,
        /// Bytes that the system, the container or the process's own limit leaves.
        available: u64,
    },
    /// The model process said nothing for too long.
    #[error("the model process has said nothing for {} seconds; it was ended", silence.as_secs())]
    Hangs {
        /// For how long.
        silence: Duration,
    },
    /// The model process ended before it answered.
    #[error("the model process ended unexpectedly ({how}){}", last_words(log))]
    Crashed {
        /// Exit code or signal.
        how: String,
        /// The last of what it said.
        log: Vec<String>,
    },
    /// The model computes no usable numbers.
    #[error("the model cannot compute: {reason}")]
    Compute {
        /// What llama.cpp says.
        reason: String,
    },
    /// The JSON Schema that an answer must fit is refused, or became too much in the middle of it.
    #[error("the answer cannot be forced to fit the JSON Schema: {reason}")]
    Schema {
        /// What is wrong with it, or what cannot be forced.
        reason: String,
    },
    /// The model process cannot be started or spoken to.
    #[error("cannot run the model process: {0}")]
    Process(String),
    /// A server did not answer, or not with an answer.
    #[error(transparent)]
    Server(openai::ServerError),
}

fn last_words(log: &[String]) -> String {
    log.last().map_or_else(String::new, |line| format!("; its last words: {line}"))
}

fn gib(bytes: u64) -> String {
    format!("{:.2} GiB", bytes as f64 / f64::from(1 << 30))
}

/// Whatever answers requests.
pub trait Engine {
    /// What is known of the model.
    fn model(&self) -> &ModelInfo;

    /// Whether an answer that is complete fits what was asked for, to the byte. If not, whoever
    /// asked must see what it comes to.
    fn forces_answers(&self) -> bool {
        true
    }

    /// How many tokens each text is.
    fn count_tokens(
        &mut self,
        texts: &[&str],
    ) -> impl Future<Output = Result<Vec<usize>, EngineError>>;

    /// Answers a request. Dropping the future cancels it.
    fn complete(
        &mut self,
        request: &Request,
        progress: &mut dyn FnMut(Progress),
    ) -> impl Future<Output = Result<Answer, EngineError>>;

    /// Reads the beginning of prompts to come, so that an answer need not wait for it. Gives how
    /// many of its tokens were not read already.
    fn read(
        &mut self,
        _: &Ahead,
        _: &mut dyn FnMut(Progress),
    ) -> impl Future<Output = Result<usize, EngineError>> {
        std::future::ready(Ok(0))
    }

    /// Keeps what was read for later processes, where there is a place to keep it.
    fn keep_read(&mut self) -> impl Future<Output = Result<(), EngineError>> {
        std::future::ready(Ok(()))
    }
}
