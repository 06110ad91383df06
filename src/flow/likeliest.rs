//! The likeliest answers to a question, where a model's first one is not sure.
//!
//! A model that takes the likeliest token each time need not come to the likeliest answer: a small one that does not know where to
//! change a line finds every single change unlikely, and copies the line. So the beginnings of other answers are gone on from, the
//! likeliest first (uniform-cost search, which speech recognition knows as stack decoding: Jelinek, 1969). Since no answer is
//! likelier than its beginning, the search ends where no beginning is likelier than the best answer, mostly after a few.

use super::{Outcome, Stage, Verdict};
use crate::engine::{Answer, Branch, Engine, EngineError, Given, Progress, Request};

/// Answers to one question that are asked for at most. With 2 on the development tasks nearly as much comes out right, with 8 no
/// more.
const MOST_ANSWERS: usize = 4;

/// The answers to a question.
pub(super) struct Answers {
    request: Request,
    /// Where no answer has gone on from yet.
    open: Vec<Branch>,
    n_left: usize,
}

impl Answers {
    /// None is asked for yet. Without `several` there will be one at most.
    pub(super) fn to(request: Request, several: bool) -> Answers {
        let all = Branch { beginning: String::new(), log: 0.0 };
        let n_left = if several { MOST_ANSWERS } else { 1 };
        Answers { request: Request { branches: several, ..request }, open: vec![all], n_left }
    }

    /// The question.
    pub(super) fn request(&self) -> &Request {
        &self.request
    }

    /// The next answer, unless none can have a probability whose logarithm is above `least`.
    pub(super) async fn next<E: Engine>(
        &mut self,
        least: f64,
        engine: &mut E,
        progress: &mut dyn FnMut(Progress),
    ) -> Result<Option<Answer>, EngineError> {
        let likeliest = (0..self.open.len()).max_by(|&a, &b| self.open[a].log.total_cmp(&self.open[b].log));
        let Some(i) = likeliest.filter(|&i| self.n_left > 0 && self.open[i].log > least) else { return Ok(None) };
        let Branch { beginning, .. } = self.open.swap_remove(i);
        self.n_left -= 1;
        self.request.given = (!beginning.is_empty()).then_some(Given::Beginning(beginning));
        let answer = engine.complete(&self.request, progress).await?;
        self.open.extend(answer.likelihood.branches.iter().cloned());
        Ok(Some(answer))
    }
}

/// The answers so far, and what comes of the likeliest.
#[derive(Debug, Default)]
pub(super) struct Weighed {
    stages: Vec<Stage>,
    best: Option<Best>,
}

#[derive(Debug)]
struct Best {
    log: f64,
    verdict: Verdict,
    /// Which of the stages.
    stages: Vec<usize>,
}

impl Weighed {
    /// Keeps what an answer took. Gives its number.
    pub(super) fn keep(&mut self, name: &'static str, answer: &Answer) -> usize {
        self.stages.push(Stage { name, answer: answer.text.clone(), suggested: None, stats: answer.stats.clone() });
        self.stages.len() - 1
    }

    /// Says of an answer how likely it was before the model was asked: see [`Stage::suggested`].
    pub(super) fn was_suggested(&mut self, stage: usize, probability: f64) {
        self.stages[stage].suggested = Some(probability);
    }

    /// What came of the answers with these numbers, for which this much speaks ([`super::evidence`]). What nobody can use counts only where
    /// there is nothing else; of equal ones the first counts.
    pub(super) fn add(&mut self, log: f64, verdict: Verdict, stages: Vec<usize>) {
        let log = match verdict {
            Verdict::Proposed(_) | Verdict::AlreadyDone | Verdict::Declined(_) => log,
            Verdict::Truncated(_) | Verdict::Mechanics(_) | Verdict::Refused(_) => f64::NEG_INFINITY,
        };
        if self.best.as_ref().is_none_or(|best| log > best.log) {
            self.best = Some(Best { log, verdict, stages });
        }
    }

    /// How much speaks for the best one.
    pub(super) fn log(&self) -> f64 {
        self.best.as_ref().map_or(f64::NEG_INFINITY, |best| best.log)
    }

    /// Whether there is any.
    pub(super) fn has_any(&self) -> bool {
        self.best.is_some()
    }

    /// The best.
    ///
    /// # Panics
    /// If there is none.
    pub(super) fn outcome(self) -> Outcome {
        let Best { verdict, stages: chosen, .. } = self.best.expect("something comes of every question");
        let mut outcome = Outcome { verdict, stages: Vec::new(), passed_over: Vec::new() };
        for (i, stage) in self.stages.into_iter().enumerate() {
            if chosen.contains(&i) { outcome.stages.push(stage) } else { outcome.passed_over.push(stage) }
        }
        outcome
    }
}
