//! Chooses a token among those allowed, and measures the choice: how much probability was allowed,
//! how certain the model was, and how close the next best token came.

use super::request::Sampling;
use crate::constrain::mask::{TokenId, TokenMask};

/// Chooses tokens by one sampling rule.
pub struct Chooser {
    sampling: Sampling,
    random: u64,
    /// By token: its probability divided by that of the likeliest token.
    odds: Vec<f32>,
    /// The sum of the odds of all allowed tokens.
    allowed_odds: f64,
}

/// A chosen token, and how it compares with the other tokens.
#[derive(Clone, Copy, Debug)]
pub struct Choice {
    /// The token to write.
    pub token: TokenId,
    /// The probability, 0 to 1, that the model gave to all allowed tokens together.
    pub allowed_mass: f64,
    /// The part of `allowed_mass` that is on this token, 0 to 1.
    pub share: f64,
    /// The token's logit minus that of the next best allowed token. Below 0 if this token is not
    /// the best.
    pub margin: f32,
}

impl Chooser {
    /// A chooser with this sampling rule.
    pub fn new(sampling: Sampling) -> Chooser {
        let seed = match sampling {
            Sampling::Random { seed, .. } => seed,
            Sampling::Greedy => 0,
        };
        Chooser {
            sampling,
            random: seed,
            odds: Vec::new(),
            allowed_odds: 0.0,
        }
    }

    /// Chooses a token. `None` if the logits are not numbers, or those of the allowed tokens are
    /// not.
    pub fn choose(&mut self, logits: &[f32], mask: &TokenMask) -> Option<Choice> {
        self.rate(logits, mask, None)
    }

    /// Takes this token, which the mask allows, and measures the choice.
    pub fn take(&mut self, logits: &[f32], mask: &TokenMask, token: TokenId) -> Option<Choice> {
        self.rate(logits, mask, Some(token))
    }

    fn rate(&mut self, logits: &[f32], mask: &TokenMask, given: Option<TokenId>) -> Option<Choice> {
        let max = logits.iter().fold(
            f32::NEG_INFINITY,
            |max, &logit| if logit > max { logit } else { max },
        );
        if !max.is_finite() {
            return None;
        }
        let mut odds = std::mem::take(&mut self.odds);
        odds.clear();
        odds.extend(logits.iter().map(|&logit| exp_of_nonpositive(logit - max)));
        let whole: f64 = odds.chunks(WORD).map(sum).sum();

        let mut allowed = 0.0;
        let mut best = TwoBest::default();
        let mut random: Option<(f32, usize)> = None;
        for (i, &word) in mask.as_slice().iter().enumerate() {
            let first = i * WORD;
            let tokens = first..(first + WORD).min(logits.len());
            let (Some(odds), Some(logits)) = (odds.get(tokens.clone()), logits.get(tokens)) else {
                break;
            };
            allowed += match word {
                0 => continue,
                u32::MAX => sum(odds),
                _ => allowed_in(word, odds.len())
                    .map(|k| f64::from(odds[k]))
                    .sum(),
            };
            // Most words of the mask have no better logit.
            if best.token.is_none() || logits.iter().any(|&logit| logit > best.second) {
                for k in allowed_in(word, logits.len()) {
                    best.add(logits[k], first + k);
                }
            }
            if let Sampling::Random { temperature, .. } = self.sampling {
                for k in allowed_in(word, logits.len()).filter(|&k| !logits[k].is_nan()) {
                    // The largest of the logits plus Gumbel noise is a sample of their softmax
                    // (Gumbel, 1954).
                    let score = logits[k] / temperature - (-self.uniform().ln()).ln();
                    if random.is_none_or(|(highest, _)| score > highest) {
                        random = Some((score, first + k));
                    }
                }
            }
        }

        let token = given
            .map(|token| token as usize)
            .or(random.map(|(_, token)| token))
            .or(best.token)?;
        self.allowed_odds = allowed;
        self.odds = odds;
        let share = f64::from(self.odds[token]) / allowed;
        let others_best = if Some(token) == best.token {
            best.second
        } else {
            best.first
        };
        Some(Choice {
            token: token as TokenId,
            allowed_mass: allowed / whole,
            share: if allowed > 0.0 { share } else { 0.0 },
            margin: logits[token] - others_best,
        })
    }

    /// The other tokens that the last choice could have taken under the same mask, with their
    /// [`Choice::share`] if that is at least `least`.
    pub fn others(&self, mask: &TokenMask, token: TokenId, least: f64) -> Vec<(TokenId, f64)> {
        if self.allowed_odds <= 0.0 {
            return Vec::new();
        }
        // A vocabulary has 150,000 tokens, and hardly any of them passes this.
        let least_odds = least * self.allowed_odds;
        let likely = (0..)
            .zip(&self.odds)
            .filter(|(_, odds)| f64::from(**odds) >= least_odds);
        likely
            .filter(|&(other, _)| other != token && mask.is_allowed(other))
            .map(|(other, odds)| (other, f64::from(*odds) / self.allowed_odds))
            .collect()
    }

    /// A random number in the open interval from 0 to 1 (splitmix64, Steele and others, 2014).
    fn uniform(&mut self) -> f32 {
        self.random = self.random.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.random;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^= z >> 31;
        ((z >> 41) as f32 + 0.5) / (1u32 << 23) as f32
    }
}

/// The two largest logits, and the token of the largest.
struct TwoBest {
    token: Option<usize>,
    first: f32,
    second: f32,
}

impl Default for TwoBest {
    fn default() -> TwoBest {
        TwoBest {
            token: None,
            first: f32::NEG_INFINITY,
            second: f32::NEG_INFINITY,
        }
    }
}

impl TwoBest {
    /// Adds a logit, unless it is not a number.
    fn add(&mut self, logit: f32, token: usize) {
        if logit.is_nan() {
            return;
        }
        if self.token.is_none() || logit > self.first {
            self.second = self.first;
            self.first = logit;
            self.token = Some(token);
        } else if logit > self.second {
            self.second = logit;
        }
    }
}

/// The number of tokens in a word of a mask.
const WORD: usize = 32;

/// The tokens that a word of a mask allows, among its first `n`.
fn allowed_in(word: u32, n: usize) -> impl Iterator<Item = usize> {
    (0..n).filter(move |k| word >> k & 1 == 1)
}

fn sum(odds: &[f32]) -> f64 {
    f64::from(odds.iter().sum::<f32>())
}

/// e to the power of `x`, which is 0 or less, to some five digits. 0 for `x` below -87 and for NaN.
/// Unlike the library's function the compiler turns this one into vector code, which matters for
/// 150,000 logits a token.
fn exp_of_nonpositive(x: f32) -> f32 {
    // Adding this rounds to a whole number, which is then in the lowest bits.
    const ROUND: f32 = 12_582_912.0; // 1.5 * 2^23
    let in_twos = x * std::f32::consts::LOG2_E;
    let rounded = in_twos + ROUND;
    let rest = (in_twos - (rounded - ROUND)) * std::f32::consts::LN_2;
    let series = 1.0
        + rest
            * (1.0
                + rest * (0.5 + rest * (1.0 / 6.0 + rest * (1.0 / 24.0 + rest * (1.0 / 120.0)))));
    let exponent = rounded
        .to_bits()
        .wrapping_sub(ROUND.to_bits())
        .wrapping_add(127);
    let power = series * f32::from_bits(exponent << 23);
    if x > -87.0 { power } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use toktrie::{SimpleVob, TokRxInfo, TokTrie};

    #[test]
    fn logits_that_are_no_numbers_choose_nothing() {
        let trie = TokTrie::from(
            &TokRxInfo::new(4, 0),
            &[b"a".to_vec(), b"b".to_vec(), b"c".to_vec(), b"d".to_vec()],
        );
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
        assert!((choice.allowed_mass - 1.0 / 3.0).abs() < 1e-5);
        assert_eq!((choice.share, choice.margin), (1.0, f32::INFINITY));
        let choice = choose([9.0, 1.0, 3.0, 9.0]).unwrap();
        assert_eq!((choice.token, choice.margin), (2, 2.0));
        assert!((choice.share - 1.0 / (1.0 + (-2.0f64).exp())).abs() < 1e-5);
        let choice = choose([0.0, -300.0, -200.0, 0.0]).unwrap();
        assert_eq!(
            (choice.token, choice.allowed_mass),
            (2, 0.0),
            "unlikely as all are, one is likeliest"
        );
        let choice = choose([0.0, f32::NAN, f32::NEG_INFINITY, 0.0]).unwrap();
        assert_eq!(choice.token, 2);
    }

    #[test]
    fn other_tokens_that_could_have_been_chosen() {
        let mut mask = SimpleVob::alloc(40);
        (0..39).for_each(|token| mask.allow_token(token));
        let mut logits = [0.0; 40];
        (logits[3], logits[35], logits[7], logits[39]) = (9.0, 7.0, 8.0, 9.0);
        let mut chooser = Chooser::new(Sampling::Greedy);
        assert_eq!(chooser.choose(&logits, &mask).unwrap().token, 3);
        let others = chooser.others(&mask, 3, 0.01);
        assert_eq!(
            others.iter().map(|(token, _)| *token).collect::<Vec<_>>(),
            [7, 35],
            "39 is masked"
        );
        // Odds of e^9, e^8 and e^7, and of 36 others with a logit of 0.
        let all: f64 = [9.0_f64, 8.0, 7.0].map(f64::exp).iter().sum::<f64>() + 36.0;
        assert!((others[0].1 - 8.0_f64.exp() / all).abs() < 1e-4);
        let taken = chooser.take(&logits, &mask, 7).unwrap();
        assert!((taken.share - others[0].1).abs() < 1e-9);
        assert_eq!(taken.margin, -1.0);
    }

    #[test]
    fn powers_of_e() {
        for i in 0..8_700 {
            let x = -i as f32 / 100.0;
            let (ours, exact) = (f64::from(exp_of_nonpositive(x)), f64::from(x).exp());
            assert!((ours / exact - 1.0).abs() < 2e-5, "{x}: {ours} and {exact}");
        }
        assert_eq!(
            [-87.5, -1e9, f32::NEG_INFINITY, f32::NAN].map(exp_of_nonpositive),
            [0.0; 4]
        );
        assert_eq!(exp_of_nonpositive(0.0), 1.0);
    }
}
