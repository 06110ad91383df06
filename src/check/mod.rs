//! A command that says whether a folder is well: a compiler, a linter, tests. What it complains of after
//! an edit and did not complain of before is shown to the model, which goes on with its edits.
//!
//! ```text
//! folder ──▶ run ──▶ complaints before          kept while the folder stays the same
//! edits  ──▶ run ──▶ complaints after ── new? ──▶ further edits ──▶ run … fewer? ──▶ kept
//! ```
//!
//! Commands run in throw-away copies ([`crate::sandbox`]). [`read`] reads what they print; [`Checker`]
//! runs one command on a folder, and [`mend()`] has a model make the further edits.

mod checker;
mod complaint;
mod kept;
mod mend;
mod options;
pub mod read;

pub use checker::{CheckError, Checked, Checker};
pub use complaint::{CheckRun, Complaint, Place, Severity};
pub use kept::name_of;
pub use mend::{MOST_FURTHER, Mended, Telling, mend};
pub use options::{Against, CheckOptions};
