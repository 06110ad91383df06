//! Token masks checked by brute force: a token is allowed if its bytes are.

use super::brute_force::{excerpts, shown, small_text};
use super::mask::{Matcher, Quotes, SlotMatcher, TokenId, Tokenize};
use super::{Constraint, ConstraintState, SlotSpec};
use crate::slots::Slot;
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

/// In an excerpt the file tells what a quote means, as soon as enough is written.
#[test]
fn a_bare_quote_in_an_excerpt() {
    let pieces = ["[\"", "\",", " \"", "\"]", "\",\""];
    let vocabulary = Pieces::new(pieces.map(|piece| piece.as_bytes().to_vec()).into());
    let spec = SlotSpec::Replace { shown: Shown::whole("CMD [\"a\", \"b\"]\nx\n"), blocks: false };
    let c = Constraint::new(&spec);
    let answer = |before: &str, chosen: &[&str]| {
        let mut matcher = SlotMatcher::new(&c, &vocabulary.trie);
        for byte in [br#"{"old":""#, before.as_bytes()].concat() {
            matcher.consume(TokenId::from(byte)).unwrap();
        }
        for piece in chosen {
            let same = |other: &Vec<u8>| other == piece.as_bytes();
            let token = vocabulary.pieces.iter().position(same).unwrap() as TokenId;
            assert!(matcher.mask().unwrap().is_allowed(token), "{piece} of {chosen:?}");
            matcher.consume(token).unwrap();
            matcher.take_forced(Some(token), &vocabulary).unwrap();
        }
        let answer = matcher.answer().strip_prefix(br#"{"old":""#).unwrap().to_vec();
        String::from_utf8(answer).unwrap()
    };
    for (before, chosen, wanted) in [
        (
            "CMD ",
            &["[\"", "a", "\",", " \"", "b", "\"]", "\""][..],
            r#"CMD [\"a\", \"b\"]","new":"#,
        ),
        ("CMD ", &["[\"", "a", "\",", "\"", "n"], r#"CMD [\"a","new":"#),
        ("CMD ", &["[\"", ","], r#"CMD [","new":"#),
        ("", &["a", "\",", " \"", "b", "\",\""], r#"a\", \"b","new":"#),
        ("", &["\"", "b", "\"", ","], r#"\"b","new":"#),
    ] {
        // The quote that opens the new text may be left to the model.
        assert!(answer(before, chosen).starts_with(wanted), "{before:?} {chosen:?}");
    }
}

fn check_masks(shown: Shown, vocabulary: Pieces, quotes: Quotes, mut seed: u64) {
    if excerpts(&shown).is_empty() {
        return;
    }
    let c = Constraint::new(&SlotSpec::Replace { shown, blocks: true });
    let mut matcher = SlotMatcher::new(&c, &vocabulary.trie).with_quotes(quotes);
    let mut readings: Vec<Vec<u8>> = vec![Vec::new()];
    let bytes = |token: TokenId| vocabulary.pieces[token as usize].as_slice();
    let readings_after = |readings: &[Vec<u8>], token: &[u8]| {
        let mut after = Vec::new();
        for reading in readings {
            let another_goes_on = !after.is_empty();
            after.extend(ways(&c, reading, token, quotes).into_iter().filter(|way| {
                let is_in_text = c.slot(walk(&c, way).unwrap()) == Some(Slot::New);
                !(another_goes_on && is_in_text)
            }));
        }
        after
    };
    for _ in 0..40 {
        let expected: Vec<TokenId> = (0..vocabulary.pieces.len() as u32)
            .filter(|&token| !readings_after(&readings, bytes(token)).is_empty())
            .collect();
        assert_eq!(matcher.mask().unwrap().to_list(), expected);
        if matcher.is_complete() {
            break;
        }
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        let token = expected[(seed >> 33) as usize % expected.len()];
        let n_before = readings[0].len();
        let was_certain = readings.len() == 1;
        readings = readings_after(&readings, bytes(token));
        assert_eq!(matcher.answer_after(token).as_ref(), readings.first());
        matcher.consume(token).unwrap();
        assert_eq!(matcher.answer(), readings[0]);
        // The token, or what replaces it, and the forced tokens spell what was added to the answer.
        let forced = matcher.take_forced(Some(token), &vocabulary).unwrap();
        let kept = (!forced.replaces_last).then_some(token);
        let spelled = kept.into_iter().chain(forced.tokens).flat_map(|token| bytes(token).to_vec());
        if readings.len() > 1 {
            assert_eq!(spelled.collect::<Vec<u8>>(), bytes(token));
        } else if was_certain {
            assert_eq!(spelled.collect::<Vec<u8>>(), matcher.answer()[n_before..]);
        }
        if readings.len() == 1 {
            readings = vec![matcher.answer().to_vec()];
        }
    }
    assert!(walk(&c, matcher.answer()).is_some());
}

fn walk(c: &Constraint, answer: &[u8]) -> Option<ConstraintState> {
    answer.iter().try_fold(c.start(), |state, &byte| c.step(state, byte))
}

/// The answers that `answer` and then `token` may be read as, for each set of the token's quotes
/// that are taken to be escaped.
fn ways(c: &Constraint, answer: &[u8], token: &[u8], quotes: Quotes) -> Vec<Vec<u8>> {
    let is_escaped = |text: &[u8]| text.iter().rev().take_while(|&&b| b == b'\\').count() % 2 == 1;
    let bare: Vec<usize> = (0..token.len())
        .filter(|&i| token[i] == b'"' && !is_escaped(&[answer, &token[..i]].concat()))
        .collect();
    let n_ways = if quotes == Quotes::OftenBare { 1 << bare.len() } else { 1 };
    let read = |set: usize| {
        let mut read = answer.to_vec();
        for (i, &byte) in token.iter().enumerate() {
            let is_last = i + 1 == token.len();
            if let Some(nth) = bare.iter().position(|&at| at == i)
                && quotes == Quotes::OftenBare
            {
                let state = walk(c, &read)?;
                let is_in_new = c.slot(state) == Some(Slot::New);
                let opens = is_last && i > 0 && b"(= ".contains(&token[i - 1]);
                match set >> (bare.len() - 1 - nth) & 1 {
                    0 if is_in_new && opens => return None,
                    0 => {}
                    // Within a character or an escape.
                    _ if is_in_new && !c.is_free(state) => return None,
                    _ if is_in_new && !is_last && !is_in_string(c, &read) => return None,
                    _ => read.push(b'\\'),
                }
            }
            read.push(byte);
        }
        walk(c, &read).map(|_| read)
    };
    (0..n_ways).filter_map(read).collect()
}

/// Whether the last line of the new text that `answer` ends in has an odd number of quotes.
fn is_in_string(c: &Constraint, answer: &[u8]) -> bool {
    let in_new = |n: usize| c.slot(walk(c, &answer[..n]).unwrap()) == Some(Slot::New);
    let start = (0..=answer.len()).rev().take_while(|&n| in_new(n)).last().unwrap();
    let text = format!("\"{}\"", String::from_utf8_lossy(&answer[start..]));
    let text: String = serde_json::from_str(&text).unwrap();
    text.rsplit('\n').next().unwrap().matches('"').count() % 2 == 1
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
