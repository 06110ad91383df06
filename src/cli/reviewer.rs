//! The gate at a terminal: the diff and the question go to the person, what came of it to an exit
//! code.

use super::diff::{self, Colors};
use super::exit::ExitCode;
use super::failure::{Failure, commit_failure, journaled_failure, open_failure, output_failure};
use super::folders;
use super::recovery;
use super::report::{Output, WarningReport};
use super::terminal::{Answers, say, wants_color};
use crate::config::Color;
use crate::gate::{Gate, GateError, Notice, Passed, Policy, Proposal, Reviewer, Warning};
use crate::workspace::Workspace;
use crate::workspace::journal::{JournalError, OpenError};
use std::io::{self, IsTerminal, Write};

/// How a command comes to the gate.
#[derive(Clone, Copy, Debug)]
pub(super) struct Review {
    /// Who decides.
    pub policy: Policy,
    /// Where answers come from.
    pub answers: Answers,
    /// What is printed on standard output.
    pub output: Output,
    /// Whether the diff is coloured.
    pub color: Color,
    /// What to do where nobody can be asked.
    pub unasked_hint: &'static str,
}

/// Lets a change pass the gate.
pub(super) async fn pass(
    proposal: &Proposal<'_>,
    workspace: &Workspace,
    review: Review,
) -> Result<Passed, Failure> {
    let reviewer = TerminalReviewer(review);
    let state = folders::state();
    let mut gate = Gate { workspace, state: &state, policy: review.policy, reviewer };
    gate.pass(proposal).await.map_err(|error| gate_failure(error, review.unasked_hint))
}

pub(super) fn warning_reports(warnings: &[Warning]) -> Vec<WarningReport> {
    let report = |warning: &Warning| WarningReport {
        kind: warning.kind.to_owned(),
        message: warning.message.clone(),
        accepted: warning.accepted,
    };
    warnings.iter().map(report).collect()
}

pub(super) fn say_warning(warning: &Warning) {
    say(&format!("slotwright: warning: {}", warning.message));
}

struct TerminalReviewer(Review);

impl Reviewer for TerminalReviewer {
    fn show(&mut self, diff: &str, policy: Policy) -> io::Result<()> {
        let mut stdout = io::stdout();
        if self.0.output == Output::Text {
            show(diff, self.0.color, &mut stdout)?;
        }
        let is_seen = self.0.output == Output::Text && stdout.is_terminal();
        if policy == Policy::Ask && self.can_be_asked() && !is_seen {
            // Nobody says yes to a change that they cannot see.
            let _ = show(diff, self.0.color, &mut io::stderr());
        }
        Ok(())
    }

    fn tell(&mut self, notice: Notice<'_>) {
        match notice {
            Notice::Remark(remark) => say(remark),
            Notice::Warning(warning) => say_warning(warning),
            Notice::Recovered(recovered) => recovery::say_recovered(recovered),
            Notice::CannotBeUndone(error) => {
                say(&format!("slotwright: warning: this edit cannot be undone: {error}"));
            }
        }
    }

    fn can_be_asked(&self) -> bool {
        self.0.answers.can_ask()
    }

    async fn confirm(&mut self, question: &str) -> bool {
        self.0.answers.confirm(question).await
    }
}

/// Prints a diff. For a terminal it is coloured and made safe.
fn show(diff: &str, color: Color, stream: &mut (impl Write + IsTerminal)) -> io::Result<()> {
    let colors = if wants_color(color, stream) { Colors::Ansi } else { Colors::None };
    let shown = diff::render(diff, colors, stream.is_terminal());
    stream.write_all(shown.as_bytes()).and_then(|()| stream.flush())
}

pub(super) fn gate_failure(error: GateError, unasked_hint: &str) -> Failure {
    let message = error.to_string();
    match error {
        GateError::Output(error) => output_failure(&error, "nothing was written"),
        GateError::Check(error) => commit_failure(error),
        GateError::Warned(warnings) => {
            let kind = warnings.first().map_or("warning", |warning| warning.kind);
            ways_around(&warnings)
                .into_iter()
                .fold(Failure::new(ExitCode::NotMade, kind, message), Failure::hint)
                .hint("without --yes you see the diff on a terminal, and decide")
        }
        GateError::NobodyToAsk(warnings) => {
            let failure = Failure::new(ExitCode::NotConfirmed, "not_confirmed", message);
            match ways_around(&warnings).as_slice() {
                [] => failure.hint(unasked_hint),
                ways => ways
                    .iter()
                    .fold(failure, |failure, way| failure.hint(format!("with --yes, {way}"))),
            }
        }
        GateError::NotConfirmed => Failure::new(ExitCode::NotConfirmed, "not_confirmed", message),
        GateError::Journal(error) => {
            let is_unusable = matches!(error, OpenError::Journal(JournalError::Io { .. }));
            let failure = open_failure(error);
            if !is_unusable {
                return failure;
            }
            failure.hint("nothing was written: several files are written only with a journal")
        }
        GateError::Commit(error) => journaled_failure(error),
    }
}

/// How to have a change written in spite of its warnings.
fn ways_around(warnings: &[Warning]) -> Vec<String> {
    let mut kinds: Vec<&str> = Vec::new();
    for warning in warnings {
        if !kinds.contains(&warning.kind) {
            kinds.push(warning.kind);
        }
    }
    kinds.iter().map(|kind| format!("--accept {kind} writes it all the same")).collect()
}
