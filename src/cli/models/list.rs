//! `slotwright models`: what is on this machine, and which one is used.

use super::report::{DeviceReport, ModelReport, ModelsReport, UnusableReport};
use super::table;
use crate::app::model_reference::{self, Target, Why, described, worth_fetching};
use crate::app::report::{Output, Status};
use crate::app::running_model::{self, BUNDLED};
use crate::app::settings;
use crate::cli::config::origin;
use crate::config::Config;
use crate::console::{print_shown, say, width};
use crate::failure::ExitCode;
use crate::failure::Failure;
use crate::models::header::{Extent, Header};
use crate::models::{Listing, Machine, Model};
use std::io::{self, Cursor};

pub(super) async fn list(output: Output, report: &mut ModelsReport) -> Result<ExitCode, Failure> {
    let why = look(report).await?;
    if output == Output::Json {
        return Ok(ExitCode::Done);
    }
    print_shown(&table::render(report, width(&io::stdout())))?;
    for unread in &report.unread {
        say(&format!("{unread}"));
    }
    say(&why);
    Ok(ExitCode::Done)
}

/// The tables for people, with a sentence on what is used without `--model`.
pub(in crate::cli) async fn tables() -> Result<String, Failure> {
    let mut report = ModelsReport::default();
    let why = look(&mut report).await?;
    Ok(format!("{}{why}\n", table::render(&report, None)))
}

/// Fills a report. Returns a sentence on what is used without `--model`.
async fn look(report: &mut ModelsReport) -> Result<String, Failure> {
    let in_force = settings::load(Config::default(), None)?;
    let config = &in_force.config;
    let machine = model_reference::machine();
    let listing = model_reference::listing(&config.model_folders);
    let (used, why) = match &config.model {
        Some(reference) => {
            let from = in_force.origin("model").map_or_else(String::new, origin);
            configured(reference, &from, config, &listing)
        }
        None => best(listing.default_model(&machine)),
    };

    fill(report, &listing, &machine, used.as_ref());
    let devices = running_model::devices().await;
    report.devices = DeviceReport::all(&devices);
    report.unusable_devices = devices.unusable;
    Ok(why)
}

/// The model that is set, unless it is on a server or cannot be found, and a sentence about it.
fn configured(
    reference: &str,
    from: &str,
    config: &Config,
    listing: &Listing,
) -> (Option<Target>, String) {
    match model_reference::named(reference, &config.model_folders) {
        Ok(Target::Server { .. }) => {
            let why = format!("without --model {reference} is used, as it is set ({from})");
            (None, why)
        }
        Ok(target) => {
            // A file may lie where nobody looks for models.
            let is_listed = match &target {
                Target::File { path, .. } => listing.models.iter().any(|it| it.path == *path),
                _ => true,
            };
            let name = if is_listed { "*" } else { &target.name() };
            let why = format!("{name} is used without --model, as it is set ({from})");
            (Some(target), why)
        }
        Err(failure) => {
            let message = failure.message;
            (None, format!("the model that is set ({from}): {message}"))
        }
    }
}

/// The model that is used where none is set, and why.
fn best(model: Option<&Model>) -> (Option<Target>, String) {
    let Some(model) = model else {
        let best = &worth_fetching()[0];
        let (best, command) = (described(best), best.fetch_command());
        let why =
            format!("none of these is used without --model; worth fetching is {best}: {command}");
        return (None, why);
    };
    let best = match model.measured_right() {
        Some(_) => "it gets most right, as measured",
        None => "none was measured, and it is the largest",
    };
    let why = format!("* is used without --model: of the instruct models that fit, {best}");
    (Some(Target::of(model, Why::Default)), why)
}

fn fill(report: &mut ModelsReport, listing: &Listing, machine: &Machine, used: Option<&Target>) {
    let mut models: Vec<&Model> = listing.models.iter().collect();
    models.sort_by(|a, b| b.rank().cmp(&a.rank()).then_with(|| a.name.cmp(&b.name)));
    for model in models {
        let is_default = matches!(used, Some(Target::File { path, .. }) if *path == model.path);
        report
            .models
            .push(ModelReport::of(model, machine, is_default));
    }

    let header = Header::read_from(Cursor::new(BUNDLED), Extent::UpToVocabulary)
        .expect("a test reads its header");
    let is_default = matches!(used, Some(Target::Bundled));
    let bundled = ModelReport::bundled(&header, BUNDLED.len() as u64, is_default);
    report.models.push(bundled);

    report.unusable = listing.flawed.iter().map(UnusableReport::of).collect();
    report.unread.clone_from(&listing.unread);
    report.status = Status::Done;
}
