//! Where the program keeps what is its own: the XDG folders.

use crate::models::ModelFolders;
use etcetera::BaseStrategy;
use std::path::PathBuf;

/// What can be made again: the unpacked model, and what models have read.
pub(crate) fn cache() -> PathBuf {
    let folder = etcetera::choose_base_strategy()
        .map_or_else(|_| std::env::temp_dir(), |xdg| xdg.cache_dir());
    folder.join("slotwright")
}

/// What models have read: see [`crate::engine::protocol::Load::prefixes`].
pub(crate) fn prefixes() -> PathBuf {
    cache().join("prefixes")
}

/// Runs of checks on folders as they are.
pub(crate) fn checks() -> PathBuf {
    cache().join("checks")
}

/// The conversations in editors.
pub(crate) fn sessions() -> PathBuf {
    state().join("sessions")
}

/// What the person said to the checks that projects offer.
pub(crate) fn check_answers() -> PathBuf {
    state().join("checks")
}

/// The person's own configuration; none for a person without a home folder.
pub(crate) fn config_file() -> Option<PathBuf> {
    let strategy = etcetera::choose_base_strategy().ok()?;
    Some(strategy.config_dir().join("slotwright").join("config.toml"))
}

/// What cannot: the journal.
pub(crate) fn state() -> PathBuf {
    let strategy = etcetera::choose_base_strategy();
    let folder = strategy.map_or_else(
        |_| std::env::temp_dir(),
        |xdg| xdg.state_dir().unwrap_or_else(|| xdg.data_dir()),
    );
    folder.join("slotwright")
}

/// What was typed at the prompt of a session.
pub(crate) fn history() -> PathBuf {
    state().join("history")
}

/// What the person fetched: models.
pub(crate) fn own_models() -> PathBuf {
    data()
        .unwrap_or_else(std::env::temp_dir)
        .join("slotwright/models")
}

/// Where models are looked for; `folders` are those that the person configured.
pub(crate) fn of_models(folders: Vec<PathBuf>) -> ModelFolders {
    ModelFolders::of_environment(|name| std::env::var_os(name), data().as_deref(), folders)
}

fn data() -> Option<PathBuf> {
    etcetera::choose_base_strategy()
        .ok()
        .map(|xdg| xdg.data_dir())
}
