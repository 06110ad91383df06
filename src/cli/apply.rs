//! `slotwright apply`: a patch that another model or tool wrote, to the gate.

use super::diff::{self, FileDiff};
use super::failure::{Failure, commit_failure, journaled_failure, workspace_failure};
use super::gate::{self, Answers, output_failure};
use super::report::{ApplyReport, Status, WarningReport};
use super::{ApplyArguments, ExitCode, command, say, undo};
use crate::apply::{self, EditOutcome, EditResult, Files, Plan, PlannedFile};
use crate::format::{Action, FileEdit, Format, FormatError, Patch};
use crate::text::Text;
use crate::workspace::{Change, Listing, Workspace, WorkspaceError};
use std::io::{IsTerminal, Read};
use std::path::Path;

/// A patch longer than this is nobody's.
const MAX_PATCH_BYTES: u64 = 64 << 20;
/// A file of fewer lines is looked through at a glance.
const MIN_LINES_THAT_SHRINK: usize = 8;
/// Edits that fail are explained at length up to this many.
const MAX_EXPLAINED: usize = 10;

pub(super) fn run(arguments: &ApplyArguments) -> ExitCode {
    command::run(arguments.json, "patch", async |report| apply(arguments, report).await)
}

async fn apply(arguments: &ApplyArguments, report: &mut ApplyReport) -> Result<ExitCode, Failure> {
    let workspace = Workspace::open(&arguments.root).map_err(workspace_failure)?;
    let (text, answers) = read_patch(arguments.patch.as_deref())?;
    let mut patch = parse(&text, arguments.format.as_deref())?;
    let not_read = if arguments.format.as_deref().is_none_or(|name| name == "auto") {
        patch.others_in(&text)
    } else {
        Vec::new()
    };
    if arguments.reverse {
        patch = patch.reversed().ok_or_else(|| {
            let message =
                "the patch cannot be reversed: of some file it does not say what was there before";
            Failure::new(ExitCode::NotMade, "not_reversible", message)
                .hint("slotwright undo takes back what slotwright wrote")
        })?;
    }
    report.format = Some(patch.format.name().to_owned());
    if !arguments.dry_run {
        // What an interrupted program left half done is finished first. A journal that cannot be
        // used is said below.
        let _ = undo::open(&workspace);
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
    let files = OnDisk { workspace: &workspace, listing: Listing::of(workspace.root()).paths };
    let plan = apply::apply(&patch, file.as_deref(), &files);
    report.warnings = warnings(arguments, &patch, &plan, &not_read);
    conclude(arguments, &workspace, &patch, plan, answers, report).await
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
            match workspace.resolve_named(name).is_ok()
                || patch.file_edits.iter().any(|file_edit| goes(&file_edit.action))
            {
                true => refuse(format!("the patch is about {name}, not about {file}")),
                false => Ok(()),
            }
        }
        several => refuse(format!(
            "the patch is about {} files ({}), not about one",
            several.len(),
            several.join(", ")
        )),
    }
}

/// What of a patch asks for a second look.
fn warnings(
    arguments: &ApplyArguments,
    patch: &Patch,
    plan: &Plan,
    not_read: &[Format],
) -> Vec<WarningReport> {
    let mut found: Vec<(&str, String)> = Vec::new();
    for format in not_read {
        let (read, other) = (patch.format.name(), format.name());
        found.push(("mixed", format!("the patch was read as {read}; it has what looks like {other}, too, which was not read")));
    }
    if patch.file_edits.iter().any(|file_edit| matches!(file_edit.action, Action::Lines(_))) {
        let message = "the patch names lines by number only: whether they are the ones of this file cannot be told";
        found.push(("numbers", message.to_owned()));
    }
    for file in &plan.files {
        let is_written = |(file_edit, outcome): (&FileEdit, &EditOutcome)| {
            matches!(file_edit.action, Action::Write { .. })
                && outcome.path.as_ref() == Some(&file.path)
        };
        let n_lines = |bytes: &[u8]| bytes.split(|&b| b == b'\n').count();
        if let (Some(before), Some(after)) = (&file.before, &file.after)
            && patch.file_edits.iter().zip(&plan.outcomes).any(is_written)
        {
            let (n_before, n_after) = (n_lines(before.bytes()), n_lines(after));
            if n_before >= MIN_LINES_THAT_SHRINK && n_after * 2 <= n_before {
                found.push((
                    "shrinks",
                    format!("all of {} is replaced: its {n_before} lines by {n_after}", file.path),
                ));
            }
        }
    }
    let warning = |(kind, message): (&str, String)| WarningReport {
        kind: kind.to_owned(),
        message,
        accepted: arguments.accept.iter().any(|accepted| accepted == kind),
    };
    found.into_iter().map(warning).collect()
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
        say_warnings(&report.warnings);
        explain(&plan);
        return Err(failure);
    }
    let n_failed = plan.failed().count();
    if plan.files.is_empty() {
        say_warnings(&report.warnings); // parts that were not read are not done
        report.status = Status::AlreadyDone;
        say("slotwright: nothing to do: the files have all of this already");
        return Ok(ExitCode::Done);
    }
    report.files = plan
        .files
        .iter()
        .map(|file| file.moved_to.clone().unwrap_or_else(|| file.path.clone()))
        .collect();
    report.diff = plan.files.iter().map(|file| diff::unified(&FileDiff::from(file))).collect();
    if !arguments.json {
        gate::show(&report.diff, &mut std::io::stdout())
            .map_err(|error| output_failure(&error, "nothing was written"))?;
    }
    let asks = !arguments.yes && !arguments.dry_run;
    if asks && answers.can_ask() {
        gate::show_for_question(&report.diff, arguments.json);
    }
    tell(patch, &plan, &report.warnings);
    explain(&plan);
    let changes = changes(workspace, &plan.files);
    for change in &changes {
        // Before anybody is asked.
        workspace.check(change).map_err(commit_failure)?;
    }
    let code = if n_failed == 0 { ExitCode::Done } else { ExitCode::PartlyDone };
    if n_failed > 0 {
        report.error = Some(failure(&plan, true).error);
    }
    if arguments.dry_run {
        report.status = Status::WouldBeDone;
        return Ok(code);
    }
    if arguments.yes {
        refuse_warned(&report.warnings)?;
    }
    if asks {
        if !answers.can_ask() {
            return Err(
                gate::nobody_to_ask().hint("pass --yes to write, or --dry-run to only look")
            );
        }
        let question = match report.files.as_slice() {
            [only] => format!("Change {only}?"),
            several => format!("Change {} files?", several.len()),
        };
        if !gate::confirmed(&question, answers).await {
            return Err(gate::not_confirmed());
        }
    }
    let name = arguments
        .patch
        .as_ref()
        .filter(|path| path.as_os_str() != "-")
        .map(|path| format!(" {}", path.display()));
    let n_made = plan.outcomes.len() - n_failed;
    let what = format!(
        "apply{} ({n_made} {})",
        name.unwrap_or_default(),
        if n_made == 1 { "edit" } else { "edits" }
    );
    undo::open(workspace)?.commit(workspace, &changes, &what).map_err(journaled_failure)?;
    report.status = if n_failed == 0 { Status::Done } else { Status::PartlyDone };
    if !arguments.json {
        say(&format!("slotwright: {}", plan.files.iter().map(done).collect::<Vec<_>>().join(", ")));
    }
    Ok(code)
}

/// What `--yes`, which looks at nothing, makes of warnings.
fn refuse_warned(warnings: &[WarningReport]) -> Result<(), Failure> {
    let mut not_accepted = warnings.iter().filter(|warning| !warning.accepted);
    let Some(first) = not_accepted.next() else { return Ok(()) };
    let failure = Failure::new(
        ExitCode::NotMade,
        &first.kind,
        "--yes does not write a patch with a warning; nothing was written",
    );
    let hint = |failure: Failure, warning: &WarningReport| {
        failure.hint(format!("--accept {} writes it", warning.kind))
    };
    Err(not_accepted
        .fold(hint(failure, first), hint)
        .hint("without --yes you see the diff on a terminal, and decide"))
}

/// What became of a file, in words.
fn done(file: &PlannedFile) -> String {
    let PlannedFile { path, moved_to, before, after } = file;
    match (moved_to, before, after) {
        (Some(to), ..) => format!("moved {path} to {to}"),
        (_, _, None) => format!("removed {path}"),
        (_, None, _) => format!("made {path}"),
        _ => format!("wrote {path}"),
    }
}

/// The text of the patch, and where the answer to a question is read then.
fn read_patch(path: Option<&Path>) -> Result<(String, Answers), Failure> {
    let cannot = |error: &dyn std::fmt::Display| {
        Failure::new(ExitCode::Usage, "unreadable", format!("cannot read the patch: {error}"))
    };
    let mut bytes = Vec::new();
    let answers = match path.filter(|path| path.as_os_str() != "-") {
        Some(path) => {
            let file = std::fs::File::open(path)
                .map_err(|error| cannot(&format!("{}: {error}", path.display())))?;
            file.take(MAX_PATCH_BYTES + 1)
                .read_to_end(&mut bytes)
                .map_err(|error| cannot(&error))?;
            Answers::FromInput
        }
        None => {
            if std::io::stdin().is_terminal() && path.is_none() {
                let failure = Failure::new(
                    ExitCode::Usage,
                    "no_patch",
                    "there is no patch: standard input is a terminal",
                );
                return Err(failure
                    .hint("name a file: slotwright apply change.diff")
                    .hint("or pipe it in: pbpaste | slotwright apply"));
            }
            std::io::stdin()
                .lock()
                .take(MAX_PATCH_BYTES + 1)
                .read_to_end(&mut bytes)
                .map_err(|error| cannot(&error))?;
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
    let known =
        format.and_then(|name| Format::ALL.into_iter().find(|format| format.name() == name));
    let read = |text: &str| known.map_or_else(|| Patch::parse(text), |format| format.parse(text));
    let parsed = match read(text) {
        // A diff that was printed for a terminal.
        Err(FormatError::NoEdit) if text.contains("\x1b[") => read(&without_colours(text)),
        parsed => parsed,
    };
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

fn without_colours(text: &str) -> String {
    let mut pieces = text.split("\x1b[");
    let mut plain = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        let end = piece.find(|c: char| !c.is_ascii_digit() && c != ';').unwrap_or(piece.len());
        plain.push_str(piece[end..].strip_prefix(['m', 'K']).unwrap_or(&piece[end..]));
    }
    plain
}

/// What is to be known before saying yes, apart from the diff.
fn tell(patch: &Patch, plan: &Plan, warnings: &[WarningReport]) {
    say_warnings(warnings);
    let n_already = plan
        .outcomes
        .iter()
        .filter(|o| matches!(o.result, EditResult::AlreadyApplied { .. }))
        .count();
    if n_already > 0 {
        say(&format!("slotwright: {n_already} of {} edits were made already", plan.outcomes.len()));
    }
    for (file_edit, outcome) in patch.file_edits.iter().zip(&plan.outcomes) {
        if let (Some(named), Some(path)) = (&file_edit.path, &outcome.path)
            && crate::workspace::resolve::plain_path(named) != *path
        {
            say(&format!("slotwright: line {}: {named:?} is taken for {path}", outcome.patch_line));
        }
    }
}

fn say_warnings(warnings: &[WarningReport]) {
    for warning in warnings {
        say(&format!("slotwright: warning: {}", warning.message));
    }
}

/// Each edit that failed, with what is there instead.
fn explain(plan: &Plan) {
    for (n, (outcome, failed)) in plan.failed().enumerate() {
        if n == MAX_EXPLAINED {
            say(&format!("and {} more", plan.failed().count() - n));
            return;
        }
        let EditOutcome { patch_line, path, .. } = outcome;
        let number = plan
            .outcomes
            .iter()
            .position(|other| std::ptr::eq(other, outcome))
            .map_or(0, |i| i + 1);
        let of = path.as_ref().map(|path| format!(", {path}")).unwrap_or_default();
        let lines = match &failed.miss {
            Some(miss) => miss.explained(),
            None => vec![failed.message.clone(), format!("next: {}", failed.next)],
        };
        let mut lines = lines.into_iter();
        say(&format!(
            "edit {number} (line {patch_line} of the patch{of}): {}",
            lines.next().unwrap_or_default()
        ));
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
                if matches!(
                    source.kind(),
                    std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory
                ) =>
            {
                Ok(None)
            }
            Err(error) => Err(error.to_string()),
        }
    }
}
