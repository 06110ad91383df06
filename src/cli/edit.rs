//! `slotwright edit`: the task to the flow, its patch to the gate.

use super::diff::{self, Colors};
use super::progress::ProgressLine;
use super::report::{ErrorReport, Report, Status, WarningReport};
use super::{EditArguments, ExitCode, model, say, wants_color};
use crate::constrain::Slot;
use crate::engine::process::ModelProcess;
use crate::engine::protocol::Load;
use crate::engine::{End, Engine, EngineError, Sampling};
use crate::flow::{self, Asking, FlowError, Outcome, Patched, Verdict};
use crate::prompt::Profile;
use crate::risk;
use crate::slots::{Operation, Reason};
use crate::task::Task;
use crate::workspace::{CommitError, Workspace, WorkspaceError};
use std::collections::BTreeMap;
use std::io::{BufRead, IsTerminal, Write};
use std::time::{Duration, Instant};

/// Anything that ends a run without an edit: its exit code, and what is said about it.
struct Failure {
    code: ExitCode,
    error: ErrorReport,
}

impl Failure {
    fn new(code: ExitCode, kind: &str, message: impl ToString) -> Failure {
        Failure { code, error: ErrorReport { kind: kind.to_owned(), message: message.to_string(), hints: Vec::new() } }
    }

    fn hint(mut self, hint: impl Into<String>) -> Failure {
        self.error.hints.push(hint.into());
        self
    }
}

pub(super) fn run(arguments: &EditArguments) -> ExitCode {
    let runtime = match tokio::runtime::Builder::new_current_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => {
            say(&format!("slotwright: cannot start: {error}"));
            return ExitCode::Environment;
        }
    };
    let mut report = Report::default();
    let result = runtime.block_on(async {
        // Dropping the edit kills the model process. Only the commit is not awaited: once begun it is finished.
        tokio::select! {
            result = edit(arguments, &mut report) => result,
            _ = tokio::signal::ctrl_c() => Err(Failure::new(ExitCode::Interrupted, "interrupted", "interrupted; nothing was written")),
        }
    });
    // A thread that still waits for an answer at the gate must not keep the program.
    runtime.shutdown_background();
    let mut code = match result {
        Ok(code) => code,
        Err(failure) => {
            report.status = if failure.code == ExitCode::NotConfirmed { Status::NotConfirmed } else { Status::NotMade };
            report.error = Some(failure.error);
            failure.code
        }
    };
    if arguments.json {
        let line = serde_json::to_string(&report).expect("a report is plain data") + "\n";
        let mut stdout = std::io::stdout();
        if let Err(error) = stdout.write_all(line.as_bytes()).and_then(|()| stdout.flush()) {
            let written = if report.status == Status::Done { "the edit was written" } else { "nothing was written" };
            let failure = output_failure(&error, written);
            (report.error, code) = (Some(failure.error), failure.code);
        }
    }
    if let Some(error) = &report.error {
        say(&format!("slotwright: {}", error.message));
        for hint in &error.hints {
            say(&format!("  hint: {hint}"));
        }
    }
    code
}

async fn edit(arguments: &EditArguments, report: &mut Report) -> Result<ExitCode, Failure> {
    let started = Instant::now();
    let usage = |kind: &str, error: &dyn std::fmt::Display| Failure::new(ExitCode::Usage, kind, error);
    let task = Task::new(&arguments.task, arguments.files.clone())
        .map_err(|error| usage("empty_task", &error).hint("say what is to be changed: slotwright edit \"Rename foo to bar\""))?;
    let workspace = Workspace::open(&arguments.root).map_err(workspace_failure)?;
    let model = model::resolve(&arguments.model)?;
    if model.is_bundled {
        say("slotwright: using the bundled model: it is small, and knows simple edits only (--model names another)");
    }

    let progress = ProgressLine::new();
    let program = std::env::current_exe().map_err(|error| Failure::new(ExitCode::Environment, "environment", error))?;
    let threads = arguments.threads.map_or_else(num_cpus::get_physical, usize::from);
    let load = Load { model: model.path, threads, verbose: arguments.verbose, check_memory: !arguments.skip_memory_check };
    let silence = Duration::from_secs(arguments.model_timeout.into());
    let mut engine =
        ModelProcess::start_within(&program, load, silence, &mut |p| progress.show(p)).await.map_err(engine_failure)?;
    let (profile, warning) = Profile::of(engine.model())
        .map_err(|error| Failure::new(ExitCode::Environment, "model", error).hint("a newer slotwright may know it"))?;
    if let Some(warning) = warning {
        say(&format!("slotwright: warning: {warning}"));
    }
    report.stats.model = engine.model().name.clone();
    report.stats.profile = profile.name().to_owned();
    report.stats.computed_on = engine.model().computes_on.clone();
    let asking = Asking { profile, sampling: Sampling::Greedy };
    report.stats.load_ms = started.elapsed().as_secs_f64() * 1e3;
    let outcome = flow::edit(&task, &workspace, &asking, &mut engine, &mut |p| progress.show(p)).await.map_err(flow_failure)?;
    drop(engine); // its memory is not needed at the gate
    progress.clear();
    report.stats.total_ms = started.elapsed().as_secs_f64() * 1e3;
    report.add_stages(&outcome);
    if arguments.stats {
        say(&report.stats.to_string());
    }
    conclude(arguments, &workspace, outcome, report).await
}

async fn conclude(
    arguments: &EditArguments,
    workspace: &Workspace,
    outcome: Outcome,
    report: &mut Report,
) -> Result<ExitCode, Failure> {
    let not_made = |kind: &str, message: &dyn std::fmt::Display| Failure::new(ExitCode::NotMade, kind, message);
    let masked_mass = outcome.masked_mass();
    let patched = match outcome.verdict {
        Verdict::Proposed(patched) => patched,
        Verdict::AlreadyDone => {
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
        show(&report.diff, &mut std::io::stdout()).map_err(|error| output_failure(&error, "nothing was written"))?;
    }
    if asks && (arguments.json || !std::io::stdout().is_terminal()) {
        let _ = show(&report.diff, &mut std::io::stderr()); // nobody says yes to what they cannot see
    }
    let refused = warn(arguments, &patched, &masked_mass, report);
    if arguments.dry_run {
        report.status = Status::WouldBeDone;
        return Ok(ExitCode::Done);
    }
    if arguments.yes {
        refused?;
    }
    if asks && !confirmed(&patched).await? {
        return Err(Failure::new(ExitCode::NotConfirmed, "not_confirmed", "not confirmed; nothing was written"));
    }
    let written = match patched.operation {
        Operation::Create => workspace.create(&patched.path, &patched.after),
        _ => workspace.commit(&patched.path, patched.before.bytes(), &patched.after),
    };
    written.map_err(commit_failure)?;
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
                Failure::new(ExitCode::NotMade, kind, message).hint("without --yes you see the diff on a terminal, and decide")
            });
            refused = Some(failure.hint(risk.way_around()));
        }
    }
    refused.map_or(Ok(()), Err)
}

fn output_failure(error: &std::io::Error, written: &str) -> Failure {
    Failure::new(ExitCode::Environment, "output", format!("cannot print the result: {error}; {written}"))
}

fn show(diff: &str, stream: &mut (impl Write + IsTerminal)) -> std::io::Result<()> {
    let colors = if wants_color(stream) { Colors::Ansi } else { Colors::None };
    let shown = diff::render(diff, colors, stream.is_terminal());
    stream.write_all(shown.as_bytes()).and_then(|()| stream.flush())
}

/// The gate: asks on a terminal; elsewhere there is nobody to ask.
async fn confirmed(patched: &Patched) -> Result<bool, Failure> {
    if !std::io::stdin().is_terminal() || !std::io::stderr().is_terminal() {
        return Err(Failure::new(ExitCode::NotConfirmed, "not_confirmed", "nobody to ask; nothing was written")
            .hint("pass --yes to write, or --dry-run to only look"));
    }
    let question = match patched.operation {
        Operation::Create => format!("Make the file {}? [y/N] ", diff::visible(&patched.path)),
        _ => format!("Change {}? [y/N] ", diff::visible(&patched.path)),
    };
    let _ = write!(std::io::stderr().lock(), "{question}");
    let answer = tokio::task::spawn_blocking(|| {
        let mut answer = String::new();
        std::io::stdin().lock().read_line(&mut answer).map(|_| answer)
    });
    let answer = answer.await.ok().and_then(Result::ok).unwrap_or_default();
    Ok(matches!(answer.trim().to_lowercase().as_str(), "y" | "yes"))
}

fn workspace_failure(error: WorkspaceError) -> Failure {
    let message = error.to_string();
    match error {
        WorkspaceError::Root { .. } => Failure::new(ExitCode::Usage, "root", message).hint("--root names the folder to edit"),
        WorkspaceError::Missing { .. } => {
            Failure::new(ExitCode::Usage, "not_found", message).hint("--file is relative to --root")
        }
        WorkspaceError::Outside { .. } => Failure::new(ExitCode::NotMade, "outside", message)
            .hint("nothing outside the folder is read or written; --root sets it"),
        WorkspaceError::NotAFile { .. } => Failure::new(ExitCode::Usage, "not_a_file", message),
        WorkspaceError::Read { .. } => Failure::new(ExitCode::Environment, "unreadable", message),
        WorkspaceError::NotText { .. } => Failure::new(ExitCode::NotMade, "not_text", message),
        WorkspaceError::TooLarge { .. } => Failure::new(ExitCode::NotMade, "too_large", message),
        WorkspaceError::Path(_) => Failure::new(ExitCode::NotMade, "path", message),
    }
}

fn engine_failure(error: EngineError) -> Failure {
    let message = error.to_string();
    match error {
        EngineError::Load { .. } => {
            Failure::new(ExitCode::Environment, "model", message).hint("--model names a GGUF file, or \"bundled\"")
        }
        EngineError::PromptTooLong { .. } => Failure::new(ExitCode::NotMade, "too_long", message),
        EngineError::Crashed { .. } => {
            Failure::new(ExitCode::Environment, "model_crashed", message).hint("-v shows llama.cpp's log")
        }
        EngineError::Memory { .. } => Failure::new(ExitCode::Environment, "memory", message)
            .hint("close other programs, or use a smaller model or one with fewer bits a weight")
            .hint("--skip-memory-check tries it all the same; it may become very slow or be killed"),
        EngineError::Hangs { .. } => Failure::new(ExitCode::Environment, "model_hangs", message)
            .hint("--model-timeout waits longer, -v shows llama.cpp's log"),
        EngineError::Compute { .. } => Failure::new(ExitCode::Environment, "model", message).hint("-v shows llama.cpp's log"),
        EngineError::Schema { .. } => Failure::new(ExitCode::Usage, "schema", message),
        EngineError::Process(_) => Failure::new(ExitCode::Environment, "environment", message),
    }
}

fn flow_failure(error: FlowError) -> Failure {
    let message = error.to_string();
    match error {
        FlowError::NoFiles { left_out, .. } => {
            let mut failure = Failure::new(ExitCode::NotMade, "no_files", message);
            const SHOWN: usize = 5;
            for (path, reason) in left_out.iter().take(SHOWN) {
                failure = failure.hint(format!("left out {path:?}: {reason}"));
            }
            if left_out.len() > SHOWN {
                failure = failure.hint(format!("and {} more", left_out.len() - SHOWN));
            }
            failure.hint("hidden and ignored files are edited only if --file names them")
        }
        FlowError::NotListed { .. } => Failure::new(ExitCode::Usage, "not_found", message)
            .hint("it may be misspelt, hidden or ignored; --file names any file"),
        FlowError::Emptied { .. } => Failure::new(ExitCode::NotMade, "stale", message).hint("run the same command again"),
        FlowError::ContextTooShort { .. } => {
            Failure::new(ExitCode::Environment, "model", message).hint("use a model with a longer context")
        }
        FlowError::TaskTooLong { .. } => Failure::new(ExitCode::Usage, "task_too_long", message)
            .hint("say it in fewer words, or use a model with a longer context"),
        FlowError::FileTooLong { .. } => {
            Failure::new(ExitCode::NotMade, "file_too_long", message).hint("use a model with a longer context")
        }
        FlowError::Workspace(error) => workspace_failure(error),
        FlowError::Engine(error) => engine_failure(error),
    }
}

fn commit_failure(error: CommitError) -> Failure {
    let message = error.to_string();
    match error {
        CommitError::Stale { .. } => Failure::new(ExitCode::NotMade, "stale", message).hint("run the same command again"),
        CommitError::Exists { .. } => Failure::new(ExitCode::NotMade, "exists", message).hint("name it with --file to edit it"),
        CommitError::ReadOnly { .. } => Failure::new(ExitCode::NotMade, "read_only", message).hint("chmod u+w makes it writable"),
        CommitError::Io { .. } => Failure::new(ExitCode::Environment, "write", message),
        CommitError::Path(_) => Failure::new(ExitCode::NotMade, "path", message),
    }
}

impl From<model::ModelError> for Failure {
    fn from(error: model::ModelError) -> Failure {
        match &error {
            model::ModelError::NotYet(_) => Failure::new(ExitCode::Usage, "model", error),
            model::ModelError::Unpack { .. } => Failure::new(ExitCode::Environment, "model", error)
                .hint("XDG_CACHE_HOME names another folder for it; --model names a model that need not be unpacked"),
        }
    }
}
