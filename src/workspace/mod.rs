//! The folder being edited: what is in it, and the only way to write to it.
//!
//! The root is held open as a capability (`cap-std`): every path is resolved under it by the kernel
//! or by careful steps, so neither a link nor `..` nor a folder swapped for a link in between leads
//! out. The list is made with the `ignore` crate, as ripgrep makes it. [`Workspace::write`] writes
//! a file, [`journal::Journal::commit`] several, so that they can be undone.

mod commit;
mod folder;
pub mod journal;
mod listing;
mod path;
pub(crate) mod private_folder;
pub(crate) mod temporary;

pub use commit::{Change, CommitError};
pub use folder::{Workspace, WorkspaceError};
pub use listing::{Listing, MAX_FILE_BYTES};
pub use path::{PathError, check_path};
