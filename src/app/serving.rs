//! The arguments of what serves an editor or an agent.

use super::arguments::probability;
use super::editor::{Editor, Reading};
use super::model_arguments::ModelArguments;
use super::{Say, settings};
use crate::config::Config;
use crate::failure::Failure;
use clap::Args;
use std::time::Duration;

/// The arguments that `mcp` and `acp` share.
#[derive(Debug, Args)]
pub(crate) struct ServingArguments {
    /// Free the model's memory after so long without a task; the next task loads it again
    #[arg(long, value_name = "SECONDS", default_value_t = 600)]
    #[arg(value_parser = clap::value_parser!(u32).range(1..))]
    idle: u32,
    /// As for edit: how sure the model has to be of what it wrote, from 0 to 1, for an edit without
    /// a warning
    #[arg(long, value_name = "X", value_parser = probability)]
    min_certainty: Option<f64>,
    /// As for edit: run this after each edit, in a throw-away copy [default: what config.toml says]
    #[arg(long, value_name = "CMD")]
    check: Option<String>,
    /// Keep nothing on disk of what the model read
    #[arg(long)]
    no_cache: bool,
    #[command(flatten)]
    model: ModelArguments,
}

impl ServingArguments {
    /// How long the model stays loaded without a task.
    pub fn idle(&self) -> Duration {
        Duration::from_secs(self.idle.into())
    }

    /// The editor that serves. Nothing is loaded yet, but the configuration is read and must be right.
    pub fn editor(&self, say: Say) -> Result<Editor, Failure> {
        let flags = Config {
            min_certainty: self.min_certainty,
            check: self.check.clone(),
            ..self.model.flags()
        };
        let reading = if self.no_cache {
            Reading::Forgotten
        } else {
            Reading::Kept
        };
        // A project's file never names a model, so no folder is needed to choose one.
        let config = settings::load(flags.clone(), None)?.config;
        let choice = self.model.choice(&config);
        Ok(Editor::new(flags, choice, reading, say))
    }
}
