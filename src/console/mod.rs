//! The process's own streams: what is said on standard error, and results on standard output.

pub(crate) mod json_lines;
pub(crate) mod log;
mod look;

pub(crate) use look::{is_dumb, set_color, wants_color, width};

use crate::app::report::ErrorReport;
use crate::failure::{ExitCode, Failure, FailureKind};
use crate::serve::{Desk, Handle, Worker};
use crate::text::visible;
use look::{Screen, Tone};
use std::io::{self, IsTerminal, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio::sync::Notify;

/// The exit codes for `--help`.
pub(crate) const EXIT_CODES: &str = "Exit codes:
  0    done, already done, or a dry run that would be done
  1    no edit was made, or --yes refused it
  2    wrong usage or configuration
  3    not confirmed, nothing written
  4    the environment: the model, the disk
  5    some edits were written, others could not be made (apply --partial, edit --each)
  130  interrupted";

/// Whether another program, such as the person's editor, has the terminal. Ctrl-C is for that one
/// then.
pub(crate) static TERMINAL_IS_LENT: AtomicBool = AtomicBool::new(false);

/// Whether a Ctrl-C is for the work in [`unless_stopped`].
static CAN_BE_STOPPED: AtomicBool = AtomicBool::new(false);

/// That Ctrl-C.
static STOP: Notify = Notify::const_new();

/// Says something to the person, on standard error, after the program's name.
pub(crate) fn say(text: &str) {
    say_lines(&format!("{NAME}{text}"), Tone::of(text));
}

/// Says what belongs to the line before.
pub(crate) fn say_more(text: &str) {
    say_lines(text, Tone::Plain);
}

const NAME: &str = "slotwright: ";

/// Says lines, the first one in this tone. Names of files and models come from strangers, so the text
/// is made safe for a terminal.
fn say_lines(text: &str, tone: Tone) {
    let screen = Screen::of_standard_error();
    let mut tone = tone;
    for line in text.lines() {
        let line = visible(line);
        let _ = writeln!(io::stderr().lock(), "{}", screen.shown(&line, tone));
        tone = Tone::Plain;
    }
}

/// Writes a question on standard error. The answer is typed in the same line.
pub(crate) fn say_question(question: &str) {
    let question = visible(question);
    let question = Screen::of_standard_error().shown(&question, Tone::Question);
    let _ = write!(io::stderr().lock(), "{question}");
}

/// Prints a result on standard output, as it is.
pub(crate) fn print(text: &str) -> io::Result<()> {
    let mut stdout = io::stdout().lock();
    stdout
        .write_all(text.as_bytes())
        .and_then(|()| stdout.flush())
}

/// Standard output is closed or full. `written`: what became of the edit.
pub(crate) fn output_failure(error: &io::Error, written: &str) -> Failure {
    let message = format!("cannot print the result: {error}; {written}");
    Failure::new(FailureKind::Output, message)
}

/// Prints what a command only shows. A reader that has gone, such as `head`, wanted no more of it.
pub(crate) fn print_shown(text: &str) -> Result<(), Failure> {
    match print(text) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            let message = format!("cannot print the result: {error}");
            Err(Failure::new(FailureKind::Output, message))
        }
        _ => Ok(()),
    }
}

/// Says a failure and its hints to the person.
pub(crate) fn say_failure(failure: &Failure) {
    say_with_hints(&failure.message, &failure.hints);
}

/// Says an error of a report and its hints to the person.
pub(crate) fn say_error(error: &ErrorReport) {
    say_with_hints(&error.message, &error.hints);
}

fn say_with_hints(message: &str, hints: &[String]) {
    say_lines(&format!("{NAME}{message}"), Tone::Failure);
    for hint in hints {
        say_lines(&format!("  hint: {hint}"), Tone::Hint);
    }
}

/// Ends a command that has no report. Says its failure, if it has one.
pub(crate) fn exit_code(result: Result<(), Failure>) -> ExitCode {
    match result {
        Ok(()) => ExitCode::Done,
        Err(failure) => {
            say_failure(&failure);
            failure.kind.exit_code()
        }
    }
}

/// Tells a person at a terminal that standard input is for a program. `who`: which program.
pub(crate) fn warn_at_a_terminal(who: &str) {
    if io::stdin().is_terminal() {
        say(&format!(
            "this speaks to {who}, which has to start it: see docs/editors.md. Ctrl-C ends it"
        ));
    }
}

/// Serves a client until it goes away or this process is to end. Tasks take turns at the desk.
pub(crate) fn serve_until_ended<D: Desk + Send + 'static>(
    idle: Duration,
    desk: D,
    serve: impl AsyncFnOnce(Handle<D>) -> Result<(), Failure>,
) -> Result<(), Failure> {
    serve_until(ended_early(), idle, desk, serve)
}

/// The same, until `ended`.
pub(crate) fn serve_until<D: Desk + Send + 'static>(
    ended: impl Future<Output = ()>,
    idle: Duration,
    desk: D,
    serve: impl AsyncFnOnce(Handle<D>) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let worker = Worker::start(idle, move || desk).map_err(environment)?;
    let mut runtime = tokio::runtime::Builder::new_current_thread();
    let runtime = runtime.enable_all().build().map_err(environment)?;
    let served = runtime.block_on(async {
        tokio::select! {
            () = ended => {
                Err(Failure::new(FailureKind::Interrupted, "interrupted"))
            }
            served = serve(worker.handle()) => served,
        }
    });

    // A thread that still waits for standard input must not keep the program.
    runtime.shutdown_background();
    // A commit that has begun is finished.
    drop(worker);
    served
}

/// Waits for Ctrl-C or SIGTERM.
pub(crate) async fn ended_early() {
    ended_unless(|| false).await;
}

/// The same, but without a Ctrl-C that `takes` takes for itself.
pub(crate) async fn ended_unless(takes: impl Fn() -> bool) {
    #[cfg(unix)]
    if let Ok(mut terminated) =
        tokio::signal::unix::signal(tokio::signal::unix::SignalKind::terminate())
    {
        tokio::select! {
            () = interrupted(takes) => {}
            _ = terminated.recv() => {}
        }
        return;
    }
    interrupted(takes).await;
}

/// Does some work until a Ctrl-C. That ends neither the command nor what listens for it elsewhere; the
/// next one does. `None` if the work was stopped.
pub(crate) async fn unless_stopped<T>(work: impl Future<Output = T>) -> Option<T> {
    CAN_BE_STOPPED.store(true, Ordering::Relaxed);
    let done = tokio::select! {
        biased;
        done = work => Some(done),
        () = STOP.notified() => None,
    };
    CAN_BE_STOPPED.store(false, Ordering::Relaxed);
    done
}

/// Whether a Ctrl-C stops some work only. Then the next one does not.
fn stops_work() -> bool {
    let stops = CAN_BE_STOPPED.swap(false, Ordering::Relaxed);
    if stops {
        STOP.notify_waiters();
    }
    stops
}

fn environment(error: io::Error) -> Failure {
    Failure::new(FailureKind::Environment, error)
}

/// Waits for Ctrl-C, except while another program has the terminal, and those that are taken.
async fn interrupted(takes: impl Fn() -> bool) {
    while tokio::signal::ctrl_c().await.is_ok()
        && (TERMINAL_IS_LENT.load(Ordering::Relaxed) || stops_work() || takes())
    {}
}
