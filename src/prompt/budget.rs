//! How long the parts of a prompt and its answer may be.

use crate::engine::speed::nearest_step;
use crate::models::Speed;
use crate::text::BlockSize;
use std::time::Duration;

/// How long the parts of a prompt and its answer may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    /// Files listed in stage 1.
    pub rows: usize,
    /// Tokens of the text shown of a file, where the model's context has room for more.
    pub shown_tokens: usize,
    /// The blocks that a longer file is shown in.
    pub blocks: BlockSize,
    /// Tokens of the lines that are repeated after the task: no token is less than a byte.
    pub line_tokens: usize,
    /// Tokens of stage 1's answer.
    pub pick_tokens: usize,
    /// Tokens of stage 2's answer.
    pub fill_tokens: usize,
}

/// [`Budget::shown_tokens`] for an instruct model whose speed is not known.
pub const SHOWN_TOKENS: usize = 1_500;

/// The fewest and the most tokens that patience makes of it. With fewer the place of the edit is
/// often not shown, however slow the machine is. With more a small model finds less.
const FEWEST_SHOWN: f64 = 1_000.0;
const MOST_SHOWN: f64 = 6_000.0;

/// The tokens of a file that a model of this speed reads within the person's patience. They come
/// in coarse steps: a file is shown in the same windows from run to run, and what was read of it
/// and kept on disk stays useful.
pub fn tokens_within(patience: Duration, speed: &Speed) -> usize {
    let tokens = nearest_step(patience.as_secs_f64() * speed.settled);
    tokens.clamp(FEWEST_SHOWN, MOST_SHOWN).round() as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patience_and_speed_in_coarse_steps_and_within_bounds() {
        let shown = |seconds: u64, reading: f64| {
            let speed = Speed {
                reading,
                writing: None,
                settled: nearest_step(reading),
            };
            tokens_within(Duration::from_secs(seconds), &speed)
        };
        assert_eq!(shown(6, 256.0), 1_448);
        assert_eq!(shown(6, 270.0), 1_448, "the same step");
        assert_eq!(shown(12, 256.0), 2_896, "twice the patience");
        assert_eq!(shown(6, 64.0), 1_000, "never less");
        assert_eq!(shown(6, 0.001), 1_000);
        assert_eq!(shown(6, 5_000.0), 6_000, "never more");
        assert_eq!(shown(600, 1e9), 6_000);
    }
}
