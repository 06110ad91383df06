//! `slotwright apply`: a patch that another model or tool wrote, to the gate.

use super::command;
use super::consent::{ConsentArguments, accept_help};
use super::progress::ProgressLine;
use super::reviewer::{self, Review, Reviewed, say_warning};
use super::terminal::AnswersFrom;
use crate::app::model_arguments::{ADVANCED, ModelArguments, ProcessArguments};
use crate::app::patch::{self, Direction, FailedEdits, PatchSource, PlannedPatch};
use crate::app::project::Project;
use crate::app::report::{ApplyReport, Output, Status};
use crate::config::Config;
use crate::console::say;
use crate::failure::ExitCode;
use crate::failure::{Failure, FailureKind};
use crate::format::Format;
use crate::review::WarningKind;
use crate::review::gate::Policy;
use clap::Args;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};

pub(crate) const ABOUT: &str = "\
Apply a patch that another model or tool wrote, or refuse it and say what to do next.

The format is recognised: search/replace blocks (Aider, Cline, Roo Code), Codex patches, unified \
and git diffs, JSON edits (old_string and new_string, our own slots), whole files in fences with \
or without \"... existing code ...\", context and normal diffs, ed scripts, RCS diffs. Prose \
around them is skipped, and one answer may have parts in several formats.

The text to change is searched as it is, and then with other line endings, trailing whitespace, \
typographic quotes, indentation, tabs, blank lines, escapes or line numbers. What is written takes \
the file's own. The text must occur in one place: among several none is guessed. Names, numbers \
and strings must be right. For a part of a sketch a place is proposed, with a warning. Either all \
edits are made or none, unless --partial is given. slotwright undo takes them back.

A fence under a file name is the whole new text of that file. Warnings are shown before the \
question, and --yes refuses to write a change that has one (see --accept).";

pub(crate) const EXAMPLES: &str = "Examples:
  slotwright apply answer.md
  pbpaste | slotwright apply --dry-run
  git diff HEAD~1 | slotwright apply --reverse --yes
  slotwright apply --json --yes --partial edits.json > result.json";

/// The arguments of `slotwright apply`.
#[derive(Debug, Args)]
pub(crate) struct ApplyArguments {
    /// The patch; standard input if it is - or missing
    #[arg(value_name = "PATCH-FILE")]
    patch: Option<PathBuf>,
    /// The folder to edit; nothing outside it is read or written
    #[arg(long, value_name = "DIR", default_value = ".")]
    root: PathBuf,
    /// The one file that the patch is about, whatever it calls it; relative to --root
    #[arg(long, value_name = "PATH")]
    file: Option<String>,
    /// How the patch is written, if that is not to be recognised
    #[arg(long, value_name = "NAME", value_parser = format_names())]
    #[arg(help_heading = ADVANCED, hide_short_help = true)]
    format: Option<String>,
    #[command(flatten)]
    consent: ConsentArguments,
    #[arg(long, value_name = "WARNING", value_delimiter = ',')]
    #[arg(help = accept_help(&WarningKind::OF_PATCHES), hide_possible_values = true)]
    #[arg(value_parser = WarningKind::OF_PATCHES.map(WarningKind::word))]
    #[arg(help_heading = ADVANCED, hide_short_help = true)]
    accept: Vec<String>,
    /// Make the edits that can be made, if others cannot (exit code 5)
    #[arg(long)]
    partial: bool,
    /// Take the patch back: what it inserts is looked for, what it deletes is put there
    #[arg(long, short = 'R')]
    reverse: bool,
    /// Ask this model where the parts of a file go that leaves code out ("... existing code ..."),
    /// if nothing else tells; it writes no text. As slotwright edit --model takes it
    #[arg(long, value_name = "REF")]
    model: Option<String>,
    #[command(flatten)]
    process: ProcessArguments,
    /// Print one JSON object instead of a diff
    #[arg(long)]
    json: bool,
}

fn format_names() -> Vec<&'static str> {
    std::iter::once("auto")
        .chain(Format::ALL.map(Format::name))
        .collect()
}

pub(crate) fn run(arguments: &ApplyArguments) -> ExitCode {
    command::run(Output::of_flag(arguments.json), "patch", async |report| {
        apply(arguments, report).await
    })
}

async fn apply(arguments: &ApplyArguments, report: &mut ApplyReport) -> Result<ExitCode, Failure> {
    if arguments.model.is_none() && arguments.process.is_given() {
        let message = "--threads, --adapter, --device, --skip-memory-check and -v are for --model";
        return Err(Failure::new(FailureKind::NoModel, message));
    }
    let flags = Config {
        model: arguments.model.clone(),
        accept: arguments.accept.clone(),
        ..arguments.process.flags()
    };
    let project = Project::open(&arguments.root, flags, say)?;
    let Project {
        workspace, config, ..
    } = &project;
    let (text, answers) = read(arguments.patch.as_deref())?;
    if !arguments.consent.dry_run {
        // What an interrupted program left half done is finished first. A journal that cannot be
        // used is said below.
        project.recover();
    }

    let policy = arguments.consent.policy();
    let review = Review {
        answers,
        ..Review::new(policy, Output::of_flag(arguments.json), config.color)
    };
    let mut source = arguments.source(&text, &config.accept);
    if policy == Policy::Ask && answers.can_ask() && !arguments.json {
        // Whoever is asked decides about the edits that can be made, too.
        source.failed = FailedEdits::LeaveOut;
    }
    let mut planned = PlannedPatch::of(&source, workspace, report)?;
    if arguments.model.is_some() {
        let model = ModelArguments {
            model: arguments.model.clone(),
            process: arguments.process.clone(),
        };
        let progress = ProgressLine::new();
        let choice = model.choice(config);
        let show = &mut |step| progress.show(step);
        planned
            .place_by_model(&choice, workspace, report, (say, show))
            .await?;
    }

    let proposed = match planned.proposed(workspace, report) {
        Ok(Some(proposed)) => proposed,
        Ok(None) => {
            // The parts of the patch that were not read may still be left to do.
            planned.warnings.iter().for_each(say_warning);
            say("nothing to do: the files have all of this already");
            return Ok(ExitCode::Done);
        }
        Err(failure) => {
            planned.warnings.iter().for_each(say_warning);
            for text in planned.explained() {
                say(&text);
            }
            if arguments.model.is_none() && planned.has_unplaced(workspace) {
                return Err(failure.hint("--model asks a model where its parts go"));
            }
            return Err(failure);
        }
    };

    let review = Review {
        n_left_out: planned.n_failed(),
        ..review
    };
    report.status = match reviewer::pass(&proposed.proposal(), workspace, review).await? {
        Reviewed::WouldBeWritten => Status::WouldBeDone,
        Reviewed::Written(written) => {
            if !arguments.json {
                let mut done = planned.done(&written.files);
                done.extend(written.difference);
                say(&done.join(", "));
            }
            planned.status_when_written()
        }
        Reviewed::Again(_) => unreachable!("there is no model to ask again"),
    };
    Ok(if planned.n_failed() > 0 {
        ExitCode::PartlyDone
    } else {
        ExitCode::Done
    })
}

/// Reads the text of a patch, and says where answers can be read then.
fn read(path: Option<&Path>) -> Result<(String, AnswersFrom), Failure> {
    if let Some(path) = path.filter(|path| path.as_os_str() != "-") {
        return Ok((patch::read_file(path)?, AnswersFrom::Input));
    }
    let stdin = std::io::stdin();
    if stdin.is_terminal() && path.is_some() {
        say("type or paste the patch, then end it with Ctrl-D on a line of its own");
    }
    if stdin.is_terminal() && path.is_none() {
        let message = "there is no patch: standard input is a terminal";
        return Err(Failure::new(FailureKind::NoPatch, message)
            .hint("name a file: slotwright apply change.diff")
            .hint("or pipe it in: pbpaste | slotwright apply"));
    }
    Ok((patch::read(stdin.lock())?, AnswersFrom::Terminal))
}

impl ApplyArguments {
    fn source<'a>(&'a self, text: &'a str, accept: &'a [String]) -> PatchSource<'a> {
        let name = self.patch.as_deref();
        PatchSource {
            text,
            name: name.filter(|path| path.as_os_str() != "-"),
            format: self.format.as_deref(),
            file: self.file.as_deref(),
            direction: if self.reverse {
                Direction::Back
            } else {
                Direction::Forth
            },
            failed: if self.partial {
                FailedEdits::LeaveOut
            } else {
                FailedEdits::Refuse
            },
            accept,
        }
    }
}
