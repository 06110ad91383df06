//! Token masks checked by brute force: a token is allowed if its bytes are.

use super::brute_force::{after, excerpts, shown, small_text};
use super::mask::{Matcher, SlotMatcher, TokenId, Tokenize};
use super::{Constraint, ConstraintState, SlotSpec};
use crate::text::Shown;
use proptest::collection::{btree_set, vec};
use proptest::prelude::*;
use std::collections::BTreeSet;
use toktrie::{TokRxInfo, TokTrie};

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    #[test]
    fn masks_are_what_the_bytes_say(
        text in small_text(),
        pieces in btree_set(piece(), 1..60),
        seed in any::<u64>(),
    ) {
        check_masks(shown(&[text]), Pieces::new(pieces), seed);
    }
}

/// A quote that opens a string in code is taken to be escaped; another one ends the text.
#[test]
fn a_quote_that_a_model_forgets_to_escape() {
    let pieces: BTreeSet<Vec<u8>> =
        ["(\"", ")\"", "\"}"].map(|piece| piece.as_bytes().to_vec()).into();
    let vocabulary = Pieces::new(pieces);
    let token = |piece: &str| {
        let same = |other: &Vec<u8>| other == piece.as_bytes();
        vocabulary.pieces.iter().position(same).unwrap() as TokenId
    };
    let spec = SlotSpec::ReplaceAll { shown: Shown::whole("a\n") };
    let c = Constraint::new(&spec);
    let mut matcher = SlotMatcher::new(&c, &vocabulary.trie);
    for byte in br#"{"old":"a","new":"f"# {
        matcher.consume(TokenId::from(*byte)).unwrap();
    }
    let mask = matcher.mask().unwrap().clone();
    let is_allowed = |piece: &str| mask.is_allowed(token(piece));
    assert_eq!(
        ["(\"", ")\"", "\"}", "\""].map(is_allowed),
        [true, false, true, false],
        "a bare quote at the end, unless it opens a string"
    );
    matcher.consume(token("(\"")).unwrap();
    let forced = matcher.take_forced(Some(token("(\"")), &vocabulary).unwrap();
    assert!(forced.replaces_last);
    matcher.consume(token("\"}")).unwrap();
    assert_eq!(matcher.answer(), br#"{"old":"a","new":"f(\""}"#);
    assert!(matcher.is_complete());
}

fn check_masks(shown: Shown, vocabulary: Pieces, mut seed: u64) {
    if excerpts(&shown).is_empty() {
        return;
    }
    let c = Constraint::new(&SlotSpec::Replace { shown, blocks: true });
    let mut matcher = SlotMatcher::new(&c, &vocabulary.trie);
    let mut state = c.start();
    for _ in 0..40 {
        let is_allowed = |token: &TokenId| {
            let mut bytes = vocabulary.pieces[*token as usize].iter();
            bytes.try_fold(state, |state, &byte| c.step(state, byte)).is_some()
        };
        let mut expected: Vec<TokenId> =
            (0..vocabulary.pieces.len() as u32).filter(is_allowed).collect();
        if c.is_free(state) {
            without_bare_quotes(&mut expected, &c, state, &vocabulary);
        }
        assert_eq!(matcher.mask().unwrap().to_list(), expected);
        if expected.is_empty() {
            break; // complete
        }
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        let token = expected[(seed >> 33) as usize % expected.len()];
        let n_before = matcher.answer().len();
        matcher.consume(token).unwrap();
        // The token, or what replaces it, and the forced tokens spell what was added to the answer.
        let forced = matcher.take_forced(Some(token), &vocabulary).unwrap();
        let kept = (!forced.replaces_last).then_some(token);
        let spelled: Vec<u8> = kept
            .into_iter()
            .chain(forced.tokens)
            .flat_map(|token| vocabulary.pieces[token as usize].clone())
            .collect();
        assert_eq!(&matcher.answer()[n_before..], spelled.as_slice());
        state = after(&c, matcher.answer());
    }
}

/// Of tokens that close free text and end with the quote, none is left if another token begins with
/// the quote and goes on.
fn without_bare_quotes(
    tokens: &mut Vec<TokenId>,
    c: &Constraint,
    state: ConstraintState,
    vocabulary: &Pieces,
) {
    let closes = |bytes: &[u8]| {
        let end = bytes.iter().fold(state, |state, &byte| c.step(state, byte).unwrap());
        c.slot(end) != c.slot(state) || c.is_complete(end)
    };
    let bytes = |token: &TokenId| vocabulary.pieces[*token as usize].as_slice();
    let closing: Vec<TokenId> =
        tokens.iter().copied().filter(|token| closes(bytes(token))).collect();
    if closing.iter().any(|token| bytes(token).len() > 1 && bytes(token)[0] == b'"') {
        let ends_bare = |token: &TokenId| match bytes(token) {
            // They open a string in code.
            [.., b'(' | b'=' | b' ', b'"'] => false,
            bytes => bytes.ends_with(b"\""),
        };
        tokens.retain(|token| !closing.contains(token) || !ends_bare(token));
    }
}

/// Pieces that real vocabularies have: words, several characters of JSON, halves of UTF-8
/// sequences.
fn piece() -> impl Strategy<Value = Vec<u8>> {
    let words = [
        "\",\"",
        "\":\"",
        "{\"",
        "\"}",
        "old",
        "new",
        "place",
        "\\n",
        "\\\\",
        "\\\"",
        "\u{e9}",
        "\u{1f600}",
        "  ",
        "ab",
        "line 1",
        "none",
    ];
    prop_oneof![
        proptest::sample::select(words.to_vec()).prop_map(|w| w.as_bytes().to_vec()),
        vec(proptest::sample::select(b"ab_ \\\"(n=\xc3\xa9\xf0\x9f".to_vec()), 2..5),
    ]
}

struct Pieces {
    pieces: Vec<Vec<u8>>,
    trie: TokTrie,
}

impl Pieces {
    /// A vocabulary of all bytes and these pieces.
    fn new(pieces: BTreeSet<Vec<u8>>) -> Pieces {
        let mut all: Vec<Vec<u8>> = (0..=254u8).map(|b| vec![b]).collect();
        all.extend(pieces.into_iter().filter(|p| p.len() > 1));
        let trie = TokTrie::from(&TokRxInfo::new(all.len() as u32, 0), &all);
        Pieces { pieces: all, trie }
    }
}

impl Tokenize for Pieces {
    fn tokenize(&self, text: &[u8]) -> Vec<TokenId> {
        self.trie.greedy_tokenize(text)
    }
}
