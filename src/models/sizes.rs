//! How much memory a model needs.

/// The states of sequences that a context has room for: of two questions, of one without an adapter,
/// and copies of them to go back to.
const STATES: u64 = 7;

/// The sizes that a model's memory follows from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sizes {
    /// Bytes of the weights, experts and all.
    pub weights: u64,
    /// Numbers in a hidden state.
    pub width: u64,
    /// Tokens of the vocabulary.
    pub vocabulary: u64,
    /// Numbers that are kept of each token, of all layers together: its keys and values.
    pub per_token: u64,
    /// Numbers in the states of all recurrent layers.
    pub recurrent: u64,
}

impl Sizes {
    /// Bytes needed for a context of `context_tokens`, read in batches of `batch_tokens`. It counts
    /// weights, keys and values as 16-bit floats, recurrent states as 32-bit floats, and for one
    /// batch the logits and some eight hidden states as 32-bit floats. This is a lower bound. A model
    /// that passes may still run out of memory, which is then reported where it happens.
    pub fn needed(&self, context_tokens: u64, batch_tokens: u64) -> u64 {
        // Sizes of a file that only claims to be a model may be anything.
        let state = self.width.saturating_mul(8).saturating_add(self.vocabulary);
        let batch = batch_tokens.saturating_mul(4).saturating_mul(state);
        let recurrent = self.recurrent.saturating_mul(4 * STATES);
        self.weights
            .saturating_add(self.keys(context_tokens))
            .saturating_add(recurrent)
            .saturating_add(batch)
    }

    /// Bytes of what is kept of one sequence of `n_tokens`.
    pub fn sequence(&self, n_tokens: u64) -> u64 {
        let recurrent = self.recurrent.saturating_mul(4);
        self.keys(n_tokens).saturating_add(recurrent)
    }

    fn keys(&self, n_tokens: u64) -> u64 {
        n_tokens.saturating_mul(2).saturating_mul(self.per_token)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_model_needs_grows_with_its_context() {
        // The published shape of a model of 0.5 billion parameters: 24 layers, 2 key heads of 64,
        // 152,000 tokens.
        let sizes = Sizes {
            weights: 400 << 20,
            width: 896,
            vocabulary: 152_000,
            per_token: 24 * 2 * 128,
            recurrent: 0,
        };
        let small = sizes.needed(2_048, 512);
        assert_eq!(sizes.needed(4_096, 512) - small, 24 << 20, "12 KiB a token");
        assert!(small > 400 << 20 && small < 1 << 30, "{small}");
        let absurd = Sizes {
            per_token: u64::MAX,
            ..sizes
        };
        assert_eq!(absurd.needed(4_096, 512), u64::MAX);
    }
}
