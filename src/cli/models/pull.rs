//! `slotwright models pull`: a model from its publisher.

use super::report::StoreReport;
use super::table::size;
use crate::app::folders;
use crate::app::model_reference::{self, described};
use crate::app::report::{CommandReport, ErrorReport, Output, Status};
use crate::app::settings;
use crate::cli::command;
use crate::cli::progress::TransferLine;
use crate::cli::terminal::AnswersFrom;
use crate::config::Config;
use crate::console::{say, say_more};
use crate::failure::ExitCode;
use crate::failure::{Failure, FailureKind};
use crate::models::own::fetch::part_path;
use crate::models::own::{self, Hub, Plan, Step, StoreError};
use crate::models::{Listing, Model, catalogue};
use clap::Args;
use serde::Serialize;
use std::path::{Path, PathBuf};

/// A [`StoreReport`], with what is said when the person interrupts.
#[derive(Default, Serialize)]
#[serde(transparent)]
struct PullReport(StoreReport);

impl CommandReport for PullReport {
    const INTERRUPTED: &'static str =
        "interrupted; what was fetched is kept, and the same command continues it";

    fn end(&mut self) -> (&mut Status, &mut Option<ErrorReport>) {
        self.0.end()
    }
}

/// The arguments of `slotwright models pull`.
#[derive(Debug, Default, Args)]
pub(super) struct PullArguments {
    /// A name of the catalogue, or PUBLISHER/REPOSITORY[:FILE or QUANTIZATION]; without it you are asked
    name: Option<String>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

pub(super) fn about() -> String {
    let mut entries = String::new();
    for entry in catalogue::entries() {
        let right = entry
            .right
            .map_or_else(String::new, |right| format!(", {right} % right"));
        let size = size(entry.bytes);
        entries += &format!("  {}: {size}, {}{right}\n", entry.name, entry.licence);
    }

    format!(
        "Fetch a model from its publisher at Hugging Face.\n\n\
         The catalogue has these, with the share of 255 small tasks that they get right:\n\
         {entries}\n\
         Any other model is named PUBLISHER/REPOSITORY, which may be followed by a colon and a file \
         or quantization. The file goes to ~/.local/share/slotwright/models, and gets its name only \
         when its SHA-256 is its publisher's. What was fetched before a failure is kept, and the same \
         command continues it. A model that another program has already is not fetched again.\n\n\
         HF_ENDPOINT names a mirror, HF_TOKEN a token for models that want one, HTTPS_PROXY a proxy."
    )
}

pub(super) fn run(arguments: &PullArguments) -> ExitCode {
    let output = Output::of_flag(arguments.json);
    command::run::<PullReport>(
        output,
        "model",
        async |PullReport(report)| match &arguments.name {
            Some(name) => pull(name, report).await,
            None => pull(which().await?, report).await,
        },
    )
}

/// Asks which model of the catalogue to fetch.
async fn which() -> Result<&'static str, Failure> {
    let entries = catalogue::entries();
    let unnamed = Failure::new(FailureKind::Missing, "no model is named");
    let unnamed = unnamed.hint(entries[0].fetch_command());
    if !AnswersFrom::Input.can_ask() {
        return Err(unnamed);
    }

    say("which model is to be fetched?");
    for (entry, number) in entries.iter().zip(1..) {
        say_more(&format!("  {number}  {}", described(entry)));
    }
    let answer = AnswersFrom::Input.ask("A number, or nothing to leave it:");
    let entry = numbered(&answer.await.unwrap_or_default(), entries);
    Ok(&entry.ok_or(unnamed)?.name)
}

/// The choice that a number means, counted from 1.
pub(super) fn numbered<'c, T>(answer: &str, choices: &'c [T]) -> Option<&'c T> {
    let number: usize = answer.parse().ok()?;
    choices.get(number.checked_sub(1)?)
}

pub(super) async fn pull(name: &str, report: &mut StoreReport) -> Result<ExitCode, Failure> {
    let config = settings::load(Config::default(), None)?.config;
    let before = model_reference::listing(&config.model_folders);
    let in_catalogue = catalogue::entry(name).and_then(|entry| {
        let mut models = before.models.iter();
        models.find(|model| model.entry == Some(entry))
    });
    if let Some(model) = in_catalogue {
        return Ok(already(model, report));
    }

    let hub = Hub::of_environment(|name| std::env::var_os(name))?;
    let plan = own::plan(&hub, name).await?;
    report.licence.clone_from(&plan.licence);
    if let Some(model) = same(&before, &plan) {
        return Ok(already(model, report));
    }

    say(&format!(
        "fetching {} ({}, {}) from {}/{}",
        plan.file.name(),
        size(plan.file.bytes),
        plan.licence.as_deref().unwrap_or("no licence named"),
        hub.address(),
        plan.repository
    ));
    let path = fetch(&hub, &plan).await?;

    let after = model_reference::listing(&config.model_folders);
    let Some(model) = after.models.iter().find(|model| model.path == path) else {
        let message = format!("{} was fetched, and cannot be read", path.display());
        return Err(Failure::new(FailureKind::Model, message));
    };
    report.name(model);
    report.status = Status::Done;
    let (name, path) = (&model.name, path.display());
    say(&format!("fetched {name} to {path}"));

    let best = after.default_model(&model_reference::machine());
    let is_best = best.is_some_and(|best| best.path == model.path);
    let next = if is_best && config.model.is_none() {
        "it is used if you name no other".to_owned()
    } else {
        format!("--model {name} uses it, and slotwright models default {name} makes it the default")
    };
    say(&next.to_string());
    Ok(ExitCode::Done)
}

fn already(model: &Model, report: &mut StoreReport) -> ExitCode {
    report.name(model);
    report.status = Status::AlreadyDone;
    let (store, path) = (model.store.name(), model.path.display());
    say(&format!("{} is here already ({store}): {path}", model.name));
    ExitCode::Done
}

/// A model of any program that is the same file.
fn same<'l>(listing: &'l Listing, plan: &Plan) -> Option<&'l Model> {
    let name = Path::new(plan.file.name());
    listing.models.iter().find(|model| {
        let is_entry = plan.entry.is_some() && model.entry == plan.entry;
        let is_named_so = model.path.file_name() == name.file_name();
        is_entry || (is_named_so && model.bytes == plan.file.bytes)
    })
}

async fn fetch(hub: &Hub, plan: &Plan) -> Result<PathBuf, StoreError> {
    let folder = folders::own_models().join(&plan.repository);
    let to = folder.join(plan.file.path());
    if part_path(&plan.file, &to).is_file() {
        say("continuing what was fetched before");
    }

    let line = TransferLine::new();
    let mut last_said = String::new();
    let repository = &plan.repository;
    own::fetch(hub, repository, &plan.file, &to, &mut |step| match step {
        Step::Checking(done, total) => line.show("checking what is here", done, total),
        Step::Fetching(done, total) => line.show("fetching", done, total),
        Step::Again(error) => {
            let message = format!("{error}; trying again");
            // Once is enough if nothing new happens.
            if message != last_said {
                line.hide(|| say(&message));
                last_said = message;
            }
        }
    })
    .await?;
    Ok(to)
}
