//! An engine that replays answers: tests of everything around the model.

use super::answer::{Answer, AnswerStats, End, Likelihood};
use super::error::EngineError;
use super::interface::{Engine, Progress};
use super::model_info::{MESSAGES, ModelInfo};
use super::request::Request;
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
        let answers = answers.into_iter().map(|text| answer(text, End::Complete)).collect();
        ScriptedEngine { model, answers, requests: Vec::new() }
    }

    /// One answer more, which ends like this.
    pub fn push(&mut self, text: &str, end: End) {
        self.answers.push_back(answer(text, end));
    }
}

fn answer(text: &str, end: End) -> Answer {
    let (stats, likelihood) = (AnswerStats::default(), Likelihood::default());
    Answer { text: text.to_owned(), end, stats, likelihood }
}

impl Engine for ScriptedEngine {
    fn model(&self) -> &ModelInfo {
        &self.model
    }

    /// As of a server where the model is one on a server.
    fn forces_answers(&self) -> bool {
        self.model.profile.as_deref() != Some(MESSAGES)
    }

    /// A token for every four bytes begun.
    async fn count_tokens(&mut self, texts: &[&str]) -> Result<Vec<usize>, EngineError> {
        Ok(texts.iter().map(|text| text.len().div_ceil(4)).collect())
    }

    async fn complete(
        &mut self,
        request: &Request,
        _: &mut dyn FnMut(Progress),
    ) -> Result<Answer, EngineError> {
        self.requests.push(request.clone());
        self.answers
            .pop_front()
            .ok_or_else(|| EngineError::Process("the script is at its end".to_owned()))
    }
}
