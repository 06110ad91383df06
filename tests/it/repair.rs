//! The loop from red to green with answers given beforehand, on small real projects whose tests are
//! really run: every end that it may come to. Whatever that is, the person's folder is as it was.

use crate::support::folder;
use crate::support::is_let_through;
use crate::support::tree::{Tree, has, make_repository};
use slotwright::engine::scripted::ScriptedEngine;
use slotwright::engine::{ModelInfo, Part, Request, Sampling};
use slotwright::prompt::Profile;
use slotwright::repair::judge::Finding;
use slotwright::repair::{
    AttemptEnd, Record, RepairEvent, RepairOptions, RepairSession, ShownBy, Status, repair,
};
use slotwright::sandbox;
use slotwright::workspace::Workspace;
use std::path::PathBuf;
use std::time::Duration;

type Files<'a> = &'a [(&'a str, &'a [u8])];

const CALC: &[u8] = b"def add(a, b):\n    return a - b\n\n\ndef double(a):\n    return a * 2\n";
const TEST_CALC: &[u8] = b"import unittest\nimport calc\n\n\nclass Calc(unittest.TestCase):\n    def test_add(self):\n        self.assertEqual(calc.add(1, 2), 3)\n\n    def test_double(self):\n        self.assertEqual(calc.double(2), 4)\n";
const PYTHON: Files = &[("calc.py", CALC), ("test_calc.py", TEST_CALC)];
const UNITTEST: &str = "python3 -m unittest";
const ISSUE: &str = "add subtracts instead of adding";

const CALC_PICK: &str = r#"{"path":"calc.py","operation":"replace"}"#;
const RIGHT: &str = r#"{"old":"a - b","new":"a + b"}"#;
const DONE: &str = r#"{"operation":"none","reason":"already_done"}"#;
const UNCLEAR: &str = r#"{"operation":"none","reason":"unclear"}"#;

/// How a repair is asked for.
struct Case<'a> {
    files: Files<'a>,
    command: &'a str,
    issue: &'a str,
    test_file: Option<&'a str>,
    max_attempts: usize,
    max_steps: usize,
    time: Duration,
    /// Whether each answer must be one that the constraint lets through.
    is_constrained: bool,
    profile: Option<&'a str>,
}

const CASE: Case = Case {
    files: PYTHON,
    command: UNITTEST,
    issue: ISSUE,
    test_file: None,
    max_attempts: 5,
    max_steps: 1,
    time: Duration::from_secs(120),
    is_constrained: true,
    profile: None,
};

/// What came of it, what was asked, and what was said.
struct Came {
    record: Record,
    requests: Vec<Request>,
    said: Vec<String>,
}

impl Case<'_> {
    async fn run(&self, answers: &[&str]) -> Came {
        let dir = folder(self.files);
        if has("git") {
            make_repository(dir.path());
        }
        let before = Tree::of(dir.path());
        let workspace = Workspace::open(dir.path()).unwrap();
        let info = ModelInfo {
            context_tokens: 16_384,
            profile: self.profile.map(str::to_owned),
            ..ModelInfo::default()
        };
        let (profile, _) = Profile::of(&info).unwrap();
        let mut engine = ScriptedEngine::new(info, answers.iter().copied());
        let options = RepairOptions {
            command: self.command.to_owned(),
            test_file: self.test_file.map(str::to_owned),
            max_attempts: self.max_attempts,
            max_steps: self.max_steps,
            time: self.time,
            sandbox: sandbox::SandboxOptions {
                allow_none: true,
                ..sandbox::SandboxOptions::default()
            },
            program: PathBuf::from(crate::support::PROGRAM),
        };
        let mut said = Vec::new();
        let mut on_event = |event: RepairEvent| match event {
            RepairEvent::Model(_) => {}
            event => said.push(event.to_string()),
        };
        let mut session = RepairSession {
            workspace: &workspace,
            engine: &mut engine,
            profile: &profile,
            options: &options,
            on_event: &mut on_event,
        };
        let record = repair(self.issue, &mut session).await.unwrap();
        assert_eq!(Tree::of(dir.path()), before, "the folder is not as it was");
        assert_eq!(engine.requests.len(), answers.len(), "all answers were asked for: {said:#?}");
        for (request, answer) in engine.requests.iter().zip(answers).filter(|_| self.is_constrained)
        {
            assert!(
                is_let_through(request, answer),
                "the constraint does not let {answer} through"
            );
        }
        Came { record, requests: engine.requests, said }
    }
}

impl Came {
    /// It ended like this, with these sentences about the attempts.
    #[track_caller]
    fn check(&self, status: Status, attempts: &[&str]) -> &Came {
        let messages: Vec<&str> =
            self.record.attempts.iter().map(|attempt| attempt.message.as_str()).collect();
        assert_eq!(
            (self.record.status, messages),
            (Some(status), attempts.to_vec()),
            "{}\n{:#?}",
            self.record.reason,
            self.said
        );
        let is_success = status == Status::Success;
        assert_eq!(
            (self.record.changes.is_empty(), self.record.diff.is_empty()),
            (!is_success, !is_success)
        );
        self
    }

    /// The files of a success.
    #[track_caller]
    fn after(&self, path: &str) -> String {
        let change = self.record.changes.iter().find(|change| change.path == path).unwrap();
        String::from_utf8(change.after.clone()).unwrap()
    }

    fn prompt(&self, i: usize) -> String {
        let text = |part: &Part| match part {
            Part::Control(text) | Part::Text(text) => text.clone(),
        };
        self.requests[i].prompt.iter().map(text).collect()
    }
}

#[tokio::test]
async fn python_in_one_attempt() {
    let came = CASE.run(&[CALC_PICK, RIGHT]).await;
    came.check(Status::Success, &["green"]);
    assert_eq!(came.after("calc.py"), String::from_utf8_lossy(CALC).replace("a - b", "a + b"));
    let record = &came.record;
    assert_eq!(
        (record.shown_by, record.targets.as_slice()),
        (Some(ShownBy::Failing), &["test_calc.Calc.test_add".to_owned()][..])
    );
    assert_eq!(record.files, ["calc.py"]);
    let (red, green) = (record.red.as_ref().unwrap(), record.green.as_ref().unwrap());
    assert_eq!((red.passed, red.failed.len(), green.passed, green.failed.len()), (1, 1, 2, 0));
    assert!(red.output.contains("-1 != 3"), "{}", red.output);
}

#[tokio::test]
async fn python_in_three_attempts_each_of_which_is_told_of_those_before() {
    let wrong = [r#"{"old":"a - b","new":"a * b"}"#, r#"{"old":"return a - b","new":"return (a"}"#];
    let came = CASE.run(&[CALC_PICK, wrong[0], CALC_PICK, wrong[1], CALC_PICK, RIGHT]).await;
    let not_built = "it does not compile or import: SyntaxError: '(' was never closed";
    came.check(Status::Success, &["red: test_calc.Calc.test_add still fails", not_built, "green"]);
    let first = came.prompt(0);
    assert!(first.contains("These tests fail because of it: test_calc.Calc.test_add."), "{first}");
    assert!(
        first.contains("AssertionError: -1 != 3") && !first.contains("did not help"),
        "{first}"
    );
    let last = came.prompt(5);
    assert!(
        last.contains("+    return a * b")
            && last.contains("red: test_calc.Calc.test_add still fails"),
        "{last}"
    );
    assert!(last.contains("+    return (a\n") && last.contains(not_built), "{last}");
    let temperature = |i: usize| match came.requests[i].sampling {
        Sampling::Greedy => 0.0,
        Sampling::Random { temperature, .. } => temperature,
    };
    assert!(
        temperature(0) == 0.0 && temperature(2) > 0.0 && temperature(4) > temperature(2),
        "later attempts are freer"
    );
}

#[tokio::test]
async fn a_model_of_single_sentences_is_told_the_issue_alone() {
    let came = Case { profile: Some("compact-4"), ..CASE }.run(&[CALC_PICK, RIGHT]).await;
    came.check(Status::Success, &["green"]);
    assert!(
        came.prompt(1).contains("<|task|>add subtracts instead of adding<|lines|>"),
        "{}",
        came.prompt(1)
    );
}

#[tokio::test]
async fn attempts_come_to_an_end() {
    let wrong =
        ["a * b", "a / b", "b - a"].map(|new| format!(r#"{{"old":"a - b","new":"{new}"}}"#));
    let answers: Vec<&str> = wrong.iter().flat_map(|slots| [CALC_PICK, slots]).collect();
    let came = Case { max_attempts: 3, ..CASE }.run(&answers).await;
    came.check(Status::Exhausted, &["red: test_calc.Calc.test_add still fails"; 3]);
}

#[tokio::test]
async fn what_breaks_another_test_is_no_success() {
    let breaks = r#"{"old":"return a - b\n\n\ndef double(a):\n    return a * 2","new":"return a + b\n\n\ndef double(a):\n    return a"}"#;
    let came = Case { max_attempts: 1, ..CASE }.run(&[CALC_PICK, breaks]).await;
    came.check(Status::Exhausted, &["it breaks test_calc.Calc.test_double"]);
}

#[tokio::test]
async fn what_the_model_claims_is_no_evidence() {
    let came = Case { max_attempts: 2, ..CASE }.run(&[DONE, DONE]).await;
    came.check(
        Status::Refused,
        &["the model says that it is done; the tests say that it is not"; 2],
    );
    // An edit that changes nothing is asked for anew, three times.
    let nothing = [CALC_PICK, r#"{"old":"a - b","new":"a - b"}"#];
    let answers = [[UNCLEAR].as_slice(), &nothing, &nothing, &nothing, &nothing].concat();
    let came = Case { max_attempts: 2, ..CASE }.run(&answers).await;
    came.check(
        Status::Refused,
        &["the model declined: unclear to it", "the model's edit changes nothing"],
    );
    let came = Case { max_attempts: 1, ..CASE }
        .run(&[nothing.as_slice(), &[CALC_PICK, RIGHT]].concat())
        .await;
    came.check(Status::Success, &["green"]);
}

#[tokio::test]
async fn a_test_that_is_weakened_is_refused() {
    // An engine without our constraint may answer anything.
    let case = Case { is_constrained: false, max_attempts: 1, ..CASE };
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
        case.run(&[create, answer]).await.check(Status::Refused, &[&refused]);
    }
    let came = CASE.run(&[CALC_PICK, RIGHT]).await;
    assert!(
        !came.prompt(0).contains("test_calc.py\n"),
        "files of tests are not among those to choose from: {}",
        came.prompt(0)
    );
}

#[tokio::test]
async fn a_new_file_does_not_take_the_name_of_an_ignored_one() {
    let files: Files =
        &[PYTHON[0], PYTHON[1], (".gitignore", b"secret.txt\n"), ("secret.txt", b"theirs\n")];
    let create = [r#"{"operation":"create"}"#, r#"{"path":"secret.txt","text":"ours"}"#];
    let came = Case { files, max_attempts: 1, ..CASE }.run(&create).await;
    came.check(
        Status::Refused,
        &["refused: there is a file secret.txt already; nothing was written"],
    );
}

#[tokio::test]
async fn code_that_keeps_the_tests_from_running_is_no_success() {
    let case = Case { max_attempts: 1, ..CASE };
    let insert = r#"{"path":"calc.py","operation":"insert"}"#;
    let line = |text: &str| {
        format!(r#"{{"anchor":"def add(a, b):","position":"before","text":"{text}"}}"#)
    };
    let exits = line("import os\\nos._exit(0)");
    case.run(&[insert, &exits])
        .await
        .check(Status::Exhausted, &["tests are missing: 0 tests were run, and 2 before"]);
    let skips = line("import unittest\\nraise unittest.SkipTest('x')");
    case.run(&[insert, &skips])
        .await
        .check(Status::Exhausted, &["tests are missing: 0 tests were run, and 2 before"]);
    let overwrites = line("with open('test_calc.py', 'w') as f:\\n    f.write('')");
    let came = case.run(&[insert, &overwrites]).await;
    came.check(Status::Exhausted, &["test_calc.py was changed while the tests ran"]);
    // What it left behind is not there in the next attempt.
    let case = Case { max_attempts: 2, ..CASE };
    let came = case.run(&[insert, &overwrites, CALC_PICK, RIGHT]).await;
    came.check(Status::Success, &["test_calc.py was changed while the tests ran", "green"]);
}

#[tokio::test]
async fn an_answer_that_was_tried_is_not_tried_again() {
    let wrong = r#"{"old":"a - b","new":"a * b"}"#;
    let same = r#"{"old":"return a - b","new":"return a * b"}"#; // another answer, the same edit
    let came =
        CASE.run(&[CALC_PICK, wrong, CALC_PICK, same, CALC_PICK, wrong, CALC_PICK, RIGHT]).await;
    came.check(Status::Success, &["red: test_calc.Calc.test_add still fails", "green"]);
    assert_eq!(came.record.attempts[1].n_repeated, 2);
    let seeds: Vec<Sampling> =
        came.requests.iter().step_by(2).map(|request| request.sampling).collect();
    assert!(seeds[1] != seeds[2] && seeds[2] != seeds[3], "asked anew in another way: {seeds:?}");
    let answers: Vec<&str> = [CALC_PICK, wrong].repeat(5);
    let came = Case { max_attempts: 2, ..CASE }.run(&answers).await;
    came.check(
        Status::Exhausted,
        &["red: test_calc.Calc.test_add still fails", "the model wrote only what was tried before"],
    );
}

#[tokio::test]
async fn what_mends_some_of_it_is_kept() {
    let files: Files = &[
        ("calc.py", b"def add(a, b):\n    return a - b\n\n\ndef add_all(values):\n    return min(values)\n"),
        (
            "test_calc.py",
            b"import unittest, calc\nclass T(unittest.TestCase):\n    def test_add(self):\n        self.assertEqual(calc.add(1, 2), 3)\n    def test_add_all(self):\n        self.assertEqual(calc.add_all([1, 2]), 3)\n",
        ),
    ];
    let came = Case { files, ..CASE }
        .run(&[CALC_PICK, RIGHT, CALC_PICK, r#"{"old":"min","new":"sum"}"#])
        .await;
    came.check(Status::Success, &["red: test_calc.T.test_add_all still fails", "green"]);
    assert!(came.record.attempts[0].kept);
    assert!(
        came.prompt(2)
            .contains("This was changed so far, and is in the files already:\n--- a/calc.py"),
        "{}",
        came.prompt(2)
    );
    assert!(
        came.after("calc.py").contains("a + b") && came.after("calc.py").contains("sum(values)")
    );
}

#[tokio::test]
async fn an_attempt_may_need_several_places() {
    let files: Files = &[
        ("calc.py", b"import ops\n\n\ndef add(a, b):\n    return ops.subtract(a, b)\n"),
        ("ops.py", b"def subtract(a, b):\n    return a - b\n"),
        (
            "test_calc.py",
            b"import unittest, calc, ops\nclass T(unittest.TestCase):\n    def test_add(self):\n        self.assertEqual(calc.add(1, 2), 3)\n        self.assertEqual(ops.plus(1, 2), 3)\n",
        ),
    ];
    let insert = r#"{"path":"ops.py","operation":"insert"}"#;
    let plus = r#"{"anchor":"def subtract(a, b):","position":"before","text":"def plus(a, b):\n    return a + b\n\n"}"#;
    let call = r#"{"old":"ops.subtract","new":"ops.plus"}"#;
    let came =
        Case { files, max_steps: 3, ..CASE }.run(&[insert, plus, CALC_PICK, call, DONE]).await;
    came.check(Status::Success, &["green"]);
    assert_eq!(came.record.files, ["calc.py", "ops.py"]);
    assert!(
        came.prompt(2)
            .contains("This part of the task is done, and is in the files already:\n--- a/ops.py"),
        "{}",
        came.prompt(2)
    );
    assert!(
        came.record.diff.contains("+def plus(a, b):")
            && came.record.diff.contains("+    return ops.plus(a, b)")
    );
}

const GREEN: Files = &[
    ("calc.py", CALC),
    (
        "test_calc.py",
        b"import unittest\nimport calc\n\n\nclass Calc(unittest.TestCase):\n    def test_double(self):\n        self.assertEqual(calc.double(2), 4)\n",
    ),
];
const TEST_PICK: &str = r#"{"path":"test_calc.py","operation":"insert"}"#;

fn new_test(body: &str) -> String {
    let test = format!("    def test_add(self):\\n        {body}\\n");
    format!(r#"{{"anchor":"    def test_double(self):","position":"before","text":"{test}"}}"#)
}

#[tokio::test]
async fn the_model_writes_the_test_first() {
    let test = new_test("self.assertEqual(calc.add(1, 2), 3)");
    let came = Case { files: GREEN, ..CASE }.run(&[TEST_PICK, &test, CALC_PICK, RIGHT]).await;
    came.check(Status::Success, &["green"]);
    assert_eq!(came.record.shown_by, Some(ShownBy::Written));
    assert_eq!(came.record.files, ["test_calc.py", "calc.py"]);
    assert!(
        came.prompt(0).contains("Add a test that fails because of this bug: add subtracts"),
        "{}",
        came.prompt(0)
    );
    assert!(
        came.after("test_calc.py").contains("def test_add")
            && came.after("calc.py").contains("a + b")
    );
    // A file of its own, too.
    let create = r#"{"operation":"create"}"#;
    let text = r#"{"path":"test_add.py","text":"import unittest, calc\nclass Add(unittest.TestCase):\n    def test_it(self):\n        self.assertEqual(calc.add(1, 2), 3)\n"}"#;
    let came = Case { files: GREEN, ..CASE }.run(&[create, text, CALC_PICK, RIGHT]).await;
    came.check(Status::Success, &["green"]);
    assert_eq!(came.record.files, ["test_add.py", "calc.py"]);
}

#[tokio::test]
async fn a_bug_that_no_test_shows_is_not_reproduced() {
    let answers = [
        new_test("self.assertEqual(calc.add(0, 0), 0)"),
        new_test("self.assertEqual(calculator.add(1, 2), 3)"),
        new_test("import nothing_like_it"),
    ];
    let answers: Vec<&str> = answers.iter().flat_map(|test| [TEST_PICK, test]).collect();
    let came = Case { files: GREEN, ..CASE }.run(&answers).await;
    came.check(Status::NotReproduced, &[]);
    let ends: Vec<&AttemptEnd> =
        came.record.test_attempts.iter().map(|attempt| &attempt.end).collect();
    assert_eq!(
        ends,
        [&AttemptEnd::DoesNotFail, &AttemptEnd::WrongReason, &AttemptEnd::WrongReason]
    );
    assert!(
        came.prompt(5).contains("it passes, and so does not show the bug"),
        "{}",
        came.prompt(5)
    );
}

#[tokio::test]
async fn a_test_that_was_there_cannot_be_broken_to_show_a_bug() {
    let case = Case { files: GREEN, is_constrained: false, ..CASE };
    let pick = r#"{"path":"test_calc.py","operation":"replace"}"#;
    let breaks = r#"{"old":"calc.double(2), 4","new":"calc.double(2), 5"}"#;
    let shadows = r#"{"anchor":"import calc","position":"after","text":"calc.double = None"}"#;
    let came = case.run(&[pick, breaks, TEST_PICK, shadows, CALC_PICK, RIGHT]).await;
    came.check(Status::NotReproduced, &[]);
    let messages: Vec<&str> =
        came.record.test_attempts.iter().map(|attempt| attempt.message.as_str()).collect();
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
    let repro: &[u8] = b"import unittest, calc\nclass Repro(unittest.TestCase):\n    def test_it(self):\n        self.assertEqual(calc.add(2, 2), 4)\n";
    let files: Files = &[GREEN[0], GREEN[1], ("test_repro.py", repro)];
    let case = Case { files, test_file: Some("test_repro.py"), ..CASE };
    let came = case.run(&[CALC_PICK, RIGHT]).await;
    came.check(Status::Success, &["green"]);
    assert_eq!(
        (came.record.shown_by, came.record.targets.as_slice()),
        (Some(ShownBy::Given), &["test_repro.Repro.test_it".to_owned()][..])
    );
    let passes = Case { test_file: Some("test_calc.py"), files: GREEN, ..CASE }.run(&[]).await;
    passes.check(Status::NotReproduced, &[]);
    assert!(passes.record.reason.contains("they show no bug"), "{}", passes.record.reason);
    let elsewhere = Case { test_file: Some("test_calc.py"), files, ..CASE }.run(&[]).await;
    elsewhere.check(Status::NotReproduced, &[]);
    assert!(
        elsewhere.record.reason.contains("tests fail, but none in test_calc.py"),
        "{}",
        elsewhere.record.reason
    );
}

#[tokio::test]
async fn tests_that_failed_before_are_left_aside() {
    let other: &[u8] =
        b"import unittest\nclass Other(unittest.TestCase):\n    def test_weather(self):\n        self.fail('rain')\n";
    let files: Files = &[PYTHON[0], PYTHON[1], ("test_other.py", other)];
    let came = Case { files, ..CASE }.run(&[CALC_PICK, RIGHT]).await;
    came.check(Status::Success, &["green"]);
    assert_eq!(came.record.targets, ["test_calc.Calc.test_add"]);
    assert_eq!(came.record.known_failing, ["test_other.Other.test_weather"]);
}

#[tokio::test]
async fn a_broken_baseline_is_said_and_the_model_is_not_asked() {
    let syntax: Files =
        &[("calc.py", b"def add(a, b:\n    return a\n"), ("test_calc.py", TEST_CALC)];
    for (files, command, time, expected) in [
        (
            syntax,
            UNITTEST,
            60,
            "the tests do not compile or import as they are: SyntaxError: '(' was never closed",
        ),
        (PYTHON, "no-such-runner", 60, "the test command cannot be run: "),
        (PYTHON, "sleep 60", 1, "the tests do not come to their end: they took longer than 1 s"),
        (PYTHON, "kill -9 $$", 60, "the tests do not come to their end: ended by signal 9"),
    ] {
        let came = Case { files, command, time: Duration::from_secs(time), ..CASE }.run(&[]).await;
        came.check(Status::BaselineBroken, &[]);
        assert!(came.record.reason.starts_with(expected), "{}", came.record.reason);
    }
    // Unless that is the bug.
    let mends = r#"{"old":"(a, b","new":"(a, b)"}"#;
    let case = Case {
        files: &[
            ("calc.py", b"def add(a, b:\n    return a + b\n\n\ndef double(a):\n    return a * 2\n"),
            PYTHON[1],
        ],
        ..CASE
    };
    let came = Case { issue: "calc.py has a syntax error", ..case }.run(&[CALC_PICK, mends]).await;
    came.check(Status::Success, &["green"]);
}

#[tokio::test]
async fn an_edit_that_hangs_the_tests_is_an_attempt() {
    let hangs = r#"{"old":"return a - b","new":"while True: pass"}"#;
    let came = Case { max_attempts: 1, ..CASE }.run(&[CALC_PICK, hangs]).await;
    came.check(
        Status::Exhausted,
        &["the tests did not come to their end: they took longer than 10 s"],
    );
}

#[tokio::test]
async fn a_test_that_fails_the_first_time_only_proves_nothing() {
    let test: &[u8] = b"import os, unittest, calc\nclass T(unittest.TestCase):\n    def test_add(self):\n        seen = os.path.exists('seen')\n        open('seen', 'w').close()\n        self.assertTrue(seen, 'add')\n";
    let came = Case { files: &[PYTHON[0], ("test_calc.py", test)], max_attempts: 1, ..CASE }
        .run(&[CALC_PICK, RIGHT])
        .await;
    came.check(
        Status::Exhausted,
        &["green once, but not in a fresh copy, or in one without the edit too"],
    );
}

#[tokio::test]
async fn pytest() {
    let is_there =
        std::process::Command::new("python3").args(["-m", "pytest", "--version"]).output();
    if !is_there.is_ok_and(|output| output.status.success()) {
        println!("skipped: there is no pytest here");
        return;
    }
    let case = Case { command: "python3 -m pytest -q", ..CASE };
    let broken = r#"{"old":"return a - b","new":"return (a"}"#;
    let came = case.run(&[CALC_PICK, broken, CALC_PICK, RIGHT]).await;
    let messages: Vec<&str> =
        came.record.attempts.iter().map(|attempt| attempt.message.as_str()).collect();
    assert!(
        messages[0].starts_with("it does not compile or import: ") && messages[1] == "green",
        "{messages:?}"
    );
    assert_eq!(came.record.status, Some(Status::Success));
    assert_eq!(came.record.targets, ["test_calc.py::Calc::test_add"]);
    let empty = Case { files: &[PYTHON[0], ("test_calc.py", b"\n")], ..case };
    let create = r#"{"operation":"create"}"#;
    let text = r#"{"path":"test_add.py","text":"import calc\ndef test_it():\n    assert calc.add(1, 2) == 3\n"}"#;
    let came = empty.run(&[create, text, CALC_PICK, RIGHT]).await;
    came.check(Status::Success, &["green"]);
    assert_eq!(came.record.targets, ["test_add.py::test_it"]);
}

#[tokio::test]
async fn what_prints_as_pytest_does_is_read_as_pytest() {
    let fake: &[u8] = b"import os, calc\nassert '-rfEsxXp' in os.environ['PYTEST_ADDOPTS']\nok = calc.add(1, 2) == 3\nprint('____ test_add ____\\nE   assert 3\\n' * (not ok))\nprint(('PASSED' if ok else 'FAILED') + ' tests/test_a.py::test_add')\nprint('PASSED tests/test_a.py::test_double')\nprint('=== ' + ('2 passed' if ok else '1 failed, 1 passed') + ' in 0.01s ===')\nraise SystemExit(0 if ok else 1)\n";
    let files: Files = &[PYTHON[0], ("run.py", fake)];
    let came = Case { files, command: "python3 run.py", ..CASE }.run(&[CALC_PICK, RIGHT]).await;
    came.check(Status::Success, &["green"]);
    assert_eq!(came.record.targets, ["tests/test_a.py::test_add"]);
    assert!(!came.prompt(0).contains("run.py\n\n"), "what the command runs is not to be edited");
}

#[tokio::test]
async fn rust_with_its_tests_in_the_file() {
    if !has("cargo") {
        println!("skipped: there is no cargo here");
        return;
    }
    let manifest: &[u8] = b"[package]\nname = \"toy\"\nversion = \"0.1.0\"\nedition = \"2021\"\n";
    let code = "pub fn add(a: i32, b: i32) -> i32 {\n    a - b\n}\n\npub fn zero() -> i32 {\n    0\n}\n\n#[cfg(test)]\nmod tests {\n    use super::*;\n\n    #[test]\n    fn zero_is_nothing() {\n        assert_eq!(zero(), 0);\n    }\n}\n";
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
    let test = r#"{"anchor":"    #[test]","position":"before","text":"    #[test]\n    fn adds() {\n        assert_eq!(add(1, 2), 3);\n    }\n"}"#;
    let pick = r#"{"path":"src/lib.rs","operation":"replace"}"#;
    let weaken = r#"{"old":"add(1, 2), 3","new":"3, 3"}"#;
    let wrong = r#"{"old":"a - b","new":"a + c"}"#;
    let came = case.run(&[insert, test, pick, weaken, pick, wrong, pick, RIGHT]).await;
    let not_built =
        "it does not compile or import: error[E0425]: cannot find value `c` in this scope";
    came.check(
        Status::Success,
        &["refused: it changes the tests in src/lib.rs", not_built, "green"],
    );
    assert_eq!(came.record.targets, ["tests::adds"]);
    assert_eq!(came.record.files, ["src/lib.rs"]);
    let after = came.after("src/lib.rs");
    assert!(after.contains("fn adds()") && after.contains("a + b"), "{after}");
}

#[tokio::test]
async fn javascript_with_nodes_runner() {
    if !has("node") {
        println!("skipped: there is no node here");
        return;
    }
    let test: &[u8] = b"const { test } = require('node:test');\nconst assert = require('node:assert');\nconst { add, zero } = require('./sum.js');\n\ntest('adds', () => {\n  assert.strictEqual(add(1, 2), 3);\n});\n\ntest('zero', () => {\n  assert.strictEqual(zero(), 0);\n});\n";
    let files: Files = &[
        ("sum.js", b"exports.add = (a, b) => a - b;\nexports.zero = () => 0;\n"),
        ("sum.test.js", test),
    ];
    let pick = r#"{"path":"sum.js","operation":"replace"}"#;
    let case = Case { files, command: "node --test", ..CASE };
    let came = case.run(&[pick, r#"{"old":"=> a - b","new":"=> c + b"}"#, pick, RIGHT]).await;
    came.check(Status::Success, &["red: adds still fails", "green"]);
    assert_eq!(came.record.targets, ["adds"]);
    assert!(came.prompt(0).contains("-1 !== 3"), "{}", came.prompt(0));
    let broken = case.run(&[pick, r#"{"old":"=> a - b","new":"=> )"}"#, pick, RIGHT]).await;
    broken.check(
        Status::Success,
        &["it does not compile or import: SyntaxError: Unexpected token ')'", "green"],
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
            b"#include <assert.h>\nint add(int a, int b);\nint main(void) {\n    assert(add(1, 2) == 3);\n    return 0;\n}\n",
        ),
    ];
    let pick = r#"{"path":"sum.c","operation":"replace"}"#;
    let case = Case { files, command: "make test", ..CASE };
    let came = case.run(&[pick, r#"{"old":"a - b","new":"a + c"}"#, pick, RIGHT]).await;
    let Some(AttemptEnd::Tested { finding: Finding::NotBuilt { line } }) =
        came.record.attempts.first().map(|a| a.end.clone())
    else {
        panic!("{:#?}", came.record.attempts);
    };
    assert!(line.contains("sum.c:2:16: error:"), "{line}");
    assert_eq!(came.record.status, Some(Status::Success));
    assert!(
        came.record.targets.is_empty(),
        "there are no names of tests, and the exit code counts"
    );
    let never =
        Case { max_attempts: 1, ..case }.run(&[pick, r#"{"old":"a - b","new":"a * b"}"#]).await;
    never.check(Status::Exhausted, &["red: the tests still fail"]);
}

#[tokio::test]
async fn where_everything_judges_nothing_can_be_mended() {
    let files: Files =
        &[("test_calc.py", b"import unittest\nclass T(unittest.TestCase):\n    def test_add(self):\n        self.fail()\n")];
    let case = Case { files, profile: Some("compact-4"), ..CASE };
    let came = case.run(&[]).await;
    came.check(Status::Refused, &[]);
    assert!(
        came.record.reason.contains("there is no file that may be changed"),
        "{}",
        came.record.reason
    );
}
