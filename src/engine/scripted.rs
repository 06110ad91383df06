//! An engine that replays answers: tests of everything around the model.

use super::{Answer, AnswerStats, End, Engine, EngineError, ModelInfo, Progress, Request};
use crate::constrain::Slot;
use std::collections::{BTreeMap, VecDeque};

/// Gives the answers in order, and keeps the requests.
#[derive(Debug, Default)]
pub struct ScriptedEngine {
    model: ModelInfo,
    answers: VecDeque<Answer>,
    /// All that was asked.
    pub requests: Vec<Request>,
}

impl ScriptedEngine {
    /// An engine with these answers, all complete.
    pub fn new<'a>(model: ModelInfo, answers: impl IntoIterator<Item = &'a str>) -> ScriptedEngine {
        let answer = |text: &str| Answer { text: text.to_owned(), end: End::Complete, stats: AnswerStats::default() };
        ScriptedEngine { model, answers: answers.into_iter().map(answer).collect(), requests: Vec::new() }
    }

    /// One answer more, which ends like this.
    pub fn push(&mut self, text: &str, end: End) {
        self.answers.push_back(Answer { text: text.to_owned(), end, stats: AnswerStats::default() });
    }

    /// One answer more, complete, with such a certainty in a slot; of the others nothing is known.
    pub fn push_certain(&mut self, text: &str, slot: Slot, certainty: f64) {
        let stats = AnswerStats { certainty: BTreeMap::from([(slot, certainty)]), ..AnswerStats::default() };
        self.answers.push_back(Answer { text: text.to_owned(), end: End::Complete, stats });
    }
}

impl Engine for ScriptedEngine {
    fn model(&self) -> &ModelInfo {
        &self.model
    }

    /// A token for every four bytes begun.
    async fn count_tokens(&mut self, texts: &[&str]) -> Result<Vec<usize>, EngineError> {
        Ok(texts.iter().map(|text| text.len().div_ceil(4)).collect())
    }

    async fn complete(&mut self, request: &Request, _: &mut dyn FnMut(Progress)) -> Result<Answer, EngineError> {
        self.requests.push(request.clone());
        self.answers.pop_front().ok_or_else(|| EngineError::Process("the script is at its end".to_owned()))
    }
}
