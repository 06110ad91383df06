//! The terminal: what is said there, and where answers come from.

use crate::console::say_question;
use regex::Regex;
use std::io::{self, BufRead, IsTerminal};
use std::sync::{Arc, LazyLock, Mutex, Weak};

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

    /// Sets aside what was typed before the question was asked. A line typed during the wait for the
    /// model answers no question, and must not be taken as "yes" to a diff that was not shown yet.
    fn set_typed_aside(self) {
        #[cfg(unix)]
        {
            use rustix::termios::{QueueSelector, tcflush};
            // An error means that there is no terminal, so that nothing was typed.
            let _ = match self {
                AnswersFrom::Input => {
                    set_typed_aside();
                    tcflush(io::stdin(), QueueSelector::IFlush).is_ok()
                }
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
    /// around it; `None` if the input has ended. What was typed before the question does not count. It
    /// waits on another thread, so that a signal ends the program meanwhile. Where the question is given
    /// up, the next line is for whoever reads next.
    pub async fn ask(self, question: &str) -> Option<String> {
        self.set_typed_aside();
        say_question(&format!("{question} "));
        let asked = Arc::new(());
        let is_asked = Arc::downgrade(&asked);
        let answer = tokio::task::spawn_blocking(move || self.read(&is_asked))
            .await
            .ok()?
            .ok()?;
        drop(asked);
        (!answer.is_empty()).then(|| without_keys(&answer).trim().to_owned())
    }

    /// Waits for a line; an empty one has its newline.
    fn read(self, is_asked: &Weak<()>) -> io::Result<String> {
        let mut answer = Vec::new();
        match self {
            AnswersFrom::Input => {
                let mut input = io::stdin().lock();
                wait_for_line(&input, is_asked)?;
                input.read_until(b'\n', &mut answer)?
            }
            AnswersFrom::Terminal => {
                let terminal = terminal()?;
                wait_for_line(&terminal, is_asked)?;
                io::BufReader::new(terminal).read_until(b'\n', &mut answer)?
            }
        };
        // A terminal may write another encoding; that is no end of the input.
        Ok(String::from_utf8_lossy(&answer).into_owned())
    }
}

/// Waits until a terminal has a line, or nobody waits for it any more.
#[cfg(unix)]
fn wait_for_line(input: &impl std::os::fd::AsFd, is_asked: &Weak<()>) -> io::Result<()> {
    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    const LOOK_EVERY: Timespec = Timespec {
        tv_sec: 0,
        tv_nsec: 50_000_000,
    };
    loop {
        let mut fds = [PollFd::new(input, PollFlags::IN)];
        let n_ready = match poll(&mut fds, Some(&LOOK_EVERY)) {
            Err(rustix::io::Errno::INTR) => 0,
            // Where a terminal cannot be watched, reading waits.
            ready => ready.unwrap_or(1),
        };
        if is_asked.strong_count() == 0 {
            return Err(io::ErrorKind::Interrupted.into());
        }
        if n_ready > 0 {
            return Ok(());
        }
    }
}

#[cfg(not(unix))]
fn wait_for_line<T>(_: &T, _: &Weak<()>) -> io::Result<()> {
    Ok(())
}

/// What was typed on standard input while nobody had asked: see [`take_typed`].
static TYPED: Mutex<String> = Mutex::new(String::new());

/// The most that is set aside, in bytes. More is no typing.
const MOST_TYPED: usize = 64 << 10;

/// What was typed on standard input before a question was asked, and since.
pub(super) fn take_typed() -> String {
    #[cfg(unix)]
    set_typed_aside();
    std::mem::take(
        &mut *TYPED
            .lock()
            .expect("nothing panics while it holds the lock"),
    )
}

/// Reads what was typed so far, in lines or not.
#[cfg(unix)]
fn set_typed_aside() {
    let bytes = typed().unwrap_or_default();
    let text = without_keys(&String::from_utf8_lossy(&bytes).replace(['\r', '\n'], " "));
    let mut all = TYPED
        .lock()
        .expect("nothing panics while it holds the lock");
    if all.len() + text.len() <= MOST_TYPED {
        all.push_str(&text);
    }
}

#[cfg(unix)]
fn typed() -> rustix::io::Result<Vec<u8>> {
    use rustix::termios::{LocalModes, OptionalActions, SpecialCodeIndex, tcgetattr, tcsetattr};
    let input = io::stdin();
    let by_line = tcgetattr(&input)?;
    let mut by_byte = by_line.clone();
    by_byte.local_modes.remove(LocalModes::ICANON);
    by_byte.special_codes[SpecialCodeIndex::VMIN] = 0;
    by_byte.special_codes[SpecialCodeIndex::VTIME] = 0;

    // A line that has no end yet can be read too, then.
    tcsetattr(&input, OptionalActions::Now, &by_byte)?;
    let mut bytes = Vec::new();
    let mut buffer = [0; 1024];
    while let Ok(n @ 1..) = rustix::io::read(&input, &mut buffer) {
        bytes.extend(&buffer[..n]);
        if bytes.len() > MOST_TYPED {
            break;
        }
    }
    tcsetattr(&input, OptionalActions::Now, &by_line)?;
    Ok(bytes)
}

/// Puts the terminal's settings back as they were.
pub(super) struct Restored {
    #[cfg(unix)]
    settings: Option<rustix::termios::Termios>,
}

impl Restored {
    /// Puts them back when it is dropped.
    pub fn afterwards() -> Restored {
        Restored {
            #[cfg(unix)]
            settings: rustix::termios::tcgetattr(io::stdin()).ok(),
        }
    }
}

impl Drop for Restored {
    fn drop(&mut self) {
        #[cfg(unix)]
        if let Some(settings) = &self.settings {
            use rustix::termios::{OptionalActions, tcsetattr};
            // A terminal that has gone needs none.
            let _ = tcsetattr(io::stdin(), OptionalActions::Now, settings);
        }
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
