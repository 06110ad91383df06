//! A context of llama.cpp: the tokens that it has read, and the logits after them.

use super::loaded_model::{LoadedAdapter, LoadedModel};
use super::log;
use super::placement::BATCH_TOKENS;
use super::snapshots::{Memory, Snapshot, Snapshots};
use crate::constrain::mask::TokenId;
use crate::engine::error::EngineError;
use crate::engine::generate::Decoder;
use crate::engine::memory;
use crate::engine::prefix_cache::{PrefixCache, n_same};
use llama_cpp_2::context::LlamaContext;
use llama_cpp_2::context::params::LlamaContextParams;
use llama_cpp_2::context::session::LlamaStateSeqFlags;
use llama_cpp_2::llama_batch::LlamaBatch;
use llama_cpp_2::token::LlamaToken;
use std::num::NonZeroU32;
use std::rc::Rc;
use tracing::debug;

/// A context's size is a multiple of this many tokens, so that the next request more often fits the
/// same context.
const CONTEXT_STEP: usize = 256;

/// The number of sequences in a context, one for each kind of question. So no prompt is read again
/// because of another: see [`Sequence`].
const SEQUENCES: usize = 3;

/// The sequence of a request: one for each stage, and one for the questions to the base model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sequence {
    Pick,
    Fill,
    Base,
}

impl Sequence {
    /// All sequences, in the order of the stages.
    pub const ALL: [Sequence; SEQUENCES] = [Sequence::Pick, Sequence::Fill, Sequence::Base];
}

/// The last prompt of a sequence.
#[derive(Clone, Copy, Debug, Default)]
pub struct KeptPrompt {
    /// Its tokens.
    pub n_tokens: usize,
    /// How many of the first are the same in every prompt.
    pub n_fixed: usize,
    /// How many of the first are the same in every prompt that shows this file; at least `n_fixed`.
    pub n_file: usize,
}

/// A context and the tokens that it has read.
pub struct LlamaDecoder<'m> {
    context: LlamaContext<'m>,
    /// The tokens that all sequences together have room for.
    n_ctx: usize,
    /// The most tokens of one sequence.
    n_ctx_train: usize,
    memory: Memory,
    adapter: Option<&'m LoadedAdapter>,
    /// Whether the adapter is switched on.
    is_adapted: bool,
    prefixes: Option<&'m PrefixCache>,
    sequences: [Vec<TokenId>; SEQUENCES],
    snapshots: [Snapshots; SEQUENCES],
    /// Where the active sequence gets snapshots as it grows, in ascending order.
    marks: Vec<usize>,
    active: usize,
    /// For each wanted logit: the index of its token in the last batch.
    rows: Vec<i32>,
}

impl<'m> LlamaDecoder<'m> {
    /// An empty context. `n_tokens` is the room of all its sequences together.
    pub fn new(model: &'m LoadedModel, n_tokens: usize) -> Result<LlamaDecoder<'m>, EngineError> {
        let n_ctx_train = model.model.n_ctx_train() as usize;
        let n_ctx = n_tokens
            .next_multiple_of(CONTEXT_STEP)
            .min(SEQUENCES * n_ctx_train);
        if model.check_memory {
            let sizes = model.sizes;
            memory::check(
                sizes.needed(n_ctx as u64, BATCH_TOKENS as u64),
                sizes.weights,
            )?;
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
            .map_err(|_| compute_error(log::last_error()))?;
        debug!(n_ctx, "made a context");

        Ok(LlamaDecoder {
            context,
            n_ctx,
            n_ctx_train,
            memory: model.memory,
            adapter: model.adapter.as_ref(),
            is_adapted: false,
            prefixes: model.prefixes.as_ref(),
            sequences: Default::default(),
            snapshots: Default::default(),
            marks: Vec::new(),
            active: 0,
            rows: Vec::new(),
        })
    }

    /// Makes room for `n_tokens` in the sequence of one stage, and makes that sequence active.
    /// Tokens read before are kept while there is room for them. Otherwise the other sequences are
    /// emptied. Later prompts can go on from any end of `kept`, whatever the model's memory is.
    pub fn prepare(
        self,
        model: &'m LoadedModel,
        sequence: Sequence,
        n_tokens: usize,
        kept: KeptPrompt,
    ) -> Result<LlamaDecoder<'m>, EngineError> {
        let active = sequence as usize;
        let n_others = self.n_read() - self.sequences[active].len();
        let mut decoder = if n_tokens + n_others <= self.n_ctx {
            self
        } else {
            self.enlarged(model, active, n_tokens, n_others)?
        };
        decoder.active = active;
        // The last token is always computed, since its logits are needed.
        decoder.marks = vec![kept.n_fixed, kept.n_file, kept.n_tokens.saturating_sub(1)];
        decoder.switch_adapter(sequence != Sequence::Base)?;
        Ok(decoder)
    }

    /// A larger context with the same tokens; this one without the other sequences if there is no
    /// memory for a larger one.
    fn enlarged(
        mut self,
        model: &'m LoadedModel,
        active: usize,
        n_tokens: usize,
        n_others: usize,
    ) -> Result<LlamaDecoder<'m>, EngineError> {
        match LlamaDecoder::new(model, n_tokens + n_others) {
            Ok(mut larger) => {
                larger.take_over(&self);
                Ok(larger)
            }
            Err(_) if n_tokens <= self.n_ctx => {
                for i in (0..SEQUENCES).filter(|&i| i != active) {
                    self.clear(i);
                }
                Ok(self)
            }
            Err(error) => Err(error),
        }
    }

    /// The tokens of all sequences together.
    fn n_read(&self) -> usize {
        self.sequences.iter().map(Vec::len).sum()
    }

    /// Switches the adapter on or off for what is computed next.
    fn switch_adapter(&mut self, is_wanted: bool) -> Result<(), EngineError> {
        let Some(adapter) = self.adapter.filter(|_| self.is_adapted != is_wanted) else {
            return Ok(());
        };
        let mut weights = adapter.weights.borrow_mut();
        if is_wanted {
            self.context
                .lora_adapter_set(&mut weights, 1.0)
                .map_err(compute_error)?;
        } else {
            self.context
                .lora_adapter_remove(&mut weights)
                .map_err(compute_error)?;
        }
        self.is_adapted = is_wanted;
        Ok(())
    }

    /// Whether the states of a sequence are those of other weights than the active one's.
    fn has_other_weights(&self, i: usize) -> bool {
        const BASE: usize = Sequence::Base as usize;
        self.adapter.is_some() && (i == BASE) != (self.active == BASE)
    }

    /// The states that processes keep, for the active sequence: they are of the adapted weights.
    fn kept_prefixes(&self) -> Option<&'m PrefixCache> {
        let is_usual = !self.has_other_weights(Sequence::Pick as usize);
        self.prefixes.filter(|_| is_usual)
    }

    /// Copies the sequences of another context.
    fn take_over(&mut self, other: &LlamaDecoder) {
        for i in 0..SEQUENCES {
            let id = i as i32;
            let copied = other
                .context
                .state_seq_get(id, LlamaStateSeqFlags::empty())
                .map(|state| self.context.state_seq_set(&state, id));
            match copied {
                Ok(Ok(())) => {
                    self.sequences[i].clone_from(&other.sequences[i]);
                    self.snapshots[i].clone_from(&other.snapshots[i]);
                }
                _ => self.clear(i), // it will be read again
            }
        }
    }

    /// Keeps the state of a sequence at the end of its prompt, for later processes. Where only a
    /// whole state is of use, those of what later prompts begin with.
    pub fn keep(&mut self, sequence: Sequence, prompt: KeptPrompt) {
        self.active = sequence as usize;
        match self.memory {
            Memory::Cut => self.keep_first(prompt.n_tokens, prompt.n_fixed),
            Memory::Window(_) | Memory::Recurrent => {
                for n_tokens in [prompt.n_file, prompt.n_fixed] {
                    self.keep_first(n_tokens, prompt.n_fixed);
                }
            }
        }
    }

    /// Keeps the state of the active sequence after its first tokens.
    fn keep_first(&mut self, n_tokens: usize, n_fixed: usize) {
        let tokens = &self.sequences[self.active];
        let Some(prefixes) = self
            .kept_prefixes()
            .filter(|it| n_tokens <= tokens.len() && it.wants(&tokens[..n_tokens]))
        else {
            return;
        };
        if !self.cut(n_tokens) {
            return;
        }
        let id = self.active as i32;
        let flags = LlamaStateSeqFlags::empty();
        let mut state = vec![0; self.context.state_seq_get_size_ext(id, flags)];
        #[allow(unsafe_code)]
        // SAFETY: the buffer has the size that llama.cpp asked for.
        let n_bytes = unsafe {
            self.context
                .state_seq_get_data_ext(state.as_mut_ptr(), id, flags)
        };
        if n_bytes == state.len() {
            // A full disk only makes the next process slower.
            let kept = prefixes.keep(&self.sequences[self.active], n_fixed, &state);
            let is_kept = kept.is_ok();
            debug!(n_tokens, is_kept, "keep a prompt on disk");
        }
    }

    /// Loads the state that an earlier process kept into the active sequence, if it has more of the
    /// prompt than the sequence.
    fn load(&mut self, prompt: &[TokenId], n_read: usize) {
        let Some(prefixes) = self.kept_prefixes() else {
            return;
        };
        let Some(entry) = prefixes.best(prompt, n_read) else {
            debug!(n_prompt = prompt.len(), n_read, "prefix cache: miss");
            return;
        };
        let tokens = entry.tokens.clone();
        let Some(state) = prefixes.load(entry) else {
            debug!("prefix cache: a damaged entry was removed");
            return;
        };
        debug!(
            n_prompt = prompt.len(),
            n_read,
            n_kept = n_same(&tokens, prompt),
            "prefix cache: hit"
        );

        self.clear(self.active);
        #[allow(unsafe_code)]
        // SAFETY: the checksum shows that llama.cpp wrote these bytes, with this model and this
        // version.
        let is_set = unsafe {
            self.context.state_seq_set_data_ext(
                &state,
                self.active as i32,
                LlamaStateSeqFlags::empty(),
            )
        };
        if is_set {
            self.sequences[self.active] = tokens;
            self.take_snapshot();
        } else {
            self.clear(self.active);
        }
    }

    /// The next place for a snapshot after `n_past` tokens.
    fn next_mark(&self, n_past: usize) -> Option<usize> {
        let is_needed = self.memory != Memory::Cut;
        let mut marks = self.marks.iter().copied().filter(|_| is_needed);
        marks.find(|&mark| mark > n_past)
    }

    fn clear(&mut self, i: usize) {
        // Removing a whole sequence never fails.
        let _ = self.context.kv_cache_seq_rm(i as i32, None, None);
        self.sequences[i].clear();
        self.snapshots[i].truncate(0);
    }

    /// Copies what the active sequence could not go back to otherwise.
    fn take_snapshot(&mut self) {
        let n_tokens = self.sequences[self.active].len();
        let is_new = self.snapshots[self.active]
            .longest(n_tokens)
            .is_none_or(|it| it.n_tokens < n_tokens);
        if self.memory != Memory::Cut && is_new {
            let id = self.active as i32;
            let state = self
                .context
                .state_seq_get(id, LlamaStateSeqFlags::PARTIAL_ONLY);
            if let Ok(state) = state {
                let state = Rc::new(state);
                self.snapshots[self.active].push(Snapshot { n_tokens, state });
            }
        }
    }

    /// Whether a sequence has all that its first tokens need, without those after them.
    fn can_drop_after(&self, i: usize, n_tokens: usize) -> bool {
        match self.memory {
            Memory::Cut => true,
            Memory::Window(n_seen) => {
                let n_dropped = self.context.kv_cache_seq_pos_min(i as i32).max(0) as usize;
                n_dropped == 0 || n_dropped + n_seen <= n_tokens
            }
            Memory::Recurrent => n_tokens == self.sequences[i].len(),
        }
    }

    /// How many tokens of a prompt a sequence has and can go back to.
    fn n_reachable(&self, i: usize, prompt: &[TokenId]) -> usize {
        let n_same = n_same(&self.sequences[i], prompt);
        if self.can_drop_after(i, n_same) {
            return n_same;
        }
        let snapshot = self.snapshots[i].longest(n_same);
        snapshot.map_or(0, |it| it.n_tokens)
    }

    /// Shortens the active sequence to its first tokens. False if that is impossible; then the
    /// sequence is empty.
    fn cut(&mut self, n_kept: usize) -> bool {
        if n_kept >= self.sequences[self.active].len() {
            return true;
        }
        let must_restore = !self.can_drop_after(self.active, n_kept);
        if n_kept > 0 && self.go_back(n_kept, must_restore) {
            self.sequences[self.active].truncate(n_kept);
            self.snapshots[self.active].truncate(n_kept);
            return true;
        }
        self.clear(self.active);
        n_kept == 0
    }

    /// Brings llama.cpp's memory of the active sequence back to its first tokens, by a snapshot if it
    /// must.
    fn go_back(&mut self, n_kept: usize, must_restore: bool) -> bool {
        let id = self.active as i32;
        if must_restore {
            let snapshot = self.snapshots[self.active].longest(n_kept).cloned();
            let Some(snapshot) = snapshot.filter(|it| it.n_tokens == n_kept) else {
                return false;
            };
            if self.context.state_seq_set(&snapshot.state, id).is_err() {
                return false;
            }
        }
        let removed = self.context.kv_cache_seq_rm(id, Some(n_kept as u32), None);
        removed.is_ok() && self.has_all(n_kept)
    }

    /// Whether llama.cpp has exactly the first `n_tokens` tokens of the active sequence.
    fn has_all(&self, n_tokens: usize) -> bool {
        let id = self.active as i32;
        // A recurrent state has the last position alone, and a window the last few.
        let begins = self.memory != Memory::Cut || self.context.kv_cache_seq_pos_min(id) == 0;
        begins && self.context.kv_cache_seq_pos_max(id) + 1 == n_tokens as i32
    }

    /// Gives the active sequence the other one's beginning of this prompt, if that is longer. So a
    /// file shown in stage 1 is not read again. Nothing is copied but snapshots; both sequences share
    /// the same cells.
    fn share(&mut self, prompt: &[TokenId]) {
        let n_own = self.n_reachable(self.active, prompt);
        let others = (0..SEQUENCES)
            .filter(|&i| i != self.active)
            .filter(|&i| !self.has_other_weights(i))
            .map(|i| (self.n_reachable(i, prompt), i));
        let Some((n_shared, other)) = others.max().filter(|(n, _)| *n > n_own) else {
            return;
        };
        self.clear(self.active);
        let is_copied = self
            .context
            .copy_kv_cache_seq(
                other as i32,
                self.active as i32,
                Some(0),
                Some(n_shared as u32),
            )
            .is_ok();
        // A recurrent state is copied as it is now, whatever the range.
        self.snapshots[self.active] = self.snapshots[other].clone();
        let must_restore = !self.can_drop_after(other, n_shared);
        if is_copied && self.go_back(n_shared, must_restore) {
            self.sequences[self.active] = prompt[..n_shared].to_vec();
            self.snapshots[self.active].truncate(n_shared);
        } else {
            self.clear(self.active);
        }
    }
}

impl Decoder for LlamaDecoder<'_> {
    type Error = String;

    fn begin(&mut self, prompt: &[TokenId]) -> usize {
        let reusable = &prompt[..prompt.len().saturating_sub(1)];
        self.share(reusable);
        self.load(reusable, self.n_reachable(self.active, reusable));
        self.cut(self.n_reachable(self.active, reusable));
        self.sequences[self.active].len()
    }

    fn room(&self) -> usize {
        let in_sequence = self
            .n_ctx_train
            .saturating_sub(self.sequences[self.active].len());
        self.n_ctx.saturating_sub(self.n_read()).min(in_sequence)
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
            // llama.cpp only has the logits of the last batch.
            if end < tokens.len()
                && let Some(&first) = wanted.first()
                && (start + 1..end).contains(&first)
            {
                end = first;
            }

            let n_past = self.sequences[self.active].len();
            if let Some(mark) = self.next_mark(n_past) {
                end = end.min(start + (mark - n_past));
            }
            batch.clear();
            for (i, &token) in tokens[start..end].iter().enumerate() {
                let wants_logits = wanted.binary_search(&(start + i)).is_ok();
                let position = (n_past + i) as i32;
                let sequences = [self.active as i32];
                batch
                    .add(LlamaToken(token as i32), position, &sequences, wants_logits)
                    .map_err(|error| error.to_string())?;
            }
            if let Err(error) = self.context.decode(&mut batch) {
                self.clear(self.active); // it may have computed a part
                return Err(format!("{error}; {}", log::last_error()));
            }
            // A graphics card computes in the background. Wait for it, since the batch is timed.
            self.context.synchronize();

            self.sequences[self.active].extend(&tokens[start..end]);
            if self.marks.contains(&(n_past + (end - start))) {
                self.take_snapshot();
            }
            self.rows = wanted
                .iter()
                .filter(|&&i| i >= start)
                .map(|&i| (i - start) as i32)
                .collect();
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
        self.memory != Memory::Recurrent
    }
}

fn compute_error(reason: impl ToString) -> EngineError {
    EngineError::Compute {
        reason: reason.to_string(),
    }
}
