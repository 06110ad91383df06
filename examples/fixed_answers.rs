//! Our half of `bench/peers`: edits whose answers are given, so that another program can be made to write the same text.
//!
//! ```text
//! fixed_answers SLOTWRIGHT MODEL.gguf SUITE[,SUITE…] N [FIRST]
//! ```
//! Takes tasks of suites that one answer of the slots makes right and whose file is shown whole: N of them from the FIRST on.
//! Each is measured as the first edit of a new process, as a second one on the same file in other words, and as the
//! first of another process that finds what the first has read. Prints a JSON object a task: the questions with their answers,
//! and what each stage took. Every token that is not forced is computed, as if the model had chosen it.

#[path = "render_tasks/canonical.rs"]
mod canonical;

use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use similar::{DiffOp, DiffTag, TextDiff};
use slotwright::constrain::{Constraint, Spec};
use slotwright::engine::process::ModelProcess;
use slotwright::engine::protocol::Load;
use slotwright::engine::{Answer, Engine, EngineError, ModelInfo, Part, Progress, Request};
use slotwright::eval::oracle;
use slotwright::eval::suite::{self, EvalTask};
use slotwright::flow::{self, Asking, Stage, Verdict};
use slotwright::prompt::Profile;
use slotwright::slots::{FilePick, Pick, ReplaceAll};
use slotwright::task::Task;
use slotwright::text::Text;
use slotwright::workspace::Workspace;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

type Error = Box<dyn std::error::Error>;

/// A model that is told what to say.
struct Dictated<'t> {
    engine: ModelProcess,
    task: &'t EvalTask,
    path: &'t str,
    /// Question and answer, in the order in which they were asked.
    asked: Vec<(Vec<Part>, String)>,
}

impl Dictated<'_> {
    fn answer(&self, spec: &Spec, question: &str) -> Option<String> {
        let text = |bytes: &Vec<u8>| String::from_utf8(bytes.clone()).ok();
        let (before, after) = (text(&self.task.before[self.path])?, text(&self.task.accepted[0][self.path])?);
        match spec {
            Spec::Pick { .. } => {
                let operation = oracle::operation(&before, &after);
                serde_json::to_string(&Pick::File(FilePick { path: self.path.to_owned(), operation })).ok()
            }
            Spec::Replace { shown } | Spec::Insert { shown } if shown.windows.len() == 1 => {
                let slots = canonical::slots(question, self.path, &Text::decode(before.into_bytes()).ok()?, shown, &after)?;
                serde_json::to_string(&slots).ok()
            }
            Spec::ReplaceAll { .. } => {
                let (old, new) = oracle::rename(&before, &after)?;
                serde_json::to_string(&ReplaceAll { old, new }).ok()
            }
            _ => None,
        }
    }
}

impl Engine for Dictated<'_> {
    fn model(&self) -> &ModelInfo {
        self.engine.model()
    }

    async fn count_tokens(&mut self, texts: &[&str]) -> Result<Vec<usize>, EngineError> {
        self.engine.count_tokens(texts).await
    }

    async fn complete(&mut self, request: &Request, progress: &mut dyn FnMut(Progress)) -> Result<Answer, EngineError> {
        let answer = self.answer(&request.spec, &self.task.wordings[0]);
        let answer = answer.filter(|answer| Constraint::new(&request.spec).accepts(answer.as_bytes()));
        let Some(answer) = answer else { return Err(EngineError::Process("no one answer makes this edit".to_owned())) };
        self.asked.push((request.prompt.clone(), answer.clone()));
        self.engine.complete(&Request { given: Some(answer), ..request.clone() }, progress).await
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    match measure().await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

async fn measure() -> Result<(), Error> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [program, model, suite, n, first @ ..] = arguments.as_slice() else {
        return Err("usage: fixed_answers SLOTWRIGHT MODEL.gguf SUITE N [FIRST]".into());
    };
    let (program, model) = (std::fs::canonicalize(program)?, std::fs::canonicalize(model)?);
    let (n, first): (usize, usize) = (n.parse()?, first.first().map_or(Ok(0), |first| first.parse())?);
    let mut n_usable = 0;
    let suites = suite.split(',').map(suite::read).collect::<Result<Vec<_>, _>>()?;
    let mut tasks: Vec<&EvalTask> = suites.iter().flat_map(|suites| &suites.tasks).collect();
    // Mixed, so that a few of them are of many kinds.
    tasks.sort_by_cached_key(|task| Sha256::digest(&task.name));
    for task in tasks {
        let Some(path) = only_path(task).filter(|_| task.wordings.len() > 2) else { continue };
        let folder = tempfile::tempdir()?;
        for (path, bytes) in &task.before {
            let path = folder.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap_or(folder.path()))?;
            std::fs::write(path, bytes)?;
        }
        // Whether it can be used shows in its first edit, which costs nothing where it cannot.
        if n_usable < first && is_usable(task, path) {
            n_usable += 1;
            continue;
        }
        match edits(&program, &model, task, path, folder.path()).await {
            Ok(line) => println!("{line}"),
            Err(reason) => {
                eprintln!("{}: left out: {reason}", task.name);
                continue;
            }
        }
        n_usable += 1;
        if n_usable == first + n {
            return Ok(());
        }
    }
    Err(format!("{suite} has only {n_usable} such tasks").into())
}

/// The file that changes, if it is one that was there before.
fn only_path(task: &EvalTask) -> Option<&str> {
    let after = task.accepted.first()?;
    let mut changed = after.iter().filter(|(path, bytes)| task.before.get(*path) != Some(bytes));
    let (path, _) = changed.next()?;
    (changed.next().is_none() && task.before.contains_key(path)).then_some(path)
}

/// Whether one answer makes its edit.
fn is_usable(task: &EvalTask, path: &str) -> bool {
    let decode = |bytes: &Vec<u8>| Text::decode(bytes.clone()).ok();
    let (Some(before), Some(after)) = (decode(&task.before[path]), decode(&task.accepted[0][path])) else { return false };
    let shown = slotwright::text::Shown::whole(before.shown());
    oracle::rename(before.shown(), after.shown()).is_some()
        || canonical::slots(&task.wordings[0], path, &before, &shown, after.shown()).is_some()
}

/// The three edits of a task.
async fn edits(program: &Path, model: &Path, task: &EvalTask, path: &str, folder: &Path) -> Result<Value, Error> {
    let cache = tempfile::tempdir()?;
    let prefixes = cache.path().join("prefixes");
    let mut engine = start(program, model, prefixes.clone(), task, path).await?;
    let cold = edit(&mut engine, &task.wordings[0], folder).await?;
    let second = edit(&mut engine, &task.wordings[1], folder).await?;
    engine.engine.keep_read().await?;
    let mut asked = std::mem::take(&mut engine.asked);
    drop(engine);
    let mut engine = start(program, model, prefixes, task, path).await?;
    let next = edit(&mut engine, &task.wordings[2], folder).await?;
    asked.append(&mut engine.asked);
    let operation = oracle::operation(&text(task, path, false), &text(task, path, true));
    let questions: Vec<Value> = asked.iter().map(|(prompt, answer)| messages(prompt, answer)).collect();
    let before = text(task, path, false);
    Ok(json!({
        "task": task.name, "category": task.category, "operation": operation.word(),
        "path": path, "before": before, "sentences": task.wordings, "questions": questions,
        "blocks": blocks(path, &before, &text(task, path, true)), "cold": cold, "second": second, "next": next,
    }))
}

fn text(task: &EvalTask, path: &str, after: bool) -> String {
    let tree = if after { &task.accepted[0] } else { &task.before };
    String::from_utf8_lossy(&tree[path]).into_owned()
}

/// The same edit as search/replace blocks, one for each run of changed lines: those, with as many before them as it takes to
/// stand once.
fn blocks(path: &str, before: &str, after: &str) -> String {
    let (old, new): (Vec<&str>, Vec<&str>) = (before.lines().collect(), after.lines().collect());
    let side = |lines: &[&str]| lines.iter().map(|line| format!("{line}\n")).collect::<String>();
    let block = |op: &DiffOp| {
        let (was, is) = (op.old_range(), op.new_range());
        let stands_once = |from: usize| {
            let lines = &old[from..was.end];
            !lines.is_empty() && old.windows(lines.len()).filter(|window| *window == lines).count() == 1
        };
        let from = (0..=was.start).rev().find(|&from| stands_once(from)).unwrap_or(0);
        let (search, replace) = (side(&old[from..was.end]), side(&old[from..was.start]) + &side(&new[is]));
        format!("{path}\n<<<<<<< SEARCH\n{search}=======\n{replace}>>>>>>> REPLACE\n")
    };
    TextDiff::from_slices(&old, &new).ops().iter().filter(|op| op.tag() != DiffTag::Equal).map(block).collect()
}

/// A prompt of system and question, as a server is sent it.
fn messages(prompt: &[Part], answer: &str) -> Value {
    let texts: Vec<&str> = prompt
        .iter()
        .filter_map(|part| match part {
            Part::Text(text) => Some(text.as_str()),
            Part::Control(_) => None,
        })
        .collect();
    let (system, question) = if texts.len() > 1 { (texts[0], texts[1..].concat()) } else { ("", texts.concat()) };
    json!({ "system": system, "question": question, "answer": answer })
}

async fn start<'t>(
    program: &Path,
    model: &Path,
    prefixes: PathBuf,
    task: &'t EvalTask,
    path: &'t str,
) -> Result<Dictated<'t>, Error> {
    let load = Load {
        model: model.to_path_buf(),
        threads: num_cpus::get_physical(),
        check_memory: false,
        verbose: false,
        prefixes: Some(prefixes),
    };
    let engine = ModelProcess::start(program, load, &mut |_| ()).await?;
    Ok(Dictated { engine, task, path, asked: Vec::new() })
}

/// What the stages of an edit took.
async fn edit(engine: &mut Dictated<'_>, sentence: &str, folder: &Path) -> Result<Value, Error> {
    // In words, whatever the model was trained for: a server knows no other prompt.
    let info = ModelInfo { profile: Some("instruct".to_owned()), ..engine.engine.model().clone() };
    let asking = Asking::new(Profile::of(&info)?.0);
    let workspace = Workspace::open(folder)?;
    let outcome = flow::edit(&Task::new(sentence, vec![])?, &workspace, &asking, engine, &mut |_| ()).await?;
    if !matches!(outcome.verdict, Verdict::Proposed(_)) {
        return Err(format!("{:?}", outcome.verdict).chars().take(80).collect::<String>().into());
    }
    let stage = |Stage { name, stats, .. }: &Stage| json!({ "name": name, "stats": stats });
    Ok(json!(outcome.stages.iter().map(stage).collect::<Vec<_>>()))
}
