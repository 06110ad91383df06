//! Stage 1, `Task → Pick`: which file, and what to do to it.

use super::free_pick;
use super::outcome::{Asked, FlowError, MechanicsError, Stage, Verdict};
use super::rewrite;
use super::room::{self, FILE_OVERHEAD};
use super::session::{Drafting, GenerateOptions, Session};
use super::so_far::SoFar;
use super::target::{Candidates, PromptRoom, SeenFile, Target};
use crate::constrain::{NoEdit, PickFile, SlotSpec, Spec};
use crate::engine::{Engine, Given, Likelihood, Limits, Progress, Request};
use crate::prompt::{Question, Row};
use crate::search::{self, FoundFiles, Ranked};
use crate::slots::{Operation, Pick};
use crate::task::Task;
use crate::text::{Shown, Text};

/// Ranks the files, and keeps the best of them for which the prompt has room.
pub(super) async fn candidates<E: Engine>(
    task: &Task,
    session: &mut Session<'_, E>,
    room: PromptRoom,
) -> Result<Candidates, FlowError> {
    let Session {
        workspace,
        engine,
        options,
        progress,
    } = session;
    let profile = &options.profile;
    let most = profile.budget().rows;
    let searching = &mut |n_files| progress(Progress::Searching(n_files));
    let FoundFiles {
        mut ranked,
        existing,
    } = search::find_files(task, workspace, most, searching).await?;
    let lines: Vec<String> = ranked
        .iter()
        .map(|file| format!("{}\t{}\n", file.path, file.words.join(" ")))
        .collect();
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
        .map(
            |Ranked {
                 path,
                 words,
                 mut operations,
             }| {
                operations.retain(|&it| it != Operation::Rewrite || profile.offers_rewrite());
                (
                    Row {
                        path: path.clone(),
                        words,
                    },
                    PickFile { path, operations },
                )
            },
        )
        .unzip();
    Ok(Candidates {
        rows,
        choices,
        existing,
    })
}

/// What stage 1 is asked about.
pub(super) struct PickQuestion<'a> {
    pub task: &'a Task,
    pub so_far: &'a SoFar,
}

/// Asks for the pick, with a given beginning of the answer or none. Gives the target, or what came
/// of an answer that names none.
pub(super) async fn ask<E: Engine>(
    question: &PickQuestion<'_>,
    session: &mut Session<'_, E>,
    given: Option<Given>,
    stages: &mut Vec<Stage>,
) -> Result<Asked<Target>, FlowError> {
    let PickQuestion { task, so_far } = *question;
    let SoFar {
        candidates,
        room,
        lines,
        ..
    } = so_far;
    if let Some(pick) = session.options.pick.clone() {
        let result = target(pick, None, question, session).await?;
        return Ok(Asked {
            result,
            likelihood: Likelihood::default(),
        });
    }
    let is_first = lines.is_empty();
    let likely = match is_first {
        true => likely_file(task, session, candidates, room.file).await?,
        false => so_far.shown.clone(),
    };
    let GenerateOptions {
        profile,
        sampling,
        drafting,
        ..
    } = &session.options;
    let spec = SlotSpec::Pick {
        files: so_far.choices(),
        // No adapter has learned to make a file after an edit, and so the end is one choice.
        may_create: is_first && search::may_create(task),
        goes_on: profile.continues_answers(),
        no_edit: match is_first {
            _ if task.context().must_edit => NoEdit::Never,
            true => NoEdit::ForAnyReason,
            false => NoEdit::AsTheEnd,
        },
    };
    let asked = Question {
        task: &profile.told(task),
        rows: &candidates.rows,
        file: likely
            .as_ref()
            .map(|file| (file.path.as_str(), &file.shown)),
        so_far: lines,
    };
    let paths = candidates
        .rows
        .iter()
        .take(1)
        .map(|row| row.path.clone())
        .collect();
    let request = Request {
        fixed_parts: profile.fixed_parts(),
        sampling: *sampling,
        // Mostly there is no further edit, and a wrong draft costs more than none.
        likely: (*drafting == Drafting::On && is_first).then_some(paths),
        given,
        branches: session.options.branches,
        ..Request::new(
            profile.pick(&asked),
            Spec::Slots(spec.clone()),
            Limits {
                answer_tokens: profile.budget().pick_tokens,
            },
        )
    };
    if let Some(file) = &likely {
        (session.progress)(Progress::Showing(file.path.clone()));
    }
    let answer = session.engine.complete(&request, session.progress).await?;
    let forces_answers = session.engine.forces_answers();
    let Asked { result, likelihood } = Stage::record(stages, "pick", answer).and_then(|answer| {
        parsed(&answer, &spec, forces_answers)
            .map(|pick| (pick, answer))
            .map_err(|error| Box::new(Verdict::Mechanics(error)))
    });
    let result = match result {
        Ok((pick, answer)) => target(pick, likely, question, session)
            .await?
            .map(|target| Target {
                pick: answer,
                ..target
            }),
        Err(verdict) => Err(verdict),
    };
    Ok(Asked { result, likelihood })
}

/// The file that the search ranks first, unless no part of it fits the prompt.
async fn likely_file<E: Engine>(
    task: &Task,
    session: &mut Session<'_, E>,
    candidates: &Candidates,
    room: usize,
) -> Result<Option<SeenFile>, FlowError> {
    let Some(row) = candidates.rows.first() else {
        return Ok(None);
    };
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
    Ok(SeenFile {
        path: path.to_owned(),
        text,
        shown,
    })
}

/// An answer that nobody forced may spell the path differently, or name no listed file.
fn parsed(answer: &str, spec: &SlotSpec, forces_answers: bool) -> Result<Pick, MechanicsError> {
    let pick = serde_json::from_str(answer)?;
    if forces_answers {
        Ok(pick)
    } else {
        Ok(free_pick::resolved(pick, spec)?)
    }
}

async fn target<E: Engine>(
    pick: Pick,
    likely: Option<SeenFile>,
    question: &PickQuestion<'_>,
    session: &mut Session<'_, E>,
) -> Result<Result<Target, Box<Verdict>>, FlowError> {
    let PickQuestion { task, so_far } = *question;
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
                blocks: Vec::new(),
                pick: answer,
                beside: likely,
            }));
        }
        Pick::None(pick) => return Ok(Err(Box::new(Verdict::Declined(pick.reason)))),
    };
    let file = match (likely, so_far.file(&path)) {
        (Some(file), _) if file.path == path => file,
        (_, Some(file)) => file.clone(),
        _ => seen_file(&path, task, session, so_far.room.file).await?,
    };
    let still_open = so_far.open(&file, operation);
    let SeenFile { path, text, shown } = file;
    if !Operation::possible_in(text.shown()).contains(&operation) {
        return Err(FlowError::Emptied { path });
    }
    let open = match &task.context().lines {
        Some(lines) => still_open.within_lines(text.shown(), lines),
        None => still_open,
    };
    let is_blank = open
        .windows
        .iter()
        .all(|window| window.text.trim().is_empty());
    if open.windows.is_empty() || (is_blank && operation != Operation::Insert) {
        let max = session.engine.model().context_tokens;
        return Err(FlowError::FileTooLong { path, max });
    }
    let (blocks, beside) = (Vec::new(), None);
    let target = Target {
        path,
        operation,
        text,
        shown,
        open,
        blocks,
        pick: answer,
        beside,
    };
    if operation != Operation::Rewrite {
        return Ok(Ok(target));
    }
    // Where no block is shown whole, a part of it is replaced.
    let operation = Operation::Replace;
    Ok(Ok(rewrite::instead_of(&target, task, session)
        .await?
        .unwrap_or(Target {
            operation,
            ..target
        })))
}
