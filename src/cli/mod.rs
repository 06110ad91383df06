//! Commands for people at a terminal, and for scripts: a file or a folder each.
//!
//! Results go to standard output, everything else to standard error. The exit code says which kind of
//! result it was.

pub(crate) mod apply;
mod columns;
mod command;
pub(crate) mod completions;
pub(crate) mod config;
mod consent;
mod ctrl_c;
mod diff;
mod each;
pub(crate) mod edit;
pub(crate) mod eval;
pub(crate) mod man;
pub(crate) mod models;
mod progress;
pub(crate) mod purge;
pub(crate) mod repair;
pub(crate) mod report;
mod reviewer;
pub(crate) mod session;
pub(crate) mod skill;
mod task;
mod terminal;
pub(crate) mod undo;
pub(crate) mod watch;
mod work;

pub use config::ConfigReport;
pub use models::{ModelsReport, StoreReport};
pub use repair::RepairReport;
