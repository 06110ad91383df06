//! Answers that would look like a success and are none, and those that are refused.

use super::case::{CALC_PICK, CASE, Case, DONE, Files, PYTHON, RIGHT, UNCLEAR};
use slotwright::repair::Status;

#[tokio::test]
async fn what_breaks_another_test_is_no_success() {
    let breaks = concat!(
        r#"{"old":"return a - b\n\n\ndef double(a):\n    return a * 2","#,
        r#""new":"return a + b\n\n\ndef double(a):\n    return a"}"#,
    );
    let repaired = Case {
        max_attempts: 1,
        ..CASE
    }
    .run(&[CALC_PICK, breaks])
    .await;
    repaired.check(Status::Exhausted, &["it breaks test_calc.Calc.test_double"]);
}

#[tokio::test]
async fn what_the_model_claims_is_no_evidence() {
    let repaired = Case {
        max_attempts: 2,
        ..CASE
    }
    .run(&[DONE; 4])
    .await;
    repaired.check(
        Status::Refused,
        &["the model says that it is done; the tests say that it is not"; 2],
    );
    // The likeliest answer is passed over if it declines or changes nothing. Of the random ones that
    // follow where there is no other, one that declines ends the attempt, and three more are asked
    // for if one changes nothing.
    let nothing = [CALC_PICK, r#"{"old":"a - b","new":"a - b"}"#];
    let answers = [[UNCLEAR, UNCLEAR].as_slice(), &nothing.repeat(5)].concat();
    let repaired = Case {
        max_attempts: 2,
        ..CASE
    }
    .run(&answers)
    .await;
    repaired.check(
        Status::Refused,
        &[
            "the model declined: unclear to it",
            "the model's edit changes nothing",
        ],
    );
    let repaired = Case {
        max_attempts: 1,
        ..CASE
    }
    .run(&[nothing.as_slice(), &[CALC_PICK, RIGHT]].concat())
    .await;
    repaired.check(Status::Success, &["green"]);
}

#[tokio::test]
async fn a_test_that_is_weakened_is_refused() {
    // An engine without our constraint may answer anything.
    let case = Case {
        is_constrained: false,
        max_attempts: 1,
        ..CASE
    };
    let weaken = [
        r#"{"path":"test_calc.py","operation":"replace"}"#,
        r#"{"old":"calc.add(1, 2), 3","new":"3, 3"}"#,
    ];
    let create = r#"{"operation":"create"}"#;
    let conftest = r#"{"path":"conftest.py","text":"collect_ignore = ['test_calc.py']"}"#;
    let second = r#"{"path":"test_more.py","text":"import os\nos._exit(0)"}"#;
    let stays = "refused: test_calc.py holds tests, or says how they are run: it stays as it is";
    case.run(&weaken).await.check(Status::Refused, &[stays]);
    for (answer, path) in [(conftest, "conftest.py"), (second, "test_more.py")] {
        let refused = format!("refused: {path} would be a new file of tests, or of what runs them");
        case.run(&[create, answer])
            .await
            .check(Status::Refused, &[&refused]);
    }
    let repaired = CASE.run(&[CALC_PICK, RIGHT]).await;
    assert!(
        !repaired.prompt(0).contains("test_calc.py\n"),
        "files of tests are not among those to choose from: {}",
        repaired.prompt(0)
    );
}

#[tokio::test]
async fn a_new_file_does_not_take_the_name_of_an_ignored_one() {
    let files: Files = &[
        PYTHON[0],
        PYTHON[1],
        (".gitignore", b"secret.txt\n"),
        ("secret.txt", b"theirs\n"),
    ];
    let create = [
        r#"{"operation":"create"}"#,
        r#"{"path":"secret.txt","text":"ours"}"#,
    ];
    let repaired = Case {
        files,
        max_attempts: 1,
        ..CASE
    }
    .run(&create)
    .await;
    repaired.check(
        Status::Refused,
        &["refused: there is a file secret.txt already; nothing was written"],
    );
}

#[tokio::test]
async fn code_that_keeps_the_tests_from_running_is_no_success() {
    let case = Case {
        max_attempts: 1,
        ..CASE
    };
    let insert = r#"{"path":"calc.py","operation":"insert"}"#;
    let line = |text: &str| {
        format!(r#"{{"position":"before","anchor":"def add(a, b):","text":"{text}"}}"#)
    };
    let exits = line("import os\\nos._exit(0)");
    case.run(&[insert, &exits]).await.check(
        Status::Exhausted,
        &["tests are missing: 0 tests were run, and 2 before"],
    );
    let skips = line("import unittest\\nraise unittest.SkipTest('x')");
    case.run(&[insert, &skips]).await.check(
        Status::Exhausted,
        &["tests are missing: 0 tests were run, and 2 before"],
    );
    let overwrites = line("with open('test_calc.py', 'w') as f:\\n    f.write('')");
    let repaired = case.run(&[insert, &overwrites]).await;
    repaired.check(
        Status::Exhausted,
        &["test_calc.py was changed while the tests ran"],
    );
    // What it left behind is not there in the next attempt.
    let case = Case {
        max_attempts: 2,
        ..CASE
    };
    let repaired = case.run(&[insert, &overwrites, CALC_PICK, RIGHT]).await;
    repaired.check(
        Status::Success,
        &["test_calc.py was changed while the tests ran", "green"],
    );
}

#[tokio::test]
async fn an_edit_that_hangs_the_tests_is_an_attempt() {
    let hangs = r#"{"old":"return a - b","new":"while True: pass"}"#;
    let repaired = Case {
        max_attempts: 1,
        ..CASE
    }
    .run(&[CALC_PICK, hangs])
    .await;
    repaired.check(
        Status::Exhausted,
        &["the tests did not come to their end: they took longer than 10 s"],
    );
}

#[tokio::test]
async fn a_test_that_fails_the_first_time_only_proves_nothing() {
    let test: &[u8] = b"import os, unittest, calc\nclass T(unittest.TestCase):\n    def \
                        test_add(self):\n        seen = os.path.exists('seen')\n        \
                        open('seen', 'w').close()\n        self.assertTrue(seen, 'add')\n";
    let repaired = Case {
        files: &[PYTHON[0], ("test_calc.py", test)],
        max_attempts: 1,
        ..CASE
    }
    .run(&[CALC_PICK, RIGHT])
    .await;
    repaired.check(
        Status::Exhausted,
        &["green once, but not in a fresh copy, or in one without the edit too"],
    );
}

#[tokio::test]
async fn where_everything_judges_nothing_can_be_mended() {
    let files: Files = &[(
        "test_calc.py",
        b"import unittest\nclass T(unittest.TestCase):\n    def test_add(self):\
                             \n        self.fail()\n",
    )];
    let case = Case {
        files,
        profile: Some("compact-4"),
        ..CASE
    };
    let repaired = case.run(&[]).await;
    repaired.check(Status::Refused, &[]);
    assert!(
        repaired
            .record
            .reason
            .contains("there is no file that may be changed"),
        "{}",
        repaired.record.reason
    );
}
