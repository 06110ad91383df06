//! `slotwright models default`: which model is used if none is named.

use super::report::StoreReport;
use crate::cli::command;
use crate::cli::config::origin as origin_shown;
use crate::cli::exit::ExitCode;
use crate::cli::failure::Failure;
use crate::cli::folders;
use crate::cli::report::{Output, Status};
use crate::cli::settings;
use crate::cli::terminal::say;
use crate::cli::which_model::{self, BUNDLED, Target};
use crate::config::{self, Config, Origin};
use clap::Args;

pub(super) const ABOUT: &str = "\
Show or set which model is used if none is named.

It is the key `model` of config.toml in the XDG config folder; everything else in that file stays. \
SLOTWRIGHT_MODEL and --model count before it.";

/// What `slotwright models default` is told.
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
    command::run(output, "default", async |report| set(arguments, report))
}

fn set(arguments: &DefaultArguments, report: &mut StoreReport) -> Result<ExitCode, Failure> {
    let in_force = settings::load(Config::default(), None)?;
    let config = &in_force.config;
    let origin = in_force.origin("model");
    let reference = match &arguments.reference {
        _ if arguments.best => None,
        Some(reference) => Some(lasting(reference, config, report)?),
        None => {
            report.status = Status::AlreadyDone;
            show(config, origin, report)?;
            return Ok(ExitCode::Done);
        }
    };
    let Some(path) = folders::config_file() else {
        let message = "there is no home folder for config.toml";
        return Err(Failure::new(ExitCode::Environment, "config", message));
    };
    config::set_model(&path, reference.as_deref())?;
    report.status = Status::Done;
    let now = match &reference {
        Some(reference) => format!("the default is {reference} now"),
        None => "the default is the best model on this machine now".to_owned(),
    };
    say(&format!("slotwright: {now} ({})", path.display()));
    if let Some(Origin::Environment { variable }) = origin {
        say(&format!(
            "slotwright: but {variable} is set, and counts before it"
        ));
    }
    Ok(ExitCode::Done)
}

/// A reference that means the same from every folder.
fn lasting(reference: &str, config: &Config, report: &mut StoreReport) -> Result<String, Failure> {
    let lasting = match which_model::named(reference, &config.model_folders)? {
        Target::Bundled(_) => BUNDLED.to_owned(),
        Target::Server { reference } => reference,
        Target::File {
            name: Some(name),
            path,
            ..
        } => {
            report.path = Some(path.to_string_lossy().into_owned());
            name
        }
        Target::File { path, .. } => {
            let absolute = std::fs::canonicalize(&path).map_err(|error| {
                let message = format!("cannot read {}: {error}", path.display());
                Failure::new(ExitCode::Usage, "model", message)
            })?;
            let absolute = absolute.to_string_lossy().into_owned();
            report.path = Some(absolute.clone());
            absolute
        }
    };
    report.name = Some(lasting.clone());
    Ok(lasting)
}

fn show(config: &Config, origin: Option<&Origin>, report: &mut StoreReport) -> Result<(), Failure> {
    if let Some(reference) = &config.model {
        report.name = Some(reference.clone());
        let from = origin.map_or_else(String::new, origin_shown);
        say(&format!("slotwright: the default is {reference} ({from})"));
        return Ok(());
    }
    let listing = which_model::listing(&config.model_folders);
    let name = match listing.default_model(&which_model::machine()) {
        Some(model) => {
            report.name(model);
            model.name.as_str()
        }
        None => {
            report.name = Some(BUNDLED.to_owned());
            BUNDLED
        }
    };
    say(&format!(
        "slotwright: none is set; {name} is the best model on this machine"
    ));
    Ok(())
}
