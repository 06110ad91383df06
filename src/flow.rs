//! The whole of it: `Task → Pick → Slots → Edit → EditSet → Patched`, in two questions to a model.
//!
//! Everything between the questions is the program's: which files there are and which matter, what of the
//! file is shown, where the answer's text stands in it, what the file's bytes become. Nothing is written
//! here: the patch goes to the gate, and from there to [`Workspace::commit`].

use crate::constrain::{PickFile, Slot, Spec};
use crate::edit::{self, Edit, EditSet, LocateError, Replacement};
use crate::engine::{Answer, AnswerStats, End, Engine, EngineError, Limits, Progress, Request, Sampling};
use crate::prompt::{Profile, Row, hints};
use crate::slots::{Operation, Pick, Reason, Slots};
use crate::task::Task;
use crate::text::{self, EncodeError, GAP, Shown, Text};
use crate::workspace::{Listing, Workspace, WorkspaceError};
use std::collections::BTreeMap;

/// What came of a task, and what it took.
#[derive(Debug)]
pub struct Outcome {
    /// What came of it.
    pub verdict: Verdict,
    /// The answers, stage by stage.
    pub stages: Vec<Stage>,
}

/// What came of a task.
#[derive(Debug)]
pub enum Verdict {
    /// An edit that applies. Whether it is the right one, a person or a test must say.
    Proposed(Patched),
    /// The text is there already.
    AlreadyDone,
    /// The model said no.
    Declined(Reason),
    /// The answer did not end: its budget was spent, or the vocabulary could not go on.
    Truncated(End),
    /// The answer is no edit. With our own constraint this does not happen.
    Mechanics(MechanicsError),
    /// The edit is one, but the file's encoding cannot hold its text.
    Refused(EncodeError),
}

/// A file before and after.
#[derive(Debug)]
pub struct Patched {
    /// Relative to the root.
    pub path: String,
    /// What was asked for.
    pub operation: Operation,
    /// The file as the model saw it; empty for a new one.
    pub before: Text,
    /// Its bytes after the edit.
    pub after: Vec<u8>,
    /// What was replaced, in file order.
    pub replacements: Vec<Replacement>,
}

/// One question and its answer.
#[derive(Debug)]
pub struct Stage {
    /// `pick`, or the operation of stage 2.
    pub name: &'static str,
    /// What the model wrote.
    pub answer: String,
    /// What it took.
    pub stats: AnswerStats,
}

/// An answer that is no edit.
#[derive(Debug, thiserror::Error)]
pub enum MechanicsError {
    /// It is not the JSON that was asked for.
    #[error("the answer does not have the slots that were asked for: {0}")]
    Slots(#[from] serde_json::Error),
    /// Its text stands nowhere, or in several places.
    #[error(transparent)]
    Locate(#[from] LocateError),
}

/// Why no question could be asked or answered.
#[derive(Debug, thiserror::Error)]
pub enum FlowError {
    /// No file that can be edited, and a model that cannot make one.
    #[error("there is no text file to edit in {root}")]
    NoFiles {
        /// The folder.
        root: String,
        /// What was left out: path and reason.
        left_out: Vec<(String, String)>,
    },
    /// The task opens with a file that is not among those listed.
    #[error("the task is about {path:?}, and there is no such file among those to edit in {root}")]
    NotListed {
        /// As the task has it.
        path: String,
        /// The folder.
        root: String,
    },
    /// The task alone fills the model's context.
    #[error("the task has {n_tokens} tokens, which leaves no room for a file: this model reads {max} at most")]
    TaskTooLong {
        /// Of the task.
        n_tokens: usize,
        /// What the context has room for.
        max: usize,
    },
    /// A file of which nothing fits the model's context.
    #[error("there is no room for any part of {path} beside the task: the model reads {max} tokens at most")]
    FileTooLong {
        /// Which.
        path: String,
        /// The context.
        max: usize,
    },
    /// The folder or a file.
    #[error(transparent)]
    Workspace(#[from] WorkspaceError),
    /// The model.
    #[error(transparent)]
    Engine(#[from] EngineError),
}

/// How a model is asked.
#[derive(Clone, Debug)]
pub struct Asking {
    /// In which words.
    pub profile: Profile,
    /// How its tokens are chosen.
    pub sampling: Sampling,
}

/// Makes the edit that a task asks for, up to the gate.
pub async fn edit<E: Engine>(
    task: &Task,
    workspace: &Workspace,
    asking: &Asking,
    engine: &mut E,
    progress: &mut dyn FnMut(Progress),
) -> Result<Outcome, FlowError> {
    let Asking { profile, sampling } = asking;
    let mut stages = Vec::new();
    let room = room_beside(task, profile, engine).await?;
    let files = candidates(task, workspace, profile, engine, room, progress).await?;

    // Stage 1: which file, which operation?
    let request = Request {
        prompt: profile.pick(task.sentence(), &files.rows),
        spec: Spec::Pick { files: files.choices, may_create: may_create(task, profile) },
        limits: Limits { answer_tokens: profile.budget().pick_tokens },
        sampling: *sampling,
    };
    let answer = engine.complete(&request, progress).await?;
    let (path, operation) = match ended(answer, "pick", &mut stages) {
        Err(end) => return Ok(Outcome { verdict: Verdict::Truncated(end), stages }),
        Ok(text) => match serde_json::from_str(&text) {
            Ok(Pick::File(pick)) => (pick.path, pick.operation),
            Ok(Pick::Create(_)) => (String::new(), Operation::Create),
            Ok(Pick::None(pick)) => return Ok(Outcome { verdict: Verdict::Declined(pick.reason), stages }),
            Err(error) => return Ok(Outcome { verdict: Verdict::Mechanics(error.into()), stages }),
        },
    };

    // Stage 2: its slots.
    let text = match operation {
        Operation::Create => Text::decode(Vec::new()).expect("nothing is a text"),
        _ => workspace.read(&path)?,
    };
    let shown = show(task, &path, &text, engine, room).await?;
    let request = Request {
        prompt: profile.fill(task.sentence(), &path, operation, &shown),
        spec: spec(operation, &shown, files.existing),
        limits: Limits { answer_tokens: profile.budget().fill_tokens },
        sampling: *sampling,
    };
    let answer = engine.complete(&request, progress).await?;
    let verdict = match ended(answer, operation.word(), &mut stages) {
        Err(end) => Verdict::Truncated(end),
        Ok(answer) => match Slots::parse(operation, &answer) {
            Ok(slots) => patch(&slots, path, operation, &shown, text),
            Err(error) => Verdict::Mechanics(error.into()),
        },
    };
    Ok(Outcome { verdict, stages })
}

/// `Slots → Edit → EditSet → Patched`.
fn patch(slots: &Slots, path: String, operation: Operation, shown: &Shown, before: Text) -> Verdict {
    let edit = match edit::locate(slots, shown) {
        Ok(Some(edit)) => edit,
        Ok(None) => return Verdict::Declined(Reason::NotInTheseFiles),
        Err(error) => return Verdict::Mechanics(error.into()),
    };
    let path = if let Slots::Create(slots) = slots { slots.path.clone() } else { path };
    let edit_set = match EditSet::of(&edit, &path, &before) {
        Ok(edit_set) => edit_set,
        Err(error) => return Verdict::Mechanics(error.into()),
    };
    if edit_set.is_empty() && !matches!(edit, Edit::Create { .. }) {
        return Verdict::AlreadyDone;
    }
    match edit_set.apply(&before) {
        Ok(after) => {
            Verdict::Proposed(Patched { path, operation, after, replacements: edit_set.replacements().to_vec(), before })
        }
        Err(error) => Verdict::Refused(error),
    }
}

/// Keeps what a stage took; gives its answer if it is complete.
fn ended(answer: Answer, name: &'static str, stages: &mut Vec<Stage>) -> Result<String, End> {
    stages.push(Stage { name, answer: answer.text.clone(), stats: answer.stats });
    if answer.end == End::Complete { Ok(answer.text) } else { Err(answer.end) }
}

fn spec(operation: Operation, shown: &Shown, existing: Vec<String>) -> Spec {
    let shown = shown.clone();
    match operation {
        Operation::Replace => Spec::Replace { shown },
        Operation::ReplaceAll => Spec::ReplaceAll { shown },
        Operation::Insert => Spec::Insert { shown },
        Operation::Create => Spec::Create { existing },
    }
}

/// Tokens that a prompt may spend on files: what the context has, less the task, the answer and the words
/// around them.
async fn room_beside<E: Engine>(task: &Task, profile: &Profile, engine: &mut E) -> Result<usize, FlowError> {
    let budget = profile.budget();
    let longest_frame = [Operation::Replace, Operation::Insert].map(|operation| {
        let parts = profile.fill("", "", operation, &Shown::whole(""));
        parts.into_iter().map(|part| match part {
            crate::engine::Part::Control(text) | crate::engine::Part::Text(text) => text,
        })
    });
    let frame: String = longest_frame.into_iter().map(Iterator::collect::<String>).max_by_key(String::len).unwrap_or_default();
    let counts = engine.count_tokens(&[task.sentence(), &frame]).await?;
    let max = engine.model().context_tokens.saturating_sub(budget.fill_tokens);
    // Markup is counted as text here, which is never less; a little is kept for the seams.
    let room = max.saturating_sub(counts.iter().sum::<usize>() + 32);
    // A file of which only a few lines fit is not worth asking about.
    if room < 64 {
        return Err(FlowError::TaskTooLong { n_tokens: counts[0], max });
    }
    Ok(room.min(budget.shown_tokens))
}

/// The files of stage 1.
struct Candidates {
    rows: Vec<Row>,
    choices: Vec<PickFile>,
    /// All that could be listed: what a new file must not be called. Hidden and ignored files are not among
    /// them; a name of those is noticed when the file is made.
    existing: Vec<String>,
}

/// A new file may be made unless the person named the files that the task is about.
fn may_create(task: &Task, profile: &Profile) -> bool {
    profile.operations().contains(&Operation::Create) && task.files().is_empty()
}

/// Lists the files and keeps those that matter most for the task, as many as stage 1 has room for: first
/// those it names, then those that more of its words stand in.
async fn candidates<E: Engine>(
    task: &Task,
    workspace: &Workspace,
    profile: &Profile,
    engine: &mut E,
    room: usize,
    progress: &mut dyn FnMut(Progress),
) -> Result<Candidates, FlowError> {
    let mut listing = match task.files() {
        [] => {
            progress(Progress::Searching(0));
            // On a thread of its own: a walk through a large folder takes seconds, and may be cancelled.
            let root = workspace.root().to_path_buf();
            tokio::task::spawn_blocking(move || Listing::of(&root)).await.unwrap_or_default()
        }
        named => {
            let mut paths = named.iter().map(|path| workspace.resolve_named(path)).collect::<Result<Vec<_>, _>>()?;
            paths.sort_unstable();
            paths.dedup();
            Listing { paths, left_out: Vec::new() }
        }
    };
    let existing = listing.paths.clone();
    // A task that opens with "In sample.swift, …" says which file it is about.
    let opening = hints::opening_file(task.sentence());
    let is_opening = |path: &String| opening.as_ref().is_some_and(|opening| opening.names(path));
    let mut is_named = !task.files().is_empty();
    if listing.paths.iter().any(is_opening) {
        listing.paths.retain(is_opening);
        is_named = true;
    } else if let Some(opening) = opening
        && opening.is_surely_a_file(&listing.paths)
        && !may_create(task, profile)
    {
        return Err(FlowError::NotListed { path: opening.path.to_owned(), root: workspace.root().display().to_string() });
    }
    let words = hints::task_words(task.sentence());
    let mut ranked = Vec::new();
    for (i, path) in listing.paths.iter().enumerate() {
        progress(Progress::Searching(i));
        tokio::task::yield_now().await; // so that whoever cancels is heard
        let text = match workspace.read(path) {
            Ok(text) => text,
            Err(error) if is_named => return Err(error.into()),
            Err(error) => {
                listing.left_out.push((path.clone(), error.reason()));
                continue;
            }
        };
        let is_blank = text.shown().trim().is_empty();
        let row = Row { path: path.clone(), hints: hints::hints(&words, text.shown()) };
        let rank = (hints::names_file(task.sentence(), path), hints::score(&words, text.shown()));
        ranked.push((rank, row, operations_for(profile, is_blank)));
    }
    if ranked.is_empty() && !may_create(task, profile) {
        return Err(FlowError::NoFiles { root: workspace.root().display().to_string(), left_out: listing.left_out });
    }
    if profile.lists_only_hinted() && ranked.iter().any(|(rank, ..)| *rank > (false, 0)) {
        ranked.retain(|(rank, ..)| *rank > (false, 0));
    }
    ranked.sort_by(|a, b| b.0.cmp(&a.0).then_with(|| a.1.path.cmp(&b.1.path)));
    ranked.truncate(profile.budget().rows);
    let lines: Vec<String> = ranked.iter().map(|(_, row, _)| format!("{}\t{}\n", row.path, row.hints.join(" "))).collect();
    let costs = engine.count_tokens(&lines.iter().map(String::as_str).collect::<Vec<_>>()).await?;
    let mut spent = 0;
    let n_fitting = costs
        .iter()
        .take_while(|&&cost| {
            spent += cost + 8;
            spent <= room
        })
        .count();
    ranked.truncate(n_fitting.max(1));
    ranked.sort_by(|a, b| a.1.path.cmp(&b.1.path));
    let choices =
        ranked.iter().map(|(_, row, operations)| PickFile { path: row.path.clone(), operations: operations.clone() }).collect();
    Ok(Candidates { rows: ranked.into_iter().map(|(_, row, _)| row).collect(), choices, existing })
}

/// What can be done to a file that exists: there is nothing to replace in a blank one.
fn operations_for(profile: &Profile, is_blank: bool) -> Vec<Operation> {
    let fits = |operation: &Operation| match operation {
        Operation::Create => false,
        Operation::Replace | Operation::ReplaceAll => !is_blank,
        Operation::Insert => true,
    };
    profile.operations().iter().copied().filter(fits).collect()
}

/// Blocks of a long file that are weighed at most: more never fit.
const MOST_BLOCKS: usize = 64;

/// What of a file the model sees: all of it, or the blocks that matter most for the task, as many as there
/// is room for; of equal ones the first.
async fn show<E: Engine>(task: &Task, path: &str, text: &Text, engine: &mut E, room: usize) -> Result<Shown, FlowError> {
    let text = text.shown();
    // Counting takes time too, and no token is this long.
    if text.len() <= 64 * room && engine.count_tokens(&[text]).await?[0] <= room {
        return Ok(Shown::whole(text));
    }
    let words = hints::task_words(task.sentence());
    let mut blocks = text::blocks(text);
    blocks.retain(|block| !text[block.range.clone()].trim().is_empty());
    blocks.sort_by_key(|block| std::cmp::Reverse(hints::score(&words, &text[block.range.clone()])));
    blocks.truncate(MOST_BLOCKS);
    let costs = engine.count_tokens(&blocks.iter().map(|block| &text[block.range.clone()]).collect::<Vec<_>>()).await?;
    let gap = engine.count_tokens(&[GAP]).await?[0];
    let mut spent = 0;
    let mut cost = costs.iter();
    blocks.retain(|_| {
        let with_this = spent + cost.next().unwrap_or(&usize::MAX).saturating_add(gap);
        let fits = with_this <= room;
        spent = if fits { with_this } else { spent };
        fits
    });
    if blocks.is_empty() {
        let max = engine.model().context_tokens;
        return Err(FlowError::FileTooLong { path: path.to_owned(), max });
    }
    Ok(Shown::of_blocks(text, blocks))
}

impl Outcome {
    /// By slot, over both stages: see [`AnswerStats::masked_mass`].
    pub fn masked_mass(&self) -> BTreeMap<Slot, f64> {
        self.stages.iter().flat_map(|stage| stage.stats.masked_mass.clone()).collect()
    }
}
