//! The ways to ask a model for an edit: our slots, and those of others.
//!
//! All of them use the same conversation: worked examples of the same edits, each in the strategy's
//! own format; the list of files that the program's own search makes; windows of the likeliest
//! file. The edit of an answer is made in memory; nothing is written.

mod attempt;
mod blocks;
mod free_answer;
mod repair;
mod two_stages;
mod whole_file;

pub use attempt::{Attempt, Made, MechanicsKind};
pub use repair::repair;

use super::tree::Tree;
use crate::check::CheckOptions;
use crate::engine::{Engine, EngineError};
use crate::flow::Session;
use crate::task::Task;
use free_answer::one_answer;

/// A way to ask for an edit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Strategy {
    /// One free answer: a tool call with the whole new text of a file, as agents do it.
    Naive,
    /// One free answer: search/replace blocks, which are located and applied as `slotwright apply`
    /// does it.
    SearchReplace,
    /// Two stages, each forced into a plain JSON Schema that knows no file, as servers offer.
    Schema,
    /// Two stages, each forced to fit the files: what `slotwright edit` does.
    Slots,
    /// The slots again and again, until the task's check passes: what `slotwright repair` does.
    /// Only for tasks that have a check.
    Repair,
}

impl Strategy {
    /// All of them, ours first: reports compare the first one with the others.
    pub const ALL: [Strategy; 5] = [
        Strategy::Slots,
        Strategy::Schema,
        Strategy::SearchReplace,
        Strategy::Naive,
        Strategy::Repair,
    ];

    /// Its name on the command line and in reports.
    pub fn name(self) -> &'static str {
        match self {
            Strategy::Naive => "naive",
            Strategy::SearchReplace => "search_replace",
            Strategy::Schema => "schema",
            Strategy::Slots => "slots",
            Strategy::Repair => "repair",
        }
    }

    /// Whether the model is asked for slots. Our adapters know nothing else, and spoil other answers.
    pub fn asks_for_slots(self) -> bool {
        !matches!(self, Strategy::Naive | Strategy::SearchReplace)
    }

    /// The strategy of this name.
    pub fn of_name(name: &str) -> Option<Strategy> {
        Strategy::ALL
            .into_iter()
            .find(|strategy| strategy.name() == name)
    }
}

/// How an edit is asked for.
#[derive(Clone, Debug)]
pub struct Way {
    /// The strategy.
    pub strategy: Strategy,
    /// What checks edits by slots, which are then mended; `None`: nothing does.
    pub check: Option<CheckOptions>,
}

/// Asks for an edit in a folder that holds `before`, once. A repair ([`repair()`]) needs the task's
/// check: without it, it is one edit by slots.
///
/// # Errors
/// If the engine failed; it may not answer again.
pub async fn attempt<E: Engine>(
    way: &Way,
    task: &Task,
    before: &Tree,
    session: &mut Session<'_, E>,
) -> Result<Attempt, EngineError> {
    match way.strategy {
        Strategy::Naive => one_answer(task, before, session, &whole_file::FORMAT).await,
        Strategy::SearchReplace => one_answer(task, before, session, &blocks::FORMAT).await,
        Strategy::Schema => two_stages::attempt_in_schemas(task, before, session).await,
        Strategy::Slots | Strategy::Repair => {
            two_stages::attempt(task, before, way.check.as_ref(), session).await
        }
    }
}
