//! llama.cpp in this process: only ever in the child, but for a vocabulary alone
//! ([`super::tokenizer`]).

use super::generate::Decoder;
use super::memory::{self, Sizes};
use super::prefix_cache::{self, PrefixCache, n_same};
use super::protocol::{Failure, Load};
use super::{ModelInfo, Part, Progress};
use crate::constrain::mask::{MatchError, TokenId, Tokenize};
use crate::constrain::schema::SchemaCompiler;
use llama_cpp_2::context::LlamaContext;
use llama_cpp_2::context::params::LlamaContextParams;
use llama_cpp_2::context::session::LlamaStateSeqFlags;
use llama_cpp_2::llama_backend::LlamaBackend;
use llama_cpp_2::llama_batch::LlamaBatch;
use llama_cpp_2::model::LlamaModel;
use llama_cpp_2::model::params::LlamaModelParams;
use llama_cpp_2::token::LlamaToken;
use llama_cpp_2::token_type::LlamaTokenAttr;
use std::cell::OnceCell;
use std::collections::VecDeque;
use std::ffi::{CStr, c_char, c_void};
use std::num::NonZeroU32;
use std::path::Path;
use std::sync::Mutex;
use toktrie::{INVALID_TOKEN, TokRxInfo, TokTrie};

/// Tokens computed in one call at most: more aborts the process.
const BATCH_TOKENS: usize = 512;

/// A context grows in steps of this many tokens, so that the next request fits the same one more
/// often.
const CONTEXT_STEP: usize = 256;

/// Longer tokens than this (GLM has one of 1,024 blanks) are left out: the trie has no room for
/// them.
const MAX_TOKEN_BYTES: usize = 1_000;

/// A loaded model with its vocabulary.
pub(super) struct Model {
    backend: LlamaBackend,
    model: LlamaModel,
    threads: i32,
    trie: TokTrie,
    markup: Vec<Vec<u8>>,
    check_memory: bool,
    schemas: OnceCell<SchemaCompiler>,
    /// See [`ModelInfo::computes_on`].
    computes_on: String,
    /// What was read by earlier processes, if it is to be used.
    prefixes: Option<PrefixCache>,
}

impl Model {
    /// Loads a GGUF file.
    pub fn load(load: &Load, progress: impl Fn(Progress) + 'static) -> Result<Model, Failure> {
        log::capture(load.verbose);
        // Before all else: as long as nothing is loaded, llama.cpp searches for it, in the current
        // folder too.
        #[cfg(feature = "portable")]
        let variant = Some(super::backends::load_best().map_err(Failure::Libraries)?);
        #[cfg(not(feature = "portable"))]
        let variant = None;
        let computes_on = computes_on(variant);
        let backend = LlamaBackend::init().map_err(|error| Failure::Load(error.to_string()))?;
        // What computes elsewhere has memory of its own.
        let check_memory = load.check_memory && !backend.supports_gpu_offload();
        if check_memory {
            let file =
                std::fs::metadata(&load.model).map_err(|error| Failure::Load(error.to_string()))?;
            memory::check(file.len(), 0)?;
        }
        let params = LlamaModelParams::default().with_progress_callback(move |fraction| {
            progress(Progress::Loading(fraction));
            true
        });
        // llama.cpp says why only in its log.
        let model = LlamaModel::load_from_file(&backend, &load.model, &params)
            .map_err(|_| Failure::Load(log::last_error()))?;
        check_writes(&model).map_err(Failure::Load)?;
        let trie = vocabulary(&model).map_err(Failure::Load)?;
        let markup = markup(&model);
        let threads = i32::try_from(load.threads).unwrap_or(i32::MAX);
        // Without a place to keep anything all is read again: slower, and nothing else.
        let maker = |model: &Path| prefix_cache::maker(model, &computes_on);
        let prefixes = load
            .prefixes
            .as_ref()
            .and_then(|folder| PrefixCache::open(folder, maker(&load.model).ok()?).ok());
        Ok(Model {
            backend,
            model,
            threads,
            trie,
            markup,
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
            profile: meta("slotwright.profile"),
            chat_template: meta("tokenizer.chat_template"),
            bos: spelled(vocab.bos()),
            eos: spelled(vocab.eos()),
            computes_on: self.computes_on.clone(),
        }
    }

    pub fn trie(&self) -> &TokTrie {
        &self.trie
    }

    /// Compiles schemas for this vocabulary; made when the first one comes.
    pub fn schemas(&self) -> Result<&SchemaCompiler, MatchError> {
        if self.schemas.get().is_none() {
            let _ = self.schemas.set(SchemaCompiler::new(&self.trie)?);
        }
        Ok(self.schemas.get().expect("just made"))
    }

    /// The longest prompt that leaves room for an answer.
    pub fn max_prompt_tokens(&self, answer_tokens: usize) -> usize {
        (self.model.n_ctx_train() as usize).saturating_sub(answer_tokens)
    }

    /// An empty context with room for so many tokens, of all its sequences together.
    pub fn context(&self, n_tokens: usize) -> Result<LlamaDecoder<'_>, Failure> {
        let n_ctx_train = self.model.n_ctx_train() as usize;
        let n_ctx = n_tokens.next_multiple_of(CONTEXT_STEP).min(SEQUENCES * n_ctx_train);
        if self.check_memory {
            let sizes = sizes(&self.model);
            memory::check(sizes.needed(n_ctx as u64, BATCH_TOKENS as u64), sizes.weights)?;
        }
        let params = LlamaContextParams::default()
            .with_n_ctx(NonZeroU32::new(n_ctx as u32))
            .with_n_seq_max(SEQUENCES as u32)
            .with_kv_unified(true)
            .with_n_batch(BATCH_TOKENS as u32)
            .with_n_ubatch(BATCH_TOKENS as u32)
            .with_n_threads(self.threads)
            .with_n_threads_batch(self.threads);
        let context = self
            .model
            .new_context(&self.backend, params)
            .map_err(|_| Failure::Compute(log::last_error()))?;
        let can_forget = !self.model.is_recurrent() && !self.model.is_hybrid();
        Ok(LlamaDecoder {
            context,
            n_ctx,
            n_ctx_train,
            can_forget,
            prefixes: self.prefixes.as_ref(),
            sequences: Default::default(),
            active: 0,
            rows: Vec::new(),
        })
    }

    pub fn vocabulary(&self) -> Vocabulary<'_> {
        Vocabulary { model: &self.model, trie: &self.trie, markup: &self.markup }
    }
}

/// The model's own tokenizer, with control tokens off.
pub(super) struct Vocabulary<'m> {
    pub model: &'m LlamaModel,
    pub trie: &'m TokTrie,
    /// See [`markup`].
    pub markup: &'m [Vec<u8>],
}

impl Vocabulary<'_> {
    fn plain(&self, text: &str) -> Vec<TokenId> {
        if text.is_empty() {
            return Vec::new();
        }
        self.model
            .vocab()
            .tokenize(text.as_bytes(), false, false)
            .iter()
            .map(|t| t.0 as TokenId)
            .collect()
    }

    fn spell(&self, tokens: &[TokenId]) -> Vec<u8> {
        tokens.iter().flat_map(|&t| self.trie.token(t).iter().copied()).collect()
    }
}

impl Vocabulary<'_> {
    /// A prompt as tokens: markup with its control tokens, text without any, and the model's first
    /// token in front if it wants one and the markup has not written it.
    pub fn prompt(&self, prompt: &[Part]) -> Vec<TokenId> {
        let vocab = self.model.vocab();
        let mut tokens = Vec::new();
        for part in prompt {
            match part {
                Part::Control(text) if text.is_empty() => {}
                Part::Control(text) => tokens.extend(self.markup_tokens(text, tokens.is_empty())),
                Part::Text(text) => tokens.extend(self.tokenize(text.as_bytes())),
            }
        }
        let bos = vocab.bos().0;
        if vocab.should_add_bos() && bos >= 0 && tokens.first() != Some(&(bos as TokenId)) {
            tokens.insert(0, bos as TokenId);
        }
        tokens
    }

    /// Markup in the middle of a prompt gets no blank before it; at its beginning a vocabulary that
    /// wants one there has it, as in the model's own software.
    fn markup_tokens(&self, text: &str, is_first: bool) -> Vec<TokenId> {
        let vocab = self.model.vocab();
        let spell = |tokens: &[LlamaToken]| -> Vec<u8> {
            tokens.iter().flat_map(|&t| vocab.token_to_piece(t, true, None)).collect()
        };
        let mut tokens = vocab.tokenize(text.as_bytes(), false, true);
        if !is_first && spell(&tokens) != text.as_bytes() {
            let behind = vocab.tokenize(format!("\n{text}").as_bytes(), false, true);
            if let Some(skip) =
                (1..behind.len().min(4)).find(|&skip| spell(&behind[skip..]) == text.as_bytes())
            {
                tokens = behind[skip..].to_vec();
            }
        }
        tokens.iter().map(|t| t.0 as TokenId).collect()
    }
}

impl Tokenize for Vocabulary<'_> {
    fn tokenize(&self, text: &[u8]) -> Vec<TokenId> {
        // llama.cpp finds these in any text, so text that spells one is cut inside it.
        let spells_one =
            |at: usize| self.markup.iter().any(|markup| text[at..].starts_with(markup));
        let mut tokens = Vec::new();
        let mut from = 0;
        for at in (0..text.len()).filter(|&at| !self.markup.is_empty() && spells_one(at)) {
            tokens.extend(self.tokenize_piece(&text[from..=at]));
            from = at + 1;
        }
        tokens.extend(self.tokenize_piece(&text[from..]));
        tokens
    }

    fn beginnings(&self, text: &[u8]) -> Vec<TokenId> {
        self.trie.all_prefixes(text)
    }

    fn spelling(&self, token: TokenId) -> Option<Vec<u8>> {
        Some(self.trie.token(token).to_vec())
    }
}

impl Vocabulary<'_> {
    fn tokenize_piece(&self, text: &[u8]) -> Vec<TokenId> {
        let tokens = self.trie.tokenize_with_greedy_fallback(text, |text| self.plain(text));
        if self.spell(&tokens) == text {
            return tokens;
        }
        // SentencePiece models put a blank before any text. Behind a line feed there is none to
        // put.
        if let Ok(text) = str::from_utf8(text) {
            let behind = self.plain(&format!("\n{text}"));
            for skip in 1..behind.len().min(4) {
                if self.spell(&behind[skip..]) == text.as_bytes() {
                    return behind[skip..].to_vec();
                }
            }
        }
        let greedy = self.trie.greedy_tokenize(text);
        // A character that the vocabulary cannot spell: the model reads its own "unknown" for it.
        if self.spell(&greedy) == text { greedy } else { tokens }
    }
}

/// llama.cpp's devices, and the variant of the one that computes.
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

/// The vocabulary by the bytes that each token writes. Tokens that write no text are left out:
/// control tokens, the unknown one, unused ones. Those that end an answer are named.
pub(super) fn vocabulary(model: &LlamaModel) -> Result<TokTrie, String> {
    let vocab = model.vocab();
    let n_tokens = u32::try_from(vocab.n_tokens()).unwrap_or(0);
    if n_tokens == 0 {
        return Err("it has no vocabulary".to_owned());
    }
    let writes_text = |token: LlamaToken| {
        let attributes = vocab.attr(token);
        let silent = [LlamaTokenAttr::Control, LlamaTokenAttr::Unknown, LlamaTokenAttr::Unused];
        !vocab.is_eog(token) && !silent.iter().any(|&a| attributes.contains(a))
    };
    let pieces: Vec<Vec<u8>> =
        vocab
            .tokens()
            .map(|token| {
                if writes_text(token) {
                    vocab.token_to_piece(token, false, None)
                } else {
                    Vec::new()
                }
            })
            .map(|piece| if piece.len() > MAX_TOKEN_BYTES { Vec::new() } else { piece })
            .collect();
    let trie = TokTrie::from(&TokRxInfo::new(n_tokens, INVALID_TOKEN), &pieces);
    let ends: Vec<TokenId> = vocab
        .tokens()
        .filter(|&token| vocab.is_eog(token))
        .map(|token| token.0 as TokenId)
        .collect();
    Ok(if ends.is_empty() { trie } else { trie.with_eos_tokens(&ends) })
}

/// Tokens that are markup and yet not marked as control tokens, as in many converted chat models:
/// those that look like it, and those that the chat template writes. llama.cpp reads tokens of that
/// kind in any text.
pub(super) fn markup(model: &LlamaModel) -> Vec<Vec<u8>> {
    let vocab = model.vocab();
    let template = model.meta_val_str("tokenizer.chat_template").unwrap_or_default();
    let is_markup = |piece: &str| {
        ((piece.starts_with("<|") && piece.ends_with('>'))
            || (piece.starts_with('<') && piece.ends_with("|>")))
            || (piece.len() > 2 && template.contains(piece))
    };
    vocab
        .tokens()
        .filter(|&token| vocab.attr(token).contains(LlamaTokenAttr::UserDefined))
        .map(|token| vocab.token_to_piece(token, true, None))
        .filter(|piece| {
            piece.len() > 1
                && str::from_utf8(piece)
                    .is_ok_and(|piece| !piece.trim().is_empty() && is_markup(piece))
        })
        .collect()
}

/// Whether it writes text, one token after the other.
fn check_writes(model: &LlamaModel) -> Result<(), String> {
    let meta = |key: &str| model.meta_val_str(key).unwrap_or_default();
    let architecture = meta("general.architecture");
    if meta(&format!("{architecture}.attention.causal")) == "false"
        || ["bert", "embed", "t5encoder"].iter().any(|kind| architecture.contains(kind))
    {
        return Err(format!("it is a model for embeddings ({architecture}), which writes no text"));
    }
    if architecture == "t5" {
        return Err("it reads with one half and writes with the other (t5); that is not supported"
            .to_owned());
    }
    Ok(())
}

fn sizes(model: &LlamaModel) -> Sizes {
    let architecture = model.meta_val_str("general.architecture").unwrap_or_default();
    let width = model.n_embd().max(0) as u64;
    let head_width = model
        .meta_val_str(&format!("{architecture}.attention.key_length"))
        .ok()
        .and_then(|n| n.parse().ok());
    Sizes {
        weights: model.size(),
        n_layers: u64::from(model.n_layer()),
        width,
        key_width: u64::from(model.n_head_kv())
            * head_width.unwrap_or(width / u64::from(model.n_head().max(1))),
        vocabulary: model.n_vocab().max(0) as u64,
    }
}

/// What a context keeps side by side, so that neither is read again for the other: see [`Stage`].
const SEQUENCES: usize = 2;

/// Which of its sequences a question goes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stage {
    Pick,
    Fill,
}

/// A context and what it has read.
pub(super) struct LlamaDecoder<'m> {
    context: LlamaContext<'m>,
    /// Tokens that all sequences have room for together.
    n_ctx: usize,
    /// Tokens that one of them may have.
    n_ctx_train: usize,
    can_forget: bool,
    prefixes: Option<&'m PrefixCache>,
    sequences: [Vec<TokenId>; SEQUENCES],
    active: usize,
    /// Of the logits wanted: where their tokens stood in the last batch.
    rows: Vec<i32>,
}

impl<'m> LlamaDecoder<'m> {
    /// Makes room for so many tokens of one stage, and goes on with that one. What it has read
    /// stays read, as long as there is room for it; else the other stage's goes.
    pub fn prepare(
        self,
        model: &'m Model,
        stage: Stage,
        n_tokens: usize,
    ) -> Result<LlamaDecoder<'m>, Failure> {
        let active = stage as usize;
        let n_others: usize = self
            .sequences
            .iter()
            .enumerate()
            .filter(|(i, _)| *i != active)
            .map(|(_, tokens)| tokens.len())
            .sum();
        let mut decoder = if n_tokens + n_others <= self.n_ctx {
            self
        } else {
            match model.context(n_tokens + n_others) {
                Ok(mut larger) => {
                    larger.take_over(&self);
                    larger
                }
                Err(_) if n_tokens <= self.n_ctx => {
                    let mut decoder = self;
                    (0..SEQUENCES).filter(|&i| i != active).for_each(|i| decoder.clear(i));
                    decoder
                }
                Err(failure) => return Err(failure),
            }
        };
        decoder.active = active;
        Ok(decoder)
    }

    /// Copies what another context has read.
    fn take_over(&mut self, other: &LlamaDecoder) {
        for i in 0..SEQUENCES {
            let id = i as i32;
            let copied = other
                .context
                .state_seq_get(id, LlamaStateSeqFlags::empty())
                .map(|state| self.context.state_seq_set(&state, id));
            match copied {
                Ok(Ok(())) => self.sequences[i].clone_from(&other.sequences[i]),
                _ => self.clear(i), // then it is read again
            }
        }
    }

    /// Keeps what the active sequence has read, up to the end of its prompt, for later processes.
    pub fn keep(&mut self, stage: Stage, prompt_tokens: usize) {
        self.active = stage as usize;
        let Some(prefixes) = self.prefixes.filter(|_| self.can_forget && self.cut(prompt_tokens))
        else {
            return;
        };
        if !prefixes.wants(&self.sequences[self.active]) {
            return;
        }
        let id = self.active as i32;
        let flags = LlamaStateSeqFlags::empty();
        let mut state = vec![0; self.context.state_seq_get_size_ext(id, flags)];
        #[allow(unsafe_code)]
        // SAFETY: there is room for as many bytes as llama.cpp says it will write.
        let n_bytes = unsafe { self.context.state_seq_get_data_ext(state.as_mut_ptr(), id, flags) };
        if n_bytes == state.len() {
            // A full disk makes the next process slower, and nothing else.
            let _ = prefixes.keep(&self.sequences[self.active], &state);
        }
    }

    /// Loads what an earlier process read of a prompt into the active sequence, if that is more
    /// than it has.
    fn load(&mut self, prompt: &[TokenId], n_read: usize) {
        let Some(prefixes) = self.prefixes.filter(|_| self.can_forget) else { return };
        let Some(entry) = prefixes.best(prompt, n_read) else { return };
        let tokens = entry.tokens.clone();
        let Some(state) = prefixes.load(entry) else { return };
        self.clear(self.active);
        #[allow(unsafe_code)]
        // SAFETY: the checksum says that these are the bytes that llama.cpp wrote, for this model
        // and this version.
        let is_set = unsafe {
            self.context.state_seq_set_data_ext(
                &state,
                self.active as i32,
                LlamaStateSeqFlags::empty(),
            )
        };
        if is_set {
            self.sequences[self.active] = tokens;
        } else {
            self.clear(self.active);
        }
    }

    fn clear(&mut self, i: usize) {
        // A whole sequence can always be removed.
        let _ = self.context.kv_cache_seq_rm(i as i32, None, None);
        self.sequences[i].clear();
    }

    /// Keeps the first tokens of the active sequence. Whether that was possible: a model with a
    /// sliding window may have lost what the rest stands on. If not, the sequence is empty.
    fn cut(&mut self, n_kept: usize) -> bool {
        let id = self.active as i32;
        if n_kept >= self.sequences[self.active].len() {
            return true;
        }
        let is_cut =
            self.can_forget && self.context.kv_cache_seq_rm(id, Some(n_kept as u32), None).is_ok();
        if is_cut && (n_kept == 0 || self.has_all(n_kept)) {
            self.sequences[self.active].truncate(n_kept);
            return true;
        }
        self.clear(self.active);
        false
    }

    /// Whether llama.cpp has all of the first tokens of the active sequence, and no others.
    fn has_all(&self, n_tokens: usize) -> bool {
        let id = self.active as i32;
        self.context.kv_cache_seq_pos_min(id) == 0
            && self.context.kv_cache_seq_pos_max(id) + 1 == n_tokens as i32
    }

    /// Lets the active sequence have what the other one has of this prompt, if that is more: the
    /// file that stage 1 was shown is then not read again. Nothing is copied, both stand on the
    /// same numbers.
    fn share(&mut self, prompt: &[TokenId]) {
        let n_own = n_same(&self.sequences[self.active], prompt);
        let others = (0..SEQUENCES)
            .filter(|&i| i != self.active)
            .map(|i| (n_same(&self.sequences[i], prompt), i));
        let Some((n_shared, other)) = others.max().filter(|(n, _)| self.can_forget && *n > n_own)
        else {
            return;
        };
        self.clear(self.active);
        let is_shared = self
            .context
            .copy_kv_cache_seq(other as i32, self.active as i32, Some(0), Some(n_shared as u32))
            .is_ok();
        if is_shared && self.has_all(n_shared) {
            self.sequences[self.active] = prompt[..n_shared].to_vec();
        } else {
            self.clear(self.active);
        }
    }
}

impl Decoder for LlamaDecoder<'_> {
    type Error = String;

    fn begin(&mut self, prompt: &[TokenId]) -> usize {
        // The last token is computed in any case: what follows it is asked for.
        let reusable = &prompt[..prompt.len().saturating_sub(1)];
        self.share(reusable);
        self.load(reusable, n_same(&self.sequences[self.active], reusable));
        self.cut(n_same(&self.sequences[self.active], reusable));
        self.sequences[self.active].len()
    }

    fn room(&self) -> usize {
        let n_used: usize = self.sequences.iter().map(Vec::len).sum();
        self.n_ctx
            .saturating_sub(n_used)
            .min(self.n_ctx_train.saturating_sub(self.sequences[self.active].len()))
    }

    fn decode(
        &mut self,
        tokens: &[TokenId],
        wanted: &[usize],
        progress: &mut dyn FnMut(usize),
    ) -> Result<(), String> {
        let mut batch = LlamaBatch::new(BATCH_TOKENS, 1);
        let mut start = 0;
        while start < tokens.len() {
            let mut end = (start + BATCH_TOKENS).min(tokens.len());
            // Only the last batch's logits can be asked for.
            if end < tokens.len()
                && wanted.first().is_some_and(|first| (start + 1..end).contains(first))
            {
                end = wanted[0];
            }
            batch.clear();
            let n_past = self.sequences[self.active].len();
            for (i, &token) in tokens[start..end].iter().enumerate() {
                let wants_logits = wanted.binary_search(&(start + i)).is_ok();
                let position = (n_past + i) as i32;
                batch
                    .add(LlamaToken(token as i32), position, &[self.active as i32], wants_logits)
                    .map_err(|e| e.to_string())?;
            }
            if let Err(error) = self.context.decode(&mut batch) {
                self.clear(self.active); // who knows how far it came
                return Err(format!("{error}; {}", log::last_error()));
            }
            self.context.synchronize(); // a graphics card computes on while this goes on; it is timed
            self.sequences[self.active].extend(&tokens[start..end]);
            self.rows =
                wanted.iter().filter(|&&i| i >= start).map(|&i| (i - start) as i32).collect();
            start = end;
            progress(end);
        }
        Ok(())
    }

    fn logits(&self, i: usize) -> &[f32] {
        self.context.get_logits_ith(self.rows[i])
    }

    fn forget(&mut self, n_tokens: usize) -> Result<(), String> {
        let n_kept = self.sequences[self.active].len() - n_tokens;
        if self.cut(n_kept) {
            Ok(())
        } else {
            Err("it cannot forget tokens that it read".to_owned())
        }
    }

    fn can_forget(&self) -> bool {
        self.can_forget
    }
}

pub(super) mod log {
    //! llama.cpp's log: kept to say why something failed, shown only if the person asks for it.
    #![allow(unsafe_code)]

    use super::{CStr, Mutex, VecDeque, c_char, c_void};

    static LAST: Mutex<VecDeque<String>> = Mutex::new(VecDeque::new());
    const KEPT_LINES: usize = 8;

    pub fn capture(verbose: bool) {
        let callback = if verbose { show } else { keep };
        // SAFETY: the callback is a plain function that lives as long as the program, and reads
        // only the text it is given, for as long as the call lasts.
        unsafe { llama_cpp_sys_2::llama_log_set(Some(callback), std::ptr::null_mut()) };
    }

    /// The last errors, or that there were none.
    pub fn last_error() -> String {
        let lines =
            LAST.lock().map(|lines| lines.iter().cloned().collect::<Vec<_>>()).unwrap_or_default();
        if lines.is_empty() { "llama.cpp gives no reason".to_owned() } else { lines.join("; ") }
    }

    unsafe extern "C" fn keep(
        level: llama_cpp_sys_2::ggml_log_level,
        text: *const c_char,
        _: *mut c_void,
    ) {
        if level != llama_cpp_sys_2::GGML_LOG_LEVEL_ERROR || text.is_null() {
            return;
        }
        // SAFETY: llama.cpp passes a NUL-terminated string that lives for the call.
        let text = unsafe { CStr::from_ptr(text) }.to_string_lossy().trim().to_owned();
        if let Ok(mut lines) = LAST.lock()
            && !text.is_empty()
        {
            lines.push_back(text);
            while lines.len() > KEPT_LINES {
                lines.pop_front();
            }
        }
    }

    unsafe extern "C" fn show(
        level: llama_cpp_sys_2::ggml_log_level,
        text: *const c_char,
        data: *mut c_void,
    ) {
        if !text.is_null() {
            // SAFETY: as above.
            eprint!("{}", unsafe { CStr::from_ptr(text) }.to_string_lossy());
        }
        // SAFETY: the same arguments.
        unsafe { keep(level, text, data) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::constrain::mask::SlotMatcher;
    use crate::constrain::{Constraint, PickFile, SlotSpec};
    use crate::engine::draft::Sources;
    use crate::engine::generate::tests::RandomLogits;
    use crate::engine::generate::{AnswerOptions, Drafting, generate};
    use crate::engine::pace::Pace;
    use crate::engine::{End, Limits, Sampling};
    use crate::slots::{Operation, Slots};
    use crate::text::Shown;

    const TEXTS: [&str; 9] = [
        "fn main() {\n    println!(\"hello\");\n}\n\n\nfn f(x: &str) -> usize {\n\tx.len() // \\n \\\\ \"q\"\n}",
        "same line\nsame line\nsame line\n  same line",
        "\u{8fd9}\u{662f}\u{4e00}\u{4e2a}\u{6d4b}\u{8bd5}\u{3002} \u{3053}\u{3093}\u{306b}\u{3061}\u{306f} \u{c548}\u{b155}",
        "\u{1f468}\u{200d}\u{1f469}\u{200d}\u{1f467} e\u{301} \u{5e9}\u{5dc}\u{5d5}\u{5dd} \u{10ffff}\u{fffd}",
        "<|im_end|> <s> </s> <end_of_turn> <|eot_id|> [INST] <0x0A> \u{2581}x \u{120}y",
        " leading and trailing ",
        "\n\n\nx\n\n",
        "\u{1b}[0m \u{c} \r \u{7f} \u{b}",
        "0123456789 1e-10 a_b.c::d->e ==== \"}\n{\"old\":\"x\"}",
    ];

    fn specs(text: &str) -> Vec<(Option<Operation>, SlotSpec)> {
        let shown = Shown::whole(text);
        let files = ["src/main.rs", "\u{e9}t\u{e9} \"q\".py", "a"].map(|path| PickFile {
            path: path.to_owned(),
            operations: Operation::ALL[..3].to_vec(),
        });
        vec![
            (None, SlotSpec::Pick { files: files.to_vec(), may_create: true }),
            (Some(Operation::Replace), SlotSpec::Replace { shown: shown.clone(), blocks: true }),
            (Some(Operation::ReplaceAll), SlotSpec::ReplaceAll { shown: shown.clone() }),
            (Some(Operation::Insert), SlotSpec::Insert { shown }),
            (
                Some(Operation::Create),
                SlotSpec::Create { existing: vec!["src/main.rs".to_owned()] },
            ),
        ]
    }

    /// Real vocabularies, where the folder with them is at hand.
    fn real_models() -> Vec<(String, LlamaModel)> {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/vocabs");
        let Ok(entries) = std::fs::read_dir(&folder) else {
            println!("skipped: there is no folder of vocabularies beside the project");
            return Vec::new();
        };
        log::capture(false);
        // It may be initialised once, and a test that is done must not end it for another.
        static BACKEND: std::sync::OnceLock<LlamaBackend> = std::sync::OnceLock::new();
        let backend = BACKEND.get_or_init(|| LlamaBackend::init().unwrap());
        let mut paths: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
        paths.sort();
        let load = |path: &std::path::PathBuf| {
            let params = LlamaModelParams::default().with_vocab_only(true);
            let name = path.file_stem().unwrap().to_string_lossy().into_owned();
            (name, LlamaModel::load_from_file(backend, path, &params).unwrap())
        };
        paths.iter().map(load).collect()
    }

    /// No text becomes a control token of its vocabulary, whatever of its markup it spells; and
    /// markup is spelled as it is written, blanks and all.
    #[test]
    fn real_vocabularies_keep_text_and_markup_apart() {
        for (name, model) in real_models() {
            let (trie, markup) = (vocabulary(&model).unwrap(), markup(&model));
            let vocabulary = Vocabulary { model: &model, trie: &trie, markup: &markup };
            let vocab = model.vocab();
            let piece = |token: LlamaToken| vocab.token_to_piece(token, true, None);
            let is_control = |token: LlamaToken| {
                let attributes = vocab.attr(token);
                attributes.contains(LlamaTokenAttr::Control)
                    || vocab.is_eog(token)
                    || markup.contains(&piece(token))
            };
            let controls: std::collections::HashSet<TokenId> = vocab
                .tokens()
                .filter(|&token| is_control(token))
                .map(|token| token.0 as TokenId)
                .collect();
            for &control in &controls {
                let spelled = String::from_utf8(piece(LlamaToken(control as i32))).unwrap();
                for text in
                    [spelled.clone(), format!("x{spelled}y"), format!("\n {spelled}{spelled}\n")]
                {
                    let tokens = vocabulary.tokenize(text.as_bytes());
                    assert!(
                        !tokens.iter().any(|token| controls.contains(token)),
                        "{name}: {text:?}"
                    );
                    if vocabulary.spell(&trie.greedy_tokenize(text.as_bytes())) == text.as_bytes() {
                        assert_eq!(
                            String::from_utf8_lossy(&vocabulary.spell(&tokens)),
                            text,
                            "{name}"
                        );
                    }
                }
            }
            let prompt = [
                Part::Control("[A]\n".to_owned()),
                Part::Text("text".to_owned()),
                Part::Control("[B]".to_owned()),
                Part::Text(" more".to_owned()),
                Part::Control("\n[C]".to_owned()),
            ];
            let spelled: Vec<u8> = vocabulary
                .prompt(&prompt)
                .iter()
                .flat_map(|&t| piece(LlamaToken(t as i32)))
                .collect();
            let spelled = String::from_utf8(spelled).unwrap();
            assert!(spelled.ends_with("[A]\ntext[B] more\n[C]"), "{name}: {spelled:?}");
            println!("{name}: {} control tokens, none of them read in text", controls.len());
        }
    }

    /// The vocabularies of real models, where the folder with them is at hand: text is spelled in
    /// their tokens without a byte changed, and whatever they sample is an answer or cut off.
    #[test]
    fn real_vocabularies() {
        let limits = Limits { answer_tokens: 80 };
        let options =
            AnswerOptions { limits, sampling: Sampling::Greedy, given: None, branches: 0 };
        for (name, model) in real_models() {
            let trie = vocabulary(&model).unwrap();
            let markup = markup(&model);
            let vocabulary = Vocabulary { model: &model, trie: &trie, markup: &markup };
            let (mut n_complete, mut n_cut, mut n_forced, mut n_sampled) = (0, 0, 0, 0);
            for (seed, text) in (1..).zip(TEXTS) {
                // Some vocabularies have no token for some byte: no answer can have it then, and
                // that is all.
                if vocabulary.spell(&trie.greedy_tokenize(text.as_bytes())) == text.as_bytes() {
                    let spelled = vocabulary.spell(&vocabulary.tokenize(text.as_bytes()));
                    assert_eq!(String::from_utf8_lossy(&spelled), text, "{name}");
                }
                for (operation, spec) in specs(text) {
                    let constraint = Constraint::new(&spec);
                    let write = |drafting: Drafting| {
                        let mut decoder = RandomLogits::new(trie.vocab_size(), seed);
                        let mut matcher = SlotMatcher::new(&constraint, &trie);
                        generate(
                            &mut decoder,
                            &vocabulary,
                            &mut matcher,
                            &[0],
                            options,
                            drafting,
                            &mut |_| {},
                        )
                        .unwrap()
                    };
                    let generated = write(None);
                    let drafted = write(Some((
                        &Sources::new(&spec, &[text.to_owned()]),
                        &mut Pace::default(),
                    )));
                    assert_eq!(drafted.bytes, generated.bytes, "{name}: a draft changes nothing");
                    n_forced += generated.stats.forced_tokens;
                    n_sampled += generated.stats.sampled_tokens;
                    if generated.end != End::Complete {
                        n_cut += 1;
                        continue;
                    }
                    n_complete += 1;
                    let answer = String::from_utf8(generated.bytes).unwrap();
                    assert!(constraint.accepts(answer.as_bytes()), "{name}: {answer}");
                    if let Some(operation) = operation {
                        Slots::parse(operation, &answer).unwrap();
                    }
                }
            }
            println!(
                "{name}: {n_complete} complete, {n_cut} cut off; {n_forced} tokens forced, {n_sampled} sampled"
            );
            assert!(n_complete > 0 && n_forced > 0);
            let compiler = SchemaCompiler::new(&trie).unwrap();
            let schema = schemars::schema_for!(Vec<Operation>).to_value();
            let mut n_complete = 0;
            for seed in 1..5 {
                let mut matcher = compiler.compile(&schema).unwrap();
                let mut decoder = RandomLogits::new(trie.vocab_size(), seed);
                let generated = generate(
                    &mut decoder,
                    &vocabulary,
                    &mut matcher,
                    &[0],
                    options,
                    None,
                    &mut |_| {},
                )
                .unwrap();
                if generated.end == End::Complete {
                    serde_json::from_slice::<Vec<Operation>>(&generated.bytes).unwrap();
                    n_complete += 1;
                }
            }
            assert!(n_complete > 0, "{name}: no answer to a schema came to an end");
        }
    }
}
