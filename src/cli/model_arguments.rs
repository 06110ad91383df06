//! The options of every command that asks a model.

use clap::Args;

/// Which model, and how it is run.
#[derive(Debug, Args)]
pub(super) struct ModelArguments {
    /// The model: a name that slotwright models lists, a GGUF file, "bundled", or
    /// http(s)://HOST/v1#NAME on a server (its key from SLOTWRIGHT_API_KEY) [default: the best one
    /// on this machine]
    #[arg(long, value_name = "REF", env = "SLOTWRIGHT_MODEL")]
    pub model: Option<String>,
    #[command(flatten)]
    pub process: ProcessArguments,
}

/// How a model is run.
#[derive(Clone, Debug, Args)]
pub(super) struct ProcessArguments {
    /// Threads to compute with [default: one for each physical core]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub threads: Option<u16>,
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
    /// How many threads compute.
    pub fn threads(&self) -> usize {
        self.threads.map_or_else(num_cpus::get_physical, usize::from)
    }
}
