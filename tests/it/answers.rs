//! One answer of a model after the other: the likeliest beginning of all is followed next.

use crate::support::likely::answer;
use crate::support::{folder, is_let_through};
use slotwright::engine::scripted::ScriptedEngine;
use slotwright::engine::{Answer, AnswerStats, Given, ModelInfo};
use slotwright::flow::{Answers, GenerateOptions, Outcome, Session, Verdict};
use slotwright::prompt::Profile;
use slotwright::task::Task;
use slotwright::workspace::Workspace;
use std::cell::RefCell;
use std::path::Path;

const FILES: &[(&str, &[u8])] = &[("a.py", b"limit = 1\nother = 1\n"), ("b.py", b"size = 1\n")];

const PICK: &str = r#"{"path":"a.py","operation":"replace"}"#;
const OTHER_FILE: &str = r#"{"path":"b.py","operation":"replace"}"#;
const NONE: &str = r#"{"operation":"none","reason":"unclear"}"#;
const LIMIT: &str = r#"{"old":"limit = 1","new":"limit = 2"}"#;
const OTHER: &str = r#"{"old":"other = 1","new":"other = 2"}"#;
const SIZE: &str = r#"{"old":"size = 1","new":"size = 2"}"#;

/// The files after each answer, or what else it says; and the beginnings that were given.
#[track_caller]
fn all(answers: Vec<Answer>) -> (Vec<String>, Vec<Option<String>>) {
    each(answers, |_, _| {})
}

/// The same, where something is done after each answer.
#[track_caller]
fn each(
    answers: Vec<Answer>,
    then: impl Fn(&Path, &Outcome),
) -> (Vec<String>, Vec<Option<String>>) {
    let dir = folder(FILES);
    let workspace = Workspace::open(dir.path()).unwrap();
    let model = ModelInfo {
        context_tokens: 4_096,
        ..ModelInfo::default()
    };
    let profile = Profile::of(&model).unwrap().0;
    let mut engine = ScriptedEngine::new(model, []);
    answers
        .iter()
        .cloned()
        .for_each(|answer| engine.add(answer));
    let mut session = Session {
        workspace: &workspace,
        engine: &mut engine,
        options: GenerateOptions {
            branches: 4,
            ..GenerateOptions::new(profile)
        },
        progress: &mut |_| {},
    };
    let task = Task::new("Raise the limit", vec![]).unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread()
        .build()
        .unwrap();
    let said = runtime.block_on(async {
        let mut said = Vec::new();
        let mut next = Answers::to(task, &mut session).await.unwrap();
        while let Some(outcome) = next.next(&mut session).await.unwrap() {
            assert!(
                (1..=2).contains(&outcome.stages.len()),
                "an answer to each question"
            );
            then(dir.path(), &outcome);
            said.push(match outcome.verdict {
                Verdict::Proposed(patched) => String::from_utf8(patched.after).unwrap(),
                other => format!("{other:?}"),
            });
        }
        said
    });
    assert_eq!(engine.requests.len(), answers.len(), "all are asked for");
    for (request, answer) in engine.requests.iter().zip(&answers) {
        assert!(is_let_through(request, &answer.text) && request.branches >= 4);
    }
    let given = engine.requests.iter().map(|request| match &request.given {
        Some(Given::Beginning(beginning)) => Some(beginning.clone()),
        None => None,
        Some(Given::Whole(_)) => panic!("nothing whole is given"),
    });
    (said, given.collect())
}

#[test]
fn the_likeliest_beginning_is_followed_next() {
    let (of_other, of_size) = (r#"{"old":"ot"#, r#"{"path":"b"#);
    let (said, given) = all(vec![
        answer(PICK, 0.6, &[(of_size, 0.3), (r#"{"operation":"none"#, 0.1)]),
        // 0.6 times 0.6 is more than 0.3.
        answer(LIMIT, 0.4, &[(of_other, 0.6)]),
        answer(OTHER, 0.5, &[]),
        answer(OTHER_FILE, 0.3, &[]),
        answer(SIZE, 0.9, &[]),
        answer(NONE, 0.1, &[]),
    ]);
    assert_eq!(
        said,
        [
            "limit = 2\nother = 1\n",
            "limit = 1\nother = 2\n",
            "size = 2\n",
            "Declined(Unclear)"
        ]
    );
    let of_none = r#"{"operation":"none"#;
    let expected = [
        None,
        None,
        Some(of_other),
        Some(of_size),
        None,
        Some(of_none),
    ];
    assert_eq!(given, expected.map(|given| given.map(str::to_owned)));
}

#[test]
fn a_beginning_is_followed_once() {
    let of_other = r#"{"old":"ot"#;
    let (said, _) = all(vec![
        answer(PICK, 0.9, &[]),
        answer(LIMIT, 0.6, &[(of_other, 0.3)]),
        answer(OTHER, 0.3, &[(of_other, 0.3)]),
    ]);
    assert_eq!(said.len(), 2);
}

#[test]
fn an_engine_that_tells_of_no_others_has_one_answer() {
    let (said, _) = all(vec![answer(PICK, 0.9, &[]), answer(LIMIT, 0.6, &[])]);
    assert_eq!(said, ["limit = 2\nother = 1\n"]);
}

#[test]
fn all_is_asked_anew_if_the_file_has_changed() {
    let of_other = r#"{"old":"ot"#;
    let (said, given) = each(
        vec![
            answer(PICK, 0.9, &[]),
            answer(LIMIT, 0.6, &[(of_other, 0.3)]),
            answer(PICK, 0.9, &[]),
            answer(OTHER, 0.6, &[]),
        ],
        |folder, _| {
            std::fs::write(folder.join("a.py"), "limit = 1\nother = 1\nmore = 1\n").unwrap();
        },
    );
    assert_eq!(said[1], "limit = 1\nother = 2\nmore = 1\n");
    assert_eq!(given, [None, None, None, None]);
}

#[test]
fn a_question_that_is_not_asked_again_takes_nothing() {
    let first = Answer {
        stats: AnswerStats {
            prompt_tokens: 7,
            ..AnswerStats::default()
        },
        ..answer(PICK, 0.9, &[])
    };
    let tokens = |outcome: &Outcome| -> Vec<usize> {
        outcome
            .stages
            .iter()
            .map(|stage| stage.stats.prompt_tokens)
            .collect()
    };
    let seen = RefCell::new(Vec::new());
    each(
        vec![
            first,
            answer(LIMIT, 0.6, &[(r#"{"old":"ot"#, 0.3)]),
            answer(OTHER, 0.3, &[]),
        ],
        |_, outcome| seen.borrow_mut().push(tokens(outcome)),
    );
    assert_eq!(*seen.borrow(), [[7, 0], [0, 0]]);
}
