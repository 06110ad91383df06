//! The constraint checked by brute force on small texts. Everything that it accepts is enumerated
//! byte by byte, and compared with everything that the definitions allow, enumerated from the text.

use super::automaton::At;
use super::{Constraint, ConstraintState, NoEdit, PickFile, SlotSpec};
use crate::edit::{self, Edit, NamedBlock};
use crate::slots::fenced::Fence;
use crate::slots::{Operation, Replace, Slot, Slots};
use crate::text::{Shown, boundaries, place_labels};
use proptest::collection::vec;
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

/// Texts made of few different characters, so that they repeat. The characters have every class and
/// several byte lengths.
pub(super) fn small_text() -> impl Strategy<Value = String> {
    proptest::string::string_regex("[ab_ \n\"\\\\(=\t\u{1b}\u{e9}\u{301}\u{4e2d}\u{1f600}]{1,10}")
        .unwrap()
}

/// A text of a few short lines, some of them equal or empty.
pub(super) fn lines() -> impl Strategy<Value = String> {
    proptest::string::string_regex("a[ab}]?(\n *[b}\"\\\\\t]?[n\u{e9}]?){0,5}").unwrap()
}

pub(super) fn shown(windows: &[String]) -> Shown {
    // Windows cut out of one text, as those of a long file are.
    let mut shown = Shown {
        windows: Vec::new(),
    };
    let mut offset = 0;
    for (i, text) in windows.iter().enumerate() {
        let mut window = Shown::whole(&format!("{text}\n")).windows.remove(0);
        (window.offset, window.first_line) = (offset, 1 + i * 100);
        offset += text.len() + 1;
        shown.windows.push(window);
    }
    shown
}

/// Every byte string from `state` to the first state that `is_goal`, with the state reached.
fn language(
    c: &Constraint,
    state: ConstraintState,
    is_goal: &impl Fn(ConstraintState) -> bool,
) -> BTreeMap<Vec<u8>, ConstraintState> {
    let mut found = BTreeMap::new();
    let mut open = vec![(Vec::new(), state)];
    while let Some((bytes, state)) = open.pop() {
        if is_goal(state) {
            assert!(found.insert(bytes, state).is_none());
            continue;
        }
        let allowed: Vec<u8> = (0..=255).filter(|&b| c.step(state, b).is_some()).collect();
        assert!(
            !allowed.is_empty(),
            "a dead end after {}",
            bytes.escape_ascii()
        );
        assert_eq!(
            c.only_byte(state),
            (allowed.len() == 1).then(|| allowed[0]),
            "after {}",
            bytes.escape_ascii()
        );
        for b in allowed {
            let next = [bytes.as_slice(), &[b]].concat();
            open.push((next, c.step(state, b).unwrap()));
        }
    }
    found
}

pub(super) fn after(c: &Constraint, bytes: &[u8]) -> ConstraintState {
    bytes
        .iter()
        .fold(c.start(), |state, &b| c.step(state, b).unwrap())
}

/// All excerpts that the definitions allow, with the number of their occurrences.
pub(super) fn excerpts(shown: &Shown) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    for window in &shown.windows {
        let text = &window.text;
        let ends: Vec<usize> = boundaries(text).ones().collect();
        for (i, &start) in ends.iter().enumerate() {
            for &end in &ends[i + 1..] {
                if !text[start..end].trim().is_empty() {
                    *counts.entry(text[start..end].to_owned()).or_default() += 1;
                }
            }
        }
    }
    counts
}

pub(super) fn replace(shown: &Shown, blocks: bool) -> SlotSpec {
    SlotSpec::Replace {
        shown: shown.clone(),
        blocks,
    }
}

fn pick(files: &[PickFile], may_create: bool, goes_on: bool, no_edit: NoEdit) -> SlotSpec {
    SlotSpec::Pick {
        files: files.to_vec(),
        may_create,
        goes_on,
        no_edit,
    }
}

fn json(text: &str) -> Vec<u8> {
    let quoted = serde_json::to_vec(text).unwrap();
    quoted[1..].to_vec()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    #[test]
    fn excerpts_and_their_places(windows in vec(small_text(), 1..3)) {
        check_excerpts(&shown(&windows));
    }

    #[test]
    fn a_block_ends_with_a_line_after_its_beginning(windows in vec(lines(), 1..3)) {
        check_blocks(&shown(&windows));
    }

    #[test]
    fn anchors_and_their_places(windows in vec(small_text(), 1..3)) {
        check_anchors(&shown(&windows));
    }

    #[test]
    fn large_intervals_are_counted_as_small_ones(unit in small_text(), n in 20..60usize) {
        check_counts(&shown(&[unit.repeat(n)]));
    }
}

/// A text of only whitespace has no excerpt, and is never in a question.
fn check_excerpts(shown: &Shown) {
    let expected = excerpts(shown);
    if expected.is_empty() {
        return;
    }
    let c = Constraint::new(&replace(shown, false));
    let in_old = after(&c, br#"{"old":""#);
    let accepted = language(&c, in_old, &|state| c.slot(state) != Some(Slot::Old));
    let accepted_texts: BTreeSet<Vec<u8>> = accepted.keys().cloned().collect();
    let expected_texts: BTreeSet<Vec<u8>> = expected.keys().map(|text| json(text)).collect();
    assert_eq!(accepted_texts, expected_texts);
    for (text, count) in expected {
        let occurrences = shown.occurrences(&text);
        assert_eq!(occurrences.len(), count);
        let state = accepted[&json(&text)];
        assert_eq!(
            matches!(state.at, At::PlaceKey { .. }),
            count > 1,
            "{text:?}"
        );
        if count == 1 {
            continue;
        }
        let is_goal = |state| c.is_complete(state) || c.slot(state) == Some(Slot::New);
        let rest = language(&c, state, &is_goal);
        let named =
            |label: &String| [br#","place":""#.as_slice(), &json(label), br#","new":""#].concat();
        let mut labels: BTreeSet<Vec<u8>> = place_labels(shown, &occurrences)
            .iter()
            .map(named)
            .collect();
        assert_eq!(labels.len(), count);
        labels.insert(br#","place":"none","new":""}"#.to_vec());
        assert_eq!(rest.into_keys().collect::<BTreeSet<_>>(), labels);
    }
}

fn check_blocks(shown: &Shown) {
    let c = Constraint::new(&replace(shown, true));
    for (old, count) in excerpts(shown) {
        let state = after(&c, &[br#"{"old":""#, json(&old).as_slice()].concat());
        if count != 1 {
            let is_through = matches!(state.at, At::ThroughKey { .. });
            assert!(!is_through, "{old:?}: its place comes first");
            continue;
        }
        let rest = language(&c, state, &|state| c.slot(state) == Some(Slot::New));
        assert_eq!(
            rest.keys().cloned().collect::<BTreeSet<_>>(),
            block_ends(shown, &old),
            "{old:?}"
        );
        for key in rest.into_keys() {
            let answer = [br#"{"old":""#.as_slice(), &json(&old), &key, br#""}"#].concat();
            check_block_is_found(shown, &old, &answer);
        }
    }
}

/// What may follow the excerpt in an answer. The excerpt begins the first line of a block of four
/// lines or more. It ends at the end of a line of the block that begins after the excerpt.
fn block_ends(shown: &Shown, old: &str) -> BTreeSet<Vec<u8>> {
    let mut ends = BTreeSet::from([br#","new":""#.to_vec()]);
    for window in &shown.windows {
        let text = &window.text;
        let boundaries = boundaries(text);
        for start in boundaries
            .ones()
            .filter(|&start| text[start..].starts_with(old))
        {
            let old_end = start + old.len();
            if !boundaries.contains(old_end) {
                continue;
            }
            let Some(block_end) = end_of_block(text, start) else {
                continue;
            };
            for end in line_ends(text, old_end).filter(|&end| end <= block_end) {
                let line = text[..end].rsplit('\n').next().unwrap();
                let beginning: Vec<&str> = text[start..old_end]
                    .trim_end_matches('\n')
                    .split('\n')
                    .collect();
                let ends_line = text.len() == old_end
                    || old.ends_with('\n')
                    || text.as_bytes()[old_end] == b'\n';
                let is_own = beginning.len() > 1 && ends_line && beginning.last() == Some(&line);
                if end - line.len() >= old_end && !line.trim().is_empty() && !is_own {
                    let key = br#","through":""#.as_slice();
                    ends.insert([key, &json(line), br#","new":""#].concat());
                }
            }
        }
    }
    ends
}

/// Where the block ends that the line at `start` opens; none if that is not the beginning of a line
/// or of its text, or if the block has fewer than four lines.
fn end_of_block(text: &str, start: usize) -> Option<usize> {
    let line_start = text[..start].rfind('\n').map_or(0, |at| at + 1);
    if !text[line_start..start].trim().is_empty()
        || (start > line_start && text[start..].starts_with(char::is_whitespace))
    {
        return None;
    }
    let width = |line: &str| -> usize {
        let blanks = line.chars().take_while(|c| c.is_whitespace());
        blanks.map(|c| if c == '\t' { 8 } else { 1 }).sum()
    };
    let lines: Vec<&str> = text[line_start..].split('\n').collect();
    if lines[0].trim().is_empty() {
        return None;
    }
    let mut last = 0;
    for (i, line) in lines.iter().enumerate().skip(1) {
        if line.trim().is_empty() {
            continue;
        }
        if width(line) > width(lines[0]) {
            last = i;
            continue;
        }
        let closes = line.trim_start().starts_with(['}', ')', ']']);
        if last > 0 && closes && width(line) == width(lines[0]) {
            last = i;
        }
        break;
    }
    let n_bytes: usize = lines[..=last].iter().map(|line| line.len() + 1).sum();
    (last >= 3).then_some(line_start + n_bytes - 1)
}

/// The block ends with the nearest line after the excerpt that is equal to the one named.
fn check_block_is_found(shown: &Shown, old: &str, answer: &[u8]) {
    let slots: Replace = serde_json::from_slice(answer).unwrap();
    let at = shown.occurrences(old)[0];
    let text = &shown.windows[at.window].text;
    let old_end = at.offset + old.len();
    let end = slots.through.as_ref().map_or(old_end, |line| {
        let is_whole = |&end: &usize| {
            text[..end].ends_with(line.as_str())
                && end - line.len() >= old_end
                && text[..end - line.len()].ends_with('\n')
        };
        line_ends(text, old_end).find(is_whole).unwrap()
    });
    let offset = shown.windows[at.window].offset;
    let wanted = Edit::Replace {
        at: offset + at.offset..offset + end,
        new: String::new(),
    };
    assert_eq!(edit::place(&Slots::Replace(slots), shown), Ok(Some(wanted)));
}

/// The offsets at which lines end, from `from` on.
fn line_ends(text: &str, from: usize) -> impl Iterator<Item = usize> {
    (from..=text.len()).filter(|&end| text.as_bytes().get(end).is_none_or(|&byte| byte == b'\n'))
}

fn check_anchors(shown: &Shown) {
    check_anchors_after(shown, false, br#"{"anchor":""#);
    check_anchors_after(shown, true, br#"{"position":"below","anchor":""#);
}

fn check_anchors_after(shown: &Shown, side_first: bool, beginning: &[u8]) {
    let c = Constraint::new(&SlotSpec::Insert {
        shown: shown.clone(),
        side_first,
    });
    let in_anchor = after(&c, beginning);
    let accepted = language(&c, in_anchor, &|state| c.slot(state) != Some(Slot::Anchor));
    // Each line as it is, and without the whitespace on either side or on both.
    let mut meant: BTreeMap<Vec<u8>, BTreeSet<(usize, usize)>> = BTreeMap::new();
    for (line, at) in shown.anchor_lines() {
        for spelling in [line, line.trim_start(), line.trim_end(), line.trim()] {
            let places = at.iter().map(|at| (at.window, at.offset));
            meant.entry(json(spelling)).or_default().extend(places);
        }
    }
    assert_eq!(
        accepted.keys().collect::<Vec<_>>(),
        meant.keys().collect::<Vec<_>>()
    );
    for (spelling, places) in meant {
        assert_eq!(
            matches!(accepted[&spelling].at, At::PlaceKey { .. }),
            places.len() > 1
        );
    }
}

fn check_counts(shown: &Shown) {
    let expected = excerpts(shown);
    if expected.is_empty() {
        return;
    }
    let c = Constraint::new(&replace(shown, true));
    for (text, count) in expected.iter().filter(|(text, _)| text.len() <= 12) {
        let state = after(&c, &[br#"{"old":""#, json(text).as_slice()].concat());
        assert_eq!(
            matches!(state.at, At::PlaceKey { .. }),
            *count > 1,
            "{text:?}"
        );
    }
}

fn check(spec: &SlotSpec, accepted: &[&str], refused: &[&str]) {
    let c = Constraint::new(spec);
    for answer in accepted {
        assert!(c.accepts(answer.as_bytes()), "should be accepted: {answer}");
    }
    for answer in refused {
        assert!(!c.accepts(answer.as_bytes()), "should be refused: {answer}");
    }
}

#[test]
fn picks() {
    use Operation::{Insert, Replace, ReplaceAll};
    let file = |path: &str, operations: &[Operation]| PickFile {
        path: path.to_owned(),
        operations: operations.to_vec(),
    };
    let files = vec![
        file("src/a.rs", &[Replace, ReplaceAll, Insert]),
        file("src/a.rs.bak", &[Replace]),
        file("e \"q\".py", &[Insert]),
    ];
    check(
        &pick(&files, true, false, NoEdit::ForAnyReason),
        &[
            r#"{"path":"src/a.rs","operation":"replace_all"}"#,
            r#"{"path":"src/a.rs.bak","operation":"replace"}"#,
            r#"{"path":"e \"q\".py","operation":"insert"}"#,
            r#"{"operation":"create"}"#,
            r#"{"operation":"none","reason":"not_in_these_files"}"#,
        ],
        &[
            r#"{"path":"src/a.r","operation":"replace"}"#,
            r#"{"path":"e \"q\".py","operation":"replace"}"#,
            r#"{"path":"src/a.rs","operation":"create"}"#,
            r#"{"operation":"none","reason":"tired"}"#,
            r#"{"path":"src/a.rs","operation":"rename"}"#,
            r#"{"path":"src/a.rs","operation":"replace"} "#,
            r#"{ "path":"src/a.rs","operation":"replace"}"#,
            "",
        ],
    );
    check(
        &pick(&files, false, false, NoEdit::ForAnyReason),
        &[],
        &[r#"{"operation":"create"}"#],
    );
    check(
        &pick(&files, true, true, NoEdit::ForAnyReason),
        &[
            "{\"path\":\"src/a.rs\",\"operation\":\"insert\"}\n",
            "{\"path\":\"src/a.rs\",\"operation\":\"rename\"}\n",
            "{\"operation\":\"create\"}\n",
            r#"{"operation":"none","reason":"unclear"}"#,
        ],
        &[r#"{"path":"src/a.rs","operation":"insert"}"#],
    );
    check(
        &pick(&[], true, true, NoEdit::AsTheEnd),
        &[
            "{\"operation\":\"create\"}\n",
            r#"{"operation":"none","reason":"already_done"}"#,
        ],
        &[r#"{"operation":"none","reason":"unclear"}"#],
    );
    check(
        &pick(&[], true, true, NoEdit::Never),
        &["{\"operation\":\"create\"}\n"],
        &[r#"{"operation":"none","reason":"already_done"}"#],
    );
    check(
        &pick(&[], true, false, NoEdit::ForAnyReason),
        &[r#"{"operation":"create"}"#],
        &[r#"{"path":"","operation":"insert"}"#],
    );
}

#[test]
fn answers_of_stage_2() {
    let file = "fn a() {\n    x();\n    z();\n}\nfn b() {\n    x();\n    y();\n}\n";
    let shown = Shown::whole(file);
    let replace = replace(&shown, true);
    check(
        &SlotSpec::GoesOn(Box::new(replace.clone())),
        &[
            "{\"old\":\"z();\",\"new\":\"\"}\n",
            "{\"old\":\"fn a() {\",\"through\":\"}\",\"new\":\"\"}\n",
        ],
        &[
            r#"{"old":"z();","new":""}"#,
            "{\"old\":\"z();\",\"new\":\"\"}\n\n",
        ],
    );
    check(
        &replace,
        &[
            r#"{"old":"fn a() {\n    x();","new":""}"#,
            r#"{"old":"x();","place":"b, line 6","new":"y();\n\tz();"}"#,
            r#"{"old":"fn a() {","through":"}","new":""}"#,
            r#"{"old":"fn b","through":"    x();","new":""}"#,
            r#"{"old":"fn a() {\n","through":"    x();","new":"fn a() {"}"#,
        ],
        &[
            r#"{"old":"fn b() {","through":"fn a() {","new":""}"#,
            r#"{"old":"fn b() {","through":"x();","new":""}"#,
            r#"{"old":"fn a() {\n    x();\n    z();\n}","through":"}","new":""}"#,
            r#"{"old":"z();","through":"}","new":""}"#,
            r#"{"old":"a() {","through":"}","new":""}"#,
            r#"{"old":"fn a() {","through":"fn b() {","new":""}"#,
            r#"{"old":"x();","place":"b, line 6","through":"}","new":""}"#,
            r#"{"old":"x();","place":"none","through":"}","new":""}"#,
            r#"{"old":"fn a() {\n   ","new":""}"#,
            r#"{"old":"x();","place":"a, line 3","new":""}"#,
            r#"{"old":"x();","new":""}"#,
            r#"{"old":"","new":""}"#,
            r#"{"old":"\n    ","new":""}"#,
            "{\"old\":\"fn a\",\"new\":\"\n\"}",
        ],
    );
    check(
        &SlotSpec::ReplaceAll {
            shown: shown.clone(),
        },
        &[r#"{"old":"x","new":"why"}"#],
        &[r#"{"old":"x","place":"a, line 2","new":"why"}"#],
    );
    let place_of = |operation| SlotSpec::Where {
        operation,
        shown: shown.clone(),
        blocks: true,
        side_first: false,
    };
    check(
        &place_of(Operation::Insert),
        &[
            r#"{"anchor":"fn a() {","position":"before"}"#,
            r#"{"anchor":"x();","place":"a, line 2","position":"after"}"#,
            r#"{"anchor":"    x();","place":"none","position":"after"}"#,
        ],
        &[
            r#"{"anchor":"fn a() {","position":"before","text":""}"#,
            r#"{"anchor":"fn a() {"}"#,
            r#"{"anchor":"x();","position":"after"}"#,
        ],
    );
    check(
        &place_of(Operation::Replace),
        &[
            r#"{"old":"fn a() {"}"#,
            r#"{"old":"fn a() {","through":"}"}"#,
            r#"{"old":"x();","place":"a, line 2"}"#,
            r#"{"old":"x();","place":"none"}"#,
        ],
        &[
            r#"{"old":"fn a() {","new":""}"#,
            r#"{"old":"fn a() {","through":"}","new":""}"#,
            r#"{"old":"x();"}"#,
            r#"{"old":"q"}"#,
        ],
    );
    check(
        &SlotSpec::Insert {
            shown: shown.clone(),
            side_first: false,
        },
        &[
            r#"{"anchor":"fn a() {","position":"before","text":"// \"a\"\n"}"#,
            r#"{"anchor":"    x();","place":"a, line 2","position":"after","text":""}"#,
            r#"{"anchor":"x();","place":"a, line 2","position":"after","text":""}"#,
            r#"{"anchor":"z();","position":"after","text":""}"#,
            r#"{"anchor":"    x();","place":"none","position":"after","text":""}"#,
        ],
        &[
            r#"{"anchor":"    x();","position":"after","text":""}"#,
            r#"{"anchor":"x();","position":"after","text":""}"#,
            r#"{"anchor":"z()","position":"after","text":""}"#,
            r#"{"anchor":"","position":"after","text":""}"#,
            r#"{"anchor":"fn a() {","position":"inside","text":""}"#,
        ],
    );
    check(
        &SlotSpec::Insert {
            shown,
            side_first: true,
        },
        &[
            r#"{"position":"above","anchor":"fn a() {","text":"// a"}"#,
            r#"{"position":"after","anchor":"x();","place":"a, line 2","text":""}"#,
            r#"{"position":"before","anchor":"    x();","place":"none","text":""}"#,
        ],
        &[
            r#"{"anchor":"fn a() {","position":"before","text":""}"#,
            r#"{"position":"above","anchor":"x();","text":""}"#,
            r#"{"position":"inside","anchor":"fn a() {","text":""}"#,
        ],
    );
    check(
        &SlotSpec::Create {
            existing: vec!["src/a.rs".to_owned()],
            spelled: vec![".env".to_owned()],
        },
        &[
            r#"{"path":"src/b.rs","text":"fn b() {}\n"}"#,
            r#"{"path":".env","text":""}"#,
        ],
        &[
            r#"{"path":"src/a.rs","text":""}"#,
            r#"{"path":"../b.rs","text":""}"#,
            r#"{"path":".en","text":""}"#,
        ],
    );
}

#[test]
fn a_block_in_a_fence() {
    let block = |name: &str| NamedBlock {
        name: name.to_owned(),
        range: 0..2,
        text: "x\u{c}\n".to_owned(),
    };
    let one = SlotSpec::Rewrite {
        blocks: vec![block("f")],
        fence: Fence::around("", "py").unwrap(),
    };
    check(
        &one,
        &[
            "```py\n```",
            "```py\ny\n```",
            "```py\n \"\\n `é```\n\u{c}`\n``\n```",
            "```py\n    ```\n```",
        ],
        &[
            "```py\ny",
            "```py\ny```",
            "```py\n\u{b}\n```",
            "```\ny\n```",
            "```py\n```x",
            "y\n```",
        ],
    );
    let (blocks, fence) = (
        vec![block("def f():"), block("`a`")],
        Fence::around("````", "").unwrap(),
    );
    check(
        &SlotSpec::Rewrite { blocks, fence },
        &[
            "`def f():`:\n`````\n```\n````\n`````",
            "``a``:\n`````\n`````",
        ],
        &[
            "`````\n`````",
            "`def g():`:\n`````\n`````",
            "`def f():`:\n```\n```",
        ],
    );
}

#[test]
fn a_block_may_begin_with_what_begins_many_longer_words() {
    // "a" occurs once as a word and is the beginning of twenty more.
    let many: String = (0..20).map(|i| format!("ab{i}\n")).collect();
    for (text, begins) in [
        (format!("{many}a\n  x\n  y\n  z\n"), true),
        (format!("{many}a\n  x\n  y\n"), false),
        (format!("{many}a\nx\ny\nz\n"), false),
        (format!("{many}a\n"), false),
        (format!("{many}a\n\n"), false),
    ] {
        let c = Constraint::new(&replace(&Shown::whole(&text), true));
        let state = after(&c, br#"{"old":"a""#);
        assert_eq!(
            matches!(state.at, At::ThroughKey { .. }),
            begins,
            "{text:?}"
        );
    }
}

#[test]
fn a_block_does_not_end_within_a_line() {
    let text = format!("a\n b\n c\n d\n {}\n", "word ".repeat(100));
    let outline = crate::text::Outline::of(&text);
    let blocks = crate::text::blocks(&text, &outline, crate::text::BlockSize::TINY);
    let shown = Shown::of_blocks(&text, &outline, blocks[..2].to_vec());
    assert!(
        shown.windows[0].text.len() > 20 && shown.windows[0].text.len() < text.len() - 1,
        "{shown:?}"
    );
    let last = shown.windows[0].text.rsplit('\n').next().unwrap();
    let part = format!(r#"{{"old":"a","through":"{last}","new":""}}"#);
    check(
        &replace(&shown, true),
        &[
            r#"{"old":"a","through":" d","new":""}"#,
            r#"{"old":"b","new":""}"#,
        ],
        &[&part],
    );
}

#[test]
fn an_excerpt_stays_within_one_window() {
    let shown = shown(&["a b".to_owned(), "c d".to_owned()]);
    check(
        &replace(&shown, true),
        &[r#"{"old":"a b","new":""}"#, r#"{"old":"c","new":""}"#],
        &[r#"{"old":"b\nc","new":""}"#, r#"{"old":"bc","new":""}"#],
    );
}

#[test]
fn nothing_follows_a_complete_answer() {
    let c = Constraint::new(&pick(&[], false, false, NoEdit::ForAnyReason));
    let state = after(&c, br#"{"operation":"none","reason":"unclear"}"#);
    assert!(c.is_complete(state));
    assert!((0..=255).all(|b| c.step(state, b).is_none()));
}
