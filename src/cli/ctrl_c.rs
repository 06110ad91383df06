//! Ctrl-C where it ends the work that goes on, and not the program.

use futures_util::FutureExt;
use std::cell::Cell;
use tokio::sync::Notify;

/// What Ctrl-C means: while work goes on, it stops that.
#[derive(Default)]
pub(super) struct CtrlC {
    is_working: Cell<bool>,
    /// Hears that the work is to stop.
    pub stop: Notify,
}

impl CtrlC {
    /// Whether a Ctrl-C is meant for the work.
    pub fn takes(&self) -> bool {
        let takes = self.is_working.replace(false);
        if takes {
            self.stop.notify_one();
        }
        takes
    }

    /// From now on a Ctrl-C is for the work.
    pub fn begin(&self) {
        // One that came when the work before had just ended was not for this one.
        let _ = self.stop.notified().now_or_never();
        self.is_working.set(true);
    }

    /// The work has ended.
    pub fn end(&self) {
        self.is_working.set(false);
    }
}
