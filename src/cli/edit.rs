//! `slotwright edit`: the task to the flow, its patch to the gate.

use super::failure::{Failure, commit_failure, flow_failure, journaled_failure, workspace_failure};
use super::gate::{self, Answers, output_failure};
use super::progress::ProgressLine;
use super::report::{Report, Status, WarningReport};
use super::{EditArguments, ExitCode, command, folders, model, say, undo};
use crate::engine::{End, Engine};
use crate::flow::steps::{FailedStep, FileChange, StepEdit, Steps, edit_in_steps};
use crate::flow::{GenerateOptions, MechanicsError, Verdict};
use crate::locate::Rung;
use crate::locate::free_slots::FreeSlotsError;
use crate::risk;
use crate::slots::Reason;
use crate::task::Task;
use crate::workspace::{Change, Workspace};
use std::time::Instant;

pub(super) fn run(arguments: &EditArguments) -> ExitCode {
    command::run(arguments.json, "edit", async |report| edit(arguments, report).await)
}

async fn edit(arguments: &EditArguments, report: &mut Report) -> Result<ExitCode, Failure> {
    let started = Instant::now();
    let usage =
        |kind: &str, error: &dyn std::fmt::Display| Failure::new(ExitCode::Usage, kind, error);
    let task = Task::new(&arguments.task, arguments.files.clone()).map_err(|error| {
        usage("empty_task", &error)
            .hint("say what is to be changed: slotwright edit \"Rename foo to bar\"")
    })?;
    let mut workspace = Workspace::open(&arguments.root).map_err(workspace_failure)?;
    if !arguments.dry_run {
        // So that the model sees whole what an interrupted program left half done. If another one
        // is writing there now, that is no concern of ours before we write.
        let _ = undo::open(&workspace);
    }
    let progress = ProgressLine::new();
    let (mut engine, profile) =
        model::start(&arguments.model, (!arguments.no_cache).then(folders::prefixes), &progress)
            .await?;
    report.stats.model = engine.model().name.clone();
    report.stats.profile = profile.name().to_owned();
    report.stats.computed_on = engine.model().computes_on.clone();
    let min_certainty = arguments.min_certainty.unwrap_or_else(|| risk::min_certainty(&profile));
    let options = GenerateOptions::new(profile);
    report.stats.ms.load = started.elapsed().as_secs_f64() * 1e3;
    let max_steps = arguments.steps.into();
    let steps = edit_in_steps(&task, &mut workspace, &options, max_steps, &mut engine, &mut |p| {
        progress.show(p)
    })
    .await;
    progress.clear();
    for note in engine.take_notes() {
        say(&format!("slotwright: {note}"));
    }
    let steps = steps.map_err(flow_failure)?;
    let is_forced = engine.forces_answers();
    report.stats.ms.total = started.elapsed().as_secs_f64() * 1e3;
    report.add_stages(&steps.stages);
    if arguments.stats {
        say(&report.stats.to_string());
    }
    // While the person reads the diff, what the model has read is kept for the next edit; then its
    // memory is not needed.
    let keep = async {
        if !arguments.no_cache {
            let _ = engine.keep_read().await; // then the next edit reads it again
        }
        drop(engine);
    };
    tokio::join!(conclude(arguments, &workspace, steps, is_forced, min_certainty, report), keep).0
}

async fn conclude(
    arguments: &EditArguments,
    workspace: &Workspace,
    steps: Steps,
    is_forced: bool,
    min_certainty: f64,
    report: &mut Report,
) -> Result<ExitCode, Failure> {
    if let Some(failed) = steps.failed {
        return without_edit(arguments, failed, is_forced, report);
    }
    let changes = steps.changes();
    report.add_edits(steps.edits.iter().map(|edit| &edit.patched), &changes);
    let asks = !arguments.yes && !arguments.dry_run;
    if !arguments.json {
        gate::show(&report.diff, &mut std::io::stdout())
            .map_err(|error| output_failure(&error, "nothing was written"))?;
    }
    if asks && Answers::FromInput.can_ask() {
        gate::show_for_question(&report.diff, arguments.json);
    }
    let refused = warn(arguments, &steps.edits, min_certainty, report);
    if arguments.dry_run {
        report.status = Status::WouldBeDone;
        return Ok(ExitCode::Done);
    }
    if asks && !confirmed(&changes, refused.as_ref().err()).await? {
        return Err(gate::not_confirmed());
    }
    if arguments.yes {
        refused.map_err(|failure| {
            failure.hint("without --yes you see the diff on a terminal, and decide")
        })?;
    }
    let written = changes.iter().map(|change| change.path.as_str()).collect::<Vec<_>>().join(", ");
    let changes: Vec<Change> = changes.iter().map(FileChange::change).collect();
    match (undo::open(workspace), changes.as_slice()) {
        (Ok(journal), changes) => {
            journal.commit(workspace, changes, &arguments.task).map_err(journaled_failure)?
        }
        // One file is written whole or not at all without a journal too.
        (Err(failure), [change]) if failure.error.kind == "journal" => {
            say(&format!(
                "slotwright: warning: this edit cannot be undone: {}",
                failure.error.message
            ));
            workspace.write(change).map_err(commit_failure)?;
        }
        (Err(failure), _) => return Err(failure),
    }
    report.status = Status::Done;
    if !arguments.json {
        say(&format!("slotwright: wrote {written}"));
    }
    Ok(ExitCode::Done)
}

/// What a task without an edit comes to.
fn without_edit(
    arguments: &EditArguments,
    failed: FailedStep,
    is_forced: bool,
    report: &mut Report,
) -> Result<ExitCode, Failure> {
    let not_made = |kind: &str, message: &dyn std::fmt::Display| {
        Failure::new(ExitCode::NotMade, kind, message)
    };
    Err(match failed.verdict {
        Verdict::Proposed(_) => unreachable!("a step that failed has no edit"),
        Verdict::AlreadyDone | Verdict::Declined(Reason::AlreadyDone) => {
            let claim = match failed.verdict {
                Verdict::AlreadyDone => "the model's edit changes nothing",
                _ => "the model says that it is done already",
            };
            // A model that does not understand a task often says so, or writes what is there
            // already.
            let is_accepted = arguments.accept.iter().any(|accepted| accepted == "unsure");
            if let Some(doubt) = risk::doubt(failed.certainty).filter(|_| !is_accepted) {
                return Err(not_made("unsure", &format!("{claim}, and {doubt}; nothing was written"))
                    .hint("say it in other words, or use another model")
                    .hint("--accept unsure takes it for done"));
            }
            report.status = Status::AlreadyDone;
            say(&format!("slotwright: nothing to do: {claim}"));
            return Ok(ExitCode::Done);
        }
        Verdict::Declined(Reason::NotInTheseFiles) => {
            not_made("declined", &"the model declined: what is asked for has no place in these files")
                .hint("name the file in the task or with --file")
        }
        Verdict::Declined(Reason::Unclear) => not_made("declined", &"the model declined: the task is unclear to it")
            .hint("name the text to change and what it should become"),
        Verdict::Truncated(End::NoToken) => {
            not_made("truncated", &"the model's vocabulary cannot spell what would have to come next; nothing was written")
                .hint("use another model for this file")
        }
        Verdict::Truncated(_) => not_made("truncated", &"the model's answer did not end within its budget; nothing was written")
            .hint("ask for a smaller change"),
        Verdict::Mechanics(error) if is_forced => {
            not_made("mechanics", &error).hint("this is a bug in slotwright: please report it")
        }
        Verdict::Mechanics(error) => free_answer_failure(&error),
        Verdict::Refused(error) => not_made("encoding", &error).hint("convert the file to UTF-8 first"),
    })
}

/// An answer of a server that is no edit of these files.
fn free_answer_failure(error: &MechanicsError) -> Failure {
    let message =
        format!("the model's answer is no edit of these files: {error}; nothing was written");
    let failure = Failure::new(ExitCode::NotMade, "mechanics", message);
    let failure = match error {
        MechanicsError::Locate(FreeSlotsError::Miss(miss)) => {
            failure.hint(format!("it looked for {}", beginning(&miss.searched)))
        }
        _ => failure,
    };
    failure.hint("name the file and the text to change in the task, or use another model")
}

/// The first line of a text, and not too much of it.
fn beginning(text: &str) -> String {
    const SHOWN: usize = 60;
    let line = text.trim().lines().next().unwrap_or_default();
    let shown: String = line.chars().take(SHOWN).collect();
    if shown.len() < text.trim().len() { format!("{shown:?} …") } else { format!("{shown:?}") }
}

/// Says what about the edit asks for a second look. An error: what `--yes`, which takes none, makes
/// of it.
fn warn(
    arguments: &EditArguments,
    edits: &[StepEdit],
    min_certainty: f64,
    report: &mut Report,
) -> Result<(), Failure> {
    for rung in edits.iter().map(|edit| edit.patched.rung).filter(|rung| *rung != Rung::Exact) {
        say(&format!(
            "slotwright: the model's text is not in the file as it wrote it; it was found {rung}"
        ));
    }
    for reach in edits.iter().filter_map(|edit| risk::reach(&edit.patched)) {
        say(&format!("slotwright: {reach}"));
    }
    let mut refused: Option<Failure> = None;
    let risks = |edit: &StepEdit| risk::risks(&edit.patched, &edit.certainty, min_certainty);
    for risk in edits.iter().flat_map(risks) {
        say(&format!("slotwright: warning: {risk}"));
        let (kind, message) = (risk.kind(), risk.to_string());
        let accepted = arguments.accept.iter().any(|accepted| accepted == kind);
        report.warnings.push(WarningReport { kind: kind.to_owned(), message, accepted });
        if !accepted {
            let failure = refused.unwrap_or_else(|| {
                let message = "--yes does not write an edit with a warning; nothing was written";
                Failure::new(ExitCode::NotMade, kind, message)
            });
            refused = Some(failure.hint(risk.way_around()));
        }
    }
    refused.map_or(Ok(()), Err)
}

/// The gate: asks on a terminal; elsewhere there is nobody to ask. `refused`: what `--yes` would
/// say.
async fn confirmed(changes: &[FileChange], refused: Option<&Failure>) -> Result<bool, Failure> {
    if !Answers::FromInput.can_ask() {
        let failure = gate::nobody_to_ask();
        return Err(match refused {
            None => failure.hint("pass --yes to write, or --dry-run to only look"),
            Some(refused) => refused
                .error
                .hints
                .iter()
                .fold(failure, |failure, hint| failure.hint(format!("with --yes {hint}"))),
        });
    }
    let question = match changes {
        [FileChange { path, before: None, .. }] => format!("Make the file {path}?"),
        [FileChange { path, .. }] => format!("Change {path}?"),
        several => format!("Change {} files?", several.len()),
    };
    Ok(gate::confirmed(&question, Answers::FromInput).await)
}
