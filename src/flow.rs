//! The whole of it: `Task → Pick → Slots → Edit → EditSet → Patched`, in two questions to a model; a
//! small one that is not sure is asked both once more.
//!
//! Everything between the questions is the program's: which files there are and which matter, what of the
//! file is shown, where the answer's text stands in it, what the file's bytes become. Nothing is written
//! here: the patch goes to the gate, and from there to
//! [`crate::workspace::journal::Journal::commit`].

pub mod ahead;
pub mod overview;
mod selection;
pub mod steps;
mod unforced;

use crate::constrain::{Slot, Spec};
use crate::edit::locate::Rung;
use crate::edit::unforced::Found;
use crate::edit::{self, Edit, EditSet, Replacement, SlotsError};
use crate::engine::{Answer, AnswerStats, End, Engine, EngineError, Limits, Progress, Request, Sampling};
use crate::prompt::Profile;
use crate::prompt::relevance::{self, Room};
use crate::slots::{Operation, Pick, Reason, Slots};
use crate::task::Task;
use crate::text::{EncodeError, Shown, Text};
use crate::workspace::{Workspace, WorkspaceError};
use selection::{Candidates, candidates, may_create, room_beside, show};
use std::collections::BTreeMap;
use std::ops::Range;
pub use unforced::PickError;

/// What came of a task, and what it took.
#[derive(Debug)]
pub struct Outcome {
    /// What came of it.
    pub verdict: Verdict,
    /// The answers, stage by stage.
    pub stages: Vec<Stage>,
    /// The answers of the other look, if there were two: see [`Asking::looks_again`].
    pub passed_over: Vec<Stage>,
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
    /// How the answer's text was found in the file.
    pub rung: Rung,
    /// The parts of the file that the model saw, in file order: in bytes of [`Text::shown`].
    pub seen: Vec<Range<usize>>,
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
    /// It names no file that was listed, or an operation that was not offered.
    #[error(transparent)]
    Pick(#[from] PickError),
    /// Its text stands nowhere, or in several places.
    #[error(transparent)]
    Locate(#[from] SlotsError),
}

/// Why no question could be asked or answered.
#[derive(Debug, thiserror::Error)]
pub enum FlowError {
    /// No file that can be edited, and a model that is not asked without.
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
    /// A model that could not read even the shortest question and answer it.
    #[error("the model's context of {context} tokens is too short: a question and its answer need {needed}")]
    ContextTooShort {
        /// Tokens.
        context: usize,
        /// Tokens.
        needed: usize,
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
    /// A file with text in it when it was listed, and none when it was to be shown.
    #[error("{path} was emptied by somebody else meanwhile; nothing was written")]
    Emptied {
        /// Which.
        path: String,
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
    /// Whether what comes next is guessed, to be checked by the model: see [`crate::engine::draft`].
    pub drafting: bool,
    /// Stage 1's answer, where it is not the model's to give.
    pub pick: Option<Pick>,
    /// Whether a small model that is not sure of its answer, or whose answer is no edit, is asked a second time where there is less
    /// of the file to show: the answer that it is surer of counts. It reads a few lines better than many, and the search has them
    /// right mostly, not always.
    pub looks_again: bool,
}

impl Asking {
    /// As `slotwright edit` asks: the likeliest tokens, drafted, in both stages, with a second look.
    pub fn new(profile: Profile) -> Asking {
        Asking { profile, sampling: Sampling::Greedy, drafting: true, pick: None, looks_again: true }
    }
}

/// Lines of a file that an answer may be drafted from.
const LIKELY_LINES: Room = Room { lines: 3, bytes: 1_000 };

/// From this certainty on there is no second look. On the development tasks (`models/README.md`) with a higher limit no more came out
/// right, and with 0.3 fewer did.
const SURE_ENOUGH: f64 = 0.5;

/// Makes the edit that a task asks for, up to the gate.
pub async fn edit<E: Engine>(
    task: &Task,
    workspace: &Workspace,
    asking: &Asking,
    engine: &mut E,
    progress: &mut dyn FnMut(Progress),
) -> Result<Outcome, FlowError> {
    let profile = &asking.profile;
    let room = room_beside(task, profile, engine).await?;
    let files = candidates(task, workspace, profile, engine, room, progress).await?;
    let (outcome, n_shown) = look(task, workspace, asking, &files, room, engine, progress).await?;
    let closer = profile.closer_tokens().filter(|&closer| asking.looks_again && closer < n_shown);
    let Some(closer) = closer.filter(|_| outcome.sureness() < SURE_ENOUGH) else { return Ok(outcome) };
    // What was read of it serves the next edit too.
    let _ = engine.keep_read().await;
    match look(task, workspace, asking, &files, closer, engine, progress).await {
        Ok((second, _)) => Ok(outcome.or(second)),
        Err(FlowError::FileTooLong { .. }) => Ok(outcome), // no line of it is short enough
        Err(error) => Err(error),
    }
}

/// Both questions, with so many tokens of a file shown at most. With the outcome, the most tokens that were shown of one
/// file.
async fn look<E: Engine>(
    task: &Task,
    workspace: &Workspace,
    asking: &Asking,
    files: &Candidates,
    room: usize,
    engine: &mut E,
    progress: &mut dyn FnMut(Progress),
) -> Result<(Outcome, usize), FlowError> {
    let Asking { profile, sampling, drafting, pick, .. } = asking;
    let mut stages = Vec::new();
    let mut n_shown = 0;

    // Stage 1: which file, which operation?
    let first = match &files.likely {
        Some(path) if profile.shows_likely_file() && pick.is_none() => {
            let text = workspace.read(path)?;
            match show(task, path, &text, profile, engine, room).await {
                Ok((shown, n_tokens)) => {
                    n_shown = n_tokens;
                    Some((path.clone(), text, shown))
                }
                Err(FlowError::FileTooLong { .. }) => None, // another one may be chosen
                Err(error) => return Err(error),
            }
        }
        _ => None,
    };
    let request = Request {
        prompt: profile.pick(&profile.told(task), &files.rows, first.as_ref().map(|(path, _, shown)| (path.as_str(), shown))),
        spec: Spec::Pick { files: files.choices.clone(), may_create: may_create(task) },
        limits: Limits { answer_tokens: profile.budget().pick_tokens },
        sampling: *sampling,
        likely: drafting.then(|| files.likely.iter().cloned().collect()),
        favoured: profile.favoured_files(&files.rows),
        given: None,
    };
    let pick = match pick {
        Some(pick) => Ok(pick.clone()),
        None => {
            let answer = engine.complete(&request, progress).await?;
            match ended(answer, "pick", &mut stages) {
                Err(end) => return Ok((Outcome::new(Verdict::Truncated(end), stages), n_shown)),
                Ok(text) => picked(&text, &request.spec, engine.forces_answers()),
            }
        }
    };
    let (path, operation) = match pick {
        Ok(Pick::File(pick)) => (pick.path, pick.operation),
        Ok(Pick::Create(_)) => (String::new(), Operation::Create),
        Ok(Pick::None(pick)) => return Ok((Outcome::new(Verdict::Declined(pick.reason), stages), n_shown)),
        Err(error) => return Ok((Outcome::new(Verdict::Mechanics(error), stages), n_shown)),
    };

    // Stage 2: its slots.
    let (text, shown) = match (operation, first.filter(|(likely, ..)| *likely == path)) {
        (Operation::Create, _) => (Text::decode(Vec::new()).expect("nothing is a text"), None),
        (_, Some((_, text, shown))) => (text, Some(shown)),
        (_, None) => (workspace.read(&path)?, None),
    };
    if text.shown().trim().is_empty() && matches!(operation, Operation::Replace | Operation::ReplaceAll) {
        return Err(FlowError::Emptied { path });
    }
    let shown = match shown {
        Some(shown) => shown,
        None => {
            let (shown, n_tokens) = show(task, &path, &text, profile, engine, room).await?;
            n_shown = n_shown.max(n_tokens);
            shown
        }
    };
    let likely = || {
        let lines = relevance::most_relevant(task.sentence(), &shown, LIKELY_LINES, false).into_iter().map(|line| line.text);
        lines.chain([task.sentence().to_owned()]).collect()
    };
    let request = Request {
        prompt: profile.fill(&profile.told(task), &path, operation, &shown),
        spec: spec(operation, &shown, &files.existing, profile.names_blocks()),
        limits: Limits { answer_tokens: profile.budget().fill_tokens },
        sampling: *sampling,
        likely: drafting.then(likely),
        favoured: profile.favoured(task.sentence(), operation, &shown),
        given: None,
    };
    let answer = engine.complete(&request, progress).await?;
    let verdict = match ended(answer, operation.word(), &mut stages) {
        Err(end) => Verdict::Truncated(end),
        Ok(answer) => match fill(&answer, operation, &request.spec, engine.forces_answers()) {
            Ok(slots) => patch(&slots, path, operation, &shown, text, engine.forces_answers()),
            Err(error) => Verdict::Mechanics(error),
        },
    };
    Ok((Outcome::new(verdict, stages), n_shown))
}

/// The answer of stage 1. One that nobody forced may name a file in other words, or none.
fn picked(answer: &str, spec: &Spec, is_forced: bool) -> Result<Pick, MechanicsError> {
    let pick = serde_json::from_str(answer)?;
    if is_forced { Ok(pick) } else { Ok(unforced::resolved(pick, spec)?) }
}

/// The answer of stage 2. One that nobody forced may name a new file that is there.
fn fill(answer: &str, operation: Operation, spec: &Spec, is_forced: bool) -> Result<Slots, MechanicsError> {
    let slots = Slots::parse(operation, answer)?;
    if is_forced { Ok(slots) } else { Ok(unforced::named(slots, spec)?) }
}

/// `Slots → Edit → EditSet → Patched`.
fn patch(slots: &Slots, path: String, operation: Operation, shown: &Shown, before: Text, is_forced: bool) -> Verdict {
    let path = if let Slots::Create(slots) = slots { slots.path.clone() } else { path };
    let exact = |edit: Edit| Ok(Found { edit_set: EditSet::of(&edit, &path, &before)?, rung: Rung::Exact });
    let found = match is_forced {
        true => edit::place(slots, shown).and_then(|edit| edit.map(exact).transpose()),
        false => edit::unforced::find(slots, &path, shown, &before),
    };
    let Found { edit_set, rung } = match found {
        Ok(Some(found)) => found,
        Ok(None) => return Verdict::Declined(Reason::NotInTheseFiles),
        Err(error) => return Verdict::Mechanics(error.into()),
    };
    if edit_set.is_empty() && operation != Operation::Create {
        return Verdict::AlreadyDone;
    }
    match edit_set.apply(&before) {
        Ok(after) => {
            let seen = shown.windows.iter().map(|window| window.offset..window.offset + window.text.len()).collect();
            let replacements = edit_set.replacements().to_vec();
            Verdict::Proposed(Patched { path, operation, after, replacements, rung, before, seen })
        }
        Err(error) => Verdict::Refused(error),
    }
}

/// Keeps what a stage took; gives its answer if it is complete.
fn ended(answer: Answer, name: &'static str, stages: &mut Vec<Stage>) -> Result<String, End> {
    stages.push(Stage { name, answer: answer.text.clone(), stats: answer.stats });
    if answer.end == End::Complete { Ok(answer.text) } else { Err(answer.end) }
}

fn spec(operation: Operation, shown: &Shown, existing: &[String], blocks: bool) -> Spec {
    let shown = shown.clone();
    match operation {
        Operation::Replace => Spec::Replace { shown, blocks },
        Operation::ReplaceAll => Spec::ReplaceAll { shown },
        Operation::Insert => Spec::Insert { shown },
        Operation::Create => Spec::Create { existing: existing.to_vec() },
    }
}

/// How sure a model was of all that it wrote, 0 to 1: the product of its slots' certainties.
pub fn overall_certainty(by_slot: &BTreeMap<Slot, f64>) -> f64 {
    by_slot.values().product()
}

impl Outcome {
    fn new(verdict: Verdict, stages: Vec<Stage>) -> Outcome {
        Outcome { verdict, stages, passed_over: Vec::new() }
    }

    /// How sure the model was of it, 0 to 1; of what nobody can use, 0.
    fn sureness(&self) -> f64 {
        match self.verdict {
            Verdict::Proposed(_) | Verdict::AlreadyDone | Verdict::Declined(_) => overall_certainty(&self.certainty()),
            Verdict::Truncated(_) | Verdict::Mechanics(_) | Verdict::Refused(_) => 0.0,
        }
    }

    /// The surer of two; of equal ones the first.
    fn or(self, second: Outcome) -> Outcome {
        let (better, other) = if second.sureness() > self.sureness() { (second, self) } else { (self, second) };
        Outcome { passed_over: other.stages, ..better }
    }

    /// By slot, over both stages: see [`AnswerStats::certainty`].
    pub fn certainty(&self) -> BTreeMap<Slot, f64> {
        self.stages.iter().flat_map(|stage| stage.stats.certainty.clone()).collect()
    }

    /// By slot, over both stages: see [`AnswerStats::masked_mass`].
    pub fn masked_mass(&self) -> BTreeMap<Slot, f64> {
        self.stages.iter().flat_map(|stage| stage.stats.masked_mass.clone()).collect()
    }
}
