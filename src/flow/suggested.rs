//! What the task's own words suggest, as answers that the model only has to find likely.

use super::{Asked, FlowError, ShownFile};
use crate::constrain::Spec;
use crate::engine::{Engine, Given, Request};
use crate::slots::{FilePick, Operation, Pick, Slots};
use crate::suggest::suggest;
use serde::Serialize;

/// Suggestions that the model is asked about at most.
const MOST_SUGGESTIONS: usize = 4;

/// A less likely one is not worth asking.
const LEAST_PROBABILITY: f64 = 0.05;

/// What compares with the logarithm of the probability of an answer that the model came to by itself: so much of the suggestion's
/// log odds, of the logarithm of the probability that the model gives to it, and of one. Fitted with the bundled model to edits of
/// projects that neither it nor the suggestions' weights had seen. The model counts for little here: what it finds unlikely is
/// right nearly as often.
fn weight(suggested: f64, log: f64) -> f64 {
    1.5 * log_odds(suggested) + 0.3 * log + 3.0
}

fn log_odds(probability: f64) -> f64 {
    (probability / (1.0 - probability).max(f64::EPSILON)).ln()
}

impl<E: Engine> Asked<'_, E> {
    /// Weighs what the task suggests for the likeliest file; `pick` is the question of stage 1. An answer is read by the model in
    /// one piece, like a beginning, so that its probability is known at once.
    pub(super) async fn weigh_suggestions(&mut self, pick: &Request, file: &ShownFile) -> Result<(), FlowError> {
        let ShownFile { path, text, shown } = file;
        let likely = match self.suggestions.take() {
            Some(likely) => likely,
            None => {
                let mut likely = suggest(self.task.sentence(), text.shown());
                likely.truncate(MOST_SUGGESTIONS);
                likely.retain(|suggestion| suggestion.probability >= LEAST_PROBABILITY);
                likely
            }
        };
        let Spec::Pick { files, .. } = &pick.spec else { return Ok(()) };
        let may = |operation| files.iter().any(|file| file.path == *path && file.operations.contains(&operation));
        // By operation, with the logarithm of its probability.
        let mut picks: Vec<(Operation, usize, f64)> = Vec::new();
        for suggestion in &likely {
            let suggested = suggestion.probability;
            if weight(suggested, 0.0) <= self.weighed.log() {
                break;
            }
            let Some(slots) = suggestion.change.slots(suggestion.line, text.shown(), shown) else { continue };
            let operation = match slots {
                Slots::Insert(_) => Operation::Insert,
                Slots::ReplaceAll(_) => Operation::ReplaceAll,
                _ => Operation::Replace,
            };
            if !may(operation) {
                continue;
            }
            let (pick_stage, pick_log) = match picks.iter().find(|(other, ..)| *other == operation) {
                Some(&(_, stage, log)) => (stage, log),
                None => {
                    let answer = Pick::File(FilePick { path: path.clone(), operation });
                    let request = Request { given: given(&answer), ..pick.clone() };
                    let answer = self.engine.complete(&request, self.progress).await?;
                    let stage = self.weighed.keep("pick", &answer);
                    picks.push((operation, stage, answer.likelihood.log));
                    (stage, answer.likelihood.log)
                }
            };
            let request = Request { given: given(&slots), ..self.fill_request(path, operation, shown) };
            let answer = self.engine.complete(&request, self.progress).await?;
            let stage = self.weighed.keep(operation.word(), &answer);
            self.weighed.was_suggested(stage, suggested);
            let weight = weight(suggested, pick_log + answer.likelihood.log);
            let verdict = self.filled(answer, operation, &request.spec, path, shown, text);
            self.weighed.add(weight, verdict, vec![pick_stage, stage]);
        }
        self.suggestions = Some(likely);
        Ok(())
    }
}

fn given(answer: &impl Serialize) -> Option<Given> {
    Some(Given::Beginning(serde_json::to_string(answer).expect("slots are JSON")))
}
