//! `slotwright apply`: a patch that another model or tool wrote, to the gate.

mod folder;
mod patch;
mod remarks;

#[cfg(test)]
pub(super) use remarks::ACCEPTABLE;

use super::command;
use super::consent::ConsentArguments;
use super::exit::ExitCode;
use super::failure::{Failure, workspace_failure};
use super::recovery;
use super::report::{ApplyReport, Output, Status};
use super::reviewer::{self, Review, say_warning, warning_reports};
use super::settings;
use super::terminal::{Answers, say};
use crate::apply::{self, Plan, PlannedFile};
use crate::config::{Color, Flags, InForce};
use crate::diff::{self, FileDiff};
use crate::format::{Action, Format, Patch};
use crate::gate::{Passed, Proposal, Warning};
use crate::workspace::Workspace;
use clap::Args;
use folder::OnDisk;
use std::path::PathBuf;

pub(super) const ABOUT: &str = "\
Apply a patch that another model or tool wrote, or refuse it with what to do next.

The formats are recognised: search/replace blocks (Aider, Cline, Roo Code), Codex patches, unified \
and git diffs, JSON edits (old_string and new_string, our own slots), whole files in fences with \
or without \"... existing code ...\", context and normal diffs, ed scripts, RCS diffs; with the \
prose around them.

The text to change is looked for as it is, and then with other line endings, trailing whitespace, \
typographic quotes, indentation, tabs, blank lines, escapes or line numbers; what is written takes \
the file's own. It must occur in one place: of several none is guessed, and names, numbers and \
strings must be right. All edits are made or none, unless --partial is given. slotwright undo \
takes them back.

A fence under a file name is the whole new text of that file. What asks for a second look is said \
before the question, and --yes refuses to write it (see --accept).";

pub(super) const EXAMPLES: &str = "Examples:
  slotwright apply answer.md
  pbpaste | slotwright apply --dry-run
  git diff HEAD~1 | slotwright apply --reverse --yes
  slotwright apply --json --yes --partial edits.json > result.json";

/// What `slotwright apply` is told.
#[derive(Debug, Args)]
pub(in crate::cli) struct ApplyArguments {
    /// The patch; standard input if it is - or missing
    #[arg(value_name = "PATCH-FILE")]
    patch: Option<PathBuf>,
    /// The folder to edit; nothing outside it is read or written
    #[arg(long, value_name = "DIR", default_value = ".")]
    root: PathBuf,
    /// The one file that the patch is about, whatever it calls it; relative to --root
    #[arg(long, value_name = "PATH")]
    file: Option<String>,
    /// How the patch is written, if that is not to be recognised
    #[arg(long, value_name = "NAME", value_parser = format_names())]
    format: Option<String>,
    #[command(flatten)]
    consent: ConsentArguments,
    /// What --yes writes in spite of a warning (repeatable): shrinks (a whole-file text that drops
    /// most of the file), numbers (lines that are named by number only), mixed (parts in another
    /// format were not read)
    #[arg(long, value_name = "WARNING", value_delimiter = ',')]
    #[arg(value_parser = remarks::ACCEPTABLE, hide_possible_values = true)]
    accept: Vec<String>,
    /// Make the edits that can be made, if others cannot (exit code 5)
    #[arg(long)]
    partial: bool,
    /// Take the patch back: what it inserts is looked for, what it deletes is put there
    #[arg(long, short = 'R')]
    reverse: bool,
    /// Print one JSON object instead of a diff
    #[arg(long)]
    json: bool,
}

fn format_names() -> Vec<&'static str> {
    std::iter::once("auto").chain(Format::ALL.map(Format::name)).collect()
}

/// A patch, what it comes to, and what asks for a second look.
struct PlannedPatch {
    patch: Patch,
    plan: Plan,
    warnings: Vec<Warning>,
    /// Where the answer to the question comes from.
    answers: Answers,
    /// Whether the diff is coloured.
    color: Color,
}

pub(super) fn run(arguments: &ApplyArguments) -> ExitCode {
    command::run(Output::of_flag(arguments.json), "patch", async |report| {
        apply(arguments, report).await
    })
}

async fn apply(arguments: &ApplyArguments, report: &mut ApplyReport) -> Result<ExitCode, Failure> {
    let flags = Flags::default().with("accept", &arguments.accept);
    let (workspace, InForce { config, .. }) = settings::open(&arguments.root, flags)?;
    let (text, answers) = patch::read(arguments.patch.as_deref())?;
    let mut patch = patch::parse(&text, arguments.format.as_deref())?;
    let not_read = if arguments.format.as_deref().is_none_or(|name| name == "auto") {
        patch.others_in(&text)
    } else {
        Vec::new()
    };
    if arguments.reverse {
        patch = patch.reversed().ok_or_else(|| {
            let message = "the patch cannot be reversed: \
                           of some file it does not say what was there before";
            Failure::new(ExitCode::NotMade, "not_reversible", message)
                .hint("slotwright undo takes back what slotwright wrote")
        })?;
    }
    report.format = Some(patch.format.name().to_owned());
    if !arguments.consent.dry_run {
        // What an interrupted program left half done is finished first. A journal that cannot be
        // used is said below.
        let _ = recovery::open_journal(&workspace);
    }
    for file_edit in &mut patch.file_edits {
        // Absolute paths and links, as they are under the root.
        if let Some(real) =
            file_edit.path.as_ref().and_then(|path| workspace.resolve_named(path).ok())
        {
            file_edit.path = Some(real);
        }
    }
    let file = match &arguments.file {
        Some(named) => {
            let file = workspace.resolve_named(named).map_err(workspace_failure)?;
            is_about_one_file(&patch, &file, &workspace)?;
            Some(file)
        }
        None => None,
    };
    let files = OnDisk { workspace: &workspace, listing: workspace.list().paths };
    let plan = apply::apply(&patch, file.as_deref(), &files);
    let warnings = remarks::warnings(&patch, &plan, &not_read, &config.accept);
    let planned = PlannedPatch { patch, plan, warnings, answers, color: config.color };
    conclude(arguments, &workspace, planned, report).await
}

/// `--file` sends all of a patch to one file: not one that is about several, or about another one
/// that is there.
fn is_about_one_file(patch: &Patch, file: &str, workspace: &Workspace) -> Result<(), Failure> {
    let refuse = |message: String| {
        Err(Failure::new(ExitCode::Usage, "several_files", message).hint("leave --file out"))
    };
    let mut names: Vec<&str> =
        patch.file_edits.iter().filter_map(|file_edit| file_edit.path.as_deref()).collect();
    names.sort_unstable();
    names.dedup();
    match names.as_slice() {
        [] => Ok(()),
        [name] if *name == file => Ok(()),
        [name] => {
            let goes =
                |action: &Action| matches!(action, Action::Delete { .. } | Action::Move { .. });
            let is_there = workspace.resolve_named(name).is_ok();
            if is_there || patch.file_edits.iter().any(|file_edit| goes(&file_edit.action)) {
                return refuse(format!("the patch is about {name}, not about {file}"));
            }
            Ok(())
        }
        several => refuse(format!(
            "the patch is about {} files ({}), not about one",
            several.len(),
            several.join(", ")
        )),
    }
}

/// Brings what applies to the gate.
async fn conclude(
    arguments: &ApplyArguments,
    workspace: &Workspace,
    planned: PlannedPatch,
    report: &mut ApplyReport,
) -> Result<ExitCode, Failure> {
    let PlannedPatch { patch, plan, warnings, answers, color } = planned;
    report.rungs = apply::rungs(&plan.outcomes).into_iter().collect();
    report.edits.clone_from(&plan.outcomes);
    report.warnings = warning_reports(&warnings);
    let n_failed = plan.failed().count();
    if n_failed > 0 && (!arguments.partial || plan.files.is_empty()) {
        warnings.iter().for_each(say_warning);
        remarks::explained(&plan).iter().for_each(|line| say(line));
        return Err(failure(&plan, arguments.partial));
    }
    if plan.files.is_empty() {
        // The parts of the patch that were not read may still be left to do.
        warnings.iter().for_each(say_warning);
        report.status = Status::AlreadyDone;
        say("slotwright: nothing to do: the files have all of this already");
        return Ok(ExitCode::Done);
    }
    let new_path = |file: &PlannedFile| file.moved_to.as_ref().unwrap_or(&file.path).clone();
    report.files = plan.files.iter().map(new_path).collect();
    report.diff = plan.files.iter().map(|file| diff::unified(&FileDiff::from(file))).collect();
    if n_failed > 0 {
        report.error = Some(failure(&plan, true).error);
    }
    let proposal = Proposal {
        changes: &folder::changes(workspace, &plan.files),
        files: &report.files,
        diff: &report.diff,
        remarks: &remarks::remarks(&patch, &plan),
        warnings: &warnings,
        description: &description(arguments, plan.outcomes.len() - n_failed),
    };
    let review = Review {
        policy: arguments.consent.policy(),
        answers,
        output: Output::of_flag(arguments.json),
        color,
        unasked_hint: "pass --yes to write, or --dry-run to only look",
    };
    let (code, done) = match n_failed {
        0 => (ExitCode::Done, Status::Done),
        _ => (ExitCode::PartlyDone, Status::PartlyDone),
    };
    report.status = match reviewer::pass(&proposal, workspace, review).await? {
        Passed::WouldBeWritten => Status::WouldBeDone,
        Passed::Written => {
            if !arguments.json {
                let files: Vec<String> = plan.files.iter().map(remarks::done).collect();
                say(&format!("slotwright: {}", files.join(", ")));
            }
            done
        }
    };
    Ok(code)
}

/// What the journal calls a patch of which this many edits are made.
fn description(arguments: &ApplyArguments, n_made: usize) -> String {
    let name = arguments
        .patch
        .as_ref()
        .filter(|path| path.as_os_str() != "-")
        .map_or_else(String::new, |path| format!(" {}", path.display()));
    let edits = if n_made == 1 { "edit" } else { "edits" };
    format!("apply{name} ({n_made} {edits})")
}

/// All that failed, in a sentence, and what to send again.
fn failure(plan: &Plan, partial: bool) -> Failure {
    let (n_failed, n) = (plan.failed().count(), plan.outcomes.len());
    let written = match (partial, plan.files.is_empty()) {
        (true, false) => "the others can",
        _ => "nothing was written",
    };
    let message = match n {
        1 => format!("the edit cannot be made; {written}"),
        n => format!("{n_failed} of {n} edits cannot be made; {written}"),
    };
    let failure = Failure::new(ExitCode::NotMade, "not_applied", message);
    if n_failed == n || partial {
        return failure;
    }
    failure
        .hint("only what failed need be mended and sent again, with the others as they are")
        .hint("--partial writes the others and leaves these out")
}
