//! What a person and a project have set, and where each value comes from.
//!
//! The person's `config.toml` may hold every key of [`Config`]. A project's `slotwright.toml` holds
//! only [`PROJECT_KEYS`]: a project must not choose a person's model or weaken the gate, and its check
//! only offers a command. The two
//! schemas, the help and the table in `docs/configuration.md` are made from [`Config`].
//!
//! A flag counts before the environment, that before the project, and that before `config.toml`.
//! Lists add up instead: a project cannot take away what the person ignores.

mod error;
mod file;
mod in_force;
mod layer;

pub use error::ConfigError;
pub use file::{PROJECT_FILE, set_model};
pub use in_force::{ConfigFile, InForce, Sources};
pub use layer::{
    Color, Config, Key, Layer, Origin, PROJECT_KEYS, Setting, WARNINGS, environment, keys,
    person_schema, project_schema,
};
