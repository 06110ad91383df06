use super::*;
use crate::slots::{Operation, Slots};
use crate::text::testing::rows;
use crate::text::{BlockSize, Outline, Shown, Text, blocks as cut_blocks};
use proptest::prelude::*;
use serde_json::json;

/// Applies an answer to a file and compares the file after it.
#[track_caller]
fn check_in(path: &str, operation: Operation, before: &str, answer: &str, after: &str) {
    let text = Text::decode(before.into()).unwrap();
    let slots = Slots::parse(operation, answer).unwrap();
    let edit = place(&slots, &Shown::whole(text.shown()))
        .unwrap()
        .expect("a place");
    let patched = EditSet::of(&edit, path, &text)
        .unwrap()
        .apply(&text)
        .unwrap();
    assert_eq!(
        String::from_utf8(patched).unwrap(),
        after,
        "{before:?} {answer}"
    );
}

/// Columns: a file, the text to replace, its replacement, the file afterwards.
#[track_caller]
fn replaced_in(path: &str, table: &str) {
    for [before, old, new, after] in rows(table) {
        let answer = json!({"old": old, "new": new}).to_string();
        check_in(path, Operation::Replace, &before, &answer, &after);
    }
}

#[track_caller]
fn replaced(table: &str) {
    replaced_in("a.rs", table);
}

/// Columns: a file, an anchor, the side of it, the new lines, the file afterwards.
#[track_caller]
fn inserted_in(path: &str, table: &str) {
    for [before, anchor, position, text, after] in rows(table) {
        let answer = json!({"anchor": anchor, "position": position, "text": text}).to_string();
        check_in(path, Operation::Insert, &before, &answer, &after);
    }
}

/// Columns: a file, the text to replace everywhere, its replacement, the file afterwards.
#[track_caller]
fn replaced_everywhere(table: &str) {
    for [before, old, new, after] in rows(table) {
        let answer = json!({"old": old, "new": new}).to_string();
        check_in("a.rs", Operation::ReplaceAll, &before, &answer, &after);
    }
}

#[test]
fn replacing_one_place() {
    replaced(
        "
        a = 1⏎b = 1⏎ | a = 1 | a = 2    | a = 2⏎b = 1⏎
        x⏎  y⏎       | y     | y⏎  ⏎  z | x⏎  y⏎⏎  z⏎
        x⏎  ⏎        | x     | y⏎  ⏎z   | y⏎  ⏎z⏎  ⏎
        ",
    );
    replaced_in("a.md", "x⏎ | x | y⏎  ⏎z | y⏎  ⏎z⏎");
    let answer = r#"{"old":"1","place":"line 2","new":"2"}"#;
    check_in(
        "a.rs",
        Operation::Replace,
        "a = 1\nb = 1\n",
        answer,
        "a = 1\nb = 2\n",
    );
}

/// Files with lines that are continued: Rust, C, shell and Python.
const CONTINUED: [&str; 4] = [
    "fn f() {\n    let n = 1;\n    say(\"first \\\n         second\");\n}\n",
    "int n = 1;\nchar *s = \"first \\\nsecond \\\nthird\";\n#define F(x) \\\n    g(x)\n",
    "n=1\ndocker run \\\n    --rm \\\n    --name a \\\n    image\n",
    "n = 1\ns = \"first \\\nsecond\"\nassert a and \\\n    b\n",
];

#[test]
fn continued_lines_stay_where_new_text_has_a_literal_line_feed() {
    for file in CONTINUED {
        let asked = file.replacen('1', "2", 1);
        for literal in ["\\n", "\\\\n", "\\n\n"] {
            let new = asked.replace("\\\n", literal);
            let answer = json!({"old": file.trim_end(), "new": new.trim_end()}).to_string();
            check_in("a.rs", Operation::Replace, file, &answer, &asked);
            let rewritten = EditSet::of_sorted(rewritten("a.rs", file, &new));
            let text = Text::decode(file.into()).unwrap();
            assert_eq!(rewritten.apply(&text).unwrap(), asked.as_bytes());
        }
    }
    // A word beside the line end changes.
    let [rust, ..] = CONTINUED;
    let old = "say(\"first \\\n         second\");";
    for (word, other) in [("second", "third"), ("first", "next")] {
        let wanted = old.replace(word, other);
        let answer = json!({"old": old, "new": wanted.replace("\\\n", "\\n")}).to_string();
        check_in(
            "a.rs",
            Operation::Replace,
            rust,
            &answer,
            &rust.replace(old, &wanted),
        );
    }
}

#[test]
fn a_literal_line_feed_that_is_meant_is_written() {
    let [rust, c, shell, _] = CONTINUED;
    for (file, new) in [
        // Nothing else changes.
        (rust, rust.replace("\\\n", "\\n")),
        (shell, shell.replace("\\\n", "\\n")),
        // The indentation goes, or both lines are others.
        (rust, rust.replace("\\\n         ", "\\n").replace('1', "2")),
        (
            c,
            c.replace("first \\\nsec", "next\\nsec").replace('1', "2"),
        ),
        // The old line was not continued.
        ("a(\"b\")\nc\n", "a(\"b\\n\")\nd\n".to_owned()),
    ] {
        let answer = json!({"old": file.trim_end(), "new": new.trim_end()}).to_string();
        check_in("a.rs", Operation::Replace, file, &answer, &new);
    }
}

#[test]
fn the_end_of_the_last_line_is_not_written_twice() {
    replaced(
        "
        a⏎  b⏎c⏎ | b   | x⏎        | a⏎  x⏎c⏎
        a⏎  b⏎c⏎ | ··b | ··x⏎  y⏎⏎ | a⏎  x⏎  y⏎⏎c⏎
        a⏎  b⏎c⏎ | c   | x⏎        | a⏎  b⏎x⏎
        a⏎b      | b   | x⏎        | a⏎x
        ",
    );
    // An empty line is asked for, or the line ends in `old` too, or goes on.
    replaced(
        "
        a⏎  b⏎c⏎ | b   | b⏎        | a⏎  b⏎⏎c⏎
        a⏎  b⏎c⏎ | a⏎  | x⏎⏎       | x⏎⏎  b⏎c⏎
        f(a, b)⏎ | a   | x⏎        | f(x⏎, b)⏎
        ",
    );
}

#[test]
fn later_lines_take_the_indentation_that_old_left_behind() {
    let file = "def f():⏎    if x:⏎        a()⏎        b()⏎";
    let start = "def f():⏎    if x:⏎";
    let rest = "        b()⏎";
    replaced(&format!(
        "
        {file} | a() | a()⏎c()          | {start}        a()⏎        c()⏎{rest}
        {file} | a() | if y:⏎    a()    | {start}        if y:⏎            a()⏎{rest}
        {file} | ········a() | ········a()⏎c() | {start}        a()⏎c()⏎{rest}
        func f() {{⏎⇥a()⏎⇥b()⏎}}⏎ | a() | if x {{⏎⇥a()⏎}} \
            | func f() {{⏎⇥if x {{⏎⇥⇥a()⏎⇥}}⏎⇥b()⏎}}⏎
        "
    ));
    // Nothing to do: it is there, `old` has it, or the lines leave the block.
    for new in ["a()⏎        c()", "a()⏎    return", "a()⏎⏎def g():⏎    c()"] {
        replaced(&format!(
            "{file} | a() | {new} | {}",
            file.replace("a()", new)
        ));
    }
}

#[test]
fn an_anchor_line_repeated_in_the_text_is_not_doubled() {
    inserted_in(
        "a.rs",
        "
        a⏎  b⏎c⏎ | b   | after  | b⏎d     | a⏎  b⏎  d⏎c⏎
        a⏎  b⏎c⏎ | ··b | before | ··d⏎  b | a⏎  d⏎  b⏎c⏎
        a⏎  b⏎c⏎ | ··b | after  | ··d⏎  b | a⏎  b⏎  d⏎  b⏎c⏎
        a⏎  b⏎c⏎ | a   | after  | a       | a⏎a⏎  b⏎c⏎
        ",
    );
}

#[test]
fn a_line_that_closes_the_new_lines_is_no_repeated_anchor() {
    let rust = "impl A {⏎    fn a() {}⏎}⏎";
    let b = "····fn b() {⏎        1⏎    }";
    let after = "impl A {⏎    fn a() {}⏎    fn b() {⏎        1⏎    }⏎}⏎";
    inserted_in("a.rs", &format!("{rust} | }} | before | {b} | {after}"));
    // This one is: the new lines are closed already.
    inserted_in("a.rs", &format!("{rust} | }} | before | {b}⏎}} | {after}"));
    let ruby = "class A⏎  x⏎end⏎ | end | before | ··def b⏎    1⏎  end";
    inserted_in(
        "a.rs",
        &format!("{ruby} | class A⏎  x⏎  def b⏎    1⏎  end⏎end⏎"),
    );
}

#[test]
fn a_line_beside_an_indented_one_has_its_tabs_or_spaces() {
    let makefile = "SRCS = a.c \\⏎    b.c \\⏎    c.c⏎⏎all:⏎⇥gcc⏎";
    let row = format!("{makefile} | ⇥gcc | after | ⇥echo | {makefile}⇥echo⏎");
    inserted_in("Makefile", &row);
}

#[test]
fn a_deleted_line_leaves_no_empty_one() {
    replaced(
        "
        a⏎  b⏎c⏎   | ··b⏎ | | a⏎c⏎
        a⏎  b⏎  c⏎ | b⏎   | | a⏎  c⏎
        a⏎  b⏎  c⏎ | b    | | a⏎  c⏎
        a⏎b        | b    | | a
        a⏎b⏎       | b    | | a⏎
        a b⏎       | b    | | a ⏎
        ",
    );
}

#[test]
fn a_block_is_named_by_its_beginning_and_its_last_line() {
    use Operation::Replace;
    let a = "fn a() {\n    x();\n    x();\n}\n";
    let b = "fn b() {\n    y();\n    z();\n}\n";
    let file = format!("{a}\n{b}");
    check_in(
        "a.rs",
        Replace,
        &file,
        r#"{"old":"fn b() {","through":"}","new":""}"#,
        a,
    );
    check_in(
        "a.rs",
        Replace,
        &file,
        r#"{"old":"fn a() {","through":"}","new":""}"#,
        b,
    );
    // Text after a place that is not one of the beginning's own lines.
    let first = "if a {\n    x();\n    y();\n}\n";
    let twice = format!("{first}if a {{\n    z();\n    w();\n}}\n");
    let second = r#"{"old":"if a {","place":"line 5","through":"}","new":"w();"}"#;
    check_in("a.rs", Replace, &twice, second, &format!("{first}w();\n"));

    // Of several equal lines, the nearest.
    let shown = Shown::whole(&file);
    let at = |answer: &str, shown: &Shown| place(&Slots::parse(Replace, answer).unwrap(), shown);
    for (answer, end) in [
        (r#"{"old":"fn a","through":"}","new":""}"#, "}"),
        (r#"{"old":"fn a","through":"    x();","new":""}"#, "x();"),
    ] {
        let at_end = 0..file.find(end).unwrap() + end.len();
        let new = String::new();
        assert_eq!(
            at(answer, &shown),
            Ok(Some(Edit::Replace { at: at_end, new }))
        );
    }
    for no_end in [
        r#"{"old":"fn b","through":"    x();","new":""}"#,
        r#"{"old":"fn a() {\n    x();\n    x();\n}","through":"}","new":""}"#,
        r#"{"old":"fn a() {\n    x();\n    x();\n}\n","through":"}","new":""}"#,
    ] {
        assert_eq!(at(no_end, &shown), Err(SlotsError::NoSuchEnd), "{no_end}");
    }
    // Lines of a long file that are not shown belong to no block.
    let far = format!("fn c() {{\n{}\n}}\n", "    line();\n".repeat(200));
    let outline = Outline::of(&far);
    let blocks = cut_blocks(&far, &outline, BlockSize::SMALL);
    let mut first = Shown::of_blocks(&far, &outline, blocks[..1].to_vec());
    let answer = r#"{"old":"fn c() {","through":"}","new":""}"#;
    assert_eq!(at(answer, &first), Err(SlotsError::NoSuchEnd));
    first.windows.push(shown.windows[0].clone());
    assert_eq!(at(answer, &first), Err(SlotsError::NoSuchEnd));
}

#[test]
fn what_is_removed_leaves_no_empty_lines_doubled() {
    replaced(
        "
        a⏎⏎b⏎⏎c⏎     | b  | | a⏎⏎c⏎
        a⏎⏎⏎b⏎⏎c⏎    | b  | | a⏎⏎⏎c⏎
        a⏎⏎b⏎  ⏎⏎c⏎  | b  | | a⏎  ⏎⏎c⏎
        a⏎b⏎⏎c⏎      | b  | | a⏎⏎c⏎
        a⏎⏎b⏎c⏎      | b  | | a⏎⏎c⏎
        b⏎⏎c⏎        | b  | | c⏎
        ⏎b⏎⏎c⏎       | b  | | c⏎
        a⏎⏎b⏎        | b  | | a⏎
        a⏎⏎b⏎⏎⏎      | b  | | a⏎
        a⏎⏎b         | b  | | a
        b⏎           | b  | |
        a⏎⏎⏎b        | b  | | a
        a⏎b⏎⏎⏎       | b  | | a⏎
        a⏎b⏎··       | b  | | a
        a⏎⏎b x⏎⏎c⏎   | b· | | a⏎⏎x⏎⏎c⏎
        ",
    );
    replaced_everywhere(
        "
        a⏎⏎x⏎x⏎⏎b⏎      | x | | a⏎⏎b⏎
        a⏎⏎x⏎⏎x⏎        | x | | a⏎
        a⏎⏎x⏎⏎⏎x⏎⏎b⏎    | x | | a⏎⏎⏎b⏎
        x⏎⏎x y⏎⏎x⏎⏎b⏎   | x | | ·y⏎⏎b⏎
        x⏎              | x | |
        ",
    );
    replaced_in("a.diff", "·⏎-b⏎ ⏎ c⏎ | -b | | ·⏎ ⏎ c⏎");
    replaced_in("a.md", "a⏎⏎b⏎⏎c⏎ | b | | a⏎⏎c⏎");
}

#[test]
fn replacing_everywhere_is_by_whole_tokens() {
    replaced_everywhere(
        "
        foo(foobar, foo)⏎foo_x foo | foo | bar | bar(foobar, bar)⏎foo_x bar
        ==== x                     | ==  | !   | !! x
        a⏎b⏎b                      | b   |     | a
        ",
    );
}

#[test]
fn inserting_keeps_the_anchor() {
    inserted_in(
        "a.rs",
        "
        a⏎b⏎ | b | before | x  | a⏎x⏎b⏎
        a⏎b⏎ | b | after  | x⏎ | a⏎b⏎x⏎
        a⏎b  | b | after  | x  | a⏎b⏎x
             |   | after  | x  | x⏎
        ⏎    |   | before | x  | x⏎⏎
        a⏎b⏎ | a | after  |    | a⏎⏎b⏎
        ",
    );
}

#[test]
fn creating_ends_with_a_line_feed() {
    let answer = r#"{"path":"b.rs","text":"fn b() {\n  \n}"}"#;
    check_in("a.rs", Operation::Create, "", answer, "fn b() {\n\n}\n");
}

#[test]
fn what_changes_nothing_is_an_empty_set() {
    let text = Text::decode(b"a = 1\n".to_vec()).unwrap();
    let all = |old: &str| {
        let (old, new) = (old.to_owned(), "a".to_owned());
        EditSet::of(&Edit::ReplaceAll { old, new }, "a.rs", &text)
    };
    assert!(all("a").unwrap().is_empty());
    assert_eq!(all("b"), Err(SlotsError::NotShown));
}

#[test]
fn answers_of_others_are_refused_not_guessed() {
    let shown = Shown::whole("a = 1\nb = 1\n");
    let at = |operation, answer: &str| place(&Slots::parse(operation, answer).unwrap(), &shown);
    let candidates = || vec!["line 1".to_owned(), "line 2".to_owned()];
    let (ambiguous, place) = (candidates(), "line 9".to_owned());
    let candidates = candidates();
    for (answer, expected) in [
        (r#"{"old":"c","new":""}"#, Err(SlotsError::NotShown)),
        (
            r#"{"old":"1","new":""}"#,
            Err(SlotsError::Ambiguous {
                candidates: ambiguous,
            }),
        ),
        (
            r#"{"old":"1","place":"line 9","new":""}"#,
            Err(SlotsError::NoSuchPlace { place, candidates }),
        ),
        (r#"{"old":"1","place":"none","new":""}"#, Ok(None)),
    ] {
        assert_eq!(at(Operation::Replace, answer), expected, "{answer}");
    }
    let all = at(Operation::ReplaceAll, r#"{"old":"c","new":""}"#);
    assert_eq!(all, Err(SlotsError::NotShown));
}

proptest! {
    #[test]
    fn an_edit_touches_no_byte_outside_its_ranges(
        before in "([ab_ \u{e9}]|\r\n|\n){1,40}",
        old in "[ab_ \n]{1,3}",
        new in "[ab \n]{0,5}",
    ) {
        let text = Text::decode(before.into_bytes()).unwrap();
        let edit = Edit::ReplaceAll { old, new };
        let Ok(set) = EditSet::of(&edit, "a.md", &text) else { return Ok(()) };
        // Undoing the replacements, first to last, gives the shown text again.
        let mut restored = Text::decode(set.apply(&text).unwrap()).unwrap().shown().to_owned();
        for r in set.replacements() {
            let at = r.range.start..r.range.start + r.new.len();
            prop_assert_eq!(&restored[at.clone()], r.new.as_str());
            restored.replace_range(at, &text.shown()[r.range.clone()]);
        }
        prop_assert_eq!(restored, text.shown());
    }
}
