use super::*;
use crate::format::testing::junk;
use proptest::prelude::*;

/// The names of the formats, each with the first and the last line of its section, counted from
/// 1; `None` if it is unclear.
fn shown(text: &str) -> Option<Vec<String>> {
    let shown = |TextSection { format, lines, .. }: &TextSection| {
        format!("{} {}-{}", format.name(), lines.start + 1, lines.end)
    };
    Some(split(text).ok()?.sections.iter().map(shown).collect())
}

#[track_caller]
fn check(text: &str, expected: &[&str]) {
    assert_eq!(
        shown(text),
        Some(expected.iter().map(|&s| s.to_owned()).collect()),
        "{text}"
    );
}

const BLOCK: &str = "<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n";
const DIFF: &str = "--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n-a\n+b\n c\n";
const CODEX: &str = "*** Begin Patch\n*** Delete File: x\n*** End Patch\n";
const JSON: &str = "{\"path\": \"x\",\n \"old_string\": \"a\", \"new_string\": \"b\"}\n";

#[test]
fn each_has_its_lines_and_the_fence_around_them() {
    for (text, name, n_lines) in [
        (BLOCK, "search-replace", 5),
        (DIFF, "unified", 6),
        (CODEX, "codex", 3),
        (JSON, "json", 2),
    ] {
        check(text, &[&format!("{name} 1-{n_lines}")]);
        let fenced = format!("So:\n\n```\n{text}```\nThen:\n");
        check(&fenced, &[&format!("{name} 3-{}", n_lines + 4)]);
        let named = format!("```python\na.py\n{text}```\n");
        check(&named, &[&format!("{name} 1-{}", n_lines + 3)]);
    }
    check("a.py\n```\nx\n```\n", &["whole-file 2-4"]);
    check("```diff\n-a\n+b\n```\n", &["unified 1-4"]);
    check(
        "```\n*** x\n--- x\n***************\n*** 1 ****\n! a\n--- 1 ----\n! b\n```\n",
        &["context 1-9"],
    );
    check("```\nx\n```\nSee a.py.\n", &[]);
}

#[test]
fn one_after_the_other() {
    let text =
        format!("a.py\n```\n{BLOCK}```\nAnd the diff:\n{DIFF}\nb.py\n```\nx\n```\n{CODEX}{JSON}");
    check(
        &text,
        &[
            "search-replace 2-8",
            "unified 10-15",
            "whole-file 18-20",
            "codex 21-23",
            "json 24-25",
        ],
    );
    check(&format!("{BLOCK}and\n{BLOCK}"), &["search-replace 1-11"]);
    let fenced = format!("```\n{BLOCK}```\n");
    check(
        &format!("{fenced}and\n{fenced}a.py\n```\nx\n```\n"),
        &["search-replace 1-15", "whole-file 17-19"],
    );
    check(&format!("{CODEX}and\n{CODEX}"), &["codex 1-3", "codex 5-7"]);
    check(
        &format!("```\n{BLOCK}{BLOCK}```\n{DIFF}"),
        &["search-replace 1-12", "unified 13-18"],
    );
    check(
        &format!("```\n{BLOCK}{DIFF}```\n"),
        &["search-replace 1-6", "unified 7-13"],
    );
}

#[test]
fn marks_in_the_content_of_a_section_begin_none() {
    let in_a_diff = "--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n <<<<<<< SEARCH\n-a\n+b\n";
    check(in_a_diff, &["unified 1-6"]);
    let in_a_block = format!("<<<<<<< SEARCH\n{DIFF}```\n=======\nb\n>>>>>>> REPLACE\n");
    check(&in_a_block, &["search-replace 1-11"]);
    let in_a_codex_patch =
        "*** Begin Patch\n*** Add File: x\n+<<<<<<< SEARCH\n+*** End Patch\n*** End Patch\n";
    check(in_a_codex_patch, &["codex 1-5"]);
}

#[test]
fn what_stands_in_a_fence_is_no_edit() {
    for (fence, info) in [("````", "markdown"), ("~~~", ""), ("```", "md")] {
        for inner in [BLOCK, DIFF, CODEX, JSON] {
            let page = format!("{fence}{info}\n# Page\n\n```diff\n{inner}```\n\nEnd.\n{fence}\n");
            let n_lines = page.lines().count();
            check(
                &format!("a.md\n{page}"),
                &[&format!("whole-file 2-{}", n_lines + 1)],
            );
            check(&page, &[]);
            check(
                &format!("{page}\n{DIFF}"),
                &[&format!("unified {}-{}", n_lines + 2, n_lines + 7)],
            );
        }
    }
    check(&format!("a.txt\n```\nx\n{DIFF}```\n"), &["whole-file 2-10"]);
    check(
        &format!("a.json\n```json\n{JSON}```\n"),
        &["whole-file 2-5"],
    );
    check(&format!("```\nx\n{DIFF}```\n"), &[]);
}

#[test]
fn what_is_unclear_is_refused() {
    for text in [
        format!("a.py\n```\nx\n\n{DIFF}"),
        format!("```\nx\n\n{DIFF}"),
        format!("a.md\n```\n# A\n```\nb.py\n{BLOCK}```\n```\n"),
        format!("{BLOCK}*** Update File: a\n"),
        format!("a.py\n```\nx\n{BLOCK}```\n"),
    ] {
        assert_eq!(shown(&text), None, "{text}");
    }
}

#[test]
fn each_has_the_prose_around_it() {
    let text = format!("a.py\n```\n{BLOCK}```\nSo:\n{DIFF}The end.\n");
    let shown: Vec<(usize, String)> = split(&text)
        .unwrap()
        .sections
        .into_iter()
        .map(|section| (section.n_above, section.text))
        .collect();
    let (block, diff) = (
        format!("a.py\n```\n{BLOCK}```\nSo:\n"),
        format!("So:\n{DIFF}The end.\n"),
    );
    assert_eq!(shown, [(0, block), (8, diff)]);
    let text = format!("{CODEX}The end.\n");
    assert_eq!(split(&text).unwrap().sections.remove(0).text, CODEX);
}

proptest! {
    #[test]
    fn never_panics_and_sections_are_in_order(text in junk(&[
        "a.py\n", "```\n", "```diff\n", "~~~~\n", "<<<<<<< SEARCH\n", "=======\n",
        ">>>>>>> REPLACE\n", "*** Begin Patch\n", "*** End Patch\n", "--- a/x\n", "+++ b/x\n",
        "@@ -1 +1 @@\n", "-a\n", "+b\n", "{\"path\": \"x\", \"content\": \"\"}\n", "[", "]\n",
    ])) {
        let n_lines = text.lines().count();
        let mut end = 0;
        for section in split(&text).unwrap_or_default().sections {
            prop_assert!(end <= section.lines.start && section.lines.start < section.lines.end);
            end = section.lines.end;
            let n_lines = section.text.lines().count();
            prop_assert!(section.n_above + n_lines >= end);
        }
        prop_assert!(end <= n_lines);
    }
}
