//! The checks, on edits of small files.

use super::*;
use crate::edit::{Edit, EditSet};
use crate::locate::Rung;
use crate::patched::Patched;
use crate::slots::{Operation, Slot};
use crate::task::Task;
use crate::text::Text;
use std::collections::BTreeMap;

fn warnings(patched: &Patched) -> Vec<String> {
    let warnings = [merge(patched), unseen(patched)];
    warnings
        .into_iter()
        .flatten()
        .map(|it| it.message)
        .collect()
}

/// An edit of every occurrence, in a file that was shown whole.
fn patched(before: &str, old: &str, new: &str) -> Patched {
    let before = Text::decode(before.into()).unwrap();
    let edit = Edit::ReplaceAll {
        old: old.to_owned(),
        new: new.to_owned(),
    };
    let edit_set = EditSet::of(&edit, "a.rs", &before).unwrap();
    Patched {
        path: "a.rs".to_owned(),
        operation: Operation::ReplaceAll,
        after: edit_set.apply(&before).unwrap(),
        replacements: edit_set.replacements().to_vec(),
        rung: Rung::Exact,
        seen: std::iter::once(0..before.shown().len()).collect(),
        before,
    }
}

#[test]
fn a_name_that_is_taken() {
    for (before, old, new, lines) in [
        ("a\nb\n", "a", "b", "line 2"),
        ("a\nb b\n", "a", "b", "line 2"),
        ("a\r\nb\r\n", "a", "b", "line 2"),
        ("$a = 1;\n$b = 2;\n", "$a", "$b", "line 2"),
        ("b.a = b\nb\n", "a", "b", "lines 1, 2"),
        ("\u{e9}t\u{e9} \u{e4}", "\u{e9}t\u{e9}", "\u{e4}", "line 1"),
        (
            &("b\n".repeat(12) + "a"),
            "a",
            "b",
            "lines 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 and 2 more",
        ),
    ] {
        let taken =
            format!("{old} and {new} become one name: {new} is in the file already ({lines})");
        assert_eq!(warnings(&patched(before, old, new)), [taken]);
    }
}

#[test]
fn names_that_are_free_and_what_is_no_name() {
    for (before, old, new) in [
        ("$a = 1;\n$bb = 2;\n", "$a", "$b"),
        ("a\nbb b_b bbb\n", "a", "b"),
        ("a\nb\n", "a", "c"),
        ("a\nb = 1\n", "a", "b = 1"),
        ("a()\nb\n", "a()", "b"),
        ("3 5\n", "3", "5"),
        ("a\nb\n", "a", ""),
    ] {
        assert_eq!(warnings(&patched(before, old, new)), [""; 0], "{before:?}");
    }
    let mut one = patched("a\nb\n", "a", "b");
    one.operation = Operation::Replace;
    assert!(warnings(&one).is_empty(), "one place may get such a name");
    assert_eq!(reach(&one), None);
}

#[track_caller]
fn check_unseen(old: &str, seen: &[(usize, usize)], expected: &str) {
    let mut patched = patched("x = 1\nx = 1\nx = 1\n", old, "y");
    patched.seen = seen.iter().map(|&(start, end)| start..end).collect();
    assert_eq!(warnings(&patched).concat(), expected);
}

#[test]
fn occurrences_that_were_not_shown() {
    const PARTS: &str = "in parts of the file that the model did not see";
    check_unseen("x", &[(0, 17)], "");
    check_unseen("x", &[(0, 5), (6, 17)], "");
    let two = format!("2 of 3 occurrences are {PARTS} (lines 2, 3)");
    check_unseen("x", &[(0, 5)], &two);
    let one = format!("1 of 3 occurrences is {PARTS} (line 2)");
    check_unseen("x", &[(0, 5), (12, 17)], &one);
    check_unseen("x = 1", &[(0, 5), (12, 17)], &one);
    // The text is shown, but no single window has all of it.
    let cut = format!("1 of 2 occurrences is {PARTS} (line 1)");
    check_unseen("1\nx", &[(0, 5), (6, 17)], &cut);
}

/// The warning of an edit that replaces the one occurrence of `old`.
fn left_of(before: &str, old: &str, new: &str) -> Option<String> {
    let text = Text::decode(before.into()).unwrap();
    let at = text.shown().find(old).unwrap();
    let edit = Edit::Replace {
        at: at..at + old.len(),
        new: new.to_owned(),
    };
    let edit_set = EditSet::of(&edit, "a.rs", &text).unwrap();
    let after = edit_set.apply(&text).unwrap();
    let replacements = edit_set.replacements().to_vec();
    let patched = Patched {
        operation: Operation::Replace,
        before: text,
        replacements,
        after: after.clone(),
        ..patched("x", "x", "y")
    };
    assert!(warnings(&patched).is_empty());
    leftover(&patched, &after).map(|warning| warning.message)
}

#[test]
fn a_definition_is_renamed_and_its_uses_are_not() {
    let said = |n: &str| {
        Some(format!(
            "the definition of load is now called read, and {n}: to change all of them, \
             ask to \"rename load to read everywhere\""
        ))
    };
    let python = "def load(path):\n    return 1\n\n\nload('a')\nx = load(load('b'))\n";
    let three = said("3 uses of it are left (lines 5, 6)");
    assert_eq!(left_of(python, "def load(path):", "def read(path):"), three);
    assert_eq!(left_of(python, "load(path)", "read(path, n=1)"), three);
    let block = "def load(path):\n    return 1\n";
    let new_block = "def read(path):\n    return 2\n";
    assert_eq!(left_of(python, block, new_block), three);
    let windows = python.replace('\n', "\r\n");
    let renamed = left_of(&windows, "def load(path):", "def read(path):");
    assert_eq!(renamed, three);
    let rust = "impl A {\n    pub fn load(&self) {\n        B::load();\n    }\n}\n";
    let one = said("1 use of it is left (line 3)");
    assert_eq!(left_of(rust, "fn load(&self)", "fn read(&self)"), one);
}

#[test]
fn no_uses_are_left_or_they_may_be_of_something_else() {
    let file = "def load(path):\n    return 1\n\n\nload('a')\n";
    let overloaded = "int load(int a) {\n}\nint load(char b) {\n}\nint x = load(3);\n";
    let parts = "def load(a):\n    pass\n\nx = reload(a)\nload_all()\n";
    let not_new = "def load(a):\n    pass\n\nread(load)\n";
    let block = "use s::Shape;\n\nimpl Shape for A {\n}\n";
    let two = "def a(x):\n    pass\n\n\ndef b(path):";
    for (before, old, new, why) in [
        (
            file,
            "def load(path):",
            "def load(path, n):",
            "the name stays",
        ),
        (file, "    return 1", "    return load(2)", "no definition"),
        (file, "load('a')", "read('a')", "a use"),
        (file, "def load(path):\n    return 1\n", "", "removed"),
        (file, "def load(path):", "# read", "a definition no more"),
        (file, "def load(path):", two, "two for one"),
        (parts, "def load", "def read", "parts of other names"),
        (not_new, "def load", "def read", "the name is there already"),
        (overloaded, "load(int a)", "read(int a)", "overloaded"),
        (block, "impl Shape", "impl Area", "defined elsewhere"),
        (
            "# load\n\nHow to load it\n",
            "# load",
            "# read",
            "a heading",
        ),
        ("[load]\nx = \"load\"\n", "[load]", "[read]", "a section"),
    ] {
        assert_eq!(left_of(before, old, new), None, "{why}");
    }
}

#[test]
fn a_later_step_may_rename_the_uses() {
    let text = Text::decode("def load():\n    pass\n\n\nload()\n".into()).unwrap();
    let edit = Edit::Replace {
        at: 4..8,
        new: "read".to_owned(),
    };
    let edit_set = EditSet::of(&edit, "a.py", &text).unwrap();
    let patched = Patched {
        operation: Operation::Replace,
        replacements: edit_set.replacements().to_vec(),
        before: text,
        ..patched("x", "x", "y")
    };
    assert!(leftover(&patched, b"def read():\n    pass\n\n\nload()\n").is_some());
    let renamed = b"def read():\n    pass\n\n\nread()\n";
    assert_eq!(leftover(&patched, renamed), None);
}

#[test]
fn how_far_it_reaches() {
    for (before, new, reaches) in [
        ("x", "y", "replaces 1 occurrence on line 1"),
        ("x x\n\nx\n", "y", "replaces 3 occurrences on 2 lines: 1, 3"),
        ("a\n  x\n  x", "", "replaces 2 occurrences on 2 lines: 2, 3"),
        (
            &"x\n".repeat(20),
            "y",
            "replaces 20 occurrences on 20 lines: 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 and 10 more",
        ),
    ] {
        assert_eq!(reach(&patched(before, "x", new)).unwrap(), reaches);
    }
}

#[test]
fn a_block_written_anew_that_loses_definitions() {
    let before = "fn keep() {}\nfn lose() {}\nfn drop_it() {}\n";
    let mut edit = patched(before, "lose", "other");
    let said = |edit: &Patched, task: &str| {
        let task = Task::new(task, Vec::new()).unwrap();
        loses(&task, edit).map(|warning| warning.message)
    };
    assert_eq!(said(&edit, "tidy up"), None, "slots say what they replace");
    edit.operation = Operation::Rewrite;
    let lost = "lose of a.rs is gone, and the task does not say so";
    assert_eq!(said(&edit, "tidy up").as_deref(), Some(lost));
    assert_eq!(said(&edit, "call lose other"), None);
    edit.after = b"fn keep() {}\n".to_vec();
    let lost = "lose, drop_it of a.rs are gone, and the task does not say so";
    assert_eq!(said(&edit, "tidy up").as_deref(), Some(lost));
}

#[test]
fn all_slots_count_and_the_least_sure_one_is_named() {
    let by_slot = BTreeMap::from([(Slot::Operation, 0.9), (Slot::Old, 0.5), (Slot::New, 0.8)]);
    let said = "the model was not sure of this edit (certainty 0.36 of 1, less than 0.4), \
                least of all of the place: check that first";
    assert_eq!(unsure(&by_slot, 0.4), Some(WarningKind::Unsure.says(said)));
    assert_eq!(unsure(&by_slot, 0.35), None, "only what is below it");
    assert_eq!(unsure(&by_slot, 0.0), None);
    // A server gives no probabilities.
    assert_eq!(unsure(&BTreeMap::new(), 1.0), None);
}

/// The words of the table of warnings on a page.
fn words_on(page: &str) -> Vec<&str> {
    let table = page.split("| warning | meaning |").nth(1).unwrap();
    let rows = table.trim_start().lines().skip(1);
    let rows = rows.map_while(|row| row.strip_prefix("| `"));
    rows.map(|row| row.split('`').next().unwrap()).collect()
}

#[test]
fn the_pages_explain_every_warning() {
    let words = WarningKind::OF_EDITS.map(WarningKind::word);
    assert_eq!(words_on(include_str!("../../docs/guide.md")), words);
    let words = WarningKind::OF_PATCHES.map(WarningKind::word);
    assert_eq!(words_on(include_str!("../../docs/apply.md")), words);
    for kind in WarningKind::ALL {
        assert!(WarningKind::OF_EDITS.contains(&kind) || WarningKind::OF_PATCHES.contains(&kind));
    }
}
