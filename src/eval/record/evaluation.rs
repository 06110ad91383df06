//! The record itself; its schema is `schemas/eval.json`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, HashSet};

/// An evaluation: what was asked of whom, and what came of it.
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
    /// A row for each run that was made.
    pub results: Vec<Row>,
    /// What could not be run, and why.
    pub problems: Vec<Problem>,
}

/// A model that was evaluated.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ModelRecord {
    /// As it was asked for: `bundled`, a file's name, a server's address and `#name`. No two are
    /// the same.
    pub name: String,
    /// What it calls itself, and what computes it.
    pub description: String,
}

/// A task of a suite.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TaskRecord {
    /// The suite and the task's folder: `suite/folder`. No two are the same.
    pub name: String,
    /// The suite alone.
    pub suite: String,
    /// What was asked for, in the first wording.
    pub sentence: String,
    /// All wordings, the first included; may be empty if there is no other.
    pub wordings: Vec<String>,
    /// What kind of edit it is.
    pub category: String,
    /// How hard it is meant to be.
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
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
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
    /// What the model's choices were drawn with.
    pub seed: u64,
    /// What came of it.
    pub verdict: Verdict,
    /// More about it. Mechanics: `no_json`, `unknown_key`, `path_not_real`, `text_not_found`,
    /// `ambiguous`, `no_answer`, … Judgment: `wrong_file`, `wrong_place` (the right file),
    /// `wrong_text` (the right place), `white_space`, `check_failed`, `not_checked`, `syntax`,
    /// `edited` (it was to be declined), `no_change`.
    /// Declined: `rightly`, `wrongly`. Else empty.
    pub kind: String,
    /// Whether it is right, or was rightly declined.
    pub passed: bool,
    /// What happened, for people, in a sentence.
    pub message: String,
    /// What it did to the files, as a unified diff; empty if nothing.
    pub diff: String,
    /// What the model wrote, of several the one that counts, each cut to 4 KB.
    pub answers: Vec<String>,
    /// Whether the model says that it succeeded; none if it was not asked.
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
    /// Those of them that had been read before, and were not read again.
    #[serde(default)]
    pub reused_tokens: u64,
    /// Tokens of the answers, forced ones included.
    pub answer_tokens: u64,
    /// How often the model was evaluated.
    pub evaluations: u64,
    /// How long it took, in milliseconds.
    pub ms: f64,
}

/// What came of a run. A failure of the mechanics is one that the program can be blamed for, a
/// failure of judgment is the model's own; they are never counted together.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// The files are as they should be.
    Right,
    /// No edit could be made from the answer.
    Mechanics,
    /// An edit was made, and it is wrong.
    Judgment,
    /// The model made none; rightly or not.
    Declined,
    /// The answer did not end within its budget.
    Truncated,
    /// It took too long and was ended.
    Timeout,
}

/// What could not be run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Problem {
    /// The task, or the file that should have had one.
    pub task: String,
    /// What is wrong with it, for people.
    pub message: String,
}

impl Evaluation {
    /// Whether its parts belong together: all names are known, and none is given twice. Else what
    /// is wrong, for people.
    pub fn check(&self) -> Result<(), String> {
        let models = distinct("model", self.models.iter().map(|model| model.name.as_str()))?;
        let strategies = distinct("strategy", self.strategies.iter().map(String::as_str))?;
        let tasks = distinct("task", self.tasks.iter().map(|task| task.name.as_str()))?;
        let mut runs = HashSet::new();
        for row in &self.results {
            for (what, name, names) in [
                ("model", &row.model, &models),
                ("strategy", &row.strategy, &strategies),
                ("task", &row.task, &tasks),
            ] {
                if !names.contains(name.as_str()) {
                    return Err(format!(
                        "a result names the {what} \"{name}\", which is not among those of the \
                         evaluation"
                    ));
                }
            }
            if !runs.insert((&row.model, &row.strategy, &row.task, row.wording, row.run)) {
                let Row {
                    model,
                    strategy,
                    task,
                    wording,
                    run,
                    ..
                } = row;
                return Err(format!(
                    "there are two results of {model}, {strategy}, {task}, wording {wording}, run \
                     {run}"
                ));
            }
        }
        Ok(())
    }
}

fn distinct<'a>(
    what: &str,
    names: impl Iterator<Item = &'a str>,
) -> Result<HashSet<&'a str>, String> {
    let mut seen = HashSet::new();
    for name in names {
        if !seen.insert(name) {
            return Err(format!("there are two of the {what} \"{name}\""));
        }
    }
    Ok(seen)
}
