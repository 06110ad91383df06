//! A command from its first step to its exit code: interrupted or not, with its report on standard
//! output if `--json` asks for it.

use super::exit::ExitCode;
use super::failure::{Failure, output_failure, print_shown, say_error};
use super::report::{CommandReport, Output, Status};
use super::reviewer::editor;
use super::terminal::{print, say};

/// Runs a command. `what` names what it writes, in a word.
pub(super) fn run<R: CommandReport>(
    output: Output,
    what: &str,
    work: impl AsyncFnOnce(&mut R) -> Result<ExitCode, Failure>,
) -> ExitCode {
    let runtime = match tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
    {
        Ok(runtime) => runtime,
        Err(error) => {
            say(&format!("slotwright: cannot start: {error}"));
            return ExitCode::Environment;
        }
    };
    let mut report = R::default();
    let result = runtime.block_on(async {
        // Dropping the work kills the model process. Only the commit is not awaited: once begun it
        // is finished.
        tokio::select! {
            result = work(&mut report) => result,
            () = ended_early() => {
                Err(Failure::new(ExitCode::Interrupted, "interrupted", R::INTERRUPTED))
            }
        }
    });
    // A thread that still waits for an answer at the gate must not keep the program.
    runtime.shutdown_background();
    let was_interrupted = |failure: &Failure| failure.code == ExitCode::Interrupted;
    let mut code = match result {
        Ok(code) => code,
        Err(failure) if was_interrupted(&failure) && matches!(report.end().0, Status::Done) => {
            say(&format!("slotwright: interrupted; the {what} was written"));
            ExitCode::Done
        }
        Err(failure) => {
            let (status, error) = report.end();
            *status = if failure.code == ExitCode::NotConfirmed {
                Status::NotConfirmed
            } else {
                Status::NotMade
            };
            *error = Some(failure.error);
            failure.code
        }
    };
    if output == Output::Json {
        let line = serde_json::to_string(&report).expect("a report is plain data") + "\n";
        if R::ONLY_SHOWS {
            if let Err(failure) = print_shown(&line) {
                (*report.end().1, code) = (Some(failure.error), failure.code);
            }
        } else if let Err(error) = print(&line) {
            let (status, reported) = report.end();
            let is_written = matches!(status, Status::Done | Status::PartlyDone);
            let written = if is_written {
                format!("the {what} was written")
            } else {
                "nothing was written".to_owned()
            };
            let failure = output_failure(&error, &written);
            (*reported, code) = (Some(failure.error), failure.code);
        }
    }
    if let Some(error) = report.end().1 {
        say_error(error);
    }
    code
}

/// Waits for Ctrl-C, or for somebody who wants the program to end (SIGTERM): both leave nothing
/// behind.
pub(super) async fn ended_early() {
    #[cfg(unix)]
    if let Ok(mut terminated) =
        tokio::signal::unix::signal(tokio::signal::unix::SignalKind::terminate())
    {
        tokio::select! {
            () = interrupted() => {}
            _ = terminated.recv() => {}
        }
        return;
    }
    interrupted().await;
}

/// Waits for Ctrl-C. While an editor is open it is the editor's.
async fn interrupted() {
    while tokio::signal::ctrl_c().await.is_ok() && editor::is_open() {}
}
