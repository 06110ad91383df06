//! What a model answers, and what the answer took.

use crate::slots::Slot;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

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
    /// token. As many as [`super::Request::branches`] asks for.
    pub branches: Vec<Branch>,
}

/// How an answer could have begun.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Branch {
    /// For [`super::Given::Beginning`].
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
