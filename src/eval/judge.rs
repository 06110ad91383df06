//! The machine's verdict on an attempt. The model's own word counts for nothing.

use super::checks::{Checks, run_check, syntax_error};
use super::nearness::nearness;
use super::record::Verdict;
use super::strategy::{Attempt, Made};
use super::task::EvalTask;
use super::tree::{Tree, changed};

/// A verdict and its reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Judgement {
    /// The verdict.
    pub verdict: Verdict,
    /// The verdict in more detail: see [`super::record::Row::kind`].
    pub kind: &'static str,
    /// A sentence for people; may be empty.
    pub message: String,
}

impl Judgement {
    fn new(verdict: Verdict, kind: &'static str, message: impl Into<String>) -> Judgement {
        Judgement {
            verdict,
            kind,
            message: message.into(),
        }
    }

    fn right(message: &str) -> Judgement {
        Judgement::new(Verdict::Right, "", message)
    }

    fn wrong(kind: &'static str, message: impl Into<String>) -> Judgement {
        Judgement::new(Verdict::Judgment, kind, message)
    }

    fn declined(task: &EvalTask, reason: &str) -> Judgement {
        let kind = if task.declines { "rightly" } else { "wrongly" };
        Judgement::new(Verdict::Declined, kind, reason)
    }

    /// Whether the right thing was done: the edit, or none where none was right.
    pub fn passed(&self) -> bool {
        self.verdict == Verdict::Right
            || self.verdict == Verdict::Declined && self.kind == "rightly"
    }
}

/// The kind of a judgement where the check could not be run, or did not end. Such a run does not
/// pass, and the task is listed as a problem.
pub const NOT_CHECKED: &str = "not_checked";

/// Judges an attempt at a task.
pub async fn judge(task: &EvalTask, attempt: &Attempt, checks: &Checks) -> Judgement {
    match &attempt.made {
        Made::Edited(after) if *after != task.before => judge_edit(task, after, checks).await,
        Made::Edited(_) if task.declines => Judgement::declined(task, "it is left as it is"),
        Made::Edited(_) => Judgement::wrong("no_change", "the edit changes nothing"),
        Made::Declined(reason) => Judgement::declined(task, reason),
        Made::NotRepaired(status, reason) => Judgement::wrong(status, reason),
        Made::Mechanics(kind, message) => Judgement::new(Verdict::Mechanics, kind.name(), message),
        Made::Truncated => {
            let message = "the answer did not end within its budget";
            Judgement::new(Verdict::Truncated, "", message)
        }
    }
}

async fn judge_edit(task: &EvalTask, after: &Tree, checks: &Checks) -> Judgement {
    if task.declines {
        return Judgement::wrong("edited", "no edit is right here");
    }
    if task.accepted.contains(after) {
        return Judgement::right("");
    }

    let mut failed = None;
    if let Some(check) = &task.check {
        match run_check(check, after, checks).await {
            Ok(None) => return Judgement::right("its check passes"),
            Ok(output) => failed = output,
            Err(problem) => return Judgement::wrong(NOT_CHECKED, problem),
        }
    }

    // A broken file says more than a failed check.
    for path in changed(&task.before, after) {
        if let Some(error) = syntax_error(path, &task.before, after, checks).await {
            return Judgement::wrong("syntax", format!("{path} is broken: {error}"));
        }
    }

    match failed {
        Some(output) => Judgement::wrong("check_failed", output),
        None => Judgement::wrong(nearness(&task.before, &task.accepted, after).name(), ""),
    }
}
