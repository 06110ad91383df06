//! The configuration for a command: flags and environment over the files.

use super::exit::ExitCode;
use super::failure::{Failure, workspace_failure};
use super::folders;
use crate::config::{ConfigError, Flags, InForce, Layers, environment};
use crate::workspace::Workspace;
use std::path::Path;

/// Opens the folder to edit, with what is in force there.
pub(super) fn open(root: &Path, flags: Flags) -> Result<(Workspace, InForce), Failure> {
    let workspace = Workspace::open(root).map_err(workspace_failure)?;
    let in_force = load(flags, Some(&workspace))?;
    let workspace = workspace
        .ignoring(&in_force.config.ignore)
        .map_err(|error| Failure::new(ExitCode::Usage, "config", error))?;
    Ok((workspace, in_force))
}

/// What is in force, in a folder or in none.
pub(super) fn load(flags: Flags, workspace: Option<&Workspace>) -> Result<InForce, Failure> {
    let layers = || {
        Ok(Layers {
            flags,
            environment: environment(|variable| std::env::var_os(variable))?,
            workspace,
            person: folders::config_file(),
            home: etcetera::home_dir().ok(),
        })
    };
    layers().and_then(InForce::of).map_err(config_failure)
}

pub(super) fn config_failure(error: ConfigError) -> Failure {
    let failure = Failure::new(ExitCode::Usage, "config", &error);
    const KEYS: &str = "slotwright config --help lists the keys";
    let own_file = || match folders::config_file() {
        Some(path) => format!("put it into your own file, {}", path.display()),
        None => "give it as a flag".to_owned(),
    };
    match error {
        ConfigError::UnknownKey {
            nearest: Some(nearest),
            ..
        } => failure.hint(format!("did you mean {nearest}?")).hint(KEYS),
        ConfigError::UnknownKey { nearest: None, .. } | ConfigError::Value { .. } => {
            failure.hint(KEYS)
        }
        ConfigError::NotForProjects { .. } => failure
            .hint("take it out of that file")
            .hint(format!("if you want it, {}", own_file())),
        ConfigError::Syntax { .. } => failure.hint("a line is KEY = VALUE, and texts have quotes"),
        ConfigError::Read { .. } => failure.hint("make it readable, or move it away"),
        ConfigError::Write { .. } => failure.hint("XDG_CONFIG_HOME names another folder for it"),
        ConfigError::Environment { .. } => failure.hint("unset it, or give the flag"),
    }
}
