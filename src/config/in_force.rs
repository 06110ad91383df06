//! The layers put on top of each other.

use super::error::ConfigError;
use super::file;
use super::keys::{KEYS, Key};
use super::setting::{Flags, Origin, Setting};
use crate::workspace::Workspace;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::path::{Path, PathBuf};

/// Where values may come from.
#[derive(Debug, Default)]
pub struct Layers<'a> {
    /// What the command line sets.
    pub flags: Flags,
    /// What the environment sets: see [`super::environment`].
    pub environment: Vec<Setting>,
    /// The folder being edited, which may have a file of its own.
    pub workspace: Option<&'a Workspace>,
    /// The person's `config.toml`.
    pub person: Option<PathBuf>,
    /// The person's home folder, for paths that begin with `~`.
    pub home: Option<PathBuf>,
}

/// The values in force, for the rest of the program.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// The model, as `--model` takes it; `None`: the program chooses.
    pub model: Option<String>,
    /// Folders with models.
    pub model_folders: Vec<PathBuf>,
    /// Threads that a model computes with.
    pub threads: Option<u16>,
    /// An edit with a lower certainty has a warning; from 0 to 1.
    pub min_certainty: Option<f64>,
    /// Warnings in spite of which `--yes` writes: see [`super::keys::WARNINGS`].
    pub accept: Vec<String>,
    /// Whether a diff is coloured.
    #[serde(deserialize_with = "or_default")]
    pub color: Color,
    /// Tokens of one file that a model is shown at most.
    pub shown_tokens: Option<usize>,
    /// Patterns of files that are not looked at.
    pub ignore: Vec<String>,
}

/// Whether a diff is coloured.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Color {
    /// On a terminal.
    #[default]
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

fn or_default<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Color, D::Error> {
    Option::deserialize(deserializer).map(Option::unwrap_or_default)
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
    /// The same with their origins, in the order of [`KEYS`]: one for each key, and for a list one
    /// for each source.
    pub settings: Vec<Setting>,
    /// The files that were looked for: the project's, the person's.
    pub files: Vec<ConfigFile>,
}

impl InForce {
    /// Reads the files and puts the layers on top of each other.
    ///
    /// # Errors
    /// [`ConfigError`] if a file cannot be used.
    pub fn of(layers: Layers) -> Result<InForce, ConfigError> {
        let mut given = layers.flags.0;
        given.extend(layers.environment);
        let mut files = Vec::new();
        let mut add = |path: PathBuf, settings: Option<Vec<Setting>>| {
            files.push(ConfigFile {
                path,
                exists: settings.is_some(),
            });
            given.extend(settings.into_iter().flatten());
        };
        if let Some(workspace) = layers.workspace {
            add(
                workspace.root().join(file::PROJECT_FILE),
                file::project(workspace)?,
            );
        }
        if let Some(path) = layers.person {
            let settings = file::person(&path)?;
            add(path, settings);
        }
        let settings: Vec<Setting> = KEYS.iter().flat_map(|key| of_key(key, &given)).collect();
        let config = config(&settings, layers.home.as_deref());
        Ok(InForce {
            config,
            settings,
            files,
        })
    }
}

/// The settings of a key: the first one, or all of a list.
fn of_key(key: &Key, given: &[Setting]) -> Vec<Setting> {
    let most = if key.kind.is_list() { usize::MAX } else { 1 };
    let settings = given
        .iter()
        .filter(|setting| setting.key == key.name)
        .take(most);
    let settings: Vec<Setting> = settings.cloned().collect();
    if !settings.is_empty() {
        return settings;
    }
    let value = if key.kind.is_list() {
        Value::from(Vec::<Value>::new())
    } else {
        Value::Null
    };
    vec![Setting {
        key: key.name.to_owned(),
        value,
        origin: Origin::Default,
    }]
}

fn config(settings: &[Setting], home: Option<&Path>) -> Config {
    let mut values = serde_json::Map::new();
    for setting in settings {
        match (values.get_mut(&setting.key), &setting.value) {
            (Some(Value::Array(list)), Value::Array(more)) => list.extend(more.iter().cloned()),
            _ => {
                values.insert(setting.key.clone(), setting.value.clone());
            }
        }
    }
    let mut config: Config =
        serde_json::from_value(values.into()).expect("the table of keys describes Config");
    config.model = config.model.map(|model| from_home(&model, home));
    for folder in &mut config.model_folders {
        *folder = from_home(&folder.to_string_lossy(), home).into();
    }
    config
}

/// A path with the home folder for a `~` at its beginning, as a shell reads it.
fn from_home(path: &str, home: Option<&Path>) -> String {
    match (path.strip_prefix('~'), home.and_then(Path::to_str)) {
        (Some(rest), Some(home)) if rest.is_empty() || rest.starts_with('/') => {
            format!("{home}{rest}")
        }
        _ => path.to_owned(),
    }
}
