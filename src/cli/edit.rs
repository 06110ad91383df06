//! `slotwright edit`: the task to the flow, its patch to the gate.

use super::failure::{Failure, commit_failure, flow_failure, journaled_failure, workspace_failure};
use super::gate::{self, Answers, output_failure};
use super::progress::ProgressLine;
use super::report::{Report, Status, WarningReport};
use super::{EditArguments, ExitCode, command, folders, model, say, undo};
use crate::constrain::Slot;
use crate::engine::{End, Engine, Sampling};
use crate::flow::{self, Asking, Outcome, Patched, Verdict};
use crate::risk;
use crate::slots::{Operation, Reason};
use crate::task::Task;
use crate::workspace::{Change, Workspace};
use std::collections::BTreeMap;
use std::time::Instant;

pub(super) fn run(arguments: &EditArguments) -> ExitCode {
    command::run(arguments.json, "edit", async |report| edit(arguments, report).await)
}

async fn edit(arguments: &EditArguments, report: &mut Report) -> Result<ExitCode, Failure> {
    let started = Instant::now();
    let usage = |kind: &str, error: &dyn std::fmt::Display| Failure::new(ExitCode::Usage, kind, error);
    let task = Task::new(&arguments.task, arguments.files.clone())
        .map_err(|error| usage("empty_task", &error).hint("say what is to be changed: slotwright edit \"Rename foo to bar\""))?;
    let workspace = Workspace::open(&arguments.root).map_err(workspace_failure)?;
    if !arguments.dry_run {
        // So that the model sees whole what an interrupted program left half done. If another one is writing
        // there now, that is no concern of ours before we write.
        let _ = undo::open(&workspace);
    }
    let progress = ProgressLine::new();
    let (mut engine, profile) = model::start(&arguments.model, (!arguments.no_cache).then(folders::prefixes), &progress).await?;
    report.stats.model = engine.model().name.clone();
    report.stats.profile = profile.name().to_owned();
    report.stats.computed_on = engine.model().computes_on.clone();
    let asking = Asking { profile, sampling: Sampling::Greedy, drafting: true };
    report.stats.ms.load = started.elapsed().as_secs_f64() * 1e3;
    let outcome = flow::edit(&task, &workspace, &asking, &mut engine, &mut |p| progress.show(p)).await.map_err(flow_failure)?;
    progress.clear();
    report.stats.ms.total = started.elapsed().as_secs_f64() * 1e3;
    report.add_stages(&outcome);
    if arguments.stats {
        say(&report.stats.to_string());
    }
    // While the person reads the diff, what the model has read is kept for the next edit; then its memory is not needed.
    let keep = async {
        if !arguments.no_cache {
            let _ = engine.keep_read().await; // then the next edit reads it again
        }
        drop(engine);
    };
    tokio::join!(conclude(arguments, &workspace, outcome, report), keep).0
}

async fn conclude(
    arguments: &EditArguments,
    workspace: &Workspace,
    outcome: Outcome,
    report: &mut Report,
) -> Result<ExitCode, Failure> {
    let not_made = |kind: &str, message: &dyn std::fmt::Display| Failure::new(ExitCode::NotMade, kind, message);
    let (masked_mass, certainty) = (outcome.masked_mass(), outcome.certainty());
    let patched = match outcome.verdict {
        Verdict::Proposed(patched) => patched,
        Verdict::AlreadyDone => {
            // A model that does not understand a task often writes what is there already.
            let is_accepted = arguments.accept.iter().any(|accepted| accepted == "unsure");
            let doubt = risk::too_unsure(&masked_mass, arguments.max_masked_mass).map(|risk| risk.to_string());
            if let Some(doubt) = doubt.or_else(|| risk::doubt(certainty)).filter(|_| !is_accepted) {
                let message = format!("the model's edit changes nothing, and {doubt}; nothing was written");
                return Err(Failure::new(ExitCode::NotMade, "unsure", message)
                    .hint("say it in other words, or use another model")
                    .hint("--accept unsure takes it for done"));
            }
            report.status = Status::AlreadyDone;
            say("slotwright: nothing to do: the model's edit changes nothing");
            return Ok(ExitCode::Done);
        }
        Verdict::Declined(Reason::AlreadyDone) => {
            report.status = Status::AlreadyDone;
            say("slotwright: nothing to do: the model says that it is done already");
            return Ok(ExitCode::Done);
        }
        Verdict::Declined(Reason::NotInTheseFiles) => {
            let failure = not_made("declined", &"the model declined: what is asked for has no place in these files");
            return Err(failure.hint("name the file in the task or with --file"));
        }
        Verdict::Declined(Reason::Unclear) => {
            let failure = not_made("declined", &"the model declined: the task is unclear to it");
            return Err(failure.hint("name the text to change and what it should become"));
        }
        Verdict::Truncated(End::NoToken) => {
            let failure =
                not_made("truncated", &"the model's vocabulary cannot spell what would have to come next; nothing was written");
            return Err(failure.hint("use another model for this file"));
        }
        Verdict::Truncated(_) => {
            let failure = not_made("truncated", &"the model's answer did not end within its budget; nothing was written");
            return Err(failure.hint("ask for a smaller change"));
        }
        Verdict::Mechanics(error) => {
            return Err(not_made("mechanics", &error).hint("this is a bug in slotwright: please report it"));
        }
        Verdict::Refused(error) => return Err(not_made("encoding", &error).hint("convert the file to UTF-8 first")),
    };
    report.add_patch(&patched);
    let asks = !arguments.yes && !arguments.dry_run;
    if !arguments.json {
        gate::show(&report.diff, &mut std::io::stdout()).map_err(|error| output_failure(&error, "nothing was written"))?;
    }
    if asks && Answers::FromInput.can_ask() {
        gate::show_for_question(&report.diff, arguments.json);
    }
    let refused = warn(arguments, &patched, &masked_mass, report);
    if arguments.dry_run {
        report.status = Status::WouldBeDone;
        return Ok(ExitCode::Done);
    }
    if asks && !confirmed(&patched, refused.as_ref().err()).await? {
        return Err(gate::not_confirmed());
    }
    if arguments.yes {
        refused.map_err(|failure| failure.hint("without --yes you see the diff on a terminal, and decide"))?;
    }
    let change = match patched.operation {
        Operation::Create => Change::create(&patched.path, &patched.after),
        _ => Change::replace(&patched.path, patched.before.bytes(), &patched.after),
    };
    match undo::open(workspace) {
        Ok(journal) => journal.commit(workspace, &[change], &arguments.task).map_err(journaled_failure)?,
        // One file is written whole or not at all without a journal too.
        Err(failure) if failure.error.kind == "journal" => {
            say(&format!("slotwright: warning: this edit cannot be undone: {}", failure.error.message));
            workspace.write(&change).map_err(commit_failure)?;
        }
        Err(failure) => return Err(failure),
    }
    report.status = Status::Done;
    if !arguments.json {
        say(&format!("slotwright: wrote {}", patched.path));
    }
    Ok(ExitCode::Done)
}

/// Says what about the edit asks for a second look. An error: what `--yes`, which takes none, makes of it.
fn warn(
    arguments: &EditArguments,
    patched: &Patched,
    masked_mass: &BTreeMap<Slot, f64>,
    report: &mut Report,
) -> Result<(), Failure> {
    if let Some(reach) = risk::reach(patched) {
        say(&format!("slotwright: {reach}"));
    }
    let mut refused: Option<Failure> = None;
    for risk in risk::risks(patched, masked_mass, arguments.max_masked_mass) {
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

/// The gate: asks on a terminal; elsewhere there is nobody to ask. `refused`: what `--yes` would say.
async fn confirmed(patched: &Patched, refused: Option<&Failure>) -> Result<bool, Failure> {
    if !Answers::FromInput.can_ask() {
        let failure = gate::nobody_to_ask();
        return Err(match refused {
            None => failure.hint("pass --yes to write, or --dry-run to only look"),
            Some(refused) => refused.error.hints.iter().fold(failure, |failure, hint| failure.hint(format!("with --yes {hint}"))),
        });
    }
    let question = match patched.operation {
        Operation::Create => format!("Make the file {}?", patched.path),
        _ => format!("Change {}?", patched.path),
    };
    Ok(gate::confirmed(&question, Answers::FromInput).await)
}
