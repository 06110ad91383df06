//! Tiny models with random weights, made on the spot: nobody's habits, so the best test of a
//! constraint there is.

use super::gguf::Gguf;
use super::random::Random;
use super::vocabularies::{TokenType, Vocabulary};
use std::path::Path;

const WIDTH: usize = 32;
const HEADS: usize = 2;
const FEED_FORWARD: usize = 64;
const LAYERS: usize = 2;

/// The control tokens of compact-4.
pub const COMPACT_TOKENS: &[&str] = &[
    "<|end|>",
    "<|pick|>",
    "<|file|>",
    "<|task|>",
    "<|answer|>",
    "<|replace|>",
    "<|replace_all|>",
    "<|insert|>",
    "<|create|>",
    "<|lines|>",
];
/// Those of ChatML.
pub const CHATML_TOKENS: &[&str] = &["<|endoftext|>", "<|im_start|>", "<|im_end|>"];

/// What the layers of a model are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Architecture {
    Llama,
    Qwen2,
    Gemma,
    Phi3,
}

impl Architecture {
    pub const ALL: [Architecture; 4] = [
        Architecture::Llama,
        Architecture::Qwen2,
        Architecture::Gemma,
        Architecture::Phi3,
    ];

    /// As GGUF calls it.
    pub fn name(self) -> &'static str {
        match self {
            Architecture::Llama => "llama",
            Architecture::Qwen2 => "qwen2",
            Architecture::Gemma => "gemma",
            Architecture::Phi3 => "phi3",
        }
    }
}

/// What a model is made of.
#[derive(Clone, Debug)]
pub struct Recipe {
    pub seed: u64,
    pub architecture: Architecture,
    pub vocabulary: Vocabulary,
    /// The metadata `general.name`.
    pub name: &'static str,
    /// The metadata `slotwright.profile`.
    pub profile: Option<&'static str>,
    /// The metadata `tokenizer.chat_template`.
    pub chat_template: Option<String>,
    /// The tokens of the prompt's markup; a vocabulary of a file has its own.
    pub control_tokens: &'static [&'static str],
    /// How they are marked.
    pub marked_as: TokenType,
    /// In tokens.
    pub context: u32,
    /// What every weight is multiplied with: NaN makes a model that cannot compute.
    pub weights: f32,
    /// False leaves only the vocabulary.
    pub has_weights: bool,
    /// A model for embeddings: every token sees those behind it too.
    pub embeds: bool,
}

impl Default for Recipe {
    fn default() -> Recipe {
        Recipe {
            seed: 0,
            name: "random",
            architecture: Architecture::Llama,
            vocabulary: Vocabulary::Bpe,
            profile: Some("compact-4"),
            chat_template: None,
            control_tokens: COMPACT_TOKENS,
            marked_as: TokenType::Control,
            context: 16_384,
            weights: 1.0,
            has_weights: true,
            embeds: false,
        }
    }
}

/// Writes an adapter for the feed-forward layers of a model of [`Recipe`]'s sizes, with random
/// numbers times `weights`. `base`: the name of the model that it says it is for.
pub fn write_adapter(path: &Path, architecture: Architecture, base: Option<&str>, weights: f32) {
    const RANK: usize = 4;
    let mut file = Gguf::default();
    file.string("general.architecture", architecture.name());
    file.string("general.type", "adapter");
    file.string("adapter.type", "lora");
    file.f32("adapter.lora.alpha", RANK as f32);
    file.string("slotwright.profile", "adapted-2");
    if let Some(base) = base {
        file.string("slotwright.base", base);
    }
    let mut random = Random(1);
    for layer in 0..LAYERS {
        let name = format!("blk.{layer}.ffn_up.weight");
        let mut number = || random.normal() * weights;
        file.tensor(&format!("{name}.lora_a"), &[WIDTH, RANK], &mut number);
        file.tensor(
            &format!("{name}.lora_b"),
            &[RANK, FEED_FORWARD],
            &mut number,
        );
    }
    file.write(path);
}

/// Writes a model.
pub fn write(path: &Path, recipe: &Recipe) {
    let mut file = Gguf::default();
    let architecture = recipe.architecture;
    let name = architecture.name();
    file.string("general.architecture", name);
    file.string("general.name", recipe.name);
    for (key, value) in [
        ("context_length", recipe.context),
        ("embedding_length", WIDTH as u32),
        ("block_count", LAYERS as u32),
        ("feed_forward_length", FEED_FORWARD as u32),
        ("attention.head_count", HEADS as u32),
        ("attention.head_count_kv", HEADS as u32),
        ("rope.dimension_count", (WIDTH / HEADS) as u32),
    ] {
        file.u32(&format!("{name}.{key}"), value);
    }
    file.f32(&format!("{name}.attention.layer_norm_rms_epsilon"), 1e-5);
    if let Some(profile) = recipe.profile {
        file.string("slotwright.profile", profile);
    }
    if let Some(template) = &recipe.chat_template {
        file.string("tokenizer.chat_template", template);
    }
    let pieces = recipe
        .vocabulary
        .put(&mut file, recipe.control_tokens, recipe.marked_as);
    if recipe.embeds {
        file.bool(&format!("{name}.attention.causal"), false);
    }
    if !recipe.has_weights {
        return file.write(path);
    }
    let mut random = Random(recipe.seed);
    // What ends a string or an escape is wanted more often than by chance, or most answers of a
    // model with 150,000 tokens would never end.
    let wanted = |piece: &Vec<u8>| {
        if piece.contains(&b'"') && piece.len() < 5 {
            4.0
        } else {
            1.0
        }
    };
    let row_scales: Vec<f32> = pieces.iter().map(wanted).collect();
    let mut i = 0;
    let mut row = |random: &mut Random, scale: f32| {
        i += 1;
        random.normal() * scale * row_scales[(i - 1) / WIDTH % row_scales.len()] * recipe.weights
    };
    // Gemma computes its logits with the embedding itself.
    let tied = architecture == Architecture::Gemma;
    file.tensor("token_embd.weight", &[WIDTH, pieces.len()], || {
        row(&mut random, if tied { 0.6 } else { 1.0 })
    });
    if !tied {
        // Peaked, so that an answer is not the same mush whatever was read.
        file.tensor("output.weight", &[WIDTH, pieces.len()], || {
            row(&mut random, 0.6)
        });
    }
    file.tensor("output_norm.weight", &[WIDTH], || 1.0);
    for layer in 0..LAYERS {
        let mut weight = |part: &str, shape: &[usize]| {
            let scale = recipe.weights / (shape[0] as f32).sqrt();
            file.tensor(&format!("blk.{layer}.{part}.weight"), shape, || {
                random.normal() * scale
            });
        };
        if architecture == Architecture::Phi3 {
            weight("attn_qkv", &[WIDTH, 3 * WIDTH]);
            weight("ffn_up", &[WIDTH, 2 * FEED_FORWARD]);
        } else {
            for square in ["attn_q", "attn_k", "attn_v"] {
                weight(square, &[WIDTH, WIDTH]);
            }
            weight("ffn_gate", &[WIDTH, FEED_FORWARD]);
            weight("ffn_up", &[WIDTH, FEED_FORWARD]);
        }
        weight("attn_output", &[WIDTH, WIDTH]);
        weight("ffn_down", &[FEED_FORWARD, WIDTH]);
        for norm in ["attn_norm", "ffn_norm"] {
            file.tensor(&format!("blk.{layer}.{norm}.weight"), &[WIDTH], || 1.0);
        }
        if architecture == Architecture::Qwen2 {
            for bias in ["attn_q", "attn_k", "attn_v"] {
                file.tensor(&format!("blk.{layer}.{bias}.bias"), &[WIDTH], || {
                    random.normal() * 0.1
                });
            }
        }
    }
    file.write(path);
}
