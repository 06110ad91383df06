//! The gate at a terminal: the diff and the question go to the person, what came of it to an exit
//! code.

mod dialogue;
mod editor;
mod no_edit;

pub(super) use dialogue::{CanAsk, Select};
pub(super) use no_edit::ask_again;

use super::diff::{self, Colors, Style};
use super::terminal::AnswersFrom;
use crate::app::editor::Wish;
use crate::app::folders;
use crate::app::project::recovered_words;
use crate::app::report::Output;
use crate::app::written::gate_failure;
use crate::config::Color;
use crate::console::{is_dumb, say, wants_color};
use crate::failure::Failure;
use crate::review::Warning;
use crate::review::gate::{
    Decision, Gate, GateError, Notice, Passed, Policy, Proposal, ProposedFile, Reviewer,
};
use crate::workspace::Workspace;
use dialogue::{Answered, Dialogue};
use std::fmt;
use std::io::{self, IsTerminal, Write};

/// How a command comes to the gate.
#[derive(Clone, Copy, Debug)]
pub(super) struct Review {
    /// Who decides.
    pub policy: Policy,
    /// Where answers come from.
    pub answers: AnswersFrom,
    /// What is printed on standard output.
    pub output: Output,
    /// Whether the diff is coloured.
    pub color: Color,
    /// What to do where nobody can be asked.
    pub unasked_hint: &'static str,
    /// What a model can still be asked.
    pub can_ask: CanAsk,
    /// What is chosen one by one.
    pub select: Select,
    /// What to know about a text that was not made as it was proposed.
    pub if_changed: Option<&'static str>,
    /// Edits that cannot be made, so that a yes is for the others.
    pub n_left_out: usize,
}

impl Review {
    /// A review in which no model can be asked, with answers from standard input.
    pub fn new(policy: Policy, output: Output, color: Color) -> Review {
        Review {
            policy,
            answers: AnswersFrom::Input,
            output,
            color,
            unasked_hint: "pass --yes to write, or --dry-run to only look",
            can_ask: CanAsk::Nothing,
            select: Select::Hunks,
            if_changed: None,
            n_left_out: 0,
        }
    }

    /// The question of the gate, with what a yes leaves out.
    fn question(&self, question: &str) -> String {
        let without = match self.n_left_out {
            0 => return question.to_owned(),
            1 => "the edit that cannot be made".to_owned(),
            n => format!("the {n} edits that cannot be made"),
        };
        format!("{} without {without}?", question.trim_end_matches('?'))
    }

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
        self.output == Output::Text && !is_dumb()
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
    match passed {
        Ok(Passed::WouldBeWritten) => Ok(Reviewed::WouldBeWritten),
        Ok(Passed::Written) => Ok(Reviewed::Written(written(proposal, answered.as_ref()))),
        Err(error) => {
            let wish = answered.and_then(|answered| answered.wish);
            match wish.filter(|_| matches!(error, GateError::NotConfirmed)) {
                Some(wish) => Ok(Reviewed::Again(wish)),
                None => Err(gate_failure(error, review.unasked_hint)),
            }
        }
    }
}

/// What was written of a proposal.
fn written(proposal: &Proposal<'_>, answered: Option<&Answered>) -> Written {
    let mut files = Vec::new();
    for file in proposal.files {
        let is_written = match answered.map(|answered| &answered.decision) {
            Some(Decision::Instead(changes)) => {
                let path = &file.changes[0].path;
                changes.iter().any(|change| change.path == *path)
            }
            _ => true,
        };
        if is_written {
            files.push(file.path.clone());
        }
    }
    Written {
        files,
        difference: answered.and_then(Answered::difference),
    }
}

pub(super) fn say_warning(warning: &Warning) {
    say(&format!("warning: {}", warning.message));
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
            Notice::Recovered(recovered) => say(&recovered_words(recovered)),
            Notice::CannotBeUndone(error) => {
                say(&format!("warning: this edit cannot be undone: {error}"));
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
            select,
            if_changed,
            ..
        } = self.review;
        let question = self.review.question(question);
        if !self.review.has_dialogue() {
            return if answers.confirm(&question).await {
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
            select,
            if_changed,
        };
        let answered = dialogue.run(&question, files).await;
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
