//! `slotwright models`: what is on this machine, and which one is used; models fetched, imported and
//! removed.

mod ask;
mod default;
mod keep;
mod list;
mod pull;
mod report;
mod table;

pub(super) use ask::ask_for_model;
pub(super) use list::tables;
pub use report::{ModelsReport, StoreReport};

use super::command;
use crate::app::report::Output;
use crate::failure::{ExitCode, Failure};
use clap::{Args, Subcommand};

pub(crate) const ABOUT: &str = "\
List the models on this machine, and which one is used; fetch, import and remove models.

Models of Ollama, LM Studio, Hugging Face's cache, llama.cpp, Jan and GPT4All are found where these \
keep them, and those in ~/.local/share/slotwright/models. To list them only the beginnings of files \
are read; nothing is loaded or fetched. Each name may be given to --model, or a part of it that no other has.

The one with a star is used if you name none: the one that `models default` has set, or else of the \
instruct models that fit into memory the one that gets most tasks right, as measured; if none was \
measured, the largest.

Below them are the devices that a model may compute on: --device names one.";

/// The arguments of `slotwright models`.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct ModelsArguments {
    /// Print one JSON object instead of a table
    #[arg(long)]
    json: bool,
    #[command(subcommand)]
    command: Option<ModelsCommand>,
}

#[derive(Debug, Subcommand)]
enum ModelsCommand {
    /// List the models, as without a command
    #[command(hide = true, alias = "ls")]
    List {
        /// Print one JSON object instead of a table
        #[arg(long)]
        json: bool,
    },
    /// Fetch a model from its publisher
    #[command(long_about = pull::about())]
    Pull(pull::PullArguments),
    /// Copy a GGUF file into slotwright's own store
    #[command(long_about = keep::IMPORT)]
    Import(keep::ImportArguments),
    /// Remove a model from slotwright's own store
    #[command(long_about = keep::REMOVE)]
    Remove(keep::RemoveArguments),
    /// Show or set which model is used if none is named
    #[command(long_about = default::ABOUT)]
    Default(default::DefaultArguments),
}

/// Asks which model is to be fetched, and fetches it.
pub(crate) fn fetch_one() -> ExitCode {
    pull::run(&pull::PullArguments::default())
}

/// Shows the models, and which one is used if none is named.
pub(super) async fn show() -> Result<(), Failure> {
    let shown = list::list(Output::Text, &mut ModelsReport::default()).await;
    shown.map(|_| ())
}

pub(crate) fn run(arguments: &ModelsArguments) -> ExitCode {
    match &arguments.command {
        None => list(arguments.json),
        Some(ModelsCommand::List { json }) => list(*json),
        Some(ModelsCommand::Pull(arguments)) => pull::run(arguments),
        Some(ModelsCommand::Import(arguments)) => keep::import(arguments),
        Some(ModelsCommand::Remove(arguments)) => keep::remove(arguments),
        Some(ModelsCommand::Default(arguments)) => default::run(arguments),
    }
}

fn list(json: bool) -> ExitCode {
    let output = Output::of_flag(json);
    command::run(output, "list", async |report| {
        list::list(output, report).await
    })
}
