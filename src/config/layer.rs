//! What can be set, what one source sets, and what help, documentation and schemas say about it.

use super::error::ConfigError;
use crate::review::WarningKind;
use crate::workspace::IgnoredPaths;
use schemars::{JsonSchema, schema_for};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// What can be set. The documentation of a field is also its help.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Config {
    /// The model: a name that slotwright models lists, a GGUF file (absolute, or from ~/), bundled,
    /// or http(s)://HOST/v1#NAME on a server.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1))]
    pub model: Option<String>,
    /// Further folders with models, absolute or from ~/.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub model_folders: Vec<PathBuf>,
    /// Threads that a model computes with.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub threads: Option<u16>,
    /// What a model computes on: auto (a GPU if there is one), cpu, or a device that slotwright
    /// models lists.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1))]
    pub device: Option<String>,
    /// How sure the model has to be of an edit, from 0 to 1. Below it you are warned, and --yes
    /// refuses.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0, max = 1))]
    pub min_certainty: Option<f64>,
    /// Warnings in spite of which --yes writes: any of unsure, merge, unseen, leftover, elided,
    /// breaks, fails, shrinks, numbers, mixed, placed, partial.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(extend("items" = {"enum": WARNINGS}))]
    pub accept: Vec<String>,
    /// Colours of diffs and messages: auto (on a terminal), always or never.
    #[serde(skip_serializing_if = "Color::is_auto")]
    pub color: Color,
    /// Tokens of one file that a model is shown at most, from 128 to 32768. More take longer to
    /// read. The bundled model is always shown 320.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 128, max = 32_768))]
    pub shown_tokens: Option<usize>,
    /// Files that are not looked at, as in a .gitignore, without exceptions (!). A file that --file
    /// or the task names by its path is edited all the same.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(inner(regex(pattern = "^[^!#]")))]
    pub ignore: Vec<String>,
    /// What edit runs after an edit, in a throw-away copy: see edit --check. A project's command is run
    /// only if you say yes to it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1))]
    pub check: Option<String>,
}

/// The keys that a project may set.
pub const PROJECT_KEYS: [&str; 3] = ["shown_tokens", "ignore", "check"];

/// All keys, with what holds where they are not set.
pub(super) const DEFAULTS: [(&str, &str); 10] = [
    ("model", "the best one on this machine"),
    ("model_folders", "none"),
    ("threads", "one for each physical core"),
    ("device", "auto"),
    (
        "min_certainty",
        "0.5 for the bundled model, 0.35 with an adapter of ours, 0.1 for others",
    ),
    ("accept", "none"),
    ("color", "auto"),
    ("shown_tokens", "6000 where a GPU computes, else 1500"),
    ("ignore", "none"),
    ("check", "none"),
];

/// All warnings that `--accept` takes, of `edit` and of `apply`.
pub const WARNINGS: [&str; 12] = WarningKind::WORDS;

/// Whether a diff is coloured.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
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

impl Color {
    fn is_auto(&self) -> bool {
        *self == Color::Auto
    }
}

impl Config {
    /// These values, and where they are not set those of a layer below.
    pub(super) fn over(self, below: Config) -> Config {
        Config {
            model: self.model.or(below.model),
            model_folders: [self.model_folders, below.model_folders].concat(),
            threads: self.threads.or(below.threads),
            device: self.device.or(below.device),
            min_certainty: self.min_certainty.or(below.min_certainty),
            accept: [self.accept, below.accept].concat(),
            color: if self.color.is_auto() {
                below.color
            } else {
                self.color
            },
            shown_tokens: self.shown_tokens.or(below.shown_tokens),
            ignore: [self.ignore, below.ignore].concat(),
            check: self.check.or(below.check),
        }
    }

    /// The first key with a value that it does not take, and what the value must be.
    pub(super) fn mistake(&self) -> Option<(&'static str, &'static str)> {
        let model = self.model.as_deref();
        if model.is_some_and(|model| model.trim().is_empty()) {
            return Some(("model", "must not be empty"));
        }
        if !self.model_folders.iter().all(|folder| is_absolute(folder)) {
            return Some(("model_folders", "must be absolute, or begin with ~/"));
        }
        if self.device.as_deref() == Some("") {
            return Some(("device", "must not be empty"));
        }
        if self.threads == Some(0) {
            return Some(("threads", "must be a whole number from 1 to 65535"));
        }
        if self
            .min_certainty
            .is_some_and(|x| !(0.0..=1.0).contains(&x))
        {
            return Some(("min_certainty", "must be a number from 0 to 1"));
        }
        if !self
            .accept
            .iter()
            .all(|word| WARNINGS.contains(&word.as_str()))
        {
            return Some(("accept", "must be a list of warnings that there are"));
        }
        if self
            .shown_tokens
            .is_some_and(|n| !(128..=32_768).contains(&n))
        {
            return Some(("shown_tokens", "must be a whole number from 128 to 32768"));
        }

        if !self.ignore.iter().all(|pattern| is_pattern(pattern)) {
            let wanted = "must be a list of patterns such as \"generated/\" or \"*.min.js\", \
                          without exceptions (!) and comments (#)";
            return Some(("ignore", wanted));
        }
        let check = self.check.as_deref();
        if check.is_some_and(|check| check.trim().is_empty()) {
            return Some(("check", "must not be empty"));
        }
        None
    }

    /// Puts the home folder for a `~` at the beginning of a path, as a shell does.
    pub(super) fn expand_home(&mut self, home: &str) {
        if let Some(path) = self.model.as_deref().and_then(below_home) {
            self.model = Some(format!("{home}{path}"));
        }
        for folder in &mut self.model_folders {
            if let Some(path) = folder.to_str().and_then(below_home) {
                *folder = format!("{home}{path}").into();
            }
        }
    }
}

fn below_home(path: &str) -> Option<&str> {
    path.strip_prefix('~')
        .filter(|rest| rest.is_empty() || rest.starts_with('/'))
}

fn is_absolute(folder: &Path) -> bool {
    folder.is_absolute() || folder.to_str().and_then(below_home).is_some()
}

fn is_pattern(pattern: &str) -> bool {
    !pattern.trim().is_empty()
        && !pattern.starts_with(['!', '#'])
        && IgnoredPaths::new(Path::new("/"), &[pattern.to_owned()]).is_ok()
}

/// Where a value comes from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Origin {
    /// It is not set.
    Default,
    /// A line of a file.
    File {
        /// The file.
        path: PathBuf,
        /// The line, counted from 1.
        line: usize,
    },
    /// A variable of the environment.
    Environment {
        /// Its name.
        variable: String,
    },
}

/// One value that is in force.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Setting {
    /// The key.
    pub key: String,
    /// The value; null where it is not set. A list that several sources have set is one setting for
    /// each of them.
    pub value: Value,
    /// Where it comes from.
    pub origin: Origin,
}

/// What one source sets.
#[derive(Clone, Debug, Default)]
pub struct Layer {
    pub(super) config: Config,
    /// By key.
    pub(super) origins: BTreeMap<String, Origin>,
}

impl Layer {
    fn note_variable(&mut self, key: &str, variable: &str) {
        let variable = variable.to_owned();
        let origin = Origin::Environment { variable };
        self.origins.insert(key.to_owned(), origin);
    }

    /// The value of a key, if this source sets it.
    pub(super) fn setting(&self, key: &str) -> Option<Setting> {
        let origin = self.origins.get(key)?;
        let values = serde_json::to_value(&self.config).expect("plain data");
        Some(Setting {
            key: key.to_owned(),
            value: values.get(key)?.clone(),
            origin: origin.clone(),
        })
    }
}

/// What the environment sets. `variable` returns the value of a variable; an empty one is not set.
///
/// # Errors
/// [`ConfigError::Environment`] if a value is not UTF-8.
pub fn environment(variable: impl Fn(&str) -> Option<OsString>) -> Result<Layer, ConfigError> {
    const MODEL: &str = "SLOTWRIGHT_MODEL";
    const NO_COLOR: &str = "NO_COLOR";
    let mut layer = Layer::default();

    if let Some(model) = variable(MODEL).filter(|value| !value.is_empty()) {
        let model = model
            .into_string()
            .map_err(|_| ConfigError::Environment { variable: MODEL })?;
        layer.config.model = Some(model);
        layer.note_variable("model", MODEL);
    }
    // Any value turns colours off: no-color.org.
    if variable(NO_COLOR).is_some_and(|value| !value.is_empty()) {
        layer.config.color = Color::Never;
        layer.note_variable("color", NO_COLOR);
    }
    Ok(layer)
}

/// A key as help and documentation show it.
#[derive(Clone, Debug)]
pub struct Key {
    /// Its name.
    pub name: &'static str,
    /// What it means, in sentences.
    pub about: String,
    /// What holds where it is not set.
    pub default: &'static str,
}

impl Key {
    /// Whether a project may set it.
    pub fn is_for_projects(&self) -> bool {
        PROJECT_KEYS.contains(&self.name)
    }
}

/// All keys, in the order in which they are shown.
pub fn keys() -> Vec<Key> {
    let schema = schema_for!(Config).to_value();
    let mut keys = Vec::new();
    for (name, default) in DEFAULTS {
        let about = schema["properties"][name]["description"].as_str();
        keys.push(Key {
            name,
            about: about.expect("every key is documented").replace('\n', " "),
            default,
        });
    }
    keys
}

/// The JSON Schema of `config.toml`.
pub fn person_schema() -> Value {
    let mut schema = schema_for!(Config).to_value();
    schema["title"] = "config.toml".into();
    schema["description"] = "What a person sets for all projects.".into();
    schema
}

/// The JSON Schema of `slotwright.toml`.
pub fn project_schema() -> Value {
    let person = person_schema();
    let mut schema = person.clone();
    schema["title"] = "slotwright.toml".into();
    schema["description"] = "What a project sets for whoever edits it.".into();
    schema["$defs"] = Value::Object(serde_json::Map::new());
    schema["properties"] = PROJECT_KEYS
        .iter()
        .map(|&key| (key.to_owned(), person["properties"][key].clone()))
        .collect();
    schema
}
