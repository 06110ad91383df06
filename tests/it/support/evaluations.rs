//! A small evaluation made by hand: two models, two strategies, eight tasks, two runs of each.

use slotwright::eval::record::{Evaluation, ModelRecord, Problem, Row, TaskRecord, Verdict};
use std::collections::BTreeMap;

/// Level, category, language.
const TASKS: [(&str, [&str; 3]); 8] = [
    ("core/rename", ["1", "rename", "rust"]),
    ("core/number", ["1", "change a value", "python"]),
    ("core/comment", ["1", "insert", "rust"]),
    ("core/import", ["2", "insert", "python"]),
    ("core/nothing-to-do", ["2", "decline", "rust"]),
    ("more/condition", ["2", "change a value", "python"]),
    ("more/async", ["10", "rewrite", "rust"]),
    ("more/new-file", ["10", "create", "go"]),
];

/// What came of the two runs of each task: R right, N rightly declined, J judgment, D wrongly
/// declined, M mechanics, T truncated, L timeout.
const COLUMNS: [(&str, &str, &str); 4] = [
    ("big", "slots", "RR RR RR RJ NN RR JJ RR"),
    ("big", "naive", "RR MM RR JJ DN MM TT RM"),
    ("small", "slots", "RR RR JR JJ NN DD JJ JJ"),
    ("small", "naive", "MM RM MM MM JJ ML TT MM"),
];

/// The evaluation; 64 rows.
pub fn made() -> Evaluation {
    let tasks = TASKS.map(|(name, [level, category, language])| TaskRecord {
        name: name.to_owned(),
        suite: name.split_once('/').unwrap().0.to_owned(),
        sentence: format!("Do what {name} asks for."),
        wordings: vec![format!("Do what {name} asks for.")],
        category: category.to_owned(),
        level: level.to_owned(),
        language: language.to_owned(),
        expected: if category == "decline" {
            String::new()
        } else {
            diff(name, "right")
        },
        check: (category == "rewrite").then(|| "cargo test".to_owned()),
    });
    let mut results = Vec::new();
    for (model, strategy, letters) in COLUMNS {
        for (task, letters) in TASKS.iter().zip(letters.split(' ')) {
            results.extend(
                letters
                    .chars()
                    .zip(1..)
                    .map(|(letter, run)| row(model, strategy, task.0, run, letter)),
            );
        }
    }
    let model = |name: &str, description: &str| ModelRecord {
        name: name.to_owned(),
        description: description.to_owned(),
    };
    Evaluation {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        models: vec![
            model("big", "Big 7B, CPU"),
            model("small", "Small 0.1B, CPU"),
        ],
        strategies: vec!["slots".to_owned(), "naive".to_owned()],
        runs: 2,
        tasks: tasks.to_vec(),
        results,
        problems: vec![Problem {
            task: "more/broken".to_owned(),
            message: "it has no task.toml".to_owned(),
        }],
    }
}

fn row(model: &str, strategy: &str, task: &str, run: u32, letter: char) -> Row {
    let (verdict, kind) = match letter {
        'R' => (Verdict::Right, ""),
        'N' => (Verdict::Declined, "rightly"),
        'D' => (Verdict::Declined, "wrongly"),
        'J' => (
            Verdict::Judgment,
            if task == "core/nothing-to-do" {
                "edited"
            } else {
                "wrong_text"
            },
        ),
        'M' => (
            Verdict::Mechanics,
            if run == 1 {
                "text_not_found"
            } else {
                "no_json"
            },
        ),
        'T' => (Verdict::Truncated, ""),
        'L' => (Verdict::Timeout, ""),
        other => unreachable!("{other} stands for nothing"),
    };
    let factor = if model == "big" { 10 } else { 1 };
    Row {
        model: model.to_owned(),
        strategy: strategy.to_owned(),
        task: task.to_owned(),
        wording: 0,
        run,
        seed: u64::MAX - u64::from(run),
        verdict,
        kind: kind.to_owned(),
        passed: matches!(letter, 'R' | 'N'),
        message: format!("It ended as {letter}."),
        diff: match verdict {
            Verdict::Right => diff(task, "right"),
            Verdict::Judgment => diff(task, "wrong"),
            _ => String::new(),
        },
        answers: vec![
            format!(r#"{{"path":"{task}.rs","operation":"replace"}}"#),
            format!(r#"{{"old":"before","new":"{letter}"}}"#),
        ],
        claim: (strategy == "naive").then_some(letter != 'L'),
        masked_mass: match (strategy, verdict) {
            ("slots", Verdict::Declined) => shares(&[("operation", 0.25)]),
            ("slots", Verdict::Judgment) => shares(&[("path", 0.0), ("old", 0.9), ("new", 0.5)]),
            ("slots", _) => shares(&[("path", 0.0), ("old", 0.0625), ("new", 0.0)]),
            _ => BTreeMap::new(),
        },
        certainty: if strategy == "slots" {
            shares(&[("path", 1.0)])
        } else {
            BTreeMap::new()
        },
        prompt_tokens: 400 + u64::from(run),
        reused_tokens: 100,
        answer_tokens: 30,
        evaluations: 31,
        ms: f64::from(factor * 100 + run),
    }
}

fn shares(by_slot: &[(&str, f64)]) -> BTreeMap<String, f64> {
    by_slot
        .iter()
        .map(|(slot, share)| ((*slot).to_owned(), *share))
        .collect()
}

fn diff(task: &str, after: &str) -> String {
    format!("--- a/{task}.rs\n+++ b/{task}.rs\n@@ -1,2 +1,2 @@\n fn main() {{\n-before\n+{after}\n")
}
