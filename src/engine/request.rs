//! A request to a model.

use crate::constrain::Spec;
use serde::{Deserialize, Serialize};

/// A piece of a prompt.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Part {
    /// The program's own markup. Control tokens in it are recognised.
    Control(String),
    /// Text of files and tasks. It never becomes a control token, whatever it spells.
    Text(String),
}

impl Part {
    /// The part's text, of either kind.
    pub fn as_str(&self) -> &str {
        match self {
            Part::Control(text) | Part::Text(text) => text,
        }
    }
}

/// One question to a model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Request {
    /// The parts of the prompt, in order.
    pub prompt: Vec<Part>,
    /// How many of the first parts are the same in every prompt for this model.
    pub fixed_parts: usize,
    /// How many bytes of the next part are the same in every prompt that shows this file.
    #[serde(default)]
    pub file_bytes: usize,
    /// Which weights compute.
    #[serde(default)]
    pub weights: Weights,
    /// The requirements on the answer.
    pub spec: Spec,
    /// The longest answer.
    pub limits: Limits,
    /// How a token is chosen among those allowed.
    pub sampling: Sampling,
    /// Texts that the answer probably contains parts of, best first: see [`super::draft`]. `None`
    /// turns drafting off.
    pub likely: Option<Vec<String>>,
    /// Text that is written whatever the model prefers. It must fit the spec.
    pub given: Option<Given>,
    /// The most beginnings of other answers to return: see [`super::Likelihood::branches`].
    pub branches: usize,
}

impl Request {
    /// A request for the likeliest answer only, without drafts.
    pub fn new(prompt: Vec<Part>, spec: Spec, limits: Limits) -> Request {
        Request {
            prompt,
            fixed_parts: 0,
            file_bytes: 0,
            weights: Weights::Adapted,
            spec,
            limits,
            sampling: Sampling::Greedy,
            likely: None,
            given: None,
            branches: 0,
        }
    }
}

/// Which weights of a model compute.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Weights {
    /// The model with its adapter, if it has one.
    #[default]
    Adapted,
    /// The model as its publisher made it.
    Base,
}

/// The part of an answer that is written whatever the model prefers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Given {
    /// The whole answer, for measurements. Every token that the constraint does not force is
    /// computed.
    Whole(String),
    /// The beginning of the answer, from a [`super::Branch`] of an earlier one. The model continues
    /// it.
    Beginning(String),
}

/// The longest answer. An answer that is not complete by then is *truncated*, never closed by
/// force.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    /// The most tokens that the model may choose. Forced tokens do not count.
    pub answer_tokens: usize,
}

/// How a token is chosen among those allowed.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Sampling {
    /// The likeliest token. `edit` uses this.
    Greedy,
    /// A random token, by probability at a temperature above 0. It tests a constraint with many
    /// different answers.
    Random {
        /// 1 is the model's own distribution.
        temperature: f32,
        /// The random seed. The same seed gives the same answer.
        seed: u64,
    },
}
