//! Token masks checked by brute force: a token is allowed if its bytes are.

use super::brute_force::{excerpts, lines, replace, shown, small_text};
use super::mask::{Matcher, SlotMatcher, Spelling, TokenId, Tokenize};
use super::{Constraint, ConstraintState, SlotSpec};
use crate::edit::NamedBlock;
use crate::slots::Slot;
use crate::slots::fenced::Fence;
use crate::text::Shown;
use proptest::collection::{btree_set, vec};
use proptest::prelude::*;
use std::collections::BTreeSet;
use toktrie::{TokRxInfo, TokTrie};

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    #[test]
    fn masks_are_what_the_bytes_say(
        texts in vec(prop_oneof![small_text(), lines()], 1..3),
        pieces in btree_set(piece(), 1..60),
        seed in any::<u64>(),
        is_trained in any::<bool>(),
    ) {
        let spelling = if is_trained { Spelling::Exact } else { Spelling::Loose };
        check_masks(shown(&texts), Pieces::new(pieces), spelling, seed);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, ..ProptestConfig::default() })]

    #[test]
    fn masks_in_a_fence_are_what_the_bytes_say(
        pieces in btree_set("[`\n x]{2,5}", 1..60),
        seed in any::<u64>(),
        n_blocks in 1..3usize,
    ) {
        let pieces = pieces.into_iter().map(String::into_bytes).collect();
        check_masks_in_a_fence(n_blocks, &Pieces::new(pieces), seed);
    }
}

fn check_masks_in_a_fence(n_blocks: usize, vocabulary: &Pieces, mut seed: u64) {
    let block = |i| NamedBlock {
        name: format!("f{i}"),
        range: 0..2,
        text: "x\n".to_owned(),
    };
    let blocks = (0..n_blocks).map(block).collect();
    let c = Constraint::new(&SlotSpec::Rewrite {
        blocks,
        fence: Fence::around("", "x").unwrap(),
    });
    let mut matcher = SlotMatcher::new(&c, &vocabulary.trie);
    matcher.take_forced(None, vocabulary).unwrap();
    let mut n_chosen = 0;
    while !matcher.is_complete() && n_chosen < 60 {
        let is_allowed = |token: &TokenId| {
            let piece = &vocabulary.pieces[*token as usize];
            walk(&c, &[matcher.answer(), piece].concat()).is_some()
        };
        let all = 0..vocabulary.pieces.len() as TokenId;
        let expected: Vec<TokenId> = all.filter(is_allowed).collect();
        assert_eq!(matcher.mask().unwrap().to_list(), expected);
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        // The pieces are of the bytes that lead somewhere.
        let of_interest = expected
            .iter()
            .filter(|&&token| token > 254 || token == u32::from(b'`'));
        let of_interest: Vec<&TokenId> = of_interest.collect();
        let token = match of_interest.as_slice() {
            [] => expected[(seed >> 33) as usize % expected.len()],
            some => *some[(seed >> 33) as usize % some.len()],
        };
        matcher.consume(token).unwrap();
        matcher.take_forced(Some(token), vocabulary).unwrap();
        n_chosen += 1;
    }
}

/// A matcher in the middle of a new text, `f`, with a vocabulary of bytes and these pieces.
fn in_new_text<'a>(
    c: &'a Constraint,
    vocabulary: &'a Pieces,
    spelling: Spelling,
) -> SlotMatcher<'a> {
    let mut matcher = SlotMatcher::new(c, &vocabulary.trie).with_spelling(spelling);
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
    let spec = SlotSpec::ReplaceAll {
        shown: Shown::whole("a\n"),
    };
    let c = Constraint::new(&spec);
    use Spelling::{Exact, Loose};
    let answer = |spelling: Spelling, chosen: &[&str]| {
        let mut matcher = in_new_text(&c, &vocabulary, spelling);
        for piece in chosen {
            assert!(!matcher.is_complete());
            assert!(
                matcher.mask().unwrap().is_allowed(token(piece)),
                "{piece} of {chosen:?}"
            );
            matcher.consume(token(piece)).unwrap();
            let is_meant = spelling == Loose && *piece == "(\"";
            let forced = matcher
                .take_forced(Some(token(piece)), &vocabulary)
                .unwrap();
            assert_eq!(forced.replaces_last, is_meant, "{piece}");
        }
        assert!(matcher.is_complete(), "{chosen:?}");
        let answer = matcher
            .answer()
            .strip_prefix(br#"{"old":"a","new":"#)
            .unwrap()
            .to_vec();
        String::from_utf8(answer).unwrap()
    };
    for (spelling, chosen, wanted) in [
        (Loose, &["(\"", "\"}"][..], r#""f(\""}"#),
        (Loose, &[",\"", "}"], r#""f,"}"#),
        (Loose, &[",\"", "})", "\"}"], r#""f,\"})"}"#),
        (Loose, &[")\"", ")\"", ",", "\"}"], r#""f)\")\","}"#),
        (Loose, &["\"", "\"", "}"], r#""f\""}"#),
        // What must follow is forced.
        (Exact, &["(\""], r#""f("}"#),
        (Exact, &[",\""], r#""f,"}"#),
    ] {
        assert_eq!(answer(spelling, chosen), wanted, "{chosen:?}");
    }
}

/// In an excerpt the file tells what a quote means, as soon as enough is written.
#[test]
fn a_bare_quote_in_an_excerpt() {
    let pieces = ["[\"", "\",", " \"", "\"]", "\",\""];
    let vocabulary = Pieces::new(pieces.map(|piece| piece.as_bytes().to_vec()).into());
    let spec = replace(&Shown::whole("CMD [\"a\", \"b\"]\nx\n"), false);
    let c = Constraint::new(&spec);
    let answer = |before: &str, chosen: &[&str]| {
        let mut matcher = SlotMatcher::new(&c, &vocabulary.trie);
        for byte in [br#"{"old":""#, before.as_bytes()].concat() {
            matcher.consume(TokenId::from(byte)).unwrap();
        }
        for piece in chosen {
            let same = |other: &Vec<u8>| other == piece.as_bytes();
            let token = vocabulary.pieces.iter().position(same).unwrap() as TokenId;
            assert!(
                matcher.mask().unwrap().is_allowed(token),
                "{piece} of {chosen:?}"
            );
            matcher.consume(token).unwrap();
            matcher.take_forced(Some(token), &vocabulary).unwrap();
        }
        let answer = matcher
            .answer()
            .strip_prefix(br#"{"old":""#)
            .unwrap()
            .to_vec();
        String::from_utf8(answer).unwrap()
    };
    for (before, chosen, wanted) in [
        (
            "CMD ",
            &["[\"", "a", "\",", " \"", "b", "\"]", "\""][..],
            r#"CMD [\"a\", \"b\"]","new":"#,
        ),
        (
            "CMD ",
            &["[\"", "a", "\",", "\"", "n"],
            r#"CMD [\"a","new":"#,
        ),
        ("CMD ", &["[\"", ","], r#"CMD [","new":"#),
        (
            "",
            &["a", "\",", " \"", "b", "\",\""],
            r#"a\", \"b","new":"#,
        ),
        ("", &["\"", "b", "\"", ","], r#"\"b","new":"#),
    ] {
        // The quote that opens the new text may be left to the model.
        assert!(
            answer(before, chosen).starts_with(wanted),
            "{before:?} {chosen:?}"
        );
    }
}

fn check_masks(shown: Shown, vocabulary: Pieces, spelling: Spelling, mut seed: u64) {
    if excerpts(&shown).is_empty() {
        return;
    }
    let oracle = Oracle {
        c: Constraint::new(&replace(&shown, true)),
        spelling,
    };
    let c = &oracle.c;
    let mut matcher = SlotMatcher::new(c, &vocabulary.trie).with_spelling(spelling);
    let mut readings: Vec<Vec<u8>> = vec![Vec::new()];
    for _ in 0..40 {
        let expected: Vec<TokenId> = (0..vocabulary.pieces.len() as u32)
            .filter(|&token| !oracle.after(&readings, vocabulary.bytes(token)).is_empty())
            .collect();
        assert_eq!(matcher.mask().unwrap().to_list(), expected);
        if matcher.is_complete() {
            break;
        }

        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        let token = expected[(seed >> 33) as usize % expected.len()];
        let before = readings;
        readings = oracle.after(&before, vocabulary.bytes(token));
        let answer = readings[0].clone();
        assert_eq!(matcher.answer_after(token).as_ref(), Some(&answer));
        matcher.consume(token).unwrap();
        assert_eq!(matcher.answer(), answer);

        // The token, or what replaces it, and the forced tokens spell what was added to the answer.
        let forced = matcher.take_forced(Some(token), &vocabulary).unwrap();
        let kept = (!forced.replaces_last).then_some(token);
        let tokens = kept.into_iter().chain(forced.tokens);
        let spelled: Vec<u8> = tokens
            .flat_map(|token| vocabulary.bytes(token).to_vec())
            .collect();
        if readings.len() > 1 {
            assert_eq!(spelled, vocabulary.bytes(token));
        } else if before.len() == 1 {
            assert_eq!(spelled, matcher.answer()[before[0].len()..]);
        }
        if readings.len() == 1 {
            readings[0] = matcher.answer().to_vec();
        }
    }
    assert!(walk(c, matcher.answer()).is_some());
}

fn walk(c: &Constraint, answer: &[u8]) -> Option<ConstraintState> {
    answer
        .iter()
        .try_fold(c.start(), |state, &byte| c.step(state, byte))
}

/// The readings of an answer, each as the JSON that is meant.
struct Oracle {
    c: Constraint,
    spelling: Spelling,
}

impl Oracle {
    fn slot(&self, answer: &[u8]) -> Option<Slot> {
        self.c.slot(walk(&self.c, answer).unwrap())
    }

    fn after(&self, readings: &[Vec<u8>], token: &[u8]) -> Vec<Vec<u8>> {
        let mut after: Vec<Vec<u8>> = Vec::new();
        for answer in readings {
            let another_goes_on = !after.is_empty();
            let ways = self.ways(answer, token).into_iter();
            after
                .extend(ways.filter(|way| !(another_goes_on && self.slot(way) == Some(Slot::New))));
        }
        after
    }

    /// What `answer` and then `token` may be read as: each bare quote may be escaped.
    fn ways(&self, answer: &[u8], token: &[u8]) -> Vec<Vec<u8>> {
        let mut ways = vec![answer.to_vec()];
        for (i, &byte) in token.iter().enumerate() {
            let is_last = i + 1 == token.len();
            let opens = is_last && i > 0 && b"(= ".contains(&token[i - 1]);
            let so_far = [answer, &token[..i]].concat();
            let n_backslashes = so_far.iter().rev().take_while(|&&b| b == b'\\').count();
            let is_bare =
                byte == b'"' && n_backslashes % 2 == 0 && self.spelling == Spelling::Loose;

            let mut longer = Vec::new();
            for way in ways {
                let state = walk(&self.c, &way).unwrap();
                let is_in_new = self.c.slot(state) == Some(Slot::New);
                if !(is_bare && is_in_new && opens) {
                    longer.push([way.as_slice(), &[byte]].concat());
                }
                // Not within a character or an escape, and within a token only if it closes a string.
                let may_escape =
                    !is_in_new || self.c.is_free(state) && (is_last || is_in_string(&self.c, &way));
                if is_bare && may_escape {
                    longer.push([way.as_slice(), br#"\""#].concat());
                }
            }
            longer.retain(|answer| walk(&self.c, answer).is_some());
            ways = longer;
        }
        ways
    }
}

/// Whether the last line of the new text that `answer` ends in has an odd number of quotes.
fn is_in_string(c: &Constraint, answer: &[u8]) -> bool {
    let in_new = |n: usize| c.slot(walk(c, &answer[..n]).unwrap()) == Some(Slot::New);
    let start = (0..=answer.len())
        .rev()
        .take_while(|&n| in_new(n))
        .last()
        .unwrap();
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
        vec(
            proptest::sample::select(b"ab_ \\\"(n=\xc3\xa9\xf0\x9f".to_vec()),
            2..5
        ),
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

    fn bytes(&self, token: TokenId) -> &[u8] {
        &self.pieces[token as usize]
    }
}

impl Tokenize for Pieces {
    fn tokenize(&self, text: &[u8]) -> Vec<TokenId> {
        self.trie.greedy_tokenize(text)
    }
}
