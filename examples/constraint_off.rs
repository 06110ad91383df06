//! The same tasks, the same model, the same two questions, and less and less constraint: what `slotwright` is for.
//!
//! ```text
//! constraint_off SLOTWRIGHT MODEL.gguf TASKS     TASKS as in models/recipe/dev
//! ```
//! `slots` is the program as it is. `schema` forces the shape of the answer (JSON with the right keys, as servers do), but
//! any text in it. `free` forces nothing. An answer that is no edit is a *mechanics* failure, whatever it meant.

#[path = "../tests/support/dev_tasks.rs"]
mod dev_tasks;

use dev_tasks::{DevTask, read_all};
use slotwright::constrain::Spec;
use slotwright::engine::process::ModelProcess;
use slotwright::engine::protocol::Load;
use slotwright::engine::{Answer, Engine, EngineError, ModelInfo, Progress, Request, Sampling};
use slotwright::flow::{self, Asking, FlowError, Outcome, Verdict};
use slotwright::prompt::Profile;
use slotwright::slots;
use slotwright::task::Task;
use slotwright::workspace::Workspace;
use std::collections::BTreeMap;
use std::path::Path;
use std::process::ExitCode;

#[derive(Clone, Copy, PartialEq)]
enum Constraint {
    Slots,
    Schema,
    Free,
}

/// An engine whose answers are constrained less than they were to be.
struct Loosened {
    engine: ModelProcess,
    constraint: Constraint,
}

impl Engine for Loosened {
    fn model(&self) -> &ModelInfo {
        self.engine.model()
    }

    async fn count_tokens(&mut self, texts: &[&str]) -> Result<Vec<usize>, EngineError> {
        self.engine.count_tokens(texts).await
    }

    async fn complete(&mut self, request: &Request, progress: &mut dyn FnMut(Progress)) -> Result<Answer, EngineError> {
        let spec = match self.constraint {
            Constraint::Slots => request.spec.clone(),
            Constraint::Schema => schema(&request.spec),
            Constraint::Free => Spec::Unforced,
        };
        self.engine.complete(&Request { spec, ..request.clone() }, progress).await
    }
}

/// The shape alone.
fn schema(spec: &Spec) -> Spec {
    let schema = match spec {
        Spec::Pick { .. } => schemars::schema_for!(slots::Pick),
        Spec::Replace { .. } => schemars::schema_for!(slots::Replace),
        Spec::ReplaceAll { .. } => schemars::schema_for!(slots::ReplaceAll),
        Spec::Insert { .. } => schemars::schema_for!(slots::Insert),
        Spec::Create { .. } => schemars::schema_for!(slots::Create),
        Spec::Schema { .. } | Spec::Unforced => return spec.clone(),
    };
    let mut schema = schema.to_value();
    // `place` may be left out; null is no place.
    if let Some(place) = schema.pointer_mut("/properties/place") {
        *place = serde_json::json!({ "type": "string" });
    }
    Spec::Schema { schema }
}

fn verdict(outcome: Result<Outcome, FlowError>, task: &DevTask) -> String {
    let outcome = match outcome {
        Ok(outcome) => outcome,
        Err(FlowError::Engine(error)) => return format!("mechanics: {error}").chars().take(60).collect(),
        // Hidden files are edited only if they are named with --file.
        Err(FlowError::NoFiles { .. } | FlowError::NotListed { .. }) => return "not asked: the file is hidden".to_owned(),
        Err(_) => return "mechanics: path not real".to_owned(),
    };
    match outcome.verdict {
        verdict if task.is_right(&verdict) => "right".to_owned(),
        Verdict::Proposed(_) => "judgment".to_owned(),
        Verdict::Declined(_) | Verdict::AlreadyDone => "declined".to_owned(),
        Verdict::Truncated(_) => "truncated".to_owned(),
        Verdict::Mechanics(flow::MechanicsError::Slots(_)) => "mechanics: not the slots".to_owned(),
        Verdict::Mechanics(flow::MechanicsError::Locate(error)) => match error {
            slotwright::edit::SlotsError::NotShown => "mechanics: text not found".to_owned(),
            slotwright::edit::SlotsError::Ambiguous { .. } => "mechanics: ambiguous".to_owned(),
            slotwright::edit::SlotsError::NoSuchPlace { .. } => "mechanics: no such place".to_owned(),
            error => format!("mechanics: {error}"),
        },
        Verdict::Mechanics(flow::MechanicsError::Pick(error)) => format!("mechanics: {error}"),
        Verdict::Refused(_) => "refused".to_owned(),
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    match compare().await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

async fn compare() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [program, model, tasks] = arguments.as_slice() else {
        return Err("usage: constraint_off SLOTWRIGHT MODEL.gguf TASKS".into());
    };
    // The model process has a folder of its own.
    let absolute = |path: &str| std::fs::canonicalize(path).map_err(|error| format!("{path}: {error}"));
    let (program, model) = (absolute(program)?, absolute(model)?);
    let load = Load { model, threads: num_cpus::get_physical(), check_memory: false, verbose: false, prefixes: None };
    let engine = ModelProcess::start(&program, load, &mut |_| {}).await?;
    let (profile, _) = Profile::of(engine.model())?;
    let asking = Asking { profile, sampling: Sampling::Greedy, drafting: true };
    let mut engine = Loosened { engine, constraint: Constraint::Slots };
    let tasks = read_all(Path::new(tasks))?;
    for (name, constraint) in [("slots", Constraint::Slots), ("schema", Constraint::Schema), ("free", Constraint::Free)] {
        engine.constraint = constraint;
        let mut counts: BTreeMap<String, usize> = BTreeMap::new();
        for task in &tasks {
            let workspace = Workspace::open(&task.folder.join("before"))?;
            let sentence = Task::new(&task.sentence, vec![])?;
            let outcome = flow::edit(&sentence, &workspace, &asking, &mut engine, &mut |_| {}).await;
            *counts.entry(verdict(outcome, task)).or_default() += 1;
        }
        let mechanics: usize = counts.iter().filter(|(verdict, _)| verdict.starts_with("mechanics")).map(|(_, n)| n).sum();
        println!("{name}: {} tasks, {} right, {mechanics} mechanics failures", tasks.len(), counts.get("right").unwrap_or(&0));
        for (verdict, n) in counts {
            println!("    {n:4} {verdict}");
        }
    }
    Ok(())
}
