//! Stage 1, `Task → Pick`: which file, and what to do to it.

use super::free_pick;
use super::outcome::{Asked, FlowError, MechanicsError, Stage, Verdict};
use super::room::{self, FILE_OVERHEAD, PromptRoom};
use super::session::{Drafting, GenerateOptions, Session};
use crate::constrain::{PickFile, SlotSpec, Spec};
use crate::engine::{Engine, Given, Likelihood, Limits, Progress, Request};
use crate::prompt::{Question, Row};
use crate::search::{self, FoundFiles, Ranked};
use crate::slots::{Operation, Pick};
use crate::task::Task;
use crate::text::{Shown, Text};

/// The files that stage 1 offers.
pub(super) struct Candidates {
    /// As the prompt lists them, best first.
    pub rows: Vec<Row>,
    /// As the constraint offers them, in the same order.
    pub choices: Vec<PickFile>,
    /// Every path that was listed: a new file must not have one of these. Hidden and ignored files
    /// are not among them; a clash with one of those is noticed when the file is made.
    pub existing: Vec<String>,
}

/// The file that the model picked, and what it sees of it in stage 2.
#[derive(Clone)]
pub(super) struct Target {
    /// Relative to the root; empty for a new file.
    pub path: String,
    /// What is to be done to it.
    pub operation: Operation,
    /// All of the file.
    pub text: Text,
    /// What the model sees.
    pub shown: Shown,
    /// What of it may change.
    pub open: Shown,
    /// The answer to stage 1.
    pub pick: String,
    /// For a new file: the file that stage 1 showed.
    pub beside: Option<(String, Shown)>,
}

/// Ranks the files, and keeps the best of them for which the prompt has room.
pub(super) async fn candidates<E: Engine>(
    task: &Task,
    session: &mut Session<'_, E>,
    room: PromptRoom,
) -> Result<Candidates, FlowError> {
    let Session { workspace, engine, options, progress } = session;
    let most = options.profile.budget().rows;
    let searching = &mut |n_files| progress(Progress::Searching(n_files));
    let FoundFiles { mut ranked, existing } =
        search::find_files(task, workspace, most, searching).await?;
    let lines: Vec<String> =
        ranked.iter().map(|file| format!("{}\t{}\n", file.path, file.words.join(" "))).collect();
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    let mut n_fitting = 0;
    let mut spent = 0;
    for cost in engine.count_tokens(&lines).await? {
        spent += cost + FILE_OVERHEAD;
        if spent > room.list {
            break;
        }
        n_fitting += 1;
    }
    ranked.truncate(n_fitting.max(1));
    let (rows, choices) = ranked
        .into_iter()
        .map(|Ranked { path, words, operations }| {
            (Row { path: path.clone(), words }, PickFile { path, operations })
        })
        .unzip();
    Ok(Candidates { rows, choices, existing })
}

/// What stage 1 is asked about.
pub(super) struct PickQuestion<'a> {
    pub task: &'a Task,
    pub candidates: &'a Candidates,
    pub room: PromptRoom,
}

/// Asks for the pick, with a given beginning of the answer or none. Gives the target, or what came
/// of an answer that names none.
pub(super) async fn ask<E: Engine>(
    question: &PickQuestion<'_>,
    session: &mut Session<'_, E>,
    given: Option<Given>,
    stages: &mut Vec<Stage>,
) -> Result<Asked<Target>, FlowError> {
    let PickQuestion { task, candidates, room } = *question;
    if let Some(pick) = session.options.pick.clone() {
        let result = target(pick, None, task, session, room.file).await?;
        return Ok(Asked { result, likelihood: Likelihood::default() });
    }
    let likely = likely_file(task, session, candidates, room.file).await?;
    let GenerateOptions { profile, sampling, drafting, .. } = &session.options;
    let spec = SlotSpec::Pick {
        files: candidates.choices.clone(),
        may_create: search::may_create(task),
        goes_on: profile.continues_answers(),
    };
    let question = Question {
        task: &profile.told(task),
        rows: &candidates.rows,
        file: likely.as_ref().map(|file| (file.path.as_str(), &file.shown)),
    };
    let paths = candidates.rows.iter().take(1).map(|row| row.path.clone()).collect();
    let request = Request {
        fixed_parts: profile.fixed_parts(),
        sampling: *sampling,
        likely: (*drafting == Drafting::On).then_some(paths),
        given,
        branches: session.options.branches,
        ..Request::new(
            profile.pick(&question),
            Spec::Slots(spec.clone()),
            Limits { answer_tokens: profile.budget().pick_tokens },
        )
    };
    let answer = session.engine.complete(&request, session.progress).await?;
    let forces_answers = session.engine.forces_answers();
    let Asked { result, likelihood } = Stage::record(stages, "pick", answer).and_then(|answer| {
        parsed(&answer, &spec, forces_answers)
            .map(|pick| (pick, answer))
            .map_err(|error| Box::new(Verdict::Mechanics(error)))
    });
    let result = match result {
        Ok((pick, answer)) => target(pick, likely, task, session, room.file)
            .await?
            .map(|target| Target { pick: answer, ..target }),
        Err(verdict) => Err(verdict),
    };
    Ok(Asked { result, likelihood })
}

/// A file, and what the model sees of it.
struct SeenFile {
    path: String,
    text: Text,
    shown: Shown,
}

/// The file that the search ranks first, unless no part of it fits the prompt.
async fn likely_file<E: Engine>(
    task: &Task,
    session: &mut Session<'_, E>,
    candidates: &Candidates,
    room: usize,
) -> Result<Option<SeenFile>, FlowError> {
    let Some(row) = candidates.rows.first() else { return Ok(None) };
    match seen_file(&row.path, task, session, room).await {
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
    let shown = room::show(task, path, &text, session, room).await?;
    Ok(SeenFile { path: path.to_owned(), text, shown })
}

/// An answer that nobody forced may spell the path differently, or name no listed file.
fn parsed(answer: &str, spec: &SlotSpec, forces_answers: bool) -> Result<Pick, MechanicsError> {
    let pick = serde_json::from_str(answer)?;
    if forces_answers { Ok(pick) } else { Ok(free_pick::resolved(pick, spec)?) }
}

async fn target<E: Engine>(
    pick: Pick,
    likely: Option<SeenFile>,
    task: &Task,
    session: &mut Session<'_, E>,
    room: usize,
) -> Result<Result<Target, Box<Verdict>>, FlowError> {
    let answer = serde_json::to_string(&pick).expect("a pick is plain data");
    let (path, operation) = match pick {
        Pick::File(pick) => (pick.path, pick.operation),
        Pick::Create(_) => {
            return Ok(Ok(Target {
                path: String::new(),
                operation: Operation::Create,
                text: Text::decode(Vec::new()).expect("no bytes are a text"),
                shown: Shown::whole(""),
                open: Shown::whole(""),
                pick: answer,
                beside: likely.map(|file| (file.path, file.shown)),
            }));
        }
        Pick::None(pick) => return Ok(Err(Box::new(Verdict::Declined(pick.reason)))),
    };
    let SeenFile { path, text, shown } = match likely {
        Some(file) if file.path == path => file,
        _ => seen_file(&path, task, session, room).await?,
    };
    if !Operation::possible_in(text.shown()).contains(&operation) {
        return Err(FlowError::Emptied { path });
    }
    let open = match &task.context().lines {
        Some(lines) => shown.within_lines(text.shown(), lines),
        None => shown.clone(),
    };
    let is_blank = open.windows.iter().all(|window| window.text.trim().is_empty());
    if open.windows.is_empty() || (is_blank && operation != Operation::Insert) {
        let max = session.engine.model().context_tokens;
        return Err(FlowError::FileTooLong { path, max });
    }
    Ok(Ok(Target { path, operation, text, shown, open, pick: answer, beside: None }))
}
