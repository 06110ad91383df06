//! An engine that replays fixed answers, for tests of everything around the model.

use super::answer::{Answer, AnswerStats, End, Likelihood};
use super::error::EngineError;
use super::interface::{Engine, Progress};
use super::model_info::{MESSAGES, ModelInfo};
use super::request::{Given, Request};
use crate::constrain::Spec;
use std::collections::VecDeque;

/// Returns its answers in order, and keeps the requests.
#[derive(Debug, Default)]
pub struct ScriptedEngine {
    model: ModelInfo,
    answers: VecDeque<Answer>,
    /// For texts whose probability is asked for: its natural logarithm, one after the other, then 0.
    pub logs: VecDeque<f64>,
    /// All requests so far.
    pub requests: Vec<Request>,
}

impl ScriptedEngine {
    /// An engine with these answers, all complete.
    pub fn new<'a>(model: ModelInfo, answers: impl IntoIterator<Item = &'a str>) -> ScriptedEngine {
        let answers = answers
            .into_iter()
            .map(|text| answer(text, End::Complete))
            .collect();
        ScriptedEngine {
            model,
            answers,
            logs: VecDeque::new(),
            requests: Vec::new(),
        }
    }

    /// Adds an answer with this end.
    pub fn push(&mut self, text: &str, end: End) {
        self.add(answer(text, end));
    }

    /// Adds an answer.
    pub fn add(&mut self, answer: Answer) {
        self.answers.push_back(answer);
    }
}

fn answer(text: &str, end: End) -> Answer {
    Answer {
        text: text.to_owned(),
        end,
        stats: AnswerStats::default(),
        likelihood: Likelihood::default(),
    }
}

impl Engine for ScriptedEngine {
    fn model(&self) -> &ModelInfo {
        &self.model
    }

    /// False if the model's profile says that it is on a server.
    fn forces_answers(&self) -> bool {
        self.model.profile.as_deref() != Some(MESSAGES)
    }

    /// One token for every four bytes, rounded up.
    async fn count_tokens(&mut self, texts: &[&str]) -> Result<Vec<usize>, EngineError> {
        Ok(texts.iter().map(|text| text.len().div_ceil(4)).collect())
    }

    async fn complete(
        &mut self,
        request: &Request,
        _: &mut dyn FnMut(Progress),
    ) -> Result<Answer, EngineError> {
        self.requests.push(request.clone());
        if let (Spec::Free, Some(Given::Whole(text))) = (&request.spec, &request.given) {
            let mut answer = answer(text, End::Complete);
            answer.likelihood.log = self.logs.pop_front().unwrap_or(0.0);
            return Ok(answer);
        }
        self.answers
            .pop_front()
            .ok_or_else(|| EngineError::Process("the script is at its end".to_owned()))
    }
}
