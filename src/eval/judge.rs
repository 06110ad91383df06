//! The machine's verdict on what a model made: never the model's own word.

use super::checks::{Checks, run_check, syntax_error};
use super::nearness::nearness;
use super::record::Verdict;
use super::strategy::{Attempt, Made};
use super::task::EvalTask;
use super::tree::changed;

/// A verdict and what it rests on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Judgement {
    /// Which it is.
    pub verdict: Verdict,
    /// In more detail: see [`super::record::Row::kind`].
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

    /// Whether the right thing was done: the edit, or none where none was right.
    pub fn passed(&self) -> bool {
        self.verdict == Verdict::Right
            || self.verdict == Verdict::Declined && self.kind == "rightly"
    }
}

/// The kind of a judgement where the check could not be run, or did not end: it passes nobody, and
/// is a problem of the task's.
pub const NOT_CHECKED: &str = "not_checked";

/// What an attempt is worth.
pub async fn judge(task: &EvalTask, attempt: &Attempt, checks: &Checks) -> Judgement {
    let after = match &attempt.made {
        Made::Mechanics(kind, message) => {
            return Judgement::new(Verdict::Mechanics, kind.name(), message);
        }
        Made::NotRepaired(status, reason) => {
            return Judgement::new(Verdict::Judgment, status, reason);
        }
        Made::Truncated => {
            return Judgement::new(
                Verdict::Truncated,
                "",
                "the answer did not end within its budget",
            );
        }
        Made::Declined(reason) => return declined(task, reason),
        Made::Edited(after) if *after == task.before && task.declines => {
            return declined(task, "it is left as it is");
        }
        Made::Edited(after) if *after == task.before => {
            return Judgement::new(Verdict::Judgment, "no_change", "the edit changes nothing");
        }
        Made::Edited(after) => after,
    };
    if task.declines {
        return Judgement::new(Verdict::Judgment, "edited", "no edit is right here");
    }
    if task.accepted.contains(after) {
        return Judgement::new(Verdict::Right, "", "");
    }
    let failed = match &task.check {
        None => None,
        Some(check) => match run_check(check, after, checks).await {
            Ok(None) => return Judgement::new(Verdict::Right, "", "its check passes"),
            Ok(Some(said)) => Some(said),
            Err(problem) => return Judgement::new(Verdict::Judgment, NOT_CHECKED, problem),
        },
    };
    for path in changed(&task.before, after) {
        if let Some(error) = syntax_error(path, &task.before, after, checks).await {
            return Judgement::new(
                Verdict::Judgment,
                "syntax",
                format!("{path} is broken: {error}"),
            );
        }
    }
    match failed {
        Some(said) => Judgement::new(Verdict::Judgment, "check_failed", said),
        None => {
            let nearness = nearness(&task.before, &task.accepted, after);
            Judgement::new(Verdict::Judgment, nearness.name(), "")
        }
    }
}

fn declined(task: &EvalTask, reason: &str) -> Judgement {
    Judgement::new(
        Verdict::Declined,
        if task.declines { "rightly" } else { "wrongly" },
        reason,
    )
}
