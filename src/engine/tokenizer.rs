//! The vocabulary of a GGUF file without its weights: how text and prompts are spelled in its tokens, exactly as
//! the model process spells them.

use super::llama::{Vocabulary, log, markup, vocabulary};
use super::{EngineError, Part};
use crate::constrain::mask::{TokenId, Tokenize};
use llama_cpp_2::llama_backend::LlamaBackend;
use llama_cpp_2::model::LlamaModel;
use llama_cpp_2::model::params::LlamaModelParams;
use std::path::Path;
use toktrie::TokTrie;

/// A loaded vocabulary. llama.cpp allows one at a time in a process.
pub struct Tokenizer {
    // Dropped in this order: the model before what it stands on.
    model: LlamaModel,
    _backend: LlamaBackend,
    trie: TokTrie,
    markup: Vec<Vec<u8>>,
}

impl Tokenizer {
    /// Reads a GGUF file, which may be one without weights.
    pub fn load(path: &Path) -> Result<Tokenizer, EngineError> {
        let failed = |reason: String| EngineError::Load { path: path.display().to_string(), reason };
        log::capture(false);
        let backend = LlamaBackend::init().map_err(|error| failed(error.to_string()))?;
        let params = LlamaModelParams::default().with_vocab_only(true);
        let model = LlamaModel::load_from_file(&backend, path, &params).map_err(|_| failed(log::last_error()))?;
        let trie = vocabulary(&model).map_err(failed)?;
        let markup = markup(&model);
        Ok(Tokenizer { model, _backend: backend, trie, markup })
    }

    /// A prompt: control tokens in its markup, none in its text.
    pub fn prompt(&self, prompt: &[Part]) -> Vec<TokenId> {
        self.vocabulary().prompt(prompt)
    }

    /// A text, without any control token.
    pub fn text(&self, text: &str) -> Vec<TokenId> {
        self.vocabulary().tokenize(text.as_bytes())
    }

    fn vocabulary(&self) -> Vocabulary<'_> {
        Vocabulary { model: &self.model, trie: &self.trie, markup: &self.markup }
    }
}
