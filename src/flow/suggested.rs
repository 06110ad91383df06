//! What the task's own words suggest, as answers that the model only has to find likely.

use super::evidence::of_suggestion;
use super::selection::{Candidates, show};
use super::{Asked, FlowError, ShownFile, certainty_of_path};
use crate::constrain::Spec;
use crate::engine::{Engine, Given, Request};
use crate::slots::{FilePick, Operation, Pick, Slots};
use crate::suggest::{Suggestion, suggest};
use crate::task::Task;
use crate::text::{Shown, Text};
use crate::workspace::Workspace;
use serde::Serialize;

/// Suggestions that the model is asked about at most. With the weights of then, 299 of 690 development sentences had the right one
/// among the four of their file with a probability of 0.05 or more, and 333 among eight with 0.02 or more.
const MOST_SUGGESTIONS: usize = 8;

/// Files that it may be about, the likeliest first.
const MOST_FILES: usize = 4;

/// A less likely one is not worth asking.
const LEAST_PROBABILITY: f64 = 0.02;

impl<E: Engine> Asked<'_, E> {
    /// Weighs what the task suggests for the likeliest files, of which the first is shown; `pick` is the question of stage 1. An
    /// answer is read by the model in one piece, like a beginning, so that its probability is known at once.
    pub(super) async fn weigh_suggestions(&mut self, pick: &Request, first: &ShownFile, room: usize) -> Result<(), FlowError> {
        let likely = std::mem::take(&mut self.suggested.likely);
        let Spec::Pick { files, .. } = &pick.spec else { return Ok(()) };
        let may = |path: &str, operation| files.iter().any(|file| file.path == path && file.operations.contains(&operation));
        // By path and operation, with the logarithm of its probability.
        let mut picks: Vec<(String, Operation, usize, f64)> = Vec::new();
        // Those that are shown by now.
        let mut others: Vec<(String, Shown)> = Vec::new();
        for (path, text, suggestion) in &likely {
            let suggested = suggestion.probability;
            if of_suggestion(suggested, Operation::Replace, 0.0, 0.0) + self.discount <= self.weighed.log() {
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
                    let log = answer.likelihood.log + self.suggested.speaks_for(path, certainty_of_path(&answer));
                    picks.push((path.clone(), operation, stage, log));
                    (stage, log)
                }
            };
            let request = Request { given: given(&slots), ..self.fill_request(path, operation, shown) };
            let answer = self.engine.complete(&request, self.progress).await?;
            let stage = self.weighed.keep(operation.word(), &answer);
            self.weighed.was_suggested(stage, suggested);
            let weight = of_suggestion(suggested, operation, pick_log, answer.likelihood.log) + self.discount;
            let verdict = self.filled(answer, operation, &request.spec, path, shown, text);
            self.weighed.add(weight, verdict, vec![pick_stage, stage]);
        }
        self.suggested.likely = likely;
        Ok(())
    }
}

/// What a task suggests.
#[derive(Default)]
pub(super) struct Suggested {
    /// The likeliest, best first: path, text, and what becomes of that.
    likely: Vec<(String, Text, Suggestion)>,
    /// How likely all of a file together are.
    of_files: Vec<(String, f64)>,
}

impl Suggested {
    /// What it is for the likeliest files. That which most of it is for becomes the first: of 1,500 edits of projects of three to
    /// five files, kept aside, that is the right one for 1,234, and the one that the search finds first for 1,175.
    pub(super) fn find(task: &Task, workspace: &Workspace, files: &mut Candidates) -> Result<Suggested, FlowError> {
        let paths: Vec<String> = files.rows.iter().map(|row| row.path.clone()).take(MOST_FILES).collect();
        let texts = paths.iter().map(|path| workspace.read(path)).collect::<Result<Vec<_>, _>>()?;
        let weighed: Vec<(f64, &str)> = files.likelihoods.iter().copied().zip(texts.iter().map(Text::shown)).collect();
        let all = suggest(task.sentence(), &weighed);
        let mut of_files: Vec<(String, f64)> = paths.iter().map(|path| (path.clone(), 0.0)).collect();
        all.iter().for_each(|(i, suggestion)| of_files[*i].1 += suggestion.probability);
        // Of equal ones the first.
        if let Some(first) = (0..paths.len()).rev().max_by(|&a, &b| of_files[a].1.total_cmp(&of_files[b].1)) {
            files.put_first(first);
        }
        let likely = all.into_iter().take(MOST_SUGGESTIONS).filter(|(_, suggestion)| suggestion.probability >= LEAST_PROBABILITY);
        let likely = likely.map(|(i, suggestion)| (paths[i].clone(), texts[i].clone(), suggestion)).collect();
        Ok(Suggested { likely, of_files })
    }

    /// What the logarithm of the probability of an answer to stage 1 is raised by, that names this file, which the model gives this
    /// probability among all files: half of what the suggestions tell of the file counts, and the model's word for the rest.
    pub(super) fn speaks_for(&self, path: &str, of_model: f64) -> f64 {
        let all: f64 = self.of_files.iter().map(|(_, probability)| probability).sum();
        let of_file = self.of_files.iter().find(|(other, _)| other == path).map_or(0.0, |(_, probability)| *probability);
        (1.0 + (of_file / of_model.max(f64::MIN_POSITIVE) - all) / 2.0).ln()
    }
}

fn given(answer: &impl Serialize) -> Option<Given> {
    Some(Given::Beginning(serde_json::to_string(answer).expect("slots are JSON")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_of_what_suggestions_tell_of_a_file_counts() {
        let suggested = |of_files: &[(&str, f64)]| {
            let of_files = of_files.iter().map(|(path, probability)| ((*path).to_owned(), *probability)).collect();
            Suggested { likely: Vec::new(), of_files }
        };
        let mixed = |suggested: &Suggested, path: &str, of_model: f64| of_model * suggested.speaks_for(path, of_model).exp();
        let near = |a: f64, b: f64| assert!((a - b).abs() < 1e-9, "{a} {b}");
        let one = suggested(&[("a", 0.6), ("b", 0.2)]);
        near(mixed(&one, "a", 0.1), 0.1 * 0.6 + 0.3);
        near(mixed(&one, "b", 0.7), 0.7 * 0.6 + 0.1);
        near(mixed(&one, "c", 0.2), 0.2 * 0.6);
        assert!(one.speaks_for("a", 0.0).is_finite());
        // Where nothing is suggested, or there is but one file, the model's word stays.
        near(mixed(&suggested(&[]), "a", 0.3), 0.3);
        near(mixed(&suggested(&[("a", 0.8)]), "a", 1.0), 1.0);
    }
}
