//! An answer of a model, and its statistics.

use crate::slots::Slot;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// An answer of a model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Answer {
    /// Complete JSON if `end` is [`End::Complete`]; otherwise the part written so far.
    pub text: String,
    /// Why the answer ended.
    pub end: End,
    /// The statistics of this answer.
    pub stats: AnswerStats,
    /// The answer's probability, and beginnings of other likely answers.
    pub likelihood: Likelihood,
}

/// An answer's probability under the constraint, and beginnings of other answers.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Likelihood {
    /// The natural logarithm of the answer's probability, 0 or less. Also 0 if the probability is
    /// not known.
    pub log: f64,
    /// The same without the constraint.
    pub free_log: f64,
    /// The likeliest beginnings of other answers, the one first that is likeliest without the
    /// constraint. Each differs from this answer at its
    /// last token. At most [`super::Request::branches`] of them.
    pub branches: Vec<Branch>,
}

impl Likelihood {
    /// Puts the beginnings into order, the likeliest first without the constraint, and leaves `max`.
    pub fn keep_best(&mut self, max: usize) {
        let by_free_log = |a: &Branch, b: &Branch| b.free_log.total_cmp(&a.free_log);
        self.branches.sort_by(by_free_log);
        self.branches.truncate(max);
    }
}

/// The beginning of another answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Branch {
    /// The text, for [`super::Given::Beginning`].
    pub beginning: String,
    /// The natural logarithm of its probability. No answer with this beginning has a larger one.
    pub log: f64,
    /// The same without the constraint.
    pub free_log: f64,
}

/// Why an answer ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum End {
    /// The answer is complete.
    Complete,
    /// The token budget was used up before the answer was complete.
    Budget,
    /// The answer repeated itself over and over.
    Repeats,
    /// The vocabulary has no token for any byte that may come next.
    NoToken,
}

/// The cost of an answer. Times depend on the machine and its load. Counts do not, except those of
/// drafts, whose length follows from measured times.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AnswerStats {
    /// Tokens of the prompt.
    pub prompt_tokens: usize,
    /// Prompt tokens that were read before, by this process or an earlier one.
    pub reused_tokens: usize,
    /// Answer tokens that the constraint forced.
    pub forced_tokens: usize,
    /// Answer tokens that were drafted, for the model to check.
    pub drafted_tokens: usize,
    /// Drafted tokens that the model chose too.
    pub accepted_tokens: usize,
    /// Answer tokens that the model chose, drafted or not.
    pub sampled_tokens: usize,
    /// Evaluations of the model after the one that read the prompt.
    pub evaluations: usize,
    /// Where the time went.
    pub ms: Milliseconds,
    /// By slot: the probability, 0 to 1, that the model without the constraint would have written
    /// something that the constraint refuses. A large value means that the model wanted something
    /// else.
    pub masked_mass: BTreeMap<Slot, f64>,
    /// By slot: the probability, 0 to 1, that the model under the constraint gave to the text it
    /// wrote. A small value means that it nearly wrote something else. For more than twelve chosen
    /// tokens it is the geometric mean of their probabilities to the power of twelve. So a long
    /// text is not uncertain for its length alone.
    pub certainty: BTreeMap<Slot, f64>,
    /// The smallest lead of a chosen token: its logit minus that of the next best allowed token.
    /// Near 0 it was a tie, which rounding may decide differently next time. Below 0 a less likely
    /// token was taken (sampling).
    pub closest_call: Option<f32>,
}

impl AnswerStats {
    /// Adds what another answer took, apart from its prompt's tokens.
    pub fn add_costs(&mut self, other: &AnswerStats) {
        self.forced_tokens += other.forced_tokens;
        self.drafted_tokens += other.drafted_tokens;
        self.accepted_tokens += other.accepted_tokens;
        self.sampled_tokens += other.sampled_tokens;
        self.evaluations += other.evaluations;
        self.ms.prompt += other.ms.prompt;
        self.ms.answer += other.ms.answer;
        self.ms.constraint += other.ms.constraint;
        self.ms.draft += other.ms.draft;
    }
}

/// The time that parts of an answer took, in milliseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Milliseconds {
    /// Until the prompt was read.
    pub prompt: f64,
    /// From the end of the prompt to the end of the answer.
    pub answer: f64,
    /// Computing masks and forced text, and choosing tokens. It is included in `prompt` and
    /// `answer`.
    pub constraint: f64,
    /// Drafting. It is included in `prompt` and `answer`.
    pub draft: f64,
}
