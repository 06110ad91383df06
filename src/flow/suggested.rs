//! What the task's own words suggest, as answers that the model only has to find likely.

use super::selection::show;
use super::{Asked, FlowError, ShownFile};
use crate::constrain::Spec;
use crate::engine::{Engine, Given, Request};
use crate::slots::{FilePick, Operation, Pick, Slots};
use crate::suggest::{Suggestion, suggest};
use crate::text::{Shown, Text};
use serde::Serialize;

/// Suggestions that the model is asked about at most. With the weights of then, 299 of 690 development sentences had the right one
/// among the four of their file with a probability of 0.05 or more, and 333 among eight with 0.02 or more.
const MOST_SUGGESTIONS: usize = 8;

/// Files that it may be about, the likeliest first.
const MOST_FILES: usize = 4;

/// A less likely one is not worth asking.
const LEAST_PROBABILITY: f64 = 0.02;

/// What compares with the logarithm of the probability of an answer that the model came to by itself, where the suggestion is as
/// likely to be right as such an answer is: both are logistic functions, fitted with the bundled model to 600 edits of projects
/// that neither it nor the suggestions' weights had seen. `suggested` is the suggestion's probability, `pick` and `fill` are the
/// logarithms of those that the model gives to its file and operation and to its slots. What the model finds of the operation
/// counts in full, as in its own answers, and of where a line comes too; of what replaces a text little: what it finds unlikely
/// there is right nearly as often.
fn weight(suggested: f64, operation: Operation, pick: f64, fill: f64) -> f64 {
    let of_fill = if operation == Operation::Insert { 1.0 } else { 0.15 };
    0.45 * log_odds(suggested) + pick + of_fill * fill + 0.9
}

fn log_odds(probability: f64) -> f64 {
    (probability / (1.0 - probability).max(f64::EPSILON)).ln()
}

impl<E: Engine> Asked<'_, E> {
    /// Weighs what the task suggests for the likeliest files, of which the first is shown; `pick` is the question of stage 1. An
    /// answer is read by the model in one piece, like a beginning, so that its probability is known at once.
    pub(super) async fn weigh_suggestions(&mut self, pick: &Request, first: &ShownFile, room: usize) -> Result<(), FlowError> {
        let likely = match self.suggestions.take() {
            Some(likely) => likely,
            None => self.suggestions()?,
        };
        let Spec::Pick { files, .. } = &pick.spec else { return Ok(()) };
        let may = |path: &str, operation| files.iter().any(|file| file.path == path && file.operations.contains(&operation));
        // By path and operation, with the logarithm of its probability.
        let mut picks: Vec<(String, Operation, usize, f64)> = Vec::new();
        // Those that are shown by now.
        let mut others: Vec<(String, Shown)> = Vec::new();
        for (path, text, suggestion) in &likely {
            let suggested = suggestion.probability;
            if weight(suggested, Operation::Replace, 0.0, 0.0) <= self.weighed.log() {
                break;
            }
            if *path != first.path && others.iter().all(|(other, _)| other != path) {
                match show(self.task, path, text, &self.asking.profile, self.engine, room).await {
                    Ok((shown, _)) => others.push((path.clone(), shown)),
                    Err(FlowError::FileTooLong { .. }) => continue,
                    Err(error) => return Err(error),
                }
            }
            let shown = others.iter().find(|(other, _)| other == path).map_or(&first.shown, |(_, shown)| shown);
            let Some(slots) = suggestion.change.slots(suggestion.line, text.shown(), shown) else { continue };
            let operation = match slots {
                Slots::Insert(_) => Operation::Insert,
                Slots::ReplaceAll(_) => Operation::ReplaceAll,
                _ => Operation::Replace,
            };
            if !may(path, operation) {
                continue;
            }
            let (pick_stage, pick_log) = match picks.iter().find(|(other, done, ..)| other == path && *done == operation) {
                Some(&(_, _, stage, log)) => (stage, log),
                None => {
                    let answer = Pick::File(FilePick { path: path.clone(), operation });
                    let request = Request { given: given(&answer), ..pick.clone() };
                    let answer = self.engine.complete(&request, self.progress).await?;
                    let stage = self.weighed.keep("pick", &answer);
                    picks.push((path.clone(), operation, stage, answer.likelihood.log));
                    (stage, answer.likelihood.log)
                }
            };
            let request = Request { given: given(&slots), ..self.fill_request(path, operation, shown) };
            let answer = self.engine.complete(&request, self.progress).await?;
            let stage = self.weighed.keep(operation.word(), &answer);
            self.weighed.was_suggested(stage, suggested);
            let weight = weight(suggested, operation, pick_log, answer.likelihood.log);
            let verdict = self.filled(answer, operation, &request.spec, path, shown, text);
            self.weighed.add(weight, verdict, vec![pick_stage, stage]);
        }
        self.suggestions = Some(likely);
        Ok(())
    }

    /// The likeliest of what the task suggests, best first.
    fn suggestions(&self) -> Result<Vec<(String, Text, Suggestion)>, FlowError> {
        let paths: Vec<&String> = self.files.rows.iter().map(|row| &row.path).take(MOST_FILES).collect();
        let texts = paths.iter().map(|path| self.workspace.read(path)).collect::<Result<Vec<_>, _>>()?;
        let weighed: Vec<(f64, &str)> = self.files.likelihoods.iter().copied().zip(texts.iter().map(Text::shown)).collect();
        let likely = suggest(self.task.sentence(), &weighed).into_iter().take(MOST_SUGGESTIONS);
        let likely = likely.filter(|(_, suggestion)| suggestion.probability >= LEAST_PROBABILITY);
        Ok(likely.map(|(i, suggestion)| (paths[i].clone(), texts[i].clone(), suggestion)).collect())
    }
}

fn given(answer: &impl Serialize) -> Option<Given> {
    Some(Given::Beginning(serde_json::to_string(answer).expect("slots are JSON")))
}
