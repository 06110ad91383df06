//! What a person and a project have set, and where each value comes from.
//!
//! The person's `config.toml` holds every key. A project's `slotwright.toml` holds only the keys
//! that cannot harm whoever cloned it: a project must not choose a person's model or weaken the
//! gate. [`keys::KEYS`] is the one table of the keys. Reading, the two schemas, the help and
//! `docs/configuration.md` are made from it.
//!
//! A flag counts before the environment, that before the project, and that before `config.toml`.
//! Lists add up instead: a project cannot take away what the person ignores.

mod error;
mod file;
mod in_force;
pub mod keys;
mod setting;
mod write;

pub use error::ConfigError;
pub use file::PROJECT_FILE;
pub use in_force::{Color, Config, ConfigFile, InForce, Layers};
pub use setting::{Flags, Origin, Setting, environment};
pub use write::set;
