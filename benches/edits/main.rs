//! What an edit computes, and what drafting and reading once save of it. Prints tables and writes `docs/speed.md`.
//!
//! The tasks are the development tasks of the bundled model's recipe, through the program's own flow. Counts do not depend
//! on the machine, but for drafts, whose length follows from measured times; times are ratios of runs beside each other.
//!
//! ```text
//! cargo bench --bench edits [-- MODEL.gguf]      another model than the bundled one: then the page is not written
//! ```

#[path = "../../tests/support/dev_tasks.rs"]
mod dev_tasks;

use dev_tasks::{DevTask, read_all};
use slotwright::engine::process::ModelProcess;
use slotwright::engine::protocol::Load;
use slotwright::engine::{AnswerStats, Engine};
use slotwright::flow::{self, Asking, Outcome};
use slotwright::prompt::Profile;
use slotwright::task::Task;
use slotwright::workspace::Workspace;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

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
    let named = std::env::args().skip(1).find(|argument| !argument.starts_with("--"));
    let model = named.as_ref().map_or_else(|| root.join("models/bundled.gguf"), PathBuf::from).canonicalize()?;
    let tasks = read_all(&root.join("models/recipe/dev"))?;
    let mut page = String::from(PREFACE);
    drafting(&model, &tasks, &mut page).await?;
    reading(&model, &mut page).await?;
    println!("{page}");
    if named.is_none() {
        std::fs::write(root.join("docs/speed.md"), page)?;
    }
    Ok(())
}

const PREFACE: &str = "# What an edit computes\n\n`cargo bench --bench edits` measures this and writes this page, with the bundled \
model and the tasks of `models/recipe/dev`. Machines\ndiffer and are shared, so read the counts and the ratios.\n";

async fn start(model: &Path, prefixes: Option<&Path>) -> Result<(ModelProcess, Profile), Error> {
    let prefixes = prefixes.map(Path::to_path_buf);
    let load =
        Load { model: model.to_path_buf(), threads: num_cpus::get_physical(), verbose: false, check_memory: true, prefixes };
    let engine = ModelProcess::start(Path::new(env!("CARGO_BIN_EXE_slotwright")), load, &mut |_| {}).await?;
    let (profile, _) = Profile::of(engine.model())?;
    Ok((engine, profile))
}

async fn edit(folder: &Path, task: &str, engine: &mut ModelProcess, profile: &Profile, drafting: bool) -> Option<Outcome> {
    let asking = Asking { drafting, ..Asking::new(profile.clone()) };
    let workspace = Workspace::open(folder).ok()?;
    flow::edit(&Task::new(task, vec![]).ok()?, &workspace, &asking, engine, &mut |_| {}).await.ok()
}

/// The answers of a run, as many as its stages.
fn answers(outcome: &Outcome) -> Vec<&str> {
    outcome.stages.iter().map(|stage| stage.answer.as_str()).collect()
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
        let Sums { n_answers, chosen, forced, drafted, accepted, evaluations, answer_ms, constraint_ms, draft_ms } = self;
        let a = |n: usize| n as f64 / *n_answers as f64;
        let share = 100.0 * (constraint_ms + draft_ms) / answer_ms;
        format!(
            "| {what} | {n_answers} | {:.1} | {:.1} | {:.1} | {:.1} | {:.1} | {:.1} | {share:.1} % |",
            a(*forced),
            a(*chosen),
            a(*drafted),
            a(*accepted),
            a(*evaluations),
            answer_ms / *n_answers as f64
        )
    }
}

/// Every task with and without drafts, one after the other.
async fn drafting(model: &Path, tasks: &[DevTask], page: &mut String) -> Result<(), Error> {
    let (mut engine, profile) = start(model, None).await?;
    let mut sums: [[Sums; 2]; 2] = Default::default();
    let (mut n_same, mut n_all, mut n_right, mut different) = (0, 0, [0; 2], Vec::new());
    for task in tasks {
        let folder = task.folder.join("before");
        let Some(plain) = edit(&folder, &task.sentence, &mut engine, &profile, false).await else { continue };
        let Some(drafted) = edit(&folder, &task.sentence, &mut engine, &profile, true).await else { continue };
        n_all += 1;
        for (i, outcome) in [&plain, &drafted].into_iter().enumerate() {
            n_right[i] += usize::from(task.is_right(&outcome.verdict));
            for (stage, sums) in outcome.stages.iter().zip(&mut sums) {
                sums[i].add(&stage.stats);
            }
        }
        if answers(&plain) == answers(&drafted) {
            n_same += 1;
        } else {
            let calls = plain.stages.iter().chain(&drafted.stages).filter_map(|stage| stage.stats.closest_call);
            different.push(calls.fold(f32::INFINITY, f32::min));
        }
    }
    write!(
        page,
        "\n## Drafting\n\nPer answer: tokens forced, chosen by the model, drafted and accepted; evaluations after the prompt was \
         read; milliseconds after\nit was; of these the part that constraint and drafting took.\n\n\
         | | answers | forced | chosen | drafted | accepted | evaluations | ms | constraint and drafts |\n\
         |---|---:|---:|---:|---:|---:|---:|---:|---:|\n"
    )?;
    for (stage, sums) in ["which file, which operation", "its slots"].iter().zip(&sums) {
        writeln!(page, "{}\n{}", sums[0].row(&format!("{stage}, without drafts")), sums[1].row(&format!("{stage}, with")))?;
    }
    let ties = different.iter().map(|call| format!("{call:.4}")).collect::<Vec<_>>().join(", ");
    writeln!(
        page,
        "\n{n_same} of {n_all} tasks have the same answers with and without; {} are right without, {} with.{}",
        n_right[0],
        n_right[1],
        if ties.is_empty() {
            String::new()
        } else {
            format!(
                " In the others the logits of a choice were as close as {ties}: there rounding decides, which differs with the size \
                 of a batch."
            )
        }
    )?;
    Ok(())
}

/// Lines that no other is like.
fn source(n_lines: usize) -> String {
    (0..n_lines / 4).map(|i| format!("def step_{i}(value):\n    limit_{i} = {i}\n    return value + limit_{i}\n\n")).collect()
}

/// One file, edited again: by a new process that knows nothing, by the same one, by another that loads what was read.
async fn reading(model: &Path, page: &mut String) -> Result<(), Error> {
    const RUNS: usize = 7;
    write!(
        page,
        "\n## Reading once\n\nMilliseconds of an edit without starting and loading the model, the median of {RUNS} runs and their \
         range, each run with an empty\ncache; *again* the same process with another task on the same file, *another process* likewise, \
         with what the first one kept.\n\n\
         | file | first | again | another process | first / again |\n|---|---:|---:|---:|---:|\n"
    )?;
    for n_lines in [12, 40, 300, 3_000, 100_000] {
        let folder = tempfile::tempdir()?;
        std::fs::write(folder.path().join("a.py"), source(n_lines))?;
        let mut times: [Vec<f64>; 3] = Default::default();
        for run in 0..RUNS {
            let prefixes = tempfile::tempdir()?;
            let task = |i: usize| format!("In a.py, change limit_{} to {}", i % (n_lines / 4), 7_000 + i);
            let (mut engine, profile) = start(model, Some(prefixes.path())).await?;
            for (again, task) in [task(run), task(run + 1)].iter().enumerate() {
                let begun = Instant::now();
                edit(folder.path(), task, &mut engine, &profile, true).await.ok_or("no edit")?;
                times[again].push(begun.elapsed().as_secs_f64() * 1e3);
            }
            engine.keep_read().await?;
            let (mut engine, profile) = start(model, Some(prefixes.path())).await?;
            let begun = Instant::now();
            edit(folder.path(), &task(run), &mut engine, &profile, true).await.ok_or("no edit")?;
            times[2].push(begun.elapsed().as_secs_f64() * 1e3);
        }
        let figures = times.map(|mut times| {
            times.sort_by(f64::total_cmp);
            (times[0], times[RUNS / 2], times[RUNS - 1])
        });
        let cells = figures.map(|(least, median, most)| format!("{median:.0} ({least:.0} to {most:.0})"));
        writeln!(page, "| {n_lines} lines | {} | {:.1} |", cells.join(" | "), figures[0].1 / figures[1].1)?;
    }
    Ok(())
}
