//! `slotwright models import` and `remove`: files of this machine into the own store, and out of it.

use super::report::StoreReport;
use super::table::size;
use crate::app::folders;
use crate::app::model_reference;
use crate::app::report::{Output, Status};
use crate::app::settings;
use crate::cli::command;
use crate::cli::terminal::AnswersFrom;
use crate::config::Config;
use crate::console::say;
use crate::failure::ExitCode;
use crate::failure::{Failure, FailureKind};
use crate::models::own::keep::{self, Imported};
use crate::models::{Called, Listing, Store};
use clap::Args;
use std::fs;
use std::path::PathBuf;

pub(super) const IMPORT: &str = "\
Copy a GGUF file into slotwright's own store.

The original stays. Of a split model name the first part, the others come along. A model that may \
stay where it is needs no import: --model takes its path, and model_folders in config.toml names \
folders that are looked through.";

pub(super) const REMOVE: &str = "\
Remove a model from slotwright's own store.

Only what slotwright has fetched or imported is removed. Models of other programs are theirs to \
remove.";

/// The arguments of `slotwright models import`.
#[derive(Debug, Args)]
pub(super) struct ImportArguments {
    /// The GGUF file
    file: PathBuf,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// The arguments of `slotwright models remove`.
#[derive(Debug, Args)]
pub(super) struct RemoveArguments {
    /// The model's name, as slotwright models lists it
    name: String,
    /// Remove it without asking
    #[arg(long, short)]
    yes: bool,
    /// Print one JSON object; asks nothing, so it needs --yes
    #[arg(long, requires = "yes")]
    json: bool,
}

pub(super) fn import(arguments: &ImportArguments) -> ExitCode {
    let output = Output::of_flag(arguments.json);
    command::run(output, "model", async |report| {
        import_file(arguments, report)
    })
}

pub(super) fn remove(arguments: &RemoveArguments) -> ExitCode {
    let output = Output::of_flag(arguments.json);
    command::run(output, "model", async |report| {
        remove_model(arguments, report).await
    })
}

fn listing() -> Result<Listing, Failure> {
    let config = settings::load(Config::default(), None)?.config;
    Ok(model_reference::listing(&config.model_folders))
}

fn import_file(arguments: &ImportArguments, report: &mut StoreReport) -> Result<ExitCode, Failure> {
    let imported = keep::import(&folders::own_models(), &arguments.file)?;
    let (Imported::New(path) | Imported::Already(path)) = &imported;

    let real = fs::canonicalize(path).ok();
    let listing = listing()?;
    let mut models = listing.models.iter();
    let mut name = path.display().to_string();
    if let Some(model) = models.find(|model| fs::canonicalize(&model.path).ok() == real) {
        report.name(model);
        name.clone_from(&model.name);
    }

    if matches!(imported, Imported::New(_)) {
        report.status = Status::Done;
        say(&format!("imported; --model {name} uses it"));
    } else {
        report.status = Status::AlreadyDone;
        say(&format!("it is in the store already, as {name}"));
    }
    Ok(ExitCode::Done)
}

async fn remove_model(
    arguments: &RemoveArguments,
    report: &mut StoreReport,
) -> Result<ExitCode, Failure> {
    let (name, path, bytes) = own_model(&listing()?, &arguments.name)?;
    let what = format!("{name} ({}, {})", size(bytes), path.display());
    if !arguments.yes {
        confirm(&format!("Remove {what}?")).await?;
    }

    keep::remove(&folders::own_models(), &path)?;
    report.path = Some(path.to_string_lossy().into_owned());
    report.bytes = Some(bytes);
    report.status = Status::Done;
    say(&format!("removed {what}"));
    Ok(ExitCode::Done)
}

/// Name, first file and bytes of a model in the own store, which may be one that cannot be used.
fn own_model(listing: &Listing, name: &str) -> Result<(String, PathBuf, u64), Failure> {
    let flawed = listing
        .flawed
        .iter()
        .find(|flawed| flawed.store == Store::Own && flawed.name.eq_ignore_ascii_case(name));
    if let Some(flawed) = flawed {
        return Ok((flawed.name.clone(), flawed.path.clone(), flawed.bytes));
    }

    let Called { model, name } = listing.find(name)?;
    if model.store == Store::Own {
        return Ok((model.name.clone(), model.path.clone(), model.bytes));
    }
    let message = format!("{name} is not slotwright's: {}", model.path.display());
    let failure = Failure::new(FailureKind::NotOurs, message);
    Err(match model.store {
        Store::Ollama => failure.hint(format!("Ollama removes it: ollama rm {name}")),
        store => failure.hint(format!("it is kept by: {}", store.name())),
    })
}

async fn confirm(question: &str) -> Result<(), Failure> {
    let answers = AnswersFrom::Input;
    if !answers.can_ask() {
        let message = "there is no terminal to ask at; nothing was removed";
        let failure = Failure::new(FailureKind::NotConfirmed, message);
        return Err(failure.hint("--yes removes it without asking"));
    }

    if answers.confirm(question).await {
        return Ok(());
    }
    let message = "nothing was removed";
    Err(Failure::new(FailureKind::NotConfirmed, message))
}
