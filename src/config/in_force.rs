//! The layers put on top of each other.

use super::error::ConfigError;
use super::file::{self, PROJECT_FILE};
use super::layer::{Config, DEFAULTS, Layer, Origin, Setting};
use crate::workspace::Workspace;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;
use std::path::{Path, PathBuf};

/// Where values come from, besides flags.
#[derive(Debug, Default)]
pub struct Sources<'a> {
    /// See `environment`.
    pub environment: Layer,
    /// The folder being edited, which may have a file of its own.
    pub workspace: Option<&'a Workspace>,
    /// The person's `config.toml`.
    pub person: Option<PathBuf>,
    /// The person's home folder, for paths that begin with `~`.
    pub home: Option<PathBuf>,
}

/// A file that is looked for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ConfigFile {
    /// Where.
    pub path: PathBuf,
    /// Whether it is there.
    pub exists: bool,
}

/// What is in force, and why.
#[derive(Clone, Debug)]
pub struct InForce {
    /// The values.
    pub config: Config,
    /// What the sources besides flags set, with their origins: one for each key, and for a list one
    /// for each source.
    pub settings: Vec<Setting>,
    /// The files that were looked for: the project's, the person's.
    pub files: Vec<ConfigFile>,
    /// The check that the project's file asks for. It is not in force: the project may be a stranger's.
    pub offered_check: Option<String>,
}

impl InForce {
    /// Reads the files and puts the layers on top of each other.
    ///
    /// # Errors
    /// [`ConfigError`] if a file cannot be used.
    pub fn of(flags: Config, sources: Sources) -> Result<InForce, ConfigError> {
        let mut files = Vec::new();
        let mut offered_check = None;
        if let Some(workspace) = sources.workspace {
            let path = workspace.root().join(PROJECT_FILE);
            let mut layer = file::project(workspace)?;
            offered_check = layer.as_mut().and_then(|layer| layer.config.check.take());
            files.push((path, layer));
        }
        if let Some(path) = sources.person {
            let layer = file::person(&path)?;
            files.push((path, layer));
        }
        let found = files.iter().map(|(path, layer)| ConfigFile {
            path: path.clone(),
            exists: layer.is_some(),
        });
        let found = found.collect();
        let mut layers = vec![sources.environment];
        layers.extend(files.into_iter().filter_map(|(_, layer)| layer));

        let settings = DEFAULTS
            .iter()
            .flat_map(|(key, _)| settings(key, &layers))
            .collect();
        let mut config = layers
            .into_iter()
            .fold(flags, |above, layer| above.over(layer.config));
        if let Some(home) = sources.home.as_deref().and_then(Path::to_str) {
            config.expand_home(home);
        }
        Ok(InForce {
            config,
            settings,
            files: found,
            offered_check,
        })
    }

    /// Where the value of a key comes from, flags aside.
    pub fn origin(&self, key: &str) -> Option<&Origin> {
        let mut settings = self.settings.iter();
        let setting = settings.find(|setting| setting.key == key)?;
        Some(&setting.origin)
    }
}

/// The settings of a key: the first one, or all of a list.
fn settings(key: &str, layers: &[Layer]) -> Vec<Setting> {
    let mut settings: Vec<Setting> = layers
        .iter()
        .filter_map(|layer| layer.setting(key))
        .collect();

    let Some(first) = settings.first() else {
        return vec![Setting {
            key: key.to_owned(),
            value: Value::Null,
            origin: Origin::Default,
        }];
    };
    if !first.value.is_array() {
        settings.truncate(1);
    }
    settings
}
