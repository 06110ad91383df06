//! What is said to the person while a task is done, for the conversation. A terminal shows it at once;
//! an editor seldom shows what its agent writes to standard error.

use crate::console;
use std::cell::RefCell;

thread_local! {
    /// Tasks are done one after the other on a thread of their own, and say it there.
    static NOTES: RefCell<Vec<String>> = const { RefCell::new(Vec::new()) };
}

/// As [`crate::app::Say`].
pub(super) fn say(line: &str) {
    console::say(line);
    NOTES.with_borrow_mut(|notes| notes.push(line.to_owned()));
}

/// What was said on this thread since the last time.
pub(super) fn take() -> Vec<String> {
    NOTES.take()
}
