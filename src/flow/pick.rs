//! Stage 1, `Task → Pick`: which file, and what to do to it.

use super::free_pick;
use super::outcome::{Asked, FlowError, MechanicsError, Stage, Verdict};
use super::pointed;
use super::rewrite;
use super::session::{Drafting, Session};
use super::show;
use super::so_far::SoFar;
use super::target::{SeenFile, Target};
use super::wanted;
use crate::constrain::{NoEdit, SlotSpec, Spec};
use crate::engine::{Engine, Given, Likelihood, Limits, Progress, Request};
use crate::prompt::{Profile, Question};
use crate::search;
use crate::slots::{FilePick, Operation, Pick};
use crate::task::Task;
use std::ops::RangeInclusive;

/// What question 1 is about.
pub(super) struct PickQuestion<'a> {
    pub task: &'a Task,
    pub so_far: &'a SoFar,
}

/// Asks which file and which operation, with a given beginning of the answer or none.
pub(super) async fn ask<E: Engine>(
    question: &PickQuestion<'_>,
    session: &mut Session<'_, E>,
    given: Option<Given>,
    stages: &mut Vec<Stage>,
) -> Result<Asked<Target>, FlowError> {
    if let Some(pick) = session.options.pick.clone() {
        let result = target(pick, None, question, session).await?;
        return Ok(Asked {
            result,
            likelihood: Likelihood::default(),
        });
    }
    let PickQuestion { task, so_far } = *question;
    let likely = if so_far.lines.is_empty() {
        likely_file(task, session, so_far).await?
    } else {
        so_far.shown.clone()
    };
    let spec = spec(question, &session.options.profile);
    let request = request(question, &spec, likely.as_ref(), session, given);
    if let Some(file) = &likely {
        (session.progress)(Progress::Showing(file.path.clone()));
    }
    let answer = wanted::complete(&request, session).await?;

    let forces_answers = session.engine.forces_answers();
    let Asked { result, likelihood } = Stage::record(stages, "pick", answer).and_then(|answer| {
        parsed(&answer, &spec, forces_answers)
            .map(|pick| (pick, answer))
            .map_err(|error| Box::new(Verdict::Mechanics(error)))
    });
    let result = match result {
        Ok((pick, answer)) => {
            let target = target(pick, likely, question, session).await?;
            target.map(|target| Target {
                pick: answer,
                ..target
            })
        }
        Err(verdict) => Err(verdict),
    };
    Ok(Asked { result, likelihood })
}

/// What the answer must fit.
fn spec(question: &PickQuestion<'_>, profile: &Profile) -> SlotSpec {
    let PickQuestion { task, so_far } = *question;
    let is_first = so_far.lines.is_empty();
    let no_edit = if task.context().must_edit {
        NoEdit::Never
    } else if is_first {
        NoEdit::ForAnyReason
    } else {
        NoEdit::AsTheEnd
    };
    SlotSpec::Pick {
        files: so_far.choices(),
        // No adapter has learned to make a file after an edit, and so the end is one choice.
        may_create: is_first && search::may_create(task),
        goes_on: profile.continues_answers(),
        no_edit,
    }
}

fn request<E>(
    question: &PickQuestion<'_>,
    spec: &SlotSpec,
    likely: Option<&SeenFile>,
    session: &Session<'_, E>,
    given: Option<Given>,
) -> Request {
    let PickQuestion { task, so_far } = *question;
    let options = &session.options;
    let profile = &options.profile;
    let rows = &so_far.candidates.rows;
    let question = Question {
        task: &profile.told(task),
        rows,
        file: likely.map(|file| (file.path.as_str(), &file.shown)),
        so_far: &so_far.lines,
    };
    let prompt = profile.pick(&question);
    let limits = Limits {
        answer_tokens: profile.budget().pick_tokens,
    };
    // Mostly there is no further edit, and a wrong draft costs more than none.
    let is_drafted = options.drafting == Drafting::On && so_far.lines.is_empty();
    let first_row = rows.iter().take(1).map(|row| row.path.clone());
    Request {
        fixed_parts: profile.fixed_parts(),
        file_bytes: profile.file_bytes(&prompt, &question),
        sampling: options.sampling,
        likely: is_drafted.then(|| first_row.collect()),
        given,
        branches: options.branches,
        ..Request::new(prompt, Spec::Slots(spec.clone()), limits)
    }
}

/// The file that the search ranks first, unless no part of it fits the prompt.
async fn likely_file<E: Engine>(
    task: &Task,
    session: &mut Session<'_, E>,
    so_far: &SoFar,
) -> Result<Option<SeenFile>, FlowError> {
    let Some(row) = so_far.candidates.rows.first() else {
        return Ok(None);
    };
    match seen_file(&row.path, task, session, so_far.room.file).await {
        Ok(file) => Ok(Some(file)),
        Err(FlowError::FileTooLong { .. }) => Ok(None), // the model may pick another one
        Err(error) => Err(error),
    }
}

async fn seen_file<E: Engine>(
    path: &str,
    task: &Task,
    session: &mut Session<'_, E>,
    room: usize,
) -> Result<SeenFile, FlowError> {
    let text = session.workspace.read(path)?;
    let shown = show::show(task, path, &text, session, room).await?;
    Ok(SeenFile {
        path: path.to_owned(),
        text,
        shown,
    })
}

/// Reads an answer. One that was not forced to fit may spell the path differently, or name no listed
/// file.
fn parsed(answer: &str, spec: &SlotSpec, forces_answers: bool) -> Result<Pick, MechanicsError> {
    let pick = serde_json::from_str(answer)?;
    if forces_answers {
        Ok(pick)
    } else {
        Ok(free_pick::resolved(pick, spec)?)
    }
}

/// The file that was picked, and what the model sees of it. `likely`: the file that question 1 showed.
async fn target<E: Engine>(
    pick: Pick,
    likely: Option<SeenFile>,
    question: &PickQuestion<'_>,
    session: &mut Session<'_, E>,
) -> Result<Result<Target, Box<Verdict>>, FlowError> {
    let PickQuestion { task, so_far } = *question;
    let answer = serde_json::to_string(&pick).expect("a pick is plain data");
    let FilePick { path, operation } = match pick {
        Pick::File(pick) => pick,
        Pick::Create(_) => return Ok(Ok(Target::new_file(answer, likely))),
        Pick::None(pick) => return Ok(Err(Box::new(Verdict::Declined(pick.reason)))),
    };
    let file = match (likely, so_far.file(&path)) {
        (Some(file), _) if file.path == path => file,
        (_, Some(file)) => file.clone(),
        _ => seen_file(&path, task, session, so_far.room.file).await?,
    };
    let mut open = so_far.open(&file, operation);
    let SeenFile { path, text, shown } = file;
    if !Operation::possible_in(text.shown()).contains(&operation) {
        return Err(FlowError::Emptied { path });
    }
    if let Some(lines) = open_lines(question, &path, text.shown(), &session.options.profile) {
        open = open.within_lines(text.shown(), &lines);
    }
    let mut windows = open.windows.iter();
    let is_blank = windows.all(|window| window.text.trim().is_empty());
    if open.windows.is_empty() || (is_blank && operation != Operation::Insert) {
        let max = session.engine.model().context_tokens;
        return Err(FlowError::FileTooLong { path, max });
    }

    let target = Target {
        path,
        operation,
        text,
        shown,
        open,
        blocks: Vec::new(),
        pick: answer,
        beside: None,
    };
    if operation != Operation::Rewrite {
        return Ok(Ok(target));
    }
    let rewritten = rewrite::instead_of(&target, task, session).await?;
    // Where no block is shown whole, a part of it is replaced.
    Ok(Ok(rewritten.unwrap_or(Target {
        operation: Operation::Replace,
        ..target
    })))
}

/// The only lines of a file that may change now; `None` for all. A model that reads no notes is not
/// told where the person points, so that its first edit has to be there.
fn open_lines(
    question: &PickQuestion<'_>,
    path: &str,
    text: &str,
    profile: &Profile,
) -> Option<RangeInclusive<usize>> {
    let PickQuestion { task, so_far } = question;
    let context = task.context();
    let is_first = so_far.lines.is_empty();
    let points_at = context.points_at.as_ref();
    let points_at = points_at.filter(|_| is_first && profile.learned_from_sentences());
    let around = points_at.map(|line| pointed::around(path, text, line.number));
    context.lines.clone().or(around)
}
