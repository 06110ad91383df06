//! What stays loaded between tasks: for editors, for other agents, and for programs that use this
//! library.
//!
//! [`Resident`] keeps one engine. It starts the engine when the first task comes, again after it
//! crashed, and frees its memory after a while without a task. [`Worker`] runs tasks one after
//! the other on a thread of its own. Each can be cancelled. `examples/edit.rs` shows both.

mod resident;
mod worker;

pub use resident::{Loaded, Resident, StartEngine};
pub use worker::{Desk, Ended, Handle, Worker};
