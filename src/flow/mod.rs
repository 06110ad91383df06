//! One edit, from the task to the gate:
//! `Task → Pick → Slots → Edit → EditSet → Patched`.
//!
//! [`edit`] is the whole pipeline. A model answers two questions. [`pick`] asks which file and
//! which operation; [`fill`] asks for the slots of that operation. Everything else is the program's
//! own work: it finds the files ([`crate::search`]), decides what of a file is shown ([`room`]),
//! locates the answer's text and works out the file's new bytes ([`outcome`]).
//!
//! Nothing is written here. A [`Patched`] goes through [`crate::gate`]. [`steps`] repeats the
//! pipeline for a task that needs several edits.

pub mod ahead;
mod fill;
mod free_pick;
mod outcome;
pub mod overview;
mod pick;
mod room;
pub mod steps;

pub use free_pick::PickError;
pub use outcome::{FlowError, MechanicsError, Outcome, Patched, Stage, Verdict, overall_certainty};

use crate::engine::{Engine, Progress, Sampling};
use crate::prompt::Profile;
use crate::slots::Pick;
use crate::task::Task;
use crate::workspace::Workspace;

/// What every step of the pipeline needs: the folder, the model, and how it is asked.
pub struct Session<'a, E> {
    /// The folder to edit.
    pub workspace: &'a Workspace,
    /// The model.
    pub engine: &'a mut E,
    /// How the model is asked.
    pub options: GenerateOptions,
    /// Hears how far the work has come.
    pub progress: &'a mut dyn FnMut(Progress),
}

/// How a model is asked.
#[derive(Clone, Debug)]
pub struct GenerateOptions {
    /// The prompt format.
    pub profile: Profile,
    /// How a token is chosen among those allowed.
    pub sampling: Sampling,
    /// Whether likely text is drafted for the model to check: see [`crate::engine::draft`].
    pub drafting: Drafting,
    /// The answer to stage 1, where it is not the model's to give.
    pub pick: Option<Pick>,
}

/// Whether speculative decoding is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Drafting {
    /// Drafts come from the file, the task and the search.
    On,
    /// Every token is computed by itself. For measuring what drafts are worth.
    Off,
}

impl GenerateOptions {
    /// The options of `slotwright edit`: greedy, with drafts, both stages asked.
    pub fn new(profile: Profile) -> GenerateOptions {
        let (sampling, drafting) = (Sampling::Greedy, Drafting::On);
        GenerateOptions { profile, sampling, drafting, pick: None }
    }
}

/// Makes the edit that a task asks for, up to the gate.
///
/// # Errors
/// [`FlowError`] if a question could not be asked or answered. An answer that is no edit is not an
/// error but a [`Verdict`].
pub async fn edit<E: Engine>(
    task: &Task,
    session: &mut Session<'_, E>,
) -> Result<Outcome, FlowError> {
    let room = room::for_files(task, session).await?;
    let candidates = pick::candidates(task, session, room).await?;
    let mut stages = Vec::new();
    let picked = pick::ask(task, session, &candidates, room, &mut stages).await?;
    let verdict = match picked {
        Err(verdict) => verdict,
        Ok(target) => match fill::ask(task, session, &candidates, &target, &mut stages).await? {
            Err(verdict) => verdict,
            Ok(slots) => outcome::patch(&slots, target, session.engine.forces_answers()),
        },
    };
    Ok(Outcome { verdict, stages })
}
