//! One line on standard error that says what is being waited for; nothing where that is not a
//! terminal.

use crate::engine::Progress;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

pub(super) struct ProgressLine(ProgressBar);

impl ProgressLine {
    pub fn new() -> ProgressLine {
        // indicatif hides itself where standard error is not a terminal.
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
        bar.set_style(ProgressStyle::with_template("{msg}").expect("a fixed template"));
        ProgressLine(bar)
    }

    pub fn show(&self, progress: Progress) {
        self.0.set_message(progress.to_string());
        self.0.tick();
    }

    pub fn clear(&self) {
        self.0.finish_and_clear();
    }
}

impl Drop for ProgressLine {
    fn drop(&mut self) {
        self.clear();
    }
}
