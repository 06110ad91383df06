//! `slotwright models default`: which model is used if none is named.

use super::report::StoreReport;
use crate::app::folders;
use crate::app::model_reference::{self, BUNDLED, Target};
use crate::app::report::{Output, Status};
use crate::app::settings;
use crate::cli::command;
use crate::cli::config::origin as shown;
use crate::config::{self, Config, InForce, Origin};
use crate::console::say;
use crate::failure::ExitCode;
use crate::failure::{Failure, FailureKind};
use clap::Args;

pub(super) const ABOUT: &str = "\
Show or set which model is used if none is named.

It is the key `model` of config.toml in the XDG config folder; everything else in that file stays. \
SLOTWRIGHT_MODEL and --model count before it.";

/// The arguments of `slotwright models default`.
#[derive(Debug, Args)]
pub(super) struct DefaultArguments {
    /// What --model takes; without it, the default is shown
    #[arg(value_name = "REF", conflicts_with = "best")]
    reference: Option<String>,
    /// Have none: the best model on this machine is used
    #[arg(long)]
    best: bool,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

pub(super) fn run(arguments: &DefaultArguments) -> ExitCode {
    let output = Output::of_flag(arguments.json);
    command::run(output, "default", async |report| {
        let in_force = settings::load(Config::default(), None)?;
        match &arguments.reference {
            None if arguments.best => set(None, &in_force, report),
            None => show(&in_force, report),
            Some(reference) => {
                let lasting = lasting(reference, &in_force.config, report)?;
                set(Some(&lasting), &in_force, report)
            }
        }
    })
}

fn set(
    reference: Option<&str>,
    in_force: &InForce,
    report: &mut StoreReport,
) -> Result<ExitCode, Failure> {
    let Some(path) = folders::config_file() else {
        let message = "there is no home folder for config.toml";
        return Err(Failure::new(FailureKind::ConfigFile, message));
    };
    config::set_model(&path, reference)?;

    report.status = Status::Done;
    let now = reference.unwrap_or("the best model on this machine");
    let path = path.display();
    say(&format!("the default is {now} now ({path})"));
    if let Some(Origin::Environment { variable }) = in_force.origin("model") {
        say(&format!("but {variable} is set, and counts before it"));
    }
    Ok(ExitCode::Done)
}

/// A reference that means the same from every folder.
fn lasting(reference: &str, config: &Config, report: &mut StoreReport) -> Result<String, Failure> {
    let lasting = match model_reference::named(reference, &config.model_folders)? {
        Target::Bundled => BUNDLED.to_owned(),
        Target::Server { reference } => reference,
        Target::File { path, name, .. } => {
            let absolute = std::fs::canonicalize(&path).map_err(|error| {
                let message = format!("cannot read {}: {error}", path.display());
                Failure::new(FailureKind::ModelName, message)
            })?;
            let absolute = absolute.to_string_lossy().into_owned();
            report.path = Some(absolute.clone());
            name.unwrap_or(absolute)
        }
    };

    report.name = Some(lasting.clone());
    Ok(lasting)
}

fn show(in_force: &InForce, report: &mut StoreReport) -> Result<ExitCode, Failure> {
    report.status = Status::AlreadyDone;
    let config = &in_force.config;
    if let Some(reference) = &config.model {
        report.name = Some(reference.clone());
        let from = in_force.origin("model").map_or_else(String::new, shown);
        say(&format!("the default is {reference} ({from})"));
        return Ok(ExitCode::Done);
    }

    let listing = model_reference::listing(&config.model_folders);
    let best = listing.default_model(&model_reference::machine());
    let note = match best {
        Some(model) => {
            report.name(model);
            format!(
                "none is set; {} is the best model on this machine",
                model.name
            )
        }
        None => "none is set, and there is no model to use; slotwright models says more".to_owned(),
    };
    say(&note);
    Ok(ExitCode::Done)
}
