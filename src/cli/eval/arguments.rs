//! The arguments of `slotwright eval`.

use crate::app::arguments::EditCount;
use crate::app::model_arguments::{ADVANCED, ProcessArguments};
use crate::eval::run::Follow;
use clap::{Args, Subcommand};
use std::path::PathBuf;

pub(crate) const ABOUT: &str = "\
Measure how often edits come out right, by model and by how it is asked.

Every task of a suite is a folder, a sentence, and what is right: the folder afterwards, or a \
check that passes. A machine compares; what a model says of itself counts for nothing. Failures of \
the mechanics (no edit could be made from the answer), of judgment (an edit was made, and it is \
wrong), declined tasks and answers without an end are counted apart.

Strategies: naive (a free tool call with the whole new file), search_replace (a free answer of \
blocks, applied as slotwright apply does), schema (two stages in plain JSON Schemas), slots (two \
stages that can only say what fits the files: slotwright edit), repair (edits and the task's check \
in turn: slotwright repair).

Each run asks in the task's next wording. What was run is kept: interrupted, the same command goes \
on where it stopped. Checks run in a sandbox. As much of a file is shown as by edit: 1,500 tokens, 6,000 \
where a GPU computes, 320 to the bundled model, or what config.toml says.";

pub(crate) const EXAMPLES: &str = "Examples:
  slotwright eval --report ceiling.html
  slotwright eval --model small.gguf --model large.gguf --strategy slots \\
    --suite everyday --suite hard --report a.json
  slotwright eval --new ~/my-suite
  slotwright eval --suite ~/my-suite --runs 1 --report b.json
  slotwright eval compare a.json b.json";

/// The names of the strategies. The first four are the default.
const STRATEGIES: [&str; 5] = ["slots", "schema", "search_replace", "naive", "repair"];

/// The arguments of `slotwright eval`.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct EvalArguments {
    #[command(subcommand)]
    pub(super) command: Option<EvalCommand>,
    /// A bundled suite (seed, everyday, hard, decline, repair), a folder with tasks, or a file of
    /// HumanEvalFix, EditEval, CanItEdit or QuixBugs (repeatable) [default: the first four]
    #[arg(long = "suite", value_name = "SUITE")]
    pub(super) suites: Vec<String>,
    /// Make a suite of your own in this folder, with one task that runs, and end
    #[arg(long, value_name = "FOLDER", exclusive = true)]
    pub(super) new: Option<PathBuf>,
    /// Only tasks whose name has this in it
    #[arg(long, value_name = "TEXT")]
    pub(super) task: Option<String>,
    /// A model: a name that slotwright models lists, a GGUF file, "bundled", or
    /// http(s)://HOST/v1#NAME on a server (repeatable)
    /// [default: SLOTWRIGHT_MODEL, else what config.toml names, else bundled]
    #[arg(long = "model", value_name = "REF")]
    pub(super) models: Vec<String>,
    /// How it is asked (repeatable): slots, schema, search_replace, naive; and repair, on tasks
    /// that have a check [default: the first four]
    #[arg(long = "strategy", value_name = "NAME", value_delimiter = ',')]
    #[arg(value_parser = STRATEGIES, default_values = &STRATEGIES[..4])]
    #[arg(hide_possible_values = true, hide_default_value = true)]
    pub(super) strategies: Vec<String>,
    /// How often each task is run with each model and strategy
    #[arg(long, value_name = "N", default_value_t = 3)]
    #[arg(value_parser = clap::value_parser!(u16).range(1..))]
    pub(super) runs: u16,
    /// 0: always the likeliest token. Above: by probability, so that runs differ
    #[arg(long, value_name = "T", default_value_t = 0.0, value_parser = temperature)]
    #[arg(allow_negative_numbers = true)]
    #[arg(help_heading = ADVANCED, hide_short_help = true)]
    pub(super) temperature: f32,
    /// From which the seed of each run is made
    #[arg(long, value_name = "N", default_value_t = 1)]
    #[arg(help_heading = ADVANCED, hide_short_help = true)]
    pub(super) seed: u64,
    /// How long an answer may take
    #[arg(long, value_name = "SECONDS", default_value_t = 300)]
    #[arg(value_parser = clap::value_parser!(u16).range(1..))]
    pub(super) time: u16,
    /// Answers that a server is asked for at once; a model in a file gives one after the other
    #[arg(long, value_name = "N", default_value_t = 1)]
    #[arg(value_parser = clap::value_parser!(u16).range(1..))]
    #[arg(help_heading = ADVANCED, hide_short_help = true)]
    pub(super) jobs: u16,
    /// Give stage 1's right answer, so that what is lost in choosing the file is told from what is
    /// lost in writing: pick
    #[arg(long, value_name = "WHAT", value_parser = ["pick"], hide_possible_values = true)]
    #[arg(help_heading = ADVANCED, hide_short_help = true)]
    pub(super) oracle: Option<String>,
    /// The most edits of a task, for slots and schema; A-B: at least A and up to B [default: 8 with an
    /// adapter of ours, and 1 for other models]
    #[arg(long, value_name = "N", conflicts_with = "oracle")]
    #[arg(help_heading = ADVANCED, hide_short_help = true)]
    pub(super) steps: Option<EditCount>,
    /// What becomes of the places that may have to follow an edit, for slots [default: asked with an
    /// adapter of ours, and named for other models]
    #[arg(long, value_name = "WAY", value_parser = Follow::ALL.map(Follow::name))]
    #[arg(help_heading = ADVANCED, hide_short_help = true)]
    pub(super) follow: Option<String>,
    /// Let edits by slots use the task's own check, as edit --check does. all: what it complains of
    /// without the edit counts too [possible values: new, all]
    #[arg(long, value_name = "WHICH", num_args = 0..=1, require_equals = true)]
    #[arg(default_missing_value = "new", value_parser = ["new", "all"], hide_possible_values = true)]
    #[arg(help_heading = ADVANCED, hide_short_help = true)]
    pub(super) check: Option<String>,
    /// Ask the model afterwards whether it succeeded, and compare that with the verdict
    #[arg(long)]
    #[arg(help_heading = ADVANCED, hide_short_help = true)]
    pub(super) ask_claim: bool,
    /// Write all of it to a file: .json (for programs and for compare), .md, or .html (a page to
    /// look through) (repeatable)
    #[arg(long = "report", value_name = "FILE")]
    pub(super) reports: Vec<PathBuf>,
    /// Start over: do not go on with an interrupted run of the same command
    #[arg(long)]
    pub(super) fresh: bool,
    /// Run checks even where nothing confines them
    #[arg(long)]
    #[arg(help_heading = ADVANCED, hide_short_help = true)]
    pub(super) no_sandbox: bool,
    #[command(flatten)]
    pub(super) process: ProcessArguments,
}

#[derive(Debug, Subcommand)]
pub(super) enum EvalCommand {
    /// Compare two reports: which tasks changed, and whether that may be chance
    Compare {
        /// A report (.json)
        first: PathBuf,
        /// Another one
        second: PathBuf,
    },
}

fn temperature(text: &str) -> Result<f32, String> {
    let value: f32 = text.parse().map_err(|_| "it is not a number".to_owned())?;
    if (0.0..=2.0).contains(&value) {
        Ok(value)
    } else {
        Err("it must be from 0 to 2".to_owned())
    }
}
