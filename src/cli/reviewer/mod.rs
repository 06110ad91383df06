//! The gate at a terminal: the diff and the question go to the person, what came of it to an exit
//! code.

mod dialogue;
pub(super) mod editor;

pub(super) use dialogue::{CanAsk, Wish};

use super::diff::{self, Colors, Style};
use super::exit::ExitCode;
use super::failure::{Failure, commit_failure, journaled_failure, open_failure, output_failure};
use super::folders;
use super::recovery;
use super::report::{Output, WarningReport};
use super::terminal::{self, Answers, say, wants_color};
use crate::config::Color;
use crate::review::Warning;
use crate::review::gate::{
    Decision, Gate, GateError, Notice, Passed, Policy, Proposal, ProposedFile, Reviewer,
};
use crate::workspace::journal::{JournalError, OpenError};
use crate::workspace::{Change, Workspace};
use dialogue::{Answered, Dialogue};
use std::fmt;
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
    /// What a model can still be asked.
    pub can_ask: CanAsk,
    /// What to know about a text that was not made as it was proposed.
    pub if_changed: Option<&'static str>,
}

impl Review {
    /// Whether the person may want another answer.
    pub fn may_ask_again(&self) -> bool {
        self.can_ask != CanAsk::Nothing
            && self.policy == Policy::Ask
            && self.answers.can_ask()
            && self.has_dialogue()
    }

    /// Whether there is more to answer than yes and no. A report says what was proposed, so that it
    /// must be what is written; and a terminal in an editor shows lines only.
    fn has_dialogue(&self) -> bool {
        self.output == Output::Text && !terminal::is_dumb()
    }
}

/// What came of a review.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Reviewed {
    /// It was a dry run.
    WouldBeWritten,
    /// It was written.
    Written(Written),
    /// Nothing was written: the person wants something else.
    Again(Wish),
}

/// What was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Written {
    pub files: Vec<String>,
    /// What is not as it was proposed, in words; none if all of it was written so.
    pub difference: Option<String>,
}

impl fmt::Display for Written {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "wrote {}", self.files.join(", "))?;
        self.difference
            .iter()
            .try_for_each(|difference| write!(f, ", {difference}"))
    }
}

/// Lets a change pass the gate.
pub(super) async fn pass(
    proposal: &Proposal<'_>,
    workspace: &Workspace,
    review: Review,
) -> Result<Reviewed, Failure> {
    let reviewer = TerminalReviewer {
        review,
        answered: None,
    };
    let state = folders::state();
    let mut gate = Gate {
        workspace,
        state: &state,
        policy: review.policy,
        reviewer,
    };
    let passed = gate.pass(proposal).await;
    let answered = gate.reviewer.answered;
    match (passed, answered) {
        (
            Err(GateError::NotConfirmed),
            Some(Answered {
                wish: Some(wish), ..
            }),
        ) => Ok(Reviewed::Again(wish)),
        (Err(error), _) => Err(gate_failure(error, review.unasked_hint)),
        (Ok(Passed::WouldBeWritten), _) => Ok(Reviewed::WouldBeWritten),
        (Ok(Passed::Written), answered) => {
            let decision = answered.as_ref().map(|answered| &answered.decision);
            let is_written = |file: &&ProposedFile| match decision {
                Some(Decision::Instead(changes)) => {
                    let is_of_file = |change: &Change| file.changes[0].path == change.path;
                    changes.iter().any(is_of_file)
                }
                _ => true,
            };
            let files = proposal
                .files
                .iter()
                .filter(is_written)
                .map(|file| file.path.clone());
            let difference = answered.as_ref().and_then(Answered::difference);
            Ok(Reviewed::Written(Written {
                files: files.collect(),
                difference,
            }))
        }
    }
}

pub(super) fn warning_reports(warnings: &[Warning]) -> Vec<WarningReport> {
    let report = |warning: &Warning| WarningReport {
        kind: warning.kind.word().to_owned(),
        message: warning.message.clone(),
        accepted: warning.accepted,
    };
    warnings.iter().map(report).collect()
}

pub(super) fn say_warning(warning: &Warning) {
    say(&format!("slotwright: warning: {}", warning.message));
}

struct TerminalReviewer {
    review: Review,
    answered: Option<Answered>,
}

impl Reviewer for TerminalReviewer {
    fn show(&mut self, files: &[ProposedFile], policy: Policy) -> io::Result<()> {
        let Review { output, color, .. } = self.review;
        let mut stdout = io::stdout();
        if output == Output::Text {
            show(files, color, &mut stdout)?;
        }
        let is_seen = output == Output::Text && stdout.is_terminal();
        if policy == Policy::Ask && self.can_be_asked() && !is_seen {
            // Nobody says yes to a change that they cannot see.
            let _ = show(files, color, &mut io::stderr());
        }
        Ok(())
    }

    fn tell(&mut self, notice: Notice<'_>) {
        match notice {
            Notice::Remark(remark) => say(remark),
            Notice::Warning(warning) => say_warning(warning),
            Notice::Recovered(recovered) => recovery::say_recovered(recovered),
            Notice::CannotBeUndone(error) => {
                say(&format!(
                    "slotwright: warning: this edit cannot be undone: {error}"
                ));
            }
        }
    }

    fn can_be_asked(&self) -> bool {
        self.review.answers.can_ask()
    }

    async fn decide(&mut self, question: &str, files: &[ProposedFile]) -> Decision {
        let Review {
            answers,
            color,
            can_ask,
            if_changed,
            ..
        } = self.review;
        if !self.review.has_dialogue() {
            return if answers.confirm(question).await {
                Decision::All
            } else {
                Decision::No
            };
        }
        let style = style(color, &io::stderr());
        let dialogue = Dialogue {
            answers,
            style,
            can_ask,
            if_changed,
        };
        let answered = dialogue.run(question, files).await;
        self.answered.insert(answered).decision.clone()
    }
}

/// Prints diffs. For a terminal they are coloured and made safe.
fn show(
    files: &[ProposedFile],
    color: Color,
    stream: &mut (impl Write + IsTerminal),
) -> io::Result<()> {
    let style = style(color, stream);
    for file in files {
        stream.write_all(diff::print(file, style).whole().as_bytes())?;
    }
    stream.flush()
}

fn style(color: Color, stream: &impl IsTerminal) -> Style {
    let colors = if wants_color(color, stream) {
        Colors::Ansi
    } else {
        Colors::None
    };
    Style {
        colors,
        for_terminal: stream.is_terminal(),
    }
}

pub(super) fn gate_failure(error: GateError, unasked_hint: &str) -> Failure {
    let message = error.to_string();
    match error {
        GateError::Output(error) => output_failure(&error, "nothing was written"),
        GateError::Check(error) => commit_failure(error),
        GateError::Warned(warnings) => {
            let kind = warnings
                .first()
                .map_or("warning", |warning| warning.kind.word());
            ways_around(&warnings)
                .into_iter()
                .fold(
                    Failure::new(ExitCode::NotMade, kind, message),
                    Failure::hint,
                )
                .hint("without --yes you see the diff on a terminal, and decide")
        }
        GateError::NobodyToAsk(warnings) => {
            let failure = Failure::new(ExitCode::NotConfirmed, "not_confirmed", message);
            match ways_around(&warnings).as_slice() {
                [] => failure.hint(unasked_hint),
                ways => ways.iter().fold(failure, |failure, way| {
                    failure.hint(format!("with --yes, {way}"))
                }),
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
    let mut ways = Vec::new();
    for warning in warnings {
        let way = format!("--accept {} writes it all the same", warning.kind.word());
        if !ways.contains(&way) {
            ways.push(way);
        }
    }
    ways
}
