//! `slotwright edit`: the task to the flow, its patch to the gate.

use super::command;
use super::consent::ConsentArguments;
use super::exit::ExitCode;
use super::failure::{Failure, flow_failure};
use super::folders;
use super::model;
use super::model_arguments::ModelArguments;
use super::progress::ProgressLine;
use super::recovery;
use super::report::{Output, Report, ShownReport, Status};
use super::reviewer::{self, Review, warning_reports};
use super::settings;
use super::terminal::{Answers, say};
use crate::config::{Color, Flags, InForce};
use crate::engine::{End, Engine};
use crate::flow::steps::{FailedStep, FileChange, StepEdit, Steps, edit_in_steps};
use crate::flow::{GenerateOptions, MechanicsError, Session, Verdict};
use crate::gate::{Passed, Proposal, Warning};
use crate::locate::Rung;
use crate::locate::free_slots::FreeSlotsError;
use crate::risk::{self, Risk};
use crate::slots::Reason;
use crate::task::Task;
use crate::workspace::{Change, Workspace};
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
    /// --yes refuses. 0 never warns of an edit that changes something [default: 0.5, measured for
    /// the bundled model; 0.1, a guess, for models that are asked in words; or what config.toml says]
    #[arg(long, value_name = "X", value_parser = probability)]
    min_certainty: Option<f64>,
    /// What --yes writes in spite of a warning (repeatable): unsure (see --min-certainty; that
    /// there is nothing to do is then believed), merge (the new name is in the file already),
    /// unseen (it is replaced where the model did not look), leftover (a definition is renamed, and
    /// the old name is still in the file)
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

/// How the model that answered has to be judged.
struct Judged {
    /// Whether its answers were forced to fit the files.
    is_forced: bool,
    /// Below this certainty an edit has a warning.
    min_certainty: f64,
    /// The kinds of warnings in spite of which `--yes` writes.
    accept: Vec<String>,
    /// Whether the diff is coloured.
    color: Color,
}

impl Judged {
    fn accepts(&self, kind: &str) -> bool {
        self.accept.iter().any(|accepted| accepted == kind)
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
    let (mut engine, profile) = model::start(&choice, prefixes, &progress).await?;
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
    let judged = Judged {
        is_forced: engine.forces_answers(),
        min_certainty,
        accept: config.accept,
        color: config.color,
    };
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
    tokio::join!(conclude(arguments, &workspace, steps, &judged, report), keep).0
}

/// Brings the edits to the gate.
async fn conclude(
    arguments: &EditArguments,
    workspace: &Workspace,
    steps: Steps,
    judged: &Judged,
    report: &mut Report,
) -> Result<ExitCode, Failure> {
    if let Some(failed) = steps.failed {
        return without_edit(failed, judged, report);
    }
    let changes = steps.changes();
    report.add_edits(steps.edits.iter().map(|edit| &edit.patched), &changes);
    let changes: Vec<Change> = changes.iter().map(FileChange::change).collect();
    let warnings = warnings(&steps.edits, judged);
    report.warnings = warning_reports(&warnings);
    let proposal = Proposal {
        changes: &changes,
        files: &report.files,
        diff: &report.diff,
        remarks: &remarks(&steps.edits),
        warnings: &warnings,
        description: &arguments.task,
    };
    let review = Review {
        policy: arguments.consent.policy(),
        answers: Answers::FromInput,
        output: Output::of_flag(arguments.json),
        color: judged.color,
        unasked_hint: "pass --yes to write, or --dry-run to only look",
    };
    report.status = match reviewer::pass(&proposal, workspace, review).await? {
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

/// How the text was found, and how far an edit of every occurrence reaches.
fn remarks(edits: &[StepEdit]) -> Vec<String> {
    let rungs = edits.iter().map(|edit| edit.patched.rung).filter(|rung| *rung != Rung::Exact);
    let found = rungs.map(|rung| {
        format!(
            "slotwright: the model's text is not in the file as it wrote it; it was found {rung}"
        )
    });
    let reaches = edits.iter().filter_map(|edit| risk::reach(&edit.patched));
    found.chain(reaches.map(|reach| format!("slotwright: {reach}"))).collect()
}

/// What about the edits asks for a second look.
fn warnings(edits: &[StepEdit], judged: &Judged) -> Vec<Warning> {
    let risks = |edit: &StepEdit| {
        let is_of_file = |other: &&StepEdit| other.patched.path == edit.patched.path;
        let afterwards = &edits.iter().rfind(is_of_file).unwrap_or(edit).patched.after;
        let leftover = risk::leftover(&edit.patched, afterwards);
        risk::risks(&edit.patched, &edit.certainty, judged.min_certainty)
            .into_iter()
            .chain(leftover)
    };
    let warning = |risk: Risk| {
        let kind = risk.kind();
        Warning { kind, message: risk.to_string(), accepted: judged.accepts(kind) }
    };
    edits.iter().flat_map(risks).map(warning).collect()
}

/// Reports a task that led to no edit.
fn without_edit(
    failed: FailedStep,
    judged: &Judged,
    report: &mut Report,
) -> Result<ExitCode, Failure> {
    let not_made = |kind: &str, message: &dyn std::fmt::Display| {
        Failure::new(ExitCode::NotMade, kind, message)
    };
    Err(match failed.verdict {
        Verdict::Proposed(_) => unreachable!("a step that failed has no edit"),
        Verdict::AlreadyDone | Verdict::Declined(Reason::AlreadyDone) => {
            let claim = match failed.verdict {
                Verdict::AlreadyDone => "the model's edit changes nothing",
                _ => "the model says that it is done already",
            };
            // A model that does not understand a task often claims this, or writes the text that
            // is there already.
            let is_accepted = judged.accepts("unsure");
            if let Some(doubt) = risk::doubt(failed.certainty).filter(|_| !is_accepted) {
                let message = format!("{claim}, and {doubt}; nothing was written");
                return Err(not_made("unsure", &message)
                    .hint("say it in other words, or use another model")
                    .hint("--accept unsure takes it for done"));
            }
            report.status = Status::AlreadyDone;
            say(&format!("slotwright: nothing to do: {claim}"));
            return Ok(ExitCode::Done);
        }
        Verdict::Declined(Reason::NotInTheseFiles) => {
            let message = "the model declined: what is asked for has no place in these files";
            not_made("declined", &message).hint("name the file in the task or with --file")
        }
        Verdict::Declined(Reason::Unclear) => {
            not_made("declined", &"the model declined: the task is unclear to it")
                .hint("name the text to change and what it should become")
        }
        Verdict::Truncated(End::NoToken) => {
            let message = "the model's vocabulary cannot spell what would have to come next; \
                           nothing was written";
            not_made("truncated", &message).hint("use another model for this file")
        }
        Verdict::Truncated(End::Repeats) => {
            let message =
                "the model's answer only repeated itself and was stopped; nothing was written";
            not_made("truncated", &message).hint("say it in other words, or use another model")
        }
        Verdict::Truncated(_) => {
            let message = "the model's answer did not end within its budget; nothing was written";
            not_made("truncated", &message).hint("ask for a smaller change")
        }
        Verdict::Mechanics(error) if judged.is_forced => {
            not_made("mechanics", &error).hint("this is a bug in slotwright: please report it")
        }
        Verdict::Mechanics(error) => free_answer_failure(&error),
        Verdict::Refused(error) => {
            not_made("encoding", &error).hint("convert the file to UTF-8 first")
        }
    })
}

/// A server's answer that is no edit of these files.
fn free_answer_failure(error: &MechanicsError) -> Failure {
    let message =
        format!("the model's answer is no edit of these files: {error}; nothing was written");
    let failure = Failure::new(ExitCode::NotMade, "mechanics", message);
    let failure = match error {
        MechanicsError::Locate(FreeSlotsError::Miss(miss)) => {
            failure.hint(format!("it looked for {}", beginning(&miss.searched)))
        }
        _ => failure,
    };
    failure.hint("name the file and the text to change in the task, or use another model")
}

/// The beginning of a text's first line.
fn beginning(text: &str) -> String {
    const SHOWN: usize = 60;
    let line = text.trim().lines().next().unwrap_or_default();
    let shown: String = line.chars().take(SHOWN).collect();
    if shown.len() < text.trim().len() { format!("{shown:?} …") } else { format!("{shown:?}") }
}
