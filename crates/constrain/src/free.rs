//! No constraint at all: what a model writes freely, for comparison.
//!
//! An answer is complete when the model chooses one of its end tokens. Control tokens are not text
//! and are masked.

use super::mask::{Forced, MatchError, Matcher, TokenId, TokenMask, Tokenize};
use crate::slots::Slot;
use toktrie::TokTrie;

/// An unfinished answer that may have any bytes.
pub struct FreeMatcher<'a> {
    trie: &'a TokTrie,
    mask: TokenMask,
    answer: Vec<u8>,
    is_complete: bool,
}

impl<'a> FreeMatcher<'a> {
    /// A matcher for an empty answer.
    pub fn new(trie: &'a TokTrie) -> FreeMatcher<'a> {
        let mut mask = trie.alloc_token_set();
        for token in 0..trie.vocab_size() as TokenId {
            if !trie.token(token).is_empty() || trie.eos_tokens().contains(&token) {
                mask.allow_token(token);
            }
        }
        FreeMatcher {
            trie,
            mask,
            answer: Vec::new(),
            is_complete: false,
        }
    }
}

impl Matcher for FreeMatcher<'_> {
    fn is_complete(&self) -> bool {
        self.is_complete
    }

    fn answer(&self) -> &[u8] {
        &self.answer
    }

    fn slot(&self) -> Option<Slot> {
        None
    }

    fn mask(&mut self) -> Result<&TokenMask, MatchError> {
        Ok(&self.mask)
    }

    fn consume(&mut self, token: TokenId) -> Result<(), MatchError> {
        self.is_complete = self.trie.eos_tokens().contains(&token);
        if !self.is_complete {
            self.answer.extend_from_slice(self.trie.token(token));
        }
        Ok(())
    }

    fn take_forced(&mut self, _: Option<TokenId>, _: &dyn Tokenize) -> Result<Forced, MatchError> {
        Ok(Forced::default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use toktrie::TokRxInfo;

    #[test]
    fn anything_until_the_model_ends_it() {
        let words = [b"a".to_vec(), Vec::new(), b"\xff\"".to_vec(), Vec::new()];
        let trie = TokTrie::from(&TokRxInfo::new(4, 0), &words).with_eos_tokens(&[3]);
        let mut matcher = FreeMatcher::new(&trie);
        let allowed: Vec<bool> = (0..4)
            .map(|token| matcher.mask().unwrap().is_allowed(token))
            .collect();
        assert_eq!(
            allowed,
            [true, false, true, true],
            "token 1 is a control token"
        );
        matcher.consume(2).unwrap();
        matcher.consume(0).unwrap();
        assert!(!matcher.is_complete());
        matcher.consume(3).unwrap();
        assert!(matcher.is_complete());
        assert_eq!(matcher.answer(), b"\xff\"a");
    }
}
