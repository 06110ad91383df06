//! The answers of a model to one task, the likeliest first.
//!
//! A model writes token by token, and at many of them it nearly went on otherwise. Those beginnings
//! are kept with their probabilities, and the likeliest of all is followed next. That is best-first
//! search (Meister et al., 2020: <https://arxiv.org/abs/2007.03909>), over both questions at once.
//! No beginning is followed twice; two of them may still lead to the same edit.
//!
//! The model's certainty does not tell the right one among them. So this serves
//! where tests judge, or a person.

use super::candidates;
use super::continuation::Continuation;
use super::fill::{self, Picked};
use super::outcome::{Asked, FlowError, OtherWay, Outcome, Stage, Verdict};
use super::patch;
use super::pick::{self, PickQuestion};
use super::rewrite;
use super::room;
use super::session::Session;
use super::so_far::SoFar;
use super::target::{Candidates, PromptRoom, Target};
use crate::engine::{AnswerStats, Branch, Engine, Given, Likelihood};
use crate::slots::Operation;
use crate::task::Task;
use crate::text::Text;
use std::collections::HashSet;
use std::sync::Arc;

/// Makes the edit that a task asks for, up to the gate.
///
/// # Errors
/// [`FlowError`] if a question could not be asked or answered. An answer that is no edit is not an
/// error but a [`Verdict`].
pub async fn edit<E: Engine>(
    task: &Task,
    session: &mut Session<'_, E>,
) -> Result<Outcome, FlowError> {
    let mut answers = Answers::to(task.clone(), session).await?;
    Ok(answers
        .next(session)
        .await?
        .expect("there is a first answer"))
}

/// One answer after the other. [`super::GenerateOptions::branches`] says how many other beginnings
/// are kept of each question; with 0 there is one answer.
#[derive(Clone)]
pub struct Answers {
    task: Task,
    candidates: Arc<Candidates>,
    room: PromptRoom,
    leads: Vec<Lead>,
    /// What has been a lead: by the answer to the first question, and the beginning.
    seen: HashSet<(Option<String>, String)>,
}

/// The beginning of an answer to both questions.
#[derive(Clone)]
struct Lead {
    /// The natural logarithm of its probability. No answer with this beginning has a larger one.
    log: f64,
    /// The beginning of the answer to the question that is still to be asked.
    given: Option<Given>,
    /// The answer to the first question, if that is given.
    first: Option<Arc<First>>,
    /// Whether a block is to be written anew instead of slots.
    is_anew: bool,
}

/// An answer to the first question.
struct First {
    target: Target,
    /// None if it was not asked.
    stage: Option<Stage>,
    log: f64,
}

impl Answers {
    /// The answers to a task. None is asked for yet.
    ///
    /// # Errors
    /// [`FlowError`] if the question cannot be asked.
    pub async fn to<E: Engine>(
        task: Task,
        session: &mut Session<'_, E>,
    ) -> Result<Answers, FlowError> {
        let room = room::for_files(&task, session).await?;
        let candidates = candidates::candidates(&task, session, room).await?;
        Ok(Answers {
            task,
            candidates: Arc::new(candidates),
            room,
            leads: vec![Lead {
                log: 0.0,
                given: None,
                first: None,
                is_anew: false,
            }],
            seen: HashSet::new(),
        })
    }

    /// What is asked.
    pub fn task(&self) -> &Task {
        &self.task
    }

    /// The next answer, as long as there is one. If its file has changed since it was shown, all
    /// questions are asked again.
    ///
    /// # Errors
    /// [`FlowError`] if a question could not be asked or answered.
    pub async fn next<E: Engine>(
        &mut self,
        session: &mut Session<'_, E>,
    ) -> Result<Option<Outcome>, FlowError> {
        loop {
            let Some(lead) = self.take_best_lead() else {
                return Ok(None);
            };
            let Lead { given, first, .. } = lead;
            let Some(first) = first else {
                return self.starting_at_pick(given, session).await.map(Some);
            };
            if !is_as_shown(&first.target, session) {
                *self = Answers::to(self.task.clone(), session).await?;
                continue;
            }

            let first = if lead.is_anew {
                let target = rewrite::instead_of(&first.target, &self.task, session).await?;
                let Some(target) = target else { continue };
                Arc::new(First {
                    target,
                    stage: first.stage.clone(),
                    log: first.log,
                })
            } else {
                first
            };
            let stages = first.stage.iter().map(unasked).collect();
            let outcome = self
                .starting_at_fill(&first, given, stages, session)
                .await?;
            return Ok(Some(outcome));
        }
    }

    /// Removes the likeliest lead, the earlier one of two that are as likely.
    fn take_best_lead(&mut self) -> Option<Lead> {
        let mut best = 0;
        for (idx, lead) in self.leads.iter().enumerate() {
            if lead.log > self.leads[best].log {
                best = idx;
            }
        }
        (!self.leads.is_empty()).then(|| self.leads.remove(best))
    }

    /// Asks both questions, the first one with this beginning of an answer.
    async fn starting_at_pick<E: Engine>(
        &mut self,
        given: Option<Given>,
        session: &mut Session<'_, E>,
    ) -> Result<Outcome, FlowError> {
        let mut stages = Vec::new();
        let question = PickQuestion {
            task: &self.task,
            so_far: &self.nothing_yet(),
        };
        let Asked { result, likelihood } =
            pick::ask(&question, session, given, &mut stages).await?;
        let log = likelihood.log;
        self.add_leads(likelihood, None);
        let target = match result {
            Ok(target) => target,
            Err(verdict) => return Ok(Outcome::last(*verdict, stages)),
        };

        let first = Arc::new(First {
            target,
            stage: stages.last().cloned(),
            log,
        });
        let other_way = self.other_way(&first, session).map(Box::new);
        let outcome = self.starting_at_fill(&first, None, stages, session).await?;
        Ok(Outcome {
            other_way,
            ..outcome
        })
    }

    /// Asks the second question, with this beginning of an answer.
    async fn starting_at_fill<E: Engine>(
        &mut self,
        first: &Arc<First>,
        given: Option<Given>,
        mut stages: Vec<Stage>,
        session: &mut Session<'_, E>,
    ) -> Result<Outcome, FlowError> {
        let target = &first.target;
        let so_far = self.nothing_yet();
        let picked = Picked {
            task: &self.task,
            so_far: &so_far,
            target,
            spent: 0,
        };
        let Asked { result, likelihood } = fill::ask(&picked, session, given, &mut stages).await?;
        self.add_leads(likelihood, Some(first));
        let slots = match result {
            Ok(slots) => slots,
            Err(verdict) => return Ok(Outcome::last(*verdict, stages)),
        };

        let forces_answers = session.engine.forces_answers();
        let verdict = patch::patch(&slots, target.clone(), &self.task, forces_answers);
        if !matches!(verdict, Verdict::Proposed(_)) || !self.may_go_on(target, session) {
            return Ok(Outcome::last(verdict, stages));
        }
        let line = stages.last().map_or("", |stage| stage.answer.as_str());
        let (so_far, verdict) = verdict.added_to(so_far, target, line, &slots);
        Ok(Outcome {
            continuation: Continuation::Open(Box::new(so_far)),
            ..Outcome::last(verdict, stages)
        })
    }

    /// Whether the answer may have further edits. There is one edit where the first question was not
    /// asked, or the lines are given.
    fn may_go_on<E: Engine>(&self, target: &Target, session: &Session<'_, E>) -> bool {
        let options = &session.options;
        options.most_edits != Some(1)
            && target.operation != Operation::Rewrite
            && options.pick.is_none()
            && self.task.context().lines.is_none()
            && session.engine.forces_answers()
            && options.profile.takes_several_edits()
    }

    fn nothing_yet(&self) -> SoFar {
        SoFar::none(Arc::clone(&self.candidates), self.room)
    }

    /// A block written anew, where the model chose slots. It is the next answer, too.
    fn other_way<E>(&mut self, first: &Arc<First>, session: &Session<'_, E>) -> Option<OtherWay> {
        let options = &session.options;
        // Another model chooses between the two itself.
        if !options.profile.learned_to_fill() {
            return None;
        }
        if options.branches > 0 {
            let first = Some(Arc::clone(first));
            self.leads.push(Lead {
                log: f64::INFINITY,
                given: None,
                first,
                is_anew: true,
            });
        }
        options.doubted_below?;
        Some(OtherWay {
            target: first.target.clone(),
            so_far: self.nothing_yet(),
        })
    }

    /// Adds the beginnings of other answers to a question.
    fn add_leads(&mut self, likelihood: Likelihood, first: Option<&Arc<First>>) {
        let before = first.map_or(0.0, |first| first.log);
        for Branch { beginning, log, .. } in likelihood.branches {
            let picked = first.map(|first| first.target.pick.clone());
            if self.seen.insert((picked, beginning.clone())) {
                let (given, first) = (Some(Given::Beginning(beginning)), first.cloned());
                self.leads.push(Lead {
                    log: before + log,
                    given,
                    first,
                    is_anew: false,
                });
            }
        }
    }
}

fn is_as_shown<E>(target: &Target, session: &Session<'_, E>) -> bool {
    let is_there = |text: Text| text.bytes() == target.text.bytes();
    target.path.is_empty() || session.workspace.read(&target.path).is_ok_and(is_there)
}

/// A question whose answer is used again. It takes nothing.
fn unasked(stage: &Stage) -> Stage {
    let AnswerStats {
        certainty,
        masked_mass,
        ..
    } = stage.stats.clone();
    let stats = AnswerStats {
        certainty,
        masked_mass,
        ..AnswerStats::default()
    };
    Stage {
        stats,
        ..stage.clone()
    }
}
