//! The same tasks, the same model, the same two questions, and less and less constraint: what `slotwright` is for.
//!
//! ```text
//! constraint_off SLOTWRIGHT MODEL.gguf TASKS     TASKS as in models/recipe/dev
//! ```
//! `slots` is the program as it is. `schema` forces the shape of the answer (JSON with the right keys, as servers do), but
//! any text in it. `free` forces nothing. An answer that is no edit is a *mechanics* failure, whatever it meant. Each question gets
//! one answer: where several are weighed, one that is no edit is passed over for another one.

use slotwright::engine::process::ModelProcess;
use slotwright::engine::protocol::Load;
use slotwright::engine::{Engine, EngineError};
use slotwright::eval::judge::write_tree;
use slotwright::eval::strategy::{Attempt, Loosened, Made, Strategy, attempt};
use slotwright::eval::suite::{self, EvalTask};
use slotwright::flow::Asking;
use slotwright::prompt::Profile;
use slotwright::task::Task;
use slotwright::workspace::Workspace;
use std::collections::BTreeMap;
use std::process::ExitCode;

fn verdict(attempt: Result<Attempt, EngineError>, task: &EvalTask) -> String {
    match attempt.map(|attempt| attempt.made) {
        Err(error) => format!("mechanics: {error}").chars().take(60).collect(),
        Ok(Made::Mechanics(kind, _)) => format!("mechanics: {}", kind.name()),
        Ok(Made::Declined(_)) if task.declines => "right".to_owned(),
        Ok(Made::Edited(after)) if after == task.before && task.declines => "right".to_owned(),
        Ok(Made::Edited(after)) if task.accepted.contains(&after) => "right".to_owned(),
        Ok(Made::Edited(after)) if after == task.before => "declined".to_owned(),
        Ok(Made::Edited(_)) => "judgment".to_owned(),
        Ok(Made::Declined(_)) => "declined".to_owned(),
        Ok(Made::NotRepaired(..)) => unreachable!("nothing is repaired here"),
        Ok(Made::Truncated) => "truncated".to_owned(),
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
    let mut engine = ModelProcess::start(&program, load, &mut |_| {}).await?;
    let asking = Asking { weighs_answers: false, ..Asking::new(Profile::of(engine.model())?.0) };
    let tasks = suite::read(tasks)?.tasks;
    for name in ["slots", "schema", "free"] {
        let mut counts: BTreeMap<String, usize> = BTreeMap::new();
        for task in &tasks {
            let folder = tempfile::tempdir()?;
            write_tree(folder.path(), &task.before)?;
            let workspace = Workspace::open(folder.path())?;
            let asked = Task::new(&task.wordings[0], vec![])?;
            let (slots, silent) = (Strategy::Slots, &mut |_| ());
            let attempt = match name {
                "slots" => attempt(slots, &asked, &task.before, &workspace, &asking, &mut engine, silent).await,
                "schema" => {
                    let mut loosened = Loosened::to_shape(&mut engine);
                    attempt(slots, &asked, &task.before, &workspace, &asking, &mut loosened, silent).await
                }
                _ => {
                    let mut loosened = Loosened::to_nothing(&mut engine);
                    attempt(slots, &asked, &task.before, &workspace, &asking, &mut loosened, silent).await
                }
            };
            *counts.entry(verdict(attempt, task)).or_default() += 1;
        }
        let mechanics: usize = counts.iter().filter(|(verdict, _)| verdict.starts_with("mechanics")).map(|(_, n)| n).sum();
        println!("{name}: {} tasks, {} right, {mechanics} mechanics failures", tasks.len(), counts.get("right").unwrap_or(&0));
        for (verdict, n) in counts {
            println!("    {n:4} {verdict}");
        }
    }
    Ok(())
}
