//! Turns edit tasks into lessons: the tokens of prompts and answers, to train an adapter with.
//!
//! ```text
//! render_tasks MODEL.gguf < TASKS.jsonl > LESSONS.jsonl
//! ```
//! Every task goes through [`slotwright::flow`] as in the program, on files on disk, with a teacher
//! in place of the model ([`teacher`]). What is listed, which windows are shown, how a prompt is
//! worded and tokenized and whether an answer makes the edit is the program's own doing, so
//! training and use cannot drift apart. A task whose result no answer can bring about is left out
//! and counted. Of MODEL only the vocabulary and the chat template are read.
//!
//! A line of TASKS is a *group*: tasks on the same files.
//! ```json
//! {"files":{"a.py":"x = 1\n"},"tasks":[{"task":"Set x to 2","path":"a.py","after":"x = 2\n"}]}
//! ```
//! `all: ["x","y"]` says that `x` becomes `y` wherever it occurs; `create` that the file is to be
//! created; `decline` gives a reason instead of a result; `family` is what the lesson is counted as.
//! `more: [{"path":"b.py","after":"…"}]` are further edits of the same task, each of the files as
//! they are, and `finals: {"a.py":"…","b.py":"…"}` is what all of them make of the files.
//!
//! A line of LESSONS is a prompt and the answer that is to be learned, as tokens, and the number of
//! its group. All lines of an answer are one lesson, as long as they are asked for with the same file
//! shown. That no further edit follows is taught up to the word that says so.
//! ```json
//! {"group":0,"family":"value","operation":"replace","prompt":[151644,…],"answer":[4913,…]}
//! ```

mod canonical;
mod teacher;
mod vocabulary;

use serde::Deserialize;
use serde_json::{Value, json};
use slotwright::engine::{Engine, Part};
use slotwright::flow::steps::{FailedStep, edit_in_steps};
use slotwright::flow::{GenerateOptions, Session, Verdict};
use slotwright::prompt::Profile;
use slotwright::slots::NO_OPERATION;
use slotwright::task::Task;
use slotwright::workspace::Workspace;
use std::collections::BTreeMap;
use std::io::{BufRead, Write};
use std::process::ExitCode;
use teacher::{Asked, Teacher, Wanted};
use vocabulary::Vocabulary;

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
    let mut arguments = std::env::args_os().skip(1);
    let (Some(model), None) = (arguments.next(), arguments.next()) else {
        return Err("usage: render_tasks MODEL.gguf < TASKS.jsonl > LESSONS.jsonl".into());
    };
    let mut teacher = Teacher::new(Vocabulary::load(model.as_ref())?);
    let mut out = std::io::BufWriter::new(std::io::stdout().lock());
    let mut left_out: BTreeMap<String, usize> = BTreeMap::new();
    let (mut n_tasks, mut n_lessons) = (0, 0);
    for (n_group, line) in std::io::stdin().lock().lines().enumerate() {
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
            match lessons(&mut teacher, &workspace, wanted, &group.files).await {
                Ok(lessons) => {
                    n_lessons += lessons.len();
                    for mut lesson in lessons {
                        lesson["group"] = json!(n_group);
                        writeln!(out, "{lesson}")?;
                    }
                }
                Err(reason) => *left_out.entry(reason).or_default() += 1,
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
    let Wanted {
        family,
        decline,
        after,
        mut finals,
        ..
    } = wanted.clone();
    let task = Task::new(&wanted.task, vec![]).map_err(|error| error.to_string())?;
    if let (true, Some(path), Some(after)) = (finals.is_empty(), &wanted.path, after) {
        finals.insert(path.clone(), after);
    }
    teacher.teach(&wanted, files)?;
    let profile = Profile::of(teacher.model())
        .map_err(|error| error.to_string())?
        .0;
    let options = GenerateOptions::new(profile);
    let mut session = Session {
        workspace,
        engine: &mut *teacher,
        options,
        progress: &mut |_| {},
    };
    let steps = edit_in_steps(&task, &mut session).await;
    workspace.forget_pending();
    let steps = steps.map_err(|error| teacher.refused().unwrap_or(error.to_string()))?;
    let asked = teacher.asked();
    match &steps.failed {
        None => {
            let made: BTreeMap<String, String> = steps
                .changes()
                .into_iter()
                .map(|change| {
                    (
                        change.path,
                        String::from_utf8_lossy(&change.after).into_owned(),
                    )
                })
                .collect();
            if made != finals {
                return Err("the answer does not make the edit".to_owned());
            }
        }
        Some(FailedStep {
            verdict: Verdict::Declined(_),
            ..
        }) if decline.is_some() => {}
        Some(other) => return Err(format!("{other:?}").chars().take(60).collect()),
    }
    let operation = teacher.operation();
    let vocabulary = teacher.vocabulary();
    let mut lessons: Vec<Lesson> = Vec::new();
    for Asked {
        prompt,
        answer,
        is_end,
    } in &asked
    {
        // The other words of the end are certain.
        let taught = match answer.split_once(NO_OPERATION) {
            Some((before, _)) if *is_end => format!("{before}{NO_OPERATION}"),
            _ => answer.clone(),
        };
        match lessons.last_mut() {
            // This prompt goes on after the last answer: one lesson.
            Some(lesson) if prompt.starts_with(lesson.last) => {
                lesson.answer = vocabulary.prompt(&prompt[lesson.prompt.len()..]);
                lesson.answer.extend(vocabulary.answer(&taught));
                lesson.last = prompt;
            }
            _ => {
                let answer = vocabulary.answer(&taught);
                lessons.push(Lesson {
                    prompt,
                    last: prompt,
                    answer,
                });
            }
        }
    }
    let line = |Lesson { prompt, answer, .. }: Lesson| {
        let prompt = vocabulary.prompt(prompt);
        json!({ "family": family, "operation": operation, "prompt": prompt, "answer": answer })
    };
    Ok(lessons.into_iter().map(line).collect())
}

/// A prompt, and what is taught to follow it.
struct Lesson<'a> {
    prompt: &'a [Part],
    /// The prompt of the last question whose answer it has.
    last: &'a [Part],
    answer: Vec<u32>,
}
