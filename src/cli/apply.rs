//! `slotwright apply`: a patch that another model or tool wrote, to the gate.

use super::diff::{self, FileDiff};
use super::failure::{Failure, journaled_failure, workspace_failure};
use super::gate::{self, Answers, output_failure};
use super::report::{ApplyReport, Status};
use super::{ApplyArguments, ExitCode, command, say, undo};
use crate::apply::{self, Files, Outcome, Plan, PlannedFile, RequestResult};
use crate::format::{Action, Format, FormatError, Patch};
use crate::text::Text;
use crate::workspace::{Change, Listing, Workspace, WorkspaceError};
use std::io::{IsTerminal, Read};
use std::path::Path;

/// A patch longer than this is nobody's.
const MAX_PATCH_BYTES: u64 = 64 << 20;
/// Edits that fail are explained at length up to this many.
const MAX_EXPLAINED: usize = 10;

pub(super) fn run(arguments: &ApplyArguments) -> ExitCode {
    command::run(arguments.json, "patch", async |report| apply(arguments, report).await)
}

async fn apply(arguments: &ApplyArguments, report: &mut ApplyReport) -> Result<ExitCode, Failure> {
    let workspace = Workspace::open(&arguments.root).map_err(workspace_failure)?;
    let (text, answers) = read_patch(arguments.patch.as_deref())?;
    let mut patch = parse(&text, arguments.format.as_deref())?;
    if arguments.reverse {
        patch = patch.reversed().ok_or_else(|| {
            Failure::new(ExitCode::NotMade, "not_reversible", "the patch does not say all that was there before it")
                .hint("only diffs and search/replace blocks can be reversed; slotwright undo takes back what slotwright wrote")
        })?;
    }
    report.format = Some(patch.format.name().to_owned());
    if !arguments.dry_run {
        // What an interrupted program left half done is finished first. A journal that cannot be used is said below.
        let _ = undo::open(&workspace);
    }
    let file = match &arguments.file {
        Some(named) => Some(workspace.resolve_named(named).map_err(workspace_failure)?),
        None => None,
    };
    for request in &mut patch.requests {
        // Absolute paths and links, as they are under the root.
        if let Some(real) = request.path.as_ref().and_then(|path| workspace.resolve_named(path).ok()) {
            request.path = Some(real);
        }
    }
    let files = OnDisk { workspace: &workspace, listing: Listing::of(workspace.root()).paths };
    let plan = apply::apply(&patch, file.as_deref(), &files);
    conclude(arguments, &workspace, &patch, plan, answers, report).await
}

async fn conclude(
    arguments: &ApplyArguments,
    workspace: &Workspace,
    patch: &Patch,
    plan: Plan,
    answers: Answers,
    report: &mut ApplyReport,
) -> Result<ExitCode, Failure> {
    report.rungs = apply::rungs(&plan.outcomes).into_iter().collect();
    report.edits.clone_from(&plan.outcomes);
    let failed = plan.failed().next().is_some().then(|| failure(&plan, arguments.partial));
    if let Some(failure) = failed.filter(|_| !arguments.partial || plan.files.is_empty()) {
        explain(&plan);
        return Err(failure);
    }
    let n_failed = plan.failed().count();
    if plan.files.is_empty() {
        report.status = Status::AlreadyDone;
        say("slotwright: nothing to do: the files have all of this already");
        return Ok(ExitCode::Done);
    }
    report.files = plan.files.iter().map(|file| file.moved_to.clone().unwrap_or_else(|| file.path.clone())).collect();
    report.diff = plan.files.iter().map(|file| diff::unified(&FileDiff::from(file))).collect();
    if !arguments.json {
        gate::show(&report.diff, &mut std::io::stdout()).map_err(|error| output_failure(&error, "nothing was written"))?;
    }
    let asks = !arguments.yes && !arguments.dry_run;
    if asks && answers.can_ask() {
        gate::show_for_question(&report.diff, arguments.json);
    }
    tell(patch, &plan);
    explain(&plan);
    let code = if n_failed == 0 { ExitCode::Done } else { ExitCode::PartlyDone };
    if n_failed > 0 {
        report.error = Some(failure(&plan, true).error);
    }
    if arguments.dry_run {
        report.status = Status::WouldBeDone;
        return Ok(code);
    }
    if asks {
        if !answers.can_ask() {
            return Err(gate::nobody_to_ask().hint("pass --yes to write, or --dry-run to only look"));
        }
        let question = match report.files.as_slice() {
            [only] => format!("Change {only}?"),
            several => format!("Change {} files?", several.len()),
        };
        if !gate::confirmed(&question, answers).await {
            return Err(gate::not_confirmed());
        }
    }
    let name = arguments.patch.as_ref().filter(|path| path.as_os_str() != "-").map(|path| format!(" {}", path.display()));
    let n_made = plan.outcomes.len() - n_failed;
    let what = format!("apply{} ({n_made} {})", name.unwrap_or_default(), if n_made == 1 { "edit" } else { "edits" });
    undo::open(workspace)?.commit(workspace, &changes(workspace, &plan.files), &what).map_err(journaled_failure)?;
    report.status = if n_failed == 0 { Status::Done } else { Status::PartlyDone };
    if !arguments.json {
        say(&format!("slotwright: wrote {}", report.files.join(", ")));
    }
    Ok(code)
}

/// The text of the patch, and where the answer to a question is read then.
fn read_patch(path: Option<&Path>) -> Result<(String, Answers), Failure> {
    let cannot =
        |error: &dyn std::fmt::Display| Failure::new(ExitCode::Usage, "unreadable", format!("cannot read the patch: {error}"));
    let mut bytes = Vec::new();
    let answers = match path.filter(|path| path.as_os_str() != "-") {
        Some(path) => {
            let file = std::fs::File::open(path).map_err(|error| cannot(&format!("{}: {error}", path.display())))?;
            file.take(MAX_PATCH_BYTES + 1).read_to_end(&mut bytes).map_err(|error| cannot(&error))?;
            Answers::FromInput
        }
        None => {
            if std::io::stdin().is_terminal() && path.is_none() {
                let failure = Failure::new(ExitCode::Usage, "no_patch", "there is no patch: standard input is a terminal");
                return Err(failure
                    .hint("name a file: slotwright apply change.diff")
                    .hint("or pipe it in: pbpaste | slotwright apply"));
            }
            std::io::stdin().lock().take(MAX_PATCH_BYTES + 1).read_to_end(&mut bytes).map_err(|error| cannot(&error))?;
            Answers::FromTerminal
        }
    };
    if bytes.len() as u64 > MAX_PATCH_BYTES {
        return Err(cannot(&format!("it has more than {MAX_PATCH_BYTES} bytes")));
    }
    // Whatever the shell or an editor made of it.
    let text = Text::decode(bytes).map_err(|error| cannot(&error))?;
    Ok((text.shown().to_owned(), answers))
}

fn parse(text: &str, format: Option<&str>) -> Result<Patch, Failure> {
    let known = format.and_then(|name| Format::ALL.into_iter().find(|format| format.name() == name));
    let parsed = known.map_or_else(|| Patch::parse(text), |format| format.parse(text));
    parsed.map_err(|error| match error {
        FormatError::NoEdit => {
            let failure = Failure::new(ExitCode::NotMade, "no_edit", "there is no edit in the patch");
            match known {
                Some(format) => failure.hint(format!("it was read as {}; --format auto recognises the others", format.name())),
                None => failure.hint("slotwright apply --help lists the formats; --format names one that was not recognised"),
            }
        }
        FormatError::Malformed { line, message } => {
            Failure::new(ExitCode::NotMade, "malformed", format!("line {line} of the patch: {message}"))
        }
    })
}

/// What is to be known before saying yes, apart from the diff.
fn tell(patch: &Patch, plan: &Plan) {
    if patch.requests.iter().any(|request| matches!(request.action, Action::Lines(_))) {
        say(&format!(
            "slotwright: warning: {} names lines by number only: whether the file is the one it was made for cannot be told",
            patch.format.name()
        ));
    }
    let n_already = plan.outcomes.iter().filter(|o| matches!(o.result, RequestResult::AlreadyApplied { .. })).count();
    if n_already > 0 {
        say(&format!("slotwright: {n_already} of {} edits were made already", plan.outcomes.len()));
    }
    for (request, outcome) in patch.requests.iter().zip(&plan.outcomes) {
        if let (Some(named), Some(path)) = (&request.path, &outcome.path)
            && crate::workspace::resolve::plain_path(named) != *path
        {
            say(&format!("slotwright: line {}: {named:?} is taken for {path}", outcome.patch_line));
        }
    }
}

/// Each edit that failed, with what is there instead.
fn explain(plan: &Plan) {
    for (n, (outcome, failed)) in plan.failed().enumerate() {
        if n == MAX_EXPLAINED {
            say(&format!("and {} more", plan.failed().count() - n));
            return;
        }
        let Outcome { patch_line, path, .. } = outcome;
        let number = plan.outcomes.iter().position(|other| std::ptr::eq(other, outcome)).map_or(0, |i| i + 1);
        let of = path.as_ref().map(|path| format!(", {path}")).unwrap_or_default();
        let lines = match &failed.miss {
            Some(miss) => miss.explained(),
            None => vec![failed.message.clone(), format!("next: {}", failed.next)],
        };
        let mut lines = lines.into_iter();
        say(&format!("edit {number} (line {patch_line} of the patch{of}): {}", lines.next().unwrap_or_default()));
        lines.for_each(|line| say(&format!("  {line}")));
    }
}

/// All that failed, in a sentence, and what to send again.
fn failure(plan: &Plan, partial: bool) -> Failure {
    let (n_failed, n) = (plan.failed().count(), plan.outcomes.len());
    let written = match (partial, plan.files.is_empty()) {
        (true, false) => "only the others are",
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

fn changes(workspace: &Workspace, files: &[PlannedFile]) -> Vec<Change> {
    let mut changes = Vec::new();
    for PlannedFile { path, moved_to, before, after } in files {
        let before = before.as_ref().map(Text::bytes);
        match (moved_to, before, after) {
            (Some(to), Some(before), Some(after)) => {
                let mode = workspace.mode(path);
                changes.push(Change { mode, ..Change::create(to, after) });
                changes.push(Change::remove(path, before));
            }
            (_, Some(before), Some(after)) => changes.push(Change::replace(path, before, after)),
            (_, None, Some(after)) => changes.push(Change::create(path, after)),
            (_, Some(before), None) => changes.push(Change::remove(path, before)),
            (_, None, None) => {}
        }
    }
    changes
}

impl<'a> From<&'a PlannedFile> for FileDiff<'a> {
    fn from(file: &'a PlannedFile) -> FileDiff<'a> {
        FileDiff {
            path: &file.path,
            moved_to: file.moved_to.as_deref(),
            before: file.before.as_ref(),
            after: file.after.as_deref(),
        }
    }
}

/// The files under the root.
struct OnDisk<'a> {
    workspace: &'a Workspace,
    listing: Vec<String>,
}

impl Files for OnDisk<'_> {
    fn listing(&self) -> &[String] {
        &self.listing
    }

    fn read(&self, path: &str) -> Result<Option<Text>, String> {
        crate::workspace::check_path(path).map_err(|error| error.to_string())?;
        match self.workspace.read(path) {
            Ok(text) => Ok(Some(text)),
            Err(WorkspaceError::Read { source, .. })
                if matches!(source.kind(), std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory) =>
            {
                Ok(None)
            }
            Err(error) => Err(error.to_string()),
        }
    }
}
