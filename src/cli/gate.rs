//! The gate: the diff is shown, and yes or no asked.

use super::diff::{self, Colors};
use super::failure::Failure;
use super::{ExitCode, wants_color};
use std::io::{BufRead, IsTerminal, Write};

/// Where the answer comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Answers {
    /// Standard input.
    FromInput,
    /// The terminal itself: standard input is something else's.
    FromTerminal,
}

impl Answers {
    /// Whether there is somebody to ask.
    pub fn can_ask(self) -> bool {
        std::io::stderr().is_terminal()
            && match self {
                Answers::FromInput => std::io::stdin().is_terminal(),
                Answers::FromTerminal => terminal().is_ok(),
            }
    }

    fn read(self) -> std::io::Result<String> {
        let mut answer = String::new();
        match self {
            Answers::FromInput => std::io::stdin().lock().read_line(&mut answer)?,
            Answers::FromTerminal => std::io::BufReader::new(terminal()?).read_line(&mut answer)?,
        };
        Ok(answer)
    }
}

fn terminal() -> std::io::Result<std::fs::File> {
    std::fs::File::open("/dev/tty")
}

/// Prints a diff, coloured and made safe where it goes to a terminal.
pub(super) fn show(diff: &str, stream: &mut (impl Write + IsTerminal)) -> std::io::Result<()> {
    let colors = if wants_color(stream) { Colors::Ansi } else { Colors::None };
    let shown = diff::render(diff, colors, stream.is_terminal());
    stream.write_all(shown.as_bytes()).and_then(|()| stream.flush())
}

/// Shows a diff to whoever is asked, if the one on standard output does not reach them.
pub(super) fn show_for_question(diff: &str, json: bool) {
    if json || !std::io::stdout().is_terminal() {
        let _ = show(diff, &mut std::io::stderr()); // nobody says yes to what they cannot see
    }
}

/// Asks, and waits for the answer. It is a yes if it says so, and nothing else is.
pub(super) async fn confirmed(question: &str, answers: Answers) -> bool {
    let _ = write!(std::io::stderr().lock(), "{} [y/N] ", diff::visible(question));
    let answer = tokio::task::spawn_blocking(move || answers.read()).await;
    let answer = answer.ok().and_then(Result::ok).unwrap_or_default();
    matches!(answer.trim().to_lowercase().as_str(), "y" | "yes")
}

/// Nobody said yes.
pub(super) fn not_confirmed() -> Failure {
    Failure::new(ExitCode::NotConfirmed, "not_confirmed", "not confirmed; nothing was written")
}

/// Nobody can be asked.
pub(super) fn nobody_to_ask() -> Failure {
    Failure::new(ExitCode::NotConfirmed, "not_confirmed", "nobody to ask; nothing was written")
}

/// Standard output is closed or full. `written`: what became of the edit.
pub(super) fn output_failure(error: &std::io::Error, written: &str) -> Failure {
    Failure::new(
        ExitCode::Environment,
        "output",
        format!("cannot print the result: {error}; {written}"),
    )
}
