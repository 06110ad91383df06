//! A task at a terminal: its edits, the question about them, and others that the person asks for.

use super::models::ask_for_model;
use super::progress::ProgressLine;
use super::reviewer::{self, CanAsk, Review, Reviewed, ask_again};
use super::terminal::AnswersFrom;
use crate::app::editor::{Again, Answer, Editor, Wish};
use crate::app::offer::Offer;
use crate::app::offered_check::CheckAnswer;
use crate::app::project::Project;
use crate::app::report::{Output, Report, Status};
use crate::app::request::EditRequest;
use crate::config::PROJECT_FILE;
use crate::console::{say, say_failure, say_more, unless_stopped};
use crate::failure::{ExitCode, Failure};
use crate::review::gate::Policy;
use crate::serve::Desk;
use crate::text::visible;

/// Other beginnings of the model's answers that are kept, while a person may want another answer.
const BRANCHES: usize = 8;

/// How a task is shown and asked about.
#[derive(Clone, Copy, Debug)]
pub(super) struct TaskOptions {
    pub policy: Policy,
    pub output: Output,
    /// Whether what the model wrote is printed.
    pub stats: bool,
    pub model: ModelIn,
}

/// What becomes of the model after a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ModelIn {
    /// The program ends then: what was read is kept while the person looks at the diff.
    OneTask,
    /// It stays loaded, and whoever has it keeps what was read.
    Session,
}

impl TaskOptions {
    fn review(&self, project: &Project) -> Review {
        let check = project.config.check.as_ref();
        Review {
            can_ask: CanAsk::Again,
            if_changed: check.map(|_| "the check has not been run with this text"),
            ..Review::new(self.policy, self.output, project.config.color)
        }
    }

    /// Keeps what was read: the same task is often said again, in other words.
    async fn settle(&self, editor: &mut Editor) {
        if self.model == ModelIn::OneTask {
            editor.settle().await;
        }
    }

    fn say_stats(&self, report: &Report) {
        if self.stats && !report.stats.stages.is_empty() {
            say_more(&report.stats.to_string());
        }
    }
}

/// What a task came to before the question about its edits.
pub(super) enum First {
    Offer(Box<Offer>),
    /// There is no edit, which was said. How the program ends.
    NoEdit(ExitCode),
}

/// Asks the model for the edits of a task. If it has none, a person may ask for another answer; in a
/// session they type the next line instead.
pub(super) async fn first(
    editor: &mut Editor,
    mut project: Project,
    request: EditRequest,
    options: TaskOptions,
    report: &mut Report,
) -> Result<First, Failure> {
    let review = options.review(&project);
    if options.policy == Policy::Ask && review.answers.can_ask() {
        ask_about_check(&mut project, review.answers).await?;
    }
    if let Some(model) = ask_for_model(editor.choice(), review.answers).await? {
        editor.choose(Some(&model));
    }

    let branches = if review.may_ask_again() { BRANCHES } else { 0 };
    let request = EditRequest {
        branches,
        ..request
    };
    let mut offer = Offer::of(project, request)?;
    let progress = ProgressLine::new();
    let answer = editor
        .answer(&mut offer, report, &mut |step| progress.show(step))
        .await;
    progress.end();
    options.say_stats(report);

    let asks_again = options.model == ModelIn::OneTask && review.may_ask_again();
    let code = match answer {
        Ok(Answer::Edits) => return Ok(First::Offer(Box::new(offer))),
        Ok(Answer::NothingToDo { claim, .. }) => {
            say(&format!("nothing to do: {claim}"));
            ExitCode::Done
        }
        Ok(Answer::NoEdit(failure)) if asks_again => {
            say_failure(&failure);
            failure.kind.exit_code()
        }
        Ok(Answer::NoEdit(failure)) | Err(failure) => {
            options.settle(editor).await;
            return Err(failure);
        }
    };
    if !asks_again {
        options.settle(editor).await;
        return Ok(First::NoEdit(code));
    }

    while let (Some(wish), ()) = tokio::join!(ask_again(review.answers), editor.settle()) {
        if again(editor, &mut offer, wish, options, report).await? {
            return Ok(First::Offer(Box::new(offer)));
        }
    }
    Ok(First::NoEdit(code))
}

/// Asks whether the check that a project offers is run, once.
async fn ask_about_check(project: &mut Project, answers: AnswersFrom) -> Result<(), Failure> {
    let Some(command) = &project.offered_check else {
        return Ok(());
    };
    let command = visible(command);
    let question = format!(
        "{PROJECT_FILE} offers a check: run `{command}` in a throw-away copy of this folder after edits?"
    );
    let answer = if answers.confirm(&question).await {
        CheckAnswer::Run
    } else {
        CheckAnswer::Ignore
    };
    project.answer_check(answer)
}

/// Brings an offer to the gate, and others that the person asks for, until one is written or none is.
/// Says what was written.
pub(super) async fn decide(
    editor: &mut Editor,
    offer: &mut Offer,
    options: TaskOptions,
    report: &mut Report,
) -> Result<Reviewed, Failure> {
    let mut review = options.review(&offer.project);
    let may_ask_again = review.may_ask_again();
    loop {
        review.can_ask = if offer.can_go_on() {
            CanAsk::AgainOrMore
        } else {
            CanAsk::Again
        };
        // While the person reads the diff, what the model has read is kept for the next edit.
        let keep = async {
            options.settle(editor).await;
            if options.model == ModelIn::OneTask && !may_ask_again {
                editor.rest();
            }
        };
        let (reviewed, ()) = tokio::join!(offered(offer, review, report), keep);
        let wish = match reviewed? {
            Reviewed::Again(wish) => wish,
            reviewed => {
                if let Reviewed::Written(written) = &reviewed
                    && options.output == Output::Text
                {
                    say(&written.to_string());
                }
                return Ok(reviewed);
            }
        };
        if !again(editor, offer, wish, options, report).await? {
            say("this is the edit from before");
        }
    }
}

/// Asks the model for what the person wants instead of an offer. False if the offer is as it was, which
/// is said; a Ctrl-C stops the model and leaves it so.
pub(super) async fn again(
    editor: &mut Editor,
    offer: &mut Offer,
    wish: Wish,
    options: TaskOptions,
    report: &mut Report,
) -> Result<bool, Failure> {
    let before = offer.state();
    let progress = ProgressLine::new();
    let show = &mut |step| progress.show(step);
    let again = unless_stopped(editor.again(offer, wish, report, show)).await;
    progress.end();
    let Some(again) = again else {
        offer.restore(before);
        say(match options.model {
            ModelIn::OneTask => "stopped; Ctrl-C again ends slotwright",
            ModelIn::Session => "stopped",
        });
        return Ok(false);
    };

    options.say_stats(report);
    match again? {
        Again::Other => {
            report.status = Status::WouldBeDone;
            Ok(true)
        }
        Again::Same(why) => {
            why.iter().for_each(say_failure);
            Ok(false)
        }
    }
}

/// Brings an offer to the gate.
async fn offered(offer: &Offer, review: Review, report: &mut Report) -> Result<Reviewed, Failure> {
    let proposed = offer.proposed(report);
    let workspace = &offer.project.workspace;
    let reviewed = reviewer::pass(&proposed.proposal(), workspace, review).await?;
    if matches!(reviewed, Reviewed::Written(_)) {
        report.status = offer.status_when_written(); // even if what follows is interrupted
    }
    Ok(reviewed)
}
