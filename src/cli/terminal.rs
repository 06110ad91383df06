//! The terminal: what is said there, and where answers come from.

use crate::console::say_question;
use regex::Regex;
use std::io::{self, BufRead, IsTerminal};
use std::sync::LazyLock;

/// Where the answer to a question comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AnswersFrom {
    /// Standard input.
    Input,
    /// The terminal itself, because standard input holds something else.
    Terminal,
}

impl AnswersFrom {
    /// Whether a person can be asked.
    pub fn can_ask(self) -> bool {
        io::stderr().is_terminal()
            && match self {
                AnswersFrom::Input => io::stdin().is_terminal(),
                AnswersFrom::Terminal => terminal().is_ok(),
            }
    }

    /// Drops what was typed before the question was asked. A line typed during the wait for the
    /// model answers no question, and must not be taken as "yes" to a diff that was not shown yet.
    fn forget_typed(self) {
        #[cfg(unix)]
        {
            use rustix::termios::{QueueSelector, tcflush};
            // An error means that there is no terminal, so that nothing was typed.
            let _ = match self {
                AnswersFrom::Input => tcflush(io::stdin(), QueueSelector::IFlush).is_ok(),
                AnswersFrom::Terminal => terminal()
                    .is_ok_and(|terminal| tcflush(terminal, QueueSelector::IFlush).is_ok()),
            };
        }
    }

    /// Asks a yes-or-no question: see [`AnswersFrom::ask`].
    pub async fn confirm(self, question: &str) -> bool {
        let answer = self
            .ask(&format!("{question} [y/N]"))
            .await
            .unwrap_or_default();
        matches!(answer.to_lowercase().as_str(), "y" | "yes")
    }

    /// Asks a question on standard error. Returns the line that is typed, without the whitespace
    /// around it; `None` if the input has ended. What was typed before the question does not count. It waits on another thread, so that a signal ends the program meanwhile.
    pub async fn ask(self, question: &str) -> Option<String> {
        self.forget_typed();
        say_question(&format!("{question} "));
        let answer = tokio::task::spawn_blocking(move || self.read())
            .await
            .ok()?
            .ok()?;
        (!answer.is_empty()).then(|| without_keys(&answer).trim().to_owned())
    }

    /// Waits for a line; an empty one has its newline.
    fn read(self) -> io::Result<String> {
        let mut answer = Vec::new();
        match self {
            AnswersFrom::Input => io::stdin().lock().read_until(b'\n', &mut answer)?,
            AnswersFrom::Terminal => {
                io::BufReader::new(terminal()?).read_until(b'\n', &mut answer)?
            }
        };
        // A terminal may write another encoding; that is no end of the input.
        Ok(String::from_utf8_lossy(&answer).into_owned())
    }
}

/// A line without what arrows and other keys send. The terminal edits the line, and knows none of them.
fn without_keys(line: &str) -> String {
    static KEYS: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|O.|.)?").expect("a fixed pattern")
    });
    KEYS.replace_all(line, "")
        .replace(|c: char| c.is_control() && c != '\t', "")
}

/// The terminal itself.
pub(super) fn terminal() -> io::Result<std::fs::File> {
    std::fs::File::options()
        .read(true)
        .write(true)
        .open("/dev/tty")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_of_no_text_do_no_harm() {
        for (typed, kept) in [
            ("Add\x1b[D\x1b[D two\n", "Add two"),
            ("\x1b[A\x1bOB\x1b[1;5Cy\n", "y"),
            ("\x1b[200~pasted\x1b[201~\x1b[3~\n", "pasted"),
            ("a\tb\x07\r\n", "a\tb"),
            ("größe [D] O. \x1b", "größe [D] O. "),
        ] {
            assert_eq!(without_keys(typed), kept, "{typed:?}");
        }
    }
}
