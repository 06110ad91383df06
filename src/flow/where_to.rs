//! Where given lines go in a file: the two questions of an edit, without its text.

use super::fill;
use super::outcome::{FlowError, MechanicsError, Stage, Verdict, overall_certainty};
use super::pick;
use super::room;
use super::session::Session;
use crate::edit::{self, Edit};
use crate::engine::Engine;
use crate::slots::{Operation, Position, Reason};
use crate::task::{Context, Task};
use std::collections::BTreeMap;
use std::ops::Range;

/// What is asked, before the lines.
const TASK: &str = "Put these lines where they belong in the file:";

/// Where given lines go.
#[derive(Clone, Debug, PartialEq)]
pub struct Spot {
    /// The lines that they replace, counted from 0. If there are none, they go before the first.
    pub lines: Range<usize>,
    /// See [`overall_certainty`].
    pub certainty: f64,
}

/// Asks where `text` goes in the file at `path`. Only lines `within`, counted from 0, are offered;
/// they are not all blank.
///
/// # Errors
/// [`FlowError`] if it could not be asked. A model that does not say is not an error but a
/// [`Verdict`].
pub async fn where_to<E: Engine>(
    text: &str,
    path: &str,
    within: &Range<usize>,
    session: &mut Session<'_, E>,
) -> Result<Result<Spot, Box<Verdict>>, FlowError> {
    let context = Context {
        operations: vec![Operation::Replace, Operation::Insert],
        lines: Some(within.start + 1..=within.end),
        ..Context::default()
    };
    let task = Task::new(&format!("{TASK}\n{text}"), vec![path.to_owned()])
        .expect("the task has words")
        .within(context);
    let room = room::for_files(&task, session).await?;
    let candidates = pick::candidates(&task, session, room).await?;
    let mut stages = Vec::new();
    let target = match pick::ask(&task, session, &candidates, room, &mut stages).await? {
        Ok(target) => target,
        Err(verdict) => return Ok(Err(verdict)),
    };
    let asked = fill::ask_where(text, &task, session, &candidates, &target, &mut stages);
    let slots = match asked.await? {
        Ok(slots) => slots,
        Err(verdict) => return Ok(Err(verdict)),
    };
    let shown = target.text.shown();
    let line =
        |offset: usize| shown.as_bytes()[..offset].iter().filter(|&&byte| byte == b'\n').count();
    let lines = match edit::place(&slots, &target.open) {
        // The whole lines of what is replaced.
        Ok(Some(Edit::Replace { at, .. })) => {
            line(at.start)..line(at.end.saturating_sub(1).max(at.start)) + 1
        }
        Ok(Some(Edit::Insert { anchor, position, .. })) => {
            let at = line(anchor) + usize::from(position == Position::After);
            at..at
        }
        Ok(_) => return Ok(Err(Box::new(Verdict::Declined(Reason::NotInTheseFiles)))),
        Err(error) => return Ok(Err(Box::new(Verdict::Mechanics(MechanicsError::from(error))))),
    };
    let by_slot: BTreeMap<_, _> =
        stages.iter().flat_map(|stage: &Stage| stage.stats.certainty.clone()).collect();
    Ok(Ok(Spot { lines, certainty: overall_certainty(&by_slot) }))
}
