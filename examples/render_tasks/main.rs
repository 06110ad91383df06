//! Turns edit tasks into the prompts and answers that a model of the profile `compact-4` is trained on.
//!
//! ```text
//! render_tasks VOCABULARY.gguf TASKS.jsonl OUT            tokens, for training
//! render_tasks VOCABULARY.gguf TASKS.jsonl --text         the same as JSON lines on standard output
//! ```
//! With `--compare-blocks` behind them a block that is named by its ends is also taught as a copy, behind a mark that
//! stands twice ([`canonical::COPIED`]): one model that knows both shows what naming is worth (`examples/block_forms.rs`).
//! Every task goes through [`slotwright::flow`] as it stands in the program, on files on disk, with a teacher in
//! place of the model ([`teacher`]): what is listed, which windows are shown, how a prompt is worded and whether an
//! answer makes the edit is the program's own doing, so training and use cannot drift apart. A task whose wanted
//! result no answer can bring about is left out and counted.
//!
//! A line of TASKS is a *group*: tasks on the same files.
//! ```json
//! {"files":{"a.py":"x = 1\n"},"tasks":[{"task":"Set x to 2","path":"a.py","after":"x = 2\n","pick":true}]}
//! ```
//! `all: ["x","y"]` says that `x` becomes `y` wherever it stands; `create` that the file is to be made; `decline`
//! gives a reason instead of a result; `pick` asks for stage 1 as well, and `fill` (the default) for stage 2.
//!
//! OUT holds records of little-endian 16-bit numbers: tokens of the prefix, count of suffixes, the prefix, and for
//! each suffix: tokens of the question, tokens of the answer, the question, the answer. The questions of a record
//! share the prefix and do not see each other.

mod canonical;
mod teacher;

use canonical::Blocks;
use serde::Deserialize;
use slotwright::engine::Part;
use slotwright::engine::tokenizer::Tokenizer;
use slotwright::flow::{self, Asking, Verdict};
use slotwright::prompt::Profile;
use slotwright::task::Task;
use slotwright::workspace::Workspace;
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, BufWriter, Write};
use std::path::Path;
use std::process::ExitCode;
use teacher::{Teacher, Wanted};

/// Tasks on the same files.
#[derive(Deserialize)]
struct Group {
    files: BTreeMap<String, String>,
    tasks: Vec<Wanted>,
}

/// A question with its answer.
struct Lesson {
    family: String,
    prompt: Vec<Part>,
    answer: String,
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
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    let compares_blocks = arguments.pop_if(|last| last == "--compare-blocks").is_some();
    let [vocabulary, tasks, out] = arguments.as_slice() else {
        return Err("usage: render_tasks VOCABULARY.gguf TASKS.jsonl OUT|--text [--compare-blocks]".into());
    };
    let mut teacher = Teacher::new(Tokenizer::load(Path::new(vocabulary))?);
    let mut tokens = if out == "--text" { None } else { Some(BufWriter::new(std::fs::File::create(out)?)) };
    let mut reasons: BTreeMap<String, usize> = BTreeMap::new();
    let (mut n_tasks, mut n_lessons, mut n_tokens) = (0, 0, 0);
    for line in BufReader::new(std::fs::File::open(tasks)?).lines() {
        let group: Group = serde_json::from_str(&line?)?;
        let folder = tempfile::tempdir()?;
        for (path, text) in &group.files {
            let path = folder.path().join(path);
            std::fs::create_dir_all(path.parent().expect("a file has a folder"))?;
            std::fs::write(path, text)?;
        }
        let workspace = Workspace::open(folder.path())?;
        let mut lessons = Vec::new();
        for wanted in group.tasks {
            n_tasks += 1;
            let family = wanted.family.clone();
            teacher.form = Blocks::Named;
            match learn(&mut teacher, &workspace, wanted.clone(), &group.files).await {
                Ok(learned) => {
                    let names_a_block = learned.iter().any(|lesson| lesson.answer.contains(",\"through\":\""));
                    lessons.extend(learned);
                    if compares_blocks && names_a_block {
                        teacher.form = Blocks::Copied;
                        let wanted = Wanted { pick: false, ..wanted };
                        // Not every block can be copied within what is shown.
                        let mut copied = learn(&mut teacher, &workspace, wanted, &group.files).await.unwrap_or_default();
                        copied.iter_mut().for_each(|lesson| lesson.prompt.push(Part::Control(canonical::COPIED.to_owned())));
                        lessons.extend(copied);
                    }
                }
                Err(reason) => *reasons.entry(format!("{family}: {reason}")).or_default() += 1,
            }
        }
        n_lessons += lessons.len();
        match &mut tokens {
            Some(out) => n_tokens += write(&teacher, &lessons, out)?,
            None => print(&lessons)?,
        }
    }
    eprintln!("{n_lessons} lessons of {n_tasks} tasks, {n_tokens} tokens; left out:");
    for (reason, n) in reasons {
        eprintln!("  {n} {reason}");
    }
    Ok(())
}

/// The lessons of a task, or why there are none.
async fn learn(
    teacher: &mut Teacher,
    workspace: &Workspace,
    wanted: Wanted,
    files: &BTreeMap<String, String>,
) -> Result<Vec<Lesson>, String> {
    let (family, pick, fill) = (wanted.family.clone(), wanted.pick, wanted.fill);
    let declines = wanted.decline.is_some();
    let after = wanted.after.clone();
    let task = Task::new(&wanted.task, vec![]).map_err(|error| error.to_string())?;
    let before = wanted.path.as_ref().and_then(|path| files.get(path)).cloned();
    teacher.teach(wanted, before)?;
    let asking = Asking { weighs_answers: false, ..Asking::new(Profile::Compact) };
    let outcome = flow::edit(&task, workspace, &asking, teacher, &mut |_| {}).await.map_err(|error| error.to_string());
    let asked = teacher.asked();
    match outcome?.verdict {
        Verdict::Proposed(patched) => {
            if Some(String::from_utf8_lossy(&patched.after).as_ref()) != after.as_deref() {
                return Err("the answer does not make the edit".to_owned());
            }
        }
        Verdict::Declined(_) if declines => {}
        other => return Err(format!("{other:?}").chars().take(60).collect()),
    }
    let stages = asked.into_iter().enumerate().filter(|(stage, _)| if *stage == 0 { pick } else { fill });
    Ok(stages.map(|(_, (prompt, answer))| Lesson { family: family.clone(), prompt, answer }).collect())
}

/// Writes lessons as tokens; those that begin with the same text share it. Gives the number of tokens.
fn write(teacher: &Teacher, lessons: &[Lesson], out: &mut impl Write) -> Result<usize, Error> {
    // A question on a file begins with its mark and its text.
    let shared_text = |lesson: &Lesson| match lesson.prompt.as_slice() {
        [Part::Control(mark), Part::Text(text), ..] if mark == "<|file|>" => Some(text.clone()),
        _ => None,
    };
    let mut by_text: BTreeMap<Option<String>, Vec<&Lesson>> = BTreeMap::new();
    for lesson in lessons {
        by_text.entry(shared_text(lesson)).or_default().push(lesson);
    }
    let mut n_tokens = 0;
    for (text, lessons) in by_text {
        // Without a common text there is nothing to share.
        let (n_shared, most) = if text.is_some() { (2, lessons.len()) } else { (0, 1) };
        for lessons in lessons.chunks(most) {
            let shared = teacher.tokenizer.prompt(&lessons[0].prompt[..n_shared]);
            let mut record = vec![u16::try_from(shared.len())?, u16::try_from(lessons.len())?];
            for &token in &shared {
                record.push(u16::try_from(token)?);
            }
            for lesson in lessons {
                let question = teacher.tokenizer.prompt(&lesson.prompt[n_shared..]);
                let mut answer = teacher.tokenizer.text(&lesson.answer);
                answer.extend(teacher.tokenizer.prompt(&[Part::Control("<|end|>".to_owned())]));
                record.extend([u16::try_from(question.len())?, u16::try_from(answer.len())?]);
                for token in question.into_iter().chain(answer) {
                    record.push(u16::try_from(token)?);
                }
            }
            n_tokens += record.len();
            for number in record {
                out.write_all(&number.to_le_bytes())?;
            }
        }
    }
    Ok(n_tokens)
}

fn print(lessons: &[Lesson]) -> Result<(), Error> {
    let mut out = std::io::stdout().lock();
    for lesson in lessons {
        let spelled = lesson.prompt.iter().map(|part| match part {
            Part::Control(text) | Part::Text(text) => text.as_str(),
        });
        let prompt: String = spelled.collect();
        let line = serde_json::json!({ "family": lesson.family, "prompt": prompt, "answer": lesson.answer });
        writeln!(out, "{line}")?;
    }
    Ok(())
}
