//! The folder being edited: its files, and the only way to write to them.
//!
//! The root is held open as a capability (`cap-std`). Every path is resolved under it by the kernel
//! or in careful steps, so nothing leads out: no link, no `..`, no folder replaced by a link
//! meanwhile. The `ignore` crate lists the files, as in ripgrep. [`Workspace::write`] writes one
//! file. [`journal::Journal::commit`] writes several, so that they can be undone.

mod commit;
mod editor_config;
mod folder;
pub mod journal;
mod kept;
mod listing;
pub(crate) mod private_folder;
pub(crate) mod temporary;
#[cfg(test)]
mod testing;

pub use crate::text::{PathError, check_path};
pub use commit::{Change, Chmod, CommitError, can_be_run, new_executable, runnable};
pub use folder::{Workspace, WorkspaceError};
pub use kept::{KeptResults, kept_results};
pub use listing::{IgnoredPaths, Listing, MAX_FILE_BYTES};
