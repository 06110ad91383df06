use super::writing::{Shares, log_of};
use super::{Decoder, Drafter, Generated, TokenModel, TokenRequest, generate};
use crate::constrain::mask::{SlotMatcher, TokenId, Tokenize};
use crate::constrain::{Constraint, SlotSpec};
use crate::engine::draft::Sources;
use crate::engine::pace::{MOST_TOKENS, Pace};
use crate::engine::{Branch, End, Given, Likelihood, Limits, Sampling};
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
    near(
        certainty(&[&[0.81; 50][..], &[1.0; 50]].concat()),
        0.9f64.powi(12),
    );
    near(certainty(&[0.0, 1.0]), 0.0);
    near(certainty(&[]), 1.0);
}

/// A model without weights: after every text it gives other random logits.
pub struct RandomLogits {
    n_vocabulary: usize,
    seed: u64,
    /// All tokens read.
    read: Vec<TokenId>,
    logits: Vec<Vec<f32>>,
    can_forget: bool,
    /// The answer that it usually prefers, and its vocabulary.
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
            let written: Vec<u8> = self.read[1..]
                .iter()
                .flat_map(|&token| trie.token(token).to_vec())
                .collect();
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

/// A tokenizer of bytes and some words. It takes the longest that fits.
struct WordTokenizer(TokTrie);

impl WordTokenizer {
    fn new() -> WordTokenizer {
        let words = [
            "    ", "return", " return", "limit", " =", " 1", "def", "\\n", "\\n    ", "old",
            "\",\"", "\":\"", "\"}",
        ];
        let mut tokens: Vec<Vec<u8>> = (0..=255).map(|byte| vec![byte]).collect();
        tokens.extend(words.map(|word| word.as_bytes().to_vec()));
        WordTokenizer(TokTrie::from(
            &TokRxInfo::new(tokens.len() as u32, 0),
            &tokens,
        ))
    }
}

impl Tokenize for WordTokenizer {
    fn tokenize(&self, text: &[u8]) -> Vec<TokenId> {
        self.0.greedy_tokenize(text)
    }

    fn spelling(&self, token: TokenId) -> Option<Vec<u8>> {
        Some(self.0.token(token).to_vec())
    }
}

const FILE: &str = concat!(
    "def load():\n    limit = 10\n    return limit\n\n\n",
    "def save():\n    limit = 11\n    return save(\"limit\", limit)\n",
);

/// One run of [`generate`].
#[derive(Clone, Copy)]
struct Case<'a> {
    /// The answer that the model usually prefers.
    answer: &'a str,
    seed: u64,
    sampling: Sampling,
    has_drafts: bool,
    can_forget: bool,
    given: Option<&'a Given>,
}

impl<'a> Case<'a> {
    fn new(answer: &'a str, seed: u64) -> Case<'a> {
        let (sampling, given) = (Sampling::Greedy, None);
        Case {
            answer,
            seed,
            sampling,
            has_drafts: false,
            can_forget: true,
            given,
        }
    }

    /// The model's answer, and the number of calls it took.
    fn write(self) -> (Generated, usize) {
        let words = WordTokenizer::new();
        let spec = SlotSpec::Replace {
            shown: Shown::whole(FILE),
            blocks: true,
        };
        let constraint = Constraint::new(&spec);
        let mut matcher = SlotMatcher::new(&constraint, &words.0);
        let mut decoder = RandomLogits::new(words.0.vocab_size(), self.seed);
        decoder.favourite = Some((self.answer.as_bytes().to_vec(), words.0.clone()));
        decoder.can_forget = self.can_forget;
        let sources = Sources::new(&spec, &["    return save(\"limit\", limit)".to_owned()]);
        let mut pace = Pace::default();
        let drafter = self.has_drafts.then_some(Drafter {
            sources: &sources,
            pace: &mut pace,
        });
        let request = TokenRequest {
            prompt: &[b'?'.into()],
            limits: Limits { answer_tokens: 120 },
            sampling: self.sampling,
            given: self.given,
            branches: 8,
        };
        let model = TokenModel {
            decoder: &mut decoder,
            tokenizer: &words,
        };
        let generated = generate(model, &mut matcher, request, drafter, &mut |_| {}).unwrap();
        if generated.end == End::Complete {
            assert!(constraint.accepts(&generated.bytes));
        }
        (generated, decoder.n_calls)
    }
}

#[test]
fn drafts_save_calls_and_change_nothing() {
    let answer =
        r#"{"old":"return save(\"limit\", limit)","new":"return store(\"limit\", limit, 10)"}"#;
    let (mut n_plain, mut n_drafted, mut n_accepted) = (0, 0, 0);
    for seed in 0..60 {
        let sampling = if seed % 3 == 0 {
            Sampling::Random {
                temperature: 1.0,
                seed,
            }
        } else {
            Sampling::Greedy
        };
        let case = Case {
            sampling,
            ..Case::new(answer, seed)
        };
        let (plain, n_calls) = case.write();
        let (drafted, n_calls_drafted) = Case {
            has_drafts: true,
            ..case
        }
        .write();
        let text = |generated: &Generated| String::from_utf8_lossy(&generated.bytes).into_owned();
        assert_eq!((text(&plain), plain.end), (text(&drafted), drafted.end));
        let (a, b) = (&plain.stats, &drafted.stats);
        assert_eq!(
            (a.sampled_tokens, a.forced_tokens),
            (b.sampled_tokens, b.forced_tokens)
        );
        assert_eq!(a.masked_mass, b.masked_mass);
        assert_eq!((a.drafted_tokens, a.evaluations + 1), (0, n_calls));
        assert_eq!(b.evaluations + 1, n_calls_drafted);
        assert!(
            b.accepted_tokens <= b.drafted_tokens
                && b.drafted_tokens <= MOST_TOKENS * n_calls_drafted
        );
        (n_plain, n_drafted, n_accepted) = (
            n_plain + n_calls,
            n_drafted + n_calls_drafted,
            n_accepted + b.accepted_tokens,
        );
    }
    assert!(
        n_accepted > 300 && 4 * n_drafted < 3 * n_plain,
        "{n_plain} calls, drafted {n_drafted}, {n_accepted} accepted"
    );
}

#[test]
fn an_answer_can_be_given() {
    let answer = r#"{"old":"limit = 11","new":"limit = 12"}"#;
    for has_drafts in [false, true] {
        let given = Given::Whole(answer.to_owned());
        let (generated, _) = Case {
            has_drafts,
            given: Some(&given),
            ..Case::new("", 1)
        }
        .write();
        assert_eq!(String::from_utf8(generated.bytes).unwrap(), answer);
        assert_eq!(generated.end, End::Complete);
        assert!(generated.stats.evaluations > 3, "computed all the same");
    }
    for given in [Given::Whole, Given::Beginning] {
        let given = given(r#"{"old":"limits","new":""}"#.to_owned());
        let case = Case {
            has_drafts: true,
            given: Some(&given),
            ..Case::new("", 1)
        };
        let (generated, _) = case.write();
        assert_eq!(generated.end, End::NoToken, "it does not fit");
    }
}

#[test]
fn an_answer_goes_on_from_where_another_could_have_parted() {
    let plain = r#"{"old":"limit = 11","new":"limit = 12"}"#;
    let with_quotes = r#"{"old":"limit = 11","new":"limit = (\"a\" + \"b\")"}"#;
    let mut n_branches = 0;
    for (favourite, seed) in (0..20).flat_map(|seed| [(plain, seed), (with_quotes, seed)]) {
        let (first, _) = Case::new(favourite, seed).write();
        let branches = first.likelihood.branches;
        assert!(branches.is_sorted_by(|a, b| a.free_log >= b.free_log) && branches.len() <= 8);
        n_branches += branches.len();
        for Branch {
            beginning,
            log,
            free_log,
        } in branches
        {
            assert!(free_log <= log + 1e-6, "{free_log} {log}");
            assert!(!first.bytes.starts_with(beginning.as_bytes()));
            let given = Given::Beginning(beginning.clone());
            let case = Case {
                given: Some(&given),
                ..Case::new(favourite, seed)
            };
            let (other, n_calls) = case.write();
            // What follows a quote may show that it was no end.
            let reopened = beginning
                .strip_suffix('"')
                .map(|text| format!("{text}\\\""));
            assert!(
                other.bytes.starts_with(beginning.as_bytes())
                    || reopened.is_some_and(|text| other.bytes.starts_with(text.as_bytes())),
                "{beginning} {}",
                String::from_utf8_lossy(&other.bytes)
            );
            assert_ne!(other.end, End::NoToken, "{beginning}");
            assert!(
                other.likelihood.log <= log + 1e-6,
                "{} {log}",
                other.likelihood.log
            );
            assert!(other.likelihood.free_log <= free_log + 1e-6);
            let (drafted, n_calls_drafted) = Case {
                has_drafts: true,
                ..case
            }
            .write();
            assert_eq!((drafted.bytes, drafted.end), (other.bytes, other.end));
            assert!(
                n_calls_drafted <= n_calls,
                "the beginning is computed at once"
            );
        }
    }
    assert!(n_branches > 40, "{n_branches}");
}

#[test]
fn what_is_as_good_as_impossible_still_has_a_likelihood() {
    let likelihood = Likelihood {
        log: log_of(0.0) + log_of(0.5),
        free_log: 0.0,
        branches: Vec::new(),
    };
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
    let case = Case {
        has_drafts: true,
        can_forget: false,
        ..Case::new(answer, 1)
    };
    let (generated, _) = case.write();
    assert_eq!(generated.stats.drafted_tokens, 0);
}
