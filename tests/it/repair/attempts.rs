//! Attempts in turn: what each is told of those before, and what is kept.

use super::case::{CALC, CALC_PICK, CASE, Case, DONE, Files, RIGHT};
use crate::support::likely::answer;
use slotwright::engine::{Given, Sampling, Weights};
use slotwright::prompt::ADAPTED;
use slotwright::repair::{AttemptEnd, ShownBy, Status};

#[tokio::test]
async fn python_in_one_attempt() {
    let repaired = CASE.run(&[CALC_PICK, RIGHT]).await;
    repaired.check(Status::Success, &["green"]);
    assert_eq!(
        repaired.after("calc.py"),
        String::from_utf8_lossy(CALC).replace("a - b", "a + b")
    );
    let record = &repaired.record;
    assert_eq!(
        (record.shown_by, record.targets.as_slice()),
        (
            Some(ShownBy::Failing),
            &["test_calc.Calc.test_add".to_owned()][..]
        )
    );
    assert_eq!(record.files, ["calc.py"]);
    let (red, green) = (record.red.as_ref().unwrap(), record.green.as_ref().unwrap());
    assert_eq!(
        (
            red.passed,
            red.failed.len(),
            green.passed,
            green.failed.len()
        ),
        (1, 1, 2, 0)
    );
    assert!(red.output.contains("-1 != 3"), "{}", red.output);
}

#[tokio::test]
async fn python_in_three_attempts_each_of_which_is_told_of_those_before() {
    let wrong = [
        r#"{"old":"a - b","new":"a * b"}"#,
        r#"{"old":"return a - b","new":"break"}"#,
    ];
    let repaired = CASE
        .run(&[CALC_PICK, wrong[0], CALC_PICK, wrong[1], CALC_PICK, RIGHT])
        .await;
    let not_built = "it does not compile or import: SyntaxError: 'break' outside loop";
    repaired.check(
        Status::Success,
        &[
            "red: test_calc.Calc.test_add still fails",
            not_built,
            "green",
        ],
    );
    let first = repaired.prompt(0);
    assert!(
        !first.contains("These tests fail") && !first.contains("AssertionError"),
        "{first}"
    );
    let second = repaired.prompt(2);
    assert!(
        second.contains("These tests fail because of it: test_calc.Calc.test_add.")
            && second.contains("AssertionError: -1 != 3")
            && second.contains("+    return a * b"),
        "{second}"
    );
    let last = repaired.prompt(5);
    assert!(
        last.contains("+    return a * b")
            && last.contains("red: test_calc.Calc.test_add still fails"),
        "{last}"
    );
    assert!(
        last.contains("+    break\n") && last.contains(not_built),
        "{last}"
    );
    let temperature = |i: usize| match repaired.requests[i].sampling {
        Sampling::Greedy => 0.0,
        Sampling::Random { temperature, .. } => temperature,
    };
    assert!(
        temperature(0) == 0.0 && temperature(2) == 0.0 && temperature(4) > 0.0,
        "where the engine tells of no other answer, one is chosen at random"
    );
}

#[tokio::test]
async fn attempts_are_the_answers_that_the_model_nearly_gave() {
    let wrong = |new: &str| format!(r#"{{"old":"a - b","new":"{new}"}}"#);
    let of_right = r#"{"old":"a - b","new":"a +"#;
    let answers = [
        // The issue alone; what it nearly wrote is not followed, since the question changes.
        answer(CALC_PICK, 1.0, &[]),
        answer(&wrong("b - a"), 0.8, &[(of_right, 0.1)]),
        // Told what the tests print.
        answer(CALC_PICK, 1.0, &[]),
        answer(
            &wrong("a * b"),
            0.5,
            &[(of_right, 0.2), (r#"{"old":"a - b","new":"a /"#, 0.3)],
        ),
        answer(&wrong("a / b"), 0.3, &[]),
        answer(RIGHT, 0.2, &[]),
    ];
    let repaired = CASE.run_all(&answers).await;
    let red = "red: test_calc.Calc.test_add still fails";
    repaired.check(Status::Success, &[red, red, red, "green"]);
    let given = Given::Beginning(of_right.to_owned());
    assert_eq!(repaired.requests[5].given, Some(given));
    assert!(
        repaired
            .requests
            .iter()
            .all(|request| request.sampling == Sampling::Greedy)
    );
    assert!(
        repaired.prompt(5).contains("AssertionError: -1 != 3"),
        "the question of attempt 2"
    );
}

#[tokio::test]
async fn a_model_with_an_adapter_is_never_told_what_the_tests_print() {
    let of_right = r#"{"old":"a - b","new":"a +"#;
    let anew = String::from_utf8_lossy(CALC).replace("a - b", "a * b");
    let answers = [
        answer(CALC_PICK, 1.0, &[]),
        answer(r#"{"old":"a - b","new":"b - a"}"#, 0.8, &[(of_right, 0.1)]),
        // A block written anew comes next.
        answer(&format!("```python\n{anew}```"), 0.9, &[]),
        // The question stays the same, so that its other beginning is followed.
        answer(RIGHT, 0.2, &[]),
    ];
    let repaired = Case {
        profile: Some(ADAPTED),
        ..CASE
    }
    .run_all(&answers)
    .await;
    let red = "red: test_calc.Calc.test_add still fails";
    repaired.check(Status::Success, &[red, red, "green"]);
    assert_eq!(repaired.requests[2].weights, Weights::Base);
    assert_eq!(
        repaired.requests[3].given,
        Some(Given::Beginning(of_right.to_owned()))
    );
    assert_eq!(repaired.prompt(1), repaired.prompt(3));
    assert!(!repaired.prompt(3).contains("These tests fail"));
}

#[tokio::test]
async fn what_did_not_help_alone_is_tried_again_once_a_part_is_mended() {
    let files: Files = &[
        ("a.py", b"def first():\n    return 0\n"),
        ("b.py", b"def second():\n    return 0\n"),
        (
            "test_all.py",
            b"import unittest, a, b\nclass T(unittest.TestCase):\n    def test_first(self):\n        \
              self.assertEqual(a.first(), 1)\n    def test_both(self):\n        \
              self.assertEqual(a.first() + b.second(), 2)\n",
        ),
    ];
    let pick = |path: &str| format!(r#"{{"path":"{path}","operation":"replace"}}"#);
    let (a, b) = (pick("a.py"), pick("b.py"));
    let edit = r#"{"old":"return 0","new":"return 1"}"#;
    let repaired = Case { files, ..CASE }
        .run(&[&b, edit, &a, edit, &b, edit])
        .await;
    repaired.check(
        Status::Success,
        &[
            "red: test_all.T.test_both, test_all.T.test_first still fails",
            "red: test_all.T.test_both still fails",
            "green",
        ],
    );
}

#[tokio::test]
async fn an_edit_that_breaks_the_code_is_not_tried() {
    let broken = r#"{"old":"return a - b","new":"return (a"}"#;
    let repaired = CASE.run(&[CALC_PICK, broken, CALC_PICK, RIGHT]).await;
    repaired.check(Status::Success, &["green"]);
    assert_eq!(repaired.record.attempts[0].n_repeated, 1);
    let answers = [CALC_PICK, broken].repeat(5);
    let repaired = Case {
        max_attempts: 1,
        ..CASE
    }
    .run(&answers)
    .await;
    repaired.check(
        Status::Exhausted,
        &["calc.py no longer parses as Python: line 2, `return (a`"],
    );
    assert!(matches!(
        repaired.record.attempts[0].end,
        AttemptEnd::Breaks
    ));
}

#[tokio::test]
async fn a_model_of_single_sentences_is_told_the_issue_alone() {
    let repaired = Case {
        profile: Some("compact-4"),
        ..CASE
    }
    .run(&[CALC_PICK, RIGHT])
    .await;
    repaired.check(Status::Success, &["green"]);
    assert!(
        repaired
            .prompt(1)
            .contains("<|task|>add subtracts instead of adding<|lines|>"),
        "{}",
        repaired.prompt(1)
    );
}

#[tokio::test]
async fn attempts_come_to_an_end() {
    let wrong =
        ["a * b", "a / b", "b - a"].map(|new| format!(r#"{{"old":"a - b","new":"{new}"}}"#));
    let answers: Vec<&str> = wrong.iter().flat_map(|slots| [CALC_PICK, slots]).collect();
    let repaired = Case {
        max_attempts: 3,
        ..CASE
    }
    .run(&answers)
    .await;
    repaired.check(
        Status::Exhausted,
        &["red: test_calc.Calc.test_add still fails"; 3],
    );
}

#[tokio::test]
async fn an_answer_that_was_tried_is_not_tried_again() {
    let wrong = r#"{"old":"a - b","new":"a * b"}"#;
    let same = r#"{"old":"return a - b","new":"return a * b"}"#; // another answer, the same edit
    let repaired = CASE
        .run(&[
            CALC_PICK, wrong, CALC_PICK, same, CALC_PICK, wrong, CALC_PICK, RIGHT,
        ])
        .await;
    repaired.check(
        Status::Success,
        &["red: test_calc.Calc.test_add still fails", "green"],
    );
    assert_eq!(repaired.record.attempts[1].n_repeated, 2);
    let seeds: Vec<Sampling> = repaired
        .requests
        .iter()
        .step_by(2)
        .map(|request| request.sampling)
        .collect();
    assert!(
        seeds[1] != seeds[2] && seeds[2] != seeds[3],
        "asked anew in another way: {seeds:?}"
    );
    let answers: Vec<&str> = [CALC_PICK, wrong].repeat(6);
    let repaired = Case {
        max_attempts: 2,
        ..CASE
    }
    .run(&answers)
    .await;
    repaired.check(
        Status::Exhausted,
        &[
            "red: test_calc.Calc.test_add still fails",
            "the model wrote only what was tried before",
        ],
    );
}

#[tokio::test]
async fn what_mends_some_of_it_is_kept() {
    let files: Files = &[
        ("calc.py", b"def add(a, b):\n    return a - b\n\n\n\
                      def add_all(values):\n    return min(values)\n"),
        (
            "test_calc.py",
            b"import unittest, calc\nclass T(unittest.TestCase):\n    def test_add(self):\n        \
              self.assertEqual(calc.add(1, 2), 3)\n    def test_add_all(self):\n        \
              self.assertEqual(calc.add_all([1, 2]), 3)\n",
        ),
    ];
    let repaired = Case { files, ..CASE }
        .run(&[CALC_PICK, RIGHT, CALC_PICK, r#"{"old":"min","new":"sum"}"#])
        .await;
    repaired.check(
        Status::Success,
        &["red: test_calc.T.test_add_all still fails", "green"],
    );
    assert!(repaired.record.attempts[0].kept);
    assert!(
        repaired
            .prompt(2)
            .contains("This was changed so far, and is in the files already:\n--- a/calc.py"),
        "{}",
        repaired.prompt(2)
    );
    assert!(
        repaired.after("calc.py").contains("a + b")
            && repaired.after("calc.py").contains("sum(values)")
    );
}

#[tokio::test]
async fn an_attempt_may_need_several_places() {
    let files: Files = &[
        (
            "calc.py",
            b"import ops\n\n\ndef add(a, b):\n    return ops.subtract(a, b)\n",
        ),
        ("ops.py", b"def subtract(a, b):\n    return a - b\n"),
        (
            "test_calc.py",
            b"import unittest, calc, ops\nclass T(unittest.TestCase):\n    def test_add(self):\
              \n        self.assertEqual(calc.add(1, 2), 3)\n        self.assertEqual(ops.plus(1, \
              2), 3)\n",
        ),
    ];
    let insert = r#"{"path":"ops.py","operation":"insert"}"#;
    let plus = concat!(
        r#"{"position":"before","anchor":"def subtract(a, b):","text":"def plus(a, b):\n"#,
        r#"    return a + b\n\n"}"#,
    );
    let call = r#"{"old":"ops.subtract","new":"ops.plus"}"#;
    let repaired = Case {
        files,
        max_steps: 3,
        ..CASE
    }
    .run(&[insert, plus, CALC_PICK, call, DONE])
    .await;
    repaired.check(Status::Success, &["green"]);
    assert_eq!(repaired.record.files, ["ops.py", "calc.py"]);
    assert!(
        repaired
            .prompt(2)
            .contains("This part of the task is done, and is in the files already:\n--- a/ops.py"),
        "{}",
        repaired.prompt(2)
    );
    assert!(
        repaired.record.diff.contains("+def plus(a, b):")
            && repaired.record.diff.contains("+    return ops.plus(a, b)")
    );
}
