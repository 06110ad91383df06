//! The test that shows the bug: given, failing already, written, or not to be had.

use super::case::{CALC, CALC_PICK, CASE, Case, Files, PYTHON, RIGHT, TEST_CALC, UNITTEST};
use slotwright::repair::{AttemptEnd, ShownBy, Status};
use std::time::Duration;

const GREEN: Files = &[
    ("calc.py", CALC),
    (
        "test_calc.py",
        b"import unittest\nimport calc\n\n\nclass Calc(unittest.TestCase):\n    def \
          test_double(self):\n        self.assertEqual(calc.double(2), 4)\n",
    ),
];
const TEST_PICK: &str = r#"{"path":"test_calc.py","operation":"insert"}"#;

fn new_test(body: &str) -> String {
    let test = format!("    def test_add(self):\\n        {body}\\n");
    format!(r#"{{"position":"before","anchor":"    def test_double(self):","text":"{test}"}}"#)
}

#[tokio::test]
async fn the_model_writes_the_test_first() {
    let test = new_test("self.assertEqual(calc.add(1, 2), 3)");
    let repaired = Case {
        files: GREEN,
        ..CASE
    }
    .run(&[TEST_PICK, &test, CALC_PICK, RIGHT])
    .await;
    repaired.check(Status::Success, &["green"]);
    assert_eq!(repaired.record.shown_by, Some(ShownBy::Written));
    assert_eq!(repaired.record.files, ["test_calc.py", "calc.py"]);
    assert!(
        repaired
            .prompt(0)
            .contains("Add a test that fails because of this bug: add subtracts"),
        "{}",
        repaired.prompt(0)
    );
    assert!(
        repaired.after("test_calc.py").contains("def test_add")
            && repaired.after("calc.py").contains("a + b")
    );
    // A file of its own, too.
    let create = r#"{"operation":"create"}"#;
    let text = concat!(
        r#"{"path":"test_add.py","text":"import unittest, calc\n"#,
        r#"class Add(unittest.TestCase):\n    def test_it(self):\n"#,
        r#"        self.assertEqual(calc.add(1, 2), 3)\n"}"#,
    );
    let repaired = Case {
        files: GREEN,
        ..CASE
    }
    .run(&[create, text, CALC_PICK, RIGHT])
    .await;
    repaired.check(Status::Success, &["green"]);
    assert_eq!(repaired.record.files, ["test_add.py", "calc.py"]);
}

#[tokio::test]
async fn a_bug_that_no_test_shows_is_not_reproduced() {
    let answers = [
        new_test("self.assertEqual(calc.add(0, 0), 0)"),
        new_test("self.assertEqual(calculator.add(1, 2), 3)"),
        new_test("import nothing_like_it"),
    ];
    let answers: Vec<&str> = answers.iter().flat_map(|test| [TEST_PICK, test]).collect();
    let repaired = Case {
        files: GREEN,
        ..CASE
    }
    .run(&answers)
    .await;
    repaired.check(Status::NotReproduced, &[]);
    let ends: Vec<&AttemptEnd> = repaired
        .record
        .test_attempts
        .iter()
        .map(|attempt| &attempt.end)
        .collect();
    assert_eq!(
        ends,
        [
            &AttemptEnd::DoesNotFail,
            &AttemptEnd::WrongReason,
            &AttemptEnd::WrongReason
        ]
    );
    assert!(
        repaired
            .prompt(5)
            .contains("it passes, and so does not show the bug"),
        "{}",
        repaired.prompt(5)
    );
}

#[tokio::test]
async fn a_test_that_was_there_cannot_be_broken_to_show_a_bug() {
    let case = Case {
        files: GREEN,
        is_constrained: false,
        ..CASE
    };
    let pick = r#"{"path":"test_calc.py","operation":"replace"}"#;
    let breaks = r#"{"old":"calc.double(2), 4","new":"calc.double(2), 5"}"#;
    let shadows = r#"{"position":"after","anchor":"import calc","text":"calc.double = None"}"#;
    let repaired = case
        .run(&[pick, breaks, TEST_PICK, shadows, CALC_PICK, RIGHT])
        .await;
    repaired.check(Status::NotReproduced, &[]);
    let messages: Vec<&str> = repaired
        .record
        .test_attempts
        .iter()
        .map(|attempt| attempt.message.as_str())
        .collect();
    assert_eq!(
        messages,
        [
            "refused: it changes a test in test_calc.py: tests may only be added",
            "it breaks test_calc.Calc.test_double",
            "refused: calc.py holds no tests",
        ]
    );
}

#[tokio::test]
async fn a_test_file_may_be_given() {
    let repro: &[u8] = b"import unittest, calc\nclass Repro(unittest.TestCase):\n    def \
                         test_it(self):\n        self.assertEqual(calc.add(2, 2), 4)\n";
    let files: Files = &[GREEN[0], GREEN[1], ("test_repro.py", repro)];
    let case = Case {
        files,
        test_file: Some("test_repro.py"),
        ..CASE
    };
    let repaired = case.run(&[CALC_PICK, RIGHT]).await;
    repaired.check(Status::Success, &["green"]);
    assert_eq!(
        (repaired.record.shown_by, repaired.record.targets.as_slice()),
        (
            Some(ShownBy::Given),
            &["test_repro.Repro.test_it".to_owned()][..]
        )
    );
    let passes = Case {
        test_file: Some("test_calc.py"),
        files: GREEN,
        ..CASE
    }
    .run(&[])
    .await;
    passes.check(Status::NotReproduced, &[]);
    assert!(
        passes.record.reason.contains("they show no bug"),
        "{}",
        passes.record.reason
    );
    let elsewhere = Case {
        test_file: Some("test_calc.py"),
        files,
        ..CASE
    }
    .run(&[])
    .await;
    elsewhere.check(Status::NotReproduced, &[]);
    assert!(
        elsewhere
            .record
            .reason
            .contains("tests fail, but none in test_calc.py"),
        "{}",
        elsewhere.record.reason
    );
}

#[tokio::test]
async fn tests_that_failed_before_are_left_aside() {
    let other: &[u8] =
        b"import unittest\nclass Other(unittest.TestCase):\n    def test_weather(self):\n        \
          self.fail('rain')\n";
    let files: Files = &[PYTHON[0], PYTHON[1], ("test_other.py", other)];
    let repaired = Case { files, ..CASE }.run(&[CALC_PICK, RIGHT]).await;
    repaired.check(Status::Success, &["green"]);
    assert_eq!(repaired.record.targets, ["test_calc.Calc.test_add"]);
    assert_eq!(
        repaired.record.known_failing,
        ["test_other.Other.test_weather"]
    );
}

#[tokio::test]
async fn a_broken_baseline_is_said_and_the_model_is_not_asked() {
    let syntax: Files = &[
        ("calc.py", b"def add(a, b:\n    return a\n"),
        ("test_calc.py", TEST_CALC),
    ];
    for (files, command, time, expected) in [
        (
            syntax,
            UNITTEST,
            60,
            "the tests do not compile or import as they are: SyntaxError: '(' was never closed",
        ),
        (
            PYTHON,
            "no-such-runner",
            60,
            "the test command cannot be run: ",
        ),
        (
            PYTHON,
            "sleep 60",
            1,
            "the tests do not come to their end: they took longer than 1 s",
        ),
        (
            PYTHON,
            "kill -9 $$",
            60,
            "the tests do not come to their end: ended by signal 9",
        ),
    ] {
        let repaired = Case {
            files,
            command,
            time: Duration::from_secs(time),
            ..CASE
        }
        .run(&[])
        .await;
        repaired.check(Status::BaselineBroken, &[]);
        assert!(
            repaired.record.reason.starts_with(expected),
            "{}",
            repaired.record.reason
        );
    }
    // Unless that is the bug.
    let mends = r#"{"old":"(a, b","new":"(a, b)"}"#;
    let case = Case {
        files: &[
            (
                "calc.py",
                b"def add(a, b:\n    return a + b\n\n\ndef double(a):\n    return a * 2\n",
            ),
            PYTHON[1],
        ],
        ..CASE
    };
    let repaired = Case {
        issue: "calc.py has a syntax error",
        ..case
    }
    .run(&[CALC_PICK, mends])
    .await;
    repaired.check(Status::Success, &["green"]);
}
