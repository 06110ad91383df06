//! Where the program keeps what is its own: the XDG folders.

use etcetera::BaseStrategy;
use std::path::PathBuf;

/// What can be made again: the unpacked model, what models have read, and how fast they were.
pub(super) fn cache() -> PathBuf {
    let folder = etcetera::choose_base_strategy()
        .map_or_else(|_| std::env::temp_dir(), |xdg| xdg.cache_dir());
    folder.join("slotwright")
}

/// What models have read: see [`crate::engine::protocol::Load::prefixes`].
pub(super) fn prefixes() -> PathBuf {
    cache().join("prefixes")
}

/// How fast models are: see [`crate::engine::speed`].
pub(super) fn speeds() -> PathBuf {
    cache().join("speeds")
}

/// What cannot: the journal.
pub(super) fn state() -> PathBuf {
    let strategy = etcetera::choose_base_strategy();
    let folder = strategy.map_or_else(
        |_| std::env::temp_dir(),
        |xdg| xdg.state_dir().unwrap_or_else(|| xdg.data_dir()),
    );
    folder.join("slotwright")
}
