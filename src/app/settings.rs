//! The configuration for a command: flags and environment over the files.

use super::folders;
use crate::config::{Config, ConfigError, InForce, Sources, environment};
use crate::failure::{Failure, FailureKind};
use crate::workspace::Workspace;

/// What is in force, in a folder or in none.
pub(crate) fn load(flags: Config, workspace: Option<&Workspace>) -> Result<InForce, Failure> {
    let sources = Sources {
        environment: environment(|variable| std::env::var_os(variable))?,
        workspace,
        person: folders::config_file(),
        home: etcetera::home_dir().ok(),
    };
    Ok(InForce::of(flags, sources)?)
}

impl From<ConfigError> for Failure {
    fn from(error: ConfigError) -> Failure {
        let failure = Failure::new(FailureKind::Config, &error);
        match error {
            ConfigError::Mistake { .. } => failure.hint("slotwright config --help lists the keys"),
            ConfigError::NotForProjects { .. } => {
                let failure = failure.hint("take it out of that file");
                match folders::config_file() {
                    Some(own) => failure.hint(format!(
                        "if you want it, put it into your own file, {}",
                        own.display()
                    )),
                    None => failure,
                }
            }
            ConfigError::Read { .. } => failure.hint("make it readable, or move it away"),
            ConfigError::Write { .. } => {
                failure.hint("XDG_CONFIG_HOME names another folder for it")
            }
            ConfigError::Environment { .. } => failure.hint("unset it, or give the flag"),
        }
    }
}
