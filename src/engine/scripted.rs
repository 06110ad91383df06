//! An engine that replays answers: tests of everything around the model.

use super::{Answer, AnswerStats, End, Engine, EngineError, Likelihood, ModelInfo, Progress, Request};
use std::collections::VecDeque;

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
        let answers = answers.into_iter().map(|text| answer(text, End::Complete, Likelihood::default())).collect();
        ScriptedEngine { model, answers, requests: Vec::new() }
    }

    /// One answer more, which ends like this.
    pub fn push(&mut self, text: &str, end: End) {
        self.answers.push_back(answer(text, end, Likelihood::default()));
    }

    /// One answer more, which ends like this, so likely and with such branches.
    pub fn push_likely(&mut self, text: &str, end: End, likelihood: Likelihood) {
        self.answers.push_back(answer(text, end, likelihood));
    }
}

fn answer(text: &str, end: End, likelihood: Likelihood) -> Answer {
    Answer { text: text.to_owned(), end, stats: AnswerStats::default(), likelihood }
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
