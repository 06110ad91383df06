//! Tiny models with random weights, made on the spot: nobody's habits, so the best test of a
//! constraint there is.

use super::gguf::Gguf;
use super::random::Random;
use super::vocabularies::{TokenType, Vocabulary};
use super::zoo::{self, Architecture, Value};
use std::collections::BTreeMap;
use std::path::Path;

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

/// What a model is made of.
#[derive(Clone, Debug)]
pub struct Recipe {
    pub seed: u64,
    pub architecture: &'static Architecture,
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
            architecture: zoo::named("llama"),
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

/// Writes an adapter for one matrix in each layer of a model, with random numbers times `weights`.
/// `base`: the name of the model that it says it is for.
pub fn write_adapter(path: &Path, architecture: &Architecture, base: Option<&str>, weights: f32) {
    const RANK: usize = 4;
    let mut file = Gguf::default();
    file.string("general.architecture", architecture.name);
    file.string("general.type", "adapter");
    file.string("adapter.type", "lora");
    file.f32("adapter.lora.alpha", RANK as f32);
    file.string("slotwright.profile", "adapted-2");
    if let Some(base) = base {
        file.string("slotwright.base", base);
    }
    let mut random = Random(1);
    for (name, shape) in tensors(path, architecture, 100) {
        let is_adapted = ["ffn_up.weight", "attn_output.weight"]
            .iter()
            .any(|part| name.ends_with(part));
        if let ([n_in, n_out], true) = (shape.as_slice(), is_adapted) {
            let mut number = || random.normal() * weights;
            file.tensor(&format!("{name}.lora_a"), &[*n_in, RANK], &mut number);
            file.tensor(&format!("{name}.lora_b"), &[RANK, *n_out], &mut number);
        }
    }
    file.write(path);
}

/// Writes a model.
pub fn write(path: &Path, recipe: &Recipe) {
    let mut file = Gguf::default();
    let pieces = put_metadata(&mut file, recipe);
    if !recipe.has_weights {
        return file.write(path);
    }

    let shapes = tensors(path, recipe.architecture, pieces.len());
    // Some compute their logits with the embedding itself.
    let is_tied = !shapes.iter().any(|(name, _)| name == "output.weight");
    let mut random = Random(recipe.seed);
    for (name, shape) in shapes {
        // Peaked, so that an answer is not the same mush whatever was read.
        let scale = match name.as_str() {
            "output.weight" => 0.6,
            "token_embd.weight" if is_tied => 0.6,
            "token_embd.weight" => 1.0,
            _ => 1.0 / (shape[0] as f32).sqrt(),
        };
        let of_tokens = ["token_embd.weight", "output.weight"].contains(&name.as_str());
        let mut i = 0;
        file.tensor(&name, &shape, || {
            let token = i / shape[0];
            i += 1;
            let number = random.normal();
            let value = match name.as_str() {
                _ if of_tokens => number * scale * wanted(&pieces[token % pieces.len()]),
                _ if name.ends_with("norm.weight") || name.contains("rope_f") => return 1.0,
                // A state that still has what was read a thousand tokens before.
                _ if name.ends_with("ssm_a") => return -1e-3 * (1.0 + number.abs()),
                _ if name.ends_with("bias") => number * 0.1,
                _ => number * scale,
            };
            value * recipe.weights
        });
    }
    file.write(path);
}

/// What ends a string or an escape is wanted more often than by chance, or most answers of a model
/// with 150,000 tokens would never end.
fn wanted(piece: &[u8]) -> f32 {
    if piece.contains(&b'"') && piece.len() < 5 {
        4.0
    } else {
        1.0
    }
}

/// Everything but the weights. Returns the bytes or the spelling of each token.
fn put_metadata(file: &mut Gguf, recipe: &Recipe) -> Vec<Vec<u8>> {
    let name = recipe.architecture.name;
    put_architecture(file, recipe.architecture);
    file.string("general.name", recipe.name);
    file.u32(&format!("{name}.context_length"), recipe.context);
    if let Some(profile) = recipe.profile {
        file.string("slotwright.profile", profile);
    }
    if let Some(template) = &recipe.chat_template {
        file.string("tokenizer.chat_template", template);
    }
    if recipe.embeds {
        file.bool(&format!("{name}.attention.causal"), false);
    }
    recipe
        .vocabulary
        .put(file, recipe.control_tokens, recipe.marked_as)
}

fn put_architecture(file: &mut Gguf, architecture: &Architecture) {
    file.string("general.architecture", architecture.name);
    let keys: BTreeMap<&str, Value> = architecture.keys().collect();
    for (key, value) in keys {
        let key = format!("{}.{key}", architecture.name);
        match value {
            Value::Number(number) => file.u32(&key, number),
            Value::Numbers(numbers) => file.u32s(&key, numbers),
            Value::Real(number) => file.f32(&key, number),
        }
    }
}

/// The tensors of a model, as llama.cpp has them. The file at `path` is written over: what reads its
/// metadata is in this process, and some vocabularies of tests would end it.
fn tensors(path: &Path, architecture: &Architecture, n_tokens: usize) -> Vec<(String, Vec<usize>)> {
    let mut file = Gguf::default();
    put_architecture(&mut file, architecture);
    file.u32(&format!("{}.context_length", architecture.name), 4_096);
    file.u32(
        &format!("{}.vocab_size", architecture.name),
        n_tokens as u32,
    );
    file.string("tokenizer.ggml.model", "no_vocab");
    file.write(path);
    zoo::tensors(path)
}
