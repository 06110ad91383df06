//! What a GGUF header says of a model.

use super::architecture::{check_known, check_writes};
use super::file_type;
use super::gguf::{GgufError, MetadataReader, Value};
use super::sizes::Sizes;
use super::unusable::Unusable;
use std::io::{Read, Seek};
use std::path::Path;

/// An array longer than this is a vocabulary, which ends a short look.
const LONG: u64 = 2_048;

/// How far a header is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// To the vocabulary, if what else a model is known by came before it, as it does in the files
    /// of all common tools: a few thousand bytes instead of millions.
    UpToVocabulary,
    /// To its end. Only then it is known whether there is a chat template.
    Whole,
}

/// What a header says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Header {
    /// `general.architecture`.
    pub architecture: String,
    /// `general.name`; strangers choose it.
    pub name: Option<String>,
    /// `general.finetune`: `Instruct`, `base`, …
    pub finetune: Option<String>,
    /// How the weights are quantized, as in `Q4_K_M`.
    pub quantization: Option<&'static str>,
    /// The longest context the model was trained for, in tokens.
    pub context_tokens: Option<u64>,
    /// Layers, widths and tokens. The weights are 0: the header does not tell.
    pub sizes: Sizes,
    /// `slotwright.profile`: the model was trained for this program.
    pub profile: Option<String>,
    /// Whether there is a chat template. `None` if the header was not read to its end.
    pub has_chat_template: Option<bool>,
    /// `general.type`: `model`, `adapter`, `mmproj`, `imatrix`.
    pub(super) kind: Option<String>,
    pub(super) is_causal: Option<bool>,
    /// `pooling_type`: how a model for embeddings makes one vector of those of all tokens.
    pub(super) pooling: Option<u64>,
    /// `split.no`, from 0: which part of a split file it is.
    pub(super) part: Option<u64>,
    pub(super) has_vocabulary: bool,
    pub(super) n_tensors: u64,
}

impl Header {
    /// Reads the header of a file.
    ///
    /// # Errors
    /// Any [`GgufError`].
    pub fn read(path: &Path, extent: Extent) -> Result<Header, GgufError> {
        Header::read_from(std::fs::File::open(path)?, extent)
    }

    /// Reads a header from anything that has one.
    ///
    /// # Errors
    /// Any [`GgufError`].
    pub fn read_from(source: impl Read + Seek, extent: Extent) -> Result<Header, GgufError> {
        let mut reader = MetadataReader::new(source)?;
        let mut header = Header {
            n_tensors: reader.n_tensors(),
            ..Header::default()
        };

        // Keys of the architecture may come before its name.
        let mut sizes = Vec::new();
        while let Some((key, n)) = reader.next_key()? {
            // Whatever of it comes first.
            header.has_vocabulary |= key.starts_with("tokenizer.ggml.");
            if key == "tokenizer.ggml.tokens" {
                header.sizes.vocabulary = n.unwrap_or_default();
            }
            let is_long = n.is_some_and(|n| n > LONG);
            if is_long && extent == Extent::UpToVocabulary && header.is_known(&sizes) {
                header.settle(&sizes);
                return Ok(header);
            }
            header.take(key, &mut reader, &mut sizes)?;
        }

        header.has_chat_template.get_or_insert(false);
        header.settle(&sizes);
        Ok(header)
    }

    fn take<R: Read + Seek>(
        &mut self,
        key: String,
        reader: &mut MetadataReader<R>,
        sizes: &mut Vec<(String, Value)>,
    ) -> Result<(), GgufError> {
        let is_size = key
            .split_once('.')
            .is_some_and(|(_, name)| SIZES.contains(&name));

        match key.as_str() {
            "general.architecture" => self.architecture = text(reader)?.unwrap_or_default(),
            "general.name" => self.name = text(reader)?,
            "general.type" => self.kind = text(reader)?,
            "general.finetune" => self.finetune = text(reader)?,
            "general.file_type" => {
                if let Value::Number(number) = reader.value()? {
                    self.quantization = file_type::name(number);
                }
            }
            "split.no" => {
                if let Value::Number(number) = reader.value()? {
                    self.part = Some(number);
                }
            }
            "slotwright.profile" => self.profile = text(reader)?,
            "tokenizer.chat_template" => {
                reader.skip()?;
                self.has_chat_template = Some(true);
            }
            _ if is_size && sizes.len() < MAX_SIZES => sizes.push((key, reader.value()?)),
            _ => reader.skip()?,
        }
        Ok(())
    }

    /// Whether a model is known well enough for a list.
    fn is_known(&self, sizes: &[(String, Value)]) -> bool {
        !self.architecture.is_empty()
            && size(sizes, &self.architecture, "context_length").is_some()
            && size(sizes, &self.architecture, "block_count").is_some()
    }

    /// Takes from the keys of the architecture what they say of the sizes.
    fn settle(&mut self, sizes: &[(String, Value)]) {
        let architecture = &self.architecture;
        self.context_tokens = number(sizes, architecture, "context_length");
        self.is_causal = match size(sizes, architecture, "attention.causal") {
            Some(Value::Bool(is_causal)) => Some(*is_causal),
            _ => None,
        };
        self.pooling = number(sizes, architecture, "pooling_type");
        self.sizes.width = number(sizes, architecture, "embedding_length").unwrap_or_default();
        let layers = Layers {
            sizes,
            architecture,
        };
        (self.sizes.per_token, self.sizes.recurrent) = layers.kept();
        if self.sizes.vocabulary == 0 {
            self.sizes.vocabulary = number(sizes, architecture, "vocab_size").unwrap_or_default();
        }
    }

    /// Fails unless the file is a model that writes text and that llama.cpp knows.
    ///
    /// # Errors
    /// Why not.
    pub fn check(&self) -> Result<(), Unusable> {
        match self.kind.as_deref() {
            Some("adapter") => return Err(Unusable::Adapter),
            Some("mmproj") => return Err(Unusable::VisionProjector),
            Some("imatrix") => return Err(Unusable::ImportanceMatrix),
            _ => {}
        }

        // Only the first part says what it is of.
        if let Some(part) = self.part.filter(|&part| part > 0) {
            return Err(Unusable::LaterPart(part + 1));
        }
        if self.architecture.is_empty() {
            return Err(Unusable::Lacks("architecture"));
        }
        check_known(&self.architecture)?;
        check_writes(&self.architecture, self.is_causal)?;
        match self.pooling {
            None | Some(POOLING_NONE) => {}
            Some(POOLING_RANK) => return Err(Unusable::Reranker),
            Some(_) => return Err(Unusable::Embedding(self.architecture.clone())),
        }
        if self.n_tensors == 0 {
            return Err(Unusable::Lacks("weights"));
        }
        if !self.has_vocabulary {
            return Err(Unusable::Lacks("vocabulary"));
        }
        Ok(())
    }
}

/// The keys of an architecture that are kept, without its name.
const SIZES: [&str; 21] = [
    "context_length",
    "embedding_length",
    "block_count",
    "attention.head_count",
    "attention.head_count_kv",
    "attention.key_length",
    "attention.value_length",
    "attention.key_length_mla",
    "attention.key_length_swa",
    "attention.value_length_swa",
    "attention.sliding_window_pattern",
    "feed_forward_length",
    "full_attention_interval",
    "ssm.conv_kernel",
    "ssm.inner_size",
    "ssm.state_size",
    "ssm.group_count",
    "shortconv.l_cache",
    "attention.causal",
    "pooling_type",
    "vocab_size",
];

/// Values of `pooling_type`.
const POOLING_NONE: u64 = 0;
const POOLING_RANK: u64 = 4;

/// No file has more of them, unless it means harm.
const MAX_SIZES: usize = 256;

/// The value of the key `ARCHITECTURE.NAME`.
fn size<'v>(sizes: &'v [(String, Value)], architecture: &str, name: &str) -> Option<&'v Value> {
    let (_, value) = sizes.iter().find(|(key, _)| {
        let key = key.strip_prefix(architecture);
        key.and_then(|key| key.strip_prefix('.')) == Some(name)
    })?;
    Some(value)
}

fn number(sizes: &[(String, Value)], architecture: &str, name: &str) -> Option<u64> {
    match size(sizes, architecture, name)? {
        Value::Number(number) => Some(*number),
        // One for each layer. The largest is the safe guess.
        Value::Numbers(numbers) => numbers.iter().copied().max(),
        _ => None,
    }
}

fn text<R: Read + Seek>(reader: &mut MetadataReader<R>) -> Result<Option<String>, GgufError> {
    Ok(match reader.value()? {
        Value::Text(text) => text,
        _ => None,
    })
}

/// The layers of a model, each with its keys and values or a recurrent state.
struct Layers<'a> {
    sizes: &'a [(String, Value)],
    architecture: &'a str,
}

/// The most layers that are believed in.
const MAX_LAYERS: u64 = 1_024;

impl Layers<'_> {
    fn number(&self, name: &str) -> Option<u64> {
        number(self.sizes, self.architecture, name)
    }

    /// The value for a layer, where each has its own.
    fn listed(&self, name: &str, layer: u64) -> Option<u64> {
        match size(self.sizes, self.architecture, name)? {
            Value::Numbers(numbers) => numbers.get(layer as usize).copied(),
            _ => None,
        }
    }

    fn of_layer(&self, name: &str, layer: u64) -> Option<u64> {
        self.listed(name, layer).or_else(|| self.number(name))
    }

    /// Numbers kept of each token, and numbers of recurrent states: as llama.cpp computes them.
    fn kept(&self) -> (u64, u64) {
        let layers = 0..self.number("block_count").unwrap_or(0).min(MAX_LAYERS);
        let per_layer: Vec<u64> = layers.clone().map(|layer| self.keys(layer)).collect();
        let has_both = !per_layer.contains(&0);
        let n_states = layers
            .filter(|&layer| has_both || per_layer[layer as usize] == 0)
            .filter(|&layer| !self.is_feed_forward(layer))
            .count() as u64;
        let per_token = per_layer.iter().copied().fold(0, u64::saturating_add);
        (per_token, n_states.saturating_mul(self.state()))
    }

    /// Numbers in the keys and values of one token; 0 in a layer without attention.
    fn keys(&self, layer: u64) -> u64 {
        let interval = self.number("full_attention_interval").unwrap_or(1).max(1);
        let n_heads = self.of_layer("attention.head_count", layer).unwrap_or(1);
        if !(layer + 1).is_multiple_of(interval) || n_heads == 0 {
            return 0;
        }
        let n_key_heads = self.of_layer("attention.head_count_kv", layer);
        let is_window = self.listed("attention.sliding_window_pattern", layer) == Some(1);
        let width = self.number("embedding_length").unwrap_or(0) / n_heads;
        let length = |of: &str| {
            let in_window = self.number(&format!("attention.{of}_length_swa"));
            let usual = self.number(&format!("attention.{of}_length"));
            in_window.filter(|_| is_window).or(usual).unwrap_or(width)
        };
        // Compressed keys are their own values.
        let values = match self.number("attention.key_length_mla") {
            Some(_) => 0,
            None => length("value"),
        };
        let one = length("key").saturating_add(values);
        n_key_heads.unwrap_or(n_heads).saturating_mul(one)
    }

    /// Numbers in the state of one recurrent layer: of its convolution, and of what it sums up.
    fn state(&self) -> u64 {
        let number = |name| self.number(name).unwrap_or(0);
        if let Some(n_seen) = self.number("shortconv.l_cache") {
            return n_seen
                .saturating_sub(1)
                .saturating_mul(number("embedding_length"));
        }
        let (inner, state) = (number("ssm.inner_size"), number("ssm.state_size"));
        let groups = number("ssm.group_count").saturating_mul(state);
        let seen = groups.saturating_mul(2).saturating_add(inner);
        let convolution = number("ssm.conv_kernel")
            .saturating_sub(1)
            .saturating_mul(seen);
        convolution.saturating_add(inner.saturating_mul(state))
    }

    /// Whether a layer of a model with layers of several kinds has nothing to remember.
    fn is_feed_forward(&self, layer: u64) -> bool {
        self.listed("feed_forward_length", layer)
            .is_some_and(|n| n > 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bundled() -> &'static Path {
        Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/models/bundled.gguf"))
    }

    #[test]
    fn the_bundled_model_is_known_from_its_first_bytes() {
        let short = Header::read(bundled(), Extent::UpToVocabulary).unwrap();
        assert_eq!(short.name.as_deref(), Some("slotwright bundled"));
        assert_eq!(short.profile.as_deref(), Some("compact-4"));
        assert_eq!(short.has_chat_template, None);
        short.check().unwrap();
        let whole = Header::read(bundled(), Extent::Whole).unwrap();
        assert_eq!(whole.has_chat_template, Some(false));
        assert_eq!(
            (whole.sizes, whole.context_tokens),
            (short.sizes, short.context_tokens)
        );
    }
}
