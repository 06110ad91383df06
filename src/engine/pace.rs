//! Decides how long a draft is worth its computation. It measures how often drafts of each kind
//! were right, and how the time of a batch grows with its tokens.

use super::draft::DraftReason;
use std::time::Duration;

/// The longest draft, in tokens that the model chooses.
pub const MOST_TOKENS: usize = 32;

/// Measurements of batches and drafts, over all answers of one process.
#[derive(Clone, Debug)]
pub struct Pace {
    /// Milliseconds for a batch of one token (`one`) and for each further token (`more`); 0 until
    /// measured.
    one: f64,
    more: f64,
    /// By reason of the draft: tokens that were right, and tokens tried.
    right: [f64; 5],
    tried: [f64; 5],
}

/// Until it is measured, a batch of one token is assumed to cost as much as this many further
/// tokens.
const ONE_IN_MORE: f64 = 4.0;

/// The weight of the newest measurement in the running average.
const NEWEST: f64 = 0.3;

/// Batches of at least this many tokens measure the cost of a further token.
const MANY: usize = 48;

impl Default for Pace {
    fn default() -> Pace {
        // The rates measured over edits of all sorts, each with the weight of four tokens tried.
        const TRIED: f64 = 4.0;
        Pace {
            one: 0.0,
            more: 0.0,
            right: [0.95, 0.5, 0.7, 0.7, 0.8].map(|rate| TRIED * rate),
            tried: [TRIED; 5],
        }
    }
}

impl Pace {
    /// Records the time of a batch.
    pub fn computed(&mut self, n_tokens: usize, took: Duration) {
        let ms = took.as_secs_f64() * 1e3;
        let (figure, value) = match n_tokens {
            1..=2 => (&mut self.one, ms / n_tokens as f64),
            MANY.. => (&mut self.more, ms / n_tokens as f64),
            _ => return,
        };
        *figure = if *figure == 0.0 {
            value
        } else {
            *figure + NEWEST * (value - *figure)
        };
    }

    /// Records a draft: the number of tokens that the model compared, and how many of them were
    /// right.
    pub fn drafted(&mut self, reason: DraftReason, n_tried: usize, n_right: usize) {
        self.right[reason as usize] += n_right as f64;
        self.tried[reason as usize] += n_tried as f64;
    }

    /// The number of draft tokens worth computing together with `n_waiting` tokens that must be
    /// computed anyway. It is the number with the least time per token of the answer.
    pub fn worth(&self, reason: DraftReason, n_waiting: usize) -> usize {
        let rate = self.right[reason as usize] / self.tried[reason as usize];
        let more = if self.more > 0.0 {
            self.more
        } else {
            self.one / ONE_IN_MORE
        };
        // In units of the cost of a further token.
        let first = if self.one > 0.0 && more > 0.0 {
            (self.one / more).max(1.0)
        } else {
            ONE_IN_MORE
        };
        let mut time = first + (n_waiting.max(1) - 1) as f64;
        let mut best = (0, 1.0 / time);
        let mut expected = 1.0;
        let mut all_right = 1.0;
        for n in 1..=MOST_TOKENS {
            time += 1.0;
            all_right *= rate;
            expected += all_right;
            if expected / time > best.1 {
                best = (n, expected / time);
            }
        }
        best.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_draft_is_as_long_as_it_pays() {
        let mut pace = Pace::default();
        assert!(pace.worth(DraftReason::Aligned, 1) > pace.worth(DraftReason::Replaced, 1));
        // A batch of many tokens costs no more than one, as on a graphics card.
        pace.computed(1, Duration::from_millis(30));
        pace.computed(100, Duration::from_millis(30));
        assert_eq!(pace.worth(DraftReason::Aligned, 1), MOST_TOKENS);
        // Every token costs the same, so drafts gain nothing.
        let mut slow = Pace::default();
        slow.computed(1, Duration::from_millis(30));
        slow.computed(100, Duration::from_secs(3));
        assert_eq!(slow.worth(DraftReason::Aligned, 1), 0);
        // Drafts that are never right become short.
        for _ in 0..20 {
            pace.drafted(DraftReason::Found, 1, 0);
        }
        assert!(pace.worth(DraftReason::Found, 1) < 3);
    }
}
