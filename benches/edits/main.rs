//! What an edit computes, and what drafting and reading once save of it. Prints tables and writes
//! `docs/speed.md`.
//!
//! The tasks are the development tasks of the bundled model's recipe, through the program's own
//! flow. Counts do not depend on the machine, but for drafts, whose length follows from measured
//! times; times are ratios of runs beside each other.
//!
//! ```text
//! cargo bench --bench edits [-- MODEL.gguf]
//! ```
//!
//! With another model than the bundled one the page is not written.

#[path = "../known_answers/canonical.rs"]
mod canonical;
#[path = "../known_answers/told.rs"]
mod told;

use slotwright::engine::adapter::AdapterChoice;
use slotwright::engine::process::ModelProcess;
use slotwright::engine::protocol::Load;
use slotwright::engine::{AnswerStats, Engine};
use slotwright::eval::known_answer;
use slotwright::eval::suite;
use slotwright::eval::task::EvalTask;
use slotwright::eval::tree::write_tree;
use slotwright::flow::{self, Drafting, GenerateOptions, Outcome, Session, Verdict};
use slotwright::prompt::Profile;
use slotwright::slots::{FilePick, Operation, Pick};
use slotwright::task::Task;
use slotwright::workspace::Workspace;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;
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
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let named = std::env::args()
        .skip(1)
        .find(|argument| !argument.starts_with("--"));
    let model = named
        .as_ref()
        .map_or_else(|| root.join("models/bundled.gguf"), PathBuf::from)
        .canonicalize()?;
    let tasks = suite::read(&root.join("models/training/dev").display().to_string())?.tasks;
    let mut page = String::from(PREFACE);
    drafting(&model, &tasks, &mut page).await?;
    right_answers(&model, &tasks, &mut page).await?;
    reading(&model, &mut page).await?;
    println!("{page}");
    if named.is_none() {
        std::fs::write(root.join("docs/speed.md"), page)?;
    }
    Ok(())
}

const PREFACE: &str = "# What an edit computes\n\n`cargo bench --bench edits` measures this and \
                       writes this page, with the bundled \
model and the tasks of `models/training/dev`. Machines\n\
differ and are shared, so read the counts and the ratios.\n";

async fn start(model: &Path, prefixes: Option<&Path>) -> Result<(ModelProcess, Profile), Error> {
    let prefixes = prefixes.map(Path::to_path_buf);
    let load = Load {
        model: model.to_path_buf(),
        threads: num_cpus::get_physical(),
        verbose: false,
        check_memory: true,
        adapter: AdapterChoice::None,
        prefixes,
    };
    let engine = ModelProcess::start(
        Path::new(env!("CARGO_BIN_EXE_slotwright")),
        load,
        &mut |_| {},
    )
    .await?;
    let (profile, _) = Profile::of(engine.model())?;
    Ok((engine, profile))
}

async fn edit(
    folder: &Path,
    task: &str,
    engine: &mut ModelProcess,
    profile: &Profile,
    drafting: Drafting,
) -> Option<Outcome> {
    let options = GenerateOptions {
        drafting,
        ..GenerateOptions::new(profile.clone())
    };
    ask(folder, task, engine, &options).await
}

async fn ask(
    folder: &Path,
    task: &str,
    engine: &mut ModelProcess,
    options: &GenerateOptions,
) -> Option<Outcome> {
    let workspace = Workspace::open(folder).ok()?;
    let task = Task::new(task, vec![]).ok()?;
    let options = options.clone();
    let mut session = Session {
        workspace: &workspace,
        engine,
        options,
        progress: &mut |_| {},
    };
    flow::edit(&task, &mut session).await.ok()
}

/// The answers of a run, as many as its stages.
fn answers(outcome: &Outcome) -> Vec<&str> {
    outcome
        .stages
        .iter()
        .map(|stage| stage.answer.as_str())
        .collect()
}

#[derive(Default)]
struct Sums {
    n_answers: usize,
    chosen: usize,
    forced: usize,
    drafted: usize,
    accepted: usize,
    evaluations: usize,
    answer_ms: f64,
    constraint_ms: f64,
    draft_ms: f64,
}

impl Sums {
    fn add(&mut self, stats: &AnswerStats) {
        self.n_answers += 1;
        self.chosen += stats.sampled_tokens;
        self.forced += stats.forced_tokens;
        self.drafted += stats.drafted_tokens;
        self.accepted += stats.accepted_tokens;
        self.evaluations += stats.evaluations;
        self.answer_ms += stats.ms.answer;
        self.constraint_ms += stats.ms.constraint;
        self.draft_ms += stats.ms.draft;
    }

    fn row(&self, what: &str) -> String {
        let Sums {
            n_answers,
            chosen,
            forced,
            drafted,
            accepted,
            evaluations,
            answer_ms,
            constraint_ms,
            draft_ms,
        } = self;
        let a = |n: usize| n as f64 / *n_answers as f64;
        let share = 100.0 * (constraint_ms + draft_ms) / answer_ms;
        format!(
            "| {what} | {n_answers} | {:.1} | {:.1} | {:.1} | {:.1} | {:.1} | {:.1} | {share:.1} % \
             |",
            a(*forced),
            a(*chosen),
            a(*drafted),
            a(*accepted),
            a(*evaluations),
            answer_ms / *n_answers as f64
        )
    }
}

/// Whether that is what should come of it.
fn is_right(task: &EvalTask, verdict: &Verdict) -> bool {
    match verdict {
        Verdict::Proposed(patched) => {
            let mut after = task.before.clone();
            after.insert(patched.path.clone(), patched.after.clone());
            !task.declines && task.accepted.contains(&after)
        }
        Verdict::Declined(_) | Verdict::AlreadyDone(_) => task.declines,
        _ => false,
    }
}

/// Every task with and without drafts, one after the other.
async fn drafting(model: &Path, tasks: &[EvalTask], page: &mut String) -> Result<(), Error> {
    let (mut engine, profile) = start(model, None).await?;
    let mut sums: [[Sums; 2]; 2] = Default::default();
    let (mut n_same, mut n_all, mut n_right, mut different) = (0, 0, [0; 2], Vec::new());
    for task in tasks {
        let folder = tempfile::tempdir()?;
        write_tree(folder.path(), &task.before)?;
        let (folder, sentence) = (folder.path(), &task.wordings[0]);
        let Some(plain) = edit(folder, sentence, &mut engine, &profile, Drafting::Off).await else {
            continue;
        };
        let Some(drafted) = edit(folder, sentence, &mut engine, &profile, Drafting::On).await
        else {
            continue;
        };
        n_all += 1;
        for (i, outcome) in [&plain, &drafted].into_iter().enumerate() {
            n_right[i] += usize::from(is_right(task, &outcome.verdict));
            for (stage, sums) in outcome.stages.iter().zip(&mut sums) {
                sums[i].add(&stage.stats);
            }
        }
        if answers(&plain) == answers(&drafted) {
            n_same += 1;
        } else {
            let calls = plain
                .stages
                .iter()
                .chain(&drafted.stages)
                .filter_map(|stage| stage.stats.closest_call);
            different.push(calls.fold(f32::INFINITY, f32::min));
        }
    }
    write!(
        page,
        "\n## Drafting\n\nPer answer: tokens forced, chosen by the model, drafted and accepted; \
         evaluations after the prompt was \
         read; milliseconds after\nit was; of these the part that constraint and drafting took.\n\n\
         | | answers | forced | chosen | drafted | accepted | evaluations | ms | constraint and \
         drafts |\n\
         |---|---:|---:|---:|---:|---:|---:|---:|---:|\n"
    )?;
    for (stage, sums) in ["which file, which operation", "its slots"]
        .iter()
        .zip(&sums)
    {
        writeln!(
            page,
            "{}\n{}",
            sums[0].row(&format!("{stage}, without drafts")),
            sums[1].row(&format!("{stage}, with"))
        )?;
    }
    // Where a favoured token was taken before a likelier one, its logit says nothing of how near it
    // was.
    let (near, favoured): (Vec<f32>, Vec<f32>) = different.iter().partition(|call| **call >= 0.0);
    let ties = near
        .iter()
        .map(|call| format!("{call:.4}"))
        .collect::<Vec<_>>()
        .join(", ");
    writeln!(
        page,
        "\n{n_same} of {n_all} tasks have the same answers with and without; {} are right without, \
         {} with.{}",
        n_right[0],
        n_right[1],
        if different.is_empty() {
            String::new()
        } else {
            format!(
                " In {} of the others the logits of a choice were as close as {ties}: \
                 there rounding decides, which differs with the \
                 size of a batch. In {} the search had raised the logit of what was chosen, \
                 and how near it was is not known.",
                near.len(),
                favoured.len()
            )
        }
    )?;
    Ok(())
}

/// Replacements of five lines, which the development tasks have few of: a file, what becomes of it,
/// and the sentence.
const FIVE_LINES: [(&str, &str, &str, &str); 4] = [
    (
        "cart.py",
        "\"\"\"Prices of a cart.\"\"\"\n\n\ndef total(items):\n    result = 0\
         \n    for item in items:\n        result = result + item.price\n    log.debug(result)\
         \n    return result\n\n\ndef count(items):\n    return len(items)\n",
        "    result = 0\n    for item in items:\n        result = result + item.price\
         \n    log.debug(result)\n    return result\n",
        "    result = Decimal(0)\n    for item in items:\
         \n        result += item.price * item.quantity\n    log.info(result)\
         \n    return round(result, 2)\n",
    ),
    (
        "retry.go",
        "package retry\n\nfunc Do(f func() error) error {\n\tvar err error\n\
         \tfor i := 0; i < 3; i++ {\n\t\terr = f()\n\t\ttime.Sleep(time.Second)\n\t}\n\
         \treturn err\n}\n",
        "\tvar err error\n\tfor i := 0; i < 3; i++ {\n\t\terr = f()\n\
         \t\ttime.Sleep(time.Second)\n\t}\n",
        "\tvar err error\n\tfor i := 0; i < maxTries; i++ {\n\t\tif err = f(); err == nil {\n\
         \t\t\treturn nil\n\t\t}\n\t\ttime.Sleep(delay)\n\t}\n",
    ),
    (
        "server.toml",
        "name = \"shop\"\n\n[server]\nhost = \"127.0.0.1\"\nport = 8000\nworkers = 2\n\
         timeout = 30\ndebug = true\n\n[log]\nlevel = \"info\"\n",
        "host = \"127.0.0.1\"\nport = 8000\nworkers = 2\ntimeout = 30\ndebug = true\n",
        "host = \"0.0.0.0\"\nport = 80\nworkers = 8\ntimeout = 10\ndebug = false\n",
    ),
    (
        "list.ts",
        "export function names(users: User[]): string[] {\n  const result: string[] = [];\
         \n  for (const user of users) {\n    result.push(user.name);\n  }\n  return result;\n\
         }\n\nexport const LIMIT = 20;\n",
        "  const result: string[] = [];\n  for (const user of users) {\
         \n    result.push(user.name);\n  }\n  return result;\n",
        "  return users.map((user) => user.name);\n",
    ),
];

/// What a right answer takes, whether the model knows it or not.
async fn right_answers(model: &Path, tasks: &[EvalTask], page: &mut String) -> Result<(), Error> {
    let (mut engine, profile) = start(model, None).await?;
    let mut changes: Vec<(&str, ChangedFile)> = Vec::new();
    for change in tasks.iter().filter_map(ChangedFile::of) {
        let n_lines = canonical::n_changed(&change.before, &change.after);
        changes.push((
            match known_answer::operation(&change.before, &change.after) {
                Operation::ReplaceAll => "rename in a file",
                Operation::Insert => "insertion",
                _ if n_lines == (1, 1) => "replacement of one line",
                _ => "other replacement",
            },
            change,
        ));
    }
    for (path, before, old, new) in FIVE_LINES {
        let after = before.replacen(old, new, 1);
        let task = format!("Rewrite this part of {path} as we said");
        changes.push((
            "replacement of five lines",
            ChangedFile {
                path: path.to_owned(),
                before: before.to_owned(),
                after,
                task,
            },
        ));
    }
    let mut evaluations: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (kind, change) in &changes {
        let folder = tempfile::tempdir()?;
        write_tree(
            folder.path(),
            &BTreeMap::from([(change.path.clone(), change.before.clone().into_bytes())]),
        )?;
        let workspace = Workspace::open(folder.path())?;
        let mut told = Told {
            engine: &mut engine,
            change,
            needs_whole: false,
            asked: Vec::new(),
        };
        let task = Task::new(&change.task, vec![])?;
        // What no one answer makes is left out.
        let options = GenerateOptions::new(profile.clone());
        let mut session = Session {
            workspace: &workspace,
            engine: &mut told,
            options,
            progress: &mut |_| {},
        };
        let Ok(outcome) = flow::edit(&task, &mut session).await else {
            continue;
        };
        let wanted = change.after.as_bytes();
        if matches!(&outcome.verdict, Verdict::Proposed(patched) if patched.after == wanted) {
            evaluations.entry(kind).or_default().push(
                outcome
                    .stages
                    .iter()
                    .map(|stage| stage.stats.evaluations)
                    .sum(),
            );
        }
    }
    write!(
        page,
        "\n## What a right answer takes\n\nEvaluations of the model after the prompts were read, \
         both stages together, if it \
         is told the right answer. Drafts\nfollow from what batches cost, \
         so it is not quite the same with every model.\n\n\
         | | edits | median | most |\n|---|---:|---:|---:|\n"
    )?;
    for (kind, mut counts) in evaluations {
        counts.sort_unstable();
        writeln!(
            page,
            "| {kind} | {} | {} | {} |",
            counts.len(),
            counts[counts.len() / 2],
            counts[counts.len() - 1]
        )?;
    }
    Ok(())
}

/// Lines that no other is like.
fn source(n_lines: usize) -> String {
    (0..n_lines / 4)
        .map(|i| {
            format!("def step_{i}(value):\n    limit_{i} = {i}\n    return value + limit_{i}\n\n")
        })
        .collect()
}

/// One file, edited again: by a new process that knows nothing, by the same one, by another that
/// loads what was read.
async fn reading(model: &Path, page: &mut String) -> Result<(), Error> {
    const RUNS: usize = 7;
    write!(
        page,
        "\n## Reading once\n\nMilliseconds of an edit without starting and loading the model, \
         the median of {RUNS} runs and their \
         range, each run with an empty\ncache and stage 1 answered for it; \
         *again* the same process with another task on the same file, *another process* likewise, \
         with what the first one kept.\n\n\
         | file | first | again | another process | first / again |\n|---|---:|---:|---:|---:|\n"
    )?;
    for n_lines in [12, 40, 300, 3_000, 100_000] {
        let folder = tempfile::tempdir()?;
        std::fs::write(folder.path().join("a.py"), source(n_lines))?;
        let mut times: [Vec<f64>; 3] = Default::default();
        for run in 0..RUNS {
            let prefixes = tempfile::tempdir()?;
            let task = |i: usize| {
                format!(
                    "In a.py, change limit_{} to {}",
                    i % (n_lines / 4),
                    7_000 + i
                )
            };
            let (mut engine, profile) = start(model, Some(prefixes.path())).await?;
            let pick = Pick::File(FilePick {
                path: "a.py".to_owned(),
                operation: Operation::Replace,
            });
            let options = GenerateOptions {
                pick: Some(pick),
                ..GenerateOptions::new(profile)
            };
            for (again, task) in [task(run), task(run + 1)].iter().enumerate() {
                let begun = Instant::now();
                ask(folder.path(), task, &mut engine, &options)
                    .await
                    .ok_or("no edit")?;
                times[again].push(begun.elapsed().as_secs_f64() * 1e3);
            }
            engine.keep_read().await?;
            let (mut engine, _) = start(model, Some(prefixes.path())).await?;
            let begun = Instant::now();
            ask(folder.path(), &task(run), &mut engine, &options)
                .await
                .ok_or("no edit")?;
            times[2].push(begun.elapsed().as_secs_f64() * 1e3);
        }
        let figures = times.map(|mut times| {
            times.sort_by(f64::total_cmp);
            (times[0], times[RUNS / 2], times[RUNS - 1])
        });
        let cells =
            figures.map(|(least, median, most)| format!("{median:.0} ({least:.0} to {most:.0})"));
        writeln!(
            page,
            "| {n_lines} lines | {} | {:.1} |",
            cells.join(" | "),
            figures[0].1 / figures[1].1
        )?;
    }
    Ok(())
}
