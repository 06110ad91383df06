//! One line on standard error that says what is being waited for; nothing where that is not a
//! terminal.

use crate::console::is_dumb;
use crate::engine::Progress;
use crate::text::visible;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::{self, IsTerminal, Write};
use std::time::Duration;

/// After a longer wait a bell tells that it is over: the person may look elsewhere by then.
const LONG_WAIT: Duration = Duration::from_secs(10);

pub(super) struct ProgressLine(ProgressBar);

impl ProgressLine {
    pub fn new() -> ProgressLine {
        // indicatif hides itself where standard error is not a terminal.
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
        let template = "{msg}{prefix}, {elapsed}";
        bar.set_style(ProgressStyle::with_template(template).expect("a fixed template"));
        ProgressLine(bar)
    }

    pub fn show(&self, progress: Progress) {
        match progress {
            Progress::Showing(path) => self.0.set_prefix(format!(", {}", visible(&path))),
            step => {
                if let Progress::Checking(_) = step {
                    self.0.set_prefix(""); // it is about no file
                }
                self.0.set_message(visible(&step.to_string()).into_owned());
            }
        }
        self.0.tick();
        // A long step says nothing, and the seconds go on.
        self.0.enable_steady_tick(Duration::from_millis(500));
    }

    /// Says which part of a longer work the steps are of.
    pub fn place(&self, place: &str) {
        self.0.set_prefix(format!(", {}", visible(place)));
        self.0.tick();
    }

    pub fn clear(&self) {
        self.0.finish_and_clear();
    }

    /// Takes the line away at the end of the work, with a bell after a long one.
    pub fn end(&self) {
        self.clear();
        let stderr = io::stderr();
        if stderr.is_terminal() && !is_dumb() {
            let _ = write!(stderr.lock(), "{}", bell(self.0.elapsed()));
        }
    }
}

/// The bell of a terminal, if it was a long wait.
fn bell(waited: Duration) -> &'static str {
    if waited > LONG_WAIT { "\x07" } else { "" }
}

impl Drop for ProgressLine {
    fn drop(&mut self) {
        self.clear();
    }
}

/// The same for a file on its way: how much of it is here, how fast it comes, and how long it still
/// takes.
pub(super) struct TransferLine(ProgressBar);

impl TransferLine {
    pub fn new() -> TransferLine {
        let bar = ProgressBar::with_draw_target(Some(0), ProgressDrawTarget::stderr());
        const TEMPLATE: &str = "{msg} {bytes} of {total_bytes}, {bytes_per_sec}, {eta} left";
        bar.set_style(ProgressStyle::with_template(TEMPLATE).expect("a fixed template"));
        // It shows that nothing comes, too.
        bar.enable_steady_tick(Duration::from_millis(500));
        TransferLine(bar)
    }

    pub fn show(&self, what: &'static str, done: u64, total: u64) {
        if self.0.message() != what {
            self.0.set_message(what);
            // What was here before did not come at any speed.
            self.0.set_position(done);
            self.0.reset_eta();
        }
        self.0.set_length(total);
        self.0.set_position(done);
    }

    /// Takes the line away while something else is said.
    pub fn hide(&self, say: impl FnOnce()) {
        self.0.suspend(say);
    }
}

impl Drop for TransferLine {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_long_wait_ends_with_a_bell() {
        assert_eq!(bell(Duration::from_secs(9)), "");
        assert_eq!(bell(Duration::from_secs(11)), "\x07");
    }
}
