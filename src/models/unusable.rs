//! Why a file that looks like a model is none that can be used.

use super::gguf::GgufError;

/// Why a model cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Unusable {
    /// The half of a model that sees pictures.
    #[error("it is the part of a model that sees pictures (mmproj)")]
    VisionProjector,
    /// A LoRA.
    #[error("it is an adapter (LoRA), which is no model by itself")]
    Adapter,
    /// A model of Ollama's with a LoRA beside it. Without it it would be another model.
    #[error("Ollama runs it with an adapter (LoRA), which slotwright does not load")]
    NeedsAdapter,
    /// Statistics for making quantizations.
    #[error("it holds statistics for quantizing (imatrix)")]
    ImportanceMatrix,
    /// It guesses ahead for another model.
    #[error("it is a draft head for another model")]
    DraftHead,
    /// Weights in another format.
    #[error("its weights are safetensors or MLX, not GGUF")]
    Safetensors,
    /// A split file that is not all there.
    #[error("part {part} of {n_parts} is missing: fetch it again")]
    PartMissing {
        /// The first missing part, from 1.
        part: u32,
        /// How many there should be.
        n_parts: u32,
    },
    /// A part of a split file that is not the first.
    #[error("it is part {0} of a split file: name the first part, which loads the others")]
    LaterPart(u64),
    /// Its store knows it, but has not got its file.
    #[error("its file is missing or was not fetched to its end: fetch it again")]
    FileMissing,
    /// It runs on servers of Ollama's.
    #[error("it runs on Ollama's servers, not on this machine")]
    Remote,
    /// Ollama's own description of it cannot be read.
    #[error("its manifest cannot be read: {0}")]
    Manifest(String),
    /// The llama.cpp that is built in does not know it.
    #[error(
        "the llama.cpp in this slotwright does not know its architecture, {0:?}; a newer one may"
    )]
    UnknownArchitecture(String),
    /// It writes no text.
    #[error("it is a model for embeddings ({0}), which writes no text")]
    Embedding(String),
    /// It says how well texts fit each other.
    #[error("it ranks texts (a reranker), and writes none")]
    Reranker,
    /// An encoder and a decoder.
    #[error("it reads with one half and writes with the other ({0}); that is not supported")]
    TwoHalves(String),
    /// It does not write one token after the other.
    #[error("it writes all tokens at once ({0}); that is not supported")]
    Diffusion(String),
    /// It makes sound.
    #[error("it makes sound ({0}), not text")]
    Speech(String),
    /// Only a vocabulary, or only weights.
    #[error("it has no {0}")]
    Lacks(&'static str),
    /// The file cannot be read.
    #[error("{0}")]
    Header(#[from] GgufError),
}

impl Unusable {
    /// A word for programs.
    pub fn kind(&self) -> &'static str {
        match self {
            Unusable::VisionProjector => "vision_projector",
            Unusable::Adapter | Unusable::NeedsAdapter => "adapter",
            Unusable::ImportanceMatrix => "imatrix",
            Unusable::DraftHead => "draft_head",
            Unusable::Safetensors => "safetensors",
            Unusable::PartMissing { .. } => "part_missing",
            Unusable::LaterPart(_) => "later_part",
            Unusable::FileMissing => "file_missing",
            Unusable::Remote => "remote",
            Unusable::Manifest(_) => "manifest",
            Unusable::UnknownArchitecture(_) => "unknown_architecture",
            Unusable::Embedding(_) => "embedding",
            Unusable::Reranker => "reranker",
            Unusable::TwoHalves(_) => "encoder_decoder",
            Unusable::Diffusion(_) => "diffusion",
            Unusable::Speech(_) => "speech",
            Unusable::Lacks(_) => "incomplete",
            Unusable::Header(_) => "broken",
        }
    }
}
