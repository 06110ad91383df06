//! Where given lines go in a file: the two questions of an edit, without its text.

use super::candidates;
use super::fill::{self, Picked};
use super::outcome::{FlowError, Stage, Verdict, certainty};
use super::pick::{self, PickQuestion};
use super::room;
use super::session::Session;
use super::so_far::SoFar;
use super::target::Target;
use crate::edit::{self, Edit};
use crate::engine::Engine;
use crate::slots::overall_certainty;
use crate::slots::{Operation, Position, Reason};
use crate::task::{Context, Task};
use crate::text::Shown;
use std::ops::Range;
use std::sync::Arc;

/// The task, before the lines.
const TASK: &str = "Put these lines where they belong in the file:";

/// Where given lines go.
#[derive(Clone, Debug, PartialEq)]
pub struct Spot {
    /// The lines that they replace, counted from 0. If there are none, they go before the first.
    pub lines: Range<usize>,
    /// See [`overall_certainty`].
    pub certainty: f64,
}

/// Lines whose place is asked for.
#[derive(Clone, Copy, Debug)]
pub struct Given<'a> {
    /// The lines.
    pub text: &'a str,
    /// The file, relative to the root.
    pub path: &'a str,
    /// The lines of the file that are offered, counted from 0. They are not all blank.
    pub within: &'a Range<usize>,
    /// Stretches of these lines that the given lines may be a version of. If there are some, the
    /// given lines replace one of them or nothing. They do not overlap.
    pub alike: &'a [Range<usize>],
    /// Whether they must replace something.
    pub replaces: bool,
}

/// Asks where given lines go. The inner error is an answer that does not say it.
///
/// # Errors
/// [`FlowError`] if it could not be asked.
pub async fn where_to<E: Engine>(
    given: Given<'_>,
    session: &mut Session<'_, E>,
) -> Result<Result<Spot, Box<Verdict>>, FlowError> {
    let task = task(given);
    let room = room::for_files(&task, session).await?;
    let candidates = candidates::candidates(&task, session, room).await?;
    let so_far = SoFar::none(Arc::new(candidates), room);
    let mut stages = Vec::new();
    let question = PickQuestion {
        task: &task,
        so_far: &so_far,
    };
    let asked = pick::ask(&question, session, None, &mut stages).await?;
    let mut target = match asked.result {
        Ok(target) => target,
        Err(verdict) => return Ok(Err(verdict)),
    };
    if target.operation == Operation::Replace && !given.alike.is_empty() {
        if let [lines] = given.alike {
            return Ok(Ok(spot(lines.clone(), &stages)));
        }
        target.open = only(given.alike, &target);
    }
    let mut windows = target.open.windows.iter();
    if windows.all(|window| window.text.trim().is_empty()) {
        return Ok(Err(no_place())); // none of it is shown
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
    let edit = match edit::place(&slots, &target.open) {
        Ok(Some(edit)) => edit,
        Ok(None) => return Ok(Err(no_place())),
        Err(error) => return Ok(Err(Box::new(Verdict::Mechanics(error.into())))),
    };
    let Some(lines) = lines_of(&edit, target.text.shown()) else {
        return Ok(Err(no_place()));
    };
    // All of the lines that are alike, of which it has named some.
    let mut alike = given.alike.iter();
    let all = alike.find(|alike| alike.contains(&lines.start) && !lines.is_empty());
    Ok(Ok(spot(all.cloned().unwrap_or(lines), &stages)))
}

fn task(given: Given<'_>) -> Task {
    let operations = if given.replaces {
        vec![Operation::Replace]
    } else if given.alike.is_empty() {
        vec![Operation::Insert]
    } else {
        vec![Operation::Replace, Operation::Insert]
    };
    let context = Context {
        operations,
        lines: Some(given.within.start + 1..=given.within.end),
        ..Context::default()
    };
    let sentence = format!("{TASK}\n{}", given.text);
    Task::new(&sentence, vec![given.path.to_owned()])
        .expect("the task has words")
        .within(context)
}

fn spot(lines: Range<usize>, stages: &[Stage]) -> Spot {
    Spot {
        lines,
        certainty: overall_certainty(&certainty(stages)),
    }
}

fn no_place() -> Box<Verdict> {
    Box::new(Verdict::Declined(Reason::NotInTheseFiles))
}

/// What is shown of some stretches of lines, in file order.
fn only(stretches: &[Range<usize>], target: &Target) -> Shown {
    let mut stretches = stretches.to_vec();
    stretches.sort_by_key(|lines| lines.start);
    let mut windows = Vec::new();
    for lines in stretches {
        let lines = lines.start + 1..=lines.end;
        let shown = target.shown.within_lines(target.text.shown(), &lines);
        windows.extend(shown.windows);
    }
    Shown { windows }
}

/// The lines that an edit replaces, or the place where it inserts.
fn lines_of(edit: &Edit, text: &str) -> Option<Range<usize>> {
    match edit {
        // The whole lines of what is replaced. Whitespace at its ends may be of their neighbours.
        Edit::Replace { at, .. } => {
            let replaced = &text[at.clone()];
            let start = at.start + replaced.len() - replaced.trim_start().len();
            let end = at.start + replaced.trim_end().len();
            Some(line_idx(text, start)..line_idx(text, end - 1) + 1)
        }
        Edit::Insert {
            anchor, position, ..
        } => {
            let idx = line_idx(text, *anchor) + usize::from(*position == Position::After);
            Some(idx..idx)
        }
        _ => None,
    }
}

/// The line with this byte, counted from 0.
fn line_idx(text: &str, offset: usize) -> usize {
    text.as_bytes()[..offset]
        .iter()
        .filter(|&&byte| byte == b'\n')
        .count()
}
