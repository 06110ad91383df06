//! How a model is asked for an edit: our slots, and what others do.
//!
//! All are asked in the same conversation: worked examples of the same edits, each in the
//! strategy's own format; the list of files that the program's own search makes; windows of the
//! likeliest file. What an answer comes to is worked out in memory; nothing is written.

mod attempt;
mod blocks;
mod free_answer;
mod repair;
mod two_stages;
mod whole_file;

pub use attempt::{Attempt, Made, MechanicsKind};
pub use repair::repair;
pub use two_stages::Loosened;

use super::tree::Tree;
use crate::engine::{Engine, EngineError};
use crate::flow::{GenerateOptions, Session};
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
    /// Two stages, each forced into a plain JSON Schema that knows no file, as servers offer it.
    Schema,
    /// Two stages, each forced to fit the files: what `slotwright edit` does.
    Slots,
    /// The slots again and again, until the task's check passes: what `slotwright repair` does.
    /// Only for tasks that have a check.
    Repair,
}

impl Strategy {
    /// All of them, ours first: what comes first is compared with the others.
    pub const ALL: [Strategy; 5] = [
        Strategy::Slots,
        Strategy::Schema,
        Strategy::SearchReplace,
        Strategy::Naive,
        Strategy::Repair,
    ];

    /// As the command line and reports have it.
    pub fn name(self) -> &'static str {
        match self {
            Strategy::Naive => "naive",
            Strategy::SearchReplace => "search_replace",
            Strategy::Schema => "schema",
            Strategy::Slots => "slots",
            Strategy::Repair => "repair",
        }
    }

    /// Whether it is asked for slots. An adapter of ours knows nothing else, and spoils other answers.
    pub fn asks_for_slots(self) -> bool {
        !matches!(self, Strategy::Naive | Strategy::SearchReplace)
    }

    /// The one of this name.
    pub fn of_name(name: &str) -> Option<Strategy> {
        Strategy::ALL
            .into_iter()
            .find(|strategy| strategy.name() == name)
    }
}

/// Asks for an edit in a folder that holds `before`, once. A repair asks more often and runs
/// commands, for which a task must have a check ([`repair()`]): here it makes nothing.
///
/// # Errors
/// If the engine failed; it may not answer again.
pub async fn attempt<E: Engine>(
    strategy: Strategy,
    task: &Task,
    before: &Tree,
    session: &mut Session<'_, E>,
) -> Result<Attempt, EngineError> {
    match strategy {
        Strategy::Repair => Ok(Attempt::without_check()),
        Strategy::Naive => {
            one_answer(task, session, &whole_file::FORMAT, |answer, overview| {
                whole_file::read(answer, &overview.listing, before)
            })
            .await
        }
        Strategy::SearchReplace => {
            one_answer(task, session, &blocks::FORMAT, |answer, _| {
                blocks::read(answer, before)
            })
            .await
        }
        Strategy::Schema => {
            let Session {
                workspace,
                engine,
                options,
                progress,
            } = session;
            let engine = &mut Loosened::to_shape(*engine);
            let profile = options.profile.clone().in_schema_words();
            let options = GenerateOptions {
                profile,
                ..options.clone()
            };
            two_stages::attempt(
                task,
                before,
                &mut Session {
                    workspace,
                    engine,
                    options,
                    progress: *progress,
                },
            )
            .await
        }
        Strategy::Slots => two_stages::attempt(task, before, session).await,
    }
}
