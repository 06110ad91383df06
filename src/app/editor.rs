//! The loop around a model's edits: first offer, another answer, go on, reworded, followed up.
//!
//! [`Editor::first`] asks for the edits of a task. [`Editor::again`] asks for others, as often as the
//! person likes. [`Offer::proposed`] is the change for the gate. The command line, editors and agents
//! all come this way.

use super::model_arguments::ModelChoice;
use super::model_options::ModelOptions;
use super::model_reference::{self, Target};
use super::offer::{Asked, Asking, Offer};
use super::project::Project;
use super::proposed::{Judged, without_edit};
use super::report::{Report, Stats, Status};
use super::request::EditRequest;
use super::running_model::{self, Model};
use super::{Say, folders};
use crate::config::Config;
use crate::engine::{Engine, Progress, Sampling};
use crate::failure::{ExitCode, Failure, FailureKind};
use crate::flow::steps::Steps;
use crate::prompt::Profile;
use crate::review::{deletion, min_certainty};
use crate::search::is_about_file_itself;
use crate::serve::{Desk, Loaded, Resident, StartEngine};
use std::path::Path;
use std::time::Instant;

/// The most answers that are asked for to find another edit.
const MOST_ANSWERS: usize = 6;

/// How freely another answer is chosen, try by try, where the model does not say what it nearly
/// wrote: a sure one seldom says anything else at 1.
const TEMPERATURES: [f32; 4] = [0.8, 1.0, 1.3, 1.6];

/// A model that makes edits. It is loaded when it is asked first, and stays loaded.
pub(crate) struct Editor {
    flags: Config,
    /// The model that it was started with.
    first_model: Option<String>,
    pub(super) model: Resident<Starter>,
}

/// Whether what the model read is kept on disk for later edits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reading {
    Kept,
    Forgotten,
}

pub(super) struct Starter {
    choice: ModelChoice,
    reading: Reading,
    say: Say,
}

impl StartEngine for Starter {
    type Engine = Model;
    type Error = Failure;

    async fn start(&mut self, progress: &mut dyn FnMut(Progress)) -> Result<Model, Failure> {
        let prefixes = (self.reading == Reading::Kept).then(folders::prefixes);
        let (model, _) = running_model::start(&self.choice, prefixes, self.say, progress).await?;
        Ok(model)
    }
}

impl Desk for Editor {
    /// Keeps what the model has read for later edits. If that fails, it is read again.
    async fn settle(&mut self) {
        if self.model.starter().reading == Reading::Kept {
            self.model.keep_read().await;
        }
    }

    /// Frees the model's memory.
    fn rest(&mut self) {
        self.model.unload();
    }
}

/// The model's answer to a task.
pub(crate) enum First {
    Offer(Box<Offer>),
    NothingToDo {
        /// The line of a file that has it already, in words.
        claim: String,
        /// The certainty of the model's answer, 0 to 1.
        certainty: f64,
    },
}

/// What a model says to the task of an offer.
pub(crate) enum Answer {
    /// The offer has its edits.
    Edits,
    /// See [`First::NothingToDo`].
    NothingToDo { claim: String, certainty: f64 },
    /// There is no edit, for this reason.
    NoEdit(Failure),
}

/// What the person wants instead of an offer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Wish {
    /// Another answer to the same task.
    Another,
    /// The same edits, and one that is still missing.
    More,
    /// An answer to this sentence.
    Reworded(String),
    /// The edits as this sentence wants them, or with what it adds to them.
    FollowUp(String),
}

/// What a wish led to.
pub(crate) enum Again {
    /// The offer is another one now.
    Other,
    /// The offer is as it was. Why, if that is known.
    Same(Option<Failure>),
}

impl Editor {
    /// Nothing is loaded yet.
    pub fn new(flags: Config, choice: ModelChoice, reading: Reading, say: Say) -> Editor {
        Editor {
            flags,
            first_model: choice.model.clone(),
            model: Resident::new(Starter {
                choice,
                reading,
                say,
            }),
        }
    }

    /// Has another model answer from now on, by its name; `None`: the one that it was started with. It
    /// is loaded with the next task.
    pub fn choose(&mut self, model: Option<&str>) {
        let is_named = model.is_some();
        let model = model
            .map(str::to_owned)
            .or_else(|| self.first_model.clone());
        if self.choice().model == model {
            return;
        }
        self.model.unload();
        let choice = &mut self.model.starter_mut().choice;
        choice.model = model;
        choice.is_named = is_named;
    }

    /// Which model answers, and how it is run.
    pub fn choice(&self) -> &ModelChoice {
        &self.model.starter().choice
    }

    /// The models that can be chosen, best first, and the one that it was started with.
    pub fn models(&self) -> ModelOptions {
        let mut choice = self.choice().clone();
        choice.model.clone_from(&self.first_model);
        ModelOptions::of(&choice)
    }

    /// What the model is called.
    ///
    /// # Errors
    /// If there is no such model.
    pub fn model_name(&self) -> Result<String, Failure> {
        Ok(model_reference::resolve(self.choice())?.name())
    }

    /// Whether the model that is named or set can be found.
    ///
    /// # Errors
    /// If there is none of that name.
    pub fn find_model(&self) -> Result<(), Failure> {
        let ModelChoice { model, folders, .. } = self.choice();
        match model.as_deref() {
            None | Some("") => Ok(()),
            Some(name) => model_reference::named(name, folders).map(|_| ()),
        }
    }

    /// Loads the model, so that the first task need not wait for it. A server is asked for nothing before
    /// there is a task.
    ///
    /// # Errors
    /// If it cannot be loaded. The next task tries it again.
    pub async fn load(&mut self, progress: &mut dyn FnMut(Progress)) -> Result<(), Failure> {
        let target = model_reference::resolve(self.choice())?;
        if matches!(target, Target::Server { .. }) {
            return Ok(());
        }
        let loaded = self.model.run(progress, async |_, _| Ok::<_, Failure>(()));
        loaded.await?
    }

    /// Opens a folder, with what is in force there.
    pub fn open(&self, root: &Path) -> Result<Project, Failure> {
        Project::open(root, self.flags.clone(), self.model.starter().say)
    }

    /// What tells the model, and how it is run, apart from others. Nothing is loaded.
    pub(super) fn identity(&self) -> Result<String, Failure> {
        let choice = self.choice();
        let model = model_reference::resolve(choice)?.identity();
        let adapter = choice.process.adapter.as_deref();
        Ok(format!("{model} with {}", adapter.unwrap_or_default()))
    }

    /// Makes the edits of a task, up to the gate.
    pub async fn first(
        &mut self,
        project: Project,
        request: EditRequest,
        report: &mut Report,
        progress: &mut dyn FnMut(Progress),
    ) -> Result<First, Failure> {
        let mut offer = Offer::of(project, request)?;
        match self.answer(&mut offer, report, progress).await? {
            Answer::Edits => Ok(First::Offer(Box::new(offer))),
            Answer::NothingToDo { claim, certainty } => Ok(First::NothingToDo { claim, certainty }),
            Answer::NoEdit(failure) => Err(failure),
        }
    }

    /// Asks for the edits of an offer that has none yet.
    ///
    /// # Errors
    /// If the model cannot be asked.
    pub async fn answer(
        &mut self,
        offer: &mut Offer,
        report: &mut Report,
        progress: &mut dyn FnMut(Progress),
    ) -> Result<Answer, Failure> {
        let steps = self.next(offer, Sampling::Greedy, report, progress);
        let mut steps = steps.await?.expect("there is a first answer");
        if let Some(asking) = offer.asking_without_last(&steps)? {
            let with_last = std::mem::replace(&mut offer.asking, asking);
            let notes = std::mem::take(&mut offer.notes);
            let again = self.next(offer, Sampling::Greedy, report, progress);
            match again.await {
                Ok(Some(again)) if again.certainty() >= steps.certainty() => steps = again,
                // The first answer stands, whatever came after it.
                _ => {
                    offer.asking = with_last;
                    offer.notes = notes;
                }
            }
        }
        if let Some(failed) = steps.failed.take() {
            let certainty = failed.certainty;
            return Ok(match without_edit(failed, &offer.judged) {
                Ok(claim) => {
                    report.status = Status::AlreadyDone;
                    Answer::NothingToDo { claim, certainty }
                }
                Err(failure) => Answer::NoEdit(with_deletion(failure, offer)),
            });
        }

        report.status = Status::WouldBeDone;
        offer.seen.push(Offer::after(&steps));
        offer.steps = steps;
        self.check(offer, report, progress).await;
        Ok(Answer::Edits)
    }

    /// Makes another offer, if the model has one.
    ///
    /// # Errors
    /// If the model cannot be asked at all. Another failure leaves the offer as it was.
    pub async fn again(
        &mut self,
        offer: &mut Offer,
        wish: Wish,
        report: &mut Report,
        progress: &mut dyn FnMut(Progress),
    ) -> Result<Again, Failure> {
        let again = match wish {
            Wish::Another => self.another(offer, report, progress).await,
            Wish::More => self.more(offer, report, progress).await,
            Wish::Reworded(sentence) => match offer.reworded(&sentence) {
                Ok(asking) => self.asked_for(asking, offer, report, progress).await,
                Err(failure) => Err(failure),
            },
            Wish::FollowUp(sentence) => match offer.followed_up(&sentence) {
                Ok(asking) => self.asked_for(asking, offer, report, progress).await,
                Err(failure) => Err(failure),
            },
        };
        match again {
            Err(failure) if !is_fatal(&failure) => Ok(Again::Same(Some(failure))),
            Ok(Again::Other) => {
                self.check(offer, report, progress).await;
                Ok(Again::Other)
            }
            again => again,
        }
    }

    /// Has the model go on with its answer.
    async fn more(
        &mut self,
        offer: &mut Offer,
        report: &mut Report,
        progress: &mut dyn FnMut(Progress),
    ) -> Result<Again, Failure> {
        let started = Instant::now();
        let before = Offer::after(&offer.steps);
        let edits = offer.steps.edits.clone();
        let n_stages = offer.steps.stages.len();
        let shown_tokens = offer.project.config.shown_tokens;
        let mut has_read = self.model.is_loaded();
        let work = self.model.run(progress, async |engine, progress| {
            // A new process has read nothing of the answer that it would go on with.
            if !std::mem::take(&mut has_read) {
                let message = "the model's process had ended, and it is loaded again";
                return Err(Failure::new(FailureKind::Stale, message));
            }
            let profile = profile(engine, shown_tokens, &mut report.stats)?;
            let asked = Asked {
                engine,
                profile,
                progress,
            };
            let why = offer.go_on(asked).await?;
            offer.notes = engine.inner().take_notes();
            Ok::<_, Failure>(why)
        });
        let why = match work.await.flatten() {
            Ok(why) => why,
            // The edits from before stay, whatever happens.
            Err(failure) => return Ok(Again::Same(Some(failure))),
        };
        report.stats.ms.total = milliseconds_since(started);
        report.add_stages(&offer.steps.stages[n_stages..]);

        let after = Offer::after(&offer.steps);
        if after == before {
            let why = why.map(|why| not_made(&why));
            return Ok(Again::Same(why));
        }
        if after.is_empty() {
            offer.steps.edits = edits;
            offer.steps.continuation = Default::default();
            let why = not_made("it would take back the ones before");
            return Ok(Again::Same(Some(why)));
        }
        offer.seen.push(after);
        Ok(Again::Other)
    }

    /// Asks for other edits. If there are none, the offer is as it was.
    async fn asked_for(
        &mut self,
        asking: Asking,
        offer: &mut Offer,
        report: &mut Report,
        progress: &mut dyn FnMut(Progress),
    ) -> Result<Again, Failure> {
        let before = std::mem::replace(&mut offer.asking, asking);
        let steps = self.next(offer, Sampling::Greedy, report, progress).await;
        let why = match steps {
            Ok(steps) => {
                let mut steps = steps.expect("there is a first answer");
                let after = Offer::after(&steps);
                match steps.failed.take() {
                    None if after.is_empty() => Ok(not_made("nothing would be left of the edits")),
                    None => {
                        offer.seen.push(after);
                        offer.steps = steps;
                        return Ok(Again::Other);
                    }
                    Some(failed) => Ok(match without_edit(failed, &offer.judged) {
                        Ok(claim) => not_made(&format!("nothing to do: {claim}")),
                        Err(failure) => failure,
                    }),
                }
            }
            Err(failure) => Err(failure),
        };
        offer.asking = before;
        Ok(Again::Same(Some(why?)))
    }

    /// Asks for an answer with edits that were not offered before: the block written anew that was
    /// set aside, then likely answers, then random ones.
    async fn another(
        &mut self,
        offer: &mut Offer,
        report: &mut Report,
        progress: &mut dyn FnMut(Progress),
    ) -> Result<Again, Failure> {
        // Better than none, if there is no other.
        let mut broken = None;
        let mut failed = None;
        let mut set_aside = offer.steps.set_aside.take();
        let mut n_others = 0;
        for sampling in samplings(offer.n_random) {
            if n_others == MOST_ANSWERS {
                break;
            }
            offer.n_random += u64::from(sampling != Sampling::Greedy);
            let next = match set_aside.take() {
                Some(steps) => Ok(Some(*steps)),
                None => self.next(offer, sampling, report, progress).await,
            };
            let steps = match next {
                Ok(Some(steps)) => steps,
                Ok(None) => continue,
                Err(failure) if is_fatal(&failure) => return Err(failure),
                // This answer cannot be asked for. Another one may be.
                Err(failure) => {
                    failed = Some(failure);
                    continue;
                }
            };

            n_others += 1;
            let after = Offer::after(&steps);
            if steps.failed.is_some() || offer.seen.contains(&after) {
                continue;
            }
            offer.seen.push(after);
            if !Offer::breaks(&steps) {
                offer.steps = steps;
                return Ok(Again::Other);
            }
            broken = broken.or(Some(steps));
        }

        if let Some(steps) = broken {
            offer.steps = steps;
            return Ok(Again::Other);
        }
        if n_others == 0 && failed.is_some() {
            return Ok(Again::Same(failed));
        }
        let message = match n_others {
            0 | 1 => "the model has no other edit".to_owned(),
            n => format!("the model has no other edit: {n} more answers led to none"),
        };
        let failure = not_made(&message).hint("say it in other words, or use another model");
        Ok(Again::Same(Some(failure)))
    }

    /// Asks for one more answer to the task of an offer. `None` if there is no other. The report says
    /// what it took.
    async fn next(
        &mut self,
        offer: &mut Offer,
        sampling: Sampling,
        report: &mut Report,
        progress: &mut dyn FnMut(Progress),
    ) -> Result<Option<Steps>, Failure> {
        let started = Instant::now();
        let shown_tokens = offer.project.config.shown_tokens;
        let say = self.model.starter().say;
        let mut is_started = self.model.is_loaded();
        let work = self.model.run(progress, async |engine, progress| {
            if !is_started {
                report.stats.ms.load = milliseconds_since(started);
            }
            is_started = false; // if this is asked once more, it is asked of a new process
            let profile = profile(engine, shown_tokens, &mut report.stats)?;
            offer.judged = judged(engine, &profile, offer);
            let asked = Asked {
                engine,
                profile,
                progress,
            };
            let steps = offer.next(sampling, asked).await;
            let notes = engine.inner().take_notes();
            match &steps {
                Ok(Some(steps)) if steps.failed.is_none() => offer.notes = notes,
                // There is no change that could be shown with them.
                _ => notes.iter().for_each(|note| say(note)),
            }
            steps
        });

        let steps = work.await??;
        report.stats.ms.total = milliseconds_since(started);
        if let Some(steps) = &steps {
            report.add_stages(&steps.stages);
        }
        Ok(steps)
    }
}

/// The prompt format of a model. The report says which model it is.
pub(super) fn profile(
    engine: &Loaded<Model>,
    shown_tokens: Option<usize>,
    stats: &mut Stats,
) -> Result<Profile, Failure> {
    let profile = engine.inner().profile(shown_tokens)?;
    stats.model.clone_from(&engine.model().name);
    stats.profile = profile.name().to_owned();
    stats.shown_tokens = profile.budget().shown_tokens;
    let context_tokens = engine.model().context_tokens;
    stats.context_tokens = Some(context_tokens).filter(|n| *n > 0);
    stats.computed_on.clone_from(&engine.model().computes_on);
    Ok(profile)
}

fn judged(engine: &Loaded<Model>, profile: &Profile, offer: &Offer) -> Judged {
    let config = &offer.project.config;
    Judged {
        is_forced: engine.forces_answers(),
        min_certainty: config
            .min_certainty
            .unwrap_or_else(|| min_certainty(profile)),
        accept: config.accept.clone(),
    }
}

/// Likely answers first, then random ones: others each time, and the same ones in every run.
fn samplings(n_random: u64) -> Vec<Sampling> {
    let mut samplings = vec![Sampling::Greedy; MOST_ANSWERS];
    for (temperature, seed) in TEMPERATURES.into_iter().zip(n_random + 1..) {
        samplings.push(Sampling::Random { temperature, seed });
    }
    samplings
}

fn not_made(message: &str) -> Failure {
    Failure::new(FailureKind::NotMade, message)
}

/// Whether the model cannot be asked at all.
fn is_fatal(failure: &Failure) -> bool {
    failure.kind.exit_code() == ExitCode::Environment
}

/// Says how a file is deleted, where the task names a file and nothing in it.
fn with_deletion(failure: Failure, offer: &Offer) -> Failure {
    let task = &offer.asking.task;
    for path in task.mentions().paths() {
        let Ok(text) = offer.project.workspace.read(path) else {
            continue;
        };
        if is_about_file_itself(task, path, text.shown()) {
            return failure.hint(format!(
                "slotwright deletes no file: to delete it, run {}",
                deletion(path)
            ));
        }
    }
    failure
}

pub(super) fn milliseconds_since(started: Instant) -> f64 {
    started.elapsed().as_secs_f64() * 1e3
}
