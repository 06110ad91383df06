//! `slotwright config`: what is in force, and where each value comes from.

use super::command;
use super::edit::probability;
use super::exit::ExitCode;
use super::failure::{Failure, print_shown};
use super::report::{CommandReport, ErrorReport, Output, Status};
use super::settings;
use crate::config::keys::{KEYS, Key, Scope, WARNINGS};
use crate::config::{ConfigFile, Flags, InForce, Origin, Setting};
use crate::text::visible;
use clap::Args;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;
use std::path::PathBuf;
use unicode_width::UnicodeWidthStr;

/// What `slotwright config` is told.
#[derive(Debug, Args)]
pub(super) struct ConfigArguments {
    /// The folder to edit, whose slotwright.toml counts
    #[arg(long, value_name = "DIR", default_value = ".")]
    root: PathBuf,
    /// Print one JSON object instead of a table
    #[arg(long)]
    json: bool,
    /// As for edit
    #[arg(long, value_name = "REF")]
    model: Option<String>,
    /// As for edit
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    threads: Option<u16>,
    /// As for edit
    #[arg(long, value_name = "X", value_parser = probability)]
    min_certainty: Option<f64>,
    /// As for edit and apply
    #[arg(long, value_name = "WARNING", value_delimiter = ',')]
    #[arg(value_parser = WARNINGS.to_vec(), hide_possible_values = true)]
    accept: Vec<String>,
}

/// The result of `config`; its schema is `schemas/config.json`.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct ConfigReport {
    /// `already_done`, or `not_made` if a file cannot be used.
    pub status: Status,
    /// One for each key, and for a list one for each source.
    pub settings: Vec<Setting>,
    /// The files that were looked for: the project's, the person's.
    pub files: Vec<ConfigFile>,
    /// Why there is nothing to show.
    pub error: Option<ErrorReport>,
}

impl CommandReport for ConfigReport {
    const ONLY_SHOWS: bool = true;

    fn end(&mut self) -> (&mut Status, &mut Option<ErrorReport>) {
        (&mut self.status, &mut self.error)
    }
}

/// The long help, with all keys.
pub(super) fn about() -> String {
    let keys = |scope| {
        let of_scope = KEYS.iter().filter(move |key| key.scope == scope);
        of_scope
            .map(|key| format!("  {}: {}\n", key.name, key.about))
            .collect::<String>()
    };
    format!(
        "Show which settings are in force here, and where each comes from.\n\n\
         Your own file is slotwright/config.toml in the XDG config folder. A project may have a \
         slotwright.toml in the folder that is edited. A flag counts before the environment, that \
         before the project, and that before your own file; lists add up instead.\n\n\
         Keys of your own file alone:\n{}\n\
         Keys of both files:\n{}",
        keys(Scope::Person),
        keys(Scope::Project)
    )
}

pub(super) fn run(arguments: &ConfigArguments) -> ExitCode {
    let output = Output::of_flag(arguments.json);
    command::run(output, "configuration", async |report| {
        show(arguments, output, report)
    })
}

fn show(
    arguments: &ConfigArguments,
    output: Output,
    report: &mut ConfigReport,
) -> Result<ExitCode, Failure> {
    let flags = Flags::default()
        .with("model", &arguments.model)
        .with("threads", &arguments.threads)
        .with("min_certainty", &arguments.min_certainty)
        .with("accept", &arguments.accept);
    let (
        _,
        InForce {
            settings, files, ..
        },
    ) = settings::open(&arguments.root, flags)?;
    if output == Output::Text {
        print_shown(&table(&settings, &files))?;
    }
    report.status = Status::AlreadyDone;
    (report.settings, report.files) = (settings, files);
    Ok(ExitCode::Done)
}

/// A line for each setting and each file.
fn table(settings: &[Setting], files: &[ConfigFile]) -> String {
    let cells = settings.iter().map(|setting| {
        [
            setting.key.clone(),
            value(setting),
            visible(&origin(&setting.origin)).into_owned(),
        ]
    });
    let cells: Vec<[String; 3]> = cells.collect();
    let width = |column: usize| {
        cells
            .iter()
            .map(|row| row[column].width())
            .max()
            .unwrap_or(0)
    };
    let (of_key, of_value) = (width(0), width(1));
    let padded = |text: &str, width: usize| " ".repeat(width.saturating_sub(text.width()));
    let mut table = String::new();
    for [key, value, origin] in &cells {
        let (after_key, after_value) = (padded(key, of_key), padded(value, of_value));
        table += &format!("{key}{after_key}  {value}{after_value}  {origin}\n");
    }
    for file in files {
        let path = file.path.display().to_string();
        let state = if file.exists { "read" } else { "not there" };
        table += &format!("{}: {state}\n", visible(&path));
    }
    table
}

/// The value as a file would have it, or what holds without one.
fn value(setting: &Setting) -> String {
    if setting.origin == Origin::Default {
        return Key::of_name(&setting.key)
            .map_or("", |key| key.default)
            .to_owned();
    }
    let text = match &setting.value {
        Value::Array(items) => {
            format!(
                "[{}]",
                items
                    .iter()
                    .map(Value::to_string)
                    .collect::<Vec<_>>()
                    .join(", ")
            )
        }
        value => value.to_string(),
    };
    visible(&text).into_owned()
}

/// Where a value comes from, in a word or two.
pub(super) fn origin(origin: &Origin) -> String {
    match origin {
        Origin::Default => "default".to_owned(),
        Origin::File { path, line } => format!("{}:{line}", path.display()),
        Origin::Environment { variable } => format!("environment: {variable}"),
        Origin::Flag { flag } => format!("flag: {flag}"),
    }
}
