//! Other ways of an answer, where the constraint kept the model from what it wanted.

use crate::support::likely::answer;
use crate::support::{ask, folder};
use slotwright::engine::scripted::ScriptedEngine;
use slotwright::engine::{Answer, End, Given, ModelInfo, Sampling};
use slotwright::flow::{GenerateOptions, Outcome, Verdict};
use slotwright::prompt::Profile;
use slotwright::slots::Slot;
use slotwright::task::Task;
use slotwright::workspace::Workspace;

const PICK: &str = r#"{"path":"a.py","operation":"replace"}"#;
const LIMIT: &str = r#"{"old":"limit = 1","new":"limit = 2"}"#;
const OTHER: &str = r#"{"old":"other = 1","new":"other = 2"}"#;
const OF_OTHER: &str = r#"{"old":"ot"#;

/// An answer of which so much was masked in its old text.
fn masked(mass: f64, answer: Answer) -> Answer {
    let mut masked = answer;
    masked.stats.masked_mass.insert(Slot::Old, mass);
    masked.stats.evaluations = 3;
    masked
}

/// What comes of these answers to the second question, and the beginnings that were given there.
async fn edited(sampling: Sampling, answers: Vec<Answer>) -> (Outcome, Vec<Option<String>>) {
    let dir = folder(&[("a.py", b"limit = 1\nother = 1\n")]);
    let workspace = Workspace::open(dir.path()).unwrap();
    let model = ModelInfo {
        context_tokens: 4_096,
        ..ModelInfo::default()
    };
    let profile = Profile::of(&model).unwrap().0;
    let mut engine = ScriptedEngine::new(model, [PICK]);
    let n_answers = answers.len();
    answers.into_iter().for_each(|answer| engine.add(answer));
    let options = GenerateOptions {
        sampling,
        ..GenerateOptions::new(profile)
    };
    let task = Task::new("Raise the limit", vec![]).unwrap();
    let outcome = ask(&task, &workspace, options, &mut engine).await.unwrap();
    assert_eq!(engine.requests.len(), n_answers + 1, "all are asked for");
    let given = engine.requests[1..].iter().map(|it| match &it.given {
        Some(Given::Beginning(beginning)) => Some(beginning.clone()),
        None => None,
        Some(Given::Whole(_)) => panic!("nothing whole is given"),
    });
    (outcome, given.collect())
}

#[track_caller]
fn check(outcome: &Outcome, expected: &str) {
    let Verdict::Proposed(patched) = &outcome.verdict else {
        panic!("{:?}", outcome.verdict)
    };
    assert_eq!(String::from_utf8_lossy(&patched.after), expected);
}

const FIRST: &str = "limit = 2\nother = 1\n";
const SECOND: &str = "limit = 1\nother = 2\n";

#[tokio::test]
async fn the_likeliest_way_without_the_constraint_stands() {
    for (of_way, expected) in [(0.02, SECOND), (0.005, FIRST)] {
        let (outcome, given) = edited(
            Sampling::Greedy,
            vec![
                masked(
                    0.9,
                    answer(LIMIT, 0.01, &[(OF_OTHER, 0.03), (r#"{"old":"="#, 0.002)]),
                ),
                masked(0.2, answer(OTHER, of_way, &[])),
            ],
        )
        .await;
        check(&outcome, expected);
        assert_eq!(given, [None, Some(OF_OTHER.to_owned())]);
        let stats = &outcome.stages.last().unwrap().stats;
        assert_eq!(stats.evaluations, 6, "what was tried is counted");
    }
}

#[tokio::test]
async fn an_answer_that_does_not_end_does_not_stand() {
    let unfinished = Answer {
        end: End::Budget,
        ..answer(r#"{"old":"other = 1","new":"o"#, 0.5, &[])
    };
    let first = masked(0.9, answer(LIMIT, 0.01, &[(OF_OTHER, 0.6)]));
    let (outcome, _) = edited(Sampling::Greedy, vec![first, unfinished.clone()]).await;
    check(&outcome, FIRST);

    let mut first = masked(0.9, unfinished);
    first.likelihood = answer("", 0.02, &[(OF_OTHER, 0.6)]).likelihood;
    let second = answer(OTHER, 0.01, &[]);
    let (outcome, _) = edited(Sampling::Greedy, vec![first, second]).await;
    check(&outcome, SECOND);
}

#[tokio::test]
async fn no_other_way_is_followed_without_need() {
    let random = Sampling::Random {
        temperature: 1.0,
        seed: 1,
    };
    for (sampling, mass, of_way) in [
        (Sampling::Greedy, 0.4, 0.5),  // the model wanted this
        (Sampling::Greedy, 0.9, 0.01), // it cannot be likelier
        (random, 0.9, 0.5),
    ] {
        let first = masked(mass, answer(LIMIT, 0.02, &[(OF_OTHER, of_way)]));
        let (outcome, given) = edited(sampling, vec![first]).await;
        check(&outcome, FIRST);
        assert_eq!(given, [None]);
    }
}

#[tokio::test]
async fn at_most_three_ways_are_followed() {
    let ways = ["o", "ot", "oth", "othe", "other"].map(|text| format!("{{\"old\":\"{text}"));
    let of_first: Vec<(&str, f64)> = ways.iter().map(|way| (way.as_str(), 0.5)).collect();
    let first = masked(0.9, answer(LIMIT, 0.02, &of_first));
    let others = (0..3).map(|i| answer(OTHER, 0.001 * f64::from(i), &[]));
    let (outcome, given) = edited(
        Sampling::Greedy,
        [first].into_iter().chain(others).collect(),
    )
    .await;
    check(&outcome, FIRST);
    assert_eq!(given.len(), 4);
}
