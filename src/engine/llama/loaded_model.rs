//! A GGUF file, loaded.

use super::log;
use super::tokenizer::{LlamaTokenizer, markup, vocabulary};
use crate::constrain::mask::MatchError;
use crate::constrain::schema::SchemaCompiler;
use crate::engine::adapter::{AdapterChoice, AdapterFile};
#[cfg(feature = "portable")]
use crate::engine::backends;
#[cfg(all(target_arch = "x86_64", not(feature = "portable")))]
use crate::engine::instructions;
use crate::engine::interface::Progress;
use crate::engine::memory;
use crate::engine::model_info::ModelInfo;
use crate::engine::prefix_cache::{self, PrefixCache};
use crate::engine::protocol::{ChildFailure, Load};
use crate::models::{self, Sizes};
use llama_cpp_2::llama_backend::LlamaBackend;
use llama_cpp_2::model::params::LlamaModelParams;
use llama_cpp_2::model::{LlamaLoraAdapter, LlamaModel};
use llama_cpp_2::token::LlamaToken;
use std::cell::{OnceCell, RefCell};
use std::path::Path;
use toktrie::TokTrie;

/// A loaded model and its vocabulary.
pub struct LoadedModel {
    pub(super) backend: LlamaBackend,
    pub(super) model: LlamaModel,
    pub(super) threads: i32,
    trie: TokTrie,
    markup: Vec<Vec<u8>>,
    pub(super) adapter: Option<LoadedAdapter>,
    pub(super) check_memory: bool,
    schemas: OnceCell<SchemaCompiler>,
    /// See [`ModelInfo::computes_on`].
    computes_on: String,
    /// The states that earlier processes kept, if they are to be used.
    pub(super) prefixes: Option<PrefixCache>,
}

/// An adapter, loaded. It is freed with its model.
pub(super) struct LoadedAdapter {
    pub(super) file: AdapterFile,
    /// llama.cpp changes nothing in it, but its binding wants it mutable.
    pub(super) weights: RefCell<LlamaLoraAdapter>,
}

impl LoadedModel {
    /// Loads a GGUF file.
    pub fn load(
        load: &Load,
        progress: impl Fn(Progress) + 'static,
    ) -> Result<LoadedModel, ChildFailure> {
        log::capture(match load.verbose {
            true => log::LogTo::StandardError,
            false => log::LogTo::Nobody,
        });
        // This comes first: while no backend is loaded, llama.cpp searches for one, in the current
        // folder too.
        #[cfg(feature = "portable")]
        let variant = Some(backends::load_best().map_err(ChildFailure::Libraries)?);
        #[cfg(all(target_arch = "x86_64", not(feature = "portable")))]
        let variant = Some(instructions::used());
        #[cfg(not(any(target_arch = "x86_64", feature = "portable")))]
        let variant = None;
        let computes_on = computes_on(variant);
        let backend =
            LlamaBackend::init().map_err(|error| ChildFailure::Load(error.to_string()))?;
        // A device other than the processor has its own memory.
        let check_memory = load.check_memory && !backend.supports_gpu_offload();
        if check_memory {
            let file = std::fs::metadata(&load.model)
                .map_err(|error| ChildFailure::Load(error.to_string()))?;
            memory::check(file.len(), 0)?;
        }
        let params = LlamaModelParams::default().with_progress_callback(move |fraction| {
            progress(Progress::Loading(fraction));
            true
        });
        // llama.cpp gives the reason only in its log.
        let mut model = LlamaModel::load_from_file(&backend, &load.model, &params)
            .map_err(|_| ChildFailure::Load(log::last_error()))?;
        check_writes(&model).map_err(ChildFailure::Load)?;
        let adapter = load_adapter(&load.adapter, &mut model)?;
        let trie = vocabulary(&model).map_err(ChildFailure::Load)?;
        let markup = markup(&model);
        let threads = i32::try_from(load.threads).unwrap_or(i32::MAX);
        // Without a folder for kept states every prompt is read again, which is only slower.
        let adapter_file = adapter.as_ref().map(|adapter| adapter.file.path.as_path());
        let maker = |model: &Path| prefix_cache::origin(model, adapter_file, &computes_on);
        let prefixes = load
            .prefixes
            .as_ref()
            .and_then(|folder| PrefixCache::open(folder, maker(&load.model).ok()?).ok());
        Ok(LoadedModel {
            backend,
            model,
            threads,
            trie,
            markup,
            adapter,
            check_memory,
            schemas: OnceCell::new(),
            computes_on,
            prefixes,
        })
    }

    pub fn info(&self) -> ModelInfo {
        let vocab = self.model.vocab();
        let meta = |key: &str| self.model.meta_val_str(key).ok();
        let spelled = |token: LlamaToken| match token.0 {
            0.. => String::from_utf8_lossy(&vocab.token_to_piece(token, true, None)).into_owned(),
            _ => String::new(),
        };
        ModelInfo {
            name: meta("general.name").unwrap_or_default(),
            context_tokens: self.model.n_ctx_train() as usize,
            adapter: self
                .adapter
                .as_ref()
                .map(|adapter| adapter.file.name.clone()),
            profile: self.profile(),
            chat_template: meta("tokenizer.chat_template"),
            bos: spelled(vocab.bos()),
            eos: spelled(vocab.eos()),
            computes_on: self.computes_on.clone(),
            uses_gpu: self.backend.supports_gpu_offload(),
        }
    }

    /// See [`ModelInfo::profile`].
    pub fn profile(&self) -> Option<String> {
        let of_adapter = self
            .adapter
            .as_ref()
            .and_then(|adapter| adapter.file.profile.clone());
        of_adapter.or_else(|| self.model.meta_val_str("slotwright.profile").ok())
    }

    pub fn trie(&self) -> &TokTrie {
        &self.trie
    }

    /// The compiler of schemas for this vocabulary. It is made when it is first needed.
    pub fn schemas(&self) -> Result<&SchemaCompiler, MatchError> {
        if self.schemas.get().is_none() {
            let _ = self.schemas.set(SchemaCompiler::new(&self.trie)?);
        }
        Ok(self.schemas.get().expect("just made"))
    }

    /// The longest prompt, in tokens, that leaves room for an answer of `answer_tokens`.
    pub fn max_prompt_tokens(&self, answer_tokens: usize) -> usize {
        (self.model.n_ctx_train() as usize).saturating_sub(answer_tokens)
    }

    /// The model's sizes, for the estimate of its memory.
    pub(super) fn sizes(&self) -> Sizes {
        let model = &self.model;
        let architecture = model
            .meta_val_str("general.architecture")
            .unwrap_or_default();
        let width = model.n_embd().max(0) as u64;
        let head_width = model
            .meta_val_str(&format!("{architecture}.attention.key_length"))
            .ok()
            .and_then(|n| n.parse().ok());
        Sizes {
            weights: model.size()
                + self
                    .adapter
                    .as_ref()
                    .map_or(0, |adapter| adapter.file.n_bytes),
            n_layers: u64::from(model.n_layer()),
            width,
            key_width: u64::from(model.n_head_kv())
                * head_width.unwrap_or(width / u64::from(model.n_head().max(1))),
            vocabulary: model.n_vocab().max(0) as u64,
        }
    }

    pub fn tokenizer(&self) -> LlamaTokenizer<'_> {
        LlamaTokenizer {
            model: &self.model,
            trie: &self.trie,
            markup: &self.markup,
        }
    }
}

/// Loads the adapter that goes with a model.
fn load_adapter(
    choice: &AdapterChoice,
    model: &mut LlamaModel,
) -> Result<Option<LoadedAdapter>, ChildFailure> {
    let name = model.meta_val_str("general.name").unwrap_or_default();
    let refused = |path: &Path, reason| ChildFailure::Adapter {
        path: path.display().to_string(),
        reason,
    };
    let file = choice
        .file(&name)
        .map_err(|error| refused(&error.path, error.reason))?;
    let Some(file) = file else { return Ok(None) };
    // llama.cpp compares the architecture and the shapes of the tensors.
    match model.lora_adapter_init(&file.path) {
        Ok(weights) => Ok(Some(LoadedAdapter {
            file,
            weights: RefCell::new(weights),
        })),
        Err(_) => {
            let reason = format!("it is not one for {name}: {}", log::last_error());
            Err(refused(&file.path, reason))
        }
    }
}

/// The names of llama.cpp's devices, and the variant of the CPU code or its instructions.
fn computes_on(variant: Option<String>) -> String {
    let names = llama_cpp_2::list_llama_ggml_backend_devices()
        .into_iter()
        .map(|device| device.name)
        .collect::<Vec<_>>()
        .join(", ");
    match variant {
        Some(variant) => format!("{names} ({variant})"),
        None => names,
    }
}

/// Fails unless the model writes text one token at a time.
fn check_writes(model: &LlamaModel) -> Result<(), String> {
    let meta = |key: &str| model.meta_val_str(key).ok();
    let architecture = meta("general.architecture").unwrap_or_default();
    let is_causal = meta(&format!("{architecture}.attention.causal")).map(|value| value == "true");
    models::check_writes(&architecture, is_causal).map_err(|reason| reason.to_string())
}
