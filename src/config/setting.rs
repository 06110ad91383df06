//! One value and where it comes from.

use super::error::ConfigError;
use super::keys::Key;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;
use std::ffi::OsString;
use std::path::PathBuf;

/// Where a value comes from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Origin {
    /// Nobody has set it.
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
    /// A flag on the command line.
    Flag {
        /// With its dashes.
        flag: String,
    },
}

/// One value that is in force.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Setting {
    /// The key.
    pub key: String,
    /// The value; null or an empty list where nobody has set it. A list that several sources have
    /// set is one setting for each of them.
    pub value: Value,
    /// Where it comes from.
    pub origin: Origin,
}

/// What the command line sets.
#[derive(Clone, Debug, Default)]
pub struct Flags(pub(super) Vec<Setting>);

impl Flags {
    /// Adds the value of a key, if its flag was given. A list was given if it is not empty.
    ///
    /// # Panics
    /// If there is no such key.
    pub fn with(mut self, key: &str, value: &impl Serialize) -> Flags {
        let key = Key::of_name(key).expect("a key of the table");
        let value = serde_json::to_value(value).expect("a plain value");
        if !value.is_null() && value.as_array().is_none_or(|list| !list.is_empty()) {
            let origin = Origin::Flag {
                flag: format!("--{}", key.name.replace('_', "-")),
            };
            self.0.push(Setting {
                key: key.name.to_owned(),
                value,
                origin,
            });
        }
        self
    }
}

/// What the environment sets. `variable` returns the value of a variable; an empty one is not set.
///
/// # Errors
/// [`ConfigError::Environment`] if a value is not UTF-8.
pub fn environment(
    variable: impl Fn(&str) -> Option<OsString>,
) -> Result<Vec<Setting>, ConfigError> {
    let setting = |variable: &str, key: &str, value: &str| Setting {
        key: key.to_owned(),
        value: Value::from(value),
        origin: Origin::Environment {
            variable: variable.to_owned(),
        },
    };
    let given = |name: &str| variable(name).filter(|value| !value.is_empty());
    let mut settings = Vec::new();
    const MODEL: &str = "SLOTWRIGHT_MODEL";
    if let Some(model) = given(MODEL) {
        let model = model
            .to_str()
            .ok_or(ConfigError::Environment { variable: MODEL })?;
        settings.push(setting(MODEL, "model", model));
    }
    // Any value turns colours off: no-color.org.
    const NO_COLOR: &str = "NO_COLOR";
    if given(NO_COLOR).is_some() {
        settings.push(setting(NO_COLOR, "color", "never"));
    }
    Ok(settings)
}
