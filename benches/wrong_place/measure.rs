//! Runs a model over cases and keeps what there is to count.

use crate::cases::{Case, Likeness};
use slotwright::engine::Sampling;
use slotwright::engine::adapter::AdapterChoice;
use slotwright::engine::process::ModelProcess;
use slotwright::engine::protocol::Load;
use slotwright::flow::{self, GenerateOptions, Session, Verdict};
use slotwright::prompt::Profile;
use slotwright::risk;
use slotwright::slots::NO_PLACE;
use slotwright::slots::Slot;
use slotwright::task::Task;
use slotwright::workspace::Workspace;
use std::collections::BTreeMap;
use std::path::Path;

/// What came of one case.
pub struct Record {
    pub kind: Likeness,
    pub task: String,
    pub result: Outcome,
    pub place: Option<Place>,
    pub certainty: BTreeMap<Slot, f64>,
    pub masked_mass: BTreeMap<Slot, f64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Outcome {
    Right,
    /// The lines to change are those that were changed, but not into what was asked for.
    WrongText,
    WrongPlace,
    /// Nothing was proposed, for whatever reason: nothing reaches the gate.
    NoEdit(&'static str),
}

/// The answer's `place`, where it has one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    Right,
    Wrong,
    /// The model said that it is none of them.
    None,
}

impl Record {
    pub fn is_edit(&self) -> bool {
        !matches!(self.result, Outcome::NoEdit(_))
    }

    pub fn is_right(&self) -> bool {
        self.result == Outcome::Right
    }

    /// Whether `--yes` refuses it, if it is an edit.
    pub fn is_refused(&self) -> bool {
        self.score() < risk::MIN_CERTAINTY
    }

    /// The score that `edit` warns by.
    pub fn score(&self) -> f64 {
        flow::overall_certainty(&self.certainty)
    }
}

/// All cases, in turn, each in a folder of its own.
pub async fn run(model: &Path, cases: &[Case], sampling: impl Fn(u64) -> Sampling) -> Vec<Record> {
    let load = Load {
        model: model.to_path_buf(),
        threads: 2,
        verbose: false,
        check_memory: true,
        adapter: AdapterChoice::None,
        prefixes: None,
    };
    let program = Path::new(env!("CARGO_BIN_EXE_slotwright"));
    let mut engine = ModelProcess::start(program, load, &mut |_| {})
        .await
        .expect("the model loads");
    let (profile, _) =
        Profile::of(slotwright::engine::Engine::model(&engine)).expect("a known profile");
    let mut records = Vec::with_capacity(cases.len());
    for (i, case) in (0..).zip(cases) {
        let dir = tempfile::tempdir().expect("a folder");
        std::fs::write(dir.path().join(&case.path), &case.before).expect("a file");
        let workspace = Workspace::open(dir.path()).expect("the folder");
        let task = Task::new(&case.task, vec![]).expect("a task");
        let options = GenerateOptions {
            sampling: sampling(i),
            ..GenerateOptions::new(profile.clone())
        };
        let (workspace, engine) = (&workspace, &mut engine);
        let mut session = Session {
            workspace,
            engine,
            options,
            progress: &mut |_| {},
        };
        let outcome = flow::edit(&task, &mut session).await.expect("an answer");
        let (certainty, masked_mass) = (outcome.certainty(), outcome.masked_mass());
        let answer: serde_json::Value = outcome
            .stages
            .last()
            .and_then(|stage| serde_json::from_str(&stage.answer).ok())
            .unwrap_or_default();
        let (result, is_place_right) = match outcome.verdict {
            Verdict::Proposed(patched) => {
                compare(case, &String::from_utf8(patched.after).expect("UTF-8"))
            }
            Verdict::AlreadyDone(_) => (Outcome::NoEdit("changes nothing"), false),
            Verdict::Declined(_) => (Outcome::NoEdit("declined"), false),
            Verdict::Truncated(_) => (Outcome::NoEdit("truncated"), false),
            Verdict::Mechanics(error) => {
                panic!("an answer under the constraint is an edit: {error}")
            }
            Verdict::Refused(error) => panic!("UTF-8 holds everything: {error}"),
        };
        let place = answer["place"].as_str().map(|label| match label {
            NO_PLACE => Place::None,
            _ if is_place_right => Place::Right,
            _ => Place::Wrong,
        });
        records.push(Record {
            kind: case.kind,
            task: case.task.clone(),
            result,
            place,
            certainty,
            masked_mass,
        });
    }
    records
}

/// The result, and whether the lines changed are the ones to change.
fn compare(case: &Case, after: &str) -> (Outcome, bool) {
    if after == case.wanted {
        return (Outcome::Right, true);
    }
    match changed_lines(&case.before, after) == changed_lines(&case.before, &case.wanted) {
        true => (Outcome::WrongText, true),
        false => (Outcome::WrongPlace, false),
    }
}

/// The lines of `before`, counted from 0, from the first to the last that is not the same any more.
fn changed_lines(before: &str, after: &str) -> (usize, usize) {
    let (before, after): (Vec<&str>, Vec<&str>) =
        (before.split('\n').collect(), after.split('\n').collect());
    let first = before
        .iter()
        .zip(&after)
        .take_while(|(a, b)| a == b)
        .count();
    let longest_tail = before.len().min(after.len()) - first;
    let tail = before
        .iter()
        .rev()
        .zip(after.iter().rev())
        .take(longest_tail)
        .take_while(|(a, b)| a == b)
        .count();
    (first, before.len() - tail)
}
