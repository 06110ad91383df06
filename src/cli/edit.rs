//! `slotwright edit`: the task to the flow, its patch to the gate.

use super::command;
use super::consent::ConsentArguments;
use super::exit::ExitCode;
use super::failure::{Failure, flow_failure};
use super::folders;
use super::judged::{self, Judged, Proposed};
use super::model;
use super::model_arguments::ModelArguments;
use super::progress::ProgressLine;
use super::recovery;
use super::report::{Output, Report, ShownReport, Status};
use super::reviewer::{self, Review, warning_reports};
use super::settings;
use super::terminal::{Answers, say};
use crate::config::{Color, Flags, InForce};
use crate::engine::Engine;
use crate::flow::steps::{Steps, edit_in_steps};
use crate::flow::{GenerateOptions, Session};
use crate::gate::Passed;
use crate::risk::{self, Risk};
use crate::task::Task;
use crate::workspace::Workspace;
use clap::Args;
use std::path::PathBuf;
use std::time::Instant;

pub(super) const ABOUT: &str = "Make the edit that a sentence asks for.

The model chooses one file and one operation (replace, replace everywhere in the file, insert, \
create), then fills in its slots: text that occurs in the file, and new text. The change is shown \
as a diff. On a terminal you are asked before anything is written; elsewhere nothing is written \
without --yes.

Some edits ask for a second look, which is said before the question: an edit that the model was \
unsure of, a rename to a name that the file has already, text that is replaced in parts of a long \
file that the model did not see, and a definition that is renamed while its uses keep the old name. \
--yes refuses to write such an edit.";

pub(super) const EXAMPLES: &str = "Examples:
  slotwright edit \"In sample.swift, rename the function processItem to handleItem everywhere.\"
  slotwright edit --file src/config.py --dry-run \"Change max_retries from 3 to 5\"
  slotwright edit --model http://127.0.0.1:8080/v1#qwen2.5-coder --file src/config.py \"...\"
  slotwright edit --model ~/models/qwen2.5-coder-7b-q4.gguf --yes --json \"...\" > result.json";

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
    #[command(flatten)]
    consent: ConsentArguments,
    /// Make up to N edits, in one file or several, until the model says that it is done (the
    /// bundled one does not: give the number of files); all are shown as one diff, and written
    /// together
    #[arg(long, value_name = "N", default_value_t = 1)]
    #[arg(value_parser = clap::value_parser!(u8).range(1..=20))]
    steps: u8,
    /// How sure the model has to be of what it wrote, from 0 to 1: below it you are warned, and
    /// --yes refuses. 0 never warns of an edit that changes something [default: 0.5 for the
    /// bundled model and 0.2 with an adapter of ours, both measured; 0.1, a guess, for others; or
    /// what config.toml says]
    #[arg(long, value_name = "X", value_parser = probability)]
    min_certainty: Option<f64>,
    /// What --yes writes in spite of a warning (repeatable): unsure (see --min-certainty; that
    /// there is nothing to do is then believed), merge (the new name is in the file already),
    /// unseen (it is replaced where the model did not look), leftover (a definition is renamed, and
    /// the old name is still in the file), breaks (the code no longer parses)
    #[arg(long, value_name = "WARNING", value_delimiter = ',')]
    #[arg(value_parser = Risk::ACCEPTABLE, hide_possible_values = true)]
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
    if (0.0..=1.0).contains(&value) { Ok(value) } else { Err("it must be from 0 to 1".to_owned()) }
}

impl EditArguments {
    /// The flags that are keys of the configuration too.
    fn flags(&self) -> Flags {
        let flags = self.model.flags().with("min_certainty", &self.min_certainty);
        flags.with("accept", &self.accept)
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
    let progress = ProgressLine::new();
    let prefixes = (!arguments.no_cache).then(folders::prefixes);
    let choice = arguments.model.choice(&config);
    let (mut engine, profile) = model::start(&choice, prefixes, &mut |p| progress.show(p)).await?;
    report.stats.model = engine.model().name.clone();
    report.stats.profile = profile.name().to_owned();
    report.stats.shown = ShownReport::of(&profile, engine.speed(), choice.patience);
    report.stats.computed_on = engine.model().computes_on.clone();
    let min_certainty = config.min_certainty.unwrap_or_else(|| risk::min_certainty(&profile));
    let shown_tokens = config.shown_tokens;
    let options = GenerateOptions { shown_tokens, ..GenerateOptions::new(profile) };
    report.stats.ms.load = started.elapsed().as_secs_f64() * 1e3;
    let max_steps = arguments.steps.into();
    let mut session = Session {
        workspace: &workspace,
        engine: &mut engine,
        options,
        progress: &mut |p| progress.show(p),
    };
    let steps = edit_in_steps(&task, &mut session, max_steps).await;
    progress.clear();
    for note in engine.take_notes() {
        say(&format!("slotwright: {note}"));
    }
    let steps = steps.map_err(flow_failure)?;
    let is_forced = engine.forces_answers();
    let judged = Judged { is_forced, min_certainty, accept: config.accept };
    report.stats.ms.total = started.elapsed().as_secs_f64() * 1e3;
    report.add_stages(&steps.stages);
    if arguments.stats {
        say(&report.stats.to_string());
    }
    // While the person reads the diff, what the model has read is kept for the next edit. After
    // that its memory is not needed.
    let keep = async {
        if !arguments.no_cache {
            // If this fails, the next edit reads everything again.
            let _ = engine.keep_read().await;
        }
        drop(engine);
    };
    let judged = (&judged, config.color);
    tokio::join!(conclude(arguments, &workspace, steps, judged, report), keep).0
}

/// Brings the edits to the gate.
async fn conclude(
    arguments: &EditArguments,
    workspace: &Workspace,
    steps: Steps,
    (judged, color): (&Judged, Color),
    report: &mut Report,
) -> Result<ExitCode, Failure> {
    if let Some(failed) = steps.failed {
        let claim = judged::without_edit(failed, judged)?;
        report.status = Status::AlreadyDone;
        say(&format!("slotwright: nothing to do: {claim}"));
        return Ok(ExitCode::Done);
    }
    let changes = steps.changes();
    report.add_edits(steps.edits.iter().map(|edit| &edit.patched), &changes);
    let proposed = Proposed::of(&steps.edits, &changes, judged, &arguments.task);
    report.warnings = warning_reports(&proposed.warnings);
    let review = Review {
        policy: arguments.consent.policy(),
        answers: Answers::FromInput,
        output: Output::of_flag(arguments.json),
        color,
        unasked_hint: "pass --yes to write, or --dry-run to only look",
    };
    report.status = match reviewer::pass(&proposed.proposal(), workspace, review).await? {
        Passed::WouldBeWritten => Status::WouldBeDone,
        Passed::Written => {
            if !arguments.json {
                say(&format!("slotwright: wrote {}", report.files.join(", ")));
            }
            Status::Done
        }
    };
    Ok(ExitCode::Done)
}
