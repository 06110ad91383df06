//! How much of the machine a command may use.

use serde::{Deserialize, Serialize};
use std::time::Duration;

/// What a command may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    /// How long it may run.
    pub time: Duration,
    /// Memory of all its processes, in bytes.
    pub memory: u64,
    /// The size of any one file that it writes, in bytes.
    pub file_size: u64,
    /// What it may add to the sandbox, in bytes.
    pub disk: u64,
    /// How many processes it may have at a time.
    pub processes: u32,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            time: Duration::from_secs(600),
            memory: 8 << 30,
            file_size: 1 << 30,
            disk: 8 << 30,
            processes: 1024,
        }
    }
}

impl Limits {
    /// How many processes the kernel allows. That is somewhat above the limit, so that the watching
    /// process sees the limit passed and can report it.
    #[cfg(unix)]
    pub(super) fn kernel_processes(&self) -> u32 {
        const SLACK: u32 = 16;
        self.processes.saturating_add(SLACK)
    }
}
