//! A small project with a bug, answers given beforehand, and what the loop repaired to.

use crate::support::likely::answer;
use crate::support::tree::{Tree, has, make_repository};
use crate::support::{PROGRAM, folder, is_let_through};
use slotwright::engine::scripted::ScriptedEngine;
use slotwright::engine::{Answer, ModelInfo, Part, Request};
use slotwright::prompt::Profile;
use slotwright::repair::{Record, RepairEvent, RepairOptions, RepairSession, Status, repair};
use slotwright::sandbox::SandboxOptions;
use slotwright::workspace::Workspace;
use std::path::PathBuf;
use std::time::Duration;

pub type Files<'a> = &'a [(&'a str, &'a [u8])];

pub const CALC: &[u8] = b"def add(a, b):\n    return a - b\n\n\ndef double(a):\n    return a * 2\n";
pub const TEST_CALC: &[u8] = b"import unittest\nimport calc\n\n\n\
                               class Calc(unittest.TestCase):\n    def test_add(self):\n        \
                               self.assertEqual(calc.add(1, 2), 3)\n\
                               \n    def test_double(self):\n        \
                               self.assertEqual(calc.double(2), 4)\n";
pub const PYTHON: Files = &[("calc.py", CALC), ("test_calc.py", TEST_CALC)];
pub const UNITTEST: &str = "python3 -m unittest";
pub const ISSUE: &str = "add subtracts instead of adding";

pub const CALC_PICK: &str = r#"{"path":"calc.py","operation":"replace"}"#;
pub const RIGHT: &str = r#"{"old":"a - b","new":"a + b"}"#;
pub const DONE: &str = r#"{"operation":"none","reason":"already_done"}"#;
pub const UNCLEAR: &str = r#"{"operation":"none","reason":"unclear"}"#;

/// How a repair is asked for.
pub struct Case<'a> {
    pub files: Files<'a>,
    pub command: &'a str,
    pub issue: &'a str,
    pub test_file: Option<&'a str>,
    pub max_attempts: usize,
    pub max_steps: usize,
    pub time: Duration,
    /// Whether each answer must be one that the constraint lets through.
    pub is_constrained: bool,
    pub profile: Option<&'a str>,
}

pub const CASE: Case = Case {
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

/// What repaired of it, what was asked, and what was said.
pub struct Repaired {
    pub record: Record,
    pub requests: Vec<Request>,
    pub said: Vec<String>,
}

impl Case<'_> {
    pub async fn run(&self, answers: &[&str]) -> Repaired {
        let answers: Vec<Answer> = answers.iter().map(|text| answer(text, 1.0, &[])).collect();
        self.run_all(&answers).await
    }

    /// The same with answers that say what the model nearly wrote instead.
    pub async fn run_all(&self, answers: &[Answer]) -> Repaired {
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
        let mut engine = ScriptedEngine::new(info, []);
        answers
            .iter()
            .cloned()
            .for_each(|answer| engine.add(answer));
        let options = RepairOptions {
            command: self.command.to_owned(),
            test_file: self.test_file.map(str::to_owned),
            max_attempts: self.max_attempts,
            max_steps: self.max_steps,
            time: self.time,
            sandbox: SandboxOptions {
                allow_none: true,
                ..SandboxOptions::default()
            },
            program: PathBuf::from(PROGRAM),
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
        assert_eq!(
            engine.requests.len(),
            answers.len(),
            "all answers were asked for: {said:#?}"
        );
        for (request, answer) in engine
            .requests
            .iter()
            .zip(answers)
            .filter(|_| self.is_constrained)
        {
            assert!(
                is_let_through(request, &answer.text),
                "the constraint does not let {} through",
                answer.text
            );
        }
        Repaired {
            record,
            requests: engine.requests,
            said,
        }
    }
}

impl Repaired {
    /// It ended like this, with these sentences about the attempts.
    #[track_caller]
    pub fn check(&self, status: Status, attempts: &[&str]) -> &Repaired {
        let messages: Vec<&str> = self
            .record
            .attempts
            .iter()
            .map(|attempt| attempt.message.as_str())
            .collect();
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
    pub fn after(&self, path: &str) -> String {
        let change = self
            .record
            .changes
            .iter()
            .find(|change| change.path == path)
            .unwrap();
        String::from_utf8(change.after.clone()).unwrap()
    }

    pub fn prompt(&self, i: usize) -> String {
        let text = |part: &Part| match part {
            Part::Control(text) | Part::Text(text) => text.clone(),
        };
        self.requests[i].prompt.iter().map(text).collect()
    }
}
