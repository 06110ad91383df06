//! Writing an answer: mask, choose, take; and what is forced is never chosen.
//!
//! Tokens that are sure are collected and computed in one batch, and only then are logits asked for. A
//! token just chosen waits for what is forced after it: the two are spelled together, and computed together.

use super::{AnswerStats, End, Limits, Sampling};
use crate::constrain::mask::{MatchError, Matcher, TokenId, TokenMask, Tokenize};
use std::time::Instant;

/// A model that reads tokens and says what it thinks comes next.
pub trait Decoder {
    /// Why it could not.
    type Error;

    /// How many more tokens it can read.
    fn room(&self) -> usize;

    /// Appends tokens to what it has read, and gives the logits after the last one: one for each token of
    /// the vocabulary. `progress` hears how many of these tokens are read.
    fn decode(&mut self, tokens: &[TokenId], progress: &mut dyn FnMut(usize)) -> Result<&[f32], Self::Error>;
}

/// Why there is no answer.
#[derive(Debug, PartialEq, Eq)]
pub enum GenerateError<E> {
    /// The decoder's own.
    Decode(E),
    /// The constraint's own.
    Match(MatchError),
    /// The logits are no numbers, or none of those allowed is.
    NotANumber,
}

/// How far an answer has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// Tokens of the prompt read.
    Read(usize),
    /// Tokens of the answer written.
    Written(usize),
}

/// An answer as bytes: cut off in the middle of a character if it was cut off.
#[derive(Debug)]
pub struct Generated {
    /// The answer.
    pub bytes: Vec<u8>,
    /// Why it ended.
    pub end: End,
    /// What it took.
    pub stats: AnswerStats,
}

/// Reads a prompt and writes an answer, which `matcher` has just begun. The prompt has at least one token.
pub fn generate<D: Decoder>(
    decoder: &mut D,
    tokenizer: &dyn Tokenize,
    matcher: &mut dyn Matcher,
    prompt: &[TokenId],
    (limits, sampling): (Limits, Sampling),
    progress: &mut dyn FnMut(Step),
) -> Result<Generated, GenerateError<D::Error>> {
    let mut stats = AnswerStats { prompt_tokens: prompt.len(), ..AnswerStats::default() };
    let mut chooser = Chooser::new(sampling);
    let mut kept = std::collections::BTreeMap::new(); // by slot, the probability left by the constraint
    let mut waiting = prompt.to_vec();
    let mut last = None;
    let started = Instant::now();
    let end = loop {
        let forced = matcher.take_forced(last, tokenizer).map_err(GenerateError::Match)?;
        if forced.replaces_last {
            waiting.pop();
            stats.sampled_tokens -= 1; // spelled anew, it is part of what is forced
        }
        stats.forced_tokens += forced.tokens.len();
        waiting.extend(&forced.tokens);
        if matcher.is_complete() {
            break End::Complete;
        }
        // Each call led to one choice; one that was then spelled anew counts here all the same.
        if stats.decode_calls >= limits.answer_tokens || waiting.len() > decoder.room() {
            break End::Budget;
        }
        let reading = stats.decode_calls == 0;
        let logits = decoder
            .decode(&waiting, &mut |n| {
                if reading {
                    progress(Step::Read(n.min(prompt.len())));
                }
            })
            .map_err(GenerateError::Decode)?;
        if reading {
            stats.prompt_ms = started.elapsed().as_secs_f64() * 1e3;
        }
        stats.decode_calls += 1;
        waiting.clear();
        let slot_before = matcher.slot();
        let mask = matcher.mask().map_err(GenerateError::Match)?;
        let Some(choice) = chooser.choose(logits, mask) else {
            if mask.is_zero() {
                break End::NoToken;
            }
            return Err(GenerateError::NotANumber);
        };
        matcher.consume(choice.token).map_err(GenerateError::Match)?;
        if let Some(slot) = slot_before.or(matcher.slot()) {
            *kept.entry(slot).or_insert(1.0) *= choice.allowed_mass;
        }
        waiting.push(choice.token);
        last = Some(choice.token);
        stats.sampled_tokens += 1;
        progress(Step::Written(stats.sampled_tokens + stats.forced_tokens));
    };
    stats.answer_ms = started.elapsed().as_secs_f64() * 1e3 - stats.prompt_ms;
    stats.masked_mass = kept.into_iter().map(|(slot, kept)| (slot, (1.0f64 - kept).clamp(0.0, 1.0))).collect();
    Ok(Generated { bytes: matcher.answer().to_vec(), end, stats })
}

struct Chooser {
    sampling: Sampling,
    random: u64,
}

struct Choice {
    token: TokenId,
    /// Of the probability 1 that the model spreads over its vocabulary, what lies on tokens allowed.
    allowed_mass: f64,
}

impl Chooser {
    fn new(sampling: Sampling) -> Chooser {
        let random = if let Sampling::Random { seed, .. } = sampling { seed } else { 0 };
        Chooser { sampling, random }
    }

    fn choose(&mut self, logits: &[f32], mask: &TokenMask) -> Option<Choice> {
        let mut best: Option<(f32, TokenId)> = None;
        let max = logits.iter().copied().filter(|l| !l.is_nan()).fold(f32::NEG_INFINITY, f32::max);
        if !max.is_finite() {
            return None;
        }
        let mut allowed_mass = 0.0;
        mask.iter_set_entries(|token| {
            let logit = logits[token];
            if logit.is_nan() {
                return;
            }
            allowed_mass += f64::from((logit - max).exp());
            let score = match self.sampling {
                Sampling::Greedy => logit,
                // The largest of logits with Gumbel noise is a sample of their softmax (Gumbel, 1954).
                Sampling::Random { temperature, .. } => logit / temperature - (-self.uniform().ln()).ln(),
            };
            if best.is_none_or(|(highest, _)| score > highest) {
                best = Some((score, token as TokenId));
            }
        });
        let whole_mass: f64 = logits.iter().filter(|l| !l.is_nan()).map(|l| f64::from((l - max).exp())).sum();
        best.map(|(_, token)| Choice { token, allowed_mass: allowed_mass / whole_mass })
    }

    /// In the open interval from 0 to 1 (splitmix64, Steele and others, 2014).
    fn uniform(&mut self) -> f32 {
        self.random = self.random.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.random;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^= z >> 31;
        ((z >> 41) as f32 + 0.5) / (1u32 << 23) as f32
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use toktrie::{SimpleVob, TokRxInfo, TokTrie};

    #[test]
    fn logits_that_are_no_numbers_choose_nothing() {
        let trie = TokTrie::from(&TokRxInfo::new(4, 0), &[b"a".to_vec(), b"b".to_vec(), b"c".to_vec(), b"d".to_vec()]);
        let mut mask: SimpleVob = trie.alloc_token_set();
        mask.allow_token(1);
        mask.allow_token(2);
        let choose = |logits: [f32; 4]| Chooser::new(Sampling::Greedy).choose(&logits, &mask);
        assert!(choose([f32::NAN; 4]).is_none());
        assert!(choose([0.0, f32::NAN, f32::NAN, 0.0]).is_none());
        assert!(choose([0.0, 1.0, 2.0, f32::INFINITY]).is_none());
        assert!(choose([f32::NEG_INFINITY; 4]).is_none());
        let choice = choose([0.0, f32::NEG_INFINITY, 0.0, 0.0]).unwrap();
        assert_eq!(choice.token, 2);
        assert!((choice.allowed_mass - 1.0 / 3.0).abs() < 1e-9);
    }
}
