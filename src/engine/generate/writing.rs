//! An unfinished answer: takes forced, drafted and chosen tokens, and measures the choices.

use super::interface::{Drafter, GenerateError, Generated, TokenRequest};
use super::repetition;
use crate::constrain::mask::{DraftStep, MatchError, Matcher, TokenId, Tokenize};
use crate::engine::answer::{AnswerStats, Branch, End, Likelihood};
use crate::engine::choose::{Choice, Chooser};
use crate::engine::draft::{Draft, DraftReason};
use crate::engine::request::Given;
use crate::slots::Slot;
use std::collections::BTreeMap;
use std::time::Instant;

/// The smallest probability of a token that begins a branch.
const LEAST_SHARE: f64 = 0.01;

/// Choices between two looks for a repetition.
const LOOK_EVERY: usize = 16;

/// The result of a choice.
pub(super) enum Chosen {
    /// This token follows.
    Token(TokenId),
    /// The answer ends here.
    End(End),
}

/// A draft as tokens.
#[derive(Default)]
pub(super) struct Drafted {
    /// Why it is expected to be right. `None` of given text, and if nothing is drafted.
    pub reason: Option<DraftReason>,
    pub steps: Vec<DraftStep>,
}

/// An unfinished answer and its statistics.
pub(super) struct Writing<'a> {
    matcher: &'a mut dyn Matcher,
    tokenizer: &'a dyn Tokenize,
    chooser: Chooser,
    /// `None` if nothing is given, or once a given beginning is written.
    given: Option<&'a Given>,
    /// The most choices that the answer may take.
    answer_tokens: usize,
    /// The most branches to return.
    max_branches: usize,
    branches: Vec<Branch>,
    /// The natural logarithm of the probability of what has been written.
    log: f64,
    /// The same without the constraint.
    free_log: f64,
    /// By slot: the probability that the constraint allowed.
    kept: BTreeMap<Slot, f64>,
    shares: BTreeMap<Slot, Shares>,
    n_choices: usize,
    /// The number of choices at the next look for a repetition.
    next_look: usize,
    pub stats: AnswerStats,
}

/// In longer slots the certainty is that of this many tokens of average probability. The bundled
/// model almost always writes fewer. A longer text is not less certain for its length alone.
const CERTAINTY_TOKENS: u32 = 12;

/// The natural logarithm of a probability. It is finite even for 0, since answers travel as JSON,
/// which has no infinity.
pub(super) fn log_of(share: f64) -> f64 {
    share.max(f64::MIN_POSITIVE).ln()
}

/// The probabilities of the tokens chosen in a slot.
#[derive(Default)]
pub(super) struct Shares {
    /// The sum of their natural logarithms.
    log: f64,
    n: u32,
}

impl Shares {
    pub fn add(&mut self, share: f64) {
        self.log += share.ln();
        self.n += 1;
    }

    /// See [`AnswerStats::certainty`].
    pub fn certainty(&self) -> f64 {
        (self.log * f64::from(CERTAINTY_TOKENS.min(self.n)) / f64::from(self.n.max(1))).exp()
    }
}

impl<'a> Writing<'a> {
    /// Begins an answer. `n_reused` tokens of its prompt were read before.
    pub fn begin(
        matcher: &'a mut dyn Matcher,
        tokenizer: &'a dyn Tokenize,
        request: TokenRequest<'a>,
        n_reused: usize,
    ) -> Writing<'a> {
        Writing {
            matcher,
            tokenizer,
            chooser: Chooser::new(request.sampling),
            given: request.given,
            answer_tokens: request.limits.answer_tokens,
            max_branches: request.branches,
            branches: Vec::new(),
            log: 0.0,
            free_log: 0.0,
            kept: BTreeMap::new(),
            shares: BTreeMap::new(),
            n_choices: 0,
            next_look: LOOK_EVERY,
            stats: AnswerStats {
                prompt_tokens: request.prompt.len(),
                reused_tokens: n_reused,
                ..AnswerStats::default()
            },
        }
    }

    /// Whether nothing may follow.
    pub fn is_complete(&self) -> bool {
        self.matcher.is_complete()
    }

    /// See [`repetition`]. It is looked for now and then, since it takes a while to show.
    pub fn repeats_itself(&mut self) -> bool {
        if self.given.is_some() || self.n_choices < self.next_look {
            return false;
        }
        self.next_look = self.n_choices + LOOK_EVERY;
        repetition::repeats_itself(self.matcher.answer())
    }

    /// How many more tokens may be chosen. A choice counts even if its token was replaced
    /// afterwards.
    pub fn n_left(&self) -> usize {
        self.answer_tokens.saturating_sub(self.n_choices)
    }

    /// Ends the answer, and completes its statistics. Generation began at `started`.
    pub fn finish(self, end: End, started: Instant) -> Generated {
        let mut stats = self.stats;
        stats.ms.answer = started.elapsed().as_secs_f64() * 1e3 - stats.ms.prompt;
        for (slot, kept) in self.kept {
            stats.masked_mass.insert(slot, (1.0 - kept).clamp(0.0, 1.0));
        }
        for (slot, shares) in self.shares {
            stats.certainty.insert(slot, shares.certainty());
        }

        // A branch that spells the same text with other tokens is not another answer.
        let bytes = self.matcher.answer().to_vec();
        let mut branches = self.branches;
        branches.retain(|branch| !bytes.starts_with(branch.beginning.as_bytes()));
        let mut likelihood = Likelihood {
            log: self.log,
            free_log: self.free_log,
            branches,
        };
        likelihood.keep_best(self.max_branches);
        Generated {
            bytes,
            end,
            stats,
            likelihood,
        }
    }

    /// Takes the forced text, tokenized together with the token chosen last.
    pub fn take_forced(&mut self, last: Option<TokenId>) -> Result<Vec<TokenId>, MatchError> {
        let started = Instant::now();
        let forced = self.matcher.take_forced(last, self.tokenizer)?;
        self.stats.ms.constraint += started.elapsed().as_secs_f64() * 1e3;
        let kept = last.filter(|_| !forced.replaces_last);
        // A token that was replaced counts as forced.
        self.stats.sampled_tokens -= usize::from(forced.replaces_last);
        self.stats.forced_tokens += forced.tokens.len();
        self.go_on_freely();
        Ok(kept.into_iter().chain(forced.tokens).collect())
    }

    /// The rest of the given text; empty if the answer has departed from it. `None` if the model is
    /// free to choose.
    fn rest_given(&self) -> Option<&[u8]> {
        let (Given::Beginning(given) | Given::Whole(given)) = self.given?;
        Some(
            given
                .as_bytes()
                .strip_prefix(self.matcher.answer())
                .unwrap_or_default(),
        )
    }

    /// Leaves the rest to the model once a given beginning is written. What follows may still change
    /// its last quote.
    fn go_on_freely(&mut self) {
        if let Some(Given::Beginning(beginning)) = self.given
            && self.matcher.answer().starts_with(beginning.as_bytes())
        {
            self.given = None;
        }
    }

    /// A draft of at most `most` tokens that is worth its computation. It is computed together with
    /// `n_waiting` tokens that must be computed anyway.
    pub fn draft(&mut self, drafter: &Drafter, n_waiting: usize, most: usize) -> Drafted {
        let started = Instant::now();
        let mut drafted = self.all_drafted(drafter, n_waiting, most);
        let mut n_left = most;
        let n_fitting = drafted.steps.iter().take_while(|step| {
            let fits = step.written.len() <= n_left;
            n_left = n_left.saturating_sub(step.written.len());
            fits
        });
        let n_fitting = n_fitting.count();
        drafted.steps.truncate(n_fitting);
        if drafted.steps.is_empty() {
            drafted.reason = None;
        }
        self.stats.drafted_tokens += drafted.steps.len();
        self.stats.ms.draft += started.elapsed().as_secs_f64() * 1e3;
        drafted
    }

    fn all_drafted(&self, drafter: &Drafter, n_waiting: usize, most: usize) -> Drafted {
        if let (Some(rest), Some(Given::Beginning(_))) = (self.rest_given(), self.given) {
            let steps = self.matcher.draft(rest, most, self.tokenizer);
            return Drafted {
                reason: None,
                steps,
            };
        }
        let slot = self.matcher.slot();
        let draft = slot.and_then(|slot| drafter.sources.draft(slot, self.matcher.answer()));
        let Some(Draft { bytes, reason }) = draft else {
            return Drafted::default();
        };
        let most = drafter.pace.worth(reason, n_waiting).min(most);
        let steps = self.matcher.draft(&bytes, most, self.tokenizer);
        Drafted {
            reason: Some(reason),
            steps,
        }
    }

    /// Chooses a token and appends it, or returns why none can be chosen.
    pub fn choose<E>(&mut self, logits: &[f32]) -> Result<Chosen, GenerateError<E>> {
        let started = Instant::now();
        let slot_before = self.matcher.slot();
        let given = self
            .rest_given()
            .map(|rest| self.tokenizer.tokenize(rest).first().copied());
        let wants_branches = given.is_none() && self.max_branches > 0;

        let mask = self.matcher.mask().map_err(GenerateError::Match)?;
        let choice = match given {
            // A given token that the mask refuses cannot be written.
            Some(token) => token
                .filter(|&token| mask.is_allowed(token))
                .and_then(|token| self.chooser.take(logits, mask, token)),
            None => self.chooser.choose(logits, mask),
        };
        let cannot_go_on = given.is_some() || mask.is_zero();
        // If this token has nearly all, no other has enough.
        let mut others = Vec::new();
        if let Some(choice) = choice
            && wants_branches
            && choice.share <= 1.0 - LEAST_SHARE
        {
            others = self.chooser.others(mask, choice.token, LEAST_SHARE);
        }
        let allowed_mass = choice.map_or(0.0, |choice| choice.allowed_mass);
        self.add_branches(&others, allowed_mass);
        self.stats.ms.constraint += started.elapsed().as_secs_f64() * 1e3;

        let Some(choice) = choice else {
            return if cannot_go_on {
                Ok(Chosen::End(End::NoToken))
            } else {
                Err(GenerateError::NotANumber)
            };
        };
        self.log += log_of(choice.share);
        self.free_log += log_of(choice.share * choice.allowed_mass);
        self.matcher
            .consume(choice.token)
            .map_err(GenerateError::Match)?;
        self.go_on_freely();
        self.measure(&choice, slot_before.or(self.matcher.slot()));
        Ok(Chosen::Token(choice.token))
    }

    /// Keeps the beginnings of other answers that differ from this one in the token chosen next.
    /// Their shares are of the probability that was allowed.
    fn add_branches(&mut self, others: &[(TokenId, f64)], allowed_mass: f64) {
        for &(token, share) in others {
            let Some(spelling) = self.tokenizer.spelling(token) else {
                continue;
            };
            let beginning = self
                .matcher
                .answer_after(token)
                .unwrap_or_else(|| [self.matcher.answer(), &spelling].concat());
            // A branch that ends within a character is left out.
            if let Ok(beginning) = String::from_utf8(beginning) {
                self.branches.push(Branch {
                    beginning,
                    log: self.log + log_of(share),
                    free_log: self.free_log + log_of(share * allowed_mass),
                });
            }
        }
        // Some may turn out to be no other answer.
        if self.branches.len() > 4 * self.max_branches {
            self.branches
                .sort_by(|a, b| b.free_log.total_cmp(&a.free_log));
            self.branches.truncate(2 * self.max_branches);
        }
    }

    fn measure(&mut self, choice: &Choice, slot: Option<Slot>) {
        if let Some(slot) = slot {
            *self.kept.entry(slot).or_insert(1.0) *= choice.allowed_mass;
            self.shares.entry(slot).or_default().add(choice.share);
        }
        let closest = self.stats.closest_call.unwrap_or(f32::INFINITY);
        self.stats.closest_call = Some(choice.margin.min(closest));
        self.n_choices += 1;
        self.stats.sampled_tokens += 1;
    }
}
