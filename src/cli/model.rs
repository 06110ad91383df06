//! `--model REF`: which GGUF file that is, and its process; or which server.

use super::exit::ExitCode;
use super::failure::{Failure, engine_failure};
use super::folders;
use super::progress::ProgressLine;
use super::terminal::say;
use crate::engine::openai::{Address, ApiKey, OpenAi, Patience, ServerError};
use crate::engine::process::ModelProcess;
use crate::engine::protocol::Load;
use crate::engine::speed::{Speed, SpeedLog};
use crate::engine::{Ahead, Answer, Engine, EngineError, ModelInfo, Progress, Request};
use crate::prompt::Profile;
use crate::prompt::budget::tokens_within;
use crate::workspace::private_folder::make_private_folder;
use crate::workspace::temporary::Temporary;
use cap_std::fs::Dir;
use clap::Args;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Which model, and how it is run.
#[derive(Debug, Args)]
pub(super) struct ModelArguments {
    /// The model: a GGUF file, "bundled", or http(s)://HOST/v1#NAME on a server (its key from
    /// SLOTWRIGHT_API_KEY)
    #[arg(long, value_name = "REF", env = "SLOTWRIGHT_MODEL", default_value = "bundled")]
    pub model: String,
    /// How long the model may take to read what it is shown of a file: as many tokens are shown as
    /// it reads in that time on this machine, from 400 to 6,000. It is measured whenever the model
    /// is used; until then, and of a model on a server, 1,500 tokens are shown. The bundled model
    /// is always shown the same [default: 6]
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u16).range(1..))]
    pub patience: Option<u16>,
    #[command(flatten)]
    pub process: ProcessArguments,
}

/// [`ModelArguments::patience`] of a person who names none, in seconds.
const PATIENCE: u16 = 6;

impl ModelArguments {
    /// How long the model may take to read what it is shown of a file.
    pub fn patience(&self) -> Duration {
        Duration::from_secs(self.patience.unwrap_or(PATIENCE).into())
    }
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
    fn threads(&self) -> usize {
        self.threads.map_or_else(num_cpus::get_physical, usize::from)
    }
}

/// The bundled model travels inside the binary, so that one copied file works alone.
static BUNDLED: &[u8] = include_bytes!("../../models/bundled.gguf");

/// A model to load.
#[derive(Debug)]
struct ModelFile {
    path: PathBuf,
    is_bundled: bool,
}

#[derive(Debug, thiserror::Error)]
pub(super) enum ModelError {
    #[error("cannot unpack the bundled model into {}: {source}", folder.display())]
    Unpack { folder: PathBuf, source: io::Error },
}

impl From<ModelError> for Failure {
    fn from(error: ModelError) -> Failure {
        match &error {
            ModelError::Unpack { .. } => Failure::new(ExitCode::Environment, "model", error)
                .hint("XDG_CACHE_HOME names another folder for it")
                .hint("--model names a model that need not be unpacked"),
        }
    }
}

/// A model that answers.
#[derive(Debug)]
pub(super) enum Model {
    Process(Box<LocalModel>),
    Server(OpenAi),
}

/// A model in a process, which is measured.
#[derive(Debug)]
pub(super) struct LocalModel {
    process: ModelProcess,
    /// None if the speed is not to be kept, or the model's file is gone.
    speeds: Option<SpeedLog>,
}

/// Starts the model process, or asks the server; `prefixes` as in [`Load`].
pub(super) async fn start(
    arguments: &ModelArguments,
    prefixes: Option<PathBuf>,
    progress: &ProgressLine,
) -> Result<(Model, Profile), Failure> {
    let engine = match is_server(&arguments.model) {
        true => Model::Server(connect(arguments).await?),
        false => {
            let file = resolve(&arguments.model)?;
            if file.is_bundled {
                say("slotwright: using the bundled model: \
                     it is small, and knows simple edits only (--model names another)");
            }
            let path = file.path.clone();
            let process =
                start_process(file, &arguments.process, prefixes, &mut |p| progress.show(p))
                    .await?;
            let computes_on = &process.model().computes_on;
            let threads = arguments.process.threads();
            let speeds = SpeedLog::of(&folders::speeds(), &path, computes_on, threads).ok();
            Model::Process(Box::new(LocalModel { process, speeds }))
        }
    };
    let (profile, warning) = Profile::of(engine.model()).map_err(|error| {
        Failure::new(ExitCode::Environment, "model", error).hint("a newer slotwright may know it")
    })?;
    if let Some(warning) = warning {
        say(&format!("slotwright: warning: {warning}"));
    }
    let profile = engine.within(arguments.patience(), profile);
    Ok((engine, profile))
}

/// Whether a reference names a model on a server.
pub(super) fn is_server(reference: &str) -> bool {
    ["http://", "https://"].iter().any(|scheme| {
        reference.get(..scheme.len()).is_some_and(|head| head.eq_ignore_ascii_case(scheme))
    })
}

/// The process of a model in a file, without a word and without what earlier processes left: for
/// being measured.
pub(super) async fn start_to_be_measured(arguments: &ModelArguments) -> Result<Model, Failure> {
    let file = resolve(&arguments.model)?;
    let process = start_process(file, &arguments.process, None, &mut |_| ()).await?;
    Ok(Model::Process(Box::new(LocalModel { process, speeds: None })))
}

/// Says where the person's text will go, and only then asks there.
pub(super) async fn connect(arguments: &ModelArguments) -> Result<OpenAi, Failure> {
    let server = async || -> Result<OpenAi, ServerError> {
        let address = Address::parse(&arguments.model)?;
        let key = ApiKey::from_environment(&address)?;
        let with_key = key
            .as_ref()
            .map_or_else(String::new, |key| format!(", with the key from {}", key.variable()));
        say(&format!(
            "slotwright: asking {}{with_key}: the task and what is shown of the files go there",
            address.shown()
        ));
        let silence = Duration::from_secs(arguments.process.model_timeout.into());
        OpenAi::connect(address, key, Patience::with_silence(silence)).await
    };
    server().await.map_err(|error| engine_failure(error.into()))
}

async fn start_process(
    file: ModelFile,
    arguments: &ProcessArguments,
    prefixes: Option<PathBuf>,
    progress: &mut dyn FnMut(Progress),
) -> Result<ModelProcess, Failure> {
    let program = engine_program()
        .map_err(|error| Failure::new(ExitCode::Environment, "environment", error))?;
    let load = Load {
        model: file.path,
        threads: arguments.threads(),
        verbose: arguments.verbose,
        check_memory: !arguments.skip_memory_check,
        prefixes,
    };
    let silence = Duration::from_secs(arguments.model_timeout.into());
    ModelProcess::start_within(&program, load, silence, progress).await.map_err(engine_failure)
}

/// The program that runs as the model process: this one. Tests name another, which speaks
/// [`crate::engine::protocol`], in the variable `SLOTWRIGHT_ENGINE`.
fn engine_program() -> io::Result<PathBuf> {
    let named = std::env::var_os("SLOTWRIGHT_ENGINE").map(PathBuf::from);
    named.map_or_else(std::env::current_exe, Ok)
}

impl Model {
    /// What the person should know of how answers were forced.
    pub fn take_notes(&self) -> Vec<String> {
        match self {
            Model::Process(_) => Vec::new(),
            Model::Server(server) => server.take_notes(),
        }
    }

    /// How fast it was so far, if it runs on this machine and was measured.
    pub fn speed(&self) -> Option<Speed> {
        match self {
            Model::Process(local) => local.speeds.as_ref()?.speed(),
            Model::Server(_) => None,
        }
    }

    /// The profile, showing as much of a file as is read within the person's patience. If the speed
    /// is not known, the profile as it is.
    pub fn within(&self, patience: Duration, profile: Profile) -> Profile {
        match self.speed() {
            Some(speed) => profile.showing(tokens_within(patience, &speed)),
            None => profile,
        }
    }
}

impl LocalModel {
    async fn complete(
        &mut self,
        request: &Request,
        progress: &mut dyn FnMut(Progress),
    ) -> Result<Answer, EngineError> {
        let answer = self.process.complete(request, progress).await?;
        if let Some(speeds) = &self.speeds {
            // If it cannot be written, the next prompt is of the usual length.
            let _ = speeds.add_answer(&answer.stats);
        }
        Ok(answer)
    }

    async fn read(
        &mut self,
        ahead: &Ahead,
        progress: &mut dyn FnMut(Progress),
    ) -> Result<usize, EngineError> {
        let started = Instant::now();
        let n_read = self.process.read(ahead, progress).await?;
        if let Some(speeds) = &self.speeds {
            let _ = speeds.add_reading(n_read, started.elapsed()); // as above
        }
        Ok(n_read)
    }
}

impl Engine for Model {
    fn model(&self) -> &ModelInfo {
        match self {
            Model::Process(local) => local.process.model(),
            Model::Server(server) => server.model(),
        }
    }

    fn forces_answers(&self) -> bool {
        match self {
            Model::Process(local) => local.process.forces_answers(),
            Model::Server(server) => server.forces_answers(),
        }
    }

    async fn count_tokens(&mut self, texts: &[&str]) -> Result<Vec<usize>, EngineError> {
        match self {
            Model::Process(local) => local.process.count_tokens(texts).await,
            Model::Server(server) => server.count_tokens(texts).await,
        }
    }

    async fn complete(
        &mut self,
        request: &Request,
        progress: &mut dyn FnMut(Progress),
    ) -> Result<Answer, EngineError> {
        match self {
            Model::Process(local) => local.complete(request, progress).await,
            Model::Server(server) => server.complete(request, progress).await,
        }
    }

    async fn read(
        &mut self,
        ahead: &Ahead,
        progress: &mut dyn FnMut(Progress),
    ) -> Result<usize, EngineError> {
        match self {
            Model::Process(local) => local.read(ahead, progress).await,
            Model::Server(server) => server.read(ahead, progress).await,
        }
    }

    async fn keep_read(&mut self) -> Result<(), EngineError> {
        match self {
            Model::Process(local) => local.process.keep_read().await,
            Model::Server(server) => server.keep_read().await,
        }
    }
}

fn resolve(reference: &str) -> Result<ModelFile, ModelError> {
    if !reference.is_empty() && reference != "bundled" {
        return Ok(ModelFile { path: PathBuf::from(reference), is_bundled: false });
    }
    let folder = folders::cache().join("models");
    let path = unpack(&folder, BUNDLED).map_err(|source| ModelError::Unpack { folder, source })?;
    Ok(ModelFile { path, is_bundled: true })
}

/// Puts the model there once. llama.cpp maps a file, so it needs one; whatever is there already is
/// compared byte for byte (6 MB in a millisecond), which says more than a hash would, and replaced
/// if it differs.
fn unpack(folder: &Path, model: &[u8]) -> io::Result<PathBuf> {
    make_private_folder(folder)?;
    const NAME: &str = concat!("bundled-", env!("CARGO_PKG_VERSION"), ".gguf");
    let path = folder.join(NAME);
    if std::fs::read(&path).is_ok_and(|there| there == model) {
        return Ok(path);
    }
    // A second program that starts meanwhile sees all of it or nothing.
    let folder = Dir::open_ambient_dir(folder, cap_std::ambient_authority())?;
    let mut temporary = Temporary::new(&folder)?;
    temporary.file().write_all(model)?;
    temporary.replace(Path::new(NAME))?;
    Ok(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bundled_model_is_unpacked_once_and_mended() {
        let dir = tempfile::tempdir().unwrap();
        let folder = dir.path().join("a/b");
        let path = unpack(&folder, b"model").unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"model");
        std::fs::write(&path, b"damaged").unwrap();
        assert_eq!(unpack(&folder, b"model").unwrap(), path);
        assert_eq!(std::fs::read(&path).unwrap(), b"model");
        assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 1, "nothing else is left there");
    }

    #[cfg(unix)]
    #[test]
    fn its_folder_is_the_owners_only() {
        use std::os::unix::fs::PermissionsExt;
        let dir = tempfile::tempdir().unwrap();
        let folder = dir.path().join("slotwright");
        unpack(&folder, b"model").unwrap();
        assert_eq!(std::fs::metadata(&folder).unwrap().permissions().mode() & 0o777, 0o700);
    }
}
