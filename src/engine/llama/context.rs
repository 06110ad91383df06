//! A context of llama.cpp: what it has read, and the logits after it.

use super::loaded_model::LoadedModel;
use super::log;
use crate::constrain::mask::TokenId;
use crate::engine::generate::Decoder;
use crate::engine::memory;
use crate::engine::prefix_cache::{PrefixCache, n_same};
use crate::engine::protocol::ChildFailure;
use llama_cpp_2::context::LlamaContext;
use llama_cpp_2::context::params::LlamaContextParams;
use llama_cpp_2::context::session::LlamaStateSeqFlags;
use llama_cpp_2::llama_batch::LlamaBatch;
use llama_cpp_2::token::LlamaToken;
use std::num::NonZeroU32;

/// Tokens computed in one call at most: more aborts the process.
const BATCH_TOKENS: usize = 512;

/// A context grows in steps of this many tokens, so that the next request fits the same one more
/// often.
const CONTEXT_STEP: usize = 256;

/// What a context keeps side by side, so that neither is read again for the other: see
/// [`Sequence`].
const SEQUENCES: usize = 2;

/// Which of its sequences a question goes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sequence {
    Pick,
    Fill,
}

/// A context and what it has read.
pub struct LlamaDecoder<'m> {
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
    /// An empty context with room for a number of tokens, of all its sequences together.
    pub fn new(model: &'m LoadedModel, n_tokens: usize) -> Result<LlamaDecoder<'m>, ChildFailure> {
        let n_ctx_train = model.model.n_ctx_train() as usize;
        let n_ctx = n_tokens.next_multiple_of(CONTEXT_STEP).min(SEQUENCES * n_ctx_train);
        if model.check_memory {
            let sizes = model.sizes();
            memory::check(sizes.needed(n_ctx as u64, BATCH_TOKENS as u64), sizes.weights)?;
        }
        let params = LlamaContextParams::default()
            .with_n_ctx(NonZeroU32::new(n_ctx as u32))
            .with_n_seq_max(SEQUENCES as u32)
            .with_kv_unified(true)
            .with_n_batch(BATCH_TOKENS as u32)
            .with_n_ubatch(BATCH_TOKENS as u32)
            .with_n_threads(model.threads)
            .with_n_threads_batch(model.threads);
        let context = model
            .model
            .new_context(&model.backend, params)
            .map_err(|_| ChildFailure::Compute(log::last_error()))?;
        let can_forget = !model.model.is_recurrent() && !model.model.is_hybrid();
        Ok(LlamaDecoder {
            context,
            n_ctx,
            n_ctx_train,
            can_forget,
            prefixes: model.prefixes.as_ref(),
            sequences: Default::default(),
            active: 0,
            rows: Vec::new(),
        })
    }

    /// Makes room for a number of tokens of one stage, and goes on with that one. What it has read
    /// stays read, as long as there is room for it; else the other stage's goes.
    pub fn prepare(
        self,
        model: &'m LoadedModel,
        sequence: Sequence,
        n_tokens: usize,
    ) -> Result<LlamaDecoder<'m>, ChildFailure> {
        let active = sequence as usize;
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
            match LlamaDecoder::new(model, n_tokens + n_others) {
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
    pub fn keep(&mut self, sequence: Sequence, prompt_tokens: usize) {
        self.active = sequence as usize;
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
    /// sliding window may have lost what the rest depends on. If not, the sequence is empty.
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
    /// file that stage 1 was shown is then not read again. Nothing is copied, both use the
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
            // A graphics card computes in the background, and the batch is timed.
            self.context.synchronize();
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
