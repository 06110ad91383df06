//! The models that an evaluation asks.

use super::arguments::EvalArguments;
use crate::app::model_arguments::ProcessArguments;
use crate::app::model_reference::{self, BUNDLED, Target};
use crate::app::running_model::{self, Model};
use crate::app::settings;
use crate::console::say;
use crate::engine::Engine;
use crate::engine::openai::OpenAi;
use crate::eval::run::Source;
use crate::eval::strategy::Strategy;
use crate::failure::Failure;
use crate::prompt::Profile;
use std::cell::RefCell;
use std::collections::HashSet;
use std::time::SystemTime;

/// A model as the command line names it.
pub(super) struct Named {
    pub name: String,
    target: Target,
    process: ProcessArguments,
    /// How many answers a server is asked for at once. A process gives one.
    n_jobs: usize,
    /// How many tokens of a file are shown, if the person's configuration says so.
    shown_tokens: Option<usize>,
    /// The server, once it is asked. All jobs use what it has told of itself.
    pub server: RefCell<Option<OpenAi>>,
}

/// The models that were named, each once; or the one that is configured.
pub(super) fn sources(arguments: &EvalArguments) -> Result<Vec<Named>, Failure> {
    // The project's configuration does not count: it has no say in how models are measured.
    let config = settings::load(arguments.process.flags(), None)?.config;
    let process = arguments.process.configured(&config);
    let mut models = arguments.models.clone();
    if models.is_empty() {
        // Not the best one on this machine: people compare figures of different machines.
        models.push(config.model.unwrap_or_else(|| BUNDLED.to_owned()));
    }

    let mut sources: Vec<Named> = Vec::new();
    let mut seen = HashSet::new();
    models.retain(|reference| seen.insert(reference.clone()));
    for reference in &models {
        let target = model_reference::named(reference, &config.model_folders)?;
        sources.push(Named {
            name: name_of(&target),
            target,
            process: process.clone(),
            n_jobs: arguments.jobs.into(),
            shown_tokens: config.shown_tokens,
            server: RefCell::default(),
        });
    }

    // Paths tell files of the same name apart.
    let names: Vec<String> = sources.iter().map(|source| source.name.clone()).collect();
    for source in &mut sources {
        if let Target::File { path, .. } = &source.target
            && names.iter().filter(|name| **name == source.name).count() > 1
        {
            source.name = path.to_string_lossy().into_owned();
        }
    }
    Ok(sources)
}

/// A file's name says enough. Its folder is private, and has no place in a report.
fn name_of(target: &Target) -> String {
    match target {
        Target::Bundled => "bundled".to_owned(),
        Target::Server { reference } => reference.clone(),
        Target::File {
            name: Some(name), ..
        } => name.clone(),
        Target::File { path, .. } => path
            .file_name()
            .unwrap_or(path.as_os_str())
            .to_string_lossy()
            .into_owned(),
    }
}

impl Named {
    pub fn is_on_a_server(&self) -> bool {
        matches!(self.target, Target::Server { .. })
    }

    async fn model(&self, strategy: Strategy) -> Result<Model, Failure> {
        let Target::Server { reference } = &self.target else {
            let mut process = self.process.clone();
            if !strategy.asks_for_slots() {
                process.adapter.get_or_insert_with(|| "none".to_owned());
            }
            return running_model::start_to_be_measured(&self.target, &process).await;
        };
        let known = self.server.borrow().clone();
        let server = match known {
            Some(server) => server,
            None => running_model::connect(reference, &self.process, say).await?,
        };
        *self.server.borrow_mut() = Some(server.clone());
        Ok(Model::Server(server))
    }

    /// The size of its file, and the time when it was written last.
    pub fn file(&self) -> Option<(u64, Option<SystemTime>)> {
        let Target::File { path, .. } = &self.target else {
            return None;
        };
        let metadata = std::fs::metadata(path).ok()?;
        Some((metadata.len(), metadata.modified().ok()))
    }

    /// Its own name, its adapter's, and the device that computes it.
    pub async fn describe(&self, strategies: &[Strategy]) -> Result<String, Failure> {
        let model = self.model(Strategy::Slots).await?;
        let info = model.model();
        let mut description = info.name.clone();
        if let Some(adapter) = &info.adapter {
            description += &format!(" with {adapter}");
            let others = strategies
                .iter()
                .filter(|strategy| !strategy.asks_for_slots());
            let others: Vec<&str> = others.map(|strategy| strategy.name()).collect();
            let others = others.join(" and ");
            if self.process.adapter.is_none() && !others.is_empty() {
                description += &format!(" ({others} without it)");
                say(&format!(
                    "{}: {others} without {adapter}, which knows the slots only",
                    self.name
                ));
            }
        }
        if !info.computes_on.is_empty() {
            description += &format!(" on {}", info.computes_on);
        }
        if let Some(n_tokens) = self.shown_tokens {
            description += &format!(", shown {n_tokens} tokens of a file");
        }
        Ok(description)
    }
}

impl Source for Named {
    type Engine = Model;

    fn name(&self) -> &str {
        &self.name
    }

    fn jobs(&self) -> usize {
        if self.is_on_a_server() {
            self.n_jobs
        } else {
            1
        }
    }

    async fn start(&self, strategy: Strategy) -> Result<(Model, Profile), String> {
        let model = self
            .model(strategy)
            .await
            .map_err(|failure| failure.message)?;
        let (profile, _) = Profile::of(model.model()).map_err(|error| error.to_string())?;
        Ok((model, profile.showing(self.shown_tokens)))
    }
}
