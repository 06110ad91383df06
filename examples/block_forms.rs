//! What it is worth that a block is named by its ends (`through`) instead of being copied: the same tasks both ways.
//!
//! ```text
//! block_forms SLOTWRIGHT MODEL.gguf TASKS.jsonl [N]     TASKS as models/recipe/tasks.py makes them
//! ```
//! Two comparisons over tasks whose edit removes or replaces three lines or more, the file and the operation given. *Asked*:
//! the model answers by itself, for copies under the mark that it was taught for them (`render_tasks --compare-blocks`; only
//! a model of ours knows it). *Dictated*: the right answer in either form, so that a model of any size shows what each costs.

#[path = "render_tasks/canonical.rs"]
mod canonical;
#[path = "render_tasks/told.rs"]
mod told;

use canonical::Blocks;
use serde::Deserialize;
use slotwright::engine::process::ModelProcess;
use slotwright::engine::protocol::Load;
use slotwright::engine::{Answer, Engine, EngineError, ModelInfo, Part, Progress, Request};
use slotwright::eval::judge::write_tree;
use slotwright::flow::{self, Asking, Verdict};
use slotwright::prompt::Profile;
use slotwright::slots::{FilePick, Operation, Pick};
use slotwright::task::Task;
use slotwright::workspace::Workspace;
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader};
use std::process::ExitCode;
use told::{Change, Told, in_form};

type Error = Box<dyn std::error::Error>;

/// Tasks on the same files.
#[derive(Deserialize)]
struct Group {
    files: BTreeMap<String, String>,
    tasks: Vec<Wanted>,
}

#[derive(Deserialize)]
struct Wanted {
    task: String,
    #[serde(default)]
    family: String,
    path: Option<String>,
    after: Option<String>,
}

/// One way to ask, and what came of it.
struct Way {
    name: &'static str,
    form: Blocks,
    is_dictated: bool,
    n_right: usize,
    n_evaluations: usize,
    /// Of the answers, chosen or forced.
    n_tokens: usize,
    ms: f64,
}

/// A model of ours that is asked in one form.
struct InForm<'e> {
    engine: &'e mut ModelProcess,
    form: Blocks,
}

impl Engine for InForm<'_> {
    fn model(&self) -> &ModelInfo {
        self.engine.model()
    }

    async fn count_tokens(&mut self, texts: &[&str]) -> Result<Vec<usize>, EngineError> {
        self.engine.count_tokens(texts).await
    }

    async fn complete(&mut self, request: &Request, progress: &mut dyn FnMut(Progress)) -> Result<Answer, EngineError> {
        let mut request = in_form(request, self.form);
        if self.form == Blocks::Copied {
            request.prompt.push(Part::Control(canonical::COPIED.to_owned()));
        }
        self.engine.complete(&request, progress).await
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

async fn compare() -> Result<(), Error> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [program, model, tasks, n @ ..] = arguments.as_slice() else {
        return Err("usage: block_forms SLOTWRIGHT MODEL.gguf TASKS.jsonl [N]".into());
    };
    let most: usize = n.first().map_or(Ok(usize::MAX), |n| n.parse())?;
    let (program, model) = (std::fs::canonicalize(program)?, std::fs::canonicalize(model)?);
    let load = Load { model, threads: num_cpus::get_physical(), check_memory: false, verbose: false, prefixes: None };
    let mut engine = ModelProcess::start(&program, load, &mut |_| {}).await?;
    let profile = Profile::of(engine.model())?.0;
    let knows_both = matches!(profile, Profile::Compact);
    let way = |name, form, is_dictated| Way { name, form, is_dictated, n_right: 0, n_evaluations: 0, n_tokens: 0, ms: 0.0 };
    let mut ways = vec![way("dictated, named", Blocks::Named, true), way("dictated, copied", Blocks::Copied, true)];
    if knows_both {
        ways.extend([way("asked, named", Blocks::Named, false), way("asked, copied", Blocks::Copied, false)]);
    }
    let (mut n_tasks, mut n_lines) = (0, 0);
    // Right in one form only.
    let (mut n_only_named, mut n_only_copied) = (0, 0);
    'tasks: for line in BufReader::new(std::fs::File::open(tasks)?).lines() {
        let group: Group = serde_json::from_str(&line?)?;
        for wanted in group.tasks.iter().filter(|wanted| ["delete_block", "replace_body"].contains(&wanted.family.as_str())) {
            if n_tasks == most {
                break 'tasks;
            }
            let (Some(path), Some(after)) = (&wanted.path, &wanted.after) else { continue };
            let before = group.files[path].clone();
            let change = Change { path: path.clone(), before, after: after.clone(), task: wanted.task.clone() };
            let folder = tempfile::tempdir()?;
            write_tree(folder.path(), &BTreeMap::from([(path.clone(), change.before.clone().into_bytes())]))?;
            let workspace = Workspace::open(folder.path())?;
            let pick = Pick::File(FilePick { path: path.clone(), operation: Operation::Replace });
            let asking = Asking { pick: Some(pick), weighs_answers: false, ..Asking::new(profile.clone()) };
            let task = Task::new(&wanted.task, vec![])?;
            let mut right = Vec::new();
            let mut stats = Vec::new();
            let mut failed = false;
            for way in &ways {
                let (engine, silent) = (&mut engine, &mut |_| ());
                let outcome = if way.is_dictated {
                    let mut told = Told { engine, change: &change, form: way.form, needs_whole: false, asked: Vec::new() };
                    flow::edit(&task, &workspace, &asking, &mut told, silent).await
                } else {
                    flow::edit(&task, &workspace, &asking, &mut InForm { engine, form: way.form }, silent).await
                };
                let Ok(outcome) = outcome else {
                    failed = true; // not all of the block is shown
                    break;
                };
                right.push(matches!(&outcome.verdict, Verdict::Proposed(patched) if patched.after == after.as_bytes()));
                stats.push(outcome.stages.last().map(|stage| stage.stats.clone()).unwrap_or_default());
            }
            // Both can be done, or there is nothing to compare.
            if failed || !(right[0] && right[1]) {
                continue;
            }
            n_tasks += 1;
            n_lines += change.before.lines().count().saturating_sub(after.lines().count());
            for ((way, right), stats) in ways.iter_mut().zip(&right).zip(stats) {
                way.n_right += usize::from(*right);
                way.n_evaluations += stats.evaluations;
                way.n_tokens += stats.sampled_tokens + stats.forced_tokens;
                way.ms += stats.ms.answer;
            }
            if let [_, _, named, copied] = right[..] {
                n_only_named += usize::from(named && !copied);
                n_only_copied += usize::from(copied && !named);
            }
        }
    }
    let mean = |sum: f64| sum / n_tasks.max(1) as f64;
    println!("{n_tasks} tasks, {:.1} lines less on average", mean(n_lines as f64));
    for way in &ways {
        println!(
            "{:17} {:4} right, {:5.1} evaluations, {:5.1} tokens, {:6.1} ms an answer",
            way.name,
            way.n_right,
            mean(way.n_evaluations as f64),
            mean(way.n_tokens as f64),
            mean(way.ms),
        );
    }
    if knows_both {
        println!("right only named: {n_only_named}, only copied: {n_only_copied}");
    }
    Ok(())
}
