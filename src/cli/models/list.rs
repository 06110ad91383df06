//! `slotwright models`: what is on this machine, and which one is used.

use super::report::{ModelReport, ModelsReport, UnreadReport, UnusableReport};
use super::table;
use crate::cli::config::origin;
use crate::cli::exit::ExitCode;
use crate::cli::failure::{Failure, print_shown};
use crate::cli::model::BUNDLED;
use crate::cli::report::{Output, Status};
use crate::cli::settings;
use crate::cli::terminal::say;
use crate::cli::which_model::{self, Target, Why};
use crate::config::Config;
use crate::models::header::{Extent, Header};
use crate::models::{Listing, Machine, Model};
use std::io::Cursor;

pub(super) fn list(output: Output, report: &mut ModelsReport) -> Result<ExitCode, Failure> {
    let in_force = settings::load(Config::default(), None)?;
    let config = &in_force.config;
    let machine = which_model::machine();
    let listing = which_model::listing(&config.model_folders);
    let used = match &config.model {
        Some(reference) => {
            let from = in_force.origin("model").map_or_else(String::new, origin);
            Used::configured(reference, &from, config)
        }
        None => Used::best(listing.default_model(&machine)),
    };
    fill(report, &listing, &machine, &used);
    if output == Output::Json {
        return Ok(ExitCode::Done);
    }
    print_shown(&table::render(report))?;
    for unread in &listing.unread {
        say(&format!("slotwright: {unread}"));
    }
    say(&format!("slotwright: {}", used.why));
    Ok(ExitCode::Done)
}

/// What is used if no model is named.
struct Used {
    /// None if it is on a server, or cannot be found.
    target: Option<Target>,
    /// In a sentence.
    why: String,
}

impl Used {
    fn configured(reference: &str, from: &str, config: &Config) -> Used {
        match which_model::named(reference, &config.model_folders) {
            Ok(Target::Server { .. }) => Used {
                target: None,
                why: format!("without --model {reference} is used, as it is set ({from})"),
            },
            Ok(target) => Used {
                target: Some(target),
                why: format!("* is used without --model, as it is set ({from})"),
            },
            Err(failure) => Used {
                target: None,
                why: format!("the model that is set ({from}): {}", failure.error.message),
            },
        }
    }

    fn best(model: Option<&Model>) -> Used {
        let Some(model) = model else {
            let target = Target::Bundled(Why::Default);
            let note = target.note().unwrap_or_default();
            return Used {
                target: Some(target),
                why: format!("without --model: {note}"),
            };
        };
        let best = match model.measured_right() {
            Some(_) => "it gets most right, as measured",
            None => "none was measured, and it is the largest",
        };
        let why = format!("* is used without --model: of the instruct models that fit, {best}");
        Used {
            target: Some(Target::of(model, Why::Default)),
            why,
        }
    }

    fn is_bundled(&self) -> bool {
        matches!(self.target, Some(Target::Bundled(_)))
    }

    fn is(&self, model: &Model) -> bool {
        matches!(&self.target, Some(Target::File { path, .. }) if *path == model.path)
    }
}

fn fill(report: &mut ModelsReport, listing: &Listing, machine: &Machine, used: &Used) {
    let mut models: Vec<_> = listing.models.iter().collect();
    models.sort_by(|a, b| b.rank().cmp(&a.rank()).then_with(|| a.name.cmp(&b.name)));
    report.models = models
        .into_iter()
        .map(|model| ModelReport::of(model, machine, used.is(model)))
        .collect();
    let bundled = Header::read_from(Cursor::new(BUNDLED), Extent::UpToVocabulary)
        .expect("a test reads its header");
    report.models.push(ModelReport::bundled(
        &bundled,
        BUNDLED.len() as u64,
        used.is_bundled(),
    ));
    report.unusable = listing.flawed.iter().map(UnusableReport::of).collect();
    report.unread = listing.unread.iter().map(UnreadReport::of).collect();
    report.status = Status::Done;
}
