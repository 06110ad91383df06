//! The two processes between the program and a command.
//!
//! The watching process (`supervise`) reads one `CommandSpec` from standard input, which
//! stays open. When it closes, the program is gone or has lost interest, and everything is killed.
//! It writes `ChildEvent`s to standard output; its standard error is the command's output. It
//! starts the process inside (`inside`), which restricts itself and starts the command.

use super::{inside, supervise};

pub use super::protocol::CHILD_ARGUMENT;

/// Which of the two processes the binary is to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// Outside the walls: it starts the other one, counts and kills.
    Watching,
    /// Inside the walls: it becomes the command's parent.
    Inside,
}

/// Runs one of the two processes, as [`CHILD_ARGUMENT`] asks for.
///
/// # Errors
/// If it could not read its orders, or not say what happened.
pub fn run_as_child(side: Side) -> std::io::Result<()> {
    match side {
        Side::Watching => supervise::run(),
        Side::Inside => inside::run(),
    }
}
