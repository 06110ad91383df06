//! One edit, from the task to the gate:
//! `Task → Pick → Slots → Edit → EditSet → Patched`.
//!
//! [`edit()`] is the whole pipeline. A model answers two questions. `pick` asks which file and
//! which operation; `fill` asks for the slots of that operation. Everything else is the program's
//! own work: it finds the files ([`crate::search`]), decides which parts of a file are shown
//! (`room`), locates the answer's text and works out the file's new bytes (`patch`).
//!
//! Nothing is written here. A [`crate::patched::Patched`] goes through [`crate::review::gate`]. [`steps`] makes several edits
//! of a task, as one answer (`further`) or by repeating the pipeline, and [`Answers`] gives one answer
//! after the other where something else judges them. [`where_to()`] asks only where given lines go.
//! [`uses`] finds a renamed name in other files. [`overview`] shows a model that is asked in one question
//! the likeliest files.

mod answers;
mod fill;
mod free_pick;
mod further;
mod outcome;
pub mod overview;
mod patch;
mod pick;
mod rewrite;
mod room;
mod session;
mod so_far;
pub mod steps;
mod target;
pub mod uses;
mod where_to;

pub use answers::Answers;
pub use free_pick::PickError;
pub use outcome::{Evidence, FlowError, MechanicsError, Outcome, Stage, Verdict};
pub use session::{Drafting, GenerateOptions, Session};
pub use where_to::{Given, Spot, where_to};

use crate::engine::Engine;
use crate::task::Task;

/// Makes the edit that a task asks for, up to the gate.
///
/// # Errors
/// [`FlowError`] if a question could not be asked or answered. An answer that is no edit is not an
/// error but a [`Verdict`].
pub async fn edit<E: Engine>(
    task: &Task,
    session: &mut Session<'_, E>,
) -> Result<Outcome, FlowError> {
    let mut answers = Answers::to(task.clone(), session).await?;
    Ok(answers
        .next(session)
        .await?
        .expect("there is a first answer"))
}
