//! What `--json` prints: one object, whose schema is `schemas/report.json`.

use crate::apply::{EditOutcome, EditResult};
use crate::check::Place;
use crate::edit::Replacement;
use crate::engine::{AnswerStats, Milliseconds};
use crate::failure::Failure;
use crate::flow::Stage;
use crate::locate::Rung;
use crate::patched::{FileChange, Patched};
use crate::review::Warning;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;

/// What a command prints on standard output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Output {
    /// A diff or a table, for people.
    Text,
    /// One object, for programs (`--json`).
    Json,
}

impl Output {
    /// What the flag `--json` asks for.
    pub fn of_flag(json: bool) -> Output {
        if json { Output::Json } else { Output::Text }
    }
}

/// What `--json` prints of a command.
pub(crate) trait CommandReport: Default + Serialize {
    /// What to say when the person interrupts it.
    const INTERRUPTED: &'static str = "interrupted; nothing was written";

    /// Whether the command never changes anything.
    const ONLY_SHOWS: bool = false;

    /// Its result, and its error if it has one.
    fn end(&mut self) -> (&mut Status, &mut Option<ErrorReport>);
}

/// The result of one command.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct Report {
    /// Whether it was written.
    pub status: Status,
    /// The files changed, or that would be.
    pub files: Vec<String>,
    /// What was replaced in them, in order: of one answer in the files as they were, of several that
    /// were asked for one by one (`--steps`) each in the file as the one before left it.
    pub edits: Vec<EditReport>,
    /// The change as a unified diff; empty if there is none.
    pub diff: String,
    /// The reasons to look at the change again.
    pub warnings: Vec<WarningReport>,
    /// What the check says of the change; null if there is no check.
    pub check: Option<CheckReport>,
    /// Why nothing was written, if nothing was.
    pub error: Option<ErrorReport>,
    /// The cost.
    pub stats: Stats,
}

/// The result of `apply`; its schema is `schemas/apply.json`.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct ApplyReport {
    /// Whether it was written.
    pub status: Status,
    /// How the patch is written, as `--format` names it; `mixed` if its parts are in several formats
    /// (each edit says its own); null if it could not be read.
    pub format: Option<String>,
    /// The files changed, or that would be; a moved one by its new path.
    pub files: Vec<String>,
    /// The result of each edit of the patch, in order. Where nothing was written (see `status`),
    /// those that could be made need not be sent again.
    pub edits: Vec<EditOutcome>,
    /// The number of edits by the way in which their place was found.
    pub rungs: BTreeMap<Rung, usize>,
    /// The change as a unified diff; empty if there is none.
    pub diff: String,
    /// The reasons to look at the change again.
    pub warnings: Vec<WarningReport>,
    /// Why nothing was written, or what was not.
    pub error: Option<ErrorReport>,
}

/// What `edit --each --json` prints of each file, on a line of its own; its schema is
/// `schemas/each.json`. The last line is a [`Report`].
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct EachReport {
    /// Relative to the root.
    pub path: String,
    /// `would_be_done`: there is an edit, and the last line says whether it was written.
    /// `already_done`: there is nothing to do. `done`: an earlier run of the same command has written
    /// it. `not_made`: `error` says why.
    pub status: Status,
    /// What would be replaced, in file order.
    pub edits: Vec<EditReport>,
    /// The edit as a unified diff; empty if there is none.
    pub diff: String,
    /// The probability that the model gave to what it wrote, 0 to 1; none if it gave no edit.
    pub certainty: Option<f64>,
    /// The reasons to look at the edit again.
    pub warnings: Vec<WarningReport>,
    /// What else is worth knowing.
    pub remarks: Vec<String>,
    /// Why there is no edit: `declined` if the model finds no place for one.
    pub error: Option<ErrorReport>,
    /// Seconds that the model took, in this run or an earlier one.
    pub seconds: f64,
}

/// The result of a command in a word.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// Written.
    Done,
    /// Some of it was written, as `--partial`, `--each` or `--accept partial` allow; `error`, or the
    /// warning `partial`, says what was not.
    PartlyDone,
    /// A dry run of an edit that applies.
    WouldBeDone,
    /// There was nothing to do.
    AlreadyDone,
    /// An edit that applies, and was not confirmed.
    NotConfirmed,
    /// Nothing was written; `error` says why. An edit that `--yes` refused is in the report.
    #[default]
    NotMade,
}

/// One replacement.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct EditReport {
    /// The file, relative to the root.
    pub path: String,
    /// The line it begins on, counted from 1.
    pub line: usize,
    /// The text before, with newlines only; empty for an insertion.
    pub old: String,
    /// The text after, with newlines only.
    pub new: String,
    /// How the text that the model named was found: `exact` wherever it was forced.
    pub rung: Rung,
}

/// A reason to look at a change again.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct WarningReport {
    /// The kind in a word, as `--accept` takes it.
    pub kind: String,
    /// What to look at again, as a sentence.
    pub message: String,
    /// Whether `--accept` names its kind. `--yes` writes only if all are accepted.
    pub accepted: bool,
}

/// What a check says of a change.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct CheckReport {
    /// The command.
    pub command: String,
    /// The result in a word.
    pub result: CheckResult,
    /// What it complains of and did not complain of before.
    pub complaints: Vec<ComplaintReport>,
    /// How many times the model made further edits that left fewer complaints.
    pub further_edits: usize,
    /// Why the command could not be run.
    pub error: Option<String>,
}

/// The result of a check in a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CheckResult {
    /// The command ended with exit code 0.
    Passed,
    /// It complains of something new.
    Fails,
    /// It fails, as it does without the change.
    FailsAsBefore,
    /// It could not be run.
    NotRun,
}

/// What a check complains of.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ComplaintReport {
    /// Where the cause is; null if no place in the folder is known.
    pub place: Option<Place>,
    /// What is wrong, in one line.
    pub message: String,
}

/// Why nothing was written.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ErrorReport {
    /// The kind in a word.
    pub kind: String,
    /// What went wrong, as a sentence.
    pub message: String,
    /// What to do next, a line each.
    pub hints: Vec<String>,
}

impl From<Failure> for ErrorReport {
    fn from(failure: Failure) -> ErrorReport {
        ErrorReport {
            kind: failure.kind.word().to_owned(),
            message: failure.message,
            hints: failure.hints,
        }
    }
}

/// The cost of a command.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct Stats {
    /// The model's own name.
    pub model: String,
    /// The prompt profile.
    pub profile: String,
    /// Tokens of one file that the model is shown at most.
    pub shown_tokens: usize,
    /// The longest context window that the model was trained for, in tokens; `None` if a server does not
    /// say it.
    pub context_tokens: Option<usize>,
    /// What computed it, as llama.cpp calls it: `CPU`, on x86-64 with the instructions used, `CPU (AVX2
    /// FMA F16C BMI2)`, or in a portable build with its variant, `CPU (haswell)`; the address of a
    /// server.
    pub computed_on: String,
    /// Tokens of the prompts of all questions.
    pub prompt_tokens: usize,
    /// Prompt tokens that were read before, by this process or an earlier one.
    pub reused_tokens: usize,
    /// Answer tokens that the constraint forced.
    pub forced_tokens: usize,
    /// Answer tokens that were drafted, for the model to check.
    pub drafted_tokens: usize,
    /// Drafted tokens that the model chose too.
    pub accepted_tokens: usize,
    /// Answer tokens that the model chose, drafted or not.
    pub sampled_tokens: usize,
    /// Evaluations of the model after those that read the prompts.
    pub evaluations: usize,
    /// Where the time went.
    pub ms: Phases,
    /// The questions and answers in their order.
    pub stages: Vec<StageReport>,
}

/// Where the time of a command went, in milliseconds.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct Phases {
    /// Until the model was loaded.
    pub load: f64,
    /// The sums over all questions.
    #[serde(flatten)]
    pub questions: Milliseconds,
    /// Until there was a diff.
    pub total: f64,
}

/// One question to the model.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct StageReport {
    /// `pick`, or the operation.
    pub name: String,
    /// What the model wrote.
    pub answer: String,
    /// The cost of the answer.
    #[serde(flatten)]
    pub stats: AnswerStats,
}

impl CommandReport for Report {
    fn end(&mut self) -> (&mut Status, &mut Option<ErrorReport>) {
        (&mut self.status, &mut self.error)
    }
}

impl CommandReport for ApplyReport {
    fn end(&mut self) -> (&mut Status, &mut Option<ErrorReport>) {
        (&mut self.status, &mut self.error)
    }
}

impl ApplyReport {
    /// Leaves out the texts that are replaced and their new ones.
    pub(crate) fn leave_out_texts(&mut self) {
        for edit in &mut self.edits {
            if let EditResult::Applies(applied) = &mut edit.result {
                applied.replacements.clear();
            }
        }
    }

    /// Whether every text that was looked for is in its file exactly as the patch has it.
    pub(crate) fn is_exact(&self) -> bool {
        self.rungs.keys().all(|rung| *rung == Rung::Exact)
    }
}

impl Report {
    /// Reports the questions and answers of one task, in place of those before.
    pub(crate) fn add_stages(&mut self, stages: &[Stage]) {
        self.stats.stages.clear();
        for Stage {
            name,
            answer,
            stats,
        } in stages
        {
            self.stats.stages.push(StageReport {
                name: (*name).to_owned(),
                answer: answer.clone(),
                stats: stats.clone(),
            });
        }
        self.stats.sum_up();
    }

    /// `changes`: what all the edits make of the files.
    pub(crate) fn add_edits<'a>(
        &mut self,
        edits: impl IntoIterator<Item = &'a Patched>,
        changes: &[FileChange],
    ) {
        self.files = changes.iter().map(|change| change.path.clone()).collect();
        self.diff = changes.iter().map(FileChange::diff).collect();
        self.edits = edits.into_iter().flat_map(EditReport::of).collect();
    }
}

impl Stats {
    /// Adds what another task took, of the same model.
    pub(crate) fn add(&mut self, other: Stats) {
        if other.model.is_empty() {
            return; // it was not asked
        }
        let before = std::mem::replace(self, other);
        self.stages = [before.stages, std::mem::take(&mut self.stages)].concat();
        self.ms.load += before.ms.load;
        self.ms.total += before.ms.total;
        self.sum_up();
    }

    /// Sums up what the questions and answers took.
    pub(crate) fn sum_up(&mut self) {
        let mut total = AnswerStats::default();
        for StageReport { stats, .. } in &self.stages {
            total.prompt_tokens += stats.prompt_tokens;
            total.reused_tokens += stats.reused_tokens;
            total.add_costs(stats);
        }

        self.prompt_tokens = total.prompt_tokens;
        self.reused_tokens = total.reused_tokens;
        self.forced_tokens = total.forced_tokens;
        self.drafted_tokens = total.drafted_tokens;
        self.accepted_tokens = total.accepted_tokens;
        self.sampled_tokens = total.sampled_tokens;
        self.evaluations = total.evaluations;
        self.ms.questions = total.ms;
    }
}

impl EditReport {
    fn of(patched: &Patched) -> Vec<EditReport> {
        let shown = patched.before.shown();
        let mut edits = Vec::new();
        for Replacement { range, new } in &patched.replacements {
            edits.push(EditReport {
                path: patched.path.clone(),
                line: shown[..range.start].matches('\n').count() + 1,
                old: shown[range.clone()].to_owned(),
                new: new.clone(),
                rung: patched.rung,
            });
        }
        edits
    }
}

impl fmt::Display for Stats {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Stats {
            model,
            profile,
            computed_on,
            shown_tokens,
            ms,
            stages,
            ..
        } = self;
        write!(
            f,
            "model {model} ({profile}) on {computed_on}, loaded in {:.0} ms, {:.0} ms in all",
            ms.load, ms.total
        )?;
        write!(f, "\nat most {shown_tokens} tokens of a file are shown")?;
        stages.iter().try_for_each(|stage| write!(f, "\n{stage}"))
    }
}

impl fmt::Display for StageReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let AnswerStats {
            prompt_tokens,
            reused_tokens,
            forced_tokens,
            drafted_tokens,
            accepted_tokens,
            sampled_tokens,
            evaluations,
            ms,
            masked_mass,
            certainty,
            closest_call: _,
        } = &self.stats;
        write!(f, "{}: {}", self.name, self.answer)?;
        // A server may not count tokens, and never says how it computes.
        let is_ours = *evaluations > 0;
        if *prompt_tokens > 0 {
            write!(f, "\n  prompt of {prompt_tokens} tokens")?;
            if is_ours || *reused_tokens > 0 {
                write!(f, ", {reused_tokens} of them read before")?;
            }
            write!(f, ", in {:.0} ms", ms.prompt)?;
        }
        if is_ours {
            write!(
                f,
                "\n  answer of {forced_tokens} tokens forced and {sampled_tokens} chosen, in {:.0} ms \
                 and {evaluations} evaluations; {accepted_tokens} of {drafted_tokens} drafted tokens \
                 accepted\n  constraint {:.1} ms, drafts {:.1} ms",
                ms.answer, ms.constraint, ms.draft
            )?;
        } else if *sampled_tokens > 0 {
            write!(
                f,
                "\n  answer of {sampled_tokens} tokens, in {:.0} ms",
                ms.answer
            )?;
        } else {
            write!(f, "\n  answer in {:.0} ms", ms.prompt + ms.answer)?;
        }

        for (what, by_slot) in [("masked mass", masked_mass), ("certainty", certainty)] {
            let mut figures = Vec::new();
            for (slot, figure) in by_slot {
                figures.push(format!("{slot:?} {figure:.2}").to_lowercase());
            }
            if !figures.is_empty() {
                write!(f, "\n  {what}: {}", figures.join(", "))?;
            }
        }
        Ok(())
    }
}

/// Warnings as a report has them.
pub(crate) fn warning_reports(warnings: &[Warning]) -> Vec<WarningReport> {
    let mut reports = Vec::new();
    for warning in warnings {
        reports.push(WarningReport {
            kind: warning.kind.word().to_owned(),
            message: warning.message.clone(),
            accepted: warning.accepted,
        });
    }
    reports
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(stats: AnswerStats) -> String {
        let stage = StageReport {
            name: "pick".to_owned(),
            answer: "{}".to_owned(),
            stats,
        };
        stage.to_string()
    }

    #[test]
    fn what_a_server_does_not_say_is_left_out() {
        let ms = Milliseconds {
            prompt: 30.0,
            answer: 12.0,
            ..Milliseconds::default()
        };
        let nothing = AnswerStats {
            ms,
            ..AnswerStats::default()
        };
        assert_eq!(said(nothing.clone()), "pick: {}\n  answer in 42 ms");
        let counted = AnswerStats {
            prompt_tokens: 70,
            sampled_tokens: 9,
            ..nothing
        };
        let expected = "pick: {}\n  prompt of 70 tokens, in 30 ms\n  answer of 9 tokens, in 12 ms";
        assert_eq!(said(counted), expected);
    }
}
