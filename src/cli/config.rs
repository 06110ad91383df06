//! `slotwright config`: what is in force, and where each value comes from.

use super::columns::{Columns, Last};
use super::command;
use crate::app::report::{CommandReport, ErrorReport, Output, Status};
use crate::app::settings;
use crate::config::{self, Config, ConfigFile, Key, Origin, Setting};
use crate::console::{print_shown, width};
use crate::failure::ExitCode;
use crate::failure::Failure;
use crate::text::visible;
use crate::workspace::Workspace;
use clap::Args;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;
use std::io;
use std::path::{Path, PathBuf};

/// The arguments of `slotwright config`.
#[derive(Debug, Args)]
pub(crate) struct ConfigArguments {
    /// The folder to edit, whose slotwright.toml counts
    #[arg(long, value_name = "DIR", default_value = ".")]
    root: PathBuf,
    /// Print one JSON object instead of a table
    #[arg(long)]
    json: bool,
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
pub(crate) fn about() -> String {
    let (of_both, of_person): (Vec<Key>, Vec<Key>) =
        config::keys().into_iter().partition(Key::is_for_projects);
    format!(
        "Show which settings are in force here, and where each comes from.\n\n\
         Your own file is slotwright/config.toml in the XDG config folder. A project may have a \
         slotwright.toml in the folder that is edited. A flag counts before the environment, that \
         before the project, and that before your own file; lists add up instead.\n\n\
         Keys of your own file alone:\n{}\n\
         Keys of both files:\n{}",
        lines(&of_person),
        lines(&of_both)
    )
}

fn lines(keys: &[Key]) -> String {
    keys.iter()
        .map(|key| format!("  {}: {}\n", key.name, key.about))
        .collect()
}

pub(crate) fn run(arguments: &ConfigArguments) -> ExitCode {
    let output = Output::of_flag(arguments.json);
    command::run(output, "configuration", async |report| {
        show(arguments, output, report)
    })
}

/// What is in force in a folder, for people.
pub(super) fn table_of(root: &Path) -> Result<String, Failure> {
    let workspace = Workspace::open(root)?;
    let in_force = settings::load(Config::default(), Some(&workspace))?;
    Ok(table(&in_force.settings, &in_force.files))
}

fn show(
    arguments: &ConfigArguments,
    output: Output,
    report: &mut ConfigReport,
) -> Result<ExitCode, Failure> {
    let workspace = Workspace::open(&arguments.root)?;
    let in_force = settings::load(Config::default(), Some(&workspace))?;
    if output == Output::Text {
        print_shown(&table(&in_force.settings, &in_force.files))?;
    }
    report.status = Status::AlreadyDone;
    report.settings = in_force.settings;
    report.files = in_force.files;
    Ok(ExitCode::Done)
}

/// A line for each setting and each file.
fn table(settings: &[Setting], files: &[ConfigFile]) -> String {
    let width = width(&io::stdout());
    // A terminal has little room, and a script may want the whole path.
    let home = std::env::var("HOME").ok().filter(|_| width.is_some());
    let keys = config::keys();
    let mut rows = Vec::new();
    for setting in settings {
        let mut origin = origin(&setting.origin);
        if let Some(home) = &home
            && let Some(path) = origin.strip_prefix(&format!("{home}/"))
        {
            origin = format!("~/{path}");
        }
        let origin = visible(&origin).into_owned();
        rows.push(vec![setting.key.clone(), value(setting, &keys), origin]);
    }
    let columns = Columns {
        numbers: &[],
        breakable: &[(1, 20), (2, 24)],
        last: Last::Beside,
        width,
    };
    let mut table = columns.aligned(&rows);
    for file in files {
        let path = file.path.display().to_string();
        let state = if file.exists { "read" } else { "not there" };
        table += &format!("{}: {state}\n", visible(&path));
    }
    table
}

/// The value as a file would have it, or what holds without one.
fn value(setting: &Setting, keys: &[Key]) -> String {
    let text = match &setting.value {
        Value::Null => keys
            .iter()
            .find(|key| key.name == setting.key)
            .map_or("", |key| key.default)
            .to_owned(),
        Value::Array(items) => {
            let items: Vec<String> = items.iter().map(Value::to_string).collect();
            format!("[{}]", items.join(", "))
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
    }
}
