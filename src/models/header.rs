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
            header.has_vocabulary |= key == "tokenizer.ggml.model";
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
        let width = number(sizes, architecture, "embedding_length").unwrap_or_default();
        let n_heads = number(sizes, architecture, "attention.head_count")
            .unwrap_or(1)
            .max(1);
        let head_width =
            number(sizes, architecture, "attention.key_length").unwrap_or(width / n_heads);
        let n_key_heads = number(sizes, architecture, "attention.head_count_kv").unwrap_or(n_heads);

        self.context_tokens = number(sizes, architecture, "context_length");
        self.is_causal = match size(sizes, architecture, "attention.causal") {
            Some(Value::Bool(is_causal)) => Some(*is_causal),
            _ => None,
        };
        self.sizes.n_layers = number(sizes, architecture, "block_count").unwrap_or_default();
        self.sizes.width = width;
        self.sizes.key_width = n_key_heads.saturating_mul(head_width);
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

        if self.architecture.is_empty() {
            return Err(Unusable::Lacks("architecture"));
        }
        check_known(&self.architecture)?;
        check_writes(&self.architecture, self.is_causal)?;
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
const SIZES: [&str; 8] = [
    "context_length",
    "embedding_length",
    "block_count",
    "attention.head_count",
    "attention.head_count_kv",
    "attention.key_length",
    "attention.causal",
    "vocab_size",
];

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
