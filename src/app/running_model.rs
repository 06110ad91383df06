//! A model that answers: the process of a GGUF file, or a server.

use super::model_arguments::{ModelChoice, ProcessArguments};
use super::model_reference::{self, Target};
use super::{Say, folders};
use crate::engine::adapter::unpack;
use crate::engine::device::Devices;
use crate::engine::openai::{Address, ApiKey, OpenAi, Patience};
use crate::engine::process::ModelProcess;
use crate::engine::protocol::Load;
use crate::engine::{Answer, Engine, EngineError, ModelInfo, Progress, Request};
use crate::failure::{Failure, FailureKind};
use crate::models::Store;
use crate::prompt::Profile;
use std::io;
use std::path::PathBuf;
use std::time::Duration;

/// The bundled model travels inside the binary, so that one copied file works alone.
pub(crate) static BUNDLED: &[u8] = include_bytes!("../../models/bundled.gguf");

/// A model that answers.
#[derive(Debug)]
pub(crate) enum Model {
    Process(Box<ModelProcess>),
    Server(OpenAi),
}

/// Starts the model process, or asks the server; `prefixes` as in [`Load`].
pub(crate) async fn start(
    choice: &ModelChoice,
    prefixes: Option<PathBuf>,
    say: Say,
    progress: &mut dyn FnMut(Progress),
) -> Result<(Model, Profile), Failure> {
    let target = model_reference::resolve(choice)?;
    if let Some(note) = target.note() {
        say(&note.to_string());
    }

    let process = &choice.process;
    let engine = match &target {
        Target::Server { reference } => Model::Server(connect(reference, process, say).await?),
        file => {
            let path = path_of(file)?;
            Model::Process(start_process(file, path, process, prefixes, progress).await?)
        }
    };

    for note in engine.take_notes() {
        say(&note);
    }

    let (profile, warning) = Profile::of(engine.model()).map_err(profile_failure)?;
    if let Some(warning) = warning {
        say(&format!("warning: {warning}"));
    }
    Ok((engine, profile.showing(choice.shown_tokens)))
}

fn profile_failure(error: impl ToString) -> Failure {
    Failure::new(FailureKind::Model, error).hint("a newer slotwright may know it")
}

/// The process of a model to be measured: it says nothing, and takes nothing that earlier processes
/// left.
pub(crate) async fn start_to_be_measured(
    target: &Target,
    arguments: &ProcessArguments,
) -> Result<Model, Failure> {
    let process = start_process(target, path_of(target)?, arguments, None, &mut |_| ()).await?;
    Ok(Model::Process(process))
}

/// Says where the person's text will go, and only then asks there.
pub(crate) async fn connect(
    reference: &str,
    arguments: &ProcessArguments,
    say: Say,
) -> Result<OpenAi, Failure> {
    let address = Address::parse(reference)?;
    let key = ApiKey::from_environment(&address)?;
    let with_key = key.as_ref().map_or_else(String::new, |key| {
        format!(", with the key from {}", key.variable())
    });
    say(&format!(
        "asking {}{with_key}: the task and what is shown of the files go there",
        address.shown()
    ));
    let silence = Duration::from_secs(arguments.model_timeout.into());
    Ok(OpenAi::connect(address, key, Patience::with_silence(silence)).await?)
}

/// `path`: as [`path_of`] gives it.
async fn start_process(
    target: &Target,
    path: PathBuf,
    arguments: &ProcessArguments,
    prefixes: Option<PathBuf>,
    progress: &mut dyn FnMut(Progress),
) -> Result<Box<ModelProcess>, Failure> {
    let program =
        engine_program().map_err(|error| Failure::new(FailureKind::Environment, error))?;
    let load = Load {
        model: path,
        adapter: arguments.adapter(),
        device: arguments.device(),
        threads: arguments.threads(),
        verbose: arguments.verbose,
        check_memory: !arguments.skip_memory_check,
        prefixes,
    };
    let silence = Duration::from_secs(arguments.model_timeout.into());

    match ModelProcess::start_within(&program, load, silence, progress).await {
        Ok(process) => Ok(Box::new(process)),
        Err(error) => Err(load_failure(target, error)),
    }
}

fn load_failure(target: &Target, error: EngineError) -> Failure {
    let is_of_ollama = matches!(
        target,
        Target::File {
            store: Some(Store::Ollama),
            ..
        }
    );
    let is_load = matches!(error, EngineError::Load { .. });
    let failure = Failure::from(error);
    if is_of_ollama && is_load {
        return failure.hint(
            "some of Ollama's files are for Ollama's own llama.cpp only: fetch the publisher's \
             GGUF file instead",
        );
    }
    failure
}

/// What models can compute on here.
pub(crate) async fn devices() -> Devices {
    let listed = match engine_program() {
        Ok(program) => ModelProcess::devices(&program).await,
        Err(error) => Err(EngineError::Process(error.to_string())),
    };
    listed.unwrap_or_else(|error| Devices {
        unusable: vec![error.to_string()],
        ..Devices::default()
    })
}

/// The program that runs as the model process: this one. Tests name another, which speaks
/// [`crate::engine::protocol`], in the variable `SLOTWRIGHT_ENGINE`.
fn engine_program() -> io::Result<PathBuf> {
    let named = std::env::var_os("SLOTWRIGHT_ENGINE").map(PathBuf::from);
    named.map_or_else(std::env::current_exe, Ok)
}

impl Model {
    /// What the person should know of how answers were forced, or where they are computed.
    pub fn take_notes(&self) -> Vec<String> {
        match self {
            Model::Process(process) => process.take_notes(),
            Model::Server(server) => server.take_notes(),
        }
    }

    /// The prompt format of a model that was started, with `shown_tokens` of the configuration.
    pub fn profile(&self, shown_tokens: Option<usize>) -> Result<Profile, Failure> {
        let (profile, _) = Profile::of(self.model()).map_err(profile_failure)?;
        Ok(profile.showing(shown_tokens))
    }
}

impl Engine for Model {
    fn model(&self) -> &ModelInfo {
        match self {
            Model::Process(process) => process.model(),
            Model::Server(server) => server.model(),
        }
    }

    fn forces_answers(&self) -> bool {
        match self {
            Model::Process(process) => process.forces_answers(),
            Model::Server(server) => server.forces_answers(),
        }
    }

    async fn count_tokens(&mut self, texts: &[&str]) -> Result<Vec<usize>, EngineError> {
        match self {
            Model::Process(process) => process.count_tokens(texts).await,
            Model::Server(server) => server.count_tokens(texts).await,
        }
    }

    async fn complete(
        &mut self,
        request: &Request,
        progress: &mut dyn FnMut(Progress),
    ) -> Result<Answer, EngineError> {
        match self {
            Model::Process(process) => process.complete(request, progress).await,
            Model::Server(server) => server.complete(request, progress).await,
        }
    }

    async fn keep_read(&mut self) -> Result<(), EngineError> {
        match self {
            Model::Process(process) => process.keep_read().await,
            Model::Server(server) => server.keep_read().await,
        }
    }
}

/// The file of a model on this machine.
fn path_of(target: &Target) -> Result<PathBuf, Failure> {
    if let Target::File { path, .. } = target {
        return Ok(path.clone());
    }
    const NAME: &str = concat!("bundled-", env!("CARGO_PKG_VERSION"), ".gguf");
    let folder = folders::cache().join("models");
    unpack(&folder, NAME, BUNDLED).map_err(|error| {
        let folder = folder.display();
        let message = format!("cannot unpack the bundled model into {folder}: {error}");
        Failure::new(FailureKind::Model, message)
            .hint("XDG_CACHE_HOME names another folder for it")
            .hint("--model names a model that need not be unpacked")
    })
}
