//! Where given lines go in a file: the two questions of an edit, without its text.

use super::fill::{self, Picked};
use super::outcome::{FlowError, MechanicsError, Verdict, certainty};
use super::pick::{self, PickQuestion};
use super::room;
use super::session::Session;
use super::so_far::SoFar;
use crate::edit::{self, Edit};
use crate::engine::Engine;
use crate::slots::overall_certainty;
use crate::slots::{Operation, Position, Reason};
use crate::task::{Context, Task};
use crate::text::Shown;
use std::ops::Range;
use std::sync::Arc;

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

/// What is asked.
#[derive(Clone, Copy, Debug)]
pub struct Given<'a> {
    /// The lines that are to go somewhere.
    pub text: &'a str,
    /// The file, relative to the root.
    pub path: &'a str,
    /// The lines of it that are offered, counted from 0. They are not all blank.
    pub within: &'a Range<usize>,
    /// Those of these lines that they may be a version of. If there are some, they replace one of
    /// these stretches or nothing. They do not overlap.
    pub alike: &'a [Range<usize>],
    /// Whether they replace something in any case.
    pub replaces: bool,
}

/// Asks where given lines go.
///
/// # Errors
/// [`FlowError`] if it could not be asked. A model that does not say is not an error but a
/// [`Verdict`].
pub async fn where_to<E: Engine>(
    given: Given<'_>,
    session: &mut Session<'_, E>,
) -> Result<Result<Spot, Box<Verdict>>, FlowError> {
    let Given {
        text,
        path,
        within,
        alike,
        replaces,
    } = given;
    let operations = match (replaces, alike) {
        (true, _) => vec![Operation::Replace],
        (false, []) => vec![Operation::Insert],
        (false, _) => vec![Operation::Replace, Operation::Insert],
    };
    let context = Context {
        operations,
        lines: Some(within.start + 1..=within.end),
        ..Context::default()
    };
    let task = Task::new(&format!("{TASK}\n{text}"), vec![path.to_owned()])
        .expect("the task has words")
        .within(context);
    let room = room::for_files(&task, session).await?;
    let candidates = pick::candidates(&task, session, room).await?;
    let mut stages = Vec::new();
    let declined = || Ok(Err(Box::new(Verdict::Declined(Reason::NotInTheseFiles))));
    let so_far = SoFar::none(Arc::new(candidates), room);
    let question = PickQuestion {
        task: &task,
        so_far: &so_far,
    };
    let mut target = match pick::ask(&question, session, None, &mut stages)
        .await?
        .result
    {
        Ok(target) => target,
        Err(verdict) => return Ok(Err(verdict)),
    };
    if target.operation == Operation::Replace && !alike.is_empty() {
        if let [lines] = alike {
            return Ok(Ok(Spot {
                lines: lines.clone(),
                certainty: overall_certainty(&certainty(&stages)),
            }));
        }
        let mut alike = alike.to_vec();
        alike.sort_by_key(|lines| lines.start);
        let open = |lines: &Range<usize>| {
            let lines = lines.start + 1..=lines.end;
            target
                .shown
                .within_lines(target.text.shown(), &lines)
                .windows
        };
        target.open = Shown {
            windows: alike.iter().flat_map(open).collect(),
        };
    }
    if target
        .open
        .windows
        .iter()
        .all(|window| window.text.trim().is_empty())
    {
        return declined(); // none of it is shown
    }
    let picked = Picked {
        task: &task,
        so_far: &so_far,
        target: &target,
        spent: 0,
    };
    let slots = match fill::ask_where(&picked, session, &mut stages).await? {
        Ok(slots) => slots,
        Err(verdict) => return Ok(Err(verdict)),
    };
    let shown = target.text.shown();
    let line = |offset: usize| {
        shown.as_bytes()[..offset]
            .iter()
            .filter(|&&byte| byte == b'\n')
            .count()
    };
    let lines = match edit::place(&slots, &target.open) {
        // The whole lines of what is replaced. Whitespace at its ends may be of their neighbours.
        Ok(Some(Edit::Replace { at, .. })) => {
            let text = &shown[at.clone()];
            let start = at.start + text.len() - text.trim_start().len();
            let end = at.start + text.trim_end().len();
            line(start)..line(end - 1) + 1
        }
        Ok(Some(Edit::Insert {
            anchor, position, ..
        })) => {
            let at = line(anchor) + usize::from(position == Position::After);
            at..at
        }
        Ok(_) => return declined(),
        Err(error) => {
            return Ok(Err(Box::new(Verdict::Mechanics(MechanicsError::from(
                error,
            )))));
        }
    };
    // All of the lines that are alike, of which it has named some.
    let all = alike
        .iter()
        .find(|alike| alike.contains(&lines.start) && !lines.is_empty());
    Ok(Ok(Spot {
        lines: all.cloned().unwrap_or(lines),
        certainty: overall_certainty(&certainty(&stages)),
    }))
}
