//! Turns edit tasks into prompts and answers, to train a model or an adapter with.
//!
//! ```text
//! render_tasks < TASKS.jsonl > LESSONS.jsonl
//! ```
//! Every task goes through [`slotwright::flow`] as in the program, on files on disk, with a teacher
//! in place of the model ([`teacher`]). What is listed, which windows are shown, how a prompt is
//! worded and whether an answer makes the edit is the program's own doing, so training and use
//! cannot drift apart. A task whose result no answer can bring about is left out and counted.
//!
//! A line of TASKS is a *group*: tasks on the same files.
//! ```json
//! {"files":{"a.py":"x = 1\n"},"tasks":[{"task":"Set x to 2","path":"a.py","after":"x = 2\n"}]}
//! ```
//! `all: ["x","y"]` says that `x` becomes `y` wherever it occurs; `create` that the file is to be
//! created; `decline` gives a reason instead of a result; `family` is what the counts name.
//!
//! A line of LESSONS is one question with its answer, as chat messages:
//! ```json
//! {"family":"value","messages":[{"role":"user","content":"…"}],"answer":"{\"old\":…}"}
//! ```

#[path = "../../../benches/known_answers/canonical.rs"]
mod canonical;
mod teacher;

use serde::Deserialize;
use serde_json::{Value, json};
use slotwright::engine::{Engine, MESSAGES, ModelInfo, Part};
use slotwright::flow::{self, GenerateOptions, Session, Verdict};
use slotwright::prompt::Profile;
use slotwright::task::Task;
use slotwright::workspace::Workspace;
use std::collections::BTreeMap;
use std::io::{BufRead, Write};
use std::process::ExitCode;
use teacher::{Teacher, Wanted};

/// Tokens of the context that the prompts are made for.
const CONTEXT: usize = 16_384;

/// Tasks on the same files.
#[derive(Deserialize)]
struct Group {
    files: BTreeMap<String, String>,
    tasks: Vec<Wanted>,
}

type Error = Box<dyn std::error::Error>;

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    match render().await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

async fn render() -> Result<(), Error> {
    if std::env::args().len() > 1 {
        return Err("usage: render_tasks < TASKS.jsonl > LESSONS.jsonl".into());
    }
    let model = ModelInfo {
        context_tokens: CONTEXT,
        profile: Some(MESSAGES.to_owned()),
        ..ModelInfo::default()
    };
    let mut teacher = Teacher::new(model);
    let mut out = std::io::BufWriter::new(std::io::stdout().lock());
    let mut left_out: BTreeMap<String, usize> = BTreeMap::new();
    let (mut n_tasks, mut n_lessons) = (0, 0);
    for line in std::io::stdin().lock().lines() {
        let group: Group = serde_json::from_str(&line?)?;
        let folder = tempfile::tempdir()?;
        for (path, text) in &group.files {
            let path = folder.path().join(path);
            std::fs::create_dir_all(path.parent().expect("a file has a folder"))?;
            std::fs::write(path, text)?;
        }
        let workspace = Workspace::open(folder.path())?;
        for wanted in group.tasks {
            n_tasks += 1;
            let family = wanted.family.clone();
            match lessons(&mut teacher, &workspace, wanted, &group.files).await {
                Ok(lessons) => {
                    n_lessons += lessons.len();
                    for lesson in lessons {
                        writeln!(out, "{lesson}")?;
                    }
                }
                Err(reason) => *left_out.entry(format!("{family}: {reason}")).or_default() += 1,
            }
        }
    }
    out.flush()?;
    eprintln!("{n_lessons} lessons of {n_tasks} tasks; left out:");
    for (reason, n) in left_out {
        eprintln!("  {n} {reason}");
    }
    Ok(())
}

/// The lessons of a task, or why there are none.
async fn lessons(
    teacher: &mut Teacher,
    workspace: &Workspace,
    wanted: Wanted,
    files: &BTreeMap<String, String>,
) -> Result<Vec<Value>, String> {
    let Wanted { family, decline, after, .. } = wanted.clone();
    let task = Task::new(&wanted.task, vec![]).map_err(|error| error.to_string())?;
    let before = wanted.path.as_ref().and_then(|path| files.get(path)).cloned();
    teacher.teach(wanted, before)?;
    let profile = Profile::of(teacher.model()).map_err(|error| error.to_string())?.0;
    let options = GenerateOptions::new(profile);
    let mut session = Session { workspace, engine: &mut *teacher, options, progress: &mut |_| {} };
    let outcome = flow::edit(&task, &mut session).await;
    let outcome = outcome.map_err(|error| teacher.refused().unwrap_or(error.to_string()))?;
    let asked = teacher.asked();
    match outcome.verdict {
        Verdict::Proposed(patched) => {
            if Some(String::from_utf8_lossy(&patched.after).as_ref()) != after.as_deref() {
                return Err("the answer does not make the edit".to_owned());
            }
        }
        Verdict::Declined(_) if decline.is_some() => {}
        other => return Err(format!("{other:?}").chars().take(60).collect()),
    }
    let mut lessons = Vec::new();
    for (prompt, answer) in asked {
        let messages = messages(&prompt);
        lessons.push(json!({ "family": family, "messages": messages, "answer": answer }));
    }
    Ok(lessons)
}

/// The messages of a prompt: each role stands before its text.
fn messages(prompt: &[Part]) -> Vec<Value> {
    let mut messages = Vec::new();
    for pair in prompt.chunks(2) {
        if let [Part::Control(role), Part::Text(content)] = pair {
            messages.push(json!({ "role": role, "content": content }));
        }
    }
    messages
}
