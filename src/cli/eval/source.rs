//! The models that an evaluation asks.

use super::arguments::EvalArguments;
use crate::cli::failure::Failure;
use crate::cli::model::{self, Model, ModelArguments};
use crate::engine::Engine;
use crate::engine::openai::OpenAi;
use crate::eval::run::Source;
use crate::prompt::Profile;
use std::cell::RefCell;
use std::collections::HashSet;
use std::path::PathBuf;
use std::time::SystemTime;

/// A model as the command line names it.
pub(super) struct Named {
    pub name: String,
    pub arguments: ModelArguments,
    /// On a server as many answers at once as were asked for; a process gives one.
    jobs: usize,
    /// What has been learned of a server serves all who ask it.
    pub server: RefCell<Option<OpenAi>>,
}

/// The models that were named, each once.
pub(super) fn sources(arguments: &EvalArguments) -> Vec<Named> {
    let mut seen = HashSet::new();
    let references = arguments.models.iter().filter(|reference| seen.insert(reference.as_str()));
    let named = |reference: &String| Named {
        name: name_of(reference),
        arguments: ModelArguments {
            model: reference.clone(),
            patience: None,
            process: arguments.process.clone(),
        },
        jobs: if model::is_server(reference) { arguments.jobs.into() } else { 1 },
        server: RefCell::default(),
    };
    let mut sources: Vec<Named> = references.map(named).collect();
    // Files of one name in several folders are told apart by their paths.
    let names: Vec<String> = sources.iter().map(|source| source.name.clone()).collect();
    for source in &mut sources {
        if names.iter().filter(|name| **name == source.name).count() > 1 {
            source.name.clone_from(&source.arguments.model);
        }
    }
    sources
}

/// A file's name says enough, and where it lies is nobody's business in a report.
fn name_of(reference: &str) -> String {
    if model::is_server(reference) {
        return reference.to_owned();
    }
    PathBuf::from(reference)
        .file_name()
        .map_or_else(|| reference.to_owned(), |name| name.to_string_lossy().into_owned())
}

impl Named {
    async fn model(&self) -> Result<Model, Failure> {
        if !model::is_server(&self.arguments.model) {
            return model::start_to_be_measured(&self.arguments).await;
        }
        let known = self.server.borrow().clone();
        let server = match known {
            Some(server) => server,
            None => model::connect(&self.arguments).await?,
        };
        *self.server.borrow_mut() = Some(server.clone());
        Ok(Model::Server(server))
    }

    /// How large its file is, and when it was written last.
    pub fn file(&self) -> Option<(u64, Option<SystemTime>)> {
        let metadata = std::fs::metadata(&self.arguments.model).ok()?;
        Some((metadata.len(), metadata.modified().ok()))
    }

    /// Its own name and what computes it.
    pub async fn describe(&self) -> Result<String, Failure> {
        let model = self.model().await?;
        let info = model.model();
        Ok(if info.computes_on.is_empty() {
            info.name.clone()
        } else {
            format!("{} on {}", info.name, info.computes_on)
        })
    }
}

impl Source for Named {
    type Engine = Model;

    fn name(&self) -> &str {
        &self.name
    }

    fn jobs(&self) -> usize {
        self.jobs
    }

    async fn start(&self) -> Result<(Model, Profile), String> {
        let model = self.model().await.map_err(|failure| failure.error.message)?;
        let (profile, _) = Profile::of(model.model()).map_err(|error| error.to_string())?;
        Ok((model, profile))
    }
}
