//! An engine that replays answers: tests of everything around the model.

use super::{Answer, AnswerStats, End, Engine, EngineError, ModelInfo, Progress, Request};
use std::collections::VecDeque;

/// Gives the answers in order, and keeps the requests.
#[derive(Debug, Default)]
pub struct ScriptedEngine {
    model: ModelInfo,
    answers: VecDeque<(String, End)>,
    /// All that was asked.
    pub requests: Vec<Request>,
}

impl ScriptedEngine {
    /// An engine with these answers, all complete.
    pub fn new<'a>(model: ModelInfo, answers: impl IntoIterator<Item = &'a str>) -> ScriptedEngine {
        let answers = answers.into_iter().map(|text| (text.to_owned(), End::Complete)).collect();
        ScriptedEngine { model, answers, requests: Vec::new() }
    }

    /// One answer more, which ends like this.
    pub fn push(&mut self, text: &str, end: End) {
        self.answers.push_back((text.to_owned(), end));
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
        let (text, end) = self.answers.pop_front().ok_or_else(|| EngineError::Process("the script is at its end".to_owned()))?;
        Ok(Answer { text, end, stats: AnswerStats::default() })
    }
}
