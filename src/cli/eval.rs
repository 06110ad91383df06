//! `slotwright eval`: suites, models and strategies in, a table and reports out.

use super::command::{self, CommandReport};
use super::failure::Failure;
use super::gate::output_failure;
use super::model::{self, Model};
use super::report::{ErrorReport, Status};
use super::{EvalArguments, EvalCommand, ExitCode, ModelArguments, folders, say};
use crate::engine::Engine;
use crate::engine::openai::OpenAi;
use crate::eval::EvalConfig;
use crate::eval::checks::Checks;
use crate::eval::record::{self, Evaluation, Journal, ModelRecord, Problem, Row, TaskRecord};
use crate::eval::report::{self, compare, table};
use crate::eval::run::{self, Job, Source};
use crate::eval::strategy::Strategy;
use crate::eval::suite;
use crate::eval::task::{EvalTask, Suites};
use crate::eval::tree::difference;
use crate::prompt::Profile;
use crate::sandbox::{Sandbox, SandboxOptions};
use crate::workspace::private_folder::make_private_folder;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use serde::Serialize;
use sha2::{Digest, Sha256};
use std::cell::RefCell;
use std::collections::{BTreeMap, HashSet};
use std::io::Write;
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

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

pub(super) fn run(arguments: &EvalArguments) -> ExitCode {
    command::run::<Evaluated>(false, "evaluation", async |_| match &arguments.command {
        Some(EvalCommand::Compare { first, second }) => compare(first, second),
        None => evaluate(arguments).await,
    })
}

fn compare(first: &std::path::Path, second: &std::path::Path) -> Result<ExitCode, Failure> {
    let usage = |error: &dyn std::fmt::Display| Failure::new(ExitCode::Usage, "report", error);
    let first = record::read(first).map_err(|error| usage(&error))?;
    let second = record::read(second).map_err(|error| usage(&error))?;
    let comparison = compare::compare(&first, &second).map_err(|error| usage(&error))?;
    print(&comparison.to_string())?;
    Ok(ExitCode::Done)
}

fn print(text: &str) -> Result<(), Failure> {
    let mut stdout = std::io::stdout().lock();
    stdout
        .write_all(text.as_bytes())
        .and_then(|()| stdout.flush())
        .map_err(|error| output_failure(&error, "the reports were written"))
}

async fn evaluate(arguments: &EvalArguments) -> Result<ExitCode, Failure> {
    let usage =
        |kind: &str, error: &dyn std::fmt::Display| Failure::new(ExitCode::Usage, kind, error);
    for path in &arguments.reports {
        // Before hours are spent on what cannot be written.
        report::ReportFormat::of(path).map_err(|error| usage("report", &error))?;
        if let Some(folder) =
            path.parent().filter(|folder| !folder.as_os_str().is_empty() && !folder.is_dir())
        {
            let message = format!(
                "the report {} cannot be written: there is no folder {}",
                path.display(),
                folder.display()
            );
            return Err(usage("report", &message).hint("make it first, or name a report elsewhere"));
        }
    }
    let Suites { tasks, broken } = tasks(arguments)?;
    let program = std::env::current_exe()
        .map_err(|error| Failure::new(ExitCode::Environment, "environment", error))?;
    let options = SandboxOptions { allow_none: arguments.no_sandbox, ..SandboxOptions::default() };
    let config = EvalConfig {
        temperature: arguments.temperature,
        seed: arguments.seed,
        time: Duration::from_secs(arguments.time.into()),
        gives_pick: arguments.oracle.is_some(),
        asks_claim: arguments.ask_claim,
        checks: Checks { program, options },
    };
    if tasks.iter().any(|task| task.check.is_some()) {
        let nothing = tempfile::tempdir()
            .map_err(|error| Failure::new(ExitCode::Environment, "environment", error))?;
        let sandbox = Sandbox::of(nothing.path(), &config.checks.program, &config.checks.options)
            .map_err(|error| {
            Failure::new(ExitCode::Environment, "sandbox", error)
                .hint("--no-sandbox runs the checks where nothing confines them")
        })?;
        say(&format!(
            "slotwright: checks run in throw-away copies, confined by: {}",
            sandbox.isolation()
        ));
    }
    let mut strategies = arguments
        .strategies
        .iter()
        .map(|name| Strategy::of_name(name).expect("clap knows them"))
        .collect();
    dedup(&mut strategies);
    let sources = sources(arguments);
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
        tasks: tasks.iter().map(task_record).collect(),
        results: Vec::new(),
        problems: broken
            .into_iter()
            .map(|broken| Problem { task: broken.task, message: broken.reason })
            .collect(),
    };
    for source in &sources {
        evaluation
            .models
            .push(ModelRecord { name: source.name.clone(), description: source.describe().await? });
    }
    let mut journal = journal(&evaluation, &sources, &config, arguments.fresh)?;
    let mut done: HashSet<_> = journal.rows().iter().map(key).collect();
    let n_tasks = |strategy: &Strategy| tasks.iter().filter(|task| is_for(*strategy, task)).count();
    let n_all =
        sources.len() * strategies.iter().map(n_tasks).sum::<usize>() * usize::from(arguments.runs);
    if !done.is_empty() {
        say(&format!(
            "slotwright: {} of {n_all} runs were made before; --fresh makes them again",
            done.len()
        ));
    }
    let progress = Running::new(n_all, journal.rows());
    for source in &sources {
        let mut jobs = Vec::new();
        let labels: Vec<String> =
            strategies.iter().map(|strategy| label(*strategy, source, &config)).collect();
        for (&strategy, label) in strategies.iter().zip(&labels) {
            for task in tasks.iter().filter(|task| is_for(strategy, task)) {
                for run in 1..=u32::from(arguments.runs) {
                    let job = Job { strategy, label, task, run };
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
        let notes = source.server.borrow().as_ref().map(OpenAi::take_notes).unwrap_or_default();
        for note in notes {
            progress.say(&format!("slotwright: {note}"));
        }
        if let Err(message) = ran {
            progress.say(&format!("slotwright: {}: {message}", source.name));
            evaluation.problems.push(Problem { task: source.name.clone(), message });
        }
    }
    progress.clear();
    evaluation.results = sorted(journal.rows(), &evaluation);
    evaluation.problems.extend(run::problems(&evaluation.results));
    let is_whole = evaluation.results.len() == n_all;
    conclude(arguments, &evaluation, journal, is_whole)
}

/// The same order, however often it was interrupted and whatever was run at once.
fn sorted(rows: &[Row], evaluation: &Evaluation) -> Vec<Row> {
    let places = |names: Vec<&str>| -> BTreeMap<String, usize> {
        names.into_iter().enumerate().map(|(i, name)| (name.to_owned(), i)).collect()
    };
    let models = places(evaluation.models.iter().map(|model| model.name.as_str()).collect());
    let strategies = places(evaluation.strategies.iter().map(String::as_str).collect());
    let mut rows = rows.to_vec();
    rows.sort_by(|a, b| {
        let place =
            |row: &Row| (models.get(&row.model).copied(), strategies.get(&row.strategy).copied());
        place(a).cmp(&place(b)).then_with(|| (&a.task, a.run).cmp(&(&b.task, b.run)))
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
    print(&table::render(evaluation, width))?;
    for path in &arguments.reports {
        report::write(evaluation, path).map_err(|error| {
            let failure = Failure::new(ExitCode::Environment, "report", error);
            failure
                .hint("the runs are kept: the same command with another --report writes them there")
        })?;
    }
    if evaluation.results.is_empty() {
        let message = "nothing was run";
        return Err(Failure::new(ExitCode::Environment, "nothing_run", message)
            .hint("see the problems above"));
    }
    if arguments.reports.is_empty() {
        say(
            "slotwright: --report FILE.html, .md or .json keeps more than this table; the same command writes it without running again",
        );
    } else if is_whole {
        journal.remove();
    } else {
        say(
            "slotwright: some runs were not made (see the problems); the same command makes them, and keeps the others",
        );
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
            let failure = Failure::new(ExitCode::Usage, "suite", error);
            failure.hint("--suite takes a bundled suite, a folder, or a file of HumanEvalFix or EditEval (JSON, one a line)")
        })?;
        all.tasks.extend(read.tasks);
        all.broken.extend(read.broken);
    }
    let mut seen = HashSet::new();
    all.tasks.retain(|task| seen.insert(task.name.clone()));
    if let Some(part) = &arguments.task {
        all.tasks.retain(|task| task.name.contains(part.as_str()));
        if all.tasks.is_empty() {
            return Err(Failure::new(
                ExitCode::Usage,
                "suite",
                format!("no task's name has {part:?} in it"),
            ));
        }
    }
    Ok(all)
}

fn dedup(strategies: &mut Vec<Strategy>) {
    let mut seen = HashSet::new();
    strategies.retain(|strategy| seen.insert(*strategy));
}

/// What a strategy is called in the record. A server cannot force the slots: what its model writes
/// is located.
fn label(strategy: Strategy, source: &Named, config: &EvalConfig) -> String {
    let server = if strategy == Strategy::Slots && model::is_server(&source.arguments.model) {
        "-server"
    } else {
        ""
    };
    let pick = if config.gives_pick { "+pick" } else { "" };
    format!("{}{server}{pick}", strategy.name())
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
    (row.model.clone(), row.strategy.clone(), row.task.clone(), row.run)
}

/// Where the rows of this evaluation are kept until they are in a report.
fn journal(
    evaluation: &Evaluation,
    sources: &[Named],
    config: &EvalConfig,
    fresh: bool,
) -> Result<Journal, Failure> {
    let environment =
        |error: &dyn std::fmt::Display| Failure::new(ExitCode::Environment, "journal", error);
    let folder = folders::state().join("evals");
    make_private_folder(&folder)
        .map_err(|error| environment(&format!("cannot make {}: {error}", folder.display())))?;
    let Evaluation { version, models, strategies, runs, tasks, .. } = evaluation;
    // Another file under the same name is another model.
    let files: Vec<_> = sources.iter().map(Named::file).collect();
    let asked = (
        version,
        models,
        files,
        strategies,
        runs,
        tasks,
        (config.temperature, config.seed, config.asks_claim, config.time),
    );
    let asked = serde_json::to_vec(&asked).expect("text and numbers become JSON");
    let hash: String =
        Sha256::digest(asked)[..8].iter().map(|byte| format!("{byte:02x}")).collect();
    let path = folder.join(format!("{hash}.jsonl"));
    if fresh {
        let _ = std::fs::remove_file(&path);
    }
    Journal::open(&path, evaluation).map_err(|error| environment(&error))
}

/// A model as the command line names it.
struct Named {
    name: String,
    arguments: ModelArguments,
    /// On a server as many answers at once as were asked for; a process gives one.
    jobs: usize,
    /// What has been learned of a server serves all who ask it.
    server: RefCell<Option<OpenAi>>,
}

fn sources(arguments: &EvalArguments) -> Vec<Named> {
    let mut seen = HashSet::new();
    let references = arguments.models.iter().filter(|reference| seen.insert(reference.as_str()));
    let named = |reference: &String| Named {
        name: name_of(reference),
        arguments: ModelArguments { model: reference.clone(), process: arguments.process.clone() },
        jobs: if model::is_server(reference) { arguments.jobs.into() } else { 1 },
        server: RefCell::default(),
    };
    let mut sources: Vec<Named> = references.map(named).collect();
    // Files of one name in several folders are told apart by their paths.
    let names: Vec<String> = sources.iter().map(|source| source.name.clone()).collect();
    for source in &mut sources {
        if names.iter().filter(|name| **name == source.name).count() > 1 {
            source.name.clone_from(&source.arguments.model);
        }
    }
    sources
}

/// A file's name says enough, and where it lies is nobody's business in a report.
fn name_of(reference: &str) -> String {
    if model::is_server(reference) {
        return reference.to_owned();
    }
    PathBuf::from(reference)
        .file_name()
        .map_or_else(|| reference.to_owned(), |name| name.to_string_lossy().into_owned())
}

impl Named {
    async fn model(&self) -> Result<Model, Failure> {
        if !model::is_server(&self.arguments.model) {
            return model::start_to_be_measured(&self.arguments).await;
        }
        let known = self.server.borrow().clone();
        let server = match known {
            Some(server) => server,
            None => model::connect(&self.arguments).await?,
        };
        *self.server.borrow_mut() = Some(server.clone());
        Ok(Model::Server(server))
    }

    /// How large its file is, and when it was written last.
    fn file(&self) -> Option<(u64, Option<SystemTime>)> {
        let metadata = std::fs::metadata(&self.arguments.model).ok()?;
        Some((metadata.len(), metadata.modified().ok()))
    }

    /// Its own name and what computes it.
    async fn describe(&self) -> Result<String, Failure> {
        let model = self.model().await?;
        let info = model.model();
        Ok(if info.computes_on.is_empty() {
            info.name.clone()
        } else {
            format!("{} on {}", info.name, info.computes_on)
        })
    }
}

impl Source for Named {
    type Engine = Model;

    fn name(&self) -> &str {
        &self.name
    }

    fn jobs(&self) -> usize {
        self.jobs
    }

    async fn start(&self) -> Result<(Model, Profile), String> {
        let model = self.model().await.map_err(|failure| failure.error.message)?;
        let (profile, _) = Profile::of(model.model()).map_err(|error| error.to_string())?;
        Ok((model, profile))
    }
}

/// By model and strategy: runs passed, and all.
type Totals = BTreeMap<String, (usize, usize)>;

/// How far it has come: a bar and running totals on a terminal, a line now and then elsewhere.
struct Running {
    bar: ProgressBar,
    n_all: usize,
    /// Runs, and of each model and strategy those passed and all.
    counts: RefCell<(usize, Totals)>,
}

impl Running {
    fn new(n_all: usize, before: &[Row]) -> Running {
        let bar = ProgressBar::with_draw_target(Some(n_all as u64), ProgressDrawTarget::stderr());
        let style = ProgressStyle::with_template("{bar:30} {pos}/{len}, {eta} left  {msg}")
            .expect("a fixed template");
        bar.set_style(style);
        let running = Running { bar, n_all, counts: RefCell::default() };
        for row in before {
            running.count(row);
        }
        running.bar.set_position(before.len() as u64);
        // The time left is that of what is run now.
        running.bar.reset_eta();
        running
    }

    fn count(&self, row: &Row) {
        let mut counts = self.counts.borrow_mut();
        counts.0 += 1;
        let of = counts.1.entry(format!("{} {}", row.model, row.strategy)).or_default();
        of.0 += usize::from(row.passed);
        of.1 += 1;
    }

    fn add(&self, row: &Row) {
        self.count(row);
        let totals = {
            let counts = self.counts.borrow();
            let total = |(name, (passed, all)): (&String, &(usize, usize))| {
                format!("{name} {passed}/{all}")
            };
            counts.1.iter().map(total).collect::<Vec<_>>().join(", ")
        };
        self.bar.set_message(totals.clone());
        self.bar.inc(1);
        let n = self.counts.borrow().0;
        if self.bar.is_hidden() && (n.is_multiple_of(100) || n == self.n_all) {
            say(&format!("slotwright: {n} of {} runs: {totals}", self.n_all));
        }
    }

    fn say(&self, text: &str) {
        self.bar.suspend(|| say(text));
    }

    fn clear(&self) {
        self.bar.finish_and_clear();
    }
}
