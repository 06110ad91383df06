//! `slotwright edit`: the task to the flow, its patch to the gate.

use super::command;
use super::consent::{ConsentArguments, accept_help};
use super::each::{self, EachCommand};
use super::reviewer::Reviewed;
use super::task::{self, First, ModelIn, TaskOptions};
use crate::app::arguments::{EditCount, LinePlace, probability};
use crate::app::each::{EachTask, Earlier};
use crate::app::editor::{Editor, Reading};
use crate::app::model_arguments::{ADVANCED, ModelArguments};
use crate::app::project::Project;
use crate::app::report::{Output, Report, Status};
use crate::app::request::EditRequest;
use crate::config::Config;
use crate::console::say;
use crate::failure::{ExitCode, Failure};
use crate::review::WarningKind;
use crate::sandbox::SandboxOptions;
use clap::Args;
use std::ops::RangeInclusive;
use std::path::PathBuf;

pub(crate) const ABOUT: &str = "Make the edit that a sentence asks for.

The model chooses one file and one operation (replace, replace everywhere in the file, insert, \
create), then fills in its slots: text that occurs in the file, and new text. The change is shown \
as a diff. On a terminal you are asked before anything is written, and can take some of its hunks, \
edit the new text, say what else you want, have the model go on, or have another answer; \
elsewhere nothing is written without --yes.

Some edits ask for a second look, which is said before the question: an edit that the model was \
unsure of, a rename to a name that the file has already, text that is replaced in parts of a long \
file that the model did not see, a definition that is renamed while its uses keep the old name, new \
text that says that code was left out, lines taken out of a file that the task may want deleted, \
code that no longer parses, and a check that fails. --yes refuses to write such \
an edit.";

pub(crate) const EXAMPLES: &str = "Examples:
  slotwright edit \"In sample.swift, rename processItem to handleItem everywhere\"
  slotwright edit --file src/config.py --dry-run \"Change max_retries from 3 to 5\"
  slotwright edit --at src/config.py:12 \"Read it from the environment\"
  slotwright edit --check \"cargo check\" \"Give load() a second parameter, mode\"
  slotwright edit --each \"src/**/*.py\" \"Import Path from pathlib at the top\"
  slotwright edit --model http://127.0.0.1:8080/v1#qwen2.5-coder --file src/config.py \"...\"
  slotwright edit --model ~/models/qwen2.5-coder-7b-q4.gguf --yes --json \"...\" > result.json";

/// The arguments of `slotwright edit`.
#[derive(Debug, Args)]
pub(crate) struct EditArguments {
    /// What is to be changed, in your words
    ///
    /// Quotes are needed only around what your shell reads itself: * $ ' ( ) and so on.
    #[arg(required = true, value_name = "TASK")]
    task: Vec<String>,
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
    /// What you mean by "here": the edit begins around this line
    ///
    /// It may go on elsewhere in the file.
    #[arg(long, value_name = "PATH:LINE", conflicts_with = "lines")]
    at: Option<LinePlace>,
    /// Run this after the edit (a compiler, linter or tests), in a throw-away copy of the folder
    ///
    /// It is a line for the shell. What it complains of and did not before, the model goes on to mend. ''
    /// runs nothing [default: what config.toml says]
    #[arg(long, value_name = "CMD")]
    check: Option<String>,
    /// Run the check even where nothing confines it
    #[arg(long)]
    #[arg(help_heading = ADVANCED, hide_short_help = true)]
    no_sandbox: bool,
    /// Make the same edit in each file that matches: "*.py", "src/*.py" or "src", in quotes
    ///
    /// "*.py" is in every folder, "src/*.py" in one, "src" is all below it. All edits are shown and
    /// written together. What is made is kept until then: after a Ctrl-C or worse, the same command goes
    /// on
    #[arg(long, value_name = "GLOB", conflicts_with_all = ["files", "lines", "at", "check"])]
    each: Option<String>,
    #[command(flatten)]
    consent: ConsentArguments,
    /// Make up to N edits, in one file or several, until the model says that it is done (the
    /// bundled one does not: give the number of edits); all are shown as one diff, and written
    /// together. A-B: at least A and up to B, where you know that one is not all [default: 8 with
    /// an adapter of ours, and 1 for other models]
    #[arg(long, value_name = "N")]
    #[arg(help_heading = ADVANCED, hide_short_help = true)]
    steps: Option<EditCount>,
    /// How sure the model has to be of what it wrote, from 0 to 1: below it you are warned, and
    /// --yes refuses. 0 never warns of an edit that changes something [default: 0.5 for the
    /// bundled model and 0.35 with an adapter of ours, both measured; 0.1, a guess, for others; or
    /// what config.toml says]
    #[arg(long, value_name = "X", value_parser = probability)]
    #[arg(help_heading = ADVANCED, hide_short_help = true)]
    min_certainty: Option<f64>,
    #[arg(long, value_name = "WARNING", value_delimiter = ',')]
    #[arg(help = accept_help(&WarningKind::OF_EDITS), hide_possible_values = true)]
    #[arg(value_parser = WarningKind::OF_EDITS.map(WarningKind::word))]
    #[arg(help_heading = ADVANCED, hide_short_help = true)]
    accept: Vec<String>,
    /// Print one JSON object instead of a diff
    #[arg(long)]
    json: bool,
    /// Print what the model wrote and what it took
    #[arg(long)]
    #[arg(help_heading = ADVANCED, hide_short_help = true)]
    stats: bool,
    /// Read everything anew, and keep nothing of what the model read for later edits
    #[arg(long)]
    #[arg(help_heading = ADVANCED, hide_short_help = true)]
    no_cache: bool,
    #[command(flatten)]
    model: ModelArguments,
}

fn line_numbers(text: &str) -> Result<RangeInclusive<usize>, String> {
    let (first, last) = text.split_once('-').unwrap_or((text, text));
    match (line_number(first), line_number(last)) {
        (Some(first), Some(last)) if first <= last => Ok(first..=last),
        (Some(first), Some(last)) => Err(format!("{first} comes after {last}")),
        _ => Err("give a line or two, as in 12-20".to_owned()),
    }
}

fn line_number(text: &str) -> Option<usize> {
    text.trim().parse().ok().filter(|number| *number > 0)
}

impl EditArguments {
    /// The flags that are keys of the configuration too.
    fn flags(&self) -> Config {
        Config {
            min_certainty: self.min_certainty,
            accept: self.accept.clone(),
            check: self.check.clone(),
            ..self.model.flags()
        }
    }

    fn request(&self) -> EditRequest {
        EditRequest {
            sentence: self.task.join(" "),
            files: self.files.clone(),
            lines: self.lines.clone(),
            at: self.at.clone(),
            edits: self.steps,
            sandbox: SandboxOptions {
                allow_none: self.no_sandbox,
                ..SandboxOptions::default()
            },
            ..EditRequest::default()
        }
    }

    /// Opens the folder, and makes ready to ask the model.
    fn open(&self) -> Result<(Project, Editor), Failure> {
        let reading = if self.no_cache {
            Reading::Forgotten
        } else {
            Reading::Kept
        };
        let project = Project::open(&self.root, self.flags(), say)?;
        let choice = self.model.choice(&project.config);
        let editor = Editor::new(self.flags(), choice, reading, say);
        if !self.consent.dry_run {
            project.recover();
        }
        Ok((project, editor))
    }

    /// The same for each file that matches.
    fn command(&self, glob: &str) -> EachCommand {
        EachCommand {
            task: EachTask {
                sentence: self.task.join(" "),
                glob: glob.to_owned(),
                edits: self.steps,
                earlier: if self.no_cache {
                    Earlier::Forgotten
                } else {
                    Earlier::Used
                },
            },
            policy: self.consent.policy(),
            output: Output::of_flag(self.json),
            stats: self.stats,
        }
    }
}

pub(crate) fn run(arguments: &EditArguments) -> ExitCode {
    if let Some(glob) = &arguments.each {
        return each::run(&arguments.command(glob), || arguments.open());
    }
    command::run(Output::of_flag(arguments.json), "edit", async |report| {
        edit(arguments, report).await
    })
}

/// Asks for the edits, and lets them pass the gate.
async fn edit(arguments: &EditArguments, report: &mut Report) -> Result<ExitCode, Failure> {
    let (project, mut editor) = arguments.open()?;
    let options = TaskOptions {
        policy: arguments.consent.policy(),
        output: Output::of_flag(arguments.json),
        stats: arguments.stats,
        model: ModelIn::OneTask,
    };
    let request = arguments.request();
    let mut offer = match task::first(&mut editor, project, request, options, report).await? {
        First::Offer(offer) => offer,
        First::NoEdit(code) => return Ok(code),
    };

    let reviewed = task::decide(&mut editor, &mut offer, options, report).await?;
    if reviewed == Reviewed::WouldBeWritten {
        report.status = Status::WouldBeDone;
    }
    Ok(match offer.status_when_written() {
        Status::PartlyDone => ExitCode::PartlyDone,
        _ => ExitCode::Done,
    })
}
