//! `slotwright edit`: the task to the flow, its patch to the gate.

use super::command;
use super::consent::{ConsentArguments, accept_help};
use super::edit_count::EditCount;
use super::exit::ExitCode;
use super::failure::{Failure, flow_failure, say_error, workspace_failure};
use super::folders;
use super::judged::{self, Judged, Proposed};
use super::model_arguments::ModelArguments;
use super::progress::ProgressLine;
use super::recovery;
use super::report::{Output, Report, Status};
use super::reviewer::{self, CanAsk, Review, Reviewed, Wish, warning_reports};
use super::running_model::{self, Model};
use super::settings;
use super::terminal::{Answers, say};
use crate::config::{Config, InForce};
use crate::engine::{Engine, Sampling};
use crate::flow::steps::{self, Steps, steps_after};
use crate::flow::{self, GenerateOptions, Session, Stage, uses};
use crate::patched::FileChange;
use crate::review::{self, WarningKind, deletion};
use crate::search::named::{names_nothing_of, opening_file, paths_in};
use crate::slots::Operation;
use crate::task::{Context, Task};
use crate::text::line_bytes;
use crate::workspace::Workspace;
use clap::Args;
use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::time::Instant;

pub(super) const ABOUT: &str = "Make the edit that a sentence asks for.

The model chooses one file and one operation (replace, replace everywhere in the file, insert, \
create), then fills in its slots: text that occurs in the file, and new text. The change is shown \
as a diff. On a terminal you are asked before anything is written, and can take some of its hunks, \
edit the new text, have the model go on, or have another answer; elsewhere nothing is written \
without --yes.

Some edits ask for a second look, which is said before the question: an edit that the model was \
unsure of, a rename to a name that the file has already, text that is replaced in parts of a long \
file that the model did not see, a definition that is renamed while its uses keep the old name, new \
text that says that code was left out, lines taken out of a file that the task may want deleted, \
and code that no longer parses. --yes refuses to write such \
an edit.";

pub(super) const EXAMPLES: &str = "Examples:
  slotwright edit \"In sample.swift, rename the function processItem to handleItem everywhere.\"
  slotwright edit --file src/config.py --dry-run \"Change max_retries from 3 to 5\"
  slotwright edit --model http://127.0.0.1:8080/v1#qwen2.5-coder --file src/config.py \"...\"
  slotwright edit --model ~/models/qwen2.5-coder-7b-q4.gguf --yes --json \"...\" > result.json";

const KEPT: &str = "the engine is kept while it may be asked";

/// Beginnings of other answers that are kept of a question, while a person may want another one.
const BRANCHES: usize = 8;

/// The most answers that are asked for to find another edit.
const MOST_ANSWERS: usize = 6;

/// How freely another answer is chosen, try by try, where the model does not say what it nearly
/// wrote: a sure one seldom says anything else at 1.
const TEMPERATURES: [f32; 4] = [0.8, 1.0, 1.3, 1.6];

/// What `slotwright edit` is told.
#[derive(Debug, Args)]
pub(super) struct EditArguments {
    /// What is to be changed, in your words
    task: String,
    /// The folder to edit; nothing outside it is edited, nor shown to the model
    #[arg(long, value_name = "DIR", default_value = ".")]
    root: PathBuf,
    /// Only this file (repeatable); relative to --root. Hidden and ignored files may be named
    #[arg(long = "file", value_name = "PATH")]
    files: Vec<String>,
    /// Only these lines of the file may change, counted from 1, the last one included; needs one
    /// --file
    #[arg(long, value_name = "A-B", value_parser = line_numbers, requires = "files")]
    lines: Option<RangeInclusive<usize>>,
    #[command(flatten)]
    consent: ConsentArguments,
    /// Make up to N edits, in one file or several, until the model says that it is done (the
    /// bundled one does not: give the number of edits); all are shown as one diff, and written
    /// together. A-B: at least A and up to B, where you know that one is not all [default: 8 with
    /// an adapter of ours, and 1 for other models]
    #[arg(long, value_name = "N")]
    steps: Option<EditCount>,
    /// How sure the model has to be of what it wrote, from 0 to 1: below it you are warned, and
    /// --yes refuses. 0 never warns of an edit that changes something [default: 0.5 for the
    /// bundled model and 0.35 with an adapter of ours, both measured; 0.1, a guess, for others; or
    /// what config.toml says]
    #[arg(long, value_name = "X", value_parser = probability)]
    min_certainty: Option<f64>,
    #[arg(long, value_name = "WARNING", value_delimiter = ',')]
    #[arg(help = accept_help(&WarningKind::OF_EDITS), hide_possible_values = true)]
    #[arg(value_parser = WarningKind::OF_EDITS.map(WarningKind::word))]
    accept: Vec<String>,
    /// Print one JSON object instead of a diff
    #[arg(long)]
    json: bool,
    /// Print what the model wrote and what it took
    #[arg(long)]
    stats: bool,
    /// Read everything anew, and keep nothing of what the model read for later edits
    #[arg(long)]
    no_cache: bool,
    #[command(flatten)]
    model: ModelArguments,
}

pub(super) fn probability(text: &str) -> Result<f64, String> {
    let value: f64 = text.parse().map_err(|_| "it is not a number".to_owned())?;
    if (0.0..=1.0).contains(&value) {
        Ok(value)
    } else {
        Err("it must be from 0 to 1".to_owned())
    }
}

fn line_numbers(text: &str) -> Result<RangeInclusive<usize>, String> {
    let number = |text: &str| {
        text.trim()
            .parse::<usize>()
            .ok()
            .filter(|number| *number > 0)
    };
    let (first, last) = text.split_once('-').unwrap_or((text, text));
    match (number(first), number(last)) {
        (Some(first), Some(last)) if first <= last => Ok(first..=last),
        (Some(first), Some(last)) => Err(format!("{first} comes after {last}")),
        _ => Err("give a line or two, as in 12-20".to_owned()),
    }
}

impl EditArguments {
    /// The flags that are keys of the configuration too.
    fn flags(&self) -> Config {
        Config {
            min_certainty: self.min_certainty,
            accept: self.accept.clone(),
            ..self.model.flags()
        }
    }
}

pub(super) fn run(arguments: &EditArguments) -> ExitCode {
    command::run(Output::of_flag(arguments.json), "edit", async |report| {
        edit(arguments, report).await
    })
}

async fn edit(arguments: &EditArguments, report: &mut Report) -> Result<ExitCode, Failure> {
    let started = Instant::now();
    let task = Task::new(&arguments.task, arguments.files.clone()).map_err(|error| {
        Failure::new(ExitCode::Usage, "empty_task", error)
            .hint("say what is to be changed: slotwright edit \"Rename foo to bar\"")
    })?;
    let (workspace, InForce { config, .. }) = settings::open(&arguments.root, arguments.flags())?;
    if !arguments.consent.dry_run {
        // The model must see whole what an interrupted program left half done. If another program
        // is writing there now, the gate will say so.
        let _ = recovery::open_journal(&workspace);
    }
    let task = match &arguments.lines {
        Some(lines) => within_lines(task, lines, arguments.steps, &workspace)?,
        None => task,
    };
    let progress = ProgressLine::new();
    let prefixes = (!arguments.no_cache).then(folders::prefixes);
    let choice = arguments.model.choice(&config);
    let (engine, profile) =
        running_model::start(&choice, prefixes, &mut |p| progress.show(p)).await?;
    progress.clear();
    report.stats.model = engine.model().name.clone();
    report.stats.profile = profile.name().to_owned();
    report.stats.shown_tokens = profile.budget().shown_tokens;
    report.stats.computed_on = engine.model().computes_on.clone();
    let min_certainty = config
        .min_certainty
        .unwrap_or_else(|| review::min_certainty(&profile));
    let judged = Judged {
        is_forced: engine.forces_answers(),
        min_certainty,
        accept: config.accept,
    };
    let options = GenerateOptions::new(profile);
    report.stats.ms.load = started.elapsed().as_secs_f64() * 1e3;
    let mut asker = Asker {
        arguments,
        workspace: &workspace,
        options,
        judged,
        report,
        started,
        answers: None,
        n_random: 0,
    };
    let mut engine = Some(engine);
    let review = Review {
        policy: arguments.consent.policy(),
        answers: Answers::FromInput,
        output: Output::of_flag(arguments.json),
        color: config.color,
        unasked_hint: "pass --yes to write, or --dry-run to only look",
        can_ask: CanAsk::Again,
        if_changed: None,
    };
    asker.options.branches = if review.may_ask_again() { BRANCHES } else { 0 };
    let steps = asker.ask(&task, &mut engine).await?;
    if let Some(failed) = steps.failed {
        if let (Some(engine), false) = (&mut engine, arguments.no_cache) {
            // The same task is often said again, in other words.
            let _ = engine.keep_read().await;
        }
        let claim = judged::without_edit(failed, &asker.judged)
            .map_err(|failure| with_deletion(failure, &task, &workspace))?;
        asker.report.status = Status::AlreadyDone;
        say(&format!("slotwright: nothing to do: {claim}"));
        return Ok(ExitCode::Done);
    }
    let mut offer = Offer { task, steps };
    let mut seen = vec![offer.after()];
    loop {
        // While the person reads the diff, what the model has read is kept for the next edit.
        let keep = async {
            if let (Some(engine), false) = (&mut engine, arguments.no_cache) {
                // If this fails, the next edit reads everything again.
                let _ = engine.keep_read().await;
            }
            if !review.may_ask_again() {
                engine = None; // its memory is not needed any more
            }
        };
        let can_go_on = offer.steps.can_go_on();
        let can_ask = if can_go_on {
            CanAsk::AgainOrMore
        } else {
            CanAsk::Again
        };
        let offered = async {
            let reviewed = asker.offer(&offer, Review { can_ask, ..review }).await;
            if matches!(reviewed, Ok(Reviewed::Written(_))) {
                asker.report.status = Status::Done; // even if what follows is interrupted
            }
            reviewed
        };
        let reviewed = tokio::join!(offered, keep).0?;
        match reviewed {
            Reviewed::WouldBeWritten => asker.report.status = Status::WouldBeDone,
            Reviewed::Written(written) => {
                if !arguments.json {
                    say(&format!("slotwright: {written}"));
                }
            }
            Reviewed::Again(wish) => {
                if !asker
                    .ask_again(wish, &mut offer, &mut seen, &mut engine)
                    .await?
                {
                    say("slotwright: this is the edit from before");
                }
                continue;
            }
        }
        return Ok(ExitCode::Done);
    }
}

/// Says how a file is deleted, where the task names a file and nothing in it.
fn with_deletion(failure: Failure, task: &Task, workspace: &Workspace) -> Failure {
    let is_meant = |path: &&str| {
        let text = workspace.read(path);
        text.is_ok_and(|text| names_nothing_of(task.sentence(), path, text.shown()))
    };
    match paths_in(task.sentence()).find(is_meant) {
        Some(path) => failure.hint(format!("no task deletes a file; {} does", deletion(path))),
        None => failure,
    }
}

/// Whether a task names files, and not all that have uses of a changed name.
fn is_beyond_named(task: &Task, changes: &[FileChange], uses: &[FileChange]) -> bool {
    let Some(file) = opening_file(task.sentence()) else {
        return !task.files().is_empty();
    };
    let is_named = |change: &FileChange| file.names(&change.path) || file.also_names(&change.path);
    !task.files().is_empty() || (changes.iter().any(is_named) && !uses.iter().all(is_named))
}

/// Says that other files get the new name too.
fn also_renamed(old: &str, uses: &[FileChange]) -> String {
    let (n, s) = (uses.len(), if uses.len() == 1 { "" } else { "s" });
    let paths: Vec<&str> = uses.iter().map(|change| change.path.as_str()).collect();
    let paths = paths.join(", ");
    format!(
        "slotwright: {old} is used in {n} other file{s} ({paths}), where the model left it: \
         the new name is put there too"
    )
}

/// The longest text of the lines that may change that a model is told beside its task, in bytes.
const MAX_LINES_TOLD: usize = 2_000;

/// Of longer lines the first and the last one are told, cut to so many characters.
const MAX_LINE_TOLD: usize = 200;

/// Limits a task to some lines of its file.
fn within_lines(
    task: Task,
    lines: &RangeInclusive<usize>,
    steps: Option<EditCount>,
    workspace: &Workspace,
) -> Result<Task, Failure> {
    let usage = |message: String| Failure::new(ExitCode::Usage, "lines", message);
    let [file] = task.files() else {
        return Err(usage("--lines needs one --file, not several".to_owned()));
    };
    if steps.is_some_and(|steps| steps.most > 1) {
        let message = "--lines is for one edit: after it, lines have other numbers";
        return Err(usage(message.to_owned()).hint("leave --steps out"));
    }
    let path = workspace.resolve_named(file).map_err(workspace_failure)?;
    let text = workspace.read(&path).map_err(workspace_failure)?;
    let n_lines = text.shown().lines().count();
    if *lines.end() > n_lines {
        let s = if n_lines == 1 { "" } else { "s" };
        return Err(usage(format!(
            "{path} has {n_lines} line{s}, and --lines goes to {}",
            lines.end()
        )));
    }
    let within = text.shown()[line_bytes(text.shown(), lines)].trim_end();
    let told = match within.len() {
        0..=MAX_LINES_TOLD => within.to_owned(),
        _ => {
            let cut = |line: &str| line.chars().take(MAX_LINE_TOLD).collect::<String>();
            let first = cut(within.lines().next().unwrap_or_default());
            let last = within.lines().skip(1).last().map(cut);
            [Some(first), last]
                .into_iter()
                .flatten()
                .collect::<Vec<_>>()
                .join("\n...\n")
        }
    };
    let context = Context {
        notes: format!("Change nothing but these lines of {path}:\n{told}"),
        operations: Operation::possible_in(within),
        lines: Some(lines.clone()),
        ..task.context().clone()
    };
    Ok(task.within(context))
}

/// Edits that were made, and the task that they were made for.
struct Offer {
    task: Task,
    steps: Steps,
}

impl Offer {
    /// Whether a file would no longer parse.
    fn breaks(&self) -> bool {
        let changes = self.steps.changes();
        changes.iter().any(|it| review::change_breaks(it).is_some())
    }

    /// The files as they would be. Two offers with the same are the same.
    fn after(&self) -> Vec<(String, Vec<u8>)> {
        self.steps
            .changes()
            .into_iter()
            .map(|change| (change.path, change.after))
            .collect()
    }
}

/// Asks the model, and the person.
struct Asker<'a> {
    arguments: &'a EditArguments,
    workspace: &'a Workspace,
    options: GenerateOptions,
    judged: Judged,
    report: &'a mut Report,
    started: Instant,
    /// To the task of the edit that is offered.
    answers: Option<flow::Answers>,
    /// Random answers that were asked for.
    n_random: u64,
}

impl Asker<'_> {
    /// Asks for the likeliest answer to a task.
    async fn ask(&mut self, task: &Task, engine: &mut Option<Model>) -> Result<Steps, Failure> {
        let before = self.answers.take();
        let steps = self.next(task, Sampling::Greedy, engine).await;
        if !matches!(&steps, Ok(Some(Steps { failed: None, .. }))) {
            self.answers = before; // the edit from before stays on offer
        }
        Ok(steps?.expect("there is a first answer"))
    }

    /// Asks for the next likeliest answer, or for a random one. None: there is no other.
    async fn next(
        &mut self,
        task: &Task,
        sampling: Sampling,
        engine: &mut Option<Model>,
    ) -> Result<Option<Steps>, Failure> {
        let engine = engine.as_mut().expect(KEPT);
        self.workspace.forget_pending();
        let progress = ProgressLine::new();
        let options = self.options(sampling);
        let mut session = Session {
            workspace: self.workspace,
            engine: &mut *engine,
            options,
            progress: &mut |p| progress.show(p),
        };
        let answers = &mut self.answers;
        let steps = async {
            let first = match sampling {
                Sampling::Random { .. } => {
                    session.options.branches = 0;
                    Some(flow::edit(task, &mut session).await?)
                }
                Sampling::Greedy => {
                    let answers = match answers {
                        Some(answers) => answers,
                        None => {
                            answers.insert(flow::Answers::to(task.clone(), &mut session).await?)
                        }
                    };
                    answers.next(&mut session).await?
                }
            };
            let Some(first) = first else { return Ok(None) };
            session.options.branches = 0;
            steps_after(task, first, &mut session).await.map(Some)
        };
        let steps = steps.await;
        progress.clear();
        let stages = steps
            .as_ref()
            .ok()
            .and_then(Option::as_ref)
            .map(|steps| &steps.stages[..]);
        self.record(engine, stages);
        steps.map_err(flow_failure)
    }

    /// Has the model go on with its answer.
    async fn go_on(
        &mut self,
        offer: &mut Offer,
        engine: &mut Option<Model>,
    ) -> Result<(), Failure> {
        let engine = engine.as_mut().expect(KEPT);
        let progress = ProgressLine::new();
        let options = GenerateOptions {
            branches: 0,
            ..self.options(Sampling::Greedy)
        };
        let mut session = Session {
            workspace: self.workspace,
            engine: &mut *engine,
            options,
            progress: &mut |p| progress.show(p),
        };
        let n_before = offer.steps.stages.len();
        let gone = steps::go_on(&offer.task, &mut offer.steps, &mut session).await;
        progress.clear();
        self.record(engine, Some(&offer.steps.stages[n_before..]));
        gone.map_err(flow_failure)
    }

    fn options(&self, sampling: Sampling) -> GenerateOptions {
        let steps = self.arguments.steps;
        GenerateOptions {
            sampling,
            most_edits: steps.map(|steps| steps.most),
            least_edits: steps.map_or(1, |steps| steps.least),
            ..self.options.clone()
        }
    }

    /// Says and reports what came of asking. `stages`: none if it failed.
    fn record(&mut self, engine: &mut Model, stages: Option<&[Stage]>) {
        for note in engine.take_notes() {
            say(&format!("slotwright: {note}"));
        }
        let Some(stages) = stages else { return };
        self.report.stats.ms.total = self.started.elapsed().as_secs_f64() * 1e3;
        self.report.add_stages(stages);
        if self.arguments.stats {
            say(&self.report.stats.to_string());
        }
    }

    /// Brings the edits to the gate.
    async fn offer(&mut self, offer: &Offer, review: Review) -> Result<Reviewed, Failure> {
        let Offer { task, steps } = offer;
        let mut changes = steps.changes();
        // Answers that were passed over are pending no more.
        self.workspace.forget_pending();
        let mut uses = uses::elsewhere(&steps.edits, &changes, self.workspace, task);
        let mut remark = None;
        if let Some(uses) = uses.as_mut().filter(|uses| !uses.changes.is_empty()) {
            // Whoever sees them can leave them out. Whoever named files meant no others.
            if review.may_ask_again() && !is_beyond_named(task, &changes, &uses.changes) {
                let offered = std::mem::take(&mut uses.changes);
                remark = Some(also_renamed(&uses.kept.old, &offered));
                changes.retain(|change| offered.iter().all(|it| it.path != change.path));
                changes.extend(offered);
            }
        }
        self.report
            .add_edits(steps.edits.iter().map(|edit| &edit.patched), &changes);
        let mut proposed = Proposed::of(&steps.edits, &changes, &self.judged, task.sentence());
        proposed.warn_of_uses(uses, &self.judged);
        proposed.remarks.extend(remark);
        proposed.remarks.extend(judged::unfinished(steps));
        self.report.warnings = warning_reports(&proposed.warnings);
        reviewer::pass(&proposed.proposal(), self.workspace, review).await
    }

    /// Makes another offer, if the model has one: whether it is another. `seen`: what was offered
    /// before.
    async fn ask_again(
        &mut self,
        wish: Wish,
        offer: &mut Offer,
        seen: &mut Vec<Vec<(String, Vec<u8>)>>,
        engine: &mut Option<Model>,
    ) -> Result<bool, Failure> {
        let task = &offer.task;
        match wish {
            Wish::More => {
                let before = offer.after();
                // The edits before stand in any case.
                if let Err(failure) = self.go_on(offer, engine).await {
                    say_error(&failure.error);
                }
                let after = offer.after();
                let is_other = after != before;
                if is_other {
                    seen.push(after);
                }
                Ok(is_other)
            }
            Wish::Reworded(sentence) => {
                let context = task.context().clone();
                let task = Task::new(&sentence, task.files().to_vec());
                let task = task.expect("the person typed something").within(context);
                let steps = match self.ask(&task, engine).await {
                    Err(failure) if failure.code != ExitCode::Environment => {
                        say_error(&failure.error);
                        return Ok(false);
                    }
                    steps => steps?,
                };
                if let Some(failed) = steps.failed {
                    match judged::without_edit(failed, &self.judged) {
                        Ok(claim) => say(&format!("slotwright: nothing to do: {claim}")),
                        Err(failure) => say_error(&failure.error),
                    }
                    return Ok(false);
                }
                *offer = Offer { task, steps };
                seen.push(offer.after());
                Ok(true)
            }
            Wish::Another => {
                let mut broken = None;
                let mut failed = None;
                let mut set_aside = offer.steps.set_aside.take();
                // Others each time, and the same ones in every run.
                let seeds = self.n_random + 1..;
                let random = TEMPERATURES
                    .into_iter()
                    .zip(seeds)
                    .map(|(temperature, seed)| Sampling::Random { temperature, seed });
                let mut ways = std::iter::repeat_n(Sampling::Greedy, MOST_ANSWERS).chain(random);
                let mut n_others = 0;
                while let Some(sampling) = ways.next().filter(|_| n_others < MOST_ANSWERS) {
                    self.n_random += u64::from(sampling != Sampling::Greedy);
                    let next = match set_aside.take() {
                        Some(steps) => Ok(Some(*steps)),
                        None => self.next(task, sampling, engine).await,
                    };
                    let steps = match next {
                        // This answer cannot be asked for; the edit under review stays.
                        Err(failure) if failure.code != ExitCode::Environment => {
                            failed = Some(failure);
                            continue;
                        }
                        steps => steps?,
                    };
                    let Some(steps) = steps else { continue };
                    n_others += 1;
                    let other = Offer {
                        task: task.clone(),
                        steps,
                    };
                    let after = other.after();
                    if other.steps.failed.is_some() || seen.contains(&after) {
                        continue;
                    }
                    seen.push(after);
                    if !other.breaks() {
                        *offer = other;
                        return Ok(true);
                    }
                    // Better than none, if there is no other.
                    broken = broken.or(Some(other));
                }
                if let Some(other) = broken {
                    *offer = other;
                    return Ok(true);
                }
                match failed.filter(|_| n_others == 0) {
                    Some(failure) => say_error(&failure.error),
                    None => {
                        say(&format!(
                            "slotwright: {n_others} more answers were no other edit"
                        ));
                    }
                }
                Ok(false)
            }
        }
    }
}
