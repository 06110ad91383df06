//! One edit, from the task to the gate:
//! `Task → Pick → Slots → Edit → EditSet → Patched`.
//!
//! [`edit()`] is the whole pipeline. A model answers two questions. `pick` asks which file and
//! which operation; `fill` asks for the slots of that operation. Everything else is the program's
//! own work: it finds the files ([`crate::search`]), decides which parts of a file are shown
//! (`room`, `show`), locates the answer's text and works out the file's new bytes (`patch`).
//!
//! Nothing is written here. A [`crate::patched::Patched`] goes through [`crate::review::gate`]. [`steps`] makes several edits
//! of a task, as one answer (`further`) or by repeating the pipeline, and [`Answers`] gives one answer
//! after the other where something else judges them. [`where_to()`] asks only where given lines go.
//! `wanted` follows what the model wanted where the constraint refused it.
//! `uses` finds a renamed name in other files, [`places`] finds what may have to follow another change,
//! and [`follow`] asks the model about it. [`overview`] shows a model that is asked in one question
//! the likeliest files.

mod answers;
mod candidates;
mod continuation;
mod earlier;
mod everywhere;
mod fill;
pub mod follow;
mod free_pick;
mod further;
mod other_files;
mod outcome;
pub mod overview;
mod patch;
mod pick;
pub mod places;
mod pointed;
mod rewrite;
mod room;
mod session;
mod show;
mod so_far;
pub mod steps;
mod target;
mod uses;
mod wanted;
mod where_to;

pub use answers::{Answers, edit};
pub use continuation::{Continuation, EndedBy};
pub(crate) use earlier::earlier;
pub use free_pick::PickError;
pub use outcome::{Evidence, FlowError, MechanicsError, Outcome, Stage, Verdict};
pub use session::{Drafting, Follow, GenerateOptions, Session};
pub use where_to::{Given, Spot, where_to};
