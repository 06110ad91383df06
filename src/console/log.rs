//! What happens, on standard error, for a bug report: `SLOTWRIGHT_LOG`.

use std::io;
use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{Layer, fmt, registry};

/// Shows the program's events of this level and above: `debug`, `info` and so on. Another text than a
/// level counts as `debug`. The model process does the same, since it inherits the variable.
pub(crate) fn show_events() {
    let Some(level) = std::env::var_os("SLOTWRIGHT_LOG").filter(|level| !level.is_empty()) else {
        return;
    };
    let level: LevelFilter = level
        .to_str()
        .and_then(|level| level.parse().ok())
        .unwrap_or(LevelFilter::DEBUG);
    let ours = Targets::new().with_target("slotwright", level);
    let lines = fmt::layer().with_ansi(false).with_writer(io::stderr);
    // It fails only where a library's user has set up another subscriber.
    let _ = registry().with(lines.with_filter(ours)).try_init();
}
