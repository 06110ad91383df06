//! The answers of a model to one task, the likeliest first.
//!
//! A model writes token by token, and at many of them it nearly went on otherwise. Those beginnings
//! are kept with their probabilities, and the likeliest of all is followed next. That is best-first
//! search (Meister et al., 2020: <https://arxiv.org/abs/2007.03909>), over both questions at once.
//! No beginning is followed twice; two of them may still lead to the same edit.
//!
//! The model's certainty does not tell the right one among them. So this serves
//! where tests judge, or a person.

use super::fill::{self, Picked};
use super::outcome::{Asked, FlowError, OtherWay, Outcome, Stage, Verdict};
use super::patch;
use super::pick::{self, PickQuestion};
use super::rewrite;
use super::room;
use super::session::Session;
use super::so_far::{Filled, SoFar};
use super::target::{Candidates, PromptRoom, Target};
use crate::engine::{AnswerStats, Branch, Engine, Given, Likelihood};
use crate::slots::Operation;
use crate::task::Task;
use crate::text::Text;
use std::collections::HashSet;
use std::sync::Arc;

/// One answer after the other. [`super::GenerateOptions::branches`] says how many other beginnings
/// are kept of each question; with 0 there is one answer.
pub struct Answers {
    task: Task,
    candidates: Arc<Candidates>,
    room: PromptRoom,
    leads: Vec<Lead>,
    /// What has been a lead: by the answer to the first question, and the beginning.
    seen: HashSet<(Option<String>, String)>,
}

/// The beginning of an answer to both questions.
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
        let candidates = Arc::new(pick::candidates(&task, session, room).await?);
        let leads = vec![Lead {
            log: 0.0,
            given: None,
            first: None,
            is_anew: false,
        }];
        Ok(Answers {
            task,
            candidates,
            room,
            leads,
            seen: HashSet::new(),
        })
    }

    /// What is asked.
    pub fn task(&self) -> &Task {
        &self.task
    }

    /// The next answer, as long as there is one. If the file of that answer has changed since it was
    /// shown, all is asked anew.
    ///
    /// # Errors
    /// [`FlowError`] if a question could not be asked or answered.
    pub async fn next<E: Engine>(
        &mut self,
        session: &mut Session<'_, E>,
    ) -> Result<Option<Outcome>, FlowError> {
        let best = (0..self.leads.len()).max_by(|&a, &b| {
            self.leads[a]
                .log
                .total_cmp(&self.leads[b].log)
                .then(b.cmp(&a))
        });
        let Some(best) = best else { return Ok(None) };
        let Lead {
            given,
            mut first,
            is_anew,
            ..
        } = self.leads.remove(best);
        if let Some(first) = &first
            && !is_as_shown(&first.target, session)
        {
            *self = Answers::to(self.task.clone(), session).await?;
            return Box::pin(self.next(session)).await;
        }
        if let Some(slots) = first.as_ref().filter(|_| is_anew) {
            let target = rewrite::instead_of(&slots.target, &self.task, session).await?;
            let Some(target) = target else {
                return Box::pin(self.next(session)).await;
            };
            let stage = slots.stage.clone();
            first = Some(Arc::new(First {
                target,
                stage,
                log: slots.log,
            }));
        }
        let mut stages = Vec::new();
        let is_asked = first.is_none();
        let (first, given) = match first {
            Some(first) => {
                stages.extend(first.stage.as_ref().map(unasked));
                (first, given)
            }
            None => match self.first(given, session, &mut stages).await? {
                Ok(first) => (Arc::new(first), None),
                Err(verdict) => return Ok(Some(Outcome::last(*verdict, stages))),
            },
        };
        let other_way = if is_asked {
            self.other_way(&first, session).map(Box::new)
        } else {
            None
        };
        let target = &first.target;
        let so_far = self.nothing_yet();
        let picked = Picked {
            task: &self.task,
            so_far: &so_far,
            target,
            spent: 0,
        };
        let Asked { result, likelihood } = fill::ask(&picked, session, given, &mut stages).await?;
        self.add_leads(likelihood, Some(&first));
        let forces_answers = session.engine.forces_answers();
        let slots = match result {
            Ok(slots) => slots,
            Err(verdict) => {
                return Ok(Some(Outcome {
                    other_way,
                    ..Outcome::last(*verdict, stages)
                }));
            }
        };
        let verdict = patch::patch(&slots, target.clone(), &self.task, forces_answers);
        // Where stage 1 was answered for the model, or the lines are given, there is one edit.
        let may_go_on = session.options.most_edits != Some(1)
            && target.operation != Operation::Rewrite
            && session.options.pick.is_none()
            && self.task.context().lines.is_none()
            && forces_answers
            && session.options.profile.takes_several_edits();
        match verdict {
            Verdict::Proposed(patched) if may_go_on => {
                let line = stages.last().map_or("", |stage| stage.answer.as_str());
                let filled = Filled::new(line, &slots);
                let mut so_far = so_far.after_lines(target, &filled);
                let verdict = Verdict::of_added(so_far.add(target, &filled, patched));
                let so_far = Some(Box::new(so_far));
                Ok(Some(Outcome {
                    verdict,
                    stages,
                    so_far,
                    other_way,
                }))
            }
            verdict => Ok(Some(Outcome {
                other_way,
                ..Outcome::last(verdict, stages)
            })),
        }
    }

    fn nothing_yet(&self) -> SoFar {
        SoFar::none(Arc::clone(&self.candidates), self.room)
    }

    async fn first<E: Engine>(
        &mut self,
        given: Option<Given>,
        session: &mut Session<'_, E>,
        stages: &mut Vec<Stage>,
    ) -> Result<Result<First, Box<Verdict>>, FlowError> {
        let question = PickQuestion {
            task: &self.task,
            so_far: &self.nothing_yet(),
        };
        let Asked { result, likelihood } = pick::ask(&question, session, given, stages).await?;
        let log = likelihood.log;
        self.add_leads(likelihood, None);
        Ok(result.map(|target| First {
            target,
            stage: stages.last().cloned(),
            log,
        }))
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
        for Branch { beginning, log } in likelihood.branches {
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
