//! `slotwright eval`: reads suites, models and strategies, prints tables and writes reports.

mod arguments;
mod new;
mod running;
mod source;

pub(crate) use arguments::{ABOUT, EXAMPLES, EvalArguments};

use super::command;
use crate::app::arguments::EditCount;
use crate::app::folders;
use crate::app::report::{CommandReport, ErrorReport, Output, Status};
use crate::check::Against;
use crate::console::{print_shown, say, width};
use crate::eval::EvalConfig;
use crate::eval::checks::{self, Checks};
use crate::eval::public_set;
use crate::eval::record::{self, Evaluation, Journal, ModelRecord, Problem, Row, TaskRecord};
use crate::eval::report::{self, compare, table};
use crate::eval::run::{self, Follow, Job};
use crate::eval::strategy::Strategy;
use crate::eval::suite;
use crate::eval::task::{BrokenTask, EvalTask, Suites};
use crate::eval::tree::difference;
use crate::failure::{ExitCode, Failure, FailureKind};
use crate::sandbox::{Sandbox, SandboxOptions};
use crate::workspace::private_folder::make_private_folder;
use arguments::EvalCommand;
use futures_util::StreamExt;
use futures_util::stream;
use running::Running;
use serde::Serialize;
use sha2::{Digest, Sha256};
use source::Named;
use std::collections::HashSet;
use std::io;
use std::path::Path;
use std::time::Duration;

/// The width of the tables where there is no terminal.
const WIDTH: usize = 110;

/// The end of the command. People read the tables, programs the reports that they named.
#[derive(Default, Serialize)]
struct Evaluated {
    status: Status,
    error: Option<ErrorReport>,
}

impl CommandReport for Evaluated {
    const INTERRUPTED: &'static str =
        "interrupted; what was run is kept, and the same command goes on with it";

    fn end(&mut self) -> (&mut Status, &mut Option<ErrorReport>) {
        (&mut self.status, &mut self.error)
    }
}

pub(crate) fn run(arguments: &EvalArguments) -> ExitCode {
    command::run::<Evaluated>(Output::Text, "evaluation", async |_| {
        match &arguments.command {
            Some(EvalCommand::Compare { first, second }) => compare(first, second),
            None => match &arguments.new {
                Some(folder) => new::make(folder),
                None => evaluate(arguments).await,
            },
        }
    })
}

fn compare(first: &Path, second: &Path) -> Result<ExitCode, Failure> {
    let first = record::read(first).map_err(bad_report)?;
    let second = record::read(second).map_err(bad_report)?;
    let comparison = compare::compare(&first, &second).map_err(bad_report)?;
    print_shown(&comparison.to_string())?;
    Ok(ExitCode::Done)
}

fn bad_report(message: impl ToString) -> Failure {
    Failure::new(FailureKind::ReportName, message)
}

/// Refuses a report that could not be written, before hours are spent on it.
fn can_be_written(report: &Path) -> Result<(), Failure> {
    report::ReportFormat::of(report).map_err(bad_report)?;
    let folder = report.parent().unwrap_or(Path::new(""));
    if folder.as_os_str().is_empty() || folder.is_dir() {
        return Ok(());
    }
    let failure = bad_report(format!(
        "the report {} cannot be written: there is no folder {}",
        report.display(),
        folder.display()
    ));
    Err(failure.hint("make it first, or name a report elsewhere"))
}

/// Says how the checks are confined. Fails where nothing confines them.
fn say_confined(checks: &Checks) -> Result<(), Failure> {
    let nothing =
        tempfile::tempdir().map_err(|error| Failure::new(FailureKind::Environment, error))?;
    let sandbox =
        Sandbox::of(nothing.path(), &checks.program, &checks.options).map_err(|error| {
            Failure::new(FailureKind::Sandbox, error)
                .hint("--no-sandbox runs the checks where nothing confines them")
        })?;
    say(&format!(
        "checks run in throw-away copies, confined by: {}",
        sandbox.isolation()
    ));
    Ok(())
}

async fn evaluate(arguments: &EvalArguments) -> Result<ExitCode, Failure> {
    for report in &arguments.reports {
        can_be_written(report)?;
    }
    let suites = tasks(arguments)?;
    let config = config(arguments)?;
    if suites.tasks.iter().any(|task| task.check.is_some()) {
        say_confined(&config.checks)?;
    }

    let sources = source::sources(arguments)?;
    let strategies = strategies(arguments);
    let mut evaluation = Evaluation {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        runs: arguments.runs.into(),
        tasks: suites.tasks.iter().map(task_record).collect(),
        ..Evaluation::default()
    };
    // The names of the strategies, for each source.
    let mut labels: Vec<Vec<String>> = Vec::new();
    for source in &sources {
        let names = strategies
            .iter()
            .map(|&strategy| label(strategy, source, &config));
        let names: Vec<String> = names.collect();
        for name in &names {
            if !evaluation.strategies.contains(name) {
                evaluation.strategies.push(name.clone());
            }
        }
        labels.push(names);
        evaluation.models.push(ModelRecord {
            name: source.name.clone(),
            description: source.describe(&strategies).await?,
        });
    }

    let mut journal = journal(&evaluation, &sources, &config, arguments.fresh)?;
    let Suites { tasks, broken } = sound(suites, journal.rows(), &config.checks).await;
    evaluation.tasks = tasks.iter().map(task_record).collect();
    for BrokenTask { task, reason } in broken {
        let message = reason;
        evaluation.problems.push(Problem { task, message });
    }

    let mut jobs = Vec::new();
    for labels in &labels {
        jobs.push(jobs_of(&strategies, labels, &tasks, arguments.runs));
    }
    let n_all = jobs.iter().map(Vec::len).sum();
    let n_done = journal.rows().len();
    if n_done > 0 {
        say(&format!(
            "{n_done} of {n_all} runs were made before; --fresh makes them again"
        ));
    }

    let progress = Running::new(n_all, journal.rows());
    for (source, mut jobs) in sources.iter().zip(jobs) {
        remove_done(&mut jobs, &source.name, journal.rows());
        let problem = run_source(source, &jobs, &config, &progress, &mut journal).await;
        evaluation.problems.extend(problem);
    }
    progress.clear();
    evaluation.results = sorted(journal.rows(), &evaluation);
    let problems = run::problems(&evaluation.results);
    evaluation.problems.extend(problems);
    let is_whole = evaluation.results.len() == n_all;
    conclude(arguments, &evaluation, journal, is_whole)
}

fn config(arguments: &EvalArguments) -> Result<EvalConfig, Failure> {
    let program =
        std::env::current_exe().map_err(|error| Failure::new(FailureKind::Environment, error))?;
    let options = SandboxOptions {
        allow_none: arguments.no_sandbox,
        ..SandboxOptions::default()
    };
    Ok(EvalConfig {
        temperature: arguments.temperature,
        seed: arguments.seed,
        time: Duration::from_secs(arguments.time.into()),
        most_edits: arguments.steps.map(|steps| steps.most),
        least_edits: arguments.steps.map_or(1, |steps| steps.least),
        follow: arguments.follow.as_deref().and_then(Follow::of_name),
        gives_pick: arguments.oracle.is_some(),
        asks_claim: arguments.ask_claim,
        edits_against: arguments.check.as_ref().map(|which| match which.as_str() {
            "all" => Against::Nothing,
            _ => Against::Before,
        }),
        checks: Checks { program, options },
    })
}

/// The strategies that were named, each once.
fn strategies(arguments: &EvalArguments) -> Vec<Strategy> {
    let mut strategies = Vec::new();
    for name in &arguments.strategies {
        let strategy = Strategy::of_name(name).expect("clap knows them");
        if !strategies.contains(&strategy) {
            strategies.push(strategy);
        }
    }
    strategies
}

/// Every run of a model. A repair needs a check that says when it is done.
fn jobs_of<'a>(
    strategies: &[Strategy],
    labels: &'a [String],
    tasks: &'a [EvalTask],
    n_runs: u16,
) -> Vec<Job<'a>> {
    let mut jobs = Vec::new();
    for (&strategy, label) in strategies.iter().zip(labels) {
        for task in tasks {
            if strategy == Strategy::Repair && task.check.is_none() {
                continue;
            }
            for run in 1..=n_runs.into() {
                jobs.push(Job {
                    strategy,
                    label,
                    task,
                    run,
                });
            }
        }
    }
    jobs
}

/// Removes the jobs of a model that have a row.
fn remove_done(jobs: &mut Vec<Job>, model: &str, rows: &[Row]) {
    let rows = rows.iter().filter(|row| row.model == model);
    let done: HashSet<(&str, &str, u32)> = rows
        .map(|row| (row.strategy.as_str(), row.task.as_str(), row.run))
        .collect();
    jobs.retain(|job| !done.contains(&(job.label, job.task.name.as_str(), job.run)));
}

/// Runs the jobs of one model. Returns the problem if it could not be started.
async fn run_source(
    source: &Named,
    jobs: &[Job<'_>],
    config: &EvalConfig,
    progress: &Running,
    journal: &mut Journal,
) -> Option<Problem> {
    let ran = run::run(source, jobs, config, &mut |row| {
        progress.add(&row);
        journal.append(row).map_err(|error| error.to_string())
    })
    .await;
    if let Some(server) = &*source.server.borrow() {
        for note in server.take_notes() {
            progress.say(&note);
        }
    }

    let message = ran.err()?;
    progress.say(&format!("{}: {message}", source.name));
    let task = source.name.clone();
    Some(Problem { task, message })
}

/// The rows in an order that depends neither on interruptions nor on jobs that ran at once.
fn sorted(rows: &[Row], evaluation: &Evaluation) -> Vec<Row> {
    let mut rows = rows.to_vec();
    rows.sort_by_cached_key(|row| {
        let mut models = evaluation.models.iter();
        let mut strategies = evaluation.strategies.iter();
        let model = models.position(|model| model.name == row.model);
        let strategy = strategies.position(|strategy| *strategy == row.strategy);
        (model, strategy, row.task.clone(), row.run)
    });
    rows
}

/// Prints the tables and writes the reports.
fn conclude(
    arguments: &EvalArguments,
    evaluation: &Evaluation,
    journal: Journal,
    is_whole: bool,
) -> Result<ExitCode, Failure> {
    let width = width(&io::stdout()).unwrap_or(WIDTH);
    print_shown(&table::render_for_screen(evaluation, width))?;
    for path in &arguments.reports {
        report::write(evaluation, path).map_err(|error| {
            let failure = Failure::new(FailureKind::Report, error);
            failure
                .hint("the runs are kept: the same command with another --report writes them there")
        })?;
    }

    if evaluation.results.is_empty() {
        let failure = Failure::new(FailureKind::NothingRun, "nothing was run");
        return Err(failure.hint("see the problems above"));
    }
    if arguments.reports.is_empty() {
        say(
            "--report FILE.html, .md or .json keeps more than this table; \
             the same command writes it without running again",
        );
    } else if is_whole {
        journal.remove();
    } else {
        say("some runs were not made (see the problems); \
             the same command makes them, and keeps the others");
    }
    Ok(ExitCode::Done)
}

/// The tasks that were named, each once.
fn tasks(arguments: &EvalArguments) -> Result<Suites, Failure> {
    let mut all = Suites::default();
    if arguments.suites.is_empty() {
        all = suite::bundled();
        // Its tasks are of another kind: they have tests, and are run only if they are named.
        all.tasks.retain(|task| task.suite != "repair");
    }
    for name in &arguments.suites {
        let read = suite::read(name).map_err(|error| {
            let failure = Failure::new(FailureKind::Suite, error);
            failure.hint(format!(
                "--suite takes a bundled suite, a folder, or a file of {} (JSON, one a line)",
                public_set::NAMES
            ))
        })?;
        all.tasks.extend(read.tasks);
        all.broken.extend(read.broken);
    }
    let mut seen = HashSet::new();
    all.tasks.retain(|task| seen.insert(task.name.clone()));

    let Some(part) = &arguments.task else {
        return Ok(all);
    };
    all.tasks.retain(|task| task.name.contains(part));
    all.broken.retain(|broken| broken.task.contains(part));
    if !all.tasks.is_empty() {
        return Ok(all);
    }
    let message = match all.broken.first() {
        None => format!("no task's name has {part:?} in it"),
        Some(BrokenTask { task, reason }) => format!("the task {task} cannot be read: {reason}"),
    };
    Err(Failure::new(FailureKind::Suite, message))
}

/// Leaves out the tasks whose checks tell nothing about an edit: see [`checks::unsound`]. Checks of
/// tasks that have a row were tried before.
async fn sound(mut suites: Suites, rows: &[Row], checks: &Checks) -> Suites {
    let ran: HashSet<&str> = rows.iter().map(|row| row.task.as_str()).collect();
    let mut to_try: Vec<&EvalTask> = suites.tasks.iter().collect();
    to_try.retain(|task| task.check.is_some() && !ran.contains(task.name.as_str()));
    let n_tried = to_try.len();
    if n_tried == 0 {
        return suites;
    }

    let n_at_once = std::thread::available_parallelism().map_or(1, usize::from);
    let bar = running::bar(n_tried);
    bar.set_message("checks tried on what is known to be wrong and right");
    let reasons: Vec<Option<String>> = stream::iter(&to_try)
        .map(|task| checks::unsound(task, checks))
        .buffered(n_at_once)
        .inspect(|_| bar.inc(1))
        .collect()
        .await;
    bar.finish_and_clear();

    let mut unsound = Vec::new();
    for (task, reason) in to_try.into_iter().zip(reasons) {
        if let Some(reason) = reason {
            let task = task.name.clone();
            unsound.push(BrokenTask { task, reason });
        }
    }
    say(&format!(
        "checks tried on what is known to be wrong and right: {n_tried}, of which {} \
         tell nothing (their tasks are not run)",
        unsound.len()
    ));
    suites
        .tasks
        .retain(|task| unsound.iter().all(|broken| broken.task != task.name));
    suites.broken.extend(unsound);
    suites
}

/// The name of a strategy in the record. A server cannot force the slots: its model's answers are
/// located.
fn label(strategy: Strategy, source: &Named, config: &EvalConfig) -> String {
    let mut label = strategy.name().to_owned();
    if strategy == Strategy::Slots && source.is_on_a_server() {
        label += "-server";
    }
    if config.gives_pick {
        label += "+pick";
    }
    if let Some(most) = config.most_edits {
        let least = config.least_edits;
        label += &format!("+steps-{}", EditCount { least, most });
    }
    if let Some(way) = config.follow {
        label += &format!("+follow-{}", way.name());
    }
    match config.edits_against {
        Some(Against::Before) => label += "+check",
        Some(Against::Nothing) => label += "+check-all",
        None => {}
    }
    label
}

fn task_record(task: &EvalTask) -> TaskRecord {
    let mut expected = String::new();
    if let Some(accepted) = task.accepted.first() {
        expected = difference(&task.before, accepted);
    }
    TaskRecord {
        name: task.name.clone(),
        suite: task.suite.clone(),
        sentence: task.wordings[0].clone(),
        wordings: task.wordings.clone(),
        category: task.category.clone(),
        level: task.level.clone(),
        language: task.language.clone(),
        expected,
        check: task.check.as_ref().map(|check| check.command.join(" ")),
    }
}

/// The journal with the rows of this evaluation, until they are in a report. Its file is named by a
/// hash of everything that was asked for, so no other evaluation uses it.
fn journal(
    evaluation: &Evaluation,
    sources: &[Named],
    config: &EvalConfig,
    fresh: bool,
) -> Result<Journal, Failure> {
    let folder = folders::state().join("evals");
    make_private_folder(&folder).map_err(|error| {
        let message = format!("cannot make {}: {error}", folder.display());
        Failure::new(FailureKind::Journal, message)
    })?;

    // Another file under the same name is another model.
    let files: Vec<_> = sources.iter().map(Named::file).collect();
    let asked = (
        (&evaluation.version, &evaluation.models, files),
        (&evaluation.strategies, evaluation.runs, &evaluation.tasks),
        (config.temperature, config.seed),
        (config.asks_claim, config.time),
    );
    let asked = serde_json::to_vec(&asked).expect("text and numbers become JSON");
    let hash = Sha256::digest(asked);
    let name: String = hash[..8].iter().map(|byte| format!("{byte:02x}")).collect();
    let path = folder.join(format!("{name}.jsonl"));
    if fresh {
        let _ = std::fs::remove_file(&path);
    }
    Journal::open(&path).map_err(|error| Failure::new(FailureKind::Journal, error))
}
