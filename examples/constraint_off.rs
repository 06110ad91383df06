//! The same tasks, the same model, the same two questions, and less and less constraint: what `slotwright` is for.
//!
//! ```text
//! constraint_off SLOTWRIGHT MODEL.gguf TASKS     TASKS as in models/recipe/dev
//! ```
//! `slots` is the program as it is. `schema` forces the shape of the answer (JSON with the right keys, as servers do), but
//! any text in it. `free` forces nothing. An answer that is no edit is a *mechanics* failure, whatever it meant.

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
use std::path::{Path, PathBuf};

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

/// The files of a folder, by their paths in it.
fn tree(root: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let files = ignore::WalkBuilder::new(root).standard_filters(false).build().flatten();
    let files = files.filter(|entry| entry.file_type().is_some_and(|kind| kind.is_file()));
    let relative = |path: &Path| path.strip_prefix(root).expect("it was found there").to_path_buf();
    files.map(|entry| (relative(entry.path()), std::fs::read(entry.path()).unwrap_or_default())).collect()
}

/// The value of a key that is a string on a line of its own.
fn value(toml: &str, key: &str) -> Option<String> {
    let line = toml.lines().find_map(|line| line.strip_prefix(key)?.trim_start().strip_prefix('='))?;
    serde_json::from_str(line.trim()).ok()
}

fn verdict(
    outcome: Result<Outcome, FlowError>,
    declines: bool,
    before: &BTreeMap<PathBuf, Vec<u8>>,
    wanted: &[BTreeMap<PathBuf, Vec<u8>>],
) -> String {
    let outcome = match outcome {
        Ok(outcome) => outcome,
        Err(FlowError::Engine(error)) => return format!("mechanics: {error}").chars().take(60).collect(),
        Err(_) => return "mechanics: path not real".to_owned(),
    };
    match outcome.verdict {
        Verdict::Proposed(_) if declines => "judgment".to_owned(),
        Verdict::Proposed(patched) => {
            let mut after = before.clone();
            after.insert(PathBuf::from(&patched.path), patched.after);
            if wanted.contains(&after) { "right" } else { "judgment" }.to_owned()
        }
        Verdict::Declined(_) | Verdict::AlreadyDone => if declines { "right" } else { "declined" }.to_owned(),
        Verdict::Truncated(_) => "truncated".to_owned(),
        Verdict::Mechanics(flow::MechanicsError::Slots(_)) => "mechanics: not the slots".to_owned(),
        Verdict::Mechanics(flow::MechanicsError::Locate(error)) => match error {
            slotwright::edit::SlotsError::NotShown => "mechanics: text not found".to_owned(),
            slotwright::edit::SlotsError::Ambiguous { .. } => "mechanics: ambiguous".to_owned(),
            slotwright::edit::SlotsError::NoSuchPlace { .. } => "mechanics: no such place".to_owned(),
        },
        Verdict::Refused(_) => "refused".to_owned(),
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [program, model, tasks] = arguments.as_slice() else {
        return Err("usage: constraint_off SLOTWRIGHT MODEL.gguf TASKS".into());
    };
    let load = Load { model: PathBuf::from(model), threads: num_cpus::get_physical(), check_memory: false, verbose: false };
    let engine = ModelProcess::start(Path::new(program), load, &mut |_| {}).await?;
    let (profile, _) = Profile::of(engine.model())?;
    let asking = Asking { profile, sampling: Sampling::Greedy };
    let mut engine = Loosened { engine, constraint: Constraint::Slots };
    let mut folders: Vec<PathBuf> = std::fs::read_dir(tasks)?.map(|entry| Ok(entry?.path())).collect::<std::io::Result<_>>()?;
    folders.sort();
    for (name, constraint) in [("slots", Constraint::Slots), ("schema", Constraint::Schema), ("free", Constraint::Free)] {
        engine.constraint = constraint;
        let mut counts: BTreeMap<String, usize> = BTreeMap::new();
        for folder in &folders {
            let toml = std::fs::read_to_string(folder.join("task.toml"))?;
            let task = Task::new(&value(&toml, "sentence").ok_or("a task without a sentence")?, vec![])?;
            let before = tree(&folder.join("before"));
            let afters =
                std::fs::read_dir(folder)?.flatten().filter(|entry| entry.file_name().to_string_lossy().starts_with("after"));
            let wanted = afters.map(|after| before.clone().into_iter().chain(tree(&after.path())).collect());
            let wanted: Vec<BTreeMap<PathBuf, Vec<u8>>> = wanted.collect();
            let workspace = Workspace::open(&folder.join("before"))?;
            let outcome = flow::edit(&task, &workspace, &asking, &mut engine, &mut |_| {}).await;
            let declines = value(&toml, "level").as_deref() == Some("decline");
            *counts.entry(verdict(outcome, declines, &before, &wanted)).or_default() += 1;
        }
        let mechanics: usize = counts.iter().filter(|(verdict, _)| verdict.starts_with("mechanics")).map(|(_, n)| n).sum();
        println!("{name}: {} tasks, {} right, {mechanics} mechanics failures", folders.len(), counts.get("right").unwrap_or(&0));
        for (verdict, n) in counts {
            println!("    {n:4} {verdict}");
        }
    }
    Ok(())
}
