use super::*;
use crate::slots::{Operation, Replace, ReplaceAll, Slots};
use crate::text::{Shown, Text};
use proptest::prelude::*;

/// Applies an answer to a file and compares the file after it.
fn check(operation: Operation, before: &str, answer: &str, after: &str) {
    check_in("a.rs", operation, before, answer, after);
}

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
    assert_eq!(String::from_utf8(patched).unwrap(), after);
}

#[test]
fn replacing_one_place() {
    use Operation::Replace;
    check(
        Replace,
        "a = 1\nb = 1\n",
        r#"{"old":"a = 1","new":"a = 2"}"#,
        "a = 2\nb = 1\n",
    );
    check(
        Replace,
        "a = 1\nb = 1\n",
        r#"{"old":"1","place":"line 2","new":"2"}"#,
        "a = 1\nb = 2\n",
    );
    check(
        Replace,
        "x\n  y\n",
        r#"{"old":"y","new":"y\n  \n  z"}"#,
        "x\n  y\n\n  z\n",
    );
    check(
        Replace,
        "x\n  \n",
        r#"{"old":"x","new":"y\n  \nz"}"#,
        "y\n  \nz\n  \n",
    );
    check_in(
        "a.md",
        Replace,
        "x\n",
        r#"{"old":"x","new":"y\n  \nz"}"#,
        "y\n  \nz\n",
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
            let (old, new_text) = (file.trim_end(), new.trim_end());
            let answer = serde_json::json!({"old": old, "new": new_text}).to_string();
            check(Operation::Replace, file, &answer, &asked);
            let rewritten = EditSet::of_sorted(rewritten("a.rs", file, &new));
            let text = Text::decode(file.into()).unwrap();
            assert_eq!(rewritten.apply(&text).unwrap(), asked.as_bytes());
        }
    }
    // A word beside the line end changes.
    let [rust, ..] = CONTINUED;
    let old = "say(\"first \\\n         second\");";
    for (new, wanted) in [
        (
            "say(\"first \\n         third\");",
            "say(\"first \\\n         third\");",
        ),
        (
            "say(\"next \\n         second\");",
            "say(\"next \\\n         second\");",
        ),
    ] {
        let answer = serde_json::json!({"old": old, "new": new}).to_string();
        check(
            Operation::Replace,
            rust,
            &answer,
            &rust.replace(old, wanted),
        );
    }
}

#[test]
fn a_literal_line_feed_that_is_meant_is_written() {
    for (file, new) in [
        // Nothing else changes.
        (CONTINUED[0], CONTINUED[0].replace("\\\n", "\\n")),
        (CONTINUED[2], CONTINUED[2].replace("\\\n", "\\n")),
        // The indentation goes, or both lines are others.
        (
            CONTINUED[0],
            CONTINUED[0]
                .replace("\\\n         ", "\\n")
                .replace('1', "2"),
        ),
        (
            CONTINUED[1],
            CONTINUED[1]
                .replace("first \\\nsec", "next\\nsec")
                .replace('1', "2"),
        ),
        // The old line was not continued.
        ("a(\"b\")\nc\n", "a(\"b\\n\")\nd\n".to_owned()),
    ] {
        let (old, new_text) = (file.trim_end(), new.trim_end());
        let answer = serde_json::json!({"old": old, "new": new_text}).to_string();
        check(Operation::Replace, file, &answer, &new);
    }
}

#[test]
fn the_end_of_the_last_line_is_not_written_twice() {
    use Operation::Replace;
    let file = "a\n  b\nc\n";
    check(Replace, file, r#"{"old":"b","new":"x\n"}"#, "a\n  x\nc\n");
    check(
        Replace,
        file,
        r#"{"old":"  b","new":"  x\n  y\n\n"}"#,
        "a\n  x\n  y\n\nc\n",
    );
    check(Replace, file, r#"{"old":"c","new":"x\n"}"#, "a\n  b\nx\n");
    check(Replace, "a\nb", r#"{"old":"b","new":"x\n"}"#, "a\nx");
    // An empty line is asked for, or the line ends in `old` too, or goes on.
    check(Replace, file, r#"{"old":"b","new":"b\n"}"#, "a\n  b\n\nc\n");
    check(
        Replace,
        file,
        r#"{"old":"a\n","new":"x\n\n"}"#,
        "x\n\n  b\nc\n",
    );
    check(
        Replace,
        "f(a, b)\n",
        r#"{"old":"a","new":"x\n"}"#,
        "f(x\n, b)\n",
    );
}

#[test]
fn later_lines_take_the_indentation_that_old_left_behind() {
    use Operation::Replace;
    let file = "def f():\n    if x:\n        a()\n        b()\n";
    let edit = |answer: &str, after: &str| check(Replace, file, answer, after);
    edit(
        r#"{"old":"a()","new":"a()\nc()"}"#,
        "def f():\n    if x:\n        a()\n        c()\n        b()\n",
    );
    edit(
        r#"{"old":"a()","new":"if y:\n    a()"}"#,
        "def f():\n    if x:\n        if y:\n            a()\n        b()\n",
    );
    // Nothing to do: it is there, `old` has it, or the lines leave the block.
    for new in [
        "a()\n        c()",
        "a()\n    return",
        "a()\n\ndef g():\n    c()",
    ] {
        let answer = serde_json::json!({"old": "a()", "new": new}).to_string();
        edit(&answer, &file.replace("a()", new));
    }
    edit(
        r#"{"old":"        a()","new":"        a()\nc()"}"#,
        "def f():\n    if x:\n        a()\nc()\n        b()\n",
    );
    let tabs = "func f() {\n\ta()\n\tb()\n}\n";
    check(
        Replace,
        tabs,
        r#"{"old":"a()","new":"if x {\n\ta()\n}"}"#,
        "func f() {\n\tif x {\n\t\ta()\n\t}\n\tb()\n}\n",
    );
}

#[test]
fn an_anchor_line_repeated_in_the_text_is_not_doubled() {
    use Operation::Insert;
    let file = "a\n  b\nc\n";
    let edit = |answer: &str, after: &str| check(Insert, file, answer, after);
    edit(
        r#"{"anchor":"b","position":"after","text":"b\nd"}"#,
        "a\n  b\n  d\nc\n",
    );
    edit(
        r#"{"anchor":"  b","position":"before","text":"  d\n  b"}"#,
        "a\n  d\n  b\nc\n",
    );
    edit(
        r#"{"anchor":"  b","position":"after","text":"  d\n  b"}"#,
        "a\n  b\n  d\n  b\nc\n",
    );
    edit(
        r#"{"anchor":"a","position":"after","text":"a"}"#,
        "a\na\n  b\nc\n",
    );
}

#[test]
fn a_line_that_closes_the_new_lines_is_no_repeated_anchor() {
    use Operation::Insert;
    let file = "impl A {\n    fn a() {}\n}\n";
    let insert = |text: &str| format!(r#"{{"anchor":"}}","position":"before","text":"{text}"}}"#);
    let after = "impl A {\n    fn a() {}\n    fn b() {\n        1\n    }\n}\n";
    check(
        Insert,
        file,
        &insert(r"    fn b() {\n        1\n    }"),
        after,
    );
    // This one is: the new lines are closed already.
    check(
        Insert,
        file,
        &insert(r"    fn b() {\n        1\n    }\n}"),
        after,
    );
    let ruby = "class A\n  x\nend\n";
    let text = r#"{"anchor":"end","position":"before","text":"  def b\n    1\n  end"}"#;
    check(
        Insert,
        ruby,
        text,
        "class A\n  x\n  def b\n    1\n  end\nend\n",
    );
}

#[test]
fn a_line_beside_an_indented_one_has_its_tabs_or_spaces() {
    let makefile = "SRCS = a.c \\\n    b.c \\\n    c.c\n\nall:\n\tgcc\n";
    check_in(
        "Makefile",
        Operation::Insert,
        makefile,
        r#"{"anchor":"\tgcc","position":"after","text":"\techo"}"#,
        &format!("{makefile}\techo\n"),
    );
}

#[test]
fn a_deleted_line_leaves_no_empty_one() {
    use Operation::Replace;
    check(
        Replace,
        "a\n  b\nc\n",
        r#"{"old":"  b\n","new":""}"#,
        "a\nc\n",
    );
    check(
        Replace,
        "a\n  b\n  c\n",
        r#"{"old":"b\n","new":""}"#,
        "a\n  c\n",
    );
    check(
        Replace,
        "a\n  b\n  c\n",
        r#"{"old":"b","new":""}"#,
        "a\n  c\n",
    );
    check(Replace, "a\nb", r#"{"old":"b","new":""}"#, "a");
    check(Replace, "a\nb\n", r#"{"old":"b","new":""}"#, "a\n");
    check(Replace, "a b\n", r#"{"old":"b","new":""}"#, "a \n");
}

#[test]
fn a_block_is_named_by_its_beginning_and_its_last_line() {
    use Operation::Replace;
    let a = "fn a() {\n    x();\n    x();\n}\n";
    let b = "fn b() {\n    y();\n    z();\n}\n";
    let file = format!("{a}\n{b}");
    check(
        Replace,
        &file,
        r#"{"old":"fn b() {","through":"}","new":""}"#,
        a,
    );
    check(
        Replace,
        &file,
        r#"{"old":"fn a() {","through":"}","new":""}"#,
        b,
    );
    // Text after a place that is not one of the beginning's own lines.
    let twice = "if a {\n    x();\n    y();\n}\nif a {\n    z();\n    w();\n}\n";
    let second = r#"{"old":"if a {","place":"line 5","through":"}","new":"w();"}"#;
    check(
        Replace,
        twice,
        second,
        "if a {\n    x();\n    y();\n}\nw();\n",
    );
    // Of several equal lines, the nearest.
    let text = Text::decode(file.clone().into()).unwrap();
    let shown = Shown::whole(text.shown());
    let slots = |answer: &str| Slots::parse(Replace, answer).unwrap();
    let at = |answer: &str| place(&slots(answer), &shown);
    let block = |end: &str| {
        let end = file.find(end).unwrap() + end.len();
        Ok(Some(Edit::Replace {
            at: 0..end,
            new: String::new(),
        }))
    };
    assert_eq!(at(r#"{"old":"fn a","through":"}","new":""}"#), block("}"));
    assert_eq!(
        at(r#"{"old":"fn a","through":"    x();","new":""}"#),
        block("x();")
    );
    for no_end in [
        r#"{"old":"fn b","through":"    x();","new":""}"#,
        r#"{"old":"fn a() {\n    x();\n    x();\n}","through":"}","new":""}"#,
        r#"{"old":"fn a() {\n    x();\n    x();\n}\n","through":"}","new":""}"#,
    ] {
        assert_eq!(at(no_end), Err(SlotsError::NoSuchEnd), "{no_end}");
    }
    // Lines of a long file that are not shown belong to no block.
    let far = format!("fn c() {{\n{}\n}}\n", "    line();\n".repeat(200));
    let outline = crate::text::Outline::of(&far);
    let blocks = crate::text::blocks(&far, &outline, crate::text::BlockSize::SMALL);
    let mut first = Shown::of_blocks(&far, &outline, blocks[..1].to_vec());
    assert_eq!(
        place(
            &slots(r#"{"old":"fn c() {","through":"}","new":""}"#),
            &first
        ),
        Err(SlotsError::NoSuchEnd)
    );
    first.windows.push(shown.windows[0].clone());
    assert_eq!(
        place(
            &slots(r#"{"old":"fn c() {","through":"}","new":""}"#),
            &first
        ),
        Err(SlotsError::NoSuchEnd)
    );
}

#[test]
fn what_is_removed_leaves_no_empty_lines_doubled() {
    use Operation::Replace;
    check(
        Replace,
        "a\n\nb\n\nc\n",
        r#"{"old":"b","new":""}"#,
        "a\n\nc\n",
    );
    check(
        Replace,
        "a\n\n\nb\n\nc\n",
        r#"{"old":"b","new":""}"#,
        "a\n\n\nc\n",
    );
    check(
        Replace,
        "a\n\nb\n  \n\nc\n",
        r#"{"old":"b","new":""}"#,
        "a\n  \n\nc\n",
    );
    check(
        Replace,
        "a\nb\n\nc\n",
        r#"{"old":"b","new":""}"#,
        "a\n\nc\n",
    );
    check(
        Replace,
        "a\n\nb\nc\n",
        r#"{"old":"b","new":""}"#,
        "a\n\nc\n",
    );
    check(Replace, "b\n\nc\n", r#"{"old":"b","new":""}"#, "c\n");
    check(Replace, "\nb\n\nc\n", r#"{"old":"b","new":""}"#, "c\n");
    check(Replace, "a\n\nb\n", r#"{"old":"b","new":""}"#, "a\n");
    check(Replace, "a\n\nb\n\n\n", r#"{"old":"b","new":""}"#, "a\n");
    check(Replace, "a\n\nb", r#"{"old":"b","new":""}"#, "a");
    check(Replace, "b\n", r#"{"old":"b","new":""}"#, "");
    check(Replace, "a\n\n\nb", r#"{"old":"b","new":""}"#, "a");
    check(Replace, "a\nb\n\n\n", r#"{"old":"b","new":""}"#, "a\n");
    check(Replace, "a\nb\n  ", r#"{"old":"b","new":""}"#, "a");
    let all = |before: &str, after: &str| {
        check(
            Operation::ReplaceAll,
            before,
            r#"{"old":"x","new":""}"#,
            after,
        );
    };
    all("a\n\nx\nx\n\nb\n", "a\n\nb\n");
    all("a\n\nx\n\nx\n", "a\n");
    all("a\n\nx\n\n\nx\n\nb\n", "a\n\n\nb\n");
    all("x\n\nx y\n\nx\n\nb\n", " y\n\nb\n");
    all("x\n", "");
    check_in(
        "a.diff",
        Replace,
        " \n-b\n \n c\n",
        r#"{"old":"-b","new":""}"#,
        " \n \n c\n",
    );
    check_in(
        "a.md",
        Replace,
        "a\n\nb\n\nc\n",
        r#"{"old":"b","new":""}"#,
        "a\n\nc\n",
    );
    check(
        Replace,
        "a\n\nb x\n\nc\n",
        r#"{"old":"b ","new":""}"#,
        "a\n\nx\n\nc\n",
    );
}

#[test]
fn replacing_everywhere_is_by_whole_tokens() {
    use Operation::ReplaceAll;
    check(
        ReplaceAll,
        "foo(foobar, foo)\nfoo_x foo",
        r#"{"old":"foo","new":"bar"}"#,
        "bar(foobar, bar)\nfoo_x bar",
    );
    check(ReplaceAll, "==== x", r#"{"old":"==","new":"!"}"#, "!! x");
    check(ReplaceAll, "a\nb\nb", r#"{"old":"b","new":""}"#, "a");
}

#[test]
fn inserting_keeps_the_anchor() {
    use Operation::Insert;
    check(
        Insert,
        "a\nb\n",
        r#"{"anchor":"b","position":"before","text":"x"}"#,
        "a\nx\nb\n",
    );
    check(
        Insert,
        "a\nb\n",
        r#"{"anchor":"b","position":"after","text":"x\n"}"#,
        "a\nb\nx\n",
    );
    check(
        Insert,
        "a\nb",
        r#"{"anchor":"b","position":"after","text":"x"}"#,
        "a\nb\nx",
    );
    check(
        Insert,
        "",
        r#"{"anchor":"","position":"after","text":"x"}"#,
        "x\n",
    );
    check(
        Insert,
        "\n",
        r#"{"anchor":"","position":"before","text":"x"}"#,
        "x\n\n",
    );
    check(
        Insert,
        "a\nb\n",
        r#"{"anchor":"a","position":"after","text":""}"#,
        "a\n\nb\n",
    );
}

#[test]
fn creating_ends_with_a_line_feed() {
    check(
        Operation::Create,
        "",
        r#"{"path":"b.rs","text":"fn b() {\n  \n}"}"#,
        "fn b() {\n\n}\n",
    );
}

#[test]
fn what_changes_nothing_is_an_empty_set() {
    let text = Text::decode(b"a = 1\n".to_vec()).unwrap();
    let edit = Edit::ReplaceAll {
        old: "a".to_owned(),
        new: "a".to_owned(),
    };
    assert!(EditSet::of(&edit, "a.rs", &text).unwrap().is_empty());
    let nowhere = Edit::ReplaceAll {
        old: "b".to_owned(),
        new: "c".to_owned(),
    };
    assert_eq!(
        EditSet::of(&nowhere, "a.rs", &text),
        Err(SlotsError::NotShown)
    );
}

#[test]
fn answers_of_others_are_refused_not_guessed() {
    let shown = Shown::whole("a = 1\nb = 1\n");
    let replace = |old: &str, place: Option<&str>| {
        super::place(
            &Slots::Replace(Replace {
                old: old.to_owned(),
                place: place.map(str::to_owned),
                through: None,
                new: String::new(),
            }),
            &shown,
        )
    };
    let candidates = || vec!["line 1".to_owned(), "line 2".to_owned()];
    assert_eq!(replace("c", None), Err(SlotsError::NotShown));
    assert_eq!(
        replace("1", None),
        Err(SlotsError::Ambiguous {
            candidates: candidates()
        })
    );
    assert_eq!(
        replace("1", Some("line 9")),
        Err(SlotsError::NoSuchPlace {
            place: "line 9".to_owned(),
            candidates: candidates()
        })
    );
    assert_eq!(replace("1", Some("none")), Ok(None));
    let all = Slots::ReplaceAll(ReplaceAll {
        old: "c".to_owned(),
        new: String::new(),
    });
    assert_eq!(place(&all, &shown), Err(SlotsError::NotShown));
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
