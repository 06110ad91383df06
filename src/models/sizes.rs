//! How much memory a model needs.

/// The sizes of a model that determine its memory use.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sizes {
    /// Bytes of the weights.
    pub weights: u64,
    /// Layers.
    pub n_layers: u64,
    /// Numbers in a hidden state.
    pub width: u64,
    /// Numbers in the keys of one token in one layer. The values have as many.
    pub key_width: u64,
    /// Tokens of the vocabulary.
    pub vocabulary: u64,
}

impl Sizes {
    /// Bytes needed for a context of `context_tokens`, read in batches of `batch_tokens`. It counts
    /// weights, keys and values as 16-bit floats, and for one batch the logits and some eight
    /// hidden states as 32-bit floats. This is a lower bound. A model that passes may still run out
    /// of memory, which is then reported where it happens.
    pub fn needed(&self, context_tokens: u64, batch_tokens: u64) -> u64 {
        // Sizes of a file that only claims to be a model may be anything.
        let cache = context_tokens
            .saturating_mul(self.n_layers)
            .saturating_mul(4)
            .saturating_mul(self.key_width);
        let state = self.width.saturating_mul(8).saturating_add(self.vocabulary);
        let batch = batch_tokens.saturating_mul(4).saturating_mul(state);
        self.weights.saturating_add(cache).saturating_add(batch)
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
            n_layers: 24,
            width: 896,
            key_width: 128,
            vocabulary: 152_000,
        };
        let small = sizes.needed(2_048, 512);
        assert_eq!(sizes.needed(4_096, 512) - small, 24 << 20, "12 KiB a token");
        assert!(small > 400 << 20 && small < 1 << 30, "{small}");
        let absurd = Sizes {
            n_layers: u64::MAX,
            key_width: u64::MAX,
            ..sizes
        };
        assert_eq!(absurd.needed(4_096, 512), u64::MAX);
    }
}
