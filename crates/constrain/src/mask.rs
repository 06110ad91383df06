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
pub use super::reading::Spelling;
use super::reading::{self, Point, Reading, Walk, Way};
use crate::slots::Slot;
use std::collections::{HashMap, VecDeque};
use toktrie::{SimpleVob, TokTrie};

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

    /// The answer so far, with the indentation that the model left out.
    fn in_full(&self) -> Vec<u8> {
        self.answer().to_vec()
    }

    /// The slot at the current position, if there is one.
    fn slot(&self) -> Option<Slot>;

    /// The tokens that may come next. It is empty only if the vocabulary has no token for any byte
    /// that may come next.
    fn mask(&mut self) -> Result<&TokenMask, MatchError>;

    /// Appends a token that the mask allows.
    fn consume(&mut self, token: TokenId) -> Result<(), MatchError>;

    /// The answer after a token that the mask allows, in full. `None` if that is the answer so far
    /// and what the token spells.
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
    spelling: Spelling,
    /// The readings of the answer so far; never empty. The first one counts if no other is left.
    readings: Vec<Reading>,
    /// The masks of states that recur, as between two characters of free text; by whether a string of
    /// the code is open. Each is made once.
    free_masks: HashMap<(ConstraintState, bool), TokenMask>,
    mask: TokenMask,
    /// What the last token was taken to mean, if that is certain and not what it spells.
    meant: Option<Vec<u8>>,
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
        let start = Reading::new(constraint);
        SlotMatcher {
            constraint,
            trie,
            spelling: Spelling::Loose,
            readings: vec![start],
            free_masks: HashMap::new(),
            mask: trie.alloc_token_set(),
            meant: None,
        }
    }

    /// The same for a model that copies text like this; [`Spelling::Loose`] without.
    #[must_use]
    pub fn with_spelling(self, spelling: Spelling) -> SlotMatcher<'a> {
        SlotMatcher { spelling, ..self }
    }

    fn first(&self) -> &Reading {
        &self.readings[0]
    }

    /// The reading, if there is only one.
    fn only(&self) -> Option<&Reading> {
        (self.readings.len() == 1).then(|| self.first())
    }

    /// The readings after a token.
    fn after(&self, token: TokenId) -> Vec<Reading> {
        reading::after(
            self.constraint,
            self.spelling,
            &self.readings,
            self.trie.token(token),
        )
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
        let n_open = |tokens: &[TokenId]| self.n_open(end, tokens);
        let (forced, n_taken) = spell(&bytes, last, self.trie, tokenizer, n_open);
        bytes.truncate(n_taken);
        (forced, bytes)
    }

    /// How many of the last of these tokens to leave to the model: a longer token may follow.
    fn n_open(&self, end: ConstraintState, tokens: &[TokenId]) -> usize {
        if self.constraint.is_complete(end) {
            return 0;
        }
        let from = (vec![Point::new(end)], false);
        self.trie
            .chop_tokens(
                &mut Walk::new(self.constraint, Spelling::Exact, from),
                tokens,
            )
            .0
    }

    /// The mask of a state that recurs.
    fn free_mask(&mut self, point: Point) -> &TokenMask {
        let (constraint, trie, spelling) = (self.constraint, self.trie, self.spelling);
        self.free_masks
            .entry((point.state, point.in_string))
            .or_insert_with(|| {
                let mut mask = trie.alloc_token_set();
                trie.add_bias(
                    &mut Walk::new(constraint, spelling, (vec![point], false)),
                    &mut mask,
                    &[],
                );
                mask
            })
    }

    /// Appends bytes that are forced.
    fn advance(&mut self, bytes: &[u8]) {
        let constraint = self.constraint;
        let Reading { point, answer, .. } = &mut self.readings[0];
        for &byte in bytes {
            *point = point
                .step(constraint, byte)
                .expect("what is forced is allowed");
        }
        answer.extend_from_slice(bytes);
    }
}

impl Matcher for SlotMatcher<'_> {
    fn is_complete(&self) -> bool {
        self.constraint.is_complete(self.first().point.state)
    }

    fn answer(&self) -> &[u8] {
        &self.first().answer
    }

    fn in_full(&self) -> Vec<u8> {
        self.first().in_full()
    }

    fn slot(&self) -> Option<Slot> {
        // A quote that may close a text is still part of that text.
        self.readings
            .iter()
            .find_map(|reading| self.constraint.slot(reading.point.state))
    }

    fn mask(&mut self) -> Result<&TokenMask, MatchError> {
        let points = self.readings.iter().map(|reading| reading.point);
        let (free, other): (Vec<Point>, Vec<Point>) =
            points.partition(|point| self.constraint.recurs(point.state));
        if let ([point], []) = (free.as_slice(), other.as_slice()) {
            return Ok(self.free_mask(*point));
        }
        let free: Vec<TokenMask> = free
            .into_iter()
            .map(|at| self.free_mask(at).clone())
            .collect();
        self.mask.set_all(false);
        let from = (other, reading::is_escaped(&self.first().answer));
        self.trie.add_bias(
            &mut Walk::new(self.constraint, self.spelling, from),
            &mut self.mask,
            &[],
        );
        for free in free {
            self.mask.or(&free);
        }
        Ok(&self.mask)
    }

    /// # Panics
    /// If the mask does not allow the token.
    fn consume(&mut self, token: TokenId) -> Result<(), MatchError> {
        let was_certain = self.only().is_some();
        self.readings = self.after(token);
        assert!(!self.readings.is_empty(), "a token that the mask allows");
        let said = self
            .only()
            .filter(|_| was_certain)
            .map(|reading| &reading.said);
        self.meant = said.filter(|&said| said != self.trie.token(token)).cloned();
        Ok(())
    }

    fn answer_after(&self, token: TokenId) -> Option<Vec<u8>> {
        self.after(token)
            .into_iter()
            .next()
            .map(|reading| reading.in_full())
    }

    fn take_forced(
        &mut self,
        last: Option<TokenId>,
        tokenizer: &dyn Tokenize,
    ) -> Result<Forced, MatchError> {
        if let Some(meant) = self.meant.take() {
            let (bytes, end) = self.forced_bytes(self.first().point.state);
            let n_open = |tokens: &[TokenId]| self.n_open(end, tokens);
            let seam = [meant.as_slice(), &bytes].concat();
            let (spelled, n_taken) = spell(&seam, None, self.trie, tokenizer, n_open);
            let n_forced = n_taken.checked_sub(meant.len());
            self.advance(&bytes[..n_forced.unwrap_or(0)]);
            let tokens = match n_forced {
                Some(_) => spelled.tokens,
                None => tokenizer.tokenize(&meant),
            };
            return Ok(Forced {
                replaces_last: last.is_some(),
                tokens,
            });
        }
        let Some(Reading { point, .. }) = self.only() else {
            return Ok(Forced::default());
        };
        let (forced, bytes) = self.forced(point.state, last, tokenizer);
        self.advance(&bytes);
        Ok(forced)
    }

    fn draft(&self, text: &[u8], most: usize, tokenizer: &dyn Tokenize) -> Vec<DraftStep> {
        let mut steps = Vec::new();
        let Some(Reading { point, answer, .. }) = self.only() else {
            return steps;
        };
        let mut from = *point;
        let mut written_so_far = answer.clone();
        let mut rest = text;
        let mut tokens = VecDeque::from(tokenizer.tokenize(rest));
        while steps.len() < most
            && let Some(choice) = tokens.pop_front()
        {
            let bytes = self.trie.token(choice);
            let Some(remaining) = rest.strip_prefix(bytes) else {
                break;
            };
            // A control token, which no mask allows.
            if bytes.is_empty() {
                break;
            }
            // One that is refused, or means another, or may mean several.
            let from_here = (from, reading::is_escaped(&written_so_far));
            let ways = reading::ways(self.constraint, self.spelling, from_here, bytes);
            let [
                Way {
                    point: after,
                    written,
                    ..
                },
            ] = ways.as_slice()
            else {
                break;
            };
            if written != bytes {
                break;
            }
            let (forced, forced_bytes) = self.forced(after.state, Some(choice), tokenizer);
            let kept = (!forced.replaces_last).then_some(choice);
            steps.push(DraftStep {
                choice,
                written: kept.into_iter().chain(forced.tokens).collect(),
            });
            let end = forced_bytes
                .iter()
                .try_fold(*after, |at, &b| at.step(self.constraint, b));
            from = end.expect("what is forced is allowed");
            written_so_far.extend(bytes.iter().chain(&forced_bytes));
            rest = remaining;
            if self.constraint.is_complete(from.state) {
                break;
            }
            if !forced_bytes.is_empty() {
                let Some(remaining) = rest.strip_prefix(forced_bytes.as_slice()) else {
                    break;
                };
                rest = remaining;
                tokens = tokenizer.tokenize(rest).into();
            }
        }
        steps
    }
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
    let spelled: Vec<u8> = tokens
        .iter()
        .flat_map(|&t| trie.token(t).iter().copied())
        .collect();
    let n_taken = spelled.len().saturating_sub(last_bytes.len());
    // Either no token beyond `last` is certain yet, or the vocabulary cannot spell the text.
    if n_taken == 0 || !seam.starts_with(&spelled) {
        return (Forced::default(), 0);
    }
    let replaces_last = last.is_some() && tokens.first().copied() != last;
    if last.is_some() && !replaces_last {
        tokens.remove(0);
    }
    (
        Forced {
            replaces_last,
            tokens,
        },
        n_taken,
    )
}
