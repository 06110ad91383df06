//! What is asked of a model.

use crate::constrain::Spec;
use serde::{Deserialize, Serialize};

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
    /// Texts that the answer probably contains parts of, best first: see [`super::draft`]. None:
    /// nothing is drafted.
    pub likely: Option<Vec<String>>,
    /// Text that is written whatever the model prefers. It must fit the spec.
    pub given: Option<Given>,
    /// The most beginnings of other answers that are wanted: see [`super::Likelihood::branches`].
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

/// The part of an answer that is written whatever the model prefers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Given {
    /// The whole answer, for measurements. Every token that the constraint does not force is
    /// computed.
    Whole(String),
    /// Its beginning: a [`super::Branch`] of an earlier answer. The model goes on from there.
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

/// The longest answer. One that is not complete by then is *truncated*, never closed by force.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    /// Tokens that the model chooses. Forced tokens do not count.
    pub answer_tokens: usize,
}

/// How a token is chosen among those allowed.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Sampling {
    /// The likeliest: what `edit` uses.
    Greedy,
    /// By probability at a temperature above 0, to try a constraint with many different answers.
    Random {
        /// 1 is the model's own distribution.
        temperature: f32,
        /// The same seed gives the same answer.
        seed: u64,
    },
}
