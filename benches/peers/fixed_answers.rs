//! Our half of `benches/peers`: edits whose answers are given, so that another program can be made
//! to write the same text.
//!
//! ```text
//! fixed_answers SLOTWRIGHT MODEL.gguf SUITE[,SUITE…] N [FIRST]
//! ```
//! Takes tasks of suites that one answer of the slots makes right and whose file is shown whole: N
//! of them from the FIRST on. Each is measured as the first edit of a new process, as a second one
//! on the same file in other words, and as the first of another process that finds what the first
//! has read. Prints a JSON object a task: the questions with their answers, and what each stage
//! took. Every token that is not forced is computed, as if the model had chosen it.

#[path = "../../models/training/render_tasks/canonical.rs"]
mod canonical;
mod told;

use canonical::KnownEdit;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use similar::{DiffOp, DiffTag, TextDiff};
use slotwright::engine::process::ModelProcess;
use slotwright::engine::protocol::Load;
use slotwright::engine::{Engine, ModelInfo, Part};
use slotwright::eval::known_answer;
use slotwright::eval::suite;
use slotwright::eval::task::EvalTask;
use slotwright::eval::tree::write_tree;
use slotwright::flow::{self, GenerateOptions, Session, Stage, Verdict};
use slotwright::prompt::Profile;
use slotwright::task::Task;
use slotwright::text::Text;
use slotwright::workspace::Workspace;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use told::{ChangedFile, Told};

type Error = Box<dyn std::error::Error>;

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
    let (program, model) = (
        std::fs::canonicalize(program)?,
        std::fs::canonicalize(model)?,
    );
    let (n, first): (usize, usize) = (
        n.parse()?,
        first.first().map_or(Ok(0), |first| first.parse())?,
    );
    let mut n_usable = 0;
    let suites = suite
        .split(',')
        .map(suite::read)
        .collect::<Result<Vec<_>, _>>()?;
    let mut tasks: Vec<&EvalTask> = suites.iter().flat_map(|suites| &suites.tasks).collect();
    // Mixed, so that a few of them are of many kinds.
    tasks.sort_by_cached_key(|task| Sha256::digest(&task.name));
    for task in tasks {
        let Some(change) = ChangedFile::of(task).filter(|_| task.wordings.len() > 2) else {
            continue;
        };
        let folder = tempfile::tempdir()?;
        write_tree(folder.path(), &task.before)?;
        // Whether it can be used shows in its first edit, which costs nothing where it cannot.
        if n_usable < first && is_usable(&change) {
            n_usable += 1;
            continue;
        }
        match edits(&program, &model, task, &change, folder.path()).await {
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

/// Whether one answer makes its edit.
fn is_usable(change: &ChangedFile) -> bool {
    let decode = |text: &str| Text::decode(text.as_bytes().to_vec()).ok();
    let (Some(before), Some(after)) = (decode(&change.before), decode(&change.after)) else {
        return false;
    };
    let shown = slotwright::text::Shown::whole(before.shown());
    let edit = KnownEdit {
        task: &change.task,
        path: &change.path,
        before: &before,
        shown: &shown,
        after: after.shown(),
    };
    known_answer::rename(before.shown(), after.shown()).is_some()
        || canonical::slots(edit, |_| true).is_some()
}

/// The three edits of a task.
async fn edits(
    program: &Path,
    model: &Path,
    task: &EvalTask,
    change: &ChangedFile,
    folder: &Path,
) -> Result<Value, Error> {
    let cache = tempfile::tempdir()?;
    let prefixes = cache.path().join("prefixes");
    let mut engine = start(program, model, prefixes.clone()).await?;
    let mut asked = Vec::new();
    let cold = edit(&mut engine, change, &task.wordings[0], folder, &mut asked).await?;
    let second = edit(&mut engine, change, &task.wordings[1], folder, &mut asked).await?;
    engine.keep_read().await?;
    drop(engine);
    let mut engine = start(program, model, prefixes).await?;
    let next = edit(&mut engine, change, &task.wordings[2], folder, &mut asked).await?;
    let operation = known_answer::operation(&change.before, &change.after);
    let questions: Vec<Value> = asked
        .iter()
        .map(|(prompt, answer)| messages(prompt, answer))
        .collect();
    Ok(json!({
        "task": task.name, "category": task.category, "operation": operation.word(),
        "path": change.path, "before": change.before, "sentences": task.wordings,
        "questions": questions, "blocks": blocks(&change.path, &change.before, &change.after),
        "cold": cold, "second": second, "next": next,
    }))
}

/// The same edit as search/replace blocks, one for each run of changed lines: those, with as many
/// before them as it takes to stand once.
fn blocks(path: &str, before: &str, after: &str) -> String {
    let (old, new): (Vec<&str>, Vec<&str>) = (before.lines().collect(), after.lines().collect());
    let side = |lines: &[&str]| {
        lines
            .iter()
            .map(|line| format!("{line}\n"))
            .collect::<String>()
    };
    let block = |op: &DiffOp| {
        let (was, is) = (op.old_range(), op.new_range());
        let stands_once = |from: usize| {
            let lines = &old[from..was.end];
            !lines.is_empty()
                && old
                    .windows(lines.len())
                    .filter(|window| *window == lines)
                    .count()
                    == 1
        };
        let from = (0..=was.start)
            .rev()
            .find(|&from| stands_once(from))
            .unwrap_or(0);
        let (search, replace) = (
            side(&old[from..was.end]),
            side(&old[from..was.start]) + &side(&new[is]),
        );
        format!("{path}\n<<<<<<< SEARCH\n{search}=======\n{replace}>>>>>>> REPLACE\n")
    };
    TextDiff::from_slices(&old, &new)
        .ops()
        .iter()
        .filter(|op| op.tag() != DiffTag::Equal)
        .map(block)
        .collect()
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
    let (system, question) = if texts.len() > 1 {
        (texts[0], texts[1..].concat())
    } else {
        ("", texts.concat())
    };
    json!({ "system": system, "question": question, "answer": answer })
}

async fn start(program: &Path, model: &Path, prefixes: PathBuf) -> Result<ModelProcess, Error> {
    let load = Load {
        model: model.to_path_buf(),
        threads: num_cpus::get_physical(),
        check_memory: false,
        prefixes: Some(prefixes),
        ..Load::default()
    };
    Ok(ModelProcess::start(program, load, &mut |_| ()).await?)
}

/// What the stages of an edit took.
async fn edit(
    engine: &mut ModelProcess,
    change: &ChangedFile,
    sentence: &str,
    folder: &Path,
    asked: &mut Vec<(Vec<Part>, String)>,
) -> Result<Value, Error> {
    // In words, whatever the model was trained for: the server is sent the same.
    let info = ModelInfo {
        profile: Some("instruct".to_owned()),
        ..engine.model().clone()
    };
    let options = GenerateOptions::new(Profile::of(&info)?.0);
    let workspace = Workspace::open(folder)?;
    let mut told = Told {
        engine,
        change,
        needs_whole: true,
        asked: Vec::new(),
    };
    let task = Task::new(sentence, vec![])?;
    let mut session = Session {
        workspace: &workspace,
        engine: &mut told,
        options,
        progress: &mut |_| (),
    };
    let outcome = flow::edit(&task, &mut session).await?;
    asked.append(&mut told.asked);
    if !matches!(outcome.verdict, Verdict::Proposed(_)) {
        return Err(format!("{:?}", outcome.verdict)
            .chars()
            .take(80)
            .collect::<String>()
            .into());
    }
    let stage = |Stage { name, stats, .. }: &Stage| json!({ "name": name, "stats": stats });
    Ok(json!(outcome.stages.iter().map(stage).collect::<Vec<_>>()))
}
