//! Writing an answer: mask, choose, take; what is forced is never chosen, and what is likely is
//! drafted.
//!
//! Tokens that are sure are collected and computed in one batch, and only then are logits asked
//! for. A token just chosen waits for what is forced after it: the two are spelled together, and
//! computed together. Behind them in the same batch goes a [`draft`](super::draft), with logits
//! after each of its tokens: as far as the model chooses the same, each saves an evaluation; the
//! rest is forgotten. What is written is what the model would have written without, but for
//! rounding: logits of a batch differ a little from those of single tokens.

use super::choose::Chooser;
use super::draft::{Draft, DraftReason, Sources};
use super::pace::Pace;
use super::{AnswerStats, Branch, End, Given, Likelihood, Limits, Sampling};
use crate::constrain::mask::{DraftStep, MatchError, Matcher, TokenId, Tokenize};
use crate::slots::Slot;
use std::collections::BTreeMap;
use std::time::Instant;

/// A model that reads tokens and says what it thinks comes next.
pub trait Decoder {
    /// Why it could not.
    type Error;

    /// Prepares for a prompt: what it has read that is no beginning of it is forgotten. Gives the
    /// number of the prompt's tokens that are read already, one less than all at most.
    fn begin(&mut self, prompt: &[TokenId]) -> usize;

    /// How many more tokens it can read.
    fn room(&self) -> usize;

    /// Appends tokens to what it has read, and keeps the logits after those whose indices `wanted`
    /// has, in order. `progress` hears how many of these tokens are read.
    fn decode(
        &mut self,
        tokens: &[TokenId],
        wanted: &[usize],
        progress: &mut dyn FnMut(usize),
    ) -> Result<(), Self::Error>;

    /// The logits after the i-th token wanted of the last call: one for each token of the
    /// vocabulary.
    fn logits(&self, i: usize) -> &[f32];

    /// Forgets the last tokens, which it can if [`Decoder::can_forget`].
    fn forget(&mut self, n_tokens: usize) -> Result<(), Self::Error>;

    /// Whether the last tokens can be forgotten: not where a model's memory is one state that all
    /// tokens went into.
    fn can_forget(&self) -> bool;
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
    /// How likely it was, and what else was.
    pub likelihood: Likelihood,
}

/// Tokens of a draft with what is forced in it, at most: they must fit one batch.
const MOST_DRAFTED: usize = 256;

/// How an answer is written.
#[derive(Clone, Copy, Debug)]
pub struct AnswerOptions<'a> {
    /// How long it may get.
    pub limits: Limits,
    /// How a token is chosen.
    pub sampling: Sampling,
    /// See [`super::Request::given`].
    pub given: Option<&'a Given>,
    /// See [`super::Request::branches`].
    pub branches: usize,
}

/// Where drafts come from, and what is known of their worth. Without, nothing is drafted.
pub type Drafting<'a> = Option<(&'a Sources, &'a mut Pace)>;

/// Reads a prompt and writes an answer, which `matcher` has just begun. The prompt has at least one
/// token.
pub fn generate<D: Decoder>(
    decoder: &mut D,
    tokenizer: &dyn Tokenize,
    matcher: &mut dyn Matcher,
    prompt: &[TokenId],
    AnswerOptions { limits, sampling, given, branches: max_branches }: AnswerOptions,
    mut drafting: Drafting,
    progress: &mut dyn FnMut(Step),
) -> Result<Generated, GenerateError<D::Error>> {
    let started = Instant::now();
    let n_reused = decoder.begin(prompt);
    let mut writing = Writing {
        matcher,
        tokenizer,
        chooser: Chooser::new(sampling),
        given,
        branches: (max_branches > 0).then(Vec::new),
        log: 0.0,
        kept: BTreeMap::new(),
        shares: BTreeMap::new(),
        n_choices: 0,
        stats: AnswerStats {
            prompt_tokens: prompt.len(),
            reused_tokens: n_reused,
            ..AnswerStats::default()
        },
    };
    // Tokens that are sure and not computed yet; the last of them, if it was chosen.
    let mut waiting = prompt[n_reused..].to_vec();
    let mut last = None;
    let mut is_read = false;
    let end = loop {
        let written = writing.take_forced(last).map_err(GenerateError::Match)?;
        waiting.truncate(waiting.len() - usize::from(last.is_some()));
        waiting.extend(written);
        if writing.matcher.is_complete() {
            break End::Complete;
        }
        // Each choice counts, one that was then spelled anew too.
        if writing.n_choices >= limits.answer_tokens || waiting.len() > decoder.room() {
            break End::Budget;
        }
        let most = (limits.answer_tokens - writing.n_choices)
            .min(decoder.room() - waiting.len())
            .min(MOST_DRAFTED);
        let (reason, steps) = match &drafting {
            Some((sources, pace)) if decoder.can_forget() => {
                writing.draft(sources, pace, waiting.len(), most)
            }
            _ => (None, Vec::new()),
        };
        let n_sure = waiting.len();
        let mut wanted = vec![n_sure - 1];
        for step in &steps {
            waiting.extend(&step.written);
            wanted.push(waiting.len() - 1);
        }
        let computing = Instant::now();
        decoder
            .decode(&waiting, &wanted, &mut |n| {
                if !is_read {
                    progress(Step::Read((n_reused + n).min(prompt.len())));
                }
            })
            .map_err(GenerateError::Decode)?;
        if let Some((_, pace)) = &mut drafting {
            pace.computed(waiting.len(), computing.elapsed());
        }
        if is_read {
            writing.stats.evaluations += 1;
        } else {
            writing.stats.ms.prompt = started.elapsed().as_secs_f64() * 1e3;
            is_read = true;
        }
        let mut n_right = 0;
        let next = loop {
            let chosen = writing.choose(decoder.logits(n_right))?;
            let Chosen::Token(token) = chosen else { break chosen };
            progress(Step::Written(writing.stats.sampled_tokens + writing.stats.forced_tokens));
            let Some(step) = steps.get(n_right).filter(|step| step.choice == token) else {
                break chosen;
            };
            n_right += 1;
            writing.stats.accepted_tokens += 1;
            let written = writing.take_forced(Some(token)).map_err(GenerateError::Match)?;
            debug_assert_eq!(written, step.written, "a draft is spelled as the answer is");
            if writing.matcher.is_complete() {
                break Chosen::End(End::Complete);
            }
            if writing.n_choices >= limits.answer_tokens {
                break Chosen::End(End::Budget);
            }
        };
        if let (Some((_, pace)), Some(reason)) = (&mut drafting, reason) {
            let n_tried = (n_right + 1).min(steps.len());
            pace.drafted(reason, n_tried, n_right);
        }
        let token = match next {
            Chosen::End(end) => break end,
            Chosen::Token(token) => token,
        };
        // What was drafted behind the last token that was right.
        let n_wrong = waiting.len() - 1 - wanted[n_right];
        if n_wrong > 0 {
            decoder.forget(n_wrong).map_err(GenerateError::Decode)?;
        }
        waiting.clear();
        waiting.push(token);
        last = Some(token);
    };
    let Writing { matcher, kept, shares, log, branches, mut stats, .. } = writing;
    stats.ms.answer = started.elapsed().as_secs_f64() * 1e3 - stats.ms.prompt;
    stats.masked_mass =
        kept.into_iter().map(|(slot, kept)| (slot, (1.0f64 - kept).clamp(0.0, 1.0))).collect();
    stats.certainty = shares.into_iter().map(|(slot, shares)| (slot, shares.certainty())).collect();
    let mut branches = branches.unwrap_or_default();
    // Tokens that spell the same otherwise are no other answer.
    branches.retain(|branch| !matcher.answer().starts_with(branch.beginning.as_bytes()));
    branches.sort_by(|a, b| b.log.total_cmp(&a.log));
    branches.truncate(max_branches);
    Ok(Generated {
        bytes: matcher.answer().to_vec(),
        end,
        stats,
        likelihood: Likelihood { log, branches },
    })
}

/// A token less likely than this begins no branch.
const LEAST_SHARE: f64 = 0.01;

/// What comes next.
enum Chosen {
    /// This token.
    Token(TokenId),
    /// Nothing more.
    End(End),
}

/// An answer in the making, and what it took.
struct Writing<'a> {
    matcher: &'a mut dyn Matcher,
    tokenizer: &'a dyn Tokenize,
    chooser: Chooser,
    given: Option<&'a Given>,
    /// None: nobody asked.
    branches: Option<Vec<Branch>>,
    /// The natural logarithm of the probability of what is written.
    log: f64,
    /// By slot, the probability left by the constraint.
    kept: BTreeMap<Slot, f64>,
    shares: BTreeMap<Slot, Shares>,
    n_choices: usize,
    stats: AnswerStats,
}

/// Longer slots are as certain as so many tokens of theirs are on average: what the bundled model
/// writes is shorter nearly always, and a larger one is not to be doubted because it wrote much.
const CERTAINTY_TOKENS: u32 = 12;

/// The natural logarithm of a share that may be too small for a number: JSON, which answers travel
/// as, has no infinity.
fn log_of(share: f64) -> f64 {
    share.max(f64::MIN_POSITIVE).ln()
}

/// What the tokens chosen in a slot had of the probability.
#[derive(Default)]
struct Shares {
    /// The sum of the natural logarithms.
    log: f64,
    n: u32,
}

impl Shares {
    fn add(&mut self, share: f64) {
        self.log += share.ln();
        self.n += 1;
    }

    /// See [`AnswerStats::certainty`].
    fn certainty(&self) -> f64 {
        (self.log * f64::from(CERTAINTY_TOKENS.min(self.n)) / f64::from(self.n.max(1))).exp()
    }
}

impl Writing<'_> {
    /// What is forced, with the token chosen last in front, spelled together.
    fn take_forced(&mut self, last: Option<TokenId>) -> Result<Vec<TokenId>, MatchError> {
        let started = Instant::now();
        let forced = self.matcher.take_forced(last, self.tokenizer)?;
        self.stats.ms.constraint += started.elapsed().as_secs_f64() * 1e3;
        let kept = last.filter(|_| !forced.replaces_last);
        // Spelled anew, it is part of what is forced.
        self.stats.sampled_tokens -= usize::from(forced.replaces_last);
        self.stats.forced_tokens += forced.tokens.len();
        Ok(kept.into_iter().chain(forced.tokens).collect())
    }

    /// What is still to be written of what is given: empty where the answer has left it. None where
    /// the model is free.
    fn rest_given(&self) -> Option<&[u8]> {
        let written = self.matcher.answer();
        match self.given? {
            Given::Beginning(beginning) if written.starts_with(beginning.as_bytes()) => None,
            Given::Beginning(given) | Given::Whole(given) => {
                Some(given.as_bytes().strip_prefix(written).unwrap_or_default())
            }
        }
    }

    /// A draft that is worth its computation, at most so many tokens, and of which kind it is: a
    /// beginning that is given is none that could be wrong.
    fn draft(
        &mut self,
        sources: &Sources,
        pace: &Pace,
        n_waiting: usize,
        most: usize,
    ) -> (Option<DraftReason>, Vec<DraftStep>) {
        let started = Instant::now();
        let (reason, mut steps) = match (self.rest_given().map(<[u8]>::to_vec), self.given) {
            (Some(rest), Some(Given::Beginning(_))) => {
                (None, self.matcher.draft(&rest, most, self.tokenizer))
            }
            _ => match self
                .matcher
                .slot()
                .and_then(|slot| sources.draft(slot, self.matcher.answer()))
            {
                Some(Draft { bytes, reason }) => (
                    Some(reason),
                    self.matcher.draft(
                        &bytes,
                        pace.worth(reason, n_waiting).min(most),
                        self.tokenizer,
                    ),
                ),
                None => (None, Vec::new()),
            },
        };
        let mut n_tokens = 0;
        let n_fitting = steps.iter().take_while(|step| {
            n_tokens += step.written.len();
            n_tokens <= most
        });
        let n_fitting = n_fitting.count();
        steps.truncate(n_fitting);
        self.stats.drafted_tokens += steps.len();
        self.stats.ms.draft += started.elapsed().as_secs_f64() * 1e3;
        (reason.filter(|_| !steps.is_empty()), steps)
    }

    /// Chooses a token and takes it, or says why none can be.
    fn choose<E>(&mut self, logits: &[f32]) -> Result<Chosen, GenerateError<E>> {
        let started = Instant::now();
        let slot_before = self.matcher.slot();
        let given = self.rest_given().map(|rest| self.tokenizer.tokenize(rest).first().copied());
        // The answer so far, where branches of it are asked for.
        let before = self
            .branches
            .as_ref()
            .filter(|_| given.is_none())
            .map(|_| self.matcher.answer().to_vec());
        let mask = self.matcher.mask().map_err(GenerateError::Match)?;
        let choice = match given {
            // What does not fit cannot be written.
            Some(token) => token
                .filter(|&token| mask.is_allowed(token))
                .and_then(|token| self.chooser.take(logits, mask, token)),
            None => self.chooser.choose(logits, mask),
        };
        let is_empty = choice.is_none() && (given.is_some() || mask.is_zero());
        self.stats.ms.constraint += started.elapsed().as_secs_f64() * 1e3;
        let Some(choice) = choice else {
            return if is_empty {
                Ok(Chosen::End(End::NoToken))
            } else {
                Err(GenerateError::NotANumber)
            };
        };
        if let (Some(before), Some(branches)) = (before, &mut self.branches) {
            for (token, share) in self.chooser.others(mask, choice.token, LEAST_SHARE) {
                let Some(spelling) = self.tokenizer.spelling(token) else { continue };
                // One that ends inside a character is left out.
                if let Ok(beginning) = String::from_utf8([&before[..], &spelling].concat()) {
                    branches.push(Branch { beginning, log: self.log + log_of(share) });
                }
            }
        }
        self.log += log_of(choice.share);
        self.matcher.consume(choice.token).map_err(GenerateError::Match)?;
        if let Some(slot) = slot_before.or(self.matcher.slot()) {
            *self.kept.entry(slot).or_insert(1.0) *= choice.allowed_mass;
            self.shares.entry(slot).or_default().add(choice.share);
        }
        if self.stats.closest_call.is_none_or(|closest| choice.margin < closest) {
            self.stats.closest_call = Some(choice.margin);
        }
        self.n_choices += 1;
        self.stats.sampled_tokens += 1;
        Ok(Chosen::Token(choice.token))
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::constrain::mask::SlotMatcher;
    use crate::constrain::{Constraint, SlotSpec};
    use crate::engine::pace::MOST_TOKENS;
    use crate::text::Shown;
    use std::convert::Infallible;
    use toktrie::{TokRxInfo, TokTrie};

    #[test]
    fn a_long_slot_is_as_certain_as_twelve_of_its_tokens() {
        let certainty = |shares: &[f64]| {
            let mut all = Shares::default();
            shares.iter().for_each(|&share| all.add(share));
            all.certainty()
        };
        let near = |a: f64, b: f64| assert!((a - b).abs() < 1e-12, "{a} {b}");
        near(certainty(&[0.5, 0.8]), 0.4);
        near(certainty(&[0.9; 12]), 0.9f64.powi(12));
        near(certainty(&[0.9; 13]), 0.9f64.powi(12));
        near(certainty(&[&[0.81; 50][..], &[1.0; 50]].concat()), 0.9f64.powi(12));
        near(certainty(&[0.0, 1.0]), 0.0);
        near(certainty(&[]), 1.0);
    }

    /// Thinks something else after every text, and has no weights.
    pub struct RandomLogits {
        n_vocabulary: usize,
        seed: u64,
        /// All tokens read.
        read: Vec<TokenId>,
        logits: Vec<Vec<f32>>,
        can_forget: bool,
        /// So far the answer that it would give, mostly, with what its tokens write.
        favourite: Option<(Vec<u8>, TokTrie)>,
        n_calls: usize,
    }

    impl RandomLogits {
        pub fn new(n_vocabulary: usize, seed: u64) -> RandomLogits {
            let (read, logits) = (Vec::new(), Vec::new());
            RandomLogits {
                n_vocabulary,
                seed,
                read,
                logits,
                can_forget: true,
                favourite: None,
                n_calls: 0,
            }
        }

        fn think(&self) -> Vec<f32> {
            let mut state = self.read.iter().fold(self.seed, |state, &token| {
                (state ^ u64::from(token).wrapping_add(0x9e37_79b9_7f4a_7c15))
                    .wrapping_mul(0xbf58_476d_1ce4_e5b9)
                    .rotate_left(29)
            });
            let mut random = || {
                state = state
                    .wrapping_mul(6_364_136_223_846_793_005)
                    .wrapping_add(1_442_695_040_888_963_407);
                (state >> 40) as f32 / (1u64 << 24) as f32
            };
            let mut logits: Vec<f32> = (0..self.n_vocabulary).map(|_| random() * 20.0).collect();
            if let Some((answer, trie)) = &self.favourite
                && random() < 0.985
            {
                let written: Vec<u8> =
                    self.read[1..].iter().flat_map(|&token| trie.token(token).to_vec()).collect();
                let rest = answer.strip_prefix(written.as_slice()).unwrap_or_default();
                if let Some(&token) = trie.greedy_tokenize(rest).first() {
                    logits[token as usize] = 40.0;
                }
            }
            logits
        }
    }

    impl Decoder for RandomLogits {
        type Error = Infallible;

        fn begin(&mut self, _: &[TokenId]) -> usize {
            self.read.clear();
            0
        }

        fn room(&self) -> usize {
            100_000
        }

        fn decode(
            &mut self,
            tokens: &[TokenId],
            wanted: &[usize],
            _: &mut dyn FnMut(usize),
        ) -> Result<(), Infallible> {
            self.n_calls += 1;
            self.logits.clear();
            for (i, &token) in tokens.iter().enumerate() {
                self.read.push(token);
                if wanted.contains(&i) {
                    self.logits.push(self.think());
                }
            }
            Ok(())
        }

        fn logits(&self, i: usize) -> &[f32] {
            &self.logits[i]
        }

        fn forget(&mut self, n_tokens: usize) -> Result<(), Infallible> {
            assert!(self.can_forget);
            self.read.truncate(self.read.len() - n_tokens);
            Ok(())
        }

        fn can_forget(&self) -> bool {
            self.can_forget
        }
    }

    /// Bytes and some words; the longest that fits.
    struct Words(TokTrie);

    impl Words {
        fn new() -> Words {
            let words = [
                "    ", "return", " return", "limit", " =", " 1", "def", "\\n", "\\n    ", "old",
                "\",\"", "\":\"", "\"}",
            ];
            let mut tokens: Vec<Vec<u8>> = (0..=255).map(|byte| vec![byte]).collect();
            tokens.extend(words.map(|word| word.as_bytes().to_vec()));
            Words(TokTrie::from(&TokRxInfo::new(tokens.len() as u32, 0), &tokens))
        }
    }

    impl Tokenize for Words {
        fn tokenize(&self, text: &[u8]) -> Vec<TokenId> {
            self.0.greedy_tokenize(text)
        }

        fn spelling(&self, token: TokenId) -> Option<Vec<u8>> {
            Some(self.0.token(token).to_vec())
        }
    }

    const FILE: &str = "def load():\n    limit = 10\n    return limit\n\n\ndef save():\n    limit = 11\n    return save(\"limit\", limit)\n";

    /// What a model that mostly has this answer in mind writes, in how many calls.
    fn write(
        answer: &str,
        seed: u64,
        sampling: Sampling,
        drafts: bool,
        can_forget: bool,
        given: Option<&Given>,
    ) -> (Generated, usize) {
        let words = Words::new();
        let spec = SlotSpec::Replace { shown: Shown::whole(FILE), blocks: true };
        let constraint = Constraint::new(&spec);
        let mut matcher = SlotMatcher::new(&constraint, &words.0);
        let mut decoder = RandomLogits::new(words.0.vocab_size(), seed);
        decoder.favourite = Some((answer.as_bytes().to_vec(), words.0.clone()));
        decoder.can_forget = can_forget;
        let sources = Sources::new(&spec, &["    return save(\"limit\", limit)".to_owned()]);
        let mut pace = Pace::default();
        let drafting = drafts.then_some((&sources, &mut pace));
        let options =
            AnswerOptions { limits: Limits { answer_tokens: 120 }, sampling, given, branches: 8 };
        let generated = generate(
            &mut decoder,
            &words,
            &mut matcher,
            &[b'?'.into()],
            options,
            drafting,
            &mut |_| {},
        )
        .unwrap();
        if generated.end == End::Complete {
            assert!(constraint.accepts(&generated.bytes));
        }
        (generated, decoder.n_calls)
    }

    #[test]
    fn drafts_save_calls_and_change_nothing() {
        let answer =
            r#"{"old":"return save(\"limit\", limit)","new":"return store(\"limit\", limit, 10)"}"#;
        let (mut n_plain, mut n_drafted, mut n_accepted) = (0, 0, 0);
        for seed in 0..60 {
            let sampling = if seed % 3 == 0 {
                Sampling::Random { temperature: 1.0, seed }
            } else {
                Sampling::Greedy
            };
            let (plain, n_calls) = write(answer, seed, sampling, false, true, None);
            let (drafted, n_calls_drafted) = write(answer, seed, sampling, true, true, None);
            let text =
                |generated: &Generated| String::from_utf8_lossy(&generated.bytes).into_owned();
            assert_eq!((text(&plain), plain.end), (text(&drafted), drafted.end));
            let (a, b) = (&plain.stats, &drafted.stats);
            assert_eq!((a.sampled_tokens, a.forced_tokens), (b.sampled_tokens, b.forced_tokens));
            assert_eq!(a.masked_mass, b.masked_mass);
            assert_eq!((a.drafted_tokens, a.evaluations + 1), (0, n_calls));
            assert_eq!(b.evaluations + 1, n_calls_drafted);
            assert!(
                b.accepted_tokens <= b.drafted_tokens
                    && b.drafted_tokens <= MOST_TOKENS * n_calls_drafted
            );
            (n_plain, n_drafted, n_accepted) =
                (n_plain + n_calls, n_drafted + n_calls_drafted, n_accepted + b.accepted_tokens);
        }
        assert!(
            n_accepted > 300 && 4 * n_drafted < 3 * n_plain,
            "{n_plain} calls, drafted {n_drafted}, {n_accepted} accepted"
        );
    }

    #[test]
    fn an_answer_can_be_given() {
        let answer = r#"{"old":"limit = 11","new":"limit = 12"}"#;
        for drafts in [false, true] {
            let given = Given::Whole(answer.to_owned());
            let (generated, _) = write("", 1, Sampling::Greedy, drafts, true, Some(&given));
            assert_eq!(String::from_utf8(generated.bytes).unwrap(), answer);
            assert_eq!(generated.end, End::Complete);
            assert!(generated.stats.evaluations > 3, "computed all the same");
        }
        for given in [Given::Whole, Given::Beginning] {
            let given = given(r#"{"old":"limits","new":""}"#.to_owned());
            let (generated, _) = write("", 1, Sampling::Greedy, true, true, Some(&given));
            assert_eq!(generated.end, End::NoToken, "it does not fit");
        }
    }

    #[test]
    fn an_answer_goes_on_from_where_another_could_have_parted() {
        let favourite = r#"{"old":"limit = 11","new":"limit = 12"}"#;
        for seed in 0..20 {
            let (first, _) = write(favourite, seed, Sampling::Greedy, false, true, None);
            let branches = first.likelihood.branches;
            assert!(branches.is_sorted_by(|a, b| a.log >= b.log) && branches.len() <= 8);
            for Branch { beginning, log } in branches {
                assert!(!first.bytes.starts_with(beginning.as_bytes()));
                let given = Given::Beginning(beginning.clone());
                let (other, n_calls) =
                    write(favourite, seed, Sampling::Greedy, false, true, Some(&given));
                assert!(other.bytes.starts_with(beginning.as_bytes()));
                assert!(other.likelihood.log <= log + 1e-6, "{} {log}", other.likelihood.log);
                let (drafted, n_calls_drafted) =
                    write(favourite, seed, Sampling::Greedy, true, true, Some(&given));
                assert_eq!((drafted.bytes, drafted.end), (other.bytes, other.end));
                assert!(n_calls_drafted <= n_calls, "the beginning is computed at once");
            }
        }
    }

    #[test]
    fn what_is_as_good_as_impossible_still_has_a_likelihood() {
        let likelihood = Likelihood { log: log_of(0.0) + log_of(0.5), branches: Vec::new() };
        let json = serde_json::to_string(&likelihood).unwrap();
        assert!(
            (serde_json::from_str::<Likelihood>(&json).unwrap().log - likelihood.log).abs() < 1e-9,
            "{json}"
        );
        assert!(log_of(0.0) < -700.0 && (log_of(0.5) + std::f64::consts::LN_2).abs() < 1e-12);
    }

    #[test]
    fn what_cannot_forget_is_not_drafted_for() {
        let answer = r#"{"old":"return limit","new":"return limit"}"#;
        let (generated, _) = write(answer, 1, Sampling::Greedy, true, false, None);
        assert_eq!(generated.stats.drafted_tokens, 0);
    }
}
