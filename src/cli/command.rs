//! A command from its first step to its exit code: interrupted or not, with its report on standard
//! output if `--json` asks for it.

use crate::app::report::{CommandReport, Output, Status};
use crate::console::{ended_early, output_failure, print_shown, say_error};
use crate::console::{print, say};
use crate::failure::ExitCode;
use crate::failure::{Failure, FailureKind};

/// Runs a command until Ctrl-C or SIGTERM. `what` names what it writes, in a word.
pub(crate) fn run<R: CommandReport>(
    output: Output,
    what: &str,
    work: impl AsyncFnOnce(&mut R) -> Result<ExitCode, Failure>,
) -> ExitCode {
    run_until(ended_early(), output, what, work)
}

/// The same, until `ended`.
pub(crate) fn run_until<R: CommandReport>(
    ended: impl Future<Output = ()>,
    output: Output,
    what: &str,
    work: impl AsyncFnOnce(&mut R) -> Result<ExitCode, Failure>,
) -> ExitCode {
    let mut runtime = tokio::runtime::Builder::new_current_thread();
    let runtime = match runtime.enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => {
            say(&format!("cannot start: {error}"));
            return ExitCode::Environment;
        }
    };
    let mut report = R::default();
    let result = runtime.block_on(async {
        // Dropping the work kills the model process. Only the commit is not awaited: once begun it
        // is finished.
        tokio::select! {
            result = work(&mut report) => result,
            () = ended => {
                Err(Failure::new(FailureKind::Interrupted, R::INTERRUPTED))
            }
        }
    });
    // A thread that still waits for an answer at the gate must not keep the program.
    runtime.shutdown_background();

    let mut code = match result {
        Ok(code) => code,
        Err(failure) => failed(failure, what, &mut report),
    };
    if output == Output::Json
        && let Err(failure) = print_report(&mut report, what)
    {
        code = failure.kind.exit_code();
        *report.end().1 = Some(failure.into());
    }
    if let Some(error) = report.end().1 {
        say_error(error);
    }
    code
}

/// Reports a failure. An interruption after the commit is none.
fn failed<R: CommandReport>(failure: Failure, what: &str, report: &mut R) -> ExitCode {
    let (status, error) = report.end();
    let is_written = matches!(status, Status::Done | Status::PartlyDone);
    if failure.kind == FailureKind::Interrupted && is_written {
        say(&format!("interrupted; the {what} was written"));
        return ExitCode::Done;
    }
    *status = if failure.kind == FailureKind::NotConfirmed {
        Status::NotConfirmed
    } else {
        Status::NotMade
    };
    let code = failure.kind.exit_code();
    *error = Some(failure.into());
    code
}

fn print_report<R: CommandReport>(report: &mut R, what: &str) -> Result<(), Failure> {
    let line = serde_json::to_string(report).expect("a report is plain data") + "\n";
    if R::ONLY_SHOWS {
        return print_shown(&line);
    }
    print(&line).map_err(|error| {
        let written = match report.end().0 {
            Status::Done | Status::PartlyDone => format!("the {what} was written"),
            _ => "nothing was written".to_owned(),
        };
        output_failure(&error, &written)
    })
}
