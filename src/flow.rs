//! The whole of it: `Task → Pick → Slots → Edit → EditSet → Patched`, in two questions to a model; a
//! small one is asked first how likely it finds what the task's own words suggest, which also says which file is shown, and where it
//! is not sure for other answers to both, and shown less the second time: the likeliest counts.
//!
//! Everything between the questions is the program's: which files there are and which matter, what of the
//! file is shown, where the answer's text stands in it, what the file's bytes become. Nothing is written
//! here: the patch goes to the gate, and from there to
//! [`crate::workspace::journal::Journal::commit`].

pub mod ahead;
mod evidence;
mod likeliest;
pub mod overview;
mod selection;
pub mod steps;
mod suggested;
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
use evidence::Scale;
use likeliest::{Answers, Weighed};
use selection::{Candidates, candidates, may_create, room_beside, show};
use std::collections::BTreeMap;
use std::ops::Range;
use suggested::Suggested;
pub use unforced::PickError;

/// What came of a task, and what it took.
#[derive(Debug)]
pub struct Outcome {
    /// What came of it.
    pub verdict: Verdict,
    /// The answers, stage by stage.
    pub stages: Vec<Stage>,
    /// The answers that were less likely, if several were weighed: see [`Asking::weighs_answers`].
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
    /// What the model wrote, or was asked how likely it finds it.
    pub answer: String,
    /// Of an answer that the task's own words suggest, the probability that this is what they mean, 0 to 1: see
    /// [`crate::suggest`].
    pub suggested: Option<f64>,
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
    /// Whether a small model that is not sure of its answer is asked for others, which end otherwise from some token on, and is then
    /// asked all over again where there is less of the file to show: it reads a few lines better than many, and the search has
    /// them right mostly, not always. The likeliest of all that are edits counts.
    pub weighs_answers: bool,
    /// Whether these are weighed against what the task's own words suggest ([`crate::suggest`]).
    pub weighs_suggestions: bool,
}

impl Asking {
    /// As `slotwright edit` asks: the likeliest tokens, drafted, in both stages, several answers weighed, suggested ones too.
    pub fn new(profile: Profile) -> Asking {
        let (sampling, drafting) = (Sampling::Greedy, true);
        Asking { profile, sampling, drafting, pick: None, weighs_answers: true, weighs_suggestions: true }
    }

    /// Whether several answers are asked for.
    fn may_ask_again(&self) -> bool {
        self.weighs_answers && self.profile.closer_tokens().is_some()
    }

    /// Whether what the task suggests can be asked about: it is before anything else, of a file that the first question shows.
    fn may_suggest(&self) -> bool {
        self.weighs_suggestions && self.may_ask_again() && self.pick.is_none() && self.profile.shows_likely_file()
    }
}

/// Lines of a file that an answer may be drafted from.
const LIKELY_LINES: Room = Room { lines: 3, bytes: 1_000 };

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
    let mut files = candidates(task, workspace, profile, engine, room, progress).await?;
    let suggested = if asking.may_suggest() { Suggested::find(task, workspace, &mut files)? } else { Suggested::default() };
    let scale = if asking.may_suggest() { Scale::BesideSuggestions } else { Scale::Plain };
    let weighed = Weighed::default();
    let mut asked = Asked { task, workspace, asking, files: &files, engine, progress, weighed, scale, discount: 0.0, suggested };
    let n_shown = asked.look(room).await?;
    let closer = profile.closer_tokens().filter(|&closer| asking.may_ask_again() && closer < n_shown);
    if let Some(closer) = closer.filter(|_| asked.weighed.log() < scale.sure_enough()) {
        asked.discount = scale.of_second_look();
        // What was read of it serves the next edit too.
        let _ = asked.engine.keep_read().await;
        asked.look(closer).await?;
    }
    Ok(asked.weighed.outcome())
}

/// A file, and what is shown of it.
struct ShownFile {
    path: String,
    text: Text,
    shown: Shown,
}

/// A task, and what its questions have brought so far.
struct Asked<'a, E> {
    task: &'a Task,
    workspace: &'a Workspace,
    asking: &'a Asking,
    files: &'a Candidates,
    engine: &'a mut E,
    progress: &'a mut dyn FnMut(Progress),
    weighed: Weighed,
    scale: Scale,
    /// What comes to all that is found now.
    discount: f64,
    suggested: Suggested,
}

impl<E: Engine> Asked<'_, E> {
    /// Both questions, with so many tokens of a file shown at most. Gives the most tokens that were shown of one file.
    async fn look(&mut self, room: usize) -> Result<usize, FlowError> {
        let Asking { profile, sampling, drafting, pick, .. } = self.asking;
        let (task, files) = (self.task, self.files);
        if let Some(pick) = pick {
            return self.fill(pick.clone(), 0.0, None, None, room).await;
        }
        let mut n_shown = 0;
        let mut first = None;
        if let Some(path) = files.likely.as_ref().filter(|_| profile.shows_likely_file()) {
            let text = self.workspace.read(path)?;
            match show(task, path, &text, profile, self.engine, room).await {
                Ok((shown, n_tokens)) => {
                    n_shown = n_tokens;
                    first = Some(ShownFile { path: path.clone(), text, shown });
                }
                Err(FlowError::FileTooLong { .. }) => {} // another one may be chosen
                Err(error) => return Err(error),
            }
        }
        let likely_file = first.as_ref().map(|file| (file.path.as_str(), &file.shown));
        let request = Request {
            prompt: profile.pick(&profile.told(task), &files.rows, likely_file),
            spec: Spec::Pick { files: files.choices.clone(), may_create: may_create(task) },
            limits: Limits { answer_tokens: profile.budget().pick_tokens },
            sampling: *sampling,
            likely: drafting.then(|| files.likely.iter().cloned().collect()),
            favoured: profile.favoured_files(&files.rows),
            given: None,
            branches: false,
        };
        if let Some(file) = &first {
            self.weigh_suggestions(&request, file, room).await?;
        }
        let mut answers = Answers::to(request, self.asking.may_ask_again());
        // Stage 1: which file, which operation?
        let most = self.scale.of_declining() + self.discount;
        while let Some(answer) = answers.next(self.weighed.log() - most, self.engine, self.progress).await? {
            let stage = self.weighed.keep("pick", &answer);
            let (log, of_path) = (answer.likelihood.log, certainty_of_path(&answer));
            let pick = match ended(answer) {
                Ok(text) => picked(&text, &answers.request().spec, self.engine.forces_answers()),
                Err(end) => {
                    self.weighed.add(log, Verdict::Truncated(end), vec![stage]);
                    continue;
                }
            };
            match pick {
                Ok(pick) => {
                    let raised = if let Pick::File(pick) = &pick { self.suggested.speaks_for(&pick.path, of_path) } else { 0.0 };
                    n_shown = n_shown.max(self.fill(pick, log + raised, Some(stage), first.as_ref(), room).await?);
                }
                Err(error) => self.weighed.add(log, Verdict::Mechanics(error), vec![stage]),
            }
        }
        Ok(n_shown)
    }

    /// Stage 2: the slots of what was picked, in an answer with this logarithm of its probability. Gives how many tokens were
    /// shown of a file that is not `first`.
    async fn fill(
        &mut self,
        pick: Pick,
        log: f64,
        pick_stage: Option<usize>,
        first: Option<&ShownFile>,
        room: usize,
    ) -> Result<usize, FlowError> {
        let (task, profile) = (self.task, &self.asking.profile);
        let (path, operation) = match pick {
            Pick::File(pick) => (pick.path, pick.operation),
            Pick::Create(_) => (String::new(), Operation::Create),
            Pick::None(pick) => {
                let log = log + self.scale.of_declining() + self.discount;
                self.weighed.add(log, Verdict::Declined(pick.reason), pick_stage.into_iter().collect());
                return Ok(0);
            }
        };
        let is_new = operation == Operation::Create;
        let first = first.filter(|file| file.path == path && !is_new);
        let (text, shown) = match first {
            Some(file) => (file.text.clone(), Some(file.shown.clone())),
            None if is_new => (Text::decode(Vec::new()).expect("nothing is a text"), None),
            None => (self.workspace.read(&path)?, None),
        };
        if text.shown().trim().is_empty() && matches!(operation, Operation::Replace | Operation::ReplaceAll) {
            return Err(FlowError::Emptied { path });
        }
        let (shown, n_shown) = match shown {
            Some(shown) => (shown, 0),
            None => match show(task, &path, &text, profile, self.engine, room).await {
                // No line of it is short enough: what there is already must do.
                Err(FlowError::FileTooLong { .. }) if self.weighed.has_any() => return Ok(0),
                shown => shown?,
            },
        };
        let request = self.fill_request(&path, operation, &shown);
        let mut answers = Answers::to(request, self.asking.may_ask_again());
        let (of_fill, before) = (self.scale.of_fill(operation), log + self.discount);
        let most = before + self.scale.most_of_fill();
        while let Some(answer) = answers.next((self.weighed.log() - most) / of_fill, self.engine, self.progress).await? {
            let stages = pick_stage.into_iter().chain([self.weighed.keep(operation.word(), &answer)]).collect();
            let (weight, probability) = (before + of_fill * answer.likelihood.log, (log + answer.likelihood.log).exp());
            let verdict = self.filled(answer, operation, &answers.request().spec, &path, &shown, &text);
            self.weighed.add(weight + self.scale.of_verdict(&verdict, probability), verdict, stages);
        }
        Ok(n_shown)
    }

    /// What comes of an answer of stage 2.
    fn filled(&self, answer: Answer, operation: Operation, spec: &Spec, path: &str, shown: &Shown, text: &Text) -> Verdict {
        let is_forced = self.engine.forces_answers();
        match ended(answer).map(|answer| slots_of(&answer, operation, spec, is_forced)) {
            Err(end) => Verdict::Truncated(end),
            Ok(Err(error)) => Verdict::Mechanics(error),
            Ok(Ok(slots)) => patch(&slots, path.to_owned(), operation, shown, text.clone(), is_forced),
        }
    }

    /// The question of stage 2.
    fn fill_request(&self, path: &str, operation: Operation, shown: &Shown) -> Request {
        let Asking { profile, sampling, drafting, .. } = self.asking;
        let task = self.task;
        let likely = || {
            let lines = relevance::most_relevant(task.sentence(), shown, LIKELY_LINES, false).into_iter().map(|line| line.text);
            lines.chain([task.sentence().to_owned()]).collect()
        };
        Request {
            prompt: profile.fill(&profile.told(task), path, operation, shown),
            spec: spec(operation, shown, &self.files.existing, profile.names_blocks()),
            limits: Limits { answer_tokens: profile.budget().fill_tokens },
            sampling: *sampling,
            likely: drafting.then(likely),
            favoured: profile.favoured(task.sentence(), operation, shown),
            given: None,
            branches: false,
        }
    }
}

/// The answer of stage 1. One that nobody forced may name a file in other words, or none.
fn picked(answer: &str, spec: &Spec, is_forced: bool) -> Result<Pick, MechanicsError> {
    let pick = serde_json::from_str(answer)?;
    if is_forced { Ok(pick) } else { Ok(unforced::resolved(pick, spec)?) }
}

/// The answer of stage 2. One that nobody forced may name a new file that is there.
fn slots_of(answer: &str, operation: Operation, spec: &Spec, is_forced: bool) -> Result<Slots, MechanicsError> {
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

/// What the model gives the path in an answer to stage 1.
fn certainty_of_path(answer: &Answer) -> f64 {
    answer.stats.certainty.get(&Slot::Path).copied().unwrap_or(1.0)
}

/// An answer that is complete.
fn ended(answer: Answer) -> Result<String, End> {
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
    /// By slot, over both stages: see [`AnswerStats::certainty`]. That of an edit which the task's words suggest is together at
    /// least as large as the probability of that: such edits are right about as often as it says.
    pub fn certainty(&self) -> BTreeMap<Slot, f64> {
        let mut by_slot: BTreeMap<Slot, f64> = self.stages.iter().flat_map(|stage| stage.stats.certainty.clone()).collect();
        if let Some(suggested) = self.stages.iter().find_map(|stage| stage.suggested) {
            let least = suggested.powf(1.0 / by_slot.len().max(1) as f64);
            by_slot.values_mut().for_each(|certainty| *certainty = certainty.max(least));
        }
        by_slot
    }

    /// By slot, over both stages: see [`AnswerStats::masked_mass`].
    pub fn masked_mass(&self) -> BTreeMap<Slot, f64> {
        self.stages.iter().flat_map(|stage| stage.stats.masked_mass.clone()).collect()
    }
}
