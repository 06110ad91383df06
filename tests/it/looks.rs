//! Looks at other answers, where a model is not sure of its first one.

use crate::support::{ask, folder, is_let_through};
use slotwright::engine::scripted::ScriptedEngine;
use slotwright::engine::{
    Answer, AnswerStats, Branch, End, Given, Likelihood, ModelInfo, Sampling,
};
use slotwright::flow::{GenerateOptions, Outcome, Verdict};
use slotwright::prompt::Profile;
use slotwright::slots::{Reason, Slot};
use slotwright::task::Task;
use slotwright::workspace::Workspace;

const FILES: &[(&str, &[u8])] = &[("a.py", b"limit = 1\nother = 1\n"), ("b.py", b"size = 1\n")];

const PICK: &str = r#"{"path":"a.py","operation":"replace"}"#;
const OTHER_FILE: &str = r#"{"path":"b.py","operation":"replace"}"#;
const NONE: &str = r#"{"operation":"none","reason":"unclear"}"#;
const LIMIT: &str = r#"{"old":"limit = 1","new":"limit = 2"}"#;
const OTHER: &str = r#"{"old":"other = 1","new":"other = 2"}"#;
const NOTHING: &str = r#"{"old":"limit = 1","new":"limit = 1"}"#;
const SIZE: &str = r#"{"old":"size = 1","new":"size = 2"}"#;

/// An answer of this certainty, and beginnings of others with their probabilities.
fn answer(text: &str, certainty: f64, branches: &[(&str, f64)]) -> Answer {
    let slot = if text.contains("operation") { Slot::Operation } else { Slot::New };
    let stats = AnswerStats { certainty: [(slot, certainty)].into(), ..AnswerStats::default() };
    let branch = |(beginning, probability): &(&str, f64)| Branch {
        beginning: (*beginning).to_owned(),
        log: probability.ln(),
    };
    let branches = branches.iter().map(branch).collect();
    let likelihood = Likelihood { log: certainty.ln(), branches };
    Answer { text: text.to_owned(), end: End::Complete, stats, likelihood }
}

struct Asked {
    outcome: Outcome,
    /// The beginning that was given with each question.
    given: Vec<Option<String>>,
    /// How many beginnings of other answers each question asks for.
    branches: Vec<usize>,
}

/// What these answers come to. All of them must be asked for.
#[track_caller]
fn asked(answers: Vec<Answer>, change: impl FnOnce(&mut GenerateOptions)) -> Asked {
    let dir = folder(FILES);
    let workspace = Workspace::open(dir.path()).unwrap();
    let model = ModelInfo { context_tokens: 4_096, ..ModelInfo::default() };
    let mut options = GenerateOptions::new(Profile::of(&model).unwrap().0);
    change(&mut options);
    let mut engine = ScriptedEngine::new(model, []);
    let n_answers = answers.len();
    answers.iter().cloned().for_each(|answer| engine.add(answer));
    let task = Task::new("Raise the limit", vec![]).unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let outcome = runtime.block_on(ask(&task, &workspace, options, &mut engine)).unwrap();
    assert_eq!(engine.requests.len(), n_answers);
    for (request, answer) in engine.requests.iter().zip(&answers) {
        assert!(answer.end != End::Complete || is_let_through(request, &answer.text));
    }
    let given = engine.requests.iter().map(|request| match &request.given {
        Some(Given::Beginning(beginning)) => Some(beginning.clone()),
        None => None,
        Some(Given::Whole(_)) => panic!("nothing whole is given"),
    });
    let branches = engine.requests.iter().map(|request| request.branches).collect();
    Asked { given: given.collect(), branches, outcome }
}

#[track_caller]
fn edited(asked: &Asked) -> &str {
    match &asked.outcome.verdict {
        Verdict::Proposed(patched) => std::str::from_utf8(&patched.after).unwrap(),
        other => panic!("{other:?}"),
    }
}

fn taken(asked: &Asked) -> Vec<&str> {
    asked.outcome.taken().map(|stage| stage.answer.as_str()).collect()
}

#[test]
fn a_surer_answer_is_taken_instead_of_the_first() {
    let asked = asked(
        vec![
            answer(PICK, 0.9, &[]),
            answer(OTHER, 0.1, &[("{\"old\":\"li", 0.2)]),
            answer(LIMIT, 0.4, &[]),
        ],
        |_| {},
    );
    assert_eq!(edited(&asked), "limit = 2\nother = 1\n");
    assert_eq!(asked.given, [None, None, Some("{\"old\":\"li".to_owned())]);
    assert_eq!(taken(&asked), [PICK, LIMIT]);
    let stages = &asked.outcome.stages;
    let all: Vec<_> = stages.iter().map(|stage| (stage.answer.as_str(), stage.is_taken)).collect();
    assert_eq!(all, [(PICK, true), (LIMIT, true), (OTHER, false)]);
    let certainty = asked.outcome.certainty();
    assert_eq!((certainty[&Slot::Operation], certainty[&Slot::New]), (0.9, 0.4));
}

#[test]
fn a_less_sure_answer_is_not() {
    let asked = asked(
        vec![
            answer(PICK, 0.9, &[]),
            answer(OTHER, 0.2, &[("{\"old\":\"li", 0.2)]),
            answer(LIMIT, 0.1, &[]),
        ],
        |_| {},
    );
    assert_eq!(edited(&asked), "limit = 1\nother = 2\n");
    assert_eq!(taken(&asked), [PICK, OTHER]);
}

#[test]
fn who_is_sure_is_not_asked_again() {
    let sure = vec![answer(PICK, 0.9, &[]), answer(LIMIT, 0.5, &[("{\"old\":\"ot", 0.4)])];
    assert_eq!(edited(&asked(sure, |_| {})), "limit = 2\nother = 1\n");
}

#[test]
fn a_beginning_that_cannot_lead_to_a_better_answer_is_not_followed() {
    // 0.9 times 0.09 is less than half of 0.9 times 0.2.
    let unlikely = vec![answer(PICK, 0.9, &[]), answer(LIMIT, 0.2, &[("{\"old\":\"ot", 0.09)])];
    assert_eq!(edited(&asked(unlikely, |_| {})), "limit = 2\nother = 1\n");
}

#[test]
fn another_file_may_be_the_better_one() {
    let asked = asked(
        vec![
            answer(PICK, 0.5, &[("{\"path\":\"b", 0.3)]),
            answer(LIMIT, 0.1, &[("{\"old\":\"ot", 0.01)]),
            answer(OTHER_FILE, 0.3, &[]),
            answer(SIZE, 0.9, &[]),
        ],
        |_| {},
    );
    assert_eq!(edited(&asked), "size = 2\n");
    assert_eq!(asked.given, [None, None, Some("{\"path\":\"b".to_owned()), None]);
    assert_eq!(taken(&asked), [OTHER_FILE, SIZE]);
}

#[test]
fn declining_counts_less_than_an_edit() {
    let branch = [("{\"op", 0.25)];
    let declines = |certainty| {
        let unsure = answer(LIMIT, 0.2, &[]);
        asked(vec![answer(PICK, 0.7, &branch), unsure, answer(NONE, certainty, &[])], |_| {})
    };
    assert!(matches!(declines(0.25).outcome.verdict, Verdict::Declined(Reason::Unclear)));
    assert_eq!(
        edited(&declines(0.19)),
        "limit = 2\nother = 1\n",
        "0.7 times 0.19 is less than 0.14"
    );
}

#[test]
fn an_edit_that_changes_nothing_counts_less_than_one_that_does() {
    let asked = asked(
        vec![
            answer(PICK, 1.0, &[]),
            answer(NOTHING, 0.3, &[("{\"old\":\"limit = 1\",\"new\":\"limit = 2", 0.2)]),
            answer(LIMIT, 0.2, &[]),
        ],
        |_| {},
    );
    assert_eq!(edited(&asked), "limit = 2\nother = 1\n");
}

#[test]
fn an_answer_without_an_end_is_worse_than_any_other() {
    let endless = Answer { end: End::Repeats, ..answer(LIMIT, 0.9, &[("{\"old\":\"ot", 0.01)]) };
    let asked = asked(vec![answer(PICK, 0.9, &[]), endless, answer(OTHER, 0.02, &[])], |_| {});
    assert_eq!(edited(&asked), "limit = 1\nother = 2\n");
}

#[test]
fn the_likeliest_beginnings_are_looked_at_first_and_not_for_ever() {
    let branches: Vec<String> = (0..6).map(|i| format!("{{\"old\":\"o{i}")).collect();
    let with = |order: [usize; 6]| -> Vec<(&str, f64)> {
        order.iter().map(|&i| (branches[i].as_str(), 0.1 - 0.005 * i as f64)).collect()
    };
    let mut answers = vec![
        answer(PICK, 0.9, &[("{\"path\":\"b", 0.08)]),
        answer(LIMIT, 0.06, &with([3, 0, 1, 2, 5, 4])),
    ];
    // The fourth look is at the other file, whose two questions are one look.
    answers.extend((0..3).map(|_| answer(OTHER, 0.05, &with([0, 1, 2, 3, 4, 5]))));
    answers.extend([answer(OTHER_FILE, 0.08, &[]), answer(SIZE, 0.5, &[])]);
    let asked = asked(answers, |_| {});
    let given: Vec<Option<&str>> = asked.given.iter().map(Option::as_deref).collect();
    let [first, second, third] = [0, 1, 2].map(|i| Some(branches[i].as_str()));
    assert_eq!(given, [None, None, first, second, third, Some("{\"path\":\"b"), None]);
    assert_eq!(edited(&asked), "limit = 2\nother = 1\n");
}

#[test]
fn random_answers_are_taken_as_they_come() {
    let answers = || vec![answer(PICK, 0.2, &[(NONE, 0.2)]), answer(LIMIT, 0.2, &[(OTHER, 0.2)])];
    let random = asked(answers(), |options| {
        options.sampling = Sampling::Random { temperature: 1.0, seed: 1 };
    });
    assert_eq!(random.branches, [0, 0]);
    let none = asked(answers(), |options| options.looks = 0);
    assert_eq!(none.branches, [0, 0]);
}
