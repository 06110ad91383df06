//! `slotwright eval`: suites, models and strategies in, a table and reports out.

mod arguments;
mod running;
mod source;

pub(crate) use arguments::{ABOUT, EXAMPLES, EvalArguments};

use super::command;
use crate::app::arguments::EditCount;
use crate::app::folders;
use crate::app::report::{CommandReport, ErrorReport, Output, Status};
use crate::console::print_shown;
use crate::console::say;
use crate::engine::openai::OpenAi;
use crate::eval::EvalConfig;
use crate::eval::checks::{self, Checks};
use crate::eval::record::{self, Evaluation, Journal, ModelRecord, Problem, Row, TaskRecord};
use crate::eval::report::{self, compare, table};
use crate::eval::run::{self, Job};
use crate::eval::strategy::Strategy;
use crate::eval::suite;
use crate::eval::task::{BrokenTask, EvalTask, Suites};
use crate::eval::tree::difference;
use crate::failure::ExitCode;
use crate::failure::{Failure, FailureKind};
use crate::sandbox::{Sandbox, SandboxOptions};
use crate::workspace::private_folder::make_private_folder;
use arguments::EvalCommand;
use futures_util::StreamExt;
use futures_util::stream;
use running::Running;
use serde::Serialize;
use sha2::{Digest, Sha256};
use source::Named;
use std::collections::{BTreeMap, HashSet};
use std::path::Path;
use std::time::Duration;

/// As wide as a table may be where nobody says how wide it is.
const WIDTH: usize = 110;

/// What came of it; people read the table, programs the report that they named.
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
            None => evaluate(arguments).await,
        }
    })
}

fn compare(first: &Path, second: &Path) -> Result<ExitCode, Failure> {
    let usage = |error: &dyn std::fmt::Display| Failure::new(FailureKind::ReportName, error);
    let first = record::read(first).map_err(|error| usage(&error))?;
    let second = record::read(second).map_err(|error| usage(&error))?;
    let comparison = compare::compare(&first, &second).map_err(|error| usage(&error))?;
    print_shown(&comparison.to_string())?;
    Ok(ExitCode::Done)
}

/// Refuses a report that could not be written, before hours are spent on it.
fn can_be_written(report: &Path) -> Result<(), Failure> {
    report::ReportFormat::of(report)
        .map_err(|error| Failure::new(FailureKind::ReportName, error))?;
    let Some(folder) = report.parent() else {
        return Ok(());
    };
    if folder.as_os_str().is_empty() || folder.is_dir() {
        return Ok(());
    }
    let message = format!(
        "the report {} cannot be written: there is no folder {}",
        report.display(),
        folder.display()
    );
    Err(Failure::new(FailureKind::ReportName, message)
        .hint("make it first, or name a report elsewhere"))
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
    arguments
        .reports
        .iter()
        .try_for_each(|path| can_be_written(path))?;
    let suites = tasks(arguments)?;
    let program =
        std::env::current_exe().map_err(|error| Failure::new(FailureKind::Environment, error))?;
    let options = SandboxOptions {
        allow_none: arguments.no_sandbox,
        ..SandboxOptions::default()
    };
    let config = EvalConfig {
        temperature: arguments.temperature,
        seed: arguments.seed,
        time: Duration::from_secs(arguments.time.into()),
        most_edits: arguments.steps.map(|steps| steps.most),
        least_edits: arguments.steps.map_or(1, |steps| steps.least),
        gives_pick: arguments.oracle.is_some(),
        asks_claim: arguments.ask_claim,
        checks: Checks { program, options },
    };
    if suites.tasks.iter().any(|task| task.check.is_some()) {
        say_confined(&config.checks)?;
    }
    let mut strategies = arguments
        .strategies
        .iter()
        .map(|name| Strategy::of_name(name).expect("clap knows them"))
        .collect();
    dedup(&mut strategies);
    let sources = source::sources(arguments)?;
    let mut labels: Vec<String> = Vec::new();
    for source in &sources {
        for strategy in &strategies {
            let label = label(*strategy, source, &config);
            if !labels.contains(&label) {
                labels.push(label);
            }
        }
    }
    let mut evaluation = Evaluation {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        models: Vec::new(),
        strategies: labels.clone(),
        runs: arguments.runs.into(),
        tasks: suites.tasks.iter().map(task_record).collect(),
        results: Vec::new(),
        problems: Vec::new(),
    };
    for source in &sources {
        let description = source.describe(&strategies).await?;
        evaluation.models.push(ModelRecord {
            name: source.name.clone(),
            description,
        });
    }
    let mut journal = journal(&evaluation, &sources, &config, arguments.fresh)?;
    let Suites { tasks, broken } = sound(suites, journal.rows(), &config.checks).await;
    evaluation.tasks = tasks.iter().map(task_record).collect();
    let problem = |broken: BrokenTask| Problem {
        task: broken.task,
        message: broken.reason,
    };
    evaluation.problems.extend(broken.into_iter().map(problem));
    let mut done: HashSet<_> = journal.rows().iter().map(key).collect();
    let n_tasks = |strategy: &Strategy| tasks.iter().filter(|task| is_for(*strategy, task)).count();
    let n_all =
        sources.len() * strategies.iter().map(n_tasks).sum::<usize>() * usize::from(arguments.runs);
    if !done.is_empty() {
        say(&format!(
            "{} of {n_all} runs were made before; --fresh makes them again",
            done.len()
        ));
    }
    let progress = Running::new(n_all, journal.rows());
    for source in &sources {
        let mut jobs = Vec::new();
        let labels: Vec<String> = strategies
            .iter()
            .map(|strategy| label(*strategy, source, &config))
            .collect();
        for (&strategy, label) in strategies.iter().zip(&labels) {
            for task in tasks.iter().filter(|task| is_for(strategy, task)) {
                for run in 1..=u32::from(arguments.runs) {
                    let job = Job {
                        strategy,
                        label,
                        task,
                        run,
                    };
                    let name = (source.name.clone(), label.clone(), task.name.clone(), run);
                    if done.insert(name) {
                        jobs.push(job);
                    }
                }
            }
        }
        let ran = run::run(source, &jobs, &config, &mut |row| {
            progress.add(&row);
            journal.append(row).map_err(|error| error.to_string())
        })
        .await;
        let notes = source
            .server
            .borrow()
            .as_ref()
            .map(OpenAi::take_notes)
            .unwrap_or_default();
        for note in notes {
            progress.say(&note);
        }
        if let Err(message) = ran {
            progress.say(&format!("{}: {message}", source.name));
            evaluation.problems.push(Problem {
                task: source.name.clone(),
                message,
            });
        }
    }
    progress.clear();
    evaluation.results = sorted(journal.rows(), &evaluation);
    evaluation
        .problems
        .extend(run::problems(&evaluation.results));
    let is_whole = evaluation.results.len() == n_all;
    conclude(arguments, &evaluation, journal, is_whole)
}

/// The same order, however often it was interrupted and whatever was run at once.
fn sorted(rows: &[Row], evaluation: &Evaluation) -> Vec<Row> {
    let places = |names: Vec<&str>| -> BTreeMap<String, usize> {
        names
            .into_iter()
            .enumerate()
            .map(|(i, name)| (name.to_owned(), i))
            .collect()
    };
    let models = places(
        evaluation
            .models
            .iter()
            .map(|model| model.name.as_str())
            .collect(),
    );
    let strategies = places(evaluation.strategies.iter().map(String::as_str).collect());
    let mut rows = rows.to_vec();
    rows.sort_by(|a, b| {
        let place = |row: &Row| {
            (
                models.get(&row.model).copied(),
                strategies.get(&row.strategy).copied(),
            )
        };
        place(a)
            .cmp(&place(b))
            .then_with(|| (&a.task, a.run).cmp(&(&b.task, b.run)))
    });
    rows
}

fn conclude(
    arguments: &EvalArguments,
    evaluation: &Evaluation,
    journal: Journal,
    is_whole: bool,
) -> Result<ExitCode, Failure> {
    let width = terminal_size::terminal_size().map_or(WIDTH, |(width, _)| usize::from(width.0));
    print_shown(&table::render(evaluation, width))?;
    for path in &arguments.reports {
        report::write(evaluation, path).map_err(|error| {
            let failure = Failure::new(FailureKind::Report, error);
            failure
                .hint("the runs are kept: the same command with another --report writes them there")
        })?;
    }
    if evaluation.results.is_empty() {
        let message = "nothing was run";
        return Err(Failure::new(FailureKind::NothingRun, message).hint("see the problems above"));
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
        // Of another kind: they have tests, and are asked for by name.
        all.tasks.retain(|task| task.suite != "repair");
    }
    for name in &arguments.suites {
        let read = suite::read(name).map_err(|error| {
            let failure = Failure::new(FailureKind::Suite, error);
            failure.hint(
                "--suite takes a bundled suite, a folder, \
                 or a file of HumanEvalFix or EditEval (JSON, one a line)",
            )
        })?;
        all.tasks.extend(read.tasks);
        all.broken.extend(read.broken);
    }
    let mut seen = HashSet::new();
    all.tasks.retain(|task| seen.insert(task.name.clone()));
    let Some(part) = &arguments.task else {
        return Ok(all);
    };
    all.tasks.retain(|task| task.name.contains(part.as_str()));
    all.broken
        .retain(|broken| broken.task.contains(part.as_str()));
    if !all.tasks.is_empty() {
        return Ok(all);
    }
    let message = match all.broken.as_slice() {
        [] => format!("no task's name has {part:?} in it"),
        [broken, ..] => format!("the task {} cannot be read: {}", broken.task, broken.reason),
    };
    Err(Failure::new(FailureKind::Suite, message))
}

/// Leaves out the tasks whose checks tell nothing about an edit: see [`checks::unsound`]. Those that
/// were run before are not tried again.
async fn sound(suites: Suites, rows: &[Row], checks: &Checks) -> Suites {
    let Suites {
        mut tasks,
        mut broken,
    } = suites;
    let ran: HashSet<&str> = rows.iter().map(|row| row.task.as_str()).collect();
    let is_new = |task: &&EvalTask| task.check.is_some() && !ran.contains(task.name.as_str());
    let to_try: Vec<&EvalTask> = tasks.iter().filter(is_new).collect();
    if to_try.is_empty() {
        return Suites { tasks, broken };
    }

    let n_at_once = std::thread::available_parallelism().map_or(1, usize::from);
    let bar = running::bar(to_try.len());
    bar.set_message("checks tried on what is known to be wrong and right");
    let reasons: Vec<Option<String>> = stream::iter(&to_try)
        .map(|task| checks::unsound(task, checks))
        .buffered(n_at_once)
        .inspect(|_| bar.inc(1))
        .collect()
        .await;
    bar.finish_and_clear();

    let n_tried = to_try.len();
    let mut unsound = Vec::new();
    for (task, reason) in to_try.into_iter().zip(reasons) {
        unsound.extend(reason.map(|reason| BrokenTask {
            task: task.name.clone(),
            reason,
        }));
    }
    say(&format!(
        "checks tried on what is known to be wrong and right: {n_tried}, of which {} \
         tell nothing (their tasks are not run)",
        unsound.len()
    ));
    tasks.retain(|task| unsound.iter().all(|broken| broken.task != task.name));
    broken.extend(unsound);
    Suites { tasks, broken }
}

fn dedup(strategies: &mut Vec<Strategy>) {
    let mut seen = HashSet::new();
    strategies.retain(|strategy| seen.insert(*strategy));
}

/// What a strategy is called in the record. A server cannot force the slots: what its model writes
/// is located.
fn label(strategy: Strategy, source: &Named, config: &EvalConfig) -> String {
    let is_by_server = strategy == Strategy::Slots && source.is_on_a_server();
    let server = if is_by_server { "-server" } else { "" };
    let pick = if config.gives_pick { "+pick" } else { "" };
    let steps = config.most_edits.map(|most| EditCount {
        least: config.least_edits,
        most,
    });
    let steps = steps
        .map(|steps| format!("+steps-{steps}"))
        .unwrap_or_default();
    format!("{}{server}{pick}{steps}", strategy.name())
}

/// A repair needs a check that says when it is done.
fn is_for(strategy: Strategy, task: &EvalTask) -> bool {
    strategy != Strategy::Repair || task.check.is_some()
}

fn task_record(task: &EvalTask) -> TaskRecord {
    TaskRecord {
        name: task.name.clone(),
        suite: task.suite.clone(),
        sentence: task.wordings[0].clone(),
        wordings: task.wordings.clone(),
        category: task.category.clone(),
        level: task.level.clone(),
        language: task.language.clone(),
        expected: task
            .accepted
            .first()
            .map_or_else(String::new, |accepted| difference(&task.before, accepted)),
        check: task.check.as_ref().map(|check| check.command.join(" ")),
    }
}

type Key = (String, String, String, u32);

fn key(row: &Row) -> Key {
    (
        row.model.clone(),
        row.strategy.clone(),
        row.task.clone(),
        row.run,
    )
}

/// Where the rows of this evaluation are kept until they are in a report.
fn journal(
    evaluation: &Evaluation,
    sources: &[Named],
    config: &EvalConfig,
    fresh: bool,
) -> Result<Journal, Failure> {
    let environment = |error: &dyn std::fmt::Display| Failure::new(FailureKind::Journal, error);
    let folder = folders::state().join("evals");
    make_private_folder(&folder)
        .map_err(|error| environment(&format!("cannot make {}: {error}", folder.display())))?;
    let Evaluation {
        version,
        models,
        strategies,
        runs,
        tasks,
        ..
    } = evaluation;
    // Another file under the same name is another model.
    let files: Vec<_> = sources.iter().map(Named::file).collect();
    let asked = (
        version,
        models,
        files,
        strategies,
        runs,
        tasks,
        (
            config.temperature,
            config.seed,
            config.asks_claim,
            config.time,
        ),
    );
    let asked = serde_json::to_vec(&asked).expect("text and numbers become JSON");
    let hash: String = Sha256::digest(asked)[..8]
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect();
    let path = folder.join(format!("{hash}.jsonl"));
    if fresh {
        let _ = std::fs::remove_file(&path);
    }
    Journal::open(&path, evaluation).map_err(|error| environment(&error))
}
