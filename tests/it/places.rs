//! The places that should know of a change: found, put to the model, and named.

use crate::support::script::Script;
use crate::support::{folder, is_let_through};
use slotwright::engine::scripted::ScriptedEngine;
use slotwright::engine::{Answer, AnswerStats, End, Likelihood, ModelInfo};
use slotwright::flow::follow::follow;
use slotwright::flow::places::{self, MOST_PLACES, Place};
use slotwright::flow::steps::{Steps, edit_in_steps};
use slotwright::flow::{Follow, GenerateOptions, Session};
use slotwright::patched::FileChange;
use slotwright::prompt::{ADAPTED, Profile};
use slotwright::slots::Slot;
use slotwright::task::Task;
use slotwright::text::Text;
use slotwright::workspace::Workspace;
use std::fs;

type Files<'a> = &'a [(&'a str, &'a [u8])];

/// The places of a change of a file, as `path first-last`.
fn found(files: Files<'_>, path: &str, old: &str, new: &str) -> Vec<String> {
    let places = places_of(files, path, old, new);
    let names = places.iter().map(|place| {
        let (first, last) = (place.lines.start(), place.lines.end());
        format!("{} {first}-{last}", place.path)
    });
    names.collect()
}

fn places_of(files: Files<'_>, path: &str, old: &str, new: &str) -> Vec<Place> {
    let dir = folder(files);
    let workspace = Workspace::open(dir.path()).unwrap();
    let before = workspace.read(path).unwrap();
    assert_eq!(before.shown().matches(old).count(), 1, "{old}");
    let after = before.shown().replace(old, new).into_bytes();
    let change = FileChange {
        path: path.to_owned(),
        before: Some(before),
        after,
    };
    places::places(&[change], &workspace)
}

const TOTAL: &[u8] = b"RATE = 25\n\n\ndef total(items):\n    return sum(items) * 25\n\n\n\
    def show(items):\n    print(total(items))\n";
const BILL: &[u8] = b"from shop import total\n\n\ndef bill(items):\n    # total\n    \
    return total(\n        items,\n    )\n";
const OTHER: &[u8] = b"def total(x):\n    return x\n\n\ntotal(1)\n";
const SHOP: Files<'static> = &[
    ("shop.py", TOTAL),
    ("a/other.py", OTHER),
    ("bill.py", BILL),
    ("notes.md", b"total\n"),
    ("web.js", b"total(1);\n"),
];

#[test]
fn uses_of_a_changed_definition_the_best_first() {
    let (old, new) = (
        "total(items):\n    return",
        "total(items, tax):\n    return tax *",
    );
    let expected = ["shop.py 9-9", "bill.py 6-8"];
    assert_eq!(found(SHOP, "shop.py", old, new), expected);
    // Its new parameter is in the function itself, if that does not use it.
    let places = places_of(SHOP, "shop.py", "total(items):", "total(items, tax):");
    assert_eq!(places[0].news, "total does not use its new parameter tax:");
    assert_eq!(places[0].lines, 4..=5);
    // What was renamed is another part's affair, and an edit inside a function nobody's.
    assert!(found(SHOP, "shop.py", "def total", "def summed").is_empty());
    assert!(found(SHOP, "shop.py", "print(total(items))", "print(1)").is_empty());
}

#[test]
fn the_value_of_a_new_constant() {
    let (old, new) = ("RATE = 25\n", "RATE = 25\nSHARE = 25\n");
    assert_eq!(
        found(SHOP, "shop.py", old, new),
        ["shop.py 1-1", "shop.py 6-6"]
    );
    let used = "RATE = 25\nSHARE = 26\nprint(SHARE)\n";
    assert!(found(SHOP, "shop.py", old, used).is_empty());
}

#[test]
fn the_arms_and_tables_beside_a_new_variant() {
    let paint = b"fn hex(c: Color) -> u8 {\n    match c {\n        Color::Red => 1,\n        \
        Color::Green => 2,\n    }\n}\n\nfn all() -> [Color; 2] {\n    [Color::Red, Color::Green]\n}\n\n\
        fn red() -> Color {\n    Color::Red\n}\n";
    let knows = b"match c {\n    Color::Red | Color::Green | Color::Blue => 1,\n}\n";
    let files: Files<'_> = &[
        ("color.rs", b"pub enum Color {\n    Red,\n    Green,\n}\n"),
        ("paint.rs", paint),
        ("other.rs", b"[Light::Red, Light::Green];\n"),
        ("knows.rs", knows),
    ];
    let found = found(files, "color.rs", "    Green,\n", "    Green,\n    Blue,\n");
    assert_eq!(found, ["paint.rs 2-5", "paint.rs 9-9"]);
}

/// The other way round: the arm is there, and the variant is missing.
#[test]
fn the_definition_beside_a_new_arm() {
    let files: Files<'_> = &[
        ("color.rs", b"pub enum Color {\n    Red,\n    Green,\n}\n"),
        (
            "paint.rs",
            b"fn f(c: Color) {\n    match c {\n        Color::Red => a(),\n        Color::Green => b(),\n    }\n}\n",
        ),
    ];
    let (old, new) = ("b(),\n", "b(),\n        Color::Blue => d(),\n");
    assert_eq!(found(files, "paint.rs", old, new), ["color.rs 1-4"]);
}

#[test]
fn implementations_of_a_changed_method() {
    let files: Files<'_> = &[
        ("area.rs", b"pub trait Area {\n    fn area(&self) -> f64;\n}\n"),
        ("box.rs", b"use area::Area;\n\nimpl Area for Box {\n    fn area(&self) -> f64 {\n        1.0\n    }\n}\n"),
    ];
    let found = found(files, "area.rs", "(&self)", "(&self, scale: f64)");
    assert_eq!(found, ["box.rs 4-4"]);
}

#[test]
fn the_same_keys_in_another_file() {
    let files: Files<'_> = &[
        ("en.json", b"{\n  \"yes\": \"Yes\",\n  \"no\": \"No\"\n}\n"),
        ("de.json", b"{\n  \"yes\": \"Ja\",\n  \"no\": \"Nein\"\n}\n"),
        ("other.json", b"{\n  \"yes\": 1\n}\n"),
    ];
    let (old, new) = ("\"No\"", "\"No\",\n  \"maybe\": \"Maybe\"");
    assert_eq!(found(files, "en.json", old, new), ["de.json 1-4"]);
}

#[test]
fn there_are_not_more_places_than_are_worth_a_look() {
    let many = format!("from shop import total\n{}", "total(1)\n".repeat(50));
    let files: Files<'_> = &[("shop.py", TOTAL), ("many.py", many.as_bytes())];
    let (old, new) = ("total(items):", "total(items, tax=0):");
    let places = places_of(files, "shop.py", old, new);
    assert_eq!(places.len(), MOST_PLACES);
    let remark = places::remark(&places).unwrap();
    assert!(
        remark.starts_with("total does not use its new parameter tax: shop.py line 4 ("),
        "{remark}"
    );
    assert!(remark.contains(" and 5 more: see whether"), "{remark}");
}

const FILES: Files<'static> = &[
    ("shop.py", b"def total(items):\n    return sum(items)\n"),
    (
        "bill.py",
        b"from shop import total\n\n\nz = total(0)\nx = 1\ny = total(x)\n",
    ),
];
const PICK: &str = r#"{"path":"shop.py","operation":"replace"}"#;
const TAX: &str = r#"{"old":"def total(items):\n    return sum(items)","new":"def total(items, tax):\n    return sum(items) * tax"}"#;
const BODY: &str = r#"{"old":"    return sum(items)","new":"    return sum(items) + 0"}"#;
const DONE: &str = r#"{"operation":"none","reason":"already_done"}"#;
const PICK_BILL: &str = r#"{"path":"bill.py","operation":"replace"}"#;
const CALL: &str = r#"{"old":"y = total(x)","new":"y = total(x, 2)"}"#;
const BROKEN: &str = r#"{"old":"y = total(x)","new":"y = total(x"}"#;

fn model(profile: Option<&str>) -> ModelInfo {
    ModelInfo {
        context_tokens: 8_192,
        profile: profile.map(str::to_owned),
        ..ModelInfo::default()
    }
}

/// Runs a task with these answers and certainties. All must be asked for, and be let through.
async fn run(
    profile: Option<&str>,
    way: Follow,
    answers: &[(&str, f64)],
) -> (Steps, ScriptedEngine) {
    let dir = folder(FILES);
    let workspace = Workspace::open(dir.path()).unwrap();
    let mut engine = ScriptedEngine::new(model(profile), []);
    for (text, certainty) in answers {
        let mut stats = AnswerStats::default();
        stats.certainty.insert(Slot::New, *certainty);
        engine.add(Answer {
            text: (*text).to_owned(),
            end: End::Complete,
            stats,
            likelihood: Likelihood::default(),
        });
    }
    let options = GenerateOptions {
        follow: way,
        ..GenerateOptions::new(Profile::of(&model(profile)).unwrap().0)
    };
    let task = Task::new("total needs a tax", vec![]).unwrap();
    let mut session = Session {
        workspace: &workspace,
        engine: &mut engine,
        options,
        progress: &mut |_| {},
    };
    let mut steps = edit_in_steps(&task, &mut session).await.unwrap();
    follow(&task, &mut steps, &mut session).await;
    assert_eq!(engine.requests.len(), answers.len());
    for (request, (answer, _)) in engine.requests.iter().zip(answers) {
        assert!(is_let_through(request, answer), "{answer}");
    }
    for change in steps.changes() {
        assert_eq!(workspace.read(&change.path).unwrap().bytes(), change.after);
    }
    (steps, engine)
}

/// What stays of the places, and the other file after all edits.
fn result(steps: &Steps) -> (Vec<usize>, String) {
    let left = steps.places.iter().map(|place| place.line).collect();
    let mut changes = steps.changes().into_iter();
    let bill = changes.find(|change| change.path == "bill.py");
    let after = bill.map_or(Vec::new(), |change| change.after);
    (left, Text::decode(after).unwrap().shown().to_owned())
}

const EDITED: &str = "from shop import total\n\n\nz = total(0)\nx = 1\ny = total(x, 2)\n";

#[tokio::test]
async fn a_place_is_edited_or_left() {
    let first = [(PICK, 1.0), (TAX, 1.0), (DONE, 1.0)];
    // The first use is left.
    let answers = [&first[..], &[(DONE, 1.0), (PICK_BILL, 1.0), (CALL, 1.0)]].concat();
    let (steps, engine) = run(Some(ADAPTED), Follow::Asked, &answers).await;
    assert_eq!(result(&steps), (vec![4], EDITED.to_owned()));
    assert_eq!(steps.edits.len(), 2);
    assert!(
        !steps.can_go_on(),
        "the answer does not know of the last edit"
    );
    // Nothing else can change there.
    let x = r#"{"old":"x = 1","new":"x = 2"}"#;
    assert!(!is_let_through(&engine.requests[5], x));
}

#[tokio::test]
async fn an_edit_that_breaks_the_code_or_is_doubtful_is_dropped() {
    let first = [(PICK, 1.0), (TAX, 1.0), (DONE, 1.0), (DONE, 1.0)];
    for slots in [(BROKEN, 1.0), (CALL, 0.1)] {
        let answers = [&first[..], &[(PICK_BILL, 1.0), slots]].concat();
        let (steps, _) = run(Some(ADAPTED), Follow::Asked, &answers).await;
        assert_eq!(result(&steps), (vec![4, 6], String::new()));
        assert_eq!((steps.edits.len(), steps.can_go_on()), (1, true));
    }
    // A model without an adapter is asked in the same way.
    let answers = [
        (PICK, 1.0),
        (TAX, 1.0),
        (DONE, 1.0),
        (PICK_BILL, 1.0),
        (CALL, 1.0),
    ];
    let (steps, _) = run(None, Follow::Asked, &answers).await;
    assert_eq!(result(&steps), (vec![4], EDITED.to_owned()));
}

#[tokio::test]
async fn an_edit_that_changes_no_definition_asks_nothing() {
    let answers = [(PICK, 1.0), (BODY, 1.0), (DONE, 1.0)];
    for way in Follow::ALL {
        let (steps, _) = run(Some(ADAPTED), way, &answers).await;
        assert_eq!(result(&steps), (vec![], String::new()));
    }
    // Nor does one whose places are only to be named.
    let answers = [(PICK, 1.0), (TAX, 1.0), (DONE, 1.0)];
    let (steps, _) = run(Some(ADAPTED), Follow::Named, &answers).await;
    assert_eq!(result(&steps).0, [4, 6]);
}

#[test]
fn places_that_stay_are_named_in_the_review() {
    let dir = folder(FILES);
    let script = Script::adapted(&[PICK, TAX, DONE, DONE, DONE]);
    script
        .edit(dir.path(), &["--yes", "total needs a tax"])
        .says(
            0,
            "total has other parameters now, and is also used in \
         bill.py line 4 (`z = total(0)`), bill.py line 6 (`y = total(x)`): \
         see whether that has to change too",
        );
    assert!(
        fs::read_to_string(dir.path().join("shop.py"))
            .unwrap()
            .contains("tax")
    );
}
