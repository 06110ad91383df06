//! The tokens of a model, without its weights.

use llama_cpp_2::llama_backend::LlamaBackend;
use llama_cpp_2::model::LlamaModel;
use llama_cpp_2::model::params::LlamaModelParams;
use slotwright::engine::{ModelInfo, Part};
use slotwright::prompt::ADAPTED;
use std::path::Path;

/// Tokens of the context that the prompts are made for. Without its weights a model does not say
/// how long its own is.
const CONTEXT: usize = 32_768;

/// See the module. Only models without user-defined markup are tokenized as the program does it,
/// which is so for all models that we train adapters for.
pub struct Vocabulary {
    model: LlamaModel,
    _backend: LlamaBackend,
}

impl Vocabulary {
    /// Reads a GGUF file's vocabulary.
    pub fn load(path: &Path) -> Result<Vocabulary, Box<dyn std::error::Error>> {
        let mut backend = LlamaBackend::init()?;
        backend.void_logs();
        let params = LlamaModelParams::default().with_vocab_only(true);
        let model = LlamaModel::load_from_file(&backend, path, &params)?;
        Ok(Vocabulary {
            model,
            _backend: backend,
        })
    }

    /// The model as the program would see it with an adapter.
    pub fn info(&self) -> ModelInfo {
        let meta = |key: &str| self.model.meta_val_str(key).ok();
        ModelInfo {
            name: meta("general.name").unwrap_or_default(),
            context_tokens: CONTEXT,
            profile: Some(ADAPTED.to_owned()),
            chat_template: meta("tokenizer.chat_template"),
            ..ModelInfo::default()
        }
    }

    /// The tokens of a prompt.
    pub fn prompt(&self, prompt: &[Part]) -> Vec<u32> {
        let tokens = |part: &Part| match part {
            Part::Control(text) => self.tokenize(text, true),
            Part::Text(text) => self.tokenize(text, false),
        };
        prompt.iter().flat_map(tokens).collect()
    }

    /// The tokens of an answer.
    pub fn answer(&self, answer: &str) -> Vec<u32> {
        self.tokenize(answer, false)
    }

    fn tokenize(&self, text: &str, is_markup: bool) -> Vec<u32> {
        let tokens = self
            .model
            .vocab()
            .tokenize(text.as_bytes(), false, is_markup);
        tokens.iter().map(|token| token.0 as u32).collect()
    }
}
