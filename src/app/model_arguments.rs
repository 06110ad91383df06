//! The options of every command that asks a model.

use super::folders;
use crate::config::Config;
use crate::engine::adapter::AdapterChoice;
use crate::engine::device::DeviceChoice;
use clap::Args;
use std::path::PathBuf;

/// Which model, and how it is run.
#[derive(Debug, Args)]
pub(crate) struct ModelArguments {
    /// The model: a name that slotwright models lists, a GGUF file, "bundled", or
    /// http(s)://HOST/v1#NAME on a server (its key from SLOTWRIGHT_API_KEY) [default:
    /// SLOTWRIGHT_MODEL, else what config.toml names, else the best one on this machine]
    #[arg(long, value_name = "REF")]
    pub model: Option<String>,
    #[command(flatten)]
    pub process: ProcessArguments,
}

/// Which model, and how it is run, after the configuration has been asked.
#[derive(Clone, Debug)]
pub(crate) struct ModelChoice {
    /// As `--model` takes it; `None`: the best one on this machine.
    pub model: Option<String>,
    /// Whether the person named it with this command.
    pub is_named: bool,
    /// Further folders with models.
    pub folders: Vec<PathBuf>,
    /// See [`Config::shown_tokens`].
    pub shown_tokens: Option<usize>,
    pub process: ProcessArguments,
}

impl ModelArguments {
    /// The flags that are keys of the configuration too.
    pub fn flags(&self) -> Config {
        Config {
            model: self.model.clone(),
            ..self.process.flags()
        }
    }

    /// The model to use. `config`: what is in force with these flags.
    pub fn choice(&self, config: &Config) -> ModelChoice {
        ModelChoice {
            model: config.model.clone(),
            is_named: self.model.is_some(),
            folders: config.model_folders.clone(),
            shown_tokens: config.shown_tokens,
            process: self.process.configured(config),
        }
    }
}

/// How a model is run.
#[derive(Clone, Debug, Args)]
pub(crate) struct ProcessArguments {
    /// Threads to compute with [default: what config.toml says, else one for each physical core]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub threads: Option<u16>,
    /// The adapter to load with the model: "none", or a GGUF file [default: slotwright's own, if
    /// it has one for the model]
    #[arg(long, value_name = "none|FILE")]
    pub adapter: Option<String>,
    /// What to compute on: "auto" (a GPU if there is one), "cpu", or a device that slotwright models
    /// lists [default: what config.toml says, else auto]
    #[arg(long, value_name = "auto|cpu|NAME")]
    pub device: Option<String>,
    /// Load a model even if it does not seem to fit into memory
    #[arg(long)]
    pub skip_memory_check: bool,
    /// Give up when the model process has been silent for so long; while it computes it is not. A
    /// server may take five times as long to begin its answer
    #[arg(long, value_name = "SECONDS", default_value_t = 60)]
    #[arg(value_parser = clap::value_parser!(u16).range(1..))]
    pub model_timeout: u16,
    /// Show the log of llama.cpp
    #[arg(long, short)]
    pub verbose: bool,
}

impl ProcessArguments {
    /// The flags that are keys of the configuration too.
    pub fn flags(&self) -> Config {
        Config {
            threads: self.threads,
            device: self.device.clone(),
            ..Config::default()
        }
    }

    /// Whether the person gave any of them that changes how a model is run.
    pub fn is_given(&self) -> bool {
        self.threads.is_some()
            || self.adapter.is_some()
            || self.device.is_some()
            || self.skip_memory_check
            || self.verbose
    }

    /// The same with what is in force.
    pub fn configured(&self, config: &Config) -> ProcessArguments {
        ProcessArguments {
            threads: config.threads,
            device: config.device.clone(),
            ..self.clone()
        }
    }

    /// How many threads compute.
    pub fn threads(&self) -> usize {
        self.threads
            .map_or_else(num_cpus::get_physical, usize::from)
    }

    /// What it computes on.
    pub fn device(&self) -> DeviceChoice {
        let word = self.device.as_deref();
        word.map_or(DeviceChoice::Auto, DeviceChoice::of)
    }

    /// The adapter that goes with the model.
    pub fn adapter(&self) -> AdapterChoice {
        match self.adapter.as_deref() {
            Some("none") => AdapterChoice::None,
            Some(path) => AdapterChoice::File(PathBuf::from(path)),
            None => AdapterChoice::Own {
                folder: folders::cache().join("models"),
            },
        }
    }
}
