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
use super::reading::{self, Point, Reading, TokenReader};
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

    /// The slot at the current position, if there is one.
    fn slot(&self) -> Option<Slot>;

    /// The tokens that may come next. It is empty only if the vocabulary has no token for any byte
    /// that may come next.
    fn mask(&mut self) -> Result<&TokenMask, MatchError>;

    /// Appends a token that the mask allows.
    fn consume(&mut self, token: TokenId) -> Result<(), MatchError>;

    /// The answer after a token that the mask allows. `None` if it is the answer so far and what the
    /// token spells.
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

/// Tokens that follow without a choice.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Forced {
    /// Whether the token sampled last is dropped: together with the forced text it is tokenized
    /// differently.
    pub replaces_last: bool,
    /// The tokens to append.
    pub tokens: Vec<TokenId>,
}

/// The matcher for slots: a constraint, a vocabulary, and the answer so far.
pub struct SlotMatcher<'a> {
    reader: TokenReader<'a>,
    trie: &'a TokTrie,
    /// The readings of the answer so far; never empty. The first one counts if no other is left.
    readings: Vec<Reading>,
    /// The masks of states that recur, as between two characters of free text. Each is made once.
    recurring_masks: HashMap<Point, TokenMask>,
    mask: TokenMask,
    /// What the last token was taken to mean, if that is certain and not what it spells.
    meant: Option<Vec<u8>>,
}

impl<'a> SlotMatcher<'a> {
    /// A matcher for an empty answer, of a model that copies text as [`Spelling::Loose`] says.
    pub fn new(constraint: &'a Constraint, trie: &'a TokTrie) -> SlotMatcher<'a> {
        SlotMatcher {
            reader: TokenReader {
                constraint,
                spelling: Spelling::Loose,
            },
            trie,
            readings: vec![Reading::new(constraint)],
            recurring_masks: HashMap::new(),
            mask: trie.alloc_token_set(),
            meant: None,
        }
    }

    /// The matcher for a model that copies text like this.
    #[must_use]
    pub fn with_spelling(mut self, spelling: Spelling) -> SlotMatcher<'a> {
        self.reader.spelling = spelling;
        self
    }

    fn constraint(&self) -> &'a Constraint {
        self.reader.constraint
    }

    fn first(&self) -> &Reading {
        &self.readings[0]
    }

    /// The reading, if there is only one.
    fn only(&self) -> Option<&Reading> {
        (self.readings.len() == 1).then(|| self.first())
    }

    /// The bytes forced from a state, and the state after them.
    fn forced_bytes(&self, mut state: ConstraintState) -> (Vec<u8>, ConstraintState) {
        let mut bytes = Vec::new();
        while bytes.len() < MAX_FORCED
            && let Some(byte) = self.constraint().only_byte(state)
            && let Some(next) = self.constraint().step(state, byte)
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
        let (forced, n_taken) = spell(&bytes, last, self.trie, tokenizer, |tokens| {
            self.n_open(end, tokens)
        });
        bytes.truncate(n_taken);
        (forced, bytes)
    }

    /// The tokens that replace the last one, which meant these bytes, and those forced after it.
    fn replace_last(&mut self, meant: &[u8], tokenizer: &dyn Tokenize) -> Vec<TokenId> {
        let (bytes, end) = self.forced_bytes(self.first().point.state);
        let seam = [meant, &bytes].concat();
        let (spelled, n_taken) = spell(&seam, None, self.trie, tokenizer, |tokens| {
            self.n_open(end, tokens)
        });
        match n_taken.checked_sub(meant.len()) {
            Some(n_forced) => {
                self.advance(&bytes[..n_forced]);
                spelled.tokens
            }
            None => tokenizer.tokenize(meant),
        }
    }

    /// How many of the last of these tokens to leave to the model: a longer token may follow.
    fn n_open(&self, end: ConstraintState, tokens: &[TokenId]) -> usize {
        if self.constraint().is_complete(end) {
            return 0;
        }
        let exact = TokenReader {
            spelling: Spelling::Exact,
            ..self.reader
        };
        let mut walk = exact.walk(vec![Point::new(end)], false);
        self.trie.chop_tokens(&mut walk, tokens).0
    }

    /// The mask of a state that recurs.
    fn recurring_mask(&mut self, point: Point) -> &TokenMask {
        let SlotMatcher { reader, trie, .. } = *self;
        self.recurring_masks.entry(point).or_insert_with(|| {
            let mut mask = trie.alloc_token_set();
            trie.add_bias(&mut reader.walk(vec![point], false), &mut mask, &[]);
            mask
        })
    }

    /// Appends bytes that are forced.
    fn advance(&mut self, bytes: &[u8]) {
        let constraint = self.constraint();
        let Reading { point, answer, .. } = &mut self.readings[0];
        *point = after_forced(constraint, *point, bytes);
        answer.extend_from_slice(bytes);
    }
}

fn after_forced(constraint: &Constraint, from: Point, bytes: &[u8]) -> Point {
    bytes.iter().fold(from, |point, &byte| {
        point
            .step(constraint, byte)
            .expect("what is forced is allowed")
    })
}

impl Matcher for SlotMatcher<'_> {
    fn is_complete(&self) -> bool {
        self.constraint().is_complete(self.first().point.state)
    }

    fn answer(&self) -> &[u8] {
        &self.first().answer
    }

    fn slot(&self) -> Option<Slot> {
        // A quote that may close a text is still part of that text.
        self.readings
            .iter()
            .find_map(|reading| self.constraint().slot(reading.point.state))
    }

    fn mask(&mut self) -> Result<&TokenMask, MatchError> {
        let points = self.readings.iter().map(|reading| reading.point);
        let (recurring, other): (Vec<Point>, Vec<Point>) =
            points.partition(|point| self.constraint().recurs(point.state));
        if let ([point], []) = (recurring.as_slice(), other.as_slice()) {
            return Ok(self.recurring_mask(*point));
        }

        self.mask.set_all(false);
        let is_escaped = reading::is_escaped(&self.first().answer);
        let mut walk = self.reader.walk(other, is_escaped);
        self.trie.add_bias(&mut walk, &mut self.mask, &[]);
        for point in recurring {
            let mask = self.recurring_mask(point).clone();
            self.mask.or(&mask);
        }
        Ok(&self.mask)
    }

    /// # Panics
    /// If the mask does not allow the token.
    fn consume(&mut self, token: TokenId) -> Result<(), MatchError> {
        let was_certain = self.only().is_some();
        self.readings = self.reader.after(&self.readings, self.trie.token(token));
        assert!(!self.readings.is_empty(), "a token that the mask allows");

        self.meant = match self.only() {
            Some(reading) if was_certain && reading.last != self.trie.token(token) => {
                Some(reading.last.clone())
            }
            _ => None,
        };
        Ok(())
    }

    fn answer_after(&self, token: TokenId) -> Option<Vec<u8>> {
        let readings = self.reader.after(&self.readings, self.trie.token(token));
        readings.into_iter().next().map(|reading| reading.answer)
    }

    fn take_forced(
        &mut self,
        last: Option<TokenId>,
        tokenizer: &dyn Tokenize,
    ) -> Result<Forced, MatchError> {
        if let Some(meant) = self.meant.take() {
            return Ok(Forced {
                replaces_last: last.is_some(),
                tokens: self.replace_last(&meant, tokenizer),
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
        let mut point = *point;
        let mut answer = answer.clone();
        let mut rest = text;
        let mut tokens = VecDeque::from(tokenizer.tokenize(rest));

        while steps.len() < most
            && !self.constraint().is_complete(point.state)
            && let Some(choice) = tokens.pop_front()
        {
            let bytes = self.trie.token(choice);
            let Some(after) = self.after_plain(point, &answer, bytes) else {
                break;
            };
            let Some(below) = rest.strip_prefix(bytes) else {
                break;
            };
            let (forced, forced_bytes) = self.forced(after.state, Some(choice), tokenizer);
            let kept = (!forced.replaces_last).then_some(choice);
            steps.push(DraftStep {
                choice,
                written: kept.into_iter().chain(forced.tokens).collect(),
            });
            point = after_forced(self.constraint(), after, &forced_bytes);
            answer.extend(bytes.iter().chain(&forced_bytes));

            // What is forced must be what the draft has. It is tokenized with the token before it.
            let Some(below) = below.strip_prefix(forced_bytes.as_slice()) else {
                break;
            };
            rest = below;
            if !forced_bytes.is_empty() {
                tokens = tokenizer.tokenize(rest).into();
            }
        }
        steps
    }
}

impl SlotMatcher<'_> {
    /// The point after a token that is allowed and certainly means what it spells. No control token
    /// is.
    fn after_plain(&self, from: Point, answer: &[u8], token: &[u8]) -> Option<Point> {
        let ways = self.reader.ways(from, reading::is_escaped(answer), token);
        match ways.as_slice() {
            [way] if way.written == token && !token.is_empty() => Some(way.point),
            _ => None,
        }
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
