//! `slotwright models pull`: a model from its publisher.

use super::report::StoreReport;
use super::table::size;
use crate::cli::command;
use crate::cli::exit::ExitCode;
use crate::cli::failure::{Failure, store_failure};
use crate::cli::folders;
use crate::cli::progress::TransferLine;
use crate::cli::report::{CommandReport, ErrorReport, Output, Status};
use crate::cli::settings;
use crate::cli::terminal::say;
use crate::cli::which_model;
use crate::config::{Config, Flags};
use crate::models::{Listing, Model, catalogue};
use crate::own_store::fetch::unfinished;
use crate::own_store::{self, Hub, Plan, Step, StoreError};
use clap::Args;
use serde::Serialize;
use std::path::{Path, PathBuf};

/// What became of it, and what is said when the person interrupts it.
#[derive(Default, Serialize)]
#[serde(transparent)]
struct PullReport(StoreReport);

impl CommandReport for PullReport {
    const INTERRUPTED: &'static str =
        "interrupted; what was fetched is kept, and the same command goes on with it";

    fn end(&mut self) -> (&mut Status, &mut Option<ErrorReport>) {
        self.0.end()
    }
}

/// What `slotwright models pull` is told.
#[derive(Debug, Args)]
pub(super) struct PullArguments {
    /// A name of the catalogue, or PUBLISHER/REPOSITORY[:FILE or QUANTIZATION]
    name: String,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

pub(super) fn about() -> String {
    let entries = catalogue::entries().iter().map(|entry| {
        let right = entry
            .right
            .map_or_else(String::new, |right| format!(", {right} % right"));
        format!(
            "  {}: {}, {}{right}\n",
            entry.name,
            size(entry.bytes),
            entry.licence
        )
    });
    format!(
        "Fetch a model from its publisher at Hugging Face.\n\n\
         In the catalogue are, with the share of 60 small tasks that they get right:\n{}\n\
         Any other is fetched by PUBLISHER/REPOSITORY, which may be followed by a colon and a file \
         or quantization. The file comes to ~/.local/share/slotwright/models, and gets its name only \
         when its SHA-256 is its publisher's. What was fetched before a failure is kept, and the same \
         command goes on with it. A model that another program has already is not fetched again.\n\n\
         HF_ENDPOINT names a mirror, HF_TOKEN a token for models that want one, HTTPS_PROXY a proxy.",
        entries.collect::<String>()
    )
}

pub(super) fn run(arguments: &PullArguments) -> ExitCode {
    let output = Output::of_flag(arguments.json);
    command::run::<PullReport>(output, "model", async |PullReport(report)| {
        pull(&arguments.name, report).await
    })
}

async fn pull(name: &str, report: &mut StoreReport) -> Result<ExitCode, Failure> {
    let config = settings::load(Flags::default(), None)?.config;
    let listing = || which_model::listing(&config.model_folders);
    let before = listing();
    if let Some(entry) = catalogue::entry(name)
        && let Some(model) = before
            .models
            .iter()
            .find(|model| model.entry == Some(entry))
    {
        return Ok(already(model, report));
    }
    let failed = |error: StoreError| store_failure(&error);
    let hub = Hub::of_environment(|name| std::env::var_os(name)).map_err(failed)?;
    let plan = own_store::plan(&hub, name).await.map_err(failed)?;
    report.licence.clone_from(&plan.licence);
    if let Some(model) = same(&before, &plan) {
        return Ok(already(model, report));
    }
    let licence = plan
        .licence
        .as_deref()
        .unwrap_or("its publisher names no licence");
    say(&format!(
        "slotwright: fetching {} ({}, {licence}) from {}/{}",
        plan.files[0].name(),
        size(plan.bytes()),
        hub.shown(),
        plan.repository
    ));
    let first = fetch(&hub, &plan).await.map_err(failed)?;
    let after = listing();
    let Some(model) = after.models.iter().find(|model| model.path == first) else {
        let message = format!("{} was fetched, and cannot be read", first.display());
        return Err(Failure::new(ExitCode::Environment, "model", message));
    };
    report.name(model);
    report.status = Status::Done;
    say(&format!(
        "slotwright: fetched {} to {}",
        model.name,
        first.display()
    ));
    say(&format!("slotwright: {}", next(&after, model, &config)));
    Ok(ExitCode::Done)
}

fn already(model: &Model, report: &mut StoreReport) -> ExitCode {
    report.name(model);
    report.status = Status::AlreadyDone;
    let (store, path) = (model.store.name(), model.path.display());
    say(&format!(
        "slotwright: {} is here already ({store}): {path}",
        model.name
    ));
    ExitCode::Done
}

/// A model of another program that is the same file.
fn same<'l>(listing: &'l Listing, plan: &Plan) -> Option<&'l Model> {
    listing.models.iter().find(|model| {
        let is_entry = plan.entry.is_some() && model.entry == plan.entry;
        let name = model.path.file_name().map(|name| name.to_string_lossy());
        is_entry
            || (model.bytes == plan.bytes()
                && name.is_some_and(|name| name == plan.files[0].name()))
    })
}

/// Fetches all parts that are not here yet. Returns the first one.
async fn fetch(hub: &Hub, plan: &Plan) -> Result<PathBuf, StoreError> {
    let folder = folders::own_models().join(&plan.repository);
    let line = TransferLine::new();
    let mut said = String::new();
    for file in &plan.files {
        let to = folder.join(file.path());
        if is_there(&to, file.bytes) {
            continue;
        }
        if unfinished(file, &to).is_some() {
            say("slotwright: going on with what was fetched before");
        }
        let mut on_step = |step: Step| match step {
            Step::Checking(done, total) => line.show("checking what is here", done, total),
            Step::Fetching(done, total) => line.show("fetching", done, total),
            Step::Again(error) => {
                let message = format!("slotwright: {error}; trying again");
                // Once is enough if nothing new happens.
                if message != said {
                    line.hide(|| say(&message));
                    said = message;
                }
            }
        };
        own_store::fetch(hub, &plan.repository, file, &to, &mut on_step).await?;
    }
    Ok(folder.join(plan.files[0].path()))
}

fn is_there(path: &Path, bytes: u64) -> bool {
    std::fs::metadata(path).is_ok_and(|metadata| metadata.is_file() && metadata.len() == bytes)
}

/// How the model is used from now on.
fn next(listing: &Listing, model: &Model, config: &Config) -> String {
    let is_best = || {
        let best = listing.default_model(&which_model::machine());
        best.is_some_and(|best| best.path == model.path)
    };
    if config.model.is_none() && is_best() {
        "it is used if you name no other".to_owned()
    } else {
        format!(
            "--model {0} uses it, and slotwright models default {0} makes it the default",
            model.name
        )
    }
}
