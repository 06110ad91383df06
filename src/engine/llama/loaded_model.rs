//! A GGUF file, loaded.

use super::log;
use super::placement::{Backends, Placement};
use super::snapshots::Memory;
use super::tokenizer::{LlamaTokenizer, markup, vocabulary};
use crate::constrain::mask::MatchError;
use crate::constrain::schema::SchemaCompiler;
use crate::engine::adapter::{AdapterChoice, AdapterFile};
use crate::engine::device::DeviceChoice;
use crate::engine::error::EngineError;
use crate::engine::interface::Progress;
use crate::engine::memory;
use crate::engine::model_info::ModelInfo;
use crate::engine::prefix_cache::{self, PrefixCache, Serves};
use crate::engine::protocol::Load;
use crate::models::header::{Extent, Header};
use crate::models::{Sizes, Unusable};
use llama_cpp_2::llama_backend::LlamaBackend;
use llama_cpp_2::model::params::LlamaModelParams;
use llama_cpp_2::model::{LlamaLoraAdapter, LlamaModel};
use llama_cpp_2::token::LlamaToken;
use std::cell::{OnceCell, RefCell};
use std::path::Path;
use toktrie::TokTrie;
use tracing::debug;

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
    /// The device that it is on; `None`: on the processor.
    placement: Option<Placement>,
    pub(super) memory: Memory,
    /// For the estimate of what a context needs.
    pub(super) sizes: Sizes,
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
    /// Loads a GGUF file. `placing` hears which device may fail from now on; `None`: none.
    pub fn load(
        load: &Load,
        placing: impl Fn(Option<&str>),
        progress: impl Fn(Progress) + 'static,
    ) -> Result<LoadedModel, EngineError> {
        let log_to = if load.verbose {
            log::LogTo::StandardError
        } else {
            log::LogTo::Nowhere
        };
        log::capture(log_to);
        // It tells more than llama.cpp of a file that is no model, and before a device is tried.
        let header = Header::read(&load.model, Extent::Whole)
            .map_err(Unusable::from)
            .and_then(|header| header.check().map(|()| header))
            .map_err(|reason| load_error(load, reason))?;

        if cfg!(feature = "devices") && load.device != DeviceChoice::Cpu {
            placing(Some("the driver of a GPU"));
        }
        let backends = Backends::load(&load.device).map_err(EngineError::Process)?;
        let chosen = backends.choose(&load.device);
        let mut placement = chosen.map_err(|reason| EngineError::Device { reason })?;
        placing(placement.as_ref().map(Placement::name));
        let backend = LlamaBackend::init().map_err(|error| load_error(load, error))?;
        let device = placement.as_ref().map(Placement::name);
        debug!(device, "llama.cpp is ready");
        // A device other than the processor has its own memory.
        let check_memory = load.check_memory && placement.is_none();
        let file = std::fs::metadata(&load.model).map_err(|error| load_error(load, error))?;
        if check_memory {
            memory::check(file.len(), 0)?;
        }

        let params = LlamaModelParams::default().with_progress_callback(move |fraction| {
            progress(Progress::Loading(fraction));
            true
        });
        let mut params = std::pin::pin!(Placement::place(placement.as_ref(), params));
        if let Some(placement) = &mut placement {
            let sizes = Sizes {
                weights: file.len(),
                ..header.sizes
            };
            let fitted = placement.fit(params.as_mut(), &load.model, sizes);
            log::capture(log_to); // which that has changed
            fitted.map_err(|reason| load_error(load, reason))?;
        }
        // llama.cpp gives the reason only in its log.
        let mut model = LlamaModel::load_from_file(&backend, &load.model, &params)
            .map_err(|_| load_error(load, log::last_error()))?;
        debug!(path = %load.model.display(), n_bytes = model.size(), "loaded the weights");

        let adapter = load_adapter(&load.adapter, &mut model)?;
        let trie = vocabulary(&model).map_err(|reason| load_error(load, reason))?;
        let markup = markup(&model);
        let adapter_path = adapter.as_ref().map(|adapter| adapter.file.path.as_path());
        let memory = memory_of(&model);
        let of_adapter = adapter.as_ref().map_or(0, |adapter| adapter.file.n_bytes);
        let sizes = Sizes {
            weights: model.size() + of_adapter,
            ..header.sizes
        };
        let computes_on = backends.computes_on(placement.as_ref());
        let prefixes = open_prefixes(load, adapter_path, &computes_on, memory);
        Ok(LoadedModel {
            backend,
            model,
            threads: i32::try_from(load.threads).unwrap_or(i32::MAX),
            trie,
            markup,
            adapter,
            check_memory,
            schemas: OnceCell::new(),
            computes_on,
            placement,
            memory,
            sizes,
            prefixes,
        })
    }

    pub fn info(&self) -> ModelInfo {
        let vocab = self.model.vocab();
        ModelInfo {
            name: self.meta("general.name").unwrap_or_default(),
            context_tokens: self.model.n_ctx_train() as usize,
            adapter: self
                .adapter
                .as_ref()
                .map(|adapter| adapter.file.name.clone()),
            profile: self.profile(),
            chat_template: self.meta("tokenizer.chat_template"),
            bos: self.spelled(vocab.bos()),
            eos: self.spelled(vocab.eos()),
            computes_on: self.computes_on.clone(),
            uses_gpu: self.placement.is_some(),
            placement: self
                .placement
                .as_ref()
                .map(|placement| placement.described(self.model.n_layer() + 1)),
        }
    }

    fn meta(&self, key: &str) -> Option<String> {
        self.model.meta_val_str(key).ok()
    }

    /// The text of a token; empty if the vocabulary has no such token.
    fn spelled(&self, token: LlamaToken) -> String {
        if token.0 < 0 {
            return String::new();
        }
        let piece = self.model.vocab().token_to_piece(token, true, None);
        String::from_utf8_lossy(&piece).into_owned()
    }

    /// See [`ModelInfo::profile`].
    pub fn profile(&self) -> Option<String> {
        let of_adapter = self
            .adapter
            .as_ref()
            .and_then(|adapter| adapter.file.profile.clone());
        of_adapter.or_else(|| self.meta("slotwright.profile"))
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

    pub fn tokenizer(&self) -> LlamaTokenizer<'_> {
        LlamaTokenizer {
            model: &self.model,
            trie: &self.trie,
            markup: &self.markup,
        }
    }
}

fn load_error(load: &Load, reason: impl ToString) -> EngineError {
    EngineError::Load {
        path: load.model.display().to_string(),
        reason: reason.to_string(),
    }
}

/// Loads the adapter that goes with a model.
fn load_adapter(
    choice: &AdapterChoice,
    model: &mut LlamaModel,
) -> Result<Option<LoadedAdapter>, EngineError> {
    let name = model.meta_val_str("general.name").unwrap_or_default();
    let Some(file) = choice.file(&name)? else {
        return Ok(None);
    };
    // llama.cpp compares the architecture and the shapes of the tensors.
    match model.lora_adapter_init(&file.path) {
        Ok(weights) => {
            debug!(path = %file.path.display(), "loaded the adapter");
            Ok(Some(LoadedAdapter {
                file,
                weights: RefCell::new(weights),
            }))
        }
        Err(_) => Err(EngineError::Adapter {
            path: file.path.display().to_string(),
            reason: format!("it is not one for {name}: {}", log::last_error()),
        }),
    }
}

/// The states that earlier processes kept. `None` if they are not to be used, or cannot be: then
/// every prompt is read again, which is only slower.
fn open_prefixes(
    load: &Load,
    adapter: Option<&Path>,
    computes_on: &str,
    memory: Memory,
) -> Option<PrefixCache> {
    let folder = load.prefixes.as_ref()?;
    let serves = match memory {
        Memory::Cut => Serves::AnyBeginning,
        Memory::Window(_) | Memory::Recurrent => Serves::WholeOnly,
    };
    let opened = prefix_cache::origin(&load.model, adapter, computes_on)
        .and_then(|origin| PrefixCache::open(folder, origin, serves));
    opened
        .inspect_err(|error| debug!(%error, folder = %folder.display(), "no prefix cache"))
        .ok()
}

/// How the model goes back to an earlier token: as llama.cpp says, whatever its architecture.
fn memory_of(model: &LlamaModel) -> Memory {
    let architecture = model.meta_val_str("general.architecture");
    let window = architecture
        .and_then(|name| model.meta_val_str(&format!("{name}.attention.sliding_window")))
        .ok()
        .and_then(|n_tokens| n_tokens.parse().ok());
    if model.is_recurrent() || model.is_hybrid() {
        Memory::Recurrent
    } else if let Some(n_tokens) = window.filter(|&n| n > 0) {
        Memory::Window(n_tokens)
    } else {
        Memory::Cut
    }
}
