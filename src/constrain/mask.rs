//! From bytes to tokens: which tokens of the vocabulary may come next, and which are forced.
//!
//! [`Matcher`] is the interface between a constraint and the code that writes an answer. Slots and
//! schemas each have one: [`SlotMatcher`] forces the slots of an edit and knows the files;
//! [`super::schema::SchemaMatcher`] forces any JSON Schema.
//!
//! `toktrie` walks the vocabulary: one descent through the trie of all tokens, pruned where the
//! constraint refuses a byte. Forced text becomes the tokens that the model would have written. It
//! is tokenized together with the token sampled before it. Its last tokens are left to the model if
//! a longer token could still follow ("token healing", as in guidance).

use super::automaton::{Constraint, ConstraintState};
use crate::slots::Slot;
use std::collections::{HashMap, VecDeque};
use toktrie::{Recognizer, SimpleVob, TokTrie};

/// A token's index in the vocabulary.
pub type TokenId = u32;

/// The longest text forced in one piece, in bytes. It bounds one batch, not the answer.
const MAX_FORCED: usize = 4096;

/// The set of tokens that may come next.
pub type TokenMask = SimpleVob;

/// Tokenizes text as the model's own tokenizer does, without control tokens. The tokens' pieces
/// joined are the text, unless the vocabulary cannot spell it.
pub trait Tokenize {
    /// Tokenizes bytes that need not be valid UTF-8.
    fn tokenize(&self, text: &[u8]) -> Vec<TokenId>;

    /// All tokens that are a prefix of the text. Empty if the vocabulary cannot tell.
    fn beginnings(&self, text: &[u8]) -> Vec<TokenId> {
        let _ = text;
        Vec::new()
    }

    /// The bytes that a token writes; `None` if the vocabulary cannot tell.
    fn spelling(&self, token: TokenId) -> Option<Vec<u8>> {
        let _ = token;
        None
    }
}

/// An unfinished answer: what may come next, what must come next, and what has been written.
///
/// It is driven one token at a time: take what is forced, compute the mask, choose a token that it
/// allows, and consume that token once. After an error the answer cannot be continued.
pub trait Matcher {
    /// Whether the answer is complete. Nothing may follow.
    fn is_complete(&self) -> bool;

    /// The answer so far, as bytes.
    fn answer(&self) -> &[u8];

    /// The slot at the current position, if there is one.
    fn slot(&self) -> Option<Slot>;

    /// The tokens that may come next. It is empty only if the vocabulary has no token for any byte
    /// that may come next.
    fn mask(&mut self) -> Result<&TokenMask, MatchError>;

    /// Appends a token that the mask allows.
    fn consume(&mut self, token: TokenId) -> Result<(), MatchError>;

    /// The answer after a token that the mask allows. `None` if that is the answer so far and what
    /// the token spells.
    fn answer_after(&self, token: TokenId) -> Option<Vec<u8>> {
        let _ = token;
        None
    }

    /// Appends what is forced here and returns its tokens. `last` is the token sampled last, if it
    /// is not computed yet and so may still be replaced.
    fn take_forced(
        &mut self,
        last: Option<TokenId>,
        tokenizer: &dyn Tokenize,
    ) -> Result<Forced, MatchError>;

    /// The choices that would write `text` next, as far as they are allowed, at most `most` of
    /// them. The answer does not change. A matcher that cannot try a choice without taking it
    /// returns none.
    fn draft(&self, text: &[u8], most: usize, tokenizer: &dyn Tokenize) -> Vec<DraftStep> {
        let _ = (text, most, tokenizer);
        Vec::new()
    }
}

/// A token that may be chosen, and the tokens that choosing it would append.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DraftStep {
    /// The token to compare with the model's choice.
    pub choice: TokenId,
    /// That token and the text forced after it, tokenized together.
    pub written: Vec<TokenId>,
}

/// Why a constraint cannot be followed any further. It never happens with slots.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct MatchError(pub String);

/// The matcher for slots: a constraint, a vocabulary, and the answer so far.
pub struct SlotMatcher<'a> {
    constraint: &'a Constraint,
    trie: &'a TokTrie,
    state: ConstraintState,
    answer: Vec<u8>,
    /// The masks between two characters of free text, by segment. Such a mask is the same in the
    /// whole segment, so it is made once.
    free_masks: HashMap<u32, TokenMask>,
    mask: TokenMask,
    quotes: Quotes,
    /// What the last token was taken to mean, if that is not what it spells: see
    /// [`SlotMatcher::escaped_quote`].
    meant: Option<Vec<u8>>,
    /// The state before the quote that was just written, if the model may have forgotten to escape
    /// it: see [`SlotMatcher::may_go_on`].
    reopened: Option<ConstraintState>,
}

/// How a model writes the quotes of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quotes {
    /// It forgets to escape some.
    OftenBare,
    /// A bare quote closes the text, as in JSON. So it is with models that were trained on answers
    /// like these.
    Escaped,
}

/// Tokens that follow without a choice.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Forced {
    /// Whether the token sampled last is dropped: together with the forced text it is tokenized
    /// differently.
    pub replaces_last: bool,
    /// The tokens to append.
    pub tokens: Vec<TokenId>,
}

impl<'a> SlotMatcher<'a> {
    /// A matcher for an empty answer.
    pub fn new(constraint: &'a Constraint, trie: &'a TokTrie) -> SlotMatcher<'a> {
        let state = constraint.start();
        SlotMatcher {
            constraint,
            trie,
            state,
            answer: Vec::new(),
            free_masks: HashMap::new(),
            mask: trie.alloc_token_set(),
            quotes: Quotes::OftenBare,
            meant: None,
            reopened: None,
        }
    }

    /// The same for a model that writes quotes like this; [`Quotes::OftenBare`] without.
    #[must_use]
    pub fn with_quotes(self, quotes: Quotes) -> SlotMatcher<'a> {
        SlotMatcher { quotes, ..self }
    }

    /// What a token means that closes free text with a quote which, in code, would open a string:
    /// `("` or `="`. Models often forget to escape such a quote. Text hardly ever ends like this, so
    /// the quote is taken to be escaped.
    fn escaped_quote(&self, state: ConstraintState, token: TokenId) -> Option<Vec<u8>> {
        let token = self.trie.token(token);
        self.may_go_on(state, token)?;
        opens_string(token).map(|before| [before, br#"\""#].concat())
    }

    /// Where free text goes on if the last quote of this token, which closes it, should have been
    /// escaped: `)"` may end a string in the code. What the model writes next tells: the bracket
    /// after the text, or more text.
    fn may_go_on(&self, state: ConstraintState, token: &[u8]) -> Option<ConstraintState> {
        let text = self.after(state, token.strip_suffix(b"\"")?)?;
        let is_bare = self.quotes == Quotes::OftenBare
            && self.constraint.is_free(text)
            && text.segment == state.segment;
        is_bare.then_some(text)
    }

    fn forced_bytes(&self, mut state: ConstraintState) -> (Vec<u8>, ConstraintState) {
        let mut bytes = Vec::new();
        while bytes.len() < MAX_FORCED
            && let Some(byte) = self.constraint.only_byte(state)
            && let Some(next) = self.constraint.step(state, byte)
        {
            bytes.push(byte);
            state = next;
        }
        (bytes, state)
    }

    /// The tokens forced from a state, and the bytes that they append.
    fn forced(
        &self,
        state: ConstraintState,
        last: Option<TokenId>,
        tokenizer: &dyn Tokenize,
    ) -> (Forced, Vec<u8>) {
        let (mut bytes, end) = self.forced_bytes(state);
        let n_open = |tokens: &[TokenId]| match self.constraint.is_complete(end) {
            true => 0,
            false => self.trie.chop_tokens(&mut Walk::new(self.constraint, end), tokens).0,
        };
        let (forced, n_taken) = spell(&bytes, last, self.trie, tokenizer, n_open);
        bytes.truncate(n_taken);
        (forced, bytes)
    }

    /// The mask between two characters of free text, which is the same in the whole segment.
    fn free_mask(&mut self, state: ConstraintState) -> &TokenMask {
        let (constraint, trie) = (self.constraint, self.trie);
        self.free_masks.entry(state.segment).or_insert_with(|| {
            let mut mask = trie.alloc_token_set();
            trie.add_bias(&mut Walk::new(constraint, state), &mut mask, &[]);
            mask
        })
    }

    fn after(&self, state: ConstraintState, bytes: &[u8]) -> Option<ConstraintState> {
        bytes.iter().try_fold(state, |state, &byte| self.constraint.step(state, byte))
    }

    fn advance(&mut self, bytes: &[u8]) {
        self.state = self.after(self.state, bytes).expect("a token that the mask allows");
        self.answer.extend_from_slice(bytes);
    }
}

/// Escapes the quote that an answer ends with.
fn escape_last_quote(answer: &mut Vec<u8>) {
    answer.pop();
    answer.extend_from_slice(br#"\""#);
}

impl Matcher for SlotMatcher<'_> {
    fn is_complete(&self) -> bool {
        self.constraint.is_complete(self.state)
    }

    fn answer(&self) -> &[u8] {
        &self.answer
    }

    fn slot(&self) -> Option<Slot> {
        self.constraint.slot(self.state)
    }

    fn mask(&mut self) -> Result<&TokenMask, MatchError> {
        if self.constraint.is_free(self.state) {
            return Ok(self.free_mask(self.state));
        }
        let reopened = self.reopened.map(|text| self.free_mask(text).clone());
        self.mask.set_all(false);
        self.trie.add_bias(&mut Walk::new(self.constraint, self.state), &mut self.mask, &[]);
        if let Some(free) = reopened {
            self.mask.or(&free);
        }
        Ok(&self.mask)
    }

    /// # Panics
    /// If the mask does not allow the token.
    fn consume(&mut self, token: TokenId) -> Result<(), MatchError> {
        let bytes = self.trie.token(token);
        if let Some(text) = self.reopened.take()
            && self.after(self.state, bytes).is_none()
        {
            escape_last_quote(&mut self.answer);
            self.state = text;
        }
        self.meant = self.escaped_quote(self.state, token);
        let written = self.meant.clone().unwrap_or_else(|| bytes.to_vec());
        self.reopened = self.may_go_on(self.state, &written);
        self.advance(&written);
        Ok(())
    }

    fn answer_after(&self, token: TokenId) -> Option<Vec<u8>> {
        let bytes = self.trie.token(token);
        let mut answer = self.answer.clone();
        let mut state = self.state;
        if let Some(text) = self.reopened
            && self.after(state, bytes).is_none()
        {
            escape_last_quote(&mut answer);
            state = text;
        }
        answer.extend(self.escaped_quote(state, token).as_deref().unwrap_or(bytes));
        Some(answer)
    }

    fn take_forced(
        &mut self,
        last: Option<TokenId>,
        tokenizer: &dyn Tokenize,
    ) -> Result<Forced, MatchError> {
        if let Some(meant) = self.meant.take() {
            let tokens = tokenizer.tokenize(&meant);
            return Ok(Forced { replaces_last: last.is_some(), tokens });
        }
        if self.reopened.is_some() {
            return Ok(Forced::default());
        }
        let (forced, bytes) = self.forced(self.state, last, tokenizer);
        self.advance(&bytes);
        Ok(forced)
    }

    fn draft(&self, text: &[u8], most: usize, tokenizer: &dyn Tokenize) -> Vec<DraftStep> {
        let mut steps = Vec::new();
        if self.reopened.is_some() {
            return steps;
        }
        let mut state = self.state;
        let mut rest = text;
        let mut tokens = VecDeque::from(tokenizer.tokenize(rest));
        while steps.len() < most
            && let Some(choice) = tokens.pop_front()
        {
            let bytes = self.trie.token(choice);
            let (Some(remaining), Some(after)) =
                (rest.strip_prefix(bytes), self.after(state, bytes))
            else {
                break;
            };
            // A control token, which no mask allows, or one that may be taken to mean another.
            if bytes.is_empty() || self.may_go_on(state, bytes).is_some() {
                break;
            }
            let (forced, bytes) = self.forced(after, Some(choice), tokenizer);
            let kept = (!forced.replaces_last).then_some(choice);
            steps.push(DraftStep {
                choice,
                written: kept.into_iter().chain(forced.tokens).collect(),
            });
            state = self.after(after, &bytes).expect("what is forced is allowed");
            rest = remaining;
            if self.constraint.is_complete(state) {
                break;
            }
            if !bytes.is_empty() {
                let Some(remaining) = rest.strip_prefix(bytes.as_slice()) else { break };
                rest = remaining;
                tokens = tokenizer.tokenize(rest).into();
            }
        }
        steps
    }
}

/// The bytes before a last quote that would open a string in code.
fn opens_string(token: &[u8]) -> Option<&[u8]> {
    let before = token.strip_suffix(b"\"")?;
    before.last().is_some_and(|byte| b"(= ".contains(byte)).then_some(before)
}

/// The tokens of forced text, and how many of its bytes they write. `n_open` returns how many of
/// the last tokens to leave to the model, since a longer token could still come there.
pub(super) fn spell(
    bytes: &[u8],
    last: Option<TokenId>,
    trie: &TokTrie,
    tokenizer: &dyn Tokenize,
    n_open: impl FnOnce(&[TokenId]) -> usize,
) -> (Forced, usize) {
    if bytes.is_empty() {
        return (Forced::default(), 0);
    }
    let last_bytes = last.map_or(Vec::new(), |token| trie.token(token).to_vec());
    let seam = [last_bytes.as_slice(), bytes].concat();
    let mut tokens = tokenizer.tokenize(&seam);
    tokens.truncate(tokens.len() - n_open(&tokens));
    let spelled: Vec<u8> = tokens.iter().flat_map(|&t| trie.token(t).iter().copied()).collect();
    let n_taken = spelled.len().saturating_sub(last_bytes.len());
    // Either no token beyond `last` is certain yet, or the vocabulary cannot spell the text.
    if n_taken == 0 || !seam.starts_with(&spelled) {
        return (Forced::default(), 0);
    }
    let replaces_last = last.is_some() && tokens.first().copied() != last;
    if last.is_some() && !replaces_last {
        tokens.remove(0);
    }
    (Forced { replaces_last, tokens }, n_taken)
}

/// The constraint as toktrie's walk needs it: a stack with one state for each byte of the token
/// being tried.
struct Walk<'a> {
    constraint: &'a Constraint,
    stack: Vec<ConstraintState>,
}

impl<'a> Walk<'a> {
    fn new(constraint: &'a Constraint, state: ConstraintState) -> Walk<'a> {
        let mut stack = Vec::with_capacity(64);
        stack.push(state);
        Walk { constraint, stack }
    }
}

impl Recognizer for Walk<'_> {
    fn pop_bytes(&mut self, num: usize) {
        self.stack.truncate(self.stack.len() - num);
    }

    fn collapse(&mut self) {
        let top = self.stack.len() - 1;
        self.stack.drain(..top);
    }

    fn trie_finished(&mut self) {
        self.stack.truncate(1);
    }

    #[inline]
    fn try_push_byte(&mut self, byte: u8) -> bool {
        let next = self.constraint.step(self.stack[self.stack.len() - 1], byte);
        next.is_some_and(|state| {
            self.stack.push(state);
            true
        })
    }
}
