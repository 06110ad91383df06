//! Token masks checked by brute force: a token is allowed if its bytes are.

use super::brute_force::{excerpts, lines, shown, small_text};
use super::mask::{Matcher, SlotMatcher, Spelling, TokenId, Tokenize};
use super::{Constraint, ConstraintState, SlotSpec};
use crate::edit::NamedBlock;
use crate::slots::Slot;
use crate::slots::fenced::Fence;
use crate::text::{Shown, boundaries};
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

/// A block may be copied as if its first line were not indented. The model sees it as it wrote it.
#[test]
fn a_block_without_the_indentation_of_its_first_line() {
    let text = "def f():\n    if x:\n        a()\n\n    b()\n";
    let vocabulary = Pieces::new(BTreeSet::new());
    let spec = SlotSpec::Replace {
        shown: Shown::whole(text),
        blocks: false,
    };
    let c = Constraint::new(&spec);
    for (copied, expected) in [
        (
            "if x:\\n    a()\\n\\nb()",
            Some("if x:\\n        a()\\n\\n    b()"),
        ),
        (
            "if x:\\n        a()\\n\\n    b()",
            Some("if x:\\n        a()\\n\\n    b()"),
        ),
        ("    if x:\\n        a()", Some("    if x:\\n        a()")),
        ("    if x:\\n    a()", None),
        ("if x:\\n  a()", None),
        ("x:\\n    a()", None),
        ("def f():\\nif x", None),
    ] {
        for spelling in [Spelling::Loose, Spelling::Exact] {
            let mut matcher = SlotMatcher::new(&c, &vocabulary.trie).with_spelling(spelling);
            let answer = format!(r#"{{"old":"{copied}","#);
            let is_taken = answer.bytes().map(TokenId::from).all(|byte| {
                let is_allowed = matcher.mask().unwrap().is_allowed(byte);
                if is_allowed {
                    matcher.consume(byte).unwrap();
                }
                is_allowed
            });
            let expected = expected.filter(|&old| spelling == Spelling::Loose || old == copied);
            assert_eq!(is_taken, expected.is_some(), "{copied}, {spelling:?}");
            if let Some(expected) = expected {
                let answer = String::from_utf8(matcher.answer().to_vec()).unwrap();
                assert_eq!(answer, format!(r#"{{"old":"{expected}","#));
            }
        }
    }
}

/// The new text takes the indentation that the excerpt left out.
#[test]
fn new_text_of_a_block_without_the_indentation_of_its_first_line() {
    let text = "def f():\n    if x:\n        a()\n\tif x:\n\t\ta()\n";
    let vocabulary = Pieces::new(BTreeSet::new());
    let c = Constraint::new(&SlotSpec::Replace {
        shown: Shown::whole(text),
        blocks: false,
    });
    for (said, expected) in [
        (
            r#"{"old":"if x:\n    a()","new":"if \"y\":\n    b\\\n\n    c()\n"}"#,
            r#"{"old":"if x:\n        a()","new":"if \"y\":\n        b\\\n\n        c()\n"}"#,
        ),
        (
            r#"{"old":"if x:\n\ta()","new":"if x:\n\tb()\nc()"}"#,
            r#"{"old":"if x:\n\t\ta()","new":"if x:\n\t\tb()\n\tc()"}"#,
        ),
        (
            r#"{"old":"if x:\n        a()","new":"x\ny"}"#,
            r#"{"old":"if x:\n        a()","new":"x\ny"}"#,
        ),
        (
            r#"{"old":"def f():","new":"x\ny"}"#,
            r#"{"old":"def f():","new":"x\ny"}"#,
        ),
    ] {
        let mut matcher = SlotMatcher::new(&c, &vocabulary.trie);
        for byte in said.bytes().map(TokenId::from) {
            assert!(matcher.mask().unwrap().is_allowed(byte), "{said}");
            matcher.consume(byte).unwrap();
        }
        assert!(matcher.is_complete());
        assert_eq!(String::from_utf8(matcher.in_full()).unwrap(), expected);
        assert!(c.accepts(&matcher.in_full()));
    }
}

/// In an excerpt the file tells what a quote means, as soon as enough is written.
#[test]
fn a_bare_quote_in_an_excerpt() {
    let pieces = ["[\"", "\",", " \"", "\"]", "\",\""];
    let vocabulary = Pieces::new(pieces.map(|piece| piece.as_bytes().to_vec()).into());
    let spec = SlotSpec::Replace {
        shown: Shown::whole("CMD [\"a\", \"b\"]\nx\n"),
        blocks: false,
    };
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
        c: Constraint::new(&SlotSpec::Replace {
            shown: shown.clone(),
            blocks: true,
        }),
        shown,
        spelling,
    };
    let c = &oracle.c;
    let mut matcher = SlotMatcher::new(c, &vocabulary.trie).with_spelling(spelling);
    let mut readings = vec![Read::default()];
    let bytes = |token: TokenId| vocabulary.pieces[token as usize].as_slice();
    for _ in 0..40 {
        let expected: Vec<TokenId> = (0..vocabulary.pieces.len() as u32)
            .filter(|&token| !oracle.after(&readings, bytes(token)).is_empty())
            .collect();
        assert_eq!(matcher.mask().unwrap().to_list(), expected);
        if matcher.is_complete() {
            break;
        }
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        let token = expected[(seed >> 33) as usize % expected.len()];
        let was_certain = readings.len() == 1;
        readings = oracle.after(&readings, bytes(token));
        let Read { answer, said, .. } = readings[0].clone();
        if !readings[0].lacks_indent {
            assert_eq!(matcher.answer_after(token).as_ref(), Some(&answer));
        }
        matcher.consume(token).unwrap();
        assert_eq!(matcher.answer(), answer);
        // The token, or what replaces it, and the forced tokens spell what was added to the answer,
        // without the indentation that the token left out.
        let forced = matcher.take_forced(Some(token), &vocabulary).unwrap();
        let kept = (!forced.replaces_last).then_some(token);
        let spelled = kept
            .into_iter()
            .chain(forced.tokens)
            .flat_map(|token| bytes(token).to_vec());
        let spelled: Vec<u8> = spelled.collect();
        if readings.len() > 1 {
            assert_eq!(spelled, bytes(token));
        } else if was_certain {
            assert_eq!(spelled, [&said, &matcher.answer()[answer.len()..]].concat());
        }
        if readings.len() == 1 {
            readings[0].answer = matcher.answer().to_vec();
        }
    }
    assert!(walk(c, matcher.answer()).is_some());
}

fn walk(c: &Constraint, answer: &[u8]) -> Option<ConstraintState> {
    answer
        .iter()
        .try_fold(c.start(), |state, &byte| c.step(state, byte))
}

/// A reading of an answer.
#[derive(Clone, Debug, Default, PartialEq)]
struct Read {
    answer: Vec<u8>,
    /// The last token with its quotes escaped.
    said: Vec<u8>,
    lacks_indent: bool,
}

struct Oracle {
    c: Constraint,
    shown: Shown,
    spelling: Spelling,
}

impl Oracle {
    fn after(&self, readings: &[Read], token: &[u8]) -> Vec<Read> {
        let mut after = Vec::new();
        let slot = |read: &Read| self.c.slot(walk(&self.c, &read.answer).unwrap());
        for read in readings {
            let another_goes_on = !after.is_empty();
            let ways = self.ways(read, token).into_iter();
            after.extend(ways.filter(|way| !(another_goes_on && slot(way) == Some(Slot::New))));
        }
        // A line that stands in the file as it was written lacks nothing.
        let has_ended = |read: &Read| slot(read) != Some(Slot::Old);
        if after
            .iter()
            .any(|read| has_ended(read) && !read.lacks_indent)
        {
            after.retain(|read| !has_ended(read) || !read.lacks_indent);
        }
        after
    }

    /// What `answer` and then `token` may be read as: each bare quote may be escaped, and each line
    /// of an excerpt may lack the blanks that its first line lacks.
    fn ways(&self, before: &Read, token: &[u8]) -> Vec<Read> {
        let answer = before.answer.as_slice();
        let is_escaped =
            |text: &[u8]| text.iter().rev().take_while(|&&b| b == b'\\').count() % 2 == 1;
        let mut reads = vec![Read {
            said: Vec::new(),
            ..before.clone()
        }];
        for (i, &byte) in token.iter().enumerate() {
            let is_last = i + 1 == token.len();
            let opens = is_last && i > 0 && b"(= ".contains(&token[i - 1]);
            let is_bare = byte == b'"'
                && !is_escaped(&[answer, &token[..i]].concat())
                && self.spelling == Spelling::Loose;
            let mut longer = Vec::new();
            for read in reads {
                let state = walk(&self.c, &read.answer).unwrap();
                let is_in_new = self.c.slot(state) == Some(Slot::New);
                // Not within a character or an escape, and within a token only if it closes a string.
                let may_escape = is_bare
                    && (!is_in_new
                        || self.c.is_free(state)
                            && (is_last || is_in_string(&self.c, &read.answer)));
                let indents = [Vec::new()]
                    .into_iter()
                    .chain(self.first_indents(&read.answer));
                let indents: Vec<Vec<u8>> = indents.collect();
                for is_escaped in [false, true] {
                    for indent in &indents {
                        let is_left_out = match (is_escaped, indent.is_empty()) {
                            (true, _) => !may_escape,
                            (false, false) => is_bare,
                            (false, true) => is_bare && is_in_new && opens,
                        };
                        let byte = if is_escaped {
                            vec![b'\\', byte]
                        } else {
                            vec![byte]
                        };
                        let answer = [read.answer.as_slice(), indent, &byte].concat();
                        if !is_left_out && walk(&self.c, &answer).is_some() {
                            let said = [read.said.clone(), byte].concat();
                            let lacks_indent = read.lacks_indent || !indent.is_empty();
                            longer.push(Read {
                                answer,
                                said,
                                lacks_indent,
                            });
                        }
                    }
                }
            }
            reads = longer;
        }
        reads
    }

    /// At the start of a line of an excerpt: the indentation before it, wherever it is, as JSON has
    /// it.
    fn first_indents(&self, answer: &[u8]) -> BTreeSet<Vec<u8>> {
        let old = answer.strip_prefix(br#"{"old":""#).unwrap_or_default();
        let json = [b"\"", old, b"\""].concat();
        let Ok(old) = serde_json::from_slice::<String>(&json) else {
            return BTreeSet::new();
        };
        if self.spelling == Spelling::Exact || !old.ends_with('\n') {
            return BTreeSet::new();
        }
        let mut all = BTreeSet::new();
        for text in self.shown.windows.iter().map(|window| window.text.as_str()) {
            let starts = boundaries(text);
            let n_inked = text.trim_end().len();
            for at in starts
                .ones()
                .filter(|&at| at < n_inked && text[at..].starts_with(&old))
            {
                let line = &text[text[..at].rfind('\n').map_or(0, |at| at + 1)..at];
                if !line.is_empty() && line.chars().all(|c| matches!(c, ' ' | '\t')) {
                    let json = serde_json::to_vec(line).unwrap();
                    all.insert(json[1..json.len() - 1].to_vec());
                }
            }
        }
        all
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
}

impl Tokenize for Pieces {
    fn tokenize(&self, text: &[u8]) -> Vec<TokenId> {
        self.trie.greedy_tokenize(text)
    }
}
