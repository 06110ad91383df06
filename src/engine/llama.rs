//! llama.cpp in this process: only ever in the child.

use super::generate::Decoder;
use super::protocol::Load;
use super::{ModelInfo, Part, Progress};
use crate::constrain::mask::{TokenId, Tokenize};
use llama_cpp_2::context::LlamaContext;
use llama_cpp_2::context::params::LlamaContextParams;
use llama_cpp_2::llama_backend::LlamaBackend;
use llama_cpp_2::llama_batch::LlamaBatch;
use llama_cpp_2::model::LlamaModel;
use llama_cpp_2::model::params::LlamaModelParams;
use llama_cpp_2::token::LlamaToken;
use llama_cpp_2::token_type::LlamaTokenAttr;
use std::collections::VecDeque;
use std::ffi::{CStr, c_char, c_void};
use std::num::NonZeroU32;
use std::sync::Mutex;
use toktrie::{TokRxInfo, TokTrie};

/// Tokens computed in one call at most: more aborts the process.
const BATCH_TOKENS: usize = 512;

/// A context grows in steps of this many tokens, so that the next request fits the same one more often.
const CONTEXT_STEP: usize = 256;

/// Longer tokens than this (GLM has one of 1,024 blanks) are left out: the trie has no room for them.
const MAX_TOKEN_BYTES: usize = 1_000;

/// A loaded model with its vocabulary.
pub(super) struct Model {
    backend: LlamaBackend,
    model: LlamaModel,
    threads: i32,
    trie: TokTrie,
}

impl Model {
    /// Loads a GGUF file.
    pub fn load(load: &Load, progress: impl Fn(Progress) + 'static) -> Result<Model, String> {
        log::capture(load.verbose);
        let backend = LlamaBackend::init().map_err(|error| error.to_string())?;
        let params = LlamaModelParams::default().with_progress_callback(move |fraction| {
            progress(Progress::Loading(fraction));
            true
        });
        // llama.cpp says why only in its log.
        let model = LlamaModel::load_from_file(&backend, &load.model, &params).map_err(|_| log::last_error())?;
        let trie = vocabulary(&model)?;
        let threads = i32::try_from(load.threads).unwrap_or(i32::MAX);
        Ok(Model { backend, model, threads, trie })
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
        }
    }

    pub fn trie(&self) -> &TokTrie {
        &self.trie
    }

    /// A prompt as tokens: markup with its control tokens, text without any, and the model's first token in
    /// front if it wants one and the markup has not written it.
    pub fn prompt_tokens(&self, prompt: &[Part]) -> Vec<TokenId> {
        let vocab = self.model.vocab();
        let mut tokens = Vec::new();
        for part in prompt {
            match part {
                Part::Control(text) if text.is_empty() => {}
                Part::Control(text) => tokens.extend(vocab.tokenize(text.as_bytes(), false, true).iter().map(|t| t.0 as TokenId)),
                Part::Text(text) => tokens.extend(self.tokenize(text.as_bytes())),
            }
        }
        let bos = vocab.bos().0;
        if vocab.should_add_bos() && bos >= 0 && tokens.first() != Some(&(bos as TokenId)) {
            tokens.insert(0, bos as TokenId);
        }
        tokens
    }

    /// The longest prompt that leaves room for an answer.
    pub fn max_prompt_tokens(&self, answer_tokens: usize) -> usize {
        (self.model.n_ctx_train() as usize).saturating_sub(answer_tokens)
    }

    /// An empty context with room for so many tokens.
    pub fn context(&self, n_tokens: usize) -> Result<LlamaDecoder<'_>, String> {
        let n_ctx = n_tokens.next_multiple_of(CONTEXT_STEP).min(self.model.n_ctx_train() as usize);
        let params = LlamaContextParams::default()
            .with_n_ctx(NonZeroU32::new(n_ctx as u32))
            .with_n_batch(BATCH_TOKENS as u32)
            .with_n_ubatch(BATCH_TOKENS as u32)
            .with_n_threads(self.threads)
            .with_n_threads_batch(self.threads);
        let context = self.model.new_context(&self.backend, params).map_err(|_| log::last_error())?;
        Ok(LlamaDecoder { context, n_past: 0, n_ctx })
    }

    fn plain(&self, text: &str) -> Vec<TokenId> {
        if text.is_empty() {
            return Vec::new();
        }
        self.model.vocab().tokenize(text.as_bytes(), false, false).iter().map(|t| t.0 as TokenId).collect()
    }

    fn spell(&self, tokens: &[TokenId]) -> Vec<u8> {
        tokens.iter().flat_map(|&t| self.trie.token(t).iter().copied()).collect()
    }
}

impl Tokenize for Model {
    fn tokenize(&self, text: &[u8]) -> Vec<TokenId> {
        let tokens = self.trie.tokenize_with_greedy_fallback(text, |text| self.plain(text));
        if self.spell(&tokens) == text {
            return tokens;
        }
        // SentencePiece models put a blank before any text. Behind a line feed there is none to put.
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

/// The vocabulary by the bytes that each token writes. Tokens that write no text are left out: control
/// tokens, the unknown one, unused ones.
fn vocabulary(model: &LlamaModel) -> Result<TokTrie, String> {
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
    let pieces: Vec<Vec<u8>> = vocab
        .tokens()
        .map(|token| if writes_text(token) { vocab.token_to_piece(token, false, None) } else { Vec::new() })
        .map(|piece| if piece.len() > MAX_TOKEN_BYTES { Vec::new() } else { piece })
        .collect();
    Ok(TokTrie::from(&TokRxInfo::new(n_tokens, 0), &pieces))
}

/// A context and how much of it is used.
pub(super) struct LlamaDecoder<'m> {
    context: LlamaContext<'m>,
    n_past: usize,
    n_ctx: usize,
}

impl LlamaDecoder<'_> {
    /// Whether so many tokens fit.
    pub fn has_room_for(&self, n_tokens: usize) -> bool {
        n_tokens <= self.n_ctx
    }

    /// Forgets all.
    pub fn clear(&mut self) {
        self.context.clear_kv_cache();
        self.n_past = 0;
    }
}

impl Decoder for LlamaDecoder<'_> {
    type Error = String;

    fn decode(&mut self, tokens: &[TokenId], progress: &mut dyn FnMut(usize)) -> Result<&[f32], String> {
        let mut batch = LlamaBatch::new(BATCH_TOKENS, 1);
        let mut n_done = 0;
        let mut last = 0;
        for chunk in tokens.chunks(BATCH_TOKENS) {
            batch.clear();
            for (i, &token) in chunk.iter().enumerate() {
                let wants_logits = n_done + i + 1 == tokens.len();
                let position = (self.n_past + i) as i32;
                batch.add(LlamaToken(token as i32), position, &[0], wants_logits).map_err(|e| e.to_string())?;
            }
            self.context.decode(&mut batch).map_err(|error| format!("{error}; {}", log::last_error()))?;
            self.n_past += chunk.len();
            n_done += chunk.len();
            last = chunk.len() - 1;
            progress(n_done);
        }
        Ok(self.context.get_logits_ith(last as i32))
    }
}

mod log {
    //! llama.cpp's log: kept to say why something failed, shown only if the person asks for it.
    #![allow(unsafe_code)]

    use super::{CStr, Mutex, VecDeque, c_char, c_void};

    static LAST: Mutex<VecDeque<String>> = Mutex::new(VecDeque::new());
    const KEPT_LINES: usize = 8;

    pub fn capture(verbose: bool) {
        let callback = if verbose { show } else { keep };
        // SAFETY: the callback is a plain function that lives as long as the program, and reads only the
        // text it is given, for as long as the call lasts.
        unsafe { llama_cpp_sys_2::llama_log_set(Some(callback), std::ptr::null_mut()) };
    }

    /// The last errors, or that there were none.
    pub fn last_error() -> String {
        let lines = LAST.lock().map(|lines| lines.iter().cloned().collect::<Vec<_>>()).unwrap_or_default();
        if lines.is_empty() { "llama.cpp gives no reason".to_owned() } else { lines.join("; ") }
    }

    unsafe extern "C" fn keep(level: llama_cpp_sys_2::ggml_log_level, text: *const c_char, _: *mut c_void) {
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

    unsafe extern "C" fn show(level: llama_cpp_sys_2::ggml_log_level, text: *const c_char, data: *mut c_void) {
        if !text.is_null() {
            // SAFETY: as above.
            eprint!("{}", unsafe { CStr::from_ptr(text) }.to_string_lossy());
        }
        // SAFETY: the same arguments.
        unsafe { keep(level, text, data) };
    }
}
