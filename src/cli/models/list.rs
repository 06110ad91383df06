//! `slotwright models`: what is on this machine, and which one is used.

use super::report::{ModelReport, ModelsReport, UnreadReport, UnusableReport};
use super::table;
use crate::cli::exit::ExitCode;
use crate::cli::failure::{Failure, output_failure};
use crate::cli::model::BUNDLED;
use crate::cli::report::{Output, Status};
use crate::cli::settings;
use crate::cli::terminal::{print, say};
use crate::cli::which_model::{self, Target, Why};
use crate::config::Flags;
use crate::models::choice::BEARABLE;
use crate::models::header::{Extent, Header};
use crate::models::{Listing, Machine};
use std::io::Cursor;

pub(super) fn list(output: Output, report: &mut ModelsReport) -> Result<ExitCode, Failure> {
    let config = settings::load(Flags::default(), None)?.config;
    let threads = config.threads.map_or_else(num_cpus::get_physical, usize::from);
    let machine = which_model::machine(threads);
    let listing = which_model::listing(&config.model_folders);
    fill(report, &listing, &machine);
    if output == Output::Json {
        return Ok(ExitCode::Done);
    }
    print(&table::render(report)).map_err(|error| output_failure(&error, "nothing was written"))?;
    for unread in &listing.unread {
        say(&format!("slotwright: {unread}"));
    }
    say(&rule(report, &machine));
    Ok(ExitCode::Done)
}

fn fill(report: &mut ModelsReport, listing: &Listing, machine: &Machine) {
    let default = listing.default_model(machine);
    let mut models: Vec<_> = listing.models.iter().collect();
    models.sort_by(|a, b| {
        b.expected_right().total_cmp(&a.expected_right()).then_with(|| a.name.cmp(&b.name))
    });
    report.models = models
        .into_iter()
        .map(|model| {
            let is_default = default.is_some_and(|default| std::ptr::eq(default, model));
            ModelReport::of(model, machine, is_default)
        })
        .collect();
    let bundled = Header::read_from(Cursor::new(BUNDLED), Extent::UpToVocabulary)
        .expect("a test reads its header");
    report.models.push(ModelReport::bundled(&bundled, BUNDLED.len() as u64, default.is_none()));
    report.unusable = listing.flawed.iter().map(UnusableReport::of).collect();
    report.unread = listing.unread.iter().map(UnreadReport::of).collect();
    report.status = Status::Done;
}

/// Which model is used, and why, in a sentence.
fn rule(report: &ModelsReport, machine: &Machine) -> String {
    let default = report.models.iter().find(|model| model.is_default);
    let is_bundled = default.is_none_or(|model| model.path.is_none());
    if is_bundled {
        let note = Target::Bundled(Why::Default).note().unwrap_or_default();
        return format!("slotwright: without --model: {note}");
    }
    let speed = match machine.has_device {
        true => String::new(),
        false => format!(" and reads at least {BEARABLE} tokens a second"),
    };
    format!(
        "slotwright: * is used without --model: of the instruct models, \
         it fits into memory now{speed}, and is expected to get most right"
    )
}
