//! `slotwright edit --each GLOB`: the same sentence for many files, and one review of all the edits.

use super::command;
use super::ctrl_c::CtrlC;
use super::models::ask_for_model;
use super::progress::ProgressLine;
use super::reviewer::{self, Review, Reviewed, Select};
use super::terminal::AnswersFrom;
use crate::app::each::{Each, EachTask, FileResult, Heard, Refused, each};
use crate::app::editor::Editor;
use crate::app::project::Project;
use crate::app::report::{ErrorReport, Output, Report, Status};
use crate::console::{ended_unless, output_failure, print, say, say_more};
use crate::engine::Progress;
use crate::failure::{ExitCode, Failure, FailureKind};
use crate::review::gate::Policy;
use crate::serve::Desk;
use std::collections::BTreeSet;
use std::io;
use std::time::Duration;
use tokio::sync::Notify;

/// What the command line asks for.
pub(super) struct EachCommand {
    pub task: EachTask,
    pub policy: Policy,
    pub output: Output,
    /// Whether what the model wrote is printed.
    pub stats: bool,
}

/// Whether a Ctrl-C is for the model: the first one stops asking it.
fn is_for_model(ctrl_c: &CtrlC) -> bool {
    let takes = ctrl_c.takes();
    if takes {
        say("stopped: what there is comes next. Ctrl-C again ends without writing");
    }
    takes
}

/// Runs it in what `open` opens.
pub(super) fn run(
    command: &EachCommand,
    open: impl FnOnce() -> Result<(Project, Editor), Failure>,
) -> ExitCode {
    let ctrl_c = CtrlC::default();
    let ended = ended_unless(|| is_for_model(&ctrl_c));
    command::run_until(
        ended,
        command.output,
        "edit",
        async |report: &mut Report| {
            let (project, mut editor) = open()?;
            if let Some(model) = ask_for_model(editor.choice(), AnswersFrom::Input).await? {
                editor.choose(Some(&model));
            }
            let asked = asked(command, &project, &mut editor, &ctrl_c).await;
            let reviewed = match asked {
                Ok(each) => {
                    report.stats = each.stats.clone();
                    // While the person reads the diffs.
                    let keep = keep(&mut editor);
                    tokio::join!(review(command, &project, &each, report), keep).0
                }
                Err(failure) => {
                    keep(&mut editor).await;
                    Err(failure)
                }
            };
            if command.stats && !report.stats.stages.is_empty() {
                say_more(&report.stats.to_string());
            }
            reviewed
        },
    )
}

/// Keeps what the model has read for later edits, and frees its memory.
async fn keep(editor: &mut Editor) {
    editor.settle().await;
    editor.rest();
}

/// What is said while the model is asked: a line of progress, and with `--json` a line for each file.
struct Saying<'a> {
    progress: ProgressLine,
    output: Output,
    stop: &'a Notify,
    /// Why a line could not be printed. Nobody reads the others either.
    unprinted: Option<io::Error>,
}

impl Saying<'_> {
    fn hear(&mut self, heard: Heard<'_>) {
        match heard {
            Heard::Step(Progress::Showing(_)) => {}
            Heard::Step(step) => self.progress.show(step),
            Heard::Next {
                path,
                number,
                n_files,
                left,
            } => {
                let left = in_words(left);
                self.progress
                    .place(&format!("{number} of {n_files}, {path}{left}"));
            }
            Heard::Made(result) if self.output == Output::Json => {
                let line = serde_json::to_string(&result.report).expect("a report is plain data");
                if let Err(error) = print(&(line + "\n")) {
                    self.unprinted.get_or_insert(error);
                    self.stop.notify_one();
                }
            }
            Heard::Made(_) => {}
        }
    }
}

/// Asks about the files.
async fn asked(
    command: &EachCommand,
    project: &Project,
    editor: &mut Editor,
    ctrl_c: &CtrlC,
) -> Result<Each, Failure> {
    let mut saying = Saying {
        progress: ProgressLine::new(),
        output: command.output,
        stop: &ctrl_c.stop,
        unprinted: None,
    };
    ctrl_c.begin();
    let hear = &mut |heard: Heard<'_>| saying.hear(heard);
    let made = each(editor, project, &command.task, &ctrl_c.stop, hear).await;
    ctrl_c.end();
    saying.progress.end();

    match saying.unprinted {
        Some(error) => Err(output_failure(&error, "nothing was written")),
        None => made,
    }
}

/// What is left to wait, roughly.
fn in_words(left: Option<Duration>) -> String {
    match left.map(|left| left.as_secs()) {
        None => String::new(),
        Some(seconds @ ..90) => format!("; some {} seconds left", (seconds / 10 + 1) * 10),
        Some(seconds) => format!("; some {} minutes left", (seconds + 30) / 60),
    }
}

/// Says what has no edit, and brings the others to the gate.
async fn review(
    command: &EachCommand,
    project: &Project,
    each: &Each,
    report: &mut Report,
) -> Result<ExitCode, Failure> {
    let without = each.results.iter().filter_map(FileResult::without_edit);
    without.for_each(|line| say(&line));
    // Whoever stops it has said yes to nothing that came later.
    let policy = match command.policy {
        Policy::Yes if each.is_stopped() => Policy::Ask,
        policy => policy,
    };
    let refused = match policy {
        Policy::Yes => each.refused(),
        _ => Refused::new(),
    };
    for warning in refused.values().flatten() {
        say(&format!("left out: {}", warning.message));
    }

    let mut proposed = each.proposed(&refused, report);
    let review = Review {
        select: Select::Files,
        ..Review::new(policy, command.output, project.config.color)
    };
    if each.is_stopped() {
        let (n, n_files) = (each.results.len(), each.n_files);
        let remark = format!("stopped after {n} of {n_files} files: {GOES_ON}");
        if proposed.files.is_empty() || (policy == Policy::Ask && !review.answers.can_ask()) {
            let message = "interrupted; nothing was written";
            return Err(Failure::new(FailureKind::Interrupted, message).hint(remark));
        }
        proposed.remarks.push(remark);
    }
    let incomplete = incomplete(each, &refused);
    if proposed.files.is_empty() {
        return without_edit(each, incomplete, report);
    }

    let reviewed = reviewer::pass(&proposed.proposal(), &project.workspace, review).await;
    match reviewed.map_err(with_kept)? {
        Reviewed::WouldBeWritten => report.status = Status::WouldBeDone,
        Reviewed::Written(written) => {
            report.status = Status::Done; // even if what follows is interrupted
            each.written(&written.files, &refused, &project.workspace);
            if command.output == Output::Text {
                say(&written.to_string());
            }
        }
        Reviewed::Again(_) => unreachable!("no model can be asked"),
    }

    let Some(failure) = incomplete else {
        return Ok(ExitCode::Done);
    };
    if report.status == Status::Done {
        report.status = Status::PartlyDone;
    }
    report.error = Some(ErrorReport::from(failure));
    Ok(ExitCode::PartlyDone)
}

const GOES_ON: &str = "the same command goes on with the others";

/// What has no edit, and the model did not decline: files that failed, and edits that were refused.
fn incomplete(each: &Each, refused: &Refused) -> Option<Failure> {
    let mut what = Vec::new();
    let n_failed = each.n_failed();
    if n_failed > 0 {
        what.push(format!(
            "{n_failed} of {} files could not be edited",
            each.n_files
        ));
    }
    if !refused.is_empty() {
        let paths: Vec<&str> = refused.keys().map(String::as_str).collect();
        let (n, paths) = (refused.len(), paths.join(", "));
        let edits = if n == 1 {
            "edit with a warning is"
        } else {
            "edits with warnings are"
        };
        what.push(format!("{n} {edits} left out ({paths})"));
    }
    if what.is_empty() {
        return None;
    }

    let failure = Failure::new(FailureKind::NotMade, what.join("; "));
    let kinds: BTreeSet<&str> = refused
        .values()
        .flatten()
        .map(|it| it.kind.word())
        .collect();
    let failure = kinds.into_iter().fold(failure, |failure, kind| {
        failure.hint(format!("--accept {kind} writes it all the same"))
    });
    Some(failure.hint(GOES_ON))
}

/// What a run without an edit comes to.
fn without_edit(
    each: &Each,
    incomplete: Option<Failure>,
    report: &mut Report,
) -> Result<ExitCode, Failure> {
    if let Some(mut failure) = incomplete {
        failure.message += "; nothing was written";
        return Err(failure);
    }
    let n_files = each.n_files;
    let is_declined = each.results.iter().any(|it| it.report.error.is_some());
    if is_declined {
        let message = format!("there is no edit in any of {n_files} files; nothing was written");
        return Err(Failure::new(FailureKind::Declined, message)
            .hint("say it in other words, or use another model"));
    }
    report.status = Status::AlreadyDone;
    Ok(ExitCode::Done)
}

/// A review that ended without a yes takes nothing back.
fn with_kept(failure: Failure) -> Failure {
    if failure.kind == FailureKind::NotConfirmed {
        return failure.hint("the edits are kept: the same command shows them at once");
    }
    failure
}
