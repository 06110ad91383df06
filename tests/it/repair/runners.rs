//! Real test runners of several languages.

use super::case::{CALC_PICK, CASE, Case, Files, PYTHON, RIGHT};
use crate::support::tree::has;
use slotwright::repair::judge::Finding;
use slotwright::repair::{AttemptEnd, Status};

#[tokio::test]
async fn pytest() {
    let is_there = std::process::Command::new("python3")
        .args(["-m", "pytest", "--version"])
        .output();
    if !is_there.is_ok_and(|output| output.status.success()) {
        println!("skipped: there is no pytest here");
        return;
    }
    let case = Case {
        command: "python3 -m pytest -q",
        ..CASE
    };
    let broken = r#"{"old":"return a - b","new":"return (a"}"#;
    let repaired = case.run(&[CALC_PICK, broken, CALC_PICK, RIGHT]).await;
    let messages: Vec<&str> = repaired
        .record
        .attempts
        .iter()
        .map(|attempt| attempt.message.as_str())
        .collect();
    assert!(
        messages[0].starts_with("it does not compile or import: ") && messages[1] == "green",
        "{messages:?}"
    );
    assert_eq!(repaired.record.status, Some(Status::Success));
    assert_eq!(repaired.record.targets, ["test_calc.py::Calc::test_add"]);
    let empty = Case {
        files: &[PYTHON[0], ("test_calc.py", b"\n")],
        ..case
    };
    let create = r#"{"operation":"create"}"#;
    let text = concat!(
        r#"{"path":"test_add.py","text":"import calc\ndef test_it():\n"#,
        r#"    assert calc.add(1, 2) == 3\n"}"#,
    );
    let repaired = empty.run(&[create, text, CALC_PICK, RIGHT]).await;
    repaired.check(Status::Success, &["green"]);
    assert_eq!(repaired.record.targets, ["test_add.py::test_it"]);
}

#[tokio::test]
async fn what_prints_as_pytest_does_is_read_as_pytest() {
    let fake: &[u8] = b"import os, calc\nassert '-rfEsxXp' in os.environ['PYTEST_ADDOPTS']\n\
                        ok = calc.add(1, 2) == 3\nprint('____ test_add ____\\nE   assert 3\\n' * \
                        (not ok))\nprint(('PASSED' if ok else 'FAILED') + ' \
                        tests/test_a.py::test_add')\nprint('PASSED tests/test_a.py::test_double')\n\
                        print('=== ' + ('2 passed' if ok else '1 failed, \
                        1 passed') + ' in 0.01s ===')\nraise SystemExit(0 if ok else 1)\n";
    let files: Files = &[PYTHON[0], ("run.py", fake)];
    let repaired = Case {
        files,
        command: "python3 run.py",
        ..CASE
    }
    .run(&[CALC_PICK, RIGHT])
    .await;
    repaired.check(Status::Success, &["green"]);
    assert_eq!(repaired.record.targets, ["tests/test_a.py::test_add"]);
    assert!(
        !repaired.prompt(0).contains("run.py\n\n"),
        "what the command runs is not to be edited"
    );
}

#[tokio::test]
async fn rust_with_its_tests_in_the_file() {
    if !has("cargo") {
        println!("skipped: there is no cargo here");
        return;
    }
    let manifest: &[u8] = b"[package]\nname = \"toy\"\nversion = \"0.1.0\"\nedition = \"2021\"\n";
    let code = "pub fn add(a: i32, b: i32) -> i32 {\n    a - b\n}\n\n\
                pub fn zero() -> i32 {\n    0\n}\n\n#[cfg(test)]\nmod tests {\n    use super::*;\n\
                \n    #[test]\n    fn zero_is_nothing() {\n        assert_eq!(zero(), 0);\n    }\n\
                }\n";
    let files: Files = &[
        ("Cargo.toml", manifest),
        ("src/lib.rs", code.as_bytes()),
        (".gitignore", b"target\nCargo.lock\n"),
    ];
    let case = Case {
        files,
        command: "cargo test --offline --quiet --lib 2>&1 -- --format pretty",
        ..CASE
    };
    let insert = r#"{"path":"src/lib.rs","operation":"insert"}"#;
    let test = concat!(
        r#"{"position":"before","anchor":"    #[test]","text":"    #[test]\n"#,
        r#"    fn adds() {\n        assert_eq!(add(1, 2), 3);\n    }\n"}"#,
    );
    let pick = r#"{"path":"src/lib.rs","operation":"replace"}"#;
    let weaken = r#"{"old":"add(1, 2), 3","new":"3, 3"}"#;
    let wrong = r#"{"old":"a - b","new":"a + c"}"#;
    let repaired = case
        .run(&[insert, test, pick, weaken, pick, wrong, pick, RIGHT])
        .await;
    let not_built =
        "it does not compile or import: error[E0425]: cannot find value `c` in this scope";
    repaired.check(
        Status::Success,
        &[
            "refused: it changes the tests in src/lib.rs",
            not_built,
            "green",
        ],
    );
    assert_eq!(repaired.record.targets, ["tests::adds"]);
    assert_eq!(repaired.record.files, ["src/lib.rs"]);
    let after = repaired.after("src/lib.rs");
    assert!(
        after.contains("fn adds()") && after.contains("a + b"),
        "{after}"
    );
}

#[tokio::test]
async fn javascript_with_nodes_runner() {
    if !has("node") {
        println!("skipped: there is no node here");
        return;
    }
    let test: &[u8] = b"const { test } = require('node:test');\n\
                        const assert = require('node:assert');\n\
                        const { add, zero } = require('./sum.js');\n\n\
                        test('adds', () => {\n  assert.strictEqual(add(1, 2), 3);\n});\n\n\
                        test('zero', () => {\n  assert.strictEqual(zero(), 0);\n});\n";
    let files: Files = &[
        (
            "sum.js",
            b"exports.add = (a, b) => a - b;\nexports.zero = () => 0;\n",
        ),
        ("sum.test.js", test),
    ];
    let pick = r#"{"path":"sum.js","operation":"replace"}"#;
    let case = Case {
        files,
        command: "node --test",
        ..CASE
    };
    let repaired = case
        .run(&[pick, r#"{"old":"=> a - b","new":"=> c + b"}"#, pick, RIGHT])
        .await;
    repaired.check(Status::Success, &["red: adds still fails", "green"]);
    assert_eq!(repaired.record.targets, ["adds"]);
    assert!(
        repaired.prompt(2).contains("-1 !== 3"),
        "{}",
        repaired.prompt(2)
    );
    let broken = case
        .run(&[
            pick,
            r#"{"old":"=> a - b","new":"=> { break; }"}"#,
            pick,
            RIGHT,
        ])
        .await;
    broken.check(
        Status::Success,
        &[
            "it does not compile or import: SyntaxError: Illegal break statement",
            "green",
        ],
    );
}

#[tokio::test]
async fn c_with_make() {
    if !has("make") || !has("cc") {
        println!("skipped: there is no make or no cc here");
        return;
    }
    let makefile: &[u8] =
        b"test: test_sum\n\t./test_sum\ntest_sum: test_sum.c sum.c\n\t$(CC) -o $@ $^\n";
    let files: Files = &[
        ("Makefile", makefile),
        ("sum.c", b"int add(int a, int b) {\n    return a - b;\n}\n"),
        (
            "test_sum.c",
            b"#include <assert.h>\nint add(int a, int b);\n\
              int main(void) {\n    assert(add(1, 2) == 3);\n    return 0;\n}\n",
        ),
    ];
    let pick = r#"{"path":"sum.c","operation":"replace"}"#;
    let case = Case {
        files,
        command: "make test",
        ..CASE
    };
    let repaired = case
        .run(&[pick, r#"{"old":"a - b","new":"a + c"}"#, pick, RIGHT])
        .await;
    let Some(AttemptEnd::Tested {
        finding: Finding::NotBuilt { line },
    }) = repaired.record.attempts.first().map(|a| a.end.clone())
    else {
        panic!("{:#?}", repaired.record.attempts);
    };
    assert!(line.contains("sum.c:2:16: error:"), "{line}");
    assert_eq!(repaired.record.status, Some(Status::Success));
    assert!(
        repaired.record.targets.is_empty(),
        "there are no names of tests, and the exit code counts"
    );
    let never = Case {
        max_attempts: 1,
        ..case
    }
    .run(&[pick, r#"{"old":"a - b","new":"a * b"}"#])
    .await;
    never.check(Status::Exhausted, &["red: the tests still fail"]);
}
