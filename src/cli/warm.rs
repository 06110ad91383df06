//! `slotwright warm`: reads files ahead of time.

use super::command;
use super::exit::ExitCode;
use super::failure::{Failure, engine_failure, flow_failure, workspace_failure};
use super::folders;
use super::model;
use super::model_arguments::ModelArguments;
use super::progress::ProgressLine;
use super::report::{CommandReport, ErrorReport, Output, Status};
use super::settings;
use super::terminal::say;
use super::which_model::is_server;
use crate::config::InForce;
use crate::engine::Engine;
use crate::flow::GenerateOptions;
use crate::flow::ahead::{self, Read};
use clap::Args;
use serde::Serialize;
use std::path::PathBuf;
use std::time::Instant;

pub(super) const ABOUT: &str = "\
Let the model read files ahead of time, so that the first edit in them is as fast as the second.

Reading a file costs a large model seconds on a processor. What it made of the file is kept in the \
cache folder, which only you can read: what was not used for two weeks goes, and what was used \
longest ago when it takes more than 2 GiB. An edit keeps what it has read there too (edit \
--no-cache does not), and slotwright purge removes it all. A file that is too long to be shown \
whole cannot be read ahead: which parts of it are shown depends on the task.";

/// What `slotwright warm` is told.
#[derive(Debug, Args)]
pub(super) struct WarmArguments {
    /// Files to be edited soon; relative to --root. Without any, only
    /// the worked examples are read
    #[arg(value_name = "PATH")]
    files: Vec<String>,
    /// The folder to edit
    #[arg(long, value_name = "DIR", default_value = ".")]
    root: PathBuf,
    #[command(flatten)]
    model: ModelArguments,
}

/// What came of it; people read it line by line.
#[derive(Default, Serialize)]
struct Warmed {
    status: Status,
    error: Option<ErrorReport>,
}

impl CommandReport for Warmed {
    fn end(&mut self) -> (&mut Status, &mut Option<ErrorReport>) {
        (&mut self.status, &mut self.error)
    }
}

pub(super) fn run(arguments: &WarmArguments) -> ExitCode {
    command::run::<Warmed>(Output::Text, "cache", async |_| warm(arguments).await)
}

async fn warm(arguments: &WarmArguments) -> Result<ExitCode, Failure> {
    let (workspace, InForce { config, .. }) =
        settings::open(&arguments.root, arguments.model.flags())?;
    let choice = arguments.model.choice(&config);
    if choice.model.as_deref().is_some_and(is_server) {
        let message = "a model on a server cannot be warmed: \
                       the server keeps what its model has read, or does not";
        return Err(Failure::new(ExitCode::Usage, "server", message)
            .hint("warm is for GGUF files on this machine"));
    }
    let paths = arguments
        .files
        .iter()
        .map(|path| workspace.resolve_named(path))
        .collect::<Result<Vec<_>, _>>();
    let paths = paths.map_err(workspace_failure)?;
    let progress = ProgressLine::new();
    let (mut engine, profile) = model::start(&choice, Some(folders::prefixes()), &mut |p| {
        progress.show(p)
    })
    .await?;
    let started = Instant::now();
    let read = ahead::instructions(&profile, &mut engine, &mut |p| progress.show(p))
        .await
        .map_err(flow_failure)?;
    progress.clear();
    // The bundled model has none; that is only worth a word if nothing else was asked for.
    if read != Read::Unknown || paths.is_empty() {
        tell("the instructions", read, started);
    }
    engine.keep_read().await.map_err(engine_failure)?;
    let options = GenerateOptions::new(profile);
    for path in paths {
        let started = Instant::now();
        let read = ahead::file(&path, &workspace, &options, &mut engine, &mut |p| {
            progress.show(p)
        })
        .await
        .map_err(flow_failure)?;
        progress.clear();
        tell(&path, read, started);
        engine.keep_read().await.map_err(engine_failure)?;
    }
    Ok(ExitCode::Done)
}

fn tell(what: &str, read: Read, started: Instant) {
    say(&match read {
        Read::Tokens(0) => format!("slotwright: {what}: read before"),
        Read::Tokens(n_tokens) => {
            format!(
                "slotwright: {what}: {n_tokens} tokens read in {:.1} s",
                started.elapsed().as_secs_f64()
            )
        }
        Read::TooLong { n_tokens, max } => format!(
            "slotwright: {what}: not read: it has {n_tokens} tokens, \
             and of more than {max} the task says which are shown"
        ),
        Read::Blank => format!("slotwright: {what}: there is nothing in it"),
        Read::Unknown => format!("slotwright: {what}: not read: it depends on the task"),
    });
}
