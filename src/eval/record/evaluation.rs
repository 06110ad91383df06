//! The record itself; its schema is `schemas/eval.json`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, HashSet};

/// An evaluation: the models, the tasks, and how each run ended.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Evaluation {
    /// The version of slotwright that made it.
    pub version: String,
    /// The models, in the order in which they were named.
    pub models: Vec<ModelRecord>,
    /// The strategies, in the order in which they were named.
    pub strategies: Vec<String>,
    /// How often each task was to be run by each model and strategy, 1 or more; each run asks in
    /// its next wording.
    pub runs: u32,
    /// The tasks that could be run.
    pub tasks: Vec<TaskRecord>,
    /// One row for each run that was made.
    pub results: Vec<Row>,
    /// Tasks and models that could not be run, with the reason.
    pub problems: Vec<Problem>,
}

/// A model that was evaluated.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ModelRecord {
    /// As it was asked for: `bundled`, a file's name, a server's address and `#name`. No two are
    /// the same.
    pub name: String,
    /// Its own name, and the device that computes it.
    pub description: String,
}

/// A task of a suite.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TaskRecord {
    /// The suite and the task's folder: `suite/folder`. No two are the same.
    pub name: String,
    /// The suite alone.
    pub suite: String,
    /// The task in its first wording.
    pub sentence: String,
    /// All wordings, the first included. May be empty if there is no other.
    pub wordings: Vec<String>,
    /// The kind of edit, in a word.
    pub category: String,
    /// How hard it is meant to be, in a word.
    pub level: String,
    /// The language of the files.
    pub language: String,
    /// The first accepted result as a unified diff; empty if it is to be declined, or if only a
    /// check decides.
    pub expected: String,
    /// The command that decides whether an edit is right, if one does.
    pub check: Option<String>,
}

/// One run: a model, a strategy, a wording of a task.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Row {
    /// The name of one of [`Evaluation::models`].
    pub model: String,
    /// One of [`Evaluation::strategies`].
    pub strategy: String,
    /// The name of one of [`Evaluation::tasks`].
    pub task: String,
    /// Which of the task's wordings, from 0.
    pub wording: u32,
    /// Which run of the task, from 1.
    pub run: u32,
    /// The seed with which tokens were drawn.
    pub seed: u64,
    /// How it ended.
    pub verdict: Verdict,
    /// How it ended, in more detail. Mechanics: `no_json`, `unknown_key`, `path_not_real`, `text_not_found`,
    /// `ambiguous`, `no_answer`, … Judgment: `wrong_file`, `wrong_place` (the right file),
    /// `wrong_text` (the right place), `white_space`, `check_failed`, `not_checked`, `syntax`,
    /// `edited` (no edit was right), `no_change`.
    /// Declined: `rightly`, `wrongly`. Else empty.
    pub kind: String,
    /// Whether it is right, or was rightly declined.
    pub passed: bool,
    /// A sentence for people; may be empty.
    pub message: String,
    /// The change of the files as a unified diff; empty if there is none.
    pub diff: String,
    /// The model's answers, each cut to 4 KB.
    pub answers: Vec<String>,
    /// Whether the model says that it succeeded; null if it was not asked.
    pub claim: Option<bool>,
    /// By slot: the probability, 0 to 1, that the model without the constraint would have written
    /// something that the constraint refuses. Empty where no slots were asked for.
    #[serde(default)]
    pub masked_mass: BTreeMap<String, f64>,
    /// By slot: the probability, 0 to 1, that the model under the constraint gave to what it wrote.
    #[serde(default)]
    pub certainty: BTreeMap<String, f64>,
    /// Tokens of the prompts.
    pub prompt_tokens: u64,
    /// Prompt tokens that had been read before, and were not read again.
    #[serde(default)]
    pub reused_tokens: u64,
    /// Tokens of the answers, forced ones included.
    pub answer_tokens: u64,
    /// How often the model was evaluated.
    pub evaluations: u64,
    /// How long it took, in milliseconds.
    pub ms: f64,
}

/// How a run ended. A failure of the mechanics is the program's, a failure of judgment is the
/// model's own. They are never counted together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// The files are as they should be.
    Right,
    /// No edit could be made from the answer.
    #[default]
    Mechanics,
    /// An edit was made, and it is wrong.
    Judgment,
    /// The model made no edit, rightly or wrongly.
    Declined,
    /// The answer did not end within its budget.
    Truncated,
    /// It took too long and was ended.
    Timeout,
}

/// A task or a model that could not be run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Problem {
    /// The name of the task or of the model.
    pub task: String,
    /// A sentence for people that says why.
    pub message: String,
}

impl Evaluation {
    /// Checks that all names are known, and that nothing is there twice.
    ///
    /// # Errors
    /// A sentence that says what is wrong.
    pub fn check(&self) -> Result<(), String> {
        let models = distinct("model", self.models.iter().map(|model| &model.name))?;
        let strategies = distinct("strategy", &self.strategies)?;
        let tasks = distinct("task", self.tasks.iter().map(|task| &task.name))?;

        let mut runs = HashSet::new();
        for row in &self.results {
            known("model", &row.model, &models)?;
            known("strategy", &row.strategy, &strategies)?;
            known("task", &row.task, &tasks)?;
            if !runs.insert((&row.model, &row.strategy, &row.task, row.wording, row.run)) {
                return Err(format!(
                    "there are two results of {}, {}, {}, wording {}, run {}",
                    row.model, row.strategy, row.task, row.wording, row.run
                ));
            }
        }
        Ok(())
    }
}

fn distinct<'a>(
    what: &str,
    names: impl IntoIterator<Item = &'a String>,
) -> Result<HashSet<&'a String>, String> {
    let mut seen = HashSet::new();
    for name in names {
        if !seen.insert(name) {
            return Err(format!("there are two of the {what} \"{name}\""));
        }
    }
    Ok(seen)
}

fn known(what: &str, name: &String, names: &HashSet<&String>) -> Result<(), String> {
    if names.contains(name) {
        return Ok(());
    }
    Err(format!(
        "a result names the {what} \"{name}\", which is not among those of the evaluation"
    ))
}
