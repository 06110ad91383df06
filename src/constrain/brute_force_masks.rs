//! Token masks checked by brute force: a token is allowed if its bytes are.

use super::brute_force::{after, excerpts, shown, small_text};
use super::mask::{Matcher, Quotes, SlotMatcher, TokenId, Tokenize};
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
        is_trained in any::<bool>(),
    ) {
        let quotes = if is_trained { Quotes::Escaped } else { Quotes::OftenBare };
        check_masks(shown(&[text]), Pieces::new(pieces), quotes, seed);
    }
}

/// A matcher in the middle of a new text, `f`, with a vocabulary of bytes and these pieces.
fn in_new_text<'a>(c: &'a Constraint, vocabulary: &'a Pieces, quotes: Quotes) -> SlotMatcher<'a> {
    let mut matcher = SlotMatcher::new(c, &vocabulary.trie).with_quotes(quotes);
    for byte in br#"{"old":"a","new":"f"# {
        matcher.consume(TokenId::from(*byte)).unwrap();
    }
    matcher
}

/// A quote that opens a string in code is taken to be escaped. Of another one the next token tells.
#[test]
fn a_quote_that_a_model_forgets_to_escape() {
    let pieces = ["(\"", ")\"", ",\"", "\"}", "})"];
    let vocabulary = Pieces::new(pieces.map(|piece| piece.as_bytes().to_vec()).into());
    let token = |piece: &str| {
        let same = |other: &Vec<u8>| other == piece.as_bytes();
        vocabulary.pieces.iter().position(same).unwrap() as TokenId
    };
    let spec = SlotSpec::ReplaceAll { shown: Shown::whole("a\n") };
    let c = Constraint::new(&spec);
    use Quotes::{Escaped, OftenBare};
    let answer = |quotes: Quotes, chosen: &[&str]| {
        let mut matcher = in_new_text(&c, &vocabulary, quotes);
        for piece in chosen {
            assert!(!matcher.is_complete());
            assert!(matcher.mask().unwrap().is_allowed(token(piece)), "{piece} of {chosen:?}");
            matcher.consume(token(piece)).unwrap();
            let is_meant = quotes == OftenBare && *piece == "(\"";
            let forced = matcher.take_forced(Some(token(piece)), &vocabulary).unwrap();
            assert_eq!(forced.replaces_last, is_meant, "{piece}");
        }
        assert!(matcher.is_complete(), "{chosen:?}");
        let answer = matcher.answer().strip_prefix(br#"{"old":"a","new":"#).unwrap().to_vec();
        String::from_utf8(answer).unwrap()
    };
    for (quotes, chosen, wanted) in [
        (OftenBare, &["(\"", "\"}"][..], r#""f(\""}"#),
        (OftenBare, &[",\"", "}"], r#""f,"}"#),
        (OftenBare, &[",\"", "})", "\"}"], r#""f,\"})"}"#),
        (OftenBare, &[")\"", ")\"", ",", "\"}"], r#""f)\")\","}"#),
        (OftenBare, &["\"", "\"", "}"], r#""f\""}"#),
        // What must follow is forced.
        (Escaped, &["(\""], r#""f("}"#),
        (Escaped, &[",\""], r#""f,"}"#),
    ] {
        assert_eq!(answer(quotes, chosen), wanted, "{chosen:?}");
    }
}

fn check_masks(shown: Shown, vocabulary: Pieces, quotes: Quotes, mut seed: u64) {
    if excerpts(&shown).is_empty() {
        return;
    }
    let c = Constraint::new(&SlotSpec::Replace { shown, blocks: true });
    let mut matcher = SlotMatcher::new(&c, &vocabulary.trie).with_quotes(quotes);
    let mut state = c.start();
    // Where the text goes on if the quote just written should have been escaped.
    let mut reopened: Option<ConstraintState> = None;
    let walk = |state: ConstraintState, bytes: &[u8]| {
        bytes.iter().try_fold(state, |state, &byte| c.step(state, byte))
    };
    for _ in 0..40 {
        let bytes = |token: TokenId| vocabulary.pieces[token as usize].as_slice();
        let closes = |token: TokenId| walk(state, bytes(token)).is_some();
        let goes_on =
            |token: TokenId| reopened.is_some_and(|text| walk(text, bytes(token)).is_some());
        let expected: Vec<TokenId> = (0..vocabulary.pieces.len() as u32)
            .filter(|&token| closes(token) || goes_on(token))
            .collect();
        assert_eq!(matcher.mask().unwrap().to_list(), expected);
        if expected.is_empty() {
            break; // complete
        }
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        let token = expected[(seed >> 33) as usize % expected.len()];
        let text = if closes(token) { state } else { reopened.unwrap() };
        let mut before = matcher.answer().to_vec();
        if !closes(token) {
            before.pop();
            before.extend_from_slice(br#"\""#);
        }
        matcher.consume(token).unwrap();
        // The token, or what replaces it, and the forced tokens spell what was added to the answer.
        let forced = matcher.take_forced(Some(token), &vocabulary).unwrap();
        let kept = (!forced.replaces_last).then_some(token);
        let spelled = kept.into_iter().chain(forced.tokens).flat_map(|token| bytes(token).to_vec());
        before.extend(spelled);
        assert_eq!(matcher.answer(), before);
        reopened = match bytes(token) {
            // They open a string in code.
            [.., b'(' | b'=' | b' ', b'"'] => None,
            [text_before @ .., b'"'] if quotes == Quotes::OftenBare => {
                walk(text, text_before).filter(|&end| c.is_free(end) && c.slot(end) == c.slot(text))
            }
            _ => None,
        };
        state = after(&c, matcher.answer());
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
