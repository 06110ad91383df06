//! Tiny GGUF models with random weights, made on the spot: nobody's habits, so the best test of a constraint
//! there is.

use std::collections::HashMap;
use std::io::Write;
use std::path::Path;

const WIDTH: usize = 32;
const HEADS: usize = 2;
const FEED_FORWARD: usize = 64;
const LAYERS: usize = 2;
const CONTEXT: u32 = 16_384;

/// Words and pieces of JSON that become tokens: several characters each, some across the slots' seams.
const WORDS: &[&str] = &[
    "\",\"",
    "\":\"",
    "{\"",
    "\"}",
    "path",
    "operation",
    "replace",
    "_all",
    "insert",
    "create",
    "none",
    "reason",
    "old",
    "new",
    "place",
    "anchor",
    "position",
    "before",
    "after",
    "text",
    " line",
    " in",
    "\\n",
    "\\n\\n",
    "\\\"",
    "\\\\",
    "\\t",
    "src/",
    ".rs",
    ".py",
    "  ",
    "    ",
    " the",
    " fn",
    "def",
    " =",
    " return",
    "();",
    "):",
    " {",
    "é",
    "中",
    "文",
    "😀",
    "ing",
    "er",
    "on",
    "al",
];

/// What a model is made of.
pub struct Recipe {
    pub seed: u64,
    /// The metadata `slotwright.profile`.
    pub profile: Option<&'static str>,
    /// The tokens of the prompt's markup.
    pub control_tokens: &'static [&'static str],
    /// How they are marked.
    pub marked_as: TokenType,
}

/// How a vocabulary marks its markup: as it should, or as many converted models do.
#[derive(Clone, Copy)]
pub enum TokenType {
    Control = 3,
    UserDefined = 4,
}

/// The control tokens of compact-1.
pub const COMPACT_TOKENS: &[&str] = &["<|end|>", "<|pick|>", "<|replace|>", "<|insert|>", "<|task|>", "<|answer|>"];
/// Those of ChatML.
pub const CHATML_TOKENS: &[&str] = &["<|endoftext|>", "<|im_start|>", "<|im_end|>"];

/// Writes a model of the Llama architecture with a byte-level BPE vocabulary of some 400 tokens.
pub fn write(path: &Path, recipe: &Recipe) {
    let (tokens, merges) = vocabulary(recipe.control_tokens);
    let n_control = recipe.control_tokens.len();
    let types: Vec<i32> = (0..tokens.len()).map(|i| if i < n_control { recipe.marked_as as i32 } else { 1 }).collect();
    let mut file = Gguf::default();
    file.string("general.architecture", "llama");
    file.string("general.name", "random");
    file.u32("llama.context_length", CONTEXT);
    file.u32("llama.embedding_length", WIDTH as u32);
    file.u32("llama.block_count", LAYERS as u32);
    file.u32("llama.feed_forward_length", FEED_FORWARD as u32);
    file.u32("llama.attention.head_count", HEADS as u32);
    file.f32("llama.attention.layer_norm_rms_epsilon", 1e-5);
    file.u32("llama.rope.dimension_count", (WIDTH / HEADS) as u32);
    file.string("tokenizer.ggml.model", "gpt2");
    file.string("tokenizer.ggml.pre", "gpt-2");
    file.strings("tokenizer.ggml.tokens", &tokens);
    file.i32s("tokenizer.ggml.token_type", &types);
    file.strings("tokenizer.ggml.merges", &merges);
    file.u32("tokenizer.ggml.eos_token_id", 0);
    file.bool("tokenizer.ggml.add_bos_token", false);
    if let Some(profile) = recipe.profile {
        file.string("slotwright.profile", profile);
    }
    let mut random = Random(recipe.seed);
    file.tensor("token_embd.weight", &[WIDTH, tokens.len()], || random.normal());
    // Peaked, so that an answer is not the same mush whatever was read.
    file.tensor("output.weight", &[WIDTH, tokens.len()], || random.normal() * 0.6);
    file.tensor("output_norm.weight", &[WIDTH], || 1.0);
    for layer in 0..LAYERS {
        let scale = 1.0 / (WIDTH as f32).sqrt();
        for norm in ["attn_norm", "ffn_norm"] {
            file.tensor(&format!("blk.{layer}.{norm}.weight"), &[WIDTH], || 1.0);
        }
        for square in ["attn_q", "attn_k", "attn_v", "attn_output"] {
            file.tensor(&format!("blk.{layer}.{square}.weight"), &[WIDTH, WIDTH], || random.normal() * scale);
        }
        for (name, shape) in
            [("ffn_gate", [WIDTH, FEED_FORWARD]), ("ffn_up", [WIDTH, FEED_FORWARD]), ("ffn_down", [FEED_FORWARD, WIDTH])]
        {
            file.tensor(&format!("blk.{layer}.{name}.weight"), &shape, || random.normal() * scale);
        }
    }
    file.write(path);
}

/// Control tokens, all bytes, the words and what they are merged from.
fn vocabulary(control: &[&str]) -> (Vec<String>, Vec<String>) {
    let letters = byte_letters();
    let mut tokens: Vec<String> = control.iter().map(|&t| t.to_owned()).collect();
    tokens.extend(letters.iter().map(char::to_string));
    let mut merges = Vec::new();
    for word in WORDS {
        let mut parts = word.bytes().map(|b| letters[usize::from(b)].to_string());
        let mut whole = parts.next().unwrap();
        for part in parts {
            let merge = format!("{whole} {part}");
            whole.push_str(&part);
            if !tokens.contains(&whole) {
                tokens.push(whole.clone());
                merges.push(merge);
            }
        }
    }
    (tokens, merges)
}

/// GPT-2's letter for each byte: itself where it can be seen, else one from 256 on.
fn byte_letters() -> [char; 256] {
    let mut letters = ['\0'; 256];
    let mut next = 256;
    for (byte, letter) in (0u32..).zip(&mut letters) {
        let visible = matches!(byte, 33..=126 | 161..=172 | 174..=255);
        *letter = char::from_u32(if visible { byte } else { next }).unwrap();
        next += u32::from(!visible);
    }
    letters
}

/// A GGUF file, version 3, in little endian.
#[derive(Default)]
struct Gguf {
    n_values: u64,
    values: Vec<u8>,
    tensors: HashMap<String, (Vec<usize>, Vec<f32>)>,
    order: Vec<String>,
}

impl Gguf {
    fn key(&mut self, key: &str, kind: u32) {
        self.n_values += 1;
        put_string(&mut self.values, key);
        self.values.extend(kind.to_le_bytes());
    }

    fn u32(&mut self, key: &str, value: u32) {
        self.key(key, 4);
        self.values.extend(value.to_le_bytes());
    }

    fn f32(&mut self, key: &str, value: f32) {
        self.key(key, 6);
        self.values.extend(value.to_le_bytes());
    }

    fn bool(&mut self, key: &str, value: bool) {
        self.key(key, 7);
        self.values.push(u8::from(value));
    }

    fn string(&mut self, key: &str, value: &str) {
        self.key(key, 8);
        put_string(&mut self.values, value);
    }

    fn array(&mut self, key: &str, kind: u32, n: usize) {
        self.key(key, 9);
        self.values.extend(kind.to_le_bytes());
        self.values.extend((n as u64).to_le_bytes());
    }

    fn strings(&mut self, key: &str, values: &[String]) {
        self.array(key, 8, values.len());
        for value in values {
            put_string(&mut self.values, value);
        }
    }

    fn i32s(&mut self, key: &str, values: &[i32]) {
        self.array(key, 5, values.len());
        self.values.extend(values.iter().flat_map(|v| v.to_le_bytes()));
    }

    fn tensor(&mut self, name: &str, shape: &[usize], mut value: impl FnMut() -> f32) {
        let values = (0..shape.iter().product()).map(|_| value()).collect();
        self.tensors.insert(name.to_owned(), (shape.to_vec(), values));
        self.order.push(name.to_owned());
    }

    fn write(&self, path: &Path) {
        const ALIGNMENT: usize = 32;
        let mut out = b"GGUF".to_vec();
        out.extend(3u32.to_le_bytes());
        out.extend((self.order.len() as u64).to_le_bytes());
        out.extend(self.n_values.to_le_bytes());
        out.extend(&self.values);
        let mut offset = 0;
        for name in &self.order {
            let (shape, values) = &self.tensors[name];
            put_string(&mut out, name);
            out.extend((shape.len() as u32).to_le_bytes());
            out.extend(shape.iter().flat_map(|&n| (n as u64).to_le_bytes()));
            out.extend(0u32.to_le_bytes()); // F32
            out.extend((offset as u64).to_le_bytes());
            offset += (values.len() * 4).next_multiple_of(ALIGNMENT);
        }
        for name in &self.order {
            out.resize(out.len().next_multiple_of(ALIGNMENT), 0);
            out.extend(self.tensors[name].1.iter().flat_map(|v| v.to_le_bytes()));
        }
        std::fs::File::create(path).unwrap().write_all(&out).unwrap();
    }
}

fn put_string(out: &mut Vec<u8>, text: &str) {
    out.extend((text.len() as u64).to_le_bytes());
    out.extend(text.as_bytes());
}

/// Numbers that are the same on every machine (splitmix64).
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub fn below(&mut self, n: usize) -> usize {
        (self.next() % n as u64) as usize
    }

    /// About normal: the sum of twelve uniform numbers.
    fn normal(&mut self) -> f32 {
        (0..12).map(|_| (self.next() >> 40) as f32 / (1u32 << 24) as f32).sum::<f32>() - 6.0
    }
}
