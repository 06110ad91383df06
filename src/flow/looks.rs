//! The likeliest of several answers.
//!
//! A model writes token by token, and what looks best at first need not be best in the end: it may
//! take one line and then find nothing to change there. Where it was not sure, the answers that it
//! nearly gave are looked at too, the likeliest beginning first, and the one is taken of which it is
//! surest. That is best-first search (Meister et al., 2020: <https://arxiv.org/abs/2007.03909>),
//! over both questions at once.

use super::fill;
use super::outcome::{Asked, FlowError, Outcome, Stage, Verdict, overall_certainty};
use super::patch;
use super::pick::{PickQuestion, Target};
use super::session::Session;
use crate::engine::{Branch, Engine, Given, Likelihood};
use crate::task::Task;
use std::collections::{BTreeMap, HashSet};
use std::rc::Rc;

/// An answer that is worth this much is taken without a further look. Measured, as the other
/// numbers here, on 64 development tasks with two models and their adapters: docs/models.md. From
/// 0.25 to 0.5 it makes a difference of one task at most.
const SURE: f64 = 0.3;

/// A beginning that is less probable than this part of what the best answer is worth is not looked
/// at.
const LEAST_PART: f64 = 0.5;

/// What a declining answer is worth, as a part of its certainty. It is short, and by that alone
/// more certain than an edit. From 0.5 to 0.8 it makes no difference; with 1, two more tasks are
/// rightly declined and two edits fewer are right.
const DECLINED: f64 = 0.7;

/// The same for an edit that changes nothing. Models write one where they find no place.
const NO_CHANGE: f64 = 0.5;

/// A whole answer, to both questions.
struct WholeAnswer {
    verdict: Verdict,
    /// Its stages, among those asked.
    stages: Vec<usize>,
    /// Its certainty, weighed by what kind of answer it is. Below 0 it is no answer.
    worth: f64,
}

/// The beginning of a whole answer.
struct Lead {
    /// The natural logarithm of its probability. No answer with this beginning has a larger one.
    log: f64,
    /// The beginning of the answer to the question that is still to be asked.
    given: Option<String>,
    /// The answer to the first question, if that is given.
    picked: Option<Picked>,
}

/// An answer to the first question.
#[derive(Clone)]
struct Picked {
    target: Rc<Target>,
    stage: Option<usize>,
    log: f64,
}

/// Asks both questions, and looks at other answers if the model is not sure.
pub(super) async fn best_answer<E: Engine>(
    task: &Task,
    session: &mut Session<'_, E>,
    question: &PickQuestion,
) -> Result<Outcome, FlowError> {
    let mut looks = Looks {
        task,
        question,
        asked: Vec::new(),
        leads: vec![Lead { log: 0.0, given: None, picked: None }],
        seen: HashSet::new(),
    };
    let mut best: Option<WholeAnswer> = None;
    for _ in 0..=session.options.n_looks() {
        let worth = best.as_ref().map_or(f64::NEG_INFINITY, |best| best.worth);
        let Some(lead) = looks.next().filter(|lead| lead.log.exp() >= LEAST_PART * worth) else {
            break;
        };
        let answer = looks.follow(lead, session).await?;
        let is_sure = answer.worth >= SURE;
        if answer.worth > worth {
            best = Some(answer);
        }
        if is_sure {
            break;
        }
    }
    let WholeAnswer { verdict, stages, .. } = best.expect("there is a first lead");
    Ok(looks.outcome(verdict, &stages))
}

struct Looks<'l> {
    task: &'l Task,
    question: &'l PickQuestion,
    /// All questions and answers so far.
    asked: Vec<Stage>,
    leads: Vec<Lead>,
    /// What has been a lead: by the answer to the first question, and the beginning.
    seen: HashSet<(Option<String>, String)>,
}

impl Looks<'_> {
    /// The likeliest lead.
    fn next(&mut self) -> Option<Lead> {
        let best = (0..self.leads.len())
            .max_by(|a, b| self.leads[*a].log.total_cmp(&self.leads[*b].log))?;
        Some(self.leads.swap_remove(best))
    }

    async fn follow<E: Engine>(
        &mut self,
        lead: Lead,
        session: &mut Session<'_, E>,
    ) -> Result<WholeAnswer, FlowError> {
        let (picked, given) = match lead.picked {
            Some(picked) => (picked, lead.given),
            None => {
                let given = lead.given.map(Given::Beginning);
                let Asked { result, stage, likelihood } =
                    self.question.ask(self.task, session, given).await?;
                let stage = self.record(stage);
                let log = likelihood.log;
                self.add_leads(likelihood, None);
                match result {
                    Ok(target) => (Picked { target: Rc::new(target), stage, log }, None),
                    Err(verdict) => return Ok(self.whole(verdict, [stage, None])),
                }
            }
        };
        let given = given.map(Given::Beginning);
        let candidates = self.question.candidates();
        let target = &picked.target;
        let Asked { result, stage, likelihood } =
            fill::ask(self.task, session, candidates, target, given).await?;
        let stage = self.record(stage);
        self.add_leads(likelihood, Some(&picked));
        let verdict = match result {
            Ok(slots) => {
                let forces_answers = session.engine.forces_answers();
                patch::patch(&slots, (**target).clone(), forces_answers)
            }
            Err(verdict) => verdict,
        };
        Ok(self.whole(verdict, [picked.stage, stage]))
    }

    fn record(&mut self, stage: Option<Stage>) -> Option<usize> {
        self.asked.push(stage?);
        Some(self.asked.len() - 1)
    }

    /// Adds the beginnings of other answers to a question.
    fn add_leads(&mut self, likelihood: Likelihood, picked: Option<&Picked>) {
        let before = picked.map_or(0.0, |picked| picked.log);
        for Branch { beginning, log } in likelihood.branches {
            let pick = picked.map(|picked| picked.target.pick.clone());
            if self.seen.insert((pick, beginning.clone())) {
                let (given, picked) = (Some(beginning), picked.cloned());
                self.leads.push(Lead { log: before + log, given, picked });
            }
        }
    }

    fn whole(&self, verdict: Verdict, stages: [Option<usize>; 2]) -> WholeAnswer {
        let stages: Vec<usize> = stages.into_iter().flatten().collect();
        let by_slot: BTreeMap<_, _> =
            stages.iter().flat_map(|&stage| self.asked[stage].stats.certainty.clone()).collect();
        let certainty = overall_certainty(&by_slot);
        let worth = match verdict {
            Verdict::Proposed(_) => certainty,
            Verdict::Declined(_) => DECLINED * certainty,
            Verdict::AlreadyDone => NO_CHANGE * certainty,
            Verdict::Truncated(_) | Verdict::Mechanics(_) | Verdict::Refused(_) => -1.0,
        };
        WholeAnswer { verdict, stages, worth }
    }

    /// The verdict with all questions and answers. Those that led to it are marked, and come first.
    fn outcome(self, verdict: Verdict, stages: &[usize]) -> Outcome {
        let marked = self.asked.into_iter().enumerate();
        let mut stages: Vec<Stage> =
            marked.map(|(i, stage)| Stage { is_taken: stages.contains(&i), ..stage }).collect();
        stages.sort_by_key(|stage| !stage.is_taken);
        Outcome { verdict, stages }
    }
}
